//! Games whose values are known by theory, solved on their circuits.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use game::{Budget, Deadline, Game, Reasoner, Role};
use search::class::{Sampling, sample};
use search::deepening::{Deepening, Opponents, Options, Simultaneous};
use search::{Blind, Effort, Search, SearchReport, Stop};

fn reasoner(name: &str) -> Reasoner {
    let entry = library::find(name).expect("a library game");
    let game = Game::from_text(entry.rules).expect("sound rules");
    Reasoner::build(&game, &Budget::default())
}

fn deepening(reasoner: &Reasoner, options: &Options) -> Deepening {
    let sampling = Sampling { playouts: 20, states: 1000, ..Sampling::default() };
    let (class, _) = sample(&mut *reasoner.machine(), &sampling).expect("a class");
    let options = Options { memory: 64 << 20, ..options.clone() };
    Deepening::new(reasoner.machine(), Box::new(Blind), class, &options)
}

fn solve(name: &str, options: &Options) -> SearchReport {
    let reasoner = reasoner(name);
    let initial = reasoner.machine().initial().expect("an initial state");
    let mut search = deepening(&reasoner, options);
    search.search(&initial, Role(0), &Effort::default(), &mut |_| {}).expect("a report")
}

#[test]
fn small_games_have_their_known_values() {
    for (name, value) in [
        ("tictactoe", 50.0),
        // Bouton 1901: 3 xor 4 xor 5 is not 0.
        ("nim_3_4_5", 100.0),
        // The first player wins by the strategy-stealing argument.
        ("chomp_4x5", 100.0),
    ] {
        for options in [Options::default(), Options::thesis()] {
            let report = solve(name, &options);
            assert!(report.solved, "{name}: {report:?}");
            assert!((report.value().estimate - value).abs() < 0.01, "{name}: {report:?}");
            assert!(report.best.is_some() && !report.line.is_empty(), "{name}");
            assert_eq!(report.stop, Some(Stop::Done), "{name}");
        }
    }
}

#[test]
fn the_line_of_a_solved_game_leads_to_its_value() {
    let reasoner = reasoner("tictactoe");
    let report = solve("tictactoe", &Options::default());
    let mut machine = reasoner.machine();
    let mut state = machine.initial().expect("an initial state");
    for joint in &report.line {
        state = machine.next(&state, joint).expect("a next state");
    }
    assert!(machine.is_terminal(&state).expect("an answer"));
    assert_eq!(search::rewards(&mut *machine, &state).expect("rewards"), [50, 50]);
}

#[test]
fn rock_paper_scissors_is_50_and_mixed_but_0_when_serialised() {
    let mixed = solve("rock_paper_scissors", &Options::default());
    assert!((mixed.value().estimate - 50.0).abs() < 0.01 && mixed.solved, "{mixed:?}");
    assert!(mixed.moves.iter().all(|m| (m.weight - 1.0 / 3.0).abs() < 1e-6), "{mixed:?}");
    let serial = Options { simultaneous: Simultaneous::Serial, ..Options::default() };
    let serial = solve("rock_paper_scissors", &serial);
    assert!(serial.value().estimate.abs() < 0.01 && serial.solved, "{serial:?}");
}

#[test]
fn a_sum_that_only_seemed_constant_is_noticed_and_the_values_are_those_of_selfish_players() {
    // All but one of many ends give 100 in all; the first player prefers the one that does not.
    let mut rules = String::from(
        "(role a) (role b) (init (start)) (legal b noop)
         (<= (legal a ?x) (option ?x)) (<= (next (chose ?x)) (does a ?x))
         (<= terminal (true (chose ?x)))
         (<= (goal a 50) (true (chose ?x)) (distinct ?x both))
         (<= (goal a 90) (true (chose both)))
         (<= (goal b 50) (true (chose ?x)) (distinct ?x both))
         (<= (goal b 80) (true (chose both))) (option both)",
    );
    for at in 0..40 {
        let _ = write!(rules, " (option o{at})");
    }
    let game = Game::from_text(&rules).expect("sound rules");
    let initial = game::Machine::initial(&mut game.interpreter()).expect("an initial state");
    let mut class = search::GameClass::unknown(2);
    class.constant_sum.value = Some(100);
    let mut search =
        Deepening::new(Box::new(game.interpreter()), Box::new(Blind), class, &Options::default());
    let report = search.search(&initial, Role(0), &Effort::default(), &mut |_| {}).expect("one");
    let values: Vec<f64> = report.values.iter().map(|value| value.low).collect();
    assert!(report.solved && report.method == "max^n" && values == [90.0, 80.0], "{report:?}");
}

