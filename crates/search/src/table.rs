//! A transposition table with bounded memory: it grows up to its budget, then recycles.
//!
//! Four entries share a bucket. A new entry takes the place of the same state, else a free place, else
//! that of the entry worth least: one from an older search first, then the one of least depth.

use crate::hash::Key;
use crate::report::TableUse;

/// Entries of a bucket.
const WAYS: usize = 4;
/// Buckets at the beginning.
const FIRST: usize = 1 << 8;

#[derive(Clone, Debug)]
struct Slot<E> {
    key: Key,
    /// 0 for a free place.
    age: u32,
    worth: u32,
    entry: E,
}

/// Entries by keys. `E` should be small.
#[derive(Clone, Debug)]
pub struct Table<E> {
    slots: Vec<Slot<E>>,
    /// The number of buckets is two to the power of this.
    bits: u32,
    most_bits: u32,
    age: u32,
    used: u64,
    lookups: u64,
    hits: u64,
}

impl<E: Clone + Default> Table<E> {
    /// An empty table of at most about `bytes` bytes, what `E` points to not counted. It has at least one
    /// bucket.
    pub fn new(bytes: usize) -> Self {
        // While it grows, the old half is still there.
        let fitting = bytes * 2 / 3 / (WAYS * size_of::<Slot<E>>());
        let most_bits = fitting.max(1).ilog2();
        let bits = most_bits.min(FIRST.ilog2());
        let slots = vec![Self::free(); WAYS << bits];
        Self { slots, bits, most_bits, age: 1, used: 0, lookups: 0, hits: 0 }
    }

    /// Entries of earlier searches are the first to go from now on.
    pub fn new_search(&mut self) {
        self.age += 1;
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.slots.fill(Self::free());
        self.used = 0;
    }

    /// The entry of a key.
    pub fn get(&mut self, key: Key) -> Option<&E> {
        self.lookups += 1;
        let age = self.age;
        let bucket = self.bucket(key);
        let slot =
            self.slots[bucket..bucket + WAYS].iter_mut().find(|s| s.age > 0 && s.key == key)?;
        slot.age = age;
        self.hits += 1;
        Some(&slot.entry)
    }

    /// The entry of a key, not counted as a question.
    pub fn peek(&self, key: Key) -> Option<&E> {
        let bucket = self.bucket(key);
        let slot = self.slots[bucket..bucket + WAYS].iter().find(|s| s.age > 0 && s.key == key)?;
        Some(&slot.entry)
    }

    /// Keeps an entry, more gladly the more it is worth.
    pub fn put(&mut self, key: Key, worth: u32, entry: E) {
        let age = self.age;
        if self.bits < self.most_bits && self.used * 4 > self.slots.len() as u64 * 3 {
            self.grow();
        }
        let bucket = self.bucket(key);
        let ways = &mut self.slots[bucket..bucket + WAYS];
        let place = ways.iter().position(|slot| slot.age > 0 && slot.key == key).or_else(|| {
            let rank = |at: &usize| (ways[*at].age, ways[*at].worth);
            (0..WAYS).min_by_key(rank)
        });
        let slot = &mut ways[place.unwrap_or(0)];
        self.used += u64::from(slot.age == 0);
        *slot = Slot { key, age, worth, entry };
    }

    /// How full and how useful it is.
    pub fn usage(&self) -> TableUse {
        TableUse {
            entries: self.used,
            capacity: self.slots.len() as u64,
            bytes: (self.slots.len() * size_of::<Slot<E>>()) as u64,
            lookups: self.lookups,
            hits: self.hits,
        }
    }

    fn free() -> Slot<E> {
        Slot { key: Key(0), age: 0, worth: 0, entry: E::default() }
    }

    fn bucket(&self, key: Key) -> usize {
        (key.0 as usize & ((1 << self.bits) - 1)) * WAYS
    }

    fn grow(&mut self) {
        self.bits += 1;
        let old = std::mem::replace(&mut self.slots, vec![Self::free(); WAYS << self.bits]);
        self.used = 0;
        for slot in old.into_iter().filter(|slot| slot.age > 0) {
            let bucket = self.bucket(slot.key);
            let free = self.slots[bucket..bucket + WAYS].iter_mut().find(|s| s.age == 0);
            if let Some(place) = free {
                *place = slot;
                self.used += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;

    fn key(number: u64) -> Key {
        Key(u128::from(mix(number)) << 64 | u128::from(mix(!number)))
    }

    #[test]
    fn a_table_keeps_within_its_bytes_and_never_confuses_keys() {
        let mut table: Table<u64> = Table::new(100_000);
        for number in 0..50_000 {
            table.put(key(number), number as u32 % 7, number);
        }
        assert!(table.usage().bytes <= 100_000 && table.usage().bytes > 20_000);
        let found: Vec<u64> =
            (0..50_000).filter_map(|number| table.get(key(number)).copied()).collect();
        assert!(found.len() as u64 == table.usage().entries && found.len() > 500);
        assert!((0..50_000).all(|n| table.get(key(n)).is_none_or(|found| *found == n)));
    }

    #[test]
    fn deeper_entries_stay_and_older_ones_go() {
        let mut table: Table<u64> = Table::new(1);
        (0..4).for_each(|number| table.put(key(number), 10 + number as u32, number));
        table.put(key(9), 1, 9);
        assert!(table.get(key(0)).is_none() && table.get(key(9)).is_some());
        table.new_search();
        table.get(key(9));
        table.put(key(10), 0, 10);
        assert!(table.get(key(1)).is_none() && table.get(key(9)).is_some());
    }
}
