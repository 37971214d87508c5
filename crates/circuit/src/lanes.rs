//! Hundreds of positions at once: one bit per position, one plane per signal.
//!
//! [`Lanes`] holds [`LANES`] positions. [`Lanes::play`] plays random playouts in all of them; a position
//! whose game is over starts again from the initial state. [`Lanes::playouts`] plays from given states to
//! the end. Positions can be loaded and read one by one, so that searches can hand over their leaves and
//! tests can follow every lane.
//!
//! Random play uses the circuits of [`phase`](crate::phase): all positions that move in a step are in the
//! same situation of the cycle. A position that is not (it just started anew, or had to wait) sleeps until
//! its situation comes round.
#![expect(clippy::inline_always, reason = "kernels compiled for several kinds of registers")]

use std::sync::Arc;

use crate::advance::Advance;
use crate::build::Circuit;
use crate::choose::Chooser;
use crate::code::{Code, PhaseCode, RoleCode};
use crate::guide::{Answer, Guided, Preferences, Tastes, room};
use crate::harvest::{Aside, GoalCode, Harvest};
use crate::kernel::{RunPart, run_part};
use crate::plane::{
    ALL, LANES, NONE, Plane, RandomPlanes, and, and_not, any, count, flipped, get, lanes_of, nor,
    or, set,
};
use crate::schedule::Read;
use crate::vector::{Kernel, Vector};

/// What random playouts amounted to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Finished playouts whose goals are counted below.
    pub playouts: u64,
    /// Moves made, in unfinished playouts too.
    pub transitions: u64,
    /// Playouts that ended because a role had no legal move in a state that is not terminal.
    pub stuck: u64,
    /// For each role how often each of its goal values held at the end.
    pub goals: Vec<Vec<u64>>,
}

/// A finished playout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// The number of its start.
    pub start: usize,
    /// The moves made.
    pub length: u32,
    /// Whether the last state is terminal; else a role had no legal move, or the playout was cut.
    pub terminal: bool,
    /// For each role which of its goal values held; none if there was no such value or several, or the
    /// state was not terminal.
    pub goals: Vec<Option<usize>>,
}

/// Watches random play.
pub trait Observer {
    /// A random move was made in the lanes that are not still.
    fn moved(&mut self, view: &View<'_>);
    /// A playout is over; later than its last move, and in no particular order.
    fn finished(&mut self, finished: &Finished);
    /// Whether it wants to be told at all.
    fn is_watching(&self) -> bool {
        true
    }
}

/// Nobody watches.
pub struct Nobody;

impl Observer for Nobody {
    fn moved(&mut self, _: &View<'_>) {}

    fn finished(&mut self, _: &Finished) {}

    fn is_watching(&self) -> bool {
        false
    }
}

/// What an [`Observer`] sees of a step, before the next states are put into place.
pub struct View<'l> {
    lanes: &'l Lanes,
    phase: usize,
}

impl View<'_> {
    /// The lanes in which a fluent holds in the state before the move.
    pub fn fluent(&self, fluent: usize) -> &Plane {
        &self.lanes.memory[fluent]
    }

    /// The lanes in which no move was made.
    pub fn still(&self) -> &Plane {
        &self.lanes.still
    }

    /// The start of the playout in a lane, if it has one.
    pub fn start(&self, lane: usize) -> Option<usize> {
        let tag = self.lanes.tags[lane];
        (tag != UNTAGGED).then_some(tag as usize)
    }

    /// The lanes of playouts that were asked for in which a move was made.
    pub fn moving(&self) -> Plane {
        and_not(&self.lanes.busy, &self.lanes.still)
    }

