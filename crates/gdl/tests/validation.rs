//! One broken sheet for each code: it yields that code, at that place, and nothing else.

use gdl::validate::{Checked, check};
use gdl::{Limits, LineIndex, Syntax};

/// A sound game about which there is nothing to say.
const GAME: &str = "\
(role you)
(role foe)
(init (cell 1 b))
(init (cell 2 b))
(init (control you))
(turn you foe)
(turn foe you)
(<= (legal ?r (mark ?x)) (true (control ?r)) (true (cell ?x b)))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (next (cell ?x ?r)) (does ?r (mark ?x)))
(<= (next (cell ?x ?v)) (true (cell ?x ?v)) (does ?r (mark ?y)) (distinct ?x ?y))
(<= (next (control ?s)) (true (control ?r)) (turn ?r ?s))
(<= open (true (cell ?x b)))
(<= terminal (not open))
(<= (goal ?r 100) (role ?r) (true (cell 1 ?r)))
(<= (goal ?r 0) (role ?r) (not (true (cell 1 ?r))))
";

/// Codes, and what is put in front of [`GAME`]; `@` stands before each place that is reported.
const ADDITIONS: &[(&str, &str)] = &[
    ("E201", "(<= p (not @q))\n(<= q (not p))\n(<= (goal you 50) p)"),
    ("E201", "(<= p (not @p))\n(<= (goal you 50) p)"),
    ("E201", "(<= (p ?x) (turn ?x ?y) q)\n(<= q (turn ?x ?y) (not @(p ?y)))\n(<= (goal you 50) q)"),
    ("E201", "(p 2)\n(<= (p 1) (turn ?x you) (not @(p ?x)))\n(<= (goal you 50) (p 1))"),
    ("E202", "(<= (goal @?who 50) open)"),
    ("E202", "(<= (goal you 50) (not (true (cell @?x b))))"),
    ("E202", "(<= (goal you 50) (distinct @?x 1))"),
    ("E202", "(<= (goal @?r 50) (or (turn ?r foe) open))"),
    ("E202", "(<= (goal you 50) (or (turn ?r foe) (not (turn @?r you))))"),
    ("E202", "(init (cell @?x b))"),
    ("E203", "(num 0)\n(<= (num (s ?n)) (num @?n))\n(<= (goal you 50) (num 0))"),
    ("E203", "(num 0)\n(<= (num (s ?n)) (num @?n) (not (turn ?n ?n)))\n(<= (goal you 50) (num 0))"),
    (
        "W321",
        "(num (s 0))\n(<= (num ?n) (num @(s ?n)))\n(<= (num (s (s ?n))) (num (s ?n)) (turn (s ?n) ?n))\n(turn (s 0) 0)\n(<= (goal you 50) (num 0))",
    ),
    (
        "E203",
        "(num 0)\n(<= (num (s ?n)) (num @?n) (or (num (s ?n)) open))\n(<= (goal you 50) (num 0))",
    ),
    ("E204", "(<= (@role you) open)"),
    ("E205", "(<= (goal you 50) (@init (control you)))"),
    ("E206", "(<= (init (control foe)) @(true (control you)))"),
    ("E206", "(<= (init (control foe)) (turn foe you) @open)"),
    ("E207", "(<= (@true (control you)) open)"),
    ("E208", "(<= (@does you noop) open)"),
    ("E209", "(<= (goal you 50) @(does you noop))"),
    ("E209", "(<= p q)\n(<= q (does you noop))\n(<= terminal @p)"),
    ("E210", "(<= (next (cell 1 b)) (@next (cell 2 b)))"),
    ("E210", "(<= (goal you 50) (@next (control you)))"),
    ("E211", "(<= @(goal you) open)"),
    ("E211", "(<= (goal you 50) @(true control you))"),
    ("E212", "(<= (goal you 50) (true @(not (control you))))"),
    ("E212", "(<= (@not open) (role you))"),
    ("E212", "(<= (goal you 50) open @or)"),
    ("E213", "(<= (goal you 50) open (not @(distinct you foe)))"),
    ("E213", "(<= (goal you 50) (not @(or open (turn you you))))"),
    ("E216", "(<= (goal you @101) open)"),
    ("E216", "(<= (goal you @win) open)"),
    ("W301", "(<= (goal you 50) @opne)"),
    ("W301", "(<= (goal you 50) (@turn you))"),
    ("W302", "(@extra 1)"),
    ("W303", "(pair 1)\n(@pair 1 2)\n(<= (goal you 50) (pair 1) (pair 1 2))"),
    ("W304", "(init (at 1))\n(init @(at 1 2))\n(<= (goal you 50) (true (at 1)) (true (at 1 2)))"),
    ("W305", "(<= (goal you 50) (at 1))\n(at 1)\n(init @(at 1))"),
    ("W306", "(init (cell 3 @goal))"),
    ("W306", "(<= (goal you 50) (@input 1))\n(input 1)"),
    ("W307", "(role @random)"),
    ("W307", "(<= (@sees ?r open) (role ?r) open)"),
    ("W308", "(<= (goal ?player 50) (true (cell 1 ?player)) (turn @?plaer foe))"),
    ("W309", "(<= (goal you 50) @(distinct 1 1))"),
    ("W309", "(<= (goal you 50) (turn ?x you) (not @(turn ?x you)))"),
    ("W310", "(<= (goal ?a 50) (turn ?a ?b))\n@(<= (goal ?b 50) (turn ?b ?a))"),
    ("W311", "(<= (goal you 50) open @(or))"),
    ("W312", "@(<= (goal you 50))"),
    ("W313", "(<= @(shut) open)\n(<= (goal you 50) (shut))"),
    ("W314", "(init (cell 3 @x+y))"),
    ("W315", "(<= (goal you 50) open @(distinct 1 2))"),
    ("W317", "(<= (goal @yuo 50) open)"),
    ("W319", "(base (control you))\n(<= (goal you 50) (@base (control you)))"),
    ("W319", "(<= (base (control ?x)) @(true (control ?x)))"),
    ("W320", "(<= (goal you 50) (true @(cel 1 b)))"),
    ("W320", "(<= (goal you 50) helped)\n(<= helped (turn you @nobody))"),
    (
        "W321",
        "(link 1 2)\n(<= (way ?x ?y) (link ?x ?y))\n(<= (way ?x ?z) (way ?x @?y) (way ?y ?z))\n(<= (goal you 50) (way 1 2))",
    ),
    ("W322", "(<= (goal you 50) (not @(goal you 100)))"),
];

