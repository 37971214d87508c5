//! Playouts by the machine, one step at a time: moves by a policy, decisive moves, early cut-off.

use game::playout::Random;
use game::{Evaluator, JointMove, Machine, Move, ReasonError, Role, State};

use crate::effort::{Meter, Stop};
use crate::rewards::{Look, Turn, rewards};

use super::amaf::Made;
use super::node::Bounds;
use super::options::{Decisive, Options};
use super::policy::Policy;

/// How often a move after which another role wins at once is drawn again.
const SECOND_THOUGHTS: usize = 3;

/// What a playout uses.
pub(super) struct Tools<'t> {
    pub(super) options: &'t Options,
    pub(super) machine: &'t mut dyn Machine,
    pub(super) evaluator: Option<&'t mut (dyn Evaluator + 'static)>,
    pub(super) policy: &'t Policy,
    pub(super) random: &'t mut Random,
    pub(super) meter: &'t mut Meter,
    pub(super) look: &'t mut Look,
    /// What is known about the rewards of each role.
    pub(super) outer: &'t [Bounds],
}

/// What was played in a step, as a number for sequences.
pub(super) fn digest(joint: impl IntoIterator<Item = Move>) -> u32 {
    joint.into_iter().fold(17, |sum: u32, m| sum.wrapping_mul(0x9E37_79B1).rotate_left(7) ^ m.0)
}

/// The number of what was played in two steps.
pub(super) fn digest_two(before: u32, last: u32) -> u32 {
    before.wrapping_mul(0x85EB_CA6B).rotate_left(13) ^ last
}

impl Tools<'_> {
    /// Plays to the end, or as far as playouts go; the values of all roles there, and how many moves that took, 0 if there was no end. The moves are added to `made`, if they are wanted;
    /// `after` is what was played before.
    pub(super) fn play(
        &mut self,
        start: &State,
        mut after: [u32; 2],
        mut made: Option<&mut Vec<Made>>,
        values: &mut [f64],
    ) -> Result<u32, Stop> {
        let mut state = start.clone();
        let mut joint = Vec::new();
        for length in 0..self.options.longest {
            self.meter.count()?;
            let turn = self.look.at(self.machine, &state)?;
            if turn == Turn::End {
                let goals = rewards(self.machine, &state)?;
                values.iter_mut().zip(goals).for_each(|(value, goal)| *value = f64::from(goal));
                return Ok(length);
            }
            if let (true, Some(evaluator)) =
                (self.options.cut_off.is_some_and(|most| length >= most), &mut self.evaluator)
            {
                evaluate(&mut **evaluator, &state, values);
                return Ok(length);
            }
            self.choose(&state, turn, after, &mut joint)?;
            if let Some(made) = &mut made {
                add_made(made, &self.look.moves, &joint, after);
            }
            let last = digest(joint.iter().copied());
            after = [last, digest_two(after[0], last)];
            state = self.machine.next(&state, &JointMove(std::mem::take(&mut joint)))?;
        }
        match &mut self.evaluator {
            Some(evaluator) => evaluate(&mut **evaluator, &state, values),
            None => unfinished(values),
        }
        Ok(0)
    }

    fn choose(
        &mut self,
        state: &State,
        turn: Turn,
        after: [u32; 2],
        joint: &mut Vec<Move>,
    ) -> Result<(), Stop> {
        joint.clear();
        for (role, moves) in self.look.moves.iter().enumerate() {
            joint.push(self.policy.choose(self.options, role, moves, after, self.random));
        }
        if let (Decisive::All, Turn::Of(role)) = (self.options.decisive, turn) {
            self.be_decisive(state, role, joint)?;
        }
        Ok(())
    }

    /// Decisive and anti-decisive moves (Teytaud and Teytaud 2010).
    fn be_decisive(&mut self, state: &State, role: Role, joint: &mut [Move]) -> Result<(), Stop> {
        let moves = self.look.moves[role.index()].clone();
        if let Some(win) = self.winning_move(state, role, &moves, joint)? {
            joint[role.index()] = win;
            return Ok(());
        }
        for _ in 0..SECOND_THOUGHTS {
            let next = self.machine.next(state, &JointMove(joint.to_vec()))?;
            let mut look = Look::default();
            let turn = look.at(self.machine, &next)?;
            let Turn::Of(other) = turn else { return Ok(()) };
            if other == role {
                return Ok(());
            }
            let mut answer: Vec<Move> = look.moves.iter().map(|own| own[0]).collect();
            let replies = &look.moves[other.index()];
            if self.winning_move(&next, other, replies, &mut answer)?.is_none() {
                return Ok(());
            }
            joint[role.index()] = moves[self.random.below(moves.len())];
        }
        Ok(())
    }

    /// A move of a role that ends the game with the best reward that it can get.
    fn winning_move(
        &mut self,
        state: &State,
        role: Role,
        moves: &[Move],
        joint: &mut [Move],
    ) -> Result<Option<Move>, Stop> {
        let before = joint[role.index()];
        let mut found = None;
        for action in moves {
            self.meter.count()?;
            joint[role.index()] = *action;
            if wins(self.machine, state, joint, role, self.outer)?.is_some() {
                found = Some(*action);
                break;
            }
        }
        joint[role.index()] = before;
        Ok(found)
    }
}

/// The state after a joint move, if play ends there with the best reward that a role can get.
pub(super) fn wins(
    machine: &mut dyn Machine,
    state: &State,
    joint: &[Move],
    role: Role,
    outer: &[Bounds],
) -> Result<Option<State>, ReasonError> {
    let next = machine.next(state, &JointMove(joint.to_vec()))?;
    if !machine.is_terminal(&next)? {
        return Ok(None);
    }
    let goal = machine.goal(&next, role)?.value();
    Ok(goal.filter(|goal| goal.0 >= outer[role.index()].high).map(|_| next))
}

/// The moves of the roles that have a choice.
pub(super) fn add_made(made: &mut Vec<Made>, moves: &[Vec<Move>], joint: &[Move], after: [u32; 2]) {
    for (role, (own, action)) in moves.iter().zip(joint).enumerate() {
        if own.len() > 1 {
            made.push(Made { role: role as u32, action: *action, after });
        }
    }
}

/// The evaluation of a state that is not an end.
pub(super) fn evaluate(evaluator: &mut dyn Evaluator, state: &State, values: &mut [f64]) {
    evaluator.evaluate(state, values);
    for value in values {
        *value = if value.is_finite() { value.clamp(0.0, 100.0) } else { 50.0 };
    }
}

/// What a playout without an end is worth: half to each of several roles, nothing to a single one,
/// which has to get somewhere.
pub(super) fn unfinished(values: &mut [f64]) {
    let value = if values.len() == 1 { 0.0 } else { 50.0 };
    values.fill(value);
}
