//! Fuzzy evaluation: the examples of thesis §5 and §6.4, bad input, and agreement of the incremental evaluator
//! with values computed anew.

use evaluate::{Combination, Evaluation, NEUTRAL, Options, Parameters};
use game::playout::{Random, random_joint_move};
use game::{Budget, Deadline, Evaluator, Game, Goals, Machine, Role, State};

fn plain() -> Options {
    Options { selections: Vec::new(), ..Options::default() }
}

fn of(text: &str, options: &Options) -> (Game, Evaluation) {
    let game = Game::from_text(text).expect("a sound sheet");
    let program = game.ground(&Budget::default()).expect("small");
    let evaluation = Evaluation::ground(&game, &program, options, &Deadline::never());
    (game, evaluation)
}

fn library(name: &str, options: &Options) -> (Game, Evaluation) {
    of(library::find(name).expect("in the library").rules, options)
}

fn state(game: &Game, texts: &[&str]) -> State {
    let universe = game.universe();
    texts.iter().map(|text| universe.fluent(&universe.parse(text).expect("a term"))).collect()
}

fn values(evaluation: &Evaluation, game: &Game, state: &State) -> Vec<f64> {
    let mut values = vec![0.0; game.roles().len()];
    evaluation.evaluator().evaluate(state, &mut values);
    values
}

/// The slides, 51: three, two and four literals of the goal are true after a mark on corner, edge and centre.
#[test]
fn marks_on_corner_edge_and_centre_make_three_two_and_four_literals_true() {
    let (game, evaluation) = library("tictactoe", &plain());
    let mut evaluator = evaluation.evaluator();
    for (mark, literals) in [("(cell a 1 x)", 3), ("(cell a 2 x)", 2), ("(cell b 2 x)", 4)] {
        let state = state(&game, &[mark]);
        assert_eq!(evaluator.true_literals(&state, Role(0), 100), literals, "{mark}");
    }
}

/// Thesis §6.4.1: plain atoms do not tell an open row from a blocked one, distances do.
#[test]
fn only_distances_tell_an_open_row_from_a_blocked_one() {
    // Every other line of x is blocked in both states alike.
    let others = ["(cell a 1 x)", "(cell b 1 x)", "(cell a 2 o)", "(cell b 2 o)", "(cell b 3 o)"];
    let with = |game: &Game, corner: &str| state(game, &[&others[..], &[corner]].concat());
    let (game, evaluation) = library("tictactoe", &Options::default());
    let open = values(&evaluation, &game, &with(&game, "(cell c 1 blank)"))[0];
    let blocked = values(&evaluation, &game, &with(&game, "(cell c 1 o)"))[0];
    assert!(open > blocked, "{open} {blocked}");
}

/// Thesis §6.4.2: advanced pawns are better, and a pawn in the centre better than one at the edge.
#[test]
fn pawns_of_breakthrough_are_worth_more_ahead_and_in_the_centre() {
    let (game, evaluation) = library("breakthrough", &Options::default());
    let with = |cell: &str| {
        let pawn = format!("(cellholds {cell} black)");
        let state = state(&game, &[&pawn, "(cellholds 4 2 white)", "(control white)"]);
        values(&evaluation, &game, &state)[1]
    };
    assert!(with("4 4") > with("4 5") && with("4 5") > with("4 6"));
    assert!(with("4 5") > with("1 5") && with("4 5") > with("8 5"));
    let (game, plain) = library("breakthrough", &plain());
    let value = |cell: &str| {
        let pawn = format!("(cellholds {cell} black)");
        let state = state(&game, &[&pawn, "(cellholds 4 2 white)", "(control white)"]);
        values(&plain, &game, &state)[1]
    };
    assert!((value("4 4") - value("4 6")).abs() < 1e-12);
}

/// Thesis §5.3: the racing game; the nearer to the last square, the better.
#[test]
fn the_racing_game_is_better_the_nearer_the_last_square_is() {
    let (game, evaluation) = library("racing_game", &Options::default());
    let at = |square: u32| {
        let state = state(&game, &[&format!("(square {square})"), "(step 2)"]);
        values(&evaluation, &game, &state)[0]
    };
    assert!(at(9) > at(6) && at(6) > at(3), "{} {} {}", at(9), at(6), at(3));
    assert!(at(10) > 50.0 && at(9) < 50.0);
}

/// Theorem 5.1 for whole goals: where the goal of a role holds, its part is above 0.5, else below.
#[test]
fn goals_that_hold_are_above_one_half_in_random_play_of_the_library() {
    let stride = if std::env::var_os("FLUXION_STEPS").is_some() { 1 } else { 11 };
    for entry in library::games().iter().step_by(stride) {
        for options in [plain(), Options::default()] {
            let (game, evaluation) = of(entry.rules, &options);
            let mut evaluator = evaluation.evaluator();
            let mut machine = game.interpreter();
            let mut random = Random::new(9);
            let mut current = machine.initial().expect("an initial state");
            for step in 0..10 {
                for role in game.role_ids() {
                    let explained = evaluator.explain(&current, role, 0);
                    let Goals::One(goal) = machine.goal(&current, role).expect("answered") else {
                        continue;
                    };
                    assert!((0.0..=100.0).contains(&explained.value), "{}", entry.name);
                    for part in explained.goals.iter().filter(|part| part.formula.is_some()) {
                        let holds = part.goal == goal.0;
                        let place = format!("{} step {step} goal {}", entry.name, part.goal);
                        assert_eq!(part.holds, holds, "{place}");
                        assert_eq!(part.degree > 0.5, holds, "{place}: {}", part.degree);
                    }
                }
                let over = machine.is_terminal(&current).expect("answered");
                let joint = random_joint_move(&mut machine, &current, &mut random);
                let Some(joint) = joint.expect("answered").filter(|_| !over) else { break };
                current = machine.next(&current, &joint).expect("answered");
            }
        }
    }
}

