//! Reading the Prolog-like syntax of the thesis (§2.2.1): `legal(P, mark(X,Y)) :- … .`
//!
//! Variables begin with an upper-case letter or `_`; `,` is and, `;` is or, `not` or `\+` negates;
//! names that are not plain are quoted (`'1/2'`), names made of symbol characters (`++`) need no
//! quotes. `or(…)`, `and(…)`, `p :- .` and `done()` spell what KIF can say and Prolog cannot.

use crate::Limits;
use crate::ast::{Atom, Clause, Comment, Formula, FormulaKind, Rules, Syntax, Term, TermKind};
use crate::diagnostic::Diagnostic;
use crate::symbol::{Symbol, Symbols, keyword};
use crate::text::Span;

/// Reads a rule sheet. Clauses that cannot be read are left out and reported.
pub fn parse(text: &str, limits: &Limits) -> (Rules, Vec<Diagnostic>) {
    let lexed = Lexer::new(text, limits).run();
    let mut parser = Parser {
        text,
        tokens: lexed.tokens,
        at: 0,
        depth: 0,
        anonymous: 0,
        limits,
        symbols: Symbols::new(),
        problems: lexed.problems,
    };
    let clauses = parser.clauses();
    let rules = Rules {
        symbols: parser.symbols,
        clauses,
        comments: lexed.comments,
        syntax: Syntax::Prolog,
    };
    (rules, parser.problems)
}

/// Characters of which names such as `++` or `=<` are made without quotes.
pub(crate) fn is_symbol_char(c: char) -> bool {
    "+-*/\\^<>=~:?@#&$!".contains(c)
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Name(String),
    Quoted(String),
    Variable(String),
    Open,
    Close,
    Comma,
    Or,
    Neck,
    End,
}

struct Lexer<'t, 'l> {
    text: &'t str,
    at: usize,
    limits: &'l Limits,
    tokens: Vec<(Token, Span)>,
    comments: Vec<Comment>,
    problems: Vec<Diagnostic>,
    previous_end: usize,
}

impl<'t, 'l> Lexer<'t, 'l> {
    fn new(text: &'t str, limits: &'l Limits) -> Self {
        Self {
            text,
            at: 0,
            limits,
            tokens: Vec::new(),
            comments: Vec::new(),
            problems: Vec::new(),
            previous_end: 0,
        }
    }

    fn run(mut self) -> Self {
        while let Some(c) = self.text[self.at..].chars().next() {
            let start = self.at;
            if c.is_whitespace() || c == '\u{feff}' {
                self.at += c.len_utf8();
                continue;
            }
            self.token(c, start);
            self.previous_end = self.at;
        }
        self
    }

    fn token(&mut self, c: char, start: usize) {
        let rest = &self.text[start..];
        let single = match c {
            '(' => Some(Token::Open),
            ')' => Some(Token::Close),
            ',' => Some(Token::Comma),
            ';' | '|' => Some(Token::Or),
            '.' => Some(Token::End),
            _ => None,
        };
        if let Some(token) = single {
            self.at = start + 1;
            return self.push(token, start);
        }
        match c {
            '%' => {
                let length = rest.find('\n').unwrap_or(rest.len());
                self.at = start + length;
                self.comment(&rest[1..length], start);
            }
            '/' if rest.starts_with("/*") => self.block_comment(rest, start),
            '\'' => self.quoted(start),
            _ if c.is_alphanumeric() || c == '_' => {
                let length =
                    rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
                self.at = start + length;
                let word = &rest[..length];
                let variable = c.is_uppercase() || c == '_';
                let token =
                    if variable { Token::Variable(word.into()) } else { Token::Name(word.into()) };
                self.push(token, start);
            }
            _ if is_symbol_char(c) => {
                let length = rest.find(|c: char| !is_symbol_char(c)).unwrap_or(rest.len());
                self.at = start + length;
                let token = match &rest[..length] {
                    ":-" | "<=" => Token::Neck,
                    word => Token::Name(word.into()),
                };
                self.push(token, start);
            }
            _ => {
                self.at = start + c.len_utf8();
                let span = Span::new(start, self.at);
                let message = format!("the character {c:?} has no meaning here");
                self.problems.push(
                    Diagnostic::error("E120", span, message)
                        .hint("put names with unusual characters into single quotes"),
                );
            }
        }
    }

