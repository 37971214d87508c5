//! Nested Monte-Carlo search (Cazenave 2009) and nested rollout policy adaptation (Rosin 2011), for puzzles
//! with many levels of success.

use game::playout::Random;
use game::{Move, State};

use super::{Ended, Planning};
use crate::effort::Stop;

/// How deep and how wide to nest.
#[derive(Clone, Copy, Debug)]
pub struct Nesting {
    /// Levels.
    pub level: u32,
    /// Rollouts of the level below for each at a level of policy adaptation.
    pub repetitions: u32,
    /// How far a policy moves towards the best sequence at once.
    pub step: f64,
    /// The most moves of a rollout.
    pub longest: u32,
}

impl Default for Nesting {
    fn default() -> Self {
        Self { level: 3, repetitions: 50, step: 1.0, longest: 1000 }
    }
}

/// A sequence of moves with its reward; none if it reached no end.
#[derive(Clone, Debug, Default)]
struct Sequence {
    reward: Option<u8>,
    moves: Vec<Move>,
    /// The moves that were legal at each step.
    legal: Vec<Vec<Move>>,
}

/// One nested search from a state.
pub fn nested_monte_carlo(
    planning: &mut Planning<'_>,
    state: &State,
    level: u32,
    longest: u32,
    random: &mut Random,
) -> Result<Ended, Stop> {
    let found = nested(planning, state, level, longest, random, &[])?;
    Ok(ended(planning, found.0))
}

fn ended(planning: &Planning<'_>, reward: Option<u8>) -> Ended {
    if reward.is_some_and(|reward| reward >= planning.top) { Ended::Best } else { Ended::Open }
}

/// The best reward found below a state that `before` led to, and the moves to it.
fn nested(
    planning: &mut Planning<'_>,
    state: &State,
    level: u32,
    longest: u32,
    random: &mut Random,
    before: &[Move],
) -> Result<(Option<u8>, Vec<Move>), Stop> {
    let mut best: (Option<u8>, Vec<Move>) = (None, Vec::new());
    let mut path = before.to_vec();
    let mut state = state.clone();
    while let Some(moves) = planning.moves(&state, path.len() as u32)? {
        if path.len() as u32 >= longest {
            return Ok(best);
        }
        let at = path.len() - before.len();
        if level == 0 {
            path.push(moves[random.below(moves.len())]);
        } else {
            for action in moves {
                let next = planning.next(&state, action)?;
                path.push(action);
                let found = nested(planning, &next, level - 1, longest, random, &path)?;
                if found.0 > best.0 || best.1.len() <= at {
                    let start = path[before.len()..].iter().copied();
                    best = (found.0, start.chain(found.1).collect());
                }
                path.pop();
                if found.0.is_some_and(|reward| reward >= planning.top) {
                    return Ok(best);
                }
            }
            path.push(best.1[at]);
        }
        state = planning.next(&state, path[path.len() - 1])?;
    }
    let reward = planning.reward(&state)?;
    planning.reached(reward, || path.clone());
    if Some(reward) >= best.0 {
        best = (Some(reward), path[before.len()..].to_vec());
    }
    Ok(best)
}

/// Weights of moves, by their numbers.
#[derive(Clone, Default)]
struct Policy(Vec<f64>);

impl Policy {
    fn weight(&self, action: Move) -> f64 {
        self.0.get(action.index()).copied().unwrap_or(0.0)
    }

    fn add(&mut self, action: Move, amount: f64) {
        if self.0.len() <= action.index() {
            self.0.resize(action.index() + 1, 0.0);
        }
        // Far beyond this the other moves are never chosen anyway.
        self.0[action.index()] = (self.0[action.index()] + amount).clamp(-500.0, 500.0);
    }

    /// A move with a probability that grows with the exponential of its weight.
    fn choose(&self, moves: &[Move], random: &mut Random) -> Move {
        let most = moves.iter().map(|m| self.weight(*m)).fold(f64::NEG_INFINITY, f64::max);
        let likely: Vec<f64> = moves.iter().map(|m| (self.weight(*m) - most).exp()).collect();
        let total: f64 = likely.iter().sum();
        let mut rest = random.below(1 << 53) as f64 / (1_u64 << 53) as f64 * total;
        for (action, part) in moves.iter().zip(&likely) {
            rest -= part;
            if rest < 0.0 {
                return *action;
            }
        }
        moves[moves.len() - 1]
    }

