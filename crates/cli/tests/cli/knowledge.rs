//! Knowledge that outlives matches and processes, as users meet it.

use std::fs;
use std::time::Duration;

use serde_json::Value;

use crate::matches::Player;
use crate::{command, fluxion, path, run};

/// A folder of its own; nothing is there yet.
fn folder(name: &str) -> String {
    let place = path(name);
    let _ = fs::remove_dir_all(&place);
    place
}

fn list(folder: &str) -> Vec<Value> {
    let listed = fluxion(&["knowledge", "list", "--json", "--knowledge", folder]).expect(0).json();
    listed["games"].as_array().expect("a list").clone()
}

fn play(player: &Player, more: &[&str]) {
    let url = format!("http://{}", player.address);
    let args = [
        "match",
        "tictactoe",
        "--quiet",
        "--start-clock",
        "3",
        "--play-clock",
        "1",
        "-p",
        &url,
        "-p",
        "legal",
    ];
    fluxion(&[&args[..], more].concat()).expect(0);
}

/// The player takes note of the end after it has answered.
fn wait_for(folder: &str, holds: impl Fn(&[Value]) -> bool) -> Vec<Value> {
    for _ in 0..100 {
        let games = list(folder);
        if holds(&games) {
            return games;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("{:?}", list(folder));
}

#[test]
fn a_player_knows_a_game_again_after_a_restart_and_under_other_names() {
    let place = folder("knowledge-restart");
    let log = path("knowledge-restart.jsonl");
    let args = ["--knowledge", &place, "--log", &log];
    play(&Player::start(&args), &[]);
    wait_for(&place, |games| games.len() == 1);
    play(&Player::start(&args), &["--scramble", "7"]);
    let games = wait_for(&place, |games| games.len() == 1 && games[0]["matches"] == 2);
    let told = fs::read_to_string(&log).expect("the log");
    assert!(told.contains("seen before: 1 match"), "{told}");

    let key = games[0]["key"].as_str().expect("a key").to_owned();
    let shown = fluxion(&["knowledge", "show", "tictactoe", "--knowledge", &place]).expect(0);
    assert!(shown.out.contains(&key) && shown.out.contains("seen: 2 matches"), "{shown:?}");
    assert!(shown.out.contains("class: moves in turn"), "{shown:?}");
    let whole =
        fluxion(&["knowledge", "show", &key[..6], "--knowledge", &place, "--json"]).expect(0);
    assert_eq!(whole.json()["knowledge"]["matches"], 2);
    let other = fluxion(&["knowledge", "show", "connect_four", "--knowledge", &place]).expect(2);
    assert!(other.err.contains("nothing is kept about connect_four"), "{other:?}");

    fluxion(&["knowledge", "forget", "tictactoe", "--knowledge", &place]).expect(0);
    assert!(list(&place).is_empty());
}

#[test]
fn two_processes_at_once_lose_nothing() {
    let place = folder("knowledge-two");
    let args = ["match", "tictactoe", "--quiet", "--start-clock", "2", "--play-clock", "1"];
    let more = ["-p", "fluxion", "-p", "fluxion", "--knowledge", &place];
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| run(&mut command(&[&args[..], &more].concat()), b"").expect(0));
        }
    });
    let games = list(&place);
    assert_eq!(games.len(), 1, "{games:?}");
    // Two players in each of two matches.
    assert_eq!(games[0]["matches"], 4, "{games:?}");
    let gone = fluxion(&["knowledge", "clear", "--knowledge", &place]).expect(0);
    assert!(gone.out.contains("1 game forgotten"), "{gone:?}");
}

#[test]
fn matches_keep_nothing_unless_they_are_told_to() {
    let home = folder("knowledge-home");
    let args =
        ["match", "tictactoe", "--quiet", "--start-clock", "1", "--play-clock", "1", "-p", "legal"];
    let mut quiet = command(&args);
    quiet.env_remove("FLUXION_KNOWLEDGE").env("XDG_DATA_HOME", &home).env("HOME", &home);
    run(&mut quiet, b"").expect(0);
    assert!(!std::path::Path::new(&home).exists());
    assert!(fluxion(&["knowledge"]).expect(2).err.contains("knowledge is off"));
}

#[test]
fn damage_and_places_that_cannot_be_used_are_told_and_survived() {
    let place = folder("knowledge-damage");
    fs::create_dir_all(&place).expect("a folder");
    let key = "00112233445566778899aabbccddeeff";
    fs::write(format!("{place}/{key}.json"), "{\"version\":1,").expect("written");
    fs::write(format!("{place}/notes.txt"), "not ours").expect("written");
    let games = list(&place);
    assert!(games.len() == 1 && games[0]["error"].is_string(), "{games:?}");
    let shown = fluxion(&["knowledge", "show", key, "--knowledge", &place]).expect(2);
    assert!(shown.err.contains("cannot be used"), "{shown:?}");
    fluxion(&["knowledge", "clear", "--knowledge", &place]).expect(0);
    assert!(fs::metadata(format!("{place}/notes.txt")).is_ok(), "files of others stay");

    let file = crate::file("knowledge-file", "no folder");
    let args = [
        "match",
        "tictactoe",
        "--quiet",
        "--start-clock",
        "1",
        "--play-clock",
        "1",
        "-p",
        "fluxion",
        "-p",
        "legal",
    ];
    let played = fluxion(&[&args[..], &["--knowledge", &file]].concat()).expect(0);
    assert_eq!(played.err.matches("warning").count(), 1, "{played:?}");
}
