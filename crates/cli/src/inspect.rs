//! `fluxion inspect`: what the rules become on the way to the machine.

use std::io::Write;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use game::{Budget, GroundProgram};
use serde_json::json;

use crate::args::{InspectArgs, Stage};
use crate::exit::{self, Exit, Failure};
use crate::input;
use crate::render::Sheet;
use crate::session::Session;

/// Prints a stage and its sizes.
pub fn run(args: &InspectArgs, session: &mut Session) -> anyhow::Result<Exit> {
    let source = input::read(&args.game, &args.read)?;
    let (rules, problems) = gdl::parse(&source.text, &args.read.gdl());
    if let Some(problem) = problems.iter().find(|problem| problem.is_error()) {
        let message = format!("{} cannot be read: {}", source.label, problem.message);
        return Err(Failure::cannot(message).into());
    }
    let game = input::make(rules, &Sheet::new(&source.label, &source.text))?;
    let budget = Budget {
        deadline: Some(Instant::now() + Duration::from_secs_f64(args.reason.timeout)),
        max_bytes: args.max_memory << 20,
        cancel: session.limits(&args.reason).cancel,
    };
    let begin = ThreadTime::now();
    let program = match game.ground(&budget) {
        Ok(program) => program,
        Err(why) => return gave_up(args, session, &why.to_string()),
    };
    let ground_seconds = begin.elapsed().as_secs_f64();
    match args.stage {
        Stage::Ground => ground(args, session, &program, ground_seconds),
        Stage::Circuit => circuit(args, session, &program, &budget, ground_seconds),
    }
}

fn gave_up(args: &InspectArgs, session: &mut Session, why: &str) -> anyhow::Result<Exit> {
    if args.json {
        session.json(&json!({ "game": args.game, "stopped": why }))?;
    } else {
        exit::say(&format!("{}: {why}; the game is played by the interpreter", args.game));
    }
    Ok(Exit::GaveUp)
}

fn ground(
    args: &InspectArgs,
    session: &mut Session,
    program: &GroundProgram,
    seconds: f64,
) -> anyhow::Result<Exit> {
    let moves: usize = program.moves.iter().map(Vec::len).sum();
    let (atoms, rules) = (program.kinds.len(), program.rule_count());
    if args.json {
        session.json(&json!({
            "game": args.game, "stage": "ground", "seconds": seconds, "stopped": null,
            "fluents": program.fluents.len(), "moves": moves, "atoms": atoms, "rules": rules,
        }))?;
        return Ok(Exit::Fine);
    }
    if !args.counts {
        write!(session.out, "{}", program.to_text())?;
    }
    exit::say(&format!(
        "{} fluents, {moves} moves, {atoms} atoms, {rules} rules, {seconds:.3} s",
        program.fluents.len()
    ));
    Ok(Exit::Fine)
}

fn circuit(
    args: &InspectArgs,
    session: &mut Session,
    program: &GroundProgram,
    budget: &Budget,
    ground_seconds: f64,
) -> anyhow::Result<Exit> {
    let begin = ThreadTime::now();
    let limits = circuit::Limits {
        deadline: budget.deadline,
        max_bytes: budget.max_bytes.saturating_sub(program.bytes()),
        cancel: budget.cancel.clone(),
        ..circuit::Limits::default()
    };
    let circuit = match circuit::build(program, &limits) {
        Ok(circuit) => circuit,
        Err(why) => return gave_up(args, session, &why.to_string()),
    };
    let seconds = begin.elapsed().as_secs_f64();
    let (state, next, goal) = circuit::operations(&circuit);
    if args.json {
        session.json(&json!({
            "game": args.game, "stage": "circuit", "stopped": null,
            "ground_seconds": ground_seconds, "seconds": seconds,
            "fluents": circuit.fluents.len(),
            "moves": circuit.does.iter().map(Vec::len).sum::<usize>(),
            "gates": circuit.graph.gate_count(),
            "state_operations": state, "next_operations": next, "goal_operations": goal,
        }))?;
        return Ok(Exit::Fine);
    }
    if !args.counts {
        write!(session.out, "{}", circuit.to_text(program))?;
    }
    exit::say(&format!(
        "{} gates in all; operations for legal moves and ends {state}, next state {next}, goals \
         {goal}; ground {ground_seconds:.3} s, built {seconds:.3} s",
        circuit.graph.gate_count()
    ));
    Ok(Exit::Fine)
}
