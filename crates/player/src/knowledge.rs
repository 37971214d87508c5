//! What is kept about a game from match to match, in names that all copies of its rule sheet share
//! ([`symmetry::Fingerprint`]): written as JSON with a version, and checked when it is read, because files get
//! damaged and other programs write files, too.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The form in which knowledge is written; others are not read.
pub const VERSION: u32 = 1;
/// The most bytes of knowledge about one game.
pub const MOST_BYTES: usize = 2 << 20;

const MOST_WORDS: usize = 16;
const LONGEST_WORD: usize = 40;
const MOST_ROLES: usize = 64;
const MOST_NAMES: usize = 30_000;
const LONGEST_NAME: usize = 400;
const MOST_PAIRS: usize = 10_000;
const MOST_CLAIMS: usize = 5_000;
const MOST_TRIALS: usize = 8;
const MOST_OUTCOMES: usize = 256;
/// Weights are logarithms of odds: larger ones mean nothing.
const LARGEST_WEIGHT: f32 = 1e3;
/// Trials of long ago count less: of more games than this half are forgotten.
const MOST_GAMES: u32 = 200;

/// What is known about a game from earlier matches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Knowledge {
    /// [`VERSION`].
    pub version: u32,
    /// Matches begun.
    pub matches: u64,
    /// Names of roles and fluents in the sheet that was seen first, for people.
    pub words: Vec<String>,
    /// What class of games it belongs to.
    pub class: Option<Class>,
    /// What was proved.
    pub proofs: Proofs,
    /// What was learned from random play.
    pub lesson: Option<Lesson>,
    /// Quick games between ways to search.
    pub trials: Vec<Tried>,
    /// What matches brought.
    pub outcomes: Vec<Outcome>,
}

/// The class of a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Class {
    /// Whether at most one role has a choice in each state, and whether that is proved.
    pub turn_taking: (bool, bool),
    /// The sum of all rewards, if it is constant, and whether that is proved.
    pub constant_sum: (Option<u32>, bool),
    /// States that were looked at.
    pub states: u64,
    /// The mean number of moves to the end in random play.
    pub mean_length: Option<f64>,
    /// The mean number of joint moves in random play.
    pub mean_joint_moves: f64,
}

/// What was proved or refuted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proofs {
    /// How often proofs were tried.
    pub runs: u32,
    /// How much was still open the last time.
    pub open: u32,
    /// What was decided.
    pub claims: Vec<Claim>,
}

/// A claim about fluents, with symbols and arguments by their canonical numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum Claim {
    /// Some arguments determine the others, or do not.
    Inputs {
        /// The fluent.
        fluent: u32,
        /// The arguments.
        inputs: Vec<u32>,
        /// Whether it is so.
        holds: bool,
    },
    /// Once true, or once false, it stays so.
    Persistent {
        /// The fluent.
        fluent: u32,
        /// An argument and its value, if not all instances are meant.
        value: Option<(u32, String)>,
        /// Which truth value stays.
        truth: bool,
    },
}

/// What was learned about the worth of fluents.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lesson {
    /// From so many positions.
    pub positions: u64,
    /// The names of fluents that have a weight.
    pub fluents: Vec<String>,
    /// For each role.
    pub roles: Vec<RoleLesson>,
}

/// What was learned for one role.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoleLesson {
    /// The name of the role.
    pub role: String,
    /// The correlation with the results of positions held out.
    pub correlation: f64,
    /// The weight of nothing.
    pub bias: f32,
    /// Weights, by places in the list of fluents.
    pub weights: Vec<(u32, f32)>,
    /// Weights of pairs.
    pub pairs: Vec<(u32, u32, f32)>,
}

/// Quick games between two ways to search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tried {
    /// Which ways.
    pub name: String,
    /// How many games.
    pub games: u32,
    /// The points of the first, at most one for each game.
    pub points: f64,
}

/// What matches brought.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// How they were played.
    pub method: String,
    /// The name of the role.
    pub role: String,
    /// How many.
    pub matches: u64,
    /// The points of all.
    pub points: u64,
    /// The moves of all.
    pub moves: u64,
}

/// Why knowledge cannot be used, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadKnowledge(String);

impl fmt::Display for BadKnowledge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadKnowledge {}

impl Knowledge {
    /// Reads knowledge, with all checks that need no game.
    pub fn read(bytes: &[u8]) -> Result<Self, BadKnowledge> {
        let bad = |why: String| BadKnowledge(why);
        if bytes.len() > MOST_BYTES {
            return Err(bad(format!("{} bytes are too many", bytes.len())));
        }
        let known: Self = serde_json::from_slice(bytes).map_err(|error| bad(error.to_string()))?;
        if known.version != VERSION {
            return Err(bad(format!("version {} is not {VERSION}", known.version)));
        }
        let wrong = known.flaw();
        wrong.map_or(Ok(known), |what| Err(bad(format!("{what} out of bounds"))))
    }

