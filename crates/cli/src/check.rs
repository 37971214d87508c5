//! `fluxion check`: all that is wrong with rule sheets, and with `--play`, what random play refutes.

use std::io::Write;

use anstyle::{AnsiColor, Style};
use game::Game;
use gdl::Diagnostic;
use gdl::validate::Checked;
use serde_json::{Value, json};

use crate::args::{CheckArgs, Format};
use crate::exit::{self, Exit};
use crate::input::{self, Source};
use crate::machines;
use crate::render::Sheet;
use crate::session::Session;
use crate::simulate::seed_of;
use crate::table::{columns, counted};
use crate::trace;
use crate::wellformed::{Findings, Property, Refutation, joint_texts};

/// The most steps of a refuting playout that are listed.
const LISTED_STEPS: usize = 30;

/// Checks every file; the worst one decides the exit code.
pub fn run(args: &CheckArgs, session: &mut Session) -> anyhow::Result<Exit> {
    let as_json = args.json || args.format == Format::Json;
    let mut reports = Vec::new();
    let mut worst = Exit::Fine;
    let mut refuting = Vec::new();
    for argument in &args.games {
        if session.stopped() {
            break;
        }
        let (exit, report) = match input::read(argument, &args.read) {
            Ok(source) => check(args, &source, as_json, session, &mut refuting)?,
            Err(failure) => {
                let message = failure.to_string();
                exit::tell(&failure.into());
                (Exit::Cannot, json!({"file": argument, "status": "unreadable", "error": message}))
            }
        };
        worst = input::worse(worst, exit);
        reports.push(report);
    }
    if let Some(path) = &args.trace {
        trace::write_all(path, &refuting)?;
    }
    if as_json {
        session.json(&json!({ "files": reports, "sound": worst == Exit::Fine }))?;
    } else if args.games.len() > 1 {
        let bad = reports.iter().filter(|report| report["status"] != "sound").count();
        writeln!(session.out, "{} checked, {bad} not sound", counted(reports.len(), "file"))?;
    }
    Ok(worst)
}

fn check(
    args: &CheckArgs,
    source: &Source,
    as_json: bool,
    session: &mut Session,
    refuting: &mut Vec<protocol::trace::Trace>,
) -> anyhow::Result<(Exit, Value)> {
    let limits = session.limits(&args.reason);
    let checked = gdl::validate::check(&source.text, &args.read.gdl());
    let sheet = Sheet::new(&source.label, &source.text);
    let exit = verdict(&checked).1;
    let mut report = summary(&sheet, &checked);
    if as_json {
        report["findings"] = checked.diagnostics.iter().map(|d| finding(&sheet, d)).collect();
    } else {
        show(args, &sheet, &checked, session)?;
    }
    if exit == Exit::Cannot || args.play.is_none() && !args.prove {
        return Ok((exit, report));
    }
    let game = match input::make(checked.rules, &sheet) {
        Ok(game) => game,
        Err(failure) => {
            report["play"] = json!({ "error": failure.to_string() });
            let error = failure.into();
            exit::tell(&error);
            return Ok((or_else(exit, exit::exit_of(&error)), report));
        }
    };
    if args.prove {
        report["prove"] = crate::check_proofs::prove(&game, args, as_json, session)?;
    }
    let Some(playouts) = args.play else { return Ok((exit, report)) };
    let findings = explore(&game, args, playouts, limits, session);
    report["play"] = findings.json(&game);
    if !as_json {
        tell(&game, args, &findings, session)?;
    }
    if args.trace.is_some() {
        let limits = session.limits(&args.reason);
        refuting.extend(trace::of_refutations(source, &game, &findings, limits)?);
    }
    Ok((or_else(exit, play_exit(args, &findings)), report))
}

/// Unsound rules stay the verdict, whatever play says.
fn or_else(verdict: Exit, play: Exit) -> Exit {
    if verdict == Exit::Fine { play } else { verdict }
}

fn verdict(checked: &Checked) -> (&'static str, Exit) {
    if !checked.is_readable() {
        ("unreadable", Exit::Cannot)
    } else if checked.is_sound() {
        ("sound", Exit::Fine)
    } else {
        ("unsound", Exit::Found)
    }
}

fn play_exit(args: &CheckArgs, findings: &Findings) -> Exit {
    let grave = [Property::Playability, Property::OutcomeDefinedness];
    if args.strict && grave.iter().any(|property| findings.refutation(*property).is_some()) {
        Exit::Found
    } else if findings.stopped.is_some() && findings.playouts == 0 {
        Exit::GaveUp
    } else {
        Exit::Fine
    }
}

fn summary(sheet: &Sheet<'_>, checked: &Checked) -> Value {
    let errors = checked.diagnostics.iter().filter(|d| d.is_error()).count();
    json!({
        "file": sheet.label,
        "status": verdict(checked).0,
        "errors": errors,
        "warnings": checked.diagnostics.len() - errors,
    })
}

/// A finding for programs. Lines and columns count from 1, bytes from 0.
fn finding(sheet: &Sheet<'_>, found: &Diagnostic) -> Value {
    let place = |span: gdl::Span| {
        let (begin, end) = (sheet.begin(span), sheet.end(span));
        json!({
            "line": begin.line, "column": begin.column,
            "end_line": end.line, "end_column": end.column,
            "start_byte": span.start, "end_byte": span.end,
        })
    };
    let related: Vec<Value> = found
        .related
        .iter()
        .map(|other| json!({"message": other.message, "place": place(other.span)}))
        .collect();
    json!({
        "code": found.code,
        "severity": found.severity.name(),
        "message": found.message,
        "why": found.why,
        "hint": found.hint,
        "place": place(found.span),
        "related": related,
    })
}

