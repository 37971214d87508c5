//! The obvious evaluator: every condition anew by Def. 5.2 with the norms as they are written, to compare with.

use game::playout::{Random, random_joint_move};
use game::{Budget, Deadline, Game, Reasoner, State};

use crate::leaf::Watch;
use crate::network::{Edge, Kind, Network};
use crate::norm::{Norm, Parameters};
use crate::values::Values;
use crate::{Method, Options};

/// The degree of each node, and whether it holds.
fn obvious(network: &Network, words: &[u64]) -> Vec<(f64, bool)> {
    let parameters = network.parameters();
    let mut found: Vec<(f64, bool)> = vec![(0.0, false); network.node_count()];
    for node in 0..network.node_count() {
        let child = |edge: &Edge| {
            let (value, holds) = found[edge.node()];
            if edge.is_negative() { (1.0 - value, !holds) } else { (value, holds) }
        };
        let children: Vec<(f64, bool)> = network.children(node).iter().map(child).collect();
        let degrees: Vec<f64> = children.iter().map(|(value, _)| *value).collect();
        let held = children.iter().filter(|(_, holds)| *holds).count();
        let atom = |holds: bool| (parameters.atom(holds), holds);
        found[node] = match network.kind(node) {
            Kind::Constant(signal) => (signal.value, signal.holds),
            Kind::Bit(fluent) => {
                let word = words.get(*fluent as usize / 64).copied().unwrap_or(0);
                atom(word >> (fluent % 64) & 1 == 1)
            }
            Kind::Watch(watch) => {
                let signal = match &**watch {
                    Watch::Steps(steps) => {
                        let signals = watch.signals().expect("steps are few");
                        signals[steps.class(words) as usize]
                    }
                    Watch::Mean(mean) => mean.look(words, network.powers()),
                };
                (signal.value, signal.holds)
            }
            Kind::Gate(need) => atom(held >= *need as usize),
            Kind::All => (parameters.all(&degrees), held == children.len()),
            Kind::Any => (parameters.any(&degrees), held > 0),
            Kind::Truth => atom(held > 0),
            Kind::Witness(signals) => {
                let held = children.iter().zip(signals.iter()).filter(|((_, holds), _)| *holds);
                let best = held
                    .map(|(_, signal)| *signal)
                    .reduce(|a, b| if b.value > a.value { b } else { a });
                let signal = best.unwrap_or(signals[signals.len() - 1]);
                (signal.value, signal.holds)
            }
            Kind::Component(component) => {
                members(component, &children, &mut found[node + 1..]);
                (0.0, false)
            }
            Kind::Member => atom(found[node].1),
        };
    }
    found
}

/// What holds among relations that depend on each other.
fn members(
    component: &crate::network::Component,
    outside: &[(f64, bool)],
    members: &mut [(f64, bool)],
) {
    for _ in 0..=component.members {
        for (head, needed, others) in &component.rules {
            let holds = needed.iter().all(|member| members[*member as usize].1)
                && others.iter().all(|place| outside[*place as usize].1);
            members[*head as usize].1 |= holds;
        }
    }
}

fn compare(name: &str, network: &Network, values: &Values, state: &State) {
    for (node, (value, holds)) in obvious(network, state.words()).into_iter().enumerate() {
        let signal = values.signal(Edge::new(node as u32, false));
        if matches!(network.kind(node), Kind::Component(_)) {
            continue;
        }
        assert_eq!(signal.holds, holds, "{name}: node {node}");
        let label = network.label(node);
        assert!((signal.value - value).abs() < 1e-7, "{name}: {label:?} {} {value}", signal.value);
    }
}

fn follow(name: &str, rules: &str, method: Method, parameters: Parameters) {
    let game = Game::from_text(rules).expect("sound");
    let reasoner = Reasoner::build(&game, &Budget::default());
    let options = Options { parameters, ..Options::default() };
    let Some(evaluation) = method.build(&reasoner, &options, &Deadline::never()) else { return };
    let mut values = Values::new(&evaluation.network);
    let mut machine = reasoner.machine();
    let mut random = Random::new(23);
    let mut state = machine.initial().expect("an initial state");
    compare(name, &evaluation.network, &values, &State::new());
    for _ in 0..12 {
        values.update(state.words());
        compare(name, &evaluation.network, &values, &state);
        let over = machine.is_terminal(&state).expect("answered");
        let joint = random_joint_move(&mut *machine, &state, &mut random).expect("answered");
        state = match joint.filter(|_| !over) {
            Some(joint) => machine.next(&state, &joint).expect("answered"),
            None => machine.initial().expect("an initial state"),
        };
    }
}

/// Sums, tables and counts by what changed give what the norms give anew; all games with `FLUXION_STEPS` set.
#[test]
fn every_condition_has_the_degree_that_the_norms_give_anew() {
    let every = std::env::var_os("FLUXION_STEPS").is_some();
    let small = ["tictactoe", "connect_four", "breakthrough", "othello", "hex_5x5", "racetrack"];
    for entry in library::games() {
        let large = ["chess", "gomoku_15x15", "amazons_unsplit_10x10"].contains(&entry.name);
        if !(every && !large || small.contains(&entry.name)) {
            continue;
        }
        for method in Method::ALL {
            follow(entry.name, entry.rules, method, Parameters::default());
        }
    }
}

/// The same for other norms.
#[test]
fn other_norms_have_the_degrees_that_they_give_anew() {
    let sheet = library::find("tictactoe").expect("in the library").rules;
    let yager = |q: f64| Parameters { norm: Norm::Yager { q }, ..Parameters::default() };
    let crisp = Parameters { p: 1.0, ..Parameters::default() };
    let products = [Parameters::product(), Parameters::product().with_threshold(0.6)];
    for parameters in [yager(1.0), yager(2.5), yager(40.0), crisp].into_iter().chain(products) {
        for method in Method::ALL {
            follow("tictactoe", sheet, method, parameters);
        }
    }
}
