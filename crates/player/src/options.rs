//! The options of a strategy: what there is, what was given, and what is wrong with it.

use std::fmt;

/// What values an option takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// `on` or `off`; the key alone means `on`.
    Switch,
    /// A number within bounds.
    Number {
        /// The least value.
        least: f64,
        /// The greatest value.
        most: f64,
        /// Whether only whole numbers are meant.
        whole: bool,
        /// Whether `off` is possible, too.
        off: bool,
    },
    /// One of several words.
    Choice(&'static [&'static str]),
}

/// An option as the help shows it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OptionInfo {
    /// Its name.
    pub key: &'static str,
    /// Its values.
    pub kind: Kind,
    /// The value that it has if none is given.
    pub default: &'static str,
    /// What it is for.
    pub help: &'static str,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Switch => write!(f, "on|off"),
            Self::Number { least, most, off, .. } => {
                write!(f, "{}{least}..{most}", if *off { "off|" } else { "" })
            }
            Self::Choice(words) => write!(f, "{}", words.join("|")),
        }
    }
}

/// Values given for options, checked when they were read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    given: Vec<(&'static str, String)>,
    defaults: Vec<(&'static str, &'static str)>,
}

impl Options {
    /// Reads `key=value,key=value` for the options in `known`. The error is a message for people.
    pub(crate) fn parse(text: &str, known: &'static [OptionInfo]) -> Result<Self, String> {
        let defaults = known.iter().map(|info| (info.key, info.default)).collect();
        let mut options = Self { given: Vec::new(), defaults };
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (key, value) = part.split_once('=').unwrap_or((part, "on"));
            let (key, value) = (key.trim(), value.trim());
            let Some(info) = known.iter().find(|info| info.key == key) else {
                return Err(unknown(key, known));
            };
            check(info, value)?;
            options.given.retain(|(given, _)| *given != info.key);
            options.given.push((info.key, value.to_owned()));
        }
        options.given.sort_unstable();
        Ok(options)
    }

    /// The value of an option as text: as given, or else its default; empty if there is no such option.
    pub fn text(&self, key: &str) -> &str {
        let given = self.given.iter().find(|(given, _)| *given == key).map(|(_, v)| v.as_str());
        let default = || self.defaults.iter().find(|(known, _)| *known == key).map(|(_, v)| *v);
        given.or_else(default).unwrap_or("")
    }

    /// Whether an option was given a value.
    pub fn is_given(&self, key: &str) -> bool {
        self.given.iter().any(|(given, _)| *given == key)
    }

    /// Whether a switch is on.
    pub fn is_on(&self, key: &str) -> bool {
        self.text(key) == "on"
    }

    /// The value of a number; 0 where there is none.
    pub fn number(&self, key: &str) -> f64 {
        self.text(key).parse().unwrap_or(0.0)
    }

    /// The value of a number; none for `off`.
    pub fn number_or_off(&self, key: &str) -> Option<f64> {
        self.text(key).parse().ok()
    }

    /// The value of a whole number; 0 where there is none.
    pub fn whole(&self, key: &str) -> u64 {
        self.text(key).parse().unwrap_or(0)
    }

    /// What was given, in the order of the keys.
    pub fn given(&self) -> impl Iterator<Item = (&str, &str)> {
        self.given.iter().map(|(key, value)| (*key, value.as_str()))
    }
}

fn unknown(key: &str, known: &[OptionInfo]) -> String {
    if known.is_empty() {
        return format!("there is no option {key}: this strategy has none");
    }
    let keys: Vec<&str> = known.iter().map(|info| info.key).collect();
    format!("there is no option {key}; the options are {}", keys.join(", "))
}

fn check(info: &OptionInfo, value: &str) -> Result<(), String> {
    let fits = match info.kind {
        Kind::Switch => matches!(value, "on" | "off"),
        Kind::Choice(words) => words.contains(&value),
        Kind::Number { least, most, whole, off } => {
            let number = value.parse::<f64>().ok().filter(|n| (least..=most).contains(n));
            let fits = number.is_some() && (!whole || value.parse::<u64>().is_ok());
            fits || (off && value == "off")
        }
    };
    let wrong = || format!("{}={value} is not possible: {} is wanted", info.key, info.kind);
    if fits { Ok(()) } else { Err(wrong()) }
}
