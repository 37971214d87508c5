//! `fluxion bench`: how many state transitions a machine makes per CPU second in random play.
//!
//! CPU seconds of the thread are counted, not the clock on the wall, because machines are shared.

use std::io::Write;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use game::{Batch, Budget, EvalError, Game, Machine, NoCircuit, ReasonError, Sizes};
use serde_json::{Value, json};

use crate::args::{BenchArgs, BenchMachine};
use crate::exit::{self, Exit, Failure};
use crate::input::{self, Source};
use crate::limits::ReasonLimits;
use crate::machines;
use crate::render::Sheet;
use crate::session::Session;
use crate::simulate::{play, seed_of};
use crate::table::{columns, per_second, thousands};

/// The clock is read once per that many positions, because reading it is not free.
const CLOCK_EVERY: u64 = 64;

/// What was measured of a game.
#[derive(Default)]
struct Measured {
    load: Duration,
    play: Duration,
    playouts: u64,
    transitions: u64,
    /// The machine that was used in the end, and sizes if that was the circuit.
    machine: &'static str,
    sizes: Option<Sizes>,
    stopped: Option<String>,
}

impl Measured {
    fn per_second(&self, count: u64) -> f64 {
        count as f64 / self.play.as_secs_f64().max(1e-9)
    }
}

