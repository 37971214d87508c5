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

    fn bits(&mut self, bits: u32) -> u32 {
        self.seed = self.seed.wrapping_mul(MULTIPLIER).wrapping_add(0xB) & MASK;
        (self.seed >> (48 - bits)) as u32
    }

    /// A number below `bound`, which must be positive and less than 2^31.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = (bound as u32).clamp(1, i32::MAX as u32);
        if bound.is_power_of_two() {
            return ((u64::from(bound) * u64::from(self.bits(31))) >> 31) as usize;
        }
        loop {
            let bits = self.bits(31);
            let value = bits % bound;
            // The reference adds with overflow into the sign and tries again if that happens.
            if bits - value + (bound - 1) < 1 << 31 {
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
