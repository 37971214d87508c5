//! Property-directed reachability (IC3: Bradley 2011; in the form of Eén, Mishchenko and Brayton 2011).
//!
//! Frame i is a set of clauses over the fluents that holds in all states reachable by at most i moves. Each frame
//! implies the next one; a clause is stored in the last frame that has it. States that break the property are
//! traced back; what cannot be reached from the frame before is excluded by a clause, made as short as it can be.
//! When two frames are equal, their clauses are an inductive invariant.

use std::collections::BTreeSet;

use circuit::graph::Signal;
use game::Deadline;

use super::lemma::Lemma;
use super::lift::Lifter;
use super::model::Model;
use super::solver::{Answer, Lit, Sat};
use super::unroll::{Start, Unrolling};

/// Fluents with their truth values, in the order of the fluents: all states that agree.
pub(super) type Cube = Vec<(u32, bool)>;

/// What should hold.
#[derive(Clone, Copy, Debug)]
pub struct Goal {
    /// Its gates.
    pub signal: Signal,
    /// It is about every legal joint move in a state that is not terminal.
    pub about_moves: bool,
    /// The most questions to the solver.
    pub questions: usize,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reached {
    /// The property holds: these clauses are inductive together with what was known, and imply it.
    Never(Vec<Lemma>),
    /// It fails after these joint moves (of a property about moves: at the last one).
    After(Vec<Vec<usize>>),
    /// Out of time or effort.
    Stopped,
}

/// The time or the questions are used up.
struct Spent;

type Tried<T> = Result<T, Spent>;

/// A state and a joint move in it.
type Before = (Vec<bool>, Vec<usize>);

/// Decides one property. `known` are invariants of one step.
pub fn reach(model: &Model, known: &[Signal], goal: Goal, deadline: &Deadline) -> Reached {
    let Some(mut search) = Search::new(model, known, goal, deadline) else {
        return Reached::Stopped;
    };
    search.run().unwrap_or(Reached::Stopped)
}

/// A set of states that leads to a failure.
struct Obligation {
    cube: Cube,
    /// The joint move made in it.
    joint: Vec<usize>,
    /// What that move leads to; none if it (or the state itself) is the failure.
    then: Option<usize>,
}

struct Search<'m> {
    model: &'m Model,
    goal: Goal,
    /// A state and a legal move.
    sat: Sat,
    unrolling: Unrolling<'m>,
    /// States alone, for failures in terminal states.
    state_sat: Sat,
    state_unrolling: Unrolling<'m>,
    lifter: Lifter<'m>,
    /// For each level the literals under which its clauses hold.
    levels: Vec<(Lit, Lit)>,
    clauses: Vec<Vec<Cube>>,
    /// A literal under which the state is the initial one.
    initial: Lit,
    obligations: Vec<Obligation>,
    questions: usize,
}

impl<'m> Search<'m> {
    fn new(model: &'m Model, known: &[Signal], goal: Goal, deadline: &Deadline) -> Option<Self> {
        let (mut sat, mut state_sat) = (Sat::new(deadline), Sat::new(deadline));
        let mut unrolling = Unrolling::new(model, Start::Anywhere);
        let mut state_unrolling = Unrolling::new(model, Start::Anywhere);
        let initial = sat.fresh();
        for (fluent, holds) in model.initial.iter().enumerate() {
            let literal = unrolling.fluent(&mut sat, 0, fluent)?;
            sat.clause([-initial, if *holds { literal } else { -literal }]);
            state_unrolling.fluent(&mut state_sat, 0, fluent)?;
        }
        if !unrolling.step(&mut sat) {
            return None;
        }
        for signal in known {
            let literal = unrolling.literal(&mut sat, 0, *signal)?;
            sat.clause([literal]);
            let literal = state_unrolling.literal(&mut state_sat, 0, *signal)?;
            state_sat.clause([literal]);
        }
        Some(Self {
            model,
            goal,
            sat,
            unrolling,
            state_sat,
            state_unrolling,
            lifter: Lifter::new(model, deadline),
            levels: Vec::new(),
            clauses: Vec::new(),
            initial,
            obligations: Vec::new(),
            questions: 0,
        })
    }

    fn run(&mut self) -> Tried<Reached> {
        self.add_level();
        self.add_level();
        loop {
            while let Some(failing) = self.failing()? {
                if let Some(first) = self.block(failing)? {
                    return Ok(Reached::After(self.trace(first)));
                }
            }
            self.add_level();
            if let Some(level) = self.propagate()? {
                return Ok(Reached::Never(self.invariant(level)));
            }
        }
    }

