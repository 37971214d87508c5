//! The search for games of one role: several methods in turn with growing effort, and a plan that is kept.

use std::time::{Duration, Instant};

use game::playout::Random;
use game::{
    Evaluator, Foreseen, Foresight, JointMove, Machine, Move, ReasonError, Role, State,
    clock_fluents,
};

use super::best_first::{Guide, best_first};
use super::depth_first::depth_first;
use super::ida::iterative_deepening_a_star;
use super::layers::{Score, layers};
use super::nested::{Nesting, nested_monte_carlo, policy_adaptation};
use super::{Distance, Ended, Planning, Unknown, replay};
use crate::effort::{Effort, Meter, Stop};
use crate::interface::{Blind, Search};
use crate::report::{MoveReport, SearchReport, Value};
use crate::rewards::{Look, Turn, rewards};

/// The options of planning.
#[derive(Clone, Debug)]
pub struct PlannerOptions {
    /// Bytes for each method.
    pub memory: usize,
    /// The seed of random choices.
    pub seed: u64,
    /// The largest reward that is possible; with it a plan is known to be best.
    pub top: u8,
    /// Whether to look for a shortest plan once the best reward is found.
    pub shortest: bool,
    /// No path is followed further than this.
    pub longest: u32,
}

impl Default for PlannerOptions {
    fn default() -> Self {
        Self { memory: 1 << 30, seed: 1, top: 100, shortest: false, longest: 1000 }
    }
}

/// A plan that is being followed.
struct Kept {
    /// The states, the first and the last included.
    states: Vec<State>,
    moves: Vec<Move>,
    reward: u8,
}

/// One of the methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    Complete,
    Timeless,
    Novelty,
    Mobility,
    Restriction,
    Value,
    Adaptation,
    Nested,
    DepthFirst,
    AStar,
    Greedy,
    Ida,
    Foresight,
}

/// The methods in the order in which they are tried.
const METHODS: [Method; 13] = [
    Method::Complete,
    Method::Timeless,
    Method::AStar,
    Method::Greedy,
    Method::Ida,
    Method::Novelty,
    Method::Value,
    Method::Mobility,
    Method::Restriction,
    Method::Adaptation,
    Method::Nested,
    Method::DepthFirst,
    Method::Foresight,
];

/// The time that each method has in the first round, and the states that it may make instead where the time
/// does not matter.
const FIRST_ROUND: Duration = Duration::from_millis(8);
const FIRST_STATES: u64 = 4000;
/// A state takes a method that asks for the distance of each about that many times as long.
const COST_OF_DISTANCE: u64 = 64;
/// How hard those who look ahead may try in the first round; they get that many times the time of other methods.
const FIRST_WORK: u64 = 500;
const LOOKING: u32 = 4;
/// The width of beams in the first round.
const FIRST_WIDTH: usize = 32;

/// The search for games of one role.
pub struct Planner {
    machine: Box<dyn Machine>,
    evaluator: Option<Box<dyn Evaluator>>,
    distance: Option<Box<dyn Distance>>,
    foresight: Option<Box<dyn Foresight>>,
    /// No larger reward can be had; what the options say, or less if somebody looked ahead.
    top: u8,
    options: PlannerOptions,
    kept: Option<Kept>,
    /// Whether nothing is better than the kept plan, and whether nothing as good is shorter.
    proved: bool,
    shortest: bool,
    /// Methods that have nothing more to say about the present state.
    spent: Vec<Method>,
    clock: Option<State>,
    round: u32,
    rounds_from: Option<State>,
    nodes: u64,
    deepest: u32,
}

impl Planner {
    /// A planner for a game of one role.
    pub fn new(machine: Box<dyn Machine>, options: PlannerOptions) -> Self {
        Self {
            machine,
            evaluator: None,
            distance: None,
            foresight: None,
            top: options.top,
            options,
            kept: None,
            proved: false,
            shortest: false,
            spent: Vec::new(),
            clock: None,
            round: 0,
            rounds_from: None,
            nodes: 0,
            deepest: 0,
        }
    }

    /// With an evaluator for the order of states.
    #[must_use]
    pub fn with_evaluator(mut self, evaluator: Box<dyn Evaluator>) -> Self {
        self.evaluator = Some(evaluator);
        self
    }

    /// With a distance.
    #[must_use]
    pub fn with_distance(mut self, distance: Box<dyn Distance>) -> Self {
        self.distance = Some(distance);
        self
    }

