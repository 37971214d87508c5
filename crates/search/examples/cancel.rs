//! How soon searches come back when they are told to stop, over the games named (default: ten of the library):
//! `cargo run --release -p search --example cancel -- [TRIALS] [GAME ...]`
//!
//! The flag is set after 20 to 120 ms. CPU milliseconds of the process from there to the report are independent of
//! what else the machine does; the last column is the wall clock. Asked for: 5 ms.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use evaluate::Evaluation;
use game::{Budget, Deadline, Evaluator, Game, Reasoner, Role};
use search::class::{Sampling, sample};
use search::deepening::{self, Deepening};
use search::mcts::{self, Mcts, Playouts};
use search::planning::{Planner, PlannerOptions};
use search::{Blind, Effort, Search};

const GAMES: [&str; 10] = [
    "connect_four",
    "breakthrough",
    "checkers",
    "othello",
    "chess",
    "amazons_8x8",
    "gomoku_15x15",
    "tron",
    "chinese_checkers_6",
    "fifteen_puzzle",
];

fn main() {
    let mut arguments = std::env::args().skip(1);
    let trials: u64 = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(10);
    let named: Vec<String> = arguments.collect();
    let games: Vec<&str> =
        if named.is_empty() { GAMES.to_vec() } else { named.iter().map(String::as_str).collect() };
    println!("| game | search | trials | median CPU ms | most CPU ms | most ms on the clock |");
    println!("|---|---|---|---|---|---|");
    for name in games {
        let Some(game) = library::find(name).and_then(|e| Game::from_text(e.rules).ok()) else {
            eprintln!("{name} is not a game of the library");
            continue;
        };
        let reasoner = Reasoner::build(&game, &Budget::default());
        for (method, mut search) in searches(&reasoner) {
            let mut spent = Vec::new();
            for trial in 0..trials {
                spent.extend(after_the_flag(&reasoner, &mut *search, 20 + trial * 37 % 100));
                search.forget();
            }
            spent.sort_by(|a, b| a.0.total_cmp(&b.0));
            let (Some(middle), Some(most)) = (spent.get(spent.len() / 2), spent.last()) else {
                println!("| {name} | {method} | always done before | | | |");
                continue;
            };
            let clock = spent.iter().map(|(_, wall)| *wall).fold(0.0, f64::max);
            println!(
                "| {name} | {method} | {} | {:.2} | {:.2} | {clock:.1} |",
                spent.len(),
                middle.0,
                most.0
            );
        }
    }
}

fn searches(reasoner: &Reasoner) -> Vec<(&'static str, Box<dyn Search>)> {
    let mut machine = reasoner.machine();
    let mut all: Vec<(&'static str, Box<dyn Search>)> = Vec::new();
    if let Ok((class, _)) = sample(&mut *machine, &Sampling::default()) {
        let evaluator: Box<dyn Evaluator> = match reasoner.gates() {
            Some(gates) => {
                let options = evaluate::Options::default();
                let deadline = Deadline::within(Duration::from_secs(20));
                let game = reasoner.game();
                Box::new(Evaluation::ground(game, gates.program(), &options, &deadline).evaluator())
            }
            None => Box::new(Blind),
        };
        let options = deepening::Options::default();
        all.push(("heuristic", Box::new(Deepening::new(machine, evaluator, class, &options))));
    }
    for (name, playouts) in [("uct, steps", Playouts::Stepper), ("uct, lanes", Playouts::Lanes)] {
        let options = mcts::Options { playouts, memory: 1 << 28, ..mcts::Options::default() };
        all.push((name, Box::new(Mcts::new(reasoner, options))));
    }
    if reasoner.game().roles().len() == 1 {
        let planner = Planner::new(reasoner.machine(), PlannerOptions::default());
        all.push(("planning", Box::new(planner)));
    }
    all
}

/// CPU milliseconds and milliseconds from the flag to the report; none if the search was done before.
fn after_the_flag(
    reasoner: &Reasoner,
    search: &mut dyn Search,
    milliseconds: u64,
) -> Option<(f64, f64)> {
    let initial = reasoner.machine().initial().ok()?;
    let flag = Arc::new(AtomicBool::new(false));
    let effort = Effort::until(Deadline::never().or_when(flag.clone()));
    std::thread::scope(|scope| {
        let searching = scope.spawn(move || {
            let _ = search.search(&initial, Role(0), &effort, &mut |_| ());
        });
        std::thread::sleep(Duration::from_millis(milliseconds));
        if searching.is_finished() {
            return None;
        }
        let (cpu, wall) = (ProcessTime::now(), Instant::now());
        flag.store(true, Ordering::Relaxed);
        let _ = searching.join();
        Some((cpu.elapsed().as_secs_f64() * 1e3, wall.elapsed().as_secs_f64() * 1e3))
    })
}
