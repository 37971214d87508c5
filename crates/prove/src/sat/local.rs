//! Induction steps on the part of the circuit that a candidate depends on.
//!
//! Most invariants of large games are local: whether a cell has one content after a move depends on the moves that
//! touch it. Here only the gates behind one candidate become clauses, with the legality of the moves among them and
//! the hypotheses that speak of the same fluents. Of all other moves only what each of them needs is known; the end of
//! the game and further hypotheses are left out. So more can happen than in the game: what cannot happen here cannot
//! happen there. A candidate that is not proved this way is tried on the whole circuit.

use std::cell::OnceCell;
use std::rc::Rc;

use circuit::graph::{Node, Signal};
use game::Deadline;
use rustc_hash::{FxHashMap, FxHashSet};

use super::model::{Input, Model};
use super::move_sets::{Classes, classes, exclusions};
use super::solver::{Answer, Lit, Sat, TRUE};
use super::unroll::{Cut, Fanout, Start, Unrolling};

/// With more gates than that behind a candidate, or more than half of all of them, the whole circuit is as good; not
/// with so few.
const MOST_GATES: usize = 60_000;
const FEW_GATES: usize = 10_000;

/// With so many moves behind a candidate, gates for several of them are compared as sets; with fewer the clauses cost more
/// than they save.
const MANY_MOVES: usize = 1_000;
/// With more classes of moves than that they are no simpler than the moves.
const MOST_CLASSES: usize = 1_000;

/// Hypotheses by the fluents they speak of.
pub struct Locals<'m> {
    model: &'m Model,
    fanout: Rc<Fanout>,
    signals: Vec<Signal>,
    supports: Vec<Vec<u32>>,
    by_fluent: Vec<Vec<u32>>,
    /// Groups of derived atoms among the hypotheses, by their places.
    groups: Vec<(usize, Group)>,
    /// For each node the least rank of the groups that it is a member of; 0 if there is none.
    ranks: Rc<Vec<u32>>,
    /// For each role what its moves need, when it is first asked for.
    needs: Vec<OnceCell<Needs>>,
}

/// What the moves of a role need, as far as single fluents say.
struct Needs {
    /// How many moves may be legal.
    moves: usize,
    /// How many of them need each condition.
    counts: FxHashMap<Signal, usize>,
    /// What each move needs; none for those that are never legal.
    conditions: Vec<Option<Vec<Signal>>>,
}

impl Needs {
    fn new(model: &Model, role: usize) -> Self {
        let possible = |legal: &Signal| *legal != Signal::FALSE;
        let conditions = model.legal[role]
            .iter()
            .map(|legal| possible(legal).then(|| fluent_conditions(model, *legal)));
        let mut needs = Self { moves: 0, counts: FxHashMap::default(), conditions: Vec::new() };
        needs.conditions = conditions.collect();
        for conditions in needs.conditions.iter().flatten() {
            needs.moves += 1;
            for condition in conditions {
                *needs.counts.entry(*condition).or_default() += 1;
            }
        }
        needs
    }

    /// What all other moves need; none if there are no others.
    fn of_others(&self, moves: &[usize]) -> Option<Vec<Signal>> {
        let known: Vec<&Vec<Signal>> =
            moves.iter().filter_map(|at| self.conditions[*at].as_ref()).collect();
        let others = self.moves.saturating_sub(known.len());
        if others == 0 {
            return None;
        }
        let mut less: FxHashMap<Signal, usize> = FxHashMap::default();
        for condition in known.into_iter().flatten() {
            *less.entry(*condition).or_default() += 1;
        }
        let left = |(condition, count): (&Signal, &usize)| {
            count - less.get(condition).copied().unwrap_or(0) == others
        };
        let common = self.counts.iter().filter(|own| left(*own)).map(|(condition, _)| *condition);
        let mut common: Vec<Signal> = common.collect();
        common.sort_unstable();
        Some(common)
    }

    /// What all of some moves need; none if none of them is ever legal.
    fn common(&self, moves: impl Iterator<Item = usize>) -> Option<Vec<Signal>> {
        moves.filter_map(|at| self.conditions[at].as_ref()).fold(None, |common, own| {
            Some(match common {
                None => own.clone(),
                Some(mut common) => {
                    common.retain(|condition| own.binary_search(condition).is_ok());
                    common
                }
            })
        })
    }
}

