//! A uniformly random legal move in each position, for all positions at once.
//!
//! The legal moves of a role are counted up a binary tree, each count as a few planes of bits. A random
//! number below the total is drawn by rejection: a number with as many bits as the total needs, rejected
//! where it is too large, so no move is favoured. Then the number goes down the tree: left if it is
//! smaller than the left count, else the left count is subtracted and it goes right. What arrives at the
//! leaves is one plane per move: the positions that chose it.
//!
//! Drawing again until every position has a number would take nine rounds for 512 positions, most of them
//! for a handful. After [`ROUNDS`] the positions still without a number wait for the next step instead;
//! which move they will choose does not depend on that.

use crate::plane::{ALL, NONE, Plane, RandomPlanes, and, and_not, nor, or, select, xor};

/// How often numbers are drawn in one step. A round serves at least half of the positions that are left,
/// because a number has no more bits than the total needs.
pub const ROUNDS: usize = 2;

/// Positions in which nothing was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unchosen {
    /// There is no legal move.
    pub stuck: Plane,
    /// No number was found in this step.
    pub waiting: Plane,
}

/// The tree over the moves of one role.
#[derive(Clone, Debug)]
pub struct Chooser {
    moves: usize,
    /// For each level, leaves first, the place of each node's count and its bits.
    levels: Vec<Vec<(usize, usize)>>,
    counts: Vec<Plane>,
    masks: Vec<Vec<Plane>>,
    /// The number that each position carries down the tree, and room to work in, bit by bit.
    number: Vec<Plane>,
    left: Vec<Plane>,
    difference: Vec<Plane>,
}

impl Chooser {
    /// A tree for a number of moves.
    pub fn new(moves: usize) -> Self {
        let mut levels: Vec<Vec<(usize, usize)>> = vec![(0..moves).map(|i| (i, 1)).collect()];
        let mut places = moves;
        while let Some(below) = levels.last().filter(|level| level.len() > 1) {
            let mut level = Vec::new();
            for pair in below.chunks(2) {
                match *pair {
                    [left, right] => {
                        let bits = left.1.max(right.1) + 1;
                        level.push((places, bits));
                        places += bits;
                    }
                    [single] => level.push(single),
                    _ => {}
                }
            }
            levels.push(level);
        }
        let masks = levels.iter().map(|level| vec![NONE; level.len()]).collect();
        let bits = levels.iter().flatten().map(|(_, bits)| *bits).max().unwrap_or(1);
        let room = vec![NONE; bits];
        Self {
            moves,
            levels,
            counts: vec![NONE; places],
            masks,
            number: room.clone(),
            left: room.clone(),
            difference: room,
        }
    }

    /// The planes to be filled with the legal moves before [`Chooser::choose`].
    pub fn legal_mut(&mut self) -> &mut [Plane] {
        let moves = self.moves;
        &mut self.counts[..moves]
    }

    /// For each move the positions that chose it.
    pub fn chosen(&self) -> &[Plane] {
        self.masks.first().map_or(&[], Vec::as_slice)
    }

