//! Lines under construction.

/// A line; the comment is put behind the text at the very end.
pub(super) struct Line {
    pub indent: usize,
    pub text: String,
    pub comment: Option<String>,
}

/// The lines written so far.
#[derive(Default)]
pub(super) struct Lines {
    lines: Vec<Line>,
    /// What goes in front of the next line of text, at the cost of its indentation.
    lead: String,
}

impl Lines {
    /// Begins a line of text.
    pub fn push(&mut self, indent: usize, text: &str) {
        let lead = std::mem::take(&mut self.lead);
        let indent = indent.saturating_sub(width(&lead));
        self.lines.push(Line { indent, text: lead + text, comment: None });
    }

    /// Puts text in front of the next line.
    pub fn lead(&mut self, text: &str) {
        self.lead.push_str(text);
    }

    /// Adds a comment on a line of its own.
    pub fn comment(&mut self, indent: usize, comment: String) {
        self.lines.push(Line { indent, text: String::new(), comment: Some(comment) });
    }

    /// Adds a comment behind the last line; where that has one or has no text, on its own line.
    pub fn trail(&mut self, indent: usize, comment: String) {
        match self.lines.last_mut() {
            Some(last) if last.comment.is_none() && !last.text.is_empty() => {
                last.comment = Some(comment);
            }
            _ => self.comment(indent, comment),
        }
    }

    /// Appends text to the last line that has any, in front of its comment.
    pub fn append(&mut self, text: &str) {
        if let Some(line) = self.lines.iter_mut().rev().find(|line| !line.text.is_empty()) {
            line.text.push_str(text);
        }
    }

    /// Appends text to the last line, or begins one if that is a comment.
    pub fn close(&mut self, indent: usize, text: &str) {
        match self.lines.last_mut() {
            Some(last) if !last.text.is_empty() => last.text.push_str(text),
            _ => self.push(indent, text.trim_start()),
        }
    }

    /// The last line.
    pub fn last(&mut self) -> Option<&mut Line> {
        self.lines.last_mut()
    }

    /// An empty line, unless there is one already or nothing stands above.
    pub fn gap(&mut self) {
        let filled = |line: &Line| !line.text.is_empty() || line.comment.is_some();
        if self.lines.last().is_some_and(filled) {
            self.lines.push(Line { indent: 0, text: String::new(), comment: None });
        }
    }

    /// The whole text.
    pub fn finish(self) -> String {
        let mut out = String::new();
        for line in &self.lines {
            let empty = line.text.is_empty() && line.comment.is_none();
            out.extend(std::iter::repeat_n(' ', if empty { 0 } else { line.indent }));
            out.push_str(&line.text);
            if let Some(comment) = &line.comment {
                if !line.text.is_empty() {
                    out.push(' ');
                }
                out.push_str(comment);
            }
            out.push('\n');
        }
        out
    }
}

/// The width of a text in characters.
pub(super) fn width(text: &str) -> usize {
    text.chars().count()
}
