//! What a network is compiled to: what each degree of truth is made of, and who uses it.
//!
//! Degrees have numbers of their own, in the order of their nodes; what only holds or not is in [`CrispPlan`].

use std::sync::Arc;

use crate::crisp::CrispPlan;
use crate::domain::{DomainId, Domains};
use crate::leaf::{ALWAYS, Far, Level, Watch};
use crate::network::{Edge, Kind, Lists};
use crate::power::{Powers, Share, Signal};

/// How a degree of truth comes about.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// Always the same.
    Constant,
    /// p or 1-p, as a node of the crisp part holds or not.
    Truth(Edge),
    /// A fluent valued by what holds elsewhere.
    Watch(Arc<Watch>),
    /// The same by one graph of few levels, which are in one list; more steps than `most` are no more than that.
    Steps { first: u32, last: u32, beyond: Far, most: u32 },
    /// The place in a table tells the class.
    Table,
    /// A conjunction or disjunction by the sum over so many children, some of them counted from `first` to `last`. A
    /// quiet one is only added to other sums, which need no root of it.
    Sum { any: bool, count: u32, first: u32, last: u32, quiet: bool },
    /// By what holds of some alternatives.
    Witness(Arc<[Signal]>),
}

/// Who is told that a node of the crisp part changed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Told {
    /// A degree has to be looked at.
    Look(u32),
    /// An alternative: the degree, the place of the alternative, and whether it is negated.
    Alternative(u32, u32, bool),
}

/// No degree, or no domain.
pub(crate) const NONE: u32 = u32::MAX;

/// Who uses a degree.
#[derive(Debug)]
pub(crate) struct Uses {
    items: Vec<(u32, u32)>,
    bounds: Vec<[u32; 6]>,
}

/// A user: its degree, and what its place or its count begins with.
type User = (u32, u32);

impl Uses {
    /// From pairs of degrees and users.
    fn new(count: usize, kinds: [&[(u32, User)]; 5]) -> Self {
        let lists = kinds.map(|pairs| Lists::group(count, pairs));
        let mut uses = Self { items: Vec::new(), bounds: Vec::with_capacity(count) };
        for degree in 0..count {
            let mut bounds = [uses.items.len() as u32; 6];
            for (at, list) in lists.iter().enumerate() {
                uses.items.extend_from_slice(list.get(degree));
                bounds[at + 1] = uses.items.len() as u32;
            }
            uses.bounds.push(bounds);
        }
        uses
    }

    #[inline]
    fn get(&self, degree: usize, kind: usize) -> &[User] {
        let bounds = &self.bounds[degree];
        &self.items[bounds[kind] as usize..bounds[kind + 1] as usize]
    }

    /// The tables that use a degree, with their strides: those that other tables use.
    #[inline]
    pub(crate) fn tables(&self, degree: usize) -> &[User] {
        self.get(degree, 0)
    }

    /// The other tables.
    #[inline]
    pub(crate) fn last_tables(&self, degree: usize) -> &[User] {
        self.get(degree, 4)
    }

    /// The sums that count a degree, with where they do.
    #[inline]
    pub(crate) fn counted(&self, degree: usize) -> &[User] {
        self.get(degree, 1)
    }

    /// Whether there are any of [`Uses::added`].
    #[inline]
    pub(crate) fn is_added(&self, degree: usize) -> bool {
        self.bounds[degree][2] != self.bounds[degree][4]
    }

    /// The sums that use a degree otherwise, or its negation. A disjunction is the sum over negations.
    #[inline]
    pub(crate) fn added(&self, degree: usize, negative: bool) -> &[User] {
        self.get(degree, if negative { 3 } else { 2 })
    }
}

/// A compiled network.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) crisp: CrispPlan,
    /// The degree of each node; [`NONE`] for those that only hold or not.
    degree_of: Vec<u32>,
    /// The node of each degree.
    pub(crate) nodes: Vec<u32>,
    pub(crate) ops: Vec<Op>,
    pub(crate) domains: Domains,
    /// Where the domain of each degree begins; [`NONE`] if it has too many values.
    pub(crate) starts: Vec<u32>,
    pub(crate) uses: Uses,
    /// The place of each table if all classes are 0.
    pub(crate) places: Vec<u32>,
    /// What a child of a class adds to a sum, and how many there are if all classes are 0.
    pub(crate) shares: Vec<Share>,
    pub(crate) counts: Vec<u32>,
    pub(crate) told: Lists<Told>,
    /// For each fluent the leaves that depend on it, with the distance it stands for.
    pub(crate) triggers: Lists<(u32, Far)>,
    /// For each fluent the leaves that depend on it whatever else holds.
    pub(crate) always: Lists<u32>,
    /// The levels of all leaves, nearest first for each.
    pub(crate) levels: Vec<Level>,
    /// How many fluents of the universe matter.
    pub(crate) fluents: usize,
}

