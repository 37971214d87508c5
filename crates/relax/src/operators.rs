//! Actions with preconditions, add and delete effects, from the rules of a game (the slides, 28-33).
//!
//! For each move and each fluent the residual of the rules is split by the fluent itself: where it does not hold
//! now, the residual is the condition for adding it; where it holds, the opposite of the residual is the condition
//! for deleting it. A *frame axiom* leaves neither, so fluents that a move does not touch cost nothing. Fluents
//! whose rules do not ask for moves change in every step (*action-independent effects*).

use game::{Deadline, GroundProgram};
use ground::AtomId;

use crate::formula::{Atom, FALSE, FormulaId, Formulas};
use crate::residual::{Dependence, Residuals, Step};
use crate::waits::{Turns, Waits};

/// A change of one fluent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effect {
    /// The fluent, by its number in the ground program.
    pub fluent: u32,
    /// Whether it is added; else it is deleted.
    pub adds: bool,
    /// When, in states in which the fluent has the other value.
    pub condition: FormulaId,
}

/// A move of a role as an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operator {
    /// The role and its move; none for a step in which everybody waits.
    pub actor: Option<(u32, u32)>,
    /// The precondition: the move is legal.
    pub legal: Option<AtomId>,
    /// What it changes.
    pub effects: Vec<Effect>,
}

/// The actions of a game.
#[derive(Clone, Debug)]
pub struct Operators {
    /// Conditions.
    pub formulas: Formulas,
    /// Who may act in a step, and which moves are waiting.
    pub waits: Waits,
    /// The actions; waiting moves are none, unless several roles act at once.
    pub list: Vec<Operator>,
    /// What changes in every step, whatever is done.
    pub every_step: Vec<Effect>,
    /// For each fluent whether no action and no step deletes it.
    pub persistent: Vec<bool>,
    /// Effects whose conditions cannot be expressed; they are taken to be possible.
    pub inexpressible: usize,
}

/// The most memory for conditions.
const MOST_BYTES: usize = 1 << 30;

impl Operators {
    /// Derives the actions. None if there is not enough time or memory.
    pub fn derive(program: &GroundProgram, waits: Waits, deadline: &Deadline) -> Option<Self> {
        let dependence = Dependence::new(program);
        let mut formulas = Formulas::default();
        let mut residuals = Residuals::new(program, &dependence, &waits);
        let (mut moved, mut unmoved) = (Vec::new(), Vec::new());
        for fluent in 0..program.fluents.len() as u32 {
            match program.next[fluent as usize] {
                Some(next) if dependence.on_moves[next.index()] => moved.push((fluent, Some(next))),
                next => unmoved.push((fluent, next)),
            }
        }
        residuals.begin(Step::Pause);
        let every_step = effects(&mut residuals, &mut formulas, &unmoved);
        let mut list = Vec::new();
        for (step, legal) in steps(program, &waits) {
            if deadline.passed() || formulas.bytes() > MOST_BYTES {
                return None;
            }
            residuals.begin(step);
            let effects = effects(&mut residuals, &mut formulas, &moved);
            let actor = match step {
                Step::Acts(role, action) => Some((role, action)),
                Step::Pause => None,
            };
            list.push(Operator { actor, legal, effects });
        }
        let mut operators =
            Self { formulas, waits, list, every_step, persistent: Vec::new(), inexpressible: 0 };
        operators.sum_up(program.fluents.len());
        Some(operators)
    }

    /// All effects.
    pub fn effects(&self) -> impl Iterator<Item = &Effect> {
        self.list.iter().flat_map(|operator| &operator.effects).chain(&self.every_step)
    }

    fn sum_up(&mut self, fluents: usize) {
        let mut persistent = vec![true; fluents];
        let mut inexpressible = 0;
        for effect in self.effects() {
            if !effect.adds {
                persistent[effect.fluent as usize] = false;
            }
            inexpressible += usize::from(self.formulas.is_unknown(effect.condition));
        }
        (self.persistent, self.inexpressible) = (persistent, inexpressible);
    }
}

/// The steps that there are, with the condition under which each is possible.
fn steps(program: &GroundProgram, waits: &Waits) -> Vec<(Step, Option<AtomId>)> {
    let mut steps = Vec::new();
    for (role, own) in program.moves.iter().enumerate() {
        for (at, action) in own.iter().enumerate() {
            let skipped = waits.turns == Turns::Alternating && !waits.acts(role, at);
            if let (Some(legal), false) = (action.legal, skipped) {
                steps.push((Step::Acts(role as u32, at as u32), Some(legal)));
            }
        }
    }
    if waits.pauses {
        steps.push((Step::Pause, None));
    }
    steps
}

fn effects(
    residuals: &mut Residuals<'_>,
    formulas: &mut Formulas,
    fluents: &[(u32, Option<AtomId>)],
) -> Vec<Effect> {
    let mut effects = Vec::new();
    for (fluent, next) in fluents {
        let residual = next.map_or(FALSE, |next| residuals.of_next(formulas, next));
        if residual == formulas.literal(Atom::Fluent(*fluent), false) {
            continue;
        }
        let add = formulas.given(residual, *fluent, false);
        let keep = formulas.given(residual, *fluent, true);
        let delete = formulas.not(keep);
        for (adds, condition) in [(true, add), (false, delete)] {
            if condition != FALSE {
                effects.push(Effect { fluent: *fluent, adds, condition });
            }
        }
    }
    effects
}
