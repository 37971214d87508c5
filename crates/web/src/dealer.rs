//! A match is a thread: it owns the states, the seats and the clocks, and does one thing after the other. Whoever wants
//! something of it sends a piece of work and waits; whatever is slow or hostile in a rule sheet holds up this thread
//! alone.

mod actions;
mod advice;
mod asking;
mod history;
mod telling;

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use game::playout::Random;
use game::{JointMove, Move, State};
use serde_json::Value;

use crate::config::Limits;
use crate::engine::{Answer, Engine};
use crate::feed::Feed;
use crate::pool::Pool;
use crate::referee::{Look, Referee};
use crate::sheets::Sheet;
use crate::store::{Ended, Meta, StepDoc, Store};
use crate::table::View;

pub use advice::Advice;

/// What the thread of a match is sent.
pub enum Note {
    /// Something to do.
    Do(Box<dyn FnOnce(&mut Dealer) + Send>),
    /// A seat answered.
    Seat(usize, Answer),
    /// The adviser answered.
    Advice(Answer),
    /// Boards have been looked for: the position can be drawn.
    Drawn,
    /// The match is to be forgotten.
    End,
}

/// How far a match is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Moves are replayed, players get ready.
    Preparing,
    /// It is being played.
    Running,
    /// It has ended.
    Over,
}

/// What all matches share.
#[derive(Clone)]
pub struct House {
    /// Where matches are kept.
    pub store: Arc<Store>,
    /// Where searches take turns.
    pub pool: Arc<Pool>,
    /// What visitors may use.
    pub limits: Limits,
}

/// Runs a match.
pub struct Dealer {
    house: House,
    meta: Meta,
    sheet: Arc<Sheet>,
    referee: Referee,
    phase: Phase,
    /// The states, the initial one first.
    states: Vec<State>,
    joints: Vec<JointMove>,
    steps: Vec<StepDoc>,
    /// What was thought about each step, by role.
    thoughts: Vec<Vec<Option<Value>>>,
    /// What is known about the present state.
    look: Look,
    /// The present position for the page, once it was made.
    drawn: Option<Value>,
    /// Moves that are in.
    pending: Vec<Option<Move>>,
    /// What players did wrong in the present step; empty texts for nothing.
    faults: Vec<String>,
    engines: Vec<Option<Engine>>,
    /// For each seat the order that is under way; 0 for none.
    asked: Vec<u64>,
    tickets: u64,
    advice: Advice,
    random: Random,
    /// When the present step began, in both kinds of time.
    since: (Instant, u64),
    /// A paused match may play one step.
    single: bool,
    /// The last time somebody did something.
    active: Instant,
    feed: Arc<Feed>,
    view: tokio::sync::watch::Sender<Option<Arc<View>>>,
    inbox: Sender<Note>,
}

/// The longest match.
const LONGEST: usize = 10_000;
/// Between two looks at thoughts and clocks, while something goes on.
const TICK: Duration = Duration::from_millis(100);
/// The same while nothing does.
const REST: Duration = Duration::from_secs(2);
/// Beyond a clock, before somebody counts as late.
const GRACE: Duration = Duration::from_secs(1);
/// How long the first view waits for boards: what comes within a blink need not be shown twice.
const BLINK: Duration = Duration::from_millis(200);
/// Without people, a step is shown at least that long.
const PACE: Duration = Duration::from_millis(400);

impl Dealer {
    /// A match that is not under way yet.
    pub fn new(
        house: House,
        meta: Meta,
        sheet: Arc<Sheet>,
        feed: Arc<Feed>,
        view: tokio::sync::watch::Sender<Option<Arc<View>>>,
        inbox: Sender<Note>,
    ) -> Self {
        let roles = sheet.game.roles().len();
        Self {
            referee: Referee::new(&sheet, house.limits.question),
            phase: Phase::Preparing,
            states: Vec::new(),
            joints: Vec::new(),
            steps: Vec::new(),
            thoughts: Vec::new(),
            look: Look::default(),
            drawn: None,
            pending: vec![None; roles],
            faults: vec![String::new(); roles],
            engines: (0..roles).map(|_| None).collect(),
            asked: vec![0; roles],
            tickets: 0,
            advice: Advice::default(),
            random: Random::new(meta.seed),
            since: (Instant::now(), crate::random::now()),
            single: false,
            active: Instant::now(),
            house,
            meta,
            sheet,
            feed,
            view,
            inbox,
        }
    }

