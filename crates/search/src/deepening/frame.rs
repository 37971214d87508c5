//! Where the roles have gone on the way to a representative of a state (thesis §8.4, with symmetries that exchange roles).
//!
//! A symmetry that takes role r to role q takes whatever r can reach in a state to what q can reach in the image of the
//! state (thesis Def. 8.1). So a search may go on in the image, if it remembers who plays whose part there.

use std::rc::Rc;

use game::{Canonicalizer, Role, SymmetryId};

use crate::hash::{Key, mix};

/// For each role of the state that was asked for the role that plays its part in a representative.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Frame(Option<Rc<[Role]>>);

impl Frame {
    /// The role that plays the part of a role.
    pub(super) fn of(&self, role: Role) -> Role {
        self.0.as_ref().and_then(|to| to.get(role.index()).copied()).unwrap_or(role)
    }

    /// The role whose part a role plays.
    pub(super) fn back(&self, role: Role) -> Role {
        let place = self.0.as_ref().and_then(|to| to.iter().position(|at| *at == role));
        place.map_or(role, |at| Role(at as u32))
    }

    /// Whether every role plays its own part.
    pub(super) fn is_plain(&self) -> bool {
        self.0.is_none()
    }

    /// First this, then what a symmetry does.
    pub(super) fn then(
        &self,
        symmetries: Option<&dyn Canonicalizer>,
        symmetry: SymmetryId,
        roles: usize,
    ) -> Self {
        let Some(symmetries) = symmetries.filter(|known| known.exchanges_roles()) else {
            return self.clone();
        };
        if symmetry == SymmetryId(0) {
            return self.clone();
        }
        let to: Rc<[Role]> =
            (0..roles as u32).map(|role| symmetries.role(symmetry, self.of(Role(role)))).collect();
        let plain = to.iter().enumerate().all(|(role, to)| to.index() == role);
        Self((!plain).then_some(to))
    }

    /// The key of what is known in this frame only.
    pub(super) fn key(&self, key: Key) -> Key {
        let Some(to) = &self.0 else { return key };
        let number = to.iter().fold(1, |number, role| mix(number ^ u64::from(role.0) << 8));
        Key(key.0 ^ (u128::from(mix(number)) << 64 | u128::from(number)))
    }

    /// Values of the roles of a representative as values of the roles whose parts they play.
    pub(super) fn values_back<T: Copy>(&self, values: &[T]) -> Vec<T> {
        (0..values.len() as u32).map(|role| values[self.of(Role(role)).index()]).collect()
    }

    /// Values of roles as values of the roles that play their parts.
    pub(super) fn values_forth<T: Copy>(&self, values: &[T]) -> Vec<T> {
        (0..values.len() as u32).map(|role| values[self.back(Role(role)).index()]).collect()
    }
}

/// The key of what is known of a state for the role that plays the part of the searching one.
pub(super) fn key_for(key: Key, searching: Role, role: Role) -> Key {
    if role == searching { key } else { other_key(key, role) }
}

fn other_key(key: Key, role: Role) -> Key {
    let number = mix(u64::from(role.0) ^ 0x0152_6F6C_6573);
    Key(key.0 ^ (u128::from(mix(number)) << 64 | u128::from(number)))
}

/// From the key for one of two roles to that for the other.
pub(super) fn key_of_other(key: Key, searching: Role) -> Key {
    other_key(key, Role(1 - searching.0.min(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turn::Turn;

    #[test]
    fn values_go_with_the_roles_and_come_back() {
        let plain = Frame::default();
        let one = plain.then(Some(&Turn(3)), SymmetryId(1), 3);
        assert_eq!((one.of(Role(0)), one.back(Role(0))), (Role(1), Role(2)));
        assert_eq!(one.values_forth(&[10, 20, 30]), [30, 10, 20]);
        assert_eq!(one.values_back(&one.values_forth(&[10, 20, 30])), [10, 20, 30]);
        let two = one.then(Some(&Turn(3)), SymmetryId(1), 3);
        assert!(two != one && two.key(Key(5)) != one.key(Key(5)) && one.key(Key(5)) != Key(5));
        assert!(two.then(Some(&Turn(3)), SymmetryId(1), 3).is_plain());
        assert_eq!(one.then(None, SymmetryId(1), 3), one);
    }

    #[test]
    fn the_keys_of_two_roles_lead_to_each_other() {
        for searching in [Role(0), Role(1)] {
            let keys = [Role(0), Role(1)].map(|role| key_for(Key(77), searching, role));
            assert!(keys[0] != keys[1] && keys.contains(&Key(77)));
            assert_eq!(key_of_other(keys[0], searching), keys[1]);
            assert_eq!(key_of_other(keys[1], searching), keys[0]);
        }
    }
}
