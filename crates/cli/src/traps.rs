//! `fluxion traps`: how dense a game is with search traps, from a sample of its states.

use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::Args as ClapArgs;
use game::playout::Random;
use game::{Budget, Canonicalizer, Deadline, Machine, ReasonError, Reasoner};
use relax::predict::{Choice, Features, Measuring, Model, measure};
use relax::{Far, Heuristic, Relaxation, Relaxed};
use search::Effort;
use search::traps::{Prover, Risk, examine, longest_play, random_state};
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::input;
use crate::limits::{ReadLimits, ReasonLimits};
use crate::session::Session;
use crate::table::{columns, thousands};

/// What the threads have found: numbered samples, and what went wrong first.
type Gathered = (Vec<(usize, Risk)>, Option<ReasonError>);

/// `fluxion traps`.
#[derive(Debug, ClapArgs)]
#[command(after_long_help = "Examples:
  fluxion traps connect_four                          1000 states, traps up to level 7
  fluxion traps breakthrough --samples 100 --depth 5  fewer states, shallower traps
  fluxion traps gomoku_8x8 --nodes 1000000 --json     as deep as a million states for each sample allow

A state is at risk if a move leads to a state in which the opponents can force a win. The level of such a trap
is the number of moves they need for it. The table counts states by the level of their deepest trap; a state
in which every move loses has none.

Exit codes: 0 done, 2 cannot be read, 3 stopped by a limit before all states were searched (what was found is
printed), 130 stopped by Ctrl-C (so it is then).")]
#[expect(clippy::struct_excessive_bools, reason = "switches of a command line")]
pub struct TrapsArgs {
    /// A rule sheet or library game
    #[arg(value_name = "GAME")]
    pub game: String,
    /// States to sample
    #[arg(long, default_value_t = 1000, value_name = "N")]
    pub samples: usize,
    /// The deepest level of traps to look for
    #[arg(long, default_value_t = 7, value_name = "LEVEL", value_parser = clap::value_parser!(u32).range(..=1000))]
    pub depth: u32,
    /// Sample states before this step; without it, before the last of the longest of 100 random plays
    #[arg(long, value_name = "STEP", value_parser = clap::value_parser!(u32).range(1..))]
    pub before: Option<u32>,
    /// The most states to look at for each sample; 0 for no limit
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub nodes: u64,
    /// Also tell which search is likely to play the game better
    #[arg(long)]
    pub suggest: bool,
    /// Do not leave out what the relaxed planning graph shows to be too far from an end
    #[arg(long)]
    pub no_relaxation: bool,
    /// Do not count symmetric states as one
    #[arg(long)]
    pub no_symmetries: bool,
    /// Threads
    #[arg(long, default_value_t = 2, value_name = "N")]
    pub jobs: usize,
    /// The seed
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    pub seed: u64,
    /// Report as JSON
    #[arg(long)]
    pub json: bool,
    /// Bounds on reading.
    #[command(flatten)]
    pub read: ReadLimits,
    /// Bounds on reasoning.
    #[command(flatten)]
    pub reason: ReasonLimits,
}

/// The random plays that tell how long the game is, and the longest that is waited for.
const PLAYS: (u32, u32) = (100, 2000);
/// The part of the time that may go into building the circuit, and the relaxation.
const BUILDING: f64 = 0.3;

/// What all threads share.
struct Task<'a> {
    args: &'a TrapsArgs,
    reasoner: Reasoner,
    limits: game::Limits,
    deadline: Deadline,
    relaxation: Option<Arc<Relaxation>>,
    symmetries: Option<Arc<dyn Canonicalizer>>,
    longest: u32,
}

/// Samples states and looks for traps.
pub fn run(args: &TrapsArgs, session: &mut Session) -> anyhow::Result<Exit> {
    let (source, game) = input::load(&args.game, &args.read)?;
    let begin = Instant::now();
    let limits = session.limits(&args.reason);
    let building = begin + Duration::from_secs_f64(args.reason.timeout * BUILDING);
    let budget =
        Budget { deadline: Some(building), cancel: limits.cancel.clone(), ..Budget::default() };
    let reasoner = Reasoner::build(&game, &budget);
    let deadline = limits.deadline.map_or_else(Deadline::never, Deadline::at);
    let deadline = deadline.or_when(session.stop_flag());
    let mut task = Task {
        args,
        limits,
        relaxation: None,
        symmetries: None,
        longest: 0,
        deadline: deadline.clone(),
        reasoner,
    };
    task.longest = task.length().map_err(|error| session.gave_up(&source.label, &error))?;
    if !args.no_relaxation {
        task.relaxation = Relaxation::of(&task.reasoner, &deadline.not_after(building));
    }
    if !args.no_symmetries {
        task.symmetries = symmetries(&task, &deadline.not_after(building));
    }
    let found = task.all().map_err(|error| session.gave_up(&source.label, &error))?;
    let summary = Summary::of(&found, args.depth);
    let suggestion = if args.suggest { task.suggestion() } else { None };
    if args.json {
        let mut report = summary.json(&source.name, args, begin.elapsed().as_secs_f64());
        report["suggestion"] = suggestion.map_or(Value::Null, |suggestion| suggestion.json());
        session.json(&report)?;
    } else {
        summary.print(session, &source.name, args)?;
        if args.suggest {
            let text = suggestion.map_or("nothing to suggest".to_owned(), |s| s.text());
            writeln!(session.out, "{text}")?;
        }
    }
    let whole = summary.states == args.samples && summary.unfinished == 0;
    Ok(if whole { Exit::Fine } else { Exit::GaveUp })
}

