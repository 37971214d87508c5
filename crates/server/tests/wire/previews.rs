//! PREVIEW: rules announced before a match are prepared, used, replaced and forgotten.

use std::time::Duration;

use server::{Config, spawn};

use crate::{rules, start, tell, wait_for};

fn preview(game: &str, clock: u32) -> String {
    format!("( PREVIEW ({}) {clock} )", rules(game))
}

#[test]
fn a_preview_is_used_by_matches_of_the_same_rules_only() {
    let config = Config { matches: 3, ..Config::default() };
    let player = spawn(config).expect("a free port");
    let at = player.address();
    assert_eq!(tell(at, &preview("tictactoe", 20)), "ready");
    assert!(player.status().preview);
    // The clauses in another arrangement of blanks are the same rules.
    let again = start("p.1", "xplayer", "tictactoe", "10 5").replace(" )", "  )");
    assert_eq!(tell(at, &again), "ready");
    assert_eq!(player.status().prepared, 1);
    assert!(tell(at, "( PLAY p.1 NIL )").starts_with("( mark"));
    assert_eq!(tell(at, &start("p.2", "oplayer", "tictactoe", "10 5")), "ready");
    assert_eq!(player.status().prepared, 2);
    assert_eq!(tell(at, "( PLAY p.2 NIL )"), "noop");
    assert_eq!(tell(at, &start("p.3", "player", "eight_puzzle", "10 5")).len(), 5);
    assert_eq!(player.status().prepared, 2);
}

#[test]
fn a_preview_is_replaced_by_the_next_and_forgotten_after_a_while() {
    let config = Config { silence: Duration::from_millis(300), ..Config::default() };
    let player = spawn(config).expect("a free port");
    let at = player.address();
    assert_eq!(tell(at, &preview("tictactoe", 20)), "ready");
    assert_eq!(tell(at, &preview("nim_3_4_5", 20)), "ready");
    assert_eq!(tell(at, &start("p.1", "xplayer", "tictactoe", "10 5")), "ready");
    assert_eq!(player.status().prepared, 0, "the second has taken the place of the first");
    assert_eq!(tell(at, "( ABORT p.1 )"), "aborted");
    assert_eq!(tell(at, &preview("tictactoe", 0)), "ready");
    wait_for("forgetting", || !player.status().preview);
}

#[test]
fn a_preview_of_bad_rules_is_answered_and_their_start_refused() {
    let player = crate::player();
    let at = player.address();
    assert_eq!(tell(at, "( PREVIEW (( p ) (<= ( q ) ( not ( q ) ))) 5 )"), "ready");
    let bad = "( START b.1 a (( p ) (<= ( q ) ( not ( q ) ))) 5 5 )";
    assert_eq!(tell(at, bad), "( refused the-rules-cannot-be-played )");
    assert_eq!(tell(at, &start("b.2", "xplayer", "tictactoe", "10 5")), "ready");
}

#[test]
fn a_preview_while_a_match_is_played_disturbs_nobody() {
    let player = crate::player();
    let at = player.address();
    assert_eq!(tell(at, &start("m.1", "xplayer", "tictactoe", "10 5")), "ready");
    assert_eq!(tell(at, &preview("checkers", 20)), "ready");
    assert!(!player.status().preview);
    assert!(tell(at, "( PLAY m.1 NIL )").starts_with("( mark"));
}
