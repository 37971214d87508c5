//! Proofs on demand: what a property needs, what that needs, and so on, until nothing is missing.
//!
//! Each step is a proof on the part of the circuit that one candidate depends on ([`super::local`]), with all other
//! candidates as hypotheses. Of these only the ones that the contradiction used have to be proved in turn; one that
//! cannot be is dropped, and proofs that used it are made anew. What is left proves itself. Unlike the search for the
//! largest inductive set, which looks at the whole circuit and at all candidates, this touches only what matters, so
//! large games cost no more than what is asked about them.

use game::Deadline;

use super::by_rules::ByRules;
use super::houdini::Inductive;
use super::local::Locals;

/// How much more effort a proof from wanted candidates, or in the same state, is worth than another one.
const TRUST: u32 = 10;

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

/// A candidate for a proof on demand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// Somebody wants to know.
    pub wanted: bool,
    /// It may be used, as far as is known.
    pub usable: bool,
    /// It speaks of derived atoms, so it rather follows from what is known of the same state than by a step.
    pub derived: bool,
    /// With a rank it may also follow, in the same state, from candidates of lower rank: groups of derived atoms do from
    /// those that they are derived from.
    pub rank: usize,
}

/// Proves wanted candidates, with those that are usable and all that is known as hypotheses. The first signals of the
/// locals are the candidates, the others are known. What rules show is not asked of a solver.
pub(super) fn demand(
    locals: &Locals<'_>,
    rules: &ByRules<'_>,
    candidates: &[Candidate],
    effort: &Effort<'_>,
) -> Demanded {
    let count = candidates.len();
    let alive = candidates.iter().map(|candidate| candidate.usable).collect();
    let (proofs, states) = (vec![None; count], vec![None; count]);
    let mut search = Search { locals, rules, alive, candidates, proofs, states, effort };
    let usable = (0..count).filter(|at| candidates[*at].wanted && candidates[*at].usable);
    let (derived, wanted): (Vec<usize>, Vec<usize>) =
        usable.partition(|at| candidates[*at].derived);
    let mut by_step = search.close(&wanted);
    let dead = wanted.iter().copied().filter(|at| !search.alive[*at]);
    let mut rest: Vec<usize> = derived.iter().copied().chain(dead).collect();
    // What follows in the state needs no step; only what does not is tried by steps.
    let by_steps = search.not_in_state(&derived);
    let wanted: Vec<usize> = wanted.into_iter().chain(by_steps.iter().copied()).collect();
    if !by_steps.is_empty() {
        by_step = search.close(&wanted);
        rest.retain(|at| !by_steps.contains(at) || !search.alive[*at]);
    }
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
    rules: &'s ByRules<'m>,
    /// Those that were not given up.
    alive: Vec<bool>,
    candidates: &'s [Candidate],
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

    /// Those that do not follow from what is alive, in the same state.
    fn not_in_state(&mut self, candidates: &[usize]) -> Vec<usize> {
        candidates.iter().copied().filter(|at| self.in_state(*at).is_none()).collect()
    }

    /// A proof from what is alive: what somebody wants to know is more often true than what was guessed, so it comes
    /// first as hypotheses.
    fn proof(&self, at: usize) -> Option<Vec<usize>> {
        let Effort { conflicts, deadline } = *self.effort;
        let alive = |other: usize| self.is_alive(other);
        let rank = |other: usize| self.candidates.get(other).map_or(0, |own| own.rank);
        let lower = |other: usize| alive(other) && rank(other) < rank(at);
        let more = conflicts.saturating_mul(TRUST);
        if rank(at) > 0 {
            let shown = self.rules.prove(at, &lower);
            let proof = shown.or_else(|| self.locals.prove_in_state(at, lower, more, deadline));
            if proof.is_some() {
                return proof;
            }
        }
        let wanted = |other: usize| self.candidates.get(other).is_none_or(|own| own.wanted);
        let first = |other: usize| alive(other) && (wanted(other) || other == at);
        let few = self.locals.prove(at, first, more, deadline);
        few.or_else(|| self.locals.prove(at, alive, conflicts, deadline))
    }

    /// What a candidate follows from in the same state.
    fn in_state(&mut self, at: usize) -> Option<Vec<usize>> {
        if !self.stands(self.states[at].as_ref()) {
            let Effort { conflicts, deadline } = *self.effort;
            // What speaks of derived atoms has to follow itself.
            let derived = |other: usize| self.candidates.get(other).is_some_and(|own| own.derived);
            let assumed = |other: usize| self.is_alive(other) && !derived(other);
            let conflicts = conflicts.saturating_mul(TRUST);
            let shown = self.rules.prove(at, &assumed);
            self.states[at] =
                shown.or_else(|| self.locals.prove_in_state(at, assumed, conflicts, deadline));
        }
        self.states[at].clone()
    }
}
