//! Playouts in the lanes of the circuit: leaves are collected with virtual loss, then played out together.

use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use game::{Batch, Deadline, State};

use crate::effort::{Effort, Meter, Stop};
use crate::rewards::{Look, Turn};

use super::haste;
use super::node::Bounds;
use super::options::Options;
use super::path::Path;
use super::playout::{self, Tools};
use super::worker::{Shared, Worker, settled_values};

/// Leaves collected at a time at first, and where the clock must not matter.
const USUAL_LEAVES: usize = 32;
const LEAST_LEAVES: usize = 8;
const MOST_LEAVES: usize = 256;
/// A root of n visits allows for n divided by this leaves at a time: virtual loss distorts less.
const VISITS_FOR_A_LEAF: u32 = 4;

/// Ways that go down at the same time: while the memory of one node is fetched, that of others is as well.
const WAVE: usize = 8;

/// How many leaves are collected at a time: as many as take one to four times as long as their playouts. More
/// leaves with fewer playouts each say more than fewer leaves with many.
#[derive(Debug)]
pub(super) struct Rhythm {
    pub(super) leaves: usize,
    pub(super) fixed: bool,
}

impl Default for Rhythm {
    fn default() -> Self {
        Self { leaves: USUAL_LEAVES, fixed: true }
    }
}

impl Rhythm {
    fn learn(&mut self, collecting: Duration, playing: Duration) {
        if self.fixed {
            return;
        }
        if collecting < playing {
            self.leaves = (self.leaves * 2).min(MOST_LEAVES);
        } else if collecting > playing * 4 {
            self.leaves = (self.leaves / 2).max(LEAST_LEAVES);
        }
    }
}

impl Worker {
    /// Collects leaves, plays them out, and backs up the means.
    pub(super) fn simulate_in_lanes(
        &mut self,
        shared: &Shared<'_>,
        meter: &mut Meter,
    ) -> Result<(), Stop> {
        let begin = Instant::now();
        let root = shared.graph.node(shared.root);
        let allowed = (root.visits() / VISITS_FOR_A_LEAF) as usize;
        // Each of its moves has to be tried anyway. Where a sweep of the lanes takes as long as others have for a move, the first one is all there is.
        let untried = root.moves.len().saturating_sub(root.visits() as usize);
        let wide = is_wide(shared) && shared.options.leaves == 0;
        let least = if wide { untried.min(MOST_LEAVES) } else { 0 };
        let wanted = self.rhythm.leaves.max(least).min(allowed.max(least.max(LEAST_LEAVES)));
        let mut collected = Vec::new();
        let stopped = self.collect(shared, meter, wanted, &mut collected);
        let collecting = begin.elapsed();
        self.play_out(shared, &meter.effort().deadline, &mut collected);
        self.rhythm.learn(collecting, begin.elapsed().saturating_sub(collecting));
        self.paths.append(&mut collected);
        stopped
    }

    /// Goes down several times, some ways at the same time, one step of each in turn. Leaves whose values are known are backed
    /// up at once and count as well.
    fn collect(
        &mut self,
        shared: &Shared<'_>,
        meter: &mut Meter,
        wanted: usize,
        collected: &mut Vec<Path>,
    ) -> Result<(), Stop> {
        let granted = Self::begin(shared, wanted);
        // Roles that choose at the same time by the same statistics would do so in step with each other, more so the more ways
        // are begun before one has a result.
        let several = shared.graph.node(shared.root).turn == Turn::Several;
        let most = if several { 1 } else { WAVE };
        let mut wave: Vec<Path> = Vec::with_capacity(most);
        let mut nodes = Vec::with_capacity(most);
        let mut finished = 0;
        // The root itself needs a value, but not all lanes.
        let wide = is_wide(shared) && shared.graph.node(shared.root).visits() == 0;
        while finished < granted {
            while wave.len() < most.min(granted - finished) {
                let mut path = self.paths.pop().unwrap_or_default();
                path.begin(shared.root);
                path.onward = wide && finished + wave.len() > 0;
                wave.push(path);
            }
            nodes.clear();
            nodes.extend(wave.iter().map(|path| path.leaf));
            shared.graph.fetch(&nodes);
            let mut at = 0;
            while at < wave.len() {
                match self.go_down(shared, meter, &mut wave[at]) {
                    Ok(true) => at += 1,
                    Ok(false) => {
                        finished += 1;
                        self.arrived(shared, wave.swap_remove(at), collected);
                    }
                    Err(stop) => {
                        for path in &mut wave {
                            path.abandon(shared.graph, &mut self.hot);
                        }
                        shared.begun.fetch_sub((granted - finished) as u64, Relaxed);
                        self.paths.append(&mut wave);
                        return Err(stop);
                    }
                }
            }
        }
        if granted < wanted { Err(Stop::Nodes) } else { Ok(()) }
    }