/// The incremental evaluator gives the same values whatever it saw before.
#[test]
fn values_do_not_depend_on_the_states_seen_before() {
    for name in ["tictactoe", "connect_four", "breakthrough", "hanoi", "pentago"] {
        let (game, evaluation) = library(name, &Options::default());
        let mut evaluator = evaluation.evaluator();
        let mut machine = game.interpreter();
        let mut random = Random::new(17);
        let mut current = machine.initial().expect("an initial state");
        for _ in 0..25 {
            let mut seen = vec![0.0; game.roles().len()];
            evaluator.evaluate(&current, &mut seen);
            assert_eq!(seen, values(&evaluation, &game, &current), "{name}");
            let over = machine.is_terminal(&current).expect("answered");
            let joint = random_joint_move(&mut machine, &current, &mut random).expect("answered");
            current = match joint.filter(|_| !over) {
                Some(joint) => machine.next(&current, &joint).expect("answered"),
                None => machine.initial().expect("an initial state"),
            };
        }
    }
}

/// All norms and combinations can be chosen, and order positions of tic-tac-toe alike.
#[test]
fn other_norms_and_combinations_agree_that_two_marks_are_better_than_one() {
    let yager = Parameters::default();
    let choices = [
        yager,
        Parameters::product(),
        Parameters::product().with_threshold(0.55),
        Parameters { combination: Combination::ProductSum, ..yager },
        Parameters { combination: Combination::ProductSum, ..Parameters::product() },
    ];
    for parameters in choices {
        let (game, evaluation) = library("tictactoe", &Options { parameters, ..plain() });
        let one = values(&evaluation, &game, &state(&game, &["(cell a 1 x)"]))[0];
        let two = values(&evaluation, &game, &state(&game, &["(cell a 1 x)", "(cell b 2 x)"]))[0];
        assert!(two > one, "{parameters:?}");
    }
}

/// Games about which nothing can be said have a neutral value and a note.
#[test]
fn goals_that_say_nothing_give_a_neutral_value_and_a_note() {
    let frame = "(role r) (role q) (init a) (legal r go) (legal q go) (<= (next b) (true a))
                 (<= terminal (true b))";
    for goals in [
        "",
        "(goal r 100) (goal q 0)",
        "(<= (goal r 0) (true a)) (<= (goal q 0) (true a))",
        "(<= (goal r many) (true a))",
        "(<= (goal r 100) (true never)) (<= (goal q 100) (distinct a a))",
    ] {
        let text = format!("{frame} {goals}");
        let (rules, _) = gdl::parse(&text, &gdl::Limits::default());
        let game = Game::new(rules).expect("playable");
        let program = game.ground(&Budget::default()).expect("small");
        let options = Options::default();
        let evaluation = Evaluation::ground(&game, &program, &options, &Deadline::never());
        for fluents in [vec!["a"], vec!["b"], vec![]] {
            let found = values(&evaluation, &game, &state(&game, &fluents));
            assert_eq!(found, [NEUTRAL, NEUTRAL], "{goals}");
        }
        assert!(!evaluation.notes().is_empty(), "{goals}");
    }
}

/// Recursive goals are atoms (thesis Eq. 5.5), and fluents may have function arguments.
#[test]
fn recursive_goals_are_evaluated_as_atoms() {
    let (game, evaluation) = of(
        "(role r) (init (at (p a))) (init (link a b)) (edge b c)
         (<= (path ?x ?y) (true (link ?x ?y)))
         (<= (path ?x ?z) (path ?x ?y) (joined ?y ?z))
         (<= (joined ?x ?y) (true (link ?x ?y)))
         (legal r (join b c)) (legal r wait)
         (<= (next (link ?x ?y)) (does r (join ?x ?y)))
         (<= (next (link ?x ?y)) (true (link ?x ?y)))
         (<= (next (at (p a))) (true (at (p a))))
         (<= terminal (path a c)) (<= (goal r 100) (path a c) (true (at (p a))))
         (<= (goal r 0) (not (path a c)))",
        &Options::default(),
    );
    let value = |fluents: &[&str]| values(&evaluation, &game, &state(&game, fluents))[0];
    let before = value(&["(link a b)", "(at (p a))"]);
    let after = value(&["(link a b)", "(link b c)", "(at (p a))"]);
    assert!(before < 50.0 && after > 50.0, "{before} {after}");
    assert!(value(&["(link b c)", "(at (p a))"]) < 50.0);
}

/// A formula that is too large is cut, and the analysis says so.
#[test]
fn formulas_that_are_too_large_are_cut_with_a_note() {
    let options = Options { most_conditions: 20, ..plain() };
    let (game, evaluation) = library("tictactoe", &options);
    assert!(evaluation.notes().iter().any(|note| note.contains("more than 20 conditions")));
    let found = values(&evaluation, &game, &State::new());
    assert!(found.iter().all(|value| value.is_finite()));
}
