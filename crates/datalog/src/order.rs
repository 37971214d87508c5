//! The order in which the literals of a rule are evaluated: tests as soon as they can be made, then
//! whatever is expected to have the fewest matches.
//!
//! Expected matches come from the number of facts of a relation divided by the number of different
//! values at each known position, the usual independence assumption of join ordering. For `true` the
//! counts come from sampled states; for derived relations they are estimated from their rules,
//! dependencies first.

use gdl::normal::{Literal, Pattern, Predicate, Program, Rule};
use gdl::{Relation, Symbol, keyword};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::{Analysis, source_of};
use crate::plan::Lifetime;
use crate::terms::GroundTerm;

/// How many facts, and how many different values at each argument.
#[derive(Clone, Debug, Default)]
pub(crate) struct Size {
    pub(crate) facts: f64,
    pub(crate) distinct: Vec<f64>,
}

/// Expected sizes of everything a rule can mention.
#[derive(Clone, Debug, Default)]
pub struct Estimates {
    pub(crate) relations: FxHashMap<Relation, Size>,
    pub(crate) fluents: FxHashMap<(Symbol, usize), Size>,
    pub(crate) all_fluents: f64,
    /// The moves of all roles by name, if all that are possible count; otherwise each role makes one.
    pub(crate) moves: FxHashMap<(Symbol, usize), Size>,
    roles: f64,
    /// What it costs to ask for a derived relation at all, in matches of plain facts.
    efforts: FxHashMap<Relation, f64>,
    /// Arguments that must be given whenever a relation is asked for.
    required: FxHashMap<Relation, Vec<bool>>,
}

/// What was seen in sampled states, for `true`.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    states: usize,
    fluents: FxHashMap<(Symbol, usize), Seen>,
    most: usize,
}

/// What was seen of the fluents with one name.
#[derive(Clone, Debug, Default)]
struct Seen {
    total: usize,
    most: usize,
    /// The number in the state that is being added.
    here: usize,
    values: Vec<FxHashSet<GroundTerm>>,
}

impl Sample {
    /// Adds the fluents of one state.
    pub fn add<'t>(&mut self, state: impl IntoIterator<Item = &'t GroundTerm>) {
        self.states += 1;
        let mut size = 0;
        #[expect(clippy::iter_over_hash_type, reason = "each entry is changed on its own")]
        for seen in self.fluents.values_mut() {
            seen.here = 0;
        }
        for fluent in state {
            size += 1;
            let (name, args) = match fluent {
                GroundTerm::Constant(name) => (*name, &[][..]),
                GroundTerm::Function(name, args) => (*name, &args[..]),
            };
            let seen = self.fluents.entry((name, args.len())).or_default();
            seen.total += 1;
            seen.here += 1;
            seen.most = seen.most.max(seen.here);
            seen.values.resize_with(args.len(), FxHashSet::default);
            for (value, known) in args.iter().zip(&mut seen.values) {
                known.insert(value.clone());
            }
        }
        self.most = self.most.max(size);
    }
}

const UNKNOWN_FACTS: f64 = 20.0;
const UNKNOWN_DISTINCT: f64 = 6.0;
const UNKNOWN_MOVES: f64 = 200.0;

const EFFORT_STATIC: f64 = 0.3;
const EFFORT_DERIVED: f64 = 3.0;
const EFFORT_RECURSIVE: f64 = 30.0;
/// A test with everything known derives little and stops at the first answer.
const TEST_DISCOUNT: f64 = 30.0;

impl Estimates {
    /// Says that some arguments of a relation must be known before it is asked for, because its own
    /// rules do not bind them. To be said before anything is estimated.
    #[must_use]
    pub fn requiring(required: FxHashMap<Relation, Vec<bool>>) -> Self {
        Self { required, ..Self::default() }
    }

    /// Whether enough is known to ask for a positive literal.
    pub fn is_askable(&self, predicate: &Predicate, known: &[bool]) -> bool {
        let Some(required) = self.required.get(&predicate.relation) else { return true };
        required.iter().zip(&predicate.args).all(|(needed, arg)| {
            let mut all = true;
            arg.each_variable(&mut |v| all &= known[v as usize]);
            all || !needed
        })
    }

    /// Estimates sizes from the rules and from what was seen in states.
    pub fn new(program: &Program, analysis: &Analysis, sample: &Sample, roles: usize) -> Self {
        Self::default().estimated(program, analysis, sample, roles)
    }

    /// The same, with what was said before.
    #[must_use]
    pub fn estimated(
        mut self,
        program: &Program,
        analysis: &Analysis,
        sample: &Sample,
        roles: usize,
    ) -> Self {
        self.roles = roles as f64;
        let mut estimates = self;
        #[expect(clippy::iter_over_hash_type, reason = "each entry is computed on its own")]
        for (key, seen) in &sample.fluents {
            // States grow and shrink: between the mean and the most, so that a bad order is avoided
            // where it would hurt.
            let mean = seen.total as f64 / sample.states.max(1) as f64;
            let facts = f64::midpoint(mean, seen.most as f64);
            let distinct = seen.values.iter().map(|known| known.len().max(1) as f64).collect();
            estimates.fluents.insert(*key, Size { facts, distinct });
        }
        estimates.all_fluents = if sample.most == 0 { UNKNOWN_FACTS } else { sample.most as f64 };
        estimates.each_relation(program, analysis);
        estimates
    }

