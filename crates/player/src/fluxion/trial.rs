//! Two searches on trial: a few quick games of the game at hand, the first in turn on each seat.
//!
//! Which knowledge pays differs from game to game, and no feature of the rules tells it as well as the game
//! itself does. Moves take milliseconds, so a start clock has time for some twenty games.
//!
//! With more than two roles one search is alone among others that all search in the other way. Rewards less the mean of theirs would say
//! little then: of three roles the one that never wins is behind by half of what the winner gets, and of six by a fifth. So what counts is the share
//! of its mean reward in that and the mean reward of one of the others: by the choice axiom of Luce (1959), by which who is a
//! times as strong as each of the others wins a times as often as each of them does, that is how often it would win against one of them alone.

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
const EVEN: u8 = 50;
/// Random moves at the beginning of each round of games, so that games differ.
const OPENING: usize = 2;

/// A game that is over: which seat one search had alone, and what all roles got.
type Ended = (usize, Vec<u8>);

/// The games of a trial.
#[derive(Clone, Debug, Default)]
struct Score(Vec<Ended>);

impl Score {
    /// The points of the search that was alone.
    fn tally(&self) -> Tally {
        let roles = self.0.first().map_or(2, |(_, rewards)| rewards.len());
        let (own, other) = self.0.iter().fold((0.0, 0.0), |(own, other), (seat, rewards)| {
            (own + f64::from(rewards[*seat]) / 100.0, other + self.of_others(*seat, rewards))
        });
        if roles <= 2 {
            let games = self.0.len() as u32;
            return Tally { games, points: (f64::from(games) + own - other) / 2.0 };
        }
        let both = own + other;
        // A round of games in which each role wins once says as much as two games between two; no game says more than one of these.
        let says = |games: &u32| f64::from(*games) <= both + 0.5;
        let games = (1..=self.0.len() as u32).take_while(says).count() as u32;
        let share = if both > 0.0 { own / both } else { 0.5 };
        Tally { games, points: f64::from(games) * share }
    }

    /// What one of the others got on average, in parts of the greatest reward. Whoever got the same in every game is on the same side
    /// and tells nothing.
    fn of_others(&self, seat: usize, rewards: &[u8]) -> f64 {
        let mate = |role: usize| self.0.iter().all(|(_, got)| got[role] == got[seat]);
        let others = (0..rewards.len()).filter(|role| *role != seat && !mate(*role));
        let (count, sum) = others
            .fold((0.0, 0.0), |(count, sum), role| (count + 1.0, sum + f64::from(rewards[role])));
        if count > 0.0 { sum / 100.0 / count } else { f64::from(rewards[seat]) / 100.0 }
    }
}

/// A trial between two searches.
pub(super) struct Trial<'t> {
    pub(super) machine: &'t mut dyn Machine,
    /// The time for a move.
    pub(super) pace: Duration,
    /// The mean points of the first search at which it does not matter which one is chosen.
    pub(super) even: f64,
    /// Which of the two searches is alone on its seat: with more roles all others search in the other way.
    pub(super) lone: usize,
    pub(super) seed: u64,
}

impl Trial<'_> {
    /// Plays games until the result is clear or the deadline passes, one search on each seat in turn and the other one on all
    /// others; a game that is under way then does not count.
    pub(super) fn run(
        &mut self,
        searches: &mut [Box<dyn Search>; 2],
        deadline: &Deadline,
    ) -> Tally {
        let mut score = Score::default();
        let mut random = Random::new(self.seed);
        while !deadline.passed() && !self.tally(&score).is_clear(self.even) {
            let Ok(Some(start)) = self.opening(&mut random) else { break };
            for seat in 0..self.machine.game().roles().len() {
                match self.game(searches, &start, seat, (&mut random, deadline)) {
                    Ok(Some(rewards)) => score.0.push((seat, rewards)),
                    _ => return self.tally(&score),
                }
            }
        }
        self.tally(&score)
    }

    /// What the first search got, whoever is alone.
    fn tally(&self, score: &Score) -> Tally {
        let lone = score.tally();
        let others = f64::from(lone.games) - lone.points;
        if self.lone == 0 { lone } else { Tally { points: others, ..lone } }
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

    /// One game, in which the search that is alone has the role `seat`: what all roles got. None if it was not finished.
    fn game(
        &mut self,
        searches: &mut [Box<dyn Search>; 2],
        start: &State,
        seat: usize,
        (random, deadline): (&mut Random, &Deadline),
    ) -> Result<Option<Vec<u8>>, ReasonError> {
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
                return Ok(Some(rewards(self.machine, &state)?));
            }
            let mut joint: Vec<_> = look.moves.iter().map(|own| own[0]).collect();
            for role in (0..joint.len()).filter(|role| look.moves[*role].len() > 1) {
                let search = &mut searches[usize::from(role != seat) ^ self.lone];
                let end = Instant::now() + self.pace;
                let effort = Effort::until(deadline.not_after(end));
                let report = search.search(&state, Role(role as u32), &effort, &mut |_| ())?;
                let chosen = searcher::thought(&report, random);
                joint[role] = chosen.map_or(joint[role], |thought| thought.action);
            }
            state = self.machine.next(&state, &JointMove(joint))?;
        }
        Ok(Some(vec![EVEN; look.moves.len()]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(games: &[(usize, &[u8])]) -> Tally {
        Score(games.iter().map(|(seat, rewards)| (*seat, rewards.to_vec())).collect()).tally()
    }

    #[test]
    fn two_roles_share_the_points_of_each_game() {
        let won: &[u8] = &[100, 0];
        assert_eq!(tally(&[(0, won), (1, won), (0, &[50, 50])]), Tally { games: 3, points: 1.5 });
        assert!((tally(&[(0, &[80, 20])]).mean() - 0.8).abs() < 1e-9);
        assert!((tally(&[(1, &[100, 90])]).mean() - 0.45).abs() < 1e-9);
    }

    /// Whoever never wins has nothing, and whoever wins as often as each of the others has a half, however many there are.
    #[test]
    fn with_more_roles_points_say_how_often_one_would_win_against_one() {
        let [first, second, third]: [&[u8]; 3] = [&[100, 0, 0], &[0, 100, 0], &[0, 0, 100]];
        let round = [(0, first), (0, second), (0, third)];
        assert_eq!(tally(&round), Tally { games: 2, points: 1.0 });
        assert_eq!(tally(&round[1..]), Tally { games: 1, points: 0.0 });
        assert!((tally(&round[..2]).mean() - 2.0 / 3.0).abs() < 1e-9);
        let nobody: &[u8] = &[0, 0, 0];
        assert_eq!(tally(&[(0, nobody), (1, nobody)]).games, 0);
        let with_a_draw = [round[0], round[1], round[2], (1, nobody)];
        assert_eq!(tally(&with_a_draw), tally(&round), "that nobody won says nothing");
    }

    /// Two against two: the one who is alone wins and loses with its mate.
    #[test]
    fn who_always_gets_the_same_is_on_the_same_side() {
        let [ours, theirs]: [&[u8]; 2] = [&[100, 100, 0, 0], &[0, 0, 100, 100]];
        assert_eq!(tally(&[(0, ours), (2, theirs)]), Tally { games: 2, points: 2.0 });
        assert_eq!(tally(&[(0, ours), (1, theirs)]), Tally { games: 2, points: 1.0 });
    }
}
