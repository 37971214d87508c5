//! All analyses of a game, one after the other, within one deadline.

use std::sync::Arc;
use std::time::{Duration, Instant};

use game::{Deadline, Game, GroundTerm, Reasoner};
use gdl::Symbols;
use ground::Domains;
use rustc_hash::FxHashMap;

use crate::board::{self, Board, Quantity};
use crate::change::Changes;
use crate::fluent::{Axis, Fluent, Orders, Parts};
use crate::grid::{self, Neighbours};
use crate::inputs;
use crate::moves::{self, Mobility, MoveCells};
use crate::order::{self, Order};
use crate::persist::{self, Latch, Persistent};
use crate::piece::{self, Piece};
use crate::sample::Sample;
use crate::settings::{Prover, Settings};
use crate::turns::{self, Control, Counter};

/// What was found out about a game.
#[derive(Clone, Debug)]
pub struct Structures {
    /// The domains of relations and functions.
    pub domains: Domains,
    /// The successor and order relations.
    pub orders: Vec<Arc<Order>>,
    /// The fluents by name.
    pub fluents: Vec<Fluent>,
    /// The boards, larger ones first.
    pub boards: Vec<Board>,
    /// The quantities.
    pub quantities: Vec<Quantity>,
    /// Whether at most one role has a choice in each state met; none for games of one role.
    pub turn_taking: Option<bool>,
    /// Whether that is certain: that several choose at once was seen, that they never do has to be proved.
    pub turn_taking_proved: bool,
    /// The fluents that say whose turn it is.
    pub controls: Vec<Control>,
    /// The step counters.
    pub counters: Vec<Counter>,
    /// What lies on the boards.
    pub pieces: Vec<Piece>,
    /// Moves whose arguments are cells of boards.
    pub move_cells: Vec<MoveCells>,
    /// Which cells are neighbours.
    pub neighbours: Vec<Neighbours>,
    /// Fluents that stay as they are once they have a value.
    pub persistent: Vec<Persistent>,
    /// Those that bound rewards.
    pub latches: Vec<Latch>,
    /// Conditions on having moves.
    pub mobility: Vec<Mobility>,
    /// The random play that guesses are based on.
    pub sample: Sample,
    /// What could not be examined, and why.
    pub notes: Vec<String>,
    /// How long each analysis took.
    pub times: Vec<(&'static str, Duration)>,
}

/// The share of the time that random play may take.
const SHARE_OF_PLAY: f64 = 0.4;

impl Structures {
    /// Runs all analyses. Those that the deadline cuts short leave out what they did not come to, and a note.
    pub fn find(
        reasoner: &Reasoner,
        settings: &Settings,
        deadline: &Deadline,
        prover: &mut dyn Prover,
    ) -> Self {
        let game = reasoner.game();
        let mut watch = Watch::new();
        let mut notes = Vec::new();
        let domains = Domains::new(game.program());
        watch.lap("domains");
        let orders = order::find(game.program(), &domains, settings, deadline, &mut notes);
        let orders: Vec<Arc<Order>> = orders.into_iter().map(Arc::new).collect();
        watch.lap("orders");
        let sample = play(reasoner, settings, deadline, &mut notes);
        watch.lap("random play");
        let parts = parts(reasoner, &sample);
        let inputs = inputs::find(&parts, &sample, settings, prover, &mut notes);
        watch.lap("input arguments");
        let ordering = Orders { domains: &domains, all: &orders, roles: game.roles() };
        let fluents = fluents(game, &parts, inputs, &ordering);
        let symbols = game.universe().symbols();
        let as_output = |fluent: &Fluent, at: usize| output(fluent, at, &ordering, symbols);
        let (mut boards, quantities) = board::find(&fluents, &as_output);
        boards.sort_by_key(|board| std::cmp::Reverse((board.is_ordered(), board.cell_count())));
        watch.lap("boards and quantities");
        let (turn_taking, turn_taking_proved) = turns::turn_taking(game, &sample, prover);
        let mut found = Self {
            domains,
            orders,
            fluents,
            boards,
            quantities,
            turn_taking,
            turn_taking_proved,
            controls: Vec::new(),
            counters: Vec::new(),
            pieces: Vec::new(),
            move_cells: Vec::new(),
            neighbours: Vec::new(),
            persistent: Vec::new(),
            latches: Vec::new(),
            mobility: moves::mobility(game.program()),
            sample,
            notes,
            times: Vec::new(),
        };
        if settings.play {
            found.find_turns(reasoner, &parts);
            watch.lap("turns and counters");
            found.look_at_boards(game, settings, deadline);
            watch.lap("pieces and moves");
            found.find_persistent(reasoner, &parts, deadline, prover);
            watch.lap("persistence");
        }
        found.times = watch.laps;
        found
    }

    /// The number of steps after which the game is over at the latest, as a step counter shows.
    pub fn turn_bound(&self) -> Option<u32> {
        self.counters.iter().filter_map(|counter| counter.bound).min()
    }

    fn find_turns(&mut self, reasoner: &Reasoner, parts: &Parts) {
        let game = reasoner.game();
        self.controls = turns::controls(game, &self.fluents, parts, &self.sample);
        self.counters = turns::counters(reasoner.gates(), &self.quantities, parts, &self.sample);
        // The proof of a counter shows that it has one value at a time.
        for counter in self.counters.iter().filter(|counter| counter.evidence.is_proved()) {
            let own = self.fluents.iter_mut().filter(|fluent| fluent.functor == counter.functor);
            for inputs in own.flat_map(|fluent| &mut fluent.inputs) {
                inputs.evidence = counter.evidence;
            }
            let own = self.quantities.iter_mut().filter(|q| q.functor == counter.functor);
            own.for_each(|quantity| quantity.evidence = counter.evidence);
        }
    }

