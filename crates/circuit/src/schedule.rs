//! Gates in the order of evaluation, with a place in memory for each.
//!
//! Three parts are kept apart, so that each is evaluated only when it is needed: what says which moves
//! are legal and whether the game is over; the goals; and the next state. A gate belongs to the first
//! part when that needs it, and stays in memory for the others; the goals and the next state do not
//! share gates of their own, because the goals are skipped most of the time. Operations are emitted in
//! runs of the same kind, which the evaluator executes in tight loops.
//!
//! A gate whose operands are both complemented is stored as its own complement: the disjunction of what
//! its operands complement. So three basic kinds of operations suffice, each one instruction of the processor. A gate
//! that only one other gate of its part reads is computed together with it: its value stays in a register, which saves a
//! store and a load.

use std::sync::Arc;

use crate::build::Circuit;
use crate::graph::{Graph, Node, Signal, cone};

/// What a gate computes of its two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basic {
    /// a and b.
    And,
    /// a and not b.
    AndNot,
    /// a or b.
    Or,
}

/// What is done with the result of the first gate and a third operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// Nothing: there is only one gate.
    Nothing,
    /// Both.
    And,
    /// The result and not the operand.
    AndNot,
    /// The operand and not the result.
    NotAnd,
    /// One of them.
    Or,
}

/// What an operation computes: one gate, or two of which only the second is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The first gate, of the operands `a` and `b`.
    pub first: Basic,
    /// The second gate, of its result and `c`.
    pub then: Then,
}

/// How many kinds there are.
const KINDS: usize = 15;

impl Kind {
    fn index(self) -> usize {
        self.first as usize * 5 + self.then as usize
    }
}

/// One operation on places.
#[derive(Clone, Copy, Debug)]
pub struct Op {
    /// Where the result goes.
    pub to: u32,
    /// The first operand.
    pub a: u32,
    /// The second operand.
    pub b: u32,
    /// The third operand, where there is one; else one of the others.
    pub c: u32,
}

/// Operations in runs of one kind.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// Kinds with the ends of their runs in `ops`.
    runs: Vec<(Kind, u32)>,
    ops: Vec<Op>,
    /// Above all places of the operations.
    places: usize,
}

impl Part {
    fn push(&mut self, kind: Kind, op: Op) {
        self.places = self.places.max(op.to.max(op.a).max(op.b).max(op.c) as usize + 1);
        self.ops.push(op);
        let end = self.ops.len() as u32;
        match self.runs.last_mut() {
            Some((last, old)) if *last == kind => *old = end,
            _ => self.runs.push((kind, end)),
        }
    }

    /// The operations in their order, those of one kind together.
    pub fn runs(&self) -> impl Iterator<Item = (Kind, &[Op])> {
        let starts = std::iter::once(0).chain(self.runs.iter().map(|(_, end)| *end as usize));
        let runs = self.runs.iter().zip(starts);
        runs.map(|((kind, end), start)| (*kind, &self.ops[start..*end as usize]))
    }

    /// How many places a memory must have for these operations.
    pub fn places(&self) -> usize {
        self.places
    }

    /// How many operations there are.
    pub fn len(&self) -> usize {
        self.ops.len()
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }
}

/// A place to read, and whether to complement it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Read {
    /// The place.
    pub place: u32,
    /// Whether the complement is meant.
    pub complement: bool,
}

/// The circuit, ready to be evaluated. Places 0.. are the fluents, then the moves, then constant false,
/// then constant true, then other inputs.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// Legal moves and the end of the game.
    pub state: Part,
    /// Goals.
    pub goal: Part,
    /// The next state.
    pub next: Part,
    /// How many places are needed.
    pub places: usize,
    /// The place of constant false; constant true comes after it.
    pub zero: u32,
    /// Where to read whether each move is legal, after `state`; never complemented.
    pub legal: Vec<Vec<u32>>,
    /// Where to read whether the game is over, after `state`.
    pub terminal: Read,
    /// Where to read the goals, after `goal`.
    pub goals: Vec<Vec<Read>>,
    /// Where to read the next fluents, after `next`.
    pub fluents: Vec<Read>,
}

