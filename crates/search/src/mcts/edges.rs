//! The moves of a node, each with what is known about it.
//!
//! Most nodes are visited a few times only, and where guesses say which moves to try first (see `history`) most of their moves are never tried. Such a
//! node has edges for the moves that were tried and knows the one to try next: memory that is never touched costs nothing, and a choice looks at
//! what was tried and one move more (progressive widening of Coulom 2007 and unpruning of Chaslot et al. 2008 look at few moves in order to
//! search deeper; here nothing is left out, since all untried moves but the one of the highest guess score less than that one).

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{
    AtomicU16, AtomicU32, AtomicU64,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
};

use super::exchange::Link;
use super::node::{ALLOCATION, Bounds, Count as _, NONE, SharedBounds, SharedF32};

/// A move of a role in a node. Choosing a move reads all of them, so they are small.
#[derive(Debug)]
pub(super) struct Edge {
    pub(super) visits: AtomicU32,
    /// The mean value; nothing where it was not visited.
    mean: SharedF32,
    /// The [`Link`] to the node that it leads to, where only one role has a choice.
    child: AtomicU32,
    /// The evaluation of the child, for the role that moves.
    pub(super) prior: SharedF32,
    /// The implicit minimax value of the child, for the role that moves.
    pub(super) implicit: SharedF32,
    /// What it may be worth more or less than the node, in parts of the greatest reward.
    pub(super) guess: SharedF32,
    /// What is proven for the role that moves.
    pub(super) bounds: SharedBounds,
    /// Visits under way: they count as losses until they are done (virtual loss).
    pub(super) pending: AtomicU16,
    /// The place of the move among those of the node.
    place: AtomicU32,
}

impl Edge {
    fn new(bounds: Bounds, place: u32) -> Self {
        Self {
            visits: AtomicU32::new(0),
            mean: SharedF32::new(0.0),
            child: AtomicU32::new(NONE),
            prior: SharedF32::new(f32::NAN),
            implicit: SharedF32::new(f32::NAN),
            guess: SharedF32::new(0.0),
            bounds: SharedBounds::new(bounds),
            pending: AtomicU16::new(0),
            place: AtomicU32::new(place),
        }
    }

    /// The place of the move among those of the node.
    pub(super) fn place(&self) -> usize {
        self.place.load(Relaxed) as usize
    }

    pub(super) fn child(&self) -> Link {
        Link(self.child.load(Relaxed))
    }

    pub(super) fn set_child(&self, child: Link) {
        self.child.store(child.0, Relaxed);
    }

    /// The mean value, within what is proven; the middle of that where nothing was tried.
    pub(super) fn mean(&self) -> f64 {
        let bounds = self.bounds.get();
        match self.visits.load(Relaxed) {
            0 => bounds.middle(),
            _ => bounds.clamp(self.mean.get()),
        }
    }

    /// The mean value of the visits that there were, whatever is proven; of no use without any.
    pub(super) fn plain_mean(&self) -> f32 {
        self.mean.plain()
    }

    /// Counts visits with the sum of their values.
    pub(super) fn visit(&self, times: u32, sum: f64) -> u32 {
        let visits = self.visits.add(times);
        let mean = self.mean.get();
        self.mean.set(mean + (sum - mean * f64::from(times)) / f64::from(visits.max(1)));
        visits
    }

    /// Makes the mean what it is for the node that it leads to (UCT2 of Childs, Brodeur and Kocsis 2008).
    pub(super) fn set_mean(&self, mean: f64) {
        self.mean.set(mean);
    }
}

/// No move, where a place is asked for.
const NOWHERE: u32 = u32::MAX;
/// A move that a thread is about to give its edge.
const CLAIMED: u16 = u16::MAX;
/// So many edges lie with the node's other statistics, where they are found without a detour; further ones come in parts, one of this size and
/// one with all that is left.
const NEAR: usize = 4;
const PART: usize = 12;

