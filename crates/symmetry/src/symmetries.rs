//! What was found: generators, the group, orbits, and the symmetries of single states.

use game::{Game, Gates, State};

use crate::chain::{Chain, Chains};
use crate::detect::fixes;
use crate::ground_graph::{View, ground_graph};
use crate::nauty::{Bounds, automorphisms};
use crate::order::Order;
use crate::permutation::orbits;
use crate::points::Points;
use crate::rule_graph::Scrambling;

/// Where a symmetry was found.
#[derive(Clone, Debug)]
pub enum Source {
    /// In the rules, as a scrambling of them.
    Rules(Scrambling),
    /// In the ground program.
    Ground,
}

/// One of the symmetries from which all others are composed.
#[derive(Clone, Debug)]
pub struct Generator {
    /// Where it takes each point.
    pub permutation: Vec<u32>,
    /// Where it was found.
    pub source: Source,
}

/// How far the search in one graph came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// There is no such graph.
    Absent,
    /// All automorphisms are known.
    Whole {
        /// The size of the graph.
        vertices: usize,
    },
    /// The graph was too large, or the time was over: what is known is part of the truth.
    Stopped {
        /// The size of the graph; 0 if it was not even built.
        vertices: usize,
    },
}

/// The symmetries of a game.
#[derive(Clone, Debug)]
pub struct Symmetries {
    pub(crate) game: Game,
    pub(crate) points: Points,
    pub(crate) generators: Vec<Generator>,
    pub(crate) group: Chains,
    pub(crate) rules: Part,
    pub(crate) ground: Part,
    pub(crate) on_paper: Option<Order>,
    pub(crate) refuted: Vec<String>,
    pub(crate) checked_states: usize,
    pub(crate) seconds: f64,
    pub(crate) gates: Option<Gates>,
}

impl Symmetries {
    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The points that symmetries permute.
    pub fn points(&self) -> &Points {
        &self.points
    }

    /// Symmetries from which all others are composed.
    pub fn generators(&self) -> &[Generator] {
        &self.generators
    }

    /// The order of the whole group, symmetries of roles included.
    pub fn order(&self) -> Order {
        self.group.main.order_below(0, &self.group.rest)
    }

    /// The order of the group of state symmetries (thesis Def. 8.2): those that keep all roles.
    pub fn state_order(&self) -> Order {
        self.group.main.order_below(self.points.role_points().len(), &self.group.rest)
    }

    /// In how many ways state symmetries act on states. Smaller than their number where some only exchange
    /// moves that mean the same.
    pub fn states_order(&self) -> Order {
        let nothing = Chain::new(0, &[], Vec::new());
        self.group.main.order_below(self.points.role_points().len(), &nothing)
    }

    /// Generators of the state symmetries.
    pub fn state_generators(&self) -> Vec<Vec<u32>> {
        let mut generators = self.group.main.generators_below(self.points.role_points().len());
        generators.extend(self.interchangeable());
        generators
    }

    /// Generators of the symmetries that change no state and no role: they exchange moves only.
    pub fn interchangeable(&self) -> Vec<Vec<u32>> {
        self.group.rest.generators_below(0)
    }

    /// The state symmetries as they act on states, the identity first; none if there are more than `most`.
    pub fn listed(&self, most: usize) -> Option<Vec<Vec<u32>>> {
        self.group.main.elements_below(self.points.role_points().len(), most)
    }

    /// The roles that symmetries exchange, orbit by orbit.
    pub fn role_orbits(&self) -> Vec<Vec<u32>> {
        let roles = self.points.role_points();
        self.orbits().into_iter().filter(|orbit| roles.contains(&orbit[0])).collect()
    }

    /// The orbits of more than one point under the whole group.
    pub fn orbits(&self) -> Vec<Vec<u32>> {
        let all: Vec<Vec<u32>> = self.generators.iter().map(|g| g.permutation.clone()).collect();
        orbits(self.points.len(), &all)
    }

    /// The orbits of more than one point under the state symmetries.
    pub fn state_orbits(&self) -> Vec<Vec<u32>> {
        orbits(self.points.len(), &self.state_generators())
    }

    /// Whether everything was looked at to the end. If not, what is known is still right.
    pub fn is_complete(&self) -> bool {
        let ended = |part: &Part| !matches!(part, Part::Stopped { .. });
        ended(&self.rules) && ended(&self.ground) && self.group.complete
    }

    /// How far the search in the rule graph came.
    pub fn rules_part(&self) -> Part {
        self.rules
    }

    /// How far the search in the ground program came.
    pub fn ground_part(&self) -> Part {
        self.ground
    }

    /// Where scramblings of the rules lead from what can occur to what cannot: how many state symmetries there are on
    /// paper.
    pub fn on_paper(&self) -> Option<&Order> {
        self.on_paper.as_ref()
    }

    /// What the check on states found wrong; the generators concerned are left out. Not empty only if
    /// there is a bug.
    pub fn refuted(&self) -> &[String] {
        &self.refuted
    }

    /// On how many states every generator was checked.
    pub fn checked_states(&self) -> usize {
        self.checked_states
    }

    /// The time it took.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// Generators of the state symmetries that map a state to itself. All of them where the group is small or the game
    /// has a ground program; else, and where the bounds are reached, those of the generators that do.
    pub fn of_state(&self, state: &State, bounds: &Bounds) -> Vec<Vec<u32>> {
        const FEW: usize = 512;
        let roles = self.points.role_points().len();
        if let Some(elements) = self.group.main.elements_below(roles, FEW) {
            let fixing = |element: &Vec<u32>| fixes(&self.points, element, state);
            let mut found: Vec<_> = elements.into_iter().skip(1).filter(fixing).collect();
            found.extend(self.interchangeable());
            return found;
        }
        let mut found: Vec<Vec<u32>> = self.state_generators();
        found.retain(|generator| fixes(&self.points, generator, state));
        if let Some(gates) = &self.gates {
            let holds: Vec<bool> = gates.fluents().iter().map(|f| state.contains(*f)).collect();
            let view = View { state: Some(&holds), fix_roles: true };
            if let Ok(built) = ground_graph(gates.program(), view, bounds.most_edges) {
                found.extend(automorphisms(&built.graph, built.points, bounds).generators);
            }
        }
        found
    }
}
