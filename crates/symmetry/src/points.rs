//! The points that symmetries permute: fluents, moves of roles, and roles of one game, numbered in this order.

use game::{FluentId, Game, GroundTerm, JointMove, Move, Role, State};
use rustc_hash::FxHashMap;

const NOWHERE: u32 = u32::MAX;

/// What a point stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// A fluent.
    Fluent(FluentId),
    /// A move of a role.
    Move(Role, Move),
    /// A role.
    Role(Role),
}

/// The numbering of the points.
#[derive(Clone, Debug)]
pub struct Points {
    fluents: Vec<FluentId>,
    fluent_places: Vec<u32>,
    moves: Vec<(Role, Move)>,
    move_places: Vec<FxHashMap<Move, u32>>,
    roles: usize,
    /// So many of the first fluents can occur in play; the others only in images of states.
    possible: usize,
}

impl Points {
    /// Numbers fluents and the moves of each role.
    pub fn new(fluents: Vec<FluentId>, moves: &[Vec<Move>]) -> Self {
        let mut points = Self {
            fluents: Vec::new(),
            fluent_places: Vec::new(),
            moves: Vec::new(),
            move_places: vec![FxHashMap::default(); moves.len()],
            roles: moves.len(),
            possible: 0,
        };
        for fluent in fluents {
            points.add_fluent(fluent);
        }
        points.possible = points.fluents.len();
        for (role, own) in moves.iter().enumerate() {
            for action in own {
                points.add_move(Role(role as u32), *action);
            }
        }
        points
    }

    fn add_fluent(&mut self, fluent: FluentId) {
        if self.fluent_places.len() <= fluent.index() {
            self.fluent_places.resize(fluent.index() + 1, NOWHERE);
        }
        if self.fluent_places[fluent.index()] == NOWHERE {
            self.fluent_places[fluent.index()] = self.fluents.len() as u32;
            self.fluents.push(fluent);
        }
    }

