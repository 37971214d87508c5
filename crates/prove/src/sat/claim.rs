//! Properties as gates: each becomes the conjunction of small parts that can be assumed and proved one by one.

use circuit::graph::{Node, Signal};
use game::{FluentId, Gates, GroundTerm, Move, Role};
use rustc_hash::FxHashMap;

use super::model::{Input, Model};
use crate::ground_property::{GroundFormula, GroundProperty};
use crate::instances::GroundAtom;

/// A part of a property.
#[derive(Clone, Debug)]
pub struct Part {
    /// The property, by its place in the list.
    pub property: usize,
    /// What is claimed.
    pub formula: GroundFormula,
    /// Its gates; they depend on moves if the claim is about moves.
    pub signal: Signal,
    /// The claim is about every legal joint move rather than about every state.
    pub about_moves: bool,
}

/// Makes gates of formulas.
pub struct Translator<'g> {
    gates: &'g Gates,
    fluents: FxHashMap<FluentId, u32>,
    moves: Vec<FxHashMap<Move, u32>>,
    goals: Vec<FxHashMap<GroundTerm, u32>>,
    /// What nodes are after the move.
    after: FxHashMap<u32, Signal>,
}

impl<'g> Translator<'g> {
    /// For one game.
    pub fn new(gates: &'g Gates) -> Self {
        let numbers = |own: &Vec<Move>| own.iter().copied().zip(0..).collect();
        let goals = gates.program().goals.iter();
        Self {
            gates,
            fluents: gates.fluents().iter().copied().zip(0..).collect(),
            moves: gates.moves().iter().map(numbers).collect(),
            goals: goals.map(|own| own.iter().map(|(v, _)| v.clone()).zip(0..).collect()).collect(),
            after: FxHashMap::default(),
        }
    }

    /// The game.
    pub fn gates(&self) -> &'g Gates {
        self.gates
    }

    /// The parts of a property. Conjunctions are taken apart, and so are the two ends of a count.
    pub fn parts(&mut self, model: &mut Model, at: usize, property: &GroundProperty) -> Vec<Part> {
        let mut formulas = Vec::new();
        split(&property.formula, &mut formulas);
        let about_moves = property.about_moves;
        formulas
            .into_iter()
            .map(|formula| {
                let signal = self.signal(model, &formula);
                Part { property: at, formula, signal, about_moves }
            })
            .collect()
    }

    /// The gates of a formula.
    pub fn signal(&mut self, model: &mut Model, formula: &GroundFormula) -> Signal {
        match formula {
            GroundFormula::Truth(true) => Signal::TRUE,
            GroundFormula::Truth(false) => Signal::FALSE,
            GroundFormula::Atom { atom, next } => {
                let now = self.atom(model, atom);
                if *next { self.after(model, now) } else { now }
            }
            GroundFormula::Not(inside) => !self.signal(model, inside),
            GroundFormula::And(parts) => {
                let signals = self.signals(model, parts);
                model.all(&signals)
            }
            GroundFormula::Or(parts) => {
                let signals = self.signals(model, parts);
                model.any(&signals)
            }
            GroundFormula::Count { least, most, of } => {
                let signals = self.signals(model, of);
                let enough = model.at_least(*least as usize, &signals);
                match most {
                    Some(most) => {
                        let few = model.at_most(*most as usize, &signals);
                        model.and(enough, few)
                    }
                    None => enough,
                }
            }
        }
    }

    fn signals(&mut self, model: &mut Model, formulas: &[GroundFormula]) -> Vec<Signal> {
        formulas.iter().map(|formula| self.signal(model, formula)).collect()
    }

    /// The gate of an atom. What the circuit does not know never holds.
    fn atom(&self, model: &Model, atom: &GroundAtom) -> Signal {
        let found = match atom {
            GroundAtom::Fluent(fluent) => {
                self.fluents.get(fluent).map(|at| model.fluents[*at as usize])
            }
            GroundAtom::Terminal => Some(model.terminal),
            GroundAtom::Legal(role, action) => self.legal(model, *role, *action),
            GroundAtom::Goal(role, value) => {
                let at = self.goals.get(role.index()).and_then(|own| own.get(value));
                at.map(|at| model.goals[role.index()][*at as usize])
            }
            GroundAtom::Derived(atom) => model.derived.get(atom.index()).copied().flatten(),
        };
        found.unwrap_or(Signal::FALSE)
    }

    fn legal(&self, model: &Model, role: Role, action: Move) -> Option<Signal> {
        let at = self.moves.get(role.index())?.get(&action)?;
        Some(model.legal[role.index()][*at as usize])
    }

    /// What a signal of a state is in the state after the move.
    fn after(&mut self, model: &mut Model, signal: Signal) -> Signal {
        for node in model.cone(&[signal]) {
            if self.after.contains_key(&node) {
                continue;
            }
            let image = match model.graph.nodes()[node as usize] {
                Node::False => Signal::FALSE,
                Node::Input(number) => match model.input(number) {
                    Input::Fluent(fluent) => model.next[fluent as usize],
                    // Signals of states do not depend on moves.
                    Input::Does(..) => Signal::FALSE,
                },
                Node::And(a, b) => {
                    let (a, b) = (self.image(a), self.image(b));
                    model.and(a, b)
                }
            };
            self.after.insert(node, image);
        }
        self.image(signal)
    }

    fn image(&self, signal: Signal) -> Signal {
        let image = self.after.get(&(signal.node() as u32)).copied().unwrap_or(Signal::FALSE);
        if signal.is_complemented() { !image } else { image }
    }
}

