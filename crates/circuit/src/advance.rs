//! The next state, put into place.
//!
//! The next value of a fluent may be the present value of another one (a counter: each step was the step before), so
//! fluents are overwritten in an order in which each is read before. Where there is no such order, because fluents
//! change places, one of them is saved first. Fluents that never change are left alone.
#![expect(clippy::inline_always, reason = "kernels compiled for several kinds of registers")]

use crate::plane::{Memory, Plane, WORDS, any, nor};
use crate::schedule::Read;
use crate::vector::{Kernel, Vector};

/// How a fluent gets its next value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Kind {
    how: How,
    /// Its value in the initial state.
    initial: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// It keeps its value.
    Stay,
    /// It gets the value of a plane.
    Take,
    /// It gets the complement of a plane.
    Flip,
}

/// How many kinds there are.
const KINDS: usize = 6;

impl Kind {
    fn index(self) -> usize {
        self.how as usize * 2 + usize::from(self.initial)
    }
}

/// A fluent gets the value of a place.
#[derive(Clone, Copy, Debug)]
struct Put {
    fluent: u32,
    from: u32,
}

/// How the next state gets into its place.
#[derive(Clone, Debug)]
pub(crate) struct Puts {
    /// What is saved first: from where, to where.
    saves: Vec<(u32, u32)>,
    /// Kinds with the ends of their runs in `all`.
    runs: Vec<(Kind, u32)>,
    all: Vec<Put>,
    /// Above all places.
    places: usize,
}

impl Puts {
    /// The order for fluents whose next values are read as given; fluents are at the first places. `room` is the first
    /// place that may be used to save what would be overwritten too early.
    pub(crate) fn new(reads: &[Read], initial: &[bool], is_constant: &[bool], room: usize) -> Self {
        let moving: Vec<usize> = (0..reads.len()).filter(|fluent| !is_constant[*fluent]).collect();
        let kind = |fluent: usize| {
            let Read { place, complement } = reads[fluent];
            let how = match (complement, place as usize == fluent) {
                (false, true) => How::Stay,
                (false, false) => How::Take,
                (true, _) => How::Flip,
            };
            Kind { how, initial: initial[fluent] }
        };
        let mut order = Order::new(reads, &moving, &kind);
        let mut puts = Self { saves: Vec::new(), runs: Vec::new(), all: Vec::new(), places: 0 };
        let mut rest = moving.iter();
        loop {
            while let Some(fluent) = order.next(&kind) {
                puts.push(kind(fluent), Put { fluent: fluent as u32, from: order.from[fluent] });
            }
            // What is left changes places in a circle.
            let Some(next) = rest.find(|fluent| !order.is_put[**fluent]) else { return puts };
            let place = (room + puts.saves.len()) as u32;
            puts.saves.push((*next as u32, place));
            puts.places = puts.places.max(place as usize + 1);
            order.redirect(*next, place, &moving, &kind);
        }
    }

    fn push(&mut self, kind: Kind, put: Put) {
        self.places = self.places.max(put.fluent.max(put.from) as usize + 1);
        self.all.push(put);
        let end = self.all.len() as u32;
        match self.runs.last_mut() {
            Some((last, old)) if *last == kind => *old = end,
            _ => self.runs.push((kind, end)),
        }
    }

    /// How many places a memory must have.
    pub(crate) fn places(&self) -> usize {
        self.places
    }
}

/// The fluents that are still to be put, in an order in which each is read before it is overwritten.
struct Order {
    /// Where each fluent gets its value from.
    from: Vec<u32>,
    /// How many fluents are still to read each fluent.
    readers: Vec<u32>,
    is_put: Vec<bool>,
    /// Fluents that nobody is to read any more, by kind.
    ready: [Vec<usize>; KINDS],
    present: usize,
}