    fn add_level(&mut self) {
        self.levels.push((self.sat.fresh(), self.state_sat.fresh()));
        self.clauses.push(Vec::new());
    }

    fn last(&self) -> usize {
        self.levels.len() - 1
    }

    /// The assumptions for a frame.
    fn frame(&self, level: usize) -> Vec<Lit> {
        if level == 0 {
            return vec![self.initial];
        }
        self.levels[level..].iter().map(|(literal, _)| *literal).collect()
    }

    fn count(&mut self) -> Tried<()> {
        self.questions += 1;
        if self.questions <= self.goal.questions { Ok(()) } else { Err(Spent) }
    }

    /// A cube of the last frame in which the property fails, as an obligation.
    fn failing(&mut self) -> Tried<Option<usize>> {
        self.count()?;
        let level = self.last();
        let (state, joint) = if self.goal.about_moves {
            let literal =
                self.unrolling.literal(&mut self.sat, 0, self.goal.signal).ok_or(Spent)?;
            let mut assumptions = self.frame(level);
            assumptions.push(-literal);
            match self.sat.solve(&assumptions) {
                Answer::Sat => {}
                Answer::Unsat => return Ok(None),
                Answer::Stopped => return Err(Spent),
            }
            let joint = self.unrolling.joint_move(&self.sat, 0);
            (self.unrolling.state(&self.sat, 0), joint)
        } else {
            let literal = self
                .state_unrolling
                .literal(&mut self.state_sat, 0, self.goal.signal)
                .ok_or(Spent)?;
            let levels = self.levels[level..].iter().map(|(_, literal)| *literal);
            let assumptions: Vec<Lit> = levels.chain([-literal]).collect();
            match self.state_sat.solve(&assumptions) {
                Answer::Sat => {}
                Answer::Unsat => return Ok(None),
                Answer::Stopped => return Err(Spent),
            }
            (self.state_unrolling.state(&self.state_sat, 0), Vec::new())
        };
        let cube = self.lifter.failing(&state, &joint, self.goal).ok_or(Spent)?;
        self.obligations.push(Obligation { cube, joint, then: None });
        Ok(Some(self.obligations.len() - 1))
    }

    /// Excludes an obligation from the last frame. Some is an obligation that the initial state meets.
    fn block(&mut self, failing: usize) -> Tried<Option<usize>> {
        let mut queue: BTreeSet<(usize, usize)> = BTreeSet::new();
        queue.insert((self.last(), failing));
        while let Some((level, at)) = queue.pop_first() {
            let cube = self.obligations[at].cube.clone();
            if self.meets_initial(&cube) {
                return Ok(Some(at));
            }
            if self.is_blocked(&cube, level) {
                continue;
            }
            match self.predecessor(&cube, level)? {
                Ok((state, joint)) => {
                    let cube = self.lifter.leading(&state, &joint, &cube).ok_or(Spent)?;
                    self.obligations.push(Obligation { cube, joint, then: Some(at) });
                    queue.insert((level - 1, self.obligations.len() - 1));
                    queue.insert((level, at));
                }
                Err(core) => {
                    let shorter = self.generalise(core, level)?;
                    let mut to = level;
                    while to < self.last() && self.is_inductive(&shorter, to + 1)?.is_some() {
                        to += 1;
                    }
                    self.exclude(shorter, to);
                    if to < self.last() {
                        queue.insert((to + 1, at));
                    }
                }
            }
        }
        Ok(None)
    }

    fn meets_initial(&self, cube: &Cube) -> bool {
        cube.iter().all(|(fluent, holds)| self.model.initial[*fluent as usize] == *holds)
    }

    fn is_blocked(&self, cube: &Cube, level: usize) -> bool {
        self.clauses[level..].iter().flatten().any(|known| is_part(known, cube))
    }

    /// A state of the frame before, outside the cube, with a move into it; or the part of the cube that makes that
    /// impossible.
    fn predecessor(&mut self, cube: &Cube, level: usize) -> Tried<Result<Before, Cube>> {
        self.count()?;
        let question = self.sat.fresh();
        let mut outside = vec![-question];
        let mut after = Vec::with_capacity(cube.len());
        for (fluent, holds) in cube {
            let now = self.unrolling.fluent(&mut self.sat, 0, *fluent as usize).ok_or(Spent)?;
            outside.push(if *holds { -now } else { now });
            let next = self.unrolling.fluent(&mut self.sat, 1, *fluent as usize).ok_or(Spent)?;
            after.push(if *holds { next } else { -next });
        }
        self.sat.clause(outside);
        let mut assumptions = self.frame(level - 1);
        assumptions.push(question);
        assumptions.extend_from_slice(&after);
        let found = match self.sat.solve(&assumptions) {
            Answer::Stopped => return Err(Spent),
            Answer::Sat => {
                let joint = self.unrolling.joint_move(&self.sat, 0);
                Ok((self.unrolling.state(&self.sat, 0), joint))
            }
            Answer::Unsat => {
                let needed = cube.iter().zip(&after).filter(|(_, lit)| self.sat.failed(**lit));
                Err(self.away_from_initial(needed.map(|(literal, _)| *literal).collect(), cube))
            }
        };
        self.sat.clause([-question]);
        Ok(found)
    }

