//! The interpreter answers as the naive reasoner does: on random rule sheets, and on the games of the
//! library that are small enough for it.

use std::time::{Duration, Instant};

use game::{Budget, CircuitMachine, Game, Limits, playout::Random};
use proptest::prelude::*;
use testkit::agree::{Compared, compare};
use testkit::choices::Choices;
use testkit::naive::Reasoner;
use testkit::programs::generate;

/// Attempts to match after which the naive reasoner gives up on a question.
const PATIENCE: u64 = 400_000;

/// Generates a rule sheet from the bytes and compares along play that the remaining bytes choose.
fn check(bytes: &[u8]) -> Result<Compared, String> {
    let mut choices = Choices::new(bytes);
    let text = generate(&mut choices);
    let game = Game::from_text(&text).map_err(|error| format!("{error:?}\n{text}"))?;
    let mut machine = game.interpreter_with(Limits { max_steps: 50_000_000, ..Limits::default() });
    let naive = Reasoner::new(game.rules(), PATIENCE);
    compare(&mut machine, &naive, &mut choices, 5)
        .map_err(|difference| format!("{difference}\n{text}"))
}

/// The same with the machine on the circuit, where the rules become one.
fn check_circuit(bytes: &[u8]) -> Result<bool, String> {
    let mut choices = Choices::new(bytes);
    let text = generate(&mut choices);
    let game = Game::from_text(&text).map_err(|error| format!("{error:?}\n{text}"))?;
    let deadline = Some(Instant::now() + Duration::from_secs(2));
    let budget = Budget { deadline, max_bytes: 64 << 20, ..Budget::default() };
    let Ok(mut machine) = CircuitMachine::new(&game, &budget) else { return Ok(false) };
    let naive = Reasoner::new(game.rules(), PATIENCE);
    compare(&mut machine, &naive, &mut choices, 5)
        .map_err(|difference| format!("{difference}\n{text}"))?;
    Ok(true)
}

#[test]
fn most_random_rule_sheets_become_circuits() {
    let circuits = (0..200).filter(|seed| check_circuit(&noise(*seed, 1500)) == Ok(true)).count();
    assert!(circuits > 150, "only {circuits} of 200");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn random_rule_sheets_mean_the_same_on_circuits(bytes in prop::collection::vec(any::<u8>(), 0..1500)) {
        check_circuit(&bytes).map_err(TestCaseError::fail)?;
    }

    #[test]
    fn random_rule_sheets_mean_the_same_to_both(bytes in prop::collection::vec(any::<u8>(), 0..1500)) {
        check(&bytes).map_err(TestCaseError::fail)?;
    }
}

fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut random = Random::new(seed);
    (0..length).map(|_| random.below(256) as u8).collect()
}

#[test]
fn random_rule_sheets_are_worth_comparing() {
    let all: Vec<Compared> = (0..200).filter_map(|seed| check(&noise(seed, 1500)).ok()).collect();
    assert_eq!(all.len(), 200, "every generated sheet is valid and agrees");
    let states: usize = all.iter().map(|compared| compared.states).sum();
    let choices: usize = all.iter().map(|compared| compared.choices).sum();
    let gave_up = all.iter().filter(|compared| compared.gave_up).count();
    assert!(states > 1000, "only {states} states");
    assert!(choices > states / 2, "a choice in only {choices} of {states} states");
    assert!(gave_up < 10, "the naive reasoner gave up {gave_up} times");
}

/// Games whose relations are small; the others would take the naive reasoner minutes.
const SMALL_GAMES: &[(&str, usize)] = &[
    ("battle_of_sexes", 3),
    ("blocks_world", 3),
    ("centipede", 8),
    ("chicken", 3),
    ("coordination_3p", 3),
    ("matching_pennies", 3),
    ("math_takeaway", 5),
    ("prisoners_dilemma_iterated", 4),
    ("rock_paper_scissors", 3),
    ("stag_hunt", 3),
    ("tictactoe", 9),
    ("tictactoe_suicide", 9),
    ("ultimatum", 3),
];

#[test]
fn small_games_of_the_library_mean_the_same_to_both() {
    for (index, (name, steps)) in SMALL_GAMES.iter().enumerate() {
        let rules = library::find(name).unwrap_or_else(|| panic!("{name} is in the library")).rules;
        let game = Game::from_text(rules).unwrap_or_else(|error| panic!("{name}: {error}"));
        let naive = Reasoner::new(game.rules(), 100_000_000);
        let bytes = noise(index as u64, 100);
        let compared = compare(&mut game.interpreter(), &naive, &mut Choices::new(&bytes), *steps)
            .unwrap_or_else(|difference| panic!("{name}: {difference}"));
        assert!(!compared.gave_up && compared.states > 1, "{name}: {compared:?}");
    }
}
