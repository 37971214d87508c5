//! Propositional logic in a form that depends little on how the rules were written: conjunctions of literals,
//! flat, sorted, each stored once. A disjunction is the negation of a conjunction of negations, so
//! chains of helper relations, double negations, repeated and absorbed rules leave no trace.
//!
//! Rewriting looks only at the structure, never at numbers, so that symmetric formulas stay symmetric.

use rustc_hash::FxHashMap;

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

/// Formulas, each stored once.
#[derive(Debug)]
pub struct Logic {
    nodes: Vec<Node>,
    heights: Vec<u32>,
    known: FxHashMap<Box<[Lit]>, u32>,
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
            _ => self.store(parts),
        }
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

/// Whether `large` has all literals of `small` and more; both are sorted.
fn includes(large: &[Lit], small: &[Lit]) -> bool {
    small.len() < large.len() && small.iter().all(|lit| large.binary_search(lit).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

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