    /// Runs until nobody is interested any more. What there is to know then is in the store.
    pub fn run(mut self, steps: Vec<StepDoc>, notes: &Receiver<Note>) {
        self.begin(steps);
        loop {
            self.advance();
            match notes.recv_timeout(self.pause()) {
                Ok(Note::Do(work)) => {
                    self.active = Instant::now();
                    work(&mut self);
                }
                Ok(Note::Seat(role, answer)) => self.answered(role, answer),
                Ok(Note::Advice(answer)) => self.advised(answer),
                Ok(Note::Drawn) => self.redraw(),
                Ok(Note::End) | Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {}
            }
            self.tick();
            if self.is_idle() {
                break;
            }
        }
        self.stop_engines();
    }

    /// Has boards looked for aside: until they are there, the match is shown and played as facts and moves.
    fn look_for_boards(&self) {
        if self.sheet.structures_now().is_some() {
            return;
        }
        let (sheet, inbox) = (self.sheet.clone(), self.inbox.clone());
        let (found, soon) = std::sync::mpsc::channel();
        let thread = std::thread::Builder::new().name("boards".to_owned());
        // Without a thread the match stays as it is: complete, but without a picture.
        let _ = thread.spawn(move || {
            sheet.structures();
            let _ = found.send(());
            let _ = inbox.send(Note::Drawn);
        });
        let _ = soon.recv_timeout(BLINK);
    }

    /// Boards are there: what was shown without them is shown again.
    fn redraw(&mut self) {
        if self.drawn.as_ref().is_some_and(|position| position["drawn"] == false) {
            self.drawn = None;
            self.tell_change();
        }
    }

    /// Replays what was played, and gets ready.
    fn begin(&mut self, steps: Vec<StepDoc>) {
        self.look_for_boards();
        let result = self.replay(steps);
        if let Err(message) = result {
            self.end(Ended {
                why: "failed".to_owned(),
                goals: None,
                resigned: None,
                message: Some(message),
            });
            return;
        }
        if self.meta.ended.is_some() {
            self.phase = Phase::Over;
        }
        self.publish();
        if self.phase != Phase::Over {
            self.seat_engines();
            self.start_if_ready();
        }
    }

    /// The number of joint moves made.
    fn step(&self) -> usize {
        self.joints.len()
    }

    fn state(&self) -> State {
        self.states.last().cloned().unwrap_or_default()
    }

    fn is_person(&self, role: usize) -> bool {
        matches!(self.meta.seats[role].kind.as_str(), "human" | "open")
    }

    fn has_people(&self) -> bool {
        (0..self.meta.seats.len()).any(|role| self.is_person(role))
    }

    /// Plays on as far as nobody has to be waited for.
    fn advance(&mut self) {
        while self.phase == Phase::Running {
            if self.look.terminal {
                let goals = Some(self.look.goals.clone());
                self.end(Ended {
                    why: "terminal".to_owned(),
                    goals,
                    resigned: None,
                    message: None,
                });
                return;
            }
            if let Some(stuck) = self.look.legal.iter().position(Vec::is_empty) {
                let message = Some(format!("{} has no legal move", self.meta.roles[stuck]));
                self.end(Ended { why: "stuck".to_owned(), goals: None, resigned: None, message });
                return;
            }
            if self.step() >= LONGEST {
                let message = Some(format!("longer than {LONGEST} steps"));
                self.end(Ended { why: "aborted".to_owned(), goals: None, resigned: None, message });
                return;
            }
            self.ask();
            if self.pending.iter().any(Option::is_none) || !self.may_go_on() {
                return;
            }
            self.make();
        }
    }

