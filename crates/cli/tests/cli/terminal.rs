//! Colours, pipes, help, Ctrl-C, and output that cannot be written.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::{command, file, fluxion, path, run};

#[test]
fn pipes_get_no_colours_unless_forced_and_no_color_wins() {
    let name = file("colour.kif", "(role you)\n");
    let plain = fluxion(&["check", &name]).out;
    assert!(!plain.contains('\x1b'), "{plain:?}");
    let forced = fluxion(&["check", &name, "--color", "always"]).out;
    assert!(forced.contains('\x1b'), "{forced:?}");
    let off = run(command(&["check", &name]).env("NO_COLOR", "1").env("CLICOLOR_FORCE", "1"), b"");
    assert!(!off.out.contains('\x1b'), "{:?}", off.out);
    assert_eq!(plain, off.out);
}

#[test]
fn every_command_teaches_with_examples() {
    for name in ["check", "fmt", "show", "games", "trace", "conform", "bench"] {
        let help = fluxion(&[name, "--help"]).expect(0).out;
        assert!(help.contains("Examples:"), "{name}: {help}");
        assert!(help.contains("--json"), "{name}: {help}");
    }
    let help = fluxion(&["--help"]).expect(0).out;
    assert!(help.contains("Exit codes"), "{help}");
    fluxion(&["no-such-command"]).expect(2);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut child =
        command(&["trace", "tictactoe", "--playouts", "3000"]).spawn().expect("the binary starts");
    let mut line = String::new();
    let out = child.stdout.take().expect("a pipe");
    BufReader::with_capacity(64, out).read_line(&mut line).expect("the header");
    let ended = child.wait_with_output().expect("it ends");
    assert_eq!(ended.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&ended.stderr), "");
}

#[test]
fn output_that_cannot_be_written_is_an_error_that_says_so() {
    let run = fluxion(&["trace", "tictactoe", "-o", "/no/such/folder/t.jsonl"]).expect(2);
    assert!(run.err.contains("/no/such/folder/t.jsonl cannot be written"), "{}", run.err);
    let Ok(full) = std::fs::File::options().write(true).open("/dev/full") else {
        println!("passed by: there is no /dev/full here");
        return;
    };
    let run = crate::run(command(&["trace", "tictactoe"]).stdout(Stdio::from(full)), b"");
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.err.contains("standard output cannot be written"), "{}", run.err);
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_with_what_is_done() {
    let trace = path("interrupted.jsonl");
    let playouts = ["trace", "tictactoe", "--playouts", "100000000", "-o", &trace];
    let child = command(&playouts).spawn().expect("the binary starts");
    std::thread::sleep(std::time::Duration::from_millis(700));
    let id = child.id().to_string();
    let sent = std::process::Command::new("kill").args(["-INT", &id]).status();
    assert!(sent.expect("kill is there").success());
    let ended = child.wait_with_output().expect("it ends");
    let errors = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(130), "{errors}");
    assert!(errors.contains("interrupted"), "{errors}");
    let written = std::fs::read_to_string(&trace).expect("what was done is written");
    let header = written.lines().next().expect("a header");
    assert!(header.contains("\"truncated\":true"), "{header}");
    fluxion(&["conform", "tictactoe", &trace]).expect(0);
}
