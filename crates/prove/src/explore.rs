//! All states of a game, the nearest first, as far as they can be looked at: for what only a long plan refutes, and for
//! games so small that looking at everything is the shortest proof.
//!
//! Many games count their moves, so no state ever comes back and a search sees the same position again and again. First
//! positions that differ in such counters alone are taken for one, and the way that leads to it in the fewest moves is
//! followed: nothing is proved by that, but what it refutes is refuted. Then, if the states can be few, all are looked at.

use std::collections::VecDeque;

use game::{Deadline, JointMove, Machine, Move, ReasonError, State, counting_fluents};
use rustc_hash::FxHashSet;

use crate::ground_property::GroundProperty;
use crate::refute::check;

/// How much is looked at.
#[derive(Clone, Debug)]
pub struct Explore {
    /// The most states.
    pub states: usize,
    /// The most memory for them, in bytes.
    pub max_bytes: usize,
    /// States that differ in counters alone are taken for one.
    pub merge: bool,
    /// The seed of the play that finds counters.
    pub seed: u64,
    /// When to stop.
    pub deadline: Deadline,
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// All reachable states and all moves in them: what was not refuted holds.
    All,
    /// Only some.
    Some,
}

/// The most joint moves that are followed from one state.
const MOST_JOINTS: usize = 20_000;

/// A state that was reached.
struct Node {
    state: State,
    /// From where, and by which moves; none for the initial state.
    from: Option<(u32, JointMove)>,
}

/// Looks at states breadth first and tells `found` the way to each failure.
pub fn explore(
    machine: &mut dyn Machine,
    properties: &[Option<&GroundProperty>],
    how: &Explore,
    found: &mut dyn FnMut(usize, Vec<JointMove>),
) -> Result<Seen, ReasonError> {
    let mut open: Vec<usize> =
        (0..properties.len()).filter(|at| properties[*at].is_some()).collect();
    let initial = machine.initial()?;
    let counters =
        if how.merge { counting_fluents(machine, &initial, how.seed)? } else { State::new() };
    let mut complete = counters.is_empty();
    check(machine, properties, &mut open, (&initial, None), &[], found)?;
    let most = how.states.min(how.max_bytes / bytes(&initial)).max(1);
    let mut known: FxHashSet<State> = FxHashSet::default();
    known.insert(without(&initial, &counters));
    let mut nodes = vec![Node { state: initial, from: None }];
    let mut todo: VecDeque<u32> = VecDeque::from([0]);
    while let Some(at) = todo.pop_front() {
        if open.is_empty() || how.deadline.passed() {
            return Ok(Seen::Some);
        }
        let state = nodes[at as usize].state.clone();
        if machine.is_terminal(&state)? {
            continue;
        }
        let (joints, all) = joint_moves(machine, &state)?;
        complete &= all;
        for joint in joints {
            if how.deadline.passed() {
                return Ok(Seen::Some);
            }
            let next = machine.next(&state, &joint)?;
            let fresh = known.insert(without(&next, &counters));
            let about_moves = |at: &usize| properties[*at].is_some_and(|p| p.about_moves);
            if fresh || open.iter().any(about_moves) {
                let mut tell = |property: usize, _: Vec<JointMove>| {
                    found(property, way(&nodes, at, &joint));
                };
                check(machine, properties, &mut open, (&state, Some(&next)), &[], &mut tell)?;
            }
            if fresh && nodes.len() >= most {
                return Ok(Seen::Some);
            }
            if fresh {
                todo.push_back(nodes.len() as u32);
                nodes.push(Node { state: next, from: Some((at, joint)) });
            }
        }
    }
    Ok(if complete { Seen::All } else { Seen::Some })
}

/// A state without some fluents.
fn without(state: &State, fluents: &State) -> State {
    let mut rest = state.clone();
    for fluent in state.iter().filter(|fluent| fluents.contains(*fluent)) {
        rest.remove(fluent);
    }
    rest
}

/// What a state costs, kept twice and with the moves that led to it, roughly.
fn bytes(state: &State) -> usize {
    2 * (state.words().len() * 16 + 64) + 64
}

/// The moves from the initial state to one, and one more.
fn way(nodes: &[Node], at: u32, last: &JointMove) -> Vec<JointMove> {
    let mut moves = vec![last.clone()];
    let mut at = at;
    while let Some((from, joint)) = &nodes[at as usize].from {
        moves.push(joint.clone());
        at = *from;
    }
    moves.reverse();
    moves
}

/// All joint moves, up to a limit; and whether these are all.
fn joint_moves(
    machine: &mut dyn Machine,
    state: &State,
) -> Result<(Vec<JointMove>, bool), ReasonError> {
    let mut all: Vec<Vec<Move>> = vec![Vec::new()];
    let mut complete = true;
    let mut moves = Vec::new();
    for role in machine.game().role_ids() {
        machine.legal_moves(state, role, &mut moves)?;
        let longer = all.iter().flat_map(|joint| {
            moves.iter().map(move |own| {
                let mut joint = joint.clone();
                joint.push(*own);
                joint
            })
        });
        let ways = all.len().saturating_mul(moves.len());
        complete &= ways <= MOST_JOINTS;
        all = longer.take(MOST_JOINTS).collect();
    }
    Ok((all.into_iter().map(JointMove).collect(), complete))
}
