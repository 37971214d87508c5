//! Propositional logic in a form that depends little on how the rules were written: conjunctions of literals,
//! flat, sorted, each stored once. A disjunction is the negation of a conjunction of negations, so
//! chains of helper relations, double negations, repeated and absorbed rules leave no trace.
//!
//! Deeper formulas of few leaves become the list of their prime implicants or implicates (`small`), which depends on
//! their meaning alone: a sum that counts in a fixed order then looks the same whatever the order.
//!
//! Rewriting looks only at structure and meaning, never at numbers, so that symmetric formulas stay symmetric.

use rustc_hash::FxHashMap;

use crate::small::{Cube, MOST_VARIABLES, Table};

/// A node or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lit(u32);

impl Lit {
    /// Always holds.
    pub const TRUE: Lit = Lit(0);
    /// Never holds.
    pub const FALSE: Lit = Lit(1);

    /// The node.
    pub fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether the node is negated.
    pub fn is_negative(self) -> bool {
        self.0 & 1 == 1
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// What a node is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// Given from outside: a fluent, a move, or an atom of a recursive definition.
    Leaf,
    /// All of these hold. Node 0 is the empty conjunction.
    And(Box<[Lit]>),
}

/// Larger conjunctions are not copied into others.
const MOST_INLINED: usize = 256;
/// Conjunctions of more negated conjunctions are not compared pairwise.
const FEW_COMPARED: usize = 96;
/// Formulas up to this height are conjunctions of clauses already.
const FLAT: u32 = 2;
/// The most prime implicants of a formula that is written by them.
const MOST_PRIMES: usize = 128;
/// The most formulas that are looked at for that.
const MOST_NORMALISED: usize = 20_000;

/// Formulas, each stored once.
#[derive(Debug)]
pub struct Logic {
    nodes: Vec<Node>,
    heights: Vec<u32>,
    known: FxHashMap<Box<[Lit]>, u32>,
    /// What deep formulas of few leaves became, by their node and by their meaning.
    normal: FxHashMap<u32, Lit>,
    meanings: FxHashMap<(Vec<usize>, Table), Lit>,
    stored: usize,
    most: usize,
}

/// The formulas became too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

impl Logic {
    /// No formulas; at most `most` literals will be stored.
    pub fn new(most: usize) -> Self {
        let empty: Box<[Lit]> = Box::default();
        Self {
            nodes: vec![Node::And(empty.clone())],
            heights: vec![0],
            known: FxHashMap::from_iter([(empty, 0)]),
            normal: FxHashMap::default(),
            meanings: FxHashMap::default(),
            stored: 0,
            most,
        }
    }

    /// A new leaf.
    pub fn leaf(&mut self) -> Lit {
        self.nodes.push(Node::Leaf);
        self.heights.push(0);
        Lit((self.nodes.len() as u32 - 1) << 1)
    }

    /// How many literals are stored.
    pub fn stored(&self) -> usize {
        self.stored
    }

    /// The nodes.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// One more than the greatest height of the parts; 0 for leaves and constants.
    pub fn height(&self, node: usize) -> u32 {
        self.heights[node]
    }

    /// The parts of a conjunction.
    fn parts(&self, lit: Lit) -> Option<&[Lit]> {
        match &self.nodes[lit.node()] {
            Node::And(parts) => Some(parts),
            Node::Leaf => None,
        }
    }

    /// One of the literals holds.
    pub fn or(&mut self, literals: Vec<Lit>) -> Result<Lit, TooLarge> {
        let negated = literals.into_iter().map(|lit| !lit).collect();
        Ok(!self.and(negated)?)
    }

    /// All literals hold.
    pub fn and(&mut self, literals: Vec<Lit>) -> Result<Lit, TooLarge> {
        let mut parts = literals;
        loop {
            parts = self.flat(&parts);
            parts.sort_unstable();
            parts.dedup();
            let opposed = parts.windows(2).any(|pair| pair[0] == !pair[1]);
            if opposed || parts.contains(&Lit::FALSE) {
                return Ok(Lit::FALSE);
            }
            let Some(simpler) = self.propagated(&parts)? else { break };
            parts = simpler;
        }
        self.absorb(&mut parts);
        match parts[..] {
            [] => Ok(Lit::TRUE),
            [single] => Ok(single),
            _ => {
                let stored = self.store(parts)?;
                self.normal_form(stored)
            }
        }
    }

    /// The same formula by its prime implicants or implicates, if it is deep and has few leaves.
    fn normal_form(&mut self, lit: Lit) -> Result<Lit, TooLarge> {
        let node = lit.node() as u32;
        if self.heights[lit.node()] <= FLAT {
            return Ok(lit);
        }
        if let Some(known) = self.normal.get(&node) {
            return Ok(*known);
        }
        let leaves = if self.normal.len() < MOST_NORMALISED { self.leaves(lit) } else { None };
        let normal = match leaves {
            Some(leaves) => self.by_primes(lit, leaves)?,
            None => lit,
        };
        self.normal.insert(node, normal);
        Ok(normal)
    }

