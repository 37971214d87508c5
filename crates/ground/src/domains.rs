//! Which values the arguments of relations and functions can take (thesis §5.2.1 and §7.4.2).
//!
//! The plain domain graph tells which argument positions belong together: those of one connected component
//! share a domain. The improved graph is directed and gives smaller supersets of the values. Both are
//! computed from the rules alone; what instantiation finds is tighter still, but not always to be had.

use datalog::GroundTerm;
use gdl::normal::{Literal, Pattern, Predicate, Program, Rule};
use gdl::{Relation, Symbol, Symbols, keyword};
use rustc_hash::FxHashMap;

/// What has arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Owner {
    /// A relation.
    Relation(Relation),
    /// A function with its number of arguments; fluents and moves are functions.
    Function(Symbol, u32),
}

/// An argument position, such as the second one of `succ`; positions count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// Of what.
    pub owner: Owner,
    /// Which argument.
    pub argument: u32,
}

/// What can stand at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Element {
    /// A constant.
    Constant(Symbol),
    /// A function with its number of arguments.
    Function(Symbol, u32),
}

/// A node of a domain graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Node {
    /// An argument position (an ellipse in the thesis's figures).
    Place(Place),
    /// A constant or function symbol (a rectangle).
    Element(Element),
}

impl Place {
    /// An argument of a function.
    pub fn function(name: Symbol, arity: u32, argument: u32) -> Self {
        Self { owner: Owner::Function(name, arity), argument }
    }

    /// An argument of a relation.
    pub fn relation(relation: Relation, argument: u32) -> Self {
        Self { owner: Owner::Relation(relation), argument }
    }

    /// The name as in the thesis's figures: `succ,1`; here arguments count from 1.
    pub fn to_text(&self, symbols: &Symbols) -> String {
        let name = match self.owner {
            Owner::Relation(relation) => relation.name,
            Owner::Function(name, _) => name,
        };
        format!("{},{}", symbols.name(name), self.argument + 1)
    }
}

impl Element {
    /// The name as in the thesis's figures: `step/1`.
    pub fn to_text(&self, symbols: &Symbols) -> String {
        match self {
            Element::Constant(name) => format!("{}/0", symbols.name(*name)),
            Element::Function(name, arity) => format!("{}/{arity}", symbols.name(*name)),
        }
    }
}

impl Node {
    /// The name as in the thesis's figures.
    pub fn to_text(&self, symbols: &Symbols) -> String {
        match self {
            Node::Place(place) => place.to_text(symbols),
            Node::Element(element) => element.to_text(symbols),
        }
    }
}

/// A domain graph: plain (edges have no direction) or improved (edges lead to where values go).
#[derive(Clone, Debug, Default)]
pub struct DomainGraph {
    nodes: Vec<Node>,
    index: FxHashMap<Node, u32>,
    edges: Vec<(u32, u32)>,
}

impl DomainGraph {
    /// The domain graph of thesis §5.2.1. Places that share a variable are connected in a row instead of
    /// pairwise, which gives the same components. `true`, `init` and `next` share what a fluent is, `does`
    /// and `legal` what a move is; the thesis leaves that to the functions that occur in all of them.
    pub fn plain(program: &Program) -> Self {
        let mut graph = Self::default();
        for rule in &program.rules {
            let mut found = Occurrences::of(rule);
            found.predicate(&rule.head);
            for literal in &rule.body {
                if let Literal::Positive(p) | Literal::Negative(p) = literal {
                    found.predicate(p);
                }
            }
            found.declare(&mut graph);
            for (element, place) in found.elements {
                graph.edge(Node::Element(element), Node::Place(place));
            }
            for places in found.variables {
                for pair in places.windows(2).filter(|pair| pair[0] != pair[1]) {
                    graph.edge(Node::Place(pair[0]), Node::Place(pair[1]));
                }
            }
        }
        for (from, to) in keyword_places() {
            graph.edge_between_known(from, to);
        }
        graph.finish();
        graph
    }

    /// The improved domain graph of thesis Def. 7.5.
    pub fn improved(program: &Program) -> Self {
        let mut graph = Self::default();
        for rule in &program.rules {
            let (mut head, mut body) = (Occurrences::of(rule), Occurrences::of(rule));
            head.predicate(&rule.head);
            for literal in &rule.body {
                if let Literal::Positive(p) = literal {
                    body.predicate(p);
                }
            }
            head.declare(&mut graph);
            body.declare(&mut graph);
            for (element, place) in &head.elements {
                graph.edge(Node::Element(*element), Node::Place(*place));
            }
            let equal = equal_elements(rule);
            for (variable, to) in head.variables.iter().enumerate() {
                for to in to {
                    for from in &body.variables[variable] {
                        graph.edge(Node::Place(*from), Node::Place(*to));
                    }
                    for (same, element) in &equal {
                        if *same == variable && body.variables[variable].is_empty() {
                            graph.edge(Node::Element(*element), Node::Place(*to));
                        }
                    }
                }
            }
        }
        for (from, to) in keyword_places() {
            graph.edge_between_known(from, to);
        }
        graph.finish();
        graph
    }

