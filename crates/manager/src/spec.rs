//! Players as people name them: `uct:threads=2`, `http://localhost:9147`, `human`, `me=random`.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use player::{Archive, Strategy};

use crate::builtin::Builtin;
use crate::remote::{Address, Remote};
use crate::seat::Seat;

/// A named player.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The name in tables and records.
    pub name: String,
    /// What it is.
    pub kind: Kind,
}

/// What a player is.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A player over HTTP.
    Remote(Address),
    /// A strategy of this program.
    Builtin(Strategy),
    /// A person at the terminal.
    Human,
}

/// Why a text names no player, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecError(String);

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SpecError {}

impl Spec {
    /// Reads `[NAME=]PLAYER`, where PLAYER is a URL, `human` or a strategy.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        let (name, player) = match text.split_once('=') {
            // The first `=` of `uct:threads=2` belongs to an option.
            Some((name, player)) if !name.contains([':', '/']) => {
                (Some(name.trim()), player.trim())
            }
            _ => (None, text.trim()),
        };
        let kind = Self::kind(player)?;
        let name = match (name, &kind) {
            (Some(""), _) => return Err(SpecError(format!("{text}: the name is missing"))),
            (Some(name), _) => name.to_owned(),
            (None, Kind::Remote(address)) => address.to_string(),
            (None, Kind::Builtin(strategy)) => strategy.to_string(),
            (None, Kind::Human) => "human".to_owned(),
        };
        Ok(Self { name, kind })
    }

    fn kind(player: &str) -> Result<Kind, SpecError> {
        if player == "human" {
            return Ok(Kind::Human);
        }
        if player.starts_with("https:") {
            return Err(SpecError(format!("{player}: players speak plain http")));
        }
        if player.starts_with("http:") || player.contains('/') {
            let address = Address::parse(player);
            let error =
                || SpecError(format!("{player} is not an address such as http://localhost:9147"));
            return Ok(Kind::Remote(address.ok_or_else(error)?));
        }
        match Strategy::parse(player) {
            Ok(strategy) => Ok(Kind::Builtin(strategy)),
            // `localhost:4001` looks like a strategy with options.
            Err(error) => match Address::parse(player).filter(|_| is_place(player)) {
                Some(address) => Ok(Kind::Remote(address)),
                None => Err(SpecError(error.to_string())),
            },
        }
    }

    /// A seat for it; none for people, whom only a terminal can seat.
    pub fn seat(&self, seed: u64, retries: u32) -> Option<Box<dyn Seat>> {
        self.seat_with(seed, retries, None, None)
    }

    /// The same, with the longest time that a strategy thinks about a move, and where it keeps knowledge.
    pub fn seat_with(
        &self,
        seed: u64,
        retries: u32,
        longest: Option<Duration>,
        archive: Option<Arc<dyn Archive>>,
    ) -> Option<Box<dyn Seat>> {
        match &self.kind {
            Kind::Remote(address) => {
                Some(Box::new(Remote::new(self.name.clone(), address.clone()).retrying(retries)))
            }
            Kind::Builtin(strategy) => {
                let seat = Builtin::new(strategy.clone(), seed);
                Some(Box::new(seat.thinking(longest).remembering(archive)))
            }
            Kind::Human => None,
        }
    }
}

fn is_place(text: &str) -> bool {
    text.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_are_read_as_people_name_them() {
        let show = |text: &str| match Spec::parse(text) {
            Ok(Spec { name, kind: Kind::Remote(address) }) => format!("{name} at {address}"),
            Ok(Spec { name, kind: Kind::Builtin(strategy) }) => format!("{name} plays {strategy}"),
            Ok(Spec { name, kind: Kind::Human }) => format!("{name} is a person"),
            Err(error) => error.to_string(),
        };
        assert_eq!(show("random"), "random plays random");
        assert_eq!(show("me = legal"), "me plays legal");
        assert_eq!(show("human"), "human is a person");
        assert_eq!(show("localhost:4001"), "http://localhost:4001 at http://localhost:4001");
        assert_eq!(show("x=http://h"), "x at http://h:9147");
        assert!(show("https://h").contains("plain http"));
        assert!(show("=random").contains("name is missing"));
        assert!(show("clever").contains("there is no strategy clever"));
        assert!(show("http://").contains("is not an address"));
    }
}
