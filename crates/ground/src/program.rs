//! The ground program: what may ever hold, and the rules for it, without variables.

use std::fmt::Write as _;

use datalog::GroundTerm;
use gdl::Symbols;

use crate::bodies::Bodies;

/// An atom of the ground program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AtomId(pub u32);

impl AtomId {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What an atom stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomKind {
    /// `true(F)`, with the index of the fluent.
    Fluent(u32),
    /// `does(R,M)`, with the index of the move in its role's list.
    Does {
        /// The role.
        role: u32,
        /// The move.
        action: u32,
    },
    /// Anything derived by rules.
    Derived,
}

/// A condition of a ground rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroundLiteral {
    /// The atom.
    pub atom: AtomId,
    /// Whether it must not hold.
    pub negative: bool,
}

/// The rules of a game without variables.
#[derive(Clone, Debug, Default)]
pub struct GroundProgram {
    /// The names, those of the parts that factoring introduced included.
    pub symbols: Symbols,
    /// What each atom stands for.
    pub kinds: Vec<AtomKind>,
    /// Each atom as a term, for people.
    pub names: Vec<GroundTerm>,
    /// For each atom the bodies of its rules; inputs (fluents and moves) have none.
    pub rules: Bodies,
    /// All fluents that may ever hold.
    pub fluents: Vec<GroundTerm>,
    /// For each fluent whether it holds initially.
    pub initial: Vec<bool>,
    /// For each fluent its `next` atom, if rules derive it.
    pub next: Vec<Option<AtomId>>,
    /// For each role its moves with their `legal` atoms and `does` atoms.
    pub moves: Vec<Vec<GroundMove>>,
    /// The atom `terminal`, if rules derive it.
    pub terminal: Option<AtomId>,
    /// For each role the goal values with their atoms.
    pub goals: Vec<Vec<(GroundTerm, AtomId)>>,
}

/// A move of a role.
#[derive(Clone, Debug)]
pub struct GroundMove {
    /// The move.
    pub term: GroundTerm,
    /// `legal(R,M)`; none if it turned out to be impossible.
    pub legal: Option<AtomId>,
    /// `does(R,M)`, if any rule asks for it.
    pub does: Option<AtomId>,
}

impl GroundProgram {
    /// The number of rules.
    pub fn rule_count(&self) -> usize {
        self.rules.len()
    }

    /// The bodies of the rules of an atom.
    pub fn rules_of(
        &self,
        atom: AtomId,
    ) -> impl ExactSizeIterator<Item = &[GroundLiteral]> + DoubleEndedIterator + Clone + '_ {
        self.rules.of(atom)
    }

    /// Memory in bytes, closely.
    pub fn bytes(&self) -> usize {
        let moves = self.moves.iter().flatten().map(|action| action.term.bytes() + 16);
        self.rules.bytes()
            + self.kinds.len() * size_of::<AtomKind>()
            + self.names.iter().map(GroundTerm::bytes).sum::<usize>()
            + self.fluents.iter().map(|fluent| fluent.bytes() + 9).sum::<usize>()
            + moves.sum::<usize>()
    }

    /// All atoms.
    pub fn atoms(&self) -> impl ExactSizeIterator<Item = AtomId> + use<> {
        (0..self.kinds.len() as u32).map(AtomId)
    }

    /// The program as text, one rule a line, in a fixed order.
    pub fn to_text(&self) -> String {
        let name = |atom: AtomId| self.names[atom.index()].to_text(&self.symbols);
        let mut lines = Vec::with_capacity(self.rule_count());
        for head in self.atoms() {
            for body in self.rules_of(head) {
                let mut line = name(head);
                let mut parts: Vec<String> = body
                    .iter()
                    .map(|literal| {
                        let sign = if literal.negative { "not " } else { "" };
                        format!("{sign}{}", name(literal.atom))
                    })
                    .collect();
                parts.sort_unstable();
                if !parts.is_empty() {
                    let _ = write!(line, " <- {}", parts.join(", "));
                }
                lines.push(line);
            }
        }
        lines.sort_unstable();
        lines.push(String::new());
        lines.join("\n")
    }
}
