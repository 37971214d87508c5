//! The only place that knows how the ground program stores its rules.

use datalog::GroundTerm;
use game::GroundProgram;
use ground::{AtomId, AtomKind, GroundLiteral};

/// A condition of a rule as distances and formulas read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    /// A fluent, by its number in the ground program.
    Fluent(u32),
    /// A relation with rules.
    Derived(AtomId),
    /// It can never hold.
    Never,
}

/// What a condition of a goal or of the end asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// A fluent, by its number in the ground program.
    Fluent(u32),
    /// A relation with rules.
    Derived,
    /// A move; goals of sound rules do not ask for moves.
    Does,
}

/// A ground program with the atoms that moves stand for.
#[derive(Clone, Copy)]
pub(crate) struct RuleView<'p> {
    program: &'p GroundProgram,
}

impl<'p> RuleView<'p> {
    pub(crate) fn new(program: &'p GroundProgram) -> Self {
        Self { program }
    }

    pub(crate) fn atom_count(self) -> usize {
        self.program.kinds.len()
    }

    pub(crate) fn fluent_count(self) -> usize {
        self.program.fluents.len()
    }

    /// The bodies of the rules for an atom.
    pub(crate) fn bodies(self, atom: AtomId) -> impl Iterator<Item = &'p [GroundLiteral]> {
        self.program.rules_of(atom)
    }

    /// The rule head that derives a fluent for the next state.
    pub(crate) fn next(self, fluent: u32) -> Option<AtomId> {
        self.program.next[fluent as usize]
    }

    /// What a positive condition asks for; a move that is made is legal (thesis Algorithm 4, line 4).
    pub(crate) fn condition(self, atom: AtomId) -> Condition {
        match self.program.kinds[atom.index()] {
            AtomKind::Fluent(fluent) => Condition::Fluent(fluent),
            AtomKind::Derived => Condition::Derived(atom),
            AtomKind::Does { role, action } => {
                let action = &self.program.moves[role as usize][action as usize];
                action.legal.map_or(Condition::Never, Condition::Derived)
            }
        }
    }

    /// What an atom is.
    pub(crate) fn input(self, atom: AtomId) -> Input {
        match self.program.kinds[atom.index()] {
            AtomKind::Fluent(fluent) => Input::Fluent(fluent),
            AtomKind::Derived => Input::Derived,
            AtomKind::Does { .. } => Input::Does,
        }
    }

    /// An atom as a term.
    pub(crate) fn name(self, atom: AtomId) -> &'p GroundTerm {
        &self.program.names[atom.index()]
    }

    /// The component of each atom in the graph of conditions, and for each component whether its atoms
    /// depend on themselves. Conditions have the same or smaller numbers.
    pub(crate) fn components(self, negative_too: bool) -> (Vec<u32>, Vec<bool>) {
        let edges: Vec<Vec<usize>> = (0..self.atom_count())
            .map(|atom| self.used_by(AtomId(atom as u32), negative_too))
            .collect();
        let (component_of, count) =
            gdl::depend::components(edges.len(), |node, edge| edges[node].get(edge).copied());
        let mut sizes = vec![0u32; count];
        for component in &component_of {
            sizes[*component] += 1;
        }
        let mut recursive: Vec<bool> = sizes.iter().map(|size| *size > 1).collect();
        for (atom, used) in edges.iter().enumerate() {
            if used.contains(&atom) {
                recursive[component_of[atom]] = true;
            }
        }
        (component_of.into_iter().map(|component| component as u32).collect(), recursive)
    }

    fn used_by(self, atom: AtomId, negative_too: bool) -> Vec<usize> {
        let mut used: Vec<usize> = self
            .bodies(atom)
            .flatten()
            .filter(|literal| negative_too || !literal.negative)
            .filter_map(|literal| match self.condition(literal.atom) {
                Condition::Derived(other) => Some(other.index()),
                Condition::Fluent(_) | Condition::Never => None,
            })
            .collect();
        used.sort_unstable();
        used.dedup();
        used
    }
}