    /// With somebody who looks ahead.
    #[must_use]
    pub fn with_foresight(mut self, foresight: Box<dyn Foresight>) -> Self {
        self.foresight = Some(foresight);
        self
    }

    /// The kept plan from a state on, if it leads through it.
    fn follow(&mut self, state: &State) {
        let at = self.kept.as_ref().and_then(|kept| kept.states.iter().position(|s| s == state));
        if let (Some(kept), Some(at)) = (&mut self.kept, at) {
            kept.states.drain(..at);
            kept.moves.drain(..at);
        } else {
            self.kept = None;
            (self.proved, self.shortest) = (false, false);
            self.top = self.options.top;
        }
        if self.rounds_from.as_ref() != Some(state) {
            self.rounds_from = Some(state.clone());
            (self.round, self.spent) = (0, Vec::new());
        }
    }

    fn is_done(&self) -> bool {
        let best = self.kept.as_ref().is_some_and(|kept| kept.reward >= self.top);
        (best || self.proved) && (!self.options.shortest || self.shortest || self.is_spent())
    }

    fn is_spent(&self) -> bool {
        self.spent.contains(&Method::Complete)
    }

    /// Takes over a plan if it is better, or as good and shorter. Where better ones may exist, a longer one of
    /// the same reward is taken instead: it ends the game later, and leaves more time to find them.
    fn keep(
        &mut self,
        state: &State,
        found: &super::Plan,
        complete: bool,
    ) -> Result<(), ReasonError> {
        let patient = found.reward < self.top && !complete && !self.proved;
        let better = self.kept.as_ref().is_none_or(|kept| {
            let (old, new) = (kept.moves.len(), found.moves.len());
            let by_length = if patient { new > old } else { new < old };
            found.reward > kept.reward || (found.reward == kept.reward && by_length)
        });
        if better
            && let Some((states, reward)) = replay(&mut *self.machine, state, &found.moves)?
            && reward >= found.reward
        {
            self.kept = Some(Kept { states, moves: found.moves.clone(), reward });
        }
        Ok(())
    }

    /// Whether a method makes sense for this game now.
    fn applies(&self, method: Method) -> bool {
        let has_clock = self.clock.as_ref().is_some_and(|clock| !clock.is_empty());
        let best = self.kept.as_ref().is_some_and(|kept| kept.reward >= self.top);
        let fits = match method {
            Method::Complete => true,
            _ if best || self.proved => false,
            Method::Timeless => has_clock,
            Method::Value => self.evaluator.is_some(),
            Method::AStar | Method::Greedy | Method::Ida => self.distance.is_some(),
            Method::Foresight => self.foresight.is_some(),
            Method::Nested => self.round.is_multiple_of(2),
            _ => true,
        };
        fits && !self.spent.contains(&method)
    }

    /// Runs one method within a part of the effort.
    fn run(&mut self, method: Method, state: &State, effort: &Effort) -> Result<Ended, Stop> {
        if method == Method::Foresight {
            return self.look_ahead(state, effort);
        }
        let options = &self.options;
        let mut planning = Planning::new(&mut *self.machine, effort, self.top, options.memory);
        if method != Method::Complete {
            planning = planning.patiently();
        }
        if method != Method::Complete && method != Method::DepthFirst {
            planning = planning.ignoring(self.clock.clone().unwrap_or_default());
        }
        let width = FIRST_WIDTH << self.round.min(30);
        let mut random = Random::new(options.seed ^ u64::from(self.round) << 32);
        let mut blind = Blind;
        let evaluator: &mut dyn Evaluator = match &mut self.evaluator {
            Some(evaluator) => &mut **evaluator,
            None => &mut blind,
        };
        let mut unknown = Unknown;
        let distance: &mut dyn Distance = match &mut self.distance {
            Some(distance) => &mut **distance,
            None => &mut unknown,
        };
        let ended = match method {
            Method::Complete | Method::Timeless => {
                layers(&mut planning, state, usize::MAX, &mut Score::Mobility)
            }
            Method::Mobility => layers(&mut planning, state, width, &mut Score::Mobility),
            Method::Restriction => layers(&mut planning, state, width, &mut Score::Restriction),
            Method::Value => layers(&mut planning, state, width, &mut Score::Value(evaluator)),
            Method::Novelty => best_first(&mut planning, state, &mut Guide::Novelty),
            Method::AStar => best_first(&mut planning, state, &mut Guide::AStar(distance)),
            Method::Greedy => best_first(&mut planning, state, &mut Guide::Greedy(distance)),
            Method::Ida => {
                iterative_deepening_a_star(&mut planning, state, distance, options.longest)
            }
            Method::DepthFirst => {
                depth_first(&mut planning, state, evaluator, distance, options.longest)
            }
            Method::Adaptation => {
                let nesting = Nesting { longest: options.longest, ..Nesting::default() };
                policy_adaptation(&mut planning, state, &nesting, &mut random)
            }
            // Done above.
            Method::Foresight => Ok(Ended::Open),
            Method::Nested => {
                nested_monte_carlo(&mut planning, state, 2, options.longest, &mut random)
            }
        };
        let (best, nodes, deepest) = (planning.best.take(), planning.nodes(), planning.deepest);
        self.nodes += nodes;
        self.deepest = self.deepest.max(deepest);
        if let Some(best) = best {
            let complete = method == Method::Complete && ended == Ok(Ended::Exhausted);
            self.keep(state, &best, complete)?;
        }
        self.learn(method, &ended);
        ended
    }

