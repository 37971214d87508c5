//! Values with the powers that the Yager norm adds up, as integers, and roots of their sums.

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
    /// One that no condition has.
    pub(crate) const NEVER: Self = Self { value: f64::NAN, up: 0, down: 0, holds: false };

    /// Its negation.
    #[inline]
    pub(crate) fn not(self) -> Self {
        Self { value: 1.0 - self.value, up: self.down, down: self.up, holds: !self.holds }
    }
}

/// What children add up to in a conjunction, or what one of them adds to it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sum {
    /// Powers of those above 0.5, and of the others.
    held: u128,
    missed: u128,
    /// How many are above 0.5 in the lower half, how many hold in the upper.
    counts: u64,
}

impl Sum {
    /// Of no children.
    pub(crate) const NOTHING: Self = Self { held: 0, missed: 0, counts: 0 };

    /// What one child adds; `negative` if it is negated.
    #[inline]
    pub(crate) fn of(signal: &Signal, negative: bool) -> Self {
        let (value, power) =
            if negative { (1.0 - signal.value, signal.up) } else { (signal.value, signal.down) };
        let above = value > 0.5;
        let counts = u64::from(signal.holds != negative) << 32 | u64::from(above);
        let (held, missed) = if above { (power, 0) } else { (0, power) };
        Self { held, missed, counts }
    }

    /// Both together.
    #[inline]
    fn add(&mut self, other: &Self) {
        self.exchange(&Self::NOTHING, other);
    }

    /// Puts what a child adds in the place of what it added before. Without a branch: nothing tells which of the powers a
    /// child changes.
    #[inline]
    pub(crate) fn exchange(&mut self, old: &Self, new: &Self) {
        self.held = self.held.wrapping_add(new.held).wrapping_sub(old.held);
        self.missed = self.missed.wrapping_add(new.missed).wrapping_sub(old.missed);
        self.counts = self.counts.wrapping_add(new.counts).wrapping_sub(old.counts);
    }

    /// The disjunction whose negation adds this, as far as that tells: its value is only on the right side of one half.
    pub(crate) fn negation(&self) -> Signal {
        let value = if self.above() == 1 { 0.25 } else { 0.75 };
        Signal { value, up: self.held + self.missed, down: 0, holds: self.holding() == 0 }
    }

    /// How many children hold.
    #[inline]
    pub(crate) fn holding(&self) -> u32 {
        (self.counts >> 32) as u32
    }

    #[inline]
    fn above(&self) -> u32 {
        self.counts as u32
    }
}

const ONE: u128 = 1 << 100;
/// Sums below this are taken without their unit.
const COARSE: u128 = 1 << 24;
/// The exponent of a number that has the unit of sums, as it is stored.
const UNIT_EXPONENT: u32 = 1023 - 100 + 52;

/// A number from 0 to 1 in units of 2^-100, rounded down.
#[inline]
fn fixed(value: f64) -> u128 {
    let bits = value.to_bits();
    let exponent = (bits >> 52) as u32 & 0x7ff;
    let mantissa = u128::from(bits & ((1 << 52) - 1) | 1 << 52);
    match exponent.checked_sub(UNIT_EXPONENT) {
        Some(shift) => (mantissa << shift.min(48)).min(ONE),
        None if UNIT_EXPONENT - exponent < 64 => mantissa >> (UNIT_EXPONENT - exponent),
        None => 0,
    }
}

/// How many parts the numbers from 1 to 2 are cut into for roots.
const PARTS: usize = 128;

/// Powers and roots for one exponent. Roots are `2^(e/q) · c^(1/q) · (1+r)^(1/q)` with the first two factors from
/// tables and four terms of the binomial series for the last, where |r| is at most 1/256: they are exact to 1e-13.
#[derive(Clone, Debug)]
struct Roots {
    q: f64,
    /// q, if multiplying is quicker.
    whole: Option<u32>,
    /// 2^(e/q) by the number of leading zeros of a sum.
    scales: Vec<f64>,
    /// 1/c and c^(1/q) for the middle of each part.
    parts: Vec<(f64, f64)>,
    series: [f64; 4],
}

