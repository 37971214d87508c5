//! What followers of a match are told. Numbered events are kept, so that nothing is lost between a view and its stream;
//! of thoughts only the newest counts.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::response::sse::Event;
use serde_json::Value;
use tokio::sync::{mpsc, watch};

/// An event that is kept.
#[derive(Clone, Debug)]
pub struct Kept {
    /// Its number, which grows.
    pub number: u64,
    /// What kind.
    pub name: &'static str,
    /// JSON.
    pub data: Arc<str>,
}

/// A thought that a follower may see.
#[derive(Clone, Debug)]
pub struct Shown {
    /// JSON.
    pub data: Arc<str>,
    /// Whether it is kept from visitors who have a seat.
    pub hidden: bool,
}

struct Log {
    kept: VecDeque<Kept>,
    last: u64,
    bytes: usize,
    /// What a follower gets who missed events that are not kept any more, and the last event it includes.
    whole: (u64, Arc<str>),
}

/// The events of a match or an analysis.
pub struct Feed {
    log: Mutex<Log>,
    numbers: watch::Sender<u64>,
    thoughts: watch::Sender<Arc<Vec<Shown>>>,
    /// When somebody last looked.
    looked: Mutex<Instant>,
}

/// The most bytes of events that are kept; the newest one is always.
const MOST_BYTES: usize = 8 << 20;

impl Default for Feed {
    fn default() -> Self {
        // Numbers go on from one life of a match to the next: they begin with the time.
        let last = crate::random::now();
        let log = Log { kept: VecDeque::new(), last, bytes: 0, whole: (0, Arc::from("{}")) };
        Self {
            log: Mutex::new(log),
            numbers: watch::Sender::new(last),
            thoughts: watch::Sender::default(),
            looked: Mutex::new(Instant::now()),
        }
    }
}

impl Feed {
    /// Adds an event; `make` gets its number.
    pub fn push(&self, name: &'static str, make: impl FnOnce(u64) -> Value) -> u64 {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let number = log.last + 1;
        let data: Arc<str> = make(number).to_string().into();
        log.bytes += data.len();
        log.last = number;
        log.kept.push_back(Kept { number, name, data });
        while log.bytes > MOST_BYTES && log.kept.len() > 1 {
            let size = log.kept.pop_front().map_or(0, |event| event.data.len());
            log.bytes -= size;
        }
        drop(log);
        self.numbers.send_replace(number);
        number
    }

    /// What followers get who missed too much: everything up to an event.
    pub fn set_whole(&self, number: u64, whole: &Value) {
        let whole: Arc<str> = whole.to_string().into();
        self.log.lock().unwrap_or_else(PoisonError::into_inner).whole = (number, whole);
    }

    /// The number of the last event.
    pub fn last(&self) -> u64 {
        *self.numbers.borrow()
    }

    /// Shows thoughts in place of those before.
    pub fn think(&self, thoughts: Vec<Shown>) {
        self.thoughts.send_replace(Arc::new(thoughts));
    }

    /// The events after a number; the whole instead where some are not kept any more.
    fn after(&self, number: u64) -> Vec<Kept> {
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let first = log.kept.front().map_or(log.last + 1, |event| event.number);
        if number.saturating_add(1) < first || number > log.last {
            let (last, data) = log.whole.clone();
            let known = last == 0 || last == number;
            let whole = (!known).then_some(Kept { number: last, name: "changed", data });
            return whole.into_iter().collect();
        }
        let skip = (number + 1 - first) as usize;
        log.kept.iter().skip(skip).cloned().collect()
    }

