//! Unit tests of the layout.

use super::*;
use crate::{Limits, parse_as};

/// Checks the layout, and that it is kept when formatted again.
fn check(from: Syntax, to: Syntax, text: &str, expect: &str) {
    let (rules, problems) = parse_as(text, from, &Limits::default());
    assert_eq!(problems, [], "{text}");
    let formatted = format(text, &rules, Style::of(to));
    assert_eq!(formatted, expect, "\n{formatted}");
    let (again, _) = parse_as(&formatted, to, &Limits::default());
    assert_eq!(format(&formatted, &again, Style::of(to)), expect);
}

fn kif(text: &str, expect: &str) {
    check(Syntax::Kif, Syntax::Kif, text, expect);
}

fn prolog(text: &str, expect: &str) {
    check(Syntax::Prolog, Syntax::Prolog, text, expect);
}

#[test]
fn an_empty_sheet_stays_empty() {
    kif(" \n\n", "");
    prolog("\n", "");
}

#[test]
fn conditions_stand_below_the_head() {
    kif("(<= (p ?x)(q ?x)   (not r))", "(<= (p ?x)\n  (q ?x)\n  (not r))\n");
    prolog("p(X):-q(X),not r.", "p(X) :-\n    q(X),\n    not r.\n");
}

#[test]
fn a_short_rule_stays_on_the_line_it_was_written_on() {
    kif("(<= p  q)\n(<= r\n s)", "(<= p q)\n(<= r\n  s)\n");
    prolog("p:-q. r:-\ns.", "p :- q.\nr :-\n    s.\n");
    let long = format!("(<= p (q {}))", "a ".repeat(40));
    kif(&long, &format!("(<= p\n  (q{}))\n", " a".repeat(40)));
}

#[test]
fn facts_stay_together_up_to_the_width() {
    kif("(a 1)(a 2)  (a 3)\n(b 1)", "(a 1) (a 2) (a 3)\n(b 1)\n");
    prolog("a(1).a(2).\nb.", "a(1). a(2).\nb.\n");
    let wide = "(succ 1 2) ".repeat(12);
    let line = ["(succ 1 2)"; 9].join(" ");
    kif(&wide, &format!("{line}\n(succ 1 2) (succ 1 2) (succ 1 2)\n"));
    kif("(<= p q) (a)", "(<= p q)\n(a)\n");
}

#[test]
fn several_empty_lines_become_one() {
    kif(
        "\n\n; top\n\n\n(a)\n\n\n\n; c\n(b)\n\n(c)\n\n; end\n\n",
        "; top\n\n(a)\n\n; c\n(b)\n\n(c)\n\n; end\n",
    );
}

#[test]
fn comments_keep_their_places_in_kif() {
    kif(
        "(<= ; before\n (p ?x) ; head\n ; own\n (q ?x) ; q\n (r ?x ; inside\n ?x)\n (s) ; last\n )  ; after\n",
        "; before\n(<= (p ?x) ; head\n  ; own\n  (q ?x) ; q\n  (r ?x ?x) ; inside\n  (s)) ; last\n; after\n",
    );
    kif("(<= p\n q\n ; (r)\n)\n(a)", "(<= p\n  q\n  ; (r)\n)\n(a)\n");
    kif("(p ; one\n a ; two\n b) (q)", "(p a b) ; one\n; two\n(q)\n");
}

#[test]
fn groups_with_comments_or_beyond_the_width_are_opened() {
    kif(
        "(<= p (or ; either\n (a) ; this\n (not (and b\n ; c\n d))) e)",
        "(<= p\n  (or ; either\n    (a) ; this\n    (not (and\n      b\n      ; c\n      d)))\n  e)\n",
    );
    kif("(<= p q (or a b ; last\n))", "(<= p\n  q\n  (or a b)) ; last\n");
    let long = "(q abcdefghijklmnopqrstuvwxyz abcdefghijklmnopqrstuvwxyz)";
    kif(
        &format!("(<= p (or {long} (and {long} {long})))"),
        &format!("(<= p\n  (or\n    {long}\n    (and\n      {long}\n      {long})))\n"),
    );
}

#[test]
fn comments_keep_their_places_in_prolog() {
    prolog(
        "p(X) :- % neck\n % own\n q(X), % q\n r(X) % r\n , ( % either\n a % a\n ; b, % b\n c % c\n ), d\n % end\n .",
        "p(X) :- % neck\n    % own\n    q(X), % q\n    r(X), % r\n    % either\n    ( a % a\n    ; b, % b\n      \
         c % c\n    ),\n    d\n    % end\n    .\n",
    );
    prolog("p :- % a\n.", "p :- . % a\n");
    prolog("p /* a */ :- /* b */ . q. /* c\nd */", "p :- % a\n    % b\n    .\nq. % c\n% d\n");
}

#[test]
fn long_alternatives_are_aligned_in_prolog() {
    let long = "q(abcdefghijklmnopqrstuvwxyz, abcdefghijklmnopqrstuvwxyz)";
    prolog(
        &format!("p :- a, not ({long} ; {long}, (b, c) ; (d ; e))."),
        &format!(
            "p :-\n    a,\n    not ( {long}\n        ; {long}, (b, c)\n        ; (d ; e)\n        ).\n"
        ),
    );
    prolog(
        &format!("p :- ({long}, {long} ; {long}, b)."),
        &format!("p :-\n    ( {long},\n      {long}\n    ; {long}, b\n    ).\n"),
    );
}

#[test]
fn a_conversion_exchanges_the_marks_of_comments() {
    let text = ";; a ; b % c\n(p ?x) ;%; d\n\n;\n(<= q\n  (or r s)\n  ; t\n)\n";
    let converted = "%% a ; b % c\np(X). %;% d\n\n%\nq :-\n    (r ; s)\n    % t\n    .\n";
    check(Syntax::Kif, Syntax::Prolog, text, converted);
    check(Syntax::Prolog, Syntax::Kif, converted, text);
    kif("(p) ;% c\n", "(p) ;% c\n");
}

#[test]
fn underscores_stay_underscores() {
    prolog("p(_, X) :- q(X, _).", "p(_, X) :- q(X, _).\n");
}
