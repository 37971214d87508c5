//! Knowledge of earlier matches in terms of the game at hand, and the other way round: symbols, arguments, fluents and roles
//! have the names that all copies of the rule sheet share.

use game::{FluentId, Game, Gates, GroundTerm};
use learn::{Model, RoleWeights};
use prove::{Kind, Told, candidates};
use rustc_hash::FxHashMap;
use search::GameClass;
use search::class::{Certainty, Known};
use structure::Functor;
use symmetry::{Fingerprint, SymbolKey};

use crate::knowledge::{self, Claim, Class, RoleLesson};
use crate::lessons::Taught;

/// The class of a game of so many roles, as it was found before.
pub(super) fn class(kept: &Class, roles: usize) -> GameClass {
    let certainty =
        |proved| if proved { Certainty::Proved } else { Certainty::Sampled(kept.states) };
    let mut class = GameClass::unknown(roles);
    if roles > 1 {
        class.turn_taking =
            Known { value: kept.turn_taking.0, certainty: certainty(kept.turn_taking.1) };
    }
    class.constant_sum =
        Known { value: kept.constant_sum.0, certainty: certainty(kept.constant_sum.1) };
    class.mean_length = kept.mean_length;
    class.mean_joint_moves = kept.mean_joint_moves.max(1.0);
    class
}

/// What is kept of a class.
pub(super) fn kept_class(class: &GameClass) -> Class {
    let states = match (class.turn_taking.certainty, class.constant_sum.certainty) {
        (Certainty::Sampled(states), _) | (_, Certainty::Sampled(states)) => states,
        _ => 0,
    };
    Class {
        turn_taking: (class.turn_taking.value, class.turn_taking.is_proved()),
        constant_sum: (class.constant_sum.value, class.constant_sum.is_proved()),
        states,
        mean_length: class.mean_length,
        mean_joint_moves: class.mean_joint_moves,
    }
}

fn key(functor: Functor) -> SymbolKey {
    SymbolKey { name: functor.name, arity: functor.arity, parens: functor.parens }
}

fn functor(key: SymbolKey) -> Functor {
    Functor { name: key.name, arity: key.arity, parens: key.parens }
}

/// What was proved or refuted before, for the analysis of structures. Claims that do not fit the game are left out.
pub(super) fn told(claims: &[Claim], print: &Fingerprint) -> Told {
    let mut told = Told::default();
    for claim in claims {
        if let Some((property, holds)) = property(claim, print) {
            told.remember(property, holds);
        }
    }
    told
}

fn property(claim: &Claim, print: &Fingerprint) -> Option<(prove::Property, bool)> {
    match claim {
        Claim::Inputs { fluent, inputs, holds } => {
            let (key, places) = print.symbol_of(*fluent)?;
            let back = inputs.iter().map(|at| places.iter().position(|place| place == at));
            let mut inputs = back.collect::<Option<Vec<usize>>>()?;
            inputs.sort_unstable();
            inputs.dedup();
            Some((candidates::inputs_of(functor(key), inputs), *holds))
        }
        Claim::Persistent { fluent, value, truth } => {
            let (key, places) = print.symbol_of(*fluent)?;
            let value = match value {
                None => None,
                Some((at, name)) => {
                    let at = places.iter().position(|place| place == at)?;
                    Some((at, print.term(name)?))
                }
            };
            Some((candidates::persistent(functor(key), value, *truth), true))
        }
    }
}

/// What is kept of what was proved or refuted.
pub(super) fn claims(told: &Told, print: &Fingerprint) -> Vec<Claim> {
    let mut claims = Vec::new();
    for finding in &told.0 {
        let proved = finding.verdict.is_proved();
        let refuted = matches!(finding.verdict, prove::Verdict::Refuted { .. });
        if !proved && !refuted {
            continue;
        }
        let claim = claim(&finding.property.kind, proved, print);
        if let Some(claim) = claim.filter(|claim| !claims.contains(claim)) {
            claims.push(claim);
        }
    }
    claims
}

