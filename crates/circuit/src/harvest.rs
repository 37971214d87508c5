//! Goals of finished playouts, by the hundred.
//!
//! In each step only some positions end, but evaluating the goals costs the same for one position as for
//! all. Where the goals take many gates (counting the discs of a large board), finished positions are
//! therefore put aside, fluent by fluent as far as the goals read them, until there are as many as a plane
//! holds. Where they take few gates, that would cost more than it saves.

use crate::build::Circuit;
use crate::graph::{Node, Signal};
use crate::phase;
use crate::plane::{ALL, LANES, NONE, Plane, get, set};
use crate::schedule::{Part, Read, cone, schedule};

/// Gates per fluent that the goals read, from which putting aside pays.
const GATES_PER_FLUENT: usize = 8;

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
        let inside = cone(&circuit.graph, &roots, &[]);
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

    pub(crate) fn is_full(&self) -> bool {
        self.asides.len() == LANES
    }

    /// Puts the position of a lane aside; there must be room.
    pub(crate) fn take(&mut self, code: &GoalCode, fluents: &[Plane], lane: usize, aside: Aside) {
        let to = self.asides.len();
        for fluent in &code.reads {
            set(&mut self.memory[*fluent], to, get(&fluents[*fluent], lane));
        }
        self.asides.push(aside);
    }
}
