//! A circuit ready for evaluation by the hundred: operations for any mixture of states, and for each
//! situation of random play its own, with the choosers of its roles. Made once, shared by all threads.

use crate::advance::Puts;
use crate::build::Circuit;
use crate::choose::Chooser;
use crate::constant::constants;
use crate::harvest::GoalCode;
use crate::phase::{Phase, phases};
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
}

impl Code {
    /// Specialises and schedules a circuit.
    pub fn new(circuit: &Circuit) -> Self {
        let general = schedule(circuit);
        let goals = GoalCode::new(circuit);
        let mut does_starts = Vec::new();
        let mut start = circuit.fluents.len();
        for own in &circuit.does {
            does_starts.push(start);
            start += own.len();
        }
        let mut choosers = Vec::new();
        let mut codes = Vec::new();
        let constants = constants(circuit);
        let mut is_constant = vec![false; circuit.fluents.len()];
        for (fluent, _) in &constants {
            is_constant[*fluent] = true;
        }
        let prepare = |mut phase: Phase| {
            let stuck_ends = without_stuck(&mut phase);
            (schedule(&phase.circuit), phase, stuck_ends)
        };
        let scheduled: Vec<_> = phases(circuit, &constants).into_iter().map(prepare).collect();
        let places = scheduled.iter().map(|(schedule, ..)| schedule.places);
        let places = places.fold(general.places, usize::max);
        // For moves that fill up the last group of a choice.
        let spare = (general.zero, places as u32);
        let room = places + 1;
        let mut most = room;
        for (schedule, phase, stuck_ends) in scheduled {
            let mut roles = Vec::new();
            for (role, forced) in phase.forced.iter().enumerate() {
                roles.push(if let Some(only) = forced {
                    RoleCode::Forced(*only)
                } else {
                    let start = does_starts[role] as u32;
                    let moves = schedule.legal[role].iter().enumerate();
                    let moves = moves.filter(|(_, legal)| **legal != schedule.zero);
                    let moves: Vec<(u32, u32)> =
                        moves.map(|(at, legal)| (*legal, start + at as u32)).collect();
                    choosers.push(Chooser::new(&moves, spare));
                    RoleCode::Choose {
                        chooser: choosers.len() - 1,
                        stuck_ends: stuck_ends[role],
                    }
                });
            }
            let puts = Puts::new(&schedule.fluents, &circuit.initial, &is_constant, room);
            most = most.max(puts.places());
            codes.push(PhaseCode { fixed: phase.fixed, schedule, puts, roles });
        }
        let (initial, width) = (circuit.initial.clone(), Width::best());
        let places = most;
        Self { general, phases: codes, goals, choosers, initial, does_starts, places, width }
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
