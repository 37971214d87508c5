//! Measures fluent graphs: for each game the time and memory to build the graph and all distances, and what
//! they tell, by selection. `cargo run --release -p evaluate --example distances -- [NAME...]`; without names
//! all games of the library, and with `FLUXION_CORPUS` set also its sheets.

use std::time::{Duration, Instant};

use evaluate::{Distances, FluentGraph, Selection};
use game::playout::{Random, random_joint_move};
use game::{Budget, Deadline, Game, Machine, State};

fn main() {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let wanted = |name: &str| names.is_empty() || names.iter().any(|n| n == name);
    println!(
        "game\tfluents\tground s\tselection\tedges\twork\tgraph s\trows s\tMiB\tmean\tunreachable\tmean from states\tunreachable from states"
    );
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
    let states = states(&game);
    let mut best: Vec<Vec<Option<u32>>> = Vec::new();
    for selection in [Selection::Similar, Selection::Fewest, Selection::Latest] {
        let begin = Instant::now();
        let deadline = Deadline::within(Duration::from_secs(10));
        let graph = FluentGraph::build(&program, selection, &deadline);
        let built = begin.elapsed().as_secs_f64();
        let rows = Distances::build(&graph, &fluents, None, 1 << 30, &deadline);
        let stopped = if graph.is_complete() { rows.stopped() } else { Some("out of time") };
        let told = rows.informativeness();
        let found: Vec<Vec<Option<u32>>> = states
            .iter()
            .map(|state| fluents.iter().map(|fluent| rows.steps_from(state, *fluent)).collect())
            .collect();
        let (mean, never) = summary(&found);
        if best.is_empty() {
            best = found;
        } else {
            merge(&mut best, &found);
        }
        println!(
            "{name}\t{}\t{ground:.3}\t{selection:?}\t{}\t{}\t{built:.3}\t{:.3}\t{:.1}\t{:.3}\t{:.3}\t{mean:.3}\t{never:.3}\t{}",
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
    let (mean, never) = summary(&best);
    println!("{name}\t\t\tgreatest of all\t\t\t\t\t\t\t\t{mean:.3}\t{never:.3}");
}

/// States of random play.
fn states(game: &Game) -> Vec<State> {
    let mut machine = game.interpreter();
    machine.limits_mut().max_steps = 2_000_000;
    let mut random = Random::new(1);
    let mut states = Vec::new();
    while states.len() < 40 {
        let begin = states.len();
        let _ = walk(&mut machine, &mut random, &mut states);
        if states.len() < begin + 2 {
            break;
        }
    }
    states
}

fn walk(
    machine: &mut game::Interpreter,
    random: &mut Random,
    states: &mut Vec<State>,
) -> Result<(), game::ReasonError> {
    let mut state = machine.initial()?;
    while states.len() < 40 {
        states.push(state.clone());
        if machine.is_terminal(&state)? {
            return Ok(());
        }
        let Some(joint) = random_joint_move(machine, &state, random)? else { return Ok(()) };
        state = machine.next(&state, &joint)?;
    }
    Ok(())
}

/// The greater of two distances, pair by pair; none is infinite.
fn merge(best: &mut [Vec<Option<u32>>], other: &[Vec<Option<u32>>]) {
    for (one, two) in best.iter_mut().flatten().zip(other.iter().flatten()) {
        *one = one.zip(*two).map(|(a, b)| a.max(b));
    }
}

/// The mean of the finite distances above 0, and the share of infinite ones.
fn summary(found: &[Vec<Option<u32>>]) -> (f64, f64) {
    let (mut count, mut never, mut sum) = (0u64, 0u64, 0u64);
    for distance in found.iter().flatten().filter(|distance| **distance != Some(0)) {
        count += 1;
        match distance {
            None => never += 1,
            Some(steps) => sum += u64::from(*steps),
        }
    }
    (sum as f64 / (count - never).max(1) as f64, never as f64 / count.max(1) as f64)
}