impl Plan {
    /// Of a network whose `outputs` are asked for in every state.
    pub(crate) fn new(
        kinds: &[Kind],
        children: &Lists<Edge>,
        powers: &Powers,
        outputs: &[Edge],
    ) -> Self {
        let degree_of = degrees(kinds);
        let mut making = Making {
            degree_of: &degree_of,
            powers,
            ops: Vec::new(),
            domains: Domains::default(),
            domain_of: Vec::new(),
            places: Vec::new(),
            tables: Vec::new(),
            tallies: Vec::new(),
            sums: [Vec::new(), Vec::new()],
            shares: Vec::new(),
            counts: Vec::new(),
            levels: Vec::new(),
            told: Vec::new(),
            triggers: Vec::new(),
            always: Vec::new(),
        };
        let mut fluents = 0;
        let mut nodes = Vec::new();
        for (node, kind) in kinds.iter().enumerate() {
            if let Kind::Bit(fluent) = kind {
                fluents = fluents.max(*fluent as usize + 1);
            }
            if degree_of[node] != NONE {
                nodes.push(node as u32);
                making.add(node, kind, children.get(node));
            }
        }
        let Making { ops, domains, domain_of, places, tables, tallies, sums, .. } = making;
        let Making { shares, counts, levels, told, triggers, always, .. } = making;
        let watching = triggers.iter().map(|(fluent, _)| fluent);
        let watching = watching.chain(always.iter().map(|(fluent, _)| fluent));
        let watched = watching.map(|fluent| *fluent as usize + 1).max().unwrap_or(0);
        let mut used = vec![false; ops.len()];
        for (degree, _) in &tables {
            used[*degree as usize] = true;
        }
        let (tables, last): (Vec<_>, Vec<_>) =
            tables.into_iter().partition(|(_, (table, _))| used[*table as usize]);
        let start = |domain: &Option<DomainId>| domain.map_or(NONE, |domain| domains.start(domain));
        let mut plan = Self {
            crisp: CrispPlan::new(kinds, children),
            starts: domain_of.iter().map(start).collect(),
            uses: Uses::new(ops.len(), [&tables, &tallies, &sums[0], &sums[1], &last]),
            places,
            shares,
            counts,
            levels,
            told: Lists::group(kinds.len(), &told),
            triggers: Lists::group(watched, &triggers),
            always: Lists::group(watched, &always),
            fluents: fluents.max(watched),
            degree_of,
            nodes,
            ops,
            domains,
        };
        if powers.adds_up() {
            plan.quieten(outputs);
        }
        plan
    }

    /// Finds the sums of which nothing but the sum is needed.
    fn quieten(&mut self, outputs: &[Edge]) {
        let asked: Vec<u32> = outputs.iter().map(|edge| self.degree_of[edge.node()]).collect();
        for (degree, op) in self.ops.iter_mut().enumerate() {
            if let Op::Sum { any, quiet, .. } = op {
                let roots = self.uses.added(degree, !*any);
                *quiet = roots.is_empty() && !asked.contains(&(degree as u32));
            }
        }
    }

    /// The number of the degree of a node, if it has one.
    #[inline]
    pub(crate) fn degree(&self, node: usize) -> Option<usize> {
        let degree = self.degree_of[node];
        (degree != NONE).then_some(degree as usize)
    }
}

/// Numbers the nodes that have degrees.
fn degrees(kinds: &[Kind]) -> Vec<u32> {
    let mut next = 0;
    let mut number = |kind: &Kind| {
        let crisp = matches!(kind, Kind::Gate(_) | Kind::Component(_) | Kind::Member);
        if crisp {
            return NONE;
        }
        next += 1;
        next - 1
    };
    kinds.iter().map(&mut number).collect()
}

/// A plan under construction.
struct Making<'a> {
    degree_of: &'a [u32],
    powers: &'a Powers,
    ops: Vec<Op>,
    domains: Domains,
    domain_of: Vec<Option<DomainId>>,
    places: Vec<u32>,
    tables: Vec<(u32, User)>,
    tallies: Vec<(u32, User)>,
    sums: [Vec<(u32, User)>; 2],
    shares: Vec<Share>,
    counts: Vec<u32>,
    levels: Vec<Level>,
    told: Vec<(u32, Told)>,
    triggers: Vec<(u32, (u32, Far))>,
    always: Vec<(u32, u32)>,
}

