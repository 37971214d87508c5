//! Which constants may be goal values: they keep their identity in rule graphs (thesis Def. 8.4, footnote 2).
//!
//! The domains of argument positions are those of thesis §5.2.1: a position has the constants written
//! there, and what flows into it through variables. Only the domain of the second argument of `goal`
//! is wanted, so positions are followed backwards from it.

use gdl::normal::{Literal, Pattern, Predicate, Rule};
use gdl::{Relation, Symbol, keyword};
use rustc_hash::{FxHashMap, FxHashSet};

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

/// How often rules are gone through before it is given up.
const MOST_PASSES: usize = 200;

/// The constants that may be the value in `goal(R,V)` and are whole numbers up to 100, with these numbers, sorted. What
/// is possible for a variable is what all its places in positive conditions allow, so it does not depend on the order
/// of conditions. None if the rules would have to be gone through too often.
pub(crate) fn possible_goal_values(
    rules: &[Rule],
    symbols: &gdl::Symbols,
) -> Option<Vec<(Symbol, u8)>> {
    let wanted =
        |rule: &&Rule| rule.head.relation.name == keyword::GOAL && rule.head.args.len() == 2;
    let heads: Vec<Position> =
        rules.iter().filter(wanted).map(|rule| Position::Relation(rule.head.relation, 1)).collect();
    let feeds = feeds(rules, &heads)?;
    let mut domains: FxHashMap<Position, FxHashSet<Symbol>> = FxHashMap::default();
    for _ in 0..MOST_PASSES {
        let mut grown = false;
        for feed in &feeds {
            let new: Vec<Symbol> = feed.values(&domains);
            let own = domains.entry(feed.to).or_default();
            for value in new {
                grown |= own.insert(value);
            }
        }
        if !grown {
            let own = heads.iter().filter_map(|head| domains.get(head)).flatten();
            let number = |symbol: &Symbol| {
                let value = symbols.name(*symbol).parse::<u8>().ok().filter(|v| *v <= 100)?;
                Some((*symbol, value))
            };
            let mut values: Vec<(Symbol, u8)> = own.filter_map(number).collect();
            values.sort_unstable();
            values.dedup();
            return Some(values);
        }
    }
    None
}

/// What a rule puts at a position: a constant, or what a variable can be.
struct Feed {
    to: Position,
    constant: Option<Symbol>,
    /// The places of the variable in positive conditions.
    sources: Vec<Position>,
}

impl Feed {
    fn values(&self, domains: &FxHashMap<Position, FxHashSet<Symbol>>) -> Vec<Symbol> {
        if let Some(constant) = self.constant {
            return vec![constant];
        }
        let sets: Option<Vec<_>> = self.sources.iter().map(|at| domains.get(at)).collect();
        let Some(sets) = sets else { return Vec::new() };
        let Some(smallest) = sets.iter().min_by_key(|set| set.len()) else { return Vec::new() };
        smallest.iter().filter(|v| sets.iter().all(|set| set.contains(v))).copied().collect()
    }
}

/// All that flows into some positions, also through others.
fn feeds(rules: &[Rule], to: &[Position]) -> Option<Vec<Feed>> {
    let mut by_head: FxHashMap<Position, Vec<usize>> = FxHashMap::default();
    for (at, rule) in rules.iter().enumerate() {
        each_place(&rule.head, &mut |position, _| by_head.entry(position).or_default().push(at));
    }
    let mut seen = FxHashSet::default();
    let mut todo = to.to_vec();
    let mut found = Vec::new();
    while let Some(position) = todo.pop() {
        if !seen.insert(position) {
            continue;
        }
        if seen.len() > MOST_POSITIONS {
            return None;
        }
        let mut own = by_head.get(&position).cloned().unwrap_or_default();
        own.dedup();
        for rule in own {
            let before = found.len();
            feeds_of(&rules[rule], position, &mut found);
            todo.extend(found[before..].iter().flat_map(|feed| &feed.sources));
        }
    }
    Some(found)
}

/// More positions than this are not followed.
const MOST_POSITIONS: usize = 20_000;

fn feeds_of(rule: &Rule, to: Position, found: &mut Vec<Feed>) {
    each_place(&rule.head, &mut |position, pattern| {
        if position != to {
            return;
        }
        match pattern {
            Pattern::Constant(name) => {
                found.push(Feed { to, constant: Some(*name), sources: Vec::new() });
            }
            Pattern::Variable(variable) => {
                let sources = rule.body.iter().flat_map(|l| sources_of(l, *variable)).collect();
                found.push(Feed { to, constant: None, sources });
            }
            Pattern::Function(..) => {}
        }
    });
}

/// All places of a variable in a positive condition.
fn sources_of(literal: &Literal, variable: u32) -> Vec<Position> {
    let mut found = Vec::new();
    if let Literal::Positive(condition) = literal {
        each_place(condition, &mut |position, pattern| {
            if *pattern == Pattern::Variable(variable) {
                found.push(position);
            }
        });
    }
    found
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
        let found = possible_goal_values(&program.rules, &program.symbols).expect("few rules");
        let mut values: Vec<u8> = found.into_iter().map(|(_, value)| value).collect();
        values.sort_unstable();
        assert_eq!(values, [0, 30, 100]);
    }

    #[test]
    fn a_value_has_to_be_possible_at_all_places_whatever_their_order() {
        for body in ["(true (score ?v)) (worth ?v)", "(worth ?v) (true (score ?v))"] {
            let text = format!(
                "(role r) (init (score 5)) (init (score 7)) (init (score 9)) (worth 7) (worth 8) (worth 500) \
                 (<= (goal r ?v) {body}) (<= (next (score ?v)) (true (score ?v)))"
            );
            let (rules, _) = gdl::parse(&text, &gdl::Limits::default());
            let program = gdl::normal::normalize(&rules).expect("small");
            let found = possible_goal_values(&program.rules, &program.symbols).expect("few rules");
            let values: Vec<u8> = found.into_iter().map(|(_, value)| value).collect();
            assert_eq!(values, [7], "{body}");
        }
    }
}
