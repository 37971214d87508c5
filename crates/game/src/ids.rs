//! Small integers that stand for roles, fluents and moves of one game, and joint moves.

macro_rules! id {
    ($name:ident, $doc:literal) => {
        #[doc = $doc]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// The number as an index.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(Role, "A role of a game, numbered in the order of the `role` facts.");
id!(FluentId, "A fluent of a game, numbered in the order in which fluents were first met.");
id!(Move, "A move of a game, numbered in the order in which moves were first met.");

/// One move for each role, in the order of the roles.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JointMove(pub Vec<Move>);

impl JointMove {
    /// The move of a role.
    pub fn of(&self, role: Role) -> Move {
        self.0[role.index()]
    }
}

impl FromIterator<Move> for JointMove {
    fn from_iter<I: IntoIterator<Item = Move>>(moves: I) -> Self {
        Self(moves.into_iter().collect())
    }
}
