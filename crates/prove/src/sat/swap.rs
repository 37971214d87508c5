//! Which moves of a puzzle may change places: two moves that lead to the same state in either order, each legal
//! before and after the other. Found by random play, so it is a guess: whoever uses it to leave out orders may miss
//! plans, but finds no wrong ones.

use std::ops::Range;

use game::playout::Random;
use game::{Deadline, Gates, JointMove, Machine, Move, ReasonError, Role, State};

const SEEN_TO_SWAP: u8 = 1;
const SEEN_NOT_TO: u8 = 2;
/// Both are legal, and neither after the other.
const EXCLUSIVE: u8 = 4;
/// With more moves than this there are too many pairs.
const MOST_MOVES: usize = 3000;
/// States that are looked at, and moves in each.
const STATES: usize = 300;
const MOVES: usize = 24;
/// The longest playout.
const LONGEST: usize = 300;

/// What was seen of each pair of moves.
pub struct Swaps {
    count: usize,
    seen: Vec<u8>,
    /// The length of the longest playout that ended.
    pub longest: Option<usize>,
    /// Whether the time was enough for the whole sample.
    pub complete: bool,
}

impl Swaps {
    /// Plays at random from a state, and tries pairs of moves on the way.
    pub fn sample(gates: &Gates, state: &State, seed: u64, deadline: &Deadline) -> Self {
        let count = gates.moves().first().map_or(0, Vec::len);
        let pairs = if count > MOST_MOVES { 0 } else { count * count };
        let mut swaps = Self { count, seen: vec![0; pairs], longest: None, complete: true };
        let mut machine = gates.machine();
        let mut random = Random::new(seed);
        let mut looked = 0;
        while looked < STATES && !deadline.passed() {
            // A machine that gives up ends the sample, which then says less.
            match swaps.playout(gates, &mut machine, state, &mut random, &mut looked, deadline) {
                Ok(true) => {}
                Ok(false) | Err(_) => break,
            }
        }
        swaps.complete = !deadline.passed();
        swaps
    }

    /// How many moves there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Nothing known.
    pub fn none() -> Self {
        Self { count: 0, seen: Vec::new(), longest: None, complete: false }
    }

    /// False where there is nothing to play.
    fn playout(
        &mut self,
        gates: &Gates,
        machine: &mut dyn Machine,
        start: &State,
        random: &mut Random,
        looked: &mut usize,
        deadline: &Deadline,
    ) -> Result<bool, ReasonError> {
        let mut state = start.clone();
        let mut legal = Vec::new();
        for length in 0..LONGEST {
            let over = machine.is_terminal(&state)?;
            machine.legal_moves(&state, Role(0), &mut legal)?;
            if over || legal.is_empty() {
                self.longest = self.longest.max(Some(length));
                return Ok(length > 0);
            }
            if !self.seen.is_empty() && *looked < STATES && !deadline.passed() {
                *looked += 1;
                self.look(gates, machine, &state, &legal, random)?;
            } else if self.seen.is_empty() {
                *looked += 1;
            }
            let action = legal[random.below(legal.len())];
            state = machine.next(&state, &JointMove(vec![action]))?;
        }
        Ok(true)
    }

    /// Tries some pairs of moves in a state.
    fn look(
        &mut self,
        gates: &Gates,
        machine: &mut dyn Machine,
        state: &State,
        legal: &[Move],
        random: &mut Random,
    ) -> Result<(), ReasonError> {
        let own = &gates.moves()[0];
        let place = |action: &Move| own.iter().position(|known| known == action);
        let mut chosen = legal.to_vec();
        for at in 0..MOVES.min(chosen.len()) {
            let other = at + random.below(chosen.len() - at);
            chosen.swap(at, other);
        }
        chosen.truncate(MOVES);
        let mut after = Vec::with_capacity(chosen.len());
        for action in &chosen {
            let next = machine.next(state, &JointMove(vec![*action]))?;
            let mut moves = Vec::new();
            if !machine.is_terminal(&next)? {
                machine.legal_moves(&next, Role(0), &mut moves)?;
            }
            after.push((place(action), next, moves));
        }
        for (one, (first, next, then)) in after.iter().enumerate() {
            let Some(first) = *first else { continue };
            for action in then.iter().filter(|action| !legal.contains(action)) {
                if let Some(second) = place(action) {
                    self.note(first, second, false);
                }
            }
            for (other, (second, after_second, then_first)) in after.iter().enumerate() {
                let Some(second) = *second else { continue };
                let follows = then.contains(&chosen[other]);
                if second <= first && !follows && !then_first.contains(&chosen[one]) {
                    self.seen[first * self.count + second] |= EXCLUSIVE;
                }
                if second == first && follows {
                    self.note(first, first, true);
                }
                if second >= first || !follows {
                    continue;
                }
                let same = then_first.contains(&chosen[one]) && {
                    let this = machine.next(next, &JointMove(vec![chosen[other]]))?;
                    this == machine.next(after_second, &JointMove(vec![chosen[one]]))?
                };
                self.note(first, second, same);
            }
        }
        Ok(())
    }

    fn note(&mut self, first: usize, second: usize, swap: bool) {
        let bit = if swap { SEEN_TO_SWAP } else { SEEN_NOT_TO };
        self.seen[first * self.count + second] |= bit;
    }

