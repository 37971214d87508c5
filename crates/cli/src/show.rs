//! `fluxion show`: a game at a glance, and what random play makes of it.

use std::io::Write;
use std::time::{Duration, Instant};

use anstyle::Style;
use game::{Game, Goals, Machine, Move, ReasonError, State};
use serde_json::{Value, json};

use crate::args::ShowArgs;
use crate::board::Board;
use crate::exit::{self, Exit};
use crate::input::{self, Source};
use crate::machines;
use crate::session::Session;
use crate::simulate::{Ending, play, seed_of};
use crate::stats::{Sample, bar};
use crate::table::{columns, counted, fill, per_second};

/// How long playouts take where their number is not given.
const A_SECOND: Duration = Duration::from_secs(1);
/// The width that lists fill.
const WIDTH: usize = 100;
/// The most moves listed per role.
const LISTED_MOVES: usize = 60;

/// What the playouts gave.
#[derive(Default)]
struct Statistics {
    length: Sample,
    ended: usize,
    stuck: usize,
    capped: usize,
    /// Legal moves by role, and of all roles together.
    branching: Vec<Sample>,
    joint: Sample,
    results: Vec<Sample>,
    undefined: usize,
    transitions: u64,
    seconds: f64,
    stopped: Option<String>,
}

/// Shows a game.
pub fn run(args: &ShowArgs, session: &mut Session) -> anyhow::Result<Exit> {
    let limits = session.limits(&args.reason);
    let (source, game) = input::load(&args.game, &args.read)?;
    let mut machine = machines::make(&args.machine.machine, &game, limits);
    let initial = machine.initial().map_err(|error| session.gave_up(&source.label, &error))?;
    let legals =
        legals(&mut *machine, &initial).map_err(|error| session.gave_up(&source.label, &error))?;
    if !args.json {
        header(&source, &game, session)?;
        position(&game, &initial, &legals, session)?;
        session.out.flush()?;
    }
    let statistics = sample(&mut *machine, &initial, args, session);
    if args.json {
        let report = report(&source, &game, &initial, &legals, &statistics);
        session.json(&report)?;
    } else {
        tell(&game, args, &statistics, session)?;
    }
    if let Some(why) = &statistics.stopped {
        exit::warn(&format!("playing stopped early: {why}"));
        return Ok(if statistics.length.is_empty() { Exit::GaveUp } else { Exit::Fine });
    }
    Ok(Exit::Fine)
}

fn legals(machine: &mut dyn Machine, state: &State) -> Result<Vec<Vec<Move>>, ReasonError> {
    let roles = machine.game().role_ids();
    roles
        .map(|role| {
            let mut moves = Vec::new();
            machine.legal_moves(state, role, &mut moves)?;
            Ok(moves)
        })
        .collect()
}

fn sample(
    machine: &mut dyn Machine,
    initial: &State,
    args: &ShowArgs,
    session: &Session,
) -> Statistics {
    let roles = machine.game().roles().len();
    let mut statistics = Statistics {
        branching: vec![Sample::default(); roles],
        results: vec![Sample::default(); roles],
        ..Statistics::default()
    };
    let begin = Instant::now();
    let progress = Session::progress(args.playouts.unwrap_or(1000), "playing");
    let wanted = args.playouts.unwrap_or(usize::MAX);
    for number in 0..wanted {
        let passed = begin.elapsed();
        if args.playouts.is_none() && passed >= A_SECOND {
            break;
        }
        let seed = seed_of(args.seed, number);
        if let Err(error) = statistics.play(machine, initial, seed, args.cap) {
            statistics.stopped = Some(session.why(&error));
            break;
        }
        match args.playouts {
            Some(_) => progress.inc(1),
            None => progress.set_position(passed.as_millis() as u64),
        }
    }
    progress.finish_and_clear();
    statistics.seconds = begin.elapsed().as_secs_f64();
    statistics
}

