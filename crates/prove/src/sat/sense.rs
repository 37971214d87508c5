//! Whether a property can hold at all: one that no set of fluents fulfils is more likely a slip of whoever wrote it
//! than a question about the game.

use game::{Deadline, Gates};

use super::claim::Translator;
use super::model::Model;
use super::solver::{Answer, Sat};
use super::unroll::{Start, Unrolling};
use crate::ground_property::GroundProperty;

/// The most conflicts of the question.
const CONFLICTS: u32 = 10_000;

/// Whether no state, reachable or not, fulfils a property. What takes long counts as fulfilled somewhere.
pub fn is_contradiction(gates: &Gates, property: &GroundProperty, deadline: &Deadline) -> bool {
    let Ok(mut model) = Model::new(gates) else { return false };
    let signal = Translator::new(gates).signal(&mut model, &property.formula);
    let mut sat = Sat::new(deadline);
    let mut unrolling = Unrolling::new(&model, Start::Anywhere);
    if property.about_moves && !unrolling.step(&mut sat) {
        return false;
    }
    let Some(literal) = unrolling.literal(&mut sat, 0, signal) else { return false };
    sat.solve_within(&[literal], CONFLICTS) == Answer::Unsat
}
