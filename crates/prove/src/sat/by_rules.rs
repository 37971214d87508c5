//! Claims about a state that the ground rules show without a solver ([`super::exclude`]): groups of which at most one
//! holds, and things that never hold together.

use game::{FluentId, Gates, GroundTerm, Move};
use ground::{AtomId, AtomKind, GroundLiteral, GroundProgram};
use rustc_hash::FxHashMap;

use super::exclude::Exclusions;
use crate::ground_property::GroundFormula;
use crate::instances::GroundAtom;

/// The most literals of which it is claimed that they do not all hold.
const MOST_LITERALS: usize = 16;

/// What a claim says, if rules may show it.
enum Claim {
    /// At most one of these holds.
    Apart(Vec<AtomId>),
    /// Not all of these hold.
    Never(Vec<GroundLiteral>),
    /// Something else.
    Other,
}

/// Claims, and which of them may be used for each other.
pub(super) struct ByRules<'g> {
    exclusions: Exclusions<'g>,
    claims: Vec<Claim>,
    atoms: Atoms<'g>,
}

impl<'g> ByRules<'g> {
    /// No claims yet.
    pub(super) fn new(gates: &'g Gates) -> Self {
        let exclusions = Exclusions::new(gates.program());
        Self { exclusions, claims: Vec::new(), atoms: Atoms::new(gates) }
    }

    /// Adds a claim at the next place; if it is `usable` and says that of some atoms at most one holds, other claims may
    /// use that.
    pub(super) fn add(&mut self, formula: &GroundFormula, usable: bool) {
        let claim = self.atoms.claim(formula);
        if let (Claim::Apart(members), true) = (&claim, usable) {
            self.exclusions.add(self.claims.len(), members);
        }
        self.claims.push(claim);
    }

    /// Whether a claim that is not among them follows from those that may be used; if it does, it may be used as well.
    pub(super) fn shows(&mut self, formula: &GroundFormula) -> bool {
        self.add(formula, false);
        let place = self.claims.len() - 1;
        let shown = self.prove(place, &|_| true).is_some();
        if let (true, Claim::Apart(members)) = (shown, &self.claims[place]) {
            self.exclusions.add(place, members);
        }
        shown
    }

    /// The places of the claims from which another one follows in the same state, if rules show that. It does not use
    /// itself.
    pub(super) fn prove(&self, at: usize, assumed: &dyn Fn(usize) -> bool) -> Option<Vec<usize>> {
        let others = |other: usize| other != at && assumed(other);
        match self.claims.get(at)? {
            Claim::Apart(members) => self.exclusions.apart(members, &others),
            Claim::Never(literals) => self.exclusions.never(literals, &others),
            Claim::Other => None,
        }
    }
}

/// The atoms of the ground program that claims speak of.
struct Atoms<'g> {
    program: &'g GroundProgram,
    fluents: FxHashMap<FluentId, AtomId>,
    moves: Vec<FxHashMap<Move, usize>>,
}

impl<'g> Atoms<'g> {
    fn new(gates: &'g Gates) -> Self {
        let program = gates.program();
        let ids = gates.fluents();
        let fluent = |atom: AtomId| match program.kinds[atom.index()] {
            AtomKind::Fluent(fluent) => Some((ids[fluent as usize], atom)),
            _ => None,
        };
        let fluents = program.atoms().filter_map(fluent).collect();
        let numbers = |own: &Vec<Move>| own.iter().copied().zip(0..).collect();
        Self { program, fluents, moves: gates.moves().iter().map(numbers).collect() }
    }

    fn claim(&self, formula: &GroundFormula) -> Claim {
        if let GroundFormula::Count { least: 0, most: Some(1), of } = formula {
            let atom = |part: &GroundFormula| match part {
                GroundFormula::Atom { atom, next: false } => self.atom(atom),
                _ => None,
            };
            return of.iter().map(atom).collect::<Option<_>>().map_or(Claim::Other, Claim::Apart);
        }
        let mut literals = Vec::new();
        match self.all_of(formula, false, &mut literals) {
            Some(()) if literals.len() > 1 => Claim::Never(literals),
            _ => Claim::Other,
        }
    }

    /// A formula, or its negation, as literals that all hold; none if it is something else.
    fn all_of(
        &self,
        formula: &GroundFormula,
        truth: bool,
        literals: &mut Vec<GroundLiteral>,
    ) -> Option<()> {
        match (formula, truth) {
            (GroundFormula::Truth(value), _) => (*value == truth).then_some(()),
            (GroundFormula::Not(inside), _) => self.all_of(inside, !truth, literals),
            (GroundFormula::And(parts), true) | (GroundFormula::Or(parts), false) => {
                parts.iter().try_for_each(|part| self.all_of(part, truth, literals))
            }
            (GroundFormula::Atom { atom, next: false }, _) => {
                let atom = self.atom(atom).filter(|_| literals.len() < MOST_LITERALS)?;
                literals.push(GroundLiteral { atom, negative: !truth });
                Some(())
            }
            _ => None,
        }
    }

    fn atom(&self, atom: &GroundAtom) -> Option<AtomId> {
        match atom {
            GroundAtom::Fluent(fluent) => self.fluents.get(fluent).copied(),
            GroundAtom::Terminal => self.program.terminal,
            GroundAtom::Legal(role, action) => {
                let at = self.moves.get(role.index())?.get(action)?;
                self.program.moves[role.index()][*at].legal
            }
            GroundAtom::Goal(role, value) => self.goal(role.index(), value),
            GroundAtom::Derived(atom) => Some(*atom),
        }
    }

    fn goal(&self, role: usize, value: &GroundTerm) -> Option<AtomId> {
        let own = self.program.goals.get(role)?;
        own.iter().find(|(known, _)| known == value).map(|(_, atom)| *atom)
    }
}
