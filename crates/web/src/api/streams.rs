//! Streams of events.

use std::time::Duration;

use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::sse::{KeepAlive, Sse};
use serde::Deserialize;

use super::Shared;
use crate::error::Outcome;
use crate::feed::{Stream, follow};
use crate::visitor::Visitor;

/// Where a stream begins.
#[derive(Deserialize)]
pub struct After {
    after: Option<u64>,
}

impl After {
    /// The last event that the follower knows.
    fn number(&self, headers: &HeaderMap) -> u64 {
        let resumed = headers.get("last-event-id").and_then(|value| value.to_str().ok());
        resumed.and_then(|text| text.trim().parse().ok()).or(self.after).unwrap_or(0)
    }
}

/// Something is sent at least that often, so that proxies keep the connection.
fn alive() -> KeepAlive {
    KeepAlive::new().interval(Duration::from_secs(15)).text("still there")
}

/// The events of a match.
pub async fn match_events(
    State(app): Shared,
    visitor: Visitor,
    Path(id): Path<String>,
    Query(after): Query<After>,
    headers: HeaderMap,
) -> Outcome<Sse<axum::response::sse::KeepAliveStream<Stream>>> {
    let counted = app.counts.add("streams", &visitor.account, app.config.limits.streams)?;
    let table = app.table(&id).await?;
    let views = table.views();
    let seated = move || views.borrow().as_ref().is_some_and(|view| view.seats(&visitor));
    let stream = follow(table.feed.clone(), after.number(&headers), seated, None, counted);
    Ok(Sse::new(stream).keep_alive(alive()))
}

/// The sections of an analysis.
pub async fn analysis_events(
    State(app): Shared,
    visitor: Visitor,
    Path(id): Path<String>,
    Query(after): Query<After>,
    headers: HeaderMap,
) -> Outcome<Sse<axum::response::sse::KeepAliveStream<Stream>>> {
    let counted = app.counts.add("streams", &visitor.account, app.config.limits.streams)?;
    let analysis = app.analyses.get(&id)?;
    let begin = after.number(&headers).max(analysis.before());
    let stream = follow(analysis.feed.clone(), begin, || false, Some("done"), counted);
    Ok(Sse::new(stream).keep_alive(alive()))
}
