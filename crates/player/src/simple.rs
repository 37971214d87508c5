//! Players that do not think: the first legal move, a random legal move.

use game::playout::Random;
use game::{Deadline, Machine, Move, ReasonError, Role, State};

use crate::thinker::{Context, Thinker, Thought};

/// Plays legal moves: the first in the order of their texts, or a random one.
pub struct Simple {
    machine: Box<dyn Machine>,
    role: Role,
    random: Option<Random>,
    moves: Vec<Move>,
}

impl Simple {
    /// Always the first move.
    pub fn legal(context: &Context) -> Self {
        let (machine, role) = (context.machine(), context.role);
        Self { machine, role, random: None, moves: Vec::new() }
    }

    /// Uniformly random moves.
    pub fn random(context: &Context) -> Self {
        Self { random: Some(Random::new(context.seed)), ..Self::legal(context) }
    }
}

impl Thinker for Simple {
    fn think(
        &mut self,
        state: &State,
        _deadline: &Deadline,
        _note: &mut dyn FnMut(Thought),
    ) -> Result<Option<Thought>, ReasonError> {
        self.machine.legal_moves(state, self.role, &mut self.moves)?;
        let most = self.moves.len();
        let chosen = match &mut self.random {
            Some(random) if most > 0 => random.below(most),
            _ => 0,
        };
        Ok(self.moves.get(chosen).map(|action| Thought { action: *action, report: None }))
    }
}
