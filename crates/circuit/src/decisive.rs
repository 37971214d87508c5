//! Random play in which a move that wins at once is made, and one that lets another role win at once is not.
//!
//! Decisive and anti-decisive moves (Teytaud and Teytaud 2010), for hundreds of positions at once and without a look at any successor:
//! with a move put in, the gates for the next state and behind them those for the end and the highest goal become a condition
//! on the present state, "this move wins"; and behind the next state the same conditions of the role that is next say "this move lets it
//! win". Most of them are small, as gates that a move does not touch are those of the present state, of which it is known that
//! the game goes on. Moves count as legal in random play only where they win; where none does, where they are not to be avoided; where all
//! are, always. Nobody else has to know.
//!
//! Where this takes too many gates (counts of pieces at the end) nothing is changed. Wins alone are not worth having: whoever makes them
//! and does not see those of the other takes every threat for a win (docs/strength.md).

use rustc_hash::FxHashMap;

use crate::build::Circuit;
use crate::careful;
use crate::graph::{Graph, Node, Signal, cone};
use crate::phase::Phase;
use crate::schedule::operations;

/// Gates that may be looked at for a situation, all moves together.
pub(crate) const MOST_EFFORT: usize = 8_000_000;
/// Gates for the legal moves and the end of a situation: so many times those of the situation more, and in small games that many.
const SHARE: usize = 3;
const ALWAYS: usize = 6000;

/// The places of the highest and the lowest goal of a role, and of others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extremes {
    /// The goal that wins.
    pub highest: usize,
    /// The goal that loses.
    pub lowest: usize,
    /// All goals above the middle between these.
    pub good: Vec<usize>,
}

/// How random play was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Care {
    /// Not at all.
    None,
    /// Roles move in turn: wins are made, and moves that lose or let the next role win are not.
    InTurn,
    /// Several roles choose at the same time: moves that lose whatever the others do are not made.
    Together,
}

/// Makes random play decisive in situations that come round in this order, if in each of them one role chooses, and careful where several do
/// (see `careful`), if gates are not too many.
pub(crate) fn decide(phases: &mut [Phase], whole: &Circuit, goals: &[Option<Extremes>]) -> Care {
    let mut changed = phases.to_vec();
    let (kind, found) = if changed.iter().all(|phase| chooser(phase).is_some()) {
        (Care::InTurn, all(&mut changed, whole, goals))
    } else {
        (Care::Together, careful::all(&mut changed, whole, goals))
    };
    if found.is_none() {
        return Care::None;
    }
    phases.swap_with_slice(&mut changed);
    kind
}

fn all(phases: &mut [Phase], whole: &Circuit, goals: &[Option<Extremes>]) -> Option<()> {
    let most: Vec<usize> = phases.iter().map(most).collect();
    let mut wins = Vec::new();
    for phase in phases.iter_mut() {
        wins.push(Wins::find(phase, whole, goals)?);
    }
    // What each role may do at once, as gates of its situation.
    let chances: Vec<(Vec<Node>, Signal)> = (wins.iter().zip(&*phases))
        .map(|(wins, phase)| (phase.circuit.graph.nodes().to_vec(), !wins.none))
        .collect();
    for (at, (phase, wins)) in phases.iter_mut().zip(&wins).enumerate() {
        let avoided = wins.avoided(phase, whole, &chances[(at + 1) % chances.len()])?;
        wins.prefer(phase, &avoided);
        if operations(&phase.circuit).0 > most[at] {
            return None;
        }
    }
    Some(())
}

/// The most gates for the legal moves and the end of a situation.
pub(crate) fn most(phase: &Phase) -> usize {
    let (state, next, _) = operations(&phase.circuit);
    state + ((state + next) * SHARE).max(ALWAYS)
}

/// The role that chooses in a situation, if it is one.
fn chooser(phase: &Phase) -> Option<usize> {
    let mut choosing = phase.forced.iter().enumerate().filter(|(_, forced)| forced.is_none());
    match (choosing.next(), choosing.next()) {
        (Some((role, _)), None) => Some(role),
        _ => None,
    }
}

/// When moves of a situation win.
struct Wins {
    role: usize,
    goals: Extremes,
    /// For each move when it is legal and wins.
    of: Vec<Signal>,
    /// When none does.
    none: Signal,
    /// Gates of which the value is known, since the game goes on.
    known: FxHashMap<usize, Signal>,
    /// The gates of the situation before any were added.
    before: Vec<Node>,
}

