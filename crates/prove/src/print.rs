//! Properties as text that [`crate::language`] reads again.

use std::fmt::Write as _;

use gdl::{Symbol, Symbols};

use crate::language::WORDS;
use crate::lexer::is_separator;
use crate::property::{Atom, Comparison, Formula, Property, Term};

/// How strongly a formula binds; what binds less than its surroundings needs parentheses.
fn strength(formula: &Formula) -> u8 {
    match formula {
        Formula::Iff(..) => 1,
        Formula::Implies(..) => 2,
        Formula::Or(parts) if parts.len() != 1 => 3,
        Formula::And(parts) if parts.len() != 1 => 4,
        Formula::ForAll(..) | Formula::Count { .. } => 5,
        _ => 6,
    }
}

impl Property {
    /// The property in the textual language.
    pub fn to_text(&self, symbols: &Symbols) -> String {
        let mut printer = Printer { symbols, names: &self.variables, out: String::new() };
        printer.formula(&self.formula, 0, true);
        printer.out
    }
}

struct Printer<'a> {
    symbols: &'a Symbols,
    names: &'a [String],
    out: String,
}

impl Printer<'_> {
    /// Writes a formula. A quantifier swallows all that follows, so it needs no parentheses only where nothing does.
    fn formula(&mut self, formula: &Formula, least: u8, last: bool) {
        let own = strength(formula);
        let open = own < least || own == 5 && !last;
        if open {
            self.out.push('(');
        }
        self.inside(formula, last || open);
        if open {
            self.out.push(')');
        }
    }

    fn inside(&mut self, formula: &Formula, last: bool) {
        match formula {
            Formula::Truth(value) => self.out.push_str(if *value { "true" } else { "false" }),
            Formula::Atom(atom) => self.atom(atom),
            Formula::Compare(left, comparison, right) => {
                self.terms(left, " + ");
                self.out.push_str(sign(*comparison));
                self.terms(right, " + ");
            }
            Formula::Not(inside) => {
                self.out.push_str("not ");
                self.formula(inside, 5, last);
            }
            Formula::And(parts) => self.list(parts, "and", "true", 5, last),
            Formula::Or(parts) => self.list(parts, "or", "false", 4, last),
            Formula::Implies(a, b) => {
                self.formula(a, 3, false);
                self.out.push_str(" implies ");
                self.formula(b, 2, last);
            }
            Formula::Iff(a, b) => {
                self.formula(a, 1, false);
                self.out.push_str(" iff ");
                self.formula(b, 2, last);
            }
            Formula::ForAll(variables, body) => {
                self.out.push_str("forall");
                self.bind(variables, body);
            }
            Formula::Count { least, most, variables, body } => {
                let _ = match (least, most) {
                    (1, None) => write!(self.out, "exists"),
                    (least, None) => write!(self.out, "at least {least}"),
                    (0, Some(most)) => write!(self.out, "at most {most}"),
                    (least, Some(most)) if least == most => write!(self.out, "exactly {most}"),
                    (least, Some(most)) => write!(self.out, "between {least} and {most}"),
                };
                self.bind(variables, body);
            }
            Formula::Next(inside) => {
                self.out.push_str("next(");
                self.formula(inside, 0, true);
                self.out.push(')');
            }
        }
    }

    fn list(&mut self, parts: &[Formula], word: &str, empty: &str, least: u8, last: bool) {
        if parts.is_empty() {
            self.out.push_str(empty);
        }
        for (at, part) in parts.iter().enumerate() {
            if at > 0 {
                let _ = write!(self.out, " {word} ");
            }
            self.formula(part, least, last && at + 1 == parts.len());
        }
    }

    fn bind(&mut self, variables: &[u32], body: &Formula) {
        for (at, variable) in variables.iter().enumerate() {
            self.out.push(if at == 0 { ' ' } else { ',' });
            self.out.push_str(&self.names[*variable as usize]);
        }
        self.out.push_str(": ");
        self.formula(body, 0, true);
    }

    fn atom(&mut self, atom: &Atom) {
        match atom {
            Atom::Fluent(term) => {
                let hidden = ["legal", "goal", "terminal", "role"];
                let name = match term {
                    Term::Constant(name) | Term::Function(name, _) => self.symbols.name(*name),
                    Term::Variable(_) | Term::Number(_) => "",
                };
                let explicit = hidden.iter().any(|word| word.eq_ignore_ascii_case(name));
                if explicit {
                    self.out.push_str("true(");
                }
                self.term(term);
                if explicit {
                    self.out.push(')');
                }
            }
            Atom::Relation(relation, args) => {
                self.name(relation.name);
                if relation.parens {
                    self.out.push('(');
                    self.terms(args, ",");
                    self.out.push(')');
                }
            }
        }
    }

    fn terms(&mut self, terms: &[Term], between: &str) {
        for (at, term) in terms.iter().enumerate() {
            if at > 0 {
                self.out.push_str(between);
            }
            self.term(term);
        }
    }

    fn term(&mut self, term: &Term) {
        match term {
            Term::Variable(v) => self.out.push_str(&self.names[*v as usize]),
            Term::Constant(name) => self.name(*name),
            Term::Number(number) => {
                let _ = write!(self.out, "{number}");
            }
            Term::Function(name, args) => {
                self.name(*name);
                self.out.push('(');
                self.terms(args, ",");
                self.out.push(')');
            }
        }
    }

    /// A name of the game, quoted where it could be read as something else.
    fn name(&mut self, symbol: Symbol) {
        let name = self.symbols.name(symbol);
        let word = WORDS.iter().any(|word| word.eq_ignore_ascii_case(name));
        let variable = self.names.iter().any(|other| other == name);
        if name.is_empty() || word || variable || name.contains(is_separator) {
            let _ = write!(self.out, "'{name}'");
        } else {
            self.out.push_str(name);
        }
    }
}

fn sign(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => " = ",
        Comparison::Different => " != ",
        Comparison::Less => " < ",
        Comparison::AtMost => " <= ",
        Comparison::Greater => " > ",
        Comparison::AtLeast => " >= ",
    }
}
