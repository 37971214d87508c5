//! Relations that the rules define, made visible from outside.
//!
//! Machines, ground programs and circuits answer questions about `legal`, `next`, `terminal` and `goal` only, and drop
//! everything else that these do not need. A property about another relation is asked of the same game with one more
//! rule for it: an instance `p(a,b)` becomes the goal value `(watch)(p,a,b)` of the first role. No rule sheet can
//! contain that name, and nothing else in the game changes.

use std::collections::BTreeSet;

use game::{Game, GameError, GroundTerm};
use gdl::text::Span;
use gdl::{Atom, Clause, Formula, FormulaKind, Relation, Term, TermKind, keyword};

use crate::property::{Atom as Claim, Property};
use crate::vocabulary::{Depends, GOAL, LEGAL, ROLE, TERMINAL, Vocabulary};

/// The name of what is watched.
pub const WATCH: &str = "(watch)";

/// The relations of properties that are not answered by machines.
pub fn relations(properties: &[Property], vocabulary: &Vocabulary) -> Vec<Relation> {
    let mut found = BTreeSet::new();
    for property in properties {
        property.formula.each_atom(&mut |atom| {
            if let Claim::Relation(relation, _) = atom
                && ![LEGAL, GOAL, TERMINAL, ROLE].contains(relation)
                && vocabulary.depends(*relation) == Depends::State
            {
                found.insert(*relation);
            }
        });
    }
    found.into_iter().collect()
}

/// The game itself, or one that also shows the relations that properties need. Names keep their numbers.
pub fn watching(game: &Game, properties: &[Property]) -> Result<Game, GameError> {
    let relations = relations(properties, &Vocabulary::new(game));
    if relations.is_empty() {
        return Ok(game.clone());
    }
    let mut rules = game.rules().clone();
    let watch = rules.symbols.intern(WATCH);
    for relation in relations {
        let variables: Vec<Term> = (0..relation.arity)
            .map(|at| term(TermKind::Variable(rules.symbols.intern(&format!("?watch{at}")))))
            .collect();
        let mut shown = vec![term(TermKind::Constant(relation.name))];
        shown.extend(variables.iter().cloned());
        let role = written(&game.roles()[0]);
        let shown = term(TermKind::Function(watch, shown));
        let head = atom(keyword::GOAL, vec![role, shown], true);
        let body = atom(relation.name, variables, relation.parens);
        let body = vec![Formula { kind: FormulaKind::Atom(body), span: Span::default() }];
        rules.clauses.push(Clause {
            head,
            body,
            implication: true,
            span: Span::default(),
            gap_before: false,
        });
    }
    Game::new(rules)
}

fn term(kind: TermKind) -> Term {
    Term { kind, span: Span::default() }
}

fn atom(name: gdl::Symbol, args: Vec<Term>, parens: bool) -> Atom {
    Atom { name, args, parens, span: Span::default(), name_span: Span::default() }
}

fn written(ground: &GroundTerm) -> Term {
    term(match ground {
        GroundTerm::Constant(name) => TermKind::Constant(*name),
        GroundTerm::Function(name, args) => {
            TermKind::Function(*name, args.iter().map(written).collect())
        }
    })
}