    fn look_at_boards(&mut self, game: &Game, settings: &Settings, deadline: &Deadline) {
        for (number, board) in self.boards.iter().enumerate() {
            if deadline.passed() {
                self.notes
                    .push("out of time before the pieces of all boards were found".to_owned());
                break;
            }
            let changes = Changes::new(game, board, &self.sample);
            if !board.contents.iter().any(Axis::is_ordered) {
                self.pieces.extend(piece::find(game, number, board, &self.sample, &changes));
            }
            let cells = moves::cells(game, number, board, &self.sample, &changes, &self.domains);
            self.move_cells.extend(cells);
        }
        let program = game.program();
        self.neighbours = grid::find(program, &self.boards, &self.domains, settings, deadline);
    }

    fn find_persistent(
        &mut self,
        reasoner: &Reasoner,
        parts: &Parts,
        deadline: &Deadline,
        prover: &mut dyn Prover,
    ) {
        let gates = reasoner.gates();
        let groups = groups(parts, &self.boards);
        let notes = &mut self.notes;
        self.persistent = persist::find(gates, &self.sample, &groups, deadline, notes);
        persist::ask(reasoner.game(), &mut self.persistent, prover);
        if let Some(gates) = gates {
            self.latches = persist::latches(gates, &self.persistent, deadline, &mut self.notes);
        }
    }
}

/// Measures one analysis after the other.
struct Watch {
    last: Instant,
    laps: Vec<(&'static str, Duration)>,
}

impl Watch {
    fn new() -> Self {
        Self { last: Instant::now(), laps: Vec::new() }
    }

    fn lap(&mut self, name: &'static str) {
        let now = Instant::now();
        self.laps.push((name, now - self.last));
        self.last = now;
    }
}

fn play(
    reasoner: &Reasoner,
    settings: &Settings,
    deadline: &Deadline,
    notes: &mut Vec<String>,
) -> Sample {
    let game = reasoner.game();
    let most = deadline.left().map_or(settings.play_time, |left| left.mul_f64(SHARE_OF_PLAY));
    let deadline = deadline.not_after(Instant::now() + most.min(settings.play_time));
    if reasoner.gates().is_some() {
        return Sample::take(game, &mut *reasoner.machine(), settings, &deadline, notes);
    }
    let mut machine = game.interpreter_with(deadline.limits());
    Sample::take(game, &mut machine, settings, &deadline, notes)
}

/// The fluents that random play met, then those that the ground program knows besides.
fn parts(reasoner: &Reasoner, sample: &Sample) -> Parts {
    let universe = reasoner.game().universe();
    let mut parts = Parts::default();
    for seen in &sample.states {
        seen.state.iter().for_each(|fluent| parts.meet(universe, fluent));
    }
    if let Some(gates) = reasoner.gates() {
        gates.fluents().iter().for_each(|fluent| parts.meet(universe, *fluent));
    }
    parts
}

fn fluents(
    game: &Game,
    parts: &Parts,
    inputs: Vec<Vec<crate::fluent::Inputs>>,
    orders: &Orders<'_>,
) -> Vec<Fluent> {
    let symbols = game.universe().symbols();
    let mut values: Vec<Vec<Vec<u32>>> =
        parts.functors.iter().map(|f| vec![Vec::new(); f.arity as usize]).collect();
    let mut counts = vec![0; parts.functors.len()];
    for (_, part) in parts.iter() {
        counts[part.functor as usize] += 1;
        for (own, arg) in values[part.functor as usize].iter_mut().zip(&part.args) {
            own.push(*arg);
        }
    }
    let functors = parts.functors.iter().zip(values).zip(inputs).zip(counts);
    let mut fluents: Vec<Fluent> = functors
        .map(|(((functor, values), inputs), count)| {
            let axis = |(argument, mut numbers): (usize, Vec<u32>)| {
                numbers.sort_unstable();
                numbers.dedup();
                let terms = numbers.iter().map(|number| parts.terms[*number as usize].clone());
                let terms: Vec<GroundTerm> = terms.collect();
                let order = orders.best(functor.place(argument), &terms, true);
                Axis::new(argument, terms, order, symbols)
            };
            let axes = values.into_iter().enumerate().map(axis).collect();
            Fluent { functor: *functor, inputs, axes, count }
        })
        .collect();
    fluents.sort_by_key(|fluent| symbols.name(fluent.functor.name).to_lowercase());
    fluents
}

/// Numbers for the fluents, the same for those that differ only in the coordinates of their board.
fn groups(parts: &Parts, boards: &[Board]) -> Vec<u32> {
    let mut numbers: FxHashMap<(u32, Vec<u32>), u32> = FxHashMap::default();
    let mut groups = Vec::new();
    for (fluent, part) in parts.iter() {
        let functor = parts.functors[part.functor as usize];
        let board = boards.iter().find(|board| board.functor == functor);
        let contents = board.map_or(&[][..], |board| &board.contents);
        let key = contents.iter().map(|axis| part.args[axis.argument]).collect();
        let next = numbers.len() as u32 + 1;
        let number = *numbers.entry((part.functor, key)).or_insert(next);
        groups.resize(fluent.index() + 1, 0);
        groups[fluent.index()] = number;
    }
    groups
}

/// An argument as contents: its order counts only if the rules link the two.
fn output(fluent: &Fluent, at: usize, orders: &Orders<'_>, symbols: &Symbols) -> Axis {
    let axis = &fluent.axes[at];
    let order = orders.best(fluent.functor.place(at), &axis.values, false);
    Axis::new(at, axis.values.clone(), order, symbols)
}
