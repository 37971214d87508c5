//! Monte-Carlo tree search: proven values against brute force, simultaneous moves, limits, odd games.

mod common;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use game::playout::Random;
use game::{Budget, Deadline, Evaluator, Game, Machine, Reasoner, Role, State};
use search::class::{Sampling, sample};
use search::deepening::{self, Deepening, Opponents};
use search::mcts::{Amaf, Decisive, Final, Mcts, Options, Playouts, Policy, Simultaneous};
use search::{Blind, Effort, Look, Search, SearchReport, Stop, Turn, Value, rewards};

fn library_game(name: &str) -> Game {
    Game::from_text(library::find(name).expect("a game of the library").rules).expect("sound")
}

fn on_circuit(game: &Game) -> Reasoner {
    Reasoner::build(game, &Budget::default())
}

fn search(mcts: &mut Mcts, effort: &Effort) -> SearchReport {
    let initial = mcts.initial().expect("an initial state");
    mcts.search(&initial, Role(0), effort, &mut |_| ()).expect("searched")
}

/// A random game as a graph without cycles: in each of `width` places of each of `depth` layers a role
/// moves along one of up to three edges; at the end there are rewards. Rewards of the roles add up to 100
/// if `sum`, otherwise they are all different.
fn random_game(seed: u64, roles: usize, sum: bool) -> Game {
    let mut random = Random::new(seed);
    let (depth, width) = (2 + random.below(4), 1 + random.below(4));
    let mut text = String::new();
    for role in 0..roles {
        let _ = writeln!(text, "(role r{role})");
    }
    text.push_str("(init (at 0 0))\n");
    for layer in 0..depth {
        for place in 0..width {
            let mover = random.below(roles);
            let _ = writeln!(text, "(turn {layer} {place} r{mover})");
            for edge in 0..=random.below(3) {
                let (to, next) = (random.below(width), layer + 1);
                let _ = writeln!(text, "(edge {layer} {place} m{edge} {next} {to})");
            }
        }
    }
    let mut pool: Vec<usize> = (0..=100).collect();
    for place in 0..width {
        let mut left = 100;
        for role in 0..roles {
            let goal = match (sum, role + 1 == roles) {
                (true, true) => left,
                (true, false) => [0, 25, 50, 75, 100][random.below(5)].min(left),
                (false, _) => pool.swap_remove(random.below(pool.len())),
            };
            left -= goal.min(left);
            let _ = writeln!(text, "(<= (goal r{role} {goal}) (true (at {depth} {place})))");
        }
    }
    let _ = write!(
        text,
        "(<= (legal ?r ?m) (true (at ?l ?p)) (turn ?l ?p ?r) (edge ?l ?p ?m ?k ?q))
         (<= (legal ?r wait) (role ?r) (true (at ?l ?p)) (turn ?l ?p ?s) (distinct ?r ?s))
         (<= (next (at ?k ?q)) (true (at ?l ?p)) (turn ?l ?p ?r) (does ?r ?m) (edge ?l ?p ?m ?k ?q))
         (<= terminal (true (at {depth} ?p)))"
    );
    Game::from_text(&text).expect("sound")
}

/// The max^n values of a state; where several moves are best for the role that moves, its first one.
fn brute_force(
    machine: &mut dyn Machine,
    state: &State,
    known: &mut BTreeMap<State, Vec<u8>>,
) -> Vec<u8> {
    if let Some(values) = known.get(state) {
        return values.clone();
    }
    let mut look = Look::default();
    let values = match look.at(machine, state).expect("small") {
        Turn::End => rewards(machine, state).expect("small"),
        Turn::Several => unreachable!("one role moves at a time"),
        turn => {
            let mover = if let Turn::Of(role) = turn { role.index() } else { 0 };
            let mut best: Option<Vec<u8>> = None;
            for joint in 0..look.joint_count() {
                let next = machine.next(state, &look.joint(joint)).expect("small");
                let values = brute_force(machine, &next, known);
                if best.as_ref().is_none_or(|best| values[mover] > best[mover]) {
                    best = Some(values);
                }
            }
            best.expect("some move")
        }
    };
    known.insert(state.clone(), values.clone());
    values
}