/// Orders the gates of a circuit and gives them places.
pub fn schedule(circuit: &Circuit) -> Schedule {
    let graph = &circuit.graph;
    let state_roots: Vec<Signal> =
        circuit.legal.iter().flatten().copied().chain([circuit.terminal]).collect();
    let goal_roots: Vec<Signal> = circuit.goals.iter().flatten().copied().collect();
    let in_state = cone(graph.nodes(), &state_roots, |_| false);
    let in_goal = cone(graph.nodes(), &goal_roots, |node| in_state[node]);
    let in_next = cone(graph.nodes(), &circuit.next, |node| in_state[node]);
    let mut allocator = Allocator::new(circuit);
    // What the state part computes must survive as long as a later part or a reader needs it.
    let mut keep = vec![false; graph.nodes().len()];
    for signal in state_roots.iter().chain(&circuit.next).chain(&goal_roots) {
        keep[signal.node()] = true;
    }
    for (node, kinds) in allocator.kinds.iter().enumerate() {
        for operand in [kinds.a as usize, kinds.b as usize] {
            let later = |cone: &[bool]| cone[node] && !cone[operand];
            keep[operand] |= later(&in_goal) || later(&in_next);
        }
    }
    let state_code = Fused::new(&allocator.kinds, &in_state, &keep);
    let goal_code = Fused::new(&allocator.kinds, &in_goal, &keep);
    let next_code = Fused::new(&allocator.kinds, &in_next, &keep);
    let state_order = runs(&state_code, &in_state, &state_roots);
    let goal_order = runs(&goal_code, &in_goal, &goal_roots);
    let next_order = runs(&next_code, &in_next, &circuit.next);
    let mut state = allocator.part(&state_code, &state_order, &keep);
    let legal = circuit
        .legal
        .iter()
        .map(|own| own.iter().map(|signal| allocator.positive(*signal, &mut state)).collect())
        .collect();
    let terminal = allocator.read(circuit.terminal);
    // The goals and the next state are never in memory together: both may use the free places.
    let mut goal_allocator = allocator.clone();
    let goal = goal_allocator.part(&goal_code, &goal_order, &keep);
    let goals = circuit
        .goals
        .iter()
        .map(|own| own.iter().map(|signal| goal_allocator.read(*signal)).collect())
        .collect();
    let next = allocator.part(&next_code, &next_order, &keep);
    let fluents = circuit.next.iter().map(|signal| allocator.read(*signal)).collect();
    let places = allocator.used.max(goal_allocator.used) as usize;
    let zero = allocator.zero;
    Schedule { state, goal, next, places, zero, legal, terminal, goals, fluents }
}

/// How a node is computed from other nodes as they are stored; and whether it is stored complemented.
#[derive(Clone, Copy, Debug)]
struct Gate {
    kind: Basic,
    a: u32,
    b: u32,
    complemented: bool,
}

fn gates(graph: &Graph) -> Vec<Gate> {
    let mut gates: Vec<Gate> = Vec::with_capacity(graph.nodes().len());
    for node in graph.nodes() {
        let mut gate = Gate { kind: Basic::And, a: 0, b: 0, complemented: false };
        if let Node::And(a, b) = node {
            let flipped = |s: &Signal| s.is_complemented() != gates[s.node()].complemented;
            let (flip_a, flip_b) = (flipped(a), flipped(b));
            let (first, second) = if flip_a && !flip_b { (b, a) } else { (a, b) };
            gate = Gate {
                kind: match (flip_a, flip_b) {
                    (false, false) => Basic::And,
                    (true, true) => Basic::Or,
                    _ => Basic::AndNot,
                },
                a: first.node() as u32,
                b: second.node() as u32,
                complemented: flip_a && flip_b,
            };
        }
        gates.push(gate);
    }
    gates
}

/// The gates of a part, some of them computed together with the only one that reads them.
struct Fused {
    gates: Arc<[Gate]>,
    /// For each gate the operand that is computed with it.
    inner: Vec<u32>,
}

