//! What roles can do at each of the two times of a game in turns, read off the circuit: with the fluents of the clock and the one move
//! of the role that waits put in as constants, each move of the other role has a condition and a list of fluents that it sets.

use circuit::graph::{Node, Signal};
use game::{Deadline, Gates};
use rustc_hash::FxHashSet;

use crate::sat::model::{Input, Model};

/// Something a role can do: when it may, and what fluents become, as far as that is not what they are.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Choice {
    pub(super) legal: Signal,
    pub(super) effects: Vec<(u32, Signal)>,
}

/// One of the two times.
#[derive(Debug)]
pub(super) struct Time {
    /// The role that moves.
    pub(super) mover: usize,
    /// What the clock says, as far as anything depends on it.
    pub(super) clock: Vec<(u32, bool)>,
    /// Its choices, each once, sorted.
    pub(super) choices: Vec<Choice>,
    /// When it may make moves that change nothing.
    pub(super) idle: Vec<Signal>,
    pub(super) terminal: Signal,
    pub(super) goals: Vec<Signal>,
}

/// The two times, the first one first. None unless two roles move in turn, whatever they do.
pub(super) fn times(gates: &Gates, model: &mut Model, deadline: &Deadline) -> Option<[Time; 2]> {
    let tells: Vec<bool> =
        gates.fluents().iter().map(|fluent| gates.clock().contains(*fluent)).collect();
    if model.does.len() != 2 {
        return None;
    }
    let clock = relevant(model, &tells);
    let first: Vec<(u32, bool)> =
        clock.iter().map(|fluent| (*fluent, model.initial[*fluent as usize])).collect();
    let second = tick(model, &first);
    if second == first || tick(model, &second) != first {
        return None;
    }
    let one = Fold::new(model, &first).time(model, first, &tells, deadline)?;
    let other = Fold::new(model, &second).time(model, second, &tells, deadline)?;
    (one.mover != other.mover).then_some([one, other])
}

/// The fluents of the clock that anything depends on: a counter of steps that nothing reads does not matter.
fn relevant(model: &Model, tells: &[bool]) -> Vec<u32> {
    let moved = model.next.iter().zip(tells).filter(|(_, tells)| !**tells).map(|(next, _)| *next);
    let states = model.legal.iter().chain(&model.goals).flatten().copied();
    let mut roots: Vec<Signal> = moved.chain(states).chain([model.terminal]).collect();
    loop {
        let mut found = Vec::new();
        for node in model.cone(&roots) {
            if let Node::Input(number) = model.graph.nodes()[node as usize]
                && let Input::Fluent(fluent) = model.input(number)
                && tells[fluent as usize]
            {
                found.push(fluent);
            }
        }
        let before = roots.len();
        let known: FxHashSet<Signal> = roots.iter().copied().collect();
        let nexts = found.iter().map(|fluent| model.next[*fluent as usize]);
        roots.extend(nexts.filter(|next| !known.contains(next)));
        if roots.len() == before {
            found.sort_unstable();
            return found;
        }
    }
}

/// The clock one step later.
fn tick(model: &Model, clock: &[(u32, bool)]) -> Vec<(u32, bool)> {
    let moves: usize = model.does.iter().map(Vec::len).sum();
    let mut inputs = vec![false; model.fluents.len() + moves];
    for (fluent, holds) in clock {
        inputs[*fluent as usize] = *holds;
    }
    let values = model.graph.evaluate(&inputs);
    let becomes = |fluent: u32| {
        let next = model.next[fluent as usize];
        values[next.node()] != next.is_complemented()
    };
    clock.iter().map(|(fluent, _)| (*fluent, becomes(*fluent))).collect()
}

/// The circuit with some inputs as constants.
struct Fold {
    /// What each node of the circuit became.
    map: Vec<Signal>,
}

fn constant(holds: bool) -> Signal {
    if holds { Signal::TRUE } else { Signal::FALSE }
}

impl Fold {
    fn new(model: &mut Model, clock: &[(u32, bool)]) -> Self {
        let nodes = model.graph.nodes().len() as u32;
        let mut fold = Self { map: (0..nodes).map(|node| Signal(node << 1)).collect() };
        for (fluent, holds) in clock {
            fold.map[model.fluents[*fluent as usize].node()] = constant(*holds);
        }
        fold.put_all(model);
        fold
    }

    fn of(&self, signal: Signal) -> Signal {
        let mapped = self.map[signal.node()];
        if signal.is_complemented() { !mapped } else { mapped }
    }

    fn put(&mut self, model: &mut Model, at: usize) {
        if let Node::And(a, b) = model.graph.nodes()[at] {
            let (a, b) = (self.of(a), self.of(b));
            self.map[at] = model.graph.and(a, b);
        }
    }

