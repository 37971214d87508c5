//! Planning as satisfiability (Kautz and Selman 1992), on the circuit: is there a sequence of at most n legal moves
//! to an end with the wanted reward? For puzzles of many constraints and few surprises, where search by moves sees
//! too late that it went wrong: sudoku, lights out, colourings.
//!
//! Lengths are tried in growing steps, each for a limited number of conflicts (Rintanen 2004): short ones are often
//! refuted at once, and a long one may be easy where the shortest is hard. Of moves that may change places
//! ([`super::swap`]) only one order is looked at first; that makes counting arguments short (n moves fill n cells), which
//! a solver otherwise repeats for every order. As these orders are guessed, a refutation counts only if the solver
//! did without them.
//!
//! Before that two easier kinds of plans are looked for: in layers of moves that do not interfere ([`super::parallel`]),
//! and part by part ([`super::apart`]).

use std::rc::Rc;

use circuit::graph::Signal;
use game::{Deadline, Foreseen, Foresight, Gates, Move, State};

use super::apart::Apart;
use super::model::Model;
use super::parallel::{Parallel, Question, Wish};
use super::solver::{Answer, FALSE, Lit, Sat, TRUE};
use super::swap::Swaps;
use super::unroll::{Fanout, Start, Unrolling};
use crate::prover::share;

/// About as much memory as a clause takes, with its share of variables and watches.
const CLAUSE_BYTES: usize = 80;
/// Conflicts for the question whether a match can go on.
const CHEAP: u32 = 200;
/// Orders are not looked for in more than this part of the time.
const SAMPLING: u32 = 4;

/// Each kind of plan that is looked for before those move by move has such a part of the time.
const EASY: u32 = 3;
/// So many states are made of a part of a game in about the time of a conflict.
const STATES: usize = 20;

/// The longest plan that is worth looking for.
pub const LONGEST: usize = 1000;

/// Finds plans for a game of one role by a SAT solver.
pub struct SatPlanner {
    gates: Gates,
    model: Model,
    /// The values of the goals of the model.
    values: Vec<Option<u8>>,
    /// Fluents of which at most one holds in each reachable state.
    groups: Vec<Vec<usize>>,
    /// No plan is longer.
    longest: usize,
    memory: usize,
    seed: u64,
    swaps: Option<Swaps>,
    parallel: Parallel,
    apart: Apart,
    /// Rewards that were asked for, and whether no state at all has them.
    ends: Vec<(u8, bool)>,
    /// The state and the reward of the last look, and the greatest length that was refuted.
    refuted: Option<(State, u8, usize)>,
}

impl SatPlanner {
    /// A planner for plans of at most `longest` moves, in about `memory` bytes; none for games of several roles or
    /// with rules that the encoding does not allow for.
    pub fn new(gates: &Gates, longest: usize, memory: usize, seed: u64) -> Option<Self> {
        let model = Model::new(gates).ok().filter(|model| model.does.len() == 1)?;
        let symbols = gates.game().universe().symbols();
        let goals = gates.program().goals.first()?;
        let value = |text: &str| text.parse::<u8>().ok().filter(|value| *value <= 100);
        let values = goals.iter().map(|(term, _)| value(&term.to_text(symbols))).collect();
        let gates = gates.clone();
        Some(Self {
            gates,
            model,
            values,
            groups: Vec::new(),
            longest,
            memory,
            seed,
            swaps: None,
            parallel: Parallel::default(),
            apart: Apart::default(),
            ends: Vec::new(),
            refuted: None,
        })
    }

    /// The solver is told that of each group of fluents at most one holds, which has to be proved
    /// ([`crate::Knowledge::mutex_groups`]): clauses that it would have to find again at every step.
    #[must_use]
    pub fn with_groups(mut self, groups: Vec<Vec<usize>>) -> Self {
        self.groups = groups;
        self
    }

    /// The model with gates for the end and for the reward, both ready to be asked for.
    fn question(&self, state: &State, least: u8) -> (Model, Signal, Signal) {
        let mut model = self.model.clone();
        model.initial = self.gates.fluents().iter().map(|fluent| state.contains(*fluent)).collect();
        let illegal: Vec<Signal> = model.legal[0].iter().map(|legal| !*legal).collect();
        let stuck = model.all(&illegal);
        let over = model.or(model.terminal, stuck);
        let goals = model.goals[0].clone();
        let enough = |value: &Option<u8>| value.is_some_and(|value| value >= least);
        let good: Vec<Signal> = goals
            .iter()
            .zip(&self.values)
            .filter_map(|(goal, value)| enough(value).then_some(*goal))
            .collect();
        let good = model.any(&good);
        // Several goals at once are none.
        let single = model.at_most(1, &goals);
        let good = model.and(good, single);
        (model, over, good)
    }

