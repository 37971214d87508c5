//! Plans for the parts of a puzzle ([`super::factors`]), found apart and put together: the states of parts add up, where
//! those of the whole multiply.
//!
//! The goal has to ask for each part alone: it is a conjunction of conditions that read one part each, or has such a
//! conjunction among its alternatives. Each part is searched breadth first, by its own moves and compared by its own
//! fluents. Where a move touches one part only, the plans follow each other, those first that others wait for; where
//! moves touch several, plans are laid side by side, and the shorter ones go on with moves that keep what was reached.
//! The whole is replayed before it counts.

use circuit::graph::{Node, Signal};
use game::{Deadline, FluentId, Gates, JointMove, Machine, Move, ReasonError, Role, State};
use rustc_hash::{FxHashMap, FxHashSet};

use super::factors::{Factors, support};
use super::model::{Input, Model};
use super::parallel::{Question, Replay, Wish};

/// Alternatives of a goal that are looked at.
const ALTERNATIVES: usize = 32;
/// The choice of moves that leave a part alone.
const ALONE: u32 = u32::MAX;
/// The bytes that a state takes besides its words.
const STATE_BYTES: usize = 160;

/// Looks for plans part by part.
#[derive(Default)]
pub struct Apart {
    divided: Option<Divided>,
    /// Whether the game is known to be all one.
    whole: bool,
}

/// The parts of a puzzle and what its moves are to them.
struct Divided {
    factors: Factors,
    /// The place of each move.
    places: FxHashMap<Move, u32>,
    /// For each move its choice in each part.
    choices: Vec<Vec<u32>>,
}

impl Divided {
    fn new(gates: &Gates, factors: Factors) -> Self {
        let own = &gates.moves()[0];
        let mut choices = vec![vec![ALONE; factors.parts.len()]; own.len()];
        for (at, part) in factors.parts.iter().enumerate() {
            for (choice, moves) in (0..).zip(&part.choices[0]) {
                for place in moves {
                    choices[*place as usize][at] = choice;
                }
            }
        }
        let places = own.iter().copied().zip(0..).collect();
        Self { factors, places, choices }
    }
}

impl Apart {
    /// A plan, replayed; none if the game is all one, if its goal does not ask for parts, or if about `most` states of a
    /// part were not enough.
    pub fn look(&mut self, question: &Question<'_>, most: usize) -> Option<Vec<Move>> {
        let Question { gates, model, state, wish, memory, deadline, .. } = *question;
        if self.divided.is_none() && !self.whole {
            let factors = Factors::new(gates, model, deadline);
            self.whole = factors.is_none() && !deadline.passed();
            self.divided = factors.map(|factors| Divided::new(gates, factors));
        }
        let divided = self.divided.as_ref()?;
        let mut search = Search {
            gates,
            divided,
            machine: Box::new(gates.machine()),
            most: most.min(memory / STATE_BYTES),
            deadline,
        };
        for goals in wishes(gates, model, &divided.factors, wish) {
            // A machine that gives up says nothing of the plan, which is then not used.
            let moves = search.plan(state, &goals).ok().flatten();
            let plan: Option<Vec<Vec<usize>>> = moves.map(|moves| {
                moves.iter().map(|action| vec![divided.places[action] as usize]).collect()
            });
            let replay = Replay { gates, least: wish.least };
            let found = plan.and_then(|plan| replay.line(state, &plan).ok().flatten());
            if found.is_some() || deadline.passed() {
                return found;
            }
        }
        None
    }
}

/// What is wanted of some parts, in their order.
type Goals = Vec<(usize, Condition)>;

/// The alternatives of the goal that ask for parts alone.
fn wishes(gates: &Gates, model: &Model, factors: &Factors, wish: Wish<'_>) -> Vec<Goals> {
    let enough = |value: &Option<u8>| value.is_some_and(|value| value >= wish.least);
    let goals = model.goals[0].iter().zip(wish.values).filter(|(_, value)| enough(value));
    let mut wishes = Vec::new();
    for (goal, _) in goals {
        for alternative in disjuncts(model, *goal) {
            wishes.extend(divide(gates, model, factors, alternative));
        }
    }
    wishes
}

/// The alternatives of a condition: itself, and what it is the disjunction of.
fn disjuncts(model: &Model, signal: Signal) -> Vec<Signal> {
    let mut alternatives = vec![signal];
    if signal.is_complemented() {
        alternatives.extend(model.conjuncts(!signal).into_iter().map(|one| !one));
    }
    alternatives.truncate(ALTERNATIVES);
    alternatives
}

