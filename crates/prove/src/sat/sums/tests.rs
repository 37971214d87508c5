//! Sums of games, and games that only look like them.

use game::playout::playout;
use game::{Budget, Game};
use search::class::{Sampling, sample};
use search::deepening::{Deepening, Options};
use search::{Blind, Effort, Search};

use super::*;

/// Roles, numbers, and who moves.
const TURNS: &str = "
    (role x) (role o) (other x o) (other o x) (init (control x))
    (<= (next (control ?r)) (true (control ?s)) (other ?r ?s))
    (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9) (succ 9 10) (succ 10 11)
    (<= (less ?m ?n) (succ ?m ?n)) (<= (less ?m ?n) (succ ?m ?k) (less ?k ?n))";

/// Any number of things is taken from a heap.
const NIM: &str = "
    (<= (legal ?r (reduce ?h ?n)) (true (control ?r)) (true (heap ?h ?m)) (less ?n ?m))
    (<= (touched ?h) (does ?r (reduce ?h ?n)))
    (<= (next (heap ?h ?n)) (does ?r (reduce ?h ?n)))
    (<= (next (heap ?h ?n)) (true (heap ?h ?n)) (not (touched ?h)))
    (<= some_left (true (heap ?h ?n)) (distinct ?n 0))
    (<= terminal (not some_left))";

/// One pin or two that stand side by side are knocked down.
const KAYLES: &str = "
    (<= (legal ?r (knock ?row ?i ?i)) (true (control ?r)) (true (pin ?row ?i)))
    (<= (legal ?r (knock ?row ?i ?j)) (true (control ?r)) (true (pin ?row ?i)) (true (pin ?row ?j)) (succ ?i ?j))
    (<= (hit ?row ?i) (does ?r (knock ?row ?i ?j)))
    (<= (hit ?row ?j) (does ?r (knock ?row ?i ?j)))
    (<= (next (pin ?row ?i)) (true (pin ?row ?i)) (not (hit ?row ?i)))
    (<= some_left (true (pin ?row ?i)))
    (<= terminal (not some_left))";

/// The last mover wins, or loses.
const NORMAL: &str = "
    (<= (goal ?r 0) (true (control ?r)) (not some_left))
    (<= (goal ?r 100) (true (control ?s)) (other ?r ?s) (not some_left))";
const MISERE: &str = "
    (<= (goal ?r 100) (true (control ?r)) (not some_left))
    (<= (goal ?r 0) (true (control ?s)) (other ?r ?s) (not some_left))";

fn heaps(sizes: &[usize]) -> String {
    let heap = |(at, size): (usize, &usize)| format!("(init (heap h{at} {size}))");
    sizes.iter().enumerate().map(heap).collect()
}

fn rows(sizes: &[usize]) -> String {
    let pins = |(at, size): (usize, &usize)| (1..=*size).map(move |pin| (at, pin));
    let all = sizes.iter().enumerate().flat_map(pins);
    let texts: Vec<String> = all.map(|(at, pin)| format!("(init (pin r{at} {pin}))")).collect();
    texts.concat()
}

fn sum(rules: &str) -> (Game, Gates, Option<Sum>) {
    let game = Game::from_text(rules).expect("valid");
    let gates = Gates::build(&game, &Budget::default()).expect("small");
    let sum = Sum::new(&gates, 1, 1 << 28, &Deadline::never());
    (game, gates, sum)
}

fn values(sum: &Sum) -> Vec<u32> {
    let mut values: Vec<u32> = sum.parts().iter().map(|part| part.initial().normal).collect();
    values.sort_unstable();
    values
}

