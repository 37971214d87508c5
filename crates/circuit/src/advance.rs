//! The next state, put into place.
//!
//! The next value of a fluent may be the present value of another one (a counter: each step was the step before), so
//! fluents are overwritten in an order in which each is read before. Where there is no such order, because fluents
//! change places, one of them is saved first. Fluents that never change are left alone.
#![expect(clippy::inline_always, reason = "kernels compiled for several kinds of registers")]

use crate::plane::{Memory, Plane, WORDS};
use crate::schedule::Read;
use crate::vector::{Kernel, Vector};

/// A fluent gets its next value.
#[derive(Clone, Copy, Debug)]
struct Put {
    fluent: u32,
    read: Read,
    /// Its value in the initial state.
    initial: bool,
}

/// How the next state gets into its place.
#[derive(Clone, Debug)]
pub(crate) struct Puts {
    /// What is saved first: from where, to where.
    saves: Vec<(u32, u32)>,
    puts: Vec<Put>,
    /// Above all places.
    places: usize,
}

impl Puts {
    /// The order for fluents whose next values are read as given; fluents are at the first places. `room` is the first
    /// place that may be used to save what would be overwritten too early.
    pub(crate) fn new(reads: &[Read], initial: &[bool], is_constant: &[bool], room: usize) -> Self {
        let fluents = reads.len();
        let mut source: Vec<u32> = reads.iter().map(|read| read.place).collect();
        // How many fluents are still to read each fluent.
        let mut readers = vec![0u32; fluents];
        let moving: Vec<usize> = (0..fluents).filter(|fluent| !is_constant[*fluent]).collect();
        let reads_other = |fluent: usize, source: &[u32]| {
            let place = source[fluent] as usize;
            (place < fluents && place != fluent && !is_constant[place]).then_some(place)
        };
        for fluent in &moving {
            if let Some(other) = reads_other(*fluent, &source) {
                readers[other] += 1;
            }
        }
        let mut saves = Vec::new();
        let mut order = Vec::with_capacity(moving.len());
        let mut is_put = vec![false; fluents];
        let mut ready: Vec<usize> =
            moving.iter().rev().copied().filter(|fluent| readers[*fluent] == 0).collect();
        let mut rest = moving.iter();
        loop {
            while let Some(fluent) = ready.pop() {
                is_put[fluent] = true;
                order.push(fluent);
                if let Some(other) = reads_other(fluent, &source) {
                    readers[other] -= 1;
                    if readers[other] == 0 {
                        ready.push(other);
                    }
                }
            }
            // What is left changes places in a circle.
            let Some(next) = rest.find(|fluent| !is_put[**fluent]) else { break };
            let place = (room + saves.len()) as u32;
            saves.push((*next as u32, place));
            for reader in &moving {
                if !is_put[*reader] && source[*reader] as usize == *next {
                    source[*reader] = place;
                }
            }
            readers[*next] = 0;
            ready.push(*next);
        }
        let put = |fluent: usize| {
            let read = Read { place: source[fluent], complement: reads[fluent].complement };
            Put { fluent: fluent as u32, read, initial: initial[fluent] }
        };
        let puts: Vec<Put> = order.into_iter().map(put).collect();
        let highest = puts.iter().map(|put| put.read.place.max(put.fluent));
        let highest = highest.chain(saves.iter().map(|(_, to)| *to)).max();
        let places = highest.map_or(0, |highest| highest as usize + 1);
        Self { saves, puts, places }
    }

    /// How many places a memory must have.
    pub(crate) fn places(&self) -> usize {
        self.places
    }
}

/// Puts the next state into place; lanes that ended get the initial state, lanes that are held keep theirs.
pub(crate) struct Advance<'a> {
    pub(crate) puts: &'a Puts,
    pub(crate) memory: &'a mut [Plane],
    pub(crate) ended: &'a Plane,
    pub(crate) held: &'a Plane,
}

impl Kernel for Advance<'_> {
    type Output = ();

    #[inline(always)]
    #[expect(unsafe_code, reason = "checked accesses; see docs/benchmarks.md")]
    fn run<V: Vector>(self) {
        let Self { puts, memory, ended, held } = self;
        // SAFETY: `places` is above all places of `saves` and `puts`, which never change.
        let mut memory = unsafe { Memory::new(memory, puts.places) };
        for (from, to) in &puts.saves {
            *memory.at_mut(*to) = *memory.at(*from);
        }
        for block in 0..WORDS / V::SIZE {
            let (ended, held) = (V::load(ended, block), V::load(held, block));
            for put in &puts.puts {
                let flip = if put.read.complement { V::ones() } else { V::zero() };
                let new = V::load(memory.at(put.read.place), block).xor(flip);
                let plane = memory.at_mut(put.fluent);
                let next = held.select(V::load(plane, block), new);
                let next = if put.initial { next.or(ended) } else { next.and_not(ended) };
                next.store(plane, block);
            }
        }
    }
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
                (0..LANES).for_each(|lane| set(&mut held, lane, lane % 7 == 0));
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
