//! Monte-Carlo tree search with alpha-beta beside it: the one judges, the other proves.
//!
//! UCT misses traps: lines in which one answer of many refutes a move (Ramanujan, Sabharwal and Selman 2010).
//! Alpha-beta sees all of them as deep as it gets. A part of each move's time is its own; what it proves is
//! taken over, and a move that it proves to lose against another is not made. Where it looks as if the position could be solved
//! within the time, it gets most of it. In a position that is proven to be worth something between all and nothing, a draw as a rule, the
//! tree says which of the moves that keep it is hardest to answer.

use std::panic::{AssertUnwindSafe, catch_unwind};

use game::playout::Random;
use game::{JointMove, Machine, Move, ReasonError, Role, State};
use search::{Effort, Look, MoveReport, Search, SearchReport, Turn, Value};

use super::outlook::{Outlook, horizon};

/// The part of the rest that the guard gets where it may solve the position, in hundredths.
const TO_SOLVE: u32 = 70;
/// What a forecast may be wrong by where there is time for a longer look.
const A_CHANCE: f64 = 0.02;
/// What trust in forecasts is multiplied with after one that was wrong.
const DISTRUST: f64 = 0.2;
/// The part of that for finding out how far the end is.
const TO_LOOK: u32 = 5;
/// What the best reward is worth.
const ALL: f64 = 100.0;
/// The part of the rest, in hundredths, in which the main search ranks moves of a position that is solved.
const TO_RANK: u32 = 60;
/// How many of these moves are looked at, at most, each for such a part of what is left.
const LIKED: u32 = 4;

/// Alpha-beta for a part of the effort, and for more where it may solve the position with that.
pub(super) struct Solver {
    /// None once it has panicked.
    search: Option<Box<dyn Search>>,
    /// For a look at how far the end is.
    machine: Box<dyn Machine>,
    random: Random,
    /// How much forecasts count: less after each that was wrong.
    trust: f64,
    /// The position asked about last, and what its iterations cost.
    asked: Option<State>,
    outlook: Outlook,
    /// How many times the nodes that it would need it could have had, by the last forecast.
    odds: Option<f64>,
}

impl Solver {
    pub(super) fn new(search: Box<dyn Search>, machine: Box<dyn Machine>, seed: u64) -> Self {
        let (outlook, random) = (Outlook::default(), Random::new(seed));
        Self { search: Some(search), machine, random, trust: 1.0, asked: None, outlook, odds: None }
    }

    /// How much forecasts count by now.
    pub(super) fn trust(&self) -> f64 {
        self.trust
    }

    /// The same, with forecasts counting that much from the beginning.
    pub(super) fn trusting(self, trust: f64) -> Self {
        Self { trust, ..self }
    }

    /// Whether another look may be worth it, though the last forecast was not good enough: iterations grow less where states are
    /// met again.
    pub(super) fn has_a_chance(&self) -> bool {
        self.odds.is_some_and(|odds| odds >= A_CHANCE)
    }

    /// What it finds out within so many hundredths of the effort, or within more of it. Its first iterations take no time, so
    /// that there is a move to play from the beginning.
    pub(super) fn look(
        &mut self,
        state: &State,
        role: Role,
        (effort, percent): (&Effort, u32),
        observe: &mut dyn FnMut(&SearchReport),
    ) -> Option<SearchReport> {
        let share = part(effort, percent)?;
        if self.asked.as_ref() != Some(state) {
            (self.asked, self.outlook) = (Some(state.clone()), Outlook::default());
        }
        let mut outlook = std::mem::take(&mut self.outlook);
        let mut noting = |report: &SearchReport| {
            outlook.note(report);
            observe(report);
        };
        let first = self.ask(state, role, &share, &mut noting);
        self.outlook = outlook;
        let first = first?;
        let Some(rest) = self.worth_more(state, effort, &first) else {
            return Some(first);
        };
        let Some(mut second) = self.ask(state, role, &rest, observe) else { return Some(first) };
        second.nodes += first.nodes;
        self.trust = if second.solved { 1.0 } else { self.trust * DISTRUST };
        Some(second)
    }

