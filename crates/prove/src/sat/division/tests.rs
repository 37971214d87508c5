//! Games that are several games at once.

use super::*;

/// Two heaps, of which one or two things are taken; who is not to move on one of them is on the other.
const HEAPS: &str = "
    (role x) (role o) (other x o) (other o x) (heap a) (heap b)
    (minus 5 1 4) (minus 4 1 3) (minus 3 1 2) (minus 2 1 1) (minus 1 1 0)
    (minus 5 2 3) (minus 4 2 2) (minus 3 2 1) (minus 2 2 0)
    (init (left a 5)) (init (left b 4)) (init (turn a x)) (init (turn b o))
    (<= (next (turn ?h ?r)) (true (turn ?h ?s)) (other ?r ?s))
    (<= (legal ?r (take ?h ?n)) (true (turn ?h ?r)) (true (left ?h ?k)) (minus ?k ?n ?m))
    (<= (next (left ?h ?m)) (does ?r (take ?h ?n)) (true (left ?h ?k)) (minus ?k ?n ?m))";

/// The one who empties a heap wins at once.
const FIRST: &str = "
    (<= terminal (true (left ?h 0)))
    (<= (won ?r) (true (left ?h 0)) (true (turn ?h ?s)) (other ?r ?s))
    (<= (goal ?r 100) (won ?r) (other ?r ?s) (not (won ?s)))
    (<= (goal ?r 50) (won ?r) (other ?r ?s) (won ?s))
    (<= (goal ?r 0) (role ?r) (not (won ?r)))";

/// Both heaps have to be emptied; a heap is worth a half.
const BOTH: &str = "
    (<= (legal ?r rest) (true (turn ?h ?r)) (true (left ?h 0)))
    (<= (next (left ?h 0)) (true (left ?h 0)))
    (<= (next (winner ?h ?r)) (does ?r (take ?h ?n)) (true (left ?h ?n)) (minus ?k ?n 0))
    (<= (next (winner ?h ?r)) (true (winner ?h ?r)))
    (<= terminal (true (left a 0)) (true (left b 0)))
    (<= (goal ?r 100) (true (winner a ?r)) (true (winner b ?r)))
    (<= (goal ?r 50) (true (winner a ?r)) (true (winner b ?s)) (other ?r ?s))
    (<= (goal ?r 50) (true (winner b ?r)) (true (winner a ?s)) (other ?r ?s))
    (<= (goal ?r 0) (role ?r) (not (true (winner a ?r))) (not (true (winner b ?r))))";

fn divided(rules: &str) -> (Game, Option<Division>) {
    let game = Game::from_text(rules).expect("valid");
    let gates = Gates::build(&game, &Budget::default()).expect("small");
    let division = Division::new(&gates, 1, &Deadline::never());
    (game, division)
}

/// Plays the whole with the interpreter, and the parts with those of their games.
fn compare(game: &Game, division: &Division) -> usize {
    let mut machine = game.interpreter();
    let mut random = Random::new(7);
    let initial = machine.initial().expect("small");
    let mut compared = 0;
    for _ in 0..30 {
        let play = playout(&mut machine, &initial, &mut random, 50).expect("small");
        for (state, (joint, next)) in
            play.states.iter().zip(play.moves.iter().zip(&play.states[1..]))
        {
            for part in division.parts() {
                let mut own = part.reasoner().game().interpreter();
                let choices = game.role_ids().zip(&joint.0);
                let choices = choices.map(|(role, action)| part.choice(role, *action));
                let choices = game::JointMove(choices.collect::<Option<_>>().expect("known"));
                let here = part.state(state);
                assert_eq!(own.next(&here, &choices).expect("small"), part.state(next));
                for role in game.role_ids() {
                    let (mut all, mut legal) = (Vec::new(), Vec::new());
                    machine.legal_moves(state, role, &mut all).expect("small");
                    own.legal_moves(&here, role, &mut legal).expect("small");
                    let made: BTreeSet<Move> =
                        all.iter().filter_map(|action| part.choice(role, *action)).collect();
                    assert!(made.iter().all(|choice| legal.contains(choice)));
                    for extra in legal.iter().filter(|choice| !made.contains(*choice)) {
                        assert!(
                            same_effect(&mut own, &here, (role, *extra), &made).expect("small")
                        );
                    }
                }
                compared += 1;
            }
        }
    }
    compared
}

#[test]
fn two_heaps_with_a_turn_on_each_are_two_games() {
    let (game, division) = divided(&format!("{HEAPS}{FIRST}"));
    let division = division.expect("two games");
    assert_eq!(division.parts().len(), 2);
    assert!(compare(&game, &division) > 100);
    assert!(division.parts().iter().all(Subgame::ends_the_match));
    let mut machine = game.interpreter();
    let initial = machine.initial().expect("small");
    assert!(division.holds(&initial));
    // Each ends and is won as the whole is while nothing has happened to the other heap.
    for part in division.parts() {
        let mut own = part.reasoner().game().interpreter();
        let initial = own.initial().expect("small");
        let play = playout(&mut own, &initial, &mut Random::new(3), 50).expect("small");
        let game::playout::End::Terminal(goals) = play.end else { panic!("it ends") };
        let rewards: Vec<u8> = goals.iter().filter_map(Goals::value).map(|goal| goal.0).collect();
        assert!(rewards == [100, 0] || rewards == [0, 100], "{rewards:?}");
    }
}

#[test]
fn parts_that_have_to_be_finished_both_are_games_with_the_other_one_finished() {
    let (game, division) = divided(&format!("{HEAPS}{BOTH}"));
    let division = division.expect("two games");
    assert_eq!(division.parts().len(), 2);
    assert!(compare(&game, &division) > 100);
    assert!(!division.parts().iter().any(Subgame::ends_the_match));
    let mut machine = game.interpreter();
    let initial = machine.initial().expect("small");
    // Once a heap is won by one of them, less is at stake than the games say, or something else.
    let mut random = Random::new(5);
    let mut over = false;
    for _ in 0..20 {
        let play = playout(&mut machine, &initial, &mut random, 50).expect("small");
        let holds: Vec<bool> = play.states.iter().map(|state| division.holds(state)).collect();
        assert!(holds[0] && holds[1], "{holds:?}");
        over |= holds.contains(&false);
    }
    assert!(over, "not every result of a heap is what the game of the other one takes it to be");
    for part in division.parts() {
        let mut own = part.reasoner().game().interpreter();
        let initial = own.initial().expect("small");
        let mut random = Random::new(3);
        let mut results: FxHashSet<Vec<Option<u8>>> = FxHashSet::default();
        for _ in 0..20 {
            let play = playout(&mut own, &initial, &mut random, 50).expect("small");
            let game::playout::End::Terminal(goals) = play.end else { panic!("it ends") };
            results.insert(goals.iter().map(|goal| goal.value().map(|goal| goal.0)).collect());
        }
        assert_eq!(results.len(), 2, "it depends on who took the heap: {results:?}");
    }
}

#[test]
fn games_in_which_one_chooses_where_to_move_are_one() {
    for name in
        ["nim_3_4_5", "tictactoe", "connect_four", "chicken", "pacman_3p", "breakthrough_5x5"]
    {
        let rules = library::find(name).expect("in the library").rules;
        assert!(divided(rules).1.is_none(), "{name}");
    }
}
