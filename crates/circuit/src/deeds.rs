//! What each move does to a state, read off the circuit once.
//!
//! With the move known, most of the next state is what it would be without any: a fluent stays, or falls, or a
//! counter goes on. What is left is a short list for each joint move: fluents that rise, fluents that fall, and
//! fluents with a condition on the state. So the network has to follow the *idle* state only, what comes next if nobody
//! did anything, and a move costs its own list instead of the propagation of all sets that it belongs to. (These are the
//! add and delete effects of STRIPS with conditions, computed by constant propagation from the rules.)
//!
//! Only for situations in which few joint moves are possible: those in which one role has a choice, or all roles together
//! little.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use crate::build::Circuit;
use crate::graph::{Graph, Node, Signal};
use crate::net::Layout;

/// The most joint moves where several roles have a choice.
const MOST_JOINT: usize = 1 << 14;
/// The gates that may be looked at and the entries that may be written for all lists of a game: below a second of work, and some
/// megabytes. Where that is not enough, lists would hardly be less work than propagation.
pub(crate) const ALLOWANCE: usize = 1_000_000;

/// The lists of all joint moves.
#[derive(Clone, Debug)]
pub(crate) struct Deeds {
    /// How far the lists of neighbouring moves of each role are apart; 0 where there is nothing to choose.
    strides: Vec<usize>,
    /// Where the parts of each list start; they end where those of the next one start.
    starts: Vec<Starts>,
    masks: Vec<Mask>,
    ops: Vec<(Place, Place)>,
    writes: Vec<(u32, Place)>,
    /// The bits of a state, and the longest list of operations.
    bits: usize,
    longest: usize,
}

#[derive(Clone, Copy, Debug)]
struct Starts {
    masks: u32,
    ops: u32,
    writes: u32,
}

/// Fluents of a word that have known values next.
#[derive(Clone, Copy, Debug)]
struct Mask {
    word: u32,
    keep: u64,
    set: u64,
}

/// A place in [`Values`].
type Place = u32;

/// The fluents of a state and the results of operations, one byte each, each followed by its complement: so an
/// operand is read without asking what it is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Values(Vec<u8>);

impl Values {
    /// Sets a fluent, by its bit.
    #[inline]
    pub(crate) fn set(&mut self, bit: usize, holds: bool) {
        self.0[2 * bit] = u8::from(holds);
        self.0[2 * bit + 1] = u8::from(!holds);
    }
}

impl Deeds {
    /// The lists of a circuit, and the circuit with the idle state as its next one. None if they would be too long. What
    /// is looked at and written is taken from what is left of the [`ALLOWANCE`].
    pub(crate) fn new(
        circuit: &Circuit,
        layout: &Layout,
        left: &mut usize,
    ) -> Option<(Self, Circuit)> {
        let strides = strides(circuit)?;
        *left = left.checked_sub(circuit.graph.gate_count()).filter(|left| *left > 0)?;
        let mut maker = Maker::new(circuit, layout);
        let mut idle = circuit.clone();
        idle.next = circuit.next.iter().map(|signal| maker.idle(*signal)).collect();
        idle.graph = maker.graph.clone();
        let mut deeds = Self {
            starts: Vec::new(),
            masks: Vec::new(),
            ops: Vec::new(),
            writes: Vec::new(),
            bits: maker.bits,
            longest: 0,
            strides,
        };
        for inputs in joint_moves(circuit, layout, &deeds.strides) {
            let here = deeds.here();
            deeds.starts.push(here);
            if let Some(inputs) = inputs {
                maker.make(&inputs, &mut deeds, left)?;
            }
            deeds.longest = deeds.longest.max(deeds.ops.len() - here.ops as usize);
        }
        deeds.starts.push(deeds.here());
        Some((deeds, idle))
    }

    fn here(&self) -> Starts {
        Starts {
            masks: self.masks.len() as u32,
            ops: self.ops.len() as u32,
            writes: self.writes.len() as u32,
        }
    }

    /// Whether a list asks for fluents.
    pub(crate) fn has_conditions(&self) -> bool {
        !self.writes.is_empty()
    }

    /// The size of all lists.
    pub(crate) fn size(&self) -> usize {
        self.masks.len() + self.ops.len() + self.writes.len()
    }

    /// The list of a joint move, each move by its bit.
    #[inline]
    pub(crate) fn index(&self, actions: impl IntoIterator<Item = u32>) -> usize {
        actions.into_iter().zip(&self.strides).map(|(action, by)| action as usize * by).sum()
    }

    /// The values of the empty state.
    pub(crate) fn values(&self) -> Values {
        let mut values = Values(vec![0; 2 * (self.bits + self.longest)]);
        (0..self.bits).for_each(|bit| values.set(bit, false));
        values
    }

