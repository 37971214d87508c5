//! Which constants may be goal values: they keep their identity in rule graphs (thesis Def. 8.4, footnote 2).
//!
//! The domains of argument positions are those of thesis §5.2.1: a position has the constants written
//! there, and what flows into it through variables. Only the domain of the second argument of `goal`
//! is wanted, so positions are followed backwards from it.

use gdl::normal::{Literal, Pattern, Predicate, Rule};
use gdl::{Relation, Symbol, keyword};
use rustc_hash::FxHashSet;

/// An argument position: of a relation, or of a function wherever it stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Position {
    Relation(Relation, usize),
    Function(Symbol, usize, usize),
}

/// The constants that may be the value in `goal(R,V)`, sorted.
pub fn goal_values(rules: &[Rule]) -> Vec<Symbol> {
    let mut values = FxHashSet::default();
    let mut seen = FxHashSet::default();
    let mut todo: Vec<Position> = rules
        .iter()
        .filter(|rule| rule.head.relation.name == keyword::GOAL && rule.head.args.len() == 2)
        .map(|rule| Position::Relation(rule.head.relation, 1))
        .collect();
    while let Some(position) = todo.pop() {
        if seen.insert(position) {
            for rule in rules {
                feed(rule, position, &mut values, &mut todo);
            }
        }
    }
    let mut values: Vec<Symbol> = values.into_iter().collect();
    values.sort_unstable();
    values
}

/// What a rule puts at a position: constants, and positions that its variables come from.
fn feed(rule: &Rule, at: Position, values: &mut FxHashSet<Symbol>, todo: &mut Vec<Position>) {
    let mut variables: Vec<u32> = Vec::new();
    each_place(&rule.head, &mut |position, pattern| {
        if position == at {
            match pattern {
                Pattern::Constant(name) => {
                    values.insert(*name);
                }
                Pattern::Variable(variable) => variables.push(*variable),
                Pattern::Function(..) => {}
            }
        }
    });
    for variable in variables {
        if let Some(source) = rule.body.iter().find_map(|literal| source_of(literal, variable)) {
            todo.push(source);
        }
    }
}

/// Where a positive condition takes a variable's value from; each such place alone bounds the value.
fn source_of(literal: &Literal, variable: u32) -> Option<Position> {
    let Literal::Positive(condition) = literal else { return None };
    let mut found = None;
    each_place(condition, &mut |position, pattern| {
        if found.is_none() && *pattern == Pattern::Variable(variable) {
            found = Some(position);
        }
    });
    found
}

/// Calls `visit` for each argument of a predicate and of the functions in it. Fluents are one class whether they are
/// read or written, and so are moves.
fn each_place(predicate: &Predicate, visit: &mut impl FnMut(Position, &Pattern)) {
    let mut relation = predicate.relation;
    relation.name = match relation.name {
        keyword::NEXT | keyword::INIT => keyword::TRUE,
        keyword::LEGAL => keyword::DOES,
        other => other,
    };
    for (at, arg) in predicate.args.iter().enumerate() {
        visit(Position::Relation(relation, at), arg);
        each_inner(arg, visit);
    }
}

fn each_inner(pattern: &Pattern, visit: &mut impl FnMut(Position, &Pattern)) {
    if let Pattern::Function(name, args) = pattern {
        for (at, arg) in args.iter().enumerate() {
            visit(Position::Function(*name, args.len(), at), arg);
            each_inner(arg, visit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_flow_into_goals_are_found_and_others_are_not() {
        let (rules, _) = gdl::parse(
            "(role r) (init (score 0)) (points a 30) (size 7) (<= (goal r 100) (true won)) \
             (<= (goal r ?v) (true (score ?v)) (not (true won))) \
             (<= (next (score ?n)) (does r (take ?x)) (points ?x ?n)) (<= (legal r (take ?x)) (points ?x ?n))",
            &gdl::Limits::default(),
        );
        let program = gdl::normal::normalize(&rules).expect("small");
        let mut names: Vec<&str> =
            goal_values(&program.rules).iter().map(|s| program.symbols.name(*s)).collect();
        names.sort_unstable();
        assert_eq!(names, ["0", "100", "30"]);
    }
}
