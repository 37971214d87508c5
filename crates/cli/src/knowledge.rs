//! `fluxion knowledge`: what is kept about games from match to match, to look at and to forget; and where it is kept.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anstyle::Style;
use anyhow::Context;
use clap::{Args as ClapArgs, Subcommand};
use game::Deadline;
use player::{Archive, Key, Knowledge};
use serde_json::{Value, json};
use symmetry::{Bounds, Fingerprint};

use crate::archive::{Entry, Folder};
use crate::exit::{Exit, Failure};
use crate::input;
use crate::limits::ReadLimits;
use crate::session::Session;
use crate::table::{columns, counted};

/// `fluxion knowledge`.
#[derive(Debug, ClapArgs)]
#[command(after_long_help = "Examples:
  fluxion knowledge                      what is kept
  fluxion knowledge show tictactoe       what is known about a game, whatever its names were
  fluxion knowledge forget 3f2a          the game whose key begins so
  fluxion knowledge clear                everything

`fluxion serve` keeps knowledge in the data folder of the user; FLUXION_KNOWLEDGE names another folder, or off.")]
pub struct KnowledgeArgs {
    /// What to do; list if nothing is said.
    #[command(subcommand)]
    pub action: Option<Action>,
    /// The folder, if it is not the usual one
    #[arg(long, global = true, value_name = "DIR")]
    pub knowledge: Option<String>,
    /// Write JSON
    #[arg(long, global = true)]
    pub json: bool,
}

/// What to do with what is kept.
#[derive(Debug, Subcommand)]
pub enum Action {
    /// List the games
    List,
    /// Show what is known about a game
    Show {
        /// A key, its beginning, a rule sheet or a library game
        #[arg(value_name = "KEY")]
        key: String,
    },
    /// Forget a game
    Forget {
        /// A key, its beginning, a rule sheet or a library game
        #[arg(value_name = "KEY")]
        key: String,
    },
    /// Forget everything
    Clear,
}

/// The name of the variable that says where knowledge is kept.
const VARIABLE: &str = "FLUXION_KNOWLEDGE";

/// Where to keep knowledge by an option of a command: a folder, or `off`. Without the option that is where the
/// environment says, and else the usual folder; none if there is none.
pub fn place(option: Option<&str>) -> Option<PathBuf> {
    let told = option.map(str::to_owned).or_else(|| std::env::var(VARIABLE).ok());
    match told.as_deref() {
        Some("off") => None,
        Some(folder) if !folder.is_empty() => Some(PathBuf::from(folder)),
        _ => crate::page::data_folder().map(|folder| folder.join("knowledge")),
    }
}

/// The archive for the players of a command.
pub fn archive(place: Option<&Path>, warn: fn(&str)) -> Option<Arc<dyn Archive>> {
    place.map(|path| Arc::new(Folder::new(path, warn)) as Arc<dyn Archive>)
}

/// Lists, shows or forgets what is kept.
pub fn run(args: &KnowledgeArgs, session: &mut Session) -> anyhow::Result<Exit> {
    let path = place(args.knowledge.as_deref()).ok_or_else(|| {
        Failure::cannot("knowledge is off").hint("--knowledge DIR names a folder")
    })?;
    let folder = Folder::new(&path, |_| ());
    match args.action.as_ref().unwrap_or(&Action::List) {
        Action::List => list(&folder, args.json, session),
        Action::Show { key } => show(&folder, find(&folder, key)?, args.json, session),
        Action::Forget { key } => {
            let key = find(&folder, key)?;
            forget(&folder, &[key], args.json, session)
        }
        Action::Clear => {
            let keys: Vec<Key> = entries(&folder)?.iter().map(|entry| entry.key).collect();
            forget(&folder, &keys, args.json, session)
        }
    }
}

fn entries(folder: &Folder) -> anyhow::Result<Vec<Entry>> {
    let place = folder.path().display();
    folder.entries().with_context(|| format!("{place} cannot be read"))
}

/// The key of what is kept, by its beginning or by the game.
fn find(folder: &Folder, text: &str) -> anyhow::Result<Key> {
    let entries = entries(folder)?;
    let begins = |entry: &&Entry| entry.key.to_string().starts_with(&text.to_lowercase());
    let fitting: Vec<Key> = entries.iter().filter(begins).map(|entry| entry.key).collect();
    if let [only] = fitting[..] {
        return Ok(only);
    }
    if !fitting.is_empty() && !text.is_empty() {
        let hint = "more of its key tells them apart";
        let message = format!("{} games have keys that begin with {text}", fitting.len());
        return Err(Failure::cannot(message).hint(hint).into());
    }
    let nothing = || {
        Failure::cannot(format!("nothing is kept about {text}"))
            .hint("`fluxion knowledge` lists what is kept; a game can be named instead of a key")
    };
    let hexadecimal = !text.is_empty() && text.bytes().all(|b| b.is_ascii_hexdigit());
    if hexadecimal && library::find(text).is_none() && !Path::new(text).exists() {
        return Err(nothing().into());
    }
    let (_, game) = input::load(text, &ReadLimits::default())?;
    let deadline = Deadline::within(Duration::from_secs(60));
    let print = Fingerprint::of(&game, &Bounds { deadline, ..Bounds::default() })
        .ok_or_else(|| Failure::gave_up(format!("no key was found for {text}")))?;
    let known = entries.iter().any(|entry| entry.key == print.key());
    if known { Ok(print.key()) } else { Err(nothing().into()) }
}

