//! What was learned about a game: for each role a weight of each fluent and of some pairs of fluents.

use std::collections::BTreeMap;
use std::sync::Arc;

use game::{Deadline, Evaluator, FluentId, State};

use crate::gather::Position;
use crate::held::Held;
use crate::pairs::{Pair, telling_pairs};
use crate::regression::{Samples, Weights, fit, logistic};

/// How to learn.
#[derive(Clone, Copy, Debug)]
pub struct Fitting {
    /// How often all positions are looked at.
    pub rounds: usize,
    /// The most pairs of fluents; 0 for none.
    pub pairs: usize,
    /// One of so many positions is held out.
    pub held: usize,
    /// By how much pairs have to raise the correlation with rewards of positions held out.
    pub worth: f64,
}

impl Default for Fitting {
    fn default() -> Self {
        Self { rounds: 8, pairs: 1500, held: 5, worth: 0.01 }
    }
}

/// Fewer positions than this teach nothing.
const LEAST: usize = 500;

/// What was learned.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    roles: Vec<Values>,
    pairs: usize,
}

/// What the values of one role are made of: the sum of the weights of what holds is the logarithm of the odds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RoleWeights {
    /// The weight of nothing.
    pub bias: f32,
    /// Weights of fluents.
    pub fluents: Vec<(FluentId, f32)>,
    /// Weights of two fluents that hold together.
    pub pairs: Vec<(FluentId, FluentId, f32)>,
}

impl RoleWeights {
    fn scaled(mut self, by: f32) -> Self {
        self.bias *= by;
        self.fluents.iter_mut().for_each(|(_, weight)| *weight *= by);
        self.pairs.iter_mut().for_each(|(_, _, weight)| *weight *= by);
        self
    }

    /// Both; the same fluent or pair may then be there twice.
    fn plus(mut self, other: Self) -> Self {
        self.bias += other.bias;
        self.fluents.extend(other.fluents);
        self.pairs.extend(other.pairs);
        self
    }
}

/// The values of one role.
#[derive(Clone, Debug, Default, PartialEq)]
struct Values {
    bias: f32,
    /// By the number of the fluent.
    fluents: Vec<f32>,
    /// For each fluent, the smaller ones it makes a pair with, and the weight.
    pairs: Vec<Vec<(u32, f32)>>,
}

impl Values {
    fn weights(&self) -> RoleWeights {
        let fluents = (0..).zip(&self.fluents).map(|(fluent, weight)| (FluentId(fluent), *weight));
        let pairs = (0..).zip(&self.pairs).flat_map(|(fluent, own)| {
            own.iter().map(move |(other, weight)| (FluentId(*other), FluentId(fluent), *weight))
        });
        RoleWeights {
            bias: self.bias,
            fluents: fluents.filter(|(_, weight)| *weight != 0.0).collect(),
            pairs: pairs.filter(|(_, _, weight)| *weight != 0.0).collect(),
        }
    }

    /// What occurs twice is added up.
    fn of(weights: &RoleWeights) -> Self {
        let known = |weight: f32| if weight.is_finite() { weight } else { 0.0 };
        let singles = weights.fluents.iter().map(|(fluent, _)| fluent.index() + 1);
        let pairs = weights.pairs.iter().map(|(a, b, _)| a.index().max(b.index()) + 1);
        // Sums end at the first fluent beyond the list, so pairs must not be beyond it.
        let count = singles.chain(pairs).max().unwrap_or(0);
        let mut values = Self { bias: known(weights.bias), ..Self::default() };
        values.fluents = vec![0.0; count];
        for (fluent, weight) in &weights.fluents {
            values.fluents[fluent.index()] += known(*weight);
        }
        let mut sums: BTreeMap<(u32, u32), f32> = BTreeMap::new();
        for (a, b, weight) in &weights.pairs {
            *sums.entry((a.0.max(b.0), a.0.min(b.0))).or_default() += known(*weight);
        }
        values.pairs = vec![Vec::new(); if sums.is_empty() { 0 } else { count }];
        for ((larger, smaller), weight) in sums {
            values.pairs[larger as usize].push((smaller, weight));
        }
        values
    }

