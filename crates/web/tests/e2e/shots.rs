//! Every page with real data in both themes at two widths: nothing may be wider than the window, and with
//! `FLUXION_SHOTS=FOLDER` pictures of all of it are written, for people to look at. Without the variable only a few
//! pages are visited, since all take minutes.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use manager::tournament::{Ledger, Plan, Sheet, prepare, run};

use crate::browser::{Browser, Page};
use crate::house::House;
use crate::{BROKEN, DESK, choose, fill, judge, my_turn, no_complaints, start, visit};

/// The windows: a desk and a phone.
const WINDOWS: [(u32, u32); 2] = [(1280, 900), (390, 844)];
/// The longest picture.
const MOST: u32 = 4000;

/// Takes the pictures.
struct Camera {
    folder: Option<PathBuf>,
    wrong: Vec<String>,
}

impl Camera {
    /// All looks of a page as it is now.
    fn all(&mut self, page: &Page, browser: &mut Browser, name: &str) {
        for theme in ["light", "dark"] {
            for (width, height) in WINDOWS {
                page.look(browser, width, height, theme);
                page.until(browser, &format!("innerWidth >= {width} && document.documentElement.dataset.theme === {theme:?}"));
                self.one(page, browser, &format!("{name} {width} {theme}"), width);
            }
        }
        page.look(browser, DESK.0, DESK.1, "light");
    }

    fn one(&mut self, page: &Page, browser: &mut Browser, name: &str, width: u32) {
        let wide = page.value(browser, "document.documentElement.scrollWidth");
        if wide.as_u64().is_none_or(|wide| wide > u64::from(width)) {
            self.wrong.push(format!("{name}: {wide} wide"));
        }
        let Some(folder) = &self.folder else { return };
        let picture = decode(&page.whole(browser, width, MOST));
        let file = folder.join(format!("{}.png", name.replace(' ', "-")));
        std::fs::write(file, picture).expect("the picture can be written");
    }
}

/// The bytes of base64.
fn decode(text: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u8> = text.bytes().filter(|byte| *byte != b'=').map(value).collect();
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    for four in digits.chunks(4) {
        let bits = four.iter().fold(0u32, |bits, digit| (bits << 6) | u32::from(*digit));
        let bits = bits << (6 * (4 - four.len()));
        bytes.extend(&bits.to_be_bytes()[1..four.len()]);
    }
    bytes
}

/// Visits the pages; all of them if pictures are wanted.
pub fn take(house: &House, browser: &mut Browser) {
    let folder = std::env::var_os("FLUXION_SHOTS").map(PathBuf::from);
    let thorough = folder.is_some();
    if let Some(folder) = &folder {
        std::fs::create_dir_all(folder).expect("the folder can be made");
    }
    let mut camera = Camera { folder, wrong: Vec::new() };
    played(house, browser, &mut camera);
    missing(house, browser, &mut camera);
    if thorough {
        lists(house, browser, &mut camera);
        games(house, browser, &mut camera);
        menu(house, browser, &mut camera);
        analyses(house, browser, &mut camera);
        tournaments(house, browser, &mut camera);
        token(house, browser, &mut camera);
    }
    assert!(camera.wrong.is_empty(), "{:#?}", camera.wrong);
}

/// The library, and own rules with findings.
fn lists(house: &House, browser: &mut Browser, camera: &mut Camera) {
    let page = visit(house, browser, "", ".game .board");
    camera.all(&page, browser, "library");
    page.go(browser, &house.url("rules"));
    page.until(browser, "document.querySelector('#rules')");
    camera.all(&page, browser, "rules");
    fill(&page, browser, "#rules", BROKEN);
    page.until(browser, "document.querySelector('.findings li.error')");
    camera.all(&page, browser, "rules-broken");
    no_complaints(&page, browser);
}

