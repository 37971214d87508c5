//! Games of one role as planning tasks for other planners, in PDDL without variables.
//!
//! Fluents become predicates without parameters, relations of the rules derived predicates (PDDL 2.2, Edelkamp,
//! Hoffmann 2004), moves actions with conditional effects (`:adl`). Moves are possible until the game is over; the
//! goal is an end with the largest reward. Names are taken from the rules, with what PDDL does not allow replaced,
//! and numbered where two would be alike; comments hold the original ones.

use std::fmt::Write as _;

use game::GroundProgram;
use ground::{AtomId, AtomKind, GroundLiteral};
use rustc_hash::FxHashSet;

use crate::formula::{Atom, Formula, FormulaId, TRUE};
use crate::operators::{Effect, Operators};
use crate::targets::best_goal;
use crate::waits::Turns;

/// A planning task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// The domain.
    pub domain: String,
    /// The problem.
    pub problem: String,
}

/// Why a game is no planning task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoTask {
    /// It has several roles, or none.
    Roles,
    /// Effects that recur through moves cannot be expressed.
    Effects,
    /// No end has a reward above 0.
    NoGoal,
}

impl std::fmt::Display for NoTask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Roles => "only games of one role are planning tasks",
            Self::Effects => {
                "an effect of a move cannot be expressed: its rules recur through moves"
            }
            Self::NoGoal => "no end of the game has a reward above 0",
        })
    }
}

impl std::error::Error for NoTask {}

/// Writes a game as a planning task. `name` is used for the domain and the problem.
pub fn task(program: &GroundProgram, operators: &Operators, name: &str) -> Result<Task, NoTask> {
    if program.moves.len() != 1 || operators.waits.turns != Turns::Alone {
        return Err(NoTask::Roles);
    }
    if operators.inexpressible > 0 {
        return Err(NoTask::Effects);
    }
    let (Some((_, goal)), Some(terminal)) = (best_goal(program, 0), program.terminal) else {
        return Err(NoTask::NoGoal);
    };
    let writer = Writer::new(program, operators, name, &[goal, terminal]);
    Ok(Task { domain: writer.domain(terminal), problem: writer.problem(goal, terminal) })
}

struct Writer<'a> {
    program: &'a GroundProgram,
    operators: &'a Operators,
    name: String,
    fluents: Vec<String>,
    atoms: Vec<Option<String>>,
    actions: Vec<String>,
}

/// Gives out names that PDDL allows, each once; letters do not differ by case there.
#[derive(Default)]
struct Names(FxHashSet<String>);

impl Names {
    fn give(&mut self, text: &str) -> String {
        let plain: String = text
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' })
            .collect();
        let plain = plain.trim_matches('_');
        let letter = plain.starts_with(|c: char| c.is_ascii_alphabetic());
        let base = if letter { plain.to_owned() } else { format!("x{plain}") };
        let mut name = base.clone();
        let mut number = 1;
        while !self.0.insert(name.clone()) {
            number += 1;
            name = format!("{base}-{number}");
        }
        name
    }
}

impl<'a> Writer<'a> {
    fn new(
        program: &'a GroundProgram,
        operators: &'a Operators,
        name: &str,
        wanted: &[AtomId],
    ) -> Self {
        let mut names = Names::default();
        // What the language itself says.
        for word in ["and", "or", "not", "when", "forall", "exists", "imply", "either", "object"] {
            names.0.insert(word.to_owned());
        }
        let text = |term: &game::GroundTerm| term.to_text(&program.symbols);
        let fluents = program.fluents.iter().map(|term| names.give(&text(term))).collect();
        let mut atoms = vec![None; program.kinds.len()];
        for atom in used(program, operators, wanted) {
            let name = names.give(&format!("is {}", text(&program.names[atom.index()])));
            atoms[atom.index()] = Some(name);
        }
        let mut names = Names::default();
        let actions = operators.list.iter().map(|operator| match operator.actor {
            Some((role, at)) => names.give(&text(&program.moves[role as usize][at as usize].term)),
            None => names.give("wait"),
        });
        let actions = actions.collect();
        Self { program, operators, name: Names::default().give(name), fluents, atoms, actions }
    }

    fn domain(&self, terminal: AtomId) -> String {
        let mut out = format!("(define (domain {})\n", self.name);
        out.push_str("  (:requirements :adl :derived-predicates)\n  (:predicates\n");
        for (name, term) in self.fluents.iter().zip(&self.program.fluents) {
            let _ = writeln!(out, "    ({name}) ; {}", term.to_text(&self.program.symbols));
        }
        for name in self.atoms.iter().flatten() {
            let _ = writeln!(out, "    ({name})");
        }
        out.push_str("  )\n");
        for atom in self.program.atoms() {
            if let Some(name) = &self.atoms[atom.index()] {
                let _ = writeln!(out, "  (:derived ({name}) {})", self.rules(atom));
            }
        }
        for at in 0..self.operators.list.len() {
            self.action(at, terminal, &mut out);
        }
        out.push_str(")\n");
        out
    }

