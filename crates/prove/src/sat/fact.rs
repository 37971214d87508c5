//! What is known to hold in all reachable states, and what each proof of it needs: the hypotheses of a verdict.

use circuit::graph::Signal;

use super::houdini::Inductive;
use crate::ground_property::GroundFormula;

/// Something known to hold in all reachable states.
#[derive(Clone)]
pub(super) struct Fact {
    /// What it says.
    pub formula: GroundFormula,
    /// Its gates.
    pub signal: Signal,
    /// The property that it is a part of, if it is.
    pub of: Option<usize>,
    /// What its proof needs.
    pub needs: Needs,
}

/// Facts that a proof needs, by their places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Needs {
    /// These.
    These(Vec<usize>),
    /// All before this one were assumed, and nobody knows which of them were needed.
    Before(usize),
}

/// All facts that are needed for something, directly or for each other, in order.
pub(super) fn all_needed(facts: &[Fact], needs: &[&Needs]) -> Vec<usize> {
    let mut inside = vec![false; facts.len()];
    let mut todo = Vec::new();
    // All facts before this one are inside.
    let mut before = 0;
    let mut take = |needs: &Needs, todo: &mut Vec<usize>| {
        let new: Vec<usize> = match needs {
            Needs::These(these) => these.iter().copied().filter(|at| !inside[*at]).collect(),
            Needs::Before(end) => {
                let new = (before..*end).filter(|at| !inside[*at]).collect();
                before = before.max(*end);
                new
            }
        };
        for at in &new {
            inside[*at] = true;
        }
        todo.extend(new);
    };
    for needs in needs {
        take(needs, &mut todo);
    }
    while let Some(at) = todo.pop() {
        take(&facts[at].needs, &mut todo);
    }
    (0..facts.len()).filter(|at| inside[*at]).collect()
}

/// The proofs of one induction, from the places of candidates to the places of facts.
pub(super) struct Proofs {
    /// For each candidate that was kept its place in the list of all, and what its proof needs.
    kept: Vec<(usize, Option<Vec<usize>>)>,
    /// For each candidate that was tried its place in the list of all.
    tried: Vec<usize>,
    /// How many facts were known before.
    facts: usize,
    /// Which candidates became which facts.
    places: Vec<(usize, usize)>,
}

impl Proofs {
    pub fn new(found: &Inductive, tried: &[usize], facts: usize) -> Self {
        let proofs = tried.iter().zip(&found.kept).zip(&found.proofs);
        let proofs =
            proofs.filter(|((_, kept), _)| **kept).map(|((at, _), own)| (*at, own.clone()));
        let (kept, tried) = (proofs.collect(), tried.to_vec());
        Self { kept, tried, facts, places: Vec::new() }
    }

    /// A candidate became a fact.
    pub fn place(&mut self, candidate: usize, fact: usize) {
        self.places.push((candidate, fact));
    }

    /// Writes down what the new facts need. Candidates that are the same as another one have its proof.
    pub fn settle(self, same: &[usize], facts: &mut [Fact]) {
        let end = facts.len();
        let mut fact_of = vec![None; same.len()];
        for (candidate, fact) in &self.places {
            fact_of[*candidate].get_or_insert(*fact);
        }
        let translate = |need: usize| match need.checked_sub(self.tried.len()) {
            None => fact_of[self.tried[need]],
            // What was known: facts, and after them what follows from all of them.
            Some(known) => (known < self.facts).then_some(known),
        };
        let mut needs: Vec<Needs> = vec![Needs::Before(end); same.len()];
        for (candidate, proof) in &self.kept {
            let these = proof.as_ref().and_then(|proof| {
                proof.iter().map(|need| translate(*need)).collect::<Option<Vec<usize>>>()
            });
            if let Some(these) = these {
                needs[*candidate] = Needs::These(these);
            }
        }
        for (candidate, fact) in self.places {
            facts[fact].needs = needs[same[candidate]].clone();
        }
    }
}
