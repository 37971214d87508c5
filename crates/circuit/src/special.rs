//! Circuits for a part of the states: some fluents have known values, and gates disappear.
//!
//! Knowing who is in control removes the other roles' moves, and a role that is left with one move makes it.
//! (Constant propagation; the circuit stays exact for legal moves in states where the fluents have these
//! values.)

use crate::build::Circuit;
use crate::graph::{Graph, Node, Signal};

/// The circuit for states in which the fluents given have the values given. All inputs stay, also those that
/// nothing depends on any more.
pub fn specialise(circuit: &Circuit, known: &[(usize, bool)]) -> Circuit {
    let mut copy = Copy::new(circuit);
    for (fluent, value) in known {
        let value = if *value { Signal::TRUE } else { Signal::FALSE };
        copy.map[circuit.fluents[*fluent].node()] = Some(value);
    }
    // Legal moves, ends and goals are asked before any move is made.
    for input in circuit.does.iter().flatten() {
        copy.map[input.node()] = Some(Signal::FALSE);
    }
    let legal = copy.lists(&circuit.legal);
    let terminal = copy.signal(circuit.terminal);
    let goals = copy.lists(&circuit.goals);
    copy.forget_what_depends_on_moves();
    for (inputs, (own, legal)) in circuit.does.iter().zip(copy.does.clone().iter().zip(&legal)) {
        let possible = legal.iter().filter(|signal| **signal != Signal::FALSE).count();
        for ((input, signal), legal) in inputs.iter().zip(own).zip(legal) {
            copy.map[input.node()] = Some(match (*legal == Signal::FALSE, possible) {
                (true, _) => Signal::FALSE,
                (false, 1) => Signal::TRUE,
                _ => *signal,
            });
        }
    }
    let next = circuit.next.iter().map(|signal| copy.signal(*signal)).collect();
    let initial = circuit.initial.clone();
    Circuit {
        graph: copy.graph,
        fluents: copy.fluents,
        families: circuit.families.clone(),
        does: copy.does,
        initial,
        next,
        legal,
        terminal,
        goals,
    }
}

struct Copy<'c> {
    circuit: &'c Circuit,
    graph: Graph,
    fluents: Vec<Signal>,
    does: Vec<Vec<Signal>>,
    /// What the nodes of the old graph became.
    map: Vec<Option<Signal>>,
    todo: Vec<usize>,
}

impl<'c> Copy<'c> {
    fn new(circuit: &'c Circuit) -> Self {
        let mut graph = Graph::default();
        let mut number = 0;
        let mut input = || {
            number += 1;
            graph.input(number - 1)
        };
        let fluents: Vec<Signal> = circuit.fluents.iter().map(|_| input()).collect();
        let does: Vec<Vec<Signal>> =
            circuit.does.iter().map(|own| own.iter().map(|_| input()).collect()).collect();
        let mut map = vec![None; circuit.graph.nodes().len()];
        map[Signal::FALSE.node()] = Some(Signal::FALSE);
        for (old, new) in circuit.fluents.iter().zip(&fluents) {
            map[old.node()] = Some(*new);
        }
        Self { circuit, graph, fluents, does, map, todo: Vec::new() }
    }

    fn lists(&mut self, lists: &[Vec<Signal>]) -> Vec<Vec<Signal>> {
        lists.iter().map(|own| own.iter().map(|signal| self.signal(*signal)).collect()).collect()
    }

    /// What a signal of the old graph becomes.
    fn signal(&mut self, signal: Signal) -> Signal {
        self.todo.push(signal.node());
        while let Some(node) = self.todo.last().copied() {
            let (Node::And(a, b), None) = (self.circuit.graph.nodes()[node], self.map[node]) else {
                self.todo.pop();
                continue;
            };
            match (self.known(a), self.known(b)) {
                (Some(a), Some(b)) => {
                    self.map[node] = Some(self.graph.and(a, b));
                    self.todo.pop();
                }
                (None, _) => self.todo.push(a.node()),
                (_, None) => self.todo.push(b.node()),
            }
        }
        self.known(signal).unwrap_or(Signal::FALSE)
    }

    fn known(&self, signal: Signal) -> Option<Signal> {
        let new = self.map[signal.node()]?;
        Some(if signal.is_complemented() { !new } else { new })
    }

    /// Whatever has a move below it was copied for the time before the moves and is copied again.
    fn forget_what_depends_on_moves(&mut self) {
        let nodes = self.circuit.graph.nodes();
        let mut depends = vec![false; nodes.len()];
        for input in self.circuit.does.iter().flatten() {
            depends[input.node()] = true;
        }
        for (at, node) in nodes.iter().enumerate() {
            if let Node::And(a, b) = node {
                depends[at] = depends[a.node()] || depends[b.node()];
            }
            if depends[at] {
                self.map[at] = None;
            }
        }
    }
}
