//! The keys of all images of a state under a listed group at once, and single images.
//!
//! For each fluent the keys of its images under all elements lie side by side, so the keys of all images of a
//! state are one exclusive or per fluent and element (Zobrist keys, thesis §8.4), several elements per machine
//! instruction. Searches ask about siblings one after the other, and siblings differ in a few fluents: every thread
//! remembers the last state it asked for with its keys, and only what differs is put in.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

use game::playout::Random;
use game::{FluentId, State};

use crate::points::Points;

const NOWHERE: u32 = u32::MAX;
const SEED: u64 = 2010;

/// Tables of a list of permutations, the identity first.
pub(crate) struct Images {
    /// Tells tables apart; never 0.
    number: u64,
    elements: usize,
    /// The keys of one fluent, with some room so that whole registers can be used.
    stride: usize,
    /// For each fluent its row.
    rows: Vec<u32>,
    /// For each row the keys of the images.
    keys: Vec<u32>,
    /// For each element and row the number of the fluent that is the image.
    targets: Vec<u32>,
    /// Words of the largest image.
    words: usize,
    /// For each element the fluents whose images cannot occur in play, as bits; empty where all can.
    barred: Vec<u64>,
    barred_words: usize,
}

/// The state that a thread asked for last, and the keys of its images.
struct Last {
    owner: u64,
    words: Vec<u64>,
    keys: Vec<u32>,
}

thread_local! {
    static LAST: RefCell<Last> =
        const { RefCell::new(Last { owner: 0, words: Vec::new(), keys: Vec::new() }) };
}

static TABLES: AtomicU64 = AtomicU64::new(1);

impl Images {
    /// Tables for permutations of the points.
    pub(crate) fn new(points: &Points, permutations: &[Vec<u32>]) -> Self {
        let fluents = points.fluents();
        let elements = permutations.len();
        let stride = if elements <= 16 {
            elements.next_power_of_two().max(2)
        } else {
            elements.next_multiple_of(16)
        };
        let highest = fluents.iter().map(|fluent| fluent.index()).max().unwrap_or(0);
        let mut rows = vec![NOWHERE; highest + 1];
        let mut random = Random::new(SEED);
        let key: Vec<u32> = fluents.iter().map(|_| random.below(1 << 32) as u32).collect();
        let mut keys = vec![0; fluents.len() * stride];
        let mut targets = vec![0; fluents.len() * elements];
        for (row, fluent) in fluents.iter().enumerate() {
            rows[fluent.index()] = row as u32;
            for (at, permutation) in permutations.iter().enumerate() {
                let image = permutation[row] as usize;
                keys[row * stride + at] = key[image];
                targets[at * fluents.len() + row] = fluents[image].0;
            }
        }
        let number = TABLES.fetch_add(1, Ordering::Relaxed);
        let words = highest / 64 + 1;
        let (barred, barred_words) = barred(points, permutations, words);
        Self { number, elements, stride, rows, keys, targets, words, barred, barred_words }
    }

    /// The number of the element that leads to the image with the least key, of those images that can occur in
    /// play; none if a fluent is no point.
    pub(crate) fn least(&self, state: &State) -> Option<usize> {
        self.with_keys(state, |keys| {
            let mut best = (keys[0], 0);
            for (at, key) in keys.iter().enumerate().skip(1) {
                if *key < best.0 && self.is_possible(at, state) {
                    best = (*key, at);
                }
            }
            best.1
        })
    }

    /// The elements but the identity whose images of a state have the same key as the state: all that fix it, and
    /// with little probability others.
    pub(crate) fn with_equal_keys(&self, state: &State) -> Vec<usize> {
        let equal = |keys: &[u32]| (1..keys.len()).filter(|at| keys[*at] == keys[0]).collect();
        self.with_keys(state, equal).unwrap_or_default()
    }

    /// The elements whose images of a state have the same key as the image under this one.
    pub(crate) fn with_key_of(&self, element: usize, state: &State) -> Vec<usize> {
        let same = |keys: &[u32]| {
            (0..keys.len()).filter(|at| keys[*at] == keys[element.min(keys.len() - 1)]).collect()
        };
        self.with_keys(state, same).unwrap_or_else(|| vec![element])
    }

    /// The image of a state all of whose fluents are points.
    pub(crate) fn image(&self, element: usize, state: &State) -> State {
        let count = self.targets.len() / self.elements.max(1);
        let targets = &self.targets[element * count..(element + 1) * count];
        let mut words = vec![0_u64; self.words];
        for fluent in state.iter() {
            if let Some(row) = self.row(fluent) {
                let image = targets[row] as usize;
                words[image / 64] |= 1 << (image % 64);
            }
        }
        State::from_words(words)
    }

    fn row(&self, fluent: FluentId) -> Option<usize> {
        let row = *self.rows.get(fluent.index())?;
        (row != NOWHERE).then_some(row as usize)
    }

