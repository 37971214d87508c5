//! The rules of the ground program as clauses, rule by rule (Clark's completion).
//!
//! An atom holds exactly if the body of one of its rules does. Where atoms depend on each other in a circle, that
//! allows more than the rules mean (a circle may hold itself up), never less: what cannot happen here cannot happen
//! in the game, so proofs that pass are right. Rules are exact for legal moves, of which each role makes one.

use game::{Deadline, FluentId, Gates, GroundTerm, Move, Role};
use ground::{AtomId, AtomKind, GroundProgram};
use rustc_hash::FxHashMap;

use crate::ground_property::GroundFormula;
use crate::instances::GroundAtom;
use crate::sat::solver::{Answer, FALSE, Lit, Sat, TRUE};

/// Where time starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// In the initial state.
    Initial,
    /// In any set of fluents.
    Anywhere,
}

/// One state, and what may be made in it.
#[derive(Default)]
struct Time {
    fluents: Vec<Lit>,
    /// The moves of each role; empty while no move is made.
    moves: Vec<Vec<Lit>>,
    atoms: FxHashMap<AtomId, Lit>,
}

/// States in a row.
pub struct Encoding<'g> {
    program: &'g GroundProgram,
    fluents: FxHashMap<FluentId, usize>,
    moves: Vec<FxHashMap<Move, usize>>,
    sat: Sat,
    times: Vec<Time>,
}

impl<'g> Encoding<'g> {
    /// One state.
    pub fn new(gates: &'g Gates, start: Start, deadline: &Deadline) -> Self {
        let program = gates.program();
        let mut sat = Sat::new(deadline);
        let constant = |holds: &bool| if *holds { TRUE } else { FALSE };
        let fluents = match start {
            Start::Initial => program.initial.iter().map(constant).collect(),
            Start::Anywhere => program.fluents.iter().map(|_| sat.fresh()).collect(),
        };
        let numbers = |own: &Vec<Move>| own.iter().copied().zip(0..).collect();
        Self {
            program,
            fluents: gates.fluents().iter().copied().zip(0..).collect(),
            moves: gates.moves().iter().map(numbers).collect(),
            sat,
            times: vec![Time { fluents, ..Time::default() }],
        }
    }

    /// A legal joint move in the last state, which is not terminal, and the state after it.
    pub fn step(&mut self) {
        let time = self.times.len() - 1;
        if let Some(terminal) = self.program.terminal {
            let literal = self.atom(time, terminal);
            self.sat.clause([-literal]);
        }
        let mut moves = Vec::with_capacity(self.program.moves.len());
        for own in &self.program.moves {
            let legal: Vec<Lit> = own
                .iter()
                .map(|action| action.legal.map_or(FALSE, |atom| self.atom(time, atom)))
                .collect();
            moves.push(self.one_legal(&legal));
        }
        self.times[time].moves = moves;
        let next = self.program.next.clone();
        let after = next.into_iter().map(|atom| atom.map_or(FALSE, |atom| self.atom(time, atom)));
        let mut fluents: Vec<Lit> = after.collect();
        fluents.resize(self.program.fluents.len(), FALSE);
        self.times.push(Time { fluents, ..Time::default() });
    }

    /// No two of the states are the same.
    pub fn all_differ(&mut self) {
        for later in 1..self.times.len() {
            for earlier in 0..later {
                let pairs = self.times[earlier].fluents.iter().zip(&self.times[later].fluents);
                let pairs: Vec<(Lit, Lit)> = pairs.map(|(a, b)| (*a, *b)).collect();
                let mut somewhere = Vec::with_capacity(pairs.len());
                for (a, b) in pairs {
                    let apart = self.sat.fresh();
                    self.sat.clause([-apart, a, b]);
                    self.sat.clause([-apart, -a, -b]);
                    somewhere.push(apart);
                }
                self.sat.clause(somewhere);
            }
        }
    }

    /// One move for each literal of legality; exactly one is made.
    fn one_legal(&mut self, legal: &[Lit]) -> Vec<Lit> {
        let mut moves = Vec::with_capacity(legal.len());
        // None of the moves so far.
        let mut none = TRUE;
        for legal in legal {
            let made = self.sat.fresh();
            self.sat.clause([-made, *legal]);
            self.sat.clause([-made, none]);
            let still = self.sat.fresh();
            self.sat.clause([-still, none]);
            self.sat.clause([-still, -made]);
            self.sat.clause([still, -none, made]);
            none = still;
            moves.push(made);
        }
        self.sat.clause([-none]);
        moves
    }

    /// Requires a formula about a state.
    pub fn require(&mut self, formula: &GroundFormula, time: usize) {
        let literal = self.formula(formula, time);
        self.sat.clause([literal]);
    }

    /// Whether a formula can fail.
    pub fn fails(&mut self, formula: &GroundFormula, time: usize) -> Answer {
        if self.sat.is_over() {
            return Answer::Stopped;
        }
        let literal = self.formula(formula, time);
        self.sat.solve(&[-literal])
    }

    /// The literal of an atom of the ground program in a state, with the clauses of all rules it needs.
    fn atom(&mut self, time: usize, atom: AtomId) -> Lit {
        let mut new = Vec::new();
        let literal = self.name(time, atom, &mut new);
        while let Some(atom) = new.pop() {
            self.define(time, atom, &mut new);
        }
        literal
    }