/// Compares the worth of states that random play meets with alpha-beta. How many were won for the one to move, and how many lost.
fn compare(gates: &Gates, sum: &Sum, matches: usize) -> [usize; 2] {
    let mut machine = gates.machine();
    let (class, _) = sample(&mut machine, &Sampling::default()).expect("small");
    let options = Options { memory: 1 << 24, ..Options::default() };
    let mut search = Deepening::new(Box::new(gates.machine()), Box::new(Blind), class, &options);
    let mut random = Random::new(3);
    let initial = machine.initial().expect("small");
    let mut counts = [0, 0];
    for _ in 0..matches {
        let play = playout(&mut machine, &initial, &mut random, 50).expect("small");
        for state in &play.states {
            let standing = sum.standing(state).expect("in the tables");
            let worth = sum.worth(state, standing.mover).expect("in the tables");
            let found = if machine.is_terminal(state).expect("small") {
                let goal = machine.goal(state, standing.mover).expect("small").value();
                f64::from(goal.expect("one").0)
            } else {
                let effort = Effort::default();
                let report = search.search(state, standing.mover, &effort, &mut |_| ());
                let report = report.expect("small");
                assert!(report.solved);
                report.value().low
            };
            let same = (f64::from(worth.0) - found).abs() < 1e-9;
            assert!(same, "{:?}", gates.game().state_texts(state));
            counts[usize::from(standing.wins)] += 1;
        }
    }
    counts
}

#[test]
fn heaps_of_nim_are_worth_their_sizes() {
    let (_, gates, found) = sum(&format!("{TURNS}{NIM}{NORMAL}{}", heaps(&[3, 5, 11])));
    let found = found.expect("a sum");
    assert!(!found.is_misere());
    assert_eq!(values(&found), [3, 5, 11]);
    assert_eq!(found.parts().iter().map(Heap::states).sum::<usize>(), 4 + 6 + 12);
    let standing = found.standing(&gates.machine().initial().expect("small"));
    assert_eq!(standing, Some(Standing { mover: Role(0), wins: true }));
}

#[test]
fn rows_of_kayles_have_the_values_that_are_known() {
    let known = [0, 1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6];
    for (length, worth) in known.into_iter().enumerate().skip(1) {
        let (_, _, found) = sum(&format!("{TURNS}{KAYLES}{NORMAL}{}", rows(&[length, 2])));
        let found = found.expect("a sum");
        let mut expected = [worth, 2];
        expected.sort_unstable();
        assert_eq!(values(&found), expected, "a row of {length}");
    }
}

#[test]
fn small_sums_are_worth_what_alpha_beta_says() {
    for start in [heaps(&[1, 2, 3]), heaps(&[2, 2]), heaps(&[3, 4, 5])] {
        for goals in [NORMAL, MISERE] {
            let (_, gates, found) = sum(&format!("{TURNS}{NIM}{goals}{start}"));
            let found = found.expect("a sum");
            assert_eq!(found.is_misere(), goals == MISERE);
            let [lost, won] = compare(&gates, &found, 10);
            assert!(lost > 10 && won > 10, "{lost} {won}");
        }
    }
    let (_, gates, found) = sum(&format!("{TURNS}{KAYLES}{NORMAL}{}", rows(&[3, 4, 5])));
    let [lost, won] = compare(&gates, &found.expect("a sum"), 10);
    assert!(lost > 10 && won > 10, "{lost} {won}");
}

#[test]
fn tame_parts_can_be_summed_where_the_last_mover_loses_and_wild_ones_cannot() {
    // A row of four has the values 1 and 0, but is no heap; one of five has values that no heap has.
    let (_, gates, tame) = sum(&format!("{TURNS}{KAYLES}{MISERE}{}", rows(&[4, 3, 2])));
    let tame = tame.expect("a sum");
    assert!(tame.is_misere());
    let [lost, won] = compare(&gates, &tame, 20);
    assert!(lost > 10 && won > 10, "{lost} {won}");
    let (_, _, wild) = sum(&format!("{TURNS}{KAYLES}{MISERE}{}", rows(&[5, 2])));
    assert!(wild.is_none());
}