    /// Calls `visit` with each move of a role that was made, and the lanes that made it. Lanes whose playouts nobody asked
    /// for are left out.
    pub fn moves(&self, role: usize, mut visit: impl FnMut(usize, &Plane)) {
        let moving = self.moving();
        match &self.lanes.code.phases[self.phase].roles[role] {
            RoleCode::Forced(only) => visit(*only, &moving),
            RoleCode::Choose { chooser, .. } => {
                let start = self.lanes.code.does_starts[role];
                let memory = &self.lanes.memory;
                let each = |place: u32, made: &Plane| visit(place as usize - start, made);
                self.lanes.last_chooser(*chooser).each_made(&moving, memory, each);
            }
        }
    }
}

/// A lane whose playout was not asked for.
const UNTAGGED: u32 = u32::MAX;
/// Bits of the lengths of playouts.
const LENGTH_BITS: usize = 24;

/// Positions side by side.
#[derive(Clone, Debug)]
pub struct Lanes {
    code: Arc<Code>,
    memory: Vec<Plane>,
    choosers: Vec<Chooser>,
    /// For each chooser the one that takes its place, where some moves are preferred to others.
    guided: Vec<Option<Guided>>,
    random: RandomPlanes,
    harvest: Option<Harvest>,
    /// The present situation.
    phase: usize,
    /// For each situation the lanes that sleep until it comes round.
    asleep: Vec<Plane>,
    /// Whether states were set from outside, so that it must be found out who sleeps.
    is_mixed: bool,
    /// Lanes in which no move was made in the last random step.
    still: Plane,
    /// The start of the playout in each lane, and its length in bits, while these are wanted.
    tags: Vec<u32>,
    lengths: Vec<Plane>,
    done: Vec<Finished>,
    /// Lanes whose playouts were asked for; all while nobody asks for any.
    busy: Plane,
}

impl Lanes {
    /// All positions in the initial state.
    pub fn new(circuit: &Circuit, seed: u64) -> Self {
        Self::on(Arc::new(Code::new(circuit)), seed)
    }

    /// The same, with code made before.
    pub fn on(code: Arc<Code>, seed: u64) -> Self {
        let mut memory = vec![NONE; code.places];
        memory[code.general.zero as usize + 1] = ALL;
        for (plane, holds) in memory.iter_mut().zip(&code.initial) {
            *plane = if *holds { ALL } else { NONE };
        }
        Self {
            memory,
            choosers: code.choosers.clone(),
            guided: vec![None; code.choosers.len()],
            random: RandomPlanes::new(seed),
            harvest: code.goals.as_ref().map(Harvest::new),
            phase: 0,
            asleep: vec![NONE; code.phases.len()],
            is_mixed: false,
            still: NONE,
            tags: vec![UNTAGGED; LANES],
            lengths: Vec::new(),
            done: Vec::new(),
            busy: ALL,
            code,
        }
    }

    /// The code.
    pub fn code(&self) -> &Arc<Code> {
        &self.code
    }

    /// Begins the random numbers anew, so that playouts depend on nothing but the seed and where they start.
    pub fn reseed(&mut self, seed: u64) {
        self.random = RandomPlanes::new(seed);
    }

    /// Prefers some moves to others in random play. None for uniformly random moves, as at first.
    pub fn guide(&mut self, preferences: Option<&Preferences>) {
        let stays = self.code.places;
        self.guided = vec![None; self.choosers.len()];
        let Some(preferences) = preferences else { return };
        if self.memory.len() == stays {
            self.memory.extend(room(&self.choosers));
        }
        let tastes = self.tastes(preferences);
        let choosers = self.choosers.iter();
        let guided = choosers.map(|plain| Guided::new(plain, &tastes, stays as u32));
        self.guided = guided.map(|guided| Some(guided).filter(Guided::is_useful)).collect();
    }

