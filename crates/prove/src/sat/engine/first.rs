//! What comes before any guess: what is proved already, what is asked for all at once, what rules show.

use std::sync::Arc;

use circuit::graph::Signal;

use super::{Guesses, Work};
use crate::sat::by_rules::ByRules;
use crate::sat::claim::{Part, Translator, is_about_fluents};
use crate::sat::fact::{Fact, Needs};
use crate::sat::houdini::{Back, Task, houdini};
use crate::verdict::Inductive;

/// What is proved already: which of the properties, and the facts that prove them by induction.
#[derive(Clone, Debug, Default)]
pub struct Believed {
    /// The places of the properties.
    pub proved: Vec<usize>,
    /// The facts, those properties among them.
    pub facts: Vec<Arc<Inductive>>,
}

/// So many parts are proved on one copy of the circuit.
const MANY: usize = 16;

impl<'a> Work<'a> {
    /// Takes over what is proved already.
    pub(super) fn believe(&mut self, believed: &Believed) {
        let mut translator = Translator::new(self.gates);
        for certificate in &believed.facts {
            self.k = self.k.max(certificate.k);
            self.simple |= certificate.simple;
            for formula in &certificate.facts {
                let signal = translator.signal(&mut self.model, formula);
                let (formula, needs) = (formula.clone(), Needs::Before(0));
                self.facts.push(Fact { formula, signal, of: None, needs });
            }
        }
        for at in 0..self.parts.len() {
            let Part { formula, signal, property, about_moves } = self.parts[at].clone();
            if !believed.proved.contains(&property) {
                continue;
            }
            self.proved[at] = true;
            if !about_moves {
                self.needs[at] = Needs::These(vec![self.facts.len()]);
                let needs = Needs::Before(0);
                self.facts.push(Fact { formula, signal, of: Some(property), needs });
            }
        }
    }

    /// The largest inductive set of what is asked about fluents alone, without any guesses, all on one copy of the circuit: where many
    /// parts depend on much of it, that is less than a copy for each.
    pub(super) fn induct_asked(&mut self, conflicts: u32) {
        let lost = std::mem::take(&mut self.lost);
        let guesses = self.guesses();
        let about_fluents = |at: &usize| {
            let part = guesses.open.get(*at).map(|at| &self.parts[*at].formula);
            guesses.same[*at] == *at && part.is_some_and(is_about_fluents)
        };
        let tried: Vec<usize> = (0..guesses.open.len()).filter(about_fluents).collect();
        if tried.len() >= MANY {
            let signals: Vec<Signal> = tried.iter().map(|at| guesses.candidates[*at]).collect();
            let (known, back, deadline) = (self.known(), Back::ONE, self.share_of_time(4));
            let task = Task { known: &known, candidates: &signals, back, conflicts, local: false };
            if let Some(found) = houdini(&self.model, &task, &deadline) {
                self.adopt(guesses, &tried, &found, back);
                self.settle();
            }
        }
        self.lost = lost;
    }

    /// What rules show of the guesses, with each other and with what is known.
    pub(super) fn by_rules(&self, guesses: &Guesses) -> ByRules<'a> {
        let mut rules = ByRules::new(self.gates);
        let parts = guesses.open.iter().map(|at| &self.parts[*at].formula);
        // What is asked about derived atoms has to follow itself.
        parts.for_each(|formula| rules.add(formula, is_about_fluents(formula)));
        guesses.lemmas.iter().for_each(|lemma| rules.add(&self.formula(lemma), true));
        self.facts.iter().for_each(|fact| rules.add(&fact.formula, true));
        rules
    }
}
