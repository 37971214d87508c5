//! Logistic regression of rewards on features that hold or do not hold.
//!
//! Stochastic gradient descent with steps of their own for each weight (`AdaGrad`: Duchi, Hazan and Singer 2011)
//! and weights drawn towards 0; rewards between 0 and 1 count as probabilities.

use game::Deadline;

/// Features that hold, for each of several samples, one after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Samples {
    features: Vec<u32>,
    ends: Vec<usize>,
}

impl Samples {
    pub(crate) fn push(&mut self, features: impl IntoIterator<Item = u32>) {
        self.features.extend(features);
        self.ends.push(self.features.len());
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn of(&self, sample: usize) -> &[u32] {
        let begin = if sample == 0 { 0 } else { self.ends[sample - 1] };
        &self.features[begin..self.ends[sample]]
    }
}

/// A weight for each feature, and one for none.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Weights {
    pub(crate) bias: f32,
    pub(crate) of: Vec<f32>,
}

impl Weights {
    /// The sum of the weights of features.
    pub(crate) fn sum(&self, features: &[u32]) -> f32 {
        self.bias + features.iter().map(|feature| self.of[*feature as usize]).sum::<f32>()
    }
}

/// From a sum of weights to a probability.
pub(crate) fn logistic(sum: f32) -> f32 {
    1.0 / (1.0 + (-sum).exp())
}

/// The length of the first step.
const STEP: f32 = 0.15;
/// How strongly weights are drawn to 0 in a step.
const SHRINK: f32 = 2e-5;
/// Every so many samples there is a look at the clock.
const LOOK: usize = 256;

/// Fits weights to `rewards` of the samples, in `rounds` rounds or until the deadline.
pub(crate) fn fit(
    samples: &Samples,
    rewards: &[f32],
    (features, rounds): (usize, usize),
    deadline: &Deadline,
) -> Weights {
    let mean = rewards.iter().sum::<f32>() / (rewards.len().max(1) as f32);
    let mean = mean.clamp(0.01, 0.99);
    let mut weights = Weights { bias: (mean / (1.0 - mean)).ln(), of: vec![0.0; features] };
    let mut squares = vec![1e-3_f32; features];
    let mut bias_squares = 1.0_f32;
    // A fixed stride visits all samples in an order that mixes early and late ones.
    let count = samples.len();
    let stride = stride(count);
    let mut at = 0;
    for step in 0..count * rounds {
        if step % LOOK == 0 && deadline.passed() {
            break;
        }
        let own = samples.of(at);
        let error = rewards[at] - logistic(weights.sum(own));
        bias_squares += error * error;
        weights.bias += STEP * error / bias_squares.sqrt();
        for feature in own {
            let feature = *feature as usize;
            let weight = weights.of[feature];
            let slope = error - SHRINK * weight;
            squares[feature] += slope * slope;
            weights.of[feature] = weight + STEP * slope / squares[feature].sqrt();
        }
        at = (at + stride) % count;
    }
    weights
}

/// A number without a divisor in common with `count`, near its golden section.
fn stride(count: usize) -> usize {
    let mut stride = count * 618 / 1000;
    while stride > 1 && divisor(stride, count) > 1 {
        stride -= 1;
    }
    stride.max(1)
}

fn divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_features_are_found_again() {
        // Reward by feature 0, against feature 1, whatever feature 2.
        let mut samples = Samples::default();
        let mut rewards = Vec::new();
        for number in 0..4000_u32 {
            let held: Vec<u32> = (0..3).filter(|bit| number >> bit & 1 == 1).collect();
            let sum = held.iter().map(|f| [2.0, -1.0, 0.0][*f as usize]).sum::<f32>() - 0.5;
            samples.push(held);
            rewards.push(logistic(sum));
        }
        let weights = fit(&samples, &rewards, (3, 30), &Deadline::never());
        let near = |found: f32, wanted: f32| (found - wanted).abs() < 0.2;
        assert!(near(weights.of[0], 2.0) && near(weights.of[1], -1.0), "{weights:?}");
        assert!(near(weights.of[2], 0.0) && near(weights.bias, -0.5), "{weights:?}");
    }

    #[test]
    fn every_sample_has_its_turn() {
        for count in 1..200 {
            assert_eq!(divisor(stride(count), count), 1, "{count}");
        }
    }
}
