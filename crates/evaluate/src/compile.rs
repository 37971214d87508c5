//! Goals and the end of the game, fully ground, as a network: each instance of a rule counts (thesis Def. 5.2
//! on ground rules, as in §6.4.2).

use std::sync::Arc;

use datalog::GroundTerm;
use game::{FluentId, GroundProgram};
use ground::{AtomId, GroundLiteral};

use crate::leaf::{Nearest, Steps, Watch};
use crate::network::{Builder, Component, Edge, Kind};
use crate::rules::{Input, RuleView};
use crate::{Distances, Parameters};

/// Makes nodes of atoms of the ground program.
pub(crate) struct Compiler<'p> {
    program: &'p GroundProgram,
    rules: RuleView<'p>,
    fluents: &'p [FluentId],
    distances: &'p [Distances],
    pub(crate) builder: Builder,
    component_of: Vec<u32>,
    recursive: Vec<bool>,
    leaves: Vec<Option<Edge>>,
    bits: Vec<Option<Edge>>,
    degrees: Vec<Option<Edge>>,
    truths: Vec<Option<Edge>>,
}

/// The atoms that something depends on.
pub(crate) struct Cone {
    /// By degrees of truth.
    degrees: Vec<AtomId>,
    /// Only whether they hold: inside recursive relations and below them.
    truths: Vec<AtomId>,
    /// The fluents met, sorted.
    pub(crate) fluents: Vec<u32>,
    /// How many conditions these atoms have.
    pub(crate) conditions: usize,
}

impl<'p> Compiler<'p> {
    pub(crate) fn new(
        program: &'p GroundProgram,
        fluents: &'p [FluentId],
        parameters: Parameters,
    ) -> Self {
        let rules = RuleView::new(program);
        let (component_of, recursive) = rules.components(true);
        Self {
            program,
            rules,
            fluents,
            distances: &[],
            builder: Builder::new(parameters),
            component_of,
            recursive,
            leaves: vec![None; fluents.len()],
            bits: vec![None; fluents.len()],
            degrees: vec![None; rules.atom_count()],
            truths: vec![None; rules.atom_count()],
        }
    }

    /// Values fluents by distances from now on; the greatest of several counts.
    pub(crate) fn with_distances(mut self, distances: &'p [Distances]) -> Self {
        self.distances = distances;
        self
    }

    fn is_recursive(&self, atom: AtomId) -> bool {
        self.recursive[self.component_of[atom.index()] as usize]
    }

    /// What some atoms depend on, with `crisp` only as far as whether it holds. None if that is more than
    /// `most` conditions.
    pub(crate) fn cone(&self, tops: &[AtomId], crisp: bool, most: usize) -> Option<Cone> {
        let mut cone =
            Cone { degrees: Vec::new(), truths: Vec::new(), fluents: Vec::new(), conditions: 0 };
        let mut met = vec![0u8; self.rules.atom_count()];
        let mut fluent_met = vec![false; self.fluents.len()];
        let mut todo: Vec<(AtomId, bool)> = tops.iter().map(|atom| (*atom, crisp)).collect();
        while let Some((atom, crisp)) = todo.pop() {
            let crisp = crisp || self.is_recursive(atom);
            let flag = 1 << u8::from(crisp);
            if met[atom.index()] & flag != 0 {
                continue;
            }
            met[atom.index()] |= flag;
            if crisp {
                cone.truths.push(atom);
            } else {
                cone.degrees.push(atom);
            }
            for literal in self.rules.bodies(atom).flatten() {
                cone.conditions += 1;
                match self.rules.input(literal.atom) {
                    Input::Fluent(fluent) => fluent_met[fluent as usize] = true,
                    Input::Derived => todo.push((literal.atom, crisp)),
                    Input::Does => {}
                }
            }
            if cone.conditions > most {
                return None;
            }
        }
        // A recursive relation brings its whole component.
        cone.fluents = (0..self.fluents.len() as u32).filter(|f| fluent_met[*f as usize]).collect();
        let order = |atom: &AtomId| (self.component_of[atom.index()], atom.index());
        cone.degrees.sort_unstable_by_key(order);
        cone.truths.sort_unstable_by_key(order);
        Some(cone)
    }

    /// Makes the nodes of a cone.
    pub(crate) fn add(&mut self, cone: &Cone) {
        let component_of = std::mem::take(&mut self.component_of);
        let component = |atom: &AtomId| component_of[atom.index()];
        for group in cone.truths.chunk_by(|a, b| component(a) == component(b)) {
            if self.recursive[component(&group[0]) as usize] {
                self.add_component(group);
            } else {
                for atom in group {
                    self.add_truth(*atom);
                }
            }
        }
        for atom in &cone.degrees {
            self.add_degree(*atom);
        }
        self.component_of = component_of;
    }

    /// The degree of truth of an atom that was added.
    pub(crate) fn degree(&mut self, atom: AtomId) -> Edge {
        if let Some(edge) = self.degrees[atom.index()] {
            return edge;
        }
        // Only whether it holds is known: thesis Eq. 5.5.
        let truth = self.truth(atom);
        let edge = self.builder.node(Kind::Truth, &[truth]);
        self.builder.label(edge, self.name(atom));
        self.degrees[atom.index()] = Some(edge);
        edge
    }

    /// Whether an atom holds that was added.
    pub(crate) fn truth(&mut self, atom: AtomId) -> Edge {
        match self.truths[atom.index()] {
            Some(edge) => edge,
            None => self.builder.constant(0.0, false),
        }
    }

