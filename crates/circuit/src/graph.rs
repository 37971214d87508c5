//! Gates: two-input AND gates with complemented edges, each stored once.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

/// A node with a sign: the value of a gate or its complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Signal(pub u32);

impl Signal {
    /// Always false.
    pub const FALSE: Signal = Signal(0);
    /// Always true.
    pub const TRUE: Signal = Signal(1);

    /// The node.
    pub fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether the node's value is complemented.
    pub fn is_complemented(self) -> bool {
        self.0 & 1 == 1
    }
}

impl std::ops::Not for Signal {
    type Output = Signal;

    fn not(self) -> Signal {
        Signal(self.0 ^ 1)
    }
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// The constant false.
    False,
    /// An input, by its number.
    Input(u32),
    /// Both hold.
    And(Signal, Signal),
}

/// How many signals are looked at for one sum before the rest is taken as it is.
const MOST_FACTORING: usize = 4_000_000;

/// Sums that take that many gates and products are factored in a second way, too.
const MANY_GATES: usize = 200;
const MANY_PRODUCTS: usize = 64;

/// With fewer sets in a disjunction, nothing is won by looking at their members.
const MANY_SETS: usize = 6;
/// The most members looked at for each set of a disjunction.
const MOST_MEMBERS: usize = 64;
/// The most members of all sets that are remembered.
const MOST_SET_SIZE: usize = 10_000_000;

/// Inputs by their group, each list sorted.
type Members = Vec<(u32, Vec<Signal>)>;

fn add_members(all: &mut Members, group: u32, members: &[Signal]) {
    match all.iter_mut().find(|(known, _)| *known == group) {
        Some((_, list)) => list.extend_from_slice(members),
        None => all.push((group, members.to_vec())),
    }
}

fn sort(members: &mut Vec<Signal>) {
    members.sort_unstable();
    members.dedup();
}

/// A graph of gates. Nodes come after the nodes they use.
#[derive(Clone, Debug)]
pub struct Graph {
    nodes: Vec<Node>,
    gates: FxHashMap<(Signal, Signal), u32>,
    /// Groups of inputs of which exactly one holds, and the group of each such input.
    groups: Vec<Vec<Signal>>,
    group_of: FxHashMap<Signal, u32>,
    /// Gates that are disjunctions of such inputs, by group; not for those of more than half a group.
    sets: FxHashMap<Signal, Members>,
    set_size: usize,
}

impl Default for Graph {
    fn default() -> Self {
        Self {
            nodes: vec![Node::False],
            gates: FxHashMap::default(),
            groups: Vec::new(),
            group_of: FxHashMap::default(),
            sets: FxHashMap::default(),
            set_size: 0,
        }
    }
}

/// The gates among some nodes that the roots need, without those that are known and what only they need.
pub(crate) fn cone(
    nodes: &[Node],
    roots: &[Signal],
    is_known: impl Fn(usize) -> bool,
) -> Vec<bool> {
    let mut inside = vec![false; nodes.len()];
    let mut todo: Vec<usize> = roots.iter().map(|signal| signal.node()).collect();
    while let Some(node) = todo.pop() {
        if let (false, Node::And(a, b), false) = (inside[node], nodes[node], is_known(node)) {
            inside[node] = true;
            todo.extend([a.node(), b.node()]);
        }
    }
    inside
}

impl Graph {
    /// All nodes.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The number of gates.
    pub fn gate_count(&self) -> usize {
        self.gates.len()
    }

    /// Memory in bytes, closely.
    pub fn bytes(&self) -> usize {
        const ENTRY: usize = size_of::<(Signal, Signal)>() + size_of::<u32>() + 1;
        let groups: usize = self.groups.iter().map(Vec::len).sum();
        self.nodes.len() * size_of::<Node>()
            + self.gates.capacity() * ENTRY * 8 / 7
            + groups * (ENTRY * 2)
            + self.set_size * size_of::<Signal>()
    }

    /// A new input.
    pub fn input(&mut self, number: u32) -> Signal {
        self.nodes.push(Node::Input(number));
        Signal((self.nodes.len() as u32 - 1) << 1)
    }