    fn push(&mut self, token: Token, start: usize) {
        let span = Span::new(start, self.at);
        if self.at - start > self.limits.max_symbol {
            let most = self.limits.max_symbol;
            let message = format!("this name has more than {most} bytes");
            self.problems.push(Diagnostic::error("E104", span, message));
        }
        self.tokens.push((token, span));
    }

    fn comment(&mut self, text: &str, start: usize) {
        let between = &self.text[self.previous_end..start];
        self.comments.push(Comment {
            text: text.trim_end().to_owned(),
            span: Span::new(start, self.at),
            trailing: self.previous_end > 0 && !between.contains('\n'),
            gap_before: between.matches('\n').count() > usize::from(self.previous_end > 0),
        });
    }

    fn block_comment(&mut self, rest: &str, start: usize) {
        let length = rest.find("*/").map_or(rest.len(), |end| end + 2);
        if !rest.contains("*/") {
            let span = Span::new(start, start + 2);
            self.problems.push(Diagnostic::error("E121", span, "this comment is never closed"));
        }
        let inner = rest[2..length].trim_end_matches("*/").to_owned();
        self.at = start + length;
        for line in inner.lines() {
            self.comment(&format!(" {}", line.trim()), start);
            self.previous_end = self.at;
        }
    }

    fn quoted(&mut self, start: usize) {
        let mut name = String::new();
        let mut chars = self.text[start + 1..].char_indices().peekable();
        while let Some((i, c)) = chars.next() {
            match c {
                '\\' => name.extend(chars.next().map(|(_, next)| next)),
                '\'' if chars.peek().is_some_and(|(_, next)| *next == '\'') => {
                    chars.next();
                    name.push('\'');
                }
                '\'' => {
                    self.at = start + 1 + i + 1;
                    return self.quoted_name(name, start);
                }
                '\n' => break,
                _ => name.push(c),
            }
        }
        let length = self.text[start..].find('\n').unwrap_or(self.text.len() - start);
        self.at = start + length;
        let span = Span::new(start, start + 1);
        self.problems.push(Diagnostic::error("E122", span, "this quote is never closed"));
    }

    fn quoted_name(&mut self, name: String, start: usize) {
        let bad = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '(' | ')' | ';');
        if name.is_empty() || name.starts_with('?') || name.chars().any(bad) {
            let span = Span::new(start, self.at);
            self.problems.push(
                Diagnostic::error("E123", span, "this name cannot be written in KIF")
                    .because("matches are played in KIF")
                    .hint("use a name without blanks, parentheses and `;` that has no `?` in front"),
            );
        }
        self.push(Token::Quoted(name), start);
    }
}

struct Parser<'t, 'l> {
    text: &'t str,
    tokens: Vec<(Token, Span)>,
    at: usize,
    depth: usize,
    anonymous: usize,
    limits: &'l Limits,
    symbols: Symbols,
    problems: Vec<Diagnostic>,
}

/// The parser has reported a problem and gives this clause up.
struct Stop;
type Parsed<T> = Result<T, Stop>;

