//! The tables of a tournament, counted from its results.

use std::collections::BTreeSet;

use serde::Serialize;

use super::class::Class;
use super::ledger::Finished;
use super::plan::Plan;
use super::rating::{Outcome, rate};
use super::run::Sheet;
use crate::mean::Mean;

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
    /// The classes of games that were played, and all together.
    pub classes: Vec<ClassRow>,
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

/// A class of games in the table.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClassRow {
    /// The class; none for all games.
    pub class: Option<Class>,
    /// Its games that were played.
    pub games: usize,
    /// Matches with a result.
    pub matches: usize,
    /// The points of each player, in the order of the standings: 50 is as good as the others, 100 is everything where they have nothing.
    pub points: Vec<Mean>,
}

impl ClassRow {
    /// Its name in tables.
    pub fn name(&self) -> &'static str {
        self.class.map_or("all", Class::name)
    }
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
struct Tally(f64, usize);

impl Tally {
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
        let mut means = vec![Tally::default(); count];
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
            player: plan.players[*player].what(),
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
            classes: classes(sheets, &order, &with_result),
            games: (0..sheets.len()).map(|game| row(game, sheets, &order, &with_result)).collect(),
            head_to_head: head_to_head(plan, &order, &with_result),
        }
    }
}

fn row(game: usize, sheets: &[Sheet], order: &[usize], finished: &[&Finished]) -> GameRow {
    let mut means = vec![Tally::default(); order.len()];
    let mut roles: Vec<Tally> = Vec::new();
    let mut steps = Tally::default();
    for match_ in finished.iter().filter(|match_| match_.scheduled.game == game) {
        steps.add(i64::try_from(match_.steps).unwrap_or(i64::MAX));
        roles.resize(roles.len().max(match_.goals.len()), Tally::default());
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

/// The rows of the classes that were played, and of all together if there are several.
fn classes(sheets: &[Sheet], order: &[usize], finished: &[&Finished]) -> Vec<ClassRow> {
    let make = |class: Option<Class>| {
        let is_part = |game: usize| {
            let of = sheets.get(game).and_then(|sheet| sheet.class);
            class.is_none() || of == class
        };
        let played: Vec<&Finished> =
            finished.iter().copied().filter(|m| is_part(m.scheduled.game)).collect();
        let points = |player: &usize| Mean::of(&points(*player, &played));
        let games: BTreeSet<usize> = played.iter().map(|m| m.scheduled.game).collect();
        let (games, matches) = (games.len(), played.len());
        ClassRow { class, games, matches, points: order.iter().map(points).collect() }
    };
    let rows = Class::ALL.into_iter().map(|class| make(Some(class)));
    let mut rows: Vec<ClassRow> = rows.filter(|row| row.matches > 0).collect();
    if rows.len() != 1 && !finished.is_empty() {
        rows.push(make(None));
    }
    rows
}

/// The points of a player in each match in which somebody can be compared with it: half of what it got more than the others, and 50. With one role the
/// others are those who played the same game.
fn points(player: usize, finished: &[&Finished]) -> Vec<f64> {
    let results = |m: &Finished, own: bool| {
        let seats = m.scheduled.seats.iter().zip(&m.goals);
        let mut tally = Tally::default();
        seats.filter(|(seat, _)| (**seat == player) == own).for_each(|(_, goal)| tally.add(*goal));
        tally
    };
    let compared = |m: &&Finished| {
        let own = results(m, true).value()?;
        let others = if m.scheduled.seats.len() > 1 {
            results(m, false).value()?
        } else {
            let mut alone = Tally::default();
            let same = |other: &&&Finished| other.scheduled.game == m.scheduled.game;
            let goals =
                finished.iter().filter(same).filter_map(|other| results(other, false).value());
            goals.for_each(|goal| alone = Tally(alone.0 + goal, alone.1 + 1));
            alone.value()?
        };
        Some(50.0 + (own - others) / 2.0)
    };
    finished.iter().filter_map(compared).collect()
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
        let mut mean = Tally::default();
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
        let sheet = Sheet::new("g", "");
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
        let [all] = &summary.classes[..] else { panic!("no classes are known") };
        assert_eq!((all.name(), all.games, all.matches, all.points[0].count), ("all", 1, 3, 3));
        assert!((all.points[0].mean - 250.0 / 3.0).abs() < 1e-9 && all.points[0].plus_minus > 20.0);
    }

    #[test]
    fn points_compare_with_the_others_in_every_class() {
        let (mut plan, _, _) = sample();
        plan.games = ["alone", "two", "three"].map(str::to_owned).to_vec();
        let mut sheets = [Sheet::new("alone", ""), Sheet::new("two", ""), Sheet::new("three", "")];
        sheets[0].class = Some(Class::OneRole);
        sheets[1].class = Some(Class::ConstantSum);
        sheets[2].class = Some(Class::MoreRoles);
        let finished = |game: usize, seats: &[usize], goals: &[i64]| Finished {
            scheduled: Scheduled { id: 1, round: 0, game, seats: seats.to_vec() },
            completed: true,
            goals: goals.to_vec(),
            faults: vec![0; seats.len()],
            steps: 10,
            seconds: 1.0,
            ended: 1,
        };
        let mut results = vec![
            finished(0, &[0], &[100]),
            finished(0, &[1], &[40]),
            finished(0, &[1], &[60]),
            finished(1, &[0, 1], &[100, 0]),
            finished(2, &[0, 1, 0], &[100, 50, 0]),
        ];
        let summary = Summary::new(&plan, &sheets, &results);
        let of = |player: &str| {
            let at = summary.standings.iter().position(|row| row.name == player).expect("there");
            summary.classes.iter().map(move |row| (row.name(), row.points[at].mean))
        };
        let expected = [
            ("one role", 75.0),
            ("two roles, constant sum", 100.0),
            ("more roles", 50.0),
            ("all", 75.0),
        ];
        assert_eq!(of("a").collect::<Vec<_>>(), expected);
        // 40 and 60 where the other had 100.
        assert_eq!(of("b").next(), Some(("one role", 25.0)));
        results.drain(1..3);
        let summary = Summary::new(&plan, &sheets, &results);
        assert_eq!(summary.classes[0].points[0].count, 0, "nobody else played it");
    }
}
