//! Boards and quantities: what the input and output arguments of fluents amount to (thesis §5.2.3).

use game::{Game, GroundTerm, State};
use gdl::Symbols;

use crate::fluent::{Axis, Fluent, Functor, Inputs, args};
use crate::settings::Evidence;

/// How a fluent tells what is where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardKind {
    /// Coordinates determine contents: the boards of the thesis, such as `cell(X,Y,C)`.
    Cells,
    /// What is there determines where: `location(Piece,X,Y)` with several pieces on one cell. Beyond the
    /// thesis, for pictures.
    Placed,
    /// Neither determines the other: `lit(X,Y)`, or several things on one cell. Beyond the thesis, for pictures.
    Marks,
}

/// A board of any dimension.
#[derive(Clone, Debug)]
pub struct Board {
    /// The fluent.
    pub functor: Functor,
    /// What determines what.
    pub kind: BoardKind,
    /// The coordinates, in the order of the arguments.
    pub coordinates: Vec<Axis>,
    /// The remaining arguments: the contents of a cell.
    pub contents: Vec<Axis>,
    /// How sure it is that coordinates determine contents.
    pub evidence: Evidence,
}

/// A fluent whose output arguments are ordered, at least one of them: amounts of something.
#[derive(Clone, Debug)]
pub struct Quantity {
    /// The fluent.
    pub functor: Functor,
    /// The arguments that tell amounts of what; none for a single amount, such as a step counter.
    pub inputs: Vec<Axis>,
    /// The ordered output arguments.
    pub amounts: Vec<Axis>,
    /// The other output arguments.
    pub others: Vec<Axis>,
    /// How sure it is that inputs determine amounts.
    pub evidence: Evidence,
}

impl Board {
    /// Whether some coordinate is ordered (thesis §5.2.3).
    pub fn is_ordered(&self) -> bool {
        self.coordinates.iter().any(Axis::is_ordered)
    }

    /// The coordinates that tell several boards apart: those without an order where others have one, as `B` of
    /// Racetrack's `cell(B,Y,X,C)`; without any order all but the last two.
    pub fn selectors(&self) -> Vec<&Axis> {
        let (selectors, _) = self.split();
        selectors
    }

    /// The coordinates within one board.
    pub fn grid(&self) -> Vec<&Axis> {
        let (_, grid) = self.split();
        grid
    }

    fn split(&self) -> (Vec<&Axis>, Vec<&Axis>) {
        if self.is_ordered() {
            return self.coordinates.iter().partition(|axis| !axis.is_ordered());
        }
        let extra = self.coordinates.len().saturating_sub(2);
        let (selectors, grid) = self.coordinates.split_at(extra);
        (selectors.iter().collect(), grid.iter().collect())
    }

    /// The number of separate boards: 2 for Racetrack.
    pub fn board_count(&self) -> usize {
        self.selectors().iter().map(|axis| axis.values.len()).product()
    }

    /// The number of cells of all boards together, as far as coordinates are independent.
    pub fn cell_count(&self) -> usize {
        self.coordinates.iter().map(|axis| axis.values.len()).fold(1, usize::saturating_mul)
    }

    /// `3 x 3`.
    pub fn size_text(&self) -> String {
        let grid = self.grid();
        let sizes: Vec<_> = grid.iter().map(|axis| axis.values.len().to_string()).collect();
        if sizes.is_empty() { "1".to_owned() } else { sizes.join(" x ") }
    }

    /// The normalised city-block distance of two cells, given by their places on each coordinate (the inner
    /// sum of thesis Eq. 5.11): 0 for the same cell, below 1 for others.
    pub fn distance(&self, a: &[usize], b: &[usize]) -> f64 {
        let parts = self.coordinates.iter().zip(a).zip(b).map(|((axis, a), b)| {
            let size = axis.size().max(1) as f64;
            // Values that the order does not relate are as far apart as the order is long.
            let steps = axis.difference(*a, *b).map_or(size - 1.0, f64::from);
            if axis.is_ordered() { steps / size } else { steps }
        });
        parts.sum::<f64>() / self.coordinates.len().max(1) as f64
    }

    /// The cell that a fluent is about: its places on each coordinate.
    pub fn cell(&self, fluent: &GroundTerm) -> Option<Vec<usize>> {
        if Functor::of(fluent) != self.functor {
            return None;
        }
        let args = args(fluent);
        self.coordinates.iter().map(|axis| axis.position(args.get(axis.argument)?)).collect()
    }

    /// What a fluent says about its cell, as text.
    pub fn content(&self, fluent: &GroundTerm, symbols: &Symbols) -> String {
        let args = args(fluent);
        let parts = self.contents.iter().filter_map(|axis| args.get(axis.argument));
        let texts: Vec<_> = parts.map(|arg| arg.to_text(symbols)).collect();
        texts.join(" ")
    }

