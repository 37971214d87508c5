//! Plans in layers: several moves in one, provided that none of them makes another illegal or changes what it does
//! (Kautz and Selman 1996; the semantics of all orders of Rintanen, Heljanko and Niemelä 2006). A sudoku of fifty
//! empty cells is one layer, where a plan move by move has fifty steps and a factorial of orders.
//!
//! Layers know no time: what fluents of the clock say of moves has to be the same at all times of a plan; what they say
//! of the end becomes a condition on the number of moves. That the match is not over in the midst of a layer is not
//! encoded either. So a plan counts only after it was replayed, and one that fails is excluded.

use std::rc::Rc;

use circuit::graph::Signal;
use game::{Deadline, Gates, JointMove, Machine, Move, ReasonError, Role, State};

use super::effects::{Action, Effects, Span};
use super::model::Model;
use super::solver::{Answer, FALSE, Lit, Sat, TRUE};
use super::unroll::{Fanout, Start, Unrolling};

/// About as much memory as a clause takes, with its share of variables and watches.
const CLAUSE_BYTES: usize = 80;
/// The numbers of layers that are tried.
const LAYERS: [usize; 12] = [1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48];
/// Plans that fail, in one look, before it is given up.
const FAILURES: usize = 40;
/// Questions that may use up all their conflicts, in one look.
const STOPS: usize = 3;
/// Counting moves may take that many clauses.
const COUNTING: usize = 2_000_000;
/// Up to this many pairs are excluded one by one.
const FEW: usize = 6;

/// Looks for plans in layers.
#[derive(Default)]
pub struct Parallel {
    /// The moves, for a time of the clock.
    effects: Option<(State, Effects)>,
    /// Whether moves are never made side by side.
    hopeless: bool,
}

/// What a plan is to lead to.
#[derive(Clone, Copy)]
pub struct Wish<'a> {
    /// The values of the goals of the model.
    pub values: &'a [Option<u8>],
    /// The least reward.
    pub least: u8,
    /// The greatest length.
    pub longest: usize,
}

/// For which game, from where and to what a plan is looked for, and with how much memory and time.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The game.
    pub gates: &'a Gates,
    /// Its circuit.
    pub model: &'a Model,
    /// Where the plan begins.
    pub state: &'a State,
    /// Where it leads.
    pub wish: Wish<'a>,
    /// Fluents of which at most one holds in each reachable state.
    pub groups: &'a [Vec<usize>],
    /// The most bytes.
    pub memory: usize,
    /// The end of the time for it.
    pub deadline: &'a Deadline,
}

impl Parallel {
    /// A plan, replayed; none if there was none within so many conflicts for each number of layers.
    pub fn look(&mut self, question: &Question<'_>, conflicts: u32) -> Option<Vec<Move>> {
        let Question { gates, model, state, wish, groups, memory, deadline } = *question;
        if self.hopeless {
            return None;
        }
        self.prepare(gates, model, state, wish.longest, deadline)?;
        let (_, effects) = self.effects.as_mut()?;
        let ends = ends(effects, wish);
        let holds: Vec<bool> =
            gates.fluents().iter().map(|fluent| state.contains(*fluent)).collect();
        let mut layers = Layers::new(effects, &holds, deadline);
        let (mut failures, mut stops) = (0, 0);
        for count in LAYERS.into_iter().take_while(|count| *count <= wish.longest) {
            while layers.made.len() < count {
                if layers.sat.clauses() * CLAUSE_BYTES > memory {
                    return None;
                }
                layers.extend()?;
                layers.keep_apart(groups);
            }
            for end in &ends {
                let Some(asked) = layers.ask(end) else { continue };
                let mut answer = layers.sat.solve_within(&[asked], conflicts);
                while answer == Answer::Sat {
                    let plan = layers.plan();
                    let replay = Replay { gates, least: wish.least };
                    // A machine that gives up says nothing of the plan, which is then not used.
                    if let Some(moves) = replay.line(state, &plan).ok().flatten() {
                        return Some(moves);
                    }
                    failures += 1;
                    if failures > FAILURES || deadline.passed() {
                        return None;
                    }
                    layers.exclude(&plan);
                    answer = layers.sat.solve_within(&[asked], conflicts);
                }
                stops += usize::from(answer == Answer::Stopped);
                if stops == STOPS {
                    return None;
                }
                layers.sat.clause([-asked]);
            }
            if deadline.passed() {
                return None;
            }
        }
        None
    }

