//! Pictures of boards as SVG, for pages of any kind. Pure text: no files, no fonts, no scripts.
//!
//! Colours come from CSS custom properties with fallbacks, so a page can switch between light and dark:
//! `--cell`, `--cell-line`, `--ink`, and `--role-0` … `--role-7` for the roles.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::grid::Tiling;
use crate::picture::{Cell, Content, Picture};

/// The width of a cell.
const SIDE: f64 = 36.0;
/// The space for the names of coordinates.
const MARGIN: f64 = 26.0;
/// Names that are colours wherever they are used, with what is drawn.
const COLOURS: [(&str, &str); 10] = [
    ("white", "#f8f6ef"),
    ("black", "#2b2b2b"),
    ("red", "#d1495b"),
    ("blue", "#3d6fb6"),
    ("green", "#4b9b5f"),
    ("yellow", "#e6c229"),
    ("orange", "#ef8a3c"),
    ("purple", "#8659a8"),
    ("pink", "#e58fb1"),
    ("brown", "#8a6240"),
];

/// Text that can stand in XML.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Not allowed in XML, however written.
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// A picture as an SVG element. `roles` are the names of the roles, which may be colours.
pub fn svg(picture: &Picture, roles: &[String]) -> String {
    let place = Places::new(picture);
    let paint = Paint { roles, labels: labels(picture, roles) };
    let mut out = place.open();
    for cell in &picture.cells {
        contents(cell, place.centre(cell.column, cell.row), &paint, &mut out);
    }
    place.labels(&mut out);
    out.push_str("</svg>");
    out
}

/// A picture with a number in each cell that has one, the deeper coloured the smaller it is; `numbers` are in the
/// order of the cells.
pub fn numbered(picture: &Picture, roles: &[String], numbers: &[Option<u32>]) -> String {
    let place = Places::new(picture);
    let paint = Paint { roles, labels: labels(picture, roles) };
    let mut out = place.open();
    let most = numbers.iter().flatten().copied().max().unwrap_or(0).max(1);
    for (cell, number) in picture.cells.iter().zip(numbers) {
        let (x, y) = place.centre(cell.column, cell.row);
        if let Some(number) = number {
            let strength = 0.12 + 0.6 * (1.0 - f64::from(*number) / f64::from(most));
            let _ = write!(
                out,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{:.1}\" fill=\"var(--accent,#8a4b12)\" \
                 fill-opacity=\"{strength:.2}\"/>",
                SIDE * 0.43
            );
        }
        if !cell.contents.is_empty() {
            contents(cell, (x, y), &paint, &mut out);
        } else if let Some(number) = number {
            let _ = write!(
                out,
                "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"14\" \
                 fill=\"var(--ink,#222)\">{number}</text>",
                y + 5.0
            );
        }
    }
    place.labels(&mut out);
    out.push_str("</svg>");
    out
}

/// Where things are.
struct Places<'p> {
    picture: &'p Picture,
    /// How far each row is moved sideways for hexagons, in halves of a cell.
    shift: i32,
    left: f64,
}

impl<'p> Places<'p> {
    fn new(picture: &'p Picture) -> Self {
        let shift = match picture.tiling {
            Tiling::Hexagonal(true) => 1,
            Tiling::Hexagonal(false) => -1,
            Tiling::Square | Tiling::SquareWithDiagonals => 0,
        };
        let longest = picture.rows.iter().map(|row| row.chars().count()).max().unwrap_or(0);
        let left = if longest == 0 { 4.0 } else { MARGIN.max(longest.min(12) as f64 * 7.0 + 8.0) };
        Self { picture, shift, left }
    }

    fn row_height(&self) -> f64 {
        if self.shift == 0 { SIDE } else { SIDE * 0.866 }
    }

