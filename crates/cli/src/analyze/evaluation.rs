//! What the evaluation functions make of the goals: their values in the initial state, term by term.

use std::fmt::Write as _;
use std::time::Duration;

use cpu_time::ThreadTime;
use evaluate::{Connective, Evaluation, Explanation, Method, Options, Part};
use game::{Deadline, Game};
use serde_json::{Value, json};
use structure::draw::escape;

use super::page::{code, table};
use super::{Findings, Section};
use crate::eval::part_json;

/// The time for each evaluation function.
const MOST_TIME: Duration = Duration::from_secs(10);
/// How many conditions are computed, and how many of each list are shown.
const MOST_PARTS: usize = 4_000;
const SHOWN: usize = 6;
/// With so few goals their conditions are open at once.
const OPEN: usize = 3;

/// One evaluation function at the initial state.
struct Judged {
    method: Method,
    evaluation: Evaluation,
    explained: Vec<Explanation>,
    seconds: f64,
}

/// The section.
pub fn section(findings: &Findings<'_>) -> Section {
    let judged: Vec<Judged> =
        [Method::Basic, Method::Distance].into_iter().filter_map(|m| judge(m, findings)).collect();
    let game = findings.game;
    let mut lines: Vec<String> = judged.iter().flat_map(|one| text(one, game)).collect();
    if judged.is_empty() {
        lines.push("none: the rules were not made ground".to_owned());
    }
    let json: Vec<Value> = judged.iter().map(|one| to_json(one, game)).collect();
    let html = if judged.is_empty() {
        "<p class=\"none\">none: the rules were not made ground</p>".to_owned()
    } else {
        judged.iter().map(|one| to_html(one, game)).collect()
    };
    Section { key: "evaluation", title: "Evaluation", lines, json: json!(json), html }
}

fn judge(method: Method, findings: &Findings<'_>) -> Option<Judged> {
    let begin = ThreadTime::now();
    let deadline = Deadline::within(MOST_TIME);
    let evaluation = method.build(findings.reasoner, &Options::default(), &deadline)?;
    let seconds = begin.elapsed().as_secs_f64();
    let mut evaluator = evaluation.evaluator();
    let roles = findings.game.role_ids();
    let explained =
        roles.map(|role| evaluator.explain(findings.initial, role, MOST_PARTS)).collect();
    Some(Judged { method, evaluation, explained, seconds })
}

fn describe(method: Method) -> &'static str {
    match method {
        Method::Basic => "fuzzy goals with structures (thesis §5)",
        Method::Distance => "fuzzy goals with distances (thesis §6)",
        Method::Ground => "fuzzy goals, fluents true or false",
    }
}

fn text(one: &Judged, game: &Game) -> Vec<String> {
    let mut lines = vec![format!(
        "{}: {}, {} nodes, {:.3} CPU s",
        one.method.name(),
        describe(one.method),
        one.evaluation.size(),
        one.seconds
    )];
    for (role, explanation) in game.role_ids().zip(&one.explained) {
        let neutral =
            if one.evaluation.is_neutral(role) { " (its goals tell nothing)" } else { "" };
        lines.push(format!("  {} {:.2}{neutral}", game.role_name(role), explanation.value));
        for goal in explanation.goals.iter().filter(|goal| goal.formula.is_some()) {
            lines.push(format!(
                "    goal {}: weight {:.0}%, degree {:.4}",
                goal.goal,
                100.0 * goal.weight,
                goal.degree
            ));
        }
    }
    lines.extend(one.evaluation.notes().iter().map(|note| format!("  note: {note}")));
    lines
}

fn to_json(one: &Judged, game: &Game) -> Value {
    let roles = game.role_ids().zip(&one.explained).map(|(role, explanation)| {
        let goals = explanation.goals.iter().map(|goal| {
            json!({
                "goal": goal.goal,
                "weight": goal.weight,
                "degree": goal.degree,
                "holds": goal.holds,
                "formula": goal.formula.as_ref().map(|formula| part_json(formula, SHOWN)),
            })
        });
        json!({
            "role": game.role_name(role),
            "value": explanation.value,
            "neutral": one.evaluation.is_neutral(role),
            "goals": goals.collect::<Value>(),
            "terminal": explanation.terminal.as_ref().map(|part| part_json(part, SHOWN)),
        })
    });
    json!({
        "by": one.method.name(),
        "nodes": one.evaluation.size(),
        "seconds": one.seconds,
        "roles": roles.collect::<Value>(),
        "notes": one.evaluation.notes(),
    })
}

fn to_html(one: &Judged, game: &Game) -> String {
    let mut out = format!(
        "<h3>{}: {}</h3><p class=\"note\">{} nodes, built in {:.3} CPU s; values in the initial state</p>",
        escape(one.method.name()),
        escape(describe(one.method)),
        one.evaluation.size(),
        one.seconds
    );
    for (role, explanation) in game.role_ids().zip(&one.explained) {
        let name = code(&game.role_name(role));
        let _ = write!(out, "<p>{name} <strong>{:.2}</strong>", explanation.value);
        if one.evaluation.is_neutral(role) {
            out.push_str(" – its goals tell nothing");
        }
        out.push_str("</p>");
        let goals =
            explanation.goals.iter().filter_map(|goal| Some((goal, goal.formula.as_ref()?)));
        let few = explanation.goals.len() <= OPEN;
        let rows: Vec<Vec<String>> = goals
            .map(|(goal, formula)| {
                let weight = format!("{:.0}%", 100.0 * goal.weight);
                let conditions = tree(formula, few);
                vec![goal.goal.to_string(), weight, format!("{:.4}", goal.degree), conditions]
            })
            .collect();
        out.push_str(&table(&["goal", "weight", "degree with the end", "conditions"], &rows));
        if let Some(end) = &explanation.terminal {
            let _ = write!(out, "<p>the end</p>{}", tree(end, false));
        }
    }
    for note in one.evaluation.notes() {
        let _ = write!(out, "<p class=\"note\">{}</p>", escape(note));
    }
    out
}

/// A condition with its parts, which open on demand or are `open`.
fn tree(part: &Part, open: bool) -> String {
    let connected = match part.connective {
        Connective::And => "all of",
        Connective::Or => "one of",
        Connective::Atom => "",
    };
    let name = part.name.as_deref().map_or_else(|| escape(connected), code);
    let negation = if part.negative { "not " } else { "" };
    let mark = if part.holds { "✓" } else { "·" };
    let head = format!("{mark} {:.4} {negation}{name}", part.degree);
    if part.parts.is_empty() {
        return format!("<div>{head}</div>");
    }
    let mut below: Vec<&Part> = part.parts.iter().collect();
    below.sort_by(|a, b| match part.connective {
        Connective::Or => b.degree.total_cmp(&a.degree),
        _ => a.degree.total_cmp(&b.degree),
    });
    let hidden = below.len().saturating_sub(SHOWN) + part.hidden;
    let mut inside: String = below.iter().take(SHOWN).map(|part| tree(part, false)).collect();
    if hidden > 0 {
        let _ = write!(inside, "<div class=\"none\">… {hidden} more</div>");
    }
    let connected = if part.name.is_some() { format!(", {connected}") } else { String::new() };
    format!(
        "<details{}><summary>{head}{connected}</summary><div class=\"inside\">{inside}</div></details>",
        if open { " open" } else { "" }
    )
}
