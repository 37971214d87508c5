//! Stabiliser chains: how large a group of permutations is, and what its elements are, without listing them.
//!
//! The random Schreier-Sims method (Leon 1980; Seress, *Permutation Group Algorithms*, ch. 4): random elements
//! are sifted through the chain, and what is left over extends it. The result is a chain of a subgroup at
//! any time, and of the whole group but for a probability of less than one in a thousand million; the
//! random numbers are seeded, so the same generators give the same chain.

use game::Deadline;
use game::playout::Random;
use rustc_hash::FxHashSet;

use crate::order::Order;
use crate::permutation::{identity, inverse, is_identity, then};

const NONE: u32 = u32::MAX;

/// One stabiliser: elements that fix all earlier base points, and where they take this one.
#[derive(Clone, Debug)]
pub struct Level {
    /// The base point.
    base: u32,
    /// Generators of this stabiliser, as numbers in the pool of the chain.
    generators: Vec<usize>,
    /// The points that the base point can be taken to, itself first.
    orbit: Vec<u32>,
    /// For each point the generator and the point before it on the way from the base point.
    tree: Vec<(u32, u32)>,
}

/// A chain of stabilisers with respect to some points; what fixes all of those is outside of it.
#[derive(Clone, Debug)]
pub struct Chain {
    points: usize,
    /// The points that count, in the order in which they become base points.
    counted: Vec<u32>,
    pool: Vec<(Vec<u32>, Vec<u32>)>,
    levels: Vec<Level>,
}

impl Chain {
    /// The chain of the trivial group. `first` points are base points from the beginning; `counted` are those
    /// that may become base points.
    pub fn new(points: usize, first: &[u32], counted: Vec<u32>) -> Self {
        let levels = first.iter().map(|base| Level::new(*base, points)).collect();
        Self { points, counted, pool: Vec::new(), levels }
    }

    /// What remains of a permutation when the chain is divided out, and the level where it got stuck; the number of levels
    /// if it passed them all.
    fn sift(&self, permutation: &[u32], deadline: &Deadline) -> Option<(Vec<u32>, usize)> {
        let mut rest = permutation.to_vec();
        for (at, level) in self.levels.iter().enumerate() {
            if at % 8 == 7 && deadline.passed() {
                return None;
            }
            let mut point = rest[level.base as usize];
            if point != level.base && level.tree[point as usize].0 == NONE {
                return Some((rest, at));
            }
            while point != level.base {
                let (generator, before) = level.tree[point as usize];
                let back = &self.pool[generator as usize].1;
                for image in &mut rest {
                    *image = back[*image as usize];
                }
                point = before;
            }
        }
        Some((rest, self.levels.len()))
    }

    /// Extends the chain by a permutation.
    /// None if the time was over on the way.
    fn add(&mut self, permutation: &[u32], deadline: &Deadline) -> Option<Added> {
        let (rest, stuck) = self.sift(permutation, deadline)?;
        if stuck == self.levels.len() {
            let moved = self.counted.iter().find(|point| rest[**point as usize] != **point);
            match moved {
                Some(base) => self.levels.push(Level::new(*base, self.points)),
                None if is_identity(&rest) => return Some(Added::Nothing),
                None => return Some(Added::Outside(rest)),
            }
        }
        let back = inverse(&rest);
        self.pool.push((rest, back));
        let number = self.pool.len() - 1;
        for level in &mut self.levels[..=stuck] {
            level.generators.push(number);
            level.grow(&self.pool);
        }
        Some(Added::Something)
    }

    /// The length of each orbit: their product is the order of the group.
    pub fn orbit_lengths(&self) -> Vec<u32> {
        self.levels.iter().map(|level| level.orbit.len() as u32).collect()
    }

    /// The logarithm of the order of the subgroup that fixes the first `levels` base points.
    pub fn log_order(&self, levels: usize) -> f64 {
        self.levels.iter().skip(levels).map(|level| (level.orbit.len() as f64).ln()).sum()
    }

    /// The order of the subgroup that fixes the first `levels` base points, as factors, with those of `more`.
    pub fn order_below(&self, levels: usize, more: &Chain) -> Order {
        let own = self.orbit_lengths().into_iter().skip(levels);
        Order { factors: own.chain(more.orbit_lengths()).filter(|length| *length > 1).collect() }
    }

    /// The generators of the subgroup that fixes the first `levels` base points.
    pub fn generators_below(&self, levels: usize) -> Vec<Vec<u32>> {
        let numbers = self.levels.get(levels).map(|level| &level.generators[..]);
        numbers.unwrap_or_default().iter().map(|number| self.pool[*number].0.clone()).collect()
    }

    /// All elements that fix the first `levels` base points, the identity first; none if there are more than
    /// `most`.
    pub fn elements_below(&self, levels: usize, most: usize) -> Option<Vec<Vec<u32>>> {
        let mut elements = vec![identity(self.points)];
        for level in self.levels.iter().skip(levels).rev() {
            if elements.len().checked_mul(level.orbit.len())? > most {
                return None;
            }
            let mut all = Vec::with_capacity(elements.len() * level.orbit.len());
            for point in &level.orbit {
                let step = self.step(level, *point);
                all.extend(elements.iter().map(|element| then(element, &step)));
            }
            elements = all;
        }
        Some(elements)
    }

