//! The start clock as a plan: what is found out, in which order, for which part of the time.
//!
//! Every stage has a part of the clock and a longest time, so that a clock of seconds and one of minutes are
//! both used sensibly; what is not ready in time is done without. The rest of the clock is searched.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use game::{Canonicalizer, Deadline, Evaluator};
use search::class::{self, Certainty, Sampling};
use search::{Effort, GameClass, Search, Stop};

use super::Wishes;
use super::findings::{Account, class_in_words};
use super::guarded::Solver;
use super::guess::guess;
use super::method::{Method, Parts};
use super::proving;
use super::recalling;
use super::remembering::Earlier;
use super::trial::{Tally, Trial};
use crate::knowledge::Tried;
use crate::lessons::{self, Lesson, POSITIONS};
use crate::searcher;
use crate::thinker::Context;

/// What is known about a game.
pub(super) struct Known {
    pub(super) class: GameClass,
    pub(super) method: Method,
    /// Values learned from random play.
    pub(super) learned: Option<Judged>,
    /// An evaluator made from the rules.
    pub(super) derived: Option<Judged>,
    /// Whether playouts prefer moves that did well.
    pub(super) guided: bool,
    /// What solved the game, with all it remembers.
    pub(super) solved: Option<Solver>,
    /// The delete relaxation, for games of one role.
    pub(super) relaxation: Option<Arc<relax::Relaxation>>,
    /// States that are the same up to symmetry, where that was asked for.
    pub(super) symmetries: Option<Arc<dyn Canonicalizer>>,
    /// The chance that alpha-beta is better than the tree, guessed from features of the game.
    chance: Option<f64>,
    /// Whether the circuit was there.
    pub(super) on_circuit: bool,
    /// What is proved, or refuted, about guesses of the analysis of structures.
    pub(super) told: prove::Told,
    /// Groups of fluents of which at most one holds, proved in this match: a plan is looked for with them, so what earlier
    /// matches say is not enough.
    pub(super) groups: Vec<Vec<usize>>,
    /// How often the game was seen before, in words.
    pub(super) seen: Option<String>,
    pub(super) account: Account,
}

/// An evaluator, and how well it predicts random play for the own role: a correlation; none where nobody
/// could judge.
pub(super) struct Judged {
    pub(super) evaluator: Box<dyn Evaluator>,
    pub(super) merit: Option<f64>,
}

impl Known {
    /// Nothing but the number of roles.
    pub(super) fn nothing(context: &Context) -> Self {
        let class = GameClass::unknown(context.reasoner.game().roles().len());
        Self {
            method: Method::of(&class),
            class,
            learned: None,
            derived: None,
            guided: true,
            solved: None,
            relaxation: None,
            symmetries: None,
            chance: None,
            on_circuit: context.reasoner.gates().is_some(),
            told: prove::Told::default(),
            groups: Vec::new(),
            seen: None,
            account: Account::default(),
        }
    }

    /// In words.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = self.account.lines();
        lines.extend(self.seen.iter().map(|seen| format!("seen before: {seen}")));
        lines.push(format!("method: {}", self.method.in_words()));
        lines
    }
}

/// A part of the time left, and the longest time, for a stage.
pub(super) struct Share(pub(super) f64, pub(super) Duration);

const CLASS: Share = Share(0.1, Duration::from_secs(1));
/// To solve the game: the hundredths of this for a first look and for further ones where it has a chance, and all of it where that
/// is promising.
const SOLUTION: Share = Share(0.6, Duration::from_secs(120));
const GLANCES: [u32; 3] = [4, 10, 20];
const LESSON: Share = Share(0.3, Duration::from_secs(10));
/// Where enough was learned in earlier matches.
const REFRESHER: Share = Share(0.1, Duration::from_secs(3));
const EVALUATOR: Share = Share(0.2, Duration::from_secs(10));
const PROOFS: Share = Share(0.05, Duration::from_secs(3));
const GUESS: Share = Share(0.15, Duration::from_secs(3));
/// One trial after the other, each with its part of what is left.
const GUIDED_TRIAL: Share = Share(0.3, Duration::from_secs(20));
const LEARNED_TRIAL: Share = Share(0.35, Duration::from_secs(25));
const DEEPENING_TRIAL: Share = Share(0.4, Duration::from_secs(25));
/// How many games a trial should have time for, and how long a move may take. In less time nothing is learned about moves.
const GAMES: f64 = 16.0;
const PACE: (Duration, Duration) = (Duration::from_millis(8), Duration::from_millis(60));
/// What matches of equal nodes in other games say about preferences in playouts and about learned values: mean points (see
/// docs/strength.md), which count as much as so many games of a trial.
const GUIDED_MEAN: f64 = 0.6;
const LEARNED_MEAN: f64 = 0.57;
const BELIEF: f64 = 10.0;
/// A trial decides for alpha-beta only where it is that clear, in standard deviations: with little time
/// alpha-beta looks better than it is.
const CLEAR: f64 = 3.0;
/// By how many standard deviations a trial has to speak for alpha-beta, where features of the game give it a chance: for
/// even chances as many as without a guess, for a certain one it has to speak against it as clearly not to be used.
pub(super) fn needed(chance: Option<f64>) -> f64 {
    chance.map_or(CLEAR, |chance| CLEAR * (3.0 - 4.0 * chance).clamp(-1.0, 1.0))
}

