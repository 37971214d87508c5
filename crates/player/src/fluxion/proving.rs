//! Proofs in the start clock: what sampling only guessed about a game is proved, or refuted by a match, as far as a
//! small part of the clock allows. The class of the game decides about the search; input arguments and persistence go
//! to the analysis of structures, from which evaluators are made.

use std::time::Instant;

use game::{Deadline, Gates, Reasoner};
use prove::{Engines, Kind, Options, Property, Prover, Told, Vocabulary, candidates};
use search::GameClass;
use search::class::Fact;
use structure::{Sample, Settings};

/// The most gates of a circuit on which a few seconds can decide anything.
const MOST_GATES: usize = 200_000;
/// States of random play without a refutation before proofs are tried.
const PATIENCE: u64 = 100;

/// States of random play that are looked at for what may be worth proving.
const STATES: usize = 200;

/// What was proved.
#[derive(Debug)]
pub(super) struct Proven {
    /// About the class of the game.
    pub(super) facts: Vec<Fact>,
    /// About input arguments and persistence, for the analysis of structures; also what was refuted.
    pub(super) told: Told,
}

/// What is proved about a game by a deadline, and in words; none if nothing could be.
///
/// The constant sum that was sampled and whether moves come in turn are asked for, with the input arguments of all
/// fluents, persistence and mutual exclusion as companions, on the circuit alone: the solver stops in time there.
pub(super) fn proved(
    reasoner: &Reasoner,
    seed: u64,
    class: &GameClass,
    deadline: &Deadline,
) -> Option<(Proven, String)> {
    let small = |gates: &Gates| gates.circuit().graph.nodes().len() <= MOST_GATES;
    if !reasoner.gates().is_some_and(small) {
        return None;
    }
    let vocabulary = Vocabulary::new(reasoner.game());
    let (mut properties, facts) = asked(&vocabulary, class);
    properties.extend(candidates::input_arguments(&vocabulary));
    properties.extend(sampled(reasoner, &vocabulary, seed, deadline));
    let options = Options {
        deadline: deadline.clone(),
        engines: Engines::Sat,
        states: 2_000,
        seed,
        ..Options::default()
    };
    let mut prover = Prover::on(reasoner, properties, deadline);
    prover.play(&options, PATIENCE, &mut |_, _| ());
    prover.sat(deadline, seed, &mut |_, _| ());
    let mut found = Vec::new();
    let mut words = Vec::new();
    for ((fact, name), verdict) in facts.into_iter().zip(prover.verdicts()) {
        words.push(format!("{name} {}", verdict.word()));
        if verdict.is_proved() {
            found.push(fact);
        }
    }
    let told = Told(prover.findings());
    words.extend(in_words(&told));
    Some((Proven { facts: found, told }, words.join(", ")))
}

/// Persistence and mutual exclusion that random play suggests.
fn sampled(
    reasoner: &Reasoner,
    vocabulary: &Vocabulary,
    seed: u64,
    deadline: &Deadline,
) -> Vec<Property> {
    let time = deadline.left().unwrap_or_default() / 5;
    let settings = Settings { most_states: STATES, play_time: time, seed, ..Settings::default() };
    let mut machine = reasoner.machine();
    let part = deadline.not_after(Instant::now() + time);
    let sample = Sample::take(reasoner.game(), &mut *machine, &settings, &part, &mut Vec::new());
    candidates::companions(vocabulary, &sample)
}

/// Whether a claim is of some kind.
type IsKind = fn(&Kind) -> bool;

/// How many claims of each kind are proved.
fn in_words(told: &Told) -> Vec<String> {
    let kinds: [(&str, IsKind); 3] = [
        ("sets of input arguments", |kind| matches!(kind, Kind::Inputs { .. })),
        ("claims of persistence", |kind| matches!(kind, Kind::Persistent { .. })),
        ("exclusions", |kind| matches!(kind, Kind::Mutex { .. })),
    ];
    let mut words = Vec::new();
    for (name, is_kind) in kinds {
        let own = || told.0.iter().filter(|finding| is_kind(&finding.property.kind));
        let proved = own().filter(|finding| finding.verdict.is_proved()).count();
        if own().next().is_some() {
            words.push(format!("{proved} of {} {name} proved", own().count()));
        }
    }
    words
}

/// The properties that say what was sampled, and the facts they would be.
fn asked(vocabulary: &Vocabulary, class: &GameClass) -> (Vec<Property>, Vec<(Fact, &'static str)>) {
    let mut properties = Vec::new();
    let mut facts = Vec::new();
    if class.is_single_player() {
        return (properties, facts);
    }
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
    use structure::Prover as _;

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
        let (found, words) = proved(&reasoner, 1, &class, &deadline).expect("a circuit");
        assert!(words.starts_with("constant sum proved, moves in turn proved"), "{words}");
        for fact in found.facts {
            class.learn(fact);
        }
        // The board and who is in control; a mark stays.
        let mut told = found.told;
        let cell = structure::Functor::of(&game.universe().parse("(cell a 1 x)").expect("a term"));
        assert_eq!(told.inputs(cell, &[0, 1]), structure::Verdict::Proved);
        assert_eq!(told.inputs(cell, &[0]), structure::Verdict::Refuted);
        let mark = game.universe().parse("(cell a 1 x)").expect("a term");
        assert_eq!(told.persistent(&mark, true), structure::Verdict::Proved);
        assert_eq!(told.persistent(&mark, false), structure::Verdict::Unknown);
        assert!(class.constant_sum.is_proved() && class.turn_taking.is_proved());
        // What is not so is not proved.
        class.learn(Fact::ConstantSum(Some(50)));
        let (found, words) = proved(&reasoner, 1, &class, &deadline).expect("a circuit");
        assert!(words.starts_with("constant sum refuted, moves in turn proved"), "{words}");
        assert_eq!(found.facts, [Fact::TurnTaking(true)]);
    }

    #[test]
    fn proofs_end_with_the_clock() {
        let entry = library::find("othello").expect("a game of the library");
        let game = Game::from_text(entry.rules).expect("sound");
        let reasoner = Reasoner::build(&game, &Budget::default());
        let mut class = GameClass::unknown(2);
        class.learn(Fact::ConstantSum(Some(100)));
        let deadline = Deadline::within(Duration::from_millis(50));
        let (found, words) = proved(&reasoner, 1, &class, &deadline).expect("a circuit");
        assert!(found.facts.is_empty() && words.starts_with("constant sum unknown"), "{words}");
        assert!(deadline.passed());
    }
}
