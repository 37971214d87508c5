//! Positions of random play, each with what further random play from it was worth.

use game::{Batch, Deadline, State};

/// A position with the mean rewards of some playouts from it.
#[derive(Clone, Debug, PartialEq)]
pub struct Position {
    /// The state; not terminal.
    pub state: State,
    /// For each role the mean reward, from 0 to 1.
    pub rewards: Vec<f32>,
}

/// How much to play.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Positions wanted.
    pub positions: usize,
    /// Playouts from each.
    pub playouts: usize,
    /// The most moves of a playout.
    pub longest: u32,
    /// Moves of random play between two looks.
    pub pace: usize,
}

impl Default for Effort {
    fn default() -> Self {
        Self { positions: 50_000, playouts: 4, longest: 500, pace: 3 }
    }
}

/// How many looks in a row may show nothing.
const MOST_EMPTY: u32 = 16;

/// Gathers positions: the first batch plays on and on and is looked at now and then, the second plays out
/// what was seen.
pub fn gather(
    (walkers, players): &mut (Batch, Batch),
    effort: &Effort,
    deadline: &Deadline,
) -> Vec<Position> {
    let mut positions = Vec::new();
    let playouts = effort.playouts.max(1);
    let mut empty = 0;
    for round in 0u32.. {
        // Plays of one length end all at once: a look may meet nothing but ends. Many in a row mean that playouts
        // have no end, and more of it would not help.
        if positions.len() >= effort.positions || deadline.passed() || empty == MOST_EMPTY {
            break;
        }
        walkers.play(steps(effort.pace, round));
        let states: Vec<State> = (0..Batch::LANES).map(|lane| walkers.state(lane)).collect();
        let before = positions.len();
        for states in states.chunks((Batch::LANES / playouts).max(1)) {
            if deadline.passed() {
                break;
            }
            positions.extend(played(players, states, playouts, effort.longest));
        }
        empty = if positions.len() == before { empty + 1 } else { 0 };
    }
    positions.truncate(effort.positions);
    positions
}

/// The moves before the next look: at least the pace, at most twice as many. Walkers of a game whose plays all have the same
/// length are always equally far; steps of one length would show them at the same few places again and again.
/// Multiples of the golden ratio are spread evenly.
fn steps(pace: usize, round: u32) -> usize {
    let pace = pace.max(1);
    let spread = round.wrapping_mul(0x9E37_79B9) >> 16;
    pace + spread as usize % (pace + 1)
}

/// Plays out states; those whose playouts have no end with a reward are left out.
fn played<'s>(
    players: &mut Batch,
    states: &'s [State],
    playouts: usize,
    longest: u32,
) -> impl Iterator<Item = Position> + 's {
    let starts: Vec<&State> =
        states.iter().flat_map(|state| std::iter::repeat_n(state, playouts)).collect();
    let outcomes = players.playouts(&starts, longest);
    states.iter().enumerate().filter_map(move |(at, state)| {
        let own = &outcomes[at * playouts..(at + 1) * playouts];
        let ended = own.iter().flatten().filter(|outcome| outcome.terminal && outcome.length > 0);
        let mut sums: Vec<f32> = Vec::new();
        let mut count = 0.0;
        for outcome in ended {
            sums.resize(outcome.goals.len(), 0.0);
            for (sum, goal) in sums.iter_mut().zip(&outcome.goals) {
                *sum += goal.map_or(0.0, |goal| f32::from(goal.0) / 100.0);
            }
            count += 1.0;
        }
        for sum in &mut sums {
            *sum /= count;
        }
        (count > 0.0).then(|| Position { state: state.clone(), rewards: sums })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::{Budget, Game, Reasoner};

    #[test]
    fn plays_of_one_length_are_seen_at_every_step() {
        let game = Game::from_text(
            "(role you) (init (step 0)) (succ 0 1) (succ 1 2) (legal you go)
             (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
             (<= terminal (true (step 2))) (<= (goal you 100) terminal)",
        )
        .expect("sound");
        let reasoner = Reasoner::build(&game, &Budget::default());
        let mut batches = (reasoner.batch(1).expect("small"), reasoner.batch(2).expect("small"));
        let effort = Effort { positions: 5000, ..Effort::default() };
        let seen = gather(&mut batches, &effort, &Deadline::never());
        let mut states: Vec<State> = seen.into_iter().map(|position| position.state).collect();
        states.sort_unstable();
        states.dedup();
        assert_eq!(states.len(), 2, "the beginning and the middle");
    }
}
