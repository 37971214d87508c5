//! Writing terms, formulas and clauses on one line, in either syntax.
//!
//! What is written is read back as the same rules, but for the names of two kinds of variables when
//! the Prolog syntax is written: those that it cannot spell (`?1`, `?a-b`, a repeated `?_`) get other
//! names, different from all others of the clause; and those named like the reader's own for `_`
//! (`?_5`) are written `_` where they occur once, and numbered anew when that is read.

mod names;

pub(crate) use names::Names;

use crate::ast::{Atom, Clause, Formula, FormulaKind, Rules, Syntax, Term, TermKind};
use crate::symbol::{Symbol, Symbols};

/// The whole rule sheet, one clause a line, without comments.
pub fn rules(rules: &Rules, syntax: Syntax) -> String {
    let mut out = String::new();
    for item in &rules.clauses {
        let names = Names::of_clause(&rules.symbols, item, syntax);
        names.write_clause(&mut out, item);
        out.push('\n');
    }
    out
}

/// One clause.
pub fn clause(rules: &Rules, clause: &Clause, syntax: Syntax) -> String {
    Names::of_clause(&rules.symbols, clause, syntax).clause(clause)
}

/// A term outside any clause, such as a move or a fluent, in KIF.
pub fn term(symbols: &Symbols, term: &Term) -> String {
    let mut out = String::new();
    Names::kif(symbols).write_term(&mut out, term);
    out
}

/// An atom outside any clause, in KIF.
pub fn atom(symbols: &Symbols, atom: &Atom) -> String {
    Names::kif(symbols).atom(atom)
}

impl Names<'_> {
    pub(crate) fn clause(&self, clause: &Clause) -> String {
        let mut out = String::new();
        self.write_clause(&mut out, clause);
        out
    }

    pub(crate) fn atom(&self, atom: &Atom) -> String {
        let mut out = String::new();
        self.write_atom(&mut out, atom);
        out
    }

    pub(crate) fn formula(&self, formula: &Formula) -> String {
        let mut out = String::new();
        self.write_formula(&mut out, formula);
        out
    }

    /// A condition that stands between `;`, where a conjunction needs no parentheses.
    pub(crate) fn branch(&self, formula: &Formula) -> String {
        let mut out = String::new();
        self.write_branch(&mut out, formula);
        out
    }

    fn write_clause(&self, out: &mut String, clause: &Clause) {
        match self.syntax {
            Syntax::Kif if clause.implication => {
                out.push_str("(<= ");
                self.write_atom(out, &clause.head);
                for part in &clause.body {
                    out.push(' ');
                    self.write_formula(out, part);
                }
                out.push(')');
            }
            Syntax::Kif => self.write_atom(out, &clause.head),
            Syntax::Prolog => {
                self.write_atom(out, &clause.head);
                if clause.implication {
                    out.push_str(" :- ");
                    separated(out, ", ", &clause.body, |out, part| self.write_formula(out, part));
                }
                out.push('.');
            }
        }
    }

    fn write_term(&self, out: &mut String, term: &Term) {
        match &term.kind {
            TermKind::Variable(name) => self.variable(out, *name),
            TermKind::Constant(name) => self.name(out, *name),
            TermKind::Function(name, args) => self.write_applied(out, *name, args),
        }
    }

    fn write_atom(&self, out: &mut String, atom: &Atom) {
        if atom.parens {
            self.write_applied(out, atom.name, &atom.args);
        } else {
            self.name(out, atom.name);
        }
    }

    fn write_applied(&self, out: &mut String, name: Symbol, args: &[Term]) {
        match self.syntax {
            Syntax::Kif => {
                out.push('(');
                self.name(out, name);
                for arg in args {
                    out.push(' ');
                    self.write_term(out, arg);
                }
            }
            Syntax::Prolog => {
                self.name(out, name);
                out.push('(');
                separated(out, ", ", args, |out, arg| self.write_term(out, arg));
            }
        }
        out.push(')');
    }

    fn write_formula(&self, out: &mut String, formula: &Formula) {
        match self.syntax {
            Syntax::Kif => self.write_kif(out, formula),
            Syntax::Prolog => self.write_prolog(out, formula),
        }
    }

    fn write_kif(&self, out: &mut String, formula: &Formula) {
        let (word, parts) = match &formula.kind {
            FormulaKind::Atom(atom) => return self.write_atom(out, atom),
            FormulaKind::Distinct(a, b) => {
                out.push_str("(distinct ");
                separated(out, " ", &[a, b], |out, term| self.write_term(out, term));
                return out.push(')');
            }
            FormulaKind::Not(inner) => ("(not", std::slice::from_ref(&**inner)),
            FormulaKind::Or(parts) => ("(or", &parts[..]),
            FormulaKind::And(parts) => ("(and", &parts[..]),
        };
        out.push_str(word);
        for part in parts {
            out.push(' ');
            self.write_kif(out, part);
        }
        out.push(')');
    }

    fn write_prolog(&self, out: &mut String, formula: &Formula) {
        let (word, separator, parts) = match &formula.kind {
            FormulaKind::Atom(atom) => return self.write_atom(out, atom),
            FormulaKind::Distinct(a, b) => {
                out.push_str("distinct(");
                separated(out, ", ", &[a, b], |out, term| self.write_term(out, term));
                return out.push(')');
            }
            FormulaKind::Not(inner) => {
                out.push_str("not ");
                return self.write_prolog(out, inner);
            }
            FormulaKind::Or(parts) if parts.len() > 1 => ("", " ; ", parts),
            FormulaKind::And(parts) if parts.len() > 1 => ("", ", ", parts),
            FormulaKind::Or(parts) => ("or", ", ", parts),
            FormulaKind::And(parts) => ("and", ", ", parts),
        };
        out.push_str(word);
        out.push('(');
        separated(out, separator, parts, |out, part| match separator {
            " ; " => self.write_branch(out, part),
            _ => self.write_prolog(out, part),
        });
        out.push(')');
    }

    fn write_branch(&self, out: &mut String, formula: &Formula) {
        match &formula.kind {
            FormulaKind::And(parts) if parts.len() > 1 => {
                separated(out, ", ", parts, |out, part| self.write_prolog(out, part));
            }
            _ => self.write_prolog(out, formula),
        }
    }
}