    /// Makes the state after a joint move from the idle one; returns how much work it was.
    pub(crate) fn apply(&self, index: usize, values: &mut Values, after: &mut [u64]) -> u64 {
        let (from, to) = (self.starts[index], self.starts[index + 1]);
        let masks = &self.masks[from.masks as usize..to.masks as usize];
        for mask in masks {
            let word = &mut after[mask.word as usize];
            *word = *word & mask.keep | mask.set;
        }
        let ops = &self.ops[from.ops as usize..to.ops as usize];
        let mut place = 2 * self.bits;
        for (a, b) in ops {
            let value = values.0[*a as usize] & values.0[*b as usize];
            values.0[place] = value;
            values.0[place + 1] = value ^ 1;
            place += 2;
        }
        let writes = &self.writes[from.writes as usize..to.writes as usize];
        for (bit, of) in writes {
            let value = u64::from(values.0[*of as usize]);
            let word = &mut after[*bit as usize / 64];
            *word = *word & !(1 << (bit % 64)) | value << (bit % 64);
        }
        (masks.len() + ops.len() + writes.len()) as u64
    }
}

fn choices(legal: &[Signal]) -> usize {
    legal.iter().filter(|legal| **legal != Signal::FALSE).count()
}

/// How far the lists of neighbouring moves of each role are apart; none if there would be too many lists.
fn strides(circuit: &Circuit) -> Option<Vec<usize>> {
    let choosers = circuit.legal.iter().filter(|legal| choices(legal) > 1).count();
    let mut joint = 1usize;
    let mut strides = Vec::with_capacity(circuit.legal.len());
    for legal in &circuit.legal {
        let chooses = choices(legal) > 1;
        strides.push(if chooses { joint } else { 0 });
        if chooses {
            joint = joint.checked_mul(legal.len())?;
        }
    }
    (choosers <= 1 || joint <= MOST_JOINT).then_some(strides)
}

/// The inputs of each joint move in the order of the lists; none where one of the moves is never legal.
fn joint_moves<'c>(
    circuit: &'c Circuit,
    layout: &'c Layout,
    strides: &[usize],
) -> impl Iterator<Item = Option<Vec<Signal>>> + 'c {
    let choosers: Vec<usize> = (0..strides.len()).filter(|role| strides[*role] > 0).collect();
    // The moves of a role in the order of their bits.
    let in_order = |role: &usize| {
        let mut order: Vec<usize> = (0..circuit.does[*role].len()).collect();
        order.sort_unstable_by_key(|action| layout.moves[*role][*action]);
        order
    };
    let orders: Vec<Vec<usize>> = choosers.iter().map(in_order).collect();
    let joint: usize = orders.iter().map(Vec::len).product();
    (0..joint).map(move |mut index| {
        let mut inputs = Vec::with_capacity(choosers.len());
        for (role, order) in choosers.iter().zip(&orders) {
            let action = order[index % order.len()];
            index /= order.len();
            if circuit.legal[*role][action] == Signal::FALSE {
                return None;
            }
            inputs.push(circuit.does[*role][action]);
        }
        Some(inputs)
    })
}

/// Makes the lists.
struct Maker<'c> {
    circuit: &'c Circuit,
    layout: &'c Layout,
    /// The circuit's gates, and those that appear when moves become constants.
    graph: Graph,
    /// What each gate is if no move is made.
    idle: Vec<Signal>,
    /// The gates that read each gate that depends on moves.
    readers: Vec<Vec<u32>>,
    /// The fluents whose next value is a gate or its complement.
    next_of: Vec<Vec<u32>>,
    /// What a gate is under the present moves, if that differs; with the number of the joint move.
    now: Vec<(u32, Signal)>,
    number: u32,
    /// The bits of a state.
    bits: usize,
}

impl<'c> Maker<'c> {
    fn new(circuit: &'c Circuit, layout: &'c Layout) -> Self {
        let nodes = circuit.graph.nodes();
        let mut next_of = vec![Vec::new(); nodes.len()];
        for (fluent, signal) in circuit.next.iter().enumerate() {
            next_of[signal.node()].push(fluent as u32);
        }
        let mut maker = Self {
            circuit,
            layout,
            graph: circuit.graph.clone(),
            idle: (0..nodes.len() as u32).map(|node| Signal(node << 1)).collect(),
            readers: vec![Vec::new(); nodes.len()],
            next_of,
            now: vec![(0, Signal::FALSE); nodes.len()],
            number: 0,
            bits: layout.fluents.iter().map(|bit| *bit as usize + 1).max().unwrap_or(0),
        };
        let mut depends = vec![false; nodes.len()];
        for input in circuit.does.iter().flatten() {
            depends[input.node()] = true;
            maker.idle[input.node()] = Signal::FALSE;
        }
        let wanted = crate::graph::cone(circuit.graph.nodes(), &circuit.next, |_| false);
        for (at, node) in nodes.iter().enumerate() {
            let Node::And(a, b) = *node else { continue };
            depends[at] = depends[a.node()] || depends[b.node()];
            if !(wanted[at] && depends[at]) {
                continue;
            }
            for operand in [a, b] {
                if depends[operand.node()] {
                    maker.readers[operand.node()].push(at as u32);
                }
            }
            let (a, b) = (maker.idle(a), maker.idle(b));
            maker.idle[at] = maker.graph.and(a, b);
        }
        maker
    }

