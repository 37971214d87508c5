//! The relaxed planning graph of a state: when everything is first reached, and by what.
//!
//! Layers are worked off one after the other (Rauber-14, "Delete Relaxation Heuristics"); it suffices to keep the
//! layer in which something first appears. Within a layer what costs fewer actions comes first, so that among the
//! achievers of the first layer the easiest one is kept, as FF does (Hoffmann, Nebel 2001). Each node is reached
//! once: a generalised Dijkstra search (Knuth 1977).

use std::sync::Arc;

use game::State;

use crate::network::{NONE, Parent};
use crate::relaxation::{Disjunct, Relaxation};
use crate::rota::{Acting, Rota};

/// How costs are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Count {
    /// By layers, then by sums of actions.
    Layers,
    /// By sums of actions alone.
    Sums,
}

/// Sums are not counted beyond this.
const MOST: u16 = 1023;
const UNREACHED: u16 = u16::MAX;
const EVERYBODY: Acting = Acting::MAX;

/// What is known about a node; all of it in one place of memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    /// How many children are still needed.
    left: u16,
    /// Sum of the costs of the children reached so far; once reached, the cost of the node.
    sum: u16,
    /// The cheapest way to a node that is waiting.
    best: u16,
    layer: u16,
    /// By which child a node that needs one was reached.
    by: u32,
}

impl Cell {
    /// Nothing is reached yet.
    pub(crate) fn fresh(need: u32) -> Self {
        let left = u16::try_from(need).unwrap_or(u16::MAX);
        Self { left, sum: 0, best: u16::MAX, layer: UNREACHED, by: NONE }
    }
}

/// The graph, and the memory for it: one for each thread.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    shared: Arc<Relaxation>,
    cells: Vec<Cell>,
    buckets: Vec<Vec<u32>>,
    pending: Vec<u32>,
    /// Who may act in the layer at hand, and actions of others that wait for their turn.
    acting: Acting,
    held: Vec<u32>,
    /// Marks of the last extraction.
    stamp: u32,
    marked: Vec<u32>,
    /// For each operator when it was marked, and in which layers.
    used: Vec<(u32, u64)>,
    stack: Vec<u32>,
}

impl Graph {
    pub(crate) fn new(shared: Arc<Relaxation>) -> Self {
        let nodes = shared.network.len();
        let (operators, cells) = (shared.operators, shared.fresh.clone());
        Self {
            shared,
            cells,
            buckets: vec![Vec::new(); MOST as usize + 1],
            pending: Vec::new(),
            acting: EVERYBODY,
            held: Vec::new(),
            stamp: 0,
            marked: vec![0; nodes],
            used: vec![(0, 0); operators],
            stack: Vec::new(),
        }
    }

    /// Builds the graph of a state up to its fixpoint.
    pub(crate) fn build(&mut self, state: &State, count: Count) {
        self.grow::<false>(state, count, None, u32::MAX);
    }

    /// Builds the first layers of the graph of a state, in which roles act in their turns only, where these are known.
    pub(crate) fn build_in_turns(&mut self, state: &State, most: u32) {
        let shared = self.shared.clone();
        match &shared.rota {
            Some(rota) => self.grow::<true>(state, Count::Layers, Some(rota), most),
            None => self.grow::<false>(state, Count::Layers, None, most),
        }
    }

    /// With `TURNS` actions wait for their turn.
    fn grow<const TURNS: bool>(
        &mut self,
        state: &State,
        count: Count,
        rota: Option<&Rota>,
        most: u32,
    ) {
        let shared = self.shared.clone();
        self.cells.copy_from_slice(&shared.fresh);
        self.pending.clear();
        self.held.clear();
        let mut highest = 0u16;
        for (fluent, holds, not) in &shared.places {
            let node = if state.contains(*fluent) { *holds } else { *not };
            if node != NONE {
                self.wait(node, NONE, 0, &mut highest);
            }
        }
        for node in &shared.network.given {
            self.wait(*node, NONE, shared.price(*node), &mut highest);
        }
        let mut turn = rota.map(|rota| (rota, rota.turn(state)));
        let (mut layer, mut idle) = (0u16, 0);
        loop {
            self.acting = turn.map_or(EVERYBODY, |(rota, turn)| rota.acting(turn));
            self.release::<TURNS>(&shared, &mut highest);
            self.work_off::<TURNS>(&shared, layer, count, &mut highest);
            idle = if self.pending.is_empty() { idle + 1 } else { 0 };
            // Who has had no turn by then will have none.
            let waiting = !self.held.is_empty() && rota.is_some_and(|rota| idle <= rota.period());
            if (self.pending.is_empty() && !waiting) || u32::from(layer) >= most {
                return;
            }
            // So many layers are never needed; a node that came later would only come too early.
            layer = (layer + 1).min(UNREACHED - 1);
            turn = turn.map(|(rota, turn)| (rota, rota.after(turn)));
            highest = 0;
        }
    }