/// All edges of a node: one for each move, or one for each move that was tried.
#[derive(Debug)]
pub(super) struct Edges {
    near: [Edge; NEAR],
    far: [OnceLock<Box<[Edge]>>; 2],
    /// The number of the edge of each move of the role that moves, 0 where it has none yet; empty where all have edges from the beginning, in their order.
    numbers: Box<[AtomicU16]>,
    /// The place of the first of these moves.
    first: u32,
    /// How many edges there are.
    count: AtomicU32,
    /// The move to try next among those without an edge, and its guess.
    next: AtomicU64,
    /// What is known about moves without an edge.
    unknown: Bounds,
}

impl Edges {
    /// An edge for each move, given by what is known about the values of the role that makes it.
    pub(super) fn all(mut bounds: impl Iterator<Item = Bounds>) -> Self {
        let unknown = Bounds { low: 0, high: 100 };
        let mut count = 0;
        let mut edge = || {
            let own = bounds.next()?;
            count += 1;
            Some(Edge::new(own, count - 1))
        };
        let near = std::array::from_fn(|_| edge().unwrap_or_else(|| Edge::new(unknown, NOWHERE)));
        let part: Box<[Edge]> = std::iter::from_fn(&mut edge).take(PART).collect();
        let rest: Box<[Edge]> = std::iter::from_fn(&mut edge).collect();
        let far = [part, rest].map(|part| match part.len() {
            0 => OnceLock::new(),
            _ => OnceLock::from(part),
        });
        let (numbers, next) = (Box::default(), AtomicU64::new(u64::from(NOWHERE)));
        Self { near, far, numbers, first: 0, count: AtomicU32::new(count), next, unknown }
    }

    /// No edges yet, for moves of a role whose values are within the bounds. Nothing if the moves are too few to be worth it, or too many.
    pub(super) fn none(moves: Range<usize>, unknown: Bounds) -> Option<Self> {
        (moves.len() > NEAR && moves.len() < usize::from(CLAIMED)).then(|| Self {
            near: std::array::from_fn(|_| Edge::new(unknown, NOWHERE)),
            far: Default::default(),
            numbers: moves.clone().map(|_| AtomicU16::new(0)).collect(),
            first: moves.start as u32,
            count: AtomicU32::new(0),
            next: AtomicU64::new(u64::from(NOWHERE)),
            unknown,
        })
    }

    /// Whether each move has its edge at its place.
    pub(super) fn is_whole(&self) -> bool {
        self.numbers.is_empty()
    }

