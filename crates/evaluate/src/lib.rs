//! Values of states from knowledge about the game: fuzzy goals, distances, delete relaxation.
//!
//! [`Evaluation`] is an evaluation function made from the rules (thesis §5 and §6); its
//! [`FuzzyEvaluator`]s, one for each thread, are what searches use. [`FluentGraph`] and [`Distances`] tell how many
//! steps it takes at least until a fluent holds.
//!
//! ```
//! use evaluate::{Evaluation, Options};
//! use game::{Budget, Deadline, Evaluator, Game, Machine};
//!
//! let game = Game::from_text("
//!     (role you) (init (square 1)) (succ 1 2) (succ 2 3) (succ 3 4)
//!     (<= (legal you (go ?y)) (true (square ?x)) (succ ?x ?y)) (<= (legal you stay) (true (square 4)))
//!     (<= (next (square ?y)) (does you (go ?y)))
//!     (<= terminal (true (square 4))) (<= (goal you 100) (true (square 4)))
//!     (<= (goal you 0) (not (true (square 4))))")?;
//! let program = game.ground(&Budget::default())?;
//! let evaluation = Evaluation::ground(&game, &program, &Options::default(), &Deadline::never());
//! let mut evaluator = evaluation.evaluator();
//! let mut machine = game.interpreter();
//! let initial = machine.initial()?;
//! let go = game.universe().action(&game.universe().parse("(go 2)").expect("a move"));
//! let nearer = machine.next(&initial, &game::JointMove(vec![go]))?;
//! let (mut before, mut after) = ([0.0], [0.0]);
//! evaluator.evaluate(&initial, &mut before);
//! evaluator.evaluate(&nearer, &mut after);
//! assert!(before[0] < after[0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod build;
mod compile;
mod cover;
mod crisp;
mod distance;
mod domain;
mod draw;
mod explain;
mod graph;
mod heuristic;
mod leaf;
mod lifted;
mod maps;
mod method;
mod near;
mod network;
mod norm;
#[cfg(test)]
mod oracle;
mod plan;
mod power;
mod rules;
mod shape;
mod terms;
mod unroll;
mod values;

pub use build::Options;
pub use cover::Selection;
pub use distance::{Distances, Informativeness};
pub use explain::{Connective, Explanation, GoalPart, Part};
pub use graph::FluentGraph;
pub use heuristic::{Evaluation, FuzzyEvaluator, NEUTRAL};
pub use maps::{DistanceMap, DistanceReport};
pub use method::Method;
pub use norm::{Combination, Norm, Parameters};
