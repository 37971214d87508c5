//! Which arguments of moves are cells of a board, and whether having moves matters for the end of the game.

use game::Game;
use gdl::depend::Dependencies;
use gdl::normal::{Literal, Program};
use gdl::{Relation, keyword};
use ground::Domains;

use crate::board::Board;
use crate::change::Changes;
use crate::fluent::{Axis, Functor, args};
use crate::sample::Sample;

/// How the arguments of a move relate to a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveCells {
    /// The move.
    pub functor: Functor,
    /// The board, as an index.
    pub board: usize,
    /// Arguments, counted from 0, that together name a cell: one for each coordinate of [`Board::grid`].
    pub cells: Vec<Vec<usize>>,
    /// Arguments that name one coordinate of a changed cell, with the number of the coordinate in
    /// [`Board::grid`]: the column of Connect Four.
    pub lines: Vec<(usize, usize)>,
    /// How many moves were looked at.
    pub samples: u32,
}

/// A condition on the end or the rewards that asks whether there are moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mobility {
    /// The relation asked for: `legal` itself, or one that legal moves are read off.
    pub relation: Relation,
    /// Whether `terminal` depends on it.
    pub ends: bool,
    /// Whether `goal` depends on it.
    pub rewards: bool,
}

/// The share of moves, in percent, in which a cell must have changed.
const OFTEN: u32 = 50;
const NEARLY_ALWAYS: u32 = 95;
/// The most arguments of a move that are looked at, and the most coordinates of a cell.
const MOST_ARGUMENTS: usize = 9;
const MOST_COORDINATES: usize = 3;

/// The moves whose arguments name cells of a board that change when they are made.
pub(crate) fn cells(
    game: &Game,
    number: usize,
    board: &Board,
    sample: &Sample,
    changes: &Changes,
    domains: &Domains,
) -> Vec<MoveCells> {
    let grid = board.grid();
    let places: Vec<usize> = grid
        .iter()
        .filter_map(|axis| board.coordinates.iter().position(|own| own.argument == axis.argument))
        .collect();
    if grid.is_empty() || grid.len() > MOST_COORDINATES {
        return Vec::new();
    }
    let mut made: Vec<Made> = Vec::new();
    for (transition, change) in sample.transitions.iter().zip(&changes.steps) {
        let all = change.gained.iter().chain(&change.lost);
        let mut touched: Vec<Vec<usize>> =
            all.map(|(cell, _)| places.iter().map(|at| cell[*at]).collect()).collect();
        touched.sort_unstable();
        touched.dedup();
        for action in &transition.joint.0 {
            let entry = game.universe().move_entry(*action);
            let functor = Functor::of(&entry.term);
            if !(1..=MOST_ARGUMENTS).contains(&(functor.arity as usize)) {
                continue;
            }
            let at = made.iter().position(|known| known.functor == functor).unwrap_or_else(|| {
                made.push(Made::new(functor, &grid));
                made.len() - 1
            });
            made[at].count(args(&entry.term), &grid, &touched);
        }
    }
    made.sort_by_key(|made| made.functor);
    made.iter().filter_map(|made| made.conclude(number, &grid, board.functor, domains)).collect()
}

/// What was seen of one kind of move.
struct Made {
    functor: Functor,
    samples: u32,
    /// Tuples of arguments with how often they named a changed cell.
    tuples: Vec<(Vec<usize>, u32)>,
    /// By argument and coordinate, how often some changed cell had that coordinate.
    lines: Vec<Vec<u32>>,
}

impl Made {
    fn new(functor: Functor, grid: &[&Axis]) -> Self {
        let arity = functor.arity as usize;
        let mut tuples: Vec<Vec<usize>> = vec![Vec::new()];
        for _ in grid {
            tuples = tuples
                .iter()
                .flat_map(|tuple| (0..arity).map(move |at| [&tuple[..], &[at]].concat()))
                .filter(|tuple| tuple.iter().enumerate().all(|(i, at)| !tuple[..i].contains(at)))
                .collect();
        }
        let tuples = tuples.into_iter().map(|tuple| (tuple, 0)).collect();
        Self { functor, samples: 0, tuples, lines: vec![vec![0; grid.len()]; arity] }
    }

