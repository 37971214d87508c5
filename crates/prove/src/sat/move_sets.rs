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

/// A signal that holds for a set of moves alone.
struct Set {
    signal: Signal,
    /// The moves by their places, in rising order.
    moves: Vec<u32>,
}

/// Pairs of signals behind some others: the first one excludes the second if a role makes at most one of the moves
/// given, which are all of the role's that are behind them.
pub(super) fn exclusions(model: &Model, behind: &[u32], moves: &[Signal]) -> Vec<(Signal, Signal)> {
    let inside = |x: &[u64], y: &[u64]| x.iter().zip(y).all(|(x, y)| x & !y == 0);
    let sets = largest(model, behind, moves);
    let bits = |set: &Set| {
        let mut bits = vec![0u64; moves.len() / 64 + 1];
        set.moves.iter().for_each(|at| bits[*at as usize / 64] |= 1 << (at % 64));
        (set.signal, bits)
    };
    let sets: Vec<(Signal, Vec<u64>)> = sets.iter().map(bits).collect();
    let mut found = Vec::new();
    for (at, (one, x)) in sets.iter().enumerate() {
        for (other, y) in &sets[at + 1..] {
            if x.iter().zip(y).all(|(x, y)| x & y == 0) {
                found.push((*one, *other));
            } else if inside(x, y) {
                found.push((*one, !*other));
            } else if inside(y, x) {
                found.push((*other, !*one));
            }
        }
    }
    found
}

/// Moves of a role that some gates cannot tell apart.
pub(super) struct Classes {
    /// The gates that are sets of moves and that others read which are not.
    pub(super) sets: Vec<Signal>,
    /// For each class the sets it is in, and its moves, by their places. Moves that are in none of the sets are in no class.
    pub(super) classes: Vec<(Vec<u32>, Vec<u32>)>,
}

/// Moves that are in the same sets behind some signals. The moves given are all of a role's that are behind them.
pub(super) fn classes(model: &Model, behind: &[u32], moves: &[Signal]) -> Classes {
    let sets = largest(model, behind, moves);
    let mut within: Vec<Vec<u32>> = vec![Vec::new(); moves.len()];
    for (number, set) in sets.iter().enumerate() {
        set.moves.iter().for_each(|at| within[*at as usize].push(number as u32));
    }
    let mut classes: FxHashMap<Vec<u32>, Vec<u32>> = FxHashMap::default();
    for (at, within) in within.into_iter().enumerate().filter(|(_, within)| !within.is_empty()) {
        classes.entry(within).or_default().push(at as u32);
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

    /// The moves behind a gate for which it has another value than for all others, and whether it holds for these. None
    /// where that takes too long.
    fn members(&self, moves: usize, gate: usize, spent: &mut usize) -> Option<(Vec<u32>, bool)> {
        let (mut own, mut behind) = (FxHashSet::default(), FxHashSet::default());
        let mut todo = vec![gate];
        while let Some(gate) = todo.pop() {
            if !behind.insert(gate) {
                continue;
            }
            for (input, _) in self.gates[gate].inputs {
                match (input as usize).checked_sub(moves) {
                    Some(gate) => todo.push(gate),
                    None => _ = own.insert(input),
                }
            }
        }
        let mut own: Vec<u32> = own.into_iter().collect();
        let mut behind: Vec<usize> = behind.into_iter().collect();
        own.sort_unstable();
        behind.sort_unstable();
        *spent += behind.len() * (own.len() / 64 + 1);
        if *spent > MOST_WORDS {
            return None;
        }
        let places = own.iter().copied().chain(behind.iter().map(|gate| (moves + gate) as u32));
        let place: FxHashMap<u32, u32> = places.zip(0..).collect();
        let inputs = |gate: &usize| self.gates[*gate].inputs.map(|(at, flip)| (place[&at], flip));
        let inputs: Vec<[(u32, bool); 2]> = behind.iter().map(inputs).collect();
        let holds = evaluate(&inputs, own.len());
        let bit = |at: usize| holds[at / 64] >> (at % 64) & 1 == 1;
        let others = bit(own.len());
        let members = own.iter().enumerate().filter(|(at, _)| bit(*at) != others);
        Some((members.map(|(_, own)| *own).collect(), others))
    }
}

/// For which of some moves, each made alone, the last of some gates holds, and for no move. The inputs of gates are first the moves
/// and then the gates.
fn evaluate(gates: &[[(u32, bool); 2]], moves: usize) -> Vec<u64> {
    let mut values = vec![[0; AT_ONCE]; moves + gates.len()];
    let mut last = Vec::new();
    let chunk = AT_ONCE * 64;
    for begin in (0..=moves).step_by(chunk) {
        let here = begin..moves.min(begin + chunk);
        for at in here.clone() {
            values[at][(at - begin) / 64] = 1 << ((at - begin) % 64);
        }
        for (at, gate) in gates.iter().enumerate() {
            let [a, b] = gate.map(|(input, complemented)| {
                let flip = if complemented { u64::MAX } else { 0 };
                values[input as usize].map(|word| word ^ flip)
            });
            values[moves + at] = std::array::from_fn(|word| a[word] & b[word]);
        }
        last.extend(values.last().copied().unwrap_or_default());
        values[here].fill([0; AT_ONCE]);
    }
    last
}

/// The gates that are sets of moves and that others read which are not, each with the polarity that other moves do not have.
fn largest(model: &Model, behind: &[u32], moves: &[Signal]) -> Vec<Set> {
    let found = Gates::new(model, behind, moves);
    let mut spent = 0;
    let set = |gate: &usize| {
        let (members, has_others) = found.members(moves.len(), *gate, &mut spent)?;
        let signal = Signal((found.gates[*gate].node as u32) << 1);
        Some(Set { moves: members, signal: if has_others { !signal } else { signal } })
    };
    found.frontier.iter().filter_map(set).collect()
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
    fn moves_of_a_class_are_the_same_to_all_gates_that_read_sets() {
        let model = places();
        let (fluents, moves) = (model.fluents.len(), model.does[0].clone());
        // All of them tell every move from the others, two of them do not.
        let found = classes(&model, &model.cone(&model.next[..2]), &moves);
        let values = |made: Option<u32>| {
            let mut inputs = vec![true; fluents];
            inputs.extend((0..moves.len() as u32).map(|at| Some(at) == made));
            let values = model.graph.evaluate(&inputs);
            let holds = |signal: &Signal| values[signal.node()] != signal.is_complemented();
            (0..found.sets.len() as u32).filter(|at| holds(&found.sets[*at as usize])).collect()
        };
        let mut seen = 0;
        for (sets, members) in &found.classes {
            for member in members {
                let within: Vec<u32> = values(Some(*member));
                assert_eq!(within, *sets, "move {member}");
                seen += 1;
            }
        }
        // Other moves, and none at all, are in no set.
        assert!(seen > 0 && Vec::<u32>::is_empty(&values(None)));
        assert!(found.classes.len() < moves.len(), "{} classes", found.classes.len());
    }

    #[test]
    fn sets_of_moves_contain_moves_that_are_not_there_in_neither_polarity() {
        let model = places();
        // Of half of the moves only those gates are sets that ask for no others.
        let half = &model.does[0][..model.does[0].len() / 2];
        let sets = largest(&model, &model.cone(&model.next), half);
        let within = |set: &Set| set.moves.iter().all(|at| (*at as usize) < half.len());
        assert!(!sets.is_empty() && sets.iter().all(within));
    }
}
