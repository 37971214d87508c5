//! States of random play, with the way to them, as bits for many signals at once.
//!
//! Hypotheses that a state refutes need no solver. The states come from the lanes; of some lanes the moves are
//! kept, so that a state which refutes a property comes with its match.

use circuit::graph::{Node, Signal};
use game::{Batch, Deadline, Gates, JointMove, Role, State};

use super::model::{Input, Model};

/// How much is played.
#[derive(Clone, Copy, Debug)]
pub struct Play {
    /// Steps of all lanes.
    pub steps: usize,
    /// Lanes that are looked at and whose moves are kept.
    pub lanes: usize,
    /// The most states kept.
    pub states: usize,
    /// For the random numbers.
    pub seed: u64,
}

impl Default for Play {
    fn default() -> Self {
        Self { steps: 256, lanes: 64, states: 8192, seed: 1 }
    }
}

/// States as bits, and how they came about.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    /// For each fluent one bit for each state.
    fluents: Vec<Vec<u64>>,
    count: usize,
    /// For each state its lane's match and how many of its moves lead to it.
    origins: Vec<(u32, u32)>,
    /// The moves of matches.
    matches: Vec<Vec<JointMove>>,
}

impl Samples {
    /// No states of a model.
    pub fn new(model: &Model) -> Self {
        Self { fluents: vec![Vec::new(); model.fluents.len()], ..Self::default() }
    }

    /// States of random play.
    pub fn play(gates: &Gates, model: &Model, play: Play, deadline: &Deadline) -> Self {
        let mut samples = Self::new(model);
        let mut batch = gates.batch(play.seed);
        let roles: Vec<Role> = gates.game().role_ids().collect();
        let lanes = play.lanes.min(Batch::LANES);
        let initial = batch.state(0);
        samples.add(gates, &initial, 0, 0);
        let mut current: Vec<u32> = (0..lanes as u32).collect();
        samples.matches = vec![Vec::new(); lanes];
        for _ in 0..play.steps {
            if deadline.passed() || samples.count + lanes > play.states {
                break;
            }
            batch.look();
            let over: Vec<bool> = (0..lanes).map(|lane| batch.is_terminal(lane)).collect();
            batch.play(1);
            for lane in 0..lanes {
                if over[lane] {
                    current[lane] = samples.matches.len() as u32;
                    samples.matches.push(Vec::new());
                }
                let made = roles.iter().map(|role| batch.last_move(lane, *role));
                let Some(joint) = made.collect::<Option<JointMove>>() else { continue };
                if over[lane] {
                    continue;
                }
                let history = &mut samples.matches[current[lane] as usize];
                history.push(joint);
                let length = history.len() as u32;
                samples.add(gates, &batch.state(lane), current[lane], length);
            }
        }
        samples
    }

    fn add(&mut self, gates: &Gates, state: &State, of: u32, moves: u32) {
        let ids = gates.fluents();
        self.push(|fluent| state.contains(ids[fluent]), of, moves);
    }

    fn push(&mut self, holds: impl Fn(usize) -> bool, of: u32, moves: u32) {
        let (word, bit) = (self.count / 64, self.count % 64);
        for (fluent, bits) in self.fluents.iter_mut().enumerate() {
            if bits.len() <= word {
                bits.push(0);
            }
            bits[word] |= u64::from(holds(fluent)) << bit;
        }
        self.count += 1;
        self.origins.push((of, moves));
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// In which states a fluent holds, one bit each.
    pub fn fluent(&self, fluent: usize) -> &[u64] {
        &self.fluents[fluent]
    }

    /// The bits of a word that stand for states.
    pub fn mask(&self, word: usize) -> u64 {
        match self.count.saturating_sub(word * 64) {
            left @ 0..64 => (1 << left) - 1,
            _ => u64::MAX,
        }
    }

    /// How many fluents each state has.
    pub fn fluents(&self) -> usize {
        self.fluents.len()
    }

    /// How many words hold the bits of all states.
    pub fn words(&self) -> usize {
        self.count.div_ceil(64)
    }

    /// The joint moves that lead to a state.
    pub fn way(&self, state: usize) -> &[JointMove] {
        let (of, moves) = self.origins[state];
        self.matches.get(of as usize).map_or(&[], |all| &all[..moves as usize])
    }

    /// For each signal, which must not depend on moves, the first state in which it does not hold.
    pub fn refute(&self, model: &Model, signals: &[Signal]) -> Vec<Option<usize>> {
        let cone = model.cone(signals);
        let mut values = vec![0u64; model.graph.nodes().len()];
        let mut refuted = vec![None; signals.len()];
        for word in 0..self.words() {
            self.evaluate(model, &cone, word, &mut values);
            for (signal, refuted) in signals.iter().zip(&mut refuted) {
                let fails = !read(&values, *signal) & self.mask(word);
                if refuted.is_none() && fails != 0 {
                    *refuted = Some(word * 64 + fails.trailing_zeros() as usize);
                }
            }
        }
        refuted
    }

    /// For each signal, which must not depend on moves, its bits in the first states.
    pub fn values(&self, model: &Model, signals: &[Signal], words: usize) -> Vec<Vec<u64>> {
        let cone = model.cone(signals);
        let mut values = vec![0u64; model.graph.nodes().len()];
        let mut found = vec![Vec::new(); signals.len()];
        for word in 0..self.words().min(words) {
            self.evaluate(model, &cone, word, &mut values);
            for (signal, bits) in signals.iter().zip(&mut found) {
                bits.push(read(&values, *signal) & self.mask(word));
            }
        }
        found
    }

    /// The bits of nodes for one word of states.
    fn evaluate(&self, model: &Model, cone: &[u32], word: usize, values: &mut [u64]) {
        for node in cone {
            values[*node as usize] = match model.graph.nodes()[*node as usize] {
                Node::False => 0,
                Node::Input(number) => match model.input(number) {
                    Input::Fluent(fluent) => self.fluents[fluent as usize][word],
                    Input::Does(..) => 0,
                },
                Node::And(a, b) => read(values, a) & read(values, b),
            };
        }
    }
}

fn read(values: &[u64], signal: Signal) -> u64 {
    let value = values[signal.node()];
    if signal.is_complemented() { !value } else { value }
}