impl Roots {
    #[expect(clippy::cast_sign_loss, reason = "exponents are at least 1")]
    fn new(q: f64) -> Self {
        let a = 1.0 / q;
        let scale = |zeros: u32| ((27.0 - f64::from(zeros)) * a).exp2();
        let part = |at: usize| {
            let middle = 1.0 + (at as f64 + 0.5) / PARTS as f64;
            (1.0 / middle, middle.powf(a))
        };
        Self {
            q,
            whole: (q.fract() == 0.0 && q <= 64.0).then_some(q as u32),
            scales: (0..128).map(scale).collect(),
            parts: (0..PARTS).map(part).collect(),
            series: [a, (a - 1.0) / 2.0, (a - 2.0) / 3.0, (a - 3.0) / 4.0],
        }
    }

    /// `value^q`.
    #[inline]
    fn power(&self, value: f64) -> u128 {
        let Some(mut rest) = self.whole else { return fixed(value.powf(self.q)) };
        let (mut result, mut square) = (1.0, value);
        while rest > 0 {
            if rest & 1 == 1 {
                result *= square;
            }
            square *= square;
            rest >>= 1;
        }
        fixed(result)
    }

    /// `sum^(1/q)`.
    #[inline]
    fn root(&self, sum: u128) -> f64 {
        if sum == 0 || sum >= ONE {
            return if sum == 0 { 0.0 } else { 1.0 };
        }
        let zeros = sum.leading_zeros();
        let top = ((sum << zeros) >> 64) as u64;
        let (inverse, root) = self.parts[(top >> 56) as usize & (PARTS - 1)];
        let number = f64::from_bits(1023 << 52 | (top << 1) >> 12);
        let rest = number * inverse - 1.0;
        let [a, b, c, d] = self.series;
        let series = 1.0 + a * rest * (1.0 + b * rest * (1.0 + c * rest * (1.0 + d * rest)));
        (self.scales[zeros as usize] * root * series).min(1.0)
    }
}

/// Computes signals for given parameters.
#[derive(Clone, Debug)]
pub(crate) struct Powers {
    parameters: Parameters,
    /// None if the norm is no sum of powers.
    roots: Option<Roots>,
    /// The most that what holds may add up to: `(1-t)^q`.
    threshold: u128,
    /// What a sum has to reach to be no less than one half.
    half: u128,
    held: Signal,
    missed: Signal,
}

impl Powers {
    pub(crate) fn new(parameters: Parameters) -> Self {
        let roots = match parameters.norm {
            Norm::Yager { q } => Some(Roots::new(q)),
            Norm::Product => None,
        };
        let mut powers = Self {
            parameters,
            roots,
            threshold: u128::MAX,
            half: 0,
            held: Signal::default(),
            missed: Signal::default(),
        };
        powers.threshold = parameters.t.map_or(u128::MAX, |t| powers.power(1.0 - t));
        powers.half = powers.power(0.5);
        powers.held = powers.signal(parameters.p, true);
        powers.missed = powers.signal(1.0 - parameters.p, false);
        powers
    }

    pub(crate) fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    #[inline]
    fn power(&self, value: f64) -> u128 {
        self.roots.as_ref().map_or(0, |roots| roots.power(value))
    }

