//! Distances in fluent graphs (thesis Def. 6.2, Eq. 6.2): how many steps it takes at least until a fluent holds.

use game::{Deadline, FluentId, State};

use crate::graph::FluentGraph;

/// No path.
const FAR: u16 = u16::MAX;
/// No path, in rows of bytes.
const NARROW_FAR: u8 = u8::MAX;

/// The distances from all nodes to one fluent, as narrow as they fit.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Row {
    Narrow(Box<[u8]>),
    Wide(Box<[u16]>),
}

impl Row {
    fn new(distances: &[u16]) -> Self {
        let greatest = distances.iter().filter(|d| **d != FAR).max().copied().unwrap_or(0);
        if greatest < u16::from(NARROW_FAR) {
            let narrow = |d: &u16| if *d == FAR { NARROW_FAR } else { *d as u8 };
            Row::Narrow(distances.iter().map(narrow).collect())
        } else {
            Row::Wide(distances.into())
        }
    }

    fn get(&self, node: usize) -> Option<u32> {
        match self {
            Row::Narrow(row) => (row[node] != NARROW_FAR).then(|| u32::from(row[node])),
            Row::Wide(row) => (row[node] != FAR).then(|| u32::from(row[node])),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Row::Narrow(row) => row.len(),
            Row::Wide(row) => 2 * row.len(),
        }
    }
}

/// The distances from all fluents to some, or all, fluents.
#[derive(Clone, Debug)]
pub struct Distances {
    rows: Vec<Option<Row>>,
    /// Δmax of each fluent that has a row.
    longest: Vec<u32>,
    /// The number of each fluent of the universe in the graph.
    place_of: Vec<u32>,
    stopped: Option<&'static str>,
}

/// What the distances of a graph tell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Informativeness {
    /// Pairs of different fluents that were looked at.
    pub pairs: u64,
    /// Those without a path.
    pub unreachable: u64,
    /// The sum of the other distances.
    pub finite_sum: u64,
}

impl Informativeness {
    /// The share of pairs without a path.
    pub fn unreachable_share(&self) -> f64 {
        if self.pairs == 0 { 0.0 } else { self.unreachable as f64 / self.pairs as f64 }
    }

    /// The mean distance where there is a path.
    pub fn mean_finite(&self) -> f64 {
        let finite = self.pairs - self.unreachable;
        if finite == 0 { 0.0 } else { self.finite_sum as f64 / finite as f64 }
    }
}

const NOWHERE: u32 = u32::MAX;
const ROWS_PER_LOOK: usize = 8;

impl Distances {
    /// Computes the rows of `targets`, or of all fluents, as far as time and memory allow. `fluents` gives the
    /// nodes of the graph their numbers in the universe.
    pub fn build(
        graph: &FluentGraph,
        fluents: &[FluentId],
        targets: Option<&[u32]>,
        max_bytes: usize,
        deadline: &Deadline,
    ) -> Self {
        let count = graph.fluent_count();
        let most = fluents.iter().map(|fluent| fluent.index() + 1).max().unwrap_or(0);
        let mut place_of = vec![NOWHERE; most];
        for (place, fluent) in fluents.iter().enumerate() {
            place_of[fluent.index()] = place as u32;
        }
        let mut all =
            Self { rows: vec![None; count], longest: vec![0; count], place_of, stopped: None };
        let every: Vec<u32> = (0..count as u32).collect();
        let mut search = Search { distances: vec![FAR; count + 1], queue: Vec::new() };
        let mut bytes = 0;
        for (done, target) in targets.unwrap_or(&every).iter().enumerate() {
            if done.is_multiple_of(ROWS_PER_LOOK) && deadline.passed() {
                all.stopped = Some("out of time");
                break;
            }
            if bytes + count > max_bytes {
                all.stopped = Some("out of memory");
                break;
            }
            all.longest[*target as usize] = search.run(graph, *target);
            let row = Row::new(&search.distances);
            bytes += row.bytes();
            all.rows[*target as usize] = Some(row);
        }
        all
    }

