//! How far the results of playouts lie apart, for the weight of exploration.
//!
//! UCB1 explores as much as values from 0 to 1 ask for, whose deviation is at most a half (Auer, Cesa-Bianchi and Fischer 2002). Where a game
//! counts pieces and all results lie within a few points, that much is nearly uniform search. So the weight follows the standard deviation of
//! playouts, which is what their means are uncertain by (UCB1-Normal and UCB1-Tuned of the same authors take that of each move; here it is that of a role in
//! the whole search, which needs no memory in edges and is known from the beginning).

/// Results from 0 to 100 that are as often the one as the other deviate by this much: exploration is as the option says.
const WHOLE: f64 = 50.0;
/// The least part of the weight: where hardly any playout ends in another way, its deviation is no measure of what good moves are worth.
const LEAST: f64 = 0.25;
/// Before there are so many playouts nothing is known.
const FEWEST: f64 = 256.0;

/// Results of one role.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    value: f64,
    square: f64,
}

/// Results of playouts of all roles.
#[derive(Clone, Debug, Default)]
pub(super) struct Spread {
    count: f64,
    sums: Vec<Sums>,
    /// What the weight of exploration is multiplied with, by role.
    parts: Vec<f32>,
}

impl Spread {
    /// Notes the values of a playout.
    pub(super) fn note(&mut self, values: impl IntoIterator<Item = f64>) {
        self.count += 1.0;
        for (role, value) in values.into_iter().enumerate() {
            if self.sums.len() <= role {
                self.sums.push(Sums::default());
            }
            let own = &mut self.sums[role];
            own.value += value;
            own.square += value * value;
        }
    }

    /// Makes what was noted count from now on.
    pub(super) fn settle(&mut self) {
        if self.count < FEWEST {
            return;
        }
        self.parts.clear();
        self.parts.extend(self.sums.iter().map(|own| {
            let mean = own.value / self.count;
            let deviation = (own.square / self.count - mean * mean).max(0.0).sqrt();
            (deviation / WHOLE).clamp(LEAST, 1.0) as f32
        }));
    }

    /// The part of the weight of exploration that a role has.
    pub(super) fn part(&self, role: usize) -> f32 {
        self.parts.get(role).copied().unwrap_or(1.0)
    }

    /// Earlier results count less from now on: play has gone on.
    pub(super) fn fade(&mut self) {
        const FADED: f64 = 0.5;
        self.count *= FADED;
        for own in &mut self.sums {
            own.value *= FADED;
            own.square *= FADED;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(results: [f64; 2], times: usize) -> Spread {
        let mut spread = Spread::default();
        for at in 0..times {
            spread.note([results[at % 2], 100.0 - results[at % 2]]);
        }
        spread.settle();
        spread
    }

    #[test]
    fn the_weight_follows_how_far_results_lie_apart() {
        let part = |results, times| after(results, times).part(0);
        assert!((part([0.0, 100.0], 1000) - 1.0).abs() < 1e-6);
        assert!((part([30.0, 70.0], 1000) - 0.4).abs() < 1e-6);
        assert!((part([50.0, 50.0], 1000) - 0.25).abs() < 1e-6, "never nothing");
        assert!((part([30.0, 70.0], 100) - 1.0).abs() < 1e-6, "too few to tell");
        let both = after([30.0, 70.0], 1000);
        assert!((both.part(0) - both.part(1)).abs() < 1e-6);
    }

    #[test]
    fn later_results_count_more() {
        let mut spread = after([40.0, 60.0], 1000);
        for _ in 0..10 {
            spread.fade();
        }
        for at in 0..1000 {
            spread.note([f64::from(at % 2) * 100.0; 2]);
        }
        spread.settle();
        assert!(spread.part(0) > 0.95);
    }
}