    fn count(&mut self, args: &[game::GroundTerm], grid: &[&Axis], touched: &[Vec<usize>]) {
        self.samples += 1;
        // For each argument and coordinate the place of its value.
        let places: Vec<Vec<Option<usize>>> =
            args.iter().map(|arg| grid.iter().map(|axis| axis.position(arg)).collect()).collect();
        for (tuple, hits) in &mut self.tuples {
            let cell: Option<Vec<usize>> =
                tuple.iter().enumerate().map(|(axis, at)| places[*at][axis]).collect();
            *hits += u32::from(cell.is_some_and(|cell| touched.binary_search(&cell).is_ok()));
        }
        for (argument, hits) in self.lines.iter_mut().enumerate() {
            for (axis, hits) in hits.iter_mut().enumerate() {
                let place = places[argument][axis];
                *hits +=
                    u32::from(place.is_some_and(|p| touched.iter().any(|cell| cell[axis] == p)));
            }
        }
    }

    fn conclude(
        &self,
        board: usize,
        grid: &[&Axis],
        fluent: Functor,
        domains: &Domains,
    ) -> Option<MoveCells> {
        let often = |hits: u32, share: u32| hits > 0 && hits * 100 >= self.samples * share;
        let mut tuples: Vec<&(Vec<usize>, u32)> =
            self.tuples.iter().filter(|(_, hits)| often(*hits, OFTEN)).collect();
        tuples.sort_by_key(|(tuple, hits)| (std::cmp::Reverse(*hits), tuple.clone()));
        let mut cells: Vec<Vec<usize>> = Vec::new();
        for (tuple, _) in tuples {
            if !cells.iter().flatten().any(|at| tuple.contains(at)) {
                cells.push(tuple.clone());
            }
        }
        cells.sort();
        let mut lines = Vec::new();
        for (argument, hits) in self.lines.iter().enumerate() {
            if cells.iter().flatten().any(|at| *at == argument) {
                continue;
            }
            let same_domain = |axis: &usize| {
                let own = domains.component_of(self.functor.place(argument));
                own == domains.component_of(fluent.place(grid[*axis].argument))
            };
            let fitting = (0..grid.len()).filter(same_domain);
            let best = fitting.rev().max_by_key(|axis| hits[*axis]);
            lines.extend(
                best.filter(|axis| often(hits[*axis], NEARLY_ALWAYS)).map(|axis| (argument, axis)),
            );
        }
        let found = !cells.is_empty() || !lines.is_empty();
        found.then_some(MoveCells {
            functor: self.functor,
            board,
            cells,
            lines,
            samples: self.samples,
        })
    }
}

const LEGAL: Relation = Relation { name: keyword::LEGAL, arity: 2, parens: true };
const TRUE: Relation = Relation { name: keyword::TRUE, arity: 1, parens: true };

/// The conditions on mobility: `terminal` or `goal` depends on `legal`, or on a relation with all variables of a
/// move from which a rule of `legal` reads that move.
pub(crate) fn mobility(program: &Program) -> Vec<Mobility> {
    let graph = Dependencies::new(program);
    let from = |name, arity: u32| {
        let node = graph.node(Relation { name, arity, parens: arity > 0 });
        graph.reachable(node)
    };
    let (ends, rewards) = (from(keyword::TERMINAL, 0), from(keyword::GOAL, 2));
    let state = graph.node(TRUE);
    let depends_on_state = |relation: Relation| {
        graph
            .reachable(graph.node(relation))
            .iter()
            .zip(0..)
            .any(|(r, node)| *r && Some(node) == state)
    };
    let mut candidates = vec![LEGAL];
    for rule in program.rules.iter().filter(|rule| rule.head.relation == LEGAL) {
        let mut wanted = Vec::new();
        rule.head.args[1].each_variable(&mut |v| wanted.push(v));
        for literal in &rule.body {
            let Literal::Positive(p) = literal else { continue };
            let mut own = Vec::new();
            p.each_variable(&mut |v| own.push(v));
            let all = !wanted.is_empty() && wanted.iter().all(|v| own.contains(v));
            if all && p.relation != TRUE && !candidates.contains(&p.relation) {
                candidates.push(p.relation);
            }
        }
    }
    let mut found = Vec::new();
    for relation in candidates {
        let Some(node) = graph.node(relation) else { continue };
        let mobility = Mobility { relation, ends: ends[node], rewards: rewards[node] };
        if (mobility.ends || mobility.rewards) && depends_on_state(relation) {
            found.push(mobility);
        }
    }
    found
}
