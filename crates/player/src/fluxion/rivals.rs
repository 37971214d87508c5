//! Two searches at the same time on two cores; the one whose predictions hold is followed.
//!
//! Quick games in the start clock tell which of a tree and alpha-beta is better, but often not clearly, and they are quicker than
//! the match. So where they leave it open, both search in each move, and `forecasts` compares what they said with what came of it. What
//! either of them proves counts whoever is followed, as it does for a guard (`guarded`).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use game::{Deadline, Machine, ReasonError, Role, State};
use search::{Effort, Search, SearchReport};

use super::forecasts::Forecasts;
use super::guarded::veto;
use super::rival::{News, Question, Rival, Told};

/// The place of the tree; the other one is alpha-beta.
const TREE: usize = 0;
/// How often the one who waits looks up.
const NAP: Duration = Duration::from_millis(1);
/// How much earlier than asked for the searches stop, so that there is time to hear of it: at most that, and at most that part.
const EARLIER: Duration = Duration::from_millis(4);
const PART: u32 = 20;
/// How long searches that were cancelled, or that said nothing yet, may take to come back.
const GRACE: Duration = Duration::from_millis(20);

/// What was heard of a search about a question.
#[derive(Default)]
struct Heard {
    report: Option<SearchReport>,
    error: Option<ReasonError>,
    done: bool,
}

/// A tree and alpha-beta side by side.
pub(super) struct Rivals {
    searches: [Rival; 2],
    news: Receiver<Told>,
    /// The number of the last question, and the flag that ends work on it.
    asked: u64,
    stop: Arc<AtomicBool>,
    /// The threads of the tree: each thread gets as many nodes as any other.
    threads: u64,
    chance: f64,
    forecasts: Forecasts,
    /// The state of the match, until a move was chosen there.
    present: Option<State>,
}

impl Rivals {
    /// A tree that has so many threads, and alpha-beta that has one; with the chance that alpha-beta is better.
    pub(super) fn new(
        tree: Box<dyn Search>,
        threads: usize,
        looking_ahead: Box<dyn Search>,
        chance: f64,
    ) -> Self {
        let (tell, news) = mpsc::channel();
        let searches = [Rival::start(tree, 0, tell.clone()), Rival::start(looking_ahead, 1, tell)];
        Self {
            searches,
            news,
            asked: 0,
            stop: Arc::default(),
            threads: threads.max(1) as u64,
            chance,
            forecasts: Forecasts::new(chance),
            present: None,
        }
    }

    /// Puts a question to both.
    fn ask(&mut self, state: &State, role: Role, effort: &Effort) -> [Heard; 2] {
        self.asked += 1;
        self.stop = Arc::new(AtomicBool::new(false));
        let left = effort.deadline.left();
        let end = left.map_or_else(Deadline::never, |left| {
            Deadline::within(left.saturating_sub(EARLIER.min(left / PART)))
        });
        // The flags of the deadline are watched by the one who waits.
        let deadline = end.or_when(self.stop.clone());
        let mut heard = [Heard::default(), Heard::default()];
        for (at, rival) in self.searches.iter_mut().enumerate() {
            let share = if at == TREE { self.threads } else { 1 };
            let nodes = effort.nodes.map(|nodes| (nodes / (self.threads + 1) * share).max(1));
            let effort = Effort { deadline: deadline.clone(), nodes, depth: effort.depth };
            rival.ask(Question { id: self.asked, state: state.clone(), role, effort });
            heard[at].done = !rival.is_there();
        }
        heard
    }

