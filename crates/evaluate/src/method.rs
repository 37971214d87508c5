//! Evaluation functions by name, with everything they need from the game.

use game::{Deadline, Reasoner};
use structure::{NoProver, Prover, Settings, Structures};

use crate::build::Options;
use crate::heuristic::Evaluation;

/// The evaluation functions there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// Goals with their variables; orders, quantities and boards by distance (thesis §5, `flux-basic`).
    Basic,
    /// Ground goals, fluents by their distances in fluent graphs (thesis §6, `flux-distance`).
    Distance,
    /// Ground goals, fluents true or false.
    Ground,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Basic, Self::Distance, Self::Ground];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Basic => "basic",
            Self::Distance => "distance",
            Self::Ground => "ground",
        }
    }

    /// The method with a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name)
    }

    /// Builds the evaluation function of a game; none while, or if, its rules are not ground. Structures are guessed.
    pub fn build(
        self,
        reasoner: &Reasoner,
        options: &Options,
        deadline: &Deadline,
    ) -> Option<Evaluation> {
        self.build_with(&mut NoProver, reasoner, options, deadline)
    }

    /// The same with structures of which somebody may know more than random play tells.
    pub fn build_with(
        self,
        prover: &mut dyn Prover,
        reasoner: &Reasoner,
        options: &Options,
        deadline: &Deadline,
    ) -> Option<Evaluation> {
        let program = reasoner.gates()?.program();
        let game = reasoner.game();
        let settings = Settings { play: false, ..Settings::default() };
        let mut structures = || Structures::find(reasoner, &settings, deadline, &mut *prover);
        let ground = |options: &Options| Evaluation::ground(game, program, options, deadline);
        Some(match self {
            Self::Basic => {
                Evaluation::lifted(game, program, Some(&structures()), options, deadline)
            }
            Self::Distance if Evaluation::fits(program, options) => ground(options),
            // Goals that are too large when ground keep their variables; fluents still have distances.
            Self::Distance => {
                let found = structures();
                Evaluation::lifted_distances(game, program, Some(&found), options, deadline)
            }
            Self::Ground => ground(&Options { selections: Vec::new(), ..options.clone() }),
        })
    }
}
