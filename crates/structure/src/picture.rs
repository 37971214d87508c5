//! Boards laid out for people: rows and columns, what is in each cell, whose it is.
//!
//! A [`Picture`] is a plain model without any drawing; [`crate::draw`] makes SVG of it, and other front ends may
//! draw it in their own way. A board whose cells are all cells of another one shares its picture, since to people
//! they are layers of one board: the boxes and the keeper of Sokoban. The names that a rule sheet uses decide nothing here but the
//! order of coordinates that have no order relation.

use game::{FluentId, Game, State};
use rustc_hash::FxHashMap;

use crate::board::{Board, BoardKind};
use crate::fluent::{Axis, Functor, args};
use crate::grid::Tiling;
use crate::structures::Structures;

/// One board, ready to be drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// The fluents, and which of several boards it is.
    pub title: String,
    /// The coordinate of each column, from left to right.
    pub columns: Vec<String>,
    /// The coordinate of each row, from the top: the highest comes first. One nameless row for a line of cells.
    pub rows: Vec<String>,
    /// The shape of the cells.
    pub tiling: Tiling,
    /// The cells that exist, row by row.
    pub cells: Vec<Cell>,
}

/// A cell of a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Its column.
    pub column: usize,
    /// Its row, from the top.
    pub row: usize,
    /// What is in it; contents that stand for nothing are left out.
    pub contents: Vec<Content>,
}

/// Something in a cell.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Content {
    /// Its name.
    pub name: String,
    /// The number of the role it belongs to.
    pub owner: Option<u32>,
}

/// Where a fluent stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The number of the picture.
    pub picture: usize,
    /// The column.
    pub column: usize,
    /// The row, from the top.
    pub row: usize,
    /// The number of the board among those found.
    pub board: usize,
    /// What the fluent says is there, as the rules call it; empty if it says no more than the place.
    pub content: String,
}

/// The most cells of a picture, and the most pictures.
const MOST_CELLS: usize = 2500;
pub(crate) const MOST_PICTURES: usize = 32;
/// Smaller boards say more as text.
const FEWEST_CELLS: usize = 3;

/// Coordinates in the order in which people read them: an order that counts down is turned round.
pub(crate) fn reading_order(axis: &Axis, game: &Game) -> Vec<usize> {
    let symbols = game.universe().symbols();
    let number = |at: usize| axis.values.get(at)?.to_text(symbols).parse::<i64>().ok();
    let last = axis.values.len().saturating_sub(1);
    let mut order: Vec<usize> = (0..axis.values.len()).collect();
    if matches!((number(0), number(last)), (Some(first), Some(last)) if first > last) {
        order.reverse();
    }
    order
}

/// How the coordinates of a board are laid out.
pub(crate) struct Layout<'s> {
    pub(crate) columns: &'s Axis,
    pub(crate) rows: Option<&'s Axis>,
    /// The coordinates that tell pictures apart.
    pub(crate) others: Vec<&'s Axis>,
}

impl<'s> Layout<'s> {
    pub(crate) fn new(board: &'s Board) -> Option<Self> {
        let (mut others, mut grid) = (board.selectors(), board.grid());
        let extra = grid.len().saturating_sub(2);
        others.extend(grid.drain(..extra));
        let mut grid = grid.into_iter();
        Some(Self { columns: grid.next()?, rows: grid.next(), others })
    }

    /// The axes: columns, rows if there are any, the others.
    fn axes(&self) -> Vec<&'s Axis> {
        let shown = [Some(self.columns), self.rows].into_iter().flatten();
        shown.chain(self.others.iter().copied()).collect()
    }

    fn drawable(&self, board: &Board) -> bool {
        let cells = self.columns.values.len() * self.rows.map_or(1, |axis| axis.values.len());
        (FEWEST_CELLS..=MOST_CELLS).contains(&cells)
            && !(board.kind == BoardKind::Cells && self.rows.is_none() && cells > 40)
    }

    /// Whether every cell of another board is one of this one, too.
    fn covers(&self, other: &Self) -> bool {
        let (own, others) = (self.axes(), other.axes());
        let inside = |(own, other): (&&Axis, &&Axis)| {
            other.values.iter().all(|value| own.position(value).is_some())
        };
        own.len() == others.len()
            && self.rows.is_some() == other.rows.is_some()
            && own.iter().zip(&others).all(inside)
    }
}

