//! Pattern databases (Culberson, Schaeffer 1998) made from the rules, and a beam that they guide.
//!
//! [`crate::strands`] are put together to patterns as long as all states of a pattern fit; the distance of each of these to those that a
//! largest reward allows is exact for the pattern, and the sum over all patterns tells how far a state of the game is. Patterns are chosen
//! so that their strands get into each other's way (two pieces are never in the same place): that is what a strand alone does not know.
//!
//! The patterns know all that the game is about, so the beam needs no machine: a state is one number for each pattern, and a move a lookup
//! for each of them. That is tens of times as fast as by the rules, and only so a beam is wide enough for a cube. What is found is played by the
//! rules before anybody is told.

use std::sync::Arc;

use game::playout::{Random, random_joint_move};
use game::{
    CircuitMachine, Deadline, Foreseen, Foresight, Gates, JointMove, Machine, Move, Role, State,
};

use crate::strands::{Automaton, NONE, Strand, strands};

/// The most states of a pattern, and the most pairs of states that are looked at for one.
const MOST_STATES: usize = 200_000;
const MOST_PAIRS: usize = 1 << 24;
/// The width of the first beam, and the widest one.
const FIRST_WIDTH: usize = 64;
const WIDEST: usize = 1 << 19;
/// The most moves to an end.
const LONGEST: usize = 500;

/// What is known of a pattern.
struct Pattern {
    automaton: Automaton,
    /// For each state the numbers of its strands.
    parts: Vec<Vec<u32>>,
    members: Vec<usize>,
    /// For each state the fewest moves to one that is wanted.
    distance: Vec<u16>,
    /// For each state how many of its strands are as wanted.
    settled: Vec<u8>,
}

/// The pattern databases of a game.
pub struct Patterns {
    strands: Vec<Strand>,
    patterns: Vec<Pattern>,
    moves: Vec<Move>,
}

impl Patterns {
    /// Those of a game of one role, as far as there is time; none where its fluents do not go their own ways.
    pub fn of(gates: &Gates, deadline: &Deadline) -> Option<Arc<Self>> {
        let (strands, moves) = strands(gates, deadline)?;
        let mut open: Vec<usize> = (0..strands.len()).collect();
        let mut patterns = Vec::new();
        while !open.is_empty() {
            if deadline.passed() {
                return None;
            }
            patterns.push(pattern(&strands, &mut open));
        }
        Some(Arc::new(Self { strands, patterns, moves }))
    }

    /// How many patterns there are, and their states.
    pub fn size(&self) -> (usize, usize) {
        (self.patterns.len(), self.patterns.iter().map(|p| p.distance.len()).sum())
    }

    /// The numbers of a state; none if it is not known to some pattern.
    fn numbers(&self, state: &State) -> Option<Vec<u32>> {
        let strands: Option<Vec<u32>> = self.strands.iter().map(|s| s.number(state)).collect();
        let strands = strands?;
        let number = |pattern: &Pattern| {
            let parts: Vec<u32> = pattern.members.iter().map(|at| strands[*at]).collect();
            pattern.parts.iter().position(|other| *other == parts).map(|at| at as u32)
        };
        self.patterns.iter().map(number).collect()
    }
}

/// A pattern of a strand and of those that get into its way most; they are taken out of `open`.
fn pattern(strands: &[Strand], open: &mut Vec<usize>) -> Pattern {
    let first = open.remove(0);
    let mut automaton = strands[first].automaton.clone();
    let mut parts: Vec<Vec<u32>> = (0..automaton.count() as u32).map(|at| vec![at]).collect();
    let mut members = vec![first];
    // The fewer of the pairs of states are possible, the more two strands have to do with each other.
    let mut order: Vec<(usize, usize)> = open
        .iter()
        .map(|at| {
            let both = joined(&strands[first].automaton, &strands[*at].automaton);
            let pairs = strands[first].automaton.count() * strands[*at].automaton.count();
            (both.map_or(usize::MAX, |both| both.1.len() * 1000 / pairs), *at)
        })
        .collect();
    order.sort_unstable();
    for (share, at) in order {
        let growth = strands[at].automaton.count() * share.min(1000) / 1000;
        if automaton.count() * growth.max(2) > 2 * MOST_STATES {
            continue;
        }
        let Some((both, pairs)) = joined(&automaton, &strands[at].automaton) else { continue };
        automaton = both;
        let join = |(one, other): &(u32, u32)| {
            let mut all = parts[*one as usize].clone();
            all.push(*other);
            all
        };
        parts = pairs.iter().map(join).collect();
        members.push(at);
        open.retain(|other| *other != at);
    }
    let distance = distances(&automaton);
    let settled = |parts: &Vec<u32>| {
        let wanted = |(at, part): (&usize, &u32)| strands[*at].automaton.wanted[*part as usize];
        members.iter().zip(parts).filter(|pair| wanted(*pair)).count() as u8
    };
    let settled = parts.iter().map(settled).collect();
    Pattern { automaton, parts, members, distance, settled }
}

