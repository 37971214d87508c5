//! `fluxion prove`: what holds in all states of a game, with proofs, and what does not, with the match that shows it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anstyle::{AnsiColor, Style};
use anyhow::Context;
use clap::{Args as ClapArgs, ValueEnum};
use game::{Budget, Deadline, Game, JointMove, Reasoner};
use prove::asp::program::{self, base_case, induction_step};
use prove::check::Checked;
use prove::sat::sense::is_contradiction;
use prove::{
    Certificate, Engine, Engines, Finding, Options, Property, Prover, Verdict, Vocabulary, language,
};
use serde_json::{Value, json};

use crate::args::Switch;
use crate::exit::{self, Exit, Failure};
use crate::input::{self, Source};
use crate::limits::{ReadLimits, ReasonLimits};
use crate::session::Session;
use crate::table::{columns, counted};
use crate::trace;
use crate::wellformed::joint_texts;

/// `fluxion prove`.
#[derive(Debug, ClapArgs)]
#[command(after_long_help = "\
Examples:
  fluxion prove tictactoe                        all that is worth knowing
  fluxion prove connect_four --property 'forall X,Y: exactly 1 Z: cell(X,Y,Z)'
  fluxion prove mygame.kif --trace why.jsonl     the matches that refute something
  fluxion prove checkers --emit-asp programs     the answer set programs, for clingo

A property is a formula over fluents and relations that do not depend on `does`: `not`, `and`, `or`,
`implies`, `iff`, `forall X,Y: …`, `exists X: …`, `exactly 1 X: …`, `at most 2 X: …`, `at least 1 X: …`,
`between 1 and 3 X: …`, `V + W = 100`, and `next(…)` for the state after a move. docs/proofs.md tells more.

Exit codes: 0 all that was asked for is proved (without --property: done), 1 something that was asked for
is refuted, 2 cannot be read, 3 something is not decided within the limits.")]
pub struct ProveArgs {
    /// A rule sheet or library game
    #[arg(value_name = "GAME")]
    pub game: String,
    /// A property to decide; may be given several times. Without any, all candidates are tried
    #[arg(long, short, value_name = "PROPERTY")]
    pub property: Vec<String>,
    /// Which engine proves
    #[arg(long, value_enum, default_value_t)]
    pub engine: EngineName,
    /// Prove properties that are symmetric to each other once (thesis §8.4)
    #[arg(long, value_enum, default_value_t = Switch::On, value_name = "WHETHER")]
    pub symmetry: Switch,
    /// Write the answer set programs into this folder, as stock clingo takes them
    #[arg(long, value_name = "DIR")]
    pub emit_asp: Option<PathBuf>,
    /// Write the matches that refute something as a trace (compressed if it ends in .gz)
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// States of random play that are looked at for refutations
    #[arg(long, default_value_t = 20_000, value_name = "N")]
    pub states: u64,
    /// The seed of random play
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    pub seed: u64,
    /// The most memory for ground rules and for one program, in megabytes
    #[arg(long, default_value_t = 1024, value_name = "MB")]
    pub max_memory: usize,
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

/// The engines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum EngineName {
    /// Answer set programming, as in the thesis
    Asp,
    /// SAT on the circuit
    Sat,
    /// SAT first, then answer set programming for what is left
    #[default]
    Both,
}

impl EngineName {
    /// The same for the library.
    pub fn engines(self) -> Engines {
        match self {
            Self::Asp => Engines::Asp,
            Self::Sat => Engines::Sat,
            Self::Both => Engines::Both,
        }
    }
}

