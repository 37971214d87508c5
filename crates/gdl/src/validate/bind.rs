//! What the positive conditions of a rule bind, in every one of its alternatives, without expanding
//! them.
//!
//! A conjunction binds what any part binds, a disjunction what all parts bind. That is exact: if two
//! disjunctions of a conjunction each have a part that fails to bind a thing, then choosing these two
//! parts gives an alternative that fails to bind it.

use std::hash::Hash;

use rustc_hash::FxHashSet;

use crate::ast::{Atom, Formula, FormulaKind, Term};

/// Things bound in each alternative.
pub(super) enum Bound<K> {
    /// There is no alternative at all, such as in an empty `or`.
    Everything,
    /// These.
    These(FxHashSet<K>),
}

impl<K: Hash + Eq> Bound<K> {
    fn nothing() -> Self {
        Bound::These(FxHashSet::default())
    }

    /// Whether the thing is bound.
    pub fn has(&self, key: &K) -> bool {
        match self {
            Bound::Everything => true,
            Bound::These(keys) => keys.contains(key),
        }
    }

    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Bound::These(mut a), Bound::These(mut b)) => {
                if a.len() < b.len() {
                    std::mem::swap(&mut a, &mut b);
                }
                a.extend(b);
                Bound::These(a)
            }
            _ => Bound::Everything,
        }
    }

    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Bound::Everything, one) | (one, Bound::Everything) => one,
            (Bound::These(mut a), Bound::These(b)) => {
                a.retain(|key| b.contains(key));
                Bound::These(a)
            }
        }
    }
}

/// A condition that is not made of others.
pub(super) enum Condition<'f> {
    /// An atom.
    Positive(&'f Atom),
    /// A negated atom.
    Negative(&'f Atom),
    /// `distinct`, negated or not.
    Distinct(&'f Term, &'f Term),
}

/// What a condition can rely on: the layers of conjunctions around it.
pub(super) struct Scope<K> {
    layers: Vec<Bound<K>>,
}

impl<K: Hash + Eq> Scope<K> {
    /// Whether the thing is bound in every alternative that the condition belongs to.
    pub fn has(&self, key: &K) -> bool {
        self.layers.iter().any(|layer| layer.has(key))
    }
}

/// Visits each condition of `body` with its scope, and returns what the whole body binds. `binds`
/// says what a positive atom binds.
pub(super) fn walk<'f, K: Hash + Eq>(
    body: &'f [Formula],
    binds: impl FnMut(&'f Atom, &mut FxHashSet<K>),
    visit: impl FnMut(Condition<'f>, &Scope<K>),
) -> Bound<K> {
    let mut walker = Walker { binds, visit, scope: Scope { layers: Vec::new() } };
    walker.conjunction(body, false);
    walker.bound_by_all(body, false)
}

struct Walker<K, B, V> {
    binds: B,
    visit: V,
    scope: Scope<K>,
}

impl<'f, K, B, V> Walker<K, B, V>
where
    K: Hash + Eq,
    B: FnMut(&'f Atom, &mut FxHashSet<K>),
    V: FnMut(Condition<'f>, &Scope<K>),
{
    fn conjunction(&mut self, parts: &'f [Formula], negated: bool) {
        let layer = self.bound_by_all(parts, negated);
        self.scope.layers.push(layer);
        for part in parts {
            self.formula(part, negated);
        }
        self.scope.layers.pop();
    }

    fn formula(&mut self, formula: &'f Formula, negated: bool) {
        let condition = match &formula.kind {
            FormulaKind::Not(inner) => return self.formula(inner, !negated),
            FormulaKind::And(parts) | FormulaKind::Or(parts) => {
                if is_conjunction(formula, negated) {
                    return self.conjunction(parts, negated);
                }
                for part in parts {
                    self.conjunction(std::slice::from_ref(part), negated);
                }
                return;
            }
            FormulaKind::Atom(atom) if negated => Condition::Negative(atom),
            FormulaKind::Atom(atom) => Condition::Positive(atom),
            FormulaKind::Distinct(a, b) => Condition::Distinct(a, b),
        };
        (self.visit)(condition, &self.scope);
    }

    fn bound_by_all(&mut self, parts: &'f [Formula], negated: bool) -> Bound<K> {
        parts.iter().fold(Bound::nothing(), |all, part| all.and(self.bound(part, negated)))
    }

    fn bound(&mut self, formula: &'f Formula, negated: bool) -> Bound<K> {
        match &formula.kind {
            FormulaKind::Not(inner) => self.bound(inner, !negated),
            FormulaKind::And(parts) | FormulaKind::Or(parts) => {
                if is_conjunction(formula, negated) {
                    return self.bound_by_all(parts, negated);
                }
                parts.iter().fold(Bound::Everything, |all, part| all.or(self.bound(part, negated)))
            }
            FormulaKind::Atom(atom) if !negated => {
                let mut keys = FxHashSet::default();
                (self.binds)(atom, &mut keys);
                Bound::These(keys)
            }
            FormulaKind::Atom(_) | FormulaKind::Distinct(..) => Bound::nothing(),
        }
    }
}

/// Whether all parts must hold: `and`, or a negated `or`.
fn is_conjunction(formula: &Formula, negated: bool) -> bool {
    matches!(formula.kind, FormulaKind::Or(_)) == negated
}
