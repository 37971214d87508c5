//! Fluents that only tell the time, found by random play.
//!
//! Most puzzles count their moves, so that no state ever comes twice and comparing states is in vain. A
//! fluent counts as a clock if in random play it held at each time in all playouts or in none. Ignoring
//! such fluents is a guess that makes searches fast; plans are made of moves that were really made, so a
//! wrong guess costs time and not truth.

use game::playout::{Random, random_joint_move};
use game::{Machine, ReasonError, State};

/// Playouts compared with each other.
const PLAYOUTS: usize = 24;
/// The most moves of each.
const LENGTH: usize = 300;

/// The fluents that only tell the time.
pub fn clock_fluents(
    machine: &mut dyn Machine,
    state: &State,
    seed: u64,
) -> Result<State, ReasonError> {
    let mut random = Random::new(seed);
    let mut always: Vec<State> = Vec::new();
    let mut ever: Vec<State> = Vec::new();
    let mut playouts: Vec<usize> = Vec::new();
    for _ in 0..PLAYOUTS {
        let mut state = state.clone();
        for time in 0..LENGTH {
            if time == always.len() {
                always.push(state.clone());
                ever.push(state.clone());
                playouts.push(1);
            } else {
                playouts[time] += 1;
                always[time] = combine(&always[time], &state, |a, b| a & b);
                ever[time] = combine(&ever[time], &state, |a, b| a | b);
            }
            if machine.is_terminal(&state)? {
                break;
            }
            let Some(joint) = random_joint_move(machine, &state, &mut random)? else { break };
            state = machine.next(&state, &joint)?;
        }
    }
    // The last playout would agree with itself.
    let compared = playouts.iter().take_while(|playouts| **playouts >= PLAYOUTS / 2).count();
    always.truncate(compared);
    ever.truncate(compared);
    let varying = ever.iter().zip(&always).fold(State::new(), |sum, (ever, always)| {
        combine(&sum, &combine(ever, always, |a, b| a & !b), |a, b| a | b)
    });
    let seen = ever.iter().fold(State::new(), |sum, now| combine(&sum, now, |a, b| a | b));
    let constant = always.iter().fold(seen.clone(), |all, now| combine(&all, now, |a, b| a & b));
    // What holds at all times tells nothing, but leaving it out changes nothing either.
    Ok(combine(&combine(&seen, &varying, |a, b| a & !b), &constant, |a, b| a & !b))
}

fn combine(one: &State, other: &State, with: impl Fn(u64, u64) -> u64) -> State {
    let (one, other) = (one.words(), other.words());
    let word = |words: &[u64], at: usize| words.get(at).copied().unwrap_or(0);
    State::from_words(
        (0..one.len().max(other.len())).map(|at| with(word(one, at), word(other, at))),
    )
}
