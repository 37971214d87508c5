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
    /// At most one of these derived atoms of the ground program holds; their gates must be known.
    Apart(Vec<u32>),
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
            Self::Apart(atoms) => {
                let known = atoms.iter().filter_map(|atom| model.derived.get(*atom as usize));
                let signals: Vec<Signal> = known.copied().flatten().collect();
                model.at_most(1, &signals)
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
            Self::Apart(atoms) => {
                let derived = |atom: &u32| {
                    let atom = GroundAtom::Derived(ground::AtomId(*atom));
                    GroundFormula::Atom { atom, next: false }
                };
                let of = atoms.iter().map(derived).collect();
                GroundFormula::Count { least: 0, most: Some(1), of }
            }
        }
    }
}
