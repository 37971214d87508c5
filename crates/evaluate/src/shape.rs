//! Fluents of quantities and boards, valued by how far away what is there is (thesis §5.3.2, §5.3.3).

use datalog::GroundTerm;
use game::{Game, GroundProgram};
use structure::{Axis, Board, BoardKind, Functor, Quantity, Structures, args};

use crate::leaf::{Mean, Watch};

/// Quantities and boards with all fluents they may have.
pub(crate) struct Shapes<'a> {
    structures: &'a Structures,
    /// All fluents with their numbers in the universe.
    fluents: Vec<(&'a GroundTerm, u32)>,
}

impl<'a> Shapes<'a> {
    pub(crate) fn new(structures: &'a Structures, program: &'a GroundProgram, game: &Game) -> Self {
        let number = |term: &'a GroundTerm| (term, game.universe().fluent(term).0);
        Self { structures, fluents: program.fluents.iter().map(number).collect() }
    }

    /// How a fluent is valued by others like it; none if it is neither a quantity nor on an ordered board.
    pub(crate) fn watch(&self, fluent: &GroundTerm) -> Option<Watch> {
        let number = self.fluents.iter().find(|(term, _)| *term == fluent)?.1;
        let distances = self.quantity(fluent).or_else(|| self.board(fluent))?;
        Some(Watch::Mean(Mean::new(number, &distances)))
    }

    fn quantity(&self, fluent: &GroundTerm) -> Option<Vec<(u32, f64)>> {
        let functor = Functor::of(fluent);
        let found = self.structures.quantities.iter().find(|q| q.functor == functor)?;
        let others = self
            .fluents
            .iter()
            .filter_map(|(term, number)| Some((*number, difference(found, term, fluent)?)));
        Some(others.collect())
    }

    fn board(&self, fluent: &GroundTerm) -> Option<Vec<(u32, f64)>> {
        let functor = Functor::of(fluent);
        let fits = |board: &&Board| {
            board.functor == functor && board.kind == BoardKind::Cells && board.is_ordered()
        };
        let found = self.structures.boards.iter().find(fits)?;
        let cell = found.cell(fluent)?;
        let others = self.fluents.iter().filter_map(|(term, number)| {
            let alike = Functor::of(term) == functor && same(&found.contents, term, fluent);
            let other = found.cell(term).filter(|_| alike)?;
            Some((*number, found.distance(&other, &cell)))
        });
        Some(others.collect())
    }
}

/// Whether two fluents agree in some arguments.
fn same(axes: &[Axis], one: &GroundTerm, other: &GroundTerm) -> bool {
    axes.iter().all(|axis| args(one).get(axis.argument) == args(other).get(axis.argument))
}

/// The normalised difference of two amounts of the same thing (thesis Eq. 5.10 for several outputs).
fn difference(quantity: &Quantity, one: &GroundTerm, other: &GroundTerm) -> Option<f64> {
    let functor = quantity.functor;
    if Functor::of(one) != functor || !same(&quantity.inputs, one, other) {
        return None;
    }
    let mut sum = 0.0;
    for axis in &quantity.amounts {
        let place = |term: &GroundTerm| axis.position(args(term).get(axis.argument)?);
        let size = axis.size().max(1) as f64;
        // Amounts that the order does not relate are as far apart as the order is long.
        let steps = axis.difference(place(one)?, place(other)?).map_or(size - 1.0, f64::from);
        sum += steps / size;
    }
    // Output arguments without an order are as far apart as those of boards.
    for axis in &quantity.others {
        sum += f64::from(u8::from(!same(std::slice::from_ref(axis), one, other)));
    }
    Some(sum / (quantity.amounts.len() + quantity.others.len()).max(1) as f64)
}
