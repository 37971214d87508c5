//! Statistics of samples: mean, confidence, extremes, and a histogram drawn with block characters.

use serde_json::{Value, json};

/// A sample of counts.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    values: Vec<u64>,
}

impl Sample {
    /// Adds a number.
    pub fn add(&mut self, value: u64) {
        self.values.push(value);
    }

    /// How many numbers there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The mean; 0 of nothing.
    pub fn mean(&self) -> f64 {
        if self.values.is_empty() {
            return 0.0;
        }
        let sum: f64 = self.values.iter().map(|value| *value as f64).sum();
        sum / self.values.len() as f64
    }

    /// Half the width of the 95% confidence interval of the mean, by the normal approximation.
    pub fn confidence(&self) -> f64 {
        let count = self.values.len() as f64;
        if count < 2.0 {
            return 0.0;
        }
        let mean = self.mean();
        let squares: f64 = self.values.iter().map(|v| (*v as f64 - mean).powi(2)).sum();
        1.96 * (squares / (count - 1.0) / count).sqrt()
    }

    /// The least number; 0 of nothing.
    pub fn least(&self) -> u64 {
        self.values.iter().copied().min().unwrap_or(0)
    }

    /// The greatest number; 0 of nothing.
    pub fn greatest(&self) -> u64 {
        self.values.iter().copied().max().unwrap_or(0)
    }

    /// How often each number occurs, in their order.
    pub fn counts(&self) -> Vec<(u64, usize)> {
        let mut sorted = self.values.clone();
        sorted.sort_unstable();
        let mut counts: Vec<(u64, usize)> = Vec::new();
        for value in sorted {
            match counts.last_mut() {
                Some((last, count)) if *last == value => *count += 1,
                _ => counts.push((value, 1)),
            }
        }
        counts
    }

    /// Counts of at most `most` classes of equal width: the least number of each class, and how many.
    pub fn classes(&self, most: usize) -> Vec<(u64, u64, usize)> {
        let (least, greatest) = (self.least(), self.greatest());
        let width = (greatest - least) / most.max(1) as u64 + 1;
        let number = ((greatest - least) / width + 1) as usize;
        let mut classes: Vec<(u64, u64, usize)> = (0..number as u64)
            .map(|i| (least + i * width, least + (i + 1) * width - 1, 0))
            .collect();
        for value in &self.values {
            classes[((value - least) / width) as usize].2 += 1;
        }
        classes
    }

    /// The summary for programs, of numbers that may depend on each other.
    pub fn json(&self) -> Value {
        json!({
            "count": self.len(),
            "mean": self.mean(),
            "min": self.least(),
            "max": self.greatest(),
        })
    }

    /// The summary of independent numbers, such as one per playout, with their confidence.
    pub fn independent_json(&self) -> Value {
        let mut summary = self.json();
        summary["confidence95"] = self.confidence().into();
        summary
    }
}

/// A bar of eighths of blocks, as long as `part` of `whole` is of `width` characters.
pub fn bar(part: usize, whole: usize, width: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    if whole == 0 {
        return String::new();
    }
    let eighths = (part * width * 8).div_ceil(whole);
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_confidence_are_those_of_the_textbook() {
        let mut sample = Sample::default();
        for value in [2, 4, 4, 4, 5, 5, 7, 9] {
            sample.add(value);
        }
        assert!((sample.mean() - 5.0).abs() < 1e-12);
        let deviation = (32.0_f64 / 7.0).sqrt();
        assert!((sample.confidence() - 1.96 * deviation / 8.0_f64.sqrt()).abs() < 1e-12);
        assert_eq!(sample.counts()[1], (4, 3));
    }

    #[test]
    fn classes_cover_every_number_once() {
        let mut sample = Sample::default();
        (5..=104).for_each(|v| sample.add(v));
        let classes = sample.classes(16);
        assert!(classes.len() <= 16);
        assert_eq!(classes.iter().map(|class| class.2).sum::<usize>(), 100);
        assert_eq!(classes[0].0, 5);
    }

    #[test]
    fn bars_show_the_least_part_and_never_overflow() {
        assert_eq!(bar(0, 10, 8), "");
        assert_eq!(bar(1, 1_000_000, 8), "▏");
        assert_eq!(bar(10, 10, 8), "████████");
        assert_eq!(bar(1, 0, 8), "");
    }
}