    /// Writes knowledge; none if it does not keep to the bounds.
    pub fn write(&self) -> Option<Vec<u8>> {
        let whole = Self { version: VERSION, ..self.clone() };
        if whole.flaw().is_some() {
            return None;
        }
        serde_json::to_vec(&whole).ok().filter(|bytes| bytes.len() <= MOST_BYTES)
    }

    /// What does not keep to the bounds.
    fn flaw(&self) -> Option<&'static str> {
        let long = |word: &String| word.chars().count() > LONGEST_WORD;
        let odd = |tried: &Tried| {
            tried.games > 2 * MOST_GAMES || !(0.0..=f64::from(tried.games)).contains(&tried.points)
        };
        let bad = |outcome: &Outcome| {
            outcome.method.len() > LONGEST_NAME
                || outcome.role.len() > LONGEST_NAME
                || outcome.points > outcome.matches.saturating_mul(100)
        };
        if self.words.len() > MOST_WORDS || self.words.iter().any(long) {
            Some("words")
        } else if self.class.as_ref().is_some_and(Class::is_odd) {
            Some("class")
        } else if self.proofs.claims.len() > MOST_CLAIMS {
            Some("proofs")
        } else if self.trials.len() > MOST_TRIALS || self.trials.iter().any(odd) {
            Some("trials")
        } else if self.outcomes.len() > MOST_OUTCOMES || self.outcomes.iter().any(bad) {
            Some("outcomes")
        } else {
            self.lesson.as_ref().filter(|lesson| lesson.is_odd()).map(|_| "lesson")
        }
    }

    /// The quick games between two ways to search.
    pub(crate) fn tried(&self, name: &str) -> Option<&Tried> {
        self.trials.iter().find(|tried| tried.name == name)
    }

    /// Adds quick games.
    pub(crate) fn add_trial(&mut self, new: &Tried) {
        let known = self.trials.iter().position(|tried| tried.name == new.name);
        let at = known.unwrap_or_else(|| {
            self.trials.push(Tried { games: 0, points: 0.0, ..new.clone() });
            self.trials.len() - 1
        });
        let tried = &mut self.trials[at];
        tried.games += new.games.min(MOST_GAMES);
        tried.points += new.points.clamp(0.0, f64::from(new.games.min(MOST_GAMES)));
        if tried.games > MOST_GAMES {
            let kept = tried.games / 2;
            tried.points *= f64::from(kept) / f64::from(tried.games);
            tried.games = kept;
        }
    }

    /// Adds what a match brought.
    pub(crate) fn add_outcome(&mut self, new: Outcome) {
        let same = |old: &Outcome| old.method == new.method && old.role == new.role;
        match self.outcomes.iter().position(same) {
            Some(at) => {
                let old = &mut self.outcomes[at];
                old.matches = old.matches.saturating_add(new.matches);
                old.points = old.points.saturating_add(new.points);
                old.moves = old.moves.saturating_add(new.moves);
            }
            None if self.outcomes.len() < MOST_OUTCOMES => self.outcomes.push(new),
            None => {}
        }
    }

    /// In words: how often it was seen, and what that brought.
    pub fn in_words(&self) -> String {
        let count =
            |n: u64, one: &str| if n == 1 { format!("1 {one}") } else { format!("{n} {one}es") };
        let ended: u64 = self.outcomes.iter().map(|outcome| outcome.matches).sum();
        let points: u64 = self.outcomes.iter().map(|outcome| outcome.points).sum();
        let seen = count(self.matches, "match");
        if ended == 0 {
            return seen;
        }
        let mean = points as f64 / ended as f64;
        format!("{seen}, {mean:.1} points on average in {ended} that came to their end")
    }
}

/// Names for people are cut to what is kept.
pub(crate) fn words(all: impl Iterator<Item = String>) -> Vec<String> {
    all.take(MOST_WORDS).map(|word| word.chars().take(LONGEST_WORD).collect()).collect()
}

impl Class {
    fn is_odd(&self) -> bool {
        let number = |value: f64| value.is_finite() && value >= 0.0;
        !self.mean_length.is_none_or(number)
            || !number(self.mean_joint_moves)
            || self.constant_sum.0.is_some_and(|sum| sum > 100 * MOST_ROLES as u32)
    }
}

