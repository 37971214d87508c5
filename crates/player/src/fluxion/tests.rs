//! The default player in games of all classes, with tiny clocks, without a circuit, with parts that fail.

use std::time::{Duration, Instant};

use game::{Budget, Game, Goal, JointMove, Machine, Move, Reasoner, Role};
use search::{MoveReport, Value};

use super::guarded::{Guarded, Solver};
use super::*;
use crate::{Player, Setup, Strategy};

fn game(name: &str) -> Game {
    let entry = library::find(name).expect("a game of the library");
    Game::from_text(entry.rules).expect("sound")
}

/// Plays all roles for at most `most` steps; every answer must be legal and in time. Returns the findings of
/// the first role, and the goals if there was an end.
fn play(
    reasoner: &Reasoner,
    clock: Duration,
    most: usize,
) -> (Vec<String>, Option<Vec<Option<Goal>>>) {
    play_by(reasoner, (clock, clock), most)
}

/// The same with another clock for the start.
fn play_by(
    reasoner: &Reasoner,
    (start, clock): (Duration, Duration),
    most: usize,
) -> (Vec<String>, Option<Vec<Option<Goal>>>) {
    let game = reasoner.game();
    let strategy = Strategy::parse("fluxion").expect("the default");
    let player = |role| strategy.player(Setup::new(game, role).with_reasoner(reasoner));
    let mut players: Vec<Player> = game.role_ids().map(player).collect();
    for player in &mut players {
        let begin = Instant::now();
        player.start(&Deadline::within(start)).expect("started");
        assert!(begin.elapsed() < start + Duration::from_millis(500), "{:?}", begin.elapsed());
    }
    let mut machine = reasoner.machine();
    let mut state = machine.initial().expect("an initial state");
    let mut last: Option<JointMove> = None;
    for _ in 0..most {
        if machine.is_terminal(&state).expect("small") {
            break;
        }
        let mut joint = Vec::new();
        for player in &mut players {
            let deadline = Deadline::within(clock);
            let action = player.play(last.as_ref(), &deadline).expect("a move");
            assert!(!matches!(player.trouble(), Some(crate::Trouble::Panicked)));
            let mut legal = Vec::new();
            machine.legal_moves(&state, player.role(), &mut legal).expect("small");
            assert!(legal.contains(&action));
            joint.push(action);
        }
        let joint = JointMove(joint);
        state = machine.next(&state, &joint).expect("small");
        last = Some(joint);
    }
    players.iter_mut().for_each(Player::stop);
    let goals = machine.is_terminal(&state).expect("small").then(|| {
        let goal = |role| machine.goal(&state, role).expect("small").value();
        game.role_ids().map(goal).collect()
    });
    (players[0].findings(), goals)
}

#[test]
fn the_default_player_finds_its_method_in_every_class_and_tells() {
    let methods = [
        ("connect_four_4x4", "guarded by alpha-beta"),
        ("tictactoe_3p", "every role for itself"),
        ("tron", "every role for itself"),
        ("eight_puzzle", "planning"),
    ];
    for (name, method) in methods {
        let reasoner = Reasoner::build(&game(name), &Budget::default());
        let (findings, _) = play(&reasoner, Duration::from_millis(400), 2);
        let told = findings.join("\n");
        assert!(told.contains("class (") && told.contains(method), "{name}: {told}");
    }
}

#[test]
fn two_default_players_draw_tictactoe_and_one_solves_hanoi() {
    let clock = Duration::from_millis(400);
    let tictactoe = Reasoner::build(&game("tictactoe"), &Budget::default());
    assert_eq!(play(&tictactoe, clock, 20).1, Some(vec![Some(Goal(50)); 2]));
    let hanoi = Reasoner::build(&game("hanoi"), &Budget::default());
    assert_eq!(play(&hanoi, Duration::from_secs(2), 100).1, Some(vec![Some(Goal(100))]));
}