    /// What else it should get, if it may solve the position with that.
    fn worth_more(
        &mut self,
        state: &State,
        effort: &Effort,
        first: &SearchReport,
    ) -> Option<Effort> {
        self.odds = None;
        if first.solved {
            return None;
        }
        let nodes = effort.nodes.map(|nodes| nodes.saturating_sub(first.nodes));
        let rest = part(&Effort { nodes, ..effort.clone() }, TO_SOLVE)?;
        let in_time =
            rest.deadline.left().map(|left| left.as_secs_f64() * first.nodes_per_second());
        let most = rest.nodes.map(|nodes| nodes as f64).into_iter().chain(in_time);
        let most = most.fold(f64::INFINITY, f64::min) * self.trust;
        // Most positions cannot be solved even if the end is near; then there is no need to know how near it is.
        self.outlook.next().filter(|needed| *needed <= most)?;
        let soon = part(&rest, TO_LOOK)?.deadline;
        let far = horizon(&mut *self.machine, state, &mut self.random, &soon)?;
        self.odds = self.outlook.nodes_to(far).map(|needed| most / needed);
        self.odds.is_some_and(|odds| odds >= 1.0).then_some(rest)
    }

    /// Whether a move is proven to be worth at least so much, within the effort.
    fn keeps(
        &mut self,
        (state, role): (&State, Role),
        (action, worth): (Move, f64),
        effort: &Effort,
    ) -> bool {
        let mut look = Look::default();
        if look.at(&mut *self.machine, state) != Ok(Turn::Of(role)) {
            return false;
        }
        let of_role = |(at, moves): (usize, &Vec<Move>)| {
            if at == role.index() { action } else { moves[0] }
        };
        let joint = JointMove(look.moves.iter().enumerate().map(of_role).collect());
        let Ok(next) = self.machine.next(state, &joint) else { return false };
        let found = self.ask(&next, role, effort, &mut |_| ());
        found.is_some_and(|found| found.value().low >= worth)
    }

    fn ask(
        &mut self,
        state: &State,
        role: Role,
        effort: &Effort,
        observe: &mut dyn FnMut(&SearchReport),
    ) -> Option<SearchReport> {
        let search = self.search.as_mut()?;
        let search = AssertUnwindSafe(|| search.search(state, role, effort, observe));
        let Ok(report) = catch_unwind(search) else {
            self.search = None;
            return None;
        };
        report.ok()
    }
}

/// A search with a guard.
pub(super) struct Guarded {
    main: Box<dyn Search>,
    guard: Solver,
    /// The part of the effort that the guard gets, in hundredths.
    percent: u32,
    /// Whether moves are made in turn. What is proven of single moves says little where they are simultaneous; what is
    /// solved counts there, too.
    in_turn: bool,
    /// Whether a move of a draw is the one that is hardest to answer.
    contends: bool,
}

impl Guarded {
    /// `guard` gets a part of the effort of each search, `main` the rest.
    pub(super) fn new(main: Box<dyn Search>, guard: Solver, percent: u32, in_turn: bool) -> Self {
        Self { main, guard, percent: percent.min(100), in_turn, contends: in_turn }
    }

    /// The same; whether draws are played for more is said here.
    pub(super) fn contending(self, contends: bool) -> Self {
        Self { contends: self.in_turn && contends, ..self }
    }

    /// Of the moves that are proven to keep what the position is worth, the one that the main search likes best: others do not know
    /// everything, and what is hard to answer may bring more. None where nothing is proven in time.
    fn contend(
        &mut self,
        (state, role): (&State, Role),
        effort: &Effort,
        solved: &SearchReport,
    ) -> Option<SearchReport> {
        let worth = solved.value().low;
        let effort = less(effort, solved.nodes);
        let time = part(&effort, TO_RANK)?;
        let mut report = self.main.search(state, role, &time, &mut |_| ()).ok()?;
        let rest = less(&effort, report.nodes);
        let good = report.moves.iter().filter(|own| own.value.high >= worth);
        let mut liked = good.map(|own| own.action).take(LIKED as usize);
        let kept = liked.find(|action| {
            let share = rest.part((1, LIKED));
            Some(*action) == solved.best
                || self.guard.keeps((state, role), (*action, worth), &share)
        });
        let kept = kept?;
        if report.best != Some(kept) {
            report.line.clear();
        }
        report.best = Some(kept);
        report.moves.sort_by_key(|own| own.action != kept);
        for own in &mut report.moves {
            own.weight = f64::from(u8::from(own.action == kept));
        }
        if let Some(first) = report.moves.first_mut() {
            first.value = Value::exact(worth);
        }
        report.values.clone_from(&solved.values);
        report.solved = true;
        Some(report)
    }
}

