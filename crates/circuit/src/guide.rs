//! Preferences in random play: moves that seem worse are thinned out before one is chosen, answers to something that holds
//! come first.
//!
//! Every move has a number of halvings: with h of them it stays with probability 2^-h, in each position by itself.
//! Among the moves that stay one is chosen uniformly; where none stays, among all legal ones. So no legal move is
//! ever impossible, and the better of two moves is the likelier one. That is a weighted choice in the manner of MAST's
//! Gibbs sampling (Finnsson and Björnsson 2008), made for hundreds of positions at once at the price of two
//! operations for each move. Weights may depend on a fluent; they themselves are the caller's business.
//!
//! An answer is a move that is to be made while a fluent holds: where one is legal, only answers stay, but for one time in
//! eight. Both together are a stump of a decision tree for each move.
//!
//! Moves of different groups share random planes. That correlates which of them stay, but not how likely each is to.
#![expect(clippy::inline_always, reason = "kernels compiled for several kinds of registers")]

use rustc_hash::FxHashMap;

use crate::choose::{Chooser, Unchosen};
use crate::plane::{Memory, NONE, Plane, RandomPlanes, WORDS};
use crate::vector::Vector;

/// The most halvings of a move.
pub const MOST_HALVINGS: u8 = 5;

/// Random planes drawn for a choice.
const PLANES: usize = 8;
/// The ways to thin out: none, and one for each number of halvings.
const WAYS: usize = MOST_HALVINGS as usize + 1;

/// A move that is mostly made where it is legal and a fluent holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The fluent.
    pub fluent: usize,
    /// The role and the move that answers.
    pub action: (usize, usize),
}

/// A move whose chances depend on a fluent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// The role and the move.
    pub action: (usize, usize),
    /// The fluent.
    pub fluent: usize,
    /// The halvings where it holds, instead of those for the move.
    pub halvings: u8,
}

/// Which moves are preferred to others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preferences {
    /// For each role and move how often its chance to be considered is halved, at most [`MOST_HALVINGS`] times.
    pub halvings: Vec<Vec<u8>>,
    /// Answers.
    pub answers: Vec<Answer>,
    /// Moves that have other halvings where a fluent holds; at most one for each move.
    pub splits: Vec<Split>,
}

/// Preferences by the places of choices.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tastes {
    pub(crate) halvings: FxHashMap<u32, u8>,
    /// The places of the fluents that a choice answers.
    pub(crate) answers: FxHashMap<u32, Vec<u32>>,
    /// The place of a fluent, and the halvings where it holds.
    pub(crate) splits: FxHashMap<u32, (u32, u8)>,
}

/// A move of a choice.
#[derive(Clone, Debug)]
struct Candidate {
    /// Where its legality is.
    legal: u32,
    halvings: u8,
    /// Where a fluent is with which it has other halvings, and these.
    split: Option<(u32, u8)>,
    /// Where the fluents are that it answers, in the list of all.
    answered: std::ops::Range<u32>,
}

/// A choice among moves of which some are thinned out.
#[derive(Clone, Debug)]
pub(crate) struct Guided {
    /// Chooses among what stays.
    chooser: Chooser,
    moves: Vec<Candidate>,
    /// The places of fluents that are answered.
    answered: Vec<u32>,
    /// Where what stays of the first move is put; the others follow.
    stays: u32,
    places: usize,
}

