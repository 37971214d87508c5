//! Exclusion read off the ground rules: what cannot hold together because the bodies of its rules cannot.
//!
//! A pair of counts that is passed on from cell to cell has one value at each cell, because it has one at the cell
//! before and the cell has one content. A solver has to find that out value by value, thousands of them for each cell;
//! the rules show it at once. An atom holds only if the body of one of its rules does (Clark's completion), two bodies
//! exclude each other if one contains the complement of a condition of the other, or if they contain different members
//! of a group of which at most one holds. Bodies are not compared pair by pair: those with different members of one
//! group, the pivot, are apart already, so only those with the same member are looked at. The same idea makes mutexes
//! of planning graphs (Blum and Furst 1997).

use std::collections::BTreeMap;

use ground::{AtomId, AtomKind, GroundLiteral, GroundProgram};
use rustc_hash::FxHashMap;

/// The most conditions that are followed from one body.
const MOST_IMPLIED: usize = 64;
/// Of what does not hold, so many bodies are looked at.
const FEW_BODIES: usize = 8;
/// The most pairs of bodies that are compared for one claim.
const MOST_PAIRS: usize = 200_000;
/// The most bodies of one claim, and how many of their conditions are taken apart.
const MOST_CASES: usize = 50_000;
const DEEPEST: usize = 3;

/// Groups of atoms of which at most one holds, where they are assumed to.
pub(super) struct Exclusions<'p> {
    program: &'p GroundProgram,
    /// The place of each group among the hypotheses.
    places: Vec<usize>,
    /// The groups of each atom.
    of: FxHashMap<AtomId, Vec<u32>>,
}

/// One way in which an atom can hold.
struct Case {
    /// The atom, by its place among those of the claim.
    owner: usize,
    /// The conditions, with all that they imply, sorted.
    conditions: Vec<GroundLiteral>,
    /// The members of groups among them, by group.
    members: Vec<(u32, AtomId)>,
}

/// Which groups may be used.
type Assumed<'a> = &'a dyn Fn(usize) -> bool;

/// A claim while it is looked at.
struct Claim<'a> {
    assumed: Assumed<'a>,
    /// How many conditions of a body are taken apart into their own bodies.
    levels: usize,
    /// The groups that were used.
    used: Vec<u32>,
    cases: Vec<Case>,
}

impl<'a> Claim<'a> {
    fn new(assumed: Assumed<'a>, levels: usize) -> Self {
        Self { assumed, levels, used: Vec::new(), cases: Vec::new() }
    }
}

impl<'p> Exclusions<'p> {
    /// No groups yet.
    pub(super) fn new(program: &'p GroundProgram) -> Self {
        Self { program, places: Vec::new(), of: FxHashMap::default() }
    }

    /// Adds a group, with its place among the hypotheses.
    pub(super) fn add(&mut self, place: usize, members: &[AtomId]) {
        let group = self.places.len() as u32;
        self.places.push(place);
        for member in members {
            self.of.entry(*member).or_default().push(group);
        }
    }

    /// The groups from which it follows that at most one of the atoms holds, if the rules show it.
    pub(super) fn apart(&self, atoms: &[AtomId], assumed: Assumed<'_>) -> Option<Vec<usize>> {
        let mut claim = Claim::new(assumed, 0);
        for (owner, atom) in atoms.iter().enumerate() {
            self.cases(owner, *atom, &[], &mut claim)?;
        }
        all_apart(&claim.cases, &mut claim.used)?;
        Some(self.settled(claim.used))
    }

