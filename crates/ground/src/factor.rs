//! Factoring rules before they are made ground.
//!
//! In `next(cell(M,N,C)) :- true(cell(M,N,C)), does(P,mark(X,Y)), distinct(X,M)` every cell would be
//! combined with every move. The conditions that are linked by variables which the head does not
//! mention (here P, X, Y) become a relation of their own, over the variables they share with the head:
//! `next(cell(M,N,C)) :- true(cell(M,N,C)), part_1(M)` and `part_1(M) :- does(P,mark(X,Y)),
//! distinct(X,M)`. The number of instances becomes a sum where it was a product.
//!
//! What is still linked is taken apart one variable after the other: the conditions that mention a variable
//! become a part over their other variables, if that leaves something out. So `part_1(M) :- part_2(X),
//! distinct(X,M)` and `part_2(X) :- does(P,mark(X,Y))`. This is the elimination of variables known from
//! constraint networks (Dechter 1999), and what Bichler, Morak and Woltran (lpopt, 2016) do for answer sets
//! with tree decompositions of rules.

use std::rc::Rc;

use datalog::plan::Lifetime;
use datalog::{Analysis, Estimates, Part};
use gdl::Relation;
use gdl::normal::{Literal, Pattern, Predicate, Program, Rule};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::alike::{self, Alike};
use crate::eliminate::{self, Determines, Elimination, Variables};
use crate::unfold::Definitions;

/// Below that many expected instances the estimate, made from a few states, is not trusted.
const FEW: f64 = 200.0;

/// Rules are written in another way only where so many instances are expected: ordinary programs are ground in a moment, and their
/// circuits have fewer gates as they are.
const MANY: f64 = 10_000_000.0;

/// How many times fewer instances are to be expected then. What is expected of parts is too much by more than what is expected of
/// products (25 times and 4 times in chess), as each argument is taken to have all values of its kind.
const TIMES_FEWER: f64 = 0.8;

/// A factored program, with the arguments that must be given when a part is asked for.
pub(crate) struct Factored {
    pub program: Program,
    pub required: FxHashMap<Relation, Vec<bool>>,
}

pub(crate) fn factor(program: &Program, analysis: &Analysis, estimates: Estimates) -> Factored {
    let symbols = program.symbols.clone();
    let rules = Vec::with_capacity(program.rules.len());
    let mut factoring = Factoring {
        analysis,
        estimates,
        determines: Rc::new(determines(program, analysis)),
        definitions: Rc::new(Definitions::new(program, analysis)),
        unfolds: true,
        program: Program { symbols, rules },
        required: FxHashMap::default(),
        moving: FxHashSet::default(),
        known: FxHashMap::default(),
    };
    factoring.all(&program.rules);
    Factored { program: factoring.program, required: factoring.required }
}

/// Which arguments determine which, in relations that are lists of facts.
fn determines(program: &Program, analysis: &Analysis) -> Determines {
    let mut facts: FxHashMap<Relation, Vec<&[Pattern]>> = FxHashMap::default();
    for rule in &program.rules {
        let relation = rule.head.relation;
        let own = analysis.rules_of(relation).unwrap_or(&[]);
        let listed = own.iter().all(|index| {
            let rule = &program.rules[*index as usize];
            rule.body.is_empty() && rule.variables == 0
        });
        if listed && relation.arity > 1 && relation.arity < 8 {
            facts.entry(relation).or_default().push(&rule.head.args);
        }
    }
    let is_function = |rows: &[&[Pattern]], from: usize, to: usize| {
        let mut image: FxHashMap<&Pattern, &Pattern> = FxHashMap::default();
        rows.iter().all(|row| *image.entry(&row[from]).or_insert(&row[to]) == &row[to])
    };
    facts
        .into_iter()
        .map(|(relation, rows)| {
            let places = 0..relation.arity as usize;
            let pairs = places.clone().flat_map(|from| places.clone().map(move |to| (from, to)));
            let found = pairs.filter(|(from, to)| from != to && is_function(&rows, *from, *to));
            (relation, found.collect())
        })
        .collect()
}

/// A body with its variables renamed in the order they occur, and the variables it shares.
type Key = (Vec<Literal>, Vec<u32>);

