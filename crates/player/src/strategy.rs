//! Strategies by name, as people write them: `uct:threads=2,rave=on`.

use std::fmt;

use crate::options::Options;
use crate::play::{Player, Setup};
use crate::registry::{STRATEGIES, StrategyInfo};
use crate::thinker::{Context, Thinker};

/// A way to play, with its options.
#[derive(Clone, Debug)]
pub struct Strategy {
    info: &'static StrategyInfo,
    options: Options,
}

/// Why a text is no strategy, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadStrategy(String);

impl fmt::Display for BadStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadStrategy {}

impl Strategy {
    /// All strategies there are, for help texts.
    pub fn all() -> &'static [StrategyInfo] {
        STRATEGIES
    }

    /// Reads `name` or `name:key=value,key=value`; a key alone means `key=on`.
    pub fn parse(text: &str) -> Result<Self, BadStrategy> {
        let (name, options) = text.split_once(':').unwrap_or((text, ""));
        let Some(info) = STRATEGIES.iter().find(|info| info.name == name.trim()) else {
            let names: Vec<&str> = STRATEGIES.iter().map(|info| info.name).collect();
            return Err(BadStrategy(format!(
                "there is no strategy {name}; the strategies are {}",
                names.join(", ")
            )));
        };
        let options = Options::parse(options, info.options);
        Ok(Self { info, options: options.map_err(|why| BadStrategy(format!("{name}: {why}")))? })
    }

    /// The same with one more option, which must not be given already.
    pub fn with(&self, key: &str, value: impl fmt::Display) -> Result<Self, BadStrategy> {
        let text = self.to_string();
        let mark = if text.contains(':') { ',' } else { ':' };
        Self::parse(&format!("{text}{mark}{key}={value}"))
    }

    /// Its name, without options.
    pub fn name(&self) -> &'static str {
        self.info.name
    }

    /// Its options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// A player for one role of one match.
    pub fn player(&self, setup: Setup) -> Player {
        Player::new(self.clone(), setup)
    }

    /// A strategy that is not in the list.
    #[cfg(test)]
    pub(crate) fn of(info: &'static StrategyInfo) -> Self {
        Self { info, options: Options::default() }
    }

    pub(crate) fn thinker(&self, context: &Context) -> Box<dyn Thinker> {
        (self.info.make)(&self.options, context)
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.info.name)?;
        for (at, (key, value)) in self.options.given().enumerate() {
            write!(f, "{}{key}={value}", if at == 0 { ':' } else { ',' })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_strategy_is_told() {
        let told = |text: &str| Strategy::parse(text).expect_err("wrong").to_string();
        assert!(
            told("clever").starts_with("there is no strategy clever; the strategies are fluxion")
        );
        assert!(told("random:depth=3").contains("there is no option depth"));
    }

    #[test]
    fn an_option_is_added_to_those_that_are_given() {
        let with = |text: &str, value: &str| {
            let strategy = Strategy::parse(text).expect("a strategy");
            strategy.with("threads", value).map_or_else(|why| why.to_string(), |s| s.to_string())
        };
        assert_eq!(with("uct", "2"), "uct:threads=2");
        assert_eq!(with("uct:c=0.5", "2"), "uct:c=0.5,threads=2");
        assert!(with("uct:threads=3", "2").contains("threads"), "given twice");
        assert!(with("random", "2").contains("there is no option threads"));
        assert!(with("uct", "many").contains("many"));
    }

    #[test]
    fn every_strategy_of_the_list_is_read_with_its_defaults_and_writes_itself() {
        for info in Strategy::all() {
            let options = info.options.iter().map(|o| format!("{}={}", o.key, o.default));
            let text = format!("{}:{}", info.name, options.collect::<Vec<_>>().join(","));
            let strategy = Strategy::parse(&text).expect(info.name);
            let again = Strategy::parse(&strategy.to_string()).expect(info.name);
            assert_eq!(again.options(), strategy.options());
        }
    }
}
