//! One position at a time, where only what changed is propagated.
//!
//! A [`Stepper`] holds one position. Another state is loaded by its difference from the present one, so going down
//! a tree, back up, or somewhere else costs what differs. States are words of bits in the layout given to the
//! [`Plan`], and so are legal moves: the next state and the lists of legal moves are kept up to date as bits and
//! need not be collected.
//!
//! Gates are visited in their order, each at most once per change: a mark is toggled whenever the sign of a
//! gate's counter changes, so a marked gate is one whose value differs from what its readers were told.

use std::sync::Arc;

use crate::deeds::{Deeds, Values};
use crate::net::{Leaf, NONE, Net};
use crate::plan::Plan;

/// Chains of goal gates up to this length are evaluated from the top, by recursion; longer ones from below.
const MOST_RECURSION: u32 = 500;

/// What following an edge costs, in entries of a move's list.
pub(crate) const EDGE: u64 = 2;

/// One position. Answers are about the state loaded last.
#[derive(Clone, Debug)]
pub struct Stepper {
    plan: Arc<Plan>,
    runs: Vec<Run>,
    present: usize,
    /// The next state.
    after: Vec<u64>,
    /// Entries of lists gone through so far.
    listed: u64,
}

/// A network in a position.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    counters: Vec<i32>,
    marks: Vec<u64>,
    out: Vec<u64>,
    loaded: Vec<u64>,
    actions: Vec<u32>,
    /// For each set the guarded gates whose other literals hold, and where each gate is in its list.
    active: Vec<Vec<u32>>,
    places: Vec<u32>,
    /// Whether each set has the present move.
    chosen: Vec<bool>,
    /// What is known of the goal gates: twice the number of the question, plus the value.
    known: Vec<u32>,
    question: u32,
    /// The state as the lists of moves read it, where there are any.
    values: Values,
    listed: bool,
    /// Edges followed so far.
    pub(crate) work: u64,
}

impl Stepper {
    /// A position with no fluents.
    pub fn new(plan: Arc<Plan>) -> Self {
        let nets = plan.nets().iter().enumerate();
        let runs = nets.map(|(at, net)| Run::new(net, plan.deeds(at))).collect();
        let after = vec![0; plan.state_words()];
        Self { plan, runs, present: 0, after, listed: 0 }
    }

    /// Makes a state the present one. False, and the present state stays, if it has a fluent that the circuit
    /// does not know.
    pub fn load(&mut self, state: &[u64]) -> bool {
        if self.is_loaded(state) {
            return true;
        }
        if !self.plan.knows(state) {
            return false;
        }
        self.enter(state);
        true
    }

    fn is_loaded(&self, state: &[u64]) -> bool {
        let loaded = &self.runs[self.present].loaded;
        loaded.get(..state.len()) == Some(state) && loaded[state.len()..].iter().all(|w| *w == 0)
    }

    fn enter(&mut self, state: &[u64]) {
        self.present = self.plan.phase_of(state);
        self.runs[self.present].load(&self.plan.nets()[self.present], state);
    }

    /// Whether the game is over.
    pub fn is_terminal(&self) -> bool {
        self.runs[self.present].out[0] & 1 == 1
    }

    /// The legal moves of a role, as bits.
    pub fn legal(&self, role: usize) -> &[u64] {
        let words = self.plan.nets()[self.present].outputs.legal[role].clone();
        &self.runs[self.present].out[words]
    }

    /// Whether a move of a role is legal, by its bit.
    pub fn is_legal(&self, role: usize, action: u32) -> bool {
        let words = self.legal(role);
        words.get(action as usize / 64).is_some_and(|word| word >> (action % 64) & 1 == 1)
    }

    /// The state after the moves given, one for each role, by their bits. They must be legal. The present
    /// state stays.
    pub fn next(&mut self, actions: impl IntoIterator<Item = u32>) -> &[u64] {
        let net = &self.plan.nets()[self.present];
        let run = &mut self.runs[self.present];
        let Some(deeds) = self.plan.deeds(self.present) else {
            run.choose(net, actions);
            run.settle_next(net);
            self.after.copy_from_slice(&run.out[net.outputs.next.clone()]);
            return &self.after;
        };
        run.settle_next(net);
        self.after.copy_from_slice(&run.out[net.outputs.next.clone()]);
        let index = deeds.index(actions);
        self.listed += deeds.apply(index, &mut run.values, &mut self.after);
        &self.after
    }

