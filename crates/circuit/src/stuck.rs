//! The end of the game where nobody can move.
//!
//! Many sheets say that the game is over when the role in control has no legal move. That is a disjunction of all
//! its moves, often a good part of the gates before a move, and whoever chooses a random move finds it out anyway.
//! So it is taken out of what is evaluated, and the lanes add it when the moves were counted.

use rustc_hash::FxHashSet;

use crate::graph::{Graph, Node, Signal};
use crate::phase::Phase;

/// Takes "this role has no legal move" out of the end of the game in a situation, for each role that it is in;
/// returns for which roles that was done. The game is then over where the circuit says so, or where one of these
/// roles has no move.
pub(crate) fn without_stuck(phase: &mut Phase) -> Vec<bool> {
    let circuit = &mut phase.circuit;
    let roles = circuit.legal.len();
    let mut done = vec![false; roles];
    // The game goes on where all of these hold.
    let mut goes_on = conjuncts(&circuit.graph, !circuit.terminal, &FxHashSet::default());
    for (role, forced) in phase.forced.iter().enumerate() {
        let possible = circuit.legal[role].iter().filter(|legal| **legal != Signal::FALSE);
        let illegal: FxHashSet<Signal> = possible.map(|legal| !*legal).collect();
        if forced.is_some() || illegal.len() < 2 {
            continue;
        }
        let is_stuck = |signal: Signal| says_stuck(&circuit.graph, signal, &illegal);
        let before = goes_on.len();
        goes_on.retain(|condition| !is_stuck(!*condition));
        done[role] = goes_on.len() < before;
    }
    if done.contains(&true) {
        circuit.terminal = !circuit.graph.all(&goes_on);
    }
    done
}

/// Whether a signal holds exactly where all of these hold: it is a conjunction of them.
fn says_stuck(graph: &Graph, signal: Signal, illegal: &FxHashSet<Signal>) -> bool {
    let found = conjuncts(graph, signal, illegal);
    // A move may be hidden in another one: where one move is legal because of two rules, and each of them makes a move
    // of its own legal, the gates for the two are the gate for the one.
    let holds = parts(graph, signal);
    // Or it was dropped when the gates were made, because it follows from others.
    let follows = |signal: &Signal| {
        holds.contains(signal) || parts(graph, !*signal).iter().any(|part| holds.contains(&!*part))
    };
    found.len() > 1
        && found.iter().all(|signal| illegal.contains(signal))
        && illegal.iter().all(follows)
}

/// Gates that hold wherever a signal does: those that it is the conjunction of.
fn parts(graph: &Graph, signal: Signal) -> FxHashSet<Signal> {
    let mut found = FxHashSet::default();
    let mut todo = vec![signal];
    while let Some(signal) = todo.pop() {
        let new = found.insert(signal) && !signal.is_complemented();
        if let (true, Node::And(a, b)) = (new, graph.nodes()[signal.node()]) {
            todo.extend([a, b]);
        }
    }
    found
}

/// Signals that all hold exactly where one holds, sorted; those that are `atoms` are not taken apart.
fn conjuncts(graph: &Graph, signal: Signal, atoms: &FxHashSet<Signal>) -> Vec<Signal> {
    let mut found = Vec::new();
    let mut seen: FxHashSet<Signal> = FxHashSet::default();
    let mut todo = vec![signal];
    while let Some(signal) = todo.pop() {
        if !seen.insert(signal) {
            continue;
        }
        match graph.nodes()[signal.node()] {
            Node::And(a, b) if !signal.is_complemented() && !atoms.contains(&signal) => {
                todo.extend([a, b]);
            }
            _ => found.push(signal),
        }
    }
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phase::phases;
    use crate::phase::tests::circuit;

    /// A token goes along edges; the game is over where it cannot, or at a place of its own.
    fn text(stuck: &str) -> String {
        format!(
            "(role r) (init (at a)) (edge a b) (edge a c) (edge b c) (edge b d) (edge c e) (edge e a) (edge e f)
             (<= (legal r (go ?x ?y)) (true (at ?x)) (edge ?x ?y))
             (<= (next (at ?y)) (does r (go ?x ?y)))
             (<= (can ?r) (legal ?r ?m))
             (<= terminal (true (at f))) {stuck}
             (<= (goal r 100) (true (at d))) (<= (goal r 50) (not (true (at d))))"
        )
    }

    #[test]
    fn the_end_is_where_the_circuit_says_so_or_nobody_can_move() {
        let circuit = circuit(&text("(<= terminal (role ?r) (not (can ?r)))"));
        let mut phase = phases(&circuit, &[]).remove(0);
        assert_eq!(without_stuck(&mut phase), [true]);
        let read = |values: &[bool], s: Signal| values[s.node()] != s.is_complemented();
        for bits in 0..1u32 << circuit.fluents.len() {
            let mut inputs: Vec<bool> =
                (0..circuit.fluents.len()).map(|at| bits >> at & 1 == 1).collect();
            inputs.resize(circuit.fluents.len() + circuit.does[0].len(), false);
            let before = circuit.graph.evaluate(&inputs);
            let after = phase.circuit.graph.evaluate(&inputs);
            let stuck = !phase.circuit.legal[0].iter().any(|legal| read(&after, *legal));
            let ends = read(&after, phase.circuit.terminal) || stuck;
            assert_eq!(ends, read(&before, circuit.terminal));
        }
    }

    #[test]
    fn an_end_that_is_not_for_want_of_moves_stays() {
        for stuck in ["", "(<= terminal (not (legal r (go a b))) (not (legal r (go b d))))"] {
            let mut phase = phases(&circuit(&text(stuck)), &[]).remove(0);
            let before = phase.circuit.terminal;
            assert_eq!((without_stuck(&mut phase), phase.circuit.terminal), (vec![false], before));
        }
    }
}
