//! All successors of a node evaluated at once, so that those not tried yet have a value too.
//!
//! Node priors (Gelly and Silver 2007): the evaluation of a successor counts like a number of visits. In games of
//! many moves this spares most of them their first try. Ends that are met on the way become nodes, so that
//! moves which win at once are found.

use std::sync::atomic::Ordering::Relaxed;

use game::{JointMove, Move};

use crate::effort::{Meter, Stop};

use super::exchange::Link;
use super::node::{Expansion, NONE, Node};
use super::options::Options;
use super::playout;
use super::solver;
use super::worker::{Shared, Worker};

/// So many moves ask for one more visit: where they are many, evaluating all takes as long as some
/// simulations.
const MOVES_FOR_A_VISIT: u32 = 16;

/// How many visits a node needs.
fn needed(options: &Options, moves: u32) -> u32 {
    options.judged.max(moves / MOVES_FOR_A_VISIT)
}

impl Worker {
    /// Evaluates the successors of a node, if it was visited often enough and they were not yet.
    pub(super) fn judge(
        &mut self,
        shared: &Shared<'_>,
        meter: &mut Meter,
        node: &Node,
        expansion: &Expansion,
    ) -> Result<(), Stop> {
        let Some(role) = node.mover().filter(|role| node.roles[*role].count > 1) else {
            return Ok(());
        };
        if expansion.judged.load(Relaxed)
            || self.evaluator.is_none()
            || node.visits() < needed(shared.options, node.roles[role].count)
            || expansion.judged.swap(true, Relaxed)
        {
            return Ok(());
        }
        let mut joint: Vec<Move> =
            node.roles.iter().map(|stat| node.moves[stat.first as usize]).collect();
        let mut ends = false;
        for at in node.range(role) {
            meter.count()?;
            joint[role] = node.moves[at];
            ends |= self.judge_one(shared, node, (expansion, at, role), &joint)?;
        }
        if ends && shared.options.solver {
            solver::update(shared.graph, node, shared.outer);
        }
        Ok(())
    }

    /// Evaluates one successor; whether it is an end.
    fn judge_one(
        &mut self,
        shared: &Shared<'_>,
        node: &Node,
        (expansion, at, role): (&Expansion, usize, usize),
        joint: &[Move],
    ) -> Result<bool, Stop> {
        let edge = self.open(shared, node, (expansion, at, role));
        if edge.child().node() != NONE && !edge.prior.get().is_nan() {
            return Ok(false);
        }
        let next = self.machine.next(&node.state, &JointMove(joint.to_vec()))?;
        if self.machine.is_terminal(&next)? {
            let (key, next, exchange) = shared.place_of(node, next);
            let child = self.node_of(shared, key, next)?;
            let part = shared.graph.exchanges.to(exchange, role);
            let value = f64::from(shared.graph.node(child).roles[part].bounds.get().low);
            edge.prior.set(value);
            edge.implicit.set(value);
            edge.set_child(Link::new(child, exchange));
            return Ok(true);
        }
        let Some(evaluator) = &mut self.evaluator else { return Ok(false) };
        let mut values = vec![50.0; shared.outer.len()];
        playout::evaluate(&mut **evaluator, &next, &mut values);
        edge.prior.set(values[role]);
        edge.implicit.set(values[role]);
        Ok(false)
    }
}
