//! Sets of moves that the next state asks for, without a plane for each move.
//!
//! Much of the next state is disjunctions of moves: this cell is left, that one is entered. In games of thousands of moves
//! most gates of a step are for that, though each position makes one move only. Where it pays, the lanes therefore
//! write the move of each position straight into the sets that it is in, and the circuit begins with the sets.

use rustc_hash::FxHashMap;

use crate::build::Circuit;
use crate::graph::{Node, Signal, cone};
use crate::phase::Folding;
use crate::plane::LANES;

/// What it costs to write a move into its sets, in tenths of a gate, as measured with registers of 512 bits: to find it in
/// a position, and for each set. With narrower registers a gate takes longer, and sets pay all the more.
const COST_OF_MOVE: usize = 18;
const COST_OF_SET: usize = 6;

/// The most moves: their numbers have 16 bits, and the last clusters may be filled up.
const MOST_MOVES: usize = 65_000;
/// The most words for the moves of each set while sets are sought.
const MOST_WORDS: usize = 4_000_000;

/// The sets of a role's moves.
#[derive(Clone, Debug)]
pub(crate) struct Sets {
    /// The number of the first set among the inputs that come after fluents and moves.
    pub(crate) first: usize,
    pub(crate) count: usize,
    /// For each move of the role the sets that it is in.
    pub(crate) of_move: Vec<Vec<u32>>,
}

/// A circuit with sets of moves as inputs, for the roles given; the sets of each role for which that pays. None if
/// it pays for no role.
pub(crate) fn with_sets(
    circuit: &Circuit,
    choosing: &[bool],
) -> Option<(Circuit, Vec<Option<Sets>>)> {
    let inside = cone(circuit.graph.nodes(), &circuit.next, |_| false);
    let mut folding = Folding::new(circuit);
    folding.start(circuit, &[], None);
    let inputs = circuit.fluents.len() + circuit.does.iter().map(Vec::len).sum::<usize>();
    let mut first = 0;
    let mut all = Vec::new();
    for (role, choosing) in choosing.iter().enumerate() {
        let found = if *choosing { found(circuit, role, &inside) } else { None };
        all.push(found.map(|found| {
            let count = found.numbers.len();
            let sets = first..first + count;
            let sets: Vec<Signal> =
                sets.map(|set| folding.graph.input((inputs + set) as u32)).collect();
            for (node, signal) in &found.signals {
                let by = match *signal {
                    Found::Constant(value) => value,
                    Found::Set { number, complement: true } => !sets[number],
                    Found::Set { number, complement: false } => sets[number],
                };
                folding.replace(*node, by);
            }
            first += count;
            Sets { first: first - count, count, of_move: found.of_move }
        }));
    }
    let any = all.iter().any(Option::is_some);
    any.then(|| (finish(circuit, folding), all))
}

/// What a gate is that depends on the move of one role only.
enum Found {
    Constant(Signal),
    Set { number: usize, complement: bool },
}

/// The sets that the gates of a role stand for.
#[derive(Default)]
struct RoleSets {
    signals: Vec<(usize, Found)>,
    /// The number of each set, by the moves that are in it.
    numbers: FxHashMap<Vec<u64>, usize>,
    /// For each move of the role the sets that it is in.
    of_move: Vec<Vec<u32>>,
    /// The moves of all sets together.
    written: usize,
}

impl RoleSets {
    /// A gate that holds with some of the moves given; `all` are bits for all of them.
    fn add(&mut self, node: usize, holds: &[u64], all: &[u64], moves: &[usize]) {
        let size: usize = holds.iter().map(|word| word.count_ones() as usize).sum();
        // The smaller side is less work.
        let complement = size * 2 > moves.len();
        let size = if complement { moves.len() - size } else { size };
        if size == 0 {
            let value = if complement { Signal::TRUE } else { Signal::FALSE };
            self.signals.push((node, Found::Constant(value)));
            return;
        }
        let flip = if complement { u64::MAX } else { 0 };
        let own: Vec<u64> = holds.iter().zip(all).map(|(word, all)| (word ^ flip) & all).collect();
        let next = self.numbers.len();
        let number = self.numbers.get(&own).copied().unwrap_or(next);
        self.signals.push((node, Found::Set { number, complement }));
        if number == next {
            self.written += size;
            let is_in = |at: usize| own[at / 64] >> (at % 64) & 1 == 1;
            for (_, action) in moves.iter().enumerate().filter(|(at, _)| is_in(*at)) {
                self.of_move[*action].push(number as u32);
            }
            self.numbers.insert(own, number);
        }
    }