/// A game of each kind, on its own page and begun.
fn games(house: &House, browser: &mut Browser, camera: &mut Camera) {
    let kinds = [
        ("chess", "Be white"),
        ("hex_5x5", "Be red"),
        ("prisoners_dilemma_iterated", "Both sides"),
        ("chinese_checkers_3", "All sides"),
        ("tttcc4", "Both sides"),
        ("rock_paper_scissors_best_of_5", "Both sides"),
        ("sokoban", "Solve it yourself"),
    ];
    for (name, preset) in kinds {
        let page = visit(house, browser, &format!("game/{name}"), "#start");
        page.until(browser, "document.querySelector('.setup-board svg, .setup .facts')");
        camera.all(&page, browser, &format!("game-{name}"));
        start(&page, browser, preset);
        my_turn(&page, browser);
        page.until(browser, "document.querySelector('.arena .board, .boardless .facts')");
        camera.all(&page, browser, &format!("match-{name}"));
        no_complaints(&page, browser);
    }
}

/// A match against the engine: the visitor's move, a hint, the small board of a line, the end, the review.
fn played(house: &House, browser: &mut Browser, camera: &mut Camera) {
    let page = visit(house, browser, "game/connect_four", "#start");
    start(&page, browser, "Be white");
    for _ in 0..2 {
        assert!(my_turn(&page, browser));
        page.until(browser, "document.querySelector('.arena .cell.movable')");
        let before = page.text(browser, ".match-head .chip");
        page.click(browser, ".arena .cell.movable");
        page.until(
            browser,
            &format!("document.querySelector('.match-head .chip').textContent !== {before:?}"),
        );
    }
    assert!(my_turn(&page, browser));
    page.until(browser, "document.querySelector('.thinking .candidates')");
    camera.all(&page, browser, "match-yours");
    page.click(browser, "#hint");
    page.until(browser, "document.querySelector('.toast.shown')");
    if page.value(browser, "document.querySelector('.pv .line-move') !== null") == true {
        page.hover(browser, ".pv .line-move");
        page.until(browser, "!document.querySelector('.preview').hidden");
    }
    camera.all(&page, browser, "match-hint");
    page.click(browser, "#resign");
    page.until(browser, "document.querySelector('#status.over')");
    camera.all(&page, browser, "match-over");
    page.click(browser, ".match-head a.primary");
    judge(&page, browser);
    page.click(browser, "#back");
    camera.all(&page, browser, "review");
    page.go(browser, &house.url("matches"));
    page.until(browser, "document.querySelector('.match-row')");
    camera.all(&page, browser, "matches");
    no_complaints(&page, browser);
}

/// Moves that share their cells are asked about: a pawn that is promoted.
fn menu(house: &House, browser: &mut Browser, camera: &mut Camera) {
    let page = visit(house, browser, "rules", "#rules");
    let rules = "(role ann)\n(init (cell 1 1 b))\n(init (cell 2 1 b))\n(init (cell 1 2 b))\n(init (cell 2 2 b))\n\
        (succ 1 2)\n(kind queen)\n(kind rook)\n(kind knight)\n(<= (legal ann (put ?x ?y ?k)) (true (cell ?x ?y b)) (kind ?k))\n\
        (<= (next (cell ?x ?y ?k)) (does ann (put ?x ?y ?k)))\n(<= (next (cell ?x ?y ?c)) (true (cell ?x ?y ?c)) (does ann (put ?u ?v ?k)) (distinct ?x ?u))\n\
        (<= (next (cell ?x ?y ?c)) (true (cell ?x ?y ?c)) (does ann (put ?u ?v ?k)) (distinct ?y ?v))\n(<= open (true (cell ?x ?y b)))\n\
        (<= (next (cell ?y ?x ?c)) (succ ?x ?y) (true (cell ?y ?x ?c)) (does ann stop))\n\
        (<= terminal (not open))\n(goal ann 100)\n";
    fill(&page, browser, "#rules", rules);
    page.until(browser, "document.querySelector('#start')");
    start(&page, browser, "Solve it yourself");
    assert!(my_turn(&page, browser));
    page.until(browser, "document.querySelector('.arena .cell.movable')");
    page.click(browser, ".arena .cell.movable");
    page.until(browser, "document.querySelector('.menu')");
    camera.all(&page, browser, "match-menu");
}

