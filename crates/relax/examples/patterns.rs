//! What pattern databases make of games of one role: `cargo run --release -p relax --example patterns -- SECONDS GAME...`.

use std::time::{Duration, Instant};

use game::{Budget, Deadline, Foresight, Game, Machine, Reasoner};
use relax::{PatternBeam, Patterns};

fn main() {
    let mut args = std::env::args().skip(1);
    let seconds: f64 = args.next().and_then(|s| s.parse().ok()).unwrap_or(1.0);
    for name in args {
        let text = match library::find(&name) {
            Some(entry) => entry.rules.to_owned(),
            None => std::fs::read_to_string(&name).unwrap_or_default(),
        };
        let Ok(game) = Game::from_text(&text) else { continue };
        let reasoner = Reasoner::build(&game, &Budget::default());
        let Some(gates) = reasoner.gates() else { continue };
        let begin = Instant::now();
        let deadline = Deadline::within(Duration::from_secs_f64(seconds));
        let Some(patterns) = Patterns::of(gates, &deadline) else {
            println!("{name}: no patterns ({:.2} s)", begin.elapsed().as_secs_f64());
            continue;
        };
        println!("{name}: {:?} ({:.2} s)", patterns.size(), begin.elapsed().as_secs_f64());
        let mut beam = PatternBeam::new(&patterns, gates, 1);
        let Ok(initial) = gates.machine().initial() else { continue };
        let mut least = 1;
        while least <= 100 && begin.elapsed().as_secs_f64() < seconds {
            let found = beam.look(&initial, least, 1, &deadline);
            if let game::Foreseen::Way(way) = found {
                println!(
                    "  {least} by {} moves at {:.2} s",
                    way.len(),
                    begin.elapsed().as_secs_f64()
                );
                least += 5;
            }
        }
    }
}
