//! `fluxion inspect`: what the rules become on the way to the machine.

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use game::{Budget, Deadline, Game, Gates, GroundProgram};
use relax::{Operators, Waits};
use serde_json::json;

use crate::args::{InspectArgs, Stage};
use crate::exit::{self, Exit, Failure};
use crate::input;
use crate::render::Sheet;
use crate::session::Session;
use crate::sums;

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
    if args.pddl.is_some() || args.stage == Stage::Actions {
        return actions(args, session, &game, &program, &budget);
    }
    match args.stage {
        Stage::Circuit => circuit(args, session, &program, &budget, ground_seconds),
        Stage::Aiger => aiger(args, session, &game, &budget),
        Stage::Parts => parts(args, session, &game, &budget),
        _ => ground(args, session, &program, ground_seconds),
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

/// The gates in the format of model checkers. Bad states are those that break input arguments, turn-taking,
/// playability or definite outcomes.
fn aiger(
    args: &InspectArgs,
    session: &mut Session,
    game: &Game,
    budget: &Budget,
) -> anyhow::Result<Exit> {
    use prove::{Grounder, Instances, Vocabulary, candidates};
    let begin = ThreadTime::now();
    let gates = match Gates::build(game, budget) {
        Ok(gates) => gates,
        Err(why) => return gave_up(args, session, &why.to_string()),
    };
    let vocabulary = Vocabulary::new(game);
    let instances = Instances::of_gates(&gates);
    let mut grounder = Grounder::new(&vocabulary, &instances);
    let mut claims = candidates::input_arguments(&vocabulary);
    claims.extend([
        candidates::turn_taking(),
        candidates::playable(),
        candidates::outcome_defined(),
    ]);
    let ground = claims.iter().filter_map(|claim| {
        Some((claim.to_text(&game.program().symbols), grounder.ground(claim).ok()?))
    });
    let properties: Vec<_> = ground.collect();
    let text = match prove::aiger::export(&gates, &properties) {
        Ok(text) => text,
        Err(why) => return gave_up(args, session, &why.to_string()),
    };
    let seconds = begin.elapsed().as_secs_f64();
    let header = text.lines().next().unwrap_or_default().to_owned();
    if args.json {
        session.json(&json!({
            "game": args.game, "stage": "aiger", "seconds": seconds, "stopped": null,
            "header": header, "properties": properties.len(),
        }))?;
        return Ok(Exit::Fine);
    }
    if !args.counts {
        write!(session.out, "{text}")?;
    }
    exit::say(&format!("{header} ({} properties), {seconds:.3} s", properties.len()));
    Ok(Exit::Fine)
}

/// The games that a game is at once, or those that it is the sum of.
fn parts(
    args: &InspectArgs,
    session: &mut Session,
    game: &Game,
    budget: &Budget,
) -> anyhow::Result<Exit> {
    use prove::sat::division::Division;
    use prove::sat::sums::Sum;
    let begin = ThreadTime::now();
    let gates = match Gates::build(game, budget) {
        Ok(gates) => gates,
        Err(why) => return gave_up(args, session, &why.to_string()),
    };
    let deadline = until(budget);
    let sum = Sum::new(&gates, 1, args.max_memory << 20, &deadline);
    let division = if sum.is_none() { Division::new(&gates, 1, &deadline) } else { None };
    if sum.is_none() && division.is_none() && deadline.passed() {
        return gave_up(args, session, "looking for parts took too long");
    }
    let parts = division.as_ref().map_or(&[][..], Division::parts);
    let seconds = begin.elapsed().as_secs_f64();
    if args.json {
        let sheets: Vec<_> = parts
            .iter()
            .map(|part| json!({ "rules": part.text(), "ends_the_match": part.ends_the_match() }))
            .collect();
        session.json(&json!({
            "game": args.game, "stage": "parts", "seconds": seconds, "stopped": null,
            "parts": sheets, "sum": sum.as_ref().map(|sum| sums::json(sum, game)),
        }))?;
        return Ok(Exit::Fine);
    }
    if let Some(sum) = sum {
        for line in sums::lines(&sum, game).iter().filter(|_| !args.counts) {
            writeln!(session.out, "{line}")?;
        }
        exit::say(&format!("a sum: {}, {seconds:.3} s", sum.in_words()));
        return Ok(Exit::Fine);
    }
    for (number, part) in (1..).zip(parts).filter(|_| !args.counts) {
        write!(session.out, "; part {number}\n{}\n", part.text())?;
    }
    match parts.len() {
        0 => exit::say(&format!("all one, {seconds:.3} s")),
        count => exit::say(&format!("{count} games at once, {seconds:.3} s")),
    }
    Ok(Exit::Fine)
}

fn until(budget: &Budget) -> Deadline {
    let deadline = budget.deadline.map_or_else(Deadline::never, Deadline::at);
    budget.cancel.iter().fold(deadline, |end, flag| end.or_when(flag.clone()))
}

/// Moves as actions, printed or written for other planners.
fn actions(
    args: &InspectArgs,
    session: &mut Session,
    game: &Game,
    program: &GroundProgram,
    budget: &Budget,
) -> anyhow::Result<Exit> {
    let begin = ThreadTime::now();
    let deadline = until(budget);
    let mut machine = game.interpreter_with(session.limits(&args.reason));
    let waits = Waits::sample(game, program, &mut machine, &deadline);
    let waits = waits.unwrap_or_else(|_| Waits::none(program));
    let Some(operators) = Operators::derive(program, waits, &deadline) else {
        return gave_up(args, session, "the actions took too long or too much memory");
    };
    let seconds = begin.elapsed().as_secs_f64();
    if let Some(path) = &args.pddl {
        write_task(args, path, program, &operators)?;
    }
    if args.json {
        let count = |adds| operators.effects().filter(|effect| effect.adds == adds).count();
        session.json(&json!({
            "game": args.game, "stage": "actions", "seconds": seconds, "stopped": null,
            "operators": operators.list.len(), "additions": count(true), "deletions": count(false),
            "every_step": operators.every_step.len(),
            "persistent": operators.persistent.iter().filter(|persistent| **persistent).count(),
            "inexpressible": operators.inexpressible,
        }))?;
        return Ok(Exit::Fine);
    }
    if !args.counts && args.pddl.is_none() {
        write!(session.out, "{}", operators.to_text(program))?;
    }
    exit::say(&format!("{}, {seconds:.3} s", operators.summary()));
    Ok(Exit::Fine)
}

/// Writes domain and problem.
fn write_task(
    args: &InspectArgs,
    path: &Path,
    program: &GroundProgram,
    operators: &Operators,
) -> anyhow::Result<()> {
    let stem = path.file_stem().map_or_else(|| "game".into(), |stem| stem.to_string_lossy());
    let task = relax::pddl::task(program, operators, &stem)
        .map_err(|why| Failure::cannot(format!("{}: {why}", args.game)))?;
    let suffix = path.extension().map_or_else(String::new, |e| format!(".{}", e.to_string_lossy()));
    let problem = path.with_file_name(format!("{stem}-problem{suffix}"));
    for (path, text) in [(path, &task.domain), (&problem, &task.problem)] {
        std::fs::write(path, text).map_err(|error| {
            Failure::cannot(format!("{} cannot be written: {error}", path.display()))
        })?;
        exit::say(&format!("{} is written", path.display()));
    }
    Ok(())
}
