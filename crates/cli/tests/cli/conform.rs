//! `fluxion trace` and `fluxion conform`.

use crate::{SMALL, fed, file, fluxion, path};

#[test]
fn the_same_seed_gives_the_same_trace() {
    let trace = |seed: &str| {
        fluxion(&["trace", "tictactoe", "--seed", seed, "--playouts", "3"]).expect(0).out
    };
    assert_eq!(trace("9"), trace("9"));
    assert_ne!(trace("9"), trace("10"));
}

#[test]
fn seeds_count_up_from_the_first() {
    let two = fluxion(&["trace", "tictactoe", "--seed", "3", "--playouts", "2"]).expect(0).out;
    let second = fluxion(&["trace", "tictactoe", "--seed", "4"]).expect(0).out;
    let moves = |trace: &str, p: u64| -> Vec<serde_json::Value> {
        let steps = trace
            .lines()
            .skip(1)
            .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("a line of JSON"));
        steps.filter(|step| step["p"] == p).map(|step| step["moves"].clone()).collect()
    };
    assert!(!moves(&two, 1).is_empty());
    assert_eq!(moves(&two, 1), moves(&second, 0));
}

#[test]
fn the_cap_bounds_playouts() {
    let out = fluxion(&["trace", "tictactoe", "--cap", "2"]).expect(0).out;
    assert_eq!(out.lines().count(), 3);
    assert!(out.contains("\"end\":\"cap\""), "{out}");
}

#[test]
fn packed_and_plain_traces_conform() {
    for name in ["trace.jsonl", "trace.jsonl.gz"] {
        let trace = path(name);
        fluxion(&["trace", "tictactoe", "--playouts", "2", "-o", &trace]).expect(0);
        let run = fluxion(&["conform", "tictactoe", &trace]).expect(0);
        assert!(run.out.starts_with("conforms: 2 playouts, "), "{}", run.out);
    }
    let packed = std::fs::read(path_of("trace.jsonl.gz")).expect("written above");
    assert_eq!(packed[..2], [0x1f, 0x8b]);
    fed(&["conform", "tictactoe", "-"], &packed).expect(0);
}

fn path_of(name: &str) -> String {
    format!("{}/cli/{name}", env!("CARGO_TARGET_TMPDIR"))
}

#[test]
fn a_difference_is_told_with_the_rules_that_concern_it() {
    let right = file("right.kif", SMALL);
    let wrong = file("wrong.kif", SMALL.replace("(succ 2 3)", "(succ 2 4)"));
    let trace = path("right.jsonl");
    fluxion(&["trace", &right, "-o", &trace]).expect(0);
    let run = fluxion(&["conform", &wrong, &trace]).expect(1);
    assert!(run.out.contains("differs: playout 0, step 1"), "{}", run.out);
    assert!(run.out.contains("expected, not found: (step 3)"), "{}", run.out);
    assert!(run.out.contains("found, not expected: (step 4)"), "{}", run.out);
    assert!(run.out.contains("6 | (<= (next (step ?n))"), "{}", run.out);
    let report = fluxion(&["conform", &wrong, &trace, "--json"]).expect(1).json();
    assert_eq!(report["conforms"], false);
    assert_eq!(report["step"], 1);
    assert_eq!(report["missing"], serde_json::json!(["(step 3)"]));
    assert_eq!(report["rules"][0]["line"], 6);
}

#[test]
fn traces_that_are_none_are_refused() {
    let junk = file("junk.jsonl", "not json\n");
    let run = fluxion(&["conform", "tictactoe", &junk]).expect(2);
    assert!(run.err.contains("line 1 of the trace"), "{}", run.err);
    let broken = file("broken.jsonl.gz", [0x1f, 0x8b, 8, 0, 0, 1, 2]);
    fluxion(&["conform", "tictactoe", &broken]).expect(2);
    fluxion(&["conform", "tictactoe", "no-such-trace"]).expect(2);
}

#[test]
fn a_folder_of_games_and_traces_is_replayed_as_a_table() {
    let folder = path("corpus");
    for sub in ["games", "traces"] {
        std::fs::create_dir_all(format!("{folder}/{sub}")).expect("a folder");
    }
    std::fs::write(format!("{folder}/games/small.kif"), SMALL).expect("written");
    let trace = format!("{folder}/traces/small.jsonl.gz");
    fluxion(&["trace", &format!("{folder}/games/small.kif"), "-o", &trace]).expect(0);
    let run = fluxion(&["conform", "--corpus", &folder]).expect(0);
    assert!(run.out.contains("1 of 1 game conform"), "{}", run.out);
    std::fs::write(format!("{folder}/games/small.kif"), SMALL.replace("(succ 2 3)", ""))
        .expect("written");
    let run = fluxion(&["conform", "--corpus", &folder, "--json"]).expect(1).json();
    assert_eq!(run["failed"], 1);
    assert_eq!(run["games"][0]["status"], "differs");
    fluxion(&["conform", "--corpus", &path("no-such-folder")]).expect(2);
}

#[test]
fn a_difference_on_unsafe_rules_is_listed_but_no_failure() {
    let folder = path("corpus-unsafe");
    for sub in ["games", "traces"] {
        std::fs::create_dir_all(format!("{folder}/{sub}")).expect("a folder");
    }
    let rules = format!("{folder}/games/unsafe.kif");
    let trace = format!("{folder}/traces/unsafe.jsonl.gz");
    std::fs::write(&rules, SMALL).expect("written");
    fluxion(&["trace", &rules, "-o", &trace]).expect(0);
    let without_binding = SMALL.replace("(<= (goal you 0) (not", "(<= (goal ?p 5) (not");
    std::fs::write(&rules, without_binding.replace("(succ 2 3)", "")).expect("written");
    let run = fluxion(&["conform", "--corpus", &folder]).expect(0);
    assert!(run.out.contains("no meaning"), "{}", run.out);
    assert!(run.out.contains("0 of 1 game conform"), "{}", run.out);
}

#[cfg(unix)]
#[test]
fn the_corpus_script_passes_by_where_there_is_no_corpus() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/conform-corpus");
    let mut command = std::process::Command::new(script);
    command.env("FLUXION_CORPUS", "/no/such/corpus");
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let run = crate::run(&mut command, b"").expect(0);
    assert!(run.err.contains("no corpus at /no/such/corpus"), "{}", run.err);
}
