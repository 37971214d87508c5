//! What symmetries are called: reflections and rotations of boards, exchanges of contents and roles; where
//! nothing fits, the first cycles.

use std::collections::BTreeMap;

use game::{Game, GroundTerm};
use structure::Board;
use symmetry::{Point, Symmetries};

/// The boards of a game, and words for what permutations do to them.
pub struct Names {
    game: Game,
    boards: Vec<Board>,
}

/// A cell by its places on the two axes of a grid, and the board among several.
type Cell = (Vec<usize>, usize, usize);

/// What a permutation does to a board.
pub struct OnBoard {
    /// The fluent of the board.
    pub name: String,
    /// The sizes of the two axes.
    pub size: (usize, usize),
    /// Where each cell goes.
    pub cells: BTreeMap<Cell, Cell>,
    /// Contents that change, with what they become.
    pub contents: Vec<(String, String)>,
}

impl Names {
    /// Names for the boards of a game that have two coordinates.
    pub fn new(game: &Game, boards: Vec<Board>) -> Self {
        let boards = boards.into_iter().filter(|board| board.grid().len() == 2).collect();
        Self { game: game.clone(), boards }
    }

    /// A permutation in words.
    pub fn describe(&self, symmetries: &Symmetries, permutation: &[u32]) -> String {
        let boards = self.on_boards(symmetries, permutation);
        let mut parts: Vec<String> = boards.iter().filter_map(words).collect();
        let mut contents: Vec<(String, String)> =
            boards.into_iter().flat_map(|board| board.contents).collect();
        contents.sort();
        contents.dedup();
        parts.extend(exchange(&contents));
        let points = symmetries.points();
        let roles: Vec<(String, String)> = points
            .role_points()
            .filter(|role| permutation[*role as usize] != *role)
            .map(|role| {
                let to = permutation[role as usize];
                (points.text(&self.game, role), points.text(&self.game, to))
            })
            .collect();
        parts.extend(exchange(&roles).map(|text| format!("roles: {text}")));
        if parts.is_empty() {
            parts.push(self.cycles(symmetries, permutation));
        }
        parts.join("; ")
    }

    /// What a permutation does to each board whose cells it maps to cells of the same board.
    pub fn on_boards(&self, symmetries: &Symmetries, permutation: &[u32]) -> Vec<OnBoard> {
        self.boards.iter().filter_map(|board| self.on(board, symmetries, permutation)).collect()
    }

    fn on(&self, board: &Board, symmetries: &Symmetries, permutation: &[u32]) -> Option<OnBoard> {
        let universe = self.game.universe();
        let points = symmetries.points();
        let mut cells = BTreeMap::new();
        let mut contents: BTreeMap<String, String> = BTreeMap::new();
        for point in 0..points.fluents().len() as u32 {
            let Point::Fluent(from) = points.point(point) else { continue };
            let Point::Fluent(to) = points.point(permutation[point as usize]) else { continue };
            let (from, to) = (universe.fluent_entry(from), universe.fluent_entry(to));
            let Some(place) = cell(board, &from.term) else { continue };
            let image = cell(board, &to.term)?;
            // Contents must not decide where a cell goes.
            if *cells.entry(place).or_insert_with(|| image.clone()) != image {
                return None;
            }
            let symbols = universe.symbols();
            let content = board.content(&from.term, symbols);
            contents.insert(content, board.content(&to.term, symbols));
        }
        let grid = board.grid();
        let size = (grid[0].values.len(), grid[1].values.len());
        let name = universe.symbols().name(board.functor.name).to_owned();
        let contents = contents.into_iter().filter(|(from, to)| from != to).collect();
        (!cells.is_empty()).then_some(OnBoard { name, size, cells, contents })
    }

    /// The first cycles, for permutations that no word fits.
    fn cycles(&self, symmetries: &Symmetries, permutation: &[u32]) -> String {
        const FEW: usize = 4;
        let all = symmetry::permutation::cycles(permutation);
        let text = |cycle: &Vec<u32>| {
            let names: Vec<String> =
                cycle.iter().map(|point| symmetries.points().text(&self.game, *point)).collect();
            names.join(" -> ")
        };
        let shown: Vec<String> = all.iter().take(FEW).map(text).collect();
        let more = all.len().saturating_sub(FEW);
        let rest = if more > 0 { format!(" and {more} more cycles") } else { String::new() };
        format!("{}{rest}", shown.join(", "))
    }
}

