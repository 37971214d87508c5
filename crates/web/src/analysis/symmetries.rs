//! Symmetries, and what they do to the cells of boards.

use std::collections::BTreeMap;
use std::time::Duration;

use game::{Deadline, State};
use serde_json::{Value, json};
use structure::{Atlas, Square};
use symmetry::{Options, Point, Symmetries, detect, permutation};

use super::Section;
use crate::position::cell;
use crate::sheets::Sheet;

/// The most generators, and the most cycles of one that are written out.
const MOST: usize = 24;
const MOST_CYCLES: usize = 6;

/// The section.
pub fn section(sheet: &Sheet, state: &State, time: Duration) -> Section {
    let options = Options { deadline: Deadline::within(time), ..Options::default() };
    let found = detect(&sheet.game, sheet.reasoner.gates(), &options);
    let atlas = sheet.structures().atlas(&sheet.game, state);
    let generators = found.generators().iter().take(MOST).map(|generator| {
        let moved = cells(sheet, &found, &atlas, &generator.permutation);
        let pairs: Vec<Value> =
            moved.iter().flatten().map(|(from, to)| json!([cell(from), cell(to)])).collect();
        let board = moved.as_ref().and_then(|moved| moved.keys().next()).map(|spot| spot.picture);
        json!({"text": text(sheet, &found, &generator.permutation), "board": board, "map": pairs,
               "roles": roles(sheet, &found, &generator.permutation)})
    });
    let generators: Value = generators.collect();
    let data = json!({
        "order": found.order().to_string(),
        "states_order": found.states_order().to_string(),
        "complete": found.is_complete(),
        "generators": generators,
        "orbits": orbits(sheet, &found, &atlas),
        "role_orbits": found.role_orbits().iter()
            .map(|orbit| orbit.iter().map(|point| found.points().text(&sheet.game, *point)).collect::<Vec<_>>())
            .collect::<Vec<_>>(),
    });
    let note = (!found.is_complete()).then(|| "there may be more symmetries".to_owned());
    (Ok(data), note)
}

/// Where a permutation takes the cells; none if contents decide where a cell goes.
fn cells(
    sheet: &Sheet,
    found: &Symmetries,
    atlas: &Atlas<'_>,
    permutation: &[u32],
) -> Option<BTreeMap<Square, Square>> {
    let (points, universe) = (found.points(), sheet.game.universe());
    let mut moved = BTreeMap::new();
    for point in 0..points.fluents().len() as u32 {
        let Point::Fluent(from) = points.point(point) else { continue };
        let Point::Fluent(to) = points.point(permutation[point as usize]) else { continue };
        let Some(from) = atlas.spot(&universe.fluent_entry(from).term) else { continue };
        let to = atlas.spot(&universe.fluent_entry(to).term)?;
        if *moved.entry(from).or_insert(to) != to {
            return None;
        }
    }
    moved.retain(|from, to| from != to);
    Some(moved)
}

fn text(sheet: &Sheet, found: &Symmetries, permutation: &[u32]) -> String {
    let cycles = permutation::cycles(permutation);
    let shown = cycles.iter().take(MOST_CYCLES).map(|cycle| {
        let names: Vec<String> =
            cycle.iter().map(|point| found.points().text(&sheet.game, *point)).collect();
        names.join(" -> ")
    });
    let shown: Vec<String> = shown.collect();
    let more = cycles.len().saturating_sub(MOST_CYCLES);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    format!("{}{more}", shown.join("; "))
}

/// Roles that change places, as pairs of names.
fn roles(sheet: &Sheet, found: &Symmetries, permutation: &[u32]) -> Vec<Vec<String>> {
    let points = found.points();
    let name = |point: u32| points.text(&sheet.game, point);
    let moved = points.role_points().filter(|role| permutation[*role as usize] != *role);
    moved.map(|role| vec![name(role), name(permutation[role as usize])]).collect()
}

/// By board the sets of cells that symmetries exchange.
fn orbits(sheet: &Sheet, found: &Symmetries, atlas: &Atlas<'_>) -> Value {
    let mut parent: BTreeMap<Square, Square> = BTreeMap::new();
    for generator in found.generators() {
        let Some(moved) = cells(sheet, found, atlas, &generator.permutation) else { continue };
        for (from, to) in moved {
            let (a, b) = (root(&parent, from), root(&parent, to));
            if a != b {
                parent.insert(a.max(b), a.min(b));
            }
        }
    }
    let boards = atlas.pictures.iter().enumerate().map(|(number, picture)| {
        let mut sets: BTreeMap<Square, Vec<Value>> = BTreeMap::new();
        for one in &picture.cells {
            let spot = Square { picture: number, column: one.column, row: one.row };
            sets.entry(root(&parent, spot)).or_default().push(cell(&spot));
        }
        json!({"board": number, "cells": sets.into_values().collect::<Vec<_>>()})
    });
    boards.collect()
}

fn root(parent: &BTreeMap<Square, Square>, mut spot: Square) -> Square {
    while let Some(next) = parent.get(&spot) {
        spot = *next;
    }
    spot
}
