//! What each move of a puzzle needs and what it changes, read off the circuit: with one move put in for the inputs of
//! moves, the gate of a fluent's next value is a constant, the fluent itself, or a condition on the state.
//!
//! Fluents that only tell the time are put in as constants, so that a step counter does not make every move depend on
//! every other. They differ from time to time; what they say of the end is kept as [`Span`]s of lengths.

use circuit::graph::{Graph, Node, Signal};
use game::Deadline;
use rustc_hash::FxHashMap;

use super::factors::support;
use super::model::{Input, Model};

/// Conditions of more gates than this are not looked at for what legality says about them.
const SMALL: usize = 400;
/// With more effects than this for all moves together nothing is gained.
const MOST_EFFECTS: usize = 4_000_000;
/// The circuit may grow to this many times its size, and this many gates more.
const GROWTH: (usize, usize) = (4, 1_000_000);

/// A fluent that a move sets.
#[derive(Clone, Copy, Debug)]
pub struct Effect {
    /// The fluent.
    pub fluent: u32,
    /// What it becomes: a constant, or a condition on the state in which the move is made.
    pub becomes: Signal,
    /// Whether the move only keeps, at some times, what moves of others may end.
    pub keeps: bool,
}

/// A move.
#[derive(Clone, Debug)]
pub struct Action {
    /// When it may be made.
    pub legal: Signal,
    /// What it changes.
    pub effects: Vec<Effect>,
    /// Fluents that it needs and uses up.
    pub spends: Vec<u32>,
    /// Fluents that must not become true before it, lest it is illegal or does something else.
    pub fears_true: Vec<u32>,
    /// Fluents that must not become false before it.
    pub fears_false: Vec<u32>,
}

/// Lengths of play in which the time makes no difference at the end.
#[derive(Clone, Debug)]
pub struct Span {
    /// The least length.
    pub least: usize,
    /// The greatest one; none without limit.
    pub most: Option<usize>,
    /// Whether the match is over after that many moves, by the rules or because nothing is legal.
    pub over: Signal,
    /// When each goal holds.
    pub goals: Vec<Signal>,
}

/// The moves of a puzzle of one role.
pub struct Effects {
    /// The circuit with the gates of all conditions.
    pub model: Model,
    /// The moves by their places.
    pub actions: Vec<Action>,
    /// Whether the match is over, at the first time.
    pub terminal: Signal,
    /// The ends at different times.
    pub spans: Vec<Span>,
}

impl Effects {
    /// The moves from the time that `initial` tells by the fluents of `clock`, for plans of at most `longest` moves. None
    /// if there is not enough time, or if there are too many effects.
    pub fn new(
        model: &Model,
        clock: &[bool],
        initial: &[bool],
        longest: usize,
        deadline: &Deadline,
    ) -> Option<Self> {
        let mut model = model.clone();
        let mut times = Times::new(&model, clock);
        let (first, spans) = times.spans(&mut model, initial, longest, deadline)?;
        let terminal = first.terminal;
        let actions = Residuals::new(&model, 0, &first, clock).actions(&mut model, deadline)?;
        Some(Self { model, actions, terminal, spans })
    }

    /// Whether more than a few moves can ever be made side by side: there is no fluent that nearly all of them both
    /// change and depend on.
    pub fn is_parallel(&self) -> bool {
        let mut bound = vec![0usize; self.model.fluents.len()];
        for action in &self.actions {
            for effect in &action.effects {
                let (on, off) = effect.directions();
                let fears = |list: &[u32]| list.binary_search(&effect.fluent).is_ok();
                if (on && fears(&action.fears_true)) || (off && fears(&action.fears_false)) {
                    bound[effect.fluent as usize] += 1;
                }
            }
        }
        let most = bound.into_iter().max().unwrap_or(0);
        self.actions.len() > 1 && most * 20 < self.actions.len() * 19
    }
}

impl Action {
    fn when(legal: Signal) -> Self {
        let (fears_true, fears_false) = (Vec::new(), Vec::new());
        Self { legal, effects: Vec::new(), spends: Vec::new(), fears_true, fears_false }
    }
}

impl Effect {
    /// Whether it may make its fluent true, and whether false.
    pub fn directions(&self) -> (bool, bool) {
        (self.becomes != Signal::FALSE, self.becomes != Signal::TRUE)
    }
}

