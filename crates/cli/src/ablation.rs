//! `fluxion ablation`: what a change of a strategy is worth, by matches against the strategy without it.
//!
//! The results file holds the plan and one line for each finished match. The command goes on where the file
//! ends, so it can be killed and started again, and its table is made from the file alone.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use anyhow::Context;
use clap::Args as ClapArgs;
use game::{Budget, Reasoner, Role};
use player::Strategy;
use serde_json::{Value, json};

use crate::duel::{Clock, Duel};
use crate::exit::{Exit, Failure};
use crate::input;
use crate::limits::{ReadLimits, seconds};
use crate::session::Session;
use crate::table::columns;

/// `fluxion ablation`.
#[derive(Debug, ClapArgs)]
#[command(after_long_help = "Examples:
  fluxion ablation mast.jsonl --base uct:nodes=2000 --row mast=uct:nodes=2000,policy=mast \\
      --game connect_four --game breakthrough_6x6 --matches 50
  fluxion ablation mast.jsonl              go on after an interruption, or show the table

Each row plays as many matches as --matches says in each game, seats in turn, against the base strategy
on all other seats. Points: 50 means as good as the base. Without --clock strategies need nodes=N.")]
pub struct AblationArgs {
    /// The results, as lines of JSON; made if it is not there, gone on with if it is
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The strategy to compare with
    #[arg(long, value_name = "STRATEGY")]
    pub base: Option<String>,
    /// A strategy to compare, [NAME=]STRATEGY with a NAME of letters, digits and hyphens
    #[arg(long = "row", value_name = "ROW")]
    pub rows: Vec<String>,
    /// A rule sheet or library game
    #[arg(long = "game", value_name = "GAME")]
    pub games: Vec<String>,
    /// Matches for each row and game
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub matches: usize,
    /// Seconds for each move, and for the start if --start is not given
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub clock: Option<f64>,
    /// Seconds for the start
    #[arg(long, requires = "clock", value_name = "SECONDS", value_parser = seconds)]
    pub start: Option<f64>,
    /// Clocks count CPU seconds, so that other work on the machine does not matter; for strategies that think until
    /// they are told to stop (all but `fluxion`)
    #[arg(long, requires = "clock", conflicts_with = "jobs")]
    pub cpu: bool,
    /// The most steps of a match
    #[arg(long, default_value_t = 500, value_name = "STEPS")]
    pub longest: usize,
    /// Matches played at the same time
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub jobs: usize,
    /// The seed
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    pub seed: u64,
    /// Write the table as JSON
    #[arg(long)]
    pub json: bool,
    /// Bounds on reading.
    #[command(flatten)]
    pub read: ReadLimits,
}

/// What is to be played.
#[derive(Clone, Debug, PartialEq)]
struct Plan {
    base: String,
    /// Names and strategies.
    rows: Vec<(String, String)>,
    games: Vec<String>,
    matches: usize,
    clock: Option<Clock>,
    longest: usize,
    seed: u64,
}

