//! Proofs on demand: what a property needs, what that needs, and so on, until nothing is missing.
//!
//! Each step is a proof on the part of the circuit that one candidate depends on ([`super::local`]), with all other
//! candidates as hypotheses. Of these only the ones that the contradiction used have to be proved in turn; one that
//! cannot be is dropped, and proofs that used it are made anew. What is left proves itself. Unlike the search for the
//! largest inductive set, which looks at the whole circuit and at all candidates, this touches only what matters, so
//! large games cost no more than what is asked about them.

use game::Deadline;

use super::houdini::Inductive;
use super::local::Locals;

/// What came out.
pub(super) struct Demanded {
    /// Candidates that prove each other by induction, with what their proofs need.
    pub found: Inductive,
    /// Wanted ones that follow from these in the same state, with what they follow from.
    pub follow: Vec<(usize, Vec<usize>)>,
}

/// What may be spent.
pub(super) struct Effort<'d> {
    /// The most conflicts of one proof.
    pub conflicts: u32,
    /// When to stop.
    pub deadline: &'d Deadline,
}

/// Proves wanted candidates, with those that are usable and all that is known as hypotheses. The first `count` signals
/// of the locals are candidates, the others are known. A candidate with a rank may also follow, in the same state, from
/// candidates of lower rank: derived atoms do from those that they are derived from.
pub(super) fn demand(
    locals: &Locals<'_>,
    count: usize,
    wanted: &[usize],
    (usable, ranks): (Vec<bool>, &[usize]),
    effort: &Effort<'_>,
) -> Demanded {
    let (proofs, states) = (vec![None; count], vec![None; count]);
    let mut search = Search { locals, alive: usable, ranks, proofs, states, effort };
    let mut by_step = search.close(wanted);
    let rest: Vec<usize> = wanted.iter().copied().filter(|at| !search.alive[*at]).collect();
    let mut follow = Vec::new();
    // What follows may need what was not wanted so far, and lose what it needs.
    while !effort.deadline.passed() {
        follow = rest.iter().filter_map(|at| Some((*at, search.in_state(*at)?))).collect();
        let needs = follow.iter().flat_map(|(_, needs): &(usize, Vec<usize>)| needs);
        let roots = wanted.iter().chain(needs).copied().filter(|at| *at < count);
        by_step = search.close(&roots.collect::<Vec<usize>>());
        let stands = |(_, needs): &(usize, Vec<usize>)| needs.iter().all(|at| search.is_alive(*at));
        if follow.iter().all(stands) {
            break;
        }
    }
    let stands = |(_, needs): &(usize, Vec<usize>)| needs.iter().all(|at| search.is_alive(*at));
    follow.retain(stands);
    let hard = vec![false; count];
    let found = Inductive { kept: by_step, hard, proofs: search.proofs, rounds: 1 };
    Demanded { found, follow }
}

struct Search<'s, 'm> {
    locals: &'s Locals<'m>,
    /// Candidates that were not given up.
    alive: Vec<bool>,
    ranks: &'s [usize],
    /// What the proof of each candidate needs.
    proofs: Vec<Option<Vec<usize>>>,
    /// What each candidate follows from in the same state.
    states: Vec<Option<Vec<usize>>>,
    effort: &'s Effort<'s>,
}

impl Search<'_, '_> {
    /// Known signals come after the candidates.
    fn is_alive(&self, at: usize) -> bool {
        self.alive.get(at).copied().unwrap_or(true)
    }

    fn stands(&self, proof: Option<&Vec<usize>>) -> bool {
        proof.is_some_and(|needs| needs.iter().all(|at| self.is_alive(*at)))
    }

    /// Proves roots and all that they need by induction steps; which candidates are proved now.
    fn close(&mut self, roots: &[usize]) -> Vec<bool> {
        loop {
            let mut inside = vec![false; self.alive.len()];
            let mut todo = roots.to_vec();
            let mut dropped = false;
            while let Some(at) = todo.pop() {
                if !self.is_alive(at) || std::mem::replace(&mut inside[at], true) {
                    continue;
                }
                if !self.stands(self.proofs[at].as_ref()) {
                    self.proofs[at] = self.proof(at);
                }
                if let Some(needs) = &self.proofs[at] {
                    todo.extend(needs.iter().copied().filter(|n| *n < inside.len()));
                } else {
                    self.alive[at] = false;
                    dropped = true;
                }
            }
            if !dropped {
                return inside;
            }
        }
    }

    /// A proof from what is alive.
    fn proof(&self, at: usize) -> Option<Vec<usize>> {
        let Effort { conflicts, deadline } = *self.effort;
        let alive = |other: usize| self.is_alive(other);
        let rank = |other: usize| self.ranks.get(other).copied().unwrap_or(0);
        let lower = |other: usize| alive(other) && rank(other) < rank(at);
        let follows = (rank(at) > 0)
            .then(|| self.locals.prove_in_state(at, lower, conflicts, deadline))
            .flatten();
        follows.or_else(|| self.locals.prove(at, alive, conflicts, deadline))
    }

    /// What a candidate follows from in the same state.
    fn in_state(&mut self, at: usize) -> Option<Vec<usize>> {
        if !self.stands(self.states[at].as_ref()) {
            let Effort { conflicts, deadline } = *self.effort;
            let assumed = |other: usize| self.is_alive(other);
            self.states[at] = self.locals.prove_in_state(at, assumed, conflicts, deadline);
        }
        self.states[at].clone()
    }
}
