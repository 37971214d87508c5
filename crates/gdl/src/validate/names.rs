//! Names: relations that nothing defines or nothing needs, names used in two ways, keywords as terms,
//! and characters that other systems may not read.

use rustc_hash::{FxHashMap, FxHashSet};

use super::sheet::{Sheet, arguments, is_logical, is_relation_keyword};
use super::suggest::Suggester;
use crate::ast::{Atom, Clause, Formula, FormulaKind, Relation, Term, TermKind};
use crate::diagnostic::Diagnostic;
use crate::symbol::{Symbol, keyword};
use crate::text::Span;

/// All checks of names; `partial` if clauses are missing.
pub(super) fn check(sheet: &Sheet<'_>, partial: bool, out: &mut Vec<Diagnostic>) {
    let undefined = if partial { Vec::new() } else { undefined(sheet) };
    let mut suggester = Suggester::new();
    let mut forms: FxHashMap<Symbol, (Relation, usize)> = FxHashMap::default();
    for (relation, clause) in &sheet.defined {
        forms.entry(relation.name).or_insert((*relation, *clause));
    }
    for (relation, first) in &undefined {
        let other_form = forms.get(&relation.name).copied();
        out.push(report_undefined(sheet, (*relation, *first), other_form, &mut suggester));
    }
    if !partial {
        unused(sheet, out);
    }
    let mut names =
        Names::new(sheet, undefined.into_iter().map(|(relation, _)| relation).collect());
    for (index, clause) in sheet.rules.clauses.iter().enumerate() {
        names.relation(&clause.head);
        sheet.uses_of(index).iter().for_each(|one| names.relation(one.atom));
        each_term(clause, &mut |term| names.term(term));
    }
    names.both_ways();
    out.append(&mut names.out);
}

/// Whether the rules need not define the relation: keywords, and words of logic in a wrong place.
fn is_given(name: Symbol) -> bool {
    let declared = matches!(name, keyword::BASE | keyword::INPUT | keyword::SEES);
    is_logical(name) || (is_relation_keyword(name) && !declared)
}

/// The relations that are used but not defined, with their first use.
fn undefined(sheet: &Sheet<'_>) -> Vec<(Relation, usize)> {
    let missing =
        |relation: &Relation| !is_given(relation.name) && sheet.definition(*relation).is_none();
    sheet.used.iter().copied().filter(|(relation, _)| missing(relation)).collect()
}

fn report_undefined(
    sheet: &Sheet<'_>,
    (relation, first): (Relation, usize),
    other_form: Option<(Relation, usize)>,
    suggester: &mut Suggester,
) -> Diagnostic {
    let one = &sheet.uses[first];
    let name = sheet.rules.name(relation.name);
    let message = format!("no rule or fact defines `{name}` with {}", arguments(relation.arity));
    let why = if one.negated {
        "this condition always holds"
    } else {
        "this condition never holds, so what needs it never happens"
    };
    let finding = Diagnostic::warning("W301", one.atom.name_span, message).because(why);
    if let Some((other, clause)) = other_form {
        let hint = if other.arity == relation.arity {
            "write it with parentheses in all places or in none".to_owned()
        } else {
            format!("it is defined with {}", arguments(other.arity))
        };
        let span = sheet.rules.clauses[clause].head.span;
        return finding.hint(hint).see(span, format!("`{name}` is defined here in another form"));
    }
    let candidates = sheet
        .defined
        .iter()
        .filter(|(other, _)| other.arity == relation.arity && !is_given(other.name));
    let near = suggester.nearest(name, candidates.map(|(other, _)| sheet.rules.name(other.name)));
    finding.hint(match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => "define it, or leave the condition out".to_owned(),
    })
}

/// Relations that nothing of the game depends on.
fn unused(sheet: &Sheet<'_>, out: &mut Vec<Diagnostic>) {
    let graph = &sheet.graph;
    let roots = sheet.defined.iter().filter(|(relation, _)| is_relation_keyword(relation.name));
    let needed = graph.reachable(roots.filter_map(|(relation, _)| graph.node(*relation)));
    let used: FxHashSet<Relation> = sheet.used.iter().map(|(relation, _)| *relation).collect();
    for (relation, clause) in &sheet.defined {
        let is_needed = graph.node(*relation).is_some_and(|node| needed[node]);
        if is_needed || is_relation_keyword(relation.name) || is_logical(relation.name) {
            continue;
        }
        let name = sheet.quoted(relation.name);
        let message = if used.contains(relation) {
            format!("{name} is used only by rules that the game does not depend on")
        } else {
            format!("{name} is defined but never used")
        };
        let span = sheet.rules.clauses[*clause].head.name_span;
        out.push(
            Diagnostic::warning("W302", span, message)
                .because("it does not change the game, and every player has to read and ground it")
                .hint("remove its rules, or use it where it was meant to be used"),
        );
    }
}

/// What each name is used for; indexed by symbol.
struct Names<'s, 'r> {
    sheet: &'s Sheet<'r>,
    undefined: FxHashSet<Relation>,
    relations: Vec<Option<(u32, Span)>>,
    functions: Vec<Option<(u32, Span)>>,
    function_order: Vec<Symbol>,
    looked_at: Vec<bool>,
    reported: FxHashSet<(&'static str, Symbol, u32)>,
    out: Vec<Diagnostic>,
}

impl<'s, 'r> Names<'s, 'r> {
    fn new(sheet: &'s Sheet<'r>, undefined: FxHashSet<Relation>) -> Self {
        let count = sheet.rules.symbols.len();
        Self {
            sheet,
            undefined,
            relations: vec![None; count],
            functions: vec![None; count],
            function_order: Vec::new(),
            looked_at: vec![false; count],
            reported: FxHashSet::default(),
            out: Vec::new(),
        }
    }

