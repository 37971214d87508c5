//! Copies of the circuit in time, as clauses, made where they are asked for.
//!
//! Step 0 has free fluents (induction) or those of the initial state (bounded model checking). The fluents of
//! step t+1 are the `next` signals of step t, so no variables are needed for them. Only gates that someone
//! asks for become clauses (Tseitin 1968); chains of AND gates that nobody else reads become one gate.

use std::rc::Rc;

use circuit::graph::{Node, Signal};
use rustc_hash::FxHashSet;

use super::model::{Input, Model};
use super::solver::{FALSE, Lit, Sat, TRUE};

/// The most inputs of one gate.
const WIDEST: usize = 32;

/// Where time starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// In the initial state.
    Initial,
    /// In any set of fluents.
    Anywhere,
}

/// How many gates read each node.
pub struct Fanout(Vec<u8>);

impl Fanout {
    /// Counts readers, of which more than one are the same.
    pub fn new(model: &Model) -> Self {
        let mut counts = vec![0u8; model.graph.nodes().len()];
        for node in model.graph.nodes() {
            if let Node::And(a, b) = node {
                for signal in [a, b] {
                    let count = &mut counts[signal.node()];
                    // What is read as a complement stays a gate of its own.
                    *count = count.saturating_add(if signal.is_complemented() { 2 } else { 1 });
                }
            }
        }
        for output in model.next.iter().chain(model.legal.iter().flatten()) {
            counts[output.node()] = 2;
        }
        Self(counts)
    }

    fn is_inner(&self, node: usize) -> bool {
        self.0.get(node).copied() == Some(1)
    }
}

/// Gates of the first step that are not looked behind: they may be anything.
#[derive(Clone, Debug)]
pub struct Cut {
    /// For each node its rank; 0 for nodes that are never cut, as are those that came later.
    pub ranks: Rc<Vec<u32>>,
    /// Nodes of lower rank than this are cut.
    pub below: u32,
    /// These are not.
    pub except: FxHashSet<usize>,
}

impl Cut {
    fn cuts(&self, node: usize) -> bool {
        let rank = self.ranks.get(node).copied().unwrap_or(0);
        rank > 0 && rank < self.below && !self.except.contains(&node)
    }
}

/// The circuit in several steps.
pub struct Unrolling<'m> {
    model: &'m Model,
    fanout: Rc<Fanout>,
    start: Start,
    cut: Option<Cut>,
    /// For each step the literal of each node; 0 if it is not there yet.
    steps: Vec<Vec<Lit>>,
}

impl<'m> Unrolling<'m> {
    /// One step.
    pub fn new(model: &'m Model, start: Start) -> Self {
        Self::sharing(model, start, Rc::new(Fanout::new(model)))
    }

    /// One step, with the readers counted before.
    pub fn sharing(model: &'m Model, start: Start, fanout: Rc<Fanout>) -> Self {
        let mut steps = vec![vec![0; model.graph.nodes().len()]];
        steps[0][0] = FALSE;
        Self { model, fanout, start, cut: None, steps }
    }

    /// Some gates of the first step may be anything.
    #[must_use]
    pub fn cutting(mut self, cut: Option<Cut>) -> Self {
        self.cut = cut;
        self
    }

    fn is_cut(&self, step: usize, node: usize) -> bool {
        step == 0 && self.cut.as_ref().is_some_and(|cut| cut.cuts(node))
    }

    /// Says which literal an input of the first step is, before anything else is asked for.
    pub fn pin(&mut self, input: Signal, literal: Lit) {
        self.steps[0][input.node()] = if input.is_complemented() { -literal } else { literal };
    }

    /// The circuit.
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// How many steps there are.
    pub fn count(&self) -> usize {
        self.steps.len()
    }