    /// Finds out about the moves, unless they are known for this time.
    fn prepare(
        &mut self,
        gates: &Gates,
        model: &Model,
        state: &State,
        longest: usize,
        deadline: &Deadline,
    ) -> Option<()> {
        let clock = gates.clock();
        let words =
            state.words().iter().zip(clock.words().iter().copied().chain(std::iter::repeat(0)));
        let time = State::from_words(words.map(|(word, clock)| word & clock));
        if self.effects.as_ref().is_some_and(|(known, _)| *known == time) {
            return Some(());
        }
        self.effects = None;
        let tells: Vec<bool> =
            gates.fluents().iter().map(|fluent| clock.contains(*fluent)).collect();
        let holds: Vec<bool> =
            gates.fluents().iter().map(|fluent| state.contains(*fluent)).collect();
        let effects = Effects::new(model, &tells, &holds, longest, deadline)?;
        self.hopeless = !effects.is_parallel();
        if self.hopeless {
            return None;
        }
        self.effects = Some((time, effects));
        Some(())
    }
}

/// The wanted end after some numbers of moves.
struct End {
    least: usize,
    most: Option<usize>,
    signal: Signal,
}

/// The ends that are wanted, as gates.
fn ends(effects: &mut Effects, wish: Wish<'_>) -> Vec<End> {
    let mut ends = Vec::new();
    let model = &mut effects.model;
    for Span { least, most, over, goals } in &effects.spans {
        let enough = |value: &Option<u8>| value.is_some_and(|value| value >= wish.least);
        let good = goals.iter().zip(wish.values).filter(|(_, value)| enough(value));
        let good: Vec<Signal> = good.map(|(goal, _)| *goal).collect();
        let good = model.any(&good);
        // Several goals at once are none.
        let single = model.at_most(1, goals);
        let good = model.and(good, single);
        let signal = model.and(*over, good);
        if signal != Signal::FALSE {
            ends.push(End { least: *least, most: *most, signal });
        }
    }
    ends
}

/// Which actions, by their places, have to do with a fluent.
#[derive(Clone, Default)]
struct Meeting {
    /// They may make it true, or false; and what it then becomes.
    on: Vec<u32>,
    off: Vec<u32>,
    changers: Vec<(u32, Signal)>,
    /// They must not be made after it became true, or false.
    fears_true: Vec<u32>,
    fears_false: Vec<u32>,
}

fn meetings(actions: &[Action], fluents: usize) -> Vec<Meeting> {
    let mut meetings = vec![Meeting::default(); fluents];
    for (place, action) in (0..).zip(actions) {
        for effect in &action.effects {
            let meeting = &mut meetings[effect.fluent as usize];
            meeting.changers.push((place, effect.becomes));
            let (on, off) = effect.directions();
            if on {
                meeting.on.push(place);
            }
            if off {
                meeting.off.push(place);
            }
        }
        for fluent in &action.fears_true {
            meetings[*fluent as usize].fears_true.push(place);
        }
        for fluent in &action.fears_false {
            meetings[*fluent as usize].fears_false.push(place);
        }
    }
    meetings
}

/// Layers of moves as clauses.
struct Layers<'m> {
    sat: Sat,
    effects: &'m Effects,
    meetings: Vec<Meeting>,
    fanout: Rc<Fanout>,
    /// The states between the layers.
    states: Vec<Unrolling<'m>>,
    /// For each layer that each move is made in it.
    made: Vec<Vec<Lit>>,
}

