//! Rules that differ in one condition only, as one rule.
//!
//! `hit(X) :- queen(Q,X), other(Q,X)` and the same with `rook` make each instance of `other` twice. With `any(Q,X) :- queen(Q,X)` and
//! `any(Q,X) :- rook(Q,X)` there is one rule `hit(X) :- any(Q,X), other(Q,X)`: what clauses have in common is taken out, as in
//! `(a and c) or (b and c) = (a or b) and c`.

use gdl::normal::{Literal, Pattern, Predicate, Rule};
use rustc_hash::FxHashMap;

use crate::factor::{renamed, renamed_predicate};

/// Longer bodies are left as they are.
const MOST_LITERALS: usize = 32;

/// Rules by their numbers, with the condition in which they differ.
pub(crate) struct Alike {
    pub members: Vec<(usize, usize)>,
    /// What they have in common, and the variables that the condition shares with it.
    common: Rule,
    border: Vec<u32>,
}

impl Alike {
    /// The one rule, given the relation that stands for the condition.
    pub fn merged(&self, any: gdl::Relation) -> Rule {
        let mut rule = self.common.clone();
        let args = self.border.iter().copied().map(Pattern::Variable).collect();
        rule.body.push(Literal::Positive(Predicate { relation: any, args }));
        rule
    }

    /// How many variables the condition shares with the rest.
    pub fn arity(&self) -> u32 {
        self.border.len() as u32
    }

    /// The condition of a member, and the variables of it that are shared.
    pub fn condition(rules: &[Rule], (rule, at): (usize, usize)) -> (Literal, Vec<u32>) {
        let (_, _, border) = split(&rules[rule], at);
        (rules[rule].body[at].clone(), border)
    }
}

/// The head and the other conditions with their variables in the order they occur.
type Common = (Predicate, Vec<Literal>, Vec<u32>);

/// What a rule is without one condition, the number of its variables, and the variables of the condition that occur elsewhere, in the order of
/// the numbers that they have now.
fn split(rule: &Rule, at: usize) -> (Common, u32, Vec<u32>) {
    let mut numbers: Vec<Option<u32>> = vec![None; rule.variables as usize];
    let mut order: Vec<u32> = Vec::new();
    {
        let mut note = |v: u32| {
            if numbers[v as usize].is_none() {
                numbers[v as usize] = Some(order.len() as u32);
                order.push(v);
            }
        };
        rule.head.each_variable(&mut note);
        let rest = rule.body.iter().enumerate().filter(|(other, _)| *other != at);
        rest.for_each(|(_, literal)| literal.each_variable(&mut note));
    }
    let mut shared = vec![false; order.len()];
    rule.body[at].each_variable(&mut |v| {
        if let Some(number) = numbers[v as usize] {
            shared[number as usize] = true;
        }
    });
    let rename = |v: u32| Pattern::Variable(numbers[v as usize].unwrap_or_default());
    let rest = rule.body.iter().enumerate().filter(|(other, _)| *other != at);
    let body = rest.map(|(_, literal)| renamed(literal, &rename)).collect();
    let head = renamed_predicate(&rule.head, &rename);
    let numbers: Vec<u32> = (0..order.len() as u32).filter(|v| shared[*v as usize]).collect();
    let border = numbers.iter().map(|number| order[*number as usize]).collect();
    ((head, body, numbers), order.len() as u32, border)
}

/// Groups of rules that differ in one positive condition, the largest first, each rule in one group at most. `is_large` says which rules
/// are worth it, `may_differ` which conditions.
pub(crate) fn groups(
    rules: &[Rule],
    is_large: impl Fn(&Rule) -> bool,
    may_differ: impl Fn(&Rule, &Literal) -> bool,
) -> Vec<Alike> {
    let mut found: FxHashMap<Common, Vec<(usize, usize)>> = FxHashMap::default();
    for (number, rule) in rules.iter().enumerate() {
        let fits = (2..=MOST_LITERALS).contains(&rule.body.len());
        if !fits || !is_large(rule) {
            continue;
        }
        for (at, literal) in rule.body.iter().enumerate() {
            if matches!(literal, Literal::Positive(_)) && may_differ(rule, literal) {
                found.entry(split(rule, at).0).or_default().push((number, at));
            }
        }
    }
    let mut groups: Vec<Vec<(usize, usize)>> =
        found.into_values().filter(|g| g.len() > 1).collect();
    groups.sort_by_key(|group| (std::cmp::Reverse(group.len()), group[0]));
    let mut taken = vec![false; rules.len()];
    let mut out = Vec::new();
    for mut members in groups {
        members.retain(|(rule, _)| !taken[*rule]);
        members.dedup_by_key(|(rule, _)| *rule);
        let [first, _, ..] = members[..] else { continue };
        for (rule, _) in &members {
            taken[*rule] = true;
        }
        let ((head, body, border), variables, _) = split(&rules[first.0], first.1);
        let common = Rule {
            head,
            body,
            variables,
            variable_names: Vec::new(),
            clause: rules[first.0].clause,
        };
        out.push(Alike { members, common, border });
    }
    out.sort_by_key(|alike| alike.members[0]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &str) -> Vec<Rule> {
        let (rules, _) = gdl::parse(text, &gdl::Limits::default());
        gdl::normal::normalize(&rules).expect("small").rules
    }

    #[test]
    fn rules_that_differ_in_one_condition_are_found_whatever_their_variables_are_called() {
        let rules = rules(
            "(<= (hit ?x) (queen ?q ?x ?r) (other ?q ?x))
             (<= (miss ?x) (queen ?q ?x ?r) (other ?q ?x))
             (<= (hit ?y) (rook ?a ?b ?y) (other ?a ?y))
             (<= (hit ?y) (rook ?y ?a ?b) (other ?y ?a))",
        );
        let found = groups(&rules, |_| true, |_, _| true);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].members, [(0, 0), (2, 0)]);
        assert_eq!(found[0].arity(), 2, "what only one condition mentions is no argument");
        let (_, first) = Alike::condition(&rules, (0, 0));
        let (rook, second) = Alike::condition(&rules, (2, 0));
        let Literal::Positive(rook) = rook else { panic!("positive") };
        let place = |v: u32| rook.args.iter().position(|arg| *arg == Pattern::Variable(v));
        // X and Q there are the third and the first argument here.
        assert_eq!(second.iter().map(|v| place(*v)).collect::<Vec<_>>(), [Some(2), Some(0)]);
        assert_eq!(first.len(), 2);
        let any = rules[0].head.relation;
        let merged = found[0].merged(any);
        assert_eq!(merged.body.len(), 2);
        assert_eq!(merged.variables, 2);
    }

    #[test]
    fn what_must_not_differ_makes_no_group() {
        let rules = rules("(<= (h ?x) (a ?x) (c ?x)) (<= (h ?x) (b ?x) (c ?x))");
        assert_eq!(groups(&rules, |_| true, |_, _| true).len(), 1);
        assert!(groups(&rules, |_| false, |_, _| true).is_empty());
        assert!(groups(&rules, |_| true, |_, _| false).is_empty());
    }
}
