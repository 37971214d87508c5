//! Reading KIF: s-expressions become clauses.

use crate::Limits;
use crate::ast::{Atom, Clause, Formula, FormulaKind, Rules, Syntax, Term, TermKind};
use crate::diagnostic::Diagnostic;
use crate::sexp::{self, Sexp, SexpKind};
use crate::symbol::{Symbol, Symbols, keyword};
use crate::text::Span;

/// Reads a rule sheet in KIF. Clauses that cannot be read are left out and reported.
pub fn parse(text: &str, limits: &Limits) -> (Rules, Vec<Diagnostic>) {
    let reading = sexp::read(text, limits);
    let mut reader = Reader { symbols: Symbols::new(), problems: reading.problems };
    let clauses = reader.clauses(text, &reading.items);
    let rules = Rules {
        symbols: reader.symbols,
        clauses,
        comments: reading.comments,
        syntax: Syntax::Kif,
    };
    (rules, reader.problems)
}

/// Reads one ground term, such as a move on the wire, with the names of a game; names that the
/// table does not have yet are added.
pub fn parse_term(item: &Sexp<'_>, symbols: &mut Symbols) -> Result<Term, Diagnostic> {
    let mut reader = Reader { symbols: std::mem::take(symbols), problems: Vec::new() };
    let term = reader.term(item);
    *symbols = reader.symbols;
    term.ok_or_else(|| reader.problems.swap_remove(0))
}

