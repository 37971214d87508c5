//! Atoms that depend on themselves, solved by elimination.
//!
//! Recursion inside a state is mostly linear: each rule of `connected(X,Z) :- connected(X,Y), adjacent(Y,Z)`
//! mentions one atom of its own component, so a component is a system of equations x = b | A x over the
//! signals, of which the least solution is wanted. Gaussian elimination gives it (Tarjan 1981: path problems
//! over a closed semiring; among Booleans x = a x | b has the least solution b): an atom is replaced by what
//! defines it, the one first that meets the fewest others, and the values are put back in the reverse order.
//! A board of n cells takes far fewer gates than n rounds of unrolling, and systems that differ in b alone,
//! such as reachability from each cell, share what was done to A.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hasher;

use rustc_hash::FxHasher;

use crate::graph::{Graph, Signal};

/// Equations `x[i] = b[i] | a[i][1] x[1] | a[i][2] x[2] …`, of which the least solution is wanted.
pub(crate) struct System {
    constants: Vec<Signal>,
    rows: Vec<BTreeMap<usize, Signal>>,
    /// For each unknown the equations that mention it.
    users: Vec<BTreeSet<usize>>,
    labels: Vec<u64>,
    gone: Vec<bool>,
}

impl System {
    /// Takes each b and the coefficients of each equation.
    pub fn new(constants: Vec<Signal>, mut rows: Vec<BTreeMap<usize, Signal>>) -> Self {
        let mut users = vec![BTreeSet::new(); rows.len()];
        for (at, row) in rows.iter_mut().enumerate() {
            row.remove(&at);
            row.retain(|_, signal| *signal != Signal::FALSE);
            for used in row.keys() {
                users[*used].insert(at);
            }
        }
        let labels = rows.iter().map(label).collect();
        let gone = vec![false; rows.len()];
        Self { constants, rows, users, labels, gone }
    }

    /// The least solution. `check` is asked after each step; none if more than `most` steps are needed.
    pub fn solve<E>(
        mut self,
        graph: &mut Graph,
        most: usize,
        mut check: impl FnMut(&Graph) -> Result<(), E>,
    ) -> Result<Option<Vec<Signal>>, E> {
        let mut queue: BTreeSet<(usize, u64, usize)> =
            (0..self.rows.len()).map(|at| self.key(at)).collect();
        let mut order = Vec::with_capacity(self.rows.len());
        let mut steps = 0;
        while let Some((cost, _, at)) = queue.pop_first() {
            steps += cost + 1;
            if steps > most {
                return Ok(None);
            }
            let touched: BTreeSet<usize> =
                self.users[at].iter().chain(self.rows[at].keys()).copied().collect();
            for other in &touched {
                queue.remove(&self.key(*other));
            }
            self.eliminate(at, graph);
            queue.extend(touched.iter().map(|other| self.key(*other)));
            order.push(at);
            check(graph)?;
        }
        Ok(Some(self.put_back(&order, graph)))
    }

    /// Fewest combinations first. Ties are broken by what the equations are made of, so that systems of the
    /// same shape are taken apart in the same order.
    fn key(&self, at: usize) -> (usize, u64, usize) {
        (self.users[at].len() * self.rows[at].len(), self.labels[at], at)
    }

    /// Puts the right side of an equation where its unknown is used.
    fn eliminate(&mut self, at: usize, graph: &mut Graph) {
        self.gone[at] = true;
        for used in self.rows[at].keys() {
            self.users[*used].remove(&at);
        }
        for user in std::mem::take(&mut self.users[at]) {
            let Some(factor) = self.rows[user].remove(&at) else { continue };
            let constant = graph.and(factor, self.constants[at]);
            self.constants[user] = graph.or(self.constants[user], constant);
            let (row, rest) = if user < at {
                let (low, high) = self.rows.split_at_mut(at);
                (&high[0], &mut low[user])
            } else {
                let (low, high) = self.rows.split_at_mut(user);
                (&low[at], &mut high[0])
            };
            for (used, signal) in row.iter().filter(|(used, _)| **used != user) {
                let product = graph.and(factor, *signal);
                let sum = rest.entry(*used).or_insert(Signal::FALSE);
                *sum = graph.or(*sum, product);
                self.users[*used].insert(user);
            }
        }
    }

