//! What each step of random play changed on a board.

use game::Game;

use crate::board::Board;
use crate::sample::Sample;

/// A cell with what is in it, by its number in [`Changes::contents`].
pub(crate) type Mark = (Vec<usize>, u32);

/// What one transition changed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Change {
    pub gained: Vec<Mark>,
    pub lost: Vec<Mark>,
}

/// The changes of all transitions on one board, in their order.
pub(crate) struct Changes {
    pub contents: Vec<String>,
    pub steps: Vec<Change>,
}

impl Changes {
    pub fn new(game: &Game, board: &Board, sample: &Sample) -> Self {
        let mut marks = Marks { game, board, known: Vec::new(), contents: Vec::new() };
        // Contents that are there but never change count, too.
        for seen in &sample.states {
            for fluent in seen.state.iter() {
                marks.of(fluent);
            }
        }
        let mut steps = Vec::with_capacity(sample.transitions.len());
        for transition in &sample.transitions {
            let from = &sample.states[transition.from].state;
            let to = &sample.states[transition.to].state;
            let mut only = |one: &game::State, other: &game::State| {
                let new = one.iter().filter(|fluent| !other.contains(*fluent));
                new.filter_map(|fluent| marks.of(fluent)).collect()
            };
            steps.push(Change { gained: only(to, from), lost: only(from, to) });
        }
        Self { contents: marks.contents, steps }
    }
}

/// What is known about a fluent.
#[derive(Clone)]
enum Known {
    NotMet,
    NotOfTheBoard,
    Is(Mark),
}

/// Fluents as cells and contents, each worked out once.
struct Marks<'a> {
    game: &'a Game,
    board: &'a Board,
    /// By the number of the fluent.
    known: Vec<Known>,
    contents: Vec<String>,
}

impl Marks<'_> {
    fn of(&mut self, fluent: game::FluentId) -> Option<Mark> {
        if self.known.len() <= fluent.index() {
            self.known.resize(fluent.index() + 1, Known::NotMet);
        }
        if matches!(self.known[fluent.index()], Known::NotMet) {
            let universe = self.game.universe();
            let entry = universe.fluent_entry(fluent);
            let mark = self.board.cell(&entry.term).map(|cell| {
                let content = self.board.content(&entry.term, universe.symbols());
                let known = self.contents.iter().position(|other| *other == content);
                let number = known.unwrap_or_else(|| {
                    self.contents.push(content);
                    self.contents.len() - 1
                });
                (cell, number as u32)
            });
            self.known[fluent.index()] = mark.map_or(Known::NotOfTheBoard, Known::Is);
        }
        match &self.known[fluent.index()] {
            Known::Is(mark) => Some(mark.clone()),
            Known::NotMet | Known::NotOfTheBoard => None,
        }
    }
}
