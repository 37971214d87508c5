//! S-expressions: the surface of KIF, for rule sheets and for messages on the wire.
//!
//! The reader never recurses, so hostile nesting cannot exhaust the stack, and it reports every
//! unbalanced parenthesis it can tell apart in one run.

use crate::Limits;
use crate::ast::Comment;
use crate::diagnostic::Diagnostic;
use crate::text::{LineIndex, Span};

/// A symbol or a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sexp<'t> {
    /// What it is.
    pub kind: SexpKind<'t>,
    /// Its place.
    pub span: Span,
}

/// The kinds of s-expressions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SexpKind<'t> {
    /// A run of characters other than blanks, parentheses and `;`.
    Symbol(&'t str),
    /// A parenthesised list.
    List(Vec<Sexp<'t>>),
}

impl<'t> Sexp<'t> {
    /// The symbol's text, if it is one.
    pub fn as_symbol(&self) -> Option<&'t str> {
        match &self.kind {
            SexpKind::Symbol(text) => Some(text),
            SexpKind::List(_) => None,
        }
    }

    /// The list's items, if it is one.
    pub fn as_list(&self) -> Option<&[Sexp<'t>]> {
        match &self.kind {
            SexpKind::Symbol(_) => None,
            SexpKind::List(items) => Some(items),
        }
    }
}

/// What [`read`] found.
#[derive(Clone, Debug, Default)]
pub struct Reading<'t> {
    /// The top-level expressions.
    pub items: Vec<Sexp<'t>>,
    /// The comments.
    pub comments: Vec<Comment>,
    /// What is wrong with the surface.
    pub problems: Vec<Diagnostic>,
}

enum Token<'t> {
    Open,
    Close,
    Symbol(&'t str),
    Comment(&'t str),
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

/// Blanks, and the byte order mark that some editors leave at the beginning.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

impl<'t> Iterator for Lexer<'t> {
    type Item = (Token<'t>, Span);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = &self.text[self.at..];
        let skipped = rest.len() - rest.trim_start_matches(is_blank).len();
        let start = self.at + skipped;
        let rest = &self.text[start..];
        let (token, length) = match rest.chars().next()? {
            '(' => (Token::Open, 1),
            ')' => (Token::Close, 1),
            ';' => {
                let length = rest.find('\n').unwrap_or(rest.len());
                (Token::Comment(rest[1..length].trim_end()), length)
            }
            _ => {
                let stop = |c: char| is_blank(c) || matches!(c, '(' | ')' | ';');
                let length = rest.find(stop).unwrap_or(rest.len());
                (Token::Symbol(&rest[..length]), length)
            }
        };
        self.at = start + length;
        Some((token, Span::new(start, self.at)))
    }
}

struct Open<'t> {
    items: Vec<Sexp<'t>>,
    span: Span,
}

/// Reads all s-expressions of a text. Unbalanced parentheses are reported and mended, so that the
/// caller can still look for further problems; with any problem the items are not to be trusted.
pub fn read<'t>(text: &'t str, limits: &Limits) -> Reading<'t> {
    let plain = Reader::new(text, limits, false).run();
    if plain.problems.is_empty() {
        return plain;
    }
    // Some parenthesis is missing or too many: read again, taking an opening parenthesis in the
    // first column as the start of a new clause, which finds the culprit instead of the file's end.
    Reader::new(text, limits, true).run()
}

struct Reader<'t, 'l> {
    text: &'t str,
    limits: &'l Limits,
    lines: LineIndex,
    resync: bool,
    stack: Vec<Open<'t>>,
    out: Reading<'t>,
    too_deep: bool,
}

impl<'t, 'l> Reader<'t, 'l> {
    fn new(text: &'t str, limits: &'l Limits, resync: bool) -> Self {
        let lines = LineIndex::new(text);
        let out = Reading::default();
        Self { text, limits, lines, resync, stack: Vec::new(), out, too_deep: false }
    }

