//! Parts of a game that have nothing to do with each other, found on the circuit: several boards played side by side,
//! one puzzle after another (what thesis §8.4 and §10.3 point to; factoring as in Günther, Schiffel and Thielscher 2009).
//!
//! Two fluents belong together if what one becomes, under some move, depends on the other, or if one condition of
//! legality reads both. A part follows another if moves that change it ask for the state of that other; parts that follow
//! each other are one, and so are parts that moves change together in some combinations only. Fluents that only tell the time belong to none.

use circuit::graph::{Node, Signal};
use game::{Deadline, Gates};
use rustc_hash::{FxHashMap, FxHashSet};

use super::effects::{Action, Effect, actions_of};
use super::model::{Input, Model};

/// Comparing all pairs of parts under all moves may take so many steps.
const MOST_WORK: usize = 20_000_000;

/// A part of a game.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its fluents, by their places in the ground program.
    pub fluents: Vec<u32>,
    /// The parts that have to be looked at for the legality of its moves, by their places.
    pub follows: Vec<usize>,
    /// Those of them that only tell how often moves changed the part: all do the same to them.
    pub timers: Vec<u32>,
    /// For each role the choices it has there: moves, by their places, that do the same to this part, and as for it are
    /// legal at the same time.
    pub choices: Vec<Vec<Vec<u32>>>,
}

impl Part {
    fn new(choices: Vec<Vec<Vec<u32>>>) -> Self {
        Self { fluents: Vec::new(), follows: Vec::new(), timers: Vec::new(), choices }
    }
}

/// What a game falls into.
#[derive(Clone, Debug)]
pub struct Factors {
    /// The parts, those that others follow first.
    pub parts: Vec<Part>,
    /// The part of each fluent; none for the clock and for what nothing depends on.
    pub part_of: Vec<Option<u32>>,
    /// Whether some moves change several parts at once.
    pub together: bool,
}

impl Factors {
    /// The parts of a game; none if it is all one, or if there was not enough time.
    pub fn new(gates: &Gates, model: &Model, deadline: &Deadline) -> Option<Self> {
        let clock: Vec<bool> =
            gates.fluents().iter().map(|fluent| gates.clock().contains(*fluent)).collect();
        let mut model = model.clone();
        let mut links = Links::new(&clock);
        let mut roles = Vec::new();
        for role in 0..model.does.len() {
            let actions = actions_of(&mut model, role, &clock, deadline)?;
            for action in &actions {
                if deadline.passed() {
                    return None;
                }
                links.join(&model, action);
            }
            roles.push(actions);
        }
        // Parts that become one may follow each other, or be moved on together, with others.
        loop {
            links.order(&model, &roles, deadline)?;
            if !links.tie(&model, &roles, deadline)? {
                break;
            }
        }
        let factors = links.factors(&model, &roles);
        (factors.parts.len() > 1).then_some(factors)
    }
}

/// Sets that are joined; the smallest member stands for its set.
pub(super) struct Sets(Vec<u32>);

impl Sets {
    pub(super) fn new(count: usize) -> Self {
        Self((0..count as u32).collect())
    }

    pub(super) fn root(&mut self, mut member: u32) -> u32 {
        while self.0[member as usize] != member {
            let above = self.0[self.0[member as usize] as usize];
            self.0[member as usize] = above;
            member = above;
        }
        member
    }

    pub(super) fn union(&mut self, one: u32, other: u32) {
        let (one, other) = (self.root(one), self.root(other));
        self.0[one.max(other) as usize] = one.min(other);
    }
}

/// Whether rows have each combination of what they have in groups of places.
fn is_product(rows: &[Vec<u32>], groups: &[Vec<usize>]) -> bool {
    let mut joint: FxHashSet<Vec<usize>> = FxHashSet::default();
    let mut known: Vec<FxHashMap<Vec<u32>, usize>> = vec![FxHashMap::default(); groups.len()];
    for row in rows {
        let mut choices = Vec::with_capacity(groups.len());
        for (group, known) in groups.iter().zip(&mut known) {
            let count = known.len();
            let own: Vec<u32> = group.iter().map(|at| row[*at]).collect();
            choices.push(*known.entry(own).or_insert(count));
        }
        joint.insert(choices);
    }
    joint.len() == known.iter().map(FxHashMap::len).fold(1, usize::saturating_mul)
}

/// The root of a part, what moves change there, and what their legality asks of it.
type Likeness = (u32, Vec<(u32, Signal)>, Vec<Signal>);

/// Which fluents belong together so far.
struct Links<'c> {
    clock: &'c [bool],
    sets: Sets,
    /// For each fluent, as the root of its set, those whose state its moves ask for.
    asks: Vec<FxHashSet<u32>>,
    met: FxHashSet<Signal>,
}

