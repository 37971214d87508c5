//! Replaying a record: is every state, move and result what the rules say?

use std::fmt;

use game::{Game, GroundTerm, JointMove, Machine, Move, ReasonError, State};
use gdl::sexp::SexpKind;

use crate::record::{MatchRecord, state_text};

/// A record that agrees with the rules.
#[derive(Clone, Debug)]
pub struct Verified {
    /// The states.
    pub states: Vec<State>,
    /// The joint moves between them.
    pub moves: Vec<JointMove>,
    /// The goals of the last state, if it is terminal.
    pub goals: Option<Vec<Option<i64>>>,
}

/// Why a record does not agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// The record contradicts the rules.
    Record {
        /// The state or joint move, from 0.
        step: usize,
        /// What is wrong.
        what: String,
    },
    /// The machine gave up.
    Reason(ReasonError),
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Record { step, what } => write!(f, "step {step}: {what}"),
            Self::Reason(error) => write!(f, "{error}"),
        }
    }
}

impl From<ReasonError> for Mismatch {
    fn from(error: ReasonError) -> Self {
        Self::Reason(error)
    }
}

fn wrong<T>(step: usize, what: impl Into<String>) -> Result<T, Mismatch> {
    Err(Mismatch::Record { step, what: what.into() })
}

/// Replays a record and stops at the first contradiction.
pub fn verify(machine: &mut dyn Machine, record: &MatchRecord) -> Result<Verified, Mismatch> {
    let game = machine.game().clone();
    let mut state = machine.initial()?;
    let mut verified = Verified { states: Vec::new(), moves: Vec::new(), goals: None };
    compare(&game, record, 0, &state)?;
    verified.states.push(state.clone());
    for (step, told) in record.moves.iter().enumerate() {
        if machine.is_terminal(&state)? {
            return wrong(step, "moves follow a terminal state");
        }
        let joint = joint_move(machine, &state, told, step)?;
        state = machine.next(&state, &joint)?;
        compare(&game, record, step + 1, &state)?;
        verified.states.push(state.clone());
        verified.moves.push(joint);
    }
    if record.states.len() > verified.states.len() {
        return wrong(verified.states.len(), "there are more states than moves lead to");
    }
    verified.goals = ending(machine, &state, record, verified.moves.len())?;
    Ok(verified)
}

fn compare(game: &Game, record: &MatchRecord, step: usize, state: &State) -> Result<(), Mismatch> {
    // The last state may be missing where a record was cut off.
    let Some(text) = record.states.get(step) else { return Ok(()) };
    match read_state(game, text) {
        Some(told) if told == *state => Ok(()),
        _ => {
            wrong(step, format!("the state is {}, but recorded as {text}", state_text(game, state)))
        }
    }
}

/// Reads `( ( cell 1 1 b ) ... )`; none if it holds something that is no term of the game.
fn read_state(game: &Game, text: &str) -> Option<State> {
    let reading = gdl::sexp::read(text, &gdl::Limits::default());
    let [item] = &reading.items[..] else { return None };
    let SexpKind::List(items) = &item.kind else { return None };
    let terms = items.iter().map(|item| game.universe().ground(item));
    terms.map(|term| Some(game.universe().fluent(&term?))).collect()
}

fn joint_move(
    machine: &mut dyn Machine,
    state: &State,
    told: &[String],
    step: usize,
) -> Result<JointMove, Mismatch> {
    let game = machine.game().clone();
    let roles = game.roles().len();
    if told.len() != roles {
        return wrong(step, format!("{} moves for {roles} roles", told.len()));
    }
    let mut joint = Vec::new();
    let mut legal: Vec<Move> = Vec::new();
    for (role, text) in game.role_ids().zip(told) {
        machine.legal_moves(state, role, &mut legal)?;
        let term: Option<GroundTerm> = game.universe().parse(text);
        match term.map(|term| game.universe().action(&term)).filter(|a| legal.contains(a)) {
            Some(action) => joint.push(action),
            None => {
                return wrong(step, format!("{text} is not legal for {}", game.role_name(role)));
            }
        }
    }
    Ok(JointMove(joint))
}

