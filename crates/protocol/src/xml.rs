//! Records as the XML of the Dresden game controller: one document for each state, with the moves so far.

use std::fmt::Write as _;

use gdl::sexp::{Sexp, SexpKind};

use crate::message::compact;
use crate::record::MatchRecord;

/// The documents of a record with their names: `step_1.xml`, …, and `finalstate.xml` for a complete match.
pub fn documents(record: &MatchRecord) -> Vec<(String, String)> {
    let last = record.states.len();
    let mut documents = Vec::new();
    for step in 1..=last {
        let over = step == last && record.is_completed;
        let text = document(record, step, over);
        documents.push((format!("step_{step}.xml"), text.clone()));
        if over {
            documents.push(("finalstate.xml".to_owned(), text));
        }
    }
    documents
}

fn document(record: &MatchRecord, step: usize, over: bool) -> String {
    let mut out = Writer::default();
    out.line("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>");
    out.line("<!DOCTYPE match SYSTEM \"http://games.stanford.edu/gamemaster/xml/viewmatch.dtd\">");
    out.open("match");
    out.leaf("match-id", &record.match_id);
    let roles = record.fluxion.as_ref().map(|extra| &extra.roles[..]).unwrap_or_default();
    for role in roles {
        out.leaf("role", &role.to_uppercase());
    }
    for name in &record.player_names_from_host {
        out.leaf("player", &name.to_uppercase());
    }
    let time = record.state_times.get(step - 1).copied().unwrap_or(record.start_time);
    out.leaf("timestamp", &time.to_string());
    out.leaf("startclock", &record.start_clock.to_string());
    if !over {
        out.leaf("playclock", &record.play_clock.to_string());
    }
    history(&mut out, &record.moves[..(step - 1).min(record.moves.len())]);
    if over {
        out.open("scores");
        for goal in &record.goal_values {
            out.leaf("reward", &goal.to_string());
        }
        out.close("scores");
    }
    state(&mut out, &record.states[step - 1]);
    out.close("match");
    out.text
}

fn history(out: &mut Writer, moves: &[Vec<String>]) {
    out.open("history");
    for (number, joint) in moves.iter().enumerate() {
        out.open("step");
        out.leaf("step-number", &(number + 1).to_string());
        for text in joint {
            out.leaf("move", &compact(text).to_uppercase());
        }
        out.close("step");
    }
    out.close("history");
}

fn state(out: &mut Writer, text: &str) {
    out.open("state");
    let reading = gdl::sexp::read(text, &gdl::Limits::default());
    let fluents = reading.items.first().and_then(Sexp::as_list).unwrap_or_default();
    for fluent in fluents {
        out.open("fact");
        let term = |item: &Sexp<'_>| compact(&text[item.span.range()]).to_uppercase();
        match &fluent.kind {
            SexpKind::List(items) => {
                for (at, item) in items.iter().enumerate() {
                    out.leaf(if at == 0 { "prop-f" } else { "arg" }, &term(item));
                }
            }
            SexpKind::Symbol(_) => out.leaf("prop-f", &term(fluent)),
        }
        out.close("fact");
    }
    out.close("state");
}

#[derive(Default)]
struct Writer {
    text: String,
    depth: usize,
}

impl Writer {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", 2 * self.depth);
    }

    fn open(&mut self, name: &str) {
        self.line(&format!("<{name}>"));
        self.depth += 1;
    }

    fn close(&mut self, name: &str) {
        self.depth -= 1;
        self.line(&format!("</{name}>"));
    }

    fn leaf(&mut self, name: &str, text: &str) {
        self.line(&format!("<{name}>{}</{name}>", escape(text)));
    }
}

/// Text that may stand in XML and HTML, between tags and in attributes.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // XML has no place for them.
            c if c.is_control() && !c.is_whitespace() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_and_the_end_become_documents() {
        let record = MatchRecord {
            match_id: "m<1>".to_owned(),
            states: vec!["( ( cell 1 (f a) ) open )".to_owned(), "( )".to_owned()],
            moves: vec![vec!["( mark 1 1 )".to_owned(), "noop".to_owned()]],
            is_completed: true,
            goal_values: vec![100, 0],
            ..MatchRecord::default()
        };
        let documents = documents(&record);
        let names: Vec<&str> = documents.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["step_1.xml", "step_2.xml", "finalstate.xml"]);
        let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let first = flat(&documents[0].1);
        assert!(first.contains("<match-id>m&lt;1&gt;</match-id>"), "{first}");
        assert!(first.contains("<prop-f>CELL</prop-f> <arg>1</arg> <arg>(F A)</arg>"), "{first}");
        assert!(first.contains("<prop-f>OPEN</prop-f>") && first.contains("<playclock>"));
        let end = flat(&documents[2].1);
        assert!(
            end.contains("<step-number>1</step-number> <move>(MARK 1 1)</move> <move>NOOP</move>")
        );
        assert!(end.contains("<scores> <reward>100</reward> <reward>0</reward> </scores>"));
    }
}
