//! Reports of a tournament: CSV and JSON for programs, a page with plots for people.

use std::fmt::Write as _;

use protocol::xml::escape;
use serde_json::{Value, json};

use super::ledger::Finished;
use super::plan::Plan;
use super::plot;
use super::run::{Sheet, by_player};
use super::summary::Summary;

/// All matches as CSV, one line for each role of each match.
pub fn matches_csv(plan: &Plan, sheets: &[Sheet], finished: &[Finished]) -> String {
    let mut out =
        "match,round,game,role,player,completed,goal,faults,steps,seconds,ended\n".to_owned();
    for match_ in finished {
        let scheduled = &match_.scheduled;
        let game = sheets.get(scheduled.game).map_or("", |sheet| &sheet.name);
        for (role, player) in scheduled.seats.iter().enumerate() {
            let name = plan.players.get(*player).map_or("", |player| &player.name);
            let goal = match_.goals.get(role).map_or(String::new(), i64::to_string);
            let faults = match_.faults.get(role).copied().unwrap_or(0);
            let _ = writeln!(
                out,
                "{},{},{},{},{},{},{goal},{faults},{},{:.3},{}",
                scheduled.id,
                scheduled.round + 1,
                cell(game),
                role + 1,
                cell(name),
                match_.completed,
                match_.steps,
                match_.seconds,
                match_.ended
            );
        }
    }
    out
}

/// The table as CSV.
pub fn standings_csv(summary: &Summary) -> String {
    let mut out = "rank,name,player,matches,mean,elo,plus_minus,faults\n".to_owned();
    for (rank, row) in summary.standings.iter().enumerate() {
        let _ = writeln!(
            out,
            "{},{},{},{},{:.3},{:.1},{:.1},{}",
            rank + 1,
            cell(&row.name),
            cell(&row.player),
            row.matches,
            row.mean,
            row.elo,
            row.plus_minus,
            row.faults
        );
    }
    out
}

/// A cell of CSV, quoted where it must be (RFC 4180).
fn cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// Everything as JSON; `docs/json.md` documents the keys.
pub fn json(plan: &Plan, sheets: &[Sheet], summary: &Summary, finished: &[Finished]) -> Value {
    let matches: Vec<Value> = finished
        .iter()
        .map(|m| {
            let names = m.scheduled.seats.iter().map(|p| plan.players.get(*p).map(|e| &e.name));
            json!({
                "match": m.scheduled.id,
                "round": m.scheduled.round + 1,
                "game": sheets.get(m.scheduled.game).map(|sheet| &sheet.name),
                "players": names.collect::<Vec<_>>(),
                "isCompleted": m.completed,
                "goalValues": m.goals,
                "faults": m.faults,
                "steps": m.steps,
                "seconds": m.seconds,
                "ended": m.ended,
            })
        })
        .collect();
    json!({ "plan": plan, "summary": summary, "results": matches })
}

