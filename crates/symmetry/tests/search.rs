//! Symmetries in searches: fewer states, the same values.

#![allow(clippy::float_cmp, reason = "the values must be the same, not close")]

use std::sync::Arc;
use std::time::Duration;

use game::playout::{Random, random_joint_move};
use game::{Budget, Canonicalizer, Evaluator, Game, Gates, Machine, Reasoner, Role, State};
use search::deepening::{Deepening, Opponents, Options as SearchOptions};
use search::mcts::{self, Mcts};
use search::{Effort, GameClass, Search, SearchReport, Stop};
use symmetry::{Options, Prices, Representatives, Size, Thrifty, detect};

/// Judges a state by how many fluents hold, which symmetries do not change.
struct Count;

impl Evaluator for Count {
    fn evaluate(&mut self, state: &State, values: &mut [f64]) {
        values.fill((state.len() * 37 % 101) as f64);
    }

    fn another(&self) -> Box<dyn Evaluator> {
        Box::new(Count)
    }
}

fn game(rules: &str) -> Option<(Game, Gates)> {
    let game = Game::from_text(rules).expect("valid");
    let budget = Budget { max_bytes: 64 << 20, ..Budget::default() };
    let gates = Gates::build(&game, &budget).ok()?;
    Some((game, gates))
}

fn table(game: &Game, gates: &Gates) -> Option<Representatives> {
    detect(game, Some(gates), &Options::default()).representatives(Size::default())
}

fn searched(
    gates: &Gates,
    symmetries: Option<Arc<dyn Canonicalizer>>,
    state: &State,
    effort: &Effort,
) -> SearchReport {
    let roles = gates.game().roles().len();
    let options = SearchOptions {
        opponents: Opponents::Paranoid,
        memory: 16 << 20,
        ..SearchOptions::default()
    };
    let machine = Box::new(gates.machine());
    let class = GameClass::unknown(roles);
    let mut search = Deepening::new(machine, Box::new(Count), class, &options);
    if let Some(symmetries) = symmetries {
        search = search.with_symmetries(symmetries);
    }
    search.search(state, Role(0), effort, &mut |_| {}).expect("answers")
}

/// All games: the initial state and one some moves later; one move deep, and three for every seventh game. With
/// `FLUXION_STEPS` three for all.
#[test]
fn symmetries_leave_the_values_of_a_search_unchanged() {
    let all = std::env::var_os("FLUXION_STEPS").is_some();
    let mut compared = 0;
    for (number, entry) in library::games().iter().enumerate() {
        let deepest = if all || number % 7 == 5 { 3 } else { 1 };
        let Some((game, gates)) = game(entry.rules) else { continue };
        let Some(table) = table(&game, &gates) else { continue };
        let table: Arc<dyn Canonicalizer> = Arc::new(table);
        let mut machine = gates.machine();
        let mut random = Random::new(number as u64);
        let mut state = machine.initial().expect("starts");
        for _ in 0..2 {
            for depth in 1..=deepest {
                let effort =
                    Effort { nodes: Some(20_000), depth: Some(depth), ..Effort::default() };
                let plain = searched(&gates, None, &state, &effort);
                let merged = searched(&gates, Some(table.clone()), &state, &effort);
                let cut = Some(Stop::Nodes);
                if plain.stop == cut || merged.stop == cut {
                    break;
                }
                let (a, b) = (plain.value(), merged.value());
                assert_eq!(
                    (a.estimate, a.low, a.high),
                    (b.estimate, b.low, b.high),
                    "{}",
                    entry.name
                );
                compared += 1;
            }
            for _ in 0..4 {
                let over = machine.is_terminal(&state).expect("decided");
                let joint = random_joint_move(&mut machine, &state, &mut random).expect("plays");
                if let (false, Some(joint)) = (over, joint) {
                    state = machine.next(&state, &joint).expect("moves");
                }
            }
        }
    }
    assert!(compared >= 20, "{compared}");
}

