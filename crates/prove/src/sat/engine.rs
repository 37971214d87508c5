//! All properties of a game at once, decided by the means of this engine from the cheapest to the dearest.
//!
//! 1. States of random play refute what they can.
//! 2. Proofs of what is asked for and of what that needs, on small parts of the circuit ([`super::demand`]).
//! 3. The largest inductive set of properties and small invariants ([`super::houdini`]).
//! 4. What follows from it ([`super::follow`]); pairs of fluents as further invariants.
//! 5. Bounded model checking and longer induction in turns, also over simple paths, then property-directed reachability.
//!
//! Everything stops at the deadline; what is decided by then stays decided.

mod first;
mod groups;

use std::sync::Arc;
use std::time::Instant;

use circuit::graph::Signal;
use game::{Deadline, FluentId, Gates, JointMove};
use rustc_hash::{FxHashMap, FxHashSet};

use super::bmc::{Bounded, Depth, Failure};
use super::claim::{Part, Translator, exclusive, is_about_fluents};
use super::demand::{self, Demanded};
use super::fact::{Fact, Needs, Proofs, all_needed};
use super::follow::{chain, implied, needed};
use super::houdini::{Back, Inductive, Task, houdini};
use super::lemma::Lemma;
use super::local::Locals;
use super::mine;
use super::model::Model;
use super::pdr::{self, Reached};
use super::sample::{Play, Samples};
use crate::evaluate::refutes;
use crate::ground_property::{GroundFormula, GroundProperty};
use crate::prover::share;
use crate::verdict::{self, Certificate, Engine, Reason, Verdict};

pub use first::Believed;

/// How much is tried.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Random play.
    pub play: Play,
    /// The most conflicts of one question.
    pub conflicts: u32,
    /// The longest matches of bounded model checking.
    pub depth: usize,
    /// The longest induction.
    pub k: usize,
    /// The longest induction over states of which no two are the same; less than 2 for none.
    pub simple_k: usize,
    /// The most questions of property-directed reachability for one part of a property.
    pub questions: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            play: Play::default(),
            conflicts: 20_000,
            depth: 60,
            k: 3,
            simple_k: 4,
            questions: 100_000,
        }
    }
}

/// Decides properties of a game. `progress` hears of each verdict when it is there, with the property's place. What is
/// believed is used and not proved again.
pub fn decide(
    gates: &Gates,
    properties: &[GroundProperty],
    believed: &Believed,
    options: &Options,
    deadline: &Deadline,
    progress: &mut dyn FnMut(usize, &Verdict),
) -> Vec<Verdict> {
    match Model::new(gates) {
        Ok(model) => {
            let mut work = Work::new(gates, model, properties, *options, deadline, progress);
            work.believe(believed);
            work.run();
            work.finish()
        }
        Err(problem) => {
            let unknown =
                |_| Verdict::Unknown { reason: Reason::Other(problem.to_string()), seconds: 0.0 };
            properties.iter().map(unknown).collect()
        }
    }
}

/// Limits of conflicts for one question, growing up to the largest.
fn efforts(most: u32) -> impl Iterator<Item = u32> {
    [100, 10, 1].into_iter().map(move |part| most / part)
}

/// For each signal the place where it occurs first.
fn same_as_before(signals: &[Signal]) -> Vec<usize> {
    let mut first: FxHashMap<Signal, usize> = FxHashMap::default();
    signals.iter().enumerate().map(|(at, signal)| *first.entry(*signal).or_insert(at)).collect()
}

/// With more gates than that, groups of derived atoms are not guessed before everything else, and not later: there are too
/// many. With more than the latter, nothing is tried on a copy of the whole circuit before it was on parts.
const MOST_NODES: usize = 50_000;
const MOST_NODES_LATER: usize = 400_000;

/// Which open parts are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Parts {
    /// All of them.
    All,
    /// Those that speak of fluents alone.
    OfFluents,
}

/// What may be proved about states.
struct Guesses {
    /// Parts of properties.
    open: Vec<usize>,
    lemmas: Vec<Lemma>,
    /// The gates of both.
    candidates: Vec<Signal>,
    /// For each candidate the first one with the same gates.
    same: Vec<usize>,
}

