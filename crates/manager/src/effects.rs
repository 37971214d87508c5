//! What each of several changes is worth, from matches in which each of them was made or not.
//!
//! A comparison of one change at a time needs two rows of matches for each. Where every match has its own random
//! set of changes (a factorial design, Fisher, *The Design of Experiments*, 1935), every match tells about every change.
//! Points are modelled as those of the block (a game) plus the effects of the changes made; the
//! effects are the least squares estimates with a constant for each block, so that easy games, and changes that were made in them more
//! often by chance, do not count.

use std::collections::BTreeMap;

use crate::matrix::invert;
use crate::mean::WIDTH;

/// A match.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// What it has in common with others: matches are compared within a block.
    pub block: usize,
    /// Which changes were made.
    pub changes: Vec<bool>,
    /// The points.
    pub points: f64,
}

/// What a change is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    /// Points more with it than without.
    pub points: f64,
    /// Half of the 95% interval (normal approximation).
    pub plus_minus: f64,
}

/// The effects of all changes; none where the matches cannot tell them apart: too few, or changes that were
/// always or never made, or always made together.
pub fn effects(trials: &[Trial]) -> Option<Vec<Effect>> {
    let count = trials.first()?.changes.len();
    let rows = centred(trials, count);
    let free = rows.len().checked_sub(count + blocks(trials).len()).filter(|free| *free > 0)?;
    let product = |a: usize, b: usize| rows.iter().map(|row| row[a] * row[b]).sum::<f64>();
    let squares = (0..count).map(|a| (0..count).map(|b| product(a, b)).collect()).collect();
    let inverse = invert(squares)?;
    let along: Vec<f64> = (0..count).map(|a| product(a, count)).collect();
    let dot = |row: &[f64], by: &[f64]| row.iter().zip(by).map(|(a, b)| a * b).sum::<f64>();
    let points: Vec<f64> = inverse.iter().map(|row| dot(row, &along)).collect();
    let rest = rows.iter().map(|row| (row[count] - dot(&points, row)).powi(2)).sum::<f64>();
    let variance = rest / free as f64;
    let effect = |(at, points): (usize, &f64)| Effect {
        points: *points,
        plus_minus: WIDTH * (variance * inverse[at][at]).sqrt(),
    };
    Some(points.iter().enumerate().map(effect).collect())
}

/// The trials of each block.
fn blocks(trials: &[Trial]) -> BTreeMap<usize, Vec<usize>> {
    let mut blocks: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, trial) in trials.iter().enumerate() {
        blocks.entry(trial.block).or_default().push(at);
    }
    blocks
}

/// A row of numbers for each trial, its changes and its points, less the means of its block.
fn centred(trials: &[Trial], count: usize) -> Vec<Vec<f64>> {
    let row = |trial: &Trial| {
        let made = trial.changes.iter().map(|made| f64::from(u8::from(*made)));
        made.chain([trial.points]).collect()
    };
    let mut rows: Vec<Vec<f64>> = trials.iter().map(row).collect();
    for block in blocks(trials).values() {
        let mut sums = vec![0.0; count + 1];
        for at in block {
            sums.iter_mut().zip(&rows[*at]).for_each(|(sum, own)| *sum += own);
        }
        let size = block.len() as f64;
        for at in block {
            rows[*at].iter_mut().zip(&sums).for_each(|(own, sum)| *own -= sum / size);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::playout::Random;

    /// Matches of four games of different difficulty with three changes, worth 0, 12 and -30, and chance.
    fn trials(matches: usize, noise: f64, random: &mut Random) -> Vec<Trial> {
        let one = |at: usize| {
            let block = at % 4;
            let changes: Vec<bool> = (0..3).map(|_| random.below(3) == 0).collect();
            let worth: f64 =
                changes.iter().zip([0.0, 12.0, -30.0]).filter(|(c, _)| **c).map(|(_, w)| w).sum();
            let luck = (random.below(2001) as f64 / 1000.0 - 1.0) * noise;
            Trial { block, changes, points: 20.0 * block as f64 + worth + luck }
        };
        (0..matches).map(one).collect()
    }

    #[test]
    fn effects_are_exact_without_chance() {
        let found = effects(&trials(40, 0.0, &mut Random::new(7))).expect("enough matches");
        for (effect, worth) in found.iter().zip([0.0, 12.0, -30.0]) {
            assert!((effect.points - worth).abs() < 1e-9 && effect.plus_minus < 1e-6, "{found:?}");
        }
    }

    #[test]
    fn intervals_hold_the_truth_nineteen_times_of_twenty() {
        let mut random = Random::new(11);
        let mut held = 0;
        for _ in 0..400 {
            let found = effects(&trials(120, 60.0, &mut random)).expect("enough matches");
            held += found
                .iter()
                .zip([0.0, 12.0, -30.0])
                .filter(|(e, worth)| (e.points - worth).abs() <= e.plus_minus)
                .count();
        }
        assert!((1110..=1170).contains(&held), "{held} of 1200");
    }

    #[test]
    fn what_cannot_be_told_apart_has_no_effect() {
        let trial = |made: bool, points: f64| Trial { block: 0, changes: vec![made, made], points };
        let always_together =
            [trial(true, 1.0), trial(false, 0.0), trial(true, 1.0), trial(false, 1.0)];
        assert_eq!(effects(&always_together), None);
        assert_eq!(effects(&always_together[..2]), None);
        assert_eq!(effects(&[]), None);
    }
}
