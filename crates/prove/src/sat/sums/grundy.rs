//! All states of a part with their values: what can be reached from its first state by moves of either role, the options of each,
//! and the values of Sprague and Grundy from the ends backwards.
//!
//! Sixty-four states at a time are put through the gates of the part.

use circuit::graph::{Node, Signal};
use game::Deadline;
use rustc_hash::{FxHashMap, FxHashSet};

use super::turns::Choice;
use crate::sat::model::{Input, Model};

/// A state of a part: its fluents in their order, as bits.
pub(super) type Bits = Box<[u64]>;

/// The bytes that a state takes beside its bits, about, while all are looked at.
const ENTRY: usize = 120;

/// What a state of a part is worth, as the size of a heap of nim that it is as good as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Value {
    /// Where the last mover wins: the least size that no option has (Sprague 1935, Grundy 1939).
    pub normal: u32,
    /// The same where the last mover loses and there are no other parts: an end is worth 1.
    pub misere: u32,
}

impl Value {
    /// Whether heaps of nim have such a pair of values.
    pub fn is_tame(self) -> bool {
        self.normal == self.misere || self.is_fickle()
    }

    /// Whether it is worth something else where the last mover loses: a heap of at most one thing is.
    pub fn is_fickle(self) -> bool {
        matches!((self.normal, self.misere), (0, 1) | (1, 0))
    }
}

/// The states of a part.
pub(super) struct Table {
    /// All states, the first one first.
    pub(super) states: Vec<Bits>,
    pub(super) values: Vec<Value>,
    /// For each state whether there is nothing to do.
    pub(super) dead: Vec<bool>,
}

/// Bits of a state.
pub(super) fn pack(bits: impl IntoIterator<Item = bool>, count: usize) -> Bits {
    let mut words = vec![0u64; count.div_ceil(64).max(1)];
    for (at, bit) in bits.into_iter().enumerate() {
        words[at / 64] |= u64::from(bit) << (at % 64);
    }
    words.into()
}

/// A bit of a state.
pub(super) fn bit(state: &[u64], at: usize) -> bool {
    state[at / 64] >> (at % 64) & 1 == 1
}

/// All states of a part with these fluents and their values. None if the two roles have not the same options in some state, if play
/// can come back to a state, or if time or memory (in bytes) do not suffice.
pub(super) fn table(
    model: &Model,
    fluents: &[u32],
    choices: [&[Choice]; 2],
    memory: usize,
    deadline: &Deadline,
) -> Option<Table> {
    let mut explorer = Explorer::new(model, fluents, memory);
    let mut programs = vec![Program::new(model, fluents, choices[0])];
    // Where the gates are the same, so are the options.
    if choices[0] != choices[1] {
        programs.push(Program::new(model, fluents, choices[1]));
    }
    explorer.explore(&programs, deadline)?;
    let values = explorer.values()?;
    let degree = |at: usize| explorer.begins[at + 1] - explorer.begins[at];
    let dead = (0..explorer.states.len()).map(|at| degree(at) == 0).collect();
    Some(Table { states: explorer.states, values, dead })
}

/// The gates of the choices in a part.
struct Program {
    inputs: usize,
    /// The two signals of each gate. Signals are places, shifted by one, with the lowest bit for a complement; place 0 is false, then come
    /// the fluents, then the gates.
    gates: Vec<(u32, u32)>,
    choices: Vec<Deed>,
}

/// A choice: which bits stay, which are set, and which depend on the state.
struct Deed {
    legal: u32,
    keep: Bits,
    set: Bits,
    depends: Vec<(u32, u32)>,
}

impl Program {
    fn new(model: &Model, fluents: &[u32], choices: &[Choice]) -> Self {
        let signals = |choice: &Choice| {
            let becomes = choice.effects.iter().map(|(_, becomes)| *becomes);
            becomes.chain([choice.legal]).collect::<Vec<Signal>>()
        };
        let roots: Vec<Signal> = choices.iter().flat_map(signals).collect();
        let mut places: FxHashMap<usize, u32> = FxHashMap::default();
        let mut gates = Vec::new();
        let of = |places: &FxHashMap<usize, u32>, signal: Signal| {
            places[&signal.node()] << 1 | u32::from(signal.is_complemented())
        };
        for node in model.cone(&roots) {
            let node = node as usize;
            let place = match model.graph.nodes()[node] {
                Node::False => 0,
                Node::Input(number) => match model.input(number) {
                    // Parts hold all that their choices read.
                    Input::Fluent(fluent) => {
                        fluents.binary_search(&fluent).map_or(0, |at| at as u32 + 1)
                    }
                    Input::Does(..) => 0,
                },
                Node::And(a, b) => {
                    gates.push((of(&places, a), of(&places, b)));
                    (fluents.len() + gates.len()) as u32
                }
            };
            places.insert(node, place);
        }
        places.insert(0, 0);
        let deed = |choice: &Choice| {
            let count = fluents.len();
            let mut keep = pack((0..count).map(|_| true), count);
            let mut set = pack([], count);
            let mut depends = Vec::new();
            for (fluent, becomes) in &choice.effects {
                let Ok(at) = fluents.binary_search(fluent) else { continue };
                keep[at / 64] &= !(1 << (at % 64));
                match *becomes {
                    Signal::FALSE => {}
                    Signal::TRUE => set[at / 64] |= 1 << (at % 64),
                    other => depends.push((at as u32, of(&places, other))),
                }
            }
            Deed { legal: of(&places, choice.legal), keep, set, depends }
        };
        let choices = choices.iter().map(deed).collect();
        Self { inputs: fluents.len(), gates, choices }
    }

