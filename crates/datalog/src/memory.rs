//! The tables of the interpreter: what is known about the current state and joint move.
//!
//! Nothing is ever cleared between states: every list carries the *generation* in which it was
//! filled, and a list of another generation counts as empty. So a new state costs nothing but the
//! insertion of its own facts, and keys seen once keep their places.

use crate::plan::{Code, Index, Lifetime, Query, Shape, Source};
use crate::table::KeyTable;
use crate::terms::Terms;

/// No entry, no answer, no term.
pub const NONE: u32 = u32::MAX;

/// Facts of a source that fit one index.
#[derive(Clone, Debug)]
pub struct IndexMemory {
    generation: u32,
    keys: KeyTable,
    /// For each key the generation of its list and its first entry.
    lists: Vec<(u32, u32)>,
    /// For each fact of the source its entry, or `NONE` if it does not fit; grows on demand.
    entry_of: Vec<u32>,
    /// For each entry its key and the next entry of the same list.
    entries: Vec<(u32, u32)>,
    outs: Vec<u32>,
    width: usize,
}

impl IndexMemory {
    fn new(index: &Index) -> Self {
        Self {
            generation: 0,
            keys: KeyTable::new(index.keys as usize),
            lists: Vec::new(),
            entry_of: Vec::new(),
            entries: Vec::new(),
            outs: Vec::new(),
            width: index.outs as usize,
        }
    }

    /// The first entry under a key in the current generation.
    #[inline]
    pub fn first(&self, key: &[u32]) -> u32 {
        match self.keys.find(key) {
            Some(list) => match self.lists[list as usize] {
                (generation, first) if generation == self.generation => first,
                _ => NONE,
            },
            None => NONE,
        }
    }

    /// The next entry of the same list.
    #[inline]
    pub fn next(&self, entry: u32) -> u32 {
        self.entries[entry as usize].1
    }

    /// An output of an entry.
    #[inline]
    pub fn out(&self, entry: u32, position: usize) -> u32 {
        self.outs[entry as usize * self.width + position]
    }

    fn insert(&mut self, fact: u32, shapes: &[Shape], facts: &KeyTable, terms: &Terms) {
        if self.entry_of.len() <= fact as usize {
            for new in self.entry_of.len() as u32..=fact {
                self.learn(new, shapes, facts, terms);
            }
        }
        let entry = self.entry_of[fact as usize];
        if entry == NONE {
            return;
        }
        let (key, next) = &mut self.entries[entry as usize];
        let (generation, first) = &mut self.lists[*key as usize];
        *next = if *generation == self.generation { *first } else { NONE };
        *generation = self.generation;
        *first = entry;
    }

    /// Works out once where a fact stands in this index.
    fn learn(&mut self, fact: u32, shapes: &[Shape], facts: &KeyTable, terms: &Terms) {
        let mut key = Vec::new();
        let mut outs = Vec::new();
        let fits = shapes
            .iter()
            .zip(facts.key(fact))
            .all(|(shape, term)| fit(shape, *term, terms, &mut key, &mut outs));
        if !fits {
            self.entry_of.push(NONE);
            return;
        }
        let (list, new) = self.keys.intern(&key);
        if new {
            self.lists.push((0, NONE));
        }
        self.entry_of.push(self.entries.len() as u32);
        self.entries.push((list, NONE));
        self.outs.extend_from_slice(&outs);
    }
}

/// Keys and outputs are numbered in the order of the shapes, so pushing keeps them in place.
/// Whether a term has a shape; its parts are added to the key and the outputs.
pub fn fit(
    shape: &Shape,
    term: u32,
    terms: &Terms,
    key: &mut Vec<u32>,
    outs: &mut Vec<u32>,
) -> bool {
    match shape {
        Shape::Key(_) => {
            key.push(term);
            true
        }
        Shape::Out(_) => {
            outs.push(term);
            true
        }
        Shape::Again(at) => outs[*at as usize] == term,
        Shape::Term(wanted) => *wanted == term,
        Shape::Parts(functor, parts) => {
            terms.functor(term) == (*functor, parts.len() as u32)
                && parts
                    .iter()
                    .enumerate()
                    .all(|(i, part)| fit(part, terms.args(term)[i], terms, key, outs))
        }
    }
}

