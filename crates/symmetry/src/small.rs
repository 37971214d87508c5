//! Boolean functions of few variables: all of their prime implicants, which depend on the function alone and not on
//! how it was written (the canonical form of Blake 1937). Renaming variables renames them, so symmetric
//! functions get symmetric forms; that is how sums that count in a fixed order become alike.

/// The most variables of a function.
pub(crate) const MOST_VARIABLES: usize = 8;

/// A function of at most [`MOST_VARIABLES`] variables: bit i is its value where variable v has the value of bit v of i.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Table(pub [u64; 4]);

/// A conjunction of literals: the variables that occur, and which of them are positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cube {
    pub(crate) cares: u8,
    pub(crate) positive: u8,
}

impl Table {
    pub(crate) const TRUE: Table = Table([u64::MAX; 4]);

    /// The function that is one variable.
    pub(crate) fn variable(number: usize) -> Self {
        let bit = |at: usize| u64::from(at >> number & 1 == 1);
        Self(std::array::from_fn(|word| (0..64).fold(0, |all, at| all | bit(word * 64 + at) << at)))
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] & other.0[word]))
    }

    pub(crate) fn not(self) -> Self {
        Self(self.0.map(|word| !word))
    }

    fn at(self, input: usize) -> bool {
        self.0[input / 64] >> (input % 64) & 1 == 1
    }

    /// The largest conjunctions of literals of the first variables that imply the function; none if they are more
    /// than `most`.
    pub(crate) fn primes(self, variables: usize, most: usize) -> Option<Vec<Cube>> {
        let implicants = self.implicants(variables);
        let mut primes = Vec::new();
        for code in 0..implicants.len() {
            if !implicants[code] {
                continue;
            }
            // A digit 0 or 1 is a literal, 2 is none.
            let (mut rest, mut power) = (code, 1);
            let (mut cares, mut positive, mut prime) = (0, 0, true);
            for variable in 0..variables {
                let digit = rest % 3;
                rest /= 3;
                if digit < 2 {
                    cares |= 1 << variable;
                    positive |= (digit as u8) << variable;
                    prime &= !implicants[code + (2 - digit) * power];
                }
                power *= 3;
            }
            if prime {
                primes.push(Cube { cares, positive });
                if primes.len() > most {
                    return None;
                }
            }
        }
        Some(primes)
    }

    /// For each conjunction, as digits to the base 3, whether it implies the function.
    fn implicants(self, variables: usize) -> Vec<bool> {
        let count = 3_usize.pow(variables as u32);
        let mut implicants = vec![false; count];
        for code in 0..count {
            let (mut rest, mut power, mut input) = (code, 1, 0);
            let mut open = None;
            for variable in 0..variables {
                match rest % 3 {
                    2 => open = Some(power),
                    digit => input |= digit << variable,
                }
                rest /= 3;
                power *= 3;
            }
            // Both halves have smaller codes.
            implicants[code] = match open {
                Some(power) => implicants[code - power] && implicants[code - 2 * power],
                None => self.at(input),
            };
        }
        implicants
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primes_are_those_of_the_textbook() {
        let [a, b, c] = [0, 1, 2].map(Table::variable);
        let or = |x: Table, y: Table| x.not().and(y.not()).not();
        // Two of three.
        let two = or(or(a.and(b), a.and(c)), b.and(c));
        let cubes = two.primes(3, 100).expect("few");
        assert_eq!(cubes.iter().map(|c| (c.cares, c.positive)).collect::<Vec<_>>().len(), 3);
        assert!(cubes.iter().all(|c| c.cares.count_ones() == 2 && c.positive == c.cares));
        // The consensus of a b and (not a) c is b c.
        let choice = or(a.and(b), a.not().and(c));
        assert_eq!(choice.primes(3, 100).expect("few").len(), 3);
        assert_eq!(choice.primes(3, 2), None);
        assert_eq!(Table::TRUE.primes(3, 9), Some(vec![Cube { cares: 0, positive: 0 }]));
        assert_eq!(Table::TRUE.not().primes(3, 9), Some(Vec::new()));
        // The parity of eight variables has all its minterms and nothing shorter.
        let parity = (1..8)
            .map(Table::variable)
            .fold(Table::variable(0), |x, y| or(x.and(y.not()), x.not().and(y)));
        assert_eq!(parity.primes(8, 1000).expect("few").len(), 128);
    }
}
