//! `fluxion check`.

use crate::{SMALL, fed, file, fluxion, path};

const UNSAFE: &str = "(role you)\n(init (step 1))\n(legal you go)\n(<= (next (step ?n)) (true (step ?m)))\n\
                      (<= terminal (true (step 2)))\n(goal you 0)\n";

#[test]
fn sound_rules_exit_with_0_and_say_so() {
    let run = fluxion(&["check", "tictactoe"]).expect(0);
    assert_eq!(run.out, "library:tictactoe: sound (0 errors, 0 warnings)\n");
    assert_eq!(run.err, "");
}

#[test]
fn a_finding_shows_code_place_line_caret_reason_and_hint() {
    let name = file("unsafe.kif", UNSAFE);
    let run = fluxion(&["check", &name]).expect(1);
    assert!(run.out.contains("error[E202]"), "{}", run.out);
    assert!(run.out.contains(&format!("{name}:4:17")), "{}", run.out);
    assert!(run.out.contains("4 | (<= (next (step ?n)) (true (step ?m)))"), "{}", run.out);
    assert!(run.out.contains("  |                 ^^"), "{}", run.out);
    assert!(run.out.contains("= note: "), "{}", run.out);
    assert!(run.out.contains("= hint: "), "{}", run.out);
    assert!(run.out.contains("not sound (1 error,"), "{}", run.out);
}

#[test]
fn standard_input_is_a_game_too() {
    let run = fed(&["check", "-"], SMALL.as_bytes()).expect(0);
    assert!(run.out.contains("<stdin>: sound"), "{}", run.out);
    let run = fed(&["check", "-"], b"(role you").expect(2);
    assert!(run.out.contains("<stdin>:1:1"), "{}", run.out);
}

#[test]
fn json_has_the_documented_keys_and_places() {
    let name = file("unsafe-json.kif", UNSAFE);
    let by_flag = fluxion(&["check", &name, "--json"]).expect(1);
    let by_format = fluxion(&["check", &name, "--format", "json"]).expect(1);
    assert_eq!(by_flag.out, by_format.out);
    let report = by_flag.json();
    assert_eq!(report["sound"], false);
    let file = &report["files"][0];
    assert_eq!(file["status"], "unsound");
    assert_eq!(file["errors"], 1);
    let findings = file["findings"].as_array().expect("a list");
    let error = findings.iter().find(|f| f["code"] == "E202").expect("the error");
    assert_eq!(error["severity"], "error");
    assert_eq!(error["place"]["line"], 4);
    assert_eq!(error["place"]["column"], 17);
    assert_eq!(error["place"]["end_column"], 19);
    for key in ["message", "why", "hint", "related"] {
        assert!(error.get(key).is_some(), "{key} is missing in {error}");
    }
}

#[test]
fn the_worst_file_decides_the_exit_code() {
    let sound = file("worst-sound.kif", SMALL);
    let unsound = file("worst-unsound.kif", UNSAFE);
    let unreadable = file("worst-unreadable.kif", "(role you");
    let run = fluxion(&["check", &sound, &unsound]).expect(1);
    assert!(run.out.ends_with("2 files checked, 1 not sound\n"), "{}", run.out);
    fluxion(&["check", &unsound, &unreadable, &sound]).expect(2);
}

#[test]
fn a_missing_file_or_name_exits_with_2_and_suggests_one() {
    let run = fluxion(&["check", "tictacto"]).expect(2);
    assert!(run.err.contains("no library game tictacto"), "{}", run.err);
    assert!(run.err.contains("did you mean the library game tictactoe?"), "{}", run.err);
    let run = fluxion(&["check", "no/such/file.kif"]).expect(2);
    assert!(run.err.contains("there is no file no/such/file.kif"), "{}", run.err);
}

#[test]
fn play_never_proves_and_refutes_with_moves() {
    let run = fluxion(&["check", "tictactoe", "--play", "50"]).expect(0);
    assert!(run.out.contains("Def. 2.8   not refuted in 50 playouts"), "{}", run.out);
    assert!(run.out.contains("Def. 2.10  refuted: the goal of"), "{}", run.out);
    assert!(run.out.contains("(mark "), "{}", run.out);
    assert!(!run.out.contains("proved"), "{}", run.out);
}

#[test]
fn a_cycle_refutes_termination_and_a_trace_of_it_conforms() {
    let rules = "(role you) (init (light on)) (legal you flip) (legal you wait)
        (<= (next (light off)) (true (light on)) (does you flip))
        (<= (next (light on)) (true (light off)) (does you flip))
        (<= (next (light ?x)) (true (light ?x)) (does you wait))
        (<= terminal (true (light broken))) (goal you 0)";
    let (name, trace) = (file("cycle.kif", rules), path("cycle.jsonl"));
    let run = fluxion(&["check", &name, "--play", "1", "--json", "--trace", &trace]).expect(0);
    let play = run.json()["files"][0]["play"].clone();
    let termination = &play["properties"][0];
    assert_eq!(termination["property"], "termination");
    assert_eq!(termination["verdict"], "refuted");
    let cycle = termination["cycle"].as_array().expect("where it comes back");
    let moves = termination["moves"].as_array().expect("the moves up to there");
    assert_eq!(cycle[1].as_u64(), Some(moves.len() as u64));
    assert_eq!(play["capped"], 1);
    let run = fluxion(&["conform", &name, &trace]).expect(0);
    let steps = moves.len();
    assert!(run.out.starts_with(&format!("conforms: 1 playout, {steps} step")), "{}", run.out);
}