    /// At most `most` elements that fix the first `levels` base points, for a group too large to be listed: those
    /// that move the fewest counted points with all of their conjugates (in a group of interchangeable
    /// objects the transpositions), then one for each point of each orbit.
    pub fn some_elements(&self, levels: usize, most: usize) -> Vec<Vec<u32>> {
        let generators = self.generators_below(levels);
        let moved =
            |p: &Vec<u32>| self.counted.iter().filter(|at| p[**at as usize] != **at).count();
        let mut seeds: Vec<Vec<u32>> = self.pool.iter().map(|(forth, _)| forth.clone()).collect();
        let bases: Vec<u32> = self.levels.iter().take(levels).map(|level| level.base).collect();
        seeds.retain(|seed| bases.iter().all(|base| seed[*base as usize] == *base));
        seeds.sort_by_cached_key(|seed| (moved(seed), seed.clone()));
        let mut known: FxHashSet<Vec<u32>> = FxHashSet::default();
        let mut all: Vec<Vec<u32>> = Vec::new();
        for seed in seeds {
            let mut at = all.len();
            if known.insert(seed.clone()) {
                all.push(seed);
            }
            while at < all.len() && all.len() < most {
                for generator in &generators {
                    let conjugate = then(&then(&inverse(generator), &all[at]), generator);
                    if known.insert(conjugate.clone()) {
                        all.push(conjugate);
                    }
                }
                at += 1;
            }
            if all.len() >= most {
                break;
            }
        }
        for level in self.levels.iter().skip(levels) {
            let room = most.saturating_sub(all.len());
            all.extend(level.orbit[1..].iter().take(room).map(|point| self.step(level, *point)));
        }
        all.truncate(most);
        all
    }

    /// An element of a level that takes its base point to a point of its orbit.
    fn step(&self, level: &Level, point: u32) -> Vec<u32> {
        let mut way = Vec::new();
        let mut at = point;
        while at != level.base {
            let (generator, before) = level.tree[at as usize];
            way.push(generator);
            at = before;
        }
        let mut element = identity(self.points);
        for generator in way.iter().rev() {
            element = then(&element, &self.pool[*generator as usize].0);
        }
        element
    }
}

impl Level {
    fn new(base: u32, points: usize) -> Self {
        Self { base, generators: Vec::new(), orbit: vec![base], tree: vec![(NONE, NONE); points] }
    }

    /// Takes the newest generator into account.
    fn grow(&mut self, pool: &[(Vec<u32>, Vec<u32>)]) {
        let old = self.orbit.len();
        let newest = self.generators.len().saturating_sub(1);
        let mut at = 0;
        while at < self.orbit.len() {
            let point = self.orbit[at];
            // The other generators lead from old points to old points.
            let from = if at < old { newest } else { 0 };
            for generator in &self.generators[from..] {
                let image = pool[*generator].0[point as usize];
                if image != self.base && self.tree[image as usize].0 == NONE {
                    self.tree[image as usize] = (*generator as u32, point);
                    self.orbit.push(image);
                }
            }
            at += 1;
        }
    }
}

/// What came of adding a permutation to a chain.
enum Added {
    /// It was in the group already.
    Nothing,
    /// The chain has grown.
    Something,
    /// What is left of it fixes all points that count.
    Outside(Vec<u32>),
}

/// A group on points that count first (roles, then fluents) and others (moves).
#[derive(Clone, Debug)]
pub struct Chains {
    /// The group as it acts on the points that count.
    pub main: Chain,
    /// The elements that fix all of those.
    pub rest: Chain,
    /// Whether the work was finished.
    pub complete: bool,
}

/// Random elements that must in a row add nothing before the chains are taken to be complete.
const QUIET: usize = 30;
const SEED: u64 = 8;
/// The most images that the chains may hold.
const MOST_IMAGES: usize = 48 << 20;

/// Builds the chains of the group that `generators` generate. `first` are base points of the main chain in any case.
pub fn chains(
    points: usize,
    generators: &[Vec<u32>],
    first: &[u32],
    counted: Vec<u32>,
    others: Vec<u32>,
    deadline: &Deadline,
) -> Chains {
    let main = Chain::new(points, first, counted);
    let rest = Chain::new(points, &[], others);
    let mut chains = Chains { main, rest, complete: true };
    for generator in generators {
        if chains.is_full() || chains.add(generator, deadline).is_none() {
            chains.complete = false;
            return chains;
        }
    }
    let mut products = Products::new(generators);
    let mut quiet = 0;
    while quiet < QUIET && !generators.is_empty() {
        let grown = chains.add(products.next(), deadline);
        if chains.is_full() || grown.is_none() {
            chains.complete = false;
            break;
        }
        quiet = if grown == Some(true) { 0 } else { quiet + 1 };
    }
    chains
}

