//! Relations that only tell values apart, written out where they are used.
//!
//! Rule sheets say that two cells differ by a relation: `apart(X1,Y1,X2,Y2) :- file(X1), file(X2), rank(Y1), rank(Y2),
//! distinct(X1,X2)`, and once more with Y. In `safe(X,Y) :- piece(X2,Y2), apart(X,Y,X2,Y2)` it ties all four variables
//! together, so that every cell meets every piece. Written out ("unfolded", Tamaki and Sato 1984) there are two rules, and each of them
//! compares one coordinate and can forget the other before: 64 times 8 and 8 times 8 instances instead of 64 times 64.

use datalog::Analysis;
use datalog::plan::Lifetime;
use gdl::Relation;
use gdl::normal::{Literal, Pattern, Predicate, Program, Rule};
use rustc_hash::FxHashMap;

use crate::factor::renamed;

/// The most rules that one rule becomes.
const MOST_RULES: usize = 16;

/// The most rules of a relation that is written out.
const MOST_CASES: usize = 4;

/// The relations that can be written out, with their rules, whose heads are different variables.
pub(crate) struct Definitions(FxHashMap<Relation, Vec<Rule>>);

impl Definitions {
    pub fn new(program: &Program, analysis: &Analysis) -> Self {
        let mut found: FxHashMap<Relation, Vec<Rule>> = FxHashMap::default();
        for rule in &program.rules {
            let relation = rule.head.relation;
            let (lifetime, recursion) = analysis.class_of(relation);
            let tells_apart = rule.body.iter().any(|l| matches!(l, Literal::Distinct(..)));
            if tells_apart && lifetime == Lifetime::Always && recursion.is_none() {
                found.entry(relation).or_default();
            }
        }
        for rule in &program.rules {
            if let Some(rules) = found.get_mut(&rule.head.relation) {
                rules.push(rule.clone());
            }
        }
        found.retain(|_, rules| rules.len() <= MOST_CASES && rules.iter().all(is_simple));
        Self(found)
    }

    fn of(&self, literal: &Literal) -> Option<&[Rule]> {
        let Literal::Positive(p) = literal else { return None };
        self.0.get(&p.relation).map(Vec::as_slice)
    }

    /// The rules that a rule becomes; none if there is nothing to write out, or it would be too much.
    pub fn unfold(&self, rule: &Rule) -> Option<Vec<Rule>> {
        let cases = rule.body.iter().filter_map(|literal| self.of(literal)).map(<[Rule]>::len);
        let (found, all) =
            cases.fold((0, 1usize), |(n, all), own| (n + 1, all.saturating_mul(own)));
        if found == 0 || all > MOST_RULES {
            return None;
        }
        let mut out = vec![Rule { body: Vec::new(), ..rule.clone() }];
        for literal in &rule.body {
            match (literal, self.of(literal)) {
                (Literal::Positive(call), Some(cases)) => {
                    let open = std::mem::take(&mut out);
                    out.extend(open.iter().flat_map(|begun| {
                        cases.iter().map(move |case| with_case(begun, call, case))
                    }));
                }
                _ => out.iter_mut().for_each(|begun| add(&mut begun.body, literal.clone())),
            }
        }
        Some(out)
    }
}

/// Whether a rule says nothing but that values differ, and of which kinds they are.
fn is_simple(rule: &Rule) -> bool {
    let mut seen = vec![false; rule.variables as usize];
    let distinct_variables = rule.head.args.iter().all(|arg| match arg {
        Pattern::Variable(v) => !std::mem::replace(&mut seen[*v as usize], true),
        _ => false,
    });
    distinct_variables
        && rule.body.iter().all(|l| matches!(l, Literal::Distinct(..) | Literal::Positive(_)))
}

fn add(body: &mut Vec<Literal>, literal: Literal) {
    if !body.contains(&literal) {
        body.push(literal);
    }
}

/// A rule that goes on with what a case says of a call. Variables that only the case has are new.
fn with_case(begun: &Rule, call: &Predicate, case: &Rule) -> Rule {
    let mut rule = begun.clone();
    let mut values: Vec<Option<Pattern>> = vec![None; case.variables as usize];
    for (arg, value) in case.head.args.iter().zip(&call.args) {
        if let Pattern::Variable(v) = arg {
            values[*v as usize] = Some(value.clone());
        }
    }
    let mut fresh = rule.variables..;
    let values: Vec<Pattern> = values
        .into_iter()
        .map(|value| value.unwrap_or_else(|| Pattern::Variable(fresh.next().unwrap_or_default())))
        .collect();
    rule.variables = fresh.start;
    for literal in &case.body {
        add(&mut rule.body, renamed(literal, &|v| values[v as usize].clone()));
    }
    rule
}

#[cfg(test)]
mod tests {
    use super::*;

    const APART: &str = "
        (v 1) (v 2) (v 3)
        (<= (apart ?a ?b ?c ?d) (v ?a) (v ?b) (v ?c) (v ?d) (distinct ?a ?c))
        (<= (apart ?a ?b ?c ?d) (v ?a) (v ?b) (v ?c) (v ?d) (distinct ?b ?d))";

    fn unfolded(rule: &str) -> Option<Vec<Rule>> {
        let (rules, _) = gdl::parse(&format!("{APART} {rule}"), &gdl::Limits::default());
        let program = gdl::normal::normalize(&rules).expect("small");
        let definitions = Definitions::new(&program, &Analysis::new(&program));
        definitions.unfold(program.rules.last().expect("a rule"))
    }

    #[test]
    fn each_way_to_differ_is_a_rule() {
        let rules = unfolded("(<= (safe ?x ?y) (true (at ?p ?q)) (apart ?x ?y ?p ?q))");
        let rules = rules.expect("something to write out");
        let differ = |rule: &Rule| {
            let found = rule.body.iter().find_map(|literal| match literal {
                Literal::Distinct(Pattern::Variable(a), Pattern::Variable(b)) => Some((*a, *b)),
                _ => None,
            });
            found.expect("two variables")
        };
        let Pattern::Variable(x) = rules[0].head.args[0] else { panic!("a variable") };
        let Pattern::Variable(y) = rules[0].head.args[1] else { panic!("a variable") };
        assert_eq!(rules.len(), 2);
        assert_eq!((differ(&rules[0]).0, differ(&rules[1]).0), (x, y));
        assert!(
            rules.iter().all(|rule| rule.body.len() == 6),
            "one fluent, four kinds, one difference"
        );
    }

    #[test]
    fn two_relations_are_all_pairs_of_ways_and_five_are_too_many() {
        let two = "(<= (h ?x ?y) (true (a ?p ?q)) (apart ?x ?y ?p ?q) (apart ?x ?y ?q ?p))";
        assert_eq!(unfolded(two).expect("four").len(), 4);
        let five = "(<= (h ?x ?y) (true (a ?p ?q)) (apart ?x ?y ?p ?q) (apart ?x ?y ?q ?p)
            (apart ?y ?x ?q ?p) (apart ?y ?x ?p ?q) (apart ?p ?q ?x ?y))";
        assert!(unfolded(five).is_none());
        assert!(unfolded("(<= (h ?x) (true (a ?x ?q)) (v ?q))").is_none());
    }
}
