//! The game as a sequential circuit: latches are the fluents, inputs are the moves.
//!
//! The circuit of a game is exact for every set of its fluents, reachable or not, provided that each role
//! makes exactly one move and that this move is legal. Three simplifications went into it:
//!
//! 1. Fluents that can never hold, and what is certain where only possible fluents hold, were folded away
//!    when the rules were made ground. Every reachable state is a subset of the possible fluents, so states
//!    for an induction step are taken from these subsets and nothing is lost.
//! 2. Conditions that legality implies were left out of rules that mention `does`. They follow from
//!    `legal(R,M)` in every state, by the rules for it alone.
//! 3. Sets of moves were complemented, because each role makes exactly one.
//!
//! Nothing was simplified under the assumption that a state is reachable or not terminal (the circuits of
//! single phases do that; they are not used here). So a transition is encoded with exactly one move for each
//! role, legal, from a state that is not terminal, and is then right for arbitrary states, as induction needs.
//!
//! Gates for properties are added to a copy of the graph.

use circuit::Circuit;
use circuit::graph::{Graph, Node, Signal};
use game::Gates;
use ground::{AtomId, AtomKind, GroundProgram};
use rustc_hash::FxHashSet;

/// A game as gates, with room for gates of properties.
#[derive(Clone, Debug)]
pub struct Model {
    /// The gates; properties add theirs.
    pub graph: Graph,
    /// The input of each fluent.
    pub fluents: Vec<Signal>,
    /// The inputs of the moves of each role.
    pub does: Vec<Vec<Signal>>,
    /// Whether each fluent holds initially.
    pub initial: Vec<bool>,
    /// Whether each fluent holds next.
    pub next: Vec<Signal>,
    /// Whether each move of each role is legal.
    pub legal: Vec<Vec<Signal>>,
    /// Whether the state is terminal.
    pub terminal: Signal,
    /// For each role when each of its goal values holds.
    pub goals: Vec<Vec<Signal>>,
    /// The gates of derived atoms, as far as [`Self::atoms`] was asked for them.
    pub derived: Vec<Option<Signal>>,
    /// What each input stands for, by its number.
    inputs: Vec<Input>,
}

/// What an input of the circuit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// A fluent, by its place in the ground program.
    Fluent(u32),
    /// A move of a role.
    Does(u32, u32),
}

/// Why a circuit cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unsuitable {
    /// Legality, the end of the game or goals depend on `does`, against thesis Def. 2.7.
    DependsOnDoes,
}

impl std::fmt::Display for Unsuitable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::DependsOnDoes => write!(f, "legal, terminal or goal depends on does"),
        }
    }
}

impl std::error::Error for Unsuitable {}

impl Model {
    /// The conditions of which a signal is the conjunction, sorted.
    pub fn conjuncts(&self, signal: Signal) -> Vec<Signal> {
        let mut conditions = Vec::new();
        let mut seen = FxHashSet::default();
        let mut todo = vec![signal];
        while let Some(signal) = todo.pop() {
            if !seen.insert(signal) {
                continue;
            }
            match self.graph.nodes()[signal.node()] {
                Node::And(a, b) if !signal.is_complemented() => todo.extend([a, b]),
                _ => conditions.push(signal),
            }
        }
        conditions.sort_unstable();
        conditions
    }

    /// The circuit of a game.
    pub fn new(gates: &Gates) -> Result<Self, Unsuitable> {
        Self::of(gates.circuit(), gates.program())
    }