fn variants() -> Vec<Options> {
    let base = Options { playouts: Playouts::Stepper, ..Options::default() };
    vec![
        base.clone(),
        Options { policy: Policy::Mast, ..base.clone() },
        Options { policy: Policy::Nst, final_move: Final::Value, ..base.clone() },
        Options { amaf: Amaf::Rave, final_move: Final::Secure, ..base.clone() },
        Options { amaf: Amaf::Grave, amaf_reference: 5, ..base.clone() },
        Options { decisive: Decisive::Tree, first_play: Some(0.6), ..base.clone() },
        Options { decisive: Decisive::All, ..base.clone() },
        Options { bias: 0.5, implicit: 0.3, ..base.clone() },
        Options { cut_off: Some(1), transpositions: false, ..base.clone() },
        Options { threads: 2, ..base.clone() },
        Options { memory: 40_000, ..base.clone() },
        Options { prior: 2.0, implicit: 0.2, judged: 1, ..base.clone() },
        Options { history: 4.0, ..base.clone() },
        Options { history: 1.0, threads: 2, prior: 1.0, judged: 1, ..base.clone() },
        Options { favour: 0.8, history: 4.0, ..base.clone() },
        Options { favour: 1.0, threads: 2, implicit: 0.3, ..base.clone() },
        Options { spread: true, ..base.clone() },
    ]
}

/// An evaluator with an opinion that means nothing.
struct Opinion;

impl Evaluator for Opinion {
    fn evaluate(&mut self, state: &State, values: &mut [f64]) {
        let sum = state.words().iter().fold(0_u64, |sum, word| sum.wrapping_add(*word));
        for (role, value) in values.iter_mut().enumerate() {
            *value = (sum.wrapping_add(role as u64) % 101) as f64;
        }
    }

    fn another(&self) -> Box<dyn Evaluator> {
        Box::new(Self)
    }
}

#[test]
fn random_games_are_solved_to_their_values_whatever_the_options() {
    let variants = variants();
    for seed in 0..common::games(60) {
        for (roles, sum) in [(2, true), (3, false), (1, false), (2, false)] {
            let game = random_game(seed, roles, sum);
            let mut machine = game.interpreter();
            let initial = machine.initial().expect("small");
            let values = brute_force(&mut machine, &initial, &mut BTreeMap::new());
            let options = variants[seed as usize % variants.len()].clone();
            let mut mcts = Mcts::new(&Reasoner::interpreter(&game), options.clone())
                .with_evaluator(Box::new(Opinion));
            let report = search(&mut mcts, &Effort::nodes(20_000));
            assert_eq!(report.stop, Some(Stop::Done), "seed {seed}, {roles} roles, {options:?}");
            let found: Vec<f64> = report.values.iter().map(|value| value.estimate).collect();
            let values: Vec<f64> = values.into_iter().map(f64::from).collect();
            assert_eq!(found, values, "seed {seed}, {roles} roles, {options:?}");
            assert!(report.solved && report.best.is_some());
        }
    }
}

/// Who has nothing to win decides what others get: nobody knows how, so it is neither proven nor taken to be what was met first.
#[test]
fn a_choice_between_winners_by_one_who_loses_anyway_settles_nothing_for_them() {
    let rules = "
        (role a) (role b) (role c) (init begin)
        (<= (legal a safe) (true begin)) (<= (legal a risk) (true begin))
        (<= (legal b crown_a) (true asked)) (<= (legal b crown_c) (true asked))
        (<= (legal a wait) (not (true begin))) (<= (legal b wait) (not (true asked))) (legal c wait)
        (<= (next asked) (does a risk)) (<= (next (over 30 30)) (does a safe))
        (<= (next (over 100 0)) (does b crown_a)) (<= (next (over 0 100)) (does b crown_c))
        (<= terminal (true (over ?x ?y)))
        (<= (goal a ?x) (true (over ?x ?y))) (goal b 0) (<= (goal c ?y) (true (over ?x ?y)))";
    let game = Game::from_text(rules).expect("sound");
    for seed in 1..=8 {
        let options = Options { seed, playouts: Playouts::Stepper, ..Options::default() };
        let mut mcts = Mcts::new(&Reasoner::interpreter(&game), options);
        let report = search(&mut mcts, &Effort::nodes(4000));
        let risk = game.universe().parse("risk").expect("a term");
        assert_eq!(report.best, Some(game.universe().action(&risk)), "50 are more than 30");
        let Value { estimate, low, high } = report.moves[0].value;
        assert_eq!((low, high), (0.0, 100.0), "seed {seed}");
        assert!((45.0..55.0).contains(&estimate), "seed {seed}: {estimate}");
        assert!(report.values[1].is_exact() && !report.solved);
    }
}

