//! Rule sheets about whose states little can be said: a defined value and a note, never a number that is none.

use std::time::Duration;

use evaluate::{
    Distances, Evaluation, FluentGraph, Method, NEUTRAL, Options, Parameters, Selection,
};
use game::playout::{Random, random_joint_move};
use game::{Budget, Deadline, Evaluator, FluentId, Game, Machine, Reasoner, State};

const FRAME: &str =
    "(role r) (role q) (init a) (<= (legal ?r go) (role ?r)) (<= (next b) (true a))";

/// Goals of the role r, and whether they leave its value at 50 by every method.
const GOALS: [(&str, bool); 14] = [
    ("", true),
    // Goals that mention no fluent.
    ("(goal r 100) (goal q 0)", true),
    ("(<= (goal r 100) (distinct a b)) (<= terminal (true b))", true),
    // Goals of another role only.
    ("(<= (goal q 100) (true b)) (<= terminal (true b))", true),
    // Goals that are true everywhere, by one rule or by two.
    ("(<= (goal r 70) (or (true b) (not (true b))))", false),
    ("(goal r 70) (<= terminal (true b))", true),
    // Recursive definitions, over fluents and over nothing.
    (
        "(edge a b) (<= (way ?x) (true ?x)) (<= (way ?y) (way ?x) (edge ?x ?y)) (<= (goal r 100) (way b))",
        false,
    ),
    ("(<= odd odd) (<= (goal r 100) odd) (<= terminal (true b))", true),
    // Fluents with functions as arguments.
    (
        "(init (at (f 1 (g 2)))) (<= (next ?x) (true ?x)) (<= (goal r 100) (true (at (f 1 (g 2)))))",
        false,
    ),
    // Empty domains: no fact, and no fluent that fits.
    ("(<= (goal r 100) (true (cell ?x)) (index ?x)) (<= terminal (true b))", true),
    ("(<= (goal r 100) (true never)) (<= terminal (true never))", true),
    // No end that can be reached.
    ("(<= (goal r 100) (true b)) (<= terminal (true a) (not (true a)))", false),
    // Goal values that are no values, too large ones, and several at once.
    ("(<= (goal r many) (true b)) (<= (goal r 101) (true b)) (<= (goal r -3) (true b))", true),
    ("(<= (goal r 100) (true a)) (<= (goal r 0) (true a)) (<= (goal r 50) (true b))", false),
];

fn states(game: &Game) -> Vec<State> {
    let mut machine = game.interpreter();
    let mut random = Random::new(2);
    let mut states = vec![State::new()];
    let Ok(mut state) = machine.initial() else { return states };
    for _ in 0..4 {
        states.push(state.clone());
        let Ok(Some(joint)) = random_joint_move(&mut machine, &state, &mut random) else { break };
        let Ok(next) = machine.next(&state, &joint) else { break };
        state = next;
    }
    states
}

fn check(text: &str, evaluation: &Evaluation, states: &[State], roles: usize) -> Vec<f64> {
    let mut evaluator = evaluation.evaluator();
    let mut first = Vec::new();
    for state in states {
        let mut values = vec![f64::NAN; roles];
        evaluator.evaluate(state, &mut values);
        assert!(values.iter().all(|value| (0.0..=100.0).contains(value)), "{text}: {values:?}");
        first.push(values[0]);
    }
    first
}

#[test]
fn goals_that_tell_nothing_have_a_defined_value_and_a_note_by_every_method() {
    for (goals, neutral) in GOALS {
        let text = format!("{FRAME} {goals}");
        let (rules, _) = gdl::parse(&text, &gdl::Limits::default());
        let Ok(game) = Game::new(rules) else { panic!("not playable: {text}") };
        let reasoner = Reasoner::build(&game, &Budget::default());
        for method in Method::ALL {
            for parameters in [Parameters::default(), Parameters::product()] {
                let options = Options { parameters, ..Options::default() };
                let built = method.build(&reasoner, &options, &Deadline::never());
                let evaluation = built.expect("small enough to be ground");
                let values = check(&text, &evaluation, &states(&game), 2);
                if neutral {
                    assert!(values.iter().all(|value| (value - NEUTRAL).abs() < 1e-12), "{text}");
                    assert!(!evaluation.notes().is_empty(), "{text}");
                }
            }
        }
    }
}

/// Sheets without moves, without roles, without states, with states without end, and with thousands of goals.
#[test]
fn sheets_that_cannot_be_played_do_not_stop_the_evaluation() {
    let many: Vec<String> =
        (0..3000).map(|at| format!("(<= (goal r 100) (true (f {at})))")).collect();
    let many = many.join(" ");
    let sheets = [
        "(role r)".to_owned(),
        "(role r) (<= (goal r 100) (true a))".to_owned(),
        "(role r) (init a) (<= (goal r 100) (true a)) (<= terminal (true a))".to_owned(),
        "(role r) (init (n z)) (legal r go) (<= (next (n (s ?x))) (true (n ?x))) (<= (goal r 100) (true (n ?x)))"
            .to_owned(),
        format!("(role r) (init (f 1)) (legal r go) (<= (next (f 2)) (true (f 1))) {many}"),
    ];
    for text in sheets {
        let (rules, _) = gdl::parse(&text, &gdl::Limits::default());
        let Ok(game) = Game::new(rules) else { continue };
        let budget = Budget { max_bytes: 64 << 20, ..Budget::default() };
        let reasoner = Reasoner::build(&game, &budget);
        for method in Method::ALL {
            let deadline = Deadline::within(Duration::from_secs(20));
            let built = method.build(&reasoner, &Options::default(), &deadline);
            assert_eq!(built.is_none(), reasoner.gates().is_none());
            if let Some(evaluation) = built {
                check(&text[..text.len().min(90)], &evaluation, &states(&game), 1);
            }
        }
    }
}

/// Without time there is an evaluation too, and it says what it lacks.
#[test]
fn no_time_leaves_an_evaluation_without_distances_and_a_note() {
    let sheet = library::find("breakthrough").expect("in the library").rules;
    let game = Game::from_text(sheet).expect("sound");
    let reasoner = Reasoner::build(&game, &Budget::default());
    let now = Deadline::within(Duration::ZERO);
    let evaluation =
        Method::Distance.build(&reasoner, &Options::default(), &now).expect("the rules are ground");
    check("breakthrough", &evaluation, &states(&game), 2);
    assert!(evaluation.notes().iter().any(|note| note.contains("no time")));
    let program = reasoner.gates().expect("small").program();
    let graph = FluentGraph::build(program, Selection::Similar, &now);
    assert!(!graph.is_complete());
    let fluents: Vec<FluentId> =
        program.fluents.iter().map(|term| game.universe().fluent(term)).collect();
    let distances = Distances::build(&graph, &fluents, None, 1 << 20, &now);
    assert!(distances.stopped().is_some());
    assert_eq!(distances.steps_from(&State::new(), fluents[0]), Some(0));
}
