//! One representative for all symmetric states (thesis §8.4), by Zobrist keys of all images at once.
//!
//! For each fluent the keys of its images under all elements of the group lie side by side, so the keys of all
//! images of a state are one exclusive or per fluent and element, several elements per machine
//! instruction. The image with the least key is the representative; only that one is built. Two
//! different images with the same key would give two representatives: a missed chance, never an error, since
//! each is an image of the state.
//!
//! Groups that are too large to be listed are climbed down instead: from image to image by elements of the
//! stabiliser chain, as long as the state becomes smaller in the order of its bits. That finds the same
//! representative for most symmetric states, and an image for all.

use std::sync::{Arc, PoisonError, RwLock};

use game::playout::Random;
use game::{Canonicalizer, JointMove, Move, Role, State, SymmetryId};
use rustc_hash::FxHashMap;

use crate::permutation::{identity, inverse, then};
use crate::points::Points;
use crate::symmetries::Symmetries;

/// How much a canonicalizer may use.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Groups of at most so many elements are listed.
    pub most_elements: usize,
    /// The most bytes for tables.
    pub most_bytes: usize,
    /// Whether symmetries that exchange roles are used: then values must be exchanged as well.
    pub with_roles: bool,
}

impl Default for Size {
    fn default() -> Self {
        Self { most_elements: 512, most_bytes: 64 << 20, with_roles: false }
    }
}

/// Elements of the group with the tables that apply them.
pub struct Representatives {
    points: Points,
    /// The listed elements, the identity first; of a large group those that are climbed by.
    elements: Vec<Element>,
    /// For each fluent the keys of its images under all elements.
    keys: Vec<u64>,
    /// Generators of what only exchanges moves.
    interchangeable: Vec<Vec<u32>>,
    /// Products of elements, for large groups.
    products: Option<RwLock<Products>>,
}

struct Element {
    forth: Vec<u32>,
    back: Vec<u32>,
}

/// Products of elements, numbered as they are met.
struct Products {
    permutations: Vec<Arc<Element>>,
    numbers: FxHashMap<(u32, u32), u32>,
}

/// The most products that are remembered; with more, states stay as they are.
const MOST_PRODUCTS: usize = 1 << 14;
/// The most steps of one climb.
const MOST_STEPS: usize = 64;
const SEED: u64 = 2010;
/// Elements whose keys are computed together.
const BLOCK: usize = 64;

impl Symmetries {
    /// The representatives of states under the state symmetries; none if no symmetry changes a state or a choice.
    pub fn representatives(&self, size: Size) -> Option<Representatives> {
        // Without a ground program only a sample of the moves is known, and others could not be mapped.
        self.gates.as_ref()?;
        let levels = if size.with_roles { 0 } else { self.points.role_points().len() };
        let interchangeable = self.interchangeable();
        let points = self.points.clone();
        let each = 8 * (points.fluents().len() + points.len()).max(1);
        let most = size.most_elements.min(size.most_bytes / each);
        let listed = self.group.main.elements_below(levels, most);
        let large = listed.is_none();
        let permutations = listed.unwrap_or_else(|| {
            let mut steps = vec![identity(points.len())];
            steps.extend(self.group.main.some_elements(levels, most.saturating_sub(1)));
            steps
        });
        if permutations.len() <= 1 && interchangeable.is_empty() {
            return None;
        }
        let keys = if large { Vec::new() } else { keys_of(points.fluents().len(), &permutations) };
        let elements: Vec<Element> = permutations.into_iter().map(Element::new).collect();
        let products = large.then(|| RwLock::new(Products::new(points.len())));
        Some(Representatives { points, elements, keys, interchangeable, products })
    }
}

/// For each fluent the keys of its images under all permutations.
fn keys_of(fluents: usize, permutations: &[Vec<u32>]) -> Vec<u64> {
    let mut random = Random::new(SEED);
    let key: Vec<u64> = (0..fluents)
        .map(|_| ((random.below(1 << 32) as u64) << 32) | random.below(1 << 32) as u64)
        .collect();
    (0..fluents)
        .flat_map(|fluent| permutations.iter().map(move |p| p[fluent] as usize))
        .map(|image| key[image])
        .collect()
}

