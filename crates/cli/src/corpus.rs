//! `fluxion conform --corpus DIR`: every rule sheet of a folder against its reference trace.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anstyle::{AnsiColor, Style};
use anyhow::Context;
use protocol::conform::{Stopped, conform};
use serde_json::{Value, json};

use crate::args::ConformArgs;
use crate::exit::{self, Exit, Failure};
use crate::input;
use crate::machines;
use crate::render::Sheet;
use crate::session::Session;
use crate::table::{columns, counted, thousands};
use crate::trace;

/// Folders with rule sheets, and those with their traces.
const FOLDERS: [(&str, &str); 2] = [("games", "traces"), ("testgames", "testtraces")];

/// How the replay of one game ended.
struct Outcome {
    name: String,
    status: Status,
    playouts: usize,
    steps: usize,
    seconds: f64,
    detail: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    Conforms,
    /// The reference could not decide the game, so there is nothing to compare beyond its header.
    NoReference,
    /// It differs, but the rules are unsafe (E202), so that no answer is the right one.
    NoMeaning,
    Differs,
    GaveUp,
    CannotRead,
}

impl Status {
    fn name(self) -> &'static str {
        match self {
            Self::Conforms => "conforms",
            Self::NoReference => "no reference",
            Self::NoMeaning => "no meaning",
            Self::Differs => "differs",
            Self::GaveUp => "gave up",
            Self::CannotRead => "cannot read",
        }
    }

    fn exit(self) -> Exit {
        match self {
            Self::Conforms | Self::NoReference | Self::NoMeaning => Exit::Fine,
            Self::Differs => Exit::Found,
            Self::CannotRead => Exit::Cannot,
            Self::GaveUp => Exit::GaveUp,
        }
    }
}

/// Replays them all; the worst outcome decides the exit code.
pub fn run(args: &ConformArgs, folder: &Path, session: &mut Session) -> anyhow::Result<Exit> {
    let pairs = pairs(folder)?;
    if pairs.is_empty() {
        let message = format!("{} holds no games/*.kif with traces/*.jsonl.gz", folder.display());
        return Err(Failure::cannot(message).into());
    }
    let bar = Session::progress(pairs.len(), "replaying");
    let mut outcomes = Vec::new();
    for (rules, trace) in &pairs {
        if session.stopped() {
            break;
        }
        outcomes.push(replay(args, rules, trace, session));
        bar.inc(1);
    }
    bar.finish_and_clear();
    if args.json {
        session.json(&report(&outcomes))?;
    } else {
        tell(&outcomes, pairs.len(), session)?;
    }
    Ok(outcomes.iter().map(|outcome| outcome.status.exit()).fold(Exit::Fine, input::worse))
}

/// Rule sheets that have a trace, sorted by name.
fn pairs(folder: &Path) -> anyhow::Result<Vec<(PathBuf, PathBuf)>> {
    let mut pairs = Vec::new();
    for (games, traces) in FOLDERS {
        let games = folder.join(games);
        if !games.is_dir() {
            continue;
        }
        let entries =
            fs::read_dir(&games).with_context(|| format!("{} cannot be read", games.display()))?;
        for entry in entries {
            let rules = entry?.path();
            let Some(stem) = rules.file_stem().map(|stem| stem.to_string_lossy().into_owned())
            else {
                continue;
            };
            let trace = folder.join(traces).join(format!("{stem}.jsonl.gz"));
            if rules.extension().is_some_and(|extension| extension == "kif") && trace.is_file() {
                pairs.push((rules, trace));
            }
        }
    }
    pairs.sort();
    Ok(pairs)
}

fn replay(args: &ConformArgs, rules: &Path, trace: &Path, session: &Session) -> Outcome {
    let name = rules.file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned());
    let begin = Instant::now();
    let mut outcome = Outcome {
        name,
        status: Status::Conforms,
        playouts: 0,
        steps: 0,
        seconds: 0.0,
        detail: String::new(),
    };
    if let Err(error) = fill(args, rules, trace, session, &mut outcome) {
        outcome.status = match exit::exit_of(&error) {
            Exit::GaveUp => Status::GaveUp,
            _ => Status::CannotRead,
        };
        outcome.detail = format!("{error:#}");
    }
    outcome.seconds = begin.elapsed().as_secs_f64();
    outcome
}

