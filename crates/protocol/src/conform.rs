//! Replaying a trace against a machine: the first difference, with what was expected, what was
//! found, and which rules concern it.

use std::fmt;

use game::{Game, JointMove, Machine, Move, ReasonError, State};
use gdl::normal::{Pattern, Program};
use gdl::{Symbol, keyword};

use crate::trace::{Items, Step, Trace, move_items, state_items, terminal_goals};

/// What was compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Playouts replayed.
    pub playouts: usize,
    /// Steps compared.
    pub steps: usize,
}

/// Where a game and a trace part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The playout and step; none for the header.
    pub place: Option<(usize, usize)>,
    /// What differs: `roles`, `init`, `legals of R`, `moves`, `next`, `terminal`, `goals`.
    pub what: String,
    /// Expected but not found.
    pub missing: Vec<String>,
    /// Found but not expected.
    pub extra: Vec<String>,
    /// More about it.
    pub detail: String,
    /// The clauses of the rule sheet that could derive what differs.
    pub clauses: Vec<usize>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some((p, step)) => write!(f, "playout {p}, step {step}: {} differ", self.what)?,
            None => write!(f, "header: {} differ", self.what)?,
        }
        if !self.detail.is_empty() {
            write!(f, ": {}", self.detail)?;
        }
        for item in &self.missing {
            write!(f, "\n  expected, not found: {item}")?;
        }
        for item in &self.extra {
            write!(f, "\n  found, not expected: {item}")?;
        }
        Ok(())
    }
}

/// Why a replay stopped.
#[derive(Debug)]
pub enum Stopped {
    /// The first difference.
    Difference(Box<Difference>),
    /// The machine gave up.
    Reason(ReasonError),
}

impl From<ReasonError> for Stopped {
    fn from(error: ReasonError) -> Self {
        Self::Reason(error)
    }
}

/// Replays all playouts of a trace.
pub fn conform(machine: &mut dyn Machine, trace: &Trace) -> Result<Agreement, Stopped> {
    let game = machine.game().clone();
    let mut replay = Replay { machine, game, place: None };
    let initial = replay.header(trace)?;
    let mut state = initial.clone();
    let mut agreement = Agreement { playouts: trace.header.playouts.len(), steps: 0 };
    for step in &trace.steps {
        if step.step == 0 {
            state = initial.clone();
        }
        replay.place = Some((step.p, step.step));
        state = replay.step(&state, step)?;
        agreement.steps += 1;
    }
    replay.ends(trace, &initial)?;
    Ok(agreement)
}

struct Replay<'m> {
    machine: &'m mut dyn Machine,
    game: Game,
    place: Option<(usize, usize)>,
}

