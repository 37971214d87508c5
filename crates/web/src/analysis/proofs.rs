//! Properties of the game, proved for all reachable states or refuted by a match that can be played (thesis §7).

use std::time::Duration;

use game::Deadline;
use prove::{Finding, Options, Told, Verdict, prove_all};
use serde_json::{Value, json};

use super::Section;
use crate::sheets::Sheet;
use crate::thought::joint_texts;

/// The memory for proofs, and the most properties that are told.
const MEMORY: usize = 256 << 20;
const MOST: usize = 200;

/// The section, and all that was found for it.
pub fn section(sheet: &Sheet, time: Duration) -> (Section, Told) {
    let deadline = Deadline::within(time);
    let options = Options { deadline, max_bytes: MEMORY, ..Options::default() };
    let mut findings = prove_all(&sheet.reasoner, &options, &mut |_, _| ());
    let section = told(sheet, &mut findings);
    (section, Told(findings))
}

fn told(sheet: &Sheet, findings: &mut [Finding]) -> Section {
    if findings.is_empty() {
        return (Err("there is nothing to prove".to_owned()), None);
    }
    findings.sort_by_key(|finding| match finding.verdict {
        Verdict::Proved { .. } => 0,
        Verdict::Refuted { .. } => 1,
        Verdict::Unknown { .. } => 2,
    });
    let told: Value = findings.iter().take(MOST).map(|finding| property(sheet, finding)).collect();
    (Ok(json!({"properties": told, "count": findings.len()})), None)
}

fn property(sheet: &Sheet, finding: &Finding) -> Value {
    let (why, trace) = match &finding.verdict {
        Verdict::Proved { engine, k: 0, .. } => (format!("by {engine}"), None),
        Verdict::Proved { engine, k, .. } => (format!("by {engine}, induction over {k}"), None),
        Verdict::Refuted { engine, trace, .. } => (format!("by {engine}"), Some(trace)),
        Verdict::Unknown { reason, .. } => (reason.to_string(), None),
    };
    let trace = trace.map(|trace| {
        let moves: Vec<Vec<String>> =
            trace.iter().map(|joint| joint_texts(&sheet.game, joint)).collect();
        json!({ "moves": moves })
    });
    json!({"text": finding.text, "verdict": finding.verdict.word(), "why": why, "trace": trace,
           "seconds": finding.verdict.seconds()})
}
