//! Reading KIF: s-expressions become clauses.

use crate::Limits;
use crate::ast::{Atom, Clause, Formula, FormulaKind, Rules, Syntax, Term, TermKind};
use crate::diagnostic::Diagnostic;
use crate::problems::report;
use crate::sexp::{self, Sexp, SexpKind, ends_with_gap};
use crate::symbol::{Symbol, Symbols, keyword};
use crate::text::Span;

/// Reads a rule sheet in KIF. Clauses that cannot be read are left out and reported.
pub fn parse(text: &str, limits: &Limits) -> (Rules, Vec<Diagnostic>) {
    let reading = sexp::read(text, limits);
    let mut reader = Reader { symbols: Symbols::new(), problems: reading.problems };
    let clauses = reader.clauses(text, &reading.items);
    let rules =
        Rules { symbols: reader.symbols, clauses, comments: reading.comments, syntax: Syntax::Kif };
    (rules, reader.problems)
}

/// Reads one ground term, such as a move on the wire, with the names of a game; names that the
/// table does not have yet are added.
#[allow(clippy::result_large_err, reason = "a move that cannot be read is rare")]
pub fn parse_term(item: &Sexp<'_>, symbols: &mut Symbols) -> Result<Term, Diagnostic> {
    let mut reader = Reader { symbols: std::mem::take(symbols), problems: Vec::new() };
    let term = reader.term(item);
    *symbols = reader.symbols;
    term.ok_or_else(|| reader.problems.swap_remove(0))
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
            let before =
                &text[previous_end.min(item.span.start as usize)..item.span.start as usize];
            let gap_before = ends_with_gap(before);
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
        if list.first().and_then(Sexp::as_symbol) != Some("<=") {
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
        let word = list.first().and_then(Sexp::as_symbol).and_then(connective);
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
        let atom = self.any_atom(item, place)?;
        if atom.name == keyword::IMPLIED_BY {
            report(&mut self.problems, || rule_in_place(atom.name_span, place));
            return None;
        }
        Some(atom)
    }

    fn any_atom(&mut self, item: &Sexp<'_>, place: &str) -> Option<Atom> {
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
            report(&mut self.problems, || {
                Diagnostic::error("E115", first.span, message)
                    .hint("remove the extra parentheses, or put a name in front")
            });
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
        report(&mut self.problems, || Diagnostic::error(code, span, message));
    }
}

/// The word that makes something else than an atom of a condition.
fn connective(name: &str) -> Option<Symbol> {
    let words = [keyword::NOT, keyword::OR, keyword::AND, keyword::DISTINCT];
    words.into_iter().find(|word| name.eq_ignore_ascii_case(keyword::ALL[word.index()]))
}

