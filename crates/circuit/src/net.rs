//! The circuit as a network of counters, for propagating only what changed.
//!
//! Every gate is an AND of any number of literals and knows how many of them are false, as a number that is
//! negative exactly as long as the gate is false. A change of a literal adds or takes one; only where the sign
//! changes, the gate itself changed. (Event-driven simulation of propositional networks with counters is
//! common in the field; grouping moves into sets and the layout are our own.)
//!
//! - Trees of gates that nobody else reads become one gate.
//! - Exactly one move of a role is made, so everything that depends on the move of one role alone is a *set* of
//!   moves. Such sets are inputs; each move lists the sets that it belongs to.
//! - A set that many gates read (a step to the left, wherever one stands) would make work in all of them, though
//!   most are false anyway. Such gates are *guarded*: their counters leave the set out, and only the gates whose
//!   other literals hold are in the list of their set.
//! - Gates for legal moves and the end come first, then those for the next state, then those that only goals
//!   need, so that each part is a range. Goals are propagated only when asked for, or else evaluated from the top,
//!   whichever makes less work.

use rustc_hash::FxHashMap;

use crate::build::Circuit;
use crate::graph::{Node, Signal, cone};
use crate::move_set::{Possible, Set};

/// How states and lists of moves are written as bits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The bit of each fluent in the words of a state.
    pub fluents: Vec<u32>,
    /// For each role the bit of each of its moves in the words of its legal moves.
    pub moves: Vec<Vec<u32>>,
}

/// Where the lists of a node start; the last ones end where those of the next node start.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Span {
    /// Gates that read the node.
    pub(crate) edges: u32,
    /// Those of them that read its complement.
    pub(crate) complemented: u32,
    /// Bits of the output that follow the node.
    pub(crate) taps: u32,
}

/// A gate that only goals need: its literals in `literals`.
pub(crate) type GoalGate = std::ops::Range<u32>;

/// What a literal of a goal refers to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Leaf {
    /// A constant.
    Constant(bool),
    /// A gate of the first half.
    Gate(u32),
    /// A fluent, by its bit.
    Fluent(u32),
    /// Another gate of the goals.
    Goal(u32),
}

/// Where the outputs are in the words of the output. Bit 0 of the first word is the end of the game.
#[derive(Clone, Debug)]
pub(crate) struct Outputs {
    /// The words of the legal moves of each role.
    pub(crate) legal: Vec<std::ops::Range<usize>>,
    /// The words of the next state.
    pub(crate) next: std::ops::Range<usize>,
    /// The words of the goals of each role, if they are propagated.
    pub(crate) goals: Vec<std::ops::Range<usize>>,
}

/// A network. Nodes are the gates, then the fluents, then the sets of moves.
#[derive(Clone, Debug)]
pub(crate) struct Net {
    pub(crate) spans: Vec<Span>,
    pub(crate) edges: Vec<u32>,
    pub(crate) taps: Vec<u32>,
    /// Words of the marks of the first part, of the first two, and of all gates.
    pub(crate) state_words: usize,
    pub(crate) next_words: usize,
    pub(crate) gate_words: usize,
    /// The node of each bit of a state.
    pub(crate) node_of_bit: Vec<u32>,
    /// For each role and each bit of its moves the sets it belongs to, in rising order.
    pub(crate) sets: Vec<Vec<Box<[u32]>>>,
    /// The first set, and for each gate the set that guards it, counted from the first one.
    pub(crate) first_set: u32,
    pub(crate) guards: Vec<u32>,
    /// For each set the guarded gates whose other literals hold in the empty state.
    pub(crate) active: Vec<Vec<u32>>,
    /// The counters, outputs and moves of the empty state.
    pub(crate) counters: Vec<i32>,
    pub(crate) out: Vec<u64>,
    pub(crate) actions: Vec<u32>,
    pub(crate) outputs: Outputs,
    /// Whether goals are propagated; else they are evaluated from the top.
    pub(crate) eager: bool,
    pub(crate) goal_gates: Vec<GoalGate>,
    pub(crate) goal_literals: Vec<(Leaf, bool)>,
    pub(crate) goals: Vec<Vec<(Leaf, bool)>>,
    /// The longest chain of goal gates.
    pub(crate) goal_depth: u32,
}

