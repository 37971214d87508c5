//! Nodes near the root, where threads would write to the same lines of the cache all the time.
//!
//! A thread that searches together with others keeps virtual losses and results of much visited nodes to itself for some
//! simulations and then adds them up in one go, so that near the root nothing that others read is written while it goes down.
//! That others learn of a few results later makes no difference to statistics of hundreds. A thread alone has no use for it.

use std::sync::atomic::Ordering::Relaxed;

use rustc_hash::FxHashMap;

use super::graph::Graph;
use super::node::{Node, NodeId, fixed};

/// Nodes with at least that many visits are kept apart.
const VISITS: u32 = 256;

/// What a thread has to add to a move of a node.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Own {
    pub(super) pending: u32,
    pub(super) visits: u32,
    sum: f64,
}

/// What a thread has to add to a node.
#[derive(Debug)]
struct Place {
    node: NodeId,
    waits: bool,
    visits: u32,
    sums: Vec<u64>,
    edges: Vec<Own>,
}

/// A node that is kept apart, by its place.
pub(super) type PlaceId = u32;

/// What a thread keeps to itself.
#[derive(Debug, Default)]
pub(super) struct Hot {
    on: bool,
    known: FxHashMap<NodeId, PlaceId>,
    places: Vec<Place>,
    /// Places that have something to add.
    waiting: Vec<PlaceId>,
}

impl Hot {
    /// Begins a round; nodes may have changed since the last one.
    pub(super) fn begin(&mut self, on: bool) {
        self.on = on;
        self.known.clear();
        self.places.clear();
        self.waiting.clear();
    }

    /// The place of a node, if it is one that is kept apart.
    pub(super) fn place(&mut self, id: NodeId, node: &Node) -> Option<PlaceId> {
        if !self.on || node.visits() < VISITS || node.mover().is_none() {
            return None;
        }
        let places = &mut self.places;
        Some(*self.known.entry(id).or_insert_with(|| {
            places.push(Place {
                node: id,
                waits: false,
                visits: 0,
                sums: vec![0; node.roles.len()],
                edges: vec![Own::default(); node.moves.len()],
            });
            places.len() as PlaceId - 1
        }))
    }

    /// What is to be added to the moves of a node.
    pub(super) fn edges(&self, place: PlaceId) -> &[Own] {
        &self.places[place as usize].edges
    }

    /// A simulation goes by this move, or (`-1`) came back.
    pub(super) fn pend(&mut self, place: PlaceId, at: usize, change: i32) {
        let pending = &mut self.places[place as usize].edges[at].pending;
        *pending = pending.wrapping_add_signed(change);
    }

    /// A visit of a move with its value.
    pub(super) fn visit(&mut self, place: PlaceId, at: usize, value: f64) {
        let edge = &mut self.places[place as usize].edges[at];
        edge.visits += 1;
        edge.sum += value;
    }

    /// A visit of a node with its values, which are moved into what is proven.
    pub(super) fn count(&mut self, place: PlaceId, node: &Node, values: &mut [f64]) {
        let own = &mut self.places[place as usize];
        if !own.waits {
            own.waits = true;
            self.waiting.push(place);
        }
        own.visits += 1;
        for ((stat, value), sum) in node.roles.iter().zip(values).zip(&mut own.sums) {
            *value = stat.bounds.get().clamp(*value);
            *sum += fixed(*value);
        }
    }

    /// Adds everything to the graph: nodes first, since moves have the means of the nodes they lead to.
    pub(super) fn flush(&mut self, graph: &Graph) {
        for place in &self.waiting {
            let own = &mut self.places[*place as usize];
            let node = graph.node(own.node);
            node.visit_times(std::mem::take(&mut own.visits));
            for (stat, sum) in node.roles.iter().zip(&mut own.sums) {
                stat.sum.fetch_add(std::mem::take(sum), Relaxed);
            }
        }
        for place in std::mem::take(&mut self.waiting) {
            let own = &mut self.places[place as usize];
            own.waits = false;
            own.add_moves(graph);
        }
    }
}

impl Place {
    fn add_moves(&mut self, graph: &Graph) {
        let node = graph.node(self.node);
        let (Some(role), Some(expansion)) = (node.mover(), node.expansion()) else { return };
        for edge in expansion.edges.iter() {
            let own = &mut self.edges[edge.place()];
            if own.visits == 0 {
                continue;
            }
            let link = edge.child();
            let part = graph.exchanges.to(link.exchange(), role);
            let visits = edge.visits.load(Relaxed) + own.visits;
            if let Some(below) = graph.linked(link).filter(|below| below.visits() >= visits) {
                edge.visits.fetch_add(own.visits, Relaxed);
                edge.set_mean(below.value(part));
            } else {
                edge.visit(own.visits, own.sum);
            }
            *own = Own { pending: own.pending, ..Own::default() };
        }
    }
}

#[cfg(test)]
mod tests {
    use game::{Move, Role, State};

    use super::super::{edges::Edge, node::Bounds};
    use super::*;
    use crate::hash::Key;
    use crate::rewards::Turn;

    fn node(key: u128, moves: u32) -> Node {
        let moves = [(0..moves).map(Move).collect(), vec![Move(0)]];
        let bounds = [Bounds { low: 0, high: 100 }; 2];
        Node::new(Key(key), State::new(), Turn::Of(Role(0)), &moves, bounds.into_iter())
    }

    fn counts(edge: &Edge) -> (u32, u16) {
        (edge.visits.load(Relaxed), edge.pending.load(Relaxed))
    }

    #[test]
    fn nothing_is_written_near_the_root_before_everything_is() {
        let graph = Graph::new();
        let id = graph.insert(node(1, 3), true, 0).expect("room");
        let root = graph.node(id);
        let (expansion, _) = root.expand(&[Bounds { low: 0, high: 100 }; 2], false);
        let mut hot = Hot::default();
        hot.begin(true);
        assert_eq!(hot.place(id, root), None, "it is not visited often yet");
        root.visit_times(VISITS);
        let place = hot.place(id, root).expect("visited often");
        for (at, value) in [(1, 100.0), (2, 0.0), (1, 60.0)] {
            hot.pend(place, at, 1);
            assert_eq!(hot.edges(place)[at].pending, 1);
            hot.pend(place, at, -1);
            hot.visit(place, at, value);
            hot.count(place, root, &mut [value, 100.0 - value]);
        }
        assert_eq!((root.visits(), counts(expansion.edges.tried(1))), (VISITS, (0, 0)));
        hot.flush(&graph);
        assert_eq!((root.visits(), counts(expansion.edges.tried(1))), (VISITS + 3, (2, 0)));
        assert!((expansion.edges.tried(1).mean() - 80.0).abs() < 0.01);
        assert!((root.mean(0) * f64::from(root.visits()) - 160.0).abs() < 1.0);
        hot.flush(&graph);
        assert_eq!(root.visits(), VISITS + 3, "nothing is added twice");
        hot.begin(false);
        assert_eq!(hot.place(id, root), None, "a thread alone keeps nothing apart");
    }
}