/// The answers of a query under one key.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// The generation in which it was filled.
    pub generation: u32,
    /// Whether all answers are there.
    pub complete: bool,
    /// The first answer.
    pub first: u32,
    /// The last answer.
    pub last: u32,
    /// The first of the suspended plans that wait for answers (recursive relations only).
    pub consumer: u32,
}

/// The tables of one query.
#[derive(Clone, Debug)]
pub struct QueryMemory {
    /// The keys asked for so far.
    pub keys: KeyTable,
    /// For each key its answers.
    pub slots: Vec<Slot>,
    /// Slot and outputs of every answer ever met.
    answers: KeyTable,
    /// For each answer the generation in which it was last derived, and the next of its slot.
    links: Vec<(u32, u32)>,
}

impl QueryMemory {
    fn new(query: &Query) -> Self {
        Self {
            keys: KeyTable::new(query.keys as usize),
            slots: Vec::new(),
            answers: KeyTable::new(1 + query.outs as usize),
            links: Vec::new(),
        }
    }

    /// The slot of a key.
    #[inline]
    pub fn slot(&mut self, key: &[u32]) -> u32 {
        let (slot, new) = self.keys.intern(key);
        if new {
            self.slots.push(Slot {
                generation: 0,
                complete: false,
                first: NONE,
                last: NONE,
                consumer: NONE,
            });
        }
        slot
    }

    /// Adds an answer; false if it was there already.
    #[inline]
    pub fn add(&mut self, slot: u32, row: &[u32]) -> bool {
        debug_assert_eq!(row[0], slot);
        let (answer, new) = self.answers.intern(row);
        let generation = self.slots[slot as usize].generation;
        if new {
            self.links.push((generation, NONE));
        } else {
            let link = &mut self.links[answer as usize];
            if link.0 == generation {
                return false;
            }
            *link = (generation, NONE);
        }
        let entry = &mut self.slots[slot as usize];
        if entry.last == NONE {
            entry.first = answer;
        } else {
            self.links[entry.last as usize].1 = answer;
        }
        entry.last = answer;
        true
    }

    /// Whether a slot has an answer.
    #[inline]
    pub fn holds(&self, slot: u32) -> bool {
        self.slots[slot as usize].first != NONE
    }

    /// The next answer of the same slot.
    #[inline]
    pub fn next(&self, answer: u32) -> u32 {
        self.links[answer as usize].1
    }

    /// The outputs of an answer.
    #[inline]
    pub fn outs(&self, answer: u32) -> &[u32] {
        &self.answers.key(answer)[1..]
    }
}

/// All tables.
#[derive(Clone, Debug)]
pub struct Memory {
    /// The terms.
    pub terms: Terms,
    /// One for each index of the code.
    pub indexes: Vec<IndexMemory>,
    /// One for each query of the code.
    pub queries: Vec<QueryMemory>,
    /// The facts ever given for `true` and `does`, numbered.
    pub fluents: KeyTable,
    /// Pairs of role and move ever given.
    pub moves: KeyTable,
    /// The facts of the current state by the name of the fluent, and all of them.
    buckets: Vec<Vec<u32>>,
    bucket_keys: KeyTable,
    bucket_of_fact: Vec<u32>,
    state_facts: Vec<u32>,
    move_facts: Vec<u32>,
    /// The generation of the current state.
    pub state_generation: u32,
    /// The generation of the current joint move.
    pub move_generation: u32,
    counter: u32,
}

