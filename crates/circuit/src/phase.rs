//! Circuits specialised on who is in control.
//!
//! In most games some fluents follow a fixed cycle from the initial state, whatever the players do:
//! `control(white)`, `control(black)`. For each situation on such a cycle the circuit is folded with these
//! fluents as constants: the moves of those who are not in control disappear, with all gates behind them,
//! and a role whose only legal move is known makes it without being asked. Positions evaluated together
//! must then be in the same situation; the lanes see to that.
//!
//! A cycle is guessed from the fluents with the same name and proved by folding: in each situation the
//! next values of these fluents must be constants.
//!
//! Folding also uses what random play knows: the next state is only computed where the game is not over,
//! goals only where it is.

use crate::build::Circuit;
use crate::graph::{Graph, Node, Signal, cone};
use crate::schedule::operations;

/// A situation on the cycle.
#[derive(Clone, Debug)]
pub struct Phase {
    /// The fluents of the cycle with their values here.
    pub fixed: Vec<(usize, bool)>,
    /// The circuit for random play in this situation.
    pub circuit: Circuit,
    /// For each role the only legal move, if there is only one whatever the state.
    pub forced: Vec<Option<usize>>,
}

/// The most situations of a cycle.
const MOST_PHASES: usize = 8;
/// Fluents with the same name that may be a cycle.
const MOST_FLUENTS: usize = 16;
/// Gates that may be looked at while cycles are sought.
const MOST_EFFORT: usize = 20_000_000;

/// The situations in their order, beginning with the initial one. One situation without fixed fluents if
/// there is no cycle. `constants` are fluents that never change, with their values.
pub fn phases(circuit: &Circuit, constants: &[(usize, bool)]) -> Vec<Phase> {
    let mut effort = MOST_EFFORT;
    let groups = candidates(circuit);
    let all: Vec<usize> = groups.iter().flatten().copied().collect();
    let mut best: Option<Vec<Phase>> = None;
    let single = groups.len() == 1;
    for group in std::iter::once(&all).chain(if single { &[][..] } else { &groups[..] }) {
        let found = cycle(circuit, group, constants, &mut effort);
        if let Some(found) = found.filter(|found| found.len() > 1) {
            let size = |phases: &[Phase]| phases.iter().map(gates).sum::<usize>() / phases.len();
            if best.as_ref().is_none_or(|best| size(&found) < size(best)) {
                best = Some(found);
            }
        }
        if best.is_some() && group.len() == all.len() {
            break;
        }
    }
    best.unwrap_or_else(|| vec![fold(circuit, Vec::new(), constants)])
}

fn gates(phase: &Phase) -> usize {
    let (state, next, _) = operations(&phase.circuit);
    state + next
}

/// Small families of fluents that change.
fn candidates(circuit: &Circuit) -> Vec<Vec<usize>> {
    let count = circuit.families.iter().max().map_or(0, |most| *most as usize + 1);
    let mut families = vec![Vec::new(); count];
    for (fluent, family) in circuit.families.iter().enumerate() {
        families[*family as usize].push(fluent);
    }
    families.retain(|family| {
        let changes = family.iter().any(|f| circuit.next[*f] != circuit.fluents[*f]);
        changes && family.len() <= MOST_FLUENTS
    });
    families
}

/// The cycle of some fluents, if they have one that contains the initial situation.
fn cycle(
    circuit: &Circuit,
    group: &[usize],
    constants: &[(usize, bool)],
    effort: &mut usize,
) -> Option<Vec<Phase>> {
    if group.is_empty() {
        return None;
    }
    let first: Vec<(usize, bool)> = group.iter().map(|f| (*f, circuit.initial[*f])).collect();
    let mut phases: Vec<Phase> = Vec::new();
    let mut fixed = first.clone();
    while phases.len() < MOST_PHASES {
        *effort = effort.checked_sub(circuit.graph.nodes().len())?;
        let phase = fold(circuit, fixed, constants);
        fixed = group
            .iter()
            .map(|fluent| match phase.circuit.next[*fluent] {
                Signal::TRUE => Some((*fluent, true)),
                Signal::FALSE => Some((*fluent, false)),
                _ => None,
            })
            .collect::<Option<_>>()?;
        phases.push(phase);
        if fixed == first {
            return Some(phases);
        }
    }
    None
}