    /// Preferences by the places of choices.
    fn tastes(&self, preferences: &Preferences) -> Tastes {
        let place = |(role, action): (usize, usize)| (self.code.does_starts[role] + action) as u32;
        let mut tastes = Tastes::default();
        for (role, own) in preferences.halvings.iter().enumerate() {
            let halved = own.iter().enumerate().filter(|(_, halvings)| **halvings > 0);
            tastes.halvings.extend(halved.map(|(action, h)| (place((role, action)), *h)));
        }
        for Answer { fluent, action } in &preferences.answers {
            tastes.answers.entry(place(*action)).or_default().push(*fluent as u32);
        }
        let splits = preferences.splits.iter();
        tastes.splits = splits.map(|s| (place(s.action), (s.fluent as u32, s.halvings))).collect();
        tastes
    }

    /// Puts a state into a lane. The state must be one that can be reached.
    pub fn load(&mut self, lane: usize, holds: impl Fn(usize) -> bool) {
        for fluent in 0..self.code.initial.len() {
            set(&mut self.memory[fluent], lane, holds(fluent));
        }
        self.is_mixed = true;
    }

    /// Whether a fluent holds in a lane.
    pub fn holds(&self, lane: usize, fluent: usize) -> bool {
        get(&self.memory[fluent], lane)
    }

    /// The lanes in which a fluent holds.
    pub fn fluent(&self, fluent: usize) -> &Plane {
        &self.memory[fluent]
    }

    /// Sets the lanes in which a fluent holds.
    pub fn set_fluent(&mut self, fluent: usize, plane: &Plane) {
        self.memory[fluent] = *plane;
        self.is_mixed = true;
    }

    /// Works out legal moves and ends for the present states.
    pub fn look(&mut self) {
        self.code.width.run(RunPart(&self.code.general.state, &mut self.memory));
    }

    /// The lanes in which a move is legal, after [`Lanes::look`].
    pub fn legal(&self, role: usize, action: usize) -> &Plane {
        &self.memory[self.code.general.legal[role][action] as usize]
    }

    /// Whether a move is legal in a lane, after [`Lanes::look`].
    pub fn is_legal(&self, lane: usize, role: usize, action: usize) -> bool {
        get(self.legal(role, action), lane)
    }

    /// The lanes whose states are terminal, after [`Lanes::look`].
    pub fn terminal(&self) -> Plane {
        self.read(self.code.general.terminal)
    }

    /// Whether the state in a lane is terminal, after [`Lanes::look`].
    pub fn is_terminal(&self, lane: usize) -> bool {
        get(&self.terminal(), lane)
    }

    /// Works out the goals, after [`Lanes::look`].
    pub fn look_at_goals(&mut self) {
        self.code.width.run(RunPart(&self.code.general.goal, &mut self.memory));
    }

    /// The lanes in which a goal value of a role holds, after [`Lanes::look_at_goals`].
    pub fn goal(&self, role: usize, value: usize) -> Plane {
        self.read(self.code.general.goals[role][value])
    }

    /// Whether a goal value of a role holds in a lane, after [`Lanes::look_at_goals`].
    pub fn has_goal(&self, lane: usize, role: usize, value: usize) -> bool {
        get(&self.goal(role, value), lane)
    }

    /// Sets the move of a role in a lane; all moves must be set before [`Lanes::step`].
    pub fn set_move(&mut self, lane: usize, role: usize, action: usize) {
        let start = self.code.does_starts[role];
        for place in 0..self.code.general.legal[role].len() {
            set(&mut self.memory[start + place], lane, place == action);
        }
    }

    /// The lanes that make a move in the next [`Lanes::step`]; exactly one move of each role must be set
    /// in each lane that matters.
    pub fn move_mut(&mut self, role: usize, action: usize) -> &mut Plane {
        let start = self.code.does_starts[role];
        &mut self.memory[start + action]
    }

    /// Whether no move was made in a lane in the last random step: the game was over, or the lane slept.
    pub fn is_still(&self, lane: usize) -> bool {
        get(&self.still, lane)
    }

