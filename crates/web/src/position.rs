//! A position as the page draws it: boards, facts beside them, legal moves with the cells they touch, and the same as
//! text for screen readers.

use std::fmt::Write as _;

use game::{GroundTerm, Role, State};
use serde_json::{Value, json};
use structure::{Atlas, Functor, Picture, Square, Structures, Tiling, args};

use crate::ground::Ground;
use crate::referee::Look;
use crate::sheets::Sheet;

/// Where a position stands in a match.
#[derive(Clone, Copy, Default)]
pub struct Context<'c> {
    /// The number of joint moves before it.
    pub step: usize,
    /// The moves that led to it, as texts.
    pub last: Option<&'c [String]>,
    /// The state before.
    pub before: Option<&'c State>,
}

/// A position for the page: with boards if they have been looked for, with facts and moves in any case.
pub fn position(sheet: &Sheet, state: &State, look: &Look, context: Context<'_>) -> Value {
    let found = sheet.structures_now();
    let atlas = found.map(|found| found.atlas(&sheet.game, state));
    let known = found.zip(atlas.as_ref());
    let pictures = atlas.as_ref().map_or(&[][..], |atlas| &atlas.pictures);
    let before = found.zip(context.before);
    let before = before.map(|(found, before)| found.pictures(&sheet.game, before));
    let boards: Value = pictures
        .iter()
        .enumerate()
        .zip(found.into_iter().cycle())
        .map(|((number, picture), found)| board(number, picture, found, sheet.ground()))
        .collect();
    let facts = facts(sheet, known, state);
    json!({
        "step": context.step,
        "terminal": look.terminal,
        "goals": look.goals,
        "control": look.choosing(),
        "last": context.last,
        "changed": before.map_or(Vec::new(), |before| changed(&before, pictures)),
        "drawn": found.is_some(),
        "boards": boards,
        "text": text(sheet, pictures, &facts, look),
        "facts": facts,
        "legal": legal(sheet, atlas.as_ref(), look),
    })
}

/// A cell of a board.
pub fn cell(spot: &Square) -> Value {
    json!({"board": spot.picture, "column": spot.column, "row": spot.row})
}

/// The boards of a state alone.
pub fn boards(sheet: &Sheet, state: &State) -> Value {
    let structures = sheet.structures();
    let pictures = structures.pictures(&sheet.game, state);
    let all = pictures.iter().enumerate();
    all.map(|(number, picture)| board(number, picture, structures, sheet.ground())).collect()
}

fn board(number: usize, picture: &Picture, structures: &Structures, ground: &Ground) -> Value {
    let tiling = match picture.tiling {
        Tiling::Square => "square",
        Tiling::SquareWithDiagonals => "square8",
        Tiling::Hexagonal(false) => "hex",
        Tiling::Hexagonal(true) => "hex2",
    };
    let torus = structures.neighbours.iter().any(|found| found.torus);
    let cells = picture.cells.iter().map(|cell| {
        let contents: Value = cell
            .contents
            .iter()
            .map(|content| json!({"name": content.name, "owner": content.owner}))
            .collect();
        let mut told = json!({"column": cell.column, "row": cell.row, "contents": contents});
        let below = ground.at(number, cell.column, cell.row);
        if !below.is_empty() {
            told["ground"] = json!(below);
        }
        told
    });
    json!({"title": picture.title, "columns": picture.columns, "rows": picture.rows,
           "tiling": tiling, "torus": torus, "cells": cells.collect::<Value>()})
}

fn changed(before: &[Picture], after: &[Picture]) -> Vec<Value> {
    let mut found = Vec::new();
    for (number, (before, after)) in before.iter().zip(after).enumerate() {
        for cell in &after.cells {
            let same = |old: &&structure::Cell| (old.column, old.row) == (cell.column, cell.row);
            let old = before.cells.iter().find(same).map_or(&[][..], |old| &old.contents[..]);
            if old != cell.contents {
                found.push(json!({"board": number, "column": cell.column, "row": cell.row}));
            }
        }
    }
    found
}

/// The most facts and moves that are sent.
const MOST_FACTS: usize = 2000;
const MOST_MOVES: usize = 20_000;

