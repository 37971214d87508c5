//! Search in layers: all states after one move, after two, and so on, each state once (breadth first). Where
//! a layer is wider than the limit, only the states that score best go on (beam search, Lowerre 1976), and
//! nothing is proved any more. Without that the search is exhaustive, and its plans are the shortest.

use game::{Evaluator, State};
use rustc_hash::FxHashSet;

use super::{Ended, Planning, Steps, judged};
use crate::effort::Stop;
use crate::hash::{Key, mix};

/// What makes a state of a wide layer worth keeping.
pub enum Score<'e> {
    /// The value of an evaluator.
    Value(&'e mut dyn Evaluator),
    /// Many legal moves, after what the rules would give at once.
    Mobility,
    /// Few legal moves, after what the rules would give at once.
    Restriction,
}

/// More layers than this are not searched.
const MOST_LAYERS: u32 = 5000;

/// Searches in layers of at most `width` states. The plan it finds is a shortest one of those for its reward,
/// unless a layer was too wide.
pub fn layers(
    planning: &mut Planning<'_>,
    state: &State,
    width: usize,
    score: &mut Score<'_>,
) -> Result<Ended, Stop> {
    let mut steps = Steps::default();
    let mut seen: FxHashSet<Key> = FxHashSet::default();
    seen.insert(planning.key(state));
    let mut layer = vec![(state.clone(), 0)];
    let mut complete = true;
    for depth in 0..MOST_LAYERS {
        if layer.is_empty() {
            return Ok(if complete { planning.exhausted() } else { Ended::Open });
        }
        let mut after = Vec::new();
        for (state, at) in layer {
            let Some(moves) = planning.moves(&state, depth)? else {
                let reward = planning.reward(&state)?;
                if planning.reached(reward, || steps.path(at)) {
                    return Ok(Ended::Best);
                }
                continue;
            };
            for action in moves {
                let next = planning.next(&state, action)?;
                if seen.insert(planning.key(&next)) {
                    after.push((next, steps.push(at, action)));
                }
            }
            let waiting = after.len() * (48 + 8 * state.words().len()) + steps.bytes();
            if waiting + seen.len() * 24 > planning.memory {
                if width == usize::MAX || waiting > planning.memory {
                    return Err(Stop::Memory);
                }
                // States may come again from here on; a beam does not mind.
                complete = false;
                seen.clear();
            }
        }
        if after.len() > width {
            complete = false;
            let Some(kept) = best_of(planning, after, width, depth + 1, score, &steps)? else {
                return Ok(Ended::Best);
            };
            after = kept;
        }
        layer = after;
    }
    Ok(Ended::Open)
}

type Layer = Vec<(State, u32)>;

/// The states that score best; none if an end with the largest reward was among all.
fn best_of(
    planning: &mut Planning<'_>,
    layer: Layer,
    width: usize,
    depth: u32,
    score: &mut Score<'_>,
    steps: &Steps,
) -> Result<Option<Layer>, Stop> {
    let mut scored = Vec::with_capacity(layer.len());
    for (state, at) in layer {
        let moves = planning.moves(&state, depth)?;
        let reward = planning.reward(&state)?;
        let Some(moves) = moves else {
            if planning.reached(reward, || steps.path(at)) {
                return Ok(None);
            }
            continue;
        };
        let value = match score {
            Score::Value(evaluator) => judged(&mut **evaluator, &state),
            Score::Mobility => f64::from(reward) * 1e4 + moves.len() as f64,
            Score::Restriction => f64::from(reward) * 1e4 - moves.len() as f64,
        };
        // Equal scores in no particular order, but always in the same.
        scored.push((value, mix(u64::from(at) ^ planning.salt), state, at));
    }
    if scored.len() > width {
        scored.select_nth_unstable_by(width, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        scored.truncate(width);
    }
    scored.sort_unstable_by_key(|(_, _, _, at)| *at);
    Ok(Some(scored.into_iter().map(|(_, _, state, at)| (state, at)).collect()))
}
