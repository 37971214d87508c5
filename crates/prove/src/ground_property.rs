//! Properties without variables: quantifiers become conjunctions, disjunctions and counts over all instances that can
//! matter.
//!
//! A variable ranges over the values that can stand where it occurs (thesis §7.3). Where a fluent or relation guards
//! the formula, only its instances are looked at, since all others make it true (or do not count) anyway.

use std::fmt;

use game::GroundTerm;
use gdl::Relation;
use ground::Place;
use rustc_hash::FxHashMap;
use structure::Functor;

use crate::instances::{GroundAtom, Instances, Key, Rows};
use crate::property::{Atom, Formula, Property, Term, Variable};
use crate::vocabulary::{Depends, GOAL, LEGAL, Vocabulary};

/// A formula without variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GroundFormula {
    /// Always, or never.
    Truth(bool),
    /// The atom holds, now or after the move.
    Atom {
        /// What.
        atom: GroundAtom,
        /// After the move.
        next: bool,
    },
    /// It does not hold.
    Not(Box<GroundFormula>),
    /// All hold.
    And(Vec<GroundFormula>),
    /// One holds.
    Or(Vec<GroundFormula>),
    /// At least `least` and at most `most` of these hold.
    Count {
        /// The least number.
        least: u32,
        /// The greatest, if there is one.
        most: Option<u32>,
        /// Of these.
        of: Vec<GroundFormula>,
    },
}

/// A property without variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroundProperty {
    /// What is claimed.
    pub formula: GroundFormula,
    /// It is claimed of every legal joint move in a reachable state that is not terminal, rather than of every
    /// reachable state.
    pub about_moves: bool,
}

/// Why a property was not made ground.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GroundError {
    /// There are too many instances of something.
    TooLarge(String),
    /// A variable occurs in no fluent or relation, so nothing tells its values.
    NoValues(String),
}

impl fmt::Display for GroundError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge(what) => write!(f, "the property has too many instances: {what}"),
            Self::NoValues(name) => {
                write!(f, "the variable {name} occurs in no fluent or relation")
            }
        }
    }
}

impl std::error::Error for GroundError {}

/// The most nodes of a ground property.
const MOST_NODES: usize = 3_000_000;
/// The most values of a variable.
const MOST_VALUES: usize = 100_000;

/// Makes properties of one game ground.
pub struct Grounder<'a> {
    vocabulary: &'a Vocabulary,
    instances: &'a Instances,
    statics: FxHashMap<Relation, Option<Rows>>,
}

impl<'a> Grounder<'a> {
    /// A grounder over these instances.
    pub fn new(vocabulary: &'a Vocabulary, instances: &'a Instances) -> Self {
        Self { vocabulary, instances, statics: FxHashMap::default() }
    }

    /// Makes a property ground.
    pub fn ground(&mut self, property: &Property) -> Result<GroundProperty, GroundError> {
        if let Some(missing) = self.instances.missing() {
            return Err(GroundError::TooLarge(missing.to_owned()));
        }
        let mut relations = Vec::new();
        property.formula.each_atom(&mut |atom| {
            if let Atom::Relation(relation, _) = atom {
                relations.push(*relation);
            }
        });
        for relation in relations {
            self.load(relation)?;
        }
        let mut work = Work {
            grounder: self,
            property,
            values: vec![None; property.variables.len()],
            nodes: 0,
            next: false,
        };
        let formula = work.formula(&property.formula)?;
        Ok(GroundProperty { formula, about_moves: property.is_about_moves() })
    }

    fn load(&mut self, relation: Relation) -> Result<(), GroundError> {
        let known = self.instances.rows(Key::Relation(relation)).is_some();
        if known || self.vocabulary.depends(relation) != Depends::Never {
            return Ok(());
        }
        let vocabulary = self.vocabulary;
        let found = self.statics.entry(relation);
        let rows = found.or_insert_with(|| Instances::of_static(vocabulary, relation));
        match rows {
            Some(_) => Ok(()),
            None => Err(GroundError::TooLarge(vocabulary.name(relation.name).to_owned())),
        }
    }

    fn rows(&self, key: Key) -> Option<&Rows> {
        self.instances.rows(key).or_else(|| match key {
            Key::Relation(relation) => self.statics.get(&relation)?.as_ref(),
            Key::Fluent(_) => None,
        })
    }
}

