//! Games of one role: search as in planning. A plan leads to an end; the best one found is kept, followed, and
//! improved while it does not get the largest reward.
//!
//! No method is good at all puzzles, so [`Planner`] runs several in turn, each time with twice the effort:
//! in layers (complete where the layers fit, a beam where they do not), best first by novelty, depth first
//! with the evaluator, by rollouts (greedy ones and nested ones), and with a [`Distance`] where somebody supplies one. Whoever reached
//! most by himself gets more time, and turns go on from move to move of a match.

mod beams;
mod best_first;
mod depth_first;
mod ida;
mod layers;
mod nested;
mod onward;
mod planner;

use game::{Evaluator, JointMove, Machine, Move, ReasonError, Role, State};

pub use beams::{BARELY, next_width};
pub use best_first::{Guide, best_first};
pub use depth_first::depth_first;
pub use ida::iterative_deepening_a_star;
pub use layers::{Score, layers};
pub use nested::{Adaptation, Nesting, nested_monte_carlo, policy_adaptation};
pub use onward::onward_rollouts;
pub use planner::{Planner, PlannerOptions};

use crate::effort::{Effort, Meter, Stop};
use crate::hash::{Key, Zobrist};
use crate::rewards::{Look, Turn, rewards};

/// Estimates how many moves a state is from an end with the largest reward.
pub trait Distance: Send {
    /// The moves to go; none where such an end cannot be reached any more.
    fn estimate(&mut self, state: &State) -> Option<u32>;

    /// Whether the estimate never exceeds the true distance, and "cannot be reached" is always true. Only
    /// then are plans found with it the shortest ones.
    fn is_admissible(&self) -> bool;
}

/// The distance that knows nothing: 0 everywhere.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unknown;

impl Distance for Unknown {
    fn estimate(&mut self, _: &State) -> Option<u32> {
        Some(0)
    }

    fn is_admissible(&self) -> bool {
        true
    }
}

/// Moves that lead to an end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The moves.
    pub moves: Vec<Move>,
    /// The reward at the end.
    pub reward: u8,
}

/// How a method of planning ended, if it was not stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With a plan for the largest reward.
    Best,
    /// All states were seen: there is nothing better than what was found.
    Exhausted,
    /// Without a proof.
    Open,
}

/// What the methods of planning share: the game, the effort, the best plan so far.
pub struct Planning<'m> {
    machine: &'m mut dyn Machine,
    meter: Meter,
    zobrist: Zobrist,
    /// Fluents that do not count when states are compared.
    ignored: State,
    /// The largest reward that is possible.
    top: u8,
    memory: usize,
    look: Look,
    /// Whether of plans that do not get the largest reward the longest is wanted.
    patient: bool,
    /// Decides between states that score the same.
    salt: u64,
    /// The best plan found.
    pub best: Option<Plan>,
    /// The deepest state looked at.
    pub deepest: u32,
}

const ROLE: Role = Role(0);

impl<'m> Planning<'m> {
    /// Plans for rewards up to `top`, within the effort and about `memory` bytes.
    pub fn new(machine: &'m mut dyn Machine, effort: &Effort, top: u8, memory: usize) -> Self {
        let zobrist = Zobrist::new(machine.game().universe().fluent_count());
        Self {
            machine,
            meter: Meter::start(effort),
            zobrist,
            ignored: State::new(),
            top,
            memory,
            look: Look::default(),
            patient: false,
            salt: 0,
            best: None,
            deepest: 0,
        }
    }

    /// Compares states without these fluents. Plans stay valid, since they are made of moves that were
    /// made; but that all states were seen proves nothing any more.
    #[must_use]
    pub fn ignoring(mut self, fluents: State) -> Self {
        self.ignored = fluents;
        self
    }

    /// Of plans with the same reward below the largest the longest is kept: whoever follows it has the most
    /// time to find a better one. Without, it is the first one found.
    #[must_use]
    pub fn patiently(mut self) -> Self {
        self.patient = true;
        self
    }

