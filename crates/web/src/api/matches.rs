//! Matches: made, played, kept.

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use protocol::MatchRecord;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Body, Shared, broken, seconds};
use crate::app::App;
use crate::engine::{DEFAULT, STRENGTHS, with_strength};
use crate::error::{ApiError, Outcome};
use crate::random;
use crate::sheets::Source;
use crate::store::{ClocksDoc, Ended, Filter, Listed, Meta, SeatDoc, StepDoc};
use crate::visitor::Visitor;

/// A seat as requests name it.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeatRequest {
    kind: String,
    strategy: Option<String>,
    strength: Option<u8>,
    url: Option<String>,
}

impl SeatRequest {
    fn check(self, app: &App, visitor: &Visitor) -> Outcome<SeatDoc> {
        let Self { kind, strategy, strength, url } = self;
        let extra = |what: &str| ApiError::bad(format!("a seat of kind {kind} has no {what}"));
        let owner = (kind == "human").then(|| visitor.id.clone());
        if kind != "strategy" && (strategy.is_some() || strength.is_some()) {
            return Err(extra("strategy"));
        }
        if kind != "remote" && url.is_some() {
            return Err(extra("url"));
        }
        match kind.as_str() {
            "human" | "open" => {}
            "strategy" => {
                if strength.is_some_and(|strength| !STRENGTHS.contains(&strength)) {
                    return Err(ApiError::bad("strengths are from 1 to 10"));
                }
                let text = strategy.as_deref().unwrap_or(DEFAULT);
                let parsed = with_strength(text, strength);
                check_greed(&parsed.map_err(|error| ApiError::bad(error.to_string()))?, app)?;
            }
            "remote" => {
                if !app.config.remote_players {
                    return Err(ApiError::bad("this server does not connect to other players"));
                }
                let address = url.as_deref().and_then(manager::Address::parse);
                address.ok_or_else(|| {
                    ApiError::bad("a remote seat has a url such as http://localhost:9147")
                })?;
            }
            _ => {
                return Err(ApiError::bad(
                    "the kinds of seats are human, open, strategy and remote",
                ));
            }
        }
        Ok(SeatDoc { kind, owner, strategy, strength, url })
    }
}

/// A search may use as many threads as searches may run, and the memory that players get.
fn check_greed(strategy: &player::Strategy, app: &App) -> Outcome<()> {
    let limits = &app.config.limits;
    let most =
        [("threads", limits.searches as u64), ("memory", (limits.player_memory >> 20) as u64)];
    for (key, most) in most {
        let options = strategy.options();
        if options.is_given(key) && options.whole(key) > most {
            return Err(ApiError::bad(format!("{key} is at most {most} here")));
        }
    }
    Ok(())
}

/// A new match.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Create {
    game: Source,
    seats: Vec<SeatRequest>,
    clocks: Option<ClocksDoc>,
    think: Option<f64>,
    #[serde(default)]
    paused: bool,
    /// Moves that have been made already.
    #[serde(default)]
    moves: Vec<Vec<String>>,
}

fn check_clocks(clocks: ClocksDoc, most: f64) -> Outcome<ClocksDoc> {
    let fine = |value: f64| value.is_finite() && (0.1..=most).contains(&value);
    if fine(clocks.start) && fine(clocks.play) {
        return Ok(clocks);
    }
    Err(ApiError::bad(format!("clocks are from 0.1 to {most} seconds")))
}

/// Makes a match.
pub async fn create(
    State(app): Shared,
    visitor: Visitor,
    Body(body): Body<Create>,
) -> Outcome<Response> {
    app.check_matches(&visitor)?;
    let most = app.config.limits.clock.as_secs_f64();
    let clocks = body.clocks.map(|clocks| check_clocks(clocks, most)).transpose()?;
    let think = seconds(body.think, 2.0, most)?;
    let seats: Outcome<Vec<SeatDoc>> =
        body.seats.into_iter().map(|seat| seat.check(&app, &visitor)).collect();
    let seats = seats?;
    let sheet = app.sheet(&visitor.account, body.game).await?;
    let roles = sheet.roles();
    if seats.len() != roles.len() {
        let (roles, seats) = (roles.len(), seats.len());
        return Err(ApiError::bad(format!(
            "the game has {roles} roles, but there are {seats} seats"
        )));
    }
    let meta = Meta {
        id: random::name(10),
        source: sheet.source(),
        name: sheet.name.clone(),
        title: sheet.title.clone(),
        roles,
        seats,
        players: None,
        clocks,
        think,
        owner: visitor.id.clone(),
        account: visitor.account.clone(),
        created: random::now(),
        paused: body.paused,
        imported: false,
        ended: None,
        seed: random::seed(),
        annotations: Vec::new(),
    };
    let time = meta.created;
    let made =
        |moves: Vec<String>| StepDoc { faults: vec![String::new(); moves.len()], moves, time };
    let steps = body.moves.into_iter().map(made).collect();
    opened(&app, &visitor, meta, steps, sheet).await
}