    /// Lengths to try: first one that random play did not exceed, since ends are often bound by a counter; then all,
    /// growing by half.
    fn lengths(&self) -> Vec<usize> {
        let mut lengths: Vec<usize> = (1..12).flat_map(|bit| [1 << bit, 3 << (bit - 1)]).collect();
        lengths.extend([1, self.longest]);
        lengths.retain(|length| (1..=self.longest).contains(length));
        lengths.sort_unstable();
        lengths.dedup();
        let played = self.swaps.as_ref().and_then(|swaps| swaps.longest);
        let usual = played.and_then(|played| lengths.iter().position(|length| *length >= played));
        if let Some(usual) = usual {
            lengths[..=usual].rotate_right(1);
        }
        lengths
    }

    /// Whether no state at all is an end with the reward, be it reachable or not.
    fn is_idle(&mut self, least: u8, conflicts: u32, deadline: &Deadline) -> bool {
        if let Some((_, idle)) = self.ends.iter().find(|(asked, _)| *asked == least) {
            return *idle;
        }
        let (model, over, good) = self.question(&State::new(), least);
        let mut sat = Sat::new(deadline);
        let mut anywhere = Unrolling::new(&model, Start::Anywhere);
        let over = anywhere.literal(&mut sat, 0, over);
        let good = anywhere.literal(&mut sat, 0, good);
        let (Some(over), Some(good)) = (over, good) else { return false };
        let answer = sat.solve_within(&[over, good], conflicts);
        if answer != Answer::Stopped {
            self.ends.push((least, answer == Answer::Unsat));
        }
        answer == Answer::Unsat
    }

    /// A plan of moves side by side, or one part by part, each in a third of the time.
    fn easy(
        &mut self,
        state: &State,
        least: u8,
        conflicts: u32,
        deadline: &Deadline,
    ) -> Option<Vec<Move>> {
        let wish = Wish { values: &self.values, least, longest: self.longest };
        let third = &share(deadline, EASY);
        let (gates, model, memory) = (&self.gates, &self.model, self.memory);
        let groups = &self.groups;
        let question = Question { gates, model, state, wish, groups, memory, deadline: third };
        let found = self.parallel.look(&question, conflicts);
        found.or_else(|| {
            let third = &share(deadline, EASY - 1);
            let states = (conflicts as usize).saturating_mul(STATES);
            self.apart.look(&Question { deadline: third, ..question }, states)
        })
    }

    fn sample(&mut self, state: &State, deadline: &Deadline) {
        if self.swaps.as_ref().is_none_or(|swaps| !swaps.complete) {
            let part = share(deadline, SAMPLING);
            self.swaps = Some(Swaps::sample(&self.gates, state, self.seed, &part));
        }
    }
}

impl Foresight for SatPlanner {
    fn look(&mut self, state: &State, least: u8, work: u64, deadline: &Deadline) -> Foreseen {
        if !self.gates.knows(state) {
            return Foreseen::Beyond;
        }
        let conflicts = u32::try_from(work).unwrap_or(u32::MAX).max(1);
        if self.is_idle(least, conflicts, deadline) {
            return Foreseen::Never;
        }
        if let Some(moves) = self.easy(state, least, conflicts, deadline) {
            return Foreseen::Way(moves);
        }
        self.sample(state, deadline);
        let refuted = match &self.refuted {
            Some((known, reward, length)) if known == state && *reward <= least => *length,
            _ => 0,
        };
        let (model, over, good) = self.question(state, least);
        let none = Swaps::none();
        let swaps = self.swaps.as_ref().unwrap_or(&none);
        let mut lines = Lines::new(&model, over, good, swaps, deadline);
        lines.groups = &self.groups;
        let (seen, refuted) = lines.look(&self.lengths(), refuted, conflicts, self.memory);
        self.refuted = Some((state.clone(), least, refuted));
        match seen {
            Seen::Way(places) => {
                let own = &self.gates.moves()[0];
                let moves: Option<Vec<Move>> =
                    places.iter().map(|at| own.get(*at).copied()).collect();
                moves.map_or(Foreseen::Open, Foreseen::Way)
            }
            Seen::Never => Foreseen::Never,
            Seen::Open => Foreseen::Open,
            Seen::Beyond => Foreseen::Beyond,
        }
    }
}

