//! Formatting rule sheets with their comments kept, and converting between the two syntaxes.
//!
//! Each condition of a rule gets a line of its own; a short rule with one condition may stay on the
//! line on which it was written, and facts that shared a line stay together. Empty lines between
//! clauses are kept, several become one. Formatting is idempotent and changes neither
//! the clauses nor the text and order of the comments; only a conversion exchanges the marks `;` and
//! `%`, also where they are doubled. Block comments become line comments.

mod lines;
mod place;
#[cfg(test)]
mod tests;

use std::iter::Peekable;
use std::slice;

use crate::ast::{Clause, Comment, Formula, Rules, Syntax};
use crate::print::Names;
use crate::text::{LineIndex, Span};
use lines::{Lines, width};
use place::{Group, Places, group_of, is_bare, place};

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
        Self { syntax, width: 100, indent }
    }
}

/// Formats `rules`, which were read from `text`.
pub fn format(text: &str, rules: &Rules, style: Style) -> String {
    let formatter = Formatter {
        rules,
        style,
        source: LineIndex::new(text),
        comments: rules.comments.iter().peekable(),
        out: Lines::default(),
        after_facts: false,
    };
    formatter.run()
}

struct Formatter<'r> {
    rules: &'r Rules,
    style: Style,
    source: LineIndex,
    comments: Peekable<slice::Iter<'r, Comment>>,
    out: Lines,
    /// Whether the last line holds facts only, so that another may join them.
    after_facts: bool,
}

impl Formatter<'_> {
    fn run(mut self) -> String {
        let mut previous: Option<Span> = None;
        for clause in &self.rules.clauses {
            self.comments_before(clause.span.start);
            if clause.gap_before {
                self.out.gap();
                self.after_facts = false;
            }
            let line = |offset| self.source.line_of(offset);
            let joins = previous.is_some_and(|p| line(p.end) == line(clause.span.start));
            self.clause(clause, joins && self.after_facts);
            previous = Some(clause.span);
        }
        self.comments_before(u32::MAX);
        self.out.finish()
    }

    /// The comment with its mark, which in a conversion becomes that of the other syntax.
    fn comment_text(&self, comment: &Comment) -> String {
        let mark = match self.style.syntax {
            Syntax::Kif => ';',
            Syntax::Prolog => '%',
        };
        let mut out = String::from(mark);
        if self.style.syntax == self.rules.syntax {
            out.push_str(&comment.text);
            return out;
        }
        let rest = comment.text.trim_start_matches([';', '%']);
        let marks = &comment.text[..comment.text.len() - rest.len()];
        out.extend(marks.chars().map(|c| if c == ';' { '%' } else { ';' }));
        out.push_str(rest);
        out
    }

    /// Writes the comments that stand before `end` at the top level.
    fn comments_before(&mut self, end: u32) {
        while let Some(comment) = self.comments.next_if(|c| c.span.start < end) {
            self.after_facts = false;
            let text = self.comment_text(comment);
            if comment.trailing {
                self.out.trail(0, text);
                continue;
            }
            if comment.gap_before {
                self.out.gap();
            }
            self.out.comment(0, text);
        }
    }

    fn may_stay_on_a_line(&self, clause: &Clause) -> bool {
        let line = |offset| self.source.line_of(offset);
        clause.body.is_empty()
            || clause.body.len() == 1 && line(clause.span.start) == line(clause.span.end)
    }

    fn clause(&mut self, clause: &Clause, joins: bool) {
        let mut inner = Vec::new();
        while let Some(comment) = self.comments.next_if(|c| c.span.start < clause.span.end) {
            inner.push(comment);
        }
        let places = place(clause, &inner, self.style.syntax);
        let names = Names::of_clause(&self.rules.symbols, clause, self.style.syntax);
        for comment in &places.before {
            let text = self.comment_text(comment);
            self.out.comment(0, text);
        }
        let one_line = names.clause(clause);
        let short = self.may_stay_on_a_line(clause) && width(&one_line) <= self.style.width * 2 / 3;
        let mut writer = Writer { formatter: self, names: &names, places: &places, event: 0 };
        if !clause.implication {
            writer.fact(&one_line, joins);
            self.after_facts = inner.is_empty();
            return;
        }
        if short && !places.commented(0) {
            writer.formatter.out.push(0, &one_line);
            writer.skip_group(0);
        } else {
            writer.rule(clause);
        }
        self.after_facts = false;
    }
}