impl Order {
    fn new(reads: &[Read], moving: &[usize], kind: &impl Fn(usize) -> Kind) -> Self {
        let mut order = Self {
            from: reads.iter().map(|read| read.place).collect(),
            readers: vec![0; reads.len()],
            is_put: vec![true; reads.len()],
            ready: Default::default(),
            present: 0,
        };
        for fluent in moving {
            order.is_put[*fluent] = false;
        }
        for fluent in moving {
            if let Some(other) = order.other(*fluent) {
                order.readers[other] += 1;
            }
        }
        for fluent in moving.iter().rev().filter(|fluent| order.readers[**fluent] == 0) {
            order.ready[kind(*fluent).index()].push(*fluent);
        }
        order
    }

    /// The other fluent that a fluent gets its value from, if that is still to be put.
    fn other(&self, fluent: usize) -> Option<usize> {
        let from = self.from[fluent] as usize;
        (from != fluent && self.is_put.get(from) == Some(&false)).then_some(from)
    }

    /// The next fluent, of the same kind as the last one if there is one.
    fn next(&mut self, kind: &impl Fn(usize) -> Kind) -> Option<usize> {
        if self.ready[self.present].is_empty() {
            self.present = (0..KINDS).max_by_key(|kind| self.ready[*kind].len())?;
        }
        let fluent = self.ready[self.present].pop()?;
        self.is_put[fluent] = true;
        if let Some(other) = self.other(fluent) {
            self.readers[other] -= 1;
            if self.readers[other] == 0 {
                self.ready[kind(other).index()].push(other);
            }
        }
        Some(fluent)
    }

    /// Whoever is to read a fluent reads another place instead.
    fn redirect(
        &mut self,
        fluent: usize,
        place: u32,
        moving: &[usize],
        kind: &impl Fn(usize) -> Kind,
    ) {
        for reader in moving {
            if *reader != fluent && !self.is_put[*reader] && self.from[*reader] as usize == fluent {
                self.from[*reader] = place;
            }
        }
        self.readers[fluent] = 0;
        self.ready[kind(fluent).index()].push(fluent);
    }
}

/// Puts the next state into place; lanes that ended get the initial state, lanes that are held keep theirs. No lane
/// is both.
pub(crate) struct Advance<'a> {
    pub(crate) puts: &'a Puts,
    pub(crate) memory: &'a mut [Plane],
    pub(crate) ended: &'a Plane,
    pub(crate) held: &'a Plane,
}

impl Kernel for Advance<'_> {
    type Output = ();

    #[inline(always)]
    #[expect(unsafe_code, reason = "checked accesses take more time; see docs/benchmarks.md")]
    fn run<V: Vector>(self) {
        let Self { puts, memory, ended, held } = self;
        // SAFETY: `places` is above all places of `saves` and `all`, which never change.
        let mut memory = unsafe { Memory::new(memory, puts.places) };
        for (from, to) in &puts.saves {
            *memory.at_mut(*to) = *memory.at(*from);
        }
        let lanes = Masks { ended: *ended, held: *held, moved: nor(ended, held) };
        let has_ended = any(ended);
        let mut start = 0;
        for (kind, end) in &puts.runs {
            let run = &puts.all[start..*end as usize];
            start = *end as usize;
            match (kind.how, kind.initial) {
                (How::Stay, _) if !has_ended => {}
                (How::Stay, false) => put_run::<V>(run, &mut memory, &lanes, stay),
                (How::Stay, true) => put_run::<V>(run, &mut memory, &lanes, stay_or_begin),
                (How::Take, false) => put_run::<V>(run, &mut memory, &lanes, take),
                (How::Take, true) => put_run::<V>(run, &mut memory, &lanes, take_or_begin),
                (How::Flip, false) => put_run::<V>(run, &mut memory, &lanes, flip),
                (How::Flip, true) => put_run::<V>(run, &mut memory, &lanes, flip_or_begin),
            }
        }
    }
}

/// What happened in each lane.
struct Masks {
    ended: Plane,
    held: Plane,
    moved: Plane,
}

