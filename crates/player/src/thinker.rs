//! The part in which strategies differ: given a state, which move?

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use game::{Deadline, Limits, Machine, Move, ReasonError, Reasoner, Role, State};
use search::SearchReport;

use crate::archive::Recollection;

/// What a thinker is given when it is made.
#[derive(Clone)]
pub struct Context {
    /// Gives out machines; the circuit may still be on its way.
    pub reasoner: Reasoner,
    /// The role to play for.
    pub role: Role,
    /// The time for a move.
    pub play_clock: Duration,
    /// The seed of all random choices.
    pub seed: u64,
    /// The memory that may be used, in bytes.
    pub memory: usize,
    /// Set when the thinker has to come back at once.
    pub interrupt: Arc<AtomicBool>,
    /// What was found out about the game, in words: for logs.
    pub findings: Arc<Mutex<Vec<String>>>,
    /// What outlives the match, if anything does.
    pub(crate) recollection: Option<Arc<Recollection>>,
}

impl Context {
    /// The best machine at present; questions to it end early when the thinker is interrupted.
    pub fn machine(&self) -> Box<dyn Machine> {
        let limits = Limits { cancel: Some(self.interrupt.clone()), ..Limits::default() };
        self.reasoner.machine_with(limits)
    }

    /// Tells what is known about the game; what was told before is out of date.
    pub fn tell(&self, findings: Vec<String>) {
        *self.findings.lock().unwrap_or_else(PoisonError::into_inner) = findings;
    }
}

/// A move with what is known about it.
#[derive(Clone, Debug)]
pub struct Thought {
    /// The move.
    pub action: Move,
    /// What the search found, if there was one.
    pub report: Option<SearchReport>,
}

/// Chooses moves. Lives in a thread of its own, where it may take its time until the deadline, and may
/// panic: it is then made anew.
pub trait Thinker: Send {
    /// The start clock: until the deadline at most, or not at all if it has no use for the time.
    fn prepare(&mut self, _initial: &State, _deadline: &Deadline) -> Result<(), ReasonError> {
        Ok(())
    }

    /// Chooses a move in a state where there are at least two. `note` tells the best so far, which
    /// counts if the deadline passes without an answer.
    fn think(
        &mut self,
        state: &State,
        deadline: &Deadline,
        note: &mut dyn FnMut(Thought),
    ) -> Result<Option<Thought>, ReasonError>;

    /// The time of others: thinks about a state until it is interrupted, if it has a use for that.
    fn ponder(&mut self, _state: &State, _deadline: &Deadline) -> Result<(), ReasonError> {
        Ok(())
    }
}
