//! Values with the powers that the Yager norm adds up, as integers, and roots that were taken before.

use crate::norm::{Norm, Parameters};

/// A degree of truth `v` with `v^q` and `(1-v)^q` in units of 2^-100, and whether the condition holds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Signal {
    pub(crate) value: f64,
    pub(crate) up: u128,
    pub(crate) down: u128,
    pub(crate) holds: bool,
}

impl Signal {
    /// Its negation.
    pub(crate) fn not(self) -> Self {
        Self { value: 1.0 - self.value, up: self.down, down: self.up, holds: !self.holds }
    }

    /// A condition without a degree.
    pub(crate) fn plain(holds: bool) -> Self {
        Self { holds, ..Self::default() }
    }
}

/// `value^q`, by multiplication where q is a small whole number.
#[expect(clippy::cast_sign_loss, reason = "exponents are at least 1")]
pub(crate) fn power(value: f64, q: f64) -> f64 {
    if q.fract() != 0.0 || q > 64.0 {
        return value.powf(q);
    }
    let (mut result, mut square, mut rest) = (1.0, value, q as u32);
    while rest > 0 {
        if rest & 1 == 1 {
            result *= square;
        }
        square *= square;
        rest >>= 1;
    }
    result
}

const ONE: u128 = 1 << 100;
const SCALE: f64 = ONE as f64;
/// How many roots are remembered, a power of two.
const REMEMBERED: usize = 1024;

/// Computes signals for given parameters.
#[derive(Clone, Debug)]
pub(crate) struct Powers {
    parameters: Parameters,
    /// The most that what holds may add up to: `(1-t)^q`.
    threshold: u128,
    held: Signal,
    missed: Signal,
    /// Sums with their roots and the power of one minus the root.
    remembered: Vec<(u128, f64, u128)>,
}

impl Powers {
    pub(crate) fn new(parameters: Parameters) -> Self {
        let mut powers = Self {
            parameters,
            threshold: u128::MAX,
            held: Signal::default(),
            missed: Signal::default(),
            remembered: vec![(0, 0.0, ONE); REMEMBERED],
        };
        powers.threshold = parameters.t.map_or(u128::MAX, |t| powers.power(1.0 - t));
        powers.held = powers.signal(parameters.p, true);
        powers.missed = powers.signal(1.0 - parameters.p, false);
        powers
    }

    pub(crate) fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    #[expect(clippy::cast_sign_loss, reason = "values are from 0 to 1")]
    fn power(&self, value: f64) -> u128 {
        match self.parameters.norm {
            Norm::Yager { q } => (power(value, q) * SCALE) as u128,
            Norm::Product => 0,
        }
    }

    pub(crate) fn signal(&self, value: f64, holds: bool) -> Signal {
        let value = if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) };
        Signal { value, up: self.power(value), down: self.power(1.0 - value), holds }
    }

    /// An atom that holds or not.
    pub(crate) fn atom(&self, holds: bool) -> Signal {
        if holds { self.held } else { self.missed }
    }

    /// The value of a conjunction or disjunction of two conditions.
    pub(crate) fn pair(&mut self, a: &Signal, b: &Signal, any: bool) -> f64 {
        let of = |signal: &Signal| {
            // A disjunction is the conjunction of the negations.
            if any { (1.0 - signal.value, signal.up) } else { (signal.value, signal.down) }
        };
        let ((a_value, a_power), (b_value, b_power)) = (of(a), of(b));
        let both = a_value > 0.5 && b_value > 0.5;
        let (held, missed) = if both { (a_power + b_power, 0) } else { (0, a_power + b_power) };
        match self.sum(held, if both { 2 } else { 0 }, missed, any, false) {
            Some(signal) => signal.value,
            None if any => self.parameters.or(a.value, b.value),
            None => self.parameters.and(a.value, b.value),
        }
    }

    /// The value of a conjunction from the sums over its children, those above 0.5 and the others; or of a
    /// disjunction from those over the negations. None if the norm is no sum of powers.
    pub(crate) fn sum(
        &mut self,
        held_sum: u128,
        held: u32,
        missed_sum: u128,
        any: bool,
        holds: bool,
    ) -> Option<Signal> {
        let Norm::Yager { q } = self.parameters.norm else { return None };
        let held_sum = if held > 1 { held_sum.min(self.threshold) } else { held_sum };
        let sum = (held_sum + missed_sum).min(ONE);
        let hash = (sum as u64 ^ (sum >> 40) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let slot = (hash >> 48) as usize % REMEMBERED;
        if self.remembered[slot].0 != sum {
            let root = (sum as f64 / SCALE).powf(1.0 / q);
            self.remembered[slot] = (sum, root, self.power(1.0 - root));
        }
        let (_, root, other) = self.remembered[slot];
        Some(if any {
            Signal { value: root, up: sum, down: other, holds }
        } else {
            Signal { value: 1.0 - root, up: other, down: sum, holds }
        })
    }
}
