//! Gates in the order of evaluation, with a place in memory for each.
//!
//! Three parts are kept apart, so that each is evaluated only when it is needed: what says which moves
//! are legal and whether the game is over; the goals; and the next state. A gate belongs to the first
//! part when that needs it, and stays in memory for the others; the goals and the next state do not
//! share gates of their own, because the goals are skipped most of the time. Operations are emitted in
//! runs of the same kind, which the evaluator executes in tight loops.

use rustc_hash::FxHashMap;

use crate::build::Circuit;
use crate::graph::{Graph, Node, Signal};

/// What an operation computes of its two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// a and b.
    And,
    /// a and not b.
    AndNot,
    /// Neither a nor b.
    Nor,
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
}

/// Operations in runs of one kind.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// Kinds with the ends of their runs in `ops`.
    pub runs: Vec<(Kind, u32)>,
    /// All operations.
    pub ops: Vec<Op>,
}

/// A place to read, and whether to complement it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Read {
    /// The place.
    pub place: u32,
    /// Whether the complement is meant.
    pub complement: bool,
}

/// The circuit, ready to be evaluated. Places 0.. are the fluents, then the moves, then constant false.
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
    /// Where to read whether each move is legal, after `state`.
    pub legal: Vec<Vec<Read>>,
    /// Where to read whether the game is over, after `state`.
    pub terminal: Read,
    /// Where to read the goals, after `goal`.
    pub goals: Vec<Vec<Read>>,
    /// Where to read the next fluents, after `next`.
    pub fluents: Vec<Read>,
    /// Room for the next state while it is put into place.
    pub(crate) scratch: Vec<crate::plane::Plane>,
}

/// Orders the gates of a circuit and gives them places.
pub fn schedule(circuit: &Circuit) -> Schedule {
    let graph = &circuit.graph;
    let state_roots: Vec<Signal> =
        circuit.legal.iter().flatten().copied().chain([circuit.terminal]).collect();
    let goal_roots: Vec<Signal> = circuit.goals.iter().flatten().copied().collect();
    let in_state = cone(graph, &state_roots, &[]);
    let in_goal = cone(graph, &goal_roots, &in_state);
    let in_next = cone(graph, &circuit.next, &in_state);
    let mut allocator = Allocator::new(circuit);
    let state_order = runs(graph, &in_state);
    let goal_order = runs(graph, &in_goal);
    let next_order = runs(graph, &in_next);
    // What the state part computes must survive as long as a later part or a reader needs it.
    let mut keep = vec![false; graph.nodes().len()];
    for signal in &state_roots {
        keep[signal.node()] = true;
    }
    for (kind_and_node, cone) in [(&goal_order, &in_goal), (&next_order, &in_next)] {
        for (_, node) in kind_and_node {
            for operand in operands(graph, *node) {
                keep[operand] |= !cone[operand];
            }
        }
    }
    for signal in circuit.next.iter().chain(&goal_roots) {
        keep[signal.node()] = true;
    }
    let state = allocator.part(graph, &state_order, &keep);
    let legal: Vec<Vec<Read>> = circuit
        .legal
        .iter()
        .map(|own| own.iter().map(|signal| allocator.read(*signal)).collect())
        .collect();
    let terminal = allocator.read(circuit.terminal);
    // The goals and the next state are never in memory together: both may use the free places.
    let mut goal_allocator = allocator.clone();
    let goal = goal_allocator.part(graph, &goal_order, &keep);
    let goals = circuit
        .goals
        .iter()
        .map(|own| own.iter().map(|signal| goal_allocator.read(*signal)).collect())
        .collect();
    let next = allocator.part(graph, &next_order, &keep);
    let fluents = circuit.next.iter().map(|signal| allocator.read(*signal)).collect();
    let places = allocator.used.max(goal_allocator.used) as usize;
    Schedule { state, goal, next, places, legal, terminal, goals, fluents, scratch: Vec::new() }
}

fn operands(graph: &Graph, node: usize) -> Vec<usize> {
    match graph.nodes()[node] {
        Node::And(a, b) => vec![a.node(), b.node()],
        _ => Vec::new(),
    }
}

/// The gates that the roots need, without those of another cone.
fn cone(graph: &Graph, roots: &[Signal], without: &[bool]) -> Vec<bool> {
    let mut inside = vec![false; graph.nodes().len()];
    let mut todo: Vec<usize> = roots.iter().map(|signal| signal.node()).collect();
    while let Some(node) = todo.pop() {
        let known = without.get(node).copied().unwrap_or(false);
        if let (false, false, Node::And(a, b)) = (known, inside[node], graph.nodes()[node]) {
            inside[node] = true;
            todo.extend([a.node(), b.node()]);
        }
    }
    inside
}

