//! The nodes of the graph. Everything that changes is atomic, so that threads share nodes without locks;
//! a lost update of a statistic is harmless, and bounds only ever get tighter.

use std::hint::black_box;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

use game::{Move, State};
use smallvec::SmallVec;

use crate::hash::Key;
use crate::rewards::Turn;

use super::edges::Edges;
use super::exchange::Link;

/// A node by its number; 0 is none.
pub(super) type NodeId = u32;
pub(super) const NONE: NodeId = 0;

/// Sums of values are kept in this part of a point, so that they are whole numbers.
const UNIT: f64 = 1024.0;

/// A statistic. Threads that add to it at the same moment may lose an update, which is harmless; an atomic addition would
/// make each of them wait until it has the line of the cache for itself.
pub(super) trait Count {
    /// The plain number.
    type Number;
    /// Adds and tells the sum.
    fn add(&self, more: Self::Number) -> Self::Number;
}

impl Count for AtomicU32 {
    type Number = u32;

    fn add(&self, more: u32) -> u32 {
        let sum = self.load(Relaxed).wrapping_add(more);
        self.store(sum, Relaxed);
        sum
    }
}

impl Count for AtomicU64 {
    type Number = u64;

    fn add(&self, more: u64) -> u64 {
        let sum = self.load(Relaxed).wrapping_add(more);
        self.store(sum, Relaxed);
        sum
    }
}

/// A value from 0 to 100 as a whole number of units.
pub(super) fn fixed(value: f64) -> u64 {
    units(value.clamp(0.0, 100.0))
}

#[expect(clippy::cast_sign_loss, reason = "values are not negative, and casts saturate")]
fn units(value: f64) -> u64 {
    (value * UNIT) as u64
}

/// What is proven about a value: between these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) low: u8,
    pub(super) high: u8,
}

impl Bounds {
    pub(super) fn exact(value: u8) -> Self {
        Self { low: value, high: value }
    }

    pub(super) fn is_exact(self) -> bool {
        self.low >= self.high
    }

    /// Whether something else is proven to be at least as good, given what is sure.
    pub(super) fn is_beaten(self, sure: u8) -> bool {
        self.high <= sure && (self.high < sure || self.low < sure)
    }

    /// What to expect where nothing but these is known.
    pub(super) fn middle(self) -> f64 {
        f64::midpoint(f64::from(self.low), f64::from(self.high))
    }

    pub(super) fn clamp(self, value: f64) -> f64 {
        value.max(f64::from(self.low)).min(f64::from(self.high))
    }
}

/// Bounds that threads make tighter.
#[derive(Debug)]
pub(super) struct SharedBounds(AtomicU16);

impl SharedBounds {
    pub(super) fn new(bounds: Bounds) -> Self {
        Self(AtomicU16::new(pack(bounds)))
    }

    pub(super) fn get(&self) -> Bounds {
        unpack(self.0.load(Relaxed))
    }

    /// Takes over what is tighter; whether that was anything. Bounds that contradict what is proven
    /// (rules that break their own class can do that) do not cross.
    pub(super) fn tighten(&self, by: Bounds) -> bool {
        let tighter = |old: u16| {
            let old = unpack(old);
            let low = old.low.max(by.low.min(old.high));
            let high = old.high.min(by.high.max(low));
            let new = pack(Bounds { low, high });
            (new != pack(old)).then_some(new)
        };
        self.0.fetch_update(Relaxed, Relaxed, tighter).is_ok()
    }
}

fn pack(bounds: Bounds) -> u16 {
    u16::from(bounds.low) << 8 | u16::from(bounds.high)
}

fn unpack(packed: u16) -> Bounds {
    let [low, high] = packed.to_be_bytes();
    Bounds { low, high }
}

/// A small number with a point, shared between threads.
#[derive(Debug)]
pub(super) struct SharedF32(AtomicU32);

impl SharedF32 {
    pub(super) fn new(value: f32) -> Self {
        Self(AtomicU32::new(value.to_bits()))
    }

    pub(super) fn get(&self) -> f64 {
        f64::from(self.plain())
    }