    /// What was eliminated last depends on nothing; the others on those that came after them.
    fn put_back(&self, order: &[usize], graph: &mut Graph) -> Vec<Signal> {
        let mut values = vec![Signal::FALSE; order.len()];
        for at in order.iter().rev() {
            let mut terms = vec![self.constants[*at]];
            for (used, signal) in &self.rows[*at] {
                terms.push(graph.and(*signal, values[*used]));
            }
            values[*at] = graph.any(&terms);
        }
        values
    }
}

fn label(row: &BTreeMap<usize, Signal>) -> u64 {
    let mut signals: Vec<u32> = row.values().map(|signal| signal.0).collect();
    signals.sort_unstable();
    let mut hasher = FxHasher::default();
    for signal in signals {
        hasher.write_u32(signal);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    const INPUTS: usize = 6;

    /// The least solution by iteration, for given inputs.
    fn iterated(
        constants: &[Signal],
        rows: &[BTreeMap<usize, Signal>],
        bits: &[bool],
    ) -> Vec<bool> {
        let value = |signal: Signal| match signal {
            Signal::FALSE => false,
            Signal::TRUE => true,
            other => bits[other.node() - 1] != other.is_complemented(),
        };
        let mut holds = vec![false; rows.len()];
        for _ in 0..=rows.len() {
            for at in 0..rows.len() {
                let reached = rows[at].iter().any(|(used, signal)| value(*signal) && holds[*used]);
                holds[at] |= value(constants[at]) || reached;
            }
        }
        holds
    }

    #[test]
    fn elimination_finds_the_least_solution() {
        let mut seed = 3u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % below
        };
        for _ in 0..60 {
            let mut graph = Graph::default();
            let inputs: Vec<Signal> = (0..INPUTS as u32).map(|i| graph.input(i)).collect();
            let mut signal = || match random(8) {
                0 => Signal::TRUE,
                7 => !inputs[1],
                at => inputs[at as usize - 1],
            };
            let size = 7;
            let constants: Vec<Signal> =
                (0..size).map(|at| if at % 3 == 0 { signal() } else { Signal::FALSE }).collect();
            let rows: Vec<BTreeMap<usize, Signal>> = (0..size)
                .map(|at| (0..3).map(|k| ((at * 3 + k * 2 + 1) % size, signal())).collect())
                .collect();
            let system = System::new(constants.clone(), rows.clone());
            let solved = system.solve(&mut graph, 10_000, |_| Ok::<(), ()>(()));
            let solved = solved.expect("no check fails").expect("few steps");
            for row in 0..1u32 << INPUTS {
                let bits: Vec<bool> = (0..INPUTS).map(|i| row >> i & 1 == 1).collect();
                let values = graph.evaluate(&bits);
                let found: Vec<bool> =
                    solved.iter().map(|s| values[s.node()] != s.is_complemented()).collect();
                assert_eq!(found, iterated(&constants, &rows, &bits));
            }
        }
    }

    #[test]
    fn systems_with_the_same_coefficients_share_their_elimination() {
        let mut graph = Graph::default();
        let side = 5;
        let cells: Vec<Signal> = (0..side * side).map(|i| graph.input(i as u32)).collect();
        let neighbours = |at: usize| {
            let (row, column) = (at / side, at % side);
            let mut all = Vec::new();
            if row > 0 {
                all.push(at - side);
            }
            if column > 0 {
                all.push(at - 1);
            }
            if row + 1 < side {
                all.push(at + side);
            }
            if column + 1 < side {
                all.push(at + 1);
            }
            all
        };
        let rows: Vec<BTreeMap<usize, Signal>> = (0..side * side)
            .map(|at| neighbours(at).into_iter().map(|from| (from, cells[at])).collect())
            .collect();
        let mut sizes = Vec::new();
        for source in 0..side * side {
            let mut constants = vec![Signal::FALSE; side * side];
            constants[source] = cells[source];
            let before = graph.gate_count();
            let system = System::new(constants, rows.clone());
            let solved = system.solve(&mut graph, 100_000, |_| Ok::<(), ()>(()));
            assert!(solved.expect("no check fails").is_some());
            sizes.push(graph.gate_count() - before);
        }
        let unrolled = side * side * side * side * 4;
        assert!(sizes.iter().sum::<usize>() < unrolled * side * side / 8, "{sizes:?}");
        assert!(sizes[1] < sizes[0], "the first one pays for the coefficients: {sizes:?}");
    }
}
