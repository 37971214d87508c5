//! Factoring rules before they are made ground.
//!
//! In `next(cell(M,N,C)) :- true(cell(M,N,C)), does(P,mark(X,Y)), distinct(X,M)` every cell would be
//! combined with every move. The conditions that are linked by variables which the head does not
//! mention (here P, X, Y) become a relation of their own, over the variables they share with the head:
//! `next(cell(M,N,C)) :- true(cell(M,N,C)), part_1(M)` and `part_1(M) :- does(P,mark(X,Y)),
//! distinct(X,M)`. The number of instances becomes a sum where it was a product.

use datalog::Analysis;
use datalog::plan::Lifetime;
use gdl::Relation;
use gdl::normal::{Literal, Pattern, Predicate, Program, Rule};
use rustc_hash::FxHashMap;

/// A factored program, with the arguments that must be given when a part is asked for.
pub(crate) struct Factored {
    pub program: Program,
    pub required: FxHashMap<Relation, Vec<bool>>,
}

pub(crate) fn factor(program: &Program, analysis: &Analysis) -> Factored {
    let symbols = program.symbols.clone();
    let mut out = Factored {
        program: Program { symbols, rules: Vec::with_capacity(program.rules.len()) },
        required: FxHashMap::default(),
    };
    for rule in &program.rules {
        out.rule(rule, analysis);
    }
    out
}

impl Factored {
    fn rule(&mut self, rule: &Rule, analysis: &Analysis) {
        let mut in_head = vec![false; rule.variables as usize];
        rule.head.each_variable(&mut |v| in_head[v as usize] = true);
        let groups = linked_groups(rule, &in_head);
        let mut body: Vec<Literal> = Vec::new();
        let whole = groups.len() == 1 && groups[0].len() == rule.body.len();
        for group in groups {
            let literals: Vec<&Literal> = group.iter().map(|at| &rule.body[*at]).collect();
            let linked = literals.iter().any(|literal| has_local(literal, &in_head));
            let dynamic = literals.iter().any(|literal| is_dynamic(literal, analysis));
            if whole || !linked || !dynamic {
                body.extend(literals.into_iter().cloned());
            } else {
                body.push(self.part(rule, &literals, &in_head));
            }
        }
        self.program.rules.push(Rule { body, ..rule.clone() });
    }

    fn part(&mut self, rule: &Rule, literals: &[&Literal], in_head: &[bool]) -> Literal {
        let mut used = vec![false; in_head.len()];
        let mut bound = vec![false; in_head.len()];
        for literal in literals {
            literal.each_variable(&mut |v| used[v as usize] = true);
            if let Literal::Positive(p) = literal {
                p.each_variable(&mut |v| bound[v as usize] = true);
            }
        }
        let border: Vec<u32> = (0..in_head.len() as u32)
            .filter(|v| used[*v as usize] && in_head[*v as usize])
            .collect();
        let mut number = self.required.len() + 1;
        while self.program.symbols.get(&format!("part_{number}")).is_some() {
            number += 1;
        }
        let name = self.program.symbols.intern(&format!("part_{number}"));
        let arity = border.len() as u32;
        let relation = Relation { name, arity, parens: arity > 0 };
        let needed = border.iter().map(|v| !bound[*v as usize]).collect();
        self.required.insert(relation, needed);
        let args = border.into_iter().map(Pattern::Variable).collect();
        let head = Predicate { relation, args };
        let body = literals.iter().map(|literal| (*literal).clone()).collect();
        self.program.rules.push(Rule { head: head.clone(), body, ..rule.clone() });
        Literal::Positive(head)
    }
}

fn has_local(literal: &Literal, in_head: &[bool]) -> bool {
    let mut local = false;
    literal.each_variable(&mut |v| local |= !in_head[v as usize]);
    local
}

fn is_dynamic(literal: &Literal, analysis: &Analysis) -> bool {
    literal
        .relation()
        .is_some_and(|(relation, _)| analysis.class_of(relation).0 != Lifetime::Always)
}

/// The literals of a body, grouped where they share a variable that the head does not have.
fn linked_groups(rule: &Rule, in_head: &[bool]) -> Vec<Vec<usize>> {
    let mut group: Vec<usize> = (0..rule.body.len()).collect();
    let mut first_with: Vec<Option<usize>> = vec![None; rule.variables as usize];
    for (at, literal) in rule.body.iter().enumerate() {
        let mut locals = Vec::new();
        literal.each_variable(&mut |v| {
            if !in_head[v as usize] {
                locals.push(v as usize);
            }
        });
        for v in locals {
            match first_with[v] {
                None => first_with[v] = Some(at),
                Some(other) => {
                    let (keep, drop) = (group[other].min(group[at]), group[other].max(group[at]));
                    for g in &mut group {
                        if *g == drop {
                            *g = keep;
                        }
                    }
                }
            }
        }
    }
    let mut out: Vec<Vec<usize>> = Vec::new();
    let mut place: FxHashMap<usize, usize> = FxHashMap::default();
    for (at, g) in group.iter().enumerate() {
        let slot = *place.entry(*g).or_insert_with(|| {
            out.push(Vec::new());
            out.len() - 1
        });
        out[slot].push(at);
    }
    out
}
