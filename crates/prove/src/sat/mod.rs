//! The engine on the circuit: the game is a sequential circuit, and properties are proved by induction on it with a
//! SAT solver, all at once, or refuted by matches.

pub mod apart;
pub mod bmc;
mod by_rules;
pub mod claim;
mod demand;
pub mod division;
pub mod effects;
pub mod engine;
mod exclude;
mod fact;
pub mod factors;
pub mod follow;
pub mod houdini;
pub mod lemma;
pub mod lift;
pub mod local;
pub mod mine;
pub mod model;
mod move_sets;
pub mod parallel;
pub mod pdr;
pub mod plan;
pub mod sample;
pub mod sense;
mod sheet;
pub mod solver;
pub mod sums;
pub mod swap;
pub mod unroll;

pub use engine::{Believed, Options, decide};
