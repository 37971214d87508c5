//! Proofs that a role has lost within a number of moves: depth-first, with a table.

use std::sync::Arc;

use game::{Canonicalizer, JointMove, Machine, Move, ReasonError, Role, State};
use rustc_hash::FxHashMap;

use crate::effort::{Effort, Meter, Stop};
use crate::hash::{Key, Zobrist};
use crate::rewards::{Look, Turn, rewards};

/// Knows how far off an end is, for example by a relaxed planning graph.
pub trait Reach: Send {
    /// Whether some play may come within a number of steps to an end that the role has lost. Must be true if one
    /// does.
    fn may_lose(&mut self, state: &State, role: Role, within: u32) -> bool;
}

/// What is known about a state: lost within so many moves, and not lost within so many ([`EVER`]: not at all).
#[derive(Clone, Copy)]
struct Known {
    lost: u32,
    safe: Option<u32>,
}

/// However many moves there are.
const EVER: u32 = u32::MAX;

/// The most states that are remembered.
const MOST_KNOWN: usize = 4 << 20;

/// Proves losses. It is for one thread.
pub struct Prover {
    machine: Box<dyn Machine>,
    /// For each role its largest reward.
    tops: Vec<u8>,
    effort: Effort,
    meter: Meter,
    zobrist: Zobrist,
    reach: Option<Box<dyn Reach>>,
    symmetries: Option<Arc<dyn Canonicalizer>>,
    known: FxHashMap<(Key, u32), Known>,
    /// For each depth the opponents' moves that won last.
    killers: Vec<Option<JointMove>>,
    /// For each depth the own move that lost nothing last.
    saviours: Vec<Option<Move>>,
    /// Whether a search with more moves might find more.
    cut: bool,
}

impl Prover {
    /// A prover that may spend the effort on each state; `tops` are the largest rewards of the roles.
    pub fn new(machine: Box<dyn Machine>, tops: Vec<u8>, effort: Effort) -> Self {
        let zobrist = Zobrist::new(machine.game().universe().fluent_count());
        Self {
            meter: Meter::start(&effort),
            machine,
            tops,
            effort,
            zobrist,
            reach: None,
            symmetries: None,
            known: FxHashMap::default(),
            killers: Vec::new(),
            saviours: Vec::new(),
            cut: false,
        }
    }

    /// Leaves out what cannot be lost in time.
    #[must_use]
    pub fn with_reach(mut self, reach: Box<dyn Reach>) -> Self {
        self.reach = Some(reach);
        self
    }

    /// Symmetric states count as one. The symmetries must not exchange roles.
    #[must_use]
    pub fn with_symmetries(mut self, symmetries: Arc<dyn Canonicalizer>) -> Self {
        self.symmetries = Some(symmetries);
        self
    }

    /// The machine.
    pub fn machine(&mut self) -> &mut dyn Machine {
        &mut *self.machine
    }

    /// Starts to count anew. What was proved stays, unless nodes are limited: then how far a proof comes must not
    /// depend on earlier ones.
    pub(super) fn begin(&mut self) {
        self.meter = Meter::start(&self.effort);
        if self.effort.nodes.is_some() {
            self.known.clear();
            self.killers.clear();
            self.saviours.clear();
        }
    }

    /// States looked at since the beginning.
    pub fn nodes(&self) -> u64 {
        self.meter.nodes()
    }

    fn key(&self, state: &State) -> Key {
        match &self.symmetries {
            Some(symmetries) => self.zobrist.key(&symmetries.canonical(state).0),
            None => self.zobrist.key(state),
        }
    }

    /// Whether a search with more moves might have found more, since this was asked last.
    pub(super) fn was_cut(&mut self) -> bool {
        std::mem::take(&mut self.cut)
    }

    /// Whether the opponents of a role can force its loss within `depth` moves.
    pub fn loses(&mut self, state: &State, role: Role, depth: u32) -> Result<bool, Stop> {
        self.meter.count()?;
        let key = (self.key(state), role.0);
        let known = self.known.get(&key).copied().unwrap_or(Known { lost: EVER, safe: None });
        if known.lost <= depth {
            return Ok(true);
        }
        if let Some(safe) = known.safe.filter(|safe| *safe >= depth) {
            self.cut |= safe != EVER;
            return Ok(false);
        }
        let before = self.was_cut();
        let loses = self.expand(state, role, depth)?;
        let known = if loses {
            Known { lost: depth, ..known }
        } else {
            Known { safe: Some(if self.cut { depth } else { EVER }), ..known }
        };
        self.cut |= before;
        if self.known.len() < MOST_KNOWN {
            self.known.insert(key, known);
        }
        Ok(loses)
    }

    fn expand(&mut self, state: &State, role: Role, depth: u32) -> Result<bool, Stop> {
        let mut look = Look::default();
        let turn = look.at(&mut *self.machine, state)?;
        if turn == Turn::End {
            return Ok(self.has_lost(state, role)?);
        }
        let far = |reach: &mut Box<dyn Reach>| !reach.may_lose(state, role, depth);
        if depth == 0 || self.reach.as_mut().is_some_and(far) {
            self.cut = true;
            return Ok(false);
        }
        let mut own = std::mem::take(&mut look.moves[role.index()]);
        look.moves[role.index()].push(own[0]);
        let saviour = self.saviours.get(depth as usize).copied().flatten();
        if let Some(at) = saviour.and_then(|s| own.iter().position(|action| *action == s)) {
            own.swap(0, at);
        }
        let killer = self.killers.get(depth as usize).cloned().flatten();
        let mut replies: Vec<JointMove> =
            (0..look.joint_count()).map(|number| look.joint(number)).collect();
        if let Some(at) = killer.and_then(|k| replies.iter().position(|r| same(r, &k, role))) {
            replies.swap(0, at);
        }
        for mut reply in replies {
            let mut saved = None;
            for action in &own {
                reply.0[role.index()] = *action;
                let next = self.machine.next(state, &reply)?;
                if !self.loses(&next, role, depth - 1)? {
                    saved = Some(*action);
                    break;
                }
            }
            if saved.is_none() {
                put(&mut self.killers, depth, reply);
                return Ok(true);
            }
            if let Some(action) = saved.filter(|_| own.len() > 1) {
                put(&mut self.saviours, depth, action);
            }
        }
        Ok(false)
    }

    fn has_lost(&mut self, state: &State, role: Role) -> Result<bool, ReasonError> {
        let rewards = rewards(&mut *self.machine, state)?;
        let own = rewards.get(role.index()).copied().unwrap_or(0);
        let top = |at: usize| self.tops.get(at).copied().unwrap_or(100);
        if rewards.len() == 1 {
            return Ok(own < top(0));
        }
        let wins = |(at, reward): (usize, &u8)| *reward >= top(at).max(1) && own < *reward;
        Ok(rewards.iter().enumerate().any(wins))
    }
}

/// Remembers what was good at a depth.
fn put<T: Clone>(all: &mut Vec<Option<T>>, depth: u32, good: T) {
    let depth = depth as usize;
    if all.len() <= depth {
        all.resize(depth + 1, None);
    }
    all[depth] = Some(good);
}

/// Whether two joint moves are the same but for one role.
fn same(one: &JointMove, other: &JointMove, role: Role) -> bool {
    let pairs = one.0.iter().zip(&other.0).enumerate();
    one.0.len() == other.0.len()
        && pairs.into_iter().all(|(at, (a, b))| at == role.index() || a == b)
}
