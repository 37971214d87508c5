//! Comparing rule sheets that were read separately, each with names of its own.
//!
//! Reading what was written, in the same or the other syntax, has to give the same clauses; this
//! module says what "the same" is.

use rustc_hash::FxHashMap;

use crate::ast::{Atom, Clause, Formula, FormulaKind, Rules, Term, TermKind};
use crate::symbol::{Symbol, Symbols};

/// What counts as the same variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variables {
    /// One with the same name.
    ByName,
    /// One that stands at the same places of its clause.
    ByPlace,
}

/// The index of the first clause in which two rule sheets differ, if they do. Names compare without
/// regard to case, as everywhere; comments and places in the text do not count.
pub fn first_difference(a: &Rules, b: &Rules, variables: Variables) -> Option<usize> {
    let most = a.clauses.len().max(b.clauses.len());
    (0..most).find(|i| match (a.clauses.get(*i), b.clauses.get(*i)) {
        (Some(left), Some(right)) => !same_clause((a, left), (b, right), variables),
        _ => true,
    })
}

/// Whether two clauses of different rule sheets are the same.
pub fn same_clause(a: (&Rules, &Clause), b: (&Rules, &Clause), variables: Variables) -> bool {
    let mut pair = Pair {
        left: &a.0.symbols,
        right: &b.0.symbols,
        variables,
        there: FxHashMap::default(),
        back: FxHashMap::default(),
    };
    a.1.implication == b.1.implication
        && pair.atom(&a.1.head, &b.1.head)
        && all(&a.1.body, &b.1.body, |x, y| pair.formula(x, y))
}

/// Two tables of names, and which variables of the clause answer each other.
struct Pair<'s> {
    left: &'s Symbols,
    right: &'s Symbols,
    variables: Variables,
    there: FxHashMap<Symbol, Symbol>,
    back: FxHashMap<Symbol, Symbol>,
}

fn all<T>(a: &[T], b: &[T], mut same: impl FnMut(&T, &T) -> bool) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(x, y)| same(x, y))
}

impl Pair<'_> {
    fn name(&self, a: Symbol, b: Symbol) -> bool {
        self.left.get(self.right.name(b)) == Some(a)
    }

    fn variable(&mut self, a: Symbol, b: Symbol) -> bool {
        match self.variables {
            Variables::ByName => self.name(a, b),
            Variables::ByPlace => {
                *self.there.entry(a).or_insert(b) == b && *self.back.entry(b).or_insert(a) == a
            }
        }
    }

    fn term(&mut self, a: &Term, b: &Term) -> bool {
        match (&a.kind, &b.kind) {
            (TermKind::Variable(a), TermKind::Variable(b)) => self.variable(*a, *b),
            (TermKind::Constant(a), TermKind::Constant(b)) => self.name(*a, *b),
            (TermKind::Function(f, a), TermKind::Function(g, b)) => {
                self.name(*f, *g) && all(a, b, |x, y| self.term(x, y))
            }
            _ => false,
        }
    }

    fn atom(&mut self, a: &Atom, b: &Atom) -> bool {
        a.parens == b.parens
            && self.name(a.name, b.name)
            && all(&a.args, &b.args, |x, y| self.term(x, y))
    }

    fn formula(&mut self, a: &Formula, b: &Formula) -> bool {
        match (&a.kind, &b.kind) {
            (FormulaKind::Atom(a), FormulaKind::Atom(b)) => self.atom(a, b),
            (FormulaKind::Not(a), FormulaKind::Not(b)) => self.formula(a, b),
            (FormulaKind::Or(a), FormulaKind::Or(b))
            | (FormulaKind::And(a), FormulaKind::And(b)) => all(a, b, |x, y| self.formula(x, y)),
            (FormulaKind::Distinct(a, b), FormulaKind::Distinct(c, d)) => {
                self.term(a, c) && self.term(b, d)
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, parse};

    fn check(a: &str, b: &str, by_name: Option<usize>, by_place: Option<usize>) {
        let read = |text| parse(text, &Limits::default()).0;
        let (a, b) = (read(a), read(b));
        assert_eq!(first_difference(&a, &b, Variables::ByName), by_name);
        assert_eq!(first_difference(&a, &b, Variables::ByPlace), by_place);
    }

    #[test]
    fn case_and_layout_do_not_count_but_everything_else_does() {
        check("(p A) (q)", "(P a)\n; c\n(Q)", None, None);
        check("(p a) (q)", "(p a) q", Some(1), Some(1));
        check("(p a) (q)", "(p a)", Some(1), Some(1));
        check("(<= p)", "p", Some(0), Some(0));
        check("(<= p (or a b))", "(<= p (and a b))", Some(0), Some(0));
        check("(<= p (or (or a) b))", "(<= p (or a b))", Some(0), Some(0));
    }

    #[test]
    fn variables_compare_by_name_or_by_place() {
        check("(p ?x ?y)", "(p ?y ?x)", Some(0), None);
        check("(p ?x ?x)", "(p ?x ?y)", Some(0), Some(0));
        check("(p ?x ?y)", "(p ?x ?x)", Some(0), Some(0));
        check("(p ?x) (p ?x)", "(p ?x) (p ?y)", Some(1), None);
        check("(p ?x)", "p(X).", None, None);
    }
}