impl Wins {
    fn find(phase: &mut Phase, whole: &Circuit, goals: &[Option<Extremes>]) -> Option<Self> {
        let role = chooser(phase)?;
        let goals = goals.get(role)?.clone()?;
        let known = conditions(&phase.circuit.graph, !phase.circuit.terminal);
        let before = phase.circuit.graph.nodes().to_vec();
        let (of, none) = (Vec::new(), Signal::TRUE);
        let mut wins = Self { role, goals, of, none, known, before };
        let won = [whole.terminal, whole.goals[role][wins.goals.highest]];
        let won = Asked::new(whole.graph.nodes(), &whole.fluents, &won);
        let found = wins.each(phase, &[&won], |graph, made| graph.and(made[0], made[1]))?;
        let graph = &mut phase.circuit.graph;
        let legal = phase.circuit.legal[role].iter();
        wins.of = legal.zip(found).map(|(legal, win)| graph.and(*legal, win)).collect();
        let open: Vec<Signal> = wins.of.iter().map(|win| !*win).collect();
        wins.none = graph.all(&open);
        Some(wins)
    }

    /// When a move loses at once, or lets the next role win at once.
    fn avoided(
        &self,
        phase: &mut Phase,
        whole: &Circuit,
        (nodes, chance): &(Vec<Node>, Signal),
    ) -> Option<Vec<Signal>> {
        let lost = [whole.terminal, whole.goals[self.role][self.goals.lowest]];
        let lost = Asked::new(whole.graph.nodes(), &whole.fluents, &lost);
        let fluents = phase.circuit.fluents.clone();
        let lets = Asked::new(nodes, &fluents, &[*chance]);
        self.each(phase, &[&lost, &lets], |graph, made| {
            let loses = graph.and(made[0], made[1]);
            let lets = graph.and(!made[0], made[2]);
            graph.or(loses, lets)
        })
    }

    /// What becomes of some gates of the next state with each move put in; none if that is too much work.
    fn each(
        &self,
        phase: &mut Phase,
        asked: &[&Asked<'_>],
        make: impl Fn(&mut Graph, &[Signal]) -> Signal,
    ) -> Option<Vec<Signal>> {
        let work = self.before.len() + asked.iter().map(|asked| asked.nodes.len()).sum::<usize>();
        let mut effort = MOST_EFFORT;
        let mut all = vec![Signal::FALSE; phase.circuit.legal[self.role].len()];
        for (action, found) in all.iter_mut().enumerate() {
            if phase.circuit.legal[self.role][action] == Signal::FALSE {
                continue;
            }
            effort = effort.checked_sub(work)?;
            let next = self.next(phase, action, asked);
            let graph = &mut phase.circuit.graph;
            let after = asked.iter().flat_map(|asked| asked.after(graph, &next, &self.known));
            let made: Vec<Signal> = after.collect();
            *found = make(graph, &made);
        }
        Some(all)
    }

    /// The next state after a move, as far as it is asked for.
    fn next(
        &self,
        phase: &mut Phase,
        action: usize,
        asked: &[&Asked<'_>],
    ) -> FxHashMap<usize, Signal> {
        let circuit = &mut phase.circuit;
        let mut map = vec![None; self.before.len()];
        map[0] = Some(Signal::FALSE);
        for input in &circuit.fluents {
            map[input.node()] = Some(*input);
        }
        for (role, inputs) in circuit.does.iter().enumerate() {
            for (at, input) in inputs.iter().enumerate() {
                // Of the others nobody asks: their moves are constants already.
                let made = role == self.role && at == action;
                map[input.node()] = Some(if made { Signal::TRUE } else { Signal::FALSE });
            }
        }
        let mut fluents: Vec<usize> =
            asked.iter().flat_map(|asked| &asked.fluents).copied().collect();
        fluents.sort_unstable();
        fluents.dedup();
        let roots: Vec<Signal> = fluents.iter().map(|fluent| circuit.next[*fluent]).collect();
        let next = compose(&mut circuit.graph, &self.before, &mut map, &roots, &self.known);
        fluents.into_iter().zip(next).collect()
    }

    /// Moves count as legal where they win; where none does, where they are not to be avoided; where all are, always.
    fn prefer(&self, phase: &mut Phase, avoided: &[Signal]) {
        avoid(&mut phase.circuit, self.role, avoided);
        let graph = &mut phase.circuit.graph;
        for (legal, win) in phase.circuit.legal[self.role].iter_mut().zip(&self.of) {
            let otherwise = graph.and(*legal, self.none);
            *legal = graph.or(*win, otherwise);
        }
    }
}

/// Moves of a role count as legal where they are not to be avoided; where all are, always.
pub(crate) fn avoid(circuit: &mut Circuit, role: usize, avoided: &[Signal]) {
    let (graph, legal) = (&mut circuit.graph, &mut circuit.legal[role]);
    let mut safe = Vec::new();
    for (legal, avoided) in legal.iter().zip(avoided) {
        safe.push(graph.and(*legal, !*avoided));
    }
    let bad: Vec<Signal> = safe.iter().map(|safe| !*safe).collect();
    let all_bad = graph.all(&bad);
    for (legal, safe) in legal.iter_mut().zip(safe) {
        let worst = graph.and(*legal, all_bad);
        *legal = graph.or(safe, worst);
    }
}

/// Gates that are asked for in the next state.
struct Asked<'g> {
    nodes: &'g [Node],
    inputs: &'g [Signal],
    roots: Vec<Signal>,
    /// The fluents that they depend on.
    fluents: Vec<usize>,
}

impl<'g> Asked<'g> {
    fn new(nodes: &'g [Node], inputs: &'g [Signal], roots: &[Signal]) -> Self {
        let mut used = vec![false; nodes.len()];
        for signal in roots {
            used[signal.node()] = true;
        }
        for (at, node) in nodes.iter().enumerate().rev() {
            if let (true, Node::And(a, b)) = (used[at], node) {
                (used[a.node()], used[b.node()]) = (true, true);
            }
        }
        let fluents = inputs.iter().enumerate().filter(|(_, input)| used[input.node()]);
        let fluents = fluents.map(|(fluent, _)| fluent).collect();
        Self { nodes, inputs, roots: roots.to_vec(), fluents }
    }

