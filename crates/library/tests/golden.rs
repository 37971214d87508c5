//! Every game of the library behaves as its golden files say (`docs/game-library.md`), is sound,
//! formatted and ends well in random play. `FLUXION_BLESS=1` rewrites the golden files.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use game::playout::Random;
use game::{Game, Goals, Interpreter, JointMove, Machine, State};
use gdl::format::{Style, format};
use library::Entry;
use protocol::trace::{RecordOptions, record, sha256};
use serde::Serialize;

const PLAYOUTS: u64 = 20;
const CAP: usize = 400;
/// The most steps of a golden trace, and about the most bytes.
const TRACE_STEPS: usize = 60;
const TRACE_BYTES: usize = 60_000;

/// What random play of a game looks like.
#[derive(Serialize)]
struct Summary {
    initial_fluents: usize,
    playouts: u64,
    cap: usize,
    mean_length: f64,
    max_length: usize,
    roles: Vec<RoleSummary>,
}

#[derive(Serialize)]
struct RoleSummary {
    role: String,
    mean_branching: f64,
    mean_goal: f64,
}

/// Runs `work` for all games in several threads; fails with all problems, sorted.
fn for_all_games(work: impl Fn(&Entry) -> Result<(), String> + Sync) {
    let games = library::games();
    assert!(games.len() >= 45, "only {} games", games.len());
    let next = AtomicUsize::new(0);
    let problems = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(game) = games.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(problem) = work(game) {
                        let problem = format!("{}: {problem}", game.name);
                        problems.lock().expect("no panic").push(problem);
                    }
                }
            });
        }
    });
    let mut problems = problems.into_inner().expect("no panic");
    problems.sort();
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games").join(name)
}

