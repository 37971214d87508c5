//! Monte-Carlo tree search: UCT on a graph, with a solver, for any number of roles.
//!
//! After Rauber-14 ("Implementation Details", UCT): states reached in several ways share a node, values
//! are propagated only along the path that was visited, and proven values are propagated exactly. Leaves get
//! their values by playouts: step by step on a machine, or hundreds at a time in the lanes of the circuit.
//! Threads share the graph without locks. [`Options`] has everything that can be switched.
//!
//! A node of an [`Effort`] is a simulation here: one way from the root to a leaf and back.
//!
//! | module | concern |
//! |---|---|
//! | `node`, `edges`, `graph`, `recycle` | memory: nodes and their moves, the arena with its table, what to drop |
//! | `hot` | what a thread keeps to itself near the root |
//! | `select`, `path`, `solver` | which move to try, what to do with a result, what is proven |
//! | `playout`, `policy`, `amaf`, `lanes`, `guide`, `judge` | values of leaves and successors, what is learned from moves |
//! | `worker`, `outcome` | one thread at work, and what to play in the end |
//! | `favour` | values of nodes that follow their favourite moves |
//! | `history`, `spread` | what a move may be worth where it was hardly tried, and how much to explore |
//! | `response` | the answer to what others are expected to do at the same time |
//! | `symmetric`, `exchange` | one node for all states that are the same up to symmetry, of roles too |

mod amaf;
mod edges;
mod exchange;
mod favour;
mod graph;
mod guide;
mod haste;
mod history;
mod hot;
mod judge;
mod lanes;
mod node;
mod options;
mod outcome;
mod path;
mod playout;
mod policy;
mod recycle;
mod response;
mod select;
mod solver;
mod spread;
mod symmetric;
mod worker;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use game::{Canonicalizer, Evaluator, Machine, ReasonError, Reasoner, Role, State, SymmetryId};

use crate::class::GameClass;
use crate::effort::{Effort, Meter, Stop};
use crate::hash::{Zobrist, mix};
use crate::interface::Search;
use crate::report::SearchReport;

use graph::{Apart, Graph};
use guide::Guide;
use history::History;
use node::{Bounds, NodeId};
pub use options::{Amaf, Decisive, Final, Options, Playouts, Policy, Simultaneous};
pub use outcome::draw;
use response::Opponents;
use worker::{Pause, Shared, Worker};

/// How long a round takes: afterwards there is a new report. The first rounds are shorter, so that there is
/// something to play from the beginning.
const ROUND: Duration = Duration::from_millis(100);
const FIRST_ROUND: Duration = Duration::from_millis(3);
/// The part of the memory that is in use after recycling.
const KEPT: (usize, usize) = (1, 2);

/// What a round may take in any case.
const SLACK: usize = 1 << 15;

/// Where machines come from.
type Machines = Box<dyn Fn() -> Box<dyn Machine> + Send>;

enum Source {
    Reasoner(Reasoner),
    Machines(Machines),
}

/// The search. It keeps its graph from call to call; the state to search need not be where it was before.
pub struct Mcts {
    options: Options,
    source: Source,
    evaluator: Option<Box<dyn Evaluator>>,
    symmetries: Option<Arc<dyn Canonicalizer>>,
    outer: Vec<Bounds>,
    zobrist: Zobrist,
    graph: Graph,
    workers: Vec<Worker>,
    /// What threads learned about moves before the graph was forgotten: that holds for other states, too.
    guides: Vec<Guide>,
    lanes: Option<bool>,
    /// What others are expected to do where moves are simultaneous.
    opponents: Opponents,
    /// Whether rewards count less the later they come.
    hastes: bool,
    totals: Totals,
}

/// Counts of the last search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Ways from the root to a leaf.
    pub simulations: u64,
    /// Playouts: more than simulations where a leaf got several, fewer where values were proven.
    pub playouts: u64,
    /// Whether playouts were made in lanes.
    pub lanes: bool,
    /// How often memory was recycled.
    pub recycled: u64,
}

impl Mcts {
    /// A search on the machines of a reasoner, in lanes where that pays.
    pub fn new(reasoner: &Reasoner, options: Options) -> Self {
        let roles = reasoner.game().roles().len();
        let universe = reasoner.game().universe();
        let sizes = (universe.fluent_count(), universe.move_count());
        Self::with(Source::Reasoner(reasoner.clone()), roles, sizes, options)
    }

