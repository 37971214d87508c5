//! `fluxion eval`: values of positions, explanations, moves that are wrong.

use crate::{SMALL, file, fluxion};

/// The value of the first role.
fn value(args: &[&str]) -> f64 {
    let run = fluxion(&[args, &["--json"]].concat()).expect(0);
    run.json()["roles"][0]["value"].as_f64().expect("a number")
}

#[test]
fn a_mark_in_the_centre_is_worth_more_than_one_at_an_edge() {
    for by in ["distance", "ground"] {
        let after = |moves: &str| value(&["eval", "tictactoe", "--by", by, "--moves", moves]);
        assert!(after("(mark b 2)") > after("(mark a 2)"), "{by}");
    }
}

#[test]
fn the_conditions_of_a_goal_are_told_with_their_degrees() {
    let run = fluxion(&["eval", "tictactoe", "--moves", "(mark b 2); noop (mark a 1)"]).expect(0);
    assert!(run.out.contains("after 2 moves") && run.out.contains("xplayer: "), "{run:?}");
    assert!(run.out.contains("+ 0.7500 (cell b 2 x)"), "{run:?}");
    let run = fluxion(&["eval", "othello", "--by", "basic"]).expect(0);
    assert!(run.out.contains("compared"), "{run:?}");
}

#[test]
fn moves_that_are_not_legal_or_not_clear_are_refused() {
    for (moves, why) in [
        ("(mark b 9)", "no move of this game"),
        ("(mark b 2); (mark b 2)", "not legal for any role"),
        ("(mark b 2) (mark b 1)", "not legal for oplayer"),
        ("a b c", "3 moves for 2 roles"),
        ("((", "no move of this game"),
    ] {
        let run = fluxion(&["eval", "tictactoe", "--moves", moves]).expect(2);
        assert!(run.err.contains(why), "{moves}: {run:?}");
    }
}

#[test]
fn a_game_without_goals_has_a_neutral_value_and_a_note() {
    let sheet = SMALL.replace("(goal you 100)", "(prize 100)").replace("(goal you 0)", "(prize 0)");
    let game = file("eval-no-goals.kif", sheet);
    let run = fluxion(&["eval", &game, "--json"]);
    if run.code == Some(0) {
        let report = run.json();
        assert_eq!(report["roles"][0]["value"], 50.0);
        assert!(!report["notes"].as_array().expect("a list").is_empty());
    } else {
        assert!(run.err.contains("goal"), "{run:?}");
    }
}
