//! Boards drawn from states. A fluent such as `(cell 1 2 x)` with two coordinates and something at
//! them is recognised by its shape alone; where there is none, states are lists of facts.

use std::collections::{BTreeMap, BTreeSet};

use game::{Game, GroundTerm, State};

/// The widest board that is drawn.
const WIDEST: usize = 40;
/// Names that usually stand for nothing at a cell.
const EMPTY: [&str; 8] = ["b", "blank", "empty", "nil", "none", "free", "e", "clear"];

/// A coordinate that sorts numbers by value, and before words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Coordinate(bool, u64, String);

impl Coordinate {
    fn new(text: String) -> Self {
        let number = text.parse::<u64>();
        Self(number.is_err(), number.unwrap_or(0), text)
    }
}

/// A fluent with two coordinates, and how its contents are drawn.
pub struct Board {
    name: String,
    arity: usize,
    columns: BTreeSet<Coordinate>,
    rows: BTreeSet<Coordinate>,
    /// Contents that stand for nothing are there.
    has_empty: bool,
    symbols: Vec<(String, String)>,
}

type Cells = BTreeMap<(Coordinate, Coordinate), String>;

impl Board {
    /// Finds a board in a state: the fluent with the most cells whose two first arguments are
    /// constants, differ from cell to cell, and fill at least a quarter of a rectangle.
    pub fn recognise(game: &Game, state: &State) -> Option<Self> {
        let mut best: Option<(usize, Self)> = None;
        for (name, arity) in shapes(game, state) {
            let Some((cells, count)) = cells(game, state, &name, arity) else { continue };
            let columns: BTreeSet<_> = cells.keys().map(|(x, _)| x.clone()).collect();
            let rows: BTreeSet<_> = cells.keys().map(|(_, y)| y.clone()).collect();
            let area = columns.len() * rows.len();
            let fits =
                columns.len() >= 2 && rows.len() >= 2 && columns.len().max(rows.len()) <= WIDEST;
            let dense = count >= 4 && area <= 4 * count;
            if !fits || !dense || best.as_ref().is_some_and(|(most, _)| *most >= count) {
                continue;
            }
            let has_empty = cells.values().any(|content| is_empty(content));
            let board = Self { name, arity, columns, rows, has_empty, symbols: Vec::new() };
            best = Some((count, board));
        }
        best.map(|(_, board)| board)
    }

    /// Draws the cells of a state, the rows with the highest coordinate on top.
    pub fn draw(&mut self, game: &Game, state: &State) -> Vec<String> {
        let (cells, _) = cells(game, state, &self.name, self.arity).unwrap_or_default();
        for ((x, y), content) in &cells {
            self.columns.insert(x.clone());
            self.rows.insert(y.clone());
            self.learn(content);
        }
        let hole = if self.has_empty { " " } else { "." };
        let label = self.rows.iter().map(|y| y.2.chars().count()).max().unwrap_or(0);
        let marks = self.symbols.iter().map(|(_, symbol)| symbol.chars().count());
        let heads = self.columns.iter().map(|x| x.2.chars().count());
        let width = marks.chain(heads).max().unwrap_or(1);
        let mut lines = Vec::new();
        for y in self.rows.iter().rev() {
            let row: Vec<String> = self
                .columns
                .iter()
                .map(|x| cells.get(&(x.clone(), y.clone())).map_or(hole, |c| self.symbol(c)))
                .map(|symbol| format!("{symbol:>width$}"))
                .collect();
            lines.push(format!("{:>label$} | {}", y.2, row.join(" ")));
        }
        let heads: Vec<String> = self.columns.iter().map(|x| format!("{:>width$}", x.2)).collect();
        lines.push(format!("{:>label$}   {}", "", heads.join(" ")));
        lines
    }

    /// What the symbols mean, where they are not the names themselves.
    pub fn legend(&self) -> Vec<String> {
        let short = self.symbols.iter().filter(|(content, symbol)| content != symbol);
        let named = short.filter(|(content, _)| !is_empty(content));
        named.map(|(content, symbol)| format!("{symbol} = {content}")).collect()
    }

