//! What a network is compiled to: what each degree of truth is made of, and who uses it.
//!
//! Degrees have numbers of their own, in the order of their nodes; what only holds or not is in [`CrispPlan`].

use std::sync::Arc;

use crate::crisp::CrispPlan;
use crate::domain::{DomainId, Domains};
use crate::leaf::Watch;
use crate::near::{Near, NearPlan};
use crate::network::{Edge, Kind, Lists};
use crate::power::{Powers, Signal};

/// How a degree of truth comes about.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// Always the same.
    Constant,
    /// p or 1-p, as a node of the crisp part holds or not.
    Truth(Edge),
    /// A fluent valued by what holds elsewhere.
    Watch(Arc<Watch>),
    /// The same by the fluent that is nearest, looked at together with others; its class in the empty state.
    Near(u32),
    /// The place in a table tells the class.
    Table,
    /// A conjunction or disjunction by the sum over so many children. A quiet one is only added to other sums, which need no
    /// root of it.
    Sum { any: bool, count: u32, quiet: bool },
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
    bounds: Vec<[u32; 4]>,
}

/// A user: its degree, and the stride of a table, or for sums whether what is added is the negation: 1 or 0.
type User = (u32, u32);

impl Uses {
    /// From pairs of degrees and users.
    fn new(count: usize, kinds: [&[(u32, User)]; 3]) -> Self {
        let lists = kinds.map(|pairs| Lists::group(count, pairs));
        let mut uses = Self { items: Vec::new(), bounds: Vec::with_capacity(count) };
        for degree in 0..count {
            let mut bounds = [uses.items.len() as u32; 4];
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
        self.get(degree, 1)
    }

    /// The sums that use a degree, or its negation. A disjunction is the sum over negations.
    #[inline]
    pub(crate) fn added(&self, degree: usize) -> &[User] {
        self.get(degree, 2)
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
    pub(crate) told: Lists<Told>,
    /// The leaves by the fluent that is nearest.
    pub(crate) near: NearPlan,
    /// For each fluent the other leaves that depend on it.
    pub(crate) watching: Lists<u32>,
    /// How many fluents of the universe matter, and whether any of them by itself.
    pub(crate) fluents: usize,
    pub(crate) by_fluent: bool,
}

impl Plan {
    /// Of a network whose `outputs` are asked for in every state, with the end.
    pub(crate) fn new(
        kinds: &[Kind],
        children: &Lists<Edge>,
        powers: &Powers,
        outputs: (&[Edge], Option<Edge>),
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
            sums: Vec::new(),
            told: Vec::new(),
            near: Vec::new(),
            watching: Vec::new(),
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
        let Making { ops, domains, domain_of, places, tables, sums, .. } = making;
        let Making { told, near, watching, .. } = making;
        let near = NearPlan::new(near);
        let watched = watching.iter().map(|(fluent, _)| *fluent as usize + 1).max().unwrap_or(0);
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
            uses: Uses::new(ops.len(), [&tables, &last, &sums]),
            places,
            told: Lists::group(kinds.len(), &told),
            by_fluent: fluents.max(watched) > 0,
            fluents: fluents.max(watched).max(near.fluents()),
            near,
            watching: Lists::group(watched, &watching),
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

    /// Finds the sums of which nothing but the sum is needed. Of the end that is so if it is a disjunction: whether it is
    /// joined or avoided, its miss counts.
    fn quieten(&mut self, (outputs, end): (&[Edge], Option<Edge>)) {
        let mut asked: Vec<u32> = outputs.iter().map(|edge| self.degree_of[edge.node()]).collect();
        let end = end.map(|end| (self.degree_of[end.node()], end.is_negative()));
        asked.extend(
            end.filter(|(degree, negative)| {
                let op = self.ops.get(*degree as usize);
                *negative || !matches!(op, Some(Op::Sum { any: true, .. }))
            })
            .map(|(degree, _)| degree),
        );
        for (degree, op) in self.ops.iter_mut().enumerate() {
            if let Op::Sum { any, quiet, .. } = op {
                let needs_root = |user: &User| user.1 != u32::from(*any);
                let roots = self.uses.added(degree).iter().any(needs_root);
                *quiet = !roots && !asked.contains(&(degree as u32));
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
    sums: Vec<(u32, User)>,
    told: Vec<(u32, Told)>,
    near: Vec<Near>,
    watching: Vec<(u32, u32)>,
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
                let domain = watch.signals().map(|signals| self.domains.domain(&signals));
                (self.watch(watch, degree), domain)
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

    fn watch(&mut self, watch: &Arc<Watch>, degree: u32) -> Op {
        if let Some(near) = watch.near(degree) {
            let beyond = u32::from(near.beyond);
            self.near.push(near);
            return Op::Near(beyond);
        }
        self.watching.extend(watch.fluents().into_iter().map(|fluent| (fluent, degree)));
        Op::Watch(watch.clone())
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

    fn sum(&mut self, degree: u32, any: bool, children: &[Edge]) -> (Op, Option<DomainId>) {
        for edge in children {
            let child = self.degree_of[edge.node()];
            self.sums.push((child, (degree, u32::from(edge.is_negative() != any))));
        }
        (Op::Sum { any, count: children.len() as u32, quiet: false }, None)
    }
}
