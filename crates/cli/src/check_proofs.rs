//! `fluxion check --prove`: thesis Def. 2.8-2.10 and 2.13 for all reachable states, proved or refuted.

use std::io::Write;
use std::time::Duration;

use game::{Budget, Deadline, Game, Reasoner};
use prove::{Finding, Kind, Options, Prover, Verdict};
use serde_json::{Value, json};

use crate::args::CheckArgs;
use crate::prove::finding_json;
use crate::session::Session;
use crate::table::{columns, counted};

/// The definition that a property is about.
fn definition(kind: &Kind) -> Option<(&'static str, &'static str)> {
    match kind {
        Kind::Terminates { .. } => Some(("termination", "Def. 2.8")),
        Kind::Playable => Some(("playability", "Def. 2.9")),
        Kind::Monotonic => Some(("monotonicity", "Def. 2.10")),
        Kind::OutcomeDefined => Some(("outcome-definedness", "Def. 2.13")),
        _ => None,
    }
}

/// Proves what it can, tells it as text unless it is for programs, and returns it for programs.
pub fn prove(
    game: &Game,
    args: &CheckArgs,
    as_json: bool,
    session: &mut Session,
) -> anyhow::Result<Value> {
    let limits = session.limits(&args.reason);
    let whole = Duration::from_secs_f64(args.reason.timeout);
    let mut deadline = Deadline::within(whole);
    if let Some(flag) = limits.cancel {
        deadline = deadline.or_when(flag);
    }
    let budget =
        Budget { deadline: deadline.instant(), cancel: deadline.flag(), ..Budget::default() };
    let reasoner = Reasoner::build(game, &budget);
    // The others are tried as well: they help to prove these.
    let candidates = Prover::candidates(&reasoner, &deadline);
    let options = Options { deadline: deadline.clone(), seed: args.seed, ..Options::default() };
    let mut prover = Prover::on(&reasoner, candidates, &deadline);
    prover.run(&options, &mut |_, _| ());
    let findings = prover.findings();
    let wanted: Vec<(&Finding, &str, &str)> = findings
        .iter()
        .filter_map(|finding| {
            let (name, number) = definition(&finding.property.kind)?;
            Some((finding, name, number))
        })
        .collect();
    if !as_json {
        let rows: Vec<Vec<String>> =
            wanted.iter().map(|(f, name, number)| row(f, name, number)).collect();
        for line in columns(&rows, &[]) {
            writeln!(session.out, "{line}")?;
        }
    }
    let values = wanted.iter().map(|(finding, name, number)| {
        let mut value = finding_json(game, &findings, finding);
        value["name"] = json!(name);
        value["definition"] = json!(number);
        value
    });
    Ok(values.collect())
}

fn row(finding: &Finding, name: &str, number: &str) -> Vec<String> {
    let detail = match (&finding.verdict, &finding.property.kind) {
        (Verdict::Proved { .. }, Kind::Terminates { steps, .. }) => {
            format!("after at most {}", counted(*steps as usize, "move"))
        }
        (Verdict::Proved { .. }, _) => "in all reachable states".to_owned(),
        (Verdict::Refuted { trace, .. }, _) => {
            format!("after {} (fluxion prove --trace)", counted(trace.len(), "move"))
        }
        (Verdict::Unknown { reason, .. }, _) => reason.to_string(),
    };
    vec![number.to_owned(), name.to_owned(), finding.verdict.word().to_owned(), detail]
}
