//! Conditions of effects: formulas over fluents, relations and moves, each stored once.
//!
//! Negation stands before atoms only, so that a formula and its opposite are both monotone in their literals,
//! which is what a relaxation needs.

use ground::AtomId;
use rustc_hash::FxHashMap;

/// A formula, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FormulaId(u32);

/// What a literal is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Atom {
    /// A fluent, by its number in the ground program.
    Fluent(u32),
    /// A relation that depends on the state alone.
    Derived(AtomId),
    /// A move of another role.
    Does {
        /// The role.
        role: u32,
        /// The move, by its number in the ground program.
        action: u32,
    },
    /// Something that cannot be expressed: recursion through moves. It is taken to hold and not to hold.
    Unknown,
}

/// A formula.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    /// Holds always.
    True,
    /// Holds never.
    False,
    /// An atom or its negation.
    Literal(Atom, bool),
    /// All of them hold.
    And(Vec<FormulaId>),
    /// One of them holds.
    Or(Vec<FormulaId>),
}

/// The formulas of a game.
#[derive(Clone, Debug)]
pub struct Formulas {
    all: Vec<Formula>,
    ids: FxHashMap<Formula, FormulaId>,
    /// Numbers of formulas inside formulas, as a measure of memory.
    parts: usize,
}

/// Holds always.
pub const TRUE: FormulaId = FormulaId(0);
/// Holds never.
pub const FALSE: FormulaId = FormulaId(1);

impl Default for Formulas {
    fn default() -> Self {
        let mut formulas = Self { all: Vec::new(), ids: FxHashMap::default(), parts: 0 };
        formulas.intern(Formula::True);
        formulas.intern(Formula::False);
        formulas
    }
}

impl Formulas {
    /// The formula with a number.
    pub fn get(&self, id: FormulaId) -> &Formula {
        &self.all[id.0 as usize]
    }

    /// Memory in bytes, about.
    pub fn bytes(&self) -> usize {
        self.all.len() * 2 * size_of::<Formula>() + self.parts * 8
    }

    fn intern(&mut self, formula: Formula) -> FormulaId {
        if let Some(id) = self.ids.get(&formula) {
            return *id;
        }
        let id = FormulaId(self.all.len() as u32);
        if let Formula::And(parts) | Formula::Or(parts) = &formula {
            self.parts += parts.len();
        }
        self.all.push(formula.clone());
        self.ids.insert(formula, id);
        id
    }

    /// A literal; `negative` for its negation.
    pub fn literal(&mut self, atom: Atom, negative: bool) -> FormulaId {
        self.intern(Formula::Literal(atom, negative && atom != Atom::Unknown))
    }

    /// All of them.
    pub fn and(&mut self, parts: Vec<FormulaId>) -> FormulaId {
        self.join(parts, true)
    }

    /// One of them.
    pub fn or(&mut self, parts: Vec<FormulaId>) -> FormulaId {
        self.join(parts, false)
    }

    fn join(&mut self, parts: Vec<FormulaId>, all: bool) -> FormulaId {
        let (unit, zero) = if all { (TRUE, FALSE) } else { (FALSE, TRUE) };
        let mut flat = Vec::with_capacity(parts.len());
        for part in parts {
            match (self.get(part), all) {
                (Formula::And(inner), true) | (Formula::Or(inner), false) => flat.extend(inner),
                _ if part == unit => {}
                _ => flat.push(part),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        if flat.contains(&zero) || self.contradicts(&flat) {
            return zero;
        }
        self.absorb(&mut flat, all);
        match flat.len() {
            0 => unit,
            1 => flat[0],
            _ => self.intern(if all { Formula::And(flat) } else { Formula::Or(flat) }),
        }
    }

    /// Whether a literal stands beside its negation.
    fn contradicts(&self, sorted: &[FormulaId]) -> bool {
        sorted.iter().any(|id| match self.get(*id) {
            Formula::Literal(atom, false) if *atom != Atom::Unknown => {
                let other = self.ids.get(&Formula::Literal(*atom, true));
                other.is_some_and(|other| sorted.binary_search(other).is_ok())
            }
            _ => false,
        })
    }

    /// Leaves out `a and b` beside `or a`, and `a or b` beside `and a`.
    fn absorb(&self, sorted: &mut Vec<FormulaId>, all: bool) {
        let literals: Vec<FormulaId> = sorted
            .iter()
            .copied()
            .filter(|id| matches!(self.get(*id), Formula::Literal(..)))
            .collect();
        if literals.is_empty() || literals.len() == sorted.len() {
            return;
        }
        sorted.retain(|id| match (self.get(*id), all) {
            (Formula::And(parts), false) | (Formula::Or(parts), true) => {
                !parts.iter().any(|part| literals.binary_search(part).is_ok())
            }
            _ => true,
        });
    }

    /// The opposite.
    pub fn not(&mut self, id: FormulaId) -> FormulaId {
        match self.get(id).clone() {
            Formula::True => FALSE,
            Formula::False => TRUE,
            Formula::Literal(atom, negative) => self.literal(atom, !negative),
            Formula::And(parts) => {
                let parts = parts.into_iter().map(|part| self.not(part)).collect();
                self.or(parts)
            }
            Formula::Or(parts) => {
                let parts = parts.into_iter().map(|part| self.not(part)).collect();
                self.and(parts)
            }
        }
    }

    /// The formula where a fluent is known to hold, or not to hold.
    pub fn given(&mut self, id: FormulaId, fluent: u32, holds: bool) -> FormulaId {
        match self.get(id).clone() {
            Formula::Literal(Atom::Fluent(other), negative) if other == fluent => {
                if holds == negative { FALSE } else { TRUE }
            }
            Formula::And(parts) => {
                let parts = parts.into_iter().map(|p| self.given(p, fluent, holds)).collect();
                self.and(parts)
            }
            Formula::Or(parts) => {
                let parts = parts.into_iter().map(|p| self.given(p, fluent, holds)).collect();
                self.or(parts)
            }
            _ => id,
        }
    }

    /// Whether something in it cannot be expressed.
    pub fn is_unknown(&self, id: FormulaId) -> bool {
        match self.get(id) {
            Formula::Literal(atom, _) => *atom == Atom::Unknown,
            Formula::And(parts) | Formula::Or(parts) => parts.iter().any(|p| self.is_unknown(*p)),
            Formula::True | Formula::False => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_simplified_and_negated_by_de_morgan() {
        let mut all = Formulas::default();
        let a = all.literal(Atom::Fluent(1), false);
        let b = all.literal(Atom::Fluent(2), false);
        let not_a = all.not(a);
        assert_eq!(all.and(vec![a, not_a]), FALSE);
        assert_eq!(all.or(vec![a, not_a, b]), TRUE);
        let both = all.and(vec![a, b]);
        assert_eq!(all.or(vec![both, a]), a);
        let opposite = all.not(both);
        assert_eq!(all.not(opposite), both);
        assert_eq!(all.given(both, 1, true), b);
        assert_eq!(all.given(both, 1, false), FALSE);
        assert_eq!(all.given(opposite, 1, false), TRUE);
    }

    #[test]
    fn what_cannot_be_expressed_neither_cancels_nor_becomes_certain() {
        let mut all = Formulas::default();
        let unknown = all.literal(Atom::Unknown, false);
        let other = all.not(unknown);
        let both = all.and(vec![unknown, other]);
        assert!(both != FALSE && all.is_unknown(both));
    }
}
