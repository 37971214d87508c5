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

/// With both engines. No proof that was handed on is rejected by the checker. With `FLUXION_STEPS` more games.
#[test]
fn verdicts_by_symmetry_are_those_that_each_property_gets_alone() {
    let (mut handed_on, mut confirmed) = (0, 0);
    let all = std::env::var_os("FLUXION_STEPS").is_some();
    let games: &[&str] = if all {
        &["tictactoe", "tictactoe_parallel", "eight_puzzle", "peg_solitaire", "nim_3_4_5"]
    } else {
        &["tictactoe", "tictactoe_parallel"]
    };
    for name in games {
        let rules = library::find(name).expect("there").rules;
        for engines in [Engines::Sat, Engines::Asp] {
            let alone = proved(rules, engines, false);
            let together = proved(rules, engines, true);
            assert_eq!(alone.len(), together.len());
            for (one, other) in alone.iter().zip(&together) {
                assert_eq!(one.text, other.text);
                assert_eq!(one.verdict.word(), other.verdict.word(), "{name}: {}", one.text);
                handed_on += usize::from(by_symmetry(other));
                if by_symmetry(other) && other.verdict.is_proved() {
                    // Facts about derived atoms have no image, so that there may be nothing to check.
                    assert!(
                        !matches!(other.checked, Checked::Rejected(_)),
                        "{name}: {}",
                        other.text
                    );
                    confirmed += usize::from(other.checked == Checked::Confirmed);
                }
            }
        }
    }
    println!("{handed_on} by symmetry, {confirmed} confirmed");
    assert!(handed_on >= 4 && confirmed >= 2, "{handed_on} {confirmed}");
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
