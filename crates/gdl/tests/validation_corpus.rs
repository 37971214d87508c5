//! The verdicts on rule sheets in circulation agree with those of the reference validator. The
//! corpus is looked for in the folder named by `FLUXION_CORPUS`, or beside the workspace.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use gdl::Limits;
use gdl::validate::check;

/// Sheets on which the verdicts differ for a reason that docs/validation.md explains.
const EXPLAINED: &[&str] = &[];

fn corpus() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let folder = std::env::var_os("FLUXION_CORPUS").map_or(beside, PathBuf::from);
    if folder.join("validator.csv").is_file() {
        return Some(folder);
    }
    println!("no corpus in {}: nothing is compared", folder.display());
    None
}

fn sheet(corpus: &Path, name: &str) -> Option<String> {
    let file = format!("{name}.kif");
    let places = [corpus.join("games").join(&file), corpus.join("testgames").join(&file)];
    places.iter().find_map(|path| fs::read_to_string(path).ok())
}

/// The rows of a CSV text with a header, as maps from column to value.
fn rows(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut table = vec![vec![String::new()]];
    let mut quoted = false;
    for c in text.chars() {
        let row = table.last_mut().expect("never empty");
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(String::new()),
            '\n' if !quoted => table.push(vec![String::new()]),
            '\r' if !quoted => {}
            _ => row.last_mut().expect("never empty").push(c),
        }
    }
    let mut lines = table.into_iter().filter(|row| row.len() > 1);
    let header = lines.next().unwrap_or_default();
    lines.map(|row| header.iter().cloned().zip(row).collect()).collect()
}

fn reference(corpus: &Path) -> Vec<BTreeMap<String, String>> {
    rows(&fs::read_to_string(corpus.join("validator.csv")).expect("readable"))
}

fn codes(text: &str) -> BTreeSet<&'static str> {
    check(text, &Limits::default()).diagnostics.iter().map(|d| d.code).collect()
}

#[test]
fn verdicts_agree_with_the_reference_validator() {
    let Some(corpus) = corpus() else { return };
    let mut compared = 0;
    let mut differences = Vec::new();
    for row in reference(&corpus) {
        let Some(text) = sheet(&corpus, &row["game"]) else { continue };
        compared += 1;
        let sound = check(&text, &Limits::default()).is_sound();
        if sound != (row["raw_valid"] == "yes") {
            differences.push(row["game"].clone());
        }
    }
    assert!(compared > 100, "only {compared} sheets were found");
    assert_eq!(differences, EXPLAINED);
}

#[test]
fn every_sheet_that_is_played_is_sound() {
    let Some(corpus) = corpus() else { return };
    for entry in fs::read_dir(corpus.join("games")).expect("games are there") {
        let path = entry.expect("readable").path();
        let text = fs::read_to_string(&path).expect("readable");
        let checked = check(&text, &Limits::default());
        assert!(checked.is_sound(), "{}: {:?}", path.display(), checked.diagnostics);
    }
}

/// What the reference warns about, and the code that says it here.
const SAME_WARNINGS: &[(&str, &str)] = &[
    ("is defined, but is not used anywhere", "W302"),
    ("that is not produced by any", "W301"),
    ("characters are unusual", "W314"),
    ("both functions and sentences", "W305"),
    ("Rule with empty body", "W312"),
    ("unnecessary parentheses", "W313"),
    ("Functions with the same name should have the same arity", "W304"),
    ("Sentences with the same name should have the same arity", "W303"),
    ("Only sentences may be negated", "E213"),
    ("Unsafe rule", "E202"),
];

#[test]
fn what_the_reference_warns_about_is_found_here_too() {
    let Some(corpus) = corpus() else { return };
    for row in reference(&corpus) {
        let Some(text) = sheet(&corpus, &row["game"]) else { continue };
        let found = codes(&text);
        for (words, code) in SAME_WARNINGS {
            let there = row["raw_message"].contains(words);
            assert!(!there || found.contains(code), "{}: {words}, {found:?}", row["game"]);
        }
    }
}

#[test]
fn facts_asserted_about_validity_hold() {
    let Some(corpus) = corpus() else { return };
    let Ok(text) = fs::read_to_string(corpus.join("expectations.json")) else { return };
    let mut compared = 0;
    // One object a fact; the fields wanted are plain strings and booleans.
    for fact in text.split('{').filter(|fact| fact.contains("\"check\": \"static_valid\"")) {
        let field = |name: &str| {
            let (_, rest) = fact.split_once(&format!("\"{name}\": "))?;
            Some(rest.split([',', '\n']).next()?.trim_matches('"').to_owned())
        };
        let (game, expected) = (field("game").expect("named"), field("expected").expect("given"));
        let text = fs::read_to_string(corpus.join("testgames").join(format!("{game}.kif")));
        let found = check(&text.expect("readable"), &Limits::default());
        assert_eq!(found.is_sound().to_string(), expected, "{game}");
        let warned = field("warnings_asserted").is_some_and(|asserted| asserted == "true");
        assert!(!warned || !found.diagnostics.is_empty(), "{game} has no warning");
        compared += 1;
    }
    assert!(compared > 10, "only {compared} facts were found");
}