#[test]
fn tic_tac_toe_is_proven_to_be_drawn() {
    let game = library_game("tictactoe");
    for (threads, playouts, history, decisive) in [
        (1, Playouts::Lanes, 0.0, Decisive::Off),
        (1, Playouts::Lanes, 4.0, Decisive::Lanes),
        (2, Playouts::Stepper, 0.0, Decisive::Off),
    ] {
        let options = Options { threads, playouts, history, decisive, ..Options::default() };
        let mut mcts = Mcts::new(&on_circuit(&game), options);
        let report = search(&mut mcts, &Effort::nodes(400_000));
        assert_eq!(report.stop, Some(Stop::Done), "{threads} threads");
        assert!(report.values.iter().all(|value| *value == Value::exact(50.0)));
        assert_eq!(mcts.totals().lanes, playouts == Playouts::Lanes);
    }
}

/// A game in which a capture is good only while there is something to capture: the playouts of a search learn it, and
/// nothing that is proved depends on it.
#[test]
fn preferences_in_playouts_leave_what_is_proved_as_it_is() {
    for (name, value) in [("tictactoe", 50.0), ("connect_four_4x4", 50.0), ("nim_3_4_5", 100.0)] {
        let reasoner = on_circuit(&library_game(name));
        for conditions in [false, true] {
            let playouts = Playouts::Lanes;
            let options = Options { guide: 2.0, conditions, playouts, ..Options::default() };
            let mut mcts = Mcts::new(&reasoner, options);
            let report = search(&mut mcts, &Effort::nodes(400_000));
            assert_eq!(report.stop, Some(Stop::Done), "{name}");
            assert_eq!(report.value(), Value::exact(value), "{name}");
        }
    }
}

#[test]
fn preferences_in_playouts_are_the_same_in_every_run() {
    let reasoner = on_circuit(&library_game("breakthrough_6x6"));
    let run = || {
        let options = Options { guide: 1.5, playouts: Playouts::Lanes, ..Options::default() };
        let mut mcts = Mcts::new(&reasoner, options);
        let report = search(&mut mcts, &Effort::nodes(6_000));
        (report.best, report.moves.iter().map(|own| own.visits).collect::<Vec<_>>())
    };
    assert_eq!(run(), run());
}

#[test]
fn connect_four_on_a_small_board_is_drawn() {
    let game = library_game("connect_four_4x4");
    let options = Options { decisive: Decisive::Tree, ..Options::default() };
    let mut mcts = Mcts::new(&on_circuit(&game), options);
    let report = search(&mut mcts, &Effort::nodes(400_000));
    assert_eq!(report.stop, Some(Stop::Done));
    assert!(report.values.iter().all(|value| *value == Value::exact(50.0)));
}

#[test]
fn regret_matching_mixes_rock_paper_scissors_evenly() {
    let game = library_game("rock_paper_scissors");
    let options = Options { simultaneous: Simultaneous::Regret, ..Options::default() };
    let mut mcts = Mcts::new(&on_circuit(&game), options);
    let report = search(&mut mcts, &Effort::nodes(20_000));
    assert_eq!(report.moves.len(), 3);
    assert!(report.moves.iter().all(|m| (m.weight - 1.0 / 3.0).abs() < 0.07), "{report:?}");
    assert!((report.value().estimate - 50.0).abs() < 5.0, "{:?}", report.value());
    let mut random = Random::new(3);
    let drawn: std::collections::BTreeSet<_> =
        (0..50).filter_map(|_| search::mcts::draw(&report, &mut random)).collect();
    assert_eq!(drawn.len(), 3);
}

