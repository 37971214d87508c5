//! Formulas as flat code: a network of nodes in an order in which conditions come before what uses them.
//!
//! A network is built once and shared; [`Values`] holds the degrees of truth of one state after another. A new
//! state costs what changed: leaves whose fluents differ, and the nodes above them whose value differs then.
//! Sums of the Yager norm are kept as integers (multiples of 2^-100), so that adding and taking away is exact
//! and a value never depends on the states seen before.

use std::sync::Arc;

use game::FluentId;

use crate::leaf::{ALWAYS, NOTHING, Watch};
use crate::norm::Parameters;
use crate::power::{Powers, Signal};

/// A condition: a node, or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Edge(u32);

impl Edge {
    pub(crate) fn new(node: u32, negative: bool) -> Self {
        Self(node << 1 | u32::from(negative))
    }

    pub(crate) fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub(crate) fn is_negative(self) -> bool {
        self.0 & 1 == 1
    }

    #[must_use]
    pub(crate) fn negated(self, negative: bool) -> Self {
        Self(self.0 ^ u32::from(negative))
    }
}

/// What a node is.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// Always the same.
    Constant(Signal),
    /// A fluent, by its number in the universe: p or 1-p.
    Bit(u32),
    /// A fluent valued by what holds elsewhere.
    Watch(Box<Watch>),
    /// At least so many children hold; it has no degree.
    Gate(u32),
    /// A conjunction.
    All,
    /// A disjunction.
    Any,
    /// p or 1-p, as the child holds or not (thesis Eq. 5.5).
    Truth,
    /// The best of the values given to its children, among those that hold; the last value if none does.
    Witness(Box<[Signal]>),
    /// Relations that depend on each other; the nodes that follow are its members.
    Component(Box<Component>),
    /// A relation of the component before it.
    Member,
}

/// Rules of relations that depend on each other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Component {
    /// The member that each rule derives, the members it needs, and its other conditions as places among the
    /// children of the component.
    pub(crate) rules: Vec<(u32, Vec<u32>, Vec<u32>)>,
    pub(crate) members: u32,
}

#[derive(Clone, Copy, Debug)]
struct Use {
    node: u32,
    /// The place among the children of that node.
    place: u32,
    negative: bool,
}

/// Lists of different lengths in one.
#[derive(Clone, Debug)]
pub(crate) struct Lists<T> {
    start: Vec<u32>,
    items: Vec<T>,
}

impl<T: Clone> Lists<T> {
    fn new() -> Self {
        Self { start: vec![0], items: Vec::new() }
    }

    /// Groups pairs by their number, keeping the order within a group.
    fn group(count: usize, pairs: &[(u32, T)]) -> Self {
        let mut start = vec![0u32; count + 1];
        for (number, _) in pairs {
            start[*number as usize + 1] += 1;
        }
        for at in 0..count {
            start[at + 1] += start[at];
        }
        let mut order: Vec<&(u32, T)> = pairs.iter().collect();
        order.sort_by_key(|(number, _)| *number);
        Self { start, items: order.into_iter().map(|(_, item)| item.clone()).collect() }
    }

    fn push(&mut self, items: &[T]) {
        self.items.extend_from_slice(items);
        self.start.push(self.items.len() as u32);
    }

    pub(crate) fn get(&self, at: usize) -> &[T] {
        match (self.start.get(at), self.start.get(at + 1)) {
            (Some(from), Some(to)) => &self.items[*from as usize..*to as usize],
            _ => &[],
        }
    }
}

/// A network under construction.
pub(crate) struct Builder {
    kinds: Vec<Kind>,
    children: Lists<Edge>,
    labels: Vec<Option<Arc<str>>>,
    powers: Powers,
}

impl Builder {
    pub(crate) fn new(parameters: Parameters) -> Self {
        let powers = Powers::new(parameters);
        Self { kinds: Vec::new(), children: Lists::new(), labels: Vec::new(), powers }
    }

    pub(crate) fn parameters(&self) -> &Parameters {
        self.powers.parameters()
    }

    pub(crate) fn powers(&self) -> &Powers {
        &self.powers
    }

    /// Adds a node.
    pub(crate) fn node(&mut self, kind: Kind, children: &[Edge]) -> Edge {
        let node = self.kinds.len() as u32;
        self.kinds.push(kind);
        self.children.push(children);
        self.labels.push(None);
        Edge::new(node, false)
    }

