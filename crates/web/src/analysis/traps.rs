//! How dense a game is with search traps, from a small sample of its states (see `search::traps`).

use std::time::Duration;

use game::playout::Random;
use game::{Deadline, ReasonError};
use search::Effort;
use search::traps::{Prover, Risk, examine, longest_play, random_state};
use serde_json::{Value, json};

use super::Section;
use crate::sheets::Sheet;

/// The most states, the deepest level, and the effort for each state.
const MOST: usize = 200;
const LEVEL: u32 = 3;
const NODES: u64 = 100_000;
/// The random plays that tell how long the game is.
const PLAYS: (u32, u32) = (50, 1000);

/// The section.
pub fn section(sheet: &Sheet, time: Duration) -> Section {
    let deadline = Deadline::within(time);
    let found = match sample(sheet, &deadline) {
        Ok(found) if found.is_empty() => return (Err("out of time".to_owned()), None),
        Ok(found) => found,
        Err(error) => return (Err(error.to_string()), None),
    };
    let count = |fits: &dyn Fn(&Risk) -> bool| found.iter().filter(|risk| fits(risk)).count();
    let levels: Value = (0..=LEVEL)
        .map(|level| {
            json!({"level": level, "states": count(&|risk| risk.deepest() == Some(level)),
                   "traps": found.iter().filter(|risk| risk.at_risk()).flat_map(|risk| &risk.traps)
                       .filter(|trap| **trap == level).count()})
        })
        .collect();
    let data = json!({
        "states": found.len(),
        "level": LEVEL,
        "at_risk": count(&Risk::at_risk),
        "lost": count(&|risk| risk.lost),
        "moves": found.iter().map(|risk| risk.moves).sum::<usize>(),
        "unfinished": count(&|risk| risk.searched != Some(LEVEL)),
        "levels": levels,
    });
    (Ok(data), None)
}

fn sample(sheet: &Sheet, deadline: &Deadline) -> Result<Vec<Risk>, ReasonError> {
    let limits = game::Limits { deadline: deadline.instant(), ..game::Limits::default() };
    let machine = || sheet.reasoner.machine_with(limits.clone());
    let gates = sheet.reasoner.gates();
    let tops =
        sheet.game.role_ids().map(|role| gates.map_or(100, |gates| gates.largest_reward(role).0));
    let effort = Effort { deadline: deadline.clone(), nodes: Some(NODES), depth: None };
    let mut prover = Prover::new(machine(), tops.collect(), effort);
    let mut random = Random::new(1);
    let longest = longest_play(&mut *machine(), &mut random, PLAYS.0, PLAYS.1)?;
    let mut found = Vec::new();
    while found.len() < MOST && !deadline.passed() {
        let Some(sampled) = random_state(prover.machine(), &mut random, longest)? else { break };
        match examine(&mut prover, &sampled, LEVEL) {
            Ok(risk) => found.push(risk),
            // What was found before counts.
            Err(_) if !found.is_empty() => break,
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}
