//! Symmetric properties are proved once (thesis §8.4).
//!
//! An automorphism of the rules that keeps the initial state takes matches to matches, hence reachable states to reachable
//! states and legal moves in them to legal moves. So if a property holds in all of them, its image does: the image
//! of a state in which the image of the property failed, under the inverse, would be a reachable state in which the
//! property fails. The proof goes along: the images of facts that prove each other by induction do so, too. And
//! the image of a match that refutes a property refutes the image of the property.
//!
//! Who finds automorphisms is not known here ([`Automorphism`]); that the initial state is kept is checked.
//! Properties are compared by keys of 128 bits that do not depend on the order of conjunctions, disjunctions and
//! counts; images of proofs have certificates of their own, which are checked like all others.

mod derived;

use std::sync::{Arc, OnceLock};

use game::{FluentId, Gates, GroundTerm, JointMove, Move, Role, State};
use ground::AtomId;
use rustc_hash::FxHashMap;

use crate::check;
use crate::ground_property::{GroundFormula, GroundProperty};
use crate::instances::GroundAtom;
use crate::verdict::{Certificate, Engine, Inductive, Verdict};

/// A symmetry of the rules (thesis Def. 8.1). What it does not know has no image.
pub trait Automorphism {
    /// Where it takes a fluent.
    fn fluent(&self, fluent: FluentId) -> Option<FluentId>;

    /// Where it takes a move of a role.
    fn action(&self, role: Role, action: Move) -> Option<(Role, Move)>;

    /// Where it takes a role.
    fn role(&self, role: Role) -> Role;
}

/// An automorphism with where it takes derived atoms, worked out when that is asked for.
struct Turn {
    by: Box<dyn Automorphism + Send>,
    derived: OnceLock<Vec<Option<AtomId>>>,
}

/// Which properties are images of each other.
#[derive(Default)]
pub struct Orbits {
    gates: Option<Gates>,
    automorphisms: Vec<Turn>,
    /// The second property is the image of the first under the automorphism at this place.
    pairs: Vec<(usize, usize, usize)>,
}

/// Formulas with more nodes in all are not compared.
const MOST_NODES: usize = 20_000_000;

impl Orbits {
    /// Compares ground properties with their images. Automorphisms that do not keep the initial state are left out.
    pub fn new(
        initial: &State,
        gates: Option<&Gates>,
        properties: &[Option<&GroundProperty>],
        automorphisms: Vec<Box<dyn Automorphism + Send>>,
    ) -> Self {
        let keeps = |one: &dyn Automorphism| {
            let image = initial.iter().map(|fluent| one.fluent(fluent)).collect::<Option<State>>();
            image.as_ref() == Some(initial)
        };
        let kept = automorphisms.into_iter().filter(|one| keeps(&**one));
        let mut automorphisms: Vec<Turn> =
            kept.map(|by| Turn { by, derived: OnceLock::new() }).collect();
        let nodes: usize = properties.iter().flatten().map(|p| size(&p.formula)).sum();
        automorphisms.truncate(MOST_NODES / nodes.max(1));
        let same = |atom: &GroundAtom| Some(atom.clone());
        let mut places: FxHashMap<u128, usize> = FxHashMap::default();
        for (at, property) in properties.iter().enumerate() {
            if let Some(key) = property.and_then(|property| key_of(property, &same)) {
                places.entry(key).or_insert(at);
            }
        }
        let mut pairs = Vec::new();
        for (number, one) in automorphisms.iter().enumerate() {
            let image = |atom: &GroundAtom| image_of(&*one.by, atom, &|_| None);
            for (at, property) in properties.iter().enumerate() {
                let key = property.and_then(|property| key_of(property, &image));
                if let Some(to) = key.and_then(|key| places.get(&key)).filter(|to| **to != at) {
                    pairs.push((at, *to, number));
                }
            }
        }
        Self { gates: gates.cloned(), automorphisms, pairs }
    }

