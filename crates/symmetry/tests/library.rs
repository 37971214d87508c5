//! The symmetries of the games of the library: how many there are, that they are real, and how long they take.

use std::time::Duration;

use cpu_time::ThreadTime;
use game::playout::{Random, random_joint_move};
use game::{Budget, Canonicalizer, Deadline, Game, Gates, Machine};
use symmetry::check::{Samples, Verdict};
use symmetry::{Options, Size, Symmetries, detect};

fn game(name: &str) -> (Game, Gates) {
    let entry = library::find(name).expect("in the library");
    let game = Game::from_text(entry.rules).expect("valid");
    let gates = Gates::build(&game, &Budget::default()).expect("a circuit");
    (game, gates)
}

fn found(name: &str) -> Symmetries {
    let (game, gates) = game(name);
    detect(&game, Some(&gates), &Options::default())
}

/// Thesis Table 8.1: the number of symmetries but for the identity. Those of the table keep all roles.
#[test]
fn the_counts_of_table_8_1_are_found() {
    let table = [
        ("eight_puzzle", 1),
        ("asteroids_parallel", 127),
        ("asteroids", 7),
        ("chinese_checkers_5x5", 1),
        ("chinese_checkers_2", 1),
        ("connect_four", 1),
        ("knight_move", 7),
        ("knightthrough", 1),
        ("peg_solitaire", 7),
        ("pentago", 7),
        ("tictactoe_parallel", 127),
        ("tictactoe", 7),
        ("tictictoe", 7),
    ];
    for (name, count) in table {
        let symmetries = found(name);
        assert_eq!(symmetries.state_order().value(), Some(count + 1), "{name}");
        assert!(symmetries.is_complete() && symmetries.refuted().is_empty(), "{name}");
        assert!(symmetries.checked_states() > 0, "{name}");
    }
}

#[test]
fn swapping_the_players_is_a_role_symmetry_and_no_state_symmetry() {
    let symmetries = found("tictactoe");
    assert_eq!(symmetries.order().value(), Some(16));
    assert_eq!(symmetries.state_order().value(), Some(8));
    let names: Vec<Vec<String>> = symmetries
        .role_orbits()
        .iter()
        .map(|orbit| {
            orbit.iter().map(|p| symmetries.points().text(symmetries.game(), *p)).collect()
        })
        .collect();
    assert_eq!(names, [["xplayer", "oplayer"]]);
    let roles = symmetries.points().role_points();
    let fixes = |generator: &Vec<u32>| roles.clone().all(|role| generator[role as usize] == role);
    assert!(symmetries.state_generators().iter().all(fixes));
}

#[test]
fn the_initial_state_restricts_symmetries_where_it_is_kept() {
    let (game, gates) = game("tictactoe");
    let kept = Options { start: symmetry::Start::Kept, ..Options::default() };
    // The initial state says who begins, so the roles are no longer exchanged.
    assert_eq!(detect(&game, Some(&gates), &kept).order().value(), Some(8));
}

/// Without a ground program the rule graph alone answers, as in the thesis.
#[test]
fn the_rules_alone_give_the_symmetries_of_the_thesis() {
    for (name, count) in [("tictactoe", 8), ("connect_four", 2), ("peg_solitaire", 8)] {
        let (game, _) = game(name);
        let symmetries = detect(&game, None, &Options::default());
        assert_eq!(symmetries.state_order().value(), Some(count), "{name}");
    }
}

/// All games with `FLUXION_STEPS` set, every seventh without.
fn some_games() -> impl Iterator<Item = &'static library::Entry> {
    let all = std::env::var_os("FLUXION_STEPS").is_some();
    library::games().iter().enumerate().filter(move |(at, _)| all || at % 7 == 3).map(|(_, e)| e)
}

fn states() -> usize {
    std::env::var("FLUXION_STEPS").ok().and_then(|text| text.parse().ok()).unwrap_or(6)
}

/// Theorem 8.2 as a property: every condition of Def. 8.1, by the interpreter, for generators and products.
#[test]
fn symmetries_of_the_library_are_symmetries() {
    for entry in some_games() {
        let game = Game::from_text(entry.rules).expect("valid");
        let budget = Budget { max_bytes: 64 << 20, ..Budget::default() };
        let gates = Gates::build(&game, &budget).ok();
        let options = Options { checked_states: 0, ..Options::default() };
        let symmetries = detect(&game, gates.as_ref(), &options);
        let mut machine = game.interpreter();
        let deadline = Deadline::within(Duration::from_secs(20));
        let samples = Samples::new(&mut machine, states(), 3, &deadline);
        let mut product = symmetry::permutation::identity(symmetries.points().len());
        for generator in symmetries.generators() {
            product = symmetry::permutation::then(&product, &generator.permutation);
            for permutation in [&generator.permutation, &product] {
                let verdict =
                    samples.check(&mut machine, symmetries.points(), permutation, &deadline);
                assert!(matches!(verdict, Verdict::Held(_)), "{}: {verdict:?}", entry.name);
            }
        }
    }
}

/// Nothing is left out in nearly all games. How long it takes is told, not judged: the clock of a test is that of a
/// machine with other work.
#[test]
fn detection_is_complete_in_nearly_all_games() {
    let (mut games, mut partial) = (0, Vec::new());
    for entry in some_games() {
        let game = Game::from_text(entry.rules).expect("valid");
        let budget = Budget { max_bytes: 64 << 20, ..Budget::default() };
        let gates = Gates::build(&game, &budget).ok();
        let begin = ThreadTime::now();
        let symmetries = detect(&game, gates.as_ref(), &Options::default());
        println!("{}: {:.2} CPU seconds", entry.name, begin.elapsed().as_secs_f64());
        games += 1;
        if !symmetries.is_complete() {
            partial.push(entry.name);
        }
    }
    assert!(partial.len() * 5 <= games, "{} of {games}: {partial:?}", partial.len());
}

