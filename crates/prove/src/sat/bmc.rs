//! Bounded model checking (Biere and others 1999): a match of a given length after which a property fails.

use circuit::graph::Signal;
use game::Deadline;

use super::model::Model;
use super::solver::{Answer, FALSE, Sat};
use super::unroll::{Start, Unrolling};

/// A property that fails, with the moves of each role by their places in the ground program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Which of the signals.
    pub wanted: usize,
    /// The joint moves. The last one is the one that breaks a property about moves.
    pub moves: Vec<Vec<usize>>,
}

/// All matches up to some length, a step at a time.
pub struct Bounded<'m> {
    sat: Sat,
    unrolling: Unrolling<'m>,
    /// No match is that long.
    exhausted: bool,
}

/// What a depth had to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// No property that was asked for fails there.
    Clean,
    /// Some questions were too hard.
    Unsure,
    /// No match goes further: what did not fail so far holds.
    Exhausted,
    /// The deadline passed.
    Stopped,
}

impl<'m> Bounded<'m> {
    /// Starts with matches of no moves.
    pub fn new(model: &'m Model, deadline: &Deadline) -> Self {
        let unrolling = Unrolling::new(model, Start::Initial);
        Self { sat: Sat::new(deadline), unrolling, exhausted: false }
    }

    /// How many moves the longest matches have.
    pub fn depth(&self) -> usize {
        self.unrolling.count() - 1
    }

    /// Looks for failures after exactly as many moves as matches have now (for properties about moves: at the move
    /// that comes next), then makes matches one move longer.
    pub fn deepen(
        &mut self,
        wanted: &[(usize, Signal, bool)],
        conflicts: u32,
        found: &mut Vec<Failure>,
    ) -> Depth {
        if self.exhausted {
            return Depth::Exhausted;
        }
        let depth = self.depth();
        let mut unsure = false;
        for (at, signal, _) in wanted.iter().filter(|(_, _, about_moves)| !about_moves) {
            unsure |= !self.look(*at, *signal, depth, depth, conflicts, found);
        }
        if !self.unrolling.step(&mut self.sat) {
            return Depth::Stopped;
        }
        for (at, signal, _) in wanted.iter().filter(|(_, _, about_moves)| *about_moves) {
            unsure |= !self.look(*at, *signal, depth, depth + 1, conflicts, found);
        }
        match self.sat.solve_within(&[], conflicts) {
            Answer::Unsat => self.exhausted = true,
            Answer::Stopped => unsure = true,
            Answer::Sat => {}
        }
        match (self.sat.is_over(), unsure, self.exhausted) {
            (true, ..) => Depth::Stopped,
            (_, true, _) => Depth::Unsure,
            (_, _, true) => Depth::Exhausted,
            _ => Depth::Clean,
        }
    }

    /// False if the question was too hard.
    fn look(
        &mut self,
        wanted: usize,
        signal: Signal,
        step: usize,
        moves: usize,
        conflicts: u32,
        found: &mut Vec<Failure>,
    ) -> bool {
        let Some(literal) = self.unrolling.literal(&mut self.sat, step, signal) else {
            return false;
        };
        if -literal == FALSE {
            return true;
        }
        match self.sat.solve_within(&[-literal], conflicts) {
            Answer::Unsat => true,
            Answer::Stopped => false,
            Answer::Sat => {
                let made = (0..moves).map(|step| self.unrolling.joint_move(&self.sat, step));
                found.push(Failure { wanted, moves: made.collect() });
                true
            }
        }
    }
}
