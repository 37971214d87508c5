//! The properties that are tried without being asked for: those of thesis §7.3, and what the rest of a player can use.
//!
//! States of random play leave out what is false anyway; nothing else is taken from them.

use game::{Goals, GroundTerm, Machine};
use gdl::{Relation, keyword};
use ground::Place;
use rustc_hash::{FxHashMap, FxHashSet};
use structure::{Functor, Sample};

use crate::property::{Comparison, Formula, Kind, Property, Term, Variable};
use crate::vocabulary::{Depends, GOAL, LEGAL, TERMINAL, TRUE, Vocabulary};

/// The most arguments of a fluent for which all sets of input arguments are tried.
const MOST_ARGUMENTS: u32 = 6;
/// The most values of an argument that get properties of their own.
const MOST_VALUES: usize = 40;
/// The most pairs of fluents that may exclude each other.
const MOST_PAIRS: usize = 300;

/// All candidates, those of the thesis first.
pub fn candidates(
    vocabulary: &Vocabulary,
    sample: &Sample,
    machine: &mut dyn Machine,
) -> Vec<Property> {
    let seen = Seen::new(vocabulary, sample);
    let mut found = input_arguments(vocabulary);
    found.extend(seen.exactly_one(vocabulary));
    found.push(turn_taking());
    found.push(playable());
    found.push(outcome_defined());
    found.push(monotonic());
    found.extend(constant_sum(vocabulary, sample, machine));
    found.extend(seen.persistent(vocabulary, sample));
    found.extend(seen.mutexes(vocabulary));
    found.extend(seen.unreachable(vocabulary));
    found.extend(seen.terminates(vocabulary, sample));
    found
}

/// Persistence and mutual exclusion that no sampled state contradicts.
pub fn companions(vocabulary: &Vocabulary, sample: &Sample) -> Vec<Property> {
    let seen = Seen::new(vocabulary, sample);
    let mut found = seen.persistent(vocabulary, sample);
    found.extend(seen.mutexes(vocabulary));
    found
}

/// For all fluents and all sets of their arguments: they are input arguments (thesis §7.3, §7.5). The set of all
/// arguments is left out, it always is one.
pub fn input_arguments(vocabulary: &Vocabulary) -> Vec<Property> {
    let mut found = Vec::new();
    for fluent in vocabulary.fluents() {
        if fluent.arity == 0 || fluent.arity > 20 {
            continue;
        }
        let all = 1u32 << fluent.arity;
        let mut sets: Vec<u32> = (0..all - 1).collect();
        // Of long fluents: none, one, or all but one.
        sets.retain(|set| {
            let size = set.count_ones();
            fluent.arity <= MOST_ARGUMENTS || size <= 1 || size + 1 >= fluent.arity
        });
        sets.sort_by_key(|set| (set.count_ones(), *set));
        for set in sets {
            let inputs = (0..fluent.arity as usize).filter(|at| set >> at & 1 == 1).collect();
            found.push(inputs_of(*fluent, inputs));
        }
    }
    found
}

/// The arguments at these positions determine the others: `forall X1: at most 1 X2: f(X1,X2)`.
pub fn inputs_of(fluent: Functor, inputs: Vec<usize>) -> Property {
    let formula = one_of(fluent, &inputs, 0);
    let variables = names("X", fluent.arity as usize);
    Property { kind: Kind::Inputs { fluent, inputs }, formula, variables }
}

/// For all values of these arguments exactly one instance holds.
pub fn exactly_one_of(fluent: Functor, inputs: Vec<usize>) -> Property {
    let formula = one_of(fluent, &inputs, 1);
    let variables = names("X", fluent.arity as usize);
    Property { kind: Kind::ExactlyOne { fluent, inputs }, formula, variables }
}

fn one_of(fluent: Functor, inputs: &[usize], least: u32) -> Formula {
    let all = 0..fluent.arity;
    let (mut input, mut output) = (Vec::new(), Vec::new());
    for at in all.clone() {
        if inputs.contains(&(at as usize)) { input.push(at) } else { output.push(at) }
    }
    let term = Term::fluent(fluent, all.map(Term::Variable).collect());
    Formula::fluent(term).count(least, Some(1), output).for_all(input)
}

