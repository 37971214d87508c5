//! A person at the terminal: legal moves by number, or written out.

use std::io::{self, BufRead};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Instant;

use anstyle::Style;
use game::{Game, JointMove, Move, Role};
use manager::{Ask, Briefing, Fault, Seat};

use crate::board::Board;
use crate::exit;
use crate::table;

/// Lines of standard input, read in a thread so that clocks can run out.
static LINES: LazyLock<Mutex<Receiver<String>>> = LazyLock::new(|| {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    Mutex::new(receiver)
});

/// The most moves that are listed.
const LISTED: usize = 60;

/// A seat for a person. Several persons share the terminal, one after the other.
pub struct Human {
    name: String,
    role: Role,
    terminal: Arc<Mutex<()>>,
}

impl Human {
    /// A person with a name; those at one terminal share the lock.
    pub fn new(name: &str, terminal: &Arc<Mutex<()>>) -> Self {
        Self { name: name.to_owned(), role: Role(0), terminal: terminal.clone() }
    }

    /// Shows the position and asks until the answer is a legal move.
    fn choose(&self, ask: &Ask<'_>) -> Result<Move, Fault> {
        let text = |action: &Move| ask.game.universe().move_entry(*action).text.to_string();
        let legal: Vec<String> = ask.legal.iter().map(text).collect();
        show(ask.game, ask, self.role);
        let numbered: Vec<String> =
            legal.iter().enumerate().map(|(at, text)| format!("{}: {text}", at + 1)).collect();
        list(&numbered[..numbered.len().min(LISTED)]);
        if legal.len() > LISTED {
            exit::say(&format!(
                "… and {} more; part of a move lists those that have it",
                legal.len() - LISTED
            ));
        }
        loop {
            exit::say("your move (number or text):");
            let line = line(ask.deadline)?;
            match matching(&line, &legal)[..] {
                [at] => return Ok(ask.legal[at]),
                [] => exit::say("there is no such move"),
                ref several => {
                    let some = several.iter().take(LISTED).map(|at| numbered[*at].clone());
                    let some: Vec<String> = some.collect();
                    list(&some);
                }
            }
        }
    }
}

fn list(items: &[String]) {
    for line in table::fill(items, 90) {
        exit::say(&line);
    }
}

fn line(deadline: Instant) -> Result<String, Fault> {
    let lines = LINES.lock().unwrap_or_else(PoisonError::into_inner);
    match lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
        Ok(line) => Ok(line),
        Err(RecvTimeoutError::Timeout) => Err(Fault::TimedOut),
        Err(RecvTimeoutError::Disconnected) => {
            Err(Fault::Connection("standard input has ended".to_owned()))
        }
    }
}

/// The moves that a line may mean: one by its number or its text, or all that contain it.
fn matching(line: &str, legal: &[String]) -> Vec<usize> {
    let wanted = protocol::message::compact(&line.to_lowercase());
    if wanted.is_empty() {
        return Vec::new();
    }
    let exact = |text: &String| text.to_lowercase() == wanted;
    if let Some(at) = legal.iter().position(exact) {
        return vec![at];
    }
    if let Some(number) = wanted.parse::<usize>().ok().filter(|n| (1..=legal.len()).contains(n)) {
        return vec![number - 1];
    }
    (0..legal.len()).filter(|at| legal[*at].to_lowercase().contains(&wanted)).collect()
}

fn show(game: &Game, ask: &Ask<'_>, role: Role) {
    let bold = Style::new().bold();
    if let Some(last) = ask.last {
        let moves = protocol::trace::move_items(game, &last.0);
        exit::say(&format!("last moves: {}", moves.join(", ")));
    }
    let lines = match Board::recognise(game, ask.state) {
        Some(mut board) => board.draw(game, ask.state),
        None => table::fill(&protocol::trace::state_items(game, ask.state), 90),
    };
    for line in lines {
        exit::say(&format!("    {line}"));
    }
    exit::say(&format!("you are {bold}{}{bold:#}", game.role_name(role)));
}

impl Seat for Human {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn is_human(&self) -> bool {
        true
    }

    fn start(&mut self, briefing: &Briefing<'_>, _deadline: Instant) -> Result<(), Fault> {
        self.role = briefing.role;
        Ok(())
    }

    fn play(&mut self, ask: &Ask<'_>) -> Result<Move, Fault> {
        // Where there is nothing to choose, nobody is asked.
        if let [only] = ask.legal {
            return Ok(*only);
        }
        let _alone = self.terminal.lock().unwrap_or_else(PoisonError::into_inner);
        self.choose(ask)
    }

    fn stop(&mut self, _game: &Game, _last: Option<&JointMove>) {}

    fn abort(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_found_by_number_text_and_part() {
        let legal: Vec<String> =
            ["(mark 1 1)", "(mark 1 2)", "noop"].iter().map(|t| (*t).to_owned()).collect();
        assert_eq!(matching("3", &legal), [2]);
        assert_eq!(matching(" ( MARK 1 2 ) ", &legal), [1]);
        assert_eq!(matching("mark", &legal), [0, 1]);
        assert_eq!(matching("no", &legal), [2]);
        assert!(matching("", &legal).is_empty() && matching("9", &legal).is_empty());
    }
}
