//! Conditions that have few different values, and tables of what is made of them.
//!
//! A fluent has as many degrees of truth as distances, so four of them in a row have few as well: their
//! conjunction is looked up instead of computed. Equal tables are made once.

use rustc_hash::FxHashMap;

use crate::power::{Powers, Signal, Sum};

/// The number of a domain.
pub(crate) type DomainId = u32;

/// The most places of one table, and of all tables together.
const MOST_PLACES: usize = 1024;
const MOST_IN_ALL: usize = 1 << 18;

/// A signal that can be compared and hashed.
type Key = (u64, u128, u128, bool);

/// What a table is made of: whether it is a disjunction, and its children with whether they are negated.
type Parts = (bool, Vec<(DomainId, bool)>);

/// All domains and tables of a network.
#[derive(Debug, Default)]
pub(crate) struct Domains {
    /// The values of all domains, one after another.
    signals: Vec<Signal>,
    /// What each of them adds to a sum, and what its negation does, in turns.
    shares: Vec<Sum>,
    /// Where the values of a domain begin, and how many they are.
    spans: Vec<(u32, u32)>,
    known: FxHashMap<Vec<Key>, DomainId>,
    /// The classes of results of all tables, one after another.
    places: Vec<u32>,
    tables: FxHashMap<Parts, (u32, DomainId)>,
}

/// A table for one node.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// Where it begins.
    pub(crate) start: u32,
    /// What results from it.
    pub(crate) domain: DomainId,
    /// By how much the place changes with the class of each child.
    pub(crate) strides: Vec<u32>,
}

impl Domains {
    /// The domain of these values.
    pub(crate) fn domain(&mut self, signals: &[Signal]) -> DomainId {
        let key = |signal: &Signal| (signal.value.to_bits(), signal.up, signal.down, signal.holds);
        let next = self.spans.len() as u32;
        let known = self.known.entry(signals.iter().map(key).collect()).or_insert(next);
        if *known == next {
            self.spans.push((self.signals.len() as u32, signals.len() as u32));
            self.signals.extend_from_slice(signals);
            let shares = |signal: &Signal| [false, true].map(|negative| Sum::of(signal, negative));
            self.shares.extend(signals.iter().flat_map(shares));
        }
        *known
    }

    /// Where the values of a domain begin.
    pub(crate) fn start(&self, domain: DomainId) -> u32 {
        self.spans[domain as usize].0
    }

    /// The value that belongs to a class of the domain that begins there.
    #[inline]
    pub(crate) fn signal(&self, start: u32, class: u32) -> &Signal {
        &self.signals[(start + class) as usize]
    }

    /// What a class of the domain that begins there adds to a sum, or if `negative` is 1, what its negation does.
    #[inline]
    pub(crate) fn share(&self, start: u32, class: u32, negative: u32) -> &Sum {
        &self.shares[(2 * (start + class) + negative) as usize]
    }

    /// The class at a place of a table.
    #[inline]
    pub(crate) fn class(&self, place: u32) -> u32 {
        self.places[place as usize]
    }

    /// A table for a conjunction or disjunction, if it is small.
    pub(crate) fn table(
        &mut self,
        powers: &Powers,
        any: bool,
        parts: &[(DomainId, bool)],
    ) -> Option<Table> {
        let mut order: Vec<usize> = (0..parts.len()).collect();
        order.sort_by_key(|at| parts[*at]);
        let sorted: Vec<(DomainId, bool)> = order.iter().map(|at| parts[*at]).collect();
        let mut size = 1usize;
        let mut strides = vec![0; parts.len()];
        for at in order {
            strides[at] = size as u32;
            size = size.saturating_mul(self.spans[parts[at].0 as usize].1 as usize);
            if size > MOST_PLACES {
                return None;
            }
        }
        let key = (any, sorted);
        if let Some((start, domain)) = self.tables.get(&key) {
            return Some(Table { start: *start, domain: *domain, strides });
        }
        if self.places.len() + size > MOST_IN_ALL {
            return None;
        }
        let (start, domain) = self.fill(powers, any, &key.1, size);
        self.tables.insert(key, (start, domain));
        Some(Table { start, domain, strides })
    }

    fn fill(
        &mut self,
        powers: &Powers,
        any: bool,
        parts: &[(DomainId, bool)],
        size: usize,
    ) -> (u32, DomainId) {
        let start = self.places.len() as u32;
        let mut found: FxHashMap<Key, u32> = FxHashMap::default();
        let mut results: Vec<Signal> = Vec::new();
        let mut children: Vec<(Signal, bool)> = Vec::with_capacity(parts.len());
        for place in 0..size {
            let mut rest = place;
            children.clear();
            for (domain, negative) in parts {
                let (first, length) = self.spans[*domain as usize];
                let class = (rest % length as usize) as u32;
                rest /= length as usize;
                children.push((*self.signal(first, class), *negative));
            }
            let signal = powers.gather(any, &children);
            let key = (signal.value.to_bits(), signal.up, signal.down, signal.holds);
            let class = *found.entry(key).or_insert_with(|| {
                results.push(signal);
                results.len() as u32 - 1
            });
            self.places.push(class);
        }
        (start, self.domain(&results))
    }
}
