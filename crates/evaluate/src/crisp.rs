//! The part of a network that only holds or not, by what changed.
//!
//! A gate counts how many of its conditions hold, less what it needs: it holds from 0 on. A change of a condition
//! adds or takes away 1, and only a gate that passes 0 is looked at; one that passes it twice is not.

use crate::network::{Component, Edge, Kind, Lists};

/// Who has to be told of changes, by nodes of the network.
#[derive(Clone, Debug)]
pub(crate) struct CrispPlan {
    /// The gates that use a node, each as an edge from the gate's side: with whether it is negated there.
    gates: Lists<Edge>,
    /// The components that use a node.
    used_by: Lists<u32>,
    /// The components, by their nodes.
    components: Vec<Closure>,
    /// The nodes of each fluent.
    bits: Lists<u32>,
    /// The levels in the empty state.
    start: Vec<i32>,
}

/// What does not hold, and is no gate.
const BELOW: i32 = -1;

impl CrispPlan {
    pub(crate) fn new(kinds: &[Kind], children: &Lists<Edge>) -> Self {
        let (mut gates, mut used_by, mut components, mut bits) = (vec![], vec![], vec![], vec![]);
        for (at, kind) in kinds.iter().enumerate() {
            let node = at as u32;
            match kind {
                Kind::Gate(_) => {
                    let uses = children.get(at).iter();
                    gates.extend(
                        uses.map(|edge| (edge.node() as u32, Edge::new(node, edge.is_negative()))),
                    );
                }
                Kind::Component(component) => {
                    let outside = children.get(at);
                    used_by.extend(outside.iter().map(|edge| (edge.node() as u32, node)));
                    components.push(Closure::new(node, component, outside));
                }
                Kind::Bit(fluent) => bits.push((*fluent, node)),
                _ => {}
            }
        }
        let fluents = bits.iter().map(|(fluent, _)| *fluent as usize + 1).max().unwrap_or(0);
        let mut plan = Self {
            gates: Lists::group(kinds.len(), &gates),
            used_by: Lists::group(kinds.len(), &used_by),
            components,
            bits: Lists::group(fluents, &bits),
            start: Vec::new(),
        };
        plan.begin(kinds, children);
        plan
    }

    /// Finds out what holds in the empty state.
    fn begin(&mut self, kinds: &[Kind], children: &Lists<Edge>) {
        let mut levels = vec![BELOW; kinds.len()];
        for (node, kind) in kinds.iter().enumerate() {
            match kind {
                Kind::Constant(signal) if signal.holds => levels[node] = 0,
                Kind::Gate(need) => {
                    let held = children.get(node).iter().filter(|edge| holds(&levels, **edge));
                    levels[node] = (held.count() as u32).cast_signed() - need.cast_signed();
                }
                Kind::Component(_) => {
                    let Some(closure) = self.closure(node) else { continue };
                    for (member, holds) in closure.least_model(&levels).into_iter().enumerate() {
                        levels[node + 1 + member] = if holds { 0 } else { BELOW };
                    }
                }
                _ => {}
            }
        }
        self.start = levels;
    }

    /// The component of a node, if it is one.
    fn closure(&self, node: usize) -> Option<&Closure> {
        let found = self.components.binary_search_by_key(&(node as u32), |closure| closure.node);
        found.ok().map(|at| &self.components[at])
    }

    /// The nodes of a fluent.
    #[inline]
    pub(crate) fn bits(&self, fluent: usize) -> &[u32] {
        self.bits.get(fluent)
    }
}

#[inline]
fn holds(levels: &[i32], edge: Edge) -> bool {
    (levels[edge.node()] >= 0) != edge.is_negative()
}

/// A component with the rules that wait for each member.
#[derive(Clone, Debug)]
struct Closure {
    node: u32,
    rules: Component,
    waiting: Lists<u32>,
    outside: Vec<Edge>,
}

/// More conditions than a rule can lose.
const BLOCKED: u32 = 1 << 31;

