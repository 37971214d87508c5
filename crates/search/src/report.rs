//! What a search found: shown by the command line, the log and the page, and used by players.

use game::{JointMove, Move, Role};

use crate::effort::Stop;

/// A value from 0 to 100 with proven bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Value {
    /// The best estimate, within the bounds.
    pub estimate: f64,
    /// At least this much, proven.
    pub low: f64,
    /// At most this much, proven.
    pub high: f64,
}

impl Value {
    /// A value that is certain.
    pub fn exact(value: f64) -> Self {
        Self { estimate: value, low: value, high: value }
    }

    /// A value of which nothing is proven.
    pub fn guess(estimate: f64) -> Self {
        Self { estimate, low: 0.0, high: 100.0 }
    }

    /// An estimate moved into proven bounds.
    pub fn within(estimate: f64, low: f64, high: f64) -> Self {
        Self { estimate: estimate.max(low).min(high), low, high }
    }

    /// Whether nothing is open.
    pub fn is_exact(&self) -> bool {
        self.low >= self.high
    }
}

/// What was found about a move of the role that asked.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveReport {
    /// The move.
    pub action: Move,
    /// Its value for the role; proven where its bounds meet.
    pub value: Value,
    /// How often it was tried, or how many nodes were spent below it.
    pub visits: u64,
    /// How deep it was searched; 0 where that means nothing.
    pub depth: u32,
    /// The probability with which it should be played: 1 for the best move, other values where only a
    /// mixed strategy is good.
    pub weight: f64,
}

/// How full and how useful a table is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableUse {
    /// Entries in use.
    pub entries: u64,
    /// Entries that fit at the present size.
    pub capacity: u64,
    /// Bytes taken.
    pub bytes: u64,
    /// Questions asked.
    pub lookups: u64,
    /// Questions answered.
    pub hits: u64,
}

/// The result of a search, complete or so far.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchReport {
    /// The search that made it.
    pub method: &'static str,
    /// The role that asked.
    pub role: Role,
    /// Its best move; none in a terminal state or where it has no legal move.
    pub best: Option<Move>,
    /// The value of the state for each role.
    pub values: Vec<Value>,
    /// What is expected to happen.
    pub line: Vec<JointMove>,
    /// Whether the line is known to be a shortest one to its value; only planning tells.
    pub shortest: bool,
    /// The depth that was finished, in joint moves.
    pub depth: u32,
    /// The deepest state that was looked at.
    pub selective_depth: u32,
    /// States made.
    pub nodes: u64,
    /// Time taken.
    pub seconds: f64,
    /// The table or tree.
    pub table: TableUse,
    /// Whether the value of the role is proven; with this the best move is, too.
    pub solved: bool,
    /// All moves of the role, best first.
    pub moves: Vec<MoveReport>,
    /// Why the search stopped; none while it goes on.
    pub stop: Option<Stop>,
}

impl SearchReport {
    /// A report of nothing, for `roles` roles.
    pub fn empty(method: &'static str, role: Role, roles: usize) -> Self {
        Self {
            method,
            role,
            best: None,
            values: vec![Value::guess(50.0); roles],
            line: Vec::new(),
            shortest: false,
            depth: 0,
            selective_depth: 0,
            nodes: 0,
            seconds: 0.0,
            table: TableUse::default(),
            solved: false,
            moves: Vec::new(),
            stop: None,
        }
    }

    /// States made per second.
    pub fn nodes_per_second(&self) -> f64 {
        self.nodes as f64 / self.seconds.max(1e-6)
    }

    /// The value for the role that asked.
    pub fn value(&self) -> Value {
        self.values.get(self.role.index()).copied().unwrap_or(Value::guess(50.0))
    }
}
