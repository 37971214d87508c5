//! Matches outlive the server: `SQLite`, one row for each match, one for each step, one for each thought.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::sheets::Source;

/// Who has a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeatDoc {
    /// `human`, `open`, `strategy` or `remote`.
    pub kind: String,
    /// The visitor, of a person.
    pub owner: Option<String>,
    /// The strategy as given.
    pub strategy: Option<String>,
    /// Its strength.
    pub strength: Option<u8>,
    /// The address of a remote player.
    pub url: Option<String>,
}

/// The clocks in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClocksDoc {
    /// Before the first move.
    pub start: f64,
    /// For each move.
    pub play: f64,
}

/// How a match ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ended {
    /// `terminal`, `resigned`, `aborted`, `stuck` or `failed`.
    pub why: String,
    /// The goals, where there are any.
    pub goals: Option<Vec<Option<u8>>>,
    /// The role that gave up.
    pub resigned: Option<usize>,
    /// More, for people.
    pub message: Option<String>,
}

/// What is kept of a match beside its steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    /// Its name.
    pub id: String,
    /// The rules.
    pub source: Source,
    /// The short name of the game.
    pub name: String,
    /// The title of the game.
    pub title: String,
    /// The roles.
    pub roles: Vec<String>,
    /// The seats.
    pub seats: Vec<SeatDoc>,
    /// The names of the players, for records that were imported.
    pub players: Option<Vec<String>>,
    /// The clocks, if there are any.
    pub clocks: Option<ClocksDoc>,
    /// The time of strategies without clocks.
    pub think: f64,
    /// Who made it.
    pub owner: String,
    /// Whom it counts for.
    pub account: String,
    /// When it was made.
    pub created: u64,
    /// Whether strategies wait.
    pub paused: bool,
    /// Whether it was played elsewhere.
    pub imported: bool,
    /// How it ended.
    pub ended: Option<Ended>,
    /// The seed of random moves.
    pub seed: u64,
    /// The judgements of the steps.
    pub annotations: Vec<Value>,
}

/// A joint move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepDoc {
    /// The moves as texts.
    pub moves: Vec<String>,
    /// When it was made.
    pub time: u64,
    /// What players did wrong.
    pub faults: Vec<String>,
}

/// A line of the list of matches.
#[derive(Clone, Debug)]
pub struct Listed {
    /// What is kept.
    pub meta: Meta,
    /// The number of steps.
    pub step: usize,
    /// When it changed last.
    pub changed: u64,
}

/// The database.
pub struct Store {
    connection: Mutex<Connection>,
}

