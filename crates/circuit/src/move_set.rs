//! Sets of moves of one role, as the words of their bits that are not zero.
//!
//! A game may have a hundred thousand moves, and each of them is a set of its own; a bit for every move in every set
//! would take gigabytes. Most sets have few members, or lack few, so a set is the list of the words that matter, of its
//! members or of those that it lacks.

use crate::net::{bits, count_bits};

/// Words of bits by their places, in rising order; none of them is zero.
type Words = Vec<(u32, u64)>;

/// A set of moves of one role.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Set {
    pub(crate) role: usize,
    words: Words,
    /// The words are those of the moves that it lacks.
    lacks: bool,
}

/// The moves that a role can make at all.
#[derive(Clone, Debug)]
pub(crate) struct Possible {
    pub(crate) words: Vec<u64>,
    count: u32,
}

impl Possible {
    pub(crate) fn new(words: Vec<u64>) -> Self {
        Self { count: count_bits(&words), words }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> u32 {
        self.count
    }
}

impl Set {
    /// A move alone, if it is possible.
    pub(crate) fn only(role: usize, bit: u32, possible: &Possible) -> Self {
        let word = 1 << (bit % 64) & possible.words[bit as usize / 64];
        let words = if word == 0 { Vec::new() } else { vec![(bit / 64, word)] };
        Self { role, words, lacks: false }
    }

    /// How many words it takes.
    pub(crate) fn words(&self) -> usize {
        self.words.len()
    }

    /// How many moves it has.
    pub(crate) fn len(&self, possible: &Possible) -> u32 {
        let listed = self.words.iter().map(|(_, word)| word.count_ones()).sum::<u32>();
        if self.lacks { possible.count - listed } else { listed }
    }

    /// Whether it has no moves, as far as its list says.
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty() && !self.lacks
    }

    /// The moves that are in both sets, or in the complements where that is said.
    pub(crate) fn both(&self, flip: bool, other: &Self, flop: bool) -> Self {
        let (x, y) = (&self.words, &other.words);
        let (words, lacks) = match (self.lacks != flip, other.lacks != flop) {
            (false, false) => (merged(x, y, |a, b| a & b), false),
            (false, true) => (merged(x, y, |a, b| a & !b), false),
            (true, false) => (merged(x, y, |a, b| b & !a), false),
            (true, true) => (merged(x, y, |a, b| a | b), true),
        };
        Self { role: self.role, words, lacks }
    }

    /// The set or its complement, whichever has fewer moves, as a list of members; and whether it is the complement.
    pub(crate) fn normal(&self, possible: &Possible) -> (Self, bool) {
        let own = self.len(possible);
        let others = possible.count - own;
        let is_own = own < others || (own == others && self.comes_first(possible));
        let words = if is_own == self.lacks { self.unlisted(possible) } else { self.words.clone() };
        (Self { role: self.role, words, lacks: false }, !is_own)
    }

    /// Of a set and its complement, which are as large, the one with the smaller first word.
    fn comes_first(&self, possible: &Possible) -> bool {
        let Some(at) = possible.words.iter().position(|word| *word != 0) else { return true };
        let listed = self.words.first().filter(|(place, _)| *place as usize == at);
        let listed = listed.map_or(0, |(_, word)| *word);
        let rest = possible.words[at] & !listed;
        if self.lacks { rest <= listed } else { listed <= rest }
    }

    /// The possible moves that are not in the list.
    fn unlisted(&self, possible: &Possible) -> Words {
        let all = possible.words.iter().enumerate().filter(|(_, word)| **word != 0);
        let all: Words = all.map(|(at, word)| (at as u32, *word)).collect();
        merged(&all, &self.words, |a, b| a & !b)
    }

    /// The moves of a list of members, by their bits.
    pub(crate) fn members(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().flat_map(|(at, word)| {
            let word = [*word];
            let bits: Vec<u32> = bits(&word).collect();
            bits.into_iter().map(move |bit| at * 64 + bit)
        })
    }
}

/// Two lists word by word; an absent word is zero.
fn merged(x: &Words, y: &Words, join: impl Fn(u64, u64) -> u64) -> Words {
    let mut found = Words::new();
    let (mut i, mut j) = (0, 0);
    while let Some(place) = x.get(i).into_iter().chain(y.get(j)).map(|(place, _)| *place).min() {
        let take = |list: &Words, at: &mut usize| match list.get(*at) {
            Some((own, word)) if *own == place => {
                *at += 1;
                *word
            }
            _ => 0,
        };
        let word = join(take(x, &mut i), take(y, &mut j));
        if word != 0 {
            found.push((place, word));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every set of a few moves over three words, built from single moves, against the same sets as bits.
    #[test]
    fn sets_say_the_same_as_bits() {
        let possible = Possible::new(vec![0, 0b1111_0110, 1 << 63, 0b11]);
        let all: Vec<u32> = bits(&possible.words).collect();
        let dense = |set: &Set| -> Vec<bool> {
            let (plain, flipped) = set.normal(&possible);
            let members: Vec<u32> = plain.members().collect();
            all.iter().map(|bit| members.contains(bit) != flipped).collect()
        };
        let mut random = 1u64;
        let mut sets: Vec<(Set, Vec<bool>)> = (0..256u32)
            .map(|bit| {
                let set = Set::only(0, bit, &possible);
                (set, all.iter().map(|own| *own == bit).collect())
            })
            .collect();
        for _ in 0..3000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let pick = |shift: u32| (random >> shift) as usize % sets.len();
            let ((x, a), (y, b)) = (&sets[pick(20)], &sets[pick(40)]);
            let (flip, flop) = (random >> 60 & 1 == 1, random >> 61 & 1 == 1);
            let expected: Vec<bool> =
                a.iter().zip(b).map(|(a, b)| (*a != flip) && (*b != flop)).collect();
            let set = x.both(flip, y, flop);
            assert_eq!(dense(&set), expected);
            let size = expected.iter().filter(|holds| **holds).count();
            assert_eq!(set.len(&possible) as usize, size);
            sets.push((set, expected));
        }
        // A set has one normal form, whichever way it came about; its complement has the same.
        for (one, a) in sets.iter().rev().take(40) {
            for (other, b) in &sets {
                let (x, y) = (one.normal(&possible), other.normal(&possible));
                let opposite = a.iter().zip(b).all(|(a, b)| a != b);
                assert_eq!(x == y, a == b);
                assert_eq!(x.0 == y.0, a == b || opposite);
            }
        }
    }
}
