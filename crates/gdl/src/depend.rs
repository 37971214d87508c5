//! The dependency graph of a program (thesis Def. 2.6), its strongly connected components and strata.

use rustc_hash::FxHashMap;

use crate::ast::Relation;
use crate::normal::Program;

/// An edge of the dependency graph: the head's relation depends on another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The node it leads to.
    pub to: usize,
    /// Whether the dependency is through negation.
    pub negative: bool,
    /// The rule that causes it, an index into [`Program::rules`].
    pub rule: usize,
}

/// The dependency graph. Nodes are relations, numbered in the order they appear.
#[derive(Clone, Debug, Default)]
pub struct Dependencies {
    /// The relations.
    pub relations: Vec<Relation>,
    /// For each relation the relations its rules mention.
    pub edges: Vec<Vec<Edge>>,
    /// For each relation its component; components are numbered so that dependencies have smaller
    /// numbers.
    pub component: Vec<usize>,
    /// For each component its members.
    pub components: Vec<Vec<usize>>,
    index: FxHashMap<Relation, usize>,
}

impl Dependencies {
    /// Builds the graph of a program.
    pub fn new(program: &Program) -> Self {
        let mut graph = Self::default();
        for (index, rule) in program.rules.iter().enumerate() {
            let from = graph.add(rule.head.relation);
            for literal in &rule.body {
                if let Some((relation, negative)) = literal.relation() {
                    let to = graph.add(relation);
                    graph.edges[from].push(Edge { to, negative, rule: index });
                }
            }
        }
        graph.find_components();
        graph
    }

    /// Builds the graph of given edges: from, to, whether negative, and a number that the caller
    /// gives to what causes the edge, kept as [`Edge::rule`].
    pub fn from_edges(edges: impl IntoIterator<Item = (Relation, Relation, bool, usize)>) -> Self {
        let mut graph = Self::default();
        for (from, to, negative, rule) in edges {
            let from = graph.add(from);
            let to = graph.add(to);
            graph.edges[from].push(Edge { to, negative, rule });
        }
        graph.find_components();
        graph
    }

    fn add(&mut self, relation: Relation) -> usize {
        *self.index.entry(relation).or_insert_with(|| {
            self.relations.push(relation);
            self.edges.push(Vec::new());
            self.relations.len() - 1
        })
    }

    /// The node of a relation.
    pub fn node(&self, relation: Relation) -> Option<usize> {
        self.index.get(&relation).copied()
    }

    /// Whether the relation depends on itself.
    pub fn is_recursive(&self, node: usize) -> bool {
        self.components[self.component[node]].len() > 1
            || self.edges[node].iter().any(|edge| edge.to == node)
    }

    /// All nodes that can be reached from the given ones along dependencies, themselves included.
    pub fn reachable(&self, from: impl IntoIterator<Item = usize>) -> Vec<bool> {
        let mut seen = vec![false; self.relations.len()];
        let mut todo: Vec<usize> = from.into_iter().collect();
        while let Some(node) = todo.pop() {
            if !std::mem::replace(&mut seen[node], true) {
                todo.extend(self.edges[node].iter().map(|edge| edge.to));
            }
        }
        seen
    }

    /// The strata (thesis §2.2.3, [ABW87]): a relation stands at least as high as those it uses, and
    /// higher than those it uses under negation. None if there is a cycle through negation.
    pub fn strata(&self) -> Option<Vec<usize>> {
        let mut level = vec![0; self.components.len()];
        for (number, members) in self.components.iter().enumerate() {
            for edge in members.iter().flat_map(|node| &self.edges[*node]) {
                let other = self.component[edge.to];
                if other == number {
                    if edge.negative {
                        return None;
                    }
                } else {
                    level[number] = level[number].max(level[other] + usize::from(edge.negative));
                }
            }
        }
        Some(self.component.iter().map(|component| level[*component]).collect())
    }

    fn find_components(&mut self) {
        let next = |node: usize, at: usize| self.edges[node].get(at).map(|edge| edge.to);
        let (component, count) = components(self.relations.len(), next);
        self.components = vec![Vec::new(); count];
        for (node, number) in component.iter().enumerate() {
            self.components[*number].push(node);
        }
        self.component = component;
    }
}

/// The strongly connected components of a graph: for each node the number of its component, and how
/// many there are. `successor(node, i)` is the node that the i-th edge of `node` leads to. Numbers
/// are given so that edges lead to components with the same or smaller numbers (Tarjan 1972, with an
/// explicit stack).
pub fn components(
    count: usize,
    successor: impl Fn(usize, usize) -> Option<usize>,
) -> (Vec<usize>, usize) {
    const NEW: usize = usize::MAX;
    let mut order = vec![NEW; count];
    let mut low = vec![0; count];
    let mut component = vec![NEW; count];
    let mut open = Vec::new();
    let (mut next, mut closed) = (0, 0);
    for root in 0..count {
        if order[root] != NEW {
            continue;
        }
        let mut work = vec![(root, 0)];
        while let Some((node, at)) = work.pop() {
            if at == 0 {
                order[node] = next;
                low[node] = next;
                next += 1;
                open.push(node);
            }
            if let Some(to) = successor(node, at) {
                work.push((node, at + 1));
                if order[to] == NEW {
                    work.push((to, 0));
                } else if component[to] == NEW {
                    low[node] = low[node].min(order[to]);
                }
                continue;
            }
            if let Some((parent, _)) = work.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
            if low[node] == order[node] {
                while let Some(member) = open.pop() {
                    component[member] = closed;
                    if member == node {
                        break;
                    }
                }
                closed += 1;
            }
        }
    }
    (component, closed)
}
