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
use std::time::{Duration, Instant};

use game::playout::{Random, random_joint_move};
use game::{
    CircuitMachine, Deadline, Foreseen, Foresight, Gates, JointMove, Machine, Move, Role, State,
};

use rustc_hash::FxHashSet;
use search::planning::{BARELY, next_width};

use crate::strands::{Automaton, NONE, Strand, strands};

/// The most states of a pattern, the most entries of its table of moves, and the most pairs of states that are looked at for one.
const MOST_STATES: usize = 200_000;
const MOST_ENTRIES: usize = 1 << 24;
const MOST_PAIRS: usize = 1 << 24;
/// The width of the first beam, and the widest one.
const FIRST_WIDTH: usize = 64;
const WIDEST: usize = 1 << 19;
/// What a state of a beam takes, about: its step, and its hash among those that were seen.
const BYTES_OF_A_STATE: usize = 32;
/// Work for each state of a layer, where there is no clock.
const WORK_FOR_A_STATE: u64 = 8;
/// The most moves to an end.
const LONGEST: usize = 500;

/// What is known of a pattern.
struct Pattern {
    automaton: Automaton,
    /// The strands, and for each state their numbers.
    members: Vec<usize>,
    parts: Vec<u32>,
    /// For each state the fewest moves to one that is wanted.
    distance: Vec<u16>,
    /// For each state how many of its strands are as wanted.
    settled: Vec<u8>,
}

/// The pattern databases of a game.
pub struct Patterns {
    strands: Vec<Strand>,
    all: Vec<Pattern>,
    moves: Vec<Move>,
    /// The most states of a beam: all of them are remembered.
    room: usize,
}

impl Patterns {
    /// Those of a game of one role, within about so many bytes; none where its fluents do not go their own ways, or not in time.
    pub fn of(gates: &Gates, memory: usize, deadline: &Deadline) -> Option<Arc<Self>> {
        let (strands, moves) = strands(gates, deadline)?;
        let mut open: Vec<usize> = (0..strands.len()).collect();
        let (mut patterns, mut bytes) = (Vec::new(), 0);
        while !open.is_empty() {
            let pattern = pattern(&strands, &mut open, deadline)?;
            bytes += 4 * (pattern.automaton.next.len() + pattern.parts.len());
            if bytes > memory {
                return None;
            }
            patterns.push(pattern);
        }
        let room = (memory - bytes) / BYTES_OF_A_STATE;
        Some(Arc::new(Self { strands, all: patterns, moves, room }))
    }

    /// How many patterns there are, and their states.
    pub fn size(&self) -> (usize, usize) {
        (self.all.len(), self.all.iter().map(|p| p.distance.len()).sum())
    }

    /// The numbers of a state; none if it is not known to some pattern.
    fn numbers(&self, state: &State) -> Option<Vec<u32>> {
        let strands: Option<Vec<u32>> = self.strands.iter().map(|s| s.number(state)).collect();
        let strands = strands?;
        let number = |pattern: &Pattern| {
            let parts: Vec<u32> = pattern.members.iter().map(|at| strands[*at]).collect();
            let mut all = pattern.parts.chunks_exact(parts.len());
            all.position(|other| *other == parts).map(|at| at as u32)
        };
        self.all.iter().map(number).collect()
    }
}

/// A pattern of a strand and of those that get into its way most; they are taken out of `open`. None where time is over.
fn pattern(strands: &[Strand], open: &mut Vec<usize>, deadline: &Deadline) -> Option<Pattern> {
    let first = open.remove(0);
    let mut automaton = strands[first].automaton.clone();
    let mut parts: Vec<u32> = (0..automaton.count() as u32).collect();
    let mut members = vec![first];
    for (share, at) in nearest(strands, first, open, deadline)? {
        let growth = strands[at].automaton.count() * share / 1000;
        let entries = automaton.next.len() * growth.max(2);
        if automaton.count() * growth.max(2) > 2 * MOST_STATES || entries > MOST_ENTRIES {
            continue;
        }
        let Some((both, pairs)) = joined(&automaton, &strands[at].automaton) else { continue };
        automaton = both;
        let before = parts;
        parts = Vec::with_capacity(pairs.len() * (members.len() + 1));
        for (one, other) in pairs {
            parts.extend(&before[one as usize * members.len()..][..members.len()]);
            parts.push(other);
        }
        members.push(at);
        open.retain(|other| *other != at);
    }
    let distance = distances(&automaton);
    let settled = |parts: &[u32]| {
        let wanted = |(at, part): (&usize, &u32)| strands[*at].automaton.wanted[*part as usize];
        members.iter().zip(parts).filter(|pair| wanted(*pair)).count() as u8
    };
    let settled = parts.chunks_exact(members.len()).map(settled).collect();
    Some(Pattern { automaton, members, parts, distance, settled })
}

