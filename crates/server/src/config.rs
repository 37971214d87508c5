//! What can be set about the player server.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use player::{Archive, Strategy};

/// The settings of a server.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where to listen; port 0 takes any free one.
    pub address: SocketAddr,
    /// The name told to managers.
    pub name: String,
    /// How to play; the registry's `random` if none is named.
    pub strategy: Option<Strategy>,
    /// How many matches may be played at once.
    pub matches: usize,
    /// How long before the end of a clock the answer is sent; a quarter of the clock if that is less.
    pub margin: Duration,
    /// Whether to think while others do.
    pub ponder: bool,
    /// The seed of all random choices.
    pub seed: u64,
    /// The memory of a match in bytes.
    pub memory: usize,
    /// The memory for making the rules of a match ground, in bytes: it is given back before long.
    pub rules_memory: usize,
    /// The largest message in bytes.
    pub max_message: usize,
    /// The longest time to send a message, from its connection.
    pub patience: Duration,
    /// The longest pause within a message.
    pub pause: Duration,
    /// How many connections may be open without having sent a whole message; the oldest of more are closed.
    pub waiting: usize,
    /// How long a match may be silent before it is ended, beyond three times its longest clock.
    pub silence: Duration,
    /// Where knowledge of games is kept; none to keep nothing.
    pub archive: Option<Arc<dyn Archive>>,
    /// Called some seconds after the last match has ended, a few times: in a thread of its own, and at last in the thread of the
    /// server. What the allocator of the program keeps may be given back then.
    pub tidy: Option<fn()>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            address: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0),
            name: "Fluxion".to_owned(),
            strategy: None,
            matches: 1,
            margin: Duration::from_millis(500),
            ponder: true,
            seed: 1,
            memory: 1 << 30,
            rules_memory: 1 << 30,
            max_message: 16 << 20,
            patience: Duration::from_secs(30),
            pause: Duration::from_secs(5),
            waiting: 200,
            silence: Duration::from_secs(10),
            archive: None,
            tidy: None,
        }
    }
}

impl Config {
    /// Bounds on reading rules.
    pub(crate) fn reading(&self) -> gdl::Limits {
        gdl::Limits { max_text: self.max_message, ..gdl::Limits::default() }
    }

    /// Bounds on the envelope.
    pub(crate) fn envelope(&self) -> protocol::http::Limits {
        // A message in the target of a GET stands in the head.
        protocol::http::Limits { max_body: self.max_message, ..protocol::http::Limits::default() }
    }
}
