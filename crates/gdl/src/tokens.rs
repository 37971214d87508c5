//! The tokens and comments of the Prolog-like syntax.

use std::borrow::Cow;

use crate::Limits;
use crate::ast::Comment;
use crate::diagnostic::Diagnostic;
use crate::problems::report;
use crate::sexp::{is_blank, is_name, too_long};
use crate::text::Span;

/// Characters of which names such as `++` or `=<` are made without quotes.
pub(crate) fn is_symbol_char(c: char) -> bool {
    "+-*/\\^<>=~:@#&$!".contains(c)
}

/// Characters of plain names and of variables.
pub(crate) fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether a word that begins with this character is a variable.
pub(crate) fn opens_variable(c: char) -> bool {
    c.is_uppercase() || c == '_'
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token<'t> {
    Name(&'t str),
    Quoted(Cow<'t, str>),
    Variable(&'t str),
    Open,
    Close,
    Comma,
    Or,
    Neck,
    End,
}

#[derive(Default)]
pub(crate) struct Lexed<'t> {
    pub(crate) tokens: Vec<(Token<'t>, Span)>,
    pub(crate) comments: Vec<Comment>,
    pub(crate) problems: Vec<Diagnostic>,
}

/// Splits a text into tokens. What has no meaning is reported and left out.
pub(crate) fn lex<'t>(text: &'t str, limits: &Limits) -> Lexed<'t> {
    let mut lexer = Lexer { text, at: 0, limits, out: Lexed::default(), previous_end: 0 };
    while lexer.step() {}
    lexer.out
}

struct Lexer<'t, 'l> {
    text: &'t str,
    at: usize,
    limits: &'l Limits,
    out: Lexed<'t>,
    /// Where the last token or comment ended.
    previous_end: usize,
}

impl<'t> Lexer<'t, '_> {
    /// Reads one token or comment; false at the end of the text.
    fn step(&mut self) -> bool {
        let rest = &self.text[self.at..];
        let start = self.at + rest.len() - rest.trim_start_matches(is_blank).len();
        let rest = &self.text[start..];
        let Some(first) = rest.chars().next() else {
            return false;
        };
        match first {
            '%' => self.line_comment(rest, start),
            '/' if rest.starts_with("/*") => self.block_comment(rest, start),
            '\'' => self.quoted(rest, start),
            _ => self.plain(rest, start, first),
        }
        self.previous_end = self.at;
        true
    }

    fn plain(&mut self, rest: &'t str, start: usize, first: char) {
        let end_of = |part: fn(char) -> bool| rest.find(|c| !part(c)).unwrap_or(rest.len());
        let (token, length) = match first {
            '(' => (Token::Open, 1),
            ')' => (Token::Close, 1),
            ',' => (Token::Comma, 1),
            ';' | '|' => (Token::Or, 1),
            '.' => (Token::End, 1),
            _ if is_word_char(first) => {
                let length = end_of(is_word_char);
                let word = &rest[..length];
                let variable = opens_variable(first);
                (if variable { Token::Variable(word) } else { Token::Name(word) }, length)
            }
            _ if is_symbol_char(first) => {
                let length = end_of(is_symbol_char);
                let word = &rest[..length];
                (if matches!(word, ":-" | "<=") { Token::Neck } else { Token::Name(word) }, length)
            }
            _ => return self.unknown(start, first),
        };
        self.at = start + length;
        let span = Span::new(start, self.at);
        if matches!(token, Token::Name(_)) && length > self.limits.max_symbol {
            report(&mut self.out.problems, || too_long(self.limits, span));
        }
        self.out.tokens.push((token, span));
    }

    fn unknown(&mut self, start: usize, first: char) {
        self.at = start + first.len_utf8();
        let span = Span::new(start, self.at);
        report(&mut self.out.problems, || {
            let message = format!("the character {first:?} has no meaning here");
            Diagnostic::error("E120", span, message)
                .hint("put names with unusual characters into single quotes")
        });
    }

    fn line_comment(&mut self, rest: &str, start: usize) {
        let length = rest.find('\n').unwrap_or(rest.len());
        self.at = start + length;
        self.comment(rest[1..length].trim_end().to_owned(), start, true);
    }

    /// Each line of a block comment becomes a comment of its own: KIF has no others.
    fn block_comment(&mut self, rest: &str, start: usize) {
        let inner = &rest[2..];
        let length = inner.find("*/").unwrap_or_else(|| {
            let span = Span::new(start, start + 2);
            report(&mut self.out.problems, || {
                Diagnostic::error("E121", span, "this comment is never closed")
                    .because("the rest of the text becomes part of it")
                    .hint("add the missing `*/`")
            });
            inner.len()
        });
        self.at = (start + 2 + length + 2).min(self.text.len());
        for (i, line) in inner[..length].lines().enumerate() {
            let line = line.trim();
            let text = if line.is_empty() { String::new() } else { format!(" {line}") };
            self.comment(text, start, i == 0);
        }
    }

    fn comment(&mut self, text: String, start: usize, first: bool) {
        let between = &self.text[self.previous_end..start];
        let behind = usize::from(self.previous_end > 0);
        self.out.comments.push(Comment {
            text,
            span: Span::new(start, self.at),
            trailing: first && behind > 0 && !between.contains('\n'),
            gap_before: first && between.matches('\n').count() > behind,
        });
    }

    fn quoted(&mut self, rest: &'t str, start: usize) {
        let mut chars = rest.char_indices().skip(1).peekable();
        let mut name = String::new();
        while let Some((i, c)) = chars.next() {
            let doubled = chars.peek().is_some_and(|(_, next)| *next == '\'');
            match c {
                '\n' => break,
                '\\' => name.extend(chars.next_if(|(_, next)| *next != '\n').map(|(_, next)| next)),
                '\'' if doubled => name.extend(chars.next().map(|(_, next)| next)),
                '\'' => {
                    self.at = start + i + 1;
                    return self.quoted_name(name, start);
                }
                _ => name.push(c),
            }
        }
        self.at = start + rest.find('\n').unwrap_or(rest.len());
        let span = Span::new(start, start + 1);
        report(&mut self.out.problems, || {
            Diagnostic::error("E122", span, "this quote is never closed")
                .hint("names end on the line where they begin: add the missing `'`")
        });
    }

    fn quoted_name(&mut self, name: String, start: usize) {
        let span = Span::new(start, self.at);
        if !is_name(&name) {
            report(&mut self.out.problems, || {
                Diagnostic::error("E123", span, "this name cannot be written in KIF")
                    .because("matches are played in KIF")
                    .hint("use a name without blanks, parentheses and `;` that has no `?` in front")
            });
        } else if name.len() > self.limits.max_symbol {
            report(&mut self.out.problems, || too_long(self.limits, span));
        }
        self.out.tokens.push((Token::Quoted(name.into()), span));
    }
}
