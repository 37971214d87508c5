//! A seat that is no person: a strategy of this program or a player over HTTP, in a thread of its own.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use game::{Deadline, JointMove, Move, Role, State};
use manager::{Address, Ask, Briefing, Clocks, Fault, Remote, Scrambler, Seat};
use player::{Player, Setup, Strategy, Watch};
use search::SearchReport;

use crate::pool::Pool;
use crate::sheets::Sheet;

/// Who plays.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A strategy of this program.
    Strategy(Strategy),
    /// A player over HTTP.
    Remote(Address),
}

/// What an engine needs to know.
#[derive(Clone)]
pub struct Task {
    /// Who plays.
    pub kind: Kind,
    /// The role.
    pub role: Role,
    /// The game.
    pub sheet: Arc<Sheet>,
    /// Where turns are taken.
    pub pool: Arc<Pool>,
    /// Whom the time counts for.
    pub account: String,
    /// Bytes.
    pub memory: usize,
    /// The seed of random choices.
    pub seed: u64,
    /// The name of the match.
    pub id: String,
    /// The clocks.
    pub clocks: Clocks,
}

/// What is asked.
#[derive(Clone, Debug)]
pub enum Work {
    /// Get ready.
    Start,
    /// Find a move.
    Think {
        /// Where.
        state: State,
        /// The moves that led there.
        last: Option<JointMove>,
        /// What there is to choose from.
        legal: Vec<Move>,
        /// For how long.
        time: Duration,
    },
    /// The match is over.
    Stop {
        /// The last moves.
        last: Option<JointMove>,
        /// Whether it has a result.
        complete: bool,
    },
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The number of the order.
    pub ticket: u64,
    /// The move; none where none was wanted.
    pub action: Result<Option<Move>, String>,
    /// What the search found.
    pub report: Option<SearchReport>,
}

/// What a player found out about the game, in words.
type Findings = Arc<Mutex<Vec<String>>>;

/// The handle on the thread.
pub struct Engine {
    orders: Sender<(u64, Work)>,
    /// The order that counts; 0 for none.
    wanted: Arc<AtomicU64>,
    /// The order at work; 0 for none.
    busy: Arc<AtomicU64>,
    watch: Arc<Mutex<Watch>>,
    findings: Findings,
    /// The strategy, as written; empty for players over HTTP.
    pub strategy: String,
    leaving: bool,
}

/// How long a player is kept that has nothing to do.
const KEPT: Duration = Duration::from_secs(90);

impl Engine {
    /// Starts the thread. Answers go to `tell`.
    pub fn start(task: Task, tell: impl Fn(Answer) + Send + 'static) -> Self {
        let (orders, to_do) = mpsc::channel();
        let (wanted, busy) = (Arc::<AtomicU64>::default(), Arc::<AtomicU64>::default());
        let watch = Arc::new(Mutex::new(Watch::default()));
        let findings = Findings::default();
        let strategy = match &task.kind {
            Kind::Strategy(strategy) => strategy.to_string(),
            Kind::Remote(_) => String::new(),
        };
        let inside = Inside {
            task,
            wanted: wanted.clone(),
            busy: busy.clone(),
            watch: watch.clone(),
            findings: findings.clone(),
            player: None,
            remote: None,
        };
        let thread = std::thread::Builder::new().name("engine".to_owned());
        // Without a thread orders go nowhere, and the clock of the match decides.
        let _ = thread.spawn(move || inside.run(&to_do, &tell));
        Self { orders, wanted, busy, watch, findings, strategy, leaving: false }
    }

    /// Gives an order; what is under way does not count any more.
    pub fn order(&self, ticket: u64, work: Work) {
        self.wanted.store(ticket, Ordering::SeqCst);
        let _ = self.orders.send((ticket, work));
        self.nudge();
    }

    /// Nothing is wanted any more.
    pub fn cancel(&self) {
        self.wanted.store(0, Ordering::SeqCst);
        self.nudge();
    }

