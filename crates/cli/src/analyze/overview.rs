//! The first section: roles, sizes, and what the analyses could not do.

use std::fmt::Write as _;

use serde_json::{Map, json};
use structure::draw::escape;

use super::page::{code, table};
use super::{Findings, Section};
use crate::table::columns;

/// The overview.
pub fn section(findings: &Findings<'_>) -> Section {
    let (game, structures) = (findings.game, findings.structures);
    let roles: Vec<String> = game.role_ids().map(|role| game.role_name(role)).collect();
    let mut facts: Vec<(&str, String)> = vec![("roles", roles.join(", "))];
    let mut sizes = Map::new();
    match findings.reasoner.gates() {
        Some(gates) => {
            let size = gates.sizes();
            facts.push(("fluents", size.fluents.to_string()));
            facts.push(("moves", size.moves.to_string()));
            facts.push(("ground rules", size.rules.to_string()));
            sizes.insert("fluents".to_owned(), json!(size.fluents));
            sizes.insert("moves".to_owned(), json!(size.moves));
            sizes.insert("rules".to_owned(), json!(size.rules));
        }
        None => facts.push(("ground rules", findings.reasoner.status().to_string())),
    }
    let sample = &structures.sample;
    facts.push((
        "random play",
        format!("{} states, {} finished playouts", sample.states.len(), sample.finished),
    ));
    let rows: Vec<Vec<String>> =
        facts.iter().map(|(name, value)| vec![(*name).to_owned(), value.clone()]).collect();
    let mut lines = columns(&rows, &[]);
    lines.extend(structures.notes.iter().map(|note| format!("note: {note}")));
    let mut html = table(
        &[],
        &rows.iter().map(|row| vec![escape(&row[0]), code(&row[1])]).collect::<Vec<_>>(),
    );
    for note in &structures.notes {
        let _ = write!(html, "<p class=\"note\">{}</p>", escape(note));
    }
    let json = json!({
        "roles": roles,
        "ground": if sizes.is_empty() { json!(null) } else { json!(sizes) },
        "sampled_states": sample.states.len(),
        "finished_playouts": sample.finished,
        "notes": structures.notes,
    });
    Section { key: "overview", title: "Overview", lines, json, html }
}