impl<'m> Layers<'m> {
    fn new(effects: &'m Effects, holds: &[bool], deadline: &Deadline) -> Self {
        let model = &effects.model;
        let meetings = meetings(&effects.actions, model.fluents.len());
        let fanout = Rc::new(Fanout::new(model));
        let mut first = Unrolling::sharing(model, Start::Anywhere, fanout.clone());
        for (fluent, holds) in model.fluents.iter().zip(holds) {
            first.pin(*fluent, if *holds { TRUE } else { FALSE });
        }
        let sat = Sat::new(deadline);
        Self { sat, effects, meetings, fanout, states: vec![first], made: Vec::new() }
    }

    fn literal(&mut self, at: usize, signal: Signal) -> Option<Lit> {
        self.states[at].literal(&mut self.sat, 0, signal)
    }

    /// One layer more. None if the deadline passed.
    fn extend(&mut self) -> Option<()> {
        let at = self.made.len();
        let effects = self.effects;
        let terminal = self.literal(at, effects.terminal)?;
        let mut made = Vec::with_capacity(effects.actions.len());
        for action in &effects.actions {
            let legal = self.literal(at, action.legal)?;
            if legal == FALSE || terminal == TRUE {
                made.push(FALSE);
                continue;
            }
            let literal = self.sat.fresh();
            self.sat.clause([-literal, legal]);
            self.sat.clause([-literal, -terminal]);
            made.push(literal);
        }
        let model = &effects.model;
        let mut next = Unrolling::sharing(model, Start::Anywhere, self.fanout.clone());
        for (fluent, signal) in model.fluents.iter().enumerate() {
            let literal = self.carry(at, fluent, *signal, &made)?;
            next.pin(*signal, literal);
            self.part(fluent, &made);
        }
        self.made.push(made);
        self.states.push(next);
        Some(())
    }

    /// At most one of each group holds after the last layer: a layer is moves in any order, so all states between layers
    /// are reachable.
    fn keep_apart(&mut self, groups: &[Vec<usize>]) {
        let fluents = &self.effects.model.fluents;
        let Some(state) = self.states.last() else { return };
        for group in groups {
            let literal = |fluent: &usize| state.existing(0, fluents[*fluent]);
            let literals = group.iter().filter_map(literal).filter(|l| l.abs() != TRUE);
            let literals: Vec<Lit> = literals.collect();
            self.sat.at_most_one(&literals);
        }
    }

    /// The fluent after a layer: as before, unless a move of the layer changes it.
    fn carry(&mut self, at: usize, fluent: usize, signal: Signal, made: &[Lit]) -> Option<Lit> {
        let before = self.literal(at, signal)?;
        let changers = std::mem::take(&mut self.meetings[fluent].changers);
        let mut after = before;
        let (mut on, mut off) = (Vec::new(), Vec::new());
        for (place, becomes) in &changers {
            let move_made = made[*place as usize];
            if move_made == FALSE {
                continue;
            }
            let becomes = self.literal(at, *becomes)?;
            if on.is_empty() && off.is_empty() {
                after = self.sat.fresh();
            }
            if becomes != FALSE {
                on.push(move_made);
                self.sat.clause([-move_made, -becomes, after]);
            }
            if becomes != TRUE {
                off.push(move_made);
                self.sat.clause([-move_made, becomes, -after]);
            }
        }
        self.meetings[fluent].changers = changers;
        if !on.is_empty() || !off.is_empty() {
            self.sat.clause(on.into_iter().chain([before, -after]));
            self.sat.clause(off.into_iter().chain([-before, after]));
        }
        Some(after)
    }

    /// Keeps moves that change a fluent apart from those that must not be made after that.
    fn part(&mut self, fluent: usize, made: &[Lit]) {
        let meeting = std::mem::take(&mut self.meetings[fluent]);
        for (change, fear) in
            [(&meeting.on, &meeting.fears_true), (&meeting.off, &meeting.fears_false)]
        {
            let offered = |place: &&u32| made[**place as usize] != FALSE;
            let change: Vec<u32> = change.iter().filter(offered).copied().collect();
            let fear: Vec<u32> = fear.iter().filter(offered).copied().collect();
            if change.len().min(fear.len()) <= FEW {
                for one in &change {
                    for other in fear.iter().filter(|other| *other != one) {
                        self.sat.clause([-made[*one as usize], -made[*other as usize]]);
                    }
                }
            } else {
                self.chain(&change, &fear, made, false);
                self.chain(&change, &fear, made, true);
            }
        }
        self.meetings[fluent] = meeting;
    }