    /// A part of a cube, with a literal more if it would meet the initial state otherwise.
    fn away_from_initial(&self, mut part: Cube, cube: &Cube) -> Cube {
        if self.meets_initial(&part) {
            let differs =
                |(fluent, holds): &&(u32, bool)| self.model.initial[*fluent as usize] != *holds;
            part.extend(cube.iter().find(differs));
            part.sort_unstable();
        }
        part
    }

    /// The part of a cube that already cannot be reached from the frame before, if it cannot.
    fn is_inductive(&mut self, cube: &Cube, level: usize) -> Tried<Option<Cube>> {
        Ok(self.predecessor(cube, level)?.err())
    }

    /// Leaves literals out as long as the rest cannot be reached. What does not hold goes first: states hold few
    /// fluents, and what excludes them is mostly what holds.
    fn generalise(&mut self, cube: Cube, level: usize) -> Tried<Cube> {
        let mut order = cube.clone();
        order.sort_by_key(|(fluent, holds)| (*holds, *fluent));
        let mut shortest = cube;
        for literal in order {
            if shortest.len() < 2 || !shortest.contains(&literal) {
                continue;
            }
            let without: Cube = shortest.iter().copied().filter(|l| *l != literal).collect();
            if self.meets_initial(&without) {
                continue;
            }
            if let Some(core) = self.is_inductive(&without, level)? {
                shortest = core;
            }
        }
        Ok(shortest)
    }

    /// Adds a clause to all frames up to a level.
    fn exclude(&mut self, cube: Cube, level: usize) {
        for known in &mut self.clauses[1..=level] {
            known.retain(|longer| !is_part(&cube, longer));
        }
        let (now, state) = self.levels[level];
        let sign = |literal: Lit, holds: bool| if holds { -literal } else { literal };
        let mut clause = vec![-now];
        let mut state_clause = vec![-state];
        for (fluent, holds) in &cube {
            let fluent = *fluent as usize;
            let literals = (
                self.unrolling.fluent(&mut self.sat, 0, fluent),
                self.state_unrolling.fluent(&mut self.state_sat, 0, fluent),
            );
            // Both were made when the search began.
            if let (Some(a), Some(b)) = literals {
                clause.push(sign(a, *holds));
                state_clause.push(sign(b, *holds));
            }
        }
        self.sat.clause(clause);
        self.state_sat.clause(state_clause);
        self.clauses[level].push(cube);
    }

    /// Moves clauses to later frames; a level whose clauses all moved on is one after which nothing changes.
    fn propagate(&mut self) -> Tried<Option<usize>> {
        for level in 1..self.last() {
            for cube in std::mem::take(&mut self.clauses[level]) {
                match self.is_inductive(&cube, level + 1)? {
                    Some(_) => self.exclude(cube, level + 1),
                    None => self.clauses[level].push(cube),
                }
            }
            if self.clauses[level].is_empty() {
                return Ok(Some(level));
            }
        }
        Ok(None)
    }

    fn invariant(&self, level: usize) -> Vec<Lemma> {
        let clause = |cube: &Cube| Lemma::Clause(cube.iter().map(|(f, h)| (*f, !*h)).collect());
        self.clauses[level + 1..].iter().flatten().map(clause).collect()
    }

    fn trace(&self, first: usize) -> Vec<Vec<usize>> {
        let mut moves = Vec::new();
        let mut at = Some(first);
        while let Some(obligation) = at.map(|at| &self.obligations[at]) {
            if !obligation.joint.is_empty() {
                moves.push(obligation.joint.clone());
            }
            at = obligation.then;
        }
        moves
    }
}

/// Whether all literals of a cube are in another; both are sorted.
fn is_part(part: &Cube, whole: &Cube) -> bool {
    let mut rest = whole.iter();
    part.iter().all(|literal| rest.any(|other| other == literal))
}
