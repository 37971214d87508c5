//! All successors of a position at once, for searches that expand a node.
//!
//! One pass over the circuit gives the states after all joint moves, their legal moves, ends and goals, for a
//! fraction of what going there one by one costs. See [`circuit::Expander`].

use std::sync::Arc;

use crate::gates::{Gates, NOWHERE, Numbers};
use crate::ids::{JointMove, Move, Role};
use crate::machine::Goal;
use crate::state::State;

/// Expands positions of a game, for one thread.
#[derive(Clone, Debug)]
pub struct Expander {
    inner: circuit::Expander,
    numbers: Arc<Numbers>,
}

/// The successors of a position, in the order of the joint moves given.
#[derive(Clone, Debug)]
pub struct Expansion {
    found: circuit::Successors,
    numbers: Arc<Numbers>,
}

impl Expander {
    pub(crate) fn on(gates: &Gates) -> Self {
        Self { inner: circuit::Expander::new(gates.plan()), numbers: gates.numbers.clone() }
    }

    /// The successors of a state by joint moves, which must be legal, as those of a machine are. None if the
    /// circuit does not know the state or a move: then a machine knows the answer.
    pub fn expand(&mut self, state: &State, joints: &[JointMove]) -> Option<Expansion> {
        let ranks: Option<Vec<Vec<u32>>> = joints.iter().map(|joint| self.ranks(joint)).collect();
        let found = self.inner.expand(state.words(), &ranks?)?;
        Some(Expansion { found, numbers: self.numbers.clone() })
    }

    fn ranks(&self, joint: &JointMove) -> Option<Vec<u32>> {
        let known = &self.numbers.rank_of;
        let rank = |(action, ranks): (&Move, &Vec<u32>)| {
            ranks.get(action.index()).copied().filter(|rank| *rank != NOWHERE)
        };
        if joint.0.len() != known.len() {
            return None;
        }
        joint.0.iter().zip(known).map(rank).collect()
    }
}

impl Expansion {
    /// How many successors there are.
    pub fn len(&self) -> usize {
        self.found.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.found.count == 0
    }

    /// The state of a successor.
    pub fn state(&self, at: usize) -> State {
        let words = self.found.state_words;
        State::from_words(self.found.states[at * words..(at + 1) * words].iter().copied())
    }

    /// Whether a successor is terminal.
    pub fn is_terminal(&self, at: usize) -> bool {
        self.found.terminal[at]
    }

    /// Replaces the contents of `moves` by the legal moves of a role in a successor, sorted by their text.
    pub fn legal_moves(&self, at: usize, role: Role, moves: &mut Vec<Move>) {
        moves.clear();
        let ranked = &self.numbers.ranked[role.index()];
        for (index, word) in self.legal_words(at, role).iter().enumerate() {
            let mut rest = *word;
            while rest != 0 {
                moves.push(ranked[index * 64 + rest.trailing_zeros() as usize]);
                rest &= rest - 1;
            }
        }
    }

    /// How many legal moves a role has in a successor.
    pub fn mobility(&self, at: usize, role: Role) -> usize {
        circuit::count_bits(self.legal_words(at, role)) as usize
    }

    fn legal_words(&self, at: usize, role: Role) -> &[u64] {
        let words = self.found.legal_words[role.index()];
        &self.found.legal[role.index()][at * words..(at + 1) * words]
    }

    /// The reward of a role in a terminal successor; none where it is not defined or the game goes on.
    pub fn goal(&self, at: usize, role: Role) -> Option<Goal> {
        let value = self.found.goals[role.index()][at]?;
        self.numbers.values[role.index()][value as usize]
    }
}