async fn opened(
    app: &App,
    visitor: &Visitor,
    meta: Meta,
    steps: Vec<StepDoc>,
    sheet: std::sync::Arc<crate::sheets::Sheet>,
) -> Outcome<Response> {
    let id = meta.id.clone();
    app.house.store.save(&meta, steps.len()).map_err(broken)?;
    for (at, step) in steps.iter().enumerate() {
        app.house.store.add_step(&meta, at, step).map_err(broken)?;
    }
    app.open(meta, steps, sheet)?;
    let view = app.view(&id).await?;
    Ok((StatusCode::CREATED, Json(view.json_for(visitor))).into_response())
}

/// A record of another place becomes a match that can be looked at.
pub async fn import(
    State(app): Shared,
    visitor: Visitor,
    Body(record): Body<MatchRecord>,
) -> Outcome<Response> {
    app.check_matches(&visitor)?;
    let extra = record.fluxion.clone().unwrap_or_default();
    let named = if extra.game.is_empty() { last_part(&record.game_meta_url) } else { extra.game };
    let known = library::find(&named);
    let source = match known {
        Some(entry) if extra.rules.is_empty() || extra.rules == entry.rules => {
            Source { library: Some(entry.name.to_owned()), rules: None, title: None }
        }
        _ if extra.rules.is_empty() => {
            return Err(ApiError::bad("the record has no rules, and the library has no such game"));
        }
        _ => Source { library: None, rules: Some(extra.rules), title: Some(named) },
    };
    let sheet = app.sheet(&visitor.account, source).await?;
    let roles = sheet.roles();
    let steps = steps_of(&record);
    let goals = record.goal_values.iter().map(|goal| u8::try_from(*goal).ok()).collect();
    let why = if record.is_completed { "terminal" } else { "aborted" };
    let goals = Some(goals).filter(|_| record.is_completed);
    let human = |role: usize| record.is_player_human.get(role).copied().unwrap_or(false);
    let seat = |role: usize| SeatDoc {
        kind: if human(role) { "open" } else { "strategy" }.to_owned(),
        owner: None,
        strategy: None,
        strength: None,
        url: None,
    };
    let mut players = record.player_names_from_host.clone();
    players.resize(roles.len(), "?".to_owned());
    let meta = Meta {
        id: random::name(10),
        source: sheet.source(),
        name: sheet.name.clone(),
        title: sheet.title.clone(),
        seats: (0..roles.len()).map(seat).collect(),
        players: Some(players.iter().map(|name| name.chars().take(80).collect()).collect()),
        clocks: None,
        think: 2.0,
        owner: visitor.id.clone(),
        account: visitor.account.clone(),
        created: record.start_time,
        paused: false,
        imported: true,
        ended: Some(Ended { why: why.to_owned(), goals, resigned: None, message: None }),
        seed: extra.seed,
        annotations: Vec::new(),
        roles,
    };
    opened(&app, &visitor, meta, steps, sheet).await
}

/// The name at the end of an address such as `http://games.ggp.org/base/games/ticTacToe/v0/`.
fn last_part(url: &str) -> String {
    let is_version = |part: &&str| {
        part.len() > 1 && part.starts_with('v') && part[1..].bytes().all(|b| b.is_ascii_digit())
    };
    let mut parts =
        url.split(['/', ':']).filter(|part| !part.is_empty()).filter(|part| !is_version(part));
    parts.next_back().unwrap_or_default().to_owned()
}

fn steps_of(record: &MatchRecord) -> Vec<StepDoc> {
    let step = |(at, moves): (usize, &Vec<String>)| StepDoc {
        moves: moves.iter().map(|text| protocol::message::compact(text)).collect(),
        time: record.state_times.get(at + 1).copied().unwrap_or_default(),
        faults: record.errors.get(at + 1).cloned().unwrap_or_default(),
    };
    record.moves.iter().enumerate().map(step).collect()
}

