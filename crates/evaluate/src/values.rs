//! The degrees of truth of one state after another.
//!
//! A new state costs what changed: leaves whose fluents differ, and what is made of them if its value differs then.
//! Sums of the Yager norm are kept as integers (multiples of 2^-100), so that adding and taking away is exact
//! and a value never depends on the states seen before.

use std::sync::Arc;

use crate::crisp::Crisp;
use crate::leaf::{self, AGAIN, Far, Watch};
use crate::network::{Edge, Network};
use crate::plan::{NONE, Op, Plan, Told};
use crate::power::{Share, Signal, Sum};

/// The degrees of truth of a state.
#[derive(Clone, Debug)]
pub(crate) struct Values {
    network: Arc<Network>,
    live: Live,
}

impl Values {
    /// The values of the empty state.
    pub(crate) fn new(network: &Arc<Network>) -> Self {
        Self { network: network.clone(), live: Live::new(network) }
    }

    /// Moves on to another state.
    pub(crate) fn update(&mut self, state: &[u64]) {
        self.live.update(&self.network, state);
    }

    /// The degree of truth of a condition.
    pub(crate) fn value(&self, edge: Edge) -> f64 {
        let value = match self.network.plan.degree(edge.node()) {
            Some(degree) => self.live.signal(&self.network, degree).value,
            None => return self.signal(edge).value,
        };
        if edge.is_negative() { 1.0 - value } else { value }
    }

    /// Whether a condition holds.
    pub(crate) fn holds(&self, edge: Edge) -> bool {
        self.signal(edge).holds
    }

    /// A goal with the end: their disjunction if it holds, else the goal without the end (thesis Def. 5.3).
    pub(crate) fn with_end(&self, goal: Edge, end: Edge) -> f64 {
        let (goal, end) = (self.signal(goal), self.signal(end));
        let powers = self.network.powers();
        if goal.holds {
            powers.pair(&goal, &end, true)
        } else {
            powers.pair(&goal, &end.not(), false)
        }
    }

    /// The degree of truth of a condition with what belongs to it.
    pub(crate) fn signal(&self, edge: Edge) -> Signal {
        let signal = if let Some(degree) = self.network.plan.degree(edge.node()) {
            self.live.signal(&self.network, degree)
        } else {
            // What has no degree only holds or not.
            let holds = self.live.crisp.holds(Edge::new(edge.node() as u32, false));
            self.network.powers().atom(holds)
        };
        if edge.is_negative() { signal.not() } else { signal }
    }
}

/// What belongs to the state, by degrees of the plan.
#[derive(Clone, Debug)]
struct Live {
    words: Vec<u64>,
    crisp: Crisp,
    /// The class, or the signal where there are too many.
    classes: Vec<u32>,
    signals: Vec<Signal>,
    /// For tables the place that counts.
    places: Vec<u32>,
    /// For sums what is added up one by one, and how many children there are of each class of the others.
    sums: Vec<Sum>,
    counts: Vec<u32>,
    /// For leaves the distance that decides.
    deciding: Vec<Far>,
    /// For witnesses the alternatives that hold.
    alternatives: Vec<Vec<u32>>,
    dirty: Vec<u64>,
}

impl Live {
    fn new(network: &Network) -> Self {
        let plan = &network.plan;
        let count = plan.ops.len();
        let mut live = Self {
            words: vec![0; plan.fluents.div_ceil(64)],
            crisp: Crisp::new(&plan.crisp),
            signals: vec![Signal::default(); count],
            classes: vec![0; count],
            places: plan.places.clone(),
            sums: vec![Sum::default(); count],
            counts: plan.counts.clone(),
            deciding: vec![AGAIN; count],
            alternatives: vec![Vec::new(); count],
            dirty: vec![0; count.div_ceil(64)],
        };
        live.begin(plan, network.node_count());
        for degree in 0..count {
            live.look(network, degree, true);
        }
        live.dirty.fill(0);
        live
    }

    /// Tells witnesses what holds in the empty state.
    fn begin(&mut self, plan: &Plan, nodes: usize) {
        for node in 0..nodes {
            for told in plan.told.get(node) {
                if let Told::Alternative(degree, place, negative) = told
                    && self.crisp.holds(Edge::new(node as u32, *negative))
                {
                    self.alternatives[*degree as usize].push(*place);
                }
            }
        }
    }

