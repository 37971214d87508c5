//! Which games have their fluent graph and all distances within 10 CPU seconds and 1 GiB, grounding included. Each
//! game runs in a process of its own, so that its memory can be told; all selections with `--all`.
//! `cargo run --release -p evaluate --example limits -- [--all] [NAME...]`; without names all games of the library, and
//! with `FLUXION_CORPUS` set also its sheets.

use std::process::Command;
use std::time::{Duration, Instant};

use evaluate::{Distances, FluentGraph, Selection};
use game::{Budget, Deadline, Game};

/// What is asked for.
const MOST_SECONDS: f64 = 10.0;
const MOST_MIB: f64 = 1024.0;
/// Elapsed time that stops a game, since other work on the machine slows it down.
const PATIENCE: Duration = Duration::from_secs(900);

/// Where a game comes from, its name, and the text of its rules.
type Sheet = (&'static str, String, String);

fn main() {
    let (options, names): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|arg| arg.starts_with("--"));
    let all = options.iter().any(|option| option == "--all");
    let selections: &[Selection] = if all {
        &[Selection::Similar, Selection::Fewest, Selection::Latest]
    } else {
        &[Selection::Similar]
    };
    let sheets = sheets();
    if let [folder, name] = &names[..]
        && options.iter().any(|option| option == "--one")
    {
        if let Some((_, _, text)) =
            sheets.iter().find(|(own, found, _)| own == folder && found == name)
        {
            one(text, selections);
        }
        return;
    }
    println!("game\tground s\tgraph s\trows s\tall s\tMiB\tstopped");
    let mut totals = [("library", 0, 0), ("corpus", 0, 0)];
    for (folder, name, _) in &sheets {
        if !names.is_empty() && !names.contains(name) {
            continue;
        }
        let (line, within) = apart(folder, name, all);
        println!("{folder}/{name}\t{line}{}", if within { "" } else { "\tNOT WITHIN" });
        for total in totals.iter_mut().filter(|total| total.0 == *folder) {
            total.1 += u32::from(within);
            total.2 += 1;
        }
    }
    for (folder, within, count) in totals {
        println!("{folder}: {within} of {count} within {MOST_SECONDS} CPU s and {MOST_MIB} MiB");
    }
}

fn sheets() -> Vec<Sheet> {
    let own = library::games().iter();
    let mut sheets: Vec<Sheet> =
        own.map(|entry| ("library", entry.name.to_owned(), entry.rules.to_owned())).collect();
    if let Some(folder) = std::env::var_os("FLUXION_CORPUS").map(std::path::PathBuf::from) {
        for sheet in testkit::corpus::sheets(&folder).unwrap_or_default() {
            if let Ok(bytes) = std::fs::read(&sheet.rules) {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                sheets.push(("corpus", sheet.name.clone(), text));
            }
        }
    }
    sheets
}

/// Runs one game in a process of its own; whether it stays within the limits.
fn apart(folder: &str, name: &str, all: bool) -> (String, bool) {
    let Ok(program) = std::env::current_exe() else { return ("no program".to_owned(), false) };
    let mut command = Command::new(program);
    command.args(["--one", folder, name]).args(all.then_some("--all"));
    let Ok(output) = command.output() else { return ("not started".to_owned(), false) };
    let line = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let number = |at: usize| line.split('\t').nth(at).and_then(|word| word.parse::<f64>().ok());
    let within = match (number(3), number(4)) {
        (Some(seconds), Some(memory)) => {
            seconds <= MOST_SECONDS && memory <= MOST_MIB && line.split('\t').nth(5).is_none()
        }
        _ => false,
    };
    (line, within)
}

fn one(text: &str, selections: &[Selection]) {
    let (rules, _) = gdl::parse(text, &gdl::Limits::default());
    let game = match Game::new(rules) {
        Ok(game) => game,
        Err(error) => return println!("not playable: {error}"),
    };
    let deadline = Some(Instant::now() + PATIENCE);
    let program = match game.ground(&Budget { deadline, ..Budget::default() }) {
        Ok(program) => program,
        Err(why) => return println!("not ground: {why} ({:.2} s, {:.0} MiB)", cpu(), memory()),
    };
    let ground = cpu();
    let fluents: Vec<_> = program.fluents.iter().map(|t| game.universe().fluent(t)).collect();
    let deadline = Deadline::within(PATIENCE);
    let (mut graphs, mut rows, mut stopped) = (0.0, 0.0, None);
    for selection in selections {
        let begin = cpu();
        let graph = FluentGraph::build(&program, *selection, &deadline);
        graphs += cpu() - begin;
        let begin = cpu();
        let distances = Distances::build(&graph, &fluents, None, 1 << 30, &deadline);
        rows += cpu() - begin;
        stopped = stopped.or(distances.stopped());
        stopped = stopped.or((!graph.is_complete()).then_some("out of time"));
    }
    let stopped = stopped.map(|why| format!("\t{why}")).unwrap_or_default();
    println!("{ground:.2}\t{graphs:.2}\t{rows:.2}\t{:.2}\t{:.0}{stopped}", cpu(), memory());
}

/// CPU seconds of this process.
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let spent: Option<f64> = text.split_whitespace().next().and_then(|word| word.parse().ok());
    spent.unwrap_or(0.0) / 1e9
}

/// The most memory that this process had, in MiB.
fn memory() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib: Option<f64> = line.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    kib.unwrap_or(0.0) / 1024.0
}
