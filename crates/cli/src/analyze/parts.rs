//! Parts of the game that have nothing to do with each other.

use std::time::Duration;

use game::Deadline;
use prove::sat::factors::Factors;
use prove::sat::model::Model;
use prove::sat::sums::Sum;
use serde_json::{Value, json};

use super::page::{fixed, long, table};
use super::{Findings, Section};
use crate::sums;

/// The most time for it.
const TIME: Duration = Duration::from_secs(5);
/// And the most memory, in bytes.
const MEMORY: usize = 1 << 28;
/// Parts that are shown in the terminal.
const LINES: usize = 12;
/// Fluents that are shown of a part.
const SHOWN: usize = 6;

/// The section.
pub fn section(findings: &Findings<'_>) -> Section {
    let gates = findings.reasoner.gates();
    let factors = gates.and_then(|gates| {
        let model = Model::new(gates).ok()?;
        Factors::new(gates, &model, &Deadline::within(TIME))
    });
    let names = |part: &prove::sat::factors::Part| -> Vec<String> {
        let fluents = gates.map_or(&[][..], game::Gates::fluents);
        let universe = findings.game.universe();
        let own = part.fluents.iter().filter_map(|at| fluents.get(*at as usize));
        own.map(|fluent| universe.fluent_entry(*fluent).text.to_string()).collect()
    };
    let (mut lines, mut rows, mut parts) = (Vec::new(), Vec::new(), Vec::<Value>::new());
    for (number, part) in factors.iter().flat_map(|factors| &factors.parts).enumerate() {
        let names = names(part);
        let before: Vec<usize> = part.follows.iter().map(|before| before + 1).collect();
        let after = match &before[..] {
            [] => String::new(),
            some => format!(", after {}", list(some)),
        };
        let some = names[..names.len().min(SHOWN)].join(" ");
        let more = if names.len() > SHOWN { " ..." } else { "" };
        if number < LINES {
            let count = names.len();
            lines.push(format!("part {}{after}: {count} fluents: {some}{more}", number + 1));
        }
        let count = names.len().to_string();
        rows.push(vec![fixed(&format!("{}{after}", number + 1)), count, long(&names)]);
        parts.push(json!({ "fluents": names, "follows": before }));
    }
    if parts.len() > LINES {
        lines.push(format!("{} parts in all", parts.len()));
    }
    if lines.is_empty() {
        lines.push("all one, as far as is known".to_owned());
    }
    if !parts.is_empty() {
        lines.push(
            "moves keep them apart; goals and the end may ask for several at once".to_owned(),
        );
    }
    let sum = gates.and_then(|gates| Sum::new(gates, 1, MEMORY, &Deadline::within(TIME)));
    lines.extend(sum.iter().map(|sum| format!("a sum: {}", sum.in_words())));
    let together = factors.as_ref().is_some_and(|factors| factors.together);
    if together {
        lines.push("some moves go on in several parts at once".to_owned());
    }
    let json = json!({
        "parts": parts, "together": together,
        "sum": sum.as_ref().map(|sum| sums::json(sum, findings.game)),
    });
    Section {
        key: "parts",
        title: "Parts",
        lines,
        json,
        html: table(&["part", "size", "fluents"], &rows),
    }
}

fn list(numbers: &[usize]) -> String {
    numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}
