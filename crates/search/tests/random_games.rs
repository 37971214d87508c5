//! Values of thousands of random games by heuristic search are those of brute force, whatever is pruned.

mod common;

use common::{Graph, Guess, Kind, Place, digits, games, guess};
use game::playout::Random;
use game::{Game, Machine, Role};
use search::deepening::{
    Deepening, DepthLimit, Opponents, Options, Quiescence, Simultaneous, Windows,
};
use search::{Effort, GameClass, Search, SearchReport, matrix};

const DUEL: Kind =
    Kind { roles: 2, constant_sum: true, simultaneous: false, layered: true, cyclic: false };

fn run(
    (graph, game): (&Graph, &Game),
    role: u32,
    options: &Options,
    effort: &Effort,
) -> SearchReport {
    let mut machine: Box<dyn Machine> = Box::new(game.interpreter());
    let initial = machine.initial().expect("an initial state");
    let guess = Box::new(Guess::new(game, graph));
    let class = GameClass::unknown(graph.roles);
    let opponents = match options.opponents {
        Opponents::Fitting => Opponents::Paranoid,
        given => given,
    };
    let options = Options { memory: 1 << 20, opponents, ..options.clone() };
    let mut search = Deepening::new(machine, guess, class, &options);
    search.search(&initial, Role(role), effort, &mut |_| {}).expect("a report")
}

/// The value for a role against all others by plain recursion.
fn against_all(graph: &Graph, at: usize, role: usize, depth: u32, mixed: bool) -> f64 {
    let (moves, targets) = match &graph.places[at] {
        Place::End(rewards) => return f64::from(rewards[role]),
        Place::Inner(..) if depth == 0 => return guess(at, role),
        Place::Inner(moves, targets) => (moves, targets),
    };
    let own = moves[role];
    let mut rows = vec![Vec::new(); own];
    for (number, target) in targets.iter().enumerate() {
        let row = digits(number, moves)[role];
        rows[row].push(against_all(graph, *target, role, depth - 1, mixed));
    }
    let width = rows[0].len();
    if mixed && own > 1 && width > 1 {
        let value = matrix::solve(&rows.concat(), width).value();
        return (value * 1000.0).round() / 1000.0;
    }
    let worst = |row: &Vec<f64>| row.iter().copied().fold(f64::INFINITY, f64::min);
    rows.iter().map(worst).fold(f64::NEG_INFINITY, f64::max)
}

/// The values of all roles where each maximises its own, the searching role first; ties by the rule that
/// `max_n` documents.
fn selfish(graph: &Graph, at: usize, role: usize, depth: u32) -> Vec<f64> {
    let (moves, targets) = match &graph.places[at] {
        Place::End(rewards) => return rewards.iter().map(|reward| f64::from(*reward)).collect(),
        Place::Inner(..) if depth == 0 => return (0..graph.roles).map(|r| guess(at, r)).collect(),
        Place::Inner(moves, targets) => (moves, targets),
    };
    let mut order: Vec<usize> = (0..graph.roles).collect();
    order.sort_by_key(|other| (*other != role, *other));
    let of = |number: usize| selfish(graph, targets[number], role, depth - 1);
    choose(&order, &vec![0; graph.roles], moves, role, &of)
}

fn choose(
    order: &[usize],
    chosen: &[usize],
    moves: &[usize],
    role: usize,
    of: &dyn Fn(usize) -> Vec<f64>,
) -> Vec<f64> {
    let Some((chooser, rest)) = order.split_first() else {
        return of(chosen.iter().zip(moves).fold(0, |number, (at, count)| number * count + at));
    };
    let all = (0..moves[*chooser]).map(|action| {
        let mut chosen = chosen.to_vec();
        chosen[*chooser] = action;
        choose(rest, &chosen, moves, role, of)
    });
    let better = |a: &Vec<f64>, b: &Vec<f64>| {
        let by = a[*chooser].total_cmp(&b[*chooser]).then(b[role].total_cmp(&a[role]));
        by.then_with(|| b.partial_cmp(a).expect("numbers"))
    };
    all.max_by(better).expect("a move")
}

fn prunings() -> Vec<(&'static str, Options)> {
    let plain = Options::plain();
    let table = Options { table: true, ..plain.clone() };
    let windows = Options { windows: Windows::AlphaBeta, ..plain.clone() };
    vec![
        ("table", table.clone()),
        ("windows", windows.clone()),
        ("scout", Options { windows: Windows::Scout, ..plain.clone() }),
        ("history", Options { history: true, ..windows.clone() }),
        ("killers", Options { killers: true, ..windows.clone() }),
        ("aspiration", Options { aspiration: Some(3.0), ..windows.clone() }),
        ("table and windows", Options { windows: Windows::Scout, ..table.clone() }),
        ("successors", Options { successors: true, windows: Windows::Scout, ..table }),
        ("everything", Options::default()),
        ("nothing", plain),
    ]
}

#[test]
fn each_pruning_leaves_the_root_value_unchanged_at_equal_depth() {
    let mut random = Random::new(1);
    for number in 0..games(150) {
        let simultaneous = number % 2 == 0;
        let graph = Graph::random(Kind { simultaneous, ..DUEL }, &mut random);
        let game = graph.game();
        for depth in 1..=4 {
            for mixed in [false, true] {
                let expected = against_all(&graph, 0, 0, depth, mixed);
                let style = if mixed { Simultaneous::Mixed } else { Simultaneous::Serial };
                for (name, options) in prunings() {
                    let options = Options { simultaneous: style, ..options };
                    let report = run((&graph, &game), 0, &options, &Effort::depth(depth));
                    let found = report.value().estimate;
                    assert!(
                        (found - expected).abs() < 0.01,
                        "game {number}, depth {depth}, {name}: {found}, not {expected}"
                    );
                }
            }
        }
    }
}