struct Work<'w, 'a> {
    grounder: &'w Grounder<'a>,
    property: &'w Property,
    values: Vec<Option<GroundTerm>>,
    nodes: usize,
    next: bool,
}

type Grounded = Result<GroundFormula, GroundError>;
type Assignments = Vec<Vec<(Variable, GroundTerm)>>;

impl Work<'_, '_> {
    fn formula(&mut self, formula: &Formula) -> Grounded {
        self.nodes += 1;
        if self.nodes > MOST_NODES {
            return Err(GroundError::TooLarge(format!("more than {MOST_NODES} parts")));
        }
        Ok(match formula {
            Formula::Truth(value) => GroundFormula::Truth(*value),
            Formula::Atom(atom) => self.atom(atom),
            Formula::Compare(left, comparison, right) => {
                let vocabulary = self.grounder.vocabulary;
                GroundFormula::Truth(crate::compare::holds(
                    left,
                    *comparison,
                    right,
                    &self.values,
                    vocabulary,
                ))
            }
            Formula::Not(inside) => self.formula(inside)?.negated(),
            Formula::And(parts) => GroundFormula::all(self.list(parts)?),
            Formula::Or(parts) => GroundFormula::any(self.list(parts)?),
            Formula::Implies(a, b) => {
                let condition = self.formula(a)?;
                if condition == GroundFormula::Truth(false) {
                    return Ok(GroundFormula::Truth(true));
                }
                GroundFormula::any(vec![condition.negated(), self.formula(b)?])
            }
            Formula::Iff(a, b) => {
                let (a, b) = (self.formula(a)?, self.formula(b)?);
                let both = GroundFormula::all(vec![a.clone(), b.clone()]);
                let none = GroundFormula::all(vec![a.negated(), b.negated()]);
                GroundFormula::any(vec![both, none])
            }
            Formula::ForAll(variables, body) => {
                GroundFormula::all(self.each(variables, body, false)?)
            }
            Formula::Count { least, most, variables, body } => {
                GroundFormula::count(*least, *most, self.each(variables, body, true)?)
            }
            Formula::Next(inside) => {
                let before = std::mem::replace(&mut self.next, true);
                let found = self.formula(inside);
                self.next = before;
                found?
            }
        })
    }

    fn list(&mut self, parts: &[Formula]) -> Result<Vec<GroundFormula>, GroundError> {
        parts.iter().map(|part| self.formula(part)).collect()
    }

    /// The instances of a body for all values of variables that can matter: those that may make it true, or those
    /// that may make it false.
    fn each(
        &mut self,
        variables: &[Variable],
        body: &Formula,
        truth: bool,
    ) -> Result<Vec<GroundFormula>, GroundError> {
        let before: Vec<Option<GroundTerm>> =
            variables.iter().map(|v| self.values[*v as usize].take()).collect();
        let mut found = Vec::new();
        for assignment in self.assignments(variables, body, truth)? {
            for (variable, value) in assignment {
                self.values[variable as usize] = Some(value);
            }
            found.push(self.formula(body)?);
        }
        for (variable, value) in variables.iter().zip(before) {
            self.values[*variable as usize] = value;
        }
        Ok(found)
    }

    fn assignments(
        &mut self,
        variables: &[Variable],
        body: &Formula,
        truth: bool,
    ) -> Result<Assignments, GroundError> {
        let mut guards = Vec::new();
        collect_guards(body, truth, &mut guards);
        let mut all: Assignments = vec![Vec::new()];
        let mut open: Vec<Variable> = variables.to_vec();
        while !open.is_empty() {
            let useful = |atom: &&Atom| occurs(atom, &open);
            if let Some(atom) = guards.iter().copied().find(useful) {
                all = self.join(&all, atom, variables)?;
                open.retain(|v| !occurs(atom, &[*v]));
            } else {
                let variable = open.remove(0);
                let range = self.range(variable, body)?;
                self.check(all.len().saturating_mul(range.len()))?;
                let extend = |row: &Vec<(Variable, GroundTerm)>, value: &GroundTerm| {
                    let mut row = row.clone();
                    row.push((variable, value.clone()));
                    row
                };
                all = all
                    .iter()
                    .flat_map(|row| range.iter().map(move |value| extend(row, value)))
                    .collect();
            }
        }
        Ok(all)
    }

