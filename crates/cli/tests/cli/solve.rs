//! `fluxion solve`.

use crate::fluxion;

#[test]
fn a_game_is_solved_with_values_a_line_and_exit_code_0() {
    let run = fluxion(&["solve", "tictactoe"]).expect(0);
    assert!(run.out.contains("tictactoe: solved by alpha-beta"), "{}", run.out);
    assert!(run.out.contains("xplayer  50") && run.out.contains("   9. "), "{}", run.out);
}

#[test]
fn the_json_of_a_solved_game_has_values_with_bounds_for_each_role() {
    let report = fluxion(&["solve", "nim_3_4_5", "--json"]).expect(0).json();
    assert_eq!(report["solved"], true);
    assert_eq!(report["values"].as_array().map(Vec::len), Some(2));
    assert_eq!(report["values"][0]["low"], 100.0);
    assert_eq!(report["values"][1]["high"], 0.0);
    assert!(report["line"][0].as_array().is_some_and(|joint| joint.len() == 2));
}

#[test]
fn rock_paper_scissors_has_a_mixed_strategy_and_none_when_serialised() {
    let mixed = fluxion(&["solve", "rock_paper_scissors"]).expect(0);
    assert!(mixed.out.contains("with probability 0.333"), "{}", mixed.out);
    let serial = fluxion(&["solve", "rock_paper_scissors", "--simultaneous", "serial", "--json"]);
    assert_eq!(serial.expect(0).json()["values"][0]["high"], 0.0);
}

#[test]
fn a_shortest_plan_is_found_and_said_to_be_one() {
    let run = fluxion(&["solve", "hanoi", "--shortest"]).expect(0);
    assert!(run.out.contains("Line (31 moves, none is shorter)"), "{}", run.out);
}

#[test]
fn what_is_not_solved_in_time_gives_the_best_found_and_exit_code_3() {
    let run = fluxion(&["solve", "chess", "--timeout", "3"]).expect(3);
    assert!(run.out.contains("chess: not solved") && run.out.contains("between"), "{}", run.out);
    let few = fluxion(&["solve", "connect_four", "--nodes", "5000", "--json"]).expect(3).json();
    assert!(few["nodes"].as_u64().is_some_and(|nodes| nodes <= 5000), "{few}");
    assert!(few["best"].is_string() && few["stopped"].is_string());
}

#[test]
fn alpha_beta_and_tree_search_with_and_without_an_evaluator_agree() {
    for flags in [&["--method", "uct"][..], &["--evaluator", "fuzzy"], &["--method", "alpha-beta"]]
    {
        let args = [&["solve", "tictactoe", "--json"], flags].concat();
        let report = fluxion(&args).expect(0).json();
        assert_eq!(report["values"][0]["low"], 50.0, "{flags:?}");
        assert_eq!(report["values"][0]["high"], 50.0, "{flags:?}");
    }
}
