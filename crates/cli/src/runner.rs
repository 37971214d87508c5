//! Machines that play at random for a while, for `fluxion bench`: what is measured, apart from how it is shown.
//!
//! CPU seconds of the thread are counted, not the clock on the wall, because machines are shared.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use game::playout::Random;
use game::{
    Batch, Budget, CircuitMachine, EvalError, Game, Gates, Limits, Machine, Playouts, ReasonError,
    Sizes, State,
};

use crate::args::{BenchArgs, BenchMachine};
use crate::machines;
use crate::simulate::{play, seed_of};

/// The clock is read once per that many positions, because reading it is not free.
const CLOCK_EVERY: u64 = 64;
/// The same for a machine that is quicker.
const STEPS_BETWEEN: u64 = 2000;

/// What was measured of a machine.
#[derive(Default)]
pub struct Measured {
    /// CPU time from text to the first move.
    pub load: Duration,
    /// CPU time of play.
    pub play: Duration,
    /// Playouts that came to their end.
    pub playouts: u64,
    /// Moves made.
    pub transitions: u64,
    /// The machine that was used in the end, and sizes if it is on the circuit.
    pub machine: &'static str,
    /// Sizes of the circuit.
    pub sizes: Option<Sizes>,
    /// Why it stopped early.
    pub stopped: Option<String>,
}

impl Measured {
    /// Per CPU second of play.
    pub fn per_second(&self, count: u64) -> f64 {
        count as f64 / self.play.as_secs_f64().max(1e-9)
    }
}

/// A machine that can play at random.
pub struct Runner {
    kind: Kind,
    limits: Limits,
    seed: u64,
    cap: usize,
    /// What was measured so far.
    pub measured: Measured,
}

enum Kind {
    /// One position by the machine interface.
    Interpreter(Box<dyn Machine>, State),
    /// One position inside the machine.
    Stepper(Box<CircuitMachine>, State, Random),
    Lanes(Box<Batch>),
    /// It could not even begin.
    None,
}

impl Runner {
    /// A runner on the machine wanted; `begin` is when loading began. What cannot be made says so in `stopped`.
    pub fn new(
        wanted: BenchMachine,
        args: &BenchArgs,
        game: &Game,
        limits: &Limits,
        begin: ThreadTime,
    ) -> Self {
        let deadline = Instant::now() + Duration::from_secs_f64(args.reason.timeout);
        let cancel = limits.cancel.clone();
        let budget = Budget { deadline: Some(deadline), cancel, ..Budget::default() };
        let gates = match wanted {
            BenchMachine::Interpreter => None,
            _ => Some(Gates::build(game, &budget)),
        };
        Self::on(wanted, args, game, gates, limits, begin)
    }

    /// The same on a circuit that was built, or was not.
    pub fn on(
        wanted: BenchMachine,
        args: &BenchArgs,
        game: &Game,
        gates: Option<Result<Gates, game::NoCircuit>>,
        limits: &Limits,
        begin: ThreadTime,
    ) -> Self {
        let mut measured = Measured::default();
        let kind = match (wanted, gates) {
            (BenchMachine::Lanes | BenchMachine::Auto, Some(Ok(gates))) => {
                measured.machine = "lanes";
                measured.sizes = Some(gates.sizes());
                Kind::Lanes(Box::new(gates.batch(args.seed)))
            }
            (BenchMachine::Stepper, Some(Ok(gates))) => {
                measured.machine = "stepper";
                measured.sizes = Some(gates.sizes());
                let mut machine = Box::new(gates.machine());
                match machine.initial() {
                    Ok(initial) => Kind::Stepper(machine, initial, Random::new(args.seed)),
                    Err(_) => Kind::None,
                }
            }
            (BenchMachine::Lanes | BenchMachine::Stepper, Some(Err(why))) => {
                measured.machine = if wanted == BenchMachine::Lanes { "lanes" } else { "stepper" };
                measured.stopped = Some(why.to_string());
                Kind::None
            }
            _ => {
                measured.machine = "interpreter";
                let mut machine = machines::make("interpreter", game, limits.clone());
                match machine.initial() {
                    Ok(initial) => Kind::Interpreter(machine, initial),
                    Err(error) => {
                        measured.stopped = Some(error.to_string());
                        Kind::None
                    }
                }
            }
        };
        measured.load = begin.elapsed();
        Self { kind, limits: limits.clone(), seed: args.seed, cap: args.cap, measured }
    }

    /// Plays for some CPU time.
    pub fn run(&mut self, wanted: Duration) -> Result<(), ReasonError> {
        if self.measured.stopped.is_some() {
            return Ok(());
        }
        let begin = ThreadTime::now();
        let result = match &mut self.kind {
            Kind::None => Ok(()),
            Kind::Lanes(batch) => loop {
                let tally = batch.play(64);
                self.measured.transitions += tally.transitions;
                self.measured.playouts += tally.playouts;
                if begin.elapsed() >= wanted {
                    break Ok(());
                }
                if is_cancelled(&self.limits) {
                    break Err(EvalError::Interrupted.into());
                }
            },
            Kind::Stepper(machine, initial, random) => loop {
                match steps(&mut **machine, initial, random, self.cap as u32) {
                    Ok((transitions, playouts)) => {
                        self.measured.transitions += transitions;
                        self.measured.playouts += playouts;
                    }
                    Err(error) => break Err(error),
                }
                if begin.elapsed() >= wanted {
                    break Ok(());
                }
                if is_cancelled(&self.limits) {
                    break Err(EvalError::Interrupted.into());
                }
            },
            Kind::Interpreter(machine, initial) => {
                let play = Play { seed: self.seed, cap: self.cap, begin, wanted };
                play.run(&mut **machine, initial, &mut self.measured)
            }
        };
        self.measured.play += begin.elapsed();
        result
    }
}

/// Whole playouts with at least so many transitions that reading the clock afterwards does not count; transitions
/// and playouts.
fn steps(
    machine: &mut dyn Playouts,
    initial: &State,
    random: &mut Random,
    cap: u32,
) -> Result<(u64, u64), ReasonError> {
    let (mut transitions, mut playouts) = (0, 0);
    while transitions < STEPS_BETWEEN && playouts < STEPS_BETWEEN {
        transitions += u64::from(machine.random_playout(initial, random, cap)?.length);
        playouts += 1;
    }
    Ok((transitions, playouts))
}

fn is_cancelled(limits: &Limits) -> bool {
    limits.cancel.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
}

/// Play by the machine interface, with the seeds of traces.
struct Play {
    seed: u64,
    cap: usize,
    begin: ThreadTime,
    wanted: Duration,
}

impl Play {
    fn run(
        &self,
        machine: &mut dyn Machine,
        initial: &State,
        measured: &mut Measured,
    ) -> Result<(), ReasonError> {
        while self.begin.elapsed() < self.wanted {
            let seed = seed_of(self.seed, measured.playouts as usize);
            let mut count = 0;
            let result = play(machine, initial, seed, self.cap, &mut |machine, state, legals| {
                count += u64::from(legals.is_some());
                if legals.is_none() {
                    for role in machine.game().role_ids() {
                        machine.goal(state, role)?;
                    }
                } else if count % CLOCK_EVERY == 0 && self.begin.elapsed() >= self.wanted {
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
                Err(ReasonError::Eval(EvalError::Interrupted))
                    if self.begin.elapsed() >= self.wanted =>
                {
                    measured.transitions += u64::saturating_sub(count, 1);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