impl Fused {
    /// The gates of a cone; those that are kept have to be stored.
    fn new(gates: &Arc<[Gate]>, cone: &[bool], keep: &[bool]) -> Self {
        let mut readers = vec![0u8; gates.len()];
        for (gate, _) in gates.iter().zip(cone).filter(|(_, inside)| **inside) {
            for operand in [gate.a as usize, gate.b as usize] {
                readers[operand] = readers[operand].saturating_add(1);
            }
        }
        let mut inner = vec![NOWHERE; gates.len()];
        for node in (0..gates.len()).filter(|node| cone[*node]) {
            let alone = |operand: &u32| {
                let at = *operand as usize;
                cone[at] && readers[at] == 1 && !keep[at] && inner[at] == NOWHERE
            };
            let own = [gates[node].a, gates[node].b].into_iter().find(alone);
            inner[node] = own.unwrap_or(NOWHERE);
        }
        Self { gates: gates.clone(), inner }
    }

    /// What is computed for a gate, and the operands that must be there before; the last one twice if there are two.
    fn operation(&self, node: u32) -> (Kind, [u32; 3]) {
        let gate = self.gates[node as usize];
        let inner = self.inner[node as usize];
        if inner == NOWHERE {
            return (Kind { first: gate.kind, then: Then::Nothing }, [gate.a, gate.b, gate.b]);
        }
        let first = self.gates[inner as usize];
        let (then, other) = match (gate.kind, gate.a == inner) {
            (Basic::And, true) => (Then::And, gate.b),
            (Basic::And, false) => (Then::And, gate.a),
            (Basic::Or, true) => (Then::Or, gate.b),
            (Basic::Or, false) => (Then::Or, gate.a),
            (Basic::AndNot, true) => (Then::AndNot, gate.b),
            (Basic::AndNot, false) => (Then::NotAnd, gate.a),
        };
        (Kind { first: first.kind, then }, [first.a, first.b, other])
    }
}

/// Gates that are looked at together when runs of one kind are formed. More make longer runs, fewer keep
/// what is computed closer to where it is used, so that it is still in the nearest cache.
const WINDOW: usize = 512;

/// The gates of a cone, operands first, in runs of one kind.
fn runs(code: &Fused, cone: &[bool], roots: &[Signal]) -> Vec<u32> {
    let mut order = depth_first(code, cone, roots);
    let mut missing = vec![0u8; cone.len()];
    let mut window_of = vec![NOWHERE; cone.len()];
    for (number, window) in order.chunks_mut(WINDOW).enumerate() {
        for node in window.iter() {
            window_of[*node as usize] = number as u32;
        }
        in_runs(code, window, number as u32, &window_of, &mut missing);
    }
    order
}

/// The gates of a cone, operands first, each root's gates together.
fn depth_first(code: &Fused, cone: &[bool], roots: &[Signal]) -> Vec<u32> {
    let mut order = Vec::new();
    let mut is_done: Vec<bool> = cone.iter().map(|inside| !inside).collect();
    let mut todo: Vec<u32> = Vec::new();
    for root in roots {
        todo.push(root.node() as u32);
        while let Some(node) = todo.last().copied() {
            if is_done[node as usize] {
                todo.pop();
                continue;
            }
            let (_, [a, b, c]) = code.operation(node);
            let before = todo.len();
            todo.extend([c, b, a].iter().filter(|operand| !is_done[**operand as usize]));
            if todo.len() == before {
                is_done[node as usize] = true;
                order.push(node);
                todo.pop();
            }
        }
    }
    order
}

/// Reorders the gates of a window into runs: among the gates that are ready, those of the present kind
/// are taken as long as there are any.
fn in_runs(code: &Fused, window: &mut [u32], number: u32, window_of: &[u32], missing: &mut [u8]) {
    let mut ready: [Vec<u32>; KINDS] = Default::default();
    let mut users: Vec<(u32, u32)> = Vec::new();
    for node in window.iter() {
        let (kind, operands) = code.operation(*node);
        for operand in operands {
            if window_of[operand as usize] == number {
                missing[*node as usize] += 1;
                users.push((operand, *node));
            }
        }
        if missing[*node as usize] == 0 {
            ready[kind.index()].push(*node);
        }
    }
    users.sort_unstable();
    for list in &mut ready {
        list.reverse();
    }
    let mut present = 0;
    for place in window {
        if ready[present].is_empty() {
            let longest = (0..KINDS).max_by_key(|kind| ready[*kind].len());
            present = longest.unwrap_or(present);
        }
        let Some(node) = ready[present].pop() else { return };
        *place = node;
        let first = users.partition_point(|(operand, _)| *operand < node);
        for (_, user) in users[first..].iter().take_while(|(operand, _)| *operand == node) {
            missing[*user as usize] -= 1;
            if missing[*user as usize] == 0 {
                ready[code.operation(*user).0.index()].push(*user);
            }
        }
    }
}

