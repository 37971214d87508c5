//! Players that search: what a search needs around it to be a thinker.

use std::sync::Arc;
use std::time::Duration;

use game::playout::Random;
use game::{Canonicalizer, Deadline, Evaluator, Foresight, Move, ReasonError, State, Status};
use prove::sat::plan;
use search::planning::Distance;
use search::{Effort, Search, SearchReport};

use crate::thinker::{Context, Thinker, Thought};

/// How long to sleep while the circuit is being built.
const NAP: Duration = Duration::from_millis(2);
/// The part of the start clock that may be spent on waiting for the circuit.
const WAITING: (u32, u32) = (3, 4);

/// Makes a search. It is made again when the circuit arrives: a better machine, lanes, evaluators.
pub(crate) type Make = Box<dyn Fn(&Context, &Deadline) -> Box<dyn Search> + Send>;

/// A thinker that searches.
pub(crate) struct Searcher {
    context: Context,
    make: Make,
    search: Option<Box<dyn Search>>,
    on_circuit: bool,
    random: Random,
    /// The most nodes for a move.
    nodes: Option<u64>,
    /// The greatest depth.
    depth: Option<u32>,
}

impl Searcher {
    /// A thinker with a way to make its search, and limits for each move; 0 for none.
    pub(crate) fn new(context: &Context, nodes: u64, depth: u64, make: Make) -> Self {
        Self {
            make,
            search: None,
            on_circuit: false,
            random: Random::new(context.seed ^ 0x5EED),
            nodes: Some(nodes).filter(|nodes| *nodes > 0),
            depth: Some(depth as u32).filter(|depth| *depth > 0),
            context: context.clone(),
        }
    }

    fn search(&mut self, deadline: &Deadline) -> &mut dyn Search {
        let circuit = self.context.reasoner.gates().is_some();
        if self.search.is_none() || circuit != self.on_circuit {
            self.search = None;
            self.on_circuit = circuit;
        }
        let (make, context) = (&self.make, &self.context);
        &mut **self.search.get_or_insert_with(|| make(context, deadline))
    }

    fn run(
        &mut self,
        state: &State,
        effort: &Effort,
        observe: &mut dyn FnMut(&SearchReport),
    ) -> Result<SearchReport, ReasonError> {
        let role = self.context.role;
        self.search(&effort.deadline).search(state, role, effort, observe)
    }

    fn effort(&self, deadline: &Deadline) -> Effort {
        Effort { deadline: deadline.clone(), nodes: self.nodes, depth: self.depth }
    }
}

/// Waits for the circuit, but not for too long.
pub(crate) fn wait_for_circuit(context: &Context, deadline: &Deadline) {
    let until = deadline.left().map(|left| left * WAITING.0 / WAITING.1);
    let soon = until.map_or_else(Deadline::never, Deadline::within);
    while matches!(context.reasoner.status(), Status::Building)
        && !soon.passed()
        && !deadline.cancelled()
    {
        std::thread::sleep(NAP);
    }
}

/// What a report says to play; mixed strategies are drawn from.
pub(crate) fn thought(report: &SearchReport, random: &mut Random) -> Option<Thought> {
    let mixed = report.moves.first().is_some_and(|first| first.weight < 0.999);
    let action: Option<Move> = if mixed { search::mcts::draw(report, random) } else { report.best };
    action.map(|action| Thought { action, report: Some(report.clone()) })
}

impl Thinker for Searcher {
    fn prepare(&mut self, initial: &State, deadline: &Deadline) -> Result<(), ReasonError> {
        wait_for_circuit(&self.context, deadline);
        self.search(deadline);
        // Without an end of the clock there is nothing to fill; with a limit on nodes moves are the same
        // however long the start clock is.
        if deadline.instant().is_some() && self.nodes.is_none() {
            self.run(initial, &Effort::until(deadline.clone()), &mut |_| ())?;
        }
        Ok(())
    }

    fn think(
        &mut self,
        state: &State,
        deadline: &Deadline,
        note: &mut dyn FnMut(Thought),
    ) -> Result<Option<Thought>, ReasonError> {
        let effort = self.effort(deadline);
        let mut random = self.random.clone();
        self.search(deadline).advance(state);
        let report = self.run(state, &effort, &mut |report| {
            if let Some(thought) = thought(report, &mut random.clone()) {
                note(thought);
            }
        })?;
        let thought = thought(&report, &mut random);
        self.random = random;
        Ok(thought)
    }

    fn ponder(&mut self, state: &State, deadline: &Deadline) -> Result<(), ReasonError> {
        self.run(state, &Effort::until(deadline.clone()), &mut |_| ()).map(|_| ())
    }
}