/// The fluents, or their complements, without which a signal does not hold.
fn fluent_conditions(model: &Model, signal: Signal) -> Vec<Signal> {
    let mut conditions = model.conjuncts(signal);
    let is_input = |s: &Signal| matches!(model.graph.nodes()[s.node()], Node::Input(_));
    conditions.retain(is_input);
    conditions
}

/// A group of derived atoms, of which a hypothesis speaks.
#[derive(Clone, Debug)]
pub struct Group {
    /// Their gates.
    pub members: Vec<Signal>,
    /// Its place in the order in which groups are derived from each other, counted from 1.
    pub rank: u32,
}

impl<'m> Locals<'m> {
    /// Hypotheses that may be used for each other.
    pub fn new(model: &'m Model, signals: Vec<Signal>) -> Self {
        Self::with_groups(model, signals, Vec::new())
    }

    /// The same where some hypotheses are about groups of derived atoms: these matter only where two members are there.
    pub fn with_groups(
        model: &'m Model,
        signals: Vec<Signal>,
        groups: Vec<(usize, Group)>,
    ) -> Self {
        let mut ranks = vec![0; model.graph.nodes().len()];
        let mut is_group = vec![false; signals.len()];
        for (place, group) in &groups {
            is_group[*place] = true;
            for member in &group.members {
                let rank: &mut u32 = &mut ranks[member.node()];
                *rank = if *rank == 0 { group.rank } else { group.rank.min(*rank) };
            }
        }
        let mut supports = Supports::new(model);
        let support = |(signal, is_group): (&Signal, &bool)| {
            if *is_group { Vec::new() } else { supports.of(*signal) }
        };
        let supports: Vec<Vec<u32>> = signals.iter().zip(&is_group).map(support).collect();
        let mut by_fluent = vec![Vec::new(); model.fluents.len()];
        for (at, support) in supports.iter().enumerate() {
            for fluent in support {
                by_fluent[*fluent as usize].push(at as u32);
            }
        }
        let fanout = Rc::new(Fanout::new(model));
        let needs = model.does.iter().map(|_| OnceCell::new()).collect();
        Self { model, fanout, signals, supports, by_fluent, groups, ranks: Rc::new(ranks), needs }
    }

    /// Where a proof in one state need not look behind: at the members of groups that come before a candidate.
    fn cut(&self, candidate: usize) -> Option<Cut> {
        if self.groups.is_empty() {
            return None;
        }
        let own = self.groups.iter().find(|(place, _)| *place == candidate);
        let below = own.map_or(u32::MAX, |(_, group)| group.rank);
        let members = own.map_or(&[][..], |(_, group)| &group.members);
        let except = members.iter().map(|member| member.node()).collect();
        Some(Cut { ranks: self.ranks.clone(), below, except })
    }

    /// Tries to prove that a candidate holds after every move if the hypotheses for which `assumed` is true hold
    /// before. Returns those that were needed.
    pub fn prove(
        &self,
        candidate: usize,
        assumed: impl Fn(usize) -> bool,
        conflicts: u32,
        deadline: &Deadline,
    ) -> Option<Vec<usize>> {
        let next = self.next_of(candidate);
        let behind = self.model.cone(&next);
        let proof = self.prove_by_classes(candidate, &behind, (&assumed, conflicts), deadline);
        if proof.is_some() || self.is_large(&next) {
            return proof;
        }
        let mut attempt = Attempt::new(self, candidate, 1, None, deadline)?;
        if attempt.goal == TRUE {
            return Some(Vec::new());
        }
        for role in 0..self.model.does.len() {
            attempt.constrain(role, &behind)?;
        }
        attempt.needed(assumed, conflicts)
    }

    /// The same without any moves, where there are many: what counts is in which of the gates that are sets of moves a move is,
    /// and what all moves that are in the same ones need. Of a board of a hundred cells and a hundred thousand moves a cell is
    /// then left with half a dozen of them: moves onto it, off it, and so on.
    fn prove_by_classes(
        &self,
        candidate: usize,
        behind: &[u32],
        (assumed, conflicts): (&impl Fn(usize) -> bool, u32),
        deadline: &Deadline,
    ) -> Option<Vec<usize>> {
        let mut inside = vec![false; self.model.graph.nodes().len()];
        for node in behind {
            inside[*node as usize] = true;
        }
        let there = |role: usize| {
            let does = self.model.does[role].iter().enumerate();
            does.filter(|(_, does)| inside[does.node()]).map(|(at, does)| (at, *does)).unzip()
        };
        let there: Vec<(Vec<usize>, Vec<Signal>)> = (0..self.model.does.len()).map(there).collect();
        if there.iter().all(|(_, moves)| moves.len() < MANY_MOVES) {
            return None;
        }
        let found: Vec<_> =
            there.iter().map(|(_, moves)| classes(self.model, behind, moves)).collect();
        if found.iter().any(|role| role.classes.len() > MOST_CLASSES) {
            return None;
        }
        let mut ranks = vec![0; self.model.graph.nodes().len()];
        for set in found.iter().flat_map(|role| &role.sets) {
            ranks[set.node()] = 1;
        }
        let cut = Cut { ranks: Rc::new(ranks), below: 2, except: FxHashSet::default() };
        let mut attempt = Attempt::new(self, candidate, 1, Some(cut), deadline)?;
        if attempt.goal == TRUE {
            return Some(Vec::new());
        }
        for (role, (found, (places, _))) in found.iter().zip(&there).enumerate() {
            attempt.classify(role, found, places)?;
        }
        attempt.needed(assumed, conflicts)
    }

