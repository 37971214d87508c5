//! Validation: whether a rule sheet is GDL that can be played, and what in it looks like a slip.
//!
//! The errors `E2xx` are the eight conditions of thesis Def. 2.7 and the proper use of keywords; the
//! warnings `W3xx` are rules that can be played but are probably not what was meant. All passes work
//! on the rules as written, so that each finding has its place; none of them expands disjunctions,
//! and each takes time about linear in the text. `docs/validation.md` lists all codes.

mod bind;
mod connect;
mod cycles;
mod keywords;
mod names;
mod playable;
mod recursion;
mod safety;
mod shapes;
mod sheet;
mod slips;
mod suggest;

use crate::ast::{Formula, FormulaKind, Rules};
use crate::diagnostic::Diagnostic;
use crate::normal;
use crate::{Limits, parse};
use sheet::Sheet;

/// A rule sheet that was read and validated.
#[derive(Clone, Debug)]
pub struct Checked {
    /// What could be read.
    pub rules: Rules,
    /// What is wrong with it, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

impl Checked {
    /// Whether there are no errors; warnings may be there.
    pub fn is_sound(&self) -> bool {
        !self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// Whether everything could be read, be it sound or not: no `E1xx`.
    pub fn is_readable(&self) -> bool {
        !self.diagnostics.iter().any(|d| d.is_error() && d.code.starts_with("E1"))
    }
}

/// Reads and validates a rule sheet in either syntax. Where some clauses cannot be read, the others
/// are validated, but nothing is reported that may only be missing because of those clauses.
pub fn check(text: &str, limits: &Limits) -> Checked {
    let (rules, mut diagnostics) = parse(text, limits);
    let partial = diagnostics.iter().any(Diagnostic::is_error);
    diagnostics.extend(findings(&rules, partial));
    sort(&mut diagnostics);
    Checked { rules, diagnostics }
}

/// Validates rules that were read without problems. The findings are sorted by place, then code.
pub fn validate(rules: &Rules) -> Vec<Diagnostic> {
    let mut diagnostics = findings(rules, false);
    sort(&mut diagnostics);
    diagnostics
}

/// All findings; `partial` if clauses of the sheet are missing because they could not be read.
fn findings(rules: &Rules, partial: bool) -> Vec<Diagnostic> {
    let sheet = Sheet::new(rules);
    let mut out = Vec::new();
    keywords::check(&sheet, &mut out);
    connect::check(&sheet, &mut out);
    cycles::check(&sheet, &mut out);
    safety::check(&sheet, &mut out);
    recursion::check(&sheet, &mut out);
    names::check(&sheet, partial, &mut out);
    playable::check(&sheet, partial, &mut out);
    slips::check(&sheet, &mut out);
    if !partial {
        shapes::check(&sheet, &mut out);
    }
    out.extend(too_many_alternatives(rules));
    out
}

fn sort(diagnostics: &mut [Diagnostic]) {
    diagnostics.sort_by(|a, b| {
        (a.span.start, a.code, a.span.end, &a.message).cmp(&(
            b.span.start,
            b.code,
            b.span.end,
            &b.message,
        ))
    });
}

/// The first rule that cannot be expanded into plain clauses. Only rules that stand for very many
/// alternatives are tried, each by itself.
fn too_many_alternatives(rules: &Rules) -> Option<Diagnostic> {
    rules.clauses.iter().find_map(|clause| {
        let count = clause
            .body
            .iter()
            .fold(1usize, |all, part| all.saturating_mul(alternatives(part, false)));
        if count <= normal::MOST_ALTERNATIVES {
            return None;
        }
        let mut alone = Rules::empty(rules.syntax);
        alone.symbols = rules.symbols.clone();
        alone.clauses.push(clause.clone());
        normal::normalize(&alone).err()
    })
}

/// How many conjunctions a condition stands for.
fn alternatives(formula: &Formula, negated: bool) -> usize {
    match &formula.kind {
        FormulaKind::Atom(_) | FormulaKind::Distinct(..) => 1,
        FormulaKind::Not(inner) => alternatives(inner, !negated),
        FormulaKind::Or(parts) | FormulaKind::And(parts) => {
            let counts = parts.iter().map(|part| alternatives(part, negated));
            if matches!(formula.kind, FormulaKind::Or(_)) == negated {
                counts.fold(1, usize::saturating_mul)
            } else {
                counts.fold(0, usize::saturating_add)
            }
        }
    }
}
