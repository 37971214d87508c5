//! A clock that other work on the machine does not touch: the CPU time of the busiest thread of this process.
//!
//! Where every thread of a player has a core of its own, that is the time on the wall. A player of two threads and one of a single thread
//! are so compared as on an idle machine, which the CPU time of the whole process would not do. Threads are read from `/proc`, so elsewhere than on Linux it is the wall that counts.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use game::Deadline;

/// How often to look.
const NAP: Duration = Duration::from_millis(2);
/// How much longer than by the last look at both clocks the wall may take.
const SLACK: f64 = 1.5;

/// The clock.
pub struct Clock {
    /// How many seconds on the wall a second of it took last; none where the wall itself is asked for.
    pace: Option<Cell<f64>>,
}

impl Clock {
    /// Of the busiest thread, or of the wall.
    pub fn new(busiest: bool) -> Self {
        Self { pace: busiest.then(|| Cell::new(1.0)) }
    }

    /// Does work with a deadline that passes after so much time. The instant that players are told is later than that by some slack.
    pub fn within<T>(&self, time: Duration, work: impl FnOnce(&Deadline) -> T) -> T {
        let Some(pace) = &self.pace else { return work(&Deadline::within(time)) };
        let begin = (Instant::now(), busy());
        let (over, done) = (Arc::new(AtomicBool::new(false)), AtomicBool::new(false));
        let result = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    if busiest(&begin.1) >= time {
                        over.store(true, Ordering::Relaxed);
                        return;
                    }
                    std::thread::sleep(NAP);
                }
            });
            let told = time.mul_f64(pace.get() * SLACK);
            let result = work(&Deadline::within(told).or_when(over.clone()));
            done.store(true, Ordering::Relaxed);
            result
        });
        let (wall, busy) = (begin.0.elapsed().as_secs_f64(), busiest(&begin.1).as_secs_f64());
        if busy > time.as_secs_f64() / 4.0 {
            pace.set((wall / busy).clamp(1.0, 8.0) / SLACK.sqrt());
        }
        result
    }
}

/// The CPU nanoseconds of all threads.
fn busy() -> BTreeMap<String, u64> {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return BTreeMap::new() };
    let told = threads.flatten().filter_map(|thread| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        let time = text.split(' ').next()?.parse().ok()?;
        Some((thread.file_name().to_string_lossy().into_owned(), time))
    });
    told.collect()
}

/// What the busiest thread has had since.
fn busiest(before: &BTreeMap<String, u64>) -> Duration {
    let more = |(thread, now): (String, u64)| now - before.get(&thread).copied().unwrap_or(0);
    Duration::from_nanos(busy().into_iter().map(more).max().unwrap_or(0))
}