#[derive(Clone)]
struct Factoring<'a> {
    analysis: &'a Analysis,
    /// What there is when everything possible holds.
    estimates: Estimates,
    determines: Rc<Determines>,
    definitions: Rc<Definitions>,
    /// Whether relations that tell values apart may be written out.
    unfolds: bool,
    program: Program,
    required: FxHashMap<Relation, Vec<bool>>,
    /// Parts that depend on the state or on moves.
    moving: FxHashSet<Relation>,
    /// Equal parts are made once.
    known: FxHashMap<Key, Relation>,
}

impl Factoring<'_> {
    /// Adds rules with their parts, and rules that differ in one condition as one where that is much less.
    fn all(&mut self, rules: &[Rule]) {
        let is_large = |rule: &Rule| self.is_large(rule);
        // A relation that is defined by itself stays as it is: what it stands for would be another one in between.
        let may_differ = |rule: &Rule, literal: &Literal| {
            let own = literal.relation().map(|(relation, _)| relation);
            own != Some(rule.head.relation) && self.is_dynamic(literal)
        };
        let groups = alike::groups(rules, is_large, may_differ);
        let mut group_of: Vec<Option<&Alike>> = vec![None; rules.len()];
        for group in &groups {
            group.members.iter().for_each(|(rule, _)| group_of[*rule] = Some(group));
        }
        for (number, rule) in rules.iter().enumerate() {
            match group_of[number] {
                None => self.rule(rule.clone(), None),
                Some(group) if group.members[0].0 == number => self.choose(
                    |own| group.members.iter().for_each(|(n, _)| own.rule(rules[*n].clone(), None)),
                    |own| own.merge(group, rules),
                ),
                Some(_) => {}
            }
        }
    }

    fn is_large(&self, rule: &Rule) -> bool {
        self.estimates.solutions(&rule.body, rule.variables) > MANY
    }

    /// Adds rules in one of two ways: the other one where it has much fewer instances.
    fn choose(&mut self, plain: impl FnOnce(&mut Self), other: impl FnOnce(&mut Self)) {
        let before = std::mem::take(&mut self.program.rules);
        let mut changed = self.clone();
        plain(self);
        other(&mut changed);
        if changed.cost() * TIMES_FEWER < self.cost() {
            *self = changed;
        }
        let added = std::mem::replace(&mut self.program.rules, before);
        self.program.rules.extend(added);
    }

    /// The expected instances of all rules.
    fn cost(&self) -> f64 {
        let rules = self.program.rules.iter();
        rules.map(|rule| self.estimates.solutions(&rule.body, rule.variables)).sum()
    }

    /// Adds rules that differ in one condition as one rule, with a relation for the condition.
    fn merge(&mut self, group: &Alike, rules: &[Rule]) {
        let any = self.new_relation(vec![false; group.arity() as usize]);
        let conditions: Vec<(&Rule, Literal, Vec<u32>)> = group
            .members
            .iter()
            .map(|member| {
                let (literal, border) = Alike::condition(rules, *member);
                (&rules[member.0], literal, border)
            })
            .collect();
        let parts: Vec<Part<'_>> = conditions
            .iter()
            .map(|(rule, literal, border)| {
                let literals = std::slice::from_ref(literal);
                Part { literals, border, variables: rule.variables }
            })
            .collect();
        self.estimates.add_part(any, &parts);
        for (rule, literal, border) in conditions {
            let args = border.into_iter().map(Pattern::Variable).collect();
            let head = Predicate { relation: any, args };
            self.program.rules.push(Rule { head, body: vec![literal], ..rule.clone() });
        }
        self.rule(group.merged(any), None);
    }

    /// Adds a rule with its parts; `given` are the arguments of a part that must be given.
    fn rule(&mut self, mut rule: Rule, given: Option<&[bool]>) {
        let mut in_head = vec![false; rule.variables as usize];
        rule.head.each_variable(&mut |v| in_head[v as usize] = true);
        let groups = linked_groups(&rule, &in_head);
        if groups.len() == 1 && groups[0].len() == rule.body.len() {
            let may = self.unfolds && self.is_large(&rule);
            match may.then(|| self.definitions.unfold(&rule)).flatten() {
                None => self.linked(rule, &in_head, given),
                Some(cases) => {
                    self.unfolds = false;
                    self.choose(
                        |own| own.linked(rule, &in_head, given),
                        |own| cases.into_iter().for_each(|case| own.rule(case, given)),
                    );
                    self.unfolds = true;
                }
            }
            return;
        }
        let mut body: Vec<Literal> = Vec::new();
        for group in groups {
            let literals: Vec<Literal> = group.iter().map(|at| rule.body[*at].clone()).collect();
            let linked = literals.iter().any(|literal| has_local(literal, &in_head));
            let dynamic = literals.iter().any(|literal| self.is_dynamic(literal));
            if linked && dynamic {
                let needed = unbound(&literals, rule.variables as usize);
                body.push(self.part(&rule, &literals, &in_head, &needed));
            } else {
                body.extend(literals);
            }
        }
        rule.body = body;
        self.program.rules.push(rule);
    }

    /// Adds a rule all of whose conditions are linked.
    fn linked(&mut self, mut rule: Rule, in_head: &[bool], given: Option<&[bool]>) {
        self.eliminate(&mut rule, in_head, given);
        self.program.rules.push(rule);
    }

    /// Takes variables out of a rule, one after the other, as long as something is won.
    fn eliminate(&mut self, rule: &mut Rule, in_head: &[bool], given: Option<&[bool]>) {
        let Some(head) = Variables::of_flags(in_head) else { return };
        let mut start = Variables::default();
        for (arg, given) in rule.head.args.iter().zip(given.unwrap_or(&[])) {
            if let (Pattern::Variable(v), true) = (arg, given) {
                start.add(*v);
            }
        }
        if !eliminate::is_orderable(&rule.body, start, &self.required) {
            return;
        }
        while let Some(found) = self.best(rule, head, start) {
            let (inside, mut rest) = found.split(std::mem::take(&mut rule.body));
            let mut outside = vec![false; rule.variables as usize];
            let mut needed = outside.clone();
            for v in 0..rule.variables {
                outside[v as usize] = found.border.has(v);
                needed[v as usize] = found.needed.has(v);
            }
            rest.push(self.part(rule, &inside, &outside, &needed));
            rule.body = rest;
        }
    }

    /// The cheapest elimination that pays and keeps the rule evaluable.
    fn best(&mut self, rule: &Rule, head: Variables, start: Variables) -> Option<Elimination> {
        let dynamic: Vec<bool> = rule.body.iter().map(|literal| self.is_dynamic(literal)).collect();
        let whole = self.estimates.solutions(&rule.body, rule.variables);
        eliminate::candidates(&rule.body, &dynamic, head).into_iter().find_map(|found| {
            let found = found.checked(&rule.body, start, &self.required)?;
            let pays = whole < FEW || self.instances(rule, &found) < whole;
            let pays = pays && self.frees(rule, &found, head);
            pays.then_some(found)
        })
    }

    /// Whether both the part and the rest have fewer free variables than the rule has.
    fn frees(&self, rule: &Rule, found: &Elimination, head: Variables) -> bool {
        let (inside, rest) = found.split(rule.body.clone());
        let none = Variables::default();
        let whole = eliminate::freedom(rule.body.iter(), head, &self.determines);
        eliminate::freedom(inside.iter(), none, &self.determines) < whole
            && eliminate::freedom(rest.iter(), head.with(found.border), &self.determines) < whole
    }

    /// The expected instances of a rule and of a part taken out of it.
    fn instances(&mut self, rule: &Rule, found: &Elimination) -> f64 {
        let (inside, mut rest) = found.split(rule.body.clone());
        let border: Vec<u32> = found.border.iter().collect();
        let arity = border.len() as u32;
        let scratch = Relation { name: gdl::keyword::BASE, arity, parens: false };
        let part = Part { literals: &inside, border: &border, variables: rule.variables };
        self.estimates.add_part(scratch, &[part]);
        let args = border.into_iter().map(Pattern::Variable).collect();
        rest.push(Literal::Positive(Predicate { relation: scratch, args }));
        self.estimates.solutions(&inside, rule.variables)
            + self.estimates.solutions(&rest, rule.variables)
    }

    /// Makes a relation of some literals over the variables that the rest needs; the literal for it.
    fn part(
        &mut self,
        rule: &Rule,
        literals: &[Literal],
        outside: &[bool],
        needed: &[bool],
    ) -> Literal {
        let mut numbers: Vec<Option<u32>> = vec![None; outside.len()];
        let mut order: Vec<u32> = Vec::new();
        for literal in literals {
            literal.each_variable(&mut |v| {
                numbers[v as usize].get_or_insert_with(|| {
                    order.push(v);
                    order.len() as u32 - 1
                });
            });
        }
        let shared: Vec<u32> = order.iter().copied().filter(|v| outside[*v as usize]).collect();
        let inside = |v: u32| numbers[v as usize].unwrap_or_default();
        let rename = |v: u32| Pattern::Variable(inside(v));
        let body: Vec<Literal> = literals.iter().map(|l| renamed(l, &rename)).collect();
        let border: Vec<u32> = shared.iter().map(|v| inside(*v)).collect();
        let key = (body, border);
        let relation = match self.known.get(&key) {
            Some(relation) => *relation,
            None => self.new_part(rule, &order, &shared, needed, key),
        };
        let args = shared.into_iter().map(Pattern::Variable).collect();
        Literal::Positive(Predicate { relation, args })
    }

    fn new_part(
        &mut self,
        rule: &Rule,
        order: &[u32],
        shared: &[u32],
        needed: &[bool],
        key: Key,
    ) -> Relation {
        let given: Vec<bool> = shared.iter().map(|v| needed[*v as usize]).collect();
        let relation = self.new_relation(given.clone());
        self.known.insert(key.clone(), relation);
        let (body, border) = key;
        let variables = order.len() as u32;
        self.estimates.add_part(relation, &[Part { literals: &body, border: &border, variables }]);
        let args = border.into_iter().map(Pattern::Variable).collect();
        let names = order.iter().filter_map(|v| rule.variable_names.get(*v as usize).copied());
        let part = Rule {
            head: Predicate { relation, args },
            body,
            variables: order.len() as u32,
            variable_names: names.collect(),
            clause: rule.clause,
        };
        self.rule(part, Some(&given));
        relation
    }

    /// A relation that is not in the rules yet, with the arguments that must be given.
    fn new_relation(&mut self, given: Vec<bool>) -> Relation {
        let mut number = self.required.len() + 1;
        while self.program.symbols.get(&format!("part_{number}")).is_some() {
            number += 1;
        }
        let name = self.program.symbols.intern(&format!("part_{number}"));
        let arity = given.len() as u32;
        let relation = Relation { name, arity, parens: arity > 0 };
        self.required.insert(relation, given);
        self.moving.insert(relation);
        relation
    }

    fn is_dynamic(&self, literal: &Literal) -> bool {
        literal.relation().is_some_and(|(relation, _)| {
            self.moving.contains(&relation)
                || self.analysis.class_of(relation).0 != Lifetime::Always
        })
    }
}

