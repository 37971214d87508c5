//! The reasoners that can be named on the command line; a new one is one more line here.

use clap::builder::PossibleValuesParser;
use game::{Game, Limits, Machine};

type Make = fn(&Game, Limits) -> Box<dyn Machine>;

/// The machine used where none is named.
pub const DEFAULT: &str = "interpreter";

const MACHINES: &[(&str, Make)] =
    &[("interpreter", |game, limits| Box::new(game.interpreter_with(limits)))];

/// The names, for the argument parser.
pub fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(MACHINES.iter().map(|(name, _)| *name))
}

/// A machine by name; the argument parser lets only known names pass, and others get the default.
pub fn make(name: &str, game: &Game, limits: Limits) -> Box<dyn Machine> {
    let (_, make) = MACHINES.iter().find(|(known, _)| *known == name).unwrap_or(&MACHINES[0]);
    make(game, limits)
}