    /// Estimates all relations, dependencies first.
    pub(crate) fn each_relation(&mut self, program: &Program, analysis: &Analysis) {
        for members in &analysis.dependencies.components {
            // Recursive relations are estimated twice: first as if empty, then from that.
            for _ in 0..if members.len() > 1 { 3 } else { 2 } {
                for node in members {
                    let relation = analysis.dependencies.relations[*node];
                    self.relation(program, analysis, relation);
                }
            }
        }
    }

    fn relation(&mut self, program: &Program, analysis: &Analysis, relation: Relation) {
        let Some(rules) = analysis.rules_of(relation) else { return };
        let facts_only = rules.iter().all(|rule| program.rules[*rule as usize].body.is_empty());
        let effort = match analysis.class_of(relation) {
            _ if facts_only => 0.0,
            (Lifetime::Always, _) => EFFORT_STATIC,
            (_, None) => EFFORT_DERIVED,
            (_, Some(_)) => EFFORT_RECURSIVE,
        };
        self.efforts.insert(relation, effort);
        let arity = relation.arity as usize;
        let mut facts = 0.0;
        let mut values: Vec<FxHashSet<&Pattern>> = vec![FxHashSet::default(); arity];
        let mut distinct = vec![0.0f64; arity];
        for index in rules {
            let rule = &program.rules[*index as usize];
            if rule.body.is_empty() {
                facts += 1.0;
                for (seen, arg) in values.iter_mut().zip(&rule.head.args) {
                    seen.insert(arg);
                }
                continue;
            }
            facts += self.rule_facts(rule);
            for (most, arg) in distinct.iter_mut().zip(&rule.head.args) {
                *most = most.max(self.values_of(rule, arg));
            }
        }
        for (most, seen) in distinct.iter_mut().zip(&values) {
            *most = most.max(seen.len() as f64).max(1.0);
        }
        let most: f64 = distinct.iter().product();
        self.relations.insert(relation, Size { facts: facts.min(most), distinct });
    }

    /// The number of solutions of a rule, following the order that would be chosen.
    pub(crate) fn rule_facts(&self, rule: &Rule) -> f64 {
        self.body_facts(&rule.body, rule.variables)
    }

    pub(crate) fn body_facts(&self, body: &[Literal], variables: u32) -> f64 {
        let mut known = vec![false; variables as usize];
        let mut facts = 1.0;
        for position in self.order(body, &known.clone()) {
            let literal = &body[position];
            facts *= match literal {
                Literal::Positive(p) => self.matches(p, &known),
                Literal::Negative(_) => 0.7,
                Literal::Distinct(..) => 0.8,
                Literal::Same(..) => 0.3,
            };
            literal.each_variable(&mut |v| known[v as usize] = true);
        }
        facts
    }

    /// How many values a head argument can take: the most selective positive literal decides.
    pub(crate) fn values_of(&self, rule: &Rule, arg: &Pattern) -> f64 {
        match arg {
            Pattern::Constant(_) => 1.0,
            Pattern::Function(_, args) => {
                args.iter().map(|arg| self.values_of(rule, arg)).product()
            }
            Pattern::Variable(v) => self.values_of_variable(&rule.body, *v),
        }
    }

    pub(crate) fn values_of_variable(&self, body: &[Literal], variable: u32) -> f64 {
        let mut least = f64::INFINITY;
        for literal in body {
            if let Literal::Positive(p) = literal {
                least = least.min(self.values_in(p, variable));
            }
        }
        if least.is_finite() { least } else { UNKNOWN_DISTINCT }
    }

    fn values_in(&self, predicate: &Predicate, variable: u32) -> f64 {
        let (size, args) = self.size(predicate);
        let mut least = f64::INFINITY;
        for (position, arg) in args.iter().enumerate() {
            let here = size.distinct.get(position).copied().unwrap_or(UNKNOWN_DISTINCT);
            match arg {
                Pattern::Variable(v) if *v == variable => least = least.min(here),
                Pattern::Function(..) => {
                    let mut inside = false;
                    arg.each_variable(&mut |v| inside |= v == variable);
                    if inside {
                        least = least.min(here);
                    }
                }
                _ => {}
            }
        }
        least
    }

