//! That a sum ends when no part has a move left, and not before, and what roles get then: shown with a SAT solver for each combination of
//! states of the parts, whether play comes there or not.

use game::Deadline;

use super::Piece;
use super::grundy::{Bits, bit};
use super::turns::Time;
use crate::sat::model::Model;
use crate::sat::solver::{Answer, Lit, Sat};
use crate::sat::unroll::{Start, Unrolling};

/// States of parts may be told to the solver by so many literals.
const MOST_LITERALS: usize = 4_000_000;

/// A game at one time, its parts and the fluents that never change.
pub(super) struct Question<'q> {
    pub(super) model: &'q Model,
    pub(super) time: &'q Time,
    pub(super) pieces: &'q [Piece],
    pub(super) fixed: &'q [u32],
}

/// A solver with the gates of one time.
struct Asked<'q> {
    sat: Sat,
    gates: Unrolling<'q>,
    terminal: Lit,
}

impl<'q> Question<'q> {
    /// Whether play ends just where nobody can do anything, and rewards are the same in all such states.
    pub(super) fn ends_when_all_do(&self, deadline: &Deadline) -> Option<bool> {
        Some(self.ends_with_the_last(deadline)? && self.ends_not_before(deadline)?)
    }

    fn ask(&self, deadline: &Deadline) -> Option<Asked<'q>> {
        let mut sat = Sat::new(deadline);
        let mut gates = Unrolling::new(self.model, Start::Anywhere);
        for fluent in self.fixed {
            let literal = gates.fluent(&mut sat, 0, *fluent as usize)?;
            let holds = self.model.initial[*fluent as usize];
            sat.clause([if holds { literal } else { -literal }]);
        }
        let terminal = gates.literal(&mut sat, 0, self.time.terminal)?;
        Some(Asked { sat, gates, terminal })
    }

    /// Whether all combinations of parts without a move are ends, with the same goals.
    fn ends_with_the_last(&self, deadline: &Deadline) -> Option<bool> {
        let mut asked = self.ask(deadline)?;
        for piece in self.pieces {
            let dead = piece.table.states.iter().zip(&piece.table.dead);
            let dead: Vec<&Bits> =
                dead.filter(|(_, dead)| **dead).map(|(state, _)| state).collect();
            asked.put(piece, &dead)?;
        }
        let mut goals = Vec::new();
        for goal in &self.time.goals {
            goals.push(asked.gates.literal(&mut asked.sat, 0, *goal)?);
        }
        // There is such a state; what holds in it has to hold in all.
        if asked.sat.solve(&[]) != Answer::Sat {
            return None;
        }
        let mut right: Vec<Lit> = goals
            .into_iter()
            .map(|goal| if asked.sat.holds(goal) { goal } else { -goal })
            .collect();
        right.push(asked.terminal);
        for literal in right {
            if !asked.never(&[-literal])? {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Whether it is no end where something can be done in a part, and nothing but that can be done elsewhere. Mostly that is so in all
    /// sets of fluents; if not, in those that are states of parts.
    fn ends_not_before(&self, deadline: &Deadline) -> Option<bool> {
        let mut asked = self.ask(deadline)?;
        let (mut live, mut idle) = (vec![-asked.sat.fresh()], vec![-asked.sat.fresh()]);
        for choice in &self.time.choices {
            live.push(asked.gates.literal(&mut asked.sat, 0, choice.legal)?);
        }
        for legal in &self.time.idle {
            idle.push(asked.gates.literal(&mut asked.sat, 0, *legal)?);
        }
        let early = [asked.terminal, -live[0]];
        let extra = [-asked.terminal, -idle[0]];
        asked.sat.clause(live);
        asked.sat.clause(idle);
        if asked.never(&early)? && asked.never(&extra)? {
            return Some(true);
        }
        let size = |piece: &Piece| piece.table.states.len() * (piece.fluents.len() + 1);
        if self.pieces.iter().map(size).sum::<usize>() > MOST_LITERALS {
            return None;
        }
        for piece in self.pieces {
            let states: Vec<&Bits> = piece.table.states.iter().collect();
            asked.put(piece, &states)?;
        }
        Some(asked.never(&early)? && asked.never(&extra)?)
    }
}

impl Asked<'_> {
    /// A part is in one of these states.
    fn put(&mut self, piece: &Piece, states: &[&Bits]) -> Option<()> {
        let mut literals = Vec::with_capacity(piece.fluents.len());
        for fluent in &piece.fluents {
            literals.push(self.gates.fluent(&mut self.sat, 0, *fluent as usize)?);
        }
        let mut one = Vec::with_capacity(states.len());
        for state in states {
            let here = self.sat.fresh();
            for (at, literal) in literals.iter().enumerate() {
                self.sat.clause([-here, if bit(state, at) { *literal } else { -*literal }]);
            }
            one.push(here);
        }
        self.sat.clause(one);
        Some(())
    }

    /// Whether these never hold at once; none if that was not found out.
    fn never(&mut self, assumed: &[Lit]) -> Option<bool> {
        match self.sat.solve(assumed) {
            Answer::Sat => Some(false),
            Answer::Unsat => Some(true),
            Answer::Stopped => None,
        }
    }
}
