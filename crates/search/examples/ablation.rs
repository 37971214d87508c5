//! What each part of heuristic search is worth: depth and states per CPU second over ten games, with and
//! without table, history, windows and non-uniform depth.
//!
//! ```text
//! cargo run --release -p search --example ablation -- [CPU SECONDS] [GAME ...]
//! ```
//!
//! Leaves are judged by the fuzzy evaluator. Seconds are CPU seconds of the process, because machines are
//! shared. A cell is the depth that was finished, the deepest state, and thousands of states per second.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use cpu_time::ProcessTime;
use evaluate::Evaluation;
use game::{Budget, Deadline, Evaluator, Game, Reasoner, Role};
use search::class::{Sampling, sample};
use search::deepening::{Deepening, DepthLimit, Options, Windows};
use search::{Blind, Effort, Search, SearchReport};

const GAMES: [&str; 10] = [
    "connect_four",
    "breakthrough_6x6",
    "checkers",
    "clobber_5x6",
    "gomoku_8x8",
    "hex_5x5",
    "knightthrough",
    "nine_board_tictactoe",
    "reversi_6x6",
    "sheep_and_wolf",
];

fn configurations() -> Vec<(&'static str, Options)> {
    let all = Options { memory: 128 << 20, ..Options::default() };
    vec![
        ("plain minimax", Options::plain()),
        ("everything", all.clone()),
        ("no table", Options { table: false, ..all.clone() }),
        ("no history, no killers", Options { history: false, killers: false, ..all.clone() }),
        ("no order by successors", Options { successors: false, ..all.clone() }),
        ("no windows", Options { windows: Windows::Full, aspiration: None, ..all.clone() }),
        (
            "alpha-beta only",
            Options { windows: Windows::AlphaBeta, aspiration: None, ..all.clone() },
        ),
        ("non-uniform depth", Options { depth_limit: DepthLimit::NonUniform, ..all }),
        ("as the thesis", Options { memory: 128 << 20, ..Options::thesis() }),
    ]
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let seconds = arguments.next().map_or(Ok(1.0), |text| text.parse::<f64>());
    let Ok(seconds) = seconds else {
        eprintln!("usage: ablation [CPU SECONDS] [GAME ...]");
        return ExitCode::from(2);
    };
    let named: Vec<String> = arguments.collect();
    let games: Vec<&str> =
        if named.is_empty() { GAMES.to_vec() } else { named.iter().map(String::as_str).collect() };
    let configurations = configurations();
    let heads: Vec<&str> = configurations.iter().map(|(name, _)| *name).collect();
    println!("| game | {} |\n|---|{}", heads.join(" | "), "---|".repeat(heads.len()));
    for name in games {
        let Some(entry) = library::find(name) else {
            eprintln!("there is no library game {name}");
            return ExitCode::from(2);
        };
        let game = match Game::from_text(entry.rules) {
            Ok(game) => game,
            Err(error) => {
                eprintln!("{name}: {error}");
                return ExitCode::from(1);
            }
        };
        let reasoner = Reasoner::build(&game, &Budget::default());
        let cells: Vec<String> =
            configurations.iter().map(|(_, options)| cell(&reasoner, options, seconds)).collect();
        println!("| {name} | {} |", cells.join(" | "));
    }
    ExitCode::SUCCESS
}

fn cell(reasoner: &Reasoner, options: &Options, seconds: f64) -> String {
    match measure(reasoner, options, seconds) {
        Ok((report, spent)) => format!(
            "{} ({}), {:.0} k",
            report.depth,
            report.selective_depth,
            report.nodes as f64 / spent / 1000.0
        ),
        Err(error) => error,
    }
}

fn measure(
    reasoner: &Reasoner,
    options: &Options,
    seconds: f64,
) -> Result<(SearchReport, f64), String> {
    let mut machine = reasoner.machine();
    let initial = machine.initial().map_err(|error| error.to_string())?;
    let (class, _) =
        sample(&mut *machine, &Sampling::default()).map_err(|error| error.to_string())?;
    let evaluator: Box<dyn Evaluator> = match reasoner.gates() {
        Some(gates) => {
            let options = evaluate::Options::default();
            let deadline = Deadline::within(Duration::from_secs(20));
            let evaluation =
                Evaluation::ground(reasoner.game(), gates.program(), &options, &deadline);
            Box::new(evaluation.evaluator())
        }
        None => Box::new(Blind),
    };
    let mut search = Deepening::new(machine, evaluator, class, options);
    let flag = Arc::new(AtomicBool::new(false));
    let effort = Effort::until(Deadline::never().or_when(flag.clone()));
    let begin = ProcessTime::now();
    let done = Arc::new(AtomicBool::new(false));
    let watch = std::thread::spawn({
        let done = done.clone();
        move || {
            while begin.elapsed().as_secs_f64() < seconds && !done.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(2));
            }
            flag.store(true, Ordering::Relaxed);
        }
    });
    let report = search.search(&initial, Role(0), &effort, &mut |_| {});
    let spent = begin.elapsed().as_secs_f64();
    done.store(true, Ordering::Relaxed);
    let _ = watch.join();
    report.map(|report| (report, spent)).map_err(|error| error.to_string())
}