/// The problem of `<=` where an atom should stand, most often for want of a `)` before it.
pub(crate) fn rule_in_place(span: Span, place: &str) -> Diagnostic {
    Diagnostic::error("E117", span, format!("`<=` cannot be {place}"))
        .because("rules stand side by side, never inside one another")
        .hint("add the missing `)` before it, or give the relation another name")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print;

    fn problems(text: &str) -> Vec<(&'static str, String)> {
        let (_, problems) = parse(text, &Limits::default());
        problems.iter().map(|p| (p.code, text[p.span.range()].to_owned())).collect()
    }

    /// Checks the code of the only problem and the text that it points at.
    fn check_problem(text: &str, code: &str, place: &str) {
        assert_eq!(problems(text), [(code, place.to_owned())], "{text}");
    }

    /// Checks what a sheet is when written again in KIF.
    fn check(text: &str, expect: &str) {
        let (rules, problems) = parse(text, &Limits::default());
        assert_eq!(problems, [], "{text}");
        assert_eq!(print::rules(&rules, Syntax::Kif), expect);
    }

    #[test]
    fn each_problem_points_at_its_place() {
        check_problem("(p) (<=) (q)", "E110", "(<=)");
        check_problem("(<= p (not))", "E111", "(not)");
        check_problem("(<= p (not a b))", "E111", "(not a b)");
        check_problem("(<= p (or q (distinct a)))", "E112", "(distinct a)");
        check_problem("(<= p (distinct a b c))", "E112", "(distinct a b c)");
        check_problem("(p (f ? a))", "E113", "?");
        check_problem("(p (f ()))", "E114", "()");
        check_problem("(<= p () q)", "E114", "()");
        check_problem("((p) a)", "E115", "(p)");
        check_problem("(<= (p ?x) ((q ?x)))", "E115", "(q ?x)");
        check_problem("(<= (p ?x) ?x)", "E116", "?x");
        check_problem("(?p a)", "E116", "?p");
        check_problem("(true (?f a))", "E116", "?f");
        check_problem("(<= p q\n  (<= r s))", "E117", "<=");
        check_problem("<=", "E117", "<=");
    }

    #[test]
    fn all_problems_of_a_sheet_are_reported() {
        let found = problems("(<= p (not))\n(ok)\n(<= q () (distinct a))");
        let codes: Vec<_> = found.iter().map(|(code, _)| *code).collect();
        assert_eq!(codes, ["E111", "E114", "E112"]);
    }

    #[test]
    fn clauses_with_problems_are_left_out_and_the_others_kept() {
        let (rules, _) = parse("(p) (<= q ()) (r)", &Limits::default());
        assert_eq!(print::rules(&rules, Syntax::Kif), "(p)\n(r)\n");
    }

    #[test]
    fn the_first_spelling_is_echoed() {
        check(
            "(ROLE White) (init (on WHITE)) (<= (P ?X) (OR (q ?x) (Not r)))",
            "(role White)\n(init (on White))\n(<= (P ?X) (or (q ?X) (not r)))\n",
        );
    }

    #[test]
    fn parentheses_make_a_difference() {
        check(
            "open (open) (<= open (open) (f open (open)))",
            "open\n(open)\n(<= open (open) (f open (open)))\n",
        );
    }

    #[test]
    fn odd_names_are_names() {
        check("(++ 1/2 'quoted' <= not \"s) a.b: %c", "(++ 1/2 'quoted' <= not \"s)\na.b:\n%c\n");
    }

    #[test]
    fn nested_and_empty_groups_stay_as_they_are() {
        check(
            "(<= p (or (and a b) (or (or c) (and))) (or))\n(<= q)",
            "(<= p (or (and a b) (or (or c) (and))) (or))\n(<= q)\n",
        );
    }

    #[test]
    fn marks_and_line_ends_of_other_editors_are_blanks() {
        check("\u{feff}(p a)\r\n\r\n;c\r\n(q\tb)\r\n", "(p a)\n(q b)\n");
        let (rules, _) = parse("(p)\r\n\r\n; c \r\n(q) ; d\r\n", &Limits::default());
        let comments: Vec<_> =
            rules.comments.iter().map(|c| (&*c.text, c.trailing, c.gap_before)).collect();
        assert_eq!(comments, [(" c", false, true), (" d", true, false)]);
    }

    #[test]
    fn gaps_are_noticed() {
        let (rules, _) =
            parse("; title\n\n(a) (b)\n(c)\n\n(d) ; x\n\n(e)\n; y\n(f)", &Limits::default());
        let gaps: Vec<_> = rules.clauses.iter().map(|c| c.gap_before).collect();
        assert_eq!(gaps, [true, false, false, true, true, false]);
    }

    #[test]
    fn terms_on_the_wire_share_the_names_of_the_game() {
        let mut symbols = Symbols::new();
        symbols.intern("Mark");
        let reading = sexp::read("(mark 1 (X))", &Limits::default());
        let term = parse_term(&reading.items[0], &mut symbols).expect("a term");
        assert_eq!(print::term(&symbols, &term), "(Mark 1 (X))");
        let reading = sexp::read("(mark ())", &Limits::default());
        let problem = parse_term(&reading.items[0], &mut symbols).expect_err("no name");
        assert_eq!(problem.code, "E114");
    }

    #[test]
    fn nesting_to_the_utmost_is_read_written_and_dropped() {
        let limits = Limits { max_nesting: usize::MAX, ..Limits::default() };
        for (open, close) in [("(f ", ")"), ("(<= p (not ", ")"), ("(<= p (or ", ")")] {
            let inner = &open[open.rfind('(').expect("each has one")..];
            let depth = crate::MOST_NESTING - open.matches('(').count();
            let closers = close.repeat(depth + open.matches('(').count());
            let text = format!("{open}{}a{closers}", inner.repeat(depth));
            let (rules, problems) = parse(&text, &limits);
            assert_eq!(problems, []);
            for syntax in [Syntax::Kif, Syntax::Prolog] {
                let printed = print::rules(&rules, syntax);
                let (again, problems) = crate::parse_as(&printed, syntax, &limits);
                assert_eq!(problems, []);
                crate::format::format(&printed, &again, crate::format::Style::of(syntax));
                assert!(crate::normal::normalize(&again).is_ok());
            }
            let (_, problems) = parse(&format!("(<= q {text})"), &limits);
            assert_eq!(problems[0].code, "E103");
        }
    }
}
