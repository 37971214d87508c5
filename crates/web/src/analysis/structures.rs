//! What was found in the rules: boards, orders, quantities, pieces.

use prove::Told;
use serde_json::{Value, json};
use structure::{Axis, BoardKind, Evidence, Structures};

use super::Section;
use crate::sheets::Sheet;

/// The most values that are listed.
const LISTED: usize = 60;

fn evidence(evidence: Evidence) -> String {
    match evidence {
        Evidence::Proved => "proved".to_owned(),
        Evidence::Guessed { samples } => {
            format!("guessed: nothing against it in {samples} positions of random play")
        }
    }
}

/// The section.
pub fn section(sheet: &Sheet) -> Section {
    told(sheet, sheet.structures())
}

/// The section again, with what proofs say about what was only guessed: what they confirm is certain, what they refute
/// is not claimed any more.
pub fn with_proofs(sheet: &Sheet, proofs: &mut Told) -> Section {
    told(sheet, &sheet.structures_by(proofs))
}

fn told(sheet: &Sheet, found: &Structures) -> Section {
    let symbols = sheet.game.universe().symbols();
    let texts = |axis: &Axis| -> Vec<String> {
        axis.values.iter().take(LISTED).map(|value| value.to_text(symbols)).collect()
    };
    let boards = found.boards.iter().map(|board| {
        let kind = match board.kind {
            BoardKind::Cells => "cells",
            BoardKind::Placed => "placed",
            BoardKind::Marks => "marks",
        };
        json!({"name": symbols.name(board.functor.name), "size": board.size_text(), "kind": kind,
               "boards": board.board_count(), "ordered": board.is_ordered(),
               "evidence": evidence(board.evidence),
               "contents": board.contents.iter().map(&texts).collect::<Vec<_>>().concat()})
    });
    let orders = found.orders.iter().map(|order| {
        let terms = order.terms().iter().take(LISTED).map(|term| term.to_text(symbols));
        json!({"relation": symbols.name(order.relation.name), "values": terms.collect::<Vec<_>>(),
               "total": order.total, "cyclic": order.cyclic})
    });
    let quantities = found.quantities.iter().map(|quantity| {
        json!({"name": symbols.name(quantity.functor.name), "inputs": quantity.inputs.len(),
               "evidence": evidence(quantity.evidence)})
    });
    let counters = found.counters.iter().map(|counter| {
        json!({"name": symbols.name(counter.functor.name), "bound": counter.bound,
               "evidence": evidence(counter.evidence)})
    });
    let controls = found.controls.iter().map(|control| {
        json!({"fact": control.fluent.to_text(symbols), "role": control.role.0,
               "evidence": evidence(control.evidence)})
    });
    let pieces = found.pieces.iter().filter(|piece| !piece.empty).map(|piece| {
        let board = &found.boards[piece.board];
        json!({"name": piece.content, "owner": piece.owner.map(|role| role.0),
               "board": symbols.name(board.functor.name),
               "evidence": evidence(piece.evidence)})
    });
    let data = json!({
        "boards": boards.collect::<Value>(),
        "orders": orders.collect::<Value>(),
        "quantities": quantities.collect::<Value>(),
        "counters": counters.collect::<Value>(),
        "controls": controls.collect::<Value>(),
        "pieces": pieces.collect::<Value>(),
        "lines": found.play_text(&sheet.game),
        "notes": found.notes,
    });
    (Ok(data), None)
}
