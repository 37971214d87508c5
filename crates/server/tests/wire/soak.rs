//! Many bullet matches through real HTTP: no time-out, no illegal move, no leak.
//!
//! Variables for the figures in `docs/reliability.md`: `FLUXION_MATCHES` sets their number (6 by default; from 100 on
//! memory is judged), `FLUXION_ABREAST` how many are played at a time, `FLUXION_STRATEGIES` the strategies,
//! separated by blanks, of which each match takes the next ones, `FLUXION_START_CLOCK` and `FLUXION_PLAY_CLOCK` the clocks in
//! seconds, `FLUXION_LONGEST` after how many steps a match is aborted, `FLUXION_LOAD` how many threads do nothing but use
//! the cores beside it. Every `FLUXION_SERIES` matches there is a rest, and its memory is one line of a series.

use std::net::SocketAddr;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use game::Game;
use manager::{Address, Clocks, Match, Remote, Seat, Setup};
use player::Strategy;
use server::{Config, Running, spawn};

use crate::wait_for;

const GAMES: [&str; 8] = [
    "tictactoe",
    "connect_four",
    "breakthrough",
    "tictactoe_3p",
    "eight_puzzle",
    "nim_3_4_5",
    "rock_paper_scissors",
    "checkers",
];

fn setting(name: &str, default: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| default.to_owned())
}

/// How many faults are shown at the end.
const SHOWN: usize = 20;
/// How often a line is written.
const TOLD: usize = 20;
/// How long freed memory may take to be given back.
const REST: Duration = Duration::from_secs(25);
/// Threads that are no part of a match: the test's own and its runner's.
const OTHERS: u64 = 4;

/// A number that the system knows about this process.
fn process(key: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(key))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// Gives back what is free, as the binary does.
#[expect(unsafe_code, reason = "there is no other way to tell the allocator")]
fn tidy() {
    // SAFETY: both may be called at any time from any thread, and free nothing that is in use. A thread that has not
    // allocated anything has to be made known first, or nothing would be collected.
    unsafe {
        libmimalloc_sys::mi_thread_init();
        libmimalloc_sys::mi_collect(true);
    }
}

/// A setting that is a number.
fn value<T: std::str::FromStr>(name: &str, default: &str) -> T {
    setting(name, default).parse().unwrap_or_else(|_| panic!("{name} is a number"))
}

/// The memory of this process in kilobytes.
fn resident() -> Option<u64> {
    process("VmRSS:")
}

/// One match of the next game with players of the next strategies; what went wrong in it.
fn play(
    number: usize,
    players: &[(String, Address)],
    games: &[(String, String, Game)],
) -> Vec<String> {
    let (name, rules, game) = &games[number % games.len()];
    let mut setup = Setup::of(name, rules, game);
    setup.id = format!("soak.{name}.{number}");
    let clock = |name, default| Duration::from_secs(value(name, default));
    let (start, play) = (clock("FLUXION_START_CLOCK", "2"), clock("FLUXION_PLAY_CLOCK", "1"));
    let longest = value("FLUXION_LONGEST", "100");
    // No grace: an answer after the clock is a fault.
    setup.clocks = Clocks { preview: None, start, play, grace: Duration::ZERO };
    setup.policy.longest = longest;
    setup.seed = number as u64;
    setup.scramble = number.is_multiple_of(2).then_some(number as u64);
    let round = number / games.len();
    let mut seats: Vec<Box<dyn Seat>> = (0..game.roles().len())
        .map(|role| players[(number + round + role) % players.len()].clone())
        .map(|(name, address)| Box::new(Remote::new(name, address).retrying(0)) as Box<dyn Seat>)
        .collect();
    let record = Match::new(setup, &mut seats).expect("a seat for each role").run(&mut ());
    let faults = record.errors.iter().enumerate().flat_map(|(step, errors)| {
        let named = errors.iter().zip(&record.player_names_from_host);
        named
            .filter(|(error, _)| !error.is_empty())
            .map(move |(error, player)| (step, error, player))
    });
    let mut wrong: Vec<String> = faults
        .map(|(step, error, player)| format!("{}, step {step}, {player}: {error}", record.match_id))
        .collect();
    let ended = record.is_completed || record.moves.len() == longest;
    if !ended {
        wrong.push(format!("{}: {:?}", record.match_id, record.fluxion.map(|x| x.aborted_because)));
    }
    wrong
}

/// The players, the games, and what is counted while matches are played.
struct Soak {
    servers: Vec<(String, Running)>,
    players: Vec<(String, Address)>,
    games: Vec<(String, String, Game)>,
    /// How many faults there were, and the first of them: texts that are kept would keep memory of matches.
    wrong: Mutex<(usize, Vec<String>)>,
    begin: Instant,
}

impl Soak {
    fn new(strategies: &str) -> Self {
        let servers: Vec<_> = strategies
            .split_whitespace()
            .map(|text| {
                let strategy = Some(Strategy::parse(text).expect("a strategy"));
                let config = Config {
                    matches: 64,
                    memory: 64 << 20,
                    strategy,
                    tidy: Some(tidy),
                    ..Config::default()
                };
                (text.to_owned(), spawn(config).expect("a free port"))
            })
            .collect();
        let address = |at: SocketAddr| Address::parse(&at.to_string()).expect("an address");
        let players =
            servers.iter().map(|(name, server)| (name.clone(), address(server.address())));
        let games = GAMES.iter().filter_map(|name| library::find(name)).map(|entry| {
            let game = Game::from_text(entry.rules).expect("sound rules");
            (entry.name.to_owned(), entry.rules.to_owned(), game)
        });
        let (players, games): (Vec<_>, Vec<_>) = (players.collect(), games.collect());
        assert!(games.len() >= 5, "the library has lost its games");
        let (wrong, begin) = (Mutex::default(), Instant::now());
        Self { servers, players, games, wrong, begin }
    }

