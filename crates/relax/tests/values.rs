//! What distances and values promise, on games of every kind.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use game::playout::{Random, random_joint_move};
use game::{Budget, Deadline, Evaluator, Game, JointMove, Machine, Reasoner, Role, State};
use relax::{Far, Heuristic, Insight, Measure, Relaxation, Relaxed, ToGo, h1};
use search::planning::{Distance, Ended, Guide, Planning, best_first};
use search::traps::{Prover, Reach, examine};

fn built(text: &str) -> (Reasoner, Arc<Relaxation>) {
    let game = Game::from_text(text).expect("valid");
    let reasoner = Reasoner::build(&game, &Budget::default());
    let relaxation = Relaxation::of(&reasoner, &Deadline::never()).expect("small");
    (reasoner, relaxation)
}

fn library(name: &str) -> (Reasoner, Arc<Relaxation>) {
    built(library::find(name).expect("is in the library").rules)
}

/// All states that can be reached, with the moves from each to an end with reward 100.
fn distances(machine: &mut dyn Machine, most: usize) -> Option<Vec<(State, Option<u32>)>> {
    let mut states = vec![machine.initial().expect("small")];
    let mut numbers = HashMap::from([(states[0].clone(), 0)]);
    let mut before: Vec<Vec<usize>> = vec![Vec::new()];
    let mut ends = Vec::new();
    let (mut at, mut moves) = (0, Vec::new());
    while at < states.len() {
        let state = states[at].clone();
        if machine.is_terminal(&state).expect("small") {
            let goal = machine.goal(&state, Role(0)).expect("small").value();
            ends.extend((goal.is_some_and(|goal| goal.0 == 100)).then_some(at));
        } else {
            machine.legal_moves(&state, Role(0), &mut moves).expect("small");
            for action in &moves {
                let next = machine.next(&state, &JointMove(vec![*action])).expect("small");
                let fresh = states.len();
                let number = *numbers.entry(next.clone()).or_insert(fresh);
                if number == fresh {
                    states.push(next);
                    before.push(Vec::new());
                }
                before[number].push(at);
            }
        }
        at += 1;
        if states.len() > most {
            return None;
        }
    }
    let mut far: Vec<Option<u32>> = vec![None; states.len()];
    let mut open: VecDeque<usize> = ends.iter().copied().collect();
    for end in &ends {
        far[*end] = Some(0);
    }
    while let Some(at) = open.pop_front() {
        for other in &before[at] {
            if far[*other].is_none() {
                far[*other] = far[at].map(|steps| steps + 1);
                open.push_back(*other);
            }
        }
    }
    Some(states.into_iter().zip(far).collect())
}

#[test]
fn h_max_is_admissible_in_every_state_of_small_puzzles() {
    let mut compared = 0;
    for name in
        ["blocks_world", "maze", "hanoi", "lights_on", "knight_move", "racetrack", "stack_sort"]
    {
        let (reasoner, relaxation) = library(name);
        if relaxation.roles() != 1 {
            continue;
        }
        let Some(all) = distances(&mut *reasoner.machine(), 3000) else { continue };
        let mut most = ToGo::new(&relaxation, Measure::Max);
        let mut sum = ToGo::new(&relaxation, Measure::Add);
        let mut plan = ToGo::new(&relaxation, Measure::Plan);
        for (state, far) in all.iter().step_by(1 + all.len() / 400) {
            let least = most.estimate(state);
            match (least, far) {
                (Some(least), Some(far)) => assert!(least <= *far, "{name}: {least} > {far}"),
                (None, Some(_)) => panic!("{name}: a way to the goal was missed"),
                _ => {}
            }
            // All measures agree on what cannot be reached; sums are at least plans, as far as each action has
            // its own costs.
            assert_eq!(sum.estimate(state).is_none(), least.is_none(), "{name}");
            assert_eq!(plan.estimate(state).is_none(), least.is_none(), "{name}");
            compared += 1;
        }
    }
    assert!(compared > 300, "{compared}");
}

