//! Heuristic search or Monte-Carlo tree search? A guess from the game itself, within a part of the start clock.
//!
//! Rauber-14 finds that alpha-beta with h1 beats UCT in most games with many shallow traps, and may lose elsewhere.
//! Measured are therefore the density of shallow traps, the number of moves, the length of random play, and how much
//! h1 changes from one turn of a role to the next. A logistic regression on these, with a penalty on large weights,
//! gives the chance that heuristic search is the better choice. What it was made from, and how well it does on games
//! that it was not made from, is in `docs/traps.md`.

use std::sync::Arc;

use game::playout::{Random, random_joint_move};
use game::{Deadline, Machine, ReasonError, Reasoner, Role, State};
use search::traps::{Prover, examine, longest_play, random_state};
use search::{Effort, Look, Turn};

use crate::heuristic::{Far, Heuristic, Relaxed};
use crate::predict_data;
use crate::relaxation::Relaxation;

/// What is measured of a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Features {
    /// The part of states with a trap of level 1 to 3. Traps of level 0 are left out: nobody falls into them.
    pub traps: f64,
    /// The mean number of moves of the role to move.
    pub branching: f64,
    /// The mean length of random play.
    pub length: f64,
    /// The mean change of h1 from one state to the next but one, from 0 to 2.
    pub change: f64,
}

impl Features {
    /// On a scale that suits a linear model.
    fn row(&self) -> [f64; INPUTS] {
        [1.0, self.traps, self.branching.max(1.0).ln(), self.length.max(1.0).ln(), self.change]
    }
}

/// What to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Alpha-beta with h1.
    Heuristic,
    /// Monte-Carlo tree search.
    MonteCarlo,
}

/// How much to measure at most.
#[derive(Clone, Debug)]
pub struct Measuring {
    /// States to sample.
    pub states: u32,
    /// Nodes to look for traps in each.
    pub nodes: u64,
    /// The seed.
    pub seed: u64,
    /// The end of the time; what was measured by then counts.
    pub deadline: Deadline,
}

impl Default for Measuring {
    fn default() -> Self {
        Self { states: 100, nodes: 20_000, seed: 1, deadline: Deadline::never() }
    }
}

const LEVEL: u32 = 3;
/// Random plays that tell how long the game is, and the longest that is waited for.
const PLAYS: (u32, u32) = (20, 500);

/// Measures a game. None if there was no time for a single state, or the game has no choices.
pub fn measure(
    reasoner: &Reasoner,
    shared: &Arc<Relaxation>,
    measuring: &Measuring,
) -> Result<Option<Features>, ReasonError> {
    let mut random = Random::new(measuring.seed);
    let mut machine = reasoner.machine();
    let Some((length, branching, change)) =
        random_play(&mut *machine, shared, measuring, &mut random)?
    else {
        return Ok(None);
    };
    let tops = reasoner.game().role_ids().map(|role| match reasoner.gates() {
        Some(gates) => gates.largest_reward(role).0,
        None => 100,
    });
    let effort =
        Effort { deadline: measuring.deadline.clone(), nodes: Some(measuring.nodes), depth: None };
    let prover = Prover::new(reasoner.machine(), tops.collect(), effort);
    let mut prover = prover.with_reach(Box::new(Far::new(shared)));
    let longest = longest_play(&mut *machine, &mut random, PLAYS.0, PLAYS.1)?;
    let (mut states, mut risky) = (0u32, 0u32);
    while states < measuring.states && !measuring.deadline.passed() {
        let found = random_state(prover.machine(), &mut random, longest)?;
        let Some(sampled) = found else { break };
        let risk = examine(&mut prover, &sampled, LEVEL)?;
        risky += u32::from(risk.at_risk() && risk.deepest().is_some_and(|level| level > 0));
        states += 1;
    }
    let traps = f64::from(risky) / f64::from(states.max(1));
    Ok(Some(Features { traps, branching, length, change }))
}

/// Length, branching and change of h1 in random play.
fn random_play(
    machine: &mut dyn Machine,
    shared: &Arc<Relaxation>,
    measuring: &Measuring,
    random: &mut Random,
) -> Result<Option<(f64, f64, f64)>, ReasonError> {
    let mut evaluator = Relaxed::new(shared, Heuristic::H1);
    let mut seen = Seen::default();
    let initial = machine.initial()?;
    for _ in 0..PLAYS.0 {
        let mut state = initial.clone();
        seen.values.clear();
        for _ in 0..PLAYS.1 {
            if measuring.deadline.passed() || !seen.at(machine, &mut evaluator, &state)? {
                break;
            }
            let Some(joint) = random_joint_move(machine, &state, random)? else { break };
            state = machine.next(&state, &joint)?;
            seen.steps += 1.0;
        }
        seen.plays += 1.0;
        if measuring.deadline.passed() {
            break;
        }
    }
    let mean = |sum: f64, count: f64| sum / count.max(1.0);
    let found = (seen.turns > 0.0).then(|| {
        let length = mean(seen.steps, seen.plays);
        (length, mean(seen.moves, seen.turns), mean(seen.change, seen.changes))
    });
    Ok(found)
}

#[derive(Default)]
struct Seen {
    plays: f64,
    steps: f64,
    turns: f64,
    moves: f64,
    changes: f64,
    change: f64,
    values: Vec<f64>,
}

impl Seen {
    /// Notes a state; false at an end.
    fn at(
        &mut self,
        machine: &mut dyn Machine,
        evaluator: &mut Relaxed,
        state: &State,
    ) -> Result<bool, ReasonError> {
        let mut look = Look::default();
        let turn = look.at(machine, state)?;
        if turn == Turn::End {
            return Ok(false);
        }
        let most = look.moves.iter().map(Vec::len).max().unwrap_or(1);
        self.turns += 1.0;
        self.moves += most as f64;
        self.values.push(evaluator.value(state, Role(0)));
        if let [.., before, _, now] = self.values[..] {
            self.changes += 1.0;
            self.change += f64::abs(now - before);
        }
        Ok(true)
    }
}

