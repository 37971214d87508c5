//! The page of `fluxion symmetries --html`: one picture for each generator, with arrows from cell to cell; cells
//! that state symmetries exchange have the same colour. Nothing is loaded from elsewhere.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::symmetries::{Found, headline, orbits, summary};
use crate::symmetry_names::OnBoard;

const CELL: usize = 44;
/// The most generators that are drawn.
const MOST_PICTURES: usize = 24;
const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;\
color:#222;background:#fff}figure{display:inline-block;margin:0 1.5rem 1.5rem 0;vertical-align:top}\
figcaption{max-width:22rem}svg{max-width:100%;height:auto}.note{color:#666}\
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}.note{color:#999}}";

/// The whole page.
pub fn page(found: &Found) -> String {
    let symmetries = &found.symmetries;
    let title = escape(&headline(found));
    let mut html = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width,initial-scale=1\"><title>{title}</title><style>{STYLE}</style>\
         <h1>{title}</h1><p class=\"note\">{}</p>",
        escape(&summary(symmetries))
    );
    for generator in symmetries.generators().iter().take(MOST_PICTURES) {
        let name = escape(&found.names.describe(symmetries, &generator.permutation));
        html.push_str("<figure>");
        for board in found.names.on_boards(symmetries, &generator.permutation) {
            html.push_str(&picture(found, &board));
        }
        let _ = write!(html, "<figcaption>{name}</figcaption></figure>");
    }
    let [fluents, moves] = orbits(found);
    for (what, sets) in [("Fluents", fluents), ("Moves", moves)] {
        if sets.is_empty() {
            continue;
        }
        let _ = write!(html, "<h2>{what} that state symmetries exchange</h2><ul>");
        for set in &sets {
            let names: Vec<String> = set
                .iter()
                .map(|point| escape(&symmetries.points().text(symmetries.game(), *point)))
                .collect();
            let _ = write!(html, "<li>{}</li>", names.join(", "));
        }
        html.push_str("</ul>");
    }
    html.push_str("</html>\n");
    html
}

/// The colour of each cell by its orbit under the state symmetries.
fn colours(found: &Found, board: &OnBoard) -> BTreeMap<(Vec<usize>, usize, usize), usize> {
    let mut colour: BTreeMap<(Vec<usize>, usize, usize), usize> =
        board.cells.keys().cloned().enumerate().map(|(number, cell)| (cell, number)).collect();
    let generators = found.symmetries.state_generators();
    for generator in generators {
        let images = found.names.on_boards(&found.symmetries, &generator);
        let Some(same) = images.iter().find(|other| other.name == board.name) else { continue };
        for (from, to) in &same.cells {
            let (Some(a), Some(b)) = (colour.get(from).copied(), colour.get(to).copied()) else {
                continue;
            };
            let (low, high) = (a.min(b), a.max(b));
            colour.values_mut().filter(|c| **c == high).for_each(|c| *c = low);
        }
    }
    colour
}

/// A board with its cells and arrows; several boards side by side.
fn picture(found: &Found, board: &OnBoard) -> String {
    let (w, h) = board.size;
    let mut order: Vec<&Vec<usize>> = board.cells.keys().map(|cell| &cell.0).collect();
    order.dedup();
    order.sort();
    order.dedup();
    let place = |cell: &(Vec<usize>, usize, usize)| {
        let number = order.iter().position(|other| **other == cell.0).unwrap_or(0);
        (number * (w * CELL + CELL / 2) + cell.1 * CELL, (h - 1 - cell.2.min(h - 1)) * CELL)
    };
    let width = order.len() * (w * CELL + CELL / 2);
    let mut svg = format!(
        "<svg viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\">",
        height = h * CELL
    );
    let colour = colours(found, board);
    for cell in board.cells.keys() {
        let (x, y) = place(cell);
        let hue = colour.get(cell).copied().unwrap_or(0) * 137 % 360;
        let _ = write!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\" fill=\"hsl({hue} 55% 82%)\" \
             stroke=\"#555\"/>"
        );
    }
    for (from, to) in board.cells.iter().filter(|(from, to)| from != to) {
        svg.push_str(&arrow(place(from), place(to)));
    }
    svg.push_str("</svg>");
    svg
}

/// A slightly bent arrow from the middle of one cell to the middle of another.
fn arrow(from: (usize, usize), to: (usize, usize)) -> String {
    let middle = |(x, y): (usize, usize)| ((x + CELL / 2) as f64, (y + CELL / 2) as f64);
    let ((x1, y1), (x2, y2)) = (middle(from), middle(to));
    let (dx, dy) = (x2 - x1, y2 - y1);
    let length = dx.hypot(dy).max(1.0);
    let (bx, by) = (f64::midpoint(x1, x2) - dy / 8.0, f64::midpoint(y1, y2) + dx / 8.0);
    let (ux, uy) = (dx / length * 6.0, dy / length * 6.0);
    format!(
        "<path d=\"M{x1:.0} {y1:.0}Q{bx:.0} {by:.0} {x2:.0} {y2:.0}\" fill=\"none\" stroke=\"#246\" \
         stroke-opacity=\"0.7\"/><path d=\"M{x2:.0} {y2:.0}L{:.0} {:.0}L{:.0} {:.0}Z\" fill=\"#246\"/>",
        x2 - ux - uy / 2.0,
        y2 - uy + ux / 2.0,
        x2 - ux + uy / 2.0,
        y2 - uy - ux / 2.0
    )
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