/// Measures every game.
pub fn run(args: &BenchArgs, session: &mut Session) -> anyhow::Result<Exit> {
    let mut worst = Exit::Fine;
    let mut reports = Vec::new();
    let heads = ["game", "machine", "load s", "transitions/s", "playouts/s", "peak MB", ""];
    let mut rows = vec![heads.map(str::to_owned).to_vec()];
    let bar = Session::progress(args.games.len(), "measuring");
    for argument in &args.games {
        if session.stopped() {
            break;
        }
        match measure(args, argument, session) {
            Ok((source, measured)) => {
                if measured.stopped.is_some() {
                    worst = input::worse(worst, Exit::GaveUp);
                }
                rows.push(row(&source, &measured));
                reports.push(report(&source, &measured));
            }
            Err(failure) => {
                let error = failure.into();
                exit::tell(&error);
                worst = input::worse(worst, exit::exit_of(&error));
            }
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    if args.json {
        session.json(&json!({ "games": reports }))?;
    } else {
        for line in columns(&rows, &[2, 3, 4, 5]) {
            writeln!(session.out, "{line}")?;
        }
    }
    Ok(worst)
}

fn measure(
    args: &BenchArgs,
    argument: &str,
    session: &Session,
) -> Result<(Source, Measured), Failure> {
    let source = input::read(argument, &args.read)?;
    // The time limit is for loading; play takes its own seconds, on a machine that may be shared.
    let timeout = args.reason.timeout + 10.0 * args.seconds;
    let limits = session.limits(&ReasonLimits { timeout, ..args.reason });
    let begin = ThreadTime::now();
    let (rules, problems) = gdl::parse(&source.text, &args.read.gdl());
    if let Some(problem) = problems.iter().find(|problem| problem.is_error()) {
        return Err(Failure::cannot(format!(
            "{} cannot be read: {}",
            source.label, problem.message
        )));
    }
    let game: Game = input::make(rules, &Sheet::new(&source.label, &source.text))?;
    if matches!(args.machine, BenchMachine::Lanes | BenchMachine::Auto) {
        match measure_lanes(args, &game, &limits, begin) {
            Ok(measured) => return Ok((source, measured)),
            Err(why) if args.machine == BenchMachine::Lanes => {
                let stopped = Some(why.to_string());
                return Ok((source, Measured { machine: "lanes", stopped, ..Measured::default() }));
            }
            Err(_) => {}
        }
    }
    let name = match args.machine {
        BenchMachine::Circuit => "circuit",
        _ => "interpreter",
    };
    let mut machine = machines::make(name, &game, limits);
    let mut measured = Measured { machine: name, ..Measured::default() };
    let initial = machine.initial();
    measured.load = begin.elapsed();
    let result = initial.and_then(|initial| {
        let begin = ThreadTime::now();
        let result = run_playouts(args, &mut *machine, &initial, begin, &mut measured);
        measured.play = begin.elapsed();
        result
    });
    measured.stopped = result.err().map(|error| session.why(&error));
    Ok((source, measured))
}

/// Random play in all lanes of the circuit.
fn measure_lanes(
    args: &BenchArgs,
    game: &Game,
    limits: &game::Limits,
    begin: ThreadTime,
) -> Result<Measured, NoCircuit> {
    let deadline = Instant::now() + Duration::from_secs_f64(args.reason.timeout);
    let budget =
        Budget { deadline: Some(deadline), cancel: limits.cancel.clone(), ..Budget::default() };
    let mut batch = Batch::new(game, &budget, args.seed)?;
    let sizes = Some(batch.sizes());
    let mut measured =
        Measured { machine: "lanes", sizes, load: begin.elapsed(), ..Measured::default() };
    let wanted = Duration::from_secs_f64(args.seconds);
    let begin = ThreadTime::now();
    while begin.elapsed() < wanted {
        let tally = batch.play(32);
        measured.transitions += tally.transitions;
        measured.playouts += tally.playouts;
        if limits.cancel.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            measured.stopped = Some("interrupted".to_owned());
            break;
        }
    }
    measured.play = begin.elapsed();
    Ok(measured)
}

fn run_playouts(
    args: &BenchArgs,
    machine: &mut dyn Machine,
    initial: &game::State,
    begin: ThreadTime,
    measured: &mut Measured,
) -> Result<(), ReasonError> {
    let wanted = Duration::from_secs_f64(args.seconds);
    while begin.elapsed() < wanted {
        let seed = seed_of(args.seed, measured.playouts as usize);
        let mut count = 0;
        let result = play(machine, initial, seed, args.cap, &mut |machine, state, legals| {
            count += u64::from(legals.is_some());
            if legals.is_none() {
                for role in machine.game().role_ids() {
                    machine.goal(state, role)?;
                }
            } else if count % CLOCK_EVERY == 0 && begin.elapsed() >= wanted {
                return Err(ReasonError::Eval(EvalError::Interrupted));
            }
            Ok(())
        });
        match result {
            Ok(path) => {
                measured.transitions += path.moves.len() as u64;
                measured.playouts += 1;
            }
            // The last playout is cut at the end of the time; its transitions count.
            Err(ReasonError::Eval(EvalError::Interrupted)) if begin.elapsed() >= wanted => {
                measured.transitions += u64::saturating_sub(count, 1);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// The peak memory of the process in kilobytes, where the system tells it.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

fn row(source: &Source, measured: &Measured) -> Vec<String> {
    let peak = peak_memory().map_or("?".to_owned(), |kb| thousands(kb / 1024));
    vec![
        source.name.clone(),
        measured.machine.to_owned(),
        format!("{:.3}", measured.load.as_secs_f64()),
        per_second(measured.transitions, measured.play.as_secs_f64()),
        format!("{:.1}", measured.per_second(measured.playouts)),
        peak,
        measured.stopped.as_ref().map_or(String::new(), |why| format!("gave up: {why}")),
    ]
}

fn report(source: &Source, measured: &Measured) -> Value {
    json!({
        "game": source.name,
        "machine": measured.machine,
        "fluents": measured.sizes.map(|sizes| sizes.fluents),
        "moves": measured.sizes.map(|sizes| sizes.moves),
        "rules": measured.sizes.map(|sizes| sizes.rules),
        "operations": measured.sizes.map(|sizes| sizes.gates.0 + sizes.gates.1 + sizes.gates.2),
        "load_seconds": measured.load.as_secs_f64(),
        "cpu_seconds": measured.play.as_secs_f64(),
        "transitions": measured.transitions,
        "playouts": measured.playouts,
        "transitions_per_second": measured.per_second(measured.transitions),
        "playouts_per_second": measured.per_second(measured.playouts),
        "peak_memory_kb": peak_memory(),
        "stopped": measured.stopped,
    })
}