    /// Tries to prove that a candidate holds where the others for which `assumed` is true hold. Returns those that were
    /// needed.
    pub fn prove_in_state(
        &self,
        candidate: usize,
        assumed: impl Fn(usize) -> bool,
        conflicts: u32,
        deadline: &Deadline,
    ) -> Option<Vec<usize>> {
        let whole = (!self.is_large(&[self.signals[candidate]])).then_some(None);
        let cuts = [self.cut(candidate).map(Some), whole];
        cuts.into_iter().flatten().find_map(|cut| {
            let mut attempt = Attempt::new(self, candidate, 0, cut, deadline)?;
            if attempt.goal == TRUE {
                return Some(Vec::new());
            }
            attempt.needed(|at| at != candidate && assumed(at), conflicts)
        })
    }

    fn needs(&self, role: usize) -> &Needs {
        self.needs[role].get_or_init(|| Needs::new(self.model, role))
    }

    /// What the fluents that a candidate speaks of become.
    fn next_of(&self, candidate: usize) -> Vec<Signal> {
        let next = |fluent: &u32| self.model.next[*fluent as usize];
        match &self.supports[candidate][..] {
            [] => Supports::new(self.model).of(self.signals[candidate]).iter().map(next).collect(),
            fluents => fluents.iter().map(next).collect(),
        }
    }

    /// Whether so much of the circuit is behind signals that the whole circuit is as good.
    fn is_large(&self, signals: &[Signal]) -> bool {
        let most = (self.model.graph.nodes().len() / 2).clamp(FEW_GATES, MOST_GATES);
        let mut seen = FxHashSet::default();
        let mut todo: Vec<usize> = signals.iter().map(|signal| signal.node()).collect();
        while let Some(node) = todo.pop() {
            if seen.len() > most {
                return true;
            }
            if let (true, Node::And(a, b)) = (seen.insert(node), self.model.graph.nodes()[node]) {
                todo.extend([a.node(), b.node()]);
            }
        }
        false
    }

    /// The hypotheses that speak of fluents that are there, the candidate itself first.
    fn related(
        &self,
        unrolling: &Unrolling<'_>,
        candidate: usize,
        assumed: impl Fn(usize) -> bool,
    ) -> Vec<usize> {
        let exists: Vec<bool> = self
            .model
            .fluents
            .iter()
            .map(|fluent| unrolling.existing(0, *fluent).is_some())
            .collect();
        let mut found: Vec<usize> = (0..exists.len())
            .filter(|fluent| exists[*fluent])
            .flat_map(|fluent| self.by_fluent[fluent].iter().map(|at| *at as usize))
            .collect();
        let there = |members: &[Signal]| {
            members.iter().filter(|member| unrolling.existing(0, **member).is_some()).count()
        };
        let groups = self
            .groups
            .iter()
            .filter(|(at, group)| *at != candidate && assumed(*at) && there(&group.members) >= 2);
        let groups: Vec<usize> = groups.map(|(at, _)| *at).collect();
        found.push(candidate);
        found.sort_unstable();
        found.dedup();
        found.retain(|at| {
            let support = &self.supports[*at];
            let there = support.iter().filter(|fluent| exists[**fluent as usize]).count();
            (*at == candidate || there >= 2 || support.len() == 1) && assumed(*at)
        });
        found.extend(groups);
        found
    }
}

