//! Matches and tournaments between players, with records that survive anything.
//!
//! A [`Match`] brings [`Seat`]s to a game: players over HTTP ([`Remote`]), strategies of this program
//! ([`Builtin`]), or whatever else implements the trait. Its referee is a reasoner of the game; what players do
//! wrong is recorded and the match goes on. [`Store`] keeps records, [`tournament`] plays many matches.
//!
//! ```
//! use manager::{Builtin, Match, Seat, Setup};
//! use player::Strategy;
//!
//! let rules = "(role you) (init (step 1)) (succ 1 2) (succ 2 3) (legal you wait)
//!     (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
//!     (<= terminal (true (step 3)))
//!     (<= (goal you 100) terminal) (<= (goal you 0) (not terminal))";
//! let setup = Setup::new("waiting", rules)?;
//! let mut seats: Vec<Box<dyn Seat>> = vec![Box::new(Builtin::new(Strategy::parse("random")?, 1))];
//! let record = Match::new(setup, &mut seats)?.run(&mut ());
//! assert_eq!((record.is_completed, record.goal_values), (true, vec![100]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod builtin;
mod effects;
mod matrix;
mod mean;
mod play;
mod remote;
mod scramble;
mod seat;
mod spec;
mod store;
pub mod tournament;
mod watch;

pub use builtin::Builtin;
pub use effects::{Effect, Trial, effects};
pub use mean::Mean;
pub use play::{Clocks, Match, MatchError, Policy, Setup};
pub use remote::{Address, Remote};
pub use scramble::Scrambler;
pub use seat::{Ask, Briefing, Fault, Seat};
pub use spec::{Kind, Spec, SpecError};
pub use store::{Store, write_atomically};
pub use watch::{Event, Observer, Stream};
