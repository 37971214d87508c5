//! Unit tests of the Prolog-like reader.

use super::*;
use crate::print;

fn check_problem(text: &str, code: &str, place: &str) {
    let (_, problems) = parse(text, &Limits::default());
    let found: Vec<_> = problems.iter().map(|p| (p.code, &text[p.span.range()])).collect();
    assert_eq!(found, [(code, place)], "{text}");
}

/// Checks what a sheet is in KIF.
fn check(text: &str, kif: &str) {
    let (rules, problems) = parse(text, &Limits::default());
    assert_eq!(problems, [], "{text}");
    assert_eq!(print::rules(&rules, Syntax::Kif).trim_end(), kif, "{text}");
}

#[test]
fn each_problem_points_at_its_place() {
    check_problem("p(a). q :- r].", "E120", "]");
    check_problem("p. /* open", "E121", "/*");
    check_problem("p. 'open\nq.", "E122", "'");
    check_problem("p('a b').", "E123", "'a b'");
    check_problem("p('?x').", "E123", "'?x'");
    check_problem("p('').", "E123", "''");
    check_problem("p(a)\nq(b).", "E124", "q");
    check_problem("p :- q(a) r.", "E124", "r");
    check_problem("p :- q, X.", "E125", "X");
    check_problem("p :- (q, ).", "E125", ")");
    check_problem("p :- not.", "E125", ".");
    check_problem("p(a b).", "E126", "b");
    check_problem("p :- (q ; r.", "E126", ".");
    check_problem("X.", "E127", "X");
    check_problem("p(a, ).", "E127", ")");
    check_problem(":- q.", "E127", ":-");
    check_problem("p(NewX) :- q(NewX, Newx).", "E128", "Newx");
    check_problem("p :- distinct(a).", "E112", "distinct(a)");
    check_problem("p :- distinct().", "E112", "distinct()");
    check_problem("p :- '<='(q).", "E117", "'<='");
    check_problem("'<='(p, q).", "E117", "'<='");
}

#[test]
fn unknown_characters_leave_the_rest_readable() {
    let (rules, problems) = parse("p(a). q(b] ). \"r. s.", &Limits::default());
    let codes: Vec<_> = problems.iter().map(|p| p.code).collect();
    assert_eq!(codes, ["E120", "E120"]);
    assert_eq!(print::rules(&rules, Syntax::Prolog), "p(a).\nq(b).\nr.\ns.\n");
}

#[test]
fn a_clause_with_a_problem_is_left_out_and_the_others_kept() {
    let (rules, problems) = parse("p. q(. r :- s t. u.", &Limits::default());
    assert_eq!(problems.len(), 2);
    assert_eq!(print::rules(&rules, Syntax::Prolog), "p.\nu.\n");
}

#[test]
fn limits_are_those_of_kif() {
    let limits = Limits { max_nesting: 3, max_symbol: 4, ..Limits::default() };
    let code = |text: &str| parse(text, &limits).1.first().map(|p| p.code);
    assert_eq!(code("p(f(g(a)))."), None);
    assert_eq!(code("p(f(g(h(a))))."), Some("E103"));
    assert_eq!(code("p :- q(f(a))."), None);
    assert_eq!(code("p :- q(f(g(a)))."), Some("E103"));
    // `(<= p (or (and (a)) c))`: four levels without a single parenthesis around them.
    assert_eq!(code("p :- a(), b ; c."), Some("E103"));
    assert_eq!(code("abcd('a\\'cd', Abc)."), None);
    assert_eq!(code("abcde."), Some("E104"));
    assert_eq!(code("'abcde'."), Some("E104"));
    assert_eq!(code("p(Abcd)."), Some("E104"));
}

#[test]
fn hostile_nesting_is_survived() {
    for text in [
        "p(".repeat(100_000),
        format!("p :- {}", "(".repeat(100_000)),
        format!("p :- {}", "not ".repeat(100_000)),
    ] {
        let (_, problems) = parse(&text, &Limits::default());
        assert_eq!(problems[0].code, "E103");
    }
}

#[test]
fn names_are_plain_symbolic_or_quoted() {
    check("++(1, 'X', 'it''s', 'a\\'b\\\\', =<, a_B).", "(++ 1 X it's a'b\\ =< a_B)");
    check("'quoted'('1/2', '<=', not, or).", "(quoted 1/2 <= not or)");
    check("größe(ß, 1a).", "(größe ß 1a)");
}