    /// The moves before `first` (in the order of the ground program) that need not come right after it, because the
    /// other order is as good. Pairs that were not seen are counted in where they lie beside such ones.
    pub fn needless_after(&self, first: usize) -> Vec<Range<usize>> {
        let Some(row) = self.seen.get(first * self.count..first * self.count + first) else {
            return Vec::new();
        };
        let mut ranges = Vec::new();
        let mut start = 0;
        for end in 0..=row.len() {
            let fixed = row.get(end).is_none_or(|seen| seen & SEEN_NOT_TO != 0);
            if fixed {
                if row[start..end].iter().any(|seen| seen & SEEN_TO_SWAP != 0) {
                    ranges.push(start..end);
                }
                start = end + 1;
            }
        }
        ranges
    }

    /// The places of the order between which and all later ones every pair that was seen may change places: whatever
    /// comes up to there may come before all that comes after.
    pub fn barriers(&self) -> Vec<usize> {
        let mut change = vec![(0i64, 0i64); self.count + 1];
        for first in 0..if self.seen.is_empty() { 0 } else { self.count } {
            let row = &self.seen[first * self.count..first * self.count + first];
            let told = |seen: &u8| seen & (SEEN_TO_SWAP | SEEN_NOT_TO) != 0;
            for (second, seen) in row.iter().enumerate().filter(|(_, seen)| told(seen)) {
                let fixed = i64::from(seen & SEEN_NOT_TO != 0);
                change[second].0 += fixed;
                change[second].1 += 1 - fixed;
                change[first].0 -= fixed;
                change[first].1 -= 1 - fixed;
            }
        }
        let mut across = (0, 0);
        let mut barriers = Vec::new();
        for (place, (fixed, free)) in change.iter().enumerate().take(self.count) {
            across = (across.0 + fixed, across.1 + free);
            if across.0 == 0 && across.1 > 0 {
                barriers.push(place);
            }
        }
        barriers
    }

    /// Moves beside each other in the order of which only one is ever made, such as the digits for a cell: as far as was
    /// seen, none is legal after another one or after itself.
    pub fn blocks(&self) -> Vec<Range<usize>> {
        let mut blocks: Vec<Range<usize>> = Vec::new();
        let seen = |first: usize, second: usize| {
            self.seen.get(first * self.count + second).copied().unwrap_or(SEEN_NOT_TO)
        };
        let follow =
            |first: usize, second: usize| seen(first, second) & (SEEN_TO_SWAP | SEEN_NOT_TO) != 0;
        let never = |place: usize| seen(place, place) == 0;
        for place in (0..self.count).filter(|place| !follow(*place, *place)) {
            let joins = |block: &Range<usize>| {
                let akin = |one: usize| never(one) || seen(place, one) & EXCLUSIVE != 0;
                block.end == place
                    && block.clone().all(|one| !follow(place, one))
                    && (never(place) || block.clone().any(akin))
            };
            match blocks.last_mut() {
                Some(last) if joins(last) => last.end = place + 1,
                _ => blocks.push(place..place + 1),
            }
        }
        blocks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn swaps(rules: &str) -> (Swaps, Gates) {
        let game = game::Game::from_text(rules).expect("valid");
        let gates = Gates::build(&game, &game::Budget::default()).expect("small");
        let initial = gates.machine().initial().expect("small");
        (Swaps::sample(&gates, &initial, 1, &Deadline::never()), gates)
    }

    #[test]
    fn moves_that_enable_or_overwrite_each_other_keep_their_order() {
        // Lamps a, b, c are switched by themselves; d needs a; e sets what a set back.
        let (swaps, gates) = swaps(
            "(role r) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (lamp a) (lamp b) (lamp c)
            (<= (legal r (on ?l)) (lamp ?l)) (<= (legal r (on d)) (true (lit a))) (legal r off)
            (<= (next (lit ?l)) (does r (on ?l)))
            (<= (next (lit ?l)) (true (lit ?l)) (not (does r off)))
            (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
            (<= terminal (true (step 3))) (<= (goal r 100) (true (lit d)))",
        );
        let universe = gates.game().universe();
        let name = |at: usize| universe.move_entry(gates.moves()[0][at]).text.to_string();
        let count = gates.moves()[0].len();
        assert_eq!((count, swaps.longest), (5, Some(3)));
        for first in 0..count {
            let needless = swaps.needless_after(first);
            for second in 0..first {
                let pair = [name(first), name(second)];
                let is_needless = needless.iter().any(|range| range.contains(&second));
                // After d comes a as well as before it, but not the other way round.
                let fixed = pair.contains(&"off".to_owned()) || pair == ["(on a)", "(on d)"];
                assert_eq!(is_needless, !fixed, "{pair:?}");
            }
        }
        let is_barrier = |place: &usize| {
            let split = |first: usize, second: usize| second <= *place && *place < first;
            let fixed = |first: usize, second: usize| {
                let pair = [name(first), name(second)];
                pair.contains(&"off".to_owned()) || pair == ["(on a)", "(on d)"]
            };
            (0..count).all(|a| (0..a).all(|b| !split(a, b) || !fixed(a, b))) && *place + 1 < count
        };
        assert!(swaps.blocks().is_empty(), "every move can be repeated");
        assert_eq!(swaps.barriers(), (0..count).filter(is_barrier).collect::<Vec<_>>());
    }
}
