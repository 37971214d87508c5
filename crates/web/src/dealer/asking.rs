//! Seats are asked for moves, and their answers taken.

use std::time::{Duration, Instant};

use game::{Move, Role};
use manager::{Address, Clocks};

use super::{Dealer, GRACE, Note, Phase};
use crate::engine::{Answer, DEFAULT, Engine, Kind, Task, Work, with_strength};

/// The time to get ready where there are no clocks.
const WARM_UP: Duration = Duration::from_millis(200);

impl Dealer {
    /// The clocks that players are told.
    pub(super) fn clocks(&self) -> Clocks {
        let (start, play) = match self.meta.clocks {
            Some(clocks) => (clocks.start, clocks.play),
            None => (WARM_UP.as_secs_f64(), self.meta.think),
        };
        let seconds = |value: f64| Duration::from_secs_f64(value.clamp(0.0, 86_400.0));
        Clocks { preview: None, start: seconds(start), play: seconds(play), grace: GRACE }
    }

    /// Brings the players of all seats to the table that have none yet.
    pub(super) fn seat_engines(&mut self) {
        for role in 0..self.meta.seats.len() {
            if self.engines[role].is_none() && !self.is_person(role) {
                self.seat_engine(role);
            }
        }
    }

    fn kind(&self, role: usize) -> Option<Kind> {
        let seat = &self.meta.seats[role];
        if let Some(url) = &seat.url {
            return Address::parse(url).map(Kind::Remote);
        }
        let text = seat.strategy.as_deref().unwrap_or(DEFAULT);
        with_strength(text, seat.strength).ok().map(Kind::Strategy)
    }

