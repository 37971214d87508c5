//! The database of a tournament: what is to be played, what was played, and nothing in between.
//!
//! `SQLite` with a write-ahead log and full synchronisation: a transaction that was committed survives a kill
//! and a power failure. A match is scheduled before it is played, and its result is one transaction that only
//! succeeds while it has none. A second database beside it is kept locked while the tournament runs, so
//! that it is not run twice at once; the system frees that lock when the process dies.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use protocol::MatchRecord;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::class::Class;
use super::pairing::Pairing;
use super::plan::Plan;
use super::run::Sheet;
use crate::play::milliseconds;

/// Why the database did not do it.
#[derive(Debug)]
#[non_exhaustive]
pub enum LedgerError {
    /// `SQLite` failed.
    Database(rusqlite::Error),
    /// It belongs to another plan.
    OtherPlan,
    /// Another process runs the tournament.
    Locked,
    /// It holds no tournament.
    Empty,
    /// What was read makes no sense.
    Damaged(String),
}

impl fmt::Display for LedgerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Database(error) => write!(f, "the database: {error}"),
            Self::OtherPlan => write!(f, "the database belongs to another plan"),
            Self::Locked => write!(f, "the tournament is being run by another process"),
            Self::Empty => write!(f, "the database holds no tournament"),
            Self::Damaged(what) => write!(f, "the database is damaged: {what}"),
        }
    }
}

impl std::error::Error for LedgerError {}

impl From<rusqlite::Error> for LedgerError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error)
    }
}

type Result<T> = std::result::Result<T, LedgerError>;

/// A match to be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scheduled {
    /// Its number, from 1.
    pub id: i64,
    /// The round, from 0.
    pub round: u32,
    /// The game by its number.
    pub game: usize,
    /// The players by their numbers, in the order of the roles.
    pub seats: Vec<usize>,
}

/// A match that was played.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    /// Which one.
    pub scheduled: Scheduled,
    /// Whether it has a result.
    pub completed: bool,
    /// The goal values, in the order of the roles.
    pub goals: Vec<i64>,
    /// The faults of each role.
    pub faults: Vec<usize>,
    /// Its length.
    pub steps: usize,
    /// How long it took.
    pub seconds: f64,
    /// When it ended, in milliseconds since 1970.
    pub ended: u64,
}

/// The database.
pub struct Ledger {
    connection: Connection,
    path: PathBuf,
    /// Held while the tournament runs.
    lock: Option<Connection>,
}

