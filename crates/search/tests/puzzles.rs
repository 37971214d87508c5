//! Puzzles of the library, solved by planning.

use game::{Budget, Game, Machine, Reasoner, Role, clock_fluents};
use search::planning::{
    Adaptation, Distance, Ended, Guide, Nesting, Planner, PlannerOptions, Planning, Score, Unknown,
    best_first, depth_first, iterative_deepening_a_star, layers, onward_rollouts,
    policy_adaptation, replay,
};
use search::{Blind, Effort, Search, Stop};
use std::fmt::Write as _;

fn reasoner(name: &str) -> Reasoner {
    let entry = library::find(name).expect("a library game");
    let game = Game::from_text(entry.rules).expect("sound rules");
    Reasoner::build(&game, &Budget::default())
}

fn planner(name: &str, shortest: bool) -> (Planner, Reasoner) {
    let reasoner = reasoner(name);
    let options = PlannerOptions { memory: 64 << 20, shortest, ..PlannerOptions::default() };
    (Planner::new(reasoner.machine(), options), reasoner)
}

#[test]
fn puzzles_are_solved_and_plans_lead_to_their_rewards() {
    for (name, moves) in [
        ("hanoi", Some(31)),
        ("lights_on", Some(4)),
        ("maze", Some(24)),
        ("stack_sort", Some(9)),
        ("pancakes_6", None),
        ("queens_8", None),
        ("sudoku_4x4", None),
        ("blocks_world", None),
        ("sokoban", Some(24)),
    ] {
        let (mut planner, reasoner) = planner(name, moves.is_some());
        let mut machine = reasoner.machine();
        let initial = machine.initial().expect("an initial state");
        let effort = Effort::nodes(2_000_000);
        let report = planner.search(&initial, Role(0), &effort, &mut |_| {}).expect("a report");
        assert!(report.solved && report.value().low > 99.0, "{name}: {report:?}");
        let actions: Vec<_> = report.line.iter().map(|joint| joint.of(Role(0))).collect();
        let (_, reward) =
            replay(&mut *machine, &initial, &actions).expect("an answer").expect("a plan");
        assert_eq!(reward, 100, "{name}");
        if let Some(moves) = moves {
            assert_eq!((actions.len(), report.shortest), (moves, true), "{name}");
        }
    }
}

#[test]
fn a_kept_plan_is_followed_without_searching_again() {
    let (mut planner, reasoner) = planner("hanoi", false);
    let mut machine = reasoner.machine();
    let mut state = machine.initial().expect("an initial state");
    let effort = Effort::default();
    let first = planner.search(&state, Role(0), &effort, &mut |_| {}).expect("a report");
    assert!(first.solved && first.nodes > 0);
    for joint in &first.line {
        let report = planner.search(&state, Role(0), &effort, &mut |_| {}).expect("a report");
        assert_eq!(report.best, Some(joint.of(Role(0))));
        assert!(report.solved && report.nodes == 0);
        state = machine.next(&state, joint).expect("a next state");
        planner.advance(&state);
    }
    let last = planner.search(&state, Role(0), &effort, &mut |_| {}).expect("a report");
    assert!(last.best.is_none() && last.value().low > 99.0);
}

/// A puzzle with loops, dead ends and two ends: walk from 0 to 9 by steps of 1, 2 or -1; 7 is a trap worth 40,
/// and from 3 there is a way without return to an end worth 70.
const WALK: &str = "
    (role you) (init (at 0))
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9)
    (<= (step one ?a ?b) (succ ?a ?b))
    (<= (step two ?a ?c) (succ ?a ?b) (succ ?b ?c))
    (<= (step back ?b ?a) (succ ?a ?b))
    (step hole 3 pit)
    (<= (legal you ?m) (true (at ?a)) (step ?m ?a ?b))
    (<= (next (at ?b)) (true (at ?a)) (does you ?m) (step ?m ?a ?b))
    (<= terminal (true (at 9))) (<= terminal (true (at 7))) (<= terminal (true (at pit)))
    (<= (goal you 100) (true (at 9))) (<= (goal you 40) (true (at 7)))
    (<= (goal you 70) (true (at pit)))
    (<= (goal you 0) (true (at ?a)) (succ ?a ?b) (distinct ?a 7))";

/// Half the distance on the line, rounded up: admissible.
struct Half(Vec<(game::FluentId, u32)>);

impl Distance for Half {
    fn estimate(&mut self, state: &game::State) -> Option<u32> {
        self.0.iter().find(|(fluent, _)| state.contains(*fluent)).map(|(_, steps)| *steps)
    }

    fn is_admissible(&self) -> bool {
        true
    }
}

fn half(game: &Game) -> Half {
    let fluent = |at: u32| {
        let term = game.universe().parse(&format!("(at {at})")).expect("a fluent");
        (game.universe().fluent(&term), (9 - at).div_ceil(2))
    };
    // From the pit there is no way, so it has no entry.
    Half((0..=9).map(fluent).collect())
}

