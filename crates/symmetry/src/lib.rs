//! Symmetries of games: found in the rules and in the ground program, used on states (thesis §8).
//!
//! Main types: [`detect()`] finds [`Symmetries`] within [`Options`]; [`Representatives`] is the
//! [`game::Canonicalizer`] made of them.
//!
//! ```
//! use symmetry::{Options, Size, detect};
//!
//! let game = game::Game::from_text("
//!     (role you) (succ 1 2) (side left) (side right)
//!     (init (step 1))
//!     (<= (legal you (go ?s)) (side ?s))
//!     (<= (next (at ?s)) (does you (go ?s)))
//!     (<= (next (step 2)) (true (step 1)))
//!     (<= terminal (true (step 2)))
//!     (goal you 100)")?;
//! let gates = game::Gates::build(&game, &game::Budget::default())?;
//! let symmetries = detect(&game, Some(&gates), &Options::default());
//! assert_eq!(symmetries.state_order().value(), Some(2));
//! assert!(symmetries.representatives(Size::default()).is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Fingerprint`] is what all copies of a rule sheet under other names have in common: a key, and names of terms.
//!
//! The crate is pure but for the one module [`nauty`] that calls C, and for the clock.

mod canonical;
pub mod chain;
pub mod check;
mod detect;
mod fingerprint;
mod fitting;
mod goal_values;
pub mod graph;
pub mod ground_graph;
mod ground_logic;
mod images;
mod labelling;
mod logic;
pub mod nauty;
mod order;
pub mod permutation;
mod points;
pub mod refine;
pub mod rule_graph;
pub mod rules;
mod small;
mod symmetries;
mod thrift;

pub use canonical::{Representatives, Size};
pub use detect::{Options, detect};
pub use fingerprint::{BadKey, Bounds, Fingerprint, Key};
pub use order::Order;
pub use points::{Point, Points};
pub use rule_graph::SymbolKey;
pub use rules::Start;
pub use symmetries::{Generator, Part, Source, Symmetries};
pub use thrift::{Prices, Thrifty};
