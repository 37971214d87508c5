//! One match: players are asked, the reasoner is the referee, everything is recorded.
//!
//! Faults are handled as the managers of the field do: a player that is late, cannot be reached or
//! answers with an illegal move gets a random legal one, the fault is recorded, and the match goes on.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use game::playout::Random;
use game::{Budget, Game, GameError, JointMove, Machine, Move, ReasonError, Reasoner, Role, State};
use protocol::MatchRecord;
use protocol::message::spaced;
use protocol::record::{Extra, state_text};

use crate::scramble::Scrambler;
use crate::seat::{Ask, Briefing, Fault, Seat};
use crate::watch::{Event, Observer};

/// The clocks of a match. On the wire they are whole seconds, rounded down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// For looking at the rules beforehand; none if there is no preview.
    pub preview: Option<Duration>,
    /// Before the first move.
    pub start: Duration,
    /// For each move.
    pub play: Duration,
    /// Beyond a clock, before the player counts as late.
    pub grace: Duration,
}

impl Default for Clocks {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { preview: None, start: seconds(10), play: seconds(10), grace: seconds(1) }
    }
}

/// What becomes of players that fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// After that many faults a player is not asked any more: its moves are random, its result is 0.
    pub forfeit: Option<u32>,
    /// The longest match in steps; a longer one is aborted.
    pub longest: usize,
}

impl Default for Policy {
    fn default() -> Self {
        Self { forfeit: None, longest: 10_000 }
    }
}

/// What a match is about.
#[derive(Clone)]
pub struct Setup {
    /// The name of the match.
    pub id: String,
    /// The short name of the game.
    pub name: String,
    /// Its rules, as written.
    pub rules: String,
    /// The game.
    pub game: Game,
    /// Gives out machines.
    pub reasoner: Reasoner,
    /// The clocks.
    pub clocks: Clocks,
    /// What becomes of players that fail.
    pub policy: Policy,
    /// The seed of the manager's random moves.
    pub seed: u64,
    /// Other names for players, drawn from this seed.
    pub scramble: Option<u64>,
    /// The tournament it belongs to.
    pub tournament: Option<String>,
    /// Set to abort the match.
    pub cancel: Arc<AtomicBool>,
}

impl Setup {
    /// A match of a game with the usual settings.
    pub fn new(name: &str, rules: &str) -> Result<Self, GameError> {
        let (parsed, problems) = gdl::parse(rules, &gdl::Limits::default());
        if problems.iter().any(gdl::Diagnostic::is_error) {
            return Err(GameError::Invalid(problems));
        }
        Ok(Self::of(name, rules, &Game::new(parsed)?))
    }

    /// The same for a game that was made already.
    pub fn of(name: &str, rules: &str, game: &Game) -> Self {
        Self::sharing(name, rules, &Reasoner::in_background(game, Budget::default()).0)
    }

    /// The same with a reasoner that is shared with other matches.
    pub fn sharing(name: &str, rules: &str, reasoner: &Reasoner) -> Self {
        Self {
            id: format!("fluxion.{}.{}", name_part(name), milliseconds()),
            name: name.to_owned(),
            rules: rules.to_owned(),
            game: reasoner.game().clone(),
            reasoner: reasoner.clone(),
            clocks: Clocks::default(),
            policy: Policy::default(),
            seed: 1,
            scramble: None,
            tournament: None,
            cancel: Arc::default(),
        }
    }
}

/// A name as part of the name of a match, which must be a single symbol.
fn name_part(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_alphanumeric() || c == '_' || c == '-' { c } else { '_' })
        .collect()
}

/// Milliseconds since 1970.
pub(crate) fn milliseconds() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    now.as_millis() as u64
}

/// Why a match cannot begin.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MatchError {
    /// The game has another number of roles.
    Seats {
        /// Players given.
        given: usize,
        /// Roles of the game.
        roles: usize,
    },
    /// There is no initial state.
    Reason(ReasonError),
}

impl fmt::Display for MatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Seats { given, roles } => {
                write!(f, "the game has {roles} roles, but {given} players were named")
            }
            Self::Reason(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for MatchError {}

impl From<ReasonError> for MatchError {
    fn from(error: ReasonError) -> Self {
        Self::Reason(error)
    }
}

/// What became of a step.
enum Turn {
    /// A joint move was made.
    Made,
    /// The match is over, with a result.
    Over,
    /// It cannot go on.
    Stuck(String),
}

/// A match that can be run.
pub struct Match<'s> {
    setup: Setup,
    seats: &'s mut [Box<dyn Seat>],
    machine: Box<dyn Machine>,
    on_circuit: bool,
    scrambler: Scrambler,
    random: Random,
    state: State,
    last: Option<JointMove>,
    record: MatchRecord,
    faults: Vec<u32>,
}

