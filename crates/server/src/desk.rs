//! Which match a message belongs to, and what is answered at once.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use protocol::message::REFUSED_GDL_II;
use protocol::{Reply, Request, Start};
use tokio::sync::{Semaphore, oneshot};
use tracing::{debug, info, warn};

use crate::clock::{Due, Waits};
use crate::config::Config;
use crate::preview::Previews;
use crate::priority;
use crate::seat::{Command, NO_MOVE, Ready, Seat};

/// A match as the desk knows it.
struct Entry {
    commands: Sender<Command>,
    ready: Arc<Ready>,
    play_clock: Duration,
    longest_clock: Duration,
    heard: Instant,
}

impl Entry {
    /// Makes the thread end, also where it is busy.
    fn abort(self) {
        self.ready.cancel.store(true, Ordering::SeqCst);
        let _ = self.commands.send(Command::Abort);
    }
}

/// How busy a server is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Matches under way.
    pub matches: usize,
    /// Messages answered so far.
    pub messages: u64,
    /// Whether a game that was announced by PREVIEW is kept.
    pub preview: bool,
    /// Matches that began with what was prepared for a PREVIEW.
    pub prepared: u64,
}

/// The matches of a server.
pub(crate) struct Desk {
    config: Arc<Config>,
    matches: Mutex<BTreeMap<String, Entry>>,
    messages: Mutex<u64>,
    large: Semaphore,
    previews: Previews,
    prepared: AtomicU64,
    waits: Waits,
    /// Since when there is something to tidy up, and how often that will be done.
    untidy: Mutex<Option<(Instant, u32)>>,
}

/// How long after the last match it is tidied up, and how often: some of its threads end later than it, and allocators
/// give back only what they have not been asked for in a while.
const TIDY_AFTER: Duration = Duration::from_secs(5);
const TIDIED: u32 = 3;

/// How many large messages are read at a time.
const LARGE_AT_ONCE: usize = 4;

/// A match silent for longer than its longest clock and this may have to go for a new one.
const GIVEN_UP: Duration = Duration::from_secs(5);

impl Desk {
    pub(crate) fn new(config: Config) -> Self {
        let (matches, messages) = (Mutex::default(), Mutex::default());
        let large = Semaphore::new(LARGE_AT_ONCE);
        let (previews, prepared) = (Previews::default(), AtomicU64::new(0));
        Self {
            config: Arc::new(config),
            matches,
            messages,
            large,
            previews,
            prepared,
            waits: Waits::default(),
            untidy: Mutex::default(),
        }
    }

    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    /// How long this process waits for a core.
    pub(crate) fn waits(&self) -> &Waits {
        &self.waits
    }

    /// When the answer to a message with a clock is due.
    fn due(&self, arrival: Instant, clock: Duration) -> Due {
        Due::new(arrival, clock, self.config.margin, self.waits.longest())
    }

    /// Permits for large messages.
    pub(crate) fn large(&self) -> &Semaphore {
        &self.large
    }

