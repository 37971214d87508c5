//! The shape of the cells of a board: squares, hexagons, a board without edges.
//!
//! Recognised where a static relation says which cells are neighbours: its differences of coordinates tell.

use game::Deadline;
use gdl::Relation;
use gdl::normal::Program;
use ground::{Domains, Place};

use crate::board::Board;
use crate::fluent::Axis;
use crate::settings::Settings;

/// How cells lie next to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tiling {
    /// Four neighbours.
    Square,
    /// Eight neighbours.
    SquareWithDiagonals,
    /// Six neighbours: hexagons, in a rhombus where both coordinates grow. `false`: the cells at differences
    /// (1,1) and (-1,-1) are neighbours; `true`: those at (1,-1) and (-1,1).
    Hexagonal(bool),
}

/// What a relation between cells says about a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neighbours {
    /// The board, as an index.
    pub board: usize,
    /// The relation.
    pub relation: Relation,
    /// The shape.
    pub tiling: Tiling,
    /// Whether neighbours wrap around an edge.
    pub torus: bool,
}

/// The relations between the cells of two-dimensional boards that fit one of the shapes.
pub(crate) fn find(
    program: &Program,
    boards: &[Board],
    domains: &Domains,
    settings: &Settings,
    deadline: &Deadline,
) -> Vec<Neighbours> {
    let limits = settings.limits(deadline);
    let mut found = Vec::new();
    for relation in datalog::static_relations(program) {
        // Coordinates of two cells, perhaps after the name of a direction.
        if !(4..=5).contains(&relation.arity) || deadline.passed() {
            continue;
        }
        let skip = relation.arity - 4;
        let of_relation = |at: u32| domains.component_of(Place::relation(relation, skip + at));
        let fits = |board: &Board| {
            let grid = board.grid();
            grid.len() == 2
                && grid.iter().all(|axis| axis.is_ordered())
                && (0..4).all(|at| {
                    let axis = grid[at as usize % 2];
                    of_relation(at) == domains.component_of(board.functor.place(axis.argument))
                })
        };
        let Some(board) = boards.iter().position(fits) else { continue };
        let Ok(rows) = datalog::extent(program, relation, &limits) else { continue };
        let grid = boards[board].grid();
        let mut steps = Vec::new();
        for row in &rows {
            let part = &row[skip as usize..];
            let (Some(x), Some(y)) =
                (step(grid[0], &part[0], &part[2]), step(grid[1], &part[1], &part[3]))
            else {
                continue;
            };
            steps.push((x, y));
        }
        if let Some((tiling, torus)) = shape(steps, &grid) {
            found.push(Neighbours { board, relation, tiling, torus });
        }
    }
    found
}

fn step(axis: &Axis, from: &game::GroundTerm, to: &game::GroundTerm) -> Option<i64> {
    let (from, to) = (axis.position(from)?, axis.position(to)?);
    if from == to { Some(0) } else { axis.steps(from, to) }
}

fn shape(mut steps: Vec<(i64, i64)>, grid: &[&Axis]) -> Option<(Tiling, bool)> {
    let mut torus = grid.iter().any(|axis| axis.order.as_ref().is_some_and(|order| order.cyclic));
    for (x, y) in &mut steps {
        for (step, axis) in [(x, grid[0]), (y, grid[1])] {
            let longest = axis.values.len().saturating_sub(1) as u64;
            if longest > 2 && step.unsigned_abs() == longest {
                torus = true;
                *step = -step.signum();
            }
        }
    }
    steps.sort_unstable();
    steps.dedup();
    let straight = [(-1, 0), (0, -1), (0, 1), (1, 0)];
    let with = |more: &[(i64, i64)]| {
        let mut all = [&straight[..], more].concat();
        all.sort_unstable();
        all == steps
    };
    let (up, down) = ([(1, 1), (-1, -1)], [(1, -1), (-1, 1)]);
    let tiling = if with(&[]) {
        Tiling::Square
    } else if with(&up) {
        Tiling::Hexagonal(false)
    } else if with(&down) {
        Tiling::Hexagonal(true)
    } else if with(&[up, down].concat()) {
        Tiling::SquareWithDiagonals
    } else {
        return None;
    };
    Some((tiling, torus))
}
