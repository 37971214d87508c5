//! Hundreds of positions of a game at once, on its circuit.

use std::fmt;

use circuit::{Lanes, Tally, TooLarge, plane};
use datalog::GroundTerm;
use ground::{Budget, GroundProgram, Stopped};

use crate::game::Game;
use crate::ids::{FluentId, Move, Role};
use crate::state::State;

/// Why a game has no circuit; it is then played by the interpreter.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoCircuit {
    /// The rules did not become ground within the budget.
    Ground(Stopped),
    /// Too many gates.
    Gates(TooLarge),
}

impl fmt::Display for NoCircuit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ground(why) => write!(f, "the rules did not become ground: {why}"),
            Self::Gates(why) => write!(f, "the circuit is too large: {why}"),
        }
    }
}

impl std::error::Error for NoCircuit {}

/// Sizes of a game made into gates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Fluents that may ever hold.
    pub fluents: usize,
    /// Moves of all roles.
    pub moves: usize,
    /// Rules without variables.
    pub rules: usize,
    /// Gates for legal moves and the end of the game, for the next state, and for the goals.
    pub gates: (usize, usize, usize),
}

/// Positions side by side, with the fluents and moves of the game.
///
/// Moves must be legal: the circuit leaves out what legality implies.
#[derive(Clone, Debug)]
pub struct Batch {
    lanes: Lanes,
    fluents: Vec<FluentId>,
    moves: Vec<Vec<Move>>,
    goals: Vec<Vec<GroundTerm>>,
    sizes: Sizes,
}

impl Batch {
    /// The number of positions.
    pub const LANES: usize = plane::LANES;

    /// Makes the rules of a game ground and builds its circuit.
    pub fn new(game: &Game, budget: &Budget, seed: u64) -> Result<Self, NoCircuit> {
        let program = game.ground(budget).map_err(NoCircuit::Ground)?;
        let limits = circuit::Limits { deadline: budget.deadline, ..circuit::Limits::default() };
        let circuit = circuit::build(&program, &limits).map_err(NoCircuit::Gates)?;
        let lanes = Lanes::new(&circuit, seed);
        let universe = game.universe();
        let fluents = program.fluents.iter().map(|term| universe.fluent(term)).collect();
        let moves = program
            .moves
            .iter()
            .map(|own| own.iter().map(|action| universe.action(&action.term)).collect())
            .collect();
        let sizes = Sizes {
            fluents: program.fluents.len(),
            moves: program.moves.iter().map(Vec::len).sum(),
            rules: program.rule_count(),
            gates: lanes.operations(),
        };
        let goals = goal_terms(program);
        Ok(Self { lanes, fluents, moves, goals, sizes })
    }

    /// How large the game is.
    pub fn sizes(&self) -> Sizes {
        self.sizes
    }

    /// Plays `steps` random moves in all positions; those whose game is over start again.
    pub fn play(&mut self, steps: usize) -> Tally {
        self.lanes.play(steps)
    }

    /// The goal values of a role, in the order of [`Tally::goals`].
    pub fn goal_terms(&self, role: Role) -> &[GroundTerm] {
        &self.goals[role.index()]
    }

    /// Puts a state into a position. False if it has a fluent that cannot be reached.
    pub fn load(&mut self, lane: usize, state: &State) -> bool {
        let fluents = &self.fluents;
        self.lanes.load(lane, |at| state.contains(fluents[at]));
        self.state(lane) == *state
    }

    /// The state in a position.
    pub fn state(&self, lane: usize) -> State {
        let holding = self.fluents.iter().enumerate().filter(|(at, _)| self.lanes.holds(lane, *at));
        holding.map(|(_, fluent)| *fluent).collect()
    }

    /// Works out legal moves, ends and goals of all positions.
    pub fn look(&mut self) {
        self.lanes.look();
        self.lanes.look_at_goals();
    }

    /// Whether the game is over in a position, after [`Batch::look`].
    pub fn is_terminal(&self, lane: usize) -> bool {
        self.lanes.is_terminal(lane)
    }

    /// The legal moves of a role in a position, after [`Batch::look`], in no particular order.
    pub fn legal_moves(&self, lane: usize, role: Role) -> Vec<Move> {
        let own = self.moves[role.index()].iter().enumerate();
        own.filter(|(at, _)| self.lanes.is_legal(lane, role.index(), *at))
            .map(|(_, m)| *m)
            .collect()
    }

    /// The goal values of a role in a position, after [`Batch::look`].
    pub fn goal_values(&self, lane: usize, role: Role) -> Vec<&GroundTerm> {
        let own = self.goals[role.index()].iter().enumerate();
        own.filter(|(at, _)| self.lanes.has_goal(lane, role.index(), *at)).map(|(_, g)| g).collect()
    }

    /// The move that a role made in a position in the last step of [`Batch::play`]; none if the game
    /// was over there, or the position waited for its random number.
    pub fn last_move(&self, lane: usize, role: Role) -> Option<Move> {
        let at = self.lanes.last_move(lane, role.index())?;
        Some(self.moves[role.index()][at])
    }
}

fn goal_terms(program: GroundProgram) -> Vec<Vec<GroundTerm>> {
    let own = program.goals.into_iter();
    own.map(|values| values.into_iter().map(|(term, _)| term).collect()).collect()
}
