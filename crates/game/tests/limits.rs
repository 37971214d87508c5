//! Hostile and huge rule sheets: a clear error within bounded time, never a crash or a hang, and the
//! machine stays usable.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use game::playout::{Random, playout};
use game::{EvalError, Game, Interpreter, JointMove, Limits, Machine, Move, ReasonError, Role};

fn game(text: &str) -> Game {
    let (rules, problems) = gdl::parse(text, &gdl::Limits::default());
    assert!(problems.is_empty(), "{problems:?}");
    Game::new(rules).expect("can be played")
}

fn legal(machine: &mut Interpreter) -> Result<Vec<String>, ReasonError> {
    let game = machine.game().clone();
    let state = machine.initial()?;
    let mut moves: Vec<Move> = Vec::new();
    machine.legal_moves(&state, Role(0), &mut moves)?;
    let text = |action: &Move| game.universe().move_entry(*action).text.to_string();
    Ok(moves.iter().map(text).collect())
}

/// Runs `work` and fails if it takes unreasonably long, also on a busy machine.
fn within<T>(seconds: u64, what: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    let taken = start.elapsed();
    assert!(taken < Duration::from_secs(seconds), "{what} took {taken:?}");
    result
}

const ENDLESS: &str = "(role r) (init a) (num z) (<= (num (s ?x)) (num ?x))
    (<= (legal r (count ?x)) (num ?x)) (<= (next ?f) (true ?f)) (goal r 50)";

#[test]
fn an_infinite_model_is_an_error_and_other_questions_are_still_answered() {
    within(30, "an endless relation", || {
        let game = game(ENDLESS);
        let mut machine = game.interpreter();
        for _ in 0..2 {
            let error = legal(&mut machine).expect_err("there are infinitely many moves");
            assert!(matches!(error, ReasonError::Eval(EvalError::TermTooDeep { .. })), "{error}");
            let state = machine.initial().expect("finite");
            assert_eq!(machine.is_terminal(&state), Ok(false));
            let value = machine.goal(&state, Role(0)).expect("finite").value();
            assert_eq!(value, Some(game::Goal(50)));
        }
    });
}

#[test]
fn fluents_that_grow_with_each_step_end_in_an_error() {
    within(30, "growing fluents", || {
        let game = game("(role r) (init a) (legal r m) (<= (next (f ?x)) (true ?x))");
        let mut machine = game.interpreter();
        let initial = machine.initial().expect("one fluent");
        let error = playout(&mut machine, &initial, &mut Random::new(1), 100_000)
            .expect_err("terms cannot grow for ever");
        assert!(matches!(error, ReasonError::Eval(EvalError::TermTooDeep { .. })), "{error}");
        assert_eq!(legal(&mut machine).expect("still usable"), ["m"]);
    });
}

#[test]
fn fluents_that_double_with_each_step_end_in_an_error() {
    within(30, "doubling fluents", || {
        let game = game("(role r) (init a) (legal r m) (<= (next (f ?x ?x)) (true ?x))");
        let mut machine = game.interpreter();
        let initial = machine.initial().expect("one fluent");
        let error = playout(&mut machine, &initial, &mut Random::new(1), 100_000)
            .expect_err("terms cannot grow for ever");
        assert!(matches!(error, ReasonError::Eval(EvalError::TermTooLarge { .. })), "{error}");
        assert_eq!(legal(&mut machine).expect("still usable"), ["m"]);
    });
}

#[test]
fn the_limit_on_steps_is_kept() {
    let text = "(role r) (init a) (d 0) (d 1) (d 2) (d 3) (d 4) (d 5) (d 6) (d 7) (d 8) (d 9)
        (<= (legal r (n ?a ?b ?c ?d ?e)) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e))
        (legal r pass) (<= (next ?f) (true ?f)) (<= terminal (true b))";
    let game = game(text);
    let limits = Limits { max_steps: 10_000, ..Limits::default() };
    let mut machine = game.interpreter_with(limits);
    let error =
        within(20, "a hundred thousand moves", || legal(&mut machine)).expect_err("too many");
    let expected = ReasonError::Eval(EvalError::TooManySteps { limit: 10_000 });
    assert_eq!(error, expected);
    let state = machine.initial().expect("bounded");
    assert_eq!(machine.is_terminal(&state), Ok(false), "small questions are still answered");
    machine.limits_mut().max_steps = 100_000_000;
    assert_eq!(legal(&mut machine).expect("the limit was raised").len(), 100_001);
}

#[test]
fn the_limit_on_facts_is_kept() {
    let text = "(role r) (init a) (d 0) (d 1) (d 2) (d 3) (d 4) (d 5) (d 6) (d 7) (d 8) (d 9)
        (<= (legal r (n ?a ?b ?c ?d ?e)) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e))
        (<= (next ?f) (true ?f)) (<= terminal (true b))";
    let game = game(text);
    let limits = Limits { max_facts: 20_000, ..Limits::default() };
    let error = legal(&mut game.interpreter_with(limits)).expect_err("100,000 moves");
    assert_eq!(error, ReasonError::Eval(EvalError::TooManyFacts { limit: 20_000 }));
}

