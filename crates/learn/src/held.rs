//! Positions that nothing was learned from: what a value is worth is judged by them.

use game::{Evaluator, Role, State};

use crate::gather::Position;

/// Positions held out.
#[derive(Clone, Debug, Default)]
pub struct Held {
    positions: Vec<Position>,
}

impl Held {
    /// Positions to judge by.
    pub fn new(positions: Vec<Position>) -> Self {
        Self { positions }
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// The correlation of what an evaluator says about a role with what further play was worth to it: 0 if
    /// it says nothing, 1 if it knows what random play will bring. Playouts are noisy, so even a perfect
    /// evaluator stays below 1.
    pub fn correlation(&self, evaluator: &mut dyn Evaluator, role: Role) -> f64 {
        let mut values = Vec::new();
        self.correlate(role.index(), |state| {
            let roles = self.positions.first().map_or(0, |first| first.rewards.len());
            values.clear();
            values.resize(roles, 50.0);
            evaluator.evaluate(state, &mut values);
            values.get(role.index()).copied().filter(|value| value.is_finite()).unwrap_or(50.0)
        })
    }

    /// The correlation (Pearson) of any function of states with the rewards of a role.
    pub(crate) fn correlate(&self, role: usize, mut value: impl FnMut(&State) -> f64) -> f64 {
        let (mut x, mut y, mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for position in &self.positions {
            let (a, b) = (value(&position.state), f64::from(position.rewards[role]));
            (x, y, xx, yy, xy) = (x + a, y + b, xx + a * a, yy + b * b, xy + a * b);
        }
        let count = self.positions.len().max(1) as f64;
        let covariance = xy / count - x / count * (y / count);
        let spread = |sum: f64, squares: f64| squares / count - (sum / count).powi(2);
        let scale = (spread(x, xx).max(0.0) * spread(y, yy).max(0.0)).sqrt();
        if scale < 1e-9 { 0.0 } else { (covariance / scale).clamp(-1.0, 1.0) }
    }
}
