//! Rules that were announced by PREVIEW: read and made a circuit of before the match begins.
//!
//! At most one game is kept; the next PREVIEW takes its place, and it is dropped when nobody has asked for it for
//! a while. A START of the same rules takes over what is there, also where it is still being made.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use game::{Game, Reasoner};
use gdl::{Syntax, keyword};
use protocol::message::{REFUSED_GDL_II, REFUSED_RULES, compact};
use tokio::sync::oneshot;
use tracing::{info, warn};

use crate::config::Config;
use crate::priority;

/// The game of the rules of a message.
pub(crate) fn read(rules: &str, config: &Config) -> Result<Game, &'static str> {
    let (rules, problems) = gdl::parse_as(rules, Syntax::Kif, &config.reading());
    if let Some(problem) = problems.first() {
        warn!(message = problem.message, "a problem of the rules");
    }
    if rules.clauses.iter().any(|clause| clause.head.name == keyword::SEES) {
        return Err(REFUSED_GDL_II);
    }
    Game::new(rules).map_err(|error| {
        warn!(%error, "the rules cannot be played");
        REFUSED_RULES
    })
}

/// A game that was announced. When nobody holds it any more, the building of its circuit ends.
pub(crate) struct Prepared {
    /// The rules without needless blanks.
    rules: String,
    /// There once the rules have been read.
    made: OnceLock<Result<Reasoner, &'static str>>,
    abandon: Arc<AtomicBool>,
}

impl Prepared {
    fn new(rules: &str) -> Self {
        Self { rules: compact(rules), made: OnceLock::new(), abandon: Arc::default() }
    }

    /// Reads the rules and makes the circuit.
    fn make(&self, config: &Config) {
        let read = catch_unwind(AssertUnwindSafe(|| read(&self.rules, config)));
        let budget = player::circuit_budget(config.rules_memory, &self.abandon);
        let mut building = None;
        let made = read.unwrap_or(Err(REFUSED_RULES)).map(|game| {
            let (reasoner, thread) = Reasoner::in_background(&game, budget);
            building = Some(thread);
            reasoner
        });
        let _ = self.made.set(made);
        if let Some(thread) = building {
            let _ = thread.join();
        }
    }

    /// The reasoner; waits until the rules have been read.
    pub(crate) fn reasoner(&self) -> Result<Reasoner, &'static str> {
        self.made.wait().clone()
    }
}

/// What a desk and the matches that use it hold of a [`Prepared`] game.
pub(crate) struct Hold(Arc<Prepared>);

impl Hold {
    /// The game.
    pub(crate) fn prepared(&self) -> &Prepared {
        &self.0
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.0.abandon.store(true, Ordering::Relaxed);
    }
}

/// The place for a game that was announced.
#[derive(Default)]
pub(crate) struct Previews {
    kept: Mutex<Option<Kept>>,
}

struct Kept {
    hold: Arc<Hold>,
    until: Instant,
    stay: Duration,
}

impl Previews {
    fn kept(&self) -> MutexGuard<'_, Option<Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins to prepare a game, which is kept for a time after it was last asked for. What comes back is told when
    /// all is done; nothing comes back where another game is still being read.
    pub(crate) fn prepare(
        &self,
        rules: &str,
        stay: Duration,
        config: &Arc<Config>,
    ) -> Option<oneshot::Receiver<()>> {
        let mut kept = self.kept();
        // Reading cannot be interrupted, so that only one at a time bounds the work.
        if kept.as_ref().is_some_and(|kept| kept.hold.prepared().made.get().is_none()) {
            info!("another preview is being read");
            return None;
        }
        let prepared = Arc::new(Prepared::new(rules));
        let (told, done) = oneshot::channel();
        let (worker, config) = (prepared.clone(), config.clone());
        let thread = std::thread::Builder::new().name("preview".to_owned()).spawn(move || {
            priority::lower();
            worker.make(&config);
            let _ = told.send(());
        });
        // Without a thread there is nothing to wait for.
        thread.ok()?;
        let hold = Arc::new(Hold(prepared));
        *kept = Some(Kept { hold, until: Instant::now() + stay, stay });
        Some(done)
    }

    /// What was prepared for these rules.
    pub(crate) fn find(&self, rules: &str) -> Option<Arc<Hold>> {
        let mut kept = self.kept();
        let kept = kept.as_mut().filter(|kept| kept.hold.prepared().rules == compact(rules))?;
        kept.until = Instant::now() + kept.stay;
        Some(kept.hold.clone())
    }

    /// Drops what nobody has asked for in time.
    pub(crate) fn sweep(&self) {
        let mut kept = self.kept();
        let old = kept.take_if(|kept| Instant::now() > kept.until);
        if old.is_some() {
            info!("the preview is forgotten");
        }
    }

    /// Drops everything.
    pub(crate) fn close(&self) {
        *self.kept() = None;
    }

    /// Whether a game is kept.
    pub(crate) fn is_kept(&self) -> bool {
        self.kept().is_some()
    }
}
