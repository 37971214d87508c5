//! How large the circuits of random play are, and how fast it is.
//!
//! `cargo run --release -p game --example lane_sizes -- [--seconds S] SHEET...` prints one line for each file: CPU seconds for
//! grounding, for the circuit and for the code of the lanes; gates of the whole circuit and operations of a step (legal and
//! terminal, next, goals), the moves chosen among, and millions of transitions per CPU second, the best of four
//! runs that together take the seconds given.

use std::sync::Arc;
use std::time::Duration;

use circuit::{Code, Lanes};
use cpu_time::ThreadTime;
use game::{Budget, Game};

/// Steps between two looks at the clock.
const STEPS: usize = 200;

fn main() {
    let mut seconds = 0.0;
    let mut arguments = std::env::args().skip(1);
    println!("sheet\tground s\tcircuit s\tcode s\tfluents\tmoves\tgates\toperations\tchoices\tM/s");
    while let Some(argument) = arguments.next() {
        if argument == "--seconds" {
            seconds = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(seconds);
        } else {
            let line = report(&argument, seconds);
            println!("{}", line.unwrap_or_else(|why| format!("{argument}\t{why}")));
        }
    }
}

fn report(path: &str, seconds: f64) -> Result<String, Box<dyn std::error::Error>> {
    let name = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".kif");
    let (rules, _) = gdl::parse(&std::fs::read_to_string(path)?, &gdl::Limits::default());
    let game = Game::new(rules)?;
    let begin = ThreadTime::now();
    let program = game.ground(&Budget::default())?;
    let grounding = begin.elapsed().as_secs_f64();
    let begin = ThreadTime::now();
    let circuit = circuit::build(&program, &circuit::Limits::default())?;
    let building = begin.elapsed().as_secs_f64();
    let begin = ThreadTime::now();
    let code = Arc::new(Code::new(&circuit));
    let coding = begin.elapsed().as_secs_f64();
    let moves: usize = program.moves.iter().map(Vec::len).sum();
    let fluents = program.fluents.len();
    let (operations, choices) = (code.operations(), code.choices());
    let gates = circuit::operations(&circuit);
    let speed = if seconds > 0.0 { speed(&code, seconds / 4.0) } else { 0.0 };
    Ok(format!(
        "{name}\t{grounding:.3}\t{building:.3}\t{coding:.3}\t{fluents}\t{moves}\t{gates:?}\t{operations:?}\t{choices}\t{speed:.2}"
    ))
}

fn speed(code: &Arc<Code>, seconds: f64) -> f64 {
    let mut lanes = Lanes::on(code.clone(), 1);
    lanes.play(STEPS);
    let mut best: f64 = 0.0;
    for _ in 0..4 {
        let begin = ThreadTime::now();
        let mut transitions = 0;
        while begin.elapsed() < Duration::from_secs_f64(seconds) {
            transitions += lanes.play(STEPS).transitions;
        }
        best = best.max(transitions as f64 / begin.elapsed().as_secs_f64() / 1e6);
    }
    best
}