impl Guided {
    /// The choice of `plain` with preferences. What stays is put at `stays` and the places after it.
    pub(crate) fn new(plain: &Chooser, tastes: &Tastes, stays: u32) -> Self {
        let places: Vec<(u32, u32)> = plain.moves().collect();
        let kept: Vec<(u32, u32)> =
            places.iter().zip(stays..).map(|((_, chosen), stays)| (stays, *chosen)).collect();
        let mut answered = Vec::new();
        let mut moves = Vec::new();
        for (legal, chosen) in &places {
            let begin = answered.len() as u32;
            answered.extend(tastes.answers.get(chosen).into_iter().flatten());
            let range = begin..answered.len() as u32;
            let halvings = tastes.halvings.get(chosen).map_or(0, |own| *own.min(&MOST_HALVINGS));
            let split = tastes.splits.get(chosen);
            let split = split.map(|(fluent, h)| (*fluent, *h.min(&MOST_HALVINGS)));
            moves.push(Candidate { legal: *legal, halvings, split, answered: range });
        }
        let fluents = moves.iter().filter_map(|candidate| Some(candidate.split?.0));
        let read = places.iter().map(|(legal, _)| *legal).chain(answered.iter().copied());
        let read = read.chain(fluents);
        let most = read.max().map_or(0, |place| place as usize + 1);
        let places = most.max(stays as usize + places.len());
        let mut chooser = Chooser::new(&kept, plain.spare());
        chooser.write_like(plain);
        Self { chooser, moves, answered, stays, places }
    }

    /// What chooses in the end.
    pub(crate) fn chooser(&self) -> &Chooser {
        &self.chooser
    }

    /// Whether any move is preferred to another at all.
    pub(crate) fn is_useful(&self) -> bool {
        let thinned = |candidate: &Candidate| candidate.halvings > 0 || candidate.split.is_some();
        self.moves.len() > 1 && (self.moves.iter().any(thinned) || !self.answered.is_empty())
    }

    /// Chooses in the positions that are active, as [`Chooser::choose`] does.
    #[inline(always)]
    pub(crate) fn choose<V: Vector>(
        &mut self,
        memory: &mut [Plane],
        active: &Plane,
        random: &mut RandomPlanes,
    ) -> Unchosen {
        self.thin_out::<V>(memory, active, random);
        self.chooser.choose::<V>(memory, active, random)
    }

    /// Puts the moves that stay in each position into place.
    #[inline(always)]
    #[expect(unsafe_code, reason = "checked accesses take a third more time")]
    fn thin_out<V: Vector>(&self, memory: &mut [Plane], active: &Plane, random: &mut RandomPlanes) {
        // SAFETY: `places` is above all places of legality, of fluents and of what stays, which never change.
        let mut memory = unsafe { Memory::new(memory, self.places) };
        for block in 0..WORDS / V::SIZE {
            let mut own = random.open::<V>(block);
            let drawn: [V; PLANES] = std::array::from_fn(|_| own.draw());
            random.close(block, &own);
            let answering = if self.answered.is_empty() {
                V::zero()
            } else {
                // Seven times out of eight an answer is given, where there is one.
                let mostly = drawn[0].or(drawn[1]).or(drawn[2]);
                self.answer::<V>(&mut memory, block).and(mostly)
            };
            let some = self.stay::<V>(&mut memory, block, answering, &ladder(drawn));
            let without = V::load(active, block).and_not(some);
            if !without.is_zero() {
                self.readmit::<V>(&mut memory, block, without);
            }
        }
    }

    /// Puts the answers that are legal into place; the positions that have any.
    #[inline(always)]
    fn answer<V: Vector>(&self, memory: &mut Memory<'_>, block: usize) -> V {
        let mut some = V::zero();
        for (candidate, stays) in self.moves.iter().zip(self.stays..) {
            if candidate.answered.is_empty() {
                continue;
            }
            let range = candidate.answered.start as usize..candidate.answered.end as usize;
            let mut before = V::zero();
            for place in &self.answered[range] {
                before = before.or(V::load(memory.at(*place), block));
            }
            let answers = V::load(memory.at(candidate.legal), block).and(before);
            some = some.or(answers);
            answers.store(memory.at_mut(stays), block);
        }
        some
    }

