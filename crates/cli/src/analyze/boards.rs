//! Boards with their pictures, quantities, and the sets of input arguments they rest on.

use std::collections::BTreeMap;

use game::Game;
use serde_json::{Value, json};
use structure::draw::{escape, svg};
use structure::print::{board_text, fluent_text, quantity_text};
use structure::{Axis, Board, BoardKind, Content, Evidence, Picture, Quantity, Tiling};

use super::page::{code, fixed, long, name, table};
use super::{Findings, Section};

/// The section.
pub fn section(findings: &Findings<'_>) -> Section {
    let (game, found) = (findings.game, findings.structures);
    let symbols = game.universe().symbols();
    let mut lines: Vec<String> =
        found.boards.iter().map(|board| format!("board {}", board_text(board, symbols))).collect();
    let quantities = found.quantities.iter();
    lines.extend(
        quantities.map(|quantity| format!("quantity {}", quantity_text(quantity, symbols))),
    );
    lines.extend(found.fluents.iter().map(|f| format!("fluent {}", fluent_text(f, symbols))));
    let pictures = found.pictures(game, findings.initial);
    let json = json!({
        "boards": found.boards.iter().map(|board| board_json(board, game)).collect::<Vec<_>>(),
        "quantities": found.quantities.iter().map(|q| quantity_json(q, game)).collect::<Vec<_>>(),
        "fluents": found.fluents.iter().map(|fluent| json!({
            "name": symbols.name(fluent.functor.name),
            "arity": fluent.functor.arity,
            "instances": fluent.count,
            "inputs": fluent.inputs.iter().map(|inputs| json!({
                "arguments": numbers(&inputs.arguments),
                "proved": inputs.evidence.is_proved(),
                "samples": samples(inputs.evidence),
            })).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "pictures": pictures.iter().map(picture_json).collect::<Vec<_>>(),
    });
    let html = html(findings, &pictures);
    Section { key: "boards", title: "Boards and quantities", lines, json, html }
}

fn html(findings: &Findings<'_>, pictures: &[Picture]) -> String {
    let (game, found) = (findings.game, findings.structures);
    let symbols = game.universe().symbols();
    let roles: Vec<String> = game.role_ids().map(|role| game.role_name(role)).collect();
    let figures: String = pictures.iter().map(|picture| figure(picture, &roles)).collect();
    let mut out = String::new();
    if !figures.is_empty() {
        out = format!("<div class=\"boards\">{figures}</div>");
    }
    out.push_str("<h3>Boards</h3>");
    let rows: Vec<Vec<String>> = found
        .boards
        .iter()
        .map(|board| {
            let several = match board.board_count() {
                1 => String::new(),
                count => format!("{count} boards of "),
            };
            vec![
                name(&format!("{}{}", board.functor.to_text(symbols), mark(board.evidence))),
                fixed(&format!("{several}{}", board.size_text())),
                kind(board.kind).to_owned(),
                axes(&board.coordinates, game),
                axes(&board.contents, game),
            ]
        })
        .collect();
    out.push_str(&table(&["fluent", "size", "kind", "coordinates", "contents"], &rows));
    out.push_str("<h3>Quantities</h3>");
    let rows: Vec<Vec<String>> = found
        .quantities
        .iter()
        .map(|quantity| {
            vec![
                name(&format!("{}{}", quantity.functor.to_text(symbols), mark(quantity.evidence))),
                if quantity.is_single() {
                    "single".to_owned()
                } else {
                    axes(&quantity.inputs, game)
                },
                axes(&quantity.amounts, game),
            ]
        })
        .collect();
    out.push_str(&table(&["fluent", "for each", "amount"], &rows));
    out.push_str("<h3>Fluents and their input arguments</h3>");
    let rows: Vec<Vec<String>> = found
        .fluents
        .iter()
        .map(|fluent| {
            let sets: Vec<String> = fluent
                .inputs
                .iter()
                .map(|inputs| {
                    let numbers: Vec<_> =
                        numbers(&inputs.arguments).iter().map(ToString::to_string).collect();
                    format!("{{{}}}{}", numbers.join(","), mark(inputs.evidence))
                })
                .collect();
            vec![
                code(&fluent.functor.to_text(symbols)),
                escape(&sets.join(" ")),
                fluent.count.to_string(),
            ]
        })
        .collect();
    out.push_str(&table(&["fluent", "input arguments", "instances"], &rows));
    out
}

fn mark(evidence: Evidence) -> &'static str {
    if evidence.is_proved() { "" } else { "?" }
}

fn kind(kind: BoardKind) -> &'static str {
    match kind {
        BoardKind::Cells => "cells",
        BoardKind::Placed => "places of things",
        BoardKind::Marks => "marks",
    }
}

/// A picture with the names of what is on it.
fn figure(picture: &Picture, roles: &[String]) -> String {
    let mut names: BTreeMap<&Content, usize> = BTreeMap::new();
    for content in picture.cells.iter().flat_map(|cell| &cell.contents) {
        *names.entry(content).or_default() += 1;
    }
    let legend: Vec<String> = names
        .iter()
        .take(24)
        .map(|(content, count)| {
            let owner = content.owner.and_then(|owner| roles.get(owner as usize));
            let owner = owner.map(|role| format!(" ({role})")).unwrap_or_default();
            format!("<span>{count} × {}{}</span>", code(&content.name), escape(&owner))
        })
        .collect();
    format!(
        "<figure>{}<figcaption>{}, initial position</figcaption><div class=\"legend\">{}</div></figure>",
        svg(picture, roles),
        code(&picture.title),
        legend.join("")
    )
}

fn axes(all: &[Axis], game: &Game) -> String {
    let symbols = game.universe().symbols();
    let one = |axis: &Axis| {
        let values: Vec<String> = axis.values.iter().map(|value| value.to_text(symbols)).collect();
        let by = axis.order.as_ref().map(|order| symbols.name(order.relation.name));
        let by = by.map(|name| format!(" by {}", code(name))).unwrap_or_default();
        format!("{}{by}: {}", axis.argument + 1, long(&values))
    };
    all.iter().map(one).collect::<Vec<_>>().join("<br>")
}

fn numbers(arguments: &[usize]) -> Vec<usize> {
    arguments.iter().map(|at| at + 1).collect()
}

fn samples(evidence: Evidence) -> Value {
    match evidence {
        Evidence::Proved => json!(null),
        Evidence::Guessed { samples } => json!(samples),
    }
}

fn axis_json(axis: &Axis, game: &Game) -> Value {
    let symbols = game.universe().symbols();
    json!({
        "argument": axis.argument + 1,
        "order": axis.order.as_ref().map(|order| symbols.name(order.relation.name)),
        "values": axis.values.iter().map(|value| value.to_text(symbols)).collect::<Vec<_>>(),
    })
}

fn axes_json(axes: &[Axis], game: &Game) -> Vec<Value> {
    axes.iter().map(|axis| axis_json(axis, game)).collect()
}

fn board_json(board: &Board, game: &Game) -> Value {
    json!({
        "name": game.universe().symbols().name(board.functor.name),
        "arity": board.functor.arity,
        "kind": match board.kind {
            BoardKind::Cells => "cells",
            BoardKind::Placed => "placed",
            BoardKind::Marks => "marks",
        },
        "ordered": board.is_ordered(),
        "boards": board.board_count(),
        "size": board.grid().iter().map(|axis| axis.values.len()).collect::<Vec<_>>(),
        "coordinates": axes_json(&board.coordinates, game),
        "contents": axes_json(&board.contents, game),
        "proved": board.evidence.is_proved(),
    })
}

fn quantity_json(quantity: &Quantity, game: &Game) -> Value {
    json!({
        "name": game.universe().symbols().name(quantity.functor.name),
        "arity": quantity.functor.arity,
        "for_each": axes_json(&quantity.inputs, game),
        "amounts": axes_json(&quantity.amounts, game),
        "proved": quantity.evidence.is_proved(),
    })
}

fn picture_json(picture: &Picture) -> Value {
    json!({
        "title": picture.title,
        "columns": picture.columns,
        "rows": picture.rows,
        "hexagonal": matches!(picture.tiling, Tiling::Hexagonal(_)),
        "cells": picture.cells.iter().map(|cell| json!({
            "column": cell.column,
            "row": cell.row,
            "contents": cell.contents.iter().map(|c| json!({ "name": c.name, "owner": c.owner }))
                .collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
    })
}