/// What is left of an effort after so many nodes.
fn less(effort: &Effort, spent: u64) -> Effort {
    let nodes = effort.nodes.map(|nodes| nodes.saturating_sub(spent).max(1));
    Effort { nodes, ..effort.clone() }
}

/// A part of an effort, in hundredths. None where the effort has no end: then nothing could be left for the main search.
fn part(effort: &Effort, percent: u32) -> Option<Effort> {
    effort.has_end().then(|| effort.part((percent, 100)))
}

/// The moves as the main search ranks them, those last that the guard proves to be worse than another.
pub(super) fn veto(report: &mut SearchReport, watched: &SearchReport) {
    let seen = |action: Move| watched.moves.iter().find(|own| own.action == action);
    for own in &mut report.moves {
        if let Some(seen) = seen(own.action) {
            let (low, high) =
                (own.value.low.max(seen.value.low), own.value.high.min(seen.value.high));
            if low <= high {
                own.value = search::Value::within(own.value.estimate, low, high);
            }
        }
    }
    let sure = report.moves.iter().map(|own| own.value.low).fold(0.0, f64::max);
    let bad = |own: &MoveReport| {
        own.value.high < sure || (own.value.high <= sure && own.value.low < sure)
    };
    let lost = |own: &MoveReport| own.value.high <= 0.0;
    report.moves.sort_by_key(|own| (bad(own), lost(own)));
    if let Some(first) = report.moves.first()
        && report.best != Some(first.action)
    {
        report.best = Some(first.action);
        report.line.clear();
        let best = report.best;
        report.moves.iter_mut().for_each(|own| {
            own.weight = f64::from(u8::from(Some(own.action) == best));
        });
    }
}

impl Search for Guarded {
    fn name(&self) -> &'static str {
        self.main.name()
    }

    fn search(
        &mut self,
        state: &State,
        role: Role,
        effort: &Effort,
        observe: &mut dyn FnMut(&SearchReport),
    ) -> Result<SearchReport, ReasonError> {
        let watched = self.guard.look(state, role, (effort, self.percent), observe);
        if let Some(watched) = &watched {
            // Where everything is lost, the main search knows better what is hard to refute.
            if watched.solved && watched.best.is_some() && watched.value().low > 0.0 {
                let mut better = None;
                if self.contends && watched.value().low < ALL && watched.moves.len() > 1 {
                    observe(watched);
                    better = self.contend((state, role), effort, watched);
                }
                return Ok(better.unwrap_or_else(|| watched.clone()));
            }
        }
        let spent = watched.as_ref().map_or(0, |watched| watched.nodes);
        let effort = less(effort, spent);
        let in_turn = self.in_turn;
        let with_veto = |report: &SearchReport| {
            let mut report = report.clone();
            if let Some(watched) = watched.as_ref().filter(|_| in_turn) {
                veto(&mut report, watched);
            }
            report
        };
        let report =
            self.main.search(state, role, &effort, &mut |report| observe(&with_veto(report)))?;
        Ok(with_veto(&report))
    }

    fn advance(&mut self, state: &State) {
        self.main.advance(state);
        if let Some(guard) = &mut self.guard.search {
            guard.advance(state);
        }
    }

    fn forget(&mut self) {
        self.main.forget();
        if let Some(guard) = &mut self.guard.search {
            guard.forget();
        }
    }

    fn use_machine(&mut self, machine: Box<dyn Machine>) {
        self.main.use_machine(machine);
    }
}
