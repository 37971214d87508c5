//! Where an automorphism takes what the ground rules derive: to the atom whose rules are the images of its rules.
//!
//! Automorphisms permute fluents, moves and roles; facts of certificates speak of derived atoms as well. An atom
//! that depends on itself has no key, and none that depends on it.

use game::Gates;
use ground::{AtomId, AtomKind, GroundProgram};
use rustc_hash::FxHashMap;

use super::{Automorphism, mix};
use game::Role;

/// For each atom the one with the images of its rules, as far as there is one.
pub(super) fn images(gates: &Gates, one: &dyn Automorphism) -> Vec<Option<AtomId>> {
    let program = gates.program();
    let own = keys(program, |kind| leaf(gates, kind, None));
    let turned = keys(program, |kind| leaf(gates, kind, Some(one)));
    let mut places: FxHashMap<u128, AtomId> = FxHashMap::default();
    for (atom, key) in program.atoms().zip(&own) {
        if let Some(key) = key {
            places.entry(*key).or_insert(atom);
        }
    }
    turned.into_iter().map(|key| places.get(&key?).copied()).collect()
}

/// The key of a fluent or a move, or of its image.
fn leaf(gates: &Gates, kind: AtomKind, one: Option<&dyn Automorphism>) -> Option<u128> {
    match kind {
        AtomKind::Fluent(at) => {
            let fluent = *gates.fluents().get(at as usize)?;
            let fluent = one.map_or(Some(fluent), |one| one.fluent(fluent))?;
            Some(mix(u128::from(fluent.0), 31))
        }
        AtomKind::Does { role, action } => {
            let action = *gates.moves().get(role as usize)?.get(action as usize)?;
            let pair = (Role(role), action);
            let (role, action) = one.map_or(Some(pair), |one| one.action(pair.0, pair.1))?;
            Some(mix(u128::from(role.0) << 40 | u128::from(action.0), 32))
        }
        AtomKind::Derived => None,
    }
}

/// A key for each atom by its rules, whatever the order of rules and conditions.
fn keys(program: &GroundProgram, leaf: impl Fn(AtomKind) -> Option<u128>) -> Vec<Option<u128>> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut keys: Vec<Option<u128>> = vec![None; program.kinds.len()];
    let mut marks = vec![Mark::New; keys.len()];
    for start in program.atoms() {
        let mut todo = vec![start];
        while let Some(atom) = todo.last().copied() {
            let at = atom.index();
            if marks[at] == Mark::Done {
                todo.pop();
                continue;
            }
            if program.kinds[at] != AtomKind::Derived {
                keys[at] = leaf(program.kinds[at]);
                marks[at] = Mark::Done;
            } else if marks[at] == Mark::New {
                marks[at] = Mark::Open;
                // An atom that is open is on the way here: it keeps no key.
                let parts = program.rules.literals_of(atom).iter().map(|literal| literal.atom);
                todo.extend(parts.filter(|part| marks[part.index()] == Mark::New));
            } else {
                keys[at] = by_rules(program, atom, |part| {
                    keys[part.index()].filter(|_| marks[part.index()] == Mark::Done)
                });
                marks[at] = Mark::Done;
            }
        }
    }
    keys
}

fn by_rules(
    program: &GroundProgram,
    atom: AtomId,
    key: impl Fn(AtomId) -> Option<u128>,
) -> Option<u128> {
    let mut sum = 0_u128;
    for body in program.rules.of(atom) {
        let mut rule = body.len() as u128;
        for literal in body {
            rule = rule.wrapping_add(mix(key(literal.atom)?, 33 + u128::from(literal.negative)));
        }
        sum = sum.wrapping_add(mix(rule, 35));
    }
    Some(mix(sum, 36))
}