impl Memory {
    /// Empty tables for compiled rules, with the terms that these use.
    pub fn new(code: &Code, terms: Terms) -> Self {
        Self {
            terms,
            indexes: code.indexes.iter().map(IndexMemory::new).collect(),
            queries: code.queries.iter().map(QueryMemory::new).collect(),
            fluents: KeyTable::new(1),
            moves: KeyTable::new(2),
            buckets: Vec::new(),
            bucket_keys: KeyTable::new(1),
            bucket_of_fact: Vec::new(),
            state_facts: Vec::new(),
            move_facts: Vec::new(),
            // Generation 1 is that of everything that never changes.
            state_generation: 2,
            move_generation: 3,
            counter: 3,
        }
    }

    /// The generation that counts for answers of a lifetime.
    #[inline]
    pub fn generation(&self, lifetime: Lifetime) -> u32 {
        match lifetime {
            Lifetime::Always => 1,
            Lifetime::State => self.state_generation,
            Lifetime::Moves => self.move_generation,
        }
    }

    /// Whether the counter of generations is near its end, so that the tables must be made anew.
    pub fn is_worn(&self) -> bool {
        self.counter > u32::MAX - (1 << 28)
    }

    /// A measure of memory in use: stored keys, answers and terms.
    pub fn size(&self) -> usize {
        let queries: usize = self.queries.iter().map(|q| q.keys.len() + q.links.len()).sum();
        let indexes: usize = self.indexes.iter().map(|i| i.entries.len()).sum();
        self.terms.len() + queries + indexes
    }

    /// Makes the given terms the current state; moves are forgotten.
    pub fn load_state(&mut self, fluents: impl Iterator<Item = u32>) {
        self.counter += 1;
        self.state_generation = self.counter;
        self.buckets.iter_mut().for_each(Vec::clear);
        self.state_facts.clear();
        for term in fluents {
            let (fact, new) = self.fluents.intern(&[term]);
            if new {
                let bucket = self.bucket(term);
                self.bucket_of_fact.push(bucket);
            }
            self.buckets[self.bucket_of_fact[fact as usize] as usize].push(fact);
            self.state_facts.push(fact);
        }
        self.load_moves(std::iter::empty());
    }

    fn bucket(&mut self, term: u32) -> u32 {
        let (functor, _) = self.terms.functor(term);
        let (bucket, new) = self.bucket_keys.intern(&[functor.number()]);
        if new {
            self.buckets.push(Vec::new());
        }
        bucket
    }

    /// Makes the given pairs of role and move the current joint move.
    pub fn load_moves(&mut self, moves: impl Iterator<Item = (u32, u32)>) {
        self.counter += 1;
        self.move_generation = self.counter;
        self.move_facts.clear();
        for (role, action) in moves {
            let (fact, _) = self.moves.intern(&[role, action]);
            self.move_facts.push(fact);
        }
    }

    /// Fills an index with the current facts if that was not done yet.
    #[inline]
    pub fn prepare(&mut self, code: &Code, id: u32) {
        let source = code.indexes[id as usize].source;
        let generation = match source {
            Source::True => self.state_generation,
            Source::Does => self.move_generation,
        };
        if self.indexes[id as usize].generation != generation {
            self.fill(&code.indexes[id as usize], id, generation);
        }
    }

    fn fill(&mut self, index: &Index, id: u32, generation: u32) {
        let memory = &mut self.indexes[id as usize];
        memory.generation = generation;
        let (facts, table) = match index.source {
            Source::Does => (&self.move_facts, &self.moves),
            Source::True => {
                let functor = match &index.shapes[0] {
                    Shape::Parts(functor, _) => Some(functor.number()),
                    Shape::Term(term) => Some(self.terms.functor(*term).0.number()),
                    _ => None,
                };
                let facts = match functor {
                    None => &self.state_facts,
                    Some(number) => match self.bucket_keys.find(&[number]) {
                        Some(bucket) => &self.buckets[bucket as usize],
                        None => return,
                    },
                };
                (facts, &self.fluents)
            }
        };
        for fact in facts {
            memory.insert(*fact, &index.shapes, table, &self.terms);
        }
    }
}
