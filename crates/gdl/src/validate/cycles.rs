//! Stratification, thesis Def. 2.7 condition 1: no cycle of dependencies goes through a negation.
//!
//! Rule sheets in circulation say `goal(R,0) :- not goal(R,100)`, which is a cycle of the relation but
//! not of its atoms. So cycles are looked at a second time with clauses instead of relations as nodes:
//! a condition depends on those clauses whose heads it may match. If a cycle through negation remains,
//! it is an error (`E201`), otherwise a warning (`W322`): the clauses are then stratified, which is a
//! case of local stratification (Przymusinski 1988).

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use super::sheet::Sheet;
use crate::ast::{Relation, Term, TermKind};
use crate::depend::{Edge, components};
use crate::diagnostic::Diagnostic;

/// How many negative edges of one component are looked at; mending one cycle often mends others.
const MOST_TRIES: usize = 32;

/// How many pairs of conditions and heads are compared before all cycles are taken as true ones.
const MOST_PAIRS: usize = 4_000_000;

/// Reports each cycle through negation once, at the negated condition; true cycles first, so that a
/// cycle found in both ways is an error.
pub(super) fn check(sheet: &Sheet<'_>, out: &mut Vec<Diagnostic>) {
    let (real, apparent) = negative_edges(sheet);
    let mut tries = vec![0; sheet.graph.components.len()];
    let mut pairs = FxHashSet::default();
    let mut cycles = FxHashSet::default();
    for (edges, code) in [(real, "E201"), (apparent, "W322")] {
        for (from, edge) in edges {
            let component = sheet.graph.component[from];
            if tries[component] == MOST_TRIES || !pairs.insert((from, edge.to)) {
                continue;
            }
            tries[component] += 1;
            let mut cycle = vec![edge];
            cycle.extend(way(sheet, edge.to, from));
            if cycles.insert(canonical(&cycle)) {
                out.push(report(sheet, code, from, &cycle));
            }
        }
    }
}

/// Edges with the nodes where they begin.
type FromEdges = Vec<(usize, Edge)>;

/// The negative edges inside of components, with where they begin: first those that remain on a
/// cycle when arguments are looked at, then the others.
fn negative_edges(sheet: &Sheet<'_>) -> (FromEdges, FromEdges) {
    let graph = &sheet.graph;
    let inside = |from: usize, edge: &Edge| graph.component[from] == graph.component[edge.to];
    let mut suspects = vec![false; graph.components.len()];
    let mut negative = Vec::new();
    for (from, edges) in graph.edges.iter().enumerate() {
        for edge in edges.iter().filter(|edge| edge.negative && inside(from, edge)) {
            suspects[graph.component[from]] = true;
            negative.push((from, *edge));
        }
    }
    if negative.is_empty() {
        return (negative, Vec::new());
    }
    let on_cycle = clauses_in_cycles(sheet, &suspects);
    negative
        .into_iter()
        .partition(|(_, edge)| on_cycle.as_ref().is_none_or(|on| on.contains(&edge.rule)))
}

/// A shortest way between two nodes of one component, by breadth-first search inside it.
fn way(sheet: &Sheet<'_>, from: usize, to: usize) -> Vec<Edge> {
    let graph = &sheet.graph;
    let component = graph.component[from];
    let mut came: FxHashMap<usize, (usize, Edge)> = FxHashMap::default();
    let mut queue = VecDeque::from([from]);
    while let Some(node) = queue.pop_front() {
        if node == to {
            break;
        }
        for &edge in graph.edges[node].iter().filter(|edge| graph.component[edge.to] == component) {
            if edge.to != from && !came.contains_key(&edge.to) {
                came.insert(edge.to, (node, edge));
                queue.push_back(edge.to);
            }
        }
    }
    let mut path = Vec::new();
    let mut at = to;
    while let Some((before, edge)) = came.get(&at) {
        path.push(*edge);
        at = *before;
    }
    path.reverse();
    path
}

