//! What all requests share: the open matches, the rule sheets, the store, and threads for work that may take long.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, oneshot};

use crate::analysis::Analyses;
use crate::config::Config;
use crate::dealer::{Dealer, House};
use crate::error::{ApiError, Outcome};
use crate::pool::Pool;
use crate::sheets::{Sheet, Sheets, Source};
use crate::store::{Filter, Meta, StepDoc, Store};
use crate::table::{Missed, Table, View};
use crate::visitor::{Counts, Visitor};

/// The server without its sockets.
pub struct App {
    /// How it is set up.
    pub config: Config,
    /// The token that visitors need, if they need one.
    pub token: Option<String>,
    /// The rule sheets.
    pub sheets: Arc<Sheets>,
    /// What matches share.
    pub house: House,
    /// What accounts have under way.
    pub counts: Arc<Counts>,
    /// Analyses.
    pub analyses: Analyses,
    tables: Mutex<BTreeMap<String, Arc<Table>>>,
    /// Permits for work with rules that visitors bring; a thread that hangs keeps its own.
    readers: Arc<Semaphore>,
    /// Permits for work with rules of the library, which nobody can make hang.
    librarians: Arc<Semaphore>,
}

/// Whose rules work is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// Those of the library.
    Known,
    /// Those that a visitor brought.
    Brought,
}

impl Rules {
    /// Whether rules are those of the library.
    pub fn of(library: bool) -> Self {
        if library { Self::Known } else { Self::Brought }
    }
}

/// The account of work that no visitor asked for by name.
pub const OWN: &str = "server";
/// The stack of a thread that reads rules: deep terms are walked by recursion.
const STACK: usize = 64 << 20;

impl App {
    /// A server with its store open.
    pub fn new(config: Config, token: Option<String>) -> rusqlite::Result<Arc<Self>> {
        let limits = &config.limits;
        let store = Arc::new(Store::open(config.database.as_deref())?);
        let pool = Pool::new(limits.searches, limits.slice);
        let house = House { store, pool, limits: limits.clone() };
        Ok(Arc::new(Self {
            sheets: Arc::new(Sheets::new(limits)),
            counts: Arc::default(),
            analyses: Analyses::default(),
            tables: Mutex::default(),
            readers: Arc::new(Semaphore::new(limits.sheets.1)),
            librarians: Arc::new(Semaphore::new(limits.sheets.1)),
            house,
            token,
            config,
        }))
    }

