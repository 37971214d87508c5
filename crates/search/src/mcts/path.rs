//! The way from the root to a leaf, and what is done along it when the leaf has a value.

use std::sync::atomic::Ordering::Relaxed;

use super::edges::Edge;
use super::exchange::{Exchange, Link};
use super::favour;
use super::graph::Graph;
use super::haste;
use super::hot::{Hot, PlaceId};
use super::node::{Bounds, Count as _, Expansion, NONE, Node, NodeId, fixed};
use super::options::{Options, Simultaneous};
use super::select;
use super::solver;

/// A node on the way, with the moves that were chosen in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) node: NodeId,
    /// The number of the joint move, the last role's move changing fastest.
    pub(super) joint: usize,
    /// Where its choices begin in [`Path::chosen`]: one place for each role.
    chosen: usize,
    /// Where its moves begin in the list of all moves of the simulation.
    pub(super) made: usize,
    /// The place of the move that was meant, if its value is known.
    instead_of: Option<usize>,
    /// Where the thread keeps the node apart, if it does.
    apart: Option<PlaceId>,
    /// How the roles change places on the way to the next node.
    pub(super) exchange: Exchange,
}

/// A way through the graph.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    pub(super) steps: Vec<Step>,
    chosen: Vec<u32>,
    pub(super) leaf: NodeId,
    /// From here on the moves of the simulation are those of the roles as they are at the leaf.
    pub(super) made: usize,
    /// What was played last, and in the last two steps: for sequences.
    pub(super) after: [u32; 2],
    /// Whether it leaves the root even if no value of that is known yet.
    pub(super) onward: bool,
}

impl Path {
    /// Begins anew at a root.
    pub(super) fn begin(&mut self, root: NodeId) {
        self.steps.clear();
        self.chosen.clear();
        (self.leaf, self.made, self.after) = (root, 0, [0; 2]);
        self.onward = false;
    }

    /// Arrives where the last step leads to, after so many moves of the simulation.
    pub(super) fn arrive(&mut self, link: Link, made: usize) {
        self.leaf = link.node();
        if let Some(step) = self.steps.last_mut() {
            step.exchange = link.exchange();
        }
        if link.exchange() != Exchange::NONE {
            self.made = made;
        }
    }

    /// Whether a node is on the way.
    pub(super) fn contains(&self, id: NodeId) -> bool {
        self.steps.iter().any(|step| step.node == id)
    }

    /// Leaves the present leaf by moves, given by their places among those of the node.
    pub(super) fn step(
        &mut self,
        node: &Node,
        expansion: &Expansion,
        at: &[usize],
        (made, instead_of): (usize, Option<usize>),
        (hot, apart): (&mut Hot, Option<PlaceId>),
    ) {
        let mut joint = 0;
        for (at, stat) in at.iter().zip(&node.roles) {
            joint = joint * stat.count as usize + (at - stat.first as usize);
            if stat.count > 1 {
                match apart {
                    Some(place) => hot.pend(place, *at, 1),
                    None => _ = expansion.edges.tried(*at).pending.fetch_add(1, Relaxed),
                }
            }
        }
        let chosen = self.chosen.len();
        let (node, exchange) = (self.leaf, Exchange::NONE);
        self.steps.push(Step { node, joint, chosen, made, instead_of, apart, exchange });
        self.chosen.extend(at.iter().map(|at| *at as u32));
    }

    fn chosen(&self, step: &Step, roles: usize) -> &[u32] {
        &self.chosen[step.chosen..step.chosen + roles]
    }

    /// Takes back a way that will not get a value.
    pub(super) fn abandon(&mut self, graph: &Graph, hot: &mut Hot) {
        for step in &self.steps {
            let node = graph.node(step.node);
            if let Some(expansion) = node.expansion() {
                for (at, stat) in self.chosen(step, node.roles.len()).iter().zip(&node.roles) {
                    if stat.count > 1 {
                        done(expansion, *at as usize, (hot, step.apart));
                    }
                }
            }
        }
        self.steps.clear();
    }

    /// Propagates values along the way, and only there (Rauber-14 "UCT"). They are those of the roles of the leaf.
    pub(super) fn back_up(
        &self,
        options: &Options,
        graph: &Graph,
        values: &mut [f64],
        (outer, hot): (&[Bounds], &mut Hot),
    ) {
        let mut below = graph.node(self.leaf);
        count(below, values);
        let mut news = options.solver && below.is_settled();
        for step in self.steps.iter().rev() {
            let node = graph.node(step.node);
            graph.exchanges.back(step.exchange, values);
            let Some(expansion) = node.expansion() else { continue };
            if options.history > 0.0 {
                self.learn(graph, node, step, values);
            }
            match node.mover() {
                Some(role) => {
                    let part = graph.exchanges.to(step.exchange, role);
                    let at = self.chosen(step, values.len())[role] as usize;
                    let edge = expansion.edges.tried(at);
                    if options.solver {
                        let bounds = below.roles[part].bounds.get();
                        news = edge.bounds.tighten(bounds) || news;
                    }
                    if node.roles[role].count > 1 {
                        done(expansion, at, (hot, step.apart));
                    }
                    match step.apart {
                        Some(place) => hot.visit(place, at, values[role]),
                        None => visit(edge, below, part, values[role]),
                    }
                    if options.favour > 0.0 {
                        favour::note(expansion, at);
                    }
                }
                None => self.back_up_several(options, graph, step, values),
            }
            news = news && solver::update(graph, node, outer);
            if let (true, Some(role)) = (options.implicit > 0.0, node.mover()) {
                let visited = self.chosen(step, values.len())[role] as usize;
                back_up_implicit(graph, node, (expansion, role, visited));
            }
            if let Some(meant) = step.instead_of {
                let edge = expansion.edges.tried(meant);
                take_known(graph, edge, values);
                match (step.apart, node.mover()) {
                    (Some(place), Some(role)) => hot.visit(place, meant, values[role]),
                    _ => visit_known(edge),
                }
            }
            haste::earlier(options, (graph, outer), values, 1);
            match step.apart {
                Some(place) => hot.count(place, node, values),
                None => count(node, values),
            }
            if options.favour > 0.0 && node.mover().is_some() {
                favour::follow(options, (graph, outer), node, expansion);
            }
            below = node;
        }
    }