    /// A search on machines of any kind, all of the same game.
    pub fn on_machines(
        machines: impl Fn() -> Box<dyn Machine> + Send + 'static,
        options: Options,
    ) -> Self {
        let machine = machines();
        let universe = machine.game().universe();
        let sizes = (universe.fluent_count(), universe.move_count());
        let roles = machine.game().roles().len();
        Self::with(Source::Machines(Box::new(machines)), roles, sizes, options)
    }

    fn with(
        source: Source,
        roles: usize,
        (fluents, moves): (usize, usize),
        mut options: Options,
    ) -> Self {
        options.threads = options.threads.max(1);
        let mut graph = Graph::new();
        if options.history > 0.0 {
            graph.history = History::new(roles, moves);
        }
        Self {
            outer: vec![Bounds { low: 0, high: 100 }; roles],
            zobrist: Zobrist::new(fluents),
            graph,
            workers: Vec::new(),
            guides: Vec::new(),
            lanes: None,
            opponents: Opponents::new(roles),
            hastes: false,
            totals: Totals::default(),
            evaluator: None,
            symmetries: None,
            source,
            options,
        }
    }

    /// With an evaluator, for the options that use one.
    #[must_use]
    pub fn with_evaluator(mut self, evaluator: Box<dyn Evaluator>) -> Self {
        self.evaluator = Some(evaluator);
        self.workers.clear();
        self
    }

    /// States that are the same up to a symmetry share a node, with values exchanged where it exchanges roles; reports are
    /// about the state that was asked for.
    #[must_use]
    pub fn with_symmetries(mut self, symmetries: Arc<dyn Canonicalizer>) -> Self {
        self.symmetries = Some(symmetries);
        self.widen();
        self.forget();
        self
    }

    /// What is proven about the rewards of a role need not hold for one that plays its part.
    fn widen(&mut self) {
        if self.symmetries.as_ref().is_some_and(|known| known.exchanges_roles()) {
            let low = self.outer.iter().map(|bounds| bounds.low).min().unwrap_or(0);
            let high = self.outer.iter().map(|bounds| bounds.high).max().unwrap_or(100);
            self.outer.fill(Bounds { low, high });
        }
    }

    /// With what is proven about the rewards of the game, and with the constant sum of two roles, if there seems to be one: an end that
    /// refutes it is noticed, and what follows from it is forgotten before the next search.
    #[must_use]
    pub fn with_class(mut self, class: &GameClass) -> Self {
        for (role, outer) in self.outer.iter_mut().enumerate() {
            let (low, high) = class.bounds(Role(role as u32));
            *outer = Bounds { low, high: high.max(low).min(100) };
        }
        let sum = class.constant_sum.value.filter(|_| class.roles == 2);
        self.graph.sum = sum.and_then(|sum| u8::try_from(sum).ok());
        self.widen();
        self.forget();
        self
    }

    /// The options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Counts of the last search.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// The initial state of the game.
    pub fn initial(&mut self) -> Result<State, ReasonError> {
        self.hire();
        self.workers[0].machine.initial()
    }

    fn hire(&mut self) {
        while self.workers.len() < self.options.threads {
            let seed = mix(self.options.seed ^ mix(self.workers.len() as u64));
            let able = match &self.source {
                Source::Reasoner(reasoner) => {
                    let batch = match self.options.decisive {
                        Decisive::Lanes => reasoner.decisive_batch(seed),
                        _ => reasoner.batch(seed),
                    };
                    (reasoner.machine(), batch)
                }
                Source::Machines(make) => (make(), None),
            };
            let uses = &self.options;
            let wanted = uses.bias > 0.0
                || uses.implicit > 0.0
                || uses.prior > 0.0
                || uses.cut_off.is_some();
            let evaluator = self.evaluator.as_ref().filter(|_| wanted).map(|e| e.another());
            let mut worker = Worker::new(self.workers.len(), able, evaluator, seed);
            worker.guide = self.guides.pop().unwrap_or_default();
            self.workers.push(worker);
        }
    }

    /// The options as far as they make sense here.
    fn sensible(&self) -> Options {
        let mut options = self.options.clone();
        if self.evaluator.is_none() {
            (options.bias, options.implicit, options.cut_off) = (0.0, 0.0, None);
            options.prior = 0.0;
        }
        options
    }

