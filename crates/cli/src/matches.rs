//! `fluxion match`: one match between players of any kind.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use anyhow::Context;
use clap::Args as ClapArgs;
use game::Game;
use manager::{Clocks, Event, Kind, Match, Observer, Seat, Setup, Spec, Store, Stream};
use protocol::MatchRecord;

use crate::board::Board;
use crate::exit::{self, Exit, Failure};
use crate::human::Human;
use crate::input;
use crate::knowledge;
use crate::limits::{ReadLimits, seconds};
use crate::serve;
use crate::session::Session;
use crate::table;

/// `fluxion match`.
#[derive(Debug, ClapArgs)]
#[command(after_long_help = format!("Examples:
  fluxion match tictactoe --player uct --player random
  fluxion match connect_four --player human --player uct
  fluxion match chess --player me=http://localhost:9147 --player random --play-clock 5 --record m.json
  fluxion match mygame.kif --player random --player legal --watch - --quiet | jq .moves

PLAYER is [NAME=]SPEC; SPEC is a URL, `human`, or a strategy:
{}

Seats without a player get `{}`. Where people play, a strategy thinks 5 seconds about a move (--think).
Exit codes: 0 played, 1 aborted, 2 cannot be played or recorded.",
    serve::strategies(), serve::default_strategy()))]
pub struct MatchArgs {
    /// A rule sheet or library game
    #[arg(value_name = "GAME")]
    pub game: String,
    /// A player, once for each role in their order
    #[arg(long = "player", short, value_name = "PLAYER")]
    pub players: Vec<String>,
    /// Seconds before the first move
    #[arg(long, default_value_t = 10.0, value_name = "SECONDS", value_parser = seconds)]
    pub start_clock: f64,
    /// Seconds for each move; 10, or an hour where people play (2 minutes if against a URL)
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub play_clock: Option<f64>,
    /// The longest that strategies think about a move, in seconds; 5 where people play without a play clock
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub think: Option<f64>,
    /// Seconds to look at the rules beforehand
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub preview_clock: Option<f64>,
    /// The name of the match; made up if not given
    #[arg(long, value_name = "ID", value_parser = symbol)]
    pub id: Option<String>,
    /// Keep the record in a file, complete after every move
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Write the XML of the Dresden controller into a folder at the end
    #[arg(long, value_name = "DIR")]
    pub xml: Option<PathBuf>,
    /// Write events as lines of JSON for spectators; - for standard output
    #[arg(long, value_name = "FILE")]
    pub watch: Option<String>,
    /// Give players other names than those of the rules
    #[arg(long, value_name = "SEED")]
    pub scramble: Option<u64>,
    /// Let strategies use and keep knowledge of games; without it every match begins anew
    #[arg(long, value_name = "DIR|off")]
    pub knowledge: Option<String>,
    /// After that many faults a player forfeits: random moves are made for it, its result is 0
    #[arg(long, value_name = "N")]
    pub forfeit: Option<u32>,
    /// How often a connection is tried again within the clock
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub retries: u32,
    /// The seed of random moves and built-in players
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    pub seed: u64,
    /// Abort the match after that many steps
    #[arg(long, default_value_t = 10_000, value_name = "STEPS")]
    pub longest: usize,
    /// Write only the result
    #[arg(long, short)]
    pub quiet: bool,
    /// Write the record as JSON
    #[arg(long)]
    pub json: bool,
    /// Bounds on reading.
    #[command(flatten)]
    pub read: ReadLimits,
}

fn symbol(text: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if text.is_empty() || !text.chars().all(plain) {
        return Err("expected letters, digits, dots, hyphens and underscores".to_owned());
    }
    Ok(text.to_owned())
}

/// Plays a match.
pub fn run(args: &MatchArgs, session: &mut Session) -> anyhow::Result<Exit> {
    let (source, game) = input::load(&args.game, &args.read)?;
    let specs = specs(args, &game)?;
    let mut setup = Setup::of(&source.name, &source.text, &game);
    configure(&mut setup, args, &specs, session);
    let terminal = Arc::new(Mutex::new(()));
    let longest = thinking(args, &specs);
    let place = args.knowledge.as_deref().and_then(|told| knowledge::place(Some(told)));
    let archive = knowledge::archive(place.as_deref(), exit::warn);
    let mut seats: Vec<Box<dyn Seat>> = specs
        .iter()
        .map(|spec| {
            let human = || Box::new(Human::new(&spec.name, &terminal)) as Box<dyn Seat>;
            let seat = spec.seat_with(args.seed, args.retries, longest, archive.clone());
            seat.unwrap_or_else(human)
        })
        .collect();
    let show = !args.quiet && !args.json && args.watch.as_deref() != Some("-");
    let mut room = Room {
        game: game.clone(),
        names: specs.iter().map(|spec| spec.name.clone()).collect(),
        store: args.record.as_ref().map(Store::new),
        stream: args.watch.as_deref().map(stream).transpose()?,
        board: None,
        show,
    };
    let ready =
        Match::new(setup, &mut seats).map_err(|error| Failure::cannot(error.to_string()))?;
    let record = ready.run(&mut room);
    finish(args, &record, &room, session)
}

