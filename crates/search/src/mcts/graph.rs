//! The graph: an arena of nodes and a table of their states, both shared by all threads without locks.
//!
//! Threads only add; what has to move things (growing the table, recycling nodes) is done between two
//! rounds, when no thread searches. Growing is done in small parts, so that a round never waits long.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};

use crate::hash::Key;

use super::exchange::{Exchanges, Link, MOST_NODES};
use super::history::History;
use super::node::{NONE, Node, NodeId};

const CHUNK: usize = 1 << 12;
const CHUNKS: usize = MOST_NODES / CHUNK;
const SEGMENTS: usize = 1 << 8;
const FIRST_SLOTS: usize = 1 << 8;
/// Threads that count apart; further ones share.
const STRIPES: usize = 8;
/// Numbers that a thread puts by at a time.
const BLOCK: u32 = 32;
/// Nodes that find a new place in one pause: less than a millisecond.
const MOST_MOVED: usize = 1 << 17;
/// After that many nodes in a part of the table a thread looks whether it is crowded.
const LOOK: u32 = 8;
/// How finely parts of the table are compared.
const SHARES: usize = 1 << 10;

type Chunk = Box<[OnceLock<Node>]>;

/// A part of the table: numbers of nodes by keys, open addressing. A slot has the number and a part of the key, which says
/// where it belongs: a larger table is filled without a look at the nodes.
#[derive(Debug)]
struct Segment {
    slots: Box<[AtomicU64]>,
}

/// What is in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry(u64);

impl Entry {
    const NONE: Self = Self(NONE as u64);

    fn new(key: Key, id: NodeId) -> Self {
        Self((key.0 >> 32) as u64 & !u64::from(u32::MAX) | u64::from(id))
    }

    fn id(self) -> NodeId {
        self.0 as NodeId
    }

    /// Where to look for it first, in a table of any size.
    fn place(self) -> usize {
        (self.0 >> 32) as usize
    }

    /// Whether it may be that of the same state.
    fn is_like(self, other: Self) -> bool {
        self.place() == other.place()
    }
}

impl Segment {
    fn new(slots: usize) -> Self {
        Self { slots: (0..slots).map(|_| AtomicU64::new(Entry::NONE.0)).collect() }
    }

    fn is_crowded(&self, used: usize) -> bool {
        used * 2 > self.slots.len()
    }

    /// Whether it is not far from being crowded.
    fn is_filling(&self, used: usize) -> bool {
        used * 8 > self.slots.len() * 3
    }
}

/// What threads write to again and again, on cache lines of its own: what they only read would otherwise have to
/// be fetched anew after each write of another thread.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Apart<T>(pub(super) T);

/// All nodes.
#[derive(Debug)]
pub(super) struct Graph {
    chunks: Box<[OnceLock<Chunk>]>,
    segments: Vec<Segment>,
    /// Numbers that may be given out again.
    free: Vec<NodeId>,
    /// The bytes of the table.
    table: usize,
    crowded: AtomicBool,
    counts: Apart<Counts>,
    stripes: [Apart<Stripe>; STRIPES],
    /// How links exchange roles.
    pub(super) exchanges: Exchanges,
    /// What moves were worth wherever they were tried.
    pub(super) history: History,
    /// The sum of the rewards of two roles at every end, as far as is known.
    pub(super) sum: Option<u8>,
    /// Whether an end was met where it is another one.
    pub(super) sum_refuted: AtomicBool,
}

#[derive(Debug)]
struct Counts {
    /// Nodes given out, the first one never.
    next: AtomicU32,
    /// How many of the numbers that may be given out again were.
    freed: AtomicUsize,
}

/// What one thread counts: threads that write to the same lines of the cache again and again wait for each other.
#[derive(Debug)]
struct Stripe {
    /// Numbers that only this thread gives out: the next one and, in the lower half, the one after the last.
    ids: AtomicU64,
    /// The bytes that it took, less those that were given back; only the sum over all stripes means anything.
    bytes: AtomicUsize,
    /// The slots of each part of the table that it filled.
    used: Box<[AtomicU32]>,
}

impl Default for Stripe {
    fn default() -> Self {
        let used = (0..SEGMENTS).map(|_| AtomicU32::new(0)).collect();
        Self { ids: AtomicU64::new(0), bytes: AtomicUsize::new(0), used }
    }
}

impl Graph {
    pub(super) fn new() -> Self {
        Self {
            chunks: (0..CHUNKS).map(|_| OnceLock::new()).collect(),
            segments: (0..SEGMENTS).map(|_| Segment::new(FIRST_SLOTS)).collect(),
            free: Vec::new(),
            counts: Apart(Counts { next: AtomicU32::new(1), freed: AtomicUsize::new(0) }),
            stripes: Default::default(),
            table: SEGMENTS * FIRST_SLOTS * size_of::<AtomicU64>(),
            crowded: AtomicBool::new(false),
            exchanges: Exchanges::new(),
            history: History::default(),
            sum: None,
            sum_refuted: AtomicBool::new(false),
        }
    }

