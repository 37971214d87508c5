//! Games of several roles that are several games at once: two boards, and in each step something is done on both.
//!
//! The parts of [`super::factors`] become games with rule sheets of their own ([`super::sheet`]), where each role has, for each
//! part, a choice that has nothing to do with its choices in other parts. What the end and the goals ask of other
//! parts is taken as it is in the initial state, or as it is at an end, if there is none otherwise. It is the same
//! as long as these conditions are ([`Division::holds`]): then a part is played by its own game, and after that the whole is again.
//!
//! Sources: thesis §8.4 and §10.3 name such games; Günther, Schiffel and Thielscher 2009 and Cerexhe, Rajaratnam, Saffidine and
//! Thielscher 2014 search parts of them apart. Departure: nothing of what makes the parts independent is proved for moves of several roles;
//! random play of the whole has to agree with the parts in every state that it meets.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use circuit::graph::{Node, Signal};
use game::playout::{self, Random, playout, random_joint_move};
use game::{
    Budget, Deadline, FluentId, Game, Gates, Goals, Machine, Move, ReasonError, Reasoner, Role,
    State,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::factors::Factors;
use super::model::{Input, Model};
use super::sheet::{Sheet, Slice};

/// The part of the time for finding parts; what is left is for making games of them.
const LOOKING: f64 = 0.25;
/// The most parts.
const MOST_PARTS: usize = 6;
/// Parts that the end and the goals combine in more ways are one.
const MOST_MIXTURES: usize = 24;
/// The most conditions on a part that the end and the goals read beside those on others.
const MOST_CONDITIONS: usize = 12;
/// Random play that has to agree with the parts: matches, and steps of all of them.
const MATCHES: usize = 40;
const STEPS: usize = 4000;

/// A part of a game, as a game.
pub struct Subgame {
    reasoner: Reasoner,
    /// Its fluents in the whole and in the part.
    fluents: Vec<(FluentId, FluentId)>,
    /// For each role, what its moves are in the part.
    moves: Vec<FxHashMap<Move, Move>>,
    /// The rule sheet.
    text: String,
    ends_the_match: bool,
}

impl Subgame {
    /// Reasoners of the game.
    pub fn reasoner(&self) -> &Reasoner {
        &self.reasoner
    }

    /// Its rule sheet. Fluents are called as in the whole, and a choice is called as one of the moves that make it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether its end is the end of the whole, too, while others go on: whoever wins it has to win it in time.
    pub fn ends_the_match(&self) -> bool {
        self.ends_the_match
    }

    /// A state of the whole, as one of the part.
    pub fn state(&self, whole: &State) -> State {
        let mut state = State::new();
        for (theirs, own) in &self.fluents {
            if whole.contains(*theirs) {
                state.insert(*own);
            }
        }
        state
    }

    /// The choice in the part that a move of the whole makes.
    pub fn choice(&self, role: Role, action: Move) -> Option<Move> {
        self.moves.get(role.index())?.get(&action).copied()
    }
}

/// A game that is several games at once.
pub struct Division {
    parts: Vec<Subgame>,
    /// The circuit, with conditions of the end and of goals, each with its part.
    model: Model,
    conditions: Vec<(usize, Signal)>,
    /// For each part the values of its conditions for which the games of others are right.
    allowed: Vec<Vec<Vec<bool>>>,
    /// The fluents of the circuit.
    fluents: Vec<FluentId>,
}

/// A state at an end, as bits by the places of fluents, and how much the rewards there differ.
type End = (u8, Vec<bool>);

impl Division {
    /// Divides a game; none if it is all one, if its parts do not make games, or if there is not enough time.
    pub fn new(gates: &Gates, seed: u64, deadline: &Deadline) -> Option<Self> {
        if gates.game().roles().len() < 2 {
            return None;
        }
        let model = Model::new(gates).ok()?;
        // Most games are all one, and should not take long to say so.
        let soon = deadline.left().map(|left| Instant::now() + left.mul_f64(LOOKING));
        let soon = soon.map_or_else(|| deadline.clone(), |soon| deadline.not_after(soon));
        let factors = Factors::new(gates, &model, &soon)?;
        let groups = groups(&model, &factors);
        if groups.len() < 2 || groups.len() > MOST_PARTS {
            return None;
        }
        let part_of = part_of(&factors, &groups);
        let kinds = kinds(gates, &factors, &groups);
        // In most games moves are made in one part or in another, which is found out at once.
        let initial = gates.machine().initial().ok()?;
        let mut whole = gates.machine();
        if !is_product(&mut whole, &initial, gates, &kinds)? {
            return None;
        }
        let mut model = model;
        let conditions = conditions(&mut model, &part_of, groups.len())?;
        let fluents = gates.fluents().to_vec();
        let mut ends = ends(gates, seed, deadline)?;
        ends.sort_by_key(|(difference, _)| *difference);
        let allowed = vec![vec![values(&model, &conditions, &model.initial)]; groups.len()];
        let mut division = Self { parts: Vec::new(), model, conditions, allowed, fluents };
        for at in 0..groups.len() {
            division.add(gates, (&part_of, &kinds, at), &ends, deadline)?;
        }
        division.agrees(gates, seed, deadline).ok()?.then_some(division)
    }

    /// The parts.
    pub fn parts(&self) -> &[Subgame] {
        &self.parts
    }

    /// Whether the games of the parts say what is at stake in a state of the whole, as long as nothing changes in others.
    pub fn holds(&self, state: &State) -> bool {
        let bits: Vec<bool> = self.fluents.iter().map(|fluent| state.contains(*fluent)).collect();
        let all = values(&self.model, &self.conditions, &bits);
        (0..self.parts.len()).all(|part| {
            let same = |allowed: &Vec<bool>| {
                let both = self.conditions.iter().zip(allowed.iter().zip(&all));
                both.filter(|((of, _), _)| *of == part).all(|(_, (a, b))| a == b)
            };
            self.allowed[part].iter().any(same)
        })
    }

    /// Makes the game of a part: others are as they are at the beginning; if play would not end then, as they are at an end.
    fn add(
        &mut self,
        gates: &Gates,
        (part_of, kinds, at): (&[Option<usize>], &[Kinds], usize),
        ends: &[End],
        deadline: &Deadline,
    ) -> Option<()> {
        let own: Vec<bool> =
            part_of.iter().map(|part| part.is_none_or(|part| part == at)).collect();
        let begin = self.model.initial.clone();
        let states = [&begin].into_iter().chain(ends.iter().map(|(_, state)| state));
        for others in states {
            if deadline.passed() {
                return None;
            }
            let slice = Slice { own: &own, others, kinds: &kinds[at] };
            let sheet = Sheet::new(&self.model, &slice, gates);
            if !sheet.is_at_stake(|fluent| part_of[fluent as usize] == Some(at)) {
                continue;
            }
            let text = sheet.text(gates);
            let game = Game::from_text(&text).ok()?;
            let budget = Budget {
                deadline: deadline.instant(),
                cancel: deadline.flag(),
                ..Budget::default()
            };
            let reasoner = Reasoner::build(&game, &budget);
            reasoner.gates()?;
            let (fluents, moves) = names(gates, &game, &own, &kinds[at])?;
            let ends_the_match = *others == begin;
            self.parts.push(Subgame { reasoner, fluents, moves, text, ends_the_match });
            let assumed = values(&self.model, &self.conditions, others);
            for (part, allowed) in self.allowed.iter_mut().enumerate() {
                if part != at && !allowed.contains(&assumed) {
                    allowed.push(assumed.clone());
                }
            }
            return Some(());
        }
        None
    }

    /// Whether random play of the whole is random play of the parts: their moves are legal at the same time, in all combinations, and
    /// what they do to a part is what the game of the part says.
    fn agrees(&self, gates: &Gates, seed: u64, deadline: &Deadline) -> Result<bool, ReasonError> {
        let mut machine = gates.machine();
        let mut parts: Vec<_> = self.parts.iter().map(|part| part.reasoner.machine()).collect();
        let mut random = Random::new(seed);
        let mut steps = 0;
        for _ in 0..MATCHES {
            let mut state = machine.initial()?;
            while !machine.is_terminal(&state)? && steps < STEPS {
                if deadline.passed() || !self.same_moves(&mut machine, &mut parts, &state)? {
                    return Ok(false);
                }
                let Some(joint) = random_joint_move(&mut machine, &state, &mut random)? else {
                    break;
                };
                let next = machine.next(&state, &joint)?;
                for (part, own) in self.parts.iter().zip(&mut parts) {
                    let choices = gates.game().role_ids().zip(&joint.0);
                    let choices: Option<Vec<Move>> =
                        choices.map(|(role, action)| part.choice(role, *action)).collect();
                    let Some(choices) = choices else { return Ok(false) };
                    let after = own.next(&part.state(&state), &game::JointMove(choices))?;
                    if after != part.state(&next) {
                        return Ok(false);
                    }
                }
                state = next;
                steps += 1;
            }
        }
        Ok(steps > 0)
    }

    fn same_moves(
        &self,
        machine: &mut dyn Machine,
        parts: &mut [Box<dyn Machine>],
        state: &State,
    ) -> Result<bool, ReasonError> {
        let (mut moves, mut own) = (Vec::new(), Vec::new());
        for role in machine.game().role_ids() {
            machine.legal_moves(state, role, &mut moves)?;
            let mut tuples: FxHashSet<Vec<Move>> = FxHashSet::default();
            for action in &moves {
                let choices = self.parts.iter().map(|part| part.choice(role, *action));
                let Some(choices) = choices.collect() else { return Ok(false) };
                tuples.insert(choices);
            }
            let mut product = 1usize;
            for (at, (part, machine)) in self.parts.iter().zip(&mut *parts).enumerate() {
                let here = part.state(state);
                machine.legal_moves(&here, role, &mut own)?;
                let legal: BTreeSet<Move> = own.iter().copied().collect();
                let made: BTreeSet<Move> = tuples.iter().map(|tuple| tuple[at]).collect();
                if !made.is_subset(&legal) {
                    return Ok(false);
                }
                for other in legal.difference(&made) {
                    if !same_effect(&mut **machine, &here, (role, *other), &made)? {
                        return Ok(false);
                    }
                }
                product = product.saturating_mul(made.len());
            }
            if product != tuples.len() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Whether a choice does what one of those that are made does, while others do something: there are several ways to leave a part alone,
/// and which one is there may depend on other parts.
fn same_effect(
    machine: &mut dyn Machine,
    state: &State,
    (role, choice): (Role, Move),
    made: &BTreeSet<Move>,
) -> Result<bool, ReasonError> {
    let mut joint = Vec::new();
    for other in machine.game().role_ids() {
        let mut moves = Vec::new();
        machine.legal_moves(state, other, &mut moves)?;
        let Some(first) = moves.first() else { return Ok(false) };
        joint.push(*first);
    }
    joint[role.index()] = choice;
    let next = machine.next(state, &game::JointMove(joint.clone()))?;
    for one in made {
        joint[role.index()] = *one;
        if machine.next(state, &game::JointMove(joint.clone()))? == next {
            return Ok(true);
        }
    }
    Ok(false)
}

/// For each role, moves by their places that are one choice in a part; each move is in one of them.
pub(super) type Kinds = Vec<Vec<Vec<u32>>>;

/// Parts that are games together, by their places: those that follow each other, and those that the end and goals combine in many ways.
fn groups(model: &Model, factors: &Factors) -> Vec<Vec<usize>> {
    let count = factors.parts.len();
    let mut group: Vec<usize> = (0..count).collect();
    let join = |group: &mut Vec<usize>, one: usize, other: usize| {
        let (kept, gone) = (group[one].min(group[other]), group[one].max(group[other]));
        group.iter_mut().filter(|at| **at == gone).for_each(|at| *at = kept);
    };
    for (at, part) in factors.parts.iter().enumerate() {
        for before in &part.follows {
            join(&mut group, at, *before);
        }
    }
    if count <= u64::BITS as usize {
        let part_of: Vec<Option<usize>> =
            factors.part_of.iter().map(|part| part.map(|at| at as usize)).collect();
        let mut pairs: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        let masks = masks(model, &part_of);
        for node in mixed(model, &masks) {
            let reads: Vec<usize> = (0..count).filter(|at| masks[node] >> at & 1 == 1).collect();
            for (place, one) in reads.iter().enumerate() {
                for other in &reads[..place] {
                    *pairs.entry((*other, *one)).or_default() += 1;
                }
            }
        }
        for ((one, other), times) in pairs {
            if times > MOST_MIXTURES {
                join(&mut group, one, other);
            }
        }
    }
    let mut groups: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (at, to) in group.into_iter().enumerate() {
        groups[to].push(at);
    }
    groups.retain(|group| !group.is_empty());
    groups
}

/// The group of each fluent; none for the clock and for what never changes.
fn part_of(factors: &Factors, groups: &[Vec<usize>]) -> Vec<Option<usize>> {
    let of = |part: &u32| groups.iter().position(|group| group.contains(&(*part as usize)));
    factors.part_of.iter().map(|part| part.as_ref().and_then(of)).collect()
}

fn kinds(gates: &Gates, factors: &Factors, groups: &[Vec<usize>]) -> Vec<Kinds> {
    let of_role = |group: &Vec<usize>, role: usize, count: usize| {
        let mut keys = vec![vec![u32::MAX; group.len()]; count];
        for (place, part) in group.iter().enumerate() {
            for (choice, moves) in (0..).zip(&factors.parts[*part].choices[role]) {
                for action in moves {
                    keys[*action as usize][place] = choice;
                }
            }
        }
        let mut known: FxHashMap<Vec<u32>, usize> = FxHashMap::default();
        let mut kinds: Vec<Vec<u32>> = Vec::new();
        for (action, key) in (0..).zip(keys) {
            let kind = *known.entry(key).or_insert_with(|| {
                kinds.push(Vec::new());
                kinds.len() - 1
            });
            kinds[kind].push(action);
        }
        kinds
    };
    let counts: Vec<usize> = gates.moves().iter().map(Vec::len).collect();
    let of_group = |group: &Vec<usize>| {
        counts.iter().enumerate().map(|(role, count)| of_role(group, role, *count)).collect()
    };
    groups.iter().map(of_group).collect()
}

/// Whether roles have each combination of their choices in a state.
fn is_product(
    machine: &mut dyn Machine,
    state: &State,
    gates: &Gates,
    kinds: &[Kinds],
) -> Option<bool> {
    let mut moves = Vec::new();
    for (role, own) in gates.game().role_ids().zip(gates.moves()) {
        let places: FxHashMap<Move, usize> = own.iter().copied().zip(0..).collect();
        let kind_of: Vec<Vec<usize>> = kinds
            .iter()
            .map(|kinds| {
                let mut of = vec![0; own.len()];
                for (kind, moves) in kinds[role.index()].iter().enumerate() {
                    for place in moves {
                        of[*place as usize] = kind;
                    }
                }
                of
            })
            .collect();
        machine.legal_moves(state, role, &mut moves).ok()?;
        let mut made: Vec<FxHashSet<usize>> = vec![FxHashSet::default(); kinds.len()];
        let mut tuples: FxHashSet<Vec<usize>> = FxHashSet::default();
        for action in &moves {
            let place = *places.get(action)?;
            let tuple: Vec<usize> = kind_of.iter().map(|of| of[place]).collect();
            made.iter_mut().zip(&tuple).for_each(|(made, kind)| {
                made.insert(*kind);
            });
            tuples.insert(tuple);
        }
        let product = made.iter().map(FxHashSet::len).fold(1, usize::saturating_mul);
        if product != tuples.len() {
            return Some(false);
        }
    }
    Some(true)
}

/// For each node the parts that it reads, as bits.
fn masks(model: &Model, part_of: &[Option<usize>]) -> Vec<u64> {
    let mut masks = Vec::with_capacity(model.graph.nodes().len());
    for node in model.graph.nodes() {
        masks.push(match *node {
            Node::False => 0,
            Node::And(a, b) => masks[a.node()] | masks[b.node()],
            Node::Input(number) => match model.input(number) {
                Input::Fluent(fluent) => part_of[fluent as usize].map_or(0, |part| 1 << part),
                Input::Does(..) => 0,
            },
        });
    }
    masks
}

/// The conjunctions below the end and the goals that read several parts, as large as they are.
fn mixed(model: &Model, masks: &[u64]) -> Vec<usize> {
    let roots = model.goals.iter().flatten().chain([&model.terminal]);
    let mut todo: Vec<usize> = roots.map(|root| root.node()).collect();
    let mut seen: FxHashSet<usize> = FxHashSet::default();
    let mut found = Vec::new();
    while let Some(node) = todo.pop() {
        if masks[node].count_ones() < 2 || !seen.insert(node) {
            continue;
        }
        found.push(node);
        todo.extend(model.conjuncts(Signal((node as u32) << 1)).iter().map(|one| one.node()));
    }
    found
}

/// What the end and the goals read of one part beside others, with the parts; none if that is too much.
fn conditions(
    model: &mut Model,
    part_of: &[Option<usize>],
    parts: usize,
) -> Option<Vec<(usize, Signal)>> {
    let masks = masks(model, part_of);
    let mut found: Vec<(usize, Signal)> = Vec::new();
    for node in mixed(model, &masks) {
        let conjuncts = model.conjuncts(Signal((node as u32) << 1));
        for part in 0..parts {
            let own = conjuncts.iter().copied().filter(|one| masks[one.node()] == 1 << part);
            let own: Vec<Signal> = own.collect();
            if !own.is_empty() {
                found.push((part, model.graph.all(&own)));
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    let of = |part: usize| found.iter().filter(|(of, _)| *of == part).count();
    (0..parts).all(|part| of(part) <= MOST_CONDITIONS).then_some(found)
}

/// The values of conditions where these fluents hold.
fn values(model: &Model, conditions: &[(usize, Signal)], state: &[bool]) -> Vec<bool> {
    let moves: usize = model.does.iter().map(Vec::len).sum();
    let inputs: Vec<bool> =
        state.iter().copied().chain(std::iter::repeat_n(false, moves)).collect();
    let nodes = model.graph.evaluate(&inputs);
    conditions.iter().map(|(_, one)| nodes[one.node()] != one.is_complemented()).collect()
}

/// Some ends of random play.
fn ends(gates: &Gates, seed: u64, deadline: &Deadline) -> Option<Vec<End>> {
    let mut machine = gates.machine();
    let initial = machine.initial().ok()?;
    let mut random = Random::new(seed);
    let mut ends: Vec<End> = Vec::new();
    for _ in 0..MATCHES {
        if deadline.passed() {
            return None;
        }
        let play = playout(&mut machine, &initial, &mut random, STEPS).ok()?;
        let (playout::End::Terminal(goals), Some(state)) = (play.end, play.states.last()) else {
            continue;
        };
        let bits = gates.fluents().iter().map(|fluent| state.contains(*fluent)).collect();
        ends.push((difference(&goals), bits));
    }
    Some(ends)
}

/// By how much rewards differ.
fn difference(goals: &[Goals]) -> u8 {
    let rewards = goals.iter().map(|goals| goals.value().map_or(0, |goal| goal.0));
    let (least, most) = (rewards.clone().min(), rewards.max());
    most.unwrap_or(0) - least.unwrap_or(0)
}

/// Fluents in the whole and in a part.
type Fluents = Vec<(FluentId, FluentId)>;

/// What fluents and moves of the whole are in the game of a part.
fn names(
    gates: &Gates,
    game: &Game,
    own: &[bool],
    kinds: &Kinds,
) -> Option<(Fluents, Vec<FxHashMap<Move, Move>>)> {
    let (theirs, ours) = (gates.game().universe(), game.universe());
    let mut fluents = Vec::new();
    for fluent in gates.fluents().iter().zip(own).filter(|(_, own)| **own).map(|(f, _)| *f) {
        let term = ours.parse(&theirs.fluent_entry(fluent).text)?;
        fluents.push((fluent, ours.fluent(&term)));
    }
    let mut moves = Vec::new();
    for (all, kinds) in gates.moves().iter().zip(kinds) {
        let mut of = FxHashMap::default();
        for kind in kinds {
            let term = ours.parse(&theirs.move_entry(all[kind[0] as usize]).text)?;
            let choice = ours.action(&term);
            of.extend(kind.iter().map(|place| (all[*place as usize], choice)));
        }
        moves.push(of);
    }
    Some((fluents, moves))
}

#[cfg(test)]
mod tests;
