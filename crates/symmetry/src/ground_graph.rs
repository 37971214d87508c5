//! One graph over fluents, moves, roles and formulas of the ground program: its automorphisms are symmetries
//! of the game whatever the syntax hides (what thesis §8.5 calls propositionalising, made feasible by
//! the grounder).
//!
//! Edges lead from formulas to their parts; since a vertex is labelled with the height of its formula, and
//! heights grow along every such edge, undirected edges say the same. Edges between leaves and what
//! defines them (`next`, recursive atoms) go through vertices of their own.

use game::GroundProgram;

use crate::graph::{Graph, Palette};
use crate::ground_logic::{GameLogic, game_logic};
use crate::logic::{Lit, Node, TooLarge};

#[derive(Clone, PartialEq, Eq, Hash)]
enum Label {
    Fluent {
        holds: Option<bool>,
    },
    Move,
    Role(Option<u32>),
    Recursive,
    And(u32),
    Not(u32),
    Next,
    Legal,
    Terminal,
    Goal(String),
    Defined,
    /// Between the two leaves that something links.
    Link(&'static str),
}

/// What the graph is to show.
#[derive(Clone, Copy, Debug, Default)]
pub struct View<'a> {
    /// For each fluent whether it holds, if only symmetries of this state are wanted.
    pub state: Option<&'a [bool]>,
    /// Whether roles keep their identity (thesis Def. 8.2).
    pub fix_roles: bool,
}

/// The graph of a game; its first vertices are the fluents, the moves role by role, and the roles.
#[derive(Debug)]
pub struct GroundGraph {
    /// The graph.
    pub graph: Graph,
    /// How many vertices are fluents, moves and roles.
    pub points: usize,
}

struct Builder<'a> {
    game: &'a GameLogic,
    graph: Graph,
    palette: Palette<Label>,
    /// The vertex of each node and of its negation, as far as needed.
    vertices: Vec<[Option<u32>; 2]>,
}

/// Builds the graph of a ground program; at most `most` literals are stored on the way.
pub fn ground_graph(
    program: &GroundProgram,
    view: View<'_>,
    most: usize,
) -> Result<GroundGraph, TooLarge> {
    let game = game_logic(program, most)?;
    let vertices = vec![[None; 2]; game.logic.nodes().len()];
    let mut builder =
        Builder { game: &game, graph: Graph::default(), palette: Palette::default(), vertices };
    let roles = builder.leaves(view);
    let points = builder.graph.vertices();
    builder.outputs(&roles);
    Ok(GroundGraph { graph: builder.graph, points })
}

impl Builder<'_> {
    fn vertex(&mut self, label: Label) -> u32 {
        let colour = self.palette.colour(label);
        self.graph.vertex(colour)
    }

    /// Fluents, moves and roles; returns the vertices of the roles.
    fn leaves(&mut self, view: View<'_>) -> Vec<u32> {
        let game = self.game;
        for (at, fluent) in game.fluents.iter().enumerate() {
            let holds = view.state.map(|state| state.get(at).copied().unwrap_or(false));
            let vertex = self.vertex(Label::Fluent { holds });
            self.vertices[fluent.node()][0] = Some(vertex);
        }
        for action in game.does.iter().flatten() {
            let vertex = self.vertex(Label::Move);
            self.vertices[action.node()][0] = Some(vertex);
        }
        let mut roles = Vec::new();
        for (number, own) in game.does.iter().enumerate() {
            let role = self.vertex(Label::Role(view.fix_roles.then_some(number as u32)));
            for action in own {
                if let Some(vertex) = self.vertices[action.node()][0] {
                    self.graph.edge(role, vertex);
                }
            }
            roles.push(role);
        }
        roles
    }

    fn outputs(&mut self, roles: &[u32]) {
        let game = self.game;
        for (leaf, _) in &game.recursive {
            self.vertices[leaf.node()][0] = Some(self.vertex(Label::Recursive));
        }
        for (leaf, defined) in &game.recursive {
            self.connect(*leaf, *defined, Label::Defined, "defined");
        }
        for (fluent, next) in game.fluents.iter().zip(&game.next) {
            self.connect(*fluent, *next, Label::Next, "next");
        }
        for (own, legal) in game.does.iter().zip(&game.legal) {
            for (action, legal) in own.iter().zip(legal) {
                self.connect(*action, *legal, Label::Legal, "legal");
            }
        }
        for (role, values) in roles.iter().zip(&game.goals) {
            for (value, when) in values {
                let vertex = self.vertex(Label::Goal(value.clone()));
                let formula = self.literal(*when);
                self.graph.edge(*role, vertex);
                self.graph.edge(vertex, formula);
            }
        }
        let terminal = self.vertex(Label::Terminal);
        let formula = self.literal(game.terminal);
        self.graph.edge(terminal, formula);
    }

    /// Links a leaf with its formula, by two vertices so that leaf and formula are told apart.
    fn connect(&mut self, leaf: Lit, formula: Lit, label: Label, link: &'static str) {
        let (from, to) = (self.literal(leaf), self.literal(formula));
        let (near, far) = (self.vertex(label), self.vertex(Label::Link(link)));
        self.graph.edge(from, near);
        self.graph.edge(near, far);
        self.graph.edge(far, to);
    }

    /// The vertex of a literal, made with all of its parts if it is new.
    fn literal(&mut self, lit: Lit) -> u32 {
        let mut todo = vec![lit];
        while let Some(lit) = todo.last().copied() {
            let missing = self.missing(lit);
            if missing.is_empty() {
                todo.pop();
                self.make(lit);
            } else {
                todo.extend(missing);
            }
        }
        self.place(lit).unwrap_or(0)
    }

    fn place(&self, lit: Lit) -> Option<u32> {
        self.vertices[lit.node()][usize::from(lit.is_negative())]
    }

    /// What must be there before the vertex of a literal.
    fn missing(&self, lit: Lit) -> Vec<Lit> {
        if self.place(lit).is_some() {
            return Vec::new();
        }
        if lit.is_negative() {
            return if self.place(!lit).is_some() { Vec::new() } else { vec![!lit] };
        }
        match &self.game.logic.nodes()[lit.node()] {
            Node::Leaf => Vec::new(),
            Node::And(parts) => {
                parts.iter().filter(|part| self.place(**part).is_none()).copied().collect()
            }
        }
    }

    fn make(&mut self, lit: Lit) {
        if self.place(lit).is_some() {
            return;
        }
        let height = self.game.logic.height(lit.node());
        let vertex = if lit.is_negative() {
            let vertex = self.vertex(Label::Not(height));
            if let Some(inner) = self.place(!lit) {
                self.graph.edge(vertex, inner);
            }
            vertex
        } else {
            let vertex = self.vertex(Label::And(height));
            if let Node::And(parts) = &self.game.logic.nodes()[lit.node()] {
                for part in parts {
                    if let Some(part) = self.place(*part) {
                        self.graph.edge(vertex, part);
                    }
                }
            }
            vertex
        };
        self.vertices[lit.node()][usize::from(lit.is_negative())] = Some(vertex);
    }
}
