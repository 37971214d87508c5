//! The class of games of the library, by random play and by what provers say.

use game::{Game, Role};
use search::class::{Sampling, sample};
use search::{Certainty, Fact, GameClass, Known};

fn class(name: &str) -> GameClass {
    let entry = library::find(name).expect("a library game");
    let game = Game::from_text(entry.rules).expect("sound rules");
    let sampling = Sampling { playouts: 20, states: 2000, ..Sampling::default() };
    sample(&mut game.interpreter(), &sampling).expect("an initial state").0
}

#[test]
fn random_play_finds_the_class_of_library_games() {
    for (name, roles, turns, sum) in [
        ("tictactoe", 2, true, Some(100)),
        ("rock_paper_scissors", 2, false, Some(100)),
        ("prisoners_dilemma", 2, false, None),
        ("eight_puzzle", 1, true, None),
        ("tictactoe_3p", 3, true, None),
    ] {
        let class = class(name);
        assert_eq!(class.roles, roles, "{name}");
        assert_eq!(class.turn_taking.value, turns, "{name}");
        if roles == 2 {
            assert_eq!(class.constant_sum.value, sum, "{name}");
        }
        assert!(class.mean_joint_moves >= 1.0, "{name}");
    }
}

#[test]
fn what_play_refutes_is_proved_and_the_rest_is_likely_until_a_prover_says_so() {
    let mut class = class("tictactoe");
    assert!(matches!(class.turn_taking.certainty, Certainty::Sampled(n) if n > 50));
    class.learn(Fact::TurnTaking(true));
    class.learn(Fact::ConstantSum(Some(100)));
    class.learn(Fact::Rewards(Role(1), 0, 50));
    class.learn(Fact::Rewards(Role(9), 0, 50));
    assert!(class.turn_taking.is_proved() && class.is_two_player_constant_sum());
    assert_eq!((class.bounds(Role(0)), class.bounds(Role(1))), ((0, 100), (0, 50)));
    assert_eq!(self::class("rock_paper_scissors").turn_taking, Known::proved(false));
}

#[test]
fn a_game_without_moves_goals_or_ends_has_a_class() {
    for rules in [
        "(role a) (role b) (init (p)) (<= terminal (true (q)))",
        "(role a) (init (p)) (legal a go) (<= (next (p)) (true (p)))",
        "(role a) (role b) (init (p)) (legal a go) (legal b go) (<= terminal (true (p)))",
    ] {
        let checked = gdl::validate::check(rules, &gdl::Limits::default());
        let game = Game::new(checked.rules).expect("rules with a meaning");
        let sampling = Sampling { states: 300, length: 50, ..Sampling::default() };
        let (class, _) = sample(&mut game.interpreter(), &sampling).expect("an initial state");
        assert_eq!(class.constant_sum.value, None);
        assert!(class.mean_joint_moves.is_finite());
    }
}