/// The players, the default player for seats that nobody was named for.
fn specs(args: &MatchArgs, game: &Game) -> Result<Vec<Spec>, Failure> {
    let parse =
        |text: &String| Spec::parse(text).map_err(|error| Failure::cannot(error.to_string()));
    let mut specs = args.players.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
    let roles = game.roles().len();
    if specs.len() > roles {
        let message = format!("{} players were named for {roles} roles", specs.len());
        return Err(Failure::cannot(message).hint("name one player for each role, in their order"));
    }
    while specs.len() < roles {
        let role = game.role_name(game::Role(specs.len() as u32));
        let default = serve::default_strategy();
        exit::say(&format!("note: nobody was named for {role}, so {default} plays it"));
        specs.push(parse(&default)?);
    }
    Ok(specs)
}

/// Whether a person plays, and whether a URL does.
fn kinds(specs: &[Spec]) -> (bool, bool) {
    let any = |is: fn(&Kind) -> bool| specs.iter().any(|spec| is(&spec.kind));
    (any(|kind| matches!(kind, Kind::Human)), any(|kind| matches!(kind, Kind::Remote(_))))
}

/// The longest that strategies think about a move: people have an hour, but do not want to wait for one.
fn thinking(args: &MatchArgs, specs: &[Spec]) -> Option<Duration> {
    let patience = kinds(specs).0 && args.play_clock.is_none();
    args.think.or(patience.then_some(5.0)).map(Duration::from_secs_f64)
}

fn configure(setup: &mut Setup, args: &MatchArgs, specs: &[Spec], session: &Session) {
    // Players elsewhere are told the play clock, and may use all of it.
    let usual = match kinds(specs) {
        (true, false) => 3600.0,
        (true, true) => 120.0,
        (false, _) => 10.0,
    };
    let play = args.play_clock.unwrap_or(usual);
    setup.clocks = Clocks {
        preview: args.preview_clock.map(Duration::from_secs_f64),
        start: Duration::from_secs_f64(args.start_clock),
        play: Duration::from_secs_f64(play),
        ..Clocks::default()
    };
    setup.policy.forfeit = args.forfeit;
    setup.policy.longest = args.longest;
    (setup.seed, setup.scramble) = (args.seed, args.scramble);
    setup.cancel = session.stop_flag();
    if let Some(id) = &args.id {
        setup.id.clone_from(id);
    }
}

type Lines = Stream<Box<dyn Write>>;

fn stream(target: &str) -> anyhow::Result<Lines> {
    if target == "-" {
        return Ok(Stream(Box::new(io::stdout())));
    }
    let file = File::create(target).with_context(|| format!("{target} cannot be written"))?;
    Ok(Stream(Box::new(BufWriter::new(file))))
}

/// Who watches: the record, spectators, the terminal.
struct Room {
    game: Game,
    names: Vec<String>,
    store: Option<Store>,
    stream: Option<Lines>,
    board: Option<Board>,
    show: bool,
}

impl Observer for Room {
    fn event(&mut self, event: &Event<'_>) {
        if let Some(store) = &mut self.store {
            store.save(event.record());
        }
        if let Some(stream) = &mut self.stream {
            stream.event(event);
        }
        if self.show {
            self.tell(event);
        }
    }
}

impl Room {
    fn tell(&mut self, event: &Event<'_>) {
        let record = event.record();
        let cyan = Style::new().bold().fg_color(Some(AnsiColor::Cyan.into()));
        let mut out = anstream::stdout().lock();
        match event {
            Event::Began { .. } => {
                let _ = writeln!(out, "{}", record.match_id);
                for (role, name) in self.game.role_ids().zip(&self.names) {
                    let _ = writeln!(out, "  {}: {name}", self.game.role_name(role));
                }
            }
            Event::Moved { step, .. } => {
                let moves = record.moves.last().map(Vec::as_slice).unwrap_or_default();
                let moves: Vec<String> = self
                    .game
                    .role_ids()
                    .zip(moves)
                    .map(|(role, text)| {
                        format!("{} {cyan}{text}{cyan:#}", self.game.role_name(role))
                    })
                    .collect();
                let _ = writeln!(out, "\n{step}. {}", moves.join(", "));
            }
            _ => {}
        }
        let errors = record.errors.last().map(Vec::as_slice).unwrap_or_default();
        if !matches!(event, Event::Ended { .. }) {
            for (name, error) in
                self.names.iter().zip(errors).filter(|(_, error)| !error.is_empty())
            {
                exit::warn(&format!("{name}: {error}"));
            }
            let lines = position(&self.game, record, &mut self.board);
            for line in lines {
                let _ = writeln!(out, "    {line}");
            }
        }
        let _ = out.flush();
    }
}