/// What a file says; in words why it cannot be used.
fn read(folder: &Folder, key: Key) -> Result<Knowledge, String> {
    let bytes = folder.read(key).map_err(|error| error.to_string())?;
    let bytes = bytes.ok_or_else(|| "it is not there".to_owned())?;
    Knowledge::read(&bytes).map_err(|error| error.to_string())
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn age(time: SystemTime) -> String {
    let seconds = time.elapsed().unwrap_or_default().as_secs();
    match seconds {
        0..60 => "now".to_owned(),
        60..3600 => format!("{} min", seconds / 60),
        3600..86_400 => format!("{} h", seconds / 3600),
        _ => format!("{} d", seconds / 86_400),
    }
}

fn list(folder: &Folder, json: bool, session: &mut Session) -> anyhow::Result<Exit> {
    let entries = entries(folder)?;
    let known: Vec<_> = entries.iter().map(|entry| (entry, read(folder, entry.key))).collect();
    if json {
        let games: Vec<Value> = known.iter().map(|(entry, known)| row(entry, known)).collect();
        session.json(&json!({ "folder": folder.path(), "games": games }))?;
        return Ok(Exit::Fine);
    }
    let bold = Style::new().bold();
    let mut rows = vec![["key", "matches", "kB", "used", "names"].map(str::to_owned).to_vec()];
    for (entry, known) in &known {
        let (matches, words) = match known {
            Ok(known) => (known.matches.to_string(), known.words.join(" ")),
            Err(why) => ("?".to_owned(), format!("cannot be used: {why}")),
        };
        let size = entry.bytes.div_ceil(1000).to_string();
        rows.push(vec![entry.key.to_string(), matches, size, age(entry.modified), words]);
    }
    let mut lines = columns(&rows, &[1, 2]).into_iter();
    if let Some(head) = lines.next() {
        writeln!(session.out, "{bold}{head}{bold:#}")?;
    }
    for line in lines {
        writeln!(session.out, "{line}")?;
    }
    writeln!(session.out, "{} in {}", counted(entries.len(), "game"), folder.path().display())?;
    Ok(Exit::Fine)
}

fn row(entry: &Entry, known: &Result<Knowledge, String>) -> Value {
    let about = match known {
        Ok(known) => json!({
            "matches": known.matches,
            "words": known.words,
            "positions": known.lesson.as_ref().map_or(0, |lesson| lesson.positions),
        }),
        Err(why) => json!({ "error": why }),
    };
    let mut row = json!({
        "key": entry.key.to_string(),
        "bytes": entry.bytes,
        "modified": seconds(entry.modified),
    });
    if let (Some(row), Some(about)) = (row.as_object_mut(), about.as_object()) {
        row.extend(about.clone());
    }
    row
}

fn show(folder: &Folder, key: Key, json: bool, session: &mut Session) -> anyhow::Result<Exit> {
    let known = read(folder, key)
        .map_err(|why| Failure::cannot(format!("what is kept of {key} cannot be used: {why}")))?;
    if json {
        session.json(&json!({ "key": key.to_string(), "knowledge": known }))?;
        return Ok(Exit::Fine);
    }
    let bold = Style::new().bold();
    writeln!(session.out, "{bold}{key}{bold:#}")?;
    for (name, text) in lines(&known) {
        writeln!(session.out, "  {name}: {text}")?;
    }
    Ok(Exit::Fine)
}

/// Knowledge in words.
fn lines(known: &Knowledge) -> Vec<(&'static str, String)> {
    let mut lines = vec![("names", known.words.join(" ")), ("seen", known.in_words())];
    let mark = |proved: bool| if proved { "" } else { "?" };
    if let Some(class) = &known.class {
        let turns = if class.turn_taking.0 { "moves in turn" } else { "simultaneous moves" };
        let sum = class.constant_sum.0;
        let sum = sum.map_or("no constant sum".to_owned(), |sum| format!("constant sum {sum}"));
        let (turns_mark, sum_mark) = (mark(class.turn_taking.1), mark(class.constant_sum.1));
        let length = class.mean_length.map_or(String::new(), |mean| format!(", {mean:.0} moves"));
        lines.push(("class", format!("{turns}{turns_mark}, {sum}{sum_mark}{length}")));
    }
    let proofs = &known.proofs;
    let (claims, open) = (proofs.claims.len(), proofs.open);
    lines.push(("proofs", format!("{claims} claims decided, {open} open")));
    if let Some(lesson) = &known.lesson {
        let told: Vec<String> =
            lesson.roles.iter().map(|role| format!("{:.2}", role.correlation)).collect();
        let (positions, fluents) = (lesson.positions, lesson.fluents.len());
        let told = told.join(" ");
        let text = format!("{positions} positions, {fluents} fluents, correlations {told}");
        lines.push(("learned", text));
    }
    for tried in &known.trials {
        lines.push(("tried", format!("{}: {:.1} of {}", tried.name, tried.points, tried.games)));
    }
    for outcome in &known.outcomes {
        let count = outcome.matches.max(1) as f64;
        let (points, moves) = (outcome.points as f64 / count, outcome.moves as f64 / count);
        let (method, ended) = (&outcome.method, outcome.matches);
        let text = format!("{method}: {points:.1} points, {moves:.1} moves in {ended} matches");
        lines.push(("played", text));
    }
    lines
}

fn forget(
    folder: &Folder,
    keys: &[Key],
    json: bool,
    session: &mut Session,
) -> anyhow::Result<Exit> {
    let mut gone = Vec::new();
    for key in keys {
        let place = folder.path().display();
        if folder.forget(*key).with_context(|| format!("{key} in {place} cannot be removed"))? {
            gone.push(key.to_string());
        }
    }
    if json {
        session.json(&json!({ "forgotten": gone }))?;
    } else {
        writeln!(session.out, "{} forgotten", counted(gone.len(), "game"))?;
    }
    Ok(Exit::Fine)
}
