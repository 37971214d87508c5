//! Ratings on the Elo scale with intervals.
//!
//! The model of Bradley and Terry (Biometrika 1952): a player with strength a beats one with strength b with
//! probability 1/(1+exp(b-a)). A match of n players counts as its n(n-1)/2 encounters of two, each weighted with
//! 1/(n-1), so that each player has the weight of one match; the larger goal value wins, equal ones are half a
//! win for both. Strengths have a normal prior, as in Bayesian Elo (Coulom 2005), which keeps them finite when
//! somebody wins everything. The most likely strengths are found by Newton's method (the function is
//! concave), intervals by the curvature there (Laplace's approximation), relative to the mean of all.

use crate::matrix::invert;
use crate::mean::WIDTH;

/// The result of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The players, by number, in the order of the roles.
    pub players: Vec<usize>,
    /// Their goal values.
    pub goals: Vec<i64>,
}

/// The rating of a player.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rating {
    /// Elo points; the mean of all players is 0.
    pub elo: f64,
    /// Half of the 95% interval.
    pub plus_minus: f64,
}

/// Elo points for a strength of 1: odds of 10 to 1 are 400 points.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;
/// The standard deviation of strengths before anything is known, in Elo points.
const PRIOR: f64 = 400.0;
const MOST_STEPS: usize = 100;
const SMALL: f64 = 1e-10;

/// Rates `count` players by the results of matches. Matches against oneself tell nothing.
pub fn rate(count: usize, outcomes: &[Outcome]) -> Vec<Rating> {
    if count == 0 {
        return Vec::new();
    }
    let games = Games::new(count, outcomes);
    let mut strengths = vec![0.0; count];
    for _ in 0..MOST_STEPS {
        let (gradient, curvature) = games.derivatives(&strengths);
        // The prior keeps it positive definite.
        let Some(inverse) = invert(curvature) else { break };
        let step: Vec<f64> =
            inverse.iter().map(|row| row.iter().zip(&gradient).map(|(a, b)| a * b).sum()).collect();
        // A whole step may go too far from a distant start; the function tells.
        let mut part = 1.0;
        let before = games.likelihood(&strengths);
        let moved = |part: f64| -> Vec<f64> {
            strengths.iter().zip(&step).map(|(at, by)| at + part * by).collect()
        };
        while part > SMALL && games.likelihood(&moved(part)) < before {
            part /= 2.0;
        }
        let next = moved(part);
        let change = step.iter().fold(0.0_f64, |most, by| most.max((part * by).abs()));
        strengths = next;
        if change < SMALL {
            break;
        }
    }
    let (_, curvature) = games.derivatives(&strengths);
    let covariance = invert(curvature);
    covariance.map_or_else(|| vec![Rating::default(); count], |by| ratings(&strengths, &by))
}

/// Strengths and their covariances as ratings around the mean.
fn ratings(strengths: &[f64], covariance: &[Vec<f64>]) -> Vec<Rating> {
    let count = strengths.len() as f64;
    let mean = strengths.iter().sum::<f64>() / count;
    let row = |i: usize| covariance[i].iter().sum::<f64>() / count;
    let all = (0..strengths.len()).map(row).sum::<f64>() / count;
    let rating = |(i, strength): (usize, &f64)| {
        let variance = (covariance[i][i] - 2.0 * row(i) + all).max(0.0);
        Rating { elo: (strength - mean) * ELO, plus_minus: WIDTH * variance.sqrt() * ELO }
    };
    strengths.iter().enumerate().map(rating).collect()
}

/// Weighted wins and encounters of each pair.
struct Games {
    wins: Vec<Vec<f64>>,
    met: Vec<Vec<f64>>,
    /// One over the variance of the prior.
    tether: f64,
}

impl Games {
    fn new(count: usize, outcomes: &[Outcome]) -> Self {
        let mut wins = vec![vec![0.0; count]; count];
        let mut met = vec![vec![0.0; count]; count];
        for outcome in outcomes {
            let entries: Vec<_> = outcome.players.iter().zip(&outcome.goals).collect();
            for (at, (a, goal_a)) in entries.iter().enumerate() {
                for (b, goal_b) in entries[at + 1..].iter().filter(|(b, _)| b != a) {
                    let (a, b) = (**a, **b);
                    if a >= count || b >= count {
                        continue;
                    }
                    let weight = 1.0 / (entries.len() - 1) as f64;
                    let share = match goal_a.cmp(goal_b) {
                        std::cmp::Ordering::Greater => 1.0,
                        std::cmp::Ordering::Equal => 0.5,
                        std::cmp::Ordering::Less => 0.0,
                    };
                    wins[a][b] += weight * share;
                    wins[b][a] += weight * (1.0 - share);
                    met[a][b] += weight;
                    met[b][a] += weight;
                }
            }
        }
        Self { wins, met, tether: (ELO / PRIOR).powi(2) }
    }