    /// The move that a role made in a lane in the last random step; none if the lane was still.
    pub fn last_move(&self, lane: usize, role: usize) -> Option<usize> {
        if get(&self.still, lane) {
            return None;
        }
        let phases = self.code.phases.len();
        match &self.code.phases[(self.phase + phases - 1) % phases].roles[role] {
            RoleCode::Forced(only) => Some(*only),
            RoleCode::Choose { chooser, .. } => {
                let made = self.last_chooser(*chooser).made(lane, &self.memory)?;
                Some(made as usize - self.code.does_starts[role])
            }
        }
    }

    /// Who chooses in the place of a chooser.
    fn last_chooser(&self, chooser: usize) -> &Chooser {
        self.guided[chooser].as_ref().map_or(&self.choosers[chooser], Guided::chooser)
    }

    /// Makes the moves that are set, after [`Lanes::look`].
    pub fn step(&mut self) {
        self.code.width.run(RunPart(&self.code.general.next, &mut self.memory));
        let reads = &self.code.general.fluents;
        let next: Vec<Plane> = reads.iter().map(|read| self.read(*read)).collect();
        self.memory[..next.len()].copy_from_slice(&next);
        self.is_mixed = true;
    }

    fn read(&self, read: Read) -> Plane {
        flipped(&self.memory[read.place as usize], read.complement)
    }

    /// Plays `steps` random moves in every lane.
    pub fn play(&mut self, steps: usize) -> Tally {
        self.play_watched(steps, &mut Nobody)
    }

    /// Plays `steps` random moves in every lane, and tells the observer what happens.
    pub fn play_watched(&mut self, steps: usize, observer: &mut dyn Observer) -> Tally {
        let goals = self.code.general.goals.iter().map(|own| vec![0; own.len()]).collect();
        let mut tally = Tally { goals, ..Tally::default() };
        for _ in 0..steps {
            self.random_step(&mut tally, &mut *observer);
        }
        tally
    }

    /// One random playout from each of `starts` states, of at most `most` moves. `load` puts a start into
    /// a lane, or returns false if there is no such state. Calls `report` for each playout, in no
    /// particular order. Playouts that are under way when `go_on` says no, which is asked before each step, are
    /// not reported. Whatever the lanes held before is lost.
    pub fn playouts(
        &mut self,
        starts: usize,
        mut load: impl FnMut(&mut Lanes, usize, usize) -> bool,
        (most, mut go_on): (u32, impl FnMut() -> bool),
        observer: &mut dyn Observer,
        mut report: impl FnMut(&Finished),
    ) {
        let goals = self.code.general.goals.iter().map(|own| vec![0; own.len()]).collect();
        let mut tally = Tally { goals, ..Tally::default() };
        self.lengths = vec![NONE; LENGTH_BITS];
        let mut waiting = 0;
        let mut busy = NONE;
        let mut free = ALL;
        loop {
            for lane in lanes_of(&free) {
                self.tags[lane] = UNTAGGED;
                while waiting < starts && self.tags[lane] == UNTAGGED {
                    if load(self, lane, waiting) {
                        self.tags[lane] = waiting as u32;
                        self.lengths.iter_mut().for_each(|plane| set(plane, lane, false));
                    }
                    waiting += 1;
                }
                set(&mut busy, lane, self.tags[lane] != UNTAGGED);
            }
            if !any(&busy) || !go_on() {
                break;
            }
            self.busy = busy;
            let ended = self.random_step(&mut tally, &mut *observer);
            free = and(&or(&ended, &self.cut(most, &and_not(&busy, &ended))), &busy);
            for finished in std::mem::take(&mut self.done) {
                report(&finished);
            }
        }
        self.reap(&mut tally, &mut *observer);
        for finished in std::mem::take(&mut self.done) {
            report(&finished);
        }
        self.lengths = Vec::new();
        self.busy = ALL;
    }

