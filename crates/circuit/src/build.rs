//! From the ground program to gates.
//!
//! Atoms become signals, dependencies first. Atoms that depend on themselves (reachability in hex, in
//! go-like games) are solved by elimination (`recursion`) where each rule mentions one of them at most.
//! Others are unrolled: all start as false and are computed again from each other until nothing
//! changes, which takes at most as many rounds as there are atoms in the component; equal gates are
//! stored once, so a component that settles early costs no more.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use ground::{AtomId, AtomKind, GroundLiteral, GroundProgram};
use rustc_hash::FxHashMap;

use crate::graph::{Graph, Node, Signal};
use crate::recursion::System;

/// A game as gates. Inputs are the fluents, then the moves of each role.
#[derive(Clone, Debug)]
pub struct Circuit {
    /// The gates.
    pub graph: Graph,
    /// The inputs for the fluents.
    pub fluents: Vec<Signal>,
    /// For each fluent a number that it shares with the fluents of the same name.
    pub families: Vec<u32>,
    /// The inputs for the moves of each role.
    pub does: Vec<Vec<Signal>>,
    /// Whether each fluent holds initially.
    pub initial: Vec<bool>,
    /// Whether each fluent holds next.
    pub next: Vec<Signal>,
    /// Whether each move of each role is legal.
    pub legal: Vec<Vec<Signal>>,
    /// Whether the state is terminal.
    pub terminal: Signal,
    /// For each role when each of its goal values holds, in the order of the ground program.
    pub goals: Vec<Vec<Signal>>,
}

impl Circuit {
    /// The gates as text, in a fixed order: inputs, gates, outputs.
    pub fn to_text(&self, program: &GroundProgram) -> String {
        let symbols = &program.symbols;
        let mut out = String::new();
        let mut line = |text: std::fmt::Arguments<'_>| {
            let _ = out.write_fmt(text);
            out.push('\n');
        };
        let show = |signal: Signal| {
            let sign = if signal.is_complemented() { "!" } else { "" };
            format!("{sign}n{}", signal.node())
        };
        for (fluent, signal) in program.fluents.iter().zip(&self.fluents) {
            line(format_args!("{} = true {}", show(*signal), fluent.to_text(symbols)));
        }
        for (role, (moves, signals)) in program.moves.iter().zip(&self.does).enumerate() {
            for (action, signal) in moves.iter().zip(signals) {
                let term = action.term.to_text(symbols);
                line(format_args!("{} = does {role} {term}", show(*signal)));
            }
        }
        for (at, node) in self.graph.nodes().iter().enumerate() {
            if let Node::And(a, b) = node {
                line(format_args!("n{at} = {} & {}", show(*a), show(*b)));
            }
        }
        for (role, (moves, signals)) in program.moves.iter().zip(&self.legal).enumerate() {
            for (action, signal) in moves.iter().zip(signals) {
                let term = action.term.to_text(symbols);
                line(format_args!("legal {role} {term} = {}", show(*signal)));
            }
        }
        for (fluent, signal) in program.fluents.iter().zip(&self.next) {
            line(format_args!("next {} = {}", fluent.to_text(symbols), show(*signal)));
        }
        line(format_args!("terminal = {}", show(self.terminal)));
        for (role, (values, signals)) in program.goals.iter().zip(&self.goals).enumerate() {
            for ((value, _), signal) in values.iter().zip(signals) {
                line(format_args!("goal {role} {} = {}", value.to_text(symbols), show(*signal)));
            }
        }
        out
    }
}

/// How large a circuit may become.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The most gates.
    pub gates: usize,
    /// The most memory for the gates, in bytes.
    pub max_bytes: usize,
    /// When to give up.
    pub deadline: Option<Instant>,
    /// Set by another thread to make it stop.
    pub cancel: Option<Arc<AtomicBool>>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { gates: 4_000_000, max_bytes: 4 << 30, deadline: None, cancel: None }
    }
}

impl Limits {
    /// Whether a graph is within the limits.
    fn check(&self, graph: &Graph) -> Result<(), TooLarge> {
        let (gates, bytes) = (graph.gate_count(), graph.bytes());
        if gates > self.gates {
            return Err(TooLarge::Gates { limit: self.gates });
        }
        if bytes > self.max_bytes {
            return Err(TooLarge::Memory { gates, bytes });
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(TooLarge::Time { gates });
        }
        let cancelled = self.cancel.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed));
        if cancelled { Err(TooLarge::Cancelled { gates }) } else { Ok(()) }
    }
}