impl<'c> Links<'c> {
    fn new(clock: &'c [bool]) -> Self {
        let sets = Sets::new(clock.len());
        Self {
            clock,
            sets,
            asks: vec![FxHashSet::default(); clock.len()],
            met: FxHashSet::default(),
        }
    }

    fn root(&mut self, fluent: u32) -> u32 {
        self.sets.root(fluent)
    }

    fn union(&mut self, one: u32, other: u32) {
        self.sets.union(one, other);
    }

    /// Joins what a move sets with what that depends on, and what one condition of its legality reads.
    fn join(&mut self, model: &Model, action: &Action) {
        for effect in &action.effects {
            for read in self.reads(model, effect.becomes) {
                self.union(effect.fluent, read);
            }
        }
        for condition in model.conjuncts(action.legal) {
            // Many moves have the same conditions.
            if self.met.insert(condition) {
                for case in self.cases(model, condition) {
                    let reads = self.reads(model, case);
                    for pair in reads.windows(2) {
                        self.union(pair[0], pair[1]);
                    }
                }
            }
        }
    }

    /// The cases of a condition that differ by the time: where a role passes when one board is full and it has to move
    /// there, or another one is, that does not make the boards one. The condition itself, if it has no such cases.
    fn cases(&self, model: &Model, condition: Signal) -> Vec<Signal> {
        let mut cases = Vec::new();
        for refused in model.conjuncts(!condition) {
            let (timed, rest): (Vec<Signal>, Vec<Signal>) = model
                .conjuncts(!refused)
                .into_iter()
                .partition(|one| self.reads(model, *one).is_empty());
            if timed.is_empty() {
                return vec![condition];
            }
            cases.extend(rest);
        }
        cases
    }

    /// The fluents that a condition reads, without the clock.
    fn reads(&self, model: &Model, signal: Signal) -> Vec<u32> {
        let mut reads = support(model, signal);
        reads.retain(|fluent| !self.clock[*fluent as usize]);
        reads
    }

    /// Finds what follows what, and joins what follows each other. None if the deadline passed.
    fn order(&mut self, model: &Model, roles: &[Vec<Action>], deadline: &Deadline) -> Option<()> {
        self.asks.iter_mut().for_each(FxHashSet::clear);
        for action in roles.iter().flatten() {
            if deadline.passed() {
                return None;
            }
            let changed: Vec<u32> = self.changed(&action.effects);
            for condition in model.conjuncts(action.legal) {
                let mut reads = self.reads(model, condition);
                for read in &mut reads {
                    *read = self.root(*read);
                }
                reads.sort_unstable();
                reads.dedup();
                // With several there are cases, of which one or another counts.
                let own = |read: &u32| changed.contains(read);
                if reads.len() > 1 && reads.iter().any(own) {
                    continue;
                }
                reads.retain(|read| !own(read));
                for read in reads {
                    for part in &changed {
                        self.asks[*part as usize].insert(read);
                    }
                }
            }
        }
        let order = components(&self.asks);
        for group in order {
            for pair in group.windows(2) {
                self.union(pair[0], pair[1]);
            }
        }
        Some(())
    }

    /// Joins parts that moves change together, unless each choice in one goes with each in the others: a jump of a peg
    /// is no choice of its own for each of three holes. True if something was joined; none if the deadline passed.
    fn tie(&mut self, model: &Model, roles: &[Vec<Action>], deadline: &Deadline) -> Option<bool> {
        let mut tied = false;
        for actions in roles {
            let mut sets = Sets::new(self.clock.len());
            for action in actions {
                for pair in self.set(&action.effects).windows(2) {
                    sets.union(pair[0], pair[1]);
                }
            }
            let mut clusters: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
            for fluent in 0..self.clock.len() as u32 {
                if self.root(fluent) == fluent {
                    clusters.entry(sets.root(fluent)).or_default().push(fluent);
                }
            }
            let mut clusters: Vec<Vec<u32>> = clusters.into_values().collect();
            clusters.retain(|cluster| cluster.len() > 1);
            clusters.sort_unstable();
            for cluster in clusters {
                if deadline.passed() {
                    return None;
                }
                for group in self.groups(model, actions, &cluster) {
                    for pair in group.windows(2) {
                        tied = true;
                        self.union(pair[0], pair[1]);
                    }
                }
            }
        }
        Some(tied)
    }