    /// As it is kept.
    pub(super) fn plain(&self) -> f32 {
        f32::from_bits(self.0.load(Relaxed))
    }

    pub(super) fn set(&self, value: f64) {
        self.0.store((value as f32).to_bits(), Relaxed);
    }

    pub(super) fn add(&self, value: f64) {
        self.set(self.get() + value);
    }
}

/// What a node knows about a role.
#[derive(Debug)]
pub(super) struct RoleStat {
    pub(super) sum: AtomicU64,
    /// The visits of the node; only those of the first role are counted. Here and not in the node, which threads read
    /// all the time and which nobody writes to otherwise.
    visits: AtomicU32,
    pub(super) bounds: SharedBounds,
    /// The implicit minimax value, at first the evaluation; not a number without an evaluator.
    pub(super) implicit: SharedF32,
    /// The mean, drawn towards the value of the favourite move; not a number where nobody asks for that.
    pub(super) value: SharedF32,
    /// Its moves among those of the node.
    pub(super) first: u32,
    pub(super) count: u32,
}

/// The children of a node where several roles have a choice, by the number of the joint move.
#[derive(Debug)]
pub(super) enum Children {
    /// One place for each.
    Dense(Box<[AtomicU32]>),
    /// Only some of them: joint moves are too many.
    Sparse(Box<[AtomicU64]>),
}

/// At most that many joint moves have a place each.
pub(super) const MOST_DENSE: usize = 4096;
const SPARSE: usize = 1024;

impl Children {
    fn new(joints: usize) -> Self {
        if joints <= MOST_DENSE {
            Self::Dense((0..joints).map(|_| AtomicU32::new(NONE)).collect())
        } else {
            Self::Sparse((0..SPARSE).map(|_| AtomicU64::new(0)).collect())
        }
    }

    pub(super) fn get(&self, joint: usize) -> Link {
        Link(match self {
            Self::Dense(places) => places[joint].load(Relaxed),
            Self::Sparse(places) => {
                let entry = places[joint % SPARSE].load(Relaxed);
                if (entry >> 32) as u32 == joint as u32 { entry as u32 } else { NONE }
            }
        })
    }

    pub(super) fn set(&self, joint: usize, child: Link) {
        match self {
            Self::Dense(places) => places[joint].store(child.0, Relaxed),
            Self::Sparse(places) => {
                let entry = (joint as u64) << 32 | u64::from(child.0);
                places[joint % SPARSE].store(entry, Relaxed);
            }
        }
    }

    /// Drops the links to nodes that are not kept.
    pub(super) fn retain(&self, keep: impl Fn(NodeId) -> bool) {
        match self {
            Self::Dense(places) => {
                for place in places.iter().filter(|place| !keep(Link(place.load(Relaxed)).node())) {
                    place.store(NONE, Relaxed);
                }
            }
            Self::Sparse(places) => {
                let node = |place: &AtomicU64| Link(place.load(Relaxed) as u32).node();
                for place in places.iter().filter(|place| !keep(node(place))) {
                    place.store(0, Relaxed);
                }
            }
        }
    }

    /// All children, those that are none too.
    pub(super) fn all(&self) -> Vec<Link> {
        match self {
            Self::Dense(places) => places.iter().map(|place| Link(place.load(Relaxed))).collect(),
            Self::Sparse(places) => places.iter().map(|p| Link(p.load(Relaxed) as u32)).collect(),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Dense(places) => size_of_val(&**places),
            Self::Sparse(places) => size_of_val(&**places),
        }
    }
}

/// Regret and average strategy of a move.
#[derive(Debug)]
pub(super) struct Regret {
    pub(super) regret: SharedF32,
    pub(super) average: SharedF32,
}

/// A count of AMAF.
#[derive(Debug, Default)]
pub(super) struct Cell {
    pub(super) visits: AtomicU32,
    pub(super) sum: AtomicU64,
}

impl Cell {
    pub(super) fn add(&self, value: u64) {
        self.visits.add(1);
        self.sum.add(value);
    }

    /// Visits and mean from 0 to 1.
    pub(super) fn read(&self) -> (f64, f64) {
        let visits = f64::from(self.visits.load(Relaxed));
        (visits, self.sum.load(Relaxed) as f64 / UNIT / 100.0 / visits.max(1.0))
    }
}