    /// The nodes, in order.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The edges as pairs of nodes, in order, each once.
    pub fn edges(&self) -> impl Iterator<Item = (Node, Node)> + '_ {
        self.edges.iter().map(|(a, b)| (self.nodes[*a as usize], self.nodes[*b as usize]))
    }

    fn node(&mut self, node: Node) -> u32 {
        *self.index.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            self.nodes.len() as u32 - 1
        })
    }

    fn edge(&mut self, from: Node, to: Node) {
        let edge = (self.node(from), self.node(to));
        self.edges.push(edge);
    }

    fn edge_between_known(&mut self, from: Place, to: Place) {
        let known = |place| self.index.contains_key(&Node::Place(place));
        if known(from) && known(to) {
            self.edge(Node::Place(from), Node::Place(to));
        }
    }

    fn finish(&mut self) {
        self.edges.sort_unstable();
        self.edges.dedup();
    }
}

/// The edges of the rules `true(F) :- init(F)`, `true(F) :- next(F)` and `does(R,M) :- legal(R,M)`.
fn keyword_places() -> [(Place, Place); 4] {
    let place =
        |name, arity, argument| Place::relation(Relation { name, arity, parens: true }, argument);
    [
        (place(keyword::INIT, 1, 0), place(keyword::TRUE, 1, 0)),
        (place(keyword::NEXT, 1, 0), place(keyword::TRUE, 1, 0)),
        (place(keyword::LEGAL, 2, 0), place(keyword::DOES, 2, 0)),
        (place(keyword::LEGAL, 2, 1), place(keyword::DOES, 2, 1)),
    ]
}

/// Variables that a condition makes equal to a constant or a function.
fn equal_elements(rule: &Rule) -> Vec<(usize, Element)> {
    let mut found = Vec::new();
    for literal in &rule.body {
        if let Literal::Same(a, b) = literal {
            for (a, b) in [(a, b), (b, a)] {
                if let (Pattern::Variable(v), Some(element)) = (a, element_of(b)) {
                    found.push((*v as usize, element));
                }
            }
        }
    }
    found
}

fn element_of(pattern: &Pattern) -> Option<Element> {
    match pattern {
        Pattern::Variable(_) => None,
        Pattern::Constant(name) => Some(Element::Constant(*name)),
        Pattern::Function(name, args) => Some(Element::Function(*name, args.len() as u32)),
    }
}

/// What stands where in a part of a rule.
struct Occurrences {
    owners: Vec<(Owner, usize)>,
    elements: Vec<(Element, Place)>,
    variables: Vec<Vec<Place>>,
    /// For each variable the one it is made equal to by a condition, or itself.
    same: Vec<usize>,
}

impl Occurrences {
    fn of(rule: &Rule) -> Self {
        let mut same: Vec<usize> = (0..rule.variables as usize).collect();
        for literal in &rule.body {
            if let Literal::Same(Pattern::Variable(a), Pattern::Variable(b)) = literal {
                let (a, b) = (same[*a as usize], same[*b as usize]);
                same.iter_mut().filter(|v| **v == a).for_each(|v| *v = b);
            }
        }
        let variables = vec![Vec::new(); rule.variables as usize];
        Self { owners: Vec::new(), elements: Vec::new(), variables, same }
    }

    fn predicate(&mut self, predicate: &Predicate) {
        self.args(Owner::Relation(predicate.relation), &predicate.args);
    }

    fn args(&mut self, owner: Owner, args: &[Pattern]) {
        self.owners.push((owner, args.len()));
        for (argument, arg) in args.iter().enumerate() {
            let place = Place { owner, argument: argument as u32 };
            match arg {
                Pattern::Variable(v) => self.variables[self.same[*v as usize]].push(place),
                Pattern::Constant(name) => self.elements.push((Element::Constant(*name), place)),
                Pattern::Function(name, inner) => {
                    let arity = inner.len() as u32;
                    self.elements.push((Element::Function(*name, arity), place));
                    self.args(Owner::Function(*name, arity), inner);
                }
            }
        }
    }

    fn declare(&self, graph: &mut DomainGraph) {
        for (owner, arity) in &self.owners {
            for argument in 0..*arity as u32 {
                graph.node(Node::Place(Place { owner: *owner, argument }));
            }
        }
    }
}

/// The domains of all relations and functions of a program.
#[derive(Clone, Debug)]
pub struct Domains {
    plain: DomainGraph,
    /// For each node of the plain graph its component.
    component: Vec<u32>,
    /// For each component its elements.
    shared: Vec<Vec<Element>>,
    /// Places that share variables, directly or through others, whatever constants they share.
    linked: Vec<u32>,
    improved: DomainGraph,
    /// For each node of the improved graph the nodes that lead to it.
    sources: Vec<Vec<u32>>,
}

