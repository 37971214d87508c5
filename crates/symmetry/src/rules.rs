//! Rules brought into a plainer form before a graph is made of them, because symmetry that is hidden by
//! superfluous rules is not found (thesis §8.5): conditions that always hold and rules that never fire or
//! say nothing are left out, and so is every relation that no state machine question depends on.
//!
//! The result means the same for `role`, `legal`, `next`, `terminal` and `goal` in every state.

use gdl::normal::{Literal, Pattern, Predicate, Program, Rule};
use gdl::{Relation, keyword};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is kept of the initial state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Nothing: also symmetries that occur only later in the game are found (thesis §8.3).
    Left,
    /// The `init` rules: only symmetries of the initial state.
    Kept,
}

/// More rules than this are not compared with each other.
const FEW_RULES_OF_ONE_RELATION: usize = 400;

/// The rules that matter, in plain form.
pub fn plain_rules(program: &Program, start: Start) -> Vec<Rule> {
    drop_repeated(needed_rules(program, start))
}

/// The same with rules that say what others say as well. Which of those go may depend on names and on the order
/// of rules and conditions; what is left here does not.
pub(crate) fn needed_rules(program: &Program, start: Start) -> Vec<Rule> {
    let mut rules: Vec<Rule> = program.rules.iter().filter_map(simplified).collect();
    loop {
        let before: usize = rules.iter().map(|rule| 1 + rule.body.len()).sum();
        drop_unneeded(&mut rules, start);
        drop_underivable(&mut rules);
        if before == rules.iter().map(|rule| 1 + rule.body.len()).sum() {
            break;
        }
    }
    rules
}

/// A rule without conditions that always hold; none if it can never fire or says nothing.
fn simplified(rule: &Rule) -> Option<Rule> {
    let mut body: Vec<Literal> = Vec::with_capacity(rule.body.len());
    let mut seen: FxHashSet<&Literal> = FxHashSet::default();
    for literal in &rule.body {
        match literal {
            Literal::Distinct(a, b) if a == b => return None,
            Literal::Same(a, b) if apart(a, b) => return None,
            Literal::Distinct(a, b) if apart(a, b) => continue,
            Literal::Same(a, b) if a == b => continue,
            Literal::Positive(condition) if *condition == rule.head => return None,
            _ => {}
        }
        if seen.insert(literal) && !seen.contains(&turned(literal)) {
            body.push(literal.clone());
        }
    }
    let contradicts = |literal: &Literal| match literal {
        Literal::Positive(p) => seen.contains(&Literal::Negative(p.clone())),
        _ => false,
    };
    (!body.iter().any(contradicts)).then(|| Rule { body, ..rule.clone() })
}

/// `distinct(X,Y)` as `distinct(Y,X)`; other literals are returned as something that is never met.
fn turned(literal: &Literal) -> Literal {
    match literal {
        Literal::Distinct(a, b) if a != b => Literal::Distinct(b.clone(), a.clone()),
        Literal::Same(a, b) if a != b => Literal::Same(b.clone(), a.clone()),
        _ => Literal::Distinct(Pattern::Variable(u32::MAX), Pattern::Variable(u32::MAX)),
    }
}

/// Whether two patterns can never be the same term.
fn apart(a: &Pattern, b: &Pattern) -> bool {
    match (a, b) {
        (Pattern::Variable(_), _) | (_, Pattern::Variable(_)) => false,
        (Pattern::Constant(x), Pattern::Constant(y)) => x != y,
        (Pattern::Function(f, xs), Pattern::Function(g, ys)) => {
            f != g || xs.len() != ys.len() || xs.iter().zip(ys).any(|(x, y)| apart(x, y))
        }
        _ => true,
    }
}

/// Leaves out the rules of relations that no question depends on, and declarations.
fn drop_unneeded(rules: &mut Vec<Rule>, start: Start) {
    let asked = |relation: Relation| match relation.name {
        keyword::ROLE
        | keyword::LEGAL
        | keyword::NEXT
        | keyword::TERMINAL
        | keyword::GOAL
        | keyword::SEES => true,
        keyword::INIT => start == Start::Kept,
        _ => false,
    };
    let mut needed: FxHashSet<Relation> = FxHashSet::default();
    let mut todo: Vec<Relation> =
        rules.iter().map(|rule| rule.head.relation).filter(|r| asked(*r)).collect();
    let mut uses: FxHashMap<Relation, Vec<Relation>> = FxHashMap::default();
    for rule in rules.iter() {
        let used = rule.body.iter().filter_map(|literal| Some(literal.relation()?.0));
        uses.entry(rule.head.relation).or_default().extend(used);
    }
    while let Some(relation) = todo.pop() {
        if needed.insert(relation) {
            todo.extend(uses.get(&relation).into_iter().flatten());
        }
    }
    rules.retain(|rule| needed.contains(&rule.head.relation));
}

/// Leaves out rules with a condition on a relation without rules, and negated conditions on such.
fn drop_underivable(rules: &mut Vec<Rule>) {
    let mut derivable: FxHashSet<Relation> = rules.iter().map(|rule| rule.head.relation).collect();
    derivable.extend(rules.iter().flat_map(|rule| &rule.body).filter_map(|literal| {
        let (relation, _) = literal.relation()?;
        [keyword::TRUE, keyword::DOES, keyword::INIT].contains(&relation.name).then_some(relation)
    }));
    rules.retain_mut(|rule| {
        rule.body.retain(|literal| match literal.relation() {
            Some((relation, true)) => derivable.contains(&relation),
            _ => true,
        });
        rule.body.iter().all(|literal| match literal.relation() {
            Some((relation, false)) => derivable.contains(&relation),
            _ => true,
        })
    });
}

