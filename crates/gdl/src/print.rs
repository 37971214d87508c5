//! Writing terms, formulas and clauses on one line, in either syntax.

use std::fmt::Write;

use crate::ast::{Atom, Clause, Formula, FormulaKind, Rules, Syntax, Term, TermKind};
use crate::prolog::is_symbol_char;
use crate::symbol::{Symbol, Symbols, keyword};

/// The whole rule sheet, one clause a line, without comments.
pub fn rules(rules: &Rules, syntax: Syntax) -> String {
    let mut out = String::new();
    for item in &rules.clauses {
        out.push_str(&clause(rules, item, syntax));
        out.push('\n');
    }
    out
}

/// One clause.
pub fn clause(rules: &Rules, clause: &Clause, syntax: Syntax) -> String {
    let names = Names::new(&rules.symbols, clause, syntax);
    match syntax {
        Syntax::Kif if clause.implication => {
            let mut out = format!("(<= {}", names.atom(&clause.head));
            for part in &clause.body {
                out.push(' ');
                out.push_str(&names.formula(part));
            }
            out.push(')');
            out
        }
        Syntax::Kif => names.atom(&clause.head),
        Syntax::Prolog if clause.implication => {
            let head = names.atom(&clause.head);
            format!("{head} :- {}.", names.body(&clause.body))
        }
        Syntax::Prolog => format!("{}.", names.atom(&clause.head)),
    }
}

/// A term outside any clause, such as a move or a fluent, in KIF.
pub fn term(symbols: &Symbols, term: &Term) -> String {
    Names { symbols, variables: Vec::new(), syntax: Syntax::Kif }.term(term)
}

/// How the names of one clause are spelled in one syntax.
pub(crate) struct Names<'s> {
    symbols: &'s Symbols,
    variables: Vec<(Symbol, String)>,
    pub(crate) syntax: Syntax,
}

impl<'s> Names<'s> {
    pub(crate) fn new(symbols: &'s Symbols, clause: &Clause, syntax: Syntax) -> Self {
        let mut names = Self { symbols, variables: Vec::new(), syntax };
        if syntax == Syntax::Prolog {
            clause.each_variable(&mut |variable, _| names.add_variable(variable));
        }
        names
    }

    /// Prolog variables are capitalised; what Prolog cannot spell is renamed within its clause.
    fn add_variable(&mut self, variable: Symbol) {
        if self.variables.iter().any(|(known, _)| *known == variable) {
            return;
        }
        let name = self.symbols.name(variable).trim_start_matches('?');
        let mut chars = name.chars();
        let first = chars.next().unwrap_or('_');
        let upper: String = first.to_uppercase().collect();
        let mut spelled = if upper.to_lowercase() == first.to_lowercase().to_string() {
            upper
        } else {
            format!("V{first}")
        };
        spelled.push_str(chars.as_str());
        let spelled: String =
            spelled.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '_' }).collect();
        let starts_well = spelled.starts_with(|c: char| c.is_uppercase() || c == '_');
        let mut spelled = if starts_well { spelled } else { format!("V{spelled}") };
        let taken = |s: &str| {
            s == "_" || self.variables.iter().any(|(_, known)| known.to_lowercase() == s.to_lowercase())
        };
        while taken(&spelled) {
            spelled.push('_');
        }
        self.variables.push((variable, spelled));
    }

    fn variable(&self, variable: Symbol) -> &str {
        match self.variables.iter().find(|(known, _)| *known == variable) {
            Some((_, spelled)) => spelled,
            None => self.symbols.name(variable),
        }
    }

    fn name(&self, symbol: Symbol) -> String {
        let name = self.symbols.name(symbol);
        match self.syntax {
            Syntax::Prolog if needs_quotes(name) => {
                format!("'{}'", name.replace('\\', "\\\\").replace('\'', "\\'"))
            }
            _ => name.to_owned(),
        }
    }

    pub(crate) fn term(&self, term: &Term) -> String {
        match &term.kind {
            TermKind::Variable(name) => self.variable(*name).to_owned(),
            TermKind::Constant(name) => self.name(*name),
            TermKind::Function(name, args) => self.applied(*name, args),
        }
    }

    fn applied(&self, name: Symbol, args: &[Term]) -> String {
        let mut out = self.name(name);
        match self.syntax {
            Syntax::Kif => {
                out.insert(0, '(');
                for arg in args {
                    let _ = write!(out, " {}", self.term(arg));
                }
            }
            Syntax::Prolog => {
                out.push('(');
                let parts: Vec<_> = args.iter().map(|arg| self.term(arg)).collect();
                out.push_str(&parts.join(", "));
            }
        }
        out.push(')');
        out
    }

    pub(crate) fn atom(&self, atom: &Atom) -> String {
        if atom.parens { self.applied(atom.name, &atom.args) } else { self.name(atom.name) }
    }

    pub(crate) fn formula(&self, formula: &Formula) -> String {
        match self.syntax {
            Syntax::Kif => self.kif_formula(formula),
            Syntax::Prolog => self.prolog_formula(formula),
        }
    }

    fn kif_formula(&self, formula: &Formula) -> String {
        let (word, parts) = match &formula.kind {
            FormulaKind::Atom(atom) => return self.atom(atom),
            FormulaKind::Distinct(a, b) => {
                return format!("(distinct {} {})", self.term(a), self.term(b));
            }
            FormulaKind::Not(inner) => return format!("(not {})", self.kif_formula(inner)),
            FormulaKind::Or(parts) => ("or", parts),
            FormulaKind::And(parts) => ("and", parts),
        };
        let mut out = format!("({word}");
        for part in parts {
            let _ = write!(out, " {}", self.kif_formula(part));
        }
        out.push(')');
        out
    }

    fn prolog_formula(&self, formula: &Formula) -> String {
        match &formula.kind {
            FormulaKind::Atom(atom) => self.atom(atom),
            FormulaKind::Distinct(a, b) => format!("distinct({}, {})", self.term(a), self.term(b)),
            FormulaKind::Not(inner) => format!("not {}", self.prolog_formula(inner)),
            FormulaKind::Or(parts) if parts.len() > 1 => {
                let parts: Vec<_> = parts.iter().map(|part| self.branch(part)).collect();
                format!("({})", parts.join(" ; "))
            }
            FormulaKind::And(parts) if parts.len() > 1 => format!("({})", self.body(parts)),
            FormulaKind::Or(parts) => format!("or({})", self.body(parts)),
            FormulaKind::And(parts) => format!("and({})", self.body(parts)),
        }
    }

    /// An alternative of `;`: a conjunction needs no parentheses there.
    pub(crate) fn branch(&self, formula: &Formula) -> String {
        match &formula.kind {
            FormulaKind::And(parts) if parts.len() > 1 => self.body(parts),
            _ => self.prolog_formula(formula),
        }
    }

    fn body(&self, parts: &[Formula]) -> String {
        let parts: Vec<_> = parts.iter().map(|part| self.prolog_formula(part)).collect();
        parts.join(", ")
    }
}

/// Whether a name must be quoted in Prolog syntax.
fn needs_quotes(name: &str) -> bool {
    let plain = name.starts_with(|c: char| c.is_alphanumeric() && !c.is_uppercase())
        && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let symbolic = name.chars().all(is_symbol_char)
        && !matches!(name, ":-" | "<=" | "\\+")
        && !name.starts_with("/*");
    let connective = keyword_is(name, keyword::NOT);
    !(plain && !connective || symbolic)
}

fn keyword_is(name: &str, symbol: Symbol) -> bool {
    name.eq_ignore_ascii_case(keyword::ALL[symbol.index()])
}
