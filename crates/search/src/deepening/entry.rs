//! What the table of alpha-beta keeps of a state, and what that says about the same state with the roles exchanged.
//!
//! Where a symmetry exchanges the two roles of a game, the table may know the representative of a state only with the other
//! role as the one that maximises. If all ends that were met have the same sum c of rewards, a strategy that
//! guarantees one role x keeps the other one at c - x, since it leads to such ends only. So proven bounds
//! are mirrored: from below become from above. Values at a depth limit rest on evaluations as well, and are
//! mirrored only while these have the same sum. Where simultaneous moves are serialised the role that maximises
//! moves first; with the other role first the game is another one, so then nothing is mirrored.

use super::context::{Mills, mills};
use super::depth::PLY;
use super::root::Outcome;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Bound {
    #[default]
    None,
    Exact,
    Lower,
    Upper,
}

/// What the table keeps of a state.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Entry {
    pub(super) value: Mills,
    pub(super) low: Mills,
    pub(super) high: Mills,
    pub(super) depth: u32,
    /// The branch that was best, in the order of the moves' texts.
    pub(super) best: u32,
    pub(super) bound: Bound,
}

impl Entry {
    /// What it says about a state at a depth and in a window, if that is enough.
    pub(super) fn enough(
        &self,
        depth: u32,
        quiescence: bool,
        (alpha, beta): (Mills, Mills),
    ) -> Option<Outcome> {
        let Entry { low, high, value, .. } = *self;
        if low >= high || low >= beta {
            return Some(Outcome { value: low, low, high });
        }
        if high <= alpha {
            return Some(Outcome { value: high, low, high });
        }
        let deep = self.depth >= depth && (depth >= PLY || !quiescence);
        let useful = match self.bound {
            Bound::None => false,
            Bound::Exact => true,
            Bound::Lower => value >= beta,
            Bound::Upper => value <= alpha,
        };
        (deep && useful).then_some(Outcome { value, low, high })
    }

    /// With what is known otherwise about the same state.
    pub(super) fn with(self, other: Entry) -> Entry {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        if low > high {
            return self;
        }
        let best = self.best;
        let deeper = other.bound != Bound::None && other.depth > self.depth;
        Entry { low, high, best, ..if deeper { other } else { self } }
    }
}

/// Whether what one role gets is what the other one lacks of a constant.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Balance {
    /// The sum of the rewards at the ends met.
    ends: Option<Mills>,
    ends_differ: bool,
    /// The sum of the values at the leaves met, ends among them.
    leaves: Option<Mills>,
    leaves_differ: bool,
    serial: bool,
}

impl Balance {
    /// An end was met.
    pub(super) fn end(&mut self, rewards: &[u8]) {
        let sum: Mills = rewards.iter().map(|reward| mills(f64::from(*reward))).sum();
        self.ends_differ |= self.ends.is_some_and(|before| before != sum);
        self.ends = Some(sum);
        self.leaf(sum);
    }

    /// A leaf was judged; `sum` is that of the values.
    pub(super) fn leaf(&mut self, sum: Mills) {
        self.leaves_differ |= self.leaves.is_some_and(|before| before != sum);
        self.leaves = Some(sum);
    }

    /// Simultaneous moves were serialised.
    pub(super) fn serialised(&mut self) {
        self.serial = true;
    }

    /// What an entry for one of two roles says for the other; nothing if that is not known. Values lie between `bottom`
    /// and `top`; bounds that are no tighter than those rest on something else than ends.
    pub(super) fn mirrored(&self, entry: &Entry, (bottom, top): (Mills, Mills)) -> Option<Entry> {
        if self.serial {
            return None;
        }
        let (mut low, mut high) = (bottom, top);
        if let Some(sum) = self.ends.filter(|_| !self.ends_differ) {
            if entry.high < top {
                low = (sum - entry.high).clamp(bottom, top);
            }
            if entry.low > bottom {
                high = (sum - entry.low).clamp(low, top);
            }
        }
        let (value, bound) = match self.leaves.filter(|_| !self.leaves_differ) {
            None => (low, Bound::None),
            Some(sum) => {
                let bound = match entry.bound {
                    Bound::Lower => Bound::Upper,
                    Bound::Upper => Bound::Lower,
                    same => same,
                };
                ((sum - entry.value).clamp(low, high), bound)
            }
        };
        Some(Entry { value, low, high, bound, ..*entry })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: (Mills, Mills) = (0, 100_000);

    fn entry(value: Mills, low: Mills, high: Mills, bound: Bound) -> Entry {
        Entry { value, low, high, depth: 4 * PLY, best: 1, bound }
    }

    #[test]
    fn bounds_are_turned_round_where_all_ends_have_one_sum() {
        let mut balance = Balance::default();
        balance.end(&[100, 0]);
        balance.end(&[50, 50]);
        let found = balance.mirrored(&entry(70_000, 30_000, 100_000, Bound::Lower), ALL);
        let found = found.expect("balanced");
        assert_eq!((found.value, found.low, found.high), (30_000, 0, 70_000));
        assert_eq!((found.bound, found.best), (Bound::Upper, 1));
        let solved = balance.mirrored(&entry(0, 0, 0, Bound::Exact), ALL).expect("balanced");
        assert_eq!((solved.low, solved.high), (100_000, 100_000));
    }

    /// The lower bound 0 of an entry may rest on the rewards of the game alone.
    #[test]
    fn what_rests_on_no_end_or_on_lopsided_leaves_is_not_mirrored() {
        let mut balance = Balance::default();
        balance.end(&[100, 0]);
        balance.leaf(mills(120.0));
        let found = balance.mirrored(&entry(70_000, 0, 80_000, Bound::Exact), ALL);
        let found = found.expect("balanced ends");
        assert_eq!((found.low, found.high, found.bound), (20_000, 100_000, Bound::None));
        balance.end(&[100, 100]);
        let found = balance.mirrored(&entry(70_000, 10_000, 80_000, Bound::Exact), ALL);
        assert!(found.is_some_and(|e| (e.low, e.high, e.bound) == (0, 100_000, Bound::None)));
        balance.serialised();
        assert!(balance.mirrored(&entry(1, 1, 1, Bound::Exact), ALL).is_none());
    }

    #[test]
    fn what_is_known_both_ways_is_tighter() {
        let own = entry(40_000, 10_000, 90_000, Bound::Exact);
        let other = Entry { depth: 9 * PLY, ..entry(35_000, 20_000, 100_000, Bound::Lower) };
        let both = own.with(other);
        assert_eq!(
            (both.low, both.high, both.value, both.depth),
            (20_000, 90_000, 35_000, 9 * PLY)
        );
        let crossed = own.with(entry(5, 95_000, 100_000, Bound::Exact));
        assert_eq!((crossed.low, crossed.high), (10_000, 90_000));
    }
}
