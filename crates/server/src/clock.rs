//! Deadlines of messages. All of them count from the connection, because that is when the manager's
//! clock has begun to run at the latest.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// When the answer to a message is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Due {
    /// The match should have answered.
    pub answer: Instant,
    /// What is ready is sent.
    pub reply: Instant,
}

/// What is left of a margin beside waits that are known: this is what a clock of a second has, with which players were late three times in
/// 50,000 messages where eight matches and much else shared two cores.
const KEPT: Duration = Duration::from_millis(250);

impl Due {
    /// For a clock of a message that arrived at an instant, on a machine that lets this process wait for a time now
    /// and then. The margin is at most a quarter of the clock, and what is ready is sent after a quarter of it. Waiting
    /// uses up what is more than [`KEPT`] of it, and then makes it longer, by three eighths of the clock at most.
    pub(crate) fn new(
        arrival: Instant,
        clock: Duration,
        margin: Duration,
        waits: Duration,
    ) -> Self {
        let usual = margin.min(clock / 4);
        let margin = usual.max(usual.min(KEPT) + (2 * waits).min(clock * 3 / 8));
        let without = |margin: Duration| arrival + clock.saturating_sub(margin);
        Self { answer: without(margin), reply: without(margin * 3 / 4) }
    }
}

/// How long this process has to wait for a core when it has something to do: the longest wait of late. Where others use
/// the cores, messages are seen late and answers leave late, so margins grow by that.
#[derive(Debug, Default)]
pub(crate) struct Waits(AtomicU64);

/// A wait counts for half as much after that many beats. Where cores stand still for a tenth of a second, they do so about once
/// a minute.
const HALF_LIFE: u64 = 2400;

impl Waits {
    /// How often it is measured.
    pub(crate) const BEAT: Duration = Duration::from_millis(50);

    /// A beat came that much too late.
    pub(crate) fn note(&self, late: Duration) {
        let old = self.0.load(Ordering::Relaxed);
        let faded = old - old.div_ceil(HALF_LIFE * 3 / 2).min(old);
        self.0.store(faded.max(late.as_micros() as u64), Ordering::Relaxed);
    }

    /// The longest wait of late.
    pub(crate) fn longest(&self) -> Duration {
        Duration::from_micros(self.0.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn margins_shrink_with_the_clock() {
        let now = Instant::now();
        let ms = Duration::from_millis;
        let waiting = |clock: u64, margin: u64, waits: u64| {
            let due = Due::new(now, ms(clock), ms(margin), ms(waits));
            (due.answer.duration_since(now).as_millis(), due.reply.duration_since(now).as_millis())
        };
        let due = |clock, margin| waiting(clock, margin, 0);
        assert_eq!(waiting(1000, 500, 50), (650, 737));
        assert_eq!(waiting(1000, 500, 5000), (375, 531));
        assert_eq!(waiting(2000, 500, 100), (1500, 1625));
        assert_eq!(waiting(2000, 500, 150), (1450, 1587));
        assert_eq!(waiting(6000, 200, 100), (5600, 5700));
        assert_eq!(due(10_000, 500), (9500, 9625));
        assert_eq!(due(1000, 500), (750, 812));
        assert_eq!(due(0, 500), (0, 0));
    }

    #[test]
    fn a_long_wait_is_remembered_for_a_while() {
        let waits = Waits::default();
        waits.note(Duration::from_millis(80));
        waits.note(Duration::from_millis(1));
        assert!(waits.longest() > Duration::from_millis(70));
        for _ in 0..4 * HALF_LIFE {
            waits.note(Duration::from_millis(1));
        }
        assert!(waits.longest() < Duration::from_millis(10), "{:?}", waits.longest());
        for _ in 0..40 * HALF_LIFE {
            waits.note(Duration::ZERO);
        }
        assert!(waits.longest() < Duration::from_millis(1));
    }
}