impl Lesson {
    fn is_odd(&self) -> bool {
        let count = self.fluents.len() as u32;
        let fine = |weight: f32| weight.is_finite() && weight.abs() <= LARGEST_WEIGHT;
        let odd = |role: &RoleLesson| {
            role.role.len() > LONGEST_NAME
                || !fine(role.bias)
                || !(-1.0..=1.0).contains(&role.correlation)
                || role.weights.len() > MOST_NAMES
                || role.pairs.len() > MOST_PAIRS
                || !role.weights.iter().all(|(at, weight)| *at < count && fine(*weight))
                || !role.pairs.iter().all(|(a, b, w)| *a < count && *b < count && fine(*w))
        };
        self.fluents.len() > MOST_NAMES
            || self.fluents.iter().any(|name| name.len() > LONGEST_NAME)
            || self.roles.len() > MOST_ROLES
            || self.roles.iter().any(odd)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some() -> Knowledge {
        let role = RoleLesson {
            role: "3".to_owned(),
            correlation: 0.5,
            bias: -0.25,
            weights: vec![(0, 1.5), (1, -0.1)],
            pairs: vec![(0, 1, 0.75)],
        };
        Knowledge {
            version: VERSION,
            matches: 2,
            words: vec!["xplayer".to_owned()],
            class: Some(Class {
                turn_taking: (true, true),
                constant_sum: (Some(100), false),
                states: 900,
                mean_length: Some(7.6),
                mean_joint_moves: 5.2,
            }),
            proofs: Proofs {
                runs: 1,
                open: 2,
                claims: vec![
                    Claim::Inputs { fluent: 4, inputs: vec![0, 1], holds: true },
                    Claim::Persistent { fluent: 4, value: Some((2, "9".to_owned())), truth: true },
                ],
            },
            lesson: Some(Lesson {
                positions: 60_000,
                fluents: vec!["(4 1 2 9)".to_owned(), "(5 3)".to_owned()],
                roles: vec![role],
            }),
            trials: vec![Tried { name: "a against b".to_owned(), games: 24, points: 13.5 }],
            outcomes: Vec::new(),
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let known = some();
        let bytes = known.write().expect("within bounds");
        assert_eq!(Knowledge::read(&bytes), Ok(known));
    }

    #[test]
    fn damaged_foreign_and_boundless_bytes_are_refused() {
        let bytes = some().write().expect("within bounds");
        for at in 0..bytes.len() {
            assert!(Knowledge::read(&bytes[..at]).is_err(), "cut at {at}");
            let mut turned = bytes.clone();
            turned[at] ^= 0x15;
            // Another number may be as good; nothing else matters than that it is survived.
            let _ = Knowledge::read(&turned).map(|known| known.in_words());
        }
        let text = String::from_utf8(bytes).expect("JSON");
        for (what, wrong) in [
            ("\"version\":1", "\"version\":2"),
            ("\"matches\":2", "\"matches\":-2"),
            ("\"matches\":2", "\"matches\":2,\"more\":[]"),
            ("0.75", "1e39"),
            ("0.75", "1e9"),
            ("[0,1,0.75]", "[0,2,0.75]"),
            ("13.5", "24.5"),
            ("7.6", "-1.0"),
            ("\"correlation\":0.5", "\"correlation\":1.5"),
        ] {
            assert!(text.contains(what), "{what}");
            assert!(Knowledge::read(text.replace(what, wrong).as_bytes()).is_err(), "{wrong}");
        }
        assert!(Knowledge::read(&vec![b'['; 100_000]).is_err());
        assert!(Knowledge::read(&vec![b' '; MOST_BYTES + 1]).is_err());
        assert!(Knowledge::read(b"\xFF\xFE").is_err());
    }

    #[test]
    fn more_than_the_bounds_is_not_written() {
        let mut known = some();
        known.words = vec!["x".repeat(LONGEST_WORD + 1)];
        assert_eq!(known.write(), None);
        let mut known = some();
        let many = (0..=MOST_NAMES).map(|number| number.to_string()).collect();
        known.lesson.as_mut().expect("there").fluents = many;
        assert_eq!(known.write(), None);
    }

    #[test]
    fn trials_add_up_and_old_ones_fade() {
        let mut known = Knowledge::default();
        let new = Tried { name: "a".to_owned(), games: 90, points: 60.0 };
        known.add_trial(&new);
        known.add_trial(&new);
        assert_eq!(known.tried("a").map(|tried| tried.games), Some(180));
        known.add_trial(&new);
        let tried = known.tried("a").expect("there");
        assert_eq!(tried.games, 135);
        assert!((tried.points - 90.0).abs() < 1e-9, "{tried:?}");
        assert!(known.write().is_some());
    }

    #[test]
    fn matches_are_told_in_words() {
        let mut known = Knowledge { matches: 1, ..Knowledge::default() };
        assert_eq!(known.in_words(), "1 match");
        let new = |points| Outcome {
            method: "tree".to_owned(),
            role: "3".to_owned(),
            matches: 1,
            points,
            moves: 9,
        };
        known.add_outcome(new(100));
        known.add_outcome(new(50));
        known.matches = 3;
        assert_eq!(
            known.in_words(),
            "3 matches, 75.0 points on average in 2 that came to their end"
        );
        assert_eq!(known.outcomes.len(), 1);
    }
}
