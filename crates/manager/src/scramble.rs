//! Other names for everything in a game, so that players cannot know it by its words.
//!
//! Keywords and numbers stay (numbers may be results); every other name gets a made-up word, the same for
//! the whole match, drawn from a seed.

use std::collections::{BTreeMap, BTreeSet};

use game::playout::Random;
use gdl::{Rules, Symbols, Syntax, keyword};
use protocol::message::spaced;

/// Names and their substitutes, both ways.
#[derive(Clone, Debug, Default)]
pub struct Scrambler {
    /// By the name in lower case, because names are the same in any case.
    there: BTreeMap<String, String>,
    back: BTreeMap<String, String>,
}

const CONSONANTS: &[u8] = b"bcdfghjklmnprstvwz";
const VOWELS: &[u8] = b"aeiou";

impl Scrambler {
    /// Leaves all names as they are.
    pub fn none() -> Self {
        Self::default()
    }

    /// Words for all names of the rules.
    pub fn new(rules: &Rules, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut scrambler = Self::default();
        let mut taken: BTreeSet<String> =
            rules.symbols.iter().map(|(_, name)| name.to_lowercase()).collect();
        for (_, name) in rules.symbols.iter().skip(keyword::ALL.len()) {
            if name.starts_with('?') || name.parse::<f64>().is_ok() {
                continue;
            }
            let word = loop {
                let word = word(&mut random);
                if taken.insert(word.clone()) {
                    break word;
                }
            };
            scrambler.back.insert(word.clone(), name.to_owned());
            scrambler.there.insert(name.to_lowercase(), word);
        }
        scrambler
    }

    /// Whether any name changes.
    pub fn scrambles(&self) -> bool {
        !self.there.is_empty()
    }

    /// A term with the names that players see.
    pub fn scramble(&self, text: &str) -> String {
        map(text, |name| self.there.get(&name.to_lowercase()))
    }

    /// A term with the names of the rules.
    pub fn unscramble(&self, text: &str) -> String {
        map(text, |name| self.back.get(&name.to_lowercase()))
    }

    /// The clauses of rules on one line, as they stand in messages.
    pub fn rules(&self, rules: &Rules) -> String {
        let mut symbols = Symbols::new();
        // The tables are filled in the same order, so that the numbers of the names stay the same.
        for (_, name) in rules.symbols.iter().skip(keyword::ALL.len()) {
            symbols.intern(self.there.get(&name.to_lowercase()).map_or(name, String::as_str));
        }
        let renamed = Rules {
            symbols,
            clauses: rules.clauses.clone(),
            comments: Vec::new(),
            syntax: Syntax::Kif,
        };
        let clause = |clause| spaced(&gdl::print::clause(&renamed, clause, Syntax::Kif));
        renamed.clauses.iter().map(clause).collect::<Vec<_>>().join(" ")
    }
}

fn map<'s>(text: &str, name: impl Fn(&str) -> Option<&'s String>) -> String {
    let spaced = spaced(text);
    let words = spaced.split(' ').map(|word| name(word).map_or(word, String::as_str));
    words.collect::<Vec<_>>().join(" ").replace("( ", "(").replace(" )", ")")
}

fn word(random: &mut Random) -> String {
    let syllables = 2 + random.below(2);
    let mut letter = |letters: &[u8]| char::from(letters[random.below(letters.len())]);
    (0..syllables).flat_map(|_| [letter(CONSONANTS), letter(VOWELS)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::{Game, Machine as _};

    #[test]
    fn scrambled_games_are_the_same_games() {
        for name in ["tictactoe", "connect_four", "breakthrough"] {
            let game = Game::from_text(library::find(name).expect("a game").rules).expect("sound");
            let scrambler = Scrambler::new(game.rules(), 7);
            let other = Game::from_text(&scrambler.rules(game.rules())).expect("sound as well");
            let texts = |game: &Game| {
                let state = game.interpreter().initial().expect("a state");
                game.state_texts(&state).iter().map(ToString::to_string).collect::<BTreeSet<_>>()
            };
            let there: BTreeSet<_> = texts(&game).iter().map(|t| scrambler.scramble(t)).collect();
            assert_eq!(there, texts(&other), "{name}");
            let back: BTreeSet<_> = there.iter().map(|t| scrambler.unscramble(t)).collect();
            assert_eq!(back, texts(&game), "{name}");
            assert!(there.is_disjoint(&back), "{name}");
        }
    }

    #[test]
    fn without_a_seed_names_stay() {
        let game =
            Game::from_text(library::find("tictactoe").expect("a game").rules).expect("sound");
        let none = Scrambler::none();
        assert!(!none.scrambles());
        assert_eq!(none.unscramble("( Mark 1 1 )"), "(Mark 1 1)");
        let again = Game::from_text(&none.rules(game.rules())).expect("sound as well");
        assert_eq!(again.rules().clauses.len(), game.rules().clauses.len());
    }
}
