//! Degrees of truth and how they combine (thesis §5.1.1-§5.1.3, Eq. 5.7).

/// The t-norm T' that conjunctions are made of; disjunctions use its dual.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Norm {
    /// `1 - min(1, ((1-a)^q + (1-b)^q)^(1/q))`, the Yager family (thesis §5.1.3).
    Yager {
        /// The exponent.
        q: f64,
    },
    /// `a·b` (ICAART-12 §5.1).
    Product,
}

/// How the values of the goals of a role become one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combination {
    /// The sum weighted by the goal values (thesis Def. 5.3).
    WeightedSum,
    /// A product t-conorm of the weighted values (AAAI-07).
    ProductSum,
}

/// The parameters of the evaluation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// The value of what holds; what does not has 1-p (thesis §5.1.2).
    pub p: f64,
    /// The threshold of Eq. 5.7, if there is one: what holds is at least t, what does not at most 1-t.
    pub t: Option<f64>,
    /// The t-norm.
    pub norm: Norm,
    /// What is made of the goal values of a role.
    pub combination: Combination,
    /// The value of a false atom whose distance is (nearly) 0 and of one whose distance is 1: thesis
    /// Eq. 5.9 and 6.1 have 1-t and 0, ICAART-12 has 0.9 and 0.1.
    pub near: f64,
    /// See `near`.
    pub far: f64,
}

impl Default for Parameters {
    /// The values of thesis §5.1.3.
    fn default() -> Self {
        Self {
            p: 0.75,
            t: Some(0.55),
            norm: Norm::Yager { q: 15.0 },
            combination: Combination::WeightedSum,
            near: 1.0 - 0.55,
            far: 0.0,
        }
    }
}

impl Parameters {
    /// The product norms and values of ICAART-12 §5.1.
    pub fn product() -> Self {
        Self {
            p: 0.9,
            t: None,
            norm: Norm::Product,
            combination: Combination::WeightedSum,
            near: 0.9,
            far: 0.1,
        }
    }

    /// The same with a threshold, and false atoms below 1-t.
    #[must_use]
    pub fn with_threshold(self, t: f64) -> Self {
        Self { t: Some(t), near: 1.0 - t, far: 0.0, ..self }
    }

    /// Whether the numbers are usable: `0.5 < t <= p <= 1`, `q >= 1`, everything finite.
    pub fn is_sound(&self) -> bool {
        let in_unit = |x: f64| (0.0..=1.0).contains(&x);
        let exponent = match self.norm {
            Norm::Yager { q } => q.is_finite() && q >= 1.0,
            Norm::Product => true,
        };
        let threshold = self.t.is_none_or(|t| t > 0.5 && t <= self.p);
        exponent
            && threshold
            && self.p > 0.5
            && in_unit(self.p)
            && in_unit(self.near)
            && in_unit(self.far)
    }

    /// The value of an atom that holds or does not (thesis Eq. 5.5).
    pub fn atom(&self, holds: bool) -> f64 {
        if holds { self.p } else { 1.0 - self.p }
    }

    /// The value of a fluent at a normalised distance (thesis Eq. 5.9, 6.1): 0 if it is infinite.
    pub fn distant(&self, delta: f64) -> f64 {
        if delta.is_finite() { self.far + (self.near - self.far) * (1.0 - delta) } else { 0.0 }
    }

    /// T(a,b) as thesis Eq. 5.7.
    pub fn and(&self, a: f64, b: f64) -> f64 {
        let plain = match self.norm {
            Norm::Yager { q } => {
                1.0 - ((1.0 - a).powf(q) + (1.0 - b).powf(q)).min(1.0).powf(1.0 / q)
            }
            Norm::Product => a * b,
        };
        match self.t {
            Some(t) if a.min(b) > 0.5 => plain.max(t),
            _ => plain,
        }
    }

    /// ⊥(a,b), the dual of [`Parameters::and`].
    pub fn or(&self, a: f64, b: f64) -> f64 {
        1.0 - self.and(1.0 - a, 1.0 - b)
    }