/// The most words of the sets of moves that gates are made into while the network is built; further gates remain gates.
const MOST_SET_WORDS: usize = 4 << 20;
/// Sets that guard gates are read by at least that many of them.
const FEWEST_GUARDED: usize = 6;
/// No guard.
pub(crate) const NONE: u32 = u32::MAX;
/// The most memberships of moves in sets.
const MOST_MEMBERSHIPS: usize = 8 << 20;

impl Net {
    /// The network of a circuit.
    pub(crate) fn new(circuit: &Circuit, layout: &Layout, eager: bool) -> Self {
        let mut builder = Builder::new(circuit, layout, eager, MOST_SET_WORDS);
        if builder.memberships() > MOST_MEMBERSHIPS {
            builder = Builder::new(circuit, layout, eager, 0);
        }
        builder.number();
        builder.finish()
    }

    /// How many edges there are: what an evaluation of everything would cost.
    pub(crate) fn size(&self) -> usize {
        self.edges.len()
    }
}

/// Where the value of a signal comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Constant(bool),
    Node(u32, bool),
}

const UNNUMBERED: u32 = u32::MAX;

struct Builder<'c> {
    circuit: &'c Circuit,
    layout: &'c Layout,
    eager: bool,
    in_state: Vec<bool>,
    in_next: Vec<bool>,
    in_goal: Vec<bool>,
    /// The set of moves for which a gate holds, by its node.
    sets: FxHashMap<usize, Set>,
    possible: Vec<Possible>,
    /// How many gates and outputs read each node, and whether one of them is an output or needs it apart.
    uses: Vec<u32>,
    shared: Vec<bool>,
    goal_uses: Vec<u32>,
    number: Vec<u32>,
    set_number: FxHashMap<Set, u32>,
    /// For each node that is a set: its number, if it is not empty, and whether that is of the complement. With many moves
    /// sets are long, so they are looked up once.
    set_source: FxHashMap<usize, (Option<u32>, bool)>,
    /// Where the parts end.
    parts: [usize; 3],
    gates: usize,
    gate_nodes: Vec<usize>,
}

impl<'c> Builder<'c> {
    fn new(circuit: &'c Circuit, layout: &'c Layout, eager: bool, most_set_words: usize) -> Self {
        let nodes = circuit.graph.nodes().len();
        let state_roots: Vec<Signal> =
            circuit.legal.iter().flatten().copied().chain([circuit.terminal]).collect();
        let goal_roots: Vec<Signal> = circuit.goals.iter().flatten().copied().collect();
        let in_state = cone(circuit.graph.nodes(), &state_roots, |_| false);
        let mut builder = Self {
            circuit,
            layout,
            eager,
            in_goal: cone(circuit.graph.nodes(), &goal_roots, |node| in_state[node]),
            in_next: Vec::new(),
            in_state,
            sets: FxHashMap::default(),
            possible: possible_moves(circuit, layout),
            uses: vec![0; nodes],
            shared: vec![false; nodes],
            goal_uses: vec![0; nodes],
            number: vec![UNNUMBERED; nodes],
            set_number: FxHashMap::default(),
            set_source: FxHashMap::default(),
            parts: [0; 3],
            gates: 0,
            gate_nodes: Vec::new(),
        };
        builder.find_sets(most_set_words);
        let inside = |node: usize| builder.in_state[node] || builder.sets.contains_key(&node);
        builder.in_next = cone(circuit.graph.nodes(), &circuit.next, inside);
        builder.count_uses(&state_roots, &goal_roots);
        builder
    }

    /// Finds the gates that depend on the move of one role alone.
    fn find_sets(&mut self, most_words: usize) {
        for (role, inputs) in self.circuit.does.iter().enumerate() {
            for (input, bit) in inputs.iter().zip(&self.layout.moves[role]) {
                self.sets.insert(input.node(), Set::only(role, *bit, &self.possible[role]));
            }
        }
        let mut words = 0;
        for (at, node) in self.circuit.graph.nodes().iter().enumerate() {
            let Node::And(a, b) = node else { continue };
            let (Some(x), Some(y)) = (self.sets.get(&a.node()), self.sets.get(&b.node())) else {
                continue;
            };
            if x.role != y.role || words > most_words {
                continue;
            }
            let set = x.both(a.is_complemented(), y, b.is_complemented());
            words += set.words();
            self.sets.insert(at, set);
        }
    }

