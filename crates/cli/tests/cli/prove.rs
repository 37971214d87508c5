//! `fluxion prove` as users meet it: verdicts, the matches that refute, programs for other solvers, and what is refused.

use std::time::{Duration, Instant};

use crate::{SMALL, command, file, fluxion, path};

const BOARD: &str = "forall X,Y: exactly 1 Z: cell(X,Y,Z)";

#[test]
fn a_proof_says_how_it_was_found_and_that_it_was_checked() {
    let (control, board) = ("at most 1 R: control(R)", "forall X,Y: at most 1 Z: cell(X,Y,Z)");
    for engine in ["sat", "asp"] {
        let args = ["prove", "tictactoe", "-p", control, "-p", board, "--engine", engine];
        let run = fluxion(&args).expect(0);
        for (line, property) in run.out.lines().zip([control, board]) {
            assert!(line.starts_with("proved") && line.ends_with(property), "{line}");
            assert!(line.contains(engine) && line.contains("checked"), "{line}");
        }
        assert!(run.out.contains("2 proved, 0 refuted, 0 unknown"), "{}", run.out);
    }
}

#[test]
fn a_refutation_is_a_match_that_conforms_to_the_rules() {
    let trace = path("prove-trace.jsonl");
    let property = "forall V: not goal(xplayer,V) or V < 100";
    let args = ["prove", "tictactoe", "-p", property, "-p", "cell(a,1,blank)", "--trace", &trace];
    let run = fluxion(&args).expect(1);
    assert!(run.out.contains("0 proved, 2 refuted, 0 unknown"), "{}", run.out);
    assert!(run.out.contains("(mark a 1)"), "{}", run.out);
    let replayed = fluxion(&["conform", "tictactoe", &trace]).expect(0);
    assert!(replayed.out.starts_with("conforms: 2 playouts"), "{}", replayed.out);
}

#[test]
fn what_the_time_does_not_decide_is_unknown_and_says_why() {
    let args = ["prove", "tictactoe", "-p", BOARD, "--timeout", "0.001", "--json"];
    let report = fluxion(&args).expect(3).json();
    let property = &report["properties"][0];
    assert_eq!(property["verdict"], "unknown", "{property}");
    let reason = property["reason"].as_str().expect("a reason");
    assert!(["out of time", "there is no circuit"].contains(&reason), "{property}");
}

#[test]
fn the_report_for_programs_has_every_kind_of_property() {
    let report = fluxion(&["prove", "tictactoe", "--json"]).expect(0).json();
    assert_eq!(report["game"], "tictactoe");
    let all = report["properties"].as_array().expect("a list");
    for kind in ["input arguments", "exactly one", "turn-taking", "playable", "constant sum"] {
        let of_kind: Vec<_> = all.iter().filter(|property| property["kind"] == kind).collect();
        assert!(!of_kind.is_empty(), "{kind}: {all:?}");
    }
    for property in all {
        match property["verdict"].as_str().expect("a word") {
            "proved" => {
                assert!(property["engine"].is_string() && property["hypotheses"].is_array());
            }
            "refuted" => assert!(property["moves"].is_array(), "{property}"),
            word => assert!(word == "unknown" && property["reason"].is_string(), "{property}"),
        }
        assert!(property["seconds"].is_number(), "{property}");
    }
}

#[test]
fn programs_are_written_one_for_the_base_and_one_for_the_step() {
    let folder = path("prove-programs");
    let _ = std::fs::remove_dir_all(&folder);
    let args = ["prove", "tictactoe", "-p", BOARD, "--engine", "asp", "--emit-asp", &folder];
    let run = fluxion(&args).expect(0);
    assert!(run.err.contains("2 programs written"), "{}", run.err);
    for name in ["001-base.lp", "001-step.lp"] {
        let text = std::fs::read_to_string(format!("{folder}/{name}")).expect("written");
        assert!(text.starts_with(&format!("% {BOARD}\n% ")), "{text}");
        assert!(text.contains(":-"), "{text}");
    }
}

