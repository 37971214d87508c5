//! The bodies of ground rules, all in three flat lists.
//!
//! Programs of millions of rules are normal, so a rule costs its literals and one number, and dropping a
//! program frees three allocations.

use crate::program::{AtomId, GroundLiteral};

/// For each atom the bodies of its rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bodies {
    /// For each atom where its bodies begin; one more at the end.
    starts: Vec<u32>,
    /// For each body where its literals end.
    ends: Vec<u32>,
    literals: Vec<GroundLiteral>,
}

impl Bodies {
    /// Gives each of `atoms` atoms its bodies, in the order given.
    pub fn new(atoms: usize, rules: &[(AtomId, Vec<GroundLiteral>)]) -> Self {
        let mut sorted: Vec<usize> = (0..rules.len()).collect();
        sorted.sort_by_key(|at| rules[*at].0);
        let mut out = Self::default();
        let mut at = 0;
        for atom in 0..atoms {
            while at < sorted.len() && rules[sorted[at]].0.index() == atom {
                out.push(&rules[sorted[at]].1);
                at += 1;
            }
            out.close();
        }
        out
    }

    /// Room for that many atoms, bodies and literals.
    pub(crate) fn with_capacity(atoms: usize, bodies: usize, literals: usize) -> Self {
        Self {
            starts: Vec::with_capacity(atoms + 1),
            ends: Vec::with_capacity(bodies),
            literals: Vec::with_capacity(literals),
        }
    }

    /// Adds a body to the atom that is being filled.
    pub(crate) fn push(&mut self, body: &[GroundLiteral]) {
        self.open();
        self.literals.extend_from_slice(body);
        self.ends.push(self.literals.len() as u32);
    }

    /// The atom that is being filled has all its bodies; the next one follows.
    pub(crate) fn close(&mut self) {
        self.open();
        self.starts.push(self.ends.len() as u32);
    }

    fn open(&mut self) {
        if self.starts.is_empty() {
            self.starts.push(0);
        }
    }

    /// The number of atoms.
    pub fn atoms(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The number of bodies.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The number of literals.
    pub fn literal_count(&self) -> usize {
        self.literals.len()
    }

    /// The bodies of an atom.
    pub fn of(
        &self,
        atom: AtomId,
    ) -> impl ExactSizeIterator<Item = &[GroundLiteral]> + DoubleEndedIterator + Clone + '_ {
        let bounds = self.starts.get(atom.index()..atom.index() + 2);
        let (first, last) = bounds.map_or((0, 0), |b| (b[0] as usize, b[1] as usize));
        (first..last).map(|at| self.body(at))
    }

    /// The body of an atom with a number, counted from 0.
    pub fn nth(&self, atom: AtomId, at: usize) -> Option<&[GroundLiteral]> {
        let bounds = self.starts.get(atom.index()..atom.index() + 2)?;
        let (first, last) = (bounds[0] as usize, bounds[1] as usize);
        (at < last - first).then(|| self.body(first + at))
    }

    /// All literals of all bodies of an atom, one after the other.
    pub fn literals_of(&self, atom: AtomId) -> &[GroundLiteral] {
        let Some(bounds) = self.starts.get(atom.index()..atom.index() + 2) else { return &[] };
        &self.literals[self.begin(bounds[0] as usize)..self.begin(bounds[1] as usize)]
    }

    fn begin(&self, body: usize) -> usize {
        if body == 0 { 0 } else { self.ends[body - 1] as usize }
    }

    fn body(&self, at: usize) -> &[GroundLiteral] {
        &self.literals[self.begin(at)..self.ends[at] as usize]
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> usize {
        (self.starts.len() + self.ends.len()) * 4 + self.literals.len() * size_of::<GroundLiteral>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_come_back_with_their_atoms() {
        let literal = |atom| GroundLiteral { atom: AtomId(atom), negative: atom % 2 == 1 };
        let rules = vec![
            (AtomId(2), vec![literal(0), literal(1)]),
            (AtomId(0), vec![]),
            (AtomId(2), vec![literal(3)]),
        ];
        let bodies = Bodies::new(4, &rules);
        assert_eq!((bodies.atoms(), bodies.len(), bodies.literal_count()), (4, 3, 3));
        let of = |atom| bodies.of(AtomId(atom)).map(<[GroundLiteral]>::to_vec).collect::<Vec<_>>();
        assert_eq!(of(0), [vec![]]);
        assert!(of(1).is_empty() && of(3).is_empty() && of(9).is_empty());
        assert_eq!(of(2), [vec![literal(0), literal(1)], vec![literal(3)]]);
        assert_eq!(bodies.nth(AtomId(2), 1), Some(&[literal(3)][..]));
        assert_eq!((bodies.nth(AtomId(2), 2), bodies.nth(AtomId(7), 0)), (None, None));
        assert_eq!(bodies.literals_of(AtomId(2)), [literal(0), literal(1), literal(3)]);
    }
}
