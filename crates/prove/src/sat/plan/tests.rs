//! Plans for puzzles of the library and for games made for the purpose.

use std::fmt::Write as _;
use std::time::Duration;

use game::{Budget, Game, JointMove, Machine, Role};
use search::planning::{Planner, PlannerOptions};
use search::{Effort, Search};

use super::*;

fn gates(rules: &str) -> Gates {
    let game = Game::from_text(rules).expect("valid");
    Gates::build(&game, &Budget::default()).expect("small")
}

fn planner(gates: &Gates) -> (SatPlanner, State) {
    let planner = SatPlanner::new(gates, 100, 1 << 30, 1).expect("one role");
    (planner, gates.machine().initial().expect("small"))
}

/// The reward at the end of a plan; none if it does not lead to an end by legal moves.
fn replayed(gates: &Gates, moves: &[Move]) -> Option<u8> {
    let mut machine = gates.game().interpreter();
    let mut state = Machine::initial(&mut machine).expect("small");
    let mut legal = Vec::new();
    for action in moves {
        assert!(!machine.is_terminal(&state).expect("small"));
        machine.legal_moves(&state, Role(0), &mut legal).expect("small");
        assert!(legal.contains(action));
        state = machine.next(&state, &JointMove(vec![*action])).expect("small");
    }
    let over = machine.is_terminal(&state).expect("small");
    over.then(|| machine.goal(&state, Role(0)).expect("small").value().map_or(0, |goal| goal.0))
}

#[test]
fn puzzles_of_constraints_are_solved() {
    for name in ["lights_on", "queens_8", "sudoku_4x4", "sudoku", "maze"] {
        let gates = gates(library::find(name).expect("a library game").rules);
        let (mut planner, initial) = planner(&gates);
        let seen = planner.look(&initial, 100, 3000, &Deadline::never());
        let Foreseen::Way(moves) = seen else { panic!("{name}: {seen:?}") };
        assert_eq!(replayed(&gates, &moves), Some(100), "{name}");
    }
}

#[test]
fn what_is_proved_to_exclude_each_other_is_told_to_the_solver() {
    for name in ["maze", "sudoku_4x4"] {
        let gates = gates(library::find(name).expect("a library game").rules);
        let reasoner = game::Reasoner::build(gates.game(), &Budget::default());
        let options = crate::Options { engines: crate::Engines::Sat, ..crate::Options::default() };
        let vocabulary = crate::Vocabulary::new(gates.game());
        let inputs = crate::candidates::input_arguments(&vocabulary);
        let mut prover = crate::Prover::on(&reasoner, inputs, &options.deadline);
        prover.run(&options, &mut |_, _| ());
        let groups = crate::Knowledge::of(&prover.findings()).mutex_groups(&gates);
        assert!(!groups.is_empty(), "{name}");
        let (planner, initial) = planner(&gates);
        let seen = planner.with_groups(groups).look(&initial, 100, 3000, &Deadline::never());
        let Foreseen::Way(moves) = seen else { panic!("{name}: {seen:?}") };
        assert_eq!(replayed(&gates, &moves), Some(100), "{name}");
    }
}

/// Numbers from 0 to 4 by steps of 1 or 2; odd ends are worth 40, even ones 70, and 4 has no moves.
const STEPS: &str =
    "(role r) (init (at 0)) (init (turn 0)) (add 0 1 1) (add 0 2 2) (add 1 1 2) (add 1 2 3)
    (add 2 1 3) (add 2 2 4) (add 3 1 4) (succ 0 1) (succ 1 2) (odd 1) (odd 3) (even 2) (even 4)
    (<= (legal r (add ?n)) (true (at ?x)) (add ?x ?n ?y))
    (<= (next (at ?y)) (true (at ?x)) (does r (add ?n)) (add ?x ?n ?y))
    (<= (next (turn ?y)) (true (turn ?x)) (succ ?x ?y))
    (<= terminal (true (turn 2)))
    (<= (goal r 40) (true (at ?x)) (odd ?x)) (<= (goal r 70) (true (at ?x)) (even ?x))
    (<= (goal r 100) (true (at 9)))";

#[test]
fn what_cannot_be_reached_is_proved_to_be_out_of_reach() {
    let gates = gates(STEPS);
    let (mut planner, initial) = planner(&gates);
    assert_eq!(planner.look(&initial, 71, 1000, &Deadline::never()), Foreseen::Never);
    assert_eq!(planner.look(&initial, 100, 1000, &Deadline::never()), Foreseen::Never);
    let Foreseen::Way(moves) = planner.look(&initial, 41, 1000, &Deadline::never()) else {
        panic!("there is a way")
    };
    assert_eq!((moves.len(), replayed(&gates, &moves)), (2, Some(70)));
}

#[test]
fn limits_on_time_and_memory_are_kept() {
    let long = gates(&lock(40));
    let (_, initial) = planner(&long);
    let mut little = SatPlanner::new(&long, 100, 1 << 12, 1).expect("one role");
    assert_eq!(little.look(&initial, 100, 1000, &Deadline::never()), Foreseen::Beyond);
    let gates = gates(library::find("sudoku").expect("a library game").rules);
    let (_, initial) = planner(&gates);
    let now = Deadline::within(Duration::ZERO);
    let mut late = SatPlanner::new(&gates, 100, 1 << 30, 1).expect("one role");
    assert_eq!(late.look(&initial, 100, 1000, &now), Foreseen::Open);
    let two = self::gates(library::find("tictactoe").expect("a library game").rules);
    assert!(SatPlanner::new(&two, 100, 1 << 30, 1).is_none());
}

/// A lock of so many digits, zeros and ones; only one of all combinations opens it.
fn lock(digits: usize) -> String {
    let mut text = String::from("(role r) (init (at 0)) (digit 0) (digit 1)");
    for at in 0..digits {
        let _ = write!(text, " (succ {at} {}) (code {at} {})", at + 1, at * at / 3 % 2);
    }
    let _ = write!(
        text,
        " (<= (legal r (set ?d)) (digit ?d)) (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))
        (<= (next wrong) (true (at ?x)) (does r (set ?d)) (not (code ?x ?d)))
        (<= (next wrong) (true wrong)) (<= terminal (true (at {digits})))
        (<= (goal r 100) (not (true wrong))) (<= (goal r 0) (true wrong))"
    );
    text
}

#[test]
fn a_planner_with_foresight_finds_one_plan_among_many() {
    let gates = gates(&lock(40));
    let initial = gates.machine().initial().expect("small");
    let options = PlannerOptions { memory: 1 << 20, ..PlannerOptions::default() };
    let sat = Box::new(planner(&gates).0);
    let mut planner = Planner::new(Box::new(gates.machine()), options).with_foresight(sat);
    let effort = Effort::nodes(100_000);
    let report = planner.search(&initial, Role(0), &effort, &mut |_| ()).expect("a report");
    assert!(report.solved && report.line.len() == 40, "{report:?}");
}