#[test]
fn small_games_are_solved_in_the_start_clock_and_nothing_else_is_asked_then() {
    for (name, worth) in [("chomp_4x5", "worth 100"), ("tictactoe", "worth 50")] {
        let reasoner = Reasoner::build(&game(name), &Budget::default());
        let (findings, _) = play(&reasoner, Duration::from_secs(3), 1);
        let told = findings.join("\n");
        assert!(told.contains("solution (") && told.contains(worth), "{name}: {told}");
        assert!(!told.contains("learning") && !told.contains("trial"), "{name}: {told}");
    }
    // Of simultaneous moves as well: the equilibrium is known then.
    let reasoner = Reasoner::build(&game("rock_paper_scissors_best_of_5"), &Budget::default());
    let told = play(&reasoner, Duration::from_secs(3), 1).0.join("\n");
    assert!(told.contains("worth 50"), "{told}");
}

/// Two heaps, from each of which one or two things are taken in turn; whoever empties one wins a half.
const HEAPS: &str = "
    (role x) (role o) (other x o) (other o x)
    (minus 8 1 7) (minus 7 1 6) (minus 6 1 5) (minus 5 1 4) (minus 4 1 3) (minus 3 1 2) (minus 2 1 1) (minus 1 1 0)
    (minus 8 2 6) (minus 7 2 5) (minus 6 2 4) (minus 5 2 3) (minus 4 2 2) (minus 3 2 1) (minus 2 2 0)
    (init (left a 8)) (init (left b 7)) (init (turn a x)) (init (turn b o))
    (<= (next (turn ?h ?r)) (true (turn ?h ?s)) (other ?r ?s))
    (<= (legal ?r (take ?h ?n)) (true (turn ?h ?r)) (true (left ?h ?k)) (minus ?k ?n ?m))
    (<= (next (left ?h ?m)) (does ?r (take ?h ?n)) (true (left ?h ?k)) (minus ?k ?n ?m))
    (<= (legal ?r rest) (true (turn ?h ?r)) (true (left ?h 0)))
    (<= (next (left ?h 0)) (true (left ?h 0)))
    (<= (next (winner ?h ?r)) (does ?r (take ?h ?n)) (true (left ?h ?n)) (minus ?k ?n 0))
    (<= (next (winner ?h ?r)) (true (winner ?h ?r)))
    (<= terminal (true (left a 0)) (true (left b 0)))
    (<= (goal ?r 100) (true (winner a ?r)) (true (winner b ?r)))
    (<= (goal ?r 50) (true (winner a ?r)) (true (winner b ?s)) (other ?r ?s))
    (<= (goal ?r 50) (true (winner b ?r)) (true (winner a ?s)) (other ?r ?s))
    (<= (goal ?r 0) (role ?r) (not (true (winner a ?r))) (not (true (winner b ?r))))";

/// A start clock in which stages of a second are ready, too, where other work gets most of the machine.
const A_BUSY_MACHINE: Duration = Duration::from_secs(8);

#[test]
fn games_that_are_several_at_once_are_searched_one_by_one() {
    let heaps = Game::from_text(HEAPS).expect("sound");
    let reasoner = Reasoner::build(&heaps, &Budget::default());
    // With a guard it would be solved as a whole.
    let strategy = Strategy::parse("fluxion:guard=0").expect("an option");
    let wanted = [(Role(0), "(take a 2)"), (Role(1), "(take b 1)")];
    for (role, wanted) in wanted {
        let mut player = strategy.player(Setup::new(&heaps, role).with_reasoner(&reasoner));
        player.start(&Deadline::within(Duration::from_secs(3))).expect("started");
        let action =
            player.play(None, &Deadline::within(Duration::from_millis(300))).expect("a move");
        let told = player.findings().join("\n");
        assert!(told.contains("2 games at once") && told.contains("part 2: class"), "{told}");
        let text = heaps.universe().move_entry(action).text.to_string();
        assert_eq!(text, wanted, "multiples of three are left to the other");
        let thought = player.last_thought().and_then(|thought| thought.report.clone());
        let report = thought.expect("it searched");
        assert_eq!((report.method, report.moves.len(), report.best), ("parts", 2, Some(action)));
        player.stop();
    }
    // Played to the end, also when one of the boards is over before the other.
    let twins = Reasoner::build(&game("twin_connect_four"), &Budget::default());
    let clocks = (A_BUSY_MACHINE, Duration::from_millis(60));
    let (findings, goals) = play_by(&twins, clocks, 40);
    assert!(findings.join("\n").contains("2 games at once"), "{findings:?}");
    let goals = goals.expect("the end");
    let sum: u32 = goals.iter().flatten().map(|goal| u32::from(goal.0)).sum();
    assert_eq!(sum, 100);
}