    /// The groups from which it follows that the literals do not all hold, if the rules show it: two of the atoms, where
    /// the others hold, exclude each other.
    pub(super) fn never(
        &self,
        literals: &[GroundLiteral],
        assumed: Assumed<'_>,
    ) -> Option<Vec<usize>> {
        if self.implied(literals).is_none() {
            return Some(Vec::new());
        }
        let positive = literals.iter().filter(|literal| !literal.negative);
        let open: Vec<AtomId> = positive.map(|literal| literal.atom).collect();
        let pair = |one: AtomId, other: AtomId, levels: usize| {
            let mut claim = Claim::new(assumed, levels);
            let others = literals.iter().filter(|l| l.atom != one && l.atom != other);
            let context: Vec<GroundLiteral> = others.copied().collect();
            for (owner, atom) in [one, other].into_iter().enumerate() {
                self.cases(owner, atom, &context, &mut claim)?;
            }
            all_apart(&claim.cases, &mut claim.used)?;
            Some(self.settled(claim.used))
        };
        let pairs = open.iter().enumerate();
        let pairs = pairs.flat_map(|(at, one)| open[at + 1..].iter().map(move |o| (*one, *o)));
        let pairs: Vec<(AtomId, AtomId)> = pairs.collect();
        // Bodies alone first; then also those of the atoms that they ask for.
        (0..=DEEPEST)
            .find_map(|levels| pairs.iter().find_map(|(one, other)| pair(*one, *other, levels)))
    }

    /// The places of the groups that were used.
    fn settled(&self, mut used: Vec<u32>) -> Vec<usize> {
        used.sort_unstable();
        used.dedup();
        used.into_iter().map(|group| self.places[group as usize]).collect()
    }

    /// Adds the ways in which an atom can hold where the context does. None if they are too many.
    fn cases(
        &self,
        owner: usize,
        atom: AtomId,
        context: &[GroundLiteral],
        claim: &mut Claim<'_>,
    ) -> Option<()> {
        let itself = GroundLiteral { atom, negative: false };
        let start = [&[itself], context].concat();
        // What is still to be taken apart: conditions, atoms whose rules they contain, and how often.
        let mut todo: Vec<(Vec<GroundLiteral>, Vec<AtomId>)> = Vec::new();
        self.apart_by(atom, &start, &[], &mut todo);
        while let Some((conditions, done)) = todo.pop() {
            if claim.cases.len() + todo.len() > MOST_CASES {
                return None;
            }
            // What contradicts itself is no way.
            let Some(conditions) = self.implied(&conditions) else { continue };
            let members = self.members(&conditions, claim.assumed);
            let twice = members.windows(2).find(|pair| pair[0].0 == pair[1].0);
            if let Some(pair) = twice {
                claim.used.push(pair[0].0);
                continue;
            }
            let open = conditions.iter().find(|literal| {
                let many = self.program.rules_of(literal.atom).len() > 1;
                many && !literal.negative
                    && !done.contains(&literal.atom)
                    && !members.iter().any(|(_, member)| *member == literal.atom)
            });
            match open.filter(|_| done.len() <= claim.levels) {
                Some(open) => self.apart_by(open.atom, &conditions, &done, &mut todo),
                None => claim.cases.push(Case { owner, conditions, members }),
            }
        }
        Some(())
    }

    /// Adds conditions to each body of an atom; to the atom itself if it is no derived one.
    fn apart_by(
        &self,
        atom: AtomId,
        conditions: &[GroundLiteral],
        done: &[AtomId],
        todo: &mut Vec<(Vec<GroundLiteral>, Vec<AtomId>)>,
    ) {
        let done = [done, &[atom]].concat();
        if self.program.kinds[atom.index()] != AtomKind::Derived {
            todo.push((conditions.to_vec(), done));
            return;
        }
        let bodies = self.program.rules_of(atom);
        todo.extend(bodies.map(|body| ([body, conditions].concat(), done.clone())));
    }

    /// Literals with all that they imply, as far as single rules say; none if that is a contradiction.
    fn implied(&self, literals: &[GroundLiteral]) -> Option<Vec<GroundLiteral>> {
        let mut found: Vec<GroundLiteral> = Vec::new();
        let mut todo: Vec<GroundLiteral> = literals.to_vec();
        // The nearest first, since there may be a long way down.
        let mut at = 0;
        while let Some(literal) = todo.get(at).copied() {
            at += 1;
            if found.contains(&literal) {
                continue;
            }
            let complement = GroundLiteral { negative: !literal.negative, ..literal };
            if found.contains(&complement) {
                return None;
            }
            found.push(literal);
            if found.len() < MOST_IMPLIED && !self.below(literal, &mut todo) {
                return None;
            }
        }
        found.sort_unstable();
        Some(found)
    }

