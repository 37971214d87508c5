//! Games that are sums of games, such as several heaps of nim: the values of all states of the parts tell who wins every state of the
//! whole (Sprague 1935, Grundy 1939; [`prove::sat::sums`]), where a search of the whole would have to look at all combinations.
//!
//! Where the own role wins, its moves are known by the tables. Where it loses, all moves are alike to them; then the whole is searched,
//! which knows better what is hard to refute.

use std::sync::Arc;
use std::time::{Duration, Instant};

use game::{Deadline, Goal, JointMove, Machine, Move, ReasonError, Role, State};
use prove::sat::sums::Sum;
use search::{Effort, MoveReport, Search, SearchReport, Stop, Value};

use super::opening::{Opening, Share};

/// For finding out whether a game is a sum, and what its parts are worth.
const SUM: Share = Share(0.15, Duration::from_secs(10));
/// The part of the memory that the tables may take.
const TABLES: usize = 4;

impl Opening<'_> {
    /// Finds out whether the game is a sum of games, and who wins it. True if the own role does.
    pub(super) fn sum(&mut self, deadline: &Deadline) -> bool {
        let fits = self.known.class.roles == 2 && self.known.on_circuit;
        if !self.wishes.parts || !fits || deadline.left().is_none() {
            return false;
        }
        let context = self.context.clone();
        let find = move |deadline: &Deadline| {
            let gates = context.reasoner.gates()?;
            let sum = Sum::new(gates, context.seed, context.memory / TABLES, deadline)?;
            let initial = gates.machine().initial().ok()?;
            let worth = sum.worth(&initial, context.role)?.0;
            let words = format!("{}: worth {worth}", sum.in_words());
            let wins = is_won(&sum, &initial, context.role);
            Some(((Arc::new(sum), wins), words))
        };
        let found = self.known.account.try_aside("sum", &SUM.of(deadline), find);
        let Some((sum, wins)) = found else { return false };
        self.known.sum = Some(sum);
        wins
    }
}

/// What is left of the memory beside the tables.
pub(super) fn rest_of(memory: usize) -> usize {
    memory - memory / TABLES
}

/// Whether a role wins a state; not where that is not known.
fn is_won(sum: &Sum, state: &State, role: Role) -> bool {
    let most = sum.rewards(role).map(|[_, most]| most);
    most.is_some() && sum.worth(state, role) == most
}

/// Plays by the tables of a sum where they say that the role wins, and by a search of the whole elsewhere.
pub(super) struct Summed {
    sum: Arc<Sum>,
    whole: Box<dyn Search>,
    machine: Box<dyn Machine>,
}

impl Summed {
    pub(super) fn new(sum: Arc<Sum>, whole: Box<dyn Search>, machine: Box<dyn Machine>) -> Self {
        Self { sum, whole, machine }
    }

    /// What the moves are worth in a state that the role wins; none where the tables do not say it.
    fn known(&mut self, state: &State, role: Role) -> Result<Option<SearchReport>, ReasonError> {
        if !is_won(&self.sum, state, role) || self.machine.is_terminal(state)? {
            return Ok(None);
        }
        let begin = Instant::now();
        let mut report = SearchReport::empty("sum", role, 2);
        let Some(worth) = [Role(0), Role(1)]
            .into_iter()
            .map(|role| self.sum.worth(state, role).map(exact))
            .collect()
        else {
            return Ok(None);
        };
        report.values = worth;
        let mut moves: [Vec<Move>; 2] = [Vec::new(), Vec::new()];
        self.machine.legal_moves(state, Role(0), &mut moves[0])?;
        self.machine.legal_moves(state, Role(1), &mut moves[1])?;
        let [own, others] = if role == Role(0) { [0, 1] } else { [1, 0] }.map(|at| &moves[at]);
        let waits = own.len() == 1 && others.len() > 1;
        for action in own {
            let value = if waits {
                self.sum.worth(state, role)
            } else {
                let Some(other) = others.first() else { return Ok(None) };
                let mut joint = vec![*other; 2];
                joint[role.index()] = *action;
                let next = self.machine.next(state, &JointMove(joint))?;
                report.nodes += 1;
                self.sum.worth(&next, role)
            };
            let Some(value) = value.map(exact) else { return Ok(None) };
            report.moves.push(MoveReport {
                action: *action,
                value,
                visits: 1,
                depth: 0,
                weight: 0.0,
            });
        }
        report.moves.sort_by(|a, b| b.value.estimate.total_cmp(&a.value.estimate));
        let Some(first) = report.moves.first_mut() else { return Ok(None) };
        first.weight = 1.0;
        report.best = Some(first.action);
        report.solved = true;
        report.seconds = begin.elapsed().as_secs_f64();
        report.stop = Some(Stop::Done);
        Ok(Some(report))
    }
}

fn exact(goal: Goal) -> Value {
    Value::exact(f64::from(goal.0))
}

impl Search for Summed {
    fn name(&self) -> &'static str {
        "sum"
    }

    fn search(
        &mut self,
        state: &State,
        role: Role,
        effort: &Effort,
        observe: &mut dyn FnMut(&SearchReport),
    ) -> Result<SearchReport, ReasonError> {
        match self.known(state, role)? {
            Some(report) => {
                observe(&report);
                Ok(report)
            }
            None => self.whole.search(state, role, effort, observe),
        }
    }

    fn advance(&mut self, state: &State) {
        self.whole.advance(state);
    }

    fn forget(&mut self) {
        self.whole.forget();
    }

    fn use_machine(&mut self, machine: Box<dyn Machine>) {
        self.whole.use_machine(machine);
    }
}

