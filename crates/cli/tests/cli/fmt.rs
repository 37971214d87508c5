//! `fluxion fmt`.

use crate::{SMALL, fed, file, fluxion};

const MESSY: &str =
    "; a game\n(role   you)   ; the only role\n\n\n(<= (legal you go) (true a)(true   b))\n";

#[test]
fn formatting_keeps_comments_and_is_idempotent() {
    let once = fed(&["fmt", "-"], MESSY.as_bytes()).expect(0).out;
    assert!(once.contains("; a game") && once.contains("; the only role"), "{once}");
    assert!(once.contains("(role you)"), "{once}");
    let twice = fed(&["fmt", "-"], once.as_bytes()).expect(0).out;
    assert_eq!(once, twice);
}

#[test]
fn check_tells_what_would_change_and_changes_nothing() {
    let messy = file("fmt-check.kif", MESSY);
    let run = fluxion(&["fmt", "--check", &messy]).expect(1);
    assert_eq!(run.out, format!("{messy} would change\n"));
    assert_eq!(std::fs::read_to_string(&messy).expect("still there"), MESSY);
    let report = fluxion(&["fmt", "--check", "--json", &messy]).expect(1).json();
    assert_eq!(report["files"][0]["changed"], true);
}

#[test]
fn write_replaces_the_file_and_leaves_nothing_else_behind() {
    let messy = file("fmt-write.kif", MESSY);
    let expected = fluxion(&["fmt", &messy]).expect(0).out;
    fluxion(&["fmt", "-w", &messy]).expect(0);
    assert_eq!(std::fs::read_to_string(&messy).expect("replaced"), expected);
    fluxion(&["fmt", "--check", &messy]).expect(0);
    let folder = std::path::Path::new(&messy).parent().expect("a folder");
    let left = std::fs::read_dir(folder).expect("readable").filter_map(Result::ok);
    let left: Vec<_> = left
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with(".fmt-write"))
        .collect();
    assert_eq!(left, Vec::<String>::new());
}

#[test]
fn what_cannot_be_read_is_refused_and_left_alone() {
    let broken = file("fmt-broken.kif", "(role you");
    let run = fluxion(&["fmt", "-w", &broken]).expect(2);
    assert!(run.err.contains("E101") && run.err.contains("was not formatted"), "{}", run.err);
    assert_eq!(std::fs::read_to_string(&broken).expect("still there"), "(role you");
    fed(&["fmt", "-w", "-"], MESSY.as_bytes()).expect(2);
}

#[test]
fn both_syntaxes_convert_into_each_other_and_mean_the_same() {
    let prolog = fed(&["fmt", "--syntax", "prolog", "-"], SMALL.as_bytes()).expect(0).out;
    assert!(prolog.contains("terminal :-"), "{prolog}");
    let kif = fed(&["fmt", "--syntax", "kif", "-"], prolog.as_bytes()).expect(0).out;
    let (a, b) = (file("fmt-a.kif", SMALL), file("fmt-b.kif", kif));
    let steps = |name: &str| {
        let out = fluxion(&["trace", name, "--seed", "5", "--playouts", "4"]).expect(0).out;
        out.lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(steps(&a), steps(&b));
    assert_eq!(steps(&a).len(), 8);
}

#[test]
fn every_library_game_can_be_formatted() {
    let games = fluxion(&["games", "--json"]).expect(0).json();
    let names = games["games"].as_array().expect("a list").iter();
    let names: Vec<&str> = names.filter_map(|game| game["name"].as_str()).collect();
    let mut args = vec!["fmt", "--json"];
    args.extend(names);
    let report = fluxion(&args).expect(0).json();
    assert!(report["files"].as_array().is_some_and(|files| !files.is_empty()));
}
