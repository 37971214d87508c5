//! Conditions that can never match: they ask for a fluent, a move or a value at a place where no
//! rule or fact ever puts it.
//!
//! For each argument of each relation, and for each argument of the functions there, the names that
//! heads put there are collected. A variable in a head stands for anything. `true` is compared with
//! the heads for `init` and `next`, `does` with those for `legal`. This is a coarse version of the
//! domains of thesis §2.4: places are taken one by one, and only two levels deep.

use rustc_hash::{FxHashMap, FxHashSet};

use super::sheet::{Sheet, Use, is_logical, keyword_relation};
use super::suggest::Suggester;
use crate::ast::{Atom, Relation, Term, TermKind};
use crate::diagnostic::Diagnostic;
use crate::symbol::{Symbol, keyword};

/// A name at some place, with its number of arguments if it is a function.
type Functor = (Symbol, Option<u32>);

/// An argument of a relation, or an argument of a function at such an argument.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Place {
    relation: Relation,
    argument: usize,
    below: Option<(Functor, usize)>,
}

/// The names seen at a place, in the order of the text; none if anything may stand there.
type Seen = Option<(Vec<Functor>, FxHashSet<Functor>)>;

/// Reports each impossible name at a place once.
pub(super) fn check(sheet: &Sheet<'_>, out: &mut Vec<Diagnostic>) {
    let places = collect(sheet);
    let mut reported = FxHashSet::default();
    let mut suggester = Suggester::new();
    for one in &sheet.uses {
        let relation = one.atom.relation();
        for (argument, term) in one.atom.args.iter().enumerate() {
            // Roles are compared with the declared ones elsewhere.
            if relation.name == keyword::DOES && argument == 0 {
                continue;
            }
            let place = Place { relation, argument, below: None };
            if let Some((place, culprit, found)) = mismatch(&places, place, term) {
                // Words of logic inside terms are reported as such.
                if !is_logical(found.0) && reported.insert((place, found)) {
                    out.push(report(sheet, one, place, culprit, &places, &mut suggester));
                }
                break;
            }
        }
    }
}

/// The relation that conditions ask for what this head derives.
fn asked_as(head: &Atom) -> Option<Relation> {
    match head.name {
        keyword::INIT | keyword::NEXT => keyword_relation(keyword::TRUE),
        keyword::LEGAL => keyword_relation(keyword::DOES),
        _ => None,
    }
}

fn collect(sheet: &Sheet<'_>) -> FxHashMap<Place, Seen> {
    let asked: FxHashSet<Relation> = sheet.used.iter().map(|(relation, _)| *relation).collect();
    let mut places = FxHashMap::default();
    for clause in &sheet.rules.clauses {
        let own = clause.head.relation();
        for relation in [Some(own), asked_as(&clause.head)].into_iter().flatten() {
            if !asked.contains(&relation) {
                continue;
            }
            for (argument, term) in clause.head.args.iter().enumerate() {
                add(&mut places, Place { relation, argument, below: None }, term);
            }
        }
    }
    places
}

fn functor(term: &Term) -> Option<Functor> {
    match &term.kind {
        TermKind::Variable(_) => None,
        TermKind::Constant(name) => Some((*name, None)),
        TermKind::Function(name, args) => Some((*name, Some(args.len() as u32))),
    }
}

fn add(places: &mut FxHashMap<Place, Seen>, place: Place, term: &Term) {
    let seen = places.entry(place).or_insert_with(|| Some(<_>::default()));
    let Some(name) = functor(term) else {
        *seen = None;
        return;
    };
    if let Some((order, known)) = seen
        && known.insert(name)
    {
        order.push(name);
    }
    if let (TermKind::Function(_, args), None) = (&term.kind, place.below) {
        for (argument, arg) in args.iter().enumerate() {
            add(places, Place { below: Some((name, argument)), ..place }, arg);
        }
    }
}

/// The first name of a term, outside in, that never stands at its place.
fn mismatch<'t>(
    places: &FxHashMap<Place, Seen>,
    place: Place,
    term: &'t Term,
) -> Option<(Place, &'t Term, Functor)> {
    let name = functor(term)?;
    let (_, known) = places.get(&place)?.as_ref()?;
    if !known.contains(&name) {
        return Some((place, term, name));
    }
    let (TermKind::Function(_, args), None) = (&term.kind, place.below) else { return None };
    args.iter().enumerate().find_map(|(argument, arg)| {
        mismatch(places, Place { below: Some((name, argument)), ..place }, arg)
    })
}

fn report(
    sheet: &Sheet<'_>,
    one: &Use<'_>,
    place: Place,
    culprit: &Term,
    places: &FxHashMap<Place, Seen>,
    suggester: &mut Suggester,
) -> Diagnostic {
    let name = sheet.term(culprit);
    let message = match (place.below, place.relation.name) {
        (None, keyword::TRUE) => format!("no `init` or `next` ever makes {name} hold"),
        (None, keyword::DOES) => format!("no `legal` ever allows the move {name}"),
        (None, relation) => {
            let number = place.argument + 1;
            format!("argument {number} of {} is never {name}", sheet.quoted(relation))
        }
        (Some((function, argument)), _) => {
            format!("argument {} of {} is never {name}", argument + 1, sheet.quoted(function.0))
        }
    };
    let why = if one.negated {
        "this condition always holds"
    } else {
        "this condition never holds, so what needs it never happens"
    };
    let wanted = functor(culprit);
    let candidates =
        places.get(&place).and_then(Option::as_ref).map_or(&[][..], |(order, _)| order);
    let alike = candidates.iter().filter(|other| Some(other.1) == wanted.map(|name| name.1));
    let spelled = wanted.map_or("", |name| sheet.rules.name(name.0));
    let near = suggester.nearest(spelled, alike.map(|other| sheet.rules.name(other.0)));
    let hint = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => known_values(sheet, candidates),
    };
    Diagnostic::warning("W320", culprit.span, message).because(why).hint(hint)
}

/// A short list of what may stand at a place.
fn known_values(sheet: &Sheet<'_>, candidates: &[Functor]) -> String {
    let mut names: Vec<String> =
        candidates.iter().take(6).map(|other| sheet.quoted(other.0)).collect();
    if candidates.len() > names.len() {
        names.push("...".to_owned());
    }
    format!("what stands there is {}", names.join(", "))
}
