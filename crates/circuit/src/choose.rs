//! A uniformly random legal move in each position, for all positions at once.
//!
//! Moves are taken in groups of eight. The legal ones of each group are counted, the counts are added up
//! a binary tree, each as a few planes of bits. A random number below the total is drawn by rejection: a
//! number with as many bits as the total needs, rejected where it is too large, so no move is favoured.
//! Then the number goes down the tree: left if it is smaller than the left count, else the left count is
//! subtracted and it goes right. At the bottom the legal moves of each position's own group are brought
//! together, so that the last choice among eight is made once, not once for each group. Where there are many moves,
//! the leaves of the tree are clusters of four groups: most of the time would be spent on the lowest levels otherwise.
//!
//! Drawing again until every position has a number would take nine rounds for 512 positions, most of them
//! for a handful. After some rounds the positions still without a number wait instead; which move they
//! will choose does not depend on that.
#![expect(clippy::inline_always, reason = "kernels compiled for several kinds of registers")]

use std::sync::Arc;

use crate::plane::{
    LANES, Memory, NONE, Plane, RandomBlock, RandomPlanes, WORDS, and, and_not, any, get, lanes_of,
    or, set,
};
use crate::scatter::{Scatter, numbers};
use crate::vector::Vector;

/// Positions in which nothing was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unchosen {
    /// There is no legal move.
    pub stuck: Plane,
    /// No number was found in this step.
    pub waiting: Plane,
}

/// The moves of a group.
const GROUP: usize = 8;
/// The bits of a group's count.
const GROUP_BITS: usize = 4;
/// The groups of a cluster, where there are many moves.
const CLUSTER: usize = 4;
/// The most bits of the count of a cluster.
const CLUSTER_BITS: usize = 6;
/// So many groups are many.
const MANY_GROUPS: usize = 6;
/// The most bits of a total: more moves than any circuit may have.
const MOST_BITS: usize = 32;
/// The bits of a total below 256. Room for more would have to be cleared again and again.
const FEW_BITS: usize = 8;

/// The count of a node of the tree: where it is, and its bits.
#[derive(Clone, Copy, Debug)]
struct Count {
    place: usize,
    bits: usize,
}

/// Eight moves: where to read whether each is legal, and where to write which positions chose it.
#[derive(Clone, Copy, Debug)]
struct Group {
    legal: [u32; GROUP],
    chosen: [u32; GROUP],
}

/// The choice among some moves of a role.
#[derive(Clone, Debug)]
pub struct Chooser {
    groups: Vec<Group>,
    /// How many groups make a leaf of the tree: 1, or [`CLUSTER`].
    cluster: usize,
    /// The places of all moves.
    chosen: Vec<u32>,
    /// The counts of each level, those of the clusters first.
    levels: Vec<Vec<Count>>,
    counts: Vec<Plane>,
    masks: Vec<Vec<Plane>>,
    /// For each node of each level whether no move below it is legal in any position of the block.
    empty: Vec<Vec<bool>>,
    /// For each level but the highest where positions go to the right child.
    path: Vec<Plane>,
    /// Where moves are not written to planes of their own, but into sets.
    scatter: Option<Arc<Scatter>>,
    /// The move of each position in its last choice, if moves are written into sets.
    made: Vec<u16>,
    /// Places for moves that do not exist.
    spare: (u32, u32),
    /// Above all places of the moves.
    places: usize,
    /// How often numbers are drawn. A round serves at least half of the positions that are left.
    rounds: usize,
}

