//! Preconditions of fluents, without a disjunctive normal form.
//!
//! Thesis Algorithm 2 selects from every disjunct of a DNF of `next(f')` one fluent that must hold. A set of
//! fluents meets every disjunct of a conjunction exactly if it meets every disjunct of one of the conjuncts
//! (were there an unmet disjunct of each, their conjunction would be an unmet disjunct of the whole). So the
//! sets that Algorithm 2 can arrive at are those that this recursion arrives at: *the cover of an atom is the
//! union of the covers of its bodies; the cover of a body is the cover of one of its positive conditions*. It
//! visits each ground rule once for each fluent instead of multiplying them out.
//!
//! Games with thousands of fluents and long ways between rules would make that the product of both. Beyond a bound
//! on the work, covers of relations are computed once for all fluents, by how specific their fluents are, and only
//! the rules for `next` choose by the fluent at hand.
//!
//! Recursive relations, which Algorithms 3 and 4 leave alone, need no special node: a derivation is finite, so a
//! body that contains a relation of the same component adds nothing to the cover of the component.

use datalog::GroundTerm;
use ground::AtomId;

use crate::rules::{Condition, RuleView};

/// How to select among preconditions (thesis §6.3.2 and two others).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Selection {
    /// Edges that are there already, then fluents similar to the one they lead to: the thesis's choice.
    Similar,
    /// As few new edges as possible.
    Fewest,
    /// Fluents that appear late in the game, going by an earlier graph.
    Latest,
}

/// Computes the sources of edges to one fluent after another.
pub(crate) struct Covers<'p> {
    rules: RuleView<'p>,
    fluents: &'p [GroundTerm],
    selection: Selection,
    /// For [`Selection::Latest`]: in which step each fluent can appear first.
    levels: Vec<u32>,
    component_of: Vec<u32>,
    recursive: Vec<bool>,
    /// The last round in which an atom was met.
    met: Vec<u32>,
    round: u32,
    /// The covers of this round.
    found: Vec<Vec<u32>>,
    /// The last union that a fluent became a member of.
    member: Vec<u32>,
    union: u32,
    target: u32,
    /// The similarities with the target, with the round they were computed in.
    similar: Vec<(u32, i64)>,
    work: u64,
    /// Whether the covers of relations are those for all fluents.
    shared: bool,
}

/// How much is looked at before covers are shared.
const MOST_WORK: u64 = 30_000_000;

/// How good a cover is; greater is better.
type Rank = (bool, bool, i64, std::cmp::Reverse<usize>);

impl<'p> Covers<'p> {
    pub(crate) fn new(
        rules: RuleView<'p>,
        fluents: &'p [GroundTerm],
        selection: Selection,
        levels: Vec<u32>,
    ) -> Self {
        let (component_of, recursive) = rules.components(false);
        Self {
            rules,
            fluents,
            selection,
            levels,
            component_of,
            recursive,
            met: vec![0; rules.atom_count()],
            round: 0,
            found: vec![Vec::new(); rules.atom_count()],
            member: vec![0; fluents.len() + 1],
            union: 0,
            target: 0,
            similar: vec![(0, 0); fluents.len()],
            work: 0,
            shared: false,
        }
    }

    /// The node ∅, which stands for "no precondition".
    pub(crate) fn nothing(&self) -> u32 {
        self.fluents.len() as u32
    }

    /// Conditions looked at so far.
    pub(crate) fn work(&self) -> u64 {
        self.work
    }

    /// The sources of edges to a fluent, sorted.
    pub(crate) fn sources(&mut self, fluent: u32) -> Vec<u32> {
        let Some(next) = self.rules.next(fluent) else { return Vec::new() };
        if self.work > MOST_WORK && !self.shared {
            self.share();
        }
        self.target = fluent;
        self.round += 1;
        let atoms = if self.shared { vec![next] } else { self.cone(next) };
        self.cover(atoms);
        let mut sources = self.found[next.index()].clone();
        sources.sort_unstable();
        sources
    }

    /// Computes the covers of all relations that rules for `next` use, for no fluent in particular.
    fn share(&mut self) {
        self.round += 1;
        self.target = self.nothing();
        let mut atoms = Vec::new();
        for fluent in 0..self.rules.fluent_count() {
            if let Some(next) = self.rules.next(fluent as u32)
                && self.met[next.index()] != self.round
            {
                atoms.extend(self.cone(next));
            }
        }
        self.cover(atoms);
        self.shared = true;
    }

    /// Computes the covers of atoms, those first that others use.
    fn cover(&mut self, atoms: Vec<AtomId>) {
        let component = |atom: AtomId| (self.component_of[atom.index()], atom);
        let mut atoms: Vec<(u32, AtomId)> = atoms.into_iter().map(component).collect();
        atoms.sort_unstable();
        for group in atoms.chunk_by(|a, b| a.0 == b.0) {
            self.cover_group(group);
        }
    }

    /// The atoms that the rules of an atom may use, as far as no body needs the target itself.
    fn cone(&mut self, top: AtomId) -> Vec<AtomId> {
        let mut found = vec![top];
        self.met[top.index()] = self.round;
        let mut at = 0;
        while let Some(atom) = found.get(at).copied() {
            at += 1;
            for body in self.rules.bodies(atom) {
                self.work += body.len() as u64;
                if self.needs_target(body) {
                    continue;
                }
                for literal in body.iter().filter(|literal| !literal.negative) {
                    if let Condition::Derived(used) = self.rules.condition(literal.atom)
                        && self.met[used.index()] != self.round
                    {
                        self.met[used.index()] = self.round;
                        found.push(used);
                    }
                }
            }
        }
        found
    }

