//! How much effort goes into an analysis, and who may prove what was only guessed.

use std::time::Duration;

use game::{Deadline, GroundTerm, Limits};

use crate::fluent::Functor;

/// Parameters of the analysis.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The number of states that must affirm a set of input arguments (m of thesis §5.2.3). The thesis takes
    /// 5 where a proof follows, and some hundreds where none does.
    pub affirmations: u32,
    /// The most states of random play that are looked at.
    pub most_states: usize,
    /// The longest playout.
    pub most_steps: usize,
    /// The most time for random play; only slow games reach it.
    pub play_time: Duration,
    /// The seed of the random play.
    pub seed: u64,
    /// The most inference steps for one static relation.
    pub inference_steps: u64,
    /// The most facts of one static relation.
    pub facts: usize,
    /// Whether turns, pieces, moves and persistent fluents are looked for too, which evaluations can do without.
    pub play: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            affirmations: 200,
            most_states: 600,
            most_steps: 400,
            play_time: Duration::from_secs(3),
            seed: 1,
            inference_steps: 4_000_000,
            facts: 1_000_000,
            play: true,
        }
    }
}

impl Settings {
    pub(crate) fn limits(&self, deadline: &Deadline) -> Limits {
        Limits { max_steps: self.inference_steps, max_facts: self.facts, ..deadline.limits() }
    }
}

/// How sure something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Evidence {
    /// It follows from the rules.
    Proved,
    /// No state or transition of random play contradicts it.
    Guessed {
        /// How many were looked at.
        samples: u32,
    },
}

impl Evidence {
    /// Whether it is certain.
    pub fn is_proved(self) -> bool {
        self == Self::Proved
    }
}

/// What a prover says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It holds in all reachable states.
    Proved,
    /// It does not hold in some reachable state.
    Refuted,
    /// It could not be decided.
    Unknown,
}

/// Proves what random play only suggests (thesis §5.2.3, last paragraph, and §7).
pub trait Prover {
    /// Whether the arguments at these positions, counted from 0, determine the others of a fluent (Eq. 5.8).
    fn inputs(&mut self, fluent: Functor, inputs: &[usize]) -> Verdict;

    /// Whether at most one role has a choice in each state.
    fn turn_taking(&mut self) -> Verdict {
        Verdict::Unknown
    }

    /// Whether a fluent keeps a truth value once it has it.
    fn persistent(&mut self, _fluent: &GroundTerm, _value: bool) -> Verdict {
        Verdict::Unknown
    }
}

/// Proves nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProver;

impl Prover for NoProver {
    fn inputs(&mut self, _: Functor, _: &[usize]) -> Verdict {
        Verdict::Unknown
    }
}
