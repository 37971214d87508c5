//! Safety, thesis Def. 2.7 condition 2: each variable of a clause occurs in a positive atom of the
//! body. With `or`, that holds for each alternative (see [`super::bind`]).

use rustc_hash::FxHashSet;

use super::bind::{Condition, walk};
use super::sheet::Sheet;
use super::suggest::Suggester;
use crate::ast::{Clause, Term};
use crate::diagnostic::Diagnostic;
use crate::symbol::Symbol;
use crate::text::Span;

/// Reports each unsafe variable once a clause, at its first offending place.
pub(super) fn check(sheet: &Sheet<'_>, out: &mut Vec<Diagnostic>) {
    let mut suggester = Suggester::new();
    for clause in &sheet.rules.clauses {
        if clause.body.is_empty() && clause.head.args.iter().all(Term::is_ground) {
            continue;
        }
        let unbound = unbound(clause);
        if unbound.is_empty() {
            continue;
        }
        let positive = positive_variables(clause);
        let known: FxHashSet<Symbol> = positive.iter().copied().collect();
        for (name, span, place) in unbound {
            let elsewhere = known.contains(&name);
            let names = positive.iter().map(|other| sheet.rules.name(*other));
            let near = suggester.nearest(sheet.rules.name(name), names);
            let similar = near.and_then(|near| sheet.rules.symbols.get(near));
            out.push(if clause.body.is_empty() {
                report_fact(sheet, name, span)
            } else {
                report_rule(sheet, (name, span, place), elsewhere, similar)
            });
        }
    }
}

/// The variables of positive conditions, in the order of the text.
fn positive_variables(clause: &Clause) -> Vec<Symbol> {
    let mut names = Vec::new();
    for formula in &clause.body {
        formula.each_atom(&mut |atom, negated| {
            if !negated {
                atom.each_variable(&mut |name, _| names.push(name));
            }
        });
    }
    names
}

/// The unsafe variables, each once: those of the head first, then in the order of the body.
fn unbound(clause: &Clause) -> Vec<(Symbol, Span, &'static str)> {
    let mut found = Vec::new();
    let bound = walk(
        &clause.body,
        |atom, keys: &mut FxHashSet<Symbol>| {
            atom.each_variable(&mut |name, _| _ = keys.insert(name));
        },
        |condition, scope| {
            let inspect = |place: &'static str| {
                move |name: Symbol, span: Span| (!scope.has(&name)).then_some((name, span, place))
            };
            match condition {
                Condition::Positive(_) => {}
                Condition::Negative(atom) => {
                    let look = inspect("a negated condition");
                    atom.each_variable(&mut |name, span| found.extend(look(name, span)));
                }
                Condition::Distinct(a, b) => {
                    let look = inspect("`distinct`");
                    a.each_variable(&mut |name, span| found.extend(look(name, span)));
                    b.each_variable(&mut |name, span| found.extend(look(name, span)));
                }
            }
        },
    );
    let mut all = Vec::new();
    clause.head.each_variable(&mut |name, span| {
        if !bound.has(&name) {
            all.push((name, span, "the head"));
        }
    });
    all.append(&mut found);
    let mut seen = FxHashSet::default();
    all.retain(|(name, _, _)| seen.insert(*name));
    all
}

fn report_fact(sheet: &Sheet<'_>, name: Symbol, span: Span) -> Diagnostic {
    let variable = sheet.variable(name);
    let message = format!("{variable} stands in a fact, but facts cannot have variables");
    Diagnostic::error("E202", span, message)
        .because("nothing says which values it ranges over (Def. 2.7, condition 2: safe)")
        .hint("write a constant, or a rule whose conditions bind the variable")
}

/// `elsewhere` if some alternative of the rule binds the variable.
fn report_rule(
    sheet: &Sheet<'_>,
    (name, span, place): (Symbol, Span, &str),
    elsewhere: bool,
    similar: Option<Symbol>,
) -> Diagnostic {
    let variable = sheet.variable(name);
    let message = if elsewhere {
        format!("{variable} of {place} is not bound in every alternative of this rule")
    } else {
        format!("{variable} of {place} occurs in no positive condition of this rule")
    };
    let hint = match similar {
        Some(other) => format!("did you mean {}?", sheet.variable(other)),
        None if elsewhere => "bind it outside of the `or`, or in each of its parts".to_owned(),
        None => format!("add a positive condition that says which values {variable} ranges over"),
    };
    Diagnostic::error("E202", span, message)
        .because(
            "its values cannot be found by evaluating the conditions (Def. 2.7, condition 2: safe)",
        )
        .hint(hint)
}
