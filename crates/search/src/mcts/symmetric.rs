//! One node for all states that are the same up to symmetry (thesis §8.4): the graph knows representatives only,
//! and what it says about the root is turned back into moves of the state that was asked for. Of moves that the
//! symmetries of a node exchange, only one is tried and reported.
//!
//! What is learned from moves (MAST, RAVE) is learned from moves of representatives: the same move of two nodes
//! may then be two different ones of the board. That makes these statistics vaguer and nothing else.

use game::{Canonicalizer, JointMove, Machine, Role, State, SymmetryId};

use crate::report::SearchReport;

/// The state that stands for another, and the symmetry that leads to it. Symmetries that exchange roles would
/// exchange values, so they are not used.
pub(super) fn representative(
    symmetries: Option<&dyn Canonicalizer>,
    roles: usize,
    state: State,
) -> (State, SymmetryId) {
    let Some(symmetries) = symmetries.filter(|known| !known.is_off()) else {
        return (state, SymmetryId(0));
    };
    let (merged, symmetry) = symmetries.canonical(&state);
    let keeps_roles =
        (0..roles as u32).all(|role| symmetries.role(symmetry, Role(role)) == Role(role));
    if keeps_roles { (merged, symmetry) } else { (state, SymmetryId(0)) }
}

/// Turns a report about a representative into one about the state that it stands for.
pub(super) fn turn_back(
    symmetries: &dyn Canonicalizer,
    machine: &mut dyn Machine,
    (merged, state): (&State, &State),
    report: &mut SearchReport,
) {
    let roles = machine.game().roles().len();
    if merged != state {
        let (again, symmetry) = representative(Some(symmetries), roles, state.clone());
        if again == *merged {
            let role = report.role;
            let back = |action| symmetries.origin(symmetry, role, action).1;
            report.best = report.best.map(back);
            for own in &mut report.moves {
                own.action = back(own.action);
            }
        }
    }
    let line = std::mem::take(&mut report.line);
    report.line = line_back(symmetries, machine, (merged, state), &line);
    report.depth = report.line.len() as u32;
}

/// A line of representatives as a line of real states, as far as both are sure to correspond.
fn line_back(
    symmetries: &dyn Canonicalizer,
    machine: &mut dyn Machine,
    (merged, state): (&State, &State),
    line: &[JointMove],
) -> Vec<JointMove> {
    let roles = machine.game().roles().len();
    let (mut merged, mut state) = (merged.clone(), state.clone());
    let mut back = Vec::with_capacity(line.len());
    for joint in line {
        let symmetry = if merged == state {
            SymmetryId(0)
        } else {
            let (again, symmetry) = representative(Some(symmetries), roles, state.clone());
            if again != merged {
                break;
            }
            symmetry
        };
        let origin = |(role, action): (usize, &game::Move)| {
            symmetries.origin(symmetry, Role(role as u32), *action).1
        };
        let real: JointMove = joint.0.iter().enumerate().map(origin).collect();
        let (Ok(after), Ok(next)) = (machine.next(&merged, joint), machine.next(&state, &real))
        else {
            break;
        };
        back.push(real);
        merged = representative(Some(symmetries), roles, after).0;
        state = next;
    }
    back
}
