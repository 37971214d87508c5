//! What all searches have in common.

use game::{Evaluator, Machine, ReasonError, Role, State};

use crate::effort::Effort;
use crate::report::SearchReport;

/// A search for one game and one thread of its caller. It keeps what it found (table, tree) from one
/// call to the next.
pub trait Search: Send {
    /// A short name for logs.
    fn name(&self) -> &'static str;

    /// Searches for the best move of `role` in `state`, which need not be where the last search began.
    ///
    /// `observe` is called whenever there is something better to show. The report says why the search
    /// stopped; an error is returned only where not even the legal moves of `state` are known.
    fn search(
        &mut self,
        state: &State,
        role: Role,
        effort: &Effort,
        observe: &mut dyn FnMut(&SearchReport),
    ) -> Result<SearchReport, ReasonError>;

    /// The match went on to `state`: what cannot be reached any more may be dropped.
    fn advance(&mut self, state: &State);

    /// Drops everything found so far.
    fn forget(&mut self);

    /// From now on another machine of the same game answers, such as the circuit once it is there.
    fn use_machine(&mut self, machine: Box<dyn Machine>);
}

/// The evaluator that knows nothing: every state is worth the same (Rauber-14's blind heuristic, with 50
/// in place of 0, the middle of our scale).
#[derive(Clone, Copy, Debug, Default)]
pub struct Blind;

impl Evaluator for Blind {
    fn evaluate(&mut self, _: &State, values: &mut [f64]) {
        values.fill(50.0);
    }

    fn another(&self) -> Box<dyn Evaluator> {
        Box::new(Self)
    }
}
