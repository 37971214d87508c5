//! Whole matches in the words of both families of managers.

use crate::{body, player, raw, rules, start, tell, tell_dresden};

#[test]
fn a_match_of_the_ggp_org_family() {
    let player = player();
    let at = player.address();
    let id = "tourney1.ticTacToe.1794765007078";
    assert_eq!(tell(at, "( INFO )"), "( ( name Fluxion ) ( status available ) )");
    assert_eq!(tell(at, &format!("( PREVIEW ({}) 5 )", rules("tictactoe"))), "ready");
    assert_eq!(tell(at, &start(id, "xplayer", "tictactoe", "10 5")), "ready");
    assert_eq!(tell(at, "( INFO )"), "( ( name Fluxion ) ( status busy ) )");
    let first = tell(at, &format!("( PLAY {id} NIL )"));
    assert!(first.starts_with("( mark ") && first.ends_with(" )"), "{first}");
    assert_eq!(tell(at, &format!("( PLAY {id} ({first} noop ) )")), "noop");
    let other = if first == "( mark a 1 )" { "( mark a 2 )" } else { "( mark a 1 )" };
    let third = tell(at, &format!("( PLAY {id} ( noop {other} ) )"));
    assert!(third.starts_with("( mark ") && third != first && third != other, "{third}");
    assert_eq!(tell(at, &format!("( STOP {id} ({third} noop ) )")), "done");
    assert_eq!(tell(at, &format!("( PLAY {id} NIL )")), "busy");
    assert_eq!(tell(at, "( INFO )"), "( ( name Fluxion ) ( status available ) )");
}

#[test]
fn a_match_of_the_dresden_family_in_capitals() {
    let player = player();
    let at = player.address();
    let compact = rules("tictactoe").replace("( ", "(").replace(" )", ")").to_uppercase();
    let start = format!("(START DM1 OPLAYER ({compact}) 10 5)");
    assert_eq!(tell_dresden(at, &start), "ready");
    assert_eq!(tell_dresden(at, "(PLAY DM1 NIL)"), "NOOP");
    let reply = tell_dresden(at, "(PLAY DM1 ((MARK A 1) NOOP))");
    assert!(reply.starts_with("( MARK ") && reply != "( MARK A 1 )", "{reply}");
    assert_eq!(tell_dresden(at, &format!("(STOP DM1 (NOOP {reply}))")), "done");
}

#[test]
fn replies_are_the_same_bytes_for_both_families() {
    let player = player();
    let at = player.address();
    let ggp_org = "POST / HTTP/1.0\r\nAccept: text/delim\r\nHost: localhost\r\nSender: GAMESERVER\r\n\
        Receiver: NAME\r\nContent-Type: text/acl\r\nContent-Length: 32\r\n\r\n( PLAY tourney1.ticTacToe.17 NIL )";
    let dresden = "POST / HTTP/1.0\r\nAccept: text/delim\r\nSender: Gamecontroller\r\nReceiver: 127.0.0.1\r\n\
        Content-type: text/acl\r\nContent-length: 28\r\n\r\n(PLAY DM1 ((MARK 1 1) NOOP))";
    let busy = "HTTP/1.0 200 OK\r\nContent-type: text/acl\r\nContent-length: 4\r\n\
        Access-Control-Allow-Origin: *\r\nAccess-Control-Allow-Methods: POST, GET, OPTIONS\r\n\
        Access-Control-Allow-Headers: Content-Type\r\nAccess-Control-Allow-Age: 86400\r\n\
        Connection: close\r\n\r\nbusy";
    assert_eq!(raw(at, ggp_org.as_bytes()), busy);
    assert_eq!(raw(at, dresden.as_bytes()), busy);
    // Those who wish to keep the connection are not heeded, or some would wait for its end.
    let kept = ggp_org.replace("Accept", "Connection: keep-alive\r\nAccept");
    assert_eq!(raw(at, kept.as_bytes()), busy);
}

#[test]
fn abort_ends_a_match_and_a_late_play_finds_nothing() {
    let player = player();
    let at = player.address();
    assert_eq!(tell(at, &start("a.1", "xplayer", "tictactoe", "10 5")), "ready");
    assert_eq!(tell(at, "( ABORT a.1 )"), "aborted");
    assert_eq!(tell(at, "( PLAY a.1 NIL )"), "busy");
    assert_eq!(tell(at, "( STOP a.1 NIL )"), "busy");
    assert_eq!(tell(at, "( ABORT a.1 )"), "busy");
}

