//! `fluxion solve`: the value of a game for each role, the best line, and whether that is proved.

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use game::{
    Budget, Canonicalizer, Deadline, Evaluator, Foresight, Game, JointMove, Machine, ReasonError,
    Reasoner, Role, State,
};
use indicatif::ProgressBar;
use prove::sat::plan;
use search::class::{Sampling, sample};
use search::deepening::Simultaneous;
use search::mcts::{self, Mcts};
use search::solver::{Helpers, Method, SolverOptions, solver};
use search::{Certainty, Effort, Fact, GameClass, Search, SearchReport, Stop, Value};
use serde_json::{Value as Json, json};

use crate::args::{SimultaneousMoves, SolveArgs, SolveEvaluator, SolveMethod, Switch};
use crate::exit::Exit;
use crate::input;
use crate::session::Session;
use crate::table::{columns, per_second, thousands};

/// The part of the time that may go into building the circuit.
const BUILDING: f64 = 0.5;
/// The part of the time that may go into finding the class of the game.
const SAMPLING: f64 = 0.1;

/// Solves a game, or says how far it came.
pub fn run(args: &SolveArgs, session: &mut Session) -> anyhow::Result<Exit> {
    let (source, game) = input::load(&args.game, &args.read)?;
    let clock = Clock::start(args, session);
    let reasoner = Reasoner::build(&game, &clock.budget());
    let mut machine: Box<dyn Machine> = match reasoner.gates() {
        Some(_) => reasoner.machine(),
        None => Box::new(game.interpreter_with(clock.limits.clone())),
    };
    let gave_up = |error: ReasonError| session.gave_up(&source.label, &error);
    let initial = machine.initial().map_err(gave_up)?;
    let until = clock.deadline().not_after(clock.part(BUILDING + SAMPLING));
    let sampling = Sampling { seed: args.seed, deadline: until, ..Sampling::default() };
    let (mut class, _) = sample(&mut *machine, &sampling).map_err(gave_up)?;
    learn_rewards(&reasoner, &mut class);
    let mut search = searcher(args, &reasoner, machine, &class, &clock);
    let effort = Effort { deadline: clock.deadline(), nodes: args.nodes, depth: None };
    let bar = ProgressBar::new_spinner();
    let report = search.search(&initial, Role(0), &effort, &mut |report| {
        bar.set_message(progress(report));
        bar.tick();
    });
    bar.finish_and_clear();
    let report = report.map_err(gave_up)?;
    if args.json {
        session.json(&as_json(&source.name, &game, &class, &report))?;
    } else {
        print(session, &source.name, &game, &initial, &report)?;
    }
    Ok(if report.solved { Exit::Fine } else { Exit::GaveUp })
}

/// The time of a run and its parts.
struct Clock {
    begin: Instant,
    seconds: f64,
    limits: game::Limits,
}

impl Clock {
    fn start(args: &SolveArgs, session: &Session) -> Self {
        let limits = session.limits(&args.reason);
        Self { begin: Instant::now(), seconds: args.reason.timeout, limits }
    }

    /// The end of a part of the time.
    fn part(&self, part: f64) -> Instant {
        self.begin + Duration::from_secs_f64(self.seconds * part)
    }

    fn deadline(&self) -> Deadline {
        let deadline = Deadline::at(self.part(1.0));
        match &self.limits.cancel {
            Some(cancel) => deadline.or_when(cancel.clone()),
            None => deadline,
        }
    }

    fn budget(&self) -> Budget {
        let (deadline, cancel) = (Some(self.part(BUILDING)), self.limits.cancel.clone());
        Budget { deadline, cancel, ..Budget::default() }
    }
}

/// The search that the arguments ask for.
fn searcher(
    args: &SolveArgs,
    reasoner: &Reasoner,
    machine: Box<dyn Machine>,
    class: &GameClass,
    clock: &Clock,
) -> Box<dyn Search> {
    if args.method == SolveMethod::Uct {
        let memory = args.memory << 20;
        let options = mcts::Options { memory, seed: args.seed, ..mcts::Options::default() };
        let search = Mcts::new(reasoner, options).with_class(class);
        return Box::new(match symmetries(args, reasoner, clock) {
            Some(symmetries) => search.with_symmetries(symmetries),
            None => search,
        });
    }
    let gates = reasoner.gates().filter(|_| args.evaluator == SolveEvaluator::Fuzzy);
    let evaluator = gates.map(|gates| {
        let deadline = clock.deadline().not_after(clock.part(BUILDING + 2.0 * SAMPLING));
        let options = evaluate::Options::default();
        let made =
            evaluate::Evaluation::ground(reasoner.game(), gates.program(), &options, &deadline);
        Box::new(made.evaluator()) as Box<dyn Evaluator>
    });
    let foresight = foresight(args, reasoner);
    let canonicalizer = symmetries(args, reasoner, clock);
    let helpers = Helpers { evaluator, foresight, canonicalizer };
    solver(machine, helpers, class.clone(), &options(args))
}

