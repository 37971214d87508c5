//! A circuit ready for evaluation by the hundred: operations for any mixture of states, and for each
//! situation of random play its own, with the choosers of its roles. Made once, shared by all threads.

use crate::advance::Puts;
use crate::build::Circuit;
use crate::choose::Chooser;
use crate::constant::constants;
use crate::decisive::{Care, Extremes, decide};
use crate::harvest::GoalCode;
use crate::move_sums::{Sets, with_sets};
use crate::phase::{Phase, phases};
use crate::scatter::Scatter;
use crate::schedule::{Schedule, schedule};
use crate::stuck::without_stuck;
use crate::vector::Width;

/// What a role does in a situation.
#[derive(Clone, Debug)]
pub(crate) enum RoleCode {
    /// The only move that is ever legal.
    Forced(usize),
    /// It chooses.
    Choose {
        /// The number of its chooser.
        chooser: usize,
        /// Whether the game is over by its rules where there is nothing to choose.
        stuck_ends: bool,
    },
}

/// A situation, ready for evaluation.
#[derive(Clone, Debug)]
pub(crate) struct PhaseCode {
    pub(crate) fixed: Vec<(usize, bool)>,
    pub(crate) schedule: Schedule,
    /// How the next state gets into its place.
    pub(crate) puts: Puts,
    pub(crate) roles: Vec<RoleCode>,
}

/// The circuit ready for evaluation; shared by all lanes on it.
#[derive(Clone, Debug)]
pub struct Code {
    /// For any mixture of states.
    pub(crate) general: Schedule,
    /// For random play.
    pub(crate) phases: Vec<PhaseCode>,
    pub(crate) goals: Option<GoalCode>,
    pub(crate) choosers: Vec<Chooser>,
    pub(crate) initial: Vec<bool>,
    pub(crate) does_starts: Vec<usize>,
    pub(crate) places: usize,
    pub(crate) width: Width,
    care: Care,
}

/// A situation whose choosers are still to be made.
struct Prepared {
    schedule: Schedule,
    phase: Phase,
    stuck_ends: Vec<bool>,
    sets: Vec<Option<Sets>>,
}

impl Prepared {
    /// `stuck_ends` are the roles for which the end was taken out of the gates.
    fn new(mut phase: Phase, stuck_ends: Vec<bool>, is_plain: bool) -> Self {
        let choosing: Vec<bool> =
            phase.forced.iter().map(|forced| forced.is_none() && !is_plain).collect();
        let mut sets = vec![None; choosing.len()];
        if !is_plain && let Some((circuit, found)) = with_sets(&phase.circuit, &choosing) {
            (phase.circuit, sets) = (circuit, found);
        }
        Self { schedule: schedule(&phase.circuit), phase, stuck_ends, sets }
    }

    /// The choice of a role whose moves begin at `start`, `spare` being places for moves that do not exist.
    fn chooser(&self, role: usize, start: u32, spare: (u32, u32)) -> Chooser {
        let moves = self.schedule.legal[role].iter().enumerate();
        let possible = moves.filter(|(_, legal)| **legal != self.schedule.zero);
        let moves: Vec<(u32, u32)> =
            possible.clone().map(|(at, legal)| (*legal, start + at as u32)).collect();
        let mut chooser = Chooser::new(&moves, spare);
        if let Some(sets) = &self.sets[role] {
            // The sets come after the constants.
            let first = self.schedule.zero as usize + 2 + sets.first;
            let own = possible.map(|(at, _)| &sets.of_move[at][..]);
            chooser.scatter(Scatter::new(own, first..first + sets.count, spare.1));
        }
        chooser
    }
}

impl Code {
    /// Specialises and schedules a circuit.
    pub fn new(circuit: &Circuit) -> Self {
        Self::with(circuit, false, None)
    }