    fn by_primes(&mut self, lit: Lit, leaves: Vec<usize>) -> Result<Lit, TooLarge> {
        let table = self.table(lit, &leaves);
        let meaning = (leaves, table);
        if let Some(known) = self.meanings.get(&meaning) {
            return Ok(*known);
        }
        let count = meaning.0.len();
        let (yes, no) = (table.primes(count, MOST_PRIMES), table.not().primes(count, MOST_PRIMES));
        let normal = match (yes, no) {
            (Some(yes), Some(no)) if prefers(&no, &yes) => !self.sum(&no, &meaning.0)?,
            (Some(yes), _) => self.sum(&yes, &meaning.0)?,
            (None, Some(no)) => !self.sum(&no, &meaning.0)?,
            (None, None) => lit,
        };
        self.meanings.insert(meaning, normal);
        Ok(normal)
    }

    /// One of the conjunctions holds.
    fn sum(&mut self, cubes: &[Cube], leaves: &[usize]) -> Result<Lit, TooLarge> {
        let mut parts = Vec::with_capacity(cubes.len());
        for cube in cubes {
            let used = (0..leaves.len()).filter(|at| cube.cares >> at & 1 == 1);
            let literals = used.map(|at| {
                let leaf = Lit((leaves[at] as u32) << 1);
                if cube.positive >> at & 1 == 1 { leaf } else { !leaf }
            });
            parts.push(self.and(literals.collect())?);
        }
        self.or(parts)
    }

    /// The leaves of a formula, sorted; none if they are many.
    fn leaves(&self, lit: Lit) -> Option<Vec<usize>> {
        let mut leaves = Vec::new();
        let mut todo = vec![lit.node()];
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(node) = todo.pop() {
            if !seen.insert(node) {
                continue;
            }
            match &self.nodes[node] {
                Node::And(parts) => todo.extend(parts.iter().map(|part| part.node())),
                Node::Leaf if leaves.len() == MOST_VARIABLES => return None,
                Node::Leaf => leaves.push(node),
            }
        }
        leaves.sort_unstable();
        Some(leaves)
    }

    /// The meaning of a formula whose leaves are few.
    fn table(&self, lit: Lit, leaves: &[usize]) -> Table {
        let mut known: FxHashMap<usize, Table> = FxHashMap::default();
        for (number, leaf) in leaves.iter().enumerate() {
            known.insert(*leaf, Table::variable(number));
        }
        let mut todo = vec![lit.node()];
        while let Some(node) = todo.last().copied() {
            let parts = match &self.nodes[node] {
                Node::And(parts) => &parts[..],
                Node::Leaf => &[],
            };
            let before = todo.len();
            todo.extend(
                parts.iter().map(|part| part.node()).filter(|part| !known.contains_key(part)),
            );
            if todo.len() == before {
                todo.pop();
                let all = parts.iter().fold(Table::TRUE, |all, part| {
                    let table = known.get(&part.node()).copied().unwrap_or(Table::TRUE);
                    all.and(if part.is_negative() { table.not() } else { table })
                });
                known.entry(node).or_insert(all);
            }
        }
        let table = known.get(&lit.node()).copied().unwrap_or(Table::TRUE);
        if lit.is_negative() { table.not() } else { table }
    }

    /// The parts with those that are conjunctions replaced by their own parts.
    fn flat(&self, parts: &[Lit]) -> Vec<Lit> {
        let mut flat = Vec::with_capacity(parts.len());
        for part in parts {
            match self.parts(*part) {
                Some(inner) if !part.is_negative() && inner.len() <= MOST_INLINED => {
                    flat.extend(inner);
                }
                _ => flat.push(*part),
            }
        }
        flat
    }

    /// Shortens negated conjunctions by what holds beside them; none if nothing changes.
    fn propagated(&mut self, parts: &[Lit]) -> Result<Option<Vec<Lit>>, TooLarge> {
        let holds = |lit: &Lit| parts.binary_search(lit).is_ok();
        let fails = |lit: &Lit| parts.binary_search(&!*lit).is_ok();
        let mut todo: Vec<(usize, Option<Vec<Lit>>)> = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            let Some(inner) = self.parts(*part).filter(|_| part.is_negative()) else { continue };
            if inner.iter().any(fails) {
                todo.push((at, None));
            } else if inner.iter().any(holds) {
                let rest = inner.iter().filter(|lit| !holds(lit)).copied().collect();
                todo.push((at, Some(rest)));
            }
        }
        if todo.is_empty() {
            return Ok(None);
        }
        let mut result = parts.to_vec();
        for (at, rest) in todo {
            result[at] = match rest {
                None => Lit::TRUE,
                Some(rest) => !self.and(rest)?,
            };
        }
        Ok(Some(result))
    }