/// The moves of a role at any time, whatever others do: conditions may read the clock and moves of others.
pub fn actions_of(
    model: &mut Model,
    role: usize,
    clock: &[bool],
    deadline: &Deadline,
) -> Option<Vec<Action>> {
    let (legal, next) = (model.legal[role].clone(), model.next.clone());
    let any = Moment { legal, next, terminal: model.terminal, goals: Vec::new() };
    Residuals::new(model, role, &any, clock).actions(model, deadline)
}

/// The circuit at one time: what does not depend on the clock is the same at all.
struct Moment {
    legal: Vec<Signal>,
    next: Vec<Signal>,
    terminal: Signal,
    goals: Vec<Signal>,
}

/// The circuit with the fluents of the clock as constants.
struct Times<'c> {
    clock: &'c [bool],
    /// The gates that depend on the clock, in order.
    affected: Vec<u32>,
    /// What each node of the circuit became.
    map: Vec<Signal>,
}

impl<'c> Times<'c> {
    fn new(model: &Model, clock: &'c [bool]) -> Self {
        let nodes = model.graph.nodes();
        let mut depends = vec![false; nodes.len()];
        for (fluent, tells) in model.fluents.iter().zip(clock) {
            depends[fluent.node()] |= *tells;
        }
        let mut affected = Vec::new();
        for (at, node) in nodes.iter().enumerate() {
            if let Node::And(a, b) = node
                && (depends[a.node()] || depends[b.node()])
            {
                depends[at] = true;
                affected.push(at as u32);
            }
        }
        let map = (0..nodes.len() as u32).map(|node| Signal(node << 1)).collect();
        Self { clock, affected, map }
    }

    fn of(&self, signal: Signal) -> Signal {
        let mapped = self.map[signal.node()];
        if signal.is_complemented() { !mapped } else { mapped }
    }

    fn moment(&mut self, model: &mut Model, state: &[bool]) -> Moment {
        for (at, fluent) in model.fluents.iter().enumerate().filter(|(at, _)| self.clock[*at]) {
            self.map[fluent.node()] = if state[at] { Signal::TRUE } else { Signal::FALSE };
        }
        for at in &self.affected {
            if let Node::And(a, b) = model.graph.nodes()[*at as usize] {
                let (a, b) = (self.of(a), self.of(b));
                self.map[*at as usize] = model.graph.and(a, b);
            }
        }
        let all = |signals: &[Signal]| signals.iter().map(|signal| self.of(*signal)).collect();
        Moment {
            legal: all(&model.legal[0]),
            next: all(&model.next),
            terminal: self.of(model.terminal),
            goals: all(&model.goals[0]),
        }
    }

    /// The circuit at the first time, and what the time says of the end, as long as it says nothing of moves.
    fn spans(
        &mut self,
        model: &mut Model,
        initial: &[bool],
        longest: usize,
        deadline: &Deadline,
    ) -> Option<(Moment, Vec<Span>)> {
        let most = model.graph.nodes().len() * GROWTH.0 + GROWTH.1;
        let mut state = initial.to_vec();
        let first = self.moment(model, &state);
        let mut spans = vec![span(model, 0, &first)];
        for length in 1..=longest {
            if deadline.passed() || model.graph.nodes().len() > most {
                return None;
            }
            let before = state.clone();
            self.tick(model, &mut state)?;
            if state == before {
                if let Some(last) = spans.last_mut() {
                    last.most = None;
                }
                break;
            }
            let moment = self.moment(model, &state);
            let span = span(model, length, &moment);
            match spans.last_mut() {
                Some(last) if last.over == span.over && last.goals == span.goals => {
                    last.most = Some(length);
                }
                _ => spans.push(span),
            }
            if moment.legal != first.legal || !self.moves_alike(&moment.next, &first.next) {
                break;
            }
        }
        Some((first, spans))
    }

    /// The clock one step later, of the moment made last. None if it does not go by itself.
    fn tick(&self, model: &Model, state: &mut [bool]) -> Option<()> {
        for (at, holds) in state.iter_mut().enumerate().filter(|(at, _)| self.clock[*at]) {
            *holds = match self.of(model.next[at]) {
                Signal::TRUE => true,
                Signal::FALSE => false,
                _ => return None,
            };
        }
        Some(())
    }