    /// The cells of a state with their contents, in the order of the cells.
    pub fn cells(&self, game: &Game, state: &State) -> Vec<(Vec<usize>, String)> {
        let universe = game.universe();
        let mut cells = Vec::new();
        for fluent in state.iter() {
            let entry = universe.fluent_entry(fluent);
            if let Some(cell) = self.cell(&entry.term) {
                cells.push((cell, self.content(&entry.term, universe.symbols())));
            }
        }
        cells.sort_unstable();
        cells
    }
}

impl Quantity {
    /// Whether there is one amount only: the fluent is a singleton.
    pub fn is_single(&self) -> bool {
        self.inputs.is_empty()
    }
}

/// The boards and quantities among the fluents. `as_output` gives an argument as contents instead of as a
/// coordinate, which needs a closer link to its order.
pub(crate) fn find(
    fluents: &[Fluent],
    as_output: &dyn Fn(&Fluent, usize) -> Axis,
) -> (Vec<Board>, Vec<Quantity>) {
    let mut boards = Vec::new();
    let mut quantities = Vec::new();
    for fluent in fluents {
        boards.extend(board(fluent, as_output));
        quantities.extend(quantity(fluent, as_output));
    }
    (boards, quantities)
}

fn has_choice(axis: &Axis) -> bool {
    axis.values.len() > 1
}

/// The board that a fluent describes. Of several sets of inputs the one with the most ordered coordinates
/// counts, then the one with the most coordinates: the cells of the 8-puzzle, not its tiles.
fn board(fluent: &Fluent, as_output: &dyn Fn(&Fluent, usize) -> Axis) -> Option<Board> {
    let arity = fluent.functor.arity as usize;
    if arity < 2 || fluent.axes.len() < 2 {
        return None;
    }
    let split = |inputs: &Inputs| {
        let (mut coordinates, mut contents) = (Vec::new(), Vec::new());
        for axis in &fluent.axes {
            if inputs.arguments.contains(&axis.argument) {
                coordinates.push(axis.clone());
            } else {
                contents.push(as_output(fluent, axis.argument));
            }
        }
        (coordinates, contents)
    };
    let merit = |inputs: &&Inputs| {
        let axes = inputs.arguments.iter().map(|at| &fluent.axes[*at]);
        (axes.filter(|axis| axis.is_ordered()).count(), inputs.arguments.len())
    };
    let proper = fluent.inputs.iter().filter(|i| (1..arity).contains(&i.arguments.len()));
    if let Some(inputs) = proper.rev().max_by_key(merit) {
        let (coordinates, contents) = split(inputs);
        if merit(&inputs).0 > 0 || !contents.iter().any(Axis::is_ordered) {
            let ordered_contents = contents.iter().filter(|axis| axis.is_ordered()).count();
            let placed = merit(&inputs).0 == 0 && ordered_contents >= 2;
            if coordinates.iter().any(has_choice) && !placed {
                let (functor, evidence) = (fluent.functor, inputs.evidence);
                let kind = BoardKind::Cells;
                return Some(Board { functor, kind, coordinates, contents, evidence });
            }
        }
        return placed(fluent, inputs, BoardKind::Placed);
    }
    placed(fluent, fluent.inputs.first()?, BoardKind::Marks)
}

/// A board whose coordinates are the ordered arguments, whatever determines what.
fn placed(fluent: &Fluent, inputs: &Inputs, kind: BoardKind) -> Option<Board> {
    let inside =
        |axis: &&Axis| kind == BoardKind::Marks || !inputs.arguments.contains(&axis.argument);
    let is_coordinate = |axis: &&Axis| axis.is_ordered() && has_choice(axis) && inside(axis);
    let (coordinates, contents): (Vec<&Axis>, Vec<&Axis>) =
        fluent.axes.iter().partition(is_coordinate);
    (coordinates.len() >= 2).then(|| Board {
        functor: fluent.functor,
        kind,
        coordinates: coordinates.into_iter().cloned().collect(),
        contents: contents.into_iter().cloned().collect(),
        evidence: inputs.evidence,
    })
}

/// The quantity that a fluent describes: a set of inputs with ordered outputs; the smallest such set counts.
fn quantity(fluent: &Fluent, as_output: &dyn Fn(&Fluent, usize) -> Axis) -> Option<Quantity> {
    let arity = fluent.functor.arity as usize;
    for inputs in fluent.inputs.iter().filter(|inputs| inputs.arguments.len() < arity) {
        // Where coordinates are ordered and several contents are possible it is a board with ordered contents
        // only if the contents are ordered by the rules, which `as_output` decides.
        let outputs = (0..arity).filter(|at| !inputs.arguments.contains(at));
        let outputs: Vec<Axis> = outputs.map(|at| as_output(fluent, at)).collect();
        let (amounts, others): (Vec<Axis>, Vec<Axis>) =
            outputs.into_iter().partition(|axis| axis.is_ordered() && has_choice(axis));
        if !amounts.is_empty() {
            let inputs_axes = inputs.arguments.iter().map(|at| fluent.axes[*at].clone()).collect();
            return Some(Quantity {
                functor: fluent.functor,
                inputs: inputs_axes,
                amounts,
                others,
                evidence: inputs.evidence,
            });
        }
    }
    None
}
