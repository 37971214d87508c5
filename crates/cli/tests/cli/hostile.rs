//! Hostile input: a clear answer in bounded time, never a crash, a hang or an abort.

use std::time::{Duration, Instant};

use crate::{file, fluxion};

/// Every command that reads a rule sheet must end by itself, with an exit code of its own.
fn survives(name: &str, content: impl AsRef<[u8]>) -> String {
    let path = file(name, content);
    let limits = ["--timeout", "3"];
    let header = r#"{"game":"x","roles":null,"init":null,"playouts":[]}"#;
    let trace = file(&format!("{name}.jsonl"), header);
    let commands: [&[&str]; 6] = [
        &["check", &path, "--play", "3", limits[0], limits[1]],
        &["show", &path, "--playouts", "2", "--cap", "20", limits[0], limits[1]],
        &["trace", &path, "--cap", "20", limits[0], limits[1]],
        &["bench", &path, "--seconds", "0.05", limits[0], limits[1]],
        &["conform", &path, &trace, limits[0], limits[1]],
        &["fmt", "--check", &path],
    ];
    for args in commands {
        let begin = Instant::now();
        let run = fluxion(args);
        let code = run.code.unwrap_or_else(|| panic!("{args:?} was killed: {}", run.err));
        assert!((0..=3).contains(&code), "{args:?} exits with {code}: {}", run.err);
        assert!(!run.err.contains("panicked"), "{args:?}: {}", run.err);
        assert!(begin.elapsed() < Duration::from_secs(20), "{args:?} took {:?}", begin.elapsed());
    }
    path
}

const REST: &str = "(role you) (legal you go) (<= terminal (true done)) (goal you 0) ";

#[test]
fn deep_nesting_is_refused() {
    let open = survives("deep-open.kif", "(".repeat(200_000));
    fluxion(&["check", &open]).expect(2);
    let closed = format!("(role {}a{})", "(f ".repeat(5000), ")".repeat(5000));
    let closed = survives("deep-closed.kif", closed);
    let run = fluxion(&["check", &closed]).expect(2);
    assert!(run.out.contains("E103"), "{}", run.out);
}

#[test]
fn megabyte_symbols_are_refused_without_being_printed() {
    let path = survives("symbol.kif", format!("(role {})", "a".repeat(1 << 20)));
    let run = fluxion(&["check", &path]).expect(2);
    assert!(run.out.contains("E104") && run.out.len() < 5000, "{} bytes", run.out.len());
}

#[test]
fn binary_junk_is_refused_with_the_byte() {
    let path = survives("junk.kif", [b'(', b'a', 0xff, 0xfe, 0, 1]);
    let run = fluxion(&["check", &path]).expect(2);
    assert!(run.err.contains("is not text at byte 2"), "{}", run.err);
    survives("controls.kif", (0..4000u32).map(|i| (i % 128) as u8).collect::<Vec<_>>());
}

#[test]
fn empty_and_unbalanced_sheets_are_refused() {
    let empty = survives("empty.kif", "");
    fluxion(&["check", &empty]).expect(1);
    fluxion(&["show", &empty]).expect(2);
    survives("unbalanced.kif", "(role you))) ((((init (a)) ;");
}

#[test]
fn states_that_grow_for_ever_end_with_a_reason() {
    let rules = format!("{REST}(init a) (<= (next (f ?x)) (true ?x))");
    let path = survives("growing-states.kif", rules);
    let run = fluxion(&["trace", &path, "--cap", "100000", "--timeout", "5"]).expect(3);
    assert!(run.err.contains("ever larger terms"), "{}", run.err);
}

#[test]
fn infinite_models_end_with_a_reason() {
    for (name, grow) in [
        ("infinite-chain.kif", "(<= (num (s ?x)) (num ?x))"),
        ("infinite-tree.kif", "(<= (num (pair ?x ?y)) (num ?x) (num ?y))"),
    ] {
        let rules = format!(
            "(role you) (init (z 0)) (num 0) {grow} (<= (legal you (go ?x)) (num ?x))
             (<= (next (z ?x)) (does you (go ?x))) (<= terminal (true (z 1))) (goal you 0)"
        );
        let path = survives(name, rules);
        fluxion(&["check", &path]).expect(1);
        let run = fluxion(&["show", &path, "--timeout", "3"]).expect(3);
        assert!(run.err.contains("error: "), "{}", run.err);
        fluxion(&["demo", &path, "--seconds", "1"]).expect(3);
    }
}

#[test]
fn long_chains_of_rules_do_not_exhaust_the_stack() {
    let chain: Vec<String> = (0..20_000).map(|i| format!("(<= r{} r{i})", i + 1)).collect();
    let ends = "(init p) (<= r0 (true p)) (<= (next p) r20000)";
    let rules = format!("{REST}{ends}\n{}", chain.join("\n"));
    let path = survives("chain.kif", rules);
    fluxion(&["trace", &path, "--cap", "3"]).expect(0);
}

#[test]
fn exponential_alternatives_are_bounded() {
    let each: Vec<String> =
        (0..60).map(|i| format!("(or (true (a{i})) (true (b{i})) (true (c{i})))")).collect();
    survives("ors.kif", format!("{REST}(init p) (<= (next p) {})", each.join(" ")));
    let nested = format!("{}(true p){}", "(or (true p) ".repeat(100), ")".repeat(100));
    survives("nested-ors.kif", format!("{REST}(init p) (<= (next p) {nested})"));
}

#[test]
fn expensive_joins_end_at_the_time_limit() {
    let facts: Vec<String> = (0..60).map(|i| format!("(init (b {i}))")).collect();
    let facts = facts.concat();
    let rules = format!(
        "{REST}{facts} (<= (next (b ?i)) (true (b ?i)))
         (<= (next (c ?a ?b ?c ?d ?e)) (true (b ?a)) (true (b ?b)) (true (b ?c)) (true (b ?d)) (true (b ?e)))"
    );
    let path = file("join.kif", rules);
    let begin = Instant::now();
    let run = fluxion(&["trace", &path, "--timeout", "1"]).expect(3);
    assert!(begin.elapsed() < Duration::from_secs(12), "{:?}", begin.elapsed());
    assert!(run.err.contains("the time limit"), "{}", run.err);
}

#[test]
fn many_findings_are_counted_and_the_first_ones_shown() {
    let path = survives("many.kif", "(foo ?x)\n".repeat(20_000));
    let run = fluxion(&["check", &path, "--max-findings", "5"]).expect(1);
    assert!(run.out.contains("more findings (--max-findings 0 shows all)"), "{}", run.out);
    assert!(run.out.lines().count() < 100, "{}", run.out.lines().count());
}

#[test]
fn a_sheet_on_one_line_is_cut_around_the_place() {
    let many: Vec<String> = (0..5000).map(|i| format!("(init (cell {i}))")).collect();
    let many = many.join(" ");
    let path = file("oneline.kif", format!("{many} (<= (next ?x) (not (true ?x))) {REST}"));
    let run = fluxion(&["check", &path]).expect(1);
    assert!(run.out.contains("…"), "{}", run.out);
    assert!(run.out.lines().all(|line| line.chars().count() < 250), "{}", run.out);
}

#[test]
fn endless_input_is_cut_off() {
    if !std::path::Path::new("/dev/zero").exists() {
        println!("passed by: there is no /dev/zero here");
        return;
    }
    let run = fluxion(&["check", "/dev/zero"]).expect(2);
    assert!(run.err.contains("--max-text"), "{}", run.err);
}