/// Decides and reports.
pub fn run(args: &ProveArgs, session: &mut Session) -> anyhow::Result<Exit> {
    let start = Instant::now();
    let (source, game) = input::load(&args.game, &args.read)?;
    let options = options(args, session);
    let prover = prepared(args, &game, &options)?;
    let asked = !args.property.is_empty();
    let bar = Session::progress(prover.properties().len(), "proving");
    let mut prover = prover;
    if args.symmetry == Switch::On {
        use_symmetries(&mut prover, &options.deadline);
    }
    prover.run(&options, &mut |_, verdict| {
        if verdict.is_decided() {
            bar.inc(1);
        }
    });
    bar.finish_and_clear();
    // Proofs are checked within the time they took, and a little more.
    let most = Duration::from_secs(5).max(start.elapsed());
    prover.recheck(&options.deadline.not_after(Instant::now() + most));
    if let Some(folder) = &args.emit_asp {
        let written = emit(folder, &prover)?;
        exit::say(&format!("{} written to {}", counted(written, "program"), folder.display()));
    }
    if asked {
        warn_of_contradictions(&prover, &options.deadline);
    }
    let findings = prover.findings();
    if let Some(path) = &args.trace {
        write_traces(path, &source, &game, &findings)?;
    }
    let seconds = start.elapsed().as_secs_f64();
    if args.json {
        session.json(&report(&source, &game, &findings, seconds))?;
    } else {
        tell(&game, &findings, asked, seconds, session)?;
    }
    Ok(exit_of(asked, &findings))
}

fn options(args: &ProveArgs, session: &Session) -> Options {
    let limits = session.limits(&args.reason);
    let mut deadline = Deadline::within(Duration::from_secs_f64(args.reason.timeout));
    if let Some(flag) = limits.cancel {
        deadline = deadline.or_when(flag);
    }
    Options {
        deadline,
        max_bytes: args.max_memory << 20,
        engines: args.engine.engines(),
        states: args.states,
        seed: args.seed,
    }
}

/// The properties that were asked for, or all candidates.
fn prepared(args: &ProveArgs, game: &Game, options: &Options) -> anyhow::Result<Prover> {
    if args.property.is_empty() {
        let budget = Budget {
            deadline: options.deadline.instant(),
            max_bytes: options.max_bytes,
            cancel: options.deadline.flag(),
        };
        let reasoner = Reasoner::build(game, &budget);
        let candidates = Prover::candidates(&reasoner, &options.deadline);
        return Ok(Prover::on(&reasoner, candidates, &options.deadline));
    }
    let vocabulary = Vocabulary::new(game);
    let mut properties = Vec::new();
    for text in &args.property {
        properties
            .push(language::parse(text, &vocabulary).map_err(|problem| wrong(text, &problem))?);
    }
    Ok(Prover::new(game, properties, options)?)
}

/// The part of the time for finding symmetries, and the most of it.
const FOR_SYMMETRIES: u32 = 10;
const MOST_FOR_SYMMETRIES: Duration = Duration::from_secs(10);

/// Lets symmetric properties be proved once. One property alone has no other.
fn use_symmetries(prover: &mut Prover, deadline: &Deadline) {
    let Some(gates) = prover.gates().filter(|_| prover.properties().len() > 1) else { return };
    let left = deadline.left().map_or(MOST_FOR_SYMMETRIES, |left| left / FOR_SYMMETRIES);
    let soon = deadline.not_after(Instant::now() + left.min(MOST_FOR_SYMMETRIES));
    let found = player::automorphisms(&prover.game, gates, &soon);
    prover.use_symmetries(found);
}

/// What is wrong with a property, with a caret under the place.
fn wrong(text: &str, problem: &language::Problem) -> Failure {
    let start = text[..problem.span.start].chars().count();
    let length = text[problem.span.clone()].chars().count().max(1);
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let caret = format!("{}{}", " ".repeat(start), "^".repeat(length));
    let failure = Failure::cannot(format!("{}\n  {line}\n  {caret}", problem.message));
    match &problem.hint {
        Some(hint) => failure.hint(hint.clone()),
        None => failure,
    }
}

/// Tells which properties fail because nothing whatever fulfils them.
fn warn_of_contradictions(prover: &Prover, deadline: &Deadline) {
    let Some(gates) = prover.gates() else { return };
    let asked = prover.properties().iter().zip(prover.ground()).zip(prover.verdicts());
    for ((property, ground), verdict) in asked {
        if let (Ok(ground), true) = (ground, verdict.is_refuted())
            && is_contradiction(gates, ground, deadline)
        {
            let text = property.to_text(&prover.game.program().symbols);
            exit::warn(&format!("no state can fulfil `{text}`"));
        }
    }
}