impl Chooser {
    /// A choice among moves: for each the place of its legality and the place for the choice. `spare`
    /// are such places for moves that do not exist: nothing holds at the first, nobody reads the second.
    pub fn new(moves: &[(u32, u32)], spare: (u32, u32)) -> Self {
        let group = |moves: &[(u32, u32)]| {
            let at = |i: usize| moves.get(i).copied().unwrap_or(spare);
            Group {
                legal: std::array::from_fn(|i| at(i).0),
                chosen: std::array::from_fn(|i| at(i).1),
            }
        };
        let mut grouped: Vec<Group> = moves.chunks(GROUP).map(group).collect();
        let groups = grouped.len();
        let cluster = if groups < MANY_GROUPS { 1 } else { CLUSTER };
        grouped.resize(groups.next_multiple_of(cluster), group(&[]));
        let clusters = grouped.len() / cluster;
        let leaf_bits = if cluster == 1 { GROUP_BITS } else { CLUSTER_BITS };
        let mut places = 0;
        let mut node = |bits: usize| {
            places += bits;
            Count { place: places - bits, bits }
        };
        let mut levels: Vec<Vec<Count>> = vec![(0..clusters).map(|_| node(leaf_bits)).collect()];
        while let Some(below) = levels.last().filter(|level| level.len() > 1) {
            let level = below.chunks(2).map(|pair| match *pair {
                [left, right] => node(left.bits.max(right.bits) + 1),
                [single] => single,
                _ => node(1),
            });
            let level: Vec<Count> = level.collect();
            levels.push(level);
        }
        let masks = levels.iter().map(|level| vec![NONE; level.len()]).collect();
        let empty = levels.iter().map(|level| vec![false; level.len()]).collect();
        Self {
            groups: grouped,
            cluster,
            chosen: moves.iter().map(|(_, chosen)| *chosen).collect(),
            counts: vec![NONE; places],
            path: vec![NONE; levels.len() - 1],
            levels,
            scatter: None,
            made: Vec::new(),
            masks,
            empty,
            spare,
            places: moves
                .iter()
                .chain([&spare])
                .map(|(a, b)| *a.max(b) as usize + 1)
                .max()
                .unwrap_or(0),
            rounds: if groups > 2 { 3 } else { 2 },
        }
    }

    /// From now on moves are written into sets, not to planes of their own.
    pub(crate) fn scatter(&mut self, scatter: Scatter) {
        self.places = self.places.max(scatter.places());
        self.scatter = Some(Arc::new(scatter));
        self.made = vec![0; LANES];
    }

    /// Whether moves are written into sets.
    #[cfg(test)]
    pub(crate) fn is_scattered(&self) -> bool {
        self.scatter.is_some()
    }

    /// Writes moves as another chooser does.
    pub(crate) fn write_like(&mut self, other: &Chooser) {
        self.scatter.clone_from(&other.scatter);
        self.made.clone_from(&other.made);
        self.places = self.places.max(other.places);
    }

    /// The place of the move that was chosen in a position, if one was.
    pub(crate) fn made(&self, lane: usize, memory: &[Plane]) -> Option<u32> {
        if self.scatter.is_some() {
            return self.chosen.get(usize::from(self.made[lane])).copied();
        }
        self.chosen.iter().copied().find(|place| get(&memory[*place as usize], lane))
    }

    /// Calls `visit` with the place of each move that was chosen in some of the positions given, and with these.
    pub(crate) fn each_made(
        &self,
        moving: &Plane,
        memory: &[Plane],
        mut visit: impl FnMut(u32, &Plane),
    ) {
        if self.scatter.is_none() {
            for place in &self.chosen {
                let made = and(&memory[*place as usize], moving);
                if any(&made) {
                    visit(*place, &made);
                }
            }
            return;
        }
        let mut all: Vec<(u16, u16)> =
            lanes_of(moving).map(|lane| (self.made[lane], lane as u16)).collect();
        all.sort_unstable();
        for own in all.chunk_by(|a, b| a.0 == b.0) {
            let mut made = NONE;
            for (_, lane) in own {
                set(&mut made, usize::from(*lane), true);
            }
            if let Some(place) = self.chosen.get(usize::from(own[0].0)) {
                visit(*place, &made);
            }
        }
    }

    /// The places of the moves that can be chosen.
    pub fn chosen(&self) -> &[u32] {
        &self.chosen
    }

    /// The places that were given for moves that do not exist.
    pub(crate) fn spare(&self) -> (u32, u32) {
        self.spare
    }

    /// For each move the place of its legality and the place for the choice.
    pub(crate) fn moves(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let places = self.groups.iter().flat_map(|group| group.legal);
        places.zip(self.chosen.iter().copied())
    }