    fn symbol(&self, content: &str) -> &str {
        let known = self.symbols.iter().find(|(known, _)| known == content);
        known.map_or("?", |(_, symbol)| symbol)
    }

    /// Gives new contents a symbol: nothing is a dot, short names are themselves, long ones get a
    /// letter of theirs that is still free.
    fn learn(&mut self, content: &str) {
        if self.symbols.iter().any(|(known, _)| known == content) {
            return;
        }
        let taken = |symbol: &str| self.symbols.iter().any(|(_, used)| used == symbol);
        let symbol = if is_empty(content) {
            ".".to_owned()
        } else if content.chars().count() <= 2 && !taken(content) {
            content.to_owned()
        } else {
            let letters = content.chars().filter(|c| c.is_alphanumeric());
            let candidates = letters.flat_map(|c| [c.to_string(), c.to_uppercase().to_string()]);
            let free = candidates.into_iter().find(|symbol| !taken(symbol));
            free.unwrap_or_else(|| self.symbols.len().to_string())
        };
        self.symbols.push((content.to_owned(), symbol));
    }
}

fn is_empty(content: &str) -> bool {
    EMPTY.contains(&content.to_lowercase().as_str())
}

fn shape(term: &GroundTerm, game: &Game) -> Option<(String, usize)> {
    match term {
        GroundTerm::Function(name, args) if args.len() >= 3 => {
            Some((game.universe().symbols().name(*name).to_owned(), args.len()))
        }
        _ => None,
    }
}

fn shapes(game: &Game, state: &State) -> BTreeSet<(String, usize)> {
    state.iter().filter_map(|id| shape(&game.universe().fluent_entry(id).term, game)).collect()
}

/// The cells of a fluent; none if a coordinate is not a constant or a cell holds two things.
fn cells(game: &Game, state: &State, name: &str, arity: usize) -> Option<(Cells, usize)> {
    let symbols = game.universe().symbols();
    let mut cells = Cells::new();
    let mut count = 0;
    for id in state.iter() {
        let entry = game.universe().fluent_entry(id);
        let GroundTerm::Function(functor, args) = &entry.term else { continue };
        if args.len() != arity || symbols.name(*functor) != name {
            continue;
        }
        let (GroundTerm::Constant(x), GroundTerm::Constant(y)) = (&args[0], &args[1]) else {
            return None;
        };
        let place = |symbol| Coordinate::new(symbols.name(symbol).to_owned());
        let content: Vec<String> = args[2..].iter().map(|arg| arg.to_text(symbols)).collect();
        count += 1;
        if cells.insert((place(*x), place(*y)), content.join(" ")).is_some() {
            return None;
        }
    }
    Some((cells, count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::Machine as _;

    fn initial(text: &str) -> (Game, State) {
        let (rules, _) = gdl::parse(text, &gdl::Limits::default());
        let game = Game::new(rules).expect("playable rules");
        let state = game.interpreter().initial().expect("an initial state");
        (game, state)
    }

    #[test]
    fn cells_become_a_board_with_numbers_in_order() {
        let (game, state) = initial(
            "(role you) (init (cell a 9 blank)) (init (cell b 9 x)) (init (cell a 10 o))
             (init (cell b 10 whiteKing)) (init (control you)) (legal you go)",
        );
        let mut board = Board::recognise(&game, &state).expect("a board");
        let lines = board.draw(&game, &state);
        assert_eq!(lines, ["10 | o w", " 9 | . x", "     a b"]);
        assert_eq!(board.legend(), ["w = whiteKing"]);
    }

    #[test]
    fn relations_that_are_no_boards_are_left_alone() {
        let (game, state) = initial(
            "(role you) (init (at 1 1 x)) (init (at 1 1 y)) (init (at 2 2 x)) (init (at 3 3 x))
             (legal you go)",
        );
        assert!(Board::recognise(&game, &state).is_none());
    }
}