    /// Whether every property is its own.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// For each of so many properties whether another one before it is symmetric to it.
    pub fn left_out(&self, properties: usize) -> Vec<bool> {
        let mut first: Vec<usize> = (0..properties).collect();
        // Pairs lead round in circles, so that the least place gets everywhere.
        let mut changed = true;
        while changed {
            changed = false;
            for (from, to, _) in &self.pairs {
                let least = first[*from].min(first[*to]);
                changed |= first[*from] != least || first[*to] != least;
                (first[*from], first[*to]) = (least, least);
            }
        }
        first.iter().enumerate().map(|(at, first)| at != *first).collect()
    }

    /// Hands verdicts on to the images of properties that are decided; the places of those that got one.
    pub fn hand_on(
        &self,
        properties: &[Option<&GroundProperty>],
        verdicts: &mut [Verdict],
    ) -> Vec<usize> {
        let mut decided = Vec::new();
        let mut changed = true;
        while changed {
            changed = false;
            for (from, to, number) in &self.pairs {
                if verdicts[*from].is_decided() && !verdicts[*to].is_decided() {
                    let turn = &self.automorphisms[*number];
                    let derived = |atom: AtomId| {
                        let gates = self.gates.as_ref()?;
                        let all = turn.derived.get_or_init(|| derived::images(gates, &*turn.by));
                        *all.get(atom.index())?
                    };
                    let image = Image { by: &*turn.by, derived: &derived };
                    if let Some(verdict) = image.of_verdict(properties, verdicts, *from) {
                        verdicts[*to] = verdict;
                        decided.push(*to);
                        changed = true;
                    }
                }
            }
        }
        decided
    }
}

/// Images of all that verdicts consist of.
struct Image<'a> {
    by: &'a dyn Automorphism,
    derived: &'a dyn Fn(AtomId) -> Option<AtomId>,
}

impl Image<'_> {
    /// The verdict about the image of a property.
    fn of_verdict(
        &self,
        properties: &[Option<&GroundProperty>],
        verdicts: &[Verdict],
        from: usize,
    ) -> Option<Verdict> {
        match &verdicts[from] {
            Verdict::Proved { k, .. } => {
                let facts = check::certificate(properties, verdicts, from);
                let facts = facts.and_then(|facts| self.of_facts(&facts));
                let certificate = facts.map(|facts| Certificate::Inductive(Arc::new(facts)));
                let (engine, hypotheses) = (Engine::Symmetry, vec![from]);
                Some(Verdict::Proved { engine, k: *k, hypotheses, seconds: 0.0, certificate })
            }
            Verdict::Refuted { trace, .. } => {
                let trace = trace.iter().map(|joint| self.of_joint(joint)).collect::<Option<_>>();
                Some(Verdict::Refuted { engine: Engine::Symmetry, trace: trace?, seconds: 0.0 })
            }
            Verdict::Unknown { .. } => None,
        }
    }

    fn of_joint(&self, joint: &JointMove) -> Option<JointMove> {
        let mut image = joint.clone();
        for (role, action) in joint.0.iter().enumerate() {
            let (role, action) = self.by.action(Role(role as u32), *action)?;
            *image.0.get_mut(role.index())? = action;
        }
        Some(image)
    }

    fn of_facts(&self, facts: &Inductive) -> Option<Inductive> {
        let images = facts.facts.iter().map(|fact| self.of_formula(fact));
        Some(Inductive { facts: images.collect::<Option<_>>()?, k: facts.k, simple: facts.simple })
    }

    fn of_formula(&self, formula: &GroundFormula) -> Option<GroundFormula> {
        let all = |parts: &[GroundFormula]| {
            parts.iter().map(|part| self.of_formula(part)).collect::<Option<Vec<_>>>()
        };
        Some(match formula {
            GroundFormula::Truth(truth) => GroundFormula::Truth(*truth),
            GroundFormula::Atom { atom, next } => {
                GroundFormula::Atom { atom: image_of(self.by, atom, self.derived)?, next: *next }
            }
            GroundFormula::Not(part) => GroundFormula::Not(Box::new(self.of_formula(part)?)),
            GroundFormula::And(parts) => GroundFormula::And(all(parts)?),
            GroundFormula::Or(parts) => GroundFormula::Or(all(parts)?),
            GroundFormula::Count { least, most, of } => {
                GroundFormula::Count { least: *least, most: *most, of: all(of)? }
            }
        })
    }
}

