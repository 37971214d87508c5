//! `fluxion eval`: what a position is worth to each role, and which conditions make it so.

use std::io::Write;
use std::time::{Duration, Instant};

use evaluate::{Connective, Evaluation, Explanation, Options, Part};
use game::{Budget, Deadline, Evaluator, Game, JointMove, Machine, Move, Reasoner, Role, State};
use serde_json::{Value, json};

use crate::args::EvalArgs;
use crate::exit::{self, Exit, Failure};
use crate::input;
use crate::session::Session;
use crate::table::counted;

/// How many parts of formulas are computed; how many of them are shown is an option.
const MOST_PARTS: usize = 20_000;
/// The share of the time for making rules ground; as much again is for structures.
const SHARE: f64 = 0.4;

/// Evaluates a position.
pub fn run(args: &EvalArgs, session: &mut Session) -> anyhow::Result<Exit> {
    let limits = session.limits(&args.reason);
    let (source, game) = input::load(&args.game, &args.read)?;
    let begin = Instant::now();
    let share = begin + Duration::from_secs_f64(args.reason.timeout * SHARE);
    let budget =
        Budget { deadline: Some(share), cancel: limits.cancel.clone(), ..Budget::default() };
    let reasoner = Reasoner::build(&game, &budget);
    let mut machine = reasoner.machine_with(limits);
    let gave_up = |error| session.gave_up(&source.label, &error);
    let initial = machine.initial().map_err(gave_up)?;
    let (state, played) = follow(&mut *machine, &initial, &args.moves)?;
    let deadline = Deadline::within(Duration::from_secs_f64(args.reason.timeout * SHARE));
    let begin = Instant::now();
    let Some(evaluation) = args.by.method().build(&reasoner, &Options::default(), &deadline) else {
        exit::say(&format!(
            "{}: {}; there is nothing to evaluate",
            source.label,
            reasoner.status()
        ));
        return Ok(Exit::GaveUp);
    };
    let seconds = begin.elapsed().as_secs_f64();
    let mut evaluator = evaluation.evaluator();
    let explained: Vec<Explanation> =
        game.role_ids().map(|role| evaluator.explain(&state, role, MOST_PARTS)).collect();
    let over =
        machine.is_terminal(&state).map_err(|error| session.gave_up(&source.label, &error))?;
    if args.json {
        let report = report(args, &game, &evaluation, &explained, &played, over, seconds);
        session.json(&report)?;
        return Ok(Exit::Fine);
    }
    let mut values = vec![0.0; game.roles().len()];
    evaluator.evaluate(&state, &mut values);
    let after = counted(played.len(), "move");
    let end = if over { ", where the game is over" } else { "" };
    writeln!(session.out, "{}, after {after}{end}", source.name)?;
    for (role, explanation) in game.role_ids().zip(&explained) {
        tell(&game, role, explanation, args.parts, session)?;
    }
    for note in evaluation.notes() {
        exit::say(&format!("note: {note}"));
    }
    exit::say(&format!("{} nodes, built in {seconds:.3} s", evaluation.size()));
    Ok(Exit::Fine)
}

/// Plays moves given as text: joint moves parted by `;`, each with one move for each role, or only that of the role
/// that has a choice.
fn follow(
    machine: &mut dyn Machine,
    initial: &State,
    text: &str,
) -> anyhow::Result<(State, Vec<String>)> {
    let mut state = initial.clone();
    let mut played = Vec::new();
    for (number, step) in text.split(';').filter(|step| !step.trim().is_empty()).enumerate() {
        let wrong =
            |why: String| Failure::cannot(format!("move {} ({}): {why}", number + 1, step.trim()));
        let joint = joint_move(machine, &state, step).map_err(wrong)?;
        state = machine.next(&state, &joint).map_err(|error| wrong(error.to_string()))?;
        played.push(step.trim().to_owned());
    }
    Ok((state, played))
}

fn joint_move(machine: &mut dyn Machine, state: &State, step: &str) -> Result<JointMove, String> {
    if machine.is_terminal(state).map_err(|error| error.to_string())? {
        return Err("the game is over before it".to_owned());
    }
    let game = machine.game().clone();
    let mut legals: Vec<Vec<Move>> = Vec::new();
    for role in game.role_ids() {
        let mut moves = Vec::new();
        machine.legal_moves(state, role, &mut moves).map_err(|error| error.to_string())?;
        legals.push(moves);
    }
    let reading = gdl::sexp::read(step, &gdl::Limits::default());
    let actions: Option<Vec<Move>> = reading
        .items
        .iter()
        .map(|item| Some(game.universe().action(&game.universe().ground(item)?)))
        .collect();
    let actions = actions.filter(|_| reading.problems.is_empty()).ok_or("no move of this game")?;
    let role_of = |role: usize| game.role_name(Role(role as u32));
    if actions.len() == legals.len() {
        for (role, (action, legal)) in actions.iter().zip(&legals).enumerate() {
            if !legal.contains(action) {
                return Err(format!("not legal for {}", role_of(role)));
            }
        }
        return Ok(JointMove(actions));
    }
    let [action] = actions[..] else {
        return Err(format!("{} moves for {} roles", actions.len(), legals.len()));
    };
    let mut able = (0..legals.len()).filter(|role| legals[*role].contains(&action));
    let mover = match (able.next(), able.next()) {
        (Some(mover), None) => mover,
        (Some(_), Some(_)) => {
            return Err("legal for several roles: name the moves of all".to_owned());
        }
        (None, _) => return Err("not legal for any role".to_owned()),
    };
    let mut joint = Vec::new();
    for (role, legal) in legals.iter().enumerate() {
        match (&legal[..], role == mover) {
            (_, true) => joint.push(action),
            ([only], false) => joint.push(*only),
            _ => {
                return Err(format!(
                    "{} has a choice as well: name the moves of all",
                    role_of(role)
                ));
            }
        }
    }
    Ok(JointMove(joint))
}

