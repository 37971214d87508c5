//! Findings as people read them: code, place, source line with a caret under the span, why, hint.
//!
//! Only an excerpt is handed to the renderer, because rule sheets from the wire are a single line of
//! any length.

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use gdl::{Diagnostic, LineIndex, Position, Severity, Span};

/// The most characters shown of a line.
const WIDEST: usize = 100;
/// How many of them stand before the span where a line is cut.
const BEFORE: usize = 40;
/// The most lines shown of a span.
const TALLEST: usize = 4;

/// A rule sheet with its lines.
pub struct Sheet<'t> {
    /// What messages call it.
    pub label: &'t str,
    text: &'t str,
    lines: LineIndex,
}

/// A part of the source, and the span within it.
struct Excerpt {
    text: String,
    first_line: usize,
    span: std::ops::Range<usize>,
}

impl<'t> Sheet<'t> {
    /// Finds the lines of a text.
    pub fn new(label: &'t str, text: &'t str) -> Self {
        Self { label, text, lines: LineIndex::new(text) }
    }

    /// Where a span begins.
    pub fn begin(&self, span: Span) -> Position {
        self.lines.position(self.text, span.start.min(self.text.len() as u32))
    }

    /// Where a span ends.
    pub fn end(&self, span: Span) -> Position {
        self.lines.position(self.text, span.end.min(self.text.len() as u32))
    }

    /// A finding with all its places.
    pub fn diagnostic(&self, finding: &Diagnostic) -> String {
        let level = match finding.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let title = level.primary_title(finding.message.clone()).id(finding.code);
        let mut group = self.place(Group::with_title(title), finding.span);
        if let Some(why) = &finding.why {
            group = group.element(Level::NOTE.message(why.clone()));
        }
        if let Some(hint) = &finding.hint {
            group = group.element(Level::HELP.with_name("hint").message(hint.clone()));
        }
        let mut groups = vec![group];
        for related in &finding.related {
            let title = Level::NOTE.secondary_title(related.message.clone());
            groups.push(self.place(Group::with_title(title), related.span));
        }
        render(&groups)
    }

    /// A place with a remark.
    pub fn note(&self, message: &str, span: Span) -> String {
        let title = Level::NOTE.primary_title(message.to_owned());
        let group = self.place(Group::with_title(title), span);
        render(&[group])
    }

    fn place<'g>(&self, group: Group<'g>, span: Span) -> Group<'g> {
        let at = self.begin(span);
        let excerpt = self.excerpt(span);
        let origin = Origin::path(self.label.to_owned()).line(at.line).char_column(at.column);
        group.element(origin).element(
            Snippet::source(excerpt.text)
                .line_start(excerpt.first_line)
                .fold(false)
                .annotation(AnnotationKind::Primary.span(excerpt.span)),
        )
    }

    /// The lines of a span; of a long line only what surrounds it, of a tall span only its first
    /// line.
    fn excerpt(&self, span: Span) -> Excerpt {
        let start = floor(self.text, span.start as usize);
        let end = floor(self.text, (span.end as usize).max(start));
        let first = self.lines.line_of(start as u32);
        let last = self.lines.line_of(end as u32);
        let line_start = self.lines.line_start(first) as usize;
        let line_end = line_start + self.lines.line_text(self.text, first).len();
        if first != last && last - first < TALLEST {
            let bottom =
                self.lines.line_start(last) as usize + self.lines.line_text(self.text, last).len();
            let text = &self.text[line_start..bottom];
            if text.lines().all(|line| line.len() <= WIDEST) {
                let span = start - line_start..end - line_start;
                return Excerpt { text: text.to_owned(), first_line: first + 1, span };
            }
        }
        let start = start.min(line_end);
        let (text, span) = cut(
            &self.text[line_start..line_end],
            start - line_start,
            end.min(line_end) - line_start,
        );
        Excerpt { text, first_line: first + 1, span }
    }
}

/// Renders, without the lines that only part an origin from its source.
fn render(groups: &[Group<'_>]) -> String {
    let parting = |line: &&str| anstream::adapter::strip_str(line).to_string().trim() == ":::";
    let text = Renderer::styled().render(groups);
    text.lines().filter(|line| !parting(line)).collect::<Vec<_>>().join("\n")
}

/// The part of a line around `start..end`, with `…` where it was cut, and the span in it.
fn cut(line: &str, start: usize, end: usize) -> (String, std::ops::Range<usize>) {
    if line.len() <= WIDEST {
        return (line.to_owned(), start..end);
    }
    let from = step_back(line, start, BEFORE);
    let to = step_on(line, from, WIDEST);
    let left = if from > 0 { "…" } else { "" };
    let right = if to < line.len() { "…" } else { "" };
    let shift = |at: usize| at.clamp(from, to) - from + left.len();
    (format!("{left}{}{right}", &line[from..to]), shift(start)..shift(end))
}

fn step_back(line: &str, at: usize, characters: usize) -> usize {
    line[..at].char_indices().rev().take(characters).last().map_or(at, |(index, _)| index)
}

fn step_on(line: &str, at: usize, characters: usize) -> usize {
    line[at..].char_indices().nth(characters).map_or(line.len(), |(index, _)| at + index)
}

fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_cut_around_the_span_at_character_boundaries() {
        let line = format!("{}BAD{}", "é".repeat(5000), "ü".repeat(5000));
        let (text, span) = cut(&line, 10_000, 10_003);
        assert_eq!(&text[span], "BAD");
        assert!(text.starts_with('…') && text.ends_with('…'));
        assert_eq!(text.chars().count(), WIDEST + 2);
    }

    #[test]
    fn places_count_from_one_and_spans_beyond_the_text_do_not_break() {
        let sheet = Sheet::new("x.kif", "(role you)\n(role");
        let shown = sheet.note("here", Span::new(11, 16));
        assert!(shown.contains("x.kif"), "{shown}");
        assert!(shown.contains(":2:1"), "{shown}");
        assert!(!sheet.note("far", Span::new(900, 1000)).is_empty());
        assert!(!Sheet::new("e", "").note("empty", Span::new(0, 0)).is_empty());
    }
}