    /// The values of all places for up to 64 states, a bit for each.
    fn evaluate(&self, states: &[Bits], values: &mut Vec<u64>) {
        values.clear();
        values.resize(1 + self.inputs, 0);
        for (lane, state) in states.iter().enumerate() {
            for at in 0..self.inputs {
                values[1 + at] |= u64::from(bit(state, at)) << lane;
            }
        }
        for (a, b) in &self.gates {
            let gate = read(values, *a) & read(values, *b);
            values.push(gate);
        }
    }
}

fn read(values: &[u64], signal: u32) -> u64 {
    values[(signal >> 1) as usize] ^ 0u64.wrapping_sub(u64::from(signal & 1))
}

impl Deed {
    /// The state that a choice leads to from one of those evaluated; none if it is not there.
    fn next(&self, state: &[u64], values: &[u64], lane: usize) -> Option<Bits> {
        if read(values, self.legal) >> lane & 1 == 0 {
            return None;
        }
        let words = state.iter().zip(&self.keep).zip(&self.set);
        let mut next: Bits = words.map(|((state, keep), set)| state & keep | set).collect();
        for (at, signal) in &self.depends {
            let at = *at as usize;
            next[at / 64] |= (read(values, *signal) >> lane & 1) << (at % 64);
        }
        Some(next)
    }
}

/// States and their options so far.
struct Explorer {
    states: Vec<Bits>,
    places: FxHashMap<Bits, u32>,
    /// For each state where its options begin, and where those of the last one end.
    begins: Vec<usize>,
    options: Vec<u32>,
    memory: usize,
}

impl Explorer {
    fn new(model: &Model, fluents: &[u32], memory: usize) -> Self {
        let bits = fluents.iter().map(|fluent| model.initial[*fluent as usize]);
        let first = pack(bits, fluents.len());
        let places = FxHashMap::from_iter([(first.clone(), 0)]);
        Self { states: vec![first], places, begins: vec![0], options: Vec::new(), memory }
    }

    fn place(&mut self, state: Bits) -> u32 {
        let next = self.states.len() as u32;
        *self.places.entry(state).or_insert_with_key(|state| {
            self.states.push(state.clone());
            next
        })
    }

    fn bytes(&self) -> usize {
        let state = ENTRY + self.states[0].len() * 16;
        self.states.len() * state + self.options.len() * size_of::<u32>()
    }

    /// Finds all states. None if the two roles have different options.
    fn explore(&mut self, programs: &[Program], deadline: &Deadline) -> Option<()> {
        let mut values = vec![Vec::new(); programs.len()];
        let mut done = 0;
        while done < self.states.len() {
            if deadline.passed() || self.bytes() > self.memory {
                return None;
            }
            let states = self.states[done..self.states.len().min(done + 64)].to_vec();
            for (program, values) in programs.iter().zip(&mut values) {
                program.evaluate(&states, values);
            }
            for (lane, state) in states.iter().enumerate() {
                let mut first: Option<Vec<u32>> = None;
                for (program, values) in programs.iter().zip(&values) {
                    let next = program.choices.iter().filter_map(|c| c.next(state, values, lane));
                    let mut options: Vec<u32> = next.map(|next| self.place(next)).collect();
                    options.sort_unstable();
                    options.dedup();
                    if first.get_or_insert_with(|| options.clone()) != &options {
                        return None;
                    }
                }
                self.options.extend(first.unwrap_or_default());
                self.begins.push(self.options.len());
            }
            done += states.len();
        }
        Some(())
    }

    /// The values of all states, each after its options. None if a state can come back.
    fn values(&self) -> Option<Vec<Value>> {
        let mut values: Vec<Option<Value>> = vec![None; self.states.len()];
        let mut open = vec![false; self.states.len()];
        let mut path = vec![(0, 0)];
        let mut found = FxHashSet::default();
        open[0] = true;
        while let Some((state, at)) = path.last_mut() {
            let options = &self.options[self.begins[*state]..self.begins[*state + 1]];
            if let Some(option) = options.get(*at).map(|option| *option as usize) {
                *at += 1;
                if values[option].is_none() {
                    if std::mem::replace(&mut open[option], true) {
                        return None;
                    }
                    path.push((option, 0));
                }
                continue;
            }
            let known = || options.iter().filter_map(|option| values[*option as usize]);
            let normal = least_absent(known().map(|value| value.normal), &mut found);
            let misere = match options {
                [] => 1,
                _ => least_absent(known().map(|value| value.misere), &mut found),
            };
            values[*state] = Some(Value { normal, misere });
            path.pop();
        }
        values.into_iter().collect()
    }
}

/// The least number that is not there.
fn least_absent(numbers: impl Iterator<Item = u32>, found: &mut FxHashSet<u32>) -> u32 {
    found.clear();
    found.extend(numbers);
    let most = found.len() as u32;
    (0..most).find(|number| !found.contains(number)).unwrap_or(most)
}
