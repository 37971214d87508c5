//! Playout policies that learn during the search: averages of moves, and of sequences of moves.
//!
//! MAST (Finnsson and Björnsson 2008) and NST (Tak, Winands and Björnsson 2012), both epsilon-greedy. Each
//! thread learns for itself, so nothing is shared.

use game::Move;
use game::playout::Random;
use rustc_hash::FxHashMap;

use super::amaf::Made;
use super::options::{self, Options};
use super::select::unit;

/// Sequences count once they were seen that often (Tak et al. 2012).
const ENOUGH: f32 = 7.0;
/// More sequences than this are forgotten.
const MOST_SEQUENCES: usize = 1 << 20;
/// What is left of the counts when the match goes on: own choice, after the decay of Tak et al. 2014.
const DECAY: f32 = 0.2;

#[derive(Clone, Copy, Debug, Default)]
struct Average {
    sum: f32,
    count: f32,
}

impl Average {
    fn add(&mut self, value: f32) {
        self.sum += value;
        self.count += 1.0;
    }

    fn decay(&mut self) {
        self.sum *= DECAY;
        self.count *= DECAY;
    }
}

/// What was learned about moves.
#[derive(Debug, Default)]
pub(super) struct Policy {
    /// For each role, by the number of the move.
    moves: Vec<Vec<Average>>,
    /// By role, move and what was played before.
    sequences: FxHashMap<(u32, u32, u32, u8), Average>,
}

impl Policy {
    /// Chooses among moves of a role, as the options say. `after` is what was played before.
    pub(super) fn choose(
        &self,
        options: &Options,
        role: usize,
        moves: &[Move],
        after: [u32; 2],
        random: &mut Random,
    ) -> Move {
        let any = random.below(moves.len());
        if moves.len() == 1
            || options.policy == options::Policy::Uniform
            || unit(random) < options.epsilon
        {
            return moves[any];
        }
        let mut best = (f32::NEG_INFINITY, moves[any]);
        for action in moves[any..].iter().chain(&moves[..any]) {
            let value = self.value(options, role, *action, after);
            if value > best.0 {
                best = (value, *action);
            }
        }
        best.1
    }

    fn value(&self, options: &Options, role: usize, action: Move, after: [u32; 2]) -> f32 {
        let own = self.moves.get(role).and_then(|own| own.get(action.index()));
        let Some(own) = own.filter(|own| own.count > 0.0) else {
            // Moves that were never made are worth a try.
            return 100.0;
        };
        let (mut sum, mut parts) = (own.sum / own.count, 1.0);
        if options.policy == options::Policy::Nst {
            for (length, after) in (2_u8..).zip(after) {
                let key = (role as u32, action.0, after, length);
                if let Some(known) = self.sequences.get(&key).filter(|known| known.count >= ENOUGH)
                {
                    sum += known.sum / known.count;
                    parts += 1.0;
                }
            }
        }
        sum / parts
    }

    /// Learns from the moves of a simulation.
    pub(super) fn learn(&mut self, options: &Options, made: &[Made], values: &[f64]) {
        if options.policy == options::Policy::Uniform {
            return;
        }
        self.moves.resize(values.len(), Vec::new());
        if self.sequences.len() > MOST_SEQUENCES {
            self.sequences.clear();
        }
        for made in made {
            let value = values[made.role as usize] as f32;
            let own = &mut self.moves[made.role as usize];
            if made.action.index() >= own.len() {
                own.resize(made.action.index() + 1, Average::default());
            }
            own[made.action.index()].add(value);
            if options.policy == options::Policy::Nst {
                for (length, after) in (2_u8..).zip(made.after) {
                    let key = (made.role, made.action.0, after, length);
                    self.sequences.entry(key).or_default().add(value);
                }
            }
        }
    }

    /// The match went on: old counts weigh less.
    pub(super) fn decay(&mut self) {
        self.moves.iter_mut().flatten().for_each(Average::decay);
        self.sequences.retain(|_, known| {
            known.decay();
            known.count >= 0.5
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(action: u32, after: u32) -> Made {
        Made { role: 0, action: Move(action), after: [after, 0] }
    }

    #[test]
    fn a_policy_prefers_what_paid_and_what_paid_after_the_same_move() {
        let moves = [Move(0), Move(1)];
        let mast = Options { policy: options::Policy::Mast, epsilon: 0.0, ..Options::default() };
        let nst = Options { policy: options::Policy::Nst, ..mast.clone() };
        let mut policy = Policy::default();
        for _ in 0..20 {
            policy.learn(&nst, &[made(0, 5)], &[90.0]);
            policy.learn(&nst, &[made(1, 5)], &[40.0]);
            policy.learn(&nst, &[made(0, 6)], &[10.0]);
            policy.learn(&nst, &[made(1, 6)], &[50.0]);
        }
        let mut random = Random::new(1);
        let mut choose = |options: &Options, after: u32| {
            policy.choose(options, 0, &moves, [after, 9], &mut random)
        };
        assert_eq!((choose(&mast, 5), choose(&mast, 6)), (Move(0), Move(0)));
        assert_eq!((choose(&nst, 5), choose(&nst, 6)), (Move(0), Move(1)));
        policy.decay();
        policy.decay();
        assert!(policy.sequences.len() < 8);
    }
}
