//! Values of nodes that follow their favourite moves.
//!
//! The mean of all simulations through a node counts those with which the search found out that a move is bad, and those from before it found
//! a better one, as long as the node is there. What a node is worth to whoever moves well is what its best move is worth, but the highest of many
//! uncertain values is too high. Coulom (2006, "Efficient Selectivity and Backup Operators in Monte-Carlo Tree Search") therefore takes the move that was
//! tried most often, the favourite, and mixes its value with the mean. So does this, down the whole line of favourites: the value of a favourite's
//! node is such a mixture as well. It takes one look at one child for each node on the way.
//!
//! With more than two roles, or rewards of no constant sum, moves that are equally good for whoever moves need not be so for others; which of them is the favourite is
//! chance then, and what others have to expect is the mean of them all. So values of the others follow it only as far as it is chosen: where it got all visits
//! they do, where several moves share them they hardly do.

use std::sync::atomic::Ordering::Relaxed;

use super::graph::Graph;
use super::haste;
use super::node::{Bounds, Expansion, Node};
use super::options::Options;

/// A favourite of so many visits has half of the say that it has in the end. With 16 values follow what a few dozen playouts say, which wins matches at
/// few nodes against the same search without and loses most of them in large boards of connect four (docs/strength.md).
const HALF: f64 = 128.0;

/// Notes that a move was tried: it may be the favourite now.
pub(super) fn note(expansion: &Expansion, at: usize) {
    let favourite = expansion.favourite.load(Relaxed) as usize;
    let visits = |at: usize| expansion.edges.visits(at);
    if at != favourite && visits(at) >= visits(favourite) {
        expansion.favourite.store(at as u32, Relaxed);
    }
}

/// Draws the values of a node towards those of its favourite move, which has so much of the say in the end, and less for roles that do not choose
/// where it is not chosen often.
pub(super) fn follow(
    options: &Options,
    (graph, outer): (&Graph, &[Bounds]),
    node: &Node,
    expansion: &Expansion,
) {
    let favourite = expansion.favourite.load(Relaxed) as usize;
    let Some(edge) = expansion.edges.get(favourite) else { return };
    let Some(child) = graph.linked(edge.child()) else { return };
    let visits = f64::from(edge.visits.load(Relaxed));
    let share = options.favour * visits / (visits + HALF);
    let chosen = (visits / f64::from(node.visits().max(1))).min(1.0);
    for (role, stat) in node.roles.iter().enumerate() {
        let decides = graph.sum.is_some() || node.mover() == Some(role);
        let share = if decides { share } else { share * chosen };
        let part = graph.exchanges.to(edge.child().exchange(), role);
        let mean = node.mean(role);
        let value = haste::one_earlier(options, (graph, outer), role, child.value(part));
        stat.value.set(mean + share * (value - mean));
    }
}

#[cfg(test)]
mod tests {
    use game::{Move, Role, State};

    use super::super::exchange::{Exchange, Link};
    use super::super::node::fixed;
    use super::*;
    use crate::hash::Key;
    use crate::rewards::Turn;

    const OPEN: [Bounds; 2] = [Bounds { low: 0, high: 100 }; 2];

    /// A node of two moves that was visited so often, with the mean value of the first role.
    fn insert(graph: &Graph, key: u128, visits: u32, mean: f64) -> u32 {
        let moves = [vec![Move(0), Move(1)], vec![Move(0)]];
        let node = Node::new(Key(key), State::new(), Turn::Of(Role(0)), &moves, OPEN.into_iter());
        node.visit_times(visits);
        for (stat, mean) in node.roles.iter().zip([mean, 100.0 - mean]) {
            stat.sum.fetch_add(fixed(mean) * u64::from(visits), Relaxed);
        }
        graph.insert(node, true, 0).expect("room")
    }

    /// The one move was tried first and is bad, the other one is good: the mean does not forget the first.
    #[test]
    fn a_node_is_worth_what_its_favourite_is_worth_and_not_what_was_tried_before() {
        let options = Options { favour: 0.8, ..Options::default() };
        let mut graph = Graph::new();
        graph.sum = Some(100);
        let (bad, good) = (insert(&graph, 1, 480, 10.0), insert(&graph, 2, 1152, 90.0));
        let id = insert(&graph, 3, 1632, 66.5);
        let root = graph.node(id);
        let (expansion, _) = root.expand(&OPEN, false);
        let link = |at: usize, id, visits, value: f64| {
            let edge = expansion.edges.tried(at);
            edge.set_child(Link::new(id, Exchange::NONE));
            edge.visit(visits, value * f64::from(visits));
            note(expansion, at);
        };
        link(0, bad, 480, 10.0);
        follow(&options, (&graph, &OPEN), root, expansion);
        assert!(root.value(0) < 35.0, "the only one so far");
        link(1, good, 1152, 90.0);
        assert!((root.mean(0) - 66.5).abs() < 0.1);
        follow(&options, (&graph, &OPEN), root, expansion);
        // 1152 visits of 1152 + 128, of which 0.8 count: 0.72.
        assert!((root.value(0) - (66.5 + 0.72 * 23.5)).abs() < 0.1, "{}", root.value(0));
        assert!((root.value(0) + root.value(1) - 100.0).abs() < 0.1);
        graph.sum = None;
        let root = graph.node(id);
        let expansion = root.expansion().expect("expanded");
        follow(&options, (&graph, &OPEN), root, expansion);
        assert!((root.value(0) - (66.5 + 0.72 * 23.5)).abs() < 0.1, "whose choice it is");
        // The favourite has 1152 of 1632 visits.
        let part = 0.72 * 1152.0 / 1632.0;
        assert!((root.value(1) - (33.5 - part * 23.5)).abs() < 0.1, "{}", root.value(1));
        root.roles[0].bounds.tighten(Bounds { low: 0, high: 50 });
        assert!((root.value(0) - 50.0).abs() < 1e-6, "never outside of what is proven");
    }
}
