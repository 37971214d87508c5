//! Memory goes back to the system when matches are over.
//!
//! Every match has threads of its own, and the allocator of the system keeps what they freed for threads to come,
//! in places that these may not use: a server would grow with every match although nothing leaks.

use std::time::{Duration, Instant};

/// The least time between two calls while matches are played.
const EVERY: Duration = Duration::from_secs(20);
/// After that time it is done once more: some threads end later than their match.
const AGAIN: Duration = Duration::from_secs(5);

/// Larger pieces than that are mapped one by one, and go back as soon as they are freed.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const MAPPED: libc::c_int = 1 << 20;

/// Keeps the allocator from spreading what is small over an arena for each thread, and from keeping what is large.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "there is no other way to tell the allocator of the system")]
pub(crate) fn set_up() {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let arenas = libc::c_int::try_from(cores).unwrap_or(libc::c_int::MAX);
    // SAFETY: both set numbers that the allocator looks at later; it says so where it does not like them.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, arenas);
        libc::mallopt(libc::M_MMAP_THRESHOLD, MAPPED);
    }
}

/// Other allocators are left to themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn set_up() {}

/// Gives back what was freed.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "there is no other way to ask the allocator of the system")]
pub(crate) fn give_back() {
    // SAFETY: it may be called at any time from any thread, and frees nothing that is in use.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Gives back what was freed: other allocators are left to themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn give_back() {}

/// When memory is given back: after matches have ended, at once if no other is played.
#[derive(Debug, Default)]
pub(crate) struct Tidying {
    /// Matches that had ended when it was looked last.
    over: u64,
    owed: bool,
    last: Option<Instant>,
    again: Option<Instant>,
}

impl Tidying {
    /// Whether it is time, after so many matches have ended, and with others under way unless idle.
    pub(crate) fn is_due(&mut self, over: u64, idle: bool, now: Instant) -> bool {
        if over != self.over {
            (self.over, self.owed) = (over, true);
            self.again = Some(now + AGAIN);
        }
        if self.again.is_some_and(|again| now >= again) {
            (self.again, self.owed) = (None, true);
        }
        let calm = idle || self.last.is_none_or(|last| now >= last + EVERY);
        let due = self.owed && calm;
        if due {
            (self.owed, self.last) = (false, Some(now));
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_given_back_after_matches_and_not_all_the_time() {
        let begin = Instant::now();
        let at = |seconds: u64| begin + Duration::from_secs(seconds);
        let mut tidying = Tidying::default();
        assert!(!tidying.is_due(0, true, at(0)), "nothing has ended");
        assert!(tidying.is_due(1, true, at(1)));
        assert!(!tidying.is_due(1, true, at(2)));
        assert!(tidying.is_due(1, true, at(6)), "once more");
        assert!(!tidying.is_due(1, true, at(60)));
        assert!(tidying.is_due(2, false, at(61)));
        assert!(!tidying.is_due(3, false, at(62)), "others are playing");
        assert!(!tidying.is_due(3, false, at(70)));
        assert!(tidying.is_due(3, false, at(81)));
        assert!(!tidying.is_due(3, true, at(200)));
    }

    #[test]
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn what_a_thread_freed_is_given_back() {
        let resident = || -> usize {
            let status = std::fs::read_to_string("/proc/self/statm").expect("a Linux system");
            let pages = status.split_whitespace().nth(1).expect("a second number");
            pages.parse::<usize>().expect("pages") * 4096
        };
        // Pieces too small for mappings of their own, with one in between that stays.
        let stays = std::thread::spawn(|| {
            let pieces: Vec<Vec<u8>> = (0..64 << 10).map(|_| vec![1; 1 << 10]).collect();
            vec![pieces.len(); 100]
        });
        let stays = stays.join().expect("no panic");
        let before = resident();
        give_back();
        let after = resident();
        assert!(after + (32 << 20) < before, "{before} bytes became {after}, {stays:?}");
    }
}