impl Plan {
    fn of(args: &AblationArgs) -> Option<Self> {
        let named = |row: &String| match row.split_once('=') {
            Some((name, rest)) if !name.contains(':') => (name.to_owned(), rest.to_owned()),
            _ => (row.clone(), row.clone()),
        };
        Some(Self {
            base: args.base.clone()?,
            rows: args.rows.iter().map(named).collect(),
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

    fn to_json(&self) -> Value {
        let rows: Vec<Value> = self.rows.iter().map(|(n, s)| json!([n, s])).collect();
        json!({ "plan": {
            "base": self.base, "rows": rows, "games": self.games, "matches": self.matches,
            "clock": self.clock.map(|clock| clock.play), "start": self.clock.map(|clock| clock.start),
            "cpu": self.clock.is_some_and(|clock| clock.cpu), "longest": self.longest, "seed": self.seed,
        } })
    }

    fn from_json(value: &Value) -> Option<Self> {
        let plan = value.get("plan")?;
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let list = |key: &str| plan.get(key)?.as_array();
        let rows = list("rows")?.iter().map(|row| Some((text(&row[0])?, text(&row[1])?)));
        Some(Self {
            base: text(&plan["base"])?,
            rows: rows.collect::<Option<_>>()?,
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

    fn check(&self) -> Result<(), Failure> {
        if self.rows.is_empty() || self.games.is_empty() {
            return Err(Failure::cannot("there is nothing to compare")
                .hint("give at least one --row and one --game"));
        }
        for text in self.rows.iter().map(|(_, text)| text).chain([&self.base]) {
            let strategy = Strategy::parse(text).map_err(|why| Failure::cannot(why.to_string()))?;
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
    fn all(&self) -> Vec<(usize, usize, usize)> {
        let rows = 0..self.rows.len();
        let pairs = move |number| {
            let games = 0..self.games.len();
            rows.clone().flat_map(move |row| games.clone().map(move |game| (row, game, number)))
        };
        (0..self.matches).flat_map(pairs).collect()
    }
}

/// Points of finished matches by row, game and number.
type Results = BTreeMap<(usize, usize, usize), f64>;

/// Plays what is missing, and shows the table.
pub fn run(args: &AblationArgs, session: &mut Session) -> anyhow::Result<Exit> {
    let wanted = Plan::of(args);
    let (found, mut results) = read(&args.file)?;
    let plan = match (found, wanted) {
        (Some(found), Some(wanted)) if found != wanted => {
            let what = format!("{} belongs to another plan", args.file.display());
            return Err(Failure::cannot(what).hint("give another file, or only the file").into());
        }
        (Some(found), _) => found,
        (None, Some(wanted)) => wanted,
        (None, None) => {
            let what = format!("{} has no plan yet", args.file.display());
            return Err(Failure::cannot(what).hint("give --base, --row and --game").into());
        }
    };
    plan.check()?;
    let stop = session.stop_flag();
    let stopped = move || stop.load(Ordering::Relaxed);
    play_missing(args, &plan, &mut results, &stopped)?;
    show(args, &plan, &results, session)?;
    Ok(Exit::Fine)
}

/// The plan and the matches in a file; a last line that was not finished is left out.
fn read(path: &Path) -> anyhow::Result<(Option<Plan>, Results)> {
    let mut results = Results::new();
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok((None, results)),
        Err(error) => return Err(error).context(format!("{}", path.display())),
    };
    let mut plan = None;
    for line in BufReader::new(file).lines() {
        let line = line.with_context(|| format!("{}", path.display()))?;
        let Ok(value) = serde_json::from_str::<Value>(&line) else { continue };
        plan = plan.or_else(|| Plan::from_json(&value));
        let number = |key: &str| value.get(key).and_then(Value::as_u64).map(|n| n as usize);
        let points = value.get("points").and_then(Value::as_f64);
        if let (Some(row), Some(game), Some(at), Some(points)) =
            (number("row"), number("game"), number("number"), points)
        {
            results.insert((row, game, at), points);
        }
    }
    Ok((plan, results))
}

fn append(path: &Path, value: &Value) -> anyhow::Result<()> {
    let open = OpenOptions::new().create(true).append(true).open(path);
    let mut file = open.with_context(|| format!("{}", path.display()))?;
    // A line that was cut off by a kill ends here.
    let cut = std::fs::read(path).is_ok_and(|text| text.last().is_some_and(|b| *b != b'\n'));
    let line = format!("{}{value}\n", if cut { "\n" } else { "" });
    file.write_all(line.as_bytes()).with_context(|| format!("{}", path.display()))
}

fn play_missing(
    args: &AblationArgs,
    plan: &Plan,
    results: &mut Results,
    stopped: &(dyn Fn() -> bool + Sync),
) -> anyhow::Result<()> {
    if results.is_empty() && read(&args.file)?.0.is_none() {
        append(&args.file, &plan.to_json())?;
    }
    let missing: Vec<_> = plan.all().into_iter().filter(|one| !results.contains_key(one)).collect();
    let bar = Session::progress(missing.len(), "matches");
    let reasoners: Vec<OnceLock<Reasoner>> = plan.games.iter().map(|_| OnceLock::new()).collect();
    let next = AtomicUsize::new(0);
    let shared = Mutex::new((results, None));
    let work = || {
        while let Some((row, game, number)) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
            let played = play(args, plan, (*row, *game, *number), &reasoners[*game], stopped);
            let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
            match played.and_then(|line| {
                let points = line.as_ref().and_then(|line| line["points"].as_f64());
                line.map(|line| append(&args.file, &line)).transpose()?;
                Ok(points)
            }) {
                Ok(Some(points)) => drop(shared.0.insert((*row, *game, *number), points)),
                Ok(None) => return,
                Err(error) => {
                    shared.1.get_or_insert(error);
                    next.store(missing.len(), Ordering::Relaxed);
                }
            }
            bar.inc(1);
        }
    };
    // CPU seconds are those of the process, also where the plan of the file says so and not the arguments.
    let jobs = if plan.clock.is_some_and(|clock| clock.cpu) { 1 } else { args.jobs.max(1) };
    std::thread::scope(|scope| (0..jobs).for_each(|_| drop(scope.spawn(work))));
    bar.finish_and_clear();
    shared.into_inner().unwrap_or_else(PoisonError::into_inner).1.map_or(Ok(()), Err)
}

/// Plays one match; its line for the file, or none if it was stopped.
fn play(
    args: &AblationArgs,
    plan: &Plan,
    (row, game, number): (usize, usize, usize),
    reasoner: &OnceLock<Reasoner>,
    stopped: &dyn Fn() -> bool,
) -> anyhow::Result<Option<Value>> {
    if reasoner.get().is_none() {
        let (_, rules) = input::load(&plan.games[game], &args.read)?;
        reasoner.get_or_init(|| Reasoner::build(&rules, &Budget::default()));
    }
    let Some(reasoner) = reasoner.get() else { return Ok(None) };
    let strategy = |text: &str| Strategy::parse(text).map_err(anyhow::Error::from);
    let seat = Role((number % reasoner.game().roles().len().max(1)) as u32);
    let duel = Duel {
        reasoner,
        candidate: &strategy(&plan.rows[row].1)?,
        base: &strategy(&plan.base)?,
        seat,
        seed: crate::simulate::seed_of(plan.seed, number),
        clock: plan.clock,
        longest: plan.longest,
    };
    let Some(ended) = duel.play(stopped)? else { return Ok(None) };
    Ok(Some(json!({
        "row": row, "game": game, "number": number, "seat": seat.0, "rewards": ended.rewards,
        "steps": ended.steps, "troubles": ended.troubles, "points": ended.points(seat),
    })))
}

/// The mean of points, and half the width of its 95% confidence interval (normal approximation).
fn mean(points: &[f64]) -> (f64, f64) {
    let count = points.len() as f64;
    let mean = points.iter().sum::<f64>() / count.max(1.0);
    let squares: f64 = points.iter().map(|p| (p - mean).powi(2)).sum();
    let deviation = (squares / (count - 1.0).max(1.0)).sqrt();
    (mean, 1.96 * deviation / count.max(1.0).sqrt())
}

fn show(
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
            let points = of(row, game);
            let (mean, half) = mean(&points);
            json!({ "game": game.map(|game| &plan.games[game]), "matches": points.len(),
                    "points": mean, "interval": half })
        };
        let games = |row| (0..plan.games.len()).map(move |game| report(row, Some(game)));
        let rows = plan.rows.iter().enumerate().map(|(row, (name, strategy))| {
            json!({ "row": name, "strategy": strategy, "all": report(row, None),
                    "games": games(row).collect::<Vec<_>>() })
        });
        let rows: Vec<Value> = rows.collect();
        return session.json(&json!({ "base": plan.base, "rows": rows }));
    }
    let mut lines = vec![["row", "matches", "points", "95%"].map(str::to_owned).to_vec()];
    lines[0].extend(plan.games.iter().cloned());
    for (row, (name, _)) in plan.rows.iter().enumerate() {
        let points = of(row, None);
        let (all, half) = mean(&points);
        let interval = format!("{:.1}..{:.1}", all - half, all + half);
        let mut line = vec![name.clone(), points.len().to_string(), format!("{all:.1}"), interval];
        line.extend((0..plan.games.len()).map(|game| match &of(row, Some(game))[..] {
            [] => "-".to_owned(),
            own => format!("{:.1}", mean(own).0),
        }));
        lines.push(line);
    }
    let numbers: Vec<usize> = (1..4 + plan.games.len()).collect();
    writeln!(session.out, "against {}", plan.base)?;
    for line in columns(&lines, &numbers) {
        writeln!(session.out, "{line}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_the_normal_approximation() {
        let points: Vec<f64> = (0..100).map(|i| f64::from(i % 2) * 100.0).collect();
        let (mean, half) = mean(&points);
        assert!((mean - 50.0).abs() < 1e-9 && (half - 9.85).abs() < 0.01, "{mean} {half}");
    }
}