impl Closure {
    fn new(node: u32, component: &Component, outside: &[Edge]) -> Self {
        let mut waiting = Vec::new();
        for (rule, (_, members, _)) in component.rules.iter().enumerate() {
            waiting.extend(members.iter().map(|member| (*member, rule as u32)));
        }
        Self {
            node,
            rules: component.clone(),
            waiting: Lists::group(component.members as usize, &waiting),
            outside: outside.to_vec(),
        }
    }

    /// Which members hold, given what holds outside: each condition is met once (Dowling and Gallier 1984).
    fn least_model(&self, levels: &[i32]) -> Vec<bool> {
        let mut found = vec![false; self.rules.members as usize];
        let mut missing = Vec::with_capacity(self.rules.rules.len());
        let mut todo = Vec::new();
        for (head, members, others) in &self.rules.rules {
            let open = others.iter().all(|at| holds(levels, self.outside[*at as usize]));
            missing.push(if open { members.len() as u32 } else { BLOCKED });
            if open && members.is_empty() {
                todo.push(*head);
            }
        }
        while let Some(member) = todo.pop() {
            if std::mem::replace(&mut found[member as usize], true) {
                continue;
            }
            for rule in self.waiting.get(member as usize) {
                let left = &mut missing[*rule as usize];
                *left -= 1;
                if *left == 0 {
                    todo.push(self.rules.rules[*rule as usize].0);
                }
            }
        }
        found
    }
}

/// What holds in a state.
#[derive(Clone, Debug)]
pub(crate) struct Crisp {
    levels: Vec<i32>,
    dirty: Vec<u64>,
}

impl Crisp {
    /// The empty state.
    pub(crate) fn new(plan: &CrispPlan) -> Self {
        Self { levels: plan.start.clone(), dirty: vec![0; plan.start.len().div_ceil(64)] }
    }

    #[inline]
    pub(crate) fn holds(&self, edge: Edge) -> bool {
        holds(&self.levels, edge)
    }

    /// Changes a fluent, or a member of a component.
    #[inline]
    pub(crate) fn flip(&mut self, node: u32, holds: bool) {
        self.levels[node as usize] = if holds { 0 } else { BELOW };
        self.dirty[node as usize / 64] ^= 1 << (node % 64);
    }

    /// Follows all changes; `tell` is called for each node that changed.
    pub(crate) fn settle(&mut self, plan: &CrispPlan, tell: &mut impl FnMut(u32, bool)) {
        for at in 0..self.dirty.len() {
            while self.dirty[at] != 0 {
                let node = at * 64 + self.dirty[at].trailing_zeros() as usize;
                self.dirty[at] &= self.dirty[at] - 1;
                if !plan.components.is_empty() && self.follow(plan, node) {
                    continue;
                }
                let holds = self.levels[node] >= 0;
                for used in plan.gates.get(node) {
                    self.count(*used, holds);
                }
                for component in plan.used_by.get(node) {
                    self.dirty[*component as usize / 64] |= 1 << (component % 64);
                }
                tell(node as u32, holds);
            }
        }
    }

    /// A condition of a gate changed.
    #[inline]
    fn count(&mut self, used: Edge, holds: bool) {
        let gate = used.node();
        let before = self.levels[gate];
        let after = if holds == used.is_negative() { before - 1 } else { before + 1 };
        self.levels[gate] = after;
        // Passing 0 changes the sign.
        let passed = u64::from((before ^ after) < 0);
        self.dirty[gate / 64] ^= passed << (gate % 64);
    }

    /// Brings a component up to date, if the node is one.
    fn follow(&mut self, plan: &CrispPlan, node: usize) -> bool {
        let Some(closure) = plan.closure(node) else { return false };
        for (member, holds) in closure.least_model(&self.levels).into_iter().enumerate() {
            let member = node + 1 + member;
            if (self.levels[member] >= 0) != holds {
                self.flip(member as u32, holds);
            }
        }
        true
    }
}
