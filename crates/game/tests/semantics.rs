//! Small rule sheets whose meaning is plain: goals, recursion, negation, roles, parentheses.

use game::{Game, Goal, Goals, JointMove, Machine, Move, State};

fn game(text: &str) -> Game {
    let (rules, problems) = gdl::parse(text, &gdl::Limits::default());
    assert!(problems.is_empty(), "{problems:?}");
    Game::new(rules).expect("can be played")
}

/// The legal moves of each role in the initial state, as text.
fn legal(text: &str) -> Vec<Vec<String>> {
    let game = game(text);
    let mut machine = game.interpreter();
    let state = machine.initial().expect("bounded");
    let mut all = Vec::new();
    for role in game.role_ids() {
        let mut moves: Vec<Move> = Vec::new();
        machine.legal_moves(&state, role, &mut moves).expect("bounded");
        let text = |action: &Move| game.universe().move_entry(*action).text.to_string();
        all.push(moves.iter().map(text).collect());
    }
    all
}

fn goals(text: &str) -> Vec<Goals> {
    let game = game(text);
    let mut machine = game.interpreter();
    let state = machine.initial().expect("bounded");
    game.role_ids().map(|role| machine.goal(&state, role).expect("bounded")).collect()
}

fn undefined(values: &[&str]) -> Goals {
    Goals::Undefined(values.iter().map(ToString::to_string).collect())
}

#[test]
fn a_goal_is_defined_if_it_is_one_integer_from_0_to_100() {
    let check = |rules: &str, expected: Goals| {
        assert_eq!(goals(&format!("(role r) (init a) {rules}")), [expected], "{rules}");
    };
    check("(goal r 0)", Goals::One(Goal(0)));
    check("(goal r 100)", Goals::One(Goal(100)));
    check("(goal r 50) (<= (goal r 50) (true a))", Goals::One(Goal(50)));
    check("", undefined(&[]));
    check("(goal other 50)", undefined(&[]));
    check("(goal r 50) (<= (goal r 20) (true a))", undefined(&["20", "50"]));
    check("(goal r 50) (<= (goal r 20) (true b))", Goals::One(Goal(50)));
    check("(goal r 101)", undefined(&["101"]));
    check("(goal r -1)", undefined(&["-1"]));
    check("(goal r +7)", undefined(&["+7"]));
    check("(goal r high)", undefined(&["high"]));
    check("(goal r (of 3))", undefined(&["(of 3)"]));
}

#[test]
fn goals_that_exclude_each_other_by_negation_are_decided() {
    let rules = "(role r) (role s) (init a)
        (<= (goal ?p 0) (role ?p) (true (lost ?p)))
        (<= (goal ?p 100) (role ?p) (not (goal ?p 0)))
        (init (lost s))";
    assert_eq!(goals(rules), [Goals::One(Goal(100)), Goals::One(Goal(0))]);
}

const EDGES: &str = "(role r) (init x) (e a b) (e b c) (e c d) (e d b) (e z a)";

fn reached(rules: &str) -> Vec<String> {
    let show = "(<= (legal r (to ?y)) (path a ?y))";
    legal(&[EDGES, rules, show].concat()).remove(0)
}

#[test]
fn transitive_closure_is_the_same_however_it_is_written() {
    let expected = ["(to b)", "(to c)", "(to d)"];
    let base = "(<= (path ?x ?y) (e ?x ?y))";
    for step in [
        "(<= (path ?x ?z) (e ?x ?y) (path ?y ?z))",
        "(<= (path ?x ?z) (path ?x ?y) (e ?y ?z))",
        "(<= (path ?x ?z) (path ?y ?z) (e ?x ?y))",
        "(<= (path ?x ?z) (path ?x ?y) (path ?y ?z))",
        "(<= (path ?x ?z) (other ?x ?z)) (<= (other ?x ?z) (e ?x ?y) (path ?y ?z))",
    ] {
        assert_eq!(reached(&[base, step].concat()), expected, "{step}");
        assert_eq!(reached(&[step, base].concat()), expected, "{step} first");
    }
}