/// Reads the clauses of an already read list, such as the rules inside a START message.
pub fn clauses_of(text: &str, items: &[Sexp<'_>]) -> (Rules, Vec<Diagnostic>) {
    let mut reader = Reader { symbols: Symbols::new(), problems: Vec::new() };
    let clauses = reader.clauses(text, items);
    let rules =
        Rules { symbols: reader.symbols, clauses, comments: Vec::new(), syntax: Syntax::Kif };
    (rules, reader.problems)
}

struct Reader {
    symbols: Symbols,
    problems: Vec<Diagnostic>,
}

impl Reader {
    fn clauses(&mut self, text: &str, items: &[Sexp<'_>]) -> Vec<Clause> {
        let mut clauses = Vec::with_capacity(items.len());
        let mut previous_end = 0;
        for item in items {
            let before = &text[previous_end.min(item.span.start as usize)..item.span.start as usize];
            let gap_before = previous_end > 0 && ends_with_gap(before);
            previous_end = item.span.end as usize;
            if let Some(mut clause) = self.clause(item) {
                clause.gap_before = gap_before;
                clauses.push(clause);
            }
        }
        clauses
    }

    fn clause(&mut self, item: &Sexp<'_>) -> Option<Clause> {
        let span = item.span;
        let list = item.as_list().unwrap_or(&[]);
        let is_rule = list
            .first()
            .and_then(Sexp::as_symbol)
            .is_some_and(|name| self.symbols.get(name) == Some(keyword::IMPLIED_BY));
        if !is_rule {
            let head = self.atom(item, "a fact")?;
            return Some(Clause {
                head,
                body: Vec::new(),
                implication: false,
                span,
                gap_before: false,
            });
        }
        let Some(head) = list.get(1) else {
            self.problem("E110", span, "a rule needs a head: `(<= head condition ...)`");
            return None;
        };
        let head = self.atom(head, "the head of a rule");
        let body: Vec<_> = list[2..].iter().map(|part| self.formula(part)).collect();
        let body = body.into_iter().collect::<Option<Vec<_>>>()?;
        Some(Clause { head: head?, body, implication: true, span, gap_before: false })
    }

    fn formula(&mut self, item: &Sexp<'_>) -> Option<Formula> {
        let span = item.span;
        let list = item.as_list().unwrap_or(&[]);
        let word = list.first().and_then(Sexp::as_symbol).and_then(|name| self.symbols.get(name));
        let kind = match word {
            Some(keyword::NOT) => {
                let [_, inner] = list else {
                    self.problem("E111", span, "`not` takes exactly one condition");
                    return None;
                };
                FormulaKind::Not(Box::new(self.formula(inner)?))
            }
            Some(keyword::OR) => FormulaKind::Or(self.formulas(&list[1..])?),
            Some(keyword::AND) => FormulaKind::And(self.formulas(&list[1..])?),
            Some(keyword::DISTINCT) => {
                let [_, a, b] = list else {
                    self.problem("E112", span, "`distinct` takes exactly two terms");
                    return None;
                };
                FormulaKind::Distinct(self.term(a)?, self.term(b)?)
            }
            _ => FormulaKind::Atom(self.atom(item, "a condition")?),
        };
        Some(Formula { kind, span })
    }

    fn formulas(&mut self, items: &[Sexp<'_>]) -> Option<Vec<Formula>> {
        let parts: Vec<_> = items.iter().map(|item| self.formula(item)).collect();
        parts.into_iter().collect()
    }

    fn atom(&mut self, item: &Sexp<'_>, place: &str) -> Option<Atom> {
        let span = item.span;
        match &item.kind {
            SexpKind::Symbol(text) => {
                let name = self.name(text, span, place)?;
                Some(Atom { name, args: Vec::new(), parens: false, span, name_span: span })
            }
            SexpKind::List(items) => {
                let (name, name_span) = self.list_name(items, span, place)?;
                let args: Vec<_> = items[1..].iter().map(|arg| self.term(arg)).collect();
                let args = args.into_iter().collect::<Option<Vec<_>>>()?;
                Some(Atom { name, args, parens: true, span, name_span })
            }
        }
    }

    fn term(&mut self, item: &Sexp<'_>) -> Option<Term> {
        let span = item.span;
        let kind = match &item.kind {
            SexpKind::Symbol(text) => match text.strip_prefix('?') {
                Some("") => {
                    self.problem("E113", span, "a variable needs a name after `?`");
                    return None;
                }
                Some(_) => TermKind::Variable(self.symbols.intern(text)),
                None => TermKind::Constant(self.symbols.intern(text)),
            },
            SexpKind::List(items) => {
                let (name, _) = self.list_name(items, span, "a term")?;
                let args: Vec<_> = items[1..].iter().map(|arg| self.term(arg)).collect();
                TermKind::Function(name, args.into_iter().collect::<Option<Vec<_>>>()?)
            }
        };
        Some(Term { kind, span })
    }

    fn list_name(&mut self, items: &[Sexp<'_>], span: Span, place: &str) -> Option<(Symbol, Span)> {
        let Some(first) = items.first() else {
            self.problem("E114", span, &format!("`()` cannot be {place}: a name is missing"));
            return None;
        };
        let Some(text) = first.as_symbol() else {
            let message = format!("{place} must begin with a name, not with a list");
            self.problems.push(
                Diagnostic::error("E115", first.span, message)
                    .hint("remove the extra parentheses, or put a name in front"),
            );
            return None;
        };
        Some((self.name(text, first.span, place)?, first.span))
    }

    fn name(&mut self, text: &str, span: Span, place: &str) -> Option<Symbol> {
        if text.starts_with('?') {
            let message = format!("{place} must begin with a name, not with the variable `{text}`");
            self.problem("E116", span, &message);
            return None;
        }
        Some(self.symbols.intern(text))
    }

    fn problem(&mut self, code: &'static str, span: Span, message: &str) {
        self.problems.push(Diagnostic::error(code, span, message));
    }
}

/// Whether an empty line stands at the end of the text between two clauses. Comments in between
/// carry their own gaps, so only what follows the last of them counts.
fn ends_with_gap(between: &str) -> bool {
    let tail = between.trim_end_matches(|c: char| c.is_whitespace());
    let lines = between[tail.len()..].matches('\n').count();
    lines > 1
}
