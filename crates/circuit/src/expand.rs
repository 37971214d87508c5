//! All successors of a position at once: one bit per successor, one word per signal.
//!
//! The successors of a node share their state before the move, so it is broadcast; the moves differ from
//! bit to bit. One pass over the gates gives the next states, a second one their legal moves, ends and goals.
//! Up to 64 successors take one word per signal, more of them four. Where the stepper has a circuit for the
//! situation (who is in control), that one is evaluated.

use std::sync::Arc;

use crate::build::Circuit;
use crate::graph::{Graph, Node, Signal};
use crate::net::Layout;
use crate::plan::Plan;
use crate::transpose::columns;

/// What successors of a position look like, in the words of the [`Layout`].
#[derive(Clone, Debug, Default)]
pub struct Successors {
    /// How many there are.
    pub count: usize,
    /// Their states, `state_words` words each.
    pub states: Vec<u64>,
    /// The words of a state.
    pub state_words: usize,
    /// For each role the legal moves, `legal_words` words each.
    pub legal: Vec<Vec<u64>>,
    /// The words of the legal moves of each role.
    pub legal_words: Vec<usize>,
    /// Whether each of them is terminal.
    pub terminal: Vec<bool>,
    /// For each role, where a successor is terminal, its goal value by its place; none if there is no such
    /// value or several.
    pub goals: Vec<Vec<Option<u32>>>,
}

/// Expands positions.
#[derive(Clone, Debug)]
pub struct Expander {
    plan: Arc<Plan>,
    narrow: Vec<[u64; 1]>,
    wide: Vec<[u64; WIDE]>,
}

/// Words per signal for many successors.
const WIDE: usize = 4;

/// What a gate computes of its two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    And,
    AndNot,
    Nor,
}

#[derive(Clone, Copy, Debug)]
struct Op {
    to: u32,
    a: u32,
    b: u32,
}

/// A place with a sign.
#[derive(Clone, Copy, Debug)]
struct Read {
    place: u32,
    complement: bool,
}

/// Operations in runs of one kind, with their ends.
#[derive(Clone, Debug, Default)]
struct Part {
    runs: Vec<(Kind, u32)>,
    ops: Vec<Op>,
}

/// The gates of a circuit in an order of evaluation. Places are the fluents, the moves, false, the gates.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    next: Part,
    state: Part,
    goal: Part,
    places: usize,
    /// The place of false, and the first place of the moves of each role.
    zero: u32,
    fluent_reads: Vec<Read>,
    legal_reads: Vec<Vec<Read>>,
    terminal: Read,
    goals: Vec<Vec<Read>>,
}

/// How the layout numbers what the program numbers by places.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    /// The fluent of each bit of a state.
    pub(crate) fluents: Vec<u32>,
    /// For each role the place of each move's input, by its bit.
    pub(crate) moves: Vec<Vec<u32>>,
    /// For each role the move of each bit.
    pub(crate) legal: Vec<Vec<u32>>,
}

pub(crate) const NO_ROW: u32 = u32::MAX;

impl Rows {
    pub(crate) fn new(layout: &Layout) -> Self {
        let invert = |bits: &[u32]| {
            let most = bits.iter().map(|bit| *bit as usize + 1).max().unwrap_or(0);
            let mut rows = vec![NO_ROW; most];
            for (at, bit) in bits.iter().enumerate() {
                rows[*bit as usize] = at as u32;
            }
            rows
        };
        let legal: Vec<Vec<u32>> = layout.moves.iter().map(|own| invert(own)).collect();
        let mut start = layout.fluents.len() as u32;
        let places = |own: &Vec<u32>| {
            start += own.len() as u32;
            own.iter().map(|at| start - own.len() as u32 + at).collect()
        };
        Self { fluents: invert(&layout.fluents), moves: legal.iter().map(places).collect(), legal }
    }
}

impl Expander {
    /// An expander on the networks of a game.
    pub fn new(plan: Arc<Plan>) -> Self {
        Self { plan, narrow: Vec::new(), wide: Vec::new() }
    }