#[test]
fn decoupled_uct_finds_the_dominant_move_of_the_prisoners_dilemma() {
    let game = library_game("prisoners_dilemma");
    let mut mcts = Mcts::new(&on_circuit(&game), Options::default());
    let report = search(&mut mcts, &Effort::nodes(5_000));
    let best = game.universe().move_entry(report.best.expect("a move")).text.clone();
    let mut machine = game.interpreter();
    let initial = machine.initial().expect("small");
    // The dominant move: at least as good as any other against each move of the other role.
    let mut look = Look::default();
    look.at(&mut machine, &initial).expect("small");
    let mut payoff = BTreeMap::new();
    for number in 0..look.joint_count() {
        let joint = look.joint(number);
        let next = machine.next(&initial, &joint).expect("small");
        payoff.insert(joint.0.clone(), rewards(&mut machine, &next).expect("small")[0]);
    }
    let dominates = |one, other| {
        look.moves[1].iter().all(|reply| payoff[&vec![one, *reply]] >= payoff[&vec![other, *reply]])
    };
    let dominant =
        look.moves[0].iter().find(|one| look.moves[0].iter().all(|other| dominates(**one, *other)));
    assert_eq!(best, game.universe().move_entry(*dominant.expect("one dominates")).text);
}

/// Two coins are shown at the same time, four times. The first role wins a round where they are the same.
const COINS: &str = "(role same) (role other) (init (round 0)) (init (score 0))
    (side heads) (side tails) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
    (<= (legal ?r ?s) (role ?r) (side ?s))
    (<= (next (round ?n)) (true (round ?m)) (succ ?m ?n))
    (plus 0 1 1) (plus 1 1 2) (plus 2 1 3) (plus 3 1 4)
    (<= (next (score ?n)) (true (score ?m)) (does same ?s) (does other ?s) (plus ?m 1 ?n))
    (<= (next (score ?m)) (true (score ?m)) (does same ?s) (does other ?t) (distinct ?s ?t))
    (worth 0 0 100) (worth 1 25 75) (worth 2 50 50) (worth 3 75 25) (worth 4 100 0)
    (<= (goal same ?v) (true (score ?n)) (worth ?n ?v ?w))
    (<= (goal other ?w) (true (score ?n)) (worth ?n ?v ?w))
    (<= terminal (true (round 4)))";

#[test]
fn proven_bounds_of_simultaneous_moves_close_in_on_the_mixed_value() {
    let game = Game::from_text(COINS).expect("sound");
    let reasoner = on_circuit(&game);
    let (class, _) = sample(&mut *reasoner.machine(), &Sampling::default()).expect("a class");
    let bounds = |mcts: &mut Mcts| search(mcts, &Effort::nodes(20_000)).value();
    let blind = bounds(&mut Mcts::new(&reasoner, Options::default()));
    assert!(
        blind.low <= 0.0 && blind.high >= 100.0,
        "no pure strategy guarantees anything: {blind:?}"
    );
    let found = bounds(&mut Mcts::new(&reasoner, Options::default()).with_class(&class));
    // Values are rounded outwards in each node, and by one more where no single move guarantees them.
    assert!(found.low >= 43.0 && found.low <= 50.0, "{found:?}");
    assert!(found.high >= 50.0 && found.high <= 57.0, "{found:?}");
}

#[test]
fn a_value_that_only_a_mixture_of_moves_has_settles_no_move() {
    let game = library_game("rock_paper_scissors");
    let reasoner = on_circuit(&game);
    let (class, _) = sample(&mut *reasoner.machine(), &Sampling::default()).expect("a class");
    let report = search(
        &mut Mcts::new(&reasoner, Options::default()).with_class(&class),
        &Effort::nodes(2_000),
    );
    assert!(!report.solved && report.stop == Some(Stop::Nodes), "{report:?}");
    assert!(report.value().high - report.value().low <= 2.0, "{:?}", report.value());
}

