//! Searches: anytime, within a deadline, over the machine interface alone.
//!
//! Main types: [`Search`] (what all searches have in common), [`SearchReport`] (what they found),
//! [`Effort`] (how much they may spend), [`GameClass`] (which search fits a game).
//! A search sees a [`game::Machine`], a [`game::Evaluator`], a [`game::Canonicalizer`] and a
//! [`game::Deadline`], and nothing else of a game: no terms, no gates.

pub mod class;
pub mod deepening;
mod effort;
pub mod hash;
mod interface;
pub mod matrix;
pub mod mcts;
pub mod planning;
mod report;
mod rewards;
pub mod solver;
pub mod table;
pub mod traps;
#[cfg(test)]
mod turn;

pub use class::{Certainty, Fact, GameClass, Known};
pub use effort::{Effort, Meter, Stop};
pub use interface::{Blind, Search};
pub use report::{MoveReport, SearchReport, TableUse, Value};
pub use rewards::{Look, Turn, rewards};
