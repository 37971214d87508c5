//! Bit matrices on their side: from one word per fluent, a bit per position, to one word per position, a bit
//! per fluent.

/// Turns a matrix of 64 times 64 bits on its side: afterwards bit i of word j is what bit j of word i was.
/// (Recursive exchange of blocks; Warren, Hacker's Delight, §7-3, here with the least bit first.)
pub fn transpose(rows: &mut [u64; 64]) {
    let mut width = 32;
    let mut mask: u64 = 0x0000_0000_FFFF_FFFF;
    while width != 0 {
        let mut at = 0;
        while at < 64 {
            let swap = ((rows[at] >> width) ^ rows[at + width]) & mask;
            rows[at] ^= swap << width;
            rows[at + width] ^= swap;
            at = (at + width + 1) & !width;
        }
        width >>= 1;
        mask ^= mask << width;
    }
}

/// Above this many bits a whole transposition is cheaper than placing them one by one (counted instructions).
const FEW_BITS: u32 = 160;

/// Calls `write` with each active position (by its place in the word) and its bits of the 64 rows, one word of
/// positions each. `base` says which rows are mostly true: rows that hold in all active positions or in none of them cost nothing beyond
/// the comparison if it is right.
pub fn columns(rows: &mut [u64; 64], base: u64, active: u64, mut write: impl FnMut(usize, u64)) {
    let mut total = 0;
    let mut differing: u64 = 0;
    for (at, row) in rows.iter_mut().enumerate() {
        let usual = (base >> at & 1).wrapping_neg();
        *row = (*row ^ usual) & active;
        total += row.count_ones();
        differing |= u64::from(*row != 0) << at;
    }
    let mut words = [0; 64];
    if total > FEW_BITS {
        words = *rows;
        transpose(&mut words);
    } else {
        while differing != 0 {
            let at = differing.trailing_zeros();
            differing &= differing - 1;
            let mut row = rows[at as usize];
            while row != 0 {
                words[row.trailing_zeros() as usize] |= 1 << at;
                row &= row - 1;
            }
        }
    }
    let mut left = active;
    while left != 0 {
        let lane = left.trailing_zeros() as usize;
        left &= left - 1;
        write(lane, words[lane] ^ base);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(seed: &mut u64) -> u64 {
        *seed =
            seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *seed ^ *seed >> 29
    }

    #[test]
    fn transposing_exchanges_rows_and_columns() {
        let mut seed = 5;
        let rows: [u64; 64] = std::array::from_fn(|_| noise(&mut seed));
        let mut turned = rows;
        transpose(&mut turned);
        for (i, row) in rows.iter().enumerate() {
            for (j, column) in turned.iter().enumerate() {
                assert_eq!(row >> j & 1, column >> i & 1, "bit {i}, {j}");
            }
        }
    }

    #[test]
    fn columns_are_the_same_by_placing_and_by_transposing() {
        let mut seed = 9;
        for density in 0..4 {
            let rows: [u64; 64] = std::array::from_fn(|_| {
                (0..density * 2).fold(u64::MAX, |row, _| row & noise(&mut seed))
            });
            for active in [1, 0xFFFF, u64::MAX, noise(&mut seed)] {
                let mut found = [None; 64];
                columns(&mut rows.clone(), rows[7], active, |lane, word| found[lane] = Some(word));
                for (lane, found) in found.iter().enumerate() {
                    let bit = |at: usize| (rows[at] >> lane & 1) << at;
                    let word = (0..64).map(bit).sum::<u64>();
                    assert_eq!(*found, (active >> lane & 1 == 1).then_some(word), "lane {lane}");
                }
            }
        }
    }
}
