//! The tokens of the language of properties.

use std::ops::Range;

use crate::language::Problem;

/// What a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token<'t> {
    /// A name or number; quoted ones are never words of the language.
    Name(&'t str, bool),
    /// A sign.
    Sign(&'static str),
    /// The end of the text.
    End,
}

/// Signs, longer ones first.
const SIGNS: [&str; 15] =
    ["<=>", "=>", "<=", ">=", "!=", "=", "<", ">", "(", ")", ",", ":", "+", "&", "|"];

/// Splits a text into tokens with their places. `%` begins a comment.
pub(crate) fn tokens(text: &str) -> Result<Vec<(Token<'_>, Range<usize>)>, Problem> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
        } else if first == '%' {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if first == '\'' {
            let Some(length) = rest[1..].find('\'') else {
                let hint = "a quoted name ends with another '";
                return Err(Problem::new("this quote is never closed", at..at + 1).hint(hint));
            };
            found.push((Token::Name(&rest[1..=length], true), at..at + length + 2));
            at += length + 2;
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            found.push((Token::Sign(sign), at..at + sign.len()));
            at += sign.len();
        } else {
            let length = rest.find(is_separator).unwrap_or(rest.len());
            if length == 0 {
                let message = format!("a `{first}` means nothing here");
                return Err(Problem::new(&message, at..at + first.len_utf8()));
            }
            found.push((Token::Name(&rest[..length], false), at..at + length));
            at += length;
        }
    }
    found.push((Token::End, text.len()..text.len()));
    Ok(found)
}

/// Whether a character cannot be part of a name without quotes.
pub(crate) fn is_separator(c: char) -> bool {
    c.is_whitespace() || "()',:=<>!+&|%\"".contains(c)
}