    /// Adds a step after the last one, from which a legal joint move is made. False if the deadline passed.
    pub fn step(&mut self, sat: &mut Sat) -> bool {
        let last = self.steps.len() - 1;
        let Some(terminal) = self.literal(sat, last, self.model.terminal) else { return false };
        sat.clause([-terminal]);
        for role in 0..self.model.does.len() {
            if !self.moves(sat, last, role) {
                return false;
            }
        }
        self.blank_step();
        true
    }

    /// Adds a step after the last one, from which any sets of moves are made, legal or not.
    pub fn blank_step(&mut self) {
        let mut next = vec![0; self.model.graph.nodes().len()];
        next[0] = FALSE;
        self.steps.push(next);
    }

    /// A role makes exactly one move in a step, and it is legal.
    fn moves(&mut self, sat: &mut Sat, step: usize, role: usize) -> bool {
        let Some(mut literals) = self.offer(sat, step, role) else { return false };
        literals.retain(|literal| *literal != FALSE);
        sat.clause(literals.iter().copied());
        sat.at_most_one(&literals);
        true
    }

    /// For each move of a role in a step the literal that it is made, which implies that it is legal. None if the
    /// deadline passed.
    pub fn offer(&mut self, sat: &mut Sat, step: usize, role: usize) -> Option<Vec<Lit>> {
        let model = self.model;
        let mut literals = Vec::with_capacity(model.does[role].len());
        for (does, legal) in model.does[role].iter().zip(&model.legal[role]) {
            let legal = self.literal(sat, step, *legal)?;
            let literal = if legal == FALSE { FALSE } else { sat.fresh() };
            self.steps[step][does.node()] = literal;
            if legal != FALSE && legal != TRUE {
                sat.clause([-literal, legal]);
            }
            literals.push(literal);
        }
        Some(literals)
    }

    /// The literal of a signal in a step, with the clauses that define it. None if the deadline passed.
    pub fn literal(&mut self, sat: &mut Sat, step: usize, signal: Signal) -> Option<Lit> {
        if self.steps[step][signal.node()] == 0 {
            self.define(sat, step, signal.node())?;
        }
        let literal = self.steps[step][signal.node()];
        Some(if signal.is_complemented() { -literal } else { literal })
    }

    /// The literal of a signal in a step, if anything asked for it before.
    pub fn existing(&self, step: usize, signal: Signal) -> Option<Lit> {
        let literal = self.steps[step][signal.node()];
        let signed = if signal.is_complemented() { -literal } else { literal };
        (literal != 0).then_some(signed)
    }

    /// The literal of a fluent in a step.
    pub fn fluent(&mut self, sat: &mut Sat, step: usize, fluent: usize) -> Option<Lit> {
        self.literal(sat, step, self.model.fluents[fluent])
    }

    /// The states of two steps are not the same. None if the deadline passed.
    pub fn differ(&mut self, sat: &mut Sat, one: usize, other: usize) -> Option<()> {
        let mut somewhere = Vec::new();
        for fluent in 0..self.model.fluents.len() {
            let a = self.fluent(sat, one, fluent)?;
            let b = self.fluent(sat, other, fluent)?;
            if a != b {
                let here = sat.fresh();
                sat.clause([-here, a, b]);
                sat.clause([-here, -a, -b]);
                somewhere.push(here);
            }
        }
        sat.clause(somewhere);
        Some(())
    }

    /// The fluents that hold in a step of the model found last. What was not asked for counts as false.
    pub fn state(&mut self, sat: &Sat, step: usize) -> Vec<bool> {
        let literal = |signal: &Signal| match self.steps[step][signal.node()] {
            0 => false,
            literal => sat.holds(literal),
        };
        self.model.fluents.iter().map(literal).collect()
    }

    /// The moves made in a step of the model found last, one for each role.
    pub fn joint_move(&self, sat: &Sat, step: usize) -> Vec<usize> {
        let chosen = |own: &Vec<Signal>| {
            own.iter().position(|does| match self.steps[step][does.node()] {
                0 => false,
                literal => sat.holds(literal),
            })
        };
        self.model.does.iter().map(|own| chosen(own).unwrap_or(0)).collect()
    }

