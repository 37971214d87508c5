//! Symmetries that exchange roles in searches: the values of the roles are exchanged with them, so that no value changes.

#![allow(clippy::float_cmp, reason = "the values must be the same, not close")]

use std::fmt::Write as _;
use std::sync::Arc;

use game::playout::{Random, random_joint_move};
use game::{Budget, Canonicalizer, Evaluator, Game, Gates, Machine, Reasoner, Role, State};
use search::deepening::{Deepening, Opponents, Options as SearchOptions, Simultaneous, Windows};
use search::mcts::{self, Mcts};
use search::{Effort, GameClass, Search, SearchReport};
use symmetry::{Options, Representatives, Size, detect};

const ROLES: [&str; 3] = ["a", "b", "c"];

/// A random game in which every role plays the part of every other: tokens walk over a random graph. Who moves says
/// whether it moves again, so that a position occurs with this role to move and, with the roles exchanged, with another
/// one. Rewards depend on the own place and on that of the next role.
fn sheet(random: &mut Random, roles: usize, together: bool, constant_sum: bool) -> String {
    let (places, steps) = (5, 6);
    let mut text = String::new();
    let mut fact = |fact: String| writeln!(text, "{fact}").expect("a string");
    for (at, role) in ROLES[..roles].iter().enumerate() {
        fact(format!("(role {role}) (init (at {role} p0))"));
        fact(format!("(follows {role} {})", ROLES[(at + 1) % roles]));
    }
    for from in 0..places {
        for _ in 0..2 {
            let how = if random.below(2) == 0 { "again" } else { "over" };
            fact(format!("(way p{from} p{} {how})", random.below(places)));
        }
    }
    for x in 0..places {
        for y in 0..places {
            let value = if constant_sum {
                // Two roles: the rewards add up to 100.
                (50 + 25 * (x * 7 % 4)).saturating_sub(25 * (y * 7 % 4)).min(100)
            } else {
                10 * random.below(11)
            };
            fact(format!("(worth p{x} p{y} {value})"));
        }
    }
    for step in 0..steps {
        fact(format!("(succ s{step} s{})", step + 1));
    }
    fact("(init (step s0)) (init (control a))".to_owned());
    let moving = if together { "" } else { "(true (control ?r))" };
    fact(format!("(<= (legal ?r (go ?q ?h)) {moving} (true (at ?r ?p)) (way ?p ?q ?h))"));
    if !together {
        fact("(<= (legal ?r wait) (role ?r) (not (true (control ?r))))".to_owned());
    }
    fact(
        "(<= (next (at ?r ?q)) (does ?r (go ?q ?h)))
         (<= (next (at ?r ?p)) (does ?r wait) (true (at ?r ?p)))
         (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
         (<= (next (control ?r)) (does ?r (go ?q again)))
         (<= (next (control ?o)) (does ?r (go ?q over)) (follows ?r ?o))
         (<= (goal ?r ?v) (true (at ?r ?x)) (follows ?r ?o) (true (at ?o ?y)) (worth ?x ?y ?v))"
            .to_owned(),
    );
    fact(format!("(<= terminal (true (step s{steps})))"));
    text
}

/// Judges by the places of the tokens, every role in the same way; of two roles the values add up to 100 or not.
struct Places {
    game: Game,
    balanced: bool,
}

impl Evaluator for Places {
    fn evaluate(&mut self, state: &State, values: &mut [f64]) {
        let universe = self.game.universe();
        let mut at = vec![0.0; values.len()];
        for fluent in state.iter() {
            let text = universe.fluent_entry(fluent).text.to_string();
            for (role, name) in ROLES[..values.len()].iter().enumerate() {
                if let Some(place) = text.strip_prefix(&format!("(at {name} p")) {
                    at[role] = place.trim_end_matches(')').parse::<f64>().unwrap_or(0.0);
                }
            }
        }
        for role in 0..values.len() {
            let next = at[(role + 1) % at.len()];
            values[role] = 50.0 + 9.0 * at[role] - if self.balanced { 9.0 * next } else { 3.0 };
        }
    }

    fn another(&self) -> Box<dyn Evaluator> {
        Box::new(Places { game: self.game.clone(), balanced: self.balanced })
    }
}

struct Case {
    game: Game,
    gates: Gates,
    table: Option<Arc<Representatives>>,
}

fn case(text: &str) -> Case {
    let game = Game::from_text(text).expect("valid");
    let gates = Gates::build(&game, &Budget::default()).expect("a circuit");
    let size = Size { with_roles: true, ..Size::default() };
    let found = detect(&game, Some(&gates), &Options::default());
    Case { game, gates, table: found.representatives(size).map(Arc::new) }
}

impl Case {
    fn search(
        &self,
        options: &SearchOptions,
        balanced: bool,
        symmetric: bool,
        (state, role): (&State, Role),
        effort: &Effort,
    ) -> SearchReport {
        let evaluator = Places { game: self.game.clone(), balanced };
        let class = GameClass::unknown(self.game.roles().len());
        let machine = Box::new(self.gates.machine());
        let mut search = Deepening::new(machine, Box::new(evaluator), class, options);
        if let Some(table) = self.table.clone().filter(|_| symmetric) {
            search = search.with_symmetries(table);
        }
        search.search(state, role, effort, &mut |_| {}).expect("answers")
    }

    /// A state some random moves from the beginning.
    fn state(&self, moves: usize, random: &mut Random) -> State {
        let mut machine = self.gates.machine();
        let mut state = machine.initial().expect("starts");
        for _ in 0..moves {
            let joint = random_joint_move(&mut machine, &state, random).expect("plays");
            state = machine.next(&state, &joint.expect("goes on")).expect("moves");
        }
        state
    }
}

fn values(report: &SearchReport) -> Vec<(f64, f64, f64)> {
    report.values.iter().map(|value| (value.estimate, value.low, value.high)).collect()
}

/// With `FLUXION_STEPS` so many games.
fn games() -> usize {
    std::env::var("FLUXION_STEPS").ok().and_then(|n| n.parse().ok()).unwrap_or(24)
}

/// Alpha-beta and max^n, two and three roles, moves in turns and together, rewards and evaluations that add up to a
/// constant and others, at every depth.
#[test]
fn exchanged_roles_leave_the_values_of_depth_first_searches_unchanged() {
    let mut random = Random::new(6);
    let (mut fewer, mut exchanging) = (0, 0);
    for number in 0..games() {
        let (roles, together) = (2 + number % 3 / 2, number % 4 == 3);
        let constant = roles == 2 && number % 2 == 0;
        let case = case(&sheet(&mut random, roles, together, constant));
        // Where a role can never move, the roles cannot be exchanged.
        let Some(table) = &case.table else { continue };
        exchanging += usize::from(table.exchanges_roles());
        for opponents in [Opponents::Paranoid, Opponents::Selfish] {
            for simultaneous in [Simultaneous::Serial, Simultaneous::Mixed] {
                let windows = if number % 5 == 0 { Windows::Full } else { Windows::Scout };
                let options = SearchOptions {
                    opponents,
                    simultaneous,
                    windows,
                    memory: 4 << 20,
                    ..SearchOptions::default()
                };
                for depth in [1, 3, 5, 7] {
                    let effort = Effort { depth: Some(depth), ..Effort::default() };
                    let state = case.state(depth as usize % 2, &mut random);
                    let role = Role(random.below(roles) as u32);
                    let balanced = number % 3 == 0;
                    let at = (&state, role);
                    let plain = case.search(&options, balanced, false, at, &effort);
                    let merged = case.search(&options, balanced, true, at, &effort);
                    assert_eq!(
                        values(&plain),
                        values(&merged),
                        "game {number}, depth {depth}, {opponents:?}, {simultaneous:?}"
                    );
                    fewer += i64::try_from(plain.nodes).expect("few")
                        - i64::try_from(merged.nodes).expect("few");
                }
            }
        }
    }
    println!("roles exchanged in {exchanging} of {} games, {fewer} states fewer", games());
    assert!(exchanging * 2 > games() && fewer > 0, "{exchanging} {fewer}");
}

/// Where rewards add up to a constant the value of a game is one whoever is asked.
#[test]
fn exchanged_roles_leave_the_values_of_tree_search_unchanged() {
    let mut random = Random::new(3);
    let mut nodes = (0, 0);
    for number in 0..games() / 2 {
        let case = case(&sheet(&mut random, 2, false, true));
        let Some(table) = case.table.clone() else { continue };
        let reasoner = Reasoner::build(&case.game, &Budget::default());
        let state = case.state(number % 3, &mut random);
        for role in case.game.role_ids() {
            let options = mcts::Options { memory: 64 << 20, ..mcts::Options::default() };
            let effort = Effort::nodes(20_000);
            let mut plain = Mcts::new(&reasoner, options.clone());
            let mut merged = Mcts::new(&reasoner, options).with_symmetries(table.clone());
            let one = plain.search(&state, role, &effort, &mut |_| {}).expect("answers");
            let other = merged.search(&state, role, &effort, &mut |_| {}).expect("answers");
            assert!(one.solved && other.solved, "game {number}");
            assert_eq!(one.values, other.values, "game {number}, role {role:?}");
            assert_eq!(one.role, other.role);
            nodes = (nodes.0 + one.table.entries, nodes.1 + other.table.entries);
            let mut machine = case.gates.machine();
            let (mut at, mut legal) = (state.clone(), Vec::new());
            machine.legal_moves(&at, role, &mut legal).expect("legal");
            assert!(other.moves.iter().all(|own| legal.contains(&own.action)));
            for joint in &other.line {
                for role in case.game.role_ids() {
                    machine.legal_moves(&at, role, &mut legal).expect("legal");
                    assert!(legal.contains(&joint.of(role)));
                }
                at = machine.next(&at, joint).expect("moves");
            }
        }
    }
    println!("{} nodes, {} with symmetries", nodes.0, nodes.1);
    assert!(nodes.1 < nodes.0);
}

/// In Nim the same heaps are met with either player to move; a board that fills up tells who is to move.
#[test]
fn roles_are_exchanged_only_where_that_makes_one_of_two_states() {
    for (name, exchanged) in
        [("nim_3_4_5", true), ("chomp_4x5", true), ("tictactoe", false), ("connect_four", false)]
    {
        let game = Game::from_text(library::find(name).expect("there").rules).expect("valid");
        let gates = Gates::build(&game, &Budget::default()).expect("a circuit");
        let found = detect(&game, Some(&gates), &Options::default());
        let size = Size::default();
        let fitting = found.fitting(&mut gates.machine(), size, 1, &game::Deadline::never());
        let found = fitting.is_some_and(|table| table.exchanges_roles());
        assert_eq!(found, exchanged, "{name}");
    }
}
