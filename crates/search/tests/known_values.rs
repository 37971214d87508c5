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

/// Breakthrough on a board of four by four, from the sheet of the library.
fn small_breakthrough() -> Game {
    let mut rules = library::find("breakthrough_5x5").expect("a library game").rules.to_owned();
    for column in 1..=5 {
        for (row, owner) in [(1, "white"), (2, "white"), (4, "black"), (5, "black")] {
            let old = format!("(init (cellholds {column} {row} {owner}))");
            let row = if row > 2 { row - 1 } else { row };
            let new = format!("(init (cellholds {column} {row} {owner}))");
            rules = rules.replace(&old, if column == 5 { "" } else { &new });
        }
    }
    let rules = rules.replace("(index 5)", "").replace("(++ 4 5)", "");
    Game::from_text(&rules.replace("(cellholds ?x 5 white)", "(cellholds ?x 4 white)"))
        .expect("sound rules")
}

#[test]
fn small_breakthrough_has_the_same_value_by_alpha_beta_and_by_tree_search() {
    let reasoner = Reasoner::build(&small_breakthrough(), &Budget::default());
    let initial = reasoner.machine().initial().expect("an initial state");
    let mut one = deepening(&reasoner, &Options::default());
    let one = one.search(&initial, Role(0), &Effort::default(), &mut |_| {}).expect("a report");
    let options = search::mcts::Options { memory: 256 << 20, ..search::mcts::Options::default() };
    let mut other = search::mcts::Mcts::new(&reasoner, options);
    let effort = Effort::nodes(5_000_000);
    let other = other.search(&initial, Role(0), &effort, &mut |_| {}).expect("a report");
    assert!(one.solved && other.solved, "{one:?} {other:?}");
    assert!((one.value().low - other.value().low).abs() < 0.01, "{one:?} {other:?}");
}

/// Left and right exchanged in a game whose cells are `(cell column row …)`, with columns a, b and c.
struct Mirror {
    fluents: Vec<game::FluentId>,
    moves: Vec<game::Move>,
}

impl Mirror {
    fn new(game: &Game) -> Self {
        let universe = game.universe();
        let turned = |text: &str, head: &str| {
            let rest = text.strip_prefix(head)?;
            let column = match &rest[..1] {
                "a" => "c",
                "c" => "a",
                _ => return None,
            };
            universe.parse(&format!("{head}{column}{}", &rest[1..]))
        };
        let fluents = (0..universe.fluent_count() as u32).map(game::FluentId);
        let fluents = fluents.map(|fluent| {
            let image = turned(&universe.fluent_entry(fluent).text, "(cell ");
            image.map_or(fluent, |term| universe.fluent(&term))
        });
        let moves = (0..universe.move_count() as u32).map(game::Move).map(|action| {
            let image = turned(&universe.move_entry(action).text, "(mark ");
            image.map_or(action, |term| universe.action(&term))
        });
        Self { fluents: fluents.collect(), moves: moves.collect() }
    }
}

impl game::Canonicalizer for Mirror {
    fn canonical(&self, state: &game::State) -> (game::State, game::SymmetryId) {
        let image: game::State = state.iter().map(|fluent| self.fluents[fluent.index()]).collect();
        if image < *state {
            (image, game::SymmetryId(1))
        } else {
            (state.clone(), game::SymmetryId(0))
        }
    }

    fn image(&self, by: game::SymmetryId, role: Role, action: game::Move) -> (Role, game::Move) {
        (role, if by.0 == 1 { self.moves[action.index()] } else { action })
    }

    fn origin(&self, by: game::SymmetryId, role: Role, action: game::Move) -> (Role, game::Move) {
        self.image(by, role, action)
    }
}

#[test]
fn symmetric_states_count_once_and_lines_stay_legal() {
    let reasoner = reasoner("tictactoe");
    let mut machine = reasoner.machine();
    let initial = machine.initial().expect("an initial state");
    let mirror = Mirror::new(reasoner.game());
    assert!(mirror.fluents.iter().enumerate().any(|(at, image)| at != image.index()));
    let mut plain = deepening(&reasoner, &Options::default());
    let plain = plain.search(&initial, Role(0), &Effort::default(), &mut |_| {}).expect("one");
    let mut search = deepening(&reasoner, &Options::default()).with_symmetries(Arc::new(mirror));
    let report = search.search(&initial, Role(0), &Effort::default(), &mut |_| {}).expect("two");
    assert!(report.solved && (report.value().low - 50.0).abs() < 0.01);
    assert!(report.nodes < plain.nodes, "{} {}", report.nodes, plain.nodes);
    let mut state = initial;
    let mut legal = Vec::new();
    for joint in &report.line {
        for role in reasoner.game().role_ids() {
            machine.legal_moves(&state, role, &mut legal).expect("an answer");
            assert!(legal.contains(&joint.of(role)));
        }
        state = machine.next(&state, joint).expect("a next state");
    }
    assert!(machine.is_terminal(&state).expect("an answer"));
}
