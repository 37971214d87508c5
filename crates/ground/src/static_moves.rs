//! The moves that may ever be legal, as far as the rules tell without looking at states: the static legal
//! rules of thesis Def. 7.8, over the domains of Def. 7.6 and 7.7.
//!
//! The domain of a move such as `move(P,X1,Y1,X2,Y2)` is a cross product; how pieces move is in the rules of
//! `legal`. Here each condition on the state is relaxed to "the fluent may hold at all".

use datalog::{CompileError, GroundTerm, Limits};
use gdl::depend::Dependencies;
use gdl::normal::{Literal, Pattern, Predicate, Program, Rule};
use gdl::{Relation, Symbol, Symbols, keyword};
use rustc_hash::FxHashMap;

use crate::domains::{Domains, Element, Place};

const TRUE: Relation = Relation { name: keyword::TRUE, arity: 1, parens: true };
const DOES: Relation = Relation { name: keyword::DOES, arity: 2, parens: true };
const LEGAL: Relation = Relation { name: keyword::LEGAL, arity: 2, parens: true };

/// Pairs of a role and a move that some state might allow, in order.
pub fn static_moves(
    program: &Program,
    domains: &Domains,
    limits: &Limits,
) -> Result<Vec<(GroundTerm, GroundTerm)>, CompileError> {
    let relaxed = Relaxing::new(program, domains).relax();
    let rows = datalog::extent(&relaxed, LEGAL, limits)?;
    let pairs = rows.into_iter().filter_map(|row| <[GroundTerm; 2]>::try_from(row).ok());
    Ok(pairs.map(|[role, action]| (role, action)).collect())
}

/// What Def. 7.8 and Def. 7.7 need while the program is made.
struct Relaxing<'a> {
    program: &'a Program,
    domains: &'a Domains,
    dependencies: Dependencies,
    /// For each relation whether it depends on the state or the moves.
    dynamic: Vec<bool>,
    symbols: Symbols,
    rules: Vec<Rule>,
    /// The relations that stand for the domains of places.
    names: FxHashMap<Place, Relation>,
    todo: Vec<Place>,
}

impl<'a> Relaxing<'a> {
    fn new(program: &'a Program, domains: &'a Domains) -> Self {
        let dependencies = Dependencies::new(program);
        let is_source = |relation: &Relation| [TRUE, DOES].contains(relation);
        let mut dynamic: Vec<bool> = dependencies.relations.iter().map(is_source).collect();
        for members in &dependencies.components {
            let below = members.iter().flat_map(|node| &dependencies.edges[*node]);
            let any = below.into_iter().any(|edge| dynamic[edge.to]);
            for node in members {
                dynamic[*node] |= any;
            }
        }
        Self {
            program,
            domains,
            dependencies,
            dynamic,
            symbols: program.symbols.clone(),
            rules: Vec::new(),
            names: FxHashMap::default(),
            todo: Vec::new(),
        }
    }

    /// The rules that `legal` depends on, with conditions on the state relaxed. Static relations keep their
    /// rules as they are, so no relation needs a second name.
    fn relax(mut self) -> Program {
        let wanted = self.dependencies.reachable(self.dependencies.node(LEGAL));
        for rule in &self.program.rules {
            let node = self.dependencies.node(rule.head.relation);
            if node.is_some_and(|node| wanted[node]) {
                let relaxed = self.rule(rule);
                self.rules.push(relaxed);
            }
        }
        while let Some(place) = self.todo.pop() {
            self.domain(place);
        }
        Program { symbols: self.symbols, rules: self.rules }
    }

    fn rule(&mut self, rule: &Rule) -> Rule {
        let mut body = Vec::with_capacity(rule.body.len());
        for literal in &rule.body {
            match literal {
                Literal::Positive(p) if p.relation == TRUE => {
                    self.may_be(&p.args[0], Place::relation(TRUE, 0), &mut body);
                }
                Literal::Positive(p) if p.relation == DOES => {
                    for (argument, arg) in p.args.iter().enumerate() {
                        self.may_be(arg, Place::relation(DOES, argument as u32), &mut body);
                    }
                }
                Literal::Negative(p) if self.is_dynamic(p.relation) => {}
                other => body.push(other.clone()),
            }
        }
        Rule { body, ..rule.clone() }
    }

    fn is_dynamic(&self, relation: Relation) -> bool {
        self.dependencies.node(relation).is_some_and(|node| self.dynamic[node])
    }

    /// Adds the conditions that a pattern is in the domain of a place. Patterns are taken apart, so that
    /// cross products arise only where nothing else binds the variables.
    fn may_be(&mut self, pattern: &Pattern, place: Place, body: &mut Vec<Literal>) {
        match pattern {
            Pattern::Function(name, args) => {
                let arity = args.len() as u32;
                if !self.domains.improved(place).contains(&Element::Function(*name, arity)) {
                    let never = Pattern::Constant(*name);
                    body.push(Literal::Distinct(never.clone(), never));
                }
                for (argument, arg) in args.iter().enumerate() {
                    self.may_be(arg, Place::function(*name, arity, argument as u32), body);
                }
            }
            Pattern::Variable(_) | Pattern::Constant(_) => {
                let relation = self.relation_of(place);
                let args = vec![pattern.clone()];
                body.push(Literal::Positive(Predicate { relation, args }));
            }
        }
    }

    fn relation_of(&mut self, place: Place) -> Relation {
        if let Some(relation) = self.names.get(&place) {
            return *relation;
        }
        let name = self.fresh();
        let relation = Relation { name, arity: 1, parens: true };
        self.names.insert(place, relation);
        self.todo.push(place);
        relation
    }

    fn fresh(&mut self) -> Symbol {
        let mut name = format!("dom_{}", self.names.len());
        while self.symbols.get(&name).is_some() {
            name.push('_');
        }
        self.symbols.intern(&name)
    }

    /// The rules of Def. 7.7 for a place.
    fn domain(&mut self, place: Place) {
        let relation = self.relation_of(place);
        for element in self.domains.improved(place) {
            let (arg, variables) = match element {
                Element::Constant(name) => (Pattern::Constant(name), 0),
                Element::Function(name, arity) => {
                    (Pattern::Function(name, (0..arity).map(Pattern::Variable).collect()), arity)
                }
            };
            let mut body = Vec::new();
            if let Element::Function(name, arity) = element {
                for argument in 0..arity {
                    let inner = Place::function(name, arity, argument);
                    self.may_be(&Pattern::Variable(argument), inner, &mut body);
                }
            }
            self.rules.push(Rule {
                head: Predicate { relation, args: vec![arg] },
                body,
                variables,
                variable_names: vec![relation.name; variables as usize],
                clause: 0,
            });
        }
    }
}
