//! Leaves whose value depends on other fluents than their own: distances in steps, and mean distances on boards.

use crate::near::{MOST_CLASSES, Near};
use crate::power::{Powers, Signal};

/// A fluent valued by what holds elsewhere.
#[derive(Clone, Debug)]
pub(crate) enum Watch {
    /// By the least number of steps.
    Steps(Steps),
    /// By the mean distance of all pieces like it.
    Mean(Mean),
}

impl Watch {
    /// The fluents it depends on.
    pub(crate) fn fluents(&self) -> Vec<u32> {
        let mut fluents = Vec::new();
        match self {
            Watch::Steps(steps) => {
                fluents.push(steps.fluent);
                for level in steps.graphs.iter().flat_map(|graph| &graph.levels) {
                    level.bits.each(&mut |fluent| fluents.push(fluent));
                }
            }
            Watch::Mean(mean) => {
                fluents.push(mean.fluent);
                mean.bits
                    .iter()
                    .for_each(|(bits, _)| bits.each(&mut |fluent| fluents.push(fluent)));
            }
        }
        // A fluent may be in several graphs, and the own one among the others.
        fluents.sort_unstable();
        fluents.dedup();
        fluents
    }

    /// As a leaf of this degree that is looked at together with others; none if it is more than one graph, or classes are
    /// too many.
    pub(crate) fn near(&self, degree: u32) -> Option<Near> {
        let Watch::Steps(steps) = self else { return None };
        let [graph] = &steps.graphs[..] else { return None };
        if steps.outcomes.len() >= MOST_CLASSES {
            return None;
        }
        let class = |distance: Option<u32>| steps.class_of(distance) as u8;
        let mut classes = vec![(steps.fluent, 0)];
        for level in &graph.levels {
            let class = class(Some(level.distance));
            level.bits.each(&mut |fluent| {
                if fluent != steps.fluent {
                    classes.push((fluent, class));
                }
            });
        }
        Some(Near { degree, beyond: class(graph.from_nothing), classes })
    }

    /// All values it may have, by their classes; none if they are not few.
    pub(crate) fn signals(&self) -> Option<Vec<Signal>> {
        match self {
            Watch::Steps(steps) => {
                Some(steps.outcomes.iter().copied().chain([steps.never]).collect())
            }
            Watch::Mean(_) => None,
        }
    }
}

/// Some fluents of one word of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bits {
    word: u32,
    mask: u64,
}

impl Bits {
    fn of(fluent: u32) -> Self {
        Self { word: fluent / 64, mask: 1 << (fluent % 64) }
    }

    #[inline]
    pub(crate) fn held(self, words: &[u64]) -> u64 {
        words.get(self.word as usize).map_or(0, |word| word & self.mask)
    }

    fn each(self, visit: &mut impl FnMut(u32)) {
        let mut rest = self.mask;
        while rest != 0 {
            visit(self.word * 64 + rest.trailing_zeros());
            rest &= rest - 1;
        }
    }
}

/// More levels than that are looked up fluent by fluent.
const MOST_LEVELS: usize = 24;

/// Fluents at the same distance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Level {
    pub(crate) distance: u32,
    pub(crate) bits: Bits,
}

/// The distances to one fluent in one graph, nearest first.
#[derive(Clone, Debug)]
pub(crate) struct Nearest {
    levels: Vec<Level>,
    /// Where there are many levels: the fluents by words, and where their distances begin in `distances`.
    words: Vec<(Bits, u32)>,
    distances: Vec<u32>,
    /// The distance from ∅.
    from_nothing: Option<u32>,
}

impl Nearest {
    /// From fluents of the universe with their distances.
    pub(crate) fn new(distances: &[(u32, u32)], from_nothing: Option<u32>) -> Self {
        let mut sorted: Vec<(u32, u32)> =
            distances.iter().map(|(fluent, distance)| (*distance, *fluent)).collect();
        sorted.sort_unstable();
        sorted.retain(|(distance, _)| from_nothing.is_none_or(|other| *distance < other));
        let mut levels: Vec<Level> = Vec::new();
        for (distance, fluent) in sorted {
            let (word, bit) = (fluent / 64, 1 << (fluent % 64));
            match levels.last_mut() {
                Some(last) if last.distance == distance && last.bits.word == word => {
                    last.bits.mask |= bit;
                }
                _ => levels.push(Level { distance, bits: Bits { word, mask: bit } }),
            }
        }
        let mut nearest = Self { levels, words: Vec::new(), distances: Vec::new(), from_nothing };
        if nearest.levels.len() > MOST_LEVELS {
            nearest.tabulate();
        }
        nearest
    }

    fn tabulate(&mut self) {
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for level in &self.levels {
            level.bits.each(&mut |fluent| pairs.push((fluent, level.distance)));
        }
        pairs.sort_unstable();
        for (fluent, distance) in pairs {
            let (word, bit) = (fluent / 64, 1 << (fluent % 64));
            match self.words.last_mut() {
                Some((last, _)) if last.word == word => last.mask |= bit,
                _ => self.words.push((Bits { word, mask: bit }, self.distances.len() as u32)),
            }
            self.distances.push(distance);
        }
    }

