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

use datalog::plan::Lifetime;
use datalog::{Analysis, Estimates};
use gdl::Relation;
use gdl::normal::{Literal, Pattern, Predicate, Program, Rule};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::eliminate::{self, Determines, Elimination, Variables};

/// Below that many expected instances the estimate, made from a few states, is not trusted.
const FEW: f64 = 200.0;

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
        determines: determines(program, analysis),
        program: Program { symbols, rules },
        required: FxHashMap::default(),
        moving: FxHashSet::default(),
        known: FxHashMap::default(),
    };
    for rule in &program.rules {
        factoring.rule(rule.clone(), None);
    }
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

struct Factoring<'a> {
    analysis: &'a Analysis,
    /// What there is when everything possible holds.
    estimates: Estimates,
    determines: Determines,
    program: Program,
    required: FxHashMap<Relation, Vec<bool>>,
    /// Parts that depend on the state or on moves.
    moving: FxHashSet<Relation>,
    /// Equal parts are made once.
    known: FxHashMap<Key, Relation>,
}

impl Factoring<'_> {
    /// Adds a rule with its parts; `given` are the arguments of a part that must be given.
    fn rule(&mut self, mut rule: Rule, given: Option<&[bool]>) {
        let mut in_head = vec![false; rule.variables as usize];
        rule.head.each_variable(&mut |v| in_head[v as usize] = true);
        let groups = linked_groups(&rule, &in_head);
        if groups.len() == 1 && groups[0].len() == rule.body.len() {
            self.eliminate(&mut rule, &in_head, given);
            self.program.rules.push(rule);
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
        self.estimates.add_part(scratch, &inside, &border, rule.variables);
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
        let body: Vec<Literal> = literals.iter().map(|l| renamed(l, &inside)).collect();
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
        let mut number = self.required.len() + 1;
        while self.program.symbols.get(&format!("part_{number}")).is_some() {
            number += 1;
        }
        let name = self.program.symbols.intern(&format!("part_{number}"));
        let arity = shared.len() as u32;
        let relation = Relation { name, arity, parens: arity > 0 };
        let given: Vec<bool> = shared.iter().map(|v| needed[*v as usize]).collect();
        self.required.insert(relation, given.clone());
        self.moving.insert(relation);
        self.known.insert(key.clone(), relation);
        let (body, border) = key;
        self.estimates.add_part(relation, &body, &border, order.len() as u32);
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

    fn is_dynamic(&self, literal: &Literal) -> bool {
        literal.relation().is_some_and(|(relation, _)| {
            self.moving.contains(&relation)
                || self.analysis.class_of(relation).0 != Lifetime::Always
        })
    }
}

fn renamed(literal: &Literal, number: &impl Fn(u32) -> u32) -> Literal {
    let predicate = |p: &Predicate| Predicate {
        relation: p.relation,
        args: p.args.iter().map(|arg| renamed_pattern(arg, number)).collect(),
    };
    match literal {
        Literal::Positive(p) => Literal::Positive(predicate(p)),
        Literal::Negative(p) => Literal::Negative(predicate(p)),
        Literal::Distinct(a, b) => {
            Literal::Distinct(renamed_pattern(a, number), renamed_pattern(b, number))
        }
        Literal::Same(a, b) => {
            Literal::Same(renamed_pattern(a, number), renamed_pattern(b, number))
        }
    }
}

fn renamed_pattern(pattern: &Pattern, number: &impl Fn(u32) -> u32) -> Pattern {
    match pattern {
        Pattern::Variable(v) => Pattern::Variable(number(*v)),
        Pattern::Constant(name) => Pattern::Constant(*name),
        Pattern::Function(name, args) => {
            Pattern::Function(*name, args.iter().map(|a| renamed_pattern(a, number)).collect())
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
