//! Goals of finished playouts, by the hundred.
//!
//! In each step only some positions end, but evaluating the goals costs the same for one position as for
//! all. Where the goals take many gates (counting the discs of a large board), finished positions are
//! therefore put aside, fluent by fluent as far as the goals read them, until there are as many as a plane
//! holds. Where they take few gates, or where many positions end in the same step, that would cost more than it saves.

use crate::build::Circuit;
use crate::graph::{Node, Signal, cone};
use crate::phase;
use crate::plane::{ALL, LANES, NONE, Plane, WORDS};
use crate::schedule::{Part, Read, schedule};

/// Gates per fluent that the goals read, from which putting aside pays.
const GATES_PER_FLUENT: usize = 8;

/// Bits that can be put aside in the time of an operation on a plane, as measured.
const BITS_PER_OPERATION: usize = 2;

/// What all harvests of a circuit share.
#[derive(Clone, Debug)]
pub(crate) struct GoalCode {
    /// The goals of terminal states.
    pub(crate) part: Part,
    pub(crate) places: usize,
    one: usize,
    pub(crate) goals: Vec<Vec<Read>>,
    /// The fluents that the goals read.
    reads: Vec<usize>,
}

impl GoalCode {
    /// The goals of a circuit, if they take so many gates that putting positions aside pays.
    pub(crate) fn new(circuit: &Circuit) -> Option<Self> {
        let roots: Vec<Signal> = circuit.goals.iter().flatten().copied().collect();
        let inside = cone(circuit.graph.nodes(), &roots, |_| false);
        let gates = inside.iter().filter(|inside| **inside).count();
        let mut is_read = vec![false; circuit.graph.nodes().len()];
        for (node, inside) in circuit.graph.nodes().iter().zip(&inside) {
            if let (Node::And(a, b), true) = (node, inside) {
                is_read[a.node()] = true;
                is_read[b.node()] = true;
            }
        }
        for root in &roots {
            is_read[root.node()] = true;
        }
        let fluents = circuit.fluents.iter().enumerate();
        let reads: Vec<usize> =
            fluents.filter(|(_, input)| is_read[input.node()]).map(|(at, _)| at).collect();
        if gates < GATES_PER_FLUENT * reads.len() {
            return None;
        }
        let schedule = schedule(&phase::goals_only(circuit));
        Some(Self {
            part: schedule.goal,
            places: schedule.places,
            one: schedule.zero as usize + 1,
            goals: schedule.goals,
            reads,
        })
    }

    /// Whether it is cheaper to evaluate the goals where so many positions are, in so many operations, than to put
    /// the positions aside.
    pub(crate) fn is_dearer(&self, positions: usize, operations: usize) -> bool {
        let aside = positions * self.reads.len() / BITS_PER_OPERATION;
        let later = positions * self.part.len() / LANES;
        operations < aside + later
    }
}

/// A position that was put aside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aside {
    pub(crate) tag: u32,
    pub(crate) length: u32,
    pub(crate) terminal: bool,
}

/// Positions put aside until their goals are evaluated.
#[derive(Clone, Debug)]
pub(crate) struct Harvest {
    pub(crate) memory: Vec<Plane>,
    pub(crate) asides: Vec<Aside>,
}

impl Harvest {
    pub(crate) fn new(code: &GoalCode) -> Self {
        let mut memory = vec![NONE; code.places];
        memory[code.one] = ALL;
        Self { memory, asides: Vec::with_capacity(LANES) }
    }

    /// How many more positions there is room for.
    pub(crate) fn room(&self) -> usize {
        LANES - self.asides.len()
    }

    /// Puts the positions of some lanes aside; there must be room. Their [`Aside`]s are to be added by the caller.
    ///
    /// Fluent by fluent: the planes of a large game do not fit into the fastest cache, so each is touched once
    /// for all lanes.
    pub(crate) fn take(&mut self, code: &GoalCode, fluents: &[Plane], lanes: &[u16]) {
        let (mut at, mut rest) = (self.asides.len(), lanes);
        while !rest.is_empty() {
            let (word, shift) = (at / 64, at % 64);
            let (now, later) = rest.split_at(rest.len().min(64 - shift));
            let mask = (u64::MAX >> (64 - now.len())) << shift;
            for fluent in &code.reads {
                let plane = &fluents[*fluent];
                let mut bits = 0;
                for lane in now.iter().rev() {
                    bits = bits << 1 | plane[usize::from(lane >> 6) % WORDS] >> (lane & 63) & 1;
                }
                let kept = &mut self.memory[*fluent][word];
                *kept = *kept & !mask | bits << shift;
            }
            (at, rest) = (at + now.len(), later);
        }
    }
}
