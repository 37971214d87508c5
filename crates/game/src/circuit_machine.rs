//! The machine on the circuit: one position at a time, exact like the interpreter and much faster.
//!
//! The position is held by a [`Stepper`], which propagates only what differs from the state asked about before.
//! A circuit knows the states that can be reached and is exact for legal moves. What lies beyond (an
//! illegal joint move, a state with a fluent that no play can produce) is answered by an interpreter
//! inside, so nobody who uses the machine needs to care.

use std::sync::Arc;

use circuit::Stepper;
use ground::Budget;

use crate::batch::{NoCircuit, Outcome};
use crate::game::Game;
use crate::gates::{Gates, NOWHERE, Numbers};
use crate::ids::{JointMove, Move, Role};
use crate::interpreter::{Interpreter, goals_of};
use crate::machine::{Goal, Goals, Machine, Playouts, ReasonError};
use crate::playout::{End, Random, playout};
use crate::state::State;

/// A reasoner on gates.
pub struct CircuitMachine {
    game: Game,
    gates: Gates,
    numbers: Arc<Numbers>,
    stepper: Stepper,
    /// The ranks of the moves of the joint move being made.
    actions: Vec<u32>,
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
            gates: gates.clone(),
            numbers: gates.numbers.clone(),
            stepper: Stepper::new(gates.plan()),
            actions: Vec::new(),
            fallback: gates.game.interpreter(),
        }
    }

    /// Another machine on the same circuit, for another thread.
    #[must_use]
    pub fn another(&self) -> Self {
        Self {
            game: self.game.clone(),
            gates: self.gates.clone(),
            numbers: self.numbers.clone(),
            stepper: self.stepper.clone(),
            actions: Vec::new(),
            fallback: self.game.interpreter(),
        }
    }

    /// Makes a state the present one; false if the circuit does not know it.
    fn load(&mut self, state: &State) -> bool {
        self.stepper.load(state.words())
    }

    /// Puts the ranks of the moves into `actions`; false unless all of them are legal.
    fn take(&mut self, joint: &JointMove) -> bool {
        self.actions.clear();
        for (role, (action, ranks)) in joint.0.iter().zip(&self.numbers.rank_of).enumerate() {
            let rank = ranks.get(action.index()).copied().unwrap_or(NOWHERE);
            if rank == NOWHERE || !self.stepper.is_legal(role, rank) {
                return false;
            }
            self.actions.push(rank);
        }
        self.actions.len() == self.numbers.rank_of.len() && joint.0.len() == self.actions.len()
    }

    /// Puts the ranks of random legal moves into `actions`; false if a role has none.
    fn draw(&mut self, random: &mut Random) -> bool {
        self.actions.clear();
        for role in 0..self.numbers.ranked.len() {
            let legal = self.stepper.legal(role);
            let action = match circuit::count_bits(legal) {
                0 => return false,
                // Nothing to choose.
                1 => circuit::nth_bit(legal, 0),
                count => circuit::nth_bit(legal, random.below(count as usize) as u32),
            };
            self.actions.push(action);
        }
        true
    }

    /// The goal values of a role that hold, by their places.
    fn held(&mut self, role: usize) -> impl Iterator<Item = usize> + '_ {
        let count = self.numbers.goals[role].len();
        (0..count).filter(move |value| self.stepper.has_goal(role, *value))
    }

    fn goals_now(&mut self, role: usize) -> Goals {
        let mut held = self.held(role);
        let (first, second) = (held.next(), held.next());
        drop(held);
        if let (Some(first), None) = (first, second)
            && let Some(value) = self.numbers.values[role][first]
        {
            return Goals::One(value);
        }
        let held: Vec<usize> = self.held(role).collect();
        let mut texts: Vec<String> =
            held.into_iter().map(|value| self.numbers.goals[role][value].clone()).collect();
        texts.sort_unstable();
        goals_of(texts)
    }
}

impl Machine for CircuitMachine {
    fn game(&self) -> &Game {
        &self.game
    }

    fn clock(&mut self) -> Option<State> {
        Some(self.gates.clock().clone())
    }

    fn initial(&mut self) -> Result<State, ReasonError> {
        Ok(self.numbers.initial.clone())
    }

    fn is_terminal(&mut self, state: &State) -> Result<bool, ReasonError> {
        if !self.load(state) {
            return self.fallback.is_terminal(state);
        }
        Ok(self.stepper.is_terminal())
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
        let Some(ranked) = self.numbers.ranked.get(role.index()) else { return Ok(()) };
        for (index, word) in self.stepper.legal(role.index()).iter().enumerate() {
            let mut rest = *word;
            while rest != 0 {
                moves.push(ranked[index * 64 + rest.trailing_zeros() as usize]);
                rest &= rest - 1;
            }
        }
        Ok(())
    }

    fn next(&mut self, state: &State, joint: &JointMove) -> Result<State, ReasonError> {
        if !(self.load(state) && self.take(joint)) {
            return self.fallback.next(state, joint);
        }
        let actions = self.actions.iter().copied();
        Ok(State::from_words(self.stepper.next(actions).iter().copied()))
    }

    fn goal(&mut self, state: &State, role: Role) -> Result<Goals, ReasonError> {
        if !self.load(state) {
            return self.fallback.goal(state, role);
        }
        Ok(self.goals_now(role.index()))
    }
}

impl Playouts for CircuitMachine {
    fn random_playout(
        &mut self,
        start: &State,
        random: &mut Random,
        most: u32,
    ) -> Result<Outcome, ReasonError> {
        if !self.load(start) {
            let path = playout(&mut self.fallback, start, random, most as usize)?;
            return Ok(outcome_of(&self.game, &path.end, path.moves.len() as u32));
        }
        let mut length = 0;
        let roles = self.numbers.ranked.len();
        let terminal = loop {
            if self.stepper.is_terminal() {
                break true;
            }
            if length >= most || !self.draw(random) {
                break false;
            }
            self.stepper.advance(self.actions.iter().copied());
            length += 1;
        };
        let mut goal = |role| if terminal { self.goals_now(role).value() } else { None };
        let goals = (0..roles).map(&mut goal).collect();
        Ok(Outcome { goals, length, terminal })
    }
}

fn outcome_of(game: &Game, end: &End, length: u32) -> Outcome {
    let none: Vec<Option<Goal>> = game.role_ids().map(|_| None).collect();
    match end {
        End::Terminal(goals) => {
            Outcome { goals: goals.iter().map(Goals::value).collect(), length, terminal: true }
        }
        _ => Outcome { goals: none, length, terminal: false },
    }
}
