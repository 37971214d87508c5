//! The thread in which a thinker lives. It may be slow, get stuck or panic; whoever waits for it does so
//! only until a given instant, and then takes the best move that it noted.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use game::{Deadline, ReasonError, State};

use crate::strategy::Strategy;
use crate::thinker::{Context, Thinker, Thought};

/// What a thinker may be asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Use the start clock.
    Prepare,
    /// Choose a move.
    Think,
    /// Use the time of others.
    Ponder,
}

/// How a task ended.
#[derive(Debug)]
pub(crate) enum Answer {
    /// With this thought, if there was one.
    Done(Option<Thought>),
    /// The rules could not be evaluated.
    Failed(ReasonError),
    /// The thinker panicked and was made anew.
    Panicked,
    /// There was no answer in time; this was the best so far.
    Late(Option<Thought>),
}

struct Order {
    id: u64,
    task: Task,
    state: State,
    deadline: Deadline,
}

type Noted = Arc<Mutex<Option<(u64, Thought)>>>;

/// Looks over the shoulder of a player, from any thread, and may hurry it.
#[derive(Clone, Default)]
pub struct Watch {
    noted: Noted,
    latest: Arc<AtomicU64>,
    interrupt: Arc<AtomicBool>,
}

impl Watch {
    /// The best thought so far about the move that is looked for at present.
    pub fn thought(&self) -> Option<Thought> {
        let latest = self.latest.load(Ordering::SeqCst);
        let noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        noted.as_ref().filter(|(of, _)| *of == latest).map(|(_, thought)| thought.clone())
    }

    /// Makes the player answer with what it has. A task that was ordered, but not begun yet, is not hurried: ask
    /// again until the answer is there.
    pub fn hurry(&self) {
        self.interrupt.store(true, Ordering::SeqCst);
    }
}

/// A thread with a thinker.
pub(crate) struct Worker {
    orders: Option<Sender<Order>>,
    answers: Receiver<(u64, Answer)>,
    noted: Noted,
    /// The number of the order that counts: older ones are not begun any more.
    latest: Arc<AtomicU64>,
    interrupt: Arc<AtomicBool>,
}

impl Worker {
    /// Starts the thread; none if the system has no thread left.
    pub(crate) fn start(strategy: Strategy, context: Context) -> Option<Self> {
        let (orders, to_do) = mpsc::channel();
        let (reply, answers) = mpsc::channel();
        let latest = Arc::new(AtomicU64::new(0));
        let (noted, interrupt) = (Noted::default(), context.interrupt.clone());
        let inside = Inside {
            strategy,
            context,
            to_do,
            reply,
            noted: noted.clone(),
            latest: latest.clone(),
        };
        std::thread::Builder::new().name("thinker".to_owned()).spawn(move || inside.run()).ok()?;
        Some(Self { orders: Some(orders), answers, noted, latest, interrupt })
    }

    /// A watch on the thread.
    pub(crate) fn watch(&self) -> Watch {
        Watch {
            noted: self.noted.clone(),
            latest: self.latest.clone(),
            interrupt: self.interrupt.clone(),
        }
    }

    /// Gives an order; what is under way is interrupted. The deadline gets the flag of interruption.
    pub(crate) fn order(&mut self, task: Task, state: &State, deadline: &Deadline) -> u64 {
        let id = self.latest.fetch_add(1, Ordering::SeqCst) + 1;
        self.interrupt.store(true, Ordering::SeqCst);
        let deadline = deadline.clone().or_when(self.interrupt.clone());
        if let Some(orders) = &self.orders {
            let _ = orders.send(Order { id, task, state: state.clone(), deadline });
        }
        id
    }

    /// Waits for the answer to an order, until an instant if there is one.
    pub(crate) fn wait(&mut self, id: u64, until: Option<Instant>) -> Answer {
        loop {
            let received = match until {
                None => self.answers.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(until) => {
                    self.answers.recv_timeout(until.saturating_duration_since(Instant::now()))
                }
            };
            match received {
                Ok((of, answer)) if of == id => return answer,
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => {
                    self.interrupt();
                    return Answer::Late(self.noted(id));
                }
                Err(RecvTimeoutError::Disconnected) => return Answer::Panicked,
            }
        }
    }

    /// Ends what is under way.
    pub(crate) fn interrupt(&mut self) {
        self.latest.fetch_add(1, Ordering::SeqCst);
        self.interrupt.store(true, Ordering::SeqCst);
    }

    /// Ends the thread, and waits for that for a moment.
    pub(crate) fn end(&mut self, patience: Duration) {
        self.interrupt();
        self.orders = None;
        let until = Instant::now() + patience;
        while let Ok(_) | Err(RecvTimeoutError::Timeout) =
            self.answers.recv_timeout(until.saturating_duration_since(Instant::now()))
        {
            if Instant::now() >= until {
                return;
            }
        }
    }

    /// The best move noted for an order.
    fn noted(&self, id: u64) -> Option<Thought> {
        let noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        noted.as_ref().filter(|(of, _)| *of == id).map(|(_, thought)| thought.clone())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.interrupt();
    }
}

/// What the thread owns.
struct Inside {
    strategy: Strategy,
    context: Context,
    to_do: Receiver<Order>,
    reply: Sender<(u64, Answer)>,
    noted: Noted,
    latest: Arc<AtomicU64>,
}

impl Inside {
    fn run(self) {
        let mut thinker = None;
        while let Ok(order) = self.to_do.recv() {
            // The order of these two matters: an interruption after the second is not lost.
            self.context.interrupt.store(false, Ordering::SeqCst);
            if self.latest.load(Ordering::SeqCst) != order.id {
                continue;
            }
            let id = order.id;
            let work = AssertUnwindSafe(|| self.carry_out(&mut thinker, &order));
            let answer = match catch_unwind(work) {
                Ok(Ok(thought)) => Answer::Done(thought),
                Ok(Err(error)) => Answer::Failed(error),
                Err(_) => {
                    thinker = None;
                    Answer::Panicked
                }
            };
            if self.reply.send((id, answer)).is_err() {
                return;
            }
        }
    }

    fn carry_out(
        &self,
        thinker: &mut Option<Box<dyn Thinker>>,
        order: &Order,
    ) -> Result<Option<Thought>, ReasonError> {
        let thinker = thinker.get_or_insert_with(|| self.strategy.thinker(&self.context));
        let mut note = |thought: Thought| {
            *self.noted.lock().unwrap_or_else(PoisonError::into_inner) = Some((order.id, thought));
        };
        match order.task {
            Task::Prepare => thinker.prepare(&order.state, &order.deadline).map(|()| None),
            Task::Ponder => thinker.ponder(&order.state, &order.deadline).map(|()| None),
            Task::Think => thinker.think(&order.state, &order.deadline, &mut note),
        }
    }
}
