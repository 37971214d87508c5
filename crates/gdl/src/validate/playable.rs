//! Whether the game can be played at all: roles, moves, an end and goals are there, and only roles
//! and values that mean something are named. Also tells games with imperfect information (GDL-II).

use rustc_hash::FxHashSet;

use super::sheet::{Sheet, keyword_relation};
use super::suggest::Suggester;
use crate::ast::{Atom, Clause, Term, TermKind};
use crate::diagnostic::Diagnostic;
use crate::symbol::{Symbol, keyword};
use crate::text::Span;

/// All checks; `partial` if clauses are missing, then nothing is reported as missing.
pub(super) fn check(sheet: &Sheet<'_>, partial: bool, out: &mut Vec<Diagnostic>) {
    sheet.heads(keyword::GOAL).for_each(|clause| out.extend(goal_value(sheet, &clause.head)));
    imperfect_information(sheet, out);
    if partial {
        return;
    }
    missing(sheet, out);
    let roles: Vec<&Clause> =
        sheet.heads(keyword::ROLE).filter(|clause| clause.body.is_empty()).collect();
    let conditional = sheet.heads(keyword::ROLE).any(|clause| !clause.body.is_empty());
    idle_roles(sheet, &roles, out);
    if !roles.is_empty() && !conditional {
        strangers(sheet, &roles, out);
    }
}

/// Relations without which the game cannot be played (error) or does nothing (warning).
fn missing(sheet: &Sheet<'_>, out: &mut Vec<Diagnostic>) {
    const NEEDED: &[(Symbol, &str, &str, &str)] = &[
        (keyword::ROLE, "E214", "no role is declared", "nobody can play"),
        (keyword::LEGAL, "E214", "no legal move is defined", "the players cannot do anything"),
        (keyword::TERMINAL, "E214", "`terminal` is not defined", "no match ever ends"),
        (keyword::GOAL, "E214", "no goal is defined", "no match has an outcome"),
        (keyword::INIT, "W318", "no `init` is given", "the game begins with an empty state"),
        (keyword::NEXT, "W318", "no `next` is defined", "the state is empty after the first moves"),
    ];
    for (word, code, message, why) in NEEDED {
        if keyword_relation(*word).is_none_or(|relation| sheet.definition(relation).is_some()) {
            continue;
        }
        let at = Span::new(0, 0);
        let finding = if code.starts_with('E') {
            Diagnostic::error(code, at, *message)
        } else {
            Diagnostic::warning(code, at, *message)
        };
        let hint = format!("add {} rules", sheet.quoted(*word));
        out.push(finding.because(*why).hint(hint));
    }
}

fn key(sheet: &Sheet<'_>, term: &Term) -> String {
    crate::print::term(&sheet.rules.symbols, term)
}

/// Roles that no rule for `legal` or `goal` can be about.
fn idle_roles(sheet: &Sheet<'_>, roles: &[&Clause], out: &mut Vec<Diagnostic>) {
    for word in [keyword::LEGAL, keyword::GOAL] {
        let subjects = || sheet.heads(word).filter_map(|clause| clause.head.args.first());
        let open = subjects().any(|subject| !subject.is_ground());
        if open || subjects().next().is_none() {
            continue;
        }
        let named: FxHashSet<String> = subjects().map(|subject| key(sheet, subject)).collect();
        for role in roles.iter().filter_map(|clause| clause.head.args.first()) {
            if role.is_ground() && !named.contains(&key(sheet, role)) {
                out.push(idle_role(sheet, word, role));
            }
        }
    }
}

fn idle_role(sheet: &Sheet<'_>, word: Symbol, role: &Term) -> Diagnostic {
    let name = sheet.term(role);
    if word == keyword::LEGAL {
        return Diagnostic::error(
            "E215",
            role.span,
            format!("the role {name} never has a legal move"),
        )
        .because("each role moves in every step; without a legal move the match cannot go on")
        .hint("give it a move that does nothing, for example `(legal role noop)`");
    }
    Diagnostic::warning("W316", role.span, format!("no goal is defined for the role {name}"))
        .because("at the end of a match its result is unknown")
        .hint("add `goal` rules that cover each terminal state")
}

