//! Induction steps on the part of the circuit that a candidate depends on.
//!
//! Most invariants of large games are local: whether a cell has one content after a move depends on the moves that
//! touch it. Here only the gates behind one candidate become clauses, with the legality of the moves among them and
//! the hypotheses that speak of the same fluents. All other moves, the end of the game and further hypotheses are
//! left out, so more can happen than in the game: what cannot happen here cannot happen there. A candidate that is
//! not proved this way is tried on the whole circuit.

use std::rc::Rc;

use circuit::graph::{Node, Signal};
use game::Deadline;

use super::model::{Input, Model};
use super::solver::{Answer, FALSE, Lit, Sat, TRUE};
use super::unroll::{Fanout, Start, Unrolling};

/// With more gates than that behind a candidate, the whole circuit is as good.
const MOST_GATES: usize = 60_000;

/// Hypotheses by the fluents they speak of.
pub struct Locals<'m> {
    model: &'m Model,
    fanout: Rc<Fanout>,
    signals: Vec<Signal>,
    supports: Vec<Vec<u32>>,
    by_fluent: Vec<Vec<u32>>,
}

impl<'m> Locals<'m> {
    /// Hypotheses that may be used for each other.
    pub fn new(model: &'m Model, signals: Vec<Signal>) -> Self {
        let mut supports = Supports::new(model);
        let supports: Vec<Vec<u32>> = signals.iter().map(|signal| supports.of(*signal)).collect();
        let mut by_fluent = vec![Vec::new(); model.fluents.len()];
        for (at, support) in supports.iter().enumerate() {
            for fluent in support {
                by_fluent[*fluent as usize].push(at as u32);
            }
        }
        let fanout = Rc::new(Fanout::new(model));
        Self { model, fanout, signals, supports, by_fluent }
    }

    /// Tries to prove that a candidate holds after every move if the hypotheses for which `assumed` is true hold
    /// before. Returns those that were needed.
    pub fn prove(
        &self,
        candidate: usize,
        assumed: impl Fn(usize) -> bool,
        conflicts: u32,
        deadline: &Deadline,
    ) -> Option<Vec<usize>> {
        let mut sat = Sat::new(deadline);
        let mut unrolling = Unrolling::sharing(self.model, Start::Anywhere, self.fanout.clone());
        unrolling.blank_step();
        let after = unrolling.literal(&mut sat, 1, self.signals[candidate])?;
        if after == TRUE {
            return Some(Vec::new());
        }
        for role in 0..self.model.does.len() {
            self.constrain(&mut sat, &mut unrolling, role)?;
            if sat.clauses() > MOST_GATES * 3 {
                return None;
            }
        }
        self.needed(&mut sat, &mut unrolling, (candidate, after), assumed, conflicts)
    }

    /// Tries to prove that a candidate holds where the others for which `assumed` is true hold. Returns those that were
    /// needed.
    pub fn prove_in_state(
        &self,
        candidate: usize,
        assumed: impl Fn(usize) -> bool,
        conflicts: u32,
        deadline: &Deadline,
    ) -> Option<Vec<usize>> {
        let mut sat = Sat::new(deadline);
        let mut unrolling = Unrolling::sharing(self.model, Start::Anywhere, self.fanout.clone());
        let now = unrolling.literal(&mut sat, 0, self.signals[candidate])?;
        if now == TRUE {
            return Some(Vec::new());
        }
        let others = |at: usize| at != candidate && assumed(at);
        self.needed(&mut sat, &mut unrolling, (candidate, now), others, conflicts)
    }

    /// The hypotheses that a literal needs to hold, if it holds.
    fn needed(
        &self,
        sat: &mut Sat,
        unrolling: &mut Unrolling<'_>,
        (candidate, goal): (usize, Lit),
        assumed: impl Fn(usize) -> bool,
        conflicts: u32,
    ) -> Option<Vec<usize>> {
        let mut selected: Vec<(usize, Lit)> = Vec::new();
        for hypothesis in self.related(unrolling, candidate, assumed) {
            let literal = unrolling.literal(sat, 0, self.signals[hypothesis])?;
            let selector = sat.fresh();
            sat.clause([-selector, literal]);
            selected.push((hypothesis, selector));
        }
        let mut assumptions: Vec<Lit> = selected.iter().map(|(_, selector)| *selector).collect();
        assumptions.push(-goal);
        if sat.solve_within(&assumptions, conflicts) != Answer::Unsat {
            return None;
        }
        let needed = selected.iter().filter(|(_, selector)| sat.failed(*selector));
        Some(needed.map(|(hypothesis, _)| *hypothesis).collect())
    }

    /// The moves of a role that are there exclude each other and are legal.
    fn constrain(&self, sat: &mut Sat, unrolling: &mut Unrolling<'_>, role: usize) -> Option<()> {
        let mut made: Vec<Lit> = Vec::new();
        let mut all = true;
        for (does, legal) in self.model.does[role].iter().zip(&self.model.legal[role]) {
            let Some(literal) = unrolling.existing(0, *does) else {
                all &= *legal == Signal::FALSE;
                continue;
            };
            let legal = unrolling.literal(sat, 0, *legal)?;
            if legal == FALSE {
                sat.clause([-literal]);
            } else {
                sat.clause([-literal, legal]);
                made.push(literal);
            }
        }
        sat.at_most_one(&made);
        if all {
            sat.clause(made);
        }
        Some(())
    }

    /// The hypotheses that speak of fluents that are there, the candidate itself first.
    fn related(
        &self,
        unrolling: &Unrolling<'_>,
        candidate: usize,
        assumed: impl Fn(usize) -> bool,
    ) -> Vec<usize> {
        let exists: Vec<bool> = self
            .model
            .fluents
            .iter()
            .map(|fluent| unrolling.existing(0, *fluent).is_some())
            .collect();
        let mut found: Vec<usize> = (0..exists.len())
            .filter(|fluent| exists[*fluent])
            .flat_map(|fluent| self.by_fluent[fluent].iter().map(|at| *at as usize))
            .collect();
        found.push(candidate);
        found.sort_unstable();
        found.dedup();
        found.retain(|at| {
            let support = &self.supports[*at];
            let there = support.iter().filter(|fluent| exists[**fluent as usize]).count();
            (*at == candidate || there >= 2 || support.len() == 1) && assumed(*at)
        });
        found
    }
}

/// The fluents that signals depend on.
struct Supports<'m> {
    model: &'m Model,
    /// When each node was last visited.
    visited: Vec<u32>,
    visit: u32,
}

impl<'m> Supports<'m> {
    fn new(model: &'m Model) -> Self {
        Self { model, visited: vec![0; model.graph.nodes().len()], visit: 0 }
    }

    fn of(&mut self, signal: Signal) -> Vec<u32> {
        self.visit += 1;
        let mut fluents = Vec::new();
        let mut todo = vec![signal.node()];
        while let Some(node) = todo.pop() {
            if std::mem::replace(&mut self.visited[node], self.visit) == self.visit {
                continue;
            }
            match self.model.graph.nodes()[node] {
                Node::False => {}
                Node::Input(number) => {
                    if let Input::Fluent(fluent) = self.model.input(number) {
                        fluents.push(fluent);
                    }
                }
                Node::And(a, b) => todo.extend([a.node(), b.node()]),
            }
        }
        fluents.sort_unstable();
        fluents
    }
}