    /// What writing moves into the sets costs, in tenths of a gate.
    fn cost(&self, moves: usize) -> usize {
        let all = COST_OF_MOVE * moves + COST_OF_SET * self.written;
        LANES * all / moves + 10 * self.numbers.len()
    }
}

/// The sets of a role's moves that the next state asks for, if it pays to write moves into them.
fn found(circuit: &Circuit, role: usize, inside: &[bool]) -> Option<RoleSets> {
    let nodes = circuit.graph.nodes();
    let is_possible = |at: &usize| circuit.legal[role][*at] != Signal::FALSE;
    let moves: Vec<usize> = (0..circuit.does[role].len()).filter(is_possible).collect();
    if moves.len() < 2 || moves.len() > MOST_MOVES {
        return None;
    }
    let pure = pure(circuit, role, inside);
    let gates = pure.iter().filter(|node| matches!(nodes[**node], Node::And(..))).count();
    let saved = 10 * (gates + moves.len());
    let words = moves.len().div_ceil(64);
    // Not even if each move were in one set.
    let in_vain = (COST_OF_MOVE + COST_OF_SET) * LANES > saved;
    if in_vain || pure.len() * words > MOST_WORDS {
        return None;
    }
    let members = members(circuit, role, &moves, &pure, words);
    let all = full(moves.len());
    let of_move = vec![Vec::new(); circuit.does[role].len()];
    let mut sets = RoleSets { of_move, ..RoleSets::default() };
    for node in read_by_others(circuit, &pure, inside) {
        let place = members.place[node] as usize * words;
        sets.add(node, &members.bits[place..place + words], &all, &moves);
    }
    (sets.cost(moves.len()) < saved).then_some(sets)
}

/// Bits for so many moves.
fn full(moves: usize) -> Vec<u64> {
    (0..moves.div_ceil(64))
        .map(|word| if moves - word * 64 >= 64 { u64::MAX } else { (1 << (moves % 64)) - 1 })
        .collect()
}

/// The nodes that depend on the move of one role and on nothing else.
fn pure(circuit: &Circuit, role: usize, inside: &[bool]) -> Vec<usize> {
    let nodes = circuit.graph.nodes();
    let mut is_pure = vec![false; nodes.len()];
    for input in &circuit.does[role] {
        is_pure[input.node()] = true;
    }
    for (at, node) in nodes.iter().enumerate() {
        if let (Node::And(a, b), true) = (node, inside[at]) {
            is_pure[at] = is_pure[a.node()] && is_pure[b.node()];
        }
    }
    (0..nodes.len()).filter(|node| is_pure[*node]).collect()
}

/// Those of the nodes that other gates or the next state read.
fn read_by_others(circuit: &Circuit, pure: &[usize], inside: &[bool]) -> Vec<usize> {
    let nodes = circuit.graph.nodes();
    let mut is_pure = vec![false; nodes.len()];
    for node in pure {
        is_pure[*node] = true;
    }
    let mut is_read = vec![false; nodes.len()];
    for (at, node) in nodes.iter().enumerate() {
        if let (Node::And(a, b), true, false) = (node, inside[at], is_pure[at]) {
            is_read[a.node()] = true;
            is_read[b.node()] = true;
        }
    }
    for signal in &circuit.next {
        is_read[signal.node()] = true;
    }
    pure.iter().copied().filter(|node| is_read[*node]).collect()
}

/// For each node the moves with which it holds.
struct Members {
    /// Where a node is among the others.
    place: Vec<u32>,
    bits: Vec<u64>,
}

