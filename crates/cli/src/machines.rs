//! The reasoners that can be named on the command line; a new one is one more line here.

use std::sync::atomic::Ordering;
use std::time::Instant;

use clap::builder::PossibleValuesParser;
use game::{
    Budget, CircuitMachine, EvalError, Game, Goals, JointMove, Limits, Machine, Move, ReasonError,
    Role, State,
};

use crate::exit;

type Make = fn(&Game, Limits) -> Box<dyn Machine>;

/// The machine used where none is named.
pub const DEFAULT: &str = "interpreter";

const MACHINES: &[(&str, Make)] = &[
    ("interpreter", |game, limits| Box::new(game.interpreter_with(limits))),
    ("circuit", on_circuit),
];

/// The circuit where the game has one within half of the time, else the interpreter.
fn on_circuit(game: &Game, limits: Limits) -> Box<dyn Machine> {
    let now = Instant::now();
    let deadline = limits.deadline.map(|end| now + end.saturating_duration_since(now) / 2);
    let budget = Budget { deadline, cancel: limits.cancel.clone(), ..Budget::default() };
    match CircuitMachine::new(game, &budget) {
        Ok(machine) => Box::new(machine),
        Err(why) => {
            exit::say(&format!("note: {why}; the interpreter is used"));
            Box::new(game.interpreter_with(limits))
        }
    }
}

/// The names, for the argument parser.
pub fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(MACHINES.iter().map(|(name, _)| *name))
}

/// A machine by name; the argument parser lets only known names pass, and others get the default.
pub fn make(name: &str, game: &Game, limits: Limits) -> Box<dyn Machine> {
    let (_, make) = MACHINES.iter().find(|(known, _)| *known == name).unwrap_or(&MACHINES[0]);
    Box::new(Watched { machine: make(game, limits.clone()), limits })
}

/// A machine that looks at the clock before each transition. Machines themselves look only within
/// long questions, so that play made of many short ones would never end.
struct Watched {
    machine: Box<dyn Machine>,
    limits: Limits,
}

impl Machine for Watched {
    fn game(&self) -> &Game {
        self.machine.game()
    }

    fn initial(&mut self) -> Result<State, ReasonError> {
        self.machine.initial()
    }

    fn is_terminal(&mut self, state: &State) -> Result<bool, ReasonError> {
        self.machine.is_terminal(state)
    }

    fn legal_moves(
        &mut self,
        state: &State,
        role: Role,
        moves: &mut Vec<Move>,
    ) -> Result<(), ReasonError> {
        self.machine.legal_moves(state, role, moves)
    }

    fn next(&mut self, state: &State, joint: &JointMove) -> Result<State, ReasonError> {
        let late = self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let stop = self.limits.cancel.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed));
        if late || stop {
            return Err(EvalError::Interrupted.into());
        }
        self.machine.next(state, joint)
    }

    fn goal(&mut self, state: &State, role: Role) -> Result<Goals, ReasonError> {
        self.machine.goal(state, role)
    }
}
