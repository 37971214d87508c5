//! Players: what to do with the start clock and the play clock.
//!
//! A [`Strategy`] is a name with options, such as `uct:threads=2`; [`Strategy::player`] makes a
//! [`Player`] of it for one role of one match. The player keeps track of the state, has a legal move ready
//! before it thinks, thinks in a thread of its own, and answers before the deadline, whatever happens in
//! that thread. New strategies are [`Thinker`]s with a row in the registry.
//!
//! ```
//! use game::{Deadline, Game, Machine};
//! use player::{Setup, Strategy};
//!
//! let game = Game::from_text("
//!     (role you) (init (step 1)) (succ 1 2) (succ 2 3)
//!     (legal you wait)
//!     (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
//!     (<= terminal (true (step 3)))
//!     (<= (goal you 100) terminal) (<= (goal you 0) (not terminal))")?;
//! let role = game.role_ids().next().expect("one role");
//! let mut player = Strategy::parse("random")?.player(Setup::new(&game, role));
//! player.start(&Deadline::never())?;
//! let action = player.play(None, &Deadline::never())?;
//! assert_eq!(&*game.universe().move_entry(action).text, "wait");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What a match teaches about a game can be kept for the next one: [`Knowledge`], in an [`Archive`] of the host.
//!
//! The crate is pure: no files, sockets or printing; seeds and deadlines are arguments.

mod archive;
mod automorphisms;
mod fluxion;
pub mod knowledge;
mod lessons;
mod options;
mod play;
mod registry;
mod searcher;
mod simple;
mod strategies;
mod strategy;
mod thinker;
mod worker;

pub use archive::{Archive, Key};
pub use automorphisms::automorphisms;
pub use knowledge::Knowledge;
pub use options::{Kind, OptionInfo, Options};
pub use play::{PlayError, Player, Setup, Trouble, circuit_budget};
pub use registry::StrategyInfo;
pub use strategy::{BadStrategy, Strategy};
pub use thinker::{Context, Thinker, Thought};
pub use worker::Watch;
