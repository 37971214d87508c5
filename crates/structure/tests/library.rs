//! What must be found in games of the library.

use std::time::{Duration, Instant};

use game::{Budget, Deadline, Game, Reasoner};
use structure::{Board, NoProver, Settings, Structures};

fn analyse(name: &str) -> (Game, Structures) {
    let entry = library::find(name).expect("a game of the library");
    let game = Game::from_text(entry.rules).expect("playable");
    let budget =
        Budget { deadline: Some(Instant::now() + Duration::from_secs(5)), ..Budget::default() };
    let reasoner = Reasoner::build(&game, &budget);
    let deadline = Deadline::within(Duration::from_secs(10));
    let found = Structures::find(&reasoner, &Settings::default(), &deadline, &mut NoProver);
    (game, found)
}

/// The lines of the report that begin with a word.
fn lines(name: &str, word: &str) -> Vec<String> {
    let (game, found) = analyse(name);
    let text = found.to_text(&game);
    let lines = text.lines().filter_map(|line| line.strip_prefix(word));
    lines.map(|line| line.trim().to_owned()).collect()
}

fn check(name: &str, word: &str, expected: &[&str]) {
    assert_eq!(lines(name, word), expected, "{name}");
}

fn board<'s>(found: &'s Structures, game: &Game, name: &str) -> &'s Board {
    let symbols = game.universe().symbols();
    let named = |board: &&Board| symbols.name(board.functor.name) == name;
    found.boards.iter().find(named).expect("a board")
}

#[test]
fn racetrack_is_two_boards_of_five_by_three() {
    let (game, found) = analyse("racetrack");
    let cell = board(&found, &game, "cell");
    assert_eq!((cell.board_count(), cell.size_text()), (2, "5 x 3".to_owned()));
    let sorted: Vec<_> = cell.coordinates.iter().map(structure::Axis::is_ordered).collect();
    assert_eq!(sorted, [false, true, true]);
    assert_eq!(cell.contents.len(), 1);
    // Thesis §5.3.3: a white piece on wlane b 2 is 14/45 from wlane e 1.
    let cell_of = |text: &str| {
        cell.cell(&game.universe().parse(text).expect("a fluent")).expect("a cell of the board")
    };
    let from = cell_of("(cell wlane b 2 white)");
    let to = cell_of("(cell wlane e 1 white)");
    assert!((cell.distance(&from, &to) - 14.0 / 45.0).abs() < 1e-12);
    check(
        "racetrack",
        "quantity",
        &[
            "step/1: single; amount 1 (by tick: t0 t1 t2 t3 t4 t5 t6 t7 t8 t9 … t20 (21))",
            "walls/2: for each 1 (unordered: black white); amount 2 (by less_one: two one none)",
        ],
    );
}

/// The lines that begin with a word must contain all of these, among others.
fn check_some(name: &str, expected: &[&str]) {
    let (game, found) = analyse(name);
    let text = found.to_text(&game);
    for line in expected {
        assert!(text.lines().any(|own| own == *line), "{name}: {line}\n{text}");
    }
}

#[test]
fn boards_are_found_with_their_coordinates_and_contents() {
    check(
        "tictactoe",
        "board",
        &[
            "cell/3: 3 x 3 cells, unordered; coordinates 1 (unordered: a b c), 2 (unordered: 1 2 3); \
           contents 3 (unordered: blank o x)",
        ],
    );
    let eight = "(by ++: 1 2 3 4 5 6 7 8)";
    check(
        "breakthrough",
        "board",
        &[&format!(
            "cellholds/3: 8 x 8 cells, ordered; coordinates 1 {eight}, 2 {eight}; contents 3 (unordered: \
             black white)"
        )],
    );
    for (name, size) in [
        ("connect_four", "7 x 6"),
        ("othello", "8 x 8"),
        ("chinese_checkers_2", "9 x 9"),
        ("eight_puzzle", "3 x 3"),
        ("knightthrough", "8 x 8"),
        ("hex_5x5", "5 x 5"),
    ] {
        let (_, found) = analyse(name);
        let board = found.boards.first().expect("a board");
        assert_eq!((board.size_text(), board.board_count()), (size.to_owned(), 1), "{name}");
        assert!(board.coordinates.iter().all(structure::Axis::is_ordered), "{name}");
        assert!(!board.contents.iter().any(structure::Axis::is_ordered), "{name}");
    }
    let (_, found) = analyse("tic_tac_toe_3d");
    assert_eq!(found.boards[0].coordinates.len(), 3);
}

