//! Two searches on trial: a few quick games of the game at hand, the first in turn on each seat.
//!
//! Which knowledge pays differs from game to game, and no feature of the rules tells it as well as the game
//! itself does. Moves take milliseconds, so a start clock has time for some twenty games.

use std::time::{Duration, Instant};

use game::playout::{Random, random_joint_move};
use game::{Deadline, JointMove, Machine, ReasonError, Role, State};
use search::{Effort, Look, Search, Turn, rewards};

use crate::searcher;

/// What games amounted to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Tally {
    /// Games finished.
    pub(super) games: u32,
    /// The points of the first search, from 0 to 1 for each game.
    pub(super) points: f64,
}

impl Tally {
    /// The mean points of the first search, half where nothing was played.
    pub(super) fn mean(&self) -> f64 {
        if self.games == 0 { 0.5 } else { self.points / f64::from(self.games) }
    }

    /// The mean points that the first search is to be expected to get, where so many `games` with `mean` points are already known
    /// of other games of this kind: games of a trial are few.
    pub(super) fn expected(&self, games: f64, mean: f64) -> f64 {
        (self.points + games * mean) / (f64::from(self.games) + games)
    }

    /// Whether the mean points differ from `even` by so much that chance hardly explains it: by [`CLEAR`] standard deviations of
    /// games that are won with that chance.
    pub(super) fn is_clear(&self, even: f64) -> bool {
        let deviation = (even * (1.0 - even) / f64::from(self.games.max(1))).sqrt();
        self.games >= FEWEST && (even - self.mean()).abs() >= CLEAR * deviation
    }
}

/// A trial is over when it is that clear after at least so many games.
const CLEAR: f64 = 2.2;
const FEWEST: u32 = 6;
/// Games are given up after that many moves and count as even.
const LONGEST: usize = 300;
/// Random moves at the beginning of each round of games, so that games differ.
const OPENING: usize = 2;

/// The points of a seat: a half if the others got as much on average.
fn points(ended: &[u8], seat: usize) -> f64 {
    let own = f64::from(ended[seat]);
    let others = ended.iter().map(|reward| f64::from(*reward)).sum::<f64>() - own;
    0.5 + (own - others / (ended.len() as f64 - 1.0).max(1.0)) / 200.0
}

/// A trial between two searches.
pub(super) struct Trial<'t> {
    pub(super) machine: &'t mut dyn Machine,
    /// The time for a move.
    pub(super) pace: Duration,
    /// The mean points of the first search at which it does not matter which one is chosen.
    pub(super) even: f64,
    pub(super) seed: u64,
}

impl Trial<'_> {
    /// Plays games until the result is clear or the deadline passes, the first search on each seat in turn and the second on all
    /// others; a game that is under way then does not count.
    pub(super) fn run(
        &mut self,
        searches: &mut [Box<dyn Search>; 2],
        deadline: &Deadline,
    ) -> Tally {
        let mut tally = Tally::default();
        let mut random = Random::new(self.seed);
        while !deadline.passed() && !tally.is_clear(self.even) {
            let Ok(Some(start)) = self.opening(&mut random) else { break };
            for first in 0..self.machine.game().roles().len() {
                match self.game(searches, &start, first, (&mut random, deadline)) {
                    Ok(Some(points)) => {
                        tally.games += 1;
                        tally.points += points;
                    }
                    _ => return tally,
                }
            }
        }
        tally
    }

    /// A state after some random moves; none if play ended on the way.
    fn opening(&mut self, random: &mut Random) -> Result<Option<State>, ReasonError> {
        let mut state = self.machine.initial()?;
        for _ in 0..OPENING {
            let Some(joint) = random_joint_move(self.machine, &state, random)? else {
                return Ok(None);
            };
            state = self.machine.next(&state, &joint)?;
        }
        Ok((!self.machine.is_terminal(&state)?).then_some(state))
    }

    /// One game; the points of the first search, which has the role `seat`. None if it was not finished.
    fn game(
        &mut self,
        searches: &mut [Box<dyn Search>; 2],
        start: &State,
        seat: usize,
        (random, deadline): (&mut Random, &Deadline),
    ) -> Result<Option<f64>, ReasonError> {
        for search in searches.iter_mut() {
            search.forget();
        }
        let mut state = start.clone();
        let mut look = Look::default();
        for _ in 0..LONGEST {
            if deadline.passed() {
                return Ok(None);
            }
            if look.at(self.machine, &state)? == Turn::End {
                let ended = rewards(self.machine, &state)?;
                return Ok(Some(points(&ended, seat)));
            }
            let mut joint: Vec<_> = look.moves.iter().map(|own| own[0]).collect();
            for role in (0..joint.len()).filter(|role| look.moves[*role].len() > 1) {
                let search = &mut searches[usize::from(role != seat)];
                let end = Instant::now() + self.pace;
                let effort = Effort::until(deadline.not_after(end));
                let report = search.search(&state, Role(role as u32), &effort, &mut |_| ())?;
                let chosen = searcher::thought(&report, random);
                joint[role] = chosen.map_or(joint[role], |thought| thought.action);
            }
            state = self.machine.next(&state, &JointMove(joint))?;
        }
        Ok(Some(0.5))
    }
}