struct Work<'a> {
    gates: &'a Gates,
    model: Model,
    properties: &'a [GroundProperty],
    parts: Vec<Part>,
    /// Whether each part is proved.
    proved: Vec<bool>,
    verdicts: Vec<Option<Verdict>>,
    /// Properties of which all matches were looked at: they have no invariant to show.
    seen_all: Vec<bool>,
    facts: Vec<Fact>,
    /// For each part what its proof needs.
    needs: Vec<Needs>,
    /// What follows from the facts about derived atoms.
    derived: Vec<Signal>,
    /// How far the induction that gave the facts looks back.
    k: u32,
    /// Some facts need that no state comes twice.
    simple: bool,
    samples: Samples,
    lost: Vec<Lemma>,
    /// What could be broken while all was assumed, or was too hard: weaker claims no longer wait for it.
    gave_way: FxHashSet<Signal>,
    options: Options,
    deadline: Deadline,
    stage: Instant,
    progress: &'a mut dyn FnMut(usize, &Verdict),
}

impl<'a> Work<'a> {
    fn new(
        gates: &'a Gates,
        mut model: Model,
        properties: &'a [GroundProperty],
        options: Options,
        deadline: &Deadline,
        progress: &'a mut dyn FnMut(usize, &Verdict),
    ) -> Self {
        let stage = Instant::now();
        let mut translator = Translator::new(gates);
        let mut parts = Vec::new();
        for (at, property) in properties.iter().enumerate() {
            parts.extend(translator.parts(&mut model, at, property));
        }
        Self {
            gates,
            samples: Samples::new(&model),
            model,
            properties,
            proved: parts.iter().map(|part| part.signal == Signal::TRUE).collect(),
            needs: vec![Needs::These(Vec::new()); parts.len()],
            parts,
            verdicts: vec![None; properties.len()],
            seen_all: vec![false; properties.len()],
            facts: Vec::new(),
            derived: Vec::new(),
            k: 0,
            simple: false,
            lost: Vec::new(),
            gave_way: FxHashSet::default(),
            options,
            deadline: deadline.clone(),
            stage,
            progress,
        }
    }

    fn run(&mut self) {
        self.settle();
        self.play();
        let most = self.options.conflicts;
        let lemmas = mine::groups(self.gates.program(), &self.samples);
        self.lost.clone_from(&lemmas);
        if self.model.graph.nodes().len() <= MOST_NODES_LATER {
            self.induct_asked(most / 10);
        }
        if self.model.graph.nodes().len() > MOST_NODES {
            // Groups of derived atoms are many then, and what speaks of fluents alone does not wait for them.
            self.demand(most / 10, Parts::OfFluents);
        }
        self.demand_with_groups(most / 10, MOST_NODES);
        self.follow(most / 100);
        // What is easy is proved first, so that nothing easy waits for something hard.
        for (pass, conflicts) in efforts(most).enumerate() {
            if pass == 1 && !self.is_done() {
                // More is known now than at first.
                self.demand_with_groups(most / 10, MOST_NODES_LATER);
                self.derive(most / 100);
                self.follow(conflicts);
            }
            if self.is_done() {
                return;
            }
            self.induct_lost(Back::ONE, conflicts);
            self.follow(conflicts);
        }
        if self.is_done() {
            return;
        }
        self.lost.extend(mine::pairs(&self.samples, &lemmas));
        self.induct_lost(Back::ONE, most / 10);
        self.follow(most / 10);
        self.bound(self.options.depth.min(6), most / 4);
        for k in 2..=self.options.k {
            if self.is_done() {
                return;
            }
            self.induct_lost(Back { k, simple: false }, most / 10);
            self.follow(most);
        }
        self.simple_paths(most / 10);
        // Both may take for ever on what the other decides at once, so they take turns.
        let (depth, questions) = (self.options.depth, self.options.questions);
        self.reach(questions / 50);
        self.bound(depth, most / 10);
        self.reach(questions);
        self.bound(depth, most);
    }