    /// Says that exactly one of these inputs holds whenever the circuit is evaluated.
    pub fn one_hot(&mut self, inputs: Vec<Signal>) {
        for input in &inputs {
            self.group_of.insert(*input, self.groups.len() as u32);
        }
        self.groups.push(inputs);
    }

    /// Both hold.
    pub fn and(&mut self, a: Signal, b: Signal) -> Signal {
        let (a, b) = (a.min(b), a.max(b));
        if a == Signal::FALSE || a == !b {
            return Signal::FALSE;
        }
        if a == Signal::TRUE || a == b {
            return b;
        }
        // Absorption one level deep: x & (x & y), x & !(x & y), x & !(!x & y).
        for (one, other) in [(a, b), (b, a)] {
            if let Node::And(c, d) = self.nodes[other.node()] {
                let touches = one == c || one == d;
                let opposes = one == !c || one == !d;
                match (other.is_complemented(), touches, opposes) {
                    (false, true, _) => return other,
                    (false, _, true) => return Signal::FALSE,
                    (true, _, true) => return one,
                    (true, true, _) => {
                        let rest = if one == c { d } else { c };
                        return self.and(one, !rest);
                    }
                    _ => {}
                }
            }
        }
        let next = self.nodes.len() as u32;
        let id = *self.gates.entry((a, b)).or_insert(next);
        if id == next {
            self.nodes.push(Node::And(a, b));
        }
        Signal(id << 1)
    }

    /// One of them holds.
    pub fn or(&mut self, a: Signal, b: Signal) -> Signal {
        !self.and(!a, !b)
    }

    /// All hold. The result does not depend on the order given.
    pub fn all(&mut self, signals: &[Signal]) -> Signal {
        let mut left: Vec<Signal> = signals.to_vec();
        left.sort_unstable();
        left.dedup();
        // Pairs of neighbours keep the tree flat and make equal parts meet.
        while left.len() > 1 {
            left = left.chunks(2).map(|pair| self.fold(pair)).collect();
        }
        left.first().copied().unwrap_or(Signal::TRUE)
    }

    fn fold(&mut self, pair: &[Signal]) -> Signal {
        match *pair {
            [a, b] => self.and(a, b),
            [a] => a,
            _ => Signal::TRUE,
        }
    }

    /// One holds. Of inputs of which exactly one holds, the smaller side is used: one of these moves
    /// is made exactly if none of the others is.
    pub fn any(&mut self, signals: &[Signal]) -> Signal {
        let mut own: Members = Vec::new();
        let mut terms: Vec<Signal> = Vec::new();
        let mut sets: Vec<Signal> = Vec::new();
        for signal in signals {
            match self.group_of.get(signal) {
                None if self.sets.contains_key(signal) => sets.push(*signal),
                None => terms.push(*signal),
                Some(group) => add_members(&mut own, *group, &[*signal]),
            }
        }
        for (_, members) in &mut own {
            sort(members);
        }
        if sets.is_empty() && !terms.is_empty() {
            terms.extend(self.any_of_groups(&own));
            return self.disjunction(&terms);
        }
        let mut whole = own.clone();
        for (group, members) in sets.iter().filter_map(|set| self.sets.get(set)).flatten() {
            add_members(&mut whole, *group, members);
        }
        for (_, members) in &mut whole {
            sort(members);
        }
        let start = self.nodes.len();
        let mut parts = self.any_of_groups(&own);
        parts.extend_from_slice(&sets);
        let mut sum = self.disjunction(&parts);
        if sets.len() >= MANY_SETS {
            sum = self.other_side(sum, self.nodes.len() - start, sets.len(), &whole);
        }
        if terms.is_empty() {
            self.remember(sum, whole);
            return sum;
        }
        terms.push(sum);
        self.disjunction(&terms)
    }

    /// A disjunction of sets, from their members instead, if that takes fewer gates than were needed.
    fn other_side(&mut self, sum: Signal, gates: usize, sets: usize, whole: &Members) -> Signal {
        let smaller = |(group, members): &(u32, Vec<Signal>)| {
            members.len().min(self.groups[*group as usize].len() - members.len())
        };
        if whole.iter().map(smaller).sum::<usize>() > sets * MOST_MEMBERS {
            return sum;
        }
        let start = self.nodes.len();
        let parts = self.any_of_groups(whole);
        let other = self.disjunction(&parts);
        if self.nodes.len() - start < gates { other } else { sum }
    }