    /// What gives advice: it needs no time to get ready.
    pub(super) fn adviser(&self) -> &'static str {
        if self.meta.roles.len() == 1 { "plan" } else { "uct" }
    }

    pub(super) fn task(&self, kind: Kind, role: usize) -> Task {
        let mut clocks = self.clocks();
        if matches!(kind, Kind::Remote(_)) {
            // Clocks of messages are whole seconds, and players elsewhere do not expect 0.
            let whole =
                |time: Duration| Duration::from_secs_f64(time.as_secs_f64().ceil().max(1.0));
            (clocks.start, clocks.play) = (whole(clocks.start), whole(clocks.play));
        }
        Task {
            kind,
            role: Role(role as u32),
            sheet: self.sheet.clone(),
            pool: self.house.pool.clone(),
            account: self.meta.account.clone(),
            memory: self.house.limits.player_memory,
            seed: self.meta.seed.wrapping_mul(31).wrapping_add(role as u64),
            id: format!("fluxion.{}", self.meta.id),
            clocks,
        }
    }

    fn seat_engine(&mut self, role: usize) {
        let Some(kind) = self.kind(role) else { return };
        let inbox = self.inbox.clone();
        let tell = move |answer| {
            let _ = inbox.send(Note::Seat(role, answer));
        };
        // A player over HTTP that was there before a restart still knows the match.
        let knows = matches!(kind, Kind::Remote(_)) && self.step() > 0;
        let engine = Engine::start(self.task(kind, role), tell);
        if !knows {
            self.asked[role] = self.ticket();
            engine.order(self.asked[role], Work::Start);
        }
        self.engines[role] = Some(engine);
    }

    pub(super) fn ticket(&mut self) -> u64 {
        self.tickets += 1;
        self.tickets
    }

    /// Play begins once all players are ready.
    pub(super) fn start_if_ready(&mut self) {
        let waited = self.asked.iter().any(|ticket| *ticket != 0);
        if self.phase != Phase::Preparing || waited || self.states.is_empty() {
            return;
        }
        self.phase = Phase::Running;
        self.begin_step();
        self.ask();
        self.tell_change();
    }

    /// Whose only move is made without a question: those who merely wait for others. Where nobody has a choice, a
    /// person still makes a move that says something.
    pub(super) fn fill_forced(&mut self) {
        let choice = self.look.legal.iter().any(|moves| moves.len() > 1);
        for role in 0..self.pending.len() {
            let remote = self.meta.seats[role].url.is_some();
            let [only] = self.look.legal[role][..] else { continue };
            let plain = !self.referee.text(only).starts_with('(');
            let asked = remote || (self.is_person(role) && !choice && !plain);
            if self.pending[role].is_none() && !asked {
                self.pending[role] = Some(only);
            }
        }
    }

    /// Asks all players who have not moved yet.
    pub(super) fn ask_engines(&mut self) {
        if self.meta.paused && !self.single {
            return;
        }
        for role in 0..self.pending.len() {
            let due = self.pending[role].is_none() && self.asked[role] == 0;
            if !due || self.engines[role].is_none() {
                continue;
            }
            let ticket = self.ticket();
            let work = Work::Think {
                state: self.state(),
                last: self.joints.last().cloned(),
                legal: self.look.legal[role].clone(),
                time: self.clocks().play,
            };
            self.asked[role] = ticket;
            if let Some(engine) = &self.engines[role] {
                engine.order(ticket, work);
            }
        }
    }

    /// A seat answered.
    pub(super) fn answered(&mut self, role: usize, answer: Answer) {
        if self.asked[role] != answer.ticket || self.phase == Phase::Over {
            return;
        }
        self.asked[role] = 0;
        if self.phase == Phase::Preparing {
            if let Err(fault) = answer.action {
                self.tell_fault(role, &fault);
            }
            self.start_if_ready();
            return;
        }
        if let Some(report) = &answer.report {
            self.note_thought(role, report);
        }
        let legal = |action: &Move| self.look.legal[role].contains(action);
        let fault = match answer.action {
            Ok(Some(action)) if legal(&action) => {
                self.submit(role, action);
                return;
            }
            Ok(_) => "IL no move".to_owned(),
            Err(fault) => fault,
        };
        self.blunder(role, &fault);
    }

    /// A move is in.
    pub(super) fn submit(&mut self, role: usize, action: Move) {
        self.pending[role] = Some(action);
        if self.look.choosing().len() > 1 && self.pending.iter().any(Option::is_none) {
            self.tell_submitted(role);
        }
    }

    /// A random move in place of one that did not come.
    fn blunder(&mut self, role: usize, fault: &str) {
        self.tell_fault(role, fault);
        fault.clone_into(&mut self.faults[role]);
        let legal = &self.look.legal[role];
        if !legal.is_empty() {
            self.pending[role] = Some(legal[self.random.below(legal.len())]);
        }
    }

    /// Who is too late gets a random move.
    pub(super) fn check_clocks(&mut self) {
        let Some(until) = self.until().filter(|_| self.phase == Phase::Running) else { return };
        if Instant::now() < until + GRACE || (self.meta.paused && !self.single) {
            return;
        }
        for role in 0..self.pending.len() {
            // Strategies wait for their turn; their clock begins with it.
            if self.pending[role].is_none() && self.is_person(role) {
                self.blunder(role, "TO");
            }
        }
    }

    /// When the clock of the present step ends.
    pub(super) fn until(&self) -> Option<Instant> {
        let clocks = self.meta.clocks?;
        self.since.0.checked_add(Duration::from_secs_f64(clocks.play))
    }

    /// What is under way does not count any more.
    pub(super) fn recall_engines(&mut self) {
        self.engines.iter().flatten().for_each(Engine::cancel);
        self.begin_step();
    }

    /// The match is over: players are told and leave.
    pub(super) fn release_engines(&mut self, complete: bool) {
        self.asked.fill(0);
        for engine in &mut self.engines {
            if let Some(engine) = engine.take() {
                let last = self.joints.last().cloned();
                self.tickets += 1;
                engine.order(self.tickets, Work::Stop { last, complete });
                engine.leave();
            }
        }
    }

    /// The thread ends: players leave at once.
    pub(super) fn stop_engines(&mut self) {
        self.engines.iter_mut().for_each(|engine| *engine = None);
    }
}
