//! The page in a real browser: what a person does, from choosing a game to looking at a match again. The server is a
//! process of its own, Chromium runs without a window. Waits are for conditions, never for a time.

#[path = "e2e/browser.rs"]
mod browser;
#[path = "e2e/figures.rs"]
mod figures;
#[path = "e2e/house.rs"]
mod house;
#[path = "e2e/looks.rs"]
mod looks;
#[path = "e2e/shots.rs"]
mod shots;

use browser::{Browser, Page};
use house::House;

/// Not a test: other tests start this program again with only this function, to be their server.
#[test]
fn the_server_process() {
    house::serve_if_asked();
}

const DESK: (u32, u32) = (1280, 900);

/// A visitor at a page of the server.
fn visit(house: &House, browser: &mut Browser, page: &str, ready: &str) -> Page {
    let visitor = browser.visitor(DESK.0, DESK.1, "light");
    visitor.go(browser, &house.url(page));
    visitor.until(browser, &format!("document.querySelector({ready:?})"));
    visitor
}

/// Fills a field as if it had been typed.
fn fill(page: &Page, browser: &mut Browser, selector: &str, text: &str) {
    page.until(browser, &format!("document.querySelector({selector:?})"));
    page.value(browser, &format!("(() => {{ const e = document.querySelector({selector:?}); e.focus(); e.select?.(); }})()"));
    page.write(browser, text);
}

/// Chooses in a list.
fn choose(page: &Page, browser: &mut Browser, selector: &str, value: &str) {
    page.value(browser, &format!("(() => {{ const e = document.querySelector({selector:?}); e.value = {value:?}; e.dispatchEvent(new Event('change', {{bubbles: true}})); }})()"));
}

/// Starts a match from the page of a game, with a preset such as `Both sides` and little time to think.
fn start(page: &Page, browser: &mut Browser, preset: &str) {
    page.until(browser, "document.querySelector('#start')");
    let pressed = format!(
        "[...document.querySelectorAll('.seat-form .segments button')].find((b) => b.textContent === {preset:?}).click()"
    );
    page.value(browser, &pressed);
    page.value(
        browser,
        "(() => { const e = document.querySelector('#think'); e.value = '0.2'; })()",
    );
    page.click(browser, "#start");
    page.until(
        browser,
        "location.hash.startsWith('#/match/') && document.querySelector('#status')",
    );
}

/// Lets the engine judge the match that is reviewed.
fn judge(page: &Page, browser: &mut Browser) {
    page.click(browser, "#annotate");
    page.until(
        browser,
        "document.querySelector('.match-head [role=status]').textContent === 'judged'",
    );
}

/// Waits until it is the visitor's move or all is over; whether it is the visitor's move.
fn my_turn(page: &Page, browser: &mut Browser) -> bool {
    page.until(browser, "document.querySelector('#status.yours, #status.over') && !document.querySelector('.sending')");
    page.value(browser, "document.querySelector('#status.yours') !== null") == true
}

/// Plays to the end by clicking on the first cell that lights up.
fn click_to_the_end(page: &Page, browser: &mut Browser) {
    for _ in 0..100 {
        if !my_turn(page, browser) {
            return;
        }
        let before = page.text(browser, ".match-head .chip");
        page.click(browser, ".arena .cell.movable");
        page.until(browser, &format!("document.querySelector('.match-head .chip').textContent !== {before:?} || document.querySelector('#status.over')"));
    }
    panic!("the match does not end");
}

