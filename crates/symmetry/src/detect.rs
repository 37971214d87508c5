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
            most_vertices: 300_000,
            most_edges: 3_000_000,
            checked_states: 24,
            checking_time: Duration::from_millis(300),
            seed: 8,
        }
    }
}

/// The most literals of formulas for the ground graph.
const MOST_LITERALS: usize = 3_000_000;
/// The most images of generators that are kept.
const MOST_IMAGES: usize = 32 << 20;
/// The most points where only a sample of fluents and moves is known.
const MOST_SAMPLED_POINTS: usize = 50_000;
/// Symmetries that lead out of what can occur are used only if they are at most so many.
const MOST_BEYOND: usize = 512;
/// The inference steps that one question of a check may take.
const CHECKING_STEPS: u64 = 2_000_000;

/// Finds the symmetries of a game. With gates, its ground program is looked at as well.
pub fn detect(game: &Game, gates: Option<&Gates>, options: &Options) -> Symmetries {
    let begin = Instant::now();
    let (rules, scramblings) = scramblings(game, options);
    let points = match gates {
        Some(gates) => Points::new(gates.fluents().to_vec(), gates.moves()),
        None => sampled_points(game, &scramblings),
    };
    let mut found = Found::new(points);
    found.take_scramblings(game, &scramblings);
    let (permutations, ground) =
        gates.map_or((Vec::new(), Part::Absent), |gates| ground_generators(gates, options));
    for permutation in permutations {
        found.take(permutation, Source::Ground);
    }
    let mut checked = found.check(game, options);
    let mut group = found.group(&options.deadline);
    let mut on_paper = None;
    if let Some((wider, more)) = beyond(game, &found, &scramblings, options) {
        let roles = found.points.role_points().len();
        let more_states = more.main.log_order(roles) > group.main.log_order(roles);
        on_paper = Some(more.main.order_below(roles, &more.rest));
        let useful = more.main.elements_below(roles, MOST_BEYOND).is_some();
        if more_states && useful && gates.is_some() {
            (found, group) = (wider, more);
            checked = found.check(game, options);
        }
    }
    Symmetries {
        game: game.clone(),
        rules,
        ground,
        on_paper,
        refuted: found.refuted,
        checked_states: checked,
        generators: found.generators,
        points: found.points,
        group,
        seconds: begin.elapsed().as_secs_f64(),
        gates: gates.cloned(),
    }
}

/// Scramblings that lead from what can occur to what cannot are symmetries of the game all the same: some
/// states in play have images in play. All scramblings, on all points that they lead to; none if there are
/// no such scramblings.
fn beyond(
    game: &Game,
    found: &Found,
    scramblings: &[Scrambling],
    options: &Options,
) -> Option<(Found, Chains)> {
    if found.beyond == 0 {
        return None;
    }
    let mut points = found.points.clone();
    let mappings: Vec<_> = scramblings.iter().map(|s| |term: &GroundTerm| s.image(term)).collect();
    if !points.close(game, &mappings, MOST_SAMPLED_POINTS) {
        return None;
    }
    let mut wider = Found::new(points);
    wider.take_scramblings(game, scramblings);
    let group = wider.group(&options.deadline);
    Some((wider, group))
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
    // Nearly every rule becomes a vertex; what cannot be small enough is not even built.
    if program.rule_count() > options.most_vertices {
        return (Vec::new(), Part::Stopped { vertices: 0 });
    }
    let Ok(built) = ground_graph(program, view, MOST_LITERALS) else {
        return (Vec::new(), Part::Stopped { vertices: 0 });
    };
    let found = automorphisms(&built.graph, built.points, &bounds(options));
    let part = part(&found, built.graph.vertices());
    (found.generators, part)
}

/// The fluents and moves met so far and their images, for games without a ground program. If the moves are too
/// many, only the fluents.
fn sampled_points(game: &Game, scramblings: &[Scrambling]) -> Points {
    let universe = game.universe();
    let fluents: Vec<FluentId> = (0..universe.fluent_count() as u32).map(FluentId).collect();
    let all: Vec<Move> = (0..universe.move_count() as u32).map(Move).collect();
    let none: Vec<Vec<Move>> = vec![Vec::new(); game.roles().len()];
    let mappings: Vec<_> = scramblings.iter().map(|s| |term: &GroundTerm| s.image(term)).collect();
    for moves in [vec![all; game.roles().len()], none.clone()] {
        let mut points = Points::new(fluents.clone(), &moves);
        if points.close(game, &mappings, MOST_SAMPLED_POINTS) {
            points.trust_all();
            return points;
        }
    }
    Points::new(fluents, &none)
}

struct Found {
    points: Points,
    generators: Vec<Generator>,
    /// Scramblings that lead out of the points.
    beyond: usize,
    refuted: Vec<String>,
}

impl Found {
    fn new(points: Points) -> Self {
        Self { points, generators: Vec::new(), beyond: 0, refuted: Vec::new() }
    }

    fn take(&mut self, permutation: Vec<u32>, source: Source) {
        let known = |generator: &Generator| generator.permutation == permutation;
        if !is_identity(&permutation) && !self.generators.iter().any(known) {
            self.generators.push(Generator { permutation, source });
        }
    }

    fn take_scramblings(&mut self, game: &Game, scramblings: &[Scrambling]) {
        for scrambling in scramblings {
            match self.points.permutation(game, |term| scrambling.image(term)) {
                Some(permutation) => self.take(permutation, Source::Rules(scrambling.clone())),
                None => self.beyond += 1,
            }
        }
    }

    /// Drops what breaks Def. 8.1 on some state; returns on how many states the rest was checked.
    fn check(&mut self, game: &Game, options: &Options) -> usize {
        if self.generators.is_empty() {
            return 0;
        }
        let begin = Instant::now();
        let half = options.deadline.not_after(begin + options.checking_time / 2);
        let deadline = options.deadline.not_after(begin + options.checking_time);
        let limits = Limits { max_steps: CHECKING_STEPS, ..Limits::default() };
        let mut machine = game.interpreter_with(limits);
        let samples = Samples::new(&mut machine, options.checked_states, options.seed, &half);
        let mut least = samples.len();
        let (refuted, points) = (&mut self.refuted, &self.points);
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

    /// The stabiliser chains of the group: roles first, then fluents, those in small orbits first; moves apart.
    fn group(&self, deadline: &Deadline) -> Chains {
        let points = &self.points;
        let permutations: Vec<Vec<u32>> =
            self.generators.iter().map(|generator| generator.permutation.clone()).collect();
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
}

/// Whether a state is mapped to itself.
pub(crate) fn fixes(points: &Points, permutation: &[u32], state: &State) -> bool {
    points.state_image(permutation, state).is_some_and(|image| image == *state)
}
