//! Searches take turns: only so many run at once, accounts that have few get theirs first, and a search that has had
//! its slice while others wait is asked to answer with what it has.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

struct Running {
    id: u64,
    account: String,
    since: Instant,
    hurry: Box<dyn Fn() + Send>,
}

#[derive(Default)]
struct Inner {
    running: Vec<Running>,
    /// Those that wait, oldest first.
    waiting: Vec<(u64, String)>,
    next: u64,
}

/// The places for searches.
pub struct Pool {
    places: usize,
    slice: Duration,
    inner: Mutex<Inner>,
    freed: Condvar,
}

/// A place that is taken until it is dropped.
pub struct Place {
    pool: Arc<Pool>,
    id: u64,
}

/// Between two looks at the clock while waiting.
const PAUSE: Duration = Duration::from_millis(100);

impl Pool {
    /// So many searches at once, each for a slice while others wait.
    pub fn new(places: usize, slice: Duration) -> Arc<Self> {
        let (inner, freed) = (Mutex::default(), Condvar::new());
        Arc::new(Self { places: places.max(1), slice, inner, freed })
    }

    /// Waits for a place; none if `given_up` becomes true before. `hurry` is called when the search should end.
    pub fn take(
        self: &Arc<Self>,
        account: &str,
        hurry: Box<dyn Fn() + Send>,
        given_up: &dyn Fn() -> bool,
    ) -> Option<Place> {
        let mut inner = self.lock();
        inner.next += 1;
        let id = inner.next;
        inner.waiting.push((id, account.to_owned()));
        loop {
            if given_up() {
                inner.waiting.retain(|(other, _)| *other != id);
                return None;
            }
            if inner.running.len() < self.places && inner.first() == Some(id) {
                inner.waiting.retain(|(other, _)| *other != id);
                let (account, since) = (account.to_owned(), Instant::now());
                inner.running.push(Running { id, account, since, hurry });
                self.freed.notify_all();
                return Some(Place { pool: self.clone(), id });
            }
            // Those that have had their slice are asked, again and again, until they end.
            for running in
                inner.running.iter().filter(|running| running.since.elapsed() > self.slice)
            {
                (running.hurry)();
            }
            let waited = self.freed.wait_timeout(inner, PAUSE);
            inner = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// Who is next: of the account with the fewest running searches the oldest.
    fn first(&self) -> Option<u64> {
        let busy = |account: &str| self.running.iter().filter(|r| r.account == account).count();
        let next = self.waiting.iter().min_by_key(|(id, account)| (busy(account), *id));
        next.map(|(id, _)| *id)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.pool.lock().running.retain(|running| running.id != self.id);
        self.pool.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn a_search_is_hurried_once_its_slice_is_over_and_others_wait() {
        let pool = Pool::new(1, Duration::from_millis(20));
        let hurried = Arc::new(AtomicBool::new(false));
        let flag = hurried.clone();
        let hurry = Box::new(move || flag.store(true, Ordering::SeqCst));
        let place = pool.take("greedy", hurry, &|| false).expect("free");
        assert!(!hurried.load(Ordering::SeqCst));
        let other = pool.clone();
        let thread =
            std::thread::spawn(move || other.take("patient", Box::new(|| ()), &|| false).is_some());
        while !hurried.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(5));
        }
        drop(place);
        assert!(thread.join().expect("no panic"));
    }

    #[test]
    fn accounts_with_few_searches_come_first() {
        let pool = Pool::new(1, Duration::from_secs(100));
        let inner = Inner {
            running: vec![Running {
                id: 1,
                account: "busy".to_owned(),
                since: Instant::now(),
                hurry: Box::new(|| ()),
            }],
            waiting: vec![(2, "busy".to_owned()), (3, "idle".to_owned())],
            next: 3,
        };
        assert_eq!(inner.first(), Some(3));
        let held = pool.take("a", Box::new(|| ()), &|| false).expect("free");
        assert!(pool.take("b", Box::new(|| ()), &|| true).is_none());
        drop(held);
    }
}