/// Why there is no circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TooLarge {
    /// More gates than allowed.
    Gates {
        /// The limit.
        limit: usize,
    },
    /// The memory was used up.
    Memory {
        /// Gates built by then.
        gates: usize,
        /// Bytes in use by then.
        bytes: usize,
    },
    /// The deadline passed.
    Time {
        /// Gates built by then.
        gates: usize,
    },
    /// The caller cancelled.
    Cancelled {
        /// Gates built by then.
        gates: usize,
    },
}

impl std::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TooLarge::Gates { limit } => write!(f, "more than {limit} gates"),
            TooLarge::Memory { gates, bytes } => {
                write!(f, "out of memory ({} MiB) after {gates} gates", bytes >> 20)
            }
            TooLarge::Time { gates } => write!(f, "out of time after {gates} gates"),
            TooLarge::Cancelled { gates } => write!(f, "cancelled after {gates} gates"),
        }
    }
}

impl std::error::Error for TooLarge {}

/// The limits are looked at whenever that many gates came in.
const MANY_GATES: usize = 2_000;

/// A sum of products.
type Sum = Vec<Vec<Signal>>;

/// What each atom of a component is without the others, and with each of them.
type Equations = (Vec<Sum>, Vec<BTreeMap<usize, Sum>>);

/// Builds the circuit of a ground program within limits.
pub fn build(program: &GroundProgram, limits: &Limits) -> Result<Circuit, TooLarge> {
    let mut builder = Builder::new(program, limits.clone());
    for component in components(program) {
        builder.component(&component)?;
    }
    Ok(builder.finish())
}

struct Builder<'p> {
    program: &'p GroundProgram,
    graph: Graph,
    signals: Vec<Signal>,
    fluents: Vec<Signal>,
    does: Vec<Vec<Signal>>,
    limits: Limits,
    atoms_built: usize,
    /// The gates at the last look at the limits.
    checked: usize,
}

impl<'p> Builder<'p> {
    fn new(program: &'p GroundProgram, limits: Limits) -> Self {
        let mut graph = Graph::default();
        let mut number = 0;
        let mut input = || {
            number += 1;
            graph.input(number - 1)
        };
        let fluents: Vec<Signal> = program.fluents.iter().map(|_| input()).collect();
        let does: Vec<Vec<Signal>> =
            program.moves.iter().map(|own| own.iter().map(|_| input()).collect()).collect();
        for own in &does {
            graph.one_hot(own.clone());
        }
        let signals = program
            .kinds
            .iter()
            .map(|kind| match *kind {
                AtomKind::Fluent(fluent) => fluents[fluent as usize],
                AtomKind::Does { role, action } => does[role as usize][action as usize],
                AtomKind::Derived => Signal::FALSE,
            })
            .collect();
        Self { program, graph, signals, fluents, does, limits, atoms_built: 0, checked: 0 }
    }

    fn component(&mut self, atoms: &[AtomId]) -> Result<(), TooLarge> {
        let recursive = atoms.len() > 1
            || self.program.rules.literals_of(atoms[0]).iter().any(|l| l.atom == atoms[0]);
        if !recursive {
            let atom = atoms[0];
            if self.program.kinds[atom.index()] == AtomKind::Derived {
                self.signals[atom.index()] = self.atom(atom);
            }
            return self.check();
        }
        if self.eliminated(atoms)? {
            return Ok(());
        }
        self.unroll(atoms)
    }

    /// Solves a component in which each rule mentions at most one of its atoms; false if it is not like that,
    /// or if unrolling takes less.
    fn eliminated(&mut self, atoms: &[AtomId]) -> Result<bool, TooLarge> {
        let Some((constants, coefficients)) = self.linear(atoms) else { return Ok(false) };
        let literals: usize =
            atoms.iter().map(|atom| self.program.rules.literals_of(*atom).len()).sum();
        let constants = constants.into_iter().map(|sum| self.graph.sum_of_products(sum)).collect();
        let mut rows = Vec::with_capacity(atoms.len());
        for row in coefficients {
            let row = row.into_iter().map(|(at, sum)| (at, self.graph.sum_of_products(sum)));
            rows.push(row.collect());
        }
        let most = atoms.len().saturating_mul(literals);
        let limits = self.limits.clone();
        let solved = System::new(constants, rows)
            .solve(&mut self.graph, most, |graph| limits.check(graph))?;
        let Some(values) = solved else { return Ok(false) };
        for (atom, value) in atoms.iter().zip(values) {
            self.signals[atom.index()] = value;
        }
        Ok(true)
    }

