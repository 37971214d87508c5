//! A player of one role in one match: keeps track of the state and answers in time, always.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use game::playout::Random;
use game::{Budget, Deadline, Game, JointMove, Machine, Move, ReasonError, Reasoner, Role, State};

use crate::archive::{Archive, Recollection};
use crate::strategy::Strategy;
use crate::thinker::{Context, Thought};
use crate::worker::{Answer, Task, Watch, Worker};

/// What a player is told before the match.
#[derive(Clone)]
pub struct Setup {
    /// The game.
    pub game: Game,
    /// The role to play.
    pub role: Role,
    /// The time for preparation.
    pub start_clock: Duration,
    /// The time for each move.
    pub play_clock: Duration,
    /// The seed of all random choices.
    pub seed: u64,
    /// Whether to think on the time of others.
    pub ponder: bool,
    /// How long before a deadline the answer is given; a fifth of the time left if that is less.
    pub margin: Duration,
    /// The memory that may be used, in bytes.
    pub memory: usize,
    /// The memory for making the rules ground and a circuit of them, where that is done by the player: it is given back before long.
    pub rules_memory: usize,
    /// A reasoner to share with others; otherwise one is built in the background from the start on.
    pub reasoner: Option<Reasoner>,
    /// Where knowledge of games is kept; none to begin every match anew and to keep nothing.
    pub archive: Option<Arc<dyn Archive>>,
}

/// The memory that a player may use unless told otherwise.
const MEMORY: usize = 1 << 30;
const MARGIN: Duration = Duration::from_millis(50);
const CLOCK: Duration = Duration::from_secs(10);
/// How long a thread may take to end before nobody waits for it any longer.
const PATIENCE: Duration = Duration::from_millis(200);

impl Setup {
    /// The usual setup for a role of a game.
    pub fn new(game: &Game, role: Role) -> Self {
        Self {
            game: game.clone(),
            role,
            start_clock: CLOCK,
            play_clock: CLOCK,
            seed: 1,
            ponder: false,
            margin: MARGIN,
            memory: MEMORY,
            rules_memory: MEMORY,
            reasoner: None,
            archive: None,
        }
    }

    /// The same with a reasoner to share.
    #[must_use]
    pub fn with_reasoner(mut self, reasoner: &Reasoner) -> Self {
        self.reasoner = Some(reasoner.clone());
        self
    }
}

/// The bounds on the circuit of a player, with some memory to build it; the flag ends its building.
pub fn circuit_budget(memory: usize, abandon: &Arc<AtomicBool>) -> Budget {
    let cancel = Some(abandon.clone());
    Budget { cancel, max_bytes: memory, ..Budget::default() }
}

/// Why there is no move.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlayError {
    /// The role has no legal move in the present state.
    NoLegalMove,
    /// The rules could not be evaluated, or a joint move did not fit.
    Reason(ReasonError),
}

impl fmt::Display for PlayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLegalMove => write!(f, "there is no legal move"),
            Self::Reason(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for PlayError {}

impl From<ReasonError> for PlayError {
    fn from(error: ReasonError) -> Self {
        Self::Reason(error)
    }
}

/// What went wrong while a move was looked for; a legal move was played all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Trouble {
    /// The search did not answer in time.
    Late,
    /// The search panicked.
    Panicked,
    /// The search could not evaluate the rules.
    Failed(ReasonError),
    /// The search chose no move, or an illegal one.
    NoMove,
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Late => write!(f, "the search did not answer in time"),
            Self::Panicked => write!(f, "the search panicked"),
            Self::Failed(error) => write!(f, "the search failed: {error}"),
            Self::NoMove => write!(f, "the search chose no legal move"),
        }
    }
}

/// A player: [`Player::start`], then [`Player::play`] for each move, then [`Player::stop`].
pub struct Player {
    strategy: Strategy,
    setup: Setup,
    reasoner: Reasoner,
    /// Ends the building of the circuit.
    abandon: Arc<AtomicBool>,
    machine: Box<dyn Machine>,
    on_circuit: bool,
    state: Option<State>,
    worker: Option<Worker>,
    random: Random,
    last: Option<Thought>,
    trouble: Option<Trouble>,
    findings: Arc<Mutex<Vec<String>>>,
    recollection: Option<Arc<Recollection>>,
    /// Moves made so far.
    moves: u32,
}