    /// Waits for both, or for one that settles the matter, or until the deadline.
    fn wait(
        &mut self,
        effort: &Effort,
        heard: &mut [Heard; 2],
        observe: &mut dyn FnMut(&SearchReport),
    ) {
        let mut told_to_stop: Option<Instant> = None;
        loop {
            // With a limit on nodes both are heard: who is first depends on the clock.
            let settled = effort.nodes.is_none() && heard.iter().any(Heard::settles);
            if settled || heard.iter().all(|heard| heard.done) {
                break;
            }
            match self.news.recv_timeout(NAP) {
                Ok(told) => {
                    if self.hear(told, heard)
                        && let Some(report) = self.together(heard)
                    {
                        observe(&report);
                    }
                }
                // Without a thread there is nobody to wait for.
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if effort.deadline.passed() {
                self.stop.store(true, Ordering::Relaxed);
                let since = *told_to_stop.get_or_insert_with(Instant::now);
                // Without anything heard so far there would be no move.
                let needed = heard.iter().all(|heard| heard.report.is_none());
                if since.elapsed() > GRACE || !(effort.deadline.cancelled() || needed) {
                    break;
                }
            }
        }
        self.stop.store(true, Ordering::Relaxed);
        // What has come in the meantime.
        while let Ok(told) = self.news.try_recv() {
            self.hear(told, heard);
        }
    }

    /// Takes note of news; whether there is something new about the question.
    fn hear(&mut self, (who, id, news): Told, heard: &mut [Heard; 2]) -> bool {
        let (now, own) = (id == self.asked, &mut heard[who]);
        match news {
            News::Better(report) if now => own.report = Some(report),
            News::Done(Ok(report)) if now => (own.report, own.done) = (Some(report), true),
            News::Done(Err(error)) if now => (own.error, own.done) = (Some(error), true),
            News::Panicked(why) => {
                *own = Heard { done: true, ..Heard::default() };
                self.searches[who].leave();
                if !self.searches[1 - who].is_there() {
                    // As a single search that panics would do: it is made anew.
                    std::panic::resume_unwind(why);
                }
                return false;
            }
            _ => return false,
        }
        true
    }

    /// What both have to say, as far as they were heard: that of the one to follow, with what the other one proved.
    fn together(&self, heard: &[Heard; 2]) -> Option<SearchReport> {
        let leader = self.forecasts.leader();
        let order = [&heard[leader], &heard[1 - leader]];
        if let Some(solved) = order.into_iter().find(|heard| heard.has_solved()) {
            return solved.report.clone();
        }
        match order.map(|heard| heard.report.as_ref().filter(|report| report.best.is_some())) {
            [Some(own), Some(other)] => {
                let mut report = own.clone();
                veto(&mut report, other);
                report.nodes += other.nodes;
                Some(report)
            }
            [Some(only), None] | [None, Some(only)] => Some(only.clone()),
            [None, None] => order.into_iter().find_map(|heard| heard.report.clone()),
        }
    }

    /// Compares what was said before with what is said now, once for each own move.
    fn learn(&mut self, state: &State, heard: &[Heard; 2]) {
        if self.present.as_ref() != Some(state) {
            return;
        }
        self.present = None;
        let said = |heard: &Heard| {
            let report = heard.report.as_ref().filter(|report| report.best.is_some())?;
            Some(report.value())
        };
        self.forecasts.note([said(&heard[0]), said(&heard[1])]);
    }
}

impl Heard {
    /// Whether the position is solved, and not lost: where everything is lost, others may know better what is hard to refute.
    fn has_solved(&self) -> bool {
        let report = self.report.as_ref();
        report.is_some_and(|own| own.solved && own.best.is_some() && own.value().low > 0.0)
    }

    fn settles(&self) -> bool {
        self.done && self.has_solved()
    }
}

impl Search for Rivals {
    fn name(&self) -> &'static str {
        "rivals"
    }

    /// The method of the report is that of the search which is followed.
    fn search(
        &mut self,
        state: &State,
        role: Role,
        effort: &Effort,
        observe: &mut dyn FnMut(&SearchReport),
    ) -> Result<SearchReport, ReasonError> {
        let mut heard = self.ask(state, role, effort);
        self.wait(effort, &mut heard, observe);
        let report = self.together(&heard);
        self.learn(state, &heard);
        match report {
            Some(report) => Ok(report),
            None => match heard.into_iter().find_map(|heard| heard.error) {
                Some(error) => Err(error),
                None => Ok(SearchReport::empty(self.name(), role, 2)),
            },
        }
    }

    fn advance(&mut self, state: &State) {
        self.present = Some(state.clone());
        self.searches.iter_mut().for_each(|rival| rival.advance(state));
    }

    fn forget(&mut self) {
        self.forecasts = Forecasts::new(self.chance);
        self.present = None;
        self.searches.iter_mut().for_each(Rival::forget);
    }

    /// There is but one, so it is for the tree, as with a guard.
    fn use_machine(&mut self, machine: Box<dyn Machine>) {
        self.searches[TREE].use_machine(machine);
    }
}

impl Drop for Rivals {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::Move;
    use search::{MoveReport, Stop, Value};

    /// A search by a script: for each question what it says about two moves, best first.
    struct Scripted {
        name: &'static str,
        script: Vec<[(u32, Value); 2]>,
        asked: usize,
        /// Whether it thinks until the deadline; one that does not heed it is stuck for a while.
        manner: Manner,
    }

    #[derive(Clone, Copy, PartialEq)]
    enum Manner {
        Quick,
        Thorough,
        Stuck,
        Panics,
    }

    fn scripted(
        name: &'static str,
        script: Vec<[(u32, Value); 2]>,
        manner: Manner,
    ) -> Box<dyn Search> {
        Box::new(Scripted { name, script, asked: 0, manner })
    }

    impl Search for Scripted {
        fn name(&self) -> &'static str {
            self.name
        }