    /// The beginning of the element, with the empty cells.
    fn open(&self) -> String {
        let (width, height) = self.size();
        let mut out = String::new();
        let title = escape(&self.picture.title);
        let _ = write!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\" aria-label=\"{title}\" class=\"board\">\
             <title>{title}</title>"
        );
        for cell in &self.picture.cells {
            self.outline(cell, &mut out);
        }
        out
    }

    fn size(&self) -> (f64, f64) {
        let sheared =
            if self.shift == 0 { 0.0 } else { (self.picture.rows.len() - 1) as f64 / 2.0 };
        let width = self.left + (self.picture.columns.len() as f64 + sheared) * SIDE + 4.0;
        let extra = if self.shift == 0 { 0.0 } else { SIDE * 0.29 };
        (width, 4.0 + self.picture.rows.len() as f64 * self.row_height() + extra + MARGIN)
    }

    fn centre(&self, column: usize, row: usize) -> (f64, f64) {
        let from_below = self.picture.rows.len() - 1 - row;
        let moved = match self.shift {
            0 => 0.0,
            1 => from_below as f64 / 2.0,
            _ => row as f64 / 2.0,
        };
        let x = self.left + (column as f64 + 0.5 + moved) * SIDE;
        let extra = if self.shift == 0 { 0.0 } else { SIDE * 0.145 };
        (x, 4.0 + (row as f64 + 0.5) * self.row_height() + extra)
    }

    fn outline(&self, cell: &Cell, out: &mut String) {
        let (x, y) = self.centre(cell.column, cell.row);
        let style = "fill=\"var(--cell,#f2e9d8)\" stroke=\"var(--cell-line,#b9a98a)\"";
        if self.shift == 0 {
            let shade = if (cell.column + cell.row).is_multiple_of(2) { 1.0 } else { 0.72 };
            let (x, y) = (x - SIDE / 2.0, y - SIDE / 2.0);
            let _ = write!(
                out,
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{SIDE}\" height=\"{SIDE}\" {style} fill-opacity=\"{shade}\"/>"
            );
            return;
        }
        let radius = SIDE / 3f64.sqrt();
        out.push_str("<polygon points=\"");
        for corner in 0..6 {
            let angle = std::f64::consts::FRAC_PI_3 * (f64::from(corner) + 0.5);
            let _ = write!(out, "{:.1},{:.1} ", x + radius * angle.cos(), y + radius * angle.sin());
        }
        let _ = write!(out, "\" {style}/>");
    }

    fn labels(&self, out: &mut String) {
        let text = |x: f64, y: f64, anchor: &str, name: &str, out: &mut String| {
            let _ = write!(
                out,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" font-size=\"12\" \
                 fill=\"var(--ink,#444)\">{}</text>",
                escape(&short(name, 12))
            );
        };
        let bottom = self.picture.rows.len() - 1;
        let fits =
            if self.picture.columns.iter().any(|name| name.chars().count() > 5) { 5 } else { 12 };
        for (column, name) in self.picture.columns.iter().enumerate() {
            let (x, y) = self.centre(column, bottom);
            text(x, y + self.row_height() / 2.0 + 17.0, "middle", &short(name, fits), out);
        }
        for (row, name) in self.picture.rows.iter().enumerate() {
            let (x, y) = self.centre(0, row);
            text(x - SIDE / 2.0 - 7.0, y + 4.0, "end", name, out);
        }
    }
}

/// At most `most` characters of a name.
fn short(name: &str, most: usize) -> String {
    if name.chars().count() <= most {
        return name.to_owned();
    }
    name.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// How the contents of cells look.
struct Paint<'r> {
    roles: &'r [String],
    /// What is written on the things that are there.
    labels: BTreeMap<String, String>,
}

/// Names that are short, or the beginnings of what is left of them without the name of a role; with the number at
/// the end where that would be the same for several.
fn labels(picture: &Picture, roles: &[String]) -> BTreeMap<String, String> {
    let names: BTreeSet<&str> =
        picture.cells.iter().flat_map(|cell| &cell.contents).map(|c| c.name.as_str()).collect();
    let plain: Vec<String> = names.iter().map(|name| label(name, roles)).collect();
    let shared = |label: &String| plain.iter().filter(|other| *other == label).count() > 1;
    let labelled = names.iter().zip(&plain).map(|(name, plain)| {
        let start = name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let numbered = shared(plain) && start > 0 && start < name.len() && name.len() - start <= 2;
        let label = if numbered {
            name.chars().take(1).chain(name[start..].chars()).collect()
        } else {
            plain.clone()
        };
        ((*name).to_owned(), label)
    });
    labelled.collect()
}

