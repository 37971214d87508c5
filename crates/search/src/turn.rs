//! Symmetries for tests: they take each of so many roles on by the number of the symmetry, and leave all else alone.

use game::{Canonicalizer, Move, Role, State, SymmetryId};

/// With how many roles there are.
pub(crate) struct Turn(pub(crate) u32);

impl Canonicalizer for Turn {
    fn canonical(&self, state: &State) -> (State, SymmetryId) {
        (state.clone(), SymmetryId(0))
    }

    fn image(&self, _: SymmetryId, role: Role, action: Move) -> (Role, Move) {
        (role, action)
    }

    fn origin(&self, _: SymmetryId, role: Role, action: Move) -> (Role, Move) {
        (role, action)
    }

    fn role(&self, symmetry: SymmetryId, role: Role) -> Role {
        Role((role.0 + symmetry.0) % self.0)
    }

    fn exchanges_roles(&self) -> bool {
        true
    }
}
