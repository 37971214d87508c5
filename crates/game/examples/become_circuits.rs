//! Which rule sheets become circuits, how large, how fast, with how much memory.
//!
//! `cargo run --release -p game --example become_circuits -- [--seconds S] [--mib M] [--follow] SHEET...` prints
//! one line for each file, with `--follow` also whether circuit and interpreter agree in random play. CPU seconds are those of this thread. Peak memory is that of the whole process so far, so
//! for exact figures give it one sheet at a time.

use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use game::{Budget, Game, Reasoner};

fn main() {
    let mut budget = Budget::default();
    let mut seconds = 60.0;
    let mut follow = false;
    let mut arguments = std::env::args().skip(1);
    println!("sheet\tload s\tground s\tcircuit s\trules\tliterals\tmoves\tgates\tpeak MiB\tresult");
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().and_then(|text| text.parse::<u32>().ok());
        match argument.as_str() {
            "--seconds" => seconds = number().map_or(seconds, f64::from),
            "--mib" => budget.max_bytes = (number().unwrap_or(4096) as usize) << 20,
            "--follow" => follow = true,
            path => {
                budget.deadline = Some(Instant::now() + Duration::from_secs_f64(seconds));
                println!("{}", report(path, &budget, follow));
            }
        }
    }
}

fn report(path: &str, budget: &Budget, follow: bool) -> String {
    let name = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".kif");
    let Ok(text) = std::fs::read_to_string(path) else { return format!("{name}\tcannot be read") };
    let begin = ThreadTime::now();
    let (rules, _) = gdl::parse(&text, &gdl::Limits::default());
    let game = match Game::new(rules) {
        Ok(game) => game,
        Err(why) => return format!("{name}\t{why}"),
    };
    let load = begin.elapsed().as_secs_f64();
    let begin = ThreadTime::now();
    let program = game.ground(budget);
    let grounding = begin.elapsed().as_secs_f64();
    let head = format!("{name}\t{load:.3}\t{grounding:.3}");
    let program = match program {
        Ok(program) => program,
        Err(why) => return format!("{head}\t\t\t\t\t\t{}\t{why}", peak()),
    };
    let begin = ThreadTime::now();
    let limits = circuit::Limits {
        deadline: budget.deadline,
        max_bytes: budget.max_bytes.saturating_sub(program.bytes()),
        cancel: budget.cancel.clone(),
        ..circuit::Limits::default()
    };
    let circuit = circuit::build(&program, &limits);
    let building = begin.elapsed().as_secs_f64();
    let moves: usize = program.moves.iter().map(Vec::len).sum();
    let sizes = (program.rule_count(), program.rules.literal_count());
    let head = format!("{head}\t{building:.3}\t{}\t{}\t{moves}", sizes.0, sizes.1);
    match circuit {
        Ok(circuit) => {
            let (legal, next, goal) = circuit::operations(&circuit);
            let head = format!("{head}\t{}\t{}", legal + next + goal, peak());
            drop((circuit, program));
            if follow {
                format!("{head}\t{}", Reasoner::build(&game, budget).status())
            } else {
                format!("{head}\tfine")
            }
        }
        Err(why) => format!("{head}\t\t{}\t{why}", peak()),
    }
}

/// The most memory this process ever used, in MiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1));
    kib.and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) >> 10
}