    /// Asks somebody who looks ahead: in even rounds for the largest reward, in odd ones for any larger one than is kept.
    /// The work counts as nodes, so that a limit on them ends it.
    fn look_ahead(&mut self, state: &State, effort: &Effort) -> Result<Ended, Stop> {
        let Some(foresight) = &mut self.foresight else { return Ok(Ended::Open) };
        let above = self.kept.as_ref().map_or(0, |kept| kept.reward).saturating_add(1);
        let least = if self.round.is_multiple_of(2) { self.top.max(above) } else { above };
        let work = FIRST_WORK << self.round.min(40);
        self.nodes += work.min(effort.nodes.unwrap_or(work));
        match foresight.look(state, least, work, &effort.deadline) {
            Foreseen::Way(moves) => {
                self.keep(state, &super::Plan { moves, reward: least }, false)?;
            }
            Foreseen::Never => {
                self.top = self.top.min(least - 1);
                self.proved |= least == above;
            }
            Foreseen::Beyond => self.spent.push(Method::Foresight),
            Foreseen::Open => {}
        }
        Ok(Ended::Open)
    }

    /// Draws conclusions from the end of a method.
    fn learn(&mut self, method: Method, ended: &Result<Ended, Stop>) {
        let repeats = matches!(
            method,
            Method::Adaptation
                | Method::Nested
                | Method::Mobility
                | Method::Restriction
                | Method::Value
        );
        match ended {
            Ok(Ended::Exhausted) => {
                self.proved = true;
                // In layers the first end with a reward is a nearest one.
                self.shortest |= method == Method::Complete;
                self.spent.push(method);
            }
            Ok(Ended::Best) => self.shortest |= method == Method::Complete,
            Err(Stop::Memory) => self.spent.push(method),
            Ok(Ended::Open) if !repeats => self.spent.push(method),
            _ => {}
        }
    }

    fn report(&self, seconds: f64, moves: &[Move]) -> SearchReport {
        let mut report = SearchReport::empty("planning", Role(0), 1);
        report.best = moves.first().copied();
        let top = f64::from(self.top);
        if let Some(kept) = &self.kept {
            let reward = f64::from(kept.reward);
            let high = if self.proved { reward } else { top.max(reward) };
            report.values = vec![Value::within(reward, reward, high)];
            report.solved = report.values[0].is_exact();
            report.best = kept.moves.first().copied();
            report.line = kept.moves.iter().map(|action| JointMove(vec![*action])).collect();
            report.depth = kept.moves.len() as u32;
            report.shortest = self.shortest;
        }
        report.moves = moves.iter().map(|action| move_report(*action, &report)).collect();
        report.moves.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        report.selective_depth = self.deepest;
        (report.nodes, report.seconds) = (self.nodes, seconds);
        report
    }

    /// A random playout, so that there is some plan from the beginning.
    fn first_plan(&mut self, state: &State, effort: &Effort) -> Result<(), Stop> {
        let options = &self.options;
        let mut planning = Planning::new(&mut *self.machine, effort, self.top, options.memory);
        let mut random = Random::new(options.seed);
        let ended =
            nested_monte_carlo(&mut planning, state, 0, options.longest, &mut random).map(|_| ());
        let best = planning.best.take();
        self.nodes += planning.nodes();
        if let Some(best) = best {
            self.keep(state, &best, false)?;
        }
        ended
    }

