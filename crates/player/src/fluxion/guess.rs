//! Which search is likely to be better, guessed from features of the game (Rauber-14; see `relax::predict`).

use game::{Deadline, Evaluator};
use relax::predict::{Features, Measuring, Model, measure};

use crate::searcher;
use crate::thinker::Context;

/// The chance that alpha-beta with an evaluator is better than Monte-Carlo tree search, and what speaks for it. None
/// if nothing could be measured in time.
pub(super) fn guess(
    context: &Context,
    evaluator: &mut dyn Evaluator,
    deadline: &Deadline,
) -> Option<(f64, String)> {
    let relaxation = searcher::relaxation(context, deadline);
    let measuring =
        Measuring { seed: context.seed, deadline: deadline.clone(), ..Measuring::default() };
    let found = measure(&context.reasoner, relaxation.as_ref(), evaluator, &measuring);
    let features = found.ok()??;
    let chance = Model::known().chance(&features);
    Some((chance, in_words(&features, chance)))
}

fn in_words(features: &Features, chance: f64) -> String {
    let Features { traps, branching, length, change, merit } = features;
    format!(
        "alpha-beta is better with a chance of {chance:.2}: {traps:.2} of states with traps, {branching:.1} moves, \
         {length:.0} steps, evaluation changes by {change:.2}, correlation {merit:.2}"
    )
}
