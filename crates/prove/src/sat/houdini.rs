//! The largest set of candidates that is inductive as a whole (Houdini, Flanagan and Leino 2001).
//!
//! All candidates are assumed in a state at once; those that some legal move can break are dropped, until none
//! can be broken. Interdependent properties, which the thesis names as the failure of its method (§7.5), prove
//! each other this way. What is dropped while the others are still assumed would be dropped with fewer
//! assumptions as well, so a round first collects everything that it can drop and then begins anew.

use circuit::graph::Signal;
use game::Deadline;

use super::local::Locals;
use super::model::Model;
use super::solver::{Answer, FALSE, Lit, Sat, TRUE};
use super::unroll::{Start, Unrolling};

/// The conflicts spent on the question whether any of the candidates can be broken, before they are looked at one by
/// one. One by one is quicker where nothing can be broken, all at once where something can.
const QUICK: u32 = 100;

/// The most conflicts of a proof on a part of the circuit, where conflicts are cheap.
const MOST_LOCAL: u32 = 1_000;

/// How an induction looks back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Back {
    /// How many steps.
    pub k: usize,
    /// All states of the induction differ: a shortest match to a failure comes to no state twice (Sheeran, Singh and
    /// Stålmarck 2000), so nothing is lost, and circles of states that cannot be reached keep nothing alive.
    pub simple: bool,
}

impl Back {
    /// To the state before.
    pub const ONE: Self = Self { k: 1, simple: false };
}

/// What to prove.
pub struct Task<'a> {
    /// Known to hold in all reachable states.
    pub known: &'a [Signal],
    /// To be proved: signals of states, all of which hold in the first `k` states of every match.
    pub candidates: &'a [Signal],
    /// How the induction looks back.
    pub back: Back,
    /// The most conflicts for one candidate; what is harder is dropped.
    pub conflicts: u32,
    /// Candidates are tried on their parts of the circuit before they are on the whole.
    pub local: bool,
}

/// What came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inductive {
    /// For each candidate whether it is part of the inductive set.
    pub kept: Vec<bool>,
    /// For each candidate whether it was dropped only because it is too hard.
    pub hard: Vec<bool>,
    /// For each candidate what its proof needs, if less than everything is known of it: places of candidates, and after
    /// them of what was known.
    pub proofs: Vec<Option<Vec<usize>>>,
    /// Rounds.
    pub rounds: usize,
}

/// Finds the largest inductive subset. None if the deadline passed.
pub fn houdini(model: &Model, task: &Task<'_>, deadline: &Deadline) -> Option<Inductive> {
    let mut sat = Sat::new(deadline);
    let mut unrolling = Unrolling::new(model, Start::Anywhere);
    let Back { k, simple } = task.back;
    for step in 0..k {
        if !unrolling.step(&mut sat) {
            return None;
        }
        for known in task.known {
            let literal = unrolling.literal(&mut sat, step, *known)?;
            sat.clause([literal]);
        }
    }
    if simple {
        for later in 1..=k {
            for earlier in 0..later {
                unrolling.differ(&mut sat, earlier, later)?;
            }
        }
    }
    let mut before: Vec<Vec<Lit>> = Vec::with_capacity(task.candidates.len());
    let mut after: Vec<Lit> = Vec::with_capacity(task.candidates.len());
    for candidate in task.candidates {
        let literals = (0..k).map(|step| unrolling.literal(&mut sat, step, *candidate));
        before.push(literals.collect::<Option<_>>()?);
        after.push(unrolling.literal(&mut sat, k, *candidate)?);
    }
    let all: Vec<Signal> = task.candidates.iter().chain(task.known).copied().collect();
    let mut search = Search {
        locals: (k == 1 && task.local).then(|| Locals::new(model, all)),
        local_proofs: vec![None; task.candidates.len()],
        deadline: deadline.clone(),
        sat,
        before,
        after,
        kept: vec![true; task.candidates.len()],
        conflicts: task.conflicts,
        hard: vec![false; task.candidates.len()],
        rounds: 0,
    };
    search.run()?;
    let Search { kept, hard, local_proofs: proofs, rounds, .. } = search;
    Some(Inductive { kept, hard, proofs, rounds })
}

