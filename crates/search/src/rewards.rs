//! What a state offers to a search: an end with rewards, or the moves of the roles. All searches share
//! these definitions, so that they mean the same by the value of a game.

use game::{JointMove, Machine, Move, ReasonError, Role, State};

/// The rewards of all roles in a state where play ends (thesis Def. 4.2, first case). A reward that the
/// rules leave undefined counts as 0.
pub fn rewards(machine: &mut dyn Machine, state: &State) -> Result<Vec<u8>, ReasonError> {
    let roles = machine.game().role_ids();
    roles.map(|role| Ok(machine.goal(state, role)?.value().map_or(0, |goal| goal.0))).collect()
}

/// Who has a choice in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Play ends here: the state is terminal, or some role has no legal move. Such a stuck state counts
    /// as an end with the goals that the rules give there.
    End,
    /// No role has a choice.
    Nobody,
    /// Exactly one role has a choice (thesis Eq. 4.2).
    Of(Role),
    /// Several roles have.
    Several,
}

/// The moves that a state offers; its memory is used again from state to state.
#[derive(Clone, Debug, Default)]
pub struct Look {
    /// The legal moves of each role; empty at an end.
    pub moves: Vec<Vec<Move>>,
    /// Whether the state is terminal by the rules.
    pub terminal: bool,
}

impl Look {
    /// Looks at a state.
    pub fn at(&mut self, machine: &mut dyn Machine, state: &State) -> Result<Turn, ReasonError> {
        let roles = machine.game().roles().len();
        self.moves.resize(roles, Vec::new());
        self.terminal = machine.is_terminal(state)?;
        if self.terminal {
            self.moves.iter_mut().for_each(Vec::clear);
            return Ok(Turn::End);
        }
        for (role, moves) in self.moves.iter_mut().enumerate() {
            machine.legal_moves(state, Role(role as u32), moves)?;
        }
        Ok(self.turn())
    }

    /// Who has a choice.
    pub fn turn(&self) -> Turn {
        if self.moves.iter().any(Vec::is_empty) {
            return Turn::End;
        }
        let mut choosing = (0..self.moves.len()).filter(|role| self.moves[*role].len() > 1);
        match (choosing.next(), choosing.next()) {
            (None, _) => Turn::Nobody,
            (Some(role), None) => Turn::Of(Role(role as u32)),
            (Some(_), Some(_)) => Turn::Several,
        }
    }

    /// How many joint moves there are; the largest number where they are more.
    pub fn joint_count(&self) -> usize {
        self.moves.iter().map(Vec::len).fold(1, usize::saturating_mul)
    }

    /// The joint move with a number below [`Look::joint_count`]; the last role's move changes fastest.
    pub fn joint(&self, mut number: usize) -> JointMove {
        let mut joint: Vec<Move> = self
            .moves
            .iter()
            .rev()
            .map(|own| {
                let action = own[number % own.len()];
                number /= own.len();
                action
            })
            .collect();
        joint.reverse();
        JointMove(joint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joint_moves_are_numbered_without_gaps() {
        let look = Look {
            moves: vec![vec![Move(1), Move(2)], vec![Move(7)], vec![Move(3), Move(4), Move(5)]],
            terminal: false,
        };
        assert_eq!((look.turn(), look.joint_count()), (Turn::Several, 6));
        let all: Vec<_> = (0..6).map(|number| look.joint(number)).collect();
        let mut sorted = all.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!((all.len(), &all), (6, &sorted));
        assert_eq!(all[5], JointMove(vec![Move(2), Move(7), Move(5)]));
    }
}
