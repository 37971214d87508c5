//! Refutation by play: random matches, directed at what has not been seen, until a property fails (thesis §7.4.4).
//!
//! A step asks all open properties about the state reached, so one match refutes many. Where a machine is on the
//! circuit this is a few thousand states in a second, on the interpreter some hundreds; either way it is cheap beside
//! a proof that must fail.

use game::playout::Random;
use game::{Deadline, JointMove, Machine, Move, ReasonError, State};
use rustc_hash::FxHashMap;

use crate::evaluate::{View, holds};
use crate::ground_property::GroundProperty;

/// How much is played.
#[derive(Clone, Debug)]
pub struct Play {
    /// The most states that are looked at.
    pub states: u64,
    /// Play ends early when nothing was refuted for so many states, and for four times as long as it took up to the
    /// last refutation.
    pub patience: u64,
    /// The longest match.
    pub steps: usize,
    /// The seed.
    pub seed: u64,
    /// When to stop.
    pub deadline: Deadline,
}

/// How many moves of a role are looked ahead for a fluent that was never seen.
const LOOKED_AT: usize = 3;

/// Plays until all properties are refuted or the effort is spent. For each property the trace that refutes it, if one
/// was found.
pub fn refute(
    machine: &mut dyn Machine,
    properties: &[Option<&GroundProperty>],
    play: &Play,
    found: &mut dyn FnMut(usize, Vec<JointMove>),
) -> Result<u64, ReasonError> {
    let mut open: Vec<usize> =
        (0..properties.len()).filter(|at| properties[*at].is_some()).collect();
    let mut random = Random::new(play.seed);
    let mut visits: FxHashMap<State, u32> = FxHashMap::default();
    let (mut looked, mut last) = (0, 0);
    let initial = machine.initial()?;
    check(machine, properties, &mut open, (&initial, None), &[], found)?;
    looked += 1;
    let over = |looked: u64, last: u64| {
        looked >= play.states
            || looked - last > play.patience.max(4 * last)
            || play.deadline.passed()
    };
    while !open.is_empty() && !over(looked, last) {
        let mut state = initial.clone();
        let mut trace: Vec<JointMove> = Vec::new();
        while trace.len() < play.steps && !over(looked, last) {
            if machine.is_terminal(&state)? {
                break;
            }
            let Some(joint) = choose(machine, &state, &mut random, &mut visits)? else { break };
            let next = machine.next(&state, &joint)?;
            trace.push(joint);
            let before = open.len();
            check(machine, properties, &mut open, (&state, Some(&next)), &trace, found)?;
            looked += 1;
            last = if open.len() < before { looked } else { last };
            state = next;
        }
        if trace.is_empty() {
            break;
        }
    }
    Ok(looked)
}

/// Asks the open properties: about states in the state reached, about moves at the move that led there.
pub(crate) fn check(
    machine: &mut dyn Machine,
    properties: &[Option<&GroundProperty>],
    open: &mut Vec<usize>,
    (state, next): (&State, Option<&State>),
    trace: &[JointMove],
    found: &mut dyn FnMut(usize, Vec<JointMove>),
) -> Result<(), ReasonError> {
    let mut now = View::new(state);
    let mut after = next.map(View::new);
    let mut refuted = Vec::new();
    for at in open.iter() {
        let Some(property) = properties[*at] else { continue };
        let fine = match (property.about_moves, &mut after) {
            (true, Some(_)) => holds(&property.formula, &mut now, &mut after, machine)?,
            (true, None) => true,
            (false, Some(after)) => holds(&property.formula, after, &mut None, machine)?,
            (false, None) => holds(&property.formula, &mut now, &mut None, machine)?,
        };
        if !fine {
            refuted.push(*at);
            found(*at, trace.to_vec());
        }
    }
    open.retain(|at| !refuted.contains(at));
    Ok(())
}

/// A random joint move; of a few, the one whose successor was met least often.
fn choose(
    machine: &mut dyn Machine,
    state: &State,
    random: &mut Random,
    visits: &mut FxHashMap<State, u32>,
) -> Result<Option<JointMove>, ReasonError> {
    let mut choices: Vec<Vec<Move>> = Vec::new();
    for role in machine.game().role_ids() {
        let mut moves = Vec::new();
        machine.legal_moves(state, role, &mut moves)?;
        if moves.is_empty() {
            return Ok(None);
        }
        choices.push(moves);
    }
    let ways: usize = choices.iter().map(Vec::len).fold(1, usize::saturating_mul);
    let draw = |random: &mut Random| {
        JointMove(choices.iter().map(|moves| moves[random.below(moves.len())]).collect())
    };
    let looked = if ways == 1 { 1 } else { LOOKED_AT };
    let mut best: Option<(u32, JointMove, State)> = None;
    for _ in 0..looked {
        let joint = draw(random);
        let next = machine.next(state, &joint)?;
        let count = visits.get(&next).copied().unwrap_or(0);
        if best.as_ref().is_none_or(|(least, ..)| count < *least) {
            best = Some((count, joint, next));
        }
        if count == 0 {
            break;
        }
    }
    Ok(best.map(|(count, joint, next)| {
        if visits.len() < 200_000 {
            visits.insert(next, count + 1);
        }
        joint
    }))
}