fn fill(
    args: &ConformArgs,
    rules: &Path,
    trace: &Path,
    session: &Session,
    outcome: &mut Outcome,
) -> anyhow::Result<()> {
    let limits = session.limits(&args.reason);
    let source = input::read(&rules.to_string_lossy(), &args.read)?;
    let trace = trace::read(&trace.to_string_lossy())?;
    if let Some(why) = &trace.header.error {
        outcome.status = Status::NoReference;
        outcome.detail.clone_from(why);
    }
    // Reference traces exist for sheets with slips too; what could be read is replayed.
    let (rules, _) = gdl::parse(&source.text, &args.read.gdl());
    let sheet = Sheet::new(&source.label, &source.text);
    let game = match input::make(rules, &sheet) {
        Err(_) if outcome.status == Status::NoReference => return Ok(()),
        made => made?,
    };
    let mut machine = machines::make(&args.machine.machine, &game, limits);
    match conform(&mut *machine, &trace) {
        Ok(agreement) => {
            outcome.playouts = agreement.playouts;
            outcome.steps = agreement.steps;
        }
        Err(Stopped::Difference(difference)) => {
            let unsafe_rules =
                gdl::validate::validate(game.rules()).iter().any(|d| d.code == "E202");
            outcome.status = if unsafe_rules { Status::NoMeaning } else { Status::Differs };
            outcome.detail = difference.to_string();
        }
        Err(Stopped::Reason(_)) if outcome.status == Status::NoReference => {}
        Err(Stopped::Reason(error)) => return Err(session.gave_up(&source.label, &error).into()),
    }
    Ok(())
}

fn tell(outcomes: &[Outcome], wanted: usize, session: &mut Session) -> anyhow::Result<()> {
    let heads = ["game", "result", "playouts", "steps", "seconds", ""];
    let mut rows = vec![heads.map(str::to_owned).to_vec()];
    for outcome in outcomes {
        rows.push(vec![
            outcome.name.clone(),
            outcome.status.name().to_owned(),
            outcome.playouts.to_string(),
            thousands(outcome.steps as u64),
            format!("{:.2}", outcome.seconds),
            outcome.detail.lines().take(3).collect::<Vec<_>>().join(";"),
        ]);
    }
    for line in columns(&rows, &[2, 3, 4]) {
        writeln!(session.out, "{line}")?;
    }
    let bad = outcomes.iter().filter(|outcome| outcome.status.exit() != Exit::Fine).count();
    let count = |status| outcomes.iter().filter(|outcome| outcome.status == status).count();
    let color = if bad == 0 { AnsiColor::Green } else { AnsiColor::Red };
    let style = Style::new().bold().fg_color(Some(color.into()));
    let steps: usize = outcomes.iter().map(|outcome| outcome.steps).sum();
    writeln!(
        session.out,
        "{style}{} of {} conform{style:#}, {bad} do not, {} without a reference, {} without a \
         meaning (unsafe rules); {} compared",
        count(Status::Conforms),
        counted(wanted, "game"),
        count(Status::NoReference),
        count(Status::NoMeaning),
        counted(steps, "step")
    )?;
    Ok(())
}

fn report(outcomes: &[Outcome]) -> Value {
    let games: Vec<Value> = outcomes
        .iter()
        .map(|outcome| {
            json!({
                "game": outcome.name,
                "status": outcome.status.name(),
                "playouts": outcome.playouts,
                "steps": outcome.steps,
                "seconds": outcome.seconds,
                "detail": outcome.detail,
            })
        })
        .collect();
    let bad = outcomes.iter().filter(|outcome| outcome.status.exit() != Exit::Fine).count();
    json!({ "games": games, "failed": bad })
}