/// Other strands with the share of pairs of states that are possible, in thousandths, the least first: the fewer pairs are possible, the
/// more two strands have to do with each other. None where time is over.
fn nearest(
    strands: &[Strand],
    first: usize,
    open: &[usize],
    deadline: &Deadline,
) -> Option<Vec<(usize, usize)>> {
    let one = &strands[first].automaton;
    let mut order = Vec::new();
    for at in open {
        if deadline.passed() {
            return None;
        }
        let other = &strands[*at].automaton;
        let pairs = one.count() * other.count();
        let both = joined(one, other).map_or(pairs, |(_, both)| both.len());
        order.push((both * 1000 / pairs, *at));
    }
    order.sort_unstable();
    Some(order)
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
        for at in reached {
            distance[at as usize] = length;
        }
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
    /// What the last beam took.
    cost: Option<Duration>,
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

/// What one beam made.
struct Made<'p> {
    shared: &'p Patterns,
    /// For each state the one before and the move.
    steps: Vec<(u32, u32)>,
    seen: FxHashSet<u64>,
    /// The last layer: for each state its numbers, and its place among the steps.
    layer: Vec<u32>,
    places: Vec<u32>,
    /// States of the last layer in which all is as wanted.
    homes: Vec<u32>,
    /// The most strands that are as wanted, and where.
    most: (u32, u32),
}

impl<'p> Made<'p> {
    fn new(shared: &'p Patterns, start: Vec<u32>) -> Self {
        Self {
            shared,
            steps: vec![(0, 0)],
            seen: FxHashSet::default(),
            layer: start,
            places: vec![0],
            homes: Vec::new(),
            most: (0, 0),
        }
    }

    /// Makes those that are new the next layer.
    fn step(&mut self, found: Vec<Candidate>) {
        let patterns = &self.shared.all;
        let (mut layer, mut places) = (Vec::new(), Vec::new());
        self.homes.clear();
        for candidate in found {
            if !self.seen.insert(candidate.hash) {
                continue;
            }
            let number = self.steps.len() as u32;
            self.steps.push((self.places[candidate.parent as usize], candidate.action));
            places.push(number);
            let old = &self.layer[candidate.parent as usize * patterns.len()..];
            let mut settled = 0;
            for (pattern, old) in patterns.iter().zip(old) {
                let new = pattern.automaton.after(*old, candidate.action as usize);
                settled += u32::from(pattern.settled[new as usize]);
                layer.push(new);
            }
            if settled > self.most.0 {
                self.most = (settled, number);
            }
            if candidate.score == 0 {
                self.homes.push(number);
            }
        }
        (self.layer, self.places) = (layer, places);
    }

