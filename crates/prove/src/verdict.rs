//! What is found out about a property, with what makes it believable.

use std::fmt;
use std::sync::Arc;

use game::JointMove;

use crate::ground_property::GroundFormula;

/// Who proved or refuted something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Engine {
    /// Induction by answer set programming (thesis §7).
    Asp,
    /// Induction by SAT on the circuit.
    Sat,
    /// Random play.
    Play,
    /// A look at all reachable states.
    Enumeration,
    /// It follows from other properties, or from the rules without any search.
    Rules,
    /// The first of its hypotheses is symmetric to it (thesis §8.4, [`crate::symmetric`]).
    Symmetry,
    /// Somebody proved it, or saw it fail, in an earlier match of the same game.
    Memory,
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Asp => "asp",
            Self::Sat => "sat",
            Self::Play => "play",
            Self::Enumeration => "enumeration",
            Self::Rules => "rules",
            Self::Symmetry => "symmetry",
            Self::Memory => "memory",
        })
    }
}

/// What a proof can be checked by.
#[derive(Clone, Debug, PartialEq)]
pub enum Certificate {
    /// Base case and induction step as answer set programs that have no answer set.
    Programs {
        /// For the initial state (thesis Eq. 7.1).
        base: String,
        /// For the step (thesis Eq. 7.2).
        step: String,
    },
    /// It follows from facts that prove each other by induction on the circuit.
    Inductive(Arc<Inductive>),
    /// It holds together with the properties at these places of the list that was given, by induction on all at once.
    Together {
        /// The places.
        properties: Vec<usize>,
        /// How many steps the induction looks back.
        k: u32,
    },
    /// It follows from the properties at these places without induction.
    Follows(Vec<usize>),
}

/// Facts that hold in the first `k` states of every match and, where all of them hold in `k` states in a row, in the
/// state after every move: so they hold in all reachable states. With `simple`, only rows of states are meant of which
/// no two are the same, also not with the state after them; a shortest way to a failure is such a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Inductive {
    /// The facts, formulas about one state.
    pub facts: Vec<GroundFormula>,
    /// How many steps the induction looks back.
    pub k: u32,
    /// No state comes twice.
    pub simple: bool,
}

/// What is known about a property.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It holds in all reachable states.
    Proved {
        /// By whom.
        engine: Engine,
        /// How many steps the induction looked back; 0 without induction.
        k: u32,
        /// The places of the properties that were used, in the list that was given.
        hypotheses: Vec<usize>,
        /// The time it took.
        seconds: f64,
        /// What a checker needs.
        certificate: Option<Certificate>,
    },
    /// It does not hold after these joint moves from the initial state. Of a property about moves the last one is
    /// the move that breaks it.
    Refuted {
        /// By whom.
        engine: Engine,
        /// The joint moves.
        trace: Vec<JointMove>,
        /// The time it took.
        seconds: f64,
    },
    /// Nobody knows.
    Unknown {
        /// Why.
        reason: Reason,
        /// The time it took.
        seconds: f64,
    },
}

/// Why a property was not decided.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The time was over, or somebody cancelled.
    Time,
    /// The memory was used up.
    Memory,
    /// The induction step fails in states that perhaps cannot be reached.
    NotInductive,
    /// There is no circuit.
    NoCircuit,
    /// The property cannot be made ground within the limits.
    TooLarge(String),
    /// Nobody tried it yet.
    NotTried,
    /// Something else, in words.
    Other(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time => write!(f, "out of time"),
            Self::Memory => write!(f, "out of memory"),
            Self::NotInductive => write!(f, "not inductive"),
            Self::NoCircuit => write!(f, "there is no circuit"),
            Self::TooLarge(what) => write!(f, "too large: {what}"),
            Self::NotTried => write!(f, "not tried"),
            Self::Other(what) => f.write_str(what),
        }
    }
}

impl Verdict {
    /// Not looked at.
    pub fn untried() -> Self {
        Self::Unknown { reason: Reason::NotTried, seconds: 0.0 }
    }

    /// Whether it is proved.
    pub fn is_proved(&self) -> bool {
        matches!(self, Self::Proved { .. })
    }

    /// Whether it is refuted.
    pub fn is_refuted(&self) -> bool {
        matches!(self, Self::Refuted { .. })
    }

    /// Whether it is one of both.
    pub fn is_decided(&self) -> bool {
        !matches!(self, Self::Unknown { .. })
    }

    /// The time it took.
    pub fn seconds(&self) -> f64 {
        match self {
            Self::Proved { seconds, .. }
            | Self::Refuted { seconds, .. }
            | Self::Unknown { seconds, .. } => *seconds,
        }
    }

    /// Sets the time it took.
    pub fn set_seconds(&mut self, taken: f64) {
        match self {
            Self::Proved { seconds, .. }
            | Self::Refuted { seconds, .. }
            | Self::Unknown { seconds, .. } => *seconds = taken,
        }
    }

    /// `proved`, `refuted` or `unknown`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Proved { .. } => "proved",
            Self::Refuted { .. } => "refuted",
            Self::Unknown { .. } => "unknown",
        }
    }
}
