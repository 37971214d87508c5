//! The prover of the thesis: induction by answer set programming (thesis §7).
//!
//! [`program`] writes base case and induction step, [`solve`] asks clingo, [`search`] tries all properties in the
//! order of the thesis (Algorithm 5).

mod domain;
mod formula;
mod names;
mod parts;
pub mod program;
mod rules;
pub mod search;
pub mod solve;