    fn path(&self, mut at: u32) -> Vec<Move> {
        let mut path = Vec::new();
        while at > 0 {
            let (before, action) = self.steps[at as usize];
            path.push(self.shared.moves[action as usize]);
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
        Self {
            shared: shared.clone(),
            machine: gates.machine(),
            width: FIRST_WIDTH,
            cost: None,
            random,
        }
    }

    /// The width of the next beam by what the last one took: as wide as there is time for. None unless it is so many hundredths of that.
    fn fitting(&self, least: u128, deadline: &Deadline) -> Option<usize> {
        let Some(cost) = self.cost else { return Some(FIRST_WIDTH) };
        let width = next_width((self.width, cost), deadline.left(), least)?;
        Some(width.clamp(FIRST_WIDTH, WIDEST))
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
        let Some(start) = shared.numbers(state) else { return Ok(None) };
        let horizon = self.horizon(state);
        let width = self.width.min(shared.room / horizon.max(1)).max(1);
        let salt = self.random.below(1 << 31) as u64;
        let mut made = Made::new(&shared, start);
        for depth in 1..=horizon {
            let left = (horizon - depth) as u16;
            let found = candidates(&shared, &made.layer, (left, salt), deadline)?;
            made.step(best_of(found, width));
            for home in &made.homes {
                if let Some((reward, way)) = self.played(state, &made.path(*home), None)
                    && reward >= least
                {
                    return Ok(Some(way));
                }
            }
            if made.places.is_empty() {
                break;
            }
        }
        let way = made.path(made.most.1);
        let idle = idle(&shared, state, &way);
        let found = self.played(state, &way, idle);
        Ok(found.filter(|(reward, _)| *reward >= least).map(|(_, way)| way))
    }
}

/// A move that changes nothing after some moves.
fn idle(shared: &Patterns, state: &State, way: &[Move]) -> Option<Move> {
    let mut numbers = shared.numbers(state)?;
    let step = |numbers: &[u32], action: usize| -> Vec<u32> {
        let both = shared.all.iter().zip(numbers);
        both.map(|(pattern, number)| pattern.automaton.after(*number, action)).collect()
    };
    for action in way {
        numbers = step(&numbers, shared.moves.iter().position(|other| other == action)?);
    }
    (0..shared.moves.len()).find(|at| step(&numbers, *at) == numbers).map(|at| shared.moves[at])
}

/// All states after those of a layer from which a wanted one can still be reached in time.
fn candidates(
    shared: &Patterns,
    layer: &[u32],
    (left, salt): (u16, u64),
    deadline: &Deadline,
) -> Result<Vec<Candidate>, ()> {
    let (patterns, moves) = (&shared.all, shared.moves.len());
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

impl PatternBeam {
    /// One beam of a width; the cost is that of a whole one, about.
    fn once(&mut self, width: usize, state: &State, least: u8, deadline: &Deadline) -> Foreseen {
        self.width = width;
        let begin = Instant::now();
        let found = self.beam(state, least, deadline);
        // What was cut off would have taken longer.
        self.cost = Some(begin.elapsed() * if found.is_ok() { 1 } else { 2 });
        found.ok().flatten().map_or(Foreseen::Open, Foreseen::Way)
    }
}

impl Foresight for PatternBeam {
    /// With a clock, beams as wide as there is time for; without one a single beam as wide as the work that is asked for.
    fn look(&mut self, state: &State, least: u8, work: u64, deadline: &Deadline) -> Foreseen {
        if deadline.left().is_none() {
            let width = usize::try_from(work / WORK_FOR_A_STATE).unwrap_or(WIDEST);
            return self.once(width.clamp(FIRST_WIDTH, WIDEST), state, least, deadline);
        }
        let mut barely = 0;
        while !deadline.passed() {
            let Some(width) = self.fitting(barely, deadline) else { break };
            let found = self.once(width, state, least, deadline);
            if found != Foreseen::Open {
                return found;
            }
            barely = BARELY;
        }
        Foreseen::Open
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wheel that a move turns by one, and one that it leaves alone.
    fn wheel(states: u32, wanted: u32) -> Automaton {
        let next = (0..states).flat_map(|at| [(at + 1) % states, at]).collect();
        Automaton { moves: 2, next, wanted: (0..states).map(|at| at == wanted).collect() }
    }

    #[test]
    fn joined_wheels_know_what_each_alone_does_not() {
        let (three, four) = (wheel(3, 2), wheel(4, 3));
        let (both, pairs) = joined(&three, &four).expect("few states");
        assert_eq!(pairs.len(), 12);
        // Alone they are 2 and 3 moves away, together 11.
        assert_eq!((distances(&three)[0], distances(&four)[0], distances(&both)[0]), (2, 3, 11));
        // Of wheels of the same size only those pairs are possible that turn together.
        assert_eq!(joined(&four, &four).expect("few").1.len(), 4);
        let apart = joined(&four, &wheel(4, 1)).expect("few").0;
        assert_eq!(distances(&apart)[0], u16::MAX);
    }
}