/// Playouts for a value where nothing else is said: no more than the lanes make in hardly longer than a single one.
const PLAYOUTS: usize = 64;

/// The evaluator with a name, if there is one and the game allows for it.
pub(crate) fn evaluator(
    name: &str,
    context: &Context,
    deadline: &Deadline,
) -> Option<Box<dyn Evaluator>> {
    if name == "learned" {
        return crate::lessons::learned(context, None, &half(deadline))
            .map(|lesson| lesson.evaluator());
    }
    if name == "playouts" {
        return by_playouts(context, (PLAYOUTS, false));
    }
    if let Some(heuristic) = relax::Heuristic::named(name) {
        let shared = relaxation(context, deadline)?;
        return Some(Box::new(relax::Relaxed::new(&shared, heuristic)));
    }
    derived(name, context, &mut structure::NoProver, deadline)
}

/// An evaluator by so many random playouts for each state, which may win at once and not let others do so, if the circuit is there.
pub(crate) fn by_playouts(
    context: &Context,
    (times, decisive): (usize, bool),
) -> Option<Box<dyn Evaluator>> {
    let (reasoner, seed) = (&context.reasoner, context.seed);
    let batch = if decisive { reasoner.decisive_batch(seed) } else { reasoner.batch(seed) }?;
    Some(Box::new(learn::Playouts::new(batch, times, seed)))
}

/// An evaluator made from the rules, with structures of which a prover may know something.
pub(crate) fn derived(
    name: &str,
    context: &Context,
    prover: &mut dyn structure::Prover,
    deadline: &Deadline,
) -> Option<Box<dyn Evaluator>> {
    let method = evaluate::Method::named(if name == "fuzzy" { "distance" } else { name })?;
    let options = evaluate::Options::default();
    let evaluation = method.build_with(prover, &context.reasoner, &options, &half(deadline))?;
    Some(Box::new(evaluation.evaluator()))
}

/// The delete relaxation of the game, if it can be had in time.
pub(crate) fn relaxation(context: &Context, deadline: &Deadline) -> Option<Arc<relax::Relaxation>> {
    relax::Relaxation::of(&context.reasoner, &half(deadline))
}

/// The moves to go in the relaxed game.
pub(crate) fn to_go(
    measure: relax::Measure,
    context: &Context,
    deadline: &Deadline,
) -> Option<Box<dyn Distance>> {
    let shared = relaxation(context, deadline)?;
    Some(Box::new(relax::ToGo::new(&shared, measure)))
}

/// The part of the memory for a SAT solver that looks for plans.
const SAT_SHARE: usize = 4;

/// Somebody who looks ahead by a SAT solver on the circuit, if it is there.
///
/// It is told groups of fluents of which at most one holds, as far as that is proved.
pub(crate) fn foresight(context: &Context, groups: Vec<Vec<usize>>) -> Option<Box<dyn Foresight>> {
    let gates = context.reasoner.gates()?;
    let memory = context.memory / SAT_SHARE;
    let planner = plan::SatPlanner::new(gates, plan::LONGEST, memory, context.seed)?;
    Some(Box::new(planner.with_groups(groups)))
}

/// The part of the play clock that symmetries may cost more than they save before they are switched off (thesis §8.4).
const MOST_LOST: u32 = 30;
/// States for measuring what an expansion costs.
const EXPANSIONS: usize = 50;

/// The symmetries of the game, of roles too where that helps, if there are any and the circuit is there. Where the clock counts,
/// they switch themselves off if they do not pay; with a limit on nodes that would make moves depend on the clock.
pub(crate) fn symmetries(
    context: &Context,
    timed: bool,
    deadline: &Deadline,
) -> Option<Arc<dyn Canonicalizer>> {
    let gates = context.reasoner.gates()?;
    let options = symmetry::Options { deadline: half(deadline), ..symmetry::Options::default() };
    let found = symmetry::detect(context.reasoner.game(), Some(gates), &options);
    let mut machine = gates.machine();
    let size = symmetry::Size::default();
    let table = found.fitting(&mut machine, size, context.seed, &options.deadline)?;
    if !timed {
        return Some(Arc::new(table));
    }
    let prices = symmetry::Prices::measure(&mut machine, &table, EXPANSIONS, context.seed);
    Some(Arc::new(symmetry::Thrifty::new(table, prices, context.play_clock / MOST_LOST)))
}

/// Half of the time that is left.
fn half(deadline: &Deadline) -> Deadline {
    let half = deadline.left().map_or_else(Deadline::never, |left| Deadline::within(left / 2));
    deadline.flag().map_or(half.clone(), |flag| half.or_when(flag))
}
