//! What the rules mean to a player: domains, orders, boards, quantities, pieces, counters (thesis §5.2).
//!
//! [`Structures::find`] runs all analyses of a game within a deadline. What follows from the rules alone (domains,
//! orders) is exact; what is read off random play (input arguments and all that builds on them) is marked as
//! guessed unless a [`Prover`] confirms it.
//!
//! ```
//! use game::{Budget, Deadline, Game, Reasoner};
//! use structure::{NoProver, Settings, Structures};
//!
//! let game = Game::from_text("
//!     (role you) (init (square 1)) (succ 1 2) (succ 2 3) (succ 3 4)
//!     (<= (legal you (go ?y)) (true (square ?x)) (succ ?x ?y)) (<= (legal you stay) (true (square 4)))
//!     (<= (next (square ?y)) (does you (go ?y)))
//!     (<= terminal (true (square 4))) (<= (goal you 100) terminal) (<= (goal you 0) (not terminal))")?;
//! let reasoner = Reasoner::build(&game, &Budget::default());
//! let found = Structures::find(&reasoner, &Settings::default(), &Deadline::never(), &mut NoProver);
//! let square = &found.quantities[0];
//! assert!(square.is_single());
//! assert_eq!(square.amounts[0].difference(0, 3), Some(3));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod atlas;
mod board;
mod change;
pub mod draw;
mod fluent;
mod grid;
mod inputs;
mod moves;
mod order;
mod persist;
mod picture;
mod piece;
pub mod print;
mod sample;
mod settings;
mod structures;
mod ternary;
mod turns;

pub use atlas::{Atlas, Line, Square, Touched};
pub use board::{Board, BoardKind, Quantity};
pub use fluent::{Axis, Fluent, Functor, Inputs, args};
pub use grid::{Neighbours, Tiling};
pub use moves::{Mobility, MoveCells};
pub use order::{Order, OrderKind};
pub use persist::{Latch, Persistent};
pub use picture::{Cell, Content, Picture, Spot};
pub use piece::Piece;
pub use sample::{Sample, Seen, Transition};
pub use settings::{Evidence, NoProver, Prover, Settings, Verdict};
pub use structures::Structures;
pub use turns::{Control, Counter};
