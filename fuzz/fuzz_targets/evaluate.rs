//! Reasoning is exact and bounded: the first byte decides which of two properties is tried.
//!
//! Even: the other bytes are a rule sheet, mostly nonsense. It is refused, or played for a few steps
//! under small limits; nothing panics or hangs, and the machine answers after an error.
//!
//! Odd: the other bytes are the choices of a generator of valid rule sheets, and of the play. The
//! interpreter answers as the naive reasoner does.

#![no_main]

use game::playout::{Random, playout};
use game::{Game, Limits, Machine};
use libfuzzer_sys::fuzz_target;
use testkit::agree::compare;
use testkit::choices::Choices;
use testkit::naive::Reasoner;
use testkit::programs::generate;

fuzz_target!(|bytes: &[u8]| {
    match bytes.split_first() {
        Some((first, rest)) if first % 2 == 1 => agrees(rest),
        Some((_, rest)) => survives(rest),
        None => {}
    }
});

fn survives(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (rules, problems) = gdl::parse(text, &gdl::Limits::default());
    if problems.iter().any(gdl::Diagnostic::is_error) {
        return;
    }
    let Ok(game) = Game::new(rules) else { return };
    let limits = Limits { max_steps: 200_000, max_facts: 200_000, ..Limits::default() };
    let mut machine = game.interpreter_with(limits);
    for seed in 0..2 {
        let Ok(initial) = machine.initial() else { continue };
        // An error is an answer; what matters is that the next question is answered too.
        let _ = playout(&mut machine, &initial, &mut Random::new(seed), 6);
        for role in game.role_ids() {
            let _ = machine.goal(&initial, role);
        }
    }
}

fn agrees(bytes: &[u8]) {
    let mut choices = Choices::new(bytes);
    let text = generate(&mut choices);
    let game = Game::from_text(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let naive = Reasoner::new(game.rules(), 100_000);
    if let Err(difference) = compare(&mut game.interpreter(), &naive, &mut choices, 4) {
        panic!("{difference}\n{text}");
    }
}