    /// All successors of a state by the joint moves given, each one bit per role in the layout's order. The moves
    /// must be legal. None if the state has a fluent that the circuit does not know.
    pub fn expand(&mut self, state: &[u64], joints: &[Vec<u32>]) -> Option<Successors> {
        if !self.plan.knows(state) {
            return None;
        }
        let rows = self.plan.rows();
        let legal_words: Vec<usize> = rows.legal.iter().map(|own| own.len().div_ceil(64)).collect();
        let mut found = Successors {
            count: joints.len(),
            state_words: self.plan.state_words(),
            states: vec![0; joints.len() * self.plan.state_words()],
            legal: legal_words.iter().map(|words| vec![0; words * joints.len()]).collect(),
            terminal: vec![false; joints.len()],
            goals: legal_words.iter().map(|_| vec![None; joints.len()]).collect(),
            legal_words,
        };
        if joints.len() <= 64 {
            Pass { plan: &self.plan, memory: &mut self.narrow, state, found: &mut found }
                .run(joints, 0);
            return Some(found);
        }
        for (index, part) in joints.chunks(64 * WIDE).enumerate() {
            Pass { plan: &self.plan, memory: &mut self.wide, state, found: &mut found }
                .run(part, index * 64 * WIDE);
        }
        Some(found)
    }
}

/// One pass over some of the successors.
struct Pass<'p, const W: usize> {
    plan: &'p Plan,
    memory: &'p mut Vec<[u64; W]>,
    state: &'p [u64],
    found: &'p mut Successors,
}

