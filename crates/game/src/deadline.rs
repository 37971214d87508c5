//! When to stop: an instant, and flags that other threads may set.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use datalog::Limits;

/// The end of the time for some work. Cheap to clone; clones share the flags.
#[derive(Clone, Debug, Default)]
pub struct Deadline {
    at: Option<Instant>,
    cancel: Option<Arc<AtomicBool>>,
    /// The flag that was there before `cancel`.
    earlier: Option<Arc<AtomicBool>>,
}

impl Deadline {
    /// No end.
    pub fn never() -> Self {
        Self::default()
    }

    /// At an instant.
    pub fn at(instant: Instant) -> Self {
        Self { at: Some(instant), ..Self::default() }
    }

    /// After a duration from now.
    pub fn within(duration: Duration) -> Self {
        Self { at: Instant::now().checked_add(duration), ..Self::default() }
    }

    /// Also when the flag is set. The last two flags given count.
    #[must_use]
    pub fn or_when(mut self, cancel: Arc<AtomicBool>) -> Self {
        self.earlier = self.cancel.replace(cancel);
        self
    }

    /// The same flag, but not after `instant`.
    #[must_use]
    pub fn not_after(&self, instant: Instant) -> Self {
        let at = Some(self.at.map_or(instant, |at| at.min(instant)));
        Self { at, ..self.clone() }
    }

    /// The instant, if there is one.
    pub fn instant(&self) -> Option<Instant> {
        self.at
    }

    /// The last flag given, if there is one.
    pub fn flag(&self) -> Option<Arc<AtomicBool>> {
        self.cancel.clone()
    }

    /// Limits for an interpreter that gives up then.
    pub fn limits(&self) -> Limits {
        Limits { deadline: self.at, cancel: self.flag(), ..Limits::default() }
    }

    /// Whether the flag is set; cheaper than [`Deadline::passed`], which reads the clock.
    pub fn cancelled(&self) -> bool {
        let set = |flag: &Option<Arc<AtomicBool>>| {
            flag.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
        };
        set(&self.cancel) || set(&self.earlier)
    }

    /// Whether the time is over.
    pub fn passed(&self) -> bool {
        self.cancelled() || self.at.is_some_and(|at| Instant::now() >= at)
    }

    /// The time left; none if there is no end in time.
    pub fn left(&self) -> Option<Duration> {
        self.at.map(|at| at.saturating_duration_since(Instant::now()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_passes_with_the_time_or_with_the_flag() {
        assert!(!Deadline::never().passed());
        assert!(Deadline::at(Instant::now()).passed());
        let flag = Arc::new(AtomicBool::new(false));
        let deadline = Deadline::within(Duration::from_secs(3600)).or_when(flag.clone());
        assert!(!deadline.passed());
        flag.store(true, Ordering::Relaxed);
        assert!(deadline.passed() && deadline.not_after(Instant::now()).cancelled());
        let other = Arc::new(AtomicBool::new(false));
        assert!(deadline.or_when(other).passed(), "a second flag does not hide the first");
    }
}