    /// Plays matches with these numbers, some at a time.
    fn play(&self, numbers: Range<usize>, abreast: usize) {
        let next = AtomicUsize::new(numbers.start);
        std::thread::scope(|scope| {
            for _ in 0..abreast {
                scope.spawn(|| {
                    loop {
                        let number = next.fetch_add(1, Ordering::SeqCst);
                        if number >= numbers.end {
                            return;
                        }
                        let found = play(number, &self.players, &self.games);
                        self.note(number, found);
                    }
                });
            }
        });
    }

    /// What went wrong, told at once; a line now and then for those who wait.
    fn note(&self, number: usize, found: Vec<String>) {
        for fault in &found {
            println!("match {number}: {fault}");
        }
        let mut wrong = self.wrong.lock().expect("no panic");
        wrong.0 += found.len();
        let room = SHOWN.saturating_sub(wrong.1.len());
        wrong.1.extend(found.into_iter().take(room));
        if (number + 1).is_multiple_of(TOLD) {
            let (seconds, kilobytes) = (self.begin.elapsed().as_secs(), resident().unwrap_or(0));
            println!("{} matches, {} faults, {seconds} s, {kilobytes} kB", number + 1, wrong.0);
        }
    }

    /// The memory in kilobytes when no match is left and its threads have ended. What was freed is given back
    /// within some seconds, so the least of a while counts.
    fn at_rest(&self) -> Option<u64> {
        let quiet = || self.servers.iter().all(|(_, server)| server.status().matches == 0);
        wait_for("the end of all matches", quiet);
        let most = self.servers.len() as u64 + OTHERS;
        wait_for("the end of all threads", || process("Threads:").is_none_or(|now| now <= most));
        let until = Instant::now() + REST;
        let mut least = resident()?;
        while Instant::now() < until {
            std::thread::sleep(Duration::from_millis(500));
            least = least.min(resident()?);
        }
        println!("at rest: {least} kB");
        Some(least)
    }
}

/// Threads that do nothing but use the cores, until they are dropped.
struct Load(Arc<AtomicBool>);

impl Load {
    fn new(threads: usize) -> Self {
        let stop = Arc::<AtomicBool>::default();
        for _ in 0..threads {
            let stop = stop.clone();
            std::thread::spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        Self(stop)
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Solvers written in C++ allocate by these.
#[cfg(target_os = "linux")]
#[test]
#[expect(unsafe_code, reason = "the names of the C library have no other callers")]
fn the_names_of_the_c_library_lead_to_the_same_allocator() {
    unsafe extern "C" {
        fn malloc(size: usize) -> *mut std::ffi::c_void;
        fn free(at: *mut std::ffi::c_void);
    }
    // SAFETY: what was allocated is freed once, and not used in between.
    let ours = unsafe {
        let at = malloc(100);
        let ours = libmimalloc_sys::mi_is_in_heap_region(at);
        free(at);
        ours
    };
    assert!(ours);
}

/// Memory at rest in kilobytes, after that many matches.
type Series = Vec<(usize, u64)>;

/// Plays matches with rests between them.
fn series(soak: &Soak, rests: &[usize], abreast: usize) -> Series {
    let mut played = 0;
    let mut series = Series::new();
    for &rest in rests {
        let busy = Load::new(value("FLUXION_LOAD", "0"));
        soak.play(played..rest, abreast);
        drop(busy);
        played = rest;
        series.extend(soak.at_rest().map(|kilobytes| (rest, kilobytes)));
    }
    series
}

/// After which matches there is a rest: after the warm-up, every now and then, and at the end.
fn rests(warm: usize, every: usize, matches: usize) -> Vec<usize> {
    let between = (warm..matches).step_by(every.max(1)).filter(|_| every > 0);
    let mut rests: Vec<usize> = [warm].into_iter().chain(between).chain([matches]).collect();
    rests.dedup();
    rests
}

#[test]
fn bullet_matches_through_http_have_no_faults_and_leak_nothing() {
    let matches: usize = value("FLUXION_MATCHES", "6");
    let abreast: usize = value("FLUXION_ABREAST", "2");
    let soak = Soak::new(&setting("FLUXION_STRATEGIES", "random legal random"));
    // Afterwards each strategy has played each game.
    let warm = (soak.games.len() * soak.players.len()).min(matches / 2);
    let judged = matches >= 100;
    let series = if judged {
        series(&soak, &rests(warm, value("FLUXION_SERIES", "0"), matches), abreast)
    } else {
        soak.play(0..matches, abreast);
        Series::new()
    };
    let seconds = soak.begin.elapsed().as_secs();
    let messages: u64 = soak.servers.iter().map(|(_, server)| server.status().messages).sum();
    println!("{matches} matches, {messages} messages, {seconds} s, at rest in kB: {series:?}");
    let wrong = soak.wrong.lock().expect("no panic");
    assert!(wrong.0 == 0, "{} faults: {:#?}", wrong.0, wrong.1);
    if let (Some((_, early)), Some((_, late))) = (series.first(), series.last()) {
        assert!(*late <= early + early / 10, "{early} kB became {late} kB");
    }
}