    /// Names a node for people.
    pub(crate) fn label(&mut self, edge: Edge, text: impl Into<Arc<str>>) {
        self.labels[edge.node()].get_or_insert_with(|| text.into());
    }

    /// A node that never changes.
    pub(crate) fn constant(&mut self, value: f64, holds: bool) -> Edge {
        let signal = self.powers.signal(value, holds);
        self.node(Kind::Constant(signal), &[])
    }

    /// A conjunction; a single condition stands for itself.
    pub(crate) fn all(&mut self, parts: &[Edge]) -> Edge {
        match parts {
            [] => self.constant(self.parameters().p, true),
            [single] => *single,
            _ => self.node(Kind::All, parts),
        }
    }

    /// A disjunction; a single one stands for itself, and nothing for 0 (thesis Eq. 5.4).
    pub(crate) fn any(&mut self, parts: &[Edge]) -> Edge {
        match parts {
            [] => self.constant(0.0, false),
            [single] => *single,
            _ => self.node(Kind::Any, parts),
        }
    }

    /// A conjunction or disjunction that only holds or not.
    pub(crate) fn gate(&mut self, parts: &[Edge], all: bool) -> Edge {
        match parts {
            [single] => *single,
            _ => self.node(Kind::Gate(if all { parts.len() as u32 } else { 1 }), parts),
        }
    }

    pub(crate) fn finish(self) -> Network {
        let Self { kinds, children, labels, powers } = self;
        let mut uses: Vec<(u32, Use)> = Vec::with_capacity(children.items.len());
        let mut triggers: Vec<(u32, (u32, u32))> = Vec::new();
        for (node, kind) in kinds.iter().enumerate() {
            for (place, edge) in children.get(node).iter().enumerate() {
                let negative = edge.is_negative();
                let used = Use { node: node as u32, place: place as u32, negative };
                uses.push((edge.node() as u32, used));
            }
            match kind {
                Kind::Bit(fluent) => triggers.push((*fluent, (node as u32, ALWAYS))),
                Kind::Watch(watch) => {
                    let fluents = watch.fluents().into_iter();
                    triggers.extend(fluents.map(|(fluent, far)| (fluent, (node as u32, far))));
                }
                _ => {}
            }
        }
        let fluents = triggers.iter().map(|(fluent, _)| *fluent as usize + 1).max().unwrap_or(0);
        let uses = Lists::group(kinds.len(), &uses);
        let triggers = Lists::group(fluents, &triggers);
        Network { kinds, children, uses, triggers, fluents, labels, powers }
    }
}

/// A network that is ready.
#[derive(Debug)]
pub(crate) struct Network {
    kinds: Vec<Kind>,
    children: Lists<Edge>,
    uses: Lists<Use>,
    /// For each fluent of the universe the leaves that depend on it, with the distance that it stands for there.
    triggers: Lists<(u32, u32)>,
    fluents: usize,
    labels: Vec<Option<Arc<str>>>,
    powers: Powers,
}

impl Network {
    pub(crate) fn kind(&self, node: usize) -> &Kind {
        &self.kinds[node]
    }

    pub(crate) fn children(&self, node: usize) -> &[Edge] {
        self.children.get(node)
    }

    pub(crate) fn label(&self, node: usize) -> Option<&Arc<str>> {
        self.labels[node].as_ref()
    }

    pub(crate) fn parameters(&self) -> &Parameters {
        self.powers.parameters()
    }

    pub(crate) fn node_count(&self) -> usize {
        self.kinds.len()
    }

    /// Whether the node under an edge never changes.
    pub(crate) fn is_constant(&self, edge: Edge) -> bool {
        matches!(self.kinds[edge.node()], Kind::Constant(_))
    }
}

/// What a node needs to be brought up to date.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    signal: Signal,
    /// Sums over children above 0.5 and over the others, in the terms of a conjunction.
    held_sum: u128,
    missed_sum: u128,
    held: u32,
    /// How many children hold.
    count: u32,
}