    /// Lets nodes come that waited for this layer.
    fn release<const TURNS: bool>(&mut self, shared: &Relaxation, highest: &mut u16) {
        let mut nodes = std::mem::take(&mut self.pending);
        let acting = self.acting;
        if TURNS {
            nodes.extend(self.held.extract_if(.., |node| shared.may_act(*node, acting)));
        }
        for node in nodes.drain(..) {
            let cell = &self.cells[node as usize];
            if cell.layer == UNREACHED {
                let cost = cell.best;
                self.buckets[cost as usize].push(node);
                *highest = (*highest).max(cost);
            }
        }
        self.pending = nodes;
    }

    #[inline]
    fn wait(&mut self, node: u32, by: u32, cost: u16, highest: &mut u16) {
        let cost = cost.min(MOST);
        let cell = &mut self.cells[node as usize];
        if cost < cell.best {
            (cell.best, cell.by) = (cost, by);
            self.buckets[cost as usize].push(node);
            *highest = (*highest).max(cost);
        }
    }

    fn work_off<const TURNS: bool>(
        &mut self,
        shared: &Relaxation,
        layer: u16,
        count: Count,
        highest: &mut u16,
    ) {
        let network = &shared.network;
        let mut cost = 0u16;
        while cost <= *highest {
            while let Some(node) = self.buckets[cost as usize].pop() {
                let cell = &mut self.cells[node as usize];
                if cell.layer != UNREACHED || cell.best != cost {
                    continue;
                }
                (cell.layer, cell.sum) = (layer, cost);
                let later = network.delayed[node as usize] && count == Count::Layers;
                for parent in network.parents(node) {
                    self.offer::<TURNS>(shared, *parent, node, cost, later, highest);
                }
            }
            cost += 1;
        }
    }

    /// Tells a node that one of its children is reached.
    #[inline]
    fn offer<const TURNS: bool>(
        &mut self,
        shared: &Relaxation,
        parent: Parent,
        child: u32,
        cost: u16,
        later: bool,
        highest: &mut u16,
    ) {
        let node = parent.node();
        let cell = &mut self.cells[node as usize];
        if cell.layer != UNREACHED {
            return;
        }
        if parent.needs_all() {
            cell.sum = cell.sum.saturating_add(cost);
            cell.left -= 1;
            if cell.left == 0 {
                let cost = cell.sum.saturating_add(shared.price(node));
                if !TURNS || shared.may_act(node, self.acting) {
                    self.wait(node, child, cost, highest);
                } else {
                    (cell.best, cell.by) = (cost.min(MOST), child);
                    self.held.push(node);
                }
            }
        } else if !later {
            self.wait(node, child, cost, highest);
        } else if cost < cell.best {
            (cell.best, cell.by) = (cost, child);
            self.pending.push(node);
        }
    }

    fn is_reached(&self, disjunct: &Disjunct) -> bool {
        disjunct.iter().all(|node| self.cells[*node as usize].layer != UNREACHED)
    }

    /// The layer in which a disjunct is first reached.
    pub(crate) fn layer(&self, disjunct: &Disjunct) -> Option<u32> {
        let layers = disjunct.iter().map(|node| self.cells[*node as usize].layer);
        self.is_reached(disjunct).then(|| u32::from(layers.max().unwrap_or(0)))
    }