    pub(crate) fn signal(&self, value: f64, holds: bool) -> Signal {
        let value = if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) };
        Signal { value, up: self.power(value), down: self.power(1.0 - value), holds }
    }

    /// An atom that holds or not.
    pub(crate) fn atom(&self, holds: bool) -> Signal {
        if holds { self.held } else { self.missed }
    }

    /// The value of a conjunction or disjunction of two conditions; see [`Powers::root`] for `misses`.
    pub(crate) fn pair(
        &self,
        a: &Signal,
        b: &Signal,
        any: bool,
        misses: impl FnOnce() -> Vec<f64>,
    ) -> f64 {
        let mut sum = Sum::of(a, any);
        sum.add(&Sum::of(b, any));
        let root = self.root(&sum, misses).0;
        if any { root } else { 1.0 - root }
    }

    /// Whether the norm is a sum of powers.
    pub(crate) fn adds_up(&self) -> bool {
        self.roots.is_some()
    }

    /// What the powers add up to, those above 0.5 not to more than the threshold.
    #[inline]
    fn total(&self, sum: &Sum) -> u128 {
        let held = if sum.above() > 1 { sum.held.min(self.threshold) } else { sum.held };
        (held + sum.missed).min(ONE)
    }

    /// What a conjunction of so many children adds to a sum, or the negation of a disjunction, from the sum over its
    /// children, or their negations. No root is needed for that.
    #[inline]
    pub(crate) fn nested(&self, sum: &Sum, count: u32) -> Sum {
        let total = self.total(sum);
        let above = total < self.half;
        let counts = u64::from(sum.holding() == count) << 32 | u64::from(above);
        let (held, missed) = if above { (total, 0) } else { (0, total) };
        Sum { held, missed, counts }
    }

    /// How far a conjunction is from holding and the power of that, from the sum over its children; `misses` tells how
    /// far each of them is. They are asked if the norm is no sum of powers, or if all are so near that the unit of
    /// the sum is too coarse.
    fn root(&self, sum: &Sum, misses: impl FnOnce() -> Vec<f64>) -> (f64, u128) {
        let Some(roots) = &self.roots else {
            let values: Vec<f64> = misses().into_iter().map(|miss| 1.0 - miss).collect();
            return (1.0 - self.parameters.all(&values), 0);
        };
        let total = self.total(sum);
        if total >= COARSE {
            (roots.root(total), total)
        } else {
            (self.fine(&misses(), roots.q), total)
        }
    }

    /// The same without a unit: relative to the greatest miss.
    fn fine(&self, misses: &[f64], q: f64) -> f64 {
        let norm = |misses: &[f64]| {
            let most = misses.iter().copied().fold(0.0, f64::max);
            let sum: f64 = misses.iter().map(|miss| (miss / most).powf(q)).sum();
            if most > 0.0 { most * sum.powf(1.0 / q) } else { 0.0 }
        };
        let (held, missed): (Vec<f64>, Vec<f64>) =
            misses.iter().copied().partition(|miss| *miss < 0.5);
        let bound = self.parameters.t.filter(|_| held.len() > 1).map_or(1.0, |t| 1.0 - t);
        norm(&[norm(&held).min(bound), norm(&missed)]).min(1.0)
    }

    /// The signal of a conjunction from the sum over its children, or of a disjunction from that over the
    /// negations; see [`Powers::root`] for `misses`.
    pub(crate) fn combine(
        &self,
        sum: &Sum,
        any: bool,
        holds: bool,
        misses: impl FnOnce() -> Vec<f64>,
    ) -> Signal {
        let (root, total) = self.root(sum, misses);
        let other = self.power(1.0 - root);
        if any {
            Signal { value: root, up: total, down: other, holds }
        } else {
            Signal { value: 1.0 - root, up: other, down: total, holds }
        }
    }

    /// The signal of a conjunction or disjunction of all these.
    pub(crate) fn gather(&self, any: bool, children: &[(Signal, bool)]) -> Signal {
        // A disjunction is kept as the conjunction of the negations.
        let mut sum = Sum::default();
        for (signal, negative) in children {
            sum.add(&Sum::of(signal, *negative != any));
        }
        let holds = (sum.holding() as usize == children.len()) != any;
        let miss = |(signal, negative): &(Signal, bool)| {
            if *negative == any { 1.0 - signal.value } else { signal.value }
        };
        self.combine(&sum, any, holds, || children.iter().map(miss).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Roots from tables are those of the library to 1e-12, powers those of the library to their unit.
    #[test]
    fn roots_from_tables_are_exact_to_a_millionth_of_a_millionth() {
        for q in [1.0, 1.5, 2.0, 15.0, 40.0] {
            let roots = Roots::new(q);
            for step in 0..=4000u32 {
                let value = f64::from(step) / 4000.0;
                let sum = fixed(value);
                assert!((roots.root(sum) - value.powf(1.0 / q)).abs() < 1e-12, "{q} {value}");
                let tiny = ONE >> (step % 100);
                let exact = (tiny as f64 / ONE as f64).powf(1.0 / q);
                assert!((roots.root(tiny) - exact).abs() < 1e-12, "{q} {step}");
                let power = roots.power(value) as f64 / ONE as f64;
                assert!((power - value.powf(q)).abs() < 1e-12, "{q} {value}");
            }
        }
        assert_eq!(fixed(1.0), ONE);
        assert_eq!(fixed(0.5), ONE / 2);
        assert_eq!(fixed(0.0), 0);
    }
}