#[test]
fn mutual_recursion_reaches_its_fixpoint() {
    let rules = "(role r) (init x) (zero 0) (s 0 1) (s 1 2) (s 2 3) (s 3 4) (s 4 5)
        (<= (even ?x) (zero ?x))
        (<= (even ?y) (s ?x ?y) (odd ?x))
        (<= (odd ?y) (s ?x ?y) (even ?x))
        (<= (legal r (even ?x)) (even ?x))
        (<= (legal r (odd ?x)) (odd ?x))";
    let expected = ["(even 0)", "(even 2)", "(even 4)", "(odd 1)", "(odd 3)", "(odd 5)"];
    assert_eq!(legal(rules), [expected]);
}

#[test]
fn negation_sees_the_finished_relation() {
    let rules = "(<= (path ?x ?y) (e ?x ?y)) (<= (path ?x ?z) (path ?x ?y) (e ?y ?z))
        (node a) (node b) (node z)
        (<= (legal r ?x) (node ?x) (not (path ?x a)))";
    assert_eq!(legal(&[EDGES, rules].concat()), [["a", "b"]]);
}

#[test]
fn a_role_may_be_a_variable() {
    let rules = "(role r) (role s) (init (turn s))
        (<= (legal ?p go) (true (turn ?p)))
        (<= (legal ?p wait) (role ?p) (not (true (turn ?p))))
        (<= (legal ?p (greet ?q)) (role ?p) (role ?q) (distinct ?p ?q))
        (legal stranger pass)";
    assert_eq!(legal(rules), [["(greet s)", "wait"], ["(greet r)", "go"]]);
}

#[test]
fn parentheses_around_a_bare_name_make_another_name() {
    let rules = "(role r) (init (open)) (init shut) (door)
        (<= (legal r a) (true (open))) (<= (legal r b) (true open))
        (<= (legal r c) (true shut)) (<= (legal r d) (true (shut)))
        (<= (legal r e) (door)) (<= (legal r f) door)";
    assert_eq!(legal(rules), [["a", "c", "e"]]);
}

#[test]
fn names_compare_without_case_and_keep_their_first_spelling() {
    let rules = "(role Red) (init (Cell A)) (<= (LEGAL red (Take ?x)) (TRUE (cell ?x)))";
    assert_eq!(legal(rules), [["(Take A)"]]);
}

#[test]
fn moves_that_are_not_done_do_not_count() {
    let rules = "(role r) (role s) (init a) (legal r x) (legal r y) (legal s x)
        (<= (next (did ?p ?m)) (does ?p ?m))
        (<= (next quiet) (not (does r y)))";
    let game = game(rules);
    let mut machine = game.interpreter();
    let state = machine.initial().expect("bounded");
    let action = |text: &str| {
        game.universe().action(&game.universe().parse(text).expect("names of the rules"))
    };
    let mut after = |moves: [&str; 2]| {
        let joint: JointMove = moves.iter().map(|text| action(text)).collect();
        game.state_texts(&machine.next(&state, &joint).expect("bounded")).join(" ")
    };
    assert_eq!(after(["x", "x"]), "(did r x) (did s x) quiet");
    assert_eq!(after(["y", "x"]), "(did r y) (did s x)");
    assert_eq!(after(["x", "x"]), "(did r x) (did s x) quiet");
}

#[test]
fn a_joint_move_needs_one_move_for_each_role() {
    let game = game("(role r) (role s) (init a) (legal r x) (legal s x) (<= (next a) (true a))");
    let mut machine = game.interpreter();
    let state = machine.initial().expect("bounded");
    assert!(machine.next(&state, &JointMove(Vec::new())).is_err());
    let mut moves = Vec::new();
    machine.legal_moves(&state, game::Role(0), &mut moves).expect("bounded");
    let joint = JointMove(vec![moves[0], moves[0]]);
    assert_eq!(machine.next(&state, &joint).expect("two roles, two moves"), state);
    assert_eq!(machine.is_terminal(&State::new()), Ok(false), "no rule for terminal");
}
