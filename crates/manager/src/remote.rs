//! A player over HTTP: one connection for each message, closed after the reply.
//!
//! Plain blocking sockets with deadlines: a match asks each player in a thread of its own.

use std::fmt;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use game::{Game, JointMove, Move};
use protocol::http::{self, Body, Limits};
use protocol::message::spaced;
use protocol::{Request, Start};

use crate::scramble::Scrambler;
use crate::seat::{Ask, Briefing, Fault, Seat};

/// Where a player listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    host: String,
    port: u16,
    path: String,
}

impl Address {
    /// Reads `http://host:port/path`, `host:port` or `host`; the port is 9147 if none is named.
    pub fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix("http://").unwrap_or(text);
        let (place, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let (host, port) = match place.rsplit_once(':') {
            Some((host, port)) if !host.ends_with(':') => (host, port.parse().ok()?),
            _ => (place, 9147),
        };
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let plain =
            !host.is_empty() && !host.contains(|c: char| c.is_whitespace() || c.is_control());
        let path = if path.is_empty() { "/" } else { path };
        let path_plain = path.chars().all(|c| c.is_ascii_graphic());
        (plain && path_plain).then(|| Self { host: host.to_owned(), port, path: path.to_owned() })
    }

    fn resolve(&self) -> Result<Vec<SocketAddr>, Fault> {
        let found = (self.host.as_str(), self.port).to_socket_addrs();
        found.map(Iterator::collect).map_err(|error| Fault::Connection(error.to_string()))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.path == "/" { "" } else { &self.path };
        write!(f, "http://{}:{}{path}", self.host, self.port)
    }
}

/// The time for messages that are no part of play.
const COURTESY: Duration = Duration::from_secs(1);
/// The largest answer in bytes.
const LARGEST_ANSWER: usize = 1 << 20;
/// How long to wait before a connection is tried again.
const BREATH: Duration = Duration::from_millis(100);

/// A seat for a player over HTTP.
pub struct Remote {
    name: String,
    address: Address,
    retries: u32,
    id: String,
    scrambler: Scrambler,
}

impl Remote {
    /// A seat for the player at an address.
    pub fn new(name: impl Into<String>, address: Address) -> Self {
        let (id, scrambler) = (String::new(), Scrambler::none());
        Self { name: name.into(), address, retries: 1, id, scrambler }
    }

    /// How often a connection is tried again within the clock.
    #[must_use]
    pub fn retrying(mut self, retries: u32) -> Self {
        self.retries = retries;
        self
    }

    /// Goes on with a match that was begun before, perhaps by another process: without a START.
    pub fn rejoin(&mut self, id: &str) {
        id.clone_into(&mut self.id);
    }

    /// Asks who is there: the answer to INFO.
    pub fn info(&self) -> Result<String, Fault> {
        self.send(&Request::Info, Instant::now() + COURTESY)
    }

    /// Sends a message and reads the reply, trying connections again while there is time.
    fn send(&self, request: &Request, deadline: Instant) -> Result<String, Fault> {
        let message = request.to_string();
        let mut left = self.retries;
        loop {
            match exchange(&self.address, &message, &self.name, deadline) {
                Err(Fault::Connection(_)) if left > 0 && Instant::now() + BREATH < deadline => {
                    left -= 1;
                    std::thread::sleep(BREATH);
                }
                result => return result,
            }
        }
    }

    fn joint(&self, game: &Game, last: Option<&JointMove>) -> Option<Vec<String>> {
        let text = |action: &Move| {
            spaced(&self.scrambler.scramble(&game.universe().move_entry(*action).text))
        };
        last.map(|joint| joint.0.iter().map(text).collect())
    }
}

impl Seat for Remote {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn preview(&mut self, briefing: &Briefing<'_>, deadline: Instant) -> Result<(), Fault> {
        let rules = briefing.scrambler.rules(briefing.game.rules());
        let clock = briefing.clocks.preview.unwrap_or_default();
        self.send(&Request::Preview { rules, clock }, deadline).map(|_| ())
    }

