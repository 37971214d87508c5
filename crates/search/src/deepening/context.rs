//! What the tree searches share: the machine and the knowledge about the game, the meter, scratch memory.

use std::sync::Arc;

use game::{Canonicalizer, Evaluator, JointMove, Machine, Move, Role, State, SymmetryId};

use super::frame::Frame;
use super::options::{Noise, Options, PossibleActions, Quiescence};
use crate::effort::{Effort, Meter, Stop};
use crate::hash::{Key, Zobrist};
use crate::rewards::{Look, Turn, rewards};

/// A thousandth of a point: values in the tree are whole numbers of these, so that windows of no width
/// mean what they should.
pub(super) type Mills = i32;

/// From points to thousandths.
pub(super) fn mills(points: f64) -> Mills {
    (points * 1000.0).round() as Mills
}

/// From thousandths to points.
pub(super) fn points(mills: Mills) -> f64 {
    f64::from(mills) / 1000.0
}

/// No path is followed further than this: the search is recursive, and stacks are not endless.
pub(super) const DEEPEST: u32 = 500;

pub(super) struct Context {
    pub(super) machine: Box<dyn Machine>,
    pub(super) evaluator: Box<dyn Evaluator>,
    pub(super) symmetries: Option<Arc<dyn Canonicalizer>>,
    /// Symmetries that exchange roles are not used.
    pub(super) keep_roles: bool,
    pub(super) possible: Option<Box<dyn PossibleActions>>,
    pub(super) zobrist: Zobrist,
    pub(super) meter: Meter,
    /// The deepest state looked at.
    pub(super) deepest: u32,
    pub(super) roles: usize,
    /// For each role the numbers of actions it had on the path (for quiescence search).
    pub(super) counts: Vec<Vec<usize>>,
    values: Vec<f64>,
    spare: Vec<Look>,
}

impl Context {
    pub(super) fn new(machine: Box<dyn Machine>, evaluator: Box<dyn Evaluator>) -> Self {
        let roles = machine.game().roles().len();
        let zobrist = Zobrist::new(machine.game().universe().fluent_count());
        Self {
            machine,
            evaluator,
            symmetries: None,
            keep_roles: false,
            possible: None,
            zobrist,
            meter: Meter::start(&Effort::default()),
            deepest: 0,
            roles,
            counts: vec![Vec::new(); roles],
            values: vec![0.0; roles],
            spare: Vec::new(),
        }
    }

    /// Gets ready for another search.
    pub(super) fn start(&mut self, effort: &Effort) {
        self.meter = Meter::start(effort);
        self.deepest = 0;
        self.counts.iter_mut().for_each(Vec::clear);
    }

    /// Makes a successor: its representative, and the symmetry that leads to that.
    pub(super) fn next(
        &mut self,
        state: &State,
        joint: &JointMove,
        frame: &Frame,
    ) -> Result<(State, SymmetryId), Stop> {
        self.meter.count()?;
        let next = self.machine.next(state, joint)?;
        Ok(self.canonical(next, frame))
    }

    /// The representative of a state, with the symmetry that leads to it. If several do, because symmetries of the
    /// state exchange roles, it is the one that leads to the least frame: so it does not depend on the way to the state who
    /// plays whose part in the representative.
    pub(super) fn canonical(&self, state: State, frame: &Frame) -> (State, SymmetryId) {
        let Some(symmetries) = self.symmetries.as_ref().filter(|known| !known.is_off()) else {
            return (state, SymmetryId(0));
        };
        let (canonical, first) = symmetries.canonical(&state);
        if !symmetries.exchanges_roles() {
            return (canonical, first);
        }
        let ways = symmetries.ways(&state, first);
        if !self.keep_roles && ways.len() == 1 {
            return (canonical, first);
        }
        let ways = ways.into_iter();
        let framed = ways.map(|way| (self.framed(frame, way), way));
        let stay = |(to, _): &(Frame, SymmetryId)| !self.keep_roles || to.is_plain();
        match framed.filter(stay).min() {
            Some((_, symmetry)) => (canonical, symmetry),
            None => (state, SymmetryId(0)),
        }
    }

    /// Who plays whose part after a symmetry.
    pub(super) fn framed(&self, frame: &Frame, symmetry: SymmetryId) -> Frame {
        frame.then(self.symmetries.as_deref(), symmetry, self.roles)
    }

