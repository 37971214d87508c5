//! Random play in which a move that wins at once is made.
//!
//! Decisive moves (Teytaud and Teytaud 2010), for hundreds of positions at once and without a look at any successor: with a
//! move put in, the gates for the next state and behind them those for the end and the highest goal become a condition
//! on the present state, "this move wins". Most of such conditions are small, as gates that a move does not touch
//! are those of the present state, of which it is known that the game goes on. Moves count as legal in random play only where
//! they win, or where none does; nobody else has to know.
//!
//! Conditions that stay large (counts of pieces at the end) are left out: such wins are found by chance, as before.

use rustc_hash::FxHashMap;

use crate::build::Circuit;
use crate::graph::{Graph, Node, Signal};
use crate::phase::Phase;
use crate::schedule::{cone, operations};

/// Gates that may be looked at for a situation, all moves together.
const MOST_EFFORT: usize = 20_000_000;
/// Gates for one move.
const MOST_FOR_A_MOVE: usize = 400;
/// Gates for all moves: so many times those of the situation, and in small games more.
const SHARE: usize = 2;
const ALWAYS: usize = 3000;

/// Makes random play of a situation decisive, where one role chooses; `top` is the place of the highest goal of each role.
/// Returns how many moves have a condition.
pub(crate) fn decide(phase: &mut Phase, whole: &Circuit, top: &[Option<usize>]) -> usize {
    let mut choosing = phase.forced.iter().enumerate().filter(|(_, forced)| forced.is_none());
    let (Some((role, _)), None) = (choosing.next(), choosing.next()) else { return 0 };
    let Some(top) = top.get(role).copied().flatten() else { return 0 };
    let (state, next, _) = operations(&phase.circuit);
    let budget = ((state + next) * SHARE).max(ALWAYS);
    let wins = Wins::new(phase, whole, (role, top)).all(budget);
    let graph = &mut phase.circuit.graph;
    let legal = &mut phase.circuit.legal[role];
    let wins: Vec<Signal> =
        legal.iter().zip(wins).map(|(legal, win)| graph.and(*legal, win)).collect();
    let some: Vec<Signal> = wins.iter().copied().filter(|win| *win != Signal::FALSE).collect();
    if !some.is_empty() {
        let none: Vec<Signal> = some.iter().map(|win| !*win).collect();
        let none = graph.all(&none);
        for (legal, win) in legal.iter_mut().zip(wins) {
            let otherwise = graph.and(*legal, none);
            *legal = graph.or(win, otherwise);
        }
    }
    some.len()
}

/// What is needed to find when a move wins.
struct Wins<'p> {
    phase: &'p mut Phase,
    whole: &'p Circuit,
    role: usize,
    /// The end of the game and the goal, in the whole circuit, and the fluents that they depend on.
    won: [Signal; 2],
    asked: Vec<usize>,
    /// Gates of which the value is known, since the game goes on.
    known: FxHashMap<usize, Signal>,
    /// The gates of the situation before any were added.
    before: Vec<Node>,
}

impl<'p> Wins<'p> {
    fn new(phase: &'p mut Phase, whole: &'p Circuit, (role, top): (usize, usize)) -> Self {
        let won = [whole.terminal, whole.goals[role][top]];
        let inside = cone(&whole.graph, &won, &[]);
        let mut used = vec![false; whole.graph.nodes().len()];
        won.iter().for_each(|signal| used[signal.node()] = true);
        for (node, inside) in whole.graph.nodes().iter().zip(inside) {
            if let (true, Node::And(a, b)) = (inside, node) {
                (used[a.node()], used[b.node()]) = (true, true);
            }
        }
        let asked = whole.fluents.iter().enumerate().filter(|(_, input)| used[input.node()]);
        let asked = asked.map(|(fluent, _)| fluent).collect();
        let known = conditions(&phase.circuit.graph, !phase.circuit.terminal);
        let before = phase.circuit.graph.nodes().to_vec();
        Self { phase, whole, role, won, asked, known, before }
    }

