//! Which small invariants are worth a try: those that no state of random play refutes.
//!
//! First come groups of fluents with the same name and some equal arguments, of which at most one holds, or at
//! least one (the input arguments of thesis Def. 5.4, instance by instance), and fluents that always or never
//! hold. If these are not enough, pairs of fluents follow: mutual exclusions and implications that would be
//! unlikely in so many states if they were accidents.

use std::collections::BTreeMap;

use circuit::graph::Signal;
use game::{Deadline, GroundTerm};
use ground::{AtomKind, GroundProgram};

use super::lemma::Lemma;
use super::model::Model;
use super::sample::Samples;

/// Fluents with more arguments than that are grouped by single arguments only.
const MOST_ARGUMENTS: usize = 6;
/// How often a combination that never occurred should have occurred by chance.
const SURPRISE: f64 = 12.0;
/// The most pairs tried.
const MOST_PAIRS: usize = 12_000;
/// With more fluents than that, pairs are not looked for.
const MOST_FLUENTS: usize = 6_000;

/// The most derived atoms of one name that are looked at, the most of one group, and the words of samples for them.
const MOST_DERIVED: usize = 100_000;
const WIDEST_GROUP: usize = 4_000;
const WORDS: usize = 32;

/// Groups of fluents, and fluents that never change.
pub fn groups(program: &GroundProgram, samples: &Samples) -> Vec<Lemma> {
    let mut lemmas = Vec::new();
    for fluent in 0..program.fluents.len() {
        let holding = count(samples, fluent);
        if holding == 0 || holding == samples.len() {
            lemmas.push(Lemma::Clause(vec![(fluent as u32, holding > 0)]));
        }
    }
    for family in families(program) {
        lemmas.extend(family_groups(program, samples, &family));
    }
    lemmas
}

fn count(samples: &Samples, fluent: usize) -> usize {
    samples.fluent(fluent).iter().map(|word| word.count_ones() as usize).sum()
}

fn arguments(term: &GroundTerm) -> &[GroundTerm] {
    match term {
        GroundTerm::Constant(_) => &[],
        GroundTerm::Function(_, args) => args,
    }
}

/// The fluents by name and number of arguments.
fn families(program: &GroundProgram) -> Vec<Vec<u32>> {
    let mut families: BTreeMap<_, Vec<u32>> = BTreeMap::new();
    for (at, fluent) in program.fluents.iter().enumerate() {
        families.entry((fluent.name(), arguments(fluent).len())).or_default().push(at as u32);
    }
    families.into_values().collect()
}

/// The sets of arguments that may tell instances apart, the smallest first.
fn positions(arity: usize) -> Vec<Vec<usize>> {
    if arity > MOST_ARGUMENTS {
        let single = (0..arity).map(|at| vec![at]);
        let others = (0..arity).map(|at| (0..arity).filter(|other| *other != at).collect());
        return std::iter::once(Vec::new()).chain(single).chain(others).collect();
    }
    let chosen = |set: usize| (0..arity).filter(|at| set >> at & 1 == 1).collect();
    let mut sets: Vec<Vec<usize>> = (0..(1usize << arity)).map(chosen).collect();
    sets.sort_by_key(Vec::len);
    sets
}

fn family_groups(program: &GroundProgram, samples: &Samples, family: &[u32]) -> Vec<Lemma> {
    let arity = arguments(&program.fluents[family[0] as usize]).len();
    let mut exclusive: Vec<Vec<u32>> = Vec::new();
    let mut lemmas = Vec::new();
    for inputs in positions(arity) {
        let mut groups: BTreeMap<Vec<&GroundTerm>, Vec<u32>> = BTreeMap::new();
        for fluent in family {
            let args = arguments(&program.fluents[*fluent as usize]);
            groups.entry(inputs.iter().map(|at| &args[*at]).collect()).or_default().push(*fluent);
        }
        for group in groups.into_values().filter(|group| group.len() > 1) {
            let (one, two) = holding(samples, &group);
            let always = (0..samples.words()).all(|word| one[word] == samples.mask(word));
            if always {
                lemmas.push(Lemma::Clause(group.iter().map(|fluent| (*fluent, true)).collect()));
            }
            let inside = |larger: &Vec<u32>| group.iter().all(|f| larger.binary_search(f).is_ok());
            if two.iter().all(|word| *word == 0) && !exclusive.iter().any(inside) {
                lemmas.push(Lemma::AtMost(1, group.clone()));
                exclusive.push(group);
            }
        }
    }
    lemmas
}

/// In which states one of the fluents holds, and in which two do.
fn holding(samples: &Samples, fluents: &[u32]) -> (Vec<u64>, Vec<u64>) {
    let mut one = vec![0; samples.words()];
    let mut two = vec![0; samples.words()];
    for fluent in fluents {
        for (word, bits) in samples.fluent(*fluent as usize).iter().enumerate() {
            two[word] |= one[word] & bits;
            one[word] |= bits;
        }
    }
    (one, two)
}

