//! Random play that does not lose at once where several roles choose at the same time.
//!
//! In a race or a fight of simultaneous moves most random moves may be the end of whoever makes them (a wall, an edge, a trap), so that random play is
//! over after a few steps and says nothing. What a move leads to depends on those of the others, so each gate of the next state has two
//! conditions on the present one: when it holds whatever the others do, and when it does not hold whatever they do (three-valued
//! evaluation, Kleene 1952, with the moves of others unknown as far as they are legal). A move that ends the game for sure, and that for sure
//! yields no goal above the middle, does not count as legal in random play where the role has any other.
//!
//! That is less than what `decisive` does for moves in turn: wins are not sought, since one that the other prevents by what it does at the same moment
//! is none. Own work, in the spirit of the decisive moves of Teytaud and Teytaud 2010.

use rustc_hash::FxHashMap;

use crate::build::Circuit;
use crate::decisive::{Extremes, MOST_EFFORT, avoid, conditions, most};
use crate::graph::{Graph, Node, Signal, cone};
use crate::phase::Phase;
use crate::schedule::operations;

/// Makes random play careful in all situations; none, with the situations as they happen to be, if that changes nothing or takes too many gates.
pub(crate) fn all(phases: &mut [Phase], whole: &Circuit, goals: &[Option<Extremes>]) -> Option<()> {
    let mut changed = false;
    for phase in phases {
        let most = most(phase);
        let choosing = (0..phase.forced.len()).filter(|role| phase.forced[*role].is_none());
        let mut found = Vec::new();
        for role in choosing.collect::<Vec<usize>>() {
            if let Some(goals) = goals.get(role).and_then(Option::as_ref) {
                found.push((role, losing(phase, whole, (role, goals))?));
            }
        }
        found.retain(|(_, losing)| losing.iter().any(|signal| *signal != Signal::FALSE));
        for (role, losing) in &found {
            avoid(&mut phase.circuit, *role, losing);
        }
        changed |= !found.is_empty();
        if operations(&phase.circuit).0 > most {
            return None;
        }
    }
    changed.then_some(())
}

/// For each move of a role when it ends the game badly, whatever the others do; none if that is too much work.
fn losing(
    phase: &mut Phase,
    whole: &Circuit,
    (role, goals): (usize, &Extremes),
) -> Option<Vec<Signal>> {
    let before = phase.circuit.graph.nodes().to_vec();
    let known = conditions(&phase.circuit.graph, !phase.circuit.terminal);
    let good = goals.good.iter().map(|goal| whole.goals[role][*goal]);
    let asked: Vec<Signal> = std::iter::once(whole.terminal).chain(good).collect();
    let mut effort = MOST_EFFORT;
    let mut losing = vec![Signal::FALSE; phase.circuit.legal[role].len()];
    for (action, found) in losing.iter_mut().enumerate() {
        if phase.circuit.legal[role][action] == Signal::FALSE {
            continue;
        }
        effort = effort.checked_sub(before.len() + whole.graph.nodes().len())?;
        let circuit = &mut phase.circuit;
        let mut map = vec![None; before.len()];
        for input in &circuit.fluents {
            map[input.node()] = Some(Sure::of(*input));
        }
        for (other, inputs) in circuit.does.iter().enumerate() {
            for (at, input) in inputs.iter().enumerate() {
                map[input.node()] = Some(if other == role {
                    Sure::of(if at == action { Signal::TRUE } else { Signal::FALSE })
                } else {
                    Sure { yes: Signal::FALSE, no: !circuit.legal[other][at] }
                });
            }
        }
        let next = Conditions { known: &known, old: &before, map };
        let next = next.through(&mut circuit.graph, &circuit.next);
        let mut map = vec![None; whole.graph.nodes().len()];
        for (input, next) in whole.fluents.iter().zip(next) {
            map[input.node()] = Some(next);
        }
        let after = Conditions { known: &known, old: whole.graph.nodes(), map };
        let after = after.through(&mut circuit.graph, &asked);
        let conditions: Vec<Signal> =
            std::iter::once(after[0].yes).chain(after[1..].iter().map(|good| good.no)).collect();
        *found = circuit.graph.all(&conditions);
    }
    Some(losing)
}

/// When a gate holds for sure, and when it does not for sure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sure {
    yes: Signal,
    no: Signal,
}

impl Sure {
    /// What is known.
    fn of(signal: Signal) -> Self {
        Self { yes: signal, no: !signal }
    }

    fn complemented(self, complemented: bool) -> Self {
        if complemented { Self { yes: self.no, no: self.yes } } else { self }
    }
}

/// Gates with what is sure about them.
struct Conditions<'c> {
    /// Gates of the present state of which the value is known.
    known: &'c FxHashMap<usize, Signal>,
    old: &'c [Node],
    map: Vec<Option<Sure>>,
}

