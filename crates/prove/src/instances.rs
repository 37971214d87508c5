//! All instances of fluents and relations that may ever hold, so that properties can be made ground.

use game::{FluentId, Game, Gates, GroundTerm, Limits, Move, Role};
use gdl::Relation;
use ground::{AtomId, Place};
use rustc_hash::FxHashMap;
use structure::Functor;

use crate::vocabulary::{GOAL, LEGAL, ROLE, TERMINAL, TRUE, Vocabulary};
use crate::watch::WATCH;

/// What can hold or not in a state.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GroundAtom {
    /// A fluent.
    Fluent(FluentId),
    /// A role may make a move.
    Legal(Role, Move),
    /// The state is terminal.
    Terminal,
    /// A role has a goal value. A relation that the rules define is watched as a value of the first role
    /// ([`crate::watch`]).
    Goal(Role, GroundTerm),
    /// Something else that the ground rules derive from the state. It occurs in certificates alone; no claim speaks of it.
    Derived(AtomId),
}

/// What rows are instances of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// Of a fluent.
    Fluent(Functor),
    /// Of a relation.
    Relation(Relation),
}

/// An instance: its arguments, and the atom; none if it holds in all states.
pub type Row = (Vec<GroundTerm>, Option<GroundAtom>);

/// The instances of one fluent or relation, found by the values of arguments.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// The instances.
    pub rows: Vec<Row>,
    index: FxHashMap<(u32, GroundTerm), Vec<u32>>,
}

impl Rows {
    fn new(rows: Vec<Row>) -> Self {
        let mut index: FxHashMap<(u32, GroundTerm), Vec<u32>> = FxHashMap::default();
        for (at, (args, _)) in rows.iter().enumerate() {
            for (argument, value) in args.iter().enumerate() {
                index.entry((argument as u32, value.clone())).or_default().push(at as u32);
            }
        }
        Self { rows, index }
    }

    /// The rows that have these values, as far as values are given; perhaps some more.
    pub fn matching<'r>(&'r self, values: &[Option<GroundTerm>]) -> Vec<&'r Row> {
        let mut shortest: Option<&[u32]> = None;
        for (argument, value) in values.iter().enumerate() {
            let Some(value) = value else { continue };
            let Some(found) = self.index.get(&(argument as u32, value.clone())) else {
                return Vec::new();
            };
            if shortest.is_none_or(|shortest| found.len() < shortest.len()) {
                shortest = Some(found);
            }
        }
        match shortest {
            Some(found) => found.iter().map(|at| &self.rows[*at as usize]).collect(),
            None => self.rows.iter().collect(),
        }
    }
}

/// All instances of a game.
#[derive(Debug)]
pub struct Instances {
    tables: FxHashMap<Key, Rows>,
    /// Why some could not be found.
    missing: Option<String>,
}

/// The most instances of one fluent or relation that are listed from domains alone.
const MOST_ROWS: usize = 400_000;

impl Instances {
    /// The instances of the ground program of a circuit. Smaller than what the rules alone tell.
    pub fn of_gates(gates: &Gates) -> Self {
        let program = gates.program();
        let mut lists = Lists::new(gates.game());
        program.fluents.iter().for_each(|fluent| lists.fluent(fluent));
        for (role, own) in program.moves.iter().enumerate() {
            let possible = own.iter().filter(|action| action.legal.is_some());
            possible.for_each(|action| lists.legal(role, &action.term));
        }
        for (role, own) in program.goals.iter().enumerate() {
            for (value, _) in own {
                lists.goal(role, value);
            }
        }
        lists.statics();
        Self { tables: lists.finish(), missing: None }
    }