#[test]
fn quantities_are_found_where_outputs_are_ordered() {
    check(
        "nim_3_4_5",
        "quantity",
        &["heap/2: for each 1 (unordered: a b c); amount 2 (by succ: 0 1 2 3 4 5)"],
    );
    check(
        "racing_game",
        "quantity",
        &[
            "square/1: single; amount 1 (by succ: 1 2 3 4 5 6 7 8 9 10)",
            "step/1: single; amount 1 (by tick: 0 1 2 3 4 5)",
        ],
    );
    // Tiles are numbered like nothing else and are no amounts; where they lie is ordered, though.
    let (_, found) = analyse("pancakes_6");
    assert!(found.quantities.iter().all(structure::Quantity::is_single));
}

#[test]
fn input_arguments_are_those_of_the_thesis() {
    check_some(
        "tictactoe",
        &[
            "fluent cell/3: inputs {1,2}?, 27 instances",
            "fluent control/1: inputs {}?, 2 instances",
        ],
    );
    check_some(
        "blocks_world",
        &["fluent on/2: inputs {1}? {2}?, 6 instances", "fluent step/1: inputs {}, 6 instances"],
    );
    check_some("eight_puzzle", &["fluent cell/3: inputs {3}? {1,2}?, 81 instances"]);
}

#[test]
fn turns_counters_and_their_bounds_are_found() {
    check_some(
        "checkers",
        &[
            "turns: one role at a time has a choice?",
            "control (control black)?: black",
            "control (control white)?: white",
            "counter step/1 from 0, the game ends after 120 steps",
        ],
    );
    check_some("blocker", &["turns: several roles choose at once"]);
    let (_, found) = analyse("nim_3_4_5");
    assert!(found.counters.is_empty() && found.turn_bound().is_none());
    let (_, found) = analyse("eight_puzzle");
    assert_eq!(found.turn_bound(), Some(60));
}

#[test]
fn pieces_belong_to_the_roles_that_move_them() {
    check_some(
        "checkers",
        &[
            "piece cell/3 bk?: of black",
            "piece cell/3 wm?: of white",
            "piece cell/3 empty?: an empty cell",
        ],
    );
    check_some("tictactoe", &["piece cell/3 x?: of xplayer", "piece cell/3 blank?: an empty cell"]);
    check_some("racetrack", &["piece cell/4 white?: of white", "piece cell/4 wall?: nobody's"]);
    check_some("breakthrough", &["piece cellholds/3 white?: of white"]);
}

#[test]
fn arguments_of_moves_are_cells() {
    check_some("breakthrough", &["move move/4: (1,2) (3,4) on cellholds/3"]);
    check_some("chess_endgame", &["move move/5: (2,3) (4,5) on cell/3"]);
    check_some("connect_four", &["move drop/1: 1 as argument 1 of the cell on cell/3"]);
    check_some("racetrack", &["move move/2: (1,2) on cell/4"]);
}

#[test]
fn neighbours_tell_hexagons_from_squares() {
    check_some("hex_5x5", &["neighbours cell/3 by neighbour: hexagonal"]);
    check_some("chess_endgame", &["neighbours cell/3 by adjacent: square with diagonals"]);
}

#[test]
fn persistent_fluents_are_proved_or_guessed() {
    // Thesis §7.6: marks stay, and a cell that is not blank never is again.
    check_some(
        "tictactoe",
        &["persistent cell with blank: 9 stay false", "persistent cell with x: 9 stay true?"],
    );
    // Stones in the corners cannot be turned.
    check_some(
        "othello",
        &["persistent cell with black: 4 stay true", "persistent cell with blank: 60 stay false"],
    );
    let (_, found) = analyse("breakthrough");
    assert!(found.persistent.iter().all(|one| one.evidence.is_proved()));
}

#[test]
fn latches_bound_rewards_and_mobility_ends_games() {
    check_some("battle", &["latch (captured red 0) false: red gets 20 to 100"]);
    check_some("checkers", &["mobility: the end and the rewards depend on slide"]);
    check_some("reversi_6x6", &["mobility: the end depends on possible"]);
    assert_eq!(lines("tictactoe", "mobility"), Vec::<String>::new());
}