#[test]
fn reaching_the_cap_is_only_a_hint() {
    let rules = "(role you) (init (n 0)) (legal you go)
        (<= (next (n (s ?x))) (true (n ?x))) (<= terminal (true (n done))) (goal you 0)";
    let name = file("growing.kif", rules);
    let run = fluxion(&["check", &name, "--play", "3", "--cap", "20"]).expect(0);
    assert!(run.out.contains("Def. 2.8   not refuted in 3 playouts"), "{}", run.out);
    assert!(run.out.contains("3 playouts reached the cap, which is only a hint"), "{}", run.out);
}

#[test]
fn strict_turns_stuck_players_into_exit_1() {
    let rules = "(role you) (init (at 1)) (<= (legal you go) (true (at 1)))
        (<= (next (at 2)) (does you go)) (<= terminal (true (at 3))) (goal you 0)";
    let name = file("stuck.kif", rules);
    let run = fluxion(&["check", &name, "--play", "2"]).expect(0);
    assert!(run.out.contains("refuted: you has no legal move"), "{}", run.out);
    fluxion(&["check", &name, "--play", "2", "--strict"]).expect(1);
    fluxion(&["check", "tictactoe", "--play", "2", "--strict"]).expect(0);
}

#[test]
fn limits_on_reading_are_flags() {
    let name = file("limits.kif", SMALL);
    fluxion(&["check", &name, "--max-text", "10"]).expect(2);
    fluxion(&["check", &name, "--max-symbol", "3"]).expect(2);
    fluxion(&["check", &name, "--max-nesting", "1"]).expect(2);
    fluxion(&["check", &name]).expect(0);
}

#[test]
fn a_reported_seed_plays_the_same_moves_again() {
    let report = fluxion(&["check", "tictactoe", "--play", "5", "--json"]).expect(0).json();
    let found = report["files"][0]["play"]["properties"][2].clone();
    assert_eq!(found["verdict"], "refuted");
    let seed = found["seed"].to_string();
    let trace = fluxion(&["trace", "tictactoe", "--seed", &seed]).expect(0).out;
    let moves = found["moves"].as_array().expect("a list");
    for (line, expected) in trace.lines().skip(1).zip(moves) {
        let step: serde_json::Value = serde_json::from_str(line).expect("a line of JSON");
        assert_eq!(&step["moves"], expected);
    }
    assert!(trace.lines().count() > moves.len());
}

#[test]
fn playouts_are_independent_even_with_two_moves_to_choose_from() {
    let rules = "(role you) (init start) (legal you left) (legal you right)
        (<= (next (went ?m)) (does you ?m)) (<= terminal (true (went ?m)))
        (<= (goal you 100) (true (went left))) (<= (goal you 0) (not (true (went left))))";
    let name = file("coin.kif", rules);
    let args = ["show", &name, "--playouts", "400", "--json"];
    let mean = fluxion(&args).expect(0).json()["statistics"]["results"]["you"]["mean"].clone();
    assert!(mean.as_f64().is_some_and(|mean| (40.0..60.0).contains(&mean)), "{mean}");
}

#[test]
fn all_definitions_are_proved_or_refuted_for_all_states() {
    let run = fluxion(&["check", "tictactoe", "--prove"]).expect(0);
    let line = |number: &str| {
        run.out.lines().find(|line| line.starts_with(number)).unwrap_or_else(|| panic!("{run:?}"))
    };
    for (number, verdict) in [
        ("Def. 2.9 ", "proved"),
        ("Def. 2.10", "refuted"),
        ("Def. 2.11", "proved"),
        ("Def. 2.12", "refuted"),
        ("Def. 2.13", "proved"),
    ] {
        assert!(line(number).contains(verdict), "{}", line(number));
    }
    // The reward is there at first and gone in the end.
    let rules = SMALL.replace("(goal you 100) (true (step 3))", "(goal you 100) (true (step 1))");
    let cannot = file("never-wins.kif", rules);
    let report = fluxion(&["check", &cannot, "--prove", "--json"]).expect(0).json();
    let proofs = report["files"][0]["prove"].as_array().expect("a list").clone();
    let of = |name: &str| {
        let found = proofs.iter().find(|proof| proof["name"] == name);
        found.unwrap_or_else(|| panic!("{name}: {proofs:?}"))["verdict"].clone()
    };
    assert_eq!(of("termination"), "proved");
    assert_eq!(of("weak winnability"), "refuted");
}
