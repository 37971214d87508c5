//! `fluxion check --prove`: thesis Def. 2.8-2.13 for all reachable states, proved or refuted. Of winnability (Def.
//! 2.11) it is the weak one, by a match for each role; well-formedness (Def. 2.12) follows from the others.

use std::io::Write;
use std::time::Duration;

use game::{Budget, Deadline, Game, Reasoner};
use prove::{Finding, Kind, Options, Property, Prover, Verdict, Vocabulary, candidates};
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
    let mut properties = Prover::candidates(&reasoner, &deadline);
    let count = properties.len();
    properties.extend(never_wins(&reasoner));
    let options = Options { deadline: deadline.clone(), seed: args.seed, ..Options::default() };
    let mut prover = Prover::on(&reasoner, properties, &deadline);
    prover.run(&options, &mut |_, _| ());
    let findings = prover.findings();
    let wins = winnable(game, &findings[count..]);
    let wanted: Vec<(&Finding, &str, &str)> = findings
        .iter()
        .filter_map(|finding| {
            let (name, number) = definition(&finding.property.kind)?;
            Some((finding, name, number))
        })
        .collect();
    let whole = well_formed(&wanted, &wins);
    if !as_json {
        let mut rows: Vec<Vec<String>> =
            wanted.iter().map(|(f, name, number)| row(f, name, number)).collect();
        rows.extend([wins.row(), whole.row()]);
        rows.sort_by_key(|row| rank(&row[0]));
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
    Ok(values.chain([wins.json(), whole.json()]).collect())
}

/// No role ever gets the most that the rules can give it.
fn never_wins(reasoner: &Reasoner) -> Vec<Property> {
    let most = |role| reasoner.gates().map_or(100, |gates| u32::from(gates.largest_reward(role).0));
    let most: Vec<u32> = reasoner.game().role_ids().map(most).collect();
    candidates::never_wins(&Vocabulary::new(reasoner.game()), &most)
}

/// What is known of a definition that is no property of states.
struct Derived {
    number: &'static str,
    name: &'static str,
    verdict: &'static str,
    detail: String,
}

impl Derived {
    fn row(&self) -> Vec<String> {
        let Self { number, name, verdict, detail } = self;
        vec![(*number).to_owned(), (*name).to_owned(), (*verdict).to_owned(), detail.clone()]
    }

    fn json(&self) -> Value {
        let Self { number, name, verdict, detail } = self;
        json!({ "name": name, "definition": number, "verdict": verdict, "detail": detail })
    }
}

/// Weak winnability: a match for each role in which it gets the most.
fn winnable(game: &Game, never: &[Finding]) -> Derived {
    let pairs = || game.role_ids().zip(never);
    let cannot = pairs().find(|(_, finding)| finding.verdict.is_proved());
    let open = pairs().find(|(_, finding)| !finding.verdict.is_decided());
    let (verdict, detail) = match (cannot, open) {
        (Some((role, _)), _) => ("refuted", format!("{} can never win", game.role_name(role))),
        (None, Some((role, _))) => {
            ("unknown", format!("no match was found that {} wins", game.role_name(role)))
        }
        (None, None) => ("proved", "for each role there is a match that it wins".to_owned()),
    };
    Derived { number: "Def. 2.11", name: "weak winnability", verdict, detail }
}

/// A game is well-formed if it terminates, is monotonic, playable and weakly winnable.
fn well_formed(wanted: &[(&Finding, &str, &str)], wins: &Derived) -> Derived {
    let mut refuted = Vec::new();
    let mut open = Vec::new();
    let of = |name: &'static str| {
        let found = wanted.iter().find(|(_, other, _)| *other == name);
        (name, found.map_or("unknown", |(finding, _, _)| finding.verdict.word()))
    };
    let parts = [of("termination"), of("playability"), of("monotonicity")];
    for (name, verdict) in parts.into_iter().chain([(wins.name, wins.verdict)]) {
        match verdict {
            "proved" => {}
            "refuted" => refuted.push(name),
            _ => open.push(name),
        }
    }
    let (verdict, detail) = match (refuted.as_slice(), open.as_slice()) {
        ([], []) => ("proved", "all four of its conditions".to_owned()),
        ([], open) => ("unknown", format!("for want of {}", open.join(", "))),
        (refuted, _) => ("refuted", format!("for want of {}", refuted.join(", "))),
    };
    Derived { number: "Def. 2.12", name: "well-formedness", verdict, detail }
}

/// The place of a definition among the others.
fn rank(number: &str) -> u32 {
    number.rsplit('.').next().and_then(|last| last.parse().ok()).unwrap_or(u32::MAX)
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