    /// Longer inductions over states of which no two are the same, for a part of the time.
    fn simple_paths(&mut self, conflicts: u32) {
        let part = self.share_of_time(8);
        let whole = std::mem::replace(&mut self.deadline, part);
        for k in 2..=self.options.simple_k {
            if self.is_done() {
                break;
            }
            self.induct_lost(Back { k, simple: true }, conflicts);
            self.follow(conflicts);
        }
        self.deadline = whole;
    }

    fn is_done(&self) -> bool {
        self.deadline.passed() || self.verdicts.iter().all(Option::is_some)
    }

    /// The parts of undecided properties that are not proved.
    fn open(&self) -> Vec<usize> {
        let is_open =
            |at: &usize| !self.proved[*at] && self.verdicts[self.parts[*at].property].is_none();
        (0..self.parts.len()).filter(is_open).collect()
    }

    fn play(&mut self) {
        self.samples = Samples::play(self.gates, &self.model, self.options.play, &self.deadline);
        let open: Vec<usize> =
            self.open().into_iter().filter(|at| !self.parts[*at].about_moves).collect();
        let signals: Vec<Signal> = open.iter().map(|at| self.parts[*at].signal).collect();
        for (at, refuted) in open.into_iter().zip(self.samples.refute(&self.model, &signals)) {
            if let Some(state) = refuted {
                let way = self.samples.way(state).to_vec();
                self.refute(self.parts[at].property, way, Engine::Play);
            }
        }
        self.settle();
    }

    /// Believes a refutation if the interpreter does.
    fn refute(&mut self, property: usize, trace: Vec<JointMove>, engine: Engine) {
        if self.verdicts[property].is_some() {
            return;
        }
        let mut interpreter = self.gates.game().interpreter();
        if let Ok(true) = refutes(&self.properties[property], &trace, &mut interpreter) {
            let seconds = 0.0;
            self.verdicts[property] = Some(Verdict::Refuted { engine, trace, seconds });
        }
    }

    /// The largest inductive set of open parts and of the lemmas that are not proved, on top of what is known. Weaker
    /// claims come in as stronger ones give way, and what failed without them is tried again.
    fn induct_lost(&mut self, back: Back, conflicts: u32) {
        while self.induct_once(back, conflicts) && !self.is_done() {}
    }

    /// One attempt at that. Whether it let weaker claims in.
    fn induct_once(&mut self, back: Back, conflicts: u32) -> bool {
        let Guesses { open, lemmas, candidates, same } = self.guesses();
        // All hold at first, and for longer induction after the first moves.
        let held = self.hold_at_first(&candidates, back.k);
        let groups = self.exclusive_groups(&open, &lemmas);
        let weaker = self.weaker(&groups, &candidates, &held);
        let known = self.known();
        let kept_at: Vec<usize> = (0..candidates.len())
            .filter(|at| held[*at] && same[*at] == *at && !weaker[*at])
            .collect();
        let tried: Vec<Signal> = kept_at.iter().map(|at| candidates[*at]).collect();
        let task = Task { known: &known, candidates: &tried, back, conflicts, local: true };
        let Some(found) = houdini(&self.model, &task, &self.deadline) else {
            self.lost = lemmas;
            return false;
        };
        for (at, kept) in kept_at.iter().zip(&found.kept) {
            if !kept {
                self.gave_way.insert(candidates[*at]);
            }
        }
        let still = self.weaker(&groups, &candidates, &held);
        let released = (0..still.len()).any(|at| held[at] && weaker[at] && !still[at]);
        let guesses = Guesses { open, lemmas, candidates, same };
        self.adopt(guesses, &kept_at, &found, back);
        self.settle();
        released
    }