    /// Does something with rules in a thread of its own, within the time for that. A thread that takes longer counts
    /// against the visitor until it ends.
    pub async fn watched<T: Send + 'static>(
        &self,
        account: &str,
        rules: Rules,
        most: Duration,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Outcome<T> {
        // The server's own work waits for its turn, but is not refused.
        let most_at_once = if account == OWN { usize::MAX } else { self.config.limits.sheets.0 };
        let counted = self.counts.add("rule sheets being read", account, most_at_once)?;
        let late = || ApiError::busy("the rules took too long");
        let permits = match rules {
            Rules::Known => self.librarians.clone(),
            Rules::Brought => self.readers.clone(),
        };
        let permit = tokio::time::timeout(most, permits.acquire_owned()).await;
        let permit = permit.map_err(|_| late())?.map_err(|_| late())?;
        let (sender, receiver) = oneshot::channel();
        let thread = std::thread::Builder::new().name("rules".to_owned()).stack_size(STACK);
        let started = thread.spawn(move || {
            let _kept = (permit, counted);
            let _ = sender.send(work());
        });
        started.map_err(|_| ApiError::busy("the system has no thread left"))?;
        match tokio::time::timeout(most, receiver).await {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(_)) => Err(ApiError::internal("reading the rules failed")),
            Err(_) => Err(late()),
        }
    }

    /// The sheet of a source.
    pub async fn sheet(&self, account: &str, source: Source) -> Outcome<Arc<Sheet>> {
        let (sheets, whose) = (self.sheets.clone(), account.to_owned());
        let rules = Rules::of(source.library.is_some());
        let work = move || sheets.get(&whose, &source);
        self.watched(account, rules, self.config.limits.sheet_time, work).await?
    }

    fn known(&self, id: &str) -> Option<Arc<Table>> {
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        tables.retain(|_, table| !table.is_gone());
        tables.get(id).cloned()
    }

    /// Opens a match; one that another request opened meanwhile is kept.
    pub fn open(&self, meta: Meta, steps: Vec<StepDoc>, sheet: Arc<Sheet>) -> Outcome<Arc<Table>> {
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = tables.get(&meta.id).filter(|table| !table.is_gone()) {
            return Ok(known.clone());
        }
        tables.retain(|_, table| !table.is_gone());
        if tables.len() >= self.config.limits.tables {
            // The one that was looked at least recently makes room.
            let idlest = tables.iter().max_by_key(|(_, table)| table.feed.idle());
            let Some((id, idle)) = idlest.map(|(id, table)| (id.clone(), table.feed.idle())) else {
                return Err(ApiError::busy("too many matches are open"));
            };
            if idle < Duration::from_secs(1) {
                return Err(ApiError::busy("too many matches are open"));
            }
            if let Some(table) = tables.remove(&id) {
                table.end();
            }
        }
        let id = meta.id.clone();
        let table = Arc::new(Table::open(self.house.clone(), meta, steps, sheet)?);
        tables.insert(id, table.clone());
        Ok(table)
    }

    /// The match with a name, fetched from the store if it is not in memory.
    pub async fn table(&self, id: &str) -> Outcome<Arc<Table>> {
        if let Some(known) = self.known(id) {
            return Ok(known);
        }
        let loaded = self.house.store.load(id).map_err(|e| ApiError::internal(e.to_string()))?;
        let (meta, steps) =
            loaded.ok_or_else(|| ApiError::not_found(format!("there is no match {id}")))?;
        let sheet = self.sheet(OWN, meta.source.clone()).await?;
        self.open(meta, steps, sheet)
    }

    /// The view of a match.
    pub async fn view(&self, id: &str) -> Outcome<Arc<View>> {
        for _ in 0..2 {
            match self.table(id).await?.view().await {
                Ok(view) => return Ok(view),
                Err(Missed::Failed(error)) => return Err(error),
                Err(Missed::Gone) => {}
            }
        }
        Err(ApiError::busy("the match is being put away"))
    }

    /// Has something done in a match; a match that is just being put away is fetched again.
    pub async fn run<T: Send + 'static>(
        &self,
        id: &str,
        work: impl FnOnce(&mut Dealer) -> Outcome<T> + Send + Clone + 'static,
    ) -> Outcome<T> {
        for _ in 0..2 {
            match self.table(id).await?.run(work.clone()).await {
                Ok(done) => return Ok(done),
                Err(Missed::Failed(error)) => return Err(error),
                Err(Missed::Gone) => {}
            }
        }
        Err(ApiError::busy("the match is being put away"))
    }

    /// Forgets a match.
    pub fn forget(&self, id: &str) -> Outcome<()> {
        let table = self.tables.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
        if let Some(table) = table {
            table.end();
        }
        self.house.store.delete(id).map_err(|error| ApiError::internal(error.to_string()))
    }

    /// Matches that play by themselves go on after a restart.
    pub async fn resume(&self) {
        let filter =
            Filter { running: Some(true), most: self.config.limits.tables / 2, owner: None };
        for listed in self.house.store.list(&filter).unwrap_or_default() {
            let people =
                listed.meta.seats.iter().any(|seat| seat.url.is_none() && seat.kind != "strategy");
            if !people && !listed.meta.paused {
                let _ = self.table(&listed.meta.id).await;
            }
        }
    }

    /// Whether a visitor may have another match.
    pub fn check_matches(&self, visitor: &Visitor) -> Outcome<()> {
        let most = self.config.limits.matches;
        let running = self.house.store.running(&visitor.account);
        let running = running.map_err(|error| ApiError::internal(error.to_string()))?;
        if running >= most {
            return Err(ApiError::too_many(format!(
                "you have {running} running matches; end or delete one first"
            )));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;
    use crate::config::Limits;

    #[tokio::test]
    async fn work_that_hangs_is_given_up_and_counts_against_who_brought_it() {
        let limits = Limits { sheets: (2, 3), ..Limits::default() };
        let app = App::new(Config { limits, ..Config::default() }, None).expect("a store");
        let (short, long) = (Duration::from_millis(50), Duration::from_secs(60));
        let mut held = Vec::new();
        for account in ["hostile", "hostile", "evil"] {
            let (release, wait) = mpsc::channel::<()>();
            held.push(release);
            let hung = app.watched(account, Rules::Brought, short, move || wait.recv().is_ok());
            assert_eq!(hung.await.expect_err("it hangs").code, "busy");
        }
        let more = app.watched("hostile", Rules::Brought, short, || ()).await;
        assert_eq!(more.expect_err("two hang already").code, "too_many");
        let brought = app.watched("other", Rules::Brought, short, || ()).await;
        assert_eq!(brought.expect_err("all readers hang").code, "busy");
        let known = app.watched("other", Rules::Known, long, || 7).await;
        assert_eq!(known.expect("games of the library can be played"), 7);
        held.clear();
        while app.watched("hostile", Rules::Brought, long, || ()).await.is_err() {
            tokio::time::sleep(short).await;
        }
    }
}
