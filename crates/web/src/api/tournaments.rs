//! Tournaments, watched.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::Shared;
use crate::app::App;
use crate::error::{ApiError, Outcome};
use crate::feed::Feed;
use crate::tournaments;

/// How often a tournament that is watched is looked at.
const LOOK: Duration = Duration::from_secs(2);

/// Reads databases where nobody waits.
async fn reading<T: Send + 'static>(
    app: &Arc<App>,
    work: impl FnOnce(Option<&std::path::Path>) -> T + Send + 'static,
) -> Outcome<T> {
    let folder = app.config.tournaments.clone();
    let done = tokio::task::spawn_blocking(move || work(folder.as_deref())).await;
    done.map_err(|_| ApiError::internal("reading the tournament failed"))
}

/// All tournaments.
pub async fn list(State(app): Shared) -> Outcome<Json<Value>> {
    let found = reading(&app, |folder| folder.map_or(json!([]), tournaments::list)).await?;
    Ok(Json(json!({ "tournaments": found })))
}

/// One of them.
pub async fn one(State(app): Shared, Path(id): Path<String>) -> Outcome<Json<Value>> {
    reading(&app, move |folder| tournaments::one(folder, &id)).await?.map(Json)
}

/// The record of a match.
pub async fn record(
    State(app): Shared,
    Path((id, number)): Path<(String, i64)>,
) -> Outcome<Response> {
    let record = reading(&app, move |folder| tournaments::record(folder, &id, number)).await??;
    let headers = [
        (header::CONTENT_TYPE, "application/json"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"match.json\""),
    ];
    Ok((headers, record).into_response())
}

/// Tells the standings now and whenever they change, while somebody follows.
pub async fn watch(app: Arc<App>, id: String, feed: Arc<Feed>) -> Outcome<()> {
    let look = move |app: Arc<App>| {
        let name = id.clone();
        async move { reading(&app, move |folder| tournaments::one(folder, &name)).await? }
    };
    let mut last = look(app.clone()).await?;
    feed.push("standings", |_| last.clone());
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(LOOK).await;
            let now = look(app.clone()).await;
            if feed.followers() == 0 {
                return;
            }
            if let Ok(now) = now
                && now != last
            {
                last = now.clone();
                feed.push("standings", |_| now);
            }
        }
    });
    Ok(())
}