#[test]
fn a_second_match_is_refused_unless_it_is_allowed() {
    let player = player();
    let at = player.address();
    assert_eq!(tell(at, &start("one", "xplayer", "tictactoe", "10 5")), "ready");
    assert_eq!(tell(at, &start("two", "xplayer", "tictactoe", "10 5")), "busy");
    assert_eq!(tell(at, "( PLAY two NIL )"), "busy");
    drop(player);
    let config = server::Config { matches: 2, ..server::Config::default() };
    let player = server::spawn(config).expect("a free port");
    let at = player.address();
    assert_eq!(tell(at, &start("one", "xplayer", "tictactoe", "10 5")), "ready");
    assert_eq!(tell(at, &start("two", "oplayer", "tictactoe", "10 5")), "ready");
    assert_eq!(tell(at, "( PLAY two NIL )"), "noop");
    assert!(tell(at, "( PLAY one NIL )").starts_with("( mark"));
    assert_eq!(tell(at, &start("three", "xplayer", "tictactoe", "10 5")), "busy");
}

#[test]
fn games_with_hidden_information_are_refused_in_words() {
    let player = player();
    let at = player.address();
    let rules =
        "(role a) (init s) (legal a x) (<= (sees a s) (true s)) (next s) (goal a 0) terminal";
    let refused = "( refused gdl-ii-is-not-played-here )";
    assert_eq!(tell(at, &format!("(START m a ({rules}) 5 5)")), refused);
    assert_eq!(tell(at, "(PLAY m 0 NIL NIL)"), refused);
    assert_eq!(tell(at, "(PLAY m 1 (move a b) ((saw x)))"), refused);
    assert_eq!(tell(at, "(STOP m 2 x ())"), refused);
    // An older form looks like moves, but the match was never begun.
    assert_eq!(tell(at, "(PLAY m ((saw x)))"), "busy");
    assert_eq!(tell(at, "( INFO )"), "( ( name Fluxion ) ( status available ) )");
}

#[test]
fn rules_without_meaning_are_refused_and_forgotten() {
    let player = player();
    let at = player.address();
    let refused = "( refused the-rules-cannot-be-played )";
    assert_eq!(tell(at, "(START m a () 5 5)"), refused);
    assert_eq!(tell(at, "(START m a ((p) (<= (q) (not (q)))) 5 5)"), refused);
    let role = start("m", "nobody", "tictactoe", "5 5");
    assert_eq!(tell(at, &role), "( refused the-rules-have-no-such-role )");
    assert_eq!(tell(at, &start("m", "xplayer", "tictactoe", "5 5")), "ready");
}

#[test]
fn browsers_may_ask_too() {
    let player = player();
    let at = player.address();
    let options = raw(at, b"OPTIONS / HTTP/1.1\r\nHost: x\r\nOrigin: http://y\r\n\r\n");
    assert!(options.starts_with("HTTP/1.1 200 OK\r\n"), "{options}");
    for header in [
        "Access-Control-Allow-Origin: *",
        "Access-Control-Allow-Methods: POST, GET, OPTIONS",
        "Access-Control-Allow-Headers: Content-Type",
    ] {
        assert!(options.contains(header), "{options}");
    }
    let info = "( ( name Fluxion ) ( status available ) )";
    assert_eq!(body(&raw(at, b"GET /%28%20INFO%20%29 HTTP/1.0\r\n\r\n")), info);
    assert_eq!(body(&raw(at, b"GET /?(INFO) HTTP/1.1\r\nHost: x\r\n\r\n")), info);
    assert_eq!(body(&raw(at, b"GET /( INFO ) HTTP/1.1\r\nHost: x\r\n\r\n")), info);
    assert!(body(&raw(at, b"GET / HTTP/1.1\r\n\r\n")).contains("general game player"));
    assert!(raw(at, b"DELETE / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 405 "));
}

#[test]
fn moves_keep_the_spelling_of_the_rules() {
    let player = player();
    let at = player.address();
    let rules =
        "(Role White) (init (Step 1)) (Legal White (Go Up)) (<= (Next (Step 2)) (True (Step 1)))
        (<= Terminal (True (Step 2))) (Goal White 100)";
    assert_eq!(tell(at, &format!("(start M.1 white ({rules}) 5 5)")), "ready");
    assert_eq!(tell(at, "(Play M.1 nil)"), "( Go Up )");
    assert_eq!(tell(at, "(Stop M.1 ((go up)))"), "done");
}
