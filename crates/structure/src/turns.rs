//! Whose turn it is and how long the game can last: control fluents, turn-taking, step counters.

use game::{Game, Gates, GroundTerm, Role};

use crate::board::Quantity;
use crate::fluent::{Fluent, Functor, Parts, args};
use crate::sample::Sample;
use crate::settings::{Evidence, Prover, Verdict};
use crate::ternary::{Ternary, Truth};

/// A fluent that says whose turn it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Control {
    /// The fluent.
    pub fluent: GroundTerm,
    /// The role that has a choice where it holds.
    pub role: Role,
    /// How sure it is.
    pub evidence: Evidence,
}

/// A quantity that goes one step up its order with each step of the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counter {
    /// The fluent.
    pub functor: Functor,
    /// The value at the start.
    pub first: GroundTerm,
    /// How sure it is.
    pub evidence: Evidence,
    /// The number of steps after which the game is over at the latest, if the counter ends it.
    pub bound: Option<u32>,
}

/// The literals that may be looked at to find the end of a counter.
const MOST_WORK: u64 = 10_000_000;

/// Whether at most one role has a choice in each state, and whether that is certain; none if there is only one role, or
/// nothing was seen.
pub(crate) fn turn_taking(
    game: &Game,
    sample: &Sample,
    prover: &mut dyn Prover,
) -> (Option<bool>, bool) {
    let mut open = sample.states.iter().filter(|seen| !seen.terminal).peekable();
    if game.roles().len() < 2 || open.peek().is_none() {
        return (None, false);
    }
    if open.any(|seen| seen.choosing() > 1) {
        return (Some(false), true);
    }
    match prover.turn_taking() {
        Verdict::Proved => (Some(true), true),
        Verdict::Refuted => (Some(false), true),
        Verdict::Unknown => (Some(true), false),
    }
}

/// The control fluents: of a fluent that holds in one instance at a time, each instance goes with one role
/// that has a choice. A step counter has this property by accident; so there must be no more instances than
/// two for each role.
pub(crate) fn controls(
    game: &Game,
    fluents: &[Fluent],
    parts: &Parts,
    sample: &Sample,
) -> Vec<Control> {
    let roles = game.roles().len();
    let mut found = Vec::new();
    for fluent in fluents.iter().filter(|fluent| fluent.is_singleton() && fluent.functor.arity > 0)
    {
        if roles < 2 || fluent.count > 2 * roles || fluent.count < 2 {
            continue;
        }
        let own = instances(game, fluent, parts, sample);
        let movers: Vec<Option<Role>> = own.iter().map(|(_, movers, _)| only(movers)).collect();
        let several =
            movers.iter().flatten().any(|role| Some(role) != movers.iter().flatten().next());
        if several && movers.iter().all(Option::is_some) {
            found.extend(own.into_iter().zip(movers).filter_map(|((term, _, samples), role)| {
                let evidence = Evidence::Guessed { samples };
                Some(Control { fluent: term, role: role?, evidence })
            }));
        }
    }
    found
}

fn only(movers: &[bool]) -> Option<Role> {
    let mut all = movers.iter().zip(0..).filter(|(moves, _)| **moves);
    let first = all.next()?;
    all.next().is_none().then_some(Role(first.1))
}

/// The instances of a fluent that were met, each with the roles that had a choice and how often that was seen.
fn instances(
    game: &Game,
    fluent: &Fluent,
    parts: &Parts,
    sample: &Sample,
) -> Vec<(GroundTerm, Vec<bool>, u32)> {
    let mut found = Vec::new();
    for id in parts.of_functor(fluent.functor) {
        let mut movers = vec![false; game.roles().len()];
        let mut samples = 0;
        let states = sample.states.iter().filter(|seen| seen.choosing() > 0);
        for seen in states.filter(|seen| seen.state.contains(id)) {
            samples += 1;
            let choosing = seen.legal.iter().map(|moves| *moves > 1);
            movers.iter_mut().zip(choosing).for_each(|(moves, chooses)| *moves |= chooses);
        }
        if samples > 0 {
            found.push((game.universe().fluent_entry(id).term.clone(), movers, samples));
        }
    }
    found
}

