//! Operators as text for people.

use std::fmt::Write as _;

use game::GroundProgram;

use crate::formula::{Atom, Formula, FormulaId, TRUE};
use crate::operators::{Effect, Operator, Operators};
use crate::waits::Turns;

impl Operators {
    /// All operators, one after the other, in the order of roles and moves.
    pub fn to_text(&self, program: &GroundProgram) -> String {
        let mut out = String::new();
        for operator in &self.list {
            self.write_operator(program, operator, &mut out);
        }
        if !self.every_step.is_empty() {
            let _ = writeln!(out, "every step");
            self.write_effects(program, &self.every_step, &mut out);
        }
        out
    }

    /// What is true of all operators, in a line.
    pub fn summary(&self) -> String {
        let count = |adds: bool| self.effects().filter(|effect| effect.adds == adds).count();
        let turns = match self.waits.turns {
            Turns::Alone => "one role",
            Turns::Alternating => "roles take turns",
            Turns::Joint => "several roles act at once",
        };
        let persistent = self.persistent.iter().filter(|persistent| **persistent).count();
        format!(
            "{} operators, {} additions, {} deletions, {} of them in every step; {persistent} persistent \
             fluents; {turns}; {} effects cannot be expressed and count as possible",
            self.list.len(),
            count(true),
            count(false),
            self.every_step.len(),
            self.inexpressible
        )
    }

    fn write_operator(&self, program: &GroundProgram, operator: &Operator, out: &mut String) {
        match operator.actor {
            Some((role, action)) => {
                let action = &program.moves[role as usize][action as usize];
                let action = action.term.to_text(&program.symbols);
                let _ = writeln!(out, "{} {action}", role_name(program, role));
            }
            None => out.push_str("everybody waits\n"),
        }
        if let Some(legal) = operator.legal {
            let name = program.names[legal.index()].to_text(&program.symbols);
            let _ = writeln!(out, "  needs {name}");
        }
        self.write_effects(program, &operator.effects, out);
    }

    fn write_effects(&self, program: &GroundProgram, effects: &[Effect], out: &mut String) {
        for effect in effects {
            let verb = if effect.adds { "adds" } else { "deletes" };
            let fluent = program.fluents[effect.fluent as usize].to_text(&program.symbols);
            let _ = write!(out, "  {verb} {fluent}");
            if effect.condition != TRUE {
                out.push_str(" if ");
                self.write_formula(program, effect.condition, out);
            }
            out.push('\n');
        }
    }

    fn write_formula(&self, program: &GroundProgram, id: FormulaId, out: &mut String) {
        match self.formulas.get(id) {
            Formula::True => out.push_str("true"),
            Formula::False => out.push_str("false"),
            Formula::Literal(atom, negative) => {
                let name = atom_name(program, *atom);
                let _ = if *negative { write!(out, "(not {name})") } else { write!(out, "{name}") };
            }
            Formula::And(parts) => self.write_parts(program, "and", parts, out),
            Formula::Or(parts) => self.write_parts(program, "or", parts, out),
        }
    }

    fn write_parts(
        &self,
        program: &GroundProgram,
        word: &str,
        parts: &[FormulaId],
        out: &mut String,
    ) {
        let _ = write!(out, "({word}");
        for part in parts {
            out.push(' ');
            self.write_formula(program, *part, out);
        }
        out.push(')');
    }
}

fn role_name(program: &GroundProgram, role: u32) -> String {
    // The name of a legal atom is legal(R,M).
    let legal = program.moves[role as usize].iter().find_map(|action| action.legal);
    match legal.map(|atom| &program.names[atom.index()]) {
        Some(game::GroundTerm::Function(_, args)) if args.len() == 2 => {
            args[0].to_text(&program.symbols)
        }
        _ => format!("role {role}"),
    }
}

fn atom_name(program: &GroundProgram, atom: Atom) -> String {
    match atom {
        Atom::Fluent(fluent) => {
            format!("(true {})", program.fluents[fluent as usize].to_text(&program.symbols))
        }
        Atom::Derived(atom) => program.names[atom.index()].to_text(&program.symbols),
        Atom::Does { role, action } => {
            let action = &program.moves[role as usize][action as usize];
            let action = action.term.to_text(&program.symbols);
            format!("(does {} {action})", role_name(program, role))
        }
        Atom::Unknown => "something that cannot be expressed".to_owned(),
    }
}