/// [`Foreseen`] with places of moves.
enum Seen {
    Way(Vec<usize>),
    Never,
    Open,
    Beyond,
}

/// All lines of play from a state, as far as they were asked for.
struct Lines<'m> {
    sat: Sat,
    unrolling: Unrolling<'m>,
    over: Signal,
    good: Signal,
    swaps: &'m Swaps,
    /// Fluents of which at most one holds.
    groups: &'m [Vec<usize>],
    /// Places of moves: if a move of a step comes up to the first, then that of the step before up to the second, where
    /// there is one.
    falls: Vec<(usize, Option<usize>)>,
    /// Assumed, it lets moves that may change places come in one order only.
    ordered: Lit,
    /// For each step that a move is made in it.
    goes: Vec<Lit>,
    /// For each step that the line ends there well.
    wins: Vec<Lit>,
    /// For each move of the last step: it or one before it is made.
    prefixes: Vec<Lit>,
    moves: Vec<Lit>,
}

impl<'m> Lines<'m> {
    fn new(
        model: &'m Model,
        over: Signal,
        good: Signal,
        swaps: &'m Swaps,
        deadline: &Deadline,
    ) -> Self {
        let mut sat = Sat::new(deadline);
        let ordered = sat.fresh();
        let unrolling = Unrolling::sharing(model, Start::Initial, Rc::new(Fanout::new(model)));
        let (goes, wins, prefixes, moves) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (falls, groups) = (falls(swaps), &[][..]);
        Self {
            sat,
            unrolling,
            over,
            good,
            swaps,
            groups,
            falls,
            ordered,
            goes,
            wins,
            prefixes,
            moves,
        }
    }

    /// Tries all lengths; also gives the greatest one that is refuted.
    fn look(
        &mut self,
        lengths: &[usize],
        mut refuted: usize,
        conflicts: u32,
        memory: usize,
    ) -> (Seen, usize) {
        // No line is longer than this.
        let mut bound = usize::MAX;
        for length in lengths.iter().copied() {
            if length <= refuted || length > bound {
                continue;
            }
            while self.wins.len() <= length {
                if self.sat.clauses() * CLAUSE_BYTES > memory {
                    return (Seen::Beyond, refuted);
                }
                if self.extend().is_none() {
                    return (Seen::Open, refuted);
                }
            }
            let ends = self.sat.solve_within(&[self.goes[length]], CHEAP) == Answer::Unsat;
            match self.within(length, conflicts, ends) {
                Seen::Way(way) => return (Seen::Way(way), refuted),
                Seen::Never => refuted = length.max(refuted),
                _ if self.sat.is_over() => return (Seen::Open, refuted),
                _ => {}
            }
            if ends {
                bound = length;
            }
            if ends && refuted >= length {
                return (Seen::Never, refuted);
            }
        }
        (Seen::Open, refuted)
    }

    /// A way of at most that many moves; never if there is none. What only the guessed orders refute is asked
    /// again without them where it matters most: where no line is longer.
    fn within(&mut self, length: usize, conflicts: u32, last: bool) -> Seen {
        let asked = self.sat.fresh();
        let wins = self.wins[..=length].iter().copied();
        self.sat.clause(wins.chain([-asked]));
        let mut answer = self.sat.solve_within(&[asked, self.ordered], conflicts);
        let mut sure = answer == Answer::Unsat && !self.sat.failed(self.ordered);
        if answer == Answer::Unsat && !sure && last {
            answer = self.sat.solve_within(&[asked], conflicts);
            sure = answer == Answer::Unsat;
        }
        let found = match answer {
            Answer::Sat => Seen::Way(self.way()),
            _ if sure => Seen::Never,
            _ => Seen::Open,
        };
        self.sat.clause([-asked]);
        found
    }

    /// The moves of the model found last.
    fn way(&self) -> Vec<usize> {
        let length = self.wins.iter().position(|win| self.sat.holds(*win)).unwrap_or(0);
        (0..length).map(|step| self.unrolling.joint_move(&self.sat, step)[0]).collect()
    }

