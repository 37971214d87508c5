//! Whether a property holds in a state, asked of a machine: for refutation by play, and for the replay of traces.

use game::{Goals, GroundTerm, JointMove, Machine, Move, ReasonError, Role, State};

use crate::ground_property::{GroundFormula, GroundProperty};
use crate::instances::GroundAtom;

/// A state with the answers about it that were asked for.
pub struct View<'s> {
    state: &'s State,
    terminal: Option<bool>,
    legal: Vec<Option<Vec<Move>>>,
    goals: Vec<Option<Goals>>,
}

impl<'s> View<'s> {
    /// Nothing is known yet but the state.
    pub fn new(state: &'s State) -> Self {
        Self { state, terminal: None, legal: Vec::new(), goals: Vec::new() }
    }

    /// Whether an atom holds in it.
    pub fn holds(
        &mut self,
        atom: &GroundAtom,
        machine: &mut dyn Machine,
    ) -> Result<bool, ReasonError> {
        match atom {
            GroundAtom::Fluent(fluent) => Ok(self.state.contains(*fluent)),
            GroundAtom::Terminal => match self.terminal {
                Some(known) => Ok(known),
                None => Ok(*self.terminal.insert(machine.is_terminal(self.state)?)),
            },
            GroundAtom::Legal(role, action) => self.legal(*role, *action, machine),
            GroundAtom::Goal(role, value) => self.goal(*role, value, machine),
            // Claims do not speak of it.
            GroundAtom::Derived(_) => Ok(false),
        }
    }

    fn legal(
        &mut self,
        role: Role,
        action: Move,
        machine: &mut dyn Machine,
    ) -> Result<bool, ReasonError> {
        if self.legal.len() <= role.index() {
            self.legal.resize(role.index() + 1, None);
        }
        if self.legal[role.index()].is_none() {
            let mut moves = Vec::new();
            machine.legal_moves(self.state, role, &mut moves)?;
            moves.sort_unstable();
            self.legal[role.index()] = Some(moves);
        }
        let moves = self.legal[role.index()].as_deref().unwrap_or_default();
        Ok(moves.binary_search(&action).is_ok())
    }

    fn goal(
        &mut self,
        role: Role,
        value: &GroundTerm,
        machine: &mut dyn Machine,
    ) -> Result<bool, ReasonError> {
        if self.goals.len() <= role.index() {
            self.goals.resize(role.index() + 1, None);
        }
        if self.goals[role.index()].is_none() {
            self.goals[role.index()] = Some(machine.goal(self.state, role)?);
        }
        let text = value.to_text(machine.game().universe().symbols());
        Ok(match &self.goals[role.index()] {
            Some(Goals::One(goal)) => text.parse::<u8>() == Ok(goal.0),
            Some(Goals::Undefined(values)) => values.contains(&text),
            None => false,
        })
    }
}

/// Whether a formula holds in a state, and in the one after it where it speaks of that.
pub fn holds(
    formula: &GroundFormula,
    now: &mut View<'_>,
    after: &mut Option<View<'_>>,
    machine: &mut dyn Machine,
) -> Result<bool, ReasonError> {
    match formula {
        GroundFormula::Truth(value) => Ok(*value),
        GroundFormula::Atom { atom, next: false } => now.holds(atom, machine),
        GroundFormula::Atom { atom, next: true } => match after {
            Some(after) => after.holds(atom, machine),
            // Nothing comes after a state without moves; nobody asks then.
            None => Ok(true),
        },
        GroundFormula::Not(inside) => Ok(!holds(inside, now, after, machine)?),
        GroundFormula::And(parts) => {
            for part in parts {
                if !holds(part, now, after, machine)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        GroundFormula::Or(parts) => {
            for part in parts {
                if holds(part, now, after, machine)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        GroundFormula::Count { least, most, of } => {
            let mut count = 0;
            for part in of {
                count += u32::from(holds(part, now, after, machine)?);
                if most.is_some_and(|most| count > most) {
                    return Ok(false);
                }
            }
            Ok(count >= *least)
        }
    }
}

/// Whether a trace refutes a property: it is a sequence of legal joint moves from the initial state through states
/// that are not terminal, and the property fails in the last state, or at the last move.
pub fn refutes(
    property: &GroundProperty,
    trace: &[JointMove],
    machine: &mut dyn Machine,
) -> Result<bool, ReasonError> {
    let mut state = machine.initial()?;
    let mut before = None;
    for joint in trace {
        if machine.is_terminal(&state)? || !is_legal(&state, joint, machine)? {
            return Ok(false);
        }
        let next = machine.next(&state, joint)?;
        before = Some(std::mem::replace(&mut state, next));
    }
    if !property.about_moves {
        return Ok(!holds(&property.formula, &mut View::new(&state), &mut None, machine)?);
    }
    let Some(before) = before else { return Ok(false) };
    let mut after = Some(View::new(&state));
    Ok(!holds(&property.formula, &mut View::new(&before), &mut after, machine)?)
}

fn is_legal(
    state: &State,
    joint: &JointMove,
    machine: &mut dyn Machine,
) -> Result<bool, ReasonError> {
    let roles = machine.game().role_ids();
    let mut moves = Vec::new();
    for role in roles {
        machine.legal_moves(state, role, &mut moves)?;
        if !joint.0.get(role.index()).is_some_and(|action| moves.contains(action)) {
            return Ok(false);
        }
    }
    Ok(true)
}
