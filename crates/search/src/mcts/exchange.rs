//! Links between nodes whose roles have changed places (thesis §8.4, with symmetries that exchange roles).
//!
//! The graph knows representatives only. Where the symmetry from a successor to its representative exchanges roles, what a
//! role gets at the parent is what the role that plays its part gets at the child. A link is the number of the child
//! with the number of the exchange of roles beside it; exchanges are numbered as they are met.

use std::sync::OnceLock;

use game::{Canonicalizer, Role, SymmetryId};

use super::node::NodeId;

/// Bits of a link that are the number of the node.
const NODE_BITS: u32 = 26;
/// Exchanges of roles that have a number; the first keeps all.
const MOST: usize = 1 << (32 - NODE_BITS);
/// More nodes than this have no number.
pub(super) const MOST_NODES: usize = 1 << NODE_BITS;

/// The number of an exchange of roles; 0 keeps all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Exchange(u8);

impl Exchange {
    /// Every role keeps its part.
    pub(super) const NONE: Self = Self(0);
}

/// A node and how the roles change places on the way to it; 0 is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link(pub(super) u32);

impl Link {
    pub(super) fn new(node: NodeId, exchange: Exchange) -> Self {
        Self(node | u32::from(exchange.0) << NODE_BITS)
    }

    /// The node; [`super::node::NONE`] if there is none.
    pub(super) fn node(self) -> NodeId {
        self.0 & (MOST_NODES as u32 - 1)
    }

    pub(super) fn exchange(self) -> Exchange {
        Exchange((self.0 >> NODE_BITS) as u8)
    }
}

/// The exchanges of roles met so far, shared by all threads without locks.
#[derive(Debug)]
pub(super) struct Exchanges {
    known: Box<[OnceLock<Box<[u32]>>]>,
}

impl Exchanges {
    pub(super) fn new() -> Self {
        Self { known: (1..MOST).map(|_| OnceLock::new()).collect() }
    }

    /// How a symmetry exchanges roles; none if there is no number left for that.
    pub(super) fn of(
        &self,
        symmetries: &dyn Canonicalizer,
        symmetry: SymmetryId,
        roles: usize,
    ) -> Option<Exchange> {
        if symmetry == SymmetryId(0) || !symmetries.exchanges_roles() {
            return Some(Exchange::NONE);
        }
        let to = |role: u32| symmetries.role(symmetry, Role(role)).0;
        if (0..roles as u32).all(|role| to(role) == role) {
            return Some(Exchange::NONE);
        }
        let same = |known: &[u32]| known.iter().zip(0..).all(|(at, role)| *at == to(role));
        let place = self
            .known
            .iter()
            .position(|slot| same(slot.get_or_init(|| (0..roles as u32).map(to).collect())))?;
        Some(Exchange(place as u8 + 1))
    }

    /// The role that plays the part of a role of the parent at the child.
    pub(super) fn to(&self, exchange: Exchange, role: usize) -> usize {
        match usize::from(exchange.0).checked_sub(1).and_then(|at| self.known[at].get()) {
            Some(to) => to[role] as usize,
            None => role,
        }
    }

    /// Values of the roles of the child as values of the roles of the parent.
    pub(super) fn back(&self, exchange: Exchange, values: &mut [f64]) {
        if exchange != Exchange::NONE {
            let child = values.to_vec();
            for (role, value) in values.iter_mut().enumerate() {
                *value = child[self.to(exchange, role)];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turn::Turn;

    #[test]
    fn links_keep_node_and_exchange_apart_and_values_follow_the_roles() {
        let known = Exchanges::new();
        let ask = |symmetry: u32| known.of(&Turn(100), SymmetryId(symmetry), 100);
        assert_eq!((ask(0), ask(100)), (Some(Exchange::NONE), Some(Exchange::NONE)));
        let one = ask(1).expect("room");
        assert_eq!((ask(2).expect("room"), ask(1)), (Exchange(2), Some(one)));
        let link = Link::new(12_345, one);
        assert_eq!((link.node(), link.exchange()), (12_345, one));
        let mut values: Vec<f64> = (0..100).map(f64::from).collect();
        known.back(one, &mut values);
        assert!((values[0] - 1.0).abs() < 1e-9 && (values[99] - 0.0).abs() < 1e-9);
        let more = (3..80).filter(|symmetry| ask(*symmetry).is_some()).count();
        assert_eq!(more, MOST - 1 - 2);
    }
}