    /// The part of the effort that a method has in this round, and whether that is all that is left. All methods
    /// have the same time where there is a clock; else they have states by what a state costs them.
    fn part(&self, method: Method, effort: &Effort) -> (Effort, bool) {
        let left = effort.nodes.map_or(u64::MAX, |most| most.saturating_sub(self.nodes));
        let mut limits = effort.clone();
        if effort.deadline.instant().is_some() && effort.nodes.is_none() {
            let times = if method == Method::Foresight { LOOKING } else { 1 };
            let time = FIRST_ROUND * (1 << self.round.min(20)) * times;
            limits.deadline = effort.deadline.not_after(Instant::now() + time);
            return (limits, false);
        }
        let cost = match method {
            Method::AStar | Method::Greedy | Method::Ida => COST_OF_DISTANCE,
            _ => 1,
        };
        let part = ((FIRST_STATES << self.round.min(40)) / cost).min(left);
        (Effort { nodes: Some(part), ..limits }, part == left)
    }

    /// All rounds, until everything is known or the effort is spent.
    fn rounds(
        &mut self,
        state: &State,
        effort: &Effort,
        observe: &mut dyn FnMut(&Self),
    ) -> Result<Stop, Stop> {
        if self.kept.is_none() {
            self.first_plan(state, effort)?;
            observe(self);
        }
        if self.clock.is_none() {
            self.clock = Some(clock_fluents(&mut *self.machine, state, self.options.seed)?);
        }
        loop {
            for method in METHODS {
                if self.is_done() {
                    return Ok(Stop::Done);
                }
                if !self.applies(method) {
                    continue;
                }
                let reward = self.kept.as_ref().map(|kept| kept.reward);
                let (limits, last) = self.part(method, effort);
                match self.run(method, state, &limits) {
                    Err(Stop::Nodes) if last => return Ok(Stop::Nodes),
                    Ok(_) | Err(Stop::Nodes | Stop::Memory | Stop::Time) => {}
                    Err(stop) => return Err(stop),
                }
                if self.kept.as_ref().map(|kept| kept.reward) > reward {
                    observe(self);
                }
                Meter::start(effort).check()?;
            }
            observe(self);
            if METHODS.iter().all(|method| !self.applies(*method)) && self.round.is_multiple_of(2) {
                return Ok(if self.is_done() { Stop::Done } else { Stop::Memory });
            }
            self.round += 1;
        }
    }
}

impl Search for Planner {
    fn name(&self) -> &'static str {
        "planning"
    }

    fn search(
        &mut self,
        state: &State,
        role: Role,
        effort: &Effort,
        observe: &mut dyn FnMut(&SearchReport),
    ) -> Result<SearchReport, ReasonError> {
        let meter = Meter::start(effort);
        (self.nodes, self.deepest) = (0, 0);
        let mut look = Look::default();
        let turn = look.at(&mut *self.machine, state)?;
        self.follow(state);
        let mut report = SearchReport::empty(self.name(), role, 1);
        if turn == Turn::End {
            let rewards = rewards(&mut *self.machine, state)?;
            report.values = rewards.iter().map(|r| Value::exact(f64::from(*r))).collect();
            (report.solved, report.stop) = (true, Some(Stop::Done));
            return Ok(report);
        }
        let moves = look.moves.first().cloned().unwrap_or_default();
        let stop = self.rounds(state, effort, &mut |planner| {
            observe(&planner.report(meter.seconds(), &moves));
        });
        report = self.report(meter.seconds(), &moves);
        report.stop = Some(stop.unwrap_or_else(|stop| stop));
        Ok(report)
    }

    fn advance(&mut self, state: &State) {
        self.follow(state);
    }

    fn forget(&mut self) {
        (self.kept, self.clock, self.rounds_from) = (None, None, None);
        (self.proved, self.shortest, self.top) = (false, false, self.options.top);
        (self.round, self.spent) = (0, Vec::new());
    }

    fn use_machine(&mut self, machine: Box<dyn Machine>) {
        self.machine = machine;
    }
}

fn move_report(action: Move, report: &SearchReport) -> MoveReport {
    let is_best = report.best == Some(action);
    let value = match report.values[0] {
        value if is_best => value,
        value => Value::within(value.estimate, 0.0, value.high),
    };
    let depth = if is_best { report.depth } else { 0 };
    MoveReport { action, value, visits: 0, depth, weight: f64::from(u8::from(is_best)) }
}
