//! For tests of searches that ask others: a search that counts how often it is asked.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use game::{Machine, ReasonError, Role, State};
use search::{Effort, Search, SearchReport};

/// Counts how often it is asked, and stops the caller after some questions where it has a flag for that.
pub(super) struct Counted {
    pub(super) inner: Box<dyn Search>,
    pub(super) asked: Arc<AtomicU32>,
    pub(super) stop: Option<Arc<AtomicBool>>,
}

impl Search for Counted {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn search(
        &mut self,
        state: &State,
        role: Role,
        effort: &Effort,
        observe: &mut dyn FnMut(&SearchReport),
    ) -> Result<SearchReport, ReasonError> {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some(stop) = self.stop.as_ref().filter(|_| asked >= 3) {
            stop.store(true, Ordering::Relaxed);
        }
        self.inner.search(state, role, effort, observe)
    }

    fn advance(&mut self, state: &State) {
        self.inner.advance(state);
    }

    fn forget(&mut self) {
        self.inner.forget();
    }

    fn use_machine(&mut self, machine: Box<dyn Machine>) {
        self.inner.use_machine(machine);
    }
}
