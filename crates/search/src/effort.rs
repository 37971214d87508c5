//! How much a search may spend, and the meter that tells when it is spent.

use std::time::{Duration, Instant};

use game::{Deadline, EvalError, ReasonError};

/// What a search may spend. With a limit on nodes or depth and no deadline, searches are deterministic.
#[derive(Clone, Debug, Default)]
pub struct Effort {
    /// The end of the time.
    pub deadline: Deadline,
    /// The most states that may be made.
    pub nodes: Option<u64>,
    /// The deepest iteration, for searches that deepen.
    pub depth: Option<u32>,
}

impl Effort {
    /// Until a deadline.
    pub fn until(deadline: Deadline) -> Self {
        Self { deadline, ..Self::default() }
    }

    /// At most that many nodes.
    pub fn nodes(nodes: u64) -> Self {
        Self { nodes: Some(nodes), ..Self::default() }
    }

    /// At most that deep.
    pub fn depth(depth: u32) -> Self {
        Self { depth: Some(depth), ..Self::default() }
    }

    /// Whether time or nodes come to an end.
    pub fn has_end(&self) -> bool {
        self.nodes.is_some() || self.deadline.left().is_some()
    }

    /// A part of the time that is left, from now on, and of the nodes. What has no end is not divided.
    #[must_use]
    pub fn part(&self, (part, of): (u32, u32)) -> Self {
        let nodes = self.nodes.map(|nodes| nodes.saturating_mul(part.into()) / u64::from(of));
        let deadline = match self.deadline.left() {
            Some(left) => self.deadline.not_after(Instant::now() + left * part / of),
            None => self.deadline.clone(),
        };
        Self { deadline, nodes, depth: self.depth }
    }
}

/// Why a search returned.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// Nothing is left to find out.
    Done,
    /// The deadline passed.
    Time,
    /// The flag of the deadline was set.
    Cancelled,
    /// The limit on nodes was reached.
    Nodes,
    /// The limit on depth was reached.
    Depth,
    /// Memory was used up by a method that cannot recycle it.
    Memory,
    /// The machine gave up on a state.
    Machine(ReasonError),
}

impl Stop {
    /// An error of a machine; interruptions are the deadline of the machine.
    pub fn from_error(error: ReasonError) -> Self {
        match error {
            ReasonError::Eval(EvalError::Interrupted) => Self::Time,
            error => Self::Machine(error),
        }
    }
}

impl From<ReasonError> for Stop {
    fn from(error: ReasonError) -> Self {
        Self::from_error(error)
    }
}

/// Between two looks at the clock at most about this much time should pass.
const PAUSE: Duration = Duration::from_micros(400);
/// And at most that many questions.
const MOST_QUESTIONS: u64 = 1024;

/// Counts nodes and watches the deadline. The flag is looked at whenever somebody asks, the clock as often as
/// is needed to stop within a millisecond or two: a search that finds no new nodes has to stop as well.
#[derive(Clone, Debug)]
pub struct Meter {
    effort: Effort,
    begin: Instant,
    nodes: u64,
    /// Questions until the next look at the clock, and how many there are between two.
    left: u64,
    pause: u64,
    last: Instant,
}

impl Meter {
    /// Begins to count.
    pub fn start(effort: &Effort) -> Self {
        let now = Instant::now();
        Self { effort: effort.clone(), begin: now, nodes: 0, left: 0, pause: 1, last: now }
    }

    /// Counts a node; an error where the search has to stop.
    pub fn count(&mut self) -> Result<(), Stop> {
        if self.effort.nodes.is_some_and(|most| self.nodes >= most) {
            return Err(Stop::Nodes);
        }
        self.nodes += 1;
        self.check()
    }

    /// Looks whether to stop, without counting.
    pub fn check(&mut self) -> Result<(), Stop> {
        if self.effort.deadline.cancelled() {
            return Err(Stop::Cancelled);
        }
        if self.left > 0 {
            self.left -= 1;
            return Ok(());
        }
        let now = Instant::now();
        // Without another look to wait for: whoever asks again is told again.
        if self.effort.deadline.instant().is_some_and(|end| now >= end) {
            return Err(Stop::Time);
        }
        let passed = now - self.last;
        self.pause = if passed < PAUSE / 2 {
            (self.pause * 2).min(MOST_QUESTIONS)
        } else if passed > PAUSE {
            (self.pause / 2).max(1)
        } else {
            self.pause
        };
        (self.last, self.left) = (now, self.pause - 1);
        Ok(())
    }

    /// Nodes counted so far.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Seconds since the start.
    pub fn seconds(&self) -> f64 {
        self.begin.elapsed().as_secs_f64()
    }

    /// What may be spent in all.
    pub fn effort(&self) -> &Effort {
        &self.effort
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_of_the_time_and_of_the_nodes_and_what_has_no_end_is_not_divided() {
        assert_eq!(Effort::nodes(1000).part((12, 100)).nodes, Some(120));
        assert!(Effort::nodes(1000).has_end() && !Effort::depth(3).has_end());
        let part = Effort::depth(3).part((1, 2));
        assert_eq!((part.depth, part.nodes, part.deadline.left()), (Some(3), None, None));
        let hour = Effort::until(Deadline::within(Duration::from_secs(3600)));
        let left = hour.part((1, 4)).deadline.left().expect("it has an end");
        assert!(left > Duration::from_secs(800) && left <= Duration::from_secs(900), "{left:?}");
    }

    /// What can be said of cancellation on a busy machine: in nodes, not in milliseconds.
    #[test]
    fn a_flag_is_seen_at_the_next_node_and_the_clock_after_a_thousand_at_most() {
        let flag = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let mut meter = Meter::start(&Effort::until(Deadline::never().or_when(flag.clone())));
        assert!((0..100_000).all(|_| meter.count().is_ok()));
        flag.store(true, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(meter.count(), Err(Stop::Cancelled));
        let soon = Duration::from_millis(20);
        let mut meter = Meter::start(&Effort::until(Deadline::within(soon)));
        // Nodes that take no time: looks at the clock become as rare as they ever do.
        while meter.pause < MOST_QUESTIONS && meter.count().is_ok() {}
        std::thread::sleep(soon);
        let late = (0..2 * MOST_QUESTIONS).take_while(|_| meter.count().is_ok()).count();
        assert!(late as u64 <= MOST_QUESTIONS, "{late}");
        assert_eq!(meter.count(), Err(Stop::Time));
    }

    #[test]
    fn the_clock_is_seen_without_new_nodes() {
        let soon = Duration::from_millis(20);
        let mut meter = Meter::start(&Effort::until(Deadline::within(soon)));
        while meter.pause < MOST_QUESTIONS && meter.count().is_ok() {}
        std::thread::sleep(soon);
        assert!((0..2 * MOST_QUESTIONS).any(|_| meter.check() == Err(Stop::Time)));
    }

    #[test]
    fn a_meter_stops_at_the_node_limit_the_deadline_and_the_flag() {
        let mut meter = Meter::start(&Effort::nodes(3));
        assert_eq!((0..5).filter(|_| meter.count().is_ok()).count(), 3);
        assert_eq!(meter.count(), Err(Stop::Nodes));
        let mut late = Meter::start(&Effort::until(Deadline::at(Instant::now())));
        assert_eq!(late.count(), Err(Stop::Time));
        let flag = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
        let mut stopped = Meter::start(&Effort::until(Deadline::never().or_when(flag)));
        assert_eq!(stopped.count(), Err(Stop::Cancelled));
    }
}
