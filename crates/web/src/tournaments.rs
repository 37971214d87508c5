//! Tournaments whose databases lie in a folder: read as they are, also while they run.

use std::path::{Path, PathBuf};

use manager::tournament::{Finished, Ledger, Plan, Sheet, Summary};
use serde_json::{Value, json};

use crate::error::{ApiError, Outcome};

/// The most matches of late that are told.
const LATEST: usize = 50;

/// The databases in a folder, by name.
fn databases(folder: &Path) -> Vec<(String, PathBuf)> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut found: Vec<(String, PathBuf)> = entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "db" || end == "sqlite"))
        .filter_map(|path| Some((path.file_stem()?.to_str()?.to_owned(), path)))
        .collect();
    found.sort();
    found
}

struct Read {
    plan: Plan,
    sheets: Vec<Sheet>,
    finished: Vec<Finished>,
    /// Matches that are expected in all; later rounds are scheduled when they begin.
    expected: usize,
    running: bool,
}

fn read(path: &Path) -> Outcome<Read> {
    let broken = |error: manager::tournament::LedgerError| ApiError::busy(error.to_string());
    let mut ledger = Ledger::open(path).map_err(broken)?;
    let (plan, sheets) = (ledger.plan().map_err(broken)?, ledger.sheets().map_err(broken)?);
    let finished = ledger.finished().map_err(broken)?;
    let scheduled = finished.len() + ledger.waiting().map_err(broken)?.len();
    let rounds = ledger.rounds().map_err(broken)?.max(1) as usize;
    let expected = scheduled * (plan.rounds as usize).max(rounds) / rounds;
    // Who runs it holds the lock; ours is given back at once.
    let running = ledger.lock().is_err();
    Ok(Read { plan, sheets, finished, expected, running })
}

fn line(id: &str, read: &Read) -> Value {
    json!({"id": id, "title": read.plan.name, "matches": read.expected,
           "finished": read.finished.len(), "running": read.running,
           "changed": read.finished.iter().map(|one| one.ended).max()})
}

/// All tournaments of a folder; those that cannot be read are left out.
pub fn list(folder: &Path) -> Value {
    let found =
        databases(folder).into_iter().filter_map(|(id, path)| Some(line(&id, &read(&path).ok()?)));
    found.collect()
}

fn path_of(folder: Option<&Path>, id: &str) -> Outcome<PathBuf> {
    let found = folder.map(databases).unwrap_or_default().into_iter().find(|(name, _)| name == id);
    found.map(|(_, path)| path).ok_or_else(|| ApiError::not_found("there is no such tournament"))
}

/// One tournament with its standings.
pub fn one(folder: Option<&Path>, id: &str) -> Outcome<Value> {
    let read = read(&path_of(folder, id)?)?;
    let summary = Summary::new(&read.plan, &read.sheets, &read.finished);
    let standings = summary.standings.iter().map(|standing| {
        json!({"player": standing.name, "spec": standing.player, "matches": standing.matches,
               "mean": standing.mean, "faults": standing.faults, "rating": standing.elo,
               "error": standing.plus_minus})
    });
    let mut told = line(id, &read);
    told["standings"] = standings.collect();
    let classes = summary.classes.iter().map(|row| {
        let points =
            row.points.iter().map(|p| (p.count > 0).then(|| json!([p.mean, p.plus_minus])));
        json!({"name": row.name(), "games": row.games, "matches": row.matches,
               "points": points.collect::<Vec<_>>()})
    });
    told["classes"] = classes.collect();
    let games = summary.games.iter().map(|game| {
        json!({"name": game.name, "matches": game.matches, "steps": game.steps, "means": game.means,
               "role_means": game.role_means})
    });
    told["games"] = games.collect();
    let against = summary.head_to_head.iter().map(|pair| {
        json!({"player": pair.player, "opponent": pair.opponent, "matches": pair.matches,
               "wins": pair.wins, "even": pair.even, "mean": pair.mean})
    });
    told["head_to_head"] = against.collect();
    let latest = read.finished.iter().rev().take(LATEST).map(|one| {
        let name = |player: &usize| read.plan.players.get(*player).map(|entrant| entrant.name.clone());
        let game = read.sheets.get(one.scheduled.game).map(|sheet| sheet.name.clone());
        json!({"id": one.scheduled.id, "round": one.scheduled.round, "game": game,
               "players": one.scheduled.seats.iter().map(name).collect::<Vec<_>>(),
               "goals": one.goals, "completed": one.completed, "steps": one.steps, "ended": one.ended})
    });
    told["latest"] = latest.collect();
    Ok(told)
}

/// The record of a match.
pub fn record(folder: Option<&Path>, id: &str, number: i64) -> Outcome<String> {
    let broken = |error: manager::tournament::LedgerError| ApiError::busy(error.to_string());
    let ledger = Ledger::open(&path_of(folder, id)?).map_err(broken)?;
    let record = ledger.record(number).map_err(broken)?;
    record.ok_or_else(|| ApiError::not_found("there is no such match"))
}
