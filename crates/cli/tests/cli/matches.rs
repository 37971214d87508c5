//! Matches, records, the player and tournaments as users meet them.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::{SMALL, command, fed, file, fluxion, path, run};

/// A player process, killed when the test ends.
pub(crate) struct Player {
    child: Child,
    pub(crate) address: String,
}

impl Player {
    pub(crate) fn start(args: &[&str]) -> Self {
        Self::start_at("0", args)
    }

    fn start_at(port: &str, args: &[&str]) -> Self {
        let args: Vec<&str> = ["serve", "--port", port].iter().chain(args).copied().collect();
        let mut child = command(&args).spawn().expect("the binary starts");
        let mut lines = BufReader::new(child.stderr.take().expect("standard error"));
        let mut line = String::new();
        lines.read_line(&mut line).expect("a first line");
        let address = line.split("http://").nth(1).and_then(|rest| rest.split(';').next());
        let address = address.unwrap_or_else(|| panic!("no address in {line}")).to_owned();
        // What it says later must be read, or it would block.
        std::thread::spawn(move || std::io::copy(&mut lines, &mut std::io::sink()));
        Self { child, address }
    }

    fn tell(&self, message: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("the player listens");
        write!(stream, "POST / HTTP/1.0\r\nContent-Length: {}\r\n\r\n{message}", message.len())
            .expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer.split_once("\r\n\r\n").map_or(String::new(), |(_, body)| body.to_owned())
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_match_is_played_recorded_and_replayed() {
    let record = path("match-record.json");
    let watch = path("match-watch.jsonl");
    let played = fluxion(&[
        "match",
        "tictactoe",
        "--player",
        "a=random",
        "--player",
        "legal",
        "--record",
        &record,
        "--watch",
        &watch,
        "--id",
        "test.1",
    ])
    .expect(0);
    assert!(played.out.contains("xplayer: a") && played.out.contains("Result after"), "{played:?}");
    let events = std::fs::read_to_string(&watch).expect("the stream");
    let events: Vec<Value> =
        events.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(events[0]["event"], "began");
    assert_eq!(events.last().expect("events")["event"], "ended");
    let replayed = fluxion(&["replay", &record]).expect(0);
    assert!(replayed.out.contains("The record agrees with the rules"), "{replayed:?}");
    let quiet = fluxion(&["replay", &record, "--quiet"]).expect(0);
    assert!(quiet.out.lines().count() <= 4, "{quiet:?}");
    let folder = path("match-xml");
    fluxion(&["replay", &record, "--xml", &folder, "--json"]).expect(0);
    let end =
        std::fs::read_to_string(format!("{folder}/finalstate.xml")).expect("the last document");
    assert!(end.contains("<match-id>test.1</match-id>") && end.contains("<reward>"), "{end}");

    let text = std::fs::read_to_string(&record).expect("the record");
    let forged = text.replacen("\"noop\"", "\"( mark a 1 )\"", 1);
    let forged = file("match-forged.json", forged);
    let refused = fluxion(&["replay", &forged]).expect(1);
    assert!(refused.out.contains("contradicts the rules: step 0"), "{refused:?}");
    let bare: Value = serde_json::from_str(&text).expect("JSON");
    let mut bare = bare.as_object().expect("an object").clone();
    bare.remove("fluxion");
    let bare = file("match-bare.json", serde_json::to_string(&bare).expect("JSON"));
    assert!(fluxion(&["replay", &bare]).expect(2).err.contains("--game"));
    fluxion(&["replay", &bare, "--game", "tictactoe"]).expect(0);
}

#[test]
fn people_play_by_number_and_text() {
    let small = file("match-small.kif", SMALL);
    let played = fed(&["match", &small, "--player", "human"], b"fly\n1\n").expect(0);
    assert!(played.err.contains("there is no such move"), "{played:?}");
    assert!(played.out.contains("Result after 2 steps: human 100"), "{played:?}");
    let gone =
        fed(&["match", "tictactoe", "--player", "human", "--player", "legal"], b"").expect(0);
    assert!(gone.err.contains("CE standard input has ended"), "{gone:?}");
}

#[test]
fn people_do_not_wait_for_strategies_as_long_as_these_may_wait_for_them() {
    let begin = Instant::now();
    let pit = ["match", "tictactoe", "-p", "human", "-p", "uct", "--start-clock", "1"];
    let moves = "1\n2\n3\n4\n5\n6\n7\n8\n9\n".repeat(9);
    let played = fed(&[&pit[..], &["--think", "0.2"]].concat(), moves.as_bytes()).expect(0);
    assert!(played.out.contains("Result after"), "{played:?}");
    assert!(begin.elapsed() < Duration::from_secs(60), "the clock is an hour");
}

#[test]
fn seats_without_a_player_and_wrong_players_are_told() {
    let clocks = ["--start-clock", "1", "--play-clock", "1"];
    let lone = ["match", "tictactoe", "--player", "legal", "--quiet"];
    let lone = fluxion(&[&lone[..], &clocks].concat()).expect(0);
    assert!(lone.err.contains("nobody was named for oplayer, so fluxion plays it"), "{lone:?}");
    let many =
        fluxion(&["match", "tictactoe", "-p", "legal", "-p", "legal", "-p", "legal"]).expect(2);
    assert!(many.err.contains("3 players were named for 2 roles"), "{many:?}");
    let wrong = fluxion(&["match", "tictactoe", "-p", "clever"]).expect(2);
    assert!(wrong.err.contains("there is no strategy clever"), "{wrong:?}");
}

#[test]
fn the_player_process_plays_over_http_and_survives_its_manager() {
    let log = path("player-log.jsonl");
    let player = Player::start(&[
        "--strategy",
        "legal",
        "--name",
        "Tester",
        "--log",
        &log,
        "--matches",
        "2",
    ]);
    assert_eq!(player.tell("( INFO )"), "( ( name Tester ) ( status available ) )");
    let url = format!("remote=http://{}", player.address);
    let record = path("player-record.json");
    let args =
        ["match", "tictactoe", "-p", &url, "-p", "random", "--scramble", "3", "--record", &record];
    let played = fluxion(&[&args[..], &["--play-clock", "5"]].concat()).expect(0);
    assert!(played.out.contains("remote") && !played.out.contains("fault"), "{played:?}");
    fluxion(&["replay", &record, "--quiet"]).expect(0);

    // A manager is killed in the middle of a match: its record is complete up to there.
    let connect = path("player-killed.json");
    let pit = [
        "match",
        "connect_four",
        "-p",
        &url,
        "-p",
        "human",
        "--record",
        &connect,
        "--play-clock",
        "20",
    ];
    let mut manager = command(&pit).stdin(Stdio::piped()).spawn().expect("the binary starts");
    let mut input = manager.stdin.take().expect("standard input");
    input.write_all(b"1\n1\n").expect("two moves");
    let until = Instant::now() + Duration::from_secs(30);
    let steps = |text: &str| {
        let record: Value = serde_json::from_str(text).expect("a record is complete at any moment");
        record["moves"].as_array().map_or(0, Vec::len)
    };
    while std::fs::read_to_string(&connect).map_or(0, |text| steps(&text)) < 4 {
        assert!(Instant::now() < until, "the match does not go on");
        std::thread::sleep(Duration::from_millis(20));
    }
    manager.kill().expect("killed");
    manager.wait().expect("ended");
    let replayed = fluxion(&["replay", &connect, "--quiet"]).expect(0);
    assert!(replayed.out.contains("Aborted after"), "{replayed:?}");
    // The player has room for the next match.
    fluxion(&["match", "tictactoe", "-p", &url, "-p", "random", "--quiet", "--forfeit", "1"])
        .expect(0);
    let log = std::fs::read_to_string(&log).expect("the log");
    let events: Vec<Value> =
        log.lines().map(|l| serde_json::from_str(l).expect("JSON lines")).collect();
    assert!(
        events.iter().any(|event| event["message"] == "STOP" && event["span"]["id"].is_string())
    );
}

#[test]
fn a_player_that_dies_and_comes_back_costs_moves_not_the_match() {
    let player = Player::start(&["--strategy", "legal"]);
    let url = format!("mortal=http://{}", player.address);
    let record = path("mortal.json");
    let args =
        ["match", "connect_four", "-p", &url, "-p", "human", "--record", &record, "--retries", "0"];
    let mut manager = command(&args).stdin(Stdio::piped()).spawn().expect("the binary starts");
    let mut input = manager.stdin.take().expect("standard input");
    input.write_all(b"1\n").expect("a move");
    std::thread::sleep(Duration::from_millis(500));
    let port = player.address.rsplit(':').next().expect("a port").to_owned();
    drop(player);
    input.write_all(b"2\n3\n").expect("moves");
    let until = Instant::now() + Duration::from_secs(30);
    while !std::fs::read_to_string(&record).is_ok_and(|text| text.contains("\"CE ")) {
        assert!(Instant::now() < until, "the dead player is not missed");
        std::thread::sleep(Duration::from_millis(20));
    }
    // It comes back, knows nothing of the match, and is asked all the same.
    let player = Player::start_at(&port, &["--strategy", "legal"]);
    input.write_all("4\n5\n6\n7\n1\n2\n3\n".repeat(20).as_bytes()).expect("moves");
    drop(input);
    let played = manager.wait_with_output().expect("the match ends");
    assert!(played.status.success(), "{played:?}");
    let text = std::fs::read_to_string(&record).expect("the record");
    let record: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(record["isCompleted"], true);
    assert!(text.contains("\"CE "), "{text}");
    assert!(text.contains("\"IL busy"), "{text}");
    fluxion(&["match", "tictactoe", "-p", &url, "-p", "random", "--quiet", "--forfeit", "1"])
        .expect(0);
    drop(player);
}

#[test]
fn a_port_in_use_is_told_with_a_way_out() {
    let player = Player::start(&[]);
    let port = player.address.rsplit(':').next().expect("a port");
    let second = fluxion(&["serve", "--port", port]).expect(2);
    assert!(second.err.contains("cannot listen") && second.err.contains("--port"), "{second:?}");
    assert!(fluxion(&["serve", "--strategy", "clever"]).expect(2).err.contains("no strategy"));
}

fn plan(name: &str, rounds: usize) -> String {
    let text = format!(
        "name = 'test'\ngames = ['tictactoe', 'nim_3_4_5', 'small.kif']\nrounds = {rounds}\nparallel = 2\n\
         start-clock = 5\nplay-clock = 5\n[[player]]\nname = 'one'\nplayer = 'random'\n\
         [[player]]\nname = 'two'\nplayer = 'legal'\n[[player]]\nname = 'three'\nplayer = 'random'\n"
    );
    file("small.kif", SMALL);
    for ending in ["db", "db-wal", "db-shm", "db.lock"] {
        let _ = std::fs::remove_file(path(&format!("{name}.{ending}")));
    }
    file(&format!("{name}.toml"), text)
}

#[test]
fn a_tournament_killed_again_and_again_loses_and_repeats_nothing() {
    let plan = plan("killed", 4);
    // Two games of two roles with 6 encounters each and one game of one role, four times.
    let expected = 4 * (6 + 6 + 3);
    let mut kills = 0;
    for delay in [150, 250, 400, 600, 900] {
        let mut child = command(&["tournament", "run", &plan]).spawn().expect("the binary starts");
        std::thread::sleep(Duration::from_millis(delay));
        kills += u32::from(child.try_wait().expect("a child").is_none());
        child.kill().expect("killed");
        child.wait().expect("ended");
    }
    // On a slow machine, all kills may have come before the first match.
    let before = fluxion(&["tournament", "table", &plan, "--json"]);
    let done = if before.code == Some(0) { before.json()["matches"].as_u64() } else { None };
    let folder = path("killed-report");
    let mut last = command(&["tournament", "run", &plan, "--report", &folder, "--json"]);
    let summary = run(&mut last, b"").expect(0).json();
    assert_eq!(summary["matches"], expected, "after {done:?} in {kills} kills");
    let report = std::fs::read_to_string(format!("{folder}/report.json")).expect("a report");
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let results = report["results"].as_array().expect("results");
    let mut encounters: Vec<String> =
        results.iter().map(|r| format!("{} {} {}", r["round"], r["game"], r["players"])).collect();
    encounters.sort();
    encounters.dedup();
    assert_eq!((results.len(), encounters.len()), (expected, expected));
    for name in ["matches.csv", "standings.csv", "report.html"] {
        assert!(std::path::Path::new(&folder).join(name).is_file(), "{name}");
    }
    let record = fluxion(&["tournament", "record", &plan, "1"]).expect(0).json();
    assert_eq!(record["isCompleted"], true);
    let table = fluxion(&["tournament", "table", &plan]).expect(0);
    assert!(table.out.contains("player") && table.out.contains("mean against"), "{table:?}");
}

/// The processes that a process started.
#[cfg(target_os = "linux")]
fn children(of: u32) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").expect("processes").flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
        // After the name, which may hold anything: the state, then the parent.
        let parent = stat.rsplit(") ").next().and_then(|rest| rest.split(' ').nth(1));
        if parent.and_then(|parent| parent.parse().ok()) == Some(of) {
            found.push(id);
        }
    }
    found
}