impl<'s> Match<'s> {
    /// Brings the players to the table, one for each role in their order.
    pub fn new(setup: Setup, seats: &'s mut [Box<dyn Seat>]) -> Result<Self, MatchError> {
        let roles = setup.game.roles().len();
        if seats.len() != roles {
            return Err(MatchError::Seats { given: seats.len(), roles });
        }
        let mut machine = setup.reasoner.machine();
        let state = machine.initial()?;
        let scrambler = match setup.scramble {
            Some(seed) => Scrambler::new(setup.game.rules(), seed),
            None => Scrambler::none(),
        };
        Ok(Self {
            on_circuit: setup.reasoner.gates().is_some(),
            random: Random::new(setup.seed),
            record: blank(&setup, seats, scrambler.scrambles()),
            faults: vec![0; roles],
            last: None,
            machine,
            scrambler,
            state,
            setup,
            seats,
        })
    }

    /// Plays to the end. The record is complete after every event.
    pub fn run(mut self, observer: &mut dyn Observer) -> MatchRecord {
        self.arrive();
        self.preview();
        let faults = self.start();
        self.note(faults);
        observer.event(&Event::Began { record: &self.record });
        let aborted = loop {
            match self.step(observer) {
                Ok(Turn::Made) => {}
                Ok(Turn::Over) => break None,
                Ok(Turn::Stuck(why)) => break Some(why),
                Err(error) => break Some(error.to_string()),
            }
        };
        self.end(aborted);
        observer.event(&Event::Ended { record: &self.record });
        self.record
    }

    fn arrive(&mut self) {
        self.record.states.push(state_text(&self.setup.game, &self.state));
        self.record.state_times.push(milliseconds());
    }

    fn preview(&mut self) {
        let Some(clock) = self.setup.clocks.preview else { return };
        let deadline = Instant::now() + clock + self.setup.clocks.grace;
        // A player that cannot be reached now gets its fault at the start.
        self.for_all(|seat, briefing| {
            let _ = seat.preview(briefing, deadline);
        });
    }

    fn start(&mut self) -> Vec<Option<Fault>> {
        let clocks = self.setup.clocks;
        let deadline = Instant::now() + clocks.start + clocks.grace;
        self.for_all(|seat, briefing| seat.start(briefing, deadline).err())
    }