/// Codes with whole sheets, for what an addition cannot take away.
const SHEETS: &[(&str, &str)] = &[
    (
        "E214",
        "@(role a)\n(init x)\n(legal a go)\n(<= (next x) (true x))\n(<= (goal a 50) (role a))",
    ),
    (
        "E215",
        "(role a)\n(role @b)\n(init x)\n(legal a go)\n(<= (next x) (true x))\n(<= terminal (true x))\n(<= (goal ?r 50) (role ?r))",
    ),
    (
        "W316",
        "(role a)\n(role @b)\n(init x)\n(<= (legal ?r go) (role ?r))\n(<= (next x) (true x))\n(<= terminal (true x))\n(goal a 50)",
    ),
    (
        "W318",
        "@(role a)\n(legal a go)\n(<= (next x) (role a))\n(<= terminal (true x))\n(goal a 50)",
    ),
];

fn checked(text: &str) -> Checked {
    check(text, &Limits::default())
}

fn join(numbers: std::ops::Range<usize>, write: impl Fn(usize) -> String) -> String {
    numbers.map(write).collect::<Vec<_>>().concat()
}

/// Findings as `code line:column`.
fn found(text: &str) -> Vec<String> {
    let lines = LineIndex::new(text);
    let show = |d: &gdl::Diagnostic| format!("{} {}", d.code, lines.position(text, d.span.start));
    checked(text).diagnostics.iter().map(show).collect()
}

/// Takes the marks out of a text and says where they were.
fn marked(text: &str) -> (String, Vec<String>) {
    let mut plain = String::new();
    let mut places = Vec::new();
    for part in text.split_inclusive('@') {
        plain += part.trim_end_matches('@');
        if part.ends_with('@') {
            let lines = LineIndex::new(&plain);
            places.push(lines.position(&plain, plain.len() as u32).to_string());
        }
    }
    (plain, places)
}

#[test]
fn a_sound_game_is_met_with_silence_in_both_syntaxes() {
    assert_eq!(found(GAME), Vec::<String>::new());
    let prolog = gdl::print::rules(&checked(GAME).rules, Syntax::Prolog);
    assert_eq!(found(&prolog), Vec::<String>::new(), "{prolog}");
}