/// Puts fluents of one kind: `next` makes the next value of the old one, of what is read, and of the lanes that ended,
/// are held, moved.
#[inline(always)]
fn put_run<V: Vector>(
    run: &[Put],
    memory: &mut Memory<'_>,
    lanes: &Masks,
    next: impl Fn(V, V, [V; 3]) -> V,
) {
    for put in run {
        let new = *memory.at(put.from);
        let plane = memory.at_mut(put.fluent);
        for block in 0..WORDS / V::SIZE {
            let masks = [&lanes.ended, &lanes.held, &lanes.moved];
            let masks =
                [V::load(masks[0], block), V::load(masks[1], block), V::load(masks[2], block)];
            let value = next(V::load(plane, block), V::load(&new, block), masks);
            value.store(plane, block);
        }
    }
}

#[inline(always)]
fn stay<V: Vector>(old: V, _: V, [ended, ..]: [V; 3]) -> V {
    old.and_not(ended)
}

#[inline(always)]
fn stay_or_begin<V: Vector>(old: V, _: V, [ended, ..]: [V; 3]) -> V {
    old.or(ended)
}

#[inline(always)]
fn take<V: Vector>(old: V, new: V, [_, held, moved]: [V; 3]) -> V {
    old.and(held).or(new.and(moved))
}

#[inline(always)]
fn take_or_begin<V: Vector>(old: V, new: V, [ended, held, moved]: [V; 3]) -> V {
    old.and(held).or(new.and(moved)).or(ended)
}

#[inline(always)]
fn flip<V: Vector>(old: V, new: V, [_, held, moved]: [V; 3]) -> V {
    old.and(held).or(moved.and_not(new))
}

#[inline(always)]
fn flip_or_begin<V: Vector>(old: V, new: V, [ended, held, moved]: [V; 3]) -> V {
    old.and(held).or(moved.and_not(new)).or(ended)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plane::{LANES, NONE, get, set};
    use crate::vector::Width;

    /// Fluents that read each other in chains, in circles and crosswise get what they would get from a copy.
    #[test]
    fn no_fluent_is_overwritten_before_it_is_read() {
        let mut seed = 3u64;
        let mut random = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as usize % below
        };
        for fluents in [1usize, 2, 3, 5, 8, 30] {
            for _ in 0..50 {
                let reads: Vec<Read> = (0..fluents)
                    .map(|_| Read { place: random(fluents + 2) as u32, complement: random(2) == 1 })
                    .collect();
                let initial: Vec<bool> = (0..fluents).map(|_| random(2) == 1).collect();
                let constant: Vec<bool> = (0..fluents).map(|_| random(5) == 0).collect();
                let puts = Puts::new(&reads, &initial, &constant, fluents + 2);
                let mut memory = vec![NONE; puts.places().max(fluents + 2)];
                for plane in memory.iter_mut().take(fluents + 2) {
                    (0..LANES).for_each(|lane| set(plane, lane, random(2) == 1));
                }
                let before = memory.clone();
                let (mut ended, mut held) = (NONE, NONE);
                (0..LANES).for_each(|lane| set(&mut ended, lane, lane % 5 == 0));
                (0..LANES).for_each(|lane| set(&mut held, lane, lane % 5 != 0 && lane % 7 == 0));
                for width in Width::all() {
                    memory.copy_from_slice(&before);
                    let (ended, held) = (&ended, &held);
                    width.run(Advance { puts: &puts, memory: &mut memory, ended, held });
                    for lane in 0..LANES {
                        for fluent in 0..fluents {
                            let read = reads[fluent];
                            let new = get(&before[read.place as usize], lane) != read.complement;
                            let expected = match (constant[fluent], lane % 5 == 0, lane % 7 == 0) {
                                (false, true, _) => initial[fluent],
                                (false, false, false) => new,
                                _ => get(&before[fluent], lane),
                            };
                            assert_eq!(get(&memory[fluent], lane), expected);
                        }
                    }
                }
            }
        }
    }
}
