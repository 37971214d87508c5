//! Simulations per second of Monte-Carlo tree search, with playouts by the stepper and in lanes, on one
//! thread and on two: `cargo run --release -p search --example uct_speed -- SECONDS REPEATS [--by=KIND] GAME...`, where
//! the kind of playouts is `stepper`, `lanes` or `auto`; all of them if it is not given. `--guide=G`, `--conditions=off`, `--history=V`
//! and `--decisive` switch on what their options do, `--single` leaves out two threads.
//!
//! CPU seconds are those of the whole process, so that a figure per CPU second says what sharing the graph
//! costs, whatever else the machine is doing; the first speed-up is that on the wall clock, the second what it would be if
//! each thread had a processor for itself, by CPU seconds. Searches on one thread and on two
//! take turns, and each figure is the (upper) median; "2 searches" are two at the same time that share nothing, which is what
//! the machine allows. The allocator is that of the player.

use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use game::{Budget, Deadline, Game, Reasoner, Role};
use search::mcts::{Decisive, Mcts, Options, Playouts};
use search::{Effort, Search};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The kinds of playouts.
const KINDS: [(&str, Playouts); 3] =
    [("stepper", Playouts::Stepper), ("lanes", Playouts::Lanes), ("auto", Playouts::Auto)];

fn main() {
    let mut args = std::env::args().skip(1);
    let seconds: f64 = args.next().and_then(|s| s.parse().ok()).unwrap_or(1.0);
    let repeats: usize = args.next().and_then(|s| s.parse().ok()).unwrap_or(1);
    let (options, names): (Vec<String>, Vec<String>) = args.partition(|arg| arg.starts_with("--"));
    let wanted = options.iter().find_map(|option| option.strip_prefix("--by="));
    let kinds: Vec<(&str, Playouts)> =
        KINDS.into_iter().filter(|(kind, _)| wanted.is_none_or(|wanted| wanted == *kind)).collect();
    println!(
        "game  playouts  what  simulations/cpu-s  playouts/cpu-s  simulations/s  speed-up  by CPU"
    );
    for name in names {
        let rules = library::find(&name).map(|entry| entry.rules.to_string());
        let Some(rules) = rules.or_else(|| std::fs::read_to_string(&name).ok()) else {
            println!("{name}: neither in the library nor a file");
            continue;
        };
        let Ok(game) = Game::from_text(&rules) else { continue };
        let reasoner = Reasoner::build(&game, &Budget::default());
        for (kind, playouts) in &kinds {
            let chosen = chosen(&options, *playouts);
            let mut speeds: [Vec<Speed>; 3] = Default::default();
            for _ in 0..repeats.max(1) {
                speeds[0].extend(measure(&reasoner, &chosen, 1, seconds));
                if options.iter().all(|option| option != "--single") {
                    speeds[1].extend(measure(&reasoner, &chosen, 2, seconds));
                    speeds[2].extend(apart(&reasoner, &chosen, seconds));
                }
            }
            let whats = [("1 thread", 1.0), ("2 threads", 2.0), ("2 searches", 2.0)];
            for ((what, threads), all) in whats.into_iter().zip(&speeds) {
                if all.is_empty() {
                    continue;
                }
                let lanes = if all.iter().any(|speed| speed.lanes) { " (lanes)" } else { "" };
                let gains =
                    all.iter().zip(&speeds[0]).map(|(s, one)| s.per_second / one.per_second);
                let gains: Vec<f64> = sorted(gains);
                let by_cpu = all.iter().zip(&speeds[0]).map(|(s, one)| s.per_cpu / one.per_cpu);
                let texts: Vec<String> = gains.iter().map(|gain| format!("{gain:.2}")).collect();
                println!(
                    "{name}  {kind}{lanes}  {what}  {:.0}  {:.0}  {:.0}  {:.2} ({})  {:.2}",
                    median(&sorted(all.iter().map(|speed| speed.per_cpu))),
                    median(&sorted(all.iter().map(|speed| speed.playouts))),
                    median(&sorted(all.iter().map(|speed| speed.per_second))),
                    median(&gains),
                    texts.join(", "),
                    threads * median(&sorted(by_cpu)),
                );
            }
        }
    }
}

/// What the arguments ask for.
fn chosen(options: &[String], playouts: Playouts) -> Options {
    let number = |name: &str| {
        let value = options.iter().find_map(|option| option.strip_prefix(name));
        value.and_then(|value| value.parse().ok()).unwrap_or(0.0)
    };
    let has = |name: &str| options.iter().any(|option| option == name);
    Options {
        playouts,
        guide: number("--guide="),
        history: number("--history="),
        conditions: !has("--conditions=off"),
        decisive: if has("--decisive") { Decisive::Lanes } else { Decisive::Off },
        ..Options::default()
    }
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

fn median(sorted: &[f64]) -> f64 {
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Two searches at the same time that share nothing: what the machine allows.
fn apart(reasoner: &Reasoner, chosen: &Options, seconds: f64) -> Option<Speed> {
    let both = std::thread::scope(|scope| {
        let search = || scope.spawn(|| measure(reasoner, chosen, 1, seconds));
        [search(), search()].map(|thread| thread.join().ok().flatten())
    });
    let [Some(one), Some(other)] = both else { return None };
    // The CPU time of each is that of the whole process.
    Some(Speed {
        per_cpu: one.per_cpu + other.per_cpu,
        playouts: one.playouts + other.playouts,
        per_second: one.per_second + other.per_second,
        lanes: one.lanes,
    })
}

/// What one search did.
struct Speed {
    /// Simulations and playouts per CPU second.
    per_cpu: f64,
    playouts: f64,
    /// Simulations per second of the clock on the wall.
    per_second: f64,
    lanes: bool,
}

fn measure(reasoner: &Reasoner, chosen: &Options, threads: usize, seconds: f64) -> Option<Speed> {
    let options = Options { threads, memory: 1 << 30, ..chosen.clone() };
    let mut mcts = Mcts::new(reasoner, options);
    let initial = mcts.initial().ok()?;
    let effort = Effort::until(Deadline::within(Duration::from_secs_f64(seconds)));
    let (cpu, wall) = (ProcessTime::now(), Instant::now());
    let _ = mcts.search(&initial, Role(0), &effort, &mut |_| ());
    let (cpu, wall) = (cpu.elapsed().as_secs_f64(), wall.elapsed().as_secs_f64());
    let totals = mcts.totals();
    Some(Speed {
        per_cpu: totals.simulations as f64 / cpu,
        playouts: totals.playouts as f64 / cpu,
        per_second: totals.simulations as f64 / wall,
        lanes: totals.lanes,
    })
}