    /// Whether moves do the same to all fluents but the clock.
    fn moves_alike(&self, one: &[Signal], other: &[Signal]) -> bool {
        let mut pairs = one.iter().zip(other).zip(self.clock);
        pairs.all(|((one, other), tells)| *tells || one == other)
    }
}

fn span(model: &mut Model, length: usize, moment: &Moment) -> Span {
    let illegal: Vec<Signal> = moment.legal.iter().map(|legal| !*legal).collect();
    let stuck = model.all(&illegal);
    let over = model.or(moment.terminal, stuck);
    Span { least: length, most: Some(length), over, goals: moment.goals.clone() }
}

/// The circuit of next values with one move put in.
struct Residuals {
    role: usize,
    legal: Vec<Signal>,
    next: Vec<Signal>,
    /// For each fluent whether it counts.
    counts: Vec<bool>,
    /// For each gate that depends on moves those that read it; only gates that some next value needs.
    readers: Vec<Vec<u32>>,
    /// For each node the fluents that it is the next value of, complemented or not.
    gives: FxHashMap<u32, Vec<u32>>,
    /// What each node becomes without any move, and with the move at hand.
    without: Vec<Signal>,
    with: Vec<Signal>,
    /// Fluents that change without any move.
    adrift: Vec<Effect>,
    /// What moves of others make of fluents, whatever this role does.
    foreign: FxHashMap<u32, Signal>,
    /// Whether fluents are only kept where they become something.
    keeping: FxHashMap<(u32, Signal), bool>,
}

impl Residuals {
    fn new(model: &Model, role: usize, moment: &Moment, clock: &[bool]) -> Self {
        let nodes = model.graph.nodes();
        let counts: Vec<bool> = clock.iter().map(|tells| !tells).collect();
        let wanted =
            moment.next.iter().zip(&counts).filter_map(|(next, counts)| counts.then_some(*next));
        let wanted: Vec<Signal> = wanted.collect();
        let mut moved = vec![false; nodes.len()];
        let mut readers = vec![Vec::new(); nodes.len()];
        for at in model.cone(&wanted) {
            match nodes[at as usize] {
                Node::Input(number) => {
                    let input = model.input(number);
                    moved[at as usize] = matches!(input, Input::Does(of, _) if of as usize == role);
                }
                Node::And(a, b) => {
                    for signal in [a, b] {
                        if moved[signal.node()] {
                            moved[at as usize] = true;
                            readers[signal.node()].push(at);
                        }
                    }
                }
                Node::False => {}
            }
        }
        let mut gives: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for (fluent, next) in moment.next.iter().enumerate().filter(|(at, _)| counts[*at]) {
            if moved[next.node()] {
                gives.entry(next.node() as u32).or_default().push(fluent as u32);
            }
        }
        let identity: Vec<Signal> = (0..nodes.len() as u32).map(|node| Signal(node << 1)).collect();
        Self {
            role,
            legal: moment.legal.clone(),
            next: moment.next.clone(),
            counts,
            readers,
            gives,
            without: identity.clone(),
            with: identity,
            adrift: Vec::new(),
            foreign: FxHashMap::default(),
            keeping: FxHashMap::default(),
        }
    }

    fn of(&self, signal: Signal) -> Signal {
        let mapped = self.with[signal.node()];
        if signal.is_complemented() { !mapped } else { mapped }
    }