fn show(
    args: &CheckArgs,
    sheet: &Sheet<'_>,
    checked: &Checked,
    session: &mut Session,
) -> anyhow::Result<()> {
    let out = &mut session.out;
    let most = if args.max_findings == 0 { usize::MAX } else { args.max_findings };
    for finding in checked.diagnostics.iter().take(most) {
        writeln!(out, "{}\n", sheet.diagnostic(finding))?;
    }
    let hidden = checked.diagnostics.len().saturating_sub(most);
    if hidden > 0 {
        writeln!(out, "… and {} (--max-findings 0 shows all)\n", counted(hidden, "more finding"))?;
    }
    let errors = checked.diagnostics.iter().filter(|d| d.is_error()).count();
    let warnings = checked.diagnostics.len() - errors;
    let (word, color) = match verdict(checked).1 {
        Exit::Fine => ("sound", AnsiColor::Green),
        Exit::Found => ("not sound", AnsiColor::Red),
        _ => ("cannot be read", AnsiColor::Red),
    };
    let style = Style::new().bold().fg_color(Some(color.into()));
    let (errors, warnings) = (counted(errors, "error"), counted(warnings, "warning"));
    writeln!(out, "{}: {style}{word}{style:#} ({errors}, {warnings})", sheet.label)?;
    Ok(())
}

fn explore(
    game: &Game,
    args: &CheckArgs,
    playouts: usize,
    limits: game::Limits,
    session: &Session,
) -> Findings {
    let mut findings = Findings::new(game.roles().len());
    let mut machine = machines::make(machines::DEFAULT, game, limits);
    let bar = Session::progress(playouts, "playing");
    let result = machine.initial().and_then(|initial| {
        for number in 0..playouts {
            let seed = seed_of(args.seed, number);
            findings.explore(&mut *machine, &initial, seed, args.cap)?;
            bar.inc(1);
        }
        Ok(())
    });
    bar.finish_and_clear();
    if let Err(error) = result {
        let seed = seed_of(args.seed, findings.playouts);
        let why = session.why(&error);
        findings.stopped = Some(format!("in the playout with seed {seed}, {why}"));
    }
    findings
}

fn tell(
    game: &Game,
    args: &CheckArgs,
    findings: &Findings,
    session: &mut Session,
) -> anyhow::Result<()> {
    let out = &mut session.out;
    let seeds = format!("seed {}, at most {} steps each", args.seed, args.cap);
    writeln!(out, "{} ({seeds})", counted(findings.playouts, "random playout"))?;
    if let Some(why) = &findings.stopped {
        writeln!(out, "stopped early: {why}")?;
    }
    let unrefuted = format!("not refuted in {}", counted(findings.playouts, "playout"));
    let red = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
    let mut rows = Vec::new();
    for property in Property::ALL {
        let verdict = match findings.refutation(property) {
            Some(found) => format!("{red}refuted{red:#}: {}", found.detail),
            None => unrefuted.clone(),
        };
        let definition = format!("Def. {}", property.definition());
        rows.push(vec![format!("  {}", property.name()), definition, verdict]);
    }
    rows.insert(3, winnable(game, findings, &unrefuted));
    for line in columns(&rows, &[]) {
        writeln!(out, "{line}")?;
    }
    if findings.capped > 0 && findings.refutation(Property::Termination).is_none() {
        let capped = counted(findings.capped, "playout");
        writeln!(out, "  {capped} reached the cap, which is only a hint that play may be endless")?;
    }
    for refutation in &findings.refutations {
        list(game, refutation, session)?;
    }
    Ok(())
}

/// Winnability (Def. 2.11) cannot be refuted by playouts; the best results found are told instead.
fn winnable(game: &Game, findings: &Findings, unrefuted: &str) -> Vec<String> {
    let best: Vec<String> = game
        .role_ids()
        .zip(&findings.best)
        .map(|(role, best)| match best {
            Some(best) => format!("{} {}", game.role_name(role), best.goal),
            None => format!("{} none", game.role_name(role)),
        })
        .collect();
    let verdict = format!("{unrefuted}; best results: {}", best.join(", "));
    vec!["  winnability".to_owned(), "Def. 2.11".to_owned(), verdict]
}

/// The moves of a refutation, role by role.
fn list(game: &Game, refutation: &Refutation, session: &mut Session) -> anyhow::Result<()> {
    let out = &mut session.out;
    let name = refutation.property.name();
    writeln!(
        out,
        "\n{name} is refuted by the playout of `fluxion trace --seed {}`:",
        refutation.seed
    )?;
    let steps = joint_texts(game, &refutation.moves);
    let hidden = steps.len().saturating_sub(LISTED_STEPS);
    if hidden > 0 {
        writeln!(out, "  … {} before (--trace FILE writes all)", counted(hidden, "step"))?;
    }
    let mut header = vec![String::new()];
    header.extend(game.role_ids().map(|role| game.role_name(role)));
    let mut rows = vec![header];
    for (number, moves) in steps.into_iter().enumerate().skip(hidden) {
        let mut row = vec![format!("{}", number + 1)];
        row.extend(moves);
        rows.push(row);
    }
    if rows.len() == 1 {
        writeln!(out, "  in the initial state, {}", refutation.detail)?;
        return Ok(());
    }
    for line in columns(&rows, &[0]) {
        writeln!(out, "  {line}")?;
    }
    writeln!(out, "  then {}", refutation.detail)?;
    Ok(())
}