    /// The node of a state, made if it is not there.
    fn root(&mut self, state: &State) -> Result<NodeId, Stop> {
        let key = self.zobrist.key(state);
        let known = self.graph.find(key);
        if let Some(id) = known {
            return Ok(id);
        }
        let symmetries = self.symmetries.as_deref();
        let node = self.workers[0].new_node(symmetries, &self.outer, key, state.clone())?;
        self.graph.insert(node, true, 0).ok_or(Stop::Memory)
    }

    /// Whether to use lanes: asked, or measured once for a game.
    fn use_lanes(
        &mut self,
        options: &Options,
        state: &State,
        (effort, timed): (&Effort, bool),
    ) -> bool {
        if options.need_steps() || self.workers[0].batch.is_none() {
            return false;
        }
        match options.playouts {
            Playouts::Stepper => false,
            Playouts::Lanes => true,
            Playouts::Auto if !timed => true,
            Playouts::Auto => {
                if self.lanes.is_none() {
                    let (worker, outer) = (&mut self.workers[0], &self.outer);
                    self.lanes = worker.lanes_pay(options, state, outer, &effort.deadline);
                }
                self.lanes.unwrap_or(false)
            }
        }
    }

    /// Lets all threads search until one has a reason to stop or the round is over.
    fn round(
        &mut self,
        options: &Options,
        root: NodeId,
        meters: &mut [Meter],
        (counts, time): (&Counts, Duration),
    ) -> Result<Pause, Stop> {
        // The clock must not matter where only nodes are limited.
        let timed = meters.first().filter(|_| counts.timed);
        let end = timed.map(|meter| meter.effort().deadline.not_after(Instant::now() + time));
        let shared = Shared {
            options,
            graph: &self.graph,
            zobrist: &self.zobrist,
            symmetries: self.symmetries.as_deref(),
            root,
            outer: &self.outer,
            lanes: counts.lanes,
            begun: &counts.begun.0,
            most: counts.most,
            playouts: &counts.playouts.0,
            deepest: &counts.deepest.0,
            pause: end.and_then(|end| end.instant()),
            // Where not even recycling helps, the search still goes on.
            memory: options.memory.max(self.graph.bytes() + SLACK),
        };
        let shared = &shared;
        let mut pairs = self.workers.iter_mut().zip(meters);
        let Some((worker, meter)) = pairs.next() else { return Ok(Pause::Round) };
        let results: Vec<Result<Pause, Stop>> = std::thread::scope(|scope| {
            let others: Vec<_> =
                pairs.map(|(worker, meter)| scope.spawn(|| worker.run(shared, meter))).collect();
            let first = worker.run(shared, meter);
            let join = |thread: std::thread::ScopedJoinHandle<'_, _>| match thread.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            std::iter::once(first).chain(others.into_iter().map(join)).collect()
        });
        let solved = results.contains(&Ok(Pause::Solved));
        let stopped = results.into_iter().find(Result::is_err);
        if solved { Ok(Pause::Solved) } else { stopped.unwrap_or(Ok(Pause::Round)) }
    }

    /// What has to be done to the graph between two rounds.
    fn look_after(&mut self, root: NodeId, effort: &Effort) {
        if self.graph.is_crowded() {
            self.graph.grow();
        }
        let target = self.options.memory / KEPT.1 * KEPT.0;
        if self.graph.bytes() >= self.options.memory
            && recycle::recycle(&mut self.graph, root, target, &effort.deadline)
        {
            self.totals.recycled += 1;
        }
    }

    fn report(
        &mut self,
        role: Role,
        (root, state, symmetry): (NodeId, &State, SymmetryId),
        meter: &Meter,
        counts: &Counts,
    ) -> SearchReport {
        let symmetries = self.symmetries.as_deref();
        let part = symmetries.map_or(role, |known| known.role(symmetry, role));
        let mut report = outcome::blank(part, self.outer.len());
        outcome::fill(&mut report, &self.options, &self.graph, root);
        if self.options.simultaneous == Simultaneous::Response {
            self.opponents.answer(&mut report, &self.graph, root);
        }
        if let Some(symmetries) = symmetries {
            let real = (&self.graph.node(root).state, state, symmetry);
            let machine = &mut *self.workers[0].machine;
            let exchanges = &self.graph.exchanges;
            symmetric::turn_back(symmetries, exchanges, machine, real, &mut report);
        }
        report.nodes = counts.begun.0.load(Relaxed);
        report.selective_depth = counts.deepest.0.load(Relaxed) as u32;
        report.seconds = meter.seconds();
        report.table = outcome::usage(&self.options, &self.graph);
        report
    }
}

