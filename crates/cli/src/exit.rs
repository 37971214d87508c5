//! How the program ends: exit codes, and errors told to the user with a hint.

use std::fmt;
use std::io;
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};

/// How a command ended. `docs/cli.md` documents the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// Done, and nothing is wrong.
    Fine = 0,
    /// Done, and something is wrong: unsound rules, a difference, a file that would change.
    Found = 1,
    /// Not done: input that cannot be read, output that cannot be written, wrong usage.
    Cannot = 2,
    /// Not done within the limits on time, steps or memory.
    GaveUp = 3,
    /// Stopped by Ctrl-C.
    Interrupted = 130,
}

/// An error with an exit code and a hint.
#[derive(Debug)]
pub struct Failure {
    exit: Exit,
    message: String,
    hint: Option<String>,
}

impl Failure {
    /// Something that cannot be done.
    pub fn cannot(message: impl Into<String>) -> Self {
        Self { exit: Exit::Cannot, message: message.into(), hint: None }
    }

    /// Something that was not finished within the limits.
    pub fn gave_up(message: impl Into<String>) -> Self {
        Self { exit: Exit::GaveUp, message: message.into(), hint: None }
    }

    /// Says what can be done about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// Tells an error on standard error and turns the result into the exit code of the process.
pub fn report(result: anyhow::Result<Exit>) -> ExitCode {
    let exit = match result {
        Ok(exit) => exit,
        Err(error) if is_broken_pipe(&error) => Exit::Fine,
        Err(error) => {
            tell(&error);
            exit_of(&error)
        }
    };
    ExitCode::from(exit as u8)
}

/// Tells an error, with its hint, on standard error.
pub fn tell(error: &anyhow::Error) {
    let hint = error.downcast_ref::<Failure>().and_then(|failure| failure.hint.as_deref());
    complain(&format!("{error:#}"), hint);
}

/// The exit code that an error stands for.
pub fn exit_of(error: &anyhow::Error) -> Exit {
    match error.downcast_ref::<Failure>() {
        Some(failure) => failure.exit,
        None if error.is::<game::ReasonError>() => Exit::GaveUp,
        None => Exit::Cannot,
    }
}

/// Writes `error: …` and `hint: …` to standard error.
pub fn complain(message: &str, hint: Option<&str>) {
    let red = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
    say(&format!("{red}error{red:#}: {message}"));
    if let Some(hint) = hint {
        let cyan = Style::new().bold().fg_color(Some(AnsiColor::Cyan.into()));
        say(&format!("{cyan}hint{cyan:#}: {hint}"));
    }
}

/// Writes `warning: …` to standard error.
pub fn warn(message: &str) {
    let yellow = Style::new().bold().fg_color(Some(AnsiColor::Yellow.into()));
    say(&format!("{yellow}warning{yellow:#}: {message}"));
}

/// Writes a line to standard error; if nobody reads it, that is no reason to fail.
pub fn say(line: &str) {
    use std::io::Write as _;
    let _ = writeln!(anstream::stderr(), "{line}");
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    })
}