    /// Where an answer is given only answers stay, elsewhere what is not thinned out; the positions in which any move does.
    #[inline(always)]
    fn stay<V: Vector>(
        &self,
        memory: &mut Memory<'_>,
        block: usize,
        answering: V,
        ladder: &[[V; PLANES]; WAYS],
    ) -> V {
        let mut some = answering;
        for ((at, candidate), stays) in self.moves.iter().enumerate().zip(self.stays..) {
            let legal = V::load(memory.at(candidate.legal), block);
            let mut luck = ladder[usize::from(candidate.halvings) % WAYS][at % PLANES];
            if let Some((fluent, halvings)) = candidate.split {
                let other = ladder[usize::from(halvings) % WAYS][at % PLANES];
                luck = V::load(memory.at(fluent), block).select(other, luck);
            }
            let kept = legal.and(luck);
            let kept = if candidate.answered.is_empty() {
                kept.and_not(answering)
            } else {
                answering.select(V::load(memory.at(stays), block), kept)
            };
            some = some.or(kept);
            kept.store(memory.at_mut(stays), block);
        }
        some
    }

    /// All legal moves stay in these positions.
    #[inline(always)]
    fn readmit<V: Vector>(&self, memory: &mut Memory<'_>, block: usize, without: V) {
        for (candidate, stays) in self.moves.iter().zip(self.stays..) {
            let legal = V::load(memory.at(candidate.legal), block).and(without);
            let kept = V::load(memory.at(stays), block).or(legal);
            kept.store(memory.at_mut(stays), block);
        }
    }
}

/// For each number of halvings and each place in a group the positions in which a move stays: as many random planes
/// together.
#[inline(always)]
fn ladder<V: Vector>(random: [V; PLANES]) -> [[V; PLANES]; WAYS] {
    let mut ladder = [[V::ones(); PLANES]; WAYS];
    for way in 1..WAYS {
        for at in 0..PLANES {
            ladder[way][at] = ladder[way - 1][at].and(random[(at + way) % PLANES]);
        }
    }
    ladder
}

