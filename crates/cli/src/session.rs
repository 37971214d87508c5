//! One run of the program: where output goes, Ctrl-C, deadlines, progress, and a watchdog for stages
//! that take no deadline.

use std::cell::Cell;
use std::io::{self, BufWriter, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context;
use game::{EvalError, ReasonError};
use indicatif::{ProgressBar, ProgressStyle};

use crate::exit::{self, Exit, Failure};
use crate::limits::ReasonLimits;

/// How long after its deadline a stage may still run before the process is ended.
const GRACE: Duration = Duration::from_secs(5);

/// What all commands share.
pub struct Session {
    /// Standard output, with colours only where they can be seen.
    pub out: BufWriter<anstream::AutoStream<io::Stdout>>,
    stop: Arc<AtomicBool>,
    /// The time limit in seconds that was set last.
    timeout: Cell<f64>,
    watched: Arc<Mutex<Option<Instant>>>,
}

impl Session {
    /// Opens the output and listens to Ctrl-C. The second Ctrl-C ends the process at once.
    pub fn start() -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let flag = stop.clone();
        let listening = ctrlc::set_handler(move || {
            if flag.swap(true, Ordering::Relaxed) {
                std::process::exit(Exit::Interrupted as i32);
            }
        });
        if listening.is_err() {
            exit::warn("Ctrl-C will end the program without a summary");
        }
        let watched = Arc::new(Mutex::new(None));
        let watch = watched.clone();
        std::thread::spawn(move || watchdog(&watch));
        Self { out: BufWriter::new(anstream::stdout()), stop, timeout: Cell::new(0.0), watched }
    }

    /// Whether Ctrl-C was pressed.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The flag that Ctrl-C sets.
    pub fn stop_flag(&self) -> Arc<AtomicBool> {
        self.stop.clone()
    }

    /// The limits for work on one game that begins now.
    pub fn limits(&self, reason: &ReasonLimits) -> game::Limits {
        self.timeout.set(reason.timeout);
        let deadline = Instant::now() + Duration::from_secs_f64(reason.timeout);
        *self.watched.lock().unwrap_or_else(PoisonError::into_inner) = Some(deadline + GRACE);
        game::Limits {
            max_steps: reason.max_steps,
            max_facts: reason.max_facts,
            deadline: Some(deadline),
            cancel: Some(self.stop.clone()),
        }
    }

    /// Why a machine gave up, in the words of the user's limits.
    pub fn why(&self, error: &ReasonError) -> String {
        match error {
            ReasonError::Eval(EvalError::Interrupted) if self.stopped() => "interrupted".to_owned(),
            ReasonError::Eval(EvalError::Interrupted) => {
                format!("the time limit of {} s was reached (--timeout)", self.timeout.get())
            }
            ReasonError::Eval(EvalError::TooManySteps { .. }) => format!("{error} (--max-steps)"),
            ReasonError::Eval(EvalError::TooManyFacts { .. }) => format!("{error} (--max-facts)"),
            error => error.to_string(),
        }
    }

    /// An error for a game that a machine gave up on.
    pub fn gave_up(&self, label: &str, error: &ReasonError) -> Failure {
        Failure::gave_up(format!("{label}: {}", self.why(error)))
    }

    /// A progress bar on standard error; invisible where that is no terminal.
    pub fn progress(total: usize, what: &str) -> ProgressBar {
        let template = "{msg} {wide_bar} {percent}% {eta}";
        let style =
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::new(total as u64).with_style(style);
        bar.set_message(what.to_owned());
        bar
    }

    /// Writes a value as JSON.
    pub fn json(&mut self, value: &serde_json::Value) -> anyhow::Result<()> {
        serde_json::to_writer_pretty(&mut self.out, value).map_err(io::Error::from)?;
        writeln!(self.out)?;
        Ok(())
    }

    /// Writes out what is left; Ctrl-C decides the exit code.
    pub fn finish(&mut self, result: anyhow::Result<Exit>) -> anyhow::Result<Exit> {
        let flushed = self.out.flush().context("standard output cannot be written");
        *self.watched.lock().unwrap_or_else(PoisonError::into_inner) = None;
        if self.stopped() {
            exit::say("interrupted");
            return Ok(Exit::Interrupted);
        }
        let exit = result?;
        flushed?;
        Ok(exit)
    }
}

/// Ends the process where a stage without a deadline of its own outlives the limit.
fn watchdog(watched: &Mutex<Option<Instant>>) {
    loop {
        std::thread::sleep(Duration::from_millis(100));
        let deadline = *watched.lock().unwrap_or_else(PoisonError::into_inner);
        if deadline.is_some_and(|deadline| Instant::now() > deadline) {
            let hint = "raise it with --timeout, or make the rules smaller";
            exit::complain("the time limit was reached before the rules were ready", Some(hint));
            std::process::exit(Exit::GaveUp as i32);
        }
    }
}
