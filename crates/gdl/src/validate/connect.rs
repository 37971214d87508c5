//! What may depend on what, thesis Def. 2.7 conditions 5 and 7: the initial state is fixed, and legal
//! moves, the end and the goals depend on the state only, not on the moves being made.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;

use super::sheet::{Sheet, keyword_relation};
use crate::depend::Edge;
use crate::diagnostic::Diagnostic;
use crate::symbol::{Symbol, keyword};

/// Which relations must not depend on which.
struct Ban {
    code: &'static str,
    sources: &'static [Symbol],
    targets: &'static [Symbol],
    why: &'static str,
    hint: &'static str,
}

const STATE: &[Symbol] = &[
    keyword::TRUE,
    keyword::LEGAL,
    keyword::DOES,
    keyword::NEXT,
    keyword::TERMINAL,
    keyword::GOAL,
];

const BANS: &[Ban] = &[
    Ban {
        code: "E206",
        sources: &[keyword::INIT],
        targets: STATE,
        why: "before the first state there is nothing that `init` could depend on \
              (Def. 2.7, condition 5)",
        hint: "derive the initial state from relations that do not depend on the state",
    },
    Ban {
        code: "E209",
        sources: &[keyword::LEGAL, keyword::TERMINAL, keyword::GOAL],
        targets: &[keyword::DOES],
        why: "it is asked for before the players choose their moves (Def. 2.7, condition 7)",
        hint: "ask for the state with `true`, and let `next` remember the move if it matters later",
    },
    Ban {
        code: "W319",
        sources: &[keyword::BASE, keyword::INPUT],
        targets: STATE,
        why: "declarations of fluents and moves are read before there is a state",
        hint: "declare from relations that do not depend on the state; a larger set does no harm",
    },
];

/// Reports forbidden dependencies at the condition of the keyword's rule where they begin.
pub(super) fn check(sheet: &Sheet<'_>, out: &mut Vec<Diagnostic>) {
    for ban in BANS {
        let nodes = |words: &[Symbol]| -> Vec<usize> {
            let relations = words.iter().filter_map(|word| keyword_relation(*word));
            relations.filter_map(|relation| sheet.graph.node(relation)).collect()
        };
        let (sources, targets) = (nodes(ban.sources), nodes(ban.targets));
        if sources.is_empty() || targets.is_empty() {
            continue;
        }
        let steps = steps_to(sheet, &targets);
        for source in &sources {
            let mut seen = FxHashSet::default();
            for edge in &sheet.graph.edges[*source] {
                let bad = targets.contains(&edge.to) || steps[edge.to].is_some();
                // What passes through another source is reported there.
                if bad && !sources.contains(&edge.to) && seen.insert(edge.to) {
                    out.push(report(sheet, ban, *source, *edge, &steps));
                }
            }
        }
    }
}

/// For each node that depends on a target the first step of a shortest chain to one; none for the
/// targets themselves.
fn steps_to(sheet: &Sheet<'_>, targets: &[usize]) -> Vec<Option<Edge>> {
    let graph = &sheet.graph;
    let mut back: Vec<Vec<(usize, Edge)>> = vec![Vec::new(); graph.relations.len()];
    for (from, edges) in graph.edges.iter().enumerate() {
        for edge in edges {
            back[edge.to].push((from, *edge));
        }
    }
    let mut steps = vec![None; graph.relations.len()];
    let mut queue: VecDeque<usize> = targets.iter().copied().collect();
    while let Some(node) = queue.pop_front() {
        for (from, edge) in &back[node] {
            if steps[*from].is_none() && !targets.contains(from) {
                steps[*from] = Some(*edge);
                queue.push_back(*from);
            }
        }
    }
    steps
}

fn report(
    sheet: &Sheet<'_>,
    ban: &Ban,
    source: usize,
    first: Edge,
    steps: &[Option<Edge>],
) -> Diagnostic {
    let name = |node: usize| sheet.graph.relations[node].name;
    let mut chain = vec![first];
    while let Some(edge) = chain.last().and_then(|last| steps[last.to]) {
        chain.push(edge);
    }
    let last = chain.last().map_or(first.to, |edge| edge.to);
    let through = if chain.len() > 1 {
        format!(" through {}", sheet.quoted(name(first.to)))
    } else {
        String::new()
    };
    let (source, last) = (sheet.quoted(name(source)), sheet.quoted(name(last)));
    let message = format!("{source} depends on {last}{through}");
    let span = sheet.uses[first.rule].atom.span;
    let finding = if ban.code.starts_with('W') {
        Diagnostic::warning(ban.code, span, message)
    } else {
        Diagnostic::error(ban.code, span, message)
    };
    chain.iter().skip(1).take(20).fold(finding.because(ban.why).hint(ban.hint), |finding, edge| {
        let (head, used) = (sheet.head_of(edge.rule).name, sheet.uses[edge.rule].atom);
        let step = format!("{} depends on {} here", sheet.quoted(head), sheet.quoted(used.name));
        finding.see(used.span, step)
    })
}