/// A line of what the system tells about a process.
#[cfg(target_os = "linux")]
fn status(process: &str, key: &str) -> Option<String> {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
    line.map(|value| value.trim().to_owned())
}

/// Players with a command are bound to their cores, started again when they die, and gone at the end. One of two has to take two of three seats.
#[cfg(target_os = "linux")]
#[test]
fn a_tournament_starts_its_players_again_and_stops_them() {
    // Not every container has the first core.
    let cores = status("self", "Cpus_allowed_list").expect("cores");
    let core = cores.split(['-', ',']).next().expect("a core").to_owned();
    let player = |name: &str, strategy: &str| {
        format!(
            "[[player]]\nname = '{name}'\ncores = [{core}]\ncommand = ['{{fluxion}}', 'serve', '--port', \
             '{{port}}', '--knowledge', 'off', '--no-ponder', '--strategy', '{strategy}']\n"
        )
    };
    let (one, two) = (player("one", "random"), player("two", "legal"));
    let head = "name = 'hired'\ngames = ['tictactoe', 'tictactoe_3p']\nrounds = 4";
    for ending in ["db", "db-wal", "db-shm", "db.lock", "one.log", "two.log"] {
        let _ = std::fs::remove_file(path(&format!("hired.{ending}")));
    }
    let plan = file("hired.toml", format!("{head}\n{one}{two}"));
    let mut tournament = command(&["tournament", "run", &plan]);
    let mut tournament = tournament.stderr(Stdio::null()).spawn().expect("the binary starts");
    let begin = Instant::now();
    let mut seen: Vec<u32> = Vec::new();
    let mut killed: Option<u32> = None;
    while tournament.try_wait().expect("a child").is_none() {
        assert!(begin.elapsed() < Duration::from_secs(100), "it takes too long");
        for player in children(tournament.id()) {
            // Bound before it runs: it has been made by now, and may be on its way to become the player.
            let bound = status(&player.to_string(), "Cpus_allowed_list");
            assert!(bound.as_ref().is_none_or(|bound| *bound == core), "{bound:?}, not {core}");
            if !seen.contains(&player) {
                seen.push(player);
            }
        }
        if killed.is_none() && seen.len() >= 2 {
            killed = seen.first().copied();
            let mut kill = std::process::Command::new("kill");
            let ended = kill.args(["-9", &seen[0].to_string()]).status().expect("kill");
            assert!(ended.success(), "it runs");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(killed.is_some(), "two players were started");
    assert_eq!(tournament.wait().expect("a child").code(), Some(0));
    assert!(seen.len() >= 4, "a second seat, and one player started again: {seen:?}");
    let alive = |player: &u32| status(&player.to_string(), "State").is_some();
    assert!(!seen.iter().any(alive), "no player is left");
    let table = fluxion(&["tournament", "table", &plan, "--json"]).expect(0).json();
    // Two ways to sit at the one game and six at the other, four times.
    assert_eq!(table["matches"], 4 * (2 + 6));
    let classes = [&table["classes"][0]["class"], &table["classes"][1]["class"]];
    assert_eq!(classes, ["constant-sum", "more-roles"]);
    // Only in the match in which it died.
    let faults =
        table["standings"].as_array().expect("rows").iter().map(|row| row["faults"].as_u64());
    assert!(faults.sum::<Option<u64>>().is_some_and(|faults| faults <= 12), "{table}");
    let text = fluxion(&["tournament", "table", &plan]).expect(0).out;
    assert!(text.contains("points in") && text.contains("two roles, constant sum"), "{text}");
}

#[test]
fn tournaments_tell_what_is_wrong_with_their_plan() {
    let plan = plan("wrong", 1);
    fluxion(&["tournament", "table", &plan]).expect(2);
    fluxion(&["tournament", "run", &plan]).expect(0);
    let text = std::fs::read_to_string(&plan).expect("the plan");
    std::fs::write(&plan, text.replace("rounds = 1", "rounds = 2")).expect("changed");
    let changed = fluxion(&["tournament", "run", &plan]).expect(2);
    assert!(changed.err.contains("another plan") && changed.err.contains("--db"), "{changed:?}");
    std::fs::write(&plan, text.replace("'legal'", "'clever'")).expect("changed");
    assert!(fluxion(&["tournament", "run", &plan]).expect(2).err.contains("no strategy clever"));
    std::fs::write(&plan, text.replace("tictactoe", "tictactoo")).expect("changed");
    assert!(fluxion(&["tournament", "run", &plan]).expect(2).err.contains("tictactoe"));
}