#[test]
fn an_end_that_refutes_the_constant_sum_is_noticed() {
    let game = library_game("prisoners_dilemma");
    let reasoner = on_circuit(&game);
    let (mut class, _) = sample(&mut *reasoner.machine(), &Sampling::default()).expect("a class");
    let plain = search(&mut Mcts::new(&reasoner, Options::default()), &Effort::nodes(2_000));
    class.learn(search::class::Fact::ConstantSum(Some(100)));
    let mut mcts = Mcts::new(&reasoner, Options::default()).with_class(&class);
    search(&mut mcts, &Effort::nodes(2_000));
    // What followed from the wrong sum is forgotten.
    let again = search(&mut mcts, &Effort::nodes(2_000));
    assert_eq!(again.best, plain.best);
    let bounds = |report: &SearchReport| (report.value().low, report.value().high);
    assert_eq!(bounds(&again), bounds(&plain));
}

#[test]
fn a_role_that_does_what_it_tried_most_often_is_answered() {
    let game = Game::from_text(COINS).expect("sound");
    let reasoner = on_circuit(&game);
    let options = Options { simultaneous: Simultaneous::Response, ..Options::default() };
    let mut mcts = Mcts::new(&reasoner, options);
    let mut other = Mcts::new(&reasoner, Options::default());
    let mut machine = reasoner.machine();
    let mut state = machine.initial().expect("small");
    let effort = Effort::nodes(4_000);
    let mut same = 0;
    while !machine.is_terminal(&state).expect("small") {
        let own = mcts.search(&state, Role(0), &effort, &mut |_| ()).expect("searched");
        // The other role plays what a search like this one would play.
        let theirs = other.search(&state, Role(1), &effort, &mut |_| ()).expect("searched");
        let joint = vec![own.best.expect("a move"), theirs.best.expect("a move")];
        same += usize::from(joint[0] == joint[1]);
        state = machine.next(&state, &game::JointMove(joint)).expect("legal");
    }
    assert!(same >= 3, "{same} of 4");
}

#[test]
fn a_search_is_the_same_again_with_one_thread_and_a_limit() {
    let game = library_game("connect_four");
    let reasoner = on_circuit(&game);
    for options in variants().into_iter().filter(|options| options.threads == 1) {
        for playouts in [Playouts::Auto, Playouts::Stepper] {
            let options = Options { playouts, ..options.clone() };
            let once = || {
                let mut mcts =
                    Mcts::new(&reasoner, options.clone()).with_evaluator(Box::new(Opinion));
                let report = search(&mut mcts, &Effort::nodes(300));
                SearchReport { seconds: 0.0, ..report }
            };
            assert_eq!(once(), once(), "{options:?}");
        }
    }
}

#[test]
fn memory_is_kept_within_its_budget_and_the_search_goes_on() {
    let game = library_game("breakthrough_6x6");
    for threads in [1, 2] {
        let options = Options { memory: 4 << 20, threads, ..Options::default() };
        let mut mcts = Mcts::new(&on_circuit(&game), options);
        let report = search(&mut mcts, &Effort::nodes(20_000));
        assert_eq!((report.stop, report.nodes), (Some(Stop::Nodes), 20_000));
        assert!(mcts.totals().recycled > 0);
        assert!(report.table.bytes < 5 << 20, "{:?}", report.table);
        assert!(report.moves.iter().map(|m| m.visits).sum::<u64>() > 15_000);
    }
}

#[test]
fn a_search_is_taken_up_where_the_match_went_on() {
    let game = library_game("connect_four");
    let reasoner = on_circuit(&game);
    let mut mcts = Mcts::new(&reasoner, Options::default());
    let report = search(&mut mcts, &Effort::nodes(5_000));
    let mut machine = reasoner.machine();
    let initial = machine.initial().expect("small");
    let next = machine.next(&initial, &report.line[0]).expect("small");
    mcts.advance(&next);
    let after = mcts.search(&next, Role(1), &Effort::nodes(1), &mut |_| ()).expect("searched");
    let visits: u64 = after.moves.iter().map(|m| m.visits).sum();
    assert!(visits + 2 >= report.moves[0].visits && visits > 500, "{visits} visits were kept");
}

