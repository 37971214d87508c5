//! Reading the Prolog-like syntax of the thesis (§2.2.1): `legal(P, mark(X,Y)) :- … .`
//!
//! Variables begin with an upper-case letter or `_`; `,` is and, `;` is or, `not` or `\+` negates;
//! names that are not plain are quoted (`'1/2'`), names made of symbol characters (`++`) need no
//! quotes. `or(…)`, `and(…)`, `p :- .` and `done()` spell what KIF can say and Prolog cannot. Names
//! compare without regard to case, here too; `NewX` and `Newx` in one clause, two variables for
//! Prolog and one for KIF, are refused.

#[cfg(test)]
mod tests;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::Limits;
use crate::ast::{Atom, Clause, Formula, FormulaKind, Rules, Syntax, Term, TermKind};
use crate::diagnostic::Diagnostic;
use crate::kif::rule_in_place;
use crate::problems::report;
use crate::sexp::{ends_with_gap, too_deep, too_long};
use crate::symbol::{Symbol, Symbols, keyword};
use crate::text::Span;
use crate::tokens::{Token, lex};

/// Reads a rule sheet. Clauses that cannot be read are left out and reported.
pub fn parse(text: &str, limits: &Limits) -> (Rules, Vec<Diagnostic>) {
    let lexed = lex(text, limits);
    let mut parser = Parser {
        text,
        tokens: lexed.tokens,
        at: 0,
        depth: 0,
        named: FxHashSet::default(),
        spellings: FxHashMap::default(),
        anonymous: 0,
        limits,
        symbols: Symbols::new(),
        problems: lexed.problems,
    };
    let clauses = parser.clauses();
    let comments = lexed.comments;
    let rules = Rules { symbols: parser.symbols, clauses, comments, syntax: Syntax::Prolog };
    (rules, parser.problems)
}

/// The variable of KIF that a variable in Prolog syntax stands for: `NewX` is `?newX`.
pub(crate) fn kif_variable(name: &str) -> String {
    let mut chars = name.chars();
    let mut out = String::from("?");
    out.extend(chars.next().into_iter().flat_map(char::to_lowercase));
    out.push_str(chars.as_str());
    out
}

/// Whether a variable (without KIF's `?`) is named as the reader names `_`.
pub(crate) fn is_anonymous(name: &str) -> bool {
    name.strip_prefix('_').is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()))
}