#[test]
fn sums_are_played_by_the_values_of_their_parts() {
    let reasoner = Reasoner::build(&game("kayles_5_7_9_11_13"), &Budget::default());
    let clocks = (A_BUSY_MACHINE, Duration::from_millis(60));
    let (findings, goals) = play_by(&reasoner, clocks, 60);
    let told = findings.join("\n");
    assert!(told.contains("5 parts, the last mover wins, values 4 2 4 6 1: worth 100"), "{told}");
    assert!(!told.contains("solution") && !told.contains("learning"), "{told}");
    assert_eq!(goals, Some(vec![Some(Goal(100)), Some(Goal(0))]));
    // The one who loses gets to know the whole, and has the switch.
    let told = |strategy: &str| {
        let strategy = Strategy::parse(strategy).expect("an option");
        let setup = Setup::new(reasoner.game(), Role(1)).with_reasoner(&reasoner);
        let mut player = strategy.player(setup);
        player.start(&Deadline::within(A_BUSY_MACHINE)).expect("started");
        let told = player.findings().join("\n");
        player.stop();
        told
    };
    let lost = told("fluxion");
    assert!(lost.contains("worth 0") && lost.contains("learning"), "{lost}");
    assert!(!told("fluxion:parts=off").contains("sum ("));
}

#[test]
fn tiny_clocks_and_games_without_a_circuit_are_played_legally() {
    let tiny = Duration::from_millis(20);
    play(&Reasoner::build(&game("breakthrough_5x5"), &Budget::default()), tiny, 6);
    play(&Reasoner::interpreter(&game("tictactoe")), tiny, 20);
    play(&Reasoner::interpreter(&game("chess")), Duration::from_millis(300), 2);
}

/// Without a circuit a playout of chess takes as long as a move, one of tic-tac-toe no time at all.
#[test]
fn a_tree_that_has_no_time_for_playouts_is_not_used() {
    let method = |name: &str| {
        let game = game(name);
        let reasoner = Reasoner::interpreter(&game);
        let strategy = Strategy::parse("fluxion").expect("the default");
        let setup = Setup::new(&game, Role(0)).with_reasoner(&reasoner);
        let mut player = strategy.player(Setup { play_clock: Duration::from_secs(1), ..setup });
        player.start(&Deadline::within(Duration::from_secs(3))).expect("started");
        let found = player.findings().last().cloned();
        player.stop();
        found.unwrap_or_default()
    };
    assert_eq!(method("chess"), "method: alpha-beta");
    assert_eq!(method("tictactoe_3p"), "method: Monte-Carlo tree search, every role for itself");
}

/// A search that always reports the same.
struct Says(Option<SearchReport>);

impl Search for Says {
    fn name(&self) -> &'static str {
        "says"
    }

    fn search(
        &mut self,
        _: &State,
        _: Role,
        _: &Effort,
        _: &mut dyn FnMut(&SearchReport),
    ) -> Result<SearchReport, ReasonError> {
        Ok(self.0.clone().expect("a panic that the test wants"))
    }

    fn advance(&mut self, _: &State) {}

    fn forget(&mut self) {}

    fn use_machine(&mut self, _: Box<dyn Machine>) {}
}

fn says(values: [Value; 2]) -> SearchReport {
    let mut report = SearchReport::empty("says", Role(0), 2);
    report.moves = (0..2)
        .map(|at| MoveReport {
            action: Move(at),
            value: values[at as usize],
            visits: 1,
            depth: 1,
            weight: if at == 0 { 1.0 } else { 0.0 },
        })
        .collect();
    report.best = Some(Move(0));
    report
}

