//! One position at a time on the circuit: the same schedule as the lanes, one machine word per signal.
//!
//! Every gate of a part is evaluated; nothing is kept from one state to the next.

use std::sync::Arc;

use crate::build::Circuit;
use crate::schedule::{Kind, Part, Read, Schedule, schedule};

/// One position.
#[derive(Clone, Debug)]
pub struct Single {
    schedule: Arc<Schedule>,
    memory: Vec<u64>,
    does_starts: Vec<usize>,
    fluents: usize,
}

impl Single {
    /// An empty position.
    pub fn new(circuit: &Circuit) -> Self {
        let schedule = Arc::new(schedule(circuit));
        let fluents = circuit.fluents.len();
        let mut start = fluents;
        let does_starts = circuit
            .does
            .iter()
            .map(|own| {
                start += own.len();
                start - own.len()
            })
            .collect();
        Self { memory: vec![0; schedule.places], schedule, does_starts, fluents }
    }

    /// Makes the position empty.
    pub fn clear(&mut self) {
        self.memory[..self.fluents].fill(0);
    }

    /// Adds a fluent.
    pub fn set(&mut self, fluent: usize) {
        self.memory[fluent] = u64::MAX;
    }

    /// Works out legal moves and the end of the game.
    pub fn look(&mut self) {
        run(&self.schedule.state, &mut self.memory);
    }

    /// Works out the goals, after [`Single::look`].
    pub fn look_at_goals(&mut self) {
        run(&self.schedule.goal, &mut self.memory);
    }

    fn read(&self, read: Read) -> bool {
        (self.memory[read.place as usize] & 1 == 1) != read.complement
    }

    /// Whether a move is legal, after [`Single::look`].
    pub fn is_legal(&self, role: usize, action: usize) -> bool {
        self.read(self.schedule.legal[role][action])
    }

    /// Whether the game is over, after [`Single::look`].
    pub fn is_terminal(&self) -> bool {
        self.read(self.schedule.terminal)
    }

    /// Whether a goal value holds, after [`Single::look_at_goals`] and before [`Single::next`].
    pub fn has_goal(&self, role: usize, value: usize) -> bool {
        self.read(self.schedule.goals[role][value])
    }

    /// Calls `visit` for each fluent of the state after the moves given, one for each role; the position
    /// itself stays. After [`Single::look`]; what was worked out about goals is lost.
    pub fn next(&mut self, moves: &[usize], mut visit: impl FnMut(usize)) {
        for (start, action) in self.does_starts.iter().zip(moves) {
            self.memory[start + action] = u64::MAX;
        }
        run(&self.schedule.next, &mut self.memory);
        for (fluent, read) in self.schedule.fluents.iter().enumerate() {
            if self.read(*read) {
                visit(fluent);
            }
        }
        for (start, action) in self.does_starts.iter().zip(moves) {
            self.memory[start + action] = 0;
        }
    }
}

fn run(part: &Part, memory: &mut [u64]) {
    let mut at = 0;
    for (kind, end) in &part.runs {
        let ops = &part.ops[at..*end as usize];
        at = *end as usize;
        for op in ops {
            let (a, b) = (memory[op.a as usize], memory[op.b as usize]);
            memory[op.to as usize] = match kind {
                Kind::And => a & b,
                Kind::AndNot => a & !b,
                Kind::Nor => !(a | b),
            };
        }
    }
}
