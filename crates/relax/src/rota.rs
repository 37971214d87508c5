//! Whose turn it is in the steps to come, where the rules settle that whatever is done.
//!
//! In a relaxed planning graph it is soon everybody's turn for ever, so that a role seems to move in every step. If
//! the fluents that tell the turn change by themselves, their values in each step to come are known, and an action
//! that asks for them can be made in these steps only. That makes the first layer of an end a much better bound.

use game::{FluentId, Game, GroundProgram, State};
use ground::{AtomId, AtomKind};

use crate::formula::{Atom, Formula, FormulaId, Formulas};
use crate::operators::Operators;

/// The most fluents that tell whose turn it is.
const MOST: usize = 8;

/// The roles that may act in a step, as bits.
pub(crate) type Acting = u32;

/// Who may act when.
#[derive(Clone, Debug)]
pub(crate) struct Rota {
    fluents: Vec<FluentId>,
    /// For each set of these fluents the set in the next step.
    next: Vec<u32>,
    /// For each set who may act.
    acting: Vec<Acting>,
    /// For each operator its role, if it can be made in that role's turn only.
    pub(crate) bound: Vec<Option<u32>>,
}

impl Rota {
    /// None where nothing is known about turns, or where they depend on what is done.
    pub(crate) fn new(game: &Game, program: &GroundProgram, operators: &Operators) -> Option<Self> {
        let whose = &operators.waits.whose;
        let all: Vec<u32> = whose.iter().flatten().copied().collect();
        if all.is_empty() || all.len() > MOST || whose.len() > Acting::BITS as usize {
            return None;
        }
        let moved = |fluent: &u32| {
            let mut effects = operators.list.iter().flat_map(|operator| &operator.effects);
            effects.any(|effect| effect.fluent == *fluent)
        };
        if all.iter().any(moved) {
            return None;
        }
        let sets = 0..1u32 << all.len();
        let next = sets.clone().map(|set| after(operators, &all, set)).collect::<Option<_>>()?;
        let on = |set: u32, fluent: &u32| {
            all.iter().position(|f| f == fluent).is_some_and(|at| set >> at & 1 == 1)
        };
        let acting = |set: u32| {
            let may =
                |(role, own): (usize, &Vec<u32>)| u32::from(own.iter().any(|f| on(set, f))) << role;
            whose.iter().enumerate().map(may).fold(0, |all, one| all | one)
        };
        let asks: Vec<Vec<bool>> = whose.iter().map(|own| implies(program, own)).collect();
        let bound = operators.list.iter().map(|operator| {
            let ((role, _), legal) = (operator.actor?, operator.legal?);
            asks[role as usize][legal.index()].then_some(role)
        });
        let universe = game.universe();
        Some(Self {
            fluents: all.iter().map(|f| universe.fluent(&program.fluents[*f as usize])).collect(),
            next,
            acting: sets.map(acting).collect(),
            bound: bound.collect(),
        })
    }

    /// The turn in a state.
    pub(crate) fn turn(&self, state: &State) -> Turn {
        let holds = |(at, fluent): (usize, &FluentId)| u32::from(state.contains(*fluent)) << at;
        Turn(self.fluents.iter().enumerate().map(holds).fold(0, |all, one| all | one))
    }

    /// Who may act in a turn.
    pub(crate) fn acting(&self, turn: Turn) -> Acting {
        self.acting[turn.0 as usize]
    }

    /// The turn after it.
    pub(crate) fn after(&self, turn: Turn) -> Turn {
        Turn(self.next[turn.0 as usize])
    }

    /// After so many steps turns are the same again, or have been.
    pub(crate) fn period(&self) -> usize {
        self.next.len()
    }

    /// The steps after which a role has made so many moves; none if that is more than `most`.
    pub(crate) fn steps(&self, begin: Turn, role: u32, moves: u32, most: u32) -> Option<u32> {
        let (mut turn, mut left) = (begin, moves);
        for step in 0..=most {
            if left == 0 {
                return Some(step);
            }
            left -= self.acting(turn) >> role & 1;
            turn = self.after(turn);
        }
        None
    }
}

/// The fluents that tell the turn, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn(u32);

/// The set of fluents one step after a set; none if something else decides.
fn after(operators: &Operators, all: &[u32], set: u32) -> Option<u32> {
    let mut next = set;
    for effect in &operators.every_step {
        let Some(at) = all.iter().position(|fluent| *fluent == effect.fluent) else { continue };
        let holds = set >> at & 1 == 1;
        // Effects speak of states in which the fluent has the other value.
        if holds != effect.adds && value(&operators.formulas, effect.condition, all, set)? {
            next ^= 1 << at;
        }
    }
    Some(next)
}

/// The value of a condition; none if it speaks of anything but the set.
fn value(formulas: &Formulas, condition: FormulaId, all: &[u32], set: u32) -> Option<bool> {
    match formulas.get(condition) {
        Formula::True => Some(true),
        Formula::False => Some(false),
        Formula::Literal(Atom::Fluent(fluent), negative) => {
            let at = all.iter().position(|other| other == fluent)?;
            Some((set >> at & 1 == 1) != *negative)
        }
        Formula::Literal(..) => None,
        Formula::And(parts) => {
            let values = parts.iter().map(|part| value(formulas, *part, all, set));
            values.collect::<Option<Vec<_>>>().map(|values| values.iter().all(|value| *value))
        }
        Formula::Or(parts) => {
            let values = parts.iter().map(|part| value(formulas, *part, all, set));
            values.collect::<Option<Vec<_>>>().map(|values| values.iter().any(|value| *value))
        }
    }
}

/// For each atom whether its rules show that one of the fluents holds where it does.
fn implies(program: &GroundProgram, fluents: &[u32]) -> Vec<bool> {
    let tells = |atom: AtomId| matches!(program.kinds[atom.index()], AtomKind::Fluent(f) if fluents.contains(&f));
    let mut shown: Vec<bool> = program.atoms().map(tells).collect();
    let mut users: Vec<Vec<AtomId>> = vec![Vec::new(); shown.len()];
    for atom in program.atoms() {
        for literal in program.rules.literals_of(atom).iter().filter(|literal| !literal.negative) {
            users[literal.atom.index()].push(atom);
        }
    }
    let mut open: Vec<AtomId> = program.atoms().filter(|atom| tells(*atom)).collect();
    while let Some(atom) = open.pop() {
        for user in &users[atom.index()] {
            let mut bodies = program.rules_of(*user);
            let asks = |body: &[ground::GroundLiteral]| {
                body.iter().any(|literal| !literal.negative && shown[literal.atom.index()])
            };
            if !shown[user.index()] && bodies.all(asks) {
                shown[user.index()] = true;
                open.push(*user);
            }
        }
    }
    shown
}
