//! What a search found, for the page.

use game::{Game, JointMove, Reasoner};
use search::{SearchReport, Stop};
use serde_json::{Value, json};

/// What the thinking is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A move of a seat.
    Move,
    /// A hint for a person.
    Hint,
    /// The solution of a puzzle.
    Solution,
    /// The judgement of a past step.
    Annotation,
}

impl Purpose {
    fn name(self) -> &'static str {
        match self {
            Self::Move => "move",
            Self::Hint => "hint",
            Self::Solution => "solution",
            Self::Annotation => "annotation",
        }
    }
}

/// Who thinks about what.
#[derive(Clone, Debug)]
pub struct Label {
    /// The step.
    pub step: usize,
    /// The role.
    pub role: usize,
    /// What for.
    pub purpose: Purpose,
    /// The strategy, as written.
    pub strategy: String,
    /// What it found out about the game, in words; the last line may tell its method.
    pub findings: Vec<String>,
}

/// The most candidates, and the longest line.
const MOST_CANDIDATES: usize = 40;
const LONGEST_LINE: usize = 400;

/// The texts of a joint move.
pub fn joint_texts(game: &Game, joint: &JointMove) -> Vec<String> {
    let universe = game.universe();
    joint.0.iter().map(|action| universe.move_entry(*action).text.to_string()).collect()
}

/// Rounded, so that texts stay short.
fn short(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

/// Why the method is used: what the strategy chose for what it found out, or what the strategy is.
fn why(label: &Label, method: &str, reasoner: &Reasoner) -> String {
    let name = label.strategy.split(':').next().unwrap_or_default();
    let known = player::Strategy::all().iter().find(|info| info.name == name);
    let summary = known.map_or(name, |info| info.summary);
    let status = reasoner.status();
    if let Some(chosen) = chosen(&label.findings) {
        return format!("{chosen}; {status}");
    }
    if name == method {
        return format!("{summary}; {status}");
    }
    format!("{name}: {summary}; {status}")
}

/// What was chosen, and for which class of games.
fn chosen(findings: &[String]) -> Option<String> {
    let method = findings.iter().find_map(|line| line.strip_prefix("method: "))?;
    let class = findings.iter().find_map(|line| line.strip_prefix("class ("));
    let class = class.and_then(|line| line.split_once("): ")).map(|(_, words)| words);
    Some(
        class.map_or_else(
            || method.to_owned(),
            |class| format!("{method}, since the game has {class}"),
        ),
    )
}

/// A report for the page.
pub fn thought(label: &Label, reasoner: &Reasoner, report: &SearchReport, done: bool) -> Value {
    let game = reasoner.game();
    let universe = game.universe();
    let candidates = report.moves.iter().take(MOST_CANDIDATES).map(|found| {
        json!({"move": &*universe.move_entry(found.action).text, "value": short(found.value.estimate),
               "low": short(found.value.low), "high": short(found.value.high),
               "visits": found.visits, "depth": found.depth, "weight": short(found.weight)})
    });
    let line = report.line.iter().take(LONGEST_LINE).map(|joint| joint_texts(game, joint));
    let values = report.values.iter().map(|value| {
        json!({"estimate": short(value.estimate), "low": short(value.low), "high": short(value.high)})
    });
    let stop = report.stop.as_ref().map(|stop| match stop {
        Stop::Done => "done",
        Stop::Time => "time",
        Stop::Cancelled => "cancelled",
        Stop::Nodes => "nodes",
        Stop::Depth => "depth",
        Stop::Memory => "memory",
        _ => "rules",
    });
    json!({
        "step": label.step, "role": label.role, "for": label.purpose.name(),
        "strategy": label.strategy, "method": report.method, "why": why(label, report.method, reasoner),
        "findings": label.findings,
        "values": values.collect::<Value>(), "line": line.collect::<Value>(),
        "candidates": candidates.collect::<Value>(),
        "best": report.best.map(|best| universe.move_entry(best).text.to_string()),
        "depth": report.depth, "selective_depth": report.selective_depth, "nodes": report.nodes,
        "nodes_per_second": report.nodes_per_second().round(), "seconds": short(report.seconds),
        "solved": report.solved, "memory": report.table.bytes, "stop": stop, "done": done,
    })
}

/// The values of a report, one for each role.
pub fn values(report: &SearchReport) -> Vec<f64> {
    report.values.iter().map(|value| short(value.estimate)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn why_a_method_is_used_names_the_class_of_the_game() {
        let lines = ["class (0.02 s): 2 roles, moves in turn", "method: alpha-beta"];
        let findings: Vec<String> = lines.map(str::to_owned).to_vec();
        let told = chosen(&findings).expect("a method");
        assert_eq!(told, "alpha-beta, since the game has 2 roles, moves in turn");
        assert_eq!(chosen(&[]), None);
    }
}