    /// No move that fears the change comes after one that makes it, in the order of places or against it: a chain of
    /// "changed so far" (Rintanen, Heljanko and Niemelä 2006, §3.3.2).
    fn chain(&mut self, change: &[u32], fear: &[u32], made: &[Lit], back: bool) {
        let mut places: Vec<(u32, bool)> = change.iter().map(|place| (*place, true)).collect();
        places.extend(fear.iter().map(|place| (*place, false)));
        // Of the same move first the fear, so that it does not fear itself.
        places.sort_unstable_by_key(|(place, is_change)| {
            (if back { u32::MAX - place } else { *place }, *is_change)
        });
        let mut so_far: Option<Lit> = None;
        for (place, is_change) in places {
            let literal = made[place as usize];
            if !is_change {
                if let Some(so_far) = so_far {
                    self.sat.clause([-so_far, -literal]);
                }
                continue;
            }
            let fresh = self.sat.fresh();
            self.sat.clause([-literal, fresh]);
            if let Some(so_far) = so_far {
                self.sat.clause([-so_far, fresh]);
            }
            so_far = Some(fresh);
        }
    }

    /// A literal that asks for an end after the last layer. None if it cannot be had, or if the time is over.
    fn ask(&mut self, end: &End) -> Option<Lit> {
        let signal = self.literal(self.made.len(), end.signal)?;
        if signal == FALSE {
            return None;
        }
        let asked = self.sat.fresh();
        self.sat.clause([-asked, signal]);
        let moves = self.countable();
        let offered = moves.len();
        if end.least > offered {
            return None;
        }
        let most = end.most.filter(|most| *most < offered);
        let bound = most.map_or(end.least, |most| most + 1);
        if bound == 0 {
            return Some(asked);
        }
        if end.least == offered {
            for made in moves {
                self.sat.clause([-asked, made]);
            }
            return Some(asked);
        }
        if bound * offered > COUNTING {
            // Too many to count: the replay will tell, if only the greatest number is in question.
            return (end.least == 0).then_some(asked);
        }
        let counts = self.count(&moves, bound);
        if let Some(least) = end.least.checked_sub(1) {
            self.sat.clause([-asked, counts[least]]);
        }
        if let Some(most) = most {
            self.sat.clause([-asked, -counts[most]]);
        }
        Some(asked)
    }

    /// Literals of which as many hold as moves are made: one for all moves that use up the same fluent, if nothing brings it
    /// back. Where as many moves are needed as there are such fluents, each has to be used, and nothing is left to count.
    fn countable(&mut self) -> Vec<Lit> {
        let mut spending: Vec<Vec<Lit>> = vec![Vec::new(); self.meetings.len()];
        let mut counted = Vec::new();
        for (place, action) in self.effects.actions.iter().enumerate() {
            let made = self.made.iter().map(|made| made[place]).filter(|made| *made != FALSE);
            let gone = |fluent: &&u32| self.meetings[**fluent as usize].on.is_empty();
            match action.spends.iter().find(gone) {
                Some(fluent) => spending[*fluent as usize].extend(made),
                None => counted.extend(made),
            }
        }
        for group in spending {
            if let [_, _, ..] = group[..] {
                let any = self.sat.fresh();
                for made in &group {
                    self.sat.clause([-made, any]);
                }
                self.sat.clause(group.into_iter().chain([-any]));
                counted.push(any);
            } else {
                counted.extend(group);
            }
        }
        counted
    }

