//! Sums of games: two roles move in turn, and whoever moves chooses one part (a heap, a row, a board) and moves in it alone. Where
//! both can do the same in each part and the last mover wins, a part is as good as a heap of nim, and the sum is lost for the one to
//! move just if the sizes of these heaps have the exclusive or 0 (Sprague 1935, Grundy 1939; Bouton 1901 for nim itself; the names are
//! those of Conway 1976 and of Berlekamp, Conway and Guy 1982).
//!
//! Where the last mover loses, that does not hold in general. It does, with other numbers as long as all heaps are small, if each state of
//! each part has the two values of a heap of nim ([`Value::is_tame`]): 0 and 1, 1 and 0, or twice the same. Let parts of the first two
//! kinds be fickle, others firm, and let a sum be lost if the exclusive or is 0 and some part is firm, or if it is 1 and all are fickle.
//! Then no move leads from a lost sum to a lost one: it would have to be one of the only firm part, of value 0 or 1, to a fickle state of
//! the other value; but such a state has the value of the firm one where the last mover loses, and no option has that. And some move
//! leads from each other sum to a lost one: that of nim, unless it makes the only firm part fickle; then the option with the same value in
//! the other sense does it, or is firm. Without firm parts, it is an option of a part of value 1 to 0, or of a part that
//! is worth 0 and no end to 1; both are fickle, as else the part itself would have another value. Ends are fickle, of value 0,
//! and not lost. (Tame games: Conway 1976, ch. 12; Yamasaki 1980.)
//!
//! All of it is proved, for the circuit: that roles take turns, what the parts are and that moves stay in them by putting constants into
//! gates ([`turns`]), that both roles have the same options by looking at every state of each part that can be reached
//! ([`grundy`]), when play ends and what it is worth by a SAT solver ([`end`]). Random play of the whole on the machine
//! has to agree with that in every state it meets; nothing rests on that alone.
//!
//! Whose turn it is has to be told by fluents that no move has an influence on; other sums are not found. Parts are finer than those of
//! [`super::factors`] where rules at each time read less than at any time.

use circuit::graph::Signal;
use game::playout::{Random, random_joint_move};
use game::{Deadline, FluentId, Gates, Goal, Machine, ReasonError, Role, State};
use rustc_hash::{FxHashMap, FxHashSet};

use super::factors::{Sets, support};
use super::model::Model;

mod end;
mod grundy;
#[cfg(test)]
mod tests;
mod turns;

pub use grundy::Value;

use end::Question;
use grundy::{Bits, Table, pack, table};
use turns::{Choice, Time, times};

/// Random play that has to agree: matches, and steps of all of them.
const MATCHES: usize = 20;
const STEPS: usize = 2000;

/// A part of a sum.
pub struct Heap {
    fluents: Vec<FluentId>,
    values: FxHashMap<Bits, Value>,
    initial: Value,
}

impl Heap {
    /// Its fluents.
    pub fn fluents(&self) -> &[FluentId] {
        &self.fluents
    }

    /// What it is worth at the beginning.
    pub fn initial(&self) -> Value {
        self.initial
    }

    /// How many states it has.
    pub fn states(&self) -> usize {
        self.values.len()
    }

    /// What it is worth in a state of the whole; none if it cannot come there.
    pub fn value(&self, whole: &State) -> Option<Value> {
        let bits = self.fluents.iter().map(|fluent| whole.contains(*fluent));
        self.values.get(&pack(bits, self.fluents.len())).copied()
    }
}

/// Who wins a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The role whose turn it is; nobody's any more at an end.
    pub mover: Role,
    /// Whether it wins, if both play well.
    pub wins: bool,
}

/// A game that is a sum of games.
pub struct Sum {
    parts: Vec<Heap>,
    /// Fluents that tell whose turn it is, and what they say at each of the two times.
    turn: [Vec<(FluentId, bool)>; 2],
    movers: [Role; 2],
    /// Whether the last mover loses.
    misere: bool,
    /// What each role gets if it loses, and if it wins.
    rewards: [[Goal; 2]; 2],
}

/// A part while it is being found.
struct Piece {
    fluents: Vec<u32>,
    table: Table,
}

