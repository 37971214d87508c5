//! The tables of a tournament, counted from its results.

use serde::Serialize;

use super::ledger::Finished;
use super::plan::Plan;
use super::rating::{Outcome, rate};
use super::run::Sheet;

/// Everything that reports tell.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// The tournament.
    pub name: String,
    /// Matches played.
    pub matches: usize,
    /// Of those, matches without a result.
    pub aborted: usize,
    /// The players, the best first.
    pub standings: Vec<Standing>,
    /// The games.
    pub games: Vec<GameRow>,
    /// Each against each, in the order of the standings.
    pub head_to_head: Vec<HeadToHead>,
}

/// A player in the table.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Standing {
    /// The player.
    pub name: String,
    /// What it is.
    pub player: String,
    /// Matches with a result; several roles of one match count each.
    pub matches: usize,
    /// The mean goal value.
    pub mean: f64,
    /// Elo points around the mean of all.
    pub elo: f64,
    /// Half of their 95% interval.
    pub plus_minus: f64,
    /// Faults in all matches.
    pub faults: usize,
}

/// A game in the table.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GameRow {
    /// The game.
    pub name: String,
    /// Matches with a result.
    pub matches: usize,
    /// The mean length of a match in steps.
    pub steps: f64,
    /// The mean goal value of each player, in the order of the standings; none without a match.
    pub means: Vec<Option<f64>>,
    /// The mean goal value of each role.
    pub role_means: Vec<f64>,
}

/// Two players against each other.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HeadToHead {
    /// The one.
    pub player: String,
    /// The other.
    pub opponent: String,
    /// Matches with a result in which both played.
    pub matches: usize,
    /// Of those, how many the one won: its goal value was larger.
    pub wins: usize,
    /// How many were even.
    pub even: usize,
    /// The mean goal value of the one.
    pub mean: f64,
}

/// A mean that is still being counted.
#[derive(Clone, Copy, Debug, Default)]
struct Mean(f64, usize);

impl Mean {
    fn add(&mut self, value: i64) {
        *self = Self(self.0 + value as f64, self.1 + 1);
    }

    fn value(self) -> Option<f64> {
        (self.1 > 0).then(|| self.0 / self.1 as f64)
    }
}

impl Summary {
    /// Counts the results of a plan.
    pub fn new(plan: &Plan, sheets: &[Sheet], finished: &[Finished]) -> Self {
        let count = plan.players.len();
        let with_result: Vec<&Finished> =
            finished.iter().filter(|match_| match_.completed).collect();
        let outcomes: Vec<Outcome> = with_result
            .iter()
            .map(|m| Outcome { players: m.scheduled.seats.clone(), goals: m.goals.clone() })
            .collect();
        let ratings = rate(count, &outcomes);
        let mut means = vec![Mean::default(); count];
        let mut faults = vec![0; count];
        for match_ in finished {
            for (player, count) in match_.scheduled.seats.iter().zip(&match_.faults) {
                faults[*player] += count;
            }
        }
        for (player, goal) in
            with_result.iter().flat_map(|m| m.scheduled.seats.iter().zip(&m.goals))
        {
            means[*player].add(*goal);
        }
        let mut order: Vec<usize> = (0..count).collect();
        let key = |p: &usize| (ratings[*p].elo, means[*p].value().unwrap_or(0.0));
        order.sort_by(|a, b| {
            let ((elo_a, mean_a), (elo_b, mean_b)) = (key(a), key(b));
            // Ratings that differ by rounding alone are the same; results decide then.
            let (elo_a, elo_b) = ((elo_a * 1e3).round(), (elo_b * 1e3).round());
            elo_b.total_cmp(&elo_a).then(mean_b.total_cmp(&mean_a)).then(a.cmp(b))
        });
        let standing = |player: &usize| Standing {
            name: plan.players[*player].name.clone(),
            player: plan.players[*player].player.clone(),
            matches: means[*player].1,
            mean: means[*player].value().unwrap_or(0.0),
            elo: ratings[*player].elo,
            plus_minus: ratings[*player].plus_minus,
            faults: faults[*player],
        };
        Self {
            name: plan.name.clone(),
            matches: finished.len(),
            aborted: finished.len() - with_result.len(),
            standings: order.iter().map(standing).collect(),
            games: (0..sheets.len()).map(|game| row(game, sheets, &order, &with_result)).collect(),
            head_to_head: head_to_head(plan, &order, &with_result),
        }
    }
}

