//! What the rules for the next state become when the move of a role is known.
//!
//! The completion of the clauses for `next(f)` is the successor state axiom of `f` (the slides, 31). With the
//! move put in, what is left is a condition on the state: the *residual*. Relations that do not depend on moves
//! stay as they are; others are unfolded.

use game::GroundProgram;
use ground::{AtomId, AtomKind, GroundLiteral};

use crate::formula::{Atom, FALSE, FormulaId, Formulas, TRUE};
use crate::waits::{Turns, Waits};

/// Which atoms depend on moves, and how their rules are found by the moves they ask for.
pub(crate) struct Dependence {
    /// For each atom whether it depends on moves.
    pub(crate) on_moves: Vec<bool>,
    /// For each atom that depends on moves the rules without a positive move.
    free: Vec<Vec<u32>>,
    /// For each such atom the other rules, by the first positive move they ask for, sorted.
    keyed: Vec<Vec<((u32, u32), u32)>>,
}

impl Dependence {
    pub(crate) fn new(program: &GroundProgram) -> Self {
        let on_moves = dependent(program);
        let mut free = vec![Vec::new(); program.kinds.len()];
        let mut keyed = vec![Vec::new(); program.kinds.len()];
        for atom in program.atoms().filter(|atom| on_moves[atom.index()]) {
            for (at, body) in program.rules_of(atom).enumerate() {
                match body.iter().find_map(|literal| positive_move(program, *literal)) {
                    Some(key) => keyed[atom.index()].push((key, at as u32)),
                    None => free[atom.index()].push(at as u32),
                }
            }
            keyed[atom.index()].sort_unstable();
        }
        Self { on_moves, free, keyed }
    }
}

fn positive_move(program: &GroundProgram, literal: GroundLiteral) -> Option<(u32, u32)> {
    match program.kinds[literal.atom.index()] {
        AtomKind::Does { role, action } if !literal.negative => Some((role, action)),
        _ => None,
    }
}

/// Which atoms depend on moves: by going up from the moves.
fn dependent(program: &GroundProgram) -> Vec<bool> {
    let mut users: Vec<Vec<u32>> = vec![Vec::new(); program.kinds.len()];
    for atom in program.atoms() {
        for literal in program.rules_of(atom).flatten() {
            users[literal.atom.index()].push(atom.0);
        }
    }
    let is_move = |atom: &AtomId| matches!(program.kinds[atom.index()], AtomKind::Does { .. });
    let mut open: Vec<AtomId> = program.atoms().filter(is_move).collect();
    let mut found = vec![false; program.kinds.len()];
    for atom in &open {
        found[atom.index()] = true;
    }
    while let Some(atom) = open.pop() {
        for user in &users[atom.index()] {
            if !std::mem::replace(&mut found[*user as usize], true) {
                open.push(AtomId(*user));
            }
        }
    }
    found
}

/// Who does what in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A role makes a move.
    Acts(u32, u32),
    /// All wait.
    Pause,
}

/// Works out residuals for one step after the other.
pub(crate) struct Residuals<'p> {
    program: &'p GroundProgram,
    dependence: &'p Dependence,
    waits: &'p Waits,
    step: Step,
    stamp: u32,
    /// For each atom when its residual was worked out, and the residual.
    memo: Vec<(u32, FormulaId)>,
    /// Atoms that are being worked out.
    open: Vec<bool>,
    depth: u32,
}

/// Chains of relations are not followed further than this; what comes after is unknown.
const DEEPEST: u32 = 1000;

impl<'p> Residuals<'p> {
    pub(crate) fn new(
        program: &'p GroundProgram,
        dependence: &'p Dependence,
        waits: &'p Waits,
    ) -> Self {
        let count = program.kinds.len();
        Self {
            program,
            dependence,
            waits,
            step: Step::Pause,
            stamp: 0,
            memo: vec![(0, TRUE); count],
            open: vec![false; count],
            depth: 0,
        }
    }

    /// From now on in this step.
    pub(crate) fn begin(&mut self, step: Step) {
        self.step = step;
        self.stamp += 1;
    }

