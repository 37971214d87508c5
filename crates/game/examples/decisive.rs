//! What playouts cost that win at once and do not let others do so: `cargo run --release -p game --example decisive -- GAME...`.
//!
//! For each game the operations of a step without and with that, the playouts in a second of either kind in turn, and how many moves they have.

use std::time::{Duration, Instant};

use game::{Budget, Game, Gates};

fn main() {
    println!(
        "game  operations  decisive  playouts/s  decisive  ratio  moves of a playout  decisive"
    );
    for name in std::env::args().skip(1) {
        let text = match library::find(&name) {
            Some(entry) => entry.rules.to_owned(),
            None => match std::fs::read_to_string(&name) {
                Ok(text) => text,
                Err(error) => {
                    println!("{name}: not in the library, and not a file: {error}");
                    continue;
                }
            },
        };
        let Ok(game) = Game::from_text(&text) else {
            println!("{name}: not a valid game");
            continue;
        };
        let Ok(gates) = Gates::build(&game, &Budget::default()) else {
            println!("{name}: no circuit");
            continue;
        };
        let begin = Instant::now();
        let mut batches = [gates.batch(1), gates.decisive_batch(1)];
        let made = begin.elapsed();
        let (mut playouts, mut steps) = ([0_u64; 2], [0_u64; 2]);
        for _ in 0..10 {
            for (at, batch) in batches.iter_mut().enumerate() {
                let begin = Instant::now();
                while begin.elapsed() < Duration::from_millis(30) {
                    let tally = batch.play(20);
                    playouts[at] += tally.playouts;
                    steps[at] += tally.transitions;
                }
            }
        }
        let operations = batches.each_ref().map(|batch| {
            let (state, next, _) = batch.operations();
            state + next
        });
        let length = |at: usize| steps[at] as f64 / playouts[at].max(1) as f64;
        let name = name.rsplit('/').next().unwrap_or(&name);
        println!(
            "{name}  {}  {}  {:.0}  {:.0}  {:.2}  {:.1}  {:.1}  made in {made:.1?}",
            operations[0],
            operations[1],
            playouts[0] as f64 / 0.3,
            playouts[1] as f64 / 0.3,
            playouts[1] as f64 / playouts[0].max(1) as f64,
            length(0),
            length(1),
        );
    }
}