/// Filters of the list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListQuery {
    mine: Option<bool>,
    state: Option<String>,
}

const MOST_LISTED: usize = 200;

/// All matches.
pub async fn list(
    State(app): Shared,
    visitor: Visitor,
    Query(query): Query<ListQuery>,
) -> Outcome<Json<Value>> {
    let running = match query.state.as_deref() {
        None => None,
        Some("running") => Some(true),
        Some("over") => Some(false),
        Some(_) => return Err(ApiError::bad("state is running or over")),
    };
    let owner = query.mine.unwrap_or(false).then(|| visitor.id.clone());
    let found =
        app.house.store.list(&Filter { owner, running, most: MOST_LISTED }).map_err(broken)?;
    let matches: Value = found.iter().map(|listed| line_of(listed, &visitor)).collect();
    Ok(Json(json!({ "matches": matches })))
}

fn line_of(listed: &Listed, visitor: &Visitor) -> Value {
    let meta = &listed.meta;
    let name = |(role, seat): (usize, &SeatDoc)| {
        if let Some(name) = meta.players.as_ref().and_then(|names| names.get(role)) {
            return name.clone();
        }
        match seat.kind.as_str() {
            "human" if seat.owner.as_ref() == Some(&visitor.id) => "you".to_owned(),
            "human" => "person".to_owned(),
            "remote" => seat.url.clone().unwrap_or_default(),
            "strategy" => seat.strategy.clone().unwrap_or_else(|| DEFAULT.to_owned()),
            other => other.to_owned(),
        }
    };
    json!({
        "id": meta.id, "game": {"name": meta.name, "title": meta.title}, "roles": meta.roles,
        "players": meta.seats.iter().enumerate().map(name).collect::<Vec<_>>(), "step": listed.step,
        "state": if meta.ended.is_some() { "over" } else { "running" },
        "goals": meta.ended.as_ref().and_then(|ended| ended.goals.clone()),
        "mine": meta.owner == visitor.id, "created": meta.created, "changed": listed.changed,
        "imported": meta.imported,
    })
}

/// The view of a match.
pub async fn one(
    State(app): Shared,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Outcome<Json<Value>> {
    Ok(Json(app.view(&id).await?.json_for(&visitor)))
}

/// Forgets a match.
pub async fn delete(
    State(app): Shared,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Outcome<StatusCode> {
    app.run(&id, move |dealer| dealer.may_delete(&visitor)).await?;
    app.forget(&id)?;
    Ok(StatusCode::NO_CONTENT)
}

/// A past step.
pub async fn step(
    State(app): Shared,
    Path((id, step)): Path<(String, usize)>,
) -> Outcome<Json<Value>> {
    app.run(&id, move |dealer| dealer.past(step)).await.map(Json)
}

/// A line to be played out.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    step: usize,
    moves: Vec<Vec<String>>,
}

/// The positions of a line.
pub async fn line(
    State(app): Shared,
    Path(id): Path<String>,
    Body(body): Body<Line>,
) -> Outcome<Json<Value>> {
    app.run(&id, move |dealer| dealer.line(body.step, &body.moves)).await.map(Json)
}

/// A move.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MoveRequest {
    role: usize,
    #[serde(rename = "move")]
    action: String,
    step: Option<usize>,
}

/// A person moves.
pub async fn make_move(
    State(app): Shared,
    visitor: Visitor,
    Path(id): Path<String>,
    Body(body): Body<MoveRequest>,
) -> Outcome<Json<Value>> {
    let work = move |dealer: &mut crate::dealer::Dealer| {
        dealer.make_move(&visitor, body.role, &body.action, body.step)
    };
    app.run(&id, work).await.map(Json)
}

/// Where to go back to.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Undo {
    to: Option<usize>,
}

/// Takes moves back.
pub async fn undo(
    State(app): Shared,
    visitor: Visitor,
    Path(id): Path<String>,
    Body(body): Body<Undo>,
) -> Outcome<Json<Value>> {
    app.run(&id, move |dealer| dealer.undo(&visitor, body.to)).await.map(Json)
}

/// A role.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoleRequest {
    role: usize,
}

