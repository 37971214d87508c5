//! A program in parts that can be made ground one after the other.
//!
//! Grounding cannot be interrupted, so it is done by components of the dependency graph, those that others need first;
//! between them the clock is looked at. Names of functions may be taken for names of relations here; that only makes
//! parts larger.

use gdl::depend;
use rustc_hash::FxHashMap;

/// The lines of a program, each a statement, grouped into parts in an order in which they can be made ground.
pub(crate) fn parts(program: &str) -> Vec<String> {
    let lines: Vec<&str> =
        program.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('%')).collect();
    let mut numbers: FxHashMap<&str, usize> = FxHashMap::default();
    let heads: Vec<Option<usize>> = lines
        .iter()
        .map(|line| {
            let head = head_of(line)?;
            let count = numbers.len();
            Some(*numbers.entry(head).or_insert(count))
        })
        .collect();
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); numbers.len()];
    for (line, head) in lines.iter().zip(&heads) {
        let Some(head) = head else { continue };
        below[*head].extend(words(line).filter_map(|word| numbers.get(word).copied()));
    }
    for list in &mut below {
        list.sort_unstable();
        list.dedup();
    }
    let (component, count) =
        depend::components(numbers.len(), |node: usize, at: usize| below[node].get(at).copied());
    // What defines nothing, constraints and declarations, comes last.
    let mut parts = vec![String::new(); count + 1];
    for (line, head) in lines.iter().zip(&heads) {
        let part = &mut parts[head.map_or(count, |head| component[head])];
        part.push_str(line);
        part.push('\n');
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// The relation that a statement defines.
fn head_of(line: &str) -> Option<&str> {
    if line.starts_with('#') || line.starts_with(":-") {
        return None;
    }
    words(line).next()
}

/// Identifiers that begin with a small letter.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| word.starts_with(|c: char| c.is_ascii_lowercase()) && *word != "not")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_needed_comes_first_and_constraints_last() {
        let program = "% remark\n#defined q/1.\np(X) :- q(X), not r(X).\n:- p(1).\nr(X) :- s(X).\n\
                       { q(X) : s(X) }.\ns(1).\ns(X) :- t(X).\nt(X) :- s(X).\n";
        let parts = parts(program);
        let place = |text: &str| parts.iter().position(|part| part.contains(text)).expect(text);
        assert_eq!(place("s(1)."), place("t(X) :- s(X)."));
        assert!(place("s(1).") < place("r(X) :-") && place("r(X) :-") < place("p(X) :-"));
        assert!(place("{ q(X)") < place("p(X) :-"));
        assert_eq!(place(":- p(1)."), parts.len() - 1);
    }
}