    /// Defines a node and all it needs, in this step and the steps before.
    fn define(&mut self, sat: &mut Sat, step: usize, node: usize) -> Option<()> {
        let mut todo = vec![(step, node)];
        let mut work = 0u32;
        while let Some((step, node)) = todo.last().copied() {
            work += 1;
            if work.is_multiple_of(1024) && sat.is_over() {
                return None;
            }
            if self.steps[step][node] != 0 {
                todo.pop();
                continue;
            }
            let before = todo.len();
            match self.model.graph.nodes()[node] {
                Node::False => self.steps[step][node] = FALSE,
                _ if self.is_cut(step, node) => self.steps[step][node] = sat.fresh(),
                Node::Input(number) => self.input(sat, step, node, number, &mut todo),
                Node::And(..) => self.gate(sat, step, node, &mut todo),
            }
            if todo.len() == before {
                todo.pop();
            }
        }
        Some(())
    }

    fn input(
        &mut self,
        sat: &mut Sat,
        step: usize,
        node: usize,
        number: u32,
        todo: &mut Vec<(usize, usize)>,
    ) {
        let literal = match (self.model.input(number), step) {
            (Input::Fluent(fluent), 0) if self.start == Start::Initial => {
                if self.model.initial[fluent as usize] { TRUE } else { FALSE }
            }
            (Input::Fluent(fluent), 1..) => {
                let next = self.model.next[fluent as usize];
                match self.steps[step - 1][next.node()] {
                    0 => {
                        todo.push((step - 1, next.node()));
                        return;
                    }
                    literal if next.is_complemented() => -literal,
                    literal => literal,
                }
            }
            _ => sat.fresh(),
        };
        self.steps[step][node] = literal;
    }

    fn gate(&mut self, sat: &mut Sat, step: usize, node: usize, todo: &mut Vec<(usize, usize)>) {
        let leaves = self.leaves(step, node);
        let before = todo.len();
        let steps = &self.steps[step];
        todo.extend(leaves.iter().filter(|l| steps[l.node()] == 0).map(|l| (step, l.node())));
        if todo.len() > before {
            return;
        }
        let literal = |leaf: &Signal| {
            let literal = steps[leaf.node()];
            if leaf.is_complemented() { -literal } else { literal }
        };
        let mut literals: Vec<Lit> = leaves.iter().map(literal).filter(|l| *l != TRUE).collect();
        literals.sort_unstable_by_key(|literal| (literal.abs(), *literal));
        literals.dedup();
        let opposed = literals.windows(2).any(|pair| pair[0] == -pair[1]);
        self.steps[step][node] = match literals[..] {
            _ if opposed || literals.contains(&FALSE) => FALSE,
            [] => TRUE,
            [only] => only,
            _ => and_gate(sat, &literals),
        };
    }

    /// The signals of which a gate is the conjunction, gates that only it reads left out.
    fn leaves(&self, step: usize, node: usize) -> Vec<Signal> {
        let mut leaves = Vec::new();
        let mut todo = vec![node];
        while let Some(node) = todo.pop() {
            let Node::And(a, b) = self.model.graph.nodes()[node] else { continue };
            for signal in [a, b] {
                let is_gate = matches!(self.model.graph.nodes()[signal.node()], Node::And(..));
                let wide = leaves.len() + todo.len() >= WIDEST;
                if is_gate
                    && !signal.is_complemented()
                    && !wide
                    && self.fanout.is_inner(signal.node())
                    && !self.is_cut(step, signal.node())
                {
                    todo.push(signal.node());
                } else {
                    leaves.push(signal);
                }
            }
        }
        leaves
    }
}

/// A new literal that holds exactly if all of the others do.
fn and_gate(sat: &mut Sat, literals: &[Lit]) -> Lit {
    let gate = sat.fresh();
    for literal in literals {
        sat.clause([-gate, *literal]);
    }
    sat.clause(literals.iter().map(|literal| -literal).chain([gate]));
    gate
}
