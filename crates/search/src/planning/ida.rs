//! IDA* (Korf 1985): depth first within a bound on moves made plus moves to go, the bound rising. Needs
//! little memory; a table of bounded size avoids loops and states reached before with no more moves.

use game::{Move, State};

use super::{Distance, Ended, Planning};
use crate::effort::Stop;
use crate::table::Table;

struct Ida<'p, 'm, 'd> {
    planning: &'p mut Planning<'m>,
    distance: &'d mut dyn Distance,
    /// For each state the most moves that were left within the bound when it was searched in vain.
    table: Table<u32>,
    path: Vec<Move>,
    /// The least sum beyond the bound.
    beyond: u32,
}

/// Searches for a plan with the largest reward; a shortest one if the distance is admissible. No plan is
/// longer than `longest`.
pub fn iterative_deepening_a_star(
    planning: &mut Planning<'_>,
    state: &State,
    distance: &mut dyn Distance,
    longest: u32,
) -> Result<Ended, Stop> {
    let Some(mut bound) = distance.estimate(state) else {
        return Ok(if distance.is_admissible() { planning.exhausted() } else { Ended::Open });
    };
    let sound = distance.is_admissible();
    let memory = planning.memory;
    let mut ida =
        Ida { planning, distance, table: Table::new(memory), path: Vec::new(), beyond: u32::MAX };
    while bound <= longest {
        ida.beyond = u32::MAX;
        ida.table.clear();
        if ida.visit(state, 0, bound)? {
            return Ok(Ended::Best);
        }
        if ida.beyond == u32::MAX {
            return Ok(if sound { ida.planning.exhausted() } else { Ended::Open });
        }
        bound = ida.beyond;
    }
    Ok(Ended::Open)
}

impl Ida<'_, '_, '_> {
    fn visit(&mut self, state: &State, depth: u32, bound: u32) -> Result<bool, Stop> {
        let Some(to_go) = self.distance.estimate(state) else { return Ok(false) };
        let sum = depth.saturating_add(to_go);
        if sum > bound {
            self.beyond = self.beyond.min(sum);
            return Ok(false);
        }
        let Some(moves) = self.planning.moves(state, depth)? else {
            let reward = self.planning.reward(state)?;
            return Ok(self.planning.reached(reward, || self.path.clone()));
        };
        let key = self.planning.key(state);
        let left = bound - depth;
        if self.table.get(key).is_some_and(|before| *before >= left) {
            return Ok(false);
        }
        // Noted before its successors are searched, so that loops end here.
        self.table.put(key, left, left);
        for action in moves {
            let next = self.planning.next(state, action)?;
            self.path.push(action);
            let found = self.visit(&next, depth + 1, bound)?;
            self.path.pop();
            if found {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