/// What the rules tell, with a counter-example and a map of distances.
fn analyses(house: &House, browser: &mut Browser, camera: &mut Camera) {
    for name in ["tictactoe", "breakthrough_5x5"] {
        let page = visit(house, browser, &format!("analysis/game/{name}"), ".analysis");
        page.until(browser, "document.querySelector('#analysis-state').textContent === 'complete'");
        page.value(browser, "document.querySelectorAll('[data-section=proofs] details').forEach((one) => { one.open = true; })");
        camera.all(&page, browser, &format!("analysis-{name}"));
        no_complaints(&page, browser);
    }
}

/// A tournament that runs, then finished.
fn tournaments(house: &House, browser: &mut Browser, camera: &mut Camera) {
    let folder = house.folder().join("tournaments");
    std::fs::create_dir_all(&folder).expect("a folder");
    let stop = Arc::new(AtomicBool::new(false));
    let runner = std::thread::spawn({
        let stop = stop.clone();
        move || play_cup(&folder.join("cup.db"), &stop)
    });
    let page = visit(house, browser, "tournaments", ".card");
    page.until(browser, "document.querySelector('.match-row') || location.reload()");
    camera.all(&page, browser, "tournaments");
    page.go(browser, &house.url("tournament/cup"));
    page.until(browser, "document.querySelectorAll('.match-row').length > 3");
    camera.all(&page, browser, "tournament-running");
    stop.store(true, Ordering::SeqCst);
    runner.join().expect("the tournament ends");
    page.until(browser, "document.querySelector('.chip:not(.live)')");
    camera.all(&page, browser, "tournament-stopped");
    no_complaints(&page, browser);
}

fn play_cup(file: &Path, stop: &Arc<AtomicBool>) {
    let text = "name = \"A cup\"\ngames = [\"tictactoe\", \"connect_four_4x4\"]\nrounds = 500\nstart-clock = 1\nplay-clock = 1\n\
        [[player]]\nname = \"uct\"\nplayer = \"uct:nodes=2000\"\n[[player]]\nname = \"alphabeta\"\nplayer = \"alphabeta:nodes=2000\"\n\
        [[player]]\nname = \"random\"\nplayer = \"random\"\n";
    let plan = Plan::parse(text).expect("a plan");
    let sheet = |name: &String| {
        let rules = library::find(name).expect("is in the library").rules.to_owned();
        Sheet::new(name.clone(), rules)
    };
    let sheets: Vec<Sheet> = plan.games.iter().map(sheet).collect();
    let mut ledger = Ledger::open(file).expect("a database");
    ledger.lock().expect("nobody else runs it");
    prepare(&mut ledger, &plan, &sheets).expect("a good plan");
    run(ledger, 1, stop, &|_| ()).expect("it runs");
}

/// What is not there, and a server that is gone.
fn missing(house: &House, browser: &mut Browser, camera: &mut Camera) {
    let page = visit(house, browser, "game/no-such-game", ".empty");
    camera.all(&page, browser, "no-such-game");
    let page = visit(house, browser, "game/tictactoe", "#start");
    choose(&page, browser, "select[data-role='1']", "open");
    page.click(browser, "#start");
    page.until(browser, "document.querySelector('.player button')");
    camera.all(&page, browser, "match-free-seat");
    page.value(browser, "document.querySelector('.play').classList.add('lost')");
    camera.all(&page, browser, "connection-lost");
}

/// A server that wants a token.
fn token(house: &House, browser: &mut Browser, camera: &mut Camera) {
    let folder = house.folder().join("guarded");
    std::fs::create_dir_all(&folder).expect("a folder");
    let guarded = House::guarded(&folder, "secret-of-the-test");
    let page = browser.visitor(DESK.0, DESK.1, "light");
    page.go(browser, &guarded.url(""));
    page.until(browser, "document.body.textContent.length > 10");
    camera.all(&page, browser, "token-needed");
}
