//! A game that is several games at once, searched game by game: in each part a role has choices of its own, and what is best there
//! is found with the part alone. The states of parts add up, where those of the whole multiply.
//!
//! A move of the whole is worth what its choices are worth on average. Where the games of the parts do not say any more what is at stake
//! (one of them is over, say), the whole is searched.

use std::sync::Arc;
use std::time::{Duration, Instant};

use game::{Machine, Move, ReasonError, Role, State};
use prove::sat::division::{Division, Subgame};
use search::{Effort, MoveReport, Search, SearchReport, Stop, Value};

/// How long a part is searched at a time where the time has no end.
const TURN: Duration = Duration::from_millis(100);

/// Searches for the parts of a game, and one for the whole.
pub(super) struct Divided {
    division: Arc<Division>,
    parts: Vec<Box<dyn Search>>,
    whole: Box<dyn Search>,
    machine: Box<dyn Machine>,
}

impl Divided {
    /// `parts` search the parts of the division, in their order.
    pub(super) fn new(
        division: Arc<Division>,
        parts: Vec<Box<dyn Search>>,
        whole: Box<dyn Search>,
        machine: Box<dyn Machine>,
    ) -> Self {
        Self { division, parts, whole, machine }
    }

    /// Searches all parts in turn, without an end of the time, until somebody interrupts it or nothing is left to find out.
    fn go_on(&mut self, state: &State, role: Role, effort: &Effort) -> Result<(), ReasonError> {
        let mut open = true;
        while open && !effort.deadline.passed() {
            open = false;
            for (search, part) in self.parts.iter_mut().zip(self.division.parts()) {
                let deadline = effort.deadline.not_after(Instant::now() + TURN);
                let turn = Effort { deadline, ..effort.clone() };
                let report = search.search(&part.state(state), role, &turn, &mut |_| ())?;
                open |= report.stop == Some(Stop::Time);
            }
        }
        Ok(())
    }

    /// The parts in which a role has a choice; all, if there is none.
    fn open(&self, role: Role, legal: &[Move]) -> Vec<usize> {
        let parts = self.division.parts();
        let chooses = |part: &Subgame| {
            let mut choices = legal.iter().map(|action| part.choice(role, *action));
            let first = choices.next();
            choices.any(|other| Some(other) != first)
        };
        let open: Vec<usize> = (0..parts.len()).filter(|at| chooses(&parts[*at])).collect();
        if open.is_empty() { (0..parts.len()).collect() } else { open }
    }
}

/// What is known of the parts, as what is known of the moves of the whole: `found` has reports of some parts, by their places.
fn together(
    division: &Division,
    (role, legal, roles): (Role, &[Move], usize),
    found: &[(usize, SearchReport)],
) -> SearchReport {
    let mut report = SearchReport::empty("parts", role, roles);
    if found.is_empty() {
        return report;
    }
    let count = found.len() as f64;
    for (value, at) in report.values.iter_mut().zip(0..) {
        let of = found.iter().filter_map(|(_, one)| one.values.get(at));
        value.estimate = of.map(|value| value.estimate).sum::<f64>() / count;
    }
    for (_, one) in found {
        report.nodes += one.nodes;
        report.seconds += one.seconds;
        report.depth = report.depth.max(one.depth);
        report.selective_depth = report.selective_depth.max(one.selective_depth);
        report.table.entries += one.table.entries;
        report.table.capacity += one.table.capacity;
        report.table.bytes += one.table.bytes;
        report.table.lookups += one.table.lookups;
        report.table.hits += one.table.hits;
        report.stop.clone_from(&one.stop);
    }
    for action in legal {
        let mut all = MoveReport {
            action: *action,
            value: Value::guess(0.0),
            visits: 0,
            depth: 0,
            weight: 1.0,
        };
        for (place, (at, one)) in found.iter().enumerate() {
            let choice = division.parts()[*at].choice(role, *action);
            let own = one.moves.iter().find(|own| Some(own.action) == choice);
            // A choice that was not looked at is not made.
            let (value, visits, depth, weight) = own.map_or((0.0, 0, 0, 0.0), |own| {
                (own.value.estimate, own.visits, own.depth, own.weight)
            });
            all.value.estimate += value / count;
            all.visits = if place == 0 { visits } else { all.visits.min(visits) };
            all.depth = all.depth.max(depth);
            all.weight *= weight;
        }
        report.moves.push(all);
    }
    // What is best in a part may be a way to leave it alone that is not there in the whole; another one does the same.
    let best = |(at, one): &(usize, SearchReport)| {
        let there = |choice: &Move| {
            legal.iter().any(|own| division.parts()[*at].choice(role, *own) == Some(*choice))
        };
        let ranked = one.moves.iter().map(|own| own.action);
        one.best.into_iter().chain(ranked).find(there)
    };
    let best: Vec<Option<Move>> = found.iter().map(best).collect();
    let is_best = |action: Move| {
        let choices = found.iter().map(|(at, _)| division.parts()[*at].choice(role, action));
        choices.zip(&best).all(|(choice, best)| choice == *best)
    };
    report.best = legal.iter().copied().find(|action| is_best(*action));
    // Moves that do the same in all parts share their probability.
    let total: f64 = report.moves.iter().map(|own| own.weight).sum();
    for own in &mut report.moves {
        own.weight = if total > 0.0 { own.weight / total } else { 0.0 };
    }
    let first = report.best;
    report.moves.sort_by(|a, b| {
        let rank = |own: &MoveReport| (Some(own.action) != first, -own.weight, -own.value.estimate);
        let (a, b) = (rank(a), rank(b));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.total_cmp(&b.2))
    });
    report
}

