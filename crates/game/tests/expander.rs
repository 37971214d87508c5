//! Expanding a node says the same about all its successors as going there one by one.

use std::time::{Duration, Instant};

use game::playout::Random;
use game::{Budget, Game, Gates, JointMove, Machine, Move, State};

fn budget() -> Budget {
    let deadline = Some(Instant::now() + Duration::from_secs(20));
    Budget { deadline, max_bytes: 1 << 30, ..Budget::default() }
}

/// All joint moves in a state, at most `most` of them.
fn joint_moves(machine: &mut dyn Machine, state: &State, most: usize) -> Vec<JointMove> {
    let mut joints: Vec<Vec<Move>> = vec![Vec::new()];
    for role in machine.game().role_ids() {
        let mut moves = Vec::new();
        machine.legal_moves(state, role, &mut moves).expect("within limits");
        let longer = |action: &Move| {
            let action = *action;
            move |joint: &Vec<Move>| joint.iter().copied().chain([action]).collect::<Vec<_>>()
        };
        joints =
            moves.iter().flat_map(|m| joints.iter().map(longer(m)).collect::<Vec<_>>()).collect();
        joints.truncate(most);
    }
    joints.into_iter().map(JointMove).collect()
}

/// Compares expansions along random play; the greatest number of successors of a node, if there is a circuit.
fn follow(game: &Game, nodes: usize) -> Option<usize> {
    let gates = Gates::build(game, &budget()).ok()?;
    let (mut expander, mut machine) = (gates.expander(), gates.machine());
    let mut random = Random::new(3);
    let initial = machine.initial().expect("within limits");
    let (mut state, mut widest) = (initial.clone(), 0);
    let (mut found, mut expected) = (Vec::new(), Vec::new());
    for _ in 0..nodes {
        let joints = joint_moves(&mut machine, &state, 700);
        widest = widest.max(joints.len());
        let expansion = expander.expand(&state, &joints).expect("reachable, legal");
        assert_eq!(expansion.len(), joints.len());
        for (at, joint) in joints.iter().enumerate() {
            let next = machine.next(&state, joint).expect("within limits");
            assert_eq!(game.state_texts(&expansion.state(at)), game.state_texts(&next));
            let over = machine.is_terminal(&next).expect("within limits");
            assert_eq!(expansion.is_terminal(at), over);
            for role in game.role_ids() {
                machine.legal_moves(&next, role, &mut expected).expect("within limits");
                expansion.legal_moves(at, role, &mut found);
                assert_eq!(found, expected, "legal moves, in their order");
                assert_eq!(expansion.mobility(at, role), expected.len());
                let goal = machine.goal(&next, role).expect("within limits").value();
                assert_eq!(expansion.goal(at, role), goal.filter(|_| over), "goal");
            }
        }
        let next = (!joints.is_empty()).then(|| expansion.state(random.below(joints.len())));
        let mut over = |state: &State| machine.is_terminal(state).expect("within limits");
        state = next.filter(|next| !over(next)).unwrap_or_else(|| initial.clone());
    }
    Some(widest)
}

#[test]
fn expanding_a_node_agrees_with_single_steps_on_the_library() {
    let mut widest = 0;
    for entry in library::games() {
        eprintln!("{}", entry.name);
        let game = Game::from_text(entry.rules).expect(entry.name);
        widest = widest.max(follow(&game, 6).unwrap_or(0));
    }
    assert!(widest > 64, "at most {widest} successors: the wide pass was not tried");
}

#[test]
fn more_successors_than_a_pass_has_room_for_are_all_there() {
    let places: Vec<String> = (0..40).map(|at| format!("(place {at})")).collect();
    let places = places.concat();
    let game = Game::from_text(&format!(
        "(role a) (role b) {places} (init start)
         (<= (legal ?r (take ?p)) (role ?r) (place ?p))
         (<= (next (has ?r ?p)) (does ?r (take ?p)))
         (<= both (true (has a ?p)) (true (has b ?p)))
         (<= terminal both) (<= (goal ?r 100) (role ?r) both)
         (<= (goal ?r 3) (role ?r) (true (has ?r 3)))",
    ))
    .expect("valid");
    let gates = Gates::build(&game, &budget()).expect("small");
    let mut machine = gates.machine();
    let initial = machine.initial().expect("small");
    let joints = joint_moves(&mut machine, &initial, 2000);
    assert_eq!(joints.len(), 1600);
    let expansion = gates.expander().expand(&initial, &joints).expect("known");
    let ends = (0..expansion.len()).filter(|at| expansion.is_terminal(*at)).count();
    assert_eq!(ends, 40);
    for (at, joint) in joints.iter().enumerate().step_by(37) {
        assert_eq!(expansion.state(at), machine.next(&initial, joint).expect("small"));
    }
    assert_eq!(follow(&game, 2), Some(700));
    assert!(gates.expander().expand(&initial, &[]).is_some_and(|none| none.is_empty()));
}

#[test]
fn unknown_states_and_moves_are_left_to_machines() {
    let entry = library::find("tictactoe").expect("is in the library");
    let game = Game::from_text(entry.rules).expect("valid");
    let gates = Gates::build(&game, &budget()).expect("small");
    let mut machine = gates.machine();
    let initial = machine.initial().expect("small");
    let joints = joint_moves(&mut machine, &initial, 100);
    let mut expander = gates.expander();
    let strange = game.universe().parse("(cell a b c)").expect("names of the game");
    let mut state = initial.clone();
    state.insert(game.universe().fluent(&strange));
    assert!(expander.expand(&state, &joints).is_none());
    let unknown = game.universe().action(&strange);
    assert!(expander.expand(&initial, &[JointMove(vec![unknown, unknown])]).is_none());
    assert!(expander.expand(&initial, &[JointMove(vec![joints[0].0[0]])]).is_none());
    assert!(expander.expand(&initial, &joints).is_some_and(|found| found.len() == joints.len()));
}
