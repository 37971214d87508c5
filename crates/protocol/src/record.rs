//! What is kept of a match: the JSON of the ggp.org family, so that existing tools read it.
//!
//! Keys of that family have its spelling. What it has no place for (the rules themselves, above all) stands
//! under the one further key `fluxion`, which other tools ignore. `docs/json.md` documents all keys.

use game::{Game, State};
use serde::{Deserialize, Serialize};

use crate::message::spaced;

/// A match, complete or under way.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MatchRecord {
    /// The name of the match.
    pub match_id: String,
    /// Tells matches of the same name apart.
    #[serde(default)]
    pub random_token: String,
    /// When it began, in milliseconds since 1970.
    #[serde(default)]
    pub start_time: u64,
    /// Where the game is described.
    #[serde(default, rename = "gameMetaURL")]
    pub game_meta_url: String,
    /// Whether it reached a terminal state.
    #[serde(default)]
    pub is_completed: bool,
    /// Whether it ended without one.
    #[serde(default)]
    pub is_aborted: bool,
    /// The states, the initial one first, each as `( ( cell 1 1 b ) ... )`.
    #[serde(default)]
    pub states: Vec<String>,
    /// The joint moves between them, one move for each role.
    #[serde(default)]
    pub moves: Vec<Vec<String>>,
    /// When each state was reached, in milliseconds since 1970.
    #[serde(default)]
    pub state_times: Vec<u64>,
    /// Faults of the players: entry 0 for START, then one for each joint move; an empty text for none.
    #[serde(default)]
    pub errors: Vec<Vec<String>>,
    /// The results, once the match is complete.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goal_values: Vec<i64>,
    /// Seconds for a preview; -1 for none.
    #[serde(default = "no_preview")]
    pub preview_clock: i64,
    /// Seconds before the first move.
    #[serde(default)]
    pub start_clock: u64,
    /// Seconds for each move.
    #[serde(default)]
    pub play_clock: u64,
    /// The players in the order of the roles.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub player_names_from_host: Vec<String>,
    /// Which of them are people.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub is_player_human: Vec<bool>,
    /// The tournament it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tournament_name_from_host: Option<String>,
    /// Whether players saw other names than those of the rules.
    #[serde(default)]
    pub scrambled: bool,
    /// The public key of a host that signs; kept as it was found.
    #[serde(default, rename = "matchHostPK", skip_serializing_if = "Option::is_none")]
    pub match_host_pk: Option<String>,
    /// The signature of such a host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub match_host_signature: Option<String>,
    /// What other tools have no place for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fluxion: Option<Extra>,
}

fn no_preview() -> i64 {
    -1
}

/// What the other keys have no place for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Extra {
    /// The short name of the game.
    pub game: String,
    /// Its rules, so that the record can be replayed by itself.
    pub rules: String,
    /// Their SHA-256.
    pub rules_sha256: String,
    /// The roles in order.
    pub roles: Vec<String>,
    /// The seed of all random choices of the manager.
    pub seed: u64,
    /// The seed with which names were changed, if they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scramble_seed: Option<u64>,
    /// Roles whose player forfeited.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forfeited: Vec<String>,
    /// Why the match was aborted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aborted_because: Option<String>,
}

impl MatchRecord {
    /// Reads a record of this or another program of the family.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Writes it, on one line.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }

    /// How many faults each role has.
    pub fn fault_counts(&self) -> Vec<usize> {
        let roles = self.errors.iter().chain(std::iter::empty()).map(Vec::len).max().unwrap_or(0);
        let count = |role: usize| {
            let of_role = self.errors.iter().filter_map(|errors| errors.get(role));
            of_role.filter(|text| !text.is_empty()).count()
        };
        (0..roles).map(count).collect()
    }
}

/// A state as records write it.
pub fn state_text(game: &Game, state: &State) -> String {
    let fluents = game.state_texts(state);
    let parts: Vec<String> = fluents.iter().map(|text| spaced(text)).collect();
    if parts.is_empty() { "( )".to_owned() } else { format!("( {} )", parts.join(" ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_back_as_written() {
        let record = MatchRecord {
            match_id: "a.b.1".to_owned(),
            states: vec!["( ( cell 1 1 b ) )".to_owned()],
            errors: vec![
                vec![String::new(), "TO".to_owned()],
                vec![String::new(), "CE".to_owned()],
            ],
            preview_clock: -1,
            fluxion: Some(Extra { game: "g".to_owned(), ..Extra::default() }),
            ..MatchRecord::default()
        };
        let text = record.to_json().expect("plain data");
        assert_eq!(MatchRecord::parse(&text).expect("own text"), record);
        assert_eq!(record.fault_counts(), [0, 2]);
        for key in
            ["matchId", "randomToken", "startTime", "gameMetaURL", "isCompleted", "isAborted"]
                .iter()
                .chain(&["states", "moves", "stateTimes", "errors", "previewClock", "startClock"])
                .chain(&["playClock", "scrambled"])
        {
            assert!(text.contains(&format!("\"{key}\":")), "{key} in {text}");
        }
    }

    #[test]
    fn records_of_others_are_read_whatever_they_leave_out() {
        let text = r#"{"matchId":"x","startClock":10,"playClock":5,"states":[],"moves":[],
            "gameMetaURL":"http://games.ggp.org/base/games/ticTacToe/v0/","unknown":[1]}"#;
        let record = MatchRecord::parse(text).expect("a record");
        assert_eq!((record.preview_clock, record.is_completed), (-1, false));
        assert!(record.fault_counts().is_empty());
    }
}
