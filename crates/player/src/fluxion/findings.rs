//! What is known about a game at the end of the start clock, and how the clock was spent.

use std::fmt;
use std::time::{Duration, Instant};

use game::Deadline;
use search::GameClass;

use super::aside::{Lost, aside};

/// A part of the start clock, and what came of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stage {
    name: &'static str,
    spent: Duration,
    result: String,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({:.2} s): {}", self.name, self.spent.as_secs_f64(), self.result)
    }
}

/// The account of the start clock.
#[derive(Clone, Debug, Default)]
pub(super) struct Account {
    stages: Vec<Stage>,
}

impl Account {
    /// Notes how a stage ended that began at an instant.
    pub(super) fn note(&mut self, name: &'static str, begin: Instant, result: impl fmt::Display) {
        self.stages.push(Stage { name, spent: begin.elapsed(), result: result.to_string() });
    }

    /// Does something in a thread of its own until a deadline; what is late or panics is only noted.
    pub(super) fn try_aside<T: Send + 'static>(
        &mut self,
        name: &'static str,
        deadline: &Deadline,
        work: impl FnOnce(&Deadline) -> Option<(T, String)> + Send + 'static,
    ) -> Option<T> {
        let begin = Instant::now();
        let (found, result) = match aside(deadline, work) {
            Ok(Some((found, result))) => (Some(found), result),
            Ok(None) => (None, "nothing found".to_owned()),
            Err(Lost::Late) => (None, "not ready in time".to_owned()),
            Err(Lost::Panicked) => (None, "failed".to_owned()),
        };
        self.note(name, begin, result);
        found
    }

    /// All stages, in words.
    pub(super) fn lines(&self) -> Vec<String> {
        self.stages.iter().map(ToString::to_string).collect()
    }
}

/// The class of a game in words; a question mark is for what was only sampled.
pub(super) fn class_in_words(class: &GameClass) -> String {
    let roles = match class.roles {
        1 => "one role".to_owned(),
        roles => format!("{roles} roles"),
    };
    let mark = |proved: bool| if proved { "" } else { "?" };
    let turns = if class.turn_taking.value { "moves in turn" } else { "simultaneous moves" };
    let turns = format!("{turns}{}", mark(class.turn_taking.is_proved()));
    let sum = match class.constant_sum.value {
        Some(sum) => format!("constant sum {sum}"),
        None => "no constant sum".to_owned(),
    };
    let sum = format!("{sum}{}", mark(class.constant_sum.is_proved()));
    let length = class
        .mean_length
        .map_or_else(|| "no end met".to_owned(), |length| format!("{length:.0} moves on average"));
    format!("{roles}, {turns}, {sum}, {length}, {:.1} joint moves", class.mean_joint_moves)
}
