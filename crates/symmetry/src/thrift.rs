//! Symmetries that switch themselves off where they do not pay (thesis §8.4).
//!
//! The thesis estimates the time saved as `t_saved = n_saved * t_exp - n_total * t_sym`, with the number of state
//! expansions saved and the times for an expansion and for the symmetric states, both measured on random states
//! before, and goes on without symmetries when `t_saved < -t_limit`. Four things differ:
//!
//! - A search that knows how far it still looks ahead of a state has an account for each such height. Most states are
//!   near the leaves, where little can be saved, and the few near the root save whole subtrees; with one account the
//!   many would switch off the few, before the first subtree is saved. The limits of all heights
//!   together are the limit of the whole.
//! - Only expansions count that the search would not have saved anyway because it met the same state before.
//! - Leaving out symmetric moves has accounts of its own; a move left out counts as one expansion, at the lowest
//!   height as its part of one.
//! - A search that tells nothing (Monte-Carlo tree search) has one account; there a state whose representative was
//!   met before, but which was not met itself, counts as one saved expansion.

use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use game::playout::{Random, random_joint_move};
use game::{Canonicalizer, JointMove, Machine, Move, Role, State, SymmetryId};
use rustc_hash::FxHasher;

/// What things cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prices {
    /// The time for expanding a state: legal moves, end, successors (`t_exp`).
    pub expansion: Duration,
    /// The time for the representative of a state (`t_sym`).
    pub symmetry: Duration,
}

/// Representatives that keep account of what they cost and save.
pub struct Thrifty<C> {
    inner: C,
    /// Seconds.
    expansion: f64,
    symmetry: f64,
    /// Seconds that may be lost.
    limit: f64,
    /// One for searches that do not tell the height, then one for each height; the last for all greater ones.
    accounts: [Account; HEIGHTS],
    /// The same for symmetric moves.
    moves: [Account; HEIGHTS],
    /// Parts of keys of states that were met.
    met: Vec<AtomicU32>,
}

/// Threads may overwrite each other's counts: these are estimates, and must not cost more than they tell.
#[derive(Default)]
struct Account {
    asked: AtomicU64,
    /// Expansions, in parts of [`PARTS`].
    saved: AtomicU64,
    off: AtomicBool,
}

const HEIGHTS: usize = 32;
/// Parts of an expansion that are counted.
const PARTS: u64 = 64;
/// Every so many questions the account is looked at.
const AUDITED: u64 = 16;
/// Slots for states that were met.
const SLOTS: usize = 1 << 16;
/// Near the leaves one of so many states stands for all.
const SAMPLED: u64 = 4;
/// From this height on every state is looked at.
const HIGH: u32 = 4;

impl<C: Canonicalizer> Thrifty<C> {
    /// Switches `inner` off when it has cost `limit` more than it saved.
    pub fn new(inner: C, prices: Prices, limit: Duration) -> Self {
        Self {
            inner,
            expansion: prices.expansion.as_secs_f64(),
            symmetry: prices.symmetry.as_secs_f64(),
            limit: limit.as_secs_f64(),
            accounts: std::array::from_fn(|_| Account::default()),
            moves: std::array::from_fn(|_| Account::default()),
            met: (0..SLOTS).map(|_| AtomicU32::new(0)).collect(),
        }
    }

    /// The estimate of the time saved so far, in seconds; negative if time was lost.
    pub fn seconds_saved(&self) -> f64 {
        self.accounts.iter().chain(&self.moves).map(|account| self.balance(account)).sum()
    }

    fn balance(&self, account: &Account) -> f64 {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed) as f64;
        count(&account.saved) / PARTS as f64 * self.expansion
            - count(&account.asked) * self.symmetry
    }

    /// One more question on an account; false if it is closed.
    fn charge(&self, accounts: &[Account; HEIGHTS], height: u32) -> bool {
        let account = of(accounts, height);
        if account.off.load(Ordering::Relaxed) {
            return false;
        }
        let number = add(&account.asked, 1);
        if number.is_multiple_of(AUDITED) {
            // Half for the leaves, a quarter for the states above them, and so on.
            let share = self.limit * 0.5_f64.powi(height.min(HEIGHTS as u32).cast_signed());
            if self.balance(account) < -share {
                account.off.store(true, Ordering::Relaxed);
            }
        }
        true
    }

    /// Whether something with this key was met before; from now on it was.
    fn meet(&self, key: u64) -> bool {
        let slot = &self.met[(key >> 40) as usize % SLOTS];
        let tag = key as u32 | 1;
        let before = slot.load(Ordering::Relaxed) == tag;
        if !before {
            slot.store(tag, Ordering::Relaxed);
        }
        before
    }

    /// For searches that tell nothing.
    fn note(&self, state: &State, representative: &State) {
        let to = key(representative);
        if !to.is_multiple_of(SAMPLED) {
            return;
        }
        let before = self.meet(key(state) ^ 0x5555_5555_5555);
        if self.meet(to) && !before {
            add(&self.accounts[0].saved, SAMPLED * PARTS);
        }
    }
}

fn of(accounts: &[Account; HEIGHTS], height: u32) -> &Account {
    &accounts[(height as usize).min(HEIGHTS - 1)]
}

/// The count after adding to it.
fn add(counter: &AtomicU64, more: u64) -> u64 {
    let count = counter.load(Ordering::Relaxed) + more;
    counter.store(count, Ordering::Relaxed);
    count
}

