//! Splitting relations by constants, so that rule sheets become stratified that are so only when one
//! looks at the constants.
//!
//! `(<= (goal robot 100) (not (goal robot 0)))` breaks thesis Def. 2.7 (1) to the letter, because
//! `goal` depends on its own negation; yet no instance does, and such rule sheets are in use. Where
//! all heads of a relation have a constant at the same place, the relation is split into one per
//! constant, and the original becomes their union. This keeps the meaning (the perfect model of a
//! locally stratified program), and what comes out is stratified in the sense of the definition.

use crate::ast::Relation;
use crate::depend::Dependencies;
use crate::normal::{Literal, Pattern, Predicate, Program, Rule};
use crate::symbol::Symbol;

/// Makes the program stratified if it is so up to constants. Otherwise the clause (an index into the
/// rule sheet) of a negation that is part of a cycle.
pub fn stratify(mut program: Program) -> Result<Program, usize> {
    loop {
        let graph = Dependencies::new(&program);
        let Some((relation, clause)) = negative_cycle(&program, &graph) else {
            return Ok(program);
        };
        let component = graph.node(relation).map(|node| &graph.components[graph.component[node]]);
        let candidates = component.into_iter().flatten().map(|node| graph.relations[*node]);
        let split = candidates
            .filter_map(|candidate| Some((candidate, constant_place(&program, candidate)?)))
            .next();
        match split {
            Some((relation, place)) => program = split_at(program, relation, place),
            None => return Err(clause),
        }
    }
}

/// A relation that a rule of its own component negates, and that rule's clause.
fn negative_cycle(program: &Program, graph: &Dependencies) -> Option<(Relation, usize)> {
    let component = |relation| graph.node(relation).map(|node| graph.component[node]);
    program.rules.iter().find_map(|rule| {
        let own = component(rule.head.relation);
        rule.body.iter().find_map(|literal| match literal {
            Literal::Negative(p) if component(p.relation) == own => {
                Some((p.relation, rule.clause as usize))
            }
            _ => None,
        })
    })
}

/// The first argument that is a constant in every head, and not the same in all of them.
fn constant_place(program: &Program, relation: Relation) -> Option<usize> {
    let heads: Vec<&Predicate> =
        program.rules.iter().map(|rule| &rule.head).filter(|h| h.relation == relation).collect();
    (0..relation.arity as usize).find(|place| {
        let mut constants = heads.iter().map(|head| match &head.args[*place] {
            Pattern::Constant(name) => Some(*name),
            _ => None,
        });
        let first = constants.next().flatten();
        let mut differ = false;
        first.is_some()
            && constants.all(|other| {
                differ |= other != first;
                other.is_some()
            })
            && differ
    })
}

fn split_at(mut program: Program, relation: Relation, place: usize) -> Program {
    let mut parts: Vec<(Symbol, Relation)> = Vec::new();
    for rule in &program.rules {
        if let (true, Pattern::Constant(name)) =
            (rule.head.relation == relation, part_key(&rule.head, place))
        {
            if !parts.iter().any(|(known, _)| *known == name) {
                parts.push((name, relation));
            }
        }
    }
    for (constant, part) in &mut parts {
        let (base, value) = (program.symbols.name(relation.name), program.symbols.name(*constant));
        let mut name = format!("{base}@{value}");
        while program.symbols.get(&name).is_some() {
            name.push('@');
        }
        part.name = program.symbols.intern(&name);
    }
    let part_of = |predicate: &Predicate| match part_key(predicate, place) {
        Pattern::Constant(name) => {
            parts.iter().find(|(known, _)| *known == name).map(|(_, part)| *part)
        }
        _ => None,
    };
    let mut clause = 0;
    for rule in &mut program.rules {
        if rule.head.relation == relation {
            clause = rule.clause;
            if let Some(part) = part_of(&rule.head) {
                rule.head.relation = part;
            }
        }
        for literal in &mut rule.body {
            if let Literal::Positive(p) | Literal::Negative(p) = literal {
                if let (true, Some(part)) = (p.relation == relation, part_of(p)) {
                    p.relation = part;
                }
            }
        }
    }
    for (constant, part) in parts {
        program.rules.push(union_rule(relation, part, place, constant, clause));
    }
    program
}

fn part_key(predicate: &Predicate, place: usize) -> Pattern {
    predicate.args.get(place).cloned().unwrap_or(Pattern::Variable(0))
}

/// `goal(R,100) :- goal@100(R,100)`.
fn union_rule(whole: Relation, part: Relation, place: usize, constant: Symbol, clause: u32) -> Rule {
    let mut variables = 0;
    let args: Vec<Pattern> = (0..whole.arity as usize)
        .map(|at| {
            if at == place {
                return Pattern::Constant(constant);
            }
            variables += 1;
            Pattern::Variable(variables - 1)
        })
        .collect();
    Rule {
        head: Predicate { relation: whole, args: args.clone() },
        body: vec![Literal::Positive(Predicate { relation: part, args })],
        variables,
        variable_names: vec![whole.name; variables as usize],
        clause,
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
    fn negation_between_different_constants_is_split() {
        let text = "(role r) (<= (goal r 0) (true a)) (<= (goal r 100) (not (goal r 0)))";
        let split = stratify(program(text)).expect("stratified up to constants");
        assert!(Dependencies::new(&split).strata().is_some());
        let names: Vec<&str> = split
            .rules
            .iter()
            .map(|rule| split.symbols.name(rule.head.relation.name))
            .collect();
        assert_eq!(names, ["role", "goal@0", "goal@100", "goal", "goal"]);
    }

    #[test]
    fn a_real_cycle_through_negation_is_refused() {
        let text = "(<= (p ?x) (q ?x) (not (p ?x))) (q a)";
        assert_eq!(stratify(program(text)).err(), Some(0));
        let text = "(<= (p a) (not (p b))) (<= (p b) (not (p a)))";
        assert_eq!(stratify(program(text)).err(), Some(0));
    }
}