struct Parser<'t, 'l> {
    text: &'t str,
    tokens: Vec<(Token<'t>, Span)>,
    at: usize,
    depth: usize,
    /// The variables of the clause that are named like fresh ones.
    named: FxHashSet<&'t str>,
    /// How the variables of the clause are spelled.
    spellings: FxHashMap<Symbol, &'t str>,
    /// The number of the clause's last fresh variable.
    anonymous: usize,
    limits: &'l Limits,
    symbols: Symbols,
    problems: Vec<Diagnostic>,
}

/// The parser has reported a problem and gives this clause up.
struct Stop;
type Parsed<T> = Result<T, Stop>;

impl<'t> Parser<'t, '_> {
    fn peek(&self) -> Option<&Token<'t>> {
        self.tokens.get(self.at).map(|(token, _)| token)
    }

    fn span(&self) -> Span {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(Span::default(), |(_, span)| *span)
    }

    fn last_span(&self) -> Span {
        self.at.checked_sub(1).map_or(Span::default(), |i| self.tokens[i].1)
    }

    fn eat(&mut self, token: &Token<'_>) -> bool {
        let hit = self.peek() == Some(token);
        self.at += usize::from(hit);
        hit
    }

    fn fail<T>(&mut self, code: &'static str, message: &str, hint: &str) -> Parsed<T> {
        let span = self.span();
        let found = match self.tokens.get(self.at) {
            Some((_, span)) => format!("`{}`", &self.text[span.range()]),
            None => "the end of the text".to_owned(),
        };
        report(&mut self.problems, || {
            Diagnostic::error(code, span, format!("{message}, found {found}")).hint(hint)
        });
        Err(Stop)
    }

    fn clauses(&mut self) -> Vec<Clause> {
        let mut clauses = Vec::new();
        let mut previous_end = 0;
        while self.at < self.tokens.len() {
            let start = self.span();
            let gap_before = ends_with_gap(&self.text[previous_end..start.start as usize]);
            self.begin_clause();
            match self.clause() {
                Ok(clause) if nesting(&clause) > self.limits.nesting() => {
                    report(&mut self.problems, || too_deep(self.limits, start));
                }
                Ok(clause) => clauses.push(Clause { gap_before, ..clause }),
                Err(Stop) => self.skip_clause(),
            }
            previous_end = self.last_span().end as usize;
        }
        clauses
    }

    fn begin_clause(&mut self) {
        self.depth = 0;
        self.anonymous = 0;
        self.named.clear();
        self.spellings.clear();
        for (token, _) in &self.tokens[self.at..] {
            match token {
                Token::End => break,
                Token::Variable(name) if is_anonymous(name) => _ = self.named.insert(name),
                _ => {}
            }
        }
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
        let head = self.atom("the head of a clause")?;
        let implication = self.eat(&Token::Neck);
        let mut body = Vec::new();
        if implication && self.peek() != Some(&Token::End) {
            body = self.body()?;
        }
        if !self.eat(&Token::End) {
            let hint = "end each clause with `.`, separate conditions by `,`";
            return self.fail("E124", "expected `.`", hint);
        }
        let span = start.to(self.last_span());
        Ok(Clause { head, body, implication, span, gap_before: false })
    }

    /// Bounds the recursion; [`nesting`] then bounds what was read.
    fn enter(&mut self) -> Parsed<()> {
        self.depth += 1;
        if self.depth > self.limits.nesting() {
            let span = self.span();
            report(&mut self.problems, || too_deep(self.limits, span));
            return Err(Stop);
        }
        Ok(())
    }

    /// `a, b ; c` without parentheses around it: the conditions of which all must hold.
    fn body(&mut self) -> Parsed<Vec<Formula>> {
        self.enter()?;
        let mut alternatives = vec![self.conditions()?];
        while self.eat(&Token::Or) {
            alternatives.push(self.conditions()?);
        }
        self.depth -= 1;
        if alternatives.len() == 1 {
            return Ok(alternatives.swap_remove(0));
        }
        let parts: Vec<_> = alternatives.into_iter().map(conjunction).collect();
        let span = parts[0].span.to(self.last_span());
        Ok(vec![Formula { kind: FormulaKind::Or(parts), span }])
    }

    fn conditions(&mut self) -> Parsed<Vec<Formula>> {
        let mut parts = vec![self.literal()?];
        while self.eat(&Token::Comma) {
            parts.push(self.literal()?);
        }
        Ok(parts)
    }

    fn literal(&mut self) -> Parsed<Formula> {
        let start = self.span();
        let kind = if self.eat(&Token::Open) {
            let inner = conjunction(self.body()?);
            self.close()?;
            inner.kind
        } else {
            self.named_condition(start)?
        };
        Ok(Formula { kind, span: start.to(self.last_span()) })
    }

    /// A condition that begins with a name. Quotes make no difference where KIF has none: a list that
    /// begins with `or` is a disjunction there.
    fn named_condition(&mut self, start: Span) -> Parsed<FormulaKind> {
        let applied = matches!(self.tokens.get(self.at + 1), Some((Token::Open, _)));
        let word = match self.peek() {
            Some(Token::Name("\\+")) => Some(keyword::NOT),
            Some(Token::Name(name)) => {
                self.symbols.get(name).filter(|word| applied || *word == keyword::NOT)
            }
            Some(Token::Quoted(name)) => self.symbols.get(name).filter(|_| applied),
            _ => {
                let hint = "a condition is `name(terms)`, `not condition` or `(a ; b)`";
                return self.fail("E125", "expected a condition", hint);
            }
        };
        Ok(match word {
            Some(keyword::NOT) => {
                self.at += 1;
                self.enter()?;
                let inner = self.literal()?;
                self.depth -= 1;
                FormulaKind::Not(Box::new(inner))
            }
            Some(keyword::OR) => FormulaKind::Or(self.connective()?),
            Some(keyword::AND) => FormulaKind::And(self.connective()?),
            Some(keyword::DISTINCT) => self.distinct(start)?,
            _ => FormulaKind::Atom(self.atom("a condition")?),
        })
    }

    fn distinct(&mut self, start: Span) -> Parsed<FormulaKind> {
        let mut args = self.atom("a condition")?.args;
        if let (Some(b), Some(a), true) = (args.pop(), args.pop(), args.is_empty()) {
            return Ok(FormulaKind::Distinct(a, b));
        }
        let span = start.to(self.last_span());
        report(&mut self.problems, || {
            Diagnostic::error("E112", span, "`distinct` takes exactly two terms")
        });
        Err(Stop)
    }

    /// `or(…)` or `and(…)`.
    fn connective(&mut self) -> Parsed<Vec<Formula>> {
        self.at += 1;
        self.list(Self::literal)
    }

    /// What stands between parentheses, separated by commas.
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        self.at += 1;
        self.enter()?;
        let mut items = Vec::new();
        if self.peek() != Some(&Token::Close) {
            items.push(item(self)?);
            while self.eat(&Token::Comma) {
                items.push(item(self)?);
            }
        }
        self.depth -= 1;
        self.close()?;
        Ok(items)
    }

    fn close(&mut self) -> Parsed<()> {
        if self.eat(&Token::Close) {
            return Ok(());
        }
        self.fail("E126", "expected `)`", "add the missing `)` or `,`")
    }

    fn atom(&mut self, place: &str) -> Parsed<Atom> {
        let name_span = self.span();
        let name = self.name("expected a name")?;
        if name == keyword::IMPLIED_BY {
            report(&mut self.problems, || rule_in_place(name_span, place));
            return Err(Stop);
        }
        let parens = self.peek() == Some(&Token::Open);
        let args = if parens { self.list(Self::term)? } else { Vec::new() };
        Ok(Atom { name, args, parens, span: name_span.to(self.last_span()), name_span })
    }

    fn name(&mut self, wanted: &str) -> Parsed<Symbol> {
        let symbol = match self.tokens.get(self.at) {
            Some((Token::Name(name), _)) => self.symbols.intern(name),
            Some((Token::Quoted(name), _)) => self.symbols.intern(name),
            _ => {
                let hint = "names begin with a lower-case letter, or stand in single quotes";
                return self.fail("E127", wanted, hint);
            }
        };
        self.at += 1;
        Ok(symbol)
    }

    fn term(&mut self) -> Parsed<Term> {
        let start = self.span();
        if let Some(Token::Variable(name)) = self.peek() {
            let name = *name;
            self.at += 1;
            let symbol = self.variable(name, start);
            return Ok(Term { kind: TermKind::Variable(symbol), span: start });
        }
        let name = self.name("expected a term")?;
        let kind = if self.peek() == Some(&Token::Open) {
            TermKind::Function(name, self.list(Self::term)?)
        } else {
            TermKind::Constant(name)
        };
        Ok(Term { kind, span: start.to(self.last_span()) })
    }

    fn variable(&mut self, name: &'t str, span: Span) -> Symbol {
        if name == "_" {
            return self.fresh_variable();
        }
        let spelled = kif_variable(name);
        if spelled.len() > self.limits.max_symbol {
            report(&mut self.problems, || too_long(self.limits, span));
        }
        let symbol = self.symbols.intern(&spelled);
        let first = *self.spellings.entry(symbol).or_insert(name);
        if first != name {
            report(&mut self.problems, || {
                let message = format!("`{name}` and `{first}` differ in nothing but case");
                Diagnostic::error("E128", span, message)
                    .because("they are two variables in Prolog, but one in KIF")
                    .hint("give one of them another name")
            });
        }
        symbol
    }

    /// Each `_` is a variable of its own, numbered within its clause past the names used there.
    fn fresh_variable(&mut self) -> Symbol {
        loop {
            self.anonymous += 1;
            let fresh = format!("_{}", self.anonymous);
            if !self.named.contains(fresh.as_str()) {
                return self.symbols.intern(&kif_variable(&fresh));
            }
        }
    }
}

