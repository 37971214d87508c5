//! Whether a content that is taken for an empty cell is one, for drawing.
//!
//! Where every cell always has a content, the one that comes and goes most is taken for nothing
//! ([`structure::Piece::empty`]). That is wrong where all contents mean something: the pegs on which the discs of
//! Hanoi lie, the colours of a cube. What stands for nothing takes part in nearly every change, and of three contents
//! and more others do not.

use std::collections::BTreeSet;

use game::Game;
use structure::{Board, Structures};

/// The share of the changes that an empty cell takes part in, in percent, and the share below which some other
/// content stays.
const MOSTLY: usize = 90;
const OFTEN: usize = 60;
/// The most steps of random play that are looked at.
const MOST: usize = 400;

/// Lets contents be drawn that stand for something.
pub fn keep_contents(structures: &mut Structures, game: &Game) {
    for number in 0..structures.boards.len() {
        let own = |at: &usize| structures.pieces[*at].board == number;
        let pieces: Vec<usize> = (0..structures.pieces.len()).filter(own).collect();
        let empty = pieces.iter().copied().find(|at| structures.pieces[*at].empty);
        let Some(empty) = empty.filter(|_| pieces.len() > 2) else { continue };
        let shares = shares(structures, &structures.boards[number], game);
        let partakes = |at: &usize, least: usize| {
            let content = &structures.pieces[*at].content;
            shares.iter().any(|(known, share)| known == content && *share >= least)
        };
        let mut others = pieces
            .iter()
            .filter(|at| **at != empty && structures.pieces[**at].owner.is_none())
            .peekable();
        let alike = others.peek().is_some() && others.all(|at| partakes(at, OFTEN));
        if !partakes(&empty, MOSTLY) || alike {
            structures.pieces[empty].empty = false;
        }
    }
}

/// For each content the share of the changes of a board that it takes part in, in percent.
fn shares(structures: &Structures, board: &Board, game: &Game) -> Vec<(String, usize)> {
    let sample = &structures.sample;
    let (mut counts, mut changes): (Vec<(String, usize)>, usize) = (Vec::new(), 0);
    for step in sample.transitions.iter().take(MOST) {
        let cells = |at: usize| -> BTreeSet<(Vec<usize>, String)> {
            let seen = sample.states.get(at);
            seen.map(|seen| board.cells(game, &seen.state))
                .unwrap_or_default()
                .into_iter()
                .collect()
        };
        let (before, after) = (cells(step.from), cells(step.to));
        let changed: BTreeSet<&String> =
            before.symmetric_difference(&after).map(|(_, content)| content).collect();
        changes += usize::from(!changed.is_empty());
        for content in changed {
            match counts.iter_mut().find(|(known, _)| known == content) {
                Some((_, count)) => *count += 1,
                None => counts.push((content.clone(), 1)),
            }
        }
    }
    counts.into_iter().map(|(content, count)| (content, count * 100 / changes.max(1))).collect()
}

#[cfg(test)]
mod tests {
    use game::{Budget, Deadline, Reasoner};
    use structure::{NoProver, Settings};

    use super::*;

    /// The contents of a library game that are drawn as nothing.
    fn nothing(name: &str) -> Vec<String> {
        let entry = library::find(name).expect("is in the library");
        let game = Game::from_text(entry.rules).expect("valid");
        let reasoner = Reasoner::build(&game, &Budget::default());
        let mut found =
            Structures::find(&reasoner, &Settings::default(), &Deadline::never(), &mut NoProver);
        keep_contents(&mut found, &game);
        let empty = found.pieces.iter().filter(|piece| piece.empty);
        empty.map(|piece| piece.content.clone()).collect()
    }

    #[test]
    fn pegs_and_colours_are_something() {
        assert_eq!(nothing("hanoi"), Vec::<String>::new());
        assert_eq!(nothing("rubik_2x2"), Vec::<String>::new());
    }

    #[test]
    fn blank_cells_are_nothing() {
        assert_eq!(nothing("tictactoe"), ["blank"]);
        assert_eq!(nothing("eight_puzzle").len(), 1);
    }
}