    /// The same as gates of the present state, with what the fluents will be.
    fn after(
        &self,
        graph: &mut Graph,
        next: &FxHashMap<usize, Signal>,
        known: &FxHashMap<usize, Signal>,
    ) -> Vec<Signal> {
        let mut map = vec![None; self.nodes.len()];
        map[0] = Some(Signal::FALSE);
        for fluent in &self.fluents {
            map[self.inputs[*fluent].node()] = next.get(fluent).copied();
        }
        compose(graph, self.nodes, &mut map, &self.roots, known)
    }
}

/// Gates that are known where a signal holds: those that it is the conjunction of.
pub(crate) fn conditions(graph: &Graph, signal: Signal) -> FxHashMap<usize, Signal> {
    let mut known = FxHashMap::default();
    let mut todo = vec![signal];
    while let Some(signal) = todo.pop() {
        let value = if signal.is_complemented() { Signal::FALSE } else { Signal::TRUE };
        let new = known.insert(signal.node(), value).is_none();
        if let (true, false, Node::And(a, b)) =
            (new, signal.is_complemented(), graph.nodes()[signal.node()])
        {
            todo.extend([a, b]);
        }
    }
    known.remove(&0);
    known
}

/// Copies the cones of some signals of `old` into a graph, with what `map` says for some of its nodes and `known` for gates of the
/// graph; returns their images.
fn compose(
    graph: &mut Graph,
    old: &[Node],
    map: &mut [Option<Signal>],
    roots: &[Signal],
    known: &FxHashMap<usize, Signal>,
) -> Vec<Signal> {
    let image = |map: &[Option<Signal>], signal: Signal| {
        let image = map[signal.node()].unwrap_or(Signal::FALSE);
        if signal.is_complemented() { !image } else { image }
    };
    let inside = cone(old, roots, |node| map[node].is_some());
    for node in 0..old.len() {
        if let (true, Node::And(a, b)) = (inside[node], old[node]) {
            let made = graph.and(image(map, a), image(map, b));
            let value = known.get(&made.node());
            map[node] = Some(
                value.map_or(made, |value| if made.is_complemented() { !*value } else { *value }),
            );
        }
    }
    roots.iter().map(|signal| image(map, *signal)).collect()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::phase::phases;
    use crate::phase::tests::circuit;

    const CELLS: usize = 5;

    fn goals() -> Vec<Option<Extremes>> {
        vec![Some(Extremes { highest: 0, lowest: 2, good: vec![0] }); 2]
    }

    /// Two roles put stones on a strip of cells; three neighbours win. Whoever fills the strip has a draw.
    fn strip() -> Circuit {
        let mut text = String::from(
            "(role x) (role o) (init (control x))
             (<= (legal ?r (put ?n)) (true (control ?r)) (cell ?n) (not (taken ?n)))
             (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
             (<= (taken ?n) (true (stone ?n ?r)))
             (<= (next (stone ?n ?r)) (does ?r (put ?n))) (<= (next (stone ?n ?r)) (true (stone ?n ?r)))
             (<= (next (control x)) (true (control o))) (<= (next (control o)) (true (control x)))
             (<= (line ?r) (true (stone ?a ?r)) (succ ?a ?b) (true (stone ?b ?r)) (succ ?b ?c) (true (stone ?c ?r)))
             (<= open (cell ?n) (not (taken ?n)))
             (<= terminal (line ?r)) (<= terminal (not open))
             (<= (goal ?r 100) (line ?r)) (<= (goal ?r 50) (role ?r) (not (line x)) (not (line o)))
             (<= (goal x 0) (line o)) (<= (goal o 0) (line x))",
        );
        for n in 0..CELLS {
            write!(text, "(cell {n}) (succ {n} {})", n + 1).expect("a string");
        }
        circuit(&text)
    }

    fn read(nodes: &[bool], signal: Signal) -> bool {
        nodes[signal.node()] != signal.is_complemented()
    }

    /// The values of fluents and moves after a move, by the whole circuit.
    fn after(circuit: &Circuit, values: &[bool], (role, action): (usize, usize)) -> Vec<bool> {
        let now = circuit.graph.evaluate(values);
        let mut values = values.to_vec();
        let mut start = circuit.fluents.len();
        for (other, legal) in circuit.legal.iter().enumerate() {
            let own = legal.iter().position(|legal| read(&now, *legal));
            let made = if other == role { Some(action) } else { own };
            values[start + made.expect("a legal move")] = true;
            start += legal.len();
        }
        let made = circuit.graph.evaluate(&values);
        let mut next = vec![false; values.len()];
        for (fluent, value) in next.iter_mut().take(circuit.fluents.len()).enumerate() {
            *value = read(&made, circuit.next[fluent]);
        }
        next
    }

    /// Whether a state is an end, and whether a goal holds there.
    fn ended(circuit: &Circuit, values: &[bool], goal: Signal) -> (bool, bool) {
        let nodes = circuit.graph.evaluate(values);
        (read(&nodes, circuit.terminal), read(&nodes, goal))
    }

    /// The moves that win at once.
    fn wins(circuit: &Circuit, values: &[bool], role: usize) -> Vec<bool> {
        let nodes = circuit.graph.evaluate(values);
        let legal = circuit.legal[role].iter().enumerate();
        let won = |action| {
            ended(circuit, &after(circuit, values, (role, action)), circuit.goals[role][0])
        };
        legal.map(|(action, legal)| read(&nodes, *legal) && won(action) == (true, true)).collect()
    }

    #[test]
    fn gates_tell_which_moves_win_and_which_let_the_other_win() {
        let circuit = strip();
        let plain = phases(&circuit, &[]);
        let mut decided = plain.clone();
        assert_eq!(decide(&mut decided, &circuit, &goals()), Care::InTurn);
        let inputs = circuit.fluents.len() + circuit.does.iter().map(Vec::len).sum::<usize>();
        let (mut won, mut avoided) = (0, 0);
        for (phase, plain) in decided.iter().zip(&plain) {
            let role = chooser(phase).expect("somebody chooses");
            for bits in 0..1_u32 << circuit.fluents.len() {
                let mut values = vec![false; inputs];
                for (fluent, value) in values.iter_mut().take(circuit.fluents.len()).enumerate() {
                    *value = bits >> fluent & 1 == 1;
                }
                let nodes = phase.circuit.graph.evaluate(&values);
                let fits = phase.fixed.iter().all(|(fluent, value)| values[*fluent] == *value);
                if !fits || read(&nodes, phase.circuit.terminal) {
                    continue;
                }
                let before = plain.circuit.graph.evaluate(&values);
                let legal: Vec<bool> =
                    plain.circuit.legal[role].iter().map(|s| read(&before, *s)).collect();
                let found: Vec<bool> =
                    phase.circuit.legal[role].iter().map(|s| read(&nodes, *s)).collect();
                let wins_now = wins(&circuit, &values, role);
                let lets = |action: usize| {
                    let next = after(&circuit, &values, (role, action));
                    let over = ended(&circuit, &next, circuit.terminal).0;
                    !over && wins(&circuit, &next, 1 - role).contains(&true)
                };
                let safe: Vec<bool> = (legal.iter().enumerate())
                    .map(|(action, legal)| *legal && !lets(action))
                    .collect();
                let expected = if wins_now.contains(&true) {
                    won += 1;
                    wins_now
                } else if safe.contains(&true) {
                    avoided += usize::from(safe != legal);
                    safe
                } else {
                    legal
                };
                assert_eq!(found, expected, "{bits:b}");
            }
        }
        assert!(won > 20 && avoided > 20, "{won} and {avoided}");
    }

    #[test]
    fn nothing_changes_where_goals_are_not_known() {
        let circuit = strip();
        let mut found = phases(&circuit, &[]);
        let before = found[0].circuit.legal.clone();
        assert_eq!(decide(&mut found, &circuit, &[None, None]), Care::None);
        assert_eq!(found[0].circuit.legal, before);
    }
}