impl Domains {
    /// Both analyses.
    pub fn new(program: &Program) -> Self {
        let plain = DomainGraph::plain(program);
        let component = components(&plain, |_| true);
        let is_place = |node: u32| matches!(plain.nodes[node as usize], Node::Place(_));
        let linked = components(&plain, |(a, b)| is_place(a) && is_place(b));
        let mut shared = vec![Vec::new(); plain.nodes.len()];
        for (node, number) in plain.nodes.iter().zip(&component) {
            if let Node::Element(element) = node {
                shared[*number as usize].push(*element);
            }
        }
        for elements in &mut shared {
            elements.sort_unstable();
        }
        let improved = DomainGraph::improved(program);
        let mut sources = vec![Vec::new(); improved.nodes.len()];
        for (from, to) in &improved.edges {
            sources[*to as usize].push(*from);
        }
        Self { plain, component, shared, linked, improved, sources }
    }

    /// All places, in order.
    pub fn places(&self) -> Vec<Place> {
        let places = self.plain.nodes.iter().filter_map(|node| match node {
            Node::Place(place) => Some(*place),
            Node::Element(_) => None,
        });
        let mut places: Vec<Place> = places.collect();
        places.sort_unstable();
        places
    }

    /// The plain domain graph.
    pub fn plain_graph(&self) -> &DomainGraph {
        &self.plain
    }

    /// The improved domain graph.
    pub fn improved_graph(&self) -> &DomainGraph {
        &self.improved
    }

    /// `dom(p,i)` of thesis §5.2.1: all that can stand at any place of the same component.
    pub fn shared(&self, place: Place) -> &[Element] {
        self.component_of(place).map_or(&[], |number| &self.shared[number as usize])
    }

    /// The number of the component of a place; places with the same number share a domain.
    pub fn component_of(&self, place: Place) -> Option<u32> {
        let node = self.plain.index.get(&Node::Place(place))?;
        Some(self.component[*node as usize])
    }

    /// The number of the set of places that a place is linked with by variables alone. Finer than
    /// [`Domains::component_of`]: that two places share the constant `1` does not link them.
    pub fn link_of(&self, place: Place) -> Option<u32> {
        let node = self.plain.index.get(&Node::Place(place))?;
        Some(self.linked[*node as usize])
    }

    /// The constants and functions that reach a place in the improved graph (thesis Def. 7.6), in order.
    pub fn improved(&self, place: Place) -> Vec<Element> {
        let Some(start) = self.improved.index.get(&Node::Place(place)) else { return Vec::new() };
        let mut seen = vec![false; self.sources.len()];
        let mut todo = vec![*start];
        let mut found = Vec::new();
        while let Some(node) = todo.pop() {
            if std::mem::replace(&mut seen[node as usize], true) {
                continue;
            }
            if let Node::Element(element) = self.improved.nodes[node as usize] {
                found.push(element);
            }
            todo.extend_from_slice(&self.sources[node as usize]);
        }
        found.sort_unstable();
        found
    }

    /// The terms that can stand at a place (thesis Def. 7.6), in order. None if they are more than `most`,
    /// or without end.
    pub fn terms(&self, place: Place, most: usize) -> Option<Vec<GroundTerm>> {
        let mut terms = self.expand(place, most, MAX_DEPTH)?;
        terms.sort_unstable();
        Some(terms)
    }

    fn expand(&self, place: Place, most: usize, depth: usize) -> Option<Vec<GroundTerm>> {
        let mut terms = Vec::new();
        for element in self.improved(place) {
            match element {
                Element::Constant(name) => terms.push(GroundTerm::Constant(name)),
                Element::Function(name, arity) => {
                    let depth = depth.checked_sub(1)?;
                    let mut rows: Vec<Vec<GroundTerm>> = vec![Vec::new()];
                    for argument in 0..arity {
                        let place = Place::function(name, arity, argument);
                        let values = self.expand(place, most, depth)?;
                        if rows.len().saturating_mul(values.len()) > most {
                            return None;
                        }
                        rows = rows
                            .iter()
                            .flat_map(|row| {
                                values.iter().map(|v| [&row[..], std::slice::from_ref(v)].concat())
                            })
                            .collect();
                    }
                    terms.extend(rows.into_iter().map(|row| GroundTerm::Function(name, row)));
                }
            }
            if terms.len() > most {
                return None;
            }
        }
        Some(terms)
    }
}

/// How deep functions may nest in the terms of a domain; deeper ones are taken to be without end.
const MAX_DEPTH: usize = 8;

/// The connected components of a graph, numbered by their first nodes, along the edges that `wanted` keeps.
fn components(graph: &DomainGraph, wanted: impl Fn((u32, u32)) -> bool) -> Vec<u32> {
    let mut parent: Vec<u32> = (0..graph.nodes.len() as u32).collect();
    for edge in graph.edges.iter().filter(|edge| wanted(**edge)) {
        let (a, b) = (root(&mut parent, edge.0), root(&mut parent, edge.1));
        parent[a.max(b) as usize] = a.min(b);
    }
    (0..graph.nodes.len() as u32).map(|node| root(&mut parent, node)).collect()
}

fn root(parent: &mut [u32], mut node: u32) -> u32 {
    while parent[node as usize] != node {
        parent[node as usize] = parent[parent[node as usize] as usize];
        node = parent[node as usize];
    }
    node
}