#[test]
fn names_compare_without_case() {
    check(
        "p(whiteKing). p(whiteking, 'WhiteKing'). pQ(X) :- pq(x).",
        "(p whiteKing)\n(p whiteKing whiteKing)\n(<= (pQ ?x) (pQ x))",
    );
    check("'ROLE'(a). p :- 'Or'(a, b), nOT c.", "(role a)\n(<= p (or a b) (not c))");
}

#[test]
fn variables_keep_their_spelling_but_for_the_first_letter() {
    check("p(X, NewX, _x, X_1, Éa).", "(p ?x ?newX ?_x ?x_1 ?éa)");
    check("p(NewX). p(Newx).", "(p ?newX)\n(p ?newX)");
}

#[test]
fn each_underscore_is_a_variable_of_its_own() {
    check("p(_, _) :- q(_, X).\nq(_).", "(<= (p ?_1 ?_2) (q ?_3 ?x))\n(q ?_1)");
    check("p(_, _1, _3) :- q(_, _).", "(<= (p ?_2 ?_1 ?_3) (q ?_4 ?_5))");
}

#[test]
fn conditions_bind_as_in_prolog() {
    check("p :- a, b ; c.", "(<= p (or (and a b) c))");
    check("p :- a, (b ; c, d).", "(<= p a (or b (and c d)))");
    check("p :- (a, b).", "(<= p (and a b))");
    check("p :- ((a)), b.", "(<= p a b)");
    check("p :- (a, b), c ; and(d) | (e, f).", "(<= p (or (and (and a b) c) (and d) (and e f)))");
    check(
        "p :- not a, \\+ b, not(c), not (d, e), not not f.",
        "(<= p (not a) (not b) (not c) (not (and d e)) (not (not f)))",
    );
    check("p :- (not a ; b).", "(<= p (or (not a) b))");
    check("p <= a.", "(<= p a)");
}

#[test]
fn what_only_kif_says_can_be_spelled() {
    check("p :- .", "(<= p)");
    check("open. open(). p(open, open()).", "open\n(open)\n(p open (open))");
    check(
        "p :- or(), and(), or(a), and((a, b)), or(or(a, b), c).",
        "(<= p (or) (and) (or a) (and (and a b)) (or (or a b) c))",
    );
    check(
        "p :- 'not', or, 'not'(a), 'or'(a, b). 'not'(a). or(b).",
        "(<= p not or (not a) (or a b))\n(not a)\n(or b)",
    );
}

#[test]
fn comments_of_both_kinds_are_kept() {
    let text = "\u{feff}% top\r\n\r\n/* one\n   two\n\n*/ p. % end\n/**/ q /*/ odd */.";
    let (rules, problems) = parse(text, &Limits::default());
    assert_eq!(problems, []);
    let comments: Vec<_> =
        rules.comments.iter().map(|c| (&*c.text, c.trailing, c.gap_before)).collect();
    let expect = [
        (" top", false, false),
        (" one", false, true),
        (" two", false, false),
        ("", false, false),
        (" end", true, false),
        (" / odd", true, false),
    ];
    assert_eq!(comments, expect);
}

/// The layout of the listings in the thesis (Figure 2.1): blanks inside and before parentheses,
/// several facts on a line, conditions on the line of the head or below.
#[test]
fn the_layout_of_the_thesis_is_read() {
    let text = "role( left ). role( right ).\n\
        init(spot(a,1, free )). init( turn ( left )).\n\n\
        legal (P, take(X,Y)) :-\n\
        true( turn (P)), true(spot(X,Y,free )).\n\
        legal (P,noop) :- role(P), not true( turn (P)).\n\
        next(spot(M,N,S)) :- true(spot(M,N,S)),\n\
        does(P,take(X,Y)), distinct (X,M).\n\
        terminal :- not open.\n\
        goal(left ,100) :- row(x).\n";
    check(
        text,
        "(role left)\n(role right)\n(init (spot a 1 free))\n(init (turn left))\n\
         (<= (legal ?p (take ?x ?y)) (true (turn ?p)) (true (spot ?x ?y free)))\n\
         (<= (legal ?p noop) (role ?p) (not (true (turn ?p))))\n\
         (<= (next (spot ?m ?n ?s)) (true (spot ?m ?n ?s)) (does ?p (take ?x ?y)) (distinct ?x ?m))\n\
         (<= terminal (not open))\n\
         (<= (goal left 100) (row x))",
    );
    assert_eq!(crate::detect_syntax(text), Syntax::Prolog);
}

#[test]
fn many_anonymous_variables_take_linear_time() {
    let text = format!("p({}_).", "_, ".repeat(300_000));
    let (rules, problems) = parse(&text, &Limits::default());
    assert_eq!(problems, []);
    assert_eq!(rules.clauses[0].head.args.len(), 300_001);
}