fn members(
    circuit: &Circuit,
    role: usize,
    moves: &[usize],
    pure: &[usize],
    words: usize,
) -> Members {
    let nodes = circuit.graph.nodes();
    let mut place = vec![u32::MAX; nodes.len()];
    for (at, node) in pure.iter().enumerate() {
        place[*node] = at as u32;
    }
    let mut bits = vec![0u64; pure.len() * words];
    for (at, action) in moves.iter().enumerate() {
        let own = place[circuit.does[role][*action].node()] as usize;
        bits[own * words + at / 64] |= 1 << (at % 64);
    }
    let all = full(moves.len());
    for (at, node) in pure.iter().enumerate() {
        if let Node::And(a, b) = nodes[*node] {
            for (word, all) in all.iter().enumerate() {
                let read = |signal: Signal| {
                    let value = bits[place[signal.node()] as usize * words + word];
                    if signal.is_complemented() { !value & all } else { value }
                };
                bits[at * words + word] = read(a) & read(b);
            }
        }
    }
    Members { place, bits }
}

/// The circuit with the sets in place of the gates that were replaced.
fn finish(circuit: &Circuit, mut folding: Folding<'_>) -> Circuit {
    let legal = folding.through_all(&circuit.legal);
    let terminal = folding.through(&[circuit.terminal])[0];
    let goals = folding.through_all(&circuit.goals);
    let next = folding.through(&circuit.next);
    let (fluents, does) = (circuit.fluents.clone(), circuit.does.clone());
    let (families, initial) = (circuit.families.clone(), circuit.initial.clone());
    let graph = folding.graph;
    Circuit { graph, fluents, families, does, initial, next, legal, terminal, goals }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::phase::tests::circuit;

    /// Whatever the state and the move, the next state is the same with sets, if each set holds where one of its
    /// moves is made.
    #[test]
    fn sets_of_moves_stand_for_the_gates_that_ask_for_moves() {
        let mut text = String::from(
            "(role r) (role s) (init (at 1)) (<= (legal r (go ?x ?y)) (number ?x) (number ?y)) (legal s a) (legal s b)
             (<= (next (at ?y)) (does r (go ?x ?y)))
             (<= (next (was ?x)) (does r (go ?x ?y)) (not (does r (go ?x ?x))))
             (<= (next (was ?x)) (true (at ?x)) (does s a))
             (<= (moved) (does r (go ?x ?y)) (distinct ?x ?y))
             (<= (next (still)) (not (moved)) (does s b)) (<= (next (ever)) (does r (go ?x ?y)))
             (<= terminal (true (at 0))) (<= (goal r 100) (true (ever)))",
        );
        (1..=60).for_each(|n| write!(text, "(number {n})").expect("a string"));
        let circuit = circuit(&text);
        let (with, sets) = with_sets(&circuit, &[true, true]).expect("thousands of moves");
        let own = sets[0].as_ref().expect("many moves");
        assert!(sets[1].is_none(), "two moves are no reason for sets");
        let (fluents, moves) = (circuit.fluents.len(), circuit.does[0].len());
        let mut seed = 5u64;
        let read = |values: &[bool], s: Signal| values[s.node()] != s.is_complemented();
        for action in 0..moves {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(action as u64);
            let mut inputs: Vec<bool> = (0..fluents).map(|at| seed >> (at % 64) & 1 == 1).collect();
            inputs.extend((0..moves).map(|at| at == action));
            inputs.extend([seed >> 40 & 1 == 1, seed >> 40 & 1 == 0]);
            let before = circuit.graph.evaluate(&inputs);
            // The moves themselves are not asked for any more.
            inputs[fluents..fluents + moves].fill(false);
            inputs.extend((0..own.count).map(|set| own.of_move[action].contains(&(set as u32))));
            let after = with.graph.evaluate(&inputs);
            for (old, new) in circuit.next.iter().zip(&with.next) {
                assert_eq!(read(&before, *old), read(&after, *new));
            }
        }
    }
}
