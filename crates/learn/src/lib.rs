//! Values of states learned from random play, within a start clock.
//!
//! The circuit plays hundreds of thousands of games in a start clock. [`gather`] takes positions from them, with
//! what further play from each was worth; [`Model::fit`] learns from a part of them how much each fluent, and each
//! pair of fluents that explains more, is worth to each role (thesis §10.2 names learning as future work);
//! [`Model::evaluator`] is then a [`game::Evaluator`]. What a value predicts is judged on the positions
//! that were held out: [`Held::correlation`]. [`Playouts`] learns nothing: it plays on from each state that it is asked about.
//!
//! ```
//! use game::{Budget, Deadline, Game, Reasoner, Role};
//! use learn::{Effort, Fitting, Model, gather};
//!
//! let game = Game::from_text("
//!     (role you) (init (coins 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
//!     (worth 0 0) (worth 1 25) (worth 2 50) (worth 3 75) (worth 4 100)
//!     (<= (legal you take) (true (coins ?m)) (succ ?m ?n)) (legal you stop)
//!     (<= (next (coins ?n)) (does you take) (true (coins ?m)) (succ ?m ?n))
//!     (<= (next (coins ?n)) (does you stop) (true (coins ?n)))
//!     (<= (next stopped) (does you stop))
//!     (<= terminal (true stopped)) (<= (goal you ?v) (true (coins ?n)) (worth ?n ?v))")?;
//! let reasoner = Reasoner::build(&game, &Budget::default());
//! let mut batches = (reasoner.batch(1).expect("small"), reasoner.batch(2).expect("small"));
//! let effort = Effort { positions: 5000, ..Effort::default() };
//! let positions = gather(&mut batches, &effort, &Deadline::never());
//! let (model, held) = Model::fit(&positions, &Fitting::default(), &Deadline::never()).expect("enough");
//! let told = held.correlation(&mut model.evaluator(), Role(0));
//! assert!(told > 0.5, "{told}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crate is pure and, without a deadline, deterministic.

mod gather;
mod held;
mod model;
mod pairs;
mod playouts;
mod regression;

pub use gather::{Effort, Position, gather};
pub use held::Held;
pub use model::{Fitting, Learned, Model, RoleWeights};
pub use playouts::Playouts;