#[cfg(test)]
mod tests {
    use game::playout::Random;
    use game::{Budget, Game, Reasoner};
    use search::Blind;
    use search::class::{Sampling, sample};
    use search::deepening::{Deepening, Options};

    use super::*;
    use crate::fluxion::counted::Counted;

    struct Table {
        reasoner: Reasoner,
        summed: Summed,
        /// Alpha-beta to the end.
        oracle: Deepening,
        asked: Arc<std::sync::atomic::AtomicU32>,
    }

    /// Nim with these heaps, played until the last match is taken.
    fn table(heaps: [usize; 3]) -> Table {
        let rules = library::find("nim_3_4_5").expect("in the library").rules;
        let [a, b, c] = heaps;
        let rules = rules.replace("(heap a 3)", &format!("(heap a {a})"));
        let rules = rules.replace("(heap b 4)", &format!("(heap b {b})"));
        let rules = rules.replace("(heap c 5)", &format!("(heap c {c})"));
        let game = Game::from_text(&rules).expect("sound");
        let reasoner = Reasoner::build(&game, &Budget::default());
        let gates = reasoner.gates().expect("small");
        let sum = Sum::new(gates, 1, 1 << 24, &Deadline::never()).expect("a sum");
        let (class, _) = sample(&mut *reasoner.machine(), &Sampling::default()).expect("small");
        let solver = || {
            let options = Options { memory: 1 << 24, ..Options::default() };
            Deepening::new(reasoner.machine(), Box::new(Blind), class.clone(), &options)
        };
        let (inner, asked) = (Box::new(solver()), Arc::default());
        let whole = Box::new(Counted { inner, asked: Arc::clone(&asked), stop: None });
        let summed = Summed::new(Arc::new(sum), whole, reasoner.machine());
        let oracle = solver();
        Table { reasoner, summed, oracle, asked }
    }

    impl Table {
        /// Plays the role that wins against moves by chance or perfect ones. What it got.
        fn play(&mut self, winner: Role, seed: Option<u64>) -> u8 {
            let mut machine = self.reasoner.machine();
            let mut state = machine.initial().expect("small");
            let mut random = Random::new(seed.unwrap_or(0));
            let effort = Effort::default();
            while !machine.is_terminal(&state).expect("small") {
                let report = self.summed.search(&state, winner, &effort, &mut |_| ());
                let report = report.expect("small");
                assert!(report.solved && report.method == "sum");
                let solved = self.oracle.search(&state, winner, &effort, &mut |_| ());
                assert_eq!(report.value(), solved.expect("small").value());
                let other = Role(1 - winner.0);
                let mut moves = Vec::new();
                machine.legal_moves(&state, other, &mut moves).expect("small");
                let answer = if seed.is_some() {
                    moves[random.below(moves.len())]
                } else {
                    let report = self.oracle.search(&state, other, &effort, &mut |_| ());
                    report.expect("small").best.expect("a move")
                };
                let mut joint = vec![answer; 2];
                joint[winner.index()] = report.best.expect("a move");
                state = machine.next(&state, &JointMove(joint)).expect("small");
            }
            machine.goal(&state, winner).expect("small").value().expect("one").0
        }
    }

    #[test]
    fn every_start_is_won_by_the_role_that_wins_it_whoever_the_other_is() {
        let mut firsts = 0;
        for heaps in [[1, 1, 1], [1, 2, 3], [2, 2, 1], [3, 4, 5], [1, 4, 5], [2, 3, 4]] {
            let mut table = table(heaps);
            let first_wins = heaps[0] ^ heaps[1] ^ heaps[2] != 0;
            firsts += usize::from(first_wins);
            let winner = Role(u32::from(!first_wins));
            for seed in [None, Some(1), Some(2), Some(3)] {
                assert_eq!(table.play(winner, seed), 100, "{heaps:?} {seed:?}");
            }
            assert_eq!(table.asked.load(std::sync::atomic::Ordering::Relaxed), 0);
        }
        assert_eq!(firsts, 4);
    }

    #[test]
    fn all_moves_of_a_state_that_is_won_have_their_worth_and_others_are_searched() {
        let mut table = table([3, 4, 5]);
        let initial = table.reasoner.machine().initial().expect("small");
        let effort = Effort::default();
        let report = table.summed.search(&initial, Role(0), &effort, &mut |_| ()).expect("small");
        let solved = table.oracle.search(&initial, Role(0), &effort, &mut |_| ()).expect("small");
        assert_eq!((report.moves.len(), report.best), (12, solved.best));
        // Only taking two of three leaves 1, 4 and 5.
        let good = report.moves.iter().filter(|own| own.value == Value::exact(100.0)).count();
        let bad = report.moves.iter().filter(|own| own.value == Value::exact(0.0)).count();
        assert_eq!((good, bad), (1, 11));
        let asked = || table.asked.load(std::sync::atomic::Ordering::Relaxed);
        assert_eq!(asked(), 0);
        let lost = table.summed.search(&initial, Role(1), &effort, &mut |_| ()).expect("small");
        assert_eq!((lost.best.is_some(), asked()), (true, 1), "it loses, so the whole is searched");
        let mut strange = initial.clone();
        strange.remove(initial.iter().next().expect("a fluent"));
        let _ = table.summed.search(&strange, Role(0), &effort, &mut |_| ());
        assert_eq!(asked(), 2, "no state of the tables");
    }
}
