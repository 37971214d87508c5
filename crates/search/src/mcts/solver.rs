//! Proven values: what follows for a node from what is proven about its children.
//!
//! MCTS-solver (Winands, Björnsson and Saito 2008; Rauber-14 "UCT") for any number of roles and all goal
//! values, with bounds as in score bounded MCTS (Cazenave and Saffidine 2010), one pair for each role. A
//! node is settled when a settled child is at least as good for the role that moves as any other child can
//! still be; the role then plays it, so its values for all roles are those of the node. Where several
//! children are equally good for the role that moves, any choice among them is a max^n equilibrium.

use super::exchange::{Exchange, Link};
use super::graph::Graph;
use super::node::{Bounds, Children, Expansion, Node};

/// At most that many joint moves are looked at in a node where several roles have a choice.
const MOST_JOINTS: usize = 256;

/// Draws all conclusions for one node; whether there was anything new. `outer` is what is known about
/// every node.
pub(super) fn update(graph: &Graph, node: &Node, outer: &[Bounds]) -> bool {
    let Some(expansion) = node.expansion() else { return false };
    match (node.mover(), &expansion.children) {
        (Some(role), _) => one_choice(graph, node, expansion, role, outer),
        (None, Some(children)) if node.joint_count() <= MOST_JOINTS => {
            several_choices(graph, node, children, outer)
        }
        _ => false,
    }
}

/// A child with how the roles change places on the way to it.
#[derive(Clone, Copy)]
struct Child<'g> {
    graph: &'g Graph,
    node: &'g Node,
    exchange: Exchange,
}

impl<'g> Child<'g> {
    fn of(graph: &'g Graph, link: Link) -> Option<Self> {
        let node = graph.linked(link)?;
        Some(Self { graph, node, exchange: link.exchange() })
    }

    /// What is proven for a role of the parent.
    fn bounds(&self, role: usize) -> Bounds {
        self.node.roles[self.graph.exchanges.to(self.exchange, role)].bounds.get()
    }
}

fn one_choice(
    graph: &Graph,
    node: &Node,
    expansion: &Expansion,
    role: usize,
    outer: &[Bounds],
) -> bool {
    let edges = &expansion.edges[node.range(role)];
    let mut best = Bounds { low: 0, high: 0 };
    for edge in edges {
        if let Some(child) = Child::of(graph, edge.child()) {
            edge.bounds.tighten(child.bounds(role));
        }
        let bounds = edge.bounds.get();
        best.low = best.low.max(bounds.low);
        best.high = best.high.max(bounds.high);
    }
    let children = || edges.iter().map(|edge| (edge, Child::of(graph, edge.child())));
    let dominant = children().find_map(|(_, child)| {
        child.filter(|c| c.node.is_settled() && c.bounds(role).low >= best.high)
    });
    let mut news = false;
    if let Some(child) = dominant {
        for (role, own) in node.roles.iter().enumerate() {
            news |= own.bounds.tighten(child.bounds(role));
        }
        return news;
    }
    news |= node.roles[role].bounds.tighten(best);
    for other in (0..node.roles.len()).filter(|other| *other != role) {
        // Any child that may turn out best for the role that moves may be the one.
        let mut range = Bounds { low: u8::MAX, high: 0 };
        for (_, child) in children().filter(|(edge, _)| edge.bounds.get().high >= best.low) {
            let bounds = child.map_or(outer[other], |child| child.bounds(other));
            range.low = range.low.min(bounds.low);
            range.high = range.high.max(bounds.high);
        }
        news |= node.roles[other].bounds.tighten(range);
    }
    news
}

/// Where several roles choose at the same time, a role has at least what its best move yields against all
/// answers, and at most the best that can happen at all.
fn several_choices(graph: &Graph, node: &Node, children: &Children, outer: &[Bounds]) -> bool {
    let known: Vec<Option<Child<'_>>> =
        children.all().into_iter().map(|link| Child::of(graph, link)).collect();
    let mut news = false;
    let mut stride = known.len();
    for (role, stat) in node.roles.iter().enumerate() {
        let count = stat.count as usize;
        stride /= count.max(1);
        let mut worst = vec![u8::MAX; count];
        let mut high = 0;
        for (joint, child) in known.iter().enumerate() {
            let bounds = child.map_or(outer[role], |child| child.bounds(role));
            let action = joint / stride % count;
            worst[action] = worst[action].min(bounds.low);
            high = high.max(bounds.high);
        }
        let low = worst.into_iter().max().unwrap_or(0);
        news |= stat.bounds.tighten(Bounds { low, high });
    }
    news
}
