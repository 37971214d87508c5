//! The machine on the circuit: one position at a time, exact like the interpreter and much faster.
//!
//! A circuit knows the states that can be reached and is exact for legal moves. What lies beyond (an
//! illegal joint move, a state with a fluent that no play can produce) is answered by an interpreter
//! inside, so nobody who uses the machine needs to care.

use std::sync::Arc;

use circuit::Single;
use ground::Budget;

use crate::batch::NoCircuit;
use crate::game::Game;
use crate::gates::{Gates, NOWHERE, Numbers};
use crate::ids::{JointMove, Move, Role};
use crate::interpreter::{Interpreter, goals_of};
use crate::machine::{Goals, Machine, ReasonError};
use crate::state::State;

/// A reasoner on gates.
pub struct CircuitMachine {
    game: Game,
    numbers: Arc<Numbers>,
    single: Single,
    loaded: Option<State>,
    has_goals: bool,
    fallback: Interpreter,
}

impl CircuitMachine {
    /// Makes the rules ground and builds the circuit.
    pub fn new(game: &Game, budget: &Budget) -> Result<Self, NoCircuit> {
        Ok(Gates::build(game, budget)?.machine())
    }

    /// A machine on a circuit that was built before.
    pub(crate) fn on(gates: &Gates) -> Self {
        Self {
            game: gates.game.clone(),
            numbers: gates.numbers.clone(),
            single: Single::new(&gates.circuit),
            loaded: None,
            has_goals: false,
            fallback: gates.game.interpreter(),
        }
    }

    /// Another machine on the same circuit, for another thread.
    #[must_use]
    pub fn another(&self) -> Self {
        Self {
            game: self.game.clone(),
            numbers: self.numbers.clone(),
            single: self.single.clone(),
            loaded: None,
            has_goals: false,
            fallback: self.game.interpreter(),
        }
    }

    /// Makes a state the present one; false if the circuit does not know it.
    fn load(&mut self, state: &State) -> bool {
        if self.loaded.as_ref() == Some(state) {
            return true;
        }
        self.loaded = None;
        self.has_goals = false;
        self.single.clear();
        for fluent in state.iter() {
            match self.numbers.place_of.get(fluent.index()) {
                Some(&place) if place != NOWHERE => self.single.set(place as usize),
                _ => return false,
            }
        }
        self.single.look();
        self.loaded = Some(state.clone());
        true
    }

    /// The moves as the circuit numbers them, if all of them are legal.
    fn legal_actions(&self, joint: &JointMove) -> Option<Vec<usize>> {
        let known = &self.numbers.action_of;
        let actions = joint.0.iter().zip(known).enumerate().map(|(role, (action, known))| {
            let at = known.get(action).copied()?;
            self.single.is_legal(role, at).then_some(at)
        });
        let actions: Option<Vec<usize>> = actions.collect();
        actions.filter(|actions| actions.len() == known.len() && joint.0.len() == known.len())
    }
}

impl Machine for CircuitMachine {
    fn game(&self) -> &Game {
        &self.game
    }

    fn initial(&mut self) -> Result<State, ReasonError> {
        Ok(self.numbers.initial.clone())
    }

    fn is_terminal(&mut self, state: &State) -> Result<bool, ReasonError> {
        if !self.load(state) {
            return self.fallback.is_terminal(state);
        }
        Ok(self.single.is_terminal())
    }

    fn legal_moves(
        &mut self,
        state: &State,
        role: Role,
        moves: &mut Vec<Move>,
    ) -> Result<(), ReasonError> {
        if !self.load(state) {
            return self.fallback.legal_moves(state, role, moves);
        }
        moves.clear();
        let (Some(order), Some(own)) =
            (self.numbers.order.get(role.index()), self.numbers.moves.get(role.index()))
        else {
            return Ok(());
        };
        let legal = order.iter().filter(|at| self.single.is_legal(role.index(), **at));
        moves.extend(legal.map(|at| own[*at]));
        Ok(())
    }

    fn next(&mut self, state: &State, joint: &JointMove) -> Result<State, ReasonError> {
        let known = self.load(state);
        let Some(actions) = known.then(|| self.legal_actions(joint)).flatten() else {
            return self.fallback.next(state, joint);
        };
        let mut next = State::new();
        let fluents = &self.numbers.fluents;
        self.single.next(&actions, |at| next.insert(fluents[at]));
        // The goals shared their places with the next state.
        self.has_goals = false;
        Ok(next)
    }

    fn goal(&mut self, state: &State, role: Role) -> Result<Goals, ReasonError> {
        if !self.load(state) {
            return self.fallback.goal(state, role);
        }
        if !self.has_goals {
            self.single.look_at_goals();
            self.has_goals = true;
        }
        let values = self.numbers.goals[role.index()].iter().enumerate();
        let mut held: Vec<String> = values
            .filter(|(at, _)| self.single.has_goal(role.index(), *at))
            .map(|(_, value)| value.clone())
            .collect();
        held.sort_unstable();
        Ok(goals_of(held))
    }
}
