//! Games as AIGER files (format 1.9, ASCII), so that other model checkers can be run on them.
//!
//! Latches are the fluents, inputs are the moves of all roles, and each property is a *bad state* that its failure
//! reaches. A joint move is *valid* if every role makes exactly one move, that move is legal, and the game is not
//! over; what is not valid leaves the state as it is. So there are no constraints, every checker explores exactly the
//! reachable states, and terminal states are among them. A property about moves is bad at a valid move.

use std::fmt::Write as _;

use circuit::graph::{Node, Signal};
use game::Gates;

use crate::ground_property::GroundProperty;
use crate::sat::claim::Translator;
use crate::sat::model::{Model, Unsuitable};

/// A game with properties, each with its name, as an ASCII AIGER file.
pub fn export(
    gates: &Gates,
    properties: &[(String, GroundProperty)],
) -> Result<String, Unsuitable> {
    let mut model = Model::new(gates)?;
    let mut translator = Translator::new(gates);
    let valid = valid(&mut model);
    let mut bad = Vec::with_capacity(properties.len());
    for (_, property) in properties {
        let holds = translator.signal(&mut model, &property.formula);
        let valid = if property.about_moves { valid } else { Signal::TRUE };
        bad.push(model.and(!holds, valid));
    }
    let mut next = Vec::with_capacity(model.fluents.len());
    for fluent in 0..model.fluents.len() {
        let (now, after) = (model.fluents[fluent], model.next[fluent]);
        let made = model.and(valid, after);
        let kept = model.and(!valid, now);
        next.push(model.or(made, kept));
    }
    let names: Vec<&str> = properties.iter().map(|(name, _)| name.as_str()).collect();
    Ok(Writer::new(&model, &next, &bad).write(gates, &names))
}

/// Every role makes exactly one move, it is legal, and the game goes on.
fn valid(model: &mut Model) -> Signal {
    let mut conditions = vec![!model.terminal];
    for role in 0..model.does.len() {
        let (does, legal) = (model.does[role].clone(), model.legal[role].clone());
        for (made, legal) in does.iter().zip(&legal) {
            let allowed = model.or(!*made, *legal);
            conditions.push(allowed);
        }
        conditions.push(model.at_least(1, &does));
        conditions.push(model.at_most(1, &does));
    }
    model.all(&conditions)
}

struct Writer<'m> {
    model: &'m Model,
    next: &'m [Signal],
    bad: &'m [Signal],
    /// The variable of each node that is written.
    variables: Vec<u32>,
    gates: Vec<u32>,
}

impl<'m> Writer<'m> {
    /// Numbers inputs, then latches, then the gates that are needed.
    fn new(model: &'m Model, next: &'m [Signal], bad: &'m [Signal]) -> Self {
        let mut variables = vec![0; model.graph.nodes().len()];
        let mut count = 0;
        for signal in model.does.iter().flatten().chain(&model.fluents) {
            count += 1;
            variables[signal.node()] = count;
        }
        let roots: Vec<Signal> = next.iter().chain(bad).copied().collect();
        let is_gate = |node: &u32| matches!(model.graph.nodes()[*node as usize], Node::And(..));
        let gates: Vec<u32> = model.cone(&roots).into_iter().filter(is_gate).collect();
        for gate in &gates {
            count += 1;
            variables[*gate as usize] = count;
        }
        Self { model, next, bad, variables, gates }
    }

    fn literal(&self, signal: Signal) -> u32 {
        self.variables[signal.node()] * 2 + u32::from(signal.is_complemented())
    }

    fn write(&self, gates: &Gates, names: &[&str]) -> String {
        let inputs = self.model.does.iter().map(Vec::len).sum::<usize>();
        let latches = self.model.fluents.len();
        let most = inputs + latches + self.gates.len();
        let (ands, bads) = (self.gates.len(), self.bad.len());
        let mut out = format!("aag {most} {inputs} {latches} 0 {ands} {bads}\n");
        for signal in self.model.does.iter().flatten() {
            let _ = writeln!(out, "{}", self.literal(*signal));
        }
        for (fluent, next) in self.next.iter().enumerate() {
            let (now, next) = (self.literal(self.model.fluents[fluent]), self.literal(*next));
            let _ = writeln!(out, "{now} {next} {}", u8::from(self.model.initial[fluent]));
        }
        for bad in self.bad {
            let _ = writeln!(out, "{}", self.literal(*bad));
        }
        for gate in &self.gates {
            if let Node::And(a, b) = self.model.graph.nodes()[*gate as usize] {
                let (a, b) = (self.literal(a), self.literal(b));
                let (large, small) = (a.max(b), a.min(b));
                let _ = writeln!(out, "{} {large} {small}", self.variables[*gate as usize] * 2);
            }
        }
        symbols(gates, names, &mut out);
        out
    }
}

/// What inputs, latches and bad states mean, one a line.
fn symbols(gates: &Gates, names: &[&str], out: &mut String) {
    let program = gates.program();
    let mut number = 0;
    for (role, own) in gates.game().role_ids().zip(&program.moves) {
        for action in own {
            let (role, action) =
                (gates.game().role_name(role), action.term.to_text(&program.symbols));
            let _ = writeln!(out, "i{number} does {role} {action}");
            number += 1;
        }
    }
    for (at, fluent) in program.fluents.iter().enumerate() {
        let _ = writeln!(out, "l{at} {}", fluent.to_text(&program.symbols));
    }
    for (at, name) in names.iter().enumerate() {
        let _ = writeln!(out, "b{at} {}", name.replace('\n', " "));
    }
    out.push_str(
        "c\nlatches are fluents, inputs are moves; a move that is not legal changes nothing\n",
    );
}
