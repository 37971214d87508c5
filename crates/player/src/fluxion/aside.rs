//! Work that may get stuck or panic, done in a thread of its own: whoever wants the result waits only as
//! long as it has time, and then goes on without it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use game::Deadline;

/// How often the one who waits looks up.
const NAP: Duration = Duration::from_millis(2);
/// How long work that was told to stop may take to come back with what it has.
const GRACE: Duration = Duration::from_millis(60);

/// How work ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lost {
    /// It did not come back in time.
    Late,
    /// It panicked.
    Panicked,
}

/// Does `work` until a deadline. The work is given a deadline that is a little earlier, so that it can come
/// back with what it has; it is told to stop when nobody waits any longer.
pub(super) fn aside<T: Send + 'static>(
    deadline: &Deadline,
    work: impl FnOnce(&Deadline) -> T + Send + 'static,
) -> Result<T, Lost> {
    let (send, receive) = mpsc::channel();
    let stop = Arc::new(AtomicBool::new(false));
    let left = deadline.left();
    let early = left.map_or_else(Deadline::never, |left| {
        Deadline::within(left.saturating_sub(GRACE.min(left / 4)))
    });
    let inside = early.or_when(stop.clone());
    let thread = std::thread::Builder::new().name("analysis".to_owned());
    let spawned = thread.spawn(move || {
        let _ = send.send(work(&inside));
    });
    if spawned.is_err() {
        return Err(Lost::Late);
    }
    let mut told = None;
    loop {
        match receive.recv_timeout(NAP) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Disconnected) => return Err(Lost::Panicked),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if deadline.passed() {
            stop.store(true, Ordering::Relaxed);
            // An interruption leaves no time at all.
            let told = *told.get_or_insert_with(Instant::now);
            if deadline.cancelled() || told.elapsed() > GRACE {
                return Err(Lost::Late);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_gets_stuck_or_panics_is_lost_and_nothing_else() {
        let soon = || Deadline::within(Duration::from_millis(50));
        let late = || Deadline::within(Duration::from_secs(60));
        assert_eq!(aside(&late(), |_| 7), Ok(7));
        let begin = Instant::now();
        let stuck = aside(&soon(), |_| std::thread::sleep(Duration::from_secs(3)));
        assert_eq!(stuck, Err(Lost::Late));
        assert!(begin.elapsed() < Duration::from_secs(2));
        let panics = aside(&late(), |deadline| assert!(deadline.passed(), "wanted by the test"));
        assert_eq!(panics, Err(Lost::Panicked));
    }
}