impl<const W: usize> Pass<'_, W> {
    fn run(&mut self, joints: &[Vec<u32>], first: usize) {
        let active: [u64; W] =
            std::array::from_fn(|word| match joints.len().saturating_sub(word * 64) {
                0 => 0,
                left @ 1..64 => (1 << left) - 1,
                _ => u64::MAX,
            });
        let before = self.plan.program(self.plan.phase_of(self.state));
        self.broadcast(before, joints);
        before.next.run(self.memory);
        let next: Vec<[u64; W]> = before.fluent_reads.iter().map(|read| self.read(*read)).collect();
        self.clear_moves(joints);
        self.memory[..next.len()].copy_from_slice(&next);
        self.read_states(&active, first);
        let after = self.plan.program(self.situation_of(first, joints.len()));
        self.prepare(after);
        after.state.run(self.memory);
        self.read_legal(after, &active, first);
        self.read_ends(after, &active, first);
    }

    fn prepare(&mut self, program: &Program) {
        if self.memory.len() < program.places {
            self.memory.resize(program.places, [0; W]);
        }
        self.memory[program.zero as usize] = [0; W];
    }

    fn read(&self, read: Read) -> [u64; W] {
        let flip = u64::from(read.complement).wrapping_neg();
        self.memory[read.place as usize].map(|word| word ^ flip)
    }

    /// The state in all positions, and in each its own moves.
    fn broadcast(&mut self, program: &Program, joints: &[Vec<u32>]) {
        self.prepare(program);
        for (bit, fluent) in self.plan.rows().fluents.iter().enumerate() {
            if *fluent != NO_ROW {
                let holds =
                    self.state.get(bit / 64).is_some_and(|word| word >> (bit % 64) & 1 == 1);
                self.memory[*fluent as usize] = [u64::from(holds).wrapping_neg(); W];
            }
        }
        for (lane, joint) in joints.iter().enumerate() {
            for (action, places) in joint.iter().zip(&self.plan.rows().moves) {
                self.memory[places[*action as usize] as usize][lane / 64] |= 1 << (lane % 64);
            }
        }
    }

    fn clear_moves(&mut self, joints: &[Vec<u32>]) {
        for joint in joints {
            for (action, places) in joint.iter().zip(&self.plan.rows().moves) {
                self.memory[places[*action as usize] as usize] = [0; W];
            }
        }
    }

    /// The network for all these successors: their own situation if they share one, else the general one.
    fn situation_of(&self, first: usize, count: usize) -> usize {
        let words = self.found.state_words;
        let mut phases = (first..first + count)
            .map(|at| self.plan.phase_of(&self.found.states[at * words..(at + 1) * words]));
        let one = phases.next().unwrap_or(0);
        if phases.all(|other| other == one) { one } else { 0 }
    }

    /// The states of the successors, as differences from the state before.
    fn read_states(&mut self, active: &[u64; W], first: usize) {
        let width = self.found.state_words;
        for word in 0..width {
            let fluents = &self.plan.rows().fluents;
            let block =
                &fluents[(word * 64).min(fluents.len())..(word * 64 + 64).min(fluents.len())];
            let base = self.state.get(word).copied().unwrap_or(0);
            for (part, active) in active.iter().enumerate().filter(|(_, active)| **active != 0) {
                let mut rows = [0; 64];
                for (row, fluent) in rows.iter_mut().zip(block) {
                    if *fluent != NO_ROW {
                        *row = self.memory[*fluent as usize][part];
                    }
                }
                let states = &mut self.found.states;
                columns(&mut rows, base, *active, |lane, bits| {
                    states[(first + part * 64 + lane) * width + word] = bits;
                });
            }
        }
    }

    /// The legal moves of the successors, as differences from those of the first one.
    fn read_legal(&mut self, program: &Program, active: &[u64; W], first: usize) {
        for role in 0..program.legal_reads.len() {
            let width = self.found.legal_words[role];
            let order = &self.plan.rows().legal[role];
            for word in 0..width {
                let block = &order[word * 64..(word * 64 + 64).min(order.len())];
                for (part, active) in active.iter().enumerate().filter(|(_, active)| **active != 0)
                {
                    let (mut rows, mut base) = ([0; 64], 0);
                    for (at, (row, action)) in rows.iter_mut().zip(block).enumerate() {
                        let read = program.legal_reads[role][*action as usize];
                        let flip = u64::from(read.complement).wrapping_neg();
                        *row = self.memory[read.place as usize][part] ^ flip;
                        base |= (*row & 1) << at;
                    }
                    let legal = &mut self.found.legal[role];
                    columns(&mut rows, base, *active, |lane, bits| {
                        legal[(first + part * 64 + lane) * width + word] = bits;
                    });
                }
            }
        }
    }

    /// Which successors are terminal, and their goals.
    fn read_ends(&mut self, program: &Program, active: &[u64; W], first: usize) {
        let terminal = self.read(program.terminal);
        let over: Vec<usize> = (0..W * 64)
            .filter(|lane| terminal[lane / 64] & active[lane / 64] & 1 << (lane % 64) != 0)
            .collect();
        if over.is_empty() {
            return;
        }
        program.goal.run(self.memory);
        for lane in over {
            self.found.terminal[first + lane] = true;
            for (role, own) in program.goals.iter().enumerate() {
                let holds = |read: &Read| {
                    let word = self.memory[read.place as usize][lane / 64];
                    (word >> (lane % 64) & 1 == 1) != read.complement
                };
                let mut held = own.iter().enumerate().filter(|(_, read)| holds(read));
                let (value, second) = (held.next(), held.next());
                let only = value.filter(|_| second.is_none()).map(|(at, _)| at as u32);
                self.found.goals[role][first + lane] = only;
            }
        }
    }
}

impl Part {
    fn run<const W: usize>(&self, memory: &mut [[u64; W]]) {
        let mut at = 0;
        for (kind, end) in &self.runs {
            let ops = &self.ops[at..*end as usize];
            at = *end as usize;
            match kind {
                Kind::And => each(ops, memory, |a, b| a & b),
                Kind::AndNot => each(ops, memory, |a, b| a & !b),
                Kind::Nor => each(ops, memory, |a, b| !(a | b)),
            }
        }
    }
}

