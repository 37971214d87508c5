//! The findings as text, the same for the same game: for tests, golden files and the terminal.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use game::Game;
use gdl::Symbols;

use crate::board::{Board, BoardKind, Quantity};
use crate::fluent::{Axis, Fluent, Functor};
use crate::grid::Tiling;
use crate::moves::MoveCells;
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
        for line in self.play_text(game) {
            let _ = writeln!(out, "{line}");
        }
        out
    }
}

impl Structures {
    /// Everything but boards, quantities, fluents and orders, one line for each finding; each begins with a word
    /// that says what it is about.
    pub fn play_text(&self, game: &Game) -> Vec<String> {
        let mut lines = self.turn_lines(game);
        lines.extend(self.play_lines(game));
        lines
    }

    /// Turns, control fluents and step counters.
    fn turn_lines(&self, game: &Game) -> Vec<String> {
        let symbols = game.universe().symbols();
        let mut lines = Vec::new();
        match self.turn_taking {
            // That several choose at once was seen; that they never do was only not seen.
            Some(true) => {
                let mark = if self.turn_taking_proved { "" } else { "?" };
                lines.push(format!("turns: one role at a time has a choice{mark}"));
            }
            Some(false) => lines.push("turns: several roles choose at once".to_owned()),
            None => {}
        }
        for control in &self.controls {
            let role = game.role_name(control.role);
            let mark = mark(control.evidence);
            lines.push(format!("control {}{mark}: {role}", control.fluent.to_text(symbols)));
        }
        for counter in &self.counters {
            let bound = counter.bound.map(|bound| format!(", the game ends after {bound} steps"));
            lines.push(format!(
                "counter {}{} from {}{}",
                counter.functor.to_text(symbols),
                mark(counter.evidence),
                counter.first.to_text(symbols),
                bound.unwrap_or_default()
            ));
        }
        lines
    }

    /// Pieces, moves on boards, neighbours, persistence, latches, mobility.
    fn play_lines(&self, game: &Game) -> Vec<String> {
        let symbols = game.universe().symbols();
        let mut lines = Vec::new();
        for piece in &self.pieces {
            let whose = match (piece.empty, piece.owner) {
                (true, _) => "an empty cell".to_owned(),
                (_, Some(role)) => format!("of {}", game.role_name(role)),
                (_, None) => "nobody's".to_owned(),
            };
            let board = self.boards[piece.board].functor.to_text(symbols);
            let content = if piece.content.is_empty() { "a mark" } else { &piece.content };
            let mark = mark(piece.evidence);
            lines.push(format!("piece {board} {content}{mark}: {whose}"));
        }
        for moves in &self.move_cells {
            lines.push(format!("move {}", self.move_text(moves, symbols)));
        }
        for found in &self.neighbours {
            let board = self.boards[found.board].functor.to_text(symbols);
            let name = symbols.name(found.relation.name);
            let shape = match found.tiling {
                Tiling::Square => "square",
                Tiling::SquareWithDiagonals => "square with diagonals",
                Tiling::Hexagonal(_) => "hexagonal",
            };
            let torus = if found.torus { ", wraps around" } else { "" };
            lines.push(format!("neighbours {board} by {name}: {shape}{torus}"));
        }
        lines.extend(self.persistence(game).iter().map(|group| format!("persistent {group}")));
        lines.extend(self.latches.iter().map(|latch| {
            let fluent = game.universe().fluent_entry(latch.persistent.fluent).text.clone();
            let value = if latch.persistent.value { "true" } else { "false" };
            let role = game.role_name(latch.role);
            let range = format!("{} to {}", latch.lowest, latch.highest);
            format!(
                "latch {fluent} {value}{}: {role} gets {range}",
                mark(latch.persistent.evidence)
            )
        }));
        for mobility in &self.mobility {
            let what = match (mobility.ends, mobility.rewards) {
                (true, true) => "the end and the rewards depend",
                (true, false) => "the end depends",
                _ => "the rewards depend",
            };
            lines.push(format!("mobility: {what} on {}", symbols.name(mobility.relation.name)));
        }
        lines
    }

    /// The arguments of a move as cells of a board.
    pub fn move_text(&self, moves: &MoveCells, symbols: &Symbols) -> String {
        let board = &self.boards[moves.board];
        let cells = moves.cells.iter().map(|cell| {
            let numbers: Vec<_> = cell.iter().map(|at| (at + 1).to_string()).collect();
            format!("({})", numbers.join(","))
        });
        let grid = board.grid();
        let lines = moves.lines.iter().map(|(argument, axis)| {
            format!("{} as argument {} of the cell", argument + 1, grid[*axis].argument + 1)
        });
        let all: Vec<String> = cells.chain(lines).collect();
        let name = moves.functor.to_text(symbols);
        format!("{name}: {} on {}", all.join(" "), board.functor.to_text(symbols))
    }

    /// Persistent fluents, in groups: where all fluents with the same contents agree they are one line.
    pub fn persistence(&self, game: &Game) -> Vec<String> {
        let universe = game.universe();
        let symbols = universe.symbols();
        let mut groups: BTreeMap<(String, bool), (usize, bool)> = BTreeMap::new();
        for one in &self.persistent {
            let entry = universe.fluent_entry(one.fluent);
            let functor = Functor::of(&entry.term);
            let board = self.boards.iter().find(|board| board.functor == functor);
            let name = symbols.name(functor.name);
            let shown = match board {
                Some(board) if !board.contents.is_empty() => {
                    format!("{name} with {}", board.content(&entry.term, symbols))
                }
                _ => functor.to_text(symbols),
            };
            let group = groups.entry((shown, one.value)).or_insert((0, true));
            *group = (group.0 + 1, group.1 && one.evidence.is_proved());
        }
        let text = |((name, value), (count, proved)): (&(String, bool), &(usize, bool))| {
            let value = if *value { "true" } else { "false" };
            format!("{name}: {count} stay {value}{}", if *proved { "" } else { "?" })
        };
        groups.iter().map(text).collect()
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