/// The order in which a layout shows the values of its axes.
struct Placing<'l, 's> {
    layout: &'l Layout<'s>,
    /// The values of the columns, from the left.
    across: Vec<usize>,
    /// The values of the rows, from the top.
    upwards: Vec<usize>,
}

impl<'l, 's> Placing<'l, 's> {
    fn new(layout: &'l Layout<'s>, game: &Game) -> Self {
        let across = reading_order(layout.columns, game);
        let mut upwards = layout.rows.map_or(vec![0], |axis| reading_order(axis, game));
        upwards.reverse();
        Self { layout, across, upwards }
    }

    fn column(&self, value: usize) -> Option<usize> {
        self.across.iter().position(|at| *at == value)
    }

    fn row(&self, value: usize) -> Option<usize> {
        self.upwards.iter().position(|at| *at == value)
    }

    /// Which picture shows which choice of the other coordinates; those without cells are not drawn.
    fn pictures(
        &self,
        known: &FxHashMap<Vec<usize>, Vec<Content>>,
    ) -> FxHashMap<Vec<usize>, usize> {
        let mut numbers = FxHashMap::default();
        for choice in choices(&self.layout.others) {
            if known.keys().any(|key| key[2..] == choice) {
                let next = numbers.len();
                numbers.insert(choice, next);
            }
        }
        numbers
    }
}

impl Structures {
    /// The boards of a state, larger ones first. Which pictures there are, and their cells, is the same for every
    /// state.
    pub fn pictures(&self, game: &Game, state: &State) -> Vec<Picture> {
        let mut pictures: Vec<Picture> = Vec::new();
        for (layout, numbers) in &self.layouts() {
            let own = self.layered(game, state, layout, numbers);
            pictures.extend(own.into_iter().map(|(_, picture)| picture));
        }
        pictures.truncate(MOST_PICTURES);
        pictures
    }

    /// Where each fluent stands on the pictures, by its number; none for fluents that are on no board.
    pub fn spots(&self, game: &Game) -> Vec<Option<Spot>> {
        let mut spots = vec![None; game.universe().fluent_count()];
        let mut first = 0;
        for (layout, numbers) in &self.layouts() {
            let places = Placing::new(layout, game);
            let known = self.known_cells(game, &State::default(), layout, numbers);
            let picture_of = places.pictures(&known);
            self.each_fluent(game, layout, numbers, &mut |fluent, board, key| {
                let Some(picture) = picture_of.get(&key[2..]) else { return };
                let (Some(column), Some(row)) = (places.column(key[0]), places.row(key[1])) else {
                    return;
                };
                let entry = game.universe().fluent_entry(fluent);
                let name = self.boards[board].content(&entry.term, game.universe().symbols());
                let spot = Spot { picture: first + picture, column, row, board, content: name };
                if spot.picture < MOST_PICTURES && fluent.index() < spots.len() {
                    spots[fluent.index()] = Some(spot);
                }
            });
            first += picture_of.len();
        }
        spots
    }