/// The circuit with some fluents as constants, for random play.
fn fold(circuit: &Circuit, fixed: Vec<(usize, bool)>, constants: &[(usize, bool)]) -> Phase {
    let mut folding = Folding::new(circuit);
    let known: Vec<(usize, bool)> = constants.iter().chain(&fixed).copied().collect();
    folding.start(circuit, &known, None);
    let legal = folding.through_all(&circuit.legal);
    let terminal = folding.through(&[circuit.terminal])[0];
    let forced: Vec<Option<usize>> = legal.iter().map(|own| forced(own)).collect();
    folding.start(circuit, &known, Some(Signal::TRUE));
    let goals = folding.through_all(&circuit.goals);
    folding.start(circuit, &known, Some(Signal::FALSE));
    // Whoever has only one move that can be legal makes it, or the game is over.
    for (inputs, legal) in circuit.does.iter().zip(&legal) {
        let possible = legal.iter().filter(|legal| **legal != Signal::FALSE).count();
        for (input, legal) in inputs.iter().zip(legal) {
            match (*legal, possible) {
                (Signal::FALSE, _) => folding.replace(input.node(), Signal::FALSE),
                (_, 1) => folding.replace(input.node(), Signal::TRUE),
                _ => {}
            }
        }
    }
    let next = folding.through(&circuit.next);
    let (fluents, does) = (circuit.fluents.clone(), circuit.does.clone());
    let (graph, initial) = (folding.graph, circuit.initial.clone());
    let families = circuit.families.clone();
    let circuit = Circuit { graph, fluents, families, does, initial, next, legal, terminal, goals };
    Phase { fixed, circuit, forced }
}

/// The goals of terminal states, with nothing else.
pub(crate) fn goals_only(circuit: &Circuit) -> Circuit {
    let mut folding = Folding::new(circuit);
    folding.start(circuit, &[], Some(Signal::TRUE));
    let goals = folding.through_all(&circuit.goals);
    let none = |own: &Vec<Signal>| vec![Signal::FALSE; own.len()];
    Circuit {
        graph: folding.graph,
        fluents: circuit.fluents.clone(),
        families: circuit.families.clone(),
        does: circuit.does.clone(),
        initial: circuit.initial.clone(),
        next: vec![Signal::FALSE; circuit.next.len()],
        legal: circuit.legal.iter().map(none).collect(),
        terminal: Signal::FALSE,
        goals,
    }
}

/// The only move that can be legal, if it always is.
fn forced(legal: &[Signal]) -> Option<usize> {
    let mut possible = legal.iter().enumerate().filter(|(_, signal)| **signal != Signal::FALSE);
    let (at, signal) = possible.next()?;
    (*signal == Signal::TRUE && possible.next().is_none()).then_some(at)
}

/// A graph being copied, with some nodes replaced by constants. Equal gates are stored once, so what is
/// copied again costs no more.
pub(crate) struct Folding<'c> {
    old: &'c Graph,
    pub(crate) graph: Graph,
    map: Vec<Option<Signal>>,
}

impl<'c> Folding<'c> {
    /// The inputs keep their numbers, so that signals for them mean the same in both graphs.
    pub(crate) fn new(circuit: &'c Circuit) -> Self {
        let mut graph = Graph::default();
        let inputs = circuit.fluents.iter().chain(circuit.does.iter().flatten());
        for (number, input) in inputs.enumerate() {
            let same = graph.input(number as u32);
            debug_assert_eq!(same, *input);
        }
        Self { old: &circuit.graph, graph, map: Vec::new() }
    }

    /// Begins anew, with some fluents and perhaps the end of the game known.
    pub(crate) fn start(
        &mut self,
        circuit: &Circuit,
        fixed: &[(usize, bool)],
        terminal: Option<Signal>,
    ) {
        self.map.clear();
        self.map.resize(self.old.nodes().len(), None);
        self.map[0] = Some(Signal::FALSE);
        for input in circuit.fluents.iter().chain(circuit.does.iter().flatten()) {
            self.map[input.node()] = Some(*input);
        }
        for (fluent, value) in fixed {
            let value = if *value { Signal::TRUE } else { Signal::FALSE };
            self.map[circuit.fluents[*fluent].node()] = Some(value);
        }
        let known = circuit.terminal;
        if let (Some(value), Node::And(..)) = (terminal, self.old.nodes()[known.node()]) {
            self.map[known.node()] = Some(if known.is_complemented() { !value } else { value });
        }
    }

    /// A node is a signal of the new graph from now on.
    pub(crate) fn replace(&mut self, node: usize, by: Signal) {
        self.map[node] = Some(by);
    }

    fn image(&self, signal: Signal) -> Signal {
        let image = self.map[signal.node()].unwrap_or(Signal::FALSE);
        if signal.is_complemented() { !image } else { image }
    }

    /// Copies the cones of some signals as far as they are not known; returns their images.
    pub(crate) fn through(&mut self, roots: &[Signal]) -> Vec<Signal> {
        let inside = cone(self.old.nodes(), roots, |node| self.map[node].is_some());
        for (node, inside) in inside.iter().enumerate() {
            if let (true, Node::And(a, b)) = (inside, self.old.nodes()[node]) {
                let (a, b) = (self.image(a), self.image(b));
                self.map[node] = Some(self.graph.and(a, b));
            }
        }
        roots.iter().map(|signal| self.image(*signal)).collect()
    }