/// The part of the circuit behind one candidate, as clauses.
struct Attempt<'l, 'm> {
    locals: &'l Locals<'m>,
    sat: Sat,
    unrolling: Unrolling<'m>,
    candidate: usize,
    /// The candidate, in the state that it is claimed of.
    goal: Lit,
    /// Moves of which only a part of their legality is known to the solver.
    pending: Vec<(Lit, Signal)>,
    /// The hypotheses that the solver knows, with the literals under which they hold.
    selected: Vec<(usize, Lit)>,
}

impl<'l, 'm> Attempt<'l, 'm> {
    /// Begins with the gates of a candidate after some steps.
    fn new(
        locals: &'l Locals<'m>,
        candidate: usize,
        steps: usize,
        cut: Option<Cut>,
        deadline: &Deadline,
    ) -> Option<Self> {
        let mut sat = Sat::new(deadline);
        let mut unrolling =
            Unrolling::sharing(locals.model, Start::Anywhere, locals.fanout.clone()).cutting(cut);
        for _ in 0..steps {
            unrolling.blank_step();
        }
        let goal = unrolling.literal(&mut sat, steps, locals.signals[candidate])?;
        let (pending, selected) = (Vec::new(), Vec::new());
        Some(Self { locals, sat, unrolling, candidate, goal, pending, selected })
    }

    /// The moves of a role that are there, behind some gates, exclude each other and are legal, as far as single fluents
    /// say.
    fn constrain(&mut self, role: usize, behind: &[u32]) -> Option<()> {
        let model = self.locals.model;
        let mut made: Vec<Lit> = Vec::new();
        let (mut there, mut places): (Vec<Signal>, Vec<usize>) = (Vec::new(), Vec::new());
        let mut all = true;
        for (at, (does, legal)) in model.does[role].iter().zip(&model.legal[role]).enumerate() {
            let Some(literal) = self.unrolling.existing(0, *does) else {
                all &= *legal == Signal::FALSE;
                continue;
            };
            there.push(*does);
            if *legal == Signal::FALSE {
                self.sat.clause([-literal]);
                continue;
            }
            made.push(literal);
            places.push(at);
            self.sketch(literal, *legal)?;
        }
        self.sat.at_most_one(&made);
        if all {
            self.sat.clause(made);
        } else {
            self.others(role, &places, made)?;
        }
        if there.len() >= MANY_MOVES { self.exclude(behind, &there) } else { Some(()) }
    }

    /// A role makes a move of one class, or another one that is in no set: what all moves of the class need holds then, and exactly
    /// those sets hold that it is in. Moves of classes are places in `places`, which are those of the role's moves.
    fn classify(&mut self, role: usize, found: &Classes, places: &[usize]) -> Option<()> {
        let needs = self.locals.needs(role);
        let moves = found.classes.iter().flat_map(|(_, moves)| moves);
        let moves: Vec<usize> = moves.map(|at| places[*at as usize]).collect();
        let others = needs.of_others(&moves).map(|common| (&[][..], common));
        let common = |moves: &[u32]| needs.common(moves.iter().map(|at| places[*at as usize]));
        let classes = found.classes.iter();
        let classes = classes.filter_map(|(sets, moves)| Some((&sets[..], common(moves)?)));
        let (mut made, mut members) = (Vec::new(), vec![Vec::new(); found.sets.len()]);
        for (sets, common) in classes.chain(others) {
            let class = self.sat.fresh();
            made.push(class);
            for set in sets {
                members[*set as usize].push(class);
            }
            for condition in common {
                let literal = self.unrolling.literal(&mut self.sat, 0, condition)?;
                self.sat.clause([-class, literal]);
            }
        }
        self.sat.at_most_one(&made);
        self.sat.clause(made.iter().copied());
        for (set, members) in found.sets.iter().zip(members) {
            let literal = self.unrolling.literal(&mut self.sat, 0, *set)?;
            for class in &made {
                let within = members.binary_search(class).is_ok();
                self.sat.clause([-class, if within { literal } else { -literal }]);
            }
            self.sat.clause(members.into_iter().chain([-literal]));
        }
        Some(())
    }

    /// If none of the moves that are there is made, another one is: what all the others need holds then.
    fn others(&mut self, role: usize, there: &[usize], made: Vec<Lit>) -> Option<()> {
        let Some(common) = self.locals.needs(role).of_others(there) else { return Some(()) };
        let other = self.sat.fresh();
        self.sat.clause(made.into_iter().chain([other]));
        for condition in common {
            let literal = self.unrolling.literal(&mut self.sat, 0, condition)?;
            self.sat.clause([-other, literal]);
        }
        Some(())
    }

