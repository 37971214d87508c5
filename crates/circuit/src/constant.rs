//! Fluents that never change.
//!
//! Some sheets state as fluents what never changes: the walls of a maze, say, with a rule that each stays. In random
//! play they are constants, and the gates that ask for them disappear. A fluent is constant if it keeps its initial
//! value whatever the moves are and whatever the fluents are that are not constant. (Three-valued simulation from the
//! initial state: a signal is false, true, or unknown.)

use crate::build::Circuit;
use crate::graph::{Graph, Node, Signal};

/// The fluents that have their initial value in all states that can be reached, with that value.
pub(crate) fn constants(circuit: &Circuit) -> Vec<(usize, bool)> {
    let mut simulation = Simulation::new(circuit);
    let mut todo: Vec<usize> = (0..circuit.fluents.len()).collect();
    let mut readers_of = vec![Vec::new(); circuit.graph.nodes().len()];
    for (fluent, next) in circuit.next.iter().enumerate() {
        readers_of[next.node()].push(fluent);
    }
    let mut lost: Vec<usize> = Vec::new();
    while let Some(fluent) = todo.pop() {
        let input = circuit.fluents[fluent].node();
        let kept = simulation.value(circuit.next[fluent]) == Some(circuit.initial[fluent]);
        if !kept && simulation.values[input].is_some() {
            simulation.forget(input, &mut lost);
            todo.extend(lost.drain(..).flat_map(|node| &readers_of[node]));
        }
    }
    let fluents = circuit.fluents.iter().enumerate();
    fluents.filter_map(|(at, s)| simulation.values[s.node()].map(|value| (at, value))).collect()
}

/// What is known of each node. Knowledge is only ever lost, so the work is in proportion to the gates.
struct Simulation<'c> {
    graph: &'c Graph,
    values: Vec<Option<bool>>,
    /// For each node where its readers begin in `readers`.
    starts: Vec<u32>,
    readers: Vec<u32>,
}

impl<'c> Simulation<'c> {
    /// The initial state, with unknown moves.
    fn new(circuit: &'c Circuit) -> Self {
        let graph = &circuit.graph;
        let (starts, readers) = readers(graph);
        let values = Vec::with_capacity(graph.nodes().len());
        let mut simulation = Self { graph, values, starts, readers };
        let mut inputs = circuit.initial.iter();
        for node in graph.nodes() {
            simulation.values.push(match *node {
                Node::False => Some(false),
                // The fluents come before the moves.
                Node::Input(_) => inputs.next().copied(),
                Node::And(a, b) => simulation.both(a, b),
            });
        }
        simulation
    }

    fn value(&self, signal: Signal) -> Option<bool> {
        self.values[signal.node()].map(|value| value != signal.is_complemented())
    }

    fn both(&self, a: Signal, b: Signal) -> Option<bool> {
        match (self.value(a), self.value(b)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        }
    }

    /// A node is no longer known; adds it and all that are not known because of it to `lost`.
    fn forget(&mut self, node: usize, lost: &mut Vec<usize>) {
        let mut at = lost.len();
        self.values[node] = None;
        lost.push(node);
        while at < lost.len() {
            let (start, end) = (self.starts[lost[at]], self.starts[lost[at] + 1]);
            for edge in start..end {
                let reader = self.readers[edge as usize] as usize;
                if let (Some(_), Node::And(a, b)) =
                    (self.values[reader], self.graph.nodes()[reader])
                    && self.both(a, b).is_none()
                {
                    self.values[reader] = None;
                    lost.push(reader);
                }
            }
            at += 1;
        }
    }
}

/// The gates that read each node: where they begin, and all of them.
fn readers(graph: &Graph) -> (Vec<u32>, Vec<u32>) {
    let nodes = graph.nodes();
    let operands = |node: &Node| match *node {
        Node::And(a, b) => [Some(a.node()), Some(b.node())],
        _ => [None, None],
    };
    let mut starts = vec![0u32; nodes.len() + 1];
    for operand in nodes.iter().flat_map(operands).flatten() {
        starts[operand + 1] += 1;
    }
    for node in 0..nodes.len() {
        starts[node + 1] += starts[node];
    }
    let mut fill = starts.clone();
    let mut readers = vec![0; starts[nodes.len()] as usize];
    for (at, node) in nodes.iter().enumerate() {
        for operand in operands(node).into_iter().flatten() {
            readers[fill[operand] as usize] = at as u32;
            fill[operand] += 1;
        }
    }
    (starts, readers)
}

#[cfg(test)]
mod tests {
    use crate::phase::tests::circuit;

    #[test]
    fn what_never_changes_is_found_through_other_fluents() {
        // The gate stays open as long as the wall stands, and the wall stands always; the lamp may go out.
        let text =
            "(role r) (init (wall)) (init (gate)) (init (lamp)) (init (at a)) (place a) (place b)
            (<= (legal r (go ?x)) (place ?x)) (<= (legal r blow) (true (lamp)))
            (<= (next (wall)) (true (wall)))
            (<= (next (gate)) (true (wall)) (true (gate)))
            (<= (next (lamp)) (true (lamp)) (not (does r blow)))
            (<= (next (at ?x)) (does r (go ?x)) (true (gate)))
            (<= (next (ghost)) (true (ghost)))
            (<= terminal (true (at b)) (not (true (lamp)))) (<= (goal r 100) (true (ghost)))";
        let circuit = circuit(text);
        let found = super::constants(&circuit);
        let expected: Vec<bool> = circuit.initial.clone();
        assert!(found.len() >= 2 && found.iter().all(|(f, value)| expected[*f] == *value));
        // Of four or five fluents, neither the lamp nor the places are constant.
        assert_eq!(found.iter().filter(|(_, value)| *value).count(), 2);
    }
}
