//! Streams of events.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{FromRequestParts, Path, Query, State};
use axum::http::request::Parts;
use axum::response::sse::{KeepAlive, Sse};
use serde::Deserialize;

use super::{Shared, tournaments};
use crate::app::App;
use crate::error::{ApiError, Outcome};
use crate::feed::{Feed, Stream, follow};
use crate::visitor::Visitor;

/// The last event that a follower knows: of a connection that was lost, else as the address says; 0 for none.
pub struct After(u64);

#[derive(Deserialize)]
struct AfterQuery {
    after: Option<u64>,
}

impl<S: Send + Sync> FromRequestParts<S> for After {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let resumed = parts.headers.get("last-event-id").and_then(|value| value.to_str().ok());
        let resumed = resumed.and_then(|text| text.trim().parse().ok());
        let query = Query::<AfterQuery>::try_from_uri(&parts.uri);
        let Query(query) = query.map_err(|error| ApiError::bad(error.body_text()))?;
        Ok(Self(resumed.or(query.after).unwrap_or(0)))
    }
}

/// What handlers of streams give.
type Events = Outcome<Sse<axum::response::sse::KeepAliveStream<Stream>>>;

/// Something is sent at least that often, so that proxies keep the connection.
const ALIVE: Duration = Duration::from_secs(15);

/// A stream of a feed, counted for its visitor.
fn events(
    app: &App,
    account: &str,
    feed: &Arc<Feed>,
    after: u64,
    seated: impl Fn() -> bool + Send + 'static,
    until: Option<&'static str>,
) -> Events {
    let counted = app.counts.add("streams", account, app.config.limits.streams)?;
    let stream = follow(feed.clone(), after, seated, until, counted);
    Ok(Sse::new(stream).keep_alive(KeepAlive::new().interval(ALIVE).text("still there")))
}

/// The events of a match.
pub async fn match_events(
    State(app): Shared,
    visitor: Visitor,
    Path(id): Path<String>,
    After(after): After,
) -> Events {
    let table = app.table(&id).await?;
    let (views, account) = (table.views(), visitor.account.clone());
    let seated = move || views.borrow().as_ref().is_some_and(|view| view.seats(&visitor));
    events(&app, &account, &table.feed, after, seated, None)
}

/// The sections of an analysis.
pub async fn analysis_events(
    State(app): Shared,
    visitor: Visitor,
    Path(id): Path<String>,
    After(after): After,
) -> Events {
    let analysis = app.analyses.get(&id)?;
    let begin = after.max(analysis.before());
    events(&app, &visitor.account, &analysis.feed, begin, || false, Some("done"))
}

/// The standings of a tournament as they change.
pub async fn tournament_events(
    State(app): Shared,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Events {
    let feed = Arc::new(Feed::default());
    let begin = feed.last();
    let stream = events(&app, &visitor.account, &feed, begin, || false, None)?;
    tournaments::watch(app, id, feed).await?;
    Ok(stream)
}
