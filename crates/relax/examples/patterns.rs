//! What pattern databases are made of games of one role, and what the beam on them reaches:
//! `cargo run --release -p relax --example patterns -- SECONDS GAME...`, where a game is a name of the library or a file.

use std::time::{Duration, Instant};

use game::{Budget, Deadline, Foreseen, Foresight, Game, Gates, Machine, Reasoner, Role};
use relax::{PatternBeam, Patterns};

const MEMORY: usize = 1 << 30;

fn main() {
    let mut args = std::env::args().skip(1);
    let seconds: f64 = args.next().and_then(|s| s.parse().ok()).unwrap_or(1.0);
    for name in args {
        let text = match library::find(&name) {
            Some(entry) => entry.rules.to_owned(),
            None => std::fs::read_to_string(&name).unwrap_or_default(),
        };
        let Ok(game) = Game::from_text(&text) else {
            println!("{name}: not a game");
            continue;
        };
        let reasoner = Reasoner::build(&game, &Budget::default());
        let told = reasoner.gates().and_then(|gates| tell(gates, seconds));
        println!("{name}: {}", told.unwrap_or_else(|| "no patterns".to_owned()));
    }
}

fn tell(gates: &Gates, seconds: f64) -> Option<String> {
    let begin = Instant::now();
    let deadline = Deadline::within(Duration::from_secs_f64(seconds));
    let patterns = Patterns::of(gates, MEMORY, &deadline)?;
    let (count, states) = patterns.size();
    let made = begin.elapsed().as_secs_f64();
    let top = gates.largest_reward(Role(0)).0;
    let initial = gates.machine().initial().ok()?;
    let mut beam = PatternBeam::new(&patterns, gates, 1);
    let found = match beam.look(&initial, top, 1, &deadline) {
        Foreseen::Way(way) => format!("{top} points by {} moves", way.len()),
        _ => format!("no way to {top} points"),
    };
    let spent = begin.elapsed().as_secs_f64();
    Some(format!("{count} patterns of {states} states in {made:.2} s; {found} after {spent:.2} s"))
}