/// The degrees of truth of a state.
#[derive(Clone, Debug)]
pub(crate) struct Values {
    network: Arc<Network>,
    powers: Powers,
    words: Vec<u64>,
    cells: Vec<Cell>,
    /// For each node that is a witness the children that hold.
    witnesses: Vec<Vec<u32>>,
    dirty: Vec<u64>,
    /// For each leaf the distance that decides at present.
    deciding: Vec<u32>,
    /// Whether all nodes have values; before, users are not told of changes.
    ready: bool,
}

impl Values {
    /// The values of the empty state.
    pub(crate) fn new(network: &Arc<Network>) -> Self {
        let count = network.kinds.len();
        let mut values = Self {
            powers: network.powers.clone(),
            words: vec![0; network.fluents.div_ceil(64)],
            cells: vec![Cell::default(); count],
            witnesses: vec![Vec::new(); count],
            dirty: vec![0; count.div_ceil(64)],
            deciding: vec![NOTHING; count],
            ready: false,
            network: network.clone(),
        };
        for node in 0..count {
            for (place, edge) in network.children.get(node).iter().enumerate() {
                let signal = values.cells[edge.node()].signal;
                let used =
                    Use { node: node as u32, place: place as u32, negative: edge.is_negative() };
                values.feed(network, used, &signal, true);
            }
            let signal = values.compute(network, node);
            values.cells[node].signal = signal;
        }
        values.ready = true;
        values
    }

    /// Moves on to another state.
    pub(crate) fn update(&mut self, state: &[u64]) {
        let network = self.network.clone();
        let mut changed = false;
        for at in 0..self.words.len() {
            let word = state.get(at).copied().unwrap_or(0);
            let mut difference = self.words[at] ^ word;
            self.words[at] = word;
            while difference != 0 {
                let bit = difference.trailing_zeros();
                let fluent = at * 64 + bit as usize;
                difference &= difference - 1;
                let rising = word >> bit & 1 == 1;
                for (leaf, far) in network.triggers.get(fluent) {
                    // What comes matters if it is nearer than what decided so far, what goes if it decided.
                    let decides = self.deciding[*leaf as usize];
                    if *far == ALWAYS || if rising { *far < decides } else { *far == decides } {
                        changed = true;
                        self.mark(*leaf as usize);
                    }
                }
            }
        }
        if changed {
            self.settle(&network);
        }
    }

    /// The degree of truth of a condition.
    pub(crate) fn value(&self, edge: Edge) -> f64 {
        let value = self.cells[edge.node()].signal.value;
        if edge.is_negative() { 1.0 - value } else { value }
    }

    /// Whether a condition holds.
    pub(crate) fn holds(&self, edge: Edge) -> bool {
        self.cells[edge.node()].signal.holds != edge.is_negative()
    }

    /// A goal with the end: their disjunction if it holds, else the goal without the end (thesis Def. 5.3).
    pub(crate) fn with_end(&mut self, goal: Edge, end: Edge) -> f64 {
        let (holds, goal, end) = (self.holds(goal), self.signal(goal), self.signal(end));
        if holds {
            self.powers.pair(&goal, &end, true)
        } else {
            self.powers.pair(&goal, &end.not(), false)
        }
    }

    fn signal(&self, edge: Edge) -> Signal {
        let signal = self.cells[edge.node()].signal;
        if edge.is_negative() { signal.not() } else { signal }
    }

    pub(crate) fn contains(&self, fluent: FluentId) -> bool {
        let word = self.words.get(fluent.index() / 64).copied().unwrap_or(0);
        word >> (fluent.index() % 64) & 1 == 1
    }

    fn mark(&mut self, node: usize) {
        self.dirty[node / 64] |= 1 << (node % 64);
    }

    fn settle(&mut self, network: &Network) {
        for at in 0..self.dirty.len() {
            while self.dirty[at] != 0 {
                let node = at * 64 + self.dirty[at].trailing_zeros() as usize;
                self.dirty[at] &= self.dirty[at] - 1;
                let signal = self.compute(network, node);
                self.set(network, node, signal);
            }
        }
    }

    /// Gives a node a new signal and tells those that use it.
    fn set(&mut self, network: &Network, node: usize, signal: Signal) {
        let old = self.cells[node].signal;
        if old == signal {
            return;
        }
        self.cells[node].signal = signal;
        if !self.ready {
            return;
        }
        for used in network.uses.get(node) {
            self.feed(network, *used, &old, false);
            self.feed(network, *used, &signal, true);
            self.mark(used.node as usize);
        }
    }