    /// Ends the playouts that have become too long; returns their lanes.
    fn cut(&mut self, most: u32, busy: &Plane) -> Plane {
        // Lengths grow one by one, so a playout has the length exactly once.
        let mut equal = *busy;
        for (bit, plane) in self.lengths.iter().enumerate() {
            equal = and(&equal, &flipped(plane, most >> bit & 1 == 0));
        }
        for lane in lanes_of(&equal) {
            let start = self.tags[lane] as usize;
            let goals = vec![None; self.code.general.goals.len()];
            self.done.push(Finished { start, length: most, terminal: false, goals });
        }
        equal
    }

    /// Finds out for each lane in which situation it is.
    fn sort_out(&mut self) {
        self.is_mixed = false;
        self.phase = 0;
        for (asleep, phase) in self.asleep.iter_mut().zip(&self.code.phases) {
            *asleep = ALL;
            for (fluent, value) in &phase.fixed {
                *asleep = and(asleep, &flipped(&self.memory[*fluent], !value));
            }
        }
    }

    /// One random move in every lane whose turn it is; lanes whose game is over start again. Returns the
    /// lanes that ended.
    fn random_step(&mut self, tally: &mut Tally, observer: &mut dyn Observer) -> Plane {
        if self.is_mixed {
            self.sort_out();
        }
        self.asleep[self.phase] = NONE;
        let asleep = self.asleep.iter().fold(NONE, |all, plane| or(&all, plane));
        let code = self.code.clone();
        let phase = &code.phases[self.phase];
        let looked = code.width.run(Look { lanes: self, phase, asleep: &asleep });
        let ended = and_not(&or(&looked.terminal, &looked.stuck), &asleep);
        let waiting = and_not(&looked.waiting, &or(&ended, &asleep));
        if any(&ended) {
            self.end(&and(&looked.terminal, &ended), &ended, tally, &mut *observer);
        }
        let held = or(&asleep, &waiting);
        self.still = or(&ended, &held);
        tally.transitions += u64::from(LANES as u32 - count(&self.still));
        self.count_lengths();
        if observer.is_watching() {
            observer.moved(&View { lanes: self, phase: self.phase });
        }
        code.width.run(Go { lanes: self, phase, ended: &ended, held: &held });
        self.asleep[self.phase] = or(&self.asleep[self.phase], &waiting);
        self.asleep[0] = or(&self.asleep[0], &ended);
        self.phase = (self.phase + 1) % code.phases.len();
        ended
    }

    fn count_lengths(&mut self) {
        let mut carry = nor(&self.still, &NONE);
        for plane in &mut self.lengths {
            if !any(&carry) {
                break;
            }
            let sum = Plane(std::array::from_fn(|i| plane[i] ^ carry[i]));
            carry = and(plane, &carry);
            *plane = sum;
        }
    }

    fn length(&self, lane: usize) -> u32 {
        let bits = self.lengths.iter().enumerate();
        bits.map(|(bit, plane)| u32::from(get(plane, lane)) << bit).sum()
    }

    #[cold]
    fn end(
        &mut self,
        terminal: &Plane,
        ended: &Plane,
        tally: &mut Tally,
        observer: &mut dyn Observer,
    ) {
        let code = self.code.clone();
        let schedule = &code.phases[self.phase].schedule;
        let positions = count(ended) as usize;
        let aside = code.goals.as_ref();
        if let Some(goals) = aside.filter(|goals| !goals.is_dearer(positions, schedule.goal.len()))
        {
            self.put_aside(goals, terminal, ended, tally, observer);
            return;
        }
        code.width.run(RunPart(&schedule.goal, &mut self.memory));
        let reads = &schedule.goals;
        tally.add(terminal, ended, reads, &self.memory);
        if !self.lengths.is_empty() || observer.is_watching() {
            for lane in lanes_of(ended) {
                let aside = Aside {
                    tag: self.tags[lane],
                    length: self.length(lane),
                    terminal: get(terminal, lane),
                };
                self.finish(aside, goals_in(reads, &self.memory, lane), &mut *observer);
            }
        }
    }

