//! How large the circuits of random play are, and how fast.
//!
//! `cargo run --release -p game --example lane_sizes -- [--seconds S] SHEET...` prints one line for each file: CPU seconds for
//! grounding, for the circuit and for its schedules; gates and operations of a step (legal and terminal, next,
//! goals), the moves chosen among, and transitions per CPU second, the best of several short runs.

use std::sync::Arc;
use std::time::Duration;

use circuit::{Code, Lanes};
use cpu_time::ThreadTime;
use game::{Budget, Game};

fn main() {
    let mut seconds = 0.0;
    let mut arguments = std::env::args().skip(1);
    println!(
        "sheet\tground s\tcircuit s\tcode s\tfluents\tmoves\tgates\toperations\tgates of a step\tchoices\tM/s"
    );
    while let Some(argument) = arguments.next() {
        if argument == "--seconds" {
            seconds = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(seconds);
        } else {
            println!("{}", report(&argument, seconds));
        }
    }
}

fn report(path: &str, seconds: f64) -> String {
    let name = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".kif");
    let Ok(text) = std::fs::read_to_string(path) else { return format!("{name}\tcannot be read") };
    let (rules, _) = gdl::parse(&text, &gdl::Limits::default());
    let game = match Game::new(rules) {
        Ok(game) => game,
        Err(why) => return format!("{name}\t{why}"),
    };
    let begin = ThreadTime::now();
    let program = match game.ground(&Budget::default()) {
        Ok(program) => program,
        Err(why) => return format!("{name}\t{why}"),
    };
    let grounding = begin.elapsed().as_secs_f64();
    let begin = ThreadTime::now();
    let circuit = match circuit::build(&program, &circuit::Limits::default()) {
        Ok(circuit) => circuit,
        Err(why) => return format!("{name}\t{why}"),
    };
    let building = begin.elapsed().as_secs_f64();
    let begin = ThreadTime::now();
    let code = Arc::new(Code::new(&circuit));
    let coding = begin.elapsed().as_secs_f64();
    let phases = circuit::phase::phases(&circuit, &[]);
    let mut gates = (0, 0, 0);
    for phase in &phases {
        let (a, b, c) = circuit::operations(&phase.circuit);
        gates = (gates.0 + a, gates.1 + b, gates.2 + c);
    }
    let count = phases.len();
    gates = (gates.0 / count, gates.1 / count, gates.2 / count);
    let moves: usize = program.moves.iter().map(Vec::len).sum();
    let fluents = program.fluents.len();
    let (operations, choices) = (code.operations(), code.choices());
    let whole = circuit::operations(&circuit);
    let speed = if seconds > 0.0 { speed(&code, seconds) } else { 0.0 };
    format!(
        "{name}\t{grounding:.3}\t{building:.3}\t{coding:.3}\t{fluents}\t{moves}\t{whole:?}\t{operations:?}\t{gates:?}\t{choices}\t{speed:.2}"
    )
}

fn speed(code: &Arc<Code>, seconds: f64) -> f64 {
    let mut lanes = Lanes::on(code.clone(), 1);
    let mut best: f64 = 0.0;
    lanes.play(300);
    for _ in 0..4 {
        let begin = ThreadTime::now();
        let mut transitions = 0;
        while begin.elapsed() < Duration::from_secs_f64(seconds / 4.0) {
            transitions += lanes.play(200).transitions;
        }
        best = best.max(transitions as f64 / begin.elapsed().as_secs_f64() / 1e6);
    }
    best
}
