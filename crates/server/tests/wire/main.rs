//! The player over real sockets: messages as both families of managers send them, byte for byte, and messages
//! and connections as they should never be.

mod families;
mod faults;
mod hostile;
mod previews;
mod soak;

/// The allocator of the binary.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use server::{Config, Running, spawn};

/// The longest wait of a test for anything.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A player with one match at a time.
pub(crate) fn player() -> Running {
    spawn(Config::default()).expect("a free port")
}

/// Sends bytes as they are and reads until the player closes.
pub(crate) fn raw(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).expect("the player listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    stream.write_all(bytes).expect("the player reads");
    finish(&mut stream)
}

/// Reads until the player closes.
pub(crate) fn finish(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).expect("the player answers and closes");
    String::from_utf8(bytes).expect("text")
}

/// The body of a response.
pub(crate) fn body(response: &str) -> &str {
    response.split_once("\r\n\r\n").map_or("", |(_, body)| body)
}

/// A message as the ggp.org family sends it; its reply.
pub(crate) fn tell(address: SocketAddr, message: &str) -> String {
    let request = format!(
        "POST / HTTP/1.0\r\nAccept: text/delim\r\nHost: localhost\r\nSender: GAMESERVER\r\n\
         Receiver: PLAYER\r\nContent-Type: text/acl\r\nContent-Length: {}\r\n\r\n{message}",
        message.len()
    );
    let response = raw(address, request.as_bytes());
    assert!(response.starts_with("HTTP/1.0 200 OK\r\n"), "{response}");
    let body = body(&response);
    let length = format!("Content-length: {}\r\n", body.len());
    assert!(response.contains(&length), "{response}");
    body.to_owned()
}

/// A message as the Dresden family sends it: the length left out of account, the connection half closed.
pub(crate) fn tell_dresden(address: SocketAddr, message: &str) -> String {
    let request = format!(
        "POST / HTTP/1.0\r\nAccept: text/delim\r\nSender: Gamecontroller\r\nReceiver: 127.0.0.1\r\n\
         Content-type: text/acl\r\nContent-length: {}\r\n\r\n{message}",
        message.len()
    );
    let mut stream = TcpStream::connect(address).expect("the player listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    stream.write_all(request.as_bytes()).expect("the player reads");
    let _ = stream.shutdown(Shutdown::Write);
    body(&finish(&mut stream)).to_owned()
}

/// Rules of a library game as the clauses of a message.
pub(crate) fn rules(name: &str) -> String {
    let text = library::find(name).expect("a game of the library").rules;
    let (rules, _) = gdl::parse(text, &gdl::Limits::default());
    manager::Scrambler::none().rules(&rules)
}

/// A START message.
pub(crate) fn start(id: &str, role: &str, game: &str, clocks: &str) -> String {
    format!("( START {id} {role} ({}) {clocks})", rules(game))
}

/// Waits until something holds.
pub(crate) fn wait_for(what: &str, holds: impl Fn() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < until, "{what} did not come about");
        std::thread::sleep(Duration::from_millis(10));
    }
}
