//! The machine on the circuit answers every question like the interpreter, also those that a circuit
//! alone could not answer.

use std::time::{Duration, Instant};

use game::playout::{Random, random_joint_move};
use game::{Budget, CircuitMachine, FluentId, Game, JointMove, Machine, State};

fn budget() -> Budget {
    Budget {
        deadline: Some(Instant::now() + Duration::from_secs(20)),
        max_bytes: 1 << 30,
        ..Budget::default()
    }
}

fn agree(game: &Game, machine: &mut CircuitMachine, oracle: &mut dyn Machine, state: &State) {
    assert_eq!(machine.is_terminal(state), oracle.is_terminal(state), "terminal");
    let (mut found, mut expected) = (Vec::new(), Vec::new());
    for role in game.role_ids() {
        machine.legal_moves(state, role, &mut found).expect("within limits");
        oracle.legal_moves(state, role, &mut expected).expect("within limits");
        assert_eq!(found, expected, "legal moves, in their order");
        assert_eq!(machine.goal(state, role), oracle.goal(state, role), "goals");
    }
}

/// Random play from the initial state, every answer compared. False if the game has no circuit.
fn follow(game: &Game, steps: usize) -> bool {
    let Ok(mut machine) = CircuitMachine::new(game, &budget()) else { return false };
    let mut oracle = game.interpreter();
    let mut random = Random::new(23);
    let initial = oracle.initial().expect("within limits");
    assert_eq!(machine.initial().as_ref(), Ok(&initial));
    let mut state = initial.clone();
    for _ in 0..steps {
        agree(game, &mut machine, &mut oracle, &state);
        let over = oracle.is_terminal(&state).expect("within limits");
        let joint = random_joint_move(&mut oracle, &state, &mut random).expect("within limits");
        match joint.filter(|_| !over) {
            None => state = initial.clone(),
            Some(joint) => {
                let next = oracle.next(&state, &joint).expect("within limits");
                let found = machine.next(&state, &joint).expect("within limits");
                assert_eq!(game.state_texts(&found), game.state_texts(&next));
                // Asked again, after the goals, it says the same.
                agree(game, &mut machine, &mut oracle, &state);
                assert_eq!(machine.next(&state, &joint).as_ref(), Ok(&next));
                state = next;
            }
        }
    }
    true
}

#[test]
fn the_circuit_machine_agrees_with_the_interpreter_on_the_library() {
    let mut circuits = 0;
    for entry in library::games() {
        eprintln!("{}", entry.name);
        let game = Game::from_text(entry.rules).expect(entry.name);
        circuits += usize::from(follow(&game, 25));
    }
    assert!(circuits * 10 >= library::games().len() * 9, "only {circuits} games have a circuit");
}

#[test]
fn illegal_moves_and_unreachable_states_are_answered_like_the_interpreter() {
    let entry = library::find("tictactoe").expect("is in the library");
    let game = Game::from_text(entry.rules).expect("valid");
    let mut machine = CircuitMachine::new(&game, &budget()).expect("small");
    let mut oracle = game.interpreter();
    let initial = oracle.initial().expect("within limits");
    let mut moves = Vec::new();
    let role = game.role_ids().next().expect("two roles");
    oracle.legal_moves(&initial, role, &mut moves).expect("within limits");
    // Both mark: nobody may, and the rules still say what would follow.
    let illegal = JointMove(vec![moves[0], moves[1]]);
    assert_eq!(machine.next(&initial, &illegal), oracle.next(&initial, &illegal));
    let strange = game.universe().parse("(cell a b c)").expect("names of the game");
    let mut state = initial.clone();
    state.insert(game.universe().fluent(&strange));
    agree(&game, &mut machine, &mut oracle, &state);
    let joint = JointMove(vec![moves[0]]);
    assert!(machine.next(&initial, &joint).is_err(), "a move for each role is needed");
    let mut without = initial;
    without.remove(FluentId(0));
    agree(&game, &mut machine, &mut oracle, &without);
    let mut second = machine.another();
    agree(&game, &mut second, &mut oracle, &state);
}
