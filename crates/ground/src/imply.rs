//! Dropping what legality implies.
//!
//! A move is made only if it is legal, so a rule that mentions `does(R,M)` need not repeat the conditions
//! that every rule for `legal(R,M)` has; and a rule that contradicts them can never fire. The ground
//! program is therefore exact for legal joint moves only.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::bodies::Bodies;
use crate::program::{AtomId, AtomKind, GroundLiteral, GroundProgram};
use crate::{Budget, Stopped};

/// How many conditions of conditions are looked at for one move.
const MOST_IMPLIED: usize = 64;

pub(crate) fn drop_implied(program: &mut GroundProgram, budget: &Budget) -> Result<(), Stopped> {
    let implied = Implied::new(program, budget)?;
    let rules = &program.rules;
    let mut kept = Bodies::with_capacity(rules.atoms(), rules.len(), rules.literal_count());
    let mut shortened: Vec<GroundLiteral> = Vec::new();
    let mut ends: Vec<(usize, usize)> = Vec::new();
    for atom in program.atoms() {
        if atom.0.is_multiple_of(1024) {
            budget.check(rules.len())?;
        }
        shortened.clear();
        ends.clear();
        for body in rules.of(atom) {
            let start = shortened.len();
            shortened.extend_from_slice(body);
            if keep(&mut shortened, start, program, &implied) {
                ends.push((start, shortened.len()));
            } else {
                shortened.truncate(start);
            }
        }
        ends.sort_unstable_by(|a, b| shortened[a.0..a.1].cmp(&shortened[b.0..b.1]));
        ends.dedup_by(|a, b| shortened[a.0..a.1] == shortened[b.0..b.1]);
        for (start, end) in &ends {
            kept.push(&shortened[*start..*end]);
        }
        kept.close();
    }
    program.rules = kept;
    Ok(())
}

/// For each move what its legality implies.
struct Implied {
    ranges: FxHashMap<AtomId, (u32, u32)>,
    /// Sorted within each range.
    literals: Vec<GroundLiteral>,
}

impl Implied {
    fn new(program: &GroundProgram, budget: &Budget) -> Result<Self, Stopped> {
        let mut implied = Self { ranges: FxHashMap::default(), literals: Vec::new() };
        for (at, action) in program.moves.iter().flatten().enumerate() {
            if at.is_multiple_of(256) {
                budget.check(program.rule_count())?;
            }
            if let (Some(does), Some(legal)) = (action.does, action.legal) {
                let start = implied.literals.len();
                implied.literals.extend(sorted(common_conditions(program, legal)));
                let range = (start as u32, implied.literals.len() as u32);
                implied.ranges.insert(does, range);
            }
        }
        Ok(implied)
    }

    fn of(&self, does: AtomId) -> &[GroundLiteral] {
        let (start, end) = self.ranges.get(&does).copied().unwrap_or_default();
        &self.literals[start as usize..end as usize]
    }
}

fn sorted(literals: FxHashSet<GroundLiteral>) -> Vec<GroundLiteral> {
    let mut list: Vec<GroundLiteral> = literals.into_iter().collect();
    list.sort_unstable();
    list
}

/// Shortens the body that begins at `start`; false if it contradicts what legality implies.
fn keep(
    list: &mut Vec<GroundLiteral>,
    start: usize,
    program: &GroundProgram,
    implied: &Implied,
) -> bool {
    let moves: SmallVec<[AtomId; 4]> = list[start..]
        .iter()
        .filter(|literal| !literal.negative)
        .filter(|literal| matches!(program.kinds[literal.atom.index()], AtomKind::Does { .. }))
        .map(|literal| literal.atom)
        .collect();
    for does in moves.iter().copied() {
        let known = implied.of(does);
        let contradicts = |literal: &GroundLiteral| {
            let opposite = GroundLiteral { atom: literal.atom, negative: !literal.negative };
            known.binary_search(&opposite).is_ok()
        };
        if list[start..].iter().any(contradicts) {
            return false;
        }
        let mut end = start;
        for at in start..list.len() {
            if known.binary_search(&list[at]).is_err() {
                list[end] = list[at];
                end += 1;
            }
        }
        list.truncate(end);
    }
    moves.len() < 2 || !is_two_moves_of_one_role(&list[start..], program)
}

/// A role makes one move.
fn is_two_moves_of_one_role(body: &[GroundLiteral], program: &GroundProgram) -> bool {
    let mut seen: FxHashMap<u32, AtomId> = FxHashMap::default();
    body.iter().filter(|literal| !literal.negative).any(|literal| {
        match program.kinds[literal.atom.index()] {
            AtomKind::Does { role, .. } => {
                *seen.entry(role).or_insert(literal.atom) != literal.atom
            }
            _ => false,
        }
    })
}

/// The conditions that all rules of an atom share, with the conditions of those that have one rule only.
fn common_conditions(program: &GroundProgram, atom: AtomId) -> FxHashSet<GroundLiteral> {
    let mut bodies = program.rules_of(atom);
    let Some(first) = bodies.next() else { return FxHashSet::default() };
    let mut common = closure(program, first);
    for body in bodies {
        if common.is_empty() {
            break;
        }
        let other = closure(program, body);
        common.retain(|literal| other.contains(literal));
    }
    common
}

fn closure(program: &GroundProgram, body: &[GroundLiteral]) -> FxHashSet<GroundLiteral> {
    let mut all: FxHashSet<GroundLiteral> = FxHashSet::default();
    let mut todo: Vec<GroundLiteral> = body.to_vec();
    while let Some(literal) = todo.pop() {
        if all.len() >= MOST_IMPLIED || !all.insert(literal) {
            continue;
        }
        let mut bodies = program.rules_of(literal.atom);
        match (bodies.len(), literal.negative) {
            (1, false) => todo.extend(bodies.next().into_iter().flatten()),
            // None of the bodies holds; those of one literal are false.
            (_, true) => todo.extend(
                bodies
                    .filter(|b| b.len() == 1)
                    .take(MOST_IMPLIED)
                    .map(|b| GroundLiteral { atom: b[0].atom, negative: !b[0].negative }),
            ),
            _ => {}
        }
    }
    all
}
