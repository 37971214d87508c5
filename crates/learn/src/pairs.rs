//! Pairs of fluents that explain what single ones do not.
//!
//! For each pair that holds together in enough positions: how far the rewards are from what the single fluents
//! predict, in standard deviations. The most telling pairs become features of their own.

use game::Deadline;

use crate::regression::Samples;

/// More fluents than this have too many pairs.
const MOST_FLUENTS: usize = 2048;
/// Positions looked at: all their pairs are counted.
const MOST_SAMPLES: usize = 12_000;
/// A pair has to hold in that many of them.
const ENOUGH: f32 = 40.0;
/// And has to be that many standard deviations from what was predicted.
const TELLING: f32 = 5.0;

/// A pair of fluents, the smaller number first.
pub(crate) type Pair = (u32, u32);

/// The most telling pairs, at most `most`; `errors` are rewards minus predictions for each sample.
pub(crate) fn telling_pairs(
    samples: &Samples,
    errors: &[f32],
    (fluents, most): (usize, usize),
    deadline: &Deadline,
) -> Vec<Pair> {
    if fluents > MOST_FLUENTS || most == 0 {
        return Vec::new();
    }
    let place = |(a, b): Pair| b as usize * (b as usize + 1) / 2 + a as usize;
    let mut sums = vec![(0.0_f32, 0.0_f32); fluents * (fluents + 1) / 2];
    let step = (samples.len() / MOST_SAMPLES).max(1);
    let mut squares = 0.0;
    let mut seen = 0.0_f32;
    for sample in (0..samples.len()).step_by(step) {
        if deadline.passed() {
            return Vec::new();
        }
        let own = samples.of(sample);
        squares += errors[sample] * errors[sample];
        seen += 1.0;
        for (at, b) in own.iter().enumerate() {
            for a in &own[..at] {
                let (sum, count) = &mut sums[place((*a, *b))];
                *sum += errors[sample];
                *count += 1.0;
            }
        }
    }
    let deviation = (squares / seen.max(1.0)).sqrt().max(1e-6);
    let mut pairs: Vec<(f32, Pair)> = Vec::new();
    for b in 0..fluents as u32 {
        for a in 0..b {
            let (sum, count) = sums[place((a, b))];
            let far = sum.abs() / (deviation * count.max(1.0).sqrt());
            if count >= ENOUGH && count <= seen - ENOUGH && far >= TELLING {
                pairs.push((far, (a, b)));
            }
        }
    }
    pairs.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    pairs.truncate(most);
    pairs.into_iter().map(|(_, pair)| pair).collect()
}