#[test]
fn a_star_with_h_max_finds_shortest_plans_and_greedy_search_finds_plans() {
    let mut solved = 0;
    for name in ["blocks_world", "hanoi", "maze", "lights_on"] {
        let (reasoner, relaxation) = library(name);
        let all = distances(&mut *reasoner.machine(), 3000);
        let Some(far) = all.and_then(|all| all[0].1) else { continue };
        let initial = reasoner.machine().initial().expect("small");
        let effort = search::Effort::nodes(200_000);
        let run = |measure: Measure, greedy: bool| {
            let mut machine = reasoner.machine();
            let mut distance = ToGo::new(&relaxation, measure);
            let mut planning = Planning::new(&mut *machine, &effort, 100, 1 << 28);
            let mut guide =
                if greedy { Guide::Greedy(&mut distance) } else { Guide::AStar(&mut distance) };
            let ended = best_first(&mut planning, &initial, &mut guide).expect("small");
            assert_eq!(ended, Ended::Best, "{name}");
            planning.best.expect("a plan").moves.len() as u32
        };
        assert_eq!(run(Measure::Max, false), far, "{name}");
        assert!(run(Measure::Add, true) >= far && run(Measure::Plan, true) >= far, "{name}");
        solved += 1;
    }
    assert!(solved >= 2, "{solved}");
}

#[test]
fn values_are_finite_and_between_their_bounds_in_games_of_every_kind() {
    for name in [
        "tictactoe",
        "tictictoe",
        "tictactoe_3p",
        "race_3p",
        "prisoners_dilemma",
        "eight_puzzle",
        "othello",
        "nim_3_4_5",
        "battle",
        "coordination_3p",
        "rock_paper_scissors",
        "connect_four_4x4",
        "hex_5x5",
        "sudoku_4x4",
        "queens_8",
        "centipede",
        "chicken",
    ] {
        let (reasoner, relaxation) = library(name);
        let mut machine = reasoner.machine();
        let mut random = Random::new(4);
        for heuristic in [Heuristic::H1, Heuristic::H2, Heuristic::H12] {
            let mut evaluator = Relaxed::new(&relaxation, heuristic);
            let mut values = vec![f64::NAN; relaxation.roles()];
            let mut state = machine.initial().expect("small");
            for _ in 0..12 {
                evaluator.evaluate(&state, &mut values);
                assert!(values.iter().all(|v| (0.0..=100.0).contains(v)), "{name}: {values:?}");
                if machine.is_terminal(&state).expect("small") {
                    break;
                }
                let joint = random_joint_move(&mut *machine, &state, &mut random).expect("small");
                let Some(joint) = joint else { break };
                state = machine.next(&state, &joint).expect("small");
            }
        }
    }
}

#[test]
fn the_four_cases_of_h1_are_those_of_the_paper() {
    let close = |a: f64, b: f64| (a - b).abs() < 1e-12;
    assert!(close(h1(Some(3), None), 1.0) && close(h1(None, Some(0)), -1.0));
    assert!(close(h1(None, None), 0.0) && close(h1(Some(0), Some(0)), 0.0));
    assert!(close(h1(Some(2), Some(4)), 0.5) && close(h1(Some(4), Some(1)), -0.75));
}

#[test]
fn goals_that_are_disjunctions_take_the_nearest_and_negated_fluents_can_be_reached() {
    let (reasoner, relaxation) = built(
        "(role r) (light 1) (light 2) (light 3) (init (on 1)) (init (on 2)) (init (on 3))
         (<= (legal r (off ?x)) (light ?x)) (legal r (key a)) (legal r (key b))
         (<= (next (on ?x)) (true (on ?x)) (not (does r (off ?x))))
         (<= (next (has ?k)) (does r (key ?k))) (<= (next (has ?k)) (true (has ?k)))
         (<= terminal dark) (<= terminal (true (has a)) (true (has b)))
         (<= dark (not lit)) (<= lit (true (on ?x)))
         (<= (goal r 100) dark) (<= (goal r 100) (true (has a)) (true (has b)))
         (<= (goal r 0) (not terminal))",
    );
    let mut insight = Insight::new(&relaxation);
    let mut machine = reasoner.machine();
    let initial = machine.initial().expect("small");
    insight.look(&initial);
    // Two keys are nearer than three lights.
    assert_eq!((insight.to_win(Role(0)), insight.layer(Role(0))), (Some(2), Some(1)));
    let universe = reasoner.game().universe();
    let off = |x| universe.action(&universe.parse(&format!("(off {x})")).expect("a term"));
    let one = machine.next(&initial, &JointMove(vec![off(1)])).expect("small");
    let two = machine.next(&one, &JointMove(vec![off(3)])).expect("small");
    insight.look(&two);
    assert_eq!(insight.to_win(Role(0)), Some(1));
}

