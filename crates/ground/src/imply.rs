//! Dropping what legality implies.
//!
//! A move is made only if it is legal, so a rule that mentions `does(R,M)` need not repeat the conditions
//! that every rule for `legal(R,M)` has; and a rule that contradicts them can never fire. The ground
//! program is therefore exact for legal joint moves only.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::program::{AtomId, AtomKind, GroundLiteral, GroundProgram};
use crate::{Budget, Stopped};

/// How many conditions of conditions are looked at for one move.
const MOST_IMPLIED: usize = 64;

pub(crate) fn drop_implied(program: &mut GroundProgram, budget: &Budget) -> Result<(), Stopped> {
    let mut implied: FxHashMap<AtomId, FxHashSet<GroundLiteral>> = FxHashMap::default();
    for own in &program.moves {
        budget.check(program.rule_count())?;
        for action in own {
            if let (Some(does), Some(legal)) = (action.does, action.legal) {
                implied.insert(does, common_conditions(program, legal));
            }
        }
    }
    let count = program.rule_count();
    let mut rules = std::mem::take(&mut program.rules);
    for (at, bodies) in rules.iter_mut().enumerate() {
        if at.is_multiple_of(4096) {
            budget.check(count)?;
        }
        bodies.retain_mut(|body| keep(body, program, &implied));
        bodies.sort_unstable();
        bodies.dedup();
    }
    program.rules = rules;
    Ok(())
}

/// Shortens a body; false if it contradicts what legality implies.
fn keep(
    body: &mut Vec<GroundLiteral>,
    program: &GroundProgram,
    implied: &FxHashMap<AtomId, FxHashSet<GroundLiteral>>,
) -> bool {
    let moves: Vec<AtomId> = body
        .iter()
        .filter(|literal| !literal.negative)
        .filter(|literal| matches!(program.kinds[literal.atom.index()], AtomKind::Does { .. }))
        .map(|literal| literal.atom)
        .collect();
    for does in moves {
        let Some(known) = implied.get(&does) else { continue };
        let contradicts = |literal: &GroundLiteral| {
            known.contains(&GroundLiteral { atom: literal.atom, negative: !literal.negative })
        };
        if body.iter().any(contradicts) {
            return false;
        }
        body.retain(|literal| !known.contains(literal));
    }
    !is_two_moves_of_one_role(body, program)
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
    let mut bodies = program.rules[atom.index()].iter();
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
        match (&program.rules[literal.atom.index()][..], literal.negative) {
            ([single], false) => todo.extend(single),
            // None of the bodies holds; those of one literal are false.
            (bodies, true) => todo.extend(
                bodies
                    .iter()
                    .filter(|b| b.len() == 1)
                    .map(|b| GroundLiteral { atom: b[0].atom, negative: !b[0].negative }),
            ),
            _ => {}
        }
    }
    all
}