/// Groups of derived atoms with the same name and some equal arguments, of which at most one holds in all samples,
/// those first that need the fewest gates before them. A count that is passed on from cell to cell has one value at
/// each cell: what needs that is hard to prove at once and easy along the way.
pub fn derived_groups(
    program: &GroundProgram,
    model: &Model,
    atoms: &[Option<Signal>],
    samples: &Samples,
    deadline: &Deadline,
) -> Vec<Vec<(usize, Signal)>> {
    let mut families: BTreeMap<_, Vec<(usize, Signal)>> = BTreeMap::new();
    for (at, signal) in atoms.iter().enumerate() {
        let Some(signal) = signal.filter(|s| *s != Signal::TRUE && *s != Signal::FALSE) else {
            continue;
        };
        if program.kinds[at] == AtomKind::Derived {
            let name = &program.names[at];
            let family = (name.name(), arguments(name).len());
            families.entry(family).or_default().push((at, signal));
        }
    }
    let mut groups = Vec::new();
    for (_, family) in families.into_iter().filter(|(_, family)| family.len() <= MOST_DERIVED) {
        if deadline.passed() {
            break;
        }
        groups.extend(derived_family(program, model, samples, &family, deadline));
    }
    groups.sort_by_key(|group| group.iter().map(|(_, signal)| signal.node()).max());
    groups
}

fn derived_family(
    program: &GroundProgram,
    model: &Model,
    samples: &Samples,
    family: &[(usize, Signal)],
    deadline: &Deadline,
) -> Vec<Vec<(usize, Signal)>> {
    let arity = arguments(&program.names[family[0].0]).len();
    let signals: Vec<Signal> = family.iter().map(|(_, signal)| *signal).collect();
    let values = samples.values(model, &signals, WORDS);
    let mut found: Vec<Vec<(usize, Signal)>> = Vec::new();
    let mut covered = vec![false; family.len()];
    for inputs in positions(arity) {
        if deadline.passed() {
            break;
        }
        let mut groups: BTreeMap<Vec<&GroundTerm>, Vec<usize>> = BTreeMap::new();
        for (member, (atom, _)) in family.iter().enumerate() {
            let args = arguments(&program.names[*atom]);
            groups.entry(inputs.iter().map(|at| &args[*at]).collect()).or_default().push(member);
        }
        for group in groups.into_values().filter(|group| (2..=WIDEST_GROUP).contains(&group.len()))
        {
            let fresh = group.iter().any(|member| !covered[*member]);
            if fresh && exclusive(&values, &group) {
                for member in &group {
                    covered[*member] = true;
                }
                found.push(group.iter().map(|member| family[*member]).collect());
            }
        }
    }
    found
}

/// Whether no two of these hold in the same sample.
fn exclusive(values: &[Vec<u64>], group: &[usize]) -> bool {
    let words = group.first().map_or(0, |first| values[*first].len());
    (0..words).all(|word| {
        let mut one = 0;
        group.iter().all(|member| {
            let bits = values[*member][word];
            let twice = one & bits;
            one |= bits;
            twice == 0
        })
    })
}

/// Mutual exclusions and implications of pairs, the least accidental first, without those that groups imply.
pub fn pairs(samples: &Samples, groups: &[Lemma]) -> Vec<Lemma> {
    let fluents = samples.fluents();
    if fluents > MOST_FLUENTS || samples.is_empty() {
        return Vec::new();
    }
    let counts: Vec<usize> = (0..fluents).map(|fluent| count(samples, fluent)).collect();
    let changing: Vec<usize> =
        (0..fluents).filter(|f| counts[*f] > 0 && counts[*f] < samples.len()).collect();
    let partners = partners(fluents, groups);
    let mut found: Vec<(f64, Lemma)> = Vec::new();
    let size = samples.len() as f64;
    for (at, a) in changing.iter().enumerate() {
        for b in &changing[at + 1..] {
            let (ca, cb) = (counts[*a] as f64, counts[*b] as f64);
            let mut consider = |expected: f64, signs: (bool, bool)| {
                if expected >= SURPRISE && covers(samples, (*a, signs.0), (*b, signs.1)) {
                    let clause = vec![(*a as u32, signs.0), (*b as u32, signs.1)];
                    found.push((expected, Lemma::Clause(clause)));
                }
            };
            if !partners[*a].contains(&(*b as u32)) {
                consider(ca * cb / size, (false, false));
            }
            consider(ca * (size - cb) / size, (false, true));
            consider((size - ca) * cb / size, (true, false));
            consider((size - ca) * (size - cb) / size, (true, true));
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    found.truncate(MOST_PAIRS);
    found.into_iter().map(|(_, lemma)| lemma).collect()
}

/// For each fluent those that exclude it by a group.
fn partners(fluents: usize, groups: &[Lemma]) -> Vec<Vec<u32>> {
    let mut partners = vec![Vec::new(); fluents];
    for lemma in groups {
        if let Lemma::AtMost(1, members) = lemma {
            for member in members {
                partners[*member as usize].extend_from_slice(members);
            }
        }
    }
    partners
}

/// Whether one of two literals holds in every state.
fn covers(samples: &Samples, a: (usize, bool), b: (usize, bool)) -> bool {
    let bits = |(fluent, holds): (usize, bool), word: usize| {
        let bits = samples.fluent(fluent)[word];
        if holds { bits } else { !bits }
    };
    (0..samples.words()).all(|word| {
        let mask = samples.mask(word);
        (bits(a, word) | bits(b, word)) & mask == mask
    })
}
