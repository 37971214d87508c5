//! What it saves to prove symmetric properties once, in CPU seconds:
//! `cargo run --release -p player --example symmetric_proofs -- [sat|asp] GAME...`, games of the library or files; without any,
//! all games of the library.

use std::time::Duration;

use cpu_time::ProcessTime;
use game::{Budget, Deadline, Game, Reasoner};
use prove::{Engine, Engines, Options, Prover, Verdict};

fn main() {
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    let engines = match names.first().map(String::as_str) {
        Some("asp") => Engines::Asp,
        Some("sat") => Engines::Sat,
        _ => Engines::Both,
    };
    names.retain(|name| name != "asp" && name != "sat");
    if names.is_empty() {
        names = library::games().iter().map(|entry| entry.name.to_owned()).collect();
    }
    println!(
        "| game | properties | proved | by symmetry | finding symmetries | alone | together |"
    );
    println!("|---|---|---|---|---|---|---|");
    for name in names {
        let text = library::find(&name).map(|entry| entry.rules.to_owned());
        if let Some(text) = text.or_else(|| std::fs::read_to_string(&name).ok()) {
            compare(&name, &text, engines);
        }
    }
}

fn compare(name: &str, text: &str, engines: Engines) {
    let Ok(game) = Game::from_text(text) else { return };
    let budget = Budget { max_bytes: 64 << 20, ..Budget::default() };
    let reasoner = Reasoner::build(&game, &budget);
    let Some(gates) = reasoner.gates() else { return };
    let run = |symmetric: bool| {
        let deadline = Deadline::within(Duration::from_secs(3_600));
        let options = Options { deadline, engines, ..Options::default() };
        let candidates = Prover::candidates(&reasoner, &options.deadline);
        let mut prover = Prover::on(&reasoner, candidates, &options.deadline);
        let begin = ProcessTime::now();
        if symmetric {
            prover.use_symmetries(player::automorphisms(&game, gates, &options.deadline));
        }
        let found = begin.elapsed().as_secs_f64();
        prover.run(&options, &mut |_, _| ());
        let seconds = begin.elapsed().as_secs_f64() - found;
        (found, seconds, prover.findings())
    };
    let (_, alone, one) = run(false);
    let (found, together, other) = run(true);
    let by_symmetry = |verdict: &Verdict| {
        matches!(
            verdict,
            Verdict::Proved { engine: Engine::Symmetry, .. }
                | Verdict::Refuted { engine: Engine::Symmetry, .. }
        )
    };
    let symmetric = other.iter().filter(|finding| by_symmetry(&finding.verdict)).count();
    let proved = other.iter().filter(|finding| finding.verdict.is_proved()).count();
    let differ: Vec<&str> = one
        .iter()
        .zip(&other)
        .filter(|(one, other)| one.verdict.word() != other.verdict.word())
        .map(|(one, _)| one.text.as_str())
        .collect();
    println!(
        "| {name} | {} | {proved} | {symmetric} | {found:.2} | {alone:.2} | {together:.2} |{}",
        other.len(),
        if differ.is_empty() { String::new() } else { format!(" differ: {differ:?}") }
    );
}