    /// The same for random play in which moves that win at once are made, and those that let another role win at once are not.
    pub fn decisive(circuit: &Circuit, goals: &[Option<Extremes>]) -> Self {
        Self::with(circuit, false, Some(goals))
    }

    /// The same; plainly: no fluent is taken for constant, the end is what the rules say, and each move has its plane.
    fn with(circuit: &Circuit, is_plain: bool, decisive: Option<&[Option<Extremes>]>) -> Self {
        let general = schedule(circuit);
        let goals = GoalCode::new(circuit);
        let mut does_starts = Vec::new();
        let mut start = circuit.fluents.len();
        for own in &circuit.does {
            does_starts.push(start);
            start += own.len();
        }
        let constants = if is_plain { Vec::new() } else { constants(circuit) };
        let mut is_constant = vec![false; circuit.fluents.len()];
        for (fluent, _) in &constants {
            is_constant[*fluent] = true;
        }
        let mut all = phases(circuit, &constants);
        let stuck = |phase: &mut Phase| {
            if is_plain { vec![false; phase.forced.len()] } else { without_stuck(phase) }
        };
        let stuck_ends: Vec<Vec<bool>> = all.iter_mut().map(stuck).collect();
        let care = decisive.map_or(Care::None, |goals| decide(&mut all, circuit, goals));
        let all = all.into_iter().zip(stuck_ends);
        let all: Vec<Prepared> =
            all.map(|(phase, stuck_ends)| Prepared::new(phase, stuck_ends, is_plain)).collect();
        let places = all.iter().map(|prepared| prepared.schedule.places);
        let places = places.fold(general.places, usize::max);
        // For moves that fill up the last group of a choice.
        let spare = (general.zero, places as u32);
        let room = places + 1;
        let mut places = room;
        let mut choosers = Vec::new();
        let mut codes = Vec::new();
        for prepared in all {
            let forced = prepared.phase.forced.iter().enumerate();
            let mut choose = |role: usize| {
                choosers.push(prepared.chooser(role, does_starts[role] as u32, spare));
                let stuck_ends = prepared.stuck_ends[role];
                RoleCode::Choose { chooser: choosers.len() - 1, stuck_ends }
            };
            let roles =
                forced.map(|(role, only)| only.map_or_else(|| choose(role), RoleCode::Forced));
            let roles = roles.collect();
            let Prepared { schedule, phase, .. } = prepared;
            let puts = Puts::new(&schedule.fluents, &circuit.initial, &is_constant, room);
            places = places.max(puts.places());
            codes.push(PhaseCode { fixed: phase.fixed, schedule, puts, roles });
        }
        let (initial, width) = (circuit.initial.clone(), Width::best());
        Self { general, phases: codes, goals, choosers, initial, does_starts, places, width, care }
    }

    /// How random play differs from any legal moves.
    pub fn care(&self) -> Care {
        self.care
    }

    /// The number of situations that random play goes through in turn.
    pub fn phases(&self) -> usize {
        self.phases.len()
    }

    /// Operations of a step on average, without the choice of moves: legal and terminal, next, goals.
    pub fn operations(&self) -> (usize, usize, usize) {
        let count = self.phases.len();
        let mean = |of: &dyn Fn(&Schedule) -> usize| {
            self.phases.iter().map(|phase| of(&phase.schedule)).sum::<usize>() / count
        };
        (
            mean(&|schedule| schedule.state.len()),
            mean(&|schedule| schedule.next.len()),
            mean(&|schedule| schedule.goal.len()),
        )
    }