    /// Moves towards a sequence (Rosin 2011, Adapt).
    fn adapt(&mut self, sequence: &Sequence, step: f64) {
        let old = self.clone();
        for (action, legal) in sequence.moves.iter().zip(&sequence.legal) {
            let most = legal.iter().map(|m| old.weight(*m)).fold(f64::NEG_INFINITY, f64::max);
            let total: f64 = legal.iter().map(|m| (old.weight(*m) - most).exp()).sum();
            self.add(*action, step);
            for other in legal {
                self.add(*other, -step * (old.weight(*other) - most).exp() / total);
            }
        }
    }
}

/// Nested rollout policy adaptation from a state.
pub fn policy_adaptation(
    planning: &mut Planning<'_>,
    state: &State,
    nesting: &Nesting,
    random: &mut Random,
) -> Result<Ended, Stop> {
    Adaptation::new(*nesting).run(planning, state, random)
}

/// One level: the policy, the best sequence it was adapted to, and how far it is.
#[derive(Clone, Default)]
struct Level {
    policy: Policy,
    best: Sequence,
    done: u32,
}

/// Nested rollout policy adaptation that can be stopped at any time and goes on where it was, also from a later state.
pub struct Adaptation {
    nesting: Nesting,
    /// The lowest level first.
    levels: Vec<Level>,
}

impl Adaptation {
    /// With no preferences yet.
    pub fn new(nesting: Nesting) -> Self {
        let levels = vec![Level::default(); nesting.level.max(1) as usize];
        Self { nesting, levels }
    }

    /// Goes on until the top level is through. Then it begins anew.
    pub fn run(
        &mut self,
        planning: &mut Planning<'_>,
        state: &State,
        random: &mut Random,
    ) -> Result<Ended, Stop> {
        loop {
            let policy = &self.levels[0].policy;
            let found = rollout(planning, state, self.nesting.longest, policy, random)?;
            if found.reward.is_some_and(|reward| reward >= planning.top) {
                return Ok(Ended::Best);
            }
            if self.take(found) {
                *self = Self::new(self.nesting);
                return Ok(Ended::Open);
            }
        }
    }

    /// Takes a sequence of the level below the lowest, and hands on what levels are through with; true where that is the top.
    fn take(&mut self, mut found: Sequence) -> bool {
        for at in 0..self.levels.len() {
            let level = &mut self.levels[at];
            level.done += 1;
            if found.reward >= level.best.reward {
                level.best = found;
            }
            level.policy.adapt(&level.best, self.nesting.step);
            if level.done < self.nesting.repetitions {
                let policy = level.policy.clone();
                for below in &mut self.levels[..at] {
                    *below = Level { policy: policy.clone(), ..Level::default() };
                }
                return false;
            }
            found = std::mem::take(&mut level.best);
        }
        true
    }

    /// A move was made: sequences that begin with it go on after it, others are forgotten. Preferences stay.
    pub fn advance(&mut self, action: Move) {
        for level in &mut self.levels {
            if level.best.moves.first() == Some(&action) {
                level.best.moves.remove(0);
                level.best.legal.remove(0);
            } else {
                level.best = Sequence::default();
            }
        }
    }
}

fn rollout(
    planning: &mut Planning<'_>,
    state: &State,
    longest: u32,
    policy: &Policy,
    random: &mut Random,
) -> Result<Sequence, Stop> {
    let mut sequence = Sequence::default();
    let mut state = state.clone();
    while let Some(moves) = planning.moves(&state, sequence.moves.len() as u32)? {
        if sequence.moves.len() as u32 >= longest {
            return Ok(sequence);
        }
        let action = policy.choose(&moves, random);
        state = planning.next(&state, action)?;
        sequence.moves.push(action);
        sequence.legal.push(moves);
    }
    let reward = planning.reward(&state)?;
    sequence.reward = Some(reward);
    planning.reached(reward, || sequence.moves.clone());
    Ok(sequence)
}