/// Room for what stays of the largest choice.
pub(crate) fn room(choosers: &[Chooser]) -> Vec<Plane> {
    vec![NONE; choosers.iter().map(|chooser| chooser.chosen().len()).max().unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choose::tests::{Bench, agree};
    use crate::plane::{ALL, and, and_not, count};
    use crate::vector::Width;

    /// Moves that are legal in these positions, with these halvings.
    fn halved(legal: &[Plane], halvings: &[u8]) -> Bench {
        let halvings = (legal.len() as u32..).zip(halvings.iter().copied()).collect();
        Bench::new(legal).with(&Tastes { halvings, ..Tastes::default() })
    }

    #[test]
    fn each_position_chooses_one_of_its_own_legal_moves() {
        let mut random = RandomPlanes::new(5);
        for round in 0..200_usize {
            let moves = 2 + round % 40;
            let legal: Vec<Plane> =
                (0..moves).map(|_| and(&random.draw(), &random.draw())).collect();
            let halvings: Vec<u8> = (0..moves).map(|at| [0, 1, 2, 3, 4, 5][at * 7 % 6]).collect();
            let mut bench = halved(&legal, &halvings);
            let unchosen = bench.choose(Width::best(), &mut random);
            bench.check(&legal, &unchosen);
            let stuck = legal.iter().fold(ALL, |stuck, plane| and_not(&stuck, plane));
            assert_eq!(stuck, unchosen.stuck);
        }
    }

    /// With two moves of which the second is halved h times: both stay with 2^-h, the first always stays. So the second is
    /// chosen with half of 2^-h.
    #[test]
    fn halvings_are_probabilities() {
        let mut random = RandomPlanes::new(8);
        for halvings in 0..=MOST_HALVINGS {
            let mut bench = halved(&[ALL, ALL], &[0, halvings]);
            let (mut second, mut all) = (0, 0);
            for _ in 0..400 {
                bench.choose(Width::best(), &mut random);
                let counts: Vec<u32> = bench.chosen().iter().map(count).collect();
                second += counts[1];
                all += counts[0] + counts[1];
            }
            let expected = 0.5 / f64::from(1 << halvings);
            let found = f64::from(second) / f64::from(all);
            let deviation = (expected * (1.0 - expected) / f64::from(all)).sqrt();
            assert!((found - expected).abs() < 5.0 * deviation, "{halvings}: {found}");
        }
    }

    /// Where all moves are halved as often, thinning out changes nothing about their chances.
    #[test]
    fn equal_halvings_leave_moves_equally_likely() {
        let mut random = RandomPlanes::new(13);
        // Moves that share random planes compete, so each has one that it shares them with.
        let mut bench = halved(&[ALL; 16], &[3; 16]);
        let mut counts = [0_u32; 16];
        for _ in 0..1000 {
            bench.choose(Width::best(), &mut random);
            counts.iter_mut().zip(bench.chosen()).for_each(|(sum, plane)| *sum += count(plane));
        }
        let mean = f64::from(counts.iter().sum::<u32>()) / 16.0;
        for found in counts {
            // Which moves stay is not independent, so this is wider than for single draws.
            assert!((f64::from(found) - mean).abs() < 0.03 * mean, "{counts:?}");
        }
    }

    #[test]
    fn registers_of_all_widths_choose_the_same_moves() {
        let mut random = RandomPlanes::new(9);
        for moves in [2usize, 8, 30, 100] {
            let legal: Vec<Plane> = (0..moves).map(|_| random.draw()).collect();
            let halvings: Vec<u8> = (0..moves).map(|at| (at % 6) as u8).collect();
            agree(|| halved(&legal, &halvings), &random);
        }
    }

    /// The second of three moves answers a fluent that holds in half of the positions. It is chosen in seven eighths of
    /// those, and as often as the others elsewhere.
    #[test]
    fn answers_come_first() {
        let mut random = RandomPlanes::new(21);
        let mut bench = Bench::new(&[ALL; 3]);
        let fluent = bench.memory.len() as u32;
        bench.memory.push(NONE);
        let answers = FxHashMap::from_iter([(4, vec![fluent])]);
        bench = bench.with(&Tastes { answers, ..Tastes::default() });
        let (mut answered, mut asked, mut other) = (0, 0, 0);
        for _ in 0..300 {
            let holds = random.draw();
            bench.memory[fluent as usize] = holds;
            let unchosen = bench.choose(Width::best(), &mut random);
            let chose = and_not(&ALL, &unchosen.waiting);
            asked += count(&and(&holds, &chose));
            answered += count(&and(&holds, &bench.chosen()[1]));
            other += count(&and_not(&bench.chosen()[1], &holds));
        }
        let share = f64::from(answered) / f64::from(asked);
        // Seven eighths, and a third of the rest.
        assert!((share - (7.0 / 8.0 + 1.0 / 24.0)).abs() < 0.01, "{share}");
        let elsewhere = f64::from(other) / f64::from(asked);
        assert!((elsewhere - 1.0 / 3.0).abs() < 0.02, "{elsewhere}");
    }

    /// The second of two moves has five halvings where a fluent holds, and none elsewhere.
    #[test]
    fn halvings_depend_on_a_fluent() {
        let mut random = RandomPlanes::new(2);
        let mut bench = Bench::new(&[ALL; 2]);
        let fluent = bench.memory.len() as u32;
        bench.memory.push(NONE);
        let splits = FxHashMap::from_iter([(3, (fluent, 5))]);
        bench = bench.with(&Tastes { splits, ..Tastes::default() });
        let (mut with, mut without) = (0, 0);
        for _ in 0..300 {
            let holds = random.draw();
            bench.memory[fluent as usize] = holds;
            bench.choose(Width::best(), &mut random);
            with += count(&and(&bench.chosen()[1], &holds));
            without += count(&and_not(&bench.chosen()[1], &holds));
        }
        let share = f64::from(with) / f64::from(without);
        assert!((share - 1.0 / 32.0).abs() < 0.01, "{share}");
    }
}