impl Conditions<'_> {
    /// Makes gates of the present state for what is sure about some signals.
    fn through(mut self, graph: &mut Graph, roots: &[Signal]) -> Vec<Sure> {
        self.map[0] = Some(Sure::of(Signal::FALSE));
        let inside = cone(self.old, roots, |node| self.map[node].is_some());
        for (node, inside) in inside.into_iter().enumerate() {
            if let (true, Node::And(a, b)) = (inside, self.old[node]) {
                let (a, b) = (self.image(a), self.image(b));
                let yes = graph.and(a.yes, b.yes);
                // Where everything is known, that is the same gate.
                let no = graph.or(a.no, b.no);
                self.map[node] = Some(Sure { yes: self.value(yes), no: self.value(no) });
            }
        }
        roots.iter().map(|signal| self.image(*signal)).collect()
    }

    fn image(&self, signal: Signal) -> Sure {
        let image = self.map[signal.node()].unwrap_or(Sure::of(Signal::FALSE));
        image.complemented(signal.is_complemented())
    }

    fn value(&self, signal: Signal) -> Signal {
        match self.known.get(&signal.node()) {
            Some(value) if signal.is_complemented() => !*value,
            Some(value) => *value,
            None => signal,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phase::phases;
    use crate::phase::tests::circuit;

    /// Two roles ride along a strip of five cells at the same time. Who leaves it has lost, who meets the other there has a draw, and so has everybody
    /// after three steps.
    const STRIP: &str = "(role x) (role o) (init (at x 1)) (init (at o 3)) (init (step 0))
        (<= (legal ?r left) (role ?r)) (<= (legal ?r right) (role ?r))
        (<= (next (at ?r ?m)) (does ?r left) (true (at ?r ?n)) (succ ?m ?n))
        (<= (next (at ?r ?m)) (does ?r right) (true (at ?r ?n)) (succ ?n ?m))
        (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
        (<= (out ?r) (true (at ?r w))) (<= (out ?r) (true (at ?r e)))
        (<= met (true (at x ?n)) (true (at o ?n)) (cell ?n))
        (<= terminal (out ?r)) (<= terminal met) (<= terminal (true (step 3)))
        (<= (goal x 100) (out o) (not (out x))) (<= (goal o 100) (out x) (not (out o)))
        (<= (goal x 0) (out x) (not (out o))) (<= (goal o 0) (out o) (not (out x)))
        (<= (goal ?r 50) (role ?r) (not (out x)) (not (out o)))
        (<= (goal ?r 50) (role ?r) (out x) (out o))
        (cell 0) (cell 1) (cell 2) (cell 3) (cell 4)
        (succ w 0) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 e)";

    /// Whether a state with moves put in leads to an end, and whether the goal that wins holds there.
    fn after(circuit: &Circuit, state: &[bool], actions: [usize; 2], role: usize) -> (bool, bool) {
        let mut values = state.to_vec();
        for (inputs, action) in circuit.does.iter().zip(actions) {
            values.extend((0..inputs.len()).map(|at| at == action));
        }
        let nodes = circuit.graph.evaluate(&values);
        let read =
            |nodes: &[bool], signal: Signal| nodes[signal.node()] != signal.is_complemented();
        let mut next: Vec<bool> = circuit.next.iter().map(|signal| read(&nodes, *signal)).collect();
        next.resize(values.len(), false);
        let nodes = circuit.graph.evaluate(&next);
        (read(&nodes, circuit.terminal), read(&nodes, circuit.goals[role][0]))
    }

    #[test]
    fn moves_that_lose_whatever_the_other_does_are_avoided_where_there_are_others() {
        let circuit = circuit(STRIP);
        let goals = vec![Some(Extremes { highest: 0, lowest: 1, good: vec![0] }); 2];
        let plain = phases(&circuit, &[]);
        assert!(plain.len() == 1 && plain[0].forced == [None, None], "both choose");
        let mut careful = plain.clone();
        assert_eq!(all(&mut careful, &circuit, &goals), Some(()));
        let phase = &careful[0].circuit;
        let count = circuit.fluents.len();
        let inputs = count + circuit.does.iter().map(Vec::len).sum::<usize>();
        let (mut avoided, mut all_bad) = (0, 0);
        for bits in 0..1_u32 << count {
            let state: Vec<bool> = (0..count).map(|fluent| bits >> fluent & 1 == 1).collect();
            let mut values = state.clone();
            values.resize(inputs, false);
            let nodes = phase.graph.evaluate(&values);
            let read = |signal: Signal| nodes[signal.node()] != signal.is_complemented();
            // One place each, and one step.
            let families = |family: u32| {
                let own = circuit.families.iter().zip(&state);
                own.filter(|(own, holds)| **own == family && **holds).count()
            };
            let sizes = [families(circuit.families[0]), families(circuit.families[count - 1])];
            if read(phase.terminal) || sizes.iter().sum::<usize>() > 3 {
                continue;
            }
            for role in 0..2 {
                let bad = |own: usize| {
                    (0..2).all(|other| {
                        let actions = if role == 0 { [own, other] } else { [other, own] };
                        after(&circuit, &state, actions, role) == (true, false)
                    })
                };
                let bad = [bad(0), bad(1)];
                let legal = [read(phase.legal[role][0]), read(phase.legal[role][1])];
                assert_eq!(legal, if bad == [true; 2] { [true; 2] } else { bad.map(|bad| !bad) });
                avoided += usize::from(legal != [true; 2]);
                all_bad += usize::from(bad == [true; 2]);
            }
        }
        assert!(avoided > 20 && all_bad > 0, "{avoided} and {all_bad}");
    }

    #[test]
    fn nothing_changes_where_no_move_loses_for_sure() {
        let goals = vec![Some(Extremes { highest: 0, lowest: 1, good: vec![0] }); 2];
        let mut found = phases(&circuit(STRIP), &[]);
        assert_eq!(all(&mut found, &circuit(STRIP), &[None, None]), None, "goals are not known");
        // Whoever meets the other has won, but where that is depends on both.
        let meeting = STRIP
            .replace(
                "(<= (out ?r) (true (at ?r w)))",
                "(<= (out x) (true (at x 2)) (true (at o 2)))",
            )
            .replace("(<= (out ?r) (true (at ?r e)))", "")
            .replace("(<= terminal (true (step 3)))", "");
        let circuit = circuit(&meeting);
        let mut found = phases(&circuit, &[]);
        assert_eq!(all(&mut found, &circuit, &goals), None);
    }
}
