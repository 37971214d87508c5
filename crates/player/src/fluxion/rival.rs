//! A search in a thread of its own, so that two of them can be asked at the same time.
//!
//! The thread lives as long as the search does. Whoever asks hears of everything that the search has to show by a channel, and need not
//! wait for one that does not come back. A search that panics is gone, and nothing else.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::JoinHandle;

use game::{Machine, ReasonError, Role, State};
use search::{Effort, Search, SearchReport};

/// What a search has to say.
pub(super) enum News {
    /// Something better to show.
    Better(SearchReport),
    /// It came back.
    Done(Result<SearchReport, ReasonError>),
    /// It panicked.
    Panicked(Box<dyn Any + Send>),
}

/// News, with the number of the search and that of the question.
pub(super) type Told = (usize, u64, News);

/// A question.
pub(super) struct Question {
    pub(super) id: u64,
    pub(super) state: State,
    pub(super) role: Role,
    pub(super) effort: Effort,
}

enum Order {
    Search(Question),
    Advance(State),
    Forget,
    UseMachine(Box<dyn Machine>),
}

/// A search in a thread of its own.
pub(super) struct Rival {
    /// None once nobody is there to hear.
    orders: Option<Sender<Order>>,
    thread: Option<JoinHandle<()>>,
}

impl Rival {
    /// Takes a search, with its number, and whom to tell. Without a thread there is no search.
    pub(super) fn start(search: Box<dyn Search>, number: usize, tell: Sender<Told>) -> Self {
        let (orders, to_do) = mpsc::channel();
        let thread = std::thread::Builder::new().name("rival".to_owned());
        let thread = thread.spawn(move || run(search, number, &to_do, &tell)).ok();
        Self { orders: thread.is_some().then_some(orders), thread }
    }

    /// Whether it is there; one that panicked is, until somebody hears of that.
    pub(super) fn is_there(&self) -> bool {
        self.orders.is_some()
    }

    /// Somebody heard that it panicked.
    pub(super) fn leave(&mut self) {
        self.orders = None;
    }

    pub(super) fn ask(&mut self, question: Question) {
        self.send(Order::Search(question));
    }

    pub(super) fn advance(&mut self, state: &State) {
        self.send(Order::Advance(state.clone()));
    }

    pub(super) fn forget(&mut self) {
        self.send(Order::Forget);
    }

    pub(super) fn use_machine(&mut self, machine: Box<dyn Machine>) {
        self.send(Order::UseMachine(machine));
    }

    fn send(&mut self, order: Order) {
        if let Some(orders) = &self.orders
            && orders.send(order).is_err()
        {
            self.orders = None;
        }
    }
}

impl Drop for Rival {
    /// Whoever asked has told the search to stop by now.
    fn drop(&mut self) {
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn run(mut search: Box<dyn Search>, number: usize, to_do: &Receiver<Order>, tell: &Sender<Told>) {
    let mut last = 0;
    while let Ok(order) = to_do.recv() {
        if let Order::Search(question) = &order {
            last = question.id;
        }
        let work = AssertUnwindSafe(|| carry_out(&mut *search, order, number, tell));
        if let Err(why) = catch_unwind(work) {
            let _ = tell.send((number, last, News::Panicked(why)));
            return;
        }
    }
}

fn carry_out(search: &mut dyn Search, order: Order, number: usize, tell: &Sender<Told>) {
    match order {
        Order::Advance(state) => search.advance(&state),
        Order::Forget => search.forget(),
        Order::UseMachine(machine) => search.use_machine(machine),
        Order::Search(question) => {
            let Question { id, state, role, effort } = question;
            let mut show = |report: &SearchReport| {
                let _ = tell.send((number, id, News::Better(report.clone())));
            };
            let done = search.search(&state, role, &effort, &mut show);
            let _ = tell.send((number, id, News::Done(done)));
        }
    }
}