    /// Notes that somebody looks.
    pub fn touch(&self) {
        *self.looked.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// How long nobody has looked; nothing while there are followers.
    pub fn idle(&self) -> Duration {
        if self.numbers.receiver_count() > 0 {
            self.touch();
        }
        self.looked.lock().unwrap_or_else(PoisonError::into_inner).elapsed()
    }

    /// How many follow.
    pub fn followers(&self) -> usize {
        self.numbers.receiver_count()
    }
}

/// Between two thoughts that are sent.
const HUMANE: Duration = Duration::from_millis(200);

/// A stream for one follower: all numbered events after `after`, and thoughts as they come. `seated` visitors do not
/// see hidden ones. `until` names the event that ends the stream.
pub fn follow(
    feed: Arc<Feed>,
    after: u64,
    seated: impl Fn() -> bool + Send + 'static,
    until: Option<&'static str>,
    keep: impl Send + 'static,
) -> Stream {
    let (sender, receiver) = mpsc::channel(4);
    let mut numbers = feed.numbers.subscribe();
    let mut thoughts = feed.thoughts.subscribe();
    thoughts.mark_changed();
    numbers.borrow_and_update();
    // Taken here and not in the task: whoever has the head of the reply gets all that happens later as events of their
    // own, and not as a part of the whole.
    let mut missed = feed.after(after);
    tokio::spawn(async move {
        let _keep = keep;
        let mut cursor = after;
        let mut quiet = tokio::time::Instant::now();
        loop {
            for event in std::mem::take(&mut missed) {
                cursor = event.number;
                let sent = Event::default().id(event.number.to_string()).event(event.name);
                if sender.send(sent.data(&*event.data)).await.is_err() {
                    return;
                }
                if Some(event.name) == until {
                    return;
                }
            }
            tokio::select! {
                changed = numbers.changed() => if changed.is_err() { return },
                changed = thoughts.changed(), if quiet.elapsed() >= HUMANE => {
                    if changed.is_err() { return }
                    quiet = tokio::time::Instant::now();
                    let all = thoughts.borrow_and_update().clone();
                    let seated = seated();
                    for thought in all.iter().filter(|thought| !thought.hidden || !seated) {
                        let event = Event::default().event("thinking").data(&*thought.data);
                        if sender.send(event).await.is_err() {
                            return;
                        }
                    }
                }
                () = tokio::time::sleep(HUMANE.saturating_sub(quiet.elapsed())), if quiet.elapsed() < HUMANE => {}
                () = sender.closed() => return,
            }
            numbers.borrow_and_update();
            missed = feed.after(cursor);
        }
    });
    Stream(receiver)
}

/// Events for one follower.
pub struct Stream(mpsc::Receiver<Event>);

impl futures_core::Stream for Stream {
    type Item = Result<Event, std::convert::Infallible>;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|event| event.map(Ok))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[tokio::test]
    async fn what_happens_after_a_stream_was_opened_is_told_event_by_event() {
        let feed = Arc::new(Feed::default());
        let first = feed.push("changed", |number| json!({ "event": number }));
        feed.set_whole(first, &json!({"match": 1}));
        let mut stream = follow(feed.clone(), 0, || false, None, ());
        // Before the task of the stream had its turn.
        let second = feed.push("submitted", |number| json!({ "event": number }));
        feed.set_whole(second, &json!({"match": 2}));
        for name in ["changed", "submitted"] {
            let event = stream.0.recv().await.expect("an event");
            assert!(format!("{event:?}").contains(name), "{name}: {event:?}");
        }
    }

    #[test]
    fn events_after_a_number_are_all_there_or_the_whole_is() {
        let feed = Feed::default();
        let base = feed.last();
        for _ in 0..5 {
            feed.push("position", |number| json!({ "event": number }));
        }
        let numbers =
            |after| feed.after(base + after).iter().map(|e| e.number - base).collect::<Vec<_>>();
        assert_eq!(numbers(0), [1, 2, 3, 4, 5]);
        assert_eq!(numbers(3), [4, 5]);
        assert!(numbers(5).is_empty());
        feed.set_whole(base + 5, &json!({"match": 1}));
        // Larger than anything before: older events go.
        feed.push("position", |_| json!("x".repeat(MOST_BYTES)));
        assert_eq!(numbers(5), [6]);
        let missed = feed.after(base + 2);
        assert_eq!((missed.len(), missed[0].name, missed[0].number), (1, "changed", base + 5));
        // A number of another life of the server.
        assert_eq!(feed.after(base + 99)[0].name, "changed");
        assert_eq!(feed.after(0)[0].name, "changed");
    }
}