impl Statistics {
    fn play(
        &mut self,
        machine: &mut dyn Machine,
        initial: &State,
        seed: u64,
        cap: usize,
    ) -> Result<(), ReasonError> {
        let mut counts: Vec<Vec<usize>> = Vec::new();
        let mut goals: Option<Vec<Goals>> = None;
        let path = play(machine, initial, seed, cap, &mut |machine, state, legals| {
            if let Some(legals) = legals {
                counts.push(legals.iter().map(Vec::len).collect());
            } else {
                let roles = machine.game().role_ids();
                let found = roles.map(|role| machine.goal(state, role));
                goals = Some(found.collect::<Result<_, _>>()?);
            }
            Ok(())
        })?;
        for position in counts {
            self.joint.add(position.iter().fold(1, |all, count| all.saturating_mul(*count as u64)));
            for (sample, count) in self.branching.iter_mut().zip(position) {
                sample.add(count as u64);
            }
        }
        self.length.add(path.moves.len() as u64);
        self.transitions += path.moves.len() as u64;
        match path.ending {
            Ending::Terminal => self.ended += 1,
            Ending::NoLegalMove(_) => self.stuck += 1,
            Ending::Cap => self.capped += 1,
        }
        for (sample, goal) in self.results.iter_mut().zip(goals.iter().flatten()) {
            match goal.value() {
                Some(goal) => sample.add(u64::from(goal.0)),
                None => self.undefined += 1,
            }
        }
        Ok(())
    }
}

fn title(session: &mut Session, text: &str) -> std::io::Result<()> {
    let bold = Style::new().bold();
    writeln!(session.out, "{bold}{text}{bold:#}")
}

fn header(source: &Source, game: &Game, session: &mut Session) -> anyhow::Result<()> {
    let about = library::about(&source.text);
    let name = if about.title.is_empty() { source.name.clone() } else { about.title.clone() };
    title(session, &name)?;
    let class = about.class.join(", ");
    let facts = [
        ("class", &class),
        ("size", &about.size),
        ("source", &about.source),
        ("papers", &about.papers),
    ];
    for (key, value) in facts.iter().filter(|(_, value)| !value.is_empty()) {
        writeln!(session.out, "  {key}: {value}")?;
    }
    writeln!(
        session.out,
        "  rules: {} in {}",
        counted(game.rules().clauses.len(), "clause"),
        source.label
    )?;
    let roles: Vec<String> = game.role_ids().map(|role| game.role_name(role)).collect();
    writeln!(session.out, "  roles: {}", roles.join(", "))?;
    Ok(())
}

fn position(
    game: &Game,
    initial: &State,
    legals: &[Vec<Move>],
    session: &mut Session,
) -> anyhow::Result<()> {
    title(session, &format!("\nInitial state: {}", counted(initial.len(), "fluent")))?;
    if let Some(mut board) = Board::recognise(game, initial) {
        for line in board.draw(game, initial).iter().chain(&board.legend()) {
            writeln!(session.out, "  {line}")?;
        }
    }
    for (name, texts) in grouped(game, initial) {
        writeln!(session.out, "  {name} ({})", texts.len())?;
        for line in fill(&texts, WIDTH - 4) {
            writeln!(session.out, "    {line}")?;
        }
    }
    title(session, "\nLegal moves")?;
    for (role, legal) in game.role_ids().zip(legals) {
        let mut texts = protocol::trace::move_items(game, legal);
        writeln!(session.out, "  {} ({})", game.role_name(role), texts.len())?;
        let hidden = texts.len().saturating_sub(LISTED_MOVES);
        texts.truncate(LISTED_MOVES);
        for line in fill(&texts, WIDTH - 4) {
            writeln!(session.out, "    {line}")?;
        }
        if hidden > 0 {
            writeln!(session.out, "    … and {hidden} more (--json lists all)")?;
        }
    }
    Ok(())
}

/// The fluents by their names, in the order of texts.
fn grouped(game: &Game, state: &State) -> Vec<(String, Vec<String>)> {
    let mut groups: std::collections::BTreeMap<String, Vec<String>> =
        std::collections::BTreeMap::new();
    for text in protocol::trace::state_items(game, state) {
        let name = text.trim_start_matches('(').split([' ', ')']).next().unwrap_or_default();
        groups.entry(name.to_owned()).or_default().push(text);
    }
    groups.into_iter().collect()
}

fn tell(
    game: &Game,
    args: &ShowArgs,
    statistics: &Statistics,
    session: &mut Session,
) -> anyhow::Result<()> {
    let s = statistics;
    let count = s.length.len();
    title(session, &format!("\n{} (seed {})", counted(count, "random playout"), args.seed))?;
    if count == 0 {
        return Ok(());
    }
    let mut rows = vec![vec!["  length".to_owned(), with_confidence(&s.length)]];
    for (role, sample) in game.role_ids().zip(&s.branching) {
        rows.push(vec![format!("  moves of {}", game.role_name(role)), summary(sample)]);
    }
    rows.push(vec!["  joint moves".to_owned(), summary(&s.joint)]);
    let ends = format!(
        "{} terminal, {} without a legal move, {} at the cap of {}",
        s.ended, s.stuck, s.capped, args.cap
    );
    rows.push(vec!["  ends".to_owned(), ends]);
    let per_second = |number: u64| per_second(number, s.seconds);
    let speed = format!(
        "{} playouts/s, {} transitions/s",
        per_second(count as u64),
        per_second(s.transitions)
    );
    rows.push(vec!["  speed".to_owned(), speed]);
    for line in columns(&rows, &[]) {
        writeln!(session.out, "{line}")?;
    }
    results(game, s, session)?;
    lengths(s, session)
}