    /// All edges that there are; those in the making have no place yet.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Edge> {
        let mut left = self.count.load(Acquire) as usize;
        let far = self.far.iter().map_while(|part| Some(&**part.get()?));
        let parts = std::iter::once(&self.near[..]).chain(far).map_while(move |part| {
            let own = &part[..part.len().min(left)];
            left -= own.len();
            (!own.is_empty()).then_some(own)
        });
        parts.flatten().filter(|edge| edge.place.load(Acquire) != NOWHERE)
    }

    /// Those of some moves.
    pub(super) fn within(&self, range: Range<usize>) -> impl Iterator<Item = &Edge> {
        self.iter().filter(move |edge| range.contains(&edge.place()))
    }

    /// The edges of some moves, in their order, beginning with one of them; only where each move has one.
    pub(super) fn whole(&self, range: Range<usize>, turn: usize) -> impl Iterator<Item = &Edge> {
        debug_assert!(self.is_whole());
        let turn = range.start + turn;
        (turn..range.end).chain(range.start..turn).filter_map(|at| self.numbered(at))
    }

    /// The edge of a move, if it has one.
    pub(super) fn get(&self, at: usize) -> Option<&Edge> {
        if self.is_whole() {
            return self.numbered(at);
        }
        match self.number(at)?.load(Acquire) {
            0 | CLAIMED => None,
            number => self.numbered(usize::from(number) - 1),
        }
    }

    /// The number of the edge of a move, where edges are made one by one.
    fn number(&self, at: usize) -> Option<&AtomicU16> {
        self.numbers.get(at.checked_sub(self.first as usize)?)
    }

    /// The edge of a move that was tried.
    pub(super) fn tried(&self, at: usize) -> &Edge {
        match self.get(at) {
            Some(edge) => edge,
            None => unreachable!("moves get their edges before they are tried"),
        }
    }

    fn numbered(&self, number: usize) -> Option<&Edge> {
        match part_of(number) {
            None => self.near.get(number),
            Some((part, first)) => self.far[part].get()?.get(number - first),
        }
    }

    /// What is proven about the value of a move.
    pub(super) fn bounds(&self, at: usize) -> Bounds {
        self.get(at).map_or(self.unknown, |edge| edge.bounds.get())
    }

    /// The mean value of a move, within what is proven; the middle of that where nothing was tried.
    pub(super) fn mean(&self, at: usize) -> f64 {
        self.get(at).map_or(self.unknown.middle(), Edge::mean)
    }

    /// How often a move was tried.
    pub(super) fn visits(&self, at: usize) -> u32 {
        self.get(at).map_or(0, |edge| edge.visits.load(Relaxed))
    }

    /// Whether there are moves without an edge.
    pub(super) fn is_widening(&self) -> bool {
        (self.count.load(Relaxed) as usize) < self.numbers.len()
    }

    /// What is known about the value of a move without an edge.
    pub(super) fn unknown(&self) -> Bounds {
        self.unknown
    }

    /// The edge of a move, made now if it has none, with what the move may be worth; and the bytes that this took.
    pub(super) fn open(&self, at: usize, guess: impl FnOnce() -> f64) -> (&Edge, usize) {
        if let Some(edge) = self.get(at) {
            return (edge, 0);
        }
        let Some(number) = self.number(at) else { unreachable!("a move of the node") };
        if number.compare_exchange(0, CLAIMED, AcqRel, Acquire).is_err() {
            // Another thread is about to make it, which takes it a moment.
            loop {
                if let Some(edge) = self.get(at) {
                    return (edge, 0);
                }
                std::hint::spin_loop();
            }
        }
        let own = self.count.fetch_add(1, AcqRel) as usize;
        let mut made = 0;
        let edge = match part_of(own) {
            None => &self.near[own],
            Some((part, first)) => {
                let edges = self.far[part].get_or_init(|| {
                    let left = self.numbers.len() - first;
                    let size = if part == 0 { left.min(PART) } else { left };
                    let new = |_| Edge::new(self.unknown, NOWHERE);
                    let edges: Box<[Edge]> = (0..size).map(new).collect();
                    made = size_of_val(&*edges) + ALLOCATION;
                    edges
                });
                &edges[own - first]
            }
        };
        edge.guess.set(guess());
        edge.place.store(at as u32, Release);
        number.store(own as u16 + 1, Release);
        (edge, made)
    }

    /// The move to try next among those without an edge, with its guess; `guess` says what all moves may be worth if that has to be found out.
    pub(super) fn next(&self, turn: usize, guess: impl Fn(usize) -> f64) -> Option<(usize, f32)> {
        if !self.is_widening() {
            return None;
        }
        let known = self.next.load(Relaxed);
        let place = known as u32 as usize;
        if self.number(place).is_some_and(|own| own.load(Relaxed) == 0) {
            return Some((place, f32::from_bits((known >> 32) as u32)));
        }
        self.find_next(turn, guess)
    }

    /// Finds out which move to try next; of several with the same guess the first one after a place.
    pub(super) fn find_next(
        &self,
        turn: usize,
        guess: impl Fn(usize) -> f64,
    ) -> Option<(usize, f32)> {
        let mut best: Option<(usize, f32)> = None;
        let (before, after) = self.numbers.split_at(turn.min(self.numbers.len()));
        let turned = after.iter().zip(before.len()..).chain(before.iter().zip(0..));
        for (_, at) in turned.filter(|(number, _)| number.load(Relaxed) == 0) {
            let place = at + self.first as usize;
            let guess = guess(place) as f32;
            if best.is_none_or(|(_, most)| guess > most) {
                best = Some((place, guess));
            }
        }
        let (place, guess) = best?;
        self.next.store(u64::from(guess.to_bits()) << 32 | place as u64, Relaxed);
        best
    }

    /// The memory that they take beside their own size.
    pub(super) fn bytes(&self) -> usize {
        let part = |part: &OnceLock<Box<[Edge]>>| {
            part.get().map_or(0, |edges| size_of_val(&**edges) + ALLOCATION)
        };
        size_of_val(&*self.numbers) + ALLOCATION + self.far.iter().map(part).sum::<usize>()
    }
}

