//! The requests of `docs/api.md`.

mod analyses;
mod games;
mod matches;
mod streams;
mod tournaments;

use std::sync::Arc;

use axum::extract::rejection::JsonRejection;
use axum::extract::{FromRequest, Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::app::App;
use crate::assets;
use crate::engine::{DEFAULT, STRENGTHS};
use crate::error::{ApiError, Outcome};
use crate::visitor::Visitor;

/// The server, as handlers get it.
type Shared = State<Arc<App>>;

/// A body in JSON whose faults are told as the API tells faults.
struct Body<T>(T);

impl<T: DeserializeOwned> FromRequest<Arc<App>> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, ApiError> {
        match Json::<T>::from_request(request, app).await {
            Ok(Json(body)) => Ok(Self(body)),
            Err(rejection) => Err(rejected(&rejection, app)),
        }
    }
}

fn rejected(rejection: &JsonRejection, app: &App) -> ApiError {
    if rejection.status() == axum::http::StatusCode::PAYLOAD_TOO_LARGE {
        return ApiError::too_large(app.config.limits.body);
    }
    ApiError::bad(rejection.body_text())
}

/// All requests.
pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/status", get(status))
        .route("/strategies", get(strategies))
        .route("/games", get(games::list))
        .route("/games/{name}", get(games::one))
        .route("/games/{name}/position", get(games::position))
        .route("/games/{name}/boards", get(games::boards))
        .route("/games/{name}/picture.svg", get(games::picture))
        .route("/check", post(games::check))
        .route("/format", post(games::format))
        .route("/matches", get(matches::list).post(matches::create))
        .route("/matches/import", post(matches::import))
        .route("/matches/{id}", get(matches::one).delete(matches::delete))
        .route("/matches/{id}/steps/{step}", get(matches::step))
        .route("/matches/{id}/steps/{step}/evaluation", get(analyses::evaluation))
        .route("/matches/{id}/line", post(matches::line))
        .route("/matches/{id}/move", post(matches::make_move))
        .route("/matches/{id}/undo", post(matches::undo))
        .route("/matches/{id}/resign", post(matches::resign))
        .route("/matches/{id}/pause", post(matches::pause))
        .route("/matches/{id}/next", post(matches::next))
        .route("/matches/{id}/seat", post(matches::seat))
        .route("/matches/{id}/join", post(matches::join))
        .route("/matches/{id}/abort", post(matches::abort))
        .route("/matches/{id}/hint", post(matches::hint))
        .route("/matches/{id}/solve", post(matches::solve))
        .route("/matches/{id}/annotate", post(matches::annotate))
        .route("/matches/{id}/annotations", get(matches::annotations))
        .route("/matches/{id}/record", get(matches::record))
        .route("/matches/{id}/events", get(streams::match_events))
        .route("/analyses", post(analyses::create))
        .route("/analyses/{id}", get(analyses::one))
        .route("/analyses/{id}/events", get(streams::analysis_events))
        .route("/tournaments", get(tournaments::list))
        .route("/tournaments/{id}", get(tournaments::one))
        .route("/tournaments/{id}/matches/{number}/record", get(tournaments::record))
        .route("/tournaments/{id}/events", get(streams::tournament_events))
        .fallback(nothing)
}

async fn nothing() -> ApiError {
    ApiError::not_found("there is no such request; docs/api.md lists all")
}

/// The page and its files.
pub async fn page(request: Request) -> Response {
    if request.method() != axum::http::Method::GET && request.method() != axum::http::Method::HEAD {
        return ApiError::not_found("there is nothing here").into_response();
    }
    assets::serve(request.uri().path(), request.headers())
}

async fn status(State(app): Shared, visitor: Visitor) -> Json<Value> {
    let limits = &app.config.limits;
    Json(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "loopback": app.config.is_loopback(),
        "remote_players": app.config.remote_players,
        // Enough to tell visitors apart; the whole name is a secret.
        "visitor": format!("v-{}", &visitor.id[..4.min(visitor.id.len())]),
        "limits": {"body": limits.body, "matches": limits.matches, "clock": limits.clock.as_secs(),
                   "sheet_seconds": limits.sheet_time.as_secs()},
        "strength": {"least": STRENGTHS.start(), "most": STRENGTHS.end(), "default": 6},
    }))
}

async fn strategies() -> Json<Value> {
    let option = |option: &player::OptionInfo| {
        let mut value = json!({"key": option.key, "default": option.default, "help": option.help});
        match option.kind {
            player::Kind::Switch => value["kind"] = json!("switch"),
            player::Kind::Number { least, most, whole, off } => {
                value["kind"] = json!("number");
                for (key, field) in [
                    ("least", json!(least)),
                    ("most", json!(most)),
                    ("whole", json!(whole)),
                    ("off", json!(off)),
                ] {
                    value[key] = field;
                }
            }
            player::Kind::Choice(choices) => {
                value["kind"] = json!("choice");
                value["choices"] = json!(choices);
            }
        }
        value
    };
    let strategies = player::Strategy::all().iter().map(|info| {
        let has_strength = info.options.iter().any(|option| option.key == "nodes");
        json!({"name": info.name, "summary": info.summary, "has_strength": has_strength,
               "options": info.options.iter().map(option).collect::<Value>()})
    });
    Json(json!({"default": {"one_role": DEFAULT, "several_roles": DEFAULT},
                "strategies": strategies.collect::<Value>()}))
}

/// An error of the database.
#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn broken(error: rusqlite::Error) -> ApiError {
    ApiError::internal(error.to_string())
}

/// Seconds from a request within bounds.
fn seconds(given: Option<f64>, default: f64, most: f64) -> Outcome<f64> {
    let seconds = given.unwrap_or(default);
    if seconds.is_finite() && seconds > 0.0 && seconds <= most {
        return Ok(seconds);
    }
    Err(ApiError::bad(format!("seconds must be more than 0 and at most {most}")))
}
