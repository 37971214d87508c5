//! States: finite sets of fluents (thesis Def. 2.14), kept as bits.

use crate::ids::FluentId;

/// A set of fluents. Two states are equal exactly if they contain the same fluents, whichever
/// machine made them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    /// Bit i of word w stands for fluent 64·w+i; the last word is never 0.
    words: Vec<u64>,
}

impl State {
    /// The empty state.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether a fluent holds.
    pub fn contains(&self, fluent: FluentId) -> bool {
        let (word, bit) = place(fluent);
        self.words.get(word).is_some_and(|w| w >> bit & 1 == 1)
    }

    /// Adds a fluent.
    pub fn insert(&mut self, fluent: FluentId) {
        let (word, bit) = place(fluent);
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << bit;
    }

    /// Removes a fluent.
    pub fn remove(&mut self, fluent: FluentId) {
        let (word, bit) = place(fluent);
        if let Some(w) = self.words.get_mut(word) {
            *w &= !(1 << bit);
        }
        self.trim();
    }

    /// How many fluents hold.
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether no fluent holds.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The fluents in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = FluentId> + '_ {
        self.words.iter().enumerate().flat_map(|(index, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros())?;
                rest &= rest - 1;
                Some(FluentId(index as u32 * 64 + bit))
            })
        })
    }

    /// The bits, least significant fluent first; the last word is not 0.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// A state from bits.
    pub fn from_words(words: impl IntoIterator<Item = u64>) -> Self {
        let mut state = Self { words: words.into_iter().collect() };
        state.trim();
        state
    }

    fn trim(&mut self) {
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
    }
}

impl FromIterator<FluentId> for State {
    fn from_iter<I: IntoIterator<Item = FluentId>>(fluents: I) -> Self {
        let mut state = Self::new();
        fluents.into_iter().for_each(|fluent| state.insert(fluent));
        state
    }
}

fn place(fluent: FluentId) -> (usize, u32) {
    (fluent.index() / 64, fluent.0 % 64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_equal_as_sets_whatever_their_history() {
        let mut a: State = [FluentId(3), FluentId(200)].into_iter().collect();
        a.remove(FluentId(200));
        let b: State = [FluentId(3)].into_iter().collect();
        assert_eq!(a, b);
        assert_eq!(a.iter().collect::<Vec<_>>(), [FluentId(3)]);
        assert_eq!(State::from_words([8, 0, 0]), b);
    }
}
