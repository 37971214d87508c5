//! What to play in the end, and the report of a search.

use game::{JointMove, Move, Role};

use crate::report::{MoveReport, SearchReport, TableUse, Value};
use crate::rewards::Turn;

use super::edges::Edges;
use super::graph::Graph;
use super::node::{Bounds, NONE, Node, NodeId};
use super::options::{Final, Options};
use super::select::average_strategy;

/// The longest line of play that is shown.
const LONGEST_LINE: usize = 64;
/// The width of the confidence bound of secure moves, in points (own choice).
const SECURITY: f64 = 100.0;

/// How gladly a move is played: what is proven to be worse than another comes last.
fn rank(options: &Options, edges: &Edges, at: usize, sure: u8) -> (bool, f64, f64) {
    let visits = f64::from(edges.visits(at));
    let bounds = edges.bounds(at);
    let good = bounds.high > sure || bounds.low >= sure;
    let mean = edges.mean(at);
    let merit = match options.final_move {
        _ if bounds.is_exact() && bounds.low == sure && sure > 0 && mean >= 100.0 => f64::INFINITY,
        Final::Visits => visits,
        Final::Value => mean - if visits == 0.0 { 200.0 } else { 0.0 },
        Final::Secure => mean - SECURITY / (visits + 1e-9).sqrt(),
    };
    (good, merit, mean)
}

/// The places of the moves of a role in a node, best first.
fn ranking(options: &Options, node: &Node, role: usize) -> Vec<usize> {
    let mut places: Vec<usize> = node.range(role).collect();
    let Some(expansion) = node.expansion() else { return places };
    let low = |at: usize| expansion.edges.bounds(at).low;
    let sure = node.range(role).map(low).max().unwrap_or(0);
    let settled = node.roles[role].bounds.get().is_exact();
    places.sort_by(|one, other| {
        let rank = |at: usize| rank(options, &expansion.edges, at, sure);
        let proven = |at: usize| settled && low(at) >= sure;
        let (a, b) = (rank(*one), rank(*other));
        (proven(*other).cmp(&proven(*one)))
            .then(b.0.cmp(&a.0))
            .then(b.1.total_cmp(&a.1))
            .then(b.2.total_cmp(&a.2))
    });
    places
}

/// What is known about a role at a node.
fn value(node: &Node, role: usize) -> Value {
    let Bounds { low, high } = node.roles[role].bounds.get();
    Value::within(node.value(role), f64::from(low), f64::from(high))
}

/// Fills in the moves, values and the expected line of play.
pub(super) fn fill(report: &mut SearchReport, options: &Options, graph: &Graph, root: NodeId) {
    let node = graph.node(root);
    let role = report.role.index();
    report.values = (0..node.roles.len()).map(|role| value(node, role)).collect();
    report.solved = node.roles.get(role).is_some_and(|stat| stat.bounds.get().is_exact());
    report.line = line(options, graph, root);
    report.depth = report.line.len() as u32;
    if node.turn == Turn::End || role >= node.roles.len() {
        return;
    }
    report.moves = moves(options, node, role);
    report.best = report.moves.first().map(|first| first.action);
}

fn moves(options: &Options, node: &Node, role: usize) -> Vec<MoveReport> {
    let first = node.roles[role].first as usize;
    let mixed = average_strategy(options, node, role);
    let ranking = ranking(options, node, role);
    let report = |(place, at): (usize, usize)| {
        let edges = node.expansion().map(|expansion| &expansion.edges);
        let bounds = edges.map_or(node.roles[role].bounds.get(), |edges| edges.bounds(at));
        let mean = edges.map_or(node.mean(role), |edges| edges.mean(at));
        MoveReport {
            action: node.moves[at],
            value: Value::within(mean, f64::from(bounds.low), f64::from(bounds.high)),
            visits: edges.map_or(0, |edges| u64::from(edges.visits(at))),
            depth: 0,
            weight: match &mixed {
                Some(shares) => shares[at - first],
                None => f64::from(u8::from(place == 0)),
            },
        }
    };
    let mut moves: Vec<MoveReport> = ranking.into_iter().enumerate().map(report).collect();
    if mixed.is_some() {
        moves.sort_by(|one, other| other.weight.total_cmp(&one.weight));
    }
    moves
}

/// What is expected to happen: the best move of each role, as far as it was tried.
fn line(options: &Options, graph: &Graph, root: NodeId) -> Vec<JointMove> {
    let mut line = Vec::new();
    let mut id = root;
    while line.len() < LONGEST_LINE {
        let node = graph.node(id);
        let Some(expansion) = node.expansion().filter(|_| node.turn != Turn::End) else { break };
        let best: Vec<usize> =
            (0..node.roles.len()).map(|role| ranking(options, node, role)[0]).collect();
        let next = match (node.mover(), &expansion.children) {
            (Some(role), _) => {
                expansion.edges.get(best[role]).map_or(NONE, |edge| edge.child().node())
            }
            (None, Some(children)) => {
                let digit = |joint: usize, (at, role): (&usize, usize)| {
                    let stat = &node.roles[role];
                    joint * stat.count as usize + at - stat.first as usize
                };
                children.get(best.iter().zip(0..).fold(0, digit)).node()
            }
            (None, None) => NONE,
        };
        if next == NONE {
            break;
        }
        line.push(best.iter().map(|at| node.moves[*at]).collect::<JointMove>());
        id = next;
    }
    line
}

/// A move drawn by the weights of a report: mixed strategies have to be played at random.
pub fn draw(report: &SearchReport, random: &mut game::playout::Random) -> Option<Move> {
    let mut left = super::select::unit(random);
    for entry in &report.moves {
        left -= entry.weight;
        if left < 0.0 {
            return Some(entry.action);
        }
    }
    report.best
}

/// How much of the memory is in use.
pub(super) fn usage(options: &Options, graph: &Graph) -> TableUse {
    let entries = graph.len() as u64;
    let each = (graph.bytes() as u64 / entries.max(1)).max(1);
    TableUse {
        entries,
        capacity: options.memory as u64 / each,
        bytes: graph.bytes() as u64,
        lookups: 0,
        hits: 0,
    }
}

/// An empty report.
pub(super) fn blank(role: Role, roles: usize) -> SearchReport {
    SearchReport::empty("uct", role, roles)
}