/// The nodes of a cycle, beginning with the least, so that it is recognised from any of its edges.
fn canonical(edges: &[Edge]) -> Vec<usize> {
    let mut nodes: Vec<_> = edges.iter().map(|edge| edge.to).collect();
    let least = nodes.iter().enumerate().min_by_key(|(_, node)| **node).map_or(0, |(at, _)| at);
    nodes.rotate_left(least);
    nodes
}

fn report(sheet: &Sheet<'_>, code: &'static str, from: usize, edges: &[Edge]) -> Diagnostic {
    let name = |node: usize| sheet.rules.name(sheet.graph.relations[node].name);
    let mut chain = name(from).to_owned();
    for edge in edges.iter().take(20) {
        chain += if edge.negative { " -> not " } else { " -> " };
        chain += name(edge.to);
    }
    if edges.len() > 20 {
        chain += " -> ...";
    }
    let negative = &sheet.uses[edges[0].rule];
    let subject = sheet.quoted(sheet.graph.relations[from].name);
    let message = format!("{subject} depends on its own negation: {chain}");
    let mut finding = if code == "E201" {
        Diagnostic::error(code, negative.atom.span, message)
            .because(
                "whether it holds cannot be decided by first deciding what it depends on \
                 (Def. 2.7, condition 1: stratified)",
            )
            .hint("break the cycle, for example by asking for the last state with `true` instead")
    } else {
        Diagnostic::warning(code, negative.atom.span, message)
            .because(
                "this is not stratified (Def. 2.7, condition 1); it can be evaluated, as the arguments \
                 keep the atoms apart, but other systems may reject it",
            )
            .hint("give one of them a relation of its own")
    };
    for edge in edges.iter().skip(1).take(20) {
        let (head, used) = (sheet.head_of(edge.rule).name, sheet.uses[edge.rule].atom);
        let not = if edge.negative { "not " } else { "" };
        let step =
            format!("{} depends on {not}{} here", sheet.quoted(head), sheet.quoted(used.name));
        finding = finding.see(used.span, step);
    }
    finding
}

/// The negated conditions that are on a cycle of clauses, as indices into the uses. None if there are
/// too many pairs to compare.
fn clauses_in_cycles(sheet: &Sheet<'_>, suspects: &[bool]) -> Option<FxHashSet<usize>> {
    let graph = &sheet.graph;
    let mut heads: FxHashMap<Relation, Vec<usize>> = FxHashMap::default();
    for (index, clause) in sheet.rules.clauses.iter().enumerate() {
        let node = graph.node(clause.head.relation());
        if node.is_some_and(|node| suspects[graph.component[node]]) {
            heads.entry(clause.head.relation()).or_default().push(index);
        }
    }
    let mut pairs = 0;
    let mut edges: Vec<Vec<usize>> = vec![Vec::new(); sheet.rules.clauses.len()];
    let mut negative = Vec::new();
    for (number, one) in sheet.uses.iter().enumerate().filter(|(_, one)| !one.misplaced) {
        let relation = sheet.head_of(number).relation();
        let (true, Some(targets)) =
            (heads.contains_key(&relation), heads.get(&one.atom.relation()))
        else {
            continue;
        };
        pairs += targets.len();
        if pairs > MOST_PAIRS {
            return None;
        }
        for target in targets.iter().copied() {
            if may_match(&one.atom.args, &sheet.rules.clauses[target].head.args) {
                edges[one.clause].push(target);
                negative.extend(one.negated.then_some((number, one.clause, target)));
            }
        }
    }
    let (component, _) = components(edges.len(), |node, at| edges[node].get(at).copied());
    let on_cycle = negative.iter().filter(|(_, from, to)| component[*from] == component[*to]);
    Some(on_cycle.map(|(number, _, _)| *number).collect())
}

/// Whether terms may be equal for some values of their variables; each variable is taken by itself.
fn may_match(some: &[Term], others: &[Term]) -> bool {
    some.len() == others.len()
        && some.iter().zip(others).all(|(one, other)| match (&one.kind, &other.kind) {
            (TermKind::Variable(_), _) | (_, TermKind::Variable(_)) => true,
            (TermKind::Constant(f), TermKind::Constant(g)) => f == g,
            (TermKind::Function(f, s), TermKind::Function(g, t)) => f == g && may_match(s, t),
            _ => false,
        })
}
