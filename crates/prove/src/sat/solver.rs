//! The SAT solver `CaDiCaL` with a deadline, behind the few operations that induction needs.
//!
//! Literals are those of DIMACS: variables count from 1 and a negative number is a complement. Variable 1
//! is always true, so that constants are literals like any other.

use cadical::Callbacks;
use game::Deadline;

/// A literal of a solver.
pub type Lit = i32;

/// The literal that always holds.
pub const TRUE: Lit = 1;
/// The literal that never holds.
pub const FALSE: Lit = -1;

/// What a solver said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// There is a model; its values can be read.
    Sat,
    /// There is none; the failed assumptions can be read.
    Unsat,
    /// The deadline passed or the limit of conflicts was reached first.
    Stopped,
}

/// Asked by the solver every now and then.
struct Stop(Deadline);

impl Callbacks for Stop {
    fn terminate(&mut self) -> bool {
        self.0.passed()
    }
}

/// A solver to which clauses are added and questions put, again and again.
pub struct Sat {
    solver: cadical::Solver<Stop>,
    deadline: Deadline,
    variables: Lit,
    clauses: usize,
}

impl Sat {
    /// An empty solver. It stops when the deadline passes.
    pub fn new(deadline: &Deadline) -> Self {
        let mut solver = cadical::Solver::new();
        solver.set_callbacks(Some(Stop(deadline.clone())));
        let mut sat = Self { solver, deadline: deadline.clone(), variables: 1, clauses: 0 };
        sat.clause([TRUE]);
        sat
    }

    /// Questions from now on stop at another deadline.
    pub fn set_deadline(&mut self, deadline: &Deadline) {
        self.deadline = deadline.clone();
        self.solver.set_callbacks(Some(Stop(deadline.clone())));
    }

    /// Whether the deadline passed.
    pub fn is_over(&self) -> bool {
        self.deadline.passed()
    }

    /// A new variable as a literal.
    pub fn fresh(&mut self) -> Lit {
        self.variables += 1;
        self.variables
    }

    /// One of the literals holds.
    pub fn clause(&mut self, literals: impl IntoIterator<Item = Lit>) {
        self.clauses += 1;
        self.solver.add_clause(literals);
    }

    /// How many clauses were added.
    pub fn clauses(&self) -> usize {
        self.clauses
    }

    /// Whether the clauses have a model in which the assumptions hold.
    pub fn solve(&mut self, assumptions: &[Lit]) -> Answer {
        if self.deadline.passed() {
            return Answer::Stopped;
        }
        match self.solver.solve_with(assumptions.iter().copied()) {
            Some(true) => Answer::Sat,
            Some(false) => Answer::Unsat,
            None => Answer::Stopped,
        }
    }

    /// The same for at most that many conflicts.
    pub fn solve_within(&mut self, assumptions: &[Lit], conflicts: u32) -> Answer {
        let limit = i32::try_from(conflicts).unwrap_or(i32::MAX);
        // The name of the limit is one that CaDiCaL has.
        let _ = self.solver.set_limit("conflicts", limit);
        self.solve(assumptions)
    }

    /// Whether a literal holds in the model found last. What the model leaves open counts as false.
    pub fn holds(&self, literal: Lit) -> bool {
        match literal {
            TRUE => true,
            FALSE => false,
            _ => self.solver.value(literal.abs()).unwrap_or(false) == (literal > 0),
        }
    }

    /// Whether an assumption was needed for the contradiction found last.
    pub fn failed(&self, literal: Lit) -> bool {
        self.solver.failed(literal)
    }

    /// At most one of the literals holds: a chain of "one so far" for more than a few.
    pub fn at_most_one(&mut self, literals: &[Lit]) {
        if literals.len() <= 5 {
            for (at, one) in literals.iter().enumerate() {
                for other in &literals[at + 1..] {
                    self.clause([-one, -other]);
                }
            }
            return;
        }
        let mut before: Option<Lit> = None;
        for literal in literals {
            let so_far = self.fresh();
            self.clause([-literal, so_far]);
            if let Some(before) = before {
                self.clause([-before, so_far]);
                self.clause([-before, -literal]);
            }
            before = Some(so_far);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_one_allows_each_and_no_two() {
        for size in [2, 5, 6, 9] {
            let mut sat = Sat::new(&Deadline::never());
            let literals: Vec<Lit> = (0..size).map(|_| sat.fresh()).collect();
            sat.at_most_one(&literals);
            assert_eq!(sat.solve(&[]), Answer::Sat);
            for (at, one) in literals.iter().enumerate() {
                assert_eq!(sat.solve(&[*one]), Answer::Sat);
                for other in &literals[at + 1..] {
                    assert_eq!(sat.solve(&[*one, *other]), Answer::Unsat);
                }
            }
        }
    }

    #[test]
    fn a_solver_stops_at_its_deadline_and_stays_usable() {
        let mut sat = Sat::new(&Deadline::within(std::time::Duration::ZERO));
        let a = sat.fresh();
        sat.clause([a]);
        assert_eq!(sat.solve(&[]), Answer::Stopped);
        sat.set_deadline(&Deadline::never());
        assert_eq!(sat.solve(&[]), Answer::Sat);
        assert!(sat.holds(a) && !sat.holds(-a) && sat.holds(TRUE) && !sat.holds(FALSE));
        assert_eq!(sat.solve(&[-a]), Answer::Unsat);
        assert!(sat.failed(-a));
    }
}
