//! What names mean in a game: which fluents and relations there are, which depend on what, which values stand where.

use datalog::plan::Lifetime;
use datalog::{Analysis, Estimates, Limits};
use game::{Game, GroundTerm};
use gdl::{Relation, Symbol, keyword};
use ground::{Domains, Element, Place};
use rustc_hash::FxHashMap;
use structure::Functor;

/// `true/1`.
pub const TRUE: Relation = Relation { name: keyword::TRUE, arity: 1, parens: true };
/// `legal/2`.
pub const LEGAL: Relation = Relation { name: keyword::LEGAL, arity: 2, parens: true };
/// `goal/2`.
pub const GOAL: Relation = Relation { name: keyword::GOAL, arity: 2, parens: true };
/// `terminal`.
pub const TERMINAL: Relation = Relation { name: keyword::TERMINAL, arity: 0, parens: false };
/// `role/1`.
pub const ROLE: Relation = Relation { name: keyword::ROLE, arity: 1, parens: true };

/// On what a relation depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depends {
    /// On nothing: it is the same in all states.
    Never,
    /// On the state.
    State,
    /// On the moves.
    Moves,
}

/// The names of a game with what they mean.
#[derive(Debug)]
pub struct Vocabulary {
    /// The game.
    pub game: Game,
    /// Which values can stand where (thesis §7.4.2).
    pub domains: Domains,
    analysis: Analysis,
    fluents: Vec<Functor>,
    statics: std::sync::Mutex<FxHashMap<Relation, Option<Vec<Vec<GroundTerm>>>>>,
    sizes: std::sync::OnceLock<Vec<f64>>,
}

/// The most facts of a static relation that properties may use.
const MOST_FACTS: usize = 1_000_000;

impl Vocabulary {
    /// Looks at the rules of a game.
    pub fn new(game: &Game) -> Self {
        let domains = Domains::new(game.program());
        let fluents = fluents_of(&domains);
        let analysis = Analysis::new(game.program());
        Self {
            game: game.clone(),
            domains,
            analysis,
            fluents,
            statics: std::sync::Mutex::default(),
            sizes: std::sync::OnceLock::new(),
        }
    }

    /// All fluents by name, in order.
    pub fn fluents(&self) -> &[Functor] {
        &self.fluents
    }

    /// The text of a name.
    pub fn name(&self, symbol: Symbol) -> &str {
        self.game.program().symbols.name(symbol)
    }

    /// Whether rules define a relation, or the language does.
    pub fn is_relation(&self, relation: Relation) -> bool {
        relation == TERMINAL || self.analysis.rules_of(relation).is_some()
    }

    /// The relations that a property may use, in order of the rules.
    pub fn relations(&self) -> Vec<Relation> {
        let hidden = [keyword::INIT, keyword::NEXT, keyword::TRUE, keyword::DOES, keyword::BASE];
        let all = self.analysis.dependencies.relations.iter().copied();
        let known = all.filter(|r| self.is_relation(*r) && !hidden.contains(&r.name));
        known.filter(|relation| self.depends(*relation) != Depends::Moves).collect()
    }

    /// On what a relation depends.
    pub fn depends(&self, relation: Relation) -> Depends {
        match self.analysis.class_of(relation).0 {
            Lifetime::Always => Depends::Never,
            Lifetime::State => Depends::State,
            Lifetime::Moves => Depends::Moves,
        }
    }

    /// The rows of a relation that is the same in all states; none if they cannot be had within limits.
    pub fn rows(&self, relation: Relation) -> Option<Vec<Vec<GroundTerm>>> {
        let mut known = self.statics.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let compute = || {
            let limits =
                Limits { max_steps: 20_000_000, max_facts: MOST_FACTS, ..Limits::default() };
            datalog::extent(self.game.program(), relation, &limits).ok()
        };
        known.entry(relation).or_insert_with(compute).clone()
    }

    /// For each rule how many instances it may have if it is instantiated as it stands, estimated.
    pub fn rule_sizes(&self) -> &[f64] {
        self.sizes.get_or_init(|| {
            let program = self.game.program();
            let roles = self.game.roles().len();
            let estimates = Estimates::relaxed(program, &self.analysis, &self.game.sample(), roles);
            let size = |rule: &gdl::normal::Rule| estimates.solutions(&rule.body, rule.variables);
            program.rules.iter().map(size).collect()
        })
    }

    /// The terms that can stand at a place (thesis Def. 7.6), if they are at most `most`.
    pub fn values(&self, place: Place, most: usize) -> Option<Vec<GroundTerm>> {
        self.domains.terms(place, most)
    }
}

/// What can stand in `true`.
fn fluents_of(domains: &Domains) -> Vec<Functor> {
    let elements = domains.improved(Place::relation(TRUE, 0));
    let functors = elements.into_iter().map(|element| match element {
        Element::Constant(name) => Functor { name, arity: 0, parens: false },
        Element::Function(name, arity) => Functor { name, arity, parens: true },
    });
    functors.collect()
}