    /// Whether a complete joint move may be made now. In a match that is paused nobody is asked, so what is complete
    /// was chosen by somebody; only steps without any choice have to be held back.
    fn may_go_on(&self) -> bool {
        let choice = self.look.legal.iter().any(|moves| moves.len() > 1);
        let held = self.meta.paused && !self.single && !choice;
        let paced = self.has_people() || self.single || self.since.0.elapsed() >= PACE;
        !held && paced
    }

    /// Makes the joint move that is complete.
    fn make(&mut self) {
        let joint = JointMove(self.pending.iter().flatten().copied().collect());
        let state = self.state();
        let next = self.referee.next(&state, &joint);
        let looked = next.and_then(|next| Ok((self.referee.look(&next)?, next)));
        let (look, next) = match looked {
            Ok(found) => found,
            Err(error) => {
                let message = Some(error.to_string());
                self.end(Ended { why: "failed".to_owned(), goals: None, resigned: None, message });
                return;
            }
        };
        let moves = crate::thought::joint_texts(&self.sheet.game, &joint);
        let doc = StepDoc { moves, time: crate::random::now(), faults: self.faults.clone() };
        self.keep(self.house.store.add_step(&self.meta, self.joints.len(), &doc));
        self.joints.push(joint);
        self.steps.push(doc);
        self.states.push(next);
        self.thoughts.push(vec![None; self.meta.roles.len()]);
        self.look = look;
        self.drawn = None;
        self.single = false;
        self.begin_step();
        self.ask();
        self.tell_position();
    }

    /// Asks those who have to move, so that what is told next says whom the match waits for.
    fn ask(&mut self) {
        let playable = !self.look.terminal && !self.look.legal.iter().any(Vec::is_empty);
        if self.phase == Phase::Running && playable {
            self.fill_forced();
            self.ask_engines();
        }
    }

    /// Nobody has moved in the present step so far.
    fn begin_step(&mut self) {
        self.pending.fill(None);
        self.faults.iter_mut().for_each(String::clear);
        self.asked.fill(0);
        self.since = (Instant::now(), crate::random::now());
    }

    /// Ends the match.
    fn end(&mut self, ended: Ended) {
        self.phase = Phase::Over;
        self.single = false;
        let complete = ended.why == "terminal";
        self.meta.ended = Some(ended);
        self.save();
        self.release_engines(complete);
        self.tell_end();
    }

    fn save(&self) {
        self.keep(self.house.store.save(&self.meta, self.joints.len()));
    }

    /// What cannot be written is told to the log; the match goes on.
    fn keep(&self, result: rusqlite::Result<()>) {
        if let Err(error) = result {
            tracing::error!(id = self.meta.id, %error, "a match could not be kept");
        }
    }

    fn is_thinking(&self) -> bool {
        self.engines.iter().flatten().any(Engine::is_busy) || self.advice.is_busy()
    }

    fn pause(&self) -> Duration {
        let runs = self.phase != Phase::Over && (self.meta.clocks.is_some() || !self.has_people());
        if self.is_thinking() || (runs && !self.meta.paused) { TICK } else { REST }
    }

    /// Whether the match can be put away: nobody looks, and it does not go on by itself.
    fn is_idle(&self) -> bool {
        let alive = self.phase == Phase::Running && !self.has_people() && !self.meta.paused;
        let idle = self.active.elapsed().min(self.feed.idle());
        !alive && !self.is_thinking() && idle > self.house.limits.idle
    }

    /// Looks at clocks and thoughts.
    fn tick(&mut self) {
        for engine in self.engines.iter().flatten() {
            engine.nudge();
        }
        self.advice.nudge();
        self.start_if_ready();
        self.check_clocks();
        self.tell_thoughts();
    }
}