    /// The literal of an atom; derived atoms that are new are left to be defined.
    fn name(&mut self, time: usize, atom: AtomId, new: &mut Vec<AtomId>) -> Lit {
        let at = &mut self.times[time];
        match self.program.kinds[atom.index()] {
            AtomKind::Fluent(fluent) => at.fluents[fluent as usize],
            AtomKind::Does { role, action } => {
                let own = at.moves.get(role as usize);
                own.map_or(FALSE, |own| own[action as usize])
            }
            AtomKind::Derived => *at.atoms.entry(atom).or_insert_with(|| {
                new.push(atom);
                self.sat.fresh()
            }),
        }
    }

    /// The atom holds exactly if one of its bodies does.
    fn define(&mut self, time: usize, atom: AtomId, new: &mut Vec<AtomId>) {
        let head = self.name(time, atom, new);
        let program = self.program;
        let mut bodies = vec![-head];
        for body in program.rules_of(atom) {
            let mut literals = Vec::with_capacity(body.len());
            for literal in body {
                let value = self.name(time, literal.atom, new);
                literals.push(if literal.negative { -value } else { value });
            }
            self.sat.clause(literals.iter().map(|literal| -literal).chain([head]));
            bodies.push(match literals[..] {
                [only] => only,
                _ => self.implies_all(&literals),
            });
        }
        self.sat.clause(bodies);
    }

    /// A literal under which all of the others hold.
    fn implies_all(&mut self, literals: &[Lit]) -> Lit {
        let all = self.sat.fresh();
        for literal in literals {
            self.sat.clause([-all, *literal]);
        }
        all
    }

    /// The literal of a formula about a state.
    fn formula(&mut self, formula: &GroundFormula, time: usize) -> Lit {
        match formula {
            GroundFormula::Truth(value) => {
                if *value {
                    TRUE
                } else {
                    FALSE
                }
            }
            GroundFormula::Atom { atom, next } => self.claimed(atom, time + usize::from(*next)),
            GroundFormula::Not(inside) => -self.formula(inside, time),
            GroundFormula::And(parts) => {
                let literals = self.formulas(parts, time);
                let all = self.implies_all(&literals);
                self.sat.clause(literals.iter().map(|literal| -literal).chain([all]));
                all
            }
            GroundFormula::Or(parts) => {
                let none: Vec<Lit> = self.formulas(parts, time).iter().map(|l| -l).collect();
                let all = self.implies_all(&none);
                self.sat.clause(none.iter().map(|literal| -literal).chain([all]));
                -all
            }
            GroundFormula::Count { least, most, of } => {
                let literals = self.formulas(of, time);
                self.counted(&literals, *least as usize, most.map(|most| most as usize))
            }
        }
    }

    fn formulas(&mut self, formulas: &[GroundFormula], time: usize) -> Vec<Lit> {
        formulas.iter().map(|formula| self.formula(formula, time)).collect()
    }

    /// Counts along the list: after each literal, how many held so far, in unary.
    fn counted(&mut self, literals: &[Lit], least: usize, most: Option<usize>) -> Lit {
        let width = most.map_or(least, |most| least.max(most + 1)).min(literals.len());
        let mut so_far = vec![FALSE; width];
        for literal in literals {
            let before = so_far.clone();
            for at in 0..width {
                let fewer = at.checked_sub(1).map_or(TRUE, |below| before[below]);
                let more = self.sat.fresh();
                // more = before[at] or (fewer and literal)
                self.sat.clause([more, -before[at]]);
                self.sat.clause([more, -fewer, -literal]);
                self.sat.clause([-more, before[at], fewer]);
                self.sat.clause([-more, before[at], *literal]);
                so_far[at] = more;
            }
        }
        let at_least = |count: usize| match count {
            0 => TRUE,
            _ => so_far.get(count - 1).copied().unwrap_or(FALSE),
        };
        let enough = at_least(least);
        let few = most.map_or(TRUE, |most| -at_least(most + 1));
        let both = self.sat.fresh();
        self.sat.clause([-both, enough]);
        self.sat.clause([-both, few]);
        self.sat.clause([both, -enough, -few]);
        both
    }

    /// What a claim speaks of, in a state.
    fn claimed(&mut self, atom: &GroundAtom, time: usize) -> Lit {
        match atom {
            GroundAtom::Fluent(fluent) => match self.fluents.get(fluent) {
                Some(at) => self.times[time].fluents[*at],
                None => FALSE,
            },
            GroundAtom::Terminal => self.maybe(time, self.program.terminal),
            GroundAtom::Legal(role, action) => {
                let found = self.legal(*role, *action);
                self.maybe(time, found)
            }
            GroundAtom::Derived(atom) => self.atom(time, *atom),
            GroundAtom::Goal(role, value) => {
                let found = self.goal(*role, value);
                self.maybe(time, found)
            }
        }
    }

    fn maybe(&mut self, time: usize, atom: Option<AtomId>) -> Lit {
        atom.map_or(FALSE, |atom| self.atom(time, atom))
    }

    fn legal(&self, role: Role, action: Move) -> Option<AtomId> {
        let at = self.moves.get(role.index())?.get(&action)?;
        self.program.moves[role.index()][*at].legal
    }

    fn goal(&self, role: Role, value: &GroundTerm) -> Option<AtomId> {
        let own = self.program.goals.get(role.index())?;
        own.iter().find(|(known, _)| known == value).map(|(_, atom)| *atom)
    }
}
