//! `fluxion bench`: how many state transitions a machine makes per CPU second in random play, and how machines
//! compare.

use std::io::Write;
use std::time::Duration;

use cpu_time::ThreadTime;
use game::{Budget, Game, Gates, Limits};
use serde_json::{Value, json};

use crate::args::{BenchArgs, BenchMachine};
use crate::exit::{self, Exit, Failure};
use crate::input::{self, Source};
use crate::limits::ReasonLimits;
use crate::machines;
use crate::render::Sheet;
use crate::runner::{Measured, Runner};
use crate::session::Session;
use crate::table::{columns, per_second, thousands};

/// Measures every game.
pub fn run(args: &BenchArgs, session: &mut Session) -> anyhow::Result<Exit> {
    let mut worst = Exit::Fine;
    let mut games = Vec::new();
    let bar = Session::progress(args.games.len(), "measuring");
    for argument in &args.games {
        if session.stopped() {
            break;
        }
        match measure(args, argument, session) {
            Ok((source, measured)) => {
                // A comparison goes on without the machines that a game does not have.
                let stopped = |measured: &Measured| measured.stopped.is_some();
                if measured.iter().all(stopped) || (!args.compare && measured.iter().any(stopped)) {
                    worst = input::worse(worst, Exit::GaveUp);
                }
                games.push((source, measured));
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
    let means = args.compare.then(|| means(&games));
    if args.json {
        let list: Vec<Value> = if args.compare {
            games.iter().map(|(source, all)| comparison(source, all)).collect()
        } else {
            games.iter().flat_map(|(s, all)| all.iter().map(|m| report(s, m))).collect()
        };
        let mut whole = json!({ "games": list });
        if let Some(means) = means {
            whole["geometric_means"] = means.into_iter().map(|(n, m, _)| (n, json!(m))).collect();
        }
        session.json(&whole)?;
        return Ok(worst);
    }
    let lines = match &means {
        Some(means) => compare_lines(&games, means),
        None => lines(&games),
    };
    for line in lines {
        writeln!(session.out, "{line}")?;
    }
    Ok(worst)
}

type Games = [(Source, Vec<Measured>)];

fn measure(
    args: &BenchArgs,
    argument: &str,
    session: &Session,
) -> Result<(Source, Vec<Measured>), Failure> {
    let source = input::read(argument, &args.read)?;
    // The time limit is for loading; play takes its own seconds, on a machine that may be shared.
    let timeout = args.reason.timeout + 30.0 * args.seconds;
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
    let mut runners = if args.compare {
        all_runners(args, &game, &limits, begin)
    } else {
        vec![Runner::new(args.machine, args, &game, &limits, begin)]
    };
    let slices = if args.compare { SLICES } else { 1 };
    let slice = Duration::from_secs_f64(args.seconds / f64::from(slices));
    for _ in 0..slices {
        for runner in &mut runners {
            if let Err(error) = runner.run(slice) {
                runner.measured.stopped = Some(session.why(&error));
            }
        }
    }
    Ok((source, runners.into_iter().map(|runner| runner.measured).collect()))
}

/// In how many slices the machines of a comparison take turns.
const SLICES: u32 = 20;

/// The machines that are compared.
const COMPARED: [BenchMachine; 3] =
    [BenchMachine::Interpreter, BenchMachine::Stepper, BenchMachine::Lanes];

/// All machines of a game, on one circuit.
fn all_runners(args: &BenchArgs, game: &Game, limits: &Limits, begin: ThreadTime) -> Vec<Runner> {
    let timed = Limits {
        deadline: Some(std::time::Instant::now() + Duration::from_secs_f64(args.reason.timeout)),
        ..limits.clone()
    };
    let budget = Budget { deadline: timed.deadline, ..machines::budget(&timed) };
    let gates = Gates::build(game, &budget);
    let make = |machine| Runner::on(machine, args, game, Some(gates.clone()), limits, begin);
    COMPARED.into_iter().map(make).collect()
}

fn lines(games: &Games) -> Vec<String> {
    let heads = ["game", "machine", "load s", "transitions/s", "playouts/s", "peak MB", ""];
    let mut rows = vec![heads.map(str::to_owned).to_vec()];
    for (source, measured) in games {
        rows.extend(measured.iter().map(|measured| row(source, measured)));
    }
    columns(&rows, &[2, 3, 4, 5])
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

/// Which machine is compared with which, as places in [`COMPARED`].
const RATIOS: [(&str, usize, usize); 3] =
    [("stepper/interpreter", 1, 0), ("lanes/stepper", 2, 1), ("lanes/interpreter", 2, 0)];

/// How many times as many transitions per second one machine makes as another.
fn ratio(all: &[Measured], fast: usize, slow: usize) -> Option<f64> {
    let rate = |at: usize| {
        let measured: &Measured = all.get(at)?;
        (measured.transitions > 0).then(|| measured.per_second(measured.transitions))
    };
    Some(rate(fast)? / rate(slow)?)
}

/// The geometric mean of each ratio, and over how many games it was taken.
fn means(games: &Games) -> Vec<(String, Option<f64>, usize)> {
    let mean = |(name, fast, slow): (&str, usize, usize)| {
        let logs: Vec<f64> =
            games.iter().filter_map(|(_, all)| ratio(all, fast, slow)).map(f64::ln).collect();
        let mean = (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp());
        (name.to_owned(), mean, logs.len())
    };
    RATIOS.into_iter().map(mean).collect()
}

fn compare_lines(games: &Games, means: &[(String, Option<f64>, usize)]) -> Vec<String> {
    let heads = ["game", "interpreter/s", "stepper/s", "lanes/s"];
    let names = RATIOS.iter().map(|(name, _, _)| *name);
    let mut rows: Vec<Vec<String>> =
        vec![heads.into_iter().chain(names).map(str::to_owned).collect()];
    let show = |ratio: Option<f64>| ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.1}"));
    for (source, all) in games {
        let rate = |measured: &Measured| match measured.transitions {
            0 => "-".to_owned(),
            count => per_second(count, measured.play.as_secs_f64()),
        };
        let rates = all.iter().map(rate);
        let ratios = RATIOS.iter().map(|(_, fast, slow)| show(ratio(all, *fast, *slow)));
        rows.push([source.name.clone()].into_iter().chain(rates).chain(ratios).collect());
    }
    let mut last = vec!["geometric mean".to_owned(), String::new(), String::new(), String::new()];
    last.extend(means.iter().map(|(_, mean, _)| show(*mean)));
    rows.push(last);
    columns(&rows, &[1, 2, 3, 4, 5, 6])
}

fn comparison(source: &Source, all: &[Measured]) -> Value {
    let ratios: serde_json::Map<String, Value> = RATIOS
        .iter()
        .map(|(name, fast, slow)| ((*name).to_owned(), json!(ratio(all, *fast, *slow))))
        .collect();
    let machines: Vec<Value> = all.iter().map(|measured| report(source, measured)).collect();
    json!({ "game": source.name, "machines": machines, "ratios": ratios })
}