fn names(prefix: &str, count: usize) -> Vec<String> {
    (1..=count).map(|at| format!("{prefix}{at}")).collect()
}

fn terminal() -> Formula {
    Formula::relation(keyword::TERMINAL, Vec::new())
}

fn goal(role: Term, value: Variable) -> Formula {
    Formula::relation(keyword::GOAL, vec![role, Term::Variable(value)])
}

/// At most one role has more than one move.
pub fn turn_taking() -> Property {
    let legal = Formula::relation(keyword::LEGAL, vec![Term::Variable(0), Term::Variable(1)]);
    let choice = legal.count(2, None, vec![1]);
    let formula = terminal().negated().implies(choice.count(0, Some(1), vec![0]));
    Property { kind: Kind::TurnTaking, formula, variables: vec!["R".into(), "M".into()] }
}

/// Every role has a move in every state that is not terminal (thesis Def. 2.9).
pub fn playable() -> Property {
    let legal = Formula::relation(keyword::LEGAL, vec![Term::Variable(0), Term::Variable(1)]);
    let role = Formula::relation(keyword::ROLE, vec![Term::Variable(0)]);
    let when = Formula::And(vec![role, terminal().negated()]);
    let formula = when.implies(legal.count(1, None, vec![1])).for_all(vec![0]);
    Property { kind: Kind::Playable, formula, variables: vec!["R".into(), "M".into()] }
}

/// Every role has exactly one goal value in every terminal state (thesis Def. 2.13).
pub fn outcome_defined() -> Property {
    let role = Formula::relation(keyword::ROLE, vec![Term::Variable(0)]);
    let when = Formula::And(vec![role, terminal()]);
    let value = goal(Term::Variable(0), 1).count(1, Some(1), vec![1]);
    let formula = when.implies(value).for_all(vec![0]);
    Property { kind: Kind::OutcomeDefined, formula, variables: vec!["R".into(), "V".into()] }
}

/// Every role has exactly one goal value in every state, and it never decreases (thesis Def. 2.10).
pub fn monotonic() -> Property {
    let one = |role: Variable, value: Variable| {
        let value = goal(Term::Variable(role), value).count(1, Some(1), vec![value]);
        let is_role = Formula::relation(keyword::ROLE, vec![Term::Variable(role)]);
        is_role.implies(value).for_all(vec![role])
    };
    let larger =
        Formula::Compare(vec![Term::Variable(6)], Comparison::AtLeast, vec![Term::Variable(5)]);
    let later = Formula::And(vec![goal(Term::Variable(4), 6), larger]).count(1, None, vec![6]);
    let grows =
        goal(Term::Variable(4), 5).implies(Formula::Next(Box::new(later))).for_all(vec![4, 5]);
    let formula = Formula::And(vec![one(0, 1), Formula::Next(Box::new(one(2, 3))), grows]);
    let variables = ["R", "V", "R", "V", "R", "V", "W"].map(str::to_owned).to_vec();
    Property { kind: Kind::Monotonic, formula, variables }
}

/// The goals of all roles add up to the same in all terminal states (thesis §7.3); the sum is that of an end that
/// was seen.
fn constant_sum(
    vocabulary: &Vocabulary,
    sample: &Sample,
    machine: &mut dyn Machine,
) -> Option<Property> {
    let end = sample.states.iter().find(|seen| seen.terminal)?;
    let mut total = 0;
    for role in vocabulary.game.role_ids() {
        let Ok(Goals::One(goal)) = machine.goal(&end.state, role) else { return None };
        total += u32::from(goal.0);
    }
    Some(sum_is(vocabulary, total))
}

/// The goals of all roles add up to this in all terminal states.
pub fn sum_is(vocabulary: &Vocabulary, total: u32) -> Property {
    let roles = vocabulary.game.roles();
    let variables: Vec<Variable> = (0..roles.len() as u32).collect();
    let goals = roles.iter().zip(&variables).map(|(role, v)| goal(Term::of(role), *v));
    let when = Formula::And([terminal()].into_iter().chain(goals).collect());
    let sum = variables.iter().map(|v| Term::Variable(*v)).collect();
    let adds = Formula::Compare(sum, Comparison::Equal, vec![Term::Number(i64::from(total))]);
    let names = names("V", roles.len());
    let formula = when.implies(adds).for_all(variables);
    Property { kind: Kind::ConstantSum { total }, formula, variables: names }
}