#[test]
fn two_player_games_are_solved_with_the_value_of_brute_force() {
    let mut random = Random::new(2);
    let thesis = Options { simultaneous: Simultaneous::Mixed, ..Options::thesis() };
    let quiescent = Options { quiescence: Some(Quiescence::default()), ..Options::default() };
    let reducing = Options { reductions: true, ..Options::default() };
    for number in 0..games(1000) {
        let kind = Kind { simultaneous: number % 3 == 0, layered: number % 2 == 0, ..DUEL };
        let graph = Graph::random(kind, &mut random);
        let game = graph.game();
        let role = number as u32 % 2;
        let expected = against_all(&graph, 0, role as usize, 100, true);
        for options in [&Options::default(), &thesis, &quiescent, &reducing] {
            let report = run((&graph, &game), role, options, &Effort::default());
            let value = report.value();
            assert!(report.solved && value.is_exact(), "game {number}: {report:?}");
            assert!(
                (value.estimate - expected).abs() < 0.01,
                "game {number}: {value:?} {expected}"
            );
            if !kind.simultaneous {
                assert_eq!(end_of(&game, &report), Some(expected), "game {number}: {report:?}");
            }
            let other = report.values[1 - role as usize];
            assert!((other.estimate - (100.0 - expected)).abs() < 0.01, "game {number}");
        }
    }
}

/// The reward at the end of the line of a report; none if it does not lead to an end.
fn end_of(game: &Game, report: &SearchReport) -> Option<f64> {
    let mut machine = game.interpreter();
    let mut state = machine.initial().expect("an initial state");
    for joint in &report.line {
        state = machine.next(&state, joint).expect("a next state");
    }
    let rewards = search::rewards(&mut machine, &state).expect("rewards");
    let over = machine.is_terminal(&state).expect("an answer");
    over.then(|| f64::from(rewards[report.role.index()]))
}

#[test]
fn games_of_several_selfish_roles_have_the_values_of_brute_force() {
    let mut random = Random::new(3);
    for number in 0..games(500) {
        let roles = 2 + number as usize % 3;
        let kind = Kind { roles, constant_sum: false, simultaneous: number % 2 == 0, ..DUEL };
        let graph = Graph::random(kind, &mut random);
        let game = graph.game();
        let role = number as usize % roles;
        let selfish_options = Options { opponents: Opponents::Selfish, ..Options::default() };
        for (options, depth) in [
            (selfish_options.clone(), 3),
            (Options { table: false, ..selfish_options.clone() }, 3),
            (selfish_options.clone(), 100),
            (Options { depth_limit: DepthLimit::NonUniform, ..selfish_options }, 100),
        ] {
            let expected = selfish(&graph, 0, role, depth);
            let report = run((&graph, &game), role as u32, &options, &Effort::depth(depth));
            let found: Vec<f64> = report.values.iter().map(|value| value.estimate).collect();
            assert_eq!(found, expected, "game {number}, depth {depth}");
        }
    }
}

#[test]
fn paranoid_search_of_many_roles_is_the_minimum_over_all_others() {
    let mut random = Random::new(4);
    for number in 0..games(300) {
        let kind = Kind { roles: 3, constant_sum: false, simultaneous: number % 2 == 0, ..DUEL };
        let graph = Graph::random(kind, &mut random);
        let game = graph.game();
        let serial = Options { simultaneous: Simultaneous::Serial, ..Options::default() };
        let report = run((&graph, &game), 1, &serial, &Effort::default());
        let expected = against_all(&graph, 0, 1, 100, false);
        assert!((report.value().estimate - expected).abs() < 0.01, "game {number}");
    }
}

#[test]
fn games_that_go_in_circles_end_at_the_limit_and_what_is_proved_is_true() {
    let mut random = Random::new(5);
    for number in 0..games(200) {
        let kind = Kind { cyclic: true, layered: false, ..DUEL };
        let graph = Graph::random(kind, &mut random);
        let game = graph.game();
        let report = run((&graph, &game), 0, &Options::default(), &Effort::depth(12));
        // Proven bounds hold at every depth, so also for plain recursion far enough.
        let value = report.value();
        let deep = against_all(&graph, 0, 0, 12, true);
        assert!(value.low - 0.01 <= deep && deep <= value.high + 0.01, "game {number}");
    }
}

#[test]
fn the_same_limits_give_the_same_report() {
    let mut random = Random::new(6);
    for number in 0..games(50) {
        let graph = Graph::random(Kind { simultaneous: true, ..DUEL }, &mut random);
        let game = graph.game();
        let effort = Effort::nodes(10 + 10 * number);
        let strip = |mut report: SearchReport| {
            report.seconds = 0.0;
            report
        };
        let one = strip(run((&graph, &game), 0, &Options::default(), &effort));
        let other = strip(run((&graph, &game), 0, &Options::default(), &effort));
        assert_eq!(one, other);
        assert!(one.nodes <= 10 + 10 * number && one.best.is_some() || graph_ends(&graph));
    }
}

fn graph_ends(graph: &Graph) -> bool {
    matches!(graph.places[0], Place::End(_))
}
