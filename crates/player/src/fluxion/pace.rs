//! How many playouts there is time for in a move, where there is no circuit.
//!
//! The interpreter takes seconds for one playout of a large game, such as chess. A tree search that cannot try each move of the root has nothing to say, while
//! alpha-beta sees at the same time what ends play, or wins it, within three or four moves.

use std::time::{Duration, Instant};

use game::playout::{Random, random_joint_move};
use game::{Deadline, Machine, ReasonError};

/// How long to measure.
const LOOK: Duration = Duration::from_millis(100);
/// The length of a playout where no end was met.
const UNKNOWN: f64 = 200.0;
/// How many playouts each move of the root needs for the search to tell anything.
pub(super) const NEEDED: f64 = 2.0;

/// How many random playouts of so many moves the machine makes in a time; none where it makes none at all.
pub(super) fn playouts(
    machine: &mut dyn Machine,
    length: Option<f64>,
    (time, seed): (Duration, u64),
    deadline: &Deadline,
) -> Option<f64> {
    let begin = Instant::now();
    let made = steps(machine, seed, &deadline.not_after(begin + LOOK));
    let each = begin.elapsed().as_secs_f64() / made.max(1.0);
    (made > 0.0).then(|| time.as_secs_f64() / (each * length.unwrap_or(UNKNOWN)))
}

/// How many steps of random play there are before a deadline; play begins anew at its end.
fn steps(machine: &mut dyn Machine, seed: u64, deadline: &Deadline) -> f64 {
    let mut random = Random::new(seed);
    let mut made = 0.0;
    let mut play = || -> Result<(), ReasonError> {
        let mut state = machine.initial()?;
        let mut over = false;
        while !deadline.passed() {
            let joint = random_joint_move(machine, &state, &mut random)?;
            state = match joint.filter(|_| !over) {
                Some(joint) => machine.next(&state, &joint)?,
                None => machine.initial()?,
            };
            over = machine.is_terminal(&state)?;
            made += 1.0;
        }
        Ok(())
    };
    // What stops it is the deadline, or rules that cannot be played; what was made until then counts.
    let _ = play();
    made
}