#[test]
fn a_search_stops_within_milliseconds_of_being_told() {
    let game = library_game("breakthrough");
    let reasoner = on_circuit(&game);
    for threads in [1, 2] {
        let flag = Arc::new(AtomicBool::new(false));
        let deadline = Deadline::within(Duration::from_secs(60)).or_when(flag.clone());
        let options = Options { threads, ..Options::default() };
        let mut mcts = Mcts::new(&reasoner, options);
        let watch = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(300));
            flag.store(true, Ordering::Relaxed);
            Instant::now()
        });
        let report = search(&mut mcts, &Effort::until(deadline));
        let end = Instant::now();
        let told = watch.join().expect("no panic");
        assert_eq!(report.stop, Some(Stop::Cancelled));
        assert!(report.best.is_some());
        // Five milliseconds on a machine of one's own; others may be at work here.
        assert!(end - told < Duration::from_millis(250), "{:?}", end - told);
    }
}

#[test]
fn odd_games_have_defined_results() {
    let odd = [
        // Nobody can move, and it is not over.
        "(role a) (role b) (init (p 1)) (legal a x) (<= (legal b x) (true (p 2)))
         (<= (next (p 1)) (true (p 1))) (<= terminal (true (p 2))) (goal a 30) (goal b 70)",
        // Over at once, without rewards.
        "(role a) (role b) (init (p 1)) (legal a x) (legal b x) (<= terminal (true (p 1)))
         (<= (goal a 1) (true (p 2)))",
        // No end at all.
        "(role a) (role b) (init (p 1)) (legal a x) (legal a y) (legal b x)
         (<= (next (p 1)) (does a x)) (<= (next (p 2)) (does a y)) (<= terminal (true (p 3)))
         (goal a 0) (goal b 0)",
        // Several rewards, or none.
        "(role a) (init (p 1)) (legal a x) (legal a y) (<= (next (p ?m)) (does a ?m))
         (<= terminal (true (p x))) (<= terminal (true (p y)))
         (<= (goal a 20) (true (p x))) (<= (goal a 30) (true (p x)))",
    ];
    for text in odd {
        let game = Game::from_text(text).expect("sound");
        for reasoner in [Reasoner::interpreter(&game), on_circuit(&game)] {
            for playouts in [Playouts::Lanes, Playouts::Stepper] {
                let options = Options { playouts, longest: 20, ..Options::default() };
                let mut mcts = Mcts::new(&reasoner, options);
                let report = search(&mut mcts, &Effort::nodes(200));
                assert!(report.values.iter().all(|v| (0.0..=100.0).contains(&v.estimate)));
                assert!(report.moves.iter().all(|m| m.value.estimate.is_finite()));
            }
        }
    }
    let stuck = Game::from_text(odd[0]).expect("sound");
    let mut mcts = Mcts::new(&Reasoner::interpreter(&stuck), Options::default());
    let report = search(&mut mcts, &Effort::nodes(10));
    assert_eq!((report.values[0].low, report.values[1].high, report.best), (30.0, 70.0, None));
}

#[test]
fn a_single_player_finds_the_way_to_its_goal() {
    let game = library_game("hanoi");
    let mut mcts = Mcts::new(&on_circuit(&game), Options::default());
    let report = search(&mut mcts, &Effort::nodes(3_000));
    assert!(report.best.is_some() && report.value().high <= 100.0);
    let game = library_game("maze");
    let mut mcts = Mcts::new(&on_circuit(&game), Options::default());
    let report = search(&mut mcts, &Effort::nodes(20_000));
    assert!(report.value() == Value::exact(100.0), "{:?}", report.value());
}

/// The values of a game that heuristic search proves.
fn by_alpha_beta(reasoner: &Reasoner) -> SearchReport {
    let mut machine = reasoner.machine();
    let initial = machine.initial().expect("an initial state");
    let (class, _) = sample(&mut *machine, &Sampling::default()).expect("a class");
    let options = deepening::Options { opponents: Opponents::Paranoid, ..Default::default() };
    let mut search = Deepening::new(machine, Box::new(Blind), class, &options);
    search.search(&initial, Role(0), &Effort::default(), &mut |_| ()).expect("searched")
}