#[test]
fn every_method_finds_the_way_and_those_with_a_proof_the_shortest() {
    let game = Game::from_text(WALK).expect("sound rules");
    let mut distance = half(&game);
    let mut machine = game.interpreter();
    let initial = game::Machine::initial(&mut machine).expect("an initial state");
    let mut random = game::playout::Random::new(1);
    for method in 0..10 {
        let mut planning = Planning::new(&mut machine, &Effort::nodes(100_000), 100, 1 << 20);
        let ended = match method {
            0 => layers(&mut planning, &initial, usize::MAX, &mut Score::Mobility),
            1 => best_first(&mut planning, &initial, &mut Guide::AStar(&mut distance)),
            2 => best_first(&mut planning, &initial, &mut Guide::AStar(&mut Unknown)),
            3 => iterative_deepening_a_star(&mut planning, &initial, &mut distance, 100),
            4 => iterative_deepening_a_star(&mut planning, &initial, &mut Unknown, 100),
            5 => best_first(&mut planning, &initial, &mut Guide::Greedy(&mut distance)),
            6 => best_first(&mut planning, &initial, &mut Guide::Novelty),
            7 => depth_first(&mut planning, &initial, &mut Blind, &mut distance, 100),
            8 => policy_adaptation(&mut planning, &initial, &Nesting::default(), &mut random),
            _ => onward_rollouts(&mut planning, &initial, 100, &mut random),
        };
        assert_eq!(ended, Ok(Ended::Best), "method {method}");
        let plan = planning.best.clone().expect("a plan");
        let found = replay(&mut machine, &initial, &plan.moves).expect("an answer");
        assert_eq!(found.map(|(_, reward)| reward), Some(100), "method {method}");
        assert!(plan.moves.len() == 5 || method > 4, "method {method}: {plan:?}");
    }
}

#[test]
fn an_impossible_reward_is_disproved_by_seeing_all_states() {
    let text = WALK.replace("(succ 8 9)", "(succ 8 8)").replace("(goal you 100)", "(goal you 99)");
    let game = Game::from_text(&text).expect("sound rules");
    let mut machine = game.interpreter();
    let initial = game::Machine::initial(&mut machine).expect("an initial state");
    for method in 0..5 {
        let mut planning = Planning::new(&mut machine, &Effort::nodes(100_000), 100, 1 << 20);
        let ended = match method {
            0 => layers(&mut planning, &initial, usize::MAX, &mut Score::Mobility),
            1 => best_first(&mut planning, &initial, &mut Guide::AStar(&mut Unknown)),
            2 => best_first(&mut planning, &initial, &mut Guide::Novelty),
            3 => best_first(&mut planning, &initial, &mut Guide::Greedy(&mut Unknown)),
            _ => depth_first(&mut planning, &initial, &mut Blind, &mut Unknown, 1000),
        };
        assert_eq!(ended, Ok(Ended::Exhausted), "method {method}");
        assert_eq!(planning.best.map(|plan| plan.reward), Some(70), "method {method}");
    }
    let mut planner = Planner::new(Box::new(game.interpreter()), PlannerOptions::default());
    let report = planner.search(&initial, Role(0), &Effort::default(), &mut |_| {}).expect("one");
    assert!(report.solved && (report.value().high - 70.0).abs() < 0.01, "{report:?}");
    assert_eq!(report.stop, Some(Stop::Done));
}

#[test]
fn the_clock_of_a_puzzle_is_found_and_nothing_else() {
    let reasoner = reasoner("eight_puzzle");
    // The interpreter has no ground rules to prove it on, and guesses.
    for mut machine in [reasoner.machine(), Box::new(reasoner.game().interpreter())] {
        let initial = machine.initial().expect("an initial state");
        let clock = clock_fluents(&mut *machine, &initial, 1).expect("an answer");
        let texts = reasoner.game().state_texts(&clock);
        assert!(texts.len() > 10 && texts.iter().all(|text| text.contains("step")), "{texts:?}");
    }
}

#[test]
fn a_puzzle_is_not_given_up_while_a_better_plan_may_exist() {
    // Twenty coins must be turned one by one, each to the right side of two; one may also quit at once. All
    // ends but one are worth nothing, so a plan that quits is as good as any other that is known at first.
    let mut rules = String::from(
        "(role you) (legal you quit) (<= terminal (true over)) (<= (next over) (does you quit))
         (<= blank (true (coin ?c none))) (<= terminal (not blank))
         (<= (legal you (turn ?c ?s)) (true (coin ?c none)) (side ?s)) (side a) (side b)
         (<= (next (coin ?c ?s)) (does you (turn ?c ?s)))
         (<= (next (coin ?c ?s)) (true (coin ?c ?s)) (distinct ?s none))
         (<= (next (coin ?c none)) (true (coin ?c none)) (does you (turn ?d ?s)) (distinct ?c ?d))
         (<= (next (coin ?c none)) (true (coin ?c none)) (does you quit))
         (<= wrong (true (coin ?c b))) (<= (goal you 100) (not blank) (not wrong))
         (<= (goal you 0) blank) (<= (goal you 0) wrong)",
    );
    for coin in 0..20 {
        let _ = write!(rules, "(init (coin {coin} none))");
    }
    let game = Game::from_text(&rules).expect("sound");
    let mut machine = game.interpreter();
    let initial = machine.initial().expect("small");
    let options = PlannerOptions::default();
    let mut planner = Planner::new(Box::new(game.interpreter()), options);
    let report = planner.search(&initial, Role(0), &Effort::nodes(3000), &mut |_| ());
    let report = report.expect("a report");
    assert!(!report.solved && report.line.len() > 3, "{:?}", report.line.len());
}

