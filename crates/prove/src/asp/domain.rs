//! Domains as answer set programs (thesis Def. 7.7), and the generators of states and moves (thesis §7.4.2).

use std::fmt::Write as _;

use game::GroundTerm;
use gdl::normal::{Literal, Pattern, Predicate, Rule};
use gdl::{Relation, keyword};
use ground::{Element, Owner, Place};
use rustc_hash::FxHashMap;
use structure::Functor;

use crate::asp::names::{Names, applied};
use crate::asp::rules::anonymous;
use crate::vocabulary::{Depends, LEGAL, TRUE, Vocabulary};

/// Names and rules of the domains that a program uses.
pub(crate) struct DomainRules<'a> {
    vocabulary: &'a Vocabulary,
    known: FxHashMap<Place, String>,
    todo: Vec<Place>,
    out: String,
}

impl<'a> DomainRules<'a> {
    pub(crate) fn new(vocabulary: &'a Vocabulary) -> Self {
        Self { vocabulary, known: FxHashMap::default(), todo: Vec::new(), out: String::new() }
    }

    /// The predicate for the domain of a place: η(dom(p,i)).
    pub(crate) fn place(&mut self, place: Place, names: &mut Names) -> String {
        if let Some(name) = self.known.get(&place) {
            return name.clone();
        }
        let owner = match place.owner {
            Owner::Relation(relation) => names.relation(relation),
            Owner::Function(name, arity) => names.function(name, arity as usize),
        };
        let name = names.fresh(&format!("dom_{owner}_{}", place.argument + 1));
        self.known.insert(place, name.clone());
        self.todo.push(place);
        name
    }

    /// A predicate that holds for the values of several places.
    pub(crate) fn union(&mut self, places: &[Place], names: &mut Names) -> String {
        if let [place] = places {
            return self.place(*place, names);
        }
        let all: Vec<String> = places.iter().map(|place| self.place(*place, names)).collect();
        let name = names.fresh("dom_any");
        for part in all {
            let _ = writeln!(self.out, "{name}(X) :- {part}(X).");
        }
        name
    }

    /// The predicate for all instances of a fluent: η(dom(f/n)).
    pub(crate) fn fluent(&mut self, fluent: Functor, names: &mut Names) -> String {
        let own = names.function(fluent.name, fluent.arity.max(1) as usize);
        let name = names.fresh(&format!("dom_{own}"));
        let rule = self.function(&name, fluent, names);
        let _ = writeln!(self.out, "{rule}");
        name
    }

    /// `dom(f(X1,...,Xn)) :- dom_1(X1), ..., dom_n(Xn).`
    fn function(&mut self, head: &str, functor: Functor, names: &mut Names) -> String {
        if !functor.parens {
            return format!("{head}({}).", names.constant(functor.name));
        }
        let variables: Vec<String> = (1..=functor.arity).map(|at| format!("X{at}")).collect();
        let term = applied(&names.function(functor.name, variables.len()), &variables);
        let mut body = Vec::new();
        for (at, variable) in variables.iter().enumerate() {
            let place = Place::function(functor.name, functor.arity, at as u32);
            body.push(format!("{}({variable})", self.place(place, names)));
        }
        if body.is_empty() {
            format!("{head}({term}).")
        } else {
            format!("{head}({term}) :- {}.", body.join(", "))
        }
    }

    /// The rules of all domains asked for.
    pub(crate) fn finish(mut self, names: &mut Names) -> String {
        while let Some(place) = self.todo.pop() {
            let name = self.known[&place].clone();
            for element in self.vocabulary.domains.improved(place) {
                let functor = match element {
                    Element::Constant(name) => Functor { name, arity: 0, parens: false },
                    Element::Function(name, arity) => Functor { name, arity, parens: true },
                };
                let rule = self.function(&name, functor, names);
                let _ = writeln!(self.out, "{rule}");
            }
        }
        self.out
    }
}