#[test]
fn a_move_that_is_proven_to_lose_is_not_made_and_a_panicking_guard_is_done_without() {
    let tree = says([Value::guess(90.0), Value::guess(10.0)]);
    let proof = says([Value::exact(0.0), Value::guess(50.0)]);
    let asked = |guard: Option<SearchReport>| {
        let machine = Box::new(game("tictactoe").interpreter());
        let guard = Solver::new(Box::new(Says(guard)), machine, 1);
        let mut both = Guarded::new(Box::new(Says(Some(tree.clone()))), guard, 50, true);
        let report = || both.search(&State::new(), Role(0), &Effort::nodes(10), &mut |_| ());
        let mut report = report;
        let first = report().expect("a report").best;
        assert_eq!(first, report().expect("a report").best);
        first
    };
    assert_eq!(asked(Some(proof)), Some(Move(1)));
    assert_eq!(asked(Some(says([Value::guess(1.0), Value::guess(2.0)]))), Some(Move(0)));
    assert_eq!(asked(None), Some(Move(0)));
}

/// A search that says one thing of a state and another of all others.
struct SaysOf(State, [SearchReport; 2]);

impl Search for SaysOf {
    fn name(&self) -> &'static str {
        "says of"
    }

    fn search(
        &mut self,
        state: &State,
        _: Role,
        _: &Effort,
        _: &mut dyn FnMut(&SearchReport),
    ) -> Result<SearchReport, ReasonError> {
        Ok(self.1[usize::from(*state != self.0)].clone())
    }

    fn advance(&mut self, _: &State) {}

    fn forget(&mut self) {}

    fn use_machine(&mut self, _: Box<dyn Machine>) {}
}

/// In a position that is proven to be a draw the tree chooses among the moves that keep it.
#[test]
fn of_moves_that_keep_a_draw_the_one_that_is_hard_to_answer_is_made() {
    let mut machine = game("tictactoe").interpreter();
    let initial = machine.initial().expect("small");
    let mut legal = Vec::new();
    machine.legal_moves(&initial, Role(0), &mut legal).expect("small");
    let of_moves = |first: usize, second: usize, values: [Value; 2]| {
        let mut report = says(values);
        report.moves[0].action = legal[first];
        report.moves[1].action = legal[second];
        report.best = Some(legal[first]);
        report
    };
    let draw = SearchReport {
        solved: true,
        values: vec![Value::exact(50.0); 2],
        ..of_moves(0, 1, [Value::exact(50.0), Value::within(10.0, 0.0, 50.0)])
    };
    let tree = of_moves(1, 0, [Value::guess(80.0), Value::guess(60.0)]);
    let asked = |tree: &SearchReport, later: Value| {
        let below = SearchReport { values: vec![later; 2], ..draw.clone() };
        let says = SaysOf(initial.clone(), [draw.clone(), below]);
        let guard = Solver::new(Box::new(says), Box::new(game("tictactoe").interpreter()), 1);
        let mut both = Guarded::new(Box::new(Says(Some(tree.clone()))), guard, 50, true);
        let report = both.search(&initial, Role(0), &Effort::nodes(100), &mut |_| ());
        let report = report.expect("a report");
        assert!(report.solved && report.best == report.moves.first().map(|own| own.action));
        assert!((report.value().low - 50.0).abs() < 1e-9);
        report.best
    };
    assert_eq!(asked(&tree, Value::exact(50.0)), Some(legal[1]), "it keeps the draw");
    assert_eq!(asked(&tree, Value::exact(0.0)), Some(legal[0]), "it loses");
    assert_eq!(asked(&tree, Value::guess(90.0)), Some(legal[0]), "nothing is proven");
    let lost = of_moves(1, 0, [Value::within(10.0, 0.0, 25.0), Value::guess(60.0)]);
    assert_eq!(asked(&lost, Value::exact(50.0)), Some(legal[0]), "the tree itself proves it bad");
}

