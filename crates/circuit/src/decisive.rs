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
    let more = ((state + next) * SHARE).max(ALWAYS);
    let wins = Wins::new(phase, whole, (role, top)).all(more);
    let circuit = &mut phase.circuit;
    let (graph, plain) = (&mut circuit.graph, circuit.legal[role].clone());
    let wins: Vec<Signal> =
        plain.iter().zip(wins).map(|(legal, win)| graph.and(*legal, win)).collect();
    let none: Vec<Signal> = wins.iter().map(|win| !*win).collect();
    let none = graph.all(&none);
    for (legal, win) in circuit.legal[role].iter_mut().zip(&wins) {
        let otherwise = graph.and(*legal, none);
        *legal = graph.or(*win, otherwise);
    }
    // Moves that were left out may have paid for gates of others.
    if operations(circuit).0 > state + more {
        circuit.legal[role] = plain;
        return 0;
    }
    wins.iter().filter(|win| **win != Signal::FALSE).count()
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
        for signal in won {
            used[signal.node()] = true;
        }
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
        for input in &circuit.fluents {
            map[input.node()] = Some(*input);
        }
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
            map[node] = Some(
                value.map_or(made, |value| if made.is_complemented() { !*value } else { *value }),
            );
        }
    }
    roots.iter().map(|signal| image(map, *signal)).collect()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::phase::phases;
    use crate::phase::tests::circuit;

    const CELLS: usize = 5;

    /// Two roles put stones on a strip of cells; three neighbours win. Whoever fills the strip has a draw.
    fn strip() -> Circuit {
        let mut text = String::from(
            "(role x) (role o) (init (control x))
             (<= (legal ?r (put ?n)) (true (control ?r)) (cell ?n) (not (taken ?n)))
             (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
             (<= (taken ?n) (true (stone ?n ?r)))
             (<= (next (stone ?n ?r)) (does ?r (put ?n))) (<= (next (stone ?n ?r)) (true (stone ?n ?r)))
             (<= (next (control x)) (true (control o))) (<= (next (control o)) (true (control x)))
             (<= (line ?r) (true (stone ?a ?r)) (succ ?a ?b) (true (stone ?b ?r)) (succ ?b ?c) (true (stone ?c ?r)))
             (<= open (cell ?n) (not (taken ?n)))
             (<= terminal (line ?r)) (<= terminal (not open))
             (<= (goal ?r 100) (line ?r)) (<= (goal ?r 50) (role ?r) (not (line x)) (not (line o)))
             (<= (goal x 0) (line o)) (<= (goal o 0) (line x))",
        );
        for n in 0..CELLS {
            write!(text, "(cell {n}) (succ {n} {})", n + 1).expect("a string");
        }
        circuit(&text)
    }

    /// The place of the goal of 100: the one that holds where there is a line of the role.
    const TOP: [Option<usize>; 2] = [Some(0), Some(0)];

    #[test]
    fn gates_tell_when_a_stone_wins() {
        let circuit = strip();
        for mut phase in phases(&circuit, &[]) {
            let plain = phase.circuit.legal.clone();
            assert_eq!(decide(&mut phase, &circuit, &TOP), CELLS, "every cell may be the third");
            let role = chooser(&phase);
            let inputs = circuit.fluents.len() + circuit.does.iter().map(Vec::len).sum::<usize>();
            for bits in 0..1_u32 << circuit.fluents.len() {
                let mut values = vec![false; inputs];
                for (fluent, value) in values.iter_mut().take(circuit.fluents.len()).enumerate() {
                    *value = bits >> fluent & 1 == 1;
                }
                if !phase.fixed.iter().all(|(fluent, value)| values[*fluent] == *value) {
                    continue;
                }
                let nodes = phase.circuit.graph.evaluate(&values);
                let read = |signal: Signal| nodes[signal.node()] != signal.is_complemented();
                if read(phase.circuit.terminal) {
                    continue;
                }
                let before: Vec<bool> = plain[role].iter().map(|legal| read(*legal)).collect();
                let after: Vec<bool> =
                    phase.circuit.legal[role].iter().map(|legal| read(*legal)).collect();
                let wins: Vec<bool> = (0..before.len())
                    .map(|action| before[action] && wins(&circuit, &values, (role, action)))
                    .collect();
                let expected = if wins.contains(&true) { wins } else { before };
                assert_eq!(after, expected, "{bits:b}");
            }
        }
    }

    fn chooser(phase: &Phase) -> usize {
        phase.forced.iter().position(Option::is_none).expect("somebody chooses")
    }

    /// Whether a move wins at once, by the whole circuit, step by step.
    fn wins(circuit: &Circuit, values: &[bool], (role, action): (usize, usize)) -> bool {
        let read = |nodes: &[bool], s: Signal| nodes[s.node()] != s.is_complemented();
        let now = circuit.graph.evaluate(values);
        let mut values = values.to_vec();
        let mut start = circuit.fluents.len();
        for (other, legal) in circuit.legal.iter().enumerate() {
            let own = legal.iter().position(|legal| read(&now, *legal));
            let made = if other == role { Some(action) } else { own };
            values[start + made.expect("a legal move")] = true;
            start += legal.len();
        }
        let made = circuit.graph.evaluate(&values);
        let mut next = vec![false; values.len()];
        for (fluent, value) in next.iter_mut().take(circuit.fluents.len()).enumerate() {
            *value = read(&made, circuit.next[fluent]);
        }
        let next = circuit.graph.evaluate(&next);
        read(&next, circuit.terminal) && read(&next, circuit.goals[role][0])
    }

    #[test]
    fn nothing_changes_where_several_roles_choose_or_nobody_wins() {
        let circuit = strip();
        let mut found = phases(&circuit, &[]);
        assert_eq!(decide(&mut found[0], &circuit, &[None, None]), 0);
        let mut all = phases(&circuit, &[]);
        all[0].forced = vec![None, None];
        let before = all[0].circuit.legal.clone();
        assert_eq!(decide(&mut all[0], &circuit, &TOP), 0);
        assert_eq!(all[0].circuit.legal, before);
    }
}