    /// Groups of parts such that moves offer each combination of choices in the groups; all in one, if there are none.
    fn groups(&mut self, model: &Model, actions: &[Action], cluster: &[u32]) -> Vec<Vec<u32>> {
        if cluster.len() * cluster.len() * actions.len() > MOST_WORK {
            return vec![cluster.to_vec()];
        }
        let mut known: FxHashMap<Likeness, u32> = FxHashMap::default();
        let mut rows: Vec<Vec<u32>> = Vec::new();
        for action in actions {
            let changed = self.set(&action.effects);
            if !changed.iter().any(|root| cluster.contains(root)) {
                continue;
            }
            let mut row = vec![u32::MAX; cluster.len()];
            for (at, root) in cluster.iter().enumerate().filter(|(_, root)| changed.contains(root))
            {
                let count = known.len() as u32;
                let likeness = self.likeness(model, action, *root);
                row[at] = *known.entry(likeness).or_insert(count);
            }
            rows.push(row);
        }
        // Two parts for which not each choice goes with each belong together.
        let mut sets = Sets::new(cluster.len());
        for one in 0..cluster.len() {
            for other in 0..one {
                if !is_product(&rows, &[vec![one], vec![other]]) {
                    sets.union(one as u32, other as u32);
                }
            }
        }
        // Where there is no choice, something only counts moves; it goes with what it counts.
        let varies = |at: &usize| rows.iter().any(|row| row[*at] != rows[0][*at]);
        let counted = (0..cluster.len()).find(varies).unwrap_or(0);
        for at in (0..cluster.len()).filter(|at| !varies(at)) {
            sets.union(at as u32, counted as u32);
        }
        let mut groups: Vec<Vec<usize>> = vec![Vec::new(); cluster.len()];
        for at in 0..cluster.len() {
            groups[sets.root(at as u32) as usize].push(at);
        }
        groups.retain(|group| !group.is_empty());
        if !is_product(&rows, &groups) {
            return vec![cluster.to_vec()];
        }
        let fluents = |group: Vec<usize>| group.into_iter().map(|at| cluster[at]).collect();
        groups.into_iter().map(fluents).collect()
    }

    /// The roots of what is changed, without those in which things are only kept: passing may keep several boards, each at its time, and
    /// does not make them one.
    fn set(&mut self, effects: &[Effect]) -> Vec<u32> {
        let set: Vec<Effect> = effects.iter().copied().filter(|effect| !effect.keeps).collect();
        self.changed(&set)
    }

    /// The roots of what is changed, each once.
    fn changed(&mut self, effects: &[Effect]) -> Vec<u32> {
        let mut changed: Vec<u32> = effects.iter().map(|effect| self.root(effect.fluent)).collect();
        changed.sort_unstable();
        changed.dedup();
        changed
    }

    /// What makes moves one choice in a part.
    fn likeness(&mut self, model: &Model, action: &Action, root: u32) -> Likeness {
        let mut effects = Vec::new();
        for effect in &action.effects {
            if self.root(effect.fluent) == root {
                effects.push((effect.fluent, effect.becomes));
            }
        }
        effects.sort_unstable();
        let mut legal = Vec::new();
        for condition in model.conjuncts(action.legal) {
            let reads = self.reads(model, condition);
            if reads.into_iter().any(|read| self.root(read) == root) {
                legal.push(condition);
            }
        }
        (root, effects, legal)
    }

    /// The fluents of a part that all its moves change in the same way, by others of these alone.
    fn timers(&self, model: &Model, roles: &[Vec<Action>], part: &Part) -> Vec<u32> {
        let mut timers: FxHashMap<u32, Signal> = FxHashMap::default();
        let mut counts: FxHashMap<u32, usize> = FxHashMap::default();
        let mut moves = 0;
        for (actions, choices) in roles.iter().zip(&part.choices) {
            for place in choices.iter().flatten() {
                moves += 1;
                for effect in &actions[*place as usize].effects {
                    let becomes = *timers.entry(effect.fluent).or_insert(effect.becomes);
                    *counts.entry(effect.fluent).or_insert(0) +=
                        usize::from(becomes == effect.becomes);
                }
            }
        }
        let mut chosen = part.fluents.clone();
        chosen.retain(|fluent| counts.get(fluent) == Some(&moves));
        loop {
            let before = chosen.len();
            let all = chosen.clone();
            chosen.retain(|fluent| {
                let reads = self.reads(model, timers[fluent]);
                reads.iter().all(|read| all.binary_search(read).is_ok())
            });
            if chosen.len() == before {
                return chosen;
            }
        }
    }