fn told(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// One playout in the trace format, with as many steps as fit.
fn golden_trace(entry: &Entry, machine: &mut Interpreter) -> Result<String, String> {
    let mut cap = TRACE_STEPS;
    loop {
        let options = RecordOptions {
            game: entry.name.to_owned(),
            file: Some(format!("games/{}/rules.kif", entry.name)),
            sha256: Some(sha256(entry.rules.as_bytes())),
            seed: 1,
            playouts: 1,
            cap,
        };
        let trace = record(machine, &options, &mut |_| true).map_err(told)?;
        let text = trace.to_text().map_err(told)?;
        if text.len() <= TRACE_BYTES || cap <= 1 {
            return Ok(text);
        }
        cap = cap * 3 / 4;
    }
}

/// Sums over the states of playouts, for each role.
#[derive(Clone, Default)]
struct Sums {
    moves: usize,
    goals: usize,
}

/// Statistics of random play; a playout that does not end well is a problem.
fn summarize(machine: &mut Interpreter) -> Result<Summary, String> {
    let game = machine.game().clone();
    let initial = machine.initial().map_err(told)?;
    let mut sums = vec![Sums::default(); game.roles().len()];
    let mut lengths = Vec::new();
    for seed in 1..=PLAYOUTS {
        let length = play(machine, &initial, seed, &mut sums)
            .map_err(|problem| format!("seed {seed}: {problem}"))?;
        lengths.push(length);
    }
    let steps: usize = lengths.iter().sum();
    let roles = game.role_ids().zip(&sums).map(|(role, sums)| RoleSummary {
        role: game.role_name(role),
        mean_branching: mean(sums.moves, steps),
        mean_goal: mean(sums.goals, lengths.len()),
    });
    Ok(Summary {
        initial_fluents: initial.len(),
        playouts: PLAYOUTS,
        cap: CAP,
        mean_length: mean(steps, lengths.len()),
        max_length: lengths.iter().copied().max().unwrap_or(0),
        roles: roles.collect(),
    })
}

/// Plays to the end, adds up what is seen, and returns the number of steps.
fn play(
    machine: &mut Interpreter,
    initial: &State,
    seed: u64,
    sums: &mut [Sums],
) -> Result<usize, String> {
    let game = machine.game().clone();
    let mut random = Random::new(seed);
    let mut state = initial.clone();
    let mut moves = Vec::new();
    let mut length = 0;
    while !machine.is_terminal(&state).map_err(told)? {
        if length == CAP {
            return Err(format!("no end within {CAP} steps"));
        }
        let mut joint = Vec::new();
        for (role, sums) in game.role_ids().zip(sums.iter_mut()) {
            machine.legal_moves(&state, role, &mut moves).map_err(told)?;
            if moves.is_empty() {
                return Err(format!("{} has no move at step {length}", game.role_name(role)));
            }
            sums.moves += moves.len();
            joint.push(moves[random.below(moves.len())]);
        }
        state = machine.next(&state, &JointMove(joint)).map_err(told)?;
        length += 1;
    }
    for (role, sums) in game.role_ids().zip(sums) {
        match machine.goal(&state, role).map_err(told)? {
            Goals::One(goal) => sums.goals += usize::from(goal.0),
            undefined @ Goals::Undefined(_) => {
                return Err(format!("{}: {undefined:?}", game.role_name(role)));
            }
        }
    }
    Ok(length)
}

/// A mean with three decimals; integers only until here, so it is the same everywhere.
fn mean(sum: usize, count: usize) -> f64 {
    let count = count.max(1);
    ((sum * 1000 + count / 2) / count) as f64 / 1000.0
}

/// Compares a golden file, or writes it when blessing.
fn compare(path: &Path, found: &str) -> Result<(), String> {
    if std::env::var_os("FLUXION_BLESS").is_some() {
        let parent = path.parent().ok_or("no folder")?;
        fs::create_dir_all(parent).map_err(told)?;
        return fs::write(path, found).map_err(told);
    }
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let golden = fs::read_to_string(path)
        .map_err(|error| format!("{file}: {error} (FLUXION_BLESS=1 writes golden files)"))?;
    difference(&golden, found).map_or(Ok(()), |difference| Err(format!("{file}: {difference}")))
}

/// The first line in which two texts differ, cut to the place.
fn difference(golden: &str, found: &str) -> Option<String> {
    if golden == found {
        return None;
    }
    let pairs = golden.lines().map(Some).chain(std::iter::repeat(None));
    let found_lines = found.lines().map(Some).chain(std::iter::repeat(None));
    let (number, (old, new)) = pairs.zip(found_lines).enumerate().find(|(_, (a, b))| a != b)?;
    let (old, new) = (old.unwrap_or("(end)"), new.unwrap_or("(end)"));
    let same = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
    let cut = |text: &str| -> String {
        let from = same.saturating_sub(40);
        text.chars().skip(from).take(160).collect()
    };
    Some(format!("line {}:\n  - …{}\n  + …{}", number + 1, cut(old), cut(new)))
}

#[test]
fn every_game_ends_well_and_behaves_as_its_golden_files_say() {
    for_all_games(|entry| {
        let game = Game::from_text(entry.rules).map_err(told)?;
        let mut machine = game.interpreter();
        let summary = summarize(&mut machine)?;
        let golden = folder(entry.name).join("golden");
        let mut text = serde_json::to_string_pretty(&summary).map_err(told)?;
        text.push('\n');
        compare(&golden.join("summary.json"), &text)?;
        compare(&golden.join("trace.jsonl"), &golden_trace(entry, &mut machine)?)
    });
}

/// Warnings that are meant to be there.
const MEANT: &[&str] = &[
    // Names such as `++`, as in thesis App. A.
    "W314",
];

#[test]
fn every_game_is_sound_without_warnings() {
    for_all_games(|entry| {
        let found = gdl::validate::check(entry.rules, &gdl::Limits::default()).diagnostics;
        let lines: Vec<String> = found
            .iter()
            .filter(|finding| !MEANT.contains(&finding.code))
            .map(|finding| format!("{} {}", finding.code, finding.message))
            .collect();
        if lines.is_empty() { Ok(()) } else { Err(lines.join("; ")) }
    });
}

#[test]
fn every_game_is_formatted() {
    for_all_games(|entry| {
        let (rules, _) = gdl::parse(entry.rules, &gdl::Limits::default());
        let formatted = format(entry.rules, &rules, Style::of(gdl::Syntax::Kif));
        difference(entry.rules, &formatted).map_or(Ok(()), Err)
    });
}

#[test]
fn every_folder_is_a_game_of_the_library() {
    let mut folders: Vec<String> = fs::read_dir(folder(""))
        .expect("readable")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    folders.sort();
    let games: Vec<&str> = library::games().iter().map(|game| game.name).collect();
    assert_eq!(folders, games);
}

#[test]
fn the_header_says_how_many_play() {
    for_all_games(|entry| {
        let game = Game::from_text(entry.rules).map_err(told)?;
        let players = entry.about().players;
        let roles = game.roles().len();
        if players.split_whitespace().next() == Some(roles.to_string().as_str()) {
            return Ok(());
        }
        Err(format!("the header says {players:?} players, the rules have {roles} roles"))
    });
}

#[test]
fn a_difference_is_shown_where_it_is() {
    assert_eq!(difference("a\nb\n", "a\nb\n"), None);
    let shown = difference("a\nbc\n", "a\nbd\n").expect("they differ");
    assert_eq!(shown, "line 2:\n  - …bc\n  + …bd");
    let shown = difference("a\n", "a\nb\n").expect("they differ");
    assert_eq!(shown, "line 2:\n  - …(end)\n  + …b");
}