    /// A way came to its leaf.
    fn arrived(&mut self, shared: &Shared<'_>, path: Path, collected: &mut Vec<Path>) {
        let leaf = shared.graph.node(path.leaf);
        if settled_values(leaf, &mut self.values) {
            let tools = (shared.outer, &mut self.hot);
            path.back_up(shared.options, shared.graph, &mut self.values, tools);
            self.paths.push(path);
        } else {
            collected.push(path);
        }
    }

    /// Plays out the leaves, each as often as there are lanes for it. Those without a finished playout at the
    /// deadline were not visited.
    fn play_out(&mut self, shared: &Shared<'_>, deadline: &Deadline, collected: &mut [Path]) {
        let Some(batch) = self.batch.as_mut().filter(|_| !collected.is_empty()) else { return };
        let times = (Batch::LANES / collected.len()).max(1);
        let leaves = collected.iter().map(|path| &shared.graph.node(path.leaf).state);
        let starts: Vec<&State> =
            leaves.flat_map(|state| std::iter::repeat_n(state, times)).collect();
        shared.playouts.fetch_add(starts.len() as u64, Relaxed);
        let outcomes = self.guide.sweep(batch, &starts, shared.options, deadline);
        let interrupted = deadline.passed();
        let mut nothing = vec![0.0; self.values.len()];
        playout::unfinished(&mut nothing);
        for (path, outcomes) in collected.iter_mut().zip(outcomes.chunks(times)) {
            if interrupted && outcomes.iter().any(Option::is_none) {
                path.abandon(shared.graph, &mut self.hot);
                shared.begun.fetch_sub(1, Relaxed);
                continue;
            }
            self.values.fill(0.0);
            let mut got = vec![0.0; nothing.len()];
            for outcome in outcomes {
                let finished = outcome.as_ref().filter(|outcome| outcome.terminal);
                // As everywhere, an end without a reward counts 0.
                let goal = |goal: Option<game::Goal>| f64::from(goal.map_or(0, |goal| goal.0));
                for (role, got) in got.iter_mut().enumerate() {
                    *got = finished.map_or(nothing[role], |ended| goal(ended.goals[role]));
                }
                let length = finished.map_or(0, |ended| ended.length);
                haste::earlier(shared.options, (shared.graph, shared.outer), &mut got, length);
                self.values.iter_mut().zip(&got).for_each(|(value, got)| *value += got);
                if shared.options.spread {
                    self.spread.note(got.iter().copied());
                }
            }
            self.values.iter_mut().for_each(|value| *value /= times as f64);
            let tools = (shared.outer, &mut self.hot);
            path.back_up(shared.options, shared.graph, &mut self.values, tools);
        }
        self.hot.flush(shared.graph);
        self.spread.settle();
    }

    /// Whether the lanes make more playouts from a state in the same time than the machine does; none if there
    /// was no time to find out.
    pub(super) fn lanes_pay(
        &mut self,
        options: &Options,
        state: &State,
        outer: &[Bounds],
        deadline: &Deadline,
    ) -> Option<bool> {
        let Some(batch) = &mut self.batch else { return Some(false) };
        let begin = Instant::now();
        let sweep = |batch: &mut Batch| {
            let begin = Instant::now();
            let starts = vec![state; Batch::LANES];
            batch.playouts_while(&starts, options.longest, || !deadline.passed());
            begin.elapsed()
        };
        let sweep = sweep(batch).min(sweep(batch));
        if deadline.passed() {
            return None;
        }
        // The machine gets the same time, and loses if it cannot make a tenth of the playouts.
        let time = sweep.max(Duration::from_micros(200)) * 2;
        let effort = Effort::until(deadline.not_after(begin + time + begin.elapsed()));
        let mut meter = Meter::start(&effort);
        let mut values = vec![0.0; outer.len()];
        let started = Instant::now();
        let mut made = 0_u32;
        while started.elapsed() < time {
            let mut tools = Tools {
                options,
                machine: &mut *self.machine,
                evaluator: None,
                policy: &self.policy,
                random: &mut self.random,
                meter: &mut meter,
                look: &mut Look::default(),
                outer,
            };
            if tools.play(state, [0; 2], None, &mut values).is_err() {
                break;
            }
            made += 1;
        }
        let machine = f64::from(made) / started.elapsed().as_secs_f64().max(1e-9);
        let lanes = Batch::LANES as f64 / sweep.as_secs_f64().max(1e-9);
        Some(lanes > machine * WORTH)
    }
}