#[test]
fn a_solved_game_keeps_its_value_with_fewer_states() {
    let (game, gates) = game(library::find("tictactoe").expect("there").rules).expect("a circuit");
    let table: Arc<dyn Canonicalizer> = Arc::new(table(&game, &gates).expect("symmetric"));
    let initial = gates.machine().initial().expect("starts");
    let plain = searched(&gates, None, &initial, &Effort::default());
    let merged = searched(&gates, Some(table), &initial, &Effort::default());
    assert!(plain.value().is_exact() && merged.value().is_exact());
    assert_eq!(plain.value().estimate, merged.value().estimate);
    assert!(merged.nodes * 2 < plain.nodes, "{} of {}", merged.nodes, plain.nodes);
}

#[test]
fn symmetries_that_do_not_pay_switch_themselves_off() {
    let (game, gates) = game(library::find("tictactoe").expect("there").rules).expect("a circuit");
    let initial = gates.machine().initial().expect("starts");
    let all = |expansion: Duration| {
        let table = table(&game, &gates).expect("symmetric");
        let prices = Prices { expansion, symmetry: Duration::from_micros(1) };
        let table = Arc::new(Thrifty::new(table, prices, Duration::ZERO));
        let report = searched(&gates, Some(table.clone()), &initial, &Effort::default());
        (table, report.value().estimate)
    };
    let (costly, value) = all(Duration::from_millis(1));
    assert!(!costly.is_off() && costly.seconds_saved() > 0.0);
    // Expansions that take no time cannot be saved.
    let (free, same) = all(Duration::ZERO);
    assert!(free.is_off() && free.seconds_saved() <= 0.0);
    assert_eq!(value, same);
    assert_eq!(free.canonical(&initial).0, initial);
    let table = table(&game, &gates).expect("symmetric");
    let prices = Prices::measure(&mut gates.machine(), &table, 50, 1);
    assert!(prices.expansion > Duration::ZERO && prices.symmetry > Duration::ZERO);
}

#[test]
fn tree_search_on_representatives_finds_the_same_values_and_moves_of_the_state_asked_for() {
    let (game, gates) = game(library::find("tictactoe").expect("there").rules).expect("a circuit");
    let table: Arc<dyn Canonicalizer> = Arc::new(table(&game, &gates).expect("symmetric"));
    let reasoner = Reasoner::build(&game, &Budget::default());
    let mut machine = gates.machine();
    let mut state = machine.initial().expect("starts");
    let mut random = Random::new(5);
    for _ in 0..4 {
        let options = mcts::Options { memory: 64 << 20, ..mcts::Options::default() };
        let effort = Effort::nodes(60_000);
        let mut plain = Mcts::new(&reasoner, options.clone());
        let mut merged = Mcts::new(&reasoner, options).with_symmetries(table.clone());
        let role = Role(0);
        let one = plain.search(&state, role, &effort, &mut |_| {}).expect("answers");
        let other = merged.search(&state, role, &effort, &mut |_| {}).expect("answers");
        assert!(one.solved && other.solved);
        assert_eq!(one.value().estimate, other.value().estimate);
        assert!(other.table.entries <= one.table.entries);
        // Moves and line are legal where they are said to be.
        let mut legal = Vec::new();
        machine.legal_moves(&state, role, &mut legal).expect("legal");
        assert!(other.moves.iter().all(|own| legal.contains(&own.action)));
        let mut at = state.clone();
        for joint in &other.line {
            for role in game.role_ids() {
                machine.legal_moves(&at, role, &mut legal).expect("legal");
                assert!(legal.contains(&joint.of(role)));
            }
            at = machine.next(&at, joint).expect("moves");
        }
        let joint = random_joint_move(&mut machine, &state, &mut random).expect("plays");
        state = machine.next(&state, &joint.expect("goes on")).expect("moves");
    }
}
