//! One thread of the search: goes down the graph, adds nodes, gets values for leaves, backs them up.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use game::playout::Random;
use game::{Batch, Canonicalizer, Evaluator, JointMove, Machine, Move, Role, State};

use crate::effort::{Meter, Stop};
use crate::hash::{Key, Zobrist};
use crate::rewards::{Look, Turn, rewards};

use super::amaf::{self, Made, Seen};
use super::edges::Edge;
use super::exchange::{Exchange, Link};
use super::graph::Graph;
use super::guide::Guide;
use super::haste;
use super::hot::{Hot, PlaceId};
use super::lanes::Rhythm;
use super::node::{Bounds, Expansion, NONE, Node, NodeId};
use super::options::{Amaf, Decisive, Options, Policy as PolicyOption, Simultaneous};
use super::path::Path;
use super::playout::{self, Tools, digest, digest_two};
use super::policy::Policy;
use super::select::{self, View};
use super::spread::Spread;
use super::symmetric::representative;

/// How often a role moves at random where several choose. Without it, roles with equal statistics choose
/// alike for ever, and never learn what else could happen (own choice; that decoupled UCT needs
/// randomness is a finding of Shafiei, Sturtevant and Schaeffer 2009).
const INDEPENDENCE: f64 = 0.1;

/// Simulations by steps after which threads tell each other about nodes near the root.
const UNFLUSHED: u32 = 16;

/// What all threads of a round share.
pub(super) struct Shared<'s> {
    pub(super) options: &'s Options,
    pub(super) graph: &'s Graph,
    pub(super) zobrist: &'s Zobrist,
    /// States that are the same up to symmetry share a node.
    pub(super) symmetries: Option<&'s dyn Canonicalizer>,
    pub(super) root: NodeId,
    /// What is known about the values of every node.
    pub(super) outer: &'s [Bounds],
    /// Whether playouts are made by the lanes.
    pub(super) lanes: bool,
    /// Simulations begun, and the most of them.
    pub(super) begun: &'s AtomicU64,
    pub(super) most: u64,
    /// Playouts made: more than simulations where a leaf gets several.
    pub(super) playouts: &'s AtomicU64,
    /// The deepest leaf.
    pub(super) deepest: &'s AtomicU64,
    /// When the round is over.
    pub(super) pause: Option<Instant>,
    /// The bytes at which the round is over.
    pub(super) memory: usize,
}

impl Shared<'_> {
    /// The state that stands for a successor of a node, its key, and how the roles change places.
    pub(super) fn place_of(&self, node: &Node, next: State) -> (Key, State, Exchange) {
        let exchanges = &self.graph.exchanges;
        let found = representative(self.symmetries, exchanges, self.outer.len(), next);
        let key = self.zobrist.update(node.key, &node.state, &found.state);
        (key, found.state, found.exchange)
    }
}

/// Why a thread came back without being told to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pause {
    /// The round is over, or the graph has to be looked after.
    Round,
    /// The value of the root is proven.
    Solved,
}

/// What a thread owns; it lives as long as the search.
pub(super) struct Worker {
    /// Which of the threads it is.
    number: usize,
    pub(super) machine: Box<dyn Machine>,
    pub(super) batch: Option<Batch>,
    pub(super) evaluator: Option<Box<dyn Evaluator>>,
    pub(super) policy: Policy,
    pub(super) guide: Guide,
    pub(super) random: Random,
    pub(super) rhythm: Rhythm,
    pub(super) spread: Spread,
    pub(super) look: Look,
    pub(super) paths: Vec<Path>,
    made: Vec<Made>,
    seen: Seen,
    chosen: Vec<usize>,
    pub(super) hot: Hot,
    pub(super) values: Vec<f64>,
}

impl Worker {
    pub(super) fn new(
        number: usize,
        (machine, batch): (Box<dyn Machine>, Option<Batch>),
        evaluator: Option<Box<dyn Evaluator>>,
        seed: u64,
    ) -> Self {
        Self {
            number,
            machine,
            batch,
            evaluator,
            policy: Policy::default(),
            guide: Guide::default(),
            random: Random::new(seed),
            rhythm: Rhythm::default(),
            spread: Spread::default(),
            look: Look::default(),
            paths: vec![Path::default()],
            made: Vec::new(),
            seen: Seen::default(),
            chosen: Vec::new(),
            hot: Hot::default(),
            values: Vec::new(),
        }
    }

    /// Simulates until it has to stop or pause.
    pub(super) fn run(&mut self, shared: &Shared<'_>, meter: &mut Meter) -> Result<Pause, Stop> {
        self.values.resize(shared.outer.len(), 0.0);
        self.hot.begin(shared.options.threads > 1);
        let result = self.simulate(shared, meter);
        self.hot.flush(shared.graph);
        result
    }