    fn count_uses(&mut self, state_roots: &[Signal], goal_roots: &[Signal]) {
        for (at, node) in self.circuit.graph.nodes().iter().enumerate() {
            let Node::And(a, b) = node else { continue };
            for operand in [a, b] {
                let to = operand.node();
                if self.is_propagated(at) {
                    self.uses[to] += 1;
                    self.shared[to] |= operand.is_complemented();
                }
                if self.in_goal[at] {
                    self.goal_uses[to] += 1 + u32::from(operand.is_complemented());
                    self.shared[to] |= self.in_state[to];
                }
            }
        }
        for root in state_roots.iter().chain(goal_roots).chain(&self.circuit.next) {
            self.shared[root.node()] = true;
        }
        for root in goal_roots {
            self.goal_uses[root.node()] += 2;
        }
    }

    fn is_propagated(&self, node: usize) -> bool {
        self.in_state[node] || self.in_next[node] || (self.eager && self.in_goal[node])
    }

    /// Whether a gate becomes part of the one gate that reads it.
    fn is_absorbed(&self, node: usize) -> bool {
        self.is_propagated(node) && self.uses[node] == 1 && !self.shared[node]
    }

    /// The memberships of moves in sets that this would take.
    fn memberships(&self) -> usize {
        let mut count = 0;
        let mut seen = vec![false; self.in_next.len()];
        let mut look = |signal: Signal| {
            let node = signal.node();
            if let (false, Some(set)) = (seen[node], self.sets.get(&node)) {
                seen[node] = true;
                let possible = &self.possible[set.role];
                let own = set.len(possible);
                count += own.min(possible.len() - own) as usize;
            }
        };
        self.circuit.next.iter().for_each(|signal| look(*signal));
        for (at, node) in self.circuit.graph.nodes().iter().enumerate() {
            if let (true, Node::And(a, b)) = (self.in_next[at], node) {
                look(*a);
                look(*b);
            }
        }
        count
    }

    /// Gives numbers to gates, fluents and sets.
    fn number(&mut self) {
        let mut numbered: u32 = 0;
        for part in 0..self.parts.len() {
            for node in 0..self.number.len() {
                let wanted = match part {
                    0 => self.in_state[node],
                    1 => self.in_next[node],
                    _ => self.eager && self.in_goal[node] && !self.in_next[node],
                };
                if wanted && !self.is_absorbed(node) {
                    self.number[node] = numbered;
                    self.gate_nodes.push(node);
                    numbered += 1;
                }
            }
            numbered = numbered.next_multiple_of(64);
            self.parts[part] = numbered as usize;
        }
        self.gates = numbered as usize;
        let mut numbered = self.gates as u32;
        for fluent in &self.circuit.fluents {
            self.number[fluent.node()] = numbered;
            numbered += 1;
        }
        let readers = (0..self.number.len()).filter(|node| self.in_next[*node]);
        let operands = readers.flat_map(|node| match self.circuit.graph.nodes()[node] {
            Node::And(a, b) => [a, b],
            _ => [Signal::FALSE; 2],
        });
        let read: Vec<Signal> = operands.chain(self.circuit.next.iter().copied()).collect();
        for node in read.iter().map(|signal| signal.node()) {
            let Some(set) = self.sets.get(&node) else { continue };
            if self.set_source.contains_key(&node) {
                continue;
            }
            let (set, flipped) = set.normal(&self.possible[set.role]);
            let next = numbered + self.set_number.len() as u32;
            let number = (!set.is_empty()).then(|| *self.set_number.entry(set).or_insert(next));
            self.set_source.insert(node, (number, flipped));
        }
    }

    fn source(&self, signal: Signal) -> Source {
        let node = signal.node();
        let complement = signal.is_complemented();
        if node == Signal::FALSE.node() {
            return Source::Constant(complement);
        }
        if let Some(set) = self.sets.get(&node) {
            let known = self.set_source.get(&node).copied();
            let (number, flipped) = known.unwrap_or_else(|| {
                let (set, flipped) = set.normal(&self.possible[set.role]);
                (self.set_number.get(&set).copied(), flipped)
            });
            return match number {
                Some(number) => Source::Node(number, complement != flipped),
                None => Source::Constant(complement != flipped),
            };
        }
        Source::Node(self.number[node], complement)
    }

