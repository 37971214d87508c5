//! Formulas as flat code: a network of nodes in an order in which conditions come before what uses them.
//!
//! A network is built once and shared; [`crate::values::Values`] holds the degrees of truth of one state after
//! another, by the plan that is made when the network is finished.

use std::sync::Arc;

use crate::leaf::Watch;
use crate::norm::Parameters;
use crate::plan::Plan;
use crate::power::{Powers, Signal};

/// A condition: a node, or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Edge(u32);

impl Edge {
    pub(crate) fn new(node: u32, negative: bool) -> Self {
        Self(node << 1 | u32::from(negative))
    }

    #[inline]
    pub(crate) fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    #[inline]
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
    Watch(Arc<Watch>),
    /// At least so many children hold; it has no degree.
    Gate(u32),
    /// A conjunction.
    All,
    /// A disjunction.
    Any,
    /// p or 1-p, as the child holds or not (thesis Eq. 5.5).
    Truth,
    /// The best of the values given to its children, among those that hold; the last value if none does.
    Witness(Arc<[Signal]>),
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

/// Lists of different lengths in one.
#[derive(Clone, Debug)]
pub(crate) struct Lists<T> {
    start: Vec<u32>,
    items: Vec<T>,
}

impl<T: Clone> Lists<T> {
    pub(crate) fn new() -> Self {
        Self { start: vec![0], items: Vec::new() }
    }

    /// Groups pairs by their number, keeping the order within a group.
    pub(crate) fn group(count: usize, pairs: &[(u32, T)]) -> Self {
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

    pub(crate) fn push(&mut self, items: &[T]) {
        self.items.extend_from_slice(items);
        self.start.push(self.items.len() as u32);
    }

    #[inline]
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

    #[inline]
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

    /// The network, of which some conditions and the end are asked for in every state.
    pub(crate) fn finish(self, outputs: (&[Edge], Option<Edge>)) -> Network {
        let Self { kinds, children, labels, powers } = self;
        let plan = Plan::new(&kinds, &children, &powers, outputs);
        Network { kinds, children, plan, labels, powers }
    }
}

/// A network that is ready.
#[derive(Debug)]
pub(crate) struct Network {
    kinds: Vec<Kind>,
    children: Lists<Edge>,
    pub(crate) plan: Plan,
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

    #[inline]
    pub(crate) fn powers(&self) -> &Powers {
        &self.powers
    }

    pub(crate) fn node_count(&self) -> usize {
        self.kinds.len()
    }

    /// Whether the node under an edge never changes.
    pub(crate) fn is_constant(&self, edge: Edge) -> bool {
        matches!(self.kinds[edge.node()], Kind::Constant(_))
    }
}
