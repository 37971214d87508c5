//! Measures fluent graphs: for each game the time and memory to build the graph and all distances, and what
//! they tell, by selection. `cargo run --release -p evaluate --example distances -- [NAME...]`; without names
//! all games of the library, and with `FLUXION_CORPUS` set also its sheets.

use std::time::{Duration, Instant};

use evaluate::{Distances, FluentGraph, Selection};
use game::{Budget, Deadline, Game};

fn main() {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let wanted = |name: &str| names.is_empty() || names.iter().any(|n| n == name);
    println!("game\tfluents\tground s\tselection\tedges\twork\tgraph s\trows s\tMiB\tmean\tunreachable");
    for entry in library::games().iter().filter(|entry| wanted(entry.name)) {
        measure(entry.name, entry.rules);
    }
    let Some(folder) = std::env::var_os("FLUXION_CORPUS").map(std::path::PathBuf::from) else {
        return;
    };
    for sheet in testkit::corpus::sheets(&folder).unwrap_or_default() {
        if wanted(&sheet.name)
            && let Ok(bytes) = std::fs::read(&sheet.rules)
        {
            measure(&format!("corpus/{}", sheet.name), &String::from_utf8_lossy(&bytes));
        }
    }
}

fn measure(name: &str, text: &str) {
    let (rules, _) = gdl::parse(text, &gdl::Limits::default());
    let game = match Game::new(rules) {
        Ok(game) => game,
        Err(error) => return println!("{name}\t{error}"),
    };
    let begin = Instant::now();
    let deadline = Some(begin + Duration::from_secs(10));
    let program = match game.ground(&Budget { deadline, ..Budget::default() }) {
        Ok(program) => program,
        Err(why) => return println!("{name}\t{why}"),
    };
    let ground = begin.elapsed().as_secs_f64();
    let fluents: Vec<_> = program.fluents.iter().map(|t| game.universe().fluent(t)).collect();
    for selection in [Selection::Similar, Selection::Fewest, Selection::Latest] {
        let begin = Instant::now();
        let deadline = Deadline::within(Duration::from_secs(10));
        let graph = FluentGraph::build(&program, selection, &deadline);
        let built = begin.elapsed().as_secs_f64();
        let rows = Distances::build(&graph, &fluents, None, 1 << 30, &deadline);
        let stopped = if graph.is_complete() { rows.stopped() } else { Some("out of time") };
        let told = rows.informativeness();
        println!(
            "{name}\t{}\t{ground:.3}\t{selection:?}\t{}\t{}\t{built:.3}\t{:.3}\t{:.1}\t{:.3}\t{:.3}\t{}",
            fluents.len(),
            graph.edge_count(),
            graph.work(),
            begin.elapsed().as_secs_f64() - built,
            rows.bytes() as f64 / f64::from(1 << 20),
            told.mean_finite(),
            told.unreachable_share(),
            stopped.unwrap_or(""),
        );
    }
}