    fn sum(&self, state: &State) -> f32 {
        let mut sum = self.bias;
        for fluent in state.iter() {
            let Some(weight) = self.fluents.get(fluent.index()) else { break };
            sum += weight;
            if let Some(pairs) = self.pairs.get(fluent.index()) {
                for (other, weight) in pairs {
                    if state.contains(FluentId(*other)) {
                        sum += weight;
                    }
                }
            }
        }
        sum
    }
}

impl Model {
    /// Learns from most of the positions; the others are given back, to judge with. None if there are too
    /// few.
    pub fn fit(
        positions: &[Position],
        fitting: &Fitting,
        deadline: &Deadline,
    ) -> Option<(Self, Held)> {
        let held = fitting.held.max(2);
        let (out, own): (Vec<_>, Vec<_>) =
            positions.iter().enumerate().partition(|(at, _)| at % held == 0);
        let strip = |(_, position)| position;
        let own: Vec<&Position> = own.into_iter().map(strip).collect();
        if own.len() < LEAST {
            return None;
        }
        let held = Held::new(out.into_iter().map(strip).cloned().collect());
        let roles = own[0].rewards.len();
        let fluents = own.iter().flat_map(|p| p.state.iter()).map(|f| f.index() + 1).max()?;
        let mut samples = Samples::default();
        for position in &own {
            samples.push(position.state.iter().map(|f| f.0));
        }
        let learner = Learner { own: &own, samples: &samples, fluents, fitting, held: &held };
        let values: Vec<(Values, usize)> =
            (0..roles).map(|role| learner.learn(role, deadline)).collect();
        let pairs = values.iter().map(|(_, pairs)| pairs).sum();
        let roles = values.into_iter().map(|(values, _)| values).collect();
        Some((Self { roles, pairs }, held))
    }

    /// The weights of each role; those that are 0 are left out.
    pub fn weights(&self) -> Vec<RoleWeights> {
        self.roles.iter().map(Values::weights).collect()
    }

    /// The model with these weights for each role. Those that are no numbers are left out.
    pub fn of(weights: &[RoleWeights]) -> Self {
        let roles: Vec<Values> = weights.iter().map(Values::of).collect();
        let pairs = roles.iter().flat_map(|values| &values.pairs).map(Vec::len).sum();
        Self { roles, pairs }
    }

    /// A model with the weighted means of the weights of both, `share` of them from the other one. What only one knows
    /// weighs nothing for the other.
    #[must_use]
    pub fn blended(&self, other: &Self, share: f32) -> Self {
        let share = share.clamp(0.0, 1.0);
        let blend = |role| {
            let none = RoleWeights::default();
            let (one, other) = (self.roles.get(role), other.roles.get(role));
            let of = |values: Option<&Values>| values.map_or(none.clone(), Values::weights);
            of(one).scaled(1.0 - share).plus(of(other).scaled(share))
        };
        let roles: Vec<RoleWeights> = (0..self.roles.len()).map(blend).collect();
        Self::of(&roles)
    }

    /// How many pairs have a weight.
    pub fn pairs(&self) -> usize {
        self.pairs
    }

    /// An evaluator.
    pub fn evaluator(&self) -> Learned {
        Learned { model: Arc::new(self.clone()) }
    }
}

struct Learner<'l> {
    own: &'l [&'l Position],
    samples: &'l Samples,
    fluents: usize,
    fitting: &'l Fitting,
    held: &'l Held,
}