/// For one number per playout.
fn with_confidence(sample: &Sample) -> String {
    let (mean, half) = (sample.mean(), sample.confidence());
    format!("{mean:.2} ± {half:.2}, from {} to {}", sample.least(), sample.greatest())
}

/// For one number per position: positions of a playout depend on each other, so there is no simple
/// confidence.
fn summary(sample: &Sample) -> String {
    format!("{:.2}, from {} to {}", sample.mean(), sample.least(), sample.greatest())
}

fn results(game: &Game, s: &Statistics, session: &mut Session) -> anyhow::Result<()> {
    title(session, "\nResults (mean ± 95% confidence)")?;
    for (role, sample) in game.role_ids().zip(&s.results) {
        if sample.is_empty() {
            writeln!(session.out, "  {}: none", game.role_name(role))?;
            continue;
        }
        let (mean, half) = (sample.mean(), sample.confidence());
        writeln!(session.out, "  {}: {mean:.2} ± {half:.2}", game.role_name(role))?;
        for (value, count) in sample.counts() {
            let share = 100.0 * count as f64 / sample.len() as f64;
            writeln!(session.out, "    {value:>3} {share:>5.1}% {}", bar(count, sample.len(), 40))?;
        }
    }
    if s.undefined > 0 {
        writeln!(
            session.out,
            "  {} of terminal states are not defined",
            counted(s.undefined, "goal")
        )?;
    }
    Ok(())
}

fn lengths(s: &Statistics, session: &mut Session) -> anyhow::Result<()> {
    title(session, "\nLengths")?;
    let classes = s.length.classes(20);
    let most = classes.iter().map(|class| class.2).max().unwrap_or(0);
    let rows: Vec<Vec<String>> = classes
        .iter()
        .map(|(from, to, count)| {
            let label = if from == to { format!("  {from}") } else { format!("  {from}-{to}") };
            vec![label, count.to_string(), bar(*count, most, 50)]
        })
        .collect();
    for line in columns(&rows, &[0, 1]) {
        writeln!(session.out, "{line}")?;
    }
    Ok(())
}

fn report(
    source: &Source,
    game: &Game,
    initial: &State,
    legals: &[Vec<Move>],
    s: &Statistics,
) -> Value {
    let about = library::about(&source.text);
    let roles: Vec<String> = game.role_ids().map(|role| game.role_name(role)).collect();
    let by_role = |values: Vec<Value>| -> Value {
        roles.iter().cloned().zip(values).collect::<serde_json::Map<_, _>>().into()
    };
    let moves = legals.iter().map(|moves| json!(protocol::trace::move_items(game, moves)));
    json!({
        "game": source.name,
        "file": source.label,
        "title": about.title,
        "class": about.class,
        "size": about.size,
        "source": about.source,
        "papers": about.papers,
        "clauses": game.rules().clauses.len(),
        "roles": roles,
        "initial": protocol::trace::state_items(game, initial),
        "legal": by_role(moves.collect()),
        "statistics": statistics(s, &by_role),
    })
}

fn statistics(s: &Statistics, by_role: &dyn Fn(Vec<Value>) -> Value) -> Value {
    let results = s.results.iter().map(|sample| {
        let mut summary = sample.independent_json();
        let counts = sample.counts().into_iter();
        summary["distribution"] = counts.map(|(v, n)| json!({"goal": v, "count": n})).collect();
        summary
    });
    let lengths = s.length.counts().into_iter();
    let mut length = s.length.independent_json();
    length["distribution"] = lengths.map(|(v, n)| json!({"length": v, "count": n})).collect();
    json!({
        "playouts": s.length.len(),
        "terminal": s.ended,
        "no_legal_move": s.stuck,
        "capped": s.capped,
        "undefined_goals": s.undefined,
        "length": length,
        "branching": by_role(s.branching.iter().map(Sample::json).collect()),
        "joint_branching": s.joint.json(),
        "results": by_role(results.collect()),
        "seconds": s.seconds,
        "transitions": s.transitions,
        "stopped": s.stopped,
    })
}
