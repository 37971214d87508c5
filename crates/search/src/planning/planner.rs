//! The search for games of one role: several methods in turn with growing effort, and a plan that is kept.

use std::cmp::Ordering;
use std::time::{Duration, Instant};

use game::playout::Random;
use game::{
    Evaluator, Foreseen, Foresight, JointMove, Machine, Move, ReasonError, Role, State,
    clock_fluents,
};

use super::beams::Beams;
use super::best_first::{Guide, best_first};
use super::depth_first::depth_first;
use super::ida::iterative_deepening_a_star;
use super::layers::{Score, layers};
use super::nested::{Adaptation, Nesting, nested_monte_carlo};
use super::onward::onward_rollouts;
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
    Onward,
    Adaptation,
    Nested,
    DepthFirst,
    AStar,
    Greedy,
    Ida,
    /// One of those who look ahead.
    Foresight(usize),
}

/// The methods in the order in which they are tried.
const METHODS: [Method; 15] = [
    Method::Complete,
    Method::Timeless,
    Method::Onward,
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
    Method::Foresight(0),
    Method::Foresight(1),
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
/// Methods that reached nearly as much by themselves as the best of them get that many times the time of others.
const LEADING: u32 = 3;
/// The part of the clock of each further move, in hundredths, in which all states from there on are looked for: they get fewer.
const REST: u32 = 20;
/// The part of a clock that a single method has at most, in hundredths.
const LONGEST_TURN: u32 = 50;

/// The search for games of one role.
pub struct Planner {
    machine: Box<dyn Machine>,
    evaluator: Option<Box<dyn Evaluator>>,
    distance: Option<Box<dyn Distance>>,
    foresights: Vec<Box<dyn Foresight>>,
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
    /// Whose turn it is in the round, and how long it lasts at most.
    turn: usize,
    longest_turn: Option<Duration>,
    rounds_from: Option<State>,
    beams: Beams,
    adaptation: Adaptation,
    /// The largest reward that each method reached by itself.
    reached: [Option<u8>; METHODS.len()],
    nodes: u64,
    deepest: u32,
}

impl Planner {
    /// A planner for a game of one role.
    pub fn new(machine: Box<dyn Machine>, options: PlannerOptions) -> Self {
        let nesting = Nesting { longest: options.longest, ..Nesting::default() };
        Self {
            machine,
            evaluator: None,
            distance: None,
            foresights: Vec::new(),
            top: options.top,
            options,
            kept: None,
            proved: false,
            shortest: false,
            spent: Vec::new(),
            clock: None,
            round: 0,
            turn: 0,
            longest_turn: None,
            rounds_from: None,
            beams: Beams::default(),
            adaptation: Adaptation::new(nesting),
            reached: [None; METHODS.len()],
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

    /// With somebody who looks ahead; two of them are asked at most.
    #[must_use]
    pub fn with_foresight(mut self, foresight: Box<dyn Foresight>) -> Self {
        self.foresights.push(foresight);
        self
    }

    /// The kept plan from a state on, if it leads through it.
    fn follow(&mut self, state: &State) {
        let at = self.kept.as_ref().and_then(|kept| kept.states.iter().position(|s| s == state));
        if let (Some(kept), Some(at)) = (&mut self.kept, at) {
            kept.states.drain(..at);
            kept.moves.drain(..at).for_each(|action| self.adaptation.advance(action));
        } else {
            self.kept = None;
            (self.proved, self.shortest) = (false, false);
            self.top = self.options.top;
            self.begin_anew();
        }
    }

    /// Forgets how far the methods are.
    fn begin_anew(&mut self) {
        (self.round, self.turn, self.spent, self.rounds_from) = (0, 0, Vec::new(), None);
        (self.beams, self.reached) = (Beams::default(), [None; METHODS.len()]);
        let nesting = Nesting { longest: self.options.longest, ..Nesting::default() };
        self.adaptation = Adaptation::new(nesting);
    }

    /// Makes a state the one to plan from. On the way of the kept plan methods take up their turns where they were, with as much time
    /// as they had last: begun anew with each move, none of them would ever get far. What was spent before may do for the rest of the way.
    fn begin(&mut self, state: &State, effort: &Effort) -> Result<(), Stop> {
        if self.rounds_from.as_ref() == Some(state) {
            return Ok(());
        }
        let first = self.rounds_from.replace(state.clone()).is_none();
        self.spent.clear();
        if effort.nodes.is_some() || effort.deadline.instant().is_none() {
            // As many states for each move, whatever was before.
            (self.round, self.turn, self.beams) = (0, 0, Beams::default());
        } else if !first && !self.is_done() {
            match self.run(Method::Complete, state, &effort.part((REST, 100))) {
                Ok(_) | Err(Stop::Nodes | Stop::Memory | Stop::Time) => {}
                Err(stop) => return Err(stop),
            }
        }
        Ok(())
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

    /// How a method does: more where it reached nearly as much by itself as the best of them, less where it did not, and the same for all
    /// where rewards tell nothing yet.
    fn standing(&self, method: Method) -> Ordering {
        let best = self.reached.iter().flatten().max().copied();
        let own = METHODS.iter().position(|other| *other == method).and_then(|at| self.reached[at]);
        match best.filter(|best| *best > 0) {
            None => Ordering::Equal,
            Some(best) if own.is_some_and(|own| u32::from(own) * 4 >= u32::from(best) * 3) => {
                Ordering::Greater
            }
            Some(_) => Ordering::Less,
        }
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
            Method::Foresight(at) => at < self.foresights.len(),
            Method::Nested => self.round.is_multiple_of(2),
            _ => true,
        };
        // The last of the methods have a turn in every other round.
        let looks = matches!(method, Method::Foresight(_));
        let waits = !looks && !self.round.is_multiple_of(2) && self.standing(method).is_lt();
        fits && !waits && !self.spent.contains(&method)
    }

    /// Runs one method within a part of the effort.
    fn run(&mut self, method: Method, state: &State, effort: &Effort) -> Result<Ended, Stop> {
        if let Method::Foresight(at) = method {
            return self.look_ahead(at, state, effort);
        }
        let options = &self.options;
        let mut planning = Planning::new(&mut *self.machine, effort, self.top, options.memory);
        if method != Method::Complete {
            planning = planning.patiently();
        }
        if method != Method::Complete && method != Method::DepthFirst {
            planning = planning.ignoring(self.clock.clone().unwrap_or_default());
        }
        let beams = &mut self.beams;
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
            Method::Mobility => beams.run(&mut planning, state, &mut Score::Mobility, effort),
            Method::Restriction => beams.run(&mut planning, state, &mut Score::Restriction, effort),
            Method::Value => beams.run(&mut planning, state, &mut Score::Value(evaluator), effort),
            Method::Onward => onward_rollouts(&mut planning, state, options.longest, &mut random),
            Method::Novelty => best_first(&mut planning, state, &mut Guide::Novelty),
            Method::AStar => best_first(&mut planning, state, &mut Guide::AStar(distance)),
            Method::Greedy => best_first(&mut planning, state, &mut Guide::Greedy(distance)),
            Method::Ida => {
                iterative_deepening_a_star(&mut planning, state, distance, options.longest)
            }
            Method::DepthFirst => {
                depth_first(&mut planning, state, evaluator, distance, options.longest)
            }
            Method::Adaptation => self.adaptation.run(&mut planning, state, &mut random),
            // Done above.
            Method::Foresight(_) => Ok(Ended::Open),
            Method::Nested => {
                nested_monte_carlo(&mut planning, state, 2, options.longest, &mut random)
            }
        };
        let (best, nodes, deepest) = (planning.best.take(), planning.nodes(), planning.deepest);
        self.nodes += nodes;
        self.deepest = self.deepest.max(deepest);
        if let Some(best) = best {
            if let Some(at) = METHODS.iter().position(|other| *other == method) {
                self.reached[at] = self.reached[at].max(Some(best.reward));
            }
            let complete = method == Method::Complete && ended == Ok(Ended::Exhausted);
            self.keep(state, &best, complete)?;
        }
        self.learn(method, &ended);
        ended
    }

    /// Asks somebody who looks ahead: in even rounds for the largest reward, in odd ones for any larger one than is kept.
    /// The work counts as nodes, so that a limit on them ends it.
    fn look_ahead(&mut self, at: usize, state: &State, effort: &Effort) -> Result<Ended, Stop> {
        let Some(foresight) = self.foresights.get_mut(at) else { return Ok(Ended::Open) };
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
            Foreseen::Beyond => self.spent.push(Method::Foresight(at)),
            Foreseen::Open => {}
        }
        Ok(Ended::Open)
    }

    /// Draws conclusions from the end of a method.
    fn learn(&mut self, method: Method, ended: &Result<Ended, Stop>) {
        let repeats = matches!(
            method,
            Method::Adaptation
                | Method::Onward
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

    /// How long the turn of a method lasts in this round.
    fn time(&self, method: Method) -> Duration {
        let times = match self.standing(method) {
            _ if matches!(method, Method::Foresight(_)) => LOOKING,
            Ordering::Greater => LEADING,
            _ => 1,
        };
        let time = FIRST_ROUND * (1 << self.round.min(20)) * times;
        self.longest_turn.map_or(time, |longest| longest.min(time))
    }

    /// The part of the effort that a method has in this round, and whether that is all that is left. All methods
    /// have the same time where there is a clock; else they have states by what a state costs them.
    fn part(&self, method: Method, effort: &Effort) -> (Effort, bool) {
        let left = effort.nodes.map_or(u64::MAX, |most| most.saturating_sub(self.nodes));
        let mut limits = effort.clone();
        if effort.deadline.instant().is_some() && effort.nodes.is_none() {
            let time = self.time(method);
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
        }
        // Whatever is late later on, the plan so far is known by then.
        observe(self);
        if self.clock.is_none() {
            self.clock = Some(clock_fluents(&mut *self.machine, state, self.options.seed)?);
        }
        self.begin(state, effort)?;
        self.longest_turn = effort.deadline.left().map(|left| left * LONGEST_TURN / 100);
        loop {
            while self.turn < METHODS.len() {
                if self.is_done() {
                    return Ok(Stop::Done);
                }
                let method = METHODS[self.turn];
                if !self.applies(method) {
                    self.turn += 1;
                    continue;
                }
                let reward = self.kept.as_ref().map(|kept| kept.reward);
                let (limits, last) = self.part(method, effort);
                // A turn that is cut short is had again with the next move.
                let wanted = self.time(method);
                let timed = effort.nodes.is_none();
                let short = timed && limits.deadline.left().is_some_and(|left| left * 2 < wanted);
                self.turn += usize::from(!short);
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
            (self.round, self.turn) = (self.round + 1, 0);
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
        (self.kept, self.clock) = (None, None);
        (self.proved, self.shortest, self.top) = (false, false, self.options.top);
        self.begin_anew();
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

#[cfg(test)]
mod tests {
    use super::*;
    use game::{Deadline, Game};
    use std::fmt::Write as _;

    /// Thirty switches, of which each may be set either way once; all ends but one are worth the same.
    fn switches() -> Game {
        let mut rules = String::from(
            "(role you) (init (now 0)) (side a) (side b)
             (<= (legal you (set ?n ?s)) (true (now ?n)) (side ?s))
             (<= (next (now ?m)) (true (now ?n)) (succ ?n ?m))
             (<= (next (wrong ?n)) (does you (set ?n b))) (<= (next (wrong ?n)) (true (wrong ?n)))
             (<= bad (true (wrong ?n))) (<= terminal (true (now 30)))
             (<= (goal you 100) (not bad)) (<= (goal you 40) bad)",
        );
        for n in 0..30 {
            let _ = write!(rules, "(succ {n} {})", n + 1);
        }
        Game::from_text(&rules).expect("sound")
    }

    fn planner(game: &Game) -> (Planner, State) {
        let mut planner = Planner::new(Box::new(game.interpreter()), PlannerOptions::default());
        let initial = planner.machine.initial().expect("small");
        (planner, initial)
    }

    #[test]
    fn methods_take_up_their_turns_with_the_next_move() {
        let game = switches();
        let (mut planner, initial) = planner(&game);
        // Nobody gets further than this.
        planner.top = 101;
        planner.options.top = 101;
        let until = |millis| Effort::until(Deadline::within(Duration::from_millis(millis)));
        let report = planner.search(&initial, Role(0), &until(400), &mut |_| ()).expect("a report");
        let before = planner.round;
        assert!(before > 0);
        let next = planner.machine.next(&initial, &report.line[0]).expect("legal");
        planner.advance(&next);
        planner.search(&next, Role(0), &until(20), &mut |_| ()).expect("a report");
        assert!(planner.round >= before);
        // Somewhere else all begins anew, and with a limit on states it does so anyway.
        planner.advance(&initial);
        assert_eq!(planner.round, 0);
        planner.round = 9;
        planner.rounds_from = Some(next);
        planner.begin(&initial, &Effort::nodes(10)).expect("nothing to do");
        assert_eq!(planner.round, 0);
    }

    #[test]
    fn methods_that_do_well_get_more_time_and_others_less_often() {
        let (mut planner, _) = planner(&switches());
        let place =
            |method| METHODS.iter().position(|other| *other == method).expect("one of them");
        planner.round = 1;
        let plain = planner.time(Method::Mobility);
        planner.reached[place(Method::Onward)] = Some(0);
        assert_eq!(planner.time(Method::Onward), plain);
        planner.reached[place(Method::Onward)] = Some(60);
        planner.reached[place(Method::Mobility)] = Some(40);
        planner.reached[place(Method::Nested)] = Some(45);
        assert_eq!(planner.time(Method::Onward), plain * LEADING);
        assert_eq!(planner.time(Method::Nested), plain * LEADING);
        assert!(planner.applies(Method::Onward) && !planner.applies(Method::Mobility));
        planner.round = 2;
        assert!(planner.applies(Method::Mobility));
    }
}