    /// Puts positions aside, and evaluates their goals whenever there are enough.
    fn put_aside(
        &mut self,
        code: &GoalCode,
        terminal: &Plane,
        ended: &Plane,
        tally: &mut Tally,
        observer: &mut dyn Observer,
    ) {
        let (mut all, mut positions) = ([0u16; LANES], 0);
        for lane in lanes_of(ended) {
            all[positions] = lane as u16;
            positions += 1;
        }
        let mut rest = &all[..positions];
        while !rest.is_empty() {
            let Some(mut harvest) = self.harvest.take() else { return };
            let (now, later) = rest.split_at(rest.len().min(harvest.room()));
            harvest.take(code, &self.memory, now);
            for lane in now.iter().map(|lane| usize::from(*lane)) {
                let (tag, length) = (self.tags[lane], self.length(lane));
                harvest.asides.push(Aside { tag, length, terminal: get(terminal, lane) });
            }
            rest = later;
            let full = harvest.room() == 0;
            self.harvest = Some(harvest);
            if full {
                self.reap(tally, &mut *observer);
            }
        }
    }

    /// Evaluates the goals of the positions that were put aside.
    fn reap(&mut self, tally: &mut Tally, observer: &mut dyn Observer) {
        let code = self.code.clone();
        let (Some(goal_code), Some(mut harvest)) = (&code.goals, self.harvest.take()) else {
            return;
        };
        code.width.run(RunPart(&goal_code.part, &mut harvest.memory));
        let (mut terminal, mut ended) = (NONE, NONE);
        for (slot, aside) in harvest.asides.iter().enumerate() {
            set(&mut ended, slot, true);
            set(&mut terminal, slot, aside.terminal);
        }
        tally.add(&terminal, &ended, &goal_code.goals, &harvest.memory);
        if !self.lengths.is_empty() || observer.is_watching() {
            for (slot, aside) in harvest.asides.iter().enumerate() {
                let goals = goals_in(&goal_code.goals, &harvest.memory, slot);
                self.finish(*aside, goals, &mut *observer);
            }
        }
        harvest.asides.clear();
        self.harvest = Some(harvest);
    }

    fn finish(&mut self, aside: Aside, goals: Vec<Option<usize>>, observer: &mut dyn Observer) {
        let Aside { tag, length, terminal } = aside;
        let goals = if terminal { goals } else { vec![None; goals.len()] };
        let finished = Finished { start: tag as usize, length, terminal, goals };
        if observer.is_watching() {
            observer.finished(&finished);
        }
        if tag != UNTAGGED && !self.lengths.is_empty() {
            self.done.push(finished);
        }
    }
}

/// For each role which of its goal values holds in a lane, if exactly one does.
fn goals_in(reads: &[Vec<Read>], memory: &[Plane], lane: usize) -> Vec<Option<usize>> {
    let only = |own: &Vec<Read>| {
        let mut held = own
            .iter()
            .enumerate()
            .filter(|(_, read)| get(&memory[read.place as usize], lane) != read.complement);
        let first = held.next()?.0;
        held.next().is_none().then_some(first)
    };
    reads.iter().map(only).collect()
}

impl Tally {
    fn add(&mut self, terminal: &Plane, ended: &Plane, reads: &[Vec<Read>], memory: &[Plane]) {
        self.playouts += u64::from(count(ended));
        self.stuck += u64::from(count(&and_not(ended, terminal)));
        for (counts, own) in self.goals.iter_mut().zip(reads) {
            for (sum, read) in counts.iter_mut().zip(own) {
                let plane = flipped(&memory[read.place as usize], read.complement);
                *sum += u64::from(count(&and(&plane, terminal)));
            }
        }
    }
}

/// What the first half of a step found out.
struct Looked {
    terminal: Plane,
    stuck: Plane,
    waiting: Plane,
}

/// Works out the legal moves and chooses among them.
struct Look<'a> {
    lanes: &'a mut Lanes,
    phase: &'a PhaseCode,
    asleep: &'a Plane,
}