    fn relation(&mut self, atom: &Atom) {
        self.characters(atom.name, atom.name_span);
        // An undefined relation is reported as such, with the form that is defined.
        let undefined = self.undefined.contains(&atom.relation());
        if undefined || is_relation_keyword(atom.name) || is_logical(atom.name) {
            return;
        }
        let count = atom.args.len() as u32;
        let first = *self.relations[atom.name.index()].get_or_insert((count, atom.name_span));
        if first.0 != count {
            self.other_arity("W303", "relation", (atom.name, atom.name_span), count, first);
        }
    }

    fn term(&mut self, term: &Term) {
        match &term.kind {
            TermKind::Variable(name) => self.characters(*name, term.span),
            TermKind::Constant(name) => {
                self.characters(*name, term.span);
                self.keyword_term(*name, term.span, 0);
            }
            TermKind::Function(name, args) => {
                self.characters(*name, term.span);
                self.keyword_term(*name, term.span, args.len() as u32);
                self.function(*name, args.len() as u32, term.span);
            }
        }
    }

    fn function(&mut self, name: Symbol, count: u32, span: Span) {
        let slot = &mut self.functions[name.index()];
        if slot.is_none() {
            self.function_order.push(name);
        }
        let first = *slot.get_or_insert((count, span));
        if first.0 != count {
            self.other_arity("W304", "function", (name, span), count, first);
        }
    }

    fn other_arity(
        &mut self,
        code: &'static str,
        what: &str,
        (name, span): (Symbol, Span),
        count: u32,
        first: (u32, Span),
    ) {
        if !self.reported.insert((code, name, count)) {
            return;
        }
        let (name, before) = (self.sheet.quoted(name), arguments(first.0));
        let message =
            format!("the {what} {name} has {} here, but {before} before", arguments(count));
        self.out.push(
            Diagnostic::warning(code, span, message)
                .because("they are different things with one name, and some systems mix them up")
                .hint("choose another name for one of them, or mend the number of arguments")
                .see(first.1, format!("{name} has {before} here")),
        );
    }

    fn keyword_term(&mut self, name: Symbol, span: Span, count: u32) {
        let logical = is_logical(name);
        if !logical && !is_relation_keyword(name) {
            return;
        }
        let quoted = self.sheet.quoted(name);
        if logical && count > 0 {
            let message = format!("{quoted} stands inside a term");
            self.out.push(
                Diagnostic::error("E212", span, message)
                    .because("there it is a mere name and neither negates nor connects anything")
                    .hint("put it around the whole condition, or choose another name"),
            );
        } else if self.reported.insert(("W306", name, 0)) {
            let message = format!("the keyword {quoted} is used as a name inside a term");
            self.out.push(
                Diagnostic::warning("W306", span, message)
                    .because("it has no special meaning there, which readers may not expect")
                    .hint("choose another name"),
            );
        }
    }

    /// Once for each name with a character other than ASCII letters, digits, `_`, `-` and `.`.
    fn characters(&mut self, name: Symbol, span: Span) {
        if std::mem::replace(&mut self.looked_at[name.index()], true) || is_logical(name) {
            return;
        }
        let text = self.sheet.rules.name(name);
        let usual = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let Some(odd) = text.trim_start_matches('?').chars().find(|c| !usual(*c)) else { return };
        let message = format!("the character `{odd}` is unusual in names");
        self.out.push(
            Diagnostic::warning("W314", span, message)
                .because("some systems do not read such names")
                .hint("use letters, digits and `_`"),
        );
    }

    /// Names that are relations and functions.
    fn both_ways(&mut self) {
        for name in std::mem::take(&mut self.function_order) {
            let (Some(relation), Some(function)) =
                (self.relations[name.index()], self.functions[name.index()])
            else {
                continue;
            };
            let quoted = self.sheet.quoted(name);
            let message = format!("{quoted} is used both as a relation and as a function");
            self.out.push(
                Diagnostic::warning("W305", function.1, message)
                    .because("a missing or superfluous `true` is easily overlooked then")
                    .hint("choose another name for one of them")
                    .see(relation.1, format!("{quoted} is a relation here")),
            );
        }
    }
}

/// Visits all terms of a clause, subterms included.
fn each_term<'c>(clause: &'c Clause, visit: &mut impl FnMut(&'c Term)) {
    clause.head.args.iter().for_each(|arg| subterms(arg, visit));
    clause.body.iter().for_each(|formula| terms_of(formula, visit));
}

fn terms_of<'c>(formula: &'c Formula, visit: &mut impl FnMut(&'c Term)) {
    match &formula.kind {
        FormulaKind::Atom(atom) => atom.args.iter().for_each(|arg| subterms(arg, visit)),
        FormulaKind::Not(inner) => terms_of(inner, visit),
        FormulaKind::Or(parts) | FormulaKind::And(parts) => {
            for part in parts {
                terms_of(part, visit);
            }
        }
        FormulaKind::Distinct(a, b) => {
            subterms(a, visit);
            subterms(b, visit);
        }
    }
}

fn subterms<'c>(term: &'c Term, visit: &mut impl FnMut(&'c Term)) {
    visit(term);
    if let TermKind::Function(_, args) = &term.kind {
        for arg in args {
            subterms(arg, visit);
        }
    }
}
