//! The delete relaxation of a game (Rauber-14, Def. 3), shared by all who ask about states.

use std::sync::Arc;

use game::{Deadline, FluentId, Game, GroundProgram, Machine, Reasoner};
use ground::AtomId;

use crate::graph::Cell;
use crate::needs::{Need, Needs};
use crate::network::{Builder, NONE, Network, Prop};
use crate::operators::Operators;
use crate::rota::{Acting, Rota};
pub(crate) use crate::targets::Disjunct;
use crate::targets::{Implication, best_goal, disjuncts};
use crate::waits::{Turns, Waits};

/// The relaxed game.
#[derive(Debug)]
pub struct Relaxation {
    pub(crate) network: Network,
    /// For each fluent that matters its nodes: that it holds, that it does not.
    pub(crate) places: Vec<(FluentId, u32, u32)>,
    /// The graph before anything is reached.
    pub(crate) fresh: Vec<Cell>,
    /// How many operators there are.
    pub(crate) operators: usize,
    /// For each node the role that acts in it.
    actors: Vec<u32>,
    /// For each node whether it is an action that counts.
    prices: Vec<u8>,
    /// For each role the ends it wants most.
    pub(crate) targets: Vec<Vec<Disjunct>>,
    /// For each of these ends what one role alone has to bring about.
    pub(crate) needs: Vec<Vec<Vec<Need>>>,
    /// Who may act in the steps to come, where the rules settle it.
    pub(crate) rota: Option<Rota>,
    /// For each node the role in whose turn alone it can be made.
    bound: Vec<u32>,
    /// For each role its largest reward.
    pub(crate) rewards: Vec<u8>,
    /// For each role the number of its actions.
    totals: Vec<u32>,
    turns: Turns,
    inexpressible: usize,
}

/// The ways to a goal: its node, and what has to hold beside it. Where the goal or the end asks whose turn it is,
/// there is one for each role.
fn ways(
    builder: &mut Builder<'_>,
    operators: &Operators,
    goal: AtomId,
    end: Option<AtomId>,
) -> Vec<(u32, Disjunct)> {
    let asks = std::iter::once(goal).chain(end).any(|atom| builder.on_turns[atom.index()]);
    if !asks {
        let end = end.map(|end| builder.node(Prop::Atom(end, false)));
        return vec![(builder.node(Prop::Atom(goal, false)), end.into_iter().collect())];
    }
    let roles = 0..operators.waits.whose.len() as u32;
    let way = |role| {
        let goal = builder.in_turn(role, goal, false);
        let mut rest = builder.turn(role);
        rest.extend(end.map(|end| builder.in_turn(role, end, false)));
        (goal, rest)
    };
    roles.map(way).collect()
}

/// How large a relaxation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Nodes of the network.
    pub nodes: usize,
    /// Actions, and steps without any.
    pub operators: usize,
    /// Disjuncts of all goals.
    pub disjuncts: usize,
    /// Effects whose conditions could not be expressed.
    pub inexpressible: usize,
}

impl Relaxation {
    /// The relaxation of a game whose circuit is there; none if it is not, or not in time.
    pub fn of(reasoner: &Reasoner, deadline: &Deadline) -> Option<Arc<Self>> {
        let gates = reasoner.gates()?;
        let mut machine = gates.machine();
        Self::build(reasoner.game(), gates.program(), &mut machine, deadline)
    }

    /// The relaxation of a ground program. The machine is used for a little random play. None if there is not
    /// enough time or memory.
    pub fn build(
        game: &Game,
        program: &GroundProgram,
        machine: &mut dyn Machine,
        deadline: &Deadline,
    ) -> Option<Arc<Self>> {
        let waits = Waits::sample(game, program, machine, deadline);
        let waits = waits.unwrap_or_else(|_| Waits::none(program));
        let operators = Operators::derive(program, waits, deadline)?;
        Some(Arc::new(Self::new(game, program, &operators)))
    }

