//! Fluents by name: which arguments determine the others, which values they take, which are ordered.

use std::cmp::Reverse;
use std::sync::Arc;

use game::{FluentId, GroundTerm, Universe};
use gdl::{Symbol, Symbols};
use ground::{Domains, Place};
use rustc_hash::FxHashMap;

use crate::order::{Order, OrderKind, natural};
use crate::settings::Evidence;

/// The most values that are compared pair by pair.
const MOST_COMPARED: usize = 400;

/// The name of a fluent or move with the number of its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Functor {
    /// The name.
    pub name: Symbol,
    /// The number of arguments; constants have none.
    pub arity: u32,
    /// Written with parentheses: `(done)` is not the constant `done`.
    pub parens: bool,
}

impl Functor {
    /// The functor of a term.
    pub fn of(term: &GroundTerm) -> Self {
        match term {
            GroundTerm::Constant(name) => Self { name: *name, arity: 0, parens: false },
            GroundTerm::Function(name, args) => {
                Self { name: *name, arity: args.len() as u32, parens: true }
            }
        }
    }

    /// The place of an argument in the domain graphs.
    pub fn place(self, argument: usize) -> Place {
        Place::function(self.name, self.arity, argument as u32)
    }

    /// `cell/3`.
    pub fn to_text(self, symbols: &Symbols) -> String {
        format!("{}/{}", symbols.name(self.name), self.arity)
    }
}

/// The arguments of a term.
pub fn args(term: &GroundTerm) -> &[GroundTerm] {
    match term {
        GroundTerm::Constant(_) => &[],
        GroundTerm::Function(_, args) => args,
    }
}

/// A set of input arguments (thesis Def. 5.4, 5.5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inputs {
    /// Their positions from 0, in order.
    pub arguments: Vec<usize>,
    /// How sure it is.
    pub evidence: Evidence,
}

/// An argument of a fluent, with what is known about its values.
#[derive(Clone, Debug)]
pub struct Axis {
    /// Its position from 0.
    pub argument: usize,
    /// The values it takes, smaller ones first; without an order as people sort names.
    pub values: Vec<GroundTerm>,
    /// The relation that orders them, if there is one.
    pub order: Option<Arc<Order>>,
    /// For each value its place in the order.
    ranks: Vec<Option<usize>>,
    /// See [`Axis::size`].
    size: usize,
    index: FxHashMap<GroundTerm, u32>,
}

impl Axis {
    /// An axis with values in any order.
    pub(crate) fn new(
        argument: usize,
        mut values: Vec<GroundTerm>,
        order: Option<Arc<Order>>,
        symbols: &Symbols,
    ) -> Self {
        let rank = |term: &GroundTerm| order.as_ref().and_then(|order| order.position(term));
        values.sort_by_cached_key(|term| {
            (rank(term).unwrap_or(usize::MAX), natural(&term.to_text(symbols)))
        });
        values.dedup();
        let ranks = values.iter().map(rank).collect();
        let index = values.iter().cloned().zip(0..).collect();
        let mut axis = Self { argument, values, order, ranks, size: 0, index };
        axis.size = axis.values.len().max(axis.longest() as usize + 1);
        axis
    }

    /// What differences are divided by to make them less than 1: |dom(f,i)| of thesis Eq. 5.10 and 5.11. It is the
    /// number of values, or more where the order counts steps between them that the argument never takes, such as
    /// the rows 3 and 6 of pawns that can be taken in passing.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The largest difference of two values.
    fn longest(&self) -> u32 {
        let known = self.ranks.iter().flatten().count();
        let Some(order) = self.order.as_ref().filter(|_| known > 0) else { return 0 };
        if order.total {
            // Sorted by the order: the first and the last are farthest apart.
            return self.difference(0, known - 1).unwrap_or(0);
        }
        if known > MOST_COMPARED {
            return order.terms().len() as u32;
        }
        let pairs = (0..known).flat_map(|a| (0..a).map(move |b| (a, b)));
        pairs.filter_map(|(a, b)| self.difference(a, b)).max().unwrap_or(0)
    }

    /// The place of a value.
    pub fn position(&self, value: &GroundTerm) -> Option<usize> {
        self.index.get(value).map(|at| *at as usize)
    }

    /// Whether the values are ordered.
    pub fn is_ordered(&self) -> bool {
        self.order.is_some()
    }

    /// The difference of two values by their places: the distance in the order, or without one 0 for the same
    /// value and 1 for different ones (Δ¬order of thesis §5.3.3). None if the order does not relate them.
    pub fn difference(&self, a: usize, b: usize) -> Option<u32> {
        match &self.order {
            _ if a == b => Some(0),
            None => Some(1),
            Some(order) => order.distance((*self.ranks.get(a)?)?, (*self.ranks.get(b)?)?),
        }
    }