    /// The instances that the rules tell without making them ground (thesis §7.4.2).
    pub fn of_rules(vocabulary: &Vocabulary, limits: &Limits) -> Self {
        let game = &vocabulary.game;
        let mut lists = Lists::new(game);
        let mut missing = None;
        match vocabulary.values(Place::relation(TRUE, 0), MOST_ROWS) {
            Some(fluents) => fluents.iter().for_each(|fluent| lists.fluent(fluent)),
            None => missing = Some("the fluents are too many".to_owned()),
        }
        match ground::static_moves(game.program(), &vocabulary.domains, limits) {
            Ok(pairs) => {
                for (role, action) in &pairs {
                    if let Some(role) = game.roles().iter().position(|known| known == role) {
                        lists.legal(role, action);
                    }
                }
            }
            Err(error) => missing = Some(format!("the moves: {error}")),
        }
        match vocabulary.values(Place::relation(GOAL, 1), MOST_ROWS) {
            Some(values) => {
                for role in 0..game.roles().len() {
                    for value in &values {
                        lists.goal(role, value);
                    }
                }
            }
            None => missing = Some("the goal values are too many".to_owned()),
        }
        lists.statics();
        Self { tables: lists.finish(), missing }
    }

    /// The rows of a relation that is the same in all states; none if they are too many.
    pub fn of_static(vocabulary: &Vocabulary, relation: Relation) -> Option<Rows> {
        let rows = vocabulary.rows(relation)?;
        Some(Rows::new(rows.into_iter().map(|row| (row, None)).collect()))
    }

    /// The instances of a fluent or of a relation that depends on the state.
    pub fn rows(&self, key: Key) -> Option<&Rows> {
        self.tables.get(&key)
    }

    /// Why some are missing, if some are.
    pub fn missing(&self) -> Option<&str> {
        self.missing.as_deref()
    }
}

/// Instances by what they are of, while they are collected.
struct Lists<'g> {
    game: &'g Game,
    tables: Vec<(Key, Vec<Row>)>,
    places: FxHashMap<Key, usize>,
}

impl<'g> Lists<'g> {
    fn new(game: &'g Game) -> Self {
        Self { game, tables: Vec::new(), places: FxHashMap::default() }
    }

    fn add(&mut self, key: Key, args: Vec<GroundTerm>, atom: Option<GroundAtom>) {
        let place = *self.places.entry(key).or_insert_with(|| {
            self.tables.push((key, Vec::new()));
            self.tables.len() - 1
        });
        self.tables[place].1.push((args, atom));
    }

    fn fluent(&mut self, fluent: &GroundTerm) {
        let atom = GroundAtom::Fluent(self.game.universe().fluent(fluent));
        let args = structure::args(fluent).to_vec();
        self.add(Key::Fluent(Functor::of(fluent)), args, Some(atom));
    }

    fn legal(&mut self, role: usize, action: &GroundTerm) {
        let atom = GroundAtom::Legal(Role(role as u32), self.game.universe().action(action));
        let args = vec![self.game.roles()[role].clone(), action.clone()];
        self.add(Key::Relation(LEGAL), args, Some(atom));
    }

    /// A goal value, or an instance of a relation that is watched.
    fn goal(&mut self, role: usize, value: &GroundTerm) {
        let atom = GroundAtom::Goal(Role(role as u32), value.clone());
        if let GroundTerm::Function(name, args) = value
            && self.game.program().symbols.name(*name) == WATCH
        {
            if let (0, Some(GroundTerm::Constant(relation))) = (role, args.first()) {
                let args = args[1..].to_vec();
                let arity = args.len() as u32;
                let parens = [true, false].into_iter().map(|parens| Relation {
                    name: *relation,
                    arity,
                    parens: parens || arity > 0,
                });
                let mut keys: Vec<Relation> = parens.collect();
                keys.dedup();
                for relation in keys {
                    self.add(Key::Relation(relation), args.clone(), Some(atom.clone()));
                }
            }
            return;
        }
        let args = vec![self.game.roles()[role].clone(), value.clone()];
        self.add(Key::Relation(GOAL), args, Some(atom));
    }

    /// `terminal` and roles.
    fn statics(&mut self) {
        self.add(Key::Relation(TERMINAL), Vec::new(), Some(GroundAtom::Terminal));
        for role in self.game.roles() {
            self.add(Key::Relation(ROLE), vec![role.clone()], None);
        }
    }

    fn finish(self) -> FxHashMap<Key, Rows> {
        let dedup = |mut rows: Vec<Row>| {
            rows.sort();
            rows.dedup_by(|a, b| a.0 == b.0);
            Rows::new(rows)
        };
        self.tables.into_iter().map(|(key, rows)| (key, dedup(rows))).collect()
    }
}
