//! Strands: sets of fluents that go their own way. What becomes of the fluents of a strand depends on the move and on the strand itself,
//! so forgetting all the rest is an abstraction that is exact (a projection onto a set of variables without causes outside it: Edelkamp 2001,
//! Helmert, Haslum, Hoffmann 2007). A piece of a permutation puzzle is such a strand, a tile of a sliding puzzle together with the gap is one.
//!
//! They are read off the ground rules: the fluents that the `next` of a fluent depends on, and those that their `next` depends on, and so on.
//! Each strand is an automaton of few states over the moves of the game; which of its states a largest reward allows is found by evaluating
//! the goal with everything else unknown.

use game::{Deadline, FluentId, Gates, GroundProgram, JointMove, Machine, Move, Role, State};
use ground::{AtomId, AtomKind};
use rustc_hash::FxHashMap;

use crate::targets::best_goal;

/// No state: the move is not legal.
pub(crate) const NONE: u32 = u32::MAX;
/// The most states of a strand, the most strands, and the most fluents to look at.
const MOST_STATES: usize = 4000;
const MOST_STRANDS: usize = 128;
const MOST_FLUENTS: usize = 4000;

/// States with numbers, and where each move leads from each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Automaton {
    pub(crate) moves: usize,
    /// For each state and move the state after it.
    pub(crate) next: Vec<u32>,
    /// For each state whether a largest reward allows it.
    pub(crate) wanted: Vec<bool>,
}

impl Automaton {
    pub(crate) fn count(&self) -> usize {
        self.wanted.len()
    }

    pub(crate) fn after(&self, state: u32, action: usize) -> u32 {
        self.next[state as usize * self.moves + action]
    }
}

/// A strand of a game; the initial state has the number 0.
pub(crate) struct Strand {
    fluents: State,
    numbers: FxHashMap<State, u32>,
    pub(crate) automaton: Automaton,
}

impl Strand {
    /// The number of the strand's part of a state.
    pub(crate) fn number(&self, state: &State) -> Option<u32> {
        self.numbers.get(&part(state, &self.fluents)).copied()
    }
}

fn part(state: &State, of: &State) -> State {
    State::from_words(state.words().iter().zip(of.words()).map(|(a, b)| a & b))
}

fn without(state: &State, fluents: &State) -> State {
    let dropped = fluents.words().iter().copied().chain(std::iter::repeat(0));
    State::from_words(state.words().iter().zip(dropped).map(|(a, b)| a & !b))
}

fn union(one: &State, other: &State) -> State {
    let (mut joined, other) = (one.clone(), other.clone());
    other.iter().for_each(|fluent| joined.insert(fluent));
    joined
}

fn within(one: &State, other: &State) -> bool {
    one.iter().all(|fluent| other.contains(fluent))
}

/// All strands of a game of one role that a largest reward asks for, and the moves in the order of the automata. None where legality
/// depends on more than each strand knows, or where there is nothing to tell apart.
pub(crate) fn strands(gates: &Gates, deadline: &Deadline) -> Option<(Vec<Strand>, Vec<Move>)> {
    let program = gates.program();
    if program.moves.len() != 1 || program.fluents.len() > MOST_FLUENTS {
        return None;
    }
    let (_, goal) = best_goal(program, 0)?;
    let moves = gates.moves()[0].clone();
    let sets = closed_sets(gates, deadline)?;
    let mut machine = gates.machine();
    let mut found = Vec::new();
    for fluents in sets {
        let (mut strand, parts) = explore(&mut machine, fluents, &moves, deadline)?;
        strand.automaton.wanted = wanted(gates, &strand.fluents, &parts, goal, deadline)?;
        let hits = strand.automaton.wanted.iter().filter(|wanted| **wanted).count();
        if hits > 0 && hits < strand.automaton.count() {
            found.push(strand);
        }
    }
    (found.len() > 1).then_some((found, moves))
}

/// The sets of fluents that depend on nothing else, without those that are parts of others, and without what only tells the time.
fn closed_sets(gates: &Gates, deadline: &Deadline) -> Option<Vec<State>> {
    let (program, ids, clock) = (gates.program(), gates.fluents(), gates.clock());
    let mut support = Support::new(program);
    let direct: Vec<Vec<u32>> = program.next.iter().map(|next| support.of(*next)).collect();
    let mut sets: Vec<State> = Vec::new();
    for fluent in 0..program.fluents.len() {
        if deadline.passed() {
            return None;
        }
        if clock.contains(ids[fluent]) || sets.iter().any(|set| set.contains(ids[fluent])) {
            continue;
        }
        let mut set = State::new();
        set.insert(ids[fluent]);
        let mut open = vec![fluent as u32];
        while let Some(fluent) = open.pop() {
            for cause in &direct[fluent as usize] {
                if !set.contains(ids[*cause as usize]) {
                    set.insert(ids[*cause as usize]);
                    open.push(*cause);
                }
            }
        }
        sets.retain(|other| !within(other, &set));
        sets.push(set);
    }
    let legal = program.moves[0].iter().flat_map(|action| support.of(action.legal));
    let known = legal.map(|fluent| ids[fluent as usize]);
    let fits = known.into_iter().all(|fluent| sets.iter().all(|set| set.contains(fluent)));
    (fits && sets.len() <= MOST_STRANDS).then_some(sets)
}

