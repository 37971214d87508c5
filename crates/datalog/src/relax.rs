//! Expected sizes when everything that is possible holds at once, as it does while rules are made ground:
//! every combination of the values seen in the fluents of states, every move that some rule for `legal`
//! may allow.

use gdl::keyword;
use gdl::normal::{Literal, Pattern, Program};
use gdl::{Relation, Symbol};
use rustc_hash::FxHashMap;

use crate::analysis::Analysis;
use crate::order::{Estimates, Sample, Size};

/// More than that is not counted: estimates are products.
const MOST: f64 = 1e12;

impl Estimates {
    /// Estimates sizes for the relaxed rules, in which all that is possible holds.
    pub fn relaxed(program: &Program, analysis: &Analysis, sample: &Sample, roles: usize) -> Self {
        let mut estimates = Self::new(program, analysis, sample, roles);
        #[expect(clippy::iter_over_hash_type, reason = "each entry is changed on its own")]
        for size in estimates.fluents.values_mut() {
            size.facts = size.distinct.iter().product::<f64>().clamp(1.0, MOST);
        }
        let whole: Vec<f64> = estimates.fluents.values().map(|size| size.facts).collect();
        estimates.all_fluents = whole.iter().sum::<f64>().clamp(1.0, MOST);
        estimates.relations.clear();
        estimates.each_relation(program, analysis);
        estimates.moves = estimates.possible_moves(program, analysis);
        estimates.relations.clear();
        estimates.each_relation(program, analysis);
        estimates
    }

    /// The moves of all roles by name, from the rules for `legal`.
    fn possible_moves(
        &self,
        program: &Program,
        analysis: &Analysis,
    ) -> FxHashMap<(Symbol, usize), Size> {
        let mut moves: FxHashMap<(Symbol, usize), Size> = FxHashMap::default();
        let legal = Relation { name: keyword::LEGAL, arity: 2, parens: true };
        for index in analysis.rules_of(legal).unwrap_or(&[]) {
            let rule = &program.rules[*index as usize];
            if let [_, Pattern::Function(name, args)] = &rule.head.args[..] {
                let size = moves.entry((*name, args.len())).or_default();
                size.distinct.resize(args.len(), 1.0);
                for (most, arg) in size.distinct.iter_mut().zip(args) {
                    *most = most.max(self.values_of(rule, arg));
                }
                let whole: f64 = size.distinct.iter().product();
                size.facts = (size.facts + self.rule_facts(rule)).clamp(1.0, whole.min(MOST));
            }
        }
        moves
    }

    /// The expected number of solutions of some literals together.
    pub fn solutions(&self, literals: &[Literal], variables: u32) -> f64 {
        self.body_facts(literals, variables).clamp(1.0, MOST)
    }

    /// Adds a relation that stands for some literals, or for several such alternatives.
    pub fn add_part(&mut self, relation: Relation, alternatives: &[Part<'_>]) {
        let mut size = Size { facts: 0.0, distinct: vec![1.0; relation.arity as usize] };
        for part in alternatives {
            let values = |v: &u32| self.values_of_variable(part.literals, *v).max(1.0);
            let distinct: Vec<f64> = part.border.iter().map(values).collect();
            let whole: f64 = distinct.iter().product();
            size.facts += self.solutions(part.literals, part.variables).min(whole);
            for (most, own) in size.distinct.iter_mut().zip(distinct) {
                *most = most.max(own);
            }
        }
        size.facts = size.facts.min(size.distinct.iter().product());
        self.relations.insert(relation, size);
    }
}

/// Some literals, by some of their variables.
#[derive(Clone, Copy, Debug)]
pub struct Part<'l> {
    /// The literals.
    pub literals: &'l [Literal],
    /// The variables that are arguments.
    pub border: &'l [u32],
    /// How many variables there are.
    pub variables: u32,
}