const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS about (key TEXT PRIMARY KEY, value TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS game (number INTEGER PRIMARY KEY, name TEXT NOT NULL, rules TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS match (
        id INTEGER PRIMARY KEY, round INTEGER NOT NULL, game INTEGER NOT NULL, seats TEXT NOT NULL,
        completed INTEGER, goals TEXT, faults TEXT, steps INTEGER, seconds REAL, ended INTEGER, record TEXT);
    CREATE TABLE IF NOT EXISTS class (game INTEGER PRIMARY KEY, name TEXT NOT NULL);
";
const PATIENCE: Duration = Duration::from_secs(10);

impl Ledger {
    /// Opens a database, made if it is not there.
    pub fn open(path: &Path) -> Result<Self> {
        let connection = Connection::open(path)?;
        connection.busy_timeout(PATIENCE)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.execute_batch(SCHEMA)?;
        Ok(Self { connection, path: path.to_owned(), lock: None })
    }

    /// Takes the right to run the tournament, until the ledger is dropped or the process dies.
    pub fn lock(&mut self) -> Result<()> {
        let mut beside = self.path.as_os_str().to_owned();
        beside.push(".lock");
        let lock = Connection::open(beside)?;
        lock.busy_timeout(Duration::ZERO)?;
        match lock.execute_batch("BEGIN EXCLUSIVE") {
            Ok(()) => {
                self.lock = Some(lock);
                Ok(())
            }
            Err(rusqlite::Error::SqliteFailure(error, _))
                if error.code == rusqlite::ErrorCode::DatabaseBusy =>
            {
                Err(LedgerError::Locked)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Writes plan and rules into a new database, or checks that an old one has the same plan. Rules stay
    /// as they were when the tournament began.
    pub fn adopt(&mut self, plan: &Plan, sheets: &[Sheet]) -> Result<()> {
        let transaction = self.connection.transaction()?;
        let identity = plan.identity();
        let known: Option<String> = transaction
            .query_row("SELECT value FROM about WHERE key = 'identity'", [], |row| row.get(0))
            .optional()?;
        match known {
            Some(known) if known == identity => return Ok(()),
            Some(_) => return Err(LedgerError::OtherPlan),
            None => {}
        }
        for (number, sheet) in sheets.iter().enumerate() {
            transaction.execute(
                "INSERT INTO game VALUES (?1, ?2, ?3)",
                params![whole(number), sheet.name, sheet.rules],
            )?;
        }
        let plan = serde_json::to_string(plan).unwrap_or_default();
        for (key, value) in [("identity", &identity), ("plan", &plan)] {
            transaction.execute("INSERT INTO about VALUES (?1, ?2)", params![key, value])?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// The plan of the tournament.
    pub fn plan(&self) -> Result<Plan> {
        let plan: Option<String> = self
            .connection
            .query_row("SELECT value FROM about WHERE key = 'plan'", [], |row| row.get(0))
            .optional()?;
        let plan = plan.ok_or(LedgerError::Empty)?;
        serde_json::from_str(&plan).map_err(|error| LedgerError::Damaged(error.to_string()))
    }

    /// Keeps the class of a game.
    pub fn classify(&mut self, game: usize, class: Class) -> Result<()> {
        let text = "INSERT OR REPLACE INTO class VALUES (?1, ?2)";
        self.connection.execute(text, params![whole(game), class.name()])?;
        Ok(())
    }

    /// The games by their numbers.
    pub fn sheets(&self) -> Result<Vec<Sheet>> {
        let text = "SELECT game.name, rules, class.name FROM game LEFT JOIN class ON game = number ORDER BY number";
        let mut query = self.connection.prepare(text)?;
        let sheet = |row: &Row<'_>| {
            let class: Option<String> = row.get(2)?;
            let class = class.as_deref().and_then(Class::named);
            Ok(Sheet { name: row.get(0)?, rules: row.get(1)?, class })
        };
        let sheets = query.query_map([], sheet)?.collect::<rusqlite::Result<_>>()?;
        Ok(sheets)
    }

    /// Schedules the matches of a round, all or none; nothing happens if the round is there already.
    pub fn schedule(&mut self, round: u32, pairings: &[Pairing]) -> Result<()> {
        let transaction = self.connection.transaction()?;
        let there: i64 = transaction.query_row(
            "SELECT count(*) FROM match WHERE round = ?1",
            params![round],
            |row| row.get(0),
        )?;
        if there == 0 {
            for pairing in pairings {
                transaction.execute(
                    "INSERT INTO match (round, game, seats) VALUES (?1, ?2, ?3)",
                    params![round, whole(pairing.game), numbers(&pairing.seats)],
                )?;
            }
        }
        transaction.commit()?;
        Ok(())
    }

    /// How many rounds are scheduled.
    pub fn rounds(&self) -> Result<u32> {
        let query = "SELECT ifnull(max(round) + 1, 0) FROM match";
        Ok(self.connection.query_row(query, [], |row| row.get(0))?)
    }

    /// The matches that have no result.
    pub fn waiting(&self) -> Result<Vec<Scheduled>> {
        let text = "SELECT id, round, game, seats FROM match WHERE ended IS NULL ORDER BY id";
        let mut query = self.connection.prepare(text)?;
        let rows = query.query_map([], scheduled)?.collect::<rusqlite::Result<Vec<_>>>()?;
        rows.into_iter().collect()
    }

    /// The matches that were played, in the order in which they ended.
    pub fn finished(&self) -> Result<Vec<Finished>> {
        let text = "SELECT id, round, game, seats, completed, goals, faults, steps, seconds, ended
            FROM match WHERE ended IS NOT NULL ORDER BY ended, id";
        let mut query = self.connection.prepare(text)?;
        let rows = query.query_map([], finished)?.collect::<rusqlite::Result<Vec<_>>>()?;
        rows.into_iter().collect()
    }

    /// Writes the result of a match, once.
    pub fn finish(&mut self, id: i64, record: &MatchRecord, seconds: f64) -> Result<()> {
        let json = record.to_json().map_err(|error| LedgerError::Damaged(error.to_string()))?;
        let changed = self.connection.execute(
            "UPDATE match SET completed = ?2, goals = ?3, faults = ?4, steps = ?5, seconds = ?6, ended = ?7,
             record = ?8 WHERE id = ?1 AND ended IS NULL",
            params![
                id,
                record.is_completed,
                numbers(&record.goal_values),
                numbers(&record.fault_counts()),
                whole(record.moves.len()),
                seconds,
                milliseconds().cast_signed(),
                json
            ],
        )?;
        match changed {
            1 => Ok(()),
            _ => Err(LedgerError::Damaged(format!("match {id} has a result already"))),
        }
    }

    /// Where the database lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The record of a match that was played.
    pub fn record(&self, id: i64) -> Result<Option<String>> {
        let query = "SELECT record FROM match WHERE id = ?1";
        let found = self.connection.query_row(query, params![id], |row| row.get(0)).optional()?;
        Ok(found.flatten())
    }
}

/// A count as the database has it.
fn whole(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// A count from the database; one that cannot be is larger than any table.
fn count(whole: i64) -> usize {
    usize::try_from(whole).unwrap_or(usize::MAX)
}

fn numbers<T: ToString>(numbers: &[T]) -> String {
    numbers.iter().map(T::to_string).collect::<Vec<_>>().join(" ")
}

fn read<T: std::str::FromStr>(text: &str) -> Result<Vec<T>> {
    let numbers = text.split_whitespace().map(str::parse);
    numbers
        .collect::<std::result::Result<_, _>>()
        .map_err(|_| LedgerError::Damaged(text.to_owned()))
}

fn scheduled(row: &Row<'_>) -> rusqlite::Result<Result<Scheduled>> {
    let (id, round, game): (i64, u32, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
    let seats: String = row.get(3)?;
    Ok(read(&seats).map(|seats| Scheduled { id, round, game: count(game), seats }))
}

fn finished(row: &Row<'_>) -> rusqlite::Result<Result<Finished>> {
    let (completed, goals, faults): (bool, String, String) =
        (row.get(4)?, row.get(5)?, row.get(6)?);
    let (steps, seconds, ended): (i64, f64, i64) = (row.get(7)?, row.get(8)?, row.get(9)?);
    let scheduled = scheduled(row)?;
    let make = || -> Result<Finished> {
        Ok(Finished {
            scheduled: scheduled?,
            completed,
            goals: read(&goals)?,
            faults: read(&faults)?,
            steps: count(steps),
            seconds,
            ended: ended.max(0).cast_unsigned(),
        })
    };
    Ok(make())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(seed: u64) -> Plan {
        let text = format!(
            "name = 'x'\nseed = {seed}\ngames = ['tictactoe']\n[[player]]\nname = 'a'\nplayer = 'random'\n\
             [[player]]\nname = 'b'\nplayer = 'legal'"
        );
        Plan::parse(&text).expect("a plan")
    }

    #[test]
    fn results_are_written_once_and_stay() {
        let folder = std::env::temp_dir().join(format!("fluxion-ledger-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("t.db");
        let sheets = [Sheet::new("tictactoe", "(role a)")];
        let mut ledger = Ledger::open(&path).expect("a database");
        assert!(matches!(ledger.plan(), Err(LedgerError::Empty)));
        ledger.lock().expect("nobody else");
        ledger.adopt(&plan(1), &sheets).expect("new");
        let pairings = super::super::round_robin(2, &[2], 1, true);
        ledger.schedule(0, &pairings).expect("scheduled");
        ledger.schedule(0, &pairings).expect("scheduled already");
        assert_eq!(ledger.sheets().expect("read"), sheets);
        ledger.classify(0, Class::OneRole).expect("written");
        assert_eq!(ledger.sheets().expect("read")[0].class, Some(Class::OneRole));
        assert_eq!(ledger.waiting().expect("read").len(), 2);
        let record =
            MatchRecord { goal_values: vec![100, 0], is_completed: true, ..Default::default() };
        ledger.finish(1, &record, 1.5).expect("written");
        assert!(matches!(ledger.finish(1, &record, 1.5), Err(LedgerError::Damaged(_))));

        let mut other = Ledger::open(&path).expect("a second reader");
        assert!(matches!(other.lock(), Err(LedgerError::Locked)));
        assert_eq!(other.finished().expect("read")[0].goals, [100, 0]);
        drop(ledger);
        other.lock().expect("free again");
        other.adopt(&plan(1), &sheets).expect("the same plan");
        assert!(matches!(other.adopt(&plan(2), &sheets), Err(LedgerError::OtherPlan)));
        assert_eq!((other.waiting().expect("read").len(), other.rounds().expect("read")), (1, 1));
        assert_eq!(other.plan().expect("a plan").seed, 1);
        assert!(
            other.record(1).expect("read").is_some() && other.record(2).expect("read").is_none()
        );
        drop(other);
        std::fs::remove_dir_all(folder).expect("removed");
    }
}
