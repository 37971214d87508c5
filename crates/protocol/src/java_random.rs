//! The linear congruential generator documented for `java.util.Random`, because reference traces
//! choose their moves with it: the same seed must choose the same moves.

/// A 48-bit linear congruential generator.
#[derive(Clone, Debug)]
pub struct JavaRandom {
    seed: u64,
}

const MULTIPLIER: u64 = 0x5_DEEC_E66D;
const MASK: u64 = (1 << 48) - 1;

impl JavaRandom {
    /// A generator with a seed.
    pub fn new(seed: u64) -> Self {
        Self { seed: (seed ^ MULTIPLIER) & MASK }
    }

    fn bits(&mut self, bits: u32) -> i32 {
        self.seed = self.seed.wrapping_mul(MULTIPLIER).wrapping_add(0xB) & MASK;
        (self.seed >> (48 - bits)) as i32
    }

    /// A number below `bound`, which must be positive.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = i32::try_from(bound.max(1)).unwrap_or(i32::MAX);
        if bound & (bound - 1) == 0 {
            return ((i64::from(bound) * i64::from(self.bits(31))) >> 31) as usize;
        }
        loop {
            let bits = self.bits(31);
            let value = bits % bound;
            if bits.wrapping_sub(value).wrapping_add(bound - 1) >= 0 {
                return value as usize;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_reference() {
        let mut random = JavaRandom::new(42);
        let numbers: Vec<usize> = (0..6).map(|_| random.below(10)).collect();
        assert_eq!(numbers, [0, 3, 8, 4, 0, 5]);
    }
}
