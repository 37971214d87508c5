//! Distance maps: how many steps a piece needs at least from where it stands to each cell of its board.
//!
//! The thesis shows such maps to explain distances (§6.1: the same two cells are differently far for a pawn, a
//! knight and a king). A map is made of one fluent that holds in a state, the piece at its place, and the distances
//! from it in the fluent graph to the fluents that say the same of other places.

use game::{Deadline, FluentId, Game, GroundProgram, State};
use structure::{Picture, Spot, Structures};

use crate::cover::Selection;
use crate::distance::{Distances, Informativeness};
use crate::graph::FluentGraph;

/// How far a piece is from the cells of a board.
#[derive(Clone, Debug)]
pub struct DistanceMap {
    /// What the piece is called.
    pub piece: String,
    /// The fluent from which distances are measured.
    pub from: FluentId,
    /// The board with nothing but the piece on it.
    pub picture: Picture,
    /// The distances of the cells in the order of the picture, none where the piece can never come.
    pub steps: Vec<Option<u32>>,
}

/// What fluent graphs tell about a game.
#[derive(Clone, Debug)]
pub struct DistanceReport {
    /// The graph.
    pub graph: FluentGraph,
    /// What all distances tell together.
    pub told: Informativeness,
    /// Why distances are missing, if they are.
    pub stopped: Option<&'static str>,
    /// The bytes that the distances between all fluents take.
    pub bytes: usize,
    /// A map for each kind of piece.
    pub maps: Vec<DistanceMap>,
}

/// The most maps.
const MOST_MAPS: usize = 12;

impl DistanceReport {
    /// Builds the fluent graph of a game and the maps of the pieces that stand on boards in a state.
    pub fn new(
        game: &Game,
        program: &GroundProgram,
        structures: &Structures,
        state: &State,
        max_bytes: usize,
        deadline: &Deadline,
    ) -> Self {
        let graph = FluentGraph::build(program, Selection::Similar, deadline);
        let fluents: Vec<FluentId> =
            program.fluents.iter().map(|term| game.universe().fluent(term)).collect();
        let distances = Distances::build(&graph, &fluents, None, max_bytes, deadline);
        let spots = structures.spots(game);
        let maps = starts(structures, &spots, state)
            .into_iter()
            .filter_map(|from| map(game, structures, &spots, &distances, from))
            .take(MOST_MAPS)
            .collect();
        let (told, stopped) = (distances.informativeness(), distances.stopped());
        Self { graph, told, stopped, bytes: distances.bytes(), maps }
    }
}

/// The picture, the board and the content.
type Kind<'s> = (usize, usize, &'s str);

/// For each kind of piece one that stands on a board: the one in the middle of those there are, since pieces at the
/// edge are special more often.
fn starts(structures: &Structures, spots: &[Option<Spot>], state: &State) -> Vec<FluentId> {
    let mut kinds: Vec<(Kind<'_>, Vec<FluentId>)> = Vec::new();
    for fluent in state.iter() {
        let Some(Some(spot)) = spots.get(fluent.index()) else { continue };
        let piece =
            structures.pieces.iter().find(|p| p.board == spot.board && p.content == spot.content);
        if piece.is_some_and(|piece| piece.empty) {
            continue;
        }
        let kind = (spot.picture, spot.board, &spot.content[..]);
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, all)) => all.push(fluent),
            None => kinds.push((kind, vec![fluent])),
        }
    }
    let mean = |all: &[FluentId]| {
        let columns = all.iter().filter_map(|f| spots[f.index()].as_ref()).map(|spot| spot.column);
        columns.sum::<usize>() / all.len().max(1)
    };
    let middle = |all: Vec<FluentId>| {
        let mean = mean(&all);
        let off = |f: &FluentId| spots[f.index()].as_ref().map(|spot| spot.column.abs_diff(mean));
        all.into_iter().min_by_key(off)
    };
    kinds.into_iter().filter_map(|(_, all)| middle(all)).collect()
}

fn map(
    game: &Game,
    structures: &Structures,
    spots: &[Option<Spot>],
    distances: &Distances,
    from: FluentId,
) -> Option<DistanceMap> {
    let own = spots.get(from.index())?.as_ref()?;
    let alone: State = std::iter::once(from).collect();
    let picture = structures.pictures(game, &alone).into_iter().nth(own.picture)?;
    let mut steps = vec![None; picture.cells.len()];
    for (number, spot) in spots.iter().enumerate() {
        let Some(spot) = spot.as_ref().filter(|spot| same_kind(spot, own)) else { continue };
        let at = picture.cells.iter().position(|c| (c.column, c.row) == (spot.column, spot.row))?;
        let fluent = FluentId(number as u32);
        if distances.place(fluent).is_some_and(|place| distances.knows(place as u32)) {
            steps[at] = distances.steps_from(&alone, fluent);
        }
    }
    // A map on which nothing is farther than one step says nothing.
    let tells = steps.iter().flatten().any(|steps| *steps > 1);
    let name = if own.content.is_empty() { picture.title.clone() } else { own.content.clone() };
    tells.then_some(DistanceMap { piece: name, from, picture, steps })
}

fn same_kind(one: &Spot, other: &Spot) -> bool {
    (one.picture, one.board, &one.content) == (other.picture, other.board, &other.content)
}