fn tell(
    game: &Game,
    role: Role,
    explanation: &Explanation,
    most: usize,
    session: &mut Session,
) -> anyhow::Result<()> {
    writeln!(session.out, "\n{}: {:.3}", game.role_name(role), explanation.value)?;
    for goal in &explanation.goals {
        let Some(formula) = &goal.formula else { continue };
        let share = 100.0 * goal.weight;
        let holds = if goal.holds { ", reached" } else { "" };
        writeln!(
            session.out,
            "  goal {} (weight {share:.0}%{holds}): {:.4} with the end",
            goal.goal, goal.degree
        )?;
        part(formula, 2, most, session)?;
    }
    if let Some(terminal) = &explanation.terminal {
        writeln!(session.out, "  the end")?;
        part(terminal, 2, most, session)?;
    }
    Ok(())
}

/// Writes a condition and, of its parts, those that count most: the best of a disjunction, the worst of a
/// conjunction.
fn part(part: &Part, indent: usize, most: usize, session: &mut Session) -> anyhow::Result<()> {
    let pad = "  ".repeat(indent);
    let mark = if part.holds { "+" } else { "-" };
    let name = part.name.as_deref().unwrap_or(match part.connective {
        Connective::And => "all of",
        Connective::Or => "one of",
        Connective::Atom => "a condition",
    });
    let negation = if part.negative { "not " } else { "" };
    let kind = match (part.connective, &part.name) {
        (Connective::And, Some(_)) => ", all of",
        (Connective::Or, Some(_)) => ", one of",
        _ => "",
    };
    writeln!(session.out, "{pad}{mark} {:.4} {negation}{name}{kind}", part.degree)?;
    let mut parts: Vec<&Part> = part.parts.iter().collect();
    parts.sort_by(|a, b| match part.connective {
        Connective::Or => b.degree.total_cmp(&a.degree),
        _ => a.degree.total_cmp(&b.degree),
    });
    for below in parts.iter().take(most) {
        self::part(below, indent + 1, most, session)?;
    }
    let hidden = parts.len().saturating_sub(most) + part.hidden;
    if hidden > 0 {
        writeln!(session.out, "{pad}  … {hidden} more (--parts)")?;
    }
    Ok(())
}

fn report(
    args: &EvalArgs,
    game: &Game,
    evaluation: &Evaluation,
    explained: &[Explanation],
    played: &[String],
    over: bool,
    seconds: f64,
) -> Value {
    let roles = game.role_ids().zip(explained).map(|(role, explanation)| {
        let goals = explanation.goals.iter().map(|goal| {
            json!({
                "goal": goal.goal,
                "weight": goal.weight,
                "degree": goal.degree,
                "holds": goal.holds,
                "formula": goal.formula.as_ref().map(|formula| part_json(formula, args.parts)),
            })
        });
        json!({
            "role": game.role_name(role),
            "value": explanation.value,
            "neutral": evaluation.is_neutral(role),
            "goals": goals.collect::<Value>(),
            "terminal": explanation.terminal.as_ref().map(|part| part_json(part, args.parts)),
        })
    });
    json!({
        "game": args.game,
        "by": args.by.method().name(),
        "moves": played,
        "over": over,
        "roles": roles.collect::<Value>(),
        "nodes": evaluation.size(),
        "seconds": seconds,
        "notes": evaluation.notes(),
    })
}

/// A condition with the first of its parts, for programs.
pub fn part_json(part: &Part, most: usize) -> Value {
    let connective = match part.connective {
        Connective::Atom => "atom",
        Connective::And => "and",
        Connective::Or => "or",
    };
    let shown = part.parts.iter().take(most).map(|below| part_json(below, most));
    json!({
        "name": part.name.as_deref(),
        "negative": part.negative,
        "connective": connective,
        "degree": part.degree,
        "holds": part.holds,
        "parts": shown.collect::<Value>(),
        "hidden": part.hidden + part.parts.len().saturating_sub(most),
    })
}
