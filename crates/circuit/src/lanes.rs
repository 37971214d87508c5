//! Hundreds of positions at once: one bit per position, one plane per signal.
//!
//! [`Lanes`] holds [`LANES`] positions. [`Lanes::play`] plays random playouts in all of them; a position
//! whose game is over starts again from the initial state. Positions can be loaded and read one by one,
//! so that searches can hand over their leaves and tests can follow every lane.

use crate::build::Circuit;
use crate::choose::Chooser;
use crate::plane::{
    ALL, LANES, NONE, Plane, RandomPlanes, and, and_not, any, count, flipped, nor, or, select,
};
use crate::schedule::{Kind, Part, Read, Schedule, schedule};

/// What random playouts amounted to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Finished playouts.
    pub playouts: u64,
    /// Moves made, in unfinished playouts too.
    pub transitions: u64,
    /// Playouts that ended because a role had no legal move in a state that is not terminal.
    pub stuck: u64,
    /// For each role how often each of its goal values held at the end.
    pub goals: Vec<Vec<u64>>,
}

/// How a playout ended in a lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The lane.
    pub lane: usize,
    /// Whether the state was terminal; else a role had no legal move.
    pub terminal: bool,
    /// For each role which of its goal values held; none if there was no such value or several.
    pub goals: Vec<Option<usize>>,
}

/// Positions side by side.
#[derive(Clone, Debug)]
pub struct Lanes {
    schedule: Schedule,
    initial: Vec<bool>,
    memory: Vec<Plane>,
    choosers: Vec<Chooser>,
    does_start: usize,
    random: RandomPlanes,
    /// Positions in which no move was made in the last random step.
    still: Plane,
    /// The playouts that ended in the last step, if somebody asked for them.
    ends: Option<Vec<Ended>>,
    wide: bool,
}

impl Lanes {
    /// All positions in the initial state.
    pub fn new(circuit: &Circuit, seed: u64) -> Self {
        let schedule = schedule(circuit);
        let memory = vec![NONE; schedule.places];
        let choosers = circuit.legal.iter().map(|own| Chooser::new(own.len())).collect();
        let mut lanes = Self {
            memory,
            choosers,
            does_start: circuit.fluents.len(),
            initial: circuit.initial.clone(),
            schedule,
            random: RandomPlanes::new(seed),
            still: NONE,
            ends: None,
            wide: has_wide_vectors(),
        };
        for (place, holds) in lanes.initial.iter().enumerate() {
            lanes.memory[place] = if *holds { ALL } else { NONE };
        }
        lanes
    }

    /// Operations that one step takes, without the choice of moves: legal and terminal, next, goals.
    pub fn operations(&self) -> (usize, usize, usize) {
        let schedule = &self.schedule;
        (schedule.state.ops.len(), schedule.next.ops.len(), schedule.goal.ops.len())
    }

    /// Puts a state into a lane.
    pub fn load(&mut self, lane: usize, holds: impl Fn(usize) -> bool) {
        for fluent in 0..self.initial.len() {
            set(&mut self.memory[fluent], lane, holds(fluent));
        }
    }

    /// Whether a fluent holds in a lane.
    pub fn holds(&self, lane: usize, fluent: usize) -> bool {
        get(&self.memory[fluent], lane)
    }

    /// Works out legal moves and ends for the present states.
    pub fn look(&mut self) {
        run(&self.schedule.state, &mut self.memory, self.wide);
    }

    /// Whether a move is legal in a lane, after [`Lanes::look`].
    pub fn is_legal(&self, lane: usize, role: usize, action: usize) -> bool {
        get(&self.read(self.schedule.legal[role][action]), lane)
    }

    /// Whether the state in a lane is terminal, after [`Lanes::look`].
    pub fn is_terminal(&self, lane: usize) -> bool {
        get(&self.read(self.schedule.terminal), lane)
    }

    /// Works out the goals, after [`Lanes::look`].
    pub fn look_at_goals(&mut self) {
        run(&self.schedule.goal, &mut self.memory, self.wide);
    }

    /// Whether a goal value of a role holds in a lane, after [`Lanes::look_at_goals`].
    pub fn has_goal(&self, lane: usize, role: usize, value: usize) -> bool {
        get(&self.read(self.schedule.goals[role][value]), lane)
    }