    fn is_possible(&self, element: usize, state: &State) -> bool {
        if self.barred.is_empty() {
            return true;
        }
        let from = element * self.barred_words;
        let barred = &self.barred[from..from + self.barred_words];
        state.words().iter().zip(barred).all(|(word, barred)| word & barred == 0)
    }

    /// Gives the keys of all images to a function.
    fn with_keys<T>(&self, state: &State, ask: impl FnOnce(&[u32]) -> T) -> Option<T> {
        LAST.with(|last| {
            let mut last = last.try_borrow_mut().ok()?;
            last.follow(self, state)?;
            Some(ask(&last.keys[..self.elements]))
        })
    }

    fn flip(&self, keys: &mut [u32], row: usize) {
        let more = &self.keys[row * self.stride..(row + 1) * self.stride];
        match self.stride {
            2 => flip::<2>(keys, more),
            4 => flip::<4>(keys, more),
            8 => flip::<8>(keys, more),
            _ => {
                let both = keys.chunks_exact_mut(16).zip(more.chunks_exact(16));
                both.for_each(|(keys, more)| flip::<16>(keys, more));
            }
        }
    }
}

/// For each permutation the fluents whose images cannot occur; nothing if all can.
fn barred(points: &Points, permutations: &[Vec<u32>], words: usize) -> (Vec<u64>, usize) {
    if points.all_possible() {
        return (Vec::new(), 0);
    }
    let mut barred = vec![0; words * permutations.len()];
    for (at, permutation) in permutations.iter().enumerate() {
        for (row, fluent) in points.fluents().iter().enumerate() {
            if !points.is_possible_point(permutation[row]) {
                barred[at * words + fluent.index() / 64] |= 1 << (fluent.index() % 64);
            }
        }
    }
    (barred, words)
}

fn flip<const N: usize>(keys: &mut [u32], more: &[u32]) {
    if let (Some(keys), Some(more)) = (keys.first_chunk_mut::<N>(), more.first_chunk::<N>()) {
        keys.iter_mut().zip(more).for_each(|(key, more)| *key ^= more);
    }
}

impl Last {
    /// Makes this the keys of another state; none if a fluent of it is no point.
    fn follow(&mut self, table: &Images, state: &State) -> Option<()> {
        let new = state.words();
        let length = self.words.len().max(new.len());
        let word = |words: &[u64], at: usize| words.get(at).copied().unwrap_or(0);
        let differ: u32 =
            (0..length).map(|at| (word(&self.words, at) ^ word(new, at)).count_ones()).sum();
        if self.owner != table.number || differ as usize > state.len() {
            self.owner = table.number;
            self.words.clear();
            self.keys.clear();
            self.keys.resize(table.stride, 0);
        }
        self.words.resize(self.words.len().max(new.len()), 0);
        for at in 0..self.words.len() {
            let now = word(new, at);
            let mut differ = self.words[at] ^ now;
            self.words[at] = now;
            while differ != 0 {
                let fluent = FluentId(at as u32 * 64 + differ.trailing_zeros());
                differ &= differ - 1;
                let Some(row) = table.row(fluent) else {
                    self.owner = 0;
                    return None;
                };
                table.flip(&mut self.keys, row);
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(fluents: &[u32]) -> State {
        fluents.iter().map(|at| FluentId(*at)).collect()
    }

    /// Whatever was asked before, in whichever table.
    #[test]
    fn keys_do_not_depend_on_what_was_asked_before() {
        let fluents: Vec<FluentId> = (0..150).map(|at| FluentId(at * 2)).collect();
        let points = Points::new(fluents, &[Vec::new()]);
        let turn = |by: u32| (0..151).map(|p| if p < 150 { (p + by) % 150 } else { p }).collect();
        let all: Vec<Vec<u32>> = (0..150).map(turn).collect();
        let (table, other) = (Images::new(&points, &all), Images::new(&points, &all[..2]));
        let mut random = Random::new(3);
        for _ in 0..200 {
            let count = random.below(12);
            let one: State = (0..count).map(|_| FluentId(2 * random.below(150) as u32)).collect();
            let element = random.below(150);
            let image = table.image(element, &one);
            assert_eq!(image.len(), one.len());
            let least = |s: &State| table.image(table.least(s).expect("points"), s);
            let first = least(&one);
            assert!(other.least(&image).is_some());
            assert_eq!(first, least(&image));
            assert_eq!(table.least(&first), Some(0));
        }
        assert_eq!(table.least(&state(&[1])), None);
        assert_eq!(table.least(&state(&[0, 5000])), None);
        assert!(
            table.least(&State::new()) == Some(0) && table.with_equal_keys(&state(&[4])).is_empty()
        );
        let even: State = (0..150).step_by(2).map(|at| FluentId(at * 2)).collect();
        assert_eq!(table.with_equal_keys(&even).len(), 74);
    }
}