    fn check(&self, more: usize) -> Result<(), GroundError> {
        if self.nodes.saturating_add(more) > MOST_NODES {
            Err(GroundError::TooLarge(format!("more than {MOST_NODES} parts")))
        } else {
            Ok(())
        }
    }

    /// Extends assignments by the instances of an atom.
    fn join(
        &mut self,
        all: &Assignments,
        atom: &Atom,
        variables: &[Variable],
    ) -> Result<Assignments, GroundError> {
        let (key, args) = key_of(atom);
        let mut found: Assignments = Vec::new();
        for assignment in all {
            for (variable, value) in assignment {
                self.values[*variable as usize] = Some(value.clone());
            }
            let known: Vec<Option<GroundTerm>> =
                args.iter().map(|arg| arg.ground(&self.values)).collect();
            let rows = self.grounder.rows(key).map_or(Vec::new(), |rows| rows.matching(&known));
            for (row, _) in rows {
                let mut bound = assignment.clone();
                let mut values = self.values.clone();
                let fits = args
                    .iter()
                    .zip(row)
                    .all(|(arg, value)| unify(arg, value, &mut values, &mut bound));
                if fits && row.len() == args.len() {
                    found.push(bound);
                }
            }
            self.check(found.len())?;
            for variable in variables {
                self.values[*variable as usize] = None;
            }
        }
        Ok(found)
    }

    /// The values of a variable: all that can stand at a place where it occurs.
    fn range(&self, variable: Variable, body: &Formula) -> Result<Vec<GroundTerm>, GroundError> {
        let mut places = Vec::new();
        body.each_atom(&mut |atom| {
            let (key, args) = key_of(atom);
            let place = |at: u32| match key {
                Key::Fluent(fluent) => fluent.place(at as usize),
                Key::Relation(relation) => Place::relation(relation, at),
            };
            args.iter().zip(0..).for_each(|(arg, at)| find(arg, place(at), variable, &mut places));
        });
        let name = || self.property.variables[variable as usize].clone();
        if places.is_empty() {
            return Err(GroundError::NoValues(name()));
        }
        places.sort_unstable();
        places.dedup();
        let mut values = Vec::new();
        for place in places {
            values.extend(self.values_at(place).ok_or_else(|| {
                GroundError::TooLarge(format!("the values of the variable {}", name()))
            })?);
        }
        values.sort_unstable();
        values.dedup();
        Ok(values)
    }

    fn values_at(&self, place: Place) -> Option<Vec<GroundTerm>> {
        let listed = [LEGAL, GOAL].into_iter().find(|r| place.owner == ground::Owner::Relation(*r));
        match listed {
            Some(relation) => {
                let rows = self.grounder.rows(Key::Relation(relation));
                let column = |rows: &Rows| {
                    rows.rows.iter().map(|(row, _)| row[place.argument as usize].clone()).collect()
                };
                Some(rows.map_or(Vec::new(), column))
            }
            None => self.grounder.vocabulary.values(place, MOST_VALUES),
        }
    }

    fn atom(&self, atom: &Atom) -> GroundFormula {
        let (key, args) = key_of(atom);
        let known: Vec<Option<GroundTerm>> =
            args.iter().map(|arg| arg.ground(&self.values)).collect();
        let rows = self.grounder.rows(key).map_or(Vec::new(), |rows| rows.matching(&known));
        let same = |row: &[GroundTerm]| {
            row.len() == known.len() && row.iter().zip(&known).all(|(a, b)| b.as_ref() == Some(a))
        };
        match rows.into_iter().find(|(row, _)| same(row)) {
            Some((_, Some(atom))) => GroundFormula::Atom { atom: atom.clone(), next: self.next },
            Some((_, None)) => GroundFormula::Truth(true),
            None => GroundFormula::Truth(false),
        }
    }
}

/// The atoms of which an instance must hold for a formula to have a truth value.
fn collect_guards<'f>(formula: &'f Formula, truth: bool, found: &mut Vec<&'f Atom>) {
    match (formula, truth) {
        (Formula::Atom(atom), true) => found.push(atom),
        (Formula::Not(inside), _) => collect_guards(inside, !truth, found),
        (Formula::And(parts), true) | (Formula::Or(parts), false) => {
            for part in parts {
                collect_guards(part, truth, found);
            }
        }
        (Formula::Implies(a, b), false) => {
            collect_guards(a, true, found);
            collect_guards(b, false, found);
        }
        (Formula::Next(inside), _) => collect_guards(inside, truth, found),
        _ => {}
    }
}

