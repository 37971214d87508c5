//! Depth-first branch and bound: successors in the order of the evaluator, states that were searched before
//! left out through a table, cut where nothing better is possible.

use game::{Evaluator, Move, State};

use super::{Distance, Ended, Planning, judged};
use crate::effort::Stop;
use crate::table::Table;

/// A state on the path, with the successors still to be searched, the best last.
struct Frame {
    rest: Vec<(State, Move)>,
}

/// Searches depth first, at most `deepest` moves deep. With the table full, states may be searched again,
/// but not without end.
pub fn depth_first(
    planning: &mut Planning<'_>,
    state: &State,
    evaluator: &mut dyn Evaluator,
    distance: &mut dyn Distance,
    deepest: u32,
) -> Result<Ended, Stop> {
    let mut seen: Table<u32> = Table::new(planning.memory);
    let mut path: Vec<Move> = Vec::new();
    let mut frames = Vec::new();
    let mut complete = true;
    let mut now = Some(state.clone());
    loop {
        if let Some(state) = now.take() {
            let depth = frames.len() as u32;
            let dead = distance.estimate(&state).is_none();
            complete &= !dead || distance.is_admissible();
            let known = seen.get(planning.key(&state)).is_some_and(|before| *before <= depth);
            if dead || known {
                frames.push(Frame { rest: Vec::new() });
            } else {
                seen.put(planning.key(&state), u32::MAX - depth, depth);
                let (frame, end, cut) = open(planning, &state, evaluator, depth, deepest)?;
                complete &= !cut;
                frames.push(frame);
                if end.is_some_and(|reward| planning.reached(reward, || path.clone())) {
                    return Ok(Ended::Best);
                }
            }
        }
        let Some(frame) = frames.last_mut() else {
            return Ok(if complete { planning.exhausted() } else { Ended::Open });
        };
        if let Some((state, action)) = frame.rest.pop() {
            path.push(action);
            now = Some(state);
        } else {
            frames.pop();
            path.pop();
        }
    }
}

/// The successors of a state; the reward at an end; whether it was cut off for its depth.
fn open(
    planning: &mut Planning<'_>,
    state: &State,
    evaluator: &mut dyn Evaluator,
    depth: u32,
    deepest: u32,
) -> Result<(Frame, Option<u8>, bool), Stop> {
    let Some(moves) = planning.moves(state, depth)? else {
        return Ok((Frame { rest: Vec::new() }, Some(planning.reward(state)?), false));
    };
    if depth >= deepest {
        return Ok((Frame { rest: Vec::new() }, None, true));
    }
    let mut rest = Vec::with_capacity(moves.len());
    for action in moves {
        let next = planning.next(state, action)?;
        rest.push((judged(evaluator, &next), next, action));
    }
    // The first of equal ones is tried first.
    rest.reverse();
    rest.sort_by(|a, b| a.0.total_cmp(&b.0));
    Ok((
        Frame { rest: rest.into_iter().map(|(_, next, action)| (next, action)).collect() },
        None,
        false,
    ))
}
