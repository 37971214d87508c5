//! Values of states from their relaxed planning graphs: h1, h2 and both together (Rauber-14), and the distances
//! `h_max` and `h_add` of planning.

use std::sync::Arc;

use game::{Evaluator, Role, State};
use search::deepening::PossibleActions;
use search::planning::Distance;
use search::traps::Reach;

use crate::graph::{Count, Graph};
use crate::relaxation::Relaxation;

/// Which value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heuristic {
    /// Lengths of relaxed plans to win and to lose.
    H1,
    /// Fractions of actions that are still relevant.
    H2,
    /// Half of each.
    H12,
}

impl Heuristic {
    /// The heuristic with a name, as options give it.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "h1" => Some(Self::H1),
            "h2" => Some(Self::H2),
            "h12" => Some(Self::H12),
            _ => None,
        }
    }
}

/// What the relaxed planning graph says about one state.
#[derive(Clone, Debug)]
pub struct Insight {
    graph: Graph,
    shared: Arc<Relaxation>,
}

impl Insight {
    /// For one thread.
    pub fn new(shared: &Arc<Relaxation>) -> Self {
        Self { graph: Graph::new(shared.clone()), shared: shared.clone() }
    }

    /// Builds the graph of a state; the other questions are about it.
    pub fn look(&mut self, state: &State) {
        self.graph.build(state, Count::Layers);
    }

    /// The length of a relaxed plan by which the role gets its largest reward; none if there is none (`l_win`).
    pub fn to_win(&mut self, role: Role) -> Option<u32> {
        self.graph.plan_length(self.shared.targets.get(role.index())?)
    }

    /// The first layer of the graph with such an end. No play, whatever the roles do, reaches one in fewer steps.
    pub fn layer(&self, role: Role) -> Option<u32> {
        self.graph.first_layer(self.shared.targets.get(role.index())?)
    }

    /// How many actions of a role are relevant for its ends.
    pub fn relevant(&mut self, role: Role) -> u32 {
        let shared = self.shared.clone();
        shared.targets.get(role.index()).map_or(0, |target| self.graph.relevant(target, role.0))
    }
}

/// h1 of Rauber-14, from -1 to 1. The paper repeats a condition; the value 0 is for neither end being possible.
/// Two plans of length 0 leave the quotient undefined: 0 as well.
pub fn h1(win: Option<u32>, lose: Option<u32>) -> f64 {
    match (win, lose) {
        (Some(_), None) => 1.0,
        (None, Some(_)) => -1.0,
        (None, None) | (Some(0), Some(0)) => 0.0,
        (Some(win), Some(lose)) => (f64::from(lose) - f64::from(win)) / f64::from(win.max(lose)),
    }
}

/// An evaluator by delete relaxation.
///
/// With two roles it is Rauber-14's with ends worth -1 and 1 at 1 and 99, so that a real end is worth more than a
/// guess. With more roles the quickest of the others counts as the loss, and the mean of the others in h2. With
/// one role there is nothing to lose: the value falls with the length of the plan.
#[derive(Clone, Debug)]
pub struct Relaxed {
    insight: Insight,
    heuristic: Heuristic,
    wins: Vec<Option<u32>>,
    mobile: Vec<f64>,
}

impl Relaxed {
    /// An evaluator for one thread.
    pub fn new(shared: &Arc<Relaxation>, heuristic: Heuristic) -> Self {
        let roles = shared.roles();
        let insight = Insight::new(shared);
        Self { insight, heuristic, wins: vec![None; roles], mobile: vec![0.0; roles] }
    }

    /// The value of a state for a role, from -1 to 1.
    pub fn value(&mut self, state: &State, role: Role) -> f64 {
        self.look(state);
        self.of(role.index())
    }

    fn look(&mut self, state: &State) {
        self.insight.look(state);
        for role in 0..self.wins.len() as u32 {
            if self.heuristic != Heuristic::H2 {
                self.wins[role as usize] = self.insight.to_win(Role(role));
            }
            if self.heuristic != Heuristic::H1 {
                let all = self.insight.shared.actions(Role(role)).max(1);
                let relevant = self.insight.relevant(Role(role));
                self.mobile[role as usize] = f64::from(relevant) / f64::from(all);
            }
        }
    }