        fn search(
            &mut self,
            _: &State,
            role: Role,
            effort: &Effort,
            observe: &mut dyn FnMut(&SearchReport),
        ) -> Result<SearchReport, ReasonError> {
            let says = self.script[self.asked.min(self.script.len() - 1)];
            self.asked += 1;
            let mut report = SearchReport::empty(self.name, role, 2);
            report.moves = says
                .iter()
                .map(|(action, value)| MoveReport {
                    action: Move(*action),
                    value: *value,
                    visits: 1,
                    depth: 1,
                    weight: 0.0,
                })
                .collect();
            report.best = Some(Move(says[0].0));
            report.values[0] = says[0].1;
            report.solved = says[0].1.is_exact();
            report.nodes = effort.nodes.unwrap_or(1);
            observe(&report);
            match self.manner {
                Manner::Quick => {}
                Manner::Thorough => {
                    while !effort.deadline.passed() {
                        std::thread::sleep(Duration::from_millis(1));
                    }
                }
                Manner::Stuck => std::thread::sleep(Duration::from_millis(600)),
                Manner::Panics => panic!("wanted by the test"),
            }
            report.stop = Some(Stop::Time);
            Ok(report)
        }

        fn advance(&mut self, _: &State) {}

        fn forget(&mut self) {
            self.asked = 0;
        }