#[test]
fn a_trial_tells_a_search_from_a_blind_one_and_counts_only_what_is_clear() {
    use super::trial::{Tally, Trial};
    use search::mcts::{Mcts, Options};
    let reasoner = Reasoner::build(&game("tictactoe"), &Budget::default());
    let tree = || Box::new(Mcts::new(&reasoner, Options::default())) as Box<dyn Search>;
    let mut machine = reasoner.machine();
    let first = says([Value::guess(50.0), Value::guess(50.0)]);
    // A move that is never legal: the first legal one is made instead.
    let blind = SearchReport { best: None, ..first };
    let pace = Duration::from_millis(4);
    let mut trial = Trial { machine: &mut *machine, pace, even: 0.5, lone: 0, seed: 1 };
    let mut searches = [Box::new(Says(Some(blind))) as Box<dyn Search>, tree()];
    let tally = trial.run(&mut searches, &Deadline::within(Duration::from_secs(2)));
    assert!(tally.games >= 6 && tally.mean() < 0.3, "{tally:?}");
    // It is over as soon as that is clear; both ways count.
    assert!(tally.games <= 12, "{tally:?}");
    assert!(tally.is_clear(0.5) && Tally { games: 6, points: 6.0 }.is_clear(0.5));
    assert!(!Tally { games: 4, points: 0.0 }.is_clear(0.5) && !Tally::default().is_clear(0.5));
    assert!(!Tally { games: 6, points: 5.0 }.is_clear(0.5));
    assert!(!Tally { games: 6, points: 0.0 }.is_clear(0.2));
    // What is known of other games counts as some games do.
    assert!(Tally { games: 4, points: 1.5 }.expected(6.0, 0.6) > 0.5);
    assert!(Tally { games: 4, points: 1.0 }.expected(6.0, 0.6) < 0.5);
}

/// Of three roles, two look for rows and one does not: whoever is alone, the points are those of the first.
#[test]
fn a_trial_of_three_roles_tells_a_search_from_a_blind_one_whoever_is_alone() {
    use super::trial::Trial;
    use search::mcts::{Mcts, Options};
    let reasoner = Reasoner::build(&game("tictactoe_3p"), &Budget::default());
    for lone in [0, 1] {
        let mut machine = reasoner.machine();
        let blind = SearchReport::empty("blind", Role(0), 3);
        let tree = Box::new(Mcts::new(&reasoner, Options::default()));
        let mut searches = [Box::new(Says(Some(blind))) as Box<dyn Search>, tree];
        let pace = Duration::from_millis(4);
        let mut trial = Trial { machine: &mut *machine, pace, even: 0.5, lone, seed: 1 };
        let tally = trial.run(&mut searches, &Deadline::within(Duration::from_secs(5)));
        assert!(tally.games >= 1 && tally.mean() < 0.3, "{lone}: {tally:?}");
    }
}

#[test]
fn features_of_the_game_have_a_say_where_that_is_asked_for() {
    let reasoner = Reasoner::build(&game("breakthrough_5x5"), &Budget::default());
    let strategy = Strategy::parse("fluxion:guess=on,learn=off,trial=off").expect("an option");
    let setup = Setup::new(reasoner.game(), Role(0)).with_reasoner(&reasoner);
    let mut player = strategy.player(setup);
    player.start(&Deadline::within(Duration::from_secs(4))).expect("started");
    let told = player.findings().join("\n");
    player.stop();
    assert!(told.contains("guess (") && told.contains("method: "), "{told}");
}

#[test]
fn alpha_beta_is_tried_with_both_kinds_of_values_in_every_class_unless_it_is_switched_off() {
    let told = |name: &str, strategy: &str| {
        let reasoner = Reasoner::build(&game(name), &Budget::default());
        let strategy = Strategy::parse(strategy).expect("an option");
        let setup = Setup::new(reasoner.game(), Role(0)).with_reasoner(&reasoner);
        let mut player = strategy.player(setup);
        player.start(&Deadline::within(Duration::from_secs(3))).expect("started");
        let told = player.findings().join("\n");
        player.stop();
        told
    };
    let rivals = ["alpha-beta with learned values", "alpha-beta with values of the rules"];
    for name in ["breakthrough_6x6", "race_3p", "tron"] {
        let told = told(name, "fluxion");
        // What is not ready in time on a busy machine is done without.
        let ready = [": from ", "fuzzy goals and distances"].map(|words| told.contains(words));
        let tried = rivals.map(|rival| told.contains(rival));
        assert_eq!(ready, tried, "{name}: {told}");
    }
    let told = told("breakthrough_6x6", "fluxion:deepening=off");
    assert!(!rivals.iter().any(|rival| told.contains(rival)), "{told}");
    assert!(told.contains("guarded by alpha-beta"), "{told}");
}
