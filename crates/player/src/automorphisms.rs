//! The symmetries of a game as those who prove things about it want them: `prove` does not know who finds them.

use std::sync::Arc;

use game::{Deadline, FluentId, Game, Gates, Move, Role};
use prove::Automorphism;
use symmetry::{Options, Point, Points, Start};

/// A permutation of fluents, moves and roles.
struct Permuted {
    points: Arc<Points>,
    images: Vec<u32>,
}

impl Automorphism for Permuted {
    fn fluent(&self, fluent: FluentId) -> Option<FluentId> {
        let image = self.images[self.points.fluent(fluent)? as usize];
        match self.points.point(image) {
            Point::Fluent(to) if self.points.is_possible_point(image) => Some(to),
            _ => None,
        }
    }

    fn action(&self, role: Role, action: Move) -> Option<(Role, Move)> {
        self.points.move_image(&self.images, role, action)
    }

    fn role(&self, role: Role) -> Role {
        self.points.role_image(&self.images, role)
    }
}

/// Symmetries of a game that keep its initial state, from which all others are composed: for
/// [`prove::Prover::use_symmetries`].
pub fn automorphisms(
    game: &Game,
    gates: &Gates,
    deadline: &Deadline,
) -> Vec<Box<dyn Automorphism + Send>> {
    let options = Options { deadline: deadline.clone(), start: Start::Kept, ..Options::default() };
    let found = symmetry::detect(game, Some(gates), &options);
    let points = Arc::new(found.points().clone());
    let generators = found.generators().iter();
    generators
        .map(|generator| {
            let images = generator.permutation.clone();
            Box::new(Permuted { points: points.clone(), images }) as Box<dyn Automorphism + Send>
        })
        .collect()
}
