//! Proven values: what follows for a node from what is proven about its children.
//!
//! MCTS-solver (Winands, Björnsson and Saito 2008; Rauber-14 "UCT") for any number of roles and all goal
//! values, with bounds as in score bounded MCTS (Cazenave and Saffidine 2010), one pair for each role. A
//! node is settled when a settled child is at least as good for the role that moves as any other child can
//! still be; the role then plays it, so its values for all roles are those of the node. Where several
//! children are equally good for the role that moves, any choice among them is a max^n equilibrium, but which one is made decides what others
//! get, and nobody knows it ("kingmaking"): then the others' values stay open between the least and the most of these children, and the
//! means say what is to be expected. Only where the role gets all there is one equilibrium stands for all: as a rule
//! there are several ways to win, and it makes no difference to others which one is taken.

use super::exchange::{Exchange, Link};
use super::graph::Graph;
use super::node::{Bounds, Expansion, Node};
use crate::matrix;

/// At most that many joint moves are looked at in a node where several roles have a choice.
const MOST_JOINTS: usize = 256;
/// And at most that many where mixed strategies are looked for.
const MOST_MIXED: usize = 64;

/// Draws all conclusions for one node; whether there was anything new. `outer` is what is known about
/// every node.
pub(super) fn update(graph: &Graph, node: &Node, outer: &[Bounds]) -> bool {
    let Some(expansion) = node.expansion() else { return false };
    match (node.mover(), &expansion.children) {
        (Some(role), _) => one_choice(graph, node, expansion, role, outer),
        (None, Some(_)) if node.joint_count() <= MOST_JOINTS => {
            several_choices(graph, node, expansion, outer)
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
    let edges = || expansion.edges.within(node.range(role));
    // Moves without an edge may lead anywhere; so may those whose edges another thread is about to make, which are not among these yet.
    let all = edges().count() == node.roles[role].count as usize;
    let unknown = (!all).then(|| expansion.edges.unknown());
    let mut best = unknown.unwrap_or(Bounds { low: 0, high: 0 });
    for edge in edges() {
        if let Some(child) = Child::of(graph, edge.child()) {
            edge.bounds.tighten(child.bounds(role));
        }
        let bounds = edge.bounds.get();
        best.low = best.low.max(bounds.low);
        best.high = best.high.max(bounds.high);
    }
    let children = || edges().map(|edge| (edge, Child::of(graph, edge.child())));
    // With a constant sum what is equal for one role is so for the other.
    let stands_for_all = graph.sum.is_some() || best.high >= outer[role].high;
    let is_best = |c: &Child<'_>| c.node.is_settled() && c.bounds(role).low >= best.high;
    let dominant =
        stands_for_all.then(|| children().find_map(|(_, child)| child.filter(is_best))).flatten();
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
        let may_be = unknown.filter(|unknown| unknown.high >= best.low);
        let mut range = may_be.map_or(Bounds { low: u8::MAX, high: 0 }, |_| outer[other]);
        for (_, child) in children().filter(|(edge, _)| edge.bounds.get().high >= best.low) {
            let bounds = child.map_or(outer[other], |child| child.bounds(other));
            range.low = range.low.min(bounds.low);
            range.high = range.high.max(bounds.high);
        }
        news |= node.roles[other].bounds.tighten(range);
    }
    news
}

/// Where several roles choose at the same time, a move yields at least what it does against the worst answer and at most what it does
/// against the best, and a role has at least what its best move yields so. Where two roles share a constant sum, what one of them has
/// for sure the other does not get, and neither has to play one move: mixed strategies guarantee the value of the
/// matrix of what is proven (von Neumann 1928), which is rounded outwards.
fn several_choices(graph: &Graph, node: &Node, expansion: &Expansion, outer: &[Bounds]) -> bool {
    let Some(children) = &expansion.children else { return false };
    let known: Vec<Option<Child<'_>>> =
        children.all().into_iter().map(|link| Child::of(graph, link)).collect();
    let bounds = |joint: usize, role: usize| {
        known[joint].as_ref().map_or(outer[role], |child| child.bounds(role))
    };
    let mut news = false;
    let mut stride = known.len();
    let mut sure = Vec::with_capacity(node.roles.len());
    for (role, stat) in node.roles.iter().enumerate() {
        let count = stat.count as usize;
        stride /= count.max(1);
        let mut moves = vec![Bounds { low: u8::MAX, high: 0 }; count];
        for joint in 0..known.len() {
            let found = bounds(joint, role);
            let own = &mut moves[joint / stride % count];
            (own.low, own.high) = (own.low.min(found.low), own.high.max(found.high));
        }
        let low = moves.iter().map(|own| own.low).max().unwrap_or(0);
        let high = moves.iter().map(|own| own.high).max().unwrap_or(100);
        for (edge, own) in expansion.edges.whole(node.range(role), 0).zip(moves) {
            edge.bounds.tighten(own);
        }
        sure.push(low);
        news |= stat.bounds.tighten(Bounds { low, high });
    }
    if let (Some(sum), [first, second]) = (graph.sum, &*node.roles) {
        if known.len() <= MOST_MIXED {
            let width = second.count as usize;
            let value = |part: fn(Bounds) -> u8| {
                let cells: Vec<f64> =
                    (0..known.len()).map(|joint| f64::from(part(bounds(joint, 0)))).collect();
                matrix::solve(&cells, width)
            };
            let (low, high) = (value(|b| b.low).low, value(|b| b.high).high);
            let mut mixed = Bounds { low: rounded(low, false), high: rounded(high, true) };
            // What no single move guarantees settles nothing: there would be none to play.
            mixed.low -= u8::from(sure[0] < mixed.low);
            mixed.high += u8::from(sure[1] < sum.saturating_sub(mixed.high));
            news |= first.bounds.tighten(mixed);
        }
        for (own, other) in [(first, second), (second, first)] {
            let theirs = other.bounds.get();
            let (low, high) = (sum.saturating_sub(theirs.high), sum.saturating_sub(theirs.low));
            news |= own.bounds.tighten(Bounds { low, high });
        }
    }
    news
}

/// A value as a whole number that is no more, or no less.
#[expect(clippy::cast_sign_loss, reason = "values are from 0 to 100")]
fn rounded(value: f64, up: bool) -> u8 {
    // What the solver of the matrix is wrong by.
    const ERROR: f64 = 1e-6;
    let value = if up { (value - ERROR).ceil() } else { (value + ERROR).floor() };
    value.clamp(0.0, 100.0) as u8
}