/// The time for a stage where the clock has no end.
const WITHOUT_CLOCK: Duration = Duration::from_secs(2);

impl Share {
    pub(super) fn of(&self, deadline: &Deadline) -> Deadline {
        let time = deadline.left().map_or(WITHOUT_CLOCK, |left| left.mul_f64(self.0));
        deadline.not_after(Instant::now() + time.min(self.1))
    }
}

/// The plan.
pub(super) struct Opening<'o> {
    pub(super) context: &'o Context,
    wishes: &'o Wishes,
    pub(super) known: Known,
    pub(super) earlier: Earlier,
}

impl<'o> Opening<'o> {
    pub(super) fn new(context: &'o Context, wishes: &'o Wishes) -> Self {
        let (known, earlier) = (Known::nothing(context), Earlier::default());
        Self { context, wishes, known, earlier }
    }

    /// All stages, in a start clock.
    pub(super) fn thorough(mut self, deadline: &Deadline) -> Known {
        let status = self.context.reasoner.status();
        self.known.account.note("rules", Instant::now(), status);
        self.recall(deadline);
        self.class(deadline);
        self.solve(deadline);
        if self.known.solved.is_some() {
            self.keep(None, deadline);
            return self.known;
        }
        let lesson = self.lesson(deadline);
        let taught = lesson.as_ref().map(|lesson| lesson.kept().clone());
        // What is proved is of use for the evaluator.
        self.prove(deadline);
        self.derive(lesson, deadline);
        self.relax(deadline);
        self.symmetries(deadline);
        self.guess(deadline);
        self.try_out(deadline);
        self.keep(taught, deadline);
        self.known
    }

    /// What has to be known, at the expense of a move.
    pub(super) fn hurried(mut self, deadline: &Deadline) -> Known {
        self.class(deadline);
        self.known
    }

    fn class(&mut self, deadline: &Deadline) {
        let begin = Instant::now();
        let sampling = Sampling { deadline: CLASS.of(deadline), ..Sampling::default() };
        let found = match &self.earlier.known.class {
            Some(kept) => Ok((recalling::class(kept, self.known.class.roles), Stop::Done)),
            None => class::sample(&mut *self.context.machine(), &sampling),
        };
        if let Ok((class, stop)) = found {
            self.earlier.class = stop != Stop::Time;
            self.known.method = Method::of(&class);
            self.known.class = class;
        }
        let words = class_in_words(&self.known.class);
        self.known.account.note("class", begin, words);
    }

    /// Tries to solve the game: for a moment, and for longer where that looks possible. Nothing else has to be known then.
    fn solve(&mut self, deadline: &Deadline) {
        let fits = self.known.class.is_two_player_constant_sum() && self.known.on_circuit;
        // With a limit on nodes moves are the same however long the start clock is.
        if self.wishes.guard == 0 || self.wishes.nodes.is_some() || !fits {
            return;
        }
        let (begin, effort) = (Instant::now(), Effort::until(SOLUTION.of(deadline)));
        let mut machine = self.context.machine();
        let Ok(initial) = machine.initial() else { return };
        let mut solver = self.parts().solver();
        let mut report = None;
        for percent in GLANCES {
            report = solver.look(&initial, self.context.role, (&effort, percent), &mut |_| ());
            if report.as_ref().is_none_or(|report| report.solved) || !solver.has_a_chance() {
                break;
            }
        }
        let words = match report {
            Some(report) if report.solved => {
                self.known.solved = Some(solver);
                format!("worth {:.0}, {} states", report.value().low, report.nodes)
            }
            Some(report) => format!("not soon, {} moves deep", report.depth),
            None => "failed".to_owned(),
        };
        self.known.account.note("solution", begin, words);
    }