fn separated<T>(
    out: &mut String,
    separator: &str,
    items: &[T],
    mut write: impl FnMut(&mut String, &T),
) {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.push_str(separator);
        }
        write(out, item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, parse_as};

    fn check(kif: &str, prolog: &str) {
        let (rules, problems) = parse_as(kif, Syntax::Kif, &Limits::default());
        assert_eq!(problems, [], "{kif}");
        assert_eq!(super::rules(&rules, Syntax::Prolog).trim_end(), prolog);
    }

    #[test]
    fn names_are_quoted_only_where_they_must_be() {
        check(
            "(p a A1 1a ++ 1/2 'q' a\\b not <= :- /* _ x_y)",
            "p(a, 'A1', 1a, ++, '1/2', '\\'q\\'', 'a\\\\b', 'not', '<=', ':-', '/*', '_', x_y).",
        );
    }

    #[test]
    fn variables_are_capitalised() {
        check("(p ?x ?newX ?X ?_y ?éa)", "p(X, NewX, X, _y, Éa).");
    }

    #[test]
    fn variables_that_prolog_cannot_spell_get_names_of_their_own() {
        check("(p ?1 ?a-b ?a+b ?v1 ?ß ?_ ?_)", "p(V1_2, Va_b, Va_b_2, V1, Vß, V_, V_).");
        check("(p ?+ ?v_)", "p(V__2, V_).");
    }

    #[test]
    fn what_occurs_once_and_has_no_name_is_an_underscore() {
        check("(<= (p ?_1 ?_2) (q ?_ ?_2 ?_x))", "p(_, _2) :- q(_, _2, _x).");
    }

    #[test]
    fn groups_have_the_signs_of_prolog() {
        check(
            "(<= p (or a (and b c) (and d)) (and e f) (not (or g h)) (not (not i)))",
            "p :- (a ; b, c ; and(d)), (e, f), not (g ; h), not not i.",
        );
        check(
            "(<= p (or) (or a) (and (and a b))) (<= q)",
            "p :- or(), or(a), and((a, b)).\nq :- .",
        );
        check("(<= p not or (distinct ?x b))", "p :- 'not', or, distinct(X, b).");
        check("open (open) (f (g))", "open.\nopen().\nf(g()).");
    }

    #[test]
    fn terms_and_atoms_are_written_in_kif() {
        let (rules, _) = parse_as("(p (F ?x) (g))", Syntax::Kif, &Limits::default());
        let head = &rules.clauses[0].head;
        assert_eq!(atom(&rules.symbols, head), "(p (F ?x) (g))");
        assert_eq!(term(&rules.symbols, &head.args[0]), "(F ?x)");
    }
}
