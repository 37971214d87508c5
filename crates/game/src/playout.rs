//! Random play.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::ids::{JointMove, Move};
use crate::machine::{Goals, Machine, ReasonError};
use crate::state::State;

/// The random numbers of playouts: the same seed gives the same numbers everywhere.
#[derive(Clone, Debug)]
pub struct Random(Xoshiro256PlusPlus);

impl Random {
    /// A generator with a seed.
    pub fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// A number below `bound`, uniformly (Lemire's method without bias). `bound` must not be 0.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = bound as u64;
        loop {
            let wide = u128::from(self.0.next_u64()) * u128::from(bound);
            // The remainder is below the bound, so it is hardly ever needed.
            let low = wide as u64;
            if low >= bound || low >= bound.wrapping_neg() % bound {
                return (wide >> 64) as usize;
            }
        }
    }
}

/// A uniformly random legal move for each role; none if some role has no legal move.
pub fn random_joint_move(
    machine: &mut dyn Machine,
    state: &State,
    random: &mut Random,
) -> Result<Option<JointMove>, ReasonError> {
    let mut moves: Vec<Move> = Vec::new();
    let mut joint = Vec::new();
    for role in machine.game().role_ids() {
        machine.legal_moves(state, role, &mut moves)?;
        if moves.is_empty() {
            return Ok(None);
        }
        joint.push(moves[random.below(moves.len())]);
    }
    Ok(Some(JointMove(joint)))
}

/// How a playout ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// In a terminal state, with the goals of all roles.
    Terminal(Vec<Goals>),
    /// A role had no legal move in a state that is not terminal.
    NoLegalMove(crate::ids::Role),
    /// The given number of steps was reached.
    StepLimit,
}

/// A simulated path from a state to the end.
#[derive(Clone, Debug)]
pub struct Playout {
    /// The states on the way, the first one included.
    pub states: Vec<State>,
    /// The joint moves between them.
    pub moves: Vec<JointMove>,
    /// How it ended.
    pub end: End,
}

/// Plays uniformly random legal moves from `state` until the end or for at most `most` steps.
pub fn playout(
    machine: &mut dyn Machine,
    state: &State,
    random: &mut Random,
    most: usize,
) -> Result<Playout, ReasonError> {
    let mut states = vec![state.clone()];
    let mut moves = Vec::new();
    let mut state = state.clone();
    let end = loop {
        if machine.is_terminal(&state)? {
            let roles = machine.game().role_ids();
            break End::Terminal(roles.map(|r| machine.goal(&state, r)).collect::<Result<_, _>>()?);
        }
        if moves.len() >= most {
            break End::StepLimit;
        }
        match random_joint_move(machine, &state, random)? {
            None => {
                let stuck = first_without_moves(machine, &state)?;
                break End::NoLegalMove(stuck);
            }
            Some(joint) => {
                state = machine.next(&state, &joint)?;
                moves.push(joint);
                states.push(state.clone());
            }
        }
    };
    Ok(Playout { states, moves, end })
}

fn first_without_moves(
    machine: &mut dyn Machine,
    state: &State,
) -> Result<crate::ids::Role, ReasonError> {
    let mut moves = Vec::new();
    for role in machine.game().role_ids() {
        machine.legal_moves(state, role, &mut moves)?;
        if moves.is_empty() {
            return Ok(role);
        }
    }
    Ok(crate::ids::Role(0))
}