    fn add_degree(&mut self, atom: AtomId) {
        if self.degrees[atom.index()].is_some() {
            return;
        }
        let mut bodies: Vec<Edge> = Vec::new();
        for body in self.rules.bodies(atom) {
            let parts: Vec<Edge> = body.iter().map(|literal| self.condition(*literal)).collect();
            bodies.push(self.builder.all(&parts));
        }
        let edge = self.builder.any(&bodies);
        if !edge.is_negative() {
            self.builder.label(edge, self.name(atom));
        }
        self.degrees[atom.index()] = Some(edge);
    }

    fn condition(&mut self, literal: GroundLiteral) -> Edge {
        let edge = match self.rules.input(literal.atom) {
            Input::Fluent(fluent) => self.leaf(fluent),
            Input::Derived => self.degree(literal.atom),
            Input::Does => self.builder.constant(0.0, false),
        };
        edge.negated(literal.negative)
    }

    fn add_truth(&mut self, atom: AtomId) {
        if self.truths[atom.index()].is_some() {
            return;
        }
        let mut bodies: Vec<Edge> = Vec::new();
        for body in self.rules.bodies(atom) {
            let parts: Vec<Edge> =
                body.iter().map(|literal| self.plain_condition(*literal)).collect();
            bodies.push(self.builder.gate(&parts, true));
        }
        self.truths[atom.index()] = Some(self.builder.gate(&bodies, false));
    }

    fn plain_condition(&mut self, literal: GroundLiteral) -> Edge {
        let edge = match self.rules.input(literal.atom) {
            Input::Fluent(fluent) => self.bit(fluent),
            Input::Derived => self.truth(literal.atom),
            Input::Does => self.builder.constant(0.0, false),
        };
        edge.negated(literal.negative)
    }

    /// Relations that depend on each other. A negated one among them, which sound rules do not have, makes its
    /// rule void.
    fn add_component(&mut self, group: &[AtomId]) {
        if self.truths[group[0].index()].is_some() {
            return;
        }
        let place = |atom: AtomId| group.iter().position(|other| *other == atom);
        let mut component = Component { rules: Vec::new(), members: group.len() as u32 };
        let mut outside: Vec<Edge> = Vec::new();
        for (head, atom) in group.iter().enumerate() {
            'bodies: for body in self.rules.bodies(*atom) {
                let (mut members, mut others) = (Vec::new(), Vec::new());
                for literal in body {
                    match (place(literal.atom), literal.negative) {
                        (Some(_), true) => continue 'bodies,
                        (Some(member), false) => members.push(member as u32),
                        (None, _) => {
                            others.push(outside.len() as u32);
                            outside.push(self.plain_condition(*literal));
                        }
                    }
                }
                component.rules.push((head as u32, members, others));
            }
        }
        self.builder.node(Kind::Component(Box::new(component)), &outside);
        for atom in group {
            let member = self.builder.node(Kind::Member, &[]);
            self.truths[atom.index()] = Some(member);
        }
    }

    /// The degree of truth of a fluent, by its number in the program.
    pub(crate) fn leaf(&mut self, fluent: u32) -> Edge {
        if let Some(edge) = self.leaves[fluent as usize] {
            return edge;
        }
        let edge = match steps(&self.builder, self.fluents, self.distances, fluent) {
            Some(steps) => self.builder.node(Kind::Watch(Arc::new(Watch::Steps(steps))), &[]),
            None => self.bit(fluent),
        };
        self.builder.label(edge, self.fluent_name(fluent));
        self.leaves[fluent as usize] = Some(edge);
        edge
    }

    fn bit(&mut self, fluent: u32) -> Edge {
        if let Some(edge) = self.bits[fluent as usize] {
            return edge;
        }
        let number = self.fluents[fluent as usize].0;
        let edge = self.builder.node(Kind::Bit(number), &[]);
        self.builder.label(edge, self.fluent_name(fluent));
        self.bits[fluent as usize] = Some(edge);
        edge
    }

    fn fluent_name(&self, fluent: u32) -> String {
        self.program.fluents[fluent as usize].to_text(&self.program.symbols)
    }

    pub(crate) fn name(&self, atom: AtomId) -> String {
        let name: &GroundTerm = self.rules.name(atom);
        name.to_text(&self.program.symbols)
    }
}

/// How a fluent is valued by its distances, if they are known (thesis Eq. 6.1, 6.2). `fluents` gives the nodes of the
/// graphs their numbers in the universe.
pub(crate) fn steps(
    builder: &Builder,
    fluents: &[FluentId],
    distances: &[Distances],
    fluent: u32,
) -> Option<Steps> {
    let known: Vec<&Distances> =
        distances.iter().filter(|distances| distances.knows(fluent)).collect();
    let longest = known.iter().map(|distances| distances.longest(fluent)).max()?;
    let nothing = fluents.len() as u32;
    let graph = |distances: &&Distances| {
        let ways: Vec<(u32, u32)> = (0..nothing)
            .filter_map(|from| {
                let steps = distances.between(from, fluent)?;
                Some((fluents[from as usize].0, steps))
            })
            .collect();
        Nearest::new(&ways, distances.between(nothing, fluent))
    };
    let (parameters, powers) = (builder.parameters(), builder.powers());
    let outcome = |steps: u32| {
        let delta = f64::from(steps) / f64::from(longest + 1);
        if steps == 0 { powers.atom(true) } else { powers.signal(parameters.distant(delta), false) }
    };
    Some(Steps {
        fluent: fluents[fluent as usize].0,
        graphs: known.iter().map(graph).collect(),
        outcomes: (0..=longest.max(1)).map(outcome).collect(),
        never: powers.signal(0.0, false),
    })
}
