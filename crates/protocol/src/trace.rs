//! Traces: seeded random play written as JSON lines, a header and then one line per step.
//!
//! `docs/trace-format.md` describes the keys. Lists of fluents and moves are sorted by their text;
//! long ones may stand as a hash of their items.

use std::fmt::Write as _;

use game::{Game, Goals, JointMove, Machine, Move, ReasonError, State};
use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

use crate::java_random::JavaRandom;

/// The first line of a trace.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Header {
    /// The name of the game.
    pub game: String,
    /// Where the rule sheet came from.
    #[serde(default)]
    pub file: Option<String>,
    /// SHA-256 of the rule sheet.
    #[serde(default)]
    pub sha256: Option<String>,
    /// The roles in order.
    pub roles: Option<Vec<String>>,
    /// The initial state.
    pub init: Option<Items>,
    /// Whether the initial state is terminal.
    #[serde(default)]
    pub init_terminal: Option<bool>,
    /// Its goals if it is.
    #[serde(default)]
    pub init_goals: Option<Vec<Option<i64>>>,
    /// All derivable goal values of the initial state, where one is not a single integer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal_sets: Option<Vec<Vec<String>>>,
    /// The playouts.
    pub playouts: Vec<PlayoutEntry>,
    /// Whether recording stopped early.
    #[serde(default)]
    pub truncated: bool,
    /// Why there is no complete trace.
    #[serde(default)]
    pub error: Option<String>,
    /// How lists are written.
    #[serde(default)]
    pub encoding: serde_json::Value,
}

/// A playout in the header.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PlayoutEntry {
    /// Its number.
    pub p: usize,
    /// Its seed.
    pub seed: u64,
    /// How many steps follow.
    pub steps: usize,
    /// How it ended: `terminal`, `cap`, `nolegal`, `time`, `error`.
    pub end: String,
    /// More about the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// A step of a trace.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Step {
    /// The playout.
    pub p: usize,
    /// The step, from 0.
    pub step: usize,
    /// The legal moves of each role before the step.
    pub legals: ByRole,
    /// The joint move played.
    pub moves: Vec<String>,
    /// The state after it.
    pub next: Items,
    /// Whether that is terminal.
    pub terminal: bool,
    /// Its goals if it is.
    pub goals: Option<Vec<Option<i64>>>,
    /// All derivable goal values, where one is not a single integer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal_sets: Option<Vec<Vec<String>>>,
}

/// A sorted list, in full or as a hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Items {
    /// All items.
    Full(Vec<String>),
    /// Their number and hashes.
    Hashed {
        /// The number of items.
        n: usize,
        /// The hash of the items.
        h: String,
        /// The hash of the items in lower case.
        hl: String,
    },
}

impl Items {
    /// Whether a sorted list is the one meant here. Names compare without regard to case.
    pub fn agrees(&self, items: &[String]) -> bool {
        match self {
            Items::Full(full) => full == items || lower(full) == lower(items),
            Items::Hashed { n, h, hl } => {
                *n == items.len() && (*h == hash(items) || *hl == hash(&lower(items)))
            }
        }
    }
}

fn lower(items: &[String]) -> Vec<String> {
    let mut items: Vec<String> = items.iter().map(|item| item.to_lowercase()).collect();
    items.sort_unstable();
    items.dedup();
    items
}

fn hash(items: &[String]) -> String {
    hex(&Sha256::digest(items.join("\n")))[..16].to_owned()
}

/// The SHA-256 of a text, in hexadecimal.
pub fn sha256(text: &[u8]) -> String {
    hex(&Sha256::digest(text))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

/// A JSON object whose keys stay in the order of the roles.
#[derive(Clone, Debug, Default)]
pub struct ByRole(pub Vec<(String, Items)>);

impl Serialize for ByRole {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (role, items) in &self.0 {
            map.serialize_entry(role, items)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for ByRole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = ByRole;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object from roles to lists of moves")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ByRole, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(ByRole(entries))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

/// A whole trace.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The first line.
    pub header: Header,
    /// The other lines.
    pub steps: Vec<Step>,
}

/// Why a text is not a trace.
#[derive(Debug)]
pub struct TraceError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

impl std::fmt::Display for TraceError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {} of the trace: {}", self.line, self.message)
    }
}

impl std::error::Error for TraceError {}

impl Trace {
    /// Reads JSON lines.
    pub fn parse(text: &str) -> Result<Self, TraceError> {
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let fail = |line: usize, message: String| TraceError { line: line + 1, message };
        let (at, first) = lines.next().ok_or_else(|| fail(0, "the trace is empty".to_owned()))?;
        let header = serde_json::from_str(first).map_err(|e| fail(at, e.to_string()))?;
        let steps = lines
            .map(|(at, line)| serde_json::from_str(line).map_err(|e| fail(at, e.to_string())))
            .collect::<Result<_, _>>()?;
        Ok(Self { header, steps })
    }

    /// Writes JSON lines.
    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        let mut out = serde_json::to_string(&self.header)?;
        out.push('\n');
        for step in &self.steps {
            out.push_str(&serde_json::to_string(step)?);
            out.push('\n');
        }
        Ok(out)
    }
}

/// What to record.
#[derive(Clone, Debug)]
pub struct RecordOptions {
    /// The name written into the header.
    pub game: String,
    /// Where the rules came from.
    pub file: Option<String>,
    /// The hash of the rule sheet.
    pub sha256: Option<String>,
    /// The seed of the first playout; the others count up from it.
    pub seed: u64,
    /// How many playouts.
    pub playouts: usize,
    /// The most steps of a playout.
    pub cap: usize,
}

