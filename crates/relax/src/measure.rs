//! What of a game tells whether heuristic search or Monte-Carlo tree search plays it better, measured in a few seconds.

use std::sync::Arc;

use game::playout::{Random, random_joint_move};
use game::{Deadline, Evaluator, Machine, ReasonError, Reasoner, Role, State};
use search::traps::{Prover, examine, longest_play, random_state};
use search::{Effort, Look, Turn};

use crate::heuristic::Far;
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
    /// The mean change of the evaluation from one state to the next but one, from 0 to 2.
    pub change: f64,
    /// The correlation of the evaluation with the end of random play, from -1 to 1.
    pub merit: f64,
}

/// How much to measure at most.
#[derive(Clone, Debug)]
pub struct Measuring {
    /// States to sample for traps.
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
/// Random plays, and the longest that is waited for.
const PLAYS: (u32, u32) = (60, 500);
/// Random plays that tell from which depths states are sampled.
const LENGTHS: u32 = 20;

/// Measures a game and an evaluator of its states; the relaxation makes it faster. None if there was no time for a
/// single state, or the game has no choices.
pub fn measure(
    reasoner: &Reasoner,
    relaxation: Option<&Arc<Relaxation>>,
    evaluator: &mut dyn Evaluator,
    measuring: &Measuring,
) -> Result<Option<Features>, ReasonError> {
    let mut random = Random::new(measuring.seed);
    let mut machine = reasoner.machine();
    let mut seen = Seen::new(reasoner.game().roles().len());
    seen.random_play(&mut *machine, evaluator, measuring, &mut random)?;
    if seen.turns < 0.5 {
        return Ok(None);
    }
    let traps = traps(reasoner, relaxation, measuring, &mut random)?;
    Ok(Some(seen.features(traps)))
}

/// The part of states with a trap.
fn traps(
    reasoner: &Reasoner,
    relaxation: Option<&Arc<Relaxation>>,
    measuring: &Measuring,
    random: &mut Random,
) -> Result<f64, ReasonError> {
    let tops = reasoner.game().role_ids().map(|role| match reasoner.gates() {
        Some(gates) => gates.largest_reward(role).0,
        None => 100,
    });
    let effort =
        Effort { deadline: measuring.deadline.clone(), nodes: Some(measuring.nodes), depth: None };
    let mut prover = Prover::new(reasoner.machine(), tops.collect(), effort);
    if let Some(shared) = relaxation {
        prover = prover.with_reach(Box::new(Far::new(shared)));
    }
    let longest = longest_play(prover.machine(), random, LENGTHS, PLAYS.1)?;
    let (mut states, mut risky) = (0u32, 0u32);
    while states < measuring.states && !measuring.deadline.passed() {
        let found = random_state(prover.machine(), random, longest)?;
        let Some(sampled) = found else { break };
        let risk = examine(&mut prover, &sampled, LEVEL)?;
        risky += u32::from(risk.at_risk() && risk.deepest().is_some_and(|level| level > 0));
        states += 1;
    }
    Ok(f64::from(risky) / f64::from(states.max(1)))
}

/// Sums over states of random play.
#[derive(Default)]
struct Seen {
    plays: f64,
    steps: f64,
    turns: f64,
    moves: f64,
    changes: f64,
    change: f64,
    /// Values of the first role, from -1 to 1, in the play at hand.
    values: Vec<f64>,
    /// The same with the reward at the end.
    pairs: Vec<(f64, f64)>,
    /// One value for each role.
    all: Vec<f64>,
}

impl Seen {
    fn new(roles: usize) -> Self {
        Self { all: vec![50.0; roles], ..Self::default() }
    }

    fn random_play(
        &mut self,
        machine: &mut dyn Machine,
        evaluator: &mut dyn Evaluator,
        measuring: &Measuring,
        random: &mut Random,
    ) -> Result<(), ReasonError> {
        let initial = machine.initial()?;
        while self.plays < f64::from(PLAYS.0) {
            let mut state = initial.clone();
            self.values.clear();
            for _ in 0..PLAYS.1 {
                if measuring.deadline.passed() || !self.at(machine, evaluator, &state)? {
                    break;
                }
                let Some(joint) = random_joint_move(machine, &state, random)? else { break };
                state = machine.next(&state, &joint)?;
                self.steps += 1.0;
            }
            self.plays += 1.0;
            if measuring.deadline.passed() {
                break;
            }
        }
        Ok(())
    }

    /// Notes a state; false at an end.
    fn at(
        &mut self,
        machine: &mut dyn Machine,
        evaluator: &mut dyn Evaluator,
        state: &State,
    ) -> Result<bool, ReasonError> {
        let mut look = Look::default();
        if look.at(machine, state)? == Turn::End {
            let reward =
                machine.goal(state, Role(0))?.value().map_or(50.0, |goal| f64::from(goal.0));
            self.pairs.extend(self.values.iter().map(|value| (*value, reward)));
            return Ok(false);
        }
        let most = look.moves.iter().map(Vec::len).max().unwrap_or(1);
        self.turns += 1.0;
        self.moves += most as f64;
        evaluator.evaluate(state, &mut self.all);
        self.values.push(self.all.first().map_or(0.0, |value| value / 50.0 - 1.0));
        if let [.., before, _, now] = self.values[..] {
            self.changes += 1.0;
            self.change += f64::abs(now - before);
        }
        Ok(true)
    }

    fn features(&self, traps: f64) -> Features {
        let mean = |sum: f64, count: f64| sum / count.max(1.0);
        Features {
            traps,
            branching: mean(self.moves, self.turns),
            length: mean(self.steps, self.plays),
            change: mean(self.change, self.changes),
            merit: correlation(&self.pairs),
        }
    }
}

/// The correlation of pairs (Pearson); 0 where one of the two does not change.
fn correlation(pairs: &[(f64, f64)]) -> f64 {
    let count = pairs.len().max(1) as f64;
    let mean = |of: &dyn Fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(&|pair| pair.0), mean(&|pair| pair.1));
    let both = mean(&|pair| (pair.0 - x) * (pair.1 - y));
    let scale = (mean(&|pair| (pair.0 - x).powi(2)) * mean(&|pair| (pair.1 - y).powi(2))).sqrt();
    if scale < 1e-9 { 0.0 } else { (both / scale).clamp(-1.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn correlations_are_those_of_the_textbook() {
        assert!((correlation(&[(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]) - 1.0).abs() < 1e-9);
        assert!((correlation(&[(0.0, 5.0), (1.0, 3.0), (2.0, 1.0)]) + 1.0).abs() < 1e-9);
        // Deviations -1, 0, 1 and -1, 1, 0: 1 / sqrt(2 * 2).
        assert!((correlation(&[(1.0, 1.0), (2.0, 3.0), (3.0, 2.0)]) - 0.5).abs() < 1e-9);
        assert!(
            correlation(&[]).abs() < 1e-9 && correlation(&[(1.0, 2.0), (1.0, 3.0)]).abs() < 1e-9
        );
    }
}