    fn actions(mut self, model: &mut Model, deadline: &Deadline) -> Option<Vec<Action>> {
        let does = model.does[self.role].clone();
        for input in &does {
            self.with[input.node()] = Signal::FALSE;
        }
        let all: Vec<u32> = self.above(does.iter().map(|input| input.node() as u32));
        self.put(&mut model.graph, &all);
        self.without.clone_from(&self.with);
        self.adrift = self.drifting(model);
        if model.does.len() > 1 {
            let reads = reading_moves(model);
            let foreign = self.adrift.iter().filter(|one| reads[one.becomes.node()]);
            self.foreign = foreign.map(|one| (one.fluent, one.becomes)).collect();
            self.adrift.retain(|one| !self.foreign.contains_key(&one.fluent));
        }
        let mut reads = Reads::default();
        let mut actions = Vec::with_capacity(does.len());
        let mut effects = 0;
        for (place, input) in does.iter().enumerate() {
            if deadline.passed() || effects > MOST_EFFECTS {
                return None;
            }
            let mut action = Action::when(self.legal[place]);
            if action.legal != Signal::FALSE {
                let known = literals(&model.graph, action.legal);
                action.effects = self.effects(model, *input, &known);
                let needed = |fluent: u32| model.fluents[fluent as usize].node() as u32;
                let spent = action.effects.iter().filter(|effect| {
                    let needed = known.get(&needed(effect.fluent)) == Some(&Signal::TRUE);
                    needed && effect.becomes == Signal::FALSE
                });
                action.spends = spent.map(|effect| effect.fluent).collect();
                reads.of(&model.graph, &mut action, |number| match model.input(number) {
                    Input::Fluent(fluent) => Some(fluent),
                    Input::Does(..) => None,
                });
            }
            effects += action.effects.len();
            actions.push(action);
        }
        Some(actions)
    }

    /// The fluents that no move leaves alone unless it says so.
    fn drifting(&self, model: &Model) -> Vec<Effect> {
        let mut adrift = Vec::new();
        for (at, next) in self.next.iter().enumerate().filter(|(at, _)| self.counts[*at]) {
            let becomes = self.of(*next);
            if becomes != model.fluents[at] {
                adrift.push(Effect { fluent: at as u32, becomes, keeps: false });
            }
        }
        adrift
    }

    /// All gates above some nodes, in order, without these.
    fn above(&self, nodes: impl Iterator<Item = u32>) -> Vec<u32> {
        let mut todo: Vec<u32> = nodes.collect();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut above = Vec::new();
        while let Some(node) = todo.pop() {
            for reader in &self.readers[node as usize] {
                if seen.insert(*reader) {
                    above.push(*reader);
                    todo.push(*reader);
                }
            }
        }
        above.sort_unstable();
        above
    }

    fn put(&mut self, graph: &mut Graph, gates: &[u32]) {
        for at in gates {
            if let Node::And(a, b) = graph.nodes()[*at as usize] {
                let (a, b) = (self.of(a), self.of(b));
                self.with[*at as usize] = graph.and(a, b);
            }
        }
    }

    /// What a move changes where what is known of its legality holds.
    fn effects(
        &mut self,
        model: &mut Model,
        does: Signal,
        known: &FxHashMap<u32, Signal>,
    ) -> Vec<Effect> {
        let mut above = self.above([does.node() as u32].into_iter());
        self.with[does.node()] = Signal::TRUE;
        self.put(&mut model.graph, &above);
        above.push(does.node() as u32);
        let mut effects = Vec::new();
        for fluent in above.iter().filter_map(|node| self.gives.get(node)).flatten() {
            let becomes = self.of(self.next[*fluent as usize]);
            if self.foreign.get(fluent) != Some(&becomes) {
                effects.push(Effect { fluent: *fluent, becomes, keeps: false });
            }
        }
        effects.sort_unstable_by_key(|effect| effect.fluent);
        let others = self.adrift.iter().copied();
        let told = |fluent: u32| effects.binary_search_by_key(&fluent, |e| e.fluent).is_ok();
        let others: Vec<Effect> = others.filter(|effect| !told(effect.fluent)).collect();
        effects.extend(others);
        for node in above {
            self.with[node as usize] = self.without[node as usize];
        }
        effects.retain_mut(|effect| {
            let fluent = model.fluents[effect.fluent as usize];
            effect.becomes = given(&mut model.graph, effect.becomes, known);
            let now = known.get(&(fluent.node() as u32)).copied().unwrap_or(fluent);
            // What others would change without the move is changed by a move that keeps it.
            let kept = effect.becomes == fluent || effect.becomes == now;
            let Some(foreign) = self.foreign.get(&effect.fluent) else { return !kept };
            let (becomes, counts) = (effect.becomes, &self.counts);
            effect.keeps = kept
                || *self
                    .keeping
                    .entry((effect.fluent, becomes))
                    .or_insert_with(|| keeps(model, (effect.fluent, becomes), *foreign, counts));
            true
        });
        effects
    }
}