impl Player {
    pub(crate) fn new(strategy: Strategy, setup: Setup) -> Self {
        let abandon = Arc::new(AtomicBool::new(false));
        let reasoner = setup.reasoner.clone().unwrap_or_else(|| {
            let budget = circuit_budget(setup.rules_memory, &abandon);
            Reasoner::in_background(&setup.game, budget).0
        });
        let context = Context {
            reasoner: reasoner.clone(),
            role: setup.role,
            play_clock: setup.play_clock,
            seed: setup.seed,
            memory: setup.memory,
            interrupt: Arc::default(),
            findings: Arc::default(),
            recollection: setup.archive.clone().map(|archive| Arc::new(Recollection::new(archive))),
        };
        let recollection = context.recollection.clone();
        let findings = context.findings.clone();
        Self {
            machine: reasoner.machine(),
            on_circuit: reasoner.gates().is_some(),
            worker: Worker::start(strategy.clone(), context),
            random: Random::new(setup.seed),
            reasoner,
            abandon,
            state: None,
            last: None,
            trouble: None,
            findings,
            recollection,
            moves: 0,
            strategy,
            setup,
        }
    }

    /// The strategy.
    pub fn strategy(&self) -> &Strategy {
        &self.strategy
    }

    /// The role.
    pub fn role(&self) -> Role {
        self.setup.role
    }

    /// The reasoner, which the caller may share.
    pub fn reasoner(&self) -> &Reasoner {
        &self.reasoner
    }

    /// Uses the start clock. Comes back before the deadline, perhaps much before it; the circuit may then
    /// still be on its way.
    pub fn start(&mut self, deadline: &Deadline) -> Result<(), PlayError> {
        let initial = self.machine.initial()?;
        self.state = Some(initial.clone());
        let (inner, outer) = self.instants(deadline);
        self.trouble = None;
        if let Some(worker) = &mut self.worker {
            let id = worker.order(Task::Prepare, &initial, &inner);
            self.trouble = match worker.wait(id, outer) {
                Answer::Done(_) => None,
                Answer::Late(_) => Some(Trouble::Late),
                Answer::Failed(error) => Some(Trouble::Failed(error)),
                Answer::Panicked => Some(Trouble::Panicked),
            };
        }
        self.ponder(None);
        Ok(())
    }

    /// Follows the joint move that was made last, none at first, and chooses a legal move before the
    /// deadline.
    pub fn play(
        &mut self,
        last: Option<&JointMove>,
        deadline: &Deadline,
    ) -> Result<Move, PlayError> {
        self.quiet();
        self.follow(last)?;
        let state = self.present()?;
        let mut legal = Vec::new();
        self.machine.legal_moves(&state, self.setup.role, &mut legal)?;
        (self.last, self.trouble) = (None, None);
        let action = match legal[..] {
            [] => return Err(PlayError::NoLegalMove),
            [only] => only,
            _ => self.choose(&state, &legal, deadline),
        };
        self.moves += 1;
        self.ponder(Some(action));
        Ok(action)
    }

    /// Takes note of the end of the match, after the joint move that was made last, so that its result can be kept.
    /// Nothing is kept of a match that was not played to its end.
    pub fn finish(&mut self, last: Option<&JointMove>) {
        self.quiet();
        let Some(memory) = self.recollection.clone() else { return };
        if self.state.is_none() || self.follow(last).is_err() {
            return;
        }
        let role = self.setup.role;
        let state = self.state.clone().unwrap_or_default();
        if let Ok(true) = self.machine.is_terminal(&state)
            && let Ok(goal) = self.machine.goal(&state, role)
            && let Some(goal) = goal.value()
        {
            memory.result(self.setup.game.roles(), role, goal.0, self.moves);
        }
    }

    /// Goes on from another state than the one that the joint moves led to: for hosts that repair a
    /// history.
    pub fn resume_at(&mut self, state: &State) {
        self.quiet();
        self.state = Some(state.clone());
    }

    /// The present state, if the match has begun.
    pub fn state(&self) -> Option<&State> {
        self.state.as_ref()
    }

    /// Ends all work for this match. Nothing is left running afterwards, except for a thread that does not
    /// heed the call; it ends as soon as it looks up.
    pub fn stop(&mut self) {
        self.abandon.store(true, Ordering::Relaxed);
        if let Some(mut worker) = self.worker.take() {
            worker.end(PATIENCE);
        }
    }

