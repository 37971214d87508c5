//! Monte-Carlo tree search with alpha-beta beside it: the one judges, the other proves.
//!
//! UCT misses traps: lines in which one answer of many refutes a move (Ramanujan, Sabharwal and Selman 2010).
//! Alpha-beta sees all of them as deep as it gets. A part of each move's time is its own; what it proves is
//! taken over, and a move that it proves to lose against another is not made.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use game::{Machine, Move, ReasonError, Role, State};
use search::{Effort, MoveReport, Search, SearchReport};

/// A search with a guard.
pub(super) struct Guarded {
    main: Box<dyn Search>,
    /// None once it has panicked.
    guard: Option<Box<dyn Search>>,
    /// The part of the effort that the guard gets, in hundredths.
    percent: u32,
}

impl Guarded {
    /// `guard` gets a part of the effort of each search, `main` the rest.
    pub(super) fn new(main: Box<dyn Search>, guard: Box<dyn Search>, percent: u32) -> Self {
        Self { main, guard: Some(guard), percent: percent.min(100) }
    }

    /// What the guard finds out within its part of the effort. Its first iterations take no time, so that
    /// there is a move to play from the beginning.
    fn watch(
        &mut self,
        state: &State,
        role: Role,
        effort: &Effort,
        observe: &mut dyn FnMut(&SearchReport),
    ) -> Option<SearchReport> {
        let part = self.part(effort)?;
        let guard = self.guard.as_mut()?;
        let search = AssertUnwindSafe(|| guard.search(state, role, &part, observe));
        let Ok(report) = catch_unwind(search) else {
            self.guard = None;
            return None;
        };
        report.ok()
    }

    /// None where the effort has no end: then nothing could be left for the main search.
    fn part(&self, effort: &Effort) -> Option<Effort> {
        let nodes = effort.nodes.map(|nodes| nodes / 100 * u64::from(self.percent));
        let deadline = match effort.deadline.left() {
            Some(left) => effort.deadline.not_after(Instant::now() + left * self.percent / 100),
            None if nodes.is_some() => effort.deadline.clone(),
            None => return None,
        };
        Some(Effort { deadline, nodes, depth: effort.depth })
    }
}

/// The moves as the main search ranks them, those last that the guard proves to be worse than another.
fn veto(report: &mut SearchReport, watched: &SearchReport) {
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
        let watched = self.watch(state, role, effort, observe);
        if let Some(watched) = &watched {
            // Where everything is lost, the main search knows better what is hard to refute.
            if watched.solved && watched.best.is_some() && watched.value().low > 0.0 {
                return Ok(watched.clone());
            }
        }
        let spent = watched.as_ref().map_or(0, |watched| watched.nodes);
        let nodes = effort.nodes.map(|nodes| nodes.saturating_sub(spent).max(1));
        let effort = Effort { nodes, ..effort.clone() };
        let with_veto = |report: &SearchReport| {
            let mut report = report.clone();
            if let Some(watched) = &watched {
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
        if let Some(guard) = &mut self.guard {
            guard.advance(state);
        }
    }

    fn forget(&mut self) {
        self.main.forget();
        if let Some(guard) = &mut self.guard {
            guard.forget();
        }
    }

    fn use_machine(&mut self, machine: Box<dyn Machine>) {
        self.main.use_machine(machine);
    }
}
