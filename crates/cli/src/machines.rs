//! The reasoners that can be named on the command line; a new one is one more line here.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use clap::builder::{PossibleValue, PossibleValuesParser};
use game::{
    Budget, CircuitMachine, EvalError, Game, Goals, JointMove, Limits, Machine, Move, ReasonError,
    Reasoner, Role, State, Status,
};

use crate::exit;

type Make = fn(&Game, Limits) -> Box<dyn Machine>;

/// The machine used where none is named: exact, and there at once.
pub const DEFAULT: &str = "interpreter";

/// The machine used where none is named by commands that play a lot.
pub const PLAYING: &str = "auto";

const MACHINES: &[(&str, Make)] = &[
    ("interpreter", |game, limits| Box::new(game.interpreter_with(limits))),
    ("stepper", on_circuit),
    ("auto", automatic),
];

/// What the stepper was called once.
const ALIASES: &[(&str, &str)] = &[("circuit", "stepper")];

/// What the circuit may take: half of the time.
pub fn budget(limits: &Limits) -> Budget {
    let now = Instant::now();
    let deadline = limits.deadline.map(|end| now + end.saturating_duration_since(now) / 2);
    Budget { deadline, cancel: limits.cancel.clone(), ..Budget::default() }
}

/// The circuit where the game has one within half of the time, else the interpreter.
fn on_circuit(game: &Game, limits: Limits) -> Box<dyn Machine> {
    match CircuitMachine::new(game, &budget(&limits)) {
        Ok(machine) => Box::new(machine),
        Err(why) => {
            exit::say(&format!("note: {why}; the interpreter is used"));
            Box::new(game.interpreter_with(limits))
        }
    }
}

/// The interpreter at once, and the circuit as soon as it is there and agrees.
fn automatic(game: &Game, limits: Limits) -> Box<dyn Machine> {
    let stop = Arc::new(AtomicBool::new(false));
    let budget = Budget { cancel: Some(stop.clone()), ..budget(&limits) };
    let (reasoner, _) = Reasoner::in_background(game, budget);
    let machine = reasoner.following();
    Box::new(Automatic { machine, interpreter: game.interpreter_with(limits), reasoner, stop })
}

/// The names, for the argument parser.
pub fn names() -> PossibleValuesParser {
    let alias = |name: &str| ALIASES.iter().find(|(_, known)| *known == name).map(|(old, _)| *old);
    PossibleValuesParser::new(
        MACHINES.iter().map(move |(name, _)| PossibleValue::new(*name).aliases(alias(name))),
    )
}

/// A machine by name; the argument parser lets only known names pass, and others get the default.
pub fn make(name: &str, game: &Game, limits: Limits) -> Box<dyn Machine> {
    let name = ALIASES.iter().find(|(old, _)| *old == name).map_or(name, |(_, known)| *known);
    let (_, make) = MACHINES.iter().find(|(known, _)| *known == name).unwrap_or(&MACHINES[0]);
    Box::new(Watched { machine: make(game, limits.clone()), limits, until_look: 0 })
}

/// The machine that is best at the time. While that is an interpreter, it is the one with the user's limits.
struct Automatic {
    machine: Box<dyn Machine>,
    interpreter: game::Interpreter,
    reasoner: Reasoner,
    stop: Arc<AtomicBool>,
}

impl Automatic {
    fn now(&mut self) -> &mut dyn Machine {
        if self.reasoner.gates().is_some() { &mut *self.machine } else { &mut self.interpreter }
    }
}

impl Drop for Automatic {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let status = self.reasoner.status();
        if matches!(status, Status::Disagrees { .. }) {
            exit::say(&format!("warning: {status}"));
        }
    }
}

/// A machine that looks at the clock now and then. Machines themselves look only within
/// long questions, so that play made of many short ones would never end.
struct Watched {
    machine: Box<dyn Machine>,
    limits: Limits,
    until_look: u32,
}

/// Transitions between two looks; looking takes as long as a short transition.
const LOOK_EVERY: u32 = 16;

impl Watched {
    fn now(&mut self) -> &mut dyn Machine {
        &mut *self.machine
    }

    fn look(&mut self) -> Result<(), ReasonError> {
        if self.until_look > 0 {
            self.until_look -= 1;
            return Ok(());
        }
        self.until_look = LOOK_EVERY;
        let late = self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let stop = self.limits.cancel.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed));
        if late || stop {
            self.until_look = 0;
            return Err(EvalError::Interrupted.into());
        }
        Ok(())
    }
}

macro_rules! delegate {
    ($name:ty, |$machine:ident| $before:expr) => {
        impl Machine for $name {
            fn game(&self) -> &Game {
                self.machine.game()
            }

            fn initial(&mut self) -> Result<State, ReasonError> {
                self.now().initial()
            }

            fn is_terminal(&mut self, state: &State) -> Result<bool, ReasonError> {
                self.now().is_terminal(state)
            }

            fn legal_moves(
                &mut self,
                state: &State,
                role: Role,
                moves: &mut Vec<Move>,
            ) -> Result<(), ReasonError> {
                self.now().legal_moves(state, role, moves)
            }

            fn next(&mut self, state: &State, joint: &JointMove) -> Result<State, ReasonError> {
                let $machine = &mut *self;
                $before?;
                self.now().next(state, joint)
            }

            fn goal(&mut self, state: &State, role: Role) -> Result<Goals, ReasonError> {
                self.now().goal(state, role)
            }
        }
    };
}

delegate!(Watched, |machine| machine.look());
delegate!(Automatic, |_machine| Ok::<(), ReasonError>(()));
