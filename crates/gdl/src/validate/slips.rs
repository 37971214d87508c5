//! Slips inside single rules: what has no effect, what contradicts itself, what is written twice, and
//! variables that look misspelled.

use rustc_hash::{FxHashMap, FxHashSet};

use super::sheet::Sheet;
use super::suggest;
use crate::ast::{Atom, Clause, Formula, FormulaKind, Term, TermKind};
use crate::diagnostic::Diagnostic;
use crate::symbol::{Symbol, keyword};
use crate::text::Span;

/// All checks of single clauses, and of clauses that say the same.
pub(super) fn check(sheet: &Sheet<'_>, out: &mut Vec<Diagnostic>) {
    let mut first: FxHashMap<Vec<u32>, Span> = FxHashMap::default();
    let mut wrapped = FxHashSet::default();
    for clause in &sheet.rules.clauses {
        if clause.implication && clause.body.is_empty() {
            out.push(empty_body(clause));
        }
        parentheses(sheet, &clause.head, &mut wrapped, out);
        conjunction(sheet, &clause.body, &mut wrapped, out);
        misspelled(sheet, clause, out);
        let span = *first.entry(Encoding::of(clause)).or_insert(clause.span);
        if span != clause.span {
            out.push(
                Diagnostic::warning("W310", clause.span, "this says the same as an earlier clause")
                    .because("it adds nothing; perhaps something else was meant")
                    .hint("remove it, or mend the copy")
                    .see(span, "the earlier clause"),
            );
        }
    }
}

fn empty_body(clause: &Clause) -> Diagnostic {
    Diagnostic::warning("W312", clause.span, "this rule has no conditions")
        .because("some systems reject rules without conditions")
        .hint("write it as a fact, or add its conditions")
}

/// `(open)` is not the same as `open` for all systems; reported once for each name.
fn parentheses(
    sheet: &Sheet<'_>,
    atom: &Atom,
    seen: &mut FxHashSet<Symbol>,
    out: &mut Vec<Diagnostic>,
) {
    if atom.parens && atom.args.is_empty() && seen.insert(atom.name) {
        let name = sheet.rules.name(atom.name);
        let message = format!("`{name}` has parentheses but no arguments");
        let why = if atom.name == keyword::TERMINAL {
            "only `terminal` without parentheses ends the game"
        } else {
            "with parentheses it is another relation than without"
        };
        let hint = format!("write `{name}` without parentheses");
        out.push(Diagnostic::warning("W313", atom.span, message).because(why).hint(hint));
    }
}

/// The conditions that stand side by side, and what is inside them.
fn conjunction(
    sheet: &Sheet<'_>,
    parts: &[Formula],
    wrapped: &mut FxHashSet<Symbol>,
    out: &mut Vec<Diagnostic>,
) {
    contradictions(sheet, parts, out);
    for part in parts {
        match &part.kind {
            FormulaKind::Atom(atom) => parentheses(sheet, atom, wrapped, out),
            FormulaKind::Not(inner) => {
                if let FormulaKind::Atom(atom) = &inner.kind {
                    parentheses(sheet, atom, wrapped, out);
                }
            }
            FormulaKind::Distinct(a, b) => out.extend(constant_distinct(a, b, part.span)),
            FormulaKind::And(inner) | FormulaKind::Or(inner) if inner.is_empty() => {
                out.push(empty_connective(part));
            }
            FormulaKind::And(inner) => conjunction(sheet, inner, wrapped, out),
            FormulaKind::Or(inner) => {
                for one in inner {
                    conjunction(sheet, std::slice::from_ref(one), wrapped, out);
                }
            }
        }
    }
}

fn empty_connective(part: &Formula) -> Diagnostic {
    let (message, why) = match part.kind {
        FormulaKind::Or(_) => ("`or` without alternatives", "it never holds"),
        _ => ("`and` without conditions", "it always holds"),
    };
    Diagnostic::warning("W311", part.span, message)
        .because(why)
        .hint("add what it should connect, or remove it")
}

/// `distinct` of terms of which it is plain whether they differ.
fn constant_distinct(a: &Term, b: &Term, span: Span) -> Option<Diagnostic> {
    if a.same(b) {
        return Some(
            Diagnostic::warning("W309", span, "`distinct` of two equal terms never holds")
                .because("the rule, or this alternative of it, can never fire")
                .hint("compare two different variables"),
        );
    }
    let clash = match (&a.kind, &b.kind) {
        (TermKind::Variable(_), _) | (_, TermKind::Variable(_)) => false,
        (TermKind::Constant(x), TermKind::Constant(y)) => x != y,
        (TermKind::Function(x, some), TermKind::Function(y, others)) => {
            x != y || some.len() != others.len()
        }
        _ => true,
    };
    clash.then(|| {
        Diagnostic::warning("W315", span, "`distinct` of these two terms always holds")
            .because("it has no effect; perhaps a variable was meant")
            .hint("remove it, or compare with a variable")
    })
}