    /// Sets the move of a role in a lane; all moves must be set before [`Lanes::step`].
    pub fn set_move(&mut self, lane: usize, role: usize, action: usize) {
        let start = self.does_place(role);
        for place in 0..self.schedule.legal[role].len() {
            set(&mut self.memory[start + place], lane, place == action);
        }
    }

    /// Whether no move was made in a lane in the last random step: the game was over, or the lane waited.
    pub fn is_still(&self, lane: usize) -> bool {
        get(&self.still, lane)
    }

    /// The move that a role made in a lane in the last random step; none if the game was over there or
    /// the lane waited.
    pub fn last_move(&self, lane: usize, role: usize) -> Option<usize> {
        if get(&self.still, lane) {
            return None;
        }
        let start = self.does_place(role);
        (0..self.schedule.legal[role].len()).find(|at| get(&self.memory[start + at], lane))
    }

    fn does_place(&self, role: usize) -> usize {
        self.does_start + self.schedule.legal[..role].iter().map(Vec::len).sum::<usize>()
    }

    /// Makes the moves that are set, after [`Lanes::look`].
    pub fn step(&mut self) {
        run(&self.schedule.next, &mut self.memory, self.wide);
        let next: Vec<Plane> = self.schedule.fluents.iter().map(|read| self.read(*read)).collect();
        self.memory[..next.len()].copy_from_slice(&next);
    }

    fn read(&self, read: Read) -> Plane {
        flipped(&self.memory[read.place as usize], read.complement)
    }

    /// Plays `steps` random moves in every lane.
    pub fn play(&mut self, steps: usize) -> Tally {
        let goals = self.schedule.goals.iter().map(|own| vec![0; own.len()]).collect();
        let mut tally = Tally { goals, ..Tally::default() };
        for _ in 0..steps {
            step_dispatch(self, &mut tally);
        }
        tally
    }

    /// Plays one random move in every lane and tells which playouts ended before it; their lanes hold
    /// the initial state afterwards.
    pub fn play_one(&mut self, ended: &mut Vec<Ended>) {
        ended.clear();
        self.ends = Some(std::mem::take(ended));
        let goals = self.schedule.goals.iter().map(|own| vec![0; own.len()]).collect();
        step_dispatch(self, &mut Tally { goals, ..Tally::default() });
        *ended = self.ends.take().unwrap_or_default();
    }

    /// One random move in every lane whose game goes on; the others start again.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a kernel compiled for several machines")]
    fn random_step(&mut self, tally: &mut Tally) {
        run_part(&self.schedule.state, &mut self.memory);
        let terminal = self.read(self.schedule.terminal);
        let (mut stuck, mut waiting) = (NONE, NONE);
        let mut place = self.does_start;
        for role in 0..self.choosers.len() {
            let chooser = &mut self.choosers[role];
            for (plane, read) in chooser.legal_mut().iter_mut().zip(&self.schedule.legal[role]) {
                *plane = flipped(&self.memory[read.place as usize], read.complement);
            }
            let unchosen = chooser.choose(&mut self.random);
            stuck = or(&stuck, &unchosen.stuck);
            waiting = or(&waiting, &unchosen.waiting);
            let chosen = chooser.chosen();
            self.memory[place..place + chosen.len()].copy_from_slice(chosen);
            place += chosen.len();
        }
        let ended = or(&terminal, &stuck);
        if any(&ended) {
            self.count_ends(&terminal, &stuck, tally);
        }
        let waiting = and_not(&waiting, &ended);
        self.still = or(&ended, &waiting);
        tally.transitions += u64::from(LANES as u32 - count(&self.still));
        run_part(&self.schedule.next, &mut self.memory);
        self.advance(&ended, &waiting);
    }

    /// Moves the next state into place; lanes that ended get the initial state, lanes that wait keep
    /// theirs.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a kernel compiled for several machines")]
    fn advance(&mut self, ended: &Plane, waiting: &Plane) {
        // A fluent may be the next value of another one, so none may be overwritten too early.
        let fluents = self.initial.len();
        let mut next = std::mem::take(&mut self.schedule.scratch);
        next.clear();
        for (at, (read, holds)) in self.schedule.fluents.iter().zip(&self.initial).enumerate() {
            let plane = flipped(&self.memory[read.place as usize], read.complement);
            let plane = select(waiting, &self.memory[at], &plane);
            next.push(if *holds { or(&plane, ended) } else { and_not(&plane, ended) });
        }
        self.memory[..fluents].copy_from_slice(&next);
        self.schedule.scratch = next;
    }