const INPUTS: usize = 5;

/// A logistic regression.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    mean: [f64; INPUTS],
    scale: [f64; INPUTS],
    weights: [f64; INPUTS],
}

/// A game that was played: what was measured, and the mean result of heuristic search from -1 to 1.
pub type Played = (Features, f64);

/// The games that [`Model::known`] is made from, with their names in the library.
pub fn known_games() -> impl Iterator<Item = (&'static str, Played)> {
    predict_data::GAMES.iter().map(|(name, features, result)| (*name, (*features, *result)))
}

const ROUNDS: usize = 4000;
const RATE: f64 = 0.3;
/// The penalty on squares of weights.
const PENALTY: f64 = 0.05;

impl Model {
    /// The model of the games in `docs/traps.md`.
    pub fn known() -> Self {
        let games: Vec<Played> = known_games().map(|(_, game)| game).collect();
        Self::fit(&games)
    }

    /// Fits a model by gradient descent; results count as chances.
    pub fn fit(games: &[Played]) -> Self {
        let count = games.len().max(1) as f64;
        let rows: Vec<[f64; INPUTS]> = games.iter().map(|(features, _)| features.row()).collect();
        let (mut mean, mut scale) = ([0.0; INPUTS], [1.0; INPUTS]);
        for input in 1..INPUTS {
            mean[input] = rows.iter().map(|row| row[input]).sum::<f64>() / count;
            let squares = rows.iter().map(|row| (row[input] - mean[input]).powi(2)).sum::<f64>();
            scale[input] = (squares / count).sqrt().max(1e-9);
        }
        let mut model = Self { mean, scale, weights: [0.0; INPUTS] };
        for _ in 0..ROUNDS {
            let mut slope = model.weights.map(|weight| PENALTY * weight);
            slope[0] = 0.0;
            for (row, (features, result)) in rows.iter().zip(games) {
                let error = model.chance(features) - f64::midpoint(result.clamp(-1.0, 1.0), 1.0);
                for (input, slope) in slope.iter_mut().enumerate() {
                    *slope += error * model.scaled(row, input) / count;
                }
            }
            for (weight, slope) in model.weights.iter_mut().zip(slope) {
                *weight -= RATE * slope;
            }
        }
        model
    }

    fn scaled(&self, row: &[f64; INPUTS], input: usize) -> f64 {
        (row[input] - self.mean[input]) / self.scale[input]
    }

    /// The chance that heuristic search is better.
    pub fn chance(&self, features: &Features) -> f64 {
        let row = features.row();
        let sum: f64 = (0..INPUTS).map(|at| self.weights[at] * self.scaled(&row, at)).sum();
        1.0 / (1.0 + (-sum).exp())
    }

    /// What to use, and the chance that it is better.
    pub fn choose(&self, features: &Features) -> (Choice, f64) {
        let chance = self.chance(features);
        if chance >= 0.5 { (Choice::Heuristic, chance) } else { (Choice::MonteCarlo, 1.0 - chance) }
    }

    /// The weights of traps, branching, length and change, for standardised features.
    pub fn weights(&self) -> [f64; INPUTS - 1] {
        [self.weights[1], self.weights[2], self.weights[3], self.weights[4]]
    }
}

/// For each game the chance that a model made from the others gives to heuristic search.
pub fn leave_one_out(games: &[Played]) -> Vec<f64> {
    let others = |left: usize| -> Vec<Played> {
        games.iter().enumerate().filter(|(at, _)| *at != left).map(|(_, game)| *game).collect()
    };
    (0..games.len()).map(|at| Model::fit(&others(at)).chance(&games[at].0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(traps: f64, branching: f64) -> Features {
        Features { traps, branching, length: 40.0, change: 0.1 }
    }

    #[test]
    fn a_model_finds_what_the_games_have_in_common() {
        // Traps decide, the number of moves does not.
        let games: Vec<Played> = (0..12)
            .map(|at| {
                let many = at % 2 == 0;
                let result = if many { 0.8 } else { -0.8 };
                (game(if many { 0.4 } else { 0.05 }, f64::from(5 + at)), result)
            })
            .collect();
        let model = Model::fit(&games);
        assert_eq!(model.choose(&game(0.5, 9.0)).0, Choice::Heuristic);
        assert_eq!(model.choose(&game(0.0, 9.0)).0, Choice::MonteCarlo);
        assert!(model.weights()[0] > 3.0 * model.weights()[1].abs());
        let chances = leave_one_out(&games);
        let right = chances
            .iter()
            .zip(&games)
            .filter(|(chance, (_, result))| (**chance >= 0.5) == (*result > 0.0));
        assert_eq!(right.count(), games.len());
    }

    #[test]
    fn models_of_nothing_and_of_one_game_are_defined() {
        assert!((Model::fit(&[]).chance(&game(0.5, 3.0)) - 0.5).abs() < 1e-9);
        let one = Model::fit(&[(game(0.1, 1.0), 1.0)]);
        assert!(one.chance(&game(0.7, 1e9)).is_finite());
        assert!(leave_one_out(&[(game(0.1, 1.0), 1.0)])[0].is_finite());
    }

    #[test]
    fn the_known_model_speaks_about_every_game() {
        let model = Model::known();
        for (name, (features, result)) in known_games() {
            let (_, chance) = model.choose(&features);
            assert!((0.5..=1.0).contains(&chance), "{name}");
            assert!((-1.0..=1.0).contains(&result) && features.branching >= 1.0, "{name}");
        }
    }
}