/// Leaves out rules that another one with the same head and fewer conditions makes superfluous.
fn drop_repeated(rules: Vec<Rule>) -> Vec<Rule> {
    let mut of: FxHashMap<Relation, Vec<usize>> = FxHashMap::default();
    let numbered: Vec<Rule> = rules.into_iter().map(numbered).collect();
    for (at, rule) in numbered.iter().enumerate() {
        of.entry(rule.head.relation).or_default().push(at);
    }
    let sets: Vec<FxHashSet<&Literal>> =
        numbered.iter().map(|rule| rule.body.iter().collect()).collect();
    let implied = |at: usize| {
        let rule = &numbered[at];
        let others = &of[&rule.head.relation];
        others.len() <= FEW_RULES_OF_ONE_RELATION
            && others.iter().any(|other| {
                let smaller = &sets[*other];
                *other != at
                    && numbered[*other].head == rule.head
                    && (smaller.len() < sets[at].len()
                        || (smaller.len() == sets[at].len() && *other < at))
                    && smaller.iter().all(|literal| sets[at].contains(literal))
            })
    };
    let keep: Vec<bool> = (0..numbered.len()).map(|at| !implied(at)).collect();
    numbered.into_iter().zip(keep).filter(|(_, keep)| *keep).map(|(rule, _)| rule).collect()
}

/// The rule with its conditions sorted by their shape and its variables numbered as they are met, so that
/// most copies under other names become equal.
fn numbered(mut rule: Rule) -> Rule {
    rule.body.sort_by_cached_key(shape);
    let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
    let mut number = |variable: u32| {
        let next = numbers.len() as u32;
        *numbers.entry(variable).or_insert(next)
    };
    rename_predicate(&mut rule.head, &mut number);
    for literal in &mut rule.body {
        match literal {
            Literal::Positive(p) | Literal::Negative(p) => rename_predicate(p, &mut number),
            Literal::Distinct(a, b) | Literal::Same(a, b) => {
                rename(a, &mut number);
                rename(b, &mut number);
            }
        }
    }
    rule.variables = numbers.len() as u32;
    rule
}

fn rename_predicate(predicate: &mut Predicate, number: &mut impl FnMut(u32) -> u32) {
    predicate.args.iter_mut().for_each(|arg| rename(arg, number));
}

fn rename(pattern: &mut Pattern, number: &mut impl FnMut(u32) -> u32) {
    match pattern {
        Pattern::Variable(variable) => *variable = number(*variable),
        Pattern::Constant(_) => {}
        Pattern::Function(_, args) => args.iter_mut().for_each(|arg| rename(arg, number)),
    }
}

/// A literal without the identity of its variables, as a sequence of numbers.
fn shape(literal: &Literal) -> Vec<u32> {
    let mut out = Vec::new();
    match literal {
        Literal::Positive(p) | Literal::Negative(p) => {
            out.push(u32::from(matches!(literal, Literal::Negative(_))));
            out.extend([p.relation.name.0, p.relation.arity]);
            p.args.iter().for_each(|arg| shape_of(arg, &mut out));
        }
        Literal::Distinct(a, b) | Literal::Same(a, b) => {
            out.push(2 + u32::from(matches!(literal, Literal::Same(..))));
            shape_of(a, &mut out);
            shape_of(b, &mut out);
        }
    }
    out
}

fn shape_of(pattern: &Pattern, out: &mut Vec<u32>) {
    match pattern {
        Pattern::Variable(_) => out.push(0),
        Pattern::Constant(name) => out.extend([1, name.0]),
        Pattern::Function(name, args) => {
            out.extend([2, name.0, args.len() as u32]);
            for arg in args {
                shape_of(arg, out);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str, start: Start) -> usize {
        let (rules, _) = gdl::parse(text, &gdl::Limits::default());
        let program = gdl::normal::normalize(&rules).expect("small");
        plain_rules(&program, start).len()
    }

    #[test]
    fn superfluous_rules_are_left_out() {
        let base = "(role r) (init (p a)) (<= (legal r (go ?x)) (true (p ?x))) (<= (next (p ?x)) (does r (go ?x)))";
        assert_eq!(plain(base, Start::Left), 3);
        assert_eq!(plain(base, Start::Kept), 4);
        for superfluous in [
            "(<= (q a) (distinct a a))",
            "(q a)",
            "(base (p a)) (input r (go a))",
            "(<= (next (p ?y)) (does r (go ?y)))",
            "(<= (next (p ?y)) (does r (go ?y)) (true (p b)))",
            "(<= (next (p ?y)) (does r (go ?y)) (nothing ?y))",
            "(<= (next (p ?y)) (true (p ?y)) (not (true (p ?y))))",
            "(<= (legal r (go ?x)) (legal r (go ?x)) (true (p ?x)))",
        ] {
            assert_eq!(plain(&format!("{base} {superfluous}"), Start::Left), 3, "{superfluous}");
        }
        assert_eq!(plain(&format!("{base} (<= (next (p a)) (true (p b)))"), Start::Left), 4);
    }

    #[test]
    fn conditions_that_always_hold_are_left_out() {
        let (rules, _) = gdl::parse(
            "(role r) (<= terminal (true p) (distinct a b) (true p) (not (nothing c)) (distinct ?x ?y) \
             (distinct ?y ?x) (true ?x) (true ?y))",
            &gdl::Limits::default(),
        );
        let program = gdl::normal::normalize(&rules).expect("small");
        let plain = plain_rules(&program, Start::Left);
        assert_eq!(plain[1].body.len(), 4);
    }
}
