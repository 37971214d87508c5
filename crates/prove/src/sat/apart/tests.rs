//! Puzzles that fall into parts, and plans for them.

use std::fmt::Write as _;

use game::{Budget, Game};

use super::*;

/// Rules of a walk on a ring of so many places, by one or by seven; moves are given by `does`, with `?d` for the way.
fn ring(name: &str, size: usize, legal: &str, does: &str) -> String {
    let mut text = format!("(init (at {name} 0))");
    for from in 0..size {
        let _ = write!(text, "(to {name} one {from} {}) ", (from + 1) % size);
        let _ = write!(text, "(to {name} seven {from} {}) ", (from + 7) % size);
    }
    text + &format!(
        "(<= (next (at {name} ?y)) (does r {does}) (true (at {name} ?x)) (to {name} ?d ?x ?y))
        (<= (moved {name}) (does r {does}) (way ?d))
        (<= (next (at {name} ?x)) (true (at {name} ?x)) (not (moved {name}))) {legal}"
    )
}

const COMMON: &str = "(role r) (way one) (way seven) ";

fn gates(rules: &str) -> Gates {
    let game = Game::from_text(rules).expect("valid");
    Gates::build(&game, &Budget::default()).expect("small")
}

fn factors(rules: &str) -> Option<Factors> {
    let gates = gates(rules);
    let model = Model::new(&gates).expect("sound");
    Factors::new(&gates, &model, &Deadline::never())
}

/// The length of a plan that is found with at most so many states of a part.
fn found(rules: &str, most: usize) -> Option<usize> {
    let gates = gates(rules);
    let model = Model::new(&gates).expect("sound");
    let state = gates.machine().initial().expect("small");
    let values: Vec<Option<u8>> = gates.program().goals[0]
        .iter()
        .map(|(term, _)| term.to_text(gates.game().universe().symbols()).parse().ok())
        .collect();
    let wish = Wish { values: &values, least: 100, longest: 1000 };
    let deadline = Deadline::never();
    let (memory, state, model) = (1 << 30, &state, &model);
    let groups = &[][..];
    let question =
        Question { gates: &gates, model, state, wish, groups, memory, deadline: &deadline };
    let moves = Apart::default().look(&question, most);
    moves.map(|moves| moves.len())
}

const BOTH: &str = "(<= terminal (true (at a 100)) (true (at b 90)))
    (<= (goal r 100) (true (at a 100)) (true (at b 90)))
    (<= (goal r 0) (not (true (at a 100)))) (<= (goal r 0) (not (true (at b 90))))";

/// Two rings, of which each move goes on in one.
fn in_turn() -> String {
    let legal = |name: &str| format!("(<= (legal r (go {name} ?d)) (way ?d))");
    COMMON.to_owned()
        + &ring("a", 150, &legal("a"), "(go a ?d)")
        + &ring("b", 150, &legal("b"), "(go b ?d)")
        + BOTH
}

#[test]
fn boards_of_which_each_move_touches_one_are_planned_apart() {
    let factors = factors(&in_turn()).expect("parts");
    assert_eq!((factors.parts.len(), factors.together), (2, false));
    assert!(factors.parts.iter().all(|part| part.fluents.len() == 150 && part.follows.is_empty()));
    // 14 times seven and 2 times one; 12 times seven and 6 times one. Together there are 22,500 states.
    assert_eq!(found(&in_turn(), 400), Some(16 + 18));
}

#[test]
fn boards_that_are_moved_on_together_get_plans_side_by_side() {
    let legal = "(<= (legal r (go ?d ?e)) (way ?d) (way ?e)) (to a rest 100 100) (to b rest 90 90)
        (way rest)";
    let rules = COMMON.to_owned()
        + &ring("a", 150, legal, "(go ?d ?e)")
        + &ring("b", 150, "", "(go ?e ?d)")
        + BOTH;
    let factors = factors(&rules).expect("parts");
    assert_eq!((factors.parts.len(), factors.together), (2, true));
    assert_eq!(factors.parts[0].choices[0].len(), 3);
    assert_eq!(found(&rules, 400), Some(18));
}

#[test]
fn a_board_that_waits_for_another_comes_after_it() {
    let rules = COMMON.to_owned()
        + &ring("b", 150, "(<= (legal r (go b ?d)) (way ?d) (true (at a 100)))", "(go b ?d)")
        + &ring("a", 150, "(<= (legal r (go a ?d)) (way ?d) (not (true (at a 100))))", "(go a ?d)")
        + BOTH;
    let factors = factors(&rules).expect("parts");
    assert_eq!((factors.parts.len(), factors.together), (2, false));
    assert_eq!((factors.parts[0].follows.len(), factors.parts[1].follows.clone()), (0, vec![0]));
    assert_eq!(found(&rules, 400), Some(16 + 18));
    // The goal need not mention the first.
    let end = "(<= terminal (true (at b 90))) (<= (goal r 100) (true (at b 90)))
        (<= (goal r 0) (not (true (at b 90))))";
    assert_eq!(found(&rules.replace(BOTH, end), 800), Some(16 + 18));
}

#[test]
fn a_board_that_counts_its_own_moves_is_compared_without_them() {
    let mut counter = String::from(
        "(init (made 0)) (<= (next (made ?x)) (true (made ?x)) (not (moved a)))
        (<= (next (made ?y)) (true (made ?x)) (moved a) (then ?x ?y))",
    );
    for number in 0..40 {
        let _ = write!(counter, " (then {number} {})", number + 1);
    }
    let end = "(<= terminal (true (made 39)))";
    let rules = in_turn().replace("(way seven) ", &format!("(way seven) {counter} {end}")).replace(
        "(goal r 0) (not (true (at a 100)))",
        "(goal r 0) (not (true (at a 100))) (not (true (made 39)))",
    );
    let rules = rules.replace(
        "(<= (legal r (go a ?d)) (way ?d))",
        "(<= (legal r (go a ?d)) (way ?d) (not (true (made 39))))",
    );
    let factors = factors(&rules).expect("parts");
    assert_eq!(factors.parts.iter().map(|part| part.timers.len()).max(), Some(41));
    assert_eq!(found(&rules, 400), Some(16 + 18));
}

#[test]
fn one_of_several_boards_is_enough_where_the_goal_says_so() {
    let end = "(<= won (true (at a 100))) (<= won (true (at b 90))) (<= terminal won)
        (<= (goal r 100) won) (<= (goal r 0) (not won))";
    let length = found(&in_turn().replace(BOTH, end), 400);
    assert!(length == Some(16) || length == Some(18), "{length:?}");
}

#[test]
fn what_hangs_together_is_not_divided() {
    for name in ["eight_puzzle", "peg_solitaire", "blocks_world"] {
        let rules = library::find(name).expect("a library game").rules;
        assert!(factors(rules).is_none(), "{name}");
    }
    // A wall between the boards: none may move on past 5 unless the other is at 0.
    let legal = |name: &str, other: &str| {
        format!("(<= (legal r (go {name} ?d)) (way ?d) (true (at {other} 0)))")
    };
    let rules = COMMON.to_owned()
        + &ring("a", 9, &legal("a", "b"), "(go a ?d)")
        + &ring("b", 9, &legal("b", "a"), "(go b ?d)")
        + BOTH;
    assert!(factors(&rules).is_none());
}

#[test]
fn boards_of_several_roles_are_told_apart() {
    for name in ["nim_3_4_5", "nim_12_12_20_20"] {
        let rules = library::find(name).expect("a library game").rules;
        assert!(factors(rules).is_some_and(|factors| factors.parts.len() > 1), "{name}");
    }
}
