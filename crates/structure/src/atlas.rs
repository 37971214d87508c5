//! Pictures with the way back: which cells of which picture a fluent or a move is about, so that people can point at
//! cells instead of writing moves.

use game::{Game, GroundTerm, State};

use crate::fluent::{Axis, Functor, args};
use crate::moves::MoveCells;
use crate::picture::{Layout, MOST_PICTURES, Picture, reading_order};
use crate::structures::Structures;

/// The pictures of a state.
pub struct Atlas<'s> {
    structures: &'s Structures,
    groups: Vec<Group<'s>>,
    /// The pictures, larger boards first.
    pub pictures: Vec<Picture>,
    /// For each picture its group and the values of the coordinates that tell pictures of a group apart.
    keys: Vec<(usize, Vec<usize>)>,
}

struct Group<'s> {
    /// The boards that lie on each other, as indices.
    boards: Vec<usize>,
    layout: Layout<'s>,
    /// For each value of the axis the column; the row from the top.
    columns: Vec<usize>,
    rows: Vec<usize>,
}

/// A cell of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Square {
    /// The picture, as an index.
    pub picture: usize,
    /// Its column.
    pub column: usize,
    /// Its row, from the top.
    pub row: usize,
}

/// A column or a row of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Line {
    /// The picture, as an index.
    pub picture: usize,
    /// The column, if it is one.
    pub column: Option<usize>,
    /// The row from the top, if it is one.
    pub row: Option<usize>,
}

/// What a move is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    /// Cells, in the order of the arguments that name them.
    pub cells: Vec<Square>,
    /// Columns and rows that it names without naming a cell.
    pub lines: Vec<Line>,
}

/// For each value of an axis its place among all when read.
fn places(axis: &Axis, game: &Game, backwards: bool) -> Vec<usize> {
    let mut order = reading_order(axis, game);
    if backwards {
        order.reverse();
    }
    let mut places = vec![0; order.len()];
    order.iter().enumerate().for_each(|(place, at)| places[*at] = place);
    places
}

impl Structures {
    /// The pictures of a state, with the way back.
    pub fn atlas(&self, game: &Game, state: &State) -> Atlas<'_> {
        let (mut groups, mut pictures, mut keys) = (Vec::new(), Vec::new(), Vec::new());
        for (layout, boards) in self.layouts() {
            for (choice, picture) in self.layered(game, state, &layout, &boards) {
                pictures.push(picture);
                keys.push((groups.len(), choice));
            }
            let columns = places(layout.columns, game, false);
            let rows = layout.rows.map_or(vec![0], |axis| places(axis, game, true));
            groups.push(Group { boards, layout, columns, rows });
        }
        pictures.truncate(MOST_PICTURES);
        keys.truncate(MOST_PICTURES);
        Atlas { structures: self, groups, pictures, keys }
    }
}

