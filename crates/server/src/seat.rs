//! The thread of one match: makes the game from its rules, follows the history, asks the player.
//!
//! Everything that can be slow or go wrong happens here. The desk waits for this thread only until the
//! clock of the message is nearly over, and then sends what [`Ready`] holds.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use game::{Deadline, Game, Role};
use player::{Player, Setup, Strategy};
use protocol::Start;
use protocol::message::{REFUSED_ROLE, REFUSED_RULES};
use tokio::sync::oneshot;
use tracing::{debug, info, warn};

use crate::clock::Due;
use crate::config::Config;
use crate::history::{Followed, History};
use crate::preview::{self, Hold};

/// What the desk tells a match.
pub(crate) enum Command {
    /// Follow the moves and answer with a move.
    Play { moves: Option<Vec<String>>, due: Due, reply: oneshot::Sender<String> },
    /// The match is over.
    Stop { moves: Option<Vec<String>> },
    /// The match ends without a result.
    Abort,
}

/// What is sent if the match does not answer in time.
#[derive(Debug, Default)]
pub(crate) struct Ready {
    action: Mutex<Option<String>>,
    /// Set when the thread has ended.
    pub ended: AtomicBool,
    /// Set to make the thread come to an end, whatever it does.
    pub cancel: Arc<AtomicBool>,
}

impl Ready {
    /// The move that is ready.
    pub(crate) fn action(&self) -> Option<String> {
        self.action.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn put(&self, action: Option<String>) {
        *self.action.lock().unwrap_or_else(PoisonError::into_inner) = action;
    }
}

/// Marks the match as ended, also when its thread panics.
struct Ending(Arc<Ready>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.ended.store(true, Ordering::SeqCst);
    }
}

/// What a match is made of.
pub(crate) struct Seat {
    pub start: Start,
    pub due: Due,
    pub config: Arc<Config>,
    /// The same rules, if they were announced.
    pub prepared: Option<Arc<Hold>>,
    pub commands: Receiver<Command>,
    pub ready: Arc<Ready>,
    /// Told once whether the match can be played.
    pub begun: oneshot::Sender<Result<(), &'static str>>,
}

/// How many joint moves of the expected line are told.
const SHOWN_LINE: usize = 4;

/// The answer where no legal move is known.
pub(crate) const NO_MOVE: &str = "nil";

impl Seat {
    /// Lives through the match.
    pub(crate) fn run(self) {
        let _ending = Ending(self.ready.clone());
        let span = tracing::info_span!("match", id = %self.start.id, role = %self.start.role);
        let _inside = span.enter();
        let Self { start, due, config, prepared, commands, ready, begun } = self;
        let (start_clock, play_clock) = (start.start_clock, start.play_clock);
        info!(start_clock = ?start_clock, play_clock = ?play_clock, bytes = start.rules.len(), "START");
        let reasoner = prepared.as_ref().and_then(|hold| hold.prepared().reasoner().ok());
        if let Some(reasoner) = &reasoner {
            info!(machine = %reasoner.status(), "the rules are those of the PREVIEW");
        }
        let known = reasoner.as_ref().map(|reasoner| reasoner.game().clone());
        let made = catch_unwind(AssertUnwindSafe(|| make(&start, known, &config)));
        let (game, role) = match made.unwrap_or(Err(REFUSED_RULES)) {
            Ok(made) => made,
            Err(why) => {
                warn!(why, "refused");
                let _ = begun.send(Err(why));
                return;
            }
        };
        drop(start.rules);
        let silence = 3 * start_clock.max(play_clock) + config.silence;
        let mut setup = Setup::new(&game, role);
        (setup.start_clock, setup.play_clock, setup.reasoner) = (start_clock, play_clock, reasoner);
        match Table::new(setup, &config, ready) {
            Some(mut table) => {
                table.prepare(due);
                let _ = begun.send(Ok(()));
                table.play(&commands, silence);
                table.player.stop();
            }
            None => {
                let _ = begun.send(Err(REFUSED_RULES));
            }
        }
    }
}

/// The game and the role of a START message; the game may be known already.
fn make(start: &Start, known: Option<Game>, config: &Config) -> Result<(Game, Role), &'static str> {
    let game = match known {
        Some(game) => game,
        None => preview::read(&start.rules, config)?,
    };
    let term = game.universe().parse(&start.role);
    let role = game.role_ids().find(|role| Some(&game.roles()[role.index()]) == term.as_ref());
    Ok((game, role.ok_or(REFUSED_ROLE)?))
}

/// A match that can be played.
struct Table {
    player: Player,
    history: History,
    ready: Arc<Ready>,
}

impl Table {
    fn new(mut setup: Setup, config: &Config, ready: Arc<Ready>) -> Option<Self> {
        let role = setup.role;
        (setup.seed, setup.ponder, setup.memory) = (config.seed, config.ponder, config.memory);
        setup.rules_memory = config.rules_memory;
        setup.archive.clone_from(&config.archive);
        let strategy = config.strategy.clone().or_else(|| Strategy::parse("random").ok())?;
        let player = strategy.player(setup);
        match History::new(player.reasoner(), role, &ready.cancel) {
            Ok(history) => Some(Self { player, history, ready }),
            Err(error) => {
                warn!(%error, "there is no initial state");
                None
            }
        }
    }