    /// Δ(s,f): how many steps it takes at least from a state until the fluent holds. None if it can never
    /// hold again; 0 if it holds, or if nothing is known about it.
    pub fn steps_from(&self, state: &State, fluent: FluentId) -> Option<u32> {
        let Some(place) = self.place(fluent) else { return Some(0) };
        let Some(row) = &self.rows[place] else { return Some(0) };
        let mut least = row.get(self.rows.len());
        for held in state.iter() {
            let distance = self.place(held).and_then(|place| row.get(place));
            least = match (least, distance) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (some, None) | (None, some) => some,
            };
        }
        least
    }

    /// `Δ_G(g,f)` by numbers of the graph, ∅ included as `from`; none where there is no path or no row.
    pub fn between(&self, from: u32, to: u32) -> Option<u32> {
        self.rows[to as usize].as_ref()?.get(from as usize)
    }

    /// Δmax(f): the longest distance to a fluent that is not infinite. The node ∅ counts as well, so that a
    /// fluent without preconditions is never as far as one that cannot be reached.
    pub fn longest(&self, to: u32) -> u32 {
        self.longest[to as usize]
    }

    /// δ(s,f) as thesis Eq. 6.2: Δ(s,f) / (Δmax(f)+1); infinite if the fluent can never hold again.
    pub fn normalized(&self, state: &State, fluent: FluentId) -> f64 {
        match (self.steps_from(state, fluent), self.place(fluent)) {
            (None, _) => f64::INFINITY,
            (Some(steps), Some(place)) => f64::from(steps) / f64::from(self.longest[place] + 1),
            (Some(_), None) => 0.0,
        }
    }

    /// The number of a fluent in the graph.
    pub fn place(&self, fluent: FluentId) -> Option<usize> {
        let place = *self.place_of.get(fluent.index())?;
        (place != NOWHERE).then_some(place as usize)
    }

    /// Whether the distances to a fluent are known.
    pub fn knows(&self, to: u32) -> bool {
        self.rows[to as usize].is_some()
    }

    /// Why rows are missing, if they are.
    pub fn stopped(&self) -> Option<&'static str> {
        self.stopped
    }

    /// How much memory the rows take.
    pub fn bytes(&self) -> usize {
        self.rows.iter().flatten().map(Row::bytes).sum()
    }

    /// What all rows tell about pairs of different fluents.
    pub fn informativeness(&self) -> Informativeness {
        let mut told = Informativeness::default();
        for (to, row) in self.rows.iter().enumerate() {
            let Some(row) = row else { continue };
            let from_nothing = row.get(self.rows.len());
            for from in (0..self.rows.len()).filter(|from| *from != to) {
                told.pairs += 1;
                match (row.get(from), from_nothing) {
                    (None, None) => told.unreachable += 1,
                    (one, other) => {
                        let least = one.unwrap_or(u32::MAX).min(other.unwrap_or(u32::MAX));
                        told.finite_sum += u64::from(least);
                    }
                }
            }
        }
        told
    }
}

/// Breadth-first search backwards from one fluent.
struct Search {
    distances: Vec<u16>,
    queue: Vec<u32>,
}

impl Search {
    /// Fills in the distances to a fluent; returns the longest.
    fn run(&mut self, graph: &FluentGraph, target: u32) -> u32 {
        let count = graph.fluent_count();
        self.distances.fill(FAR);
        self.queue.clear();
        self.distances[target as usize] = 0;
        self.queue.push(target);
        let mut longest = 0;
        let mut at = 0;
        while let Some(node) = self.queue.get(at).copied() {
            at += 1;
            let distance = self.distances[node as usize];
            if node as usize == count {
                continue;
            }
            // A path too long for a row stays a lower bound.
            let further = (distance + 1).min(FAR - 1);
            for source in graph.sources(node) {
                if self.distances[*source as usize] == FAR {
                    self.distances[*source as usize] = further;
                    self.queue.push(*source);
                    longest = longest.max(u32::from(further));
                }
            }
        }
        longest
    }
}
