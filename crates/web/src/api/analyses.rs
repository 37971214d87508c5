//! Analyses of games and positions.

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Body, Shared};
use crate::analysis::{Subject, evaluation as evaluate_state};
use crate::app::Rules;
use crate::error::{ApiError, Outcome};
use crate::sheets::Source;
use crate::visitor::Visitor;

/// What is to be analysed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Create {
    game: Option<Source>,
    #[serde(rename = "match")]
    of_match: Option<String>,
    step: Option<usize>,
}

/// Begins an analysis, or finds one of the same.
pub async fn create(
    State(app): Shared,
    visitor: Visitor,
    Body(body): Body<Create>,
) -> Outcome<(StatusCode, Json<Value>)> {
    let subject = match (body.game, body.of_match) {
        (Some(source), None) => {
            Subject { sheet: app.sheet(&visitor.account, source).await?, state: None, step: 0 }
        }
        (None, Some(id)) => {
            let step = body.step.unwrap_or(0);
            let get = move |dealer: &mut crate::dealer::Dealer| {
                Ok((dealer.sheet(), dealer.state_at(step)?))
            };
            let (sheet, state) = app.run(&id, get).await?;
            Subject { sheet, state: Some(state).filter(|_| step > 0), step }
        }
        _ => return Err(ApiError::bad("name a game or a match")),
    };
    let counted = app.counts.add("analyses", &visitor.account, 4)?;
    let id = app.analyses.begin(subject, &app.house, &visitor.account, counted)?;
    Ok((StatusCode::ACCEPTED, Json(json!({ "id": id }))))
}

/// What there is so far.
pub async fn one(State(app): Shared, Path(id): Path<String>) -> Outcome<Json<Value>> {
    Ok(Json(app.analyses.get(&id)?.json()))
}

/// How to evaluate.
#[derive(Deserialize)]
pub struct EvaluationQuery {
    method: Option<String>,
}

/// The terms of a position of a match.
pub async fn evaluation(
    State(app): Shared,
    visitor: Visitor,
    Path((id, step)): Path<(String, usize)>,
    Query(query): Query<EvaluationQuery>,
) -> Outcome<Json<Value>> {
    let method = query.method.unwrap_or_else(|| "distance".to_owned());
    let method = evaluate::Method::named(&method)
        .ok_or_else(|| ApiError::bad("there is no such method of evaluation"))?;
    let get =
        move |dealer: &mut crate::dealer::Dealer| Ok((dealer.sheet(), dealer.state_at(step)?));
    let (sheet, state) = app.run(&id, get).await?;
    let time = app.config.limits.sheet_time;
    let rules = Rules::of(sheet.library);
    let work = move || evaluate_state(&sheet, &state, method, time / 2);
    let found = app.watched(&visitor.account, rules, time, work).await?;
    found.map(Json).map_err(ApiError::busy)
}
