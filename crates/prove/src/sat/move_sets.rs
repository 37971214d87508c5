//! Gates that depend on the move of one role alone, as sets of moves: which of them exclude each other.
//!
//! A role makes at most one move, so gates for moves onto a cell and gates for moves off it never hold together. A solver
//! that knows only the moves has to find that out for every pair of them, thousands for a cell of a large board; said of
//! the gates it is one clause. Whatever holds for each single move and for none of those that are there follows from the
//! moves excluding each other, so nothing is assumed here.

use circuit::graph::{Node, Signal};
use rustc_hash::{FxHashMap, FxHashSet};

use super::model::Model;

/// The most words of all sets of one proof, and the most sets that are compared.
const MOST_WORDS: usize = 1 << 22;
const MOST_SETS: usize = 256;

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

/// The gates that are sets of moves and no part of a larger one, each with the polarity that other moves do not have.
fn largest(model: &Model, behind: &[u32], moves: &[Signal]) -> Vec<Set> {
    let (words, other) = (moves.len() / 64 + 1, moves.len());
    let mut sets: FxHashMap<usize, Bits> = FxHashMap::default();
    for (at, action) in moves.iter().enumerate() {
        let mut bits = vec![0; words];
        bits[at / 64] |= 1 << (at % 64);
        sets.insert(action.node(), bits);
    }
    let mut all = vec![u64::MAX; words];
    all[words - 1] = u64::MAX >> (63 - other % 64);
    let mut parts: FxHashSet<usize> = FxHashSet::default();
    let mut gates = Vec::new();
    for node in behind.iter().map(|node| *node as usize) {
        let Node::And(a, b) = model.graph.nodes()[node] else { continue };
        let (Some(x), Some(y)) = (sets.get(&a.node()), sets.get(&b.node())) else { continue };
        if sets.len() * words > MOST_WORDS {
            return Vec::new();
        }
        let mask = |signal: Signal| if signal.is_complemented() { u64::MAX } else { 0 };
        let (flip, flop) = (mask(a), mask(b));
        let both = x.iter().zip(y).zip(&all).map(|((x, y), all)| (x ^ flip) & (y ^ flop) & all);
        let both = both.collect();
        parts.extend([a.node(), b.node()]);
        sets.insert(node, both);
        gates.push(node);
    }
    gates.retain(|node| !parts.contains(node));
    gates.truncate(MOST_SETS);
    let set = |node: usize| {
        let moves = sets.remove(&node)?;
        let signal = Signal((node as u32) << 1);
        let has_others = moves[other / 64] >> (other % 64) & 1 == 1;
        let moves =
            moves.iter().zip(&all).map(|(own, all)| if has_others { !own & all } else { *own });
        Some(Set { moves: moves.collect(), signal: if has_others { !signal } else { signal } })
    };
    gates.into_iter().filter_map(set).collect()
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