/// What a node has from its second visit on.
#[derive(Debug)]
pub(super) struct Expansion {
    pub(super) edges: Edges,
    /// The place of the move that was tried most often.
    pub(super) favourite: AtomicU32,
    /// Whether the successors were evaluated, or are about to be.
    pub(super) judged: AtomicBool,
    pub(super) children: Option<Children>,
    pub(super) regrets: OnceLock<Box<[Regret]>>,
    pub(super) amaf: OnceLock<Box<[Cell]>>,
}

/// A state with all that is known about it.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Node {
    // What each visit looks at comes first, and lies together.
    expansion: OnceLock<Box<Expansion>>,
    pub(super) turn: Turn,
    pub(super) roles: Roles,
    /// The moves of all roles, one role after the other; empty at an end.
    pub(super) moves: Box<[Move]>,
    pub(super) state: State,
    pub(super) key: Key,
}

/// What a node knows about its roles, within the node where there are not more than usual.
type Roles = SmallVec<[RoleStat; 2]>;

impl Node {
    /// A node; `moves` are those of each role, `bounds` what is known about the value of each.
    pub(super) fn new(
        key: Key,
        state: State,
        turn: Turn,
        moves: &[Vec<Move>],
        bounds: impl Iterator<Item = Bounds>,
    ) -> Self {
        let mut first = 0;
        let open = turn != Turn::End;
        let roles = bounds.zip(moves).map(|(bounds, own)| {
            let count = if open { own.len() as u32 } else { 0 };
            first += count;
            let (sum, bounds) = (AtomicU64::new(0), SharedBounds::new(bounds));
            let implicit = SharedF32::new(f32::NAN);
            let value = SharedF32::new(f32::NAN);
            let visits = AtomicU32::new(0);
            RoleStat { sum, visits, bounds, implicit, value, first: first - count, count }
        });
        let roles: Roles = roles.collect();
        let moves = if open { moves.concat().into() } else { Box::default() };
        Self { key, state, turn, roles, moves, expansion: OnceLock::new() }
    }

    /// Has its own memory fetched.
    pub(super) fn fetch_self(&self) {
        black_box(self.moves.len());
    }

    /// Has the memory fetched that its own leads to.
    pub(super) fn fetch_statistics(&self) {
        black_box(self.visits());
        black_box(self.moves.first().copied());
        black_box(self.expansion().map(|expansion| expansion.edges.is_widening()));
    }

    /// Has the memory of its edges fetched, as far as one thing leads to the next.
    pub(super) fn fetch_edges(&self) {
        let edges = self.expansion().map(|expansion| &expansion.edges);
        black_box(
            edges.and_then(|edges| edges.iter().next()).map(|edge| edge.visits.load(Relaxed)),
        );
    }

    /// How often values came to it.
    pub(super) fn visits(&self) -> u32 {
        self.roles.first().map_or(0, |first| first.visits.load(Relaxed))
    }

    /// Counts a visit.
    pub(super) fn visit(&self) {
        if let Some(first) = self.roles.first() {
            first.visits.add(1);
        }
    }

    /// Counts several visits, none of which may be lost.
    pub(super) fn visit_times(&self, times: u32) {
        if let Some(first) = self.roles.first() {
            first.visits.fetch_add(times, Relaxed);
        }
    }

    /// The role that has a choice, if it is only one; the first one where nobody has.
    pub(super) fn mover(&self) -> Option<usize> {
        match self.turn {
            Turn::Of(role) => Some(role.index()),
            Turn::Nobody => Some(0),
            Turn::End | Turn::Several => None,
        }
    }

    /// Whether nothing is left to find out: the values of all roles are proven.
    pub(super) fn is_settled(&self) -> bool {
        self.roles.iter().all(|role| role.bounds.get().is_exact())
    }

    /// The mean value of a role, within what is proven.
    pub(super) fn mean(&self, role: usize) -> f64 {
        let stat = &self.roles[role];
        let bounds = stat.bounds.get();
        match self.visits() {
            0 => bounds.middle(),
            visits => bounds.clamp(stat.sum.load(Relaxed) as f64 / UNIT / f64::from(visits)),
        }
    }

