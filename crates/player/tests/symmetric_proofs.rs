//! Symmetric properties are proved once (thesis §8.4), with the verdicts that they get alone.

use std::time::Duration;

use game::{Budget, Deadline, Game, Reasoner};
use prove::check::Checked;
use prove::{Engine, Engines, Finding, Options, Prover, Verdict};

fn proved(rules: &str, engines: Engines, symmetric: bool) -> Vec<Finding> {
    let game = Game::from_text(rules).expect("valid");
    let reasoner = Reasoner::build(&game, &Budget::default());
    let deadline = Deadline::within(Duration::from_secs(120));
    let options = Options { deadline, engines, ..Options::default() };
    let candidates = Prover::candidates(&reasoner, &options.deadline);
    let mut prover = Prover::on(&reasoner, candidates, &options.deadline);
    if symmetric {
        let gates = reasoner.gates().expect("a circuit");
        prover.use_symmetries(player::automorphisms(&game, gates, &options.deadline));
    }
    prover.run(&options, &mut |_, _| ());
    prover.recheck(&options.deadline);
    prover.findings()
}

fn by_symmetry(finding: &Finding) -> bool {
    matches!(
        finding.verdict,
        Verdict::Proved { engine: Engine::Symmetry, .. }
            | Verdict::Refuted { engine: Engine::Symmetry, .. }
    )
}

/// Two counters that are raised one at a time.
const COUNTERS: &str = "
    (role you) (init (left a)) (init (right a)) (step a b) (step b c)
    (<= (legal you lift) (true (left ?x)) (step ?x ?y))
    (<= (legal you push) (true (right ?x)) (step ?x ?y))
    (<= (next (left ?y)) (does you lift) (true (left ?x)) (step ?x ?y))
    (<= (next (left ?x)) (does you push) (true (left ?x)))
    (<= (next (right ?y)) (does you push) (true (right ?x)) (step ?x ?y))
    (<= (next (right ?x)) (does you lift) (true (right ?x)))
    (<= terminal (true (left c)) (true (right c)))
    (<= (goal you 100) (true (left c)) (true (right c)))
    (<= (goal you 0) (not (true (left c))))
    (<= (goal you 0) (not (true (right c))))";

/// No proof that was handed on is rejected by the checker; how many were handed on, and how many of those are confirmed.
fn compared(name: &str, rules: &str, engines: Engines) -> (usize, usize) {
    let (alone, together) = (proved(rules, engines, false), proved(rules, engines, true));
    assert_eq!(alone.len(), together.len());
    for (one, other) in alone.iter().zip(&together) {
        assert_eq!(one.text, other.text);
        assert_eq!(one.verdict.word(), other.verdict.word(), "{name}: {}", one.text);
    }
    let mut counts = (0, 0);
    for other in together.iter().filter(|finding| by_symmetry(finding)) {
        counts.0 += 1;
        if other.verdict.is_proved() {
            assert!(!matches!(other.checked, Checked::Rejected(_)), "{name}: {}", other.text);
            counts.1 += usize::from(other.checked == Checked::Confirmed);
        }
    }
    println!("{name}: {} by symmetry, {} confirmed", counts.0, counts.1);
    counts
}

/// With both engines, and games of the library with the one on the circuit; with `FLUXION_STEPS` more of them, with both.
#[test]
fn verdicts_by_symmetry_are_those_that_each_property_gets_alone() {
    for engines in [Engines::Sat, Engines::Asp] {
        let (handed_on, confirmed) = compared("counters", COUNTERS, engines);
        assert!(handed_on >= 2 && confirmed >= 2, "{engines:?} {handed_on} {confirmed}");
    }
    let find = |name: &str| library::find(name).expect("there").rules;
    let (handed_on, confirmed) =
        compared("tictactoe_parallel", find("tictactoe_parallel"), Engines::Sat);
    assert!(handed_on >= 4 && confirmed >= 1, "{handed_on} {confirmed}");
    compared("tictactoe", find("tictactoe"), Engines::Sat);
    if std::env::var_os("FLUXION_STEPS").is_some() {
        for name in ["tictactoe_parallel", "eight_puzzle", "peg_solitaire", "nim_3_4_5"] {
            compared(name, find(name), Engines::Asp);
            compared(name, find(name), Engines::Sat);
        }
    }
}

/// The symmetry that exchanges left and right does not keep the initial state, so that nothing follows from it.
#[test]
fn a_symmetry_that_moves_the_initial_state_proves_nothing() {
    let rules = "(role you) (side left) (side right) (other left right) (other right left)
        (init (at left))
        (<= (legal you (stay ?s)) (true (at ?s)))
        (<= (next (at ?s)) (does you (stay ?s)))
        (<= (next (seen ?s)) (true (at ?s)))
        (<= (next (seen ?s)) (true (seen ?s)))
        (<= terminal (true (seen ?s)) (other ?s ?o) (true (seen ?o)))
        (<= (goal you 100) (true (at ?s))) ";
    let findings = proved(rules, Engines::Both, true);
    assert!(!findings.iter().any(by_symmetry));
    let alone = proved(rules, Engines::Both, false);
    for (one, other) in alone.iter().zip(&findings) {
        assert_eq!(one.verdict.word(), other.verdict.word(), "{}", one.text);
    }
}
