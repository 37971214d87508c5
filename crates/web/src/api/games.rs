//! The library, and rules that people write.

use std::sync::{Arc, LazyLock};

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use gdl::Syntax;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Body, Shared, broken};
use crate::app::{App, OWN, Rules};
use crate::error::{ApiError, Outcome};
use crate::position::{Context, position as draw_position};
use crate::referee::Referee;
use crate::sheets::{Sheet, Source, findings};
use crate::visitor::Visitor;

/// The games of the library as the list has them. Made once.
static GAMES: LazyLock<Value> = LazyLock::new(|| library::games().iter().map(entry).collect());

fn entry(entry: &library::Entry) -> Value {
    let about = entry.about();
    json!({
        "name": entry.name, "title": about.title, "players": about.players, "class": about.class,
        "roles": roles(&gdl::parse(entry.rules, &gdl::Limits::default()).0), "size": about.size,
        "source": about.source, "papers": about.papers, "description": about.description,
        "picture": format!("/api/v1/games/{}/picture.svg", entry.name),
    })
}

/// The roles that rules declare as facts.
fn roles(rules: &gdl::Rules) -> Vec<String> {
    let is_role = |clause: &&gdl::Clause| clause.head.name == gdl::keyword::ROLE;
    let facts = rules.clauses.iter().filter(is_role).filter(|clause| clause.body.is_empty());
    facts
        .filter_map(|clause| clause.head.args.first())
        .map(|term| gdl::print::term(&rules.symbols, term))
        .collect()
}

fn find(name: &str) -> Outcome<&'static library::Entry> {
    library::find(name).ok_or_else(|| ApiError::not_found(format!("there is no game {name}")))
}

/// All games.
pub async fn list() -> Json<Value> {
    Json(json!({ "games": &*GAMES }))
}

/// One game with its rules.
pub async fn one(Path(name): Path<String>) -> Outcome<Json<Value>> {
    let found = find(&name)?;
    let mut game = entry(found);
    let (rules, _) = gdl::parse(found.rules, &gdl::Limits::default());
    let style = gdl::format::Style::of(Syntax::Prolog);
    game["rules"] =
        json!({"kif": found.rules, "prolog": gdl::format::format(found.rules, &rules, style)});
    Ok(Json(game))
}

async fn sheet(app: &App, visitor: &Visitor, name: &str) -> Outcome<Arc<Sheet>> {
    let found = find(name)?;
    let source = Source { library: Some(found.name.to_owned()), rules: None, title: None };
    app.sheet(&visitor.account, source).await
}

/// The initial position.
pub async fn position(
    State(app): Shared,
    visitor: Visitor,
    Path(name): Path<String>,
) -> Outcome<Json<Value>> {
    let sheet = sheet(&app, &visitor, &name).await?;
    let (limits, time) = (app.config.limits.clone(), app.config.limits.sheet_time);
    let work = move || {
        sheet.structures();
        let mut referee = Referee::new(&sheet, limits.question);
        let state = referee.initial()?;
        let look = referee.look(&state)?;
        Ok(draw_position(&sheet, &state, &look, Context::default()))
    };
    let drawn: Result<Value, game::ReasonError> =
        app.watched(&visitor.account, Rules::Known, time, work).await?;
    drawn.map(Json).map_err(|error| ApiError::busy(error.to_string()))
}

/// The initial position as a picture, drawn once for each version of the rules.
pub async fn picture(State(app): Shared, Path(name): Path<String>) -> Outcome<Response> {
    let svg = kept(&app, &name, "picture", drawn).await?;
    if svg.is_empty() {
        return Ok(StatusCode::NOT_FOUND.into_response());
    }
    let headers =
        [(header::CONTENT_TYPE, "image/svg+xml"), (header::CACHE_CONTROL, "max-age=86400")];
    Ok((headers, svg).into_response())
}

/// The boards of the initial position, found once for each version of the rules.
pub async fn boards(State(app): Shared, Path(name): Path<String>) -> Outcome<Response> {
    let json = kept(&app, &name, "boards", boards_of).await?;
    let headers =
        [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "max-age=86400")];
    Ok((headers, json).into_response())
}

