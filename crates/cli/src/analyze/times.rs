//! The last section: how long the analyses took.

use serde_json::{Map, json};

use super::page::table;
use super::{Findings, Section};
use crate::table::columns;

/// The section. Stages are in CPU seconds; the parts of a stage are on the wall clock, which says more on an idle
/// machine than on a busy one.
pub fn section(findings: &Findings<'_>, sections: &[(&'static str, f64)]) -> Section {
    let stages = findings.seconds.iter().chain(sections);
    let stages = stages.map(|(name, seconds)| (*name, "CPU", *seconds));
    let parts = findings.structures.times.iter();
    let parts = parts.map(|(name, time)| (*name, "elapsed", time.as_secs_f64()));
    let all: Vec<(&str, &str, f64)> = stages.chain(parts).collect();
    let rows: Vec<Vec<String>> = all
        .iter()
        .map(|(name, clock, s)| vec![(*name).to_owned(), format!("{s:.3} s"), (*clock).to_owned()])
        .collect();
    let seconds: Map<_, _> =
        all.iter().map(|(name, _, s)| (name.replace(' ', "_"), json!(s))).collect();
    let html = table(&["analysis", "time", "clock"], &rows);
    Section {
        key: "seconds",
        title: "Time",
        lines: columns(&rows, &[1]),
        json: json!(seconds),
        html,
    }
}
