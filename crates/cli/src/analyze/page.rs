//! The page: one file with everything in it, readable in light and dark, without scripts.

use std::fmt::Write as _;

use structure::draw::escape;

use super::Section;

const STYLE: &str = include_str!("page.css");

/// The whole page.
pub fn page(title: &str, sections: &[Section]) -> String {
    let mut out = String::new();
    let title = escape(title);
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{title} – Fluxion analysis</title><style>{STYLE}</style></head>\n<body><header><h1>{title}</h1><nav>"
    );
    for section in sections {
        let _ = write!(out, "<a href=\"#{}\">{}</a>", section.key, escape(section.title));
    }
    out.push_str("</nav></header>\n<main>");
    for section in sections {
        let _ = writeln!(
            out,
            "<section id=\"{}\"><h2>{}</h2>{}</section>",
            section.key,
            escape(section.title),
            section.html
        );
    }
    out.push_str(
        "</main>\n<footer>A question mark: read off random play, not proved. Arguments are counted from 1.\
         </footer></body></html>\n",
    );
    out
}

/// A table, with or without heads; the cells are HTML already.
pub fn table(heads: &[&str], rows: &[Vec<String>]) -> String {
    if rows.is_empty() {
        return "<p class=\"none\">none</p>".to_owned();
    }
    let mut out = "<div class=\"scroll\"><table>".to_owned();
    if !heads.is_empty() {
        out.push_str("<thead><tr>");
        for head in heads {
            let _ = write!(out, "<th>{}</th>", escape(head));
        }
        out.push_str("</tr></thead>");
    }
    out.push_str("<tbody>");
    for row in rows {
        out.push_str("<tr>");
        for cell in row {
            let _ = write!(out, "<td>{cell}</td>");
        }
        out.push_str("</tr>");
    }
    out.push_str("</tbody></table></div>");
    out
}

/// A name from the rules.
pub fn code(text: &str) -> String {
    format!("<code>{}</code>", escape(text))
}

/// A text that stays on one line.
pub fn fixed(text: &str) -> String {
    format!("<span class=\"fixed\">{}</span>", escape(text))
}

/// The name of something, on one line.
pub fn name(text: &str) -> String {
    format!("<code class=\"fixed\">{}</code>", escape(text))
}

/// A value that may be long: the beginning, and all of it on demand.
pub fn long(texts: &[String]) -> String {
    const SHOWN: usize = 14;
    let all: Vec<String> = texts.iter().map(|text| escape(text)).collect();
    if all.len() <= SHOWN + 2 {
        return format!("<code>{}</code>", all.join(" "));
    }
    format!(
        "<details><summary><code>{} … {}</code> ({})</summary><code>{}</code></details>",
        all[..SHOWN].join(" "),
        all[all.len() - 1],
        all.len(),
        all.join(" ")
    )
}
