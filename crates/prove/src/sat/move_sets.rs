//! Gates that depend on the move of one role alone, as sets of moves: which of them exclude each other.
//!
//! A role makes at most one move, so gates for moves onto a cell and gates for moves off it never hold together. A solver
//! that knows only the moves has to find that out for every pair of them, thousands for a cell of a large board; said of
//! the gates it is one clause. Whatever holds for each single move and for none of those that are there follows from the
//! moves excluding each other, so nothing is assumed here.

use circuit::graph::{Node, Signal};
use rustc_hash::{FxHashMap, FxHashSet};

use super::model::Model;

/// The most words of all sets that are looked at in one proof, and the most sets that are compared.
const MOST_WORDS: usize = 1 << 28;
const MOST_SETS: usize = 256;
/// Words of moves evaluated together.
const AT_ONCE: usize = 4;

/// Moves by their places, and one more for all others.
type Bits = Vec<u64>;

/// A signal that holds for a set of moves alone.
struct Set {
    signal: Signal,
    moves: Bits,
}

/// Pairs of signals behind some others: the first one excludes the second if a role makes at most one of the moves
/// given, which are all of the role's that are behind them.
pub(super) fn exclusions(model: &Model, behind: &[u32], moves: &[Signal]) -> Vec<(Signal, Signal)> {
    let inside = |x: &Bits, y: &Bits| x.iter().zip(y).all(|(x, y)| x & !y == 0);
    let sets = largest(model, behind, moves);
    let mut found = Vec::new();
    for (at, one) in sets.iter().enumerate() {
        for other in &sets[at + 1..] {
            if one.moves.iter().zip(&other.moves).all(|(x, y)| x & y == 0) {
                found.push((one.signal, other.signal));
            } else if inside(&one.moves, &other.moves) {
                found.push((one.signal, !other.signal));
            } else if inside(&other.moves, &one.moves) {
                found.push((other.signal, !one.signal));
            }
        }
    }
    found
}

/// Moves of a role that some gates cannot tell apart.
pub(super) struct Classes {
    /// The gates that are sets of moves and that others read which are not.
    pub(super) sets: Vec<Signal>,
    /// For each class which of the sets it is in, and its moves, by their places. Moves that are in none of the sets are in no
    /// class.
    pub(super) classes: Vec<(Vec<bool>, Vec<usize>)>,
}

/// Moves that are in the same sets behind some signals. The moves given are all of a role's that are behind them.
pub(super) fn classes(model: &Model, behind: &[u32], moves: &[Signal]) -> Classes {
    let sets = largest(model, behind, moves);
    let mut classes: FxHashMap<Vec<bool>, Vec<usize>> = FxHashMap::default();
    for at in 0..moves.len() {
        let within = |set: &Set| set.moves[at / 64] >> (at % 64) & 1 == 1;
        let pattern: Vec<bool> = sets.iter().map(within).collect();
        if pattern.contains(&true) {
            classes.entry(pattern).or_default().push(at);
        }
    }
    let mut classes: Vec<_> = classes.into_iter().collect();
    classes.sort_unstable_by_key(|(_, moves)| moves[0]);
    Classes { sets: sets.into_iter().map(|set| set.signal).collect(), classes }
}

/// A gate that is a set of moves, over moves and earlier gates.
struct Gate {
    node: usize,
    inputs: [(u32, bool); 2],
}

/// Which gates are sets of moves, and which of them others read that are not.
struct Gates {
    gates: Vec<Gate>,
    frontier: Vec<usize>,
}

impl Gates {
    fn new(model: &Model, behind: &[u32], moves: &[Signal]) -> Self {
        let moves_at = moves.iter().enumerate().map(|(at, own)| (own.node(), at as u32));
        let mut place: FxHashMap<usize, u32> = moves_at.collect();
        let mut gates: Vec<Gate> = Vec::new();
        let (mut inner, mut outer) = (FxHashSet::default(), FxHashSet::default());
        for node in behind.iter().map(|node| *node as usize) {
            let Node::And(a, b) = model.graph.nodes()[node] else { continue };
            let known = [a, b].map(|s| place.get(&s.node()).map(|at| (*at, s.is_complemented())));
            if let [Some(a), Some(b)] = known {
                inner.extend([a.0, b.0]);
                place.insert(node, (moves.len() + gates.len()) as u32);
                gates.push(Gate { node, inputs: [a, b] });
            } else {
                outer.extend(known.into_iter().flatten().map(|(at, _)| at));
            }
        }
        let at = |gate: &usize| (moves.len() + gate) as u32;
        let is_read = |gate: &usize| outer.contains(&at(gate)) || !inner.contains(&at(gate));
        let mut frontier: Vec<usize> = (0..gates.len()).filter(is_read).collect();
        frontier.truncate(MOST_SETS);
        Self { gates, frontier }
    }

