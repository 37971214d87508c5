//! One representative for all symmetric states (thesis §8.4): the image with the least key.
//!
//! The keys of all images are computed at once (`images`), and only the image with the least one is built. Two
//! different images with the same key would give two representatives: a missed chance, never an error, since
//! each is an image of the state.
//!
//! Groups that are too large to be listed are climbed down instead: from image to image by elements of the
//! stabiliser chain, as long as the state becomes smaller in the order of its bits. That finds the same
//! representative for most symmetric states, and an image for all.

use std::sync::{Arc, PoisonError, RwLock};

use game::{Canonicalizer, JointMove, Move, Role, State, SymmetryId};
use rustc_hash::FxHashMap;

use crate::images::Images;
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
    /// The tables of a group that is listed.
    images: Option<Images>,
    /// Generators of what only exchanges moves.
    interchangeable: Vec<Vec<u32>>,
    /// For each point whether those move it.
    exchanged: Vec<bool>,
    /// Products of elements, for large groups.
    products: Option<RwLock<Products>>,
    exchanges_roles: bool,
}

struct Element {
    forth: Vec<u32>,
    back: Vec<u32>,
    /// Whether every role stays.
    keeps_roles: bool,
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

impl Symmetries {
    /// The representatives of states under the state symmetries, or under all; none if no symmetry changes a state or
    /// a choice.
    pub fn representatives(&self, size: Size) -> Option<Representatives> {
        // Without a ground program only a sample of the moves is known, and others could not be mapped.
        self.gates.as_ref()?;
        let roles = self.points.role_points().len();
        let interchangeable = self.interchangeable();
        let points = self.points.clone();
        let each = 8 * (points.fluents().len() + points.len()).max(1);
        let most = size.most_elements.min(size.most_bytes / each);
        // A group that can be listed serves better than a larger one that cannot.
        let all = size.with_roles.then(|| self.group.main.elements_below(0, most)).flatten();
        let listed = all.or_else(|| self.group.main.elements_below(roles, most));
        let large = listed.is_none();
        let permutations = listed.unwrap_or_else(|| {
            let mut steps = vec![identity(points.len())];
            steps.extend(self.group.main.some_elements(roles, most.saturating_sub(1)));
            steps
        });
        if permutations.len() <= 1 && interchangeable.is_empty() {
            return None;
        }
        let images = (!large).then(|| Images::new(&points, &permutations));
        let role_points = points.role_points();
        let element = |forth: Vec<u32>| Element::new(forth, role_points.clone());
        let elements: Vec<Element> = permutations.into_iter().map(element).collect();
        let exchanges_roles = elements.iter().any(|element| !element.keeps_roles);
        let products = large.then(|| RwLock::new(Products::new(points.len())));
        let moved = |at: usize| interchangeable.iter().any(|p| p[at] != at as u32);
        let exchanged = (0..points.len()).map(moved).collect();
        Some(Representatives {
            points,
            elements,
            images,
            interchangeable,
            exchanged,
            products,
            exchanges_roles,
        })
    }
}

impl Element {
    fn new(forth: Vec<u32>, mut roles: std::ops::Range<u32>) -> Self {
        let back = inverse(&forth);
        let keeps_roles = roles.all(|role| forth[role as usize] == role);
        Self { forth, back, keeps_roles }
    }
}

impl Products {
    fn new(points: usize) -> Self {
        let identity = Arc::new(Element::new(identity(points), 0..0));
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

    /// The elements at hand that map a state to itself and keep all roles, the identity left out. Moves that are
    /// exchanged together with roles are worth something else to each role.
    fn fixing(&self, state: &State) -> Vec<&Element> {
        if let Some(images) = &self.images {
            let equal = images.with_equal_keys(state).into_iter();
            let equal = equal.filter(|at| self.elements[*at].keeps_roles);
            let fixing = equal.filter(|at| images.image(*at, state) == *state);
            return fixing.map(|at| &self.elements[at]).collect();
        }
        let fixes = |element: &&Element| {
            self.points.state_image(&element.forth, state).is_some_and(|image| image == *state)
        };
        self.elements[1..].iter().filter(fixes).collect()
    }

    /// Whether a move has another that means the same.
    fn is_exchanged(&self, role: Role, action: Move) -> bool {
        !self.interchangeable.is_empty()
            && self.points.action(role, action).is_some_and(|at| self.exchanged[at as usize])
    }

    /// For each of the items the first of its orbit under the symmetries of a state and those that exchange moves only; none
    /// if each is its own.
    fn orbits_of<T: Clone + Eq + std::hash::Hash>(
        &self,
        state: &State,
        items: &[T],
        image: impl Fn(&[u32], &T) -> Option<T>,
        exchanged: impl Fn(&T) -> bool,
    ) -> Option<Vec<usize>> {
        if items.len() < 2 {
            return None;
        }
        let fixing = self.fixing(state);
        if fixing.is_empty() && !items.iter().any(exchanged) {
            return None;
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
        let orbits = crate::permutation::orbits(items.len(), &mappings);
        let mut first: Vec<usize> = (0..items.len()).collect();
        for orbit in &orbits {
            orbit[1..].iter().for_each(|at| first[*at as usize] = orbit[0] as usize);
        }
        (!orbits.is_empty()).then_some(first)
    }
}

/// Keeps the items that are the first of their orbit.
fn keep_first<T>(items: &mut Vec<T>, first: Option<Vec<usize>>) {
    let Some(first) = first else { return };
    let mut keep = first.iter().enumerate().map(|(at, first)| at == *first);
    items.retain(|_| keep.next().unwrap_or(true));
}

/// The number of a product; none if there is no room for new ones.
fn product(products: &RwLock<Products>, number: u32, element: u32, forth: &[u32]) -> Option<u32> {
    let known = products.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = known.numbers.get(&(number, element)) {
        return Some(*found);
    }
    let before = known.permutations[number as usize].clone();
    drop(known);
    // Only elements that keep all roles are climbed by.
    let both = Arc::new(Element::new(then(&before.forth, forth), 0..0));
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
        let images = self.images.as_ref();
        let least = images.and_then(|images| Some((images, images.least(state)?)));
        match least {
            Some((images, element)) if element > 0 => {
                (images.image(element, state), SymmetryId(element as u32))
            }
            _ => unchanged(),
        }
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

    fn exchanges_roles(&self) -> bool {
        self.exchanges_roles
    }

    fn ways(&self, state: &State, symmetry: SymmetryId) -> Vec<SymmetryId> {
        let Some(images) = self.images.as_ref().filter(|_| self.exchanges_roles) else {
            return vec![symmetry];
        };
        let own = symmetry.0 as usize;
        let mut ways = images.with_key_of(own, state);
        if ways.len() > 1 {
            let image = images.image(own, state);
            ways.retain(|at| *at == own || images.image(*at, state) == image);
        }
        ways.into_iter().map(|at| SymmetryId(at as u32)).collect()
    }

    fn alike(&self, state: &State, role: Role, moves: &[Move]) -> Option<Vec<usize>> {
        let image = |permutation: &[u32], action: &Move| {
            let (to, action) = self.points.move_image(permutation, role, *action)?;
            (to == role).then_some(action)
        };
        self.orbits_of(state, moves, image, |action| self.is_exchanged(role, *action))
    }

    fn distinct(&self, state: &State, role: Role, moves: &mut Vec<Move>) {
        keep_first(moves, self.alike(state, role, moves));
    }

    fn distinct_joint(&self, state: &State, joint: &mut Vec<JointMove>) {
        let image =
            |permutation: &[u32], joint: &JointMove| self.points.joint_image(permutation, joint);
        let exchanged = |joint: &JointMove| {
            let mut moves = joint.0.iter().enumerate();
            moves.any(|(role, action)| self.is_exchanged(Role(role as u32), *action))
        };
        keep_first(joint, self.orbits_of(state, joint, image, exchanged));
    }
}