/// Two automata as one, with the pairs of their states that moves lead to; none where these are too many.
fn joined(one: &Automaton, other: &Automaton) -> Option<(Automaton, Vec<(u32, u32)>)> {
    if one.count() * other.count() > MOST_PAIRS {
        return None;
    }
    let mut numbers = vec![NONE; one.count() * other.count()];
    let mut pairs = vec![(0, 0)];
    numbers[0] = 0;
    let mut both = Automaton { moves: one.moves, ..Automaton::default() };
    let mut at = 0;
    while at < pairs.len() {
        if pairs.len() > MOST_STATES {
            return None;
        }
        let (a, b): (u32, u32) = pairs[at];
        for action in 0..one.moves {
            let (a, b) = (one.after(a, action), other.after(b, action));
            if a == NONE || b == NONE {
                both.next.push(NONE);
                continue;
            }
            let number = &mut numbers[a as usize * other.count() + b as usize];
            if *number == NONE {
                *number = pairs.len() as u32;
                pairs.push((a, b));
            }
            both.next.push(*number);
        }
        at += 1;
    }
    let wanted = |(a, b): &(u32, u32)| one.wanted[*a as usize] && other.wanted[*b as usize];
    both.wanted = pairs.iter().map(wanted).collect();
    Some((both, pairs))
}

/// For each state the fewest moves to a wanted one; the largest number where there is no way.
fn distances(automaton: &Automaton) -> Vec<u16> {
    let first = |wanted: &bool| if *wanted { 0 } else { u16::MAX };
    let mut distance: Vec<u16> = automaton.wanted.iter().map(first).collect();
    let mut open: Vec<u32> =
        (0..automaton.count() as u32).filter(|at| distance[*at as usize] > 0).collect();
    for length in 1..u16::MAX {
        let before = open.len();
        let mut reached = Vec::new();
        open.retain(|at| {
            let near = |action| {
                let next = automaton.after(*at, action);
                next != NONE && distance[next as usize] == length - 1
            };
            let near = (0..automaton.moves).any(near);
            if near {
                reached.push(*at);
            }
            !near
        });
        reached.into_iter().for_each(|at| distance[at as usize] = length);
        if open.len() == before {
            break;
        }
    }
    distance
}

/// Looks for ways by a beam on patterns.
pub struct PatternBeam {
    shared: Arc<Patterns>,
    machine: CircuitMachine,
    width: usize,
    random: Random,
}

/// A state that may go on to the next layer.
struct Candidate {
    score: u32,
    /// States with the same are the same; else in no particular order.
    hash: u64,
    parent: u32,
    action: u32,
}

/// What one beam made: for each state the one before and the move.
#[derive(Default)]
struct Trail {
    steps: Vec<(u32, u32)>,
}

impl Trail {
    fn path(&self, mut at: u32, moves: &[Move]) -> Vec<Move> {
        let mut path = Vec::new();
        while at > 0 {
            let (before, action) = self.steps[at as usize];
            path.push(moves[action as usize]);
            at = before;
        }
        path.reverse();
        path
    }
}

impl PatternBeam {
    /// For a game with its patterns.
    pub fn new(shared: &Arc<Patterns>, gates: &Gates, seed: u64) -> Self {
        let random = Random::new(seed);
        Self { shared: shared.clone(), machine: gates.machine(), width: FIRST_WIDTH, random }
    }

    /// How long play may go on, by some random play.
    fn horizon(&mut self, state: &State) -> usize {
        let mut longest = 0;
        for _ in 0..3 {
            let mut state = state.clone();
            let mut length = 0;
            while length < LONGEST && !self.machine.is_terminal(&state).unwrap_or(true) {
                let joint = random_joint_move(&mut self.machine, &state, &mut self.random);
                let Ok(Some(joint)) = joint else { break };
                let Ok(next) = self.machine.next(&state, &joint) else { break };
                state = next;
                length += 1;
            }
            longest = longest.max(length);
        }
        longest
    }

    /// The reward of moves, continued by moves that change nothing until play is over; none if they lead to no end.
    fn played(
        &mut self,
        state: &State,
        path: &[Move],
        idle: Option<Move>,
    ) -> Option<(u8, Vec<Move>)> {
        let mut state = state.clone();
        let mut made = Vec::new();
        let mut rest = path.iter().copied();
        let mut legal = Vec::new();
        while !self.machine.is_terminal(&state).ok()? {
            let action = rest.next().or(idle)?;
            self.machine.legal_moves(&state, Role(0), &mut legal).ok()?;
            if made.len() >= LONGEST || !legal.contains(&action) {
                return None;
            }
            state = self.machine.next(&state, &JointMove(vec![action])).ok()?;
            made.push(action);
        }
        let reward = self.machine.goal(&state, Role(0)).ok()?.value()?;
        Some((reward.0, made))
    }