    /// Takes over what an induction proved; which guesses became which facts.
    fn adopt(
        &mut self,
        guesses: Guesses,
        tried: &[usize],
        found: &Inductive,
        back: Back,
    ) -> Vec<Option<usize>> {
        let Guesses { open, mut lemmas, candidates, same } = guesses;
        let mut is_lemma = vec![false; lemmas.len()];
        let mut kept = vec![false; candidates.len()];
        let mut facts = vec![None; candidates.len()];
        let mut proofs = Proofs::new(found, tried, self.facts.len());
        for (at, own) in tried.iter().zip(&found.kept) {
            kept[*at] = *own;
        }
        for at in (0..candidates.len()).filter(|at| kept[same[*at]]) {
            let (signal, place) = (candidates[at], self.facts.len());
            let (formula, of) = if let Some(lemma) = at.checked_sub(open.len()) {
                is_lemma[lemma] = true;
                (self.formula(&lemmas[lemma]), None)
            } else {
                self.needs[open[at]] = Needs::These(vec![place]);
                self.proved[open[at]] = true;
                let part = &self.parts[open[at]];
                (part.formula.clone(), Some(part.property))
            };
            proofs.place(at, place);
            facts[at] = Some(place);
            self.facts.push(Fact { formula, signal, of, needs: Needs::Before(0) });
            self.k = self.k.max(back.k as u32);
            self.simple |= back.simple;
        }
        proofs.settle(&same, &mut self.facts);
        let mut keep = is_lemma.iter();
        lemmas.retain(|_| !keep.next().copied().unwrap_or(false));
        self.lost = lemmas;
        facts
    }

    /// Proofs of open parts on their part of the circuit, with what they need and nothing else.
    fn demand(&mut self, conflicts: u32, which: Parts) {
        let guesses = self.guesses_for(which);
        if guesses.open.is_empty() {
            self.lost = guesses.lemmas;
            return;
        }
        let (open, count) = (guesses.open.clone(), guesses.candidates.len());
        let held = self.samples.refute(&self.model, &guesses.candidates);
        let known = self.facts.iter().map(|fact| fact.signal);
        let all: Vec<Signal> = guesses.candidates.iter().copied().chain(known).collect();
        let candidates = self.demanded(&guesses, &held);
        let before = self.facts.len();
        let deadline = self.share_of_time(2);
        let effort = demand::Effort { conflicts, deadline: &deadline };
        let locals = Locals::with_groups(&self.model, all, self.groups(&guesses));
        let rules = self.by_rules(&guesses);
        let Demanded { found, follow } = demand::demand(&locals, &rules, &candidates, &effort);
        drop(locals);
        let tried: Vec<usize> = (0..count).collect();
        let facts = self.adopt(guesses, &tried, &found, Back::ONE);
        for (part, needs) in follow {
            let place = |at: &usize| match at.checked_sub(count) {
                None => facts[*at],
                Some(known) => (known < before).then_some(known),
            };
            let needs = needs.iter().map(place).collect::<Option<Vec<usize>>>();
            let needs = needs.map_or(Needs::Before(self.facts.len()), Needs::These);
            self.proved[open[part]] = true;
            self.needs[open[part]] = needs.clone();
            let Part { formula, signal, property, .. } = self.parts[open[part]].clone();
            self.facts.push(Fact { formula, signal, of: Some(property), needs });
        }
        self.settle();
    }

    /// The guesses as candidates for proofs on demand; where samples refute them they cannot be used.
    fn demanded(&self, guesses: &Guesses, refuted: &[Option<usize>]) -> Vec<demand::Candidate> {
        let Guesses { open, lemmas, candidates, same } = guesses;
        let candidate = |at: usize| {
            let lemma = at.checked_sub(open.len());
            let apart = lemma.is_some_and(|at| matches!(lemmas[at], Lemma::Apart(_)));
            demand::Candidate {
                wanted: lemma.is_none(),
                usable: refuted[at].is_none() && same[at] == at,
                derived: lemma.is_none() && !is_about_fluents(&self.parts[open[at]].formula),
                // Groups of derived atoms come in the order in which they are derived.
                rank: if apart { lemma.map_or(0, |at| at + 1) } else { 0 },
            }
        };
        (0..candidates.len()).map(candidate).collect()
    }

    /// What may be proved about states: the open parts, and the guesses that are not proved.
    fn guesses(&mut self) -> Guesses {
        self.guesses_for(Parts::All)
    }