/// The conditions of a conjunction by parts; none if one of them reads several.
fn divide(gates: &Gates, model: &Model, factors: &Factors, signal: Signal) -> Option<Goals> {
    let mut wanted: Vec<Vec<Signal>> = vec![Vec::new(); factors.parts.len()];
    for condition in model.conjuncts(signal) {
        let reads = support(model, condition);
        let mut parts: Vec<u32> =
            reads.iter().filter_map(|fluent| factors.part_of[*fluent as usize]).collect();
        parts.dedup();
        match parts[..] {
            // The time, or what never changes: the replay will tell.
            [] => {}
            [part] => wanted[part as usize].push(condition),
            _ => return None,
        }
    }
    let wanted = wanted.into_iter().enumerate().filter(|(_, signals)| !signals.is_empty());
    let goals: Goals =
        wanted.map(|(part, signals)| (part, Condition::new(gates, model, &signals))).collect();
    (!goals.is_empty()).then_some(goals)
}

/// A gate of a condition.
enum Gate {
    Fluent(FluentId),
    And([(usize, bool); 2]),
    False,
}

/// Conditions that can be asked for in a state.
struct Condition {
    gates: Vec<Gate>,
    roots: Vec<(usize, bool)>,
}

impl Condition {
    fn new(gates: &Gates, model: &Model, signals: &[Signal]) -> Self {
        let mut at: FxHashMap<usize, usize> = FxHashMap::default();
        let mut compiled = Vec::new();
        for node in model.cone(signals) {
            let place = |signal: Signal| (at[&signal.node()], signal.is_complemented());
            let gate = match model.graph.nodes()[node as usize] {
                Node::And(a, b) => Gate::And([place(a), place(b)]),
                Node::Input(number) => match model.input(number) {
                    Input::Fluent(fluent) => Gate::Fluent(gates.fluents()[fluent as usize]),
                    Input::Does(..) => Gate::False,
                },
                Node::False => Gate::False,
            };
            at.insert(node as usize, compiled.len());
            compiled.push(gate);
        }
        let roots = signals.iter().map(|signal| (at[&signal.node()], signal.is_complemented()));
        Self { roots: roots.collect(), gates: compiled }
    }

    fn holds(&self, state: &State) -> bool {
        let mut values = Vec::with_capacity(self.gates.len());
        for gate in &self.gates {
            let value = match gate {
                Gate::Fluent(fluent) => state.contains(*fluent),
                Gate::And(both) => both.iter().all(|(at, not): &(usize, bool)| values[*at] != *not),
                Gate::False => false,
            };
            values.push(value);
        }
        self.roots.iter().all(|(at, not)| values[*at] != *not)
    }
}

/// Searches parts.
struct Search<'a> {
    gates: &'a Gates,
    divided: &'a Divided,
    machine: Box<dyn Machine>,
    most: usize,
    deadline: &'a Deadline,
}

/// A plan with the state it leads to.
type Way = (Vec<Move>, State);

