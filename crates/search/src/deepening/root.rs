//! What is found at the root of a tree: about the state and about each move of the searching role.

use game::{JointMove, Move, Role};

use super::context::Mills;
use super::depth::PLY;

/// What was found about a state: the value within the window, and proven bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) value: Mills,
    pub(super) low: Mills,
    pub(super) high: Mills,
}

impl Outcome {
    pub(super) fn exact(value: Mills) -> Self {
        Self { value, low: value, high: value }
    }

    /// As the other side sees it.
    pub(super) fn turned(self, maximising: bool) -> Self {
        if maximising {
            self
        } else {
            Self { value: -self.value, low: -self.high, high: -self.low }
        }
    }

    pub(super) fn is_solved(&self) -> bool {
        self.low >= self.high
    }
}

/// What is known about a move at the root.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub(super) action: Move,
    pub(super) outcome: Outcome,
    pub(super) nodes: u64,
    pub(super) depth: u32,
    pub(super) weight: f64,
}

/// The root of a search.
#[derive(Clone, Debug, Default)]
pub(super) struct Root {
    pub(super) moves: Vec<RootMove>,
    /// The joint move expected.
    pub(super) joint: Option<JointMove>,
    pub(super) best: usize,
    pub(super) outcome: Option<Outcome>,
    /// Whether the present iteration has searched a move to its end.
    pub(super) fresh: bool,
    /// For each move the first one that is symmetric to it (thesis §8.4); empty where all are their own.
    alike: Vec<usize>,
}

impl Root {
    pub(super) fn new(moves: &[Move], bottom: Mills, top: Mills) -> Self {
        let unknown = Outcome { value: bottom, low: bottom, high: top };
        let moves = moves.iter().enumerate().map(|(at, action)| RootMove {
            action: *action,
            outcome: unknown,
            nodes: 0,
            depth: 0,
            weight: f64::from(u8::from(at == 0)),
        });
        Self { moves: moves.collect(), ..Self::default() }
    }

    /// With what is known about symmetric moves.
    #[must_use]
    pub(super) fn with_alike(mut self, alike: Option<Vec<usize>>) -> Self {
        self.alike = alike.unwrap_or_default();
        self
    }

    /// Whether a move need not be searched, because another one is symmetric to it; that one's value is its own.
    pub(super) fn is_left_out(&self, action: Move) -> bool {
        let place = self.moves.iter().position(|own| own.action == action);
        place.is_some_and(|at| self.alike.get(at).is_some_and(|first| *first != at))
    }

    /// Notes what was found about a joint move.
    pub(super) fn note(
        &mut self,
        role: Role,
        joint: JointMove,
        outcome: Outcome,
        nodes: u64,
        depth: u32,
        better: bool,
    ) {
        let action = joint.of(role);
        let Some(at) = self.moves.iter().position(|own| own.action == action) else { return };
        let own = &mut self.moves[at];
        (own.outcome, own.depth) = (outcome, depth / PLY + 1);
        own.nodes += nodes;
        for (other, first) in self.alike.iter().enumerate() {
            if *first == at && other != at {
                (self.moves[other].outcome, self.moves[other].depth) = (outcome, depth / PLY + 1);
            }
        }
        if better {
            (self.best, self.fresh, self.joint) = (at, true, Some(joint));
            for own in &mut self.moves {
                own.weight = 0.0;
            }
            self.moves[at].weight = 1.0;
        }
    }

    /// An iteration is complete.
    pub(super) fn settle(&mut self, outcome: Outcome) {
        self.outcome = Some(outcome);
        if let [only] = &mut self.moves[..] {
            only.outcome = outcome;
        }
    }
}