    /// Keeps which inputs a gate is the disjunction of, unless it takes much memory.
    fn remember(&mut self, sum: Signal, members: Members) {
        let size: usize = members.iter().map(|(_, members)| members.len()).sum();
        let half = |(group, members): &(u32, Vec<Signal>)| {
            members.len() * 2 <= self.groups[*group as usize].len()
        };
        let is_gate = matches!(self.nodes[sum.node()], Node::And(..));
        let kept = is_gate && members.iter().all(half) && self.set_size + size <= MOST_SET_SIZE;
        if kept && let Entry::Vacant(place) = self.sets.entry(sum) {
            place.insert(members);
            self.set_size += size;
        }
    }

    fn any_of_groups(&mut self, members: &Members) -> Vec<Signal> {
        members.iter().map(|(group, members)| self.any_of_group(*group, members)).collect()
    }

    fn disjunction(&mut self, signals: &[Signal]) -> Signal {
        let complements: Vec<Signal> = signals.iter().map(|signal| !*signal).collect();
        !self.all(&complements)
    }

    fn any_of_group(&mut self, group: u32, members: &[Signal]) -> Signal {
        let all = &self.groups[group as usize];
        if members.len() == all.len() {
            return Signal::TRUE;
        }
        if members.len() * 2 <= all.len() {
            return self.segments(members);
        }
        let others: Vec<Signal> =
            all.iter().filter(|other| members.binary_search(other).is_err()).copied().collect();
        !self.segments(&others)
    }

    /// A disjunction along fixed segments of inputs, so that overlapping sets share gates.
    fn segments(&mut self, members: &[Signal]) -> Signal {
        let mut level: Vec<(u32, Signal)> = members.iter().map(|m| (m.0, *m)).collect();
        level.sort_unstable();
        while level.len() > 1 {
            let mut above: Vec<(u32, Signal)> = Vec::with_capacity(level.len());
            for (place, signal) in level {
                match above.last_mut() {
                    Some((last, sum)) if *last == place >> 1 => *sum = self.or(*sum, signal),
                    _ => above.push((place >> 1, signal)),
                }
            }
            level = above;
        }
        level.first().map_or(Signal::FALSE, |(_, signal)| *signal)
    }

    /// A sum of products with common factors taken out. Two ways are tried, and the one that takes fewer
    /// new gates is kept: splitting off the signal that occurs in most products, again and again (quick
    /// factoring), and, for large sums, splitting by the signals in the order given, so that equal rests
    /// meet (as in a decision diagram).
    pub fn sum_of_products(&mut self, products: Vec<Vec<Signal>>) -> Signal {
        let mut ordered: Vec<Vec<Signal>> = Vec::with_capacity(products.len());
        let mut sorted: Vec<Vec<Signal>> = Vec::with_capacity(products.len());
        for mut product in products {
            product.retain(|signal| *signal != Signal::TRUE);
            if product.is_empty() {
                return Signal::TRUE;
            }
            let mut signals = product.clone();
            signals.sort_unstable();
            signals.dedup();
            // A signal and its complement are neighbours.
            let opposed = signals.windows(2).any(|pair| pair[0] == !pair[1]);
            if !opposed && signals[0] != Signal::FALSE {
                sorted.push(signals);
                ordered.push(product);
            }
        }
        sorted.sort_unstable();
        sorted.dedup();
        let start = self.nodes.len();
        let quick = self.factored(sorted);
        let quick_gates = self.nodes.len() - start;
        if quick_gates < MANY_GATES || ordered.len() < MANY_PRODUCTS {
            return quick;
        }
        ordered.sort_unstable();
        ordered.dedup();
        let start = self.nodes.len();
        let split = self.split(&ordered, 0);
        if self.nodes.len() - start < quick_gates { split } else { quick }
    }

    /// Products that agree on all signals before `at`, split by their signals there.
    fn split(&mut self, products: &[Vec<Signal>], at: usize) -> Signal {
        let mut terms: Vec<Signal> = Vec::new();
        let mut left = products;
        while let Some(first) = left.first() {
            let Some(signal) = first.get(at).copied() else { return Signal::TRUE };
            let same = left.partition_point(|product| product.get(at) == Some(&signal));
            let same = same.max(1);
            let (with, rest) = left.split_at(same);
            left = rest;
            let inner = self.split(with, at + 1);
            terms.push(self.and(signal, inner));
        }
        self.any(&terms)
    }