    /// The conjunction of many: those above 0.5 first. T is not associative once the threshold is reached;
    /// taken in this order, the value does not depend on how the rules are written.
    pub fn all(&self, values: &[f64]) -> f64 {
        let held = values.iter().copied().filter(|value| *value > 0.5);
        let missed = values.iter().copied().filter(|value| *value <= 0.5);
        held.chain(missed).reduce(|a, b| self.and(a, b)).unwrap_or(self.p)
    }

    /// The disjunction of many, the dual of [`Parameters::all`]; 0 if there is nothing (thesis Eq. 5.4).
    pub fn any(&self, values: &[f64]) -> f64 {
        if values.is_empty() {
            return 0.0;
        }
        let duals: Vec<f64> = values.iter().map(|value| 1.0 - value).collect();
        1.0 - self.all(&duals)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    }

    /// Thesis §5.1.2: two of three blocks in place are worth more than one, as computed there.
    #[test]
    fn blocks_in_place_count_as_in_section_5_1_2() {
        let product = Parameters::product();
        let p = product.p;
        let value = |held: usize| {
            let atoms: Vec<f64> = (0..3).map(|i| product.atom(i < held)).collect();
            product.all(&atoms)
        };
        close(value(2), (1.0 - p) * p * p);
        close(value(1), (1.0 - p) * (1.0 - p) * p);
        assert!(value(2) > value(1));
        // With p = 1 nothing is left of the count.
        let crisp = Parameters { p: 1.0, ..product };
        close(crisp.all(&[1.0, 1.0, 0.0]), 0.0);
    }

    /// Thesis §5.1.3: without a threshold a tower of a thousand blocks that stands is worth less than two
    /// of three blocks in place; with it, the reached goal wins.
    #[test]
    fn a_thousand_blocks_in_place_need_the_threshold() {
        let goals = |parameters: &Parameters, of_three: usize, of_thousand: usize| {
            let tower = |held: usize, all: usize| {
                let atoms: Vec<f64> = (0..all).map(|i| parameters.atom(i < held)).collect();
                parameters.all(&atoms)
            };
            parameters.any(&[tower(of_three, 3), tower(of_thousand, 1000)])
        };
        let plain = Parameters::product();
        assert!(goals(&plain, 2, 1) > goals(&plain, 1, 1000));
        let thresholded = plain.with_threshold(0.55);
        assert!(goals(&thresholded, 2, 1) < 0.5 && goals(&thresholded, 1, 1000) > 0.5);
        let yager = Parameters::default();
        assert!(goals(&yager, 2, 1) < goals(&yager, 1, 1000));
    }

    /// Thesis §5.1.3: with p = 0.75, t = 0.55, q = 15 the threshold is not reached before 6747 conjuncts.
    #[test]
    fn the_threshold_is_reached_by_more_than_6746_conjuncts() {
        let parameters = Parameters::default();
        let conjuncts = |n: usize| parameters.all(&vec![parameters.p; n]);
        assert!(conjuncts(6746) > 0.55);
        assert!((conjuncts(6747) - 0.55).abs() < 1e-12);
    }

    /// Thesis Def. 5.2: T and ⊥ are dual, and 1 is neutral.
    #[test]
    fn conjunction_and_disjunction_are_dual() {
        for parameters in [Parameters::default(), Parameters::product()] {
            assert!(parameters.is_sound());
            for (a, b) in [(0.75, 0.25), (0.6, 0.7), (0.1, 0.3), (0.0, 0.0), (1.0, 0.25)] {
                close(parameters.or(a, b), 1.0 - parameters.and(1.0 - a, 1.0 - b));
                close(parameters.and(a, b), parameters.and(b, a));
                assert!((0.0..=1.0).contains(&parameters.and(a, b)));
            }
            close(parameters.and(1.0, 0.25), 0.25);
        }
        assert!(!Parameters { p: 0.4, ..Parameters::default() }.is_sound());
        assert!(!Parameters { t: Some(0.9), ..Parameters::default() }.is_sound());
    }
}