    /// Matches under way; those whose thread has ended are dropped.
    fn matches(&self) -> MutexGuard<'_, BTreeMap<String, Entry>> {
        let mut matches = self.matches.lock().unwrap_or_else(PoisonError::into_inner);
        matches.retain(|_, entry| !entry.ready.ended.load(Ordering::SeqCst));
        matches
    }

    pub(crate) fn status(&self) -> Status {
        let messages = *self.messages.lock().unwrap_or_else(PoisonError::into_inner);
        let prepared = self.prepared.load(Ordering::Relaxed);
        let preview = self.previews.is_kept();
        Status { matches: self.matches().len(), messages, preview, prepared }
    }

    /// Ends all matches.
    pub(crate) fn close(&self) {
        self.previews.close();
        let matches = std::mem::take(&mut *self.matches());
        for entry in matches.into_values() {
            entry.abort();
        }
    }

    /// What is done now and then: matches that have been silent for too long although their threads are busy are
    /// ended (those that only wait end by themselves), and a preview that nobody asked for is forgotten.
    pub(crate) fn sweep(&self) {
        self.previews.sweep();
        self.end_silent();
        self.tidy();
    }

    /// Most is given back in a thread of its own, because it may take a while. What this thread keeps for itself only it can give
    /// back: that is done last, when little is left to do.
    fn tidy(&self) {
        let mut untidy = self.untidy.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.matches().is_empty() {
            *untidy = Some((Instant::now(), TIDIED));
        } else if let Some((_, times)) = untidy.take_if(|(last, _)| last.elapsed() >= TIDY_AFTER) {
            *untidy = (times > 1).then(|| (Instant::now(), times - 1));
            match self.config.tidy {
                Some(tidy) if times == 1 => tidy(),
                Some(tidy) => {
                    // Without a thread it is left for later.
                    let _ = std::thread::Builder::new().name("tidy".to_owned()).spawn(tidy);
                }
                None => {}
            }
        }
    }

    fn end_silent(&self) {
        let silence = self.config.silence;
        let over = |entry: &Entry| entry.heard.elapsed() > 3 * entry.longest_clock + 2 * silence;
        let mut matches = self.matches();
        let gone: Vec<String> =
            matches.iter().filter(|(_, entry)| over(entry)).map(|(id, _)| id.clone()).collect();
        for id in gone {
            warn!(id, "silent for too long; the match is ended");
            if let Some(entry) = matches.remove(&id) {
                entry.abort();
            }
        }
    }

    /// Answers a message that arrived at an instant.
    pub(crate) async fn answer(&self, request: Request, arrival: Instant) -> Reply {
        *self.messages.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        match request {
            Request::Info => {
                let available = self.matches().len() < self.config.matches;
                Reply::Info { name: self.config.name.clone(), available }
            }
            Request::Preview { rules, clock } => self.preview(&rules, clock, arrival).await,
            Request::Start(start) => self.start(start, arrival).await,
            Request::Play { id, moves } => self.play(&id, moves, arrival).await,
            Request::Stop { id, moves } => self.stop(&id, moves),
            Request::Abort { id } => match self.matches().remove(&id) {
                Some(entry) => {
                    entry.abort();
                    Reply::Aborted
                }
                None => Reply::Busy,
            },
            other => {
                warn!(id = other.id(), "a message of GDL-II was refused");
                Reply::Refused(REFUSED_GDL_II)
            }
        }
    }

    /// Prepares a game, and answers when that is done or the clock is nearly over: a manager may send START as
    /// soon as it has the answer. Matches that are being played are not disturbed.
    async fn preview(&self, rules: &str, clock: Duration, arrival: Instant) -> Reply {
        info!(bytes = rules.len(), ?clock, "PREVIEW");
        if self.matches().len() < self.config.matches {
            let due = self.due(arrival, clock);
            let stay = 3 * clock + self.config.silence;
            if let Some(done) = self.previews.prepare(rules, stay, &self.config) {
                let _ = tokio::time::timeout_at(due.reply.into(), done).await;
            }
        }
        Reply::Ready
    }

    async fn start(&self, start: Start, arrival: Instant) -> Reply {
        let id = start.id.clone();
        let due = self.due(arrival, start.start_clock);
        let (commands, to_do) = mpsc::channel();
        let (begun, told) = oneshot::channel();
        let ready = Arc::<Ready>::default();
        let entry = Entry {
            commands,
            ready: ready.clone(),
            play_clock: start.play_clock,
            longest_clock: start.play_clock.max(start.start_clock),
            heard: Instant::now(),
        };
        if !self.admit(&id, entry) {
            return Reply::Busy;
        }
        let config = self.config.clone();
        let prepared = self.previews.find(&start.rules);
        self.prepared.fetch_add(u64::from(prepared.is_some()), Ordering::Relaxed);
        let seat = Seat { start, due, config, prepared, commands: to_do, ready, begun };
        let thread = std::thread::Builder::new().name("match".to_owned()).spawn(move || {
            priority::lower();
            seat.run();
        });
        if let Err(error) = thread {
            warn!(%error, "no thread for a match");
            self.matches().remove(&id);
            return Reply::Busy;
        }
        match tokio::time::timeout_at(due.reply.into(), told).await {
            Ok(Ok(Err(why))) => {
                self.matches().remove(&id);
                Reply::Refused(why)
            }
            Ok(Ok(Ok(()))) => Reply::Ready,
            Ok(Err(_)) => {
                warn!(id, "the match ended before it began");
                Reply::Refused(protocol::message::REFUSED_RULES)
            }
            Err(_) => {
                warn!(id, "START is answered before the analysis is done");
                Reply::Ready
            }
        }
    }

    /// Takes a match in if there is room. The same match begins again; one that was given up makes room.
    fn admit(&self, id: &str, entry: Entry) -> bool {
        let mut matches = self.matches();
        if let Some(old) = matches.remove(id) {
            info!(id, "the match begins again");
            old.abort();
        }
        if matches.len() >= self.config.matches {
            let silent = |entry: &Entry| entry.heard.elapsed() > entry.longest_clock + GIVEN_UP;
            let Some(stale) = matches.iter().find(|(_, e)| silent(e)).map(|(id, _)| id.clone())
            else {
                info!(id, "busy with {}", matches.len());
                return false;
            };
            warn!(id = stale, "given up for a new match");
            if let Some(old) = matches.remove(&stale) {
                old.abort();
            }
        }
        matches.insert(id.to_owned(), entry);
        drop(matches);
        *self.untidy.lock().unwrap_or_else(PoisonError::into_inner) =
            Some((Instant::now(), TIDIED));
        true
    }

    async fn play(&self, id: &str, moves: Option<Vec<String>>, arrival: Instant) -> Reply {
        let (reply, answer) = oneshot::channel();
        let (due, ready) = {
            let mut matches = self.matches();
            let Some(entry) = matches.get_mut(id) else {
                debug!(id, "PLAY for a match that is not known");
                return Reply::Busy;
            };
            entry.heard = Instant::now();
            let due = self.due(arrival, entry.play_clock);
            if entry.commands.send(Command::Play { moves, due, reply }).is_err() {
                matches.remove(id);
                return Reply::Busy;
            }
            (due, entry.ready.clone())
        };
        let answer = tokio::time::timeout_at(due.reply.into(), answer).await;
        if let Some(entry) = self.matches().get_mut(id) {
            entry.heard = Instant::now();
        }
        let Ok(Ok(action)) = answer else {
            warn!(id, "the match did not answer; what was ready is sent");
            return Reply::Move(ready.action().unwrap_or_else(|| NO_MOVE.to_owned()));
        };
        Reply::Move(action)
    }

    fn stop(&self, id: &str, moves: Option<Vec<String>>) -> Reply {
        let Some(entry) = self.matches().remove(id) else {
            debug!(id, "STOP for a match that is not known");
            return Reply::Busy;
        };
        let _ = entry.commands.send(Command::Stop { moves });
        Reply::Done
    }
}
