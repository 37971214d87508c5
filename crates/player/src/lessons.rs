//! What is learned about a game in the start clock: values of fluents, judged on positions held out.

use game::{Deadline, Evaluator, Role};
use learn::{Effort, Fitting, Held, Model, gather};

use crate::thinker::Context;

/// What was learned, and what to judge other evaluators by.
pub(crate) struct Lesson {
    model: Model,
    held: Held,
    positions: usize,
}

/// The part of the time for playing; the rest is for learning from it.
const PLAYING: (u32, u32) = (1, 2);
/// How many positions are enough.
const POSITIONS: usize = 60_000;
/// The positions where the clock has no end.
const WITHOUT_CLOCK: usize = 6000;

/// Learns until a deadline at most; none without a circuit, or without enough positions.
pub(crate) fn learned(context: &Context, deadline: &Deadline) -> Option<Lesson> {
    let reasoner = &context.reasoner;
    let seed = context.seed;
    let mut batches = (reasoner.batch(seed)?, reasoner.batch(seed ^ 0x1EA2)?);
    let (playing, positions) = match deadline.left() {
        Some(left) => {
            let end = std::time::Instant::now() + left * PLAYING.0 / PLAYING.1;
            (deadline.not_after(end), POSITIONS)
        }
        None => (deadline.clone(), WITHOUT_CLOCK),
    };
    let effort = Effort { positions, ..Effort::default() };
    let positions = gather(&mut batches, &effort, &playing);
    let (model, held) = Model::fit(&positions, &Fitting::default(), deadline)?;
    Some(Lesson { model, held, positions: positions.len() })
}

impl Lesson {
    /// The evaluator.
    pub(crate) fn evaluator(&self) -> Box<dyn Evaluator> {
        Box::new(self.model.evaluator())
    }

    /// How well an evaluator predicts what random play brings a role: a correlation.
    pub(crate) fn judge(&self, evaluator: &mut dyn Evaluator, role: Role) -> f64 {
        self.held.correlation(evaluator, role)
    }

    /// In words.
    pub(crate) fn in_words(&self, role: Role) -> String {
        let found = self.judge(&mut self.model.evaluator(), role);
        let (positions, pairs) = (self.positions, self.model.pairs());
        format!("from {positions} positions, {pairs} pairs of fluents, correlation {found:.2}")
    }
}
