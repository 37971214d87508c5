//! Asking clingo whether a program has an answer set, within limits.
//!
//! A program is made ground part by part, with a look at the clock in between; that no part is too large is estimated
//! before ([`super::program`]). Solving runs in a thread of the solver's that ends before the answer is given.

use std::time::Duration;

use clingo::{Part, SolveMode, SolveResult};
use game::Deadline;

use crate::asp::parts::parts;
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

/// What gringo and clasp keep for an instance of a rule and its atoms, roughly.
pub const BYTES_PER_INSTANCE: u64 = 200;

/// How often a running solver is looked at.
const GLANCE: Duration = Duration::from_millis(20);

/// Whether a program has an answer set. Each line of it is a statement.
pub fn solve(program: &str, deadline: &Deadline) -> Answer {
    match run(program, deadline) {
        Ok(answer) => answer,
        Err(error) => Answer::Unknown(Reason::Other(format!("clingo: {error}"))),
    }
}

fn run(program: &str, deadline: &Deadline) -> Result<Answer, clingo::ClingoError> {
    let mut control = clingo::control(vec!["--warn=none".to_owned()])?;
    for (number, part) in parts(program).into_iter().enumerate() {
        if deadline.passed() {
            return Ok(Answer::Unknown(Reason::Time));
        }
        let name = format!("part{number}");
        control.add(&name, &[], &part)?;
        control.ground(&[Part::new(&name, vec![])?])?;
    }
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

    #[test]
    fn the_example_of_the_thesis_on_answer_sets_is_decided() {
        let never = Deadline::never();
        assert_eq!(solve("a.\n:- a.", &never), Answer::None);
        assert_eq!(solve("{a}.\n:- not a.", &never), Answer::Some);
        assert!(matches!(solve("a :- ", &never), Answer::Unknown(Reason::Other(_))));
    }

    /// More pigeons than holes: hard to refute without counting.
    fn pigeons(pigeons: usize) -> String {
        let mut text = String::new();
        let _ = writeln!(text, "pigeon(1..{pigeons}).\nhole(1..{}).", pigeons - 1);
        text.push_str("1 { in(P,H) : hole(H) } 1 :- pigeon(P).\n");
        text.push_str(":- in(P,H), in(Q,H), P < Q.\n");
        text
    }

    #[test]
    fn a_long_search_ends_within_a_second_of_its_deadline() {
        let start = Instant::now();
        let deadline = Deadline::within(Duration::from_millis(300));
        let answer = solve(&pigeons(14), &deadline);
        assert_eq!(answer, Answer::Unknown(Reason::Time));
        assert!(start.elapsed() < Duration::from_millis(1300), "{:?}", start.elapsed());
    }

    #[test]
    fn grounding_stops_at_the_deadline() {
        let mut large = "d(1..40).\n".to_owned();
        for rule in 0..400 {
            let _ = writeln!(large, "{{ q{rule}(X) : d(X) }}.");
            let _ = writeln!(large, "p{rule}(X,Y,Z) :- d(X), d(Y), d(Z), not q{rule}(X).");
        }
        let start = Instant::now();
        let soon = Deadline::within(Duration::from_millis(200));
        assert_eq!(solve(&large, &soon), Answer::Unknown(Reason::Time));
        assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
    }
}