    /// The literals of a gate, those of absorbed gates included.
    fn literals(&self, node: usize, absorbed: &dyn Fn(usize) -> bool) -> Vec<Signal> {
        let mut literals = Vec::new();
        let mut todo = vec![node];
        while let Some(node) = todo.pop() {
            let Node::And(a, b) = self.circuit.graph.nodes()[node] else { continue };
            for operand in [a, b] {
                if !operand.is_complemented() && absorbed(operand.node()) {
                    todo.push(operand.node());
                } else {
                    literals.push(operand);
                }
            }
        }
        literals
    }

    fn finish(self) -> Net {
        let actions: Vec<u32> = self.possible.iter().map(|own| first_bit(&own.words)).collect();
        let sets = self.member_lists();
        let node_count = self.gates + self.circuit.fluents.len() + self.set_number.len();
        let mut values = vec![false; node_count];
        for (lists, action) in sets.iter().zip(&actions) {
            for set in lists.get(*action as usize).into_iter().flatten() {
                values[*set as usize] = true;
            }
        }
        let first_set = (self.gates + self.circuit.fluents.len()) as u32;
        let gates = self.all_literals();
        let guards = self.guards(first_set, &gates);
        let mut active = vec![Vec::new(); self.set_number.len()];
        let mut counters = vec![-1; self.gates];
        let mut edges: Vec<(u32, bool, u32)> = Vec::new();
        for (gate, literals) in gates {
            let guard = guards[gate as usize];
            let mut counter = 0;
            for (source, complement) in literals {
                if guard != NONE && source == first_set + guard && !complement {
                    continue;
                }
                counter -= i32::from(values[source as usize] == complement);
                edges.push((source, complement, gate));
            }
            counters[gate as usize] = counter;
            values[gate as usize] = counter == 0;
            if guard != NONE && counter == 0 {
                active[guard as usize].push(gate);
                values[gate as usize] = values[(first_set + guard) as usize];
            }
        }
        let (outputs, mut out) = self.outputs();
        let taps = self.taps(&outputs, &values, &mut out);
        let (spans, edges, taps) = spans(node_count, edges, taps);
        let mut net = Net {
            spans,
            edges,
            taps,
            state_words: self.parts[0] / 64,
            next_words: self.parts[1] / 64,
            gate_words: self.gates / 64,
            node_of_bit: self.node_of_bit(),
            sets,
            first_set,
            guards,
            active,
            counters,
            out,
            actions,
            outputs,
            eager: self.eager,
            goal_gates: Vec::new(),
            goal_literals: Vec::new(),
            goals: Vec::new(),
            goal_depth: 0,
        };
        if !self.eager {
            self.add_goals(&mut net);
        }
        net
    }

    /// The gates with their literals. A literal that never holds is the gate itself: it is false then, and
    /// nothing changes that.
    fn all_literals(&self) -> Vec<(u32, Vec<(u32, bool)>)> {
        let mut gates = Vec::with_capacity(self.gate_nodes.len());
        for node in &self.gate_nodes {
            let gate = self.number[*node];
            let sources = self.literals(*node, &|node| self.is_absorbed(node));
            let literals = sources.into_iter().filter_map(|literal| match self.source(literal) {
                Source::Constant(true) => None,
                Source::Constant(false) => Some((gate, false)),
                Source::Node(source, complement) => Some((source, complement)),
            });
            gates.push((gate, literals.collect()));
        }
        gates
    }

