//! Formatting rule sheets with their comments kept, and converting between the two syntaxes.
//!
//! Each condition of a rule gets a line of its own; facts that shared a line stay together; empty
//! lines between clauses are kept, several become one. Formatting is idempotent and changes neither
//! the clauses nor the text and order of the comments.

use std::iter::Peekable;
use std::slice;

use crate::ast::{Clause, Comment, Formula, FormulaKind, Rules, Syntax};
use crate::print::Names;
use crate::text::{LineIndex, Span};

/// How to format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// The syntax to write.
    pub syntax: Syntax,
    /// The widest line that several facts or a short rule may fill.
    pub width: usize,
    /// Blanks per level.
    pub indent: usize,
}

impl Style {
    /// The default style of a syntax.
    pub fn of(syntax: Syntax) -> Self {
        let indent = match syntax {
            Syntax::Kif => 2,
            Syntax::Prolog => 4,
        };
        Self { syntax, width: 90, indent }
    }
}

/// Formats `rules`, which were read from `text`.
pub fn format(text: &str, rules: &Rules, style: Style) -> String {
    let formatter = Formatter {
        rules,
        style,
        lines: LineIndex::new(text),
        comments: rules.comments.iter().peekable(),
        out: Vec::new(),
    };
    formatter.run()
}

/// A line under construction; the comment is put behind the text at the very end.
struct Line {
    indent: usize,
    text: String,
    comment: Option<String>,
}

impl Line {
    fn new(indent: usize, text: String) -> Self {
        Self { indent, text, comment: None }
    }
}

struct Formatter<'r> {
    rules: &'r Rules,
    style: Style,
    lines: LineIndex,
    comments: Peekable<slice::Iter<'r, Comment>>,
    out: Vec<Line>,
}