/// The step counters among the quantities.
pub(crate) fn counters(
    gates: Option<&Gates>,
    quantities: &[Quantity],
    parts: &Parts,
    sample: &Sample,
) -> Vec<Counter> {
    let singles = quantities.iter().filter(|quantity| {
        quantity.is_single() && quantity.amounts.len() == 1 && quantity.functor.arity == 1
    });
    singles.filter_map(|quantity| counter(gates, quantity, parts, sample)).collect()
}

fn counter(
    gates: Option<&Gates>,
    quantity: &Quantity,
    parts: &Parts,
    sample: &Sample,
) -> Option<Counter> {
    let axis = &quantity.amounts[0];
    let values = values(quantity, parts, sample);
    let mut direction = 0;
    for transition in &sample.transitions {
        let (from, to) = (values[transition.from]?, values[transition.to]?);
        let step = axis.steps(from, to)?;
        if step.abs() != 1 || direction != 0 && step != direction {
            return None;
        }
        direction = step;
    }
    let first = (*values.first()?)?;
    if direction == 0 {
        return None;
    }
    let chain = gates.and_then(|gates| Some((gates, chain(gates, quantity, first, direction)?)));
    let (evidence, bound) = match chain {
        Some((gates, chain)) => (Evidence::Proved, ends(gates, &chain)),
        None => (Evidence::Guessed { samples: sample.transitions.len() as u32 }, None),
    };
    let first = axis.values[first].clone();
    Some(Counter { functor: quantity.functor, first, evidence, bound })
}

/// For each state the value of a single quantity.
fn values(quantity: &Quantity, parts: &Parts, sample: &Sample) -> Vec<Option<usize>> {
    let axis = &quantity.amounts[0];
    let mut value_of = Vec::new();
    for id in parts.of_functor(quantity.functor) {
        let value = parts
            .get(id)
            .and_then(|part| axis.position(&parts.terms[*part.args.first()? as usize]));
        value_of.push((id, value));
    }
    let of = |state: &game::State| value_of.iter().find(|(id, _)| state.contains(*id))?.1;
    sample.states.iter().map(|seen| of(&seen.state)).collect()
}

/// The fluents of a counter in the order in which they hold, as places in the ground program, if the rules
/// show that each holds exactly one step after the one before, and no other ever does.
fn chain(gates: &Gates, quantity: &Quantity, first: usize, direction: i64) -> Option<Vec<usize>> {
    let program = gates.program();
    let axis = &quantity.amounts[0];
    let mut places: Vec<(usize, usize)> = Vec::new();
    for (at, fluent) in program.fluents.iter().enumerate() {
        if Functor::of(fluent) == quantity.functor {
            places.push((axis.position(args(fluent).first()?)?, at));
        }
    }
    places.sort_unstable();
    if direction < 0 {
        places.reverse();
    }
    let chain: Vec<usize> = places.iter().map(|(_, at)| *at).collect();
    let begins = places.first()?.0 == first && program.next[chain[0]].is_none();
    let initially = chain.iter().all(|at| program.initial[*at] == (*at == chain[0]));
    let mut ternary = Ternary::new(program);
    let mut follows = |two: &[usize]| {
        let Some(next) = program.next[two[1]] else { return false };
        [true, false].into_iter().all(|holds| {
            ternary.clear();
            ternary.assume_fluent(two[0], holds);
            ternary.eval(next) == if holds { Truth::True } else { Truth::False }
        })
    };
    (begins && initially && chain.windows(2).all(&mut follows)).then_some(chain)
}

/// The number of steps until the counter alone makes the state terminal. Only values that `terminal` depends on
/// at all are tried: its rules may be large, those of chess are.
fn ends(gates: &Gates, chain: &[usize]) -> Option<u32> {
    let terminal = gates.program().terminal?;
    let mut ternary = Ternary::new(gates.program());
    let asked = ternary.fluents_below(terminal);
    let steps = chain.iter().position(|at| {
        ternary.clear();
        ternary.assume_fluent(*at, true);
        asked[*at] && ternary.work < MOST_WORK && ternary.eval(terminal) == Truth::True
    })?;
    Some(steps as u32)
}
