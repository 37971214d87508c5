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
    check(
        "breakthrough",
        "board",
        &[
            "cellholds/3: 8 x 8 cells, ordered; coordinates 1 (by ++: 1 2 3 4 5 6 7 8), 2 (by ++: 1 2 3 4 5 \
           6 7 8); contents 3 (unordered: black white)",
        ],
    );
}

#[test]
fn every_library_game_is_analysed_in_bounded_time() {
    for entry in library::games() {
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
    }
}
