//! Which search proves the value of a game: planning for one role, alpha-beta or max^n for more.

use std::sync::Arc;

use game::{Canonicalizer, Evaluator, Foresight, Machine, Role};

use crate::class::GameClass;
use crate::deepening::{Deepening, Opponents, Options, Simultaneous};
use crate::interface::{Blind, Search};
use crate::planning::{Planner, PlannerOptions};

/// A method by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Whatever fits the class of the game.
    #[default]
    Fitting,
    /// Alpha-beta: the first role against all others.
    AlphaBeta,
    /// max^n: every role for itself.
    MaxN,
    /// Planning; only for games of one role.
    Planning,
}

/// How to solve.
#[derive(Clone, Copy, Debug)]
pub struct SolverOptions {
    /// The method.
    pub method: Method,
    /// How simultaneous moves are treated.
    pub simultaneous: Simultaneous,
    /// Bytes for tables.
    pub memory: usize,
    /// The seed of random choices.
    pub seed: u64,
    /// Whether a shortest plan is wanted in a game of one role.
    pub shortest: bool,
}

impl Default for SolverOptions {
    fn default() -> Self {
        Self {
            method: Method::default(),
            simultaneous: Simultaneous::default(),
            memory: 1 << 30,
            seed: 1,
            shortest: false,
        }
    }
}

/// Who helps a search, if anybody does.
#[derive(Default)]
pub struct Helpers {
    /// Tells where to look first.
    pub evaluator: Option<Box<dyn Evaluator>>,
    /// Looks ahead in games of one role.
    pub foresight: Option<Box<dyn Foresight>>,
    /// Knows which states are the same up to symmetry.
    pub canonicalizer: Option<Arc<dyn Canonicalizer>>,
}

/// The search that solves games of a class.
pub fn solver(
    machine: Box<dyn Machine>,
    helpers: Helpers,
    class: GameClass,
    options: &SolverOptions,
) -> Box<dyn Search> {
    let planning = matches!(options.method, Method::Planning | Method::Fitting);
    if class.is_single_player() && planning {
        let planner = PlannerOptions {
            memory: options.memory,
            seed: options.seed,
            top: class.bounds(Role(0)).1,
            shortest: options.shortest,
            ..PlannerOptions::default()
        };
        let planner = Planner::new(machine, planner);
        let planner = match helpers.evaluator {
            Some(evaluator) => planner.with_evaluator(evaluator),
            None => planner,
        };
        return Box::new(match helpers.foresight {
            Some(foresight) => planner.with_foresight(foresight),
            None => planner,
        });
    }
    let opponents = match options.method {
        Method::AlphaBeta => Opponents::Paranoid,
        Method::MaxN => Opponents::Selfish,
        Method::Fitting | Method::Planning => Opponents::Fitting,
    };
    let simultaneous = options.simultaneous;
    let memory = options.memory;
    let deepening = Options { memory, opponents, simultaneous, ..Options::default() };
    let evaluator = helpers.evaluator.unwrap_or_else(|| Box::new(Blind));
    let search = Deepening::new(machine, evaluator, class, &deepening);
    Box::new(match helpers.canonicalizer {
        Some(symmetries) => search.with_symmetries(symmetries),
        None => search,
    })
}
