//! `fluxion analyze`: what was found out about a game, as text, JSON or a page for a browser.
//!
//! Each part of the report is a [`Section`] made by a file of its own; the frame here runs the analyses, measures
//! them, and puts the sections together. A new analysis adds a file with a function that takes the [`Findings`] and
//! gives its section, and a line in [`sections`].

mod boards;
mod distances;
mod domains;
mod evaluation;
mod orders;
mod overview;
mod page;
mod parts;
mod times;
mod turns;

use std::io::Write;
use std::time::{Duration, Instant};

use anstyle::Style;
use cpu_time::ThreadTime;
use game::{Budget, Deadline, Game, Machine as _, Reasoner, State};
use serde_json::{Map, Value, json};
use structure::{NoProver, Settings, Structures};

use crate::args::AnalyzeArgs;
use crate::exit::{self, Exit, Failure};
use crate::input::{self, Source};
use crate::session::Session;

/// One part of the report.
pub struct Section {
    /// Its key in the JSON report and its anchor on the page.
    pub key: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// Its lines in the terminal.
    pub lines: Vec<String>,
    /// For programs.
    pub json: Value,
    /// The inside of its part of the page.
    pub html: String,
}

/// What the sections are made of.
pub struct Findings<'a> {
    /// The rule sheet.
    pub source: &'a Source,
    /// The game.
    pub game: &'a Game,
    /// The machines, with the ground program where there is one.
    pub reasoner: &'a Reasoner,
    /// Boards, quantities and the rest of thesis §5.2.
    pub structures: &'a Structures,
    /// The initial state.
    pub initial: &'a State,
    /// CPU seconds of each stage.
    pub seconds: Vec<(&'static str, f64)>,
}

/// The share of the time for making the rules ground.
const SHARE_OF_GROUNDING: f64 = 0.5;

/// Analyses a game.
pub fn run(args: &AnalyzeArgs, session: &mut Session) -> anyhow::Result<Exit> {
    let limits = session.limits(&args.reason);
    let (source, game) = input::load(&args.game, &args.read)?;
    let mut machine = game.interpreter_with(limits.clone());
    let initial = machine.initial().map_err(|error| session.gave_up(&source.label, &error))?;
    drop(machine);
    let mut deadline = Deadline::within(Duration::from_secs_f64(args.reason.timeout));
    if let Some(flag) = limits.cancel.clone() {
        deadline = deadline.or_when(flag);
    }
    let clock = ThreadTime::now();
    let reasoner = Reasoner::build(&game, &budget(args, &deadline));
    let ground = clock.elapsed().as_secs_f64();
    let settings = Settings {
        affirmations: args.affirmations,
        most_states: args.states,
        seed: args.seed,
        ..Settings::default()
    };
    let clock = ThreadTime::now();
    let structures = Structures::find(&reasoner, &settings, &deadline, &mut NoProver);
    let seconds = vec![("ground", ground), ("structures", clock.elapsed().as_secs_f64())];
    let findings = Findings {
        source: &source,
        game: &game,
        reasoner: &reasoner,
        structures: &structures,
        initial: &initial,
        seconds,
    };
    report(args, session, &findings)
}

fn budget(args: &AnalyzeArgs, deadline: &Deadline) -> Budget {
    let time = Duration::from_secs_f64(args.reason.timeout * SHARE_OF_GROUNDING);
    Budget {
        deadline: Some(Instant::now() + time),
        max_bytes: args.max_memory << 20,
        cancel: deadline.flag(),
    }
}

/// All sections, in the order of the report.
fn sections(findings: &Findings<'_>) -> Vec<Section> {
    let make: [fn(&Findings<'_>) -> Section; 8] = [
        overview::section,
        boards::section,
        turns::section,
        parts::section,
        evaluation::section,
        distances::section,
        orders::section,
        domains::section,
    ];
    let mut seconds = Vec::new();
    let mut sections = Vec::new();
    for one in make {
        let clock = ThreadTime::now();
        let section = one(findings);
        // What only shows what was found before is not worth a line.
        if ["parts", "evaluation", "distances"].contains(&section.key) {
            seconds.push((section.key, clock.elapsed().as_secs_f64()));
        }
        sections.push(section);
    }
    sections.push(times::section(findings, &seconds));
    sections
}

fn report(
    args: &AnalyzeArgs,
    session: &mut Session,
    findings: &Findings<'_>,
) -> anyhow::Result<Exit> {
    let sections = sections(findings);
    if let Some(path) = &args.html {
        let title = library::about(&findings.source.text).title;
        let title = if title.is_empty() { &findings.source.name } else { &title };
        let page = page::page(title, &sections);
        std::fs::write(path, page).map_err(|error| {
            Failure::cannot(format!("{} cannot be written: {error}", path.display()))
        })?;
    }
    if args.json {
        let mut all = Map::new();
        all.insert("game".to_owned(), json!(findings.source.label));
        for section in sections {
            all.insert(section.key.to_owned(), section.json);
        }
        session.json(&Value::Object(all))?;
        return Ok(Exit::Fine);
    }
    if let Some(path) = &args.html {
        exit::say(&format!("wrote {}", path.display()));
        return Ok(Exit::Fine);
    }
    let bold = Style::new().bold();
    for section in &sections {
        writeln!(session.out, "{bold}{}{bold:#}", section.title)?;
        for line in &section.lines {
            writeln!(session.out, "  {line}")?;
        }
        writeln!(session.out)?;
    }
    Ok(Exit::Fine)
}