/// What the boards do not show.
fn facts(sheet: &Sheet, known: Option<(&Structures, &Atlas<'_>)>, state: &State) -> Vec<Value> {
    let universe = sheet.game.universe();
    let symbols = universe.symbols();
    let mut facts: Vec<(String, Value)> = Vec::new();
    for fluent in state.iter() {
        let entry = universe.fluent_entry(fluent);
        let functor = Functor::of(&entry.term);
        let shown = known.is_some_and(|(_, atlas)| atlas.shows(functor));
        if shown || facts.len() >= MOST_FACTS {
            continue;
        }
        let found = known.map(|(found, _)| found);
        let mut controls = found.iter().flat_map(|found| &found.controls);
        let control = controls.find(|control| control.fluent == entry.term);
        let is_counter =
            |found: &Structures| found.counters.iter().any(|one| one.functor == functor);
        let is_quantity =
            |found: &Structures| found.quantities.iter().any(|one| one.functor == functor);
        let kind = if control.is_some() {
            "control"
        } else if found.is_some_and(is_counter) {
            "counter"
        } else if found.is_some_and(is_quantity) {
            "quantity"
        } else {
            "other"
        };
        let named = args(&entry.term).iter().find_map(|arg| role_of(sheet, arg));
        let owner = control.map(|control| control.role.0).or(named);
        let args: Vec<String> = args(&entry.term).iter().map(|arg| arg.to_text(symbols)).collect();
        let fact = json!({"text": &*entry.text, "name": symbols.name(functor.name), "args": args,
                          "kind": kind, "owner": owner});
        facts.push((entry.text.to_string(), fact));
    }
    facts.sort_by(|a, b| a.0.cmp(&b.0));
    facts.into_iter().map(|(_, fact)| fact).collect()
}

fn role_of(sheet: &Sheet, term: &GroundTerm) -> Option<u32> {
    sheet.game.roles().iter().position(|role| role == term).map(|at| at as u32)
}

fn legal(sheet: &Sheet, atlas: Option<&Atlas<'_>>, look: &Look) -> Value {
    let universe = sheet.game.universe();
    let of_role = |(role, moves): (usize, &Vec<game::Move>)| {
        let name = &sheet.game.roles()[role];
        let one = |action: &game::Move| {
            let entry = universe.move_entry(*action);
            let touched = atlas.map(|atlas| atlas.touched(name, &entry.term));
            let cells = touched.iter().flat_map(|touched| &touched.cells).map(cell);
            let lines = touched.iter().flat_map(|touched| &touched.lines).map(|line| {
                let mut value = json!({"board": line.picture});
                for (key, at) in [("column", line.column), ("row", line.row)] {
                    if let Some(at) = at {
                        value[key] = json!(at);
                    }
                }
                value
            });
            json!({"move": &*entry.text, "label": label(&entry.text),
                   "cells": cells.collect::<Value>(),
                   "lines": lines.collect::<Value>()})
        };
        moves.iter().take(MOST_MOVES).map(one).collect::<Value>()
    };
    look.legal.iter().enumerate().map(of_role).collect()
}

/// A move without its outer parentheses.
pub fn label(text: &str) -> String {
    let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    inner.unwrap_or(text).trim().to_owned()
}

/// The position in words.
fn text(sheet: &Sheet, pictures: &[Picture], facts: &[Value], look: &Look) -> String {
    let mut out = String::new();
    for picture in pictures {
        let mut parts = Vec::new();
        for cell in &picture.cells {
            let names: Vec<&str> = cell.contents.iter().map(|content| &*content.name).collect();
            if !names.is_empty() {
                let (column, row) = (&picture.columns[cell.column], &picture.rows[cell.row]);
                let place = format!("{column} {row}");
                parts.push(format!("{} {}", place.trim(), names.join(" and ")));
            }
        }
        let parts = if parts.is_empty() { "empty".to_owned() } else { parts.join(", ") };
        let _ = write!(out, "{}: {parts}. ", picture.title);
    }
    let told: Vec<String> = facts
        .iter()
        .filter(|fact| fact["kind"] != "control")
        .filter_map(|fact| fact["text"].as_str())
        .map(label)
        .collect();
    if !told.is_empty() {
        let _ = write!(out, "{}. ", told.join(", "));
    }
    let name = |role: usize| sheet.game.role_name(Role(role as u32));
    if look.terminal {
        let goals = look.goals.iter().enumerate().filter_map(|(role, goal)| Some((role, (*goal)?)));
        let goals: Vec<String> =
            goals.map(|(role, goal)| format!("{} {goal}", name(role))).collect();
        let _ = write!(out, "The game is over: {}.", goals.join(", "));
    } else {
        let turn: Vec<String> = look.choosing().into_iter().map(name).collect();
        if !turn.is_empty() {
            let _ = write!(out, "To move: {}.", turn.join(", "));
        }
    }
    out.trim().to_owned()
}