    /// Makes the moves given, as [`Stepper::next`] does, and the state after them the present one.
    pub fn advance(&mut self, actions: impl IntoIterator<Item = u32>) {
        self.next(actions);
        let after = std::mem::take(&mut self.after);
        self.enter(&after);
        self.after = after;
    }

    /// The present state.
    pub fn state(&self) -> &[u64] {
        &self.runs[self.present].loaded
    }

    /// Whether a goal value of a role holds.
    pub fn has_goal(&mut self, role: usize, value: usize) -> bool {
        let net = &self.plan.nets()[self.present];
        let run = &mut self.runs[self.present];
        if net.eager {
            run.settle_next(net);
            run.settle(net, net.next_words..net.gate_words);
            let bit = net.outputs.goals[role].start * 64 + value;
            return run.out[bit / 64] >> (bit % 64) & 1 == 1;
        }
        let (leaf, complement) = net.goals[role][value];
        if net.goal_depth > MOST_RECURSION {
            run.goals_from_below(net);
        }
        run.goal(net, leaf) != complement
    }

    /// Edges followed and entries of lists gone through so far, a measure of work that does not depend on the
    /// machine.
    pub fn work(&self) -> u64 {
        self.listed + EDGE * self.runs.iter().map(|run| run.work).sum::<u64>()
    }
}

impl Run {
    pub(crate) fn new(net: &Net, deeds: Option<&Deeds>) -> Self {
        let mut places = vec![0; net.guards.len()];
        for list in &net.active {
            for (place, gate) in list.iter().enumerate() {
                places[*gate as usize] = place as u32;
            }
        }
        let mut chosen = vec![false; net.active.len()];
        for (sets, action) in net.sets.iter().zip(&net.actions) {
            for set in sets.get(*action as usize).into_iter().flatten() {
                chosen[(set - net.first_set) as usize] = true;
            }
        }
        Self {
            counters: net.counters.clone(),
            marks: vec![0; net.gate_words],
            out: net.out.clone(),
            loaded: vec![0; net.outputs.next.len()],
            actions: net.actions.clone(),
            active: net.active.clone(),
            places,
            chosen,
            known: vec![0; net.goal_gates.len()],
            question: 1,
            values: deeds.map(Deeds::values).unwrap_or_default(),
            listed: deeds.is_some_and(Deeds::has_conditions),
            work: 0,
        }
    }

    fn load(&mut self, net: &Net, state: &[u64]) {
        let mut changed = false;
        for word in 0..self.loaded.len() {
            let new = state.get(word).copied().unwrap_or(0);
            let mut difference = self.loaded[word] ^ new;
            if difference == 0 {
                continue;
            }
            changed = true;
            self.loaded[word] = new;
            while difference != 0 {
                let bit = difference.trailing_zeros();
                difference &= difference - 1;
                if self.listed {
                    self.values.set(word * 64 + bit as usize, new >> bit & 1 == 1);
                }
                self.change(net, net.node_of_bit[word * 64 + bit as usize], new >> bit & 1 == 1);
            }
        }
        if changed {
            self.next_question();
            self.settle(net, 0..net.state_words);
        }
    }

    fn next_question(&mut self) {
        self.question += 1;
        if self.question == u32::MAX >> 1 {
            self.known.fill(0);
            self.question = 1;
        }
    }

    /// Tells the readers of a node that its value is another one now.
    #[inline]
    fn change(&mut self, net: &Net, node: u32, rising: bool) {
        let (span, end) = (net.spans[node as usize], net.spans[node as usize + 1]);
        let step = if rising { 1 } else { -1 };
        self.work += u64::from(end.edges - span.edges);
        for gate in &net.edges[span.edges as usize..span.complemented as usize] {
            self.count(*gate, step);
        }
        for gate in &net.edges[span.complemented as usize..end.edges as usize] {
            self.count(*gate, -step);
        }
        for bit in &net.taps[span.taps as usize..end.taps as usize] {
            self.out[*bit as usize / 64] ^= 1 << (bit % 64);
        }
    }

    /// Adds to the counter of a gate, and toggles its mark if the sign changes.
    #[inline]
    fn count(&mut self, gate: u32, step: i32) {
        let counter = &mut self.counters[gate as usize];
        let old = *counter;
        *counter += step;
        let crossed = u64::from((old ^ *counter).cast_unsigned() >> 31);
        self.marks[gate as usize / 64] ^= crossed << (gate % 64);
    }

