//! Shows how well the predictor does on each game when it is made from the others; measures more games, and shows
//! what it says about them:
//! `cargo run --release -p relax --example predict -- breakthrough connect_four`.

use std::time::{Duration, Instant};

use game::{Budget, Deadline, Evaluator, Game, Reasoner};
use relax::predict::{Measuring, Model, judge, known_games, leave_out, measure};
use relax::{Heuristic, Relaxation, Relaxed};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = Model::known();
    println!("weights {:?}", model.weights());
    let games = known_games();
    let chances =
        leave_out(games, &model.weights().iter().map(|(input, _)| *input).collect::<Vec<_>>());
    for (game, chance) in games.iter().zip(&chances) {
        println!(
            "{}: chance of heuristic search {chance:.2}, result {:.2}",
            game.name, game.result
        );
    }
    println!("{:?} of {} games, their families left out", judge(games, &chances), games.len());
    for name in std::env::args().skip(1) {
        let sheet = library::find(&name).ok_or("no such game in the library")?;
        let game = Game::from_text(sheet.rules)?;
        let reasoner = Reasoner::build(&game, &Budget::default());
        let deadline = Deadline::within(Duration::from_secs(60));
        let Some(shared) = Relaxation::of(&reasoner, &deadline) else {
            println!("{name}: no relaxation");
            continue;
        };
        let measuring = Measuring { deadline: deadline.clone(), ..Measuring::default() };
        let mut evaluators: Vec<(&str, Box<dyn Evaluator>)> =
            vec![("h1", Box::new(Relaxed::new(&shared, Heuristic::H1)))];
        let options = evaluate::Options::default();
        let distance = evaluate::Method::Distance.build(&reasoner, &options, &deadline);
        evaluators.extend(distance.map(|found| {
            let evaluator: Box<dyn Evaluator> = Box::new(found.evaluator());
            ("distance", evaluator)
        }));
        for (evaluator, mut values) in evaluators {
            let begin = Instant::now();
            match measure(&reasoner, Some(&shared), &mut *values, &measuring)? {
                Some(found) => println!(
                    "{name} {evaluator} game({:.3}, {:.2}, {:.1}, {:.3}, {:.3}) {:.1} s",
                    found.traps,
                    found.branching,
                    found.length,
                    found.change,
                    found.merit,
                    begin.elapsed().as_secs_f64()
                ),
                None => println!("{name}: nothing to measure"),
            }
        }
    }
    Ok(())
}