    fn put_all(&mut self, model: &mut Model) {
        for at in 0..self.map.len() {
            self.put(model, at);
        }
    }

    /// What a time is like, the clock being put in. None unless one role has just one move, whatever the state.
    fn time(
        mut self,
        model: &mut Model,
        clock: Vec<(u32, bool)>,
        tells: &[bool],
        deadline: &Deadline,
    ) -> Option<Time> {
        let legal: Vec<Vec<Signal>> =
            model.legal.iter().map(|own| own.iter().map(|one| self.of(*one)).collect()).collect();
        let waits = |role: &usize| {
            let one = legal[*role].iter().filter(|one| **one == Signal::TRUE).count() == 1;
            one && legal[*role].iter().all(|one| [Signal::TRUE, Signal::FALSE].contains(one))
        };
        let waiting: Vec<usize> = (0..2).filter(waits).collect();
        let [waiting] = waiting[..] else { return None };
        let mover = 1 - waiting;
        for (does, legal) in model.does[waiting].clone().into_iter().zip(&legal[waiting]) {
            self.map[does.node()] = *legal;
        }
        for does in &model.does[mover].clone() {
            self.map[does.node()] = Signal::FALSE;
        }
        let goals = model.goals.iter().flatten().map(|goal| self.of(*goal)).collect();
        let terminal = self.of(model.terminal);
        let mut time =
            Time { mover, clock, choices: Vec::new(), idle: Vec::new(), terminal, goals };
        let moves = Moves::new(model, mover, tells, self.map.len());
        self.put_all(model);
        for (place, legal) in legal[mover].iter().enumerate() {
            if deadline.passed() {
                return None;
            }
            if *legal == Signal::FALSE {
                continue;
            }
            let effects = moves.effects(model, &mut self, place);
            if effects.is_empty() {
                time.idle.push(*legal);
            } else {
                time.choices.push(Choice { legal: *legal, effects });
            }
        }
        time.choices.sort_unstable();
        time.choices.dedup();
        Some(time)
    }
}

/// What moves of a role are read by.
struct Moves {
    role: usize,
    /// For each node that depends on these moves the gates that read it.
    readers: Vec<Vec<u32>>,
    /// The fluents that do not belong to the clock.
    fluents: Vec<u32>,
}

impl Moves {
    /// Of the first so many nodes: those that came later are not part of the circuit.
    fn new(model: &Model, role: usize, tells: &[bool], nodes: usize) -> Self {
        let nodes = &model.graph.nodes()[..nodes];
        let mut moved = vec![false; nodes.len()];
        let mut readers = vec![Vec::new(); nodes.len()];
        for (at, node) in nodes.iter().enumerate() {
            match *node {
                Node::Input(number) => {
                    let input = model.input(number);
                    moved[at] = matches!(input, Input::Does(of, _) if of as usize == role);
                }
                Node::And(a, b) => {
                    for signal in [a, b].into_iter().filter(|signal| moved[signal.node()]) {
                        readers[signal.node()].push(at as u32);
                    }
                    moved[at] = moved[a.node()] || moved[b.node()];
                }
                Node::False => {}
            }
        }
        let fluents = (0..tells.len() as u32).filter(|fluent| !tells[*fluent as usize]).collect();
        Self { role, readers, fluents }
    }

    /// What a move sets; the moves of its role are all put in as not made, and are so again afterwards.
    fn effects(&self, model: &mut Model, fold: &mut Fold, place: usize) -> Vec<(u32, Signal)> {
        let does = model.does[self.role][place].node();
        let above = self.above(does);
        let before: Vec<Signal> = above.iter().map(|at| fold.map[*at as usize]).collect();
        fold.map[does] = Signal::TRUE;
        for at in &above {
            fold.put(model, *at as usize);
        }
        let changed = |fluent: &u32| {
            let becomes = fold.of(model.next[*fluent as usize]);
            (becomes != model.fluents[*fluent as usize]).then_some((*fluent, becomes))
        };
        let effects = self.fluents.iter().filter_map(changed).collect();
        fold.map[does] = Signal::FALSE;
        for (at, signal) in above.into_iter().zip(before) {
            fold.map[at as usize] = signal;
        }
        effects
    }

    /// All gates above a node, in order.
    fn above(&self, node: usize) -> Vec<u32> {
        let mut todo = vec![node as u32];
        let mut seen = FxHashSet::default();
        while let Some(node) = todo.pop() {
            for reader in &self.readers[node as usize] {
                if seen.insert(*reader) {
                    todo.push(*reader);
                }
            }
        }
        let mut above: Vec<u32> = seen.into_iter().collect();
        above.sort_unstable();
        above
    }
}
