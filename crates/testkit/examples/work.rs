//! A fixed amount of random play on one machine, for counting instructions (`scripts/count-instructions`).
//!
//! usage: work MACHINE TRANSITIONS GAME...   where MACHINE is interpreter, stepper, machine or lanes and GAME is a game of
//! the library or a file; prints the transitions made and the CPU time for each game.

use std::process::ExitCode;

use cpu_time::ThreadTime;
use game::playout::{Random, playout};
use game::{Budget, Game, Gates, Machine, Playouts};

/// Plays at least that many transitions and tells how many.
fn play(machine: &str, game: &Game, wanted: u64) -> Result<(u64, f64), Box<dyn std::error::Error>> {
    let mut random = Random::new(1);
    let mut done = 0;
    let gates = || Gates::build(game, &Budget::default());
    let begin;
    match machine {
        "interpreter" => {
            let mut machine = game.interpreter();
            let initial = machine.initial()?;
            begin = ThreadTime::now();
            while done < wanted {
                done +=
                    playout(&mut machine, &initial, &mut random, 1000)?.moves.len().max(1) as u64;
            }
        }
        "machine" => {
            let mut machine = gates()?.machine();
            let initial = machine.initial()?;
            begin = ThreadTime::now();
            while done < wanted {
                done +=
                    playout(&mut machine, &initial, &mut random, 1000)?.moves.len().max(1) as u64;
            }
        }
        "stepper" => {
            let mut machine = gates()?.machine();
            let initial = machine.initial()?;
            begin = ThreadTime::now();
            while done < wanted {
                let outcome = machine.random_playout(&initial, &mut random, 1000)?;
                done += u64::from(outcome.length.max(1));
            }
        }
        _ => {
            let mut batch = gates()?.batch(1);
            begin = ThreadTime::now();
            while done < wanted {
                done += batch.play(1).transitions.max(1);
            }
        }
    }
    Ok((done, begin.elapsed().as_secs_f64()))
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [machine, wanted, games @ ..] = &args[..] else {
        eprintln!("usage: work MACHINE TRANSITIONS GAME...");
        return ExitCode::FAILURE;
    };
    for name in games {
        let text = match library::find(name) {
            Some(entry) => entry.rules.to_owned(),
            None => std::fs::read_to_string(name).unwrap_or_default(),
        };
        let wanted = wanted.parse().unwrap_or(1000);
        let result = Game::from_text(&text).map_err(Into::into);
        match result.and_then(|game| play(machine, &game, wanted)) {
            Ok((done, seconds)) => println!("{name} {machine} {done} {seconds:.6}"),
            Err(error) => println!("{name} {machine} {error}"),
        }
    }
    ExitCode::SUCCESS
}