        fn use_machine(&mut self, _: Box<dyn Machine>) {}
    }

    fn guesses(best: u32, values: &[f64]) -> Vec<[(u32, Value); 2]> {
        let other = 1 - best;
        let both = |value: &f64| [(best, Value::guess(*value)), (other, Value::guess(1.0))];
        values.iter().map(both).collect()
    }

    fn state(number: u32) -> State {
        std::iter::once(game::FluentId(number)).collect()
    }

    /// Plays so many own moves; the methods that were followed, and the moves made.
    fn follow(rivals: &mut Rivals, moves: u32, effort: &Effort) -> Vec<(&'static str, u32)> {
        (0..moves)
            .map(|at| {
                rivals.advance(&state(at));
                let report = rivals.search(&state(at), Role(0), effort, &mut |_| ());
                let report = report.expect("a report");
                (report.method, report.best.expect("a move").0)
            })
            .collect()
    }

    const FALLING: [f64; 6] = [85.0, 75.0, 65.0, 55.0, 45.0, 35.0];

    #[test]
    fn the_search_whose_predictions_hold_is_followed_after_some_moves() {
        for (chance, first) in [(0.35, "tree"), (0.65, "ahead")] {
            for wrong in 0..2 {
                let script =
                    |at: usize| guesses(at as u32, if at == wrong { &FALLING } else { &[35.0] });
                let tree = scripted("tree", script(0), Manner::Quick);
                let ahead = scripted("ahead", script(1), Manner::Quick);
                let mut rivals = Rivals::new(tree, 1, ahead, chance);
                let followed = follow(&mut rivals, 6, &Effort::default());
                let right = [("ahead", 1), ("tree", 0)][wrong];
                assert_eq!(followed[0].0, first, "the belief at first");
                assert_eq!(followed[5], right, "{followed:?} {:?}", rivals.forecasts.means());
                rivals.forget();
                let again = follow(&mut rivals, 6, &Effort::default());
                assert_eq!(followed, again, "nothing is left of the match before");
            }
        }
    }

    #[test]
    fn what_is_not_a_move_of_the_match_does_not_count() {
        let tree = scripted("tree", guesses(0, &FALLING), Manner::Quick);
        let ahead = scripted("ahead", guesses(1, &[35.0]), Manner::Quick);
        let mut rivals = Rivals::new(tree, 1, ahead, 0.35);
        for at in 0..6 {
            let report = rivals.search(&state(at), Role(0), &Effort::default(), &mut |_| ());
            assert_eq!(report.expect("a report").method, "tree");
        }
    }

    #[test]
    fn a_proof_of_the_other_is_obeyed() {
        let asked = |proof: [(u32, Value); 2]| {
            let tree = scripted("tree", guesses(0, &[90.0]), Manner::Thorough);
            let ahead = scripted("ahead", vec![proof], Manner::Quick);
            let effort = Effort::until(Deadline::within(Duration::from_millis(150)));
            follow(&mut Rivals::new(tree, 1, ahead, 0.1), 1, &effort)[0]
        };
        // A win; a loss of the move that would be made; that everything is lost, where the other knows what is hard to refute.
        let (guess, exact) = (Value::guess, Value::exact);
        assert_eq!(asked([(1, exact(100.0)), (0, guess(50.0))]), ("ahead", 1));
        assert_eq!(asked([(1, guess(40.0)), (0, exact(0.0))]), ("tree", 1));
        assert_eq!(asked([(1, exact(0.0)), (0, exact(0.0))]), ("tree", 0));
        assert_eq!(asked([(1, guess(99.0)), (0, guess(1.0))]), ("tree", 0));
    }

    #[test]
    fn a_search_that_panics_costs_nothing_but_itself() {
        for panics in 0..2 {
            let manner = |at| if at == panics { Manner::Panics } else { Manner::Quick };
            let tree = scripted("tree", guesses(0, &[50.0]), manner(0));
            let ahead = scripted("ahead", guesses(1, &[50.0]), manner(1));
            let mut rivals = Rivals::new(tree, 1, ahead, 0.5);
            let followed = follow(&mut rivals, 3, &Effort::default());
            assert_eq!(followed, [[("ahead", 1), ("tree", 0)][panics]; 3]);
        }
        let both = [0, 1].map(|at| scripted("both", guesses(at, &[50.0]), Manner::Panics));
        let [tree, ahead] = both;
        let mut rivals = Rivals::new(tree, 1, ahead, 0.5);
        let work = std::panic::AssertUnwindSafe(|| follow(&mut rivals, 1, &Effort::default()));
        assert!(std::panic::catch_unwind(work).is_err(), "as a single search would");
    }

    #[test]
    fn it_stops_by_its_deadline_and_when_it_is_told_also_with_a_search_that_is_stuck() {
        let make = |manner| {
            let tree = scripted("tree", guesses(0, &[50.0]), Manner::Thorough);
            let ahead = scripted("ahead", guesses(1, &[50.0]), manner);
            Rivals::new(tree, 1, ahead, 0.9)
        };
        // On a busy machine threads come late; what is stuck is so for much longer.
        let most = Duration::from_millis(400);
        for manner in [Manner::Thorough, Manner::Stuck] {
            let mut rivals = make(manner);
            let begin = Instant::now();
            let effort = Effort::until(Deadline::within(Duration::from_millis(60)));
            let followed = follow(&mut rivals, 1, &effort);
            assert!(begin.elapsed() < most, "{:?}", begin.elapsed());
            assert_eq!(followed[0], ("ahead", 1), "what it said before the deadline counts");
            let flag = Arc::new(AtomicBool::new(false));
            let effort = Effort::until(Deadline::never().or_when(flag.clone()));
            let begin = Instant::now();
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    std::thread::sleep(Duration::from_millis(30));
                    flag.store(true, Ordering::Relaxed);
                });
                follow(&mut rivals, 1, &effort);
            });
            assert!(begin.elapsed() < most, "{:?}", begin.elapsed());
        }
    }

    #[test]
    fn nodes_are_shared_by_threads_and_both_are_heard() {
        let tree = scripted("tree", guesses(0, &[50.0]), Manner::Quick);
        let ahead = scripted("ahead", guesses(1, &[50.0]), Manner::Quick);
        let mut rivals = Rivals::new(tree, 3, ahead, 0.2);
        let mut seen = 0;
        let report = rivals.search(&state(1), Role(0), &Effort::nodes(1000), &mut |report| {
            assert!(report.best.is_some());
            seen += 1;
        });
        let report = report.expect("a report");
        assert_eq!((report.nodes, report.method), (1000, "tree"));
        assert!(seen >= 2, "{seen}");
    }

    #[test]
    fn a_tree_and_alpha_beta_choose_the_same_moves_again_with_a_limit_on_nodes() {
        use search::deepening::{self, Deepening};
        use search::mcts::{self, Mcts};
        let entry = library::find("connect_four").expect("a game of the library");
        let game = game::Game::from_text(entry.rules).expect("sound");
        let reasoner = game::Reasoner::build(&game, &game::Budget::default());
        let play = || {
            let options = mcts::Options { threads: 1, ..mcts::Options::default() };
            let tree = Box::new(Mcts::new(&reasoner, options));
            let class = search::GameClass::unknown(2);
            let options = deepening::Options::default();
            let blind = Box::new(search::Blind);
            let ahead = Box::new(Deepening::new(reasoner.machine(), blind, class, &options));
            let mut rivals = Rivals::new(tree, 1, ahead, 0.5);
            let mut machine = reasoner.machine();
            let mut state = machine.initial().expect("small");
            let mut made = Vec::new();
            for turn in 0..6 {
                rivals.advance(&state);
                let role = Role(turn % 2);
                let report = rivals.search(&state, role, &Effort::nodes(2000), &mut |_| ());
                let report = report.expect("a report");
                let mut joint = Vec::new();
                for role in game.role_ids() {
                    let mut legal = Vec::new();
                    machine.legal_moves(&state, role, &mut legal).expect("small");
                    joint.push(legal[0]);
                }
                joint[role.index()] = report.best.expect("a move");
                assert!(report.nodes <= 2100, "{}", report.nodes);
                made.push((report.method, joint[role.index()]));
                state = machine.next(&state, &game::JointMove(joint)).expect("legal");
            }
            made
        };
        assert_eq!(play(), play());
    }
}
