//! Seeded random play with a look at every position. Moves are chosen exactly as `fluxion trace`
//! chooses them, so every playout that is reported can be recorded again by its seed.

use game::{JointMove, Machine, Move, ReasonError, Role, State};
use protocol::java_random::JavaRandom;

/// The seed of a playout of a sample. The generator of traces makes nearly the same first choices
/// for neighbouring seeds, so that counting up would not give independent playouts; its 48 bits are
/// therefore taken from the mixing function of `SplitMix64` (Steele, Lea and Flood 2014).
pub fn seed_of(sample: u64, playout: usize) -> u64 {
    let mut z = sample.wrapping_add((playout as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (z ^ (z >> 31)) >> 16
}

/// How a playout ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// In a terminal state.
    Terminal,
    /// A role has no legal move in a state that is not terminal.
    NoLegalMove(Role),
    /// At the cap on steps.
    Cap,
}

/// What is called for each position: with the legal moves of all roles, none where it is terminal.
pub type Visit<'v> =
    dyn FnMut(&mut dyn Machine, &State, Option<&[Vec<Move>]>) -> Result<(), ReasonError> + 'v;

/// The path of a playout.
pub struct Path {
    /// The joint moves.
    pub moves: Vec<JointMove>,
    /// The last state.
    pub last: State,
    /// How it ended.
    pub ending: Ending,
}

/// Plays uniformly random legal moves.
pub fn play(
    machine: &mut dyn Machine,
    initial: &State,
    seed: u64,
    cap: usize,
    visit: &mut Visit<'_>,
) -> Result<Path, ReasonError> {
    let roles: Vec<Role> = machine.game().role_ids().collect();
    let mut random = JavaRandom::new(seed);
    let mut legals: Vec<Vec<Move>> = vec![Vec::new(); roles.len()];
    let mut path = Path { moves: Vec::new(), last: initial.clone(), ending: Ending::Terminal };
    loop {
        if machine.is_terminal(&path.last)? {
            visit(machine, &path.last, None)?;
            return Ok(path);
        }
        for (role, legal) in roles.iter().zip(&mut legals) {
            machine.legal_moves(&path.last, *role, legal)?;
        }
        visit(machine, &path.last, Some(&legals))?;
        if let Some(stuck) = legals.iter().position(Vec::is_empty) {
            path.ending = Ending::NoLegalMove(roles[stuck]);
            return Ok(path);
        }
        if path.moves.len() >= cap {
            path.ending = Ending::Cap;
            return Ok(path);
        }
        let joint: JointMove =
            legals.iter().map(|legal| legal[random.below(legal.len())]).collect();
        path.last = machine.next(&path.last, &joint)?;
        path.moves.push(joint);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_choices_of_playouts_are_spread_evenly() {
        for bound in [2, 3, 4, 7, 8] {
            let mut counts = vec![0_usize; bound];
            for playout in 0..1000 * bound {
                counts[JavaRandom::new(seed_of(1, playout)).below(bound)] += 1;
            }
            assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
        }
    }
}