#[inline]
fn each<const W: usize>(ops: &[Op], memory: &mut [[u64; W]], apply: impl Fn(u64, u64) -> u64) {
    for op in ops {
        let (a, b) = (&memory[op.a as usize], &memory[op.b as usize]);
        let value = std::array::from_fn(|word| apply(a[word], b[word]));
        memory[op.to as usize] = value;
    }
}

impl Program {
    /// Orders the gates of a circuit.
    pub(crate) fn new(circuit: &Circuit) -> Self {
        let graph = &circuit.graph;
        let nodes = graph.nodes().len();
        let mut place = vec![u32::MAX; nodes];
        let inputs = circuit.fluents.iter().chain(circuit.does.iter().flatten());
        let mut used = 0;
        for node in inputs.map(|signal| signal.node()).chain([Signal::FALSE.node()]) {
            place[node] = used;
            used += 1;
        }
        let zero = used - 1;
        let start = used;
        let state_roots: Vec<Signal> =
            circuit.legal.iter().flatten().copied().chain([circuit.terminal]).collect();
        let goal_roots: Vec<Signal> = circuit.goals.iter().flatten().copied().collect();
        // The next state and what follows use the same places, one after the other.
        let mut next_place = place.clone();
        let mut next_used = start;
        let next = part(graph, &circuit.next, &mut next_place, &mut next_used);
        let state = part(graph, &state_roots, &mut place, &mut used);
        let goal = part(graph, &goal_roots, &mut place, &mut used);
        let read = |signal: &Signal, place: &[u32]| Read {
            place: place[signal.node()],
            complement: signal.is_complemented(),
        };
        let lists = |lists: &[Vec<Signal>]| -> Vec<Vec<Read>> {
            lists.iter().map(|own| own.iter().map(|s| read(s, &place)).collect()).collect()
        };
        Self {
            places: used.max(next_used) as usize,
            zero,
            fluent_reads: circuit.next.iter().map(|s| read(s, &next_place)).collect(),
            legal_reads: lists(&circuit.legal),
            terminal: read(&circuit.terminal, &place),
            goals: lists(&circuit.goals),
            next,
            state,
            goal,
        }
    }
}

/// The gates that roots need and that have no place yet, level by level, in runs of one kind.
fn part(graph: &Graph, roots: &[Signal], place: &mut [u32], used: &mut u32) -> Part {
    let nodes = graph.nodes();
    let mut inside = vec![false; nodes.len()];
    let mut todo: Vec<usize> = roots.iter().map(|signal| signal.node()).collect();
    while let Some(node) = todo.pop() {
        if let (false, u32::MAX, Node::And(a, b)) = (inside[node], place[node], nodes[node]) {
            inside[node] = true;
            todo.extend([a.node(), b.node()]);
        }
    }
    let mut level = vec![0_u32; nodes.len()];
    let mut order: Vec<(u32, Kind, usize)> = Vec::new();
    for (at, node) in nodes.iter().enumerate().filter(|(at, _)| inside[*at]) {
        if let Node::And(a, b) = node {
            level[at] = 1 + level[a.node()].max(level[b.node()]);
            let kind = match (a.is_complemented(), b.is_complemented()) {
                (false, false) => Kind::And,
                (true, true) => Kind::Nor,
                _ => Kind::AndNot,
            };
            order.push((level[at], kind, at));
        }
    }
    order.sort_unstable();
    let mut part = Part::default();
    for (_, kind, at) in order {
        let Node::And(a, b) = nodes[at] else { continue };
        let (a, b) = if a.is_complemented() && !b.is_complemented() { (b, a) } else { (a, b) };
        place[at] = *used;
        *used += 1;
        part.ops.push(Op { to: place[at], a: place[a.node()], b: place[b.node()] });
        match part.runs.last_mut() {
            Some((last, end)) if *last == kind => *end = part.ops.len() as u32,
            _ => part.runs.push((kind, part.ops.len() as u32)),
        }
    }
    part
}
