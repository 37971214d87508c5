//! Groups of derived atoms of which at most one holds: guesses that help where properties speak of derived atoms.

use circuit::graph::Signal;

use super::{Guesses, Parts, Work};
use crate::sat::claim::is_about_fluents;
use crate::sat::lemma::Lemma;
use crate::sat::local::Group;
use crate::sat::mine;

impl Work<'_> {
    /// Proofs on demand, with groups of derived atoms among the guesses.
    pub(super) fn demand_with_groups(&mut self, conflicts: u32, most_nodes: usize) {
        let apart = self.apart(most_nodes);
        self.lost.extend(apart);
        self.demand(conflicts, Parts::All);
        self.lost.retain(|lemma| !matches!(lemma, Lemma::Apart(_)));
    }

    /// Groups of derived atoms that excluded each other in all samples, as guesses.
    fn apart(&mut self, most_nodes: usize) -> Vec<Lemma> {
        // What speaks of fluents alone hardly needs them.
        let derived = |at: &usize| !is_about_fluents(&self.parts[*at].formula);
        if self.deadline.passed() || !self.open().iter().any(derived) {
            return Vec::new();
        }
        let groups = self.derived_groups().into_iter();
        let atoms = |group: Vec<(usize, Signal)>| group.iter().map(|(at, _)| *at as u32).collect();
        let groups = groups.map(|group| Lemma::Apart(atoms(group)));
        if self.model.graph.nodes().len() <= most_nodes {
            return groups.collect();
        }
        // A solver would take too long for so many; rules do not.
        let guesses = self.guesses();
        let mut rules = self.by_rules(&guesses);
        let shown = groups.filter(|group| rules.shows(&self.formula(group))).collect();
        self.lost = guesses.lemmas;
        shown
    }

    /// Groups of derived atoms of which no two held together in any sample.
    pub(super) fn derived_groups(&mut self) -> Vec<Vec<(usize, Signal)>> {
        let program = self.gates.program();
        if self.model.derived.is_empty() {
            self.model.derived = self.model.atoms(program);
        }
        let mut atoms = self.model.derived.clone();
        // Only what open properties depend on can help them.
        let open: Vec<Signal> = self.open().iter().map(|at| self.parts[*at].signal).collect();
        let mut inside = vec![false; self.model.graph.nodes().len()];
        for node in self.model.cone(&open) {
            inside[node as usize] = true;
        }
        for atom in &mut atoms {
            *atom = atom.filter(|signal| inside[signal.node()]);
        }
        mine::derived_groups(program, &self.model, &atoms, &self.samples, &self.deadline)
    }

    /// The groups of derived atoms among the guesses.
    pub(super) fn groups(&self, guesses: &Guesses) -> Vec<(usize, Group)> {
        let group = |(at, lemma): (usize, &Lemma)| {
            let Lemma::Apart(atoms) = lemma else { return None };
            let members = atoms.iter().filter_map(|atom| self.model.derived[*atom as usize]);
            let group = Group { members: members.collect(), rank: at as u32 + 1 };
            Some((guesses.open.len() + at, group))
        };
        guesses.lemmas.iter().enumerate().filter_map(group).collect()
    }
}
