//! Whether pages look as they did: pictures are reduced to a coarse grid of lightness, so that fonts and rounding do not
//! matter but a missing board, a broken layout or an unreadable theme does. `FLUXION_BLESS=1` writes the grids anew.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use crate::browser::{Browser, Page};
use crate::house::House;

/// Rows and columns of the grid.
const GRID: (usize, usize) = (20, 16);
/// How much a cell of the grid may differ, of 255, before it counts, and the share of cells that may, in percent.
const TOLERANCE: i64 = 26;
const MAY_DIFFER: usize = 22;
/// How often a page that looks different is looked at again, and after what time.
const AGAIN: usize = 20;
const PAUSE: Duration = Duration::from_millis(500);

const PAGES: [(&str, &str, &str); 5] = [
    ("choose", "", "document.querySelectorAll('.game').length > 90"),
    (
        "setup",
        "game/breakthrough",
        "document.querySelectorAll('.setup-board .piece').length === 32 && document.querySelector('#start')",
    ),
    ("rules", "rules", "document.querySelector('#verdict .chip')"),
    ("matches", "matches", "document.querySelector('.empty, .match-row')"),
    ("tournaments", "tournaments", "document.querySelector('.card')"),
];

/// Pictures of games in the list come when the server has found their boards, sooner or later, so they are not compared.
const WITHOUT_PICTURES: &str = "document.querySelectorAll('.game .picture').forEach((picture) => { picture.style.visibility = 'hidden'; })";

/// Compares all pages in both themes on a phone and a desk.
pub fn compare(house: &House, browser: &mut Browser) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e/looks.json");
    let known: BTreeMap<String, Vec<i64>> = std::fs::read_to_string(&file)
        .ok()
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    let (mut seen, mut wrong) = (BTreeMap::new(), Vec::new());
    let scale = browser.visitor(100, 100, "light");
    for theme in ["light", "dark"] {
        for (width, height) in [(1280, 900), (390, 844)] {
            for (name, place, ready) in PAGES {
                let page = browser.visitor(width, height, theme);
                page.go(browser, &house.url(place));
                page.until(browser, ready);
                page.value(browser, WITHOUT_PICTURES);
                let key = format!("{name} {width} {theme}");
                // Phones widen the window to what does not fit; so it is compared with the width given.
                let fits = format!("document.documentElement.scrollWidth <= {width}");
                let fits = page.value(browser, &fits);
                if fits != true {
                    wrong.push(format!("{key}: wider than the window"));
                }
                let look =
                    |grid: &[i64]| known.get(&key).and_then(|old| difference(&key, old, grid));
                let mut found = grid(&page, &scale, browser);
                // A busy machine may still be drawing.
                for _ in 0..AGAIN {
                    if look(&found).is_none() {
                        break;
                    }
                    std::thread::sleep(PAUSE);
                    found = grid(&page, &scale, browser);
                }
                wrong.extend(look(&found));
                seen.insert(key, found);
            }
        }
    }
    if std::env::var_os("FLUXION_BLESS").is_some() {
        let lines: Vec<String> =
            seen.iter().map(|(key, grid)| format!("{key:?}: {grid:?}")).collect();
        std::fs::write(&file, format!("{{\n{}\n}}\n", lines.join(",\n")))
            .expect("the file can be written");
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(!known.is_empty() || std::env::var_os("FLUXION_BLESS").is_some(), "no grids are kept");
}

/// The lightness of a picture in a coarse grid. The browser itself decodes and shrinks the picture.
fn grid(page: &Page, scale: &Page, browser: &mut Browser) -> Vec<i64> {
    let picture = page.picture(browser);
    let (columns, rows) = GRID;
    let script = format!(
        "(async () => {{ const blob = await (await fetch('data:image/png;base64,{picture}')).blob(); const image = await createImageBitmap(blob); \
         const canvas = new OffscreenCanvas(image.width, image.height); const pen = canvas.getContext('2d'); pen.drawImage(image, 0, 0); \
         const {{data}} = pen.getImageData(0, 0, image.width, image.height); const sums = Array({columns} * {rows}).fill(0); const counts = sums.slice(); \
         for (let y = 0; y < image.height; y += 2) for (let x = 0; x < image.width; x += 2) {{ \
         const at = Math.floor(y * {rows} / image.height) * {columns} + Math.floor(x * {columns} / image.width); const i = 4 * (y * image.width + x); \
         sums[at] += 0.3 * data[i] + 0.6 * data[i + 1] + 0.1 * data[i + 2]; counts[at] += 1; }} return sums.map((sum, at) => Math.round(sum / counts[at])); }})()"
    );
    let grid = scale.value(browser, &script);
    grid.as_array().expect("a list").iter().map(|value| value.as_i64().expect("a number")).collect()
}

fn difference(key: &str, old: &[i64], new: &[i64]) -> Option<String> {
    let differ = old.iter().zip(new).filter(|(a, b)| (*a - *b).abs() > TOLERANCE).count();
    let most = new.len() * MAY_DIFFER / 100;
    (differ > most || old.len() != new.len())
        .then(|| format!("{key}: {differ} of {} cells look different", new.len()))
}
