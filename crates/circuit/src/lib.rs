//! Games as gates, and positions by the hundred.
//!
//! [`build()`] turns a ground program into a [`Circuit`]: a graph of AND gates in which equal
//! gates are stored once. [`Lanes`] evaluates it for [`plane::LANES`] positions at once, one bit each, and
//! plays random playouts in all of them. [`Stepper`] holds one position and propagates only what changes.
//!
//! ```
//! let (rules, _) = gdl::parse("(role r) (init (at a)) (edge a b) (edge b c) (edge a c)
//!     (<= (legal r (go ?y)) (true (at ?x)) (edge ?x ?y))
//!     (<= (next (at ?y)) (does r (go ?y)))
//!     (<= terminal (true (at c))) (<= (goal r 100) (true (at c)))", &gdl::Limits::default());
//! let program = gdl::normal::normalize(&rules).expect("small");
//! let ground = ground::ground(&program, &Default::default(), &Default::default()).expect("tiny");
//! let circuit = circuit::build(&ground, &Default::default()).expect("small");
//! let tally = circuit::Lanes::new(&circuit, 1).play(100);
//! assert!(tally.playouts > 1000 && tally.goals[0][0] == tally.playouts);
//! ```

mod advance;
pub mod build;
mod careful;
pub mod choose;
mod code;
mod constant;
mod decisive;
mod deeds;
mod expand;
pub mod graph;
mod guide;
mod harvest;
mod kernel;
pub mod lanes;
mod move_set;
mod move_sums;
mod net;
pub mod phase;
mod plan;
pub mod plane;
mod recursion;
mod scatter;
pub mod schedule;
mod special;
mod stepper;
mod stuck;
pub mod transpose;
pub mod vector;

pub use build::{Circuit, Limits, TooLarge, build};
pub use code::Code;
pub use decisive::{Care, Extremes};
pub use expand::{Expander, Successors};
pub use guide::{Answer, MOST_HALVINGS, Preferences, Split};
pub use lanes::{Finished, Lanes, Observer, Tally, View};
pub use net::{Layout, count_bits, nth_bit};
pub use plan::Plan;
pub use schedule::operations;
pub use special::specialise;
pub use stepper::Stepper;
