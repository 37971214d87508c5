//! `fluxion ablation`: what a change of a strategy is worth, by matches against the strategy without it.
//!
//! A change that is a row of its own is compared by matches of its own. Changes that are factors are made or not made in
//! each match by chance, so that all matches tell about all of them.
//!
//! The results file holds the plan and one line for each finished match. The command goes on where the file
//! ends, so it can be killed and started again, and its table is made from the file alone.

mod plan;
mod table;

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

use crate::duel::Duel;
use crate::exit::{Exit, Failure};
use crate::input;
use crate::limits::{ReadLimits, seconds};
use crate::session::Session;
use plan::Plan;

/// `fluxion ablation`.
#[derive(Debug, ClapArgs)]
#[command(after_long_help = "Examples:
  fluxion ablation mast.jsonl --base uct:nodes=2000 --row mast=uct:nodes=2000,policy=mast \\
      --game connect_four --game breakthrough_6x6 --matches 50
  fluxion ablation mast.jsonl              go on after an interruption, or show the table
  fluxion ablation parts.jsonl --base uct --row uct:nodes=2000,history=4,favour=0.8 \\
      --factor spread=on --factor decisive=lanes --factor c=0.2 --game connect_four --matches 200

Each row plays as many matches as --matches says in each game, seats in turn, against the base strategy
on all other seats. Points: 50 means as good as the base. Without --clock strategies need nodes=N.

With --factor each match makes each change with a chance of one in three, two matches in a row the same
ones, and a second table tells how many points each change adds: all matches tell about all changes.")]
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
    /// A change of the rows, OPTION=VALUE or several parted by commas, made in some of the matches; it replaces what
    /// the row says about the option
    #[arg(long = "factor", value_name = "CHANGE")]
    pub factors: Vec<String>,
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
    /// Clocks count CPU seconds, so that other work on the machine does not matter; players are told to stop, and know
    /// beforehand about when that will be
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
    table::show(args, &plan, &results, session)?;
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
    let changes = plan.changes(game, number);
    let seat = Role((number % reasoner.game().roles().len().max(1)) as u32);
    let duel = Duel {
        reasoner,
        candidate: &strategy(&plan.candidate(row, &changes))?,
        base: &strategy(&plan.base)?,
        seat,
        seed: crate::simulate::seed_of(plan.seed, number),
        clock: plan.clock,
        longest: plan.longest,
    };
    let Some(ended) = duel.play(stopped)? else { return Ok(None) };
    let made = plan.factors.iter().zip(&changes).filter(|(_, made)| **made);
    let made: Vec<&String> = made.map(|(factor, _)| factor).collect();
    Ok(Some(json!({
        "row": row, "game": game, "number": number, "seat": seat.0, "rewards": ended.rewards,
        "steps": ended.steps, "changes": made, "troubles": ended.troubles, "points": ended.points(seat),
    })))
}
