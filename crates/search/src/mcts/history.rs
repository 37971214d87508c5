//! What moves were worth wherever they were tried in the graph: a guess for the same move where it was not tried yet.
//!
//! Progressive history (Nijssen and Winands 2011) adds the mean result of a move in all simulations to UCB. Departure: what is
//! kept is the advantage, the result less the mean of the node in which the move was made, as results tell more about how good a
//! position is than about the move; and it counts like some visits, as node priors do (Gelly and Silver 2007), so that a node
//! of many moves need not try each of them before it tries one again.

use game::Move;

use super::node::{Expansion, Node, SharedF32};

/// The mean is that of so many of the last tries, about.
const REMEMBERED: f64 = 2000.0;
/// What is left of the number of tries when the match goes on.
const FADE: f64 = 0.2;
/// A move counts as if it had been made so many times more without advantage.
const SHRINKAGE: f64 = 8.0;

/// A move of a role.
#[derive(Debug)]
struct Record {
    tries: SharedF32,
    /// The mean advantage, in parts of the greatest reward.
    mean: SharedF32,
}

/// What is known about all moves; empty where nobody asks.
#[derive(Debug, Default)]
pub(super) struct History {
    /// The moves of one role after those of another.
    records: Box<[Record]>,
    moves: usize,
}

impl History {
    pub(super) fn new(roles: usize, moves: usize) -> Self {
        let new = || Record { tries: SharedF32::new(0.0), mean: SharedF32::new(0.0) };
        Self { records: (0..roles * moves).map(|_| new()).collect(), moves }
    }

    /// Learns what a move yielded more than the node did before.
    pub(super) fn learn(&self, role: usize, action: Move, advantage: f64) {
        let Some(record) = self.record(role, action) else { return };
        let tries = record.tries.get() + 1.0;
        let mean = record.mean.get();
        let remembered = tries.min(REMEMBERED);
        record.mean.set(mean + (advantage - mean) / remembered);
        record.tries.set(remembered);
    }

    /// The advantage of a move, less where it was hardly ever tried.
    pub(super) fn advantage(&self, role: usize, action: Move) -> f64 {
        self.record(role, action).map_or(0.0, |record| {
            let tries = record.tries.get();
            record.mean.get() * tries / (tries + SHRINKAGE)
        })
    }

    /// Tells a node what all its moves may be worth, and with that which to try next. Asked now and then, not for each choice: what is known
    /// about moves in general changes slowly. Of moves that may be worth the same those after a place come first.
    pub(super) fn guess(&self, node: &Node, expansion: &Expansion, turn: usize) {
        let edges = &expansion.edges;
        for role in (0..node.roles.len()).filter(|role| node.roles[*role].count > 1) {
            let advantage = |at: usize| self.advantage(role, node.moves[at]);
            for edge in edges.within(node.range(role)) {
                edge.guess.set(advantage(edge.place()));
            }
            edges.find_next(turn, advantage);
        }
    }

    /// The match went on: what was learned counts less than what comes.
    pub(super) fn fade(&self) {
        for record in &self.records {
            record.tries.set(record.tries.get() * FADE);
        }
    }

    fn record(&self, role: usize, action: Move) -> Option<&Record> {
        // Without a circuit moves are met as they come, and some have no place.
        let known = action.index() < self.moves;
        known.then(|| self.records.get(role * self.moves + action.index())).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_that_did_better_than_their_nodes_have_an_advantage_and_strangers_have_none() {
        let history = History::new(2, 3);
        for _ in 0..40 {
            history.learn(1, Move(0), 0.2);
            history.learn(1, Move(2), -0.3);
        }
        let of = |role, action| history.advantage(role, Move(action));
        assert!(of(1, 0) > 0.1 && of(1, 0) < 0.2, "{}", of(1, 0));
        assert!(of(1, 2) < -0.2 && of(1, 2) > -0.3, "{}", of(1, 2));
        assert!(of(1, 1).abs() < 1e-9 && of(0, 0).abs() < 1e-9 && of(7, 0).abs() < 1e-9);
        assert!(of(0, 3).abs() < 1e-9, "not that of another role");
        history.fade();
        assert!(of(1, 0) < 0.11, "less is known than before");
        history.learn(1, Move(0), -0.5);
        assert!(of(1, 0) < 0.08, "new results weigh more");
        assert!(History::default().advantage(0, Move(0)).abs() < 1e-9);
    }
}