/// Roles named in rules but not declared.
fn strangers(sheet: &Sheet<'_>, roles: &[&Clause], out: &mut Vec<Diagnostic>) {
    let roles: Vec<String> =
        roles.iter().filter_map(|clause| Some(key(sheet, clause.head.args.first()?))).collect();
    let known: FxHashSet<&str> = roles.iter().map(String::as_str).collect();
    let mut reported = FxHashSet::default();
    let mut suggester = Suggester::new();
    let clauses = sheet.rules.clauses.iter().enumerate();
    let atoms = clauses.flat_map(|(index, clause)| {
        std::iter::once(&clause.head).chain(sheet.uses_of(index).iter().map(|one| one.atom))
    });
    for atom in atoms {
        let about_role =
            matches!(atom.name, keyword::LEGAL | keyword::DOES | keyword::GOAL | keyword::INPUT);
        let [subject, _] = atom.args.as_slice() else { continue };
        if !about_role || !subject.is_ground() {
            continue;
        }
        let name = key(sheet, subject);
        if known.contains(name.as_str()) || !reported.insert((atom.name, name.clone())) {
            continue;
        }
        let hint = match suggester.nearest(&name, roles.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("declare it with `(role {name})`, or name one of the roles"),
        };
        let message = format!("`{name}` is not a role");
        out.push(
            Diagnostic::warning("W317", subject.span, message)
                .because(format!("{} is about roles only", sheet.quoted(atom.name)))
                .hint(hint),
        );
    }
}

fn goal_value(sheet: &Sheet<'_>, head: &Atom) -> Option<Diagnostic> {
    let value = head.args.get(1)?;
    let good = match &value.kind {
        TermKind::Variable(_) => true,
        TermKind::Constant(name) => {
            let digits = sheet.rules.name(*name);
            digits.bytes().all(|b| b.is_ascii_digit())
                && digits.parse().is_ok_and(|n: u32| n <= 100)
        }
        TermKind::Function(..) => false,
    };
    (!good).then(|| {
        let message =
            format!("the goal value {} is not a whole number from 0 to 100", sheet.term(value));
        Diagnostic::error("E216", value.span, message)
            .because("results are compared on that scale")
            .hint("scale the values so that the worst is 0 and the best is 100")
    })
}

/// GDL-II (Thielscher 2010): `sees` says what a role perceives, the role `random` plays chance. Both
/// are ordinary names in GDL-I, where a relation `sees` may well be used in conditions.
fn imperfect_information(sheet: &Sheet<'_>, out: &mut Vec<Diagnostic>) {
    let chance =
        sheet.heads(keyword::ROLE).find_map(|clause| {
            clause.head.args.first().filter(
                |role| matches!(role.kind, TermKind::Constant(name) if name == keyword::RANDOM),
            )
        });
    let sees = sheet.heads(keyword::SEES).next();
    let asked =
        sheet.uses.iter().find(|one| Some(one.atom.relation()) == keyword_relation(keyword::SEES));
    if let (Some(asked), true) = (asked, chance.is_some() && sees.is_some()) {
        out.push(
            Diagnostic::error("E217", asked.atom.span, "`sees` is used as a condition")
                .because("in GDL-II what a role perceives is derived, not asked for")
                .hint("give the shared conditions a relation of their own"),
        );
    }
    let sees = sees.filter(|_| asked.is_none() || chance.is_some());
    let (span, message) = match (sees, chance) {
        (Some(clause), _) => {
            (clause.head.name_span, "this is a game with imperfect information: `sees`")
        }
        (None, Some(role)) => (role.span, "the role `random` plays chance in GDL-II"),
        (None, None) => return,
    };
    out.push(
        Diagnostic::warning("W307", span, message)
            .because(
                "play with imperfect information is not supported: the rules are taken as GDL-I, in \
                 which every role sees all moves and `random` is a role like others",
            )
            .hint("rename the role or relation if the game is meant to be GDL-I"),
    );
}
