//! What methods of planning that need nothing but the game reach alone:
//! `cargo run --release -p search --example methods -- SECONDS GAME...`, where a game is a name of the library or a file.

use std::time::{Duration, Instant};

use game::playout::Random;
use game::{Budget, Deadline, Game, Reasoner, State};
use search::planning::{
    Ended, Guide, Nesting, Planning, Score, Unknown, best_first, depth_first, layers,
    nested_monte_carlo, onward_rollouts, policy_adaptation,
};
use search::{Blind, Effort, Stop};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const METHODS: [&str; 7] =
    ["onward", "adaptation", "nested", "mobility", "restriction", "novelty", "depth"];
const LONGEST: u32 = 1000;
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
        for method in METHODS {
            let (best, spent, nodes) = measure(&reasoner, method, seconds);
            let reward = best.map_or("nothing".to_owned(), |best| best.to_string());
            let speed = nodes as f64 / spent.max(1e-9);
            println!("{name} {method}: {reward} after {spent:.2} s, {speed:.0} states a second");
        }
    }
}

/// The best reward, the seconds, and the states made.
fn measure(reasoner: &Reasoner, method: &str, seconds: f64) -> (Option<u8>, f64, u64) {
    let mut machine = reasoner.machine();
    let Ok(initial) = machine.initial() else { return (None, 0.0, 0) };
    let clock = game::clock_fluents(&mut *machine, &initial, 1).unwrap_or_default();
    let begin = Instant::now();
    let (mut best, mut nodes, mut width) = (None, 0, 32);
    let mut random = Random::new(1);
    while begin.elapsed().as_secs_f64() < seconds && best < Some(100) {
        let left = Duration::from_secs_f64(seconds).saturating_sub(begin.elapsed());
        let effort = Effort::until(Deadline::within(left));
        let mut planning = Planning::new(&mut *machine, &effort, 100, MEMORY);
        if method != "depth" {
            planning = planning.ignoring(clock.clone());
        }
        let ended = run(&mut planning, method, &initial, width, &mut random);
        nodes += planning.nodes();
        best = best.max(planning.best.map(|plan| plan.reward));
        width *= 2;
        if ended == Ok(Ended::Exhausted) || ended == Err(Stop::Memory) {
            break;
        }
    }
    (best, begin.elapsed().as_secs_f64(), nodes)
}

fn run(
    planning: &mut Planning<'_>,
    method: &str,
    state: &State,
    width: usize,
    random: &mut Random,
) -> Result<Ended, Stop> {
    match method {
        "onward" => onward_rollouts(planning, state, LONGEST, random),
        "adaptation" => policy_adaptation(planning, state, &Nesting::default(), random),
        "nested" => nested_monte_carlo(planning, state, 2, LONGEST, random),
        "mobility" => layers(planning, state, width, &mut Score::Mobility),
        "restriction" => layers(planning, state, width, &mut Score::Restriction),
        "novelty" => best_first(planning, state, &mut Guide::Novelty),
        _ => depth_first(planning, state, &mut Blind, &mut Unknown, LONGEST),
    }
}