    /// Chooses in the positions that are active; returns those of them in which nothing is chosen.
    #[inline(always)]
    #[expect(unsafe_code, reason = "checked accesses take a third more time")]
    pub fn choose<V: Vector>(
        &mut self,
        memory: &mut [Plane],
        active: &Plane,
        random: &mut RandomPlanes,
    ) -> Unchosen {
        // SAFETY: `places` is above all places of `legal` and `chosen`, which never change.
        let mut memory = unsafe { Memory::new(memory, self.places) };
        let memory = &mut memory;
        if let ([chosen], [group]) = (&self.chosen[..], &self.groups[..]) {
            let legal = *memory.at(group.legal[0]);
            *memory.at_mut(*chosen) = and(&legal, active);
            let stuck = and_not(active, &legal);
            return Unchosen { stuck, waiting: NONE };
        }
        if self.groups.is_empty() {
            return Unchosen { stuck: *active, waiting: NONE };
        }
        if self.cluster == 1 {
            self.choose_by::<V, 1>(memory, active, random)
        } else {
            self.choose_by::<V, CLUSTER>(memory, active, random)
        }
    }

    /// Chooses with clusters of `K` groups.
    #[inline(always)]
    fn choose_by<V: Vector, const K: usize>(
        &mut self,
        memory: &mut Memory<'_>,
        active: &Plane,
        random: &mut RandomPlanes,
    ) -> Unchosen {
        let mut unchosen = Unchosen { stuck: NONE, waiting: NONE };
        self.count_leaves::<V, K>(memory);
        let mut own = Own { group: [NONE; K], of_group: [NONE; GROUP] };
        for block in 0..WORDS / V::SIZE {
            let active = V::load(active, block);
            // No closure: it would be compiled apart, without the registers that the kernel is compiled for.
            let mut own_random = random.open::<V>(block);
            let (some, open, number) = if self.levels[self.levels.len() - 1][0].bits <= FEW_BITS {
                self.find_leaf::<V, FEW_BITS>(block, active, &mut own_random)
            } else {
                self.find_leaf::<V, MOST_BITS>(block, active, &mut own_random)
            };
            random.close(block, &own_random);
            self.pick::<V, K>(memory, block, number, &mut own);
            active.and_not(some).store(&mut unchosen.stuck, block);
            active.and(some).and(open).store(&mut unchosen.waiting, block);
        }
        if let Some(scatter) = self.scatter.clone() {
            self.index::<K>(&own);
            let top = self.masks.len() - 1;
            scatter.write(memory, &self.masks[top][0], &self.made);
        } else {
            self.write::<V, K>(memory, &own);
        }
        unchosen
    }

    /// Draws a number in each position and finds the cluster that it falls into. Returns where there is a
    /// legal move, where no number was found, and the number within the cluster.
    #[inline(always)]
    fn find_leaf<V: Vector, const BITS: usize>(
        &mut self,
        block: usize,
        active: V,
        random: &mut RandomBlock<V>,
    ) -> (V, V, [V; CLUSTER_BITS - 1]) {
        self.count_tree::<V>(block);
        let top = self.levels.len() - 1;
        let Count { place, bits } = self.levels[top][0];
        let mut number = [V::zero(); BITS];
        let total = &self.counts[place..place + bits];
        let (some, open) = draw(total, block, self.rounds, &mut number, random);
        let go = active.and(some).and_not(open);
        go.store(&mut self.masks[top][0], block);
        for level in (1..=top).rev() {
            self.descend(level, block, &mut number);
        }
        (some, open, [number[0], number[1], number[2], number[3], number[4]])
    }

    /// Counts the legal moves of each cluster.
    #[inline(always)]
    fn count_leaves<V: Vector, const K: usize>(&mut self, memory: &Memory<'_>) {
        let bits = if K == 1 { GROUP_BITS } else { CLUSTER_BITS };
        let counts = self.counts.chunks_exact_mut(bits);
        let clusters = self.groups.as_chunks::<K>().0.iter().zip(&mut self.empty[0]);
        for ((cluster, is_empty), counts) in clusters.zip(counts) {
            *is_empty = true;
            for block in 0..WORDS / V::SIZE {
                let mut sum = [V::zero(); CLUSTER_BITS];
                for (at, group) in cluster.iter().enumerate() {
                    let mut legal = [V::zero(); GROUP];
                    for (vector, place) in legal.iter_mut().zip(&group.legal) {
                        *vector = V::load(memory.at(*place), block);
                    }
                    let own = count_eight(legal);
                    if at == 0 {
                        sum[..GROUP_BITS].copy_from_slice(&own);
                    } else {
                        sum = plus(sum, own);
                    }
                }
                let all = sum.iter().fold(V::zero(), |all, bit| all.or(*bit));
                *is_empty &= all.is_zero();
                for (bit, plane) in sum.into_iter().zip(&mut *counts) {
                    bit.store(plane, block);
                }
            }
        }
    }