    fn start(&mut self, briefing: &Briefing<'_>, deadline: Instant) -> Result<(), Fault> {
        briefing.id.clone_into(&mut self.id);
        self.scrambler = briefing.scrambler.clone();
        let role = briefing.game.role_name(briefing.role);
        let start = Start {
            id: self.id.clone(),
            role: spaced(&self.scrambler.scramble(&role)),
            rules: self.scrambler.rules(briefing.game.rules()),
            start_clock: briefing.clocks.start,
            play_clock: briefing.clocks.play,
        };
        let reply = self.send(&Request::Start(start), deadline)?;
        match reply.trim().to_ascii_lowercase().as_str() {
            "ready" => Ok(()),
            _ => Err(Fault::Refused(reply)),
        }
    }

    fn play(&mut self, ask: &Ask<'_>) -> Result<Move, Fault> {
        let moves = self.joint(ask.game, ask.last);
        let request = Request::Play { id: self.id.clone(), moves };
        let reply = self.send(&request, ask.deadline)?;
        let universe = ask.game.universe();
        let term = universe.parse(&self.scrambler.unscramble(&reply));
        let legal = |action: &&Move| Some(&universe.move_entry(**action).term) == term.as_ref();
        ask.legal.iter().find(legal).copied().ok_or(Fault::Illegal(reply))
    }

    fn stop(&mut self, game: &Game, last: Option<&JointMove>) {
        let moves = self.joint(game, last);
        let request = Request::Stop { id: self.id.clone(), moves };
        // What it answers does not matter any more.
        let _ = self.send(&request, Instant::now() + COURTESY);
    }

    fn abort(&mut self) {
        let _ = self.send(&Request::Abort { id: self.id.clone() }, Instant::now() + COURTESY);
    }
}

/// One message and its reply.
fn exchange(
    address: &Address,
    message: &str,
    receiver: &str,
    deadline: Instant,
) -> Result<String, Fault> {
    let mut stream = connect(address, deadline)?;
    let receiver: String = receiver.chars().filter(char::is_ascii_graphic).collect();
    let request = http::request(message, &address.path, &address.host, &receiver);
    let broken = |error: std::io::Error| match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => Fault::TimedOut,
        _ => Fault::Connection(error.to_string()),
    };
    stream.set_write_timeout(Some(left(deadline)?)).map_err(broken)?;
    stream.write_all(request.as_bytes()).map_err(broken)?;
    let limits = Limits { max_body: LARGEST_ANSWER, ..Limits::default() };
    let odd = |error: http::HttpError| Fault::Connection(error.to_string());
    let mut bytes = Vec::new();
    let mut body: Option<Body> = None;
    let mut buffer = [0; 4096];
    loop {
        stream.set_read_timeout(Some(left(deadline)?)).map_err(broken)?;
        let count = stream.read(&mut buffer).map_err(broken)?;
        if count == 0 {
            break;
        }
        if let Some(body) = &mut body {
            body.push(&buffer[..count]).map_err(odd)?;
        } else {
            bytes.extend_from_slice(&buffer[..count]);
            if let Some(head) = http::head(&bytes, &limits).map_err(odd)? {
                let new = body.insert(Body::new(&head, &limits));
                new.push(&bytes[head.end..]).map_err(odd)?;
            }
        }
        if body.as_ref().is_some_and(Body::response_is_complete) {
            break;
        }
    }
    let body = body.ok_or_else(|| Fault::Connection("closed without an answer".to_owned()))?;
    Ok(body.text().map_err(odd)?.trim().to_owned())
}

fn connect(address: &Address, deadline: Instant) -> Result<TcpStream, Fault> {
    let mut last = Fault::Connection("the address has no host".to_owned());
    for socket in address.resolve()? {
        match TcpStream::connect_timeout(&socket, left(deadline)?) {
            Ok(stream) => {
                let _ = stream.set_nodelay(true);
                return Ok(stream);
            }
            Err(error) if error.kind() == ErrorKind::TimedOut => last = Fault::TimedOut,
            Err(error) => last = Fault::Connection(error.to_string()),
        }
    }
    Err(last)
}

