//! One node for all states that are the same up to symmetry (thesis §8.4): the graph knows representatives only,
//! and what it says about the root is turned back into moves of the state that was asked for. Of moves that the
//! symmetries of a node exchange, only one is tried and reported. Where a symmetry exchanges roles, so do values
//! ([`super::exchange`]).
//!
//! What is learned from moves (MAST, RAVE) is learned from moves of representatives: the same move of two nodes
//! may then be two different ones of the board. That makes these statistics vaguer and nothing else.

use game::{Canonicalizer, JointMove, Machine, Role, State, SymmetryId};

use crate::report::SearchReport;

use super::exchange::{Exchange, Exchanges};

/// The state that stands for another.
pub(super) struct Found {
    pub(super) state: State,
    /// The symmetry that leads to it.
    pub(super) symmetry: SymmetryId,
    /// How that exchanges roles.
    pub(super) exchange: Exchange,
}

/// The state that stands for another.
pub(super) fn representative(
    symmetries: Option<&dyn Canonicalizer>,
    exchanges: &Exchanges,
    roles: usize,
    state: State,
) -> Found {
    if let Some(symmetries) = symmetries.filter(|known| !known.is_off()) {
        let (merged, symmetry) = symmetries.canonical(&state);
        if let Some(exchange) = exchanges.of(symmetries, symmetry, roles) {
            return Found { state: merged, symmetry, exchange };
        }
    }
    Found { state, symmetry: SymmetryId(0), exchange: Exchange::NONE }
}

/// Turns a report about a representative into one about the state that it stands for; `symmetry` takes that to the
/// representative. The role of the report is the one at the representative until then.
pub(super) fn turn_back(
    symmetries: &dyn Canonicalizer,
    exchanges: &Exchanges,
    machine: &mut dyn Machine,
    (merged, state, symmetry): (&State, &State, SymmetryId),
    report: &mut SearchReport,
) {
    if symmetry != SymmetryId(0) {
        let part = report.role;
        let back = |action| symmetries.origin(symmetry, part, action).1;
        report.best = report.best.map(back);
        for own in &mut report.moves {
            own.action = back(own.action);
        }
        let values = report.values.clone();
        let to = |role: usize| symmetries.role(symmetry, Role(role as u32));
        for (role, value) in report.values.iter_mut().enumerate() {
            *value = values[to(role).index()];
        }
        let role = (0..values.len()).find(|role| to(*role) == part);
        report.role = role.map_or(part, |role| Role(role as u32));
    }
    let line = std::mem::take(&mut report.line);
    report.line = line_back(symmetries, exchanges, machine, (merged, state, symmetry), &line);
    report.depth = report.line.len() as u32;
}

/// A line of representatives as a line of real states, as far as both are sure to correspond.
fn line_back(
    symmetries: &dyn Canonicalizer,
    exchanges: &Exchanges,
    machine: &mut dyn Machine,
    (merged, state, mut symmetry): (&State, &State, SymmetryId),
    line: &[JointMove],
) -> Vec<JointMove> {
    let roles = machine.game().roles().len();
    let (mut merged, mut state) = (merged.clone(), state.clone());
    let mut back = Vec::with_capacity(line.len());
    for joint in line {
        // Symmetries may have been switched off since; then the line was one of other states.
        if !is_legal(machine, &merged, joint) {
            break;
        }
        let mut real = joint.clone();
        for (role, action) in joint.0.iter().enumerate() {
            let (role, action) = symmetries.origin(symmetry, Role(role as u32), *action);
            real.0[role.index()] = action;
        }
        let (Ok(after), Ok(next)) = (machine.next(&merged, joint), machine.next(&state, &real))
        else {
            break;
        };
        back.push(real);
        let found = representative(Some(symmetries), exchanges, roles, next.clone());
        merged = representative(Some(symmetries), exchanges, roles, after).state;
        symmetry = found.symmetry;
        if found.state != merged {
            break;
        }
        state = next;
    }
    back
}

fn is_legal(machine: &mut dyn Machine, state: &State, joint: &JointMove) -> bool {
    let mut legal = Vec::new();
    joint.0.iter().enumerate().all(|(role, action)| {
        machine.legal_moves(state, Role(role as u32), &mut legal).is_ok() && legal.contains(action)
    })
}
