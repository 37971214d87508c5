//! Shows how well the predictor does on each game when it is made from the others; measures more games, and shows
//! what it says about them:
//! `cargo run --release -p relax --example predict -- breakthrough connect_four`.

use std::time::Duration;

use game::{Budget, Deadline, Game, Reasoner};
use relax::Relaxation;
use relax::predict::{Measuring, Model, Played, known_games, leave_one_out, measure};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = Model::known();
    println!("weights of traps, branching, length, change: {:?}", model.weights());
    let (names, games): (Vec<&str>, Vec<Played>) = known_games().unzip();
    let mut right = 0;
    for ((name, (_, result)), chance) in names.iter().zip(&games).zip(leave_one_out(&games)) {
        let fits = (chance >= 0.5) == (*result > 0.0);
        right += u32::from(fits);
        let word = if fits { "right" } else { "wrong" };
        println!("{name}: chance of heuristic search {chance:.2}, result {result:.2}: {word}");
    }
    println!("{right} of {} right on games left out", games.len());
    for name in std::env::args().skip(1) {
        let sheet = library::find(&name).ok_or("no such game in the library")?;
        let game = Game::from_text(sheet.rules)?;
        let reasoner = Reasoner::build(&game, &Budget::default());
        let deadline = Deadline::within(Duration::from_secs(60));
        let Some(shared) = Relaxation::of(&reasoner, &deadline) else {
            println!("{name}: no relaxation");
            continue;
        };
        let measuring = Measuring { deadline, ..Measuring::default() };
        match measure(&reasoner, &shared, &measuring)? {
            Some(found) => {
                let (choice, chance) = model.choose(&found);
                println!(
                    "{name}: game({:.3}, {:.2}, {:.1}, {:.3}) {choice:?} {chance:.2}",
                    found.traps, found.branching, found.length, found.change
                );
            }
            None => println!("{name}: nothing to measure"),
        }
    }
    Ok(())
}