    /// Literals that more than 0, 1, ... of the others hold, up to `bound` (sequential counter, Sinz 2005).
    fn count(&mut self, literals: &[Lit], bound: usize) -> Vec<Lit> {
        let mut counts = vec![FALSE; bound];
        for literal in literals {
            let mut below = TRUE;
            for slot in &mut counts {
                let (old, less) = (*slot, below);
                below = old;
                if less == FALSE {
                    break;
                }
                // The new one holds if the old one does, or the one below and the literal.
                let new = self.sat.fresh();
                self.sat.clause([-old, new]);
                self.sat.clause([-less, -literal, new]);
                self.sat.clause([-new, old, less]);
                self.sat.clause([-new, old, *literal]);
                *slot = new;
            }
        }
        counts
    }

    /// The moves of the model found last, by layers.
    fn plan(&self) -> Vec<Vec<usize>> {
        let layer = |made: &Vec<Lit>| {
            let holds =
                |(_, literal): &(usize, &Lit)| **literal != FALSE && self.sat.holds(**literal);
            made.iter().enumerate().filter(holds).map(|(place, _)| place).collect()
        };
        self.made.iter().map(layer).collect()
    }

    /// Not all of these moves together again.
    fn exclude(&mut self, plan: &[Vec<usize>]) {
        let moves = plan.iter().zip(&self.made);
        let moves = moves.flat_map(|(places, made)| places.iter().map(|place| -made[*place]));
        let clause: Vec<Lit> = moves.collect();
        self.sat.clause(clause);
    }
}

/// Whether the match is over, by the rules or because nothing is legal.
fn is_over(machine: &mut dyn Machine, state: &State) -> Result<bool, ReasonError> {
    if machine.is_terminal(state)? {
        return Ok(true);
    }
    let mut legal = Vec::new();
    machine.legal_moves(state, Role(0), &mut legal)?;
    Ok(legal.is_empty())
}

/// Plays plans.
pub(super) struct Replay<'a> {
    pub(super) gates: &'a Gates,
    pub(super) least: u8,
}

impl Replay<'_> {
    /// The moves of a plan in an order that leads to an end with the reward; none if there is none at hand.
    pub(super) fn line(
        &self,
        state: &State,
        plan: &[Vec<usize>],
    ) -> Result<Option<Vec<Move>>, ReasonError> {
        let own = &self.gates.moves()[0];
        let mut machine = self.gates.machine();
        let mut state = state.clone();
        let mut line = Vec::new();
        let mut left: usize = plan.iter().map(Vec::len).sum();
        for layer in plan {
            let mut waiting: Vec<Move> =
                layer.iter().filter_map(|place| own.get(*place).copied()).collect();
            while !waiting.is_empty() {
                if is_over(&mut machine, &state)? {
                    return Ok(self.is_good(&mut machine, &state)?.then_some(line));
                }
                let Some((at, next)) = self.step(&mut machine, &state, &waiting, left == 1)? else {
                    return Ok(None);
                };
                line.push(waiting.remove(at));
                state = next;
                left -= 1;
            }
        }
        let reached = is_over(&mut machine, &state)? && self.is_good(&mut machine, &state)?;
        Ok(reached.then_some(line))
    }

    /// The first of the moves that is legal and does not end the match early.
    fn step(
        &self,
        machine: &mut dyn Machine,
        state: &State,
        waiting: &[Move],
        last: bool,
    ) -> Result<Option<(usize, State)>, ReasonError> {
        let mut legal = Vec::new();
        machine.legal_moves(state, Role(0), &mut legal)?;
        for (at, action) in waiting.iter().enumerate().filter(|(_, action)| legal.contains(action))
        {
            let next = machine.next(state, &JointMove(vec![*action]))?;
            if last || !is_over(machine, &next)? || self.is_good(machine, &next)? {
                return Ok(Some((at, next)));
            }
        }
        Ok(None)
    }

    fn is_good(&self, machine: &mut dyn Machine, state: &State) -> Result<bool, ReasonError> {
        let goal = machine.goal(state, Role(0))?;
        Ok(goal.value().is_some_and(|value| value.0 >= self.least))
    }
}

#[cfg(test)]
mod tests;
