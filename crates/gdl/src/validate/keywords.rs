//! The use of keywords: where each may stand (thesis Def. 2.7, conditions 4 to 8), with how many
//! arguments, and that negation applies to atoms.

use rustc_hash::FxHashSet;

use super::sheet::{Sheet, arguments, is_logical, keyword_arity};
use crate::ast::{Atom, Clause, Formula, FormulaKind};
use crate::diagnostic::Diagnostic;
use crate::symbol::{Symbol, keyword};

/// Checks heads and bodies.
pub(super) fn check(sheet: &Sheet<'_>, out: &mut Vec<Diagnostic>) {
    let mut odd_forms = FxHashSet::default();
    let mut declarations = FxHashSet::default();
    for (index, clause) in sheet.rules.clauses.iter().enumerate() {
        out.extend(head(clause));
        out.extend(form(sheet, &clause.head, &mut odd_forms));
        for one in sheet.uses_of(index) {
            out.extend(body(one.atom, &mut declarations));
            out.extend(form(sheet, one.atom, &mut odd_forms));
        }
        for formula in &clause.body {
            negations(formula, out);
        }
    }
}

fn head(clause: &Clause) -> Option<Diagnostic> {
    let span = clause.head.name_span;
    let (code, message, why, hint) = match clause.head.name {
        keyword::ROLE if !clause.body.is_empty() => (
            "E204",
            "`role` has conditions",
            "the roles are fixed by facts, before anything is evaluated (Def. 2.7, condition 4)",
            "write one fact for each role",
        ),
        keyword::TRUE => (
            "E207",
            "`true` is the head of a rule",
            "the state is given; rules can only ask for it (Def. 2.7, condition 6)",
            "did you mean `next` or `init`?",
        ),
        keyword::DOES => (
            "E208",
            "`does` is the head of a rule",
            "players choose their moves; rules can only ask for them (Def. 2.7, condition 7)",
            "did you mean `legal`?",
        ),
        word if is_logical(word) => (
            "E212",
            "a word of logic cannot be derived",
            "`not`, `or`, `and`, `distinct` and `<=` are no relations",
            "move it into the conditions, or choose another name",
        ),
        _ => return None,
    };
    Some(Diagnostic::error(code, span, message).because(why).hint(hint))
}

/// Keywords that may not stand in bodies; for declarations each is reported once.
fn body(atom: &Atom, seen: &mut FxHashSet<Symbol>) -> Option<Diagnostic> {
    let span = atom.name_span;
    let (code, message, why, hint) = match atom.name {
        keyword::INIT => (
            "E205",
            "`init` is used as a condition",
            "the initial state is no part of later states (Def. 2.7, condition 5)",
            "ask for the state with `true`, or give what you need a relation of its own",
        ),
        keyword::NEXT => (
            "E210",
            "`next` is used as a condition",
            "the next state is only known when all of it is derived (Def. 2.7, condition 8)",
            "give the shared conditions a relation of their own and use it in both rules",
        ),
        keyword::BASE | keyword::INPUT
            if Some(atom.args.len() as u32) == keyword_arity(atom.name) =>
        {
            if !seen.insert(atom.name) {
                return None;
            }
            let message = "a declaration (`base` or `input`) is used as a condition";
            return Some(
                Diagnostic::warning("W319", span, message)
                    .because("some players drop declarations or replace them by their own")
                    .hint("give the domain a relation of its own and use it in both places"),
            );
        }
        word if is_logical(word) => (
            "E212",
            "a word of logic stands where a relation is expected",
            "`not`, `or`, `and`, `distinct` and `<=` are no relations",
            "give it its conditions in parentheses, or choose another name",
        ),
        _ => return None,
    };
    Some(Diagnostic::error(code, span, message).because(why).hint(hint))
}

/// The number of arguments. The declarations and `sees` came to GDL later, so that older sheets use
/// these names for relations of their own.
fn form(sheet: &Sheet<'_>, atom: &Atom, seen: &mut FxHashSet<(Symbol, u32)>) -> Option<Diagnostic> {
    let count = atom.args.len() as u32;
    let right = keyword_arity(atom.name).filter(|right| *right != count)?;
    if is_logical(atom.name) {
        return None;
    }
    let name = sheet.quoted(atom.name);
    if matches!(atom.name, keyword::BASE | keyword::INPUT | keyword::SEES) {
        let fresh = seen.insert((atom.name, count));
        let message =
            format!("{name} with {} is not the keyword, which takes {right}", arguments(count));
        return fresh.then(|| {
            Diagnostic::warning("W306", atom.name_span, message)
                .because(
                    "it is taken as an ordinary relation; other systems may take it as the keyword",
                )
                .hint("choose another name, or give the keyword its arguments")
        });
    }
    let message = format!("{name} takes {}, not {count}", arguments(right));
    Some(
        Diagnostic::error("E211", atom.span, message)
            .because("with other arguments the keyword has no meaning")
            .hint(shape(atom.name)),
    )
}

fn shape(word: Symbol) -> &'static str {
    match word {
        keyword::ROLE => "write `(role name)`",
        keyword::INIT => "write `(init fluent)`; combine several parts in one term",
        keyword::TRUE => "write `(true fluent)`; combine several parts in one term",
        keyword::NEXT => "write `(next fluent)`; combine several parts in one term",
        keyword::LEGAL => "write `(legal role move)`",
        keyword::DOES => "write `(does role move)`",
        keyword::GOAL => "write `(goal role value)`",
        _ => "write `terminal`",
    }
}

/// Reports each `not` that is applied to something else than an atom, outermost first.
fn negations(formula: &Formula, out: &mut Vec<Diagnostic>) {
    match &formula.kind {
        FormulaKind::Not(inner) => {
            let (what, hint) = match &inner.kind {
                FormulaKind::Atom(_) => return,
                FormulaKind::Not(_) => ("`not`", "leave out both"),
                FormulaKind::Or(_) => ("`or`", "negate each part instead: all of them must fail"),
                FormulaKind::And(_) => ("`and`", "write an `or` of the negated parts"),
                FormulaKind::Distinct(..) => ("`distinct`", "use the same variable in both places"),
            };
            let message = format!("`not` is applied to {what}");
            out.push(
                Diagnostic::error("E213", inner.span, message)
                    .because("only atoms can be negated in GDL; other systems reject this rule")
                    .hint(hint),
            );
        }
        FormulaKind::Or(parts) | FormulaKind::And(parts) => {
            for part in parts {
                negations(part, out);
            }
        }
        FormulaKind::Atom(_) | FormulaKind::Distinct(..) => {}
    }
}
