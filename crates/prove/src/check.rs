//! A second opinion on proofs: induction certificates are verified with an encoding of their own.
//!
//! The engine on the circuit works with gates that were factored, shared and simplified. Here every rule of the ground
//! program becomes clauses as it stands ([`encode`]), counts are counted differently, and a fresh solver is asked
//! three things: the facts hold in the first states of every match; where they hold they hold after every legal
//! move; and they imply the property. Nothing is shared with the engine but the ground program and the solver.
//!
//! A proof by answer set programming is checked the same way: the property and all that it was proved with, directly or
//! not, are facts that prove each other. What was enumerated is not checked again.

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
    let all: Vec<Option<&GroundProperty>> = properties.iter().map(Some).collect();
    check_some(gates, &all, verdicts, deadline)
}

/// The same where some properties could not be made ground: proofs that need them are not checked.
pub fn check_some(
    gates: &Gates,
    properties: &[Option<&GroundProperty>],
    verdicts: &[Verdict],
    deadline: &Deadline,
) -> Vec<Checked> {
    let mut known: Vec<(Arc<Inductive>, Checked)> = Vec::new();
    let one = |at: usize| {
        let (Some(property), Some(facts)) = (properties[at], certificate(properties, verdicts, at))
        else {
            return Checked::Nothing;
        };
        let same = |(other, _): &(Arc<Inductive>, Checked)| {
            Arc::ptr_eq(other, &facts) || **other == *facts
        };
        let place = known.iter().position(same);
        let at = place.unwrap_or_else(|| {
            known.push((facts.clone(), inductive(gates, &facts, deadline)));
            known.len() - 1
        });
        match &known[at].1 {
            Checked::Confirmed => follows(gates, &facts, property, deadline),
            other => other.clone(),
        }
    };
    (0..verdicts.len()).map(one).collect()
}

/// The facts that prove a property by induction, if there are such.
pub(crate) fn certificate(
    properties: &[Option<&GroundProperty>],
    verdicts: &[Verdict],
    at: usize,
) -> Option<Arc<Inductive>> {
    let Verdict::Proved { certificate: Some(certificate), .. } = &verdicts[at] else {
        return None;
    };
    match certificate {
        Certificate::Inductive(facts) => Some(facts.clone()),
        _ => together(properties, verdicts, at).map(Arc::new),
    }
}

/// A property with all that its proof uses, directly or not. Hypotheses with facts of their own bring these along.
fn together(
    properties: &[Option<&GroundProperty>],
    verdicts: &[Verdict],
    at: usize,
) -> Option<Inductive> {
    let mut inside = vec![false; verdicts.len()];
    let mut todo = vec![at];
    let mut found = Inductive { facts: Vec::new(), k: 1, simple: false };
    let mut taken: Vec<Arc<Inductive>> = Vec::new();
    while let Some(at) = todo.pop() {
        if std::mem::replace(inside.get_mut(at)?, true) {
            continue;
        }
        let Verdict::Proved { hypotheses, certificate, .. } = &verdicts[at] else { return None };
        match certificate.as_ref()? {
            Certificate::Inductive(facts) => {
                if !taken.iter().any(|other| Arc::ptr_eq(other, facts)) {
                    taken.push(facts.clone());
                    found.facts.extend(facts.facts.iter().cloned());
                    found.k = found.k.max(facts.k);
                    found.simple |= facts.simple;
                }
            }
            _ => todo.extend(hypotheses.iter().copied()),
        }
        let property = properties[at]?;
        if !property.about_moves {
            found.facts.push(property.formula.clone());
        }
    }
    Some(found)
}

/// Whether facts hold at first and imply themselves.
pub fn inductive(gates: &Gates, facts: &Inductive, deadline: &Deadline) -> Checked {
    if deadline.passed() {
        return Checked::Stopped;
    }
    let k = facts.k.max(1) as usize;
    match base(gates, &facts.facts, k, deadline) {
        Checked::Confirmed => step(gates, facts, k, deadline),
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

fn step(gates: &Gates, certificate: &Inductive, k: usize, deadline: &Deadline) -> Checked {
    let facts = &certificate.facts;
    let mut encoding = Encoding::new(gates, Start::Anywhere, deadline);
    for time in 0..k {
        for fact in facts {
            encoding.require(fact, time);
        }
        encoding.step();
    }
    if certificate.simple {
        encoding.all_differ();
    }
    for (at, fact) in facts.iter().enumerate() {
        match encoding.fails(fact, k) {
            // What holds after the move may be used for the facts that come after it.
            Answer::Unsat => encoding.require(fact, k),
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
    if deadline.passed() {
        return Checked::Stopped;
    }
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
