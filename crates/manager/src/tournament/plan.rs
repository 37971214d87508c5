//! The file that describes a tournament.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::play::Clocks;
use crate::spec::{Kind, Spec};

/// A tournament as its file describes it; `docs/matches.md` explains the keys.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Plan {
    /// Its name.
    pub name: String,
    /// How opponents are chosen.
    #[serde(default)]
    pub format: Form,
    /// How often everybody meets everybody, or how many rounds of a Swiss tournament.
    #[serde(default = "one")]
    pub rounds: u32,
    /// Rule sheets or names of library games.
    pub games: Vec<String>,
    /// Seconds before the first move.
    #[serde(default = "ten")]
    pub start_clock: f64,
    /// Seconds for each move.
    #[serde(default = "ten")]
    pub play_clock: f64,
    /// Whether each encounter is played in all rotations of the roles.
    #[serde(default = "yes")]
    pub rotate: bool,
    /// How many matches are played at once.
    #[serde(default = "one_match")]
    pub parallel: usize,
    /// The seed of all random choices.
    #[serde(default = "seed")]
    pub seed: u64,
    /// Whether players see other names than those of the rules.
    #[serde(default)]
    pub scramble: bool,
    /// Faults after which a player forfeits a match.
    #[serde(default)]
    pub forfeit: Option<u32>,
    /// How often a connection is tried again.
    #[serde(default = "one")]
    pub retries: u32,
    /// The longest match in steps.
    #[serde(default = "longest")]
    pub longest: usize,
    /// The players.
    #[serde(rename = "player")]
    pub players: Vec<Entrant>,
}

fn one() -> u32 {
    1
}

fn one_match() -> usize {
    1
}

fn ten() -> f64 {
    10.0
}

fn yes() -> bool {
    true
}

fn seed() -> u64 {
    1
}

fn longest() -> usize {
    1000
}

/// How opponents are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// Everybody meets everybody in every game.
    #[default]
    RoundRobin,
    /// Players meet others of about the same strength; each round is one game.
    Swiss,
}

/// A player of a tournament.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Entrant {
    /// The name in tables.
    pub name: String,
    /// A URL or a strategy; nothing where there is a command.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub player: String,
    /// A program with its arguments, which the tournament starts: a player that listens on `{port}`. `{fluxion}` is this program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// The cores that it may use, by their numbers; all where none are named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cores: Vec<usize>,
    /// How many matches it can play at once; one for players over HTTP, any number for strategies.
    #[serde(default)]
    pub matches: Option<usize>,
}

impl Entrant {
    /// Whether the tournament starts it.
    pub fn is_hired(&self) -> bool {
        !self.command.is_empty()
    }

    /// What plays, in words: a URL, a strategy or a command.
    pub fn what(&self) -> String {
        if self.is_hired() { self.command.join(" ") } else { self.player.clone() }
    }

    fn check(&self) -> Result<(), String> {
        match (self.player.is_empty(), self.is_hired()) {
            (true, true) if !self.command.iter().any(|word| word.contains("{port}")) => {
                Err("the command does not say where {port} belongs".to_owned())
            }
            (true, true) => Ok(()),
            (false, false) if !self.cores.is_empty() => {
                Err("cores are for players with a command".to_owned())
            }
            (false, false) => match Spec::parse(&self.player) {
                Ok(spec) if matches!(spec.kind, Kind::Human) => {
                    Err("people cannot play unattended".to_owned())
                }
                Ok(_) => Ok(()),
                Err(error) => Err(error.to_string()),
            },
            _ => Err("it needs either player or command".to_owned()),
        }
    }
}

/// What is wrong with a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanError(pub String);

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PlanError {}

/// More would be a slip of the pen.
const MOST_PLAYERS: usize = 500;
const LONGEST_CLOCK: f64 = 86_400.0;

impl Plan {
    /// Reads and checks a plan.
    pub fn parse(text: &str) -> Result<Self, PlanError> {
        let plan: Self = toml::from_str(text).map_err(|error| PlanError(error.to_string()))?;
        plan.check()?;
        Ok(plan)
    }

