//! What was learned about a game: for each role a weight of each fluent and of some pairs of fluents.

use std::sync::Arc;

use game::{Deadline, Evaluator, State};

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
    fn sum(&self, state: &State) -> f32 {
        let mut sum = self.bias;
        for fluent in state.iter() {
            let Some(weight) = self.fluents.get(fluent.index()) else { break };
            sum += weight;
            if let Some(pairs) = self.pairs.get(fluent.index()) {
                for (other, weight) in pairs {
                    if state.contains(game::FluentId(*other)) {
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