    fn simulate(&mut self, shared: &Shared<'_>, meter: &mut Meter) -> Result<Pause, Stop> {
        let mut unflushed = 0;
        loop {
            if shared.options.solver && shared.graph.node(shared.root).is_settled() {
                return Ok(Pause::Solved);
            }
            if shared.graph.is_crowded() || shared.graph.bytes() >= shared.memory {
                return Ok(Pause::Round);
            }
            meter.check()?;
            if shared.pause.is_some_and(|pause| Instant::now() >= pause) {
                return Ok(Pause::Round);
            }
            if shared.lanes && self.batch.is_some() {
                self.simulate_in_lanes(shared, meter)?;
            } else {
                self.simulate_by_steps(shared, meter)?;
                unflushed += 1;
                if unflushed == UNFLUSHED {
                    self.hot.flush(shared.graph);
                    self.spread.settle();
                    unflushed = 0;
                }
            }
        }
    }

    /// Takes tickets for simulations: as many as there are, `wanted` at most.
    pub(super) fn begin(shared: &Shared<'_>, wanted: usize) -> usize {
        let before = shared.begun.fetch_add(wanted as u64, Relaxed);
        let granted = shared.most.saturating_sub(before).min(wanted as u64);
        if granted < wanted as u64 {
            shared.begun.fetch_sub(wanted as u64 - granted, Relaxed);
        }
        granted as usize
    }

    fn simulate_by_steps(&mut self, shared: &Shared<'_>, meter: &mut Meter) -> Result<(), Stop> {
        if Self::begin(shared, 1) == 0 {
            return Err(Stop::Nodes);
        }
        let mut path = std::mem::take(&mut self.paths[0]);
        let result = self.simulation(shared, meter, &mut path);
        if result.is_err() {
            path.abandon(shared.graph, &mut self.hot);
            shared.begun.fetch_sub(1, Relaxed);
        }
        self.paths[0] = path;
        result
    }

    fn simulation(
        &mut self,
        shared: &Shared<'_>,
        meter: &mut Meter,
        path: &mut Path,
    ) -> Result<(), Stop> {
        let options = shared.options;
        let wanted = options.amaf != Amaf::Off || options.policy != PolicyOption::Uniform;
        self.descend(shared, meter, path)?;
        let leaf = shared.graph.node(path.leaf);
        let mut values = std::mem::take(&mut self.values);
        let result = if settled_values(leaf, &mut values) {
            Ok(())
        } else {
            shared.playouts.fetch_add(1, Relaxed);
            let mut tools = Tools {
                options,
                machine: &mut *self.machine,
                evaluator: self.evaluator.as_deref_mut(),
                policy: &self.policy,
                random: &mut self.random,
                meter,
                look: &mut self.look,
                outer: shared.outer,
            };
            let made = wanted.then_some(&mut self.made);
            tools.play(&leaf.state, path.after, made, &mut values).map(|length| {
                haste::earlier(options, (shared.graph, shared.outer), &mut values, length);
                if options.spread {
                    self.spread.note(values.iter().copied());
                }
            })
        };
        if result.is_ok() {
            let tools = (shared.outer, &mut self.hot);
            path.back_up(options, shared.graph, &mut values.clone(), tools);
            if options.amaf != Amaf::Off {
                let actions = self.machine.game().universe().move_count();
                let memory = (&mut self.seen, actions);
                amaf::learn(options, shared.graph, path, &self.made, &values, memory);
            }
            // Moves made before roles were exchanged are those of other roles.
            self.policy.learn(options, &self.made[path.made.min(self.made.len())..], &values);
        }
        self.values = values;
        result
    }

    /// Goes down from the root to a leaf.
    fn descend(
        &mut self,
        shared: &Shared<'_>,
        meter: &mut Meter,
        path: &mut Path,
    ) -> Result<(), Stop> {
        path.begin(shared.root);
        self.made.clear();
        while self.go_down(shared, meter, path)? {}
        Ok(())
    }

