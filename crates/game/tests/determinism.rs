//! Answers depend on the arguments alone: not on earlier questions, on another machine's numbering,
//! on threads or on the process.

use game::playout::{Playout, Random, playout, random_joint_move};
use game::{Game, Goals, Interpreter, Machine, Move, State};

fn game(name: &str) -> Game {
    let rules = library::find(name).expect("a game of the library").rules;
    Game::from_text(rules).expect("sound")
}

fn play(game: &Game, machine: &mut Interpreter, seed: u64) -> Playout {
    let initial = machine.initial().expect("bounded");
    assert!(!game.state_texts(&initial).is_empty());
    playout(machine, &initial, &mut Random::new(seed), 80).expect("bounded")
}

/// What a playout looks like from outside, free of numbers.
fn told(game: &Game, playout: &Playout) -> Vec<String> {
    let state = |state: &State| game.state_texts(state).join(" ");
    let action = |action: &Move| game.universe().move_entry(*action).text.to_string();
    let mut told: Vec<String> = playout.states.iter().map(state).collect();
    told.extend(playout.moves.iter().flat_map(|joint| joint.0.iter().map(action)));
    told.push(format!("{:?}", playout.end));
    told
}

#[test]
fn the_same_seed_gives_the_same_playout_in_games_made_apart() {
    for name in ["tictactoe", "breakthrough_6x6", "race_3p", "blocks_world"] {
        let (first, second) = (game(name), game(name));
        // The second game numbers its fluents and moves in another order.
        for seed in [90, 91, 92] {
            play(&second, &mut second.interpreter(), seed);
        }
        let a = told(&first, &play(&first, &mut first.interpreter(), 7));
        let b = told(&second, &play(&second, &mut second.interpreter(), 7));
        assert_eq!(a, b, "{name}");
        let other = told(&first, &play(&first, &mut first.interpreter(), 8));
        assert_ne!(a, other, "{name}: the seed has no effect");
    }
}

/// All answers about a state.
fn answers(machine: &mut Interpreter, state: &State) -> (bool, Vec<Vec<Move>>, Vec<Goals>) {
    let game = machine.game().clone();
    let mut legal = Vec::new();
    let mut goals = Vec::new();
    for role in game.role_ids() {
        let mut moves = Vec::new();
        machine.legal_moves(state, role, &mut moves).expect("bounded");
        legal.push(moves);
        goals.push(machine.goal(state, role).expect("bounded"));
    }
    (machine.is_terminal(state).expect("bounded"), legal, goals)
}

#[test]
fn answers_do_not_depend_on_earlier_questions() {
    let game = game("connect_four_4x4");
    let mut used = game.interpreter();
    let states: Vec<State> = (0..5).flat_map(|seed| play(&game, &mut used, seed).states).collect();
    let in_order: Vec<_> = states.iter().map(|state| answers(&mut used, state)).collect();
    let mut random = Random::new(3);
    for _ in 0..200 {
        let at = random.below(states.len());
        assert_eq!(answers(&mut used, &states[at]), in_order[at]);
        // A question about moves must not leave traces in the answers about the state.
        if let Some(joint) =
            random_joint_move(&mut used, &states[at], &mut random).expect("bounded")
        {
            let next = used.next(&states[at], &joint).expect("bounded");
            assert_eq!(game.interpreter().next(&states[at], &joint).expect("bounded"), next);
            assert_eq!(answers(&mut used, &states[at]), in_order[at]);
        }
    }
    let mut fresh = game.interpreter();
    for (state, expected) in states.iter().zip(&in_order).rev() {
        assert_eq!(answers(&mut fresh, state), *expected);
    }
}

#[test]
fn machines_of_one_game_agree_in_several_threads() {
    let game = game("breakthrough_5x5");
    let alone: Vec<Vec<String>> =
        (0..6).map(|seed| told(&game, &play(&game, &mut game.interpreter(), seed))).collect();
    let shared = self::game("breakthrough_5x5");
    let found: Vec<Vec<Vec<String>>> = std::thread::scope(|scope| {
        let run = |order: Vec<u64>| {
            let shared = &shared;
            scope.spawn(move || {
                let mut machine = shared.interpreter();
                let mut told: Vec<(u64, Vec<String>)> = order
                    .into_iter()
                    .map(|seed| (seed, told(shared, &play(shared, &mut machine, seed))))
                    .collect();
                told.sort();
                told.into_iter().map(|(_, told)| told).collect::<Vec<_>>()
            })
        };
        let threads = [run((0..6).collect()), run((0..6).rev().collect())];
        threads.map(|thread| thread.join().expect("no panic")).into()
    });
    assert!(found.iter().all(|found| *found == alone));
}
