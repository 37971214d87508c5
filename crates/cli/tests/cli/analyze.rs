//! `fluxion analyze` as text, JSON and a page.

use crate::{fed, fluxion};

#[test]
fn the_report_as_text_names_boards_quantities_and_orders() {
    let run = fluxion(&["analyze", "racetrack"]).expect(0);
    for line in [
        "board cell/4: 2 boards of 5 x 3 cells, ordered",
        "quantity step/1: single",
        "counter step/1 from t0, the game ends after 20 steps",
        "succ_row: successor relation, a b c d e",
        "piece cell/4 white?: of white",
    ] {
        assert!(run.out.contains(line), "{line}: {}", run.out);
    }
}

#[test]
fn boards_that_have_nothing_to_do_with_each_other_are_told_apart() {
    let parts = |game| fluxion(&["analyze", game, "--json"]).expect(0).json()["parts"].clone();
    let heaps = parts("nim_3_4_5");
    assert!(heaps["parts"].as_array().is_some_and(|parts| parts.len() > 1), "{heaps}");
    assert_eq!(parts("eight_puzzle")["parts"], serde_json::json!([]));
    let run = fluxion(&["analyze", "nim_3_4_5"]).expect(0);
    assert!(run.out.contains("part 2: "), "{}", run.out);
}

#[test]
fn sums_of_games_tell_the_values_of_their_parts() {
    let run = fluxion(&["analyze", "nim_3_4_5"]).expect(0);
    let told = "a sum: 3 parts, the last mover wins, values 3 4 5";
    assert!(run.out.contains(told), "{}", run.out);
    let run = fluxion(&["inspect", "nim_3_4_5", "--stage", "parts"]).expect(0);
    assert!(run.out.contains("part 1: value 3, 4 states: (heap a 0) (heap a 1)"), "{}", run.out);
    assert!(run.err.contains(told), "{}", run.err);
    let json = fluxion(&["inspect", "nim_3_4_5", "--stage", "parts", "--json"]).expect(0).json();
    let values = json["sum"]["parts"]
        .as_array()
        .map(|parts| parts.iter().filter_map(|part| part["value"].as_u64()).collect::<Vec<u64>>());
    assert_eq!(values, Some(vec![3, 4, 5]));
    assert_eq!(json["sum"]["last_mover_wins"], true);
    let json = fluxion(&["inspect", "tictactoe", "--stage", "parts", "--json"]).expect(0).json();
    assert!(json["sum"].is_null());
}

#[test]
fn the_report_as_json_has_all_sections() {
    let report = fluxion(&["analyze", "breakthrough", "--json"]).expect(0).json();
    for key in ["game", "overview", "boards", "play", "orders", "domains", "seconds"] {
        assert!(!report[key].is_null(), "{key}");
    }
    let board = &report["boards"]["boards"][0];
    assert_eq!(board["size"], serde_json::json!([8, 8]));
    assert_eq!(board["ordered"], true);
    assert_eq!(report["play"]["moves"][0]["cells"], serde_json::json!([[1, 2], [3, 4]]));
    let cells = report["boards"]["pictures"][0]["cells"].as_array().expect("a list");
    assert_eq!(cells.len(), 64);
}

#[test]
fn the_page_is_one_file_without_outside_links_and_draws_the_board() {
    let folder = std::env::temp_dir().join(format!("fluxion-analyze-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("page.html");
    let path = file.to_str().expect("a plain path");
    fluxion(&["analyze", "hex_5x5", "--html", path]).expect(0);
    let page = std::fs::read_to_string(&file).expect("the page");
    std::fs::remove_dir_all(&folder).expect("cleaned up");
    assert_eq!(page.matches("<polygon").count(), 25);
    assert!(!page.contains("<script") && !page.contains("<link") && !page.contains("src="));
    let sections = ["overview", "boards", "play", "orders", "domains", "seconds"];
    assert!(sections.iter().all(|key| page.contains(&format!("id=\"{key}\""))), "{page}");
}

#[test]
fn names_from_the_rules_cannot_break_the_page() {
    let rules = "(role <b>) (role you) (init (cell 1 1 <script>)) (init (cell 1 2 x&y)) (init (cell 2 1 \"q\"))
        (<= (legal ?r go) (role ?r)) (<= (next ?f) (true ?f)) (<= terminal (true (cell 2 1 z)))
        (<= (goal ?r 0) (role ?r))";
    let folder = std::env::temp_dir().join(format!("fluxion-names-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("page.html");
    let path = file.to_str().expect("a plain path");
    let run = fed(&["analyze", "-", "--html", path], rules.as_bytes());
    let page = std::fs::read_to_string(&file).unwrap_or_else(|_| panic!("{run:?}"));
    std::fs::remove_dir_all(&folder).expect("cleaned up");
    assert!(!page.contains("<script") && !page.contains("<b>"), "{page}");
    assert!(page.contains("&lt;script&gt;"));
}

#[test]
fn games_without_anything_to_find_are_reported_all_the_same() {
    for rules in [
        "(role you) (legal you wait) (<= terminal (true never))",
        "(role a) (role b) (init (f (g 1) (g 2))) (<= (legal a m) (true (f ?x ?y))) (<= (goal a 100) (true x))",
        "(role you) (init p) (<= terminal (true p)) (<= (goal you 50) (true p))",
    ] {
        let run = fed(&["analyze", "-", "--json"], rules.as_bytes()).expect(0);
        assert!(run.json()["boards"]["boards"].is_array());
    }
}

#[test]
fn a_page_that_cannot_be_written_is_an_error() {
    fluxion(&["analyze", "tictactoe", "--html", "no/such/folder/page.html"]).expect(2);
}
