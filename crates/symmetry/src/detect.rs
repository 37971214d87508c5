//! Finding the symmetries of a game: from its rules as the thesis does it, from its ground program where there
//! is one, both together, checked.
//!
//! Both kinds are needed. The rule graph is small and sees symmetries of states that cannot be reached from
//! the initial one; the ground program sees what the syntax hides. Everything is bounded, and what was not
//! finished is said.

use std::time::{Duration, Instant};

use game::{Deadline, FluentId, Game, Gates, GroundTerm, Limits, Move, State};
use gdl::keyword;

use crate::chain::{Chains, chains};
use crate::check::{Samples, Verdict};
use crate::goal_values::goal_values;
use crate::ground_graph::{View, ground_graph};
use crate::nauty::{Automorphisms, Bounds, automorphisms};
use crate::permutation::{is_identity, orbits};
use crate::points::Points;
use crate::rule_graph::{Description, RuleGraph, Scrambling};
use crate::rules::{Start, plain_rules};
use crate::symmetries::{Generator, Part, Source, Symmetries};

/// What is wanted, and how much may be spent.
#[derive(Clone, Debug)]
pub struct Options {
    /// When to stop; what was found by then is the result.
    pub deadline: Deadline,
    /// Whether symmetries must keep the initial state. Without, those that occur only later are found too
    /// (thesis §8.3).
    pub start: Start,
    /// Larger graphs are not looked at.
    pub most_vertices: usize,
    /// Graphs of more edges are not looked at.
    pub most_edges: usize,
    /// States on which each generator is checked against Def. 8.1.
    pub checked_states: usize,
    /// The time for these checks.
    pub checking_time: Duration,
    /// The seed of the random play for the checks.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            deadline: Deadline::within(Duration::from_secs(10)),
            start: Start::Left,
            most_vertices: 1_000_000,
            most_edges: 6_000_000,
            checked_states: 24,
            checking_time: Duration::from_millis(300),
            seed: 8,
        }
    }
}

/// The most literals of formulas for the ground graph.
const MOST_LITERALS: usize = 6_000_000;
/// The most images of generators that are kept.
const MOST_IMAGES: usize = 32 << 20;
/// The most points where only a sample of fluents and moves is known.
const MOST_SAMPLED_POINTS: usize = 50_000;
/// The inference steps that one question of a check may take.
const CHECKING_STEPS: u64 = 2_000_000;

/// Finds the symmetries of a game. With gates, its ground program is looked at as well.
pub fn detect(game: &Game, gates: Option<&Gates>, options: &Options) -> Symmetries {
    let begin = Instant::now();
    let scrambled = scramblings(game, options);
    let mut points = match gates {
        Some(gates) => Points::new(gates.fluents().to_vec(), gates.moves()),
        None => sampled_points(game, &scrambled.1),
    };
    if gates.is_none() {
        let mappings: Vec<_> = scrambled.1.iter().map(|s| |term: &GroundTerm| s.image(term)).collect();
        points.close(game, &mappings, MOST_SAMPLED_POINTS);
    }
    let mut found = Found { generators: Vec::new(), beyond: 0, refuted: Vec::new() };
    for scrambling in &scrambled.1 {
        match points.permutation(game, |term| scrambling.image(term)) {
            Some(permutation) => found.take(permutation, Source::Rules(scrambling.clone())),
            None => found.beyond += 1,
        }
    }
    let ground = gates.map(|gates| ground_generators(gates, options));
    let ground_part = ground.as_ref().map_or(Part::Absent, |(_, part)| *part);
    for permutation in ground.into_iter().flat_map(|(permutations, _)| permutations) {
        found.take(permutation, Source::Ground);
    }
    let checked = found.check(game, &points, options);
    let group = group_of(&points, &found.generators, &options.deadline);
    Symmetries {
        game: game.clone(),
        rules: scrambled.0,
        ground: ground_part,
        beyond: found.beyond,
        refuted: found.refuted,
        checked_states: checked,
        generators: found.generators,
        points,
        group,
        seconds: begin.elapsed().as_secs_f64(),
        gates: gates.cloned(),
    }
}

fn bounds(options: &Options) -> Bounds {
    Bounds {
        deadline: options.deadline.clone(),
        most_vertices: options.most_vertices,
        most_edges: options.most_edges,
        most_images: MOST_IMAGES,
    }
}

fn part(found: &Automorphisms, vertices: usize) -> Part {
    if found.complete { Part::Whole { vertices } } else { Part::Stopped { vertices } }
}

