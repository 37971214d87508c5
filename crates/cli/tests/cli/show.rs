//! `fluxion show`, `fluxion games`, `fluxion bench` and the demonstration.

use std::time::{Duration, Instant};

use crate::{SMALL, fed, file, fluxion};

#[test]
fn show_tells_roles_state_moves_and_statistics() {
    let run = fluxion(&["show", "tictactoe", "--playouts", "50"]).expect(0);
    for part in [
        "Tic-Tac-Toe",
        "roles: xplayer, oplayer",
        "3 | . . .",
        "control (1)",
        "(mark a 1)",
        "50 random playouts (seed 1)",
        "moves of xplayer",
        "joint moves",
        "± ",
        "Lengths",
        "█",
    ] {
        assert!(run.out.contains(part), "{part} is missing in\n{}", run.out);
    }
    assert_eq!(run.err, "", "no progress bar without a terminal");
}

#[test]
fn show_as_json_counts_exactly_what_was_played() {
    let name = file("show.kif", SMALL);
    let report = fluxion(&["show", &name, "--playouts", "10", "--json"]).expect(0).json();
    assert_eq!(report["roles"], serde_json::json!(["you"]));
    assert_eq!(report["initial"], serde_json::json!(["(step 1)"]));
    assert_eq!(report["legal"]["you"], serde_json::json!(["(go left)", "(go right)"]));
    let statistics = &report["statistics"];
    assert_eq!(statistics["playouts"], 10);
    assert_eq!(statistics["terminal"], 10);
    assert_eq!(statistics["transitions"], 20);
    assert_eq!(statistics["length"]["mean"], 2.0);
    assert_eq!(statistics["branching"]["you"]["mean"], 1.5);
    assert_eq!(statistics["results"]["you"]["distribution"][0]["goal"], 100);
}

#[test]
fn the_same_seed_gives_the_same_statistics() {
    let report = |seed: &str| {
        let args = ["show", "tictactoe", "--playouts", "40", "--json", "--seed", seed];
        let mut report = fluxion(&args).expect(0).json();
        report["statistics"]["seconds"] = 0.into();
        report
    };
    assert_eq!(report("7"), report("7"));
    assert_ne!(report("7"), report("8"));
}

#[test]
fn unsound_rules_are_shown_with_a_warning() {
    let rules = SMALL.replace("(goal you 100)", "(goal you 1000)");
    let run = fed(&["show", "-", "--playouts", "2"], rules.as_bytes()).expect(0);
    assert!(run.err.contains("is not sound"), "{}", run.err);
    assert!(run.out.contains("not defined"), "{}", run.out);
}

#[test]
fn games_lists_describes_and_prints() {
    let run = fluxion(&["games"]).expect(0);
    assert!(run.out.contains("tictactoe") && run.out.contains("Tic-Tac-Toe"), "{}", run.out);
    let one = fluxion(&["games", "TicTacToe"]).expect(0);
    assert!(one.out.contains("papers") && one.out.contains("--rules"), "{}", one.out);
    let rules = fluxion(&["games", "tictactoe", "--rules"]).expect(0);
    fed(&["check", "-"], rules.out.as_bytes()).expect(0);
    let run = fluxion(&["games", "tictactow"]).expect(2);
    assert!(run.err.contains("did you mean tictactoe?"), "{}", run.err);
}

#[test]
fn games_filters_by_class_and_players() {
    let two =
        fluxion(&["games", "--players", "2", "--class", "zero-sum", "--json"]).expect(0).json();
    let games = two["games"].as_array().expect("a list");
    assert!(games.iter().any(|game| game["name"] == "tictactoe"));
    assert!(games.iter().all(|game| game["players"] == "2"));
    let none = fluxion(&["games", "--class", "no such class", "--json"]).expect(0).json();
    assert_eq!(none["games"], serde_json::json!([]));
}