    /// The same with some of the open parts.
    fn guesses_for(&mut self, which: Parts) -> Guesses {
        let mut lemmas = std::mem::take(&mut self.lost);
        let fits = |at: &usize| {
            let part = &self.parts[*at];
            !part.about_moves && (which == Parts::All || is_about_fluents(&part.formula))
        };
        let open: Vec<usize> = self.open().into_iter().filter(fits).collect();
        let mut candidates: Vec<Signal> = open.iter().map(|at| self.parts[*at].signal).collect();
        // What is known need not be guessed.
        let known: FxHashSet<Signal> = self.facts.iter().map(|fact| fact.signal).collect();
        lemmas.retain(|lemma| {
            let signal = lemma.signal(&mut self.model);
            let fresh = !known.contains(&signal);
            candidates.extend(fresh.then_some(signal));
            fresh
        });
        let same = same_as_before(&candidates);
        Guesses { open, lemmas, candidates, same }
    }

    /// For each candidate the fluents of which it says that at most one holds, sorted.
    fn exclusive_groups(&self, open: &[usize], lemmas: &[Lemma]) -> Vec<Vec<u32>> {
        let numbers: FxHashMap<FluentId, u32> =
            self.gates.fluents().iter().copied().zip(0..).collect();
        let parts = open.iter().map(|at| exclusive(&self.parts[*at].formula, &numbers));
        let groups = lemmas.iter().map(|lemma| match lemma {
            Lemma::AtMost(1, members) => {
                let mut members = members.clone();
                members.sort_unstable();
                members
            }
            _ => Vec::new(),
        });
        parts.chain(groups).collect()
    }

    /// Candidates that say "at most one" of some of the fluents of which another candidate says it of more. They
    /// follow if the other one is proved, and wait until it gave way.
    fn weaker(&self, sets: &[Vec<u32>], candidates: &[Signal], held: &[bool]) -> Vec<bool> {
        let mut by_fluent: Vec<Vec<usize>> = vec![Vec::new(); self.gates.fluents().len()];
        for (at, set) in sets.iter().enumerate() {
            if held[at] && !self.gave_way.contains(&candidates[at]) {
                for fluent in set {
                    by_fluent[*fluent as usize].push(at);
                }
            }
        }
        let is_weaker = |set: &Vec<u32>| {
            let others = set.first().map_or(&[][..], |first| &by_fluent[*first as usize][..]);
            let contains = |other: &usize| {
                let larger = &sets[*other];
                larger.len() > set.len() && set.iter().all(|f| larger.binary_search(f).is_ok())
            };
            others.iter().any(contains)
        };
        sets.iter().map(is_weaker).collect()
    }

    /// Which signals hold in the initial state and, if `k` is larger than 1, after fewer than `k` moves.
    fn hold_at_first(&self, signals: &[Signal], k: usize) -> Vec<bool> {
        let mut held: Vec<bool> =
            self.samples.refute(&self.model, signals).iter().map(Option::is_none).collect();
        // The initial state is among the samples.
        if k == 1 && !self.samples.is_empty() {
            return held;
        }
        let mut bounded = Bounded::new(&self.model, &self.deadline);
        for _ in 0..k {
            let wanted: Vec<(usize, Signal, bool)> = (0..signals.len())
                .filter(|at| held[*at])
                .map(|at| (at, signals[at], false))
                .collect();
            let mut found = Vec::new();
            match bounded.deepen(&wanted, self.options.conflicts, &mut found) {
                Depth::Clean => {}
                Depth::Exhausted => break,
                Depth::Unsure | Depth::Stopped => return vec![false; signals.len()],
            }
            for failure in found {
                held[failure.wanted] = false;
            }
        }
        held
    }

    fn formula(&self, lemma: &Lemma) -> GroundFormula {
        lemma.formula(self.gates.fluents())
    }

    fn follow(&mut self, conflicts: u32) {
        let open = self.open();
        let wanted: Vec<(Signal, bool)> =
            open.iter().map(|at| (self.parts[*at].signal, self.parts[*at].about_moves)).collect();
        if wanted.is_empty() || self.deadline.passed() {
            return;
        }
        let known = self.known();
        let deadline = self.share_of_time(4);
        let found = implied(&self.model, &known, &wanted, conflicts, &deadline);
        let facts = self.facts.len();
        let mut new = Vec::new();
        for (at, implied) in open.into_iter().zip(found) {
            if implied {
                let part = &self.parts[at];
                self.proved[at] = true;
                self.needs[at] = Needs::Before(facts);
                new.push(at);
                if !part.about_moves {
                    let (formula, signal) = (part.formula.clone(), part.signal);
                    let (of, needs) = (Some(part.property), Needs::Before(facts));
                    self.facts.push(Fact { formula, signal, of, needs });
                }
            }
        }
        self.settle();
        self.find_needs(&new, facts, conflicts);
    }