const NOWHERE: u32 = u32::MAX;

/// Gives places to gates; a place is used again when its gate is read no more.
#[derive(Clone)]
struct Allocator {
    kinds: Arc<[Gate]>,
    place_of: Vec<u32>,
    free: Vec<u32>,
    used: u32,
    zero: u32,
}

impl Allocator {
    fn new(circuit: &Circuit) -> Self {
        let kinds: Arc<[Gate]> = gates(&circuit.graph).into();
        let mut place_of = vec![NOWHERE; kinds.len()];
        let mut used = 0;
        for signal in circuit.fluents.iter().chain(circuit.does.iter().flatten()) {
            place_of[signal.node()] = used;
            used += 1;
        }
        let zero = used;
        place_of[Signal::FALSE.node()] = zero;
        used += 2;
        for (node, place) in circuit.graph.nodes().iter().zip(&mut place_of) {
            if let (Node::Input(_), NOWHERE) = (node, *place) {
                *place = used;
                used += 1;
            }
        }
        Self { kinds, place_of, free: Vec::new(), used, zero }
    }

    fn read(&self, signal: Signal) -> Read {
        let place = self.place_of[signal.node()];
        let place = if place == NOWHERE { self.zero } else { place };
        let complement = signal.is_complemented() != self.kinds[signal.node()].complemented;
        Read { place, complement }
    }

    /// A place with the signal itself, not its complement.
    fn positive(&mut self, signal: Signal, part: &mut Part) -> u32 {
        let read = self.read(signal);
        match (read.complement, read.place == self.zero) {
            (false, _) => read.place,
            (true, true) => self.zero + 1,
            (true, false) => {
                let to = self.take();
                let kind = Kind { first: Basic::AndNot, then: Then::Nothing };
                part.push(kind, Op { to, a: self.zero + 1, b: read.place, c: read.place });
                to
            }
        }
    }

    fn take(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.used += 1;
            self.used - 1
        })
    }

    fn part(&mut self, code: &Fused, order: &[u32], keep: &[bool]) -> Part {
        let mut last_use = vec![NOWHERE; self.kinds.len()];
        let mut own = vec![false; self.kinds.len()];
        for (at, node) in order.iter().enumerate() {
            own[*node as usize] = true;
            for operand in code.operation(*node).1 {
                last_use[operand as usize] = at as u32;
            }
        }
        let mut part = Part::default();
        for (at, node) in order.iter().enumerate() {
            let (kind, operands) = code.operation(*node);
            let [a, b, c] = operands.map(|operand| self.place_of[operand as usize]);
            for operand in operands.map(|operand| operand as usize) {
                if last_use[operand] == at as u32 && own[operand] && !keep[operand] {
                    self.free.push(self.place_of[operand]);
                    last_use[operand] = NOWHERE;
                }
            }
            let to = self.take();
            self.place_of[*node as usize] = to;
            part.push(kind, Op { to, a, b, c });
        }
        part
    }
}

/// Gates of a circuit by part: legal and terminal, next, goals.
pub fn operations(circuit: &Circuit) -> (usize, usize, usize) {
    let graph = &circuit.graph;
    let state_roots: Vec<Signal> =
        circuit.legal.iter().flatten().copied().chain([circuit.terminal]).collect();
    let goal_roots: Vec<Signal> = circuit.goals.iter().flatten().copied().collect();
    let in_state = cone(graph.nodes(), &state_roots, |_| false);
    let size = |cone: &[bool]| cone.iter().filter(|inside| **inside).count();
    let next = size(&cone(graph.nodes(), &circuit.next, |node| in_state[node]));
    (size(&in_state), next, size(&cone(graph.nodes(), &goal_roots, |node| in_state[node])))
}