/// The time left, which must not be zero for a socket.
fn left(deadline: Instant) -> Result<Duration, Fault> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(Fault::TimedOut) } else { Ok(left) }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;
    use crate::{Match, Setup};

    /// A player that gives these answers, one to each message; the messages as they came, byte for byte.
    fn scripted(
        answers: &'static [&'static str],
    ) -> (Address, std::thread::JoinHandle<Vec<String>>) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let at = listener.local_addr().expect("bound").to_string();
        let told = std::thread::spawn(move || {
            let answer = |answer: &&str| {
                let (mut stream, _) = listener.accept().expect("a manager");
                let mut bytes = Vec::new();
                let mut buffer = [0; 4096];
                while !bytes.ends_with(b")") {
                    let count = stream.read(&mut buffer).expect("a message");
                    assert_ne!(count, 0, "the manager went away");
                    bytes.extend_from_slice(&buffer[..count]);
                }
                let reply = http::response("200 OK", answer, "HTTP/1.0");
                stream.write_all(reply.as_bytes()).expect("the manager waits");
                String::from_utf8(bytes).expect("text")
            };
            answers.iter().map(answer).collect()
        });
        (Address::parse(&at).expect("an address"), told)
    }

    #[test]
    fn a_match_is_told_byte_for_byte_as_the_ggp_org_family_does() {
        let rules = "(role a) (role B) (init s) (legal a (go up)) (legal b noop)
            (<= (next t) (true s)) (<= terminal (true t)) (goal a 100) (goal b 0)";
        let (address, told) = scripted(&["ready", "( go up )", "done"]);
        let (other, _) = scripted(&["ready", "Noop", "done"]);
        let mut setup = Setup::new("up", rules).expect("sound rules");
        setup.id = "tourney1.up.17".to_owned();
        (setup.clocks.start, setup.clocks.play) = (Duration::from_secs(10), Duration::from_secs(5));
        let mut seats: Vec<Box<dyn Seat>> =
            vec![Box::new(Remote::new("P 1", address)), Box::new(Remote::new("other", other))];
        let record = Match::new(setup, &mut seats).expect("two roles").run(&mut ());
        assert_eq!(record.fault_counts(), [0, 0], "{:?}", record.errors);
        let head = "POST / HTTP/1.0\r\nAccept: text/delim\r\nHost: 127.0.0.1\r\nSender: GAMESERVER\r\n\
            Receiver: P1\r\nContent-Type: text/acl\r\n";
        let messages = [
            "( START tourney1.up.17 a (( role a ) ( role B ) ( init s ) ( legal a ( go up ) ) ( legal B noop ) \
             ( <= ( next t ) ( true s ) ) ( <= terminal ( true t ) ) ( goal a 100 ) ( goal B 0 )) 10 5)",
            "( PLAY tourney1.up.17 NIL )",
            "( STOP tourney1.up.17 (( go up ) noop ) )",
        ];
        let bytes =
            messages.map(|text| format!("{head}Content-Length: {}\r\n\r\n{text}", text.len()));
        assert_eq!(told.join().expect("no panic"), bytes);
    }

    #[test]
    fn addresses_are_read_as_people_write_them() {
        let show = |text: &str| Address::parse(text).map(|address| address.to_string());
        assert_eq!(show("http://localhost:9147").as_deref(), Some("http://localhost:9147"));
        assert_eq!(show("127.0.0.1:80/x").as_deref(), Some("http://127.0.0.1:80/x"));
        assert_eq!(show("http://example").as_deref(), Some("http://example:9147"));
        for bad in ["", "http://", "http://a b", "host:port", "host:99999", "host/\n"] {
            assert_eq!(show(bad), None, "{bad:?}");
        }
    }
}