    /// Adds what a literal implies directly. False if it cannot hold.
    fn below(&self, literal: GroundLiteral, todo: &mut Vec<GroundLiteral>) -> bool {
        if self.program.kinds[literal.atom.index()] != AtomKind::Derived {
            return true;
        }
        let mut bodies = self.program.rules_of(literal.atom);
        if literal.negative {
            // Every body fails; that of one condition fails by that. With many bodies that is much that hardly matters.
            if bodies.len() > FEW_BODIES {
                return true;
            }
            let single = bodies.filter_map(|body| match body {
                [only] => Some(GroundLiteral { negative: !only.negative, ..*only }),
                _ => None,
            });
            todo.extend(single);
            return true;
        }
        match bodies.len() {
            0 => false,
            1 => {
                todo.extend(bodies.next().unwrap_or(&[]).iter().take(MOST_IMPLIED));
                true
            }
            _ => true,
        }
    }

    /// The members of groups among conditions, by group.
    fn members(&self, conditions: &[GroundLiteral], assumed: Assumed<'_>) -> Vec<(u32, AtomId)> {
        let mut members = Vec::new();
        for literal in conditions.iter().filter(|literal| !literal.negative) {
            let groups = self.of.get(&literal.atom).map_or(&[][..], Vec::as_slice);
            let groups = groups.iter().filter(|group| assumed(self.places[**group as usize]));
            members.extend(groups.map(|group| (*group, literal.atom)));
        }
        members.sort_unstable();
        members
    }
}

/// Whether cases of different owners exclude each other.
fn all_apart(cases: &[Case], used: &mut Vec<u32>) -> Option<()> {
    let pivot = pivot(cases);
    let mut buckets: BTreeMap<Option<AtomId>, Vec<usize>> = BTreeMap::new();
    for (at, case) in cases.iter().enumerate() {
        let member = pivot.and_then(|pivot| {
            let place = case.members.binary_search_by_key(&pivot, |(group, _)| *group).ok()?;
            Some(case.members[place].1)
        });
        buckets.entry(member).or_default().push(at);
    }
    if buckets.len() > 1 {
        used.extend(pivot);
    }
    let loose = buckets.remove(&None).unwrap_or_default();
    let mut pairs = 0;
    let mut compare = |one: usize, other: usize| {
        pairs += 1;
        let (one, other) = (&cases[one], &cases[other]);
        if pairs > MOST_PAIRS {
            return None;
        }
        if one.owner != other.owner
            && let Why::Group(group) = contradiction(one, other)?
        {
            used.push(group);
        }
        Some(())
    };
    for bucket in buckets.values() {
        for (at, one) in bucket.iter().enumerate() {
            for other in bucket[at + 1..].iter().chain(&loose) {
                compare(*one, *other)?;
            }
        }
    }
    for (at, one) in loose.iter().enumerate() {
        for other in &loose[at + 1..] {
            compare(*one, *other)?;
        }
    }
    Some(())
}

/// The group that most of the cases have a member of.
fn pivot(cases: &[Case]) -> Option<u32> {
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    for (group, _) in cases.iter().flat_map(|case| &case.members) {
        *counts.entry(*group).or_default() += 1;
    }
    // Of several the first one.
    let most = counts.values().copied().max()?;
    counts.into_iter().find(|(_, count)| *count == most).map(|(group, _)| group)
}

/// Why two cases exclude each other.
enum Why {
    /// By a condition and its complement.
    Complement,
    /// By a group.
    Group(u32),
}

