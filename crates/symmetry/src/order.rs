//! Orders of groups: exact, however large, as products of orbit lengths.

/// The order of a group: exact, however large.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    pub(crate) factors: Vec<u32>,
}

impl Order {
    /// As a number, if it is one of 128 bits.
    pub fn value(&self) -> Option<u128> {
        self.factors.iter().try_fold(1_u128, |all, factor| all.checked_mul(u128::from(*factor)))
    }

    /// Whether there is only the identity.
    pub fn is_trivial(&self) -> bool {
        self.factors.iter().all(|factor| *factor == 1)
    }
}

impl std::fmt::Display for Order {
    /// In decimal digits, all of them.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const LIMB: u64 = 1_000_000_000;
        let mut limbs: Vec<u64> = vec![1];
        for factor in &self.factors {
            let mut carry = 0;
            for limb in &mut limbs {
                let product = *limb * u64::from(*factor) + carry;
                *limb = product % LIMB;
                carry = product / LIMB;
            }
            if carry > 0 {
                limbs.push(carry);
            }
        }
        let (last, rest) = limbs.split_last().unwrap_or((&1, &[]));
        write!(f, "{last}")?;
        rest.iter().rev().try_for_each(|limb| write!(f, "{limb:09}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_of_any_size_are_written_in_full() {
        let order = Order { factors: (1..=40).collect() };
        assert_eq!(order.value(), None);
        assert_eq!(order.to_string(), "815915283247897734345611269596115894272000000000");
        assert_eq!(Order { factors: vec![1_000_000_000, 7] }.to_string(), "7000000000");
        assert!(Order { factors: vec![] }.is_trivial());
    }
}