    /// The layer in which one of the disjuncts is first reached.
    pub(crate) fn first_layer(&self, target: &[Disjunct]) -> Option<u32> {
        target.iter().filter_map(|disjunct| self.layer(disjunct)).min()
    }

    /// The least sum of costs of a disjunct.
    pub(crate) fn least_sum(&self, target: &[Disjunct]) -> Option<u32> {
        let reached = target.iter().filter(|disjunct| self.is_reached(disjunct));
        reached.map(|disjunct| self.sum_of(disjunct)).min()
    }

    fn sum_of(&self, disjunct: &Disjunct) -> u32 {
        disjunct.iter().map(|node| u32::from(self.cells[*node as usize].sum)).sum()
    }

    /// The length of the shortest relaxed plan that the graph has for one of the disjuncts.
    pub(crate) fn plan_length(&mut self, target: &[Disjunct]) -> Option<u32> {
        // The cheapest first, so that others are soon seen to be longer.
        let reached = target.iter().filter(|disjunct| self.is_reached(disjunct));
        let first = reached.min_by_key(|disjunct| self.sum_of(disjunct))?;
        let mut shortest = self.extract(first, u32::MAX);
        for disjunct in target.iter().filter(|disjunct| !std::ptr::eq(*disjunct, first)) {
            if self.is_reached(disjunct) {
                let most = shortest.unwrap_or(u32::MAX);
                shortest = self.extract(disjunct, most).or(shortest);
            }
        }
        shortest
    }

    /// FF extraction: the number of actions marked for a disjunct; none if they are not fewer than `most`. An
    /// action counts once for each layer in which it is needed, whatever number of its effects is used there.
    fn extract(&mut self, disjunct: &Disjunct, most: u32) -> Option<u32> {
        let shared = self.shared.clone();
        self.stamp += 1;
        self.stack.clear();
        self.stack.extend(disjunct);
        let mut actions = 0;
        while let Some(node) = self.stack.pop() {
            if std::mem::replace(&mut self.marked[node as usize], self.stamp) == self.stamp {
                continue;
            }
            actions += self.mark(&shared, node);
            if actions >= most {
                return None;
            }
        }
        Some(actions)
    }

    /// Puts what a node needs on the stack, and counts the action that it is.
    fn mark(&mut self, shared: &Relaxation, node: u32) -> u32 {
        let (network, at) = (&shared.network, node as usize);
        if !network.all[at] {
            let by = self.cells[at].by;
            if by != NONE {
                self.stack.push(by);
            }
            return 0;
        }
        let mut actions = 0;
        for child in network.children(node) {
            let operator = network.operator[*child as usize];
            if operator != NONE && shared.price(*child) > 0 {
                let bit = 1u64 << self.cells[at].layer.min(63);
                let used = &mut self.used[operator as usize];
                if used.0 != self.stamp {
                    *used = (self.stamp, 0);
                }
                actions += u32::from(used.1 & bit == 0);
                used.1 |= bit;
            }
            self.stack.push(*child);
        }
        actions
    }

    /// How many operators of a role lie on a path to the target: backward from it over everything reached.
    pub(crate) fn relevant(&mut self, target: &[Disjunct], role: u32) -> u32 {
        let shared = self.shared.clone();
        let network = &shared.network;
        self.stamp += 1;
        self.stack.clear();
        for disjunct in target {
            if self.is_reached(disjunct) {
                self.stack.extend(disjunct);
            }
        }
        let mut count = 0;
        while let Some(node) = self.stack.pop() {
            if std::mem::replace(&mut self.marked[node as usize], self.stamp) == self.stamp {
                continue;
            }
            count += u32::from(shared.acts(node, role));
            for child in network.children(node) {
                if self.cells[*child as usize].layer != UNREACHED
                    && self.marked[*child as usize] != self.stamp
                {
                    self.stack.push(*child);
                }
            }
        }
        count
    }

    /// How many operators of a role can be reached at all.
    pub(crate) fn possible(&self, role: u32) -> u32 {
        let nodes = 0..self.cells.len() as u32;
        let reached = nodes.filter(|node| self.cells[*node as usize].layer != UNREACHED);
        reached.filter(|node| self.shared.acts(*node, role)).count() as u32
    }
}