    /// One beam: a way to an end with so large a reward, if there is one on it; an error where time is over.
    fn beam(
        &mut self,
        state: &State,
        least: u8,
        deadline: &Deadline,
    ) -> Result<Option<Vec<Move>>, ()> {
        let shared = self.shared.clone();
        let (patterns, moves) = (&shared.patterns, &shared.moves);
        let Some(start) = shared.numbers(state) else { return Ok(None) };
        let horizon = self.horizon(state);
        let salt = self.random.below(usize::MAX) as u64;
        let mut trail = Trail { steps: vec![(0, 0)] };
        let mut seen = rustc_hash::FxHashSet::default();
        let (mut layer, mut places) = (start, vec![0_u32]);
        // The most strands settled, and where.
        let mut most = (0, 0);
        for depth in 1..=horizon {
            let left = (horizon - depth) as u16;
            let found = candidates(patterns, &layer, (moves.len(), left, salt), deadline)?;
            let found = best_of(found, self.width);
            let (mut after, mut next_places) = (Vec::new(), Vec::new());
            for candidate in found {
                if !seen.insert(candidate.hash) {
                    continue;
                }
                let number = trail.steps.len() as u32;
                trail.steps.push((places[candidate.parent as usize], candidate.action));
                let old = &layer[candidate.parent as usize * patterns.len()..][..patterns.len()];
                let mut settled = 0;
                for (pattern, old) in patterns.iter().zip(old) {
                    let new = pattern.automaton.after(*old, candidate.action as usize);
                    settled += u32::from(pattern.settled[new as usize]);
                    after.push(new);
                }
                next_places.push(number);
                if settled > most.0 {
                    most = (settled, number);
                }
                if candidate.score == 0
                    && let Some((reward, made)) =
                        self.played(state, &trail.path(number, moves), None)
                    && reward >= least
                {
                    return Ok(Some(made));
                }
            }
            if next_places.is_empty() {
                break;
            }
            (layer, places) = (after, next_places);
        }
        let way = trail.path(most.1, moves);
        let idle = self.idle(&shared, state, &way);
        let found = self.played(state, &way, idle);
        Ok(found.filter(|(reward, _)| *reward >= least).map(|(_, made)| made))
    }

    /// A move that changes nothing after some moves.
    fn idle(&mut self, shared: &Patterns, state: &State, way: &[Move]) -> Option<Move> {
        let mut numbers = shared.numbers(state)?;
        let step = |numbers: &[u32], action: usize| -> Vec<u32> {
            let both = shared.patterns.iter().zip(numbers);
            both.map(|(pattern, number)| pattern.automaton.after(*number, action)).collect()
        };
        for action in way {
            numbers = step(&numbers, shared.moves.iter().position(|other| other == action)?);
        }
        (0..shared.moves.len()).find(|at| step(&numbers, *at) == numbers).map(|at| shared.moves[at])
    }
}

/// All states after those of a layer from which a wanted one can still be reached in time.
fn candidates(
    patterns: &[Pattern],
    layer: &[u32],
    (moves, left, salt): (usize, u16, u64),
    deadline: &Deadline,
) -> Result<Vec<Candidate>, ()> {
    let mut found = Vec::new();
    for (parent, state) in layer.chunks_exact(patterns.len()).enumerate() {
        if parent % 256 == 0 && deadline.passed() {
            return Err(());
        }
        'moves: for action in 0..moves {
            let (mut score, mut hash) = (0, salt);
            for (pattern, old) in patterns.iter().zip(state) {
                let new = pattern.automaton.after(*old, action);
                if new == NONE || pattern.distance[new as usize] > left {
                    continue 'moves;
                }
                score += u32::from(pattern.distance[new as usize]);
                hash = (hash.rotate_left(23) ^ u64::from(new)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            }
            found.push(Candidate { score, hash, parent: parent as u32, action: action as u32 });
        }
    }
    Ok(found)
}

/// The candidates with the least scores, each state once.
fn best_of(mut found: Vec<Candidate>, width: usize) -> Vec<Candidate> {
    // Some of them are the same state.
    let most = width + width / 2;
    if found.len() > most {
        found.select_nth_unstable_by_key(most, |candidate| (candidate.score, candidate.hash));
        found.truncate(most);
    }
    found.sort_unstable_by_key(|candidate| (candidate.score, candidate.hash));
    found.dedup_by_key(|candidate| candidate.hash);
    found.truncate(width);
    found
}

impl Foresight for PatternBeam {
    fn look(&mut self, state: &State, least: u8, _: u64, deadline: &Deadline) -> Foreseen {
        while !deadline.passed() {
            let found = self.beam(state, least, deadline);
            self.width = match found {
                Ok(_) => (self.width * 2).min(WIDEST),
                Err(()) => (self.width / 2).max(FIRST_WIDTH),
            };
            if let Ok(Some(way)) = found {
                return Foreseen::Way(way);
            }
        }
        Foreseen::Open
    }
}
