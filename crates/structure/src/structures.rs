//! All analyses of a game, one after the other, within one deadline.

use std::sync::Arc;
use std::time::{Duration, Instant};

use game::{Deadline, Game, GroundTerm, Reasoner};
use gdl::Symbols;
use ground::Domains;

use crate::board::{self, Board, Quantity};
use crate::fluent::{Axis, Fluent, Orders, Parts};
use crate::inputs;
use crate::order::{self, Order};
use crate::sample::Sample;
use crate::settings::{Prover, Settings};

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
        let times = watch.laps;
        Self { domains, orders, fluents, boards, quantities, sample, notes, times }
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
    let limits = game::Limits {
        deadline: deadline.instant(),
        cancel: deadline.flag(),
        ..game::Limits::default()
    };
    Sample::take(game, &mut game.interpreter_with(limits), settings, &deadline, notes)
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

/// An argument as contents: its order counts only if the rules link the two.
fn output(fluent: &Fluent, at: usize, orders: &Orders<'_>, symbols: &Symbols) -> Axis {
    let axis = &fluent.axes[at];
    let order = orders.best(fluent.functor.place(at), &axis.values, false);
    Axis::new(at, axis.values.clone(), order, symbols)
}