    /// What the moves of a step yielded more than the node did before.
    fn learn(&self, graph: &Graph, node: &Node, step: &Step, values: &[f64]) {
        for (role, at) in self.chosen(step, values.len()).iter().enumerate() {
            if node.roles[role].count > 1 {
                let advantage = (values[role] - node.mean(role)) / 100.0;
                graph.history.learn(role, node.moves[*at as usize], advantage);
            }
        }
    }

    fn back_up_several(&self, options: &Options, graph: &Graph, step: &Step, values: &[f64]) {
        let node = graph.node(step.node);
        let Some(expansion) = node.expansion() else { return };
        let mut stride = node.joint_count();
        for (role, at) in self.chosen(step, values.len()).iter().enumerate() {
            let stat = &node.roles[role];
            stride /= (stat.count as usize).max(1);
            if stat.count <= 1 {
                continue;
            }
            let edge = expansion.edges.tried(*at as usize);
            edge.pending.fetch_sub(1, Relaxed);
            edge.visit(1, values[role]);
            if let (Simultaneous::Regret, Some(children)) =
                (options.simultaneous, &expansion.children)
            {
                let mean = node.mean(role);
                let would = |other: usize| {
                    let joint = step.joint - (*at as usize - stat.first as usize) * stride
                        + (other - stat.first as usize) * stride;
                    let child = children.get(joint);
                    let part = graph.exchanges.to(child.exchange(), role);
                    graph.linked(child).map_or(mean, |child| child.mean(part))
                };
                select::learn_regret(node, expansion, role, would(*at as usize), would);
            }
        }
    }
}

/// The values of a move that are known: those are what the nodes above get.
fn take_known(graph: &Graph, edge: &Edge, values: &mut [f64]) {
    let link = edge.child();
    let Some(child) = graph.linked(link) else { return };
    for (role, value) in values.iter_mut().enumerate() {
        let stat = &child.roles[graph.exchanges.to(link.exchange(), role)];
        *value = stat.bounds.get().clamp(*value);
    }
}

/// A visit of a move whose value is known: the bounds of the edge make its mean exact.
fn visit_known(edge: &Edge) {
    edge.set_mean(edge.mean());
    edge.visits.add(1);
}

/// A visit of a move that leads to a node.
fn visit(edge: &Edge, below: &Node, part: usize, value: f64) {
    if below.visits() > edge.visits.load(Relaxed) {
        edge.visits.add(1);
        edge.set_mean(below.value(part));
    } else {
        // The node was made anew: it knows less than the edge.
        edge.visit(1, value);
    }
}

/// A visit of a move is not under way any more.
fn done(expansion: &Expansion, at: usize, (hot, apart): (&mut Hot, Option<PlaceId>)) {
    match apart {
        Some(place) => hot.pend(place, at, -1),
        None => _ = expansion.edges.tried(at).pending.fetch_sub(1, Relaxed),
    }
}

/// Counts a visit with its values, which are moved into what is proven.
fn count(node: &Node, values: &mut [f64]) {
    node.visit();
    for (stat, value) in node.roles.iter().zip(values) {
        *value = stat.bounds.get().clamp(*value);
        stat.sum.add(fixed(*value));
    }
}

/// Implicit minimax backups (Lanctot, Winands, Pepels and Sturtevant 2014), in the way of max^n: the role
/// that moves takes the child of highest value for it. Only the child that was visited is looked at: the others may have changed
/// where other nodes lead to them as well, but each of them is elsewhere in memory.
fn back_up_implicit(
    graph: &Graph,
    node: &Node,
    (expansion, role, visited): (&Expansion, usize, usize),
) {
    let edge = expansion.edges.tried(visited);
    if let Some(below) = graph.linked(edge.child()) {
        let stat = &below.roles[graph.exchanges.to(edge.child().exchange(), role)];
        edge.implicit.set(stat.bounds.get().clamp(stat.implicit.get()));
    }
    let mut best: Option<(f64, Link)> = None;
    for edge in expansion.edges.within(node.range(role)) {
        // Not a number unless all successors were evaluated.
        let value = edge.bounds.get().clamp(edge.implicit.get());
        if !edge.implicit.plain().is_nan() && best.is_none_or(|(most, _)| value > most) {
            best = Some((value, edge.child()));
        }
    }
    if let Some((value, Link(NONE))) = best {
        // Only the value of the role that moves is known: what it gains, the others lose.
        let gain = value - node.roles[role].implicit.get();
        let others = node.roles.len().saturating_sub(1).max(1) as f64;
        for (at, own) in node.roles.iter().enumerate() {
            let old = own.implicit.get();
            own.implicit.set(if at == role {
                value
            } else {
                (old - gain / others).clamp(0.0, 100.0)
            });
        }
    } else if let Some((_, link)) = best
        && let Some(child) = graph.linked(link)
    {
        for (role, own) in node.roles.iter().enumerate() {
            let from = &child.roles[graph.exchanges.to(link.exchange(), role)];
            own.implicit.set(from.bounds.get().clamp(from.implicit.get()));
        }
    }
}
