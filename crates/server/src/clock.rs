//! Deadlines of messages. All of them count from the connection, because that is when the manager's
//! clock has begun to run at the latest.

use std::time::{Duration, Instant};

/// When the answer to a message is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Due {
    /// The match should have answered.
    pub answer: Instant,
    /// What is ready is sent.
    pub reply: Instant,
}

impl Due {
    /// For a clock of a message that arrived at an instant. The margin is at most a quarter of the clock;
    /// what is ready is sent halfway through it.
    pub(crate) fn new(arrival: Instant, clock: Duration, margin: Duration) -> Self {
        let margin = margin.min(clock / 4);
        let without = |margin: Duration| arrival + clock.saturating_sub(margin);
        Self { answer: without(margin), reply: without(margin / 2) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn margins_shrink_with_the_clock() {
        let now = Instant::now();
        let due = |clock: u64, margin: u64| {
            let due = Due::new(now, Duration::from_millis(clock), Duration::from_millis(margin));
            (due.answer.duration_since(now).as_millis(), due.reply.duration_since(now).as_millis())
        };
        assert_eq!(due(10_000, 500), (9500, 9750));
        assert_eq!(due(1000, 500), (750, 875));
        assert_eq!(due(0, 500), (0, 0));
    }
}