impl Making<'_> {
    /// Adds the degree of a node.
    fn add(&mut self, node: usize, kind: &Kind, children: &[Edge]) {
        let degree = self.ops.len() as u32;
        self.places.push(0);
        let (op, domain) = match kind {
            Kind::Constant(signal) => (Op::Constant, Some(self.domains.domain(&[*signal]))),
            Kind::Bit(_) => self.truth(Edge::new(node as u32, false), degree),
            Kind::Truth => self.truth(children[0], degree),
            Kind::Watch(watch) => {
                for (fluent, far) in watch.fluents() {
                    if far == ALWAYS {
                        self.always.push((fluent, degree));
                    } else {
                        self.triggers.push((fluent, (degree, far)));
                    }
                }
                let domain = watch.signals().map(|signals| self.domains.domain(&signals));
                (self.watch(watch), domain)
            }
            Kind::Witness(signals) => {
                for (place, edge) in children.iter().enumerate() {
                    let told = Told::Alternative(degree, place as u32, edge.is_negative());
                    self.told.push((edge.node() as u32, told));
                }
                (Op::Witness(signals.clone()), None)
            }
            _ => self.connective(degree, matches!(kind, Kind::Any), children),
        };
        self.ops.push(op);
        self.domain_of.push(domain);
    }

    fn watch(&mut self, watch: &Arc<Watch>) -> Op {
        let Some((levels, beyond)) = watch.levels() else { return Op::Watch(watch.clone()) };
        let first = self.levels.len() as u32;
        self.levels.extend(levels);
        let most = watch.signals().map_or(0, |signals| signals.len() as u32 - 1);
        Op::Steps { first, last: self.levels.len() as u32, beyond, most }
    }

    fn truth(&mut self, edge: Edge, degree: u32) -> (Op, Option<DomainId>) {
        self.told.push((edge.node() as u32, Told::Look(degree)));
        let signals = [self.powers.atom(false), self.powers.atom(true)];
        (Op::Truth(edge), Some(self.domains.domain(&signals)))
    }

    fn connective(&mut self, degree: u32, any: bool, children: &[Edge]) -> (Op, Option<DomainId>) {
        let child = |edge: &Edge| self.degree_of[edge.node()];
        let part = |edge: &Edge| Some((self.domain_of[child(edge) as usize]?, edge.is_negative()));
        let parts: Option<Vec<(DomainId, bool)>> = children.iter().map(part).collect();
        if let Some(parts) = parts
            && let Some(table) = self.domains.table(self.powers, any, &parts)
        {
            for (edge, stride) in children.iter().zip(&table.strides) {
                self.tables.push((child(edge), (degree, *stride)));
            }
            self.places[degree as usize] = table.start;
            return (Op::Table, Some(table.domain));
        }
        self.sum(degree, any, children)
    }

    /// Children with the same few values are counted, others are added up one by one.
    fn sum(&mut self, degree: u32, any: bool, children: &[Edge]) -> (Op, Option<DomainId>) {
        let first = self.shares.len() as u32;
        let keyed = |edge: &Edge| {
            let child = self.degree_of[edge.node()];
            (self.domain_of[child as usize], edge.is_negative() != any, child)
        };
        let mut keyed: Vec<(Option<DomainId>, bool, u32)> = children.iter().map(keyed).collect();
        keyed.sort_unstable();
        for group in keyed.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let (domain, negative, _) = group[0];
            let signals = domain.map_or(&[][..], |domain| self.domains.signals(domain));
            if signals.is_empty() || signals.len() > 2 * group.len() {
                let uses = group.iter().map(|(_, _, child)| (*child, (degree, 0)));
                self.sums[usize::from(negative)].extend(uses);
                continue;
            }
            let base = self.shares.len() as u32;
            self.shares.extend(signals.iter().map(|signal| Share::of(signal, negative)));
            self.counts.push(group.len() as u32);
            self.counts.resize(self.shares.len(), 0);
            self.tallies.extend(group.iter().map(|(_, _, child)| (*child, (degree, base))));
        }
        let last = self.shares.len() as u32;
        let count = children.len() as u32;
        (Op::Sum { any, count, first, last, quiet: false }, None)
    }
}
