//! The worked examples of Rauber-14, on the position of its Figure 1.
//!
//! The figure is not in the text, but its numbers nearly determine it. The board is 6x6: only there a role has 80
//! actions. Black can reach 3 border and 3 inner cells in s1 and is 3 moves from the end: a single pawn on the
//! fourth row at the border, say a4. Black's 4 border and 6 inner cells in s2, 4 moves from the end, are a single
//! pawn on the fifth row at the border: a5 or f5. The white pawn that captures a4 comes from b3; the other one
//! stands beside the black pawn on the fifth row. White's 3 border and 4 inner cells in s2 leave e4 and f5 only.
//!
//! One number cannot come out: with a white pawn on b3, White reaches in s1 at least b3, b4, c4, b5, c5, d5, that
//! is 6 inner cells, where the paper counts 5 (21 actions). We find 24 actions, and h2(s1) = 9/80 instead of 6/80.

use std::sync::Arc;

use game::{Budget, Deadline, Game, JointMove, Machine, Reasoner, Role, State};
use relax::{Heuristic, Insight, Relaxation, Relaxed};

const WHITE: Role = Role(0);
const BLACK: Role = Role(1);

/// Breakthrough of Example 1: only reaching the other side wins, not capturing everything.
fn breakthrough() -> (Game, Reasoner, Arc<Relaxation>) {
    let sheet = library::find("breakthrough_6x6").expect("is in the library");
    let mut rules = sheet.rules.to_owned();
    for (head, condition) in [("whitewin", "blackcell"), ("blackwin", "whitecell")] {
        let clause = format!("(<= {head}\n  (not {condition}))");
        assert!(rules.contains(&clause), "the sheet has changed");
        rules = rules.replace(&clause, "");
    }
    let game = Game::from_text(&rules).expect("valid");
    let reasoner = Reasoner::build(&game, &Budget::default());
    let relaxation = Relaxation::of(&reasoner, &Deadline::never()).expect("small");
    (game, reasoner, relaxation)
}

fn state(game: &Game, fluents: &[&str]) -> State {
    let universe = game.universe();
    fluents.iter().map(|text| universe.fluent(&universe.parse(text).expect("a term"))).collect()
}

/// Figure 1, with white to move.
fn figure_1(game: &Game) -> State {
    state(
        game,
        &[
            "(control white)",
            "(cellholds 5 4 white)",
            "(cellholds 2 3 white)",
            "(cellholds 6 5 black)",
            "(cellholds 1 4 black)",
        ],
    )
}

fn after(game: &Game, machine: &mut dyn Machine, state: &State, action: &str) -> State {
    let universe = game.universe();
    let term = |text| universe.action(&universe.parse(text).expect("a term"));
    machine.next(state, &JointMove(vec![term(action), term("noop")])).expect("small")
}

/// s1 and s2: the most and the least advanced white pawn captures.
fn successors() -> (Arc<Relaxation>, State, State) {
    let (game, reasoner, relaxation) = breakthrough();
    let mut machine = reasoner.machine();
    let root = figure_1(&game);
    let s1 = after(&game, &mut *machine, &root, "(move 5 4 6 5)");
    let s2 = after(&game, &mut *machine, &root, "(move 2 3 1 4)");
    (relaxation, s1, s2)
}

#[test]
fn example_1_gives_the_lengths_and_values_of_the_paper() {
    let (relaxation, s1, s2) = successors();
    let mut insight = Insight::new(&relaxation);
    insight.look(&s1);
    assert_eq!((insight.to_win(WHITE), insight.to_win(BLACK)), (Some(1), Some(3)));
    insight.look(&s2);
    assert_eq!((insight.to_win(WHITE), insight.to_win(BLACK)), (Some(2), Some(4)));
    let mut h1 = Relaxed::new(&relaxation, Heuristic::H1);
    assert!((h1.value(&s1, WHITE) - 2.0 / 3.0).abs() < 1e-9);
    assert!((h1.value(&s2, WHITE) - 0.5).abs() < 1e-9);
    assert!((h1.value(&s2, BLACK) + 0.5).abs() < 1e-9);
}

#[test]
fn example_2_gives_the_relevant_actions_of_the_paper_but_for_its_slip() {
    let (relaxation, s1, s2) = successors();
    assert_eq!((relaxation.actions(WHITE), relaxation.actions(BLACK)), (80, 80));
    let mut insight = Insight::new(&relaxation);
    insight.look(&s1);
    // The paper has 21 for White: see above.
    assert_eq!((insight.relevant(WHITE), insight.relevant(BLACK)), (24, 15));
    insight.look(&s2);
    assert_eq!((insight.relevant(WHITE), insight.relevant(BLACK)), (18, 26));
    let mut h2 = Relaxed::new(&relaxation, Heuristic::H2);
    assert!((h2.value(&s1, WHITE) - 9.0 / 80.0).abs() < 1e-9);
    assert!((h2.value(&s2, WHITE) + 8.0 / 80.0).abs() < 1e-9);
    let mut both = Relaxed::new(&relaxation, Heuristic::H12);
    assert!((both.value(&s2, WHITE) - (0.25 - 0.05)).abs() < 1e-9);
}

#[test]
fn all_actions_are_relevant_at_the_beginning() {
    let (_, reasoner, relaxation) = breakthrough();
    let initial = reasoner.machine().initial().expect("small");
    let mut insight = Insight::new(&relaxation);
    insight.look(&initial);
    assert_eq!((insight.relevant(WHITE), insight.relevant(BLACK)), (80, 80));
    // Four moves to the other side; the sides are alike.
    assert_eq!((insight.to_win(WHITE), insight.to_win(BLACK)), (Some(4), Some(4)));
}

#[test]
fn no_position_gives_all_numbers_of_example_2() {
    // The cells, border and inner, that a pawn can still move from.
    let cone = |file: i32, rank: i32, up: bool| -> std::collections::BTreeSet<(i32, i32)> {
        let steps = if up { 5 - rank } else { rank - 2 };
        let cells = (0..=steps).flat_map(|step| {
            let rank = if up { rank + step } else { rank - step };
            (file - step..=file + step).map(move |file| (file, rank))
        });
        cells.filter(|(file, _)| (1..=6).contains(file)).collect()
    };
    let count = |cells: &std::collections::BTreeSet<(i32, i32)>| {
        let border = cells.iter().filter(|(file, _)| *file == 1 || *file == 6).count();
        (border, cells.len() - border)
    };
    // Black in s1: 3 border and 3 inner cells, nearest pawn on the fourth row.
    let mut found = Vec::new();
    for file in 1..=6 {
        if count(&cone(file, 4, false)) == (3, 3) {
            found.push(file);
        }
    }
    assert_eq!(found, [1, 6], "more pawns would reach no fewer cells");
    // Whoever captures there comes from the third row beside the border.
    for file in [2, 5] {
        assert!(count(&cone(file, 3, true)).1 > 5);
    }
}