    /// Takes note of an end: whether rewards have the sum that they are taken to have.
    pub(super) fn check_sum(&self, end: &Node) {
        let Some(sum) = self.sum else { return };
        let rewards = end.roles.iter().map(|stat| u32::from(stat.bounds.get().low));
        if rewards.sum::<u32>() != u32::from(sum) {
            self.sum_refuted.store(true, Ordering::Relaxed);
        }
    }

    /// The node that a link leads to, if it leads to one.
    pub(super) fn linked(&self, link: Link) -> Option<&Node> {
        (link.node() != NONE).then(|| self.node(link.node()))
    }

    /// A node that is there.
    pub(super) fn node(&self, id: NodeId) -> &Node {
        match self.get(id) {
            Some(node) => node,
            None => unreachable!("links lead to nodes that are there"),
        }
    }

    /// Has the memory of several nodes fetched at the same time, that is all: they are waited for together, not one after the
    /// other.
    pub(super) fn fetch(&self, nodes: &[NodeId]) {
        let all = || nodes.iter().copied().map(|id| self.node(id));
        all().for_each(Node::fetch_self);
        all().for_each(Node::fetch_statistics);
        all().for_each(Node::fetch_edges);
    }

    /// A node, if there is one of that number.
    pub(super) fn get(&self, id: NodeId) -> Option<&Node> {
        self.slot(id)?.get()
    }

    fn slot(&self, id: NodeId) -> Option<&OnceLock<Node>> {
        self.chunks.get(id as usize / CHUNK)?.get()?.get(id as usize % CHUNK)
    }

    /// The node of a state.
    pub(super) fn find(&self, key: Key) -> Option<NodeId> {
        let segment = self.segment(key);
        let mask = segment.slots.len() - 1;
        let wanted = Entry::new(key, NONE);
        for at in 0..segment.slots.len() {
            let slot = &segment.slots[(wanted.place() + at) & mask];
            let entry = Entry(slot.load(Ordering::Acquire));
            if entry.id() == NONE {
                return None;
            }
            if self.holds(entry, wanted, key) {
                return Some(entry.id());
            }
        }
        None
    }

    /// Whether the node of an entry is that of a key.
    fn holds(&self, entry: Entry, wanted: Entry, key: Key) -> bool {
        entry.is_like(wanted) && self.get(entry.id()).is_some_and(|node| node.key == key)
    }

    /// Adds a node, or finds that another thread was quicker. A node that is not `shared` has no place
    /// in the table. `thread` is the number of the thread that counts it.
    pub(super) fn insert(&self, node: Node, shared: bool, thread: usize) -> Option<NodeId> {
        let (key, bytes) = (node.key, node.bytes());
        let id = self.fresh(thread)?;
        let chunk = self.chunks.get(id as usize / CHUNK)?;
        let chunk = chunk.get_or_init(|| (0..CHUNK).map(|_| OnceLock::new()).collect());
        let _ = chunk[id as usize % CHUNK].set(node);
        self.took(bytes, thread);
        Some(if shared { self.publish(key, id, thread) } else { id })
    }