    fn update(&mut self, network: &Network, state: &[u64]) {
        let plan = &network.plan;
        let mut changed = false;
        for at in 0..self.words.len() {
            let word = state.get(at).copied().unwrap_or(0);
            let mut difference = self.words[at] ^ word;
            self.words[at] = word;
            changed |= difference != 0;
            while difference != 0 {
                let bit = difference.trailing_zeros();
                difference &= difference - 1;
                self.fluent(plan, at * 64 + bit as usize, word >> bit & 1 == 1);
            }
        }
        if changed {
            self.settle(network);
        }
    }

    /// A fluent comes or goes.
    fn fluent(&mut self, plan: &Plan, fluent: usize, comes: bool) {
        for node in plan.crisp.bits(fluent) {
            self.crisp.flip(*node, comes);
        }
        for leaf in plan.always.get(fluent) {
            self.deciding[*leaf as usize] = AGAIN;
            mark(&mut self.dirty, *leaf);
        }
        // What comes matters if it is nearer than what decides, what goes if it decides.
        let leaves = plan.triggers.get(fluent);
        if comes {
            for (leaf, far) in leaves {
                let deciding = &mut self.deciding[*leaf as usize];
                if *far < *deciding {
                    *deciding = *far;
                    mark(&mut self.dirty, *leaf);
                }
            }
        } else {
            for (leaf, far) in leaves {
                let deciding = &mut self.deciding[*leaf as usize];
                if *far == *deciding {
                    *deciding = AGAIN;
                    mark(&mut self.dirty, *leaf);
                }
            }
        }
    }

    fn settle(&mut self, network: &Network) {
        let plan = &network.plan;
        let Self { crisp, dirty, alternatives, .. } = self;
        crisp.settle(&plan.crisp, &mut |node, holds| {
            for told in plan.told.get(node as usize) {
                match told {
                    Told::Look(degree) => mark(dirty, *degree),
                    Told::Alternative(degree, place, negative) => {
                        mark(dirty, *degree);
                        let list = &mut alternatives[*degree as usize];
                        if holds == *negative {
                            list.retain(|other| other != place);
                        } else {
                            list.push(*place);
                        }
                    }
                }
            }
        });
        for at in 0..self.dirty.len() {
            while self.dirty[at] != 0 {
                let degree = at * 64 + self.dirty[at].trailing_zeros() as usize;
                self.dirty[at] &= self.dirty[at] - 1;
                self.look(network, degree, false);
            }
        }
    }

    /// Brings a degree up to date and tells those that use it, if it changed or is the first.
    fn look(&mut self, network: &Network, degree: usize, first: bool) {
        let (plan, powers) = (&network.plan, network.powers());
        let class = match &plan.ops[degree] {
            Op::Table => plan.domains.class(self.places[degree]),
            Op::Truth(edge) => u32::from(self.crisp.holds(*edge)),
            Op::Constant => 0,
            Op::Steps { first, last, beyond, most } => {
                if self.deciding[degree] == AGAIN {
                    let levels = &plan.levels[*first as usize..*last as usize];
                    let nearest = levels.iter().find(|level| level.bits.held(&self.words) != 0);
                    self.deciding[degree] = nearest.map_or(*beyond, |level| level.distance);
                }
                leaf::class(self.deciding[degree], *most)
            }
            Op::Watch(watch) => match &**watch {
                Watch::Steps(steps) => {
                    if self.deciding[degree] == AGAIN {
                        self.deciding[degree] = steps.far(&self.words);
                    }
                    steps.class(self.deciding[degree])
                }
                Watch::Mean(mean) => {
                    let signal = mean.look(&self.words, powers);
                    return self.set(plan, degree, signal, first);
                }
            },
            Op::Sum { quiet, .. } => {
                let signal = self.combine(network, degree, *quiet);
                return self.set(plan, degree, signal, first);
            }
            Op::Witness(signals) => {
                let signal = self.best(degree, signals);
                return self.set(plan, degree, signal, first);
            }
        };
        if class != self.classes[degree] || first {
            self.reclass(plan, degree, class, first);
        }
    }

