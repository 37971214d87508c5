//! Fluent graphs and distances (thesis §6): the graph, what it tells, and maps on the boards.

use std::fmt::Write as _;
use std::time::Duration;

use cpu_time::ThreadTime;
use evaluate::{DistanceMap, DistanceReport};
use game::{Deadline, Game};
use serde_json::{Value, json};
use structure::draw::{escape, numbered};

use super::page::code;
use super::{Findings, Section};

/// The time and the memory for fluent graphs and distances between all fluents.
const MOST_TIME: Duration = Duration::from_secs(10);
const MOST_BYTES: usize = 512 << 20;

/// The section.
pub fn section(findings: &Findings<'_>) -> Section {
    let (key, title) = ("distances", "Distances");
    let Some(gates) = findings.reasoner.gates() else {
        let none = "none: the rules were not made ground";
        let html = format!("<p class=\"none\">{none}</p>");
        return Section { key, title, lines: vec![none.to_owned()], json: json!(null), html };
    };
    let (game, program) = (findings.game, gates.program());
    let begin = ThreadTime::now();
    let report = DistanceReport::new(
        game,
        program,
        findings.structures,
        findings.initial,
        MOST_BYTES,
        &Deadline::within(MOST_TIME),
    );
    let seconds = begin.elapsed().as_secs_f64();
    let names: Vec<String> =
        program.fluents.iter().map(|term| term.to_text(&program.symbols)).collect();
    let mut lines = summary(&report, seconds);
    for map in &report.maps {
        lines.extend(map_text(map, game));
    }
    let json = to_json(&report, game, seconds);
    let mut html = String::new();
    for line in summary(&report, seconds) {
        let _ = write!(html, "<p>{}</p>", escape(&line));
    }
    let roles: Vec<String> = game.role_ids().map(|role| game.role_name(role)).collect();
    html.push_str(&maps_html(&report.maps, game, &roles));
    let (drawing, whole) = report.graph.svg(&names, &program.initial);
    let part = if whole { "" } else { ", the part before a fluent that takes long" };
    let _ = write!(
        html,
        "<h3>Fluent graph{part}</h3><p class=\"none\">Columns: the step in which a fluent can appear first. \
         Filled: true at the beginning.</p><div class=\"scroll\">{drawing}</div>"
    );
    Section { key, title, lines, json, html }
}

fn summary(report: &DistanceReport, seconds: f64) -> Vec<String> {
    let graph = &report.graph;
    let mut lines = vec![
        format!("fluent graph: {} fluents, {} edges", graph.fluent_count(), graph.edge_count()),
        format!(
            "mean distance {:.2}; {:.1}% of the pairs of fluents without a path",
            report.told.mean_finite(),
            100.0 * report.told.unreachable_share()
        ),
        format!("{seconds:.3} CPU s, {:.1} MiB", report.bytes as f64 / f64::from(1 << 20)),
    ];
    if !graph.is_complete() {
        lines.push("there was no time for all fluents of the graph".to_owned());
    }
    lines.extend(report.stopped.map(|why| format!("not all distances: {why}")));
    lines
}

/// A map as rows of numbers.
fn map_text(map: &DistanceMap, game: &Game) -> Vec<String> {
    let mut lines = vec![format!("steps from {}", fluent(map, game))];
    for row in 0..map.picture.rows.len() {
        let mut line = String::new();
        for column in 0..map.picture.columns.len() {
            let at = map.picture.cells.iter().position(|c| (c.column, c.row) == (column, row));
            let text = match at.map(|at| map.steps[at]) {
                None => String::new(),
                Some(None) => "·".to_owned(),
                Some(Some(steps)) => steps.to_string(),
            };
            let _ = write!(line, "{text:>4}");
        }
        lines.push(line);
    }
    lines
}

fn fluent(map: &DistanceMap, game: &Game) -> String {
    let universe = game.universe();
    universe.fluent_entry(map.from).term.to_text(universe.symbols())
}

fn maps_html(maps: &[DistanceMap], game: &Game, roles: &[String]) -> String {
    if maps.is_empty() {
        return String::new();
    }
    let mut out = "<h3>Distance maps</h3><p class=\"none\">How many steps of the match it takes at least, turns of \
                   others included, until the piece can stand there.</p><div class=\"boards\">"
        .to_owned();
    for map in maps {
        let _ = write!(
            out,
            "<figure>{}<figcaption>from {}</figcaption></figure>",
            numbered(&map.picture, roles, &map.steps),
            code(&fluent(map, game))
        );
    }
    out.push_str("</div>");
    out
}

fn to_json(report: &DistanceReport, game: &Game, seconds: f64) -> Value {
    let maps = report.maps.iter().map(|map| {
        let cells = map.picture.cells.iter().zip(&map.steps);
        json!({
            "piece": map.piece,
            "from": fluent(map, game),
            "board": map.picture.title,
            "cells": cells.map(|(cell, steps)| json!({
                "column": map.picture.columns[cell.column],
                "row": map.picture.rows[cell.row],
                "steps": steps,
            })).collect::<Vec<_>>(),
        })
    });
    json!({
        "fluents": report.graph.fluent_count(),
        "edges": report.graph.edge_count(),
        "complete": report.graph.is_complete() && report.stopped.is_none(),
        "mean_distance": report.told.mean_finite(),
        "unreachable_share": report.told.unreachable_share(),
        "bytes": report.bytes,
        "seconds": seconds,
        "maps": maps.collect::<Vec<_>>(),
    })
}