    /// Propagates the marks of a range of gates.
    fn settle(&mut self, net: &Net, words: std::ops::Range<usize>) {
        for word in words {
            while self.marks[word] != 0 {
                let bit = self.marks[word].trailing_zeros();
                self.marks[word] &= self.marks[word] - 1;
                let gate = word as u32 * 64 + bit;
                self.change(net, gate, self.counters[gate as usize] >= 0);
            }
        }
    }

    /// Propagates the marks of the gates for the next state, where gates may be guarded.
    fn settle_next(&mut self, net: &Net) {
        for word in net.state_words..net.next_words {
            while self.marks[word] != 0 {
                let bit = self.marks[word].trailing_zeros();
                self.marks[word] &= self.marks[word] - 1;
                let gate = word as u32 * 64 + bit;
                let rising = self.counters[gate as usize] >= 0;
                let guard = net.guards[gate as usize];
                if guard != NONE {
                    self.list(gate, guard as usize, rising);
                    if !self.chosen[guard as usize] {
                        continue;
                    }
                }
                self.change(net, gate, rising);
            }
        }
    }

    /// Puts a gate into the list of its guard, or takes it out.
    fn list(&mut self, gate: u32, guard: usize, rising: bool) {
        let list = &mut self.active[guard];
        self.work += 2;
        if rising {
            self.places[gate as usize] = list.len() as u32;
            list.push(gate);
        } else {
            let place = self.places[gate as usize] as usize;
            list.swap_remove(place);
            if let Some(moved) = list.get(place) {
                self.places[*moved as usize] = place as u32;
            }
        }
    }

    /// A set gets or loses the present move: its readers are told, and those of the gates it guards.
    fn choose_set(&mut self, net: &Net, set: u32, rising: bool) {
        self.change(net, set, rising);
        let guard = (set - net.first_set) as usize;
        self.chosen[guard] = rising;
        if !self.active[guard].is_empty() {
            let list = std::mem::take(&mut self.active[guard]);
            for gate in &list {
                self.change(net, *gate, rising);
            }
            self.active[guard] = list;
        }
    }

    /// Sets the move of each role: the sets that only the old one belongs to fall, those of the new one rise.
    fn choose(&mut self, net: &Net, actions: impl IntoIterator<Item = u32>) {
        for (role, new) in actions.into_iter().enumerate() {
            let old = std::mem::replace(&mut self.actions[role], new);
            if old == new {
                continue;
            }
            let (falling, rising) = (&net.sets[role][old as usize], &net.sets[role][new as usize]);
            let (mut at, mut to) = (0, 0);
            loop {
                match (falling.get(at), rising.get(to)) {
                    (None, None) => break,
                    (Some(a), Some(b)) if a == b => (at, to) = (at + 1, to + 1),
                    (Some(a), b) if b.is_none_or(|b| a < b) => {
                        self.choose_set(net, *a, false);
                        at += 1;
                    }
                    (_, Some(b)) => {
                        self.choose_set(net, *b, true);
                        to += 1;
                    }
                    (Some(_), None) => at += 1,
                }
            }
        }
    }

    /// The value of what a goal depends on, worked out once per state.
    fn goal(&mut self, net: &Net, leaf: Leaf) -> bool {
        let gate = match leaf {
            Leaf::Constant(value) => return value,
            Leaf::Gate(gate) => return self.counters[gate as usize] >= 0,
            Leaf::Fluent(bit) => return self.loaded[bit as usize / 64] >> (bit % 64) & 1 == 1,
            Leaf::Goal(gate) => gate as usize,
        };
        if self.known[gate] >> 1 == self.question {
            return self.known[gate] & 1 == 1;
        }
        let (start, end) = (net.goal_gates[gate].start as usize, net.goal_gates[gate].end as usize);
        let mut literals = net.goal_literals[start..end].iter();
        let value = literals.all(|(leaf, complement)| {
            self.work += 1;
            self.goal(net, *leaf) != *complement
        });
        self.known[gate] = self.question << 1 | u32::from(value);
        value
    }

    /// Works out all goal gates in their order, for chains too long for recursion.
    fn goals_from_below(&mut self, net: &Net) {
        for gate in 0..net.goal_gates.len() {
            if self.known[gate] >> 1 != self.question {
                self.goal(net, Leaf::Goal(gate as u32));
            }
        }
    }
}
