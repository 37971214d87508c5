//! Asking clingo whether a program has an answer set, within limits.
//!
//! Grounding cannot be interrupted from outside; an observer counts what it writes and stops it. Solving runs in a
//! thread of the solver's that ends before the answer is given.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use clingo::defaults::Non;
use clingo::{
    Atom, ControlCtx, GroundProgramObserver, Part, SolveMode, SolveResult, SolverLiteral,
    WeightedLiteral,
};
use game::Deadline;

use crate::verdict::Reason;

/// What clingo says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// There is no answer set.
    None,
    /// There is one.
    Some,
    /// It could not tell.
    Unknown(Reason),
}

/// Counts the ground program while it is made.
struct Watcher {
    deadline: Deadline,
    bytes: u64,
    max_bytes: u64,
    rules: u64,
    /// 1 out of time, 2 out of memory.
    stopped: Arc<AtomicU64>,
}

impl Watcher {
    fn add(&mut self, literals: usize) -> bool {
        self.rules += 1;
        // What gringo keeps for a rule and its atoms, and clasp again for both.
        self.bytes += 200 + 16 * literals as u64;
        if self.bytes > self.max_bytes {
            self.stopped.store(2, Ordering::Relaxed);
            return false;
        }
        if self.rules.is_multiple_of(256) && self.deadline.passed() {
            self.stopped.store(1, Ordering::Relaxed);
            return false;
        }
        true
    }
}

impl GroundProgramObserver for Watcher {
    fn rule(&mut self, _choice: bool, head: &[Atom], body: &[SolverLiteral]) -> bool {
        self.add(head.len() + body.len())
    }

    fn weight_rule(
        &mut self,
        _choice: bool,
        head: &[Atom],
        _lower_bound: i32,
        body: &[WeightedLiteral],
    ) -> bool {
        self.add(head.len() + body.len())
    }
}

struct Context {
    watcher: Watcher,
    non: Non,
}

impl ControlCtx for Context {
    type L = Non;
    type P = Non;
    type O = Watcher;
    type F = Non;

    fn logger(&mut self) -> (&mut Non, u32) {
        (&mut self.non, 0)
    }

    fn propagator(&mut self) -> (&mut Non, bool) {
        (&mut self.non, false)
    }

    fn observer(&mut self) -> (&mut Watcher, bool) {
        (&mut self.watcher, false)
    }

    fn function_handler(&mut self) -> &mut Non {
        &mut self.non
    }
}

/// How often a running solver is looked at.
const GLANCE: Duration = Duration::from_millis(20);

/// Whether a program has an answer set.
pub fn solve(program: &str, deadline: &Deadline, max_bytes: u64) -> Answer {
    if deadline.passed() {
        return Answer::Unknown(Reason::Time);
    }
    let stopped = Arc::new(AtomicU64::new(0));
    match run(program, deadline, max_bytes, &stopped) {
        Ok(answer) => answer,
        Err(error) => Answer::Unknown(match stopped.load(Ordering::Relaxed) {
            1 => Reason::Time,
            2 => Reason::Memory,
            _ => Reason::Other(format!("clingo: {error}")),
        }),
    }
}

fn run(
    program: &str,
    deadline: &Deadline,
    max_bytes: u64,
    stopped: &Arc<AtomicU64>,
) -> Result<Answer, clingo::ClingoError> {
    let watcher = Watcher {
        deadline: deadline.clone(),
        bytes: 0,
        max_bytes,
        rules: 0,
        stopped: stopped.clone(),
    };
    let context = Context { watcher, non: Non };
    let mut control = clingo::control_with_context(vec!["--warn=none".to_owned()], context)?;
    control.add("base", &[], program)?;
    control.ground(&[Part::new("base", vec![])?])?;
    let mut handle = control.solve(SolveMode::ASYNC, &[])?;
    let mut out_of_time = false;
    while !handle.wait(GLANCE) {
        if deadline.passed() {
            out_of_time = true;
            handle.cancel()?;
            break;
        }
    }
    let result = handle.get();
    handle.close()?;
    let result = result?;
    Ok(if result.contains(SolveResult::UNSATISFIABLE) {
        Answer::None
    } else if result.contains(SolveResult::SATISFIABLE) {
        Answer::Some
    } else if out_of_time {
        Answer::Unknown(Reason::Time)
    } else {
        Answer::Unknown(Reason::Other("clingo was interrupted".to_owned()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;
    use std::time::Instant;

    const ROOM: u64 = 1 << 30;

    #[test]
    fn the_example_of_the_thesis_on_answer_sets_is_decided() {
        let never = Deadline::never();
        assert_eq!(solve("a. :- a.", &never, ROOM), Answer::None);
        assert_eq!(solve("{a}. :- not a.", &never, ROOM), Answer::Some);
        assert!(matches!(solve("a :- ", &never, ROOM), Answer::Unknown(Reason::Other(_))));
    }

    /// More pigeons than holes: hard to refute without counting.
    fn pigeons(pigeons: usize) -> String {
        let mut text = String::new();
        let _ = writeln!(text, "pigeon(1..{pigeons}). hole(1..{}).", pigeons - 1);
        text.push_str("1 { in(P,H) : hole(H) } 1 :- pigeon(P).\n");
        text.push_str(":- in(P,H), in(Q,H), P < Q.\n");
        text
    }

    #[test]
    fn a_long_search_ends_within_a_second_of_its_deadline() {
        let start = Instant::now();
        let deadline = Deadline::within(Duration::from_millis(300));
        let answer = solve(&pigeons(14), &deadline, ROOM);
        assert_eq!(answer, Answer::Unknown(Reason::Time));
        assert!(start.elapsed() < Duration::from_millis(1300), "{:?}", start.elapsed());
    }

    #[test]
    fn grounding_stops_at_the_limits_of_time_and_memory() {
        let large =
            "d(1..3000). p(X,Y) :- d(X), d(Y), not q(X,Y). q(X,Y) :- d(X), d(Y), not p(X,Y).";
        let start = Instant::now();
        let soon = Deadline::within(Duration::from_millis(200));
        assert_eq!(solve(large, &soon, ROOM << 4), Answer::Unknown(Reason::Time));
        assert!(start.elapsed() < Duration::from_millis(1500), "{:?}", start.elapsed());
        let never = Deadline::never();
        assert_eq!(solve(large, &never, 1 << 20), Answer::Unknown(Reason::Memory));
    }
}
