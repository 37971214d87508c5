//! The degrees of truth of one state after another.
//!
//! A new state costs what changed: leaves whose fluents differ, and what is made of them if its value differs then.
//! Sums of the Yager norm are kept as integers (multiples of 2^-100), so that adding and taking away is exact
//! and a value never depends on the states seen before.

use std::sync::Arc;

use crate::crisp::Crisp;
use crate::leaf::Watch;
use crate::near::{Change, Classes};
use crate::network::{Edge, Network};
use crate::plan::{NONE, Op, Plan, Told};
use crate::power::{Signal, Sum};

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

    /// A goal with the end: their disjunction if it holds, else the goal without the end (thesis Def. 5.3). `end` need not
    /// have more than what the network knows without being asked.
    pub(crate) fn with_end(&self, goal: &Signal, end: (&Signal, Edge)) -> f64 {
        let (any, (told, edge)) = (goal.holds, end);
        let misses = || {
            let (goal, end) = (goal.value, self.value(edge));
            if any { vec![goal, end] } else { vec![1.0 - goal, end] }
        };
        let other = if any { *told } else { told.not() };
        self.network.powers().pair(goal, &other, any, misses)
    }

    /// What the network knows of the end without being asked: enough for [`Values::with_end`].
    pub(crate) fn end(&self, edge: Edge) -> Signal {
        let plan = &self.network.plan;
        match plan.degree(edge.node()).map(|degree| (degree, &plan.ops[degree])) {
            Some((degree, Op::Sum { quiet: true, any: true, .. })) if !edge.is_negative() => {
                self.live.nested[degree].negation()
            }
            _ => self.signal(edge),
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
    /// For sums what the children add up to, and for quiet ones what they add to others.
    sums: Vec<Sum>,
    nested: Vec<Sum>,
    /// The leaves by the fluent that is nearest.
    near: Classes,
    /// What changes, by words.
    changes: Vec<Change>,
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
            nested: vec![Sum::default(); count],
            near: Classes::new(&plan.near),
            changes: vec![Change::default(); plan.fluents.div_ceil(64)],
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
        let mut changed = 0;
        for at in 0..self.words.len() {
            let (old, new) = (self.words[at], state.get(at).copied().unwrap_or(0));
            self.words[at] = new;
            self.changes[at] = Change { comes: new & !old, goes: old & !new };
            changed |= old ^ new;
        }
        if changed != 0 {
            self.tell(plan);
            self.settle(network);
        }
    }

    /// Tells leaves and what only holds or not what changed.
    fn tell(&mut self, plan: &Plan) {
        if plan.by_fluent {
            for at in 0..self.changes.len() {
                let Change { comes, goes } = self.changes[at];
                let mut rest = comes | goes;
                while rest != 0 {
                    let bit = rest.trailing_zeros();
                    rest &= rest - 1;
                    self.fluent(plan, at * 64 + bit as usize, comes >> bit & 1 == 1);
                }
            }
            self.settle_crisp(plan);
        }
        let mut near = std::mem::take(&mut self.near);
        let changes = std::mem::take(&mut self.changes);
        let words = std::mem::take(&mut self.words);
        near.follow(&plan.near, &changes, &words, |degree, class| {
            self.reclass(plan, degree as usize, class, false);
        });
        (self.near, self.changes, self.words) = (near, changes, words);
    }

    /// A fluent comes or goes.
    fn fluent(&mut self, plan: &Plan, fluent: usize, comes: bool) {
        for node in plan.crisp.bits(fluent) {
            self.crisp.flip(*node, comes);
        }
        for leaf in plan.watching.get(fluent) {
            mark(&mut self.dirty, *leaf);
        }
    }

    /// Follows what only holds or not.
    fn settle_crisp(&mut self, plan: &Plan) {
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
    }

    fn settle(&mut self, network: &Network) {
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
            Op::Near(beyond) => *beyond,
            Op::Watch(watch) => match &**watch {
                Watch::Steps(steps) => steps.class(&self.words),
                Watch::Mean(mean) => {
                    let signal = mean.look(&self.words, powers);
                    return self.set(plan, degree, signal, first);
                }
            },
            Op::Sum { quiet: true, count, .. } => {
                let share = powers.nested(&self.sums[degree], *count);
                return self.pass_on(plan, degree, share);
            }
            Op::Sum { .. } => {
                let signal = self.combine(network, degree);
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
                    self.exchange(plan, table, Some(old), new);
                }
            }
        }
        self.exchange(plan, degree, (!first).then_some(before), class);
    }

    /// Gives a degree a new class and tells the sums that use it. What it had before was not told if it is the first.
    #[inline]
    fn exchange(&mut self, plan: &Plan, degree: usize, before: Option<u32>, class: u32) {
        self.classes[degree] = class;
        let start = plan.starts[degree];
        for (sum, negative) in plan.uses.added(degree) {
            let share = |class| plan.domains.share(start, class, *negative);
            let old = before.map_or(&Sum::NOTHING, share);
            self.sums[*sum as usize].exchange(old, share(class));
            mark(&mut self.dirty, *sum);
        }
    }

    /// Gives a quiet sum what it adds to those that use it.
    #[inline]
    fn pass_on(&mut self, plan: &Plan, degree: usize, share: Sum) {
        let old = std::mem::replace(&mut self.nested[degree], share);
        if old != share {
            for (sum, _) in plan.uses.added(degree) {
                self.sums[*sum as usize].exchange(&old, &share);
                mark(&mut self.dirty, *sum);
            }
        }
    }

    /// Gives a degree without classes a new signal and tells those that use it.
    fn set(&mut self, plan: &Plan, degree: usize, signal: Signal, first: bool) {
        let old = self.signals[degree];
        if old == signal && !first {
            return;
        }
        self.signals[degree] = signal;
        for (sum, negative) in plan.uses.added(degree) {
            let share = |signal| Sum::of(signal, *negative == 1);
            let old = if first { Sum::NOTHING } else { share(&old) };
            self.sums[*sum as usize].exchange(&old, &share(&signal));
            mark(&mut self.dirty, *sum);
        }
    }

    fn combine(&self, network: &Network, degree: usize) -> Signal {
        let plan = &network.plan;
        let Op::Sum { any, count, .. } = plan.ops[degree] else {
            return Signal::default();
        };
        let sum = self.sums[degree];
        let holds = (sum.holding() == count) != any;
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
            (NONE, Op::Sum { quiet: true, .. }) => self.combine(network, degree),
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