impl Learner<'_> {
    /// The values of a role, with the number of its pairs. Pairs stay only if they predict better what
    /// was held out.
    fn learn(&self, role: usize, deadline: &Deadline) -> (Values, usize) {
        let rewards: Vec<f32> = self.own.iter().map(|position| position.rewards[role]).collect();
        let size = (self.fluents, self.fitting.rounds);
        let single = fit(self.samples, &rewards, size, deadline);
        let errors: Vec<f32> = (0..self.samples.len())
            .map(|at| rewards[at] - logistic(single.sum(self.samples.of(at))))
            .collect();
        let plain = self.values(&single, &[]);
        let most = (self.fluents, self.fitting.pairs);
        let pairs = telling_pairs(self.samples, &errors, most, deadline);
        if pairs.is_empty() || deadline.passed() {
            return (plain, 0);
        }
        let with_pairs = with_pairs(self.samples, self.fluents, &pairs);
        let size = (self.fluents + pairs.len(), self.fitting.rounds);
        let weights = fit(&with_pairs, &rewards, size, deadline);
        let more = self.values(&weights, &pairs);
        let judged = |values: &Values| self.held.correlate(role, |state| values.sum(state).into());
        if !deadline.passed() && judged(&more) > judged(&plain) + self.fitting.worth {
            (more, pairs.len())
        } else {
            (plain, 0)
        }
    }

    fn values(&self, weights: &Weights, pairs: &[Pair]) -> Values {
        let mut lists = vec![Vec::new(); if pairs.is_empty() { 0 } else { self.fluents }];
        for ((a, b), weight) in pairs.iter().zip(&weights.of[self.fluents..]) {
            lists[*b as usize].push((*a, *weight));
        }
        let fluents = weights.of[..self.fluents].to_vec();
        Values { bias: weights.bias, fluents, pairs: lists }
    }
}

/// The samples with the pairs that hold as further features.
fn with_pairs(samples: &Samples, fluents: usize, pairs: &[Pair]) -> Samples {
    let mut lists: Vec<Vec<(u32, u32)>> = vec![Vec::new(); fluents];
    for (number, (a, b)) in (fluents as u32..).zip(pairs) {
        lists[*b as usize].push((*a, number));
    }
    let mut more = Samples::default();
    let mut held = vec![false; fluents];
    for sample in 0..samples.len() {
        let own = samples.of(sample);
        for fluent in own {
            held[*fluent as usize] = true;
        }
        let both = own.iter().flat_map(|b| &lists[*b as usize]).filter(|(a, _)| held[*a as usize]);
        more.push(own.iter().copied().chain(both.map(|(_, number)| *number)));
        for fluent in own {
            held[*fluent as usize] = false;
        }
    }
    more
}

/// The evaluator of what was learned.
#[derive(Clone, Debug)]
pub struct Learned {
    model: Arc<Model>,
}

impl Evaluator for Learned {
    fn evaluate(&mut self, state: &State, values: &mut [f64]) {
        for (role, value) in values.iter_mut().enumerate() {
            let sum = self.model.roles.get(role).map_or(0.0, |own| own.sum(state));
            *value = f64::from(logistic(sum)) * 100.0;
        }
    }

    fn another(&self) -> Box<dyn Evaluator> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In hundredths.
    fn value(model: &Model, fluents: &[u32]) -> i32 {
        let state: State = fluents.iter().map(|fluent| FluentId(*fluent)).collect();
        (model.roles[0].sum(&state) * 100.0).round() as i32
    }

    fn one() -> RoleWeights {
        let fluents = vec![(FluentId(0), 1.0), (FluentId(2), -2.0)];
        RoleWeights { bias: 0.5, fluents, pairs: vec![(FluentId(0), FluentId(3), 4.0)] }
    }

    #[test]
    fn a_model_of_its_weights_is_the_same_model() {
        let model = Model::of(&[one()]);
        assert_eq!(value(&model, &[0, 2, 3]), 350);
        assert_eq!(model.pairs(), 1);
        assert_eq!(Model::of(&model.weights()), model);
        assert_eq!(model.weights(), [one()]);
        let odd = RoleWeights {
            bias: f32::NAN,
            fluents: vec![(FluentId(1), f32::INFINITY)],
            pairs: Vec::new(),
        };
        assert_eq!(value(&Model::of(&[odd]), &[1]), 0);
    }

    #[test]
    fn a_blend_has_the_means_of_the_weights() {
        let other = RoleWeights {
            bias: 1.5,
            fluents: vec![(FluentId(0), 5.0)],
            // The same pair, the other way round.
            pairs: vec![(FluentId(3), FluentId(0), 8.0)],
        };
        let blend = Model::of(&[one()]).blended(&Model::of(&[other]), 0.25);
        assert_eq!(value(&blend, &[]), 75);
        assert_eq!(value(&blend, &[0]), 275);
        assert_eq!(value(&blend, &[2]), -75);
        assert_eq!(value(&blend, &[0, 3]), 775);
        assert_eq!(blend.pairs(), 1);
    }
}