impl Formatter<'_> {
    fn run(mut self) -> String {
        let clauses = &self.rules.clauses;
        let mut previous: Option<Span> = None;
        for clause in clauses {
            let commented = self.comments_before(clause.span.start);
            if clause.gap_before {
                self.blank();
            }
            let same_line = previous
                .is_some_and(|p| self.lines.line_of(p.end) == self.lines.line_of(clause.span.start));
            self.clause(clause, same_line && !commented);
            previous = Some(clause.span);
        }
        self.comments_before(u32::MAX);
        self.finish()
    }

    fn finish(self) -> String {
        let mut out = String::new();
        for line in &self.out {
            let indent = if line.text.is_empty() && line.comment.is_none() { 0 } else { line.indent };
            out.extend(std::iter::repeat_n(' ', indent));
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

    fn blank(&mut self) {
        if self.out.last().is_some_and(|line| !line.text.is_empty() || line.comment.is_some()) {
            self.out.push(Line::new(0, String::new()));
        }
    }

    /// `;` and `%` are exchanged, also where they are doubled.
    fn comment_text(&self, comment: &Comment) -> String {
        let (own, other) = match self.style.syntax {
            Syntax::Kif => (';', '%'),
            Syntax::Prolog => ('%', ';'),
        };
        let rest = comment.text.trim_start_matches([own, other]);
        let marks = comment.text.chars().count() - rest.chars().count();
        let mut out = String::from(own);
        out.extend(std::iter::repeat_n(own, marks));
        out.push_str(rest);
        out
    }

    /// Emits the comments that stand before `end` at the top level.
    fn comments_before(&mut self, end: u32) -> bool {
        let mut any = false;
        while let Some(comment) = self.comments.next_if(|c| c.span.start < end) {
            any = true;
            if !comment.trailing && comment.gap_before {
                self.blank();
            }
            self.put_comment(comment, 0);
        }
        any
    }

    /// A trailing comment joins the last line if that has none yet; others get their own line.
    fn put_comment(&mut self, comment: &Comment, indent: usize) {
        let text = self.comment_text(comment);
        match self.out.last_mut() {
            Some(last) if comment.trailing && last.comment.is_none() && !last.text.is_empty() => {
                last.comment = Some(text);
            }
            _ => self.out.push(Line { indent, text: String::new(), comment: Some(text) }),
        }
    }

    fn has_comment_in(&mut self, span: Span) -> bool {
        self.comments.peek().is_some_and(|c| c.span.start < span.end)
    }

    fn clause(&mut self, clause: &Clause, same_line: bool) {
        let names = Names::new(&self.rules.symbols, clause, self.style.syntax);
        let commented = self.has_comment_in(clause.span);
        let one_line = crate::print::clause(self.rules, clause, self.style.syntax);
        let width = self.style.width;
        if !clause.implication && !commented {
            match self.out.last_mut() {
                Some(last)
                    if same_line
                        && last.comment.is_none()
                        && last.indent == 0
                        && !last.text.is_empty()
                        && last.text.len() + 1 + one_line.len() <= width =>
                {
                    last.text.push(' ');
                    last.text.push_str(&one_line);
                }
                _ => self.out.push(Line::new(0, one_line)),
            }
            return;
        }
        let short = clause.body.len() <= 1 && one_line.len() <= width * 2 / 3;
        if !commented && short {
            self.out.push(Line::new(0, one_line));
            return;
        }
        match self.style.syntax {
            Syntax::Kif => self.kif_clause(&names, clause),
            Syntax::Prolog => self.prolog_clause(&names, clause),
        }
    }

    fn kif_clause(&mut self, names: &Names<'_>, clause: &Clause) {
        let indent = self.style.indent;
        let head = names.atom(&clause.head);
        if !clause.implication {
            self.out.push(Line::new(0, head));
            self.inner_comments(clause.span.end, 0);
            return;
        }
        self.inner_comments(clause.head.span.start, 0);
        self.out.push(Line::new(0, format!("(<= {head}")));
        for part in &clause.body {
            self.inner_comments(part.span.start, indent);
            self.kif_formula(names, part, indent);
        }
        self.close(")", clause.span.end, indent);
    }

    /// Appends closing text to the last line that has text, then emits what comments remain before
    /// `end`: a comment may not swallow a parenthesis.
    fn close(&mut self, text: &str, end: u32, indent: usize) {
        if let Some(line) = self.out.iter_mut().rev().find(|line| !line.text.is_empty()) {
            line.text.push_str(text);
        }
        self.inner_comments(end, indent);
    }

    fn inner_comments(&mut self, end: u32, indent: usize) {
        while let Some(comment) = self.comments.next_if(|c| c.span.start < end) {
            self.put_comment(comment, indent);
        }
    }

    fn kif_formula(&mut self, names: &Names<'_>, formula: &Formula, indent: usize) {
        let line = names.formula(formula);
        let fits = indent + line.len() <= self.style.width && !self.has_comment_in(formula.span);
        let (word, parts) = match &formula.kind {
            FormulaKind::Or(parts) if !fits => ("(or", parts),
            FormulaKind::And(parts) if !fits => ("(and", parts),
            _ => {
                self.out.push(Line::new(indent, line));
                self.inner_comments(formula.span.end, indent);
                return;
            }
        };
        self.out.push(Line::new(indent, word.to_owned()));
        for part in parts {
            self.inner_comments(part.span.start, indent + self.style.indent);
            self.kif_formula(names, part, indent + self.style.indent);
        }
        self.close(")", formula.span.end, indent + self.style.indent);
    }

    fn prolog_clause(&mut self, names: &Names<'_>, clause: &Clause) {
        let indent = self.style.indent;
        let head = names.atom(&clause.head);
        self.inner_comments(clause.head.span.start, 0);
        let neck = if clause.implication { " :-" } else { "" };
        self.out.push(Line::new(0, format!("{head}{neck}")));
        let mut first = true;
        for part in &clause.body {
            if !first {
                self.append(",");
            }
            first = false;
            self.inner_comments(part.span.start, indent);
            self.prolog_formula(names, part, indent);
        }
        self.append(".");
        self.inner_comments(clause.span.end, indent);
    }

    fn append(&mut self, text: &str) {
        if let Some(line) = self.out.iter_mut().rev().find(|line| !line.text.is_empty()) {
            line.text.push_str(text);
        }
    }

    fn prolog_formula(&mut self, names: &Names<'_>, formula: &Formula, indent: usize) {
        let line = names.formula(formula);
        let fits = indent + line.len() <= self.style.width && !self.has_comment_in(formula.span);
        let parts = match &formula.kind {
            FormulaKind::Or(parts) if parts.len() > 1 && !fits => parts,
            _ => {
                self.out.push(Line::new(indent, line));
                self.inner_comments(formula.span.end, indent);
                return;
            }
        };
        for (i, part) in parts.iter().enumerate() {
            let mark = if i == 0 { "( " } else { "; " };
            self.inner_comments(part.span.start, indent + 2);
            self.out.push(Line::new(indent, format!("{mark}{}", names.branch(part))));
            self.inner_comments(part.span.end, indent + 2);
        }
        self.out.push(Line::new(indent, ")".to_owned()));
        self.inner_comments(formula.span.end, indent + 2);
    }
}