fn claim(kind: &Kind, proved: bool, print: &Fingerprint) -> Option<Claim> {
    match kind {
        Kind::Inputs { fluent, inputs } => {
            let (fluent, places) = print.symbol(key(*fluent))?;
            let inputs = inputs.iter().map(|at| places.get(*at).copied());
            let mut inputs = inputs.collect::<Option<Vec<u32>>>()?;
            inputs.sort_unstable();
            Some(Claim::Inputs { fluent, inputs, holds: proved })
        }
        Kind::Persistent { fluent, value, truth } if proved => {
            let (fluent, places) = print.symbol(key(*fluent))?;
            let value = match value {
                None => None,
                Some((at, term)) => Some((*places.get(*at)?, print.name(term)?)),
            };
            Some(Claim::Persistent { fluent, value, truth: *truth })
        }
        _ => None,
    }
}

fn role_names(game: &Game, print: &Fingerprint) -> Option<Vec<String>> {
    game.roles().iter().map(|role| print.name(role)).collect()
}

fn fluent_name(game: &Game, print: &Fingerprint, fluent: FluentId) -> Option<String> {
    print.name(&game.universe().fluent_entry(fluent).term)
}

/// What was learned before, for the fluents of this game; none if it does not fit.
pub(super) fn taught(
    kept: &knowledge::Lesson,
    print: &Fingerprint,
    gates: &Gates,
    game: &Game,
) -> Option<Taught> {
    let mut by_name: FxHashMap<String, FluentId> = FxHashMap::default();
    for fluent in gates.fluents() {
        by_name.insert(fluent_name(game, print, *fluent)?, *fluent);
    }
    let fluents: Vec<Option<FluentId>> =
        kept.fluents.iter().map(|name| by_name.get(name).copied()).collect();
    let mut weights = Vec::new();
    let mut correlations = Vec::new();
    for name in role_names(game, print)? {
        let own = kept.roles.iter().find(|role| role.role == name)?;
        let fluent = |at: u32| fluents.get(at as usize).copied().flatten();
        weights.push(RoleWeights {
            bias: own.bias,
            fluents: own.weights.iter().filter_map(|(at, w)| Some((fluent(*at)?, *w))).collect(),
            pairs: (own.pairs.iter())
                .filter_map(|(a, b, w)| Some((fluent(*a)?, fluent(*b)?, *w)))
                .collect(),
        });
        correlations.push(own.correlation);
    }
    let positions = usize::try_from(kept.positions).ok()?;
    Some(Taught { model: Model::of(&weights), positions, correlations })
}

/// What is kept of what was learned.
pub(super) fn kept_lesson(
    taught: &Taught,
    print: &Fingerprint,
    game: &Game,
) -> Option<knowledge::Lesson> {
    let mut kept =
        knowledge::Lesson { positions: taught.positions as u64, ..knowledge::Lesson::default() };
    let mut places: FxHashMap<FluentId, u32> = FxHashMap::default();
    let mut place = |fluent: FluentId| {
        if let Some(place) = places.get(&fluent) {
            return Some(*place);
        }
        let place = kept.fluents.len() as u32;
        kept.fluents.push(fluent_name(game, print, fluent)?);
        places.insert(fluent, place);
        Some(place)
    };
    let names = role_names(game, print)?;
    for (at, (role, own)) in names.into_iter().zip(taught.model.weights()).enumerate() {
        let weights = own.fluents.iter().map(|(fluent, w)| Some((place(*fluent)?, *w)));
        let weights = weights.collect::<Option<_>>()?;
        let pairs = own.pairs.iter().map(|(a, b, w)| Some((place(*a)?, place(*b)?, *w)));
        let pairs = pairs.collect::<Option<_>>()?;
        let correlation = taught.correlations.get(at).copied().unwrap_or(0.0);
        kept.roles.push(RoleLesson { role, correlation, bias: own.bias, weights, pairs });
    }
    Some(kept)
}

/// Names of roles and of what holds first, for people who look at what is kept.
pub(super) fn words(game: &Game, initial: impl Iterator<Item = GroundTerm>) -> Vec<String> {
    let symbols = &game.program().symbols;
    let mut seen: Vec<String> = game.roles().iter().map(|role| role.to_text(symbols)).collect();
    for fluent in initial {
        let name = symbols.name(Functor::of(&fluent).name).to_owned();
        if !seen.contains(&name) {
            seen.push(name);
        }
    }
    knowledge::words(seen.into_iter())
}