/// For each role: no end gives it as much as this. Matches that refute all of them show that a game is weakly winnable
/// (thesis Def. 2.11).
pub fn never_wins(vocabulary: &Vocabulary, most: &[u32]) -> Vec<Property> {
    let roles = vocabulary.game.roles().iter();
    let never = |(role, most): (&GroundTerm, &u32)| {
        let (value, most) = (Term::Variable(0), Term::Number(i64::from(*most)));
        let most = Formula::Compare(vec![value], Comparison::Equal, vec![most]);
        let won = Formula::And(vec![goal(Term::of(role), 0), most]).count(1, None, vec![0]);
        let formula = Formula::And(vec![terminal(), won]).negated();
        Property::asked(formula, vec!["V".into()])
    };
    roles.zip(most).map(never).collect()
}

/// The fluents of the sampled states, taken apart.
struct Seen {
    /// For each state the instances of each fluent.
    states: Vec<FxHashMap<Functor, Vec<Vec<GroundTerm>>>>,
}

impl Seen {
    fn new(vocabulary: &Vocabulary, sample: &Sample) -> Self {
        let universe = vocabulary.game.universe();
        let apart = |seen: &structure::Seen| {
            let mut found: FxHashMap<Functor, Vec<Vec<GroundTerm>>> = FxHashMap::default();
            for fluent in seen.state.iter() {
                let entry = universe.fluent_entry(fluent);
                let args = structure::args(&entry.term).to_vec();
                found.entry(Functor::of(&entry.term)).or_default().push(args);
            }
            found
        };
        Self { states: sample.states.iter().map(apart).collect() }
    }

    fn rows(&self, state: usize, fluent: Functor) -> &[Vec<GroundTerm>] {
        self.states[state].get(&fluent).map_or(&[], Vec::as_slice)
    }

    /// For each fluent the sets of input arguments with exactly one instance in all states seen, smallest ones only.
    fn exactly_one(&self, vocabulary: &Vocabulary) -> Vec<Property> {
        let mut found = Vec::new();
        for fluent in vocabulary.fluents() {
            if fluent.arity == 0 || fluent.arity > MOST_ARGUMENTS {
                continue;
            }
            let mut smallest: Vec<Vec<usize>> = Vec::new();
            let mut sets: Vec<u32> = (0..(1u32 << fluent.arity) - 1).collect();
            sets.sort_by_key(|set| (set.count_ones(), *set));
            for set in sets {
                let inputs: Vec<usize> =
                    (0..fluent.arity as usize).filter(|at| set >> at & 1 == 1).collect();
                let larger = smallest.iter().any(|s| s.iter().all(|at| inputs.contains(at)));
                if !larger && self.has_one(vocabulary, *fluent, &inputs) {
                    smallest.push(inputs.clone());
                    found.push(exactly_one_of(*fluent, inputs));
                }
            }
        }
        found
    }

    fn has_one(&self, vocabulary: &Vocabulary, fluent: Functor, inputs: &[usize]) -> bool {
        let mut tuples = 1usize;
        for input in inputs {
            match vocabulary.values(fluent.place(*input), 100_000) {
                Some(values) => tuples = tuples.saturating_mul(values.len()),
                None => return false,
            }
        }
        (0..self.states.len()).all(|state| {
            let rows = self.rows(state, fluent);
            let keys: FxHashSet<Vec<&GroundTerm>> =
                rows.iter().map(|row| inputs.iter().map(|at| &row[*at]).collect()).collect();
            rows.len() == tuples && keys.len() == tuples
        })
    }

    /// Fluents that do not change back in any step seen: all instances, or those with a value at an argument.
    fn persistent(&self, vocabulary: &Vocabulary, sample: &Sample) -> Vec<Property> {
        let mut found = Vec::new();
        for fluent in vocabulary.fluents() {
            for truth in [true, false] {
                if self.stays(sample, *fluent, None, truth) {
                    found.push(persistent(*fluent, None, truth));
                    continue;
                }
                for argument in 0..fluent.arity as usize {
                    let values = vocabulary.values(fluent.place(argument), MOST_VALUES);
                    for value in values.unwrap_or_default() {
                        let which = Some((argument, value));
                        if self.stays(sample, *fluent, which.as_ref(), truth) {
                            found.push(persistent(*fluent, which, truth));
                        }
                    }
                }
            }
        }
        found
    }