    /// For each move when it wins; never where that takes too many gates.
    fn all(mut self, budget: usize) -> Vec<Signal> {
        let moves = self.phase.circuit.legal[self.role].len();
        let (mut effort, mut found) = (MOST_EFFORT, Vec::new());
        for action in 0..moves {
            if self.phase.circuit.legal[self.role][action] == Signal::FALSE {
                continue;
            }
            let before = self.phase.circuit.graph.nodes().len();
            let Some(left) = effort.checked_sub(before + self.whole.graph.nodes().len()) else {
                break;
            };
            effort = left;
            let win = self.of(action);
            let grown = self.phase.circuit.graph.nodes().len() - before;
            if grown <= MOST_FOR_A_MOVE && win != Signal::FALSE {
                found.push((grown, action, win));
            }
        }
        // The cheapest first.
        found.sort_unstable_by_key(|(grown, action, _)| (*grown, *action));
        let mut wins = vec![Signal::FALSE; moves];
        let mut taken = 0;
        for (grown, action, win) in found {
            taken += grown;
            if taken <= budget {
                wins[action] = win;
            }
        }
        wins
    }

    /// When a move wins, as a gate of the present state.
    fn of(&mut self, action: usize) -> Signal {
        let circuit = &mut self.phase.circuit;
        let mut map = vec![None; self.before.len()];
        map[0] = Some(Signal::FALSE);
        circuit.fluents.iter().for_each(|input| map[input.node()] = Some(*input));
        for (role, inputs) in circuit.does.iter().enumerate() {
            for (at, input) in inputs.iter().enumerate() {
                // Of the others nobody asks: their moves are constants already.
                let made = role == self.role && at == action;
                map[input.node()] = Some(if made { Signal::TRUE } else { Signal::FALSE });
            }
        }
        let asked: Vec<Signal> = self.asked.iter().map(|fluent| circuit.next[*fluent]).collect();
        let next = compose(&mut circuit.graph, &self.before, &mut map, &asked, &self.known);
        let mut map = vec![None; self.whole.graph.nodes().len()];
        map[0] = Some(Signal::FALSE);
        for (fluent, next) in self.asked.iter().zip(next) {
            map[self.whole.fluents[*fluent].node()] = Some(next);
        }
        let old = self.whole.graph.nodes();
        let won = compose(&mut circuit.graph, old, &mut map, &self.won, &self.known);
        circuit.graph.and(won[0], won[1])
    }
}

/// Gates that are known where a signal holds: those that it is the conjunction of.
fn conditions(graph: &Graph, signal: Signal) -> FxHashMap<usize, Signal> {
    let mut known = FxHashMap::default();
    let mut todo = vec![signal];
    while let Some(signal) = todo.pop() {
        let value = if signal.is_complemented() { Signal::FALSE } else { Signal::TRUE };
        let new = known.insert(signal.node(), value).is_none();
        if let (true, false, Node::And(a, b)) =
            (new, signal.is_complemented(), graph.nodes()[signal.node()])
        {
            todo.extend([a, b]);
        }
    }
    known.remove(&0);
    known
}

/// Copies the cones of some signals of `old` into a graph, with what `map` says for some of its nodes and `known` for gates of the
/// graph; returns their images.
fn compose(
    graph: &mut Graph,
    old: &[Node],
    map: &mut [Option<Signal>],
    roots: &[Signal],
    known: &FxHashMap<usize, Signal>,
) -> Vec<Signal> {
    let image = |map: &[Option<Signal>], signal: Signal| {
        let image = map[signal.node()].unwrap_or(Signal::FALSE);
        if signal.is_complemented() { !image } else { image }
    };
    let mut inside = vec![false; old.len()];
    let mut todo: Vec<usize> = roots.iter().map(|signal| signal.node()).collect();
    while let Some(node) = todo.pop() {
        if let (false, None, Node::And(a, b)) = (inside[node], map[node], old[node]) {
            inside[node] = true;
            todo.extend([a.node(), b.node()]);
        }
    }
    for node in 0..old.len() {
        if let (true, Node::And(a, b)) = (inside[node], old[node]) {
            let made = graph.and(image(map, a), image(map, b));
            let value = known.get(&made.node());
            map[node] = Some(value.map_or(made, |value| {
                if made.is_complemented() { !*value } else { *value }
            }));
        }
    }
    roots.iter().map(|signal| image(map, *signal)).collect()
}
