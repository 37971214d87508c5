//! Building evaluation functions: from the ground rules, with or without distances.

use std::sync::Arc;

use game::{Deadline, FluentId, Game, GroundProgram};
use ground::AtomId;

use crate::compile::Compiler;
use crate::cover::Selection;
use crate::distance::Distances;
use crate::graph::FluentGraph;
use crate::heuristic::{Evaluation, RolePlan};
use crate::network::{Builder, Edge};
use crate::norm::Parameters;

/// How an evaluation function is built.
#[derive(Clone, Debug)]
pub struct Options {
    /// The parameters of the fuzzy logic.
    pub parameters: Parameters,
    /// The fluent graphs to be used; fluents are valued by the greatest of their distances.
    pub selections: Vec<Selection>,
    /// The most conditions that formulas may have together.
    pub most_conditions: usize,
    /// The most memory for distances, in bytes.
    pub max_bytes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            parameters: Parameters::default(),
            selections: vec![Selection::Similar],
            most_conditions: 30_000,
            max_bytes: 256 << 20,
        }
    }
}

/// What there is to evaluate: the goals of the roles and the end.
pub(crate) struct Outputs {
    /// For each role its goal values with their atoms, greatest first.
    pub(crate) goals: Vec<Vec<(u8, AtomId)>>,
    pub(crate) terminal: Option<AtomId>,
    pub(crate) notes: Vec<String>,
}

impl Outputs {
    pub(crate) fn of(program: &GroundProgram) -> Self {
        let mut notes = Vec::new();
        let mut read = |(term, atom): &(datalog::GroundTerm, AtomId)| {
            let text = term.to_text(&program.symbols);
            let value = text.parse::<u8>().ok().filter(|value| *value <= 100);
            if value.is_none() {
                notes.push(format!("the goal value {text} is no number from 0 to 100: left out"));
            }
            value.map(|value| (value, *atom))
        };
        let mut goals: Vec<Vec<(u8, AtomId)>> =
            program.goals.iter().map(|own| own.iter().filter_map(&mut read).collect()).collect();
        for own in &mut goals {
            own.sort_unstable_by_key(|(value, atom)| (std::cmp::Reverse(*value), *atom));
        }
        Self { goals, terminal: program.terminal, notes }
    }

    /// The domain GV of goal values of the whole game (thesis Def. 5.3), greatest first, without 0.
    pub(crate) fn domain(&self) -> Vec<u8> {
        let mut values: Vec<u8> = self.goals.iter().flatten().map(|(value, _)| *value).collect();
        values.sort_unstable();
        values.dedup();
        values.retain(|value| *value > 0);
        values.reverse();
        values
    }
}

impl Evaluation {
    /// Whether the ground goals and the end have no more conditions than the options allow for.
    pub fn fits(program: &GroundProgram, options: &Options) -> bool {
        let outputs = Outputs::of(program);
        let mut tops: Vec<AtomId> = outputs.goals.iter().flatten().map(|(_, atom)| *atom).collect();
        tops.extend(outputs.terminal);
        let fluents = vec![FluentId(0); program.fluents.len()];
        let compiler = Compiler::new(program, &fluents, Parameters::default());
        compiler.cone(&tops, false, options.most_conditions).is_some()
    }

    /// Evaluates the ground goals, each instance counted, with fluents valued by distances in the graphs that
    /// the options name (thesis §6), or as p and 1-p if they name none.
    pub fn ground(
        game: &Game,
        program: &GroundProgram,
        options: &Options,
        deadline: &Deadline,
    ) -> Self {
        let fluents: Vec<FluentId> =
            program.fluents.iter().map(|term| game.universe().fluent(term)).collect();
        let outputs = Outputs::of(program);
        let mut notes = outputs.notes.clone();
        let parameters = sound(options.parameters, &mut notes);
        let compiler = Compiler::new(program, &fluents, parameters);
        let kept = keep(&compiler, &outputs, options.most_conditions, game, &mut notes);
        let cone = compiler.cone(&kept, false, usize::MAX);
        let targets = cone.as_ref().map(|cone| cone.fluents.clone()).unwrap_or_default();
        let distances = distances(program, &fluents, &targets, options, deadline, &mut notes);
        let mut compiler = compiler.with_distances(&distances);
        if let Some(cone) = cone {
            compiler.add(&cone);
        }
        let kept = |atom: AtomId| kept.contains(&atom).then_some(atom);
        let mut goals = Vec::new();
        for own in &outputs.goals {
            let own = own.iter().filter_map(|(value, atom)| Some((*value, kept(*atom)?)));
            goals.push(own.map(|(value, atom)| (value, compiler.degree(atom))).collect::<Vec<_>>());
        }
        let terminal = outputs.terminal.and_then(kept).map(|atom| compiler.degree(atom));
        finish(compiler.builder, game, &outputs, &goals, terminal, notes)
    }
}

