//! What an ablation is to play, and how its file says so.

use game::playout::Random;
use player::Strategy;
use serde_json::{Value, json};

use super::AblationArgs;
use crate::duel::Clock;
use crate::exit::Failure;
use crate::simulate::seed_of;

/// One match in so many has a change. With half of them intervals would be narrower by 6 percent, and most matches would be
/// played by a player that has lost much of what makes it up.
const ONE_IN: usize = 3;

/// What is to be played.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Plan {
    pub(super) base: String,
    /// Names and strategies.
    pub(super) rows: Vec<(String, String)>,
    /// Changes of the rows that are made in some matches: options with their values.
    pub(super) factors: Vec<String>,
    pub(super) games: Vec<String>,
    pub(super) matches: usize,
    pub(super) clock: Option<Clock>,
    pub(super) longest: usize,
    pub(super) seed: u64,
}

impl Plan {
    pub(super) fn of(args: &AblationArgs) -> Option<Self> {
        let named = |row: &String| match row.split_once('=') {
            Some((name, rest)) if !name.contains(':') => (name.to_owned(), rest.to_owned()),
            _ => (row.clone(), row.clone()),
        };
        Some(Self {
            base: args.base.clone()?,
            rows: args.rows.iter().map(named).collect(),
            factors: args.factors.clone(),
            games: args.games.clone(),
            matches: args.matches,
            clock: args.clock.map(|play| Clock {
                start: args.start.unwrap_or(play),
                play,
                cpu: args.cpu,
            }),
            longest: args.longest,
            seed: args.seed,
        })
    }

    pub(super) fn to_json(&self) -> Value {
        let rows: Vec<Value> = self.rows.iter().map(|(n, s)| json!([n, s])).collect();
        json!({ "plan": {
            "base": self.base, "rows": rows, "factors": self.factors, "games": self.games, "matches": self.matches,
            "clock": self.clock.map(|clock| clock.play), "start": self.clock.map(|clock| clock.start),
            "cpu": self.clock.is_some_and(|clock| clock.cpu), "longest": self.longest, "seed": self.seed,
        } })
    }

    pub(super) fn from_json(value: &Value) -> Option<Self> {
        let plan = value.get("plan")?;
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let list = |key: &str| plan.get(key)?.as_array();
        let rows = list("rows")?.iter().map(|row| Some((text(&row[0])?, text(&row[1])?)));
        Some(Self {
            base: text(&plan["base"])?,
            rows: rows.collect::<Option<_>>()?,
            factors: list("factors")
                .map_or(Some(Vec::new()), |all| all.iter().map(text).collect())?,
            games: list("games")?.iter().map(text).collect::<Option<_>>()?,
            matches: plan["matches"].as_u64()? as usize,
            clock: plan["clock"].as_f64().map(|play| Clock {
                start: plan["start"].as_f64().unwrap_or(play),
                play,
                cpu: plan["cpu"].as_bool().unwrap_or(false),
            }),
            longest: plan["longest"].as_u64()? as usize,
            seed: plan["seed"].as_u64()?,
        })
    }

    pub(super) fn check(&self) -> Result<(), Failure> {
        if self.rows.is_empty() || self.games.is_empty() {
            return Err(Failure::cannot("there is nothing to compare")
                .hint("give at least one --row and one --game"));
        }
        // All changes at once as well: then each can be made beside each other.
        let changed = |row| self.candidate(row, &vec![true; self.factors.len()]);
        let rows = self.rows.iter().map(|(_, text)| text.clone());
        let all = rows.chain((0..self.rows.len()).map(changed)).chain([self.base.clone()]);
        for text in all {
            let strategy =
                Strategy::parse(&text).map_err(|why| Failure::cannot(why.to_string()))?;
            let known = strategy.options();
            let endless = known.whole("nodes") == 0 && known.whole("depth") == 0;
            let thinks = !matches!(strategy.name(), "random" | "legal");
            if self.clock.is_none() && endless && thinks {
                return Err(Failure::cannot(format!("{text} would think for ever"))
                    .hint("give --clock SECONDS, or nodes=N in each strategy"));
            }
        }
        Ok(())
    }

    /// All matches, so ordered that a part of them is a fair sample: row, game and number of each.
    pub(super) fn all(&self) -> Vec<(usize, usize, usize)> {
        let rows = 0..self.rows.len();
        let pairs = move |number| {
            let games = 0..self.games.len();
            rows.clone().flat_map(move |row| games.clone().map(move |game| (row, game, number)))
        };
        (0..self.matches).flat_map(pairs).collect()
    }

    /// Which of the factors are changed in a match. Two in a row have the same changes, so that in games of two roles
    /// both seats do.
    pub(super) fn changes(&self, game: usize, number: usize) -> Vec<bool> {
        let mut random = Random::new(seed_of(seed_of(self.seed, game), number / 2));
        self.factors.iter().map(|_| random.below(ONE_IN) == 0).collect()
    }

    /// The strategy of a row with some changes.
    pub(super) fn candidate(&self, row: usize, changes: &[bool]) -> String {
        let mut text = self.rows[row].1.clone();
        for (factor, _) in self.factors.iter().zip(changes).filter(|(_, made)| **made) {
            text.push(if text.contains(':') { ',' } else { ':' });
            text.push_str(factor);
        }
        text
    }
}