    /// Learns values of fluents, where the circuit is there. Only where two roles share a constant sum: with
    /// more roles and with simultaneous moves it did not pay in matches.
    fn lesson(&mut self, deadline: &Deadline) -> Option<Lesson> {
        if !self.wishes.learn || self.known.method != Method::Guarded || !self.known.on_circuit {
            return None;
        }
        let (context, role) = (self.context.clone(), self.context.role);
        let before = self.taught();
        let enough = before.as_ref().is_some_and(|taught| taught.positions >= POSITIONS);
        let share = if enough { REFRESHER } else { LESSON }.of(deadline);
        let learn = move |deadline: &Deadline| {
            let lesson = lessons::learned(&context, before, deadline)?;
            let words = lesson.in_words(role);
            Some((lesson, words))
        };
        let lesson = self.known.account.try_aside("learning", &share, learn)?;
        let merit = Some(lesson.merit(role));
        self.known.learned = Some(Judged { evaluator: lesson.evaluator(), merit });
        Some(lesson)
    }

    /// Proves what was sampled, where it can be done soon.
    fn prove(&mut self, deadline: &Deadline) {
        if deadline.left().is_none() {
            return;
        }
        let before = self.told_before();
        if self.earlier.is_settled() {
            let words = format!("{} claims of earlier matches", before.0.len());
            self.known.account.note("proofs", Instant::now(), words);
            self.known.told = before;
            return;
        }
        self.known.told = before;
        let (context, class) = (self.context.clone(), self.known.class.clone());
        let prove = move |deadline: &Deadline| {
            proving::proved(&context.reasoner, context.seed, &class, deadline)
        };
        let found = self.known.account.try_aside("proofs", &PROOFS.of(deadline), prove);
        let Some(found) = found else { return };
        if let (Method::Planning, Some(gates)) = (self.known.method, self.context.reasoner.gates())
        {
            self.known.groups = prove::Knowledge::of(&found.told.0).mutex_groups(gates);
        }
        for fact in found.facts {
            self.known.class.learn(fact);
        }
        let fact_open =
            [&self.known.class.turn_taking.certainty, &self.known.class.constant_sum.certainty];
        let open = fact_open.into_iter().filter(|known| **known != Certainty::Proved).count();
        self.earlier.proofs = Some((open + found.told.open()) as u32);
        // The first answer counts, so those of earlier matches come first.
        self.known.told.0.extend(found.told.0);
    }

    /// Makes the delete relaxation, which tells a planner how far it has to go.
    fn relax(&mut self, deadline: &Deadline) {
        if !self.wishes.derive || self.known.method != Method::Planning || !self.known.on_circuit {
            return;
        }
        let context = self.context.clone();
        let relax = move |deadline: &Deadline| {
            let found = searcher::relaxation(&context, deadline)?;
            Some((found, "distances by relaxed plans".to_owned()))
        };
        let share = EVALUATOR.of(deadline);
        self.known.relaxation = self.known.account.try_aside("relaxation", &share, relax);
    }

    /// Finds the symmetries, for whom symmetric states count as one.
    fn symmetries(&mut self, deadline: &Deadline) {
        let plans = self.known.method == Method::Planning;
        if !self.wishes.symmetry || plans || !self.known.on_circuit {
            return;
        }
        let (context, timed) = (self.context.clone(), self.wishes.nodes.is_none());
        let find = move |deadline: &Deadline| {
            let found = searcher::symmetries(&context, timed, deadline)?;
            Some((found, "symmetric states count as one".to_owned()))
        };
        let share = EVALUATOR.of(deadline);
        self.known.symmetries = self.known.account.try_aside("symmetries", &share, find);
    }

    /// Guesses from features of the game whether alpha-beta with the evaluator of the rules is better than the tree.
    fn guess(&mut self, deadline: &Deadline) {
        if !self.wishes.guess || self.known.method != Method::Guarded || !self.known.on_circuit {
            return;
        }
        let Some(derived) = &self.known.derived else { return };
        let (context, mut evaluator) = (self.context.clone(), derived.evaluator.another());
        let measure = move |deadline: &Deadline| guess(&context, &mut *evaluator, deadline);
        self.known.chance = self.known.account.try_aside("guess", &GUESS.of(deadline), measure);
    }

