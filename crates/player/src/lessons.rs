//! What is learned about a game in the start clock: values of fluents, judged on positions held out.

use game::{Deadline, Evaluator, Role};
use learn::{Effort, Fitting, Held, Model, Position, gather};

use crate::thinker::Context;

/// What was learned, and what to judge other evaluators by.
pub(crate) struct Lesson {
    /// What predicts best.
    taught: Taught,
    /// What rests on most positions, unless it is clearly worse: positions held out of one match are few.
    kept: Taught,
    held: Held,
    /// Of the positions, those of earlier matches.
    before: usize,
    /// The correlations of what is new alone.
    alone: Vec<f64>,
}

/// What can be taken into another match.
#[derive(Clone, Debug)]
pub(crate) struct Taught {
    pub(crate) model: Model,
    /// From so many positions.
    pub(crate) positions: usize,
    /// For each role the correlation with results of positions held out.
    pub(crate) correlations: Vec<f64>,
}

impl Taught {
    /// All correlations together.
    fn worth(&self) -> f64 {
        self.correlations.iter().sum()
    }
}

/// The part of the time for playing; the rest is for learning from it.
const PLAYING: (u32, u32) = (1, 2);
/// How many positions are enough.
pub(crate) const POSITIONS: usize = 60_000;
/// The positions where the clock has no end; also those that are looked at where enough is known, to judge by.
const WITHOUT_CLOCK: usize = 6000;
/// What was learned before counts for no more positions than this, so that it can be unlearned.
const MOST_BEFORE: usize = 10 * POSITIONS;
/// By how much a correlation may be less for what rests on more positions to be kept all the same.
const DOUBT: f64 = 0.03;

/// Learns until a deadline at most; none without a circuit, or without enough positions. What was learned in earlier
/// matches is blended in by the numbers of positions, where that predicts no worse what was held out.
pub(crate) fn learned(
    context: &Context,
    before: Option<Taught>,
    deadline: &Deadline,
) -> Option<Lesson> {
    let reasoner = &context.reasoner;
    let seed = context.seed;
    let mut batches = (reasoner.batch(seed)?, reasoner.batch(seed ^ 0x1EA2)?);
    let (playing, enough) = match deadline.left() {
        Some(left) => {
            let end = std::time::Instant::now() + left * PLAYING.0 / PLAYING.1;
            (deadline.not_after(end), POSITIONS)
        }
        None => (deadline.clone(), WITHOUT_CLOCK),
    };
    let known = before.as_ref().map_or(0, |taught| taught.positions);
    let positions = enough.saturating_sub(known).max(WITHOUT_CLOCK);
    let effort = Effort { positions, ..Effort::default() };
    let mut positions = gather(&mut batches, &effort, &playing);
    let fitting = Fitting::default();
    if before.is_some() {
        positions = last_held_out(positions, fitting.held);
    }
    let roles = reasoner.game().roles().len();
    match Model::fit(&positions, &fitting, deadline) {
        Some((model, held)) => Some(Lesson::of((model, positions.len()), held, before, roles)),
        // Too little to learn from, or to judge by.
        None => before.map(|taught| Lesson {
            before: known,
            kept: taught.clone(),
            taught,
            held: Held::default(),
            alone: Vec::new(),
        }),
    }
}

/// The positions in an order in which those that came last are held out: one of so many is, and those between them come
/// from the same plays. That would favour what is learned now over what was known before, which never saw these plays.
fn last_held_out(mut positions: Vec<Position>, held: usize) -> Vec<Position> {
    let count = positions.len();
    let mut late = positions.split_off(count - count.div_ceil(held)).into_iter();
    let mut early = positions.into_iter();
    let next = |at: usize| if at.is_multiple_of(held) { late.next() } else { early.next() };
    (0..count).filter_map(next).collect()
}

impl Lesson {
    /// The best of what is new, what was known, and both together.
    fn of(
        (new, positions): (Model, usize),
        held: Held,
        before: Option<Taught>,
        roles: usize,
    ) -> Self {
        let judge = |model: Model, positions: usize| {
            let mut evaluator = model.evaluator();
            let correlation = |role| held.correlation(&mut evaluator, Role(role as u32));
            let correlations = (0..roles).map(correlation).collect();
            Taught { model, positions: positions.min(MOST_BEFORE), correlations }
        };
        let mut best = judge(new, positions);
        let (mut kept, alone) = (best.clone(), best.correlations.clone());
        let mut used = 0;
        if let Some(before) = before {
            let known = before.positions.min(MOST_BEFORE);
            let share = known as f32 / (known + positions).max(1) as f32;
            let blend = judge(best.model.blended(&before.model, share), known + positions);
            let doubt = DOUBT * roles as f64;
            if blend.worth() >= best.worth() - doubt {
                kept = blend.clone();
            }
            for earlier in [judge(before.model, known), blend] {
                if earlier.worth() >= best.worth() {
                    (best, used) = (earlier, known);
                }
            }
        }
        Self { taught: best, kept, held, before: used, alone }
    }

    /// What can be taken into another match.
    pub(crate) fn kept(&self) -> &Taught {
        &self.kept
    }

    /// The evaluator.
    pub(crate) fn evaluator(&self) -> Box<dyn Evaluator> {
        Box::new(self.taught.model.evaluator())
    }

    /// How well what was learned predicts what random play brings a role: a correlation.
    pub(crate) fn merit(&self, role: Role) -> f64 {
        self.taught.correlations.get(role.index()).copied().unwrap_or(0.0)
    }

    /// The same for another evaluator; none if there is nothing to judge by.
    pub(crate) fn judge(&self, evaluator: &mut dyn Evaluator, role: Role) -> Option<f64> {
        (!self.held.is_empty()).then(|| self.held.correlation(evaluator, role))
    }

    /// In words.
    pub(crate) fn in_words(&self, role: Role) -> String {
        let (positions, pairs) = (self.taught.positions, self.taught.model.pairs());
        let earlier = match self.before {
            0 => String::new(),
            before => format!(" ({before} of earlier matches)"),
        };
        let alone = self.alone.get(role.index()).filter(|_| self.before > 0);
        let alone = alone.map_or(String::new(), |alone| format!(", {alone:.2} without these"));
        let found = self.merit(role);
        let from = format!("from {positions} positions{earlier}, {pairs} pairs of fluents");
        format!("{from}, correlation {found:.2}{alone}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_positions_that_came_last_are_held_out_and_none_is_lost() {
        let position = |reward: u16| Position {
            state: game::State::default(),
            rewards: vec![f32::from(reward)],
        };
        for count in 0..30 {
            let all: Vec<Position> = (0..count).map(position).collect();
            let ordered = last_held_out(all.clone(), 5);
            let (held, own): (Vec<_>, Vec<_>) =
                ordered.into_iter().enumerate().partition(|(at, _)| at.is_multiple_of(5));
            let again: Vec<Position> = own.into_iter().chain(held).map(|(_, one)| one).collect();
            assert_eq!(again, all);
        }
    }
}
