//! What lies on boards: pieces, whose they are, and what stands for an empty cell.
//!
//! Read off random play: a piece belongs to the role whose moves bring it to cells. Names play no part, so
//! scrambled rule sheets give the same answer; only where a content *is* the name of a role, that decides.

use game::{Game, Role};

use crate::board::{Board, BoardKind};
use crate::change::{Change, Changes};
use crate::fluent::args;
use crate::sample::{Sample, Transition};
use crate::settings::Evidence;

/// A content of the cells of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The board, as an index.
    pub board: usize,
    /// The content as text.
    pub content: String,
    /// The role it belongs to, if it belongs to one.
    pub owner: Option<Role>,
    /// Whether it stands for nothing being there.
    pub empty: bool,
    /// How sure that is.
    pub evidence: Evidence,
}

/// The share of its arrivals that must be due to one role, in percent, and the fewest arrivals.
const MOSTLY: u32 = 90;
const FEWEST: u32 = 3;
/// The smallest board on which a cell can be empty.
const FEWEST_CELLS: usize = 4;

/// The contents of a board with their owners.
pub(crate) fn find(
    game: &Game,
    number: usize,
    board: &Board,
    sample: &Sample,
    changes: &Changes,
) -> Vec<Piece> {
    let roles = game.roles().len();
    let mut arrivals = vec![vec![0u32; roles]; changes.contents.len()];
    let mut moved = vec![(0u32, 0u32); changes.contents.len()];
    for (transition, change) in sample.transitions.iter().zip(&changes.steps) {
        let mover = sample.states[transition.from].mover();
        for (cell, content) in &change.gained {
            moved[*content as usize].0 += 1;
            let role = mover.or_else(|| mentioning(game, board, transition, cell));
            if let Some(role) = role.filter(|role| *role < roles) {
                arrivals[*content as usize][role] += 1;
            }
        }
        count_lost(change, &mut moved);
    }
    let owners: Vec<Option<Role>> = (0..changes.contents.len())
        .map(|at| named(game, &changes.contents[at]).or_else(|| owner(&arrivals[at], roles)))
        .collect();
    let empty = empty(board, &owners, &moved, changes);
    let piece = |(at, content): (usize, &String)| Piece {
        board: number,
        content: content.clone(),
        owner: owners[at].filter(|_| empty != Some(at)),
        empty: empty == Some(at),
        evidence: Evidence::Guessed { samples: moved[at].0 + moved[at].1 },
    };
    let mut pieces: Vec<Piece> = changes.contents.iter().enumerate().map(piece).collect();
    pieces.sort_by(|a, b| a.content.cmp(&b.content));
    pieces
}

fn count_lost(change: &Change, moved: &mut [(u32, u32)]) {
    for (_, content) in &change.lost {
        moved[*content as usize].1 += 1;
    }
}

/// The role that a content is the name of.
fn named(game: &Game, content: &str) -> Option<Role> {
    game.role_ids().find(|role| game.role_name(*role) == content)
}

/// Where several roles chose at once, the only one whose move names the cell.
fn mentioning(
    game: &Game,
    board: &Board,
    transition: &Transition,
    cell: &[usize],
) -> Option<usize> {
    let mut naming = transition.joint.0.iter().enumerate().filter(|(_, action)| {
        let entry = game.universe().move_entry(**action);
        let args = args(&entry.term);
        let mut axes = board.coordinates.iter().zip(cell);
        args.len() >= board.grid().len()
            && axes.all(|(axis, at)| !axis.is_ordered() || args.contains(&axis.values[*at]))
    });
    let first = naming.next()?;
    naming.next().is_none().then_some(first.0)
}

fn owner(arrivals: &[u32], roles: usize) -> Option<Role> {
    let total: u32 = arrivals.iter().sum();
    let (role, most) = arrivals.iter().enumerate().max_by_key(|(_, count)| **count)?;
    let mostly = *most >= FEWEST && most * 100 >= total * MOSTLY;
    (roles > 1 && mostly).then_some(Role(role as u32))
}

/// The content that stands for nothing: where every cell always has a content, the one without an owner that
/// comes and goes most. Walls neither come nor go; boards that leave out empty cells have no such content.
fn empty(
    board: &Board,
    owners: &[Option<Role>],
    moved: &[(u32, u32)],
    changes: &Changes,
) -> Option<usize> {
    let replaced = |change: &Change| {
        let cells = |marks: &[(Vec<usize>, u32)]| {
            let mut cells: Vec<Vec<usize>> = marks.iter().map(|(cell, _)| cell.clone()).collect();
            cells.sort_unstable();
            cells
        };
        cells(&change.gained) == cells(&change.lost)
    };
    let filled = board.kind == BoardKind::Cells && changes.steps.iter().all(replaced);
    let candidates = (0..moved.len()).filter(|at| owners[*at].is_none() && moved[*at].1 > 0);
    let several = moved.len() > 1 && board.cell_count() >= FEWEST_CELLS;
    candidates
        .filter(|_| filled && several)
        .max_by_key(|at| (moved[*at].0 + moved[*at].1, std::cmp::Reverse(*at)))
}