    /// Adds the signal of a child to what its user keeps, or takes it away.
    fn feed(&mut self, network: &Network, used: Use, signal: &Signal, add: bool) {
        let holds = signal.holds != used.negative;
        let node = used.node as usize;
        let dual = match network.kinds[node] {
            Kind::All => false,
            Kind::Any => true,
            Kind::Witness(_) => return self.witness(node, used.place, holds, add),
            _ => {
                let cell = &mut self.cells[node];
                cell.count = cell.count.wrapping_add_signed(step(holds, add));
                return;
            }
        };
        // A disjunction is kept as the conjunction of the negations.
        let negative = used.negative != dual;
        let value = if negative { 1.0 - signal.value } else { signal.value };
        let power = if negative { signal.up } else { signal.down };
        let cell = &mut self.cells[node];
        cell.count = cell.count.wrapping_add_signed(step(holds, add));
        let sum = if value > 0.5 {
            cell.held = cell.held.wrapping_add_signed(step(true, add));
            &mut cell.held_sum
        } else {
            &mut cell.missed_sum
        };
        *sum = if add { *sum + power } else { *sum - power };
    }

    fn witness(&mut self, node: usize, place: u32, holds: bool, add: bool) {
        let list = &mut self.witnesses[node];
        match (holds, add) {
            (true, true) => list.push(place),
            (true, false) => list.retain(|other| *other != place),
            (false, _) => {}
        }
    }

    fn compute(&mut self, network: &Network, node: usize) -> Signal {
        let cell = &self.cells[node];
        match &network.kinds[node] {
            Kind::Constant(signal) => *signal,
            Kind::Bit(fluent) => {
                let holds = self.contains(FluentId(*fluent));
                self.powers.atom(holds)
            }
            Kind::Watch(watch) => {
                self.deciding[node] = watch.deciding(&self.words);
                watch.look(&self.words, &self.powers)
            }
            Kind::Gate(need) => Signal::plain(cell.count >= *need),
            Kind::Truth => self.powers.atom(cell.count > 0),
            Kind::All | Kind::Any => self.combine(network, node),
            Kind::Witness(signals) => self.best(node, signals),
            Kind::Component(component) => {
                self.component(network, node, component);
                Signal::default()
            }
            Kind::Member => cell.signal,
        }
    }

    fn combine(&mut self, network: &Network, node: usize) -> Signal {
        let children = network.children.get(node);
        let any = matches!(network.kinds[node], Kind::Any);
        let cell = &self.cells[node];
        let holds = if any { cell.count > 0 } else { cell.count as usize == children.len() };
        let (held_sum, missed_sum, held) = (cell.held_sum, cell.missed_sum, cell.held);
        if let Some(signal) = self.powers.sum(held_sum, held, missed_sum, any, holds) {
            return signal;
        }
        let values: Vec<f64> = children.iter().map(|edge| self.value(*edge)).collect();
        let parameters = self.powers.parameters();
        let value = if any { parameters.any(&values) } else { parameters.all(&values) };
        self.powers.signal(value, holds)
    }

    fn best(&self, node: usize, signals: &[Signal]) -> Signal {
        let none = signals[signals.len() - 1];
        let held = self.witnesses[node].iter().map(|place| signals[*place as usize]);
        held.reduce(|a, b| if b.value > a.value { b } else { a }).unwrap_or(none)
    }

    /// The least model of a component, given what holds outside of it.
    fn component(&mut self, network: &Network, node: usize, component: &Component) {
        let outside = network.children.get(node);
        let mut holds = vec![false; component.members as usize];
        loop {
            let mut changed = false;
            for (head, members, others) in &component.rules {
                if !holds[*head as usize]
                    && members.iter().all(|member| holds[*member as usize])
                    && others.iter().all(|place| self.holds(outside[*place as usize]))
                {
                    holds[*head as usize] = true;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        for (member, holds) in holds.into_iter().enumerate() {
            let signal = Signal::plain(holds);
            self.set(network, node + 1 + member, signal);
        }
    }
}

fn step(counts: bool, add: bool) -> i32 {
    match (counts, add) {
        (false, _) => 0,
        (true, true) => 1,
        (true, false) => -1,
    }
}
