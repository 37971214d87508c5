//! Whether symmetries that exchange roles are of any use in play.
//!
//! They save something only if a state and its image with the roles exchanged can both be met. In games of alternate moves
//! on a board that fills up they never are; in Nim they always are. Asking costs time in any case, so a look at states of
//! random play and their successors decides: roles are exchanged only if that makes one of two states there.

use game::playout::Random;
use game::{Canonicalizer, Deadline, Machine, State};
use rustc_hash::FxHashMap;

use crate::canonical::{Representatives, Size};
use crate::symmetries::Symmetries;
use crate::thrift::successors;

/// The most states that are looked at.
const STATES: usize = 1_500;

impl Symmetries {
    /// Representatives under the state symmetries, and under those that exchange roles if these make one of two states of
    /// random play.
    pub fn fitting(
        &self,
        machine: &mut dyn Machine,
        size: Size,
        seed: u64,
        deadline: &Deadline,
    ) -> Option<Representatives> {
        let plain = self.representatives(Size { with_roles: false, ..size });
        let with_roles = self.representatives(Size { with_roles: true, ..size });
        match with_roles.filter(Canonicalizer::exchanges_roles) {
            Some(all) if merges(machine, plain.as_ref(), &all, seed, deadline) => Some(all),
            _ => plain,
        }
    }
}

/// Whether two states of random play have one representative with the roles exchanged and two without.
fn merges(
    machine: &mut dyn Machine,
    plain: Option<&Representatives>,
    all: &Representatives,
    seed: u64,
    deadline: &Deadline,
) -> bool {
    let Ok(initial) = machine.initial() else { return false };
    let mut random = Random::new(seed);
    let mut met: FxHashMap<State, State> = FxHashMap::default();
    let (mut state, mut looked) = (initial.clone(), 0);
    while looked < STATES && !deadline.passed() {
        looked += 1;
        let Some(next) = successors(machine, &state).filter(|next| !next.is_empty()) else {
            state = initial.clone();
            continue;
        };
        for successor in &next {
            looked += 1;
            let own = plain.map_or_else(|| successor.clone(), |plain| plain.canonical(successor).0);
            let before = met.entry(all.canonical(successor).0).or_insert_with(|| own.clone());
            if *before != own {
                return true;
            }
        }
        state = next[random.below(next.len())].clone();
    }
    false
}