impl Chains {
    /// Whether a chain has grown; none if the time was over on the way.
    fn add(&mut self, permutation: &[u32], deadline: &Deadline) -> Option<bool> {
        if deadline.passed() {
            return None;
        }
        match self.main.add(permutation, deadline)? {
            Added::Nothing => Some(false),
            Added::Something => Some(true),
            Added::Outside(rest) => {
                let added = self.rest.add(&rest, deadline)?;
                Some(matches!(added, Added::Something))
            }
        }
    }

    fn is_full(&self) -> bool {
        let held = |chain: &Chain| (2 * chain.pool.len() + 2 * chain.levels.len()) * chain.points;
        held(&self.main) + held(&self.rest) > MOST_IMAGES
    }
}

/// Random elements by product replacement (Celler et al. 1995) with an accumulator.
struct Products {
    slots: Vec<Vec<u32>>,
    product: Vec<u32>,
    random: Random,
}

impl Products {
    fn new(generators: &[Vec<u32>]) -> Self {
        const FEWEST: usize = 10;
        const MOST: usize = 60;
        const WARM_UP: usize = 40;
        let mut random = Random::new(SEED);
        let mut slots: Vec<Vec<u32>> = generators.iter().take(MOST).cloned().collect();
        // Generators beyond the slots are multiplied into them.
        for generator in generators.iter().skip(MOST) {
            let at = random.below(slots.len());
            slots[at] = then(&slots[at], generator);
        }
        while !slots.is_empty() && slots.len() < FEWEST {
            slots.push(slots[slots.len() % generators.len()].clone());
        }
        let product = slots.first().cloned().unwrap_or_default();
        let mut products = Self { slots, product, random };
        if !products.slots.is_empty() {
            (0..WARM_UP).for_each(|_| {
                products.next();
            });
        }
        products
    }

    fn next(&mut self) -> &[u32] {
        let count = self.slots.len();
        let one = self.random.below(count);
        let other = (one + 1 + self.random.below(count - 1)) % count;
        let factor = if self.random.below(2) == 0 {
            self.slots[other].clone()
        } else {
            inverse(&self.slots[other])
        };
        self.slots[one] = if self.random.below(2) == 0 {
            then(&self.slots[one], &factor)
        } else {
            then(&factor, &self.slots[one])
        };
        self.product = then(&self.product, &self.slots[one]);
        &self.product
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(points: usize, generators: &[Vec<u32>]) -> u128 {
        let all = identity(points);
        let chains = chains(points, generators, &[], all, Vec::new(), &Deadline::never());
        assert!(chains.complete);
        chains.main.orbit_lengths().iter().map(|length| u128::from(*length)).product()
    }

    fn cycle(points: u32, length: u32) -> Vec<u32> {
        (0..points).map(|p| if p < length { (p + 1) % length } else { p }).collect()
    }

    #[test]
    fn orders_of_known_groups() {
        assert_eq!(order(4, &[]), 1);
        assert_eq!(order(4, &[cycle(4, 4), vec![0, 3, 2, 1]]), 8);
        let factorial: u128 = (1..=20).product();
        assert_eq!(order(20, &[cycle(20, 20), cycle(20, 2)]), factorial);
        // Even permutations of seven points, generated by cycles of three.
        let three = |a: u32| {
            (0..7)
                .map(|p| {
                    if p == a {
                        a + 1
                    } else if p == a + 1 {
                        a + 2
                    } else if p == a + 2 {
                        a
                    } else {
                        p
                    }
                })
                .collect()
        };
        assert_eq!(order(7, &(0..5).map(three).collect::<Vec<_>>()), 2520);
        // Mathieu's group on eleven points.
        let a = vec![1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0];
        let b = vec![0, 1, 6, 9, 5, 3, 10, 2, 8, 4, 7];
        assert_eq!(order(11, &[a, b]), 7920);
    }

    #[test]
    fn elements_are_all_different_and_those_below_fix_the_base() {
        let generators = [cycle(6, 6), vec![0, 5, 4, 3, 2, 1]];
        let chains = chains(6, &generators, &[2], identity(6), Vec::new(), &Deadline::never());
        let mut all = chains.main.elements_below(0, 100).expect("small");
        assert!(is_identity(&all[0]));
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 12);
        let below = chains.main.elements_below(1, 100).expect("small");
        assert!(below.len() == 2 && below.iter().all(|element| element[2] == 2));
        assert_eq!(chains.main.elements_below(0, 11), None);
        assert!(chains.main.generators_below(1).iter().all(|generator| generator[2] == 2));
    }

    #[test]
    fn what_fixes_the_counted_points_is_kept_apart() {
        let generators = [vec![1, 0, 2, 3, 4], vec![0, 1, 3, 4, 2], vec![0, 1, 3, 2, 4]];
        let chains = chains(5, &generators, &[], vec![0, 1], vec![2, 3, 4], &Deadline::never());
        assert_eq!(chains.main.orbit_lengths(), [2]);
        assert_eq!(chains.rest.orbit_lengths().iter().product::<u32>(), 6);
    }
}