/// A condition and its negation side by side.
fn contradictions(sheet: &Sheet<'_>, parts: &[Formula], out: &mut Vec<Diagnostic>) {
    let negated = parts.iter().filter_map(|part| match &part.kind {
        FormulaKind::Not(inner) => match &inner.kind {
            FormulaKind::Atom(atom) => Some(atom),
            _ => None,
        },
        _ => None,
    });
    let negated: Vec<&Atom> = negated.collect();
    if negated.is_empty() {
        return;
    }
    let mut positive: FxHashMap<Vec<u32>, Span> = FxHashMap::default();
    for part in parts {
        if let FormulaKind::Atom(atom) = &part.kind {
            positive.insert(Encoding::of_atom(atom), atom.span);
        }
    }
    for atom in negated {
        if let Some(span) = positive.get(&Encoding::of_atom(atom)) {
            let message = format!("{} and its negation cannot both hold", sheet.quoted(atom.name));
            out.push(
                Diagnostic::warning("W309", atom.span, message)
                    .because("the rule, or this alternative of it, can never fire")
                    .hint("remove one of them, or mend its arguments")
                    .see(*span, "the same condition, not negated"),
            );
        }
    }
}

/// A variable that occurs once, while another one of the rule is spelled almost like it.
fn misspelled(sheet: &Sheet<'_>, clause: &Clause, out: &mut Vec<Diagnostic>) {
    if clause.body.is_empty() {
        return;
    }
    let mut order: Vec<(Symbol, Span)> = Vec::new();
    let mut counts: FxHashMap<Symbol, usize> = FxHashMap::default();
    clause.each_variable(&mut |name, span| {
        let count = counts.entry(name).or_insert(0);
        *count += 1;
        if *count == 1 {
            order.push((name, span));
        }
    });
    // More variables than people write: comparing all of them would take too long.
    if order.len() > 200 {
        return;
    }
    let mut in_head = FxHashSet::default();
    clause.head.each_variable(&mut |name, _| _ = in_head.insert(name));
    for (name, span) in order.iter().filter(|(name, _)| counts[name] == 1) {
        let near = order.iter().find(|(other, _)| {
            other != name && looks_alike(sheet.rules.name(*name), sheet.rules.name(*other))
        });
        // In the head it is unsafe, which is reported as such.
        if let (Some((other, place)), false) = (near, in_head.contains(name)) {
            let (name, other) = (sheet.variable(*name), sheet.variable(*other));
            out.push(
                Diagnostic::warning("W308", *span, format!("{name} occurs only once in this rule"))
                    .because("it matches anything, as if it were not there")
                    .hint(format!("did you mean {other}?"))
                    .see(*place, format!("{other} is spelled almost like it")),
            );
        }
    }
}

/// Whether two variables differ by one slip of the pen. Names that differ in their last letter or by
/// a digit are families (`?row1`, `?row2`; `?posx`, `?posy`), not slips.
fn looks_alike(a: &str, b: &str) -> bool {
    let (a, b) = (a.trim_start_matches(['?', '_']), b.trim_start_matches(['?', '_']));
    let letters = |name: &str| name.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let without_last = |name: &str| name.chars().rev().skip(1).collect::<String>();
    short.len() >= 4
        && long.len() - short.len() <= 1
        && letters(a) != letters(b)
        && !long.starts_with(short)
        && !long.ends_with(short)
        && without_last(a) != without_last(b)
        && a.chars().next() == b.chars().next()
        && suggest::distance(a, b) == 1
}

/// Clauses as sequences of numbers, the same for clauses that differ only in names of variables.
#[derive(Default)]
struct Encoding {
    code: Vec<u32>,
    variables: Option<FxHashMap<Symbol, u32>>,
}

impl Encoding {
    fn of(clause: &Clause) -> Vec<u32> {
        let mut encoding = Self { code: Vec::new(), variables: Some(FxHashMap::default()) };
        encoding.atom(&clause.head);
        clause.body.iter().for_each(|part| encoding.formula(part));
        encoding.code
    }

    /// An atom with its variables as they are.
    fn of_atom(atom: &Atom) -> Vec<u32> {
        let mut encoding = Self::default();
        encoding.atom(atom);
        encoding.code
    }

    fn atom(&mut self, atom: &Atom) {
        let kind = if atom.parens { 1 } else { 2 };
        self.code.extend([kind, atom.name.0, atom.args.len() as u32]);
        atom.args.iter().for_each(|arg| self.term(arg));
    }

    fn term(&mut self, term: &Term) {
        match &term.kind {
            TermKind::Variable(name) => {
                let number = self.variables.as_mut().map_or(name.0, |known| {
                    let fresh = known.len() as u32;
                    *known.entry(*name).or_insert(fresh)
                });
                self.code.extend([3, number]);
            }
            TermKind::Constant(name) => self.code.extend([4, name.0]),
            TermKind::Function(name, args) => {
                self.code.extend([5, name.0, args.len() as u32]);
                for arg in args {
                    self.term(arg);
                }
            }
        }
    }

    fn formula(&mut self, formula: &Formula) {
        match &formula.kind {
            FormulaKind::Atom(atom) => self.atom(atom),
            FormulaKind::Not(inner) => {
                self.code.push(6);
                self.formula(inner);
            }
            FormulaKind::Or(parts) | FormulaKind::And(parts) => {
                let kind = if matches!(formula.kind, FormulaKind::Or(_)) { 7 } else { 8 };
                self.code.extend([kind, parts.len() as u32]);
                for part in parts {
                    self.formula(part);
                }
            }
            FormulaKind::Distinct(a, b) => {
                self.code.push(9);
                self.term(a);
                self.term(b);
            }
        }
    }
}