    /// A circuit with its ground program.
    pub fn of(circuit: &Circuit, program: &GroundProgram) -> Result<Self, Unsuitable> {
        let fluents = (0..circuit.fluents.len() as u32).map(Input::Fluent);
        let moves = circuit.does.iter().enumerate().flat_map(|(role, own)| {
            (0..own.len() as u32).map(move |action| Input::Does(role as u32, action))
        });
        let mut model = Self {
            graph: circuit.graph.clone(),
            fluents: circuit.fluents.clone(),
            does: circuit.does.clone(),
            initial: circuit.initial.clone(),
            next: circuit.next.clone(),
            legal: circuit.legal.clone(),
            terminal: circuit.terminal,
            goals: circuit.goals.clone(),
            derived: Vec::new(),
            inputs: fluents.chain(moves).collect(),
        };
        // A fluent that no rule gives never comes back.
        model.next.resize(model.fluents.len(), Signal::FALSE);
        let state = model.legal.iter().chain(&model.goals).flatten().chain([&model.terminal]);
        let roots: Vec<Signal> = state.copied().collect();
        if model.depends_on_moves(&roots) || mentions_moves(program) {
            return Err(Unsuitable::DependsOnDoes);
        }
        Ok(model)
    }

    /// What an input stands for.
    pub fn input(&self, number: u32) -> Input {
        self.inputs[number as usize]
    }

    /// Whether some of the signals depend on moves.
    pub fn depends_on_moves(&self, roots: &[Signal]) -> bool {
        let inside = self.cone(roots);
        inside.iter().any(|node| match self.graph.nodes()[*node as usize] {
            Node::Input(number) => matches!(self.input(number), Input::Does(..)),
            _ => false,
        })
    }

    /// The nodes that signals depend on, in the order of the graph.
    pub fn cone(&self, roots: &[Signal]) -> Vec<u32> {
        let mut inside = vec![false; self.graph.nodes().len()];
        let mut todo: Vec<usize> = roots.iter().map(|root| root.node()).collect();
        while let Some(node) = todo.pop() {
            if std::mem::replace(&mut inside[node], true) {
                continue;
            }
            if let Node::And(a, b) = self.graph.nodes()[node] {
                todo.extend([a.node(), b.node()]);
            }
        }
        (0..inside.len() as u32).filter(|node| inside[*node as usize]).collect()
    }

    /// The gates of the derived atoms of the ground program that depend on the state alone, built as the circuit was,
    /// so that they are the gates that are there already. None for atoms that depend on moves or on themselves.
    pub fn atoms(&mut self, program: &GroundProgram) -> Vec<Option<Signal>> {
        let mut seen = vec![false; program.kinds.len()];
        let mut found: Vec<Option<Signal>> = vec![None; program.kinds.len()];
        for atom in program.atoms() {
            let mut todo = vec![(atom, false)];
            while let Some((atom, entered)) = todo.pop() {
                if entered {
                    found[atom.index()] = self.derived(program, atom, &found);
                } else if !std::mem::replace(&mut seen[atom.index()], true) {
                    // Whoever meets it again before it is done depends on itself, and gets none.
                    todo.push((atom, true));
                    let literals = program.rules.literals_of(atom).iter();
                    let open = literals.filter(|literal| !seen[literal.atom.index()]);
                    todo.extend(open.map(|literal| (literal.atom, false)));
                }
            }
        }
        found
    }

    fn derived(
        &mut self,
        program: &GroundProgram,
        atom: AtomId,
        found: &[Option<Signal>],
    ) -> Option<Signal> {
        match program.kinds[atom.index()] {
            AtomKind::Fluent(fluent) => return Some(self.fluents[fluent as usize]),
            AtomKind::Does { .. } => return None,
            AtomKind::Derived => {}
        }
        let mut products = Vec::new();
        for body in program.rules_of(atom) {
            let mut product = Vec::with_capacity(body.len());
            for literal in body {
                let signal = found[literal.atom.index()]?;
                product.push(if literal.negative { !signal } else { signal });
            }
            products.push(product);
        }
        Some(self.graph.sum_of_products(products))
    }

    /// Both hold.
    pub fn and(&mut self, a: Signal, b: Signal) -> Signal {
        self.graph.and(a, b)
    }

    /// One of them holds.
    pub fn or(&mut self, a: Signal, b: Signal) -> Signal {
        self.graph.or(a, b)
    }

    /// All hold.
    pub fn all(&mut self, signals: &[Signal]) -> Signal {
        self.graph.all(signals)
    }