    /// For each gate the set that guards it: of its sets that many gates read the one with most readers.
    fn guards(&self, first_set: u32, gates: &[(u32, Vec<(u32, bool)>)]) -> Vec<u32> {
        let mut readers = vec![0; self.set_number.len()];
        let sets = |literals: &[(u32, bool)]| -> Vec<u32> {
            let plain = literals.iter().filter(|(source, no)| *source >= first_set && !no);
            plain.map(|(source, _)| source - first_set).collect()
        };
        for (_, literals) in gates.iter().filter(|(_, literals)| literals.len() > 1) {
            for set in sets(literals) {
                readers[set as usize] += 1;
            }
        }
        let mut guards = vec![NONE; self.gates];
        for (gate, literals) in gates.iter().filter(|(_, literals)| literals.len() > 1) {
            let best = sets(literals).into_iter().max_by_key(|set| (readers[*set as usize], *set));
            let best = best.filter(|set| readers[*set as usize] >= FEWEST_GUARDED);
            guards[*gate as usize] = best.unwrap_or(NONE);
        }
        guards
    }

    fn node_of_bit(&self) -> Vec<u32> {
        let most = self.layout.fluents.iter().map(|bit| *bit as usize + 1).max().unwrap_or(0);
        let mut nodes = vec![UNNUMBERED; most.next_multiple_of(64)];
        for (fluent, bit) in self.circuit.fluents.iter().zip(&self.layout.fluents) {
            nodes[*bit as usize] = self.number[fluent.node()];
        }
        nodes
    }

    /// For each move the sets that it belongs to.
    fn member_lists(&self) -> Vec<Vec<Box<[u32]>>> {
        let mut lists: Vec<Vec<Vec<u32>>> =
            self.layout.moves.iter().map(|own| vec![Vec::new(); own.len()]).collect();
        let mut sets: Vec<(&Set, u32)> = self.set_number.iter().map(|(s, n)| (s, *n)).collect();
        sets.sort_unstable_by_key(|(_, number)| *number);
        for (set, number) in sets {
            for bit in set.members() {
                lists[set.role][bit as usize].push(number);
            }
        }
        let boxed = |own: Vec<Vec<u32>>| own.into_iter().map(Vec::into_boxed_slice).collect();
        lists.into_iter().map(boxed).collect()
    }

    fn outputs(&self) -> (Outputs, Vec<u64>) {
        let mut at = 1;
        let mut take = |words: usize| {
            at += words;
            at - words..at
        };
        let legal = self.possible.iter().map(|own| take(own.words.len())).collect();
        let most = self.layout.fluents.iter().map(|bit| *bit as usize + 1).max().unwrap_or(0);
        let next = take(most.div_ceil(64));
        let lists = self.circuit.goals.iter().filter(|_| self.eager);
        let goals = lists.map(|own| take(own.len().div_ceil(64))).collect();
        (Outputs { legal, next, goals }, vec![0; at])
    }

    /// The outputs that follow each node; their values now are put into `out`.
    fn taps(&self, outputs: &Outputs, values: &[bool], out: &mut [u64]) -> Vec<(u32, u32)> {
        let mut wanted: Vec<(Signal, usize)> = vec![(self.circuit.terminal, 0)];
        let legal = self.circuit.legal.iter().zip(&self.layout.moves).zip(&outputs.legal);
        for ((signals, bits), words) in legal {
            let places = bits.iter().map(|bit| words.start * 64 + *bit as usize);
            wanted.extend(signals.iter().copied().zip(places));
        }
        let places = self.layout.fluents.iter().map(|bit| outputs.next.start * 64 + *bit as usize);
        wanted.extend(self.circuit.next.iter().copied().zip(places));
        for (signals, words) in self.circuit.goals.iter().zip(&outputs.goals) {
            wanted.extend(signals.iter().copied().zip(words.start * 64..));
        }
        let mut taps = Vec::new();
        for (signal, place) in wanted {
            let holds = match self.source(signal) {
                Source::Constant(value) => value,
                Source::Node(node, complement) => {
                    taps.push((node, place as u32));
                    values[node as usize] != complement
                }
            };
            out[place / 64] |= u64::from(holds) << (place % 64);
        }
        taps
    }

