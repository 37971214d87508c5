//! What a second match of a game saves: the CPU time of the start clock up to the search, and how well what was learned
//! predicts, with and without what earlier matches taught.
//!
//! `cargo run --release -p player --example knowledge -- START MATCHES GAME...`; with `VERBOSE=1` it shows what was found.
//! `cargo run --release -p player --example knowledge -- keys` shows what the keys of all games of the library cost.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use game::{Budget, Deadline, Game, Reasoner, Role};
use player::{Archive, Key, Setup, Strategy};
use symmetry::{Bounds, Fingerprint};

/// An archive in memory.
#[derive(Debug, Default)]
struct Shelf(Mutex<BTreeMap<Key, Vec<u8>>>);

impl Archive for Shelf {
    fn recall(&self, key: Key) -> Option<Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned()
    }

    fn change(&self, key: Key, change: &mut dyn FnMut(Option<Vec<u8>>) -> Option<Vec<u8>>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(new) = change(all.get(&key).cloned()) {
            all.insert(key, new);
        }
    }
}

fn load(name: &str) -> Game {
    let entry = library::find(name).expect("a game of the library");
    Game::from_text(entry.rules).expect("sound rules")
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.first().is_some_and(|first| first == "keys") {
        return keys();
    }
    let [start, matches, games @ ..] = &args[..] else {
        eprintln!("START MATCHES GAME...");
        return;
    };
    let start = Duration::from_secs_f64(start.parse().expect("seconds"));
    let matches: u64 = matches.parse().expect("a number");
    for name in games {
        let archive: Arc<dyn Archive> = Arc::new(Shelf::default());
        for number in 1..=matches {
            one(name, number, start, &archive);
        }
    }
}

/// One start clock, without the search at its end.
fn one(name: &str, number: u64, start: Duration, archive: &Arc<dyn Archive>) {
    let game = load(name);
    let reasoner = Reasoner::build(&game, &Budget::default());
    let mut setup = Setup::new(&game, Role(0)).with_reasoner(&reasoner);
    (setup.archive, setup.seed) = (Some(archive.clone()), number);
    // With a limit on nodes the rest of the start clock is not searched.
    let mut player = Strategy::parse("fluxion:nodes=1000").expect("a strategy").player(setup);
    let (begin, clock) = (ProcessTime::now(), Instant::now());
    player.start(&Deadline::within(start)).expect("started");
    let (spent, passed) = (begin.elapsed().as_secs_f64(), clock.elapsed().as_secs_f64());
    player.stop();
    let findings = player.findings();
    let learned = findings.iter().find(|line| line.starts_with("learning"));
    let learned = learned.and_then(|line| line.split_once(": ")).map_or("nothing", |(_, it)| it);
    println!("{name} match {number}: {spent:.2} CPU s, {passed:.1} s; learned {learned}");
    if std::env::var_os("VERBOSE").is_some() {
        for line in &findings {
            println!("    {line}");
        }
    }
}

fn keys() {
    let mut times: Vec<(f64, &str)> = Vec::new();
    for entry in library::games() {
        let game = load(entry.name);
        let begin = ProcessTime::now();
        let print = Fingerprint::of(&game, &Bounds::default());
        times.push((begin.elapsed().as_secs_f64(), entry.name));
        assert!(print.is_some(), "{}", entry.name);
    }
    times.sort_by(|a, b| b.0.total_cmp(&a.0));
    let all: f64 = times.iter().map(|(time, _)| time).sum();
    println!("{} keys in {all:.2} CPU s; the slowest:", times.len());
    for (time, name) in times.iter().take(8) {
        println!("  {time:.3} s {name}");
    }
}
