//! The start clock as a plan: what is found out, in which order, for which part of the time.
//!
//! Every stage has a part of the clock and a longest time, so that a clock of seconds and one of minutes are
//! both used sensibly; what is not ready in time is done without. The rest of the clock is searched.

use std::sync::Arc;
use std::time::{Duration, Instant};

use game::{Canonicalizer, Deadline, Evaluator};
use prove::sat::sums::Sum;
use search::class::{self, Certainty, Known as Guessed, Sampling};
use search::mcts::Decisive;
use search::{Effort, GameClass, Stop};

use super::Wishes;
use super::dividing::Games;
use super::findings::{Account, class_in_words};
use super::guarded::Solver;
use super::guess::guess;
use super::method::{Method, Parts, Source};
use super::pace;
use super::proving;
use super::recalling;
use super::remembering::Earlier;
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
    /// Whether playouts win at once and do not let others do so.
    pub(super) decisive: Decisive,
    /// How many simulations the tree makes in a second.
    pub(super) speed: Option<f64>,
    /// Which values alpha-beta has for its leaves; those that predict best where that is open.
    pub(super) leaves: Option<Source>,
    /// The chance that alpha-beta is better than the tree, after quick games.
    pub(super) outlook: f64,
    /// The games that it is at once, and the searches for them.
    pub(super) parts: Option<Games>,
    /// The game as a sum of games, with the values of these.
    pub(super) sum: Option<Arc<Sum>>,
    /// What solved the game, with all it remembers.
    pub(super) solved: Option<Solver>,
    /// How much forecasts count that a position can be solved, after those of the start clock.
    pub(super) trust: f64,
    /// The delete relaxation, for games of one role.
    pub(super) relaxation: Option<Arc<relax::Relaxation>>,
    /// Pattern databases, where its fluents go their own ways.
    pub(super) patterns: Option<Arc<relax::Patterns>>,
    /// States that are the same up to symmetry, where that was asked for.
    pub(super) symmetries: Option<Arc<dyn Canonicalizer>>,
    /// The chance that alpha-beta is better than the tree, guessed from features of the game.
    pub(super) chance: Option<f64>,
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
            decisive: Decisive::Off,
            speed: None,
            leaves: None,
            outlook: 0.5,
            parts: None,
            sum: None,
            solved: None,
            trust: 1.0,
            relaxation: None,
            patterns: None,
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
        lines.extend(self.parts.iter().flat_map(Games::lines));
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
const PACE: Share = Share(0.1, Duration::from_secs(1));
const WINS: Share = Share(0.1, Duration::from_secs(5));
const LESSON: Share = Share(0.3, Duration::from_secs(10));
/// Where enough was learned in earlier matches.
const REFRESHER: Share = Share(0.1, Duration::from_secs(3));
const EVALUATOR: Share = Share(0.2, Duration::from_secs(10));
const PROOFS: Share = Share(0.05, Duration::from_secs(3));
const GUESS: Share = Share(0.15, Duration::from_secs(3));
/// The part of the memory for pattern databases: one of so many.
const PATTERNS: usize = 4;
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
    pub(super) wishes: &'o Wishes,
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
        self.pace(deadline);
        // A sum that is won needs nothing else. In one that is lost all depends on what is hard to refute, which the search of the whole
        // is for; it is known that there is nothing to solve.
        if self.sum(deadline) {
            self.keep(None, deadline);
            return self.known;
        }
        if self.known.sum.is_none() {
            self.solve(deadline);
            if self.known.solved.is_some() || self.divide(deadline) {
                self.keep(None, deadline);
                return self.known;
            }
        }
        self.wins(deadline);
        let lesson = self.lesson(deadline);
        let taught = lesson.as_ref().map(|lesson| lesson.kept().clone());
        // What is proved is of use for the evaluator.
        self.prove(deadline);
        self.derive(lesson, deadline);
        self.relax(deadline);
        self.patterns(deadline);
        self.symmetries(deadline);
        self.guess(deadline);
        self.try_out(deadline);
        self.keep(taught, deadline);
        self.known
    }

    /// What has to be known, at the expense of a move.
    pub(super) fn hurried(mut self, deadline: &Deadline) -> Known {
        self.class(deadline);
        self.pace(deadline);
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

    /// Finds out whether a tree search has time for enough playouts where there is no circuit; else alpha-beta takes its place, until there is one.
    fn pace(&mut self, deadline: &Deadline) {
        let tree = matches!(self.known.method, Method::Guarded | Method::Sampling);
        let timed = self.wishes.nodes.is_none() && deadline.left().is_some();
        if !tree || !timed || self.known.on_circuit || !self.wishes.deepening {
            return;
        }
        let context = self.context.clone();
        let (length, wanted) = (self.known.class.mean_length, self.known.class.mean_joint_moves);
        let look = move |deadline: &Deadline| {
            let about = (context.play_clock, context.seed);
            let made = pace::playouts(&mut *context.machine(), length, about, deadline)?;
            Some((made, format!("{made:.1} playouts in a move, on the interpreter")))
        };
        let made = self.known.account.try_aside("pace", &PACE.of(deadline), look);
        if made.is_some_and(|made| made < pace::NEEDED * wanted) {
            self.known.method = Method::Deepening;
            let class = &mut self.known.class;
            if class.roles == 2 && class.mean_length.is_none() {
                // No end was met. Most games of two roles have a constant sum, and alpha-beta looks farther ahead than max^n; it checks
                // the sum of every end that it meets.
                class.constant_sum = Guessed { value: Some(100), certainty: Certainty::Sampled(0) };
            }
        }
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
        let mut solver = self.parts().whole_solver();
        let mut report = None;
        for percent in GLANCES {
            report = solver.look(&initial, self.context.role, (&effort, percent), &mut |_| ());
            if report.as_ref().is_none_or(|report| report.solved) || !solver.has_a_chance() {
                break;
            }
        }
        self.known.trust = solver.trust();
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

    /// Finds out by which gates moves win or lose at once or let others win, for playouts.
    fn wins(&mut self, deadline: &Deadline) {
        let plans = self.known.method == Method::Planning;
        if !self.wishes.decisive || plans || !self.known.on_circuit {
            return;
        }
        let context = self.context.clone();
        let find = move |_: &Deadline| {
            let count = |batch: &game::Batch| batch.operations().0;
            let plain = count(&context.reasoner.batch(context.seed)?);
            let with = count(&context.reasoner.decisive_batch(context.seed)?);
            let words = match with.saturating_sub(plain) {
                0 => "no gates tell which moves win or lose at once".to_owned(),
                more => format!("{more} gates tell which moves win or lose at once"),
            };
            Some(((), words))
        };
        if self.known.account.try_aside("playouts", &WINS.of(deadline), find).is_some() {
            self.known.decisive = Decisive::Lanes;
        }
    }

    /// Learns values of fluents, where the circuit is there and there are several roles. Only where two roles share a constant
    /// sum the tree has them: with more roles and with simultaneous moves they did not pay there in matches.
    fn lesson(&mut self, deadline: &Deadline) -> Option<Lesson> {
        let plans = self.known.method == Method::Planning;
        if !self.wishes.learn || plans || !self.known.on_circuit {
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

    /// Makes pattern databases, which guide a planner where pieces go their own ways.
    fn patterns(&mut self, deadline: &Deadline) {
        if !self.wishes.derive || self.known.method != Method::Planning || !self.known.on_circuit {
            return;
        }
        let context = self.context.clone();
        let make = move |deadline: &Deadline| {
            let found = relax::Patterns::of(
                context.reasoner.gates()?,
                context.memory / PATTERNS,
                deadline,
            )?;
            let (patterns, states) = found.size();
            Some((found, format!("{patterns} patterns of {states} states")))
        };
        let share = EVALUATOR.of(deadline);
        self.known.patterns = self.known.account.try_aside("patterns", &share, make);
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

    pub(super) fn parts(&self) -> Parts<'_> {
        Parts { context: self.context, known: &self.known, options: self.wishes }
    }

    /// Makes an evaluator from the rules, and judges it by what was held out of learning.
    fn derive(&mut self, lesson: Option<Lesson>, deadline: &Deadline) {
        if !self.wishes.derive || !self.known.on_circuit {
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