fn kind_of(graph: &Graph, node: usize) -> Option<(Kind, usize, usize)> {
    let Node::And(a, b) = graph.nodes()[node] else { return None };
    Some(match (a.is_complemented(), b.is_complemented()) {
        (false, false) => (Kind::And, a.node(), b.node()),
        (false, true) => (Kind::AndNot, a.node(), b.node()),
        (true, false) => (Kind::AndNot, b.node(), a.node()),
        (true, true) => (Kind::Nor, a.node(), b.node()),
    })
}

/// The gates of a cone, operands first, in long runs of one kind: among the gates that are ready, those
/// of the present kind are taken as long as there are any.
fn runs(graph: &Graph, cone: &[bool]) -> Vec<(Kind, usize)> {
    const KINDS: [Kind; 3] = [Kind::And, Kind::AndNot, Kind::Nor];
    let mut missing: FxHashMap<usize, usize> = FxHashMap::default();
    let mut users: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    let mut ready: [Vec<usize>; 3] = Default::default();
    let kind_number = |node: usize| kind_of(graph, node).map_or(0, |(kind, _, _)| kind as usize);
    for node in (0..cone.len()).filter(|node| cone[*node]) {
        let inner: Vec<usize> = operands(graph, node).into_iter().filter(|n| cone[*n]).collect();
        if inner.is_empty() {
            ready[kind_number(node)].push(node);
        } else {
            missing.insert(node, inner.len());
            for operand in inner {
                users.entry(operand).or_default().push(node);
            }
        }
    }
    let mut order = Vec::new();
    let mut present = 0;
    loop {
        if ready[present].is_empty() {
            match (0..3).filter(|k| !ready[*k].is_empty()).max_by_key(|k| ready[*k].len()) {
                Some(other) => present = other,
                None => return order,
            }
        }
        let Some(node) = ready[present].pop() else { return order };
        order.push((KINDS[present], node));
        for user in users.remove(&node).unwrap_or_default() {
            if let Some(count) = missing.get_mut(&user) {
                *count -= 1;
                if *count == 0 {
                    ready[kind_number(user)].push(user);
                }
            }
        }
    }
}

/// Gives places to gates; a place is used again when its gate is read no more.
#[derive(Clone)]
struct Allocator {
    place_of: FxHashMap<usize, u32>,
    free: Vec<u32>,
    used: u32,
    zero: u32,
}

impl Allocator {
    fn new(circuit: &Circuit) -> Self {
        let mut place_of = FxHashMap::default();
        let mut used = 0;
        for signal in circuit.fluents.iter().chain(circuit.does.iter().flatten()) {
            place_of.insert(signal.node(), used);
            used += 1;
        }
        place_of.insert(Signal::FALSE.node(), used);
        Self { place_of, free: Vec::new(), used: used + 1, zero: used }
    }

    fn read(&self, signal: Signal) -> Read {
        let place = self.place_of.get(&signal.node()).copied().unwrap_or(self.zero);
        Read { place, complement: signal.is_complemented() }
    }

    fn part(&mut self, graph: &Graph, order: &[(Kind, usize)], keep: &[bool]) -> Part {
        let mut last_use: FxHashMap<usize, usize> = FxHashMap::default();
        for (at, (_, node)) in order.iter().enumerate() {
            for operand in operands(graph, *node) {
                last_use.insert(operand, at);
            }
        }
        let own: rustc_hash::FxHashSet<usize> = order.iter().map(|(_, node)| *node).collect();
        let mut part = Part::default();
        for (at, (kind, node)) in order.iter().enumerate() {
            let Some((_, a, b)) = kind_of(graph, *node) else { continue };
            let (pa, pb) = (self.place_of[&a], self.place_of[&b]);
            for operand in [a, b] {
                let finished = last_use.get(&operand) == Some(&at);
                if finished && own.contains(&operand) && !keep[operand] {
                    self.free.extend(self.place_of.get(&operand));
                    last_use.remove(&operand);
                }
            }
            let to = self.free.pop().unwrap_or_else(|| {
                self.used += 1;
                self.used - 1
            });
            self.place_of.insert(*node, to);
            part.ops.push(Op { to, a: pa, b: pb });
            match part.runs.last_mut() {
                Some((last, end)) if last == kind => *end = part.ops.len() as u32,
                _ => part.runs.push((*kind, part.ops.len() as u32)),
            }
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
    let in_state = cone(graph, &state_roots, &[]);
    let size = |cone: &[bool]| cone.iter().filter(|inside| **inside).count();
    let next = size(&cone(graph, &circuit.next, &in_state));
    (size(&in_state), next, size(&cone(graph, &goal_roots, &in_state)))
}
