//! `fluxion serve`: a player that any game manager can use.

use std::fs::OpenOptions;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::Context;
use clap::Args as ClapArgs;
use player::Strategy;
use server::{Config, Server};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::Layer;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::exit::{self, Exit, Failure};
use crate::knowledge;
use crate::limits::seconds;
use crate::session::Session;
use crate::spare;

/// `fluxion serve`.
#[derive(Debug, ClapArgs)]
#[command(after_long_help = format!("Examples:
  fluxion serve                               on port 9147 of this machine only
  fluxion serve --bind 0.0.0.0 --port 9148    for managers on other machines
  fluxion serve --matches 4 --log player.jsonl

Strategies:
{}

Messages and replies are described in docs/protocol.md.", strategies()))]
pub struct ServeArgs {
    /// The port; 0 takes any free one
    #[arg(long, default_value_t = 9147, value_name = "PORT")]
    pub port: u16,
    /// The address to listen on; 0.0.0.0 for all
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST), value_name = "ADDRESS")]
    pub bind: IpAddr,
    /// How to play
    #[arg(long, default_value_t = default_strategy(), value_name = "STRATEGY")]
    pub strategy: String,
    /// The name told to managers; a single word
    #[arg(long, default_value = "Fluxion", value_name = "NAME", value_parser = word)]
    pub name: String,
    /// How many matches to play at once
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub matches: usize,
    /// Threads of the search of each match, for strategies that have such an option; the cores of the machine, shared by
    /// the matches, if nothing is said
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: Option<u16>,
    /// Seconds before the end of a clock at which the answer is sent; at most a quarter of the clock
    #[arg(long, default_value_t = 0.5, value_name = "SECONDS", value_parser = seconds)]
    pub margin: f64,
    /// Do not think while others do
    #[arg(long)]
    pub no_ponder: bool,
    /// The seed of all random choices
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    pub seed: u64,
    /// The memory of a match in megabytes
    #[arg(long, default_value_t = 1024, value_name = "MB")]
    pub memory: usize,
    /// The memory for making the rules of a match ground, in megabytes: large games need much for some seconds. If nothing is
    /// said it is a quarter of what is free, shared by the matches, at most 4096, but not less than --memory
    #[arg(long, value_name = "MB")]
    pub rules_memory: Option<usize>,
    /// Where knowledge of games is kept for later matches; the data folder of the user if nothing is said
    #[arg(long, value_name = "DIR|off")]
    pub knowledge: Option<String>,
    /// Append every event as a line of JSON
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// Only tell what goes wrong
    #[arg(long, short, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Tell every message
    #[arg(long, short)]
    pub verbose: bool,
}

/// The best strategy there is: the first of this list.
pub fn default_strategy() -> String {
    let known = |name: &&&str| Strategy::all().iter().any(|info| info.name == **name);
    let best = ["fluxion", "plan", "uct", "random"].iter().find(known);
    (*best.unwrap_or(&"random")).to_owned()
}

/// The strategies for help texts.
pub fn strategies() -> String {
    let line = |info: &player::StrategyInfo| format!("  {:<14}{}", info.name, info.summary);
    Strategy::all().iter().map(line).collect::<Vec<_>>().join("\n")
}

fn word(text: &str) -> Result<String, String> {
    let odd = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '(' | ')' | ';');
    if text.is_empty() || text.contains(odd) {
        return Err("expected a single word without parentheses".to_owned());
    }
    Ok(text.to_owned())
}

/// More threads than this share a graph badly.
const MOST_THREADS: usize = 16;

/// The same strategy with that many threads, unless it says itself how many, or how many nodes: with these it is to play the same
/// moves everywhere.
fn with_threads(strategy: Strategy, threads: usize) -> Strategy {
    let told = |key: &str| strategy.options().given().any(|(given, _)| given == key);
    if threads <= 1 || told("threads") || told("nodes") {
        return strategy;
    }
    strategy.with("threads", threads).unwrap_or(strategy)
}

