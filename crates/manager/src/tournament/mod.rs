//! Tournaments: many matches by a plan, resumable at any moment, with ratings and reports.
//!
//! A [`Plan`] is a TOML file. Its matches are scheduled into a database before they are played
//! ([`Ledger`]), and each result is one transaction: after a kill, what was finished is there, and what was
//! not is played. [`run`] plays, [`Summary`] counts, [`report`] tells.

mod class;
mod hired;
mod ledger;
mod pairing;
mod plan;
mod plot;
mod rating;
pub mod report;
mod run;
mod summary;

pub use class::Class;
pub use ledger::{Finished, Ledger, LedgerError, Scheduled};
pub use pairing::{Pairing, round_robin, swiss_round};
pub use plan::{Entrant, Form, Plan, PlanError};
pub use rating::{Outcome, Rating, rate};
pub use run::{Progress, RunError, Sheet, prepare, run};
pub use summary::{ClassRow, GameRow, HeadToHead, Standing, Summary};