    fn factors(mut self, model: &Model, roles: &[Vec<Action>]) -> Factors {
        let mut places: FxHashMap<u32, usize> = FxHashMap::default();
        let mut parts: Vec<Part> = Vec::new();
        let mut together = false;
        for (role, actions) in roles.iter().enumerate() {
            let mut known: FxHashMap<Likeness, usize> = FxHashMap::default();
            for (place, action) in actions.iter().enumerate() {
                let changed = self.changed(&action.effects);
                together |= changed.len() > 1;
                for root in changed {
                    let at = *places.entry(root).or_insert_with(|| {
                        let choices = vec![Vec::new(); roles.len()];
                        parts.push(Part::new(choices));
                        parts.len() - 1
                    });
                    let likeness = self.likeness(model, action, root);
                    let own = &mut parts[at].choices[role];
                    let choice = *known.entry(likeness).or_insert_with(|| {
                        own.push(Vec::new());
                        own.len() - 1
                    });
                    own[choice].push(place as u32);
                }
            }
        }
        let mut part_of = vec![None; self.clock.len()];
        for fluent in 0..self.clock.len() as u32 {
            let root = self.root(fluent);
            if let Some(at) = places.get(&root).filter(|_| !self.clock[fluent as usize]) {
                part_of[fluent as usize] = Some(*at as u32);
                parts[*at].fluents.push(fluent);
            }
        }
        for asking in 0..self.asks.len() {
            let mut asked: Vec<u32> = self.asks[asking].iter().copied().collect();
            asked.sort_unstable();
            let Some(at) = part_of[asking] else { continue };
            for fluent in asked {
                if let Some(before) = part_of[fluent as usize].filter(|before| *before != at) {
                    parts[at as usize].follows.push(before as usize);
                }
            }
        }
        for part in &mut parts {
            part.follows.sort_unstable();
            part.follows.dedup();
            part.timers = self.timers(model, roles, part);
        }
        sorted(&parts, &part_of, together)
    }
}

/// Puts parts that others follow before these.
fn sorted(parts: &[Part], part_of: &[Option<u32>], together: bool) -> Factors {
    let mut order: Vec<usize> = Vec::new();
    let mut placed = vec![false; parts.len()];
    while order.len() < parts.len() {
        let free =
            |at: &usize| !placed[*at] && parts[*at].follows.iter().all(|before| placed[*before]);
        // There is always one, since parts that follow each other are one.
        let Some(at) = (0..parts.len()).find(free) else { break };
        placed[at] = true;
        order.push(at);
    }
    let mut rank = vec![0; parts.len()];
    for (new, old) in order.iter().enumerate() {
        rank[*old] = new;
    }
    let part_of = part_of.iter().map(|at| at.map(|at| rank[at as usize] as u32)).collect();
    let parts = order.iter().map(|old| {
        let mut part = parts[*old].clone();
        part.follows.iter_mut().for_each(|before| *before = rank[*before]);
        part.follows.sort_unstable();
        part
    });
    Factors { parts: parts.collect(), part_of, together }
}

/// Groups of nodes that reach each other (Kosaraju's algorithm; Sharir 1981).
fn components(edges: &[FxHashSet<u32>]) -> Vec<Vec<u32>> {
    let forth: Vec<Vec<u32>> = edges
        .iter()
        .map(|targets| {
            let mut targets: Vec<u32> = targets.iter().copied().collect();
            targets.sort_unstable();
            targets
        })
        .collect();
    let mut back = vec![Vec::new(); edges.len()];
    for (from, targets) in forth.iter().enumerate() {
        for to in targets {
            back[*to as usize].push(from as u32);
        }
    }
    let mut seen = vec![false; edges.len()];
    let mut finished = Vec::new();
    for start in 0..edges.len() as u32 {
        visit(&forth, start, &mut seen, &mut finished);
    }
    let mut seen = vec![false; edges.len()];
    let mut groups = Vec::new();
    for start in finished.into_iter().rev() {
        let mut group = Vec::new();
        visit(&back, start, &mut seen, &mut group);
        if group.len() > 1 {
            groups.push(group);
        }
    }
    groups
}

/// Adds what can be reached and was not seen, each after all that it leads to.
fn visit(edges: &[Vec<u32>], start: u32, seen: &mut [bool], finished: &mut Vec<u32>) {
    if std::mem::replace(&mut seen[start as usize], true) {
        return;
    }
    let mut path = vec![(start, 0)];
    while let Some((node, at)) = path.last_mut() {
        if let Some(next) = edges[*node as usize].get(*at).copied() {
            *at += 1;
            if !std::mem::replace(&mut seen[next as usize], true) {
                path.push((next, 0));
            }
        } else {
            finished.push(*node);
            path.pop();
        }
    }
}

/// The fluents that a signal reads, sorted.
pub(super) fn support(model: &Model, signal: Signal) -> Vec<u32> {
    let mut fluents = Vec::new();
    let mut seen = FxHashSet::default();
    let mut todo = vec![signal.node()];
    while let Some(node) = todo.pop() {
        if !seen.insert(node) {
            continue;
        }
        match model.graph.nodes()[node] {
            Node::And(a, b) => todo.extend([a.node(), b.node()]),
            Node::Input(number) => {
                if let Input::Fluent(fluent) = model.input(number) {
                    fluents.push(fluent);
                }
            }
            Node::False => {}
        }
    }
    fluents.sort_unstable();
    fluents
}