    /// States made so far.
    pub fn nodes(&self) -> u64 {
        self.meter.nodes()
    }

    fn key(&self, state: &State) -> Key {
        if self.ignored.is_empty() {
            return self.zobrist.key(state);
        }
        let ignored = self.ignored.words().iter().copied().chain(std::iter::repeat(0));
        let words = state.words().iter().zip(ignored).map(|(word, ignored)| word & !ignored);
        self.zobrist.key(&State::from_words(words))
    }

    fn next(&mut self, state: &State, action: Move) -> Result<State, Stop> {
        self.meter.count()?;
        Ok(self.machine.next(state, &JointMove(vec![action]))?)
    }

    /// The legal moves; none at an end.
    fn moves(&mut self, state: &State, depth: u32) -> Result<Option<Vec<Move>>, Stop> {
        self.deepest = self.deepest.max(depth);
        let turn = self.look.at(self.machine, state)?;
        Ok((turn != Turn::End).then(|| self.look.moves[ROLE.index()].clone()))
    }

    /// Whether play is over by the rules.
    fn ends(&mut self, state: &State) -> Result<bool, Stop> {
        Ok(self.machine.is_terminal(state)?)
    }

    /// What the rules give in a state, be it an end or not.
    fn reward(&mut self, state: &State) -> Result<u8, Stop> {
        Ok(rewards(self.machine, state)?.first().copied().unwrap_or(0))
    }

    /// An end was reached; true if nothing can be better.
    fn reached(&mut self, reward: u8, path: impl FnOnce() -> Vec<Move>) -> bool {
        let patient = self.patient && reward < self.top;
        match &self.best {
            Some(best) if reward < best.reward => {}
            Some(best) if reward == best.reward => {
                if patient {
                    let moves = path();
                    if moves.len() > best.moves.len() {
                        self.best = Some(Plan { moves, reward });
                    }
                }
            }
            _ => self.best = Some(Plan { moves: path(), reward }),
        }
        reward >= self.top
    }

    /// How a complete search without the best end is to be understood.
    fn exhausted(&self) -> Ended {
        if self.ignored.is_empty() { Ended::Exhausted } else { Ended::Open }
    }
}

/// Plays a plan, and gives its states and the reward; none if it does not lead from `state` to an end.
pub fn replay(
    machine: &mut dyn Machine,
    state: &State,
    moves: &[Move],
) -> Result<Option<(Vec<State>, u8)>, ReasonError> {
    let mut states = vec![state.clone()];
    let mut look = Look::default();
    for action in moves {
        let state = &states[states.len() - 1];
        if look.at(machine, state)? == Turn::End || !look.moves[ROLE.index()].contains(action) {
            return Ok(None);
        }
        states.push(machine.next(state, &JointMove(vec![*action]))?);
    }
    let last = &states[states.len() - 1];
    if look.at(machine, last)? != Turn::End {
        return Ok(None);
    }
    let reward = rewards(machine, last)?.first().copied().unwrap_or(0);
    Ok(Some((states, reward)))
}

/// The value that an evaluator gives to the only role.
fn judged(evaluator: &mut dyn Evaluator, state: &State) -> f64 {
    let mut values = [50.0];
    evaluator.evaluate(state, &mut values);
    if values[0].is_finite() { values[0].clamp(0.0, 100.0) } else { 50.0 }
}

/// The states that a search made, as steps back to where it began.
#[derive(Default)]
struct Steps {
    parents: Vec<u32>,
    actions: Vec<Move>,
}

impl Steps {
    fn push(&mut self, parent: u32, action: Move) -> u32 {
        self.parents.push(parent);
        self.actions.push(action);
        self.parents.len() as u32
    }

    fn bytes(&self) -> usize {
        8 * self.parents.len()
    }

    /// The moves to a state; number 0 is where it began.
    fn path(&self, mut at: u32) -> Vec<Move> {
        let mut path = Vec::new();
        while at > 0 {
            path.push(self.actions[at as usize - 1]);
            at = self.parents[at as usize - 1];
        }
        path.reverse();
        path
    }
}