impl Kernel for Look<'_> {
    type Output = Looked;

    #[inline(always)]
    fn run<V: Vector>(self) -> Looked {
        let Self { lanes, phase, asleep } = self;
        run_part::<V>(&phase.schedule.state, &mut lanes.memory);
        let mut terminal = lanes.read(phase.schedule.terminal);
        let active = nor(&terminal, asleep);
        let (mut stuck, mut waiting) = (NONE, NONE);
        for role in &phase.roles {
            if let RoleCode::Choose { chooser, stuck_ends } = role {
                let (memory, random) = (&mut lanes.memory, &mut lanes.random);
                let unchosen = match &mut lanes.guided[*chooser] {
                    Some(guided) => guided.choose::<V>(memory, &active, random),
                    None => lanes.choosers[*chooser].choose::<V>(memory, &active, random),
                };
                if *stuck_ends {
                    terminal = or(&terminal, &unchosen.stuck);
                }
                stuck = or(&stuck, &unchosen.stuck);
                waiting = or(&waiting, &unchosen.waiting);
            }
        }
        Looked { terminal, stuck, waiting }
    }
}

/// Works out the next state.
struct Go<'a> {
    lanes: &'a mut Lanes,
    phase: &'a PhaseCode,
    ended: &'a Plane,
    held: &'a Plane,
}

impl Kernel for Go<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Self { lanes, phase, ended, held } = self;
        let memory = &mut lanes.memory[..];
        run_part::<V>(&phase.schedule.next, memory);
        Advance { puts: &phase.puts, memory, ended, held }.run::<V>();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::default_trait_access, reason = "the type is that of a crate further down")]
    fn lanes_are_loaded_moved_and_read_one_by_one() {
        let text = "(role r) (init (at a)) (edge a b) (edge b c) (edge a c)
            (<= (legal r (go ?y)) (true (at ?x)) (edge ?x ?y))
            (<= (next (at ?y)) (does r (go ?y)))
            (<= terminal (true (at c))) (<= (goal r 100) (true (at c)))";
        let (rules, _) = gdl::parse(text, &gdl::Limits::default());
        let program = gdl::normal::normalize(&rules).expect("small");
        let ground = ground::ground(&program, &Default::default(), &ground::Budget::default());
        let ground = ground.expect("tiny");
        let circuit = crate::build(&ground, &crate::Limits::default()).expect("small");
        let mut lanes = Lanes::new(&circuit, 1);
        let name = |term: &dyn Fn(usize) -> String, count: usize, wanted: &str| {
            (0..count).find(|at| term(*at) == wanted).expect("is there")
        };
        let fluent_text = |at: usize| ground.fluents[at].to_text(&ground.symbols);
        let move_text = |at: usize| ground.moves[0][at].term.to_text(&ground.symbols);
        let fluent = |wanted: &str| name(&fluent_text, ground.fluents.len(), wanted);
        let action = |wanted: &str| name(&move_text, ground.moves[0].len(), wanted);
        let (at_a, at_b, at_c) = (fluent("(at a)"), fluent("(at b)"), fluent("(at c)"));
        let (go_b, go_c) = (action("(go b)"), action("(go c)"));
        lanes.load(70, |fluent| fluent == at_b);
        lanes.look();
        assert!(lanes.is_legal(0, 0, go_b) && lanes.is_legal(0, 0, go_c));
        assert!(!lanes.is_legal(70, 0, go_b) && lanes.is_legal(70, 0, go_c));
        for lane in 0..LANES {
            lanes.set_move(lane, 0, if lane == 70 { go_c } else { go_b });
        }
        lanes.step();
        lanes.look();
        lanes.look_at_goals();
        assert!(lanes.holds(0, at_b) && !lanes.holds(0, at_a) && !lanes.is_terminal(0));
        assert!(lanes.holds(70, at_c) && lanes.is_terminal(70) && lanes.has_goal(70, 0, 0));
    }
}