    /// Goes down one step, unless the path is at a leaf: a new node, a settled one, or one that was met before on the way.
    pub(super) fn go_down(
        &mut self,
        shared: &Shared<'_>,
        meter: &mut Meter,
        path: &mut Path,
    ) -> Result<bool, Stop> {
        let node = shared.graph.node(path.leaf);
        if node.turn == Turn::End
            || (node.visits() == 0 && !(path.onward && path.steps.is_empty()))
            || (shared.options.solver && node.is_settled())
            || path.contains(path.leaf)
        {
            let depth = path.steps.len() as u64;
            if shared.deepest.load(Relaxed) < depth {
                shared.deepest.fetch_max(depth, Relaxed);
            }
            return Ok(false);
        }
        let expansion = self.expand(shared, node);
        if shared.options.prior > 0.0 {
            self.judge(shared, meter, node, expansion)?;
        }
        if shared.options.history > 0.0 && node.visits().is_power_of_two() {
            let turn = self.random.below(node.moves.len().max(1));
            shared.graph.history.guess(node, expansion, turn);
        }
        let made = self.made.len();
        let apart = self.hot.place(path.leaf, node);
        let instead_of = self.select(shared, path, (node, apart), expansion);
        if shared.options.need_steps() {
            self.note_moves(node, path.after);
            let last = digest(self.chosen.iter().map(|at| node.moves[*at]));
            path.after = [last, digest_two(path.after[0], last)];
        }
        let tools = (&mut self.hot, apart);
        path.step(node, expansion, &self.chosen, (made, instead_of), tools);
        let link = self.child(shared, meter, node, expansion, path)?;
        path.arrive(link, self.made.len());
        Ok(true)
    }

    /// The expansion of a node. Where guesses say which moves to try first, moves get edges when they are tried; but not where more is asked about untried ones.
    fn expand<'n>(&self, shared: &Shared<'_>, node: &'n Node) -> &'n Expansion {
        let widening = shared.options.history > 0.0 && shared.options.amaf == Amaf::Off;
        let (expansion, bytes) = node.expand(shared.outer, widening);
        shared.graph.took(bytes, self.number);
        expansion
    }

