//! The handle on a match for those who are no part of it: its view, its events, and a way to have something done.

use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::{oneshot, watch};

use crate::dealer::{Dealer, House, Note};
use crate::error::{ApiError, Outcome};
use crate::feed::Feed;
use crate::sheets::Sheet;
use crate::store::{Meta, StepDoc};
use crate::visitor::Visitor;

/// What a match looks like.
pub struct View {
    /// For somebody who has no part in it.
    pub json: Value,
    /// Who made it.
    pub owner: String,
    /// Who has the seats.
    pub seats: Vec<Option<String>>,
}

impl View {
    /// For a visitor, who may have a part in it.
    pub fn json_for(&self, visitor: &Visitor) -> Value {
        let mut json = self.json.clone();
        json["mine"] = json!(self.owner == visitor.id);
        for (at, owner) in self.seats.iter().enumerate() {
            let mine = owner.as_ref() == Some(&visitor.id);
            json["seats"][at]["mine"] = json!(mine);
            if mine {
                json["seats"][at]["name"] = json!("you");
            }
        }
        json
    }

    /// Whether the visitor has a seat.
    pub fn seats(&self, visitor: &Visitor) -> bool {
        self.seats.iter().any(|owner| owner.as_ref() == Some(&visitor.id))
    }
}

/// A match in memory.
pub struct Table {
    /// Its events.
    pub feed: Arc<Feed>,
    view: watch::Receiver<Option<Arc<View>>>,
    notes: Sender<Note>,
}

/// How long anybody waits for a match.
const PATIENCE: Duration = Duration::from_secs(20);

/// Why a match did not answer.
pub enum Missed {
    /// It was put away meanwhile; it can be fetched again.
    Gone,
    /// Something else.
    Failed(ApiError),
}

impl Table {
    /// Opens a match, with the steps that were made already.
    pub fn open(house: House, meta: Meta, steps: Vec<StepDoc>, sheet: Arc<Sheet>) -> Outcome<Self> {
        let (notes, inbox) = mpsc::channel();
        let (sender, view) = watch::channel(None);
        let feed = Arc::new(Feed::default());
        let dealer = Dealer::new(house, meta, sheet, feed.clone(), sender, notes.clone());
        let thread = std::thread::Builder::new().name("match".to_owned());
        let started = thread.spawn(move || dealer.run(steps, &inbox));
        started.map_err(|_| ApiError::busy("the system has no thread left"))?;
        Ok(Self { feed, view, notes })
    }

    /// Whether its thread has ended.
    pub fn is_gone(&self) -> bool {
        self.view.has_changed().is_err()
    }

    /// The view, as soon as there is one.
    pub async fn view(&self) -> Result<Arc<View>, Missed> {
        self.feed.touch();
        let mut view = self.view.clone();
        let there = tokio::time::timeout(PATIENCE, view.wait_for(Option::is_some)).await;
        match there {
            Ok(Ok(view)) => view.clone().ok_or(Missed::Gone),
            Ok(Err(_)) => Err(Missed::Gone),
            Err(_) => Err(Missed::Failed(ApiError::busy("the match is not ready yet"))),
        }
    }

    /// A receiver of views.
    pub fn views(&self) -> watch::Receiver<Option<Arc<View>>> {
        self.view.clone()
    }

    /// Has something done by the thread of the match.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Dealer) -> Outcome<T> + Send + 'static,
    ) -> Result<T, Missed> {
        self.feed.touch();
        let (reply, answer) = oneshot::channel();
        let note = Note::Do(Box::new(move |dealer| {
            let _ = reply.send(work(dealer));
        }));
        self.notes.send(note).map_err(|_| Missed::Gone)?;
        match tokio::time::timeout(PATIENCE, answer).await {
            Ok(Ok(outcome)) => outcome.map_err(Missed::Failed),
            Ok(Err(_)) => Err(Missed::Gone),
            Err(_) => Err(Missed::Failed(ApiError::busy("the match did not answer in time"))),
        }
    }

    /// Ends the thread.
    pub fn end(&self) {
        let _ = self.notes.send(Note::End);
    }
}
