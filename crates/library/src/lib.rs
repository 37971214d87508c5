//! The game library: rule sheets embedded into the program, and the index made from their headers.
//!
//! ```
//! let game = library::find("tictactoe").expect("comes with every build");
//! assert_eq!(game.about().title, "Tic-Tac-Toe");
//! assert!(game.rules.contains("(role xplayer)"));
//! ```
//!
//! Each rule sheet begins with a header of `; Key: value` lines ([`About`]); there is no second list
//! that could contradict it.

/// A game of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its short name, the name of its folder.
    pub name: &'static str,
    /// Its rule sheet.
    pub rules: &'static str,
}

/// What the header of a rule sheet says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// The name for people.
    pub title: String,
    /// The number of players, as written.
    pub players: String,
    /// What kind of game, such as `turn-taking`, `zero-sum`.
    pub class: Vec<String>,
    /// Where the rules of the game come from.
    pub source: String,
    /// Board, number of moves, or state space.
    pub size: String,
    /// The papers that use it; empty if none.
    pub papers: String,
    /// The free text after the keys.
    pub description: String,
}

/// All games, sorted by name.
pub fn games() -> &'static [Entry] {
    const GAMES: &[Entry] = include!(concat!(env!("OUT_DIR"), "/games.rs"));
    GAMES
}

/// The game with a name; letters compare without regard to case.
pub fn find(name: &str) -> Option<&'static Entry> {
    games().iter().find(|game| game.name.eq_ignore_ascii_case(name))
}

impl Entry {
    /// Reads the header.
    pub fn about(&self) -> About {
        about(self.rules)
    }
}

/// Reads the header of any rule sheet; what is missing stays empty.
pub fn about(rules: &str) -> About {
    let mut about = About::default();
    let mut description: Vec<&str> = Vec::new();
    let mut in_keys = true;
    for line in rules.lines() {
        let Some(text) = line.trim_start().strip_prefix(';') else { break };
        let text = text.trim_start_matches(';').trim();
        match text.split_once(':') {
            Some((key, value)) if in_keys && about.set(key.trim(), value.trim()) => {}
            _ => {
                in_keys &= text.is_empty() && about.title.is_empty();
                description.push(text);
            }
        }
    }
    about.description = paragraphs(&description);
    about
}

impl About {
    fn set(&mut self, key: &str, value: &str) -> bool {
        match key {
            "Title" => value.clone_into(&mut self.title),
            "Players" => value.clone_into(&mut self.players),
            "Class" => self.class = value.split(',').map(|c| c.trim().to_owned()).collect(),
            "Source" => value.clone_into(&mut self.source),
            "Size" => value.clone_into(&mut self.size),
            "Papers" => value.trim_matches('-').trim().clone_into(&mut self.papers),
            _ => return false,
        }
        true
    }
}

/// Lines joined to paragraphs; empty lines part them.
fn paragraphs(lines: &[&str]) -> String {
    let parts: Vec<String> = lines
        .split(|line| line.is_empty())
        .filter(|part| !part.is_empty())
        .map(|part| part.join(" "))
        .collect();
    parts.join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_has_a_complete_header() {
        for game in games() {
            let about = game.about();
            let name = game.name;
            assert!(!about.title.is_empty(), "{name} has no Title");
            assert!(!about.players.is_empty(), "{name} has no Players");
            assert!(!about.class.is_empty(), "{name} has no Class");
            assert!(!about.source.is_empty(), "{name} has no Source");
            assert!(!about.size.is_empty(), "{name} has no Size");
            assert!(!about.description.is_empty(), "{name} has no description");
        }
    }

    #[test]
    fn titles_are_unique() {
        let mut titles: Vec<String> = games().iter().map(|game| game.about().title).collect();
        titles.sort();
        let count = titles.len();
        titles.dedup();
        assert_eq!(titles.len(), count);
    }

    #[test]
    fn games_are_found_by_name() {
        assert_eq!(find("TicTacToe").map(|game| game.name), Some("tictactoe"));
        assert_eq!(find("no such game"), None);
    }
}
