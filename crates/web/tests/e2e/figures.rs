//! How fast and how large the page is. Figures are printed; limits are generous, since machines are busy and builds may
//! be slow. `FLUXION_PAGE_LIMITS=1` holds the page to what it promises: usable within 1 s, a click answered within
//! 100 ms while both cores search.

use serde_json::Value;

use crate::browser::{Browser, Page};
use crate::house::House;
use crate::{my_turn, no_complaints, start, visit};

/// Bytes of everything that the first page brings.
const TRANSFER: f64 = 500_000.0;

/// A limit in milliseconds: what is promised, or what no machine may exceed.
fn limit(promised: f64, generous: f64) -> f64 {
    if std::env::var_os("FLUXION_PAGE_LIMITS").is_some() { promised } else { generous }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// Milliseconds from the beginning of the navigation until the page was shown.
fn shown(page: &Page, browser: &mut Browser) -> f64 {
    page.until(browser, "performance.getEntriesByName('shown').length > 0");
    number(&page.value(browser, "performance.getEntriesByName('shown')[0].startTime"))
}

/// Opens pages as somebody does who has never been here, each with an empty cache.
pub fn pages(house: &House, browser: &mut Browser) {
    let mut slow = Vec::new();
    for place in [
        "",
        "game/tictactoe",
        "game/chess",
        "game/othello",
        "rules",
        "matches",
        "analysis/game/chess",
    ] {
        let page = browser.visitor(1280, 900, "light");
        page.go(browser, &house.url(place));
        let time = shown(&page, browser);
        let size = "[...performance.getEntriesByType('resource'), ...performance.getEntriesByType('navigation')].reduce((sum, one) => sum + one.transferSize, 0)";
        let size = number(&page.value(browser, size));
        println!("page /{place}: shown after {time:.0} ms, {:.0} kB so far", size / 1000.0);
        assert!(size > 10_000.0 && size < TRANSFER, "{place}: {size} bytes");
        if time > limit(1000.0, 30_000.0) {
            slow.push((place, time));
        }
        if place.is_empty() {
            whole_library(&page, browser);
        }
        no_complaints(&page, browser);
    }
    assert!(slow.is_empty(), "{slow:?}");
}

/// What the first page brings in all: also the boards that are seen without scrolling.
fn whole_library(page: &Page, browser: &mut Browser) {
    page.until(browser, "document.querySelector('.game .board')");
    let size = page.value(browser, "[...performance.getEntriesByType('resource'), ...performance.getEntriesByType('navigation')].reduce((sum, one) => sum + one.transferSize, 0)");
    println!("transfer until the first board: {:.0} kB", number(&size) / 1000.0);
    assert!(number(&size) < TRANSFER, "{size} bytes");
}

/// Notes when the board answers a press of the mouse.
const STOPWATCH: &str = "(() => { window.pressed = 0; window.taken = []; \
    addEventListener('pointerup', () => { window.pressed = performance.now(); }, true); \
    new MutationObserver(() => { if (!window.pressed) return; const from = window.pressed; window.pressed = 0; \
    requestAnimationFrame(() => window.taken.push(performance.now() - from)); }) \
    .observe(document.querySelector('.history'), {childList: true, subtree: true}); })()";

/// Moves are made by clicks while two matches are searched without a limit.
pub fn clicks(house: &House, browser: &mut Browser) {
    let thinkers = visit(house, browser, "game/breakthrough", "#start");
    let body = "{game: {library: 'breakthrough'}, seats: [0, 1].map(() => ({kind: 'strategy', strategy: 'uct'})), think: 60}";
    for _ in 0..2 {
        let begun = format!(
            "fetch('/api/v1/matches', {{method: 'POST', headers: {{'content-type': 'application/json'}}, body: JSON.stringify({body})}}).then((r) => r.json()).then((m) => m.id)"
        );
        let id = thinkers.value(browser, &begun);
        let thinking = format!(
            "(async () => {{ for (;;) {{ const match = await (await fetch('/api/v1/matches/' + {id})).json(); \
             if (match.waiting.thinking.length > 0) return true; await new Promise((soon) => setTimeout(soon, 100)); }} }})()"
        );
        thinkers.value(browser, &thinking);
    }
    let page = visit(house, browser, "game/tictactoe", "#start");
    let mut times: Vec<f64> = Vec::new();
    for _ in 0..3 {
        page.go(browser, &house.url("game/tictactoe"));
        start(&page, browser, "Both sides");
        assert!(my_turn(&page, browser));
        page.until(browser, "document.querySelector('.arena .cell.movable')");
        page.value(browser, STOPWATCH);
        for step in 0..5 {
            assert!(my_turn(&page, browser));
            page.click(browser, &format!(".arena .cell[data-key='0:{}:{}']", step % 2, step / 2));
            page.until(browser, &format!("window.taken.length > {step}"));
        }
        let taken = page.value(browser, "window.taken");
        times.extend(taken.as_array().expect("times").iter().map(number));
    }
    times.sort_by(f64::total_cmp);
    let (middle, slowest) = (times[times.len() / 2], times[times.len() - 1]);
    println!(
        "a click is answered after {middle:.0} ms (median of {}), {slowest:.0} ms at most, while two searches run",
        times.len()
    );
    assert!(middle < limit(100.0, 5000.0), "{times:?}");
    no_complaints(&page, browser);
}