impl Element {
    fn new(forth: Vec<u32>) -> Self {
        let back = inverse(&forth);
        Self { forth, back }
    }
}

impl Products {
    fn new(points: usize) -> Self {
        let identity = Arc::new(Element::new(identity(points)));
        Self { permutations: vec![identity], numbers: FxHashMap::default() }
    }
}

impl Representatives {
    /// How many elements of the group are at hand, the identity included.
    pub fn elements(&self) -> usize {
        self.elements.len()
    }

    /// Whether all elements of the group are at hand, so that symmetric states have the same representative.
    pub fn is_exact(&self) -> bool {
        self.products.is_none()
    }

    /// The keys of all images of a state, the elements `from..` of them; none if a fluent is no point.
    fn image_keys(&self, state: &State, from: usize, keys: &mut [u64; BLOCK]) -> Option<usize> {
        let count = self.elements.len();
        let here = (count - from).min(BLOCK);
        for fluent in state.iter() {
            let row = self.points.fluent(fluent)? as usize * count + from;
            let row = &self.keys[row..row + here];
            keys[..here].iter_mut().zip(row).for_each(|(key, more)| *key ^= more);
        }
        Some(here)
    }

    /// The image with the least key of those that can occur in play, and the element that gives it.
    fn least(&self, state: &State) -> Option<(State, usize)> {
        let mut floor = None;
        loop {
            let best = self.least_above(state, floor)?;
            if best.1 == 0 {
                return None;
            }
            let image = self.points.state_image(&self.elements[best.1].forth, state)?;
            if self.points.is_possible(&image) {
                return Some((image, best.1));
            }
            floor = Some(best);
        }
    }

    /// The least key, and the element with it, after another one in this order.
    fn least_above(&self, state: &State, floor: Option<(u64, usize)>) -> Option<(u64, usize)> {
        let mut best = None;
        for from in (0..self.elements.len()).step_by(BLOCK) {
            let mut keys = [0; BLOCK];
            let here = self.image_keys(state, from, &mut keys)?;
            for (at, key) in keys[..here].iter().enumerate() {
                let this = (*key, from + at);
                let above = floor.is_none_or(|floor| this > floor);
                if above && best.is_none_or(|best| this < best) {
                    best = Some(this);
                }
            }
        }
        best
    }

    /// Climbs down by the elements at hand; the number of the product that leads to where it ends.
    fn climb(&self, state: &State, products: &RwLock<Products>) -> Option<(State, u32)> {
        let mut best = state.clone();
        let mut number = 0;
        for _ in 0..MOST_STEPS {
            let mut better = None;
            for (at, element) in self.elements.iter().enumerate().skip(1) {
                let image = self.points.state_image(&element.forth, &best)?;
                if self.points.is_possible(&image)
                    && image.words().iter().rev().lt(best.words().iter().rev())
                    && image.words().len() <= best.words().len()
                {
                    best = image;
                    better = Some(at);
                    number = product(products, number, at as u32, &element.forth)?;
                }
            }
            if better.is_none() {
                break;
            }
        }
        Some((best, number))
    }

    fn with<T>(&self, symmetry: SymmetryId, apply: impl FnOnce(&Element) -> T) -> Option<T> {
        match &self.products {
            None => self.elements.get(symmetry.0 as usize).map(apply),
            Some(products) => {
                let products = products.read().unwrap_or_else(PoisonError::into_inner);
                let element = products.permutations.get(symmetry.0 as usize)?.clone();
                drop(products);
                Some(apply(&element))
            }
        }
    }

    /// The elements at hand that map a state to itself, the identity left out.
    fn fixing(&self, state: &State) -> Vec<&Element> {
        let candidates: Vec<usize> = if self.products.is_some() {
            (1..self.elements.len()).collect()
        } else {
            self.with_equal_keys(state).unwrap_or_default()
        };
        let fixes = |element: &&Element| {
            self.points.state_image(&element.forth, state).is_some_and(|image| image == *state)
        };
        candidates.into_iter().map(|at| &self.elements[at]).filter(fixes).collect()
    }

