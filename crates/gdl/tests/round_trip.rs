//! Properties of reading, writing, formatting and converting over random rule sheets and texts.

mod checks;
mod generate;

use checks::{SYNTAXES, assert_round_trips, assert_same, read};
use gdl::{Diagnostic, Limits, Syntax, normal};
use generate::{gaps, sheet, text_of};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

/// `PROPTEST_CASES` sets how many cases are tried; failures found are kept in a file and tried first.
fn config() -> ProptestConfig {
    let file = FileFailurePersistence::Direct("proptest-regressions/round_trip.txt");
    ProptestConfig { failure_persistence: Some(Box::new(file)), ..ProptestConfig::default() }
}

/// Reads any text in both syntaxes; what has no errors must round trip.
fn survive(text: &str) {
    gdl::parse(text, &Limits::default());
    for syntax in SYNTAXES {
        let (rules, problems) = gdl::parse_as(text, syntax, &Limits::default());
        for problem in &problems {
            assert!(text.get(problem.span.range()).is_some(), "{problem:?} lies outside the text");
        }
        _ = normal::normalize(&rules);
        if !problems.iter().any(Diagnostic::is_error) {
            assert_round_trips(text, &rules);
        }
    }
}

/// Pieces of both syntaxes, in any order.
const PIECES: &[&str] = &[
    "(", ")", "(<= ", "<=", " :- ", ".", ",", ";", "|", "not ", "(not ", "or(", "(or ", "and", "X",
    "?x", "?", "_", "_1", "'", "''", "\\", "\\+", "p", "Q", "++", "/*", "*/", "%", "\n", "\r\n",
    " ", "distinct", "\u{feff}", "\u{fffd}", "\0", "é", "[", "\"",
];

proptest! {
    #![proptest_config(config())]

    #[test]
    fn both_syntaxes_say_the_same(sheet in sheet(), kif_gaps in gaps(), prolog_gaps in gaps()) {
        let kif = text_of(&sheet, Syntax::Kif, &kif_gaps);
        let prolog = text_of(&sheet, Syntax::Prolog, &prolog_gaps);
        let rules = read(&kif, Syntax::Kif);
        prop_assert_eq!(rules.clauses.len(), sheet.len());
        assert_same(&rules, &read(&prolog, Syntax::Prolog), &prolog);
    }

    #[test]
    fn kif_round_trips(sheet in sheet(), gaps in gaps()) {
        let text = text_of(&sheet, Syntax::Kif, &gaps);
        assert_round_trips(&text, &read(&text, Syntax::Kif));
    }

    #[test]
    fn prolog_round_trips(sheet in sheet(), gaps in gaps()) {
        let text = text_of(&sheet, Syntax::Prolog, &gaps);
        assert_round_trips(&text, &read(&text, Syntax::Prolog));
    }

    #[test]
    fn mutated_sheets_are_survived(
        sheet in sheet(),
        gaps in gaps(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..3_usize, 0..PIECES.len()), 1..6),
        kif in any::<bool>(),
    ) {
        let syntax = if kif { Syntax::Kif } else { Syntax::Prolog };
        let mut chars: Vec<char> = text_of(&sheet, syntax, &gaps).chars().collect();
        for (index, removed, piece) in edits {
            let at = index.index(chars.len() + 1);
            let end = (at + removed).min(chars.len());
            chars.splice(at..end, PIECES[piece].chars());
        }
        survive(&chars.into_iter().collect::<String>());
    }

    #[test]
    fn pieces_in_any_order_are_survived(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..60)) {
        survive(&pieces.concat());
    }

    #[test]
    fn any_characters_are_survived(text in ".{0,80}") {
        survive(&text);
    }

    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        survive(&String::from_utf8_lossy(&bytes));
    }
}