fn image_of(
    one: &dyn Automorphism,
    atom: &GroundAtom,
    derived: &dyn Fn(AtomId) -> Option<AtomId>,
) -> Option<GroundAtom> {
    Some(match atom {
        GroundAtom::Fluent(fluent) => GroundAtom::Fluent(one.fluent(*fluent)?),
        GroundAtom::Legal(role, action) => {
            let (role, action) = one.action(*role, *action)?;
            GroundAtom::Legal(role, action)
        }
        GroundAtom::Terminal => GroundAtom::Terminal,
        // Symmetries keep goal values; relations that are watched as such have arguments, which they need not keep.
        GroundAtom::Goal(role, value @ GroundTerm::Constant(_)) => {
            GroundAtom::Goal(one.role(*role), value.clone())
        }
        GroundAtom::Goal(_, GroundTerm::Function(..)) => return None,
        GroundAtom::Derived(atom) => GroundAtom::Derived(derived(*atom)?),
    })
}

fn size(formula: &GroundFormula) -> usize {
    1 + match formula {
        GroundFormula::Truth(_) | GroundFormula::Atom { .. } => 0,
        GroundFormula::Not(part) => size(part),
        GroundFormula::And(parts) | GroundFormula::Or(parts) => parts.iter().map(size).sum(),
        GroundFormula::Count { of, .. } => of.iter().map(size).sum(),
    }
}

/// A key of a property whose atoms are replaced, whatever the order of its parts; none if an atom has no image.
fn key_of(
    property: &GroundProperty,
    image: &dyn Fn(&GroundAtom) -> Option<GroundAtom>,
) -> Option<u128> {
    let key = key_of_formula(&property.formula, image)?;
    Some(mix(key, 90 + u128::from(property.about_moves)))
}

fn key_of_formula(
    formula: &GroundFormula,
    image: &dyn Fn(&GroundAtom) -> Option<GroundAtom>,
) -> Option<u128> {
    let all = |parts: &[GroundFormula]| {
        parts
            .iter()
            .try_fold(parts.len() as u128, |sum: u128, part| {
                Some(sum.wrapping_add(key_of_formula(part, image)?))
            })
            .map(|sum| mix(sum, 77))
    };
    Some(match formula {
        GroundFormula::Truth(truth) => mix(u128::from(*truth), 1),
        GroundFormula::Atom { atom, next } => {
            mix(key_of_atom(&image(atom)?), 2 + u128::from(*next))
        }
        GroundFormula::Not(part) => mix(key_of_formula(part, image)?, 4),
        GroundFormula::And(parts) => mix(all(parts)?, 5),
        GroundFormula::Or(parts) => mix(all(parts)?, 6),
        GroundFormula::Count { least, most, of } => {
            let bounds = u128::from(*least) << 40 | most.map_or(1 << 39, u128::from);
            mix(all(of)?, 7 + (bounds << 8))
        }
    })
}

fn key_of_atom(atom: &GroundAtom) -> u128 {
    match atom {
        GroundAtom::Fluent(fluent) => mix(u128::from(fluent.0), 11),
        GroundAtom::Legal(role, action) => mix(u128::from(role.0) << 40 | u128::from(action.0), 12),
        GroundAtom::Terminal => mix(0, 13),
        GroundAtom::Goal(role, value) => mix(key_of_term(value), 14 + (u128::from(role.0) << 8)),
        GroundAtom::Derived(atom) => mix(u128::from(atom.0), 15),
    }
}

fn key_of_term(term: &GroundTerm) -> u128 {
    match term {
        GroundTerm::Constant(name) => mix(u128::from(name.0), 21),
        GroundTerm::Function(name, args) => {
            let start = mix(u128::from(name.0), 22);
            args.iter().fold(start, |key, arg| mix(key ^ key_of_term(arg), 23))
        }
    }
}

/// Two rounds of multiplication and rotation on 128 bits.
fn mix(key: u128, with: u128) -> u128 {
    const ODD: u128 = 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835;
    let mut mixed = (key ^ with.wrapping_mul(ODD)).wrapping_mul(ODD);
    mixed ^= mixed >> 61;
    mixed = mixed.wrapping_mul(ODD | 1 << 70);
    mixed ^ mixed >> 67
}
