//! Splitting relations by their clauses, so that rule sheets become stratified that are so only when
//! one looks at the arguments.
//!
//! `(<= (goal robot 100) (not (goal robot 0)))` breaks thesis Def. 2.7 (1) to the letter, because
//! `goal` depends on its own negation; yet no instance does, and such rule sheets are in use. Where a
//! relation is part of a cycle through negation, its clauses become relations of their own (clauses
//! with the same head share one), and each condition refers to the union of those whose heads it may
//! match. This keeps the meaning (the perfect model of a locally stratified program, Przymusinski
//! 1988), and what comes out is stratified in the sense of the definition, or has a true cycle.

use rustc_hash::FxHashMap;

use crate::ast::Relation;
use crate::depend::Dependencies;
use crate::normal::{Literal, Pattern, Predicate, Program, Rule};

/// Makes the program stratified if its clauses are. Otherwise the clause (an index into the rule
/// sheet) of a negation that is part of a cycle.
pub fn stratify(program: Program) -> Result<Program, usize> {
    let graph = Dependencies::new(&program);
    if negative_cycle(&program, &graph).is_none() {
        return Ok(program);
    }
    let suspects = suspects(&program, &graph);
    let split = Splitter::new(program, suspects).run();
    match negative_cycle(&split, &Dependencies::new(&split)) {
        Some(clause) => Err(clause),
        None => Ok(split),
    }
}

fn is_inside(graph: &Dependencies, rule: &Rule, literal: &Literal) -> bool {
    let component = |relation| graph.node(relation).map(|node| graph.component[node]);
    let Literal::Negative(predicate) = literal else { return false };
    component(predicate.relation) == component(rule.head.relation)
}

/// The clause of a rule that negates a relation of its own component.
fn negative_cycle(program: &Program, graph: &Dependencies) -> Option<usize> {
    let on_cycle = |rule: &&Rule| rule.body.iter().any(|part| is_inside(graph, rule, part));
    program.rules.iter().find(on_cycle).map(|rule| rule.clause as usize)
}

/// The relations of all components with a negation inside.
fn suspects(program: &Program, graph: &Dependencies) -> Vec<Relation> {
    let mut components: Vec<usize> = program
        .rules
        .iter()
        .filter(|rule| rule.body.iter().any(|part| is_inside(graph, rule, part)))
        .filter_map(|rule| graph.node(rule.head.relation))
        .map(|node| graph.component[node])
        .collect();
    components.sort_unstable();
    components.dedup();
    components
        .into_iter()
        .flat_map(|component| &graph.components[component])
        .map(|node| graph.relations[*node])
        .collect()
}

/// The parts of one relation: the different heads, each with the relation that it became.
#[derive(Default)]
struct Parts {
    heads: Vec<(Predicate, Relation)>,
    /// Unions of some parts that conditions refer to, by the numbers of the parts.
    unions: Vec<(Vec<usize>, Relation)>,
}

struct Splitter {
    program: Program,
    parts: FxHashMap<Relation, Parts>,
    order: Vec<Relation>,
}

impl Splitter {
    fn new(program: Program, suspects: Vec<Relation>) -> Self {
        let parts = suspects.iter().map(|relation| (*relation, Parts::default())).collect();
        Self { program, parts, order: suspects }
    }

    fn run(mut self) -> Program {
        let mut rules = std::mem::take(&mut self.program.rules);
        for rule in &mut rules {
            self.rename_head(&mut rule.head);
        }
        for rule in &mut rules {
            for literal in &mut rule.body {
                if let Literal::Positive(p) | Literal::Negative(p) = literal {
                    self.rename_condition(p);
                }
            }
        }
        for relation in &self.order {
            let Some(parts) = self.parts.get(relation) else { continue };
            let all = (0..parts.heads.len()).collect();
            for (members, union) in parts.unions.iter().chain([&(all, *relation)]) {
                rules.extend(members.iter().map(|at| union_rule(*union, parts.heads[*at].1)));
            }
        }
        self.program.rules = rules;
        self.program
    }

    fn fresh(&mut self, like: Relation) -> Relation {
        let base = self.program.symbols.name(like.name).to_owned();
        let mut number = 1;
        while self.program.symbols.get(&format!("{base}@{number}")).is_some() {
            number += 1;
        }
        let name = self.program.symbols.intern(&format!("{base}@{number}"));
        Relation { name, ..like }
    }

