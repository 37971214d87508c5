//! Many bullet matches through real HTTP: no time-out, no illegal move, no leak.
//!
//! `FLUXION_MATCHES` sets their number (6 by default, 1,000 for the figures in `docs/reliability.md`),
//! `FLUXION_STRATEGIES` the strategies, separated by blanks; each match takes the next two.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use game::Game;
use manager::{Address, Clocks, Match, Remote, Seat, Setup};
use player::Strategy;
use server::{Config, spawn};

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

/// The memory of this process in kilobytes.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
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
    let seconds = Duration::from_secs;
    // No grace: an answer after the clock is a fault.
    setup.clocks =
        Clocks { preview: None, start: seconds(2), play: seconds(1), grace: Duration::ZERO };
    setup.policy.longest = 200;
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
    let ended = record.is_completed || record.moves.len() == 200;
    if !ended {
        wrong.push(format!("{}: {:?}", record.match_id, record.fluxion.map(|x| x.aborted_because)));
    }
    wrong
}

#[test]
fn bullet_matches_through_http_have_no_faults_and_leak_nothing() {
    let matches: usize = setting("FLUXION_MATCHES", "6").parse().expect("a number of matches");
    let abreast: usize = setting("FLUXION_ABREAST", "2").parse().expect("a number of matches");
    let strategies = setting("FLUXION_STRATEGIES", "random legal random");
    let servers: Vec<_> = strategies
        .split_whitespace()
        .map(|text| {
            let strategy = Some(Strategy::parse(text).expect("a strategy"));
            let config = Config { matches: 64, memory: 64 << 20, strategy, ..Config::default() };
            (text.to_owned(), spawn(config).expect("a free port"))
        })
        .collect();
    let address = |at: std::net::SocketAddr| Address::parse(&at.to_string()).expect("an address");
    let players: Vec<_> =
        servers.iter().map(|(name, server)| (name.clone(), address(server.address()))).collect();
    let games: Vec<_> = GAMES
        .iter()
        .filter_map(|name| library::find(name))
        .map(|entry| {
            let game = Game::from_text(entry.rules).expect("sound rules");
            (entry.name.to_owned(), entry.rules.to_owned(), game)
        })
        .collect();
    assert!(games.len() >= 5, "the library has lost its games");
    let (next, wrong, begin) = (AtomicUsize::new(0), Mutex::new(Vec::new()), Instant::now());
    let early = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..abreast {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::SeqCst);
                    if number >= matches {
                        return;
                    }
                    let found = play(number, &players, &games);
                    wrong.lock().expect("no panic").extend(found);
                    // The first tenth fills caches that stay.
                    if number == matches / 10 {
                        *early.lock().expect("no panic") = resident();
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("no panic");
    assert!(wrong.is_empty(), "{} faults: {:#?}", wrong.len(), &wrong[..wrong.len().min(20)]);
    wait_for("the end of all matches", || servers.iter().all(|(_, s)| s.status().matches == 0));
    let messages: u64 = servers.iter().map(|(_, server)| server.status().messages).sum();
    let early = early.into_inner().expect("no panic");
    println!(
        "{matches} matches, {messages} messages, {:.0} s, {early:?} kB after a tenth, {:?} kB at the end",
        begin.elapsed().as_secs_f64(),
        resident()
    );
    if let (true, Some(early), Some(late)) = (matches >= 100, early, resident()) {
        assert!(late <= early + early / 10, "{early} kB became {late} kB");
    }
}