    /// The signed number of steps from one value to another; none without an order.
    pub fn steps(&self, a: usize, b: usize) -> Option<i64> {
        let order = self.order.as_ref()?;
        let (a, b) = ((*self.ranks.get(a)?)?, (*self.ranks.get(b)?)?);
        let up = order.steps(a, b).map(i64::from);
        let down = order.steps(b, a).map(|steps| -i64::from(steps));
        match (up, down) {
            (Some(up), Some(down)) => Some(if up <= -down { up } else { down }),
            (up, down) => up.or(down),
        }
    }
}

/// All fluents of one name and number of arguments.
#[derive(Clone, Debug)]
pub struct Fluent {
    /// Which.
    pub functor: Functor,
    /// The minimal sets of input arguments.
    pub inputs: Vec<Inputs>,
    /// Its arguments.
    pub axes: Vec<Axis>,
    /// How many different ones are known.
    pub count: usize,
}

impl Fluent {
    /// Whether at most one of them holds in a state.
    pub fn is_singleton(&self) -> bool {
        self.inputs.iter().any(|inputs| inputs.arguments.is_empty())
    }
}

/// Fluents taken apart once: for each number its functor and the numbers of its arguments.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    pub functors: Vec<Functor>,
    functor_index: FxHashMap<Functor, u32>,
    pub terms: Vec<GroundTerm>,
    term_index: FxHashMap<GroundTerm, u32>,
    /// By the number of the fluent; none for those not met.
    of: Vec<Option<Part>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub functor: u32,
    pub args: Box<[u32]>,
}

impl Parts {
    pub fn meet(&mut self, universe: &Universe, fluent: FluentId) {
        if self.of.len() <= fluent.index() {
            self.of.resize(fluent.index() + 1, None);
        }
        if self.of[fluent.index()].is_none() {
            let entry = universe.fluent_entry(fluent);
            let functor = self.functor(Functor::of(&entry.term));
            let args = args(&entry.term).iter().map(|arg| self.term(arg)).collect();
            self.of[fluent.index()] = Some(Part { functor, args });
        }
    }

    pub fn get(&self, fluent: FluentId) -> Option<&Part> {
        self.of.get(fluent.index())?.as_ref()
    }

    /// All fluents met, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (FluentId, &Part)> {
        let numbered = self.of.iter().enumerate();
        numbered.filter_map(|(id, part)| Some((FluentId(id as u32), part.as_ref()?)))
    }

    /// The fluents of a functor, in the order of their numbers.
    pub fn of_functor(&self, functor: Functor) -> impl Iterator<Item = FluentId> + '_ {
        let number = self.functor_index.get(&functor).copied();
        self.iter().filter(move |(_, part)| Some(part.functor) == number).map(|(id, _)| id)
    }

    pub fn functor(&mut self, functor: Functor) -> u32 {
        *self.functor_index.entry(functor).or_insert_with(|| {
            self.functors.push(functor);
            self.functors.len() as u32 - 1
        })
    }

    fn term(&mut self, term: &GroundTerm) -> u32 {
        if let Some(known) = self.term_index.get(term) {
            return *known;
        }
        let number = self.terms.len() as u32;
        self.terms.push(term.clone());
        self.term_index.insert(term.clone(), number);
        number
    }
}

/// Finds the order of an argument.
pub(crate) struct Orders<'a> {
    pub domains: &'a Domains,
    pub all: &'a [Arc<Order>],
    /// The roles: who follows whom is no order of coordinates or amounts.
    pub roles: &'a [GroundTerm],
}

impl Orders<'_> {
    /// The order that fits an argument best. An order fits if variables of the rules link the argument with it
    /// (thesis §5.2.1), or, for coordinates, if the two share constants and the order knows all values. (The
    /// thesis lets shared constants suffice, which makes the tiles 1..8 of a puzzle a quantity where rows 1..3
    /// are ordered.)
    pub fn best(
        &self,
        place: Place,
        values: &[GroundTerm],
        coordinate: bool,
    ) -> Option<Arc<Order>> {
        let linked = |order: &Order| {
            let own = Place::relation(order.relation, 0);
            self.domains.link_of(own) == self.domains.link_of(place)
        };
        let fits = |order: &&Arc<Order>| {
            let own = Place::relation(order.relation, 0);
            let shared = self.domains.component_of(own) == self.domains.component_of(place);
            let known = known(order, values);
            let by_link = linked(order) && 2 * known > values.len();
            let by_constants = coordinate && shared && known == values.len();
            let of_roles = order.terms().iter().all(|term| self.roles.contains(term));
            known >= 2 && (by_link || by_constants) && !of_roles
        };
        let merit = |order: &&Arc<Order>| {
            let successor = order.kind == OrderKind::Successor;
            let known = known(order, values);
            let line = order.is_line(values);
            (known, linked(order), line, successor, !order.cyclic, Reverse(order.terms().len()))
        };
        // The first of the best: `max_by_key` would take the last.
        self.all.iter().filter(fits).rev().max_by_key(merit).cloned()
    }
}

fn known(order: &Order, values: &[GroundTerm]) -> usize {
    values.iter().filter(|value| order.position(value).is_some()).count()
}