    /// Whether representatives may be those of states with exchanged roles.
    pub(super) fn exchanges_roles(&self) -> bool {
        !self.keep_roles && self.symmetries.as_ref().is_some_and(|known| known.exchanges_roles())
    }

    /// The joint move of a state that a symmetry takes to one of its representative.
    pub(super) fn origin(&self, symmetry: SymmetryId, joint: JointMove) -> JointMove {
        let Some(symmetries) = self.symmetries.as_ref().filter(|_| symmetry != SymmetryId(0))
        else {
            return joint;
        };
        let mut origin = joint.clone();
        for (role, action) in joint.0.into_iter().enumerate() {
            let (role, action) = symmetries.origin(symmetry, Role(role as u32), action);
            if let Some(place) = origin.0.get_mut(role.index()) {
                *place = action;
            }
        }
        origin
    }

    /// The moves of the role with a choice, one of each set that the symmetries of the state exchange (thesis §8.4);
    /// none if all are to be tried.
    pub(super) fn distinct(&self, state: &State, look: &Look) -> Option<(Role, Vec<Move>)> {
        let symmetries = self.symmetries.as_ref().filter(|known| !known.is_off())?;
        let Turn::Of(role) = look.turn() else { return None };
        let all = &look.moves[role.index()];
        let mut moves = all.clone();
        symmetries.distinct(state, role, &mut moves);
        (moves.len() < all.len()).then_some((role, moves))
    }

    /// For each move of the searching role at the root the first one that is symmetric to it, where nobody else has
    /// a choice; nothing where every move is its own.
    pub(super) fn alike(&self, state: &State, look: &Look, role: Role) -> Option<Vec<usize>> {
        let symmetries = self.symmetries.as_ref().filter(|known| !known.is_off())?;
        let moves = look.moves.get(role.index()).filter(|_| look.turn() == Turn::Of(role))?;
        symmetries.alike(state, role, moves)
    }

    pub(super) fn key(&self, state: &State) -> Key {
        self.zobrist.key(state)
    }

    /// The value of a leaf that is no end, for each role (thesis Def. 4.2, second case).
    pub(super) fn judge(&mut self, state: &State) -> &[f64] {
        self.evaluator.evaluate(state, &mut self.values);
        for value in &mut self.values {
            *value = if value.is_finite() { value.clamp(0.0, 100.0) } else { 50.0 };
        }
        &self.values
    }

    /// The rewards at an end.
    pub(super) fn rewards(&mut self, state: &State) -> Result<Vec<u8>, Stop> {
        Ok(rewards(&mut *self.machine, state)?)
    }

    /// Memory for the moves of a state; give it back.
    pub(super) fn take_look(&mut self) -> Look {
        self.spare.pop().unwrap_or_default()
    }

    pub(super) fn give_look(&mut self, look: Look) {
        self.spare.push(look);
    }

    pub(super) fn look(&mut self, look: &mut Look, state: &State) -> Result<Turn, Stop> {
        Ok(look.at(&mut *self.machine, state)?)
    }

    /// Whether a state is noisy for the role that moves: its number of actions changed by more than the
    /// threshold since its last turn (Rauber-14).
    pub(super) fn is_noisy(
        &mut self,
        state: &State,
        look: &Look,
        turn: Turn,
        options: &Quiescence,
    ) -> bool {
        let Turn::Of(role) = turn else { return false };
        let now = self.actions(state, look, role, options) as f64;
        match self.counts[role.index()].last() {
            Some(&before) => (now - before as f64).abs() > options.threshold * before as f64,
            None => false,
        }
    }

    fn actions(&mut self, state: &State, look: &Look, role: Role, options: &Quiescence) -> usize {
        match (options.noise, &mut self.possible) {
            (Noise::Possible, Some(teller)) => teller.possible(state, role),
            _ => look.moves[role.index()].len(),
        }
    }

    /// Notes the number of actions of the role that moves, while its successors are searched.
    pub(super) fn enter(&mut self, state: &State, look: &Look, turn: Turn, options: &Options) {
        if let (Some(options), Turn::Of(role)) = (&options.quiescence, turn) {
            let count = self.actions(state, look, role, options);
            self.counts[role.index()].push(count);
        }
    }

    /// Takes the note back.
    pub(super) fn leave(&mut self, turn: Turn, options: &Options) {
        if let (Some(_), Turn::Of(role)) = (&options.quiescence, turn) {
            self.counts[role.index()].pop();
        }
    }
}
