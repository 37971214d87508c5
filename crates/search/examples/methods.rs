//! What each method of planning reaches alone: `cargo run --release -p search --example methods -- SECONDS GAME...`, where a game
//! is a name of the library or a file.

use std::time::{Duration, Instant};

use game::playout::Random;
use game::{Budget, Deadline, Game, Reasoner};
use search::planning::{
    Guide, Nesting, Planning, Score, Unknown, best_first, depth_first, layers, nested_monte_carlo,
    onward_rollouts, policy_adaptation,
};
use search::{Blind, Effort};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const METHODS: [&str; 9] =
    ["onward", "nrpa", "nrpa2", "nested", "mobility", "restriction", "novelty", "depth", "nrpa4"];

fn main() {
    let mut args = std::env::args().skip(1);
    let seconds: f64 = args.next().and_then(|s| s.parse().ok()).unwrap_or(1.0);
    let wanted = std::env::var("METHODS").unwrap_or_default();
    for name in args {
        let text = match library::find(&name) {
            Some(entry) => entry.rules.to_owned(),
            None => std::fs::read_to_string(&name).unwrap_or_default(),
        };
        let Ok(game) = Game::from_text(&text) else { continue };
        let reasoner = Reasoner::build(&game, &Budget::default());
        let mut machine = reasoner.machine();
        let Ok(initial) = machine.initial() else { continue };
        let clock = game::clock_fluents(&mut *machine, &initial, 1).unwrap_or_default();
        for method in
            METHODS.iter().filter(|m| wanted.is_empty() || wanted.split(',').any(|w| w == **m))
        {
            let begin = Instant::now();
            let end = begin + Duration::from_secs_f64(seconds);
            let mut best = None;
            let mut nodes = 0;
            let mut random = Random::new(1);
            let mut width = 32;
            while Instant::now() < end && best < Some(100) {
                let effort = Effort::until(Deadline::within(end - Instant::now()));
                let mut planning = Planning::new(&mut *machine, &effort, 100, 1 << 30);
                if *method != "depth" {
                    planning = planning.ignoring(clock.clone());
                }
                let ended = match *method {
                    "nrpa" => {
                        policy_adaptation(&mut planning, &initial, &Nesting::default(), &mut random)
                    }
                    "nrpa2" => policy_adaptation(
                        &mut planning,
                        &initial,
                        &Nesting { level: 2, repetitions: 100, ..Nesting::default() },
                        &mut random,
                    ),
                    "nrpa4" => policy_adaptation(
                        &mut planning,
                        &initial,
                        &Nesting { level: 4, ..Nesting::default() },
                        &mut random,
                    ),
                    "nested" => nested_monte_carlo(&mut planning, &initial, 2, 1000, &mut random),
                    "mobility" => layers(&mut planning, &initial, width, &mut Score::Mobility),
                    "restriction" => {
                        layers(&mut planning, &initial, width, &mut Score::Restriction)
                    }
                    "onward" => onward_rollouts(&mut planning, &initial, 1000, &mut random),
                    "novelty" => best_first(&mut planning, &initial, &mut Guide::Novelty),
                    _ => depth_first(&mut planning, &initial, &mut Blind, &mut Unknown, 1000),
                };
                nodes += planning.nodes();
                width *= 2;
                let reward = planning.best.map(|plan| plan.reward);
                if reward > best {
                    best = reward;
                    println!(
                        "{name} {method}: {best:?} at {:.2} s, {nodes} nodes, {ended:?}, width {width}",
                        begin.elapsed().as_secs_f64()
                    );
                }
            }
            println!(
                "{name} {method}: {best:?} after {:.2} s, {:.0} nodes/s",
                begin.elapsed().as_secs_f64(),
                nodes as f64 / begin.elapsed().as_secs_f64()
            );
        }
    }
}