impl Parser<'_, '_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(token, _)| token)
    }

    fn span(&self) -> Span {
        match self.tokens.get(self.at).or(self.tokens.last()) {
            Some((_, span)) => *span,
            None => Span::default(),
        }
    }

    fn last_span(&self) -> Span {
        self.at.checked_sub(1).map_or(Span::default(), |i| self.tokens[i].1)
    }

    fn eat(&mut self, token: &Token) -> bool {
        let hit = self.peek() == Some(token);
        self.at += usize::from(hit);
        hit
    }

    fn fail<T>(&mut self, code: &'static str, message: &str, hint: &str) -> Parsed<T> {
        let found = match self.tokens.get(self.at) {
            Some((_, span)) => format!("`{}`", &self.text[span.range()]),
            None => "the end of the text".to_owned(),
        };
        let problem = Diagnostic::error(code, self.span(), format!("{message}, found {found}"));
        self.problems.push(problem.hint(hint));
        Err(Stop)
    }

    fn clauses(&mut self) -> Vec<Clause> {
        let mut clauses = Vec::new();
        let mut previous_end = 0;
        while self.at < self.tokens.len() {
            let start = self.span().start as usize;
            let before = &self.text[previous_end..start];
            let tail = before.trim_end_matches(|c: char| c.is_whitespace());
            let gap_before = previous_end > 0 && before[tail.len()..].matches('\n').count() > 1;
            self.depth = 0;
            match self.clause() {
                Ok(mut clause) => {
                    clause.gap_before = gap_before;
                    clauses.push(clause);
                }
                Err(Stop) => self.skip_clause(),
            }
            previous_end = self.last_span().end as usize;
        }
        clauses
    }

    fn skip_clause(&mut self) {
        while let Some(token) = self.peek() {
            let end = *token == Token::End;
            self.at += 1;
            if end {
                break;
            }
        }
    }

    fn clause(&mut self) -> Parsed<Clause> {
        let start = self.span();
        let head = self.atom()?;
        let implication = self.eat(&Token::Neck);
        let mut body = Vec::new();
        if implication && self.peek() != Some(&Token::End) {
            body = match self.disjunction()? {
                Formula { kind: FormulaKind::And(parts), .. } => parts,
                other => vec![other],
            };
        }
        if !self.eat(&Token::End) {
            let hint = "end each clause with `.`, separate conditions by `,`";
            return self.fail("E124", "expected `.`", hint);
        }
        let span = start.to(self.last_span());
        Ok(Clause { head, body, implication, span, gap_before: false })
    }

    fn enter(&mut self) -> Parsed<()> {
        self.depth += 1;
        if self.depth > self.limits.max_nesting {
            let message = format!("nesting is deeper than {} levels", self.limits.max_nesting);
            self.problems.push(Diagnostic::error("E103", self.span(), message));
            return Err(Stop);
        }
        Ok(())
    }

    /// `a, b ; c`: And only where there are several parts without parentheses of their own.
    fn disjunction(&mut self) -> Parsed<Formula> {
        self.enter()?;
        let first = self.conjunction()?;
        let mut parts = vec![first];
        while self.eat(&Token::Or) {
            parts.push(self.conjunction()?);
        }
        self.depth -= 1;
        if parts.len() == 1 {
            return Ok(parts.swap_remove(0));
        }
        let span = parts[0].span.to(self.last_span());
        Ok(Formula { kind: FormulaKind::Or(parts), span })
    }

    fn conjunction(&mut self) -> Parsed<Formula> {
        let first = self.literal()?;
        if self.peek() != Some(&Token::Comma) {
            // A lone `(a, b)` in parentheses must not melt into the body: keep it apart.
            return Ok(match first.kind {
                FormulaKind::And(_) => {
                    Formula { span: first.span, kind: FormulaKind::And(vec![first]) }
                }
                _ => first,
            });
        }
        let start = first.span;
        let mut parts = vec![first];
        while self.eat(&Token::Comma) {
            parts.push(self.literal()?);
        }
        Ok(Formula { kind: FormulaKind::And(parts), span: start.to(self.last_span()) })
    }

    fn literal(&mut self) -> Parsed<Formula> {
        let start = self.span();
        if self.eat(&Token::Open) {
            let inner = self.disjunction()?;
            self.close()?;
            let kind = match inner.kind {
                // Undo the wrapping of a lone conjunction: these parentheses are its own.
                FormulaKind::And(mut parts)
                    if parts.len() == 1 && matches!(parts[0].kind, FormulaKind::And(_)) =>
                {
                    parts.swap_remove(0).kind
                }
                kind => kind,
            };
            return Ok(Formula { kind, span: start.to(self.last_span()) });
        }
        let symbol = match self.peek() {
            Some(Token::Name(name)) if name == "\\+" => Some(keyword::NOT),
            Some(Token::Name(name)) => self.symbols.get(name),
            Some(Token::Quoted(_)) => None,
            _ => {
                let hint = "a condition is `name(terms)`, `not condition` or `(a ; b)`";
                return self.fail("E125", "expected a condition", hint);
            }
        };
        let applied = matches!(self.tokens.get(self.at + 1), Some((Token::Open, _)));
        let kind = match symbol {
            Some(keyword::NOT) => {
                self.at += 1;
                self.enter()?;
                let inner = self.literal()?;
                self.depth -= 1;
                FormulaKind::Not(Box::new(inner))
            }
            Some(keyword::OR) if applied => FormulaKind::Or(self.connective()?),
            Some(keyword::AND) if applied => FormulaKind::And(self.connective()?),
            Some(keyword::DISTINCT) if applied => {
                let mut args = self.atom()?.args;
                let (Some(b), Some(a), true) = (args.pop(), args.pop(), args.is_empty()) else {
                    let span = start.to(self.last_span());
                    let message = "`distinct` takes exactly two terms";
                    self.problems.push(Diagnostic::error("E112", span, message));
                    return Err(Stop);
                };
                FormulaKind::Distinct(a, b)
            }
            _ => FormulaKind::Atom(self.atom()?),
        };
        Ok(Formula { kind, span: start.to(self.last_span()) })
    }

    fn connective(&mut self) -> Parsed<Vec<Formula>> {
        self.at += 2;
        self.enter()?;
        let mut parts = Vec::new();
        while self.peek() != Some(&Token::Close) {
            parts.push(self.literal()?);
            if !self.eat(&Token::Comma) {
                break;
            }
        }
        self.depth -= 1;
        self.close()?;
        Ok(parts)
    }

    fn close(&mut self) -> Parsed<()> {
        if self.eat(&Token::Close) {
            return Ok(());
        }
        self.fail("E126", "expected `)`", "add the missing `)` or `,`")
    }

    fn atom(&mut self) -> Parsed<Atom> {
        let start = self.span();
        let name = self.name()?;
        let parens = self.peek() == Some(&Token::Open);
        let args = if parens { self.arguments()? } else { Vec::new() };
        Ok(Atom { name, args, parens, span: start.to(self.last_span()), name_span: start })
    }

    fn name(&mut self) -> Parsed<Symbol> {
        let Some(Token::Name(name) | Token::Quoted(name)) = self.peek() else {
            let hint = "names begin with a lower-case letter, or stand in single quotes";
            return self.fail("E127", "expected a name", hint);
        };
        let symbol = self.symbols.intern(&name.clone());
        self.at += 1;
        Ok(symbol)
    }

    fn arguments(&mut self) -> Parsed<Vec<Term>> {
        self.at += 1;
        self.enter()?;
        let mut args = Vec::new();
        while self.peek() != Some(&Token::Close) {
            args.push(self.term()?);
            if !self.eat(&Token::Comma) {
                break;
            }
        }
        self.depth -= 1;
        self.close()?;
        Ok(args)
    }

    fn term(&mut self) -> Parsed<Term> {
        let start = self.span();
        if let Some(Token::Variable(name)) = self.peek() {
            let name = name.clone();
            self.at += 1;
            let symbol = self.variable(&name);
            return Ok(Term { kind: TermKind::Variable(symbol), span: start });
        }
        let name = self.name()?;
        let kind = if self.peek() == Some(&Token::Open) {
            TermKind::Function(name, self.arguments()?)
        } else {
            TermKind::Constant(name)
        };
        Ok(Term { kind, span: start.to(self.last_span()) })
    }

    /// `NewX` is KIF's `?newX`; each `_` is a variable of its own.
    fn variable(&mut self, name: &str) -> Symbol {
        if name == "_" {
            loop {
                self.anonymous += 1;
                let fresh = format!("?_{}", self.anonymous);
                if self.symbols.get(&fresh).is_none() && !self.text.contains(&fresh[1..]) {
                    return self.symbols.intern(&fresh);
                }
            }
        }
        let mut chars = name.chars();
        let first = chars.next().map(|c| c.to_lowercase().to_string()).unwrap_or_default();
        self.symbols.intern(&format!("?{first}{}", chars.as_str()))
    }
}