#[test]
fn pictures_show_what_lies_where() {
    let (game, found) = analyse("racetrack");
    let initial = &found.sample.states[0].state;
    let pictures = found.pictures(&game, initial);
    let titles: Vec<_> = pictures.iter().map(|picture| picture.title.as_str()).collect();
    assert_eq!(titles, ["cell blane", "cell wlane"]);
    let white = &pictures[1];
    assert_eq!(
        (white.columns.join(""), white.rows.join("")),
        ("abcde".to_owned(), "321".to_owned())
    );
    let filled: Vec<_> = white.cells.iter().filter(|cell| !cell.contents.is_empty()).collect();
    assert_eq!((filled.len(), filled[0].column, filled[0].row), (1, 0, 1));
    let (game, found) = analyse("sokoban");
    let pictures = found.pictures(&game, &found.sample.states[0].state);
    assert_eq!(pictures.len(), 1, "boxes and keeper are on one board");
    // The cross of peg solitaire has no corners.
    let (game, found) = analyse("peg_solitaire");
    let pictures = found.pictures(&game, &found.sample.states[0].state);
    assert_eq!(pictures[0].cells.len(), 33);
}

#[test]
fn a_prover_confirms_and_refutes() {
    struct Knows;
    impl structure::Prover for Knows {
        fn inputs(&mut self, fluent: structure::Functor, inputs: &[usize]) -> structure::Verdict {
            match (fluent.arity, inputs) {
                (3, [0, 1]) => structure::Verdict::Proved,
                (1, []) => structure::Verdict::Refuted,
                _ => structure::Verdict::Unknown,
            }
        }
    }
    let entry = library::find("tictactoe").expect("a game of the library");
    let game = Game::from_text(entry.rules).expect("playable");
    let reasoner = Reasoner::build(&game, &Budget::default());
    let found = Structures::find(&reasoner, &Settings::default(), &Deadline::never(), &mut Knows);
    let text = found.to_text(&game);
    assert!(text.contains("fluent cell/3: inputs {1,2}, 27"), "{text}");
    assert!(text.contains("fluent control/1: inputs {1}, 2"), "{text}");
}

#[test]
fn no_time_is_a_result() {
    let entry = library::find("chess").expect("a game of the library");
    let game = Game::from_text(entry.rules).expect("playable");
    let reasoner = Reasoner::interpreter(&game);
    let now = Deadline::at(Instant::now());
    let found = Structures::find(&reasoner, &Settings::default(), &now, &mut NoProver);
    assert!(!found.notes.is_empty());
}

#[test]
fn the_interpreter_alone_leads_to_the_same_boards() {
    for name in ["tictactoe", "connect_four", "racetrack"] {
        let (game, found) = analyse(name);
        let other = Reasoner::interpreter(&game);
        let deadline = Deadline::within(Duration::from_secs(20));
        let again = Structures::find(&other, &Settings::default(), &deadline, &mut NoProver);
        let sizes = |found: &Structures| -> Vec<(String, usize)> {
            found.boards.iter().map(|b| (b.size_text(), b.contents.len())).collect()
        };
        assert_eq!(sizes(&found), sizes(&again), "{name}");
    }
}

/// All games of the library; the slowest ones only where `FLUXION_ALL` is set.
#[test]
fn every_library_game_is_analysed_in_bounded_time() {
    let all = std::env::var_os("FLUXION_ALL").is_some();
    let slow = ["amazons_unsplit_10x10", "amazons_unsplit_6x6", "amazons_10x10", "chess"];
    for entry in library::games() {
        if slow.contains(&entry.name) && !all {
            continue;
        }
        let begin = Instant::now();
        let (game, found) = analyse(entry.name);
        println!("== {} {:?}\n{}", entry.name, begin.elapsed(), found.to_text(&game));
        for note in &found.notes {
            println!("note {note}");
        }
        for (name, time) in &found.times {
            println!("time {name} {time:?}");
        }
        assert!(!found.sample.states.is_empty(), "{}", entry.name);
        let initial = &found.sample.states[0].state;
        let roles: Vec<String> = game.role_ids().map(|role| game.role_name(role)).collect();
        for picture in found.pictures(&game, initial) {
            let svg = structure::draw::svg(&picture, &roles);
            assert!(svg.starts_with("<svg") && svg.ends_with("</svg>") && !svg.contains("NaN"));
        }
    }
}