impl Sum {
    /// Finds out whether a game is a sum of at least two games, and what all states of these are worth, within so many bytes.
    pub fn new(gates: &Gates, seed: u64, memory: usize, deadline: &Deadline) -> Option<Self> {
        let mut model = Model::new(gates).ok()?;
        let times = times(gates, &mut model, deadline)?;
        let (groups, fixed) = divided(&model, gates, &times, deadline)?;
        let mut pieces = Vec::new();
        for group in &groups {
            let share = memory / groups.len();
            let choices = [0, 1].map(|time| &group.choices[time][..]);
            let table = table(&model, &group.fluents, choices, share, deadline)?;
            pieces.push(Piece { fluents: group.fluents.clone(), table });
        }
        for time in &times {
            let question = Question { model: &model, time, pieces: &pieces, fixed: &fixed };
            if !question.ends_when_all_do(deadline)? {
                return None;
            }
        }
        let (rewards, misere) = rewards(gates, &model, &times, &pieces, &fixed)?;
        let values = || pieces.iter().flat_map(|piece| &piece.table.values);
        if misere && !values().all(|value| value.is_tame()) {
            return None;
        }
        let fluent = |at: u32| gates.fluents()[at as usize];
        let turn = [0, 1].map(|time: usize| {
            times[time].clock.iter().map(|(at, holds)| (fluent(*at), *holds)).collect()
        });
        let movers = [0, 1].map(|time: usize| Role(times[time].mover as u32));
        let heap = |piece: Piece| {
            let fluents = piece.fluents.iter().map(|at| fluent(*at)).collect();
            let initial = piece.table.values[0];
            let values = piece.table.states.into_iter().zip(piece.table.values).collect();
            Heap { fluents, values, initial }
        };
        let parts = pieces.into_iter().map(heap).collect();
        let sum = Self { parts, turn, movers, misere, rewards };
        sum.agrees(gates, seed, deadline).ok()?.then_some(sum)
    }

    /// Its parts.
    pub fn parts(&self) -> &[Heap] {
        &self.parts
    }

    /// Whether the last mover loses.
    pub fn is_misere(&self) -> bool {
        self.misere
    }

    /// What it is, in words.
    pub fn in_words(&self) -> String {
        let values = self.parts.iter().map(|part| part.initial.normal.to_string());
        let values: Vec<String> = values.collect();
        let sense = if self.misere { "loses" } else { "wins" };
        format!("{} parts, the last mover {sense}, values {}", values.len(), values.join(" "))
    }

    /// Who wins a state; none if it is not in the tables.
    pub fn standing(&self, state: &State) -> Option<Standing> {
        let tells = |(fluent, holds): &(FluentId, bool)| state.contains(*fluent) == *holds;
        let time = self.turn.iter().position(|clock| clock.iter().all(tells))?;
        let mut sum = 0;
        let mut firm = false;
        for part in &self.parts {
            let value = part.value(state)?;
            sum ^= value.normal;
            firm |= !value.is_fickle();
        }
        let lost = if self.misere && !firm { sum == 1 } else { sum == 0 };
        Some(Standing { mover: self.movers[time], wins: !lost })
    }

    /// What a role gets from a state if both play well; none if the state is not in the tables.
    pub fn worth(&self, state: &State, role: Role) -> Option<Goal> {
        let standing = self.standing(state)?;
        let wins = standing.wins == (standing.mover == role);
        Some(self.rewards.get(role.index())?[usize::from(wins)])
    }

    /// The least and the most that a role can get.
    pub fn rewards(&self, role: Role) -> Option<[Goal; 2]> {
        self.rewards.get(role.index()).copied()
    }

    /// Whether random play of the whole agrees: a state is won just if some move leads to one that is lost for the other role, and ends are
    /// worth what the rules say.
    fn agrees(&self, gates: &Gates, seed: u64, deadline: &Deadline) -> Result<bool, ReasonError> {
        let mut machine = gates.machine();
        let mut random = Random::new(seed);
        let mut steps = 0;
        for _ in 0..MATCHES {
            let mut state = machine.initial()?;
            while !machine.is_terminal(&state)? && steps < STEPS {
                if deadline.passed() || !self.is_right(&mut machine, &state)? {
                    return Ok(false);
                }
                let Some(joint) = random_joint_move(&mut machine, &state, &mut random)? else {
                    return Ok(false);
                };
                state = machine.next(&state, &joint)?;
                steps += 1;
            }
            for role in gates.game().role_ids() {
                let got = machine.goal(&state, role)?.value();
                if machine.is_terminal(&state)? && got != self.worth(&state, role) {
                    return Ok(false);
                }
            }
        }
        Ok(steps > 0)
    }

    /// Whether the moves from a state bear out who wins it.
    fn is_right(&self, machine: &mut dyn Machine, state: &State) -> Result<bool, ReasonError> {
        let Some(standing) = self.standing(state) else { return Ok(false) };
        let mut wins = false;
        for next in successors(machine, state)? {
            match self.standing(&next) {
                Some(after) if after.mover != standing.mover => wins |= !after.wins,
                _ => return Ok(false),
            }
        }
        Ok(wins == standing.wins)
    }
}