    /// Drops negated conjunctions that a smaller one implies.
    fn absorb(&self, parts: &mut Vec<Lit>) {
        let negated: Vec<(Lit, &[Lit])> = parts
            .iter()
            .filter(|part| part.is_negative())
            .filter_map(|part| Some((*part, self.parts(*part)?)))
            .collect();
        if negated.len() > FEW_COMPARED {
            return;
        }
        let absorbed: Vec<Lit> = negated
            .iter()
            .filter(|(_, large)| negated.iter().any(|(_, small)| includes(large, small)))
            .map(|(part, _)| *part)
            .collect();
        parts.retain(|part| !absorbed.contains(part));
    }

    fn store(&mut self, parts: Vec<Lit>) -> Result<Lit, TooLarge> {
        let parts: Box<[Lit]> = parts.into();
        if let Some(node) = self.known.get(&parts) {
            return Ok(Lit(node << 1));
        }
        self.stored += parts.len();
        if self.stored > self.most {
            return Err(TooLarge);
        }
        let height = parts.iter().map(|part| self.heights[part.node()]).max().unwrap_or(0) + 1;
        let node = self.nodes.len() as u32;
        self.nodes.push(Node::And(parts.clone()));
        self.heights.push(height);
        self.known.insert(parts, node);
        Ok(Lit(node << 1))
    }
}

/// Whether a function is better written by the implicants of its negation: it has a literal as implicate, or they
/// are fewer.
fn prefers(no: &[Cube], yes: &[Cube]) -> bool {
    let has_literal = |cubes: &[Cube]| cubes.iter().any(|cube| cube.cares.is_power_of_two());
    match (has_literal(no), has_literal(yes)) {
        (true, false) => true,
        (false, true) => false,
        _ => no.len() < yes.len(),
    }
}

/// Whether `large` has all literals of `small` and more; both are sorted.
fn includes(large: &[Lit], small: &[Lit]) -> bool {
    small.len() < large.len() && small.iter().all(|lit| large.binary_search(lit).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sum that counts leaf by leaf, in two orders.
    #[test]
    fn sums_do_not_depend_on_the_order_of_counting() {
        let mut logic = Logic::new(100_000);
        let leaves: Vec<Lit> = (0..5).map(|_| logic.leaf()).collect();
        let mut counted = |order: &[usize]| {
            let mut sums = vec![Lit::TRUE];
            for at in order {
                let next = (0..=sums.len()).map(|n| {
                    let of = |n: usize| sums.get(n).copied().unwrap_or(Lit::FALSE);
                    let more = if n == 0 { Lit::FALSE } else { of(n - 1) };
                    let (one, zero) = (vec![more, leaves[*at]], vec![of(n), !leaves[*at]]);
                    let both = vec![logic.and(one)?, logic.and(zero)?];
                    logic.or(both)
                });
                sums = next.collect::<Result<Vec<_>, TooLarge>>().expect("small");
            }
            sums
        };
        let one = counted(&[0, 1, 2, 3, 4]);
        assert_eq!(one, counted(&[3, 1, 4, 0, 2]));
        assert_eq!(one.len(), 6);
    }

    #[test]
    fn different_spellings_of_a_formula_are_one_node() {
        let mut logic = Logic::new(1000);
        let [a, b, c] = [logic.leaf(), logic.leaf(), logic.leaf()];
        let flat = logic.and(vec![a, b, c]).expect("small");
        let inner = logic.and(vec![c, b]).expect("small");
        assert_eq!(logic.and(vec![inner, a]), Ok(flat));
        assert_eq!(logic.and(vec![a, inner, b, Lit::TRUE]), Ok(flat));
        // a and (b or not a) and c, absorbed and propagated.
        let either = logic.or(vec![b, !a]).expect("small");
        assert_eq!(logic.and(vec![either, a, c]), Ok(flat));
        // (a and b and c) or (b and c) is b and c.
        assert_eq!(logic.or(vec![flat, inner]), Ok(inner));
        let chain = logic.or(vec![a, b]).expect("small");
        let chain = logic.or(vec![chain, c]).expect("small");
        assert_eq!(logic.or(vec![c, b, a]), Ok(chain));
        assert_eq!(logic.and(vec![!chain, a]), Ok(Lit::FALSE));
        assert_eq!(logic.and(vec![]), Ok(Lit::TRUE));
        assert_eq!(logic.or(vec![a, !a]), Ok(Lit::TRUE));
    }

    #[test]
    fn too_large_formulas_are_refused() {
        let mut logic = Logic::new(5);
        let leaves: Vec<Lit> = (0..6).map(|_| logic.leaf()).collect();
        assert_eq!(logic.and(leaves), Err(TooLarge));
    }
}