struct Search<'m> {
    locals: Option<Locals<'m>>,
    /// For each candidate the hypotheses of a proof on its part of the circuit.
    local_proofs: Vec<Option<Vec<usize>>>,
    deadline: Deadline,
    sat: Sat,
    /// For each candidate its literals in the steps that are assumed.
    before: Vec<Vec<Lit>>,
    /// And in the step that follows.
    after: Vec<Lit>,
    kept: Vec<bool>,
    conflicts: u32,
    hard: Vec<bool>,
    rounds: usize,
}

impl Search<'_> {
    fn run(&mut self) -> Option<()> {
        loop {
            self.rounds += 1;
            let round = self.assume_all();
            let dropped = self.round(round)?;
            self.sat.clause([-round]);
            if dropped == 0 {
                return Some(());
            }
        }
    }

    /// A literal under which all kept candidates hold before the move.
    fn assume_all(&mut self) -> Lit {
        let round = self.sat.fresh();
        for (candidate, literals) in self.before.iter().enumerate() {
            if self.kept[candidate] {
                for literal in literals.iter().filter(|literal| **literal != TRUE) {
                    self.sat.clause([-round, *literal]);
                }
            }
        }
        round
    }

    /// Drops what can be broken while all is assumed that was kept when the round began.
    fn round(&mut self, round: Lit) -> Option<usize> {
        let open = |at: &usize| self.kept[*at] && self.after[*at] != TRUE;
        let pending: Vec<usize> = (0..self.after.len()).filter(open).collect();
        let mut dropped = 0;
        while pending.iter().any(|candidate| self.kept[*candidate])
            && self.ask(round, &pending, QUICK)? == Answer::Sat
        {
            dropped += self.drop_broken();
        }
        for candidate in pending {
            while self.kept[candidate] && !self.is_local(candidate) {
                match self.ask(round, &[candidate], self.conflicts)? {
                    Answer::Unsat => break,
                    Answer::Sat => dropped += self.drop_broken(),
                    Answer::Stopped => {
                        self.kept[candidate] = false;
                        self.hard[candidate] = true;
                        dropped += 1;
                    }
                }
            }
        }
        Some(dropped)
    }

    /// Whether a candidate has a proof on its part of the circuit, from hypotheses that are still kept.
    fn is_local(&mut self, candidate: usize) -> bool {
        let Some(locals) = &self.locals else { return false };
        let kept = |at: usize| self.kept.get(at).copied().unwrap_or(true);
        let stands = |proof: &Vec<usize>| proof.iter().all(|hypothesis| kept(*hypothesis));
        if !self.local_proofs[candidate].as_ref().is_some_and(stands) {
            self.local_proofs[candidate] =
                locals.prove(candidate, kept, MOST_LOCAL, &self.deadline);
        }
        self.local_proofs[candidate].is_some()
    }

    /// Whether one of some candidates can be broken. None if the time is over.
    fn ask(&mut self, round: Lit, chunk: &[usize], limit: u32) -> Option<Answer> {
        let answer = if let [only] = chunk {
            match self.after[*only] {
                FALSE => self.sat.solve_within(&[round], limit),
                literal => self.sat.solve_within(&[round, -literal], limit),
            }
        } else {
            let question = self.sat.fresh();
            let open = chunk.iter().filter(|candidate| self.kept[**candidate]);
            let broken: Vec<Lit> = open.map(|candidate| -self.after[*candidate]).collect();
            self.sat.clause(broken.into_iter().chain([-question]));
            let answer = self.sat.solve_within(&[round, question], limit);
            if answer != Answer::Sat {
                // A model would be lost by a new clause.
                self.sat.clause([-question]);
            }
            answer
        };
        (answer != Answer::Stopped || !self.sat.is_over()).then_some(answer)
    }

    /// Drops all that does not hold after the move of the model.
    fn drop_broken(&mut self) -> usize {
        let mut dropped = 0;
        for (candidate, literal) in self.after.iter().enumerate() {
            if self.kept[candidate] && !self.sat.holds(*literal) {
                self.kept[candidate] = false;
                dropped += 1;
            }
        }
        dropped
    }
}
