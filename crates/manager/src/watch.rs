//! What spectators see of a match: one event for each thing that happens, also as lines of JSON.

use std::io::Write;

use protocol::MatchRecord;
use serde_json::{Value, json};

/// Something that happened in a match.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event<'m> {
    /// The match was announced to the players.
    Began {
        /// The record so far.
        record: &'m MatchRecord,
    },
    /// A joint move was made.
    Moved {
        /// The record so far.
        record: &'m MatchRecord,
        /// Which step it was, from 1.
        step: usize,
    },
    /// The match is over or was aborted.
    Ended {
        /// The whole record.
        record: &'m MatchRecord,
    },
}

impl Event<'_> {
    /// The record so far.
    pub fn record(&self) -> &MatchRecord {
        match self {
            Self::Began { record } | Self::Moved { record, .. } | Self::Ended { record } => record,
        }
    }

    /// As JSON; `docs/json.md` documents the keys.
    pub fn to_json(&self) -> Value {
        let record = self.record();
        let id = &record.match_id;
        match self {
            Self::Began { .. } => json!({
                "event": "began",
                "matchId": id,
                "game": record.fluxion.as_ref().map(|extra| &extra.game),
                "roles": record.fluxion.as_ref().map(|extra| &extra.roles),
                "players": record.player_names_from_host,
                "startClock": record.start_clock,
                "playClock": record.play_clock,
                "state": record.states.last(),
                "errors": record.errors.last(),
            }),
            Self::Moved { step, .. } => json!({
                "event": "moved",
                "matchId": id,
                "step": step,
                "moves": record.moves.last(),
                "errors": record.errors.last(),
                "state": record.states.last(),
                "time": record.state_times.last(),
            }),
            Self::Ended { .. } => json!({
                "event": "ended",
                "matchId": id,
                "isCompleted": record.is_completed,
                "isAborted": record.is_aborted,
                "abortedBecause": record.fluxion.as_ref().and_then(|x| x.aborted_because.as_ref()),
                "goalValues": record.goal_values,
                "steps": record.moves.len(),
            }),
        }
    }
}

/// Watches a match.
pub trait Observer {
    /// Something happened.
    fn event(&mut self, event: &Event<'_>);
}

/// Nobody watches.
impl Observer for () {
    fn event(&mut self, _event: &Event<'_>) {}
}

/// Writes events as lines of JSON; spectators that go away do not disturb the match.
pub struct Stream<W>(pub W);

impl<W: Write> Observer for Stream<W> {
    fn event(&mut self, event: &Event<'_>) {
        let _ = writeln!(self.0, "{}", event.to_json()).and_then(|()| self.0.flush());
    }
}