fn foresight(args: &SolveArgs, reasoner: &Reasoner) -> Option<Box<dyn Foresight>> {
    let gates = reasoner.gates().filter(|_| args.sat == Switch::On)?;
    let memory = args.memory << 20;
    let planner = plan::SatPlanner::new(gates, plan::LONGEST, memory, args.seed)?;
    Some(Box::new(planner))
}

fn symmetries(
    args: &SolveArgs,
    reasoner: &Reasoner,
    clock: &Clock,
) -> Option<Arc<dyn Canonicalizer>> {
    let gates = reasoner.gates().filter(|_| args.symmetry == Switch::On)?;
    let deadline = clock.deadline().not_after(clock.part(BUILDING + 2.0 * SAMPLING));
    let options = symmetry::Options { deadline, ..symmetry::Options::default() };
    let found = symmetry::detect(reasoner.game(), Some(gates), &options);
    let (mut machine, size) = (gates.machine(), symmetry::Size::default());
    Some(Arc::new(found.fitting(&mut machine, size, args.seed, &options.deadline)?))
}

fn options(args: &SolveArgs) -> SolverOptions {
    SolverOptions {
        method: match args.method {
            SolveMethod::Auto | SolveMethod::Uct => Method::Fitting,
            SolveMethod::AlphaBeta => Method::AlphaBeta,
            SolveMethod::MaxN => Method::MaxN,
        },
        simultaneous: match args.simultaneous {
            SimultaneousMoves::Mixed => Simultaneous::Mixed,
            SimultaneousMoves::Serial => Simultaneous::Serial,
        },
        memory: args.memory << 20,
        seed: args.seed,
        shortest: args.shortest,
    }
}

/// The circuit knows the largest reward that the rules can give.
fn learn_rewards(reasoner: &Reasoner, class: &mut GameClass) {
    let Some(gates) = reasoner.gates() else { return };
    for role in reasoner.game().role_ids() {
        class.learn(Fact::Rewards(role, 0, gates.largest_reward(role).0));
    }
}

fn progress(report: &SearchReport) -> String {
    let Value { estimate, low, high } = report.value();
    format!(
        "{}: depth {}, value {estimate:.0} ({low:.0} to {high:.0}), {} states, {} per second",
        report.method,
        report.depth,
        thousands(report.nodes),
        per_second(report.nodes, report.seconds)
    )
}

fn print(
    session: &mut Session,
    name: &str,
    game: &Game,
    initial: &State,
    report: &SearchReport,
) -> anyhow::Result<()> {
    let out = &mut session.out;
    if report.solved {
        writeln!(out, "{name}: solved by {}", report.method)?;
    } else {
        writeln!(out, "{name}: not solved by {}: {}", report.method, why(report))?;
    }
    let rows: Vec<Vec<String>> = game
        .role_ids()
        .zip(&report.values)
        .map(|(role, value)| vec![format!("  {}", game.role_name(role)), worth(value)])
        .collect();
    for line in columns(&rows, &[]) {
        writeln!(out, "{line}")?;
    }
    if let Some(best) = mixed(game, report).or_else(|| best(game, report)) {
        writeln!(out, "Best for {}: {best}", game.role_name(report.role))?;
    }
    print_line(session, game, initial, report)?;
    writeln!(
        session.out,
        "{} states in {:.2} s ({} per second), depth {} ({} at most)",
        thousands(report.nodes),
        report.seconds,
        per_second(report.nodes, report.seconds),
        report.depth,
        report.selective_depth
    )?;
    Ok(())
}

/// The line, with the moves of roles that have a choice; other moves are left out.
fn print_line(
    session: &mut Session,
    game: &Game,
    initial: &State,
    report: &SearchReport,
) -> anyhow::Result<()> {
    if report.line.is_empty() {
        return Ok(());
    }
    let length = report.line.len();
    let note = if report.shortest { ", none is shorter" } else { "" };
    writeln!(session.out, "Line ({length} {}{note}):", if length == 1 { "move" } else { "moves" })?;
    let mut machine = game.interpreter();
    let mut state = initial.clone();
    for (at, joint) in report.line.iter().enumerate() {
        writeln!(session.out, "{:>4}. {}", at + 1, told(game, &mut machine, &state, joint))?;
        match Machine::next(&mut machine, &state, joint) {
            Ok(next) => state = next,
            Err(_) => break,
        }
    }
    Ok(())
}