    /// Adds the counts up the tree.
    #[inline(always)]
    fn count_tree<V: Vector>(&mut self, block: usize) {
        for level in 1..self.levels.len() {
            for node in 0..self.levels[level].len() {
                let Some(&right) = self.levels[level - 1].get(2 * node + 1) else {
                    self.empty[level][node] = self.empty[level - 1][2 * node];
                    continue;
                };
                let left = self.levels[level - 1][2 * node];
                let to = self.levels[level][node];
                let below = &self.empty[level - 1];
                let is_empty = below[2 * node] && below[2 * node + 1];
                self.empty[level][node] = is_empty;
                if is_empty {
                    let planes = &mut self.counts[to.place..to.place + to.bits];
                    for plane in planes {
                        V::zero().store(plane, block);
                    }
                    continue;
                }
                let mut carry = V::zero();
                // The right child is never wider than the left one.
                for bit in 0..left.bits {
                    let a = V::load(&self.counts[left.place + bit], block);
                    let (sum, next) = if bit < right.bits {
                        a.full_add(V::load(&self.counts[right.place + bit], block), carry)
                    } else {
                        a.half_add(carry)
                    };
                    sum.store(&mut self.counts[to.place + bit], block);
                    carry = next;
                }
                carry.store(&mut self.counts[to.place + left.bits], block);
            }
        }
    }

    /// Moves every position's number from a level to the one below.
    #[inline(always)]
    fn descend<V: Vector, const BITS: usize>(
        &mut self,
        level: usize,
        block: usize,
        number: &mut [V; BITS],
    ) {
        let below = &self.levels[level - 1];
        let mut left = [V::zero(); BITS];
        for (node, mask) in self.masks[level].iter().enumerate() {
            if self.empty[level - 1][2 * node] {
                continue;
            }
            let mask = V::load(mask, block);
            let count = below[2 * node];
            let planes = &self.counts[count.place..count.place + count.bits];
            for (sum, plane) in left.iter_mut().zip(planes) {
                *sum = sum.or(mask.and(V::load(plane, block)));
            }
        }
        // number - left, with the borrow telling that number < left.
        let bits = self.levels[level][0].bits;
        let mut borrow = V::zero();
        let mut difference = [V::zero(); BITS];
        for ((number, left), difference) in number.iter().zip(&left).zip(&mut difference).take(bits)
        {
            let half = number.xor(*left);
            *difference = half.xor(borrow);
            borrow = left.and_not(*number).or(borrow.and_not(half));
        }
        V::ones().and_not(borrow).store(&mut self.path[level - 1], block);
        // What is left is below the larger count of the children, so the highest bit is 0.
        for (number, difference) in number.iter_mut().zip(&difference).take(bits) {
            *number = borrow.select(*number, *difference);
        }
        let (lower, upper) = self.masks.split_at_mut(level);
        let lower = &mut lower[level - 1];
        for (node, mask) in upper[0].iter().enumerate() {
            if self.empty[level][node] {
                continue;
            }
            let mask = V::load(mask, block);
            if 2 * node + 1 < below.len() {
                mask.and(borrow).store(&mut lower[2 * node], block);
                mask.and_not(borrow).store(&mut lower[2 * node + 1], block);
            } else {
                mask.store(&mut lower[2 * node], block);
            }
        }
    }