#[test]
fn states_out_of_reach_have_no_worth() {
    let (game, gates, found) = sum(&format!("{TURNS}{NIM}{NORMAL}{}", heaps(&[2, 3])));
    let found = found.expect("a sum");
    let mut state = gates.machine().initial().expect("small");
    let fluent = |text: &str| {
        let universe = game.universe();
        universe.fluent(&universe.parse(text).expect("a term"))
    };
    assert!(found.standing(&state).is_some());
    state.insert(fluent("(heap h0 1)"));
    assert_eq!(found.standing(&state), None, "a heap of two sizes");
    state.remove(fluent("(heap h0 1)"));
    state.insert(fluent("(control o)"));
    assert_eq!(found.standing(&state), None, "the turn of both");
}

#[test]
fn rewards_other_than_all_or_nothing_are_kept() {
    let goals = "(<= (goal ?r 20) (true (control ?r)) (not some_left))
        (<= (goal ?r 70) (true (control ?s)) (other ?r ?s) (not some_left))";
    let (_, gates, found) = sum(&format!("{TURNS}{NIM}{goals}{}", heaps(&[2, 3])));
    let found = found.expect("a sum");
    let initial = gates.machine().initial().expect("small");
    assert_eq!(found.worth(&initial, Role(0)), Some(Goal(70)));
    assert_eq!(found.worth(&initial, Role(1)), Some(Goal(20)));
    assert_eq!(found.rewards(Role(1)), Some([Goal(20), Goal(70)]));
}

#[test]
fn an_end_that_only_states_of_heaps_tell_is_found() {
    // In sets of fluents that are no states, a heap may be empty and not.
    let rules = NIM.replace(
        "(<= terminal (not some_left))",
        "(<= terminal (true (heap h0 0)) (true (heap h1 0)))",
    );
    let (_, _, found) = sum(&format!("{TURNS}{rules}{NORMAL}{}", heaps(&[2, 3])));
    assert_eq!(values(&found.expect("a sum")), [2, 3]);
}

#[test]
fn a_pass_that_is_legal_only_at_the_end_does_not_matter() {
    let pass = "(<= (legal ?r pass) (true (control ?r)) (not some_left))";
    let (_, _, found) = sum(&format!("{TURNS}{NIM}{NORMAL}{pass}{}", heaps(&[2, 3])));
    assert_eq!(values(&found.expect("a sum")), [2, 3]);
    let pass = "(<= (legal ?r pass) (true (control ?r)))";
    let (_, _, found) = sum(&format!("{TURNS}{NIM}{NORMAL}{pass}{}", heaps(&[2, 3])));
    assert!(found.is_none());
}

#[test]
fn what_only_looks_like_a_sum_is_none() {
    let nim = |from: &str, to: &str| {
        assert!(NIM.contains(from), "{from}");
        format!("{TURNS}{}{NORMAL}{}", NIM.replace(from, to), heaps(&[2, 3]))
    };
    let end = "(<= terminal (not some_left))";
    let reduce = "(true (heap ?h ?m)) (less ?n ?m))";
    let cases = [
        ("it ends with one heap", nim(end, "(<= terminal (true (heap ?h 0)))")),
        (
            "it ends with a certain heap",
            nim(end, "(<= terminal (not some_left)) (<= terminal (true (heap h0 0)))"),
        ),
        ("it ends in time", nim(end, &format!("{end} {STEPS_END}"))),
        ("one of them may not take from a heap", nim(reduce, &format!("{}(may ?r ?h)) (may x h0) (may x h1) (may o h0)", &reduce[..reduce.len() - 1]))),
        (
            "a heap may grow again",
            nim(
                "(<= (touched",
                "(<= (legal ?r (reduce ?h 2)) (true (control ?r)) (true (heap ?h 1))) (<= (touched",
            ),
        ),
        (
            "a heap has to be empty before another one",
            nim(reduce, &format!("{}(free ?h)) (free h0) (<= (free h1) (true (heap h0 0)))", &reduce[..reduce.len() - 1])),
        ),
        (
            "what is won depends on a heap",
            format!(
                "{TURNS}{NIM}(<= (next (last ?h)) (does ?r (reduce ?h ?n))) (<= (goal ?r 100) (role ?r) (true (last h0)))
                 (<= (goal ?r 0) (role ?r) (not (true (last h0)))){}",
                heaps(&[2, 3])
            ),
        ),
        ("what is won depends on how a part ends", format!("{TURNS}{NIM}{COIN}{}", heaps(&[2, 3]))),
        (
            "nobody gets more than the other",
            format!("{TURNS}{NIM}(<= (goal ?r 50) (role ?r)){}", heaps(&[2, 3])),
        ),
    ];
    for (why, rules) in cases {
        assert!(sum(&rules).2.is_none(), "{why}");
    }
}