    fn rename_head(&mut self, head: &mut Predicate) {
        let relation = head.relation;
        let Some(parts) = self.parts.get(&relation) else { return };
        if let Some((_, part)) = parts.heads.iter().find(|(known, _)| known.args == head.args) {
            head.relation = *part;
            return;
        }
        let part = self.fresh(relation);
        if let Some(parts) = self.parts.get_mut(&relation) {
            parts.heads.push((head.clone(), part));
        }
        head.relation = part;
    }

    fn rename_condition(&mut self, condition: &mut Predicate) {
        let relation = condition.relation;
        let Some(parts) = self.parts.get(&relation) else { return };
        let members: Vec<usize> = (0..parts.heads.len())
            .filter(|at| may_match(&condition.args, &parts.heads[*at].0.args))
            .collect();
        let known = parts.unions.iter().find(|(other, _)| *other == members);
        condition.relation = match (&members[..], known) {
            (all, _) if all.len() == parts.heads.len() => relation,
            ([single], _) => parts.heads[*single].1,
            (_, Some((_, union))) => *union,
            (_, None) => {
                let union = self.fresh(relation);
                if let Some(parts) = self.parts.get_mut(&relation) {
                    parts.unions.push((members, union));
                }
                union
            }
        };
    }
}

/// Whether two lists of patterns may have a common instance; variables match anything, so this errs
/// on the side of more dependencies.
fn may_match(one: &[Pattern], other: &[Pattern]) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).all(|pair| match pair {
            (Pattern::Variable(_), _) | (_, Pattern::Variable(_)) => true,
            (Pattern::Constant(x), Pattern::Constant(y)) => x == y,
            (Pattern::Function(f, x), Pattern::Function(g, y)) => f == g && may_match(x, y),
            _ => false,
        })
}

/// `goal(X,Y) :- goal@2(X,Y)`.
fn union_rule(whole: Relation, part: Relation) -> Rule {
    let args: Vec<Pattern> = (0..whole.arity).map(Pattern::Variable).collect();
    Rule {
        head: Predicate { relation: whole, args: args.clone() },
        body: vec![Literal::Positive(Predicate { relation: part, args })],
        variables: whole.arity,
        variable_names: vec![whole.name; whole.arity as usize],
        clause: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(text: &str) -> Program {
        let (rules, problems) = crate::parse(text, &crate::Limits::default());
        assert!(problems.is_empty(), "{problems:?}");
        crate::normal::normalize(&rules).expect("small")
    }

    #[test]
    fn negation_between_different_arguments_is_split() {
        for text in [
            "(role r) (<= (goal r 0) (true a)) (<= (goal r 100) (not (goal r 0)))",
            "(<= (p (f 1)) (not (p (f 2)))) (p (f 2))",
            "(<= (p a 1) (not (p ?x 2)) (q ?x)) (<= (p b 2) (q a)) (q a)",
            "(<= (p 3) (p 2) (not (p 1))) (p 1) (<= (p 2) (not (p 1)))",
        ] {
            let split = stratify(program(text)).expect(text);
            assert!(Dependencies::new(&split).strata().is_some(), "{text}");
        }
    }

    #[test]
    fn parts_keep_their_union_under_the_old_name() {
        let text = "(<= (goal r 0) (true a)) (<= (goal r 100) (not (goal r 0)))";
        let split = stratify(program(text)).expect("stratified");
        let names: Vec<&str> =
            split.rules.iter().map(|rule| split.symbols.name(rule.head.relation.name)).collect();
        assert_eq!(names, ["goal@1", "goal@2", "goal", "goal"]);
    }

    #[test]
    fn a_true_cycle_through_negation_is_refused() {
        for text in [
            "(<= (p ?x) (q ?x) (not (p ?x))) (q a)",
            "(<= (p a) (not (p b))) (<= (p b) (not (p a)))",
            "(<= (p a) (not (p ?x)) (q ?x)) (<= (p b) (q a)) (q a)",
        ] {
            assert_eq!(stratify(program(text)).err(), Some(0), "{text}");
        }
    }
}