    /// Chooses; returns the positions in which nothing is chosen.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a kernel compiled for several machines")]
    pub fn choose(&mut self, random: &mut RandomPlanes) -> Unchosen {
        if self.moves == 0 {
            return Unchosen { stuck: ALL, waiting: NONE };
        }
        if self.moves == 1 {
            self.masks[0][0] = self.counts[0];
            return Unchosen { stuck: nor(&self.counts[0], &NONE), waiting: NONE };
        }
        self.count();
        let top = self.levels.len() - 1;
        let (place, bits) = self.levels[top][0];
        let total = &self.counts[place..place + bits];
        let unchosen = draw(total, &mut self.number, &mut self.left, &mut self.difference, random);
        self.masks[top][0] = nor(&unchosen.stuck, &unchosen.waiting);
        for level in (1..=top).rev() {
            self.descend(level);
        }
        unchosen
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a kernel compiled for several machines")]
    fn count(&mut self) {
        for level in 1..self.levels.len() {
            for node in 0..self.levels[level].len() {
                let Some(&right) = self.levels[level - 1].get(2 * node + 1) else { continue };
                let left = self.levels[level - 1][2 * node];
                let (to, bits) = self.levels[level][node];
                let mut carry = NONE;
                for bit in 0..bits - 1 {
                    let a = if bit < left.1 { self.counts[left.0 + bit] } else { NONE };
                    let b = if bit < right.1 { self.counts[right.0 + bit] } else { NONE };
                    let half = xor(&a, &b);
                    self.counts[to + bit] = xor(&half, &carry);
                    carry = or(&and(&a, &b), &and(&half, &carry));
                }
                self.counts[to + bits - 1] = carry;
            }
        }
    }

    /// Moves every position's number from a level to the one below.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a kernel compiled for several machines")]
    fn descend(&mut self, level: usize) {
        let below = &self.levels[level - 1];
        let width =
            |nodes: &[(usize, usize)]| nodes.iter().map(|(_, bits)| *bits).max().unwrap_or(1);
        let (bits, total_bits) = (width(below), width(&self.levels[level]));
        let (number, left, difference) =
            (&mut self.number[..total_bits], &mut self.left[..total_bits], &mut self.difference);
        left.fill(NONE);
        for (node, mask) in self.masks[level].iter().enumerate() {
            let (place, width) = below[2 * node];
            for (sum, count) in left.iter_mut().zip(&self.counts[place..place + width]) {
                *sum = or(sum, &and(mask, count));
            }
        }
        // number - left, with the borrow telling that number < left.
        let mut borrow = NONE;
        for ((number, left), difference) in
            number.iter().zip(left.iter()).zip(difference.iter_mut())
        {
            let half = xor(number, left);
            *difference = xor(&half, &borrow);
            borrow = or(&and_not(left, number), &and_not(&borrow, &half));
        }
        for (number, difference) in number.iter_mut().zip(difference.iter()).take(bits) {
            *number = select(&borrow, number, difference);
        }
        // What is left is below the larger count of the children, so higher bits are 0 already.
        let (lower, upper) = self.masks.split_at_mut(level);
        let lower = &mut lower[level - 1];
        for (node, mask) in upper[0].iter().enumerate() {
            if 2 * node + 1 < below.len() {
                lower[2 * node] = and(mask, &borrow);
                lower[2 * node + 1] = and_not(mask, &borrow);
            } else {
                lower[2 * node] = *mask;
            }
        }
    }
}

/// Draws a number below the total in each position.
#[inline(always)]
#[expect(clippy::inline_always, reason = "a kernel compiled for several machines")]
fn draw(
    total: &[Plane],
    number: &mut [Plane],
    largest: &mut [Plane],
    useful: &mut [Plane],
    random: &mut RandomPlanes,
) -> Unchosen {
    let bits = total.len();
    // The largest number, total - 1, and all bits below its highest one.
    let mut borrow = ALL;
    let mut some = NONE;
    for bit in 0..bits {
        largest[bit] = xor(&total[bit], &borrow);
        borrow = and_not(&borrow, &total[bit]);
        some = or(&some, &total[bit]);
    }
    let mut above = NONE;
    for bit in (0..bits).rev() {
        above = or(&above, &largest[bit]);
        useful[bit] = above;
    }
    let mut open = some;
    for _ in 0..ROUNDS {
        // Positions that have their number keep it; the others try the new one.
        let mut larger = NONE;
        for bit in 0..bits {
            let drawn = and(&random.draw(), &useful[bit]);
            number[bit] = select(&open, &drawn, &number[bit]);
            // The highest bit that differs decides.
            let differs = xor(&number[bit], &largest[bit]);
            larger = select(&differs, &number[bit], &larger);
        }
        open = and(&open, &larger);
    }
    Unchosen { stuck: nor(&some, &NONE), waiting: open }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plane::{LANES, any, count};

    /// Pearson's statistic over many draws stays below the 99.9% quantile.
    #[test]
    fn every_legal_move_is_equally_likely() {
        let mut random = RandomPlanes::new(11);
        for moves in [1usize, 2, 3, 5, 7, 16, 33] {
            let mut chooser = Chooser::new(moves);
            // Every third move is illegal.
            let is_legal = |i: usize| i % 3 != 1;
            let legal = (0..moves).filter(|i| is_legal(*i)).count();
            for (i, plane) in chooser.legal_mut().iter_mut().enumerate() {
                *plane = if is_legal(i) { ALL } else { NONE };
            }
            let mut counts = vec![0u64; moves];
            let rounds = 400;
            for _ in 0..rounds {
                let unchosen = chooser.choose(&mut random);
                assert_eq!(unchosen.stuck, NONE);
                for (i, plane) in chooser.chosen().iter().enumerate() {
                    counts[i] += u64::from(count(plane));
                }
            }
            let draws = counts.iter().sum::<u64>();
            assert!(draws > (rounds * LANES / 2) as u64, "too many positions wait");
            let expected = draws as f64 / legal as f64;
            let mut statistic = 0.0;
            for (i, found) in counts.iter().enumerate() {
                if is_legal(i) {
                    statistic += (*found as f64 - expected).powi(2) / expected;
                } else {
                    assert_eq!(*found, 0);
                }
            }
            // Wilson-Hilferty approximation of the 99.9% quantile.
            let freedom = (legal - 1).max(1) as f64;
            let term = 1.0 - 2.0 / (9.0 * freedom) + 3.09 * (2.0 / (9.0 * freedom)).sqrt();
            assert!(statistic < freedom * term.powi(3) + 1.0, "{moves}: {statistic}");
        }
    }

    #[test]
    fn each_position_chooses_one_of_its_own_legal_moves() {
        let mut random = RandomPlanes::new(5);
        let mut chooser = Chooser::new(21);
        for _ in 0..50 {
            let legal: Vec<Plane> = (0..21).map(|_| and(&random.draw(), &random.draw())).collect();
            chooser.legal_mut().copy_from_slice(&legal);
            let unchosen = chooser.choose(&mut random);
            let mut seen = NONE;
            for (chosen, legal) in chooser.chosen().iter().zip(&legal) {
                assert!(!any(&and_not(chosen, legal)), "an illegal move was chosen");
                assert!(!any(&and(chosen, &seen)), "two moves were chosen");
                seen = or(&seen, chosen);
            }
            assert_eq!(nor(&seen, &NONE), or(&unchosen.stuck, &unchosen.waiting));
        }
    }
}