fn told(game: &Game, machine: &mut dyn Machine, state: &State, joint: &JointMove) -> String {
    let text = |role: Role| game.universe().move_entry(joint.of(role)).text.clone();
    let mut legal = Vec::new();
    let mut has_choice =
        |role: &Role| machine.legal_moves(state, *role, &mut legal).is_err() || legal.len() > 1;
    let mut roles: Vec<Role> = game.role_ids().filter(&mut has_choice).collect();
    if roles.is_empty() {
        roles = game.role_ids().collect();
    }
    let single = game.roles().len() == 1;
    let told = roles.into_iter().map(|role| {
        if single {
            text(role).to_string()
        } else {
            format!("{} {}", game.role_name(role), text(role))
        }
    });
    told.collect::<Vec<_>>().join(", ")
}

fn worth(value: &Value) -> String {
    if value.is_exact() {
        return points(value.low);
    }
    let (low, high) = (points(value.low), points(value.high));
    format!("about {}, between {low} and {high}", points(value.estimate))
}

/// At most three digits after the point, and none that say nothing.
fn points(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn best(game: &Game, report: &SearchReport) -> Option<String> {
    let action = report.best.filter(|_| report.moves.len() > 1)?;
    Some(game.universe().move_entry(action).text.to_string())
}

/// A mixed strategy, where no single move is best.
fn mixed(game: &Game, report: &SearchReport) -> Option<String> {
    let chosen: Vec<_> = report.moves.iter().filter(|own| own.weight > 0.0005).collect();
    let told = chosen.iter().map(|own| {
        let text = &game.universe().move_entry(own.action).text;
        format!("{text} with probability {}", points(own.weight))
    });
    (chosen.len() > 1).then(|| told.collect::<Vec<_>>().join(", "))
}

fn why(report: &SearchReport) -> String {
    match &report.stop {
        Some(Stop::Time) => "out of time".to_owned(),
        Some(Stop::Cancelled) => "interrupted".to_owned(),
        Some(Stop::Nodes) => "out of states (--nodes)".to_owned(),
        Some(Stop::Memory) => "out of memory (--memory)".to_owned(),
        Some(Stop::Machine(error)) => error.to_string(),
        Some(Stop::Depth | Stop::Done) | None => "the game may go on for too long".to_owned(),
        Some(other) => format!("{other:?}"),
    }
}

fn known(certainty: Certainty) -> Json {
    match certainty {
        Certainty::Proved => json!("proved"),
        Certainty::Sampled(states) => json!({ "sampled": states }),
    }
}

fn as_json(name: &str, game: &Game, class: &GameClass, report: &SearchReport) -> Json {
    let text = |action| game.universe().move_entry(action).text.to_string();
    let value =
        |value: &Value| json!({ "estimate": value.estimate, "low": value.low, "high": value.high });
    let line = |joint: &JointMove| joint.0.iter().map(|action| text(*action)).collect::<Vec<_>>();
    json!({
        "game": name,
        "solved": report.solved,
        "method": report.method,
        "stopped": (!report.solved).then(|| why(report)),
        "class": {
            "roles": class.roles,
            "turn_taking": { "value": class.turn_taking.value, "known": known(class.turn_taking.certainty) },
            "constant_sum": { "value": class.constant_sum.value, "known": known(class.constant_sum.certainty) },
        },
        "values": game.role_ids().zip(&report.values).map(|(role, own)| {
            let mut entry = value(own);
            entry["role"] = json!(game.role_name(role));
            entry
        }).collect::<Vec<_>>(),
        "role": game.role_name(report.role),
        "best": report.best.map(text),
        "moves": report.moves.iter().map(|own| {
            let mut entry = value(&own.value);
            entry["move"] = json!(text(own.action));
            entry["visits"] = json!(own.visits);
            entry["depth"] = json!(own.depth);
            entry["probability"] = json!(own.weight);
            entry
        }).collect::<Vec<_>>(),
        "line": report.line.iter().map(line).collect::<Vec<_>>(),
        "shortest": report.shortest,
        "depth": report.depth,
        "selective_depth": report.selective_depth,
        "nodes": report.nodes,
        "seconds": report.seconds,
        "nodes_per_second": report.nodes_per_second(),
        "table": {
            "entries": report.table.entries,
            "capacity": report.table.capacity,
            "bytes": report.table.bytes,
            "lookups": report.table.lookups,
            "hits": report.table.hits,
        },
    })
}
