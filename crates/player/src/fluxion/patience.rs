//! Thinking gives way to making the circuit.
//!
//! A search sees a thousand times more states on a circuit than on the interpreter. Where there are no more cores than threads that think, what these
//! take is missing where the circuit is made, and a match that goes on meanwhile is played blindly for twice as long. So nothing is thought in
//! the time of others until it is there, and of each move only a part.

use std::num::NonZeroUsize;
use std::thread;
use std::time::{Duration, Instant};

use game::{Deadline, Status};

use crate::thinker::Context;

/// One of so many parts of a move's time is for thinking.
const THINKING: u32 = 4;
/// One of so many parts of what is left is kept to end in time.
const ENDING: u32 = 20;
/// How long to sleep before looking again.
const NAP: Duration = Duration::from_millis(2);

/// Whether so many threads that think would take time from the making of the circuit.
pub(super) fn is_due(context: &Context, threads: usize) -> bool {
    let is_built = !matches!(context.reasoner.status(), Status::Building);
    !is_built && threads >= thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// The part of a move's time in which to think; none without an end.
pub(super) fn part(deadline: &Deadline) -> Option<Deadline> {
    Some(deadline.not_after(Instant::now() + deadline.left()? / THINKING))
}

/// Waits until the circuit is there, or nearly until the deadline; whether it is there.
pub(super) fn wait(context: &Context, deadline: &Deadline) -> bool {
    let kept = deadline.left().map_or(Duration::ZERO, |left| left / ENDING);
    let is_over = || deadline.passed() || deadline.left().is_some_and(|left| left <= kept);
    while matches!(context.reasoner.status(), Status::Building) && !is_over() {
        thread::sleep(NAP);
    }
    context.reasoner.gates().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_the_time_is_for_thinking_and_nothing_without_an_end() {
        let left = part(&Deadline::within(Duration::from_secs(8))).and_then(|part| part.left());
        assert!(left.is_some_and(|left| left <= Duration::from_secs(2)), "{left:?}");
        assert!(part(&Deadline::never()).is_none());
    }
}