    /// Hurries what is under way although it does not count; to be called again and again.
    pub fn nudge(&self) {
        if self.is_busy() && self.busy.load(Ordering::SeqCst) != self.wanted.load(Ordering::SeqCst)
        {
            self.watch.lock().unwrap_or_else(PoisonError::into_inner).hurry();
        }
    }

    /// Whether something is under way.
    pub fn is_busy(&self) -> bool {
        self.busy.load(Ordering::SeqCst) != 0
    }

    /// The best thought so far about the order that counts.
    pub fn thought(&self) -> Option<SearchReport> {
        if !self.is_busy() || self.busy.load(Ordering::SeqCst) != self.wanted.load(Ordering::SeqCst)
        {
            return None;
        }
        self.watch.lock().unwrap_or_else(PoisonError::into_inner).thought()?.report
    }
}

impl Engine {
    /// What the player found out about the game, in words; empty where it does not tell.
    pub fn findings(&self) -> Vec<String> {
        self.findings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Lets the thread carry out its last order and end.
    pub fn leave(mut self) {
        self.leaving = true;
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        if !self.leaving {
            self.cancel();
        }
    }
}

struct Inside {
    task: Task,
    wanted: Arc<AtomicU64>,
    busy: Arc<AtomicU64>,
    watch: Arc<Mutex<Watch>>,
    findings: Findings,
    player: Option<Player>,
    remote: Option<Remote>,
}

impl Inside {
    fn run(mut self, orders: &Receiver<(u64, Work)>, tell: &dyn Fn(Answer)) {
        loop {
            match orders.recv_timeout(KEPT) {
                Ok((ticket, work)) => {
                    if self.wanted.load(Ordering::SeqCst) != ticket {
                        continue;
                    }
                    self.busy.store(ticket, Ordering::SeqCst);
                    let answer = self.carry_out(ticket, work);
                    self.busy.store(0, Ordering::SeqCst);
                    tell(answer);
                }
                Err(RecvTimeoutError::Timeout) => self.rest(),
                Err(RecvTimeoutError::Disconnected) => break self.rest(),
            }
        }
    }

    /// Gives memory back.
    fn rest(&mut self) {
        if let Some(mut player) = self.player.take() {
            player.stop();
        }
    }

    fn carry_out(&mut self, ticket: u64, work: Work) -> Answer {
        let mut answer = Answer { ticket, action: Ok(None), report: None };
        match self.task.kind.clone() {
            Kind::Remote(address) => answer.action = self.ask_remote(&address, work),
            Kind::Strategy(strategy) => match work {
                Work::Start => {
                    self.player(&strategy, ticket);
                }
                Work::Think { state, time, .. } => {
                    (answer.action, answer.report) = self.think(&strategy, ticket, &state, time);
                }
                Work::Stop { .. } => self.rest(),
            },
        }
        answer
    }

    /// The player, made and started if there is none.
    fn player(&mut self, strategy: &Strategy, ticket: u64) -> Option<&mut Player> {
        if self.player.is_none() {
            let mut setup = Setup::new(&self.task.sheet.game, self.task.role)
                .with_reasoner(&self.task.sheet.reasoner);
            (setup.start_clock, setup.play_clock) = (self.task.clocks.start, self.task.clocks.play);
            (setup.seed, setup.memory) = (self.task.seed, self.task.memory);
            let player = self.player.insert(strategy.player(setup));
            let watch = player.watch();
            *self.watch.lock().unwrap_or_else(PoisonError::into_inner) = watch.clone();
            let wanted = self.wanted.clone();
            let given_up = move || wanted.load(Ordering::SeqCst) != ticket;
            let hurry = Box::new(move || watch.hurry());
            let _place = self.task.pool.take(&self.task.account, hurry, &given_up)?;
            let _ = player.start(&Deadline::within(self.task.clocks.start));
            *self.findings.lock().unwrap_or_else(PoisonError::into_inner) = player.findings();
        }
        self.player.as_mut()
    }

