//! What random play tells: the class of the game, lengths, results, branching.

use std::collections::BTreeMap;
use std::time::Duration;

use game::playout::{End, Random, playout};
use game::{Deadline, Machine, State};
use prove::{Kind, Told, Verdict};
use search::class::{self, Sampling};
use serde_json::{Value, json};

use super::Section;
use crate::sheets::Sheet;

/// The most playouts, and the longest.
const MOST: u32 = 2000;
const LONGEST: usize = 2000;
/// The most steps whose branching is told.
const MOST_STEPS: usize = 200;

fn machine(sheet: &Sheet, deadline: &Deadline) -> Box<dyn Machine> {
    let limits = game::Limits { deadline: deadline.instant(), ..game::Limits::default() };
    sheet.reasoner.machine_with(limits)
}

/// What kind of game it is.
pub fn overview(sheet: &Sheet) -> Section {
    let deadline = Deadline::within(Duration::from_secs(3));
    let sampling = Sampling { deadline: deadline.clone(), ..Sampling::default() };
    let (class, _) = match class::sample(&mut *machine(sheet, &deadline), &sampling) {
        Ok(found) => found,
        Err(error) => return (Err(error.to_string()), None),
    };
    let gates = sheet.reasoner.gates();
    let moves = gates.map(|gates| gates.moves().iter().map(Vec::len).sum::<usize>());
    let data = json!({
        "roles": sheet.roles(),
        "class": library::about(&sheet.rules).class,
        "turn_taking": class.turn_taking.value,
        "constant_sum": class.constant_sum.value,
        "proved": {"turn_taking": class.turn_taking.is_proved(), "constant_sum": class.constant_sum.is_proved()},
        "machine": sheet.reasoner.status().to_string(),
        "fluents": gates.map(|gates| gates.fluents().len()),
        "moves": moves,
        "length": {"mean": class.mean_length},
        "joint_moves": class.mean_joint_moves,
        "rewards": class.rewards.iter().map(|known| vec![known.value.0, known.value.1]).collect::<Vec<_>>(),
    });
    (Ok(data), None)
}

/// The data of an overview with what proofs say about what was only guessed; none if they say nothing.
pub fn with_proofs(overview: &Value, proofs: &Told) -> Option<Value> {
    let mut data = overview.clone();
    for finding in &proofs.0 {
        let holds = match finding.verdict {
            Verdict::Proved { .. } => true,
            Verdict::Refuted { .. } => false,
            Verdict::Unknown { .. } => continue,
        };
        match finding.property.kind {
            Kind::TurnTaking if data["turn_taking"] == true => {
                data["turn_taking"] = json!(holds);
                data["proved"]["turn_taking"] = json!(true);
            }
            Kind::ConstantSum { total } if data["constant_sum"] == total => {
                data["constant_sum"] = if holds { json!(total) } else { Value::Null };
                data["proved"]["constant_sum"] = json!(true);
            }
            _ => {}
        }
    }
    (data != *overview).then_some(data)
}

#[derive(Default)]
struct Seen {
    playouts: u32,
    no_end: u32,
    lengths: BTreeMap<usize, u64>,
    goals: Vec<BTreeMap<u8, u64>>,
    /// By step the sum of legal moves of those who have a choice, and how often the step was reached.
    branching: Vec<(f64, u64)>,
}

impl Seen {
    fn play(
        &mut self,
        machine: &mut dyn Machine,
        start: &State,
        random: &mut Random,
    ) -> Result<(), game::ReasonError> {
        let played = playout(machine, start, random, LONGEST)?;
        self.playouts += 1;
        match played.end {
            End::Terminal(goals) => {
                *self.lengths.entry(played.moves.len()).or_default() += 1;
                for (of_role, goal) in self.goals.iter_mut().zip(goals) {
                    if let Some(goal) = goal.value() {
                        *of_role.entry(goal.0).or_default() += 1;
                    }
                }
            }
            _ => self.no_end += 1,
        }
        let roles: Vec<game::Role> = machine.game().role_ids().collect();
        let mut moves = Vec::new();
        for (step, state) in
            played.states.iter().take(played.moves.len().min(MOST_STEPS)).enumerate()
        {
            let mut joint = 1.0;
            for role in &roles {
                machine.legal_moves(state, *role, &mut moves)?;
                joint *= moves.len().max(1) as f64;
            }
            if self.branching.len() <= step {
                self.branching.push((0.0, 0));
            }
            self.branching[step].0 += joint;
            self.branching[step].1 += 1;
        }
        Ok(())
    }
}

fn mean(histogram: impl Iterator<Item = (f64, u64)>) -> Option<f64> {
    let (sum, count) =
        histogram.fold((0.0, 0), |(sum, all), (value, n)| (sum + value * n as f64, all + n));
    (count > 0).then(|| sum / count as f64)
}

/// Statistics of random play from a state.
pub fn random(sheet: &Sheet, state: &State, time: Duration) -> Section {
    let deadline = Deadline::within(time);
    let mut machine = machine(sheet, &deadline);
    let mut random = Random::new(1);
    let mut seen =
        Seen { goals: vec![BTreeMap::new(); sheet.game.roles().len()], ..Seen::default() };
    let mut note = None;
    while seen.playouts < MOST && !deadline.passed() {
        if let Err(error) = seen.play(&mut *machine, state, &mut random) {
            note = Some(error.to_string());
            break;
        }
    }
    if seen.playouts == 0 {
        return (Err(note.unwrap_or_else(|| "out of time".to_owned())), None);
    }
    let goals = seen.goals.iter().enumerate().map(|(role, histogram)| {
        let pairs: Vec<(u8, u64)> = histogram.iter().map(|(goal, count)| (*goal, *count)).collect();
        json!({"role": role, "mean": mean(pairs.iter().map(|(goal, n)| (f64::from(*goal), *n))),
               "histogram": pairs})
    });
    let lengths: Vec<(usize, u64)> =
        seen.lengths.iter().map(|(length, count)| (*length, *count)).collect();
    let by_step: Vec<f64> =
        seen.branching.iter().map(|(sum, count)| sum / (*count).max(1) as f64).collect();
    let data = json!({
        "playouts": seen.playouts, "no_end": seen.no_end,
        "length": {"least": lengths.first().map(|(length, _)| length), "most": lengths.last().map(|(length, _)| length),
                   "mean": mean(lengths.iter().map(|(length, n)| (*length as f64, *n))), "histogram": lengths},
        "goals": goals.collect::<Value>(),
        "branching": {"mean": mean(seen.branching.iter().map(|(sum, n)| (sum / (*n).max(1) as f64, *n))),
                      "by_step": by_step},
    });
    (Ok(data), note)
}
