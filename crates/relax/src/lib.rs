//! Games as planning: what moves add and delete, what can be reached if nothing is deleted, and what that says
//! about the value of a state (Rauber-14; the slides, 28-33).
//!
//! Main types: [`Operators`] (actions with preconditions and effects), [`Relaxation`] (the relaxed planning graph
//! of a game), [`Relaxed`] (a [`game::Evaluator`] on it), [`ToGo`] (a [`search::planning::Distance`]), [`Patterns`] (pattern databases)
//! and [`PatternBeam`] (a [`game::Foresight`] on them).
//!
//! The crate is pure: no files, no printing; seeds and deadlines are arguments.

mod formula;
mod graph;
mod heuristic;
mod measure;
mod needs;
mod network;
mod operators;
mod patterns;
pub mod pddl;
pub mod predict;
mod predict_data;
mod print;
mod relaxation;
mod residual;
mod rota;
mod strands;
mod targets;
mod waits;

pub use formula::{Atom, FALSE, Formula, FormulaId, Formulas, TRUE};
pub use heuristic::{Far, Heuristic, Insight, Measure, Possible, Relaxed, ToGo, h1};
pub use operators::{Effect, Operator, Operators};
pub use patterns::{PatternBeam, Patterns};
pub use relaxation::{Relaxation, Sizes};
pub use waits::{Turns, Waits};