#[test]
fn bench_counts_transitions_and_memory() {
    let args = ["bench", "tictactoe", "--machine", "interpreter", "--seconds", "0.2", "--json"];
    let report = fluxion(&args).expect(0).json();
    let game = &report["games"][0];
    assert_eq!(game["machine"], "interpreter");
    assert!(game["transitions"].as_u64().is_some_and(|n| n > 100), "{game}");
    assert!(game["playouts"].as_u64().is_some_and(|n| n > 10), "{game}");
    assert!(game["cpu_seconds"].as_f64().is_some_and(|s| (0.2..2.0).contains(&s)), "{game}");
    assert!(game["load_seconds"].is_f64() && game.get("peak_memory_kb").is_some());
    fluxion(&["bench", "tictactoe", "--machine", "no-such-machine"]).expect(2);
}

#[test]
fn bench_plays_many_positions_at_once_on_the_circuit() {
    let args = ["bench", "tictactoe", "--machine", "lanes", "--seconds", "0.1", "--json"];
    let report = fluxion(&args).expect(0).json();
    let game = &report["games"][0];
    assert_eq!(game["machine"], "lanes");
    assert_eq!(game["fluents"], 29);
    assert_eq!(game["moves"], 20);
    assert!(game["transitions"].as_u64().is_some_and(|n| n > 10_000), "{game}");
    let args = ["bench", "tictactoe", "--seconds", "0.05"];
    assert!(fluxion(&args).expect(0).out.contains("lanes"), "that is the default");
}

#[test]
fn bench_steps_one_position_on_the_circuit_under_both_names() {
    for name in ["stepper", "circuit"] {
        let args = ["bench", "tictactoe", "--machine", name, "--seconds", "0.1", "--json"];
        let report = fluxion(&args).expect(0).json();
        let game = &report["games"][0];
        assert_eq!(game["machine"], "stepper");
        assert_eq!(game["fluents"], 29);
        let (moves, playouts) = (game["transitions"].as_f64(), game["playouts"].as_f64());
        let mean = moves.expect("a number") / playouts.expect("a number");
        assert!((7.0..8.5).contains(&mean), "random games of tic-tac-toe take 7.6 moves: {mean}");
    }
}

#[test]
fn bench_compares_machines_in_one_run() {
    let args = ["bench", "tictactoe", "connect_four", "--compare", "--seconds", "0.1"];
    let run = fluxion(&args).expect(0);
    assert!(
        run.out.contains("stepper/interpreter") && run.out.contains("geometric mean"),
        "{}",
        run.out
    );
    let report = fluxion(&[&args[..], &["--json"]].concat()).expect(0).json();
    let machines: Vec<&str> = report["games"][1]["machines"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|machine| machine["machine"].as_str())
        .collect();
    assert_eq!(machines, ["interpreter", "stepper", "lanes"]);
    for place in ["stepper/interpreter", "lanes/stepper"] {
        let mean = &report["geometric_means"][place];
        assert!(mean.as_f64().is_some_and(|ratio| ratio > 1.0), "{place}: {mean}");
        assert!(report["games"][0]["ratios"][place].is_f64());
    }
    fluxion(&["bench", "tictactoe", "--compare", "--machine", "lanes"]).expect(2);
}

#[test]
fn every_machine_shows_the_same() {
    let show = |name| {
        let args = ["show", "tictactoe", "--playouts", "50", "--machine", name];
        let shown = fluxion(&args).expect(0).out;
        shown.lines().filter(|line| !line.contains("speed")).collect::<Vec<_>>().join("\n")
    };
    let expected = show("interpreter");
    for name in ["stepper", "circuit", "auto"] {
        assert_eq!(show(name), expected, "{name}");
    }
}