    fn action(&self, at: usize, terminal: AtomId, out: &mut String) {
        let operator = &self.operators.list[at];
        let legal = operator.legal.map_or_else(|| "(and)".to_owned(), |atom| self.atom(atom));
        let end = self.atom(terminal);
        let _ = writeln!(out, "  (:action {}\n    :parameters ()", self.actions[at]);
        let _ = writeln!(out, "    :precondition (and {legal} (not {end}))\n    :effect (and");
        let all: Vec<&Effect> = operator.effects.iter().chain(&self.operators.every_step).collect();
        for effect in &all {
            // Where the fluent can go both ways, each way needs to know where it is.
            let both = all.iter().filter(|other| other.fluent == effect.fluent).count() > 1;
            let _ = writeln!(out, "      {}", self.effect(effect, both));
        }
        out.push_str("    )\n  )\n");
    }

    fn effect(&self, effect: &Effect, guarded: bool) -> String {
        let fluent = format!("({})", self.fluents[effect.fluent as usize]);
        let change = if effect.adds { fluent.clone() } else { format!("(not {fluent})") };
        let guard = if effect.adds { format!("(not {fluent})") } else { fluent };
        match (effect.condition == TRUE, guarded) {
            (true, false) => change,
            (true, true) => format!("(when {guard} {change})"),
            _ => format!("(when (and {guard} {}) {change})", self.formula(effect.condition)),
        }
    }

    fn problem(&self, goal: AtomId, terminal: AtomId) -> String {
        let mut out = format!("(define (problem {0}-1)\n  (:domain {0})\n  (:init\n", self.name);
        let initial = self.fluents.iter().zip(&self.program.initial);
        for (name, _) in initial.filter(|(_, holds)| **holds) {
            let _ = writeln!(out, "    ({name})");
        }
        let _ =
            writeln!(out, "  )\n  (:goal (and {} {}))\n)", self.atom(goal), self.atom(terminal));
        out
    }

    /// The rules of an atom as one condition.
    fn rules(&self, atom: AtomId) -> String {
        let bodies: Vec<String> = self
            .program
            .rules_of(atom)
            .map(|body| joined("and", body.iter().map(|literal| self.literal(*literal)).collect()))
            .collect();
        joined("or", bodies)
    }

    fn literal(&self, literal: GroundLiteral) -> String {
        let atom = self.atom(literal.atom);
        if literal.negative { format!("(not {atom})") } else { atom }
    }

    fn atom(&self, atom: AtomId) -> String {
        match self.program.kinds[atom.index()] {
            AtomKind::Fluent(fluent) => format!("({})", self.fluents[fluent as usize]),
            _ => match &self.atoms[atom.index()] {
                Some(name) => format!("({name})"),
                // A move in a condition of a state: it holds in none.
                None => "(or)".to_owned(),
            },
        }
    }

    fn formula(&self, id: FormulaId) -> String {
        let parts = |word: &str, parts: &[FormulaId]| {
            joined(word, parts.iter().map(|part| self.formula(*part)).collect())
        };
        match self.operators.formulas.get(id) {
            Formula::True => "(and)".to_owned(),
            Formula::False => "(or)".to_owned(),
            Formula::And(all) => parts("and", all),
            Formula::Or(any) => parts("or", any),
            Formula::Literal(atom, negative) => {
                let name = match atom {
                    Atom::Fluent(fluent) => format!("({})", self.fluents[*fluent as usize]),
                    Atom::Derived(atom) => self.atom(*atom),
                    Atom::Does { .. } | Atom::Unknown => "(or)".to_owned(),
                };
                if *negative { format!("(not {name})") } else { name }
            }
        }
    }
}

fn joined(word: &str, mut parts: Vec<String>) -> String {
    if parts.len() == 1 { parts.remove(0) } else { format!("({word} {})", parts.join(" ")) }
}

/// The relations that the task is about: those asked for, and what they ask for.
fn used(program: &GroundProgram, operators: &Operators, wanted: &[AtomId]) -> Vec<AtomId> {
    let mut open: Vec<AtomId> = wanted.to_vec();
    open.extend(operators.list.iter().filter_map(|operator| operator.legal));
    let mut conditions: Vec<FormulaId> = operators.effects().map(|e| e.condition).collect();
    conditions.sort_unstable();
    conditions.dedup();
    while let Some(condition) = conditions.pop() {
        match operators.formulas.get(condition) {
            Formula::And(parts) | Formula::Or(parts) => conditions.extend(parts),
            Formula::Literal(Atom::Derived(atom), _) => open.push(*atom),
            _ => {}
        }
    }
    let mut found = vec![false; program.kinds.len()];
    while let Some(atom) = open.pop() {
        let derived = program.kinds[atom.index()] == AtomKind::Derived;
        if derived && !std::mem::replace(&mut found[atom.index()], true) {
            open.extend(program.rules.literals_of(atom).iter().map(|literal| literal.atom));
        }
    }
    program.atoms().filter(|atom| found[atom.index()]).collect()
}
