//! The value of a state for each role from the degrees of truth of its goals and of the end
//! (thesis Def. 5.3).

use std::sync::Arc;

use game::{Evaluator, Role, State};

use crate::explain::{Explanation, GoalPart, Part};
use crate::network::{Edge, Network};
use crate::norm::{Combination, Parameters};
use crate::power::Signal;
use crate::values::Values;

/// The value of a state about which the rules say nothing.
pub const NEUTRAL: f64 = 50.0;

/// The goals of a role, ready to be evaluated.
#[derive(Clone, Debug, Default)]
pub(crate) struct RolePlan {
    /// Goal values above 0 with their formulas; a value without rules for the role has none.
    pub(crate) goals: Vec<(u8, Option<Edge>)>,
    /// For each goal a number that equal formulas share.
    pub(crate) slots: Vec<usize>,
    /// The sum of the goal values; 0 if the role's value is neutral.
    pub(crate) total: f64,
}

/// An evaluation function for one game. Cheap to clone; everything inside is shared.
#[derive(Clone, Debug)]
pub struct Evaluation {
    pub(crate) network: Arc<Network>,
    pub(crate) roles: Arc<[RolePlan]>,
    pub(crate) terminal: Option<Edge>,
    pub(crate) notes: Arc<[String]>,
}

impl Evaluation {
    /// What people should know about it: what was left out, and why.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// How many nodes its formulas have.
    pub fn size(&self) -> usize {
        self.network.node_count()
    }

    /// Whether the value of a role can change at all.
    pub fn is_neutral(&self, role: Role) -> bool {
        self.roles.get(role.index()).is_none_or(|plan| plan.total <= 0.0)
    }

    /// The parameters it was built with.
    pub fn parameters(&self) -> &Parameters {
        self.network.parameters()
    }

    /// An evaluator for one thread.
    pub fn evaluator(&self) -> FuzzyEvaluator {
        let slots = self.roles.iter().flat_map(|plan| &plan.slots);
        let count = slots.max().map_or(0, |slot| slot + 1);
        FuzzyEvaluator {
            evaluation: self.clone(),
            values: Values::new(&self.network),
            remembered: vec![(Signal::NEVER, Signal::NEVER, 0.0); count],
        }
    }
}

/// Evaluates states one after another; see [`Evaluation::evaluator`].
#[derive(Clone, Debug)]
pub struct FuzzyEvaluator {
    evaluation: Evaluation,
    values: Values,
    /// For each goal the last degree of goal and end, and what they gave.
    remembered: Vec<Remembered>,
}

/// What a goal gave before: the signals of the goal and of the end, and the degree of both together.
type Remembered = (Signal, Signal, f64);

/// h(r,gv,s): the degree of a goal, with the end wanted if it is reached and avoided if not.
fn degree(
    values: &Values,
    goal: Edge,
    end: Option<&(Signal, Edge)>,
    remembered: &mut Remembered,
) -> f64 {
    let goal = values.signal(goal);
    let Some((end, edge)) = end else { return goal.value };
    if remembered.0 != goal || remembered.1 != *end {
        *remembered = (goal, *end, values.with_end(&goal, (end, *edge)));
    }
    remembered.2
}

impl RolePlan {
    /// h(r,s) from the degrees of the goals.
    fn value(&self, degrees: impl Iterator<Item = f64>, combination: Combination) -> f64 {
        if self.total <= 0.0 {
            return NEUTRAL;
        }
        let (mut sum, mut missed) = (0.0, 1.0);
        for ((value, _), degree) in self.goals.iter().zip(degrees) {
            sum += f64::from(*value) * degree;
            missed *= 1.0 - degree * f64::from(*value) / 100.0;
        }
        let result = match combination {
            Combination::WeightedSum => 100.0 * sum / self.total,
            // AAAI-07 divides by the sum of the goal values besides, which only changes the scale.
            Combination::ProductSum => 100.0 * (1.0 - missed),
        };
        if result.is_finite() { result.clamp(0.0, 100.0) } else { NEUTRAL }
    }
}

impl FuzzyEvaluator {
    /// How the value of a state comes about for a role; `most` bounds the number of parts.
    pub fn explain(&mut self, state: &State, role: Role, most: usize) -> Explanation {
        let mut values = vec![0.0; self.evaluation.roles.len()];
        self.evaluate(state, &mut values);
        let mut left = most;
        let plan = self.evaluation.roles.get(role.index()).cloned().unwrap_or_default();
        let mut goals = Vec::new();
        for ((value, goal), slot) in plan.goals.iter().zip(&plan.slots) {
            let remembered = &mut self.remembered[*slot];
            let end = self.evaluation.terminal.map(|end| (self.values.end(end), end));
            let degree =
                goal.map_or(0.0, |goal| degree(&self.values, goal, end.as_ref(), remembered));
            goals.push(GoalPart {
                goal: *value,
                weight: if plan.total > 0.0 { f64::from(*value) / plan.total } else { 0.0 },
                degree,
                holds: goal.is_some_and(|goal| self.values.holds(goal)),
                formula: goal.map(|goal| self.part(goal, &mut left)),
            });
        }
        Explanation {
            value: values.get(role.index()).copied().unwrap_or(NEUTRAL),
            terminal: self.evaluation.terminal.map(|edge| self.part(edge, &mut left)),
            goals,
        }
    }

    fn part(&self, edge: Edge, left: &mut usize) -> Part {
        Part::of(&self.evaluation.network, &self.values, edge, left)
    }

    /// How many literals of the goals of a role hold, each occurrence counted (the slides' measure).
    pub fn true_literals(&mut self, state: &State, role: Role, goal: u8) -> usize {
        self.values.update(state.words());
        let Some(plan) = self.evaluation.roles.get(role.index()) else { return 0 };
        let formulas = plan.goals.iter().filter(|(value, _)| *value == goal);
        let formulas = formulas.filter_map(|(_, edge)| *edge);
        formulas.map(|edge| Part::literals(&self.evaluation.network, &self.values, edge)).sum()
    }
}

impl Evaluator for FuzzyEvaluator {
    fn evaluate(&mut self, state: &State, values: &mut [f64]) {
        self.values.update(state.words());
        let Self { evaluation, values: degrees, remembered } = self;
        let combination = evaluation.network.parameters().combination;
        let end = evaluation.terminal.map(|end| (degrees.end(end), end));
        for (role, value) in values.iter_mut().enumerate() {
            let Some(plan) = evaluation.roles.get(role) else {
                *value = NEUTRAL;
                continue;
            };
            let goals = plan.goals.iter().zip(&plan.slots).map(|((_, goal), slot)| {
                let remembered = &mut remembered[*slot];
                goal.map_or(0.0, |goal| degree(degrees, goal, end.as_ref(), remembered))
            });
            *value = plan.value(goals, combination);
        }
    }

    fn another(&self) -> Box<dyn Evaluator> {
        Box::new(self.evaluation.evaluator())
    }
}
