//! Zobrist hashing: a state's key is the exclusive or of the random numbers of its fluents (Zobrist 1970).
//!
//! Keys have 128 bits, so that two states with one key need not be reckoned with even in proofs: among
//! 10^12 states the chance of any is below 10^-14. The numbers depend on the numbers of the fluents alone.

use game::{FluentId, State};

/// The key of a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(pub u128);

/// The random numbers of the fluents, those of the first ones kept in a table.
#[derive(Clone, Debug)]
pub struct Zobrist {
    numbers: Vec<u128>,
}

impl Zobrist {
    /// Numbers for a game of about that many fluents; others are worked out when they are needed.
    pub fn new(fluents: usize) -> Self {
        Self { numbers: (0..fluents as u32).map(|at| number(FluentId(at))).collect() }
    }

    /// The key of a state.
    pub fn key(&self, state: &State) -> Key {
        Key(state.iter().fold(0, |key, fluent| key ^ self.number(fluent)))
    }

    /// The key of `after`, given that of `before`: cheap where the states differ little.
    pub fn update(&self, key: Key, before: &State, after: &State) -> Key {
        let (one, other) = (before.words(), after.words());
        let mut key = key.0;
        for at in 0..one.len().max(other.len()) {
            let word = |words: &[u64]| words.get(at).copied().unwrap_or(0);
            let mut rest = word(one) ^ word(other);
            while rest != 0 {
                key ^= self.number(FluentId(at as u32 * 64 + rest.trailing_zeros()));
                rest &= rest - 1;
            }
        }
        Key(key)
    }

    fn number(&self, fluent: FluentId) -> u128 {
        self.numbers.get(fluent.index()).copied().unwrap_or_else(|| number(fluent))
    }
}

fn number(fluent: FluentId) -> u128 {
    let at = 2 * u64::from(fluent.0);
    u128::from(mix(at)) << 64 | u128::from(mix(at + 1))
}

/// `SplitMix64` (Steele, Lea and Flood 2014).
pub fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_follow_from_state_to_state() {
        let zobrist = Zobrist::new(100);
        let set = |fluents: &[u32]| fluents.iter().map(|at| FluentId(*at)).collect::<State>();
        let states = [set(&[]), set(&[1, 64, 500]), set(&[1, 99, 100]), set(&[500])];
        for one in &states {
            for other in &states {
                let key = zobrist.update(zobrist.key(one), one, other);
                assert_eq!(key, zobrist.key(other));
                assert_eq!(zobrist.key(one) == zobrist.key(other), one == other);
            }
        }
        assert_eq!(zobrist.key(&states[1]), Zobrist::new(0).key(&states[1]));
    }
}
