//! Symmetries that switch themselves off where they do not pay (thesis §8.4).
//!
//! The thesis estimates the time saved as `t_saved = n_saved * t_exp - n_total * t_sym`, with the number of state
//! expansions saved and made and the times for an expansion and for the symmetric states, and goes on without
//! symmetries when `t_saved < -t_limit`. Here the search need not know: a state whose representative was met
//! before as the representative of another state counts as one saved expansion. That is less than the
//! thesis counts (it adds the whole subtree), so symmetries are at most switched off too early.

use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use game::playout::{Random, random_joint_move};
use game::{Canonicalizer, JointMove, Machine, Move, Role, State, SymmetryId};
use rustc_hash::FxHasher;

/// Representatives that keep account of what they cost and save.
pub struct Thrifty<C> {
    inner: C,
    /// Seconds for one expansion.
    expansion: f64,
    /// Seconds that may be lost.
    limit: f64,
    asked: AtomicU64,
    saved: AtomicU64,
    timed: AtomicU64,
    nanoseconds: AtomicU64,
    off: AtomicBool,
    /// For each slot part of the key of a representative and part of the key of the state it came from.
    seen: Vec<AtomicU64>,
}

/// Every so many questions one is timed, and the account is looked at.
const TIMED: u64 = 32;
const AUDITED: u64 = 256;
const SLOTS: usize = 1 << 16;

impl<C: Canonicalizer> Thrifty<C> {
    /// Switches `inner` off when it has cost `limit` more than it saved, at so much time for an expansion.
    pub fn new(inner: C, expansion: Duration, limit: Duration) -> Self {
        Self {
            inner,
            expansion: expansion.as_secs_f64(),
            limit: limit.as_secs_f64(),
            asked: AtomicU64::new(0),
            saved: AtomicU64::new(0),
            timed: AtomicU64::new(0),
            nanoseconds: AtomicU64::new(0),
            off: AtomicBool::new(false),
            seen: (0..SLOTS).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// The estimate of the time saved so far, in seconds; negative if time was lost.
    pub fn seconds_saved(&self) -> f64 {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed) as f64;
        let each = count(&self.nanoseconds) / 1e9 / count(&self.timed).max(1.0);
        count(&self.saved) * self.expansion - count(&self.asked) * each
    }

    fn note(&self, state: &State, representative: &State) {
        let (from, to) = (key(state), key(representative));
        let entry = (to & 0xffff_ffff_0000_0000) | (from >> 32);
        let slot = &self.seen[to as usize % SLOTS];
        let before = slot.swap(entry, Ordering::Relaxed);
        if before != entry && before >> 32 == entry >> 32 {
            self.saved.fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn key(state: &State) -> u64 {
    let mut hasher = FxHasher::default();
    state.hash(&mut hasher);
    // The low bits of this hash alone are poor.
    hasher.finish().wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
}

impl<C: Canonicalizer> Canonicalizer for Thrifty<C> {
    fn canonical(&self, state: &State) -> (State, SymmetryId) {
        if self.is_off() {
            return (state.clone(), SymmetryId(0));
        }
        let number = self.asked.fetch_add(1, Ordering::Relaxed);
        let begin = number.is_multiple_of(TIMED).then(Instant::now);
        let found = self.inner.canonical(state);
        if let Some(begin) = begin {
            let spent = u64::try_from(begin.elapsed().as_nanos()).unwrap_or(u64::MAX);
            self.nanoseconds.fetch_add(spent, Ordering::Relaxed);
            self.timed.fetch_add(1, Ordering::Relaxed);
        }
        self.note(state, &found.0);
        if number % AUDITED == AUDITED - 1 && self.seconds_saved() < -self.limit {
            self.off.store(true, Ordering::Relaxed);
        }
        found
    }

    fn is_off(&self) -> bool {
        self.off.load(Ordering::Relaxed)
    }

    fn image(&self, symmetry: SymmetryId, role: Role, action: Move) -> (Role, Move) {
        self.inner.image(symmetry, role, action)
    }

    fn origin(&self, symmetry: SymmetryId, role: Role, action: Move) -> (Role, Move) {
        self.inner.origin(symmetry, role, action)
    }

    fn role(&self, symmetry: SymmetryId, role: Role) -> Role {
        self.inner.role(symmetry, role)
    }

    fn distinct(&self, state: &State, role: Role, moves: &mut Vec<Move>) {
        if !self.is_off() {
            self.inner.distinct(state, role, moves);
        }
    }

    fn distinct_joint(&self, state: &State, joint: &mut Vec<JointMove>) {
        if !self.is_off() {
            self.inner.distinct_joint(state, joint);
        }
    }
}

/// The average time for expanding a state (legal moves, end, one successor per move of the first role with a
/// choice) over some states of random play.
pub fn expansion_time(machine: &mut dyn Machine, states: usize, seed: u64) -> Duration {
    let mut random = Random::new(seed);
    let Ok(initial) = machine.initial() else { return Duration::ZERO };
    let mut state = initial.clone();
    let (mut spent, mut count) = (Duration::ZERO, 0);
    let mut moves = Vec::new();
    while count < states as u32 {
        let begin = Instant::now();
        let over = machine.is_terminal(&state).unwrap_or(true);
        let joint = if over {
            None
        } else {
            random_joint_move(machine, &state, &mut random).ok().flatten()
        };
        let Some(joint) = joint else {
            if state == initial {
                break;
            }
            state = initial.clone();
            continue;
        };
        for role in machine.game().role_ids() {
            if machine.legal_moves(&state, role, &mut moves).is_err() {
                return spent / count.max(1);
            }
            for action in moves.iter().filter(|_| moves.len() > 1) {
                let mut other = joint.clone();
                other.0[role.index()] = *action;
                let _ = machine.next(&state, &other);
            }
        }
        spent += begin.elapsed();
        count += 1;
        let Ok(next) = machine.next(&state, &joint) else { break };
        state = next;
    }
    spent / count.max(1)
}