/// The part that has an edge, and the number of the first edge there; nothing for those that are near.
fn part_of(number: usize) -> Option<(usize, usize)> {
    match number {
        _ if number < NEAR => None,
        _ if number < NEAR + PART => Some((0, NEAR)),
        _ => Some((1, NEAR + PART)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPEN: Bounds = Bounds { low: 0, high: 100 };

    #[test]
    fn an_edge_has_the_mean_of_its_visits_within_what_is_proven() {
        let edge = Edge::new(OPEN, 0);
        assert!((edge.mean() - 50.0).abs() < 1e-9, "nothing was tried");
        assert_eq!((edge.visit(1, 100.0), edge.visit(3, 60.0)), (1, 4));
        assert!((edge.mean() - 40.0).abs() < 1e-4);
        edge.bounds.tighten(Bounds { low: 60, high: 100 });
        assert!((edge.mean() - 60.0).abs() < 1e-9 && (edge.plain_mean() - 40.0).abs() < 1e-4);
    }

    #[test]
    fn moves_get_edges_when_they_are_tried_the_best_guess_first() {
        let edges = Edges::none(0..40, OPEN).expect("enough moves");
        let guess = |at: usize| if at.is_multiple_of(2) { at as f64 } else { -1.0 };
        let mut bytes = edges.bytes();
        for tried in 0..40 {
            assert!(edges.is_widening() && edges.iter().count() == tried);
            let (at, value) = edges.next(3, guess).expect("not all were tried");
            let wanted = if tried < 20 { 38 - 2 * tried } else { (2 * (tried - 20) + 3) % 40 };
            assert_eq!((at, f64::from(value)), (wanted, guess(wanted)));
            assert!(edges.get(at).is_none() && edges.visits(at) == 0);
            let (edge, made) = edges.open(at, || guess(at));
            assert_eq!((edge.place(), edge.guess.get()), (at, guess(at)));
            edge.visit(1, at as f64);
            bytes += made;
            assert!(edges.bytes() == bytes && edges.open(at, || 7.0).1 == 0);
        }
        assert!(!edges.is_widening() && edges.next(0, guess).is_none());
        assert!((0..40).all(|at| (edges.tried(at).mean() - at as f64).abs() < 1e-9));
    }

    #[test]
    fn threads_that_try_the_same_moves_share_their_edges() {
        let edges = Edges::none(0..200, OPEN).expect("enough moves");
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let edges = &edges;
                scope.spawn(move || {
                    for at in 0..200 {
                        let at = (at + thread * 50) % 200;
                        let (edge, _) = edges.open(at, || 0.0);
                        assert_eq!(edge.place(), at);
                        edge.visits.fetch_add(1, Relaxed);
                    }
                });
            }
        });
        assert_eq!(edges.iter().count(), 200);
        assert!(edges.iter().all(|edge| edge.visits.load(Relaxed) == 4));
    }

    #[test]
    fn few_moves_have_edges_at_once() {
        assert!(Edges::none(1..NEAR + 1, OPEN).is_none());
        let edges = Edges::all([OPEN, Bounds::exact(7)].into_iter());
        assert!(edges.is_whole() && !edges.is_widening() && edges.next(0, |_| 0.0).is_none());
        let places: Vec<usize> = edges.whole(0..2, 1).map(Edge::place).collect();
        assert_eq!((places, edges.bounds(1)), (vec![1, 0], Bounds::exact(7)));
        let many = Edges::all((0..100).map(Bounds::exact));
        assert!((0..100).all(|at| many.bounds(at) == Bounds::exact(at as u8)));
        assert_eq!(many.iter().count(), 100);
    }
}