    /// Whether a move is made in this step.
    fn does(&self, formulas: &mut Formulas, role: u32, action: u32) -> FormulaId {
        let waits = self.waits.waits[role as usize][action as usize];
        let literal = Atom::Does { role, action };
        match (self.step, self.waits.turns) {
            (Step::Acts(actor, made), _) if actor == role => {
                if made == action {
                    TRUE
                } else {
                    FALSE
                }
            }
            (_, Turns::Joint) => formulas.literal(literal, false),
            // The others wait; which of several waiting moves they make is left open.
            _ if waits && self.only_wait(role) => TRUE,
            _ if waits => formulas.literal(literal, false),
            _ => FALSE,
        }
    }

    fn only_wait(&self, role: u32) -> bool {
        self.waits.waits[role as usize].iter().filter(|waits| **waits).count() == 1
    }

    /// The residual of the rules for the next state, also of those that do not ask for moves.
    pub(crate) fn of_next(&mut self, formulas: &mut Formulas, next: AtomId) -> FormulaId {
        if self.dependence.on_moves[next.index()] {
            return self.of(formulas, next);
        }
        let program = self.program;
        let bodies = program.rules_of(next).map(|body| self.body(formulas, body));
        let parts = bodies.collect();
        formulas.or(parts)
    }

    /// The residual of an atom.
    pub(crate) fn of(&mut self, formulas: &mut Formulas, atom: AtomId) -> FormulaId {
        match self.program.kinds[atom.index()] {
            AtomKind::Fluent(fluent) => return formulas.literal(Atom::Fluent(fluent), false),
            AtomKind::Does { role, action } => return self.does(formulas, role, action),
            AtomKind::Derived => {}
        }
        if !self.dependence.on_moves[atom.index()] {
            return formulas.literal(Atom::Derived(atom), false);
        }
        if self.memo[atom.index()].0 == self.stamp {
            return self.memo[atom.index()].1;
        }
        if self.depth > DEEPEST || std::mem::replace(&mut self.open[atom.index()], true) {
            return formulas.literal(Atom::Unknown, false);
        }
        self.depth += 1;
        let mut parts = Vec::new();
        for rule in self.alive(atom) {
            let body = self.program.rules.nth(atom, rule as usize).unwrap_or(&[]);
            let part = self.body(formulas, body);
            parts.push(part);
            if part == TRUE {
                break;
            }
        }
        let formula = formulas.or(parts);
        self.open[atom.index()] = false;
        self.depth -= 1;
        self.memo[atom.index()] = (self.stamp, formula);
        formula
    }

    /// The rules of an atom that no known move rules out.
    fn alive(&self, atom: AtomId) -> Vec<u32> {
        let keyed = &self.dependence.keyed[atom.index()];
        let mut rules = self.dependence.free[atom.index()].clone();
        let roles = self.program.moves.len() as u32;
        for role in 0..roles {
            let begin = keyed.partition_point(|(key, _)| key.0 < role);
            let own =
                &keyed[begin..begin + keyed[begin..].partition_point(|(key, _)| key.0 == role)];
            match self.step {
                Step::Acts(actor, made) if actor == role => {
                    let begin = own.partition_point(|(key, _)| key.1 < made);
                    let equal = own[begin..].iter().take_while(|(key, _)| key.1 == made);
                    rules.extend(equal.map(|(_, rule)| *rule));
                }
                _ if self.waits.turns == Turns::Joint => rules.extend(own.iter().map(|(_, r)| *r)),
                _ => {
                    let waits = &self.waits.waits[role as usize];
                    let waiting = own.iter().filter(|(key, _)| waits[key.1 as usize]);
                    rules.extend(waiting.map(|(_, rule)| *rule));
                }
            }
        }
        rules
    }

    fn body(&mut self, formulas: &mut Formulas, body: &[GroundLiteral]) -> FormulaId {
        let mut parts = Vec::with_capacity(body.len());
        for literal in body {
            let part = self.of(formulas, literal.atom);
            let part = if literal.negative { formulas.not(part) } else { part };
            if part == FALSE {
                return FALSE;
            }
            parts.push(part);
        }
        formulas.and(parts)
    }
}