/// A page that needs nothing else.
pub fn html(plan: &Plan, summary: &Summary, finished: &[Finished]) -> String {
    let mut out = String::new();
    let title = escape(&summary.name);
    let _ = write!(
        out,
        "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'><title>{title}</title><style>{STYLE}\
         </style></head><body>\n<h1>{title}</h1>\n<p>{} matches, {} without a result. Start clock {} s, play \
         clock {} s, seed {}.</p>\n",
        summary.matches, summary.aborted, plan.start_clock, plan.play_clock, plan.seed
    );
    out.push_str("<h2>Standings</h2>\n");
    standings(&mut out, summary);
    let _ = writeln!(out, "<h2>Ratings</h2>\n{}", plot::ratings(&summary.standings));
    let results = by_player(plan.players.len(), finished);
    let names: Vec<&str> = summary.standings.iter().map(|row| row.name.as_str()).collect();
    let number = |name: &str| plan.players.iter().position(|entrant| entrant.name == name);
    let courses: Vec<Vec<i64>> = names
        .iter()
        .map(|name| number(name).and_then(|n| results.get(&n)).cloned().unwrap_or_default())
        .collect();
    let _ = writeln!(out, "<h2>Course</h2>\n{}", plot::courses(&names, &courses));
    out.push_str("<h2>Classes of games</h2>\n");
    classes(&mut out, summary);
    out.push_str("<h2>Games</h2>\n");
    games(&mut out, summary);
    out.push_str("<h2>Head to head</h2>\n");
    head_to_head(&mut out, summary, &names);
    out.push_str(NOTE);
    out.push_str("</body></html>\n");
    out
}

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em;\
    color:#1a202c}table{border-collapse:collapse;margin:1em 0}th,td{padding:.3em .8em;border-bottom:1px solid \
    #e2e8f0;text-align:right}th:first-child,td:first-child{text-align:left}svg{max-width:100%;height:auto}\
    svg text{font:13px system-ui,sans-serif}.axis{stroke:#a0aec0}.grid{stroke:#e2e8f0}.tick{fill:#718096}";
const NOTE: &str = "<p>Ratings are Elo points around the mean of all players, with 95% intervals: the model of \
    Bradley and Terry with a normal prior; matches of more than two players count as encounters of two.</p>";

fn standings(out: &mut String, summary: &Summary) {
    out.push_str("<table><tr><th>player</th><th>matches</th><th>mean</th><th>Elo</th><th>±</th><th>faults</th></tr>");
    for row in &summary.standings {
        let _ = write!(
            out,
            "<tr><td title='{}'>{}</td><td>{}</td><td>{:.1}</td><td>{:.0}</td><td>{:.0}</td><td>{}</td></tr>",
            escape(&row.player).replace('\'', "&#39;"),
            escape(&row.name),
            row.matches,
            row.mean,
            row.elo,
            row.plus_minus,
            row.faults
        );
    }
    out.push_str("</table>\n");
}

/// A cell whose colour goes from red to green with the result.
fn shaded(mean: Option<f64>) -> String {
    match mean {
        Some(mean) => colored(mean, &format!("{mean:.0}")),
        None => "<td></td>".to_owned(),
    }
}

fn colored(mean: f64, text: &str) -> String {
    let hue = mean.clamp(0.0, 100.0) * 1.2;
    format!("<td style='background:hsl({hue:.0},60%,85%)'>{text}</td>")
}

fn classes(out: &mut String, summary: &Summary) {
    out.push_str("<table><tr><th>class</th><th>games</th><th>matches</th>");
    for row in &summary.standings {
        let _ = write!(out, "<th>{}</th>", escape(&row.name));
    }
    out.push_str("</tr>");
    for row in &summary.classes {
        let _ = write!(
            out,
            "<tr><td>{}</td><td>{}</td><td>{}</td>",
            row.name(),
            row.games,
            row.matches
        );
        for points in &row.points {
            out.push_str(&match points.count {
                0 => "<td></td>".to_owned(),
                _ => {
                    colored(points.mean, &format!("{:.1} ± {:.1}", points.mean, points.plus_minus))
                }
            });
        }
        out.push_str("</tr>");
    }
    out.push_str("</table>\n<p>Points: 50 is as good as the others in the same match, 100 is everything where they have nothing; with one role the \
        others are those who played the same game. ± is half of the 95% interval.</p>\n");
}

fn games(out: &mut String, summary: &Summary) {
    out.push_str("<table><tr><th>game</th><th>matches</th><th>steps</th>");
    for row in &summary.standings {
        let _ = write!(out, "<th>{}</th>", escape(&row.name));
    }
    out.push_str("<th>by role</th></tr>");
    for row in &summary.games {
        let _ = write!(
            out,
            "<tr><td>{}</td><td>{}</td><td>{:.1}</td>",
            escape(&row.name),
            row.matches,
            row.steps
        );
        row.means.iter().for_each(|mean| out.push_str(&shaded(*mean)));
        let roles: Vec<String> = row.role_means.iter().map(|mean| format!("{mean:.0}")).collect();
        let _ = write!(out, "<td>{}</td></tr>", roles.join(" / "));
    }
    out.push_str("</table>\n");
}

fn head_to_head(out: &mut String, summary: &Summary, names: &[&str]) {
    out.push_str("<table><tr><th>mean of … against</th>");
    for name in names {
        let _ = write!(out, "<th>{}</th>", escape(name));
    }
    out.push_str("</tr>");
    for name in names {
        let _ = write!(out, "<tr><td>{}</td>", escape(name));
        for opponent in names {
            let found = summary
                .head_to_head
                .iter()
                .find(|row| row.player == *name && row.opponent == *opponent);
            out.push_str(&shaded(found.map(|row| row.mean)));
        }
        out.push_str("</tr>");
    }
    out.push_str("</table>\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::Scheduled;

    #[test]
    fn reports_hold_every_match_and_survive_odd_names() {
        let plan = Plan::parse(
            "name = '<b>x</b>'\ngames = ['g']\n[[player]]\nname = 'a, \"b\"'\nplayer = 'random'\n\
             [[player]]\nname = '<script>'\nplayer = 'legal'",
        )
        .expect("a plan");
        let sheets = [Sheet::new("g", "")];
        let finished: Vec<Finished> = (1..=3)
            .map(|id| Finished {
                scheduled: Scheduled { id, round: 0, game: 0, seats: vec![0, 1] },
                completed: true,
                goals: vec![100, 0],
                faults: vec![0, 2],
                steps: 7,
                seconds: 0.5,
                ended: 1,
            })
            .collect();
        let summary = Summary::new(&plan, &sheets, &finished);
        let csv = matches_csv(&plan, &sheets, &finished);
        assert_eq!(csv.lines().count(), 1 + 2 * 3);
        assert!(csv.contains("1,1,g,1,\"a, \"\"b\"\"\",true,100,0,7,0.500,1\n"), "{csv}");
        assert_eq!(standings_csv(&summary).lines().count(), 3);
        let json = json(&plan, &sheets, &summary, &finished);
        assert_eq!(json["results"].as_array().map(Vec::len), Some(3));
        assert_eq!(json["summary"]["standings"][1]["faults"], 6);
        let html = html(&plan, &summary, &finished);
        assert!(!html.contains("<script>") && !html.contains("<b>x"), "{html}");
        assert_eq!(html.matches("<svg ").count(), 2);
        assert!(html.contains("<td>all</td><td>1</td><td>3</td>") && html.contains("100.0 ± 0.0"));
        assert!(!html.contains("NaN") && !html.contains("inf"), "{html}");
    }
}