#[test]
fn a_game_of_thousands_of_moves_does_not_exhaust_the_stack() {
    let mut rules = String::from(
        "(role a) (role b) (init (at 0)) (legal a on) (legal b noop)
         (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))
         (<= terminal (true (at 900))) (<= (goal a 100) (true (at 900))) (goal b 0)",
    );
    for at in 0..900 {
        let _ = write!(rules, " (succ {at} {})", at + 1);
    }
    let game = Game::from_text(&rules).expect("sound rules");
    let reasoner = Reasoner::build(&game, &Budget::default());
    let initial = reasoner.machine().initial().expect("an initial state");
    for opponents in [Opponents::Paranoid, Opponents::Selfish] {
        let options = Options { opponents, memory: 1 << 20, ..Options::default() };
        let class = search::GameClass::unknown(2);
        let mut search = Deepening::new(reasoner.machine(), Box::new(Blind), class, &options);
        let report =
            search.search(&initial, Role(0), &Effort::default(), &mut |_| {}).expect("a report");
        assert!(report.selective_depth >= 500 && !report.solved, "{:?}", report.selective_depth);
    }
}

#[test]
fn a_search_goes_on_from_where_it_was_after_moves() {
    let reasoner = reasoner("tictactoe");
    let mut machine = reasoner.machine();
    let initial = machine.initial().expect("an initial state");
    let mut search = deepening(&reasoner, &Options::default());
    let first = search.search(&initial, Role(0), &Effort::default(), &mut |_| {}).expect("one");
    let next = machine.next(&initial, &first.line[0]).expect("a next state");
    search.advance(&next);
    let second = search.search(&next, Role(0), &Effort::default(), &mut |_| {}).expect("two");
    assert!(second.solved && second.nodes * 3 < first.nodes, "{first:?} {second:?}");
    // Another role asks for other values: nothing of the first role may be used.
    let other = search.search(&next, Role(1), &Effort::default(), &mut |_| {}).expect("three");
    assert!(other.solved && (other.value().estimate - 50.0).abs() < 0.01);
}

#[test]
fn a_search_stops_within_milliseconds_of_its_flag_and_has_a_move() {
    let reasoner = reasoner("connect_four");
    let initial = reasoner.machine().initial().expect("an initial state");
    for opponents in [Opponents::Paranoid, Opponents::Selfish] {
        let mut search = deepening(&reasoner, &Options { opponents, ..Options::default() });
        let flag = Arc::new(AtomicBool::new(false));
        let deadline = Deadline::never().or_when(flag.clone());
        let setter = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            flag.store(true, Ordering::Relaxed);
            Instant::now()
        });
        let effort = Effort::until(deadline);
        let report = search.search(&initial, Role(0), &effort, &mut |_| {}).expect("a report");
        let end = Instant::now();
        let set = setter.join().expect("no panic");
        assert_eq!(report.stop, Some(Stop::Cancelled));
        assert!(report.best.is_some());
        // 5 ms are promised; the rest is for machines that are busy with other work.
        assert!(end.saturating_duration_since(set) < Duration::from_millis(50));
    }
}

#[test]
fn states_without_moves_goals_or_ends_have_defined_reports() {
    for rules in [
        "(role a) (role b) (init (p)) (<= terminal (true (q)))",
        "(role a) (init (p)) (legal a go) (<= (next (p)) (true (p)))",
        "(role a) (role b) (init (p)) (legal a go) (legal b go) (<= terminal (true (p)))",
        "(role a) (role b) (role c) (init (p)) (legal a go) (legal a stay) (legal b go) (legal b x) \
         (legal c go) (<= (next (p)) (true (p))) (<= (next (q)) (does a go)) (<= terminal (true (q)))",
    ] {
        let checked = gdl::validate::check(rules, &gdl::Limits::default());
        let game = Game::new(checked.rules).expect("rules with a meaning");
        let initial = game::Machine::initial(&mut game.interpreter()).expect("an initial state");
        for opponents in [Opponents::Paranoid, Opponents::Selfish] {
            let options = Options { opponents, memory: 1 << 16, ..Options::default() };
            let class = search::GameClass::unknown(game.roles().len());
            let mut search =
                Deepening::new(Box::new(game.interpreter()), Box::new(Blind), class, &options);
            let report =
                search.search(&initial, Role(0), &Effort::depth(50), &mut |_| {}).expect("one");
            assert!(report.values.iter().all(|v| v.estimate.is_finite() && v.low <= v.high));
        }
    }
}