fn ending(
    machine: &mut dyn Machine,
    state: &State,
    record: &MatchRecord,
    step: usize,
) -> Result<Option<Vec<Option<i64>>>, Mismatch> {
    let terminal = machine.is_terminal(state)?;
    if record.is_completed && !terminal {
        return wrong(step, "recorded as complete, but the last state is not terminal");
    }
    let (goals, _) = crate::trace::terminal_goals(machine, state, terminal)?;
    let Some(goals) = goals else { return Ok(None) };
    if record.goal_values.is_empty() {
        return Ok(Some(goals));
    }
    let forfeited = record.fluxion.as_ref().map(|extra| &extra.forfeited[..]).unwrap_or_default();
    for (role, (goal, told)) in machine.game().role_ids().zip(goals.iter().zip(&record.goal_values))
    {
        let name = machine.game().role_name(role);
        if forfeited.contains(&name) {
            continue;
        }
        if goal.is_some_and(|goal| goal != *told) {
            return wrong(step, format!("the goal of {name} is {goal:?}, but recorded as {told}"));
        }
    }
    if record.goal_values.len() != goals.len() {
        return wrong(
            step,
            format!("{} results for {} roles", record.goal_values.len(), goals.len()),
        );
    }
    Ok(Some(goals))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &str = "(role you) (init (step 1)) (succ 1 2) (succ 2 3)
        (legal you (go left)) (<= (legal you (go right)) (true (step 2)))
        (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
        (<= terminal (true (step 3))) (<= (goal you 100) terminal) (<= (goal you 0) (not terminal))";

    fn record() -> MatchRecord {
        let texts = |items: &[&str]| items.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>();
        MatchRecord {
            states: texts(&["( ( STEP 1 ) )", "((step 2))", "( ( step 3 ) )"]),
            moves: vec![texts(&["( go left )"]), texts(&["(GO RIGHT)"])],
            is_completed: true,
            goal_values: vec![100],
            ..MatchRecord::default()
        }
    }

    #[track_caller]
    fn check(change: impl Fn(&mut MatchRecord), expect: Option<&str>) {
        let game = Game::from_text(RULES).expect("rules");
        let mut record = record();
        change(&mut record);
        let found = verify(&mut game.interpreter(), &record).err().map(|error| error.to_string());
        match expect {
            None => assert_eq!(found, None),
            Some(text) => assert!(found.as_ref().is_some_and(|f| f.contains(text)), "{found:?}"),
        }
    }

    #[test]
    fn records_are_checked_against_the_rules() {
        check(|_| {}, None);
        check(|r| r.states.truncate(2), None);
        check(|r| r.goal_values = vec![], None);
        check(|r| r.states[1] = "( ( step 3 ) )".to_owned(), Some("step 1: the state is"));
        check(|r| r.states[0] = "nonsense".to_owned(), Some("step 0"));
        check(
            |r| r.moves[0][0] = "( go right )".to_owned(),
            Some("step 0: ( go right ) is not legal"),
        );
        check(|r| r.moves[0][0] = "( fly away )".to_owned(), Some("is not legal for you"));
        check(|r| r.moves[0].clear(), Some("0 moves for 1 roles"));
        check(|r| r.moves.push(r.moves[0].clone()), Some("moves follow a terminal state"));
        check(|r| r.goal_values = vec![50], Some("recorded as 50"));
        check(|r| r.goal_values = vec![100, 0], Some("2 results"));
        check(|r| r.moves.truncate(1), Some("step 2: there are more states"));
        check(
            |r| {
                r.moves.truncate(1);
                r.states.truncate(2);
            },
            Some("not terminal"),
        );
    }
}