    /// Moves are counted from 0 here.
    fn add_move(&mut self, role: Role, action: Move) {
        let next = self.moves.len() as u32;
        if let std::collections::hash_map::Entry::Vacant(free) =
            self.move_places[role.index()].entry(action)
        {
            free.insert(next);
            self.moves.push((role, action));
        }
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.fluents.len() + self.moves.len() + self.roles
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The fluents in the order of their points.
    pub fn fluents(&self) -> &[FluentId] {
        &self.fluents
    }

    /// The moves in the order of their points.
    pub fn moves(&self) -> &[(Role, Move)] {
        &self.moves
    }

    /// The points of the moves.
    pub fn move_points(&self) -> std::ops::Range<u32> {
        let first = self.fluents.len() as u32;
        first..first + self.moves.len() as u32
    }

    /// The points of the roles.
    pub fn role_points(&self) -> std::ops::Range<u32> {
        let first = self.move_points().end;
        first..first + self.roles as u32
    }

    /// The point of a fluent.
    pub fn fluent(&self, fluent: FluentId) -> Option<u32> {
        self.fluent_places.get(fluent.index()).copied().filter(|place| *place != NOWHERE)
    }

    /// The point of a move.
    pub fn action(&self, role: Role, action: Move) -> Option<u32> {
        let place = self.move_places.get(role.index())?.get(&action)?;
        Some(self.fluents.len() as u32 + place)
    }

    /// The point of a role.
    pub fn role(&self, role: Role) -> u32 {
        self.role_points().start + role.0
    }

    /// What a point stands for.
    pub fn point(&self, point: u32) -> Point {
        let at = point as usize;
        if let Some(fluent) = self.fluents.get(at) {
            return Point::Fluent(*fluent);
        }
        match self.moves.get(at - self.fluents.len()) {
            Some((role, action)) => Point::Move(*role, *action),
            None => Point::Role(Role(point - self.role_points().start)),
        }
    }

    /// The text of a point.
    pub fn text(&self, game: &Game, point: u32) -> String {
        match self.point(point) {
            Point::Fluent(fluent) => game.universe().fluent_entry(fluent).text.to_string(),
            Point::Role(role) => game.role_name(role),
            Point::Move(role, action) => {
                let text = game.universe().move_entry(action).text.clone();
                format!("{}: {text}", game.role_name(role))
            }
        }
    }

    /// The image of a state; none if a fluent of it is no point.
    pub fn state_image(&self, permutation: &[u32], state: &State) -> Option<State> {
        state
            .iter()
            .map(|fluent| {
                let image = permutation[self.fluent(fluent)? as usize];
                self.fluents.get(image as usize).copied()
            })
            .collect()
    }

    /// The image of a role.
    pub fn role_image(&self, permutation: &[u32], role: Role) -> Role {
        Role(permutation[self.role(role) as usize] - self.role_points().start)
    }

    /// The image of a move; none if it is no point.
    pub fn move_image(
        &self,
        permutation: &[u32],
        role: Role,
        action: Move,
    ) -> Option<(Role, Move)> {
        let image = permutation[self.action(role, action)? as usize];
        self.moves.get(image as usize - self.fluents.len()).copied()
    }

    /// The image of a joint move; none if a move of it is no point.
    pub fn joint_image(&self, permutation: &[u32], joint: &JointMove) -> Option<JointMove> {
        let mut image = joint.clone();
        for (role, action) in joint.0.iter().enumerate() {
            let (to, action) = self.move_image(permutation, Role(role as u32), *action)?;
            *image.0.get_mut(to.index())? = action;
        }
        Some(image)
    }

    /// The permutation that a mapping of terms makes; none if it leads out of the points or is not one-to-one.
    pub fn permutation(
        &self,
        game: &Game,
        image: impl Fn(&GroundTerm) -> GroundTerm,
    ) -> Option<Vec<u32>> {
        let universe = game.universe();
        let roles = game.roles();
        let mut images = Vec::with_capacity(self.len());
        for fluent in &self.fluents {
            let to = universe.fluent(&image(&universe.fluent_entry(*fluent).term));
            images.push(self.fluent(to)?);
        }
        let role_image = |role: Role| {
            let to = image(&roles[role.index()]);
            roles.iter().position(|other| *other == to).map(|at| Role(at as u32))
        };
        for (role, action) in &self.moves {
            let to = universe.action(&image(&universe.move_entry(*action).term));
            images.push(self.action(role_image(*role)?, to)?);
        }
        for role in 0..self.roles as u32 {
            images.push(self.role(role_image(Role(role))?));
        }
        crate::permutation::is_permutation(&images).then_some(images)
    }

    /// Whether all fluents of a state can occur in play, as far as is known.
    pub fn is_possible(&self, state: &State) -> bool {
        self.all_possible()
            || state.iter().all(|f| self.fluent(f).is_some_and(|at| (at as usize) < self.possible))
    }

    /// Whether every fluent that is a point can occur in play, as far as is known.
    pub fn all_possible(&self) -> bool {
        self.possible == self.fluents.len()
    }

    /// Whether the fluent of a point can occur in play, as far as is known.
    pub fn is_possible_point(&self, point: u32) -> bool {
        (point as usize) < self.possible
    }

    /// Takes the fluents added since for possible ones, too.
    pub fn trust_all(&mut self) {
        self.possible = self.fluents.len();
    }

    /// Adds what mappings of terms take points to, until nothing new comes; false if that would be more
    /// than `most`.
    pub fn close(
        &mut self,
        game: &Game,
        mappings: &[impl Fn(&GroundTerm) -> GroundTerm],
        most: usize,
    ) -> bool {
        let universe = game.universe();
        let mut at = 0;
        while at < self.fluents.len() {
            if self.len() > most {
                return false;
            }
            let term = universe.fluent_entry(self.fluents[at]).term.clone();
            for image in mappings {
                self.add_fluent(universe.fluent(&image(&term)));
            }
            at += 1;
        }
        let roles = game.roles();
        let mut at = 0;
        while at < self.moves.len() {
            if self.len() > most {
                return false;
            }
            let (role, action) = self.moves[at];
            let term = universe.move_entry(action).term.clone();
            for image in mappings {
                let to = image(&roles[role.index()]);
                if let Some(to) = roles.iter().position(|other| *other == to) {
                    self.add_move(Role(to as u32), universe.action(&image(&term)));
                }
            }
            at += 1;
        }
        true
    }
}
