//! `fluxion replay`: a record checked against the rules, and shown.

use std::io::Write;
use std::path::PathBuf;

use clap::Args as ClapArgs;
use game::{Game, Machine as _};
use protocol::MatchRecord;
use protocol::verify::{Mismatch, Verified, verify};
use serde_json::json;

use crate::board::Board;
use crate::exit::{Exit, Failure};
use crate::input;
use crate::limits::{ReadLimits, ReasonLimits};
use crate::matches::{result, write_xml};
use crate::session::Session;
use crate::table::{self, counted};

/// `fluxion replay`.
#[derive(Debug, ClapArgs)]
#[command(after_long_help = "Examples:
  fluxion replay m.json                       check every state, move and result, and show the match
  fluxion replay m.json --quiet               only check
  fluxion replay foreign.json --game tictactoe    records of other programs do not hold the rules
  fluxion replay m.json --xml folder          export for older tools

Exit codes: 0 the record agrees with the rules, 1 it does not, 2 cannot be read, 3 gave up.")]
pub struct ReplayArgs {
    /// A record in the JSON of the ggp.org family; - for standard input
    #[arg(value_name = "RECORD")]
    pub record: String,
    /// The rule sheet or library game, where the record does not hold the rules
    #[arg(long, value_name = "GAME")]
    pub game: Option<String>,
    /// Show only the state after that many steps
    #[arg(long, value_name = "N")]
    pub step: Option<usize>,
    /// Write the XML of the Dresden controller into a folder
    #[arg(long, value_name = "DIR")]
    pub xml: Option<PathBuf>,
    /// Only check
    #[arg(long, short)]
    pub quiet: bool,
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

/// Checks and shows a record.
pub fn run(args: &ReplayArgs, session: &mut Session) -> anyhow::Result<Exit> {
    let text = input::read(&args.record, &args.read)?.text;
    let record = MatchRecord::parse(&text)
        .map_err(|error| Failure::cannot(format!("{} is no record: {error}", args.record)))?;
    let game = game(args, &record)?;
    let limits = session.limits(&args.reason);
    let mut machine = game.interpreter_with(limits);
    let verified = match verify(&mut machine, &record) {
        Ok(verified) => verified,
        Err(Mismatch::Reason(error)) => return Err(session.gave_up(&args.record, &error).into()),
        Err(mismatch) => return differ(args, &mismatch, session),
    };
    if args.json {
        session.json(&json!({
            "agrees": true,
            "matchId": record.match_id,
            "steps": verified.moves.len(),
            "isCompleted": record.is_completed,
            "goalValues": record.goal_values,
        }))?;
    } else {
        show(args, machine.game(), &record, &verified, session)?;
    }
    if let Some(folder) = &args.xml {
        write_xml(folder, &record)?;
    }
    Ok(Exit::Fine)
}

/// The game of a record: the one named, the rules inside, or a library game of that name.
fn game(args: &ReplayArgs, record: &MatchRecord) -> anyhow::Result<Game> {
    if let Some(argument) = &args.game {
        return Ok(input::load(argument, &args.read)?.1);
    }
    let Some(extra) = &record.fluxion else {
        let failure = Failure::cannot(format!("{} does not hold the rules", args.record));
        return Err(failure.hint("name the game with --game").into());
    };
    let (rules, _) = gdl::parse(&extra.rules, &args.read.gdl());
    let game = Game::new(rules);
    Ok(game.map_err(|error| Failure::cannot(format!("the rules of the record: {error}")))?)
}

fn differ(args: &ReplayArgs, mismatch: &Mismatch, session: &mut Session) -> anyhow::Result<Exit> {
    if args.json {
        let step = match mismatch {
            Mismatch::Record { step, .. } => Some(step),
            Mismatch::Reason(_) => None,
        };
        session.json(&json!({ "agrees": false, "step": step, "what": mismatch.to_string() }))?;
    } else {
        writeln!(session.out, "{} contradicts the rules: {mismatch}", args.record)?;
    }
    Ok(Exit::Found)
}

fn show(
    args: &ReplayArgs,
    game: &Game,
    record: &MatchRecord,
    verified: &Verified,
    session: &mut Session,
) -> anyhow::Result<()> {
    let mut board = None;
    let names = names(game, record);
    for (step, state) in verified.states.iter().enumerate() {
        if args.quiet || args.step.is_some_and(|wanted| wanted != step) {
            continue;
        }
        if let Some(joint) = step.checked_sub(1).and_then(|at| verified.moves.get(at)) {
            let moves = protocol::trace::move_items(game, &joint.0);
            let moves =
                game.role_ids().zip(moves).map(|(r, m)| format!("{} {m}", game.role_name(r)));
            writeln!(session.out, "\n{step}. {}", moves.collect::<Vec<_>>().join(", "))?;
        }
        for (name, error) in names.iter().zip(record.errors.get(step).into_iter().flatten()) {
            if !error.is_empty() {
                writeln!(session.out, "  fault of {name}: {error}")?;
            }
        }
        if board.is_none() {
            board = Board::recognise(game, state);
        }
        let lines = match &mut board {
            Some(board) => board.draw(game, state),
            None => table::fill(&protocol::trace::state_items(game, state), 90),
        };
        for line in lines {
            writeln!(session.out, "    {line}")?;
        }
    }
    writeln!(session.out, "\n{}", result(record, &names))?;
    let states = counted(verified.states.len(), "state");
    writeln!(session.out, "The record agrees with the rules ({states} compared).")?;
    Ok(())
}

/// The players, or the roles where their names are not known.
fn names(game: &Game, record: &MatchRecord) -> Vec<String> {
    if record.player_names_from_host.len() == game.roles().len() {
        return record.player_names_from_host.clone();
    }
    game.role_ids().map(|role| game.role_name(role)).collect()
}
