//! Games as state machines: what a state is, which moves are legal, what comes next, who gets what.
//!
//! Main types: [`Game`] (rules, ready to be used), [`Machine`] (the interface of all reasoners),
//! [`Interpreter`] (the exact one that is always there), [`State`], [`Role`], [`Move`],
//! [`JointMove`], [`Goal`].
//!
//! A random playout in ten lines:
//!
//! ```
//! use game::{Game, Machine, playout::{Random, random_joint_move}};
//!
//! let game = Game::from_text("
//!     (role you) (init (step 1)) (succ 1 2) (succ 2 3)
//!     (legal you wait)
//!     (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
//!     (<= terminal (true (step 3)))
//!     (<= (goal you 100) terminal) (<= (goal you 0) (not terminal))")?;
//! let mut machine = game.interpreter();
//! let mut random = Random::new(42);
//! let mut state = machine.initial()?;
//! while !machine.is_terminal(&state)? {
//!     let joint = random_joint_move(&mut machine, &state, &mut random)?.expect("a playable game");
//!     state = machine.next(&state, &joint)?;
//! }
//! let role = game.role_ids().next().expect("one role");
//! assert_eq!(machine.goal(&state, role)?.value(), Some(game::Goal(100)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crate is pure: no files, no printing; seeds and limits are arguments.

mod batch;
mod circuit_machine;
mod clock;
mod credit;
mod deadline;
mod expander;
mod game;
mod gates;
mod guide;
mod ids;
mod interpreter;
mod machine;
pub mod playout;
mod reasoner;
mod state;
pub mod universe;

pub use batch::{Batch, NoCircuit, Outcome, Sizes};
pub use circuit::Tally;
pub use circuit::{Answer, MOST_HALVINGS, Preferences, Split};
pub use circuit_machine::CircuitMachine;
pub use clock::{clock_fluents, counting_fluents};
pub use credit::{Credit, Credits, Table};
pub use datalog::{EvalError, GroundTerm, Limits};
pub use deadline::Deadline;
pub use expander::{Expander, Expansion};
pub use game::{Game, GameError};
pub use gates::Gates;
pub use ground::{Budget, GroundProgram, Stopped};
pub use guide::{Canonicalizer, Evaluator, Foreseen, Foresight, SymmetryId};
pub use ids::{FluentId, JointMove, Move, Role};
pub use interpreter::Interpreter;
pub use machine::{Goal, Goals, Machine, Playouts, ReasonError};
pub use reasoner::{Reasoner, Status};
pub use state::State;
pub use universe::Universe;
