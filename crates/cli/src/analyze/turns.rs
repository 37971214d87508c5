//! Turns, counters, pieces, moves on boards, persistence, latches and mobility.

use serde_json::{Value, json};
use structure::Tiling;
use structure::draw::escape;

use super::page::{code, table};
use super::{Findings, Section};

/// The section.
pub fn section(findings: &Findings<'_>) -> Section {
    let (game, found) = (findings.game, findings.structures);
    let lines = found.play_text(game);
    let html = html(findings);
    Section { key: "play", title: "Turns, pieces and moves", lines, json: json(findings), html }
}

fn json(findings: &Findings<'_>) -> Value {
    let (game, found) = (findings.game, findings.structures);
    let universe = game.universe();
    let symbols = universe.symbols();
    let board = |number: usize| symbols.name(found.boards[number].functor.name);
    json!({
        "turn_taking": found.turn_taking,
        "controls": found.controls.iter().map(|control| json!({
            "fluent": control.fluent.to_text(symbols),
            "role": game.role_name(control.role),
        })).collect::<Vec<_>>(),
        "counters": found.counters.iter().map(|counter| json!({
            "name": symbols.name(counter.functor.name),
            "first": counter.first.to_text(symbols),
            "proved": counter.evidence.is_proved(),
            "bound": counter.bound,
        })).collect::<Vec<_>>(),
        "turn_bound": found.turn_bound(),
        "pieces": found.pieces.iter().map(|piece| json!({
            "board": board(piece.board),
            "content": piece.content,
            "owner": piece.owner.map(|role| game.role_name(role)),
            "empty": piece.empty,
        })).collect::<Vec<_>>(),
        "moves": found.move_cells.iter().map(|moves| json!({
            "name": symbols.name(moves.functor.name),
            "arity": moves.functor.arity,
            "board": board(moves.board),
            "cells": moves.cells.iter()
                .map(|cell| cell.iter().map(|at| at + 1).collect::<Vec<_>>()).collect::<Vec<_>>(),
            "lines": moves.lines.iter().map(|(argument, axis)| json!({
                "argument": argument + 1,
                "coordinate": found.boards[moves.board].grid()[*axis].argument + 1,
            })).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "neighbours": found.neighbours.iter().map(|own| json!({
            "board": board(own.board),
            "relation": symbols.name(own.relation.name),
            "tiling": match own.tiling {
                Tiling::Square => "square",
                Tiling::SquareWithDiagonals => "square with diagonals",
                Tiling::Hexagonal(_) => "hexagonal",
            },
            "torus": own.torus,
        })).collect::<Vec<_>>(),
        "persistent": found.persistent.iter().map(|one| json!({
            "fluent": &*universe.fluent_entry(one.fluent).text,
            "value": one.value,
            "proved": one.evidence.is_proved(),
        })).collect::<Vec<_>>(),
        "latches": found.latches.iter().map(|latch| json!({
            "fluent": &*universe.fluent_entry(latch.persistent.fluent).text,
            "value": latch.persistent.value,
            "proved": latch.persistent.evidence.is_proved(),
            "role": game.role_name(latch.role),
            "lowest": latch.lowest,
            "highest": latch.highest,
        })).collect::<Vec<_>>(),
        "mobility": found.mobility.iter().map(|mobility| json!({
            "relation": symbols.name(mobility.relation.name),
            "ends": mobility.ends,
            "rewards": mobility.rewards,
        })).collect::<Vec<_>>(),
    })
}

fn html(findings: &Findings<'_>) -> String {
    // The lines of the terminal, parted at the first word: what it is about.
    let lines = findings.structures.play_text(findings.game);
    let rows: Vec<Vec<String>> = lines
        .iter()
        .map(|line| {
            let (what, rest) = line.split_once([' ', ':']).unwrap_or((line, ""));
            let rest = rest.trim_start_matches([' ', ':']);
            match rest.split_once(": ") {
                Some((name, text)) => vec![escape(what), code(name), escape(text)],
                None => vec![escape(what), String::new(), escape(rest)],
            }
        })
        .collect();
    table(&["about", "what", "found"], &rows)
}
