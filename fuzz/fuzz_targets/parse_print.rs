//! Any bytes are read in both syntaxes without a panic. What is read without errors is written and
//! read again as the same rules in either syntax, formatting keeps rules and comments and is
//! idempotent, and the normal form is found or refused.

#![no_main]

use gdl::compare::{Variables, first_difference};
use gdl::format::Style;
use gdl::{Diagnostic, Limits, Rules, Syntax};
use libfuzzer_sys::fuzz_target;

const SYNTAXES: [Syntax; 2] = [Syntax::Kif, Syntax::Prolog];

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    _ = gdl::parse(&text, &Limits::default());
    for syntax in SYNTAXES {
        let (rules, problems) = gdl::parse_as(&text, syntax, &Limits::default());
        for problem in &problems {
            assert!(text.get(problem.span.range()).is_some(), "{problem:?} is outside the text");
        }
        _ = gdl::normal::normalize(&rules);
        if !problems.iter().any(Diagnostic::is_error) {
            check(&text, &rules);
        }
    }
});

fn check(text: &str, rules: &Rules) {
    for syntax in SYNTAXES {
        let variables = if syntax == Syntax::Kif { Variables::ByName } else { Variables::ByPlace };
        let printed = gdl::print::rules(rules, syntax);
        let again = read(&printed, syntax);
        assert_eq!(first_difference(rules, &again, variables), None, "{printed}");

        let formatted = gdl::format::format(text, rules, Style::of(syntax));
        let again = read(&formatted, syntax);
        assert_eq!(first_difference(rules, &again, variables), None, "{formatted}");
        assert_eq!(comments(rules, syntax), comments(&again, syntax), "{formatted}");
        let twice = gdl::format::format(&formatted, &again, Style::of(syntax));
        assert_eq!(formatted, twice, "formatting is idempotent");
    }
}

fn read(text: &str, syntax: Syntax) -> Rules {
    let (rules, problems) = gdl::parse_as(text, syntax, &Limits::default());
    assert!(problems.is_empty(), "{problems:?} in\n{text}");
    rules
}

/// The texts of the comments as they are in a syntax: a conversion exchanges the leading marks.
fn comments(rules: &Rules, syntax: Syntax) -> Vec<String> {
    let swap = |c: char| if c == ';' { '%' } else { ';' };
    let convert = |text: &str| {
        let rest = text.trim_start_matches([';', '%']);
        text[..text.len() - rest.len()].chars().map(swap).collect::<String>() + rest
    };
    let texts = rules.comments.iter().map(|comment| &comment.text);
    if rules.syntax == syntax {
        texts.cloned().collect()
    } else {
        texts.map(|t| convert(t)).collect()
    }
}
