//! The move of each position, written into the sets that it is in.
//!
//! Positions are taken one by one here, so it pays only where moves and sets of moves are many (see `move_sums`).

use std::ops::Range;

use crate::plane::{LANES, Memory, NONE, Plane, WORDS};

/// Lists of sets are filled up to a multiple of this length, so that most moves take the same way through the code.
const STRIDE: usize = 4;

/// The sets that each move is in.
#[derive(Clone, Debug)]
pub(crate) struct Scatter {
    /// Where the sets of each move begin in `places`.
    starts: Vec<u32>,
    places: Vec<u32>,
    /// The places of all sets.
    all: Range<usize>,
    /// Above all places.
    end: usize,
}

impl Scatter {
    /// `of_move` are the numbers of the sets that each move is in, `all` the places of the sets in their order, `spare` a
    /// place that nobody reads.
    pub(crate) fn new<'s>(
        of_move: impl Iterator<Item = &'s [u32]>,
        all: Range<usize>,
        spare: u32,
    ) -> Self {
        let (mut starts, mut places) = (vec![0], Vec::new());
        for own in of_move {
            places.extend(own.iter().map(|set| all.start as u32 + set));
            places.resize(places.len().next_multiple_of(STRIDE), spare);
            starts.push(places.len() as u32);
        }
        let end = places.iter().map(|place| *place as usize + 1).max().unwrap_or(0).max(all.end);
        Self { starts, places, all, end }
    }

    /// How many places a memory must have.
    pub(crate) fn places(&self) -> usize {
        self.end
    }

    /// Fills the sets with the moves of the positions given.
    pub(crate) fn write(&self, memory: &mut Memory<'_>, positions: &Plane, moves: &[u16]) {
        for place in self.all.clone() {
            *memory.at_mut(place as u32) = NONE;
        }
        for (word, (positions, moves)) in positions.iter().zip(moves.chunks_exact(64)).enumerate() {
            let mut left = *positions;
            while left != 0 {
                let action = usize::from(moves[left.trailing_zeros() as usize]);
                let bit = left & left.wrapping_neg();
                left ^= bit;
                let own = self.starts[action] as usize..self.starts[action + 1] as usize;
                for place in &self.places[own] {
                    memory.at_mut(*place)[word] |= bit;
                }
            }
        }
    }
}

/// Numbers from their bits: the planes are the bits of a number for each position, the least first.
pub(crate) fn numbers(bits: &[Plane; 16], numbers: &mut [u16]) {
    debug_assert_eq!(numbers.len(), LANES);
    for (word, numbers) in (0..WORDS).zip(numbers.chunks_exact_mut(64)) {
        let mut low: [u64; 8] = std::array::from_fn(|bit| bits[bit][word]);
        let mut high: [u64; 8] = std::array::from_fn(|bit| bits[bit + 8][word]);
        turn(&mut low);
        turn(&mut high);
        for (column, eight) in numbers.chunks_exact_mut(8).enumerate() {
            for (row, number) in eight.iter_mut().enumerate() {
                let byte = |words: &[u64; 8]| (words[row] >> (8 * column)) as u8;
                *number = u16::from_le_bytes([byte(&low), byte(&high)]);
            }
        }
    }
}

/// Turns each block of eight times eight bits on its side: afterwards bit i of byte k of word j is what bit j of byte k of
/// word i was.
fn turn(words: &mut [u64; 8]) {
    for (width, mask) in
        [(4, 0x0F0F_0F0F_0F0F_0F0F), (2, 0x3333_3333_3333_3333), (1, 0x5555_5555_5555_5555_u64)]
    {
        for at in (0..8).filter(|at| at & width == 0) {
            let swap = ((words[at] >> width) ^ words[at + width]) & mask;
            words[at] ^= swap << width;
            words[at + width] ^= swap;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plane::{get, set};

    #[test]
    fn numbers_are_read_off_their_bits() {
        let mut bits = [NONE; 16];
        let number = |lane: usize| (lane * 40_503 + 77) as u16;
        for lane in 0..LANES {
            for (bit, plane) in bits.iter_mut().enumerate() {
                set(plane, lane, number(lane) >> bit & 1 == 1);
            }
        }
        let mut found = vec![0; LANES];
        numbers(&bits, &mut found);
        assert!(found.iter().enumerate().all(|(lane, found)| *found == number(lane)));
    }

    #[test]
    #[expect(unsafe_code, reason = "the memory of kernels")]
    fn each_set_has_the_positions_that_made_one_of_its_moves() {
        let sets: [&[u32]; 4] = [&[0, 2], &[1], &[], &[0, 1, 2, 3, 4]];
        let scatter = Scatter::new(sets.into_iter(), 3..8, 9);
        let mut planes = vec![NONE; 10];
        let moves: Vec<u16> = (0..LANES).map(|lane| (lane * 7 % 4) as u16).collect();
        let mut positions = NONE;
        (0..LANES).for_each(|lane| set(&mut positions, lane, lane % 3 != 0));
        for _ in 0..2 {
            assert!(scatter.places() <= planes.len());
            // SAFETY: there are as many planes as the places of the sets ask for.
            let mut memory = unsafe { Memory::new(&mut planes, scatter.places()) };
            scatter.write(&mut memory, &positions, &moves);
        }
        for lane in 0..LANES {
            for (number, plane) in planes[3..8].iter().enumerate() {
                let made = sets[usize::from(moves[lane])].contains(&(number as u32));
                assert_eq!(get(plane, lane), made && lane % 3 != 0);
            }
        }
    }
}