/// The default parameters where the given ones mean nothing.
pub(crate) fn sound(parameters: Parameters, notes: &mut Vec<String>) -> Parameters {
    if parameters.is_sound() {
        return parameters;
    }
    notes.push("the parameters of the evaluation make no sense: the default is used".to_owned());
    Parameters::default()
}

/// Which goals, greatest first, and whether the end, fit in.
fn keep(
    compiler: &Compiler<'_>,
    outputs: &Outputs,
    most: usize,
    game: &Game,
    notes: &mut Vec<String>,
) -> Vec<AtomId> {
    let mut kept: Vec<AtomId> = Vec::new();
    let mut wanted: Vec<(String, AtomId)> = Vec::new();
    for value in outputs.domain() {
        for (role, own) in game.role_ids().zip(&outputs.goals) {
            for (_, atom) in own.iter().filter(|(other, _)| *other == value) {
                wanted.push((format!("goal {value} of {}", game.role_name(role)), *atom));
            }
        }
    }
    wanted.extend(outputs.terminal.map(|atom| ("the end of the game".to_owned(), atom)));
    let everything: Vec<AtomId> = wanted.iter().map(|(_, atom)| *atom).collect();
    if compiler.cone(&everything, false, most).is_some() {
        return everything;
    }
    for (name, atom) in wanted {
        kept.push(atom);
        if compiler.cone(&kept, false, most).is_none() {
            kept.pop();
            notes.push(format!("{name} is left out: more than {most} conditions"));
        }
    }
    kept
}

pub(crate) fn distances(
    program: &GroundProgram,
    fluents: &[FluentId],
    targets: &[u32],
    options: &Options,
    deadline: &Deadline,
    notes: &mut Vec<String>,
) -> Vec<Distances> {
    let mut all = Vec::new();
    for selection in &options.selections {
        let graph = FluentGraph::towards(program, *selection, targets, deadline);
        let rows = Distances::build(&graph, fluents, Some(targets), options.max_bytes, deadline);
        if let Some(why) = rows.stopped() {
            notes.push(format!("distances of some fluents are not known: {why}"));
        }
        if graph.is_complete() {
            all.push(rows);
        } else {
            notes.push("no time for the fluent graph: distances are not used".to_owned());
        }
    }
    all
}

/// Puts the formulas of the roles together.
pub(crate) fn finish(
    builder: Builder,
    game: &Game,
    outputs: &Outputs,
    goals: &[Vec<(u8, Edge)>],
    terminal: Option<Edge>,
    mut notes: Vec<String>,
) -> Evaluation {
    let domain = outputs.domain();
    let asked = goals.iter().flatten().filter(|(value, _)| *value > 0).map(|(_, edge)| *edge);
    let asked: Vec<Edge> = asked.collect();
    let network = Arc::new(builder.finish((&asked, terminal)));
    let mut roles = Vec::new();
    let mut known: Vec<Option<Edge>> = Vec::new();
    for role in game.role_ids() {
        let own = goals.get(role.index()).map_or(&[][..], Vec::as_slice);
        let edge_of = |value: u8| own.iter().find(|(other, _)| *other == value).map(|(_, e)| *e);
        let mut plan = RolePlan {
            goals: domain.iter().map(|value| (*value, edge_of(*value))).collect(),
            slots: Vec::new(),
            total: domain.iter().map(|value| f64::from(*value)).sum(),
        };
        for (_, edge) in &plan.goals {
            let slot = known.iter().position(|other| other == edge);
            plan.slots.push(slot.unwrap_or_else(|| {
                known.push(*edge);
                known.len() - 1
            }));
        }
        let says_something =
            |(_, edge): &(u8, Option<Edge>)| edge.is_some_and(|edge| !network.is_constant(edge));
        if !plan.goals.iter().any(says_something) {
            plan.total = 0.0;
            let name = game.role_name(role);
            notes.push(format!("the goals of {name} say nothing about states: always 50"));
        }
        roles.push(plan);
    }
    if terminal.is_none() {
        notes.push("nothing ends the game: the end is not taken into account".to_owned());
    }
    Evaluation { network, roles: roles.into(), terminal, notes: notes.into() }
}