/// Takes a formula apart into formulas that hold together exactly if it does.
fn split(formula: &GroundFormula, parts: &mut Vec<GroundFormula>) {
    match formula {
        GroundFormula::Truth(true) => {}
        GroundFormula::And(all) => all.iter().for_each(|part| split(part, parts)),
        GroundFormula::Count { least, most: Some(most), of } => {
            if *least > 0 {
                parts.push(GroundFormula::Count { least: *least, most: None, of: of.clone() });
            }
            if (*most as usize) < of.len() {
                parts.push(GroundFormula::Count { least: 0, most: Some(*most), of: of.clone() });
            }
        }
        GroundFormula::Not(inside) => match &**inside {
            GroundFormula::Or(all) => {
                let negated = |part: &GroundFormula| GroundFormula::Not(Box::new(part.clone()));
                for part in all {
                    split(&negated(part), parts);
                }
            }
            GroundFormula::Not(twice) => split(twice, parts),
            _ => parts.push(formula.clone()),
        },
        _ => parts.push(formula.clone()),
    }
}

/// The fluents of which a formula says that at most one holds, sorted; none if it says something else.
pub(super) fn exclusive(formula: &GroundFormula, numbers: &FxHashMap<FluentId, u32>) -> Vec<u32> {
    let GroundFormula::Count { least: 0, most: Some(1), of } = formula else { return Vec::new() };
    let number = |part: &GroundFormula| match part {
        GroundFormula::Atom { atom: GroundAtom::Fluent(fluent), next: false } => {
            numbers.get(fluent).copied()
        }
        _ => None,
    };
    let mut members: Vec<u32> = of.iter().map(number).collect::<Option<_>>().unwrap_or_default();
    members.sort_unstable();
    members
}

/// Whether a formula speaks of fluents alone.
pub(super) fn is_about_fluents(formula: &GroundFormula) -> bool {
    match formula {
        GroundFormula::Truth(_) => true,
        GroundFormula::Atom { atom, .. } => matches!(atom, GroundAtom::Fluent(_)),
        GroundFormula::Not(inside) => is_about_fluents(inside),
        GroundFormula::And(parts) | GroundFormula::Or(parts) => parts.iter().all(is_about_fluents),
        GroundFormula::Count { of, .. } => of.iter().all(is_about_fluents),
    }
}
