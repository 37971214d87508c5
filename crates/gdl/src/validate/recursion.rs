//! The recursion restriction, thesis Def. 2.7 condition 3, which keeps the derivable atoms finite.
//!
//! For a clause `p(s1..sm) :- b1(t1), .., q(v1..vk), .., bn(tn)` with p and q in a cycle, each vi is
//! variable-free, or one of the si, or occurs in some tj whose bj is in no cycle with p. Terms with
//! variables are compared literally, as written: `f(?x)` is one of the si only if an argument of the
//! head is `f(?x)`, and occurs in tj only if `f(?x)` is an argument there or a subterm of one; that
//! `?x` occurs there is not enough. Only positive bj count, and with `or` one in each alternative.
//!
//! The condition is sufficient for finiteness, not necessary: without growing terms the closure
//! `reach(X,Z) :- reach(X,Y), reach(Y,Z)` is finite, too. Such violations are warnings (`W321`);
//! they are errors (`E203`) only if some rule of the cycle can build ever larger terms.

use rustc_hash::{FxHashMap, FxHashSet};

use super::bind::{Condition, walk};
use super::sheet::Sheet;
use crate::ast::{Atom, Clause, Term, TermKind};
use crate::diagnostic::Diagnostic;
use crate::symbol::Symbol;

/// Reports each argument that breaks the restriction, once a clause.
pub(super) fn check(sheet: &Sheet<'_>, out: &mut Vec<Diagnostic>) {
    let mut broken = Vec::new();
    let mut growing: FxHashMap<usize, &Term> = FxHashMap::default();
    for (index, clause) in sheet.rules.clauses.iter().enumerate() {
        let Some(component) = recursive_component(sheet, index, clause) else { continue };
        let in_cycle = |atom: &Atom| {
            let node = sheet.graph.node(atom.relation());
            node.is_some_and(|node| sheet.graph.component[node] == component)
        };
        broken
            .extend(violations(clause, &in_cycle).into_iter().map(|bad| (component, clause, bad)));
        if let Some(term) = growing_argument(clause, &in_cycle) {
            growing.entry(component).or_insert(term);
        }
    }
    for (component, clause, (literal, term)) in broken {
        out.push(report(sheet, clause, literal, term, growing.get(&component).copied()));
    }
}

/// The component of the clause's head if a positive condition of the clause is in it, too.
fn recursive_component(sheet: &Sheet<'_>, index: usize, clause: &Clause) -> Option<usize> {
    let graph = &sheet.graph;
    let component = graph.component[graph.node(clause.head.relation())?];
    let inside = |atom: &Atom| {
        graph.node(atom.relation()).is_some_and(|node| graph.component[node] == component)
    };
    let recursive =
        sheet.uses_of(index).iter().any(|one| !one.negated && !one.misplaced && inside(one.atom));
    recursive.then_some(component)
}

/// The arguments of recursive conditions that break the restriction.
fn violations<'r>(
    clause: &'r Clause,
    in_cycle: &impl Fn(&Atom) -> bool,
) -> Vec<(&'r Atom, &'r Term)> {
    let mut table = Table::default();
    let head: FxHashSet<u32> =
        clause.head.args.iter().map(|arg| table.id(arg, &mut |_| {})).collect();
    let table = std::cell::RefCell::new(table);
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    walk(
        &clause.body,
        |atom, keys: &mut FxHashSet<u32>| {
            if !in_cycle(atom) {
                for arg in &atom.args {
                    table.borrow_mut().id(arg, &mut |id| _ = keys.insert(id));
                }
            }
        },
        |condition, scope| {
            let Condition::Positive(atom) = condition else { return };
            if !in_cycle(atom) {
                return;
            }
            for arg in atom.args.iter().filter(|arg| !arg.is_ground()) {
                let id = table.borrow_mut().id(arg, &mut |_| {});
                if !head.contains(&id) && !scope.has(&id) && seen.insert(id) {
                    found.push((atom, arg));
                }
            }
        },
    );
    found
}

/// An argument of the head in which a term from the cycle gets larger: a compound term with a variable
/// that no condition outside of the cycle binds, and not passed on as it is from some condition.
fn growing_argument<'r>(clause: &'r Clause, in_cycle: &impl Fn(&Atom) -> bool) -> Option<&'r Term> {
    let is_compound = |term: &&Term| matches!(term.kind, TermKind::Function(..));
    let outside = |atom: &Atom, keys: &mut FxHashSet<Symbol>| {
        if !in_cycle(atom) {
            atom.each_variable(&mut |name, _| _ = keys.insert(name));
        }
    };
    let mut table = Table::default();
    let compound: Vec<(&Term, u32)> = clause
        .head
        .args
        .iter()
        .filter(is_compound)
        .map(|arg| (arg, table.id(arg, &mut |_| {})))
        .collect();
    if compound.is_empty() {
        return None;
    }
    let passed = walk(
        &clause.body,
        |atom, keys| keys.extend(atom.args.iter().map(|arg| table.id(arg, &mut |_| {}))),
        |_, _| {},
    );
    let bound = walk(&clause.body, outside, |_, _| {});
    compound
        .into_iter()
        .map(|(arg, id)| {
            let mut free = false;
            arg.each_variable(&mut |name, _| free |= !bound.has(&name));
            (arg, free && !passed.has(&id))
        })
        .find_map(|(arg, grows)| grows.then_some(arg))
}

/// Numbers for terms, equal for equal terms.
#[derive(Default)]
struct Table {
    numbers: FxHashMap<Node, u32>,
}

#[derive(PartialEq, Eq, Hash)]
enum Node {
    Variable(Symbol),
    Constant(Symbol),
    Function(Symbol, Vec<u32>),
}

impl Table {
    /// The number of a term; `visit` gets the numbers of all its subterms and its own.
    fn id(&mut self, term: &Term, visit: &mut impl FnMut(u32)) -> u32 {
        let node = match &term.kind {
            TermKind::Variable(name) => Node::Variable(*name),
            TermKind::Constant(name) => Node::Constant(*name),
            TermKind::Function(name, args) => {
                Node::Function(*name, args.iter().map(|arg| self.id(arg, visit)).collect())
            }
        };
        let fresh = self.numbers.len() as u32;
        let id = *self.numbers.entry(node).or_insert(fresh);
        visit(id);
        id
    }
}

fn report(
    sheet: &Sheet<'_>,
    clause: &Clause,
    literal: &Atom,
    term: &Term,
    growing: Option<&Term>,
) -> Diagnostic {
    let message = format!(
        "{} in the recursive condition {} is neither an argument of the head nor bound outside of \
         the recursion",
        sheet.term(term),
        sheet.quoted(literal.name),
    );
    let hint = "add a condition that does not depend on the head and that binds this argument";
    let finding = match growing {
        Some(larger) => Diagnostic::error("E203", term.span, message)
            .because(
                "infinitely many terms may be derivable, so that evaluation does not end \
                 (Def. 2.7, condition 3: recursion restriction)",
            )
            .see(larger.span, "terms get larger here"),
        None => Diagnostic::warning("W321", term.span, message).because(
            "this breaks the recursion restriction (Def. 2.7, condition 3); evaluation ends, as no \
             rule of the cycle makes terms larger, but other systems may reject it",
        ),
    };
    finding.hint(hint).see(clause.head.span, "the head of the recursive rule")
}
