//! Whose predictions hold: the values that two searches gave to the own role at their moves, compared with what came of them.
//!
//! After a move the match goes on, and at the next own move both searches know more. What the one said before should be near what
//! both say now; where one has proven the value, near that. A search that judges a game wrongly has to take back what it said, move
//! by move, and the other has not. That both are asked keeps a search from being right by never changing its mind: two that differ
//! by a constant have the same error.
//!
//! A search that is not followed is judged as if it had been: where its move would have been better, it is said to be wrong. Values of the best
//! moves differ less than the searches do, and that keeps them from taking turns.

use search::Value;

/// Before anything is compared, forecasts count as wrong by so many points on average, as if that had been seen at so many moves.
const USUAL: f64 = 12.0;
const BEFORE: f64 = 2.0;
/// What counted before counts so much less after each own move.
const FADE: f64 = 0.9;
/// A value counts for forecasts made one move before it, and so much less for each move more.
const LATER: f64 = 0.5;
/// What a proven value counts.
const PROVEN: f64 = 4.0;
/// How many forecasts are remembered: older ones would count for nothing.
const REMEMBERED: usize = 6;

/// The forecasts of two searches.
#[derive(Clone, Debug)]
pub(super) struct Forecasts {
    /// Errors and their weights.
    errors: [f64; 2],
    weights: [f64; 2],
    /// Forecasts of the last own moves, the last one first.
    made: Vec<[Option<Value>; 2]>,
}

impl Forecasts {
    /// With the chance that the second search is the better one, as it is believed at first.
    pub(super) fn new(chance: f64) -> Self {
        let usual = |chance: f64| 2.0 * (1.0 - chance) * USUAL * BEFORE;
        Self {
            errors: [usual(1.0 - chance), usual(chance)],
            weights: [BEFORE; 2],
            made: Vec::new(),
        }
    }

    /// The mean errors so far, in points.
    pub(super) fn means(&self) -> [f64; 2] {
        [0, 1].map(|at| self.errors[at] / self.weights[at])
    }

    /// The search to follow.
    pub(super) fn leader(&self) -> usize {
        let [first, second] = self.means();
        usize::from(second < first)
    }

    /// What both say at an own move about the state for the own role, as far as they say anything.
    pub(super) fn note(&mut self, said: [Option<Value>; 2]) {
        if let Some((truth, weight)) = truth(&said) {
            self.compare(truth, weight);
        }
        self.made.insert(0, said);
        self.made.truncate(REMEMBERED);
    }

    fn compare(&mut self, truth: f64, weight: f64) {
        for at in 0..2 {
            self.errors[at] *= FADE;
            self.weights[at] *= FADE;
            let mut weight = weight;
            for said in &self.made {
                if let Some(said) = said[at] {
                    self.errors[at] += weight * (said.estimate - truth).abs();
                    self.weights[at] += weight;
                }
                weight *= LATER;
            }
        }
    }
}

/// What is known better now, and how much it counts: a proven value, or what both say on average.
fn truth(said: &[Option<Value>; 2]) -> Option<(f64, f64)> {
    let values = || said.iter().flatten();
    if let Some(proven) = values().find(|value| value.is_exact()) {
        return Some((proven.estimate, PROVEN));
    }
    let (sum, count) = values().fold((0.0, 0.0), |(s, n), value| (s + value.estimate, n + 1.0));
    (count > 0.0).then(|| (sum / count, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guesses(first: f64, second: f64) -> [Option<Value>; 2] {
        [first, second].map(|value| Some(Value::guess(value)))
    }

    #[test]
    fn at_first_the_belief_decides_and_later_whose_forecasts_hold() {
        assert_eq!([0.3, 0.7].map(|chance| Forecasts::new(chance).leader()), [0, 1]);
        // The first one says 80 and takes it back move by move; the second one said so from the beginning.
        let mut forecasts = Forecasts::new(0.3);
        for value in [80.0, 70.0, 60.0, 50.0, 40.0] {
            forecasts.note(guesses(value, 40.0));
        }
        let [first, second] = forecasts.means();
        assert!(first > second + 3.0, "{first} {second}");
        assert_eq!(forecasts.leader(), 1);
    }

    #[test]
    fn who_never_changes_its_mind_is_not_right_by_that() {
        let mut forecasts = Forecasts::new(0.5);
        for _ in 0..9 {
            forecasts.note(guesses(50.0, 80.0));
        }
        let [first, second] = forecasts.means();
        assert!((first - second).abs() < 1e-9, "{first} {second}");
    }

    #[test]
    fn a_proven_value_counts_most_and_silence_for_nothing() {
        let after = |value: Value| {
            let mut forecasts = Forecasts::new(0.5);
            forecasts.note([None; 2]);
            forecasts.note(guesses(50.0, 90.0));
            forecasts.note([Some(Value::guess(20.0)), Some(value)]);
            forecasts.leader()
        };
        assert_eq!((after(Value::guess(100.0)), after(Value::exact(100.0))), (0, 1));
    }
}