/// A role gives up.
pub async fn resign(
    State(app): Shared,
    visitor: Visitor,
    Path(id): Path<String>,
    Body(body): Body<RoleRequest>,
) -> Outcome<Json<Value>> {
    app.run(&id, move |dealer| dealer.resign(&visitor, body.role)).await.map(Json)
}

/// Takes an open seat.
pub async fn join(
    State(app): Shared,
    visitor: Visitor,
    Path(id): Path<String>,
    Body(body): Body<RoleRequest>,
) -> Outcome<Json<Value>> {
    app.run(&id, move |dealer| dealer.join(&visitor, body.role)).await.map(Json)
}

/// Whether to wait.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pause {
    paused: bool,
}

/// Strategies wait or go on.
pub async fn pause(
    State(app): Shared,
    visitor: Visitor,
    Path(id): Path<String>,
    Body(body): Body<Pause>,
) -> Outcome<Json<Value>> {
    app.run(&id, move |dealer| dealer.set_paused(&visitor, body.paused)).await.map(Json)
}

/// A paused match plays a step.
pub async fn next(
    State(app): Shared,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Outcome<Json<Value>> {
    app.run(&id, move |dealer| dealer.play_next(&visitor)).await.map(Json)
}

/// Ends it.
pub async fn abort(
    State(app): Shared,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Outcome<Json<Value>> {
    app.run(&id, move |dealer| dealer.abort(&visitor)).await.map(Json)
}

/// Another seat for a role.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reseat {
    role: usize,
    seat: SeatRequest,
}

/// Somebody else takes a role.
pub async fn seat(
    State(app): Shared,
    visitor: Visitor,
    Path(id): Path<String>,
    Body(body): Body<Reseat>,
) -> Outcome<Json<Value>> {
    let seat = body.seat.check(&app, &visitor)?;
    app.run(&id, move |dealer| dealer.set_seat(&visitor, body.role, seat)).await.map(Json)
}

/// A question to the adviser.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    role: Option<usize>,
    seconds: Option<f64>,
}

/// A hint.
pub async fn hint(
    State(app): Shared,
    visitor: Visitor,
    Path(id): Path<String>,
    Body(body): Body<Question>,
) -> Outcome<Json<Value>> {
    let seconds = seconds(body.seconds, 2.0, 60.0)?;
    let role = body.role.ok_or_else(|| ApiError::bad("which role?"))?;
    app.run(&id, move |dealer| dealer.hint(&visitor, role, seconds)).await.map(Json)
}

/// The solution of a puzzle.
pub async fn solve(
    State(app): Shared,
    visitor: Visitor,
    Path(id): Path<String>,
    Body(body): Body<Question>,
) -> Outcome<Json<Value>> {
    let seconds = seconds(body.seconds, 20.0, 120.0)?;
    app.run(&id, move |dealer| dealer.solve(&visitor, seconds)).await.map(Json)
}

/// Judges all steps.
pub async fn annotate(
    State(app): Shared,
    visitor: Visitor,
    Path(id): Path<String>,
    Body(body): Body<Question>,
) -> Outcome<Json<Value>> {
    let seconds = seconds(body.seconds, 1.0, 20.0)?;
    app.run(&id, move |dealer| dealer.annotate(&visitor, seconds)).await.map(Json)
}

/// The judgements.
pub async fn annotations(State(app): Shared, Path(id): Path<String>) -> Outcome<Json<Value>> {
    app.run(&id, |dealer| Ok(dealer.annotations())).await.map(Json)
}

/// The record, as a download.
pub async fn record(State(app): Shared, Path(id): Path<String>) -> Outcome<Response> {
    let record = app.run(&id, |dealer| Ok(dealer.record_json())).await?;
    let safe: String = id.chars().filter(char::is_ascii_alphanumeric).collect();
    let name = format!("attachment; filename=\"fluxion-{safe}.json\"");
    let headers = [
        (header::CONTENT_DISPOSITION, name),
        (header::CONTENT_TYPE, "application/json".to_owned()),
    ];
    Ok((headers, record.to_string()).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_found_by_the_addresses_of_others() {
        assert_eq!(last_part("http://games.ggp.org/base/games/ticTacToe/v0/"), "ticTacToe");
        assert_eq!(last_part("fluxion:connect_four"), "connect_four");
        assert_eq!(last_part(""), "");
    }
}
