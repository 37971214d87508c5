//! Which search fits a game: made from what is known about it.

use game::{Evaluator, Role};
use search::deepening::{self, Deepening};
use search::mcts::{self, Mcts, Simultaneous};
use search::planning::{Planner, PlannerOptions};
use search::{Blind, GameClass, Search};

use super::Wishes;
use super::guarded::{Guarded, Solver};
use super::opening::{Judged, Known};
use super::rivals::Rivals;
use crate::searcher;
use crate::thinker::Context;

/// What to do in a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// Planning: there is one role.
    Planning,
    /// Monte-Carlo tree search, guarded by alpha-beta: two roles, constant sum, moves in turn.
    Guarded,
    /// Alpha-beta with the best evaluator, or what takes its place in other classes of games: where quick games show it to be
    /// better.
    Deepening,
    /// Both at the same time: where quick games leave it open which is better, and there are threads for it.
    Rivals,
    /// Monte-Carlo tree search by decoupled UCT: simultaneous moves, or more than two roles, or no
    /// constant sum.
    Sampling,
}

impl Method {
    /// The method for a class of games.
    pub(super) fn of(class: &GameClass) -> Self {
        if class.is_single_player() {
            Self::Planning
        } else if class.is_two_player_constant_sum() && class.turn_taking.value {
            Self::Guarded
        } else {
            Self::Sampling
        }
    }

    /// In a word, for what is kept.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Planning => "planning",
            Self::Guarded => "guarded",
            Self::Deepening => "alphabeta",
            Self::Rivals => "rivals",
            Self::Sampling => "sampling",
        }
    }

    /// In words.
    pub(super) fn in_words(self) -> &'static str {
        match self {
            Self::Planning => "planning: several methods in turn",
            Self::Guarded => "Monte-Carlo tree search guarded by alpha-beta",
            Self::Deepening => "alpha-beta",
            Self::Rivals => {
                "Monte-Carlo tree search and alpha-beta at the same time, the one whose predictions hold"
            }
            Self::Sampling => "Monte-Carlo tree search, every role for itself",
        }
    }
}

/// Where values of states come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// Learned from random play.
    Learned,
    /// Made from the rules.
    Derived,
}

/// The parts of the memory: the tree, and the table beside it.
const TABLE_SHARE: usize = 4;
/// Learned values that predict less than this are not used: a correlation with the results of random play.
const USEFUL: f64 = 0.15;
/// How many visits a node needs before all its successors are evaluated: fewer cost too much time.
const JUDGED: u32 = 6;
/// The least part of each move's time for alpha-beta in a game that it solved, in hundredths.
const SOLVED: u32 = 50;
/// The bytes of a tree in a trial.
const SMALL: usize = 64 << 20;

/// What a search is made of.
pub(super) struct Parts<'p> {
    pub(super) context: &'p Context,
    pub(super) known: &'p Known,
    pub(super) options: &'p Wishes,
}

