//! Measures evaluation functions: the time to build them, and what evaluating the successors of states of random
//! play costs in units of a transition of the stepper, which is a step of random play with its legal moves. "Next" is
//! the successor alone, one of many of the same state. CPU time of the thread, and transitions and evaluations in turns, so
//! other work on the machine hardly matters; the figures are medians, with the least and the greatest ratio. With `--build`
//! only the time to build, with `--by=METHOD` one method. `cargo run --release -p evaluate --example cost -- [--build]
//! [--by=METHOD] [NAME...]`

use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use evaluate::{Method, Options};
use game::playout::{Random, random_joint_move};
use game::{
    Budget, Deadline, Evaluator, Game, Gates, JointMove, Machine, Playouts, Reasoner, State,
};
use structure::{NoProver, Settings, Structures};

/// Elapsed time that stops a game, since other work on the machine slows it down.
const PATIENCE: Duration = Duration::from_secs(900);

/// How often transitions and evaluations are measured.
const TURNS: usize = 7;
/// CPU nanoseconds for one of these at least.
const TURN: u64 = 50_000_000;

/// Nanoseconds that this thread has run.
fn cpu() -> u64 {
    ThreadTime::now().as_duration().as_nanos() as u64
}

fn main() {
    let (options, names): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|arg| arg.starts_with("--"));
    let only_build = options.iter().any(|option| option == "--build");
    let chosen = options.iter().find_map(|option| Method::named(option.strip_prefix("--by=")?));
    let methods = chosen.map_or(vec![Method::Basic, Method::Distance], |one| vec![one]);
    println!(
        "game\tground s\tstructures s\tkind\tbuild s\tnodes\tnext ns\ttransition ns\tevaluate ns\tratio\tfrom\tto\tnotes"
    );
    for entry in library::games() {
        if names.is_empty() || names.iter().any(|name| name == entry.name) {
            measure(entry.name, entry.rules, &methods, only_build);
        }
    }
}

fn measure(name: &str, text: &str, methods: &[Method], only_build: bool) {
    let Ok(game) = Game::from_text(text) else { return println!("{name}\tnot playable") };
    let begin = cpu();
    let deadline = Some(Instant::now() + PATIENCE);
    let reasoner = Reasoner::build(&game, &Budget { deadline, ..Budget::default() });
    let ground = seconds(begin);
    let Some(gates) = reasoner.gates() else { return println!("{name}\tno circuit") };
    let begin = cpu();
    let deadline = Deadline::within(PATIENCE);
    let settings = Settings { play: false, ..Settings::default() };
    let _ = Structures::find(&reasoner, &settings, &deadline, &mut NoProver);
    let structures = seconds(begin);
    let mut machine = reasoner.machine();
    let found = if only_build { Some((Vec::new(), 0.0)) } else { successors(&mut *machine) };
    let Some((states, next)) = found else { return println!("{name}\tno play") };
    for method in methods {
        let begin = cpu();
        let deadline = Deadline::within(PATIENCE);
        let evaluation = method.build(&reasoner, &Options::default(), &deadline);
        let Some(evaluation) = evaluation else { continue };
        let mut evaluator = evaluation.evaluator();
        let build = seconds(begin);
        let [mut transitions, mut evaluations, mut ratios] = [const { Vec::new() }; 3];
        for turn in 0..if only_build { 0 } else { TURNS } {
            let Some(transition) = transition(gates, turn as u64) else { break };
            let evaluation = evaluate_all(&mut evaluator, &states, game.roles().len());
            transitions.push(transition);
            evaluations.push(evaluation);
            ratios.push(evaluation / transition);
        }
        println!(
            "{name}\t{ground:.3}\t{structures:.3}\t{}\t{build:.3}\t{}\t{next:.0}\t{:.0}\t{:.0}\t{:.2}\t{:.2}\t{:.2}\t{}",
            method.name(),
            evaluation.size(),
            median(&mut transitions),
            median(&mut evaluations),
            median(&mut ratios),
            ratios.first().unwrap_or(&0.0),
            ratios.last().unwrap_or(&0.0),
            evaluation.notes().join("; "),
        );
    }
}

/// The middle one; they are sorted afterwards.
fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// Nanoseconds for an evaluation.
fn evaluate_all(evaluator: &mut dyn Evaluator, states: &[State], roles: usize) -> f64 {
    let mut values = vec![0.0; roles];
    let (mut made, begin) = (0, cpu());
    while cpu() - begin < TURN {
        for state in states {
            evaluator.evaluate(state, &mut values);
        }
        made += states.len().max(1);
    }
    (cpu() - begin) as f64 / made as f64
}

fn seconds(begin: u64) -> f64 {
    (cpu() - begin) as f64 / 1e9
}

/// Nanoseconds for a transition of the stepper in random play.
fn transition(gates: &Gates, seed: u64) -> Option<f64> {
    let mut machine = gates.machine();
    let (mut random, mut made) = (Random::new(seed), 0u64);
    let initial = machine.initial().ok()?;
    let begin = cpu();
    while cpu() - begin < TURN {
        for _ in 0..10 {
            made += u64::from(machine.random_playout(&initial, &mut random, 1000).ok()?.length);
        }
    }
    Some((cpu() - begin) as f64 / made.max(1) as f64)
}

/// Successors of states of random play in the order a search meets them, and the nanoseconds for one.
fn successors(machine: &mut dyn Machine) -> Option<(Vec<State>, f64)> {
    let mut random = Random::new(7);
    let mut pairs: Vec<(State, JointMove)> = Vec::new();
    let mut state = machine.initial().ok()?;
    while pairs.len() < 20_000 {
        let joint = random_joint_move(machine, &state, &mut random).ok()?;
        let over = machine.is_terminal(&state).ok()?;
        let Some(joint) = joint.filter(|_| !over) else {
            if pairs.is_empty() {
                return None;
            }
            state = machine.initial().ok()?;
            continue;
        };
        for role in machine.game().role_ids() {
            let mut moves = Vec::new();
            machine.legal_moves(&state, role, &mut moves).ok()?;
            for action in moves.into_iter().take(40) {
                let mut other = joint.clone();
                other.0[role.index()] = action;
                pairs.push((state.clone(), other));
            }
        }
        state = machine.next(&state, &joint).ok()?;
    }
    let begin = cpu();
    let mut states = Vec::with_capacity(pairs.len());
    for (state, joint) in &pairs {
        states.push(machine.next(state, joint).ok()?);
    }
    let spent = (cpu() - begin) as f64 / pairs.len() as f64;
    Some((states, spent))
}