/// Which fluents atoms depend on.
struct Support<'p> {
    program: &'p GroundProgram,
    seen: Vec<u32>,
    round: u32,
}

impl<'p> Support<'p> {
    fn new(program: &'p GroundProgram) -> Self {
        Self { program, seen: vec![0; program.kinds.len()], round: 0 }
    }

    fn of(&mut self, atom: Option<AtomId>) -> Vec<u32> {
        self.round += 1;
        let mut fluents = Vec::new();
        let mut open: Vec<AtomId> = atom.into_iter().collect();
        while let Some(atom) = open.pop() {
            if std::mem::replace(&mut self.seen[atom.index()], self.round) == self.round {
                continue;
            }
            match self.program.kinds[atom.index()] {
                AtomKind::Fluent(fluent) => fluents.push(fluent),
                AtomKind::Does { .. } => {}
                AtomKind::Derived => {
                    let bodies = self.program.rules_of(atom);
                    open.extend(bodies.flatten().map(|literal| literal.atom));
                }
            }
        }
        fluents
    }
}

/// A strand with all its states that moves lead to, in the order of their numbers, with the rest of the game as it is initially.
fn explore(
    machine: &mut dyn Machine,
    fluents: State,
    moves: &[Move],
    deadline: &Deadline,
) -> Option<(Strand, Vec<State>)> {
    let initial = machine.initial().ok()?;
    let rest = without(&initial, &fluents);
    let mut parts = vec![part(&initial, &fluents)];
    let mut numbers = FxHashMap::default();
    numbers.insert(parts[0].clone(), 0);
    let mut automaton = Automaton { moves: moves.len(), ..Automaton::default() };
    let mut legal = Vec::new();
    let mut at = 0;
    while at < parts.len() {
        if parts.len() > MOST_STATES || deadline.passed() {
            return None;
        }
        let state = union(&rest, &parts[at]);
        machine.legal_moves(&state, Role(0), &mut legal).ok()?;
        for action in moves {
            if !legal.contains(action) {
                automaton.next.push(NONE);
                continue;
            }
            let next = part(&machine.next(&state, &JointMove(vec![*action])).ok()?, &fluents);
            let number = *numbers.entry(next).or_insert_with_key(|next| {
                parts.push(next.clone());
                parts.len() as u32 - 1
            });
            automaton.next.push(number);
        }
        at += 1;
    }
    automaton.wanted = vec![true; parts.len()];
    Some((Strand { fluents, numbers, automaton }, parts))
}

/// For each state of a strand whether the goal may hold in it, whatever the rest of the game is like.
fn wanted(
    gates: &Gates,
    fluents: &State,
    parts: &[State],
    goal: AtomId,
    deadline: &Deadline,
) -> Option<Vec<bool>> {
    let mut wanted = Vec::with_capacity(parts.len());
    for part in parts {
        if deadline.passed() {
            return None;
        }
        let known = |fluent: FluentId| fluents.contains(fluent).then(|| part.contains(fluent));
        let mut guess = Guess {
            program: gates.program(),
            ids: gates.fluents(),
            known: &known,
            values: FxHashMap::default(),
            depth: 0,
        };
        wanted.push(guess.value(goal) != Some(false));
    }
    Some(wanted)
}

/// Rules that build on each other deeper than this are not followed.
const DEEPEST: u32 = 500;

/// Rules evaluated where only some fluents are known (Kleene's logic).
struct Guess<'g> {
    program: &'g GroundProgram,
    ids: &'g [FluentId],
    known: &'g dyn Fn(FluentId) -> Option<bool>,
    values: FxHashMap<AtomId, Option<bool>>,
    depth: u32,
}

impl Guess<'_> {
    fn value(&mut self, atom: AtomId) -> Option<bool> {
        match self.program.kinds[atom.index()] {
            AtomKind::Fluent(fluent) => return (self.known)(self.ids[fluent as usize]),
            AtomKind::Does { .. } => return None,
            AtomKind::Derived => {}
        }
        if let Some(value) = self.values.get(&atom) {
            return *value;
        }
        if self.depth > DEEPEST {
            return None;
        }
        self.depth += 1;
        // What depends on itself is not known.
        self.values.insert(atom, None);
        let program = self.program;
        let mut value = Some(false);
        for body in program.rules_of(atom) {
            match self.all(body) {
                Some(true) => {
                    value = Some(true);
                    break;
                }
                Some(false) => {}
                None => value = None,
            }
        }
        self.depth -= 1;
        self.values.insert(atom, value);
        value
    }

    fn all(&mut self, body: &[ground::GroundLiteral]) -> Option<bool> {
        let mut value = Some(true);
        for literal in body {
            match self.value(literal.atom).map(|holds| holds != literal.negative) {
                Some(true) => {}
                Some(false) => return Some(false),
                None => value = None,
            }
        }
        value
    }
}