fn row(game: usize, sheets: &[Sheet], order: &[usize], finished: &[&Finished]) -> GameRow {
    let mut means = vec![Mean::default(); order.len()];
    let mut roles: Vec<Mean> = Vec::new();
    let mut steps = Mean::default();
    for match_ in finished.iter().filter(|match_| match_.scheduled.game == game) {
        steps.add(i64::try_from(match_.steps).unwrap_or(i64::MAX));
        roles.resize(roles.len().max(match_.goals.len()), Mean::default());
        for (role, (player, goal)) in match_.scheduled.seats.iter().zip(&match_.goals).enumerate() {
            roles[role].add(*goal);
            means[*player].add(*goal);
        }
    }
    GameRow {
        name: sheets[game].name.clone(),
        matches: steps.1,
        steps: steps.value().unwrap_or(0.0),
        means: order.iter().map(|player| means[*player].value()).collect(),
        role_means: roles.iter().filter_map(|mean| mean.value()).collect(),
    }
}

fn head_to_head(plan: &Plan, order: &[usize], finished: &[&Finished]) -> Vec<HeadToHead> {
    let mut rows = Vec::new();
    for (a, b) in
        order.iter().flat_map(|a| order.iter().map(move |b| (*a, *b))).filter(|(a, b)| a != b)
    {
        let mut row = HeadToHead {
            player: plan.players[a].name.clone(),
            opponent: plan.players[b].name.clone(),
            ..HeadToHead::default()
        };
        let mut mean = Mean::default();
        for match_ in finished {
            let of = |player: usize| {
                let seats = match_.scheduled.seats.iter().zip(&match_.goals);
                seats.filter(move |(seat, _)| **seat == player).map(|(_, goal)| *goal).max()
            };
            let (Some(mine), Some(other)) = (of(a), of(b)) else { continue };
            row.matches += 1;
            row.wins += usize::from(mine > other);
            row.even += usize::from(mine == other);
            mean.add(mine);
        }
        row.mean = mean.value().unwrap_or(0.0);
        if row.matches > 0 {
            rows.push(row);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::Scheduled;

    pub(crate) fn sample() -> (Plan, Vec<Sheet>, Vec<Finished>) {
        let plan = Plan::parse(
            "name = 'x'\ngames = ['g']\n[[player]]\nname = 'a'\nplayer = 'random'\n\
             [[player]]\nname = 'b'\nplayer = 'legal'",
        );
        let sheet = Sheet { name: "g".to_owned(), rules: String::new() };
        let finished = |id: i64, seats: [usize; 2], goals: [i64; 2], completed| Finished {
            scheduled: Scheduled { id, round: 0, game: 0, seats: seats.to_vec() },
            completed,
            goals: goals.to_vec(),
            faults: vec![1, 0],
            steps: 10,
            seconds: 1.0,
            ended: id.cast_unsigned(),
        };
        let results = vec![
            finished(1, [0, 1], [0, 100], true),
            finished(2, [1, 0], [100, 0], true),
            finished(3, [0, 1], [50, 50], true),
            finished(4, [0, 1], [0, 0], false),
        ];
        (plan.expect("a plan"), vec![sheet], results)
    }

    #[test]
    fn results_are_counted_for_players_games_and_pairs() {
        let (plan, sheets, finished) = sample();
        let summary = Summary::new(&plan, &sheets, &finished);
        assert_eq!((summary.matches, summary.aborted), (4, 1));
        let best = &summary.standings[0];
        assert_eq!((best.name.as_str(), best.matches, best.faults), ("b", 3, 1));
        assert!((best.mean - 250.0 / 3.0).abs() < 1e-9 && best.elo > 0.0);
        let game = &summary.games[0];
        assert_eq!((game.matches, game.role_means.len()), (3, 2));
        let pair = &summary.head_to_head[0];
        assert_eq!((pair.player.as_str(), pair.matches, pair.wins, pair.even), ("b", 3, 2, 1));
    }
}
