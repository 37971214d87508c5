//! S-expressions: the surface of KIF, for rule sheets and for messages on the wire.
//!
//! The reader never recurses, so hostile nesting cannot exhaust the stack, and it reports every
//! unbalanced parenthesis it can tell apart in one run.

use crate::Limits;
use crate::ast::Comment;
use crate::diagnostic::Diagnostic;
use crate::problems::report;
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
pub(crate) fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

/// How many bytes at the beginning belong to a symbol. Most texts are ASCII, which needs no decoding.
fn symbol_length(text: &str) -> usize {
    let plain = |b: &u8| b.is_ascii_graphic() && !matches!(b, b'(' | b')' | b';');
    let ascii = text.bytes().take_while(plain).count();
    let stop = |c: char| is_blank(c) || matches!(c, '(' | ')' | ';');
    ascii + text[ascii..].find(stop).unwrap_or(text.len() - ascii)
}

/// Characters that no name may contain: they end it, or they show that the text is binary data.
fn is_odd(c: char) -> bool {
    c.is_control() || c == '\u{FFFD}'
}

/// Whether a name can be written in KIF, where a `?` in front makes a variable.
pub(crate) fn is_name(text: &str) -> bool {
    let bad = |c: char| is_blank(c) || is_odd(c) || matches!(c, '(' | ')' | ';');
    !text.is_empty() && !text.starts_with('?') && !text.contains(bad)
}

impl<'t> Iterator for Lexer<'t> {
    type Item = (Token<'t>, Span);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = &self.text[self.at..];
        let ascii = rest.bytes().take_while(|b| matches!(b, b' ' | b'\n')).count();
        let rest = rest[ascii..].trim_start_matches(is_blank);
        let start = self.text.len() - rest.len();
        let (token, length) = match rest.chars().next()? {
            '(' => (Token::Open, 1),
            ')' => (Token::Close, 1),
            ';' => {
                let length = rest.find('\n').unwrap_or(rest.len());
                (Token::Comment(rest[1..length].trim_end()), length)
            }
            _ => {
                let length = symbol_length(rest);
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

/// The problem of nesting beyond the limit.
pub(crate) fn too_deep(limits: &Limits, span: Span) -> Diagnostic {
    let message = format!("nesting is deeper than {} levels", limits.nesting());
    Diagnostic::error("E103", span, message)
        .because("no game needs such terms, and every reader has to bound them")
        .hint("flatten the term, or raise the limit with --max-nesting")
}

/// The problem of a name beyond the limit.
pub(crate) fn too_long(limits: &Limits, span: Span) -> Diagnostic {
    let message = format!("this name has more than {} bytes", limits.max_symbol);
    Diagnostic::error("E104", span, message)
        .because("names are repeated in every message and record of a match")
        .hint("shorten it, or raise the limit with --max-symbol")
}

/// Whether an empty line stands at the end of the text between two clauses. Comments in between
/// carry their own gaps, so only what follows the last of them counts.
pub(crate) fn ends_with_gap(between: &str) -> bool {
    let tail = between.trim_end_matches(is_blank);
    between[tail.len()..].matches('\n').count() > 1
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
        if self.resync && self.in_first_column(span) {
            while let Some(open) = self.stack.pop() {
                self.unclosed(open);
            }
        }
        if self.stack.len() >= self.limits.nesting() && !self.too_deep {
            self.too_deep = true;
            report(&mut self.out.problems, || too_deep(self.limits, span));
        }
        self.stack.push(Open { items: Vec::new(), span });
    }

    fn in_first_column(&self, span: Span) -> bool {
        self.lines.line_start(self.lines.line_of(span.start)) == span.start
    }

    fn close(&mut self, span: Span) {
        let Some(open) = self.stack.pop() else {
            return report(&mut self.out.problems, || {
                Diagnostic::error("E102", span, "this `)` closes nothing")
                    .because("other systems silently ignore everything after it")
                    .hint("remove it, or add the `(` that it should close")
            });
        };
        self.push_list(open, span);
    }

    fn push_list(&mut self, open: Open<'t>, end: Span) {
        // Below the nesting limit the structure is not kept: the text is rejected already, and
        // dropping a tree of unbounded depth would overflow the stack.
        let keep = self.stack.len() < self.limits.nesting();
        let items = if keep { open.items } else { Vec::new() };
        self.push(Sexp { kind: SexpKind::List(items), span: open.span.to(end) });
    }

    fn unclosed(&mut self, open: Open<'t>) {
        report(&mut self.out.problems, || {
            Diagnostic::error("E101", open.span, "this `(` is never closed")
                .because("the rest of the text becomes part of this expression")
                .hint("add the missing `)`")
        });
        let end = open.items.last().map_or(open.span, |item| item.span);
        self.push_list(open, end);
    }

    fn symbol(&mut self, text: &'t str, span: Span) {
        if text.len() > self.limits.max_symbol {
            report(&mut self.out.problems, || too_long(self.limits, span));
        } else if let Some(odd) = text.chars().find(|c| is_odd(*c)) {
            report(&mut self.out.problems, || {
                Diagnostic::error("E105", span, format!("the name contains the character {odd:?}"))
                    .because("this looks like binary data, not like a rule sheet")
            });
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
        let text = "(role a\n(role b)\n(role c)\n(role d))\n(role e))\n";
        let reading = read(text, &Limits::default());
        let at: Vec<_> = reading.problems.iter().map(|p| (p.code, p.span.start)).collect();
        assert_eq!(at, [("E101", 0), ("E102", 34), ("E102", 44)]);
        assert_eq!(show(&reading.items), "(role a) (role b) (role c) (role d) (role e)");
    }

    #[test]
    fn deep_nesting_is_reported_once_and_survived() {
        let text = "(".repeat(200_000) + &")".repeat(200_000);
        let reading = read(&text, &Limits::default());
        assert_eq!(reading.problems.iter().filter(|p| p.code == "E103").count(), 1);
    }

    fn check_problems(text: &str, limits: &Limits, expect: &[(&str, usize, usize)]) {
        let problems = read(text, limits).problems;
        let found: Vec<_> =
            problems.iter().map(|p| (p.code, p.span.start as usize, p.span.end as usize)).collect();
        assert_eq!(found, expect, "{text}");
    }

    #[test]
    fn each_problem_points_at_its_place() {
        let limits = Limits { max_nesting: 3, max_symbol: 8, ..Limits::default() };
        check_problems("(a (b c)", &limits, &[("E101", 0, 1)]);
        check_problems("(a))\n(b)", &limits, &[("E102", 3, 4)]);
        check_problems("(a (b (c (d (e)))))", &limits, &[("E103", 9, 10)]);
        check_problems("(a overlongname)", &limits, &[("E104", 3, 15)]);
        check_problems("(a \0b) (\u{fffd})", &limits, &[("E105", 3, 5), ("E105", 8, 11)]);
    }

    #[test]
    fn a_flood_of_problems_is_cut_off() {
        let problems = read(&")".repeat(1_000_000), &Limits::default()).problems;
        assert_eq!(problems.len(), crate::problems::MOST_PROBLEMS + 1);
        assert_eq!(problems.last().map(|p| p.code), Some("E106"));
    }

    #[test]
    fn names_that_kif_cannot_write_are_known() {
        for good in ["a", "++", "1/2", "a?", "'", "\\", "日本", "<="] {
            assert!(is_name(good), "{good}");
        }
        for bad in ["", "?x", "a b", "(", "a)", "a;b", "\n", "\u{feff}", "a\0", "\u{fffd}"] {
            assert!(!is_name(bad), "{bad:?}");
        }
    }
}