    fn of(&self, role: usize) -> f64 {
        let others = || (0..self.wins.len()).filter(move |other| *other != role);
        let first = || match self.wins.len() {
            1 => self.wins[0].map_or(-1.0, |steps| 2.0 / (1.0 + f64::from(steps) / 8.0) - 1.0),
            _ => h1(self.wins[role], others().filter_map(|other| self.wins[other]).min()),
        };
        let second = || {
            let rest: f64 = others().map(|other| self.mobile[other]).sum();
            self.mobile[role] - rest / (others().count().max(1) as f64)
        };
        match self.heuristic {
            Heuristic::H1 => first(),
            Heuristic::H2 => second(),
            Heuristic::H12 => 0.5 * first() + 0.5 * second(),
        }
    }
}

impl Evaluator for Relaxed {
    fn evaluate(&mut self, state: &State, values: &mut [f64]) {
        self.look(state);
        for (role, value) in values.iter_mut().enumerate().take(self.wins.len()) {
            *value = 50.0 + 49.0 * self.of(role).clamp(-1.0, 1.0);
        }
    }

    fn another(&self) -> Box<dyn Evaluator> {
        Box::new(self.clone())
    }
}

/// How distances in games of one role are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The layer of the goal (`h_max`): never more than the true distance.
    Max,
    /// The sum of the costs of what is needed (`h_add`).
    Add,
    /// The length of a relaxed plan (FF).
    Plan,
}

/// How many moves are left to the largest reward of the first role.
#[derive(Clone, Debug)]
pub struct ToGo {
    graph: Graph,
    shared: Arc<Relaxation>,
    measure: Measure,
}

impl ToGo {
    /// For one thread.
    pub fn new(shared: &Arc<Relaxation>, measure: Measure) -> Self {
        Self { graph: Graph::new(shared.clone()), shared: shared.clone(), measure }
    }
}

impl Distance for ToGo {
    fn estimate(&mut self, state: &State) -> Option<u32> {
        let target = self.shared.targets.first()?;
        match self.measure {
            Measure::Max => {
                self.graph.build(state, Count::Layers);
                self.graph.first_layer(target)
            }
            Measure::Add => {
                self.graph.build(state, Count::Sums);
                self.graph.least_sum(target)
            }
            Measure::Plan => {
                self.graph.build(state, Count::Layers);
                self.graph.plan_length(target)
            }
        }
    }

    fn is_admissible(&self) -> bool {
        self.measure == Measure::Max && self.shared.roles() == 1 && self.shared.rewards == [100]
    }
}

/// How far off lost ends are at least, for the proofs of traps: by the layers of the relaxed planning graph, in which
/// roles act in their turns, and by counting what is missing.
///
/// Holds where roles take turns as [`crate::Waits`] found, which random play did not refute, and always where it
/// found that several roles may act at once. Were it wrong, traps would be missed, never invented.
#[derive(Clone, Debug)]
pub struct Far {
    graph: Graph,
    shared: Arc<Relaxation>,
}

impl Far {
    /// For one thread.
    pub fn new(shared: &Arc<Relaxation>) -> Self {
        Self { graph: Graph::new(shared.clone()), shared: shared.clone() }
    }
}

impl Reach for Far {
    fn may_lose(&mut self, state: &State, role: Role, within: u32) -> bool {
        let shared = self.shared.clone();
        if shared.roles() == 1 {
            return true;
        }
        let turns = shared.rota.as_ref().map(|rota| (rota, rota.turn(state)));
        let mut built = false;
        for other in (0..shared.roles()).filter(|other| *other != role.index()) {
            for (way, needs) in shared.targets[other].iter().zip(&shared.needs[other]) {
                if needs.iter().any(|need| need.is_far(state, turns, within)) {
                    continue;
                }
                if !std::mem::replace(&mut built, true) {
                    self.graph.build_in_turns(state, within);
                }
                if self.graph.layer(way).is_some_and(|layer| layer <= within) {
                    return true;
                }
            }
        }
        false
    }
}

/// Counts the actions that may still become possible (Rauber-14's second criterion of noise).
#[derive(Clone, Debug)]
pub struct Possible(Graph);

impl Possible {
    /// For one thread.
    pub fn new(shared: &Arc<Relaxation>) -> Self {
        Self(Graph::new(shared.clone()))
    }
}

impl PossibleActions for Possible {
    fn possible(&mut self, state: &State, role: Role) -> usize {
        self.0.build(state, Count::Layers);
        self.0.possible(role.0) as usize
    }
}