    /// The rules of a component as equations: products without its atoms, and products by the one they have.
    fn linear(&self, atoms: &[AtomId]) -> Option<Equations> {
        let place: FxHashMap<AtomId, usize> = atoms.iter().copied().zip(0..).collect();
        let mut constants = vec![Sum::new(); atoms.len()];
        let mut rows = vec![BTreeMap::<usize, Sum>::new(); atoms.len()];
        for (at, atom) in atoms.iter().enumerate() {
            for body in self.program.rules_of(*atom) {
                let mut own = None;
                let mut product = Vec::with_capacity(body.len());
                for literal in body {
                    match place.get(&literal.atom) {
                        None => product.push(self.literal(*literal)),
                        Some(used) if own.is_none() && !literal.negative => own = Some(*used),
                        Some(_) => return None,
                    }
                }
                match own {
                    None => constants[at].push(product),
                    Some(used) => rows[at].entry(used).or_default().push(product),
                }
            }
        }
        Some((constants, rows))
    }

    /// Computes the atoms of a component from each other, beginning with false, until nothing changes.
    fn unroll(&mut self, atoms: &[AtomId]) -> Result<(), TooLarge> {
        for _ in 0..=atoms.len() {
            let mut values = Vec::with_capacity(atoms.len());
            for atom in atoms {
                values.push(self.atom(*atom));
                self.check()?;
            }
            let mut changed = false;
            for (atom, value) in atoms.iter().zip(values) {
                changed |= self.signals[atom.index()] != value;
                self.signals[atom.index()] = value;
            }
            if !changed {
                break;
            }
        }
        Ok(())
    }

    fn check(&mut self) -> Result<(), TooLarge> {
        self.atoms_built += 1;
        let gates = self.graph.gate_count();
        if self.atoms_built.is_multiple_of(64) || gates > self.checked + MANY_GATES {
            self.checked = gates;
            return self.limits.check(&self.graph);
        }
        Ok(())
    }

    fn literal(&self, literal: GroundLiteral) -> Signal {
        let signal = self.signals[literal.atom.index()];
        if literal.negative { !signal } else { signal }
    }

    fn atom(&mut self, atom: AtomId) -> Signal {
        let products: Vec<Vec<Signal>> = self
            .program
            .rules_of(atom)
            .map(|body| body.iter().map(|literal| self.literal(*literal)).collect())
            .collect();
        self.graph.sum_of_products(products)
    }

    fn finish(self) -> Circuit {
        let program = self.program;
        let signal = |atom: Option<AtomId>| atom.map_or(Signal::FALSE, |a| self.signals[a.index()]);
        Circuit {
            next: program.next.iter().map(|atom| signal(*atom)).collect(),
            legal: program
                .moves
                .iter()
                .map(|own| own.iter().map(|action| signal(action.legal)).collect())
                .collect(),
            terminal: signal(program.terminal),
            goals: program
                .goals
                .iter()
                .map(|own| own.iter().map(|(_, atom)| signal(Some(*atom))).collect())
                .collect(),
            initial: program.initial.clone(),
            families: families(program),
            graph: self.graph,
            fluents: self.fluents,
            does: self.does,
        }
    }
}

/// Numbers for the names of the fluents.
fn families(program: &GroundProgram) -> Vec<u32> {
    let mut names = Vec::new();
    let mut number = |name| {
        let known = names.iter().position(|known| *known == name);
        let at = known.unwrap_or(names.len());
        if at == names.len() {
            names.push(name);
        }
        at as u32
    };
    program.fluents.iter().map(|term| number(term.name())).collect()
}

/// The strongly connected components of the derived atoms, dependencies first.
fn components(program: &GroundProgram) -> Vec<Vec<AtomId>> {
    let (component, count) = gdl::depend::components(program.kinds.len(), |node, edge| {
        let literals = program.rules.literals_of(AtomId(node as u32));
        literals.get(edge).map(|literal| literal.atom.index())
    });
    let mut members = vec![Vec::new(); count];
    for (atom, component) in component.into_iter().enumerate() {
        members[component].push(AtomId(atom as u32));
    }
    members
}
