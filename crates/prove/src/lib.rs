//! Properties of games, proved for all reachable states or refuted by a match (thesis §7).
//!
//! A [`Property`] is a formula over states, written in a small [`language`]; a [`Verdict`] says whether it holds.
//!
//! ```
//! use prove::{Vocabulary, language};
//!
//! let game = game::Game::from_text("(role x) (role o) (init (control x))
//!     (<= (legal ?r noop) (role ?r))
//!     (<= (next (control o)) (true (control x))) (<= (next (control x)) (true (control o)))
//!     (<= terminal (true (control nobody))) (<= (goal ?r 50) (role ?r))")?;
//! let vocabulary = Vocabulary::new(&game);
//! let property = language::parse("exactly 1 R: control(R)", &vocabulary)?;
//! assert_eq!(property.to_text(&game.program().symbols), "exactly 1 R: control(R)");
//! assert!(language::parse("exactly 1 R: kontrol(R)", &vocabulary).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod aiger;
pub mod asp;
pub mod candidates;
pub mod check;
mod compare;
pub mod evaluate;
pub mod explore;
pub mod ground_property;
pub mod instances;
pub mod knowledge;
pub mod language;
mod lexer;
mod print;
mod property;
mod prover;
pub mod refute;
pub mod sat;
pub mod symmetric;
mod verdict;
mod vocabulary;
pub mod watch;

pub use ground_property::{GroundError, GroundFormula, GroundProperty, Grounder};
pub use instances::{GroundAtom, Instances};
pub use knowledge::{InputProver, Knowledge, Told, know};
pub use property::{Atom, Comparison, Formula, Kind, Property, Term, Variable};
pub use prover::{Engines, Finding, Options, Prover, prove_all};
pub use symmetric::Automorphism;
pub use verdict::{Certificate, Engine, Inductive, Reason, Verdict};
pub use vocabulary::{Depends, Vocabulary};