fn exit_of(asked: bool, findings: &[Finding]) -> Exit {
    let any = |test: fn(&Verdict) -> bool| findings.iter().any(|f| test(&f.verdict));
    if asked && any(Verdict::is_refuted) {
        Exit::Found
    } else if asked && any(|verdict| !verdict.is_decided()) {
        Exit::GaveUp
    } else {
        Exit::Fine
    }
}

/// Writes the programs of all properties; how many.
fn emit(folder: &Path, prover: &Prover) -> anyhow::Result<usize> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("{} cannot be made", folder.display()))?;
    let mut written = 0;
    for (at, (property, verdict)) in prover.properties().iter().zip(prover.verdicts()).enumerate() {
        let text = property.to_text(&prover.game.program().symbols);
        for (name, program) in programs(prover, property, verdict) {
            let path = folder.join(format!("{:03}-{name}.lp", at + 1));
            let content = format!("% {text}\n% {}\n{program}", verdict.word());
            std::fs::write(&path, content)
                .with_context(|| format!("{} cannot be written", path.display()))?;
            written += 1;
        }
    }
    Ok(written)
}

/// The programs that proved a property, or those that would.
fn programs(
    prover: &Prover,
    property: &Property,
    verdict: &Verdict,
) -> Vec<(&'static str, String)> {
    if let Verdict::Proved { certificate: Some(Certificate::Programs { base, step }), .. } = verdict
    {
        let pair = [("base", base.clone()), ("step", step.clone())];
        return pair.into_iter().filter(|(_, text)| !text.is_empty()).collect();
    }
    let proved: Vec<&Property> = prover
        .properties()
        .iter()
        .zip(prover.verdicts())
        .filter(|(other, verdict)| verdict.is_proved() && *other != property)
        .map(|(other, _)| other)
        .collect();
    let vocabulary = &prover.vocabulary;
    let mut found = Vec::new();
    if let (false, Ok(base)) = (property.is_about_moves(), base_case(vocabulary, property)) {
        found.push(("base", base.text));
    }
    let not_terminal = property.is_about_moves();
    let style = program::Style { instances: None, not_terminal };
    if let Ok((step, _)) = induction_step(vocabulary, property, &proved, style) {
        found.push(("step", step.text));
    }
    found
}

/// Writes the refuting matches as one trace.
fn write_traces(
    path: &Path,
    source: &Source,
    game: &Game,
    findings: &[Finding],
) -> anyhow::Result<()> {
    let lines: Vec<Vec<JointMove>> = findings
        .iter()
        .filter_map(|finding| match &finding.verdict {
            Verdict::Refuted { trace, .. } => Some(trace.clone()),
            _ => None,
        })
        .collect();
    let recorded = trace::of_lines(source, game, &lines)?;
    trace::write_all(path, &[recorded])
}

/// One verdict for programs.
pub fn finding_json(game: &Game, findings: &[Finding], finding: &Finding) -> Value {
    let mut value = json!({
        "property": finding.text,
        "kind": finding.property.kind.name(),
        "verdict": finding.verdict.word(),
        "seconds": finding.verdict.seconds(),
    });
    match &finding.verdict {
        Verdict::Proved { engine, k, hypotheses, .. } => {
            let used: Vec<&str> =
                hypotheses.iter().filter_map(|at| Some(findings.get(*at)?.text.as_str())).collect();
            value["engine"] = json!(engine.to_string());
            value["k"] = json!(k);
            value["hypotheses"] = json!(used);
            value["checked"] = json!(finding.checked == Checked::Confirmed);
        }
        Verdict::Refuted { engine, trace, .. } => {
            value["engine"] = json!(engine.to_string());
            value["moves"] = json!(joint_texts(game, trace));
        }
        Verdict::Unknown { reason, .. } => value["reason"] = json!(reason.to_string()),
    }
    value
}

