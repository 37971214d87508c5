//! How the server is set up, and what a visitor may use.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

/// How the server is set up.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where it listens; port 0 takes any free one.
    pub bind: SocketAddr,
    /// The token that visitors need. Where the server is bound to something else than loopback and none is given,
    /// one is made.
    pub token: Option<String>,
    /// Where matches are kept; in memory if there is no place.
    pub database: Option<PathBuf>,
    /// The folder with the databases of tournaments.
    pub tournaments: Option<PathBuf>,
    /// Whether seats may be given to players over HTTP. The server connects to the address that a visitor names.
    pub remote_players: bool,
    /// What a visitor may use.
    pub limits: Limits,
}

/// The usual port.
pub const PORT: u16 = 8147;

impl Default for Config {
    fn default() -> Self {
        Self {
            bind: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), PORT),
            token: None,
            database: None,
            tournaments: None,
            remote_players: true,
            limits: Limits::default(),
        }
    }
}

impl Config {
    /// Whether only this machine can reach it.
    pub fn is_loopback(&self) -> bool {
        self.bind.ip().is_loopback()
    }
}

/// What visitors may use.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The largest body of a request in bytes.
    pub body: usize,
    /// Running matches of one visitor.
    pub matches: usize,
    /// Matches in memory; those that nobody looks at are put away first.
    pub tables: usize,
    /// Streams of one visitor.
    pub streams: usize,
    /// Rule sheets of one visitor that are read at the same time, and of all visitors.
    pub sheets: (usize, usize),
    /// The time for reading a rule sheet.
    pub sheet_time: Duration,
    /// The time and the memory for making a circuit of a rule sheet.
    pub circuit: (Duration, usize),
    /// The time for one question to the rules.
    pub question: Duration,
    /// The longest clock.
    pub clock: Duration,
    /// Searches at the same time.
    pub searches: usize,
    /// How long a search may go on while others wait for their turn.
    pub slice: Duration,
    /// The memory of one player in bytes.
    pub player_memory: usize,
    /// How long a match without visitors stays in memory.
    pub idle: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Self {
            body: 1 << 20,
            matches: 16,
            tables: 64,
            streams: 32,
            sheets: (4, 8),
            sheet_time: Duration::from_secs(10),
            circuit: (Duration::from_secs(60), 1 << 30),
            question: Duration::from_secs(10),
            clock: Duration::from_secs(600),
            searches: cores.max(2),
            slice: Duration::from_secs(5),
            player_memory: 256 << 20,
            idle: Duration::from_secs(120),
        }
    }
}