#[test]
fn each_broken_sheet_yields_its_code_at_its_place_and_nothing_else() {
    let additions = ADDITIONS.iter().map(|(code, text)| (code, format!("{text}\n{GAME}")));
    let sheets = SHEETS.iter().map(|(code, text)| (code, (*text).to_owned()));
    for (code, text) in additions.chain(sheets) {
        let (plain, places) = marked(&text);
        let expected: Vec<_> = places.iter().map(|place| format!("{code} {place}")).collect();
        assert_eq!(found(&plain), expected, "{plain}");
    }
}

#[test]
fn every_finding_says_why_it_matters_and_how_to_mend_it() {
    for (_, text) in ADDITIONS.iter().chain(SHEETS) {
        let (plain, _) = marked(&format!("{text}\n{GAME}"));
        for finding in checked(&plain).diagnostics {
            assert!(finding.why.is_some(), "{finding:?}");
            assert!(finding.hint.is_some(), "{finding:?}");
            assert_eq!(finding.is_error(), finding.code.starts_with('E'), "{finding:?}");
        }
    }
}

#[test]
fn a_misspelled_name_is_met_with_the_right_one() {
    let hint = |text: &str| {
        let all = checked(&format!("{text}\n{GAME}")).diagnostics;
        all.first().and_then(|d| d.hint.clone()).unwrap_or_default()
    };
    assert_eq!(hint("(<= (goal you 50) opne)"), "did you mean `open`?");
    assert_eq!(hint("(<= (goal you 50) (true (contrl you)))"), "did you mean `control`?");
    assert_eq!(hint("(<= (goal yuo 50) open)"), "did you mean `you`?");
    assert_eq!(hint("(<= (goal ?rolle 50) (role ?role))"), "did you mean `?role`?");
    assert_eq!(hint("(<= (goal you 50) (turn you))"), "it is defined with 2 arguments");
}

#[test]
fn a_cycle_is_reported_once_with_all_of_its_steps() {
    let text = format!("(<= p (not q))\n(<= q r)\n(<= r (not p))\n(<= (goal you 50) p)\n{GAME}");
    let all = checked(&text).diagnostics;
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].message, "`p` depends on its own negation: p -> not q -> r -> not p");
    let steps: Vec<_> = all[0].related.iter().map(|step| step.message.as_str()).collect();
    assert_eq!(steps, ["`q` depends on `r` here", "`r` depends on not `p` here"]);
}

#[test]
fn a_forbidden_dependency_is_shown_step_by_step() {
    let text = format!("(<= p q)\n(<= q (does you noop))\n(<= terminal p)\n{GAME}");
    let all = checked(&text).diagnostics;
    assert_eq!(all[0].message, "`terminal` depends on `does` through `p`");
    let steps: Vec<_> = all[0].related.iter().map(|step| step.message.as_str()).collect();
    assert_eq!(steps, ["`p` depends on `q` here", "`q` depends on `does` here"]);
}

#[test]
fn all_that_is_missing_is_named() {
    let (rules, _) = gdl::parse("", &Limits::default());
    let all = gdl::validate::validate(&rules);
    let codes: Vec<_> = all.iter().map(|d| d.code).collect();
    assert_eq!(codes, ["E214", "E214", "E214", "E214", "W318", "W318"]);
}

#[test]
fn a_clause_that_cannot_be_read_does_not_make_others_look_wrong() {
    let text = GAME.replace("(<= terminal (not open))", "(<= (?terminal) (not open))");
    let sheet = checked(&text);
    let codes: Vec<_> = sheet.diagnostics.iter().map(|d| d.code).collect();
    assert_eq!(codes, ["E116"]);
    assert!(!sheet.is_readable() && !sheet.is_sound());
    let unsafe_too = checked(&format!("(<= (goal ?x 50) open)\n{text}"));
    let codes: Vec<_> = unsafe_too.diagnostics.iter().map(|d| d.code).collect();
    assert_eq!(codes, ["E202", "E116"]);
}

#[test]
fn soundness_and_readability_are_different_things() {
    assert!(checked(GAME).is_sound());
    let sheet = checked(&format!("(<= (goal ?x 50) open)\n{GAME}"));
    assert!(sheet.is_readable() && !sheet.is_sound());
}