#[test]
fn properties_that_mean_nothing_are_refused_with_their_place() {
    let name = file("prove-small.kif", SMALL);
    let cases = [
        ("kontrol(you)", "the game has no name `kontrol`", "^^^^^^^"),
        ("forall X,Y: step(X,Y)", "`step` takes 1 argument", "^^^^^^^^^"),
        ("exists M: does(you,M)", "`does` is not part of a state", "^^^^^^^^^^^"),
        ("exactly 1 X step(X)", "expected `:`", "^^^^"),
        ("", "expected a fluent", "^"),
    ];
    for (property, message, caret) in cases {
        let run = fluxion(&["prove", &name, "--property", property]).expect(2);
        assert!(run.err.contains(message) && run.err.contains(caret), "{property}: {}", run.err);
        assert!(run.out.is_empty(), "{}", run.out);
    }
    let depends = format!("{SMALL} (<= moved (does you (go left)))");
    let name = file("prove-depends.kif", depends);
    let run = fluxion(&["prove", &name, "--property", "not moved"]).expect(2);
    assert!(run.err.contains("`moved` depends on `does`"), "{}", run.err);
    let run = fluxion(&["prove", "no_such_game"]).expect(2);
    assert!(run.err.contains("no library game"), "{}", run.err);
}

#[test]
fn what_no_state_fulfils_is_refuted_at_once_and_the_user_is_told() {
    let name = file("prove-unsatisfiable.kif", SMALL);
    for property in ["step(1) and not step(1)", "false", "exactly 9 X: step(X)"] {
        let run = fluxion(&["prove", &name, "-p", property]).expect(1);
        assert!(run.out.starts_with("refuted") && run.out.contains("0 moves"), "{}", run.out);
    }
    let run = fluxion(&["prove", &name, "-p", "exactly 9 X: step(X)"]).expect(1);
    assert!(run.err.contains("no state can fulfil"), "{}", run.err);
}

#[test]
fn memory_limits_and_rules_without_sense_give_answers_not_crashes() {
    let report =
        fluxion(&["prove", "othello", "-p", "at most 1 R: control(R)", "--max-memory", "1"]);
    assert!(matches!(report.code, Some(0 | 3)), "{report:?}");
    for (name, rules) in [
        ("prove-no-goals.kif", "(role you) (init (a 1)) (legal you go) (<= terminal (true (a 2)))"),
        ("prove-no-moves.kif", "(role you) (init (a 1)) (<= terminal (true (a 2))) (goal you 0)"),
        ("prove-no-fluents.kif", "(role you) (legal you go) terminal (goal you 50)"),
    ] {
        let run = fluxion(&["prove", &file(name, rules), "--timeout", "20"]);
        assert!(matches!(run.code, Some(0..=3)), "{name}: {run:?}");
        assert!(!run.err.contains("panicked"), "{name}: {run:?}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_proofs() {
    let args = ["prove", "othello", "--timeout", "300"];
    let mut child = command(&args).spawn().expect("the binary starts");
    std::thread::sleep(Duration::from_secs(3));
    let id = child.id().to_string();
    let sent = std::process::Command::new("kill").args(["-INT", &id]).status().expect("kill runs");
    assert!(sent.success());
    let begin = Instant::now();
    while child.try_wait().expect("a child can be waited for").is_none() {
        if begin.elapsed() > Duration::from_secs(20) {
            let _ = child.kill();
            panic!("still there {:?} after the interrupt", begin.elapsed());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn symmetric_properties_are_proved_once_unless_told_otherwise() {
    let args = ["prove", "tictactoe_parallel", "--engine", "sat"];
    let with = |more: &[&str]| fluxion(&[&args[..], more].concat()).expect(0);
    let (on, off) = (with(&["--json"]).json(), with(&["--json", "--symmetry", "off"]).json());
    assert!(on["by_symmetry"].as_u64().is_some_and(|count| count >= 4), "{on}");
    assert_eq!(off["by_symmetry"], 0);
    let list =
        |report: &serde_json::Value| report["properties"].as_array().expect("a list").clone();
    for (one, other) in list(&on).iter().zip(&list(&off)) {
        assert_eq!((&one["property"], &one["verdict"]), (&other["property"], &other["verdict"]));
        if one["engine"] == "symmetry" && one["verdict"] == "proved" {
            assert_eq!(one["hypotheses"].as_array().map(Vec::len), Some(1), "{one}");
            assert_eq!(one["checked"], true, "{one}");
        }
    }
    let text = with(&[]).out;
    assert!(text.contains("symmetry, as line ") && text.contains(" by symmetry) in "), "{text}");
}
