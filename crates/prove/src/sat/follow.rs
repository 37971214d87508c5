//! What known invariants imply, without induction: of a state, or of a state and a legal move in it.

use circuit::graph::Signal;
use game::Deadline;

use super::model::Model;
use super::solver::{Answer, Lit, Sat};
use super::unroll::{Start, Unrolling};

/// For each signal whether it holds wherever the known ones do. Signals that depend on moves are looked at for
/// legal joint moves in states that are not terminal. What takes more conflicts counts as not implied.
pub fn implied(
    model: &Model,
    known: &[Signal],
    wanted: &[(Signal, bool)],
    conflicts: u32,
    deadline: &Deadline,
) -> Vec<bool> {
    let mut implied = vec![false; wanted.len()];
    for about_moves in [false, true] {
        let places: Vec<usize> =
            (0..wanted.len()).filter(|at| wanted[*at].1 == about_moves).collect();
        let Some(mut question) = (!places.is_empty())
            .then(|| Question::new(model, known, about_moves, deadline))
            .flatten()
        else {
            continue;
        };
        for place in places {
            implied[place] = question.implies(wanted[place].0, conflicts);
        }
    }
    implied
}

/// Which signals of states follow from the known ones and from those before them in the list that do.
pub fn chain(
    model: &Model,
    known: &[Signal],
    wanted: &[Signal],
    conflicts: u32,
    deadline: &Deadline,
) -> Vec<bool> {
    let Some(mut question) = Question::new(model, known, false, deadline) else {
        return vec![false; wanted.len()];
    };
    let mut follows = Vec::with_capacity(wanted.len());
    for signal in wanted {
        let implied = !question.sat.is_over() && question.implies(*signal, conflicts);
        if implied && let Some(literal) = question.unrolling.existing(0, *signal) {
            question.sat.clause([literal]);
        }
        follows.push(implied);
    }
    follows
}

/// For each signal, all of which follow from the known ones, places of known ones that are enough; none where that is
/// too hard to tell.
pub fn needed(
    model: &Model,
    known: &[Signal],
    wanted: &[(Signal, bool)],
    conflicts: u32,
    deadline: &Deadline,
) -> Vec<Option<Vec<usize>>> {
    let mut found = vec![None; wanted.len()];
    for about_moves in [false, true] {
        let places = (0..wanted.len()).filter(|at| wanted[*at].1 == about_moves);
        let places: Vec<usize> = places.collect();
        let Some(mut question) = (!places.is_empty())
            .then(|| Question::new(model, &[], about_moves, deadline))
            .flatten()
        else {
            continue;
        };
        let Some(selectors) = question.select(known) else { continue };
        for place in places {
            found[place] = question.needs(wanted[place].0, &selectors, conflicts);
        }
    }
    found
}

struct Question<'m> {
    sat: Sat,
    unrolling: Unrolling<'m>,
}

impl<'m> Question<'m> {
    fn new(
        model: &'m Model,
        known: &[Signal],
        about_moves: bool,
        deadline: &Deadline,
    ) -> Option<Self> {
        let mut sat = Sat::new(deadline);
        let mut unrolling = Unrolling::new(model, Start::Anywhere);
        for signal in known {
            let literal = unrolling.literal(&mut sat, 0, *signal)?;
            sat.clause([literal]);
        }
        if about_moves && !unrolling.step(&mut sat) {
            return None;
        }
        Some(Self { sat, unrolling })
    }

    fn implies(&mut self, signal: Signal, conflicts: u32) -> bool {
        let literal: Option<Lit> = self.unrolling.literal(&mut self.sat, 0, signal);
        literal.is_some_and(|l| self.sat.solve_within(&[-l], conflicts) == Answer::Unsat)
    }

    /// A literal for each signal under which it holds.
    fn select(&mut self, known: &[Signal]) -> Option<Vec<Lit>> {
        let select = |signal: &Signal| {
            let literal = self.unrolling.literal(&mut self.sat, 0, *signal)?;
            let selector = self.sat.fresh();
            self.sat.clause([-selector, literal]);
            Some(selector)
        };
        known.iter().map(select).collect()
    }

    /// The places of those that a signal follows from.
    fn needs(&mut self, signal: Signal, from: &[Lit], conflicts: u32) -> Option<Vec<usize>> {
        let literal = self.unrolling.literal(&mut self.sat, 0, signal)?;
        let assumptions: Vec<Lit> = from.iter().copied().chain([-literal]).collect();
        let answer = self.sat.solve_within(&assumptions, conflicts);
        (answer == Answer::Unsat)
            .then(|| (0..from.len()).filter(|at| self.sat.failed(from[*at])).collect())
    }
}