    /// An edge from a fluent to itself shortens no path, so such a body costs nothing.
    fn needs_target(&self, body: &[ground::GroundLiteral]) -> bool {
        body.iter().any(|literal| {
            !literal.negative
                && self.rules.condition(literal.atom) == Condition::Fluent(self.target)
        })
    }

    fn cover_group(&mut self, group: &[(u32, AtomId)]) {
        self.union += 1;
        let mut union = Vec::new();
        // Bodies without a choice first, so that the others can use their edges again.
        for free in [false, true] {
            for (_, atom) in group {
                for body in self.rules.bodies(*atom) {
                    if (body.iter().filter(|literal| !literal.negative).count() > 1) == free {
                        self.add_body(body, *atom, &mut union);
                    }
                }
            }
        }
        for (_, atom) in group {
            self.found[atom.index()].clone_from(&union);
        }
    }

    fn add_body(&mut self, body: &[ground::GroundLiteral], head: AtomId, union: &mut Vec<u32>) {
        if self.needs_target(body) {
            return self.add(self.target, union);
        }
        if self.is_recursive_step(body, head) {
            return;
        }
        let mut best: Option<(Rank, Condition)> = None;
        for literal in body.iter().filter(|literal| !literal.negative) {
            let condition = self.rules.condition(literal.atom);
            let known = best.as_ref().map(|(rank, _)| *rank);
            let rank = match condition {
                Condition::Never => return,
                Condition::Fluent(fluent) => self.rank(&[fluent], known),
                Condition::Derived(atom) => {
                    let cover = std::mem::take(&mut self.found[atom.index()]);
                    let rank = self.rank(&cover, known);
                    self.found[atom.index()] = cover;
                    rank
                }
            };
            self.work += 1;
            if let Some(rank) = rank {
                best = Some((rank, condition));
            }
        }
        match best {
            None => self.add(self.nothing(), union),
            Some((_, Condition::Fluent(fluent))) => self.add(fluent, union),
            Some((_, Condition::Derived(atom))) => {
                let cover = std::mem::take(&mut self.found[atom.index()]);
                self.work += cover.len() as u64;
                for fluent in &cover {
                    self.add(*fluent, union);
                }
                self.found[atom.index()] = cover;
            }
            Some((_, Condition::Never)) => {}
        }
    }

    fn add(&mut self, fluent: u32, union: &mut Vec<u32>) {
        if self.member[fluent as usize] != self.union {
            self.member[fluent as usize] = self.union;
            union.push(fluent);
        }
    }

    /// Whether a body contains a relation of the component of its head.
    fn is_recursive_step(&self, body: &[ground::GroundLiteral], head: AtomId) -> bool {
        let component = self.component_of[head.index()];
        self.recursive[component as usize]
            && body.iter().filter(|literal| !literal.negative).any(|literal| {
                matches!(self.rules.condition(literal.atom),
                    Condition::Derived(atom) if self.component_of[atom.index()] == component)
            })
    }

    /// The rank of a cover if it is better than the one known.
    fn rank(&mut self, cover: &[u32], known: Option<Rank>) -> Option<Rank> {
        let mut new = 0;
        let mut worst = i64::MAX;
        for fluent in cover.iter().copied() {
            self.work += 1;
            let nothing = fluent == self.nothing();
            if self.member[fluent as usize] == self.union || (fluent == self.target && !nothing) {
                continue;
            }
            new += 1;
            if nothing {
                let rank = (false, false, 0, std::cmp::Reverse(cover.len()));
                return known.is_none_or(|known| rank > known).then_some(rank);
            }
            worst = worst.min(self.worth(fluent));
            let bound = (true, false, worst, std::cmp::Reverse(new));
            if known.is_some_and(|known| known >= bound) && known.is_some_and(|known| known.0) {
                return None;
            }
        }
        let rank = (true, new == 0, worst, std::cmp::Reverse(new));
        known.is_none_or(|known| rank > known).then_some(rank)
    }

    /// How much an edge from a fluent to the target is wanted.
    fn worth(&mut self, fluent: u32) -> i64 {
        if self.target == self.nothing() {
            // For no target in particular: what says more is more likely to be similar to it.
            return size(&self.fluents[fluent as usize]);
        }
        match self.selection {
            Selection::Fewest => 0,
            Selection::Latest => i64::from(self.levels[fluent as usize]),
            Selection::Similar => {
                let (round, value) = self.similar[fluent as usize];
                if round == self.round {
                    return value;
                }
                let (one, other) =
                    (&self.fluents[fluent as usize], &self.fluents[self.target as usize]);
                let value = similarity(one, other);
                self.similar[fluent as usize] = (self.round, value);
                value
            }
        }
    }
}

/// How many constants a term has.
fn size(term: &GroundTerm) -> i64 {
    match term {
        GroundTerm::Constant(_) => 1,
        GroundTerm::Function(_, args) => args.iter().map(size).sum(),
    }
}

/// How similar two terms are (thesis §6.3.2, with ICAART-12's condition that equal constants count).
pub(crate) fn similarity(one: &GroundTerm, other: &GroundTerm) -> i64 {
    match (one, other) {
        (GroundTerm::Constant(a), GroundTerm::Constant(b)) => i64::from(a == b),
        (GroundTerm::Function(a, of_a), GroundTerm::Function(b, of_b))
            if a == b && of_a.len() == of_b.len() =>
        {
            of_a.iter().zip(of_b).map(|(a, b)| similarity(a, b)).sum()
        }
        _ => 0,
    }
}
