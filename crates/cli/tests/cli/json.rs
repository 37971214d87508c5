//! `docs/json.md` against what the commands write.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{SMALL, file, fluxion, path};

/// All keys of a value, but not those of objects whose keys are roles.
fn keys(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            for (key, inner) in map {
                if key != "you" {
                    found.insert(key.clone());
                }
                keys(inner, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| keys(item, found)),
        _ => {}
    }
}

#[test]
fn every_key_that_is_written_is_documented() {
    let manual = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/json.md");
    let manual = std::fs::read_to_string(manual).expect("docs/json.md is there");
    let small = file("json-small.kif", SMALL);
    let unsound = file("json-unsound.kif", SMALL.replace("(goal you 0)", "(goal ?p 0)"));
    let other = file("json-other.kif", SMALL.replace("(succ 2 3)", "(succ 2 4)"));
    let trace = path("json.jsonl");
    fluxion(&["trace", &small, "-o", &trace]).expect(0);
    let plan = file(
        "json-plan.toml",
        "name = 'x'\ngames = ['tictactoe']\n[[player]]\nname = 'a'\nplayer = 'random'\n\
         [[player]]\nname = 'b'\nplayer = 'legal'\n",
    );
    let record = path("json-record.json");
    fluxion(&["match", &small, "--player", "legal", "--record", &record, "--quiet"]).expect(0);
    let commands: [&[&str]; 18] = [
        &["check", &small, &unsound, "no-such-file", "--play", "2", "--json"],
        &["check", "tictactoe", "--play", "9", "--json"],
        &["fmt", &small, "no-such-file", "--json"],
        &["show", &small, "--playouts", "3", "--json"],
        &["games", "--json"],
        &["games", "tictactoe", "--json"],
        &["conform", &small, &trace, "--json"],
        &["conform", &other, &trace, "--json"],
        &["bench", &small, "--seconds", "0.05", "--json"],
        &["demo", &small, "--json"],
        &["eval", "tictactoe", "--json"],
        &["check", "no-such-file", "--json"],
        &["match", &small, "--player", "legal", "--scramble", "1", "--json"],
        &["match", &small, "--player", "legal", "--longest", "1", "--json"],
        &["replay", &record, "--json"],
        &["tournament", "run", &plan, "--json"],
        &["analyze", "battle", "--json"],
        &["analyze", "hex_5x5", "--json"],
    ];
    let mut found = BTreeSet::new();
    for args in commands {
        keys(&fluxion(args).json(), &mut found);
    }
    assert!(found.len() > 60, "only {found:?}");
    let missing: Vec<&String> =
        found.iter().filter(|key| !manual.contains(&format!("`{key}`"))).collect();
    assert!(missing.is_empty(), "docs/json.md does not document {missing:?}");
}