    /// Moves that are chosen among in a step on average, over all roles.
    pub fn choices(&self) -> usize {
        let all: usize = self.choosers.iter().map(|chooser| chooser.chosen().len()).sum();
        all / self.phases.len()
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::sync::Arc;

    use super::*;
    use crate::lanes::Lanes;
    use crate::phase::tests::circuit;
    use crate::plane::LANES;

    /// Rooks on a board with a wall: thousands of moves, a fluent that never changes, an end for want of moves.
    fn rooks() -> String {
        let mut text = String::from(
            "(role x) (role o) (init (control x)) (init (wall 4 4)) (init (step 0)) (init (at 1 1 x)) (init (at 8 8 o))
             (init (at 3 7 x)) (init (at 6 2 o))
             (<= (occupied ?a ?b) (true (at ?a ?b ?r))) (<= (occupied ?a ?b) (true (wall ?a ?b)))
             (<= (line ?a ?b ?c ?b) (cell ?a ?b) (number ?c) (distinct ?a ?c))
             (<= (line ?a ?b ?a ?c) (cell ?a ?b) (number ?c) (distinct ?b ?c))
             (<= (cell ?a ?b) (number ?a) (number ?b))
             (<= (can ?r (move ?a ?b ?c ?d)) (true (at ?a ?b ?r)) (line ?a ?b ?c ?d) (not (occupied ?c ?d)))
             (<= (legal ?r ?m) (true (control ?r)) (can ?r ?m))
             (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
             (<= (some ?r) (can ?r ?m))
             (<= (next (wall ?a ?b)) (true (wall ?a ?b)))
             (<= (next (control o)) (true (control x))) (<= (next (control x)) (true (control o)))
             (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
             (<= (next (at ?c ?d ?r)) (does ?r (move ?a ?b ?c ?d)))
             (<= (next (stone ?a ?b)) (does ?r (move ?a ?b ?c ?d)))
             (<= (next (stone ?a ?b)) (true (stone ?a ?b)))
             (<= (occupied ?a ?b) (true (stone ?a ?b)))
             (<= (left ?a ?b) (does ?r (move ?a ?b ?c ?d)))
             (<= (next (at ?a ?b ?r)) (true (at ?a ?b ?r)) (not (left ?a ?b)))
             (<= terminal (true (control ?r)) (not (some ?r))) (<= terminal (true (step 40)))
             (<= (goal ?r 100) (some ?r)) (<= (goal ?r 0) (role ?r) (not (some ?r)))",
        );
        (1..=8).for_each(|n| write!(text, "(number {n})").expect("a string"));
        (0..40).for_each(|n| write!(text, "(succ {n} {})", n + 1).expect("a string"));
        text
    }

    /// All that makes a step cheaper together: the same numbers lead to the same moves, states, ends and goals.
    #[test]
    fn random_play_is_the_same_without_the_shortcuts() {
        let circuit = circuit(&rooks());
        let (short, plain) = (Code::new(&circuit), Code::with(&circuit, true, None));
        let scattered = short.choosers.iter().filter(|chooser| chooser.is_scattered()).count();
        let ends = |code: &Code| {
            let roles = code.phases.iter().flat_map(|phase| &phase.roles);
            roles.filter(|role| matches!(role, RoleCode::Choose { stuck_ends: true, .. })).count()
        };
        assert_eq!((scattered, ends(&short), ends(&plain)), (2, 2, 0), "the shortcuts are taken");
        assert!(short.operations().0 < plain.operations().0);
        assert!(short.operations().1 < plain.operations().1);
        let mut short = Lanes::on(Arc::new(short), 5);
        let mut plain = Lanes::on(Arc::new(plain), 5);
        let mut playouts = 0;
        for step in 0..120 {
            let tally = short.play(1);
            assert_eq!(tally, plain.play(1), "step {step}");
            playouts += tally.playouts;
            for fluent in 0..circuit.fluents.len() {
                assert_eq!(short.fluent(fluent), plain.fluent(fluent), "step {step}");
            }
            for lane in (0..LANES).step_by(7) {
                assert_eq!(short.last_move(lane, 0), plain.last_move(lane, 0));
                assert_eq!(short.last_move(lane, 1), plain.last_move(lane, 1));
            }
        }
        assert!(playouts > 1000);
    }
}