/// The states that one joint move leads to.
fn successors(machine: &mut dyn Machine, state: &State) -> Result<Vec<State>, ReasonError> {
    let (mut one, mut other, mut found) = (Vec::new(), Vec::new(), Vec::new());
    machine.legal_moves(state, Role(0), &mut one)?;
    machine.legal_moves(state, Role(1), &mut other)?;
    for first in &one {
        for second in &other {
            found.push(machine.next(state, &game::JointMove(vec![*first, *second]))?);
        }
    }
    Ok(found)
}

/// Fluents that choices at both times keep together.
struct Group {
    fluents: Vec<u32>,
    choices: [Vec<Choice>; 2],
}

/// The parts in which something can be done, and the fluents that never change. None if it is all one.
fn divided(
    model: &Model,
    gates: &Gates,
    times: &[Time; 2],
    deadline: &Deadline,
) -> Option<(Vec<Group>, Vec<u32>)> {
    let tells: Vec<bool> =
        gates.fluents().iter().map(|fluent| gates.clock().contains(*fluent)).collect();
    let mut sets = Sets::new(tells.len());
    // Many choices read the same.
    let mut reads: FxHashMap<Signal, Option<u32>> = FxHashMap::default();
    for choice in times.iter().flat_map(|time| &time.choices) {
        if deadline.passed() {
            return None;
        }
        let own = choice.effects[0].0;
        for (fluent, _) in &choice.effects {
            sets.union(own, *fluent);
        }
        let signals = choice.effects.iter().map(|(_, becomes)| *becomes).chain([choice.legal]);
        for signal in signals {
            let first = reads.entry(signal).or_insert_with(|| {
                let support = support(model, signal);
                support.windows(2).for_each(|pair| sets.union(pair[0], pair[1]));
                support.first().copied()
            });
            if let Some(first) = first {
                sets.union(own, *first);
            }
        }
    }
    let roots: FxHashSet<u32> = times
        .iter()
        .flat_map(|time| &time.choices)
        .map(|choice| sets.root(choice.effects[0].0))
        .collect();
    let mut groups: Vec<Group> = Vec::new();
    let mut places: FxHashMap<u32, usize> = FxHashMap::default();
    let mut fixed = Vec::new();
    for fluent in (0..tells.len() as u32).filter(|fluent| !tells[*fluent as usize]) {
        let root = sets.root(fluent);
        if !roots.contains(&root) {
            fixed.push(fluent);
            continue;
        }
        let place = *places.entry(root).or_insert_with(|| {
            groups.push(Group { fluents: Vec::new(), choices: [Vec::new(), Vec::new()] });
            groups.len() - 1
        });
        groups[place].fluents.push(fluent);
    }
    for (time, at) in times.iter().zip(0..) {
        for choice in &time.choices {
            let place = *places.get(&sets.root(choice.effects[0].0))?;
            groups[place].choices[at].push(choice.clone());
        }
    }
    (groups.len() > 1).then_some((groups, fixed))
}

/// What roles get if they lose and if they win, and whether the last mover loses. Rewards are known to be the same in all ends at a time,
/// so one of each is asked about.
fn rewards(
    gates: &Gates,
    model: &Model,
    times: &[Time; 2],
    pieces: &[Piece],
    fixed: &[u32],
) -> Option<([[Goal; 2]; 2], bool)> {
    let mut machine = gates.machine();
    // For each role what it gets if it is its turn at the end, and if it is not.
    let mut rewards = [[Goal(0); 2]; 2];
    for time in times {
        let mut state = State::new();
        let mut put = |at: u32, holds: bool| {
            if holds {
                state.insert(gates.fluents()[at as usize]);
            }
        };
        time.clock.iter().for_each(|(at, holds)| put(*at, *holds));
        for at in fixed {
            put(*at, model.initial[*at as usize]);
        }
        for piece in pieces {
            let dead = piece.table.dead.iter().position(|dead| *dead)?;
            let bits = &piece.table.states[dead];
            let own = piece.fluents.iter().zip(0..);
            own.for_each(|(at, place)| put(*at, grundy::bit(bits, place)));
        }
        for role in gates.game().role_ids() {
            let got = machine.goal(&state, role).ok()?.value()?;
            rewards[role.index()][usize::from(role.index() != time.mover)] = got;
        }
    }
    let sense = rewards.map(|[stuck, last]| stuck.0.cmp(&last.0));
    match sense {
        [std::cmp::Ordering::Less, std::cmp::Ordering::Less] => Some((rewards, false)),
        [std::cmp::Ordering::Greater, std::cmp::Ordering::Greater] => {
            Some((rewards.map(|[stuck, last]| [last, stuck]), true))
        }
        _ => None,
    }
}
