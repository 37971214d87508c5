//! What a role wants: the ends with its largest reward, as disjuncts of the network.
//!
//! Rauber-14 knows goals that are conjunctions. A goal of GDL is any formula, so it is split where it is a
//! disjunction, and the best disjunct counts. An end is a state in which the game is over *and* the goal holds;
//! where the rules say that the goal implies the end, only the goal is asked for, because in the relaxation the
//! end could be reached in another way than the goal.

use game::GroundProgram;
use ground::{AtomId, AtomKind, GroundLiteral};

use crate::network::Draft;

/// Nodes that all have to be reached.
pub(crate) type Disjunct = Vec<u32>;

/// The most disjuncts of a goal.
const MOST: usize = 1 << 14;
/// The most case distinctions to show that a goal implies the end.
const MOST_CASES: u32 = 10_000;

/// The goal with the largest reward of a role, if the rules name a reward above 0.
pub(crate) fn best_goal(program: &GroundProgram, role: usize) -> Option<(u8, AtomId)> {
    let own = program.goals.get(role)?.iter();
    let value = |term: &game::GroundTerm| term.to_text(&program.symbols).parse::<u8>().ok();
    let valued = own.filter_map(|(term, atom)| Some((value(term)?, *atom)));
    valued.filter(|(value, _)| (1..=100).contains(value)).max_by_key(|(value, _)| *value)
}

/// The nodes that a node is a disjunction of.
pub(crate) fn disjuncts(drafts: &[Draft], node: u32) -> Vec<u32> {
    let mut found = Vec::new();
    let mut seen = vec![false; drafts.len()];
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        if std::mem::replace(&mut seen[node as usize], true) {
            continue;
        }
        let draft = &drafts[node as usize];
        let splits = !draft.all || draft.children.len() == 1;
        if splits && draft.is_plain() && found.len() + draft.children.len() < MOST {
            open.extend(&draft.children);
        } else {
            found.push(node);
        }
    }
    found.sort_unstable();
    found
}

/// Shows that an atom implies another, by its rules.
pub(crate) struct Implication<'p> {
    program: &'p GroundProgram,
    /// Sets of literals each of which implies the end.
    ends: Vec<Vec<GroundLiteral>>,
    cases: u32,
}

impl<'p> Implication<'p> {
    pub(crate) fn of_the_end(program: &'p GroundProgram) -> Self {
        let mut ends = Vec::new();
        let mut open: Vec<AtomId> = program.terminal.into_iter().collect();
        let mut seen = vec![false; program.kinds.len()];
        while let Some(atom) = open.pop() {
            if std::mem::replace(&mut seen[atom.index()], true) || ends.len() > MOST {
                continue;
            }
            ends.push(vec![GroundLiteral { atom, negative: false }]);
            for body in program.rules_of(atom) {
                ends.push(body.to_vec());
                if let [GroundLiteral { atom, negative: false }] = body {
                    open.push(*atom);
                }
            }
        }
        Self { program, ends, cases: 0 }
    }

    /// Whether the end is certain where the atom holds; "no" also where it is not found out.
    pub(crate) fn shows(&mut self, atom: AtomId) -> bool {
        self.cases = 0;
        self.covered(&mut vec![GroundLiteral { atom, negative: false }], 0)
    }

    fn covered(&mut self, known: &mut Vec<GroundLiteral>, next: usize) -> bool {
        if self.ends.iter().any(|end| end.iter().all(|literal| known.contains(literal))) {
            return true;
        }
        self.cases += 1;
        // The next relation that holds, with rules to tell apart.
        let derived = |literal: &GroundLiteral| {
            !literal.negative && self.program.kinds[literal.atom.index()] == AtomKind::Derived
        };
        let found = known[next..].iter().position(derived);
        let Some(at) = found.filter(|_| self.cases < MOST_CASES).map(|at| at + next) else {
            return false;
        };
        let program = self.program;
        let length = known.len();
        for body in program.rules_of(known[at].atom) {
            for literal in body {
                if !known.contains(literal) {
                    known.push(*literal);
                }
            }
            let covered = self.covered(known, at + 1);
            known.truncate(length);
            if !covered {
                return false;
            }
        }
        true
    }
}
