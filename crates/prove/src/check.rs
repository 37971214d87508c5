//! A second opinion on proofs: induction certificates are verified with an encoding of their own.
//!
//! The engine on the circuit works with gates that were factored, shared and simplified. Here every rule of the ground
//! program becomes clauses as it stands ([`encode`]), counts are counted differently, and a fresh solver is asked
//! three things: the facts hold in the first states of every match; where they hold they hold after every legal
//! move; and they imply the property. Nothing is shared with the engine but the ground program and the solver.

pub mod encode;

use std::sync::Arc;

use game::{Deadline, Gates};

use crate::ground_property::{GroundFormula, GroundProperty};
use crate::sat::solver::Answer;
use crate::verdict::{Certificate, Inductive, Verdict};
use encode::{Encoding, Start};

/// What the check of a proof said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checked {
    /// The proof is right.
    Confirmed,
    /// It is not, or not as far as this encoding can tell: what fails.
    Rejected(Flaw),
    /// The deadline passed first.
    Stopped,
    /// There is nothing to check: no proof by induction with a certificate.
    Nothing,
}

/// What is wrong with a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// A fact, by its place, fails in one of the first states.
    Base(usize),
    /// A fact, by its place, can be broken by a legal move.
    Step(usize),
    /// The property does not follow from the facts.
    Conclusion,
}

/// Checks all verdicts about properties of a game. Facts that several proofs share are checked once.
pub fn check(
    gates: &Gates,
    properties: &[GroundProperty],
    verdicts: &[Verdict],
    deadline: &Deadline,
) -> Vec<Checked> {
    let mut known: Vec<(Arc<Inductive>, Checked)> = Vec::new();
    let one = |(property, verdict): (&GroundProperty, &Verdict)| {
        let Verdict::Proved { certificate: Some(Certificate::Inductive(facts)), .. } = verdict
        else {
            return Checked::Nothing;
        };
        let place = known.iter().position(|(other, _)| Arc::ptr_eq(other, facts));
        let at = place.unwrap_or_else(|| {
            known.push((facts.clone(), inductive(gates, facts, deadline)));
            known.len() - 1
        });
        match &known[at].1 {
            Checked::Confirmed => follows(gates, facts, property, deadline),
            other => other.clone(),
        }
    };
    properties.iter().zip(verdicts).map(one).collect()
}

/// Whether facts hold at first and imply themselves.
pub fn inductive(gates: &Gates, facts: &Inductive, deadline: &Deadline) -> Checked {
    let k = facts.k.max(1) as usize;
    match base(gates, &facts.facts, k, deadline) {
        Checked::Confirmed => step(gates, &facts.facts, k, deadline),
        other => other,
    }
}

fn base(gates: &Gates, facts: &[GroundFormula], k: usize, deadline: &Deadline) -> Checked {
    let mut encoding = Encoding::new(gates, Start::Initial, deadline);
    for time in 0..k {
        for (at, fact) in facts.iter().enumerate() {
            match encoding.fails(fact, time) {
                Answer::Unsat => {}
                Answer::Sat => return Checked::Rejected(Flaw::Base(at)),
                Answer::Stopped => return Checked::Stopped,
            }
        }
        encoding.step();
    }
    Checked::Confirmed
}

fn step(gates: &Gates, facts: &[GroundFormula], k: usize, deadline: &Deadline) -> Checked {
    let mut encoding = Encoding::new(gates, Start::Anywhere, deadline);
    for time in 0..k {
        for fact in facts {
            encoding.require(fact, time);
        }
        encoding.step();
    }
    for (at, fact) in facts.iter().enumerate() {
        match encoding.fails(fact, k) {
            Answer::Unsat => {}
            Answer::Sat => return Checked::Rejected(Flaw::Step(at)),
            Answer::Stopped => return Checked::Stopped,
        }
    }
    Checked::Confirmed
}

/// Whether a property follows from facts about the same state.
pub fn follows(
    gates: &Gates,
    facts: &Inductive,
    property: &GroundProperty,
    deadline: &Deadline,
) -> Checked {
    let mut encoding = Encoding::new(gates, Start::Anywhere, deadline);
    for fact in &facts.facts {
        encoding.require(fact, 0);
    }
    if property.about_moves {
        encoding.step();
    }
    match encoding.fails(&property.formula, 0) {
        Answer::Unsat => Checked::Confirmed,
        Answer::Sat => Checked::Rejected(Flaw::Conclusion),
        Answer::Stopped => Checked::Stopped,
    }
}
