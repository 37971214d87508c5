//! The findings as text, the same for the same game: for tests, golden files and the terminal.

use std::fmt::Write as _;

use game::Game;
use gdl::Symbols;

use crate::board::{Board, BoardKind, Quantity};
use crate::fluent::{Axis, Fluent};
use crate::order::Order;
use crate::settings::Evidence;
use crate::structures::Structures;

/// The most values that are listed.
const LISTED: usize = 12;

impl Structures {
    /// One line for each finding, without times.
    pub fn to_text(&self, game: &Game) -> String {
        let symbols = game.universe().symbols();
        let mut out = String::new();
        for order in &self.orders {
            let _ = writeln!(out, "order {}", order_text(order, symbols));
        }
        for fluent in &self.fluents {
            let _ = writeln!(out, "fluent {}", fluent_text(fluent, symbols));
        }
        for board in &self.boards {
            let _ = writeln!(out, "board {}", board_text(board, symbols));
        }
        for quantity in &self.quantities {
            let _ = writeln!(out, "quantity {}", quantity_text(quantity, symbols));
        }
        out
    }
}

/// A list of names, shortened where it is long.
pub fn listed<'t>(texts: impl ExactSizeIterator<Item = String> + 't) -> String {
    let count = texts.len();
    let mut all: Vec<String> = texts.collect();
    if count > LISTED {
        let last = all.pop().unwrap_or_default();
        all.truncate(LISTED - 2);
        return format!("{} … {last} ({count})", all.join(" "));
    }
    all.join(" ")
}

fn values(axis: &Axis, symbols: &Symbols) -> String {
    listed(axis.values.iter().map(|value| value.to_text(symbols)))
}

/// An order with its terms.
pub fn order_text(order: &Order, symbols: &Symbols) -> String {
    let terms = listed(order.terms().iter().map(|term| term.to_text(symbols)));
    format!("{}: {}, {terms}", symbols.name(order.relation.name), order.describe())
}

/// A fluent with its sets of input arguments, counted from 1 as in the thesis.
pub fn fluent_text(fluent: &Fluent, symbols: &Symbols) -> String {
    let sets: Vec<String> = fluent
        .inputs
        .iter()
        .map(|inputs| {
            let numbers: Vec<_> = inputs.arguments.iter().map(|at| (at + 1).to_string()).collect();
            format!("{{{}}}{}", numbers.join(","), mark(inputs.evidence))
        })
        .collect();
    let sets = if sets.is_empty() { "not met".to_owned() } else { sets.join(" ") };
    format!("{}: inputs {sets}, {} instances", fluent.functor.to_text(symbols), fluent.count)
}

fn mark(evidence: Evidence) -> &'static str {
    if evidence.is_proved() { "" } else { "?" }
}

/// An argument of a fluent with its values.
pub fn axis_text(axis: &Axis, symbols: &Symbols) -> String {
    let by = axis.order.as_ref().map(|order| symbols.name(order.relation.name));
    let by = by.map_or_else(|| "unordered".to_owned(), |name| format!("by {name}"));
    format!("{} ({by}: {})", axis.argument + 1, values(axis, symbols))
}

fn axes(all: &[Axis], symbols: &Symbols) -> String {
    let texts: Vec<_> = all.iter().map(|axis| axis_text(axis, symbols)).collect();
    texts.join(", ")
}

/// A board with its coordinates and contents.
pub fn board_text(board: &Board, symbols: &Symbols) -> String {
    let kind = match board.kind {
        BoardKind::Cells => "cells",
        BoardKind::Placed => "places of things",
        BoardKind::Marks => "marks",
    };
    let several = match board.board_count() {
        1 => String::new(),
        count => format!("{count} boards of "),
    };
    format!(
        "{}: {several}{} {kind}, {}; coordinates {}; contents {}",
        board.functor.to_text(symbols),
        board.size_text(),
        if board.is_ordered() { "ordered" } else { "unordered" },
        axes(&board.coordinates, symbols),
        if board.contents.is_empty() { "none".to_owned() } else { axes(&board.contents, symbols) },
    )
}

/// A quantity with what it is an amount of.
pub fn quantity_text(quantity: &Quantity, symbols: &Symbols) -> String {
    let of = if quantity.is_single() {
        "single".to_owned()
    } else {
        format!("for each {}", axes(&quantity.inputs, symbols))
    };
    format!(
        "{}: {of}; amount {}",
        quantity.functor.to_text(symbols),
        axes(&quantity.amounts, symbols)
    )
}