impl Search<'_> {
    fn plan(&mut self, state: &State, goals: &Goals) -> Result<Option<Vec<Move>>, ReasonError> {
        if self.divided.factors.together {
            return self.side_by_side(state, goals);
        }
        let mut line = Vec::new();
        let mut state = state.clone();
        for (part, goal) in goals {
            let parts = self.with_those_before(*part, goals);
            let Some((moves, next)) = self.part(&state, &parts, goal)? else { return Ok(None) };
            line.extend(moves);
            state = next;
        }
        Ok(Some(line))
    }

    /// A part with those that it follows, unless these have goals of their own.
    fn with_those_before(&self, part: usize, goals: &Goals) -> Vec<usize> {
        let mut parts = vec![part];
        let mut at = 0;
        while let Some(part) = parts.get(at) {
            let follows = &self.divided.factors.parts[*part].follows;
            let free = |before: &&usize| goals.iter().all(|(part, _)| part != *before);
            let new: Vec<usize> = follows
                .iter()
                .filter(free)
                .filter(|before| !parts.contains(before))
                .copied()
                .collect();
            parts.extend(new);
            at += 1;
        }
        parts
    }

    /// Breadth first through the states of some parts.
    fn part(
        &mut self,
        start: &State,
        parts: &[usize],
        goal: &Condition,
    ) -> Result<Option<Way>, ReasonError> {
        if goal.holds(start) {
            return Ok(Some((Vec::new(), start.clone())));
        }
        let mask = self.mask(parts);
        let view = |state: &State| -> Vec<u64> {
            state.words().iter().zip(mask.words()).map(|(word, mask)| word & mask).collect()
        };
        let mut seen: FxHashSet<Vec<u64>> = FxHashSet::default();
        seen.insert(view(start));
        let mut steps: Vec<(State, usize, Move)> = Vec::new();
        let mut at = 0;
        loop {
            let state = match at {
                0 => start.clone(),
                _ => match steps.get(at - 1) {
                    Some((state, ..)) => state.clone(),
                    None => return Ok(None),
                },
            };
            if self.deadline.passed() || steps.len() > self.most {
                return Ok(None);
            }
            for action in self.choices(&state, parts)? {
                let next = self.machine.next(&state, &JointMove(vec![action]))?;
                if !seen.insert(view(&next)) {
                    continue;
                }
                steps.push((next, at, action));
                if goal.holds(&steps[steps.len() - 1].0) {
                    return Ok(Some(trace(steps)));
                }
            }
            at += 1;
        }
    }

    /// The fluents by which states of some parts are compared: all but those that only count moves.
    fn mask(&self, parts: &[usize]) -> State {
        let mut mask = State::new();
        for part in parts.iter().map(|part| &self.divided.factors.parts[*part]) {
            for fluent in part.fluents.iter().filter(|one| part.timers.binary_search(one).is_err())
            {
                mask.insert(self.gates.fluents()[*fluent as usize]);
            }
        }
        mask
    }

    /// One legal move for each choice in some parts.
    fn choices(&mut self, state: &State, parts: &[usize]) -> Result<Vec<Move>, ReasonError> {
        let mut legal = Vec::new();
        if self.machine.is_terminal(state)? {
            return Ok(legal);
        }
        self.machine.legal_moves(state, Role(0), &mut legal)?;
        let mut met: FxHashSet<Vec<u32>> = FxHashSet::default();
        let divided = self.divided;
        legal.retain(|action| {
            let Some(place) = divided.places.get(action) else { return false };
            let all = &divided.choices[*place as usize];
            let own: Vec<u32> = parts.iter().map(|part| all[*part]).collect();
            // In a game of moves for several parts at once, leaving this one alone is a choice too.
            let touches = divided.factors.together || own.iter().any(|choice| *choice != ALONE);
            touches && met.insert(own)
        });
        Ok(legal)
    }

    /// Plans of all parts from the same state, laid side by side.
    fn side_by_side(
        &mut self,
        start: &State,
        goals: &Goals,
    ) -> Result<Option<Vec<Move>>, ReasonError> {
        let mut plans = Vec::new();
        for (part, goal) in goals {
            let Some((moves, _)) = self.part(start, &[*part], goal)? else { return Ok(None) };
            let choice =
                |action: &Move| self.divided.choices[self.divided.places[action] as usize][*part];
            plans.push(moves.iter().map(choice).collect::<Vec<u32>>());
        }
        let length = plans.iter().map(Vec::len).max().unwrap_or(0);
        let mut state = start.clone();
        let mut line = Vec::new();
        for step in 0..length {
            let fixed: Vec<Option<u32>> =
                plans.iter().map(|plan| plan.get(step).copied()).collect();
            let Some((action, next)) = self.fitting(&state, goals, &fixed)? else {
                return Ok(None);
            };
            line.push(action);
            state = next;
        }
        Ok(Some(line))
    }

    /// A legal move with the given choices in some parts that keeps what others have reached.
    fn fitting(
        &mut self,
        state: &State,
        goals: &Goals,
        fixed: &[Option<u32>],
    ) -> Result<Option<(Move, State)>, ReasonError> {
        let mut legal = Vec::new();
        self.machine.legal_moves(state, Role(0), &mut legal)?;
        for action in legal {
            let Some(place) = self.divided.places.get(&action) else { continue };
            let choices = &self.divided.choices[*place as usize];
            let fits = |((part, _), fixed): (&(usize, Condition), &Option<u32>)| {
                fixed.is_none_or(|fixed| choices[*part] == fixed)
            };
            if !goals.iter().zip(fixed).all(fits) {
                continue;
            }
            let next = self.machine.next(state, &JointMove(vec![action]))?;
            let keeps = |((_, goal), fixed): (&(usize, Condition), &Option<u32>)| {
                fixed.is_some() || goal.holds(&next)
            };
            if goals.iter().zip(fixed).all(keeps) {
                return Ok(Some((action, next)));
            }
        }
        Ok(None)
    }
}

/// The moves to the last of all states, and that state.
fn trace(mut steps: Vec<(State, usize, Move)>) -> Way {
    let mut moves = Vec::new();
    let mut at = steps.len();
    while at > 0 {
        moves.push(steps[at - 1].2);
        at = steps[at - 1].1;
    }
    moves.reverse();
    let last = steps.pop().map_or_else(State::new, |(state, ..)| state);
    (moves, last)
}

#[cfg(test)]
mod tests;
