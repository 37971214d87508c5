//! The table of an ablation.

use std::io::Write;

use manager::{Effect, Mean, Trial, effects};
use serde_json::{Value, json};

use super::plan::Plan;
use super::{AblationArgs, Results};
use crate::session::Session;
use crate::table::columns;

/// Shows what was found so far.
pub(super) fn show(
    args: &AblationArgs,
    plan: &Plan,
    results: &Results,
    session: &mut Session,
) -> anyhow::Result<()> {
    let of = |row: usize, game: Option<usize>| -> Vec<f64> {
        let mine = |key: &&(usize, usize, usize)| key.0 == row && game.is_none_or(|g| g == key.1);
        results.keys().filter(mine).map(|key| results[key]).collect()
    };
    if args.json {
        let report = |row: usize, game: Option<usize>| {
            let points = Mean::of(&of(row, game));
            json!({ "game": game.map(|game| &plan.games[game]), "matches": points.count,
                    "points": points.mean, "interval": points.plus_minus })
        };
        let games = |row| (0..plan.games.len()).map(move |game| report(row, Some(game)));
        let rows = plan.rows.iter().enumerate().map(|(row, (name, strategy))| {
            json!({ "row": name, "strategy": strategy, "all": report(row, None),
                    "games": games(row).collect::<Vec<_>>() })
        });
        let rows: Vec<Value> = rows.collect();
        let worth = worth(plan, results);
        let worth = worth.iter().map(|one| {
            json!({ "change": one.change, "with": one.with, "without": one.without,
                    "effect": one.effect.map(|e| e.points), "interval": one.effect.map(|e| e.plus_minus) })
        });
        let worth: Vec<Value> = worth.collect();
        return session.json(&json!({ "base": plan.base, "rows": rows, "factors": worth }));
    }
    let mut lines = vec![["row", "matches", "points", "95%"].map(str::to_owned).to_vec()];
    lines[0].extend(plan.games.iter().cloned());
    for (row, (name, _)) in plan.rows.iter().enumerate() {
        let all = Mean::of(&of(row, None));
        let (low, high) = all.interval();
        let interval = format!("{low:.1}..{high:.1}");
        let mut line =
            vec![name.clone(), all.count.to_string(), format!("{:.1}", all.mean), interval];
        line.extend((0..plan.games.len()).map(|game| match &of(row, Some(game))[..] {
            [] => "-".to_owned(),
            own => format!("{:.1}", Mean::of(own).mean),
        }));
        lines.push(line);
    }
    let numbers: Vec<usize> = (1..4 + plan.games.len()).collect();
    writeln!(session.out, "against {}", plan.base)?;
    for line in columns(&lines, &numbers) {
        writeln!(session.out, "{line}")?;
    }
    if plan.factors.is_empty() {
        return Ok(());
    }
    let head = ["change", "matches with", "without", "points by it", "95%"];
    let mut lines = vec![head.map(str::to_owned).to_vec()];
    for one in worth(plan, results) {
        let mut line = vec![one.change, one.with.to_string(), one.without.to_string()];
        line.extend(one.effect.map_or_else(
            || ["-".to_owned(), "-".to_owned()],
            |Effect { points, plus_minus: half }| {
                [format!("{points:+.1}"), format!("{:+.1}..{:+.1}", points - half, points + half)]
            },
        ));
        lines.push(line);
    }
    writeln!(session.out)?;
    for line in columns(&lines, &[1, 2, 3, 4]) {
        writeln!(session.out, "{line}")?;
    }
    Ok(())
}

/// What a change is worth.
struct Worth {
    change: String,
    /// Matches with it, and without it.
    with: usize,
    without: usize,
    /// None where the matches do not tell yet.
    effect: Option<Effect>,
}

/// What all changes are worth, over all rows and games.
fn worth(plan: &Plan, results: &Results) -> Vec<Worth> {
    let trial = |(&(row, game, number), &points): (&(usize, usize, usize), &f64)| Trial {
        block: row * plan.games.len() + game,
        changes: plan.changes(game, number),
        points,
    };
    let trials: Vec<Trial> = results.iter().map(trial).collect();
    let effects = effects(&trials);
    let one = |(at, change): (usize, &String)| {
        let with = trials.iter().filter(|trial| trial.changes[at]).count();
        let effect = effects.as_ref().map(|effects| effects[at]);
        Worth { change: change.clone(), with, without: trials.len() - with, effect }
    };
    plan.factors.iter().enumerate().map(one).collect()
}