/// Takes longer than anybody waits, but needs little memory.
const SLOW: &str = "(role r) (init a) (d 0) (d 1) (d 2) (d 3) (d 4) (d 5) (d 6) (d 7) (d 8) (d 9)
    (<= (q ?a ?b ?c ?d) (d ?a) (d ?b) (d ?c) (d ?d))
    (<= (legal r yes) (q ?a ?b ?c ?d) (q ?b ?c ?d ?e) (q ?c ?d ?e ?f) (q ?d ?e ?f ?g) (q ?e ?f ?g ?h)
        (q ?f ?g ?h ?i) (q ?g ?h ?i ?j) (never ?a ?j))
    (<= (never ?x ?y) (q ?x ?y ?z ?u) (distinct ?x ?x))
    (legal r no) (<= (next ?f) (true ?f)) (<= terminal (true b))";

#[test]
fn a_deadline_and_a_cancel_flag_stop_the_work() {
    let game = game(SLOW);
    let mut machine = game.interpreter();
    machine.limits_mut().deadline = Some(Instant::now());
    let error = within(10, "after the deadline", || legal(&mut machine));
    let interrupted = ReasonError::Eval(EvalError::Interrupted);
    if let Err(error) = error {
        assert_eq!(error, interrupted);
    }
    let flag = Arc::new(AtomicBool::new(false));
    machine.limits_mut().deadline = Some(Instant::now() + Duration::from_secs(60));
    machine.limits_mut().cancel = Some(flag.clone());
    let canceller = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        flag.store(true, Ordering::Relaxed);
    });
    let answer = within(20, "after cancelling", || legal(&mut machine));
    canceller.join().expect("no panic");
    assert!(answer == Err(interrupted) || answer == Ok(vec!["no".to_owned()]), "{answer:?}");
}

#[test]
fn a_chain_of_a_hundred_thousand_relations_is_followed() {
    const LENGTH: usize = 100_000;
    let mut text = String::from("(role r) (init a) (p0 x) (<= (next ?f) (true ?f))");
    for n in 0..LENGTH {
        let _ = write!(text, "(<= (p{} ?x) (p{n} ?x))", n + 1);
    }
    let _ = write!(text, "(<= (legal r ?x) (p{LENGTH} ?x))");
    let game = within(90, "compiling the chain", || game(&text));
    let moves = within(60, "following the chain", || legal(&mut game.interpreter()));
    assert_eq!(moves.expect("bounded"), ["x"]);
}

#[test]
fn a_recursion_of_a_hundred_thousand_steps_is_followed() {
    const LENGTH: usize = 100_000;
    let mut text = String::from("(role r) (init a) (<= (next ?f) (true ?f)) (<= (on 0))");
    text.push_str("(<= (on ?y) (on ?x) (s ?x ?y)) (<= (back ?x) (s ?x ?y) (back ?y))");
    for n in 0..LENGTH {
        let _ = write!(text, "(s {n} {})", n + 1);
    }
    let _ = write!(text, "(back {LENGTH})");
    let _ = write!(text, "(<= (legal r go) (on {LENGTH}))(<= (legal r return) (back 0))");
    let game = within(90, "compiling the facts", || game(&text));
    let moves = within(60, "following the facts", || legal(&mut game.interpreter()));
    assert_eq!(moves.expect("bounded"), ["go", "return"]);
}

#[test]
fn a_rule_with_ten_thousand_conditions_is_compiled_and_applied() {
    const LENGTH: usize = 5_000;
    let mut text = String::from("(role r) (init a) (<= (next ?f) (true ?f)) (s x x) (t y)");
    // Half of them bind variables, half of them test them.
    let mut body = String::new();
    let mut apart = String::new();
    for n in 0..LENGTH {
        let _ = write!(body, " (s ?v{n} ?v{})", n + 1);
        let _ = write!(apart, " (not (t ?v{n}))");
    }
    let _ = write!(text, "(<= (legal r go){body}{apart})");
    let game = within(60, "compiling the rule", || game(&text));
    let moves = within(20, "applying the rule", || legal(&mut game.interpreter()));
    assert_eq!(moves.expect("bounded"), ["go"]);
}

#[test]
fn a_machine_that_gave_up_in_the_middle_of_recursion_answers_rightly_later() {
    let mut text = String::from("(role r) (init a) (legal r m) (<= (next ?f) (true ?f))");
    for n in 0..300 {
        let _ = write!(text, "(e {n} {}) (e {} {n})", (n + 1) % 300, (n + 7) % 300);
    }
    text.push_str("(<= (p ?x ?y) (e ?x ?y)) (<= (p ?x ?z) (p ?x ?y) (e ?y ?z))");
    text.push_str("(<= terminal (p 0 299) (not (p 299 missing)))");
    let game = game(&text);
    let mut machine = game.interpreter();
    let state = machine.initial().expect("bounded");
    let expected = game.interpreter().is_terminal(&state);
    assert_eq!(expected, Ok(true));
    for most in [1, 10, 100, 1000] {
        machine.limits_mut().max_steps = most;
        let answer = machine.is_terminal(&state);
        assert!(answer == expected || answer.is_err(), "{answer:?} with {most} steps");
    }
    machine.limits_mut().max_steps = 10_000_000;
    assert_eq!(machine.is_terminal(&state), expected);
    let joint =
        JointMove(vec![game.universe().action(&game.universe().parse("m").expect("a name"))]);
    assert_eq!(machine.next(&state, &joint), Ok(state));
}
