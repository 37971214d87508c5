//! Who sits at the table: what a match asks of a player, and how a player can fail.

use std::fmt;
use std::time::Instant;

use game::{Game, JointMove, Move, Reasoner, Role, State};

use crate::play::Clocks;
use crate::scramble::Scrambler;

/// What a player is told before the match.
#[derive(Clone)]
pub struct Briefing<'m> {
    /// The name of the match.
    pub id: &'m str,
    /// The game.
    pub game: &'m Game,
    /// Gives out machines.
    pub reasoner: &'m Reasoner,
    /// The role to play.
    pub role: Role,
    /// The clocks.
    pub clocks: Clocks,
    /// The names that players see.
    pub scrambler: &'m Scrambler,
}

/// A question for a move.
#[derive(Clone)]
pub struct Ask<'m> {
    /// The game.
    pub game: &'m Game,
    /// The last joint move; none at first.
    pub last: Option<&'m JointMove>,
    /// The present state.
    pub state: &'m State,
    /// The moves to choose from.
    pub legal: &'m [Move],
    /// When the answer is due.
    pub deadline: Instant,
}

/// What a player did wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It did not answer in time.
    TimedOut,
    /// It could not be reached, or did not speak the protocol.
    Connection(String),
    /// It answered with something that is no legal move.
    Illegal(String),
    /// It would not play.
    Refused(String),
}

impl fmt::Display for Fault {
    /// As records write it: `TO`, `CE why`, `IL move`, `RE answer`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TimedOut => write!(f, "TO"),
            Self::Connection(why) => write!(f, "CE {}", shorten(why)),
            Self::Illegal(text) => write!(f, "IL {}", shorten(text)),
            Self::Refused(text) => write!(f, "RE {}", shorten(text)),
        }
    }
}

/// Answers of players may be anything; records keep the beginning.
fn shorten(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    match plain.char_indices().nth(200) {
        Some((at, _)) => format!("{}…", &plain[..at]),
        None => plain,
    }
}

/// A player of one role. All calls of a match come from one thread at a time.
pub trait Seat: Send {
    /// The name in records.
    fn name(&self) -> String;

    /// Whether it is a person.
    fn is_human(&self) -> bool {
        false
    }

    /// Rules to look at before the match.
    fn preview(&mut self, _briefing: &Briefing<'_>, _deadline: Instant) -> Result<(), Fault> {
        Ok(())
    }

    /// The match begins.
    fn start(&mut self, briefing: &Briefing<'_>, deadline: Instant) -> Result<(), Fault>;

    /// Chooses a move.
    fn play(&mut self, ask: &Ask<'_>) -> Result<Move, Fault>;

    /// The match is over, with this last joint move.
    fn stop(&mut self, game: &Game, last: Option<&JointMove>);

    /// The match ends without a result.
    fn abort(&mut self);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_have_the_codes_of_the_field() {
        assert_eq!(Fault::TimedOut.to_string(), "TO");
        assert_eq!(Fault::Connection("refused\r\n".to_owned()).to_string(), "CE refused  ");
        assert_eq!(Fault::Illegal("x".repeat(500)).to_string().chars().count(), 204);
    }
}