    /// Does something with all players at once.
    fn for_all<T: Send>(
        &mut self,
        act: impl Fn(&mut Box<dyn Seat>, &Briefing<'_>) -> T + Sync,
    ) -> Vec<T> {
        let (setup, scrambler) = (&self.setup, &self.scrambler);
        let briefing = |role| Briefing {
            id: &setup.id,
            game: &setup.game,
            reasoner: &setup.reasoner,
            role,
            clocks: setup.clocks,
            scrambler,
        };
        let act = &act;
        std::thread::scope(|scope| {
            let seats = self.seats.iter_mut().zip(setup.game.role_ids());
            let threads: Vec<_> = seats
                .map(|(seat, role)| {
                    let briefing = briefing(role);
                    scope.spawn(move || act(seat, &briefing))
                })
                .collect();
            threads.into_iter().map(join).collect()
        })
    }

    /// One joint move, if there is one to be made.
    fn step(&mut self, observer: &mut dyn Observer) -> Result<Turn, ReasonError> {
        if !self.on_circuit && self.setup.reasoner.gates().is_some() {
            self.machine = self.setup.reasoner.machine();
            self.on_circuit = true;
        }
        if self.machine.is_terminal(&self.state)? {
            self.score()?;
            return Ok(Turn::Over);
        }
        if self.setup.cancel.load(Ordering::Relaxed) {
            return Ok(Turn::Stuck("interrupted".to_owned()));
        }
        if self.record.moves.len() >= self.setup.policy.longest {
            return Ok(Turn::Stuck(format!("longer than {} steps", self.record.moves.len())));
        }
        let legal = self.legal()?;
        if let Some(stuck) = legal.iter().position(Vec::is_empty) {
            let role = self.setup.game.role_name(Role(stuck as u32));
            return Ok(Turn::Stuck(format!("{role} has no legal move")));
        }
        let answers = self.ask(&legal);
        self.make(&legal, answers)?;
        observer.event(&Event::Moved { record: &self.record, step: self.record.moves.len() });
        Ok(Turn::Made)
    }

    fn legal(&mut self) -> Result<Vec<Vec<Move>>, ReasonError> {
        let roles = self.setup.game.role_ids();
        roles
            .map(|role| {
                let mut moves = Vec::new();
                self.machine.legal_moves(&self.state, role, &mut moves)?;
                Ok(moves)
            })
            .collect()
    }

    /// Asks all players at once; those that forfeited are not asked.
    fn ask(&mut self, legal: &[Vec<Move>]) -> Vec<Option<Result<Move, Fault>>> {
        let deadline = Instant::now() + self.setup.clocks.play + self.setup.clocks.grace;
        let forfeited: Vec<bool> = (0..legal.len()).map(|role| self.has_forfeited(role)).collect();
        let (game, state, last) = (&self.setup.game, &self.state, self.last.as_ref());
        std::thread::scope(|scope| {
            let seats = self.seats.iter_mut().zip(legal).zip(forfeited);
            let threads: Vec<_> = seats
                .map(|((seat, legal), forfeited)| {
                    let ask = Ask { game, last, state, legal, deadline };
                    (!forfeited).then(|| scope.spawn(move || in_time(seat.play(&ask), &ask)))
                })
                .collect();
            threads.into_iter().map(|thread| thread.map(join)).collect()
        })
    }

    fn has_forfeited(&self, role: usize) -> bool {
        self.setup.policy.forfeit.is_some_and(|most| self.faults[role] >= most.max(1))
    }

    /// Makes the joint move of the answers, random moves where there is none.
    fn make(
        &mut self,
        legal: &[Vec<Move>],
        answers: Vec<Option<Result<Move, Fault>>>,
    ) -> Result<(), ReasonError> {
        let mut joint = Vec::new();
        let mut faults = Vec::new();
        for (answer, legal) in answers.into_iter().zip(legal) {
            let any = legal[self.random.below(legal.len())];
            let (action, fault) = match answer {
                Some(Ok(action)) if legal.contains(&action) => (action, None),
                Some(Ok(_)) => (any, Some(Fault::Illegal("a move of another state".to_owned()))),
                Some(Err(fault)) => (any, Some(fault)),
                None => (any, None),
            };
            joint.push(action);
            faults.push(fault);
        }
        let joint = JointMove(joint);
        self.state = self.machine.next(&self.state, &joint)?;
        let universe = self.setup.game.universe();
        let texts = joint.0.iter().map(|action| spaced(&universe.move_entry(*action).text));
        self.record.moves.push(texts.collect());
        self.last = Some(joint);
        self.note(faults);
        self.arrive();
        Ok(())
    }

    /// Records faults, and who forfeits by them.
    fn note(&mut self, faults: Vec<Option<Fault>>) {
        for (role, fault) in faults.iter().enumerate() {
            let before = self.has_forfeited(role);
            self.faults[role] += u32::from(fault.is_some());
            if self.has_forfeited(role) && !before {
                let name = self.setup.game.role_name(Role(role as u32));
                if let Some(extra) = &mut self.record.fluxion {
                    extra.forfeited.push(name);
                }
            }
        }
        let text = |fault: Option<Fault>| fault.map_or(String::new(), |fault| fault.to_string());
        self.record.errors.push(faults.into_iter().map(text).collect());
    }

    fn score(&mut self) -> Result<(), ReasonError> {
        let (goals, _) = protocol::trace::terminal_goals(&mut *self.machine, &self.state, true)?;
        let goals = goals.unwrap_or_default();
        // A goal that the rules leave open counts as nothing.
        let value = |(role, goal): (usize, Option<i64>)| {
            if self.has_forfeited(role) { 0 } else { goal.unwrap_or(0) }
        };
        self.record.goal_values = goals.into_iter().enumerate().map(value).collect();
        self.record.is_completed = true;
        Ok(())
    }

    /// Tells the players, all at once.
    fn end(&mut self, aborted: Option<String>) {
        let over = aborted.is_none();
        self.record.is_aborted = !over;
        if let Some(extra) = &mut self.record.fluxion {
            extra.aborted_because = aborted;
        }
        let (game, last) = (&self.setup.game, self.last.as_ref());
        std::thread::scope(|scope| {
            for seat in self.seats.iter_mut() {
                scope.spawn(move || if over { seat.stop(game, last) } else { seat.abort() });
            }
        });
    }
}

/// An answer after the deadline is none.
fn in_time(answer: Result<Move, Fault>, ask: &Ask<'_>) -> Result<Move, Fault> {
    if Instant::now() > ask.deadline { Err(Fault::TimedOut) } else { answer }
}

/// A panic of a seat's thread goes on in the thread of the match.
fn join<T>(thread: std::thread::ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn blank(setup: &Setup, seats: &[Box<dyn Seat>], scrambled: bool) -> MatchRecord {
    let now = milliseconds();
    let roles = setup.game.role_ids().map(|role| setup.game.role_name(role)).collect();
    let rules_sha256 = protocol::trace::sha256(setup.rules.as_bytes());
    let token = protocol::trace::sha256(format!("{} {now} {}", setup.id, setup.seed).as_bytes());
    MatchRecord {
        match_id: setup.id.clone(),
        random_token: token[..32].to_owned(),
        start_time: now,
        game_meta_url: format!("fluxion:{}", setup.name),
        preview_clock: setup.clocks.preview.map_or(-1, |clock| clock.as_secs().cast_signed()),
        start_clock: setup.clocks.start.as_secs(),
        play_clock: setup.clocks.play.as_secs(),
        player_names_from_host: seats.iter().map(|seat| seat.name()).collect(),
        is_player_human: seats.iter().map(|seat| seat.is_human()).collect(),
        tournament_name_from_host: setup.tournament.clone(),
        scrambled,
        fluxion: Some(Extra {
            game: setup.name.clone(),
            rules: setup.rules.clone(),
            rules_sha256,
            roles,
            seed: setup.seed,
            scramble_seed: setup.scramble,
            ..Extra::default()
        }),
        ..MatchRecord::default()
    }
}

#[cfg(test)]
#[path = "play_tests.rs"]
mod tests;