    /// Finds out what parts need that follow from the first facts.
    fn find_needs(&mut self, parts: &[usize], facts: usize, conflicts: u32) {
        let known: Vec<Signal> = self.facts[..facts].iter().map(|fact| fact.signal).collect();
        let wanted: Vec<(Signal, bool)> =
            parts.iter().map(|at| (self.parts[*at].signal, self.parts[*at].about_moves)).collect();
        let deadline = self.share_of_time(20);
        let found = needed(&self.model, &known, &wanted, conflicts, &deadline);
        for (at, needs) in parts.iter().zip(found) {
            let Some(needs) = needs else { continue };
            let signal = self.parts[*at].signal;
            self.needs[*at] = Needs::These(needs.clone());
            for fact in self.facts[facts..].iter_mut().filter(|fact| fact.signal == signal) {
                fact.needs = Needs::These(needs.clone());
            }
        }
    }

    fn share_of_time(&self, parts: u32) -> Deadline {
        share(&self.deadline, parts)
    }

    /// Finds groups of derived atoms that exclude each other wherever the facts hold.
    fn derive(&mut self, conflicts: u32) {
        let groups = self.derived_groups();
        let only = |group: Vec<(usize, Signal)>| group.into_iter().map(|(_, s)| s).collect();
        let groups: Vec<Vec<Signal>> = groups.into_iter().map(only).collect();
        let wanted: Vec<Signal> = groups.iter().map(|group| self.model.at_most(1, group)).collect();
        let known = self.known();
        // This may help or not, so it gets a part of the time.
        let deadline = self.share_of_time(5);
        let found = chain(&self.model, &known, &wanted, conflicts, &deadline);
        let proved = wanted.into_iter().zip(found).filter(|(_, follows)| *follows);
        self.derived.extend(proved.map(|(signal, _)| signal));
    }

    /// All that is known to hold in all reachable states.
    fn known(&self) -> Vec<Signal> {
        let facts = self.facts.iter().map(|fact| fact.signal);
        facts.chain(self.derived.iter().copied()).collect()
    }

    /// Bounded model checking up to a depth.
    fn bound(&mut self, depth: usize, conflicts: u32) {
        let model = self.model.clone();
        let mut bounded = Bounded::new(&model, &self.deadline);
        let mut clean = true;
        while bounded.depth() <= depth && !self.is_done() {
            let open = self.open().into_iter();
            let wanted: Vec<(usize, Signal, bool)> =
                open.map(|at| (at, self.parts[at].signal, self.parts[at].about_moves)).collect();
            let mut found = Vec::new();
            let result = bounded.deepen(&wanted, conflicts, &mut found);
            for Failure { wanted, moves } in found {
                let trace = moves.iter().map(|joint| self.joint(joint)).collect();
                self.refute(self.parts[wanted].property, trace, Engine::Sat);
            }
            clean &= result != Depth::Unsure;
            match result {
                Depth::Exhausted if clean => {
                    for at in self.open() {
                        self.seen_all[self.parts[at].property] = true;
                    }
                    self.open().into_iter().for_each(|at| self.proved[at] = true);
                    self.k = self.k.max(bounded.depth() as u32);
                    break;
                }
                Depth::Exhausted | Depth::Stopped => break,
                Depth::Clean | Depth::Unsure => self.settle(),
            }
        }
        self.settle();
    }

    fn joint(&self, moves: &[usize]) -> JointMove {
        moves.iter().zip(self.gates.moves()).map(|(at, own)| own[*at]).collect()
    }

