//! The command line, tested as users meet it: the real binary, its output, its exit codes.

mod ablation;
mod analyze;
mod check;
mod conform;
mod eval;
mod fmt;
mod hostile;
mod json;
mod knowledge;
mod matches;
mod prove;
mod show;
mod solve;
mod terminal;

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What a run of the program gave.
#[derive(Debug)]
pub(crate) struct Run {
    /// The exit code; none if the process was killed.
    pub code: Option<i32>,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Run {
    /// Standard output as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Fails the test if the exit code is another one.
    #[track_caller]
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:?}");
        self
    }
}

/// The program with arguments, its output caught.
pub(crate) fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fluxion"));
    command.args(args).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
    // Nothing is written into the home of whoever runs the tests.
    command.env("FLUXION_KNOWLEDGE", "off");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the program; one that does not end within a minute fails the test.
pub(crate) fn fluxion(args: &[&str]) -> Run {
    run(&mut command(args), b"")
}

/// Runs the program with something on standard input.
pub(crate) fn fed(args: &[&str], input: &[u8]) -> Run {
    run(command(args).stdin(Stdio::piped()), input)
}

/// Runs a command to its end.
pub(crate) fn run(command: &mut Command, input: &[u8]) -> Run {
    let mut child = command.spawn().expect("the binary starts");
    if let Some(mut stdin) = child.stdin.take() {
        // The program may stop reading early; that is its right.
        let _ = stdin.write_all(input);
    }
    let out = reader(child.stdout.take());
    let err = reader(child.stderr.take());
    let deadline = Instant::now() + Duration::from_secs(60);
    let status = loop {
        match child.try_wait().expect("a child can be waited for") {
            Some(status) => break status,
            None if Instant::now() > deadline => {
                let _ = child.kill();
                panic!("still running after a minute: {command:?}");
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let text = |thread: std::thread::JoinHandle<Vec<u8>>| {
        String::from_utf8(thread.join().expect("a reader ends")).expect("output is text")
    };
    Run { code: status.code(), out: text(out), err: text(err) }
}

fn reader(pipe: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}

/// A file of its own for a test.
pub(crate) fn file(name: &str, content: impl AsRef<[u8]>) -> String {
    let path = path(name);
    std::fs::write(&path, content).expect("a temporary file can be written");
    path
}

/// A path of its own for a test; nothing is there yet.
pub(crate) fn path(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cli");
    std::fs::create_dir_all(&folder).expect("a temporary folder can be made");
    let path = folder.join(name);
    let _ = std::fs::remove_file(&path);
    path.to_str().expect("a plain path").to_owned()
}

/// A game of one role that ends after two steps.
pub(crate) const SMALL: &str = "(role you)
(init (step 1))
(succ 1 2) (succ 2 3)
(<= (legal you (go left)) (true (step 1)))
(legal you (go right))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= terminal (true (step 3)))
(<= (goal you 100) (true (step 3)))
(<= (goal you 0) (not (true (step 3))))
";