/// Serves until Ctrl-C.
pub fn run(args: &ServeArgs, session: &mut Session) -> anyhow::Result<Exit> {
    let strategy = Strategy::parse(&args.strategy).map_err(|error| {
        Failure::cannot(error.to_string()).hint("`fluxion serve --help` lists them")
    })?;
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let shared = (cores / args.matches.max(1)).clamp(1, MOST_THREADS);
    let strategy = with_threads(strategy, args.threads.map_or(shared, usize::from));
    let plays = strategy.to_string();
    listen_to_events(args)?;
    let place = knowledge::place(args.knowledge.as_deref());
    let memory = args.memory << 20;
    let rules_memory = args.rules_memory.map(|megabytes| megabytes << 20);
    let config = Config {
        address: SocketAddr::new(args.bind, args.port),
        name: args.name.clone(),
        strategy: Some(strategy),
        matches: args.matches.max(1),
        margin: Duration::from_secs_f64(args.margin),
        ponder: !args.no_ponder,
        seed: args.seed,
        memory,
        rules_memory: rules_memory.unwrap_or_else(|| spare::for_rules(memory, args.matches)),
        tidy: Some(give_back),
        archive: knowledge::archive(place.as_deref(), |text| tracing::warn!("{text}")),
        ..Config::default()
    };
    let address = config.address;
    let server = Server::bind(config).map_err(|error| {
        Failure::cannot(format!("cannot listen on {address}: {error}"))
            .hint("another program may use the port; --port takes another one")
    })?;
    let at = server.address().context("the port is not known")?;
    exit::say(&format!("{} plays {plays} at http://{at}; Ctrl-C ends it", args.name));
    let (stopper, flag) = (server.stopper(), session.stop_flag());
    std::thread::spawn(move || {
        while !flag.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(50));
        }
        stopper.stop();
    });
    server.run();
    Ok(Exit::Fine)
}

/// Lines for people on standard error, JSON for programs in a file.
fn listen_to_events(args: &ServeArgs) -> anyhow::Result<()> {
    let level = match (args.quiet, args.verbose) {
        (true, _) => LevelFilter::WARN,
        (_, true) => LevelFilter::DEBUG,
        _ => LevelFilter::INFO,
    };
    let people = tracing_subscriber::fmt::layer()
        .compact()
        .with_ansi(false)
        .with_target(false)
        .log_internal_errors(false)
        .with_writer(std::io::stderr)
        .with_filter(level);
    let programs = match &args.log {
        Some(path) => Some(
            tracing_subscriber::fmt::layer()
                .json()
                .flatten_event(true)
                .with_target(false)
                .log_internal_errors(false)
                .with_writer(Mutex::new(open(path)?))
                .with_filter(LevelFilter::DEBUG),
        ),
        None => None,
    };
    tracing_subscriber::registry().with(people).with(programs).try_init().ok();
    Ok(())
}

fn open(path: &Path) -> anyhow::Result<std::fs::File> {
    let file = OpenOptions::new().create(true).append(true).open(path);
    file.with_context(|| format!("{} cannot be written", path.display()))
}

/// Gives back what the allocator keeps.
#[expect(unsafe_code, reason = "there is no other way to tell the allocator")]
fn give_back() {
    // SAFETY: both may be called at any time from any thread, and free nothing that is in use. A thread that has not
    // allocated anything has to be made known first, or nothing would be collected.
    unsafe {
        libmimalloc_sys::mi_thread_init();
        libmimalloc_sys::mi_collect(true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_added_where_a_strategy_has_some_and_does_not_say_how_many() {
        let show = |text: &str, threads| {
            with_threads(Strategy::parse(text).expect("a strategy"), threads).to_string()
        };
        assert_eq!(show("fluxion", 4), "fluxion:threads=4");
        assert_eq!(show("uct:c=0.5", 2), "uct:c=0.5,threads=2");
        assert_eq!(show("uct:threads=3", 8), "uct:threads=3");
        assert_eq!(show("fluxion:nodes=100", 8), "fluxion:nodes=100");
        assert_eq!(show("random", 8), "random");
        assert_eq!(show("fluxion", 1), "fluxion");
    }
}