    /// The layouts of the boards that are drawn, with the boards that share each.
    pub(crate) fn layouts(&self) -> Vec<(Layout<'_>, Vec<usize>)> {
        let mut groups: Vec<(Layout<'_>, Vec<usize>)> = Vec::new();
        for (number, board) in self.boards.iter().enumerate() {
            let Some(layout) = Layout::new(board).filter(|layout| layout.drawable(board)) else {
                continue;
            };
            match groups.iter_mut().find(|(known, _)| known.covers(&layout)) {
                Some((_, numbers)) => numbers.push(number),
                None => groups.push((layout, vec![number])),
            }
        }
        groups
    }

    /// The pictures of boards that lie on each other, one for each choice of the other coordinates.
    pub(crate) fn layered(
        &self,
        game: &Game,
        state: &State,
        layout: &Layout<'_>,
        numbers: &[usize],
    ) -> Vec<(Vec<usize>, Picture)> {
        let symbols = game.universe().symbols();
        let names: Vec<_> =
            numbers.iter().map(|n| symbols.name(self.boards[*n].functor.name).to_owned()).collect();
        let text = |axis: &Axis, at: &usize| axis.values[*at].to_text(symbols);
        let Placing { across, upwards, .. } = Placing::new(layout, game);
        let known = self.known_cells(game, state, layout, numbers);
        let mut pictures = Vec::new();
        for choice in choices(&layout.others) {
            let which = layout.others.iter().zip(&choice).map(|(axis, at)| text(axis, at));
            let which: Vec<String> = which.collect();
            let mut cells = Vec::new();
            for (row, y) in upwards.iter().enumerate() {
                for (column, x) in across.iter().enumerate() {
                    let key = [&[*x, *y][..], &choice].concat();
                    if let Some(contents) = known.get(&key) {
                        cells.push(Cell { column, row, contents: contents.clone() });
                    }
                }
            }
            let (names, which) = (names.join(", "), which.join(" "));
            let title = if which.is_empty() { names } else { format!("{names} {which}") };
            let rows = layout.rows.map_or(vec![String::new()], |axis| {
                upwards.iter().map(|at| text(axis, at)).collect()
            });
            let columns = across.iter().map(|at| text(layout.columns, at)).collect();
            let tiling = self.tiling(numbers);
            pictures.push((choice, Picture { title, columns, rows, tiling, cells }));
        }
        pictures.retain(|(_, picture)| !picture.cells.is_empty());
        pictures
    }

    fn tiling(&self, numbers: &[usize]) -> Tiling {
        let own = self.neighbours.iter().filter(|found| numbers.contains(&found.board));
        let hexagonal = |tiling: &Tiling| matches!(tiling, Tiling::Hexagonal(_));
        own.map(|found| found.tiling).find(hexagonal).unwrap_or(Tiling::Square)
    }

    /// All cells that some fluent is about, by column, row and the other coordinates, with their contents.
    fn known_cells(
        &self,
        game: &Game,
        state: &State,
        layout: &Layout<'_>,
        numbers: &[usize],
    ) -> FxHashMap<Vec<usize>, Vec<Content>> {
        let universe = game.universe();
        let mut known: FxHashMap<Vec<usize>, Vec<Content>> = FxHashMap::default();
        self.each_fluent(game, layout, numbers, &mut |fluent, number, key| {
            let contents = known.entry(key).or_default();
            if state.contains(fluent) {
                let term = &universe.fluent_entry(fluent).term;
                let name = self.boards[number].content(term, universe.symbols());
                contents.extend(self.content(number, name, game));
                contents.sort_unstable();
            }
        });
        known
    }

    /// All fluents on some boards, with the board and the places on its axes: column, row, the others.
    fn each_fluent(
        &self,
        game: &Game,
        layout: &Layout<'_>,
        numbers: &[usize],
        tell: &mut dyn FnMut(FluentId, usize, Vec<usize>),
    ) {
        let universe = game.universe();
        let axes = layout.axes();
        let arguments: Vec<Vec<usize>> = numbers
            .iter()
            .filter_map(|number| Layout::new(&self.boards[*number]))
            .map(|own| own.axes().iter().map(|axis| axis.argument).collect())
            .collect();
        for id in 0..universe.fluent_count() as u32 {
            let entry = universe.fluent_entry(FluentId(id));
            for (number, arguments) in numbers.iter().zip(&arguments) {
                if Functor::of(&entry.term) != self.boards[*number].functor {
                    continue;
                }
                let args = args(&entry.term);
                let places = axes.iter().zip(arguments).map(|(axis, at)| axis.position(&args[*at]));
                let Some(mut key) = places.collect::<Option<Vec<usize>>>() else { continue };
                if layout.rows.is_none() {
                    key.insert(1, 0);
                }
                tell(FluentId(id), *number, key);
            }
        }
    }

    /// What is drawn for a content; nothing for an empty cell.
    fn content(&self, number: usize, name: String, game: &Game) -> Option<Content> {
        let piece = self.pieces.iter().find(|p| p.board == number && p.content == name);
        if piece.is_some_and(|piece| piece.empty) {
            return None;
        }
        let owner = piece.and_then(|piece| piece.owner).map(|role| role.0);
        let functor = self.boards[number].functor;
        let name = if name.is_empty() {
            game.universe().symbols().name(functor.name).to_owned()
        } else {
            name
        };
        Some(Content { name, owner })
    }
}

/// All combinations of values, at most as many as pictures are drawn.
fn choices(axes: &[&Axis]) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for axis in axes {
        all = all
            .iter()
            .flat_map(|choice| (0..axis.values.len()).map(move |at| [&choice[..], &[at]].concat()))
            .take(MOST_PICTURES)
            .collect();
    }
    all
}