    fn idle(&self, signal: Signal) -> Signal {
        signed(self.idle[signal.node()], signal)
    }

    fn now(&self, signal: Signal) -> Signal {
        let (number, now) = self.now[signal.node()];
        signed(if number == self.number { now } else { self.idle[signal.node()] }, signal)
    }

    /// Adds the list of the moves with the inputs given; none if it becomes too long.
    fn make(&mut self, inputs: &[Signal], deeds: &mut Deeds, left: &mut usize) -> Option<()> {
        let before = deeds.size();
        self.number += 1;
        let mut waiting = BinaryHeap::new();
        let mut changed: Vec<(u32, Signal)> = Vec::new();
        for input in inputs {
            self.set(input.node(), Signal::TRUE, &mut waiting, &mut changed);
        }
        let mut last = None;
        while let Some(Reverse(node)) = waiting.pop() {
            if last.replace(node) == Some(node) {
                continue;
            }
            *left = left.checked_sub(1)?;
            let Node::And(a, b) = self.circuit.graph.nodes()[node as usize] else { continue };
            let (a, b) = (self.now(a), self.now(b));
            let value = self.graph.and(a, b);
            if value != self.idle[node as usize] {
                self.set(node as usize, value, &mut waiting, &mut changed);
            }
        }
        changed.sort_unstable();
        self.write(&changed, deeds);
        *left = left.checked_sub(deeds.size() - before)?;
        Some(())
    }

    fn set(
        &mut self,
        node: usize,
        value: Signal,
        waiting: &mut BinaryHeap<Reverse<u32>>,
        changed: &mut Vec<(u32, Signal)>,
    ) {
        self.now[node] = (self.number, value);
        waiting.extend(self.readers[node].iter().map(|reader| Reverse(*reader)));
        for fluent in &self.next_of[node] {
            let value = signed(value, self.circuit.next[*fluent as usize]);
            changed.push((self.layout.fluents[*fluent as usize], value));
        }
    }

    /// Writes the list of a joint move: the fluents that differ from the idle state, by their bits.
    fn write(&self, changed: &[(u32, Signal)], deeds: &mut Deeds) {
        let first = deeds.masks.len();
        let start = deeds.ops.len();
        let mut known: FxHashMap<usize, u32> = FxHashMap::default();
        for (bit, signal) in changed {
            if signal.node() != Signal::FALSE.node() {
                let operand = self.condition(*signal, start, &mut known, &mut deeds.ops);
                deeds.writes.push((*bit, operand));
                continue;
            }
            let word = bit / 64;
            if deeds.masks[first..].last().is_none_or(|last| last.word != word) {
                deeds.masks.push(Mask { word, keep: u64::MAX, set: 0 });
            }
            let (place, value) = (1 << (bit % 64), *signal == Signal::TRUE);
            if let Some(mask) = deeds.masks.last_mut() {
                mask.keep &= !place;
                mask.set |= if value { place } else { 0 };
            }
        }
    }

    /// Adds the operations for a condition on the state, operands first.
    fn condition(
        &self,
        signal: Signal,
        start: usize,
        known: &mut FxHashMap<usize, u32>,
        ops: &mut Vec<(Place, Place)>,
    ) -> Place {
        let mut todo = vec![signal.node()];
        while let Some(node) = todo.last().copied() {
            let (Node::And(a, b), false) = (self.graph.nodes()[node], known.contains_key(&node))
            else {
                todo.pop();
                continue;
            };
            match (self.operand(a, known), self.operand(b, known)) {
                (Some(a), Some(b)) => {
                    known.insert(node, (ops.len() - start) as u32);
                    ops.push((a, b));
                    todo.pop();
                }
                (None, _) => todo.push(a.node()),
                (_, None) => todo.push(b.node()),
            }
        }
        // It is an input, or was just added.
        self.operand(signal, known).unwrap_or(0)
    }

    fn operand(&self, signal: Signal, known: &FxHashMap<usize, u32>) -> Option<Place> {
        let place = match self.graph.nodes()[signal.node()] {
            Node::Input(fluent) => *self.layout.fluents.get(fluent as usize)?,
            _ => self.bits as u32 + *known.get(&signal.node())?,
        };
        Some(2 * place + u32::from(signal.is_complemented()))
    }
}

fn signed(image: Signal, signal: Signal) -> Signal {
    if signal.is_complemented() { !image } else { image }
}