fn no_complaints(page: &Page, browser: &mut Browser) {
    let wrong = page.complaints(browser);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn tic_tac_toe_is_chosen_and_played_to_the_end_by_clicks() {
    let Some((house, mut browser)) = house::open() else { return };
    let browser = &mut browser;
    let page = visit(&house, browser, "", "a.game");
    fill(&page, browser, "#search", "tic-tac-toe");
    page.until(browser, "document.querySelectorAll('a.game').length < 30");
    page.click(browser, "a.game[data-game=tictactoe]");
    start(&page, browser, "Be xplayer");
    click_to_the_end(&page, browser);
    page.until(browser, "document.querySelectorAll('.player .goal').length === 2");
    let told = page.text(browser, "#status");
    assert!(told.contains('–'), "{told}");
    page.until(browser, "document.querySelector('.thinking .candidates, .chart')");
    no_complaints(&page, browser);
}

const BROKEN: &str = "(role ann)\n(init (lamp off))\n(<= (legal ann press) (true (lamp ?x))\n";
const MENDED: &str = "(role ann)\n(init (lamp off))\n(<= (legal ann press) (true (lamp ?x)))\n(legal ann wait)\n\
    (<= (next (lamp on)) (does ann press))\n(<= (next (lamp ?x)) (does ann wait) (true (lamp ?x)))\n(<= terminal (true (lamp on)))\n(<= (goal ann 100) (true (lamp on)))\n(<= (goal ann 0) (true (lamp off)))\n";

#[test]
fn a_broken_sheet_shows_where_it_is_broken_and_a_mended_one_is_played() {
    let Some((house, mut browser)) = house::open() else { return };
    let browser = &mut browser;
    let page = visit(&house, browser, "rules", "#rules");
    fill(&page, browser, "#rules", BROKEN);
    page.until(browser, "document.querySelector('#verdict .chip.bad') && document.querySelector('.findings li.error') && document.querySelector('.waves u.error')");
    page.click(browser, ".findings li.error .finding");
    page.until(browser, "document.activeElement.id === 'rules'");
    assert_eq!(page.value(browser, "document.querySelector('#start') === null"), true);
    fill(&page, browser, "#rules", MENDED);
    page.until(browser, "document.querySelector('#verdict .chip.good, #verdict .chip.warn') && document.querySelector('#start')");
    start(&page, browser, "Solve it yourself");
    assert!(my_turn(&page, browser));
    page.click(browser, ".move[data-move=press]");
    page.until(browser, "document.querySelector('#status.over')?.textContent.startsWith('Solved')");
    no_complaints(&page, browser);
}

/// Names that would do harm as HTML.
const HARMFUL: &str = "(role <img/src=x/onerror=window.harm=1>)\n(init (<script>window.harm=2</script> 1))\n(legal <img/src=x/onerror=window.harm=1> <svg/onload=window.harm=3>)\n\
    (<= (next (done 1)) (does <img/src=x/onerror=window.harm=1> <svg/onload=window.harm=3>))\n(legal <img/src=x/onerror=window.harm=1> wait)\n(<= terminal (true (done 1)))\n(goal <img/src=x/onerror=window.harm=1> 100)\n";

#[test]
fn names_in_rules_never_become_html() {
    let Some((house, mut browser)) = house::open() else { return };
    let browser = &mut browser;
    let page = visit(&house, browser, "rules", "#rules");
    fill(&page, browser, "#rules", HARMFUL);
    page.until(browser, "document.querySelector('#start')");
    start(&page, browser, "Solve it yourself");
    assert!(my_turn(&page, browser));
    assert!(page.text(browser, ".players").contains("<img/src=x"));
    page.until(browser, "[...document.querySelectorAll('.move')].some((move) => move.textContent.includes('<svg/onload'))");
    page.value(browser, "[...document.querySelectorAll('.move')].find((move) => move.textContent.includes('<svg')).click()");
    page.until(browser, "document.querySelector('#status.over')");
    page.click(browser, ".match-head a.primary");
    page.until(browser, "document.querySelector('#slider')");
    let strange =
        "document.querySelectorAll('#page img, #page script').length + (window.harm ?? 0)";
    assert_eq!(page.value(browser, strange), 0);
    no_complaints(&page, browser);
}

#[test]
fn breakthrough_is_played_by_dragging() {
    let Some((house, mut browser)) = house::open() else { return };
    let browser = &mut browser;
    let page = visit(&house, browser, "game/breakthrough", "#start");
    start(&page, browser, "Be white");
    assert!(my_turn(&page, browser));
    // Column 1 from row 2 to row 3; rows count from the top.
    page.drag(browser, ".arena .cell[data-key='0:0:6']", ".arena .cell[data-key='0:0:5']");
    page.until(browser, "document.querySelector('.arena .at[data-key=\"0:0:5\"] .p-white')");
    page.until(browser, "document.querySelectorAll('.history .line-move').length >= 2");
    assert!(my_turn(&page, browser));
    // A piece that is chosen shows where it can go; a second click there plays.
    page.click(browser, ".arena .cell[data-key='0:7:6']");
    page.until(browser, "document.querySelectorAll('.arena .marks > *').length === 2");
    page.click(browser, ".arena .cell[data-key='0:7:5']");
    page.until(browser, "document.querySelector('.arena .at[data-key=\"0:7:5\"] .p-white')");
    page.until(browser, "document.querySelectorAll('.history .line-move').length >= 4");
    // Taken back, it is white's move again.
    assert!(my_turn(&page, browser));
    page.click(browser, "#undo");
    page.until(browser, "document.querySelectorAll('.history .line-move').length === 2 && document.querySelector('#status.yours')");
    no_complaints(&page, browser);
}

#[test]
fn moves_of_a_simultaneous_game_are_hidden_until_all_are_in() {
    let Some((house, mut browser)) = house::open() else { return };
    let browser = &mut browser;
    let page = visit(&house, browser, "game/rock_paper_scissors_best_of_5", "#start");
    start(&page, browser, "Both sides");
    page.until(browser, "document.querySelectorAll('.moves').length === 1 && document.querySelectorAll('.move').length >= 3");
    page.click(browser, ".move");
    page.until(browser, "document.querySelectorAll('.player .chip.live').length === 1");
    assert!(!page.text(browser, ".history").contains("rock"));
    assert!(page.text(browser, ".match-head .chip").contains("step 0"));
    page.until(browser, "document.querySelector('.move')");
    page.click(browser, ".move");
    page.until(browser, "document.querySelector('.match-head .chip').textContent !== 'step 0'");
    page.until(browser, "document.querySelectorAll('.history .line-move').length === 1");
    no_complaints(&page, browser);
}

#[test]
fn a_game_without_a_board_is_a_table_of_facts_and_a_list_of_moves() {
    let Some((house, mut browser)) = house::open() else { return };
    let browser = &mut browser;
    let page = visit(&house, browser, "game/prisoners_dilemma_iterated", "#start");
    start(&page, browser, "Both sides");
    assert!(my_turn(&page, browser));
    assert_eq!(page.value(browser, "document.querySelector('.play').classList.contains('boardless') && document.querySelectorAll('.facts tr').length > 0"), true);
    let first = page.text(browser, ".move");
    fill(&page, browser, "#find-move", &first);
    page.until(browser, "document.querySelectorAll('.move').length >= 1");
    page.key(browser, "Enter");
    page.until(browser, "document.querySelectorAll('.player .chip.live').length === 1");
    no_complaints(&page, browser);
}

/// A whole match of tic-tac-toe by hand, the same every time.
fn play_known_match(page: &Page, browser: &mut Browser) {
    for (step, cell) in ["0:0:0", "0:1:0", "0:0:1", "0:1:1", "0:0:2"].iter().enumerate() {
        assert!(my_turn(page, browser));
        page.click(browser, &format!(".arena .cell[data-key='{cell}']"));
        page.until(
            browser,
            &format!("document.querySelectorAll('.history .line-move').length === {}", step + 1),
        );
    }
    page.until(browser, "document.querySelector('#status.over')");
}

#[test]
fn a_match_is_replayed_judged_and_downloaded() {
    let Some((house, mut browser)) = house::open() else { return };
    let browser = &mut browser;
    let page = visit(&house, browser, "game/tictactoe", "#start");
    start(&page, browser, "Both sides");
    play_known_match(&page, browser);
    page.click(browser, ".match-head a.primary");
    page.until(browser, "document.querySelector('#slider')?.max === '5' && document.querySelectorAll('.review .pieces .piece').length === 5");
    page.click(browser, "#first");
    page.until(browser, "document.querySelectorAll('.review .pieces .piece').length === 0");
    page.key(browser, "ArrowRight");
    page.until(browser, "document.querySelectorAll('.review .pieces .piece').length === 1 && document.querySelector('#slider').value === '1'");
    judge(&page, browser);
    page.until(browser, "document.querySelectorAll('.chart polyline').length === 2");
    let record = page.value(browser, "fetch(document.querySelector('#download').href).then((r) => r.json()).then((r) => JSON.stringify(r))");
    let record = record.as_str().expect("a record").to_owned();
    assert!(record.contains("mark"), "{record}");
    // The list of matches knows it, and a record comes back as a match.
    let imported = page.value(browser, &format!("fetch('/api/v1/matches/import', {{method: 'POST', headers: {{'content-type': 'application/json'}}, body: {record:?}}}).then((r) => r.json()).then((m) => m.moves.length)"));
    assert_eq!(imported, 5);
    page.go(browser, &house.url("matches"));
    page.until(browser, "document.querySelectorAll('.match-row').length === 2");
    no_complaints(&page, browser);
}

#[test]
fn the_analysis_page_fills_with_sections() {
    let Some((house, mut browser)) = house::open() else { return };
    let browser = &mut browser;
    let page = visit(&house, browser, "analysis/game/tictactoe", ".analysis");
    page.until(browser, "document.querySelector('#analysis-state').textContent === 'complete'");
    for section in ["overview", "structures", "symmetries", "random_play"] {
        let told = page.text(browser, &format!("[data-section={section}]"));
        assert!(told.len() > 20, "{section}: {told}");
    }
    assert_eq!(
        page.value(
            browser,
            "document.querySelectorAll('[data-section=random_play] .bar').length > 3"
        ),
        true
    );
    // What is only guessed says so, and no more where a proof below confirms it; what was refuted can be played.
    assert!(!page.text(browser, "[data-section=overview]").contains("guessed"));
    assert!(page.text(browser, "[data-section=structures]").contains("guessed"));
    let proofs = page.text(browser, "[data-section=proofs]");
    assert!(proofs.contains("proved") && proofs.contains("refuted"), "{proofs}");
    let steps = page.value(browser, "(() => { const trace = document.querySelector('[data-section=proofs] details'); trace.open = true; return trace.querySelectorAll('li').length; })()");
    page.click(browser, "[data-section=proofs] .play-trace");
    page.until(
        browser,
        "location.hash.startsWith('#/match/') && document.querySelector('.match-head .chip')",
    );
    assert_eq!(page.text(browser, ".match-head .chip"), format!("step {steps}"));
    page.until(browser, "document.querySelector('#undo:enabled')");
    no_complaints(&page, browser);
}

#[test]
fn two_visitors_play_each_other() {
    let Some((house, mut browser)) = house::open() else { return };
    let browser = &mut browser;
    let first = visit(&house, browser, "game/tictactoe", "#start");
    choose(&first, browser, "select[data-role='1']", "open");
    first.click(browser, "#start");
    first.until(browser, "location.hash.startsWith('#/match/')");
    let address = first
        .value(browser, "location.hash")
        .as_str()
        .expect("an address")
        .trim_start_matches("#/")
        .to_owned();
    let second = visit(&house, browser, &address, "#status");
    second.click(browser, ".player button");
    second.until(
        browser,
        "document.querySelector('.player[data-role=\"1\"]').textContent.includes('you')",
    );
    assert!(my_turn(&first, browser));
    first.click(browser, ".arena .cell[data-key='0:1:1']");
    assert!(my_turn(&second, browser));
    assert_eq!(second.value(browser, "document.querySelectorAll('.arena .piece').length"), 1);
    second.click(browser, ".arena .cell[data-key='0:0:0']");
    assert!(my_turn(&first, browser));
    assert_eq!(first.value(browser, "document.querySelectorAll('.arena .piece').length"), 2);
    no_complaints(&first, browser);
    no_complaints(&second, browser);
}

#[test]
fn a_match_goes_on_after_the_server_was_killed() {
    let Some((mut house, mut browser)) = house::open() else { return };
    let browser = &mut browser;
    let page = visit(&house, browser, "game/tictactoe", "#start");
    start(&page, browser, "Be xplayer");
    assert!(my_turn(&page, browser));
    page.click(browser, ".arena .cell.movable");
    page.until(browser, "document.querySelectorAll('.history .line-move').length >= 2");
    assert!(my_turn(&page, browser));
    house.crash();
    page.until(browser, "document.querySelector('.play').classList.contains('lost')");
    house.come_back();
    page.until(browser, "!document.querySelector('.play').classList.contains('lost')");
    click_to_the_end(&page, browser);
    page.until(browser, "document.querySelectorAll('.player .goal').length === 2");
}

#[test]
fn fingers_and_keys_play_as_well() {
    let Some((house, mut browser)) = house::open() else { return };
    let browser = &mut browser;
    let page = browser.visitor(390, 844, "dark");
    page.go(browser, &house.url("game/tictactoe"));
    start(&page, browser, "Both sides");
    assert!(my_turn(&page, browser));
    page.tap(browser, ".arena .cell[data-key='0:0:0']");
    page.until(browser, "document.querySelectorAll('.history .line-move').length === 1");
    // The event may come before the answer to the tap, and until then nothing else is taken.
    assert!(my_turn(&page, browser));
    page.value(browser, "document.querySelector('.arena .cell[tabindex=\"0\"]').focus()");
    page.key(browser, "ArrowRight");
    page.key(browser, "ArrowDown");
    page.key(browser, "Enter");
    page.until(browser, "document.querySelectorAll('.history .line-move').length === 2");
    assert_eq!(
        page.value(browser, "document.querySelectorAll('.arena .at[data-key=\"0:1:1\"]').length"),
        1
    );
    // What screen readers get.
    let spoken = page.value(
        browser,
        "document.querySelector('.arena .cell[data-key=\"0:1:1\"]').getAttribute('aria-label')",
    );
    assert!(spoken.as_str().is_some_and(|text| text.ends_with(": o")), "{spoken}");
    assert!(page.text(browser, "#position-text").len() > 5);
    // Nothing is wider than a phone.
    assert_eq!(page.value(browser, "document.documentElement.scrollWidth <= 390"), true);
    no_complaints(&page, browser);
}

#[test]
fn a_player_elsewhere_takes_a_seat_and_its_end_costs_only_its_moves() {
    let Some((house, mut browser)) = house::open() else { return };
    let browser = &mut browser;
    let rival = house::Rival::start();
    let page = visit(&house, browser, "game/tictactoe", "#start");
    choose(&page, browser, "select[data-role='1']", "remote");
    fill(&page, browser, ".seat input[type=url]", &rival.url());
    page.until(browser, "document.querySelector('#clocks-on').checked");
    fill(&page, browser, "#start-clock", "2");
    fill(&page, browser, "#play-clock", "60");
    page.click(browser, "#start");
    page.until(browser, "document.querySelector('#status')");
    assert!(my_turn(&page, browser));
    page.click(browser, ".arena .cell[data-key='0:1:1']");
    page.until(browser, "document.querySelectorAll('.history .line-move').length >= 2");
    assert_eq!(page.value(browser, "document.querySelectorAll('.toast.bad').length"), 0);
    assert!(page.text(browser, ".player[data-role='1']").contains("http://127.0.0.1"));
    drop(rival);
    // What nobody answers is replaced by a random move, said so, and the match comes to its end.
    assert!(my_turn(&page, browser));
    page.click(browser, ".arena .cell.movable");
    page.until(browser, "[...document.querySelectorAll('.toast.bad')].some((toast) => toast.textContent.includes('could not be reached'))");
    click_to_the_end(&page, browser);
    page.until(browser, "document.querySelectorAll('.player .goal').length === 2");
    no_complaints(&page, browser);
}

#[test]
fn a_puzzle_is_solved_on_demand() {
    let Some((house, mut browser)) = house::open() else { return };
    let browser = &mut browser;
    let page = visit(&house, browser, "game/hanoi", "#start");
    start(&page, browser, "Solve it yourself");
    assert!(my_turn(&page, browser));
    page.click(browser, "#solve");
    page.click(browser, "#play-solution");
    page.until(browser, "document.querySelector('#status.over')");
    let told = page.text(browser, "#status");
    assert!(told.starts_with("Solved"), "{told}");
    no_complaints(&page, browser);
}

#[test]
fn the_page_is_small_and_soon_there() {
    let Some((house, mut browser)) = house::open() else { return };
    figures::pages(&house, &mut browser);
}

#[test]
fn a_click_is_answered_while_the_engine_thinks() {
    let Some((house, mut browser)) = house::open() else { return };
    figures::clicks(&house, &mut browser);
}

/// Pointing at cells, without a server behind it: the module of the page by itself.
#[test]
fn pointing_finds_moves_in_any_order_and_asks_where_it_must() {
    let Some((house, mut browser)) = house::open() else { return };
    let browser = &mut browser;
    let page = visit(&house, browser, "", "a.game");
    let script = include_str!("e2e/chooser.js");
    let wrong = page.value(browser, script);
    assert_eq!(wrong, serde_json::json!([]));
}

/// Where cells lie and what stands for contents: the modules of the page by themselves.
#[test]
fn cells_lie_by_their_names_and_contents_look_like_what_they_are() {
    let Some((house, mut browser)) = house::open() else { return };
    let browser = &mut browser;
    let page = visit(&house, browser, "", "a.game");
    let wrong = page.value(browser, include_str!("e2e/drawing.js"));
    assert_eq!(wrong, serde_json::json!([]));
}

#[test]
fn no_page_looks_broken() {
    let Some((house, mut browser)) = house::open() else { return };
    looks::compare(&house, &mut browser);
}

/// `FLUXION_SHOTS=FOLDER` takes pictures of every page, to be looked at.
#[test]
fn no_page_is_wider_than_its_window_with_real_data() {
    let Some((house, mut browser)) = house::open() else { return };
    shots::take(&house, &mut browser);
}