    /// Brings the legal moves of each position's cluster together and takes the one with the number.
    #[inline(always)]
    fn pick<V: Vector, const K: usize>(
        &self,
        memory: &Memory<'_>,
        block: usize,
        mut number: [V; CLUSTER_BITS - 1],
        own: &mut Own<K>,
    ) {
        let mut of_group = [V::zero(); GROUP];
        let mut open = V::ones();
        for (at, chosen) in own.group.iter_mut().enumerate() {
            let legal = self.gather::<V, K>(memory, block, at);
            if K == 1 {
                of_group = legal;
                continue;
            }
            // The number is in this group if it is below its count, else the count is subtracted.
            let (less, rest) = minus(number, count_eight(legal));
            let here = open.and(less);
            here.store(chosen, block);
            open = open.and_not(less);
            for (number, rest) in number.iter_mut().zip(rest) {
                *number = open.select(rest, *number);
            }
            for (sum, legal) in of_group.iter_mut().zip(legal) {
                *sum = sum.or(here.and(legal));
            }
        }
        // The number counts down at each legal move; where it is 0 before, the move is taken. Going on
        // below 0 it starts from 7, which is more than the moves that are left.
        let [mut n0, mut n1, mut n2, ..] = number;
        for (legal, plane) in of_group.into_iter().zip(&mut own.of_group) {
            legal.and_not(n0.or(n1).or(n2)).store(plane, block);
            let mut borrow = legal;
            for bit in [&mut n0, &mut n1, &mut n2] {
                let before = *bit;
                *bit = before.xor(borrow);
                borrow = borrow.and_not(before);
            }
        }
    }

    /// The legal moves of one group of each position's cluster.
    #[inline(always)]
    fn gather<V: Vector, const K: usize>(
        &self,
        memory: &Memory<'_>,
        block: usize,
        at: usize,
    ) -> [V; GROUP] {
        let mut own = [V::zero(); GROUP];
        let masks = self.masks[0].iter().zip(&self.empty[0]);
        for (group, (mask, is_empty)) in self.groups[at..].iter().step_by(K).zip(masks) {
            if *is_empty {
                continue;
            }
            let mask = V::load(mask, block);
            for (sum, place) in own.iter_mut().zip(&group.legal) {
                *sum = sum.or(mask.and(V::load(memory.at(*place), block)));
            }
        }
        own
    }

    /// The numbers of the moves taken, position by position.
    fn index<const K: usize>(&mut self, own: &Own<K>) {
        let mut bits = [NONE; 16];
        let mut used = 0;
        let mut push = |plane: Plane| {
            bits[used % 16] = plane;
            used += 1;
        };
        let with = |planes: &[Plane], bit: usize| {
            let set = planes.iter().enumerate().filter(|(at, _)| at >> bit & 1 == 1);
            set.fold(NONE, |all, (_, plane)| or(&all, plane))
        };
        (0..3).for_each(|bit| push(with(&own.of_group, bit)));
        if K > 1 {
            (0..2).for_each(|bit| push(with(&own.group, bit)));
        }
        self.path.iter().for_each(|plane| push(*plane));
        numbers(&bits, &mut self.made);
    }

    /// Writes the moves taken to their places.
    #[inline(always)]
    fn write<V: Vector, const K: usize>(&mut self, memory: &mut Memory<'_>, own: &Own<K>) {
        let masks = self.masks[0].iter().zip(&self.empty[0]);
        for (cluster, (mask, is_empty)) in self.groups.as_chunks::<K>().0.iter().zip(masks) {
            if *is_empty {
                for place in cluster.iter().flat_map(|group| &group.chosen) {
                    *memory.at_mut(*place) = NONE;
                }
                continue;
            }
            for block in 0..WORDS / V::SIZE {
                let mask = V::load(mask, block);
                for (group, here) in cluster.iter().zip(&own.group) {
                    let mask = if K == 1 { mask } else { mask.and(V::load(here, block)) };
                    for (own, place) in own.of_group.iter().zip(&group.chosen) {
                        mask.and(V::load(own, block)).store(memory.at_mut(*place), block);
                    }
                }
            }
        }
    }
}

/// The move taken in each position, within its cluster.
struct Own<const K: usize> {
    /// The group, where there are several.
    group: [Plane; K],
    /// The place in the group.
    of_group: [Plane; GROUP],
}

/// A count of eight added to a sum that has room for it.
#[inline(always)]
fn plus<V: Vector>(sum: [V; CLUSTER_BITS], count: [V; GROUP_BITS]) -> [V; CLUSTER_BITS] {
    let mut out = sum;
    let mut carry = V::zero();
    for (at, out) in out.iter_mut().enumerate() {
        let (bit, next) = match count.get(at) {
            Some(bit) => sum[at].full_add(*bit, carry),
            None => sum[at].half_add(carry),
        };
        (*out, carry) = (bit, next);
    }
    out
}