fn contents(cell: &Cell, (x, y): (f64, f64), paint: &Paint<'_>, out: &mut String) {
    let several = cell.contents.len() > 1;
    for (at, content) in cell.contents.iter().take(4).enumerate() {
        let (dx, dy) = if several { OFFSETS[at] } else { (0.0, 0.0) };
        let radius = if several { SIDE * 0.23 } else { SIDE * 0.38 };
        disc(content, (x + dx * SIDE, y + dy * SIDE), radius, paint, out);
    }
}

const OFFSETS: [(f64, f64); 4] = [(-0.22, -0.22), (0.22, 0.22), (0.22, -0.22), (-0.22, 0.22)];

/// A disc in the colour of the content, with its name or the beginning of it.
fn disc(content: &Content, (x, y): (f64, f64), radius: f64, paint: &Paint<'_>, out: &mut String) {
    let (fill, ink) = colours(content, paint.roles);
    let label = paint.labels.get(&content.name).map_or("", String::as_str);
    let size = match label.chars().count() {
        0..=2 => radius * 0.95,
        3 => radius * 0.75,
        _ => radius * 0.6,
    };
    let _ = write!(
        out,
        "<g><title>{name}</title><circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" fill=\"{fill}\" \
         stroke=\"#00000066\"/>",
        name = escape(&content.name)
    );
    if !is_colour(&content.name) {
        let _ = write!(
            out,
            "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"{size:.1}\" \
             font-weight=\"600\" fill=\"{ink}\">{}</text>",
            y + size * 0.36,
            escape(label)
        );
    }
    out.push_str("</g>");
}

fn is_colour(name: &str) -> bool {
    COLOURS.iter().any(|(colour, _)| name.eq_ignore_ascii_case(colour))
}

fn label(name: &str, roles: &[String]) -> String {
    if name.chars().count() <= 4 {
        return name.to_owned();
    }
    let rest = roles.iter().find_map(|role| {
        let start = name.get(..role.len()).filter(|start| start.eq_ignore_ascii_case(role))?;
        let rest = name[start.len()..].trim_start_matches(['_', '-']);
        (!rest.is_empty()).then_some(rest)
    });
    rest.unwrap_or(name).chars().take(2).collect()
}

/// The colours of a disc and of the text on it. Names that are colours are drawn so; other things have the
/// colour of their role, or none.
fn colours(content: &Content, roles: &[String]) -> (String, &'static str) {
    let role = content.owner.and_then(|owner| roles.get(owner as usize));
    let named = |name: &str| COLOURS.iter().find(|(colour, _)| name.eq_ignore_ascii_case(colour));
    let colour = named(&content.name).or_else(|| role.and_then(|role| named(role)));
    match (colour, content.owner) {
        (Some((name, colour)), _) => {
            let light = ["white", "yellow", "pink"].contains(name);
            ((*colour).to_owned(), if light { "#222" } else { "#fff" })
        }
        (None, Some(owner)) => {
            let fallback = ["#3d6fb6", "#e07a3f", "#4b9b5f", "#8659a8"][owner as usize % 4];
            (format!("var(--role-{},{fallback})", owner % 8), "#fff")
        }
        (None, None) => ("var(--nobody,#cfc8ba)".to_owned(), "#222"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_labelled_by_what_tells_them_apart() {
        let names =
            ["blackKing", "black_pawn", "white", "terrorist1", "terrorist2", "flag", "wall"];
        let content = |name: &str| Content { name: name.to_owned(), owner: None };
        let cell = |name: &&str| Cell { column: 0, row: 0, contents: vec![content(name)] };
        let picture = Picture {
            title: String::new(),
            columns: vec!["a".to_owned()],
            rows: vec!["1".to_owned()],
            cells: names.iter().map(cell).collect(),
            tiling: Tiling::Square,
        };
        let found = labels(&picture, &["black".to_owned(), "white".to_owned()]);
        let label = |name: &str| found[name].as_str();
        assert_eq!([label("blackKing"), label("black_pawn")], ["Ki", "pa"]);
        assert_eq!([label("terrorist1"), label("terrorist2")], ["t1", "t2"]);
        assert_eq!([label("white"), label("flag"), label("wall")], ["wh", "flag", "wall"]);
    }
}