#[test]
fn chance_and_perception_are_warned_about_but_ordinary_names_are_not_rejected() {
    let random = checked(&format!("(role random)\n{GAME}"));
    assert!(random.is_sound());
    assert_eq!(found(&format!("(init (cell 3 random))\n{GAME}")), Vec::<String>::new());
    let ordinary = "(sees you foe)\n(<= (goal you 50) (sees you foe))";
    assert_eq!(found(&format!("{ordinary}\n{GAME}")), Vec::<String>::new());
    let strict = "(role random)\n(<= (sees you foe) open)\n(<= (goal you 50) (sees you foe))";
    assert_eq!(found(&format!("{strict}\n{GAME}")), ["W307 2:6", "E217 3:19"]);
}

#[test]
fn a_rule_with_too_many_alternatives_is_reported() {
    let parts: String = join(0..16, |i| format!(" (or (not (turn ?x {i})) open)"));
    let text = format!("(<= (goal ?x 50) (turn ?x ?y){parts})\n{GAME}");
    let codes: Vec<_> = checked(&text).diagnostics.iter().map(|d| d.code).collect();
    assert!(codes.contains(&"E130"), "{codes:?}");
}

#[test]
fn large_and_deep_sheets_are_validated_without_overflow_or_long_waits() {
    let start = std::time::Instant::now();
    let facts: String = join(0..30_000, |i| format!("(succ number{i} number{})\n", i + 1));
    let used = "(<= (goal you 50) (succ number1 ?x))";
    assert!(checked(&format!("{used}\n{facts}{GAME}")).is_sound());
    let chain: String = join(0..100_000, |i| format!("(<= p{i} p{})\n", i + 1));
    let looped = format!("{chain}(<= p100000 (not p0))\n(<= terminal p0)\n{GAME}");
    let errors = checked(&looped).diagnostics;
    assert_eq!(errors.iter().map(|d| d.code).collect::<Vec<_>>(), ["E201"]);
    let wrong = join(0..20_000, |i| format!("(<= named{i} nmaed{i})\n"));
    assert!(checked(&format!("{wrong}{GAME}")).is_sound());
    let body =
        join(0..10_000, |i| format!("(turn ?a{i} you) (not (turn ?b{i} you)) (or open open)"));
    let errors = checked(&format!("(<= (goal ?a0 50) {body})\n{GAME}")).diagnostics;
    assert_eq!(errors.iter().filter(|d| d.code == "E202").count(), 10_000);
    // A guard against quadratic time only: a few hundred milliseconds are usual.
    assert!(start.elapsed().as_secs() < 20);
}

/// All codes in double quotes in the sources of this crate.
fn codes_in_source() -> Vec<String> {
    let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut codes = Vec::new();
    for folder in [source.clone(), source.join("validate")] {
        for entry in std::fs::read_dir(folder).expect("sources are there") {
            let path = entry.expect("readable").path();
            if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(path).expect("readable");
                let quoted = text.split('"');
                codes.extend(quoted.filter(|word| is_code(word)).map(str::to_owned));
            }
        }
    }
    codes.sort();
    codes.dedup();
    codes
}

fn is_code(word: &str) -> bool {
    word.len() == 4
        && word.starts_with(['E', 'W'])
        && word.bytes().skip(1).all(|digit| digit.is_ascii_digit())
}

#[test]
fn every_code_is_documented_and_every_code_of_validation_has_a_sheet_here() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/validation.md");
    let document = std::fs::read_to_string(path).expect("docs/validation.md is there");
    let codes = codes_in_source();
    assert!(codes.len() > 40, "{codes:?}");
    let tested: Vec<&str> = ADDITIONS.iter().chain(SHEETS).map(|(code, _)| *code).collect();
    for code in &codes {
        assert!(document.contains(&format!("| {code} |")), "{code} is not in docs/validation.md");
        let elsewhere = code.starts_with("E1") || code == "E217";
        assert!(elsewhere || tested.contains(&code.as_str()), "{code} has no sheet");
    }
    let rows = document.lines().filter_map(|line| line.strip_prefix("| "));
    for code in rows.filter_map(|row| row.split(' ').next()).filter(|word| is_code(word)) {
        assert!(codes.iter().any(|known| known == code), "{code} is documented but unknown");
    }
}