    /// Gates for many moves exclude each other; the solver need not find that out move by move.
    fn exclude(&mut self, behind: &[u32], moves: &[Signal]) -> Option<()> {
        for (one, other) in exclusions(self.locals.model, behind, moves) {
            let one = self.unrolling.literal(&mut self.sat, 0, one)?;
            let other = self.unrolling.literal(&mut self.sat, 0, other)?;
            self.sat.clause([-one, -other]);
        }
        Some(())
    }

    /// What single fluents say about the legality of a move; the rest is left for later.
    fn sketch(&mut self, does: Lit, legal: Signal) -> Option<()> {
        let mut whole = true;
        for condition in self.locals.model.conjuncts(legal) {
            match self.locals.model.graph.nodes()[condition.node()] {
                Node::Input(_) => {
                    let literal = self.unrolling.literal(&mut self.sat, 0, condition)?;
                    self.sat.clause([-does, literal]);
                }
                Node::False => {}
                Node::And(..) => whole = false,
            }
        }
        if !whole {
            self.pending.push((does, legal));
        }
        Some(())
    }

    /// The hypotheses that the goal needs, if it holds. Where it fails by a move of which not everything is known, more
    /// is said about it and about some others, and the question is put again.
    fn needed(&mut self, assumed: impl Fn(usize) -> bool, conflicts: u32) -> Option<Vec<usize>> {
        let mut more = 16;
        loop {
            self.assume(&assumed)?;
            let selectors = self.selected.iter().map(|(_, selector)| *selector);
            let assumptions: Vec<Lit> = selectors.chain([-self.goal]).collect();
            match self.sat.solve_within(&assumptions, conflicts) {
                Answer::Stopped => return None,
                Answer::Unsat => {
                    let needed = self.selected.iter().filter(|(_, lit)| self.sat.failed(*lit));
                    return Some(needed.map(|(hypothesis, _)| *hypothesis).collect());
                }
                Answer::Sat => {
                    if !self.refine(more)? || self.sat.clauses() > MOST_GATES * 3 {
                        return None;
                    }
                    more *= 2;
                }
            }
        }
    }

    /// Says all about the moves that the model makes, and about some others. False if all was said.
    fn refine(&mut self, more: usize) -> Option<bool> {
        let holds: Vec<bool> = self.pending.iter().map(|(does, _)| self.sat.holds(*does)).collect();
        if !holds.contains(&true) {
            return Some(false);
        }
        let mut left = Vec::new();
        let mut others = 0;
        for ((does, legal), holds) in std::mem::take(&mut self.pending).into_iter().zip(holds) {
            if !holds && others == more {
                left.push((does, legal));
                continue;
            }
            others += usize::from(!holds);
            let legal = self.unrolling.literal(&mut self.sat, 0, legal)?;
            self.sat.clause([-does, legal]);
        }
        self.pending = left;
        Some(true)
    }

    /// Tells the solver all hypotheses that speak of fluents that are there.
    fn assume(&mut self, assumed: impl Fn(usize) -> bool) -> Option<()> {
        let known: FxHashSet<usize> = self.selected.iter().map(|(at, _)| *at).collect();
        for hypothesis in self.locals.related(&self.unrolling, self.candidate, assumed) {
            if known.contains(&hypothesis) {
                continue;
            }
            let signal = self.locals.signals[hypothesis];
            let literal = self.unrolling.literal(&mut self.sat, 0, signal)?;
            let selector = self.sat.fresh();
            self.sat.clause([-selector, literal]);
            self.selected.push((hypothesis, selector));
        }
        Some(())
    }
}

/// The fluents that signals depend on.
struct Supports<'m> {
    model: &'m Model,
    /// When each node was last visited.
    visited: Vec<u32>,
    visit: u32,
}

impl<'m> Supports<'m> {
    fn new(model: &'m Model) -> Self {
        Self { model, visited: vec![0; model.graph.nodes().len()], visit: 0 }
    }

    fn of(&mut self, signal: Signal) -> Vec<u32> {
        self.visit += 1;
        let mut fluents = Vec::new();
        let mut todo = vec![signal.node()];
        while let Some(node) = todo.pop() {
            if std::mem::replace(&mut self.visited[node], self.visit) == self.visit {
                continue;
            }
            match self.model.graph.nodes()[node] {
                Node::False => {}
                Node::Input(number) => {
                    if let Input::Fluent(fluent) = self.model.input(number) {
                        fluents.push(fluent);
                    }
                }
                Node::And(a, b) => todo.extend([a.node(), b.node()]),
            }
        }
        fluents.sort_unstable();
        fluents
    }
}
