//! Proofs in the start clock: what sampling only guessed about the class of a game is proved, or refuted by a match, as
//! far as a small part of the clock allows.

use game::{Deadline, Gates, Reasoner};
use prove::{Engines, Options, Property, Prover, Vocabulary, candidates};
use search::GameClass;
use search::class::Fact;

/// The most gates of a circuit on which a few seconds can decide anything.
const MOST_GATES: usize = 200_000;
/// States of random play without a refutation before proofs are tried.
const PATIENCE: u64 = 100;

/// What is proved about the class of a game by a deadline, and in words; none if nothing could be.
///
/// The constant sum that was sampled and whether moves come in turn are asked for, with the input arguments of all
/// fluents as companions, on the circuit alone: the solver stops in time there.
pub(super) fn proved(
    reasoner: &Reasoner,
    seed: u64,
    class: &GameClass,
    deadline: &Deadline,
) -> Option<(Vec<Fact>, String)> {
    let small = |gates: &Gates| gates.circuit().graph.nodes().len() <= MOST_GATES;
    if class.roles < 2 || !reasoner.gates().is_some_and(small) {
        return None;
    }
    let vocabulary = Vocabulary::new(reasoner.game());
    let (properties, facts) = asked(&vocabulary, class);
    let count = properties.len();
    let properties = properties.into_iter().chain(candidates::input_arguments(&vocabulary));
    let options = Options {
        deadline: deadline.clone(),
        engines: Engines::Sat,
        states: 2_000,
        seed,
        ..Options::default()
    };
    let mut prover = Prover::on(reasoner, properties.collect(), deadline);
    prover.play(&options, PATIENCE, &mut |_, _| ());
    prover.sat(deadline, seed, &mut |_, _| ());
    let mut found = Vec::new();
    let mut words = Vec::new();
    for ((fact, name), verdict) in facts.into_iter().zip(&prover.verdicts()[..count]) {
        words.push(format!("{name} {}", verdict.word()));
        if verdict.is_proved() {
            found.push(fact);
        }
    }
    Some((found, words.join(", ")))
}

/// The properties that say what was sampled, and the facts they would be.
fn asked(vocabulary: &Vocabulary, class: &GameClass) -> (Vec<Property>, Vec<(Fact, &'static str)>) {
    let mut properties = Vec::new();
    let mut facts = Vec::new();
    if let Some(sum) = class.constant_sum.value {
        properties.push(candidates::sum_is(vocabulary, sum));
        facts.push((Fact::ConstantSum(Some(sum)), "constant sum"));
    }
    if class.turn_taking.value {
        properties.push(candidates::turn_taking());
        facts.push((Fact::TurnTaking(true), "moves in turn"));
    }
    (properties, facts)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use game::{Budget, Game};
    use search::class::{self, Sampling};

    use super::*;

    #[test]
    fn what_was_sampled_is_proved_in_the_start_clock() {
        let entry = library::find("tictactoe").expect("a game of the library");
        let game = Game::from_text(entry.rules).expect("sound");
        let reasoner = Reasoner::build(&game, &Budget::default());
        let (mut class, _) =
            class::sample(&mut *reasoner.machine(), &Sampling::default()).expect("small");
        assert!(!class.constant_sum.is_proved());
        let deadline = Deadline::within(Duration::from_secs(60));
        let (facts, words) = proved(&reasoner, 1, &class, &deadline).expect("a circuit");
        assert_eq!(words, "constant sum proved, moves in turn proved");
        for fact in facts {
            class.learn(fact);
        }
        assert!(class.constant_sum.is_proved() && class.turn_taking.is_proved());
        // What is not so is not proved.
        class.learn(Fact::ConstantSum(Some(50)));
        let (facts, words) = proved(&reasoner, 1, &class, &deadline).expect("a circuit");
        assert_eq!(words, "constant sum refuted, moves in turn proved");
        assert_eq!(facts, [Fact::TurnTaking(true)]);
    }

    #[test]
    fn proofs_end_with_the_clock() {
        let entry = library::find("othello").expect("a game of the library");
        let game = Game::from_text(entry.rules).expect("sound");
        let reasoner = Reasoner::build(&game, &Budget::default());
        let mut class = GameClass::unknown(2);
        class.learn(Fact::ConstantSum(Some(100)));
        let deadline = Deadline::within(Duration::from_millis(50));
        let (facts, words) = proved(&reasoner, 1, &class, &deadline).expect("a circuit");
        assert_eq!((facts, words.as_str()), (Vec::new(), "constant sum unknown"));
        assert!(deadline.passed());
    }
}