impl Replay<'_> {
    fn header(&mut self, trace: &Trace) -> Result<State, Stopped> {
        let initial = self.machine.initial()?;
        if let Some(roles) = &trace.header.roles {
            let found: Vec<String> =
                self.game.role_ids().map(|role| self.game.role_name(role)).collect();
            let same = roles.len() == found.len()
                && roles.iter().zip(&found).all(|(a, b)| a.to_lowercase() == b.to_lowercase());
            if !same {
                return self.differ("roles", roles, &found, &[keyword::ROLE]);
            }
        }
        if let Some(items) = &trace.header.init {
            let found = state_items(&self.game, &initial);
            self.compare("initial fluents", items, &found, keyword::INIT)?;
        }
        let terminal = self.machine.is_terminal(&initial)?;
        if let Some(expected) = trace.header.init_terminal {
            self.terminal(expected, terminal)?;
        }
        if terminal {
            let sets = trace.header.goal_sets.as_ref();
            self.goals(&initial, trace.header.init_goals.as_ref(), sets)?;
        }
        Ok(initial)
    }

    fn step(&mut self, state: &State, step: &Step) -> Result<State, Stopped> {
        let mut legal: Vec<Move> = Vec::new();
        let mut joint = Vec::new();
        for (role, (name, items)) in self.game.role_ids().zip(&step.legals.0) {
            self.machine.legal_moves(state, role, &mut legal)?;
            let found = move_items(&self.game, &legal);
            self.compare(&format!("legal moves of {name}"), items, &found, keyword::LEGAL)?;
            let played = step.moves.get(role.index()).cloned().unwrap_or_default();
            let chosen = found.iter().position(|text| text.to_lowercase() == played.to_lowercase());
            let Some(at) = chosen else {
                let what = format!("moves played by {name}");
                return self.differ(&what, &[played], &[], &[keyword::LEGAL]);
            };
            joint.push(legal[at]);
        }
        let next = self.machine.next(state, &JointMove(joint))?;
        let found = state_items(&self.game, &next);
        self.compare("next fluents", &step.next, &found, keyword::NEXT)?;
        let terminal = self.machine.is_terminal(&next)?;
        self.terminal(step.terminal, terminal)?;
        if terminal {
            self.goals(&next, step.goals.as_ref(), step.goal_sets.as_ref())?;
        }
        Ok(next)
    }

    /// A playout that is said to have ended for want of a legal move must do so here too.
    fn ends(&mut self, trace: &Trace, initial: &State) -> Result<(), Stopped> {
        for entry in trace.header.playouts.iter().filter(|entry| entry.end == "nolegal") {
            let mut state = initial.clone();
            for step in trace.steps.iter().filter(|step| step.p == entry.p) {
                state = self.step(&state, step)?;
            }
            self.place = Some((entry.p, entry.steps));
            let mut legal = Vec::new();
            let mut stuck = false;
            for role in self.game.role_ids() {
                self.machine.legal_moves(&state, role, &mut legal)?;
                stuck |= legal.is_empty();
            }
            if !stuck {
                let name = entry.detail.clone().unwrap_or_default();
                let detail = format!("the trace says that {name} has no legal move here");
                return self.fail("legal moves", detail, &[keyword::LEGAL]);
            }
        }
        Ok(())
    }

    fn compare(
        &self,
        what: &str,
        expected: &Items,
        found: &[String],
        relation: Symbol,
    ) -> Result<(), Stopped> {
        if expected.agrees(found) {
            return Ok(());
        }
        match expected {
            Items::Full(full) => self.differ(what, full, found, &[relation]),
            Items::Hashed { n, h, .. } => {
                let detail = format!("expected {n} items with hash {h}, found {}", found.len());
                self.fail(what, detail, &[relation])
            }
        }
    }

    fn terminal(&self, expected: bool, found: bool) -> Result<(), Stopped> {
        if expected == found {
            return Ok(());
        }
        let detail = format!("expected {expected}, found {found}");
        self.fail("terminal", detail, &[keyword::TERMINAL])
    }

    fn goals(
        &mut self,
        state: &State,
        expected: Option<&Vec<Option<i64>>>,
        sets: Option<&Vec<Vec<String>>>,
    ) -> Result<(), Stopped> {
        let (values, found_sets) = terminal_goals(self.machine, state, true)?;
        let same_sets = match (sets, &found_sets) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        };
        if expected.is_none() || (expected == values.as_ref() && same_sets) {
            return Ok(());
        }
        let detail = format!("expected {expected:?} {sets:?}, found {values:?} {found_sets:?}");
        self.fail("goals", detail, &[keyword::GOAL])
    }

    fn differ<T>(
        &self,
        what: &str,
        expected: &[String],
        found: &[String],
        relations: &[Symbol],
    ) -> Result<T, Stopped> {
        let lower = |items: &[String]| items.iter().map(|i| i.to_lowercase()).collect::<Vec<_>>();
        let (expected_lower, found_lower) = (lower(expected), lower(found));
        let pick = |items: &[String], other: &[String]| -> Vec<String> {
            items.iter().filter(|item| !other.contains(&item.to_lowercase())).cloned().collect()
        };
        let missing = pick(expected, &found_lower);
        let extra = pick(found, &expected_lower);
        let concerned: Vec<&String> = missing.iter().chain(&extra).collect();
        let clauses = clauses_for(self.game.program(), relations, &concerned);
        Err(Stopped::Difference(Box::new(Difference {
            place: self.place,
            what: what.to_owned(),
            missing,
            extra,
            detail: String::new(),
            clauses,
        })))
    }

    fn fail<T>(&self, what: &str, detail: String, relations: &[Symbol]) -> Result<T, Stopped> {
        let clauses = clauses_for(self.game.program(), relations, &[]);
        Err(Stopped::Difference(Box::new(Difference {
            place: self.place,
            what: what.to_owned(),
            missing: Vec::new(),
            extra: Vec::new(),
            detail,
            clauses,
        })))
    }
}

/// The clauses whose head could derive one of the items (all clauses of the relation if none is
/// given): the name of the last argument decides.
fn clauses_for(program: &Program, relations: &[Symbol], items: &[&String]) -> Vec<usize> {
    let names: Vec<String> = items
        .iter()
        .filter_map(|item| item.trim_start_matches('(').split([' ', ')']).next())
        .map(str::to_lowercase)
        .collect();
    let mut clauses: Vec<usize> = program
        .rules
        .iter()
        .filter(|rule| relations.contains(&rule.head.relation.name))
        .filter(|rule| match rule.head.args.last() {
            Some(Pattern::Function(name, _) | Pattern::Constant(name)) => {
                names.is_empty() || names.contains(&program.symbols.name(*name).to_lowercase())
            }
            _ => true,
        })
        .map(|rule| rule.clause as usize)
        .collect();
    clauses.dedup();
    clauses
}
