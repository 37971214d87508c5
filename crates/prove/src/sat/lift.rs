//! From one state that leads somewhere to all states that do so by the same move for the same reason.
//!
//! Under the state and the move, "it leads elsewhere, or the move is not legal, or the game is over" is a
//! contradiction; the fluents that the contradiction needs are the reason (Chockler and others 2011).

use circuit::graph::Signal;
use game::Deadline;

use super::model::Model;
use super::pdr::{Cube, Goal};
use super::solver::{Answer, Lit, Sat};
use super::unroll::{Start, Unrolling};

/// Finds reasons.
pub struct Lifter<'m> {
    model: &'m Model,
    sat: Sat,
    unrolling: Unrolling<'m>,
}

impl<'m> Lifter<'m> {
    /// For a circuit, without any constraint.
    pub fn new(model: &'m Model, deadline: &Deadline) -> Self {
        let unrolling = Unrolling::new(model, Start::Anywhere);
        Self { model, sat: Sat::new(deadline), unrolling }
    }

    /// Why a property fails in a state, or at a move in it.
    pub fn failing(&mut self, state: &[bool], joint: &[usize], goal: Goal) -> Option<Cube> {
        let mut others = if goal.about_moves { self.obstacles(joint)? } else { Vec::new() };
        others.push(self.unrolling.literal(&mut self.sat, 0, goal.signal)?);
        self.reason(state, joint, others)
    }

    /// Why a move in a state leads into a cube.
    pub fn leading(&mut self, state: &[bool], joint: &[usize], cube: &Cube) -> Option<Cube> {
        let mut others = self.obstacles(joint)?;
        for (fluent, holds) in cube {
            let next: Signal = self.model.next[*fluent as usize];
            let literal = self.unrolling.literal(&mut self.sat, 0, next)?;
            others.push(if *holds { -literal } else { literal });
        }
        self.reason(state, joint, others)
    }

    /// What would keep a joint move from being made.
    fn obstacles(&mut self, joint: &[usize]) -> Option<Vec<Lit>> {
        let mut obstacles = vec![self.unrolling.literal(&mut self.sat, 0, self.model.terminal)?];
        for (action, legal) in joint.iter().zip(&self.model.legal) {
            obstacles.push(-self.unrolling.literal(&mut self.sat, 0, legal[*action])?);
        }
        Some(obstacles)
    }

    fn reason(&mut self, state: &[bool], joint: &[usize], others: Vec<Lit>) -> Option<Cube> {
        let question = self.sat.fresh();
        self.sat.clause(others.into_iter().chain([-question]));
        let mut assumptions = vec![question];
        for (own, made) in self.model.does.iter().zip(joint) {
            for (at, does) in own.iter().enumerate() {
                if let Some(literal) = self.unrolling.existing(0, *does) {
                    assumptions.push(if at == *made { literal } else { -literal });
                }
            }
        }
        let literals: Vec<Option<Lit>> = self
            .model
            .fluents
            .iter()
            .zip(state)
            .map(|(fluent, holds)| {
                let literal = self.unrolling.existing(0, *fluent)?;
                Some(if *holds { literal } else { -literal })
            })
            .collect();
        assumptions.extend(literals.iter().flatten());
        let answer = self.sat.solve(&assumptions);
        let needed = |literal: &Option<Lit>| match answer {
            Answer::Unsat => literal.is_some_and(|literal| self.sat.failed(literal)),
            // It follows from the state as a whole; this is never met with a circuit that is exact.
            _ => true,
        };
        let places = (0..state.len()).filter(|at| needed(&literals[*at]));
        let cube = places.map(|at| (at as u32, state[at])).collect();
        self.sat.clause([-question]);
        (answer != Answer::Stopped).then_some(cube)
    }
}
