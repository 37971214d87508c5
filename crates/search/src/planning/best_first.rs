//! Best-first search: A* and greedy search with a distance, and search by novelty, which needs none.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use game::State;
use rustc_hash::FxHashMap;

use super::{Distance, Ended, Planning, Steps};
use crate::effort::Stop;
use crate::hash::Key;

/// In which order states are expanded.
pub enum Guide<'d> {
    /// By moves made and moves to go (A*, Hart, Nilsson, Raphael 1968). Finds shortest plans if the distance
    /// is admissible.
    AStar(&'d mut dyn Distance),
    /// By moves to go.
    Greedy(&'d mut dyn Distance),
    /// By novelty: first states with a fluent, then those with a pair of fluents, that no state with the same
    /// reward so far had; then by reward (best-first width search, Lipovetzky, Geffner 2017).
    Novelty,
}

/// The states that wait or are done, with the fewest moves to each.
struct Open {
    states: Vec<State>,
    steps: Steps,
    depths: Vec<u32>,
    known: FxHashMap<Key, u32>,
    queue: BinaryHeap<Reverse<([u32; 3], u32)>>,
    bytes: usize,
}

/// Searches best first for a plan with the largest reward.
pub fn best_first(
    planning: &mut Planning<'_>,
    state: &State,
    guide: &mut Guide<'_>,
) -> Result<Ended, Stop> {
    let mut open = Open {
        states: vec![state.clone()],
        steps: Steps::default(),
        depths: vec![0],
        known: FxHashMap::default(),
        queue: BinaryHeap::new(),
        bytes: 0,
    };
    open.known.insert(planning.key(state), 0);
    let mut novelty = Novelty::default();
    let mut complete = true;
    match rank(planning, state, 0, guide, &mut novelty)? {
        Some(rank) => open.queue.push(Reverse((rank, 0))),
        None => complete = is_sound(guide),
    }
    while let Some(Reverse((_, at))) = open.queue.pop() {
        let depth = open.depths[at as usize];
        let state = open.states[at as usize].clone();
        let Some(moves) = planning.moves(&state, depth)? else {
            let reward = planning.reward(&state)?;
            if planning.reached(reward, || open.steps.path(at)) {
                return Ok(Ended::Best);
            }
            continue;
        };
        for action in moves {
            let next = planning.next(&state, action)?;
            let key = planning.key(&next);
            let fewer = |known: &u32| open.depths[*known as usize] <= depth + 1;
            if open.known.get(&key).is_some_and(fewer) {
                continue;
            }
            let Some(rank) = rank(planning, &next, depth + 1, guide, &mut novelty)? else {
                complete &= is_sound(guide);
                continue;
            };
            let number = open.steps.push(at, action);
            open.bytes += 100 + 8 * next.words().len();
            open.states.push(next);
            open.depths.push(depth + 1);
            open.known.insert(key, number);
            open.queue.push(Reverse((rank, number)));
        }
        if open.bytes > planning.memory {
            return Err(Stop::Memory);
        }
    }
    Ok(if complete { planning.exhausted() } else { Ended::Open })
}

fn is_sound(guide: &Guide<'_>) -> bool {
    match guide {
        Guide::AStar(distance) | Guide::Greedy(distance) => distance.is_admissible(),
        Guide::Novelty => true,
    }
}

/// The place of a state in the queue, least first; none for a dead end.
fn rank(
    planning: &mut Planning<'_>,
    state: &State,
    depth: u32,
    guide: &mut Guide<'_>,
    novelty: &mut Novelty,
) -> Result<Option<[u32; 3]>, Stop> {
    Ok(match guide {
        Guide::AStar(distance) => {
            distance.estimate(state).map(|to_go| [depth.saturating_add(to_go), to_go, 0])
        }
        Guide::Greedy(distance) => distance.estimate(state).map(|to_go| [to_go, depth, 0]),
        Guide::Novelty => {
            let reward = planning.reward(state)?;
            let class = novelty.class(state, reward, &planning.ignored);
            Some([class, 100 - u32::from(reward.min(100)), depth])
        }
    })
}

/// Which fluents and pairs of fluents were seen, for each reward.
#[derive(Default)]
struct Novelty {
    seen: FxHashMap<u8, Seen>,
}

#[derive(Default)]
struct Seen {
    single: State,
    /// For each fluent those it was seen with.
    pairs: Vec<State>,
}

/// Pairs are looked at only where a state has at most that many fluents.
const MOST_FLUENTS: usize = 200;

impl Novelty {
    /// 1 where some fluent is new, 2 where some pair is, else 3.
    fn class(&mut self, state: &State, reward: u8, ignored: &State) -> u32 {
        let seen = self.seen.entry(reward).or_default();
        let fluents: Vec<_> = state.iter().filter(|fluent| !ignored.contains(*fluent)).collect();
        let mut class = 3;
        if fluents.len() <= MOST_FLUENTS {
            let most = fluents.last().map_or(0, |fluent| fluent.index() + 1);
            if seen.pairs.len() < most {
                seen.pairs.resize(most, State::new());
            }
            for (at, one) in fluents.iter().enumerate() {
                for other in &fluents[at + 1..] {
                    let row = &mut seen.pairs[one.index()];
                    if !row.contains(*other) {
                        row.insert(*other);
                        class = 2;
                    }
                }
            }
        }
        for fluent in fluents {
            if !seen.single.contains(fluent) {
                seen.single.insert(fluent);
                class = 1;
            }
        }
        class
    }
}
