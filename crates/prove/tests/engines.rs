//! Both engines beside each other, and the programs of one of them in a solver that somebody else built.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use game::{Budget, Deadline, Game, Reasoner};
use prove::check::Checked;
use prove::{Certificate, Engines, Finding, Options, Prover, Verdict};

fn findings(name: &str, engines: Engines) -> Vec<Finding> {
    let game = Game::from_text(library::find(name).expect("in the library").rules).expect("valid");
    let reasoner = Reasoner::build(&game, &Budget::default());
    let deadline = Deadline::within(Duration::from_secs(20));
    let options = Options { deadline, engines, states: 500, ..Options::default() };
    let properties = Prover::candidates(&reasoner, &options.deadline);
    let mut prover = Prover::on(&reasoner, properties, &options.deadline);
    // The engines alone: whoever enumerates agrees with everybody.
    prover.play(&options, 100, &mut |_, _| ());
    match engines {
        Engines::Asp => prover.asp(&options, &mut |_, _| ()),
        _ => prover.sat(&options.deadline, 1, &mut |_, _| ()),
    }
    prover.recheck(&Deadline::within(Duration::from_secs(20)));
    prover.findings()
}

#[test]
fn both_engines_agree_wherever_both_decide() {
    for name in ["tictactoe", "nim_3_4_5", "blocks_world", "centipede", "blocker"] {
        let (asp, sat) = (findings(name, Engines::Asp), findings(name, Engines::Sat));
        assert_eq!(asp.len(), sat.len(), "{name}");
        let mut both = 0;
        for (one, other) in asp.iter().zip(&sat) {
            assert_eq!(one.text, other.text);
            if one.verdict.is_decided() && other.verdict.is_decided() {
                both += 1;
                let same = one.verdict.is_proved() == other.verdict.is_proved();
                assert!(same, "{name}: {}: {:?}, {:?}", one.text, one.verdict, other.verdict);
            }
            for finding in [one, other] {
                let rejected = matches!(finding.checked, Checked::Rejected(_));
                assert!(!rejected, "{name}: {}: {:?}", finding.text, finding.checked);
            }
        }
        assert!(both * 2 > asp.len(), "{name}: {both} of {} by both", asp.len());
    }
}

/// Asks the clingo of the machine; none if there is none.
fn stock_clingo(program: &str) -> Option<bool> {
    const ASK: &str = "import sys, clingo
control = clingo.Control(['--warn=none'])
control.add('base', [], sys.stdin.read())
control.ground([('base', [])])
print('some' if control.solve().satisfiable else 'none')";
    let mut child = Command::new("python3")
        .args(["-c", ASK])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    // Without the module it ends before it reads anything.
    let _ = child.stdin.take()?.write_all(program.as_bytes());
    let answer = child.wait_with_output().ok()?;
    match std::str::from_utf8(&answer.stdout).ok()?.trim() {
        "some" => Some(true),
        "none" => Some(false),
        _ => None,
    }
}

#[test]
fn stock_clingo_takes_the_programs_and_finds_no_answer_set_either() {
    if stock_clingo("a.") != Some(true) {
        println!("there is no clingo for python3 on this machine: nothing was compared");
        return;
    }
    assert_eq!(stock_clingo("a. :- a."), Some(false));
    let mut asked = 0;
    for finding in findings("tictactoe", Engines::Asp) {
        let Verdict::Proved { certificate: Some(Certificate::Programs { base, step }), .. } =
            &finding.verdict
        else {
            continue;
        };
        for program in [base, step].into_iter().filter(|text| !text.is_empty()).take(8 - asked) {
            assert_eq!(stock_clingo(program), Some(false), "{}", finding.text);
            asked += 1;
        }
    }
    assert!(asked > 2, "{asked} programs");
}