/// A breaking permutation is refuted: the check can fail.
#[test]
fn a_permutation_that_is_no_symmetry_is_refuted() {
    let (game, gates) = game("tictactoe");
    let symmetries = detect(&game, Some(&gates), &Options::default());
    let mut machine = game.interpreter();
    let never = Deadline::never();
    let samples = Samples::new(&mut machine, 30, 1, &never);
    let mut wrong = symmetry::permutation::identity(symmetries.points().len());
    let moves = symmetries.points().move_points();
    wrong.swap(moves.start as usize, moves.start as usize + 1);
    let verdict = samples.check(&mut machine, symmetries.points(), &wrong, &never);
    assert!(matches!(verdict, Verdict::Broken(..)), "{verdict:?}");
}

/// Symmetric states have the same representative, which is an image of both, and moves go there and back.
#[test]
fn symmetric_states_share_a_representative() {
    for name in ["tictactoe", "knight_move", "peg_solitaire", "asteroids_parallel", "pentago"] {
        let (game, gates) = game(name);
        let symmetries = detect(&game, Some(&gates), &Options::default());
        let table = symmetries.representatives(Size::default()).expect("symmetric");
        assert!(table.is_exact(), "{name}");
        let mut machine = gates.machine();
        let mut random = Random::new(5);
        let mut state = machine.initial().expect("starts");
        for _ in 0..30 {
            let (canonical, symmetry) = table.canonical(&state);
            for generator in symmetries.state_generators() {
                let image = symmetries.points().state_image(&generator, &state).expect("known");
                if symmetries.points().is_possible(&image) {
                    assert_eq!(table.canonical(&image).0, canonical, "{name}");
                }
            }
            let (mut here, mut there) = (Vec::new(), Vec::new());
            for role in game.role_ids() {
                machine.legal_moves(&state, role, &mut here).expect("legal");
                machine.legal_moves(&canonical, role, &mut there).expect("legal");
                let mut images: Vec<_> =
                    here.iter().map(|m| table.image(symmetry, role, *m)).collect();
                images.sort_unstable();
                let mut expected: Vec<_> = there.iter().map(|m| (role, *m)).collect();
                expected.sort_unstable();
                assert_eq!(images, expected, "{name}");
                for action in &here {
                    let (to, image) = table.image(symmetry, role, *action);
                    assert_eq!(table.origin(symmetry, to, image), (role, *action));
                }
            }
            let over = machine.is_terminal(&state).expect("decided");
            let joint = if over {
                None
            } else {
                random_joint_move(&mut machine, &state, &mut random).expect("plays")
            };
            state = match joint {
                Some(joint) => machine.next(&state, &joint).expect("moves"),
                None => machine.initial().expect("starts"),
            };
        }
    }
}

/// Of nine first moves three are left, of joint moves in parallel boards as many as there are orbits.
#[test]
fn symmetric_moves_are_left_out() {
    let (game, gates) = game("tictactoe");
    let symmetries = detect(&game, Some(&gates), &Options::default());
    let table = symmetries.representatives(Size::default()).expect("symmetric");
    let mut machine = gates.machine();
    let initial = machine.initial().expect("starts");
    let role = game.role_ids().next().expect("a role");
    let mut moves = Vec::new();
    machine.legal_moves(&initial, role, &mut moves).expect("legal");
    assert_eq!(moves.len(), 9);
    let noop = {
        let mut other = Vec::new();
        machine.legal_moves(&initial, game::Role(1), &mut other).expect("legal");
        other[0]
    };
    let mut joint: Vec<game::JointMove> =
        moves.iter().map(|m| game::JointMove(vec![*m, noop])).collect();
    table.distinct(&initial, role, &mut moves);
    table.distinct_joint(&initial, &mut joint);
    assert_eq!((moves.len(), joint.len()), (3, 3));
    // After a mark in a corner: five orbits of replies are left.
    let next = machine.next(&initial, &joint[0]).expect("moves");
    machine.legal_moves(&next, game::Role(1), &mut moves).expect("legal");
    table.distinct(&next, game::Role(1), &mut moves);
    assert_eq!(moves.len(), 5);
}

/// The symmetries of a state by the group and by the coloured graph agree.
#[test]
fn a_state_keeps_the_symmetries_that_map_it_to_itself() {
    let (game, gates) = game("tictactoe");
    let symmetries = detect(&game, Some(&gates), &Options::default());
    let mut machine = gates.machine();
    let initial = machine.initial().expect("starts");
    let bounds = symmetry::nauty::Bounds {
        deadline: Deadline::never(),
        most_vertices: 100_000,
        most_edges: 1_000_000,
        most_images: 1_000_000,
    };
    assert_eq!(symmetries.of_state(&initial, &bounds).len(), 7);
    let action = game.universe().action(&game.universe().parse("(mark a 2)").expect("a move"));
    let noop = game.universe().action(&game.universe().parse("noop").expect("a move"));
    let side = machine.next(&initial, &game::JointMove(vec![action, noop])).expect("moves");
    // Marking the middle of a side leaves one reflection.
    assert_eq!(symmetries.of_state(&side, &bounds).len(), 1);
}