    /// The value of a role, within what is proven: the mean, drawn towards the value of the favourite move where that is asked for.
    pub(super) fn value(&self, role: usize) -> f64 {
        let value = self.roles[role].value.get();
        if value.is_nan() { self.mean(role) } else { self.roles[role].bounds.get().clamp(value) }
    }

    /// The places of the moves of a role.
    pub(super) fn range(&self, role: usize) -> std::ops::Range<usize> {
        let stat = &self.roles[role];
        stat.first as usize..(stat.first + stat.count) as usize
    }

    /// How many joint moves there are.
    pub(super) fn joint_count(&self) -> usize {
        self.roles.iter().map(|role| role.count as usize).fold(1, usize::saturating_mul)
    }

    pub(super) fn expansion(&self) -> Option<&Expansion> {
        self.expansion.get().map(|expansion| &**expansion)
    }

    /// The expansion, made now if it is not there; with the bytes that this took. If it is `widening`, moves get edges when they are tried.
    pub(super) fn expand(&self, bounds: &[Bounds], widening: bool) -> (&Expansion, usize) {
        let mut made = 0;
        let expansion = self.expansion.get_or_init(|| {
            let alone = self.mover().filter(|_| widening);
            let edges = alone.and_then(|role| Edges::none(self.range(role), bounds[role]));
            let edges = edges.unwrap_or_else(|| {
                let owner = self.roles.iter().enumerate();
                let owner = owner.flat_map(|(role, stat)| (0..stat.count).map(move |_| role));
                Edges::all(owner.map(|role| bounds[role]))
            });
            let several = self.turn == Turn::Several;
            let children = several.then(|| Children::new(self.joint_count()));
            let (regrets, amaf) = (OnceLock::new(), OnceLock::new());
            let judged = AtomicBool::new(false);
            let favourite = AtomicU32::new(0);
            let expansion =
                Box::new(Expansion { edges, favourite, judged, children, regrets, amaf });
            made = expansion.bytes();
            expansion
        });
        (expansion, made)
    }

    /// The memory that it takes.
    pub(super) fn bytes(&self) -> usize {
        let roles = if self.roles.spilled() { size_of_val(&*self.roles) + ALLOCATION } else { 0 };
        let own = size_of::<OnceLock<Self>>() + roles + size_of_val(&*self.moves);
        let expansion = self.expansion().map_or(0, Expansion::bytes);
        own + size_of_val(self.state.words()) + 2 * ALLOCATION + expansion
    }
}

/// What the allocator adds to a piece of memory, about.
pub(super) const ALLOCATION: usize = 16;

impl Expansion {
    fn bytes(&self) -> usize {
        let amaf = self.amaf.get().map_or(0, |cells| size_of_val(&**cells) + ALLOCATION);
        let regrets = self.regrets.get().map_or(0, |regrets| size_of_val(&**regrets) + ALLOCATION);
        let children = self.children.as_ref().map_or(0, |c| c.bytes() + ALLOCATION);
        size_of::<Self>() + self.edges.bytes() + ALLOCATION + amaf + regrets + children
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_only_get_tighter_and_never_cross() {
        let shared = SharedBounds::new(Bounds { low: 0, high: 100 });
        assert!(shared.tighten(Bounds { low: 20, high: 100 }));
        assert!(!shared.tighten(Bounds { low: 10, high: 100 }));
        assert!(shared.tighten(Bounds { low: 0, high: 60 }));
        assert_eq!(shared.get(), Bounds { low: 20, high: 60 });
        assert!(shared.tighten(Bounds { low: 70, high: 80 }));
        assert!(shared.get().is_exact());
    }

    #[test]
    fn a_lossy_table_of_children_never_confuses_joint_moves() {
        let children = Children::new(1_000_000);
        children.set(5, Link(7));
        assert_eq!((children.get(5), children.get(5 + SPARSE)), (Link(7), Link(NONE)));
        children.set(5 + SPARSE, Link(8));
        assert_eq!((children.get(5), children.get(5 + SPARSE)), (Link(NONE), Link(8)));
    }
}