fn cell(board: &Board, fluent: &GroundTerm) -> Option<Cell> {
    let places = board.cell(fluent)?;
    let place = |argument: usize| {
        board.coordinates.iter().position(|axis| axis.argument == argument).map(|at| places[at])
    };
    let grid = board.grid();
    let others =
        board.selectors().iter().map(|axis| place(axis.argument)).collect::<Option<_>>()?;
    Some((others, place(grid[0].argument)?, place(grid[1].argument)?))
}

/// Pairs as `x <-> o`, longer ones as arrows.
fn exchange(pairs: &[(String, String)]) -> Option<String> {
    if pairs.is_empty() {
        return None;
    }
    let back = |from: &str, to: &str| pairs.iter().any(|(a, b)| a == to && b == from);
    let texts: Vec<String> = pairs
        .iter()
        .filter(|(from, to)| !back(from, to) || from < to)
        .map(|(from, to)| {
            let arrow = if back(from, to) { "<->" } else { "->" };
            format!("{from} {arrow} {to}")
        })
        .collect();
    Some(texts.join(", "))
}

/// Where a cell goes on a board of a given size.
type Map = fn(usize, usize, usize, usize) -> (usize, usize);

/// What is done to boards, with whether it needs a square one.
const KNOWN: [(&str, bool, Map); 8] = [
    ("", false, |x, y, _, _| (x, y)),
    ("reflection of the first coordinate", false, |x, y, w, _| (w - 1 - x, y)),
    ("reflection of the second coordinate", false, |x, y, _, h| (x, h - 1 - y)),
    ("rotation by 180 degrees", false, |x, y, w, h| (w - 1 - x, h - 1 - y)),
    ("transposition of the coordinates", true, |x, y, _, _| (y, x)),
    ("reflection in the other diagonal", true, |x, y, w, h| (h - 1 - y, w - 1 - x)),
    ("rotation by 90 degrees", true, |x, y, _, h| (h - 1 - y, x)),
    ("rotation by 270 degrees", true, |x, y, w, _| (y, w - 1 - x)),
];

/// The name of what is done to some cells; empty if they stay.
fn known(size: (usize, usize), cells: &[(&Cell, &Cell)]) -> Option<&'static str> {
    let (w, h) = size;
    let fits = |map: Map| {
        cells.iter().all(|((_, x, y), (_, to_x, to_y))| map(*x, *y, w, h) == (*to_x, *to_y))
    };
    let found = KNOWN.iter().find(|(_, square, map)| (!square || w == h) && fits(*map));
    found.map(|(name, _, _)| *name)
}

/// The name of what a permutation does to the cells of a board; none if it moves no cell.
fn words(board: &OnBoard) -> Option<String> {
    let cells: Vec<(&Cell, &Cell)> = board.cells.iter().collect();
    let moved = cells.iter().filter(|(from, to)| from != to).count();
    if moved == 0 {
        return None;
    }
    let name = &board.name;
    let exchanged = cells.iter().any(|(from, to)| from.0 != to.0);
    let text = match (known(board.size, &cells), exchanged) {
        (Some(""), _) => format!("{name}: boards exchanged"),
        (Some(what), true) => format!("{name}: boards exchanged, with {what}"),
        (Some(what), false) => format!("{name}: {what}"),
        (None, false) => on_single_boards(board)
            .unwrap_or_else(|| format!("{name}: {moved} of {} cells are moved", cells.len())),
        (None, true) => {
            format!("{name}: boards exchanged, {moved} of {} cells are moved", cells.len())
        }
    };
    Some(text)
}

/// Where every board keeps its cells, and what happens to each has a name.
fn on_single_boards(board: &OnBoard) -> Option<String> {
    let mut single: BTreeMap<&Vec<usize>, Vec<(&Cell, &Cell)>> = BTreeMap::new();
    for (from, to) in &board.cells {
        single.entry(&from.0).or_default().push((from, to));
    }
    let mut texts = Vec::new();
    for (number, cells) in single.values().enumerate() {
        match known(board.size, cells)? {
            "" => {}
            what => texts.push(format!("{} {}: {what}", board.name, number + 1)),
        }
    }
    Some(texts.join(", "))
}