    /// The edge of a move of a role in a node, made if it is not there.
    pub(super) fn open<'e>(
        &self,
        shared: &Shared<'_>,
        node: &Node,
        (expansion, at, role): (&'e Expansion, usize, usize),
    ) -> &'e Edge {
        let (edge, bytes) = expansion.edges.open(at, || guess(shared, node, role, at));
        shared.graph.took(bytes, self.number);
        edge
    }

    /// Chooses a move for each role; the move that was meant, where its value is known.
    fn select(
        &mut self,
        shared: &Shared<'_>,
        path: &Path,
        (node, apart): (&Node, Option<PlaceId>),
        expansion: &Expansion,
    ) -> Option<usize> {
        self.chosen.clear();
        let mut instead_of = None;
        let options = shared.options;
        let several = node.turn == Turn::Several;
        let regret = several && options.simultaneous == Simultaneous::Regret;
        let settled = |child: Link| {
            options.solver && !several && shared.graph.linked(child).is_some_and(Node::is_settled)
        };
        for (role, stat) in node.roles.iter().enumerate() {
            let at = if stat.count <= 1 {
                stat.first as usize
            } else if regret {
                select::by_regret(node, expansion, role, &mut self.random)
            } else if several && select::unit(&mut self.random) < INDEPENDENCE {
                stat.first as usize + self.random.below(stat.count as usize)
            } else {
                let amaf = amaf::view(options, shared.graph, path, node, role);
                let turn = self.random.below(node.moves.len());
                let view = View {
                    role,
                    exploration: options.exploration as f32 * self.spread.part(role),
                    amaf: amaf.as_ref(),
                    own: apart.map(|place| self.hot.edges(place)),
                    next: expansion.edges.next(turn, |at| guess(shared, node, role, at)),
                };
                let random = &mut self.random;
                let choice = select::by_ucb(options, node, expansion, &view, settled, random);
                instead_of = choice.instead_of;
                choice.at
            };
            if node.mover() == Some(role) {
                self.open(shared, node, (expansion, at, role));
            }
            self.chosen.push(at);
        }
        instead_of
    }

    fn note_moves(&mut self, node: &Node, after: [u32; 2]) {
        for (role, stat) in node.roles.iter().enumerate().filter(|(_, stat)| stat.count > 1) {
            debug_assert!(self.chosen[role] >= stat.first as usize);
            let action = node.moves[self.chosen[role]];
            self.made.push(Made { role: role as u32, action, after });
        }
    }

    /// The node that the chosen moves lead to, made if it is not there.
    fn child(
        &mut self,
        shared: &Shared<'_>,
        meter: &mut Meter,
        node: &Node,
        expansion: &Expansion,
        path: &Path,
    ) -> Result<Link, Stop> {
        let step = path.steps[path.steps.len() - 1];
        let edge = node.mover().map(|role| (role, expansion.edges.tried(self.chosen[role])));
        let known = match (&edge, &expansion.children) {
            (Some((_, edge)), _) => edge.child(),
            (None, Some(children)) => children.get(step.joint),
            (None, None) => Link(NONE),
        };
        if known.node() != NONE {
            return Ok(known);
        }
        meter.count()?;
        let joint: JointMove = self.chosen.iter().map(|at| node.moves[*at]).collect();
        let next = self.machine.next(&node.state, &joint)?;
        let (key, next, exchange) = shared.place_of(node, next);
        let child = self.node_of(shared, key, next)?;
        let link = Link::new(child, exchange);
        if let Some((role, edge)) = edge {
            let prior = prior(shared.graph.node(child), shared.graph.exchanges.to(exchange, role));
            edge.prior.set(prior);
            edge.implicit.set(prior);
            edge.set_child(link);
        } else if let Some(children) = &expansion.children {
            children.set(step.joint, link);
        }
        Ok(link)
    }

    /// The node of a state, made if it is not there.
    pub(super) fn node_of(
        &mut self,
        shared: &Shared<'_>,
        key: Key,
        state: State,
    ) -> Result<NodeId, Stop> {
        if shared.options.transpositions
            && let Some(known) = shared.graph.find(key)
        {
            return Ok(known);
        }
        let node = self.new_node(shared.symmetries, shared.outer, key, state)?;
        let decided = node.turn == Turn::End;
        if decided {
            shared.graph.check_sum(&node);
        }
        let id = shared.graph.insert(node, shared.options.transpositions, self.number);
        let id = id.ok_or(Stop::Memory)?;
        let looks = matches!(shared.options.decisive, Decisive::Tree | Decisive::All);
        if !decided && shared.options.solver && looks {
            self.look_for_win(shared, id)?;
        }
        Ok(id)
    }

    /// A node with all that the rules say about a state; of moves that the symmetries of the state exchange, one.
    pub(super) fn new_node(
        &mut self,
        symmetries: Option<&dyn Canonicalizer>,
        outer: &[Bounds],
        key: Key,
        state: State,
    ) -> Result<Node, Stop> {
        let turn = self.look.at(&mut *self.machine, &state)?;
        if turn == Turn::End {
            let goals = rewards(&mut *self.machine, &state)?;
            let exact = goals.into_iter().map(Bounds::exact);
            return Ok(Node::new(key, state, turn, &self.look.moves, exact));
        }
        if let (Turn::Of(role), Some(symmetries)) =
            (turn, symmetries.filter(|known| !known.is_off()))
        {
            symmetries.distinct(&state, role, &mut self.look.moves[role.index()]);
        }
        let node = Node::new(key, state, turn, &self.look.moves, outer.iter().copied());
        if let Some(evaluator) = &mut self.evaluator {
            let mut values = vec![50.0; outer.len()];
            playout::evaluate(&mut **evaluator, &node.state, &mut values);
            node.roles.iter().zip(values).for_each(|(role, value)| role.implicit.set(value));
        }
        Ok(node)
    }

    /// Looks for a move that wins at once, and settles the node if there is one. Where it is the turn of
    /// another role, this makes the move before a proven loss: the anti-decisive moves remain.
    fn look_for_win(&mut self, shared: &Shared<'_>, id: NodeId) -> Result<(), Stop> {
        let node = shared.graph.node(id);
        let Turn::Of(Role(role)) = node.turn else { return Ok(()) };
        let mut joint: Vec<Move> =
            node.roles.iter().map(|stat| node.moves[stat.first as usize]).collect();
        for at in node.range(role as usize) {
            joint[role as usize] = node.moves[at];
            let machine = &mut *self.machine;
            let Some(end) = playout::wins(machine, &node.state, &joint, Role(role), shared.outer)?
            else {
                continue;
            };
            let key = shared.zobrist.key(&end);
            let child = self.node_of(shared, key, end)?;
            let expansion = self.expand(shared, node);
            let edge = self.open(shared, node, (expansion, at, role as usize));
            edge.set_child(Link::new(child, Exchange::NONE));
            super::solver::update(shared.graph, node, shared.outer);
            return Ok(());
        }
        Ok(())
    }
}

/// What a move may be worth more or less than its node.
fn guess(shared: &Shared<'_>, node: &Node, role: usize, at: usize) -> f64 {
    shared.graph.history.advantage(role, node.moves[at])
}

/// What the evaluator says about a node; what the rules say where it is an end.
fn prior(node: &Node, role: usize) -> f64 {
    let stat = &node.roles[role];
    let bounds = stat.bounds.get();
    if bounds.is_exact() { f64::from(bounds.low) } else { stat.implicit.get() }
}

/// The values of a node that is settled.
pub(super) fn settled_values(node: &Node, values: &mut [f64]) -> bool {
    if !node.is_settled() {
        return false;
    }
    for (value, stat) in values.iter_mut().zip(&node.roles) {
        *value = f64::from(stat.bounds.get().low);
    }
    true
}
