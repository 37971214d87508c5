//! `fluxion conform`: a trace replayed against the rules, and the first difference with the rules
//! that concern it.

use std::io::Write;

use anstyle::{AnsiColor, Style};
use game::Game;
use protocol::conform::{Agreement, Difference, Stopped, conform};
use serde_json::{Value, json};

use crate::args::ConformArgs;
use crate::corpus;
use crate::exit::{Exit, Failure};
use crate::input::{self, Source};
use crate::machines;
use crate::render::Sheet;
use crate::session::Session;
use crate::table::counted;
use crate::trace;

/// The most rules shown for a difference.
const SHOWN_RULES: usize = 12;
/// The most fluents or moves shown of a difference.
const SHOWN_ITEMS: usize = 20;

/// Replays one trace or a folder of them.
pub fn run(args: &ConformArgs, session: &mut Session) -> anyhow::Result<Exit> {
    if let Some(folder) = &args.corpus {
        return corpus::run(args, folder, session);
    }
    // The argument parser requires both where there is no folder.
    let (Some(argument), Some(trace)) = (&args.game, &args.trace) else {
        return Err(Failure::cannot("a game and a trace are needed").into());
    };
    if argument == "-" && trace == "-" {
        return Err(Failure::cannot("only one of GAME and TRACE can be standard input").into());
    }
    let limits = session.limits(&args.reason);
    let (source, game) = input::load_what_is_readable(argument, &args.read)?;
    let trace = trace::read(trace)?;
    let mut machine = machines::make(&args.machine.machine, &game, limits);
    match conform(&mut *machine, &trace) {
        Ok(agreement) => agree(args, agreement, session),
        Err(Stopped::Difference(difference)) => differ(args, &source, &game, &difference, session),
        Err(Stopped::Reason(error)) => Err(session.gave_up(&source.label, &error).into()),
    }
}

fn agree(args: &ConformArgs, agreement: Agreement, session: &mut Session) -> anyhow::Result<Exit> {
    let Agreement { playouts, steps } = agreement;
    if args.json {
        session.json(&json!({ "conforms": true, "playouts": playouts, "steps": steps }))?;
    } else {
        let (playouts, steps) = (counted(playouts, "playout"), counted(steps, "step"));
        writeln!(session.out, "conforms: {playouts}, {steps}")?;
    }
    Ok(Exit::Fine)
}

fn differ(
    args: &ConformArgs,
    source: &Source,
    game: &Game,
    difference: &Difference,
    session: &mut Session,
) -> anyhow::Result<Exit> {
    if args.json {
        session.json(&report(source, game, difference))?;
        return Ok(Exit::Found);
    }
    let red = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
    let mut short = difference.clone();
    let hidden = truncate(&mut short.missing) + truncate(&mut short.extra);
    writeln!(session.out, "{red}differs{red:#}: {short}")?;
    if hidden > 0 {
        writeln!(session.out, "  … and {hidden} more (--json lists all)")?;
    }
    let sheet = Sheet::new(&source.label, &source.text);
    let clauses = &game.rules().clauses;
    let concerned = difference.clauses.iter().filter_map(|index| clauses.get(*index));
    for clause in concerned.take(SHOWN_RULES) {
        writeln!(session.out, "\n{}", sheet.note("a rule that concerns it", clause.span))?;
    }
    let more = difference.clauses.len().saturating_sub(SHOWN_RULES);
    if more > 0 {
        writeln!(session.out, "\n… and {} (--json lists all)", counted(more, "more rule"))?;
    }
    Ok(Exit::Found)
}

fn truncate(items: &mut Vec<String>) -> usize {
    let hidden = items.len().saturating_sub(SHOWN_ITEMS);
    items.truncate(SHOWN_ITEMS);
    hidden
}

fn report(source: &Source, game: &Game, difference: &Difference) -> Value {
    let sheet = Sheet::new(&source.label, &source.text);
    let rules: Vec<Value> = difference
        .clauses
        .iter()
        .filter_map(|index| game.rules().clauses.get(*index))
        .map(|clause| {
            let text = gdl::print::clause(game.rules(), clause, game.rules().syntax);
            json!({ "line": sheet.begin(clause.span).line, "text": text })
        })
        .collect();
    json!({
        "conforms": false,
        "playout": difference.place.map(|(playout, _)| playout),
        "step": difference.place.map(|(_, step)| step),
        "what": difference.what,
        "missing": difference.missing,
        "extra": difference.extra,
        "detail": difference.detail,
        "rules": rules,
    })
}
