//! The strategies there are. A new one is a row here.

use crate::options::{OptionInfo, Options};
use crate::simple::Simple;
use crate::strategies;
use crate::thinker::{Context, Thinker};

/// A strategy as the help shows it.
#[derive(Clone, Copy)]
pub struct StrategyInfo {
    /// Its name.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Its options.
    pub options: &'static [OptionInfo],
    pub(crate) make: fn(&Options, &Context) -> Box<dyn Thinker>,
}

impl std::fmt::Debug for StrategyInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StrategyInfo").field("name", &self.name).finish_non_exhaustive()
    }
}

/// All strategies, in the order of the help.
pub(crate) static STRATEGIES: &[StrategyInfo] = &[
    StrategyInfo {
        name: "fluxion",
        summary: "the default player: chooses its method by what it finds out about the game",
        options: strategies::FLUXION,
        make: crate::fluxion::fluxion,
    },
    StrategyInfo {
        name: "random",
        summary: "uniformly random legal moves",
        options: &[],
        make: |_, context| Box::new(Simple::random(context)),
    },
    StrategyInfo {
        name: "legal",
        summary: "always the first legal move, in the order of their texts",
        options: &[],
        make: |_, context| Box::new(Simple::legal(context)),
    },
    StrategyInfo {
        name: "uct",
        summary: "Monte-Carlo tree search, for every game",
        options: strategies::UCT,
        make: strategies::uct,
    },
    StrategyInfo {
        name: "alphabeta",
        summary: "iterative deepening with alpha-beta, one role against the rest",
        options: strategies::DEEPENING,
        make: strategies::alpha_beta,
    },
    StrategyInfo {
        name: "maxn",
        summary: "iterative deepening with max^n, every role for itself",
        options: strategies::DEEPENING,
        make: strategies::max_n,
    },
    StrategyInfo {
        name: "flux-basic",
        summary: "fuzzy goals with structures (thesis §5), alpha-beta or max^n by the class of the game",
        options: strategies::DEEPENING,
        make: strategies::flux_basic,
    },
    StrategyInfo {
        name: "flux-distance",
        summary: "fuzzy goals with distances (thesis §6), alpha-beta or max^n by the class of the game",
        options: strategies::DEEPENING,
        make: strategies::flux_distance,
    },
    StrategyInfo {
        name: "plan",
        summary: "planning for games of one role, Monte-Carlo tree search for others",
        options: strategies::PLAN,
        make: strategies::plan,
    },
];