/// Something about a game of the library that is made once and kept in the database. One at a time: a page shows
/// many, and matches come first.
async fn kept(
    app: &Arc<App>,
    name: &str,
    kind: &str,
    make: fn(&Sheet, &crate::config::Limits) -> String,
) -> Outcome<String> {
    static ONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
    let found = find(name)?;
    let rules = protocol::trace::sha256(found.rules.as_bytes());
    let key = format!("{kind} {} {rules}", env!("CARGO_PKG_VERSION"));
    if let Some(known) = app.house.store.picture(&key).map_err(broken)? {
        return Ok(known);
    }
    let _alone = ONE.lock().await;
    if let Some(known) = app.house.store.picture(&key).map_err(broken)? {
        return Ok(known);
    }
    let source = Source { library: Some(found.name.to_owned()), rules: None, title: None };
    let sheet = app.sheet(OWN, source).await?;
    let limits = app.config.limits.clone();
    let time = limits.sheet_time * 2;
    let made = app.watched(OWN, Rules::Known, time, move || make(&sheet, &limits)).await?;
    app.house.store.keep_picture(&key, &made).map_err(broken)?;
    Ok(made)
}

fn boards_of(sheet: &Sheet, limits: &crate::config::Limits) -> String {
    let boards = sheet.initial(limits).map(|state| crate::position::boards(sheet, &state));
    json!({ "boards": boards.unwrap_or_else(|_| json!([])) }).to_string()
}

/// The first board of the initial position; nothing if there is none.
fn drawn(sheet: &Sheet, limits: &crate::config::Limits) -> String {
    let Ok(state) = sheet.initial(limits) else { return String::new() };
    let pictures = sheet.structures().pictures(&sheet.game, &state);
    let roles = sheet.roles();
    pictures.first().map_or(String::new(), |picture| structure::draw::svg(picture, &roles))
}

/// Rules to be looked at.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    rules: String,
}

/// What is wrong with rules.
pub async fn check(
    State(app): Shared,
    visitor: Visitor,
    Body(body): Body<Check>,
) -> Outcome<Json<Value>> {
    let time = app.config.limits.sheet_time;
    let most = app.config.limits.body;
    let work = move || {
        let limits = gdl::Limits { max_text: most, ..gdl::Limits::default() };
        let checked = gdl::validate::check(&body.rules, &limits);
        let errors = checked.diagnostics.iter().filter(|found| found.is_error()).count();
        let status = match (checked.is_readable(), checked.is_sound()) {
            (false, _) => "unreadable",
            (true, false) => "unsound",
            (true, true) => "sound",
        };
        let syntax = if checked.rules.syntax == Syntax::Kif { "kif" } else { "prolog" };
        json!({"status": status, "syntax": syntax, "errors": errors,
               "warnings": checked.diagnostics.len() - errors, "roles": roles(&checked.rules),
               "title": library::about(&body.rules).title,
               "findings": findings(&body.rules, &checked.diagnostics)})
    };
    Ok(Json(app.watched(&visitor.account, Rules::Brought, time, work).await?))
}

/// Rules to be written anew.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Format {
    rules: String,
    syntax: Option<String>,
}

/// Rules in a tidy layout, in either syntax.
pub async fn format(
    State(app): Shared,
    visitor: Visitor,
    Body(body): Body<Format>,
) -> Outcome<Json<Value>> {
    let wanted = match body.syntax.as_deref() {
        None => None,
        Some("kif") => Some(Syntax::Kif),
        Some("prolog") => Some(Syntax::Prolog),
        Some(_) => return Err(ApiError::bad("the syntaxes are kif and prolog")),
    };
    let time = app.config.limits.sheet_time;
    let most = app.config.limits.body;
    let work = move || {
        let limits = gdl::Limits { max_text: most, ..gdl::Limits::default() };
        let (rules, problems) = gdl::parse(&body.rules, &limits);
        if problems.iter().any(gdl::Diagnostic::is_error) {
            let found = findings(&body.rules, &problems);
            return Err(ApiError::rules("these rules cannot be read", found));
        }
        let style = gdl::format::Style::of(wanted.unwrap_or(rules.syntax));
        Ok(json!({ "text": gdl::format::format(&body.rules, &rules, style) }))
    };
    app.watched(&visitor.account, Rules::Brought, time, work).await?.map(Json)
}
