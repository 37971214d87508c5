//! Sums of games, as text and for programs.

use game::Game;
use prove::sat::sums::{Heap, Sum};
use serde_json::{Value, json};

/// A line for each part: what it is as good as, and its fluents.
pub fn lines(sum: &Sum, game: &Game) -> Vec<String> {
    let line = |(number, part): (usize, &Heap)| {
        let (worth, states) = (part.initial(), part.states());
        let value = if sum.is_misere() {
            format!("value {}, misère {}", worth.normal, worth.misere)
        } else {
            format!("value {}", worth.normal)
        };
        format!("part {number}: {value}, {states} states: {}", names(part, game).join(" "))
    };
    (1..).zip(sum.parts()).map(line).collect()
}

/// The same for programs.
pub fn json(sum: &Sum, game: &Game) -> Value {
    let part = |part: &Heap| {
        let (worth, states) = (part.initial(), part.states());
        let fluents = names(part, game);
        json!({ "value": worth.normal, "misere": worth.misere, "states": states, "fluents": fluents })
    };
    let parts: Vec<Value> = sum.parts().iter().map(part).collect();
    json!({ "last_mover_wins": !sum.is_misere(), "parts": parts })
}

fn names(part: &Heap, game: &Game) -> Vec<String> {
    let text = |fluent| game.universe().fluent_entry(fluent).text.to_string();
    let mut names: Vec<String> = part.fluents().iter().map(|fluent| text(*fluent)).collect();
    names.sort();
    names
}