/// The static legal rules (thesis Def. 7.8) as text, the name of the static version of `legal`, and the relations used
/// that are static anyway: they keep their names, and the program must define them.
pub(crate) fn static_legal(
    vocabulary: &Vocabulary,
    names: &mut Names,
    domains: &mut DomainRules<'_>,
) -> (String, String, Vec<Relation>) {
    let mut statics = Vec::new();
    let dependencies = gdl::depend::Dependencies::new(vocabulary.game.program());
    let mut writer = Static { vocabulary, names, domains, relations: FxHashMap::default() };
    let legal = writer.relation(LEGAL);
    let mut out = String::new();
    let mut done = vec![LEGAL];
    let mut at = 0;
    while at < done.len() {
        let relation = done[at];
        at += 1;
        if !writer.is_dynamic(relation) && relation != LEGAL {
            statics.push(relation);
            continue;
        }
        for rule in &vocabulary.game.program().rules {
            if rule.head.relation != relation {
                continue;
            }
            let (line, below) = writer.rule(rule);
            let _ = writeln!(out, "{line}");
            for relation in below {
                if !done.contains(&relation) && dependencies.node(relation).is_some() {
                    done.push(relation);
                }
            }
        }
    }
    (out, legal, statics)
}

struct Static<'w, 'd> {
    vocabulary: &'w Vocabulary,
    names: &'w mut Names,
    domains: &'w mut DomainRules<'d>,
    relations: FxHashMap<Relation, String>,
}

impl Static<'_, '_> {
    fn relation(&mut self, relation: Relation) -> String {
        if let Some(name) = self.relations.get(&relation) {
            return name.clone();
        }
        let own = self.names.relation(relation);
        let name = if self.is_dynamic(relation) || relation == LEGAL {
            self.names.fresh(&format!("static_{own}"))
        } else {
            own
        };
        self.relations.insert(relation, name.clone());
        name
    }

    /// The static version of a rule, and the relations whose static versions it uses.
    fn rule(&mut self, rule: &Rule) -> (String, Vec<Relation>) {
        let head = self.relation(rule.head.relation);
        let args: Vec<String> = rule.head.args.iter().map(|arg| self.names.pattern(arg)).collect();
        let mut body = Vec::new();
        let mut below = Vec::new();
        for literal in &rule.body {
            match literal {
                Literal::Positive(p) if p.relation == TRUE => self.may_hold(&p.args[0], &mut body),
                Literal::Positive(p) => {
                    body.push(self.positive(p));
                    below.push(p.relation);
                }
                // What the state decides is left open.
                Literal::Negative(p) if self.is_dynamic(p.relation) => {}
                Literal::Negative(p) => {
                    body.push(format!("not {}", self.positive(p)));
                    below.push(p.relation);
                }
                Literal::Distinct(a, b) => {
                    body.push(format!("{} != {}", self.names.pattern(a), self.names.pattern(b)));
                }
                Literal::Same(a, b) => {
                    body.push(format!("{} = {}", self.names.pattern(a), self.names.pattern(b)));
                }
            }
        }
        let head = applied(&head, &args);
        let line = if body.is_empty() {
            format!("{head}.")
        } else {
            format!("{head} :- {}.", body.join(", "))
        };
        (anonymous(line, rule), below)
    }

    fn is_dynamic(&self, relation: Relation) -> bool {
        relation == TRUE
            || relation.name == keyword::DOES
            || self.vocabulary.depends(relation) != Depends::Never
    }

    fn positive(&mut self, predicate: &Predicate) -> String {
        let name = self.relation(predicate.relation);
        let args: Vec<String> = predicate.args.iter().map(|arg| self.names.pattern(arg)).collect();
        applied(&name, &args)
    }

    /// The pattern is in the domain of `true`. It is taken apart, so that no cross product arises for what other
    /// conditions bind.
    fn may_hold(&mut self, pattern: &Pattern, body: &mut Vec<String>) {
        self.in_domain(pattern, Place::relation(TRUE, 0), body);
    }

    fn in_domain(&mut self, pattern: &Pattern, place: Place, body: &mut Vec<String>) {
        if let Pattern::Function(name, args) = pattern
            && self
                .vocabulary
                .domains
                .improved(place)
                .contains(&Element::Function(*name, args.len() as u32))
        {
            for (argument, arg) in args.iter().enumerate() {
                let inner = Place::function(*name, args.len() as u32, argument as u32);
                self.in_domain(arg, inner, body);
            }
            return;
        }
        let name = self.domains.place(place, self.names);
        body.push(format!("{name}({})", self.names.pattern(pattern)));
    }
}

/// Facts for a list of terms.
pub(crate) fn facts<'t>(
    name: &str,
    terms: impl Iterator<Item = &'t GroundTerm>,
    names: &Names,
) -> String {
    let mut out = String::new();
    for term in terms {
        let _ = writeln!(out, "{name}({}).", names.ground(term));
    }
    out
}