#[test]
fn proven_bounds_hold_for_the_values_that_alpha_beta_finds_in_random_games() {
    let mut settled = 0;
    let count = common::games(150);
    for seed in 0..count {
        let mut random = Random::new(seed);
        let simultaneous = seed % 3 == 0;
        let kind = common::Kind {
            roles: 2,
            constant_sum: true,
            simultaneous,
            layered: false,
            cyclic: false,
        };
        let game = common::Graph::random(kind, &mut random).game();
        let reasoner = Reasoner::interpreter(&game);
        let value = by_alpha_beta(&reasoner).value();
        let (class, _) = sample(&mut *reasoner.machine(), &Sampling::default()).expect("a class");
        let regret = Options { simultaneous: Simultaneous::Regret, ..Options::default() };
        let response = Options { simultaneous: Simultaneous::Response, ..Options::default() };
        for options in [Options::default(), regret, response.clone()] {
            // Only the last one knows that the sum is constant.
            let informed = options == response;
            let mut mcts = Mcts::new(&reasoner, options);
            if informed {
                mcts = mcts.with_class(&class);
            }
            let found = search(&mut mcts, &Effort::nodes(3_000)).value();
            let within = found.low - 1e-6 <= value.high && value.low <= found.high + 1e-6;
            assert!(within, "seed {seed}: {found:?} and {value:?}");
            assert!(simultaneous || found == value, "seed {seed}: {found:?} and {value:?}");
            // Values of mixed strategies are rounded outwards in each node.
            let near = !informed || found.high - found.low <= 6.0;
            assert!(near, "seed {seed}: {found:?} and {value:?}");
            settled += u64::from(found.is_exact());
        }
    }
    assert!(settled >= count, "{settled} of {}", 3 * count);
}

#[test]
fn games_that_go_in_circles_are_searched_and_what_is_proved_is_true() {
    for seed in 0..common::games(60) {
        let kind = common::Kind {
            roles: 2,
            constant_sum: true,
            simultaneous: false,
            layered: false,
            cyclic: true,
        };
        let game = common::Graph::random(kind, &mut Random::new(seed)).game();
        let reasoner = Reasoner::interpreter(&game);
        let options = Options { longest: 50, ..Options::default() };
        let mut mcts = Mcts::new(&reasoner, options);
        let found = search(&mut mcts, &Effort::nodes(500)).value();
        let mut machine = reasoner.machine();
        let initial = machine.initial().expect("small");
        let (class, _) = sample(&mut *machine, &Sampling::default()).expect("a class");
        let mut deep =
            Deepening::new(machine, Box::new(Blind), class, &deepening::Options::default());
        let other = deep.search(&initial, Role(0), &Effort::depth(8), &mut |_| ());
        let other = other.expect("searched").value();
        assert!(found.low <= other.high && other.low <= found.high, "{found:?} and {other:?}");
    }
}

#[test]
fn small_breakthrough_has_the_same_value_by_alpha_beta_and_by_the_solver() {
    let rules = library::find("breakthrough_5x5").expect("a game of the library").rules;
    // One row of pawns for each, on some of the columns.
    for columns in ["123", "234", "1245"] {
        let mut text = rules.to_owned();
        for x in "12345".chars() {
            for (y, role) in [(1, "white"), (2, "white"), (4, "black"), (5, "black")] {
                if y == 2 || y == 4 || !columns.contains(x) {
                    text = text.replace(&format!("(init (cellholds {x} {y} {role}))"), "");
                }
            }
        }
        let reasoner = on_circuit(&Game::from_text(&text).expect("sound"));
        let value = by_alpha_beta(&reasoner).value();
        let options = Options { playouts: Playouts::Stepper, ..Options::default() };
        let mut mcts = Mcts::new(&reasoner, options);
        let report = search(&mut mcts, &Effort::nodes(300_000));
        assert_eq!((report.stop, report.values[0]), (Some(Stop::Done), value), "{columns}");
    }
}
