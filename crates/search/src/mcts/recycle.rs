//! Memory for new nodes: what cannot be reached any more goes first, then what was visited least.
//!
//! Each part leaves the graph sound, so the work can end at any moment when the time is over.

use game::Deadline;

use super::edges::Edge;
use super::exchange::Link;
use super::graph::Graph;
use super::node::{NONE, NodeId};

/// Between two looks at the clock that many nodes are handled.
const PAUSE: usize = 512;

/// Drops nodes until at most `target` bytes are in use; whether there was time for it. The root stays.
pub(super) fn recycle(graph: &mut Graph, root: NodeId, target: usize, deadline: &Deadline) -> bool {
    let Some(keep) = choose(graph, root, target, deadline) else { return false };
    let kept = |id: NodeId| keep.get(id as usize).copied().unwrap_or(false);
    unlink(graph, &keep, deadline)
        && clean_table(graph, &kept, deadline)
        && remove(graph, &keep, deadline)
}

/// Which nodes to keep: those that can be reached, by their number of visits.
fn choose(graph: &Graph, root: NodeId, target: usize, deadline: &Deadline) -> Option<Vec<bool>> {
    let mut reached = vec![false; graph.end() as usize];
    let mut bytes_by_size = [0_usize; 33];
    let size = |id: NodeId| (32 - graph.node(id).visits().leading_zeros()) as usize;
    let mut open = vec![root];
    reached[root as usize] = true;
    let mut handled = 0;
    while let Some(id) = open.pop() {
        handled += 1;
        if handled % PAUSE == 0 && deadline.passed() {
            return None;
        }
        bytes_by_size[size(id)] += graph.node(id).bytes();
        for child in children(graph, id) {
            if !std::mem::replace(&mut reached[child as usize], true) {
                open.push(child);
            }
        }
    }
    let mut left = target;
    let mut least = bytes_by_size.len();
    for (size, bytes) in bytes_by_size.iter().enumerate().rev() {
        let Some(rest) = left.checked_sub(*bytes) else { break };
        (left, least) = (rest, size);
    }
    let worthy = |id: usize| id == root as usize || size(id as NodeId) >= least;
    Some((0..reached.len()).map(|id| reached[id] && worthy(id)).collect())
}

fn children(graph: &Graph, id: NodeId) -> Vec<NodeId> {
    let Some(expansion) = graph.node(id).expansion() else { return Vec::new() };
    let several = expansion.children.as_ref().map(super::node::Children::all).unwrap_or_default();
    let single = expansion.edges.iter().map(Edge::child);
    single.chain(several).map(Link::node).filter(|child| *child != NONE).collect()
}

fn unlink(graph: &Graph, keep: &[bool], deadline: &Deadline) -> bool {
    for (id, _) in keep.iter().enumerate().filter(|(_, kept)| **kept) {
        if id % PAUSE == 0 && deadline.passed() {
            return false;
        }
        let Some(expansion) = graph.node(id as NodeId).expansion() else { continue };
        for edge in expansion.edges.iter() {
            let child = edge.child().node();
            if child != NONE && !keep[child as usize] {
                edge.set_child(Link(NONE));
            }
        }
        if let Some(children) = &expansion.children {
            children.retain(|child| child == NONE || keep[child as usize]);
        }
    }
    true
}

fn clean_table(graph: &mut Graph, kept: &dyn Fn(NodeId) -> bool, deadline: &Deadline) -> bool {
    for (at, size) in graph.segment_sizes().into_iter().enumerate() {
        if deadline.passed() {
            return false;
        }
        graph.rebuild(at, size, kept);
    }
    true
}

fn remove(graph: &mut Graph, keep: &[bool], deadline: &Deadline) -> bool {
    graph.settle_free();
    for (id, _) in keep.iter().enumerate().skip(1).filter(|(_, kept)| !**kept) {
        if id % PAUSE == 0 && deadline.passed() {
            return false;
        }
        graph.remove(id as NodeId);
    }
    true
}