/// Lays out one clause; `event` counts the events of [`place`] in step with it.
struct Writer<'w, 'r> {
    formatter: &'w mut Formatter<'r>,
    names: &'w Names<'r>,
    places: &'w Places<'r>,
    event: usize,
}

impl Writer<'_, '_> {
    fn style(&self) -> Style {
        self.formatter.style
    }

    fn is_kif(&self) -> bool {
        self.style().syntax == Syntax::Kif
    }

    /// Writes the comments behind the current event and goes on to the next one.
    fn slot(&mut self, indent: usize) {
        let slot = &self.places.slots[self.event];
        if let Some(comment) = slot.trailing {
            let text = self.formatter.comment_text(comment);
            self.formatter.out.trail(indent, text);
        }
        for comment in &slot.own {
            let text = self.formatter.comment_text(comment);
            self.formatter.out.comment(indent, text);
        }
        self.event += 1;
    }

    /// Goes to the end of the group that opens here: it was written on one line.
    fn skip_group(&mut self, indent: usize) {
        self.event = self.places.closing[self.event];
        self.slot(indent);
    }

    fn fact(&mut self, text: &str, joins: bool) {
        let most = self.style().width;
        match self.formatter.out.last() {
            Some(last) if joins && width(&last.text) + 1 + width(text) <= most => {
                last.text.push(' ');
                last.text.push_str(text);
            }
            _ => self.formatter.out.push(0, text),
        }
        self.slot(0);
    }

    fn rule(&mut self, clause: &Clause) {
        let indent = self.style().indent;
        let head = self.names.atom(&clause.head);
        self.event += 1;
        let first = if self.is_kif() { format!("(<= {head}") } else { format!("{head} :-") };
        self.formatter.out.push(0, &first);
        self.slot(indent);
        self.parts(&clause.body, indent, false);
        if self.is_kif() {
            self.formatter.out.close(0, ")");
        } else {
            let end = if clause.body.is_empty() { " ." } else { "." };
            self.formatter.out.close(indent, end);
        }
        self.slot(0);
    }

    /// Conditions that must all hold, each on a line of its own.
    fn parts(&mut self, parts: &[Formula], indent: usize, in_or: bool) {
        for (i, part) in parts.iter().enumerate() {
            if i > 0 && !self.is_kif() {
                self.formatter.out.append(",");
            }
            self.formula(part, indent, in_or);
        }
    }

    fn formula(&mut self, formula: &Formula, indent: usize, in_or: bool) {
        let syntax = self.style().syntax;
        let group = group_of(formula, syntax);
        let bare = group.as_ref().is_some_and(|group| is_bare(group, in_or, syntax));
        let line = if bare { self.names.branch(formula) } else { self.names.formula(formula) };
        let fits = indent + width(&line) <= self.style().width;
        match group {
            Some(group) if !fits || self.places.commented(self.event) => match syntax {
                Syntax::Kif => self.kif_group(&group, indent),
                Syntax::Prolog if bare => self.bare_group(&group, indent),
                Syntax::Prolog => self.prolog_group(&group, indent),
            },
            _ => {
                self.formatter.out.push(indent, &line);
                self.skip_group(indent);
            }
        }
    }

    fn kif_group(&mut self, group: &Group<'_>, indent: usize) {
        let inner = indent + self.style().indent;
        let word = if group.is_or { "(or" } else { "(and" };
        self.formatter.out.push(indent, &("(not ".repeat(group.nots) + word));
        self.slot(inner);
        self.parts(group.parts, inner, group.is_or);
        self.formatter.out.close(indent, &")".repeat(group.nots + 1));
        self.slot(indent);
    }

    /// `a, b` between two `;`.
    fn bare_group(&mut self, group: &Group<'_>, indent: usize) {
        self.event += 1;
        self.parts(group.parts, indent, false);
        self.slot(indent);
    }

    /// Parts below each other, `;` or `,` between them, the closing parenthesis on its own line.
    fn prolog_group(&mut self, group: &Group<'_>, indent: usize) {
        let lead = "not ".repeat(group.nots) + "( ";
        let inner = indent + width(&lead);
        self.event += 1;
        self.formatter.out.lead(&lead);
        if group.is_or {
            for (i, part) in group.parts.iter().enumerate() {
                if i > 0 {
                    self.formatter.out.lead("; ");
                }
                self.formula(part, inner, true);
            }
        } else {
            self.parts(group.parts, inner, false);
        }
        self.formatter.out.push(inner - 2, ")");
        self.slot(inner - 2);
    }
}
