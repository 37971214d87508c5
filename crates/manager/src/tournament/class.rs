//! Classes of games, in which contests tell their results.

use std::fmt;
use std::time::Duration;

use game::{Deadline, Reasoner};
use search::class::{self, GameClass, Sampling};
use serde::{Deserialize, Serialize};

/// A class of games. Players are strong in one and weak in another, so tables tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// One role.
    OneRole,
    /// Two roles that move in turn, with rewards of a constant sum.
    ConstantSum,
    /// Two roles that move in turn, with rewards of different sums.
    OtherSum,
    /// More than two roles that move in turn.
    MoreRoles,
    /// Several roles choose at the same time.
    Simultaneous,
}

impl Class {
    /// All of them, in the order of tables.
    pub const ALL: [Self; 5] =
        [Self::OneRole, Self::ConstantSum, Self::OtherSum, Self::MoreRoles, Self::Simultaneous];

    /// The class of a game by what is known about it.
    pub fn of(found: &GameClass) -> Self {
        match found {
            _ if found.is_single_player() => Self::OneRole,
            _ if !found.turn_taking.value => Self::Simultaneous,
            _ if found.roles > 2 => Self::MoreRoles,
            _ if found.constant_sum.value.is_some() => Self::ConstantSum,
            _ => Self::OtherSum,
        }
    }

    /// The class of a game by random play, which may take so long; none where the rules cannot be played.
    pub fn sampled(reasoner: &Reasoner, time: Duration) -> Option<Self> {
        let deadline = Deadline::within(time);
        let sampling = Sampling { deadline, ..Sampling::default() };
        let (found, _) = class::sample(&mut *reasoner.machine(), &sampling).ok()?;
        Some(Self::of(&found))
    }

    /// Its name in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::OneRole => "one role",
            Self::ConstantSum => "two roles, constant sum",
            Self::OtherSum => "two roles, other sums",
            Self::MoreRoles => "more roles",
            Self::Simultaneous => "simultaneous moves",
        }
    }

    /// The class of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.name() == name)
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use game::{Budget, Game};

    use super::*;

    #[test]
    fn games_of_the_library_are_in_their_classes() {
        for (name, class) in [
            ("eight_puzzle", Class::OneRole),
            ("tictactoe", Class::ConstantSum),
            ("chinese_checkers_2", Class::OtherSum),
            ("tictactoe_3p", Class::MoreRoles),
            ("tron", Class::Simultaneous),
        ] {
            let rules = library::find(name).expect("in the library").rules;
            let game = Game::from_text(rules).expect("valid");
            let reasoner = Reasoner::build(&game, &Budget::default());
            assert_eq!(Class::sampled(&reasoner, Duration::from_secs(20)), Some(class), "{name}");
        }
        for class in Class::ALL {
            assert_eq!(Class::named(class.name()), Some(class));
        }
    }
}