    /// Whether instances kept a truth value in all steps seen, and had it after having had the other.
    fn stays(
        &self,
        sample: &Sample,
        fluent: Functor,
        which: Option<&(usize, GroundTerm)>,
        truth: bool,
    ) -> bool {
        let of = |state: usize| -> FxHashSet<&Vec<GroundTerm>> {
            let rows = self.rows(state, fluent).iter();
            rows.filter(|row| which.is_none_or(|(at, value)| row[*at] == *value)).collect()
        };
        let mut changed = false;
        for step in &sample.transitions {
            let (before, after) = (of(step.from), of(step.to));
            let (from, to) = if truth { (&before, &after) } else { (&after, &before) };
            if !from.is_subset(to) {
                return false;
            }
            changed |= before.len() != after.len();
        }
        changed
    }

    /// Pairs of fluents over the same values that never held together.
    fn mutexes(&self, vocabulary: &Vocabulary) -> Vec<Property> {
        let fluents = vocabulary.fluents();
        let mut found = Vec::new();
        for (at, one) in fluents.iter().enumerate() {
            for other in &fluents[at + 1..] {
                let alike = one.arity == other.arity
                    && (0..one.arity as usize).all(|at| alike(vocabulary, *one, *other, at));
                let together = |state| {
                    let rows = self.rows(state, *one);
                    let other: FxHashSet<_> = self.rows(state, *other).iter().collect();
                    rows.iter().any(|row| other.contains(row))
                };
                let met = |f: Functor| (0..self.states.len()).any(|s| !self.rows(s, f).is_empty());
                if alike
                    && met(*one)
                    && met(*other)
                    && !(0..self.states.len()).any(together)
                    && found.len() < MOST_PAIRS
                {
                    found.push(mutex(*one, *other));
                }
            }
        }
        found
    }

    /// Fluents and values of fluents that no state had.
    fn unreachable(&self, vocabulary: &Vocabulary) -> Vec<Property> {
        let mut found = Vec::new();
        for fluent in vocabulary.fluents() {
            let all = (0..self.states.len()).flat_map(|state| self.rows(state, *fluent));
            let all: Vec<&Vec<GroundTerm>> = all.collect();
            if all.is_empty() {
                found.push(unreachable(*fluent, None));
                continue;
            }
            for argument in 0..fluent.arity as usize {
                let met: FxHashSet<&GroundTerm> = all.iter().map(|row| &row[argument]).collect();
                let values = vocabulary.values(fluent.place(argument), MOST_VALUES);
                let never = values.unwrap_or_default().into_iter().filter(|v| !met.contains(v));
                found.extend(never.map(|value| unreachable(*fluent, Some((argument, value)))));
            }
        }
        found
    }

    /// Counters that go up by one step of a successor relation with each move, and end the game.
    fn terminates(&self, vocabulary: &Vocabulary, sample: &Sample) -> Vec<Property> {
        let mut found = Vec::new();
        let counters = vocabulary.fluents().iter().filter(|f| f.arity == 1);
        for fluent in counters {
            let Some(first) = self.only(0, *fluent) else { continue };
            for relation in successors(vocabulary, *fluent) {
                let Some(rows) = vocabulary.rows(relation) else { continue };
                let next: FxHashMap<&GroundTerm, &GroundTerm> =
                    rows.iter().map(|row| (&row[0], &row[1])).collect();
                let follows = |step: &structure::Transition| {
                    let now = self.only(step.from, *fluent);
                    let then = self.only(step.to, *fluent);
                    now.and_then(|now| next.get(now).copied()) == then && then.is_some()
                };
                if next.len() == rows.len() && sample.transitions.iter().all(follows) {
                    found.extend(counts(*fluent, first, &next));
                }
            }
        }
        found.dedup();
        found
    }

    fn only(&self, state: usize, fluent: Functor) -> Option<&GroundTerm> {
        match self.states.get(state)?.get(&fluent)?.as_slice() {
            [row] => row.first(),
            _ => None,
        }
    }
}

