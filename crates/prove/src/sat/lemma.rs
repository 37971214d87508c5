//! Small invariants over the fluents, of which larger proofs are made.

use circuit::graph::Signal;
use game::FluentId;

use super::model::Model;
use crate::ground_property::GroundFormula;
use crate::instances::GroundAtom;

/// Something that may hold in all reachable states, over the fluents of the ground program.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Lemma {
    /// One of the literals holds: a fluent, and whether it does.
    Clause(Vec<(u32, bool)>),
    /// At most that many of the fluents hold.
    AtMost(u32, Vec<u32>),
}

impl Lemma {
    /// Its gates.
    pub fn signal(&self, model: &mut Model) -> Signal {
        match self {
            Self::Clause(literals) => {
                let signals: Vec<Signal> = literals
                    .iter()
                    .map(|(fluent, holds)| {
                        let signal = model.fluents[*fluent as usize];
                        if *holds { signal } else { !signal }
                    })
                    .collect();
                model.any(&signals)
            }
            Self::AtMost(count, fluents) => {
                let signals: Vec<Signal> =
                    fluents.iter().map(|fluent| model.fluents[*fluent as usize]).collect();
                model.at_most(*count as usize, &signals)
            }
        }
    }

    /// The same as a formula, with the numbers that fluents have in the game.
    pub fn formula(&self, fluents: &[FluentId]) -> GroundFormula {
        let atom = |fluent: &u32| {
            let atom = GroundAtom::Fluent(fluents[*fluent as usize]);
            GroundFormula::Atom { atom, next: false }
        };
        match self {
            Self::Clause(literals) => {
                let literal = |(fluent, holds): &(u32, bool)| match holds {
                    true => atom(fluent),
                    false => GroundFormula::Not(Box::new(atom(fluent))),
                };
                GroundFormula::Or(literals.iter().map(literal).collect())
            }
            Self::AtMost(count, fluents) => GroundFormula::Count {
                least: 0,
                most: Some(*count),
                of: fluents.iter().map(atom).collect(),
            },
        }
    }

    /// Whether it holds in a state.
    pub fn holds(&self, state: &[bool]) -> bool {
        match self {
            Self::Clause(literals) => {
                literals.iter().any(|(fluent, holds)| state[*fluent as usize] == *holds)
            }
            Self::AtMost(count, fluents) => {
                let holding = fluents.iter().filter(|fluent| state[**fluent as usize]).count();
                holding <= *count as usize
            }
        }
    }
}
