//! Beams as wide as the time allows: a beam that is cut off reached no end and was in vain. So the first is narrow; each that came
//! to its end tells what a wider one will cost, and the next is as wide as fits into what is left of the turn
//! (as in complete anytime beam search, Zhang 1998, widths grow from run to run).

use std::time::{Duration, Instant};

use game::State;

use super::layers::{Score, layers};
use super::{Ended, Planning};
use crate::effort::{Effort, Stop};

/// The width of the first beam.
const FIRST_WIDTH: usize = 32;
/// How many times as wide the next one is, at most, and the part of the time left that is planned for; all in hundredths.
const WIDER: u128 = 400;
const SAFE: u128 = 80;
/// And how many times as wide it has to be, to be worth another run.
pub const BARELY: u128 = 125;
/// The same where there is no clock.
const WITHOUT_CLOCK: u128 = 200;

/// The width of the next beam, given that of the last one and what it cost: as wide as the time left allows. None unless it is
/// so many hundredths of that.
pub fn next_width(
    (width, cost): (usize, Duration),
    left: Option<Duration>,
    least: u128,
) -> Option<usize> {
    let fits = left.map_or(WITHOUT_CLOCK, |left| left.as_micros() * SAFE / cost.as_micros().max(1));
    let wide = width.saturating_mul(fits.min(WIDER) as usize) / 100;
    (fits >= least).then_some(wide.max(1))
}

/// How wide beams were, for each score.
#[derive(Default)]
pub(super) struct Beams {
    widest: [Option<(usize, Duration)>; 3],
    salt: u64,
}

impl Beams {
    /// Beams until the effort is spent or a wider one does not fit into it. Where states are counted and not time, a single one.
    pub(super) fn run(
        &mut self,
        planning: &mut Planning<'_>,
        state: &State,
        score: &mut Score<'_>,
        effort: &Effort,
    ) -> Result<Ended, Stop> {
        let kind = match score {
            Score::Value(_) => 0,
            Score::Mobility => 1,
            Score::Restriction => 2,
        };
        let mut least = 0;
        loop {
            let Some(width) = self.width(kind, least, effort) else { return Ok(Ended::Open) };
            self.salt += 1;
            planning.salt = self.salt;
            let begin = Instant::now();
            let ended = layers(planning, state, width, score);
            // What was cut off would have taken longer.
            let cost = begin.elapsed() * if ended.is_ok() { 1 } else { 2 };
            self.widest[kind] = Some((width, cost));
            if ended != Ok(Ended::Open) || effort.nodes.is_some() {
                return ended;
            }
            least = BARELY;
        }
    }

    /// The width of the next beam; none unless it is so many hundredths of that of the last one.
    fn width(&self, kind: usize, least: u128, effort: &Effort) -> Option<usize> {
        let Some(last) = self.widest[kind] else { return Some(FIRST_WIDTH) };
        next_width(last, effort.deadline.left().filter(|_| effort.nodes.is_none()), least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::Deadline;

    #[test]
    fn beams_are_as_wide_as_the_time_allows() {
        let mut beams = Beams::default();
        let within = |seconds| Effort::until(Deadline::within(Duration::from_secs(seconds)));
        assert_eq!(beams.width(1, BARELY, &within(1)), Some(FIRST_WIDTH));
        beams.widest[1] = Some((100, Duration::from_secs(10)));
        // At most four times as wide; narrower at the beginning of a turn, but then no beam that is hardly wider.
        assert_eq!(beams.width(1, BARELY, &within(1000)), Some(400));
        assert!(
            beams.width(1, BARELY, &within(20)).is_some_and(|width| (150..=160).contains(&width))
        );
        assert!(beams.width(1, 0, &within(5)).is_some_and(|width| (35..=40).contains(&width)));
        assert_eq!(beams.width(1, BARELY, &within(10)), None);
        assert_eq!(beams.width(1, BARELY, &Effort::nodes(7)), Some(200));
    }
}