fn alike(vocabulary: &Vocabulary, one: Functor, other: Functor, at: usize) -> bool {
    let component = |f: Functor| vocabulary.domains.component_of(f.place(at));
    component(one) == component(other)
}

/// Static relations of two arguments over the values of a fluent of one argument.
fn successors(vocabulary: &Vocabulary, fluent: Functor) -> Vec<Relation> {
    let own = vocabulary.domains.component_of(fluent.place(0));
    let all = vocabulary.relations().into_iter();
    all.filter(|relation| relation.arity == 2 && ![LEGAL, GOAL, TERMINAL, TRUE].contains(relation))
        .filter(|relation| vocabulary.depends(*relation) == Depends::Never)
        .filter(|relation| {
            let linked = |at| vocabulary.domains.component_of(Place::relation(*relation, at));
            linked(0) == own && linked(1) == own
        })
        .collect()
}

/// The claim that a counter runs through all values from the first one on, and the game is over at the last.
fn counts(
    fluent: Functor,
    first: &GroundTerm,
    next: &FxHashMap<&GroundTerm, &GroundTerm>,
) -> Option<Property> {
    let mut chain = vec![first.clone()];
    while let Some(value) = chain.last().and_then(|last| next.get(last)) {
        if chain.contains(value) || chain.len() > 2_000 {
            return None;
        }
        chain.push((*value).clone());
    }
    let at = |value: &GroundTerm| Formula::fluent(Term::fluent(fluent, vec![Term::of(value)]));
    let mut parts: Vec<Formula> = chain
        .windows(2)
        .map(|pair| at(&pair[0]).implies(Formula::Next(Box::new(at(&pair[1])))))
        .collect();
    parts.push(at(chain.last()?).negated());
    let kind = Kind::Terminates { fluent, argument: 0, steps: chain.len() as u32 - 1 };
    let formula = if parts.len() == 1 { parts.remove(0) } else { Formula::And(parts) };
    // Without a step it would say nothing about moves.
    formula.speaks_of_next().then_some(Property { kind, formula, variables: Vec::new() })
}

fn instance(fluent: Functor, which: Option<&(usize, GroundTerm)>) -> (Term, Vec<Variable>) {
    let fixed = which.map(|(at, _)| *at);
    let open: Vec<Variable> = (0..fluent.arity).filter(|at| fixed != Some(*at as usize)).collect();
    let args = (0..fluent.arity).map(|at| match which {
        Some((argument, value)) if *argument == at as usize => Term::of(value),
        _ => Term::Variable(at),
    });
    (Term::fluent(fluent, args.collect()), open)
}

/// Once true it stays true, or once false it stays false (thesis §7.6).
pub fn persistent(fluent: Functor, value: Option<(usize, GroundTerm)>, truth: bool) -> Property {
    let (term, open) = instance(fluent, value.as_ref());
    let now = Formula::fluent(term.clone());
    let then = Formula::Next(Box::new(Formula::fluent(term)));
    let formula = if truth { now.implies(then) } else { then.implies(now) }.for_all(open);
    let variables = names("X", fluent.arity as usize);
    Property { kind: Kind::Persistent { fluent, value, truth }, formula, variables }
}

/// Instances of two fluents with the same arguments never hold together.
pub fn mutex(one: Functor, other: Functor) -> Property {
    let variables: Vec<Variable> = (0..one.arity).collect();
    let of = |fluent: Functor| {
        let args = variables.iter().map(|v| Term::Variable(*v)).collect();
        Formula::fluent(Term::fluent(fluent, args))
    };
    let both = Formula::And(vec![of(one), of(other)]);
    let formula = both.negated().for_all(variables.clone());
    let variables = names("X", one.arity as usize);
    Property { kind: Kind::Mutex { one, other }, formula, variables }
}

/// No instance, or none with a value at a place, ever holds.
pub fn unreachable(fluent: Functor, value: Option<(usize, GroundTerm)>) -> Property {
    let (term, open) = instance(fluent, value.as_ref());
    let formula = Formula::fluent(term).negated().for_all(open);
    let variables = names("X", fluent.arity as usize);
    Property { kind: Kind::Unreachable { fluent, value }, formula, variables }
}
