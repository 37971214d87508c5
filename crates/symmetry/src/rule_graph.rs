//! The enhanced rule graph of a game description (thesis Def. 8.4), and the scramblings that its
//! automorphisms stand for (Def. 8.5, Theorem 8.1).
//!
//! The graph of the definition has directed edges; ours has none, and gives the same automorphisms by finer
//! labels instead: every part of a rule carries its place (head, condition, depth within a term, argument of a
//! keyword), which automorphisms of the directed graph keep anyway. Symbols and argument
//! indices are the first vertices, since only their images matter.

use datalog::GroundTerm;
use gdl::normal::{Literal, Pattern, Predicate, Rule};
use gdl::{Symbol, keyword};
use rustc_hash::FxHashMap;

use crate::graph::{Graph, Palette};

/// A symbol with its number of arguments; `(f)` and `f` differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolKey {
    /// The name.
    pub name: Symbol,
    /// The number of arguments.
    pub arity: u32,
    /// Written with parentheses.
    pub parens: bool,
}

/// The labels of Def. 8.4. The number is the place, see the module.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Label {
    Symbol,
    /// A symbol that keeps its identity: a goal value, or a name with a meaning of its own.
    Fixed(Symbol),
    Argument,
    VariableSymbol,
    Rule,
    Not,
    Distinct,
    Same,
    Keyword(Symbol, u32),
    Predicate(u32),
    Function(u32),
    Variable(u32),
    /// A `role` fact, where roles keep their identity.
    RoleFact(u32),
}

impl Label {
    /// A number of its own; that of a symbol is given.
    fn code(self, name: impl Fn(Symbol) -> u32) -> u64 {
        let (kind, first, second): (u8, u32, u32) = match self {
            Self::Symbol => (0, 0, 0),
            Self::Fixed(symbol) => (1, name(symbol), 0),
            Self::Argument => (2, 0, 0),
            Self::VariableSymbol => (3, 0, 0),
            Self::Rule => (4, 0, 0),
            Self::Not => (5, 0, 0),
            Self::Distinct => (6, 0, 0),
            Self::Same => (7, 0, 0),
            // Keywords have the same numbers everywhere.
            Self::Keyword(symbol, place) => (8, symbol.0, place),
            Self::Predicate(place) => (9, place, 0),
            Self::Function(place) => (10, place, 0),
            Self::Variable(place) => (11, place, 0),
            Self::RoleFact(number) => (12, number, 0),
        };
        u64::from(kind) << 56 | u64::from(second & 0xFF_FFFF) << 32 | u64::from(first)
    }
}

const HEAD: u32 = 0;
const CONDITION: u32 = 1;
const NEGATED: u32 = 2;
const LITERAL_PLACES: u32 = 3;

/// The graph with the meaning of its first vertices.
pub struct RuleGraph {
    graph: Graph,
    palette: Palette<Label>,
    /// The label of each vertex.
    labels: Vec<Label>,
    symbols: Vec<SymbolKey>,
    /// The vertex of each symbol; those of its argument indices follow it.
    vertex_of: FxHashMap<SymbolKey, u32>,
    /// For each of the first vertices its symbol and 0, or the argument index from 1.
    meaning: Vec<(u32, u32)>,
    fix_roles: bool,
}

/// What a rule graph is made of.
pub struct Description<'a> {
    /// The rules.
    pub rules: &'a [Rule],
    /// Rules whose symbols are known although they are no part of the graph: those for `init`.
    pub left_out: &'a [Rule],
    /// Constants that keep their identity.
    pub goal_values: &'a [Symbol],
    /// The current state, for its own symmetries.
    pub state: &'a [GroundTerm],
    /// Whether only state symmetries (Def. 8.2) are wanted.
    pub fix_roles: bool,
}

impl RuleGraph {
    /// Builds the graph.
    pub fn new(description: &Description<'_>) -> Self {
        let mut built = Self {
            graph: Graph::default(),
            palette: Palette::default(),
            labels: Vec::new(),
            symbols: Vec::new(),
            vertex_of: FxHashMap::default(),
            meaning: Vec::new(),
            fix_roles: description.fix_roles,
        };
        built.symbols_of(description);
        let mut roles = 0;
        for rule in description.rules {
            built.rule(rule, &mut roles);
        }
        for fluent in description.state {
            built.fluent(fluent);
        }
        built
    }

    /// The graph.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// How many of the first vertices are symbols and argument indices.
    pub fn wanted(&self) -> usize {
        self.meaning.len()
    }

    /// The symbols, each with its vertex; those of its argument indices follow it.
    pub(crate) fn symbols(&self) -> impl Iterator<Item = (SymbolKey, u32)> {
        self.symbols.iter().map(|key| (*key, self.vertex_of[key]))
    }

    /// For each vertex a number for its label that does not depend on names, nor on the order of rules; `name` is
    /// the number of a symbol that keeps its identity.
    pub(crate) fn label_codes(&self, name: impl Fn(Symbol) -> u32) -> Vec<u64> {
        self.labels.iter().map(|label| label.code(&name)).collect()
    }