    /// A number for a node: one that is free again, or one of those put by for the thread.
    fn fresh(&self, thread: usize) -> Option<NodeId> {
        if self.counts.0.freed.load(Ordering::Relaxed) < self.free.len() {
            let at = self.counts.0.freed.fetch_add(1, Ordering::Relaxed);
            if let Some(id) = self.free.get(at) {
                return Some(*id);
            }
        }
        let own = &self.stripes[thread % STRIPES].0.ids;
        let taken = own.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |ids| {
            (ids >> 32 < ids & u64::from(u32::MAX)).then_some(ids + (1 << 32))
        });
        let id = taken.map_or_else(
            |_| {
                let first = self.counts.0.next.fetch_add(BLOCK, Ordering::Relaxed);
                own.store(u64::from(first + 1) << 32 | u64::from(first + BLOCK), Ordering::Relaxed);
                first
            },
            |ids| (ids >> 32) as NodeId,
        );
        ((id as usize) < CHUNK * CHUNKS).then_some(id)
    }

    fn publish(&self, key: Key, id: NodeId, thread: usize) -> NodeId {
        let segment = self.segment(key);
        let mask = segment.slots.len() - 1;
        let (none, entry) = (Entry::NONE, Entry::new(key, id));
        for at in 0..segment.slots.len() {
            let slot = &segment.slots[(entry.place() + at) & mask];
            match slot.compare_exchange(none.0, entry.0, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => {
                    self.fill(key, thread);
                    return id;
                }
                Err(other) if self.holds(Entry(other), entry, key) => return Entry(other).id(),
                Err(_) => {}
            }
        }
        // No place: the node is simply not shared.
        id
    }

    /// Counts a slot of the table. What others counted is only looked at now and then: they write to it.
    fn fill(&self, key: Key, thread: usize) {
        let at = key.0 as usize % SEGMENTS;
        let before = self.stripes[thread % STRIPES].0.used[at].fetch_add(1, Ordering::Relaxed);
        if before.is_multiple_of(LOOK) && self.segments[at].is_crowded(self.used(at)) {
            self.crowded.store(true, Ordering::Relaxed);
        }
    }

    /// How many slots of a part of the table are filled.
    fn used(&self, at: usize) -> usize {
        let counts = self.stripes.iter().map(|stripe| &stripe.0.used[at]);
        counts.map(|count| count.load(Ordering::Relaxed) as usize).sum()
    }

    fn segment(&self, key: Key) -> &Segment {
        &self.segments[key.0 as usize % SEGMENTS]
    }

    /// Counts memory that a node took.
    pub(super) fn took(&self, bytes: usize, thread: usize) {
        if bytes > 0 {
            self.stripes[thread % STRIPES].0.bytes.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    /// Whether the table has to grow before the search goes on.
    pub(super) fn is_crowded(&self) -> bool {
        self.crowded.load(Ordering::Relaxed)
    }

    /// The memory in use: nodes and table.
    pub(super) fn bytes(&self) -> usize {
        let taken = self.stripes.iter().map(|stripe| stripe.0.bytes.load(Ordering::Relaxed));
        taken.fold(self.table, usize::wrapping_add)
    }

    /// Nodes in use.
    pub(super) fn len(&self) -> usize {
        let given = self.counts.0.next.load(Ordering::Relaxed) as usize - 1;
        let waiting = self.free.len().saturating_sub(self.counts.0.freed.load(Ordering::Relaxed));
        let put_by = self.stripes.iter().map(|stripe| {
            let ids = stripe.0.ids.load(Ordering::Relaxed);
            (ids as u32).saturating_sub((ids >> 32) as u32) as usize
        });
        given.saturating_sub(waiting + put_by.sum::<usize>())
    }

    /// Numbers below this were given out.
    pub(super) fn end(&self) -> NodeId {
        self.counts.0.next.load(Ordering::Relaxed).min((CHUNK * CHUNKS) as u32)
    }

    /// Makes the crowded parts of the table larger, and with them those that will be crowded soon, as many as can be
    /// moved in a moment: all threads wait meanwhile, and each pause costs them more than the moving.
    pub(super) fn grow(&mut self) {
        let filling = |at: &usize| self.segments[*at].is_filling(self.used(*at));
        let mut fullest: Vec<usize> = (0..self.segments.len()).filter(filling).collect();
        let share = |at: &usize| self.used(*at) * SHARES / self.segments[*at].slots.len();
        fullest.sort_by_cached_key(|at| std::cmp::Reverse(share(at)));
        let mut moved = 0;
        for at in fullest {
            let used = self.used(at);
            if moved >= MOST_MOVED && !self.segments[at].is_crowded(used) {
                break;
            }
            moved += used;
            let size = self.segments[at].slots.len() * 2;
            self.rebuild(at, size, |_| true);
        }
        self.crowded.store(false, Ordering::Relaxed);
    }

    /// Makes a part of the table anew, with the nodes that are kept.
    pub(super) fn rebuild(&mut self, at: usize, size: usize, keep: impl Fn(NodeId) -> bool) {
        let old = std::mem::replace(&mut self.segments[at], Segment::new(size));
        self.table = self.table - size_of_val(&*old.slots) + size * size_of::<AtomicU64>();
        let slots = &mut self.segments[at].slots;
        let mut used = 0;
        for slot in old.slots {
            let entry = Entry(slot.into_inner());
            if entry.id() == NONE || !keep(entry.id()) {
                continue;
            }
            let places = (0..size).map(|at| (entry.place() + at) & (size - 1));
            let free = places.into_iter().find(|at| *slots[*at].get_mut() == Entry::NONE.0);
            if let Some(free) = free {
                *slots[free].get_mut() = entry.0;
                used += 1;
            }
        }
        for (number, stripe) in self.stripes.iter_mut().enumerate() {
            *stripe.0.used[at].get_mut() = if number == 0 { used } else { 0 };
        }
    }

    /// How many parts the table has, and the size of one.
    pub(super) fn segment_sizes(&self) -> Vec<usize> {
        self.segments.iter().map(|segment| segment.slots.len()).collect()
    }

    /// Drops a node to which no link leads.
    pub(super) fn remove(&mut self, id: NodeId) {
        let chunk = self.chunks.get_mut(id as usize / CHUNK).and_then(OnceLock::get_mut);
        let slot = chunk.and_then(|chunk| chunk.get_mut(id as usize % CHUNK));
        if let Some(node) = slot.and_then(OnceLock::take) {
            let bytes = self.stripes[0].0.bytes.get_mut();
            *bytes = bytes.wrapping_sub(node.bytes());
            self.free.push(id);
        }
    }

    /// The numbers that were given out again leave the list.
    pub(super) fn settle_free(&mut self) {
        let used = (*self.counts.0.freed.get_mut()).min(self.free.len());
        self.free.drain(..used);
        *self.counts.0.freed.get_mut() = 0;
    }
}