    fn run(mut self) -> Reading<'t> {
        let mut previous_end = 0;
        for (token, span) in (Lexer { text: self.text, at: 0 }) {
            match token {
                Token::Comment(text) => self.comment(text, span, previous_end),
                Token::Open => self.open(span),
                Token::Close => self.close(span),
                Token::Symbol(text) => self.symbol(text, span),
            }
            previous_end = span.end as usize;
        }
        while let Some(open) = self.stack.pop() {
            self.unclosed(open);
        }
        self.out
    }

    fn comment(&mut self, text: &str, span: Span, previous_end: usize) {
        let between = &self.text[previous_end..span.start as usize];
        let trailing = previous_end > 0 && !between.contains('\n');
        let gap_before = between.matches('\n').count() > usize::from(previous_end > 0);
        self.out.comments.push(Comment { text: text.to_owned(), span, trailing, gap_before });
    }

    fn open(&mut self, span: Span) {
        let first_column = self.lines.line_start(self.lines.line_of(span.start)) == span.start;
        if self.resync && first_column {
            while let Some(open) = self.stack.pop() {
                self.unclosed(open);
            }
        }
        if self.stack.len() >= self.limits.max_nesting && !self.too_deep {
            self.too_deep = true;
            let most = self.limits.max_nesting;
            self.out.problems.push(
                Diagnostic::error("E103", span, format!("nesting is deeper than {most} levels"))
                    .because("no game needs such terms, and every reader has to bound them")
                    .hint("flatten the term, or raise the limit with --max-nesting"),
            );
        }
        self.stack.push(Open { items: Vec::new(), span });
    }

    fn close(&mut self, span: Span) {
        let Some(open) = self.stack.pop() else {
            self.out.problems.push(
                Diagnostic::error("E102", span, "this `)` closes nothing")
                    .because("other systems silently ignore everything after it")
                    .hint("remove it, or add the `(` that it should close"),
            );
            return;
        };
        self.push_list(open, span);
    }

    fn push_list(&mut self, open: Open<'t>, end: Span) {
        // Below the nesting limit the structure is not kept: the text is rejected already, and
        // dropping a tree of unbounded depth would overflow the stack.
        let keep = self.stack.len() < self.limits.max_nesting;
        let items = if keep { open.items } else { Vec::new() };
        self.push(Sexp { kind: SexpKind::List(items), span: open.span.to(end) });
    }

    fn unclosed(&mut self, open: Open<'t>) {
        let problem = Diagnostic::error("E101", open.span, "this `(` is never closed")
            .because("the rest of the text becomes part of this expression")
            .hint("add the missing `)`");
        self.out.problems.push(problem);
        let end = open.items.last().map_or(open.span, |item| item.span);
        self.push_list(open, end);
    }

    fn symbol(&mut self, text: &'t str, span: Span) {
        if text.len() > self.limits.max_symbol {
            let most = self.limits.max_symbol;
            self.out.problems.push(
                Diagnostic::error("E104", span, format!("this name has more than {most} bytes"))
                    .because("names are repeated in every message and record of a match")
                    .hint("shorten it, or raise the limit with --max-symbol"),
            );
        } else if let Some(odd) = text.chars().find(|c| c.is_control() || *c == '\u{FFFD}') {
            self.out.problems.push(
                Diagnostic::error("E105", span, format!("the name contains the character {odd:?}"))
                    .because("this looks like binary data, not like a rule sheet"),
            );
        }
        self.push(Sexp { kind: SexpKind::Symbol(text), span });
    }

    fn push(&mut self, item: Sexp<'t>) {
        match self.stack.last_mut() {
            Some(open) => open.items.push(item),
            None => self.out.items.push(item),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(items: &[Sexp<'_>]) -> String {
        let parts: Vec<_> = items
            .iter()
            .map(|item| match &item.kind {
                SexpKind::Symbol(text) => (*text).to_owned(),
                SexpKind::List(items) => format!("({})", show(items)),
            })
            .collect();
        parts.join(" ")
    }

    #[test]
    fn lists_symbols_and_comments_are_told_apart() {
        let reading = read("; top\n(a (b 1/2) ++) c; end\n", &Limits::default());
        assert_eq!(show(&reading.items), "(a (b 1/2) ++) c");
        let flags: Vec<_> = reading.comments.iter().map(|c| (&*c.text, c.trailing)).collect();
        assert_eq!(flags, [(" top", false), (" end", true)]);
    }

    #[test]
    fn an_unclosed_clause_is_blamed_not_the_end_of_the_file() {
        let text = "(role a\n(role b)\n(role c))\n";
        let reading = read(text, &Limits::default());
        let at: Vec<_> = reading.problems.iter().map(|p| (p.code, p.span.start)).collect();
        assert_eq!(at, [("E101", 0), ("E102", 25)]);
        assert_eq!(show(&reading.items), "(role a) (role b) (role c)");
    }

    #[test]
    fn deep_nesting_is_reported_once_and_survived() {
        let text = "(".repeat(200_000) + &")".repeat(200_000);
        let reading = read(&text, &Limits::default());
        assert_eq!(reading.problems.iter().filter(|p| p.code == "E103").count(), 1);
    }
}
