//! `fluxion ablation`: matches between variants of a strategy, resumed after a kill.

use crate::{fluxion, path};

#[test]
fn an_ablation_goes_on_where_it_was_killed_and_plays_no_match_twice() {
    let file = path("ablation.jsonl");
    let path = file.as_str();
    let plan = [
        "ablation",
        path,
        "--base",
        "random",
        "--row",
        "thinks=uct:nodes=100",
        "--row",
        "legal",
        "--game",
        "tictactoe",
        "--matches",
        "4",
        "--jobs",
        "2",
    ];
    let first = fluxion(&[&plan[..], &["--json"]].concat()).expect(0).json();
    assert_eq!(first["rows"][0]["all"]["matches"], 4);
    assert!(first["rows"][0]["all"]["points"].as_f64().expect("a number") > 60.0, "{first}");
    // A kill in the middle of the last line.
    let text = std::fs::read_to_string(&file).expect("written");
    assert_eq!(text.lines().count(), 9);
    std::fs::write(&file, &text[..text.len() - 10]).expect("writable");
    let again = fluxion(&["ablation", path, "--json"]).expect(0).json();
    assert_eq!(again, first);
    let shown = fluxion(&["ablation", path]).expect(0).out;
    assert!(shown.contains("against random") && shown.contains("thinks"), "{shown}");
    let other =
        fluxion(&["ablation", path, "--base", "legal", "--row", "random", "--game", "nim_3_4_5"]);
    assert!(other.expect(2).err.contains("another plan"));
}

#[test]
fn strategies_that_would_think_for_ever_are_refused() {
    let file = path("endless.jsonl");
    let path = file.as_str();
    let args = ["ablation", path, "--base", "uct", "--row", "uct:rave=on", "--game", "tictactoe"];
    assert!(fluxion(&args).expect(2).err.contains("think for ever"));
    assert!(fluxion(&["ablation", path]).expect(2).err.contains("no plan"));
}

#[test]
fn clocks_of_cpu_time_are_kept_in_the_plan_and_play_one_match_at_a_time() {
    let file = path("cpu.jsonl");
    let path = file.as_str();
    let matches =
        ["ablation", path, "--base", "random", "--row", "ab=alphabeta", "--game", "nim_3_4_5"];
    let clocks = ["--matches", "4", "--clock", "0.01", "--start", "0.1", "--cpu"];
    let first = fluxion(&[&matches[..], &clocks, &["--json"]].concat()).expect(0).json();
    assert!(first["rows"][0]["all"]["points"].as_f64().is_some_and(|p| p > 60.0), "{first}");
    let text = std::fs::read_to_string(&file).expect("written");
    let plan: serde_json::Value =
        serde_json::from_str(text.lines().next().expect("the plan")).expect("JSON");
    let plan = &plan["plan"];
    assert_eq!(
        (&plan["cpu"], &plan["start"], &plan["clock"]),
        (&true.into(), &0.1.into(), &0.01.into())
    );
    let several = [&matches[..], &clocks, &["--jobs", "2"]].concat();
    assert!(fluxion(&several).expect(2).err.contains("--jobs"));
    // Gone on with, several at a time are asked for in vain: the last two were lost.
    let kept: Vec<&str> = text.lines().take(3).collect();
    std::fs::write(&file, kept.join("\n") + "\n").expect("writable");
    let again = fluxion(&["ablation", path, "--jobs", "2", "--json"]).expect(0).json();
    assert_eq!(again["rows"][0]["all"]["matches"], 4);
}

#[test]
fn factors_are_changed_by_chance_and_told_apart() {
    let file = path("factors.jsonl");
    let path = file.as_str();
    let who = ["ablation", path, "--base", "random", "--row", "player=uct:solver=off"];
    let what = ["--factor", "nodes=300", "--factor", "final=value", "--matches", "40"];
    // Without nodes=300 it would think for ever.
    let args = [&who[..], &what, &["--game", "tictactoe"]].concat();
    assert!(fluxion(&args).expect(2).err.contains("think for ever"));
    let unknown = ["--factor", "silver=on", "--game", "tictactoe", "--clock", "1"];
    assert!(fluxion(&[&who[..], &unknown].concat()).expect(2).err.contains("silver"));

    let who = ["ablation", path, "--base", "uct:nodes=30", "--row", "player=uct:nodes=30"];
    let what = ["--factor", "playouts=lanes", "--factor", "fpu=0.01,c=10", "--matches", "60"];
    let args = [&who[..], &what, &["--game", "connect_four_5x4", "--game", "clobber_4x5"]].concat();
    let told = fluxion(&[&args[..], &["--json"]].concat()).expect(0).json();
    let of = |at: usize, key: &str| told["factors"][at][key].as_f64().expect("a number");
    assert_eq!(told["factors"][1]["change"], "fpu=0.01,c=10");
    for at in 0..2 {
        let matches = of(at, "with") + of(at, "without");
        assert!(matches > 119.0 && (20.0..60.0).contains(&of(at, "with")), "{told}");
    }
    // Many playouts for each node are better than one.
    assert!(of(0, "effect") > of(1, "effect"), "{told}");
    let shown = fluxion(&["ablation", path]).expect(0).out;
    assert!(shown.contains("points by it") && shown.contains("fpu=0.01,c=10"), "{shown}");
    // Which changes a match had is in its line.
    let text = std::fs::read_to_string(&file).expect("written");
    assert!(text.contains(r#""changes":["playouts=lanes"]"#), "{text}");
}