/// The last state of a record, as a board where it is one.
pub fn position(game: &Game, record: &MatchRecord, board: &mut Option<Board>) -> Vec<String> {
    let text = record.states.last().map_or("", String::as_str);
    let reading = gdl::sexp::read(text, &gdl::Limits::default());
    let fluents = reading.items.first().and_then(gdl::sexp::Sexp::as_list).unwrap_or_default();
    let terms = fluents.iter().filter_map(|item| game.universe().ground(item));
    let state: game::State = terms.map(|term| game.universe().fluent(&term)).collect();
    if board.is_none() {
        *board = Board::recognise(game, &state);
    }
    match board {
        Some(board) => board.draw(game, &state),
        None => table::fill(&protocol::trace::state_items(game, &state), 90),
    }
}

fn finish(
    args: &MatchArgs,
    record: &MatchRecord,
    room: &Room,
    session: &mut Session,
) -> anyhow::Result<Exit> {
    if args.json {
        session.json(&serde_json::to_value(record)?)?;
    } else if args.watch.as_deref() != Some("-") {
        writeln!(session.out, "\n{}", result(record, &room.names))?;
    }
    if let Some(folder) = &args.xml {
        write_xml(folder, record)?;
    }
    if let Some((store, why)) = room.store.as_ref().and_then(|s| Some((s, s.failure()?))) {
        let path = store.path().display();
        return Err(Failure::cannot(format!("{path} cannot be written: {why}")).into());
    }
    Ok(if record.is_completed { Exit::Fine } else { Exit::Found })
}

/// The result in words.
pub fn result(record: &MatchRecord, names: &[String]) -> String {
    let steps = table::counted(record.moves.len(), "step");
    if !record.is_completed {
        let why = record.fluxion.as_ref().and_then(|extra| extra.aborted_because.clone());
        let why = why.unwrap_or_else(|| "no reason is known".to_owned());
        return format!("Aborted after {steps}: {why}");
    }
    let faults = record.fault_counts();
    let results: Vec<String> = names
        .iter()
        .zip(&record.goal_values)
        .enumerate()
        .map(|(role, (name, goal))| match faults.get(role) {
            Some(0) | None => format!("{name} {goal}"),
            Some(count) => format!("{name} {goal} ({})", table::counted(*count, "fault")),
        })
        .collect();
    format!("Result after {steps}: {}", results.join(", "))
}

/// Writes the XML documents of a record into a folder.
pub fn write_xml(folder: &Path, record: &MatchRecord) -> anyhow::Result<()> {
    let failed = || format!("{} cannot be written", folder.display());
    std::fs::create_dir_all(folder).with_context(failed)?;
    for (name, text) in protocol::xml::documents(record) {
        manager::write_atomically(&folder.join(name), text.as_bytes()).with_context(failed)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Only {
        #[command(flatten)]
        args: MatchArgs,
    }

    /// The longest thought of strategies, and whether a person and a URL play.
    fn of(line: &str) -> (Option<Duration>, (bool, bool)) {
        let args = Only::try_parse_from(line.split_whitespace()).expect("arguments").args;
        let parse = |text: &String| Spec::parse(text).expect("a player");
        let specs: Vec<Spec> = args.players.iter().map(parse).collect();
        (thinking(&args, &specs), kinds(&specs))
    }

    #[test]
    fn strategies_think_five_seconds_where_people_play_without_a_clock() {
        let seconds = |n| Some(Duration::from_secs(n));
        assert_eq!(of("match g -p uct -p human"), (seconds(5), (true, false)));
        assert_eq!(of("match g -p human -p uct --think 2"), (seconds(2), (true, false)));
        assert_eq!(of("match g -p human -p uct --play-clock 30"), (None, (true, false)));
        assert_eq!(of("match g -p uct -p random"), (None, (false, false)));
        assert_eq!(of("match g -p human -p http://h:1"), (seconds(5), (true, true)));
    }
}