    fn with_equal_keys(&self, state: &State) -> Option<Vec<usize>> {
        let mut own = None;
        let mut equal = Vec::new();
        for from in (0..self.elements.len()).step_by(BLOCK) {
            let mut keys = [0; BLOCK];
            let here = self.image_keys(state, from, &mut keys)?;
            let own = *own.get_or_insert(keys[0]);
            equal.extend((0..here).filter(|at| keys[*at] == own).map(|at| from + at));
        }
        equal.retain(|at| *at != 0);
        Some(equal)
    }

    /// Keeps the first of each orbit of `items` under the symmetries of a state and those that exchange moves only.
    fn first_of_orbits<T: Clone + Eq + std::hash::Hash>(
        &self,
        state: &State,
        items: &mut Vec<T>,
        image: impl Fn(&[u32], &T) -> Option<T>,
    ) {
        let fixing = self.fixing(state);
        if items.len() < 2 || (fixing.is_empty() && self.interchangeable.is_empty()) {
            return;
        }
        let place: FxHashMap<T, u32> =
            items.iter().enumerate().map(|(at, item)| (item.clone(), at as u32)).collect();
        let forth = fixing.iter().map(|element| &element.forth).chain(&self.interchangeable);
        let mappings: Vec<Vec<u32>> = forth
            .map(|permutation| {
                let to = |(at, item): (usize, &T)| {
                    let image = image(permutation, item).and_then(|image| place.get(&image));
                    image.copied().unwrap_or(at as u32)
                };
                items.iter().enumerate().map(to).collect()
            })
            .collect();
        let mut keep = vec![true; items.len()];
        for orbit in crate::permutation::orbits(items.len(), &mappings) {
            orbit[1..].iter().for_each(|at| keep[*at as usize] = false);
        }
        let mut keep = keep.into_iter();
        items.retain(|_| keep.next().unwrap_or(true));
    }
}

/// The number of a product; none if there is no room for new ones.
fn product(products: &RwLock<Products>, number: u32, element: u32, forth: &[u32]) -> Option<u32> {
    let known = products.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = known.numbers.get(&(number, element)) {
        return Some(*found);
    }
    let before = known.permutations[number as usize].clone();
    drop(known);
    let both = Arc::new(Element::new(then(&before.forth, forth)));
    let mut table = products.write().unwrap_or_else(PoisonError::into_inner);
    let most = MOST_PRODUCTS.min((256 << 20) / (8 * forth.len().max(1)));
    if table.permutations.len() >= most {
        return None;
    }
    let new = table.permutations.len() as u32;
    table.permutations.push(both);
    table.numbers.insert((number, element), new);
    Some(new)
}

impl Canonicalizer for Representatives {
    fn canonical(&self, state: &State) -> (State, SymmetryId) {
        let unchanged = || (state.clone(), SymmetryId(0));
        if let Some(products) = &self.products {
            let climbed = self.climb(state, products);
            return climbed.map_or_else(unchanged, |(image, number)| (image, SymmetryId(number)));
        }
        let least = self.least(state);
        least.map_or_else(unchanged, |(image, element)| (image, SymmetryId(element as u32)))
    }

    fn image(&self, symmetry: SymmetryId, role: Role, action: Move) -> (Role, Move) {
        let image = self.with(symmetry, |e| self.points.move_image(&e.forth, role, action));
        image.flatten().unwrap_or((role, action))
    }

    fn origin(&self, symmetry: SymmetryId, role: Role, action: Move) -> (Role, Move) {
        let origin = self.with(symmetry, |e| self.points.move_image(&e.back, role, action));
        origin.flatten().unwrap_or((role, action))
    }

    fn role(&self, symmetry: SymmetryId, role: Role) -> Role {
        self.with(symmetry, |e| self.points.role_image(&e.forth, role)).unwrap_or(role)
    }

    fn distinct(&self, state: &State, role: Role, moves: &mut Vec<Move>) {
        self.first_of_orbits(state, moves, |permutation, action| {
            let (to, action) = self.points.move_image(permutation, role, *action)?;
            (to == role).then_some(action)
        });
    }

    fn distinct_joint(&self, state: &State, joint: &mut Vec<JointMove>) {
        self.first_of_orbits(state, joint, |permutation, joint| {
            self.points.joint_image(permutation, joint)
        });
    }
}
