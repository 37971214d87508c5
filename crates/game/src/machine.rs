//! The interface that all reasoners of a game share, and that everything above them uses.

use std::fmt;

use datalog::EvalError;

use crate::batch::Outcome;
use crate::game::Game;
use crate::ids::{JointMove, Move, Role};
use crate::playout::Random;
use crate::state::State;

/// A reward between 0 and 100 (thesis §2.2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Goal(pub u8);

/// What the rules say about the reward of a role in a state. Valid games give exactly one value in
/// terminal states (thesis Def. 2.13), others may give none or several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goals {
    /// Exactly one value that is an integer from 0 to 100.
    One(Goal),
    /// Anything else: the terms derived, as text, in sorted order.
    Undefined(Vec<String>),
}

impl Goals {
    /// The value if it is defined.
    pub fn value(&self) -> Option<Goal> {
        match self {
            Goals::One(goal) => Some(*goal),
            Goals::Undefined(_) => None,
        }
    }
}

/// Why a question about a state was not answered. The machine stays usable.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReasonError {
    /// The rules could not be evaluated within the limits.
    Eval(EvalError),
    /// A joint move names another number of moves than there are roles.
    WrongNumberOfMoves {
        /// Moves given.
        given: usize,
        /// Roles of the game.
        roles: usize,
    },
}

impl fmt::Display for ReasonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Eval(error) => write!(f, "{error}"),
            Self::WrongNumberOfMoves { given, roles } => {
                write!(f, "a joint move of {given} moves was given to a game of {roles} roles")
            }
        }
    }
}

impl std::error::Error for ReasonError {}

impl From<EvalError> for ReasonError {
    fn from(error: EvalError) -> Self {
        Self::Eval(error)
    }
}

/// A reasoner for one game, with its own scratch memory: one per thread.
///
/// All machines of a game share its [`Game::universe`], so states and moves can be handed from one
/// machine to another. Answers depend on the arguments alone, never on the history of calls.
pub trait Machine: Send {
    /// The game.
    fn game(&self) -> &Game;

    /// The initial state.
    fn initial(&mut self) -> Result<State, ReasonError>;

    /// Whether the state is terminal.
    fn is_terminal(&mut self, state: &State) -> Result<bool, ReasonError>;

    /// Replaces the contents of `moves` by the legal moves of `role`, sorted by their text.
    fn legal_moves(
        &mut self,
        state: &State,
        role: Role,
        moves: &mut Vec<Move>,
    ) -> Result<(), ReasonError>;

    /// The state after a joint move. Whether the moves are legal is not checked.
    fn next(&mut self, state: &State, joint: &JointMove) -> Result<State, ReasonError>;

    /// The reward of a role; also meaningful in states that are not terminal.
    fn goal(&mut self, state: &State, role: Role) -> Result<Goals, ReasonError>;

    /// The fluents that only tell the time, as no move has an influence on them; none if that is not known.
    fn clock(&mut self) -> Option<State> {
        None
    }
}

/// The ability to play random playouts inside, without handing out every state on the way.
pub trait Playouts: Machine {
    /// Plays uniformly random legal moves from a state until the end, for at most `most` moves. Goals are given
    /// for terminal states only.
    fn random_playout(
        &mut self,
        start: &State,
        random: &mut Random,
        most: u32,
    ) -> Result<Outcome, ReasonError>;
}