/// Whether the first leaves are to be those of all moves of the root. Roles that choose at the same time would all try their moves in the same order.
fn is_wide(shared: &Shared<'_>) -> bool {
    shared.options.wide && shared.graph.node(shared.root).mover().is_some()
}

/// Several playouts of one leaf say less than as many of different leaves: lanes have to be that many times
/// quicker.
const WORTH: f64 = 2.0;

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use game::{Budget, Deadline, Game, Reasoner, Role};

    use super::*;
    use crate::interface::Search as _;
    use crate::mcts::edges::Edge;
    use crate::mcts::{Mcts, Options, Playouts};
    use crate::report::SearchReport;

    /// Where a sweep of the lanes takes as long as others have for a move, the first one has to tell about all moves.
    #[test]
    fn the_first_leaves_are_the_moves_of_the_root() {
        let rules = library::find("breakthrough").expect("in the library").rules;
        let reasoner = Reasoner::build(&Game::from_text(rules).expect("valid"), &Budget::default());
        let tried = |wide, nodes| {
            let options =
                Options { playouts: Playouts::Lanes, history: 4.0, wide, ..Options::default() };
            let mut mcts = Mcts::new(&reasoner, options);
            let initial = mcts.initial().expect("small");
            mcts.search(&initial, Role(0), &Effort::nodes(nodes), &mut |_| ()).expect("sound");
            let root = mcts.graph.find(mcts.zobrist.key(&initial)).expect("the root");
            let root = mcts.graph.node(root);
            let edges = root
                .expansion()
                .map_or(0, |e| e.edges.iter().filter(|e| e.visits.load(Relaxed) > 0).count());
            (edges, root.moves.len())
        };
        let (edges, moves) = tried(true, 23);
        assert_eq!(
            (edges, moves),
            (22, 23),
            "the root itself once, then each of its 22 moves; the other role waits"
        );
        assert!(tried(false, 23).0 < 18, "the first leaves are all the root");
    }

    /// Ways that go down at the same time are all finished or taken back, however the search ends.
    #[test]
    fn nothing_is_under_way_after_a_search() {
        let rules = library::find("connect_four").expect("in the library").rules;
        let reasoner = Reasoner::build(&Game::from_text(rules).expect("valid"), &Budget::default());
        let options = Options { playouts: Playouts::Lanes, history: 4.0, ..Options::default() };
        let flag = Arc::new(AtomicBool::new(false));
        let told = Effort::until(Deadline::never().or_when(flag.clone()));
        for effort in [Effort::nodes(3001), told] {
            let mut mcts = Mcts::new(&reasoner, options.clone());
            let initial = mcts.initial().expect("small");
            flag.store(false, Relaxed);
            let mut stop = |report: &SearchReport| flag.store(report.nodes > 1000, Relaxed);
            let report = mcts.search(&initial, Role(0), &effort, &mut stop).expect("sound");
            let graph = &mcts.graph;
            let nodes = (1..graph.end()).filter_map(|id| graph.get(id));
            let expanded: Vec<_> =
                nodes.filter_map(|node| Some((node, node.expansion()?))).collect();
            assert!(expanded.len() > 10 && report.nodes > 100, "{} nodes", report.nodes);
            for (_, expansion) in &expanded {
                assert!(expansion.edges.iter().all(|edge| edge.pending.load(Relaxed) == 0));
            }
            let (root, moves) = expanded[0];
            let visits: u32 = moves.edges.iter().map(|edge| edge.visits.load(Relaxed)).sum();
            // The root itself is all that the first ways find.
            let first = root.visits().checked_sub(visits).expect("the root has them all");
            assert!(first as usize <= LEAST_LEAVES);
            let mean = root.mean(0);
            let weighed = |edge: &Edge| edge.mean() * f64::from(edge.visits.load(Relaxed));
            let sum: f64 = moves.edges.iter().map(weighed).sum();
            assert!((sum / f64::from(visits) - mean).abs() < 3.0, "{mean}");
        }
    }
}
