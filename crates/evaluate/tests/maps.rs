//! Distance maps and the drawing of fluent graphs.

use evaluate::{DistanceMap, DistanceReport, FluentGraph, Selection};
use game::{Budget, Deadline, Game, Machine, Reasoner};
use structure::{NoProver, Settings, Structures};

fn report(name: &str) -> DistanceReport {
    let game = Game::from_text(library::find(name).expect("in the library").rules).expect("sound");
    let reasoner = Reasoner::build(&game, &Budget::default());
    let never = Deadline::never();
    let found = Structures::find(&reasoner, &Settings::default(), &never, &mut NoProver);
    let initial = game.interpreter().initial().expect("an initial state");
    let program = reasoner.gates().expect("small enough").program();
    DistanceReport::new(&game, program, &found, &initial, 1 << 28, &never)
}

/// The steps to a cell that lies so many columns and rows away, rows counted upwards.
fn steps(map: &DistanceMap, columns: i64, rows: i64) -> Option<u32> {
    let number = |at: usize| i64::try_from(at).expect("a small board");
    let place = |at: usize| {
        let cell = &map.picture.cells[at];
        (number(cell.column), number(cell.row))
    };
    let own = map.steps.iter().position(|steps| *steps == Some(0)).expect("the piece itself");
    let wanted = (place(own).0 + columns, place(own).1 - rows);
    let cell = (0..map.steps.len()).find(|at| place(*at) == wanted).expect("on the board");
    map.steps[cell]
}

#[test]
fn a_knight_and_a_pawn_have_different_distances_on_the_same_board() {
    let (knight, pawn) = (report("knightthrough"), report("breakthrough"));
    let [knight, pawn] = [&knight, &pawn].map(|report| {
        report.maps.iter().find(|map| map.piece == "white").expect("a map for white")
    });
    assert_eq!(steps(knight, 1, 2), Some(1), "the move of a knight");
    assert_eq!(steps(pawn, 1, 2), Some(2), "two moves of a pawn");
    assert_eq!(steps(knight, 1, 1), None, "knights go forward only, two or one rows at a time");
    assert_eq!(steps(pawn, 1, 1), Some(1));
    assert_eq!(steps(pawn, 2, 1), None, "a pawn goes no more than one column aside");
}

#[test]
fn every_map_begins_at_its_piece_and_stays_on_its_board() {
    for name in ["chess_endgame", "sokoban", "peg", "connect_four", "pacman3p", "nim", "hanoi"] {
        let Some(entry) = library::find(name) else { continue };
        let report = report(entry.name);
        for map in &report.maps {
            assert_eq!(map.steps.len(), map.picture.cells.len(), "{name}");
            assert!(map.steps.contains(&Some(0)), "{name}: {} is where it is", map.piece);
        }
    }
}

#[test]
fn the_drawing_of_tictactoes_graph_has_all_fluents_and_edges() {
    let game = Game::from_text(library::find("tictactoe").expect("there").rules).expect("sound");
    let program = game.ground(&Budget::default()).expect("small");
    let graph = FluentGraph::build(&program, Selection::Similar, &Deadline::never());
    let names: Vec<String> =
        program.fluents.iter().map(|term| term.to_text(&program.symbols)).collect();
    let (svg, whole) = graph.svg(&names, &program.initial);
    assert!(whole);
    assert_eq!(svg.matches("<rect").count(), graph.fluent_count());
    let nothing = graph.fluent_count() as u32;
    let drawn = (0..nothing).map(|f| graph.sources(f).iter().filter(|s| **s != nothing).count());
    assert_eq!(svg.matches("marker-end").count(), drawn.sum::<usize>());
    let (part, whole) = FluentGraph::build(
        &Game::from_text(library::find("breakthrough").expect("there").rules)
            .expect("sound")
            .ground(&Budget::default())
            .expect("small"),
        Selection::Similar,
        &Deadline::never(),
    )
    .svg(&[], &[]);
    assert!(!whole && part.matches("<rect").count() <= 40);
}