/// A coin is laid down, either way; what is shown decides who wins.
const COIN: &str = "
    (init (coin none)) (<= some_left (true (coin none)))
    (<= (legal ?r (show ?side)) (true (control ?r)) (true (coin none)) (side ?side)) (side head) (side tail)
    (<= shown (does ?r (show ?side)))
    (<= (next (coin ?side)) (does ?r (show ?side)))
    (<= (next (coin ?side)) (true (coin ?side)) (not shown))
    (<= (goal ?r 0) (true (control ?r)) (true (coin head)))
    (<= (goal ?r 100) (true (control ?s)) (other ?r ?s) (true (coin head)))
    (<= (goal ?r 100) (true (control ?r)) (not (true (coin head))))
    (<= (goal ?r 0) (true (control ?s)) (other ?r ?s) (not (true (coin head))))";

#[test]
fn a_part_may_end_in_several_ways_that_are_worth_the_same() {
    let coin = COIN.split("(<= (goal").next().expect("rules");
    let (_, _, found) = sum(&format!("{TURNS}{NIM}{NORMAL}{coin}{}", heaps(&[2, 3])));
    assert_eq!(values(&found.expect("a sum")), [1, 2, 3]);
}

/// A match is over after three moves.
const STEPS_END: &str = "
    (init (step 0)) (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n)) (<= terminal (true (step 3)))";

#[test]
fn a_counter_that_nothing_reads_does_not_matter() {
    let counter = STEPS_END.replace("(<= terminal (true (step 3)))", "");
    let (_, _, found) = sum(&format!("{TURNS}{NIM}{NORMAL}{counter}{}", heaps(&[2, 3])));
    assert_eq!(values(&found.expect("a sum")), [2, 3]);
}

#[test]
fn games_of_the_library_are_sums_or_not() {
    for name in ["nim_3_4_5", "nim_11_12_15_25", "nim_12_12_20_20"] {
        let (_, _, found) = sum(library::find(name).expect("in the library").rules);
        let sizes: Vec<u32> = name.split('_').filter_map(|size| size.parse().ok()).collect();
        assert_eq!(values(&found.expect("a sum")), sizes);
    }
    for name in [
        "tictactoe",
        "chomp_4x5",
        "connect_four_4x4",
        "cram_5x5",
        "domineering_6x6",
        "fibonacci_nim",
        "rock_paper_scissors",
        "hanoi",
        "tictactoe_3p",
        "twin_connect_four",
        "nine_board_tictactoe",
    ] {
        assert!(sum(library::find(name).expect("in the library").rules).2.is_none(), "{name}");
    }
}

#[test]
fn without_time_or_memory_there_is_no_sum() {
    let game = Game::from_text(library::find("nim_3_4_5").expect("in the library").rules);
    let gates = Gates::build(&game.expect("valid"), &Budget::default()).expect("small");
    let late = Deadline::within(std::time::Duration::ZERO);
    assert!(Sum::new(&gates, 1, 1 << 28, &late).is_none());
    assert!(Sum::new(&gates, 1, 100, &Deadline::never()).is_none());
}