/// A literal with something else for each variable.
pub(crate) fn renamed(literal: &Literal, value: &impl Fn(u32) -> Pattern) -> Literal {
    let pattern = |pattern: &Pattern| renamed_pattern(pattern, value);
    match literal {
        Literal::Positive(p) => Literal::Positive(renamed_predicate(p, value)),
        Literal::Negative(p) => Literal::Negative(renamed_predicate(p, value)),
        Literal::Distinct(a, b) => Literal::Distinct(pattern(a), pattern(b)),
        Literal::Same(a, b) => Literal::Same(pattern(a), pattern(b)),
    }
}

/// A predicate with something else for each variable.
pub(crate) fn renamed_predicate(p: &Predicate, value: &impl Fn(u32) -> Pattern) -> Predicate {
    let args = p.args.iter().map(|arg| renamed_pattern(arg, value)).collect();
    Predicate { relation: p.relation, args }
}

fn renamed_pattern(pattern: &Pattern, value: &impl Fn(u32) -> Pattern) -> Pattern {
    match pattern {
        Pattern::Variable(v) => value(*v),
        Pattern::Constant(name) => Pattern::Constant(*name),
        Pattern::Function(name, args) => {
            Pattern::Function(*name, args.iter().map(|a| renamed_pattern(a, value)).collect())
        }
    }
}

/// The variables that no positive literal binds.
fn unbound(literals: &[Literal], variables: usize) -> Vec<bool> {
    let mut unbound = vec![true; variables];
    for literal in literals {
        if let Literal::Positive(p) = literal {
            p.each_variable(&mut |v| unbound[v as usize] = false);
        }
    }
    unbound
}

fn has_local(literal: &Literal, in_head: &[bool]) -> bool {
    let mut local = false;
    literal.each_variable(&mut |v| local |= !in_head[v as usize]);
    local
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
