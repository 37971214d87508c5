//! Messages in pieces, messages without an end, connections without a message.

use std::fmt::Write as _;
use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use server::{Config, spawn};

use crate::{PATIENCE, body, finish, player, raw, start, tell, wait_for};

const INFO: &str = "( ( name Fluxion ) ( status available ) )";

#[test]
fn lengths_may_be_missing_or_wrong() {
    let player = player();
    let at = player.address();
    for head in [
        "POST / HTTP/1.0\r\n\r\n",
        "POST / HTTP/1.0\n\n",
        "POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 300\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: many\r\n\r\n",
        "POST /any/path HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n\r\n",
    ] {
        assert_eq!(body(&raw(at, format!("{head}( INFO )").as_bytes())), INFO, "{head}");
    }
}

#[test]
fn messages_may_come_in_pieces_and_chunks() {
    let player = player();
    let at = player.address();
    let message =
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n( I\r\n5\r\nNFO )\r\n0\r\n\r\n";
    assert_eq!(body(&raw(at, message)), INFO);
    let mut stream = TcpStream::connect(at).expect("the player listens");
    for byte in message {
        stream.write_all(std::slice::from_ref(byte)).expect("the player reads");
        stream.flush().expect("sent");
    }
    assert_eq!(body(&finish(&mut stream)), INFO);
    let mut stream = TcpStream::connect(at).expect("the player listens");
    stream
        .write_all(b"POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 8\r\n\r\n")
        .expect("sent");
    std::thread::sleep(Duration::from_millis(50));
    stream.write_all(b"( INFO )").expect("sent");
    let answer = finish(&mut stream);
    assert!(answer.starts_with("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK"), "{answer}");
}