/// Why two cases exclude each other; none if they do not.
fn contradiction(one: &Case, other: &Case) -> Option<Why> {
    let complement = |literal: &GroundLiteral| {
        let complement = GroundLiteral { negative: !literal.negative, ..*literal };
        other.conditions.binary_search(&complement).is_ok()
    };
    if one.conditions.iter().any(complement) {
        return Some(Why::Complement);
    }
    let differs = |(group, member): &&(u32, AtomId)| {
        let place = other.members.binary_search_by_key(group, |(own, _)| *own);
        place.is_ok_and(|place| other.members[place].1 != *member)
    };
    one.members.iter().find(differs).map(|(group, _)| Why::Group(*group))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    /// Counts of two colours along a row of three cells, as pairs, and goals that compare them.
    fn counting() -> GroundProgram {
        let mut rules = String::from("(role r) (legal r wait)\n");
        for cell in 1..=3 {
            for colour in ["black", "red"] {
                let fluent = format!("(cell {cell} {colour})");
                let _ = writeln!(
                    rules,
                    "(init {fluent}) (<= (next {fluent}) (true {fluent}) (true (cell 1 black)))"
                );
            }
        }
        rules += "(succ 0 1) (succ 1 2) (succ 2 3) (after 1 2) (after 2 3)
            (<= (open ?c) (after ?c ?d) (not (true (cell ?c black))) (not (true (cell ?c red))))
            (<= (open 3) (not (true (cell 3 black))) (not (true (cell 3 red))))
            (<= (count 3 1 0) (true (cell 3 black)))
            (<= (count 3 0 1) (true (cell 3 red)))
            (<= (count 3 0 0) (open 3))
            (<= (count ?c ?b ?r) (after ?c ?d) (open ?c) (count ?d ?b ?r))
            (<= (count ?c ?n ?r) (after ?c ?d) (true (cell ?c black)) (count ?d ?b ?r) (succ ?b ?n))
            (<= (count ?c ?b ?n) (after ?c ?d) (true (cell ?c red)) (count ?d ?b ?r) (succ ?r ?n))
            (less 0 1) (less 0 2) (less 0 3) (less 1 2) (less 1 3) (less 2 3)
            (<= terminal (not (true (cell 1 black))))
            (<= (goal r 100) (count 1 ?b ?r) (less ?r ?b))
            (<= (goal r 0) (count 1 ?b ?r) (less ?b ?r))";
        let game = game::Game::from_text(&rules).expect("valid");
        let gates = game::Gates::build(&game, &ground::Budget::default()).expect("small");
        gates.program().clone()
    }

    fn named(program: &GroundProgram, start: &str) -> Vec<AtomId> {
        let is_it = |atom: &AtomId| {
            program.names[atom.index()].to_text(&program.symbols).starts_with(start)
        };
        program.atoms().filter(is_it).collect()
    }

    #[test]
    fn a_pair_of_counts_has_one_value_at_each_cell_if_cells_have_one_content() {
        let program = counting();
        let fluent = |text: &str| {
            let is_it = |atom: &AtomId| {
                let AtomKind::Fluent(fluent) = program.kinds[atom.index()] else { return false };
                program.fluents[fluent as usize].to_text(&program.symbols) == text
            };
            program.atoms().find(is_it)
        };
        let mut exclusions = Exclusions::new(&program);
        for cell in 1..=3usize {
            let contents = ["black", "red"].map(|colour| format!("(cell {cell} {colour})"));
            let contents: Vec<AtomId> = contents.iter().filter_map(|text| fluent(text)).collect();
            assert_eq!(contents.len(), 2);
            exclusions.add(cell, &contents);
        }
        let all = |_: usize| true;
        for cell in [3usize, 2, 1] {
            let counts = named(&program, &format!("(count {cell} "));
            assert!(counts.len() >= 3);
            // Only with the cell itself and, but for the last one, with the count of the cell after it.
            let mut needs = vec![cell];
            needs.extend((cell < 3).then_some(10 + cell + 1));
            let mut found = exclusions.apart(&counts, &all).expect("by rules");
            found.sort_unstable();
            assert_eq!(found, needs);
            let without = |place: usize| place != cell;
            assert_eq!(exclusions.apart(&counts, &without), None);
            exclusions.add(10 + cell, &counts);
        }
        let goals =
            program.goals[0].iter().map(|(_, atom)| GroundLiteral { atom: *atom, negative: false });
        let goals: Vec<GroundLiteral> = goals.collect();
        assert_eq!(exclusions.never(&goals, &all), Some(vec![11]));
        // Without that by way of the cell before; without any group not at all.
        assert_eq!(exclusions.never(&goals, &|place| place != 11), Some(vec![1, 12]));
        assert_eq!(exclusions.never(&goals, &|_| false), None);
        assert_eq!(exclusions.never(&goals[..1], &all), None);
    }
}
