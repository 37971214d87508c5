//! Telling the two syntaxes apart by the beginning of a text.

use crate::ast::Syntax;
use crate::sexp::is_blank;

/// Tells the two syntaxes apart: KIF clauses open with a parenthesis, clauses in Prolog syntax with a
/// name that is followed by `(…)`, `:-` or a full stop. A KIF text may also begin with bare
/// propositions. Comments of both kinds are skipped; with nothing else their mark decides.
pub fn detect_syntax(text: &str) -> Syntax {
    let (rest, comment) = skip_comments(text);
    let Some(first) = rest.chars().next() else {
        return if comment == Some('%') { Syntax::Prolog } else { Syntax::Kif };
    };
    let prolog = match first {
        '(' => false,
        '\'' => true,
        _ => rest.starts_with("/*") || opens_prolog_clause(rest),
    };
    if prolog { Syntax::Prolog } else { Syntax::Kif }
}

fn skip_blanks(text: &str) -> &str {
    text.trim_start_matches(is_blank)
}

/// What follows the comments at the beginning, and the mark of the first of them.
fn skip_comments(text: &str) -> (&str, Option<char>) {
    let mut rest = skip_blanks(text);
    let mut first = None;
    while let Some(mark @ ('%' | ';')) = rest.chars().next() {
        first.get_or_insert(mark);
        rest = rest.find('\n').map_or("", |end| skip_blanks(&rest[end..]));
    }
    (rest, first)
}

/// Whether a text that begins with a word goes on as a clause in Prolog syntax does.
fn opens_prolog_clause(text: &str) -> bool {
    let stop = |c: char| is_blank(c) || matches!(c, '(' | ')' | ';' | '%');
    let length = text.find(stop).unwrap_or(text.len());
    let word = &text[..length];
    if word.ends_with('.') || word.contains(":-") {
        return true;
    }
    let rest = skip_comments(&text[length..]).0;
    if !rest.starts_with('(') {
        return rest.starts_with(":-") || rest.starts_with('.');
    }
    // `legal (P, noop) :-` against the proposition `open` followed by the fact `(role you)`.
    let adjacent = text[length..].starts_with('(');
    after_group(rest).map_or(adjacent, |after| {
        after.starts_with(['.', ',']) || after.starts_with(":-") || after.starts_with("<=")
    })
}

/// What follows the parenthesis that closes the one at the beginning.
fn after_group(text: &str) -> Option<&str> {
    let mut depth = 0_usize;
    for (i, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(skip_comments(&text[i + 1..]).0);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Syntax) {
        assert_eq!(detect_syntax(text), expect, "{text:?}");
    }

    #[test]
    fn kif_is_told_by_its_first_clause() {
        check("", Syntax::Kif);
        check("(role you)", Syntax::Kif);
        check("\u{feff}; a game. Really :- so\n% and more\n(role you)", Syntax::Kif);
        check("  \r\n\r\n(role you)", Syntax::Kif);
        check("open", Syntax::Kif);
        check("open terminal\n(role you)", Syntax::Kif);
        check("open ; e.g. this\n(role you)", Syntax::Kif);
        check("open (role you) (<= p q)", Syntax::Kif);
        check("open(role you)(role me)", Syntax::Kif);
        check("; nothing but a comment", Syntax::Kif);
    }

    #[test]
    fn prolog_is_told_by_its_first_clause() {
        check("role(you).", Syntax::Prolog);
        check("role( you ) .", Syntax::Prolog);
        check("% a game (with parentheses)\nrole(you).", Syntax::Prolog);
        check("; odd\nrole(you).", Syntax::Prolog);
        check("/* a game */ role(you).", Syntax::Prolog);
        check("legal (P, mark(X,Y)) :-\n true(free(X)).", Syntax::Prolog);
        check("legal(P, mark(X)) <= true(free(X)).", Syntax::Prolog);
        check("open.", Syntax::Prolog);
        check("open:-p.", Syntax::Prolog);
        check("terminal % when?\n:- not open.", Syntax::Prolog);
        check("'1/2'(a).", Syntax::Prolog);
        check("++ .", Syntax::Prolog);
        check("% nothing but a comment", Syntax::Prolog);
    }

    #[test]
    fn a_broken_first_clause_still_tells() {
        check("role(you", Syntax::Prolog);
        check("(role you", Syntax::Kif);
        check("open (role you", Syntax::Kif);
    }
}