    /// One step more. None if the deadline passed.
    fn extend(&mut self) -> Option<()> {
        let step = self.wins.len();
        let before = self.goes.last().copied();
        let over = self.unrolling.literal(&mut self.sat, step, self.over)?;
        let good = self.unrolling.literal(&mut self.sat, step, self.good)?;
        let terminal = self.unrolling.model().terminal;
        let terminal = self.unrolling.literal(&mut self.sat, step, terminal)?;
        let moves = self.unrolling.offer(&mut self.sat, step, 0)?;
        let (goes, wins) = (self.sat.fresh(), self.sat.fresh());
        self.sat.clause([-wins, over]);
        self.sat.clause([-wins, good]);
        self.sat.clause([-goes, -terminal]);
        if let Some(before) = before {
            self.sat.clause([-wins, before]);
            self.sat.clause([-goes, before]);
        }
        let offered = moves.iter().copied().filter(|literal| *literal != FALSE);
        self.sat.clause(offered.chain([-goes]));
        let prefixes = self.at_most_one(&moves);
        if let Some(any) = prefixes.last() {
            self.sat.clause([-goes, *any]);
        }
        self.order(&prefixes);
        (self.prefixes, self.moves) = (prefixes, moves);
        self.goes.push(goes);
        self.wins.push(wins);
        self.exclude(step);
        self.unrolling.blank_step();
        Some(())
    }

    /// At most one of each group holds in a step, as far as its fluents are asked for.
    fn exclude(&mut self, step: usize) {
        let model = self.unrolling.model();
        for group in self.groups.iter().filter(|_| step > 0) {
            let literals = group.iter().filter_map(|fluent| {
                self.unrolling.existing(step, model.fluents[*fluent]).filter(|l| l.abs() != TRUE)
            });
            let literals: Vec<Lit> = literals.collect();
            self.sat.at_most_one(&literals);
        }
    }

    /// At most one of the moves is made. Gives for each that it or one before it is.
    fn at_most_one(&mut self, moves: &[Lit]) -> Vec<Lit> {
        let mut before = FALSE;
        let mut prefixes = Vec::with_capacity(moves.len());
        for literal in moves {
            if *literal != FALSE {
                let so_far = self.sat.fresh();
                self.sat.clause([-literal, so_far]);
                if before != FALSE {
                    self.sat.clause([-before, so_far]);
                    self.sat.clause([-before, -literal]);
                }
                before = so_far;
            }
            prefixes.push(before);
        }
        prefixes
    }

    /// After a move of the last step none follows that could as well have come before it.
    fn order(&mut self, prefixes: &[Lit]) {
        for (now, before) in self.falls.iter().filter(|_| !self.prefixes.is_empty()) {
            let before = before.map_or(FALSE, |place| self.prefixes[place]);
            if prefixes[*now] != FALSE {
                self.sat.clause([-self.ordered, -prefixes[*now], before]);
            }
        }
        for (first, made) in self.moves.iter().enumerate().filter(|(_, made)| **made != FALSE) {
            for range in self.swaps.needless_after(first) {
                let until = prefixes[range.end - 1];
                let before = range.start.checked_sub(1).map_or(FALSE, |at| prefixes[at]);
                if until != before && until != FALSE {
                    self.sat.clause([-self.ordered, -made, -until, before]);
                }
            }
        }
    }
}

/// In sorted lines moves never fall behind a barrier again; and where a block of moves ends at one, of which only one is
/// made, the move before comes from before the block. With that, n moves for n blocks are in their places at once.
fn falls(swaps: &Swaps) -> Vec<(usize, Option<usize>)> {
    let barriers = swaps.barriers();
    let is_barrier = |place: &usize| barriers.binary_search(place).is_ok();
    let mut falls: Vec<_> = barriers.iter().map(|place| (*place, Some(*place))).collect();
    for block in swaps.blocks() {
        let last = block.end - 1;
        let before = block.start.checked_sub(1);
        let ends = is_barrier(&last) || block.end == swaps.count();
        if ends && before.as_ref().is_none_or(is_barrier) && !barriers.is_empty() {
            falls.push((last, before));
        }
    }
    falls
}

#[cfg(test)]
mod tests;