    /// The scrambling that an automorphism stands for (Theorem 8.1), from the images of the first vertices.
    pub fn scrambling(&self, image: &[u32]) -> Scrambling {
        let mut moved = FxHashMap::default();
        for key in &self.symbols {
            let from = self.vertex_of[key];
            let (to, _) = self.meaning[image[from as usize] as usize];
            let places: Vec<u32> = (1..=key.arity)
                .map(|at| self.meaning[image[(from + at) as usize] as usize].1 - 1)
                .collect();
            let same = self.symbols[to as usize] == *key && places.iter().copied().eq(0..key.arity);
            if !same {
                moved.insert(*key, (self.symbols[to as usize], places));
            }
        }
        Scrambling { moved }
    }

    fn symbols_of(&mut self, description: &Description<'_>) {
        let mut keys: Vec<SymbolKey> = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut add = |key: SymbolKey| {
            if seen.insert(key) {
                keys.push(key);
            }
        };
        for rule in description.rules.iter().chain(description.left_out) {
            each_symbol(rule, &mut add);
        }
        for fluent in description.state {
            each_ground(fluent, &mut add);
        }
        for key in keys {
            let known = key.name.index() < keyword::ALL.len();
            let constant = key.arity == 0 && !key.parens;
            let fixed = known || (constant && description.goal_values.contains(&key.name));
            let label = if fixed { Label::Fixed(key.name) } else { Label::Symbol };
            let vertex = self.vertex(label);
            let number = self.symbols.len() as u32;
            self.symbols.push(key);
            self.vertex_of.insert(key, vertex);
            self.meaning.push((number, 0));
            for at in 1..=key.arity {
                let argument = self.vertex(Label::Argument);
                self.graph.edge(vertex, argument);
                self.meaning.push((number, at));
            }
        }
    }

    fn vertex(&mut self, label: Label) -> u32 {
        let colour = self.palette.colour(label);
        self.labels.push(label);
        self.graph.vertex(colour)
    }

    fn rule(&mut self, rule: &Rule, roles: &mut u32) {
        let variables: Vec<u32> =
            (0..rule.variables).map(|_| self.vertex(Label::VariableSymbol)).collect();
        let is_role = rule.head.relation.name == keyword::ROLE && rule.body.is_empty();
        let label = if self.fix_roles && is_role {
            *roles += 1;
            Label::RoleFact(*roles)
        } else {
            Label::Rule
        };
        let whole = self.vertex(label);
        let head = self.predicate(&rule.head, HEAD, &variables);
        self.graph.edge(whole, head);
        for literal in &rule.body {
            let condition = self.literal(literal, &variables);
            self.graph.edge(whole, condition);
            self.graph.edge(head, condition);
        }
    }

    fn fluent(&mut self, fluent: &GroundTerm) {
        let whole = self.vertex(Label::Rule);
        let head = self.vertex(Label::Keyword(keyword::TRUE, HEAD));
        self.graph.edge(whole, head);
        let term = self.term(&pattern_of(fluent), LITERAL_PLACES, &[]);
        self.graph.edge(head, term);
    }

    fn literal(&mut self, literal: &Literal, variables: &[u32]) -> u32 {
        match literal {
            Literal::Positive(condition) => self.predicate(condition, CONDITION, variables),
            Literal::Negative(condition) => {
                let negation = self.vertex(Label::Not);
                let inner = self.predicate(condition, NEGATED, variables);
                self.graph.edge(negation, inner);
                negation
            }
            Literal::Distinct(a, b) => self.pair(Label::Distinct, a, b, variables),
            Literal::Same(a, b) => self.pair(Label::Same, a, b, variables),
        }
    }

    fn pair(&mut self, label: Label, a: &Pattern, b: &Pattern, variables: &[u32]) -> u32 {
        let whole = self.vertex(label);
        for side in [a, b] {
            let term = self.term(side, LITERAL_PLACES, variables);
            self.graph.edge(whole, term);
        }
        whole
    }

    fn predicate(&mut self, predicate: &Predicate, place: u32, variables: &[u32]) -> u32 {
        let relation = predicate.relation;
        if is_keyword(relation.name) {
            let whole = self.vertex(Label::Keyword(relation.name, place));
            for (at, arg) in predicate.args.iter().enumerate() {
                // The order of the arguments is part of their labels.
                let term = self.term(arg, LITERAL_PLACES + 1 + at as u32 % 2, variables);
                self.graph.edge(whole, term);
            }
            return whole;
        }
        let whole = self.vertex(Label::Predicate(place));
        let key = SymbolKey { name: relation.name, arity: relation.arity, parens: relation.parens };
        self.arguments(whole, key, &predicate.args, LITERAL_PLACES, variables);
        whole
    }