    /// Property-directed reachability for one open part after the other.
    fn reach(&mut self, questions: usize) {
        for at in self.open() {
            if self.is_done() || self.verdicts[self.parts[at].property].is_some() {
                continue;
            }
            let part = self.parts[at].clone();
            let known = self.known();
            let Part { signal, about_moves, .. } = part;
            let wanted = pdr::Goal { signal, about_moves, questions };
            match pdr::reach(&self.model, &known, wanted, &self.deadline) {
                Reached::Never(clauses) => {
                    let needs = Needs::Before(self.facts.len() + clauses.len());
                    for lemma in clauses {
                        let signal = lemma.signal(&mut self.model);
                        let formula = self.formula(&lemma);
                        self.facts.push(Fact { formula, signal, of: None, needs: needs.clone() });
                    }
                    self.needs[at] = needs;
                    self.k = self.k.max(1);
                    self.proved[at] = true;
                }
                Reached::After(moves) => {
                    let trace = moves.iter().map(|joint| self.joint(joint)).collect();
                    self.refute(part.property, trace, Engine::Sat);
                }
                Reached::Stopped => {}
            }
            self.settle();
        }
    }

    /// Gives verdicts to properties whose parts are all proved, and shares the time of the stage among all that were
    /// decided in it.
    fn settle(&mut self) {
        let mut left = vec![false; self.properties.len()];
        for (part, proved) in self.parts.iter().zip(&self.proved) {
            left[part.property] |= !proved;
        }
        let mut decided = Vec::new();
        for (at, left) in left.into_iter().enumerate() {
            let is_new = match &self.verdicts[at] {
                None if !left => {
                    self.verdicts[at] = Some(Verdict::Proved {
                        engine: Engine::Sat,
                        k: self.k,
                        hypotheses: Vec::new(),
                        seconds: 0.0,
                        certificate: None,
                    });
                    true
                }
                Some(Verdict::Refuted { seconds, .. }) => *seconds == 0.0,
                _ => false,
            };
            if is_new {
                decided.push(at);
            }
        }
        self.share(&decided);
    }

    fn share(&mut self, decided: &[usize]) {
        if decided.is_empty() {
            return;
        }
        let seconds = self.stage.elapsed().as_secs_f64().max(1e-6) / decided.len() as f64;
        self.stage = Instant::now();
        for at in decided {
            if let Some(verdict) = &mut self.verdicts[*at] {
                verdict.set_seconds(seconds);
                (self.progress)(*at, verdict);
            }
        }
    }

    /// The verdicts. All facts found are one invariant, which is the certificate of every proof.
    fn finish(mut self) -> Vec<Verdict> {
        let seconds = self.stage.elapsed().as_secs_f64();
        let reason = if self.deadline.passed() { Reason::Time } else { Reason::NotInductive };
        let unknown = Verdict::Unknown { reason, seconds };
        let facts = self.facts.iter().map(|fact| fact.formula.clone()).collect();
        let invariant =
            Arc::new(verdict::Inductive { facts, k: self.k.max(1), simple: self.simple });
        let used = self.hypotheses();
        for ((verdict, seen_all), used) in self.verdicts.iter_mut().zip(&self.seen_all).zip(used) {
            if let Some(Verdict::Proved { certificate, hypotheses, .. }) = verdict
                && !seen_all
            {
                *certificate = Some(Certificate::Inductive(invariant.clone()));
                *hypotheses = used;
            }
        }
        self.verdicts.into_iter().map(|v| v.unwrap_or_else(|| unknown.clone())).collect()
    }

    /// For each property the other proved ones that its proof uses.
    fn hypotheses(&self) -> Vec<Vec<usize>> {
        let mut needs: Vec<Vec<&Needs>> = vec![Vec::new(); self.properties.len()];
        for (part, own) in self.parts.iter().zip(&self.needs) {
            needs[part.property].push(own);
        }
        let is_proved = |at: &usize| matches!(self.verdicts[*at], Some(Verdict::Proved { .. }));
        let used = |(at, needs): (usize, Vec<&Needs>)| {
            if !is_proved(&at) {
                return Vec::new();
            }
            let all = all_needed(&self.facts, &needs);
            let owners = all.into_iter().filter_map(|fact| self.facts[fact].of);
            let mut used: Vec<usize> =
                owners.filter(|other| *other != at && is_proved(other)).collect();
            used.sort_unstable();
            used.dedup();
            used
        };
        needs.into_iter().enumerate().map(used).collect()
    }
}
