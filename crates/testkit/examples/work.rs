//! A fixed amount of random play on one machine, for counting instructions (`scripts/count-instructions`).
//!
//! usage: `work MACHINE TRANSITIONS GAME...`, where GAME is a game of the library or a file and MACHINE is one of
//! - `interpreter`, `machine` (the circuit by the machine interface), `stepper` (playouts inside it), `lanes`;
//! - `expand` (all successors of nodes of random play at once) or `one-by-one` (the same questions to the machine),
//!   where successors are counted instead of transitions.
//!
//! Prints game, machine, transitions made and CPU seconds.

use std::error::Error;
use std::process::ExitCode;

use cpu_time::ThreadTime;
use game::playout::{Random, playout};
use game::{Budget, Game, Gates, JointMove, Machine, Move, Playouts, State};

/// Plays at least that many transitions and tells how many, and in what time.
fn play(kind: &str, game: &Game, wanted: u64) -> Result<(u64, f64), Box<dyn Error>> {
    let mut random = Random::new(1);
    let mut done = 0;
    if kind == "interpreter" {
        return by_interface(&mut game.interpreter(), wanted);
    }
    let gates = Gates::build(game, &Budget::default())?;
    let mut machine = gates.machine();
    let initial = machine.initial()?;
    let begin = ThreadTime::now();
    match kind {
        "machine" => return by_interface(&mut machine, wanted),
        "expand" | "one-by-one" => return successors(&gates, kind == "expand", wanted),
        "stepper" => {
            while done < wanted {
                let outcome = machine.random_playout(&initial, &mut random, 1000)?;
                done += u64::from(outcome.length.max(1));
            }
        }
        "lanes" => {
            let mut batch = gates.batch(1);
            let begin = ThreadTime::now();
            while done < wanted {
                done += batch.play(1).transitions.max(1);
            }
            return Ok((done, begin.elapsed().as_secs_f64()));
        }
        _ => return Err(format!("no machine is called {kind}").into()),
    }
    Ok((done, begin.elapsed().as_secs_f64()))
}

fn by_interface(machine: &mut dyn Machine, wanted: u64) -> Result<(u64, f64), Box<dyn Error>> {
    let mut random = Random::new(1);
    let initial = machine.initial()?;
    let begin = ThreadTime::now();
    let mut done = 0;
    while done < wanted {
        done += playout(machine, &initial, &mut random, 1000)?.moves.len().max(1) as u64;
    }
    Ok((done, begin.elapsed().as_secs_f64()))
}

/// The first 512 joint moves of a state.
fn joint_moves(machine: &mut dyn Machine, state: &State) -> Result<Vec<JointMove>, Box<dyn Error>> {
    let mut joints: Vec<Vec<Move>> = vec![Vec::new()];
    let mut moves = Vec::new();
    for role in machine.game().role_ids() {
        machine.legal_moves(state, role, &mut moves)?;
        let mut longer = Vec::new();
        for joint in &joints {
            longer.extend(moves.iter().map(|m| joint.iter().copied().chain([*m]).collect()));
        }
        joints = longer;
        joints.truncate(512);
    }
    Ok(joints.into_iter().map(JointMove).collect())
}

/// Looks at all successors of nodes of random play: next states, ends, legal moves, goals at ends.
fn successors(gates: &Gates, at_once: bool, wanted: u64) -> Result<(u64, f64), Box<dyn Error>> {
    let (mut machine, mut expander) = (gates.machine(), gates.expander());
    let mut random = Random::new(1);
    let mut nodes: Vec<(State, Vec<JointMove>)> = Vec::new();
    let mut state = machine.initial()?;
    let mut planned = 0;
    while planned < wanted {
        let joints = joint_moves(&mut machine, &state)?;
        let Some(at) = joints.len().checked_sub(1).map(|last| random.below(last + 1)) else {
            break;
        };
        let next = machine.next(&state, &joints[at])?;
        planned += joints.len() as u64;
        nodes.push((state, joints));
        let over = machine.is_terminal(&next)? || joint_moves(&mut machine, &next)?.is_empty();
        state = if over { machine.initial()? } else { next };
    }
    let begin = ThreadTime::now();
    if at_once {
        for (state, joints) in &nodes {
            expander.expand(state, joints).ok_or("unknown state")?;
        }
    } else {
        ask_all(&mut machine, &nodes)?;
    }
    Ok((planned, begin.elapsed().as_secs_f64()))
}

/// The same questions to a machine. Not inlined, so that its instructions can be counted apart.
#[inline(never)]
fn ask_all(
    machine: &mut dyn Machine,
    nodes: &[(State, Vec<JointMove>)],
) -> Result<(), Box<dyn Error>> {
    let roles: Vec<game::Role> = machine.game().role_ids().collect();
    let mut moves = Vec::new();
    for (state, joints) in nodes {
        for joint in joints {
            let next = machine.next(state, joint)?;
            let over = machine.is_terminal(&next)?;
            for role in &roles {
                machine.legal_moves(&next, *role, &mut moves)?;
                if over {
                    machine.goal(&next, *role)?;
                }
            }
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [machine, wanted, games @ ..] = &args[..] else {
        eprintln!("usage: work MACHINE TRANSITIONS GAME...");
        return ExitCode::FAILURE;
    };
    for name in games {
        let text = match library::find(name) {
            Some(entry) => entry.rules.to_owned(),
            None => std::fs::read_to_string(name).unwrap_or_default(),
        };
        let wanted = wanted.parse().unwrap_or(1000);
        let result = Game::from_text(&text).map_err(Into::into);
        match result.and_then(|game| play(machine, &game, wanted)) {
            Ok((done, seconds)) => println!("{name} {machine} {done} {seconds:.6}"),
            Err(error) => println!("{name} {machine} {error}"),
        }
    }
    ExitCode::SUCCESS
}
