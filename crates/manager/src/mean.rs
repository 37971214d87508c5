//! The mean of points, with what it is uncertain by.

use serde::Serialize;

/// The half-width of a 95% interval in standard deviations.
pub(crate) const WIDTH: f64 = 1.959_964;

/// The mean of some numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Mean {
    /// How many numbers there are.
    pub count: usize,
    /// Their mean; 0 of nothing.
    pub mean: f64,
    /// Half of its 95% interval (normal approximation); 0 of fewer than two numbers.
    pub plus_minus: f64,
}

impl Mean {
    /// Of these numbers.
    pub fn of(numbers: &[f64]) -> Self {
        let count = numbers.len() as f64;
        let mean = numbers.iter().sum::<f64>() / count.max(1.0);
        let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
        let deviation = (squares / (count - 1.0).max(1.0)).sqrt();
        let plus_minus = WIDTH * deviation / count.max(1.0).sqrt();
        Self { count: numbers.len(), mean, plus_minus }
    }

    /// The 95% interval.
    pub fn interval(&self) -> (f64, f64) {
        (self.mean - self.plus_minus, self.mean + self.plus_minus)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_the_normal_approximation() {
        let numbers: Vec<f64> = (0..100).map(|i| f64::from(i % 2) * 100.0).collect();
        let Mean { count, mean, plus_minus } = Mean::of(&numbers);
        assert!(count == 100 && (mean - 50.0).abs() < 1e-9 && (plus_minus - 9.85).abs() < 0.01);
        assert_eq!(Mean::of(&[]), Mean::default());
        assert_eq!(Mean::of(&[7.0]), Mean { count: 1, mean: 7.0, plus_minus: 0.0 });
    }
}
