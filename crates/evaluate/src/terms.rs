//! Patterns and ground terms: matching and putting values in.

use datalog::GroundTerm;
use gdl::normal::{Literal, Pattern, Predicate};

/// The values of the variables of a rule, as far as they have one.
pub(crate) type Bindings = Vec<Option<GroundTerm>>;

/// Matches a pattern with a ground term and binds its variables; false if it does not fit.
pub(crate) fn unify_ground(pattern: &Pattern, term: &GroundTerm, bindings: &mut Bindings) -> bool {
    match (pattern, term) {
        (Pattern::Variable(v), _) => {
            let slot = &mut bindings[*v as usize];
            if let Some(bound) = slot {
                return bound == term;
            }
            *slot = Some(term.clone());
            true
        }
        (Pattern::Constant(a), GroundTerm::Constant(b)) => a == b,
        (Pattern::Function(a, of_a), GroundTerm::Function(b, of_b)) => {
            a == b
                && of_a.len() == of_b.len()
                && of_a.iter().zip(of_b).all(|(p, t)| unify_ground(p, t, bindings))
        }
        _ => false,
    }
}

/// A ground term as a pattern.
pub(crate) fn pattern(term: &GroundTerm) -> Pattern {
    match term {
        GroundTerm::Constant(name) => Pattern::Constant(*name),
        GroundTerm::Function(name, args) => {
            Pattern::Function(*name, args.iter().map(pattern).collect())
        }
    }
}

/// A pattern without variables as a term.
pub(crate) fn ground(pattern: &Pattern) -> Option<GroundTerm> {
    match pattern {
        Pattern::Variable(_) => None,
        Pattern::Constant(name) => Some(GroundTerm::Constant(*name)),
        Pattern::Function(name, args) => {
            Some(GroundTerm::Function(*name, args.iter().map(ground).collect::<Option<_>>()?))
        }
    }
}

pub(crate) fn is_ground(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Variable(_) => false,
        Pattern::Constant(_) => true,
        Pattern::Function(_, args) => args.iter().all(is_ground),
    }
}

fn put(value: &Pattern, bindings: &Bindings) -> Pattern {
    match value {
        Pattern::Variable(v) => match bindings.get(*v as usize) {
            Some(Some(term)) => pattern(term),
            _ => value.clone(),
        },
        Pattern::Constant(_) => value.clone(),
        Pattern::Function(name, args) => {
            Pattern::Function(*name, args.iter().map(|arg| put(arg, bindings)).collect())
        }
    }
}

/// A literal with the values of its variables put in.
pub(crate) fn apply(literal: &Literal, bindings: &Bindings) -> Literal {
    let predicate = |p: &Predicate| Predicate {
        relation: p.relation,
        args: p.args.iter().map(|arg| put(arg, bindings)).collect(),
    };
    match literal {
        Literal::Positive(p) => Literal::Positive(predicate(p)),
        Literal::Negative(p) => Literal::Negative(predicate(p)),
        Literal::Distinct(a, b) => Literal::Distinct(put(a, bindings), put(b, bindings)),
        Literal::Same(a, b) => Literal::Same(put(a, bindings), put(b, bindings)),
    }
}

/// The number of variables that a rule over these literals needs: one more than the greatest.
pub(crate) fn variable_count(literals: &[Literal]) -> u32 {
    let mut count = 0;
    for literal in literals {
        literal.each_variable(&mut |v| count = count.max(v + 1));
    }
    count
}