/// Where a number is below a count of eight; and the difference.
#[inline(always)]
fn minus<V: Vector, const BITS: usize>(
    number: [V; BITS],
    count: [V; GROUP_BITS],
) -> (V, [V; BITS]) {
    let mut borrow = V::zero();
    let mut difference = number;
    for (at, difference) in difference.iter_mut().enumerate() {
        let count = count.get(at).copied().unwrap_or(V::zero());
        let half = number[at].xor(count);
        *difference = half.xor(borrow);
        borrow = count.and_not(number[at]).or(borrow.and_not(half));
    }
    (borrow, difference)
}

/// How many of eight bits are set, by full and half adders.
#[inline(always)]
fn count_eight<V: Vector>(bits: [V; GROUP]) -> [V; GROUP_BITS] {
    let (s0, c0) = bits[0].full_add(bits[1], bits[2]);
    let (s1, c1) = bits[3].full_add(bits[4], bits[5]);
    let (s2, c2) = s0.full_add(s1, bits[6]);
    let (ones, c3) = s2.half_add(bits[7]);
    let (t0, d0) = c0.full_add(c1, c2);
    let (twos, d1) = t0.half_add(c3);
    let (fours, eights) = d0.half_add(d1);
    [ones, twos, fours, eights]
}

/// Draws a number below the total in each position; returns where the total is not 0, and where no
/// number was found.
#[inline(always)]
fn draw<V: Vector, const BITS: usize>(
    total: &[Plane],
    block: usize,
    rounds: usize,
    number: &mut [V; BITS],
    random: &mut RandomBlock<V>,
) -> (V, V) {
    let bits = total.len();
    // The largest number, total - 1, and all bits below its highest one.
    let mut largest = [V::zero(); BITS];
    let mut useful = [V::zero(); BITS];
    let mut borrow = V::ones();
    let mut some = V::zero();
    for (plane, largest) in total.iter().zip(&mut largest) {
        let total = V::load(plane, block);
        *largest = total.xor(borrow);
        borrow = borrow.and_not(total);
        some = some.or(total);
    }
    let mut above = V::zero();
    for (largest, useful) in largest[..bits].iter().zip(&mut useful[..bits]).rev() {
        above = above.or(*largest);
        *useful = above;
    }
    let mut open = some;
    for _ in 0..rounds {
        // Positions that have their number keep it; the others try the new one.
        let mut larger = V::zero();
        for ((number, largest), useful) in number.iter_mut().zip(&largest).zip(&useful).take(bits) {
            let drawn = random.draw().and(*useful);
            *number = open.select(drawn, *number);
            // The highest bit that differs decides.
            larger = number.xor(*largest).select(*number, larger);
        }
        open = open.and(larger);
    }
    (some, open)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::guide::{Guided, Tastes};
    use crate::plane::{ALL, LANES, any, count, nor, or};
    use crate::vector::{Kernel, Width};

    /// Moves whose legality is in the first part of the memory and whose choice goes to the second; then places for moves
    /// that do not exist, and for what stays where there are preferences.
    pub(crate) struct Bench {
        chooser: Chooser,
        guided: Option<Guided>,
        pub(crate) memory: Vec<Plane>,
        moves: usize,
    }

    impl Bench {
        pub(crate) fn new(legal: &[Plane]) -> Self {
            let moves = legal.len();
            let places: Vec<(u32, u32)> =
                (0..moves as u32).map(|i| (i, moves as u32 + i)).collect();
            let mut memory = legal.to_vec();
            memory.resize(3 * moves + 2, NONE);
            let spare = (2 * moves as u32, 2 * moves as u32 + 1);
            Self { chooser: Chooser::new(&places, spare), guided: None, memory, moves }
        }

        /// With preferences.
        pub(crate) fn with(mut self, tastes: &Tastes) -> Self {
            self.guided = Some(Guided::new(&self.chooser, tastes, 2 * self.moves as u32 + 2));
            self
        }

        pub(crate) fn choose(&mut self, width: Width, random: &mut RandomPlanes) -> Unchosen {
            struct Run<'a>(&'a mut Bench, &'a mut RandomPlanes);
            impl Kernel for Run<'_> {
                type Output = Unchosen;
                fn run<V: Vector>(self) -> Unchosen {
                    let Bench { chooser, guided, memory, .. } = self.0;
                    match guided {
                        Some(guided) => guided.choose::<V>(memory, &ALL, self.1),
                        None => chooser.choose::<V>(memory, &ALL, self.1),
                    }
                }
            }
            width.run(Run(self, random))
        }

        pub(crate) fn chosen(&self) -> &[Plane] {
            &self.memory[self.moves..2 * self.moves]
        }

        /// Each position chooses one of its own legal moves, or none and says so.
        pub(crate) fn check(&self, legal: &[Plane], unchosen: &Unchosen) {
            let mut seen = NONE;
            for (chosen, legal) in self.chosen().iter().zip(legal) {
                assert!(!any(&and_not(chosen, legal)), "an illegal move was chosen");
                assert!(!any(&and(chosen, &seen)), "two moves were chosen");
                seen = or(&seen, chosen);
            }
            assert_eq!(nor(&seen, &NONE), or(&unchosen.stuck, &unchosen.waiting));
        }
    }

    /// Registers of all widths choose the same moves.
    pub(crate) fn agree(make: impl Fn() -> Bench, random: &RandomPlanes) {
        let results: Vec<(Unchosen, Vec<Plane>)> = Width::all()
            .into_iter()
            .map(|width| {
                let mut bench = make();
                (bench.choose(width, &mut random.clone()), bench.chosen().to_vec())
            })
            .collect();
        assert!(results.windows(2).all(|pair| pair[0] == pair[1]));
    }

    /// Pearson's statistic over many draws stays below the 99.9% quantile.
    #[test]
    fn every_legal_move_is_equally_likely() {
        let mut random = RandomPlanes::new(11);
        for moves in [1usize, 2, 3, 5, 7, 8, 9, 16, 33, 70] {
            // Every third move is illegal.
            let is_legal = |i: usize| i % 3 != 1;
            let legal = (0..moves).filter(|i| is_legal(*i)).count();
            let planes: Vec<Plane> =
                (0..moves).map(|i| if is_legal(i) { ALL } else { NONE }).collect();
            let mut bench = Bench::new(&planes);
            let mut counts = vec![0u64; moves];
            let rounds = 400;
            for _ in 0..rounds {
                let unchosen = bench.choose(Width::best(), &mut random);
                assert_eq!(unchosen.stuck, NONE);
                for (i, plane) in bench.chosen().iter().enumerate() {
                    counts[i] += u64::from(count(plane));
                }
            }
            let draws = counts.iter().sum::<u64>();
            assert!(draws > (rounds * LANES / 2) as u64, "too many positions wait");
            let expected = draws as f64 / legal as f64;
            let mut statistic = 0.0;
            for (i, found) in counts.iter().enumerate() {
                if is_legal(i) {
                    statistic += (*found as f64 - expected).powi(2) / expected;
                } else {
                    assert_eq!(*found, 0);
                }
            }
            // Wilson-Hilferty approximation of the 99.9% quantile.
            let freedom = (legal - 1).max(1) as f64;
            let term = 1.0 - 2.0 / (9.0 * freedom) + 3.09 * (2.0 / (9.0 * freedom)).sqrt();
            assert!(statistic < freedom * term.powi(3) + 1.0, "{moves}: {statistic}");
        }
    }

    #[test]
    fn each_position_chooses_one_of_its_own_legal_moves() {
        let mut random = RandomPlanes::new(5);
        for round in 0..200 {
            let moves = 1 + round % 40;
            let legal: Vec<Plane> =
                (0..moves).map(|_| and(&random.draw(), &random.draw())).collect();
            let mut bench = Bench::new(&legal);
            let unchosen = bench.choose(Width::best(), &mut random);
            bench.check(&legal, &unchosen);
        }
    }

    #[test]
    fn registers_of_all_widths_choose_the_same_moves() {
        let mut random = RandomPlanes::new(9);
        for moves in [2usize, 8, 30, 100] {
            let legal: Vec<Plane> = (0..moves).map(|_| random.draw()).collect();
            agree(|| Bench::new(&legal), &random);
        }
    }
}