    fn likelihood(&self, strengths: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (i, a) in strengths.iter().enumerate() {
            sum -= self.tether * a * a / 2.0;
            for (j, b) in strengths.iter().enumerate() {
                sum -= self.wins[i][j] * (b - a).exp().ln_1p();
            }
        }
        sum
    }

    /// The gradient, and the negative matrix of second derivatives.
    fn derivatives(&self, strengths: &[f64]) -> (Vec<f64>, Vec<Vec<f64>>) {
        let count = strengths.len();
        let mut gradient = vec![0.0; count];
        let mut curvature = vec![vec![0.0; count]; count];
        for i in 0..count {
            gradient[i] -= self.tether * strengths[i];
            curvature[i][i] += self.tether;
            for j in (0..count).filter(|j| *j != i) {
                let p = 1.0 / (1.0 + (strengths[j] - strengths[i]).exp());
                gradient[i] += self.wins[i][j] - self.met[i][j] * p;
                let bend = self.met[i][j] * p * (1.0 - p);
                curvature[i][i] += bend;
                curvature[i][j] -= bend;
            }
        }
        (gradient, curvature)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::playout::Random;

    fn duel(a: usize, b: usize, goal: i64) -> Outcome {
        Outcome { players: vec![a, b], goals: vec![goal, 100 - goal] }
    }

    #[test]
    fn three_wins_of_four_are_190_points() {
        let outcomes: Vec<_> =
            (0..4000).map(|i| duel(0, 1, if i % 4 == 0 { 0 } else { 100 })).collect();
        let ratings = rate(2, &outcomes);
        let difference = ratings[0].elo - ratings[1].elo;
        // 400 log10(3), less what the prior pulls.
        assert!((difference - 190.85).abs() < 1.0, "{difference}");
        assert!((ratings[0].elo + ratings[1].elo).abs() < 1e-6);
    }

    #[test]
    fn ratings_are_finite_and_ordered_whatever_happens() {
        let ratings = rate(3, &(0..50).map(|_| duel(0, 1, 100)).collect::<Vec<_>>());
        assert!(ratings.iter().all(|r| r.elo.is_finite() && r.plus_minus.is_finite()));
        assert!(ratings[0].elo > ratings[2].elo && ratings[2].elo > ratings[1].elo);
        assert!(ratings[2].plus_minus > ratings[0].plus_minus, "nothing is known of the third");
        assert!(rate(0, &[]).is_empty());
        assert!(rate(2, &[duel(0, 0, 100)])[0].elo.abs() < 1e-9);
        let even = rate(3, &[Outcome { players: vec![0, 1, 2], goals: vec![50, 50, 50] }]);
        assert!(even.iter().all(|r| r.elo.abs() < 1e-9));
        let three = rate(3, &[Outcome { players: vec![2, 0, 1], goals: vec![100, 50, 0] }]);
        assert!(three[2].elo > three[0].elo && three[0].elo > three[1].elo);
    }

    #[test]
    fn intervals_hold_the_truth_nineteen_times_of_twenty() {
        let truth: [f64; 4] = [150.0, 50.0, -50.0, -150.0];
        let mut random = Random::new(3);
        let (mut held, mut all) = (0, 0);
        for _ in 0..100 {
            let mut outcomes = Vec::new();
            for a in 0..4 {
                for b in a + 1..4 {
                    let p = 1.0 / (1.0 + 10.0_f64.powf((truth[b] - truth[a]) / 400.0));
                    for _ in 0..40 {
                        let won = (random.below(1_000_000) as f64) < p * 1e6;
                        outcomes.push(duel(a, b, if won { 100 } else { 0 }));
                    }
                }
            }
            for (rating, truth) in rate(4, &outcomes).iter().zip(truth) {
                all += 1;
                held += u32::from((rating.elo - truth).abs() <= rating.plus_minus);
            }
        }
        let share = f64::from(held) / f64::from(all);
        assert!((0.92..=0.98).contains(&share), "{share}");
    }
}