impl Search for Divided {
    fn name(&self) -> &'static str {
        "parts"
    }

    fn search(
        &mut self,
        state: &State,
        role: Role,
        effort: &Effort,
        observe: &mut dyn FnMut(&SearchReport),
    ) -> Result<SearchReport, ReasonError> {
        if !self.division.holds(state) || self.machine.is_terminal(state)? {
            return self.whole.search(state, role, effort, observe);
        }
        let mut legal = Vec::new();
        self.machine.legal_moves(state, role, &mut legal)?;
        if effort.deadline.left().is_none() && effort.nodes.is_none() {
            self.go_on(state, role, effort)?;
        }
        let open = self.open(role, &legal);
        let division = &*self.division;
        let about = (role, &legal[..], self.machine.game().roles().len());
        let mut found: Vec<(usize, SearchReport)> = Vec::new();
        for (place, at) in open.iter().enumerate() {
            let own = division.parts()[*at].state(state);
            let share = effort.part((1, (open.len() - place) as u32));
            let effort = Effort { nodes: share.nodes.map(|nodes| nodes.max(1)), ..share };
            let mut noted = |report: &SearchReport| {
                let so_far: Vec<_> = found.iter().cloned().chain([(*at, report.clone())]).collect();
                observe(&together(division, about, &so_far));
            };
            let report = self.parts[*at].search(&own, role, &effort, &mut noted)?;
            found.push((*at, report));
        }
        let report = together(division, about, &found);
        match report.best {
            Some(_) => Ok(report),
            None => self.whole.search(state, role, effort, observe),
        }
    }

    fn advance(&mut self, state: &State) {
        for (search, part) in self.parts.iter_mut().zip(self.division.parts()) {
            search.advance(&part.state(state));
        }
        self.whole.advance(state);
    }

    fn forget(&mut self) {
        self.parts.iter_mut().for_each(|part| part.forget());
        self.whole.forget();
    }

    fn use_machine(&mut self, machine: Box<dyn Machine>) {
        self.whole.use_machine(machine);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

    use game::{Budget, Deadline, Game, Reasoner};
    use search::mcts::{Mcts, Options};

    use super::*;
    use crate::fluxion::counted::Counted;

    #[test]
    fn without_a_clock_all_parts_take_turns_and_a_move_takes_the_part_that_is_open() {
        let entry = library::find("twin_connect_four").expect("in the library");
        let game = Game::from_text(entry.rules).expect("sound");
        let reasoner = Reasoner::build(&game, &Budget::default());
        let gates = reasoner.gates().expect("small");
        let division = Arc::new(Division::new(gates, 1, &Deadline::never()).expect("two games"));
        let stop = Arc::new(AtomicBool::new(false));
        let asked: Vec<Arc<AtomicU32>> = (0..3).map(|_| Arc::default()).collect();
        let search = |reasoner: &Reasoner, at: usize| -> Box<dyn Search> {
            let inner = Box::new(Mcts::new(reasoner, Options::default()));
            let stop = (at < 2).then(|| stop.clone());
            Box::new(Counted { inner, asked: asked[at].clone(), stop })
        };
        let parts = division.parts().iter().enumerate();
        let parts = parts.map(|(at, part)| search(part.reasoner(), at)).collect();
        let whole = search(&reasoner, 2);
        let mut divided = Divided::new(division, parts, whole, reasoner.machine());
        let state = gates.machine().initial().expect("small");
        let times =
            || -> Vec<u32> { asked.iter().map(|one| one.load(Ordering::Relaxed)).collect() };
        let by_nodes = Effort::nodes(500);
        let report = divided.search(&state, Role(0), &by_nodes, &mut |_| ()).expect("small");
        assert_eq!((report.method, report.moves.len()), ("parts", 6));
        assert_eq!(times().iter().sum::<u32>(), 1, "white has a choice on one board only");
        let endless = Effort::until(Deadline::never().or_when(stop.clone()));
        divided.search(&state, Role(0), &endless, &mut |_| ()).expect("small");
        let times = times();
        assert!(times[0] >= 2 && times[1] >= 2 && times[2] == 0, "{times:?}");
    }
}