/// Several conditions as one formula.
fn conjunction(mut parts: Vec<Formula>) -> Formula {
    if parts.len() == 1 {
        return parts.swap_remove(0);
    }
    let span = parts.iter().fold(parts[0].span, |span, part| span.to(part.span));
    Formula { kind: FormulaKind::And(parts), span }
}

/// The nesting of parentheses that a clause has in KIF.
fn nesting(clause: &Clause) -> usize {
    let body = clause.body.iter().map(formula_nesting).max().unwrap_or(0);
    usize::from(clause.implication) + atom_nesting(&clause.head).max(body)
}

fn formula_nesting(formula: &Formula) -> usize {
    match &formula.kind {
        FormulaKind::Atom(atom) => atom_nesting(atom),
        FormulaKind::Not(inner) => 1 + formula_nesting(inner),
        FormulaKind::Or(parts) | FormulaKind::And(parts) => {
            1 + parts.iter().map(formula_nesting).max().unwrap_or(0)
        }
        FormulaKind::Distinct(a, b) => 1 + term_nesting(a).max(term_nesting(b)),
    }
}

fn atom_nesting(atom: &Atom) -> usize {
    usize::from(atom.parens) + atom.args.iter().map(term_nesting).max().unwrap_or(0)
}

fn term_nesting(term: &Term) -> usize {
    match &term.kind {
        TermKind::Variable(_) | TermKind::Constant(_) => 0,
        TermKind::Function(_, args) => 1 + args.iter().map(term_nesting).max().unwrap_or(0),
    }
}
