//! What the syntax hides (thesis §8.5): the same game in other words has the same symmetries.

use game::{Budget, Game, Gates};
use symmetry::{Options, Symmetries, detect};

fn symmetries(text: &str) -> Symmetries {
    let game = Game::from_text(text).expect("valid");
    let gates = Gates::build(&game, &Budget::default()).expect("a circuit");
    detect(&game, Some(&gates), &Options::default())
}

fn tictactoe() -> &'static str {
    library::find("tictactoe").expect("in the library").rules
}

fn changed(pairs: &[(&str, &str)]) -> String {
    let mut text = tictactoe().to_owned();
    for (from, to) in pairs {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    text
}

fn has_all_symmetries(text: &str, what: &str) {
    let found = symmetries(text);
    assert_eq!(found.order().value(), Some(16), "{what}");
    assert_eq!(found.state_order().value(), Some(8), "{what}");
}

#[test]
fn a_constant_renamed_to_a_function_hides_nothing() {
    has_all_symmetries(&changed(&[(" a ", " (f a) ")]), "f(a)");
    // The rule graph alone does not see it.
    let game = Game::from_text(&changed(&[(" a ", " (f a) ")])).expect("valid");
    let rules = detect(&game, None, &Options::default());
    assert!(rules.state_order().value() < Some(8));
}

#[test]
fn tautologies_and_superfluous_rules_hide_nothing() {
    for rule in [
        "(<= (p a) (distinct a a))",
        "(p a)",
        "(<= (line ?p) (line ?p) (true (cell a 1 ?p)))",
        "(<= (line x) (true (cell a 1 x)) (true (cell b 1 x)) (true (cell c 1 x)))",
        "(<= (line x) (true (cell a 1 x)) (true (cell b 1 x)) (true (cell c 1 x)) (true (cell a 2 o)))",
        "(<= terminal (line x) (true (cell a 2 o)))",
        "(<= terminal (true (cell a 1 x)) (not (true (cell a 1 x))))",
    ] {
        has_all_symmetries(&format!("{}\n{rule}", tictactoe()), rule);
    }
}

#[test]
fn lines_written_differently_hide_nothing() {
    let direct = "(<= (line ?p)
  (true (cell a 1 ?p))
  (true (cell b 2 ?p))
  (true (cell c 3 ?p)))";
    for helper in [
        "(<= (line ?p) (pair ?p) (true (cell a 1 ?p)))
         (<= (pair ?p) (true (cell b 2 ?p)) (true (cell c 3 ?p)))",
        "(<= (line x) (true (cell c 3 x)) (true (cell a 1 x)) (true (cell b 2 x)))
         (<= (line o) (not (nodiagonal o)))
         (<= (line blank) (not (nodiagonal blank)))
         (sign o) (sign blank)
         (<= (nodiagonal ?p) (sign ?p) (not (true (cell a 1 ?p))))
         (<= (nodiagonal ?p) (sign ?p) (not (true (cell b 2 ?p))))
         (<= (nodiagonal ?p) (sign ?p) (not (true (cell c 3 ?p))))",
    ] {
        has_all_symmetries(&changed(&[(direct, helper)]), helper);
    }
}

#[test]
fn the_order_of_conditions_and_of_distinct_hides_nothing() {
    let goals = changed(&[
        (
            "(<= (goal xplayer 50)\n  (not (line x))\n  (not (line o)))",
            "(<= (goal xplayer 50) (not (line o)) (not (line x)))",
        ),
        ("(distinct ?x ?m)", "(distinct ?m ?x)"),
    ]);
    has_all_symmetries(&goals, "order");
    let game = Game::from_text(&goals).expect("valid");
    assert_eq!(detect(&game, None, &Options::default()).order().value(), Some(16), "rules alone");
}

#[test]
fn a_rule_that_breaks_a_symmetry_is_noticed() {
    let broken = format!("{}\n(<= terminal (true (cell a 1 x)) (true (cell a 2 x)))", tictactoe());
    assert_eq!(symmetries(&broken).order().value(), Some(1));
    let biased =
        changed(&[("(<= (goal oplayer 0)\n  (line x))", "(<= (goal oplayer 10)\n  (line x))")]);
    let found = symmetries(&biased);
    assert_eq!((found.order().value(), found.state_order().value()), (Some(8), Some(8)));
}