/// The symmetries that keep the roles.
fn symmetries(task: &Task<'_>, deadline: &Deadline) -> Option<Arc<dyn Canonicalizer>> {
    let options = symmetry::Options { deadline: deadline.clone(), ..symmetry::Options::default() };
    let found = symmetry::detect(task.reasoner.game(), task.reasoner.gates(), &options);
    let representatives = found.representatives(symmetry::Size::default())?;
    Some(Arc::new(representatives))
}

impl Task<'_> {
    fn machine(&self) -> Box<dyn Machine> {
        self.reasoner.machine_with(self.limits.clone())
    }

    fn length(&self) -> Result<u32, ReasonError> {
        if let Some(before) = self.args.before {
            return Ok(before);
        }
        let mut random = Random::new(self.args.seed);
        longest_play(&mut *self.machine(), &mut random, PLAYS.0, PLAYS.1)
    }

    fn prover(&self) -> Prover {
        let tops = self.reasoner.game().role_ids().map(|role| match self.reasoner.gates() {
            Some(gates) => gates.largest_reward(role).0,
            None => 100,
        });
        let nodes = Some(self.args.nodes).filter(|nodes| *nodes > 0);
        let effort = Effort { deadline: self.deadline.clone(), nodes, depth: None };
        let mut prover = Prover::new(self.machine(), tops.collect(), effort);
        if let Some(shared) = &self.relaxation {
            prover = prover.with_reach(Box::new(Far::new(shared)));
        }
        match &self.symmetries {
            Some(symmetries) => prover.with_symmetries(symmetries.clone()),
            None => prover,
        }
    }

    /// What the predictor says; none without a relaxation, or for games of other than two roles.
    fn suggestion(&self) -> Option<Suggestion> {
        let shared = self.relaxation.as_ref().filter(|shared| shared.roles() == 2)?;
        let deadline = self.deadline.clone();
        let measuring = Measuring { seed: self.args.seed, deadline, ..Measuring::default() };
        let mut evaluator = Relaxed::new(shared, Heuristic::H1);
        let found = measure(&self.reasoner, Some(shared), &mut evaluator, &measuring);
        let features = found.ok()??;
        let (choice, chance) = Model::known().choose(&features);
        Some(Suggestion { features, choice, chance })
    }

    /// All samples, in the order of their numbers; each has its own seed, so threads do not matter.
    fn all(&self) -> Result<Vec<Risk>, ReasonError> {
        let bar = Session::progress(self.args.samples, "states");
        let next = AtomicUsize::new(0);
        let shared: Mutex<Gathered> = Mutex::default();
        let work = || {
            let mut prover = self.prover();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= self.args.samples || self.deadline.passed() {
                    return;
                }
                let found = self.one(&mut prover, number);
                let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
                match found {
                    Ok(Some(risk)) => shared.0.push((number, risk)),
                    Ok(None) => {}
                    Err(error) => {
                        shared.1.get_or_insert(error);
                        return;
                    }
                }
                bar.inc(1);
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..self.args.jobs.max(1) {
                scope.spawn(work);
            }
        });
        bar.finish_and_clear();
        let (mut found, error) = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.sort_by_key(|(number, _)| *number);
        match error {
            Some(error) if found.is_empty() => Err(error),
            _ => Ok(found.into_iter().map(|(_, risk)| risk).collect()),
        }
    }

    fn one(&self, prover: &mut Prover, number: usize) -> Result<Option<Risk>, ReasonError> {
        let mut random = Random::new(crate::simulate::seed_of(self.args.seed, number));
        let found = random_state(prover.machine(), &mut random, self.longest)?;
        let Some(sampled) = found else { return Ok(None) };
        examine(prover, &sampled, self.args.depth).map(Some)
    }
}

/// Which search to use, and what speaks for it.
struct Suggestion {
    features: Features,
    choice: Choice,
    chance: f64,
}

impl Suggestion {
    fn strategy(&self) -> &'static str {
        match self.choice {
            Choice::Heuristic => "alphabeta:eval=h1",
            Choice::MonteCarlo => "uct",
        }
    }

    fn text(&self) -> String {
        let Features { traps, branching, length, change, .. } = self.features;
        format!(
            "suggested: {} ({:.0}%): {:.0}% of states with traps of level 1 to 3, {branching:.1} moves, \
             {length:.0} steps, change of h1 {change:.2}",
            self.strategy(),
            100.0 * self.chance,
            100.0 * traps
        )
    }

    fn json(&self) -> Value {
        let Features { traps, branching, length, change, .. } = self.features;
        json!({ "strategy": self.strategy(), "chance": self.chance, "traps": traps,
                "branching": branching, "length": length, "change": change })
    }
}

