//! `fluxion tournament`: matches by a plan, resumable, with tables and reports.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args as ClapArgs, Subcommand};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use manager::tournament::{
    self, Ledger, LedgerError, Plan, Progress, RunError, Sheet, Summary, report,
};

use crate::exit::{self, Exit, Failure};
use crate::input;
use crate::limits::ReadLimits;
use crate::session::Session;
use crate::table::{columns, counted};

/// `fluxion tournament`.
#[derive(Debug, ClapArgs)]
#[command(after_long_help = "Examples:
  fluxion tournament run spring.toml          play, or go on after an interruption or a kill
  fluxion tournament table spring.toml        the table, also while it runs
  fluxion tournament report spring.toml --out report    CSV, JSON and a page with plots
  fluxion tournament record spring.toml 17 > m.json     the record of match 17

A plan:
  name = \"spring\"
  games = [\"tictactoe\", \"connect_four\"]
  play-clock = 5
  [[player]]
  name = \"simple\"
  player = \"random\"
  [[player]]
  name = \"other\"
  player = \"http://localhost:9147\"
  [[player]]                                  started and stopped by the tournament
  name = \"third\"
  command = [\"{fluxion}\", \"serve\", \"--port\", \"{port}\", \"--knowledge\", \"off\"]
  cores = [1]

docs/matches.md explains all keys. Results are kept in FILE.db beside the plan (--db).")]
pub struct TournamentArgs {
    /// What to do.
    #[command(subcommand)]
    pub action: Action,
}

/// What to do with a tournament.
#[derive(Debug, Subcommand)]
pub enum Action {
    /// Play all matches that have no result yet
    Run(RunArgs),
    /// Show the table
    Table(TableArgs),
    /// Write reports: matches.csv, standings.csv, report.json, report.html
    Report(ReportArgs),
    /// Write the record of a match
    Record(RecordArgs),
}

/// The plan and its results.
#[derive(Debug, ClapArgs)]
pub struct Place {
    /// The plan, a TOML file
    #[arg(value_name = "FILE")]
    pub plan: PathBuf,
    /// The database with the results
    #[arg(long, value_name = "FILE")]
    pub db: Option<PathBuf>,
}

impl Place {
    fn database(&self) -> PathBuf {
        self.db.clone().unwrap_or_else(|| self.plan.with_extension("db"))
    }

    /// The database, which must be there.
    fn open(&self) -> anyhow::Result<Ledger> {
        let path = self.database();
        if !path.is_file() {
            let failure = Failure::cannot(format!("there is no database {}", path.display()));
            return Err(failure.hint("`fluxion tournament run` makes it").into());
        }
        Ok(Ledger::open(&path).map_err(|error| trouble(&RunError::Ledger(error)))?)
    }
}

/// `fluxion tournament run`.
#[derive(Debug, ClapArgs)]
pub struct RunArgs {
    /// The plan and its results.
    #[command(flatten)]
    pub place: Place,
    /// Matches at once, instead of the plan's number
    #[arg(long, value_name = "N")]
    pub parallel: Option<usize>,
    /// Write reports into a folder at the end
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
    /// Write the summary as JSON at the end
    #[arg(long)]
    pub json: bool,
    /// Bounds on reading.
    #[command(flatten)]
    pub read: ReadLimits,
}

/// `fluxion tournament table`.
#[derive(Debug, ClapArgs)]
pub struct TableArgs {
    /// The plan and its results.
    #[command(flatten)]
    pub place: Place,
    /// Write it as JSON
    #[arg(long)]
    pub json: bool,
}

/// `fluxion tournament report`.
#[derive(Debug, ClapArgs)]
pub struct ReportArgs {
    /// The plan and its results.
    #[command(flatten)]
    pub place: Place,
    /// The folder
    #[arg(long, default_value = ".", value_name = "DIR")]
    pub out: PathBuf,
}

/// `fluxion tournament record`.
#[derive(Debug, ClapArgs)]
pub struct RecordArgs {
    /// The plan and its results.
    #[command(flatten)]
    pub place: Place,
    /// The number of the match
    #[arg(value_name = "MATCH")]
    pub number: i64,
}

/// Runs, shows or reports.
pub fn run(args: &TournamentArgs, session: &mut Session) -> anyhow::Result<Exit> {
    match &args.action {
        Action::Run(args) => play(args, session),
        Action::Table(args) => {
            let (_, _, summary, _) = read(&args.place.open()?)?;
            tell(&summary, args.json, session)
        }
        Action::Report(args) => {
            write_reports(&args.place.open()?, &args.out)?;
            Ok(Exit::Fine)
        }
        Action::Record(args) => {
            let record = args.place.open()?.record(args.number).map_err(RunError::Ledger);
            let Some(record) = record.map_err(|error| trouble(&error))? else {
                return Err(Failure::cannot(format!("match {} has no result", args.number)).into());
            };
            writeln!(session.out, "{record}")?;
            Ok(Exit::Fine)
        }
    }
}

fn trouble(error: &RunError) -> Failure {
    let failure = Failure::cannot(error.to_string());
    match error {
        RunError::Ledger(LedgerError::OtherPlan) => {
            failure.hint("the plan was changed; undo that, or begin anew with another --db")
        }
        RunError::Ledger(LedgerError::Locked) => {
            failure.hint("`fluxion tournament table` shows it")
        }
        _ => failure,
    }
}

fn play(args: &RunArgs, session: &mut Session) -> anyhow::Result<Exit> {
    let path = &args.place.plan;
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("{} cannot be read", path.display()))?;
    let mut plan = Plan::parse(&text)
        .map_err(|error| Failure::cannot(format!("{}: {error}", path.display())))?;
    if let Some(parallel) = args.parallel {
        plan.parallel = parallel.max(1);
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let sheets = plan.games.iter().map(|game| sheet(game, folder, &args.read));
    let sheets = sheets.collect::<Result<Vec<_>, _>>()?;
    let database = args.place.database();
    let fail = |error: RunError| trouble(&error);
    let mut ledger = Ledger::open(&database).map_err(|error| fail(error.into()))?;
    ledger.lock().map_err(|error| fail(error.into()))?;
    tournament::prepare(&mut ledger, &plan, &sheets).map_err(fail)?;
    let screen = Screen::new(&plan);
    let summary = tournament::run(ledger, plan.parallel, &session.stop_flag(), &|progress| {
        screen.show(progress);
    });
    screen.clear();
    let summary = summary.map_err(fail)?;
    if let Some(folder) = &args.report {
        let ledger = Ledger::open(&database).map_err(|error| fail(error.into()))?;
        write_reports(&ledger, folder)?;
    }
    tell(&summary, args.json, session)
}

/// A rule sheet beside the plan, or one as everywhere else.
fn sheet(game: &str, folder: &Path, limits: &ReadLimits) -> Result<Sheet, Failure> {
    let beside = folder.join(game);
    let argument =
        if beside.is_file() { beside.to_string_lossy().into_owned() } else { game.to_owned() };
    let source = input::read(&argument, limits)?;
    Ok(Sheet::new(source.name, source.text))
}

/// The live table on a terminal; lines elsewhere.
struct Screen {
    bars: MultiProgress,
    bar: ProgressBar,
    rows: Vec<ProgressBar>,
    plain: bool,
}

/// The most players in the live table.
const SHOWN: usize = 16;

impl Screen {
    fn new(plan: &Plan) -> Self {
        let bars = MultiProgress::new();
        let line = |template: &str| {
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
        };
        let rows = (0..=plan.players.len().min(SHOWN))
            .map(|_| bars.add(ProgressBar::new(1).with_style(line("{msg}"))))
            .collect();
        let bar = bars.add(ProgressBar::new(0).with_style(line("{wide_bar} {pos}/{len} {msg}")));
        let plain = bars.is_hidden();
        Self { bars, bar, rows, plain }
    }

    fn show(&self, progress: &Progress) {
        if let Some(trouble) = &progress.trouble {
            exit::warn(&format!("a result cannot be written, trying again: {trouble}"));
        }
        let left = progress
            .left
            .map_or(String::new(), |left| format!("{} left", human_time(left.as_secs())));
        if self.plain {
            if let Some(last) = &progress.last {
                let goals: Vec<String> = last.goals.iter().map(ToString::to_string).collect();
                let result = if last.completed { goals.join(" : ") } else { "aborted".to_owned() };
                let (done, total, id) = (progress.done, progress.total, last.scheduled.id);
                exit::say(&format!("{done}/{total} match {id}: {result}  {left}"));
            }
            return;
        }
        self.bar.set_length(progress.total as u64);
        self.bar.set_position(progress.done as u64);
        self.bar.set_message(left);
        let lines = standings(&progress.summary);
        for (row, line) in self.rows.iter().zip(lines) {
            row.set_message(line);
        }
    }

    fn clear(&self) {
        let _ = self.bars.clear();
    }
}

fn human_time(seconds: u64) -> String {
    match seconds {
        0..=90 => format!("{seconds} s"),
        91..=5400 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{:.1} h", seconds as f64 / 3600.0),
    }
}

type Read = (Plan, Vec<Sheet>, Summary, Vec<tournament::Finished>);

fn read(ledger: &Ledger) -> Result<Read, Failure> {
    let all = || -> Result<Read, LedgerError> {
        let (plan, sheets, finished) = (ledger.plan()?, ledger.sheets()?, ledger.finished()?);
        let summary = Summary::new(&plan, &sheets, &finished);
        Ok((plan, sheets, summary, finished))
    };
    all().map_err(|error| trouble(&RunError::Ledger(error)))
}

fn write_reports(ledger: &Ledger, folder: &Path) -> anyhow::Result<()> {
    let (plan, sheets, summary, finished) = read(ledger)?;
    let failed = || format!("{} cannot be written", folder.display());
    std::fs::create_dir_all(folder).with_context(failed)?;
    let json = report::json(&plan, &sheets, &summary, &finished);
    for (name, text) in [
        ("matches.csv", report::matches_csv(&plan, &sheets, &finished)),
        ("standings.csv", report::standings_csv(&summary)),
        ("report.json", serde_json::to_string_pretty(&json)?),
        ("report.html", report::html(&plan, &summary, &finished)),
    ] {
        manager::write_atomically(&folder.join(name), text.as_bytes()).with_context(failed)?;
    }
    exit::say(&format!("reports are in {}", folder.display()));
    Ok(())
}

fn standings(summary: &Summary) -> Vec<String> {
    let heads = ["player", "matches", "mean", "Elo", "±", "faults"];
    let mut rows = vec![heads.map(str::to_owned).to_vec()];
    for row in &summary.standings {
        rows.push(vec![
            row.name.clone(),
            row.matches.to_string(),
            format!("{:.1}", row.mean),
            format!("{:+.0}", row.elo),
            format!("{:.0}", row.plus_minus),
            row.faults.to_string(),
        ]);
    }
    columns(&rows, &[1, 2, 3, 4, 5])
}

/// Points by class of games, with half of their 95% intervals.
fn classes(summary: &Summary) -> Vec<String> {
    let mut rows = vec![["points in", "games", "matches"].map(str::to_owned).to_vec()];
    rows[0].extend(summary.standings.iter().map(|row| row.name.clone()));
    for row in &summary.classes {
        let mut line = vec![row.name().to_owned(), row.games.to_string(), row.matches.to_string()];
        line.extend(row.points.iter().map(|points| match points.count {
            0 => "-".to_owned(),
            _ => format!("{:.1} ± {:.1}", points.mean, points.plus_minus),
        }));
        rows.push(line);
    }
    let right: Vec<usize> = (1..rows[0].len()).collect();
    columns(&rows, &right)
}

fn tell(summary: &Summary, json: bool, session: &mut Session) -> anyhow::Result<Exit> {
    if json {
        session.json(&serde_json::to_value(summary)?)?;
        return Ok(Exit::Fine);
    }
    let out = &mut session.out;
    let (matches, aborted) =
        (counted(summary.matches, "match").replace("matchs", "matches"), summary.aborted);
    writeln!(out, "{}: {matches} played, {aborted} without a result\n", summary.name)?;
    for line in standings(summary) {
        writeln!(out, "{line}")?;
    }
    let names = summary.standings.iter().map(|row| row.name.clone());
    writeln!(out)?;
    for line in classes(summary) {
        writeln!(out, "{line}")?;
    }
    let mut rows = vec![
        ["game", "matches", "steps"]
            .map(str::to_owned)
            .into_iter()
            .chain(names.clone())
            .collect::<Vec<_>>(),
    ];
    for game in &summary.games {
        let mut row =
            vec![game.name.clone(), game.matches.to_string(), format!("{:.1}", game.steps)];
        row.extend(
            game.means.iter().map(|mean| mean.map_or("-".to_owned(), |m| format!("{m:.0}"))),
        );
        rows.push(row);
    }
    writeln!(out)?;
    let right: Vec<usize> = (1..rows[0].len()).collect();
    for line in columns(&rows, &right) {
        writeln!(out, "{line}")?;
    }
    let mut rows =
        vec![std::iter::once("mean against".to_owned()).chain(names.clone()).collect::<Vec<_>>()];
    for name in names.clone() {
        let against = |opponent: String| {
            let found =
                summary.head_to_head.iter().find(|r| r.player == name && r.opponent == opponent);
            found.map_or("-".to_owned(), |row| format!("{:.0}", row.mean))
        };
        rows.push(std::iter::once(name.clone()).chain(names.clone().map(against)).collect());
    }
    writeln!(out)?;
    let right: Vec<usize> = (1..rows[0].len()).collect();
    for line in columns(&rows, &right) {
        writeln!(out, "{line}")?;
    }
    Ok(Exit::Fine)
}