impl Parts<'_> {
    /// The evaluator that was found to be the best for looking ahead; else the one that predicts best.
    fn best_evaluator(&self) -> Option<Box<dyn Evaluator>> {
        if let Some(found) = self.known.leaves.and_then(|source| self.evaluator(source)) {
            return Some(found);
        }
        let both = [&self.known.learned, &self.known.derived];
        let merit = |judged: &&Judged| judged.merit.unwrap_or(0.0);
        let best = both.into_iter().flatten().max_by(|a, b| merit(a).total_cmp(&merit(b)));
        best.map(|judged| judged.evaluator.another())
    }

    fn evaluator(&self, source: Source) -> Option<Box<dyn Evaluator>> {
        let judged = match source {
            Source::Learned => &self.known.learned,
            Source::Derived => &self.known.derived,
        };
        judged.as_ref().map(|judged| judged.evaluator.another())
    }

    /// What was learned, if it predicts anything: its values are those of playouts.
    pub(super) fn learned(&self) -> Option<Box<dyn Evaluator>> {
        let learned = self.known.learned.as_ref()?;
        let useful = learned.merit.is_some_and(|merit| merit >= USEFUL);
        useful.then(|| learned.evaluator.another())
    }

    /// The search for a method, with what solved the game in the start clock, if anything did.
    pub(super) fn search(&self, method: Method, solved: Option<Solver>) -> Box<dyn Search> {
        let percent = self.options.guard;
        let rest = self.context.memory / TABLE_SHARE;
        let most = self.context.memory - rest;
        let in_turn = self.known.class.turn_taking.value;
        match (method, solved) {
            (Method::Planning, _) => self.planner(),
            (Method::Deepening, _) => self.looking_ahead(self.context.memory / 2),
            (Method::Rivals, _) => self.rivals(rest),
            (Method::Guarded | Method::Sampling, Some(solved)) => {
                let guarded = Guarded::new(self.tree(rest), solved, percent.max(SOLVED), in_turn);
                Box::new(guarded.contending(self.options.contend))
            }
            (Method::Guarded, None) if percent > 0 => {
                let guarded = Guarded::new(self.tree(most), self.solver(), percent, in_turn);
                Box::new(guarded.contending(self.options.contend))
            }
            (Method::Guarded | Method::Sampling, None) => self.tree(most),
        }
    }

    /// Alpha-beta that may solve positions, with the best evaluator so far.
    fn solver(&self) -> Solver {
        let search = self.guard(self.context.memory / TABLE_SHARE);
        let solver = Solver::new(search, self.context.machine(), self.context.seed);
        solver.trusting(self.known.trust)
    }

    /// The same for the whole game, in the start clock. What it finds is of use in the match only as far as it remembers it, and if it
    /// finds everything, nobody else needs the memory.
    pub(super) fn whole_solver(&self) -> Solver {
        let search = self.guard(self.context.memory - self.context.memory / TABLE_SHARE);
        Solver::new(search, self.context.machine(), self.context.seed)
    }

    fn planner(&self) -> Box<dyn Search> {
        let gates = self.context.reasoner.gates();
        let options = PlannerOptions {
            memory: self.context.memory,
            seed: self.context.seed,
            top: gates.map_or(100, |gates| gates.largest_reward(Role(0)).0),
            ..PlannerOptions::default()
        };
        let planner = Planner::new(self.context.machine(), options);
        let planner = match self.best_evaluator() {
            Some(evaluator) => planner.with_evaluator(evaluator),
            None => planner,
        };
        let groups = self.known.groups.clone();
        let planner = match searcher::foresight(self.context, groups).filter(|_| self.options.sat) {
            Some(foresight) => planner.with_foresight(foresight),
            None => planner,
        };
        let planner = match (&self.known.patterns, gates) {
            (Some(patterns), Some(gates)) => {
                let beam = relax::PatternBeam::new(patterns, gates, self.context.seed);
                planner.with_foresight(Box::new(beam))
            }
            _ => planner,
        };
        let to_go = |shared| Box::new(relax::ToGo::new(shared, relax::Measure::Plan));
        Box::new(match &self.known.relaxation {
            Some(shared) => planner.with_distance(to_go(shared)),
            None => planner,
        })
    }

    /// A tree search for a trial.
    pub(super) fn small_tree(&self) -> Box<dyn Search> {
        self.tree(SMALL)
    }

    /// Successors have learned values and playouts preferences only where two roles share a constant sum: with three roles and with simultaneous
    /// moves they did harm in matches, or cost as much as they gain (docs/strength.md).
    fn tree(&self, memory: usize) -> Box<dyn Search> {
        let taught = self.known.method != Method::Sampling;
        let evaluator = self.learned().filter(|_| taught);
        let options = mcts::Options {
            guide: if taught { self.options.guide } else { 0.0 },
            memory,
            seed: self.context.seed,
            threads: self.options.threads,
            exploration: self.options.exploration,
            spread: self.options.spread,
            favour: self.options.favour,
            discount: self.options.discount,
            prior: self.options.prior,
            implicit: self.options.implicit,
            history: self.options.history,
            judged: JUDGED,
            decisive: self.known.decisive,
            simultaneous: if self.options.response {
                Simultaneous::Response
            } else {
                Simultaneous::Decoupled
            },
            ..mcts::Options::default()
        };
        let search = Mcts::new(&self.context.reasoner, options).with_class(&self.known.class);
        let search = match &self.known.symmetries {
            Some(symmetries) => search.with_symmetries(symmetries.clone()),
            None => search,
        };
        Box::new(match evaluator {
            Some(evaluator) => search.with_evaluator(evaluator),
            None => search,
        })
    }

    /// Alpha-beta with the best evaluator, to prove things: every move gets the same depth.
    fn guard(&self, memory: usize) -> Box<dyn Search> {
        self.deepening(self.best_evaluator(), memory, false)
    }

    /// Alpha-beta with the best evaluator, to play by; max^n where that fits the game.
    /// Growing takes time in which nobody looks at the clock, so the table should not get all of the memory.
    fn looking_ahead(&self, memory: usize) -> Box<dyn Search> {
        self.deepening(self.best_evaluator(), memory, true)
    }

    /// The tree, with all threads but one, beside alpha-beta, with so much memory.
    fn rivals(&self, rest: usize) -> Box<dyn Search> {
        let threads = self.options.threads.saturating_sub(1).max(1);
        let options = Wishes { threads, ..self.options.clone() };
        let tree = Parts { options: &options, ..*self }.tree(self.context.memory - 2 * rest);
        Box::new(Rivals::new(tree, threads, self.looking_ahead(rest), self.known.outlook))
    }

    /// The same for a trial, with values of one kind; none where there are none.
    pub(super) fn small_deepening(&self, source: Source) -> Option<Box<dyn Search>> {
        let evaluator = self.evaluator(source)?;
        Some(self.deepening(Some(evaluator), SMALL, true))
    }

    /// With reductions lines are seen that are several moves longer; 58 points of 100 against the same search without (docs/strength.md).
    fn deepening(
        &self,
        evaluator: Option<Box<dyn Evaluator>>,
        memory: usize,
        reductions: bool,
    ) -> Box<dyn Search> {
        let options = deepening::Options { memory, reductions, ..deepening::Options::default() };
        let evaluator = evaluator.unwrap_or_else(|| Box::new(Blind));
        let class = self.known.class.clone();
        let search = Deepening::new(self.context.machine(), evaluator, class, &options);
        Box::new(match &self.known.symmetries {
            Some(symmetries) => search.with_symmetries(symmetries.clone()),
            None => search,
        })
    }
}