/// Counts of a sample.
struct Summary {
    states: usize,
    /// States without traps that are lost anyway.
    lost: usize,
    /// States without traps.
    without: usize,
    /// For each level the states whose deepest trap it is.
    deepest: Vec<usize>,
    /// For each level all traps.
    traps: Vec<usize>,
    /// States that were not searched to the level asked for, and the least level reached by one of them.
    unfinished: usize,
    reached: Option<u32>,
    moves: usize,
    nodes: u64,
}

impl Summary {
    fn of(found: &[Risk], depth: u32) -> Self {
        let levels = depth as usize + 1;
        let mut summary = Self {
            states: found.len(),
            lost: 0,
            without: 0,
            deepest: vec![0; levels],
            traps: vec![0; levels],
            unfinished: 0,
            reached: Some(depth),
            moves: 0,
            nodes: 0,
        };
        for risk in found {
            summary.moves += risk.moves;
            summary.nodes += risk.nodes;
            summary.lost += usize::from(risk.lost);
            match risk.deepest() {
                Some(level) => summary.deepest[level as usize] += 1,
                None => summary.without += 1,
            }
            if risk.at_risk() {
                risk.traps.iter().for_each(|level| summary.traps[*level as usize] += 1);
            }
            if risk.searched != Some(depth) {
                summary.unfinished += 1;
                summary.reached = summary.reached.min(risk.searched);
            }
        }
        summary
    }

    fn json(&self, game: &str, args: &TrapsArgs, seconds: f64) -> Value {
        let levels = |counts: &[usize]| -> Vec<Value> {
            let rows = counts.iter().enumerate();
            rows.map(|(level, count)| {
                let (low, high) = wilson(*count, self.states);
                json!({ "level": level, "states": count, "low": low, "high": high })
            })
            .collect()
        };
        let (low, high) = wilson(self.without, self.states);
        json!({
            "game": game, "samples": args.samples, "depth": args.depth, "seed": args.seed, "before": args.before,
            "states": self.states, "unfinished": self.unfinished, "reached": self.reached,
            "without": { "states": self.without, "lost": self.lost, "low": low, "high": high },
            "deepest": levels(&self.deepest), "traps": self.traps,
            "moves": self.moves, "nodes": self.nodes, "seconds": seconds,
        })
    }

    fn print(&self, session: &mut Session, game: &str, args: &TrapsArgs) -> anyhow::Result<()> {
        writeln!(
            session.out,
            "{game}: {} states, traps up to level {}, {} states looked at",
            self.states,
            args.depth,
            thousands(self.nodes)
        )?;
        let row = |name: String, count: usize| {
            let (low, high) = wilson(count, self.states);
            let part = count as f64 / self.states.max(1) as f64;
            let interval = format!("{:.1}%..{:.1}%", 100.0 * low, 100.0 * high);
            vec![name, count.to_string(), format!("{:.1}%", 100.0 * part), interval]
        };
        let mut rows = vec![["deepest trap", "states", "part", "95%"].map(str::to_owned).to_vec()];
        rows.push(row("none".to_owned(), self.without));
        rows.push(row("none, lost".to_owned(), self.lost));
        let levels = self.deepest.iter().enumerate();
        rows.extend(levels.map(|(level, count)| row(format!("level {level}"), *count)));
        for line in columns(&rows, &[1, 2, 3]) {
            writeln!(session.out, "{line}")?;
        }
        if self.unfinished > 0 {
            let reached = match self.reached {
                Some(level) => format!("level {level}"),
                None => "no level".to_owned(),
            };
            writeln!(
                session.out,
                "{} states were not searched to the end; all were searched to {reached}",
                self.unfinished
            )?;
        }
        Ok(())
    }
}

/// The 95% confidence interval of a proportion (Wilson 1927).
pub fn wilson(count: usize, of: usize) -> (f64, f64) {
    if of == 0 {
        return (0.0, 1.0);
    }
    let (n, z) = (of as f64, 1.96_f64);
    let p = count as f64 / n;
    let middle = p + z * z / (2.0 * n);
    let half = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z * z / n;
    (((middle - half) / scale).max(0.0), ((middle + half) / scale).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_of_proportions_are_those_of_the_textbook() {
        let (low, high) = wilson(50, 100);
        assert!((low - 0.4038).abs() < 1e-3 && (high - 0.5962).abs() < 1e-3, "{low} {high}");
        assert_eq!(wilson(0, 0), (0.0, 1.0));
        assert!(wilson(0, 10).0.abs() < 1e-12 && wilson(10, 10).1 <= 1.0);
    }
}