fn occurs(atom: &Atom, variables: &[Variable]) -> bool {
    let mut found = false;
    atom.terms().iter().for_each(|t| t.each_variable(&mut |v| found |= variables.contains(&v)));
    found
}

/// Where instances of an atom are found, and its arguments there.
fn key_of(atom: &Atom) -> (Key, &[Term]) {
    match atom {
        Atom::Relation(relation, args) => (Key::Relation(*relation), args),
        Atom::Fluent(Term::Function(name, args)) => {
            (Key::Fluent(Functor { name: *name, arity: args.len() as u32, parens: true }), args)
        }
        Atom::Fluent(Term::Constant(name)) => {
            (Key::Fluent(Functor { name: *name, arity: 0, parens: false }), &[])
        }
        // Nothing that can be written; it has no instances.
        Atom::Fluent(Term::Variable(_) | Term::Number(_)) => {
            let name = gdl::keyword::NOT;
            (Key::Fluent(Functor { name, arity: u32::MAX, parens: false }), &[])
        }
    }
}

fn unify(
    term: &Term,
    value: &GroundTerm,
    values: &mut [Option<GroundTerm>],
    bound: &mut Vec<(Variable, GroundTerm)>,
) -> bool {
    match (term, value) {
        (Term::Variable(v), _) => {
            if let Some(known) = &values[*v as usize] {
                known == value
            } else {
                values[*v as usize] = Some(value.clone());
                bound.push((*v, value.clone()));
                true
            }
        }
        (Term::Constant(a), GroundTerm::Constant(b)) => a == b,
        (Term::Function(a, args), GroundTerm::Function(b, parts)) => {
            a == b
                && args.len() == parts.len()
                && args.iter().zip(parts).all(|(arg, part)| unify(arg, part, values, bound))
        }
        _ => false,
    }
}

fn find(term: &Term, place: Place, variable: Variable, found: &mut Vec<Place>) {
    match term {
        Term::Variable(v) if *v == variable => found.push(place),
        Term::Function(name, args) => {
            let arity = args.len() as u32;
            for (arg, at) in args.iter().zip(0..) {
                find(arg, Place::function(*name, arity, at), variable, found);
            }
        }
        _ => {}
    }
}

impl GroundFormula {
    /// Not this.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::Truth(value) => Self::Truth(!value),
            Self::Not(inside) => *inside,
            other => Self::Not(Box::new(other)),
        }
    }

    /// All of these.
    pub fn all(parts: Vec<Self>) -> Self {
        let mut kept = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Self::Truth(true) => {}
                Self::Truth(false) => return Self::Truth(false),
                Self::And(inside) => kept.extend(inside),
                other => kept.push(other),
            }
        }
        match kept.len() {
            0 => Self::Truth(true),
            1 => kept.remove(0),
            _ => Self::And(kept),
        }
    }

    /// One of these.
    pub fn any(parts: Vec<Self>) -> Self {
        let mut kept = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Self::Truth(false) => {}
                Self::Truth(true) => return Self::Truth(true),
                Self::Or(inside) => kept.extend(inside),
                other => kept.push(other),
            }
        }
        match kept.len() {
            0 => Self::Truth(false),
            1 => kept.remove(0),
            _ => Self::Or(kept),
        }
    }

    /// A number of these.
    pub fn count(least: u32, most: Option<u32>, parts: Vec<Self>) -> Self {
        let certain = parts.iter().filter(|part| **part == Self::Truth(true)).count() as u32;
        let of: Vec<Self> =
            parts.into_iter().filter(|part| !matches!(part, Self::Truth(_))).collect();
        let least = least.saturating_sub(certain);
        let most = match most {
            Some(most) if most < certain => return Self::Truth(false),
            Some(most) => Some(most - certain).filter(|most| (*most as usize) < of.len()),
            None => None,
        };
        if least as usize > of.len() || most.is_some_and(|most| most < least) {
            return Self::Truth(false);
        }
        match (least, most) {
            (0, None) => Self::Truth(true),
            (1, None) => Self::any(of),
            (0, Some(0)) => Self::any(of).negated(),
            (least, None) if least as usize == of.len() => Self::all(of),
            _ => Self::Count { least, most, of },
        }
    }
}