impl Atlas<'_> {
    /// Whether fluents of this name are shown by some picture.
    pub fn shows(&self, functor: Functor) -> bool {
        let shown = |board: &usize| self.structures.boards[*board].functor == functor;
        self.keys.iter().any(|(group, _)| self.groups[*group].boards.iter().any(shown))
    }

    /// The cell that a fluent is about.
    pub fn spot(&self, fluent: &GroundTerm) -> Option<Square> {
        let functor = Functor::of(fluent);
        let is_it = |board: &usize| self.structures.boards[*board].functor == functor;
        let (number, group, board) =
            self.groups.iter().enumerate().find_map(|(number, group)| {
                Some((number, group, *group.boards.iter().find(|board| is_it(board))?))
            })?;
        let own = Layout::new(&self.structures.boards[board])?;
        let args = args(fluent);
        let term = |axis: Option<&Axis>| axis.and_then(|axis| args.get(axis.argument));
        let others: Option<Vec<&GroundTerm>> =
            own.others.iter().map(|axis| term(Some(axis))).collect();
        self.place(number, group, term(Some(own.columns)), term(own.rows), &others?)
    }

    fn place(
        &self,
        number: usize,
        group: &Group<'_>,
        column: Option<&GroundTerm>,
        row: Option<&GroundTerm>,
        others: &[&GroundTerm],
    ) -> Option<Square> {
        let column = group.columns[group.layout.columns.position(column?)?];
        let row = match group.layout.rows {
            Some(axis) => group.rows[axis.position(row?)?],
            None => 0,
        };
        Some(Square { picture: self.picture(number, group, others)?, column, row })
    }

    /// The picture of a group for values of the other coordinates.
    fn picture(&self, number: usize, group: &Group<'_>, others: &[&GroundTerm]) -> Option<usize> {
        let axes = group.layout.others.iter().zip(others);
        let choice: Option<Vec<usize>> = axes.map(|(axis, term)| axis.position(term)).collect();
        let key = (number, choice?);
        self.keys.iter().position(|known| *known == key)
    }

    /// The cells, columns and rows that a move of a role is about.
    pub fn touched(&self, role: &GroundTerm, action: &GroundTerm) -> Touched {
        let functor = Functor::of(action);
        let mut found = Touched::default();
        for moves in self.structures.move_cells.iter().filter(|moves| moves.functor == functor) {
            let Some(number) = self.groups.iter().position(|g| g.boards.contains(&moves.board))
            else {
                continue;
            };
            self.add(number, moves, role, action, &mut found);
        }
        found.lines.sort_unstable();
        found.lines.dedup();
        found
    }

    fn add(
        &self,
        number: usize,
        moves: &MoveCells,
        role: &GroundTerm,
        action: &GroundTerm,
        found: &mut Touched,
    ) {
        let group = &self.groups[number];
        let board = &self.structures.boards[moves.board];
        let (grid, args) = (board.grid(), args(action));
        let Some(own) = Layout::new(board) else { return };
        // By coordinate of the board the term that the move names for it.
        let named = |tuple: &[usize], axis: &Axis| {
            let at = grid.iter().position(|own| own.argument == axis.argument)?;
            tuple.get(at).and_then(|argument| args.get(*argument))
        };
        let used: Vec<usize> = moves.cells.iter().flatten().copied().collect();
        let selector = |axis: &Axis| {
            let free = args.iter().enumerate().filter(|(at, _)| !used.contains(at));
            let terms = free.map(|(_, term)| term).chain([role]);
            terms.into_iter().find(|term| axis.position(term).is_some())
        };
        for tuple in &moves.cells {
            let others: Option<Vec<&GroundTerm>> = own
                .others
                .iter()
                .map(|axis| named(tuple, axis).or_else(|| selector(axis)))
                .collect();
            let Some(others) = others else { continue };
            let row = own.rows.and_then(|axis| named(tuple, axis));
            let spot = self.place(number, group, named(tuple, own.columns), row, &others);
            found.cells.extend(spot.filter(|spot| !found.cells.contains(spot)));
        }
        for (argument, axis) in &moves.lines {
            let Some(term) = args.get(*argument) else { continue };
            let others: Option<Vec<&GroundTerm>> =
                own.others.iter().map(|axis| selector(axis)).collect();
            let Some(picture) = others.and_then(|others| self.picture(number, group, &others))
            else {
                continue;
            };
            let is = |own: &Axis| grid[*axis].argument == own.argument;
            let column = is(own.columns).then(|| group.layout.columns.position(term)).flatten();
            let column = column.map(|at| group.columns[at]);
            let row = own.rows.filter(|own| is(own)).and(group.layout.rows);
            let row = row.and_then(|axis| axis.position(term)).map(|at| group.rows[at]);
            if column.is_some() || row.is_some() {
                found.lines.push(Line { picture, column, row });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use game::{Budget, Deadline, Reasoner};

    use super::*;
    use crate::{NoProver, Settings};

    fn structures(name: &str) -> (Game, Structures) {
        let entry = library::find(name).expect("is in the library");
        let game = Game::from_text(entry.rules).expect("valid");
        let reasoner = Reasoner::build(&game, &Budget::default());
        let deadline = Deadline::never();
        let found = Structures::find(&reasoner, &Settings::default(), &deadline, &mut NoProver);
        (game, found)
    }

    fn touched(name: &str, action: &str) -> Touched {
        let (game, structures) = structures(name);
        let initial = game.interpreter_initial();
        let atlas = structures.atlas(&game, &initial);
        assert_eq!(atlas.pictures, structures.pictures(&game, &initial));
        let action = game.universe().parse(action).expect("a term");
        atlas.touched(&game.roles()[0], &action)
    }

    trait Initial {
        fn interpreter_initial(&self) -> State;
    }

    impl Initial for Game {
        fn interpreter_initial(&self) -> State {
            game::Machine::initial(&mut self.interpreter()).expect("an initial state")
        }
    }

    #[test]
    fn moves_point_at_the_cells_that_they_name() {
        let spot = |column, row| Square { picture: 0, column, row };
        assert_eq!(touched("tictactoe", "(mark a 3)").cells, [spot(0, 0)]);
        let walk = touched("breakthrough", "(move 1 2 2 3)");
        assert_eq!(walk.cells, [spot(0, 6), spot(1, 5)]);
        assert!(walk.lines.is_empty());
    }

    #[test]
    fn a_move_that_names_a_column_points_at_the_column() {
        let drop = touched("connect_four", "(drop c)");
        assert!(drop.cells.is_empty());
        assert_eq!(drop.lines, [Line { picture: 0, column: Some(2), row: None }]);
    }

    #[test]
    fn fluents_lie_where_the_picture_shows_them() {
        let (game, structures) = structures("breakthrough");
        let initial = game.interpreter_initial();
        let atlas = structures.atlas(&game, &initial);
        for fluent in initial.iter() {
            let entry = game.universe().fluent_entry(fluent);
            let Some(spot) = atlas.spot(&entry.term) else { continue };
            let cells = &atlas.pictures[spot.picture].cells;
            let cell = cells.iter().find(|c| (c.column, c.row) == (spot.column, spot.row));
            assert!(cell.is_some(), "{}", entry.text);
        }
        let control = initial.iter().map(|f| game.universe().fluent_entry(f));
        assert!(control.filter(|entry| !atlas.shows(Functor::of(&entry.term))).count() >= 1);
    }
}