    /// A watch for others: what the player thinks while it thinks.
    pub fn watch(&self) -> Watch {
        self.worker.as_ref().map(Worker::watch).unwrap_or_default()
    }

    /// What the strategy knew about the last move; none if there was no choice.
    pub fn last_thought(&self) -> Option<&Thought> {
        self.last.as_ref()
    }

    /// What went wrong in the last call of [`Player::start`] or [`Player::play`].
    pub fn trouble(&self) -> Option<&Trouble> {
        self.trouble.as_ref()
    }

    /// What the strategy found out about the game, in words; empty if it does not tell.
    pub fn findings(&self) -> Vec<String> {
        self.findings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The deadline for the thinker, and the instant at which its answer is no longer waited for.
    fn instants(&self, deadline: &Deadline) -> (Deadline, Option<Instant>) {
        let Some(at) = deadline.instant() else { return (deadline.clone(), None) };
        let left = at.saturating_duration_since(Instant::now());
        let margin = self.setup.margin.min(left / 5);
        let inner = at.checked_sub(margin).unwrap_or(at);
        let outer = at.checked_sub(margin / 2).unwrap_or(at);
        (deadline.not_after(inner), Some(outer))
    }

    fn quiet(&mut self) {
        if let Some(worker) = &mut self.worker {
            worker.interrupt();
        }
    }

    fn follow(&mut self, last: Option<&JointMove>) -> Result<(), PlayError> {
        if !self.on_circuit && self.reasoner.gates().is_some() {
            self.machine = self.reasoner.machine();
            self.on_circuit = true;
        }
        if let Some(joint) = last {
            let state = self.present()?;
            self.state = Some(self.machine.next(&state, joint)?);
        }
        Ok(())
    }

    fn present(&mut self) -> Result<State, PlayError> {
        if self.state.is_none() {
            self.state = Some(self.machine.initial()?);
        }
        Ok(self.state.clone().unwrap_or_default())
    }

    /// Asks the thinker, and does without it where it fails.
    fn choose(&mut self, state: &State, legal: &[Move], deadline: &Deadline) -> Move {
        let ready = legal[self.random.below(legal.len())];
        let (inner, outer) = self.instants(deadline);
        let Some(worker) = &mut self.worker else { return ready };
        let id = worker.order(Task::Think, state, &inner);
        let (thought, trouble) = match worker.wait(id, outer) {
            Answer::Done(thought) => (thought, None),
            Answer::Late(thought) => (thought, Some(Trouble::Late)),
            Answer::Failed(error) => (None, Some(Trouble::Failed(error))),
            Answer::Panicked => (None, Some(Trouble::Panicked)),
        };
        self.trouble = trouble;
        self.last = thought.filter(|thought| legal.contains(&thought.action));
        if self.last.is_none() {
            self.trouble.get_or_insert(Trouble::NoMove);
        }
        self.last.as_ref().map_or(ready, |thought| thought.action)
    }

    /// Lets the thinker use the time of others: from the state after the own move if that is certain.
    fn ponder(&mut self, action: Option<Move>) {
        if !self.setup.ponder {
            return;
        }
        let Some(mut state) = self.state.clone() else { return };
        if let Some(action) = action
            && let Ok(Some(next)) = self.certain_successor(&state, action)
        {
            state = next;
        }
        if let Some(worker) = &mut self.worker {
            worker.order(Task::Ponder, &state, &Deadline::never());
        }
    }

    /// The state after a move of this player, if no other role has a choice.
    fn certain_successor(
        &mut self,
        state: &State,
        action: Move,
    ) -> Result<Option<State>, ReasonError> {
        let mut moves = Vec::new();
        let mut joint = Vec::new();
        for role in self.setup.game.role_ids() {
            if role == self.setup.role {
                joint.push(action);
                continue;
            }
            self.machine.legal_moves(state, role, &mut moves)?;
            match moves[..] {
                [only] => joint.push(only),
                _ => return Ok(None),
            }
        }
        let next = self.machine.next(state, &JointMove(joint))?;
        Ok((!self.machine.is_terminal(&next)?).then_some(next))
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        self.abandon.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
#[path = "play_tests.rs"]
mod tests;
