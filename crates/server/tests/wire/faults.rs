//! Managers and players that die, repeat themselves or lose count: nothing hangs, and the next match is fine.

use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use server::{Config, spawn};

use crate::{player, start, tell};

fn begin(at: std::net::SocketAddr, id: &str) -> String {
    assert_eq!(tell(at, &start(id, "xplayer", "tictactoe", "5 5")), "ready");
    tell(at, &format!("( PLAY {id} NIL )"))
}

#[test]
fn a_manager_that_dies_in_the_middle_of_a_message_harms_nobody() {
    let player = player();
    let at = player.address();
    let first = begin(at, "m");
    for part in
        ["POST / HTTP/1.0\r\nContent-Le", "POST / HTTP/1.0\r\nContent-Length: 99\r\n\r\n( PLAY m ("]
    {
        let mut stream = TcpStream::connect(at).expect("the player listens");
        stream.write_all(part.as_bytes()).expect("sent");
        drop(stream);
    }
    // It asks and does not wait for the answer.
    let mut stream = TcpStream::connect(at).expect("the player listens");
    let message = format!("( PLAY m ( {first} noop ) )");
    write!(stream, "POST / HTTP/1.0\r\nContent-Length: {}\r\n\r\n{message}", message.len())
        .expect("sent");
    drop(stream);
    assert_eq!(tell(at, &message), "noop");
    assert_eq!(tell(at, "( ABORT m )"), "aborted");
    assert!(begin(at, "next").starts_with("( mark"));
}

#[test]
fn a_repeated_start_begins_the_match_again() {
    let player = player();
    let at = player.address();
    let first = begin(at, "m");
    assert_eq!(tell(at, &format!("( PLAY m ( {first} noop ) )")), "noop");
    assert!(begin(at, "m").starts_with("( mark"));
    assert_eq!(player.status().matches, 1);
}

#[test]
fn play_out_of_order_and_nonsense_are_survived() {
    let player = player();
    let at = player.address();
    let first = begin(at, "m");
    assert_eq!(tell(at, &format!("( PLAY m ( {first} noop ) )")), "noop");
    // The same again, one that skips a step, one of another game, one too short, the first again.
    assert_eq!(tell(at, &format!("( PLAY m ( {first} noop ) )")), "noop");
    for moves in ["( ( mark c 3 ) noop )", "( ( fly away ) noop )", "( noop )", "( noop noop )"] {
        let reply = tell(at, &format!("( PLAY m {moves} )"));
        assert!(reply == "noop" || reply.starts_with("( mark "), "{moves}: {reply}");
    }
    assert!(tell(at, "( PLAY m NIL )").starts_with("( mark"));
    assert_eq!(tell(at, "( STOP m ( x y z ) )"), "done");
    assert!(begin(at, "next").starts_with("( mark"));
}

#[test]
fn the_second_stop_finds_nothing() {
    let player = player();
    let at = player.address();
    let first = begin(at, "m");
    let stop = format!("( STOP m ( {first} noop ) )");
    assert_eq!(tell(at, &stop), "done");
    assert_eq!(tell(at, &stop), "busy");
    assert!(begin(at, "next").starts_with("( mark"));
}

#[test]
fn a_move_played_instead_is_followed() {
    let player = player();
    let at = player.address();
    let first = begin(at, "m");
    let other = if first == "( mark a 1 )" { "( mark b 2 )" } else { "( mark a 1 )" };
    assert_eq!(tell(at, &format!("( PLAY m ( {other} noop ) )")), "noop");
    // The field of the own answer is free, so the opponent may take it.
    let third = tell(at, &format!("( PLAY m ( noop {first} ) )"));
    assert!(third.starts_with("( mark") && third != first && third != other, "{third}");
}

#[test]
fn answers_come_before_the_clock_however_short() {
    let player = player();
    let at = player.address();
    for clocks in ["1 1", "2 1", "0 0"] {
        let begin = Instant::now();
        assert_eq!(
            tell(at, &start("m", "xplayer", "chess", clocks).replace("xplayer", "white")),
            "ready"
        );
        let limit = Duration::from_secs(clocks[..1].parse::<u64>().expect("a digit").max(1));
        assert!(begin.elapsed() < limit, "START {clocks}: {:?}", begin.elapsed());
        let begin = Instant::now();
        let reply = tell(at, "( PLAY m NIL )");
        assert!(begin.elapsed() < Duration::from_secs(1), "PLAY {clocks}: {:?}", begin.elapsed());
        assert!(!reply.is_empty());
        tell(at, "( ABORT m )");
    }
}

#[test]
fn a_player_that_restarts_has_forgotten_the_match_and_takes_the_next() {
    let player = player();
    let at = player.address();
    begin(at, "m");
    player.stop();
    let config = Config { address: at, ..Config::default() };
    let player = spawn(config).expect("the port is free again");
    assert_eq!(tell(at, "( PLAY m NIL )"), "busy");
    assert!(begin(at, "next").starts_with("( mark"));
    drop(player);
}
