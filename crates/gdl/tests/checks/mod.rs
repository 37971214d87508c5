//! What must hold of every rule sheet that is read without problems.

use gdl::compare::{Variables, first_difference};
use gdl::format::{Style, format};
use gdl::{Limits, Rules, Syntax};

pub const SYNTAXES: [Syntax; 2] = [Syntax::Kif, Syntax::Prolog];

/// Reads a text that must have no problems.
pub fn read(text: &str, syntax: Syntax) -> Rules {
    let (rules, problems) = gdl::parse_as(text, syntax, &Limits::default());
    assert!(problems.is_empty(), "{problems:?} in\n{text}");
    rules
}

/// Asserts that two sheets say the same, up to the names of variables.
pub fn assert_same(a: &Rules, b: &Rules, text: &str) {
    let at = first_difference(a, b, Variables::ByPlace);
    assert_eq!(at, None, "the clause with this number differs in\n{text}");
}

/// The comments' texts as a conversion leaves them: with the leading marks exchanged.
pub fn comments(rules: &Rules, syntax: Syntax) -> Vec<String> {
    let swap = |c: char| if c == ';' { '%' } else { ';' };
    let convert = |text: &String| {
        let rest = text.trim_start_matches([';', '%']);
        text[..text.len() - rest.len()].chars().map(swap).collect::<String>() + rest
    };
    let texts = rules.comments.iter().map(|comment| &comment.text);
    if rules.syntax == syntax { texts.cloned().collect() } else { texts.map(convert).collect() }
}

/// Everything that must hold of a sheet that was read without problems.
pub fn assert_round_trips(text: &str, rules: &Rules) {
    for syntax in SYNTAXES {
        let printed = gdl::print::rules(rules, syntax);
        let again = read(&printed, syntax);
        assert_same(rules, &again, &printed);
        if syntax == Syntax::Kif {
            let at = first_difference(rules, &again, Variables::ByName);
            assert_eq!(at, None, "KIF keeps the names of variables:\n{printed}");
        }
        let back = gdl::print::rules(&again, rules.syntax);
        assert_same(rules, &read(&back, rules.syntax), &back);

        for width in [Style::of(syntax).width, NARROW] {
            assert_formats(text, rules, Style { width, ..Style::of(syntax) });
        }
    }
}

/// A width at which most groups have to be opened.
const NARROW: usize = 30;

fn assert_formats(text: &str, rules: &Rules, style: Style) {
    let formatted = format(text, rules, style);
    let again = read(&formatted, style.syntax);
    assert_same(rules, &again, &formatted);
    let kept = comments(rules, style.syntax);
    assert_eq!(kept, comments(&again, style.syntax), "comments of\n{formatted}");
    let twice = format(&formatted, &again, style);
    assert_eq!(twice, formatted, "formatting again changes the text");
    let back = format(&formatted, &again, Style { syntax: rules.syntax, ..style });
    let returned = read(&back, rules.syntax);
    assert_same(rules, &returned, &back);
    assert_eq!(comments(rules, rules.syntax), comments(&returned, rules.syntax));
}