    /// The size of what a predicate ranges over, with the arguments that its positions refer to.
    fn size<'p>(&self, predicate: &'p Predicate) -> (Size, &'p [Pattern]) {
        match (predicate.relation.name, &predicate.args[..]) {
            (keyword::TRUE, [Pattern::Function(name, args)]) => {
                let size = self.fluents.get(&(*name, args.len())).cloned();
                (size.unwrap_or_else(|| unknown(args.len(), UNKNOWN_FACTS)), args)
            }
            (keyword::TRUE, [Pattern::Constant(name)]) => {
                let facts = self.fluents.get(&(*name, 0)).map_or(0.5, |size| size.facts);
                (Size { facts, distinct: Vec::new() }, &[])
            }
            (keyword::TRUE, args) => {
                (Size { facts: self.all_fluents, distinct: vec![self.all_fluents] }, args)
            }
            (keyword::DOES, [_, Pattern::Function(name, args)]) if !self.moves.is_empty() => {
                let size = self.moves.get(&(*name, args.len())).cloned();
                (size.unwrap_or_else(|| unknown(args.len(), UNKNOWN_MOVES)), args)
            }
            (keyword::DOES, args) => {
                (Size { facts: self.roles, distinct: vec![self.roles, 1.0] }, args)
            }
            (_, args) => {
                let size = self.relations.get(&predicate.relation).cloned();
                // Not estimated yet: a recursive relation, as if it were nearly empty.
                (size.unwrap_or_else(|| unknown(args.len(), 1.0)), args)
            }
        }
    }

    /// The expected number of matches of a literal when some variables are known.
    fn matches(&self, predicate: &Predicate, known: &[bool]) -> f64 {
        let (size, args) = self.size(predicate);
        let mut expected = size.facts;
        for (position, arg) in args.iter().enumerate() {
            let distinct = size.distinct.get(position).copied().unwrap_or(UNKNOWN_DISTINCT);
            let mut share = 1.0;
            let (mut all_known, mut any_known) = (true, false);
            arg.each_variable(&mut |v| {
                all_known &= known[v as usize];
                any_known |= known[v as usize];
            });
            if all_known {
                share = distinct;
            } else if any_known {
                share = distinct.sqrt();
            }
            expected /= share.max(1.0);
        }
        expected
    }

    /// The positions of `body` in the order of evaluation. A cost is computed again only when a variable
    /// of its literal becomes known, so that bodies of thousands of literals stay cheap.
    pub fn order(&self, body: &[Literal], known: &[bool]) -> Vec<usize> {
        let mut known = known.to_vec();
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); known.len()];
        for (at, literal) in body.iter().enumerate() {
            literal.each_variable(&mut |v| users[v as usize].push(at));
        }
        let mut costs: Vec<f64> = body.iter().map(|literal| self.cost(literal, &known)).collect();
        let mut left: Vec<usize> = (0..body.len()).collect();
        let mut order = Vec::with_capacity(body.len());
        while let Some(at) = cheapest(&left, &costs) {
            let position = left.remove(at);
            order.push(position);
            let mut fresh = Vec::new();
            body[position].each_variable(&mut |v| {
                if !std::mem::replace(&mut known[v as usize], true) {
                    fresh.push(v as usize);
                }
            });
            for user in fresh.iter().flat_map(|v| &users[*v]) {
                costs[*user] = self.cost(&body[*user], &known);
            }
        }
        order
    }

    /// Lower is earlier. Tests that shrink the search come first, the cheapest of them before the
    /// others; a literal that cannot be evaluated yet comes last.
    fn cost(&self, literal: &Literal, known: &[bool]) -> f64 {
        const NEVER: f64 = 1e30;
        let mut ready = true;
        literal.each_variable(&mut |v| ready &= known[v as usize]);
        match literal {
            Literal::Distinct(..) => {
                if ready {
                    0.0
                } else {
                    NEVER
                }
            }
            Literal::Same(a, b) => {
                let known_side = |p: &Pattern| {
                    let mut all = true;
                    p.each_variable(&mut |v| all &= known[v as usize]);
                    all
                };
                if known_side(a) || known_side(b) { 0.01 } else { NEVER }
            }
            Literal::Negative(p) if ready => 0.02 + self.effort(p) / TEST_DISCOUNT,
            Literal::Negative(_) => NEVER,
            Literal::Positive(p) if !self.is_askable(p, known) => NEVER / 2.0,
            Literal::Positive(p) if ready => 0.015 + self.effort(p) / TEST_DISCOUNT,
            Literal::Positive(p) => {
                let expected = self.matches(p, known);
                // A derived relation has to be computed first, and with less known it is larger:
                // prefer plain facts unless they are many more.
                expected.max(0.05) + self.effort(p) + 0.2
            }
        }
    }

    fn effort(&self, predicate: &Predicate) -> f64 {
        match source_of(predicate.relation) {
            Some(_) => 0.0,
            None => self.efforts.get(&predicate.relation).copied().unwrap_or(0.0),
        }
    }
}

/// The place in `left` of the position with the least cost, the first of equal ones.
fn cheapest(left: &[usize], costs: &[f64]) -> Option<usize> {
    let mut best = None;
    for (at, position) in left.iter().enumerate() {
        if best.is_none_or(|(least, _)| costs[*position] < least) {
            best = Some((costs[*position], at));
        }
    }
    best.map(|(_, at)| at)
}

fn unknown(arity: usize, facts: f64) -> Size {
    Size { facts, distinct: vec![UNKNOWN_DISTINCT; arity] }
}