/// What all threads of a search count together.
struct Counts {
    begun: Apart<AtomicU64>,
    playouts: Apart<AtomicU64>,
    deepest: Apart<AtomicU64>,
    most: u64,
    lanes: bool,
    timed: bool,
}

impl Search for Mcts {
    fn name(&self) -> &'static str {
        "uct"
    }

    fn search(
        &mut self,
        state: &State,
        role: Role,
        effort: &Effort,
        observe: &mut dyn FnMut(&SearchReport),
    ) -> Result<SearchReport, ReasonError> {
        if self.graph.sum_refuted.load(Relaxed) {
            self.graph.sum = None;
            self.forget();
        }
        self.hire();
        let timed = effort.deadline.instant().is_some() || effort.nodes.is_none();
        let endless = Effort { nodes: None, ..effort.clone() };
        let mut meters = vec![Meter::start(&endless); self.options.threads];
        let (symmetries, exchanges) = (self.symmetries.as_deref(), &self.graph.exchanges);
        let found =
            symmetric::representative(symmetries, exchanges, self.outer.len(), state.clone());
        let symmetry = found.symmetry;
        self.opponents.learn(self.zobrist.key(&found.state));
        let root = match self.root(&found.state) {
            Ok(root) => root,
            Err(Stop::Machine(error)) => return Err(error),
            Err(stop) => {
                let mut report = outcome::blank(role, self.outer.len());
                report.stop = Some(stop);
                return Ok(report);
            }
        };
        let mut options = self.sensible();
        let lanes = self.use_lanes(&options, state, (effort, timed));
        for worker in &mut self.workers {
            worker.rhythm.fixed = !timed || options.leaves > 0;
            if options.leaves > 0 {
                worker.rhythm.leaves = options.leaves;
            }
        }
        let counts = Counts {
            begun: Apart::default(),
            playouts: Apart::default(),
            deepest: Apart::default(),
            most: effort.nodes.unwrap_or(u64::MAX / 2),
            lanes,
            timed,
        };
        self.totals = Totals { lanes, ..Totals::default() };
        let mut time = FIRST_ROUND;
        let stop = loop {
            let part = self.symmetries.as_deref().map_or(role, |known| known.role(symmetry, role));
            self.hastes = haste::is_due(self.hastes, self.graph.node(root), (part, &self.outer));
            options.discount = if self.hastes { self.options.discount } else { 1.0 };
            let result = self.round(&options, root, &mut meters, (&counts, time));
            time = (time * 2).min(ROUND);
            match result {
                Ok(Pause::Solved) => break Stop::Done,
                Err(stop) => break stop,
                Ok(Pause::Round) => {}
            }
            self.look_after(root, effort);
            if effort.deadline.passed() {
                break if effort.deadline.cancelled() { Stop::Cancelled } else { Stop::Time };
            }
            let report = self.report(role, (root, state, symmetry), &meters[0], &counts);
            observe(&report);
        };
        self.totals.simulations = counts.begun.0.load(Relaxed);
        self.totals.playouts = counts.playouts.0.load(Relaxed);
        let mut report = self.report(role, (root, state, symmetry), &meters[0], &counts);
        report.stop = Some(stop);
        observe(&report);
        Ok(report)
    }

    fn advance(&mut self, _state: &State) {
        // Nodes that cannot be reached any more are the first to go when memory is needed.
        for worker in &mut self.workers {
            worker.policy.decay();
            worker.guide.fade();
            worker.spread.fade();
        }
        self.graph.history.fade();
    }

    fn forget(&mut self) {
        let history = std::mem::take(&mut self.graph.history);
        let sum = self.graph.sum;
        self.graph = Graph::new();
        (self.graph.history, self.graph.sum) = (history, sum);
        self.opponents = Opponents::new(self.outer.len());
        let guides = self.workers.drain(..).map(|worker| worker.guide.for_others());
        self.guides = guides.rev().collect();
    }

    fn use_machine(&mut self, machine: Box<dyn Machine>) {
        // Other threads, and the lanes, get theirs from the reasoner.
        self.workers.clear();
        self.lanes = None;
        self.hire();
        self.workers[0].machine = machine;
    }
}