#[test]
fn inspect_prints_every_stage_the_same_way_twice() {
    let ground = fluxion(&["inspect", "tictactoe"]).expect(0);
    assert_eq!(ground.out, fluxion(&["inspect", "tictactoe"]).out);
    let rule = "(legal xplayer (mark a 1)) <- (true (cell a 1 blank)), (true (control xplayer))";
    assert!(ground.out.lines().any(|line| line == rule), "{}", ground.out);
    assert!(ground.err.contains("29 fluents, 20 moves"), "{}", ground.err);
    let gates = ["inspect", "tictactoe", "--stage", "circuit"];
    let circuit = fluxion(&gates).expect(0);
    assert_eq!(circuit.out, fluxion(&gates).out);
    assert!(circuit.out.lines().any(|line| line.starts_with("terminal = ")), "{}", circuit.out);
    let counts =
        fluxion(&["inspect", "tictactoe", "--stage", "circuit", "--json"]).expect(0).json();
    assert!(counts["gates"].as_u64().is_some_and(|gates| gates > 50), "{counts}");
    assert!(counts["stopped"].is_null());
}

#[test]
fn inspect_shows_moves_as_actions_and_writes_puzzles_in_pddl() {
    let shown = fluxion(&["inspect", "connect_four", "--stage", "actions"]).expect(0);
    let action = shown.out.find("white (drop a)").expect("a move");
    assert!(
        shown.out[action..].contains("adds (cell a 1 white) if (landing a 1)"),
        "{}",
        shown.out
    );
    assert!(shown.err.contains("roles take turns"), "{}", shown.err);
    let counts = ["inspect", "connect_four", "--stage", "actions", "--json"];
    let counts = fluxion(&counts).expect(0).json();
    assert_eq!(
        (counts["operators"].as_u64(), counts["inexpressible"].as_u64()),
        (Some(14), Some(0))
    );
    let folder = std::env::temp_dir().join(format!("fluxion-pddl-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("hanoi.pddl");
    let name = file.to_str().expect("a name");
    fluxion(&["inspect", "hanoi", "--pddl", name]).expect(0);
    let problem = std::fs::read_to_string(folder.join("hanoi-problem.pddl"));
    assert!(problem.expect("is written").contains("(:domain hanoi)"));
    assert!(
        std::fs::read_to_string(&file).expect("is written").starts_with("(define (domain hanoi)")
    );
    let several = fluxion(&["inspect", "tictactoe", "--pddl", name]).expect(2);
    assert!(several.err.contains("one role"), "{}", several.err);
    std::fs::remove_dir_all(&folder).expect("is there");
}

#[test]
fn traps_are_counted_and_do_not_depend_on_the_number_of_threads() {
    let traps = |jobs| {
        let args =
            ["traps", "nim_3_4_5", "--samples", "40", "--depth", "5", "--jobs", jobs, "--json"];
        let mut report = fluxion(&args).expect(0).json();
        for key in ["seconds", "nodes"] {
            report.as_object_mut().expect("an object").remove(key);
        }
        report
    };
    let report = traps("1");
    assert_eq!(report, traps("2"));
    let levels = report["deepest"].as_array().expect("a list");
    let states = |level: &serde_json::Value| level["states"].as_u64().unwrap_or(0);
    let at_risk: u64 = levels.iter().map(states).sum();
    assert_eq!(at_risk + states(&report["without"]), 40);
    // In nim the opponent makes the last move: levels are odd.
    assert!(levels.iter().step_by(2).all(|level| states(level) == 0), "{report}");
    assert!(at_risk > 5, "{report}");
    let text = fluxion(&["traps", "tictactoe", "--samples", "10", "--nodes", "50"]).expect(3);
    assert!(text.out.contains("were not searched to the end"), "{}", text.out);
}

#[test]
fn traps_deeper_than_the_game_and_in_games_of_all_kinds_have_defined_answers() {
    let deep =
        ["traps", "nim_3_4_5", "--samples", "5", "--depth", "1000", "--before", "3", "--json"];
    let report = fluxion(&deep).expect(0).json();
    assert_eq!((report["states"].as_u64(), report["unfinished"].as_u64()), (Some(5), Some(0)));
    assert!(
        fluxion(&["traps", "nim_3_4_5", "--depth", "4000000000"]).expect(2).err.contains("1000")
    );
    // Three roles, simultaneous moves, one role, rewards of every size.
    for name in ["tictactoe_3p", "tron", "eight_puzzle", "centipede"] {
        let args =
            ["traps", name, "--samples", "3", "--depth", "2", "--nodes", "2000", "--suggest"];
        let shown = fluxion(&args);
        assert!(matches!(shown.code, Some(0 | 3)), "{name}: {}", shown.err);
        assert!(shown.out.contains("3 states"), "{name}: {}", shown.out);
        assert!(shown.out.contains("suggest"), "{name}: {}", shown.out);
    }
}

#[test]
fn inspect_gives_up_within_its_limits() {
    let args = ["inspect", "amazons_unsplit_10x10", "--max-memory", "20", "--json"];
    let report = fluxion(&args).expect(3).json();
    assert!(report["stopped"].as_str().is_some_and(|why| why.contains("memory")), "{report}");
}

#[test]
fn the_demonstration_is_a_match_played_to_its_end() {
    let begin = Instant::now();
    let run = fluxion(&["demo"]).expect(0);
    assert!(begin.elapsed() < Duration::from_secs(10));
    assert!(run.out.contains("Result after"), "{}", run.out);
    assert!(run.out.contains("3 | . . ."), "{}", run.out);
    assert!(run.out.contains("fluxion help"), "{}", run.out);
    assert_eq!(run.out, fluxion(&["demo"]).out, "the demonstration has a fixed seed");
}

#[test]
fn a_demonstration_of_a_game_without_a_board_lists_facts() {
    let run = fed(&["demo", "-"], SMALL.as_bytes()).expect(0);
    assert!(run.out.contains("(step 2)"), "{}", run.out);
    assert!(run.out.contains("Result after 2 moves: you 100"), "{}", run.out);
    let report = fed(&["demo", "-", "--json"], SMALL.as_bytes()).expect(0).json();
    assert_eq!(report["goals"], serde_json::json!([100]));
    assert_eq!(report["moves"].as_array().map(Vec::len), Some(2));
}

#[test]
fn the_thinking_player_beats_the_random_one() {
    let mut won = 0;
    for seed in 0..10 {
        let args = ["demo", "tictactoe", "--json", "--seed", &seed.to_string()];
        let report = fluxion(&args).expect(0).json();
        won += usize::from(report["goals"][0] == 100);
    }
    assert!(won >= 8, "won only {won} of 10");
}

#[test]
fn symmetries_are_counted_and_named() {
    let text = fluxion(&["symmetries", "tictactoe"]).expect(0).out;
    assert!(text.starts_with("tictactoe: 16 symmetries, 8 of which keep every role"), "{text}");
    for part in ["reflection of the first coordinate", "transposition", "xplayer <-> oplayer"] {
        assert!(text.contains(part) || text.contains("oplayer <-> xplayer"), "{part}: {text}");
    }
    let json = fluxion(&["symmetries", "connect_four", "--json"]).expect(0).json();
    assert_eq!(json["state_order"], "2");
    assert_eq!(json["complete"], true);
    assert_eq!(json["refuted"].as_array().map(Vec::len), Some(0));
    assert!(json["generators"].as_array().is_some_and(|all| !all.is_empty()));
}

#[test]
fn symmetries_are_drawn() {
    let folder = std::env::temp_dir().join(format!("fluxion-symmetries-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let page = folder.join("page.html");
    let path = page.to_str().expect("plain");
    fluxion(&["symmetries", "tictactoe", "--html", path]).expect(0);
    let html = std::fs::read_to_string(&page).expect("written");
    assert!(html.contains("<svg") && html.contains("</html>"));
    assert_eq!(html.matches("<rect").count() % 9, 0);
    let nowhere = folder.join("no/such/folder.html");
    fluxion(&["symmetries", "tictactoe", "--html", nowhere.to_str().expect("plain")]).expect(2);
    std::fs::remove_dir_all(&folder).expect("removed");
}