#[test]
fn broken_messages_are_answered_with_what_is_wrong() {
    let player = player();
    let at = player.address();
    for (message, status) in [
        ("POST / HTTP/1.0\r\nContent-Length: 7\r\n\r\n( HELLO", "400"),
        ("POST / HTTP/1.0\r\nContent-Length: 9\r\n\r\n( HELLO )", "400"),
        ("POST / HTTP/1.0\r\nContent-Length: 0\r\n\r\n", "400"),
        ("POST / HTTP/1.0\r\nContent-Length: 99999999999\r\n\r\n(", "413"),
        ("complete nonsense\r\n\r\n", "400"),
        ("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "400"),
    ] {
        let mut stream = TcpStream::connect(at).expect("the player listens");
        stream.write_all(message.as_bytes()).expect("the player reads");
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let answer = finish(&mut stream);
        assert!(answer.starts_with(&format!("HTTP/1.0 {status} ")), "{message}: {answer}");
    }
    let mut bytes = b"POST / HTTP/1.0\r\nContent-Length: 4\r\n\r\n".to_vec();
    bytes.extend([b'(', 0xff, 0xfe, b')']);
    assert!(raw(at, &bytes).starts_with("HTTP/1.0 400 "));
    let head = format!("POST / HTTP/1.0\r\nX: {}\r\n\r\n( INFO )", "y".repeat(100_000));
    assert!(raw(at, head.as_bytes()).starts_with("HTTP/1.0 431 "));
    assert_eq!(tell(at, "( INFO )"), INFO);
}

#[test]
fn bodies_beyond_the_limit_are_refused() {
    let player = spawn(Config { max_message: 1000, ..Config::default() }).expect("a free port");
    let at = player.address();
    let long = format!("POST / HTTP/1.0\r\n\r\n( INFO {} )", "x ".repeat(1000));
    assert!(raw(at, long.as_bytes()).starts_with("HTTP/1.0 413 "));
    assert_eq!(tell(at, "( INFO )"), INFO);
}

#[test]
fn a_start_of_ten_megabytes_is_answered_in_time() {
    let player = player();
    let at = player.address();
    let mut rules = crate::rules("tictactoe");
    let mut number = 0;
    while rules.len() < 10_000_000 {
        let _ = write!(rules, " (filler {number} {} of many)", number + 1);
        number += 1;
    }
    let message = format!("(START big xplayer ({rules}) 20 20)");
    let begin = Instant::now();
    let reply = tell(at, &message);
    let taken = begin.elapsed();
    assert_eq!(reply, "ready");
    assert!(taken < Duration::from_secs(20), "{taken:?}");
    assert_eq!(tell(at, "( ABORT big )"), "aborted");
    assert_eq!(tell(at, "( INFO )"), INFO);
}

#[test]
fn a_thousand_idle_connections_keep_nobody_out() {
    let player = player();
    let at = player.address();
    // Systems often allow 1024 sockets to a process, and this one holds both ends of each connection.
    let mut idle: Vec<_> = (0..1000).map_while(|_| TcpStream::connect(at).ok()).collect();
    assert!(idle.len() >= 500, "only {} connections", idle.len());
    idle.truncate(idle.len() - 20);
    assert_eq!(tell(at, &start("m", "xplayer", "tictactoe", "5 5")), "ready");
    assert!(tell(at, "( PLAY m NIL )").starts_with("( mark"));
    assert_eq!(tell(at, "( STOP m NIL )"), "done");
    drop(idle);
}

#[test]
fn slow_senders_are_cut_off() {
    let config = Config {
        patience: Duration::from_millis(600),
        pause: Duration::from_millis(300),
        ..Config::default()
    };
    let player = spawn(config).expect("a free port");
    let at = player.address();
    let mut silent = TcpStream::connect(at).expect("the player listens");
    silent.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    assert_eq!(finish(&mut silent), "");
    let mut slow = TcpStream::connect(at).expect("the player listens");
    slow.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    let begin = Instant::now();
    // One byte at a time, for ever.
    for byte in b"POST / HTTP/1.0\r\nX: ".iter().chain(std::iter::repeat(&b'y')) {
        std::thread::sleep(Duration::from_millis(50));
        if slow.write_all(std::slice::from_ref(byte)).is_err() || begin.elapsed() > PATIENCE {
            break;
        }
    }
    assert!(begin.elapsed() < PATIENCE, "a slow sender is never cut off");
    assert_eq!(tell(at, "( INFO )"), INFO);
}

#[test]
fn a_silent_match_is_ended_and_a_slow_one_is_not() {
    let config = Config { silence: Duration::from_millis(500), ..Config::default() };
    let player = spawn(config).expect("a free port");
    let at = player.address();
    assert_eq!(tell(at, &start("quiet", "xplayer", "tictactoe", "1 1")), "ready");
    assert_eq!(player.status().matches, 1);
    wait_for("the end of a silent match", || player.status().matches == 0);
    assert_eq!(tell(at, "( PLAY quiet NIL )"), "busy");
    assert_eq!(tell(at, "( INFO )"), INFO);
}

#[test]
fn rules_that_take_too_long_are_answered_in_time_and_forgotten() {
    let player = player();
    let at = player.address();
    // Twelve pigeons for eleven holes: no answer, and no quick way to see that.
    let holes: String = (0..11).fold(String::new(), |out, i| out + &format!("(n {i}) "));
    let pigeons: String = (0..12).fold(String::new(), |out, i| out + &format!("(n ?{i}) "));
    let apart: String =
        (0..12).flat_map(|i| (0..i).map(move |j| format!("(distinct ?{i} ?{j}) "))).collect();
    let rules = format!(
        "(role a) {holes} (init s) (next s) (<= terminal (not (true s))) (goal a 0)
         (<= (legal a x) {pigeons} {apart})"
    );
    let begin = Instant::now();
    assert_eq!(tell(at, &format!("(START m a ({rules}) 1 1)")), "ready");
    assert!(begin.elapsed() < Duration::from_secs(1), "{:?}", begin.elapsed());
    let begin = Instant::now();
    assert_eq!(tell(at, "( PLAY m NIL )"), "nil");
    assert!(begin.elapsed() < Duration::from_secs(1), "{:?}", begin.elapsed());
    assert_eq!(tell(at, "( ABORT m )"), "aborted");
    assert_eq!(tell(at, &start("next", "xplayer", "tictactoe", "5 5")), "ready");
    assert!(tell(at, "( PLAY next NIL )").starts_with("( mark"));
}
