//! Simulations per second of Monte-Carlo tree search, with playouts by the stepper and in lanes, on one
//! thread and on several: `cargo run --release -p search --example uct_speed -- SECONDS GAME...`
//!
//! CPU seconds are those of the whole process, so that a figure per CPU second says what sharing the graph
//! costs, whatever else the machine is doing; the last column is the speed-up on the wall clock.

use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use game::{Budget, Deadline, Game, Reasoner, Role};
use search::mcts::{Mcts, Options, Playouts};
use search::{Effort, Search};

const THREADS: [usize; 2] = [1, 2];

fn main() {
    let mut args = std::env::args().skip(1);
    let seconds: f64 = args.next().and_then(|s| s.parse().ok()).unwrap_or(1.0);
    let games: Vec<String> = args.collect();
    println!("game  playouts  threads  simulations/cpu-s  playouts/cpu-s  simulations/s  speed-up");
    for name in &games {
        let Some(entry) = library::find(name) else {
            println!("{name}: not in the library");
            continue;
        };
        let Ok(game) = Game::from_text(entry.rules) else { continue };
        let reasoner = Reasoner::build(&game, &Budget::default());
        for playouts in [Playouts::Stepper, Playouts::Lanes, Playouts::Auto] {
            let mut alone = 0.0;
            for threads in THREADS {
                let per_second = measure(name, &reasoner, playouts, threads, seconds, alone);
                if threads == 1 {
                    alone = per_second;
                }
            }
        }
    }
}

fn measure(
    name: &str,
    reasoner: &Reasoner,
    playouts: Playouts,
    threads: usize,
    seconds: f64,
    alone: f64,
) -> f64 {
    let options = Options { playouts, threads, memory: 1 << 30, ..Options::default() };
    let mut mcts = Mcts::new(reasoner, options);
    let Ok(initial) = mcts.initial() else { return 0.0 };
    let effort = Effort::until(Deadline::within(Duration::from_secs_f64(seconds)));
    let (cpu, wall) = (ProcessTime::now(), Instant::now());
    let _ = mcts.search(&initial, Role(0), &effort, &mut |_| ());
    let (cpu, wall) = (cpu.elapsed().as_secs_f64(), wall.elapsed().as_secs_f64());
    let totals = mcts.totals();
    let per_second = totals.simulations as f64 / wall;
    println!(
        "{name}  {playouts:?}{}  {threads}  {:.0}  {:.0}  {per_second:.0}  {:.2}",
        if totals.lanes { " (lanes)" } else { "" },
        totals.simulations as f64 / cpu,
        totals.playouts as f64 / cpu,
        if alone > 0.0 { per_second / alone } else { 1.0 },
    );
    per_second
}
