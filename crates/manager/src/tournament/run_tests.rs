//! Whole tournaments, interrupted and resumed.

use super::*;
use std::fmt::Write as _;
use std::path::PathBuf;

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("fluxion-run-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn plan(head: &str, players: &[&str]) -> Plan {
    let mut text = format!("name = 'test'\nplay-clock = 5\nstart-clock = 5\n{head}\n");
    for (number, player) in players.iter().enumerate() {
        let _ = write!(text, "[[player]]\nname = 'p{number}'\nplayer = '{player}'\n");
    }
    Plan::parse(&text).expect("a plan")
}

fn sheets(names: &[&str]) -> Vec<Sheet> {
    let sheet = |name: &&str| {
        let entry = library::find(name).expect("a game of the library");
        Sheet::new(*name, entry.rules)
    };
    names.iter().map(sheet).collect()
}

#[test]
fn an_interrupted_tournament_is_played_to_its_end_with_no_match_lost_or_twice() {
    let folder = folder("resume");
    let path = folder.join("t.db");
    let plan = plan("games = ['a', 'b']\nrounds = 2\nparallel = 2", &["random", "legal", "random"]);
    let sheets = sheets(&["tictactoe", "nim_3_4_5"]);
    let expected = 2 * 2 * 6;
    let mut runs = 0;
    loop {
        let mut ledger = Ledger::open(&path).expect("a database");
        ledger.lock().expect("nobody else");
        prepare(&mut ledger, &plan, &sheets).expect("prepared");
        let before = ledger.finished().expect("read").len();
        let cancel = Arc::<AtomicBool>::default();
        let stop = cancel.clone();
        let stopping = runs < 3;
        let summary = run(ledger, 2, &cancel, &move |progress| {
            // Somebody interrupts after a few matches.
            if stopping && progress.done >= before + 4 {
                stop.store(true, Ordering::Relaxed);
            }
        });
        let summary = summary.expect("a summary");
        runs += 1;
        if summary.matches == expected {
            break;
        }
        assert!(runs < 10, "{} of {expected} after {runs} runs", summary.matches);
    }
    assert!(runs > 1, "never interrupted");
    let ledger = Ledger::open(&path).expect("a database");
    let finished = ledger.finished().expect("read");
    let mut pairs: Vec<_> = finished
        .iter()
        .map(|f| (f.scheduled.round, f.scheduled.game, f.scheduled.seats.clone()))
        .collect();
    pairs.sort();
    let count = pairs.len();
    pairs.dedup();
    assert_eq!((count, pairs.len()), (expected, expected));
    assert!(ledger.waiting().expect("read").is_empty());
    let text = ledger.record(1).expect("read").expect("a record");
    assert!(MatchRecord::parse(&text).expect("a record").is_completed);
    drop(ledger);
    std::fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn swiss_tournaments_schedule_round_after_round() {
    let folder = folder("swiss");
    let players = ["random", "legal", "random", "legal", "random"];
    let plan = plan("games = ['a']\nformat = 'swiss'\nrounds = 3\nrotate = false", &players);
    let mut ledger = Ledger::open(&folder.join("t.db")).expect("a database");
    prepare(&mut ledger, &plan, &sheets(&["tictactoe"])).expect("prepared");
    let totals = Mutex::new(Vec::new());
    let summary = run(ledger, 1, &Arc::default(), &|progress| {
        totals.lock().expect("no panic").push(progress.total);
    });
    let summary = summary.expect("a summary");
    assert_eq!(summary.matches, 6);
    assert!(totals.into_inner().expect("no panic").iter().all(|total| *total == 6));
    let played: Vec<usize> = summary.standings.iter().map(|standing| standing.matches).collect();
    assert!(played.iter().all(|played| (2..=3).contains(played)), "{played:?}");
    std::fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn players_that_cannot_be_reached_do_not_stop_a_tournament() {
    let folder = folder("unreachable");
    // Nobody listens on the port of a listener that was dropped.
    let port =
        std::net::TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a port");
    let remote = format!("http://{port}");
    let plan = plan("games = ['a']\nretries = 0\nforfeit = 2", &["random", &remote]);
    let mut ledger = Ledger::open(&folder.join("t.db")).expect("a database");
    prepare(&mut ledger, &plan, &sheets(&["tictactoe"])).expect("prepared");
    let summary = run(ledger, 1, &Arc::default(), &|_| {}).expect("a summary");
    let lost = summary.standings.iter().find(|standing| standing.name == "p1").expect("a standing");
    assert_eq!((summary.matches, lost.faults, lost.mean), (2, 4, 0.0));
    std::fs::remove_dir_all(folder).expect("removed");
}