const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS match (
        id TEXT PRIMARY KEY, owner TEXT NOT NULL, running INTEGER NOT NULL, step INTEGER NOT NULL,
        changed INTEGER NOT NULL, meta TEXT NOT NULL);
    CREATE INDEX IF NOT EXISTS match_changed ON match (changed);
    CREATE TABLE IF NOT EXISTS step (
        id TEXT NOT NULL, step INTEGER NOT NULL, moves TEXT NOT NULL, time INTEGER NOT NULL, faults TEXT NOT NULL,
        PRIMARY KEY (id, step)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS thought (
        id TEXT NOT NULL, step INTEGER NOT NULL, role INTEGER NOT NULL, thought TEXT NOT NULL,
        PRIMARY KEY (id, step, role)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS picture (sheet TEXT PRIMARY KEY, svg TEXT NOT NULL);
";

/// Filters of the list.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only those of this visitor.
    pub owner: Option<String>,
    /// Only running ones, or only those that are over.
    pub running: Option<bool>,
    /// The most.
    pub most: usize,
}

type Result<T> = rusqlite::Result<T>;

fn list<T: serde::de::DeserializeOwned + Default>(text: &str) -> T {
    serde_json::from_str(text).unwrap_or_default()
}

impl Store {
    /// Opens a database; one in memory if there is no path.
    pub fn open(path: Option<&Path>) -> Result<Self> {
        let connection = match path {
            Some(path) => Connection::open(path)?,
            None => Connection::open_in_memory()?,
        };
        connection.busy_timeout(Duration::from_secs(5))?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        // A kill loses nothing; a power failure may lose the last moves.
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        connection.execute_batch(SCHEMA)?;
        Ok(Self { connection: Mutex::new(connection) })
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes what is kept beside steps.
    pub fn save(&self, meta: &Meta, step: usize) -> Result<()> {
        let text = serde_json::to_string(meta).unwrap_or_default();
        let (running, changed) = (meta.ended.is_none(), crate::random::now().cast_signed());
        self.lock().execute(
            "INSERT OR REPLACE INTO match VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![meta.id, meta.owner, running, step.cast_signed(), changed, text],
        )?;
        Ok(())
    }

    /// Adds a step; those after it go.
    pub fn add_step(&self, meta: &Meta, step: usize, doc: &StepDoc) -> Result<()> {
        let moves = serde_json::to_string(&doc.moves).unwrap_or_default();
        let faults = serde_json::to_string(&doc.faults).unwrap_or_default();
        let mut connection = self.lock();
        let transaction = connection.transaction()?;
        transaction.execute(
            "INSERT OR REPLACE INTO step VALUES (?1, ?2, ?3, ?4, ?5)",
            params![meta.id, step.cast_signed(), moves, doc.time.cast_signed(), faults],
        )?;
        transaction.execute(
            "UPDATE match SET step = ?2, changed = ?3 WHERE id = ?1",
            params![meta.id, step.cast_signed() + 1, doc.time.cast_signed()],
        )?;
        transaction.commit()
    }

    /// Removes the steps from a number on, and what was thought about them.
    pub fn cut(&self, id: &str, from: usize) -> Result<()> {
        let mut connection = self.lock();
        let transaction = connection.transaction()?;
        let arguments = params![id, from.cast_signed()];
        transaction.execute("DELETE FROM step WHERE id = ?1 AND step >= ?2", arguments)?;
        transaction.execute("DELETE FROM thought WHERE id = ?1 AND step >= ?2", arguments)?;
        transaction.commit()
    }

    /// Keeps a thought.
    pub fn think(&self, id: &str, step: usize, role: usize, thought: &Value) -> Result<()> {
        self.lock().execute(
            "INSERT OR REPLACE INTO thought VALUES (?1, ?2, ?3, ?4)",
            params![id, step.cast_signed(), role.cast_signed(), thought.to_string()],
        )?;
        Ok(())
    }

    /// A match with its steps.
    pub fn load(&self, id: &str) -> Result<Option<(Meta, Vec<StepDoc>)>> {
        let connection = self.lock();
        let meta: Option<String> = connection
            .query_row("SELECT meta FROM match WHERE id = ?1", params![id], |row| row.get(0))
            .optional()?;
        let Some(meta) = meta.and_then(|text| serde_json::from_str::<Meta>(&text).ok()) else {
            return Ok(None);
        };
        let mut query = connection
            .prepare("SELECT moves, time, faults FROM step WHERE id = ?1 ORDER BY step")?;
        let doc = |row: &Row<'_>| {
            let (moves, time, faults): (String, i64, String) =
                (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(StepDoc { moves: list(&moves), time: time.cast_unsigned(), faults: list(&faults) })
        };
        let steps = query.query_map(params![id], doc)?.collect::<Result<_>>()?;
        Ok(Some((meta, steps)))
    }

    /// The thoughts of a match: step, role, thought.
    pub fn thoughts(&self, id: &str) -> Result<Vec<(usize, usize, Value)>> {
        let connection = self.lock();
        let mut query = connection
            .prepare("SELECT step, role, thought FROM thought WHERE id = ?1 ORDER BY step, role")?;
        let found = query.query_map(params![id], |row| {
            let (step, role, thought): (i64, i64, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let thought = serde_json::from_str(&thought).unwrap_or(Value::Null);
            Ok((step.cast_unsigned() as usize, role.cast_unsigned() as usize, thought))
        })?;
        found.collect()
    }

    /// The matches, newest first.
    pub fn list(&self, filter: &Filter) -> Result<Vec<Listed>> {
        let connection = self.lock();
        let mut query = connection.prepare(
            "SELECT meta, step, changed FROM match WHERE (?1 IS NULL OR owner = ?1)
             AND (?2 IS NULL OR running = ?2) ORDER BY changed DESC LIMIT ?3",
        )?;
        let arguments = params![filter.owner, filter.running, filter.most.cast_signed()];
        let rows = query.query_map(arguments, |row| {
            let (meta, step, changed): (String, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok((meta, step.cast_unsigned() as usize, changed.cast_unsigned()))
        })?;
        let mut found = Vec::new();
        for row in rows {
            let (meta, step, changed) = row?;
            if let Ok(meta) = serde_json::from_str(&meta) {
                found.push(Listed { meta, step, changed });
            }
        }
        Ok(found)
    }

    /// How many running matches an account has.
    pub fn running(&self, account: &str) -> Result<usize> {
        let count: i64 = self.lock().query_row(
            "SELECT count(*) FROM match WHERE running AND json_extract(meta, '$.account') = ?1",
            params![account],
            |row| row.get(0),
        )?;
        Ok(count.cast_unsigned() as usize)
    }

    /// Forgets a match.
    pub fn delete(&self, id: &str) -> Result<()> {
        let mut connection = self.lock();
        let transaction = connection.transaction()?;
        for table in ["match", "step", "thought"] {
            transaction.execute(&format!("DELETE FROM {table} WHERE id = ?1"), params![id])?;
        }
        transaction.commit()
    }

    /// The picture of a rule sheet, if it was drawn before; empty where there is nothing to draw.
    pub fn picture(&self, sheet: &str) -> Result<Option<String>> {
        let connection = self.lock();
        let query = "SELECT svg FROM picture WHERE sheet = ?1";
        connection.query_row(query, params![sheet], |row| row.get(0)).optional()
    }

    /// Keeps a picture.
    pub fn keep_picture(&self, sheet: &str, svg: &str) -> Result<()> {
        self.lock()
            .execute("INSERT OR REPLACE INTO picture VALUES (?1, ?2)", params![sheet, svg])?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meta(id: &str, owner: &str) -> Meta {
        Meta {
            id: id.to_owned(),
            source: Source { library: Some("tictactoe".to_owned()), rules: None, title: None },
            name: "tictactoe".to_owned(),
            title: "Tic-Tac-Toe".to_owned(),
            roles: vec!["x".to_owned()],
            seats: Vec::new(),
            players: None,
            clocks: Some(ClocksDoc { start: 1.0, play: 2.0 }),
            think: 2.0,
            owner: owner.to_owned(),
            account: owner.to_owned(),
            created: 1,
            paused: false,
            imported: false,
            ended: None,
            seed: 7,
            annotations: Vec::new(),
        }
    }

    #[test]
    fn matches_come_back_as_they_were_kept() {
        let store = Store::open(None).expect("in memory");
        let (mut first, second) = (meta("a", "me"), meta("b", "you"));
        store.save(&first, 0).expect("kept");
        store.save(&second, 0).expect("kept");
        let step = |n: u64| StepDoc { moves: vec![format!("m{n}")], time: n, faults: vec![] };
        for n in 0..3 {
            store.add_step(&first, n as usize, &step(n)).expect("kept");
            store.think("a", n as usize, 0, &serde_json::json!({ "n": n })).expect("kept");
        }
        store.cut("a", 2).expect("cut");
        let (loaded, steps) = store.load("a").expect("read").expect("there");
        assert_eq!((loaded, steps), (first.clone(), vec![step(0), step(1)]));
        assert_eq!(store.thoughts("a").expect("read").len(), 2);
        first.ended =
            Some(Ended { why: "aborted".to_owned(), goals: None, resigned: None, message: None });
        store.save(&first, 2).expect("kept");
        let listed = |owner: Option<&str>, running| {
            let owner = owner.map(str::to_owned);
            let found = store.list(&Filter { owner, running, most: 9 }).expect("read");
            found.into_iter().map(|listed| listed.meta.id).collect::<Vec<_>>()
        };
        assert_eq!(listed(Some("me"), None), ["a"]);
        assert_eq!(listed(None, Some(true)), ["b"]);
        assert_eq!(
            (store.running("you").expect("read"), store.running("me").expect("read")),
            (1, 0)
        );
        store.delete("a").expect("gone");
        assert!(store.load("a").expect("read").is_none());
    }
}