    fn add_goals(&self, net: &mut Net) {
        let nodes = self.circuit.graph.nodes();
        let absorbed = |node: usize| self.in_goal[node] && self.goal_uses[node] == 1;
        let mut number: Vec<u32> = vec![UNNUMBERED; nodes.len()];
        let mut depth: Vec<u32> = Vec::new();
        let leaf = |signal: Signal, number: &[u32]| {
            let node = signal.node();
            let leaf = match nodes[node] {
                // Goals are asked before moves are made, so moves are no leaves of theirs.
                Node::False => Leaf::Constant(false),
                Node::Input(input) => match self.layout.fluents.get(input as usize) {
                    Some(bit) => Leaf::Fluent(*bit),
                    None => Leaf::Constant(false),
                },
                Node::And(..) if self.in_goal[node] => Leaf::Goal(number[node]),
                Node::And(..) => Leaf::Gate(self.number[node]),
            };
            (leaf, signal.is_complemented())
        };
        for node in (0..nodes.len()).filter(|node| self.in_goal[*node] && !absorbed(*node)) {
            let start = net.goal_literals.len() as u32;
            let mut below = 0;
            for literal in self.literals(node, &absorbed) {
                let literal = leaf(literal, &number);
                if let Leaf::Goal(other) = literal.0 {
                    below = below.max(depth[other as usize]);
                }
                net.goal_literals.push(literal);
            }
            number[node] = net.goal_gates.len() as u32;
            net.goal_gates.push(start..net.goal_literals.len() as u32);
            depth.push(below + 1);
        }
        let own = |own: &Vec<Signal>| own.iter().map(|signal| leaf(*signal, &number)).collect();
        net.goals = self.circuit.goals.iter().map(own).collect();
        net.goal_depth = depth.into_iter().max().unwrap_or(0);
    }
}

/// For each role the moves that are not known to be illegal.
fn possible_moves(circuit: &Circuit, layout: &Layout) -> Vec<Possible> {
    let roles = circuit.legal.iter().zip(&layout.moves);
    let words = |(signals, bits): (&Vec<Signal>, &Vec<u32>)| {
        let mut words = vec![0; bits.len().div_ceil(64)];
        for (signal, bit) in signals.iter().zip(bits) {
            words[*bit as usize / 64] |= u64::from(*signal != Signal::FALSE) << (bit % 64);
        }
        Possible::new(words)
    };
    roles.map(words).collect()
}

fn first_bit(words: &[u64]) -> u32 {
    bits(words).next().unwrap_or(0)
}

/// The bits that are set, in rising order.
pub(crate) fn bits(words: &[u64]) -> impl Iterator<Item = u32> + '_ {
    words.iter().enumerate().flat_map(|(index, word)| {
        let mut rest = *word;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| rest.trailing_zeros())?;
            rest &= rest - 1;
            Some(index as u32 * 64 + bit)
        })
    })
}

/// How many bits are set.
pub fn count_bits(words: &[u64]) -> u32 {
    words.iter().map(|word| word.count_ones()).sum()
}

/// The place of a bit, counted from 0 among those that are set; 0 if there are not as many.
pub fn nth_bit(words: &[u64], nth: u32) -> u32 {
    let mut left = nth;
    for (index, word) in words.iter().enumerate() {
        let here = word.count_ones();
        if left < here {
            let mut rest = *word;
            for _ in 0..left {
                rest &= rest - 1;
            }
            return index as u32 * 64 + rest.trailing_zeros();
        }
        left -= here;
    }
    0
}

/// Edges and taps grouped by the node they start from; plain edges before complemented ones.
fn spans(
    nodes: usize,
    mut edges: Vec<(u32, bool, u32)>,
    mut taps: Vec<(u32, u32)>,
) -> (Vec<Span>, Vec<u32>, Vec<u32>) {
    edges.sort_unstable();
    taps.sort_unstable();
    let mut spans = vec![Span::default(); nodes + 1];
    let (mut edge, mut tap) = (0, 0);
    for (node, span) in spans.iter_mut().enumerate() {
        let starts = |at: usize| edges.get(at).is_some_and(|found| found.0 as usize == node);
        span.edges = edge as u32;
        while starts(edge) && !edges[edge].1 {
            edge += 1;
        }
        span.complemented = edge as u32;
        while starts(edge) {
            edge += 1;
        }
        span.taps = tap as u32;
        while taps.get(tap).is_some_and(|found| found.0 as usize == node) {
            tap += 1;
        }
    }
    let targets = edges.into_iter().map(|(_, _, to)| to).collect();
    (spans, targets, taps.into_iter().map(|(_, bit)| bit).collect())
}