    fn term(&mut self, pattern: &Pattern, place: u32, variables: &[u32]) -> u32 {
        match pattern {
            Pattern::Variable(number) => {
                let occurrence = self.vertex(Label::Variable(place));
                self.graph.edge(variables[*number as usize], occurrence);
                occurrence
            }
            Pattern::Constant(name) => {
                let key = SymbolKey { name: *name, arity: 0, parens: false };
                let whole = self.vertex(Label::Function(place));
                self.arguments(whole, key, &[], place + 3, variables);
                whole
            }
            Pattern::Function(name, args) => {
                let key = SymbolKey { name: *name, arity: args.len() as u32, parens: true };
                let whole = self.vertex(Label::Function(place));
                self.arguments(whole, key, args, place + 3, variables);
                whole
            }
        }
    }

    /// Links an occurrence with its symbol, and its arguments with it and with the argument indices.
    fn arguments(
        &mut self,
        whole: u32,
        key: SymbolKey,
        args: &[Pattern],
        place: u32,
        variables: &[u32],
    ) {
        let symbol = self.vertex_of[&key];
        self.graph.edge(symbol, whole);
        for (at, arg) in args.iter().enumerate() {
            let term = self.term(arg, place, variables);
            self.graph.edge(whole, term);
            self.graph.edge(symbol + 1 + at as u32, term);
        }
    }
}

fn is_keyword(name: Symbol) -> bool {
    // `random` is a constant with a meaning, not a relation.
    name.index() < keyword::ALL.len() && name != keyword::RANDOM
}

fn each_symbol(rule: &Rule, add: &mut impl FnMut(SymbolKey)) {
    let predicate = |predicate: &Predicate, add: &mut dyn FnMut(SymbolKey)| {
        let relation = predicate.relation;
        if !is_keyword(relation.name) {
            add(SymbolKey { name: relation.name, arity: relation.arity, parens: relation.parens });
        }
        predicate.args.iter().for_each(|arg| each_in(arg, add));
    };
    predicate(&rule.head, add);
    for literal in &rule.body {
        match literal {
            Literal::Positive(p) | Literal::Negative(p) => predicate(p, add),
            Literal::Distinct(a, b) | Literal::Same(a, b) => {
                each_in(a, add);
                each_in(b, add);
            }
        }
    }
}

fn each_in(pattern: &Pattern, add: &mut dyn FnMut(SymbolKey)) {
    match pattern {
        Pattern::Variable(_) => {}
        Pattern::Constant(name) => add(SymbolKey { name: *name, arity: 0, parens: false }),
        Pattern::Function(name, args) => {
            add(SymbolKey { name: *name, arity: args.len() as u32, parens: true });
            for arg in args {
                each_in(arg, add);
            }
        }
    }
}

fn each_ground(term: &GroundTerm, add: &mut dyn FnMut(SymbolKey)) {
    each_in(&pattern_of(term), add);
}

fn pattern_of(term: &GroundTerm) -> Pattern {
    match term {
        GroundTerm::Constant(name) => Pattern::Constant(*name),
        GroundTerm::Function(name, args) => {
            Pattern::Function(*name, args.iter().map(pattern_of).collect())
        }
    }
}

/// A one-to-one mapping of symbols and argument indices (thesis Def. 8.5).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scrambling {
    /// The symbols that are not mapped to themselves in every respect: to which, and where each argument goes.
    moved: FxHashMap<SymbolKey, (SymbolKey, Vec<u32>)>,
}

impl Scrambling {
    /// The image of a ground term: σ of thesis §8.3.
    pub fn image(&self, term: &GroundTerm) -> GroundTerm {
        match term {
            GroundTerm::Constant(name) => {
                let key = SymbolKey { name: *name, arity: 0, parens: false };
                match self.moved.get(&key) {
                    Some((to, _)) if to.parens => GroundTerm::Function(to.name, Vec::new()),
                    Some((to, _)) => GroundTerm::Constant(to.name),
                    None => term.clone(),
                }
            }
            GroundTerm::Function(name, args) => {
                let key = SymbolKey { name: *name, arity: args.len() as u32, parens: true };
                let images = args.iter().map(|arg| self.image(arg));
                match self.moved.get(&key) {
                    None => GroundTerm::Function(*name, images.collect()),
                    Some((to, _)) if !to.parens => GroundTerm::Constant(to.name),
                    Some((to, places)) => {
                        let mut placed: Vec<(u32, GroundTerm)> =
                            places.iter().copied().zip(images).collect();
                        placed.sort_by_key(|(place, _)| *place);
                        GroundTerm::Function(to.name, placed.into_iter().map(|(_, t)| t).collect())
                    }
                }
            }
        }
    }

    /// The symbols that change, with their images and where each of their arguments goes, sorted.
    pub fn moved(&self) -> Vec<(SymbolKey, SymbolKey, Vec<u32>)> {
        let mut all: Vec<_> =
            self.moved.iter().map(|(from, (to, places))| (*from, *to, places.clone())).collect();
        all.sort();
        all
    }
}