    fn prepare(&mut self, due: Due) {
        let begin = Instant::now();
        self.put_ready();
        if let Err(error) = self.player.start(&Deadline::at(due.answer)) {
            warn!(%error, "START was not used");
        }
        self.trouble();
        let status = self.player.reasoner().status();
        info!(ms = begin.elapsed().as_millis() as u64, machine = %status, "ready");
        for finding in self.player.findings() {
            info!(finding, "known");
        }
    }

    /// Puts a legal move ready.
    fn put_ready(&mut self) {
        let legal = self.history.legal().unwrap_or_default();
        self.ready.put(legal.first().map(|action| self.text(*action)));
    }

    fn text(&self, action: game::Move) -> String {
        self.history.game().universe().move_entry(action).text.to_string()
    }

    fn play(&mut self, commands: &Receiver<Command>, silence: Duration) {
        while !self.ready.cancel.load(Ordering::Relaxed) {
            match commands.recv_timeout(silence) {
                Ok(Command::Play { moves, due, reply }) => {
                    self.follow(moves.as_deref(), due);
                    let _ = reply.send(self.choose(due));
                }
                Ok(Command::Stop { moves }) => {
                    let none = Duration::ZERO;
                    self.stop(moves.as_deref(), Due::new(Instant::now(), silence, none, none));
                    return;
                }
                Ok(Command::Abort) | Err(RecvTimeoutError::Disconnected) => {
                    info!("aborted");
                    return;
                }
                Err(RecvTimeoutError::Timeout) => {
                    warn!(?silence, "nothing was heard; the match is ended");
                    return;
                }
            }
        }
    }

    fn follow(&mut self, moves: Option<&[String]>, due: Due) {
        let joint = moves.map_or("nil".to_owned(), |moves| moves.join(" "));
        match self.history.follow(moves, due) {
            Ok(followed) if followed.is_odd() => {
                warn!(step = self.history.steps(), joint, "{followed}");
            }
            Ok(Followed::Repeated) => info!(step = self.history.steps(), joint, "told again"),
            Ok(_) => debug!(step = self.history.steps(), joint, "followed"),
            Err(error) => warn!(%error, joint, "the moves could not be followed"),
        }
        self.put_ready();
    }

    fn choose(&mut self, due: Due) -> String {
        if self.ready.cancel.load(Ordering::Relaxed) {
            return NO_MOVE.to_owned();
        }
        let begin = Instant::now();
        self.player.resume_at(self.history.state());
        let chosen =
            catch_unwind(AssertUnwindSafe(|| self.player.play(None, &Deadline::at(due.answer))));
        self.trouble();
        let text = match chosen {
            Ok(Ok(action)) => {
                self.history.answered(action);
                self.text(action)
            }
            Ok(Err(error)) => {
                warn!(%error, "no move was chosen");
                self.ready.action().unwrap_or_else(|| NO_MOVE.to_owned())
            }
            Err(_) => {
                warn!("the player panicked");
                self.ready.action().unwrap_or_else(|| NO_MOVE.to_owned())
            }
        };
        self.tell(&text, begin.elapsed().as_millis() as u64);
        text
    }

    /// One line about a move: how deep the search was, what it expects, and how it would go on.
    fn tell(&self, action: &str, ms: u64) {
        let step = self.history.steps();
        let report = self.player.last_thought().and_then(|thought| thought.report.as_ref());
        let Some(report) = report else {
            info!(step, ms, action, "PLAY");
            return;
        };
        let universe = self.history.game().universe();
        let joint = |joint: &game::JointMove| {
            let texts = joint.0.iter().map(|action| universe.move_entry(*action).text.to_string());
            texts.collect::<Vec<_>>().join(" ")
        };
        let line: Vec<String> = report.line.iter().take(SHOWN_LINE).map(joint).collect();
        let value = report.values.get(report.role.index()).map_or(50.0, |value| value.estimate);
        info!(
            step,
            ms,
            action,
            method = report.method,
            value = (value * 10.0).round() / 10.0,
            depth = report.depth,
            deepest = report.selective_depth,
            nodes = report.nodes,
            solved = report.solved,
            line = line.join(", "),
            "PLAY"
        );
    }

    fn trouble(&self) {
        if let Some(trouble) = self.player.trouble() {
            warn!(%trouble, "trouble");
        }
    }

    fn stop(&mut self, moves: Option<&[String]>, due: Due) {
        if moves.is_some() {
            self.follow(moves, due);
        }
        let over = self.history.is_terminal().unwrap_or(false);
        let goals = self.history.goals().unwrap_or_default();
        if over {
            self.player.resume_at(self.history.state());
            self.player.finish(None);
        }
        info!(steps = self.history.steps(), over, ?goals, "STOP");
    }
}