/// Whether a fluent that becomes something only stays as it is, by the time and by moves of others, from which comes `foreign`.
fn keeps(
    model: &Model,
    (fluent, becomes): (u32, Signal),
    foreign: Signal,
    counts: &[bool],
) -> bool {
    if !model.conjuncts(becomes).contains(&model.fluents[fluent as usize]) {
        return false;
    }
    let others = support(model, foreign);
    let known = |read: &u32| *read == fluent || !counts[*read as usize] || others.contains(read);
    support(model, becomes).iter().all(known)
}

/// For each node whether it depends on moves.
fn reading_moves(model: &Model) -> Vec<bool> {
    let mut reads: Vec<bool> = Vec::with_capacity(model.graph.nodes().len());
    for node in model.graph.nodes() {
        reads.push(match node {
            Node::Input(number) => matches!(model.input(*number), Input::Does(..)),
            Node::And(a, b) => reads[a.node()] || reads[b.node()],
            Node::False => false,
        });
    }
    reads
}

/// The inputs and gates that hold, or do not, wherever a conjunction does.
fn literals(graph: &Graph, signal: Signal) -> FxHashMap<u32, Signal> {
    let mut known = FxHashMap::default();
    let mut todo = vec![signal];
    while let Some(signal) = todo.pop() {
        let value = if signal.is_complemented() { Signal::FALSE } else { Signal::TRUE };
        known.insert(signal.node() as u32, value);
        match graph.nodes()[signal.node()] {
            Node::And(a, b) if !signal.is_complemented() && known.len() < SMALL => {
                todo.extend([a, b]);
            }
            _ => {}
        }
    }
    known
}

/// A small condition with what is known put in.
fn given(graph: &mut Graph, signal: Signal, known: &FxHashMap<u32, Signal>) -> Signal {
    let mut map = known.clone();
    let mut cone = Vec::new();
    let mut todo = vec![signal.node() as u32];
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(node) = todo.pop() {
        if let Node::And(a, b) = graph.nodes()[node as usize]
            && !known.contains_key(&node)
            && seen.insert(node)
        {
            if cone.len() == SMALL {
                return signal;
            }
            cone.push(node);
            todo.extend([a.node() as u32, b.node() as u32]);
        }
    }
    cone.sort_unstable();
    let of = |map: &FxHashMap<u32, Signal>, signal: Signal| {
        let node = signal.node() as u32;
        let mapped = map.get(&node).copied().unwrap_or(Signal(node << 1));
        if signal.is_complemented() { !mapped } else { mapped }
    };
    for node in cone {
        if let Node::And(a, b) = graph.nodes()[node as usize] {
            let (a, b) = (of(&map, a), of(&map, b));
            let value = graph.and(a, b);
            map.insert(node, value);
        }
    }
    of(&map, signal)
}

/// Which fluents conditions read, and in which sense.
#[derive(Default)]
struct Reads {
    /// For each node the last time it was met, plain and complemented.
    met: Vec<[u32; 2]>,
    now: u32,
}

impl Reads {
    fn of(&mut self, graph: &Graph, action: &mut Action, fluent: impl Fn(u32) -> Option<u32>) {
        self.met.resize(graph.nodes().len(), [0; 2]);
        self.now += 1;
        let conditions = action.effects.iter().map(|effect| effect.becomes);
        // What an effect depends on must not change either way.
        let mut todo: Vec<Signal> = conditions.flat_map(|becomes| [becomes, !becomes]).collect();
        todo.push(action.legal);
        while let Some(signal) = todo.pop() {
            let met = &mut self.met[signal.node()][usize::from(signal.is_complemented())];
            if std::mem::replace(met, self.now) == self.now {
                continue;
            }
            match graph.nodes()[signal.node()] {
                Node::Input(number) => {
                    let Some(fluent) = fluent(number) else { continue };
                    if signal.is_complemented() {
                        action.fears_true.push(fluent);
                    } else {
                        action.fears_false.push(fluent);
                    }
                }
                Node::And(a, b) if signal.is_complemented() => todo.extend([!a, !b]),
                Node::And(a, b) => todo.extend([a, b]),
                Node::False => {}
            }
        }
        action.fears_true.sort_unstable();
        action.fears_false.sort_unstable();
    }
}
