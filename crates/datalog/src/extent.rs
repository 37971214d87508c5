//! All facts of one relation that depends on neither state nor moves.
//!
//! Analyses look at what static relations mean, not at how they are written (thesis §5.2.2). Only the rules
//! that the relation depends on are compiled, so trouble elsewhere in a rule sheet does not matter here.

use gdl::normal::{Literal, Pattern, Predicate, Program, Rule};
use gdl::{Relation, keyword};

use crate::analysis::Analysis;
use crate::error::CompileError;
use crate::memory::{Memory, NONE};
use crate::order::{Estimates, Sample};
use crate::plan::Lifetime;
use crate::solve::{Limits, Solver};
use crate::terms::{GroundTerm, Terms};

/// The rows of a relation in the order of their terms. A relation without rules has none; one that depends
/// on the state is taken in a state without fluents.
pub fn extent(
    program: &Program,
    relation: Relation,
    limits: &Limits,
) -> Result<Vec<Vec<GroundTerm>>, CompileError> {
    let part = with_question(program, relation);
    let analysis = Analysis::new(&part);
    let estimates = Estimates::new(&part, &analysis, &Sample::default(), 1);
    let mut terms = Terms::default();
    let code = crate::plan::compile(&part, &analysis, &estimates, &mut terms)?;
    let Some(query) = code.init else { return Ok(Vec::new()) };
    let memory = Memory::new(&code, terms);
    let mut solver = Solver::new(&code, memory, limits.clone());
    let slot = solver.ask(&code, query, &[])?;
    let table = &solver.memory.queries[query as usize];
    let mut answer = table.slots[slot as usize].first;
    let mut rows = Vec::new();
    while answer != NONE {
        if let Some(term) = table.outs(answer).first() {
            let args = solver.memory.terms.args(*term).to_vec();
            rows.push(args.into_iter().map(|arg| solver.memory.terms.export(arg)).collect());
        }
        answer = table.next(answer);
    }
    rows.sort_unstable();
    Ok(rows)
}

/// The relations that depend on neither state nor moves, in the order they appear.
pub fn static_relations(program: &Program) -> Vec<Relation> {
    let analysis = Analysis::new(program);
    let relations = analysis.dependencies.relations.iter().copied();
    relations
        .filter(|relation| analysis.rules_of(*relation).is_some())
        .filter(|relation| analysis.class_of(*relation).0 == Lifetime::Always)
        .collect()
}

/// The rules that a relation depends on, and `init(init(X1,…,Xn)) :- r(X1,…,Xn)` to ask for all of it.
fn with_question(program: &Program, relation: Relation) -> Program {
    let dependencies = gdl::depend::Dependencies::new(program);
    let wanted = dependencies.reachable(dependencies.node(relation));
    let needed = |rule: &&Rule| {
        let head = rule.head.relation;
        head.name != keyword::INIT
            && dependencies.node(head).is_some_and(|node| wanted.get(node) == Some(&true))
    };
    let mut rules: Vec<Rule> = program.rules.iter().filter(needed).cloned().collect();
    let args: Vec<Pattern> = (0..relation.arity).map(Pattern::Variable).collect();
    let row = Pattern::Function(keyword::INIT, args.clone());
    rules.push(Rule {
        head: Predicate {
            relation: Relation { name: keyword::INIT, arity: 1, parens: true },
            args: vec![row],
        },
        body: vec![Literal::Positive(Predicate { relation, args })],
        variables: relation.arity,
        variable_names: vec![keyword::INIT; relation.arity as usize],
        clause: 0,
    });
    Program { symbols: program.symbols.clone(), rules }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str, name: &str, arity: u32) -> Vec<String> {
        let (rules, _) = gdl::parse(text, &gdl::Limits::default());
        let program = gdl::normal::normalize(&rules).expect("small");
        let name = program.symbols.get(name).expect("known");
        let relation = Relation { name, arity, parens: arity > 0 };
        let found = extent(&program, relation, &Limits::default()).expect("finite");
        let text = |row: &Vec<GroundTerm>| {
            let texts: Vec<_> = row.iter().map(|term| term.to_text(&program.symbols)).collect();
            texts.join(" ")
        };
        found.iter().map(text).collect()
    }

    #[test]
    fn the_extent_of_a_recursive_relation_is_its_closure() {
        let text = "(succ 1 2) (succ 2 3) (<= (less ?x ?y) (succ ?x ?y))
            (<= (less ?x ?z) (less ?x ?y) (succ ?y ?z)) (init (at 1)) (<= (next (at ?x)) (true (at ?x)))";
        assert_eq!(rows(text, "less", 2), ["1 2", "1 3", "2 3"]);
        assert_eq!(rows(text, "init", 1), Vec::<String>::new());
    }

    #[test]
    fn static_relations_are_those_without_state_and_moves() {
        let (rules, _) = gdl::parse(
            "(role r) (succ 1 2) (<= (big ?x) (succ ?x ?y) (not (succ ?y ?x)))
             (<= (here ?x) (true (at ?x))) (<= (there ?x) (here ?x))",
            &gdl::Limits::default(),
        );
        let program = gdl::normal::normalize(&rules).expect("small");
        let found = static_relations(&program);
        let names: Vec<_> = found.iter().map(|r| program.symbols.name(r.name)).collect();
        assert_eq!(names, ["role", "succ", "big"]);
    }
}
