//! Symmetries in searches: fewer states, the same values.

#![allow(clippy::float_cmp, reason = "the values must be the same, not close")]

use std::sync::Arc;
use std::time::Duration;

use game::playout::{Random, random_joint_move};
use game::{
    Budget, Canonicalizer, Deadline, Evaluator, Game, Gates, Machine, Reasoner, Role, State,
};
use search::deepening::{Deepening, Opponents, Options as SearchOptions, Windows};
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
    game_within(rules, 64)
}

fn game_within(rules: &str, megabytes: usize) -> Option<(Game, Gates)> {
    let game = Game::from_text(rules).expect("valid");
    let budget = Budget { max_bytes: megabytes << 20, ..Budget::default() };
    let gates = Gates::build(&game, &budget).ok()?;
    Some((game, gates))
}

/// The symmetries, those that exchange roles too.
fn table(game: &Game, gates: &Gates) -> Option<Representatives> {
    let size = Size { with_roles: true, ..Size::default() };
    // A busy machine must not hide symmetries.
    let options =
        Options { deadline: Deadline::within(Duration::from_secs(60)), ..Options::default() };
    detect(game, Some(gates), &options).representatives(size)
}

fn searched(
    gates: &Gates,
    symmetries: Option<Arc<dyn Canonicalizer>>,
    state: &State,
    effort: &Effort,
) -> SearchReport {
    searched_by(Opponents::Paranoid, gates, symmetries, state, effort)
}

fn searched_by(
    opponents: Opponents,
    gates: &Gates,
    symmetries: Option<Arc<dyn Canonicalizer>>,
    state: &State,
    effort: &Effort,
) -> SearchReport {
    let roles = gates.game().roles().len();
    // What a deeper search knows about a symmetric state is left out, so that the depth is the same everywhere.
    let options =
        SearchOptions { opponents, deeper: false, memory: 16 << 20, ..SearchOptions::default() };
    let machine = Box::new(gates.machine());
    let class = GameClass::unknown(roles);
    let mut search = Deepening::new(machine, Box::new(Count), class, &options);
    if let Some(symmetries) = symmetries {
        search = search.with_symmetries(symmetries);
    }
    search.search(state, Role(0), effort, &mut |_| {}).expect("answers")
}

/// How far the comparison of all games goes: `FLUXION_DEPTH` is the depth (2), `FLUXION_STEPS` the most states of one
/// search (2,000), `FLUXION_MEGABYTES` the most memory of a ground program (64). `FLUXION_GAMES` names those that are looked
/// at, if not all are.
fn setting(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// How many searches of a game were compared, from the initial state and from one some moves later, by alpha-beta and
/// by max^n. Searches that are cut off by the number of states are not; the least depth always is.
fn compared(name: &str, gates: &Gates, table: &Arc<dyn Canonicalizer>, seed: u64) -> usize {
    let mut machine = gates.machine();
    let mut random = Random::new(seed);
    let mut state = machine.initial().expect("starts");
    let mut compared = 0;
    for _ in 0..2 {
        for opponents in [Opponents::Paranoid, Opponents::Selfish] {
            for depth in 1..=setting("FLUXION_DEPTH", 2) as u32 {
                let nodes = (depth > 1).then(|| setting("FLUXION_STEPS", 2_000));
                let effort = Effort { nodes, depth: Some(depth), ..Effort::default() };
                let plain = searched_by(opponents, gates, None, &state, &effort);
                if plain.stop == Some(Stop::Nodes) {
                    break;
                }
                let merged = searched_by(opponents, gates, Some(table.clone()), &state, &effort);
                if merged.stop == Some(Stop::Nodes) {
                    break;
                }
                let values = |report: &SearchReport| -> Vec<(f64, f64, f64)> {
                    report.values.iter().map(|v| (v.estimate, v.low, v.high)).collect()
                };
                assert_eq!(values(&plain), values(&merged), "{name}, {opponents:?}, {depth}");
                compared += 1;
            }
        }
        for _ in 0..4 {
            let over = machine.is_terminal(&state).expect("decided");
            let joint = random_joint_move(&mut machine, &state, &mut random).expect("plays");
            if let (false, Some(joint)) = (over, joint) {
                state = machine.next(&state, &joint).expect("moves");
            }
        }
    }
    compared
}

/// All games of the library. In games without symmetries, or without a circuit that they could be used on, a search
/// with symmetries is the search without.
#[test]
fn symmetries_leave_the_values_of_a_search_unchanged_in_every_game_of_the_library() {
    let (mut all, mut games, mut plain, mut without) = (0, 0, Vec::new(), Vec::new());
    let megabytes = setting("FLUXION_MEGABYTES", 64) as usize;
    let named = std::env::var("FLUXION_GAMES").ok();
    let wanted = |name: &str| named.as_ref().is_none_or(|all| all.split(' ').any(|n| n == name));
    for (number, entry) in library::games().iter().enumerate() {
        if !wanted(entry.name) {
            continue;
        }
        let Some((game, gates)) = game_within(entry.rules, megabytes) else {
            without.push(entry.name);
            continue;
        };
        let Some(table) = table(&game, &gates) else {
            plain.push(entry.name);
            continue;
        };
        let table: Arc<dyn Canonicalizer> = Arc::new(table);
        let compared = compared(entry.name, &gates, &table, number as u64);
        assert!(compared >= 4, "{}", entry.name);
        (all, games) = (all + compared, games + 1);
    }
    println!(
        "{all} searches of {games} games; without symmetries {plain:?}; no circuit {without:?}"
    );
    let count = games + plain.len() + without.len();
    assert!(named.is_some() || (count == library::games().len() && games >= 60));
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
        let table = Arc::new(Thrifty::new(table, prices, Duration::from_micros(100)));
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
    let mut entries = (0, 0);
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
        entries = (entries.0 + other.table.entries, entries.1 + one.table.entries);
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
    // Near the end of play a search may meet a few states more by chance.
    assert!(2 * entries.0 <= entries.1, "{entries:?}");
}

/// Nine first moves of tic-tac-toe are three up to symmetry.
#[test]
fn symmetric_moves_at_the_root_are_searched_once_and_all_get_their_value() {
    let (game, gates) = game(library::find("tictactoe").expect("there").rules).expect("a circuit");
    let table: Arc<dyn Canonicalizer> = Arc::new(table(&game, &gates).expect("symmetric"));
    let initial = gates.machine().initial().expect("starts");
    for opponents in [Opponents::Paranoid, Opponents::Selfish] {
        let options = SearchOptions {
            opponents,
            windows: Windows::Full,
            memory: 16 << 20,
            ..SearchOptions::default()
        };
        let run = |symmetries: Option<Arc<dyn Canonicalizer>>| {
            let machine = Box::new(gates.machine());
            let class = GameClass::unknown(2);
            let mut search = Deepening::new(machine, Box::new(Count), class, &options);
            if let Some(symmetries) = symmetries {
                search = search.with_symmetries(symmetries);
            }
            let effort = Effort { depth: Some(4), ..Effort::default() };
            search.search(&initial, Role(0), &effort, &mut |_| {}).expect("answers")
        };
        let (plain, merged) = (run(None), run(Some(table.clone())));
        assert_eq!((plain.moves.len(), merged.moves.len()), (9, 9));
        for own in &plain.moves {
            let other = merged.moves.iter().find(|m| m.action == own.action).expect("reported");
            assert_eq!((own.value, own.depth), (other.value, other.depth));
        }
        let tried = |report: &SearchReport| report.moves.iter().filter(|m| m.visits > 0).count();
        assert_eq!((tried(&plain), tried(&merged)), (9, 3));
    }
}