    fn think(
        &mut self,
        strategy: &Strategy,
        ticket: u64,
        state: &State,
        time: Duration,
    ) -> (Result<Option<Move>, String>, Option<SearchReport>) {
        let (pool, account, wanted) =
            (self.task.pool.clone(), self.task.account.clone(), self.wanted.clone());
        let Some(player) = self.player(strategy, ticket) else { return (Ok(None), None) };
        let watch = player.watch();
        let given_up = move || wanted.load(Ordering::SeqCst) != ticket;
        let hurry = Box::new(move || watch.hurry());
        let Some(_place) = pool.take(&account, hurry, &given_up) else { return (Ok(None), None) };
        player.resume_at(state);
        let action = player.play(None, &Deadline::within(time)).map_err(|error| error.to_string());
        let report = player.last_thought().and_then(|thought| thought.report.clone());
        let told = player.findings();
        *self.findings.lock().unwrap_or_else(PoisonError::into_inner) = told;
        (action.map(Some), report)
    }

    fn ask_remote(&mut self, address: &Address, work: Work) -> Result<Option<Move>, String> {
        let fault = |fault: Fault| fault.to_string();
        let sheet = self.task.sheet.clone();
        let clocks = self.task.clocks;
        let remote = self.remote.get_or_insert_with(|| {
            let mut remote = Remote::new(address.to_string(), address.clone());
            remote.rejoin(&self.task.id);
            remote
        });
        match work {
            Work::Start => {
                let scrambler = Scrambler::none();
                let briefing = Briefing {
                    id: &self.task.id,
                    game: &sheet.game,
                    reasoner: &sheet.reasoner,
                    role: self.task.role,
                    clocks,
                    scrambler: &scrambler,
                };
                let deadline = Instant::now() + clocks.start + clocks.grace;
                remote.start(&briefing, deadline).map(|()| None).map_err(fault)
            }
            Work::Think { state, last, legal, .. } => {
                let deadline = Instant::now() + clocks.play + clocks.grace;
                let (game, last) = (&sheet.game, last.as_ref());
                let ask = Ask { game, last, state: &state, legal: &legal, deadline };
                remote.play(&ask).map(Some).map_err(fault)
            }
            Work::Stop { last, complete } => {
                if complete {
                    remote.stop(&sheet.game, last.as_ref());
                } else {
                    remote.abort();
                }
                Ok(None)
            }
        }
    }
}

/// What plays where no strategy is named.
pub const DEFAULT: &str = "fluxion";
/// The strengths that people may choose from.
pub const STRENGTHS: std::ops::RangeInclusive<u8> = 1..=10;

/// A strategy with a limit on nodes for a strength below the greatest; strategies without nodes stay as they are.
pub fn with_strength(text: &str, strength: Option<u8>) -> Result<Strategy, player::BadStrategy> {
    let strategy = Strategy::parse(text)?;
    let known = Strategy::all().iter().find(|info| info.name == strategy.name());
    let has_nodes =
        known.is_some_and(|info| info.options.iter().any(|option| option.key == "nodes"));
    match strength {
        Some(strength) if strength < *STRENGTHS.end() && has_nodes => {
            // From a handful of nodes to some hundred thousand, four times as many each time.
            let nodes = 8u64 << (2 * u32::from(strength.max(1) - 1));
            strategy.with("nodes", nodes)
        }
        _ => Ok(strategy),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strength_limits_nodes_where_there_are_nodes() {
        let show = |text: &str, strength| {
            with_strength(text, strength).map_or_else(|e| e.to_string(), |s| s.to_string())
        };
        assert_eq!(show("uct", Some(1)), "uct:nodes=8");
        assert_eq!(show("uct:threads=2", Some(6)), "uct:nodes=8192,threads=2");
        assert_eq!(show("uct", Some(10)), "uct");
        assert_eq!(show("random", Some(3)), "random");
        assert!(Strategy::parse(DEFAULT).is_ok());
        assert!(show("clever", None).contains("there is no strategy"));
    }
}
