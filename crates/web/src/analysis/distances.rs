//! Distance maps: how many steps a piece needs to each cell (thesis §6), drawn on its board.

use std::collections::BTreeMap;
use std::time::Duration;

use evaluate::{Distances, FluentGraph, Selection};
use game::{Deadline, FluentId, State};
use serde_json::json;
use structure::{Atlas, Functor, Square};

use super::Section;
use crate::position::cell;
use crate::sheets::Sheet;

/// The most maps, and the memory for distances.
const MOST_MAPS: usize = 24;
const MEMORY: usize = 64 << 20;

/// The fluents of one content, by their cells.
type Cells = BTreeMap<Square, FluentId>;

/// The section.
pub fn section(sheet: &Sheet, state: &State, time: Duration) -> Section {
    let Some(gates) = sheet.reasoner.gates() else {
        return (Err(format!("{}; distances need ground rules", sheet.reasoner.status())), None);
    };
    let deadline = Deadline::within(time);
    let structures = sheet.structures();
    let atlas = structures.atlas(&sheet.game, state);
    let contents = contents(sheet, &atlas, gates.fluents());
    if contents.is_empty() {
        return (Err("there is no board with pieces".to_owned()), None);
    }
    let graph = FluentGraph::build(gates.program(), Selection::Similar, &deadline);
    let place: BTreeMap<FluentId, u32> = gates.fluents().iter().copied().zip(0..).collect();
    let targets: Vec<u32> = {
        let mut all: Vec<u32> = contents
            .values()
            .flat_map(BTreeMap::values)
            .filter_map(|f| place.get(f).copied())
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let distances = Distances::build(&graph, gates.fluents(), Some(&targets), MEMORY, &deadline);
    let mut maps = Vec::new();
    for ((picture, name), cells) in &contents {
        let Some(source) = source(cells, state) else { continue };
        if maps.len() >= MOST_MAPS {
            break;
        }
        let steps = steps(&atlas, *picture, cells, source, &place, &distances);
        if steps.iter().flatten().flatten().filter(|steps| **steps > 0).count() == 0 {
            continue;
        }
        let owner = structures.pieces.iter().find(|piece| piece.content == *name);
        let owner = owner.and_then(|piece| piece.owner).map(|role| role.0);
        let shown = &atlas.pictures[*picture];
        let at = format!("{} {}", shown.columns[source.column], shown.rows[source.row]);
        maps.push(json!({"title": format!("{name} from {}", at.trim()), "board": picture,
                         "source": cell(&source), "content": name, "role": owner, "steps": steps}));
    }
    if maps.is_empty() {
        return (Err("nothing on the boards moves".to_owned()), None);
    }
    (Ok(json!({ "maps": maps })), distances.stopped().map(str::to_owned))
}

/// The fluents of each content of each picture.
fn contents(
    sheet: &Sheet,
    atlas: &Atlas<'_>,
    fluents: &[FluentId],
) -> BTreeMap<(usize, String), Cells> {
    let structures = sheet.structures();
    let universe = sheet.game.universe();
    let mut found: BTreeMap<(usize, String), Cells> = BTreeMap::new();
    for fluent in fluents {
        let entry = universe.fluent_entry(*fluent);
        let functor = Functor::of(&entry.term);
        let board = structures.boards.iter().position(|board| board.functor == functor);
        let (Some(board), Some(spot)) = (board, atlas.spot(&entry.term)) else { continue };
        let name = structures.boards[board].content(&entry.term, universe.symbols());
        let is_it = |piece: &&structure::Piece| piece.board == board && piece.content == name;
        if structures.pieces.iter().find(is_it).is_some_and(|piece| piece.empty) {
            continue;
        }
        let name =
            if name.is_empty() { universe.symbols().name(functor.name).to_owned() } else { name };
        found.entry((spot.picture, name)).or_default().insert(spot, *fluent);
    }
    found
}

/// Where a content is now.
fn source(cells: &Cells, state: &State) -> Option<Square> {
    cells.iter().find(|(_, fluent)| state.contains(**fluent)).map(|(spot, _)| *spot)
}

/// By row and column the steps from the source.
fn steps(
    atlas: &Atlas<'_>,
    picture: usize,
    cells: &Cells,
    source: Square,
    place: &BTreeMap<FluentId, u32>,
    distances: &Distances,
) -> Vec<Vec<Option<u32>>> {
    let shown = &atlas.pictures[picture];
    let from = cells.get(&source).and_then(|fluent| place.get(fluent));
    let steps = |column: usize, row: usize| {
        let to = place.get(cells.get(&Square { picture, column, row })?)?;
        if from == Some(to) {
            return Some(0);
        }
        distances.between(*from?, *to)
    };
    let row = |row: usize| (0..shown.columns.len()).map(|column| steps(column, row)).collect();
    (0..shown.rows.len()).map(row).collect::<Vec<_>>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Limits;
    use crate::sheets::{Sheets, Source};

    #[test]
    fn a_pawn_of_breakthrough_needs_one_step_for_each_row() {
        let limits = Limits::default();
        let source = Source { library: Some("breakthrough".to_owned()), rules: None, title: None };
        let sheet = Sheets::new(&limits).get("test", &source).expect("in the library");
        sheet.structures();
        while matches!(sheet.reasoner.status(), game::Status::Building) {
            std::thread::sleep(Duration::from_millis(5));
        }
        let state = sheet.initial(&limits).expect("an initial state");
        let section = section(&sheet, &state, Duration::from_secs(60));
        let data = section.0.expect("distances");
        let maps = data["maps"].as_array().expect("maps");
        let white = maps.iter().find(|map| map["content"] == "white").expect("a map of white");
        let source = &white["source"];
        let (column, row) = (source["column"].as_u64(), source["row"].as_u64());
        let (column, row) = (column.expect("a column") as usize, row.expect("a row") as usize);
        // White walks up: the row above is one step nearer to the top.
        let ahead = &white["steps"][row - 1][column];
        assert_eq!(ahead, &json!(1), "{white}");
    }
}