/// The scramblings that map the rules to themselves (Theorem 8.1).
fn scramblings(game: &Game, options: &Options) -> (Part, Vec<Scrambling>) {
    let program = game.program();
    let rules = plain_rules(program, options.start);
    let init = program.rules.iter().filter(|rule| rule.head.relation.name == keyword::INIT);
    let left_out: Vec<_> = init.cloned().collect();
    let graph = RuleGraph::new(&Description {
        rules: &rules,
        left_out: &left_out,
        goal_values: &goal_values(&program.rules),
        state: &[],
        fix_roles: false,
    });
    let found = automorphisms(graph.graph(), graph.wanted(), &bounds(options));
    let all = found.generators.iter().map(|image| graph.scrambling(image));
    (part(&found, graph.graph().vertices()), all.filter(|s| !s.moved().is_empty()).collect())
}

/// The automorphisms of the ground program as permutations of the points.
fn ground_generators(gates: &Gates, options: &Options) -> (Vec<Vec<u32>>, Part) {
    let program = gates.program();
    let state = (options.start == Start::Kept).then_some(&program.initial[..]);
    let view = View { state, fix_roles: false };
    let Ok(built) = ground_graph(program, view, MOST_LITERALS) else {
        return (Vec::new(), Part::Stopped { vertices: 0 });
    };
    let found = automorphisms(&built.graph, built.points, &bounds(options));
    let part = part(&found, built.graph.vertices());
    (found.generators, part)
}

/// The fluents and moves of a little random play, for games without a ground program.
fn sampled_points(game: &Game, scramblings: &[Scrambling]) -> Points {
    let mut fluents: Vec<FluentId> = Vec::new();
    let mut moves: Vec<Vec<Move>> = vec![Vec::new(); game.roles().len()];
    if !scramblings.is_empty() {
        let universe = game.universe();
        fluents = (0..universe.fluent_count() as u32).map(FluentId).collect();
        let all: Vec<Move> = (0..universe.move_count() as u32).map(Move).collect();
        moves = vec![all; game.roles().len()];
    }
    Points::new(fluents, &moves)
}

struct Found {
    generators: Vec<Generator>,
    beyond: usize,
    refuted: Vec<String>,
}

impl Found {
    fn take(&mut self, permutation: Vec<u32>, source: Source) {
        let known = |generator: &Generator| generator.permutation == permutation;
        if !is_identity(&permutation) && !self.generators.iter().any(known) {
            self.generators.push(Generator { permutation, source });
        }
    }

    /// Drops what breaks Def. 8.1 on some state; returns on how many states the rest was checked.
    fn check(&mut self, game: &Game, points: &Points, options: &Options) -> usize {
        let latest = Instant::now() + options.checking_time;
        let deadline = options.deadline.not_after(latest);
        let limits = Limits { max_steps: CHECKING_STEPS, ..Limits::default() };
        let mut machine = game.interpreter_with(limits);
        if self.generators.is_empty() {
            return 0;
        }
        let half = options.deadline.not_after(Instant::now() + options.checking_time / 2);
        let samples = Samples::new(&mut machine, options.checked_states, options.seed, &half);
        let mut least = samples.len();
        let refuted = &mut self.refuted;
        self.generators.retain(|generator| {
            match samples.check(&mut machine, points, &generator.permutation, &deadline) {
                Verdict::Held(states) => {
                    least = least.min(states);
                    true
                }
                Verdict::Broken(what, state) => {
                    refuted.push(format!("{what}, state {state}, seed {}", options.seed));
                    false
                }
            }
        });
        least
    }
}

/// The stabiliser chains of the group: roles first, then fluents, those in small orbits first; moves apart.
fn group_of(points: &Points, generators: &[Generator], deadline: &Deadline) -> Chains {
    let permutations: Vec<Vec<u32>> = generators.iter().map(|g| g.permutation.clone()).collect();
    let roles: Vec<u32> = points.role_points().collect();
    let mut by_orbit: Vec<Vec<u32>> = orbits(points.len(), &permutations);
    by_orbit.sort_by_key(|orbit| (orbit.len(), orbit[0]));
    let moves = points.move_points();
    let (others, fluents): (Vec<u32>, Vec<u32>) = by_orbit
        .into_iter()
        .flatten()
        .filter(|point| *point < moves.end)
        .partition(|point| moves.contains(point));
    chains(points.len(), &permutations, &roles, fluents, others, deadline)
}

/// Whether a state is mapped to itself.
pub(crate) fn fixes(points: &Points, permutation: &[u32], state: &State) -> bool {
    points.state_image(permutation, state).is_some_and(|image| image == *state)
}
