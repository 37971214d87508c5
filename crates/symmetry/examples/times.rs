//! How long the detection of symmetries takes, in CPU seconds, slowest last:
//! `cargo run --release -p symmetry --example times -- FILE...`; without files, all games of the library.
//!
//! A line is printed for each game as it is done. The ground program is given, as in every use of the detection;
//! how long it takes to make is told beside it. Sheets whose ground program needs more than `FLUXION_MEGABYTES` (400) or
//! `FLUXION_SECONDS` (120, by the clock) are looked at by their rules alone.

use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use game::{Budget, Deadline, Game, Gates};
use symmetry::{Options, Part, detect};

fn number(name: &str, otherwise: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

fn size(part: Part) -> String {
    match part {
        Part::Absent => "-".to_owned(),
        Part::Whole { vertices } => vertices.to_string(),
        Part::Stopped { vertices } => format!("{vertices} (stopped)"),
    }
}

/// CPU seconds of the detection.
fn time(name: &str, text: &str) -> Option<f64> {
    let Ok(game) = Game::from_text(text) else {
        println!("{name}: not a game");
        return None;
    };
    let within = Duration::from_secs(number("FLUXION_SECONDS", 120) as u64);
    let budget = Budget {
        max_bytes: number("FLUXION_MEGABYTES", 400) << 20,
        deadline: Some(Instant::now() + within),
        ..Budget::default()
    };
    let begin = ProcessTime::now();
    let gates = Gates::build(&game, &budget).ok();
    let built = begin.elapsed().as_secs_f64();
    let begin = ProcessTime::now();
    let options = Options { deadline: Deadline::within(within), ..Options::default() };
    let found = detect(&game, gates.as_ref(), &options);
    let seconds = begin.elapsed().as_secs_f64();
    println!(
        "{seconds:.2} s | {name} | order {} | rules {} | ground {} | made in {built:.1} s | {}",
        found.order(),
        size(found.rules_part()),
        size(found.ground_part()),
        if found.is_complete() { "complete" } else { "partial" }
    );
    Some(seconds)
}

fn main() {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let mut times: Vec<(f64, String)> = Vec::new();
    let all: Vec<(String, String)> = if files.is_empty() {
        let entries = library::games().iter();
        entries.map(|entry| (entry.name.to_owned(), entry.rules.to_owned())).collect()
    } else {
        let read = |file: String| std::fs::read_to_string(&file).ok().map(|text| (file, text));
        files.into_iter().filter_map(read).collect()
    };
    for (name, text) in all {
        times.extend(time(&name, &text).map(|seconds| (seconds, name)));
    }
    times.sort_by(|a, b| a.0.total_cmp(&b.0));
    let within = |most: f64| times.iter().filter(|time| time.0 <= most).count();
    println!("{} games, within 1 s {}, within 10 s {}", times.len(), within(1.0), within(10.0));
    for (seconds, name) in times.iter().rev().take(10).rev() {
        println!("{seconds:.2} s {name}");
    }
}