    /// Gives a degree a new class and tells those that use it.
    fn reclass(&mut self, plan: &Plan, degree: usize, class: u32, first: bool) {
        let before = self.classes[degree];
        let change = class.wrapping_sub(before);
        for (table, stride) in plan.uses.tables(degree) {
            let place = &mut self.places[*table as usize];
            *place = place.wrapping_add(change.wrapping_mul(*stride));
            mark(&mut self.dirty, *table);
        }
        // Tables that no other table uses are looked up at once.
        for (table, stride) in plan.uses.last_tables(degree) {
            let table = *table as usize;
            let place = self.places[table].wrapping_add(change.wrapping_mul(*stride));
            self.places[table] = place;
            if !first {
                let (old, new) = (self.classes[table], plan.domains.class(place));
                if old != new {
                    self.count(plan, table, Some(old), new);
                }
            }
        }
        self.count(plan, degree, (!first).then_some(before), class);
    }

    /// Gives a degree a new class and tells the sums that use it. What it had before is not told if it is the first.
    #[inline]
    fn count(&mut self, plan: &Plan, degree: usize, before: Option<u32>, class: u32) {
        self.classes[degree] = class;
        for (sum, base) in plan.uses.counted(degree) {
            // Where nothing was told, all are counted as of class 0.
            self.counts[(base + before.unwrap_or(0)) as usize] -= 1;
            self.counts[(base + class) as usize] += 1;
            mark(&mut self.dirty, *sum);
        }
        if plan.uses.is_added(degree) {
            let start = plan.starts[degree];
            let old = before.map(|before| plan.domains.signal(start, before));
            self.add(plan, degree, old, plan.domains.signal(start, class));
        }
    }

    /// Gives a degree without classes a new signal and tells those that use it.
    fn set(&mut self, plan: &Plan, degree: usize, signal: Signal, first: bool) {
        let old = self.signals[degree];
        if old == signal && !first {
            return;
        }
        self.signals[degree] = signal;
        self.add(plan, degree, if first { None } else { Some(&old) }, &signal);
    }

    /// Changes sums that use a degree, or its negation.
    fn add(&mut self, plan: &Plan, degree: usize, old: Option<&Signal>, new: &Signal) {
        for negative in [false, true] {
            let users = plan.uses.added(degree, negative);
            if users.is_empty() {
                continue;
            }
            let old = old.map(|old| Share::of(old, negative)).unwrap_or_default();
            let new = Share::of(new, negative);
            for (sum, _) in users {
                self.sums[*sum as usize].exchange(&old, &new);
                mark(&mut self.dirty, *sum);
            }
        }
    }

    fn combine(&self, network: &Network, degree: usize, quiet: bool) -> Signal {
        let plan = &network.plan;
        let Op::Sum { any, count, first, last, .. } = plan.ops[degree] else {
            return Signal::default();
        };
        let mut sum = self.sums[degree];
        let (first, last) = (first as usize, last as usize);
        for (share, times) in plan.shares[first..last].iter().zip(&self.counts[first..last]) {
            if *times > 0 {
                sum.add_times(share, *times);
            }
        }
        let holds = (sum.holding() == count) != any;
        if quiet {
            return network.powers().quiet(&sum, any, holds);
        }
        let misses = || {
            let children = network.children(plan.nodes[degree] as usize);
            let miss = |edge: &Edge| {
                let child = plan.degree(edge.node());
                let child = child.map_or(0.0, |at| self.signal(network, at).value);
                if edge.is_negative() == any { 1.0 - child } else { child }
            };
            children.iter().map(miss).collect()
        };
        network.powers().combine(&sum, any, holds, misses)
    }

    /// The degree of truth and what belongs to it.
    #[inline]
    fn signal(&self, network: &Network, degree: usize) -> Signal {
        let plan = &network.plan;
        match (plan.starts[degree], &plan.ops[degree]) {
            (NONE, Op::Sum { quiet: true, .. }) => self.combine(network, degree, false),
            (NONE, _) => self.signals[degree],
            (start, _) => *plan.domains.signal(start, self.classes[degree]),
        }
    }

    fn best(&self, degree: usize, signals: &[Signal]) -> Signal {
        let none = signals[signals.len() - 1];
        let held = self.alternatives[degree].iter().map(|place| signals[*place as usize]);
        held.reduce(|a, b| if b.value > a.value { b } else { a }).unwrap_or(none)
    }
}

#[inline]
fn mark(dirty: &mut [u64], degree: u32) {
    dirty[degree as usize / 64] |= 1 << (degree % 64);
}
