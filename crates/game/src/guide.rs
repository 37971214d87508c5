//! What knowledge about a game looks like to a search: values of states, states that are the same up to
//! symmetry, and ways to an end. Other crates fill these interfaces; searches see nothing else of them.

use crate::deadline::Deadline;
use crate::ids::{JointMove, Move, Role};
use crate::state::State;

/// Judges states that are not terminal.
pub trait Evaluator: Send {
    /// Fills in the expected reward of each role, from 0 to 100; `values` has one entry for each role.
    /// Must be finite for every state, also for one that cannot be reached.
    fn evaluate(&mut self, state: &State, values: &mut [f64]);

    /// The same evaluator for another thread.
    fn another(&self) -> Box<dyn Evaluator>;
}

/// A symmetry of a game, by its number; 0 is the identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymmetryId(pub u32);

/// Chooses one representative for all states that are symmetric to each other (thesis §8.4).
pub trait Canonicalizer: Send + Sync {
    /// The representative of a state, and the symmetry that maps the state to it.
    fn canonical(&self, state: &State) -> (State, SymmetryId);

    /// The same for a search that still looks `height` moves ahead of the state: none where symmetric states do
    /// not pay any more, so that the state stands for itself.
    fn canonical_at(&self, state: &State, _height: u32) -> Option<(State, SymmetryId)> {
        Some(self.canonical(state))
    }

    /// A search tells that it looked a state up by the representative it got from [`Canonicalizer::canonical_at`], and
    /// how many expansions the entry that it found spared; 0 if there was none.
    fn looked_up(&self, _state: &State, _height: u32, _spared: u64) {}

    /// Where a symmetry takes a move of a role.
    fn image(&self, symmetry: SymmetryId, role: Role, action: Move) -> (Role, Move);

    /// Where the move of a role came from: the inverse of [`Canonicalizer::image`].
    fn origin(&self, symmetry: SymmetryId, role: Role, action: Move) -> (Role, Move);

    /// Whether it was switched off because it does not pay: then states need not be asked for any more.
    fn is_off(&self) -> bool {
        false
    }

    /// Where a symmetry takes a role: every role to itself, unless role symmetries were asked for. What a role gets in a
    /// state is what its image gets in the image of the state.
    fn role(&self, _symmetry: SymmetryId, role: Role) -> Role {
        role
    }

    /// All symmetries that take a state to the same image as this one does, this one among them. They differ in what they do to
    /// roles where symmetries of the state exchange roles; others need not be told apart.
    fn ways(&self, _state: &State, symmetry: SymmetryId) -> Vec<SymmetryId> {
        vec![symmetry]
    }

    /// Whether a symmetry that is used takes some role to another one, so that values must be exchanged with the
    /// roles.
    fn exchanges_roles(&self) -> bool {
        false
    }

    /// For each move of a role the place of the first one that the symmetries of the state take to it; nothing where every
    /// move is its own. As with [`Canonicalizer::distinct`], right where this is the only role with a choice.
    fn alike(&self, _state: &State, _role: Role, _moves: &[Move]) -> Option<Vec<usize>> {
        None
    }

    /// Leaves one of each set of moves of a role that the symmetries of the state exchange (thesis §8.4): the
    /// first in the order given. Only symmetries that keep all roles count. Right where this is the only role with a choice; see
    /// [`Canonicalizer::distinct_joint`] for others.
    fn distinct(&self, _state: &State, _role: Role, _moves: &mut Vec<Move>) {}

    /// Leaves one of each set of joint moves that are symmetric in the state (thesis Def. 8.3).
    fn distinct_joint(&self, _state: &State, _joint: &mut Vec<JointMove>) {}

    /// The same for a search that still looks `height` moves ahead of the state: it may leave them all where asking
    /// does not pay any more.
    fn distinct_joint_at(&self, state: &State, _height: u32, joint: &mut Vec<JointMove>) {
        self.distinct_joint(state, joint);
    }
}

/// What somebody who looks ahead has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Foreseen {
    /// These moves lead to an end with the wanted reward. Whoever follows them should replay them first.
    Way(Vec<Move>),
    /// No end with that reward can be reached.
    Never,
    /// Nothing was found so far; more work may help.
    Open,
    /// Nothing was found, and more work would not fit into memory.
    Beyond,
}

/// Finds ways through games of one role otherwise than by making moves.
pub trait Foresight: Send {
    /// Looks for moves from a state to an end with a reward of at least `least`. How hard it tries is measured by
    /// `work`: twice as much takes about twice the time.
    fn look(&mut self, state: &State, least: u8, work: u64, deadline: &Deadline) -> Foreseen;
}