/// Plays and records. `progress` is called after each playout; if it returns false, recording stops
/// and the trace is marked as truncated.
pub fn record(
    machine: &mut dyn Machine,
    options: &RecordOptions,
    progress: &mut dyn FnMut(usize) -> bool,
) -> Result<Trace, ReasonError> {
    let game = machine.game().clone();
    let initial = machine.initial()?;
    let roles: Vec<String> = game.role_ids().map(|role| game.role_name(role)).collect();
    let init_terminal = machine.is_terminal(&initial)?;
    let (init_goals, goal_sets) = terminal_goals(machine, &initial, init_terminal)?;
    let mut trace = Trace {
        header: Header {
            game: options.game.clone(),
            file: options.file.clone(),
            sha256: options.sha256.clone(),
            roles: Some(roles),
            init: Some(Items::Full(state_items(&game, &initial))),
            init_terminal: Some(init_terminal),
            init_goals,
            goal_sets,
            playouts: Vec::new(),
            truncated: false,
            error: None,
            encoding: "full".into(),
        },
        steps: Vec::new(),
    };
    for p in 0..options.playouts {
        let seed = options.seed.wrapping_add(p as u64);
        let mut random = JavaRandom::new(seed);
        let mut draw = |_: usize, _: usize, legal: &[Move]| legal[random.below(legal.len())];
        let (end, detail, steps) = record_playout(machine, &initial, options.cap, p, &mut draw)?;
        let entry = PlayoutEntry { p, seed, steps: steps.len(), end, detail };
        trace.header.playouts.push(entry);
        trace.steps.extend(steps);
        if !progress(p + 1) {
            trace.header.truncated = p + 1 < options.playouts;
            break;
        }
    }
    Ok(trace)
}

/// Records given lines of play from the initial state, one playout for each; `options.seed`, `playouts` and `cap` do
/// not matter. A line ends where it is told to, or where the game does.
pub fn record_lines(
    machine: &mut dyn Machine,
    options: &RecordOptions,
    lines: &[Vec<JointMove>],
) -> Result<Trace, ReasonError> {
    let none = RecordOptions { playouts: 0, ..options.clone() };
    let mut trace = record(machine, &none, &mut |_| true)?;
    let initial = machine.initial()?;
    for (p, line) in lines.iter().enumerate() {
        let mut told = |step: usize, role: usize, legal: &[Move]| {
            line.get(step).and_then(|joint| joint.0.get(role)).copied().unwrap_or(legal[0])
        };
        let (end, detail, steps) = record_playout(machine, &initial, line.len(), p, &mut told)?;
        trace.header.playouts.push(PlayoutEntry { p, seed: 0, steps: steps.len(), end, detail });
        trace.steps.extend(steps);
    }
    Ok(trace)
}

type Recorded = (String, Option<String>, Vec<Step>);

fn record_playout(
    machine: &mut dyn Machine,
    initial: &State,
    cap: usize,
    p: usize,
    choose: &mut dyn FnMut(usize, usize, &[Move]) -> Move,
) -> Result<Recorded, ReasonError> {
    let game = machine.game().clone();
    let mut state = initial.clone();
    let mut steps: Vec<Step> = Vec::new();
    let mut terminal = machine.is_terminal(&state)?;
    let mut legal: Vec<Move> = Vec::new();
    while !terminal {
        if steps.len() >= cap {
            return Ok(("cap".to_owned(), None, steps));
        }
        let mut legals = ByRole::default();
        let mut joint = Vec::new();
        for role in game.role_ids() {
            machine.legal_moves(&state, role, &mut legal)?;
            if legal.is_empty() {
                return Ok(("nolegal".to_owned(), Some(game.role_name(role)), steps));
            }
            joint.push(choose(steps.len(), role.index(), &legal));
            legals.0.push((game.role_name(role), Items::Full(move_items(&game, &legal))));
        }
        let joint = JointMove(joint);
        state = machine.next(&state, &joint)?;
        terminal = machine.is_terminal(&state)?;
        let (goals, goal_sets) = terminal_goals(machine, &state, terminal)?;
        steps.push(Step {
            p,
            step: steps.len(),
            legals,
            moves: move_items(&game, &joint.0),
            next: Items::Full(state_items(&game, &state)),
            terminal,
            goals,
            goal_sets,
        });
    }
    Ok(("terminal".to_owned(), None, steps))
}

/// The goals of a terminal state: values, and all derivable ones where some value is not defined.
type TerminalGoals = (Option<Vec<Option<i64>>>, Option<Vec<Vec<String>>>);

/// The goals as a trace writes them.
pub fn terminal_goals(
    machine: &mut dyn Machine,
    state: &State,
    terminal: bool,
) -> Result<TerminalGoals, ReasonError> {
    if !terminal {
        return Ok((None, None));
    }
    let mut values = Vec::new();
    let mut sets = Vec::new();
    for role in machine.game().role_ids() {
        match machine.goal(state, role)? {
            Goals::One(goal) => {
                values.push(Some(i64::from(goal.0)));
                sets.push(vec![goal.0.to_string()]);
            }
            Goals::Undefined(found) => {
                // The format takes any single integer, also one outside 0..100.
                let single = match &found[..] {
                    [one] => one.parse::<i64>().ok(),
                    _ => None,
                };
                values.push(single);
                sets.push(found);
            }
        }
    }
    let undefined = values.iter().any(Option::is_none);
    Ok((Some(values), undefined.then_some(sets)))
}

/// The fluents of a state as a trace lists them.
pub fn state_items(game: &Game, state: &State) -> Vec<String> {
    game.state_texts(state).iter().map(ToString::to_string).collect()
}

/// Moves as a trace lists them.
pub fn move_items(game: &Game, moves: &[Move]) -> Vec<String> {
    moves.iter().map(|action| game.universe().move_entry(*action).text.to_string()).collect()
}