    fn check(&self) -> Result<(), PlanError> {
        let fail = |what: String| Err(PlanError(what));
        if self.games.is_empty() || self.players.is_empty() {
            return fail("a tournament needs games and players".to_owned());
        }
        if self.players.len() > MOST_PLAYERS {
            return fail(format!("more than {MOST_PLAYERS} players"));
        }
        for clock in [self.start_clock, self.play_clock] {
            if !(clock > 0.0 && clock <= LONGEST_CLOCK) {
                return fail(format!("{clock} is not a clock of up to a day in seconds"));
            }
        }
        if self.parallel == 0 || self.rounds == 0 {
            return fail("parallel and rounds are at least 1".to_owned());
        }
        for (at, player) in self.players.iter().enumerate() {
            if self.players[..at].iter().any(|other| other.name == player.name) {
                return fail(format!("two players are called {}", player.name));
            }
            if player.matches == Some(0) {
                return fail(format!("{}: matches is at least 1", player.name));
            }
            player.check().map_err(|what| PlanError(format!("{}: {what}", player.name)))?;
        }
        Ok(())
    }

    /// The clocks of its matches.
    pub fn clocks(&self) -> Clocks {
        Clocks {
            start: Duration::from_secs_f64(self.start_clock),
            play: Duration::from_secs_f64(self.play_clock),
            ..Clocks::default()
        }
    }

    /// What must not change while a tournament is under way, as text: all but the number of matches at once.
    pub fn identity(&self) -> String {
        let fixed = Self { parallel: 1, ..self.clone() };
        serde_json::to_string(&fixed).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "name = 'small'\ngames = ['tictactoe']\nrounds = 2\nplay-clock = 0.5\n\
        [[player]]\nname = 'a'\nplayer = 'random'\n[[player]]\nname = 'b'\nplayer = 'legal'\n";

    #[test]
    fn plans_are_read_with_defaults() {
        let plan = Plan::parse(GOOD).expect("a plan");
        assert_eq!((plan.rounds, plan.parallel, plan.rotate), (2, 1, true));
        assert_eq!((plan.format, plan.players.len()), (Form::RoundRobin, 2));
        assert_eq!(plan.clocks().play, Duration::from_millis(500));
        let more = Plan { parallel: 8, ..plan.clone() };
        assert_eq!(more.identity(), plan.identity());
        assert_ne!(Plan { seed: 2, ..plan.clone() }.identity(), plan.identity());
        let hired = "command = ['{fluxion}', 'serve', '--port', '{port}']\ncores = [1]";
        let plan = Plan::parse(&GOOD.replace("player = 'legal'", hired)).expect("a plan");
        assert!(plan.players[1].is_hired() && !plan.players[0].is_hired());
        assert_eq!(plan.players[1].what(), "{fluxion} serve --port {port}");
    }

    #[test]
    fn slips_are_told() {
        for (from, to, told) in [
            ("rounds = 2", "rounds = 0", "at least 1"),
            ("rounds = 2", "round = 2", "unknown field"),
            ("'b'", "'a'", "two players are called a"),
            ("'legal'", "'clever'", "there is no strategy clever"),
            ("'legal'", "'human'", "unattended"),
            ("'legal'", "'legal'\ncores = [0]", "cores are for players with a command"),
            ("'legal'", "'legal'\ncommand = ['x', '{port}']", "either player or command"),
            ("player = 'legal'", "", "either player or command"),
            ("player = 'legal'", "command = ['x', '4001']", "where {port} belongs"),
            ("0.5", "-1", "not a clock"),
            ("['tictactoe']", "[]", "needs games"),
            ("name = 'small'", "", "missing field"),
        ] {
            let error = Plan::parse(&GOOD.replacen(from, to, 1)).expect_err(to).to_string();
            assert!(error.contains(told), "{to}: {error}");
        }
    }
}