#[test]
fn a_goal_that_is_out_of_reach_is_known_to_be_so() {
    let (reasoner, relaxation) = built(
        "(role a) (role b) (init (control a)) (legal a go) (legal a rest) (legal b noop)
         (init fresh) (<= (next fresh) (true fresh) (does a rest))
         (<= (next won) (does a go) (true fresh)) (<= (next (clock 1)) (true (control a)))
         (<= (next lost) (true (clock 1)) (does a rest))
         (<= terminal (true won)) (<= terminal (true lost)) (<= terminal (not (true fresh)))
         (<= (goal a 100) (true won)) (<= (goal a 0) (not (true won)))
         (<= (goal b 100) (true never)) (<= (goal b 0) (not (true never)))",
    );
    let mut value = Relaxed::new(&relaxation, Heuristic::H1);
    let initial = reasoner.machine().initial().expect("small");
    assert!((value.value(&initial, Role(0)) - 1.0).abs() < 1e-12);
    assert!((value.value(&initial, Role(1)) + 1.0).abs() < 1e-12);
    // Neither can win in the empty state.
    assert!(value.value(&State::new(), Role(0)).abs() < 1e-12);
}

/// Looks for traps in states of random play with and without the relaxed graph; the states looked at.
fn compared(name: &str, level: u32, nodes: u64) -> (u64, u64) {
    let (reasoner, relaxation) = library(name);
    let tops = vec![100; reasoner.game().roles().len()];
    let effort = search::Effort::nodes(nodes);
    let mut plain = Prover::new(reasoner.machine(), tops.clone(), effort.clone());
    let far: Box<dyn Reach> = Box::new(Far::new(&relaxation));
    let mut relaxed = Prover::new(reasoner.machine(), tops, effort).with_reach(far);
    let mut random = Random::new(2);
    let longest = search::traps::longest_play(plain.machine(), &mut random, 10, 200);
    let longest = longest.expect("small");
    let mut sums = (0, 0);
    for _ in 0..8 {
        let found = search::traps::random_state(plain.machine(), &mut random, longest);
        let Some(state) = found.expect("small") else { continue };
        let one = examine(&mut plain, &state, level).expect("small");
        let other = examine(&mut relaxed, &state, level).expect("small");
        if one.stopped.is_none() {
            assert_eq!((&one.traps, one.lost), (&other.traps, other.lost), "{name}");
            sums = (sums.0 + one.nodes, sums.1 + other.nodes);
        }
    }
    sums
}

#[test]
fn the_relaxed_graph_leaves_out_no_trap() {
    // Games in turns and others, with ends of every kind, and with turns that depend on moves.
    let games = ["connect_four_4x4", "nim_3_4_5", "breakthrough_5x5", "chomp_4x5", "tictactoe"];
    let more = ["sheep_and_wolf", "domineering_6x6", "dots_and_boxes", "tictactoe_3p", "tron"];
    for name in games.into_iter().chain(more) {
        let (plain, relaxed) = compared(name, 3, 20_000);
        assert!(relaxed <= plain, "{name}: {relaxed} states instead of {plain}");
    }
}

#[test]
fn a_role_moves_only_in_its_turns_and_once_in_each() {
    // A pawn needs as many turns as rows, a line as many as stones are missing; most of the search is left out.
    for (name, level) in [("breakthrough_6x6", 3), ("gomoku_8x8", 2)] {
        let (plain, relaxed) = compared(name, level, 60_000);
        assert!(plain > 1000 && relaxed * 5 < plain, "{name}: {relaxed} states instead of {plain}");
    }
}

/// Lengths of relaxed plans of both roles in states of random play.
fn lengths(name: &str) -> Vec<[Option<u32>; 2]> {
    let (reasoner, relaxation) = library(name);
    let (mut machine, mut random) = (reasoner.machine(), Random::new(3));
    let mut insight = Insight::new(&relaxation);
    let mut found = Vec::new();
    for _ in 0..10 {
        let mut state = machine.initial().expect("small");
        while !machine.is_terminal(&state).expect("small") {
            insight.look(&state);
            found.push([insight.to_win(Role(0)), insight.to_win(Role(1))]);
            let joint = random_joint_move(&mut *machine, &state, &mut random);
            let joint = joint.expect("small").expect("somebody can move");
            state = machine.next(&state, &joint).expect("small");
        }
    }
    found
}

#[test]
fn that_the_role_to_move_cannot_move_is_not_free() {
    for name in ["clobber_4x5", "sheep_and_wolf", "domineering_6x6", "snort_5x5"] {
        let all = lengths(name);
        let far = all.iter().filter(|both| both.iter().flatten().any(|length| *length > 1)).count();
        assert!(far * 2 > all.len(), "{name}: the end is a move away in most of {}", all.len());
        // Whoever moves may clobber, so both are always as near to the end.
        let told = all.iter().filter(|both| h1(both[0], both[1]).abs() > 0.01).count();
        assert!(name == "clobber_4x5" || told * 2 > all.len(), "{name}: h1 tells {told} apart");
    }
}