    /// The sets of the frontier: for each the moves for which it holds, and whether it does for others.
    fn sets(&self, moves: usize) -> Vec<Bits> {
        let mut values = vec![[0; AT_ONCE]; moves + self.gates.len()];
        let mut sets = vec![Vec::new(); self.frontier.len()];
        let chunk = AT_ONCE * 64;
        for begin in (0..=moves).step_by(chunk) {
            let here = begin..moves.min(begin + chunk);
            for at in here.clone() {
                values[at][(at - begin) / 64] = 1 << ((at - begin) % 64);
            }
            for (at, gate) in self.gates.iter().enumerate() {
                let [a, b] = gate.inputs.map(|(input, complemented)| {
                    let flip = if complemented { u64::MAX } else { 0 };
                    values[input as usize].map(|word| word ^ flip)
                });
                values[moves + at] = std::array::from_fn(|word| a[word] & b[word]);
            }
            for (set, gate) in sets.iter_mut().zip(&self.frontier) {
                set.extend(values[moves + gate]);
            }
            values[here].fill([0; AT_ONCE]);
        }
        sets
    }
}

/// The gates that are sets of moves and that others read which are not, each with the polarity that other moves do not have.
fn largest(model: &Model, behind: &[u32], moves: &[Signal]) -> Vec<Set> {
    let found = Gates::new(model, behind, moves);
    if found.gates.len().saturating_mul(moves.len() / 64 + 1) > MOST_WORDS {
        return Vec::new();
    }
    let other = moves.len();
    let set = |(mut moves, gate): (Bits, &usize)| {
        let signal = Signal((found.gates[*gate].node as u32) << 1);
        let has_others = moves[other / 64] >> (other % 64) & 1 == 1;
        if has_others {
            moves.iter_mut().for_each(|word| *word = !*word);
        }
        moves.truncate(other / 64 + 1);
        moves[other / 64] &= (1 << (other % 64)) - 1;
        Set { moves, signal: if has_others { !signal } else { signal } }
    };
    found.sets(other).into_iter().zip(&found.frontier).map(set).collect()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    /// A token goes from any of nine places to any other, with a light or without one.
    fn places() -> Model {
        let mut rules = String::from("(role r) (init (at 1)) (init lit)");
        for place in 1..=9 {
            let _ = write!(rules, "(place {place})");
        }
        rules += "(<= (legal r (go ?a ?b ?l)) (true (at ?a)) (place ?b) (distinct ?a ?b) (way ?l))
            (way dark) (way bright)
            (<= (next (at ?b)) (does r (go ?a ?b ?l)))
            (<= (next (left ?a)) (does r (go ?a ?b ?l)))
            (<= (next (left ?a)) (true (left ?a)) (not (came ?a)))
            (<= (came ?b) (does r (go ?a ?b ?l)))
            (<= (next lit) (true lit) (not dimmed))
            (<= dimmed (does r (go ?a ?b dark)))
            (<= terminal (true (at 9))) (goal r 50)";
        let game = game::Game::from_text(&rules).expect("valid");
        let gates = game::Gates::build(&game, &ground::Budget::default()).expect("small");
        Model::new(&gates).expect("sound")
    }

    #[test]
    fn gates_that_exclude_each_other_never_hold_for_the_same_move() {
        let model = places();
        let (fluents, moves) = (model.fluents.len(), model.does[0].clone());
        let pairs = exclusions(&model, &model.cone(&model.next), &moves);
        // Moves to different places, and moves to a place beside moves off it.
        assert!(pairs.len() > 40, "{} pairs", pairs.len());
        for made in std::iter::once(None).chain((0..moves.len()).map(Some)) {
            let mut inputs = vec![true; fluents];
            inputs.extend((0..moves.len()).map(|at| Some(at) == made));
            let values = model.graph.evaluate(&inputs);
            let holds = |signal: Signal| values[signal.node()] != signal.is_complemented();
            for (one, other) in &pairs {
                assert!(!(holds(*one) && holds(*other)), "{one:?} and {other:?} for {made:?}");
            }
        }
    }

    #[test]
    fn sets_of_moves_contain_moves_that_are_not_there_in_neither_polarity() {
        let model = places();
        // Of half of the moves only those gates are sets that ask for no others.
        let half = &model.does[0][..model.does[0].len() / 2];
        let sets = largest(&model, &model.cone(&model.next), half);
        let last = |set: &Set| set.moves[half.len() / 64] >> (half.len() % 64);
        assert!(!sets.is_empty() && sets.iter().all(|set| last(set) == 0));
    }
}