fn report(source: &Source, game: &Game, findings: &[Finding], seconds: f64) -> Value {
    let properties: Vec<Value> =
        findings.iter().map(|finding| finding_json(game, findings, finding)).collect();
    let symmetric = findings.iter().filter(|finding| is_by_symmetry(&finding.verdict)).count();
    json!({
        "game": source.name,
        "properties": properties,
        "by_symmetry": symmetric,
        "seconds": seconds,
    })
}

/// Whether a verdict was handed on by a symmetry.
fn is_by_symmetry(verdict: &Verdict) -> bool {
    matches!(
        verdict,
        Verdict::Proved { engine: Engine::Symmetry, .. }
            | Verdict::Refuted { engine: Engine::Symmetry, .. }
    )
}

/// The longest text of a property in the table.
const WIDEST: usize = 100;
/// The most joint moves of a refutation that are listed.
const LISTED: usize = 30;

fn tell(
    game: &Game,
    findings: &[Finding],
    asked: bool,
    seconds: f64,
    session: &mut Session,
) -> anyhow::Result<()> {
    let rows: Vec<Vec<String>> = findings.iter().map(row).collect();
    for (line, finding) in columns(&rows, &[2]).into_iter().zip(findings) {
        let style = style_of(&finding.verdict);
        writeln!(session.out, "{style}{line}{style:#}")?;
        if let (true, Verdict::Refuted { trace, .. }) = (asked, &finding.verdict) {
            for joint in joint_texts(game, trace).iter().take(LISTED) {
                writeln!(session.out, "    {}", joint.join("  "))?;
            }
            if trace.len() > LISTED {
                writeln!(session.out, "    … {} more (--trace)", trace.len() - LISTED)?;
            }
        }
    }
    let count = |test: fn(&Verdict) -> bool| findings.iter().filter(|f| test(&f.verdict)).count();
    let (proved, refuted) = (count(Verdict::is_proved), count(Verdict::is_refuted));
    let open = findings.len() - proved - refuted;
    let symmetric = count(is_by_symmetry);
    let symmetric =
        if symmetric > 0 { format!(" ({symmetric} by symmetry)") } else { String::new() };
    writeln!(
        session.out,
        "{proved} proved, {refuted} refuted, {open} unknown{symmetric} in {seconds:.1} s"
    )?;
    Ok(())
}

/// Verdict, how, seconds, sort, property.
fn row(finding: &Finding) -> Vec<String> {
    let how = match &finding.verdict {
        Verdict::Proved { engine, k, hypotheses, .. } => {
            let mut how = vec![engine.to_string()];
            if *k > 1 {
                how.push(format!("k = {k}"));
            }
            if let (Engine::Symmetry, Some(other)) = (engine, hypotheses.first()) {
                how.push(format!("as line {}", other + 1));
            } else if !hypotheses.is_empty() {
                how.push(counted_hypotheses(hypotheses.len()));
            }
            if finding.checked == Checked::Confirmed {
                how.push("checked".to_owned());
            }
            how.join(", ")
        }
        Verdict::Refuted { engine, trace, .. } => {
            format!("{engine}, {}", counted(trace.len(), "move"))
        }
        Verdict::Unknown { reason, .. } => reason.to_string(),
    };
    let mut text: String = finding.text.chars().take(WIDEST).collect();
    if finding.text.chars().count() > WIDEST {
        text.push('…');
    }
    let seconds = format!("{:.2} s", finding.verdict.seconds());
    let kind = finding.property.kind.name().to_owned();
    vec![finding.verdict.word().to_owned(), how, seconds, kind, text]
}

fn counted_hypotheses(number: usize) -> String {
    if number == 1 { "1 hypothesis".to_owned() } else { format!("{number} hypotheses") }
}

fn style_of(verdict: &Verdict) -> Style {
    match verdict {
        Verdict::Proved { .. } => AnsiColor::Green.on_default(),
        Verdict::Refuted { .. } => AnsiColor::Red.on_default(),
        Verdict::Unknown { .. } => AnsiColor::Yellow.on_default(),
    }
}