    /// The least distance by going through the fluents that hold.
    fn look_up(&self, words: &[u64]) -> Option<u32> {
        let mut least = u32::MAX;
        for (bits, start) in &self.words {
            let mut held = bits.held(words);
            while held != 0 {
                let below = bits.mask & ((held & held.wrapping_neg()) - 1);
                least = least.min(self.distances[*start as usize + below.count_ones() as usize]);
                held &= held - 1;
            }
        }
        if least == u32::MAX { self.from_nothing } else { Some(least) }
    }

    fn look(&self, words: &[u64]) -> Option<u32> {
        if !self.words.is_empty() {
            return self.look_up(words);
        }
        let nearest = self.levels.iter().find(|level| level.bits.held(words) != 0);
        nearest.map(|level| level.distance).or(self.from_nothing)
    }
}

/// A fluent valued by the greatest of its distances (thesis Eq. 6.1, or 5.9 for quantities).
#[derive(Clone, Debug)]
pub(crate) struct Steps {
    pub(crate) fluent: u32,
    pub(crate) graphs: Vec<Nearest>,
    /// The signal of each distance; the first is for 0, when it holds.
    pub(crate) outcomes: Vec<Signal>,
    /// The signal if there is no way.
    pub(crate) never: Signal,
}

impl Steps {
    /// The class of its value in a state: by the greatest of the distances.
    pub(crate) fn class(&self, words: &[u64]) -> u32 {
        if Bits::of(self.fluent).held(words) != 0 {
            return 0;
        }
        let mut greatest = 1;
        for graph in &self.graphs {
            match graph.look(words) {
                None => return self.class_of(None),
                Some(distance) => greatest = greatest.max(distance),
            }
        }
        self.class_of(Some(greatest))
    }

    /// The class of a distance where the fluent does not hold; the last one is for no way.
    fn class_of(&self, distance: Option<u32>) -> u32 {
        let most = self.outcomes.len() as u32;
        distance.map_or(most, |distance| distance.max(1).min(most - 1))
    }
}

/// A fluent of a board valued by the mean distance of the pieces like it (thesis Eq. 5.11).
#[derive(Clone, Debug)]
pub(crate) struct Mean {
    pub(crate) fluent: u32,
    /// The places of such pieces, and where their distances begin in `weights`.
    bits: Vec<(Bits, u32)>,
    weights: Vec<f64>,
}

impl Mean {
    /// From fluents of the universe with their normalised distances.
    pub(crate) fn new(fluent: u32, distances: &[(u32, f64)]) -> Self {
        let mut sorted = distances.to_vec();
        sorted.sort_by_key(|(fluent, _)| *fluent);
        let mut mean = Self { fluent, bits: Vec::new(), weights: Vec::new() };
        for (fluent, weight) in sorted {
            let (word, bit) = (fluent / 64, 1 << (fluent % 64));
            match mean.bits.last_mut() {
                Some((last, _)) if last.word == word => last.mask |= bit,
                _ => mean.bits.push((Bits { word, mask: bit }, mean.weights.len() as u32)),
            }
            mean.weights.push(weight);
        }
        mean
    }

    /// δ(s,f): the mean over all that hold, 1 if none does.
    pub(crate) fn delta(&self, words: &[u64]) -> f64 {
        let (mut sum, mut count) = (0.0, 0u32);
        for (bits, start) in &self.bits {
            let mut held = bits.held(words);
            while held != 0 {
                let below = bits.mask & ((held & held.wrapping_neg()) - 1);
                sum += self.weights[*start as usize + below.count_ones() as usize];
                count += 1;
                held &= held - 1;
            }
        }
        if count == 0 { 1.0 } else { sum / f64::from(count) }
    }

    pub(crate) fn look(&self, words: &[u64], powers: &Powers) -> Signal {
        let bit = Bits::of(self.fluent);
        if bit.held(words) != 0 {
            return powers.atom(true);
        }
        powers.signal(powers.parameters().distant(self.delta(words)), false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::norm::Parameters;

    #[test]
    fn the_nearest_fluent_counts_and_nothing_bounds_it() {
        let nearest = Nearest::new(&[(3, 2), (70, 1), (5, 4)], None);
        assert_eq!(nearest.look(&[1 << 3, 0]), Some(2));
        assert_eq!(nearest.look(&[1 << 3, 1 << 6]), Some(1));
        assert_eq!(nearest.look(&[1 << 4, 0]), None);
        let bounded = Nearest::new(&[(3, 2), (5, 4)], Some(3));
        assert_eq!(bounded.look(&[1 << 5]), Some(3));
        assert_eq!(bounded.look(&[1 << 3]), Some(2));
        let chain: Vec<(u32, u32)> = (0..100).map(|fluent| (fluent, 100 - fluent)).collect();
        let long = Nearest::new(&chain, None);
        assert_eq!(long.look(&[1 << 7 | 1 << 9, 0]), Some(91));
        assert_eq!(long.look(&[1 << 7, 1 << 30]), Some(6));
        assert_eq!(long.look(&[0, 0]), None);
    }

    #[test]
    fn the_mean_is_over_the_pieces_that_are_there() {
        let mean = Mean::new(0, &[(1, 0.5), (2, 0.25), (65, 1.0)]);
        assert!((mean.delta(&[0b110, 0]) - 0.375).abs() < 1e-12);
        assert!((mean.delta(&[0b100, 0b10]) - 0.625).abs() < 1e-12);
        assert!((mean.delta(&[0, 0]) - 1.0).abs() < 1e-12);
        let powers = Powers::new(Parameters::default());
        assert!(mean.look(&[1], &powers).holds);
    }
}
