//! Greedy rollouts by the number of moves that go on: of the states that a move leads to, the one that has the fewest moves
//! after which play is not over, but some; equal ones at random. That visits first what would soon be cut off: Warnsdorff's rule for tours
//! of the knight (1823), with ties broken at random and restarts (Pohl 1967; Squirrel, Cull 1996). Every other rollout takes the state with
//! the most such moves instead, which keeps free what is soon blocked.
//!
//! Legal moves alone do not tell that: in many rule sheets a wrong move is legal and ends the game.

use game::playout::Random;
use game::{Move, State};

use super::{Ended, Planning};
use crate::effort::Stop;

/// Rollouts until the effort is spent or the largest reward is reached.
pub fn onward_rollouts(
    planning: &mut Planning<'_>,
    state: &State,
    longest: u32,
    random: &mut Random,
) -> Result<Ended, Stop> {
    let mut few = true;
    loop {
        if rollout(planning, state, few, longest, random)? {
            return Ok(Ended::Best);
        }
        few = !few;
        // A state without moves costs nothing, so the clock has to be looked at here.
        planning.meter.check()?;
    }
}

/// One rollout; true if it reached the largest reward.
fn rollout(
    planning: &mut Planning<'_>,
    state: &State,
    few: bool,
    longest: u32,
    random: &mut Random,
) -> Result<bool, Stop> {
    let mut path = Vec::new();
    let mut state = state.clone();
    while (path.len() as u32) < longest {
        let Some(moves) = planning.moves(&state, path.len() as u32)? else {
            let reward = planning.reward(&state)?;
            return Ok(planning.reached(reward, || path.clone()));
        };
        let mut best: Option<(usize, State, Move)> = None;
        let mut equal = 0;
        for action in moves {
            let next = planning.next(&state, action)?;
            let Some(onward) = onward(planning, &next, &path, action)? else { return Ok(true) };
            // Nothing goes on from 0; with the most that is the last anyway.
            let rank = if few { onward.wrapping_sub(1) } else { usize::MAX - onward };
            match &best {
                Some((least, ..)) if rank > *least => continue,
                Some((least, ..)) if rank == *least => {
                    equal += 1;
                    if random.below(equal) != 0 {
                        continue;
                    }
                }
                _ => equal = 1,
            }
            best = Some((rank, next, action));
        }
        let Some((_, next, action)) = best else { return Ok(false) };
        path.push(action);
        state = next;
    }
    Ok(false)
}

/// After how many moves of a state, which a path and a move led to, play goes on; none if an end with the largest reward is there or next.
fn onward(
    planning: &mut Planning<'_>,
    state: &State,
    path: &[Move],
    last: Move,
) -> Result<Option<usize>, Stop> {
    let way =
        |more: &[Move]| path.iter().copied().chain([last]).chain(more.iter().copied()).collect();
    let Some(moves) = planning.moves(state, path.len() as u32 + 1)? else {
        let reward = planning.reward(state)?;
        return Ok((!planning.reached(reward, || way(&[]))).then_some(0));
    };
    let mut count = 0;
    for action in moves {
        let next = planning.next(state, action)?;
        if !planning.ends(&next)? {
            count += 1;
            continue;
        }
        let reward = planning.reward(&next)?;
        if planning.reached(reward, || way(&[action])) {
            return Ok(None);
        }
    }
    Ok(Some(count))
}
