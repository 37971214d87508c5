//! The language of properties: what is read, what is refused, what comes back.

use game::Game;
use prove::{Vocabulary, language};

const GAME: &str = "(role white) (role black) (init (control white)) (init (cell 1 1 b)) (init (cell 1 2 b))
    (init (step 1)) (init flag) (succ 1 2) (succ 2 3)
    (<= (legal ?r (mark ?x ?y)) (true (control ?r)) (true (cell ?x ?y b)))
    (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
    (<= (next (control black)) (true (control white))) (<= (next (control white)) (true (control black)))
    (<= (next (cell ?x ?y ?r)) (does ?r (mark ?x ?y)))
    (<= (marked ?x ?y) (does ?r (mark ?x ?y)))
    (<= (next (cell ?x ?y ?c)) (true (cell ?x ?y ?c)) (not (marked ?x ?y)))
    (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
    (<= (next flag) (true flag))
    (<= open (true (cell ?x ?y b)))
    (<= terminal (not open))
    (<= (goal white 100) (not open)) (<= (goal white 0) open) (<= (goal black 0) (role black))";

fn vocabulary() -> Vocabulary {
    Vocabulary::new(&Game::from_text(GAME).expect("valid"))
}

#[test]
fn properties_are_printed_as_they_are_read() {
    let vocabulary = vocabulary();
    for text in [
        "exactly 1 X: control(X)",
        "forall X,Y: at most 1 Z: cell(X,Y,Z)",
        "forall R: not terminal implies (exists M: legal(R,M)) or open",
        "forall V,W: terminal and goal(white,V) and goal(black,W) implies V + W = 100",
        "forall X,Y: cell(X,Y,white) implies next(cell(X,Y,white))",
        "between 1 and 2 X: step(X) or step(X) and not flag",
        "flag iff open iff not (flag iff open)",
        "at least 2 X,Y: cell(X,Y,b) and X != Y",
        "(flag implies open) implies flag implies open",
        "not (forall X: step(X)) and true",
        "forall X: succ(1,X) implies X = 2",
    ] {
        let property = language::parse(text, &vocabulary).expect(text);
        let printed = property.to_text(&vocabulary.game.program().symbols);
        assert_eq!(printed, text);
        assert_eq!(language::parse(&printed, &vocabulary).as_ref(), Ok(&property));
    }
}

#[test]
fn other_spellings_mean_the_same() {
    let vocabulary = vocabulary();
    let same = [
        ("true(flag)", "flag"),
        ("FLAG => Open", "flag implies open"),
        ("flag & open | flag", "flag and open or flag"),
        ("'flag' <=> open % a remark", "flag iff open"),
        ("exists X: true(step(X))", "at least 1 X: step(X)"),
    ];
    for (one, other) in same {
        assert_eq!(language::parse(one, &vocabulary), language::parse(other, &vocabulary), "{one}");
    }
}

#[test]
fn fluents_may_be_called_like_words_of_the_language() {
    let text = "(role white) (init (at 1 2)) (init (exactly 1)) (init (most 1)) (init at)
        (legal white wait)
        (<= (next (at ?x ?y)) (true (at ?x ?y))) (<= (next (exactly ?x)) (true (exactly ?x)))
        (<= terminal (true (at 1 1))) (goal white 0)";
    let vocabulary = Vocabulary::new(&Game::from_text(text).expect("valid"));
    for (one, other) in [
        ("forall X: at most 1 Y: at(X,Y)", "forall X: at most 1 Y: 'at'(X,Y)"),
        ("at(1,2) and at", "'at'(1,2) and 'at'"),
        ("exactly 1 X: exactly(X)", "exactly 1 X: 'exactly'(X)"),
        ("at least 1 X: most(X)", "at least 1 X: 'most'(X)"),
    ] {
        let property = language::parse(one, &vocabulary).expect(one);
        assert_eq!(language::parse(other, &vocabulary).as_ref(), Ok(&property));
        let printed = property.to_text(&vocabulary.game.program().symbols);
        assert_eq!(language::parse(&printed, &vocabulary), Ok(property));
    }
    assert!(language::parse("at 1 X: most(X)", &vocabulary).is_err());
    assert!(language::parse("at most X: most(X)", &vocabulary).is_err());
}

#[test]
fn what_is_wrong_is_said_at_its_place() {
    let vocabulary = vocabulary();
    let problems = [
        ("exactly 1 X: kontrol(X)", 13..23, "the game has no name `kontrol`"),
        ("forall X: white(X)", 10..18, "`white` is neither a fluent nor a relation"),
        ("forall X: cell(X,X)", 10..19, "`cell` takes 3 arguments, not 2"),
        ("forall X,Y: marked(X,Y)", 12..23, "`marked` depends on `does`"),
        ("does(white,noop)", 0..16, "`does` is not part of a state"),
        ("control(X)", 8..9, "the game has no name `X`"),
        ("forall X,X: step(X)", 9..10, "`X` is bound twice"),
        ("exactly X: step(X)", 8..9, "expected a number, found `X`"),
        ("between 3 and 1 X: step(X)", 10..16, "no number is between 3 and 1"),
        ("(flag and open", 14..14, "expected `)`, found the end"),
        ("flag open", 5..9, "expected the end of the property, found `open`"),
        ("next(next(flag))", 5..9, "`next` inside `next`"),
        ("'flag", 0..1, "this quote is never closed"),
        ("", 0..0, "expected a fluent, a relation or a quantifier, found the end"),
        ("flag \"", 5..6, "a `\"` means nothing here"),
        ("1 + 2", 5..5, "expected a comparison (`=`, `!=`, `<`, `<=`, `>`, `>=`), found the end"),
    ];
    for (text, span, message) in problems {
        let problem = language::parse(text, &vocabulary).expect_err(text);
        let start = problem.message.starts_with(message);
        assert!(start, "{text}: {problem}");
        assert_eq!(problem.span.start, span.start, "{text}: {problem}");
    }
    let free = language::parse("control(X)", &vocabulary).expect_err("unbound");
    assert!(free.hint.expect("helps").contains("forall X"));
}

#[test]
fn deep_nesting_is_refused_not_a_crash() {
    let vocabulary = vocabulary();
    for open in ["(", "not ", "flag => ", "next(", "exists X: ", "cell("] {
        let text = open.repeat(100_000);
        assert!(language::parse(&text, &vocabulary).is_err(), "{open}");
    }
}