fn key(state: &State) -> u64 {
    let mut hasher = FxHasher::default();
    state.hash(&mut hasher);
    // The low bits of this hash alone are poor.
    hasher.finish().wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
}

impl<C: Canonicalizer> Canonicalizer for Thrifty<C> {
    fn canonical(&self, state: &State) -> (State, SymmetryId) {
        if !self.charge(&self.accounts, 0) {
            return (state.clone(), SymmetryId(0));
        }
        let found = self.inner.canonical(state);
        self.note(state, &found.0);
        found
    }

    fn canonical_at(&self, state: &State, height: u32) -> Option<(State, SymmetryId)> {
        self.charge(&self.accounts, height.max(1)).then(|| self.inner.canonical(state))
    }

    fn looked_up(&self, state: &State, height: u32, spared: u64) {
        let key = key(state);
        let all = height >= HIGH;
        if !all && !key.is_multiple_of(SAMPLED) {
            return;
        }
        if !self.meet(key) && spared > 0 {
            let weight = if all { 1 } else { SAMPLED };
            add(&of(&self.accounts, height.max(1)).saved, spared * weight * PARTS);
        }
    }

    fn is_off(&self) -> bool {
        self.accounts[0].off.load(Ordering::Relaxed)
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

    fn ways(&self, state: &State, symmetry: SymmetryId) -> Vec<SymmetryId> {
        self.inner.ways(state, symmetry)
    }

    fn exchanges_roles(&self) -> bool {
        self.inner.exchanges_roles()
    }

    fn alike(&self, state: &State, role: Role, moves: &[Move]) -> Option<Vec<usize>> {
        // Asked once for a search, so it is on no account.
        if self.is_off() { None } else { self.inner.alike(state, role, moves) }
    }

    fn distinct(&self, state: &State, role: Role, moves: &mut Vec<Move>) {
        let before = moves.len();
        if before < 2 || self.is_off() || !self.charge(&self.moves, 0) {
            return;
        }
        self.inner.distinct(state, role, moves);
        add(&self.moves[0].saved, (before - moves.len()) as u64 * PARTS);
    }

    fn distinct_joint(&self, state: &State, joint: &mut Vec<JointMove>) {
        if !self.is_off() {
            self.inner.distinct_joint(state, joint);
        }
    }

    fn distinct_joint_at(&self, state: &State, height: u32, joint: &mut Vec<JointMove>) {
        let before = joint.len();
        if before < 2 || !self.charge(&self.moves, height.max(1)) {
            return;
        }
        self.inner.distinct_joint(state, joint);
        let fewer = (before - joint.len()) as u64;
        if fewer > 0 {
            let each = if height > 1 { PARTS } else { PARTS / before as u64 };
            add(&of(&self.moves, height.max(1)).saved, fewer * each);
        }
    }
}

impl Prices {
    /// Averages over some states of random play: an expansion is the legal moves of all roles, the question
    /// for an end, and a successor for each move of each role with a choice; symmetries are asked for
    /// of those successors. The slowest tenth does not count: it was interrupted.
    pub fn measure(
        machine: &mut dyn Machine,
        symmetries: &dyn Canonicalizer,
        states: usize,
        seed: u64,
    ) -> Self {
        let mut random = Random::new(seed);
        let (mut expansions, mut questions) = (Vec::new(), Vec::new());
        let Ok(initial) = machine.initial() else {
            return Self::new(&mut expansions, &mut questions);
        };
        let mut state = initial.clone();
        while expansions.len() < states {
            let begin = Instant::now();
            let Some(successors) = successors(machine, &state) else {
                if state == initial {
                    break;
                }
                state = initial.clone();
                continue;
            };
            let middle = Instant::now();
            for successor in &successors {
                std::hint::black_box(symmetries.canonical(successor));
            }
            let end = Instant::now();
            expansions.push(middle - begin);
            questions.push((end - middle) / (successors.len() as u32).max(1));
            let next = random_joint_move(machine, &state, &mut random);
            let next = next.ok().flatten().and_then(|joint| machine.next(&state, &joint).ok());
            state = next.unwrap_or_else(|| initial.clone());
        }
        Self::new(&mut expansions, &mut questions)
    }

    fn new(expansions: &mut [Duration], questions: &mut [Duration]) -> Self {
        Self { expansion: undisturbed(expansions), symmetry: undisturbed(questions) }
    }
}

/// The average without the slowest tenth.
fn undisturbed(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    let counted = &times[..times.len() - times.len() / 10];
    counted.iter().sum::<Duration>() / (counted.len() as u32).max(1)
}

/// The successors of a state where one role varies its move; none at an end.
pub(crate) fn successors(machine: &mut dyn Machine, state: &State) -> Option<Vec<State>> {
    if machine.is_terminal(state).unwrap_or(true) {
        return None;
    }
    let roles: Vec<Role> = machine.game().role_ids().collect();
    let mut legal = Vec::with_capacity(roles.len());
    for role in roles {
        let mut moves = Vec::new();
        machine.legal_moves(state, role, &mut moves).ok()?;
        legal.push(moves);
    }
    let first: Option<Vec<Move>> = legal.iter().map(|own| own.first().copied()).collect();
    let first = JointMove(first?);
    let mut successors = vec![machine.next(state, &first).ok()?];
    for (role, own) in legal.iter().enumerate() {
        for action in own.iter().skip(1) {
            let mut other = first.clone();
            other.0[role] = *action;
            successors.push(machine.next(state, &other).ok()?);
        }
    }
    Some(successors)
}