/// A tour of the knight on a board of 6 times 6 in which it may go back to where it was, which ends the game: all moves are legal, and
/// how many of them go on is what counts.
fn tour() -> String {
    let mut rules = String::from(
        "(role you) (init (at 1 1)) (init (visited 1 1))
         (<= (legal you (go ?x ?y)) (true (at ?a ?b)) (jump ?a ?b ?x ?y))
         (<= (next (at ?x ?y)) (does you (go ?x ?y)))
         (<= (next (visited ?x ?y)) (does you (go ?x ?y)))
         (<= (next (visited ?x ?y)) (true (visited ?x ?y)))
         (<= (next fallen) (does you (go ?x ?y)) (true (visited ?x ?y)))
         (<= open (cell ?x ?y) (not (true (visited ?x ?y))))
         (<= terminal (true fallen)) (<= terminal (not open))
         (<= (goal you 100) (not open)) (<= (goal you 0) open)",
    );
    let cells = || (1..=6_i32).flat_map(|x| (1..=6_i32).map(move |y| (x, y)));
    for (x, y) in cells() {
        let _ = write!(rules, "(cell {x} {y})");
        for (a, b) in cells().filter(|(a, b)| (a - x).abs() * (b - y).abs() == 2) {
            let _ = write!(rules, "(jump {x} {y} {a} {b})");
        }
    }
    rules
}

#[test]
fn what_would_soon_be_cut_off_is_visited_first() {
    let game = Game::from_text(&tour()).expect("sound");
    let reasoner = Reasoner::build(&game, &Budget::default());
    let mut machine = reasoner.machine();
    let initial = machine.initial().expect("small");
    let mut random = game::playout::Random::new(1);
    let effort = Effort::nodes(100_000);
    let mut planning = Planning::new(&mut *machine, &effort, 100, 1 << 20);
    let ended = onward_rollouts(&mut planning, &initial, 100, &mut random);
    assert_eq!(ended, Ok(Ended::Best));
    assert_eq!(planning.best.map(|plan| plan.moves.len()), Some(35));
    // Legal moves alone say nothing here.
    let mut planning = Planning::new(&mut *machine, &effort, 100, 1 << 20);
    let ended = layers(&mut planning, &initial, 256, &mut Score::Restriction);
    assert_ne!(ended, Ok(Ended::Best));
}

#[test]
fn adaptation_that_is_stopped_goes_on_where_it_was() {
    // Sixteen lamps are set one after the other; each that is right is worth 6 points, all of them 100.
    let mut rules = String::from(
        "(role you) (init (now 0)) (init (points 0))
         (<= (legal you (set ?n on)) (true (now ?n))) (<= (legal you (set ?n off)) (true (now ?n)))
         (<= (next (now ?m)) (true (now ?n)) (succ ?n ?m))
         (<= hit (does you (set ?n ?s)) (right ?n ?s))
         (<= (next (points ?q)) (true (points ?p)) hit (succ ?p ?q))
         (<= (next (points ?p)) (true (points ?p)) (not hit))
         (<= terminal (true (now 16))) (<= (goal you ?v) (true (points ?p)) (worth ?p ?v))",
    );
    for lamp in 0..=16 {
        let side = if lamp % 3 == 0 { "on" } else { "off" };
        let worth = if lamp == 16 { 100 } else { 6 * lamp };
        let _ = write!(rules, "(succ {lamp} {}) (right {lamp} {side})", lamp + 1);
        let _ = write!(rules, "(worth {lamp} {worth})");
    }
    let game = Game::from_text(&rules).expect("sound");
    let mut machine = game.interpreter();
    let initial = machine.initial().expect("small");
    let mut random = game::playout::Random::new(1);
    let mut kept = Adaptation::new(Nesting::default());
    let mut alike = |goes_on: bool| {
        (0..60).any(|_| {
            let mut planning = Planning::new(&mut machine, &Effort::nodes(100), 100, 1 << 20);
            if !goes_on {
                kept = Adaptation::new(Nesting::default());
            }
            kept.run(&mut planning, &initial, &mut random) == Ok(Ended::Best)
        })
    };
    assert!(!alike(false), "six rollouts at a time are not enough");
    assert!(alike(true));
}