    /// One holds. (`Graph::any` would use what is known of moves only; signals of states have none of that.)
    pub fn any(&mut self, signals: &[Signal]) -> Signal {
        let complements: Vec<Signal> = signals.iter().map(|signal| !*signal).collect();
        !self.graph.all(&complements)
    }

    /// At least that many hold.
    pub fn at_least(&mut self, count: usize, signals: &[Signal]) -> Signal {
        if count == 0 {
            return Signal::TRUE;
        }
        if count > signals.len() {
            return Signal::FALSE;
        }
        // The same signals give the same gates, in whatever order they are named.
        let mut signals = signals.to_vec();
        signals.sort_unstable();
        self.counted(&signals, count)[count - 1]
    }

    /// At most that many hold.
    pub fn at_most(&mut self, count: usize, signals: &[Signal]) -> Signal {
        !self.at_least(count + 1, signals)
    }

    /// Signal i: more than i hold, for i below `most`; by merging halves (a totalizer, Bailleux and Boufkhad 2003).
    fn counted(&mut self, signals: &[Signal], most: usize) -> Vec<Signal> {
        if let [only] = signals {
            return vec![*only];
        }
        let (left, right) = signals.split_at(signals.len() / 2);
        let (left, right) = (self.counted(left, most), self.counted(right, most));
        let size = (left.len() + right.len()).min(most);
        let mut sums = Vec::with_capacity(size);
        for sum in 1usize..=size {
            let mut ways = Vec::new();
            for from_left in sum.saturating_sub(right.len())..=sum.min(left.len()) {
                let one = from_left.checked_sub(1).map_or(Signal::TRUE, |at| left[at]);
                let other = (sum - from_left).checked_sub(1).map_or(Signal::TRUE, |at| right[at]);
                ways.push(self.graph.and(one, other));
            }
            sums.push(self.any(&ways));
        }
        sums
    }
}

/// Whether rules for legality, the end or goals mention moves in the ground program, even if gates do not.
fn mentions_moves(program: &GroundProgram) -> bool {
    let mut seen = vec![false; program.kinds.len()];
    let legal = program.moves.iter().flatten().filter_map(|action| action.legal);
    let goals = program.goals.iter().flatten().map(|(_, atom)| *atom);
    let mut todo: Vec<_> = legal.chain(goals).chain(program.terminal).collect();
    while let Some(atom) = todo.pop() {
        if std::mem::replace(&mut seen[atom.index()], true) {
            continue;
        }
        if matches!(program.kinds[atom.index()], AtomKind::Does { .. }) {
            return true;
        }
        todo.extend(program.rules.literals_of(atom).iter().map(|literal| literal.atom));
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counting_gates_count() {
        let mut model = tiny();
        let signals = model.fluents.clone();
        for count in 0..=signals.len() + 1 {
            let least = model.at_least(count, &signals);
            let most = model.at_most(count, &signals);
            for bits in 0..1usize << signals.len() {
                let mut inputs: Vec<bool> =
                    (0..signals.len()).map(|i| bits >> i & 1 == 1).collect();
                inputs.resize(model.inputs.len(), false);
                let values = model.graph.evaluate(&inputs);
                let holds = |s: Signal| values[s.node()] != s.is_complemented();
                assert_eq!(holds(least), bits.count_ones() as usize >= count);
                assert_eq!(holds(most), bits.count_ones() as usize <= count);
            }
        }
    }

    fn tiny() -> Model {
        let facts = "(role r) (init (f 1)) (init (f 2)) (init (f 3)) (init (f 4)) (init (f 5))
            (legal r wait) (<= (next (f ?x)) (true (f ?x)) (true (f 1))) (<= terminal (true (f 3)))
            (<= (goal r 100) (true (f 4)) (true (f 5)))";
        let game = game::Game::from_text(facts).expect("valid");
        Model::new(&Gates::build(&game, &ground::Budget::default()).expect("small")).expect("sound")
    }
}