    fn factored(&mut self, products: Vec<Vec<Signal>>) -> Signal {
        let mut terms: Vec<Signal> = Vec::new();
        let mut left = products;
        let mut effort = 0;
        while left.len() > 1 && effort < MOST_FACTORING {
            effort += left.iter().map(Vec::len).sum::<usize>();
            let mut counts: FxHashMap<Signal, usize> = FxHashMap::default();
            for signal in left.iter().flatten() {
                *counts.entry(*signal).or_default() += 1;
            }
            let best = counts.iter().map(|(signal, count)| (*count, !signal.0)).max();
            let Some((count, complement)) = best.filter(|(count, _)| *count > 1) else { break };
            let factor = Signal(!complement);
            let (with, without): (Vec<_>, Vec<_>) =
                left.into_iter().partition(|product| product.contains(&factor));
            left = without;
            debug_assert_eq!(with.len(), count);
            let rest: Vec<Vec<Signal>> = with
                .into_iter()
                .map(|product| product.into_iter().filter(|s| *s != factor).collect())
                .collect();
            let inner =
                if rest.iter().any(Vec::is_empty) { Signal::TRUE } else { self.factored(rest) };
            terms.push(self.and(factor, inner));
        }
        for product in left {
            terms.push(self.all(&product));
        }
        self.any(&terms)
    }

    /// The value of every node for given inputs; the obvious evaluator, for tests.
    pub fn evaluate(&self, inputs: &[bool]) -> Vec<bool> {
        let mut values = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let value =
                |signal: Signal, values: &[bool]| values[signal.node()] != signal.is_complemented();
            values.push(match *node {
                Node::False => false,
                Node::Input(number) => inputs[number as usize],
                Node::And(a, b) => value(a, &values) && value(b, &values),
            });
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All formulas built from three inputs agree with direct evaluation on all inputs.
    #[test]
    fn gates_keep_the_meaning_of_what_they_are_built_from() {
        let mut graph = Graph::default();
        let inputs: Vec<Signal> = (0..3).map(|i| graph.input(i)).collect();
        let mut known: Vec<(Signal, u8)> =
            inputs.iter().zip([0xAA, 0xCC, 0xF0]).map(|(s, table)| (*s, table)).collect();
        let mut seed = 1u64;
        for _ in 0..400 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let pick = |shift: u32| known[(seed >> shift) as usize % known.len()];
            let ((a, x), (b, y)) = (pick(20), pick(35));
            let (a, x) = if seed >> 50 & 1 == 1 { (!a, !x) } else { (a, x) };
            known.push((graph.and(a, b), x & y));
        }
        for row in 0..8u32 {
            let bits: Vec<bool> = (0..3).map(|i| row >> i & 1 == 1).collect();
            let values = graph.evaluate(&bits);
            for (signal, table) in &known {
                let found = values[signal.node()] != signal.is_complemented();
                assert_eq!(found, table >> row & 1 == 1);
            }
        }
        assert!(graph.gate_count() < 256, "equal gates must be stored once");
    }

    #[test]
    fn factoring_keeps_the_sum_of_products() {
        let mut seed = 7u64;
        for _ in 0..300 {
            let mut graph = Graph::default();
            let inputs: Vec<Signal> = (0..4).map(|i| graph.input(i)).collect();
            let mut products = Vec::new();
            for _ in 0..5 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let product: Vec<Signal> = (0..4)
                    .filter(|i| seed >> (20 + i) & 1 == 1)
                    .map(|i| if seed >> (40 + i) & 1 == 1 { !inputs[i] } else { inputs[i] })
                    .collect();
                products.push(product);
            }
            let sum = graph.sum_of_products(products.clone());
            for row in 0..16u32 {
                let bits: Vec<bool> = (0..4).map(|i| row >> i & 1 == 1).collect();
                let values = graph.evaluate(&bits);
                let value = |s: Signal| values[s.node()] != s.is_complemented();
                let expected = products.iter().any(|p| p.iter().all(|s| value(*s)));
                assert_eq!(value(sum), expected);
            }
        }
    }
}