    pub(crate) fn through_all(&mut self, roots: &[Vec<Signal>]) -> Vec<Vec<Signal>> {
        let flat: Vec<Signal> = roots.iter().flatten().copied().collect();
        self.through(&flat);
        roots.iter().map(|own| own.iter().map(|signal| self.image(*signal)).collect()).collect()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn circuit(text: &str) -> Circuit {
        let (rules, _) = gdl::parse(text, &gdl::Limits::default());
        let program = gdl::normal::normalize(&rules).expect("small");
        #[expect(clippy::default_trait_access, reason = "the type is that of a crate further down")]
        let ground = ground::ground(&program, &Default::default(), &ground::Budget::default());
        crate::build(&ground.expect("tiny"), &crate::Limits::default()).expect("small")
    }

    const ALTERNATING: &str = "(role x) (role o) (init (control x)) (init (mark 0))
        (num 0) (num 1) (num 2)
        (<= (legal ?r (mark ?n)) (true (control ?r)) (num ?n))
        (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
        (<= (next (mark ?n)) (does ?r (mark ?n)))
        (<= (next (control x)) (true (control o)))
        (<= (next (control o)) (true (control x)))
        (<= terminal (true (mark 2)))
        (<= (goal ?r 100) (role ?r) terminal)";

    #[test]
    fn who_is_in_control_makes_phases_in_which_the_other_is_forced() {
        let phases = phases(&circuit(ALTERNATING), &[]);
        assert_eq!(phases.len(), 2);
        for (phase, mover) in phases.iter().zip([0, 1]) {
            assert_eq!(phase.forced[mover], None);
            assert!(phase.forced[1 - mover].is_some());
            assert_eq!(phase.fixed.len(), 2);
        }
    }

    #[test]
    fn control_that_depends_on_moves_is_no_cycle() {
        let text = ALTERNATING.replace(
            "(<= (next (control o)) (true (control x)))",
            "(<= (next (control o)) (true (control x)) (not (does x (mark 1))))
             (<= (next (control x)) (does x (mark 1)))",
        );
        let phases = phases(&circuit(&text), &[]);
        assert_eq!(phases.len(), 1);
        assert!(phases[0].fixed.is_empty() && phases[0].forced == [None, None]);
    }

    #[test]
    fn a_cycle_that_never_returns_to_the_start_is_not_used() {
        let text =
            ALTERNATING.replace("(init (control x))", "(init (control x)) (init (control z))");
        assert_eq!(phases(&circuit(&text), &[]).len(), 1);
    }

    /// Folding keeps legal moves and ends everywhere, goals where the game is over, and next states where
    /// it is not.
    #[test]
    fn folding_keeps_what_random_play_asks_for() {
        let circuit = circuit(ALTERNATING);
        let inputs = circuit.fluents.len() + circuit.does.iter().map(Vec::len).sum::<usize>();
        for phase in phases(&circuit, &[]) {
            for bits in 0..1u32 << circuit.fluents.len() {
                let fits = phase.fixed.iter().all(|(f, value)| (bits >> f & 1 == 1) == *value);
                if !fits {
                    continue;
                }
                let mut values = vec![false; inputs];
                for (fluent, value) in values.iter_mut().take(circuit.fluents.len()).enumerate() {
                    *value = bits >> fluent & 1 == 1;
                }
                compare(&circuit, &phase, &mut values);
            }
        }
    }

    fn compare(circuit: &Circuit, phase: &Phase, values: &mut [bool]) {
        let read = |values: &[bool], s: Signal| values[s.node()] != s.is_complemented();
        let before = circuit.graph.evaluate(values);
        let after = phase.circuit.graph.evaluate(values);
        let is_over = read(&before, circuit.terminal);
        assert_eq!(is_over, read(&after, phase.circuit.terminal));
        for (old, new) in circuit.legal.iter().flatten().zip(phase.circuit.legal.iter().flatten()) {
            assert_eq!(read(&before, *old), read(&after, *new));
        }
        if is_over {
            let goals = circuit.goals.iter().flatten().zip(phase.circuit.goals.iter().flatten());
            goals.for_each(|(old, new)| assert_eq!(read(&before, *old), read(&after, *new)));
            return;
        }
        let legal_moves = |role: usize| {
            let legal = circuit.legal[role].iter().enumerate();
            let before = &before;
            legal.filter(move |(_, s)| read(before, **s)).map(|(at, _)| at)
        };
        for first in legal_moves(0) {
            for second in legal_moves(1) {
                let does = [circuit.does[0][first], circuit.does[1][second]];
                for input in &does {
                    values[input.node() - 1] = true;
                }
                let before = circuit.graph.evaluate(values);
                let after = phase.circuit.graph.evaluate(values);
                for input in &does {
                    values[input.node() - 1] = false;
                }
                for (old, new) in circuit.next.iter().zip(&phase.circuit.next) {
                    assert_eq!(read(&before, *old), read(&after, *new));
                }
            }
        }
    }
}