    /// The relaxation with given operators.
    pub fn new(game: &Game, program: &GroundProgram, operators: &Operators) -> Self {
        let mut builder = Builder::new(program, operators);
        let mut implication = Implication::of_the_end(program);
        let (mut rewards, mut wanted) = (Vec::new(), Vec::new());
        for role in 0..program.moves.len() {
            let goal = best_goal(program, role);
            rewards.push(goal.map_or(0, |(value, _)| value));
            // Without an end there is nothing to reach.
            let (Some((_, goal)), Some(end)) = (goal, program.terminal) else {
                wanted.push(Vec::new());
                continue;
            };
            let end = Some(end).filter(|_| !implication.shows(goal));
            wanted.push(ways(&mut builder, operators, goal, end));
        }
        builder.complete();
        let drafts = std::mem::take(&mut builder.drafts);
        let mut ends: Vec<Vec<Disjunct>> = Vec::new();
        for ways in &wanted {
            let apart = |(goal, rest): &(u32, Disjunct)| -> Vec<Disjunct> {
                let parts = disjuncts(&drafts, *goal).into_iter();
                parts
                    .map(|part| std::iter::once(part).chain(rest.iter().copied()).collect())
                    .collect()
            };
            ends.push(ways.iter().flat_map(apart).collect());
        }
        let mut needs = Needs::new(game, program, operators);
        let needs = ends.iter().map(|own| own.iter().map(|way| needs.of(&drafts, way)).collect());
        let needs = needs.collect();
        let (network, number) = Network::finish(drafts);
        let renumber = |disjunct: &Disjunct| -> Disjunct {
            disjunct.iter().map(|node| number[*node as usize]).filter(|n| *n != NONE).collect()
        };
        let targets = ends.iter().map(|own| own.iter().map(renumber).collect()).collect();
        let relaxation = Self::assemble(game, program, operators, network, targets, rewards);
        Self { needs, ..relaxation }.in_turns(Rota::new(game, program, operators))
    }

    /// Notes whose turn it is when.
    fn in_turns(mut self, rota: Option<Rota>) -> Self {
        if let Some(rota) = &rota {
            let role = |operator: &u32| rota.bound.get(*operator as usize).copied().flatten();
            let roles = self.network.operator.iter().map(role);
            self.bound = roles.map(|role| role.unwrap_or(NONE)).collect();
        }
        self.rota = rota;
        self
    }

    fn assemble(
        game: &Game,
        program: &GroundProgram,
        operators: &Operators,
        network: Network,
        targets: Vec<Vec<Disjunct>>,
        rewards: Vec<u8>,
    ) -> Self {
        let universe = game.universe();
        let place = |(fluent, holds, not): &(u32, u32, u32)| {
            (universe.fluent(&program.fluents[*fluent as usize]), *holds, *not)
        };
        let counts = |actor: Option<(u32, u32)>| {
            actor.filter(|(role, at)| operators.waits.acts(*role as usize, *at as usize))
        };
        let mut totals = vec![0; program.moves.len()];
        for (role, _) in operators.list.iter().filter_map(|operator| counts(operator.actor)) {
            totals[role as usize] += 1;
        }
        let actor = |operator: &u32| {
            let operator = operators.list.get(*operator as usize);
            operator.and_then(|operator| counts(operator.actor)).map_or(NONE, |(role, _)| role)
        };
        let actors: Vec<u32> = network.operator.iter().map(actor).collect();
        Self {
            places: network.leaves.iter().map(place).collect(),
            fresh: network.need.iter().map(|need| Cell::fresh(*need)).collect(),
            operators: operators.list.len(),
            prices: actors.iter().map(|role| u8::from(*role != NONE)).collect(),
            actors,
            targets,
            needs: Vec::new(),
            rota: None,
            bound: Vec::new(),
            rewards,
            totals,
            turns: operators.waits.turns,
            inexpressible: operators.inexpressible,
            network,
        }
    }

    /// What a node costs.
    #[inline]
    pub(crate) fn price(&self, node: u32) -> u16 {
        u16::from(self.prices[node as usize])
    }

    /// Whether a node can be made while these roles may act.
    #[inline]
    pub(crate) fn may_act(&self, node: u32, acting: Acting) -> bool {
        let role = self.bound[node as usize];
        role == NONE || acting >> role & 1 == 1
    }

    /// Whether a node is an action of a role.
    #[inline]
    pub(crate) fn acts(&self, node: u32, role: u32) -> bool {
        self.actors[node as usize] == role
    }

    /// How many roles there are.
    pub fn roles(&self) -> usize {
        self.targets.len()
    }

    /// The number of actions of a role; waiting does not count.
    pub fn actions(&self, role: game::Role) -> u32 {
        self.totals.get(role.index()).copied().unwrap_or(0)
    }

    /// Who may act in a step.
    pub fn turns(&self) -> Turns {
        self.turns
    }

    /// How large it is.
    pub fn sizes(&self) -> Sizes {
        Sizes {
            nodes: self.network.len(),
            operators: self.operators,
            disjuncts: self.targets.iter().map(Vec::len).sum(),
            inexpressible: self.inexpressible,
        }
    }
}