    #[cold]
    fn count_ends(&mut self, terminal: &Plane, stuck: &Plane, tally: &mut Tally) {
        run(&self.schedule.goal, &mut self.memory, self.wide);
        tally.playouts += u64::from(count(&or(terminal, stuck)));
        tally.stuck += u64::from(count(&and_not(stuck, terminal)));
        for (role, own) in self.schedule.goals.iter().enumerate() {
            for (value, read) in own.iter().enumerate() {
                let plane = flipped(&self.memory[read.place as usize], read.complement);
                tally.goals[role][value] += u64::from(count(&and(&plane, terminal)));
            }
        }
        if let Some(mut ends) = self.ends.take() {
            let over = or(terminal, stuck);
            for lane in (0..LANES).filter(|lane| get(&over, *lane)) {
                let goals = self.schedule.goals.iter().map(|own| self.only_goal(own, lane));
                ends.push(Ended { lane, terminal: get(terminal, lane), goals: goals.collect() });
            }
            self.ends = Some(ends);
        }
    }

    fn only_goal(&self, own: &[Read], lane: usize) -> Option<usize> {
        let mut held = own.iter().enumerate().filter(|(_, read)| get(&self.read(**read), lane));
        let first = held.next()?.0;
        held.next().is_none().then_some(first)
    }
}

fn get(plane: &Plane, lane: usize) -> bool {
    plane[lane / 64] >> (lane % 64) & 1 == 1
}

fn set(plane: &mut Plane, lane: usize, value: bool) {
    let bit = 1 << (lane % 64);
    if value {
        plane[lane / 64] |= bit;
    } else {
        plane[lane / 64] &= !bit;
    }
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "a kernel compiled for several machines")]
fn run_part(part: &Part, memory: &mut [Plane]) {
    let mut at = 0;
    for (kind, end) in &part.runs {
        let ops = &part.ops[at..*end as usize];
        at = *end as usize;
        match kind {
            Kind::And => {
                for op in ops {
                    memory[op.to as usize] = and(&memory[op.a as usize], &memory[op.b as usize]);
                }
            }
            Kind::AndNot => {
                for op in ops {
                    memory[op.to as usize] =
                        and_not(&memory[op.a as usize], &memory[op.b as usize]);
                }
            }
            Kind::Nor => {
                for op in ops {
                    memory[op.to as usize] = nor(&memory[op.a as usize], &memory[op.b as usize]);
                }
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod wide {
    //! The same kernels compiled for 256-bit vectors.

    use super::{Lanes, Part, Plane, Tally};

    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
    pub(super) fn run_part(part: &Part, memory: &mut [Plane]) {
        super::run_part(part, memory);
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
    pub(super) fn random_step(lanes: &mut Lanes, tally: &mut Tally) {
        lanes.random_step(tally);
    }
}

#[cfg(target_arch = "x86_64")]
fn has_wide_vectors() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_wide_vectors() -> bool {
    false
}

fn run(part: &Part, memory: &mut [Plane], wide: bool) {
    #[cfg(target_arch = "x86_64")]
    if wide {
        // SAFETY: `wide` is set only where the processor was found to have these features.
        #[expect(
            unsafe_code,
            reason = "a kernel compiled for other vectors; see docs/benchmarks.md"
        )]
        unsafe {
            wide::run_part(part, memory);
        }
        return;
    }
    let _ = wide;
    run_part(part, memory);
}

fn step_dispatch(lanes: &mut Lanes, tally: &mut Tally) {
    #[cfg(target_arch = "x86_64")]
    if lanes.wide {
        // SAFETY: `wide` is set only where the processor was found to have these features.
        #[expect(
            unsafe_code,
            reason = "a kernel compiled for other vectors; see docs/benchmarks.md"
        )]
        unsafe {
            wide::random_step(lanes, tally);
        }
        return;
    }
    lanes.random_step(tally);
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
