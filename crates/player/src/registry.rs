//! The strategies there are. A new one is a row here.

use crate::options::{OptionInfo, Options};
use crate::simple::Simple;
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
];