    /// Tries in quick games what pays in this game: preferences of playouts and what was learned are dropped where they do not,
    /// and alpha-beta takes the place of the tree where it is clearly better.
    fn try_out(&mut self, deadline: &Deadline) {
        if !self.wishes.trial || self.known.method != Method::Guarded || deadline.left().is_none() {
            return;
        }
        if self.wishes.guide > 0.0 && self.known.on_circuit {
            let searches =
                [self.parts().small_tree(false, true), self.parts().small_tree(false, false)];
            let name = "trial: playouts with preferences against without";
            let tally = self.trial(name, searches, &GUIDED_TRIAL, deadline);
            self.known.guided = tally.is_likely_better(BELIEF, GUIDED_MEAN);
        }
        let guided = self.known.guided;
        if self.known.learned.is_some() {
            let searches =
                [self.parts().small_tree(true, guided), self.parts().small_tree(false, guided)];
            let name = "trial: learned values against none";
            let tally = self.trial(name, searches, &LEARNED_TRIAL, deadline);
            if !tally.is_likely_better(BELIEF, LEARNED_MEAN) {
                self.known.learned = None;
            }
        }
        if self.known.learned.is_some() || self.known.derived.is_some() {
            let searches = [self.parts().small_tree(true, guided), self.parts().guard()];
            let name = "trial: tree against alpha-beta";
            let tally = self.trial(name, searches, &DEEPENING_TRIAL, deadline);
            if tally.is_clear(needed(self.known.chance)) {
                self.known.method = Method::Deepening;
            }
        }
    }

    fn parts(&self) -> Parts<'_> {
        Parts { context: self.context, known: &self.known, options: self.wishes }
    }

    /// Quick games between two searches, for a part of the time left.
    fn trial(
        &mut self,
        name: &'static str,
        mut searches: [Box<dyn Search>; 2],
        share: &Share,
        deadline: &Deadline,
    ) -> Tally {
        let before = self.earlier.known.tried(name).cloned();
        let before =
            before.map_or(Tally::default(), |t| Tally { games: t.games, points: t.points });
        // The more games there were in earlier matches, the less time for new ones.
        let fewer = GAMES / (GAMES + f64::from(before.games));
        let (begin, share) = (Instant::now(), Share(share.0 * fewer, share.1).of(deadline));
        let length = self.known.class.mean_length.unwrap_or(100.0).max(1.0);
        let pace = share.left().unwrap_or_default().div_f64(length * GAMES).clamp(PACE.0, PACE.1);
        let mut machine = self.context.machine();
        let mut trial = Trial { machine: &mut *machine, pace, seed: self.context.seed };
        let run = AssertUnwindSafe(|| trial.run(&mut searches, &share));
        let tally = catch_unwind(run).unwrap_or_default();
        let earlier = match before.games {
            0 => String::new(),
            games => format!(", earlier {:.1} in {games}", before.points),
        };
        let words = format!("{:.1} points in {} games{earlier}", tally.points, tally.games);
        self.known.account.note(name, begin, words);
        let new = Tried { name: name.to_owned(), games: tally.games, points: tally.points };
        self.earlier.trials.push(new);
        Tally { games: tally.games + before.games, points: tally.points + before.points }
    }

    /// Makes an evaluator from the rules, and judges it by what was held out of learning.
    fn derive(&mut self, lesson: Option<Lesson>, deadline: &Deadline) {
        // Other methods have no use for it.
        let useful = matches!(self.known.method, Method::Guarded | Method::Planning);
        if !self.wishes.derive || !useful || !self.known.on_circuit {
            return;
        }
        let (context, role) = (self.context.clone(), self.context.role);
        let mut told = self.known.told.clone();
        let derive = move |deadline: &Deadline| {
            let mut evaluator = searcher::derived("distance", &context, &mut told, deadline)?;
            let merit = lesson.and_then(|lesson| lesson.judge(&mut *evaluator, role));
            let words = match merit {
                Some(merit) => format!("fuzzy goals and distances, correlation {merit:.2}"),
                None => "fuzzy goals and distances".to_owned(),
            };
            Some((Judged { evaluator, merit }, words))
        };
        let share = EVALUATOR.of(deadline);
        self.known.derived = self.known.account.try_aside("evaluator", &share, derive);
    }
}
